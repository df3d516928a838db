/* vlm/kv_pages.c - see the header.
 *
 * A page is in one of four states:
 *   free    no references, not known: on the stack of free pages
 *   used    references, not published
 *   known   references, published: in the tree
 *   kept    no references, in the tree: in the list of kept pages, oldest first
 * The stack gives back what was freed last, so that memory which was never needed is never touched.
 */
#include "vlm/kv_pages.h"

#include <string.h>

#define NONE 0 /* page 0 is no page: it ends lists */

typedef struct {
  guint32 refs;
  guint32 newer, older; /* in the list of kept pages */
  guint32 rows;         /* marks that count: page_size, or fewer when only the head is left; 0: not in the tree */
  DpKvNode node, parent;
  DpKvMark *marks; /* [page_size], inside DpKvPages.marks */
} Page;

struct DpKvPages {
  guint32 n_pages, page_size;
  Page *pages;
  DpKvMark *marks;
  guint32 *stack, n_free;
  guint32 oldest, newest, n_kept;
  DpKvNode next_node;
  GHashTable *by_content; /* set of Page: parent and all marks */
  GHashTable *by_parent;  /* set of Page: the donor among the children of a node */
};

/* Hash functions get a Page; how many marks there are to compare hangs on the table's owner, so they stand before the marks:
 * marks[-1] is page_size. */
static guint
hash_words (guint64 h, const DpKvMark *marks, guint64 n)
{
  for (guint64 i = 0; i < n; i++)
    h = (h ^ marks[i]) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15), h ^= h >> 29;
  return (guint) (h ^ h >> 32);
}

static guint
content_hash (gconstpointer data)
{
  const Page *p = data;
  return hash_words (p->parent, p->marks, p->marks[-1]);
}

static gboolean
content_equal (gconstpointer a, gconstpointer b)
{
  const Page *p = a, *q = b;
  return p->parent == q->parent && memcmp (p->marks, q->marks, p->marks[-1] * sizeof *p->marks) == 0;
}

static guint
parent_hash (gconstpointer data)
{
  return hash_words (((const Page *) data)->parent, NULL, 0);
}

static gboolean
parent_equal (gconstpointer a, gconstpointer b)
{
  return ((const Page *) a)->parent == ((const Page *) b)->parent;
}

DpKvPages *
dp_kv_pages_new (guint32 n_pages, guint32 page_size)
{
  const gsize each = (gsize) page_size + 1;
  DpKvPages *p;

  g_return_val_if_fail (n_pages >= 2 && page_size >= 1, NULL);
  p = g_new0 (DpKvPages, 1);
  p->n_pages = n_pages;
  p->page_size = page_size;
  p->pages = g_new0 (Page, n_pages);
  p->marks = g_new0 (DpKvMark, n_pages * each);
  p->stack = g_new (guint32, n_pages);
  p->next_node = DP_KV_ROOT + 1;
  p->by_content = g_hash_table_new (content_hash, content_equal);
  p->by_parent = g_hash_table_new (parent_hash, parent_equal);
  for (guint32 i = n_pages - 1; i >= 1; i--) {
    p->marks[i * each] = page_size;
    p->pages[i].marks = p->marks + i * each + 1;
    p->stack[p->n_free++] = i;
  }
  return p;
}

void
dp_kv_pages_free (DpKvPages *p)
{
  if (!p)
    return;
  g_hash_table_unref (p->by_content);
  g_hash_table_unref (p->by_parent);
  g_free (p->stack);
  g_free (p->marks);
  g_free (p->pages);
  g_free (p);
}

/* ---- the list of kept pages ---- */

static void
keep (DpKvPages *p, guint32 page)
{
  Page *q = &p->pages[page];

  q->older = p->newest;
  q->newer = NONE;
  if (p->newest)
    p->pages[p->newest].newer = page;
  else
    p->oldest = page;
  p->newest = page;
  p->n_kept++;
}

static void
unkeep (DpKvPages *p, guint32 page)
{
  Page *q = &p->pages[page];

  if (q->older)
    p->pages[q->older].newer = q->newer;
  else
    p->oldest = q->newer;
  if (q->newer)
    p->pages[q->newer].older = q->older;
  else
    p->newest = q->older;
  p->n_kept--;
}

/* ---- the tree ---- */

static void
forget (DpKvPages *p, Page *q)
{
  if (q->rows == p->page_size && g_hash_table_lookup (p->by_content, q) == q)
    g_hash_table_remove (p->by_content, q);
  if (g_hash_table_lookup (p->by_parent, q) == q)
    g_hash_table_remove (p->by_parent, q);
  q->rows = 0;
}

/* A published page whose last reference is gone: what of it can be of use.  FALSE: nothing. */
static gboolean
keep_head (DpKvPages *p, Page *q, gboolean with_private)
{
  guint32 head = 0;

  while (head < q->rows && (with_private || !(q->marks[head] & DP_KV_PRIVATE)))
    head++;
  if (head == p->page_size)
    return TRUE;
  if (head && g_hash_table_lookup (p->by_parent, q) == q) {
    if (q->rows == p->page_size)
      g_hash_table_remove (p->by_content, q);
    q->rows = head;
    return TRUE;
  }
  forget (p, q);
  return FALSE;
}

