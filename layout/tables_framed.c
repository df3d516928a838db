/* layout/tables_framed.c - tables framed by horizontal rules only ("booktabs").
 *
 * Two or more rules that begin and end at the same x hold a table between them if the
 * text there stands in columns.  Bands between neighbouring rules are judged one by
 * one: a caption or running prose in a band ends the table, so that two tables of one
 * width, set one above the other, stay two.  What looks like a frame and is none: the
 * grid lines of a chart, rules above and below a page of prose, boxes around text.
 */
#include <math.h>
#include <stdlib.h>

#include "layout/table_bands.h"
#include "layout/compare.h"

#define MIN_LENGTH 50.0f /* shorter rules stand under sums, not around tables */
#define ENDS 3.0f        /* rules of one frame end within this */
#define MIN_BAND 6.0f
#define DISPLAY 1.12f    /* of the size of the text: from here on type is that of headings */
#define HEAD_ALIGN 0.35f /* em by which a title may miss its column */

/* ---- rules with agreeing ends ----------------------------------------------------------------- */

static int
by_from (gconstpointer a, gconstpointer b)
{
  const DpRule *x = a, *y = b;

  return x->from < y->from ? -1 : x->from > y->from;
}

static int
by_to (gconstpointer a, gconstpointer b)
{
  const DpRule *x = a, *y = b;

  return x->to < y->to ? -1 : x->to > y->to;
}

static int
by_pos (gconstpointer a, gconstpointer b)
{
  const DpRule *x = a, *y = b;

  return x->pos < y->pos ? -1 : x->pos > y->pos;
}

static int
by_length_down (gconstpointer a, gconstpointer b)
{
  const DpRule *x = &g_array_index (*(GArray *const *) a, DpRule, 0), *y = &g_array_index (*(GArray *const *) b, DpRule, 0);
  float p = x->to - x->from, q = y->to - y->from;

  return p > q ? -1 : p < q;
}

/* Long rules, and rows of pieces on one line as one rule: a table may rule each column. */
static GArray *
long_rules (const DpTableView *view)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (DpRule));

  for (guint i = 0; i < view->hrules->len; i++) {
    DpRule run = g_array_index (view->hrules, DpRule, i);
    guint pieces = 1;
    if (run.to - run.from >= MIN_LENGTH)
      g_array_append_val (out, run);
    if (i && run.pos - g_array_index (view->hrules, DpRule, i - 1).pos < 0.6f && run.from > g_array_index (view->hrules, DpRule, i - 1).to)
      continue; /* not the first piece of its row */
    for (guint k = i + 1; k < view->hrules->len; k++, pieces++) {
      const DpRule *next = &g_array_index (view->hrules, DpRule, k);
      if (next->pos - run.pos > 0.6f || next->from - run.to > 20 || next->from < run.to)
        break;
      run.to = next->to;
    }
    if (pieces > 1 && run.to - run.from >= MIN_LENGTH)
      g_array_append_val (out, run);
  }
  return out;
}

static void
add_group (DpRule *rules, guint n, GPtrArray *groups)
{
  GArray *group;

  if (n < 2)
    return;
  qsort (rules, n, sizeof *rules, by_pos);
  group = g_array_new (FALSE, FALSE, sizeof (DpRule));
  for (guint i = 0; i < n; i++)
    if (!group->len || rules[i].pos - g_array_index (group, DpRule, group->len - 1).pos >= MIN_BAND)
      g_array_append_val (group, rules[i]);
  if (group->len >= 2)
    g_ptr_array_add (groups, group);
  else
    g_array_unref (group);
}

/* Groups of rules (GArray of DpRule by pos), widest first. */
static GPtrArray *
group_rules (GArray *rules)
{
  GPtrArray *groups = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);

  g_array_sort (rules, by_from);
  for (guint i = 0; i < rules->len;) {
    DpRule *same = &g_array_index (rules, DpRule, i);
    guint n = 1;
    while (i + n < rules->len && same[n].from - same[n - 1].from <= ENDS && same[n].from - same[0].from <= 2 * ENDS)
      n++;
    qsort (same, n, sizeof *same, by_to);
    for (guint k = 0; k < n;) {
      guint m = 1;
      while (k + m < n && same[k + m].to - same[k + m - 1].to <= ENDS && same[k + m].to - same[k].to <= 2 * ENDS)
        m++;
      add_group (same + k, m, groups);
      k += m;
    }
    i += n;
  }
  g_ptr_array_sort (groups, by_length_down);
  return groups;
}

