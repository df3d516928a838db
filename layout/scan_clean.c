/* layout/scan_clean.c - luminance to an even ground, and to ink.
 *
 * Shadows, yellowed paper and uneven light are divided away with Leptonica's map of the background
 * (pixBackgroundNorm: the mean of the light pixels of each tile, smoothed).  What is ink is then decided
 * tile by tile from the darkest pixel and the noise of the page: the idea of Sauvola and Pietikaeinen (2000),
 * whose threshold follows the local contrast, at the cost of two passes.  Two thresholds, with hysteresis (Canny 1986): thin
 * strokes of a blurred letter are too faint for the one that keeps specks out, but hang together with those that are not.
 */
#include "layout/scan_private.h"
#include "layout/compare.h"

#include <stdlib.h>
#include <string.h>

#define TILE 0.09   /* inches: larger than a stroke, smaller than a shadow */
#define INK_TILE 24 /* pixels: about a letter */
#define LEAST_CONTRAST 38.0f
#define MOST_CONTRAST 80.0f
#define FAINT 0.8f /* of that contrast: the thin strokes of a letter that has thick ones */
#define BLUR_TILES 2000u
#define MOST_BLUR 2.6f /* pixels from ink to ground; sharp scans have 2 */
#define SHARPEN 1.5f   /* of the difference to the neighbourhood; measured on the error rate of blurred pages: 0.5 to 2 differ little */
#define LEAST_TINT 18  /* luminance between paper and the palest bar of a chart */
#define DARK_PAGE 105  /* median luminance below which the page is light on dark */

PIX *
dp_scan_from_surface (cairo_surface_t *picture)
{
  const int w = cairo_image_surface_get_width (picture), h = cairo_image_surface_get_height (picture);
  const int from = cairo_image_surface_get_stride (picture);
  PIX *pix = dp_leptonica ()->pixCreate (w, h, 8);

  if (!pix)
    return NULL;
  cairo_surface_flush (picture);
  const guint8 *rows = cairo_image_surface_get_data (picture);
  guint8 *data = (guint8 *) dp_leptonica ()->pixGetData (pix);
  const gsize stride = 4 * (gsize) dp_leptonica ()->pixGetWpl (pix);
  for (int y = 0; y < h; y++)
    memcpy (data + (gsize) y * stride, rows + (gsize) y * (gsize) from, (gsize) w);
  dp_leptonica ()->pixEndianByteSwap (pix);
  return pix;
}

/* How many pixels there are of each value, from a sample of rows and columns; returns their number. */
static guint32
histogram (PIX *grey, guint32 counts[256])
{
  const gint w = dp_leptonica ()->pixGetWidth (grey), h = dp_leptonica ()->pixGetHeight (grey);
  const l_uint32 *data = dp_leptonica ()->pixGetData (grey);
  const gsize wpl = (gsize) dp_leptonica ()->pixGetWpl (grey);
  const gint step = MAX (1, MIN (w, h) / 400);
  guint32 n = 0;

  memset (counts, 0, 256 * sizeof *counts);
  for (gint y = 0; y < h; y += step)
    for (gint x = 0; x < w; x += step, n++)
      counts[GET_DATA_BYTE (data + (gsize) y * wpl, x)]++;
  return n;
}

static guint
quantile (const guint32 counts[256], guint32 n, double share)
{
  double sum = 0;

  for (guint v = 0; v < 255; v++)
    if ((sum += counts[v]) >= share * n)
      return v;
  return 255;
}

PIX *
dp_scan_descreen (PIX *grey, double dpi)
{
  const DpLeptonica *l = dp_leptonica ();
  const gint radius = CLAMP ((gint) (dpi / 100), 1, 4); /* dots of a screen are a 60th to a 100th of an inch apart */
  PIX *blurred = l->pixBlockconv (grey, radius, radius);

  if (!blurred)
    return grey;
  l->pixDestroy (&grey);
  return dp_scan_even_ground (blurred, dpi);
}

