/* layout/scan.c - the life of a page picture: from pixels to lines.  See scan.h. */
#include "layout/scan_private.h"

#include <math.h>
#include <string.h>

#define MOST_PIXELS 100000000.0
#define LEAST_SIDE 8
#define LEAST_INK 24.0 /* points: what is smaller is specks */

G_DEFINE_QUARK (dp - scan - error - quark, dp_scan_error)

void
dp_scan_free (DpScan *scan)
{
  if (!scan)
    return;
  if (scan->grey)
    dp_leptonica ()->pixDestroy (&scan->grey);
  if (scan->ink)
    dp_leptonica ()->pixDestroy (&scan->ink);
  g_array_unref (scan->parts);
  g_array_unref (scan->rules);
  g_array_unref (scan->dark);
  g_array_unref (scan->photos);
  g_array_unref (scan->lines);
  g_array_unref (scan->paths);
  g_array_unref (scan->pictures);
  g_free (scan->tint);
  g_free (scan);
}

static gboolean
is_usable (cairo_surface_t *picture, double dpi, GError **error)
{
  const double w = cairo_image_surface_get_width (picture), h = cairo_image_surface_get_height (picture);

  if (cairo_image_surface_get_format (picture) == CAIRO_FORMAT_A8 && w >= LEAST_SIDE && h >= LEAST_SIDE && w * h <= MOST_PIXELS && dpi > 0
      && dpi < 10000)
    return TRUE;
  g_set_error (error, DP_SCAN_ERROR, DP_SCAN_ERROR_PICTURE, "the page picture (%.0f x %.0f pixels) cannot be searched for text", w, h);
  return FALSE;
}

/* ---- steps -------------------------------------------------------------------------------------------- */

static PIX *
turned (PIX *pix, gint quarters)
{
  PIX *t = quarters ? dp_leptonica ()->pixRotateOrth (pix, quarters) : NULL;

  if (!t)
    return pix;
  dp_leptonica ()->pixDestroy (&pix);
  return t;
}

/* Few lines: their own slopes say more than the rows of the page. */
static void
ask_lines (DpScan *scan)
{
  g_array_unref (scan->parts);
  scan->parts = dp_scan_parts_of (scan->ink, scan->ruler, &scan->unit);
  dp_scan_find_lines (scan);
  scan->skew = dp_scan_skew_of_lines (scan);
}

/* Stands the page up and makes it straight; the ink is made anew from what comes out. */
static void
straighten (DpScan *scan, gboolean upright)
{
  const DpLeptonica *l = dp_leptonica ();

  scan->ink = dp_scan_ink (scan->grey);
  if (!scan->ink)
    return;
  dp_scan_find_turn (scan, upright);
  if (scan->screened) { /* its dots hide the size of the letters, too */
    scan->grey = dp_scan_descreen (scan->grey, scan->dpi);
    l->pixDestroy (&scan->ink);
    scan->ink = dp_scan_ink (scan->grey);
    if (!scan->ink)
      return;
    dp_scan_find_turn (scan, upright);
  }
  scan->grey = turned (scan->grey, scan->turn / 90);
  scan->w = l->pixGetWidth (scan->grey);
  scan->h = l->pixGetHeight (scan->grey);
  if (!scan->skewed_for_sure) {
    scan->ink = turned (scan->ink, scan->turn / 90);
    ask_lines (scan);
  }
  if (scan->skew != 0)
    scan->grey = dp_scan_turn_a_little (scan->grey, scan->skew * G_PI / 180, DP_SCAN_GROUND);
  if (dp_scan_sharpen (scan->grey) || scan->turn || scan->skew != 0) {
    l->pixDestroy (&scan->ink);
    scan->ink = dp_scan_ink (scan->grey);
  }
  scan->w = l->pixGetWidth (scan->grey);
  scan->h = l->pixGetHeight (scan->grey);
}

/* Every pixel box as points. */
static DpRect
points_of (const DpScan *scan, const DpScanRule *r)
{
  const float k = (float) dp_scan_scale (scan);

  return (DpRect){ k * (float) r->x0, k * (float) r->y0, k * (float) r->x1, k * (float) r->y1 };
}