static DpTableText *
text_inside (const DpTableView *view, DpRect box)
{
  g_autoptr (GArray) words = dp_table_view_words (view, (DpRect){ box.x0 - DP_FRAME_SIDE, box.y0 - 1, box.x1 + DP_FRAME_SIDE, box.y1 + 1 });

  return dp_table_text_new (words);
}

static DpTableText *
text_between (const DpTableView *view, const DpRule *top, const DpRule *bottom)
{
  return text_inside (view, (DpRect){ MIN (top->from, bottom->from), top->pos, MAX (top->to, bottom->to), bottom->pos });
}

/* ---- candidates -------------------------------------------------------------------------------------- */

/* Grid lines of a chart: many, evenly spaced, next to nothing between most of them. */
static gboolean
is_chart_grid (const GArray *group, guint first, guint last, guint lines)
{
  guint n = last - first;
  float mean = (g_array_index (group, DpRule, last).pos - g_array_index (group, DpRule, first).pos) / (float) MAX (n, 1u);
  guint even = 0;

  for (guint i = first; i < last; i++) {
    float gap = g_array_index (group, DpRule, i + 1).pos - g_array_index (group, DpRule, i).pos;
    even += fabsf (gap - mean) < 0.06f * mean + 0.3f ? 1 : 0;
  }
  return n >= 4 && even * 10 >= n * 8 && lines < n;
}

/* Has the frame a caption of a table right above or below? */
static gboolean
has_caption (const DpTableView *view, DpRect box)
{
  const DpRect sides[] = { { box.x0 - 10, box.y0 - 42, box.x1 + 10, box.y0 }, { box.x0 - 10, box.y1, box.x1 + 10, box.y1 + 32 } };

  for (guint s = 0; s < 2; s++) {
    g_autoptr (GArray) words = dp_table_view_words (view, sides[s]);
    g_autoptr (DpTableText) text = dp_table_text_new (words);
    for (guint i = 0; i < text->lines->len; i++)
      if (dp_table_line_is_caption (view, text, &g_array_index (text->lines, DpTableLine, i), TRUE))
        return TRUE;
  }
  return FALSE;
}

/* Rows with two or more filled cells; cells filled at all. */
static void
count_filled (const DpTable *table, guint *rows, guint *cells)
{
  g_autofree guint *in_row = g_new0 (guint, table->n_rows + 1);

  *rows = *cells = 0;
  for (guint i = 0; i < table->cells->len; i++) {
    const DpCell *cell = g_ptr_array_index (table->cells, i);
    if (cell->spans->len) {
      ++*cells;
      in_row[cell->row]++;
    }
  }
  for (guint r = 0; r < table->n_rows; r++)
    *rows += in_row[r] >= 2 ? 1 : 0;
}

/* Short rules inside the box too: they part rows and span groups. */
static GArray *
rules_inside (const DpTableView *view, DpRect box)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (DpRule));

  for (guint i = 0; i < view->hrules->len; i++) {
    const DpRule *r = &g_array_index (view->hrules, DpRule, i);
    if (r->pos >= box.y0 - 1 && r->pos <= box.y1 + 1 && r->from >= box.x0 - DP_FRAME_SIDE && r->to <= box.x1 + DP_FRAME_SIDE)
      g_array_append_val (out, *r);
  }
  return out;
}

/* ---- a head above the first rule ---------------------------------------------------------------------- */

