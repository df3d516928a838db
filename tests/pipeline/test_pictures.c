/* tests/pipeline/test_pictures.c - PNG, JPEG and TIFF files as documents, through the sandboxed child. */
#include <leptonica/allheaders.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/pdf.h"
#include "pipeline/pictures.h"
#include "tests/pipeline/tiny_pdf.h"

static void
drop (char *name)
{
  unlink (name);
  g_free (name);
}

static guint32
pixel (cairo_surface_t *s, int x, int y)
{
  const guint8 *row = cairo_image_surface_get_data (s) + y * cairo_image_surface_get_stride (s);

  return ((const guint32 *) row)[x] & 0xffffff;
}

/* ---- parts -------------------------------------------------------------------------------------- */

static void
test_signatures (void)
{
  g_assert_true (dp_picture_is ((const guint8 *) "\x89PNG\r\n\x1a\n", 8));
  g_assert_true (dp_picture_is ((const guint8 *) "\xff\xd8\xff\xe0", 4));
  g_assert_true (dp_picture_is ((const guint8 *) "II*\0", 4));
  g_assert_true (dp_picture_is ((const guint8 *) "MM\0*", 4));
  g_assert_false (dp_picture_is ((const guint8 *) "%PDF-1.4", 8));
  g_assert_false (dp_picture_is ((const guint8 *) "\x89PNG", 4));
  g_assert_false (dp_picture_is ((const guint8 *) "GIF89a..", 8));
  g_assert_false (dp_picture_is ((const guint8 *) "", 0));
}

static void
test_dpi (void)
{
  g_assert_cmpfloat (dp_picture_dpi (2480, 3508, 300), ==, 300);               /* A4, says so */
  g_assert_cmpfloat (dp_picture_dpi (1920, 1080, 96), ==, 96);                 /* a screen */
  g_assert_cmpfloat (dp_picture_dpi (4032, 3024, 72), ==, 300);                /* a camera that does not know: not 56 inches */
  g_assert_cmpfloat_with_epsilon (dp_picture_dpi (1700, 2200, 0), 188.1, 0.1); /* fitted to A4 */
  g_assert_cmpfloat (dp_picture_dpi (640, 480, 0), ==, 150);
  g_assert_cmpfloat (dp_picture_dpi (640, 480, 1e9), ==, 150);
}

/* SOI, an APP1 with one directory entry, as either byte order writes it. */
static GByteArray *
exif (gboolean big, guint tag, guint value)
{
  const guint8 head[] = { 0xff, 0xd8, 0xff, 0xe0, 0, 4, 'x', 'y', 0xff, 0xe1, 0, 34, 'E', 'x', 'i', 'f', 0, 0 };
  const guint8 tiff_big[]
      = { 'M', 'M', 0, '*', 0, 0, 0, 8, 0, 1, 0, (guint8) (tag & 255), 0, 3, 0, 0, 0, 1, 0, (guint8) value, 0, 0, 0, 0, 0, 0 };
  const guint8 tiff_little[]
      = { 'I', 'I', '*', 0, 8, 0, 0, 0, 1, 0, (guint8) (tag & 255), 0, 3, 0, 1, 0, 0, 0, (guint8) value, 0, 0, 0, 0, 0, 0, 0 };
  GByteArray *out = g_byte_array_new ();
  guint at = big ? 11 : 10; /* where the tag's low byte is; its high byte is 1 */

  g_byte_array_append (out, head, sizeof head);
  g_byte_array_append (out, big ? tiff_big : tiff_little, sizeof tiff_big);
  out->data[sizeof head + (big ? at - 1 : at + 1)] = (guint8) (tag >> 8);
  return out;
}

static void
test_exif (void)
{
  for (guint big = 0; big < 2; big++) {
    g_autoptr (GByteArray) six = exif (big, 0x0112, 6), other = exif (big, 0x0113, 6), nine = exif (big, 0x0112, 9);

    g_assert_cmpuint (dp_jpeg_orientation (six->data, six->len), ==, 6);
    g_assert_cmpuint (dp_jpeg_orientation (other->data, other->len), ==, 1);
    g_assert_cmpuint (dp_jpeg_orientation (nine->data, nine->len), ==, 1);
    for (guint n = 0; n < six->len; n++) { /* cut anywhere: no reading past the end */
      g_autofree guint8 *cut = g_memdup2 (six->data, MAX (n, 1));

      g_assert_cmpuint (dp_jpeg_orientation (cut, n), ==, 1);
    }
    memset (six->data + 22, 0xff, 4); /* the directory is far outside */
    g_assert_cmpuint (dp_jpeg_orientation (six->data, six->len), ==, 1);
  }
}

/* ---- files ------------------------------------------------------------------------------------------ */

