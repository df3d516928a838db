/* layout/table_rows.c - the lines inside a frame become rows.
 *
 * A rule between two lines always parts them; without rules a line belongs to the row
 * above when it fills few columns and not the first, or when it is set tight and the text
 * above would not have held its first word (a wrapped cell).
 */
#include <math.h>
#include <string.h>

#include "layout/table_solver.h"
#include "layout/compare.h"

/* ---- rules between lines ------------------------------------------------------------------- */

static void
gap_before (const DpTableSolver *s, guint i, float *top, float *bottom)
{
  const DpTableLine *above = dp_solver_line (s, i - 1), *below = dp_solver_line (s, i);
  float middle = 0.5f * (above->baseline + below->baseline - 0.7f * below->size);

  *top = MIN (above->baseline - 0.3f * above->size, middle);
  *bottom = MAX (below->baseline - 0.45f * below->size, middle);
}

/* TRUE if the rules between lines i - 1 and i, taken together, cross the whole table. */
static gboolean
parted_fully (const DpTableSolver *s, guint i)
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

const DpRule *
dp_solver_rule_before (const DpTableSolver *s, guint i)
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

gboolean
dp_solver_rule_over (const DpTableSolver *s, float top, float bottom, const DpTableColumn *column)
{
  for (guint k = 0; k < s->frame->rules->len; k++) {
    const DpRule *rule = &g_array_index (s->frame->rules, DpRule, k);
    float overlap = MIN (rule->to, column->x1) - MAX (rule->from, column->x0);
    if (rule->pos > top && rule->pos < bottom && overlap > 0.5f * (column->x1 - column->x0))
      return TRUE;
  }
  return FALSE;
}

guint
dp_solver_header_lines (const DpTableSolver *s)
{
  for (guint i = 1; i < s->text->lines->len && i <= 7; i++) {
    if (parted_fully (s, i))
      return s->text->lines->len - i >= 1 && i <= MAX (3u, s->text->lines->len - i) ? i : 0;
  }
  return 0;
}
/* ---- lines to rows ----------------------------------------------------------------------------- */

/* Two kinds of baseline distance in the body (inside cells, between rows): where they part. */
static float
find_tight (const DpTableSolver *s)
{
  g_autoptr (GArray) gaps = g_array_new (FALSE, FALSE, sizeof (float));
  float best = 1.18f, cut = 0;

  for (guint i = MAX (1u, s->n_header + 1); i < s->text->lines->len; i++) {
    float gap = dp_solver_line (s, i)->baseline - dp_solver_line (s, i - 1)->baseline;
    g_array_append_val (gaps, gap);
  }
  g_array_sort (gaps, dp_compare_floats);
  for (guint i = 1; i < gaps->len; i++) {
    float low = g_array_index (gaps, float, i - 1), high = g_array_index (gaps, float, i);
    if (low > 0.75f * s->text->size && low < 1.5f * s->text->size && high / low > best && high < 6 * s->text->size) {
      best = high / low;
      cut = 0.5f * (low + high);
    }
  }
  return cut;
}

gboolean
dp_solver_fills (const DpTableSolver *s, guint line, guint col)
{
  const DpTableLine *l = dp_solver_line (s, line);

  for (guint k = 0; k < l->n; k++) {
    const DpTableFragment *f = dp_solver_fragment (s, l->first + k);
    if (f->col <= col && col < f->col + f->col_span)
      return TRUE;
  }
  return FALSE;
}

/* The text of a word of the table; not NUL-terminated. */
static const char *
word_at (const DpTableSolver *s, guint word, gsize *len)
{
  const guint index = g_array_index (s->text->words, DpTableWord, word).index;

  return dp_word_text (s->view->layout, &g_array_index (s->view->layout->words, DpWord, index), len);
}

static gboolean
starts_lower (const DpTableSolver *s, guint line)
{
  gsize len;
  const char *p = word_at (s, dp_solver_fragment (s, dp_solver_line (s, line)->first)->first, &len);

  return len && g_unichar_islower (g_utf8_get_char (p));
}

