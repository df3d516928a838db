/* layout/table_columns.c - columns of a table without vertical rules: white channels.
 *
 * A channel is a strip of the body that (almost) no fragment crosses.  The header takes no
 * part in finding channels, for its titles may span columns; it only adds a column that
 * the body leaves empty.  Then every fragment is told which columns it fills: where a
 * rule lies under a group's title, the rule says it; elsewhere the text's own extent.
 */
#include <math.h>
#include <stdlib.h>

#include "layout/tables.h"

#define MIN_CHANNEL 1.5f /* pt; rows fill their cells differently, the strip left to all may be thin */

typedef struct {
  float x;
  gint step;
} Event;

static int
by_x (gconstpointer a, gconstpointer b)
{
  const Event *x = a, *y = b;

  if (x->x != y->x)
    return x->x < y->x ? -1 : 1;
  return y->step - x->step; /* openings first: touching pieces leave no channel */
}

/* ---- channels ------------------------------------------------------------------------------ */

/* Intervals that more than `allowed` fragments of the chosen lines cover. */
static GArray *
covered_intervals (const DpTableText *text, guint first, guint min_fragments, guint allowed)
{
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (Event));
  GArray *columns = g_array_new (FALSE, FALSE, sizeof (DpTableColumn));
  gint depth = 0;

  for (guint i = first; i < text->lines->len; i++) {
    const DpTableLine *line = dp_table_line (text, i);
    for (guint k = 0; line->n >= min_fragments && k < line->n; k++) {
      const DpTableFragment *f = dp_table_fragment (text, line->first + k);
      const Event in = { f->x0, 1 }, out = { f->x1, -1 };
      g_array_append_val (events, in);
      g_array_append_val (events, out);
    }
  }
  g_array_sort (events, by_x);
  for (guint i = 0; i < events->len; i++) {
    const Event *e = &g_array_index (events, Event, i);
    gint before = depth;
    depth += e->step;
    if (before <= (gint) allowed && depth > (gint) allowed) {
      DpTableColumn column = { .x0 = e->x, .x1 = e->x };
      const DpTableColumn *last = columns->len ? &g_array_index (columns, DpTableColumn, columns->len - 1) : NULL;
      if (last && e->x - last->x1 < MIN_CHANNEL)
        continue; /* goes on as the last one */
      g_array_append_val (columns, column);
    } else if (before > (gint) allowed && depth <= (gint) allowed && columns->len)
      g_array_index (columns, DpTableColumn, columns->len - 1).x1 = e->x;
  }
  return columns;
}

static guint
count_lines (const DpTableText *text, guint first, guint min_fragments)
{
  guint n = 0;

  for (guint i = first; i < text->lines->len; i++)
    n += dp_table_line (text, i)->n >= min_fragments ? 1 : 0;
  return n;
}

static int
by_column (gconstpointer a, gconstpointer b)
{
  const DpTableColumn *x = a, *y = b;

  return x->x0 < y->x0 ? -1 : x->x0 > y->x0;
}

/* Titles of the header's fullest line that stand over no column of the body: empty columns. */
static void
add_header_columns (const DpTableText *text, guint n_header, GArray *columns)
{
  const DpTableLine *fullest = NULL;
  guint known = columns->len;

  for (guint i = 0; i < n_header; i++)
    if (!fullest || dp_table_line (text, i)->n >= fullest->n)
      fullest = dp_table_line (text, i);
  if (!fullest || fullest->n <= known)
    return;
  for (guint k = 0; k < fullest->n; k++) {
    const DpTableFragment *f = dp_table_fragment (text, fullest->first + k);
    gboolean free_place = TRUE;
    for (guint c = 0; c < known; c++) {
      const DpTableColumn *column = &g_array_index (columns, DpTableColumn, c);
      free_place = free_place && (f->x1 < column->x0 - 1 || f->x0 > column->x1 + 1);
    }
    if (free_place) {
      const DpTableColumn column = { .x0 = f->x0, .x1 = f->x1 };
      g_array_append_val (columns, column);
    }
  }
  g_array_sort (columns, by_column);
}

/* Cuts columns at vertical rules and puts the borders between them. */
static GArray *
set_borders (const DpFrame *frame, const GArray *columns)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (DpTableColumn));
  guint n_rules = frame->borders ? frame->borders->len : 0;

  for (guint c = 0; c < columns->len; c++) {
    DpTableColumn column = g_array_index (columns, DpTableColumn, c);
    for (guint b = 0; b < n_rules; b++) {
      float x = g_array_index (frame->borders, float, b);
      if (x > column.x0 + 3 && x < column.x1 - 3) {
        const DpTableColumn left = { .x0 = column.x0, .x1 = x };
        g_array_append_val (out, left);
        column.x0 = x;
      }
    }
    g_array_append_val (out, column);
  }
  for (guint c = 0; c < out->len; c++) {
    DpTableColumn *column = &g_array_index (out, DpTableColumn, c);
    const DpTableColumn *next = c + 1 < out->len ? column + 1 : NULL;
    if (c == 0)
      column->b0 = MIN (frame->box.x0, column->x0);
    column->b1 = next ? 0.5f * (column->x1 + next->x0) : MAX (frame->box.x1, column->x1);
    for (guint b = 0; next && b < n_rules; b++) {
      float x = g_array_index (frame->borders, float, b);
      if (x >= column->x1 - 3 && x <= next->x0 + 3)
        column->b1 = x;
    }
    if (next)
      column[1].b0 = column->b1;
  }
  return out;
}

