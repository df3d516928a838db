/* layout/scan_edges.c - the edges of a sheet of paper on a darker table.
 *
 * On a small copy of the photograph paper and table are told apart by brightness (Otsu 1979).  Each side of the light patch gives
 * a row of outermost points, and the straight line with most of them on it is an edge: corners, thumbs and curled paper do not move it.
 * Four edges meet in four corners; Heckbert's map of the unit square to a quadrilateral ("Fundamentals of texture mapping", 1989)
 * makes the sheet a rectangle again.
 */
#include "layout/scan_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SMALL 240           /* pixels of the longer side */
#define LEAST_CONTRAST 50.0 /* between the mean table and the mean paper */
#define LEAST_AREA 0.25     /* of the photograph */
#define ON_EDGE 1.0f        /* pixels */
#define LEAST_ON_EDGE 0.55f /* share of the points of a side */
#define INSET 0.015f        /* of the photograph's side: nearer to its rim there is no table to see */
#define LEAST_SIDES 3u      /* with a table beside them */
#define BEYOND 0.08         /* how far outside of the photograph a corner may lie */
#define LEAST_FILLED 0.7    /* paper inside the edges */
#define MOST_LIGHT 0.25     /* of the same brightness outside of them */
#define MOST_TEXTURE 12.0   /* mean difference of neighbours outside: more may be writing on dark ground */
#define SAMPLES 24u

typedef struct {
  gint w, h;
  double scale; /* pixels of the photograph per pixel */
  guint8 *grey, *paper;
} Small;

/* ---- the small copy ------------------------------------------------------------------------------------- */

static void
shrink (cairo_surface_t *picture, Small *s)
{
  const gint w = cairo_image_surface_get_width (picture), h = cairo_image_surface_get_height (picture);
  const gint stride = cairo_image_surface_get_stride (picture);
  const guint8 *data = cairo_image_surface_get_data (picture);

  s->scale = MAX (1.0, (double) MAX (w, h) / SMALL);
  s->w = (gint) (w / s->scale);
  s->h = (gint) (h / s->scale);
  s->grey = g_malloc0 ((gsize) (s->w + 1) * (gsize) (s->h + 1));
  s->paper = g_malloc0 ((gsize) (s->w + 1) * (gsize) (s->h + 1));
  for (gint y = 0; y < s->h; y++)
    for (gint x = 0; x < s->w; x++) {
      const gint x0 = (gint) (x * s->scale), y0 = (gint) (y * s->scale), x1 = MAX (x0 + 1, (gint) ((x + 1) * s->scale)),
                 y1 = MAX (y0 + 1, (gint) ((y + 1) * s->scale));
      guint sum = 0, n = 0;
      for (gint v = y0; v < y1; v += MAX (1, (y1 - y0) / 4))
        for (gint u = x0; u < x1; u += MAX (1, (x1 - x0) / 4), n++)
          sum += data[(gsize) v * (gsize) stride + (gsize) u];
      s->grey[y * s->w + x] = (guint8) (sum / n);
    }
}

/* Otsu's threshold; 0 if the two sides of it do not differ enough. */
static guint
threshold_of (const Small *s)
{
  const double n = (double) s->w * s->h;
  double counts[256] = { 0 }, all = 0, below = 0, sum = 0, best = -1, apart = 0;
  guint threshold = 0;

  for (gint i = 0; i < s->w * s->h; i++)
    counts[s->grey[i]]++;
  for (guint v = 0; v < 256; v++)
    all += v * counts[v];
  for (guint v = 0; v < 255; v++) {
    below += counts[v];
    sum += v * counts[v];
    if (below <= 0 || below >= n)
      continue;
    const double difference = (all - sum) / (n - below) - sum / below, between = below * (n - below) * difference * difference;
    if (between > best)
      best = between, apart = difference, threshold = v;
  }
  return apart >= LEAST_CONTRAST ? threshold : 0;
}

