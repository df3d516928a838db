/* layout/statement_rows.c - which lines are rows of one statement.
 *
 * A row is a label and, to its right, numbers up to the end of the line or to a gutter.
 * Rows belong together when their numbers end at the same x, as sums are set so that they
 * can be added up; what stands between them may be labels without numbers, but no
 * running text.  One pass from top to bottom with the runs that are still open.
 */
#include <math.h>

#include "layout/statement.h"

#define MAX_OPEN 24u    /* runs growing at one time; more columns of text than any page has */
#define ENDS 0.6f       /* em: numbers of a column end within this, a bracket hangs out */
#define AFTER 1.2f      /* em: text nearer than this behind a number makes it part of the text */
#define MAX_GAP 4.2f    /* em: baselines of neighbouring lines of a run */
#define MAX_INDENT 5.0f /* em: labels begin so much left of those above at most */
#define MAX_LABELS 5u   /* lines of labels in a row */
#define MAX_COLUMNS 48u /* of numbers; more is no statement */
#define MAX_BETWEEN 14u /* lines of the page between two rows */

static DpStatement *
statement_new (void)
{
  DpStatement *s = g_new0 (DpStatement, 1);

  s->rows = g_array_new (FALSE, FALSE, sizeof (DpNumberRow));
  s->columns = g_array_new (FALSE, FALSE, sizeof (DpNumberColumn));
  s->label_x0 = G_MAXFLOAT;
  s->x0 = G_MAXFLOAT;
  s->x1 = -G_MAXFLOAT;
  return s;
}

