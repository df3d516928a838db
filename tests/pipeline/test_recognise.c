/* tests/pipeline/test_recognise.c - recognised lines become a page that layout can read. */
#include "pipeline/recognise_page.h"

#include "layout/layout.h"

#include <math.h>
#include <string.h>

static const DpPage like = { .number = 7, .width = 600, .height = 800, .rotation = 90 };

static void
add (DpPageReading *reading, DpRect box, const char *text, float confidence)
{
  const DpReading line = { .box = box, .text = g_strdup (text), .confidence = confidence };

  g_array_append_val (reading->lines, line);
}

static void
test_glyphs (void)
{
  g_autoptr (DpPageReading) reading = dp_page_reading_new ();

  add (reading, (DpRect){ 100, 50, 200, 70 }, "ab \xc3\xa4", 1);
  add (reading, (DpRect){ 100, 80, 200, 100 }, "", 1);           /* nothing there */
  add (reading, (DpRect){ 100, 80, 100, 100 }, "no width", 1);   /* no box */
  add (reading, (DpRect){ 100, NAN, 200, 100 }, "no number", 1); /* no number */
  add (reading, (DpRect){ 100, 80, 200, 100 }, "\xff", 1);       /* no text */
  add (reading, (DpRect){ 100, 80, 200, 100 }, "z", 1);
  g_autoptr (DpPage) page = dp_recognised_page (&like, reading);

  g_assert_cmpuint (page->number, ==, 7);
  g_assert_cmpfloat (page->width, ==, 600);
  g_assert_cmpint (page->rotation, ==, 90);
  g_assert_cmpint (page->turn, ==, 0);
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

/* Places, size and weight that were measured are kept; a sheet that lay comes out upright. */
static void
test_measured (void)
{
  g_autoptr (DpPageReading) reading = dp_page_reading_new ();
  DpReadingChar *chars = g_new0 (DpReadingChar, 3);
  const DpPath rule = { .box = { 10, 20, 300, 21 }, .kind = DP_PATH_HLINE, .alpha = 1 };
  const DpRect photo = { 50, 400, 250, 600 };

  chars[0] = (DpReadingChar){ .x0 = 100, .x1 = 110, .flags = DP_GLYPH_BOLD };
  chars[1] = (DpReadingChar){ .x0 = 110, .x1 = 140 };
  chars[2] = (DpReadingChar){ .x0 = 140, .x1 = 149, .code = '2', .raised = 1 };
  const DpReading line = { .box = { 100, 50, 149, 60 },
                           .text = g_strdup ("A \xc2\xb2"),
                           .confidence = 1,
                           .baseline = 58,
                           .size = 10,
                           .chars = chars,
                           .joined = TRUE };
  g_array_append_val (reading->lines, line);
  g_array_append_val (reading->paths, rule);
  g_array_append_val (reading->pictures, photo);
  reading->turn = 270;
  reading->skew = 0.5;
  g_autoptr (DpPage) page = dp_recognised_page (&like, reading);

  g_assert_cmpfloat (page->width, ==, 800);
  g_assert_cmpfloat (page->height, ==, 600);
  g_assert_cmpint (page->turn, ==, 270);
  g_assert_cmpfloat (page->skew, ==, 0.5);
  g_assert_cmpuint (page->n_glyphs, ==, 2);
  g_assert_cmpuint (page->glyphs[0].flags, ==, DP_GLYPH_BOLD | DP_GLYPH_SPACE);
  g_assert_cmpuint (page->glyphs[1].flags, ==, DP_GLYPH_SPACE); /* joined: the row goes on */
  g_assert_cmpfloat (page->glyphs[0].box.x1, ==, 110);
  g_assert_cmpfloat (page->glyphs[1].box.x0, ==, 140);
  g_assert_cmpfloat (page->glyphs[0].size, ==, 10);
  g_assert_cmpfloat (page->glyphs[0].baseline, ==, 58);
  g_assert_cmpfloat_with_epsilon (page->glyphs[0].box.y0, 50.3, 1e-3);
  g_assert_cmpuint (page->glyphs[1].code, ==, '2'); /* raised: small, over the baseline */
  g_assert_cmpfloat_with_epsilon (page->glyphs[1].size, 6, 1e-3);
  g_assert_cmpfloat_with_epsilon (page->glyphs[1].baseline, 54.5, 1e-3);
  g_assert_cmpfloat_with_epsilon (page->glyphs[1].rise, 3.5, 1e-3);
  g_assert_cmpuint (page->n_paths, ==, 1);
  g_assert_cmpuint (page->n_images, ==, 1);
  g_assert_cmpfloat (page->images[0].box.y1, ==, 600);
  g_assert_cmpuint (page->paths[0].paint, <, page->glyphs[0].paint); /* text is never under a fill */
}

/* What was read on a part of a page joins the page's own text; the picture it stood on goes. */
static void
test_parts (void)
{
  const DpGlyph own = { .code = 'x', .box = { 10, 10, 16, 20 }, .baseline = 18, .size = 10, .paint = 5 };
  const DpImage images[] = { { .box = { 100, 100, 300, 200 }, .paint = 1 }, { .box = { 100, 300, 300, 400 }, .paint = 2 } };
  const DpFont font = { .n_glyphs = 1 };
  const DpPage page = { .number = 3,
                        .width = 600,
                        .height = 800,
                        .glyphs = &own,
                        .n_glyphs = 1,
                        .images = images,
                        .n_images = 2,
                        .fonts = &font,
                        .n_fonts = 1,
                        .strings = "",
                        .n_strings = 1 };
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (DpPartReading));
  const DpPartReading part = { { 100, 100, 300, 200 }, dp_page_reading_new () };

  add (part.reading, (DpRect){ 5, 10, 105, 22 }, "in it", 1);
  g_array_append_val (parts, part);
  g_autoptr (DpPage) with = dp_page_with_parts (&page, parts);
  dp_page_reading_free (part.reading);

  g_assert_cmpuint (with->n_glyphs, ==, 5);
  g_assert_cmpuint (with->glyphs[0].code, ==, 'x');
  g_assert_cmpuint (with->glyphs[1].code, ==, 'i');
  g_assert_cmpfloat (with->glyphs[1].box.x0, ==, 105);
  g_assert_cmpfloat (with->glyphs[1].box.y0, ==, 110);
  g_assert_cmpuint (with->glyphs[1].paint, >, 5);
  g_assert_cmpuint (with->glyphs[1].font, ==, 1);
  g_assert_cmpuint (with->n_fonts, ==, 2);
  g_assert_cmpuint (with->n_images, ==, 1);
  g_assert_cmpfloat (with->images[0].box.y0, ==, 300);
}

