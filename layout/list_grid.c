/* layout/list_grid.c - lists that look like tables: labels in one column, sentences in the next.
 *
 * A list set between two rules, or with a wide gap behind its labels, passes for a table of
 * two columns.  What tells is the first column: nothing but bullets, or labels whose values
 * rise by one, beside cells that hold sentences.  Called by the finders that work without a
 * grid of rules; a grid of cells that is drawn stays a table.
 */
#include "layout/labels.h"
#include "layout/tables.h"

#include <string.h>

#define HEAD 16u     /* characters of a first cell from which it cannot name the labels below */
#define SENTENCE 30u /* characters: mean of the cells beside the labels */

/* Reads a cell that holds a label and nothing else. */
static gboolean
cell_label (const DpCell *cell, DpLabel *label)
{
  g_autofree char *text = dp_spans_to_text (cell->spans), *probe = NULL;

  g_strstrip (text);
  probe = g_strconcat (text, " x", NULL); /* a label needs text behind it */
  return dp_label_parse (probe, label) && label->length == strlen (text);
}

typedef struct {
  guint labels, others, follows, cells, chars;
  DpLabel last;
} Column;

static void
count_first (Column *column, const DpCell *cell)
{
  DpLabel label;

  if (!cell_label (cell, &label)) {
    g_autofree char *text = dp_spans_to_text (cell->spans);
    /* A line that ran in from above, such as a running head, is too long to name a column of labels. */
    column->others += cell->row > 0 || g_utf8_strlen (text, -1) < HEAD ? 1 : 0;
    return;
  }
  column->follows += column->labels == 0 || label.kind == DP_LABEL_BULLET
                     || (label.kind == column->last.kind && label.value == column->last.value + 1) || label.value == 1;
  column->labels++;
  column->last = label;
}

/* Points of lists in all columns, under titles or none: lists side by side. */
static gboolean
are_points (const DpTable *table)
{
  g_autofree guint *points = g_new0 (guint, table->n_cols + 1);

  for (guint i = 0; i < table->cells->len; i++) {
    const DpCell *cell = g_ptr_array_index (table->cells, i);
    g_autofree char *text = dp_spans_to_text (cell->spans);
    g_strstrip (text);
    if (dp_label_is_point (text))
      points[MIN (cell->col, table->n_cols)]++;
    else if (cell->row > 0 && text[0])
      return FALSE;
  }
  for (guint c = 0; c < table->n_cols; c++)
    if (points[c] < 2)
      return FALSE;
  return TRUE;
}

gboolean
dp_table_is_list (const DpTable *table)
{
  Column column = { 0 };

  if (are_points (table))
    return TRUE;
  if (table->n_cols != 2)
    return FALSE;
  for (guint i = 0; i < table->cells->len; i++) {
    const DpCell *cell = g_ptr_array_index (table->cells, i);
    g_autofree char *text = NULL;
    if (cell->col_span > 1)
      continue; /* a heading between two parts of the list */
    text = dp_spans_to_text (cell->spans);
    g_strstrip (text);
    if (cell->col == 0 && text[0])
      count_first (&column, cell);
    else if (cell->col == 1) {
      column.cells++;
      column.chars += (guint) g_utf8_strlen (text, -1);
    }
  }
  return column.labels >= 2 && column.others == 0 && column.follows == column.labels && column.chars >= SENTENCE * column.cells;
}
