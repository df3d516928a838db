/* tests/pipeline/test_picture_text.c - which images of a page are pictures of text: by their place, by the shape of their lines, by their words. */
#include "pipeline/picture_text.h"

#include <string.h>

#include "pipeline/pdf_extract.h"

/* ---- place -------------------------------------------------------------------------------------------------- */

static void
test_boxes (void)
{
  const DpImage images[] = {
    { .box = { 50, 50, 90, 90 }, .width = 400, .height = 400 },     /* an icon */
    { .box = { 50, 100, 300, 110 }, .width = 400, .height = 20 },   /* a line of a drawing */
    { .box = { 100, 200, 300, 250 }, .width = 800, .height = 200 }, /* two tiles */
    { .box = { 100, 250.5f, 300, 300 }, .width = 800, .height = 200 },
    { .box = { 100, 400, 300, 500 }, .width = 800, .height = 400 }, /* the page writes on it */
    { .box = { 100, 550, 300, 570 }, .width = 20, .height = 400 },  /* nearly no pixels */
    { .box = { 320, 600, 900, 760 }, .width = 800, .height = 400 }, /* goes on beyond the page */
  };
  const DpGlyph glyph = { .code = 'a', .box = { 150, 440, 160, 452 } };
  const DpPage page
      = { .number = 1, .width = 612, .height = 792, .images = images, .n_images = G_N_ELEMENTS (images), .glyphs = &glyph, .n_glyphs = 1 };
  g_autoptr (GArray) boxes = dp_picture_text_boxes (&page);

  g_assert_cmpuint (boxes->len, ==, 2);
  const DpRect tiles = g_array_index (boxes, DpRect, 0), wide = g_array_index (boxes, DpRect, 1);
  g_assert_cmpfloat (tiles.y0, ==, 200);
  g_assert_cmpfloat (tiles.y1, ==, 300);
  g_assert_cmpfloat (wide.x1, ==, 612);
}

/* ---- shape -------------------------------------------------------------------------------------------------- */

static void
write_at (cairo_t *cr, double x, double y, const char *text)
{
  cairo_move_to (cr, x, y);
  cairo_show_text (cr, text);
}

static void
prose (cairo_t *cr)
{
  static const char *const lines[]
      = { "The reading room is open from nine in the morning until", "six in the evening on working days, and readers who come",
          "from far away may ask the clerk for a key of their own." };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    write_at (cr, 10, 30 + 16 * i, lines[i]);
}

static void
table (cairo_t *cr)
{
  static const char *const cells[][3] = { { "Town", "People", "Built" },
                                          { "Alton", "12,400", "1871" },
                                          { "Burley", "8,150", "1880" },
                                          { "Corby", "61,300", "1934" },
                                          { "Dunster", "9,870", "1652" } };

  for (guint r = 0; r < G_N_ELEMENTS (cells); r++)
    for (guint c = 0; c < 3; c++)
      write_at (cr, 20 + 110 * c, 30 + 18 * r, cells[r][c]);
}

/* Of nine rows, five have three cells and four have seven: too few alike for a table, but not by much. */
static void
ragged_table (cairo_t *cr)
{
  for (guint r = 0; r < 9; r++)
    for (guint c = 0; c < (r < 5 ? 3 : 7); c++)
      write_at (cr, r < 5 ? 20 + 110 * c : 10 + 50 * c, 15 + 18 * r, "1234");
}

/* Ticks of an axis one below the other, names of years in a row. */
static void
chart (cairo_t *cr)
{
  static const char *const ticks[] = { "100", "80", "60", "40", "20", "0" }, *const years[] = { "1990", "1995", "2000", "2005", "2010" };

  for (guint i = 0; i < G_N_ELEMENTS (ticks); i++)
    write_at (cr, 20, 20 + 22 * i, ticks[i]);
  for (guint i = 0; i < G_N_ELEMENTS (years); i++)
    write_at (cr, 60 + 55 * i, 150, years[i]);
}

