/* vlm/tokenizer.c - the way from a text to its ids: added tokens, normaliser, the rest of them, pieces, merges. */
#include "vlm/tokenizer_private.h"

#include <string.h>

typedef struct {
  const DpTokenizer *t;
  DpBpeScratch scratch;
  GArray *ids;
} Encoder;

static void
encode_letters (Encoder *e, const char *text, gsize n)
{
  for (const char *p = text; p < text + n; p = g_utf8_next_char (p)) {
    const guint32 known = GPOINTER_TO_UINT (g_hash_table_lookup (e->t->by_letter, GUINT_TO_POINTER (g_utf8_get_char (p))));
    const guint32 id = known ? known - 1 : e->t->unknown;
    if (id != DP_NO_TOKEN)
      g_array_append_val (e->ids, id);
  }
}

static void
encode_plain (Encoder *e, const char *text, gsize n)
{
  if (!e->t->bpe) {
    encode_letters (e, text, n);
    return;
  }
  for (gsize at = 0, end; at < n; at = end) {
    end = dp_split_qwen2 (text, n, at);
    dp_bpe_encode (e->t->bpe, &e->scratch, (const guint8 *) text + at, end - at, e->ids);
  }
}

typedef void (*EncodePart) (Encoder *e, const char *text, gsize n);

/* The added tokens of a trie become ids, what lies between them goes to rest. */
static void
encode_around (Encoder *e, const DpAddedTrie *trie, const char *text, gsize n, EncodePart rest)
{
  gsize done = 0, at = 0;
  DpAddedMatch m;

  while (dp_added_trie_next (trie, text, n, done, &at, &m)) {
    if (m.begin > done)
      rest (e, text + done, m.begin - done);
    g_array_append_val (e->ids, m.id);
    done = m.end;
  }
  if (n > done)
    rest (e, text + done, n - done);
}

static void
encode_normal (Encoder *e, const char *text, gsize n)
{
  g_autofree char *nfc = e->t->nfc ? dp_nfc (text, n, &n) : NULL;

  encode_around (e, e->t->normalized, nfc ? nfc : text, n, encode_plain);
}

GArray *
dp_tokenizer_encode (const DpTokenizer *t, const char *text, gssize n)
{
  gsize length = n < 0 ? strlen (text) : (gsize) n;
  g_autofree char *valid = NULL;
  Encoder e = { .t = t, .ids = g_array_new (FALSE, FALSE, sizeof (guint32)) };

  if (!g_utf8_validate_len (text, length, NULL) && !memchr (text, 0, length)) {
    text = valid = g_utf8_make_valid (text, (gssize) length);
    length = strlen (valid);
  } else if (!g_utf8_validate_len (text, length, NULL)) { /* NUL is a character to the tokenizer and a fault to GLib */
    GString *whole = g_string_new (NULL);
    for (gsize at = 0, part; at <= length; at += part + 1) {
      part = strnlen (text + at, length - at);
      g_autofree char *piece = g_utf8_make_valid (text + at, (gssize) part);
      g_string_append (whole, piece);
      if (at + part < length)
        g_string_append_c (whole, 0);
    }
    length = whole->len;
    text = valid = g_string_free (whole, FALSE);
  }
  dp_bpe_scratch_init (&e.scratch);
  encode_around (&e, t->raw, text, length, encode_normal);
  dp_bpe_scratch_clear (&e.scratch);
  return e.ids;
}

/* ---- what is known of tokens ---- */

guint32
dp_tokenizer_size (const DpTokenizer *t)
{
  return t->tokens->len;
}

gint64
dp_tokenizer_id (const DpTokenizer *t, const char *spelling)
{
  return (gint64) GPOINTER_TO_UINT (g_hash_table_lookup (t->by_spelling, spelling)) - 1;
}

const guint8 *
dp_tokenizer_bytes (const DpTokenizer *t, guint32 id, gsize *n)
{
  const DpTokenBytes *b = id < t->tokens->len ? &g_array_index (t->tokens, DpTokenBytes, id) : NULL;

  *n = b && b->exists ? b->n : 0;
  return b && b->exists ? t->pool->data + b->offset : NULL;
}

gboolean
dp_tokenizer_special (const DpTokenizer *t, guint32 id)
{
  return id < t->tokens->len && g_array_index (t->tokens, DpTokenBytes, id).special;
}

static void
added_free (gpointer data)
{
  DpAddedToken *a = data;

  g_free (a->content);
  g_free (a);
}

void
dp_tokenizer_free (DpTokenizer *t)
{
  if (!t)
    return;
  dp_added_trie_free (t->raw);
  dp_added_trie_free (t->normalized);
  dp_bpe_free (t->bpe);
  g_clear_pointer (&t->by_letter, g_hash_table_unref);
  g_hash_table_unref (t->by_spelling);
  g_ptr_array_set_free_func (t->added, added_free);
  g_ptr_array_unref (t->added);
  g_array_unref (t->tokens);
  g_byte_array_unref (t->pool);
  g_string_chunk_free (t->strings);
  g_free (t);
}
