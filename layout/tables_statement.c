/* layout/tables_statement.c - financial statements: labels and columns of numbers without a frame.
 *
 * Balance sheets and the notes to them are ruled, if at all, by short lines above and below
 * sums.  What makes the table is its numbers: they end at the same x row after row, so that
 * they can be added up.  This pass runs before the finders that trust rules; a table with a
 * grid of its own or with rules from edge to edge above and below is left to them.
 */
#include <math.h>
#include <string.h>

#include "layout/statement.h"

#define MAX_HEADER 7u    /* lines above the first row */
#define HEADER_GAP 2.6f  /* em: baselines of neighbouring header lines */
#define FIRST_GAP 4.2f   /* em: the last of them and the first row */
#define HEADER_LABELS 6u /* lines of labels between them */
#define MIN_AMOUNTS 0.5f /* share of a single column's numbers that look like amounts */

static const DpNumberRow *
row_at (const DpStatement *s, guint i)
{
  return &g_array_index (s->rows, DpNumberRow, i);
}

/* ---- kinds of numbers ---------------------------------------------------------------------- */

static const char *
word_at (const DpTableView *view, const DpTableText *text, guint i, gsize *len)
{
  const DpTableWord *w = &g_array_index (text->words, DpTableWord, i);

  return dp_word_text (view->layout, &g_array_index (view->layout->words, DpWord, w->index), len);
}

/* TRUE if a word is a year, a date that ends in one, or thousands as a unit ("$'000"). */
static gboolean
is_period (const char *s, gsize len)
{
  gsize digits = 0;
  guint value = 0;

  if (len >= 4 && len <= 10 && memcmp (s + len - 3, "000", 3) == 0 && !g_ascii_isdigit (s[len - 4]) && s[len - 4] != ','
      && s[len - 4] != '.')
    return TRUE;
  while (digits < len && g_ascii_isdigit (s[len - 1 - digits]))
    digits++;
  if (digits != 4)
    return FALSE;
  for (gsize i = len - 4; i < len; i++)
    value = 10 * value + (guint) (s[i] - '0');
  if (value < 1900 || value > 2100)
    return FALSE;
  for (gsize i = 0; i < len - 4; i++)
    if (!g_ascii_isdigit (s[i]) && s[i] != '.' && s[i] != '/' && s[i] != '-')
      return FALSE;
  return TRUE;
}

static gboolean
fragment_is_period (const DpTableView *view, const DpTableText *text, const DpTableFragment *f)
{
  for (guint i = f->first; i < f->first + f->n; i++) {
    gsize len;
    const char *s = word_at (view, text, i, &len);
    if (is_period (s, len))
      return TRUE;
  }
  return FALSE;
}

/* TRUE if a number is written as an amount: with a separator, a bracket, a sign. */
static gboolean
is_amount (const DpTableView *view, const DpTableText *text, const DpTableFragment *f)
{
  guint digits = 0;

  for (guint i = f->first; i < f->first + f->n; i++) {
    const DpTableWord *w = &g_array_index (text->words, DpTableWord, i);
    gsize len;
    const char *s = word_at (view, text, i, &len);
    if (w->sign || w->blank)
      return TRUE;
    for (gsize p = 0; p < len; p++) {
      if ((s[p] == ',' || s[p] == '.' || s[p] == '%') && digits && p + 1 <= len)
        return p + 1 < len || s[p] == '%';
      digits += g_ascii_isdigit (s[p]) ? 1 : 0;
    }
  }
  return digits >= 3;
}

/* ---- judging a run of rows ------------------------------------------------------------------- */

typedef struct {
  guint rows;     /* with an amount */
  guint labelled; /* of them */
  guint full;     /* of them with two amounts or more */
  guint periods;  /* rows of years and dates */
  guint amounts;  /* numbers written as amounts */
  guint numbers;
  guint near; /* rows whose label all but touches the number */
} Facts;