GArray *
dp_table_find_columns (const DpFrame *frame, const DpTableText *text, guint n_header)
{
  guint first = n_header, n = count_lines (text, n_header, 2);
  g_autoptr (GArray) columns = NULL;

  if (n < 2 && count_lines (text, 0, 2) > n) {
    first = 0;
    n = count_lines (text, 0, 2);
  }
  if (n == 0)
    columns = covered_intervals (text, 0, 1, 0);
  else
    columns = covered_intervals (text, first, 2, n < 8 ? 0 : MAX (1u, n / 12));
  add_header_columns (text, n_header, columns);
  return set_borders (frame, columns);
}

/* ---- which columns a fragment fills ------------------------------------------------------------- */

static const DpTableColumn *
column_at (const GArray *columns, guint c)
{
  return &g_array_index (columns, DpTableColumn, c);
}

static guint
column_of (const GArray *columns, float x)
{
  guint c = 0;

  while (c + 1 < columns->len && x >= column_at (columns, c)->b1)
    c++;
  return c;
}

/* Columns whose text the fragment overlaps for a good part; else the one its centre is in. */
static void
set_columns (DpTableFragment *f, const GArray *columns)
{
  guint first = G_MAXUINT, last = 0;

  for (guint c = 0; c < columns->len; c++) {
    const DpTableColumn *column = column_at (columns, c);
    float overlap = MIN (f->x1, column->x1) - MAX (f->x0, column->x0);
    if (overlap > 0.4f * MIN (column->x1 - column->x0, f->x1 - f->x0) && overlap > 0) {
      first = MIN (first, c);
      last = c;
    }
  }
  if (first == G_MAXUINT)
    first = last = column_of (columns, 0.5f * (f->x0 + f->x1));
  f->col = first;
  f->col_span = last - first + 1;
}

/* Word number (from the fragment's first) before which it can be cut between columns c and c + 1; 0 = nowhere. */
static guint
cut_place (const DpTableText *text, const DpTableFragment *f, const GArray *columns, guint c, float em, float min_gap)
{
  float from = column_at (columns, c)->x1 - 0.35f * em, to = column_at (columns, c + 1)->x0 + 0.35f * em, widest = min_gap;
  guint best = 0;

  for (guint i = 1; i < f->n; i++) {
    float left = g_array_index (text->words, DpTableWord, f->first + i - 1).box.x1;
    float right = g_array_index (text->words, DpTableWord, f->first + i).box.x0;
    if (g_array_index (text->words, DpTableWord, f->first + i - 1).sign && i == 1 && f->n > 1
        && g_array_index (text->words, DpTableWord, f->first + 1).number)
      continue; /* a currency sign stays with its number */
    if (right - left > widest && right > from && left < to) {
      widest = right - left;
      best = i;
    }
  }
  return best;
}

static void
measure (const DpTableText *text, DpTableFragment *f)
{
  for (guint i = 0; i < f->n; i++) {
    DpRect box = g_array_index (text->words, DpTableWord, f->first + i).box;
    if (i && g_array_index (text->words, DpTableWord, f->first + i).leader)
      continue;
    f->x0 = i ? MIN (f->x0, box.x0) : box.x0;
    f->x1 = i ? MAX (f->x1, box.x1) : box.x1;
  }
}

/* Appends the fragment to out, cut at the channels it crosses where there is a gap to cut. */
static void
cut_fragment (const DpTableText *text, DpTableFragment f, const GArray *columns, float em, float min_gap, GArray *out)
{
  set_columns (&f, columns);
  for (guint c = f.col; c + 1 < f.col + f.col_span; c++) {
    guint n = cut_place (text, &f, columns, c, em, min_gap);
    if (n) {
      DpTableFragment left = f;
      left.n = n;
      measure (text, &left);
      set_columns (&left, columns);
      g_array_append_val (out, left);
      f.first += n;
      f.n -= n;
      measure (text, &f);
      set_columns (&f, columns);
    }
  }
  g_array_append_val (out, f);
}

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

/* A title over titles that span covers whole groups of them. */
static void
cover_groups (const DpTableText *text, GArray *fragments, guint n_header)
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

