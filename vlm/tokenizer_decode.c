/* vlm/tokenizer_decode.c - ids back to text, at once or as they come. */
#include "vlm/tokenizer_private.h"

#include <string.h>

/* How p[0 .. n) begins: > 0, a character of so many bytes; 0, the beginning of one that needs more; < 0, so many bytes that can
 * begin none (the maximal parts of Unicode 3.9, as Python and Rust replace them). */
static int
look (const guint8 *p, gsize n)
{
  const guint8 c = p[0];
  const int length = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
  guint8 low = 0x80, high = 0xbf;

  if (length == 0)
    return -1;
  if (c == 0xe0)
    low = 0xa0;
  else if (c == 0xed)
    high = 0x9f;
  else if (c == 0xf0)
    low = 0x90;
  else if (c == 0xf4)
    high = 0x8f;
  for (int i = 1; i < length; i++, low = 0x80, high = 0xbf) {
    if ((gsize) i >= n)
      return 0;
    if (p[i] < low || p[i] > high)
      return -i;
  }
  return length;
}

static void
push_byte (DpTokenStream *s, guint8 byte, GString *text)
{
  s->pending[s->n_pending++] = byte;
  while (s->n_pending) {
    const int k = look (s->pending, s->n_pending);
    const guint used = (guint) ABS (k);
    if (k == 0)
      return;
    if (k > 0)
      g_string_append_len (text, (const char *) s->pending, k);
    else
      g_string_append (text, "\xef\xbf\xbd");
    memmove (s->pending, s->pending + used, s->n_pending - used);
    s->n_pending -= used;
  }
}

void
dp_token_stream_push (DpTokenStream *stream, const DpTokenizer *tokenizer, guint32 id, GString *text)
{
  gsize n = 0;
  const guint8 *bytes = dp_tokenizer_bytes (tokenizer, id, &n);

  for (gsize i = 0; i < n; i++)
    push_byte (stream, bytes[i], text);
}

void
dp_token_stream_finish (DpTokenStream *stream, GString *text)
{
  if (stream->n_pending)
    g_string_append (text, "\xef\xbf\xbd");
  stream->n_pending = 0;
}

char *
dp_tokenizer_decode (const DpTokenizer *t, const guint32 *ids, gsize n, gboolean skip_special)
{
  GString *text = g_string_new (NULL);
  DpTokenStream stream = { 0 };

  for (gsize i = 0; i < n; i++)
    if (!skip_special || !dp_tokenizer_special (t, ids[i]))
      dp_token_stream_push (&stream, t, ids[i], text);
  dp_token_stream_finish (&stream, text);
  return g_string_free (text, FALSE);
}