static Facts
gather (const DpStatement *s, const DpTableView *view, const DpTableText *text)
{
  Facts facts = { 0 };

  for (guint i = 0; i < s->rows->len; i++) {
    const DpNumberRow *row = row_at (s, i);
    guint periods = 0;
    for (guint k = 0; k < row->n; k++) {
      const DpTableFragment *f = dp_table_fragment (text, row->first + k);
      periods += fragment_is_period (view, text, f) ? 1 : 0;
      facts.amounts += is_amount (view, text, f) ? 1 : 0;
    }
    facts.numbers += row->n;
    if (periods == row->n) {
      facts.periods++;
      continue;
    }
    facts.rows++;
    facts.full += row->n >= 2 ? 1 : 0;
    if (row->label == DP_STATEMENT_NONE)
      continue;
    facts.labelled++;
    facts.near += dp_table_fragment (text, row->first)->x0 - dp_table_fragment (text, row->label)->x1
                          < 0.9f * dp_table_line (text, row->line)->size
                      ? 1
                      : 0;
  }
  return facts;
}

/* Numbers of one column that count up, as pages, equations and lines do. */
static gboolean
counts_up (const DpStatement *s, const DpTableView *view, const DpTableText *text)
{
  guint n = 0, up = 0;
  gint64 last = -1;

  for (guint i = 0; i < s->rows->len; i++) {
    const DpNumberRow *row = row_at (s, i);
    const DpTableFragment *f = dp_table_fragment (text, row->first + row->n - 1);
    gsize len;
    const char *p = word_at (view, text, f->first, &len);
    gint64 value = 0;
    gsize digits = 0;
    for (gsize k = 0; k < len; k++)
      if (g_ascii_isdigit (p[k]) && ++digits < 9)
        value = 10 * value + (p[k] - '0');
    if (!digits || digits > 4 || f->n > 1)
      continue;
    n++;
    up += value >= last ? 1 : 0;
    last = value;
  }
  return n >= 2 && n * 10 >= s->rows->len * 8 && up * 10 >= n * 9;
}

static gboolean
is_statement (const DpStatement *s, const DpTableView *view, const DpTableText *text)
{
  Facts f = gather (s, view, text);

  if (f.rows == 0 || f.labelled == 0 || f.labelled * 5 < f.rows * 2 || f.near * 2 > f.labelled)
    return FALSE;
  if (s->columns->len == 1)
    return f.labelled >= 3 && f.amounts >= MIN_AMOUNTS * f.numbers && !counts_up (s, view, text);
  /* Numbers of sections on the left and of pages on the right are a table of contents. */
  if ((s->columns->len == 2 && f.amounts * 2 < f.numbers) || (s->columns->len <= 4 && f.rows >= 6))
    if (counts_up (s, view, text))
      return FALSE;
  return f.full >= 2 || (f.full && f.periods);
}

/* TRUE if upright rules, one of them left of the label, cell the row in. */
static gboolean
in_grid (const DpStatement *s, const DpTableView *view, const DpTableLine *line)
{
  float y = line->baseline - 0.3f * line->size, at = -G_MAXFLOAT;
  guint n = 0;
  gboolean left = FALSE;

  for (guint i = 0; i < view->vrules->len; i++) {
    const DpRule *r = &g_array_index (view->vrules, DpRule, i);
    if (r->from > y || r->to < y || r->pos < MIN (s->label_x0, s->x0) - 20 || r->pos > s->x1 + 20)
      continue;
    left = left || r->pos < s->label_x0 + 2;
    n += r->pos - at > 6 ? 1 : 0;
    at = r->pos;
  }
  return n >= 3 && left;
}