guint8 *
dp_scan_tint (PIX *grey, gint *w, gint *h)
{
  const DpLeptonica *l = dp_leptonica ();
  const l_uint32 *data = l->pixGetData (grey);
  const gsize wpl = (gsize) l->pixGetWpl (grey);
  guint32 counts[256];
  const guint32 n = histogram (grey, counts);
  const guint paper = quantile (counts, n, 0.8);

  *w = l->pixGetWidth (grey) / DP_SCAN_TILE;
  *h = l->pixGetHeight (grey) / DP_SCAN_TILE;
  guint8 *tint = g_new0 (guint8, (gsize) *w * (gsize) *h + 1);
  for (gint y = 0; y < *h * DP_SCAN_TILE; y++)
    for (gint x = 0; x < *w * DP_SCAN_TILE; x++) /* counts to 64 at most */
      tint[(gsize) (y / DP_SCAN_TILE) * (gsize) *w + (gsize) (x / DP_SCAN_TILE)]
          += (guint8) (GET_DATA_BYTE (data + (gsize) y * wpl, x) + LEAST_TINT < (gint) paper);
  for (gsize i = 0; i < (gsize) *w * (gsize) *h; i++)
    tint[i] = tint[i] > 3 * DP_SCAN_TILE * DP_SCAN_TILE / 4;
  return tint;
}

PIX *
dp_scan_even_ground (PIX *grey, double dpi)
{
  const DpLeptonica *l = dp_leptonica ();
  guint32 counts[256];
  guint32 n = histogram (grey, counts);
  const gint tile = CLAMP ((gint) (TILE * dpi), 8, 64);

  if (quantile (counts, n, 0.5) < DARK_PAGE) {
    l->pixInvert (grey, grey);
    n = histogram (grey, counts);
  }
  /* What is far darker than the paper is not ground, whatever the light. */
  const gint paper = (gint) quantile (counts, n, 0.8), threshold = CLAMP (paper * 45 / 100, 20, 115);
  PIX *even = l->pixBackgroundNorm (grey, NULL, NULL, tile, tile, threshold, tile * tile / 4, DP_SCAN_GROUND, 2, 2);
  if (!even)
    return grey; /* too small for a map: a few tiles */
  l->pixDestroy (&grey);
  return even;
}

/* ---- blur ---------------------------------------------------------------------------------------------------- */

/* Pixels in which a row of a tile goes from its darkest to the ground, if it does so as fast as anywhere in it; 0 without ink. */
static float
edge_of (const l_uint32 *data, gsize wpl, gint x0, gint y0)
{
  gint darkest = 255, steepest = 0;

  for (gint y = y0; y < y0 + INK_TILE; y++)
    for (gint x = x0; x < x0 + INK_TILE; x++) {
      const l_uint32 *row = data + (gsize) y * wpl;
      const gint v = GET_DATA_BYTE (row, x);
      darkest = MIN (darkest, v);
      if (x > x0 + 1)
        steepest = MAX (steepest, abs (v - (gint) GET_DATA_BYTE (row, x - 2)));
    }
  return DP_SCAN_GROUND - darkest > 2 * LEAST_CONTRAST && steepest > 0 ? 2 * (float) (DP_SCAN_GROUND - darkest) / (float) steepest : 0;
}

/* Width of the edges of strokes, pixels: the median over tiles spread over the page; 0 on a page without ink. */
static float
blur_of (PIX *grey)
{
  const DpLeptonica *l = dp_leptonica ();
  const gint across = l->pixGetWidth (grey) / INK_TILE, down = l->pixGetHeight (grey) / INK_TILE;
  const guint n = (guint) across * (guint) down, step = MAX (1, n / BLUR_TILES);
  const l_uint32 *data = l->pixGetData (grey);
  g_autofree float *edges = g_new (float, n / step + 1);
  guint count = 0;

  for (guint i = 0; i < n; i += step) {
    const float edge
        = edge_of (data, (gsize) l->pixGetWpl (grey), (gint) (i % (guint) across) * INK_TILE, (gint) (i / (guint) across) * INK_TILE);
    if (edge > 0)
      edges[count++] = edge;
  }
  qsort (edges, count, sizeof *edges, dp_compare_floats);
  return count ? edges[count / 2] : 0;
}

PIX *
dp_scan_sharpen (PIX *grey, gboolean *sharpened)
{
  const DpLeptonica *l = dp_leptonica ();
  const float blur = blur_of (grey);
  PIX *sharp = blur > MOST_BLUR ? l->pixUnsharpMaskingGray (grey, CLAMP ((gint) (blur / 2 + 0.5f), 1, 4), SHARPEN) : NULL;

  *sharpened = sharp != NULL;
  if (!sharp)
    return grey;
  l->pixDestroy (&grey);
  return sharp;
}

