/* layout/table_solve.c - the inside of a frame: rows and columns become cells and spans.
 *
 * Cells come from the columns the fragments fill; empty places beside a partial rule,
 * and below or above a title in the header, are spans.
 */
#include <math.h>
#include <string.h>

#include "layout/table_board.h"
#include "layout/compare.h"
#include "layout/table_solver.h"

static gboolean
is_full (const DpTableSolver *s, const DpRule *rule)
{
  return rule->to - rule->from >= 0.9f * dp_rect_width (s->frame->box);
}

/* ---- labels that stand between lines ------------------------------------------------------------ */

/* TRUE if line i stands half a line below the one above and above the one below, in columns
 * that both leave empty, and no rule keeps it from either: a title or label centred on two or more rows. */
static gboolean
is_floating (const DpTableSolver *s, guint i)
{
  const DpTableLine *line = dp_solver_line (s, i), *above, *below;
  float em;

  if (i == 0 || i + 1 >= s->text->lines->len)
    return FALSE;
  above = dp_solver_line (s, i - 1);
  below = dp_solver_line (s, i + 1);
  em = MIN (line->size, MIN (above->size, below->size));
  /* two lines of text closer than this are not two rows */
  em = MAX (0.85f * em, 0.66f * s->pitch);
  if (line->baseline - above->baseline > em || below->baseline - line->baseline > em || line->n > above->n || line->n > below->n)
    return FALSE;
  for (guint k = 0; k < line->n; k++) {
    const DpTableFragment *f = dp_solver_fragment (s, line->first + k);
    for (guint c = f->col; c < f->col + f->col_span; c++)
      if (dp_solver_fills (s, i - 1, c) || dp_solver_fills (s, i + 1, c)
          || dp_solver_rule_over (s, above->baseline - 0.3f * above->size, below->baseline - 0.45f * below->size,
                                  &g_array_index (s->columns, DpTableColumn, c)))
        return FALSE;
  }
  return TRUE;
}

/* The usual distance of lines that fill several columns; 0 = there are too few. */
static float
row_pitch (const DpTableSolver *s)
{
  g_autoptr (GArray) gaps = g_array_new (FALSE, FALSE, sizeof (float));
  const DpTableLine *last = NULL;

  for (guint i = 0; i < s->text->lines->len; i++) {
    const DpTableLine *line = dp_solver_line (s, i);
    float gap = last ? line->baseline - last->baseline : 0;
    if (line->n < 2)
      continue;
    if (last)
      g_array_append_val (gaps, gap);
    last = line;
  }
  g_array_sort (gaps, dp_compare_floats);
  return gaps->len >= 3 ? g_array_index (gaps, float, gaps->len / 2) : 0;
}

/* Moves floating lines out of the text's lines; above[] of each is the line it follows. */
static void
pull_floating (DpTableSolver *s)
{
  g_autofree guint8 *floats = g_new0 (guint8, s->text->lines->len + 1);
  guint kept = 0, header = 0;

  s->pitch = row_pitch (s);
  for (guint i = 0; i < s->text->lines->len; i++)
    floats[i] = is_floating (s, i);
  for (guint i = 0; i < s->text->lines->len; i++) {
    DpTableLine line = *dp_solver_line (s, i);
    if (floats[i]) {
      const guint above = kept - 1;
      g_array_append_val (s->floating, line);
      g_array_append_val (s->float_above, above);
      continue;
    }
    header += i < s->n_header ? 1 : 0;
    g_array_index (s->text->lines, DpTableLine, kept++) = line;
  }
  g_array_set_size (s->text->lines, kept);
  s->n_header = header;
}

/* ---- rows to cells --------------------------------------------------------------------------------- */

static DpBoard *
make_board (const DpTableSolver *s)
{
  DpBoard *b = dp_board_new (s->n_rows, s->columns->len);

  for (guint i = 0; i < s->text->lines->len; i++) {
    const DpTableLine *line = dp_solver_line (s, i);
    for (guint k = 0; k < line->n; k++) {
      const DpTableFragment *f = dp_solver_fragment (s, line->first + k);
      dp_board_claim (b, s->row_of[i], f->col, f->col_span);
    }
  }
  return b;
}

/* Floating labels take the places above and below them. */
static void
place_floating (const DpTableSolver *s, DpBoard *b)
{
  for (guint i = 0; i < s->floating->len; i++) {
    const DpTableLine *line = &g_array_index (s->floating, DpTableLine, i);
    const guint before = g_array_index (s->float_above, guint, i), above = s->row_of[before];
    const gboolean between = before + 1 < s->text->lines->len && s->row_of[before + 1] > above;
    for (guint k = 0; k < line->n; k++) {
      const DpTableFragment *f = dp_solver_fragment (s, line->first + k);
      if (between && f->col_span == 1) /* in the middle of one row's lines it is that row's */
        dp_board_merge_down (b, above, f->col);
      dp_board_claim (b, above, f->col, f->col_span);
    }
  }
}