static void
one_line (cairo_t *cr)
{
  write_at (cr, 20, 60, "The words of a logo stand in one line");
}

/* The shape of a drawing; at_a_glance: at the resolution that this is for. */
static gboolean
scan_of (void (*draw) (cairo_t *cr), gboolean at_a_glance)
{
  const double dpi = at_a_glance ? DP_PICTURE_TEXT_GLANCE : 200;
  cairo_surface_t *colour = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) (360 * dpi / 72), (int) (170 * dpi / 72));
  cairo_t *cr = cairo_create (colour);
  g_autoptr (GError) error = NULL;

  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  cairo_scale (cr, dpi / 72, dpi / 72);
  cairo_set_source_rgb (cr, 0, 0, 0);
  cairo_select_font_face (cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size (cr, 11);
  draw (cr);
  cairo_destroy (cr);
  cairo_surface_t *grey = dp_surface_to_grey (colour);
  g_autoptr (DpScan) scan = dp_scan_new (grey, dpi, TRUE, &error);
  g_assert_no_error (error);
  const gboolean text = at_a_glance ? dp_picture_text_glance (scan) : dp_picture_text_scan (scan, NULL);
  g_autofree guint8 *none = g_new0 (guint8, dp_scan_lines (scan)->len + 1);
  g_assert_cmpuint (dp_scan_lines (scan)->len, >, 0);
  g_assert_false (dp_picture_text_scan (scan, none)); /* no line was text after all */
  cairo_surface_destroy (grey);
  cairo_surface_destroy (colour);
  return text;
}

static void
test_shape (void)
{
  for (guint glance = 0; glance < 2; glance++) {
    g_assert_true (scan_of (prose, glance != 0));
    g_assert_true (scan_of (table, glance != 0));
    g_assert_false (scan_of (chart, glance != 0));
    g_assert_false (scan_of (one_line, glance != 0));
  }
  g_assert_false (scan_of (ragged_table, FALSE));
  g_assert_true (scan_of (ragged_table, TRUE)); /* cells may have run together */
}

/* ---- words -------------------------------------------------------------------------------------------------- */

static void
add (DpPageReading *reading, float x, float y, const char *text, float confidence)
{
  const DpReading line = { .box = { x, y, x + 6 * (float) strlen (text), y + 10 }, .text = g_strdup (text), .confidence = confidence };

  g_array_append_val (reading->lines, line);
}

static void
test_words (void)
{
  static const char *const rows[][3]
      = { { "Town", "People", "Built" }, { "Alton", "12,400", "1871" }, { "Burley", "8,150", "1880" }, { "Corby", "61,300", "1934" } };
  const DpRect box = { 0, 0, 400, 200 };

  for (guint unsure = 0; unsure < 2; unsure++) {
    const float confidence = unsure ? 0.7f : 0.95f;
    g_autoptr (DpPageReading) prose_read = dp_page_reading_new (), table_read = dp_page_reading_new ();
    add (prose_read, 10, 10, "The reading room is open from nine", confidence);
    add (prose_read, 10, 24, "until six in the evening on all days", confidence);
    g_assert_cmpint (dp_picture_text_reading (prose_read, box), ==, !unsure);
    for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
      for (guint c = 0; c < 3; c++)
        add (table_read, 10 + 100 * (float) c, 10 + 20 * (float) r, rows[r][c], confidence);
    g_assert_cmpint (dp_picture_text_reading (table_read, box), ==, !unsure);
  }
  g_autoptr (DpPageReading) labels = dp_page_reading_new ();
  for (guint i = 0; i < 6; i++)
    add (labels, 10, 10 + 20 * (float) i, "100 per cent", 0.95f);
  for (guint i = 0; i < 5; i++)
    add (labels, 60 + 60 * (float) i, 150, "1990", 0.95f);
  g_assert_false (dp_picture_text_reading (labels, box));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/picture-text/boxes", test_boxes);
  g_test_add_func ("/picture-text/shape", test_shape);
  g_test_add_func ("/picture-text/words", test_words);
  return g_test_run ();
}