static void
list_paths (DpScan *scan)
{
  g_array_set_size (scan->paths, 0);
  g_array_set_size (scan->pictures, 0);
  for (guint i = 0; i < scan->dark->len; i++) {
    const DpPath path
        = { .box = points_of (scan, &g_array_index (scan->dark, DpScanRule, i)), .kind = DP_PATH_FILL, .colour = 0xdddddd, .alpha = 1 };
    g_array_append_val (scan->paths, path);
  }
  for (guint i = 0; i < scan->rules->len; i++) {
    const DpScanRule *r = &g_array_index (scan->rules, DpScanRule, i);
    const DpPath path = { .box = points_of (scan, r), .kind = r->vertical ? DP_PATH_VLINE : DP_PATH_HLINE, .alpha = 1 };
    g_array_append_val (scan->paths, path);
  }
  for (guint i = 0; i < scan->photos->len; i++) {
    const DpRect box = points_of (scan, &g_array_index (scan->photos, DpScanRule, i));
    g_array_append_val (scan->pictures, box);
  }
}

static void
find_all (DpScan *scan)
{
  dp_scan_find_dark (scan);
  dp_scan_find_photos (scan);
  dp_scan_find_frames (scan);
  dp_scan_find_rules (scan);
  g_array_unref (scan->parts);
  scan->parts = dp_scan_parts_of (scan->ink, scan->ruler, &scan->unit);
  dp_scan_find_drawings (scan);
  dp_scan_find_lines (scan);
  list_paths (scan);
}

/* From here on the grey page is rows of bytes in the order of its columns. */
static void
take_bytes (DpScan *scan)
{
  const DpLeptonica *l = dp_leptonica ();

  l->pixEndianByteSwap (scan->grey);
  scan->bytes = (guint8 *) l->pixGetData (scan->grey);
  scan->stride = 4 * (gsize) l->pixGetWpl (scan->grey);
  scan->ink_words = l->pixGetData (scan->ink);
  scan->ink_wpl = (gsize) l->pixGetWpl (scan->ink);
}

DpScan *
dp_scan_new (cairo_surface_t *picture, double dpi, gboolean upright, GError **error)
{
  g_autoptr (DpScan) scan = g_new0 (DpScan, 1);

  scan->dpi = dpi;
  scan->parts = g_array_new (FALSE, FALSE, sizeof (DpScanPart));
  scan->rules = g_array_new (FALSE, FALSE, sizeof (DpScanRule));
  scan->dark = g_array_new (FALSE, FALSE, sizeof (DpScanRule));
  scan->photos = g_array_new (FALSE, FALSE, sizeof (DpScanRule));
  scan->lines = g_array_new (FALSE, FALSE, sizeof (DpScanLine));
  scan->paths = g_array_new (FALSE, FALSE, sizeof (DpPath));
  scan->pictures = g_array_new (FALSE, FALSE, sizeof (DpRect));
  if (!dp_leptonica_load (error) || !is_usable (picture, dpi, error))
    return NULL;
  dp_leptonica ()->setMsgSeverity (L_SEVERITY_NONE);
  scan->grey = dp_scan_from_surface (picture);
  if (scan->grey) {
    if (upright)
      scan->tint = dp_scan_tint (scan->grey, &scan->tint_w, &scan->tint_h);
    scan->grey = dp_scan_even_ground (scan->grey, dpi);
    straighten (scan, upright);
  }
  if (!scan->grey || !scan->ink) {
    g_set_error_literal (error, DP_SCAN_ERROR, DP_SCAN_ERROR_PICTURE, "the page picture is too large for the memory there is");
    return NULL;
  }
  find_all (scan);
  take_bytes (scan);
  if (!upright && dp_scan_is_upside_down (scan, &scan->certainty)) {
    const double certainty = scan->certainty;
    dp_scan_turn_over (scan);
    scan->certainty = certainty;
  }
  return g_steal_pointer (&scan);
}

/* ---- upside down ------------------------------------------------------------------------------------------ */

static void
turn_boxes (const DpScan *scan, GArray *boxes)
{
  for (guint i = 0; i < boxes->len; i++) {
    DpScanRule *r = &g_array_index (boxes, DpScanRule, i);
    *r = (DpScanRule){ scan->w - r->x1, scan->h - r->y1, scan->w - r->x0, scan->h - r->y0, r->vertical };
  }
}

static void
turn_bytes (DpScan *scan)
{
  for (gint y = 0; y <= (scan->h - 1) / 2; y++) {
    guint8 *a = scan->bytes + (gsize) y * scan->stride, *b = scan->bytes + (gsize) (scan->h - 1 - y) * scan->stride;
    for (gint x = 0; x < scan->w && (a != b || x < scan->w / 2); x++) {
      const guint8 v = a[x];
      a[x] = b[scan->w - 1 - x];
      b[scan->w - 1 - x] = v;
    }
  }
}

