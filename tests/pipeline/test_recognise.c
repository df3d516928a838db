/* tests/pipeline/test_recognise.c - recognised lines become a page that layout can read. */
#include "pipeline/recognise.h"

#include "layout/layout.h"

#include <math.h>
#include <string.h>

static const DpPage like = { .number = 7, .width = 600, .height = 800, .rotation = 90 };

static void
add (GArray *readings, DpRect box, const char *text, float confidence)
{
  const DpReading reading = { .box = box, .text = g_strdup (text), .confidence = confidence };

  g_array_append_val (readings, reading);
}

static GArray *
new_readings (void)
{
  GArray *readings = g_array_new (FALSE, TRUE, sizeof (DpReading));

  g_array_set_clear_func (readings, dp_reading_clear);
  return readings;
}

static void
test_glyphs (void)
{
  g_autoptr (GArray) readings = new_readings ();

  add (readings, (DpRect){ 100, 50, 200, 70 }, "ab \xc3\xa4", 1);
  add (readings, (DpRect){ 100, 80, 200, 100 }, "", 1);           /* nothing there */
  add (readings, (DpRect){ 100, 80, 100, 100 }, "no width", 1);   /* no box */
  add (readings, (DpRect){ 100, NAN, 200, 100 }, "no number", 1); /* no number */
  add (readings, (DpRect){ 100, 80, 200, 100 }, "\xff", 1);       /* no text */
  add (readings, (DpRect){ 100, 80, 200, 100 }, "z", 1);
  g_autoptr (DpPage) page = dp_recognised_page (&like, readings);

  g_assert_cmpuint (page->number, ==, 7);
  g_assert_cmpfloat (page->width, ==, 600);
  g_assert_cmpint (page->rotation, ==, 90);
  g_assert_cmpuint (page->n_glyphs, ==, 4);
  g_assert_cmpuint (page->glyphs[0].code, ==, 'a');
  g_assert_cmpuint (page->glyphs[2].code, ==, 0xe4);
  g_assert_cmpuint (page->glyphs[3].code, ==, 'z');
  g_assert_cmpuint (page->glyphs[0].flags, ==, 0);
  g_assert_cmpuint (page->glyphs[1].flags, ==, DP_GLYPH_SPACE);
  g_assert_cmpuint (page->glyphs[2].flags, ==, DP_GLYPH_SPACE | DP_GLYPH_BREAK);
  g_assert_cmpfloat_with_epsilon (page->glyphs[1].box.x0, 125, 0.01);
  g_assert_cmpfloat_with_epsilon (page->glyphs[2].box.x0, 175, 0.01); /* the space keeps its place */
  g_assert_cmpfloat (page->glyphs[0].baseline, >, 60);
  g_assert_cmpfloat (page->glyphs[0].baseline, <, 70);
  g_assert_cmpuint (page->n_painted, ==, 4);
  for (gsize i = 0; i < page->n_glyphs; i++)
    g_assert_cmpuint (page->glyphs[i].paint, >, 0);
}

static GArray *
read_two_lines (gpointer data, cairo_surface_t *picture, double dpi, GError **error)
{
  GArray *readings = new_readings ();

  (void) error;
  g_assert_cmpint (cairo_image_surface_get_width (picture), ==, 10);
  g_assert_cmpfloat (dpi, ==, 200);
  *(guint *) data += 1;
  add (readings, (DpRect){ 72, 100, 300, 114 }, "The first recognised line of", 0.9f);
  add (readings, (DpRect){ 72, 116, 280, 130 }, "this page and the second", 0.5f);
  return readings;
}

static GArray *
read_nothing (gpointer data, cairo_surface_t *picture, double dpi, GError **error)
{
  (void) data;
  (void) picture;
  (void) dpi;
  g_set_error_literal (error, g_quark_from_static_string ("test"), 1, "out of ink");
  return NULL;
}

/* The text comes out of the ordinary page passes, word for word. */
static void
test_layout (void)
{
  guint calls = 0;
  const DpRecogniser recogniser = { .name = "test", .dpi = 200, .data = &calls, .read_page = read_two_lines };
  cairo_surface_t *picture = cairo_image_surface_create (CAIRO_FORMAT_A8, 10, 10);
  const DpLayoutOptions options = { 0 };
  float confidence = 0;
  g_autoptr (DpPage) page = dp_recognise_page (&recogniser, &like, picture, 200, &confidence, NULL);
  g_autoptr (DpPageLayout) layout = dp_layout_page (page, &options);
  g_autoptr (GString) text = g_string_new (NULL);

  cairo_surface_destroy (picture);
  g_assert_cmpuint (calls, ==, 1);
  g_assert_cmpfloat_with_epsilon (confidence, (28 * 0.9 + 24 * 0.5) / 52, 1e-4);
  g_assert_cmpuint (layout->lines->len, ==, 2);
  for (guint i = 0; i < 2; i++) {
    dp_line_text (layout, &g_array_index (layout->lines, DpLine, i), text);
    g_string_append_c (text, '\n');
  }
  g_assert_cmpstr (text->str, ==, "The first recognised line of\nthis page and the second\n");
}

static void
test_error (void)
{
  const DpRecogniser recogniser = { .name = "test", .dpi = 200, .read_page = read_nothing };
  cairo_surface_t *picture = cairo_image_surface_create (CAIRO_FORMAT_A8, 10, 10);
  g_autoptr (GError) error = NULL;
  float confidence = 0;

  g_assert_null (dp_recognise_page (&recogniser, &like, picture, 200, &confidence, &error));
  g_assert_cmpstr (error->message, ==, "out of ink");
  cairo_surface_destroy (picture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recognise/glyphs", test_glyphs);
  g_test_add_func ("/recognise/layout", test_layout);
  g_test_add_func ("/recognise/error", test_error);
  return g_test_run ();
}
