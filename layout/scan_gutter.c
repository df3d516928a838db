/* layout/scan_gutter.c - what a line of text may not cross: white space between columns, upright rules.
 *
 * A gap inside a line has text above and below it, a gutter goes on through the rows around.  Rows are
 * looked at one line distance apart; only those with ink on both sides of the strip say anything.  Ink is
 * counted on the page at a quarter of its resolution by sums over rectangles (Crow's summed areas), so a
 * question costs the same however large the gap.
 */
#include "layout/scan_private.h"

#include <stdlib.h>

#define QUARTER 4
#define ROWS 6      /* rows looked at in each direction */
#define PITCH 1.25f /* em from row to row */
#define FLANK 5.0f  /* em on each side in which a row's own text has to be */

struct DpScanGutter {
  gint w, h;     /* of the small page */
  guint32 *sums; /* (w + 1) x (h + 1) */
  GArray *rules; /* DpScanRule, upright, by x */
};

static gint
compare_rules (gconstpointer a, gconstpointer b)
{
  return ((const DpScanRule *) a)->x0 - ((const DpScanRule *) b)->x0;
}

DpScanGutter *
dp_scan_gutter_new (const DpScan *scan)
{
  const DpLeptonica *l = dp_leptonica ();
  DpScanGutter *g = g_new0 (DpScanGutter, 1);
  PIX *small = l->pixReduceRankBinaryCascade (scan->ink, 1, 1, 0, 0);

  g->w = small ? l->pixGetWidth (small) : 0;
  g->h = small ? l->pixGetHeight (small) : 0;
  g->sums = g_new0 (guint32, (gsize) (g->w + 1) * (gsize) (g->h + 1));
  for (gint y = 0; y < g->h; y++) {
    const l_uint32 *row = l->pixGetData (small) + (gsize) y * (gsize) l->pixGetWpl (small);
    const guint32 *above = g->sums + (gsize) y * (gsize) (g->w + 1);
    guint32 *here = g->sums + (gsize) (y + 1) * (gsize) (g->w + 1), sum = 0;
    for (gint x = 0; x < g->w; x++) {
      sum += GET_DATA_BIT (row, x);
      here[x + 1] = above[x + 1] + sum;
    }
  }
  l->pixDestroy (&small);
  g->rules = g_array_new (FALSE, FALSE, sizeof (DpScanRule));
  for (guint i = 0; i < scan->rules->len; i++)
    if (g_array_index (scan->rules, DpScanRule, i).vertical)
      g_array_append_val (g->rules, g_array_index (scan->rules, DpScanRule, i));
  g_array_sort (g->rules, compare_rules);
  return g;
}

void
dp_scan_gutter_free (DpScanGutter *g)
{
  if (!g)
    return;
  g_free (g->sums);
  g_array_unref (g->rules);
  g_free (g);
}

/* Ink in a rectangle of the full page. */
static guint32
ink_in (const DpScanGutter *g, gint x0, gint y0, gint x1, gint y1)
{
  const gint a = CLAMP (x0 / QUARTER, 0, g->w), b = CLAMP (x1 / QUARTER, a, g->w);
  const gint c = CLAMP (y0 / QUARTER, 0, g->h), d = CLAMP (y1 / QUARTER, c, g->h);
  const gsize stride = (gsize) g->w + 1;

  return g->sums[(gsize) d * stride + (gsize) b] - g->sums[(gsize) c * stride + (gsize) b] - g->sums[(gsize) d * stride + (gsize) a]
         + g->sums[(gsize) c * stride + (gsize) a];
}

/* How many rows in one direction leave the strip from..to white between text. */
static guint
white_rows (const DpScanGutter *g, gint from, gint to, float baseline, float em, gint step)
{
  const gint flank = (gint) (FLANK * em);
  guint rows = 0;

  for (gint i = 1; i <= ROWS; i++) {
    const float foot = baseline + (float) (step * i) * PITCH * em;
    const gint y0 = (gint) (foot - 0.85f * em), y1 = (gint) (foot + 0.4f * em);

    if (ink_in (g, from, y0, to, y1) > 0)
      break;
    rows += ink_in (g, from - flank, y0, from, y1) > 2 && ink_in (g, to, y0, to + flank, y1) > 2;
  }
  return rows;
}

gboolean
dp_scan_gutter_bars (const DpScanGutter *g, gint from, gint to, float baseline, float em)
{
  const gint gap = to - from;
  const guint needed = (float) gap > 1.5f * em ? 2 : (float) gap > 0.8f * em ? 3 : 5;

  /* Ragged lines leave more white on one side than the column has: try three strips. */
  for (gint k = 0; k < 3; k++) {
    const gint width = MAX (gap * 2 / 5, QUARTER + 1), at = from + (gap - width) * (1 + 2 * k) / 6;
    if (white_rows (g, at, at + width, baseline, em, -1) + white_rows (g, at, at + width, baseline, em, 1) >= needed)
      return TRUE;
  }
  return FALSE;
}

gboolean
dp_scan_rule_bars (const DpScanGutter *g, gint from, gint to, gint y0, gint y1)
{
  guint lo = 0, hi = g->rules->len;
  const gint middle = y0 + (y1 - y0) / 2;

  while (lo < hi) {
    const guint mid = lo + (hi - lo) / 2;
    if (g_array_index (g->rules, DpScanRule, mid).x0 < from - 8)
      lo = mid + 1;
    else
      hi = mid;
  }
  for (; lo < g->rules->len && g_array_index (g->rules, DpScanRule, lo).x0 < to; lo++) {
    const DpScanRule *r = &g_array_index (g->rules, DpScanRule, lo);
    if (r->x1 > from && r->y0 <= middle && r->y1 >= middle)
      return TRUE;
  }
  return FALSE;
}
