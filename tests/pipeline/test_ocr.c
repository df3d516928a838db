/* tests/pipeline/test_ocr.c - at which resolution pictures of pages are read; what a reader says that cannot be opened; what is
 * read how often; bullets that were read as something else. */
#include "pipeline/ocr_private.h"

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

  const DpPage poster = { .width = 2382, .height = 1684 }; /* A1 */

  g_assert_cmpfloat_with_epsilon (dp_ocr_automatic_dpi (&plain), 200, 0.01); /* outlined type: any will do */
  g_assert_cmpfloat_with_epsilon (dp_ocr_automatic_dpi (&poster), 160, 0.1); /* its type is larger */
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
  DpPageReading *blank = recogniser->read_page (recogniser->data, sheet, 200, FALSE, NULL, &error);
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
  g_assert_null (recogniser->read_page (recogniser->data, sheet, 200, FALSE, NULL, &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "no-such-device"));
  cairo_destroy (cr);
  cairo_surface_destroy (sheet);
}

/* A page of so many lines that a sample of them is read first. */
static cairo_surface_t *
page_of_lines (guint n)
{
  cairo_surface_t *sheet = cairo_image_surface_create (CAIRO_FORMAT_A8, 700, 60 + 42 * (int) n);
  cairo_t *cr = cairo_create (sheet);

  cairo_set_source_rgba (cr, 0, 0, 0, 1); /* luminance: white */
  cairo_paint (cr);
  cairo_set_operator (cr, CAIRO_OPERATOR_DEST_OUT);
  cairo_select_font_face (cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size (cr, 28);
  for (guint i = 0; i < n; i++) {
    cairo_move_to (cr, 40, 60 + 42 * i);
    cairo_show_text (cr, "what is read once");
  }
  cairo_destroy (cr);
  return sheet;
}

static void
test_sample_once (void)
{
  const DpModelOptions options = { .threads = 1 };
  g_autoptr (DpOcr) ocr = dp_ocr_new (&options, 0);
  g_autoptr (GError) error = NULL;
  cairo_surface_t *sheet = page_of_lines (50);
  g_autoptr (DpPageReading) reading = dp_ocr_read (ocr, sheet, 200, FALSE, NULL, &error);
  DpLineCounts counts;

  g_assert_no_error (error);
  g_assert_cmpuint (reading->lines->len, ==, 50);
  for (guint i = 0; i < 50; i++)
    g_assert_cmpstr (g_array_index (reading->lines, DpReading, i).text, ==, "what is read once");
  DpLineReader *reader = dp_ocr_take_reader (ocr, &error);
  dp_line_reader_counts (reader, &counts);
  dp_ocr_give_back (ocr, reader);
  g_assert_cmpuint (counts.lines, ==, 50); /* lines of the sample are not read again */
  cairo_surface_destroy (sheet);
}

/* A line of type of 30 pixels from x on: a sign, the text behind a gap, every character half an em wide. */
static void
add_line (GArray *lines, const char *text, float x, float gap)
{
  const guint n = (guint) g_utf8_strlen (text, -1);
  DpOcrLine line = { .text = g_strdup (text),
                     .size = 30,
                     .n_chars = n,
                     .chars = g_new0 (DpReadingChar, n),
                     .words = g_array_new (FALSE, FALSE, sizeof (DpOcrWord)) };

  for (guint i = 0; i < n; i++) {
    const float at = x + 15 * (float) i + (i > 1 ? gap - 15 : 0);
    line.chars[i] = (DpReadingChar){ .x0 = at, .x1 = at + 15, .flags = i == 1 ? DP_GLYPH_SPACE : 0 };
  }
  g_array_append_val (lines, line);
}

static void
test_bullets (void)
{
  static const struct {
    const char *text, *becomes;
    float x, gap;
  } cases[] = { { "\u00a9 the chain", "\u2022 the chain", 100, 24 },
                { "\u00a9 the lamp", "\u2022 the lamp", 102, 24 },
                { "\u00a9 1922 by the owners", "\u00a9 1922 by the owners", 300, 24 }, /* only one there */
                { "o or not", "o or not", 100, 9 },
                { "o or not", "o or not", 100, 9 },
                { "o or not", "o or not", 100, 9 }, /* words */
                { "o the bar", "\u2022 the bar", 200, 20 },
                { "o the bell", "\u2022 the bell", 200, 20 },
                { "o the quay", "\u2022 the quay", 200, 20 } };
  g_autoptr (GArray) lines = g_array_new (FALSE, FALSE, sizeof (DpOcrLine));

  g_array_set_clear_func (lines, dp_ocr_line_clear);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    add_line (lines, cases[i].text, cases[i].x, cases[i].gap);
  dp_ocr_mark_bullets (lines);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpstr (g_array_index (lines, DpOcrLine, i).text, ==, cases[i].becomes);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ocr/dpi", test_dpi);
  g_test_add_func ("/ocr/no-model", test_no_model);
  g_test_add_func ("/ocr/bullets", test_bullets);
  g_test_add_func ("/ocr/sample-once", test_sample_once);
  return g_test_run ();
}
