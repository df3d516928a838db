/* layout/table_solve.c - the inside of a frame: rows, cells, spans.
 *
 * Lines become rows: a rule between two lines always parts them; without rules a line
 * belongs to the row above when it fills few columns and not the first, or when it is
 * set tight and the text above would not have held its first word (a wrapped cell).
 * Cells come from the columns the fragments fill; empty places beside a partial rule,
 * and below or above a title in the header, are spans.
 */
#include <math.h>
#include <string.h>

#include "layout/table_board.h"
#include "layout/tables.h"

typedef struct {
  const DpTableView *view;
  const DpFrame *frame;
  DpTableText *text;
  GArray *columns;
  guint n_header; /* lines above the header's rule */
  guint *row_of;  /* per line */
  guint n_rows;
  GArray *floating;    /* DpTableLine: taken out of text->lines */
  GArray *float_above; /* guint: the line each of them follows */
  float pitch;         /* usual distance of full rows, 0 = not known */
  float tight;         /* baselines closer than this are inside a cell; 0 = the pitch is even */
} Solver;

static const DpTableLine *
line_at (const Solver *s, guint i)
{
  return &g_array_index (s->text->lines, DpTableLine, i);
}

static const DpTableFragment *
fragment_at (const Solver *s, guint i)
{
  return &g_array_index (s->text->fragments, DpTableFragment, i);
}

/* ---- rules between lines ------------------------------------------------------------------- */

static gboolean
is_full (const Solver *s, const DpRule *rule)
{
  return rule->to - rule->from >= 0.9f * dp_rect_width (s->frame->box);
}

/* Where the gap between lines i - 1 and i lies. */
static void
gap_before (const Solver *s, guint i, float *top, float *bottom)
{
  const DpTableLine *above = line_at (s, i - 1), *below = line_at (s, i);
  float middle = 0.5f * (above->baseline + below->baseline - 0.7f * below->size);

  *top = MIN (above->baseline - 0.3f * above->size, middle);
  *bottom = MAX (below->baseline - 0.45f * below->size, middle);
}

/* TRUE if the rules between lines i - 1 and i, taken together, cross the whole table. */
static gboolean
parted_fully (const Solver *s, guint i)
{
  float top, bottom, covered = 0, at = -G_MAXFLOAT;

  gap_before (s, i, &top, &bottom);
  for (guint k = 0; k < s->frame->rules->len; k++) {
    const DpRule *rule = &g_array_index (s->frame->rules, DpRule, k);
    if (rule->pos <= top || rule->pos >= bottom)
      continue;
    if (rule->pos - at > 1)
      covered = 0, at = rule->pos;
    covered += rule->to - rule->from;
    if (covered >= 0.85f * dp_rect_width (s->frame->box))
      return TRUE;
  }
  return FALSE;
}

/* The longest rule between lines i - 1 and i, or NULL. */
static const DpRule *
rule_before (const Solver *s, guint i)
{
  const DpRule *best = NULL;
  float top, bottom;

  gap_before (s, i, &top, &bottom);
  for (guint k = 0; k < s->frame->rules->len; k++) {
    const DpRule *rule = &g_array_index (s->frame->rules, DpRule, k);
    if (rule->pos > top && rule->pos < bottom && (!best || rule->to - rule->from > best->to - best->from))
      best = rule;
  }
  return best;
}

/* TRUE if a rule between rows runs over the column. */
static gboolean
rule_over (const Solver *s, float top, float bottom, const DpTableColumn *column)
{
  for (guint k = 0; k < s->frame->rules->len; k++) {
    const DpRule *rule = &g_array_index (s->frame->rules, DpRule, k);
    float overlap = MIN (rule->to, column->x1) - MAX (rule->from, column->x0);
    if (rule->pos > top && rule->pos < bottom && overlap > 0.5f * (column->x1 - column->x0))
      return TRUE;
  }
  return FALSE;
}