/* ---- ink ---------------------------------------------------------------------------------------------------- */

static int
compare_bytes (const void *a, const void *b)
{
  return *(const guint8 *) a - *(const guint8 *) b;
}

/* Standard deviation of the ground's noise: from the median difference of neighbours, most of which are ground
 * (the median of |x - y| of two normal values is 0.954 sigma). */
static float
noise_of (const l_uint32 *data, gsize wpl, gint w, gint h)
{
  guint8 differences[4096];
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (differences); i++) {
    const gint y = (gint) ((guint64) i * (guint) h / G_N_ELEMENTS (differences)), x = (gint) ((guint64) i * 7919 % (guint) MAX (1, w - 2));
    const l_uint32 *row = data + (gsize) y * wpl;
    differences[n++] = (guint8) abs ((gint) GET_DATA_BYTE (row, x) - (gint) GET_DATA_BYTE (row, x + 2));
  }
  qsort (differences, n, 1, compare_bytes);
  return (float) differences[n / 2] / 0.954f;
}

/* The contrast of ink in a tile: 0.4 of the way from the ground to its darkest pixel, so that thin faint type counts beside bold
 * black type, but never within the noise. */
static float
contrast_of (const l_uint32 *data, gsize wpl, gint x0, gint y0, gint x1, gint y1, float noise)
{
  guint darkest = 255;

  for (gint y = y0; y < y1; y++)
    for (gint x = x0; x < x1; x++) {
      const guint v = GET_DATA_BYTE (data + (gsize) y * wpl, x);
      darkest = MIN (darkest, v);
    }
  const float below = 0.42f * (float) (DP_SCAN_GROUND - (gint) MIN (darkest, DP_SCAN_GROUND));
  return CLAMP (below, MIN (MAX (LEAST_CONTRAST, 5 * noise), MOST_CONTRAST), MOST_CONTRAST);
}

/* Sets the pixels of a tile that are ink for sure, and those that are ink if they hang together with such. */
static void
set_tile (const l_uint32 *data, gsize wpl, PIX *sure, PIX *faint, gint x0, gint y0, float noise)
{
  const DpLeptonica *l = dp_leptonica ();
  const gint x1 = MIN (l->pixGetWidth (sure), x0 + INK_TILE), y1 = MIN (l->pixGetHeight (sure), y0 + INK_TILE);
  const float contrast = contrast_of (data, wpl, x0, y0, x1, y1, noise);
  const guint surely = (guint) ((float) DP_SCAN_GROUND - contrast), perhaps = (guint) ((float) DP_SCAN_GROUND - FAINT * contrast);
  const gsize bits_wpl = (gsize) l->pixGetWpl (sure);
  l_uint32 *sure_bits = l->pixGetData (sure), *faint_bits = l->pixGetData (faint);

  for (gint y = y0; y < y1; y++)
    for (gint x = x0; x < x1; x++) {
      const guint v = GET_DATA_BYTE (data + (gsize) y * wpl, x);
      if (v >= perhaps)
        continue;
      SET_DATA_BIT (faint_bits + (gsize) y * bits_wpl, x);
      if (v < surely)
        SET_DATA_BIT (sure_bits + (gsize) y * bits_wpl, x);
    }
}

PIX *
dp_scan_ink (PIX *grey)
{
  const DpLeptonica *l = dp_leptonica ();
  const gint w = l->pixGetWidth (grey), h = l->pixGetHeight (grey);
  const l_uint32 *data = l->pixGetData (grey);
  const gsize wpl = (gsize) l->pixGetWpl (grey);
  const float noise = noise_of (data, wpl, w, h);
  PIX *sure = l->pixCreate (w, h, 1), *faint = l->pixCreate (w, h, 1), *ink = NULL;

  for (gint y = 0; sure && faint && y < h; y += INK_TILE)
    for (gint x = 0; x < w; x += INK_TILE)
      set_tile (data, wpl, sure, faint, x, y, noise);
  if (sure && faint)
    ink = l->pixSeedfillBinary (NULL, sure, faint, 8);
  l->pixDestroy (&sure);
  l->pixDestroy (&faint);
  return ink;
}