/* The labels of one column between two rows, top to bottom. */
static GArray *
labels_of (const DpTableSolver *s, const DpBoard *b, guint col, guint first, guint last)
{
  GArray *labels = g_array_new (FALSE, FALSE, sizeof (DpBoardLabel));

  for (guint r = first; r <= last; r++) {
    const DpBoardCell *cell = dp_board_cell (b, r, col);
    DpBoardLabel on = { (float) r }, between = { (float) r + 0.5f };
    if (cell->filled && cell->col == col)
      g_array_append_val (labels, on);
    for (guint i = 0; i < s->floating->len; i++) {
      const DpTableLine *line = &g_array_index (s->floating, DpTableLine, i);
      guint above = g_array_index (s->float_above, guint, i);
      for (guint k = 0; k < line->n; k++)
        if (dp_solver_fragment (s, line->first + k)->col == col && s->row_of[above] == r && s->row_of[above + 1] == r + 1)
          g_array_append_val (labels, between);
    }
  }
  return labels;
}

/* Labels centred on several rows, in the leading columns of the body, band by band. */
static void
span_labels (const DpTableSolver *s, DpBoard *b, const GArray *ys, guint header_rows)
{
  float reach = 0.6f * s->text->size;

  for (guint c = 0; c < MIN (b->n_cols - 1, 3u); c++)
    for (guint first = header_rows, r = header_rows; r < b->n_rows; r++) {
      float y = g_array_index (ys, float, r + 1);
      gboolean last = r + 1 == b->n_rows,
               ruled = dp_solver_rule_over (s, y - reach, y + reach, &g_array_index (s->columns, DpTableColumn, c));
      g_autoptr (GArray) labels = NULL;
      if (!last && !ruled)
        continue;
      labels = labels_of (s, b, c, first, r);
      if (labels->len && labels->len <= r - first)
        dp_board_span_labels (b, c, first, r, labels, TRUE);
      first = r + 1;
    }
}

/* TRUE if some line of the row fills the column. */
static gboolean
row_fills (const DpTableSolver *s, guint row, guint col)
{
  for (guint i = 0; i < s->text->lines->len; i++)
    if (s->row_of[i] == row && dp_solver_fills (s, i, col))
      return TRUE;
  return FALSE;
}

/* TRUE if the label that fills a column in one of rows r and r + 1 stands on one line with titles that have
 * others above or below them there: it belongs to that row alone, and not to the middle of both. */
static gboolean
is_level (const DpTableSolver *s, guint r, guint col)
{
  for (guint i = 0; i < s->n_header && i < s->text->lines->len; i++) {
    const DpTableLine *line = dp_solver_line (s, i);
    if (s->row_of[i] < r || s->row_of[i] > r + 1 || !dp_solver_fills (s, i, col))
      continue;
    for (guint k = line->first; k < line->first + line->n; k++)
      if (dp_solver_fragment (s, k)->col != col && row_fills (s, 2 * r + 1 - s->row_of[i], dp_solver_fragment (s, k)->col))
        return TRUE;
  }
  return FALSE;
}

static void
merge_spans (const DpTableSolver *s, DpBoard *b, const GArray *ys, guint header_rows)
{
  for (guint r = 0; r + 1 < b->n_rows; r++) {
    float y = g_array_index (ys, float, r + 1), reach = 0.6f * s->text->size;
    gboolean partial = FALSE;
    for (guint k = 0; k < s->frame->rules->len; k++) {
      const DpRule *rule = &g_array_index (s->frame->rules, DpRule, k);
      if (fabsf (rule->pos - y) < reach && is_full (s, rule)) {
        partial = FALSE;
        break;
      }
      partial = partial || fabsf (rule->pos - y) < reach;
    }
    for (guint c = 0; c < b->n_cols; c++) {
      gboolean in_header = r + 1 < header_rows && !is_level (s, r, c);
      gboolean body_label = partial && !s->frame->statement && c == 0
                            && !dp_solver_rule_over (s, y - reach, y + reach, &g_array_index (s->columns, DpTableColumn, 0));
      if ((in_header && !dp_solver_rule_over (s, y - reach, y + reach, &g_array_index (s->columns, DpTableColumn, c))) || body_label)
        dp_board_merge_down (b, r, c);
    }
  }
}

/* ---- the result --------------------------------------------------------------------------------------- */