/* The fragment begins, ends or has its middle where a fragment of the lines below has. */
static gboolean
is_over_column (const DpTableText *text, const DpTableFragment *head, float em)
{
  for (guint i = 0; i < text->fragments->len; i++) {
    const DpTableFragment *f = dp_table_fragment (text, i);
    if (fabsf (f->x0 - head->x0) < HEAD_ALIGN * em || fabsf (f->x1 - head->x1) < HEAD_ALIGN * em
        || fabsf (f->x0 + f->x1 - head->x0 - head->x1) < 2 * HEAD_ALIGN * em)
      return TRUE;
  }
  return FALSE;
}

/* The top of a line right above the box that does not leave it and whose pieces stand over its columns; else the box's own. */
static float
top_with_line (const DpTableView *view, DpRect box, const DpTableText *text, float reach)
{
  const float em = MAX (text->size, 1);
  g_autoptr (DpTableText) above = text_inside (view, (DpRect){ box.x0, box.y0 - 2.8f * em, box.x1, box.y0 - 1 });
  const DpTableLine *line = above->lines->len ? dp_table_line (above, above->lines->len - 1) : NULL;
  DpTableBand band;

  if (!line || line->n < 2 || box.y0 - line->baseline > reach * em || fabsf (line->size - text->size) > 0.2f * em
      || dp_table_line_is_caption (view, above, line, FALSE))
    return box.y0;
  band = dp_table_judge_band (view, above, (DpRect){ box.x0, line->box.y0 - 1, box.x1, box.y0 });
  if (band.overrun || band.prose)
    return box.y0;
  for (guint i = 0; i < line->n; i++)
    if (!is_over_column (text, dp_table_fragment (above, line->first + i), em))
      return box.y0;
  return line->box.y0 - 1;
}

/* Where every row has a rule below it and none above, or there is only one rule above the last, the first rule stands below
 * the head, which has two lines at most: the head's top, or the frame's own. */
static float
top_with_head (const DpTableView *view, guint n_bands, DpRect box, const DpTableText *text)
{
  float top;

  if (n_bands > 1 && 2 * n_bands < dp_table_judge_band (view, text, box).multi)
    return box.y0; /* lines of one piece may be what wraps in a cell */
  top = top_with_line (view, box, text, 1.4f);
  return top < box.y0 ? top_with_line (view, (DpRect){ box.x0, top, box.x1, box.y1 }, text, 1.2f) : top;
}

static gboolean
try_frame (DpTableView *view, const GArray *group, guint first, guint last)
{
  const DpRule *top = &g_array_index (group, DpRule, first), *bottom = &g_array_index (group, DpRule, last);
  DpRect box = dp_table_view_grow (view, (DpRect){ MIN (top->from, bottom->from), top->pos, MAX (top->to, bottom->to), bottom->pos });
  g_autoptr (DpTableText) inside = text_inside (view, box);
  const DpRect whole = { box.x0, top_with_head (view, last - first, box, inside), box.x1, box.y1 };
  g_autoptr (DpTableText) text = text_inside (view, whole);
  g_autoptr (GArray) rules = rules_inside (view, whole);
  g_autoptr (GArray) borders = dp_table_view_borders (view, box, 0.5f);
  DpTableBand all = dp_table_judge_band (view, text, whole);
  DpFrame frame = { whole, rules, borders };
  g_autofree guint *owner = NULL;
  g_autoptr (DpGrid) grid = NULL;
  g_autoptr (DpTable) table = NULL;
  guint rows, cells;
  gboolean named;

  if (all.lines < 2 || all.leaders * 2 > all.lines || is_chart_grid (group, first, last, all.lines))
    return FALSE;
  named = has_caption (view, whole);
  if (!named
      && (all.multi < 2 || (all.multi + all.wraps) * 5 < all.lines * 2 || (rules->len <= 2 && dp_table_is_text_columns (view, whole))))
    return FALSE;
  grid = dp_frame_solve (view, &frame, text, &owner);
  if (!grid || (dp_grid_n_cols (grid) < 2 && !(named && dp_grid_n_rows (grid) >= 3)))
    return FALSE;
  if (!named && dp_grid_n_cols (grid) == 2 && dp_grid_n_rows (grid) >= 4 && dp_table_column_grows (view, text, 1) >= dp_grid_n_rows (grid))
    return FALSE; /* titles and page numbers, from the first row on */
  table = dp_table_build (view, grid, text->words, owner);
  count_filled (table, &rows, &cells);
  if (!named && (rows * 2 < table->n_rows || cells * 10 < table->cells->len * 3 || rows < 2 || dp_table_is_list (table)))
    return FALSE;
  dp_table_accept (view, g_steal_pointer (&table), whole, text->words);
  return TRUE;
}

