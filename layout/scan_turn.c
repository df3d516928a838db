/* layout/scan_turn.c - which way the sheet lies, and its skew.
 *
 * Letters of a line stand closer together than lines do, so the nearest neighbour of a letter is
 * beside it on a page that stands or hangs, above or below it on one that lies.  Upright or upside
 * down is a question of letters: in Latin script (and Greek, Cyrillic) several times as many reach above
 * the others (b d f h k l t, capitals) as below (g p q y), and full stops and commas stand on the
 * baseline.  The measure is that of Leptonica's pixUpDownDetect(), on lines instead of templates.
 * Skew: pixFindSkewSweepAndSearch() (Postl's sum of squared differences of rows), and the slopes of the lines themselves where these
 * are too few for it.
 */
#include "layout/scan_private.h"

#include <math.h>
#include <stdlib.h>

#define MOST_SKEW 7.0f
#define USUAL_UNIT 5.5   /* points: height of the letters of usual type, x-height to capitals */
#define LEAST_SKEW 0.04  /* degrees; less does not pay */
#define LEAST_LETTERS 8u /* of a line that has a slope */
#define LEAST_LINES 3u
#define AGREE 0.3               /* degrees between one line and another */
#define LEAST_SKEW_OF_LINES 0.2 /* degrees; halves of a line say it less exactly than a page of rows */
#define LEAST_CONFIDENCE 2.5f   /* of Leptonica; it takes 3 itself, for smaller pictures */

static gint
compare_ints (gconstpointer a, gconstpointer b)
{
  return *(const gint *) a - *(const gint *) b;
}

/* FALSE if the rows of the page say nothing for sure. */
static gboolean
skew_of (PIX *ink, double *skew)
{
  const DpLeptonica *l = dp_leptonica ();
  const gint side = MIN (l->pixGetWidth (ink), l->pixGetHeight (ink));
  l_float32 angle = 0, confidence = 0, score = 0;

  *skew = 0;
  if (side < 64)
    return FALSE;
  if (l->pixFindSkewSweepAndSearchScore (ink, &angle, &confidence, &score, side > 1000 ? 4 : 2, side > 1000 ? 2 : 1, 0, MOST_SKEW, 1.0f,
                                         0.01f)
          != 0
      || confidence < LEAST_CONFIDENCE || fabsf (angle) > MOST_SKEW)
    return FALSE;
  if (fabs ((double) angle) >= LEAST_SKEW)
    *skew = (double) angle;
  return TRUE;
}

void
dp_scan_find_turn (DpScan *scan, gboolean upright)
{
  const DpLeptonica *l = dp_leptonica ();
  float unit;
  g_autoptr (GArray) parts = dp_scan_parts_of (scan->ink, scan->dpi, &unit);

  /* Pictures lie about their resolution, and slides are not printed at all. */
  scan->ruler = CLAMP (72 / USUAL_UNIT * (double) unit, 0.5 * scan->dpi, 2.2 * scan->dpi);
  scan->screened = dp_scan_is_screened (parts, unit);
  scan->turn = !upright && dp_scan_beside_share (parts, unit) < 0.5 ? 90 : 0;
  PIX *turned = scan->turn ? l->pixRotateOrth (scan->ink, 1) : NULL;
  scan->skewed_for_sure = skew_of (turned ? turned : scan->ink, &scan->skew);
  l->pixDestroy (&turned);
}

/* ---- the skew of a few lines ------------------------------------------------------------------------------ */

typedef struct {
  float degrees, weight;
} Slope;

static gint
compare_slopes (gconstpointer a, gconstpointer b)
{
  const Slope *x = a, *y = b;

  return (x->degrees > y->degrees) - (x->degrees < y->degrees);
}

/* Where the letters i..end-1 of a line stand: the middle of their feet and of their places. */
static void
middle_of (const DpScan *scan, const guint *letters, guint n, float *x, float *y)
{
  g_autofree gint *feet = g_new (gint, n);

  for (guint i = 0; i < n; i++)
    feet[i] = g_array_index (scan->parts, DpScanPart, letters[i]).y1;
  qsort (feet, n, sizeof *feet, compare_ints);
  *y = 0.5f * (float) (feet[(n - 1) / 2] + feet[n / 2]);
  *x = 0.5f * (float) (g_array_index (scan->parts, DpScanPart, letters[0]).x0 + g_array_index (scan->parts, DpScanPart, letters[n - 1]).x1);
}