/* Keeps the largest connected patch of light pixels; returns its size. */
static guint
largest_patch (Small *s)
{
  const guint n = (guint) (s->w * s->h);
  g_autofree guint *stack = g_new (guint, n + 1);
  g_autofree guint8 *found = g_malloc0 (n + 1); /* number of the patch, from 2, modulo what a byte holds */
  guint best = 0, best_seed = 0, best_value = 0;

  for (guint seed = 0, value = 1; seed < n; seed++) {
    guint top = 0, size = 0;
    if (!s->paper[seed] || found[seed])
      continue;
    value = value == 250 ? 2 : value + 1;
    found[stack[top++] = seed] = (guint8) value;
    while (top) {
      const guint i = stack[--top];
      const gint x = (gint) i % s->w, y = (gint) i / s->w;
      const gint next[4] = { x > 0 ? (gint) i - 1 : -1, x + 1 < s->w ? (gint) i + 1 : -1, y > 0 ? (gint) i - s->w : -1,
                             y + 1 < s->h ? (gint) i + s->w : -1 };
      size++;
      for (guint k = 0; k < 4; k++)
        if (next[k] >= 0 && s->paper[next[k]] && !found[next[k]])
          found[stack[top++] = (guint) next[k]] = (guint8) value;
    }
    if (size > best)
      best = size, best_seed = seed, best_value = value;
  }
  /* a patch begins at its seed, so an earlier one of the same number is not meant */
  for (guint i = 0; i < n; i++)
    s->paper[i] = found[i] == best_value && i >= best_seed;
  return best;
}

/* ---- edges ---------------------------------------------------------------------------------------------------- */

static guint
on_line (const DpScanPoint *points, guint n, double at, double slope, float reach)
{
  guint count = 0;

  for (guint i = 0; i < n; i++)
    count += fabs ((double) points[i].across - at - slope * (double) points[i].along) <= (double) reach;
  return count;
}

gboolean
dp_scan_fit_line (const DpScanPoint *points, guint n, float reach, float share, double *at, double *slope)
{
  guint best = 0;

  for (guint i = 0; n && i < SAMPLES; i++)
    for (guint k = i + 1; k < SAMPLES; k++) {
      const DpScanPoint a = points[(gsize) i * n / SAMPLES], b = points[(gsize) k * n / SAMPLES];
      if (fabsf (b.along - a.along) < 1)
        continue;
      const double slant = (double) (b.across - a.across) / (double) (b.along - a.along),
                   foot = (double) a.across - slant * (double) a.along;
      const guint count = on_line (points, n, foot, slant, reach);
      if (count > best)
        best = count, *at = foot, *slope = slant;
    }
  if (n < SAMPLES || (float) best < share * (float) n)
    return FALSE;
  double sx = 0, sy = 0, sxx = 0, sxy = 0, count = 0;
  for (guint i = 0; i < n; i++) {
    const double x = (double) points[i].along, y = (double) points[i].across;
    if (fabs (y - *at - *slope * x) <= (double) reach)
      sx += x, sy += y, sxx += x * x, sxy += x * y, count++;
  }
  if (count * sxx - sx * sx > 1e-9) {
    *slope = (count * sxy - sx * sy) / (count * sxx - sx * sx);
    *at = (sy - *slope * sx) / count;
  }
  return TRUE;
}

typedef enum { LEFT, TOP, RIGHT, BOTTOM } Side;

/* The outermost points of the paper towards a side. */
static guint
outermost (const Small *s, Side side, DpScanPoint *points)
{
  const gboolean upright = side == LEFT || side == RIGHT;
  const gint n = upright ? s->h : s->w, m = upright ? s->w : s->h;
  guint count = 0;

  for (gint i = 0; i < n; i++)
    for (gint k = 0; k < m; k++) {
      const gint at = side == LEFT || side == TOP ? k : m - 1 - k;
      if (!s->paper[upright ? i * s->w + at : at * s->w + i])
        continue;
      points[count++] = (DpScanPoint){ (float) i + 0.5f, (float) (side == LEFT || side == TOP ? at : at + 1) };
      break;
    }
  return count;
}

/* Where x = a + b y and y = c + d x meet. */
static void
meet (double a, double b, double c, double d, double *x, double *y)
{
  *x = (a + b * c) / (1 - b * d);
  *y = c + d * *x;
}

static gboolean
inside (const double corners[4][2], double x, double y)
{
  for (guint i = 0; i < 4; i++) {
    const double *a = corners[i], *b = corners[(i + 1) % 4];
    if ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) < 0)
      return FALSE;
  }
  return TRUE;
}