/* Lines above the first full rule, if they can be a header. */
static guint
count_header_lines (const Solver *s)
{
  for (guint i = 1; i < s->text->lines->len && i <= 7; i++) {
    if (parted_fully (s, i))
      return s->text->lines->len - i >= 1 && i <= MAX (3u, s->text->lines->len - i) ? i : 0;
  }
  return 0;
}

/* ---- lines to rows ----------------------------------------------------------------------------- */

static int
by_float (gconstpointer a, gconstpointer b)
{
  float x = *(const float *) a, y = *(const float *) b;

  return x < y ? -1 : x > y;
}

/* Two kinds of baseline distance in the body (inside cells, between rows): where they part. */
static float
find_tight (const Solver *s)
{
  g_autoptr (GArray) gaps = g_array_new (FALSE, FALSE, sizeof (float));
  float best = 1.18f, cut = 0;

  for (guint i = MAX (1u, s->n_header + 1); i < s->text->lines->len; i++) {
    float gap = line_at (s, i)->baseline - line_at (s, i - 1)->baseline;
    g_array_append_val (gaps, gap);
  }
  g_array_sort (gaps, by_float);
  for (guint i = 1; i < gaps->len; i++) {
    float low = g_array_index (gaps, float, i - 1), high = g_array_index (gaps, float, i);
    if (low > 0.75f * s->text->size && low < 1.5f * s->text->size && high / low > best && high < 6 * s->text->size) {
      best = high / low;
      cut = 0.5f * (low + high);
    }
  }
  return cut;
}

static gboolean
fills (const Solver *s, guint line, guint col)
{
  const DpTableLine *l = line_at (s, line);

  for (guint k = 0; k < l->n; k++) {
    const DpTableFragment *f = fragment_at (s, l->first + k);
    if (f->col <= col && col < f->col + f->col_span)
      return TRUE;
  }
  return FALSE;
}

static gboolean
starts_lower (const Solver *s, guint line)
{
  const DpTableFragment *f = fragment_at (s, line_at (s, line)->first);
  const DpWord *w = &g_array_index (s->view->layout->words, DpWord, g_array_index (s->text->words, DpTableWord, f->first).index);
  gsize len;
  const char *p = dp_word_text (s->view->layout, w, &len);

  return len && g_unichar_islower (g_utf8_get_char (p));
}

/* TRUE if a cell of line i goes on from the line above: its first word had no room there. */
static gboolean
wraps (const Solver *s, guint i)
{
  const DpTableLine *above = line_at (s, i - 1), *line = line_at (s, i);
  gboolean wrapped = FALSE;

  for (guint k = 0; k < line->n; k++) {
    const DpTableFragment *f = fragment_at (s, line->first + k);
    const DpTableColumn *last = &g_array_index (s->columns, DpTableColumn, f->col + f->col_span - 1);
    float word = dp_rect_width (g_array_index (s->text->words, DpTableWord, f->first).box);
    for (guint m = 0; m < above->n; m++) {
      const DpTableFragment *g = fragment_at (s, above->first + m);
      if (g->col != f->col)
        continue;
      DpTableWordCount a = dp_table_count_words (s->view, s->text, g), b = dp_table_count_words (s->view, s->text, f);
      if (a.numbers == a.n && b.numbers == b.n)
        return FALSE; /* number under number: two rows */
      if (a.chars >= 6 && a.numbers < a.n && g->x1 + 0.3f * line->size + word > last->x1 - 0.5f * line->size)
        wrapped = TRUE;
    }
  }
  return wrapped;
}

/* TRUE if some column has a number on line i and on the line before: two rows of data. */
static gboolean
stacks_numbers (const Solver *s, guint i)
{
  const DpTableLine *above = line_at (s, i - 1), *line = line_at (s, i);

  for (guint k = 0; k < line->n; k++)
    for (guint m = 0; m < above->n; m++) {
      const DpTableFragment *f = fragment_at (s, line->first + k), *g = fragment_at (s, above->first + m);
      if (f->col == g->col && g_array_index (s->text->words, DpTableWord, f->first).number
          && g_array_index (s->text->words, DpTableWord, g->first).number)
        return TRUE;
    }
  return FALSE;
}

