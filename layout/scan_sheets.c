/* layout/scan_sheets.c - from a photograph or an open book to sheets that lie flat.  See scan.h.
 *
 * What is cut out or flattened is scanned anew, so that all that follows needs to know nothing of it.  The way back, for
 * pictures of figures, is a chain of maps: from the upright sheet to the one that was found in the picture (turn and skew), from
 * there, if its paper is not flat, along the lines of text, and at last to the picture (edges, fold).
 */
#include "layout/scan_private.h"

#include <math.h>
#include <string.h>

#define WARP_STEP 10.0 /* points between nodes of the way back */
#define MOST_SIDE 32000.0

typedef double Projection[9];

typedef struct {
  DpScan *scan;
  Projection cut;  /* pixels of the sheet as it was found -> of the picture */
  Projection lies; /* straight but not flat -> as it was found: turn and skew; used if bent */
  DpWarpGrid bent; /* flat -> straight; no places: it is flat */
} Sheet;

struct DpScanSheets {
  double dpi;
  gint width, height; /* of the picture */
  gboolean plain;     /* the only sheet is the whole picture, turned and skewed at most */
  guint n;
  Sheet sheets[2];
};

/* ---- maps ------------------------------------------------------------------------------------------------- */

static void
project (gpointer data, double x, double y, double *sx, double *sy)
{
  const double *m = data;
  const double w = m[6] * x + m[7] * y + m[8];

  *sx = (m[0] * x + m[1] * y + m[2]) / w;
  *sy = (m[3] * x + m[4] * y + m[5]) / w;
}

/* First b, then a. */
static void
multiply (const Projection a, const Projection b, Projection out)
{
  Projection product;

  for (guint i = 0; i < 3; i++)
    for (guint k = 0; k < 3; k++)
      product[3 * i + k] = a[3 * i] * b[k] + a[3 * i + 1] * b[3 + k] + a[3 * i + 2] * b[6 + k];
  memcpy (out, product, sizeof product);
}