/* From the first half of a line to the second; descenders do not move a median. */
static gboolean
slope_of (const DpScan *scan, const DpScanLine *line, Slope *out)
{
  g_autofree guint *letters = g_new (guint, line->n_parts + 1);
  guint n = 0;
  float x[2], y[2];

  for (guint k = 0; k < line->n_parts; k++)
    if (!g_array_index (scan->parts, DpScanPart, line->first_part + k).dot)
      letters[n++] = line->first_part + k;
  if (n < LEAST_LETTERS)
    return FALSE;
  middle_of (scan, letters, n / 2, &x[0], &y[0]);
  middle_of (scan, letters + n / 2, n - n / 2, &x[1], &y[1]);
  if (x[1] - x[0] < 2 * line->em)
    return FALSE;
  /* positive is clockwise: what has to be done about a line that rises to the right */
  *out = (Slope){ atan2f (y[0] - y[1], x[1] - x[0]) * 180 / (float) G_PI, x[1] - x[0] };
  return TRUE;
}

double
dp_scan_skew_of_lines (const DpScan *scan)
{
  g_autoptr (GArray) slopes = g_array_new (FALSE, FALSE, sizeof (Slope));
  float all = 0, sum = 0, near = 0;
  double middle = 0;

  for (guint i = 0; i < scan->lines->len; i++) {
    Slope slope;
    if (slope_of (scan, &g_array_index (scan->lines, DpScanLine, i), &slope)) {
      g_array_append_val (slopes, slope);
      all += slope.weight;
    }
  }
  g_array_sort (slopes, compare_slopes);
  for (guint i = 0; i < slopes->len && 2 * sum < all; i++) {
    sum += g_array_index (slopes, Slope, i).weight;
    middle = (double) g_array_index (slopes, Slope, i).degrees;
  }
  for (guint i = 0; i < slopes->len; i++)
    if (fabs ((double) g_array_index (slopes, Slope, i).degrees - middle) < AGREE)
      near += g_array_index (slopes, Slope, i).weight;
  return slopes->len >= LEAST_LINES && near > 0.6f * all && fabs (middle) > LEAST_SKEW_OF_LINES && fabs (middle) < (double) MOST_SKEW
             ? middle
             : 0;
}

/* ---- upright or upside down ------------------------------------------------------------------------------ */

/* Adds what the letters of a line say: how many reach above the others and how many below. */
static void
ask_line (const DpScan *scan, const DpScanLine *line, double *up, double *down)
{
  g_autoptr (GArray) tops = g_array_new (FALSE, FALSE, sizeof (gint)), feet = g_array_new (FALSE, FALSE, sizeof (gint));

  for (guint i = 0; i < line->n_parts; i++) {
    const DpScanPart *p = &g_array_index (scan->parts, DpScanPart, line->first_part + i);
    if (p->dot)
      continue;
    g_array_append_val (tops, p->y0);
    g_array_append_val (feet, p->y1);
  }
  if (tops->len < 6)
    return;
  g_array_sort (tops, compare_ints);
  g_array_sort (feet, compare_ints);
  const gint top = g_array_index (tops, gint, tops->len / 2), foot = g_array_index (feet, gint, feet->len / 2), h = foot - top;
  for (guint i = 0; i < line->n_parts; i++) {
    const DpScanPart *p = &g_array_index (scan->parts, DpScanPart, line->first_part + i);
    const gint above = top - p->y0, below = p->y1 - foot;
    if (p->dot) { /* a full stop or comma on the baseline; hyphens stand in the middle */
      *up += 0.5 * (abs (p->y1 - foot) < h / 3 && p->y0 > top + h / 2);
      *down += 0.5 * (abs (p->y0 - top) < h / 3 && p->y1 < foot - h / 2);
    } else if (4 * above > h && 6 * abs (below) < h && above < h)
      *up += 1;
    else if (4 * below > h && 6 * abs (above) < h && below < h)
      *down += 1;
  }
}

gboolean
dp_scan_is_upside_down (const DpScan *scan, double *certainty)
{
  double up = 0, down = 0;

  for (guint i = 0; i < scan->lines->len; i++)
    ask_line (scan, &g_array_index (scan->lines, DpScanLine, i), &up, &down);
  *certainty = up + down > 0 ? fabs (up - down) / sqrt (up + down) : 0;
  return down > up;
}
