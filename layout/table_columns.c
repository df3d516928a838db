/* layout/table_columns.c - columns of a table without vertical rules: white channels.
 *
 * A channel is a strip of the body that (almost) no fragment crosses.  The header takes no
 * part in finding channels, for its titles may span columns, nor do lines with few
 * fragments, which may be titles or sums; both only add columns that the others leave
 * empty.
 */
#include <stdlib.h>

#include "layout/tables.h"

#define MAX_COLUMNS 400u
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

/* The most fragments that two lines of the body have. */
static guint
most_fragments (const DpTableText *text, guint first)
{
  guint most = 0, second = 0;

  for (guint i = first; i < text->lines->len; i++) {
    guint n = dp_table_line (text, i)->n;
    second = MAX (second, MIN (n, most));
    most = MAX (most, n);
  }
  return MAX (2u, second);
}

/* TRUE if the line has text in both columns, and none that crosses from one into the other. */
static gboolean
fills_both (const DpTableText *text, const DpTableLine *line, const DpTableColumn *a, const DpTableColumn *b, gboolean *crosses)
{
  gboolean left = FALSE, right = FALSE;

  for (guint k = line->first; k < line->first + line->n; k++) {
    const DpTableFragment *f = dp_table_fragment (text, k);
    gboolean in_a = f->x0 < a->x1 && f->x1 > a->x0, in_b = f->x0 < b->x1 && f->x1 > b->x0;
    *crosses = *crosses || (in_a && in_b);
    left = left || (in_a && !in_b);
    right = right || (in_b && !in_a);
  }
  return left && right;
}

/* Two columns that no line fills both, and that some text crosses, are one with ragged text. */
static void
merge_exclusive (const DpTableText *text, guint first, GArray *columns)
{
  for (guint c = 0; c + 1 < columns->len;) {
    DpTableColumn *a = &g_array_index (columns, DpTableColumn, c);
    gboolean both = FALSE, crosses = FALSE;
    for (guint i = first; i < text->lines->len && !both; i++)
      both = fills_both (text, dp_table_line (text, i), a, a + 1, &crosses);
    if (both || !crosses) {
      c++;
      continue;
    }
    a->x1 = MAX (a->x1, a[1].x1);
    g_array_remove_index (columns, c + 1);
  }
}

#define MANY 4u /* full lines for each that crosses */

/* TRUE if text of a less full line begins with column a and goes into the next one. */
static gboolean
is_crossing (const DpTableLine *line, const DpTableText *text, guint most, const DpTableColumn *a)
{
  for (guint k = line->first; line->n > 1 && line->n < most && k < line->first + line->n; k++) {
    const DpTableFragment *f = dp_table_fragment (text, k);
    if (f->x0 > a->x0 - 0.6f * line->size && f->x0 < a->x0 + 0.6f * line->size && f->x1 > a[1].x0 + 1)
      return TRUE;
  }
  return FALSE;
}

/* Merges columns that text of less full lines crosses from the left one's left edge on: a label with its
 * bullet or number.  Where most lines are full, a few that cross are too long for their cell. */
static void
merge_crossed (const DpTableText *text, guint first, guint most, GArray *columns)
{
  for (guint c = 0; c + 1 < columns->len;) {
    DpTableColumn *a = &g_array_index (columns, DpTableColumn, c);
    guint crossing = 0;
    for (guint i = first; i < text->lines->len; i++)
      crossing += is_crossing (dp_table_line (text, i), text, most, a) ? 1 : 0;
    if (crossing == 0 || crossing * MANY < count_lines (text, first, most)) {
      c++;
      continue;
    }
    a->x1 = MAX (a->x1, a[1].x1);
    g_array_remove_index (columns, c + 1);
  }
}

/* The channels of the body.  Lines with few fragments may be titles or sums over several columns; where
 * enough lines are full, those alone tell. */
static GArray *
body_columns (const DpTableText *text, guint first)
{
  guint most = most_fragments (text, first), half = MAX (2u, (most + 1) / 2), n = count_lines (text, first, half);
  guint full = count_lines (text, first, most);
  GArray *columns, *finer;

  if (n == 0)
    return covered_intervals (text, 0, 1, 0);
  columns = covered_intervals (text, first, half, n < 8 ? 0 : MAX (1u, n / 12));
  if (most == half || (full < 3 && full * 5 < n * 2))
    return columns;
  finer = covered_intervals (text, first, most, 0);
  merge_crossed (text, first, most, finer);
  if (finer->len > columns->len) {
    g_array_unref (columns);
    return finer;
  }
  g_array_unref (finer);
  return columns;
}

/* Adds a column for a fragment that stands over none. */
static void
add_lone_column (const DpTableFragment *f, GArray *columns)
{
  const DpTableColumn column = { .x0 = f->x0, .x1 = f->x1 };
  guint at = 0;

  for (guint c = 0; c < columns->len; c++) {
    const DpTableColumn *known = &g_array_index (columns, DpTableColumn, c);
    if (f->x1 >= known->x0 - 1 && f->x0 <= known->x1 + 1)
      return;
    at = known->x0 < f->x0 ? c + 1 : at;
  }
  g_array_insert_val (columns, at, column);
}

/* Columns that the chosen lines leave empty: under titles of the header's fullest line, with a rare entry,
 * or beside all others.  Text close to its neighbour tells nothing. */
static void
add_lone_columns (const DpFrame *frame, const DpTableText *text, guint n_header, GArray *columns)
{
  guint most = 2;

  for (guint i = 0; i < n_header; i++)
    most = MAX (most, dp_table_line (text, i)->n);
  for (guint i = 0; i < text->lines->len; i++) {
    const DpTableLine *line = dp_table_line (text, i);
    for (guint k = line->first; k < line->first + line->n && columns->len && columns->len < MAX_COLUMNS; k++) {
      const DpTableFragment *f = dp_table_fragment (text, k);
      const DpTableColumn *first = &g_array_index (columns, DpTableColumn, 0);
      const DpTableColumn *last = &g_array_index (columns, DpTableColumn, columns->len - 1);
      float gap = 1.5f * line->size;
      gboolean close = (k > line->first && f->x0 - f[-1].x1 < gap) || (k + 1 < line->first + line->n && f[1].x0 - f->x1 < gap);
      if (frame->statement && !dp_table_is_number (text, f))
        continue;
      if (line->n >= (i < n_header ? most : 2) ? !close : f->x1 < first->x0 - line->size || f->x0 > last->x1 + line->size)
        add_lone_column (f, columns);
    }
  }
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
  guint first = n_header;
  g_autoptr (GArray) columns = NULL;

  if (count_lines (text, n_header, 2) < 2 && count_lines (text, 0, 2) > count_lines (text, n_header, 2))
    first = 0;
  columns = body_columns (text, first);
  merge_exclusive (text, first, columns);
  add_lone_columns (frame, text, n_header, columns);
  return set_borders (frame, columns);
}
