/* layout/scan_bend.c - paper that does not lie flat: the slopes of its lines of text make it straight again.
 *
 * Every few letters of a line have a slope.  Over the page the slopes are a smooth field: that of a polynomial in x and y for the curl towards a
 * spine and for lines that converge in the distance.  It is fitted to all of them with outliers weighed down, and what
 * follows the field from the middle of the page outwards is a line of text that was straight on paper.
 * As in Leptonica's dewarping the field comes from the text alone; slopes instead of whole lines do with short and broken ones.
 * Margins that lean are put upright by the ends of the lines.
 */
#include "layout/scan_private.h"
#include "layout/compare.h"

#include <math.h>
#include <stdlib.h>

#define IN_X 4u /* powers of x, from 1 */
#define IN_Y 3u /* powers of y, from 0 */
#define TERMS (IN_X * IN_Y)
#define LETTERS 8u         /* that have a slope */
#define LEAST_SLOPES 40u   /* of the page */
#define ROUNDS 4u          /* of fitting */
#define LEAST_SPREAD 0.004 /* slopes are measured to that */
#define RIDGE 2e-4         /* of the weights: keeps apart what the page cannot tell apart */
#define BOW 0.35f          /* em: lines that rise and fall by less need no help */
#define EXPLAINED 0.6f     /* most of the usual slope that may be left */
#define LONG_LINE 0.55f    /* of the longest: its ends are margins */
#define LEAN 0.008         /* of a margin: half a degree */
#define STEP 12.0          /* pixels between nodes */

typedef struct {
  double x, y, slope, weight;
} Slope;

typedef struct {
  const DpScan *scan;
  GArray *slopes; /* Slope */
  double cx, cy, size;
  DpRect hull; /* of the slopes; beyond it the field goes on as at its rim */
  double terms[TERMS];
  double em;
  double left[2], right[2]; /* margins: x at y = 0, lean */
} Bend;

/* ---- slopes ---------------------------------------------------------------------------------------------- */

static void
middle_of (const DpScan *scan, const guint *letters, guint n, double *x, double *y)
{
  float feet[LETTERS] = { 0 };

  for (guint i = 0; i < n; i++)
    feet[i] = (float) g_array_index (scan->parts, DpScanPart, letters[i]).y1;
  qsort (feet, n, sizeof *feet, dp_compare_floats);
  *y = 0.5 * (double) (feet[(n - 1) / 2] + feet[n / 2]);
  *x = 0.5 * (g_array_index (scan->parts, DpScanPart, letters[0]).x0 + g_array_index (scan->parts, DpScanPart, letters[n - 1]).x1);
}

static void
add_slopes (Bend *b, const DpScanLine *line)
{
  g_autofree guint *letters = g_new (guint, line->n_parts + 1);
  guint n = 0;

  for (guint k = 0; k < line->n_parts; k++)
    if (!g_array_index (b->scan->parts, DpScanPart, line->first_part + k).dot)
      letters[n++] = line->first_part + k;
  for (guint i = 0; i + LETTERS <= n; i += LETTERS / 2) {
    double x[2], y[2];
    middle_of (b->scan, letters + i, LETTERS / 2, &x[0], &y[0]);
    middle_of (b->scan, letters + i + LETTERS / 2, LETTERS / 2, &x[1], &y[1]);
    const Slope s = { 0.5 * (x[0] + x[1]), 0.5 * (y[0] + y[1]), (y[1] - y[0]) / MAX (1, x[1] - x[0]), x[1] - x[0] };
    if (s.weight < 1.5 * (double) line->em || fabs (s.slope) > 0.5)
      continue;
    g_array_append_val (b->slopes, s);
    b->hull = b->slopes->len == 1 ? (DpRect){ (float) s.x, (float) s.y, (float) s.x, (float) s.y }
                                  : dp_rect_union (b->hull, (DpRect){ (float) s.x, (float) s.y, (float) s.x, (float) s.y });
  }
}

/* ---- the field ------------------------------------------------------------------------------------------------ */

