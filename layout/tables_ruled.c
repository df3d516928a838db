/* layout/tables_ruled.c - tables drawn with rules or cell fills.
 *
 * The grids of table_lattice.c are judged: camelot taught to reject near-empty ones, and to
 * keep a complete grid rather than to cut it by text.  A grid that holds many more lines of
 * data than rows goes to the solver of frames.
 */
#include <math.h>
#include <string.h>

#include "layout/table_lattice.h"

/* ---- judging ----------------------------------------------------------------------------------------- */

static guint
count_words (const DpTable *table, guint *filled, guint *most)
{
  guint words = 0;

  *filled = *most = 0;
  for (guint i = 0; i < table->cells->len; i++) {
    const DpCell *cell = g_ptr_array_index (table->cells, i);
    g_autofree char *text = dp_spans_to_text (cell->spans);
    guint n = 0;
    for (const char *p = text; *p; p++)
      n += (*p != ' ' && *p != '\n') && (p == text || p[-1] == ' ' || p[-1] == '\n') ? 1 : 0;
    words += n;
    *filled += n ? 1 : 0;
    *most = MAX (*most, n);
  }
  return words;
}

/* TRUE if many cells begin in lower case: lines of prose, each with a box. */
static gboolean
reads_on (const DpTable *table)
{
  guint lower = 0;

  for (guint i = 0; i < table->cells->len; i++) {
    const DpCell *cell = g_ptr_array_index (table->cells, i);
    const DpSpan *span = cell->spans->len ? g_ptr_array_index (cell->spans, 0) : NULL;
    lower += span && g_unichar_islower (g_utf8_get_char (span->text)) ? 1 : 0;
  }
  return lower * 4 > table->cells->len;
}

/* TRUE if each row has one number at most and nothing else: the bars of a chart. */
static gboolean
is_bars (const DpTable *table)
{
  guint row = G_MAXUINT;

  for (guint i = 0; i < table->cells->len; i++) {
    const DpCell *cell = g_ptr_array_index (table->cells, i);
    g_autofree char *text = dp_spans_to_text (cell->spans);
    if (!*text)
      continue;
    if (cell->row == row || strspn (text, "0123456789.,%+-") != strlen (text))
      return FALSE;
    row = cell->row;
  }
  return table->n_cols > 1;
}

/* TRUE if a chart stands in the box. */
static gboolean
holds_chart (const DpTableView *view, DpRect box)
{
  const GArray *charts = view->layout->charts;
  const DpRect on_page = dp_table_view_to_page (view, box);

  for (guint i = 0; i < charts->len; i++) {
    const DpRect chart = g_array_index (charts, DpRect, i);
    if (dp_rect_contains_point (on_page, dp_rect_cx (chart), dp_rect_cy (chart)))
      return TRUE;
  }
  return FALSE;
}

/* The guards: what has a grid and is no table. */
static gboolean
is_table (const DpTable *table, gboolean chart)
{
  guint filled, most, words = count_words (table, &filled, &most), n = table->cells->len;

  if (filled < 2 || n < 2 || table->n_rows < 2)
    return FALSE;
  if (filled * 100 < n * (n >= 8 ? 25 : 12))
    return FALSE; /* chart grid, squared paper, empty form */
  if (table->n_cols == 1)
    return table->n_rows >= 3 && filled == table->n_rows && most <= 40 && words <= 14 * table->n_rows && !reads_on (table);
  if (table->n_rows == 2 && table->n_cols == 2 && filled < 3)
    return FALSE;
  if ((most > 180 && (n <= 4 || most * 10 >= words * 9)) || (most > 20 && chart))
    return FALSE; /* panels of a page or poster */
  return !is_bars (table);
}

/* ---- grids that rule only part of the table -------------------------------------------------------------- */

static guint
band_of (const GArray *borders, float x)
{
  guint low = 0, high = borders->len - 1;

  while (high - low > 1) {
    guint mid = (low + high) / 2;
    *(g_array_index (borders, float, mid) <= x ? &low : &high) = mid;
  }
  return low;
}

/* TRUE if the line has an entry of one word, no more, in every column. */
static gboolean
is_row_of_words (const DpTableText *text, const DpTableLine *line, const DpGrid *grid)
{
  for (guint k = 0; k < line->n; k++) {
    const DpTableFragment *f = dp_table_fragment (text, line->first + k);
    if (f->n > 1 || band_of (grid->xs, 0.5f * (f->x0 + f->x1)) != k)
      return FALSE;
  }
  return line->n == dp_grid_n_cols (grid);
}

/* TRUE if some ruled row holds numbers one below the other in one column, or single words in all columns:
 * several rows of data. */
