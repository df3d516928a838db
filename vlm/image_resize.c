/* vlm/image_resize.c - Pillow's bicubic resampler on 8-bit pixels, to the bit.
 *
 * After libImaging/Resample.c (HPND licence): weights in double, normalised to sum 1, turned into integers of 22 fraction bits
 * rounded half away from zero; two separable passes, each of which adds half a unit, shifts and clips to 0..255.  A pass that
 * would not change its side is left out, as there.  Across comes before down, as in Pillow up to 12, which the models saw
 * (Pillow 13 goes down first where the height shrinks and shrinks by more than the width; a few per cent of levels differ).  Models feel a difference of one level in a few per cent of the pixels:
 * boxes of the layout pass move.
 */
#include "vlm/image_private.h"

#include "vlm/error.h"

#include <math.h>
#include <string.h>

#define PRECISION 22 /* 32 bits - 8 of a level - 2 for what overshoots */

/* For every output position: n weights from input position first on. */
typedef struct {
  int *first, *n;
  gint32 *weights; /* [out, most] */
  int most;
} Taps;

static double
bicubic (double x)
{
  const double a = -0.5;

  x = fabs (x);
  if (x < 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2)
    return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

static void
taps_clear (Taps *t)
{
  g_free (t->first);
  g_free (t->n);
  g_free (t->weights);
}

/* The weights of one output position. */
static void
position_taps (Taps *t, int i, int in, double scale, double reduction, double *exact)
{
  const double centre = (i + 0.5) * scale, support = 2 * reduction;
  const int first = MAX ((int) (centre - support + 0.5), 0), n = MIN ((int) (centre + support + 0.5), in) - first;
  gint32 *weights = t->weights + (gsize) i * (gsize) t->most;
  double sum = 0;

  for (int x = 0; x < n; x++)
    sum += exact[x] = bicubic ((x + first - centre + 0.5) * (1 / reduction));
  for (int x = 0; x < n; x++) {
    const double w = (sum != 0 ? exact[x] / sum : exact[x]) * (1 << PRECISION);
    weights[x] = (gint32) (w < 0 ? w - 0.5 : w + 0.5);
  }
  t->first[i] = first;
  t->n[i] = n;
}

static void
taps_init (Taps *t, int in, int out)
{
  const double scale = (double) in / out, reduction = MAX (scale, 1);

  t->most = (int) ceil (2 * reduction) * 2 + 1;
  t->first = g_new (int, (gsize) out);
  t->n = g_new (int, (gsize) out);
  t->weights = g_new0 (gint32, (gsize) out * (gsize) t->most);
  g_autofree double *exact = g_new (double, (gsize) t->most);
  for (int i = 0; i < out; i++)
    position_taps (t, i, in, scale, reduction, exact);
}

static inline guint32
level (gint32 sum)
{
  sum >>= PRECISION; /* arithmetic: rounds down, as there */
  return sum < 0 ? 0 : sum > 255 ? 255 : (guint32) sum;
}

static inline guint32
pixel (const gint32 sum[3])
{
  return 0xff000000u | level (sum[0]) << 16 | level (sum[1]) << 8 | level (sum[2]);
}

static void
across (const DpPixels *src, DpPixels *dst, const Taps *t)
{
  for (int y = 0; y < dst->height; y++) {
    const guint32 *in = dp_pixels_row (src, y);
    guint32 *out = dp_pixels_row (dst, y);
    for (int x = 0; x < dst->width; x++) {
      const gint32 *w = t->weights + (gsize) x * (gsize) t->most, half = 1 << (PRECISION - 1);
      const guint32 *from = in + t->first[x];
      gint32 sum[3] = { half, half, half };
      for (int i = 0; i < t->n[x]; i++) {
        sum[0] += (gint32) (from[i] >> 16 & 255) * w[i];
        sum[1] += (gint32) (from[i] >> 8 & 255) * w[i];
        sum[2] += (gint32) (from[i] & 255) * w[i];
      }
      out[x] = pixel (sum);
    }
  }
}

/* Row by row of the input for the sake of the cache: sums holds one output row. */
static void
down (const DpPixels *src, DpPixels *dst, const Taps *t, gint32 *sums)
{
  const gsize width = (gsize) dst->width;

  for (int y = 0; y < dst->height; y++) {
    const gint32 *w = t->weights + (gsize) y * (gsize) t->most;
    guint32 *out = dp_pixels_row (dst, y);
    for (gsize i = 0; i < 3 * width; i++)
      sums[i] = 1 << (PRECISION - 1);
    for (int i = 0; i < t->n[y]; i++) {
      const guint32 *in = dp_pixels_row (src, t->first[y] + i);
      for (gsize x = 0; x < width; x++) {
        sums[3 * x] += (gint32) (in[x] >> 16 & 255) * w[i];
        sums[3 * x + 1] += (gint32) (in[x] >> 8 & 255) * w[i];
        sums[3 * x + 2] += (gint32) (in[x] & 255) * w[i];
      }
    }
    for (gsize x = 0; x < width; x++)
      out[x] = pixel (sums + 3 * x);
  }
}

static cairo_surface_t *
resize_across (const DpPixels *src, int width, GError **error)
{
  DpPixels dst;
  cairo_surface_t *out = dp_pixels_new (width, src->height, &dst, error);
  Taps taps;

  if (!out)
    return NULL;
  taps_init (&taps, src->width, width);
  across (src, &dst, &taps);
  taps_clear (&taps);
  cairo_surface_mark_dirty (out);
  return out;
}

static cairo_surface_t *
resize_down (const DpPixels *src, int height, GError **error)
{
  DpPixels dst;
  cairo_surface_t *out = dp_pixels_new (src->width, height, &dst, error);
  Taps taps;

  if (!out)
    return NULL;
  g_autofree gint32 *sums = g_new (gint32, 3 * (gsize) src->width);
  taps_init (&taps, src->height, height);
  down (src, &dst, &taps, sums);
  taps_clear (&taps);
  cairo_surface_mark_dirty (out);
  return out;
}

cairo_surface_t *
dp_image_resize (cairo_surface_t *image, int width, int height, GError **error)
{
  DpPixels p;
  cairo_surface_t *narrow, *out;

  if (!dp_pixels_of (image, &p, error))
    return NULL;
  narrow = p.width == width ? cairo_surface_reference (image) : resize_across (&p, width, error);
  if (!narrow || p.height == height)
    return narrow;
  out = dp_pixels_of (narrow, &p, error) ? resize_down (&p, height, error) : NULL;
  cairo_surface_destroy (narrow);
  return out;
}
