/* layout/tables_aligned.c - tables without rules, or with upright ones only: aligned columns, and only clear ones.
 *
 * Such tables are rare (5 of 156 regions in ICDAR-2013) and much that is not a table looks
 * like one: columns of prose, contents pages, author blocks, indexes, references.  So
 * numbers must stand in the columns and edges must agree, unless a caption says "Table".
 * Text edges shared by many rows are Nurminen's and camelot's idea; the guards follow
 * pdf-inspector and edgeparse.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layout/tables.h"
#include "layout/compare.h"

/* Part of a line that could be a row: fragments side by side, none of them prose, but the last may have prose beside it. */
typedef struct {
  float x0, x1;
  float last;     /* where the last fragment begins */
  float t0, t1;   /* prose right of it, or alone on the line; 0 = none */
  guint n;        /* fragments without it */
  guint numbers;  /* of them numbers only */
  gboolean prose; /* the line holds running text before that */
} Span;

/* ---- lines that could be rows ------------------------------------------------------------------ */

static gboolean
is_prose (DpTableWordCount c)
{
  return c.n >= 4 && c.prose * 2 > c.n && c.numbers * 3 < c.n;
}

#define LOOSE 1.1f /* em: blanks of a justified line are hardly wider */

/* TRUE if the line's fragments are words of justified text in a narrow column, with blanks as wide as gutters between them. */
static gboolean
is_loose (const DpTableView *view, const DpTableText *text, const DpTableLine *line)
{
  guint narrow = 0, words = 0, prose = 0;

  for (guint k = 0; k < line->n; k++) {
    const DpTableFragment *f = dp_table_fragment (text, line->first + k);
    const DpTableWordCount c = dp_table_count_words (view, text, f);
    words += c.n;
    prose += c.prose;
    narrow += k && f->x0 - f[-1].x1 < LOOSE * line->size ? 1 : 0;
  }
  return line->n >= 5 && narrow * 10 >= (line->n - 1) * 8 && prose * 2 > words;
}

static Span
widest_span (const DpTableView *view, const DpTableText *text, const DpTableLine *line)
{
  Span best = { 0 }, run = { 0 };

  if (is_loose (view, text, line)) {
    best.prose = TRUE;
    return best;
  }
  for (guint k = 0; k < line->n; k++) {
    const DpTableFragment *f = &g_array_index (text->fragments, DpTableFragment, line->first + k);
    DpTableWordCount c = dp_table_count_words (view, text, f);
    if (is_prose (c)) {
      if (line->n == 1 || (run.n >= 2 && run.n == best.n && best.t1 <= 0)) {
        best.t0 = f->x0;
        best.t1 = f->x1;
      } else
        best.prose = TRUE;
      run = (Span){ 0 };
      continue;
    }
    if (run.n == 0)
      run.x0 = f->x0;
    run.x1 = f->x1;
    run.last = f->x0;
    run.n++;
    run.numbers += c.numbers == c.n ? 1 : 0;
    if (run.n > best.n) {
      run.prose = best.prose;
      best = run;
    }
  }
  return best;
}

static gboolean
overlap_enough (const Span *a, const Span *b)
{
  float overlap = MIN (a->x1, b->x1) - MAX (a->x0, b->x0);

  return overlap > 0.6f * MIN (a->x1 - a->x0, b->x1 - b->x0);
}

#define AT 0.5f      /* em: texts of one column begin within this */
#define MAX_WRAPS 8u /* lines of prose in a row that one cell may have */

/* TRUE if the line is prose alone that begins where the last column of the row before does: a cell of several lines. */
static gboolean
wraps (const Span *row, const Span *line, float em)
{
  const float at = row->t1 > 0 ? row->t0 : row->last;

  return line->n == 0 && line->t1 > 0 && at > row->x0 && fabsf (line->t0 - at) < AT * em;
}

/* Takes prose in that stands in the run's last column, or makes one: it begins left of the run's end or, row by row, at one x. */
static void
widen (const Span *spans, guint first, guint last, float em, Span *span)
{
  g_autoptr (GArray) starts = g_array_new (FALSE, FALSE, sizeof (float));
  float end = span->x1, column = G_MAXFLOAT;
  guint rows = 0, near = 0;

  for (guint i = first; i <= last; i++) {
    rows += spans[i].n >= 2 ? 1 : 0;
    if (spans[i].n >= 2 && spans[i].t1 > 0)
      g_array_append_val (starts, spans[i].t0);
  }
  if (starts->len == 0)
    return;
  g_array_sort (starts, dp_compare_floats);
  column = g_array_index (starts, float, starts->len / 2);
  for (guint i = 0; i < starts->len; i++)
    near += fabsf (g_array_index (starts, float, i) - column) < AT * em ? 1 : 0;
  for (guint i = first; i <= last; i++) /* rows whose text there is short count too */
    near += spans[i].n >= 3 && spans[i].t1 <= 0 && fabsf (spans[i].last - column) < AT * em ? 1 : 0;
  for (guint i = first; i <= last; i++)
    if (spans[i].t1 > 0 && (spans[i].t0 < end || near * 10 >= rows * 8))
      span->x1 = MAX (span->x1, spans[i].t1);
}