/* A band between two full rules that no more than one line fills: rules part the rows. */
static gboolean
rules_part_rows (const Solver *s)
{
  guint bands = 0, single = 0, filled = 0;

  for (guint i = s->n_header; i <= s->text->lines->len; i++) {
    if (i > s->n_header && (i == s->text->lines->len || parted_fully (s, i))) {
      bands++;
      single += filled <= 1 ? 1 : 0;
      filled = 0;
    }
    if (i < s->text->lines->len)
      filled += line_at (s, i)->n * 2 > s->columns->len && (fills (s, i, 0) || (i > s->n_header && stacks_numbers (s, i))) ? 1 : 0;
  }
  return bands >= 3 && single * 5 >= bands * 4;
}

/* TRUE if a line of the header starts a row of its own below line i - 1: the titles above span. */
static gboolean
header_steps (const Solver *s, guint i)
{
  const DpTableLine *above = line_at (s, i - 1), *line = line_at (s, i);

  if (line->n <= 1)
    return FALSE;
  for (guint k = 0; k < above->n; k++) {
    const DpTableFragment *f = fragment_at (s, above->first + k);
    guint under = 0;
    for (guint m = 0; m < line->n; m++) {
      const DpTableFragment *g = fragment_at (s, line->first + m);
      under += g->col >= f->col && g->col < f->col + f->col_span ? 1 : 0;
    }
    if (f->col_span > 1 && under > 1)
      return TRUE;
  }
  return FALSE;
}

/* TRUE if a line fills the table with short entries: a row, however tight it is set. */
static gboolean
is_whole_row (const Solver *s, guint i)
{
  const DpTableLine *line = line_at (s, i);
  guint words = 0;

  for (guint k = 0; k < line->n; k++)
    words += fragment_at (s, line->first + k)->n;
  return line->n >= 3 && line->n * 4 >= s->columns->len * 3 && fills (s, i, 0) && line->n >= line_at (s, i - 1)->n && words <= 2 * line->n;
}

/* TRUE if line i of the body belongs to the row above it. */
static gboolean
continues (const Solver *s, guint i)
{
  const DpTableLine *above = line_at (s, i - 1), *line = line_at (s, i);
  float gap = line->baseline - above->baseline;
  gboolean tight = s->tight > 0 && gap < s->tight, first = fills (s, i, 0);

  if (gap < 0.75f * MIN (line->size, above->size))
    return TRUE;
  if (s->columns->len == 1)
    return tight && wraps (s, i);
  if (s->tight > 0 && gap > s->tight * 1.02f)
    return FALSE;
  if (is_whole_row (s, i))
    return FALSE;
  if (tight && wraps (s, i))
    return TRUE;
  if (!first && line->n * 2 <= s->columns->len && (line->n == 1 || line->n < above->n))
    return wraps (s, i) || tight || starts_lower (s, i);
  if (first && starts_lower (s, i) && (line->n == 1 || above->n == 1))
    return fills (s, i - 1, 0) && wraps (s, i);
  return FALSE;
}

static void
make_rows (Solver *s)
{
  gboolean banded = rules_part_rows (s);

  s->tight = find_tight (s);
  for (guint i = 1; i < s->text->lines->len; i++) {
    const DpRule *rule = rule_before (s, i);
    gboolean same;
    if (rule)
      same = FALSE;
    else if (i < s->n_header)
      same = !header_steps (s, i);
    else
      same = banded || continues (s, i);
    s->row_of[i] = s->row_of[i - 1] + (same ? 0 : 1);
  }
  s->n_rows = s->text->lines->len ? s->row_of[s->text->lines->len - 1] + 1 : 0;
}

/* ---- labels that stand between lines ------------------------------------------------------------ */

