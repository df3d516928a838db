/* vlm/tokenizer_bpe.c - byte pair merges of one piece: the pair of lowest rank first, of equals the leftmost.
 *
 * A linked list of symbols and a heap of candidate pairs, as in the tokenizers library (Word::merge_all): O(n log n) also for a
 * piece of a megabyte.  Candidates that a later merge made stale are noticed when they come up.
 */
#include "vlm/tokenizer_private.h"

#define EMPTY G_MAXUINT64

typedef struct {
  guint64 pair; /* left << 32 | right */
  guint32 rank, merged;
} Merge;

struct DpBpe {
  guint32 bytes[256];
  Merge *table; /* open addressing, a power of two */
  guint64 mask;
};

typedef struct {
  guint32 id; /* DP_NO_TOKEN: merged into its left neighbour */
  gint32 previous, next;
} Symbol;

typedef struct {
  guint32 rank, at, merged;
} Candidate;

DpBpe *
dp_bpe_new (guint32 n_merges)
{
  DpBpe *b = g_new (DpBpe, 1);
  guint64 size = 16;

  while (size < (guint64) n_merges * 2)
    size *= 2;
  b->mask = size - 1;
  b->table = g_new (Merge, size);
  for (guint64 i = 0; i < size; i++)
    b->table[i].pair = EMPTY;
  for (guint i = 0; i < 256; i++)
    b->bytes[i] = DP_NO_TOKEN;
  return b;
}

void
dp_bpe_free (DpBpe *b)
{
  if (!b)
    return;
  g_free (b->table);
  g_free (b);
}

void
dp_bpe_set_byte (DpBpe *b, guint8 byte, guint32 id)
{
  b->bytes[byte] = id;
}

/* The pair's place, or the free one where it belongs. */
static Merge *
slot (const DpBpe *b, guint32 left, guint32 right)
{
  const guint64 pair = (guint64) left << 32 | right;
  guint64 i = (pair ^ pair >> 29) * 0x9e3779b97f4a7c15u;

  for (i = (i >> 32) & b->mask; b->table[i].pair != pair && b->table[i].pair != EMPTY; i = (i + 1) & b->mask)
    ;
  return &b->table[i];
}

void
dp_bpe_add_merge (DpBpe *b, guint32 left, guint32 right, guint32 rank, guint32 merged)
{
  Merge *m = slot (b, left, right);

  if (m->pair == EMPTY)
    *m = (Merge){ (guint64) left << 32 | right, rank, merged };
}

void
dp_bpe_scratch_init (DpBpeScratch *s)
{
  s->symbols = g_array_new (FALSE, FALSE, sizeof (Symbol));
  s->heap = g_array_new (FALSE, FALSE, sizeof (Candidate));
}

void
dp_bpe_scratch_clear (DpBpeScratch *s)
{
  g_array_unref (s->symbols);
  g_array_unref (s->heap);
}

/* ---- heap ---- */

static gboolean
before (const Candidate *a, const Candidate *b)
{
  return a->rank != b->rank ? a->rank < b->rank : a->at < b->at;
}

static void
heap_push (GArray *heap, Candidate c)
{
  guint i = heap->len;

  g_array_append_val (heap, c);
  Candidate *h = (Candidate *) (void *) heap->data;
  for (; i > 0 && before (&c, &h[(i - 1) / 2]); i = (i - 1) / 2)
    h[i] = h[(i - 1) / 2];
  h[i] = c;
}

static Candidate
heap_pop (GArray *heap)
{
  Candidate *h = (Candidate *) (void *) heap->data;
  const Candidate top = h[0], last = h[heap->len - 1];
  const guint n = heap->len - 1;
  guint i = 0;

  g_array_set_size (heap, n);
  for (guint child; (child = 2 * i + 1) < n; i = child) {
    if (child + 1 < n && before (&h[child + 1], &h[child]))
      child++;
    if (!before (&h[child], &last))
      break;
    h[i] = h[child];
  }
  if (n)
    h[i] = last;
  return top;
}

/* ---- merging ---- */

static void
propose (const DpBpe *b, const Symbol *symbols, gint32 left, GArray *heap)
{
  const gint32 right = left < 0 ? -1 : symbols[left].next;

  if (right < 0)
    return;
  const Merge *m = slot (b, symbols[left].id, symbols[right].id);
  if (m->pair != EMPTY)
    heap_push (heap, (Candidate){ m->rank, (guint32) left, m->merged });
}

static void
merge (const DpBpe *b, Symbol *symbols, const Candidate *c, GArray *heap)
{
  Symbol *left = &symbols[c->at];

  if (left->id == DP_NO_TOKEN || left->next < 0)
    return;
  Symbol *right = &symbols[left->next];
  const Merge *m = slot (b, left->id, right->id);
  if (m->pair == EMPTY || m->merged != c->merged) /* stale: one of the two has changed */
    return;
  left->id = c->merged;
  left->next = right->next;
  right->id = DP_NO_TOKEN;
  if (left->next >= 0)
    symbols[left->next].previous = (gint32) c->at;
  propose (b, symbols, left->previous, heap);
  propose (b, symbols, (gint32) c->at, heap);
}

void
dp_bpe_encode (const DpBpe *b, DpBpeScratch *s, const guint8 *piece, gsize n, GArray *ids)
{
  g_array_set_size (s->symbols, 0);
  g_array_set_size (s->heap, 0);
  for (gsize i = 0; i < n; i++) {
    const gint32 at = (gint32) s->symbols->len;
    const Symbol symbol = { b->bytes[piece[i]], at - 1, at + 1 };
    if (symbol.id != DP_NO_TOKEN) /* a byte that the vocabulary lacks is left out */
      g_array_append_val (s->symbols, symbol);
  }
  if (s->symbols->len == 0)
    return;
  Symbol *symbols = (Symbol *) (void *) s->symbols->data;
  symbols[s->symbols->len - 1].next = -1;
  for (guint i = 0; i + 1 < s->symbols->len; i++)
    propose (b, symbols, (gint32) i, s->heap);
  while (s->heap->len) {
    const Candidate c = heap_pop (s->heap);
    merge (b, symbols, &c, s->heap);
  }
  for (gint32 i = 0; i >= 0; i = symbols[i].next)
    g_array_append_val (ids, symbols[i].id);
}