static gboolean
stacks_numbers (const DpTableText *text, const DpGrid *grid)
{
  guint n_cols = dp_grid_n_cols (grid), n_rows = dp_grid_n_rows (grid), stacks = 0;
  g_autofree guint *numbers = g_new0 (guint, n_cols);

  for (guint i = 0, row = 0; row < n_rows && i < text->lines->len; row++) {
    float bottom = g_array_index (grid->ys, float, row + 1);
    guint lines = 0, most = 0, words = 0;
    memset (numbers, 0, sizeof (guint) * n_cols);
    for (; i < text->lines->len && dp_rect_cy (g_array_index (text->lines, DpTableLine, i).box) < bottom; i++, lines++) {
      const DpTableLine *line = &g_array_index (text->lines, DpTableLine, i);
      words += is_row_of_words (text, line, grid) ? 1 : 0;
      for (guint k = 0; k < line->n; k++) {
        const DpTableFragment *f = &g_array_index (text->fragments, DpTableFragment, line->first + k);
        if (dp_table_is_number (text, f)) /* and no label that is numbered */
          numbers[band_of (grid->xs, 0.5f * (f->x0 + f->x1))]++;
      }
    }
    for (guint c = 0; c < n_cols; c++)
      most = MAX (most, numbers[c]);
    stacks += (lines >= 2 && most >= 2 && most * 10 >= lines * 6) || (lines >= 3 && words == lines) ? lines - 1 : 0;
  }
  return stacks >= 2;
}

/* TRUE if the text has more rows or columns than the rules draw. */
static gboolean
is_undersegmented (const DpTableView *view, const DpTableText *text, const DpGrid *grid)
{
  guint full = 0, more = 0, numbers = 0, n = text->fragments->len, n_cols = dp_grid_n_cols (grid), n_rows = dp_grid_n_rows (grid);

  for (guint i = 0; i < text->lines->len; i++) {
    const DpTableLine *line = &g_array_index (text->lines, DpTableLine, i);
    full += line->n >= MAX (2u, (n_cols + 1) / 2) ? 1 : 0;
    more += line->n > n_cols ? 1 : 0;
    for (guint k = 0; k < line->n; k++) {
      DpTableWordCount c = dp_table_count_words (view, text, &g_array_index (text->fragments, DpTableFragment, line->first + k));
      numbers += c.numbers == c.n ? 1 : 0;
    }
  }
  if (n_cols == 1 && n_rows == 1) /* a box: a legend, a callout, seldom a table */
    return full >= 3 && full * 10 >= text->lines->len * 7;
  if (n_cols == 1)
    return full >= 2 && full * 2 >= text->lines->len;
  if (full * 10 < text->lines->len * 6 || full < 3)
    return FALSE;
  if (more * 2 > text->lines->len && numbers * 5 >= n)
    return TRUE;
  if (n_rows <= 3 && full > n_rows + 2)
    return n_cols >= 3 || numbers * 4 >= n;
  return full > n_rows && stacks_numbers (text, grid);
}

static DpGrid *
solve_by_text (const DpTableView *view, const DpRuleComponent *c, const DpGrid *grid, DpTableText *text, guint **owner)
{
  g_autoptr (GArray) borders = dp_table_view_borders (view, c->box, 0.6f);
  DpFrame frame = { c->box, c->h, borders };

  if (!is_undersegmented (view, text, grid))
    return NULL;
  return dp_frame_solve (view, &frame, text, owner);
}

static DpRect
grid_box (const DpGrid *grid)
{
  return (DpRect){ g_array_index (grid->xs, float, 0), g_array_index (grid->ys, float, 0),
                   g_array_index (grid->xs, float, grid->xs->len - 1), g_array_index (grid->ys, float, grid->ys->len - 1) };
}

/* A box without inner rules must be well filled to be a table and no legend. */
static gboolean
is_sparse (const DpTable *table)
{
  guint filled, most;

  count_words (table, &filled, &most);
  return filled * 10 < table->cells->len * 7;
}

/* TRUE if rules or fill sides run along most of the component's left (or right) side. */
static gboolean
side_is_drawn (const DpRuleComponent *c, float x)
{
  float length = 0;

  for (guint i = 0; i < c->v->len; i++) {
    const DpRule *r = &g_array_index (c->v, DpRule, i);
    length += fabsf (r->pos - x) <= DP_LATTICE_TOUCH ? r->to - r->from : 0;
  }
  return length >= 0.6f * dp_rect_height (c->box);
}

static gboolean
runs_through (const DpRuleComponent *c, const DpRule *rule)
{
  return rule->thickness > 0 && rule->from < c->box.x0 + 6 && rule->to > c->box.x1 - 6;
}

/* TRUE if a side is open and  rules run from side to side above and below: a frame of horizontal rules, in which
 * upright ones only part columns.  tables_framed.c reads those. */
static gboolean
is_frame (const DpRuleComponent *c)
{
  const DpRule *head = &g_array_index (c->h, DpRule, 0), *foot = &g_array_index (c->h, DpRule, c->h->len - 1);

  return runs_through (c, head) && runs_through (c, foot) && foot->pos - head->pos > 6
         && !(side_is_drawn (c, c->box.x0) && side_is_drawn (c, c->box.x1));
}

/* TRUE if upright rules are drawn, not only sides of fills. */
static gboolean
has_upright (const DpRuleComponent *c)
{
  for (guint i = 0; i < c->v->len; i++)
    if (g_array_index (c->v, DpRule, i).thickness > 0)
      return TRUE;
  return FALSE;
}

