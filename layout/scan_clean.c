/* layout/scan_clean.c - luminance to an even ground, and to ink.
 *
 * Shadows, yellowed paper and uneven light are divided away with Leptonica's map of the background
 * (pixBackgroundNorm: the mean of the light pixels of each tile, smoothed), after which one threshold
 * serves the whole page.
 */
#include "layout/scan_private.h"

#include <string.h>

#define TILE 0.09     /* inches: larger than a stroke, smaller than a shadow */
#define DARK_PAGE 105 /* median luminance below which the page is light on dark */

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

PIX *
dp_scan_ink (PIX *grey)
{
  return dp_leptonica ()->pixThresholdToBinary (grey, DP_SCAN_INK);
}
