/* tests/pipeline/test_ocr.c - at which resolution pictures of pages are read; what a reader says that cannot be opened. */
#include "pipeline/ocr.h"

#include <string.h>

static double
dpi_of (guint32 width, guint32 height, float box_width, float box_height)
{
  const DpImage image = { .box = { 0, 0, box_width, box_height }, .width = width, .height = height };
  const DpPage page = { .width = 595, .height = 842, .images = &image, .n_images = 1 };

  return dp_ocr_automatic_dpi (&page);
}

static void
test_dpi (void)
{
  const DpPage plain = { .width = 595, .height = 842 };

  g_assert_cmpfloat_with_epsilon (dp_ocr_automatic_dpi (&plain), 200, 0.01); /* outlined type: any will do */
  g_assert_cmpfloat_with_epsilon (dpi_of (1653, 2339, 595, 842), 200, 0.5);  /* as the scan is */
  g_assert_cmpfloat_with_epsilon (dpi_of (4958, 7017, 595, 842), 300, 0.5);  /* no finer than letters need */
  g_assert_cmpfloat_with_epsilon (dpi_of (827, 1170, 595, 842), 200, 0.5);   /* 100 dpi: doubled */
  g_assert_cmpfloat_with_epsilon (dpi_of (100, 100, 60, 60), 200, 0.01);     /* a logo says nothing about the page */
  g_assert_cmpfloat_with_epsilon (dpi_of (2000, 2600, 1500, 1950), 96, 0.5); /* large, and does not know how large */
  g_assert_cmpfloat_with_epsilon (dpi_of (0, 0, 595, 842), 200, 0.01);
}

static void
test_no_model (void)
{
  const DpModelOptions options = { .device = (char *) "no-such-device" };
  g_autoptr (DpOcr) ocr = dp_ocr_new (&options, 0);
  const DpRecogniser *recogniser = dp_ocr_recogniser (ocr);
  cairo_surface_t *sheet = cairo_image_surface_create (CAIRO_FORMAT_A8, 400, 300);
  cairo_t *cr = cairo_create (sheet);
  g_autoptr (GError) error = NULL;

  cairo_set_source_rgba (cr, 0, 0, 0, 1);
  cairo_paint (cr);
  DpPageReading *blank = recogniser->read_page (recogniser->data, sheet, 200, FALSE, &error);
  g_assert_no_error (error); /* nothing to read: no model is opened */
  g_assert_cmpuint (blank->lines->len, ==, 0);
  g_assert_cmpuint (blank->pictures->len, ==, 0);
  dp_page_reading_free (blank);

  cairo_set_operator (cr, CAIRO_OPERATOR_SOURCE);
  cairo_set_source_rgba (cr, 0, 0, 0, 0);
  for (int i = 0; i < 12; i++) {
    cairo_rectangle (cr, 40 + i * 22, 120, 12, 16);
    cairo_fill (cr);
  }
  g_assert_null (recogniser->read_page (recogniser->data, sheet, 200, FALSE, &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "no-such-device"));
  cairo_destroy (cr);
  cairo_surface_destroy (sheet);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ocr/dpi", test_dpi);
  g_test_add_func ("/ocr/no-model", test_no_model);
  return g_test_run ();
}
