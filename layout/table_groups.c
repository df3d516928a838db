/* layout/table_groups.c - titles over several columns.
 *
 * Where a rule lies under a title, the rule says what it spans.  Without one a title stands
 * centred over its columns: the middle of the title is the middle of the group, which is
 * arithmetic as soon as the columns are known.
 */
#include <math.h>

#include "layout/table_columns.h"

/* The rule right under a header line that carries the fragment, or NULL: it spans a group.
 * Rules that together cross the table end the header and span nothing. */
static const DpRule *
rule_under (const DpFrame *frame, const DpTableText *text, guint line, const DpTableFragment *f)
{
  float top = dp_table_line (text, line)->baseline - 1, together = 0, at = -G_MAXFLOAT;
  float bottom = line + 1 < text->lines->len ? dp_table_line (text, line + 1)->baseline : frame->box.y1;
  float width = frame->box.x1 - frame->box.x0, centre = 0.5f * (f->x0 + f->x1);
  const DpRule *found = NULL;

  for (guint i = 0; i < frame->rules->len; i++) {
    const DpRule *rule = &g_array_index (frame->rules, DpRule, i);
    if (rule->pos <= top || rule->pos >= bottom)
      continue;
    together = rule->pos - at > 1 ? rule->to - rule->from : together + rule->to - rule->from;
    at = rule->pos;
    if (together >= 0.85f * width)
      return NULL;
    if (!found && rule->from - 2 < centre && rule->to + 2 > centre)
      found = rule;
  }
  return found;
}

/* How many fragments of the line stand over the rule: one is a group's title, more are titles of their own. */
static guint
count_over (const DpTableText *text, const DpTableLine *line, const DpRule *rule)
{
  guint n = 0;

  for (guint k = line->first; k < line->first + line->n; k++) {
    const DpTableFragment *f = dp_table_fragment (text, k);
    float centre = 0.5f * (f->x0 + f->x1);
    n += centre > rule->from - 2 && centre < rule->to + 2 ? 1 : 0;
  }
  return n;
}

void
dp_table_cover_groups (const DpTableText *text, GArray *fragments, guint n_header)
{
  for (guint i = n_header; i-- > 1;) {
    const DpTableLine *below = dp_table_line (text, i), *above = dp_table_line (text, i - 1);
    for (guint k = 0; k < above->n; k++) {
      DpTableFragment *f = &g_array_index (fragments, DpTableFragment, above->first + k);
      guint first = f->col, end = f->col + f->col_span;
      for (guint m = 0; f->col_span > 1 && m < below->n; m++) {
        const DpTableFragment *g = &g_array_index (fragments, DpTableFragment, below->first + m);
        if (g->col_span > 1 && g->col < f->col + f->col_span && f->col < g->col + g->col_span) {
          first = MIN (first, g->col);
          end = MAX (end, g->col + g->col_span);
        }
      }
      f->col = first;
      f->col_span = end - first;
    }
  }
}

void
dp_table_span_rule (const DpRule *rule, const GArray *columns, DpTableFragment *f)
{
  guint first = G_MAXUINT, last = 0;

  for (guint c = 0; c < columns->len; c++) {
    const DpTableColumn *column = dp_table_column (columns, c);
    float overlap = MIN (rule->to + 2, column->x1) - MAX (rule->from - 2, column->x0);
    if (overlap >= 0.5f * (column->x1 - column->x0)) {
      first = MIN (first, c);
      last = c;
    }
  }
  if (first != G_MAXUINT) {
    f->col = first;
    f->col_span = last - first + 1;
  }
}

const DpRule *
dp_table_group_rule (const DpFrame *frame, const DpTableText *text, guint i, const DpTableFragment *f)
{
  const DpRule *rule = rule_under (frame, text, i, f);

  return rule && rule->from - 3 < f->x0 && rule->to + 3 > f->x1 && count_over (text, dp_table_line (text, i), rule) == 1 ? rule : NULL;
}

/* ---- centred titles ------------------------------------------------------------------------- */

#define CENTRE 0.7f /* em: a title's middle may be off its group's by so much */
#define MAX_GROUPED 64u

typedef struct {
  const GArray *columns;
  gboolean filled[MAX_GROUPED];           /* columns that the line below fills, one by one */
  float x0[MAX_GROUPED], x1[MAX_GROUPED]; /* extent of their text, that line's included */
  float em;
} Groups;

static float
middle_of (const DpTableFragment *f)
{
  return 0.5f * (f->x0 + f->x1);
}

/* How far the title's middle is from that of columns a..b, in em. */
static float
distance (const Groups *g, const DpTableFragment *f, guint a, guint b)
{
  return fabsf (middle_of (f) - 0.5f * (g->x0[a] + g->x1[b])) / MAX (g->em, 1);
}

/* The widest group of columns between low and high (exclusive) in whose middle the title stands. */
static gboolean
widest_group (const Groups *g, const DpTableFragment *f, guint low, guint high, guint *first, guint *last)
{
  gboolean found = FALSE;

  for (guint a = low; a < high; a++) {
    for (guint b = a; b < high && g->filled[b]; b++) {
      if (b == a || distance (g, f, a, b) > CENTRE || MIN (g->x1[b], f->x1) - MAX (g->x0[a], f->x0) < 0.6f * (f->x1 - f->x0))
        continue;
      if (!found || b - a > *last - *first) {
        *first = a;
        *last = b;
        found = TRUE;
      }
    }
  }
  return found;
}