/* The usual distance of lines between the rules of a group, 0 = not known. */
static float
line_pitch (const DpTableView *view, const GArray *group)
{
  g_autoptr (DpTableText) text = text_between (view, &g_array_index (group, DpRule, 0), &g_array_index (group, DpRule, group->len - 1));
  g_autoptr (GArray) gaps = g_array_new (FALSE, FALSE, sizeof (float));

  for (guint i = 1; i < text->lines->len; i++) {
    float gap = dp_table_line (text, i)->baseline - dp_table_line (text, i - 1)->baseline;
    g_array_append_val (gaps, gap);
  }
  g_array_sort (gaps, dp_compare_floats);
  return gaps->len >= 3 ? g_array_index (gaps, float, gaps->len / 2) : 0;
}

/* TRUE if the white above the band's first line or below its last would hold lines of its own: one of the rules belongs to
 * another table. */
static gboolean
has_hole (const DpTableText *text, float top, float bottom, float pitch)
{
  const DpTableLine *first, *last;

  if (!text->lines->len || pitch <= 0)
    return FALSE;
  first = dp_table_line (text, 0);
  last = dp_table_line (text, text->lines->len - 1);
  return first->baseline - 0.8f * first->size - top > 1.8f * MAX (pitch, 1.2f * first->size)
         || bottom - last->baseline > 1.8f * MAX (pitch, 1.2f * last->size);
}

/* Nothing but one line in display type: the heading over the table that begins at the next rule. */
static gboolean
is_heading (const DpTableText *text, float usual)
{
  return text->lines->len == 1 && dp_table_line (text, 0)->n == 1 && dp_table_line (text, 0)->size > DISPLAY * usual;
}

static void
try_group (DpTableView *view, const GArray *group)
{
  float pitch = line_pitch (view, group);
  g_autoptr (DpTableText) all = text_between (view, &g_array_index (group, DpRule, 0), &g_array_index (group, DpRule, group->len - 1));
  guint n = group->len - 1, start = 0;
  g_autofree gboolean *broken = g_new0 (gboolean, n + 1);
  g_autofree guint *lines = g_new0 (guint, n + 1);

  for (guint i = 0; i < n; i++) {
    const DpRule *top = &g_array_index (group, DpRule, i), *bottom = &g_array_index (group, DpRule, i + 1);
    g_autoptr (DpTableText) text = text_between (view, top, bottom);
    DpTableBand band = dp_table_judge_band (view, text, (DpRect){ top->from, top->pos, top->to, bottom->pos });
    broken[i] = dp_table_band_breaks (&band, bottom->pos - top->pos, text->size) || has_hole (text, top->pos, bottom->pos, pitch)
                || is_heading (text, all->size);
    lines[i] = band.lines;
  }
  for (guint i = 0; i <= n; i++) {
    guint last = i;
    if (i < n && !broken[i])
      continue;
    while (start < last && lines[start] == 0)
      start++;
    while (last > start && lines[last - 1] == 0)
      last--;
    if (last > start)
      try_frame (view, group, start, last);
    start = i + 1;
  }
}

static void
find_framed (DpTableView *view)
{
  g_autoptr (GArray) rules = long_rules (view);
  g_autoptr (GPtrArray) groups = group_rules (rules);

  for (guint i = 0; i < groups->len && i < 200; i++)
    try_group (view, g_ptr_array_index (groups, i));
}

void
dp_layout_tables_framed (DpPageLayout *layout)
{
  if (layout->hrules->len >= 2)
    dp_table_views_foreach (layout, find_framed);
}
