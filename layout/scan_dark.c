/* layout/scan_dark.c - boxes that are white on black become black on white.
 *
 * Heads of tables and banners.  A candidate is ink without holes over an area that no stroke covers
 * (opened at a quarter of the resolution), grown to the whole box; what makes it a box of text is that its
 * light pieces have the size of letters.  Everything else that is dark is left for scan_pictures.c.
 */
#include "layout/scan_private.h"

#define SOLID_WIDE 18.0 /* points: no stroke is solid over so much */
#define SOLID_HIGH 3.0
#define LETTER_LEAST 2.5 /* points */
#define LETTER_MOST 48.0
#define QUARTER 4

/* Boxes (pixels of the full page) of solid ink. */
static BOXA *
solid_boxes (DpScan *scan)
{
  const DpLeptonica *l = dp_leptonica ();
  PIX *small = l->pixReduceRankBinaryCascade (scan->ink, 3, 3, 0, 0);
  PIX *seed = small ? l->pixOpenBrick (NULL, small, MAX (3, dp_scan_pixels (scan, SOLID_WIDE) / QUARTER),
                                       MAX (2, dp_scan_pixels (scan, SOLID_HIGH) / QUARTER))
                    : NULL;
  PIX *whole
      = small ? l->pixCloseBrick (NULL, small, MAX (2, dp_scan_pixels (scan, 4) / QUARTER), MAX (2, dp_scan_pixels (scan, 4) / QUARTER))
              : NULL;
  PIX *filled = seed && whole ? l->pixSeedfillBinary (NULL, seed, whole, 4) : NULL;
  BOXA *boxes = filled ? l->pixConnCompBB (filled, 4) : NULL;

  l->pixDestroy (&small);
  l->pixDestroy (&seed);
  l->pixDestroy (&whole);
  l->pixDestroy (&filled);
  return boxes;
}

/* Whether the light pieces inside a dark box look like letters: of their size, and most of what is light. */
static gboolean
holds_letters (const DpScan *scan, PIX *inverted, gint w, gint h)
{
  const DpLeptonica *l = dp_leptonica ();
  const gint least = dp_scan_pixels (scan, LETTER_LEAST), most = dp_scan_pixels (scan, LETTER_MOST);
  BOXA *boxes = l->pixConnCompBB (inverted, 8);
  const gint n = boxes ? l->boxaGetCount (boxes) : 0;
  gint letters = 0, specks = 0;
  double inside = 0, other = 0;

  for (gint i = 0; i < n; i++) {
    gint x, y, bw, bh;
    l->boxaGetBoxGeometry (boxes, i, &x, &y, &bw, &bh);
    if (x == 0 || y == 0 || x + bw >= w || y + bh >= h)
      continue; /* the ground around a ragged edge */
    if (bh >= least && bh <= most && bh < h && bw <= 4 * bh) {
      letters++;
      inside += (double) bw * bh;
    } else if (bh < least) {
      specks++;
    } else
      other += (double) bw * bh;
  }
  l->boxaDestroy (&boxes);
  return letters >= 2 && specks <= 3 * letters && other < inside && inside > 0.02 * w * h;
}

static void
invert_grey (DpScan *scan, const DpScanRule *r)
{
  const DpLeptonica *l = dp_leptonica ();
  l_uint32 *data = l->pixGetData (scan->grey);
  const gsize wpl = (gsize) l->pixGetWpl (scan->grey);
  guint64 sum = 0, n = 0;

  for (gint y = r->y0; y < r->y1; y++)
    for (gint x = r->x0; x < r->x1; x++) {
      const guint v = GET_DATA_BYTE (data + (gsize) y * wpl, x);
      if (v < DP_SCAN_INK)
        sum += v, n++;
    }
  const gint dark = n ? (gint) (sum / n) : 0;
  for (gint y = r->y0; y < r->y1; y++)
    for (gint x = r->x0; x < r->x1; x++) {
      const gint v = GET_DATA_BYTE (data + (gsize) y * wpl, x);
      SET_DATA_BYTE (data + (gsize) y * wpl, x,
                     CLAMP (DP_SCAN_GROUND - (v - dark) * DP_SCAN_GROUND / MAX (1, DP_SCAN_GROUND - dark), 0, 255));
    }
}

static void
try_box (DpScan *scan, gint x, gint y, gint w, gint h)
{
  const DpLeptonica *l = dp_leptonica ();
  BOX *box = l->boxCreate (x, y, w, h);
  PIX *part = l->pixClipRectangle (scan->ink, box, NULL);
  l_int32 count = 0;

  l->boxDestroy (&box);
  if (part && l->pixCountPixels (part, &count, NULL) == 0 && count > 0.5 * w * h) {
    l->pixInvert (part, part);
    if (holds_letters (scan, part, w, h)) {
      const DpScanRule dark = { x, y, x + w, y + h, FALSE };
      l->pixRasterop (scan->ink, x, y, w, h, PIX_SRC, part, 0, 0);
      invert_grey (scan, &dark);
      g_array_append_val (scan->dark, dark);
    }
  }
  l->pixDestroy (&part);
}

void
dp_scan_find_dark (DpScan *scan)
{
  const DpLeptonica *l = dp_leptonica ();
  BOXA *boxes = solid_boxes (scan);
  const gint n = boxes ? MIN (l->boxaGetCount (boxes), 2000) : 0, least = dp_scan_pixels (scan, 8);

  for (gint i = 0; i < n; i++) {
    gint x, y, w, h;
    l->boxaGetBoxGeometry (boxes, i, &x, &y, &w, &h);
    x *= QUARTER, y *= QUARTER;
    w = MIN (w * QUARTER, scan->w - x), h = MIN (h * QUARTER, scan->h - y);
    if (w >= 2 * least && h >= least)
      try_box (scan, x, y, w, h);
  }
  l->boxaDestroy (&boxes);
}