/* Lines of text with two fragments or more. */
static guint
count_rows_of_text (const DpTableText *text)
{
  guint n = 0;

  for (guint i = 0; i < text->lines->len; i++)
    n += dp_table_line (text, i)->n >= 2 ? 1 : 0;
  return n;
}

/* The nearest rule of the component's length above its head or below its foot, or NULL. */
static const DpRule *
next_rule (const DpTableView *view, const DpRuleComponent *c, gboolean below)
{
  const DpRule *found = NULL;

  for (guint i = 0; i < view->hrules->len; i++) {
    const DpRule *r = &g_array_index (view->hrules, DpRule, i);
    if (fabsf (r->from - c->box.x0) > DP_LATTICE_SNAP || fabsf (r->to - c->box.x1) > DP_LATTICE_SNAP)
      continue;
    if (!below && r->pos <= c->box.y0 - 6)
      found = r;
    if (below && r->pos >= c->box.y1 + 6)
      return r;
  }
  return found;
}

/* TRUE if a row of text follows below the component's foot or stands above its head, and a rule of the
 * same length beyond it: only a part of the table's rows has upright rules. */
static gboolean
goes_on (const DpTableView *view, const DpRuleComponent *c, guint n_cols)
{
  for (guint below = 0; below < 2; below++) {
    const DpRule *r = next_rule (view, c, below);
    float near = below ? c->box.y1 : c->box.y0;
    g_autoptr (GArray) words = NULL;
    g_autoptr (DpTableText) text = NULL;
    if (!r)
      continue;
    words = dp_table_view_words (view, (DpRect){ c->box.x0, MIN (near, r->pos), c->box.x1, MAX (near, r->pos) });
    text = dp_table_text_new (words);
    if (text->lines->len) {
      const DpTableLine *line = dp_table_line (text, below ? 0 : text->lines->len - 1);
      if (line->n >= 2 && line->n * 10 >= n_cols * 6 && fabsf (line->baseline - near) < 3 * line->size)
        return TRUE;
    }
  }
  return FALSE;
}

static void
try_component (DpTableView *view, const DpRuleComponent *c, gboolean frames, gboolean nests)
{
  DpRect reach = { c->box.x0 - 1, c->box.y0 - 1, c->box.x1 + 1, c->box.y1 + 1 };
  g_autoptr (GArray) words = dp_table_view_words (view, reach);
  g_autoptr (DpTableText) text = NULL;
  g_autoptr (DpGrid) grid = NULL, solved = NULL;
  g_autofree guint *owner = NULL;
  g_autoptr (DpTable) table = NULL;

  if (words->len < 2)
    return;
  grid = dp_component_grid (c, words);
  if (!grid)
    return;
  text = dp_table_text_new (words);
  if (!frames && is_frame (c)
      && (count_rows_of_text (text) * 4 > dp_grid_n_rows (grid) * 5 || !has_upright (c) || goes_on (view, c, dp_grid_n_cols (grid))))
    return;
  if (!nests)
    solved = solve_by_text (view, c, grid, text, &owner);
  if (solved && dp_grid_n_cols (solved) >= 2)
    table = dp_table_build (view, solved, text->words, owner);
  else
    table = dp_table_build (view, grid, words, NULL);
  if (is_table (table, holds_chart (view, c->box)) && !(grid->cells->len == 1 && is_sparse (table)))
    dp_table_accept (view, g_steal_pointer (&table), grid_box (solved ? solved : grid), words);
}

/* TRUE if another grid lies inside component i: a table in a cell, which its own rules part, not ours. */
static gboolean
holds_grid (const GArray *components, guint i)
{
  DpRect box = g_array_index (components, DpRuleComponent, i).box;

  for (guint k = i + 1; k < components->len && k < DP_MAX_COMPONENTS; k++) {
    const DpRuleComponent *inner = &g_array_index (components, DpRuleComponent, k);
    if (inner->h->len >= 3 && inner->v->len >= 3 && dp_rect_contains_point (box, inner->box.x0, inner->box.y0)
        && dp_rect_contains_point (box, inner->box.x1, inner->box.y1))
      return TRUE;
  }
  return FALSE;
}

static void
find_ruled (DpTableView *view, gboolean frames)
{
  g_autoptr (GArray) components = dp_rule_components (view);
  guint tried = 0;

  for (guint i = 0; i < components->len && tried < DP_MAX_COMPONENTS; i++) {
    const DpRuleComponent *c = &g_array_index (components, DpRuleComponent, i);
    if (c->h->len && c->v->len && c->h->len + c->v->len >= 3 && dp_rect_width (c->box) > 20 && dp_rect_height (c->box) > 10) {
      try_component (view, c, frames, holds_grid (components, i));
      tried++;
    }
  }
}

static void
find_closed (DpTableView *view)
{
  find_ruled (view, FALSE);
}

static void
find_open (DpTableView *view)
{
  find_ruled (view, TRUE);
}

void
dp_layout_tables_ruled (DpPageLayout *layout, gboolean frames)
{
  if (layout->hrules->len + layout->vrules->len + layout->fills->len)
    dp_table_views_foreach (layout, frames ? find_open : find_closed);
}
