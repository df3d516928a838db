/* layout/furniture_repeated.c - running heads and feet by the evidence of the whole document.
 *
 * Rows at the same height of the page whose text is equal once numbers are masked (PdfPig's
 * decoration text filter and opendataloader's HeaderFooterProcessor work so), or whose number
 * counts along with the pages.
 */
#include "layout/furniture.h"
#include "layout/labels.h"
#include "layout/running.h"
#include "layout/spreads.h"

#define SAME_HEIGHT 6.0f /* points */
#define MIN_PAGES 3u     /* a row repeated on so many pages is furniture */
#define LANDSCAPE 1.2f   /* width by height of slides, at least */
#define LARGEST 1.1f     /* times as large as all else on its page */

static int
compare_height (gconstpointer a, gconstpointer b)
{
  const DpFlowRow *x = *(DpFlowRow *const *) a, *y = *(DpFlowRow *const *) b;

  return x->y0 < y->y0 ? -1 : x->y0 > y->y0 ? 1 : x->page < y->page ? -1 : x->page > y->page;
}

/* Rows of equal key: those that stand at one height on enough pages are furniture. */
static void
mark_repeated (GPtrArray *same, guint need)
{
  g_ptr_array_sort (same, compare_height);
  for (guint i = 0, j; i < same->len; i = j) {
    guint pages = 1;
    for (j = i + 1; j < same->len; j++) {
      const DpFlowRow *a = g_ptr_array_index (same, j - 1), *b = g_ptr_array_index (same, j);
      if (b->y0 - a->y0 > SAME_HEIGHT)
        break;
      pages += a->page != b->page ? 1 : 0;
    }
    for (guint k = i; k < j && pages >= need; k++)
      ((DpFlowRow *) g_ptr_array_index (same, k))->furniture = TRUE;
  }
}

static void
add_by_key (GHashTable *table, char *key, DpFlowRow *row)
{
  GPtrArray *rows = g_hash_table_lookup (table, key);

  if (!rows) {
    rows = g_ptr_array_new ();
    g_hash_table_insert (table, key, rows);
  } else
    g_free (key);
  g_ptr_array_add (rows, row);
}

static void
find_repeated (const DpFlow *flow, GPtrArray *rows)
{
  g_autoptr (GHashTable) table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  GHashTableIter iter;
  gpointer same;

  for (guint i = 0; i < rows->len; i++) {
    DpFlowRow *row = g_ptr_array_index (rows, i);
    guint page = dp_spread_leaf (g_array_index (flow->pages, DpFlowPage, row->page).layout);
    guint value = 0;
    add_by_key (table, g_strdup_printf ("%d %s", row->top, row->mask), row);
    /* A number that counts along with the pages: the text beside it may change by chapter. */
    for (guint end = 0; end < 2; end++) {
      if (row->rank < 2 && row->n_chars < 100 && (value = dp_running_folio (row->text, end == 0)) > 0)
        add_by_key (table, g_strdup_printf ("n %d %d", row->top, (int) value - (int) page), row);
    }
    if (dp_label_page_number (row->text, &value))
      add_by_key (table, g_strdup_printf ("n %d %d", row->top, (int) value - (int) page), row);
  }
  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, NULL, &same))
    mark_repeated (same, MIN_PAGES);
}

/* Pages that hold nothing but what repeats (a label on each, a slide with one line) are their own
 * content: where that is so on more than half of the pages, only page numbers are furniture. */
static void
spare_bare_pages (GPtrArray *pages, GPtrArray *outer)
{
  guint written = 0, bare = 0;

  for (guint p = 0; p < pages->len; p++) {
    const GPtrArray *rows = g_ptr_array_index (pages, p);
    gboolean left = FALSE, words = FALSE;
    for (guint k = 0; k < rows->len; k++) {
      const DpFlowRow *row = g_ptr_array_index (rows, k);
      left = left || !row->furniture;
      words = words || (row->furniture && !dp_label_page_number (row->text, NULL));
    }
    written += left || words;
    bare += words && !left;
  }
  for (guint i = 0; i < outer->len && bare * 2 > written; i++) {
    DpFlowRow *row = g_ptr_array_index (outer, i);
    row->furniture = row->furniture && dp_label_page_number (row->text, NULL);
  }
}

/* The only row of its page that is so large. */
static gboolean
is_largest (const DpFlowRow *row, const GPtrArray *rows)
{
  for (guint i = 0; i < rows->len; i++) {
    const DpFlowRow *other = g_ptr_array_index (rows, i);
    if (other != row && !other->object && other->size * LARGEST > row->size)
      return FALSE;
  }
  return rows->len > 1;
}

/* A slide that grows point by point has its title on every step of it; a deck's name, which most slides have, is no title. */
static void
spare_slide_titles (const DpFlow *flow, GPtrArray *pages, GPtrArray *outer)
{
  g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal); /* mask -> rows */

  for (guint i = 0; i < outer->len; i++) {
    const DpFlowRow *row = g_ptr_array_index (outer, i);
    g_hash_table_insert (counts, row->mask, GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (counts, row->mask)) + 1));
  }
  for (guint i = 0; i < outer->len; i++) {
    DpFlowRow *row = g_ptr_array_index (outer, i);
    const DpFlowPage *page = &g_array_index (flow->pages, DpFlowPage, row->page);
    if (row->furniture && row->top && page->width >= LANDSCAPE * page->height
        && 2 * GPOINTER_TO_UINT (g_hash_table_lookup (counts, row->mask)) < pages->len
        && is_largest (row, g_ptr_array_index (pages, row->page)))
      row->furniture = FALSE;
  }
}

void
dp_flow_rows_repeated (const DpFlow *flow, GPtrArray *pages, GPtrArray *outer)
{
  find_repeated (flow, outer);
  spare_slide_titles (flow, pages, outer);
  spare_bare_pages (pages, outer);
  for (guint i = 0; i < outer->len; i++) {
    DpFlowRow *row = g_ptr_array_index (outer, i);
    row->repeated = row->furniture;
  }
}