/* TRUE if the nearest rules above and below that cover the row, its label included, have the same ends. */
static gboolean
in_frame (const DpTableView *view, const DpTableText *text, const DpNumberRow *row, float top, float bottom)
{
  const DpTableLine *line = dp_table_line (text, row->line);
  float x0 = dp_table_fragment (text, row->label == DP_STATEMENT_NONE ? row->first : row->label)->x0;
  float x1 = dp_table_fragment (text, row->first + row->n - 1)->x1;
  const DpRule *above = NULL, *below = NULL;

  for (guint i = 0; i < view->hrules->len && !below; i++) {
    const DpRule *r = &g_array_index (view->hrules, DpRule, i);
    if (r->pos < top || r->pos > bottom || r->from > x0 + 6 || r->to < x1 - 6)
      continue;
    if (r->pos < line->baseline - 0.5f * line->size)
      above = r;
    else if (r->pos > line->baseline)
      below = r;
  }
  return above && below && fabsf (above->from - below->from) < 4 && fabsf (above->to - below->to) < 4;
}

/* TRUE if rules over the whole width, labels included, frame the rows or grids cell them in:
 * other finders read those. */
static gboolean
is_ruled (const DpStatement *s, const DpTableView *view, const DpTableText *text, guint first_line)
{
  float top = dp_table_line (text, first_line)->box.y0 - 60, bottom = dp_table_line (text, row_at (s, s->rows->len - 1)->line)->box.y1 + 30;
  guint grid = 0, framed = 0, labelled = 0;

  for (guint i = 0; i < s->rows->len; i++) {
    const DpNumberRow *row = row_at (s, i);
    grid += in_grid (s, view, dp_table_line (text, row->line)) ? 1 : 0;
    if (row->label == DP_STATEMENT_NONE)
      continue;
    labelled++;
    framed += in_frame (view, text, row, top, bottom) ? 1 : 0;
  }
  return grid * 10 >= s->rows->len * 6 || framed * 10 >= labelled * 7;
}

/* ---- the header ---------------------------------------------------------------------------------- */

/* What the line has above the numbers: 0 nothing at all, 1 labels only, 2 a title, -1 text that crosses. */
static gint
header_kind (const DpStatement *s, const DpTableView *view, const DpTableText *text, const DpTableLine *line)
{
  float em = line->size, left = MIN (s->label_x0, s->x0);
  gint kind = 0;

  for (guint k = line->first; k < line->first + line->n; k++) {
    const DpTableFragment *f = dp_table_fragment (text, k);
    DpTableWordCount c = dp_table_count_words (view, text, f);
    if (f->x1 < left || f->x0 > s->x1 + em)
      continue;
    if (f->x1 < s->x0 - 0.5f * em || (f->x0 < left + 2 * em && f->x1 < 0.5f * (s->x0 + s->x1) && c.n < 12)) {
      kind = MAX (kind, 1);
      continue;
    }
    if (f->x0 < s->x0 - 6 * em || f->x1 > s->x1 + 4 * em || c.n > 10 || (c.n >= 6 && c.prose * 2 > c.n && f->x0 < s->x0 - em))
      return -1;
    kind = 2;
  }
  return kind;
}

/* TRUE if the line has an amount in the number columns. */
static gboolean
has_amount (const DpStatement *s, const DpTableView *view, const DpTableText *text, const DpTableLine *line)
{
  for (guint k = line->first; k < line->first + line->n; k++) {
    const DpTableFragment *f = dp_table_fragment (text, k);
    if (f->x0 <= s->x1 && f->x1 >= s->x0 && dp_table_is_number (text, f) && is_amount (view, text, f)
        && !fragment_is_period (view, text, f))
      return TRUE;
  }
  return FALSE;
}