DpKvNode
dp_kv_pages_publish (DpKvPages *p, guint32 page, DpKvNode parent, const DpKvMark *marks)
{
  Page *q = &p->pages[page], *known;

  g_return_val_if_fail (page >= 1 && page < p->n_pages && q->refs && !q->rows, parent);
  q->parent = parent;
  memcpy (q->marks, marks, p->page_size * sizeof *marks);
  known = g_hash_table_lookup (p->by_content, q);
  if (known)
    return known->node;
  q->node = p->next_node++;
  q->rows = p->page_size;
  g_hash_table_add (p->by_content, q);
  if (!g_hash_table_contains (p->by_parent, q)) /* the first one stays: it is the one that all later ones were matched with */
    g_hash_table_add (p->by_parent, q);
  return q->node;
}

static guint32
common (const Page *q, const DpKvMark *marks, guint32 n)
{
  guint32 i = 0;

  while (i < MIN (q->rows, n) && q->marks[i] == marks[i])
    i++;
  return i;
}

void
dp_kv_pages_match (DpKvPages *p, const DpKvMark *marks, guint32 n, guint32 *shared, DpKvMatch *match)
{
  Page *probe = &p->pages[0], *found; /* page 0's record is free for looking up */
  g_autofree DpKvMark *wanted = g_new (DpKvMark, (gsize) p->page_size + 1);

  *match = (DpKvMatch){ .node = DP_KV_ROOT };
  wanted[0] = p->page_size;
  probe->marks = wanted + 1;
  probe->parent = DP_KV_ROOT;
  for (; n >= p->page_size; marks += p->page_size, n -= p->page_size) {
    memcpy (probe->marks, marks, p->page_size * sizeof *marks);
    if (!(found = g_hash_table_lookup (p->by_content, probe)))
      break;
    shared[match->n_pages++] = (guint32) (found - p->pages);
    dp_kv_pages_ref (p, (guint32) (found - p->pages));
    match->node = probe->parent = found->node;
  }
  if (n && (found = g_hash_table_lookup (p->by_parent, probe)) && (match->donor_rows = MIN (common (found, marks, n), p->page_size - 1))) {
    match->donor = (guint32) (found - p->pages);
    dp_kv_pages_ref (p, match->donor);
  }
  probe->marks = NULL;
}

/* ---- references ---- */

guint32
dp_kv_pages_available (const DpKvPages *p)
{
  return p->n_free + p->n_kept;
}

guint32
dp_kv_pages_take (DpKvPages *p)
{
  guint32 page = p->n_free ? p->stack[--p->n_free] : p->oldest;

  if (page == NONE)
    return NONE;
  if (p->pages[page].rows) {
    unkeep (p, page);
    forget (p, &p->pages[page]);
  }
  p->pages[page].refs = 1;
  return page;
}

void
dp_kv_pages_ref (DpKvPages *p, guint32 page)
{
  g_return_if_fail (page >= 1 && page < p->n_pages && (p->pages[page].refs || p->pages[page].rows));
  if (!p->pages[page].refs++)
    unkeep (p, page);
}

void
dp_kv_pages_unref (DpKvPages *p, guint32 page, gboolean comes_back)
{
  g_return_if_fail (page >= 1 && page < p->n_pages && p->pages[page].refs);
  if (--p->pages[page].refs)
    return;
  if (p->pages[page].rows && keep_head (p, &p->pages[page], comes_back))
    keep (p, page);
  else
    p->stack[p->n_free++] = page;
}

guint32
dp_kv_pages_refs (const DpKvPages *p, guint32 page)
{
  return page < p->n_pages ? p->pages[page].refs : 0;
}

/* ---- for tests ---- */

void
dp_kv_pages_check (const DpKvPages *p)
{
  g_autofree guint8 *seen = g_new0 (guint8, p->n_pages);
  guint32 n = 0, full = 0, previous = NONE;

  for (guint32 i = 0; i < p->n_free; i++) {
    g_assert_true (p->stack[i] >= 1 && p->stack[i] < p->n_pages && !seen[p->stack[i]]++);
    g_assert_true (!p->pages[p->stack[i]].refs && !p->pages[p->stack[i]].rows);
  }
  for (guint32 i = p->oldest; i; previous = i, i = p->pages[i].newer, n++) {
    g_assert_true (i < p->n_pages && !seen[i]++ && p->pages[i].older == previous);
    g_assert_true (!p->pages[i].refs && p->pages[i].rows);
  }
  g_assert_true (n == p->n_kept && p->newest == previous);
  for (guint32 i = 1; i < p->n_pages; i++) {
    const Page *q = &p->pages[i];
    g_assert_true (seen[i] || q->refs);
    full += q->rows == p->page_size;
    if (q->rows == p->page_size)
      g_assert_true (g_hash_table_lookup (p->by_content, q) == q);
    else if (q->rows)
      g_assert_true (g_hash_table_lookup (p->by_parent, q) == q);
  }
  g_assert_cmpuint (g_hash_table_size (p->by_content), ==, full);
}
