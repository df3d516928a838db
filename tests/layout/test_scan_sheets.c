/* tests/layout/test_scan_sheets.c - photographs and open books (scan_page.h): every sheet comes out flat, straight and in its place. */
#include "scan_page.h"

#include <math.h>

/* ---- pictures ------------------------------------------------------------------------------------------------ */

#define LINE 27 /* letters */

/* n lines of running text from x, y on; words of different lengths, so that no blanks stand below each other for long. */
static void
prose (cairo_t *cr, double x, double y, guint n)
{
  guint32 seed = 5;

  for (guint i = 0; i < n; i++) {
    char line[LINE + 1] = { 0 };
    for (guint k = 0, blank = 2; k < LINE; k++) {
      seed = seed * 1664525 + 1013904223;
      line[k] = k == blank ? ' ' : "nnlnpnnln"[(seed >> 24) % 9];
      blank += k == blank ? 4 + (seed >> 16) % 6 : 0;
    }
    line[LINE - 1] = 'n';
    text (cr, line, x, y + i * PITCH);
  }
}

static DpScanSheets *
sheets_of (cairo_t *cr)
{
  g_autoptr (GError) error = NULL;
  DpScanSheets *sheets = dp_scan_sheets_new (cairo_get_target (cr), DPI, &error);

  g_assert_no_error (error);
  g_assert_nonnull (sheets);
  return sheets;
}

/* A picture of another one through a map. */
static cairo_t *
seen (cairo_t *cr, int width, int height, DpWarpMap map, gpointer data)
{
  cairo_surface_t *surface = dp_warp_surface (cairo_get_target (cr), width, height, map, data);
  cairo_t *out = cairo_create (surface);

  cairo_surface_destroy (surface);
  return out;
}

/* Both ends of every line of a sheet lie on a row that was drawn from x, y on, on the page that the picture was made of, and no row is
 * missing: so the lines were level, and the way back is right. */
static void
check_rows (DpScanSheets *sheets, guint sheet, DpWarpMap to_page, gpointer data, double x, double y, guint n)
{
  const guint place = dp_scan_sheets_over (sheets) ? 1 - sheet : sheet;
  const DpScan *scan = dp_scan_sheets_scan (sheets, sheet);
  g_autoptr (DpWarp) warp = dp_scan_sheets_warp (sheets);
  guint seen_rows = 0;

  g_assert_nonnull (warp);
  for (guint i = 0; i < dp_scan_lines (scan)->len; i++) {
    const DpScanLine *line = &g_array_index (dp_scan_lines (scan), DpScanLine, i);
    if (line->n_parts < 4)
      continue;
    for (guint end = 0; end < 2; end++) {
      double px, py;
      dp_warp_place (warp, (double) warp->sheets[place].box.x0 + (end ? line->x1 : line->x0) * 72 / DPI, (double) line->baseline * 72 / DPI,
                     &px, &py);
      to_page (data, px * DPI / 72, py * DPI / 72, &px, &py);
      const double row = floor ((py - y) / PITCH + 0.5);
      g_assert_cmpfloat_with_epsilon (py, y + row * PITCH, 0.25 * EM);
      g_assert_cmpfloat (row, >=, 0);
      g_assert_cmpfloat (row, <, n);
      g_assert_cmpfloat (px, >, x - 6);
      g_assert_cmpfloat (px, <, x + LINE * ADVANCE + 6);
      seen_rows |= 1u << (guint) row;
    }
  }
  g_assert_cmphex (seen_rows, ==, (1u << n) - 1);
}

/* ---- books ------------------------------------------------------------------------------------------------------ */

static const double askew[2] = { 1.4, -1.2 };

/* From the picture of a book to the page as it was drawn. */
static void
to_half (gpointer data, double x, double y, double *sx, double *sy)
{
  const guint half = GPOINTER_TO_UINT (data);
  const double a = -askew[half] * G_PI / 180, dx = x - (half ? 1050 : 350), dy = y - 450;

  *sx = dx * cos (a) - dy * sin (a);
  *sy = dx * sin (a) + dy * cos (a);
}

static void
to_half_over (gpointer data, double x, double y, double *sx, double *sy)
{
  to_half (data, 1400 - x, 900 - y, sx, sy);
}

/* Two pages, each askew in its own way. */
static cairo_t *
book (void)
{
  cairo_t *cr = sheet (1400, 900);

  for (guint i = 0; i < 2; i++) {
    cairo_save (cr);
    cairo_translate (cr, i ? 1050 : 350, 450);
    cairo_rotate (cr, askew[i] * G_PI / 180);
    prose (cr, -220, -300, i ? 12 : 16);
    cairo_restore (cr);
  }
  return cr;
}

static void
test_book (void)
{
  cairo_t *cr = book ();
  g_autoptr (DpScanSheets) sheets = sheets_of (cr);

  g_assert_cmpuint (dp_scan_sheets_n (sheets), ==, 2);
  g_assert_false (dp_scan_sheets_over (sheets));
  check_rows (sheets, 0, to_half, GUINT_TO_POINTER (0), -220, -300, 16);
  check_rows (sheets, 1, to_half, GUINT_TO_POINTER (1), -220, -300, 12);
  cairo_destroy (cr);
}