/* TRUE if line i stands half a line below the one above and above the one below, in columns
 * that both leave empty: a title or label centred on two or more rows. */
static gboolean
is_floating (const Solver *s, guint i)
{
  const DpTableLine *line = line_at (s, i), *above, *below;
  float em;

  if (i == 0 || i + 1 >= s->text->lines->len)
    return FALSE;
  above = line_at (s, i - 1);
  below = line_at (s, i + 1);
  em = MIN (line->size, MIN (above->size, below->size));
  /* two lines of text closer than this are not two rows */
  em = MAX (0.85f * em, 0.66f * s->pitch);
  if (line->baseline - above->baseline > em || below->baseline - line->baseline > em || line->n > above->n || line->n > below->n)
    return FALSE;
  for (guint k = 0; k < line->n; k++) {
    const DpTableFragment *f = fragment_at (s, line->first + k);
    for (guint c = f->col; c < f->col + f->col_span; c++)
      if (fills (s, i - 1, c) || fills (s, i + 1, c))
        return FALSE;
  }
  return TRUE;
}

/* The usual distance of lines that fill several columns; 0 = there are too few. */
static float
row_pitch (const Solver *s)
{
  g_autoptr (GArray) gaps = g_array_new (FALSE, FALSE, sizeof (float));
  const DpTableLine *last = NULL;

  for (guint i = 0; i < s->text->lines->len; i++) {
    const DpTableLine *line = line_at (s, i);
    float gap = last ? line->baseline - last->baseline : 0;
    if (line->n < 2)
      continue;
    if (last)
      g_array_append_val (gaps, gap);
    last = line;
  }
  g_array_sort (gaps, by_float);
  return gaps->len >= 3 ? g_array_index (gaps, float, gaps->len / 2) : 0;
}

/* Moves floating lines out of the text's lines; above[] of each is the line it follows. */
static void
pull_floating (Solver *s)
{
  g_autofree guint8 *floats = g_new0 (guint8, s->text->lines->len + 1);
  guint kept = 0, header = 0;

  s->pitch = row_pitch (s);
  for (guint i = 0; i < s->text->lines->len; i++)
    floats[i] = is_floating (s, i);
  for (guint i = 0; i < s->text->lines->len; i++) {
    DpTableLine line = *line_at (s, i);
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
make_board (const Solver *s)
{
  DpBoard *b = dp_board_new (s->n_rows, s->columns->len);

  for (guint i = 0; i < s->text->lines->len; i++) {
    const DpTableLine *line = line_at (s, i);
    for (guint k = 0; k < line->n; k++) {
      const DpTableFragment *f = fragment_at (s, line->first + k);
      dp_board_claim (b, s->row_of[i], f->col, f->col_span);
    }
  }
  return b;
}

/* Floating labels take the places above and below them. */
static void
place_floating (const Solver *s, DpBoard *b)
{
  for (guint i = 0; i < s->floating->len; i++) {
    const DpTableLine *line = &g_array_index (s->floating, DpTableLine, i);
    guint above = s->row_of[g_array_index (s->float_above, guint, i)];
    for (guint k = 0; k < line->n; k++) {
      const DpTableFragment *f = fragment_at (s, line->first + k);
      if (above + 1 < b->n_rows && f->col_span == 1)
        dp_board_merge_down (b, above, f->col);
      dp_board_claim (b, above, f->col, f->col_span);
    }
  }
}

/* The labels of one column between two rows, top to bottom. */
static GArray *
labels_of (const Solver *s, const DpBoard *b, guint col, guint first, guint last)
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
        if (fragment_at (s, line->first + k)->col == col && s->row_of[above] == r && s->row_of[above + 1] == r + 1)
          g_array_append_val (labels, between);
    }
  }
  return labels;
}

