/* layout/scan_leaders.c - the dots from a title to its page number become a line of their own.
 *
 * A reader counts a hundred dots badly, and what stands before and after them suffers.  Equal small pieces in equal
 * steps on one level need no reader at all.
 */
#include "layout/scan_private.h"

#include <stdlib.h>

#define LEAST_DOTS 5u
#define LARGEST 0.3f /* units: of a dot */
#define WIDEST 3.0f  /* units from dot to dot */

typedef struct {
  const GArray *parts;
  float unit;
  guint self, best;
} Next;

static const DpScanPart *
part_at (const GArray *parts, guint i)
{
  return &g_array_index (parts, DpScanPart, i);
}

static gboolean
is_dot (const DpScanPart *p, float unit)
{
  const gint w = p->x1 - p->x0, h = p->y1 - p->y0;

  return p->dot && (float) MAX (w, h) <= MAX (3, LARGEST * unit) && 2 * MIN (w, h) >= MAX (w, h) - 1;
}

static gint
slack_of (float unit)
{
  return MAX (2, (gint) (0.2f * unit));
}

static void
visit_dot (guint id, gpointer data)
{
  Next *n = data;
  const DpScanPart *a = part_at (n->parts, n->self), *b = part_at (n->parts, id);

  if (id != n->self && abs (a->y1 - b->y1) <= slack_of (n->unit) && (n->best == G_MAXUINT || b->x0 < part_at (n->parts, n->best)->x0))
    n->best = id;
}

/* For each dot the next one on its right, G_MAXUINT if there is none near; the same for what are no dots. */
static guint *
next_dots (const GArray *parts, float unit)
{
  g_autoptr (DpScanIndex) index = dp_scan_index_new (unit);
  guint *next = g_new (guint, parts->len + 1);

  for (guint i = 0; i < parts->len; i++)
    if (is_dot (part_at (parts, i), unit))
      dp_scan_index_add (index, part_at (parts, i)->x0, part_at (parts, i)->y0, part_at (parts, i)->y1, i);
  dp_scan_index_sort (index);
  for (guint i = 0; i < parts->len; i++) {
    const DpScanPart *p = part_at (parts, i);
    Next n = { parts, unit, i, G_MAXUINT };
    if (is_dot (p, unit))
      dp_scan_index_look (index, p->x0 + 1, p->x0 + (gint) (WIDEST * unit), p->y0 - (gint) unit, p->y1 + (gint) unit, visit_dot, &n);
    next[i] = n.best;
  }
  return next;
}

/* How many dots follow each other from i on in equal steps. */
static guint
length_of (const GArray *parts, const guint *next, guint i, float unit)
{
  gint step = 0;
  guint n = 1;

  for (; next[i] != G_MAXUINT && !part_at (parts, next[i])->leader; i = next[i], n++) {
    const gint here = part_at (parts, next[i])->x0 - part_at (parts, i)->x0;
    if (step && abs (here - step) > slack_of (unit))
      break;
    step = here;
  }
  return n;
}

static gint
compare_by_x (gconstpointer a, gconstpointer b, gpointer parts)
{
  return part_at (parts, *(const guint *) a)->x0 - part_at (parts, *(const guint *) b)->x0;
}

guint
dp_scan_mark_leaders (GArray *parts, float unit)
{
  g_autofree guint *next = next_dots (parts, unit);
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (guint));
  guint count = 0;

  for (guint i = 0; i < parts->len; i++) {
    g_array_index (parts, DpScanPart, i).leader = 0;
    if (next[i] != G_MAXUINT)
      g_array_append_val (order, i);
  }
  g_array_sort_with_data (order, compare_by_x, parts);
  for (guint k = 0; k < order->len; k++) {
    guint i = g_array_index (order, guint, k), n;
    if (part_at (parts, i)->leader || (n = length_of (parts, next, i, unit)) < LEAST_DOTS)
      continue;
    for (count++; n > 0; n--, i = next[i])
      g_array_index (parts, DpScanPart, i).leader = count;
  }
  return count;
}