/* A book on its head: the page that was found last is the first one. */
static void
test_book_over (void)
{
  const cairo_matrix_t hanging = { -1, 0, 0, -1, 1400, 900 };
  cairo_t *cr = book (), *over = mapped (cr, 1400, 900, &hanging);
  g_autoptr (DpScanSheets) sheets = sheets_of (over);

  g_assert_cmpuint (dp_scan_sheets_n (sheets), ==, 2);
  const guint first = dp_scan_sheets_over (sheets) ? 1 : 0; /* or the whole picture was turned before */
  check_rows (sheets, first, to_half_over, GUINT_TO_POINTER (0), -220, -300, 16);
  check_rows (sheets, 1 - first, to_half_over, GUINT_TO_POINTER (1), -220, -300, 12);
  cairo_destroy (over);
  cairo_destroy (cr);
}

static void
check_one (cairo_t *cr)
{
  g_autoptr (DpScanSheets) sheets = sheets_of (cr);

  g_assert_cmpuint (dp_scan_sheets_n (sheets), ==, 1);
  g_assert_null (dp_scan_sheets_warp (sheets));
  cairo_destroy (cr);
}

/* A landscape page with a title across its columns, a table, and a page of two columns that stands. */
static void
test_no_book (void)
{
  cairo_t *titled = sheet (1400, 900), *cells = sheet (1400, 900), *columns = sheet (1100, 1300);

  prose (titled, 130, 250, 14);
  prose (titled, 830, 250, 14);
  text (titled, "nlnpn nln nnlln nn nlpnn ll", 480, 150);
  check_one (titled);
  for (guint i = 0; i < 14; i++)
    for (guint k = 0; k < 4; k++)
      text (cells, "nln pnl", 150 + 320 * k, 180 + i * PITCH);
  check_one (cells);
  prose (columns, 60, 150, 25);
  prose (columns, 600, 150, 25);
  check_one (columns);
}

/* ---- photographs --------------------------------------------------------------------------------------------------- */

static void
project (gpointer data, double x, double y, double *sx, double *sy)
{
  const double *m = data, w = m[6] * x + m[7] * y + 1;

  *sx = (m[0] * x + m[1] * y + m[2]) / w;
  *sy = (m[3] * x + m[4] * y + m[5]) / w;
}

static void
test_table (void)
{
  cairo_t *page = sheet (900, 1200);
  double seen_from[9] = { 0.92, 0.06, -120, -0.05, 0.96, -70, 4e-5, 6e-5, 1 };
  double x, y;

  prose (page, 160, 200, 22);
  cairo_t *photo = seen (page, 1250, 1420, project, seen_from);
  cairo_surface_t *surface = cairo_get_target (photo);
  cairo_surface_flush (surface);
  for (gint row = 0; row < 1420; row++) /* white is paper only where the page was; elsewhere a table shows */
    for (gint col = 0; col < 1250; col++) {
      project (seen_from, col + 0.5, row + 0.5, &x, &y);
      if (x < 0 || y < 0 || x > 900 || y > 1200)
        cairo_image_surface_get_data (surface)[row * cairo_image_surface_get_stride (surface) + col] = 70;
    }
  cairo_surface_mark_dirty (surface);
  g_autoptr (DpScanSheets) sheets = sheets_of (photo);
  g_assert_cmpuint (dp_scan_sheets_n (sheets), ==, 1);
  check_rows (sheets, 0, project, seen_from, 160, 200, 22);
  cairo_destroy (photo);
  cairo_destroy (page);
}

/* Rows bend by an em and a half towards the left, less at the foot of the page. */
static void
curl (gpointer data, double x, double y, double *sx, double *sy)
{
  const double u = 1 - x / 900;

  (void) data;
  *sx = x;
  *sy = y + 2.2 * EM * u * u * u * (1 - 0.4 * y / 1200);
}

static void
test_curl (void)
{
  cairo_t *page = sheet (900, 1200);

  prose (page, 160, 200, 22);
  cairo_t *bent = seen (page, 900, 1200, curl, NULL);
  g_autoptr (DpScanSheets) sheets = sheets_of (bent);
  g_assert_cmpuint (dp_scan_sheets_n (sheets), ==, 1);
  check_rows (sheets, 0, curl, NULL, 160, 200, 22);
  cairo_destroy (bent);
  cairo_destroy (page);
}

/* Pages that lie flat are left alone, also with a dark band along one side. */
static void
test_flat (void)
{
  cairo_t *plain = sheet (900, 1200), *banded = sheet (900, 1200);

  prose (plain, 160, 200, 22);
  check_one (plain);
  prose (banded, 260, 200, 22);
  cairo_set_source_rgba (banded, 0, 0, 0, 0.2);
  bar (banded, 0, 0, 160, 1200);
  check_one (banded);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scan-sheets/book", test_book);
  g_test_add_func ("/scan-sheets/book-over", test_book_over);
  g_test_add_func ("/scan-sheets/no-book", test_no_book);
  g_test_add_func ("/scan-sheets/table", test_table);
  g_test_add_func ("/scan-sheets/curl", test_curl);
  g_test_add_func ("/scan-sheets/flat", test_flat);
  return g_test_run ();
}
