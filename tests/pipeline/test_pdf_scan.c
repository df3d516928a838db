/* tests/pipeline/test_pdf_scan.c - pages of one image: which they are, and their pixels without painting. */
#include "pipeline/pdf_scan.h"

#include <gio/gio.h>
#include <string.h>

/* Of one bit: black where x is a multiple of 3 or y of 5. */
#define W 101u
#define H 60u
#define MOST_PIXELS 1000000u

static guint
value (guint x, guint y)
{
  return x % 3 == 0 || y % 5 == 0 ? 0 : 255;
}

static GByteArray *
file_of_bits (void)
{
  guint8 rows[H * ((W + 7) / 8)] = { 0 }, packed[4096];
  g_autoptr (GZlibCompressor) zlib = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, 1);
  GByteArray *file = g_byte_array_new ();
  gsize taken, made;

  for (guint y = 0; y < H; y++)
    for (guint x = 0; x < W; x++)
      if (value (x, y))
        rows[y * ((W + 7) / 8) + x / 8] |= (guint8) (128u >> x % 8);
  g_converter_convert (G_CONVERTER (zlib), rows, sizeof rows, packed, sizeof packed, G_CONVERTER_INPUT_AT_END, &taken, &made, NULL);
  g_autofree char *head
      = g_strdup_printf ("1 0 obj<</Subtype/Image/Width %u/Height %u/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/FlateDecode"
                         "/Length %u>>stream\n",
                         W, H, (guint) made);
  g_byte_array_append (file, (const guint8 *) head, (guint) strlen (head));
  g_byte_array_append (file, packed, (guint) made);
  g_byte_array_append (file, (const guint8 *) "\nendstream endobj\n", 18);
  return file;
}

static guint
pixel (cairo_surface_t *surface, gint x, gint y)
{
  return cairo_image_surface_get_data (surface)[y * cairo_image_surface_get_stride (surface) + x];
}

/* The image at 72 dpi, 7 points from the left and 3 from the top of a page that is larger. */
static cairo_surface_t *
render (DpPdfImages *images, double dpi)
{
  const DpImage image = { .box = { 7, 3, 7 + W, 3 + H }, .width = W, .height = H };

  return dp_pdf_scan_render (images, &image, (DpRect){ 0, 0, W + 20, H + 9 }, dpi, MOST_PIXELS);
}

static void
test_render (void)
{
  g_autoptr (GByteArray) file = file_of_bits ();
  g_autoptr (DpPdfImages) images = dp_pdf_images_read (file->data, file->len);
  cairo_surface_t *page = render (images, 72), *large = render (images, 144);

  g_assert_cmpint (cairo_image_surface_get_width (page), ==, W + 20);
  g_assert_cmpint (cairo_image_surface_get_height (page), ==, H + 9);
  for (gint y = 0; y < (gint) H + 9; y++)
    for (gint x = 0; x < (gint) W + 20; x++) {
      const gboolean inside = x >= 7 && x < 7 + (gint) W && y >= 3 && y < 3 + (gint) H;
      g_assert_cmpuint (pixel (page, x, y), ==, inside ? value ((guint) x - 7, (guint) y - 3) : 255);
    }
  g_assert_cmpint (cairo_image_surface_get_width (large), ==, 2 * (W + 20));
  for (guint y = 1; y + 1 < 2 * H; y++)
    for (guint x = 1; x + 1 < 2 * W; x++) { /* three parts of the nearer pixel, one of the farther, both ways */
      const guint nx = x / 2, fx = x % 2 ? nx + 1 : nx - 1, ny = y / 2, fy = y % 2 ? ny + 1 : ny - 1;
      const guint sum = 9 * value (nx, ny) + 3 * value (fx, ny) + 3 * value (nx, fy) + value (fx, fy);
      g_assert_cmpuint (pixel (large, (gint) x + 14, (gint) y + 6), ==, (sum + 8) / 16);
    }
  g_assert_null (render (images, 60)); /* these are for a painter */
  g_assert_null (render (images, 150));
  cairo_surface_destroy (page);
  cairo_surface_destroy (large);
}

/* Larger by a quarter: between the middles of pixels, in sixteenths. */
static void
test_enlarged (void)
{
  g_autoptr (GByteArray) file = file_of_bits ();
  g_autoptr (DpPdfImages) images = dp_pdf_images_read (file->data, file->len);
  const DpImage image = { .box = { 0, 0, W, H }, .width = W, .height = H };
  cairo_surface_t *page = dp_pdf_scan_render (images, &image, image.box, 90, MOST_PIXELS);
  const gint w = 126, h = 75; /* of 126.25 x 75: the page has a column more */

  g_assert_cmpint (cairo_image_surface_get_width (page), ==, w + 1);
  g_assert_cmpint (cairo_image_surface_get_height (page), ==, h);
  g_assert_cmpuint (pixel (page, w, 10), ==, 255);
  for (gint y = 1; y + 1 < h; y++)
    for (gint x = 1; x + 1 < w; x++) {
      const double fx = (x + 0.5) * W / w - 0.5, fy = (y + 0.5) * H / h - 0.5;
      const guint x0 = (guint) fx, y0 = (guint) fy;
      const double u = fx - x0, v = fy - y0;
      const double wanted
          = (1 - v) * ((1 - u) * value (x0, y0) + u * value (x0 + 1, y0)) + v * ((1 - u) * value (x0, y0 + 1) + u * value (x0 + 1, y0 + 1));
      g_assert_cmpfloat_with_epsilon (pixel (page, x, y), wanted, 255.0 / 16 + 1);
    }
  cairo_surface_destroy (page);
}

static void
test_is (void)
{
  g_autoptr (DpPageArrays) page = dp_page_arrays_new ();
  const DpImage image = { .box = { 0, 0, 100, 100 }, .width = 10, .height = 10, .flags = DP_IMAGE_STORED };
  const DpPath path = { .box = { 0, 0, 10, 10 } };
  DpImage found;

  g_assert_false (dp_pdf_scan_is (page, &found));
  g_array_append_val (page->images, image);
  g_assert_true (dp_pdf_scan_is (page, &found));
  g_assert_cmpuint (found.width, ==, 10);
  g_array_index (page->images, DpImage, 0).flags = 0; /* turned, mirrored or cut */
  g_assert_false (dp_pdf_scan_is (page, &found));
  g_array_index (page->images, DpImage, 0).flags = DP_IMAGE_STORED | DP_IMAGE_MASK;
  g_assert_false (dp_pdf_scan_is (page, &found));
  g_array_index (page->images, DpImage, 0).flags = DP_IMAGE_STORED;
  page->rotation = 90;
  g_assert_false (dp_pdf_scan_is (page, &found));
  page->rotation = 0;
  page->n_painted = 1; /* a glyph without a character */
  g_assert_false (dp_pdf_scan_is (page, &found));
  page->n_painted = 0;
  g_array_append_val (page->paths, path);
  g_assert_false (dp_pdf_scan_is (page, &found));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pdf-scan/render", test_render);
  g_test_add_func ("/pdf-scan/enlarged", test_enlarged);
  g_test_add_func ("/pdf-scan/is", test_is);
  return g_test_run ();
}