static GArray *
row_borders (const DpTableSolver *s)
{
  GArray *ys = g_array_new (FALSE, FALSE, sizeof (float));
  guint n = s->text->lines->len;
  float y = MIN (s->frame->box.y0, dp_solver_line (s, 0)->box.y0);

  g_array_append_val (ys, y);
  for (guint i = 1; i < n; i++) {
    const DpRule *rule = s->row_of[i] != s->row_of[i - 1] ? dp_solver_rule_before (s, i) : NULL;
    const DpTableLine *above = dp_solver_line (s, i - 1), *below = dp_solver_line (s, i);
    if (s->row_of[i] == s->row_of[i - 1])
      continue;
    y = rule ? rule->pos : 0.5f * (above->baseline + 0.2f * above->size + below->baseline - 0.8f * below->size);
    y = MAX (y, g_array_index (ys, float, ys->len - 1));
    g_array_append_val (ys, y);
  }
  y = MAX (s->frame->box.y1, dp_solver_line (s, n - 1)->box.y1);
  g_array_append_val (ys, y);
  return ys;
}

/* Numbers the cells row by row and says for each word which one holds it. */
static void
write_cells (const DpTableSolver *s, const DpBoard *b, DpGrid *grid, guint *owner)
{
  g_autofree guint *number = g_new (guint, b->cells->len + 1);

  memset (number, 0xff, sizeof (guint) * (b->cells->len + 1));
  for (guint p = 0; p < b->n_cols * b->n_rows; p++) {
    guint id = b->place[p];
    const DpBoardCell *cell = &g_array_index (b->cells, DpBoardCell, id);
    if (number[id] == G_MAXUINT) {
      const DpGridCell out = { cell->row, cell->col, cell->row_span, cell->col_span };
      number[id] = grid->cells->len;
      g_array_append_val (grid->cells, out);
    }
  }
  for (guint i = 0; i < s->text->lines->len + s->floating->len; i++) {
    gboolean solid = i < s->text->lines->len;
    const DpTableLine *line = solid ? dp_solver_line (s, i) : &g_array_index (s->floating, DpTableLine, i - s->text->lines->len);
    guint row = s->row_of[solid ? i : g_array_index (s->float_above, guint, i - s->text->lines->len)];
    for (guint k = 0; k < line->n; k++) {
      const DpTableFragment *f = dp_solver_fragment (s, line->first + k);
      for (guint w = f->first; w < f->first + f->n; w++)
        owner[w] = number[dp_board_id (b, row, f->col)];
    }
  }
}

#define MAX_PLACES 100000u /* rows times columns; more is no table a reader could use */

/* Rows and columns are known: the grid with its cells. */
static DpGrid *
finish (const DpTableSolver *s, guint **owner)
{
  DpGrid *grid = dp_grid_new ();
  g_autoptr (DpBoard) board = make_board (s);
  guint header_rows = s->n_header ? s->row_of[s->n_header - 1] + 1 : 0;

  for (guint c = 0; c < s->columns->len; c++)
    g_array_append_val (grid->xs, g_array_index (s->columns, DpTableColumn, c).b0);
  g_array_append_val (grid->xs, g_array_index (s->columns, DpTableColumn, s->columns->len - 1).b1);
  g_array_unref (grid->ys);
  grid->ys = row_borders (s);
  grid->n_header_rows = header_rows < s->n_rows ? header_rows : 0;
  if (!s->frame->statement)
    span_labels (s, board, grid->ys, grid->n_header_rows);
  place_floating (s, board);
  merge_spans (s, board, grid->ys, grid->n_header_rows);
  *owner = g_new0 (guint, s->text->words->len + 1);
  write_cells (s, board, grid, *owner);
  return grid;
}

DpGrid *
dp_frame_solve (const DpTableView *view, const DpFrame *frame, DpTableText *text, guint **owner)
{
  DpTableSolver s = { .view = view, .frame = frame, .text = text };
  g_autoptr (GArray) columns = NULL;
  g_autoptr (GArray) floating = g_array_new (FALSE, FALSE, sizeof (DpTableLine));
  g_autoptr (GArray) float_above = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree guint *row_of = g_new0 (guint, text->lines->len + 1);
  guint soft = 0;

  if (text->lines->len < 2)
    return NULL;
  s.row_of = row_of;
  s.floating = floating;
  s.float_above = float_above;
  s.n_header = frame->statement ? frame->n_header : dp_solver_header_lines (&s);
  /* without a rule the first line is at least free to cross the columns */
  if (!frame->statement && s.n_header == 0 && text->lines->len >= 4)
    soft = 1;
  s.columns = columns = dp_table_find_columns (frame, text, MAX (s.n_header, soft));
  if (columns->len == 0)
    return NULL;
  dp_table_assign_columns (frame, text, columns, MAX (s.n_header, soft));
  if (!frame->statement)
    pull_floating (&s);
  dp_solver_make_rows (&s);
  if (s.n_rows < 2 || (gsize) s.n_rows * columns->len > MAX_PLACES)
    return NULL;
  return finish (&s, owner);
}