void
dp_statement_free (DpStatement *s)
{
  g_array_unref (s->rows);
  g_array_unref (s->columns);
  g_free (s);
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Runs of numbers on one line with the text to their left (DpNumberRow). */
static void
find_runs (const DpTableText *text, guint number, GArray *runs)
{
  const DpTableLine *line = dp_table_line (text, number);
  guint end = line->first + line->n;

  g_array_set_size (runs, 0);
  for (guint k = line->first; k < end;) {
    DpNumberRow run = { .line = number, .label = k > line->first ? k - 1 : DP_STATEMENT_NONE, .first = k };
    while (k < end && dp_table_is_number (text, dp_table_fragment (text, k)))
      k++;
    run.n = k - run.first;
    if (run.n == 0) {
      k++;
      continue;
    }
    if (k < end && dp_table_fragment (text, k)->x0 - dp_table_fragment (text, k - 1)->x1 < AFTER * line->size)
      continue; /* "5. Then": a number in the text */
    if (run.n <= MAX_COLUMNS)
      g_array_append_val (runs, run);
  }
}

static DpNumberColumn *
column_of (const DpStatement *s, const DpTableFragment *f, float em)
{
  for (guint c = 0; c < s->columns->len; c++) {
    DpNumberColumn *column = &g_array_index (s->columns, DpNumberColumn, c);
    float overlap = MIN (column->x1, f->x1) - MAX (column->x0, f->x0), least = MIN (column->x1 - column->x0, f->x1 - f->x0);
    if (fabsf (column->right - f->x1) <= ENDS * em || overlap > 0.6f * least)
      return column;
  }
  return NULL;
}

/* TRUE if the row's numbers stand in the run's columns, and no other one's. */
static gboolean
fits (const DpStatement *s, const DpTableText *text, const DpNumberRow *row)
{
  float em = dp_table_line (text, row->line)->size;
  guint hits = 0, strange = 0;
  const DpNumberColumn *last = NULL;

  for (guint i = 0; i < row->n; i++) {
    const DpTableFragment *f = dp_table_fragment (text, row->first + i);
    const DpNumberColumn *column = column_of (s, f, em);
    if (column && column == last)
      return FALSE;
    last = column;
    if (column)
      hits++;
    else {
      strange++;
      for (guint c = 0; c < s->columns->len; c++) {
        const DpNumberColumn *other = &g_array_index (s->columns, DpNumberColumn, c);
        if (f->x0 < other->x1 && f->x1 > other->x0)
          return FALSE;
      }
    }
  }
  return hits && hits >= strange;
}

/* TRUE if the row's label stands among the run's and its numbers beside the run's columns. */
static gboolean
stands_beside (const DpStatement *s, const DpTableText *text, const DpNumberRow *row)
{
  const DpTableLine *line = dp_table_line (text, row->line),
                    *last = dp_table_line (text, g_array_index (s->rows, DpNumberRow, s->rows->len - 1).line);
  const DpTableFragment *label = row->label == DP_STATEMENT_NONE ? NULL : dp_table_fragment (text, row->label);

  if (!label || label->x0 < s->label_x0 - 2 * line->size || label->x0 > MIN (s->x0, s->label_x0 + 4 * line->size)
      || line->baseline - last->baseline > 2.2f * line->size)
    return FALSE;
  for (guint i = 0; i < row->n; i++) {
    const DpTableFragment *f = dp_table_fragment (text, row->first + i);
    for (guint c = 0; c < s->columns->len; c++) {
      const DpNumberColumn *column = &g_array_index (s->columns, DpNumberColumn, c);
      if (f->x0 < column->x1 + 0.4f * line->size && f->x1 > column->x0 - 0.4f * line->size)
        return FALSE;
    }
  }
  return TRUE;
}

/* TRUE if the fragment left of a label is a date of several words. */
static gboolean
is_date (const DpTableText *text, const DpTableFragment *f, float em)
{
  gboolean number = FALSE;

  for (guint i = f->first; i < f->first + f->n; i++)
    number = number || g_array_index (text->words, DpTableWord, i).number;
  return number && (f->n == 2 || f->n == 3) && f->x1 - f->x0 < 7 * em;
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  const DpNumberColumn *x = a, *y = b;

  return x->x0 < y->x0 ? -1 : x->x0 > y->x0;
}

static void
add_row (DpStatement *s, const DpTableText *text, const DpNumberRow *row)
{
  const DpTableLine *line = dp_table_line (text, row->line);
  DpNumberRow kept = *row;
  gboolean label_here = TRUE;

  for (guint i = 0; i < row->n; i++) {
    const DpTableFragment *f = dp_table_fragment (text, row->first + i);
    DpNumberColumn *column = column_of (s, f, line->size);
    if (column) {
      column->x0 = MIN (column->x0, f->x0);
      column->x1 = MAX (column->x1, f->x1);
      if (row->n > 1 || column->n == 0)
        column->right = f->x1;
      column->n++;
    } else {
      const DpNumberColumn fresh = { f->x0, f->x1, f->x1, 1 };
      g_array_append_val (s->columns, fresh);
      g_array_sort (s->columns, by_place);
    }
    s->x0 = MIN (s->x0, f->x0);
    s->x1 = MAX (s->x1, f->x1);
  }
  if (row->label != DP_STATEMENT_NONE && s->label_x0 < G_MAXFLOAT
      && dp_table_fragment (text, row->label)->x0 < s->label_x0 - MAX_INDENT * line->size)
    label_here = FALSE; /* text of another column */
  if (row->label != DP_STATEMENT_NONE && label_here) {
    const DpTableFragment *label = dp_table_fragment (text, row->label), *before = label - 1;
    s->label_x0 = MIN (s->label_x0, label->x0);
    if (row->label > line->first && label->x0 - before->x1 < 4 * line->size) {
      const gboolean date = is_date (text, before, line->size);
      if (date || (before->n == 1 && before->x1 - before->x0 < 3 * line->size)) /* its number: "iv) Sale of goods" */
        s->label_x0 = MIN (s->label_x0, before->x0);
      s->dates += date;
    }
  }
  if (!label_here)
    kept.label = DP_STATEMENT_NONE;
  g_array_append_val (s->rows, kept);
}

/* ---- what may stand between rows ---------------------------------------------------------------- */

/* TRUE if the line between two rows ends the run: running text, a heading, a caption, the titles of another table.
 * labels counts lines of text in the labels' place. */
static gboolean
parts (const DpStatement *s, const DpTableView *view, const DpTableText *text, guint number, guint *labels, gboolean *inside)
{
  const DpTableLine *line = dp_table_line (text, number), *row = dp_table_line (text, g_array_index (s->rows, DpNumberRow, 0).line);
  float left = MIN (s->label_x0, s->x0);
  guint titles = 0;

  *inside = FALSE;
  for (guint k = line->first; k < line->first + line->n; k++) {
    const DpTableFragment *f = dp_table_fragment (text, k);
    DpTableWordCount c;
    if (f->x1 < left || f->x0 > s->x1)
      continue;
    if (line->size > DP_STATEMENT_HEADING * row->size)
      return TRUE;
    *inside = TRUE;
    titles += f->x0 > s->x0 - line->size && !dp_table_is_number (text, f) ? 1 : 0;
    c = dp_table_count_words (view, text, f);
    if (f->x1 > s->x0 + line->size && f->x0 < s->x0 - line->size && c.n >= 6 && c.prose * 2 > c.n)
      return TRUE;
    *labels = c.n >= 5 && c.prose * 2 > c.n ? *labels + 1 : 0;
    if (*labels >= MAX_LABELS)
      return TRUE;
  }
  return titles >= 2 || (*inside && dp_table_line_is_caption (view, text, line, TRUE));
}

/* TRUE if the row can follow the run's last one. */
static gboolean
reaches (const DpStatement *s, const DpTableView *view, const DpTableText *text, guint number)
{
  guint last = g_array_index (s->rows, DpNumberRow, s->rows->len - 1).line, labels = 0;
  float base = dp_table_line (text, last)->baseline, em = dp_table_line (text, number)->size;

  if (number <= last || number - last > MAX_BETWEEN || s->columns->len >= MAX_COLUMNS)
    return FALSE;
  for (guint i = last + 1; i < number; i++) {
    gboolean inside;
    if (parts (s, view, text, i, &labels, &inside))
      return FALSE;
    if (!inside)
      continue;
    if (dp_table_line (text, i)->baseline - base > MAX_GAP * em)
      return FALSE;
    base = dp_table_line (text, i)->baseline;
  }
  return dp_table_line (text, number)->baseline - base <= MAX_GAP * em;
}

/* ---- runs of rows ---------------------------------------------------------------------------------- */

static void
place_row (GPtrArray *open, GPtrArray *all, const DpTableView *view, const DpTableText *text, const DpNumberRow *row)
{
  DpStatement *fresh;

  for (guint i = open->len; i-- > 0;) {
    DpStatement *s = g_ptr_array_index (open, i);
    if (!fits (s, text, row))
      continue;
    if (reaches (s, view, text, row->line)) {
      add_row (s, text, row);
      return;
    }
    g_ptr_array_remove_index (open, i);
  }
  for (guint i = open->len; i-- > 0;) {
    DpStatement *s = g_ptr_array_index (open, i);
    if (stands_beside (s, text, row) && reaches (s, view, text, row->line)) {
      add_row (s, text, row);
      return;
    }
  }
  if (open->len >= MAX_OPEN)
    g_ptr_array_remove_index (open, 0);
  fresh = statement_new ();
  add_row (fresh, text, row);
  g_ptr_array_add (open, fresh);
  g_ptr_array_add (all, fresh);
}

GPtrArray *
dp_statement_find_rows (const DpTableView *view, const DpTableText *text)
{
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_statement_free);
  g_autoptr (GPtrArray) open = g_ptr_array_new ();
  g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (DpNumberRow));

  for (guint i = 0; i < text->lines->len; i++) {
    find_runs (text, i, runs);
    for (guint k = 0; k < runs->len; k++)
      place_row (open, all, view, text, &g_array_index (runs, DpNumberRow, k));
  }
  return all;
}