/* TRUE if the title cannot well be that of one column: it is as wide as the column or stands in a channel. */
static gboolean
stands_over_several (const Groups *g, const DpTableFragment *f)
{
  for (guint c = 0; c < g->columns->len; c++) {
    if (middle_of (f) >= g->x0[c] && middle_of (f) <= g->x1[c])
      return f->x1 - f->x0 > g->x1[c] - g->x0[c];
  }
  return TRUE;
}

/* The only title of its line, about centred on all columns that the line below fills, and wider than the one
 * below it.  Numbers end at one x and their titles are set in all ways, so the middle is not exact. */
static gboolean
span_filled (const Groups *g, DpTableFragment *f)
{
  guint first = G_MAXUINT, last = 0;

  for (guint c = 0; c < g->columns->len; c++)
    if (g->filled[c] && c > 0) {
      first = MIN (first, c);
      last = c;
    }
  if (first == G_MAXUINT || last == first || f->col == 0
      || distance (g, f, first, last) * g->em > 0.2f * (g->x1[last] - g->x0[first]) + 0.6f * g->em || !stands_over_several (g, f))
    return FALSE;
  f->col = first;
  f->col_span = last - first + 1;
  return TRUE;
}

void
dp_table_span_groups (const GArray *columns, DpTableFragment *fragments, const gboolean *fixed, guint n, const DpTableFragment *below,
                      guint n_below, float em)
{
  Groups g = { .columns = columns, .em = em };
  g_autofree guint *first = g_new0 (guint, n + 1);
  g_autofree guint *last = g_new0 (guint, n + 1);
  guint covered = 0, wanted = 0, groups = 0, low = 0;

  if (columns->len > MAX_GROUPED)
    return;
  for (guint c = 0; c < columns->len; c++) {
    g.x0[c] = dp_table_column (columns, c)->x0;
    g.x1[c] = dp_table_column (columns, c)->x1;
  }
  for (guint i = 0; i < n_below; i++)
    if (below[i].col_span == 1) {
      g.filled[below[i].col] = TRUE;
      g.x0[below[i].col] = MIN (g.x0[below[i].col], below[i].x0);
      g.x1[below[i].col] = MAX (g.x1[below[i].col], below[i].x1);
    }
  for (guint c = 0; c < columns->len; c++)
    wanted += g.filled[c] ? 1 : 0;
  for (guint i = 0; i < n; i++) {
    guint high = columns->len;
    first[i] = fragments[i].col;
    last[i] = fragments[i].col + fragments[i].col_span - 1;
    if (!fixed[i]) {
      if (i + 1 < n) { /* not over the next title's own column */
        const float next = fixed[i + 1] ? fragments[i + 1].x0 : middle_of (&fragments[i + 1]);
        while (high > 1 && dp_table_column (columns, high - 1)->x0 > next - 1)
          high--;
        high = MIN (high, fragments[i + 1].col + fragments[i + 1].col_span);
      }
      groups += widest_group (&g, &fragments[i], low, high, &first[i], &last[i]) ? 1 : 0;
    }
    for (guint c = first[i]; c <= last[i] && c < columns->len; c++)
      covered += g.filled[c] ? 1 : 0;
    low = last[i] + 1;
  }
  if (n == 1 && groups == 0 && !fixed[0] && span_filled (&g, &fragments[0]))
    return;
  /* titles that share out all columns among them are titles of groups, however short */
  for (guint i = 0; i < n; i++)
    if (!fixed[i] && ((covered == wanted && groups >= 2) || stands_over_several (&g, &fragments[i]))) {
      fragments[i].col = first[i];
      fragments[i].col_span = last[i] - first[i] + 1;
    }
}

/* ---- titles of rows ---------------------------------------------------------------------------- */

gboolean
dp_table_is_row_title (const DpFrame *frame, const GArray *columns, DpTableFragment *f, gboolean apart, float em)
{
  const DpTableColumn *first = dp_table_column (columns, 0), *last = dp_table_column (columns, columns->len - 1);
  float middle = middle_of (f), table = 0.5f * (first->x0 + last->x1), frame_middle = 0.5f * (frame->box.x0 + frame->box.x1);
  gboolean on_all = MIN (fabsf (middle - table), fabsf (middle - frame_middle)) <= 0.8f * em, on_rest;
  gboolean over_one = FALSE;

  if (columns->len < 2)
    return FALSE;
  on_rest = columns->len > 2 && fabsf (middle - 0.5f * (first[1].x0 + last->x1)) <= 0.5f * em;
  for (guint c = 0; c < columns->len; c++)
    over_one = over_one || (middle > dp_table_column (columns, c)->x0 && middle < dp_table_column (columns, c)->x1);
  if (!(f->col_span > 1 && f->col == 0)
      && ((!on_all && !on_rest) || f->x0 < first->x1 - 0.5f * em || (over_one && !apart && f->col_span == 1)))
    return FALSE;
  f->col = on_rest && !on_all ? 1 : 0;
  f->col_span = columns->len - f->col;
  return TRUE;
}
