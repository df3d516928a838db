/* pipeline/text_pages.c - see text_pages.h. */
#include "pipeline/text_pages.h"

#include <string.h>

typedef struct {
  guint32 number, n_words;
  float width, height;
  gint32 turn;
  double skew;
} PageHead;

typedef struct {
  DpRect box;
  float baseline, size;
  gint32 angle;
  guint32 length; /* bytes of text, which follow */
} WordHead;

/* ---- writing ------------------------------------------------------------------------------------------ */

static void
write_word (const DpLayerWord *word, GByteArray *out)
{
  const WordHead head = { word->box, word->baseline, word->size, word->angle, (guint32) strlen (word->text) };

  g_byte_array_append (out, (const guint8 *) &head, sizeof head);
  g_byte_array_append (out, (const guint8 *) word->text, head.length);
}

void
dp_text_pages_write (const DpTextPage *pages, guint n, GByteArray *out)
{
  for (guint i = 0; i < n; i++) {
    PageHead head = { 0 };
    head.number = pages[i].number, head.n_words = pages[i].words->len;
    head.width = pages[i].width, head.height = pages[i].height;
    head.turn = pages[i].turn, head.skew = pages[i].skew;
    g_byte_array_append (out, (const guint8 *) &head, sizeof head);
    for (guint w = 0; w < pages[i].words->len; w++)
      write_word (&g_array_index (pages[i].words, DpLayerWord, w), out);
  }
}

/* ---- reading ------------------------------------------------------------------------------------------ */

typedef struct {
  const guint8 *p, *end;
} Bytes;

static gboolean
take (Bytes *from, gpointer to, gsize n)
{
  if ((gsize) (from->end - from->p) < n)
    return FALSE;
  memcpy (to, from->p, n);
  from->p += n;
  return TRUE;
}

static gboolean
read_word (Bytes *from, DpLayerWord *word)
{
  WordHead head;

  if (!take (from, &head, sizeof head) || head.length > (gsize) (from->end - from->p))
    return FALSE;
  *word = (DpLayerWord){ head.box, head.baseline, head.size, head.angle, g_strndup ((const char *) from->p, head.length) };
  from->p += head.length;
  return TRUE;
}

static void
page_clear (gpointer page)
{
  g_clear_pointer (&((DpTextPage *) page)->words, g_array_unref);
}

GArray *
dp_text_pages_read (gconstpointer data, gsize size)
{
  GArray *pages = g_array_new (FALSE, FALSE, sizeof (DpTextPage));
  Bytes from = { data, (const guint8 *) data + size };
  PageHead head;

  g_array_set_clear_func (pages, page_clear);
  while (take (&from, &head, sizeof head)) {
    DpTextPage page = { head.number, head.width, head.height, head.turn, head.skew, g_array_new (FALSE, FALSE, sizeof (DpLayerWord)) };
    DpLayerWord word;
    g_array_set_clear_func (page.words, dp_layer_word_clear);
    for (guint32 w = 0; w < head.n_words && read_word (&from, &word); w++)
      g_array_append_val (page.words, word);
    g_array_append_val (pages, page);
  }
  return pages;
}