/* The first line of the header over the run's first row; widens the run to its titles. */
static guint
find_header (DpStatement *s, const DpTableView *view, const DpTableText *text)
{
  guint top = row_at (s, 0)->line, labels = 0;
  gboolean titles = FALSE, heading = FALSE;
  float base = dp_table_line (text, top)->baseline, row = dp_table_line (text, top)->size;

  for (guint i = top; i-- > 0 && top - i <= MAX_HEADER + labels;) {
    const DpTableLine *line = dp_table_line (text, i);
    gint kind = header_kind (s, view, text, line);
    if (kind == 0)
      continue;
    if (kind < 0 || base - line->baseline > (titles ? HEADER_GAP : FIRST_GAP) * MAX (line->size, text->size)
        || dp_table_line_is_caption (view, text, line, FALSE))
      break;
    base = line->baseline;
    if (kind == 1 && ++labels > HEADER_LABELS)
      break;
    heading = heading || (kind == 1 && line->size > DP_STATEMENT_HEADING * row);
    if (kind == 2 && heading && has_amount (s, view, text, line))
      break; /* the last row of another table, above our heading */
    if (kind == 2) {
      top = i;
      titles = TRUE;
    }
  }
  for (guint i = top; i < row_at (s, 0)->line; i++) {
    const DpTableLine *line = dp_table_line (text, i);
    for (guint k = line->first; k < line->first + line->n; k++) {
      const DpTableFragment *f = dp_table_fragment (text, k);
      if (f->x0 <= s->x1 + line->size && f->x1 > s->x1)
        s->x1 = f->x1;
      if (f->x1 >= s->x0 && f->x0 < s->x0)
        s->x0 = MAX (f->x0, s->label_x0);
    }
  }
  return top;
}

/* How many lines of the table's own text stand above its first row. */
static guint
count_header (const DpStatement *s, const DpTableView *view, const DpTableText *text)
{
  guint n = 0;

  for (; n < text->lines->len && n < MAX_HEADER + 3; n++) {
    const DpTableLine *line = dp_table_line (text, n);
    gboolean title = FALSE;
    for (guint k = line->first; k < line->first + line->n; k++) {
      const DpTableFragment *f = dp_table_fragment (text, k);
      if (f->x1 < s->x0 - 0.5f * line->size)
        continue;
      if (dp_table_is_number (text, f) && !fragment_is_period (view, text, f))
        return n;
      title = TRUE;
    }
    if (!title && n > 0)
      return n;
  }
  return 0;
}

/* ---- the table --------------------------------------------------------------------------------------- */

/* TRUE if the columns after the labels, which may have a column of dates before them, hold numbers, row by row. */
static gboolean
holds_numbers (const DpStatement *s, const DpTableView *view, const DpTableText *text, guint n_header)
{
  const guint last_label = s->dates * 2 > s->rows->len ? 1 : 0;
  guint numbers = 0, others = 0;

  for (guint i = n_header; i < text->lines->len; i++) {
    const DpTableLine *line = dp_table_line (text, i);
    for (guint k = line->first; k < line->first + line->n; k++) {
      const DpTableFragment *f = dp_table_fragment (text, k);
      if (f->col <= last_label)
        continue;
      if (dp_table_is_number (text, f))
        numbers++;
      else if (dp_table_count_words (view, text, f).n > 1 || !fragment_is_period (view, text, f))
        others++;
    }
  }
  return numbers >= 2 * others;
}

/* TRUE if lines stand between lines: labels centred on rows, or two tables side by side. */
static gboolean
interleaves (const DpTableText *text)
{
  guint n = 0;

  for (guint i = 1; i < text->lines->len; i++)
    n += dp_table_line (text, i)->baseline - dp_table_line (text, i - 1)->baseline < 0.7f * text->size ? 1 : 0;
  return n >= 2 && n * 8 >= text->lines->len;
}

/* TRUE if two upright rules stand left of all numbers: the labels have columns of their own. */
static gboolean
parts_labels (const DpTableView *view, const DpTableText *text, DpRect box)
{
  g_autoptr (GArray) borders = dp_table_view_borders (view, box, 0.6f);
  float numbers = box.x1;

  for (guint i = 0; i < text->fragments->len; i++)
    if (dp_table_is_number (text, dp_table_fragment (text, i)))
      numbers = MIN (numbers, dp_table_fragment (text, i)->x0);
  return borders->len >= 2 && g_array_index (borders, float, 1) < numbers + 1;
}