/* The text comes out of the ordinary page passes, word for word. */
static void
test_layout (void)
{
  const DpLayoutOptions options = { 0 };
  g_autoptr (DpPageReading) reading = dp_page_reading_new ();
  g_autoptr (GString) text = g_string_new (NULL);
  guint n_chars;

  add (reading, (DpRect){ 72, 100, 300, 114 }, "The first recognised line of", 0.9f);
  add (reading, (DpRect){ 72, 116, 280, 130 }, "this page and the second", 0.5f);
  g_autoptr (DpPage) page = dp_recognised_page (&like, reading);
  g_autoptr (DpPageLayout) layout = dp_layout_page (page, &options);

  g_assert_cmpfloat_with_epsilon (dp_page_reading_confidence (reading, &n_chars), (28 * 0.9 + 24 * 0.5) / 52, 1e-4);
  g_assert_cmpuint (n_chars, ==, 52);
  g_assert_cmpuint (layout->lines->len, ==, 2);
  for (guint i = 0; i < 2; i++) {
    dp_line_text (layout, &g_array_index (layout->lines, DpLine, i), text);
    g_string_append_c (text, '\n');
  }
  g_assert_cmpstr (text->str, ==, "The first recognised line of\nthis page and the second\n");
}

/* Confidence goes to the blocks whose lines it belongs to. */
static void
test_marks (void)
{
  g_autoptr (DpPageReading) reading = dp_page_reading_new ();
  g_autoptr (DpBlock) first = dp_block_new (DP_BLOCK_PARAGRAPH, 7, (DpRect){ 70, 98, 302, 115 });
  g_autoptr (DpBlock) none = dp_block_new (DP_BLOCK_PARAGRAPH, 7, (DpRect){ 70, 300, 302, 315 });

  add (reading, (DpRect){ 72, 100, 300, 114 }, "first", 0.9f);
  add (reading, (DpRect){ 72, 116, 280, 130 }, "other", 0.5f);
  dp_mark_recognised (first, reading, FALSE);
  dp_mark_recognised (none, reading, FALSE);
  g_assert_cmpint (first->source, ==, DP_SOURCE_VLM);
  g_assert_cmpfloat_with_epsilon (first->confidence, 0.9, 1e-6);
  g_assert_cmpint (none->source, !=, DP_SOURCE_VLM);
  dp_mark_recognised (none, reading, TRUE);
  g_assert_cmpint (none->source, ==, DP_SOURCE_VLM);
  g_assert_cmpfloat_with_epsilon (none->confidence, 0.7, 1e-6);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recognise/glyphs", test_glyphs);
  g_test_add_func ("/recognise/layout", test_layout);
  g_test_add_func ("/recognise/measured", test_measured);
  g_test_add_func ("/recognise/parts", test_parts);
  g_test_add_func ("/recognise/marks", test_marks);
  return g_test_run ();
}
