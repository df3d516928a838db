/* layout/table_board.c - places of a grid merge to cells.
 *
 * A label set in the middle of the rows it belongs to ("multirow") is recognised by
 * arithmetic alone: rows s..e have their middle at (s + e) / 2, so from the first row down
 * every label says where its rows end.  Labels at the top of their rows do not fit and
 * stay where they are.
 */
#include "layout/table_board.h"

#include <math.h>

DpBoard *
dp_board_new (guint n_rows, guint n_cols)
{
  DpBoard *b = g_new0 (DpBoard, 1);

  b->n_rows = n_rows;
  b->n_cols = n_cols;
  b->cells = g_array_new (FALSE, FALSE, sizeof (DpBoardCell));
  b->place = g_new (guint, (gsize) n_cols * n_rows + 1);
  for (guint r = 0; r < n_rows; r++)
    for (guint c = 0; c < n_cols; c++) {
      const DpBoardCell cell = { r, c, 1, 1, FALSE };
      b->place[(gsize) r * n_cols + c] = b->cells->len;
      g_array_append_val (b->cells, cell);
    }
  return b;
}

void
dp_board_free (DpBoard *board)
{
  if (!board)
    return;
  g_array_unref (board->cells);
  g_free (board->place);
  g_free (board);
}

void
dp_board_claim (DpBoard *b, guint row, guint col, guint span)
{
  const DpBoardCell *l = dp_board_cell (b, row, col), *r = dp_board_cell (b, row, col + span - 1);
  guint first = l->col, end = r->col + r->col_span, id = dp_board_id (b, row, first);
  DpBoardCell *cell = &g_array_index (b->cells, DpBoardCell, id);

  if (cell->row_span == 1 && r->row_span == 1) {
    for (guint c = first; c < end; c++)
      b->place[(gsize) row * b->n_cols + c] = id;
    cell->col_span = end - first;
  }
  cell->filled = TRUE;
}

void
dp_board_merge_down (DpBoard *b, guint row, guint col)
{
  DpBoardCell *upper = dp_board_cell (b, row, col), *lower = dp_board_cell (b, row + 1, col);
  guint id = dp_board_id (b, row, col);

  if (upper == lower || upper->col_span != 1 || lower->col_span != 1 || (upper->filled && lower->filled))
    return;
  for (guint r = lower->row; r < lower->row + lower->row_span; r++)
    b->place[(gsize) r * b->n_cols + col] = id;
  upper->row_span += lower->row_span;
  upper->filled = upper->filled || lower->filled;
}

/* ---- labels beside several rows ------------------------------------------------------------- */

/* Ends of the labels' rows, or FALSE if some label is not in the middle. */
static gboolean
part_rows (const float *at, guint n, guint first, guint last, guint *ends)
{
  float start = (float) first;

  for (guint i = 0; i < n; i++) {
    float end = 2 * at[i] - start;
    if (end < start - 0.1f || end > (float) last + 0.1f || fabsf (end - roundf (end)) > 0.1f)
      return FALSE;
    ends[i] = (guint) lroundf (end);
    start = roundf (end) + 1;
  }
  return n > 0 && ends[n - 1] == last;
}

gboolean
dp_board_span_labels (DpBoard *b, guint col, guint first, guint last, const GArray *labels, gboolean whole)
{
  g_autofree float *at = g_new (float, labels->len + 1);
  g_autofree guint *ends = g_new (guint, labels->len + 1);
  guint n = 0, start = first;
  gboolean parted;

  for (guint i = 0; i < labels->len; i++)
    at[n++] = g_array_index (labels, DpBoardLabel, i).at;
  for (guint r = first; r <= last; r++)
    if (dp_board_cell (b, r, col)->col_span != 1)
      return FALSE;
  parted = part_rows (at, n, first, last, ends);
  if (!parted && whole && n > 1) {
    gboolean together = TRUE;
    for (guint i = 1; i < n; i++)
      together = together && at[i] - at[i - 1] <= 1.1f;
    at[0] = 0.5f * (at[0] + at[n - 1]);
    n = 1;
    parted = together && part_rows (at, 1, first, last, ends);
  }
  if (!parted || n > last - first)
    return FALSE;
  for (guint i = 0; i < n; i++) {
    guint id = dp_board_id (b, start, col);
    DpBoardCell *cell = &g_array_index (b->cells, DpBoardCell, id);
    for (guint r = start; r <= ends[i]; r++)
      b->place[(gsize) r * b->n_cols + col] = id;
    cell->row_span = ends[i] - start + 1;
    cell->filled = TRUE;
    start = ends[i] + 1;
  }
  return TRUE;
}