/* TRUE if the line stands beside the run: in a column of text that has heights of its own. */
static gboolean
is_beside (const DpTableLine *line, const Span *span)
{
  return line->box.x0 > span->x1 + line->size || line->box.x1 < span->x0 - line->size;
}

/* The last line of the run of rows that begins at line i; the run's width goes to span. */
static guint
run_end (const DpTableText *text, const Span *spans, guint i, Span *span)
{
  const DpTableLine *above = dp_table_line (text, i);
  guint last = i, row = i, lonely = 0;

  *span = spans[i];
  for (guint k = i + 1; k < text->lines->len; k++) {
    const DpTableLine *line = dp_table_line (text, k);
    if (line->baseline - above->baseline > 2.8f * MAX (line->size, above->size))
      break;
    if (is_beside (line, span))
      continue;
    above = line;
    if (spans[k].n >= 2 && overlap_enough (span, &spans[k])) {
      span->x0 = MIN (span->x0, spans[k].x0);
      span->x1 = MAX (span->x1, spans[k].x1);
      span->n = MAX (span->n, spans[k].n);
      last = row = k;
      lonely = 0;
    } else if (wraps (&spans[row], &spans[k], line->size) && k - row <= MAX_WRAPS)
      last = k;
    else if (spans[k].prose || spans[k].n == 0 || ++lonely > 2)
      break;
  }
  widen (spans, i, last, text->size, span);
  return last;
}

/* ---- judging a solved candidate ------------------------------------------------------------------- */

/* Share of values within reach of their median. */
static float
agreement (GArray *values, float reach)
{
  guint near = 0;
  float median;

  g_array_sort (values, dp_compare_floats);
  median = g_array_index (values, float, values->len / 2);
  for (guint i = 0; i < values->len; i++)
    near += fabsf (g_array_index (values, float, i) - median) <= reach ? 1 : 0;
  return (float) near / (float) values->len;
}

typedef struct {
  guint rows;       /* lines with two or more fragments */
  guint fragments;  /* in columns after the first */
  guint numbers;    /* of them numbers */
  guint words;      /* all words */
  float worst;      /* the least aligned column's share of agreeing edges */
  gboolean titled;  /* the first line has titles over two columns or more, no numbers */
  gboolean counted; /* the last column is a series of growing whole numbers: page numbers */
} Facts;

static Facts
gather_facts (const DpTableView *view, const DpTableText *text, guint n_cols)
{
  Facts facts = { .worst = 1 };

  for (guint i = 0; i < text->lines->len; i++)
    facts.rows += g_array_index (text->lines, DpTableLine, i).n >= 2 ? 1 : 0;
  for (guint c = 0; c < n_cols; c++) {
    GArray *edges[3];
    float best = 0;
    for (guint e = 0; e < 3; e++)
      edges[e] = g_array_new (FALSE, FALSE, sizeof (float));
    for (guint i = 0; i < text->fragments->len; i++) {
      const DpTableFragment *f = &g_array_index (text->fragments, DpTableFragment, i);
      const float at[3] = { f->x0, f->x1, 0.5f * (f->x0 + f->x1) };
      DpTableWordCount count;
      if (f->col != c || f->col_span != 1)
        continue;
      count = dp_table_count_words (view, text, f);
      facts.words += count.n;
      facts.fragments += c ? 1 : 0;
      facts.numbers += c && dp_table_is_number (text, f) ? 1 : 0;
      for (guint e = 0; e < 3; e++)
        g_array_append_val (edges[e], at[e]);
    }
    for (guint e = 0; e < 3 && edges[0]->len; e++)
      best = MAX (best, agreement (edges[e], 0.45f * text->size));
    facts.worst = MIN (facts.worst, best);
    for (guint e = 0; e < 3; e++)
      g_array_unref (edges[e]);
  }
  facts.titled = dp_table_line (text, 0)->n >= 2;
  for (guint k = 0; k < dp_table_line (text, 0)->n; k++)
    facts.titled = facts.titled && !dp_table_is_number (text, dp_table_fragment (text, dp_table_line (text, 0)->first + k));
  facts.counted = dp_table_column_grows (view, text, n_cols - 1) > 0;
  return facts;
}

static gboolean
is_clear (const Facts *facts, const DpGrid *grid, const DpTableText *text, gboolean named, gboolean headed)
{
  guint n_cols = dp_grid_n_cols (grid), n_rows = dp_grid_n_rows (grid), n_lines = text->lines->len;

  if (n_rows < 3 || facts->rows < 3 || facts->rows * 10 < n_lines * 6 || facts->words > 14 * text->fragments->len)
    return FALSE;
  if (named)
    return n_cols >= 2 && facts->worst >= 0.6f;
  if (facts->counted && facts->numbers * 10 < facts->fragments * 9)
    return FALSE; /* numbers, titles and pages: contents */
  if (headed && n_rows >= 4 && n_cols >= 3 && facts->worst >= 0.8f)
    return TRUE;
  if (n_cols == 2 && facts->titled && !facts->counted && facts->rows == n_lines && facts->numbers + 1 == facts->fragments)
    return facts->worst >= 0.8f; /* two titles, labels and their numbers: three rows will do */
  if (n_cols == 2)
    return n_rows >= 4 && facts->worst >= 0.8f && facts->numbers * 10 >= facts->fragments * 9 && !facts->counted
           && facts->rows * 10 >= n_lines * 9;
  return facts->worst >= 0.6f && facts->numbers * 100 >= facts->fragments * 45 && facts->fragments * 10 >= facts->rows * (n_cols - 1) * 6;
}

