/* layout/scan_pictures.c - photographs and drawings leave the ink and become boxes.
 *
 * A photograph is tone over an area that no line of text covers: on the page at an eighth of its
 * resolution, where text is a light grey, what is dark and survives an opening larger than a heading.
 * (Leptonica's halftone mask asks the same of binary scans; here the grey page is at hand.)  A drawing
 * is a connected piece of ink many times as high and wide as a letter, once the rules are out.
 */
#include "layout/scan_private.h"

#include <math.h>

#define EIGHTH 8
#define TONE 165  /* luminance of a tile, below which it is tone; text of 10 points has about 200 */
#define CORE 26.0 /* points: side of a square of tone that no text has */
#define SMALLEST_PHOTO 34.0
#define DRAWING 6.5f /* heights of a letter */
#define MOST_PICTURES 200u

static gboolean
touch (const DpScanRule *a, const DpScanRule *b)
{
  return a->x0 < b->x1 && b->x0 < a->x1 && a->y0 < b->y1 && b->y0 < a->y1;
}

/* Boxes that overlap become one, as long as any do. */
static void
merge_boxes (GArray *boxes)
{
  gboolean again = TRUE;

  while (again) {
    again = FALSE;
    for (guint i = 0; i < boxes->len; i++)
      for (guint k = i + 1; k < boxes->len; k++) {
        DpScanRule *a = &g_array_index (boxes, DpScanRule, i);
        const DpScanRule b = g_array_index (boxes, DpScanRule, k);
        if (!touch (a, &b))
          continue;
        *a = (DpScanRule){ MIN (a->x0, b.x0), MIN (a->y0, b.y0), MAX (a->x1, b.x1), MAX (a->y1, b.y1), FALSE };
        g_array_remove_index_fast (boxes, k--);
        again = TRUE;
      }
  }
}

/* The page at an eighth, as ink where it is dark over a whole tile. */
static PIX *
tone_of (const DpScan *scan)
{
  const DpLeptonica *l = dp_leptonica ();
  PIX *small = l->pixScaleAreaMap2 (scan->grey);

  for (int i = 0; i < 2 && small; i++) {
    PIX *next = l->pixScaleAreaMap2 (small);
    l->pixDestroy (&small);
    small = next;
  }
  PIX *tone = small ? l->pixThresholdToBinary (small, TONE) : NULL;
  l->pixDestroy (&small);
  return tone;
}

/* Whether tone fills most of its box: frames and dark edges of a sheet do not. */
static gboolean
is_full (PIX *tone, gint x, gint y, gint w, gint h)
{
  const DpLeptonica *l = dp_leptonica ();
  BOX *box = l->boxCreate (x, y, w, h);
  l_int32 count = 0;
  const gboolean counted = l->pixCountPixelsInRect (tone, box, &count, NULL) == 0;

  l->boxDestroy (&box);
  return counted && count > 0.45 * w * h;
}

void
dp_scan_find_photos (DpScan *scan)
{
  const DpLeptonica *l = dp_leptonica ();
  const gint core = MAX (2, dp_scan_pixels (scan, CORE) / EIGHTH), near = MAX (2, dp_scan_pixels (scan, 8) / EIGHTH);
  const gint least = dp_scan_pixels (scan, SMALLEST_PHOTO);
  PIX *tone = scan->w > 4 * EIGHTH && scan->h > 4 * EIGHTH ? tone_of (scan) : NULL;
  PIX *seed = tone ? l->pixOpenBrick (NULL, tone, core, core) : NULL;
  PIX *mask = tone ? l->pixCloseBrick (NULL, tone, near, near) : NULL;
  PIX *filled = seed && mask ? l->pixSeedfillBinary (NULL, seed, mask, 8) : NULL;
  g_autoptr (GArray) boxes = filled ? dp_scan_components (filled, TRUE) : NULL;

  for (guint i = 0; boxes && i < MIN (boxes->len, MOST_PICTURES); i++) {
    const DpScanRule b = g_array_index (boxes, DpScanRule, i);
    const DpScanRule box = { b.x0 * EIGHTH, b.y0 * EIGHTH, MIN (scan->w, b.x1 * EIGHTH), MIN (scan->h, b.y1 * EIGHTH), FALSE };
    if (box.x1 - box.x0 >= least && box.y1 - box.y0 >= least && is_full (filled, b.x0, b.y0, b.x1 - b.x0, b.y1 - b.y0))
      g_array_append_val (scan->photos, box);
  }
  merge_boxes (scan->photos);
  for (guint i = 0; i < scan->photos->len; i++) {
    const DpScanRule *b = &g_array_index (scan->photos, DpScanRule, i);
    l->pixRasterop (scan->ink, b->x0, b->y0, b->x1 - b->x0, b->y1 - b->y0, PIX_CLR, NULL, 0, 0);
  }
  l->pixDestroy (&tone);
  l->pixDestroy (&seed);
  l->pixDestroy (&mask);
  l->pixDestroy (&filled);
}

void
dp_scan_find_drawings (DpScan *scan)
{
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (DpScanRule));
  const gint large = (gint) (DRAWING * scan->unit);
  guint kept = 0;

  for (guint i = 0; i < scan->parts->len; i++) {
    const DpScanPart p = g_array_index (scan->parts, DpScanPart, i);
    const gint w = p.x1 - p.x0, h = p.y1 - p.y0;
    const gboolean drawing = (w > large && h > large) || w > 20 * large || h > 2 * large;
    const DpScanRule box = { p.x0, p.y0, p.x1, p.y1, FALSE };

    if (!drawing)
      g_array_index (scan->parts, DpScanPart, kept++) = p;
    else if (w > large && h > large && boxes->len < MOST_PICTURES)
      g_array_append_val (boxes, box);
  }
  g_array_set_size (scan->parts, kept);
  merge_boxes (boxes);
  for (guint i = 0; i < boxes->len; i++) {
    const DpScanRule *b = &g_array_index (boxes, DpScanRule, i);
    /* a frame around most of the sheet is its edge, or a border */
    if ((double) (b->x1 - b->x0) * (b->y1 - b->y0) < 0.6 * scan->w * scan->h)
      g_array_append_val (scan->photos, *b);
  }
  merge_boxes (scan->photos);
}