static GArray *
header_rules (const DpTableView *view, DpRect box, float below)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (DpRule));

  for (guint i = 0; i < view->hrules->len; i++) {
    const DpRule *r = &g_array_index (view->hrules, DpRule, i);
    if (r->pos >= box.y0 - 1 && r->pos <= below && r->from >= box.x0 - 6 && r->to <= box.x1 + 6)
      g_array_append_val (out, *r);
  }
  return out;
}

/* Where the text between two lines begins: labels without numbers may stand left of the others. */
static float
left_end (const DpStatement *s, const DpTableText *text, guint first, guint last)
{
  float left = MIN (s->label_x0, s->x0);

  for (guint i = first; i <= last; i++) {
    const DpTableLine *line = dp_table_line (text, i);
    for (guint k = line->first + line->n; k-- > line->first;) {
      const DpTableFragment *f = dp_table_fragment (text, k);
      if (f->x0 < left && f->x1 > left - 0.3f * line->size && f->x0 > left - 8 * line->size && f->x1 < s->x0 + line->size)
        left = f->x0;
    }
  }
  return left;
}

static void
try_statement (DpTableView *view, const DpTableText *page, DpStatement *s)
{
  g_autoptr (GArray) words = NULL, rules = NULL;
  g_autoptr (DpTableText) text = NULL;
  g_autoptr (DpGrid) grid = NULL;
  g_autoptr (DpTable) table = NULL;
  g_autofree guint *owner = NULL;
  DpFrame frame = { .statement = TRUE };
  guint first = find_header (s, view, page), last = row_at (s, s->rows->len - 1)->line;

  frame.box
      = (DpRect){ left_end (s, page, first, last) - 1, dp_table_line (page, first)->box.y0, s->x1 + 1, dp_table_line (page, last)->box.y1 };
  if (is_ruled (s, view, page, first))
    return;
  words = dp_table_view_words (view, frame.box);
  text = dp_table_text_new (words);
  if (text->lines->len < 2 || interleaves (text) || parts_labels (view, text, frame.box))
    return;
  frame.n_header = count_header (s, view, text);
  rules
      = header_rules (view, frame.box, frame.n_header ? dp_table_line (text, frame.n_header)->baseline - 0.5f * text->size : frame.box.y0);
  frame.rules = rules;
  grid = dp_frame_solve (view, &frame, text, &owner);
  if (!grid || dp_grid_n_cols (grid) < 2 || !holds_numbers (s, view, text, frame.n_header))
    return;
  grid->quality = 0.7f;
  table = dp_table_build (view, grid, text->words, owner);
  if (!dp_table_is_list (table))
    dp_table_accept (view, g_steal_pointer (&table), frame.box, text->words);
}

static gint
more_rows_first (gconstpointer a, gconstpointer b)
{
  const DpStatement *x = *(DpStatement *const *) a, *y = *(DpStatement *const *) b;

  return x->rows->len > y->rows->len ? -1 : x->rows->len < y->rows->len;
}

/* TRUE if an earlier table has words of the run. */
static gboolean
is_taken (const DpStatement *s, const DpTableView *view, const DpTableText *text)
{
  for (guint i = 0; i < s->rows->len; i++) {
    const DpTableFragment *f = dp_table_fragment (text, row_at (s, i)->first);
    guint index = g_array_index (text->words, DpTableWord, f->first).index;
    if (g_array_index (view->layout->words, DpWord, index).taken)
      return TRUE;
  }
  return FALSE;
}

static void
find_statements (DpTableView *view)
{
  const DpTableText *text = dp_table_view_text (view);
  g_autoptr (GPtrArray) all = dp_statement_find_rows (view, text);

  g_ptr_array_sort (all, more_rows_first);
  for (guint i = 0; i < all->len; i++) {
    DpStatement *s = g_ptr_array_index (all, i);
    if (s->rows->len >= 2 && is_statement (s, view, text) && !is_taken (s, view, text))
      try_statement (view, text, s);
  }
}

void
dp_layout_tables_statement (DpPageLayout *layout)
{
  dp_table_views_foreach (layout, find_statements);
}