/* TRUE if a cell of line i goes on from the line above: its first word had no room there. */
static gboolean
wraps (const DpTableSolver *s, guint i)
{
  const DpTableLine *above = dp_solver_line (s, i - 1), *line = dp_solver_line (s, i);
  gboolean wrapped = FALSE;

  for (guint k = 0; k < line->n; k++) {
    const DpTableFragment *f = dp_solver_fragment (s, line->first + k);
    const DpTableColumn *last = &g_array_index (s->columns, DpTableColumn, f->col + f->col_span - 1);
    float word = dp_rect_width (g_array_index (s->text->words, DpTableWord, f->first).box);
    for (guint m = 0; m < above->n; m++) {
      const DpTableFragment *g = dp_solver_fragment (s, above->first + m);
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
stacks_numbers (const DpTableSolver *s, guint i)
{
  const DpTableLine *above = dp_solver_line (s, i - 1), *line = dp_solver_line (s, i);

  for (guint k = 0; k < line->n; k++)
    for (guint m = 0; m < above->n; m++) {
      const DpTableFragment *f = dp_solver_fragment (s, line->first + k), *g = dp_solver_fragment (s, above->first + m);
      if (f->col == g->col && g_array_index (s->text->words, DpTableWord, f->first).number
          && g_array_index (s->text->words, DpTableWord, g->first).number)
        return TRUE;
    }
  return FALSE;
}

/* TRUE if line i begins a row: it fills its part of the table and does not go on with what wraps above it. */
static gboolean
opens_row (const DpTableSolver *s, guint i, gboolean first)
{
  if (dp_solver_line (s, i)->n * 2 <= s->columns->len)
    return FALSE;
  return (!first && stacks_numbers (s, i)) || (dp_solver_fills (s, i, 0) && (first || !wraps (s, i)));
}

/* A band between two full rules in which no more than one line opens a row: rules part the rows. */
static gboolean
rules_part_rows (const DpTableSolver *s)
{
  guint bands = 0, single = 0, filled = 0;

  for (guint i = s->n_header; i <= s->text->lines->len; i++) {
    if (i > s->n_header && (i == s->text->lines->len || parted_fully (s, i))) {
      bands++;
      single += filled <= 1 ? 1 : 0;
      filled = 0;
    }
    if (i < s->text->lines->len)
      filled += opens_row (s, i, i == s->n_header);
  }
  return bands >= 3 && single * 5 >= bands * 4;
}

/* TRUE if a line of the header starts a row of its own below line i - 1: the titles above span. */
static gboolean
header_steps (const DpTableSolver *s, guint i)
{
  const DpTableLine *above = dp_solver_line (s, i - 1), *line = dp_solver_line (s, i);

  if (line->n <= 1)
    return FALSE;
  for (guint k = 0; k < above->n; k++) {
    const DpTableFragment *f = dp_solver_fragment (s, above->first + k);
    guint under = 0;
    for (guint m = 0; m < line->n; m++) {
      const DpTableFragment *g = dp_solver_fragment (s, line->first + m);
      under += g->col >= f->col && g->col < f->col + f->col_span ? 1 : 0;
    }
    if (f->col_span > 1 && under > 1)
      return TRUE;
  }
  return FALSE;
}

/* TRUE if a line fills the table with short entries: a row, however tight it is set. */
static gboolean
is_whole_row (const DpTableSolver *s, guint i)
{
  const DpTableLine *line = dp_solver_line (s, i);
  guint words = 0;

  for (guint k = 0; k < line->n; k++)
    words += dp_solver_fragment (s, line->first + k)->n;
  return line->n >= 3 && line->n * 4 >= s->columns->len * 3 && dp_solver_fills (s, i, 0) && line->n >= dp_solver_line (s, i - 1)->n
         && words <= 2 * line->n;
}

/* The only fragment that fills the column on the line, or NULL. */
static const DpTableFragment *
only_in (const DpTableSolver *s, guint line, guint col)
{
  const DpTableLine *l = dp_solver_line (s, line);
  const DpTableFragment *found = NULL;

  for (guint k = 0; k < l->n; k++) {
    const DpTableFragment *f = dp_solver_fragment (s, l->first + k);
    if (f->col > col || f->col + f->col_span <= col)
      continue;
    if (found || f->col_span > 1)
      return NULL;
    found = f;
  }
  return found;
}

/* TRUE if the first word of line i would have had room in the column on the line above: no wrapped text. */
static gboolean
had_room (const DpTableSolver *s, guint i, guint col)
{
  const DpTableFragment *above = only_in (s, i - 1, col), *below = only_in (s, i, col);
  const DpTableColumn *column = &g_array_index (s->columns, DpTableColumn, col);
  float em = dp_solver_line (s, i)->size;

  return above && below
         && above->x1 - above->x0 + 0.3f * em + dp_rect_width (g_array_index (s->text->words, DpTableWord, below->first).box)
                < column->x1 - column->x0 - 0.5f * em;
}

/* How many columns both lines fill, each by itself; those with numbers below each other or room left. */
static guint
shared_columns (const DpTableSolver *s, guint i, guint *apart)
{
  guint n = 0;

  *apart = 0;
  for (guint c = 0; c < s->columns->len; c++) {
    const DpTableFragment *above = only_in (s, i - 1, c), *below = only_in (s, i, c);
    if (!above || !below)
      continue;
    n++;
    *apart += (dp_table_is_number (s->text, above) && dp_table_is_number (s->text, below)) || had_room (s, i, c) ? 1 : 0;
  }
  return n;
}

/* TRUE if lines first..last, a band between rules, fill two columns or more line by line: cells that
 * wrap do not end together, so each line is a row.  Two lines may do so by chance. */
static gboolean
is_band_of_rows (const DpTableSolver *s, guint first, guint last)
{
  guint even = 0, n = last - first + 1;

  for (guint c = 0; c < s->columns->len; c++) {
    guint filled = 0;
    for (guint i = first; i <= last; i++)
      filled += only_in (s, i, c) ? 1 : 0;
    even += filled == n ? 1 : 0;
  }
  for (guint i = first + 1; i <= last && n == 2; i++) {
    guint apart;
    if (shared_columns (s, i, &apart) < 2 || apart == 0)
      return FALSE;
  }
  return n >= 2 && even >= 2;
}

/* Says for each line of the body whether it is a row because all of its band's lines are. */
static guint8 *
find_bands_of_rows (const DpTableSolver *s)
{
  guint8 *out = g_new0 (guint8, s->text->lines->len + 1);

  for (guint first = s->n_header, i = first + 1; i <= s->text->lines->len; i++)
    if (i == s->text->lines->len || dp_solver_rule_before (s, i)) {
      if (is_band_of_rows (s, first, i - 1))
        memset (out + first, 1, i - first);
      first = i;
    }
  return out;
}

static gboolean
is_title (const DpTableSolver *s, guint i)
{
  const DpTableLine *line = dp_solver_line (s, i);

  return s->columns->len > 1 && line->n == 1 && dp_solver_fragment (s, line->first)->col_span + 1 >= s->columns->len
         && dp_solver_fragment (s, line->first)->col_span > 1;
}

/* TRUE if line i is a label alone, set right of the column's edge, and the line above begins there or hangs as far in: the
 * rest of a numbered or bulleted label. */
static gboolean
hangs (const DpTableSolver *s, guint i)
{
  const DpTableLine *above = dp_solver_line (s, i - 1), *line = dp_solver_line (s, i);
  const float em = line->size, edge = g_array_index (s->columns, DpTableColumn, 0).x0;
  const float x = dp_solver_fragment (s, line->first)->x0, before = dp_solver_fragment (s, above->first)->x0;

  if (line->n != 1 || !dp_solver_fills (s, i, 0) || !dp_solver_fills (s, i - 1, 0) || x < edge + 0.5f * em)
    return FALSE;
  return x > before + 0.5f * em || (i > 1 && s->row_of[i - 1] == s->row_of[i - 2] && fabsf (x - before) < 0.3f * em);
}

/* TRUE if no column has text both on line i and on the one above. */
static gboolean
is_disjoint (const DpTableSolver *s, guint i)
{
  for (guint c = 0; c < s->columns->len; c++)
    if (dp_solver_fills (s, i - 1, c) && dp_solver_fills (s, i, c))
      return FALSE;
  return TRUE;
}

/* TRUE if a word is divided between line i and the one right above. */
static gboolean
is_divided (const DpTableSolver *s, guint i)
{
  if (dp_solver_line (s, i)->baseline - dp_solver_line (s, i - 1)->baseline > 2.2f * dp_solver_line (s, i)->size)
    return FALSE;
  for (guint c = 0; c < s->columns->len; c++) {
    const DpTableFragment *above = only_in (s, i - 1, c), *below = only_in (s, i, c);
    gsize before, after;
    const char *end = above && below ? word_at (s, above->first + above->n - 1, &before) : NULL;
    const char *start = end ? word_at (s, below->first, &after) : NULL;
    if (!start || before < 2 || after == 0 || !g_unichar_islower (g_utf8_get_char (start)))
      continue;
    if ((end[before - 1] == '-' && g_ascii_isalpha (end[before - 2])) || (before > 3 && memcmp (end + before - 3, "\xe2\x80\x90", 3) == 0))
      return TRUE;
  }
  return FALSE;
}

/* TRUE if line i of the body belongs to the row above it. */
static gboolean
continues (const DpTableSolver *s, guint i)
{
  const DpTableLine *above = dp_solver_line (s, i - 1), *line = dp_solver_line (s, i);
  float gap = line->baseline - above->baseline;
  gboolean tight = s->tight > 0 && gap < s->tight, first = dp_solver_fills (s, i, 0);
  guint apart;

  if (gap < (is_disjoint (s, i) ? 0.95f : 0.75f) * MIN (line->size, above->size))
    return TRUE; /* cells in the middle of a row whose neighbours have two lines stand half a line off */
  if (s->columns->len == 1)
    return tight && wraps (s, i);
  if (s->tight > 0 && gap > s->tight * 1.02f)
    return FALSE;
  if (is_whole_row (s, i) || is_title (s, i) || is_title (s, i - 1))
    return FALSE;
  if (shared_columns (s, i, &apart) >= 2 && apart * 2 >= line->n)
    return FALSE;
  if (tight && (wraps (s, i) || hangs (s, i)))
    return TRUE;
  if (!first && line->n * 2 <= s->columns->len && (line->n == 1 || line->n < above->n))
    return wraps (s, i) || tight || starts_lower (s, i);
  if (first && starts_lower (s, i) && (line->n == 1 || above->n == 1))
    return dp_solver_fills (s, i - 1, 0) && wraps (s, i);
  return FALSE;
}

/* TRUE if the line has a number in the columns after the labels. */
static gboolean
has_number (const DpTableSolver *s, guint i)
{
  const DpTableLine *line = dp_solver_line (s, i);

  for (guint k = 0; k < line->n; k++) {
    const DpTableFragment *f = dp_solver_fragment (s, line->first + k);
    if (f->col > 0 && dp_table_is_number (s->text, f))
      return TRUE;
  }
  return FALSE;
}

/* TRUE if a line and the one above it are both a label with numbers: two rows, whatever the rules say. */
static gboolean
is_amount_row (const DpTableSolver *s, guint i)
{
  return i > s->n_header && dp_solver_line (s, i)->n >= 2 && dp_solver_line (s, i)->n == dp_solver_line (s, i - 1)->n
         && dp_solver_fills (s, i, 0) && dp_solver_fills (s, i - 1, 0) && stacks_numbers (s, i) && has_number (s, i);
}

#define LONG_LABEL 20u /* characters: a shorter one names a group, its items may be written small */

static gboolean
is_long_label (const DpTableSolver *s, const DpTableFragment *f)
{
  const DpTableColumn *column = &g_array_index (s->columns, DpTableColumn, 0);

  return dp_table_count_words (s->view, s->text, f).chars >= LONG_LABEL && f->x1 - f->x0 >= 0.6f * (column->x1 - column->x0);
}

/* TRUE if line i is the rest of a label that has a key of its own before it: a date, a number. */
static gboolean
continues_beside_key (const DpTableSolver *s, guint i)
{
  const DpTableFragment *rest = dp_solver_fragment (s, dp_solver_line (s, i)->first), *label = only_in (s, i - 1, 1);

  return dp_solver_line (s, i)->n == 1 && rest->col == 1 && rest->col_span == 1 && label && dp_solver_fills (s, i - 1, 0)
         && !dp_table_is_number (s->text, rest) && !dp_table_is_number (s->text, label);
}

/* TRUE if line i of a statement goes on with the row above: the rest of a label, or, after the
 * beginning of a label, its rest with the numbers. */
static gboolean
continues_label (const DpTableSolver *s, guint i)
{
  const DpTableLine *above = dp_solver_line (s, i - 1), *line = dp_solver_line (s, i);
  gboolean numbers = has_number (s, i), before = has_number (s, i - 1);

  if (i == s->n_header || (numbers && before) || line->baseline - above->baseline > 1.7f * line->size)
    return FALSE;
  if (!numbers && before && continues_beside_key (s, i))
    return TRUE;
  if (!dp_solver_fills (s, i, 0) || !dp_solver_fills (s, i - 1, 0))
    return FALSE;
  if (starts_lower (s, i))
    return before || is_long_label (s, dp_solver_fragment (s, above->first));
  return !numbers && before && dp_solver_fragment (s, line->first)->x0 > dp_solver_fragment (s, above->first)->x0 + 0.5f * line->size
         && wraps (s, i);
}

void
dp_solver_make_rows (DpTableSolver *s)
{
  gboolean banded = rules_part_rows (s);
  g_autofree guint8 *rows = find_bands_of_rows (s);

  s->tight = find_tight (s);
  for (guint i = 1; i < s->text->lines->len; i++) {
    const DpRule *rule = dp_solver_rule_before (s, i);
    gboolean same;
    if (rule)
      same = FALSE;
    else if (i < s->n_header)
      same = !header_steps (s, i);
    else if (s->frame->statement)
      same = continues_label (s, i);
    else if (is_divided (s, i))
      same = TRUE;
    else if (i > s->n_header && rows[i])
      same = FALSE;
    else
      same = banded ? !is_amount_row (s, i) : continues (s, i);
    s->row_of[i] = s->row_of[i - 1] + (same ? 0 : 1);
  }
  s->n_rows = s->text->lines->len ? s->row_of[s->text->lines->len - 1] + 1 : 0;
}
