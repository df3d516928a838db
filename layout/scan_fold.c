/* layout/scan_fold.c - a picture that shows two pages of an open book.
 *
 * Between the two lies a valley from top to bottom that no line, no rule and no picture crosses, wider than between columns, and both sides
 * hold running text.  Tables and slides over the whole width have rules or titles across, and cells instead of lines of words.
 * A page of two columns that passes is read in the same order as two pages would be.
 */
#include "layout/scan_private.h"
#include "layout/compare.h"

#include <stdlib.h>

#define LEAST_RATIO 1.15  /* width to height of the picture */
#define WINDOW 0.14       /* of the width: how far from its middle the fold may be */
#define LEAST_VALLEY 3.0f /* em */
#define DEEP_VALLEY 6.0f  /* em: no gutter between columns */
#define LEAST_PARTS 4u    /* pieces of a line that says something: shadows leave specks in the valley */
#define WIDE 12.0f        /* em: a line of running text */
#define LEAST_WIDE 6u     /* such lines on each side ... */
#define WIDE_SHARE 0.45f  /* ... and their share of the widths of all; the same of a deep valley: */
#define LEAST_WIDE_DEEP 3u
#define WIDE_SHARE_DEEP 0.3f

static const DpScanLine *
line_at (const DpScan *scan, guint i)
{
  return &g_array_index (scan->lines, DpScanLine, i);
}

static float
usual_em (const DpScan *scan)
{
  g_autoptr (GArray) ems = g_array_new (FALSE, FALSE, sizeof (float));

  for (guint i = 0; i < scan->lines->len; i++) {
    const DpScanLine *l = line_at (scan, i);
    if ((float) (l->x1 - l->x0) > WIDE * l->em)
      g_array_append_val (ems, l->em);
  }
  g_array_sort (ems, dp_compare_floats);
  return ems->len >= 2 * LEAST_WIDE_DEEP ? g_array_index (ems, float, ems->len / 2) : 0;
}

static void
cover (gint *crossed, gint from, gint n, gint x0, gint x1)
{
  crossed[CLAMP (x0 - from, 0, n)]++;
  crossed[CLAMP (x1 - from, 0, n)]--;
}

/* The widest run of columns around the middle that nothing crosses. */
static gint
valley_of (const DpScan *scan, gint *middle)
{
  const gint from = (gint) ((0.5 - WINDOW) * scan->w), n = (gint) (2 * WINDOW * scan->w);
  g_autofree gint *crossed = g_new0 (gint, n + 1);
  gint run = 0, best = 0, deep = 0;

  for (guint i = 0; i < scan->lines->len; i++)
    if (line_at (scan, i)->n_parts >= LEAST_PARTS)
      cover (crossed, from, n, line_at (scan, i)->x0, line_at (scan, i)->x1);
  for (guint i = 0; i < scan->rules->len; i++) {
    const DpScanRule *r = &g_array_index (scan->rules, DpScanRule, i);
    if (!r->vertical) /* an upright one may be the shadow of the fold itself */
      cover (crossed, from, n, r->x0, r->x1);
  }
  for (guint i = 0; i < scan->photos->len; i++)
    cover (crossed, from, n, g_array_index (scan->photos, DpScanRule, i).x0, g_array_index (scan->photos, DpScanRule, i).x1);
  for (gint x = 0; x < n; x++) {
    deep += crossed[x];
    run = deep ? 0 : run + 1;
    if (run > best) {
      best = run;
      *middle = from + x + 1 - run / 2;
    }
  }
  return best;
}

/* Whether the lines between two columns of pixels are running text. */
static gboolean
is_prose (const DpScan *scan, gint x0, gint x1, float em, gboolean deep)
{
  float wide = 0, all = 0;
  guint n = 0;

  for (guint i = 0; i < scan->lines->len; i++) {
    const DpScanLine *l = line_at (scan, i);
    const float width = (float) (l->x1 - l->x0);
    if (l->x0 < x0 || l->x1 > x1)
      continue;
    all += width;
    wide += width >= WIDE * em ? width : 0;
    n += width >= WIDE * em;
  }
  return n >= (deep ? LEAST_WIDE_DEEP : LEAST_WIDE) && wide >= (deep ? WIDE_SHARE_DEEP : WIDE_SHARE) * all;
}

gboolean
dp_scan_find_fold (const DpScan *scan, gint *x)
{
  const float em = (double) scan->w >= LEAST_RATIO * scan->h ? usual_em (scan) : 0;

  const float valley = em > 0 ? (float) valley_of (scan, x) / em : 0;
  const gboolean deep = valley >= DEEP_VALLEY;

  return valley >= LEAST_VALLEY && is_prose (scan, 0, *x, em, deep) && is_prose (scan, *x, scan->w, em, deep);
}