void
dp_scan_turn_over (DpScan *scan)
{
  scan->turn = (scan->turn + 180) % 360;
  dp_leptonica ()->pixRotate180 (scan->ink, scan->ink);
  turn_bytes (scan);
  turn_boxes (scan, scan->rules);
  turn_boxes (scan, scan->dark);
  turn_boxes (scan, scan->photos);
  for (guint i = 0; i < scan->parts->len; i++) {
    DpScanPart *p = &g_array_index (scan->parts, DpScanPart, i);
    *p = (DpScanPart){ scan->w - p->x1, scan->h - p->y1, scan->w - p->x0, scan->h - p->y0, G_MAXUINT, 0, FALSE, FALSE };
  }
  dp_scan_find_lines (scan);
  list_paths (scan);
}

/* ---- what was found ------------------------------------------------------------------------------------------ */

gint
dp_scan_turn (const DpScan *scan)
{
  return scan->turn;
}

double
dp_scan_skew (const DpScan *scan)
{
  return scan->skew;
}

double
dp_scan_certainty (const DpScan *scan)
{
  return scan->certainty;
}

gint
dp_scan_width (const DpScan *scan)
{
  return scan->w;
}

gint
dp_scan_height (const DpScan *scan)
{
  return scan->h;
}

double
dp_scan_scale (const DpScan *scan)
{
  return 72 / scan->dpi;
}

const GArray *
dp_scan_lines (const DpScan *scan)
{
  return scan->lines;
}

const GArray *
dp_scan_paths (const DpScan *scan)
{
  return scan->paths;
}

const GArray *
dp_scan_pictures (const DpScan *scan)
{
  return scan->pictures;
}

gboolean
dp_scan_ink_box (const DpScan *scan, DpRect *box)
{
  DpScanRule all = { G_MAXINT, G_MAXINT, 0, 0, FALSE };

  for (guint i = 0; i < scan->lines->len; i++) {
    const DpScanLine *l = &g_array_index (scan->lines, DpScanLine, i);
    all = (DpScanRule){ MIN (all.x0, l->x0), MIN (all.y0, l->y0), MAX (all.x1, l->x1), MAX (all.y1, l->y1), FALSE };
  }
  if (all.x1 - all.x0 < dp_scan_pixels (scan, LEAST_INK) || all.y1 - all.y0 < dp_scan_pixels (scan, LEAST_INK))
    return FALSE;
  *box = points_of (scan, &all);
  return TRUE;
}

/* Tiles within reach of the text of a line are its ground. */
static void
clear_tint (guint8 *tint, const DpScan *scan, const DpScanLine *l)
{
  const gint x0 = MAX (0, (gint) ((float) l->x0 - 2 * l->em) / DP_SCAN_TILE), y0 = MAX (0, (gint) ((float) l->y0 - l->em) / DP_SCAN_TILE);
  const gint x1 = MIN (scan->tint_w, (gint) ((float) l->x1 + 2 * l->em) / DP_SCAN_TILE + 1);
  const gint y1 = MIN (scan->tint_h, (gint) ((float) l->y1 + l->em) / DP_SCAN_TILE + 1);

  for (gint y = y0; y < y1 && x1 > x0; y++)
    memset (tint + (gsize) y * (gsize) scan->tint_w + x0, 0, (gsize) (x1 - x0));
}

double
dp_scan_tinted_share (const DpScan *scan, const guint8 *read)
{
  const gsize n = (gsize) scan->tint_w * (gsize) scan->tint_h;
  g_autofree guint8 *tint = g_memdup2 (scan->tint, n + 1);
  gsize tinted = 0;

  for (guint i = 0; i < scan->lines->len && tint; i++)
    if (!read || read[i])
      clear_tint (tint, scan, &g_array_index (scan->lines, DpScanLine, i));
  for (gsize i = 0; i < n && tint; i++)
    tinted += tint[i];
  return n ? (double) tinted / (double) n : 0;
}

/* A question about areas of pieces, not of pixels. */
double
dp_scan_text_share (const DpScan *scan, const guint8 *read)
{
  double text = 0, other = 0;

  for (guint i = 0; i < scan->parts->len; i++) {
    const DpScanPart *p = &g_array_index (scan->parts, DpScanPart, i);
    const double area = (double) (p->x1 - p->x0) * (p->y1 - p->y0);
    *(p->line == G_MAXUINT || (read && !read[p->line]) ? &other : &text) += area;
  }
  for (guint i = 0; i < scan->photos->len; i++) {
    const DpScanRule *r = &g_array_index (scan->photos, DpScanRule, i);
    other += (double) (r->x1 - r->x0) * (r->y1 - r->y0);
  }
  return text + other > 0 ? text / (text + other) : 1;
}