/* Paper inside, a plain dark table outside. */
static gboolean
is_sheet (const Small *s, const double corners[4][2])
{
  double in = 0, paper = 0, out = 0, light = 0, texture = 0;

  for (gint y = 0; y < s->h; y++)
    for (gint x = 0; x + 1 < s->w; x++) {
      const gint i = y * s->w + x;
      if (inside (corners, x + 0.5, y + 0.5)) {
        in++;
        paper += s->paper[i];
      } else if (!inside (corners, x + 2.5, y + 0.5) && !inside (corners, x - 1.5, y + 0.5)) {
        out++;
        light += s->paper[i];
        texture += abs (s->grey[i] - s->grey[i + 1]);
      }
    }
  return in >= LEAST_AREA * s->w * s->h && paper >= LEAST_FILLED * in && light <= MOST_LIGHT * out && texture <= MOST_TEXTURE * out;
}

static gboolean
corners_of (const Small *s, double corners[4][2])
{
  g_autofree DpScanPoint *points = g_new (DpScanPoint, (gsize) MAX (s->w, s->h) + 1);
  double at[4], slope[4];
  guint dark = 0;

  for (guint side = LEFT; side <= BOTTOM; side++) {
    const guint n = outermost (s, (Side) side, points);
    const double length = side % 2 ? s->h : s->w, across = side % 2 ? s->w : s->h;
    if (!dp_scan_fit_line (points, n, ON_EDGE, LEAST_ON_EDGE, &at[side], &slope[side]))
      return FALSE;
    const double middle = at[side] + slope[side] * across / 2;
    dark += (side < RIGHT ? middle : length - middle) > (double) INSET * length;
  }
  meet (at[LEFT], slope[LEFT], at[TOP], slope[TOP], &corners[0][0], &corners[0][1]);
  meet (at[RIGHT], slope[RIGHT], at[TOP], slope[TOP], &corners[1][0], &corners[1][1]);
  meet (at[RIGHT], slope[RIGHT], at[BOTTOM], slope[BOTTOM], &corners[2][0], &corners[2][1]);
  meet (at[LEFT], slope[LEFT], at[BOTTOM], slope[BOTTOM], &corners[3][0], &corners[3][1]);
  for (guint i = 0; i < 4; i++)
    if (!(corners[i][0] > -BEYOND * s->w && corners[i][0] < (1 + BEYOND) * s->w && corners[i][1] > -BEYOND * s->h
          && corners[i][1] < (1 + BEYOND) * s->h))
      return FALSE;
  return dark >= LEAST_SIDES && is_sheet (s, (const double (*)[2]) corners);
}

gboolean
dp_scan_find_edges (cairo_surface_t *picture, double corners[4][2])
{
  Small s = { 0 };
  gboolean found = FALSE;

  cairo_surface_flush (picture);
  shrink (picture, &s);
  const guint threshold = threshold_of (&s);
  for (gint i = 0; threshold && i < s.w * s.h; i++)
    s.paper[i] = s.grey[i] > threshold;
  if (threshold && largest_patch (&s) >= LEAST_AREA * s.w * s.h)
    found = corners_of (&s, corners);
  for (guint i = 0; found && i < 4; i++) {
    corners[i][0] *= s.scale;
    corners[i][1] *= s.scale;
  }
  g_free (s.grey);
  g_free (s.paper);
  return found;
}

void
dp_scan_map_square (const double c[4][2], double width, double height, double m[9])
{
  const double dx1 = c[1][0] - c[2][0], dx2 = c[3][0] - c[2][0], dx3 = c[0][0] - c[1][0] + c[2][0] - c[3][0];
  const double dy1 = c[1][1] - c[2][1], dy2 = c[3][1] - c[2][1], dy3 = c[0][1] - c[1][1] + c[2][1] - c[3][1];
  const double d = dx1 * dy2 - dx2 * dy1, g = (dx3 * dy2 - dx2 * dy3) / d, h = (dx1 * dy3 - dx3 * dy1) / d;

  m[0] = (c[1][0] - c[0][0] + g * c[1][0]) / width;
  m[1] = (c[3][0] - c[0][0] + h * c[3][0]) / height;
  m[2] = c[0][0];
  m[3] = (c[1][1] - c[0][1] + g * c[1][1]) / width;
  m[4] = (c[3][1] - c[0][1] + h * c[3][1]) / height;
  m[5] = c[0][1];
  m[6] = g / width;
  m[7] = h / height;
  m[8] = 1;
}