static void
terms_at (const Bend *b, double x, double y, double terms[TERMS])
{
  const double u = (CLAMP (x, (double) b->hull.x0, (double) b->hull.x1) - b->cx) / b->size;
  const double v = (CLAMP (y, (double) b->hull.y0, (double) b->hull.y1) - b->cy) / b->size;
  double in_x = 1;

  for (guint i = 0; i < IN_X; i++, in_x *= u) {
    double in_y = (i + 1) * in_x;
    for (guint k = 0; k < IN_Y; k++, in_y *= v)
      terms[i * IN_Y + k] = in_y;
  }
}

static double
field_at (const Bend *b, double x, double y)
{
  double terms[TERMS], sum = 0;

  terms_at (b, x, y, terms);
  for (guint i = 0; i < TERMS; i++)
    sum += b->terms[i] * terms[i];
  return sum;
}

/* Gauss with pivots; the matrix is positive definite by its ridge. */
static void
solve (double m[TERMS][TERMS + 1], double out[TERMS])
{
  for (guint i = 0; i < TERMS; i++) {
    guint pivot = i;
    for (guint k = i + 1; k < TERMS; k++)
      if (fabs (m[k][i]) > fabs (m[pivot][i]))
        pivot = k;
    for (guint c = 0; c <= TERMS; c++) {
      const double t = m[i][c];
      m[i][c] = m[pivot][c];
      m[pivot][c] = t;
    }
    for (guint k = i + 1; k < TERMS; k++) {
      const double f = m[k][i] / m[i][i];
      for (guint c = i; c <= TERMS; c++)
        m[k][c] -= f * m[i][c];
    }
  }
  for (guint i = TERMS; i-- > 0;) {
    out[i] = m[i][TERMS];
    for (guint c = i + 1; c < TERMS; c++)
      out[i] -= m[i][c] * out[c];
    out[i] /= m[i][i];
  }
}

/* The middle one of |slope - field|; of |slope| before there is a field. */
static float
usual_rest (const Bend *b)
{
  g_autoptr (GArray) rests = g_array_sized_new (FALSE, FALSE, sizeof (float), b->slopes->len);

  for (guint i = 0; i < b->slopes->len; i++) {
    const Slope *s = &g_array_index (b->slopes, Slope, i);
    const float rest = (float) fabs (s->slope - field_at (b, s->x, s->y));
    g_array_append_val (rests, rest);
  }
  g_array_sort (rests, dp_compare_floats);
  return g_array_index (rests, float, rests->len / 2);
}

static void
fit (Bend *b)
{
  for (guint round = 0; round < ROUNDS; round++) {
    const double spread = round ? MAX (LEAST_SPREAD, 1.5 * (double) usual_rest (b)) : 1;
    double m[TERMS][TERMS + 1] = { { 0 } }, all = 0;
    for (guint n = 0; n < b->slopes->len; n++) {
      const Slope *s = &g_array_index (b->slopes, Slope, n);
      const double rest = (s->slope - field_at (b, s->x, s->y)) / spread, weight = s->weight / (1 + rest * rest * rest * rest);
      double terms[TERMS];
      terms_at (b, s->x, s->y, terms);
      all += weight;
      for (guint i = 0; i < TERMS; i++) {
        for (guint k = 0; k < TERMS; k++)
          m[i][k] += weight * terms[i] * terms[k];
        m[i][TERMS] += weight * terms[i] * s->slope;
      }
    }
    for (guint i = 0; i < TERMS; i++)
      m[i][i] += RIDGE * all * (1 + i / IN_Y) * (1 + i % IN_Y);
    solve (m, b->terms);
  }
}

/* How far most lines would rise and fall along the field, in em. */
static float
bow_of (const Bend *b)
{
  g_autoptr (GArray) bows = g_array_new (FALSE, FALSE, sizeof (float));

  for (guint i = 0; i < b->scan->lines->len; i++) {
    const DpScanLine *l = &g_array_index (b->scan->lines, DpScanLine, i);
    double y = 0, least = 0, most = 0;
    const double step = (l->x1 - l->x0) / 8.0;
    if ((float) (l->x1 - l->x0) < 6 * l->em)
      continue;
    for (guint k = 0; k < 8; k++) {
      y += step * field_at (b, l->x0 + (k + 0.5) * step, (double) l->baseline);
      least = MIN (least, y), most = MAX (most, y);
    }
    const float bow = (float) (most - least) / l->em;
    g_array_append_val (bows, bow);
  }
  g_array_sort (bows, dp_compare_floats);
  return bows->len ? g_array_index (bows, float, bows->len * 3 / 4) : 0;
}