/* Labels centred on several rows, in the leading columns of the body, band by band. */
static void
span_labels (const Solver *s, DpBoard *b, const GArray *ys, guint header_rows)
{
  float reach = 0.6f * s->text->size;

  for (guint c = 0; c < MIN (b->n_cols - 1, 3u); c++)
    for (guint first = header_rows, r = header_rows; r < b->n_rows; r++) {
      float y = g_array_index (ys, float, r + 1);
      gboolean last = r + 1 == b->n_rows, ruled = rule_over (s, y - reach, y + reach, &g_array_index (s->columns, DpTableColumn, c));
      g_autoptr (GArray) labels = NULL;
      if (!last && !ruled)
        continue;
      labels = labels_of (s, b, c, first, r);
      if (labels->len && labels->len <= r - first)
        dp_board_span_labels (b, c, first, r, labels, TRUE);
      first = r + 1;
    }
}

static void
merge_spans (const Solver *s, DpBoard *b, const GArray *ys, guint header_rows)
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
      gboolean in_header = r + 1 < header_rows;
      gboolean body_label = partial && c == 0 && !rule_over (s, y - reach, y + reach, &g_array_index (s->columns, DpTableColumn, 0));
      if ((in_header && !rule_over (s, y - reach, y + reach, &g_array_index (s->columns, DpTableColumn, c))) || body_label)
        dp_board_merge_down (b, r, c);
    }
  }
}

/* ---- the result --------------------------------------------------------------------------------------- */

static GArray *
row_borders (const Solver *s)
{
  GArray *ys = g_array_new (FALSE, FALSE, sizeof (float));
  guint n = s->text->lines->len;
  float y = MIN (s->frame->box.y0, line_at (s, 0)->box.y0);

  g_array_append_val (ys, y);
  for (guint i = 1; i < n; i++) {
    const DpRule *rule = s->row_of[i] != s->row_of[i - 1] ? rule_before (s, i) : NULL;
    const DpTableLine *above = line_at (s, i - 1), *below = line_at (s, i);
    if (s->row_of[i] == s->row_of[i - 1])
      continue;
    y = rule ? rule->pos : 0.5f * (above->baseline + 0.2f * above->size + below->baseline - 0.8f * below->size);
    y = MAX (y, g_array_index (ys, float, ys->len - 1));
    g_array_append_val (ys, y);
  }
  y = MAX (s->frame->box.y1, line_at (s, n - 1)->box.y1);
  g_array_append_val (ys, y);
  return ys;
}

/* Numbers the cells row by row and says for each word which one holds it. */
static void
write_cells (const Solver *s, const DpBoard *b, DpGrid *grid, guint *owner)
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
    const DpTableLine *line = solid ? line_at (s, i) : &g_array_index (s->floating, DpTableLine, i - s->text->lines->len);
    guint row = s->row_of[solid ? i : g_array_index (s->float_above, guint, i - s->text->lines->len)];
    for (guint k = 0; k < line->n; k++) {
      const DpTableFragment *f = fragment_at (s, line->first + k);
      for (guint w = f->first; w < f->first + f->n; w++)
        owner[w] = number[dp_board_id (b, row, f->col)];
    }
  }
}

#define MAX_PLACES 100000u /* rows times columns; more is no table a reader could use */

/* Rows and columns are known: the grid with its cells. */
static DpGrid *
finish (const Solver *s, guint **owner)
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
  Solver s = { .view = view, .frame = frame, .text = text };
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
  s.n_header = count_header_lines (&s);
  /* without a rule the first line is at least free to cross the columns */
  if (s.n_header == 0 && text->lines->len >= 4)
    soft = 1;
  s.columns = columns = dp_table_find_columns (frame, text, MAX (s.n_header, soft));
  if (columns->len == 0)
    return NULL;
  dp_table_assign_columns (frame, text, columns, MAX (s.n_header, soft));
  pull_floating (&s);
  make_rows (&s);
  if (s.n_rows < 2 || (gsize) s.n_rows * columns->len > MAX_PLACES)
    return NULL;
  return finish (&s, owner);
}