static void
span_rule (const DpRule *rule, const GArray *columns, DpTableFragment *f)
{
  guint first = G_MAXUINT, last = 0;

  for (guint c = 0; c < columns->len; c++) {
    const DpTableColumn *column = column_at (columns, c);
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

/* A group's title without a rule: centred on a channel, so on the columns beside it. */
static void
span_centred (const GArray *columns, DpTableFragment *f)
{
  float centre = 0.5f * (f->x0 + f->x1), best = G_MAXFLOAT;
  guint low = 0, high = columns->len - 1, first = f->col, last = f->col + f->col_span - 1;

  if (f->col_span == 1) {
    const DpTableColumn *own = column_at (columns, f->col);
    if (centre > own->x0 - 1 && centre < own->x1 + 1)
      return;
  }
  for (guint a = low; a <= f->col + f->col_span - 1; a++)
    for (guint b = MAX (a, f->col); b <= high; b++) {
      const DpTableColumn *l = column_at (columns, a), *r = column_at (columns, b);
      float off = fabsf (centre - 0.5f * (l->x0 + r->x1)) + 2.0f * (float) (b - a);
      if (l->x0 <= f->x0 + 3 && r->x1 >= f->x1 - 3 && off < best) {
        best = off;
        first = a;
        last = b;
      }
    }
  if (best < 0.2f * (column_at (columns, last)->x1 - column_at (columns, first)->x0) + 6) {
    f->col = first;
    f->col_span = last - first + 1;
  }
}

/* The only title of its line, centred on all columns but the labels' and wider than the one below it. */
static gboolean
span_all (const GArray *columns, DpTableFragment *f, float em)
{
  const DpTableColumn *first = column_at (columns, MIN (1u, columns->len - 1)), *last = column_at (columns, columns->len - 1);
  const DpTableColumn *own = column_at (columns, f->col);

  if (columns->len < 3 || f->col == 0 || f->x1 - f->x0 < own->x1 - own->x0 || fabsf (f->x0 + f->x1 - first->x0 - last->x1) > 3 * em)
    return FALSE;
  f->col = 1;
  f->col_span = columns->len - 1;
  return TRUE;
}

/* No two fragments of a line may claim the same column: the later one gives way. */
static void
settle (GArray *fragments, guint first, const GArray *columns)
{
  for (guint i = first + 1; i < fragments->len; i++) {
    DpTableFragment *left = &g_array_index (fragments, DpTableFragment, i - 1), *f = left + 1;
    guint end = left->col + left->col_span, last = f->col + f->col_span;
    if (end <= f->col)
      continue;
    if (left->col_span > 1 && left->col < f->col)
      left->col_span = f->col - left->col;
    else if (last > end) {
      f->col = end;
      f->col_span = last - end;
    } else if (f->col == left->col && f->col_span == 1 && left->col_span == 1) {
      /* both over one column: push the one that leans outwards to a free neighbour */
      guint before = i - 1 > first ? (left - 1)->col + (left - 1)->col_span : 0;
      if (left->col > before && left->x1 < column_at (columns, left->col)->x0 + 1)
        left->col--;
      else if (f->col + 1 < columns->len && f->x0 > column_at (columns, f->col)->x1 - 1)
        f->col++;
    }
  }
}

void
dp_table_assign_columns (const DpFrame *frame, DpTableText *text, const GArray *columns, guint n_header)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (DpTableFragment));

  for (guint i = 0; i < text->lines->len; i++) {
    DpTableLine *line = &g_array_index (text->lines, DpTableLine, i);
    guint first = out->len;
    gboolean header = i < n_header;
    for (guint k = 0; k < line->n; k++) {
      DpTableFragment f = g_array_index (text->fragments, DpTableFragment, line->first + k);
      const DpRule *rule = header ? rule_under (frame, text, i, &f) : NULL;
      if (rule && rule->from - 3 < f.x0 && rule->to + 3 > f.x1 && count_over (text, line, rule) == 1) {
        set_columns (&f, columns);
        span_rule (rule, columns, &f);
        g_array_append_val (out, f);
        continue;
      }
      cut_fragment (text, f, columns, line->size, header ? 0.42f * line->size : line->n > 1 ? 0.2f * line->size : 0.5f * line->size, out);
      if (!header || i + 1 >= n_header || dp_table_line (text, i + 1)->n <= line->n)
        continue;
      if (line->n > 1 || dp_table_line (text, i + 1)->n + 1 < columns->len
          || !span_all (columns, &g_array_index (out, DpTableFragment, out->len - 1), line->size))
        span_centred (columns, &g_array_index (out, DpTableFragment, out->len - 1));
    }
    settle (out, first, columns);
    line->first = first;
    line->n = out->len - first;
  }
  cover_groups (text, out, MIN (n_header, text->lines->len));
  g_array_unref (text->fragments);
  text->fragments = out;
}
