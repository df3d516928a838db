/* layout/scan_clean.c - luminance to an even ground, and what is blurred made sharp.
 *
 * Shadows, yellowed paper and uneven light are divided away with Leptonica's map of the background
 * (pixBackgroundNorm: the mean of the light pixels of each tile, smoothed).  Light changes slowly: of fine scans every second pixel of
 * every second row makes the map.
 */
#include "layout/scan_private.h"
#include "layout/compare.h"

#include <stdlib.h>
#include <string.h>

#define TILE 0.09  /* inches: larger than a stroke, smaller than a shadow */
#define FINE 250.0 /* dpi from which on every second pixel says enough about the ground */
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
  l_uint32 *data = dp_leptonica ()->pixGetData (pix);
  const gsize wpl = (gsize) dp_leptonica ()->pixGetWpl (pix);
  for (int y = 0; y < h; y++) /* cairo's rows end on whole words, too */
    dp_scan_row_words (rows + (gsize) y * (gsize) from, wpl, data + (gsize) y * wpl);
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

/* By what the pixels of each tile have to be multiplied, in 256ths; NULL if there are too few tiles to say. */
static PIX *
ground_factors (PIX *grey, double dpi, gint tile, gint threshold)
{
  const DpLeptonica *l = dp_leptonica ();
  PIX *half = dpi >= FINE && tile % 2 == 0 ? dp_scan_every_second (grey) : NULL, *ground = NULL, *factors = NULL;
  const gint side = half ? tile / 2 : tile;

  if (l->pixGetBackgroundGrayMap (half ? half : grey, NULL, side, side, threshold, side * side / 4, &ground) == 0)
    factors = l->pixGetInvBackgroundMap (ground, DP_SCAN_GROUND, 2, 2);
  l->pixDestroy (&ground);
  l->pixDestroy (&half);
  return factors;
}

PIX *
dp_scan_even_ground (PIX *grey, double dpi)
{
  const DpLeptonica *l = dp_leptonica ();
  guint32 counts[256];
  guint32 n = histogram (grey, counts);
  const gint tile = CLAMP ((gint) (TILE * dpi / 2) * 2, 8, 64);

  if (quantile (counts, n, 0.5) < DARK_PAGE) {
    l->pixInvert (grey, grey);
    n = histogram (grey, counts);
  }
  /* What is far darker than the paper is not ground, whatever the light. */
  const gint paper = (gint) quantile (counts, n, 0.8), threshold = CLAMP (paper * 45 / 100, 20, 115);
  PIX *factors = ground_factors (grey, dpi, tile, threshold);
  if (factors) /* else too small for a map: a few tiles */
    dp_scan_multiply (grey, factors, tile);
  l->pixDestroy (&factors);
  return grey;
}

/* ---- blur ---------------------------------------------------------------------------------------------------- */

/* Pixels in which a row of a tile goes from its darkest to the ground, if it does so as fast as anywhere in it; 0 without ink. */
static float
edge_of (const l_uint32 *data, gsize wpl, gint x0, gint y0)
{
  gint darkest = 255, steepest = 0;

  for (gint y = y0; y < y0 + DP_SCAN_INK_TILE; y++)
    for (gint x = x0; x < x0 + DP_SCAN_INK_TILE; x++) {
      const l_uint32 *row = data + (gsize) y * wpl;
      const gint v = GET_DATA_BYTE (row, x);
      darkest = MIN (darkest, v);
      if (x > x0 + 1)
        steepest = MAX (steepest, abs (v - (gint) GET_DATA_BYTE (row, x - 2)));
    }
  return DP_SCAN_GROUND - darkest > 2 * DP_SCAN_LEAST_CONTRAST && steepest > 0 ? 2 * (float) (DP_SCAN_GROUND - darkest) / (float) steepest
                                                                               : 0;
}

/* Width of the edges of strokes, pixels: the median over tiles spread over the page; 0 on a page without ink. */
static float
blur_of (PIX *grey)
{
  const DpLeptonica *l = dp_leptonica ();
  const gint across = l->pixGetWidth (grey) / DP_SCAN_INK_TILE, down = l->pixGetHeight (grey) / DP_SCAN_INK_TILE;
  const guint n = (guint) across * (guint) down, step = MAX (1, n / BLUR_TILES);
  const l_uint32 *data = l->pixGetData (grey);
  g_autofree float *edges = g_new (float, n / step + 1);
  guint count = 0;

  for (guint i = 0; i < n; i += step) {
    const float edge = edge_of (data, (gsize) l->pixGetWpl (grey), (gint) (i % (guint) across) * DP_SCAN_INK_TILE,
                                (gint) (i / (guint) across) * DP_SCAN_INK_TILE);
    if (edge > 0)
      edges[count++] = edge;
  }
  qsort (edges, count, sizeof *edges, dp_compare_floats);
  return count ? edges[count / 2] : 0;
}

gboolean
dp_scan_sharpen (PIX *grey)
{
  const float blur = blur_of (grey);

  return blur > MOST_BLUR && dp_scan_unsharp (grey, CLAMP ((gint) (blur / 2 + 0.5f), 1, 4), SHARPEN);
}
