/* layout/table_rtl.c - tables of pages that run right to left: the first column is the rightmost one.
 *
 * The finders work on what lies where, from left to right; here the words of a cell's lines are put in the order in which
 * they are read (line_bidi.c), and columns are counted from the side where reading begins, as HTML does with dir="rtl".
 */
#include "layout/lines.h"
#include "layout/tables.h"

gboolean
dp_table_runs_rtl (const DpTableView *view, const GArray *words)
{
  g_autoptr (GArray) indices = NULL;

  if (!view->rtl)
    return FALSE;
  indices = g_array_sized_new (FALSE, FALSE, sizeof (guint), words->len);
  for (guint i = 0; i < words->len; i++)
    g_array_append_val (indices, g_array_index (words, DpTableWord, i).index);
  return dp_words_run_rtl (view->layout, (const guint *) indices->data, indices->len);
}

void
dp_table_order_line (const DpTableView *view, DpTableText *text, const DpTableLine *line)
{
  const DpTableFragment *head = dp_table_fragment (text, line->first), *tail = dp_table_fragment (text, line->first + line->n - 1);
  const guint first = head->first, n = tail->first + tail->n - head->first;
  g_autofree guint *order = g_new (guint, n);
  g_autoptr (GHashTable) places = NULL;
  g_autofree DpTableWord *words = NULL;

  for (guint i = 0; i < n; i++)
    order[i] = g_array_index (text->words, DpTableWord, first + i).index;
  if (!dp_words_run_rtl (view->layout, order, n))
    return;
  places = g_hash_table_new (NULL, NULL);
  words = g_memdup2 (&g_array_index (text->words, DpTableWord, first), n * sizeof (DpTableWord));
  for (guint i = 0; i < n; i++)
    g_hash_table_insert (places, GUINT_TO_POINTER (order[i]), &words[i]);
  dp_line_order_rtl (view->layout, order, n);
  for (guint i = 0; i < n; i++)
    g_array_index (text->words, DpTableWord, first + i) = *(const DpTableWord *) g_hash_table_lookup (places, GUINT_TO_POINTER (order[i]));
}

static gint
by_place (gconstpointer a, gconstpointer b)
{
  const DpCell *x = *(const DpCell *const *) a, *y = *(const DpCell *const *) b;

  if (x->row != y->row)
    return x->row < y->row ? -1 : 1;
  return x->col < y->col ? -1 : x->col > y->col;
}

void
dp_table_mirror (DpTable *table)
{
  for (guint i = 0; i < table->cells->len; i++) {
    DpCell *cell = g_ptr_array_index (table->cells, i);
    cell->col = table->n_cols - cell->col - cell->col_span;
  }
  g_ptr_array_sort (table->cells, by_place);
}
