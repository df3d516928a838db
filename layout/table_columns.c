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

/* How many fragments a line of the body has at least to tell channels: half of what two lines have. */
static guint
telling_fragments (const DpTableText *text, guint first)
{
  guint most = 0, second = 0;

  for (guint i = first; i < text->lines->len; i++) {
    guint n = dp_table_line (text, i)->n;
    second = MAX (second, MIN (n, most));
    most = MAX (most, n);
  }
  return MAX (2u, (MAX (second, 2u) + 1) / 2);
}

/* Text that stands over no column so far makes one of its own: a title over an empty column, a rare entry. */
static void
add_lone_columns (const DpTableText *text, GArray *columns)
{
  for (guint k = 0; k < text->fragments->len && columns->len < MAX_COLUMNS; k++) {
    const DpTableFragment *f = dp_table_fragment (text, k);
    gboolean free_place = TRUE;
    guint at = 0;
    for (guint c = 0; c < columns->len && free_place; c++) {
      const DpTableColumn *column = &g_array_index (columns, DpTableColumn, c);
      free_place = f->x1 < column->x0 - 1 || f->x0 > column->x1 + 1;
      at = column->x0 < f->x0 ? c + 1 : at;
    }
    if (free_place) {
      const DpTableColumn column = { .x0 = f->x0, .x1 = f->x1 };
      g_array_insert_val (columns, at, column);
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
  guint first = n_header, n = count_lines (text, n_header, 2), least;
  g_autoptr (GArray) columns = NULL;

  if (n < 2 && count_lines (text, 0, 2) > n)
    first = 0;
  least = telling_fragments (text, first);
  n = count_lines (text, first, least);
  if (n == 0)
    columns = covered_intervals (text, 0, 1, 0);
  else
    columns = covered_intervals (text, first, least, n < 8 ? 0 : MAX (1u, n / 12));
  add_lone_columns (text, columns);
  return set_borders (frame, columns);
}