static gboolean
captioned (const DpTableView *view, DpRect box)
{
  const DpRect above = { box.x0 - 20, box.y0 - 36, box.x1 + 20, box.y0 - 0.5f };
  g_autoptr (GArray) words = dp_table_view_words (view, above);
  g_autoptr (DpTableText) text = dp_table_text_new (words);

  for (guint i = 0; i < text->lines->len; i++)
    if (dp_table_line_is_caption (view, text, &g_array_index (text->lines, DpTableLine, i), TRUE))
      return TRUE;
  return FALSE;
}

/* TRUE if the first line is bold, with a title for each column but the first perhaps, and hardly anything below is: the head
 * of a table, or names of authors with their addresses, which have at signs. */
static gboolean
has_bold_head (const DpTableView *view, const DpTableText *text, guint n_cols)
{
  const DpTableLine *head = dp_table_line (text, 0);
  guint end = dp_table_fragment (text, head->first + head->n - 1)->first + dp_table_fragment (text, head->first + head->n - 1)->n;
  guint bold = 0;

  if (head->n + 1 < n_cols || head->n < 2)
    return FALSE;
  for (guint i = 0; i < text->words->len; i++) {
    const DpWord *word = &g_array_index (view->layout->words, DpWord, g_array_index (text->words, DpTableWord, i).index);
    gsize len;
    const char *s = dp_word_text (view->layout, word, &len);
    const gboolean is_bold = (word->style & DP_SPAN_BOLD) != 0;
    if ((i < end && !is_bold) || memchr (s, '@', len))
      return FALSE;
    bold += i >= end && is_bold ? 1 : 0;
  }
  return bold * 5 <= text->words->len - end;
}

/* TRUE if upright rules part the columns, each from the next or all but one. */
static gboolean
is_parted (const Facts *facts, const DpGrid *grid, const GArray *borders)
{
  guint n_cols = dp_grid_n_cols (grid);

  return borders->len > 0 && n_cols > borders->len && n_cols <= borders->len + 2
         && (borders->len >= 2 || facts->numbers * 10 >= facts->fragments * 3);
}

static gboolean
try_run (DpTableView *view, DpRect box)
{
  g_autoptr (GArray) words = dp_table_view_words (view, box);
  g_autoptr (GArray) none = g_array_new (FALSE, FALSE, sizeof (DpRule));
  g_autoptr (DpTableText) text = dp_table_text_new (words);
  g_autoptr (GArray) borders = dp_table_view_borders (view, box, 0.8f);
  DpFrame frame = { box, none, borders };
  g_autofree guint *owner = NULL;
  g_autoptr (DpGrid) grid = NULL;
  g_autoptr (DpTable) table = NULL;
  Facts facts;

  if (dp_table_is_text_columns (view, box))
    return FALSE;
  grid = dp_frame_solve (view, &frame, text, &owner);
  if (!grid || dp_grid_n_cols (grid) < 2)
    return FALSE;
  facts = gather_facts (view, text, dp_grid_n_cols (grid));
  if (!is_clear (&facts, grid, text, captioned (view, box) || is_parted (&facts, grid, borders),
                 has_bold_head (view, text, dp_grid_n_cols (grid))))
    return FALSE;
  grid->quality = 0.6f;
  table = dp_table_build (view, grid, text->words, owner);
  if (dp_table_is_list (table))
    return FALSE;
  dp_table_accept (view, g_steal_pointer (&table), box, text->words);
  return TRUE;
}

static void
find_aligned (DpTableView *view)
{
  const DpTableText *text = dp_table_view_text (view);
  g_autofree Span *spans = g_new0 (Span, text->lines->len + 1);
  g_autofree guint8 *tried = g_new0 (guint8, text->lines->len + 1);

  for (guint i = 0; i < text->lines->len; i++)
    spans[i] = widest_span (view, text, dp_table_line (text, i));
  for (guint i = 0; i < text->lines->len; i++) {
    Span span;
    guint last;
    if (spans[i].n < 2 || tried[i])
      continue;
    last = run_end (text, spans, i, &span);
    if (last < i + 2)
      continue;
    for (guint k = i; k <= last; k++)
      tried[k] = tried[k] || !is_beside (dp_table_line (text, k), &span);
    try_run (view, dp_table_view_grow (
                       view, (DpRect){ span.x0 - 1, dp_table_line (text, i)->box.y0, span.x1 + 1, dp_table_line (text, last)->box.y1 }));
  }
}

void
dp_layout_tables_aligned (DpPageLayout *layout)
{
  dp_table_views_foreach (layout, find_aligned);
}