/* From a page of w x h pixels that was turned clockwise to what it was before. */
static void
turn_back (gint turn, double w, double h, Projection out)
{
  const Projection turns[4]
      = { { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, { 0, 1, 0, -1, 0, w, 0, 0, 1 }, { -1, 0, w, 0, -1, h, 0, 0, 1 }, { 0, -1, h, 1, 0, 0, 0, 0, 1 } };

  memcpy (out, turns[turn / 90 % 4], sizeof (Projection));
}

/* From the upright page of a scan to the picture it was made of. */
static void
upright_back (const DpScan *scan, Projection out)
{
  const double a = -scan->skew * G_PI / 180, c = cos (a), s = sin (a), x = 0.5 * scan->w, y = 0.5 * scan->h;
  const Projection skew = { c, -s, x - c * x + s * y, s, c, y - s * x - c * y, 0, 0, 1 };
  Projection turn;

  turn_back (scan->turn, scan->w, scan->h, turn);
  multiply (turn, skew, out);
}

/* ---- flattening --------------------------------------------------------------------------------------------------- */

/* The sheet on its table, as a picture of its own; NULL: it is the whole picture. */
static cairo_surface_t *
cut_edges (cairo_surface_t *picture, Projection cut)
{
  double c[4][2];

  if (!dp_scan_find_edges (picture, c))
    return NULL;
  const double w = MAX (hypot (c[1][0] - c[0][0], c[1][1] - c[0][1]), hypot (c[2][0] - c[3][0], c[2][1] - c[3][1]));
  const double h = MAX (hypot (c[3][0] - c[0][0], c[3][1] - c[0][1]), hypot (c[2][0] - c[1][0], c[2][1] - c[1][1]));
  if (!(w >= 1 && h >= 1 && w <= MOST_SIDE && h <= MOST_SIDE))
    return NULL;
  dp_scan_map_square ((const double (*)[2]) c, floor (w), floor (h), cut);
  return dp_warp_surface (picture, (gint) w, (gint) h, project, cut);
}

typedef struct {
  double *lies;
  const DpWarpGrid *bent;
} Way;

static void
go_back (gpointer data, double x, double y, double *sx, double *sy)
{
  const Way *way = data;

  dp_warp_grid_place (way->bent, x, y, &x, &y);
  project (way->lies, x, y, sx, sy);
}

/* Paper that is not flat is straightened by its lines, and looked at again. */
static void
flatten (Sheet *sheet, cairo_surface_t *picture, double dpi)
{
  Way way = { sheet->lies, &sheet->bent };

  if (!dp_scan_find_bend (sheet->scan, &sheet->bent))
    return;
  upright_back (sheet->scan, sheet->lies);
  cairo_surface_t *flat = dp_warp_surface (picture, sheet->scan->w, sheet->scan->h, go_back, &way);
  DpScan *scan = flat ? dp_scan_new (flat, dpi, FALSE, NULL) : NULL;
  g_clear_pointer (&flat, cairo_surface_destroy);
  if (!scan || scan->lines->len == 0) {
    dp_scan_free (scan);
    dp_warp_grid_clear (&sheet->bent);
    return;
  }
  dp_scan_free (sheet->scan);
  sheet->scan = scan;
}

/* Cuts the picture of an open book, which the scan of both pages knows how to turn, at the fold. */
static gboolean
cut_pages (DpScanSheets *sheets, cairo_surface_t *picture, const DpScan *both, gint fold, const Projection edges, GError **error)
{
  for (guint i = 0; i < 2; i++) {
    Sheet *sheet = &sheets->sheets[i];
    const gint x0 = i ? fold : 0, w = i ? both->w - fold : fold;
    const Projection move = { 1, 0, x0, 0, 1, 0, 0, 0, 1 };
    Projection turn;
    turn_back (both->turn, both->w, both->h, turn);
    multiply (turn, move, turn);
    cairo_surface_t *page = dp_warp_surface (picture, w, both->h, project, turn);
    if (!page) {
      g_set_error_literal (error, DP_SCAN_ERROR, DP_SCAN_ERROR_PICTURE, "the page picture is too large for the memory there is");
      return FALSE;
    }
    sheet->scan = dp_scan_new (page, sheets->dpi, FALSE, error);
    multiply (edges, turn, sheet->cut);
    if (sheet->scan)
      flatten (sheet, page, sheets->dpi);
    g_clear_pointer (&page, cairo_surface_destroy);
    sheets->n += sheet->scan != NULL;
    if (!sheet->scan)
      return FALSE;
  }
  return TRUE;
}

DpScanSheets *
dp_scan_sheets_new (cairo_surface_t *picture, double dpi, GError **error)
{
  const Projection whole = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  g_autoptr (DpScanSheets) sheets = g_new0 (DpScanSheets, 1);
  Projection cut;
  gint fold;

  sheets->dpi = dpi;
  sheets->width = cairo_image_surface_get_width (picture);
  sheets->height = cairo_image_surface_get_height (picture);
  memcpy (cut, whole, sizeof cut);
  cairo_surface_t *sheet = cairo_image_surface_get_format (picture) == CAIRO_FORMAT_A8 ? cut_edges (picture, cut) : NULL;
  sheets->plain = !sheet;
  if (!sheet)
    sheet = cairo_surface_reference (picture);
  g_autoptr (DpScan) scan = dp_scan_new (sheet, dpi, FALSE, error);
  if (scan && dp_scan_find_fold (scan, &fold)) {
    sheets->plain = FALSE;
    if (!cut_pages (sheets, sheet, scan, fold, cut, error))
      g_clear_pointer (&sheets, dp_scan_sheets_free);
  } else if (scan) {
    sheets->n = 1;
    sheets->sheets[0].scan = g_steal_pointer (&scan);
    memcpy (sheets->sheets[0].cut, cut, sizeof cut);
    flatten (&sheets->sheets[0], sheet, dpi);
    sheets->plain = sheets->plain && !sheets->sheets[0].bent.places;
  } else
    g_clear_pointer (&sheets, dp_scan_sheets_free);
  cairo_surface_destroy (sheet);
  return g_steal_pointer (&sheets);
}

void
dp_scan_sheets_free (DpScanSheets *sheets)
{
  for (guint i = 0; sheets && i < 2; i++) {
    dp_scan_free (sheets->sheets[i].scan);
    dp_warp_grid_clear (&sheets->sheets[i].bent);
  }
  g_free (sheets);
}

/* ---- what was found ------------------------------------------------------------------------------------------ */

guint
dp_scan_sheets_n (const DpScanSheets *sheets)
{
  return sheets->n;
}

DpScan *
dp_scan_sheets_scan (const DpScanSheets *sheets, guint i)
{
  return sheets->sheets[i].scan;
}

gboolean
dp_scan_sheets_over (const DpScanSheets *sheets)
{
  return sheets->n == 2 && sheets->sheets[0].scan->turn == 180 && sheets->sheets[1].scan->turn == 180;
}

typedef struct {
  const Sheet *sheet;
  Projection upright;
  double left, points; /* of the sheet on the page; points a pixel */
} Back;

static void
find_place (gpointer data, double x, double y, double *sx, double *sy)
{
  Back *back = data;
  Projection cut;

  memcpy (cut, back->sheet->cut, sizeof cut);
  project (back->upright, (x - back->left) / back->points, y / back->points, &x, &y);
  if (back->sheet->bent.places) {
    Projection lies;
    memcpy (lies, back->sheet->lies, sizeof lies);
    dp_warp_grid_place (&back->sheet->bent, x, y, &x, &y);
    project (lies, x, y, &x, &y);
  }
  project (cut, x, y, sx, sy);
  *sx *= back->points;
  *sy *= back->points;
}

DpWarp *
dp_scan_sheets_warp (const DpScanSheets *sheets)
{
  const double points = 72 / sheets->dpi;
  double left = 0;

  if (sheets->plain)
    return NULL;
  DpWarp *warp = g_new0 (DpWarp, 1);
  warp->width = (float) (points * sheets->width);
  warp->height = (float) (points * sheets->height);
  warp->n = sheets->n;
  for (guint i = 0; i < sheets->n; i++) {
    Back back = { .sheet = &sheets->sheets[dp_scan_sheets_over (sheets) ? 1 - i : i], .left = left, .points = points };
    const DpScan *scan = back.sheet->scan;
    const DpRect box = { (float) left, 0, (float) (left + points * scan->w), (float) (points * scan->h) };
    upright_back (scan, back.upright);
    dp_warp_grid_init (&warp->sheets[i], box, WARP_STEP, find_place, &back);
    left += points * scan->w;
  }
  return warp;
}