static cairo_status_t
collect (void *closure, const unsigned char *data, unsigned int n)
{
  g_byte_array_append (closure, data, n);
  return CAIRO_STATUS_SUCCESS;
}

/* 200 x 100, transparent, with a red square of 100 at the left. */
static GByteArray *
make_png (void)
{
  cairo_surface_t *s = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 200, 100);
  cairo_t *cr = cairo_create (s);
  GByteArray *out = g_byte_array_new ();

  cairo_set_source_rgb (cr, 1, 0, 0);
  cairo_rectangle (cr, 0, 0, 100, 100);
  cairo_fill (cr);
  cairo_destroy (cr);
  g_assert_cmpint (cairo_surface_write_to_png_stream (s, collect, out), ==, CAIRO_STATUS_SUCCESS);
  cairo_surface_destroy (s);
  return out;
}

static void
test_png (void)
{
  g_autoptr (GByteArray) png = make_png ();
  char *name = tiny_save (png->data, png->len, ".pdf"); /* the name lies */
  g_autoptr (GError) error = NULL;
  DpPdf *pdf = dp_pdf_open (name, NULL, NULL, &error);
  DpPage *page;
  cairo_surface_t *s;

  g_assert_no_error (error);
  g_assert_true (dp_pdf_info (pdf)->is_picture);
  g_assert_cmpuint (dp_pdf_n_pages (pdf), ==, 1);
  page = dp_pdf_page (pdf, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat_with_epsilon (page->width, 96, 0.01); /* 200 pixels at 150 dpi */
  g_assert_cmpfloat_with_epsilon (page->height, 48, 0.01);
  g_assert_cmpuint (page->n_glyphs, ==, 0);
  g_assert_cmpuint (page->n_images, ==, 1);
  g_assert_cmpuint (page->images[0].width, ==, 200);
  g_assert_cmpfloat (page->images[0].box.x1, ==, page->width);
  g_assert_cmpfloat (page->images[0].box.y1, ==, page->height);
  dp_page_free (page);
  s = dp_pdf_render (pdf, 1, (DpRect){ 0 }, 150, FALSE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (cairo_image_surface_get_width (s), ==, 200);
  g_assert_cmphex (pixel (s, 50, 50), ==, 0xff0000);
  g_assert_cmphex (pixel (s, 150, 50), ==, 0xffffff); /* transparent is paper */
  cairo_surface_destroy (s);
  s = dp_pdf_render (pdf, 1, (DpRect){ 0, 0, 48, 48 }, 72, TRUE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (cairo_image_surface_get_width (s), ==, 48);
  g_assert_cmpuint (cairo_image_surface_get_data (s)[20 * cairo_image_surface_get_stride (s) + 20], ==, 76); /* luminance of red */
  cairo_surface_destroy (s);
  dp_pdf_close (pdf);
  drop (name);
}

/* Four quarters of 32 x 16 pixels: red, green above blue, white. */
static PIX *
make_quarters (void)
{
  const guint32 colours[2][2] = { { 0xff000000, 0x00ff0000 }, { 0x0000ff00, 0xffffff00 } };
  PIX *pix = pixCreate (64, 32, 32);

  for (int y = 0; y < 32; y++)
    for (int x = 0; x < 64; x++)
      pixSetPixel (pix, x, y, colours[y / 16][x / 32]);
  return pix;
}

/* The nearest pure colour's initial: JPEG is not exact. */
static char
colour_at (cairo_surface_t *s, int x, int y)
{
  guint32 p = pixel (s, x, y);
  gboolean r = (p >> 16 & 255) > 127, g = (p >> 8 & 255) > 127, b = (p & 255) > 127;

  return r && g && b ? 'w' : r ? 'r' : g ? 'g' : b ? 'b' : 'k';
}

/* What each EXIF orientation shows, top left, top right, bottom left, bottom right
 * (EXIF 2.3, 4.6.4 A: "6 = the 0th row is the right side, the 0th column the top"). */
static const char *const shown[9] = { NULL, "rgbw", "grwb", "wbgr", "bwrg", "rbgw", "brwg", "wgbr", "gwrb" };

static void
test_orientations (void)
{
  PIX *pix = make_quarters ();
  l_uint8 *jpeg = NULL;
  size_t n = 0;

  g_assert_cmpint (pixWriteMemJpeg (&jpeg, &n, pix, 95, 0), ==, 0);
  pixDestroy (&pix);
  for (guint orientation = 1; orientation <= 8; orientation++) {
    g_autoptr (GByteArray) file = exif (orientation & 1, 0x0112, orientation);
    g_autoptr (GError) error = NULL;
    int w = orientation < 5 ? 64 : 32, h = orientation < 5 ? 32 : 64;
    char seen[5] = { 0 };
    cairo_surface_t *s;
    DpPdf *pdf;
    char *name;

    g_byte_array_append (file, jpeg + 2, (guint) n - 2);
    name = tiny_save (file->data, file->len, ".jpg");
    pdf = dp_pdf_open (name, NULL, NULL, &error);
    g_assert_no_error (error);
    s = dp_pdf_render (pdf, 1, (DpRect){ 0 }, 150, FALSE, &error);
    g_assert_no_error (error);
    g_assert_cmpint (cairo_image_surface_get_width (s), ==, w);
    g_assert_cmpint (cairo_image_surface_get_height (s), ==, h);
    for (int i = 0; i < 4; i++)
      seen[i] = colour_at (s, i % 2 ? w * 3 / 4 : w / 4, i / 2 ? h * 3 / 4 : h / 4);
    g_assert_cmpstr (seen, ==, shown[orientation]);
    cairo_surface_destroy (s);
    dp_pdf_close (pdf);
    drop (name);
  }
  lept_free (jpeg);
}

static void
test_tiff (void)
{
  char *name = tiny_save ("", 0, ".tif");
  g_autoptr (GError) error = NULL;
  DpPdf *pdf;

  for (int i = 0; i < 3; i++) {
    PIX *pix = pixCreate (300 + 100 * i, 600, 1);

    pixSetResolution (pix, 200, 200);
    if (i == 1)
      pixSetAll (pix); /* black */
    g_assert_cmpint (pixWriteTiff (name, pix, IFF_TIFF_G4, i ? "a" : "w"), ==, 0);
    pixDestroy (&pix);
  }
  pdf = dp_pdf_open (name, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (dp_pdf_n_pages (pdf), ==, 3);
  for (guint number = 3; number >= 1; number--) {
    g_autoptr (DpPage) page = dp_pdf_page (pdf, number, &error);
    cairo_surface_t *s = dp_pdf_render (pdf, number, (DpRect){ 0 }, 72, FALSE, &error);

    g_assert_no_error (error);
    g_assert_cmpfloat_with_epsilon (page->width, (200 + 100 * number) * 72 / 200.0, 0.1);
    g_assert_cmpfloat_with_epsilon (page->height, 216, 0.1);
    g_assert_cmphex (pixel (s, 40, 100), ==, number == 2 ? 0 : 0xffffff);
    cairo_surface_destroy (s);
  }
  dp_pdf_close (pdf);
  drop (name);
}

/* ---- bad files ------------------------------------------------------------------------------------------ */

static void
test_pixel_limit (void)
{
  g_autoptr (GByteArray) png = make_png ();
  char *name = tiny_save (png->data, png->len, ".png");
  DpPdfLimits limits = DP_PDF_LIMITS_DEFAULT;
  g_autoptr (GError) error = NULL;
  DpPdf *pdf;

  limits.max_pixels = 19999;
  pdf = dp_pdf_open (name, NULL, &limits, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++) { /* a limit, not a strike */
    g_assert_null (dp_pdf_page (pdf, 1, &error));
    g_assert_error (error, DP_PDF_ERROR, DP_PDF_ERROR_PAGE);
    g_assert_nonnull (strstr (error->message, "200 x 100 pixels"));
    g_clear_error (&error);
  }
  dp_pdf_close (pdf);
  drop (name);
}

static void
test_damaged (void)
{
  g_autoptr (GByteArray) png = make_png ();
  const gsize lengths[] = { 8, 20, 45, png->len / 2 };

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++) {
    char *name = tiny_save (png->data, lengths[i], ".png");
    g_autoptr (GError) error = NULL;
    g_autoptr (DpPdf) pdf = dp_pdf_open (name, NULL, NULL, &error);
    DpPage *page = pdf ? dp_pdf_page (pdf, 1, &error) : NULL;

    g_assert_null (page);
    g_assert_true (g_error_matches (error, DP_PDF_ERROR, DP_PDF_ERROR_NOT_PDF) || g_error_matches (error, DP_PDF_ERROR, DP_PDF_ERROR_PAGE));
    drop (name);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  setMsgSeverity (L_SEVERITY_NONE);
  g_test_add_func ("/pictures/signatures", test_signatures);
  g_test_add_func ("/pictures/dpi", test_dpi);
  g_test_add_func ("/pictures/exif", test_exif);
  g_test_add_func ("/pictures/png", test_png);
  g_test_add_func ("/pictures/orientations", test_orientations);
  g_test_add_func ("/pictures/tiff", test_tiff);
  g_test_add_func ("/pictures/pixel-limit", test_pixel_limit);
  g_test_add_func ("/pictures/damaged", test_damaged);
  return g_test_run ();
}