/* ---- margins --------------------------------------------------------------------------------------------------- */

static gboolean
margin_of (const Bend *b, gboolean right, double margin[2])
{
  const GArray *lines = b->scan->lines;
  g_autofree DpScanPoint *points = g_new (DpScanPoint, lines->len + 1);
  gint longest = 0;
  guint n = 0;

  for (guint i = 0; i < lines->len; i++)
    longest = MAX (longest, g_array_index (lines, DpScanLine, i).x1 - g_array_index (lines, DpScanLine, i).x0);
  for (guint i = 0; i < lines->len; i++) {
    const DpScanLine *l = &g_array_index (lines, DpScanLine, i);
    if ((float) (l->x1 - l->x0) >= LONG_LINE * (float) longest)
      points[n++] = (DpScanPoint){ l->baseline, (float) (right ? l->x1 : l->x0) };
  }
  return dp_scan_fit_line (points, n, 0.4f * (float) b->em, 0.5f, &margin[0], &margin[1]);
}

static void
find_margins (Bend *b)
{
  const gboolean left = margin_of (b, FALSE, b->left), right = margin_of (b, TRUE, b->right);

  if (!left && !right)
    b->left[0] = b->left[1] = b->right[1] = 0;
  if (!left && right)
    b->left[1] = b->right[1], b->left[0] = b->right[0] - (double) dp_rect_width (b->hull);
  if (!right)
    b->right[1] = b->left[1], b->right[0] = b->left[0] + (double) dp_rect_width (b->hull);
  if (fabs (b->left[1]) < LEAN && fabs (b->right[1]) < LEAN)
    b->left[1] = b->right[1] = 0;
}

/* ---- straight to bent --------------------------------------------------------------------------------------------- */

static void
bend (gpointer data, double x, double y, double *sx, double *sy)
{
  const Bend *b = data;
  const guint n = 1 + (guint) (fabs (x - b->cx) / (2 * STEP));
  const double step = (x - b->cx) / n;

  *sy = y;
  for (guint i = 0; i < n; i++) { /* the middle of a step knows better than its beginning */
    const double half = *sy + 0.5 * step * field_at (b, b->cx + i * step, *sy);
    *sy += step * field_at (b, b->cx + (i + 0.5) * step, half);
  }
  const double left = b->left[0] + b->left[1] * b->cy, width = b->right[0] + b->right[1] * b->cy - left;
  const double at = width > 1 ? (x - left) / width : 0;
  *sx = x + (1 - at) * b->left[1] * (*sy - b->cy) + at * b->right[1] * (*sy - b->cy);
}

gboolean
dp_scan_find_bend (const DpScan *scan, DpWarpGrid *grid)
{
  g_autoptr (GArray) slopes = g_array_new (FALSE, FALSE, sizeof (Slope));
  Bend b = { .scan = scan, .slopes = slopes, .em = (double) scan->unit / 0.6 };

  for (guint i = 0; i < scan->lines->len; i++)
    add_slopes (&b, &g_array_index (scan->lines, DpScanLine, i));
  if (slopes->len < LEAST_SLOPES)
    return FALSE;
  b.cx = (double) dp_rect_cx (b.hull);
  b.cy = (double) dp_rect_cy (b.hull);
  b.size = MAX (1, 0.5 * (double) MAX (dp_rect_width (b.hull), dp_rect_height (b.hull)));
  const float before = usual_rest (&b);
  fit (&b);
  const gboolean bent = bow_of (&b) > BOW && usual_rest (&b) < EXPLAINED * before;
  if (!bent)
    return FALSE;
  find_margins (&b);
  dp_warp_grid_init (grid, (DpRect){ 0, 0, (float) scan->w, (float) scan->h }, STEP, bend, &b);
  return TRUE;
}
