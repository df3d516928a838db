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
#define MOST_BOXES 2000u

/* Boxes (a quarter of the page's pixels) of solid ink, or NULL. */
static GArray *
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
  GArray *boxes = filled ? dp_scan_components (filled, FALSE) : NULL;

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
  const gint least = dp_scan_pixels (scan, LETTER_LEAST), most = dp_scan_pixels (scan, LETTER_MOST);
  g_autoptr (GArray) boxes = dp_scan_components (inverted, TRUE);
  gint letters = 0, specks = 0;
  double inside = 0, other = 0;

  for (guint i = 0; i < boxes->len; i++) {
    const DpScanRule *b = &g_array_index (boxes, DpScanRule, i);
    const gint bw = b->x1 - b->x0, bh = b->y1 - b->y0;
    if (b->x0 == 0 || b->y0 == 0 || b->x1 >= w || b->y1 >= h)
      continue; /* the ground around a ragged edge */
    if (bh >= least && bh <= most && bh < h && bw <= 4 * bh) {
      letters++;
      inside += (double) bw * bh;
    } else if (bh < least) {
      specks++;
    } else
      other += (double) bw * bh;
  }
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
  g_autoptr (GArray) boxes = solid_boxes (scan);
  const gint least = dp_scan_pixels (scan, 8);

  for (guint i = 0; boxes && i < MIN (boxes->len, MOST_BOXES); i++) {
    const DpScanRule *b = &g_array_index (boxes, DpScanRule, i);
    const gint x = b->x0 * QUARTER, y = b->y0 * QUARTER, w = MIN (b->x1 * QUARTER, scan->w) - x, h = MIN (b->y1 * QUARTER, scan->h) - y;
    if (w >= 2 * least && h >= least)
      try_box (scan, x, y, w, h);
  }
}
