/* tests/layout/test_figures.c - pictures and drawings to regions. */
#include "tests/layout/table_page.h"

static void
put_image (TablePage *t, float x0, float y0, float x1, float y1)
{
  const DpImage image = { .box = { x0, y0, x1, y1 }, .width = 100, .height = 100, .paint = 1 };

  g_array_append_val (t->images, image);
}

/* A chart: axes, a curve of many pieces, labels inside and beside it. */
static void
test_chart (void)
{
  TablePage t = table_page ();

  put_v (&t, 150, 100, 250);
  put_h (&t, 250, 150, 400);
  for (guint i = 0; i < 20; i++)
    put_path (&t, DP_PATH_SLANTED, 150 + 12 * (float) i, 240 - 6 * (float) i, 162 + 12 * (float) i, 246 - 6 * (float) i, 0xff0000);
  put_words (&t, 200, 130, "growth", 8, 0);
  put_words (&t, 136, 180, "10", 8, 0);
  put_words (&t, 200, 260, "2001", 8, 0);
  put (&t, 150, 285, "Figure 1: What grows over the years, as the text says.");
  put (&t, 60, 320, "A paragraph below the chart that is none of its labels at all.");
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_FIGURE), ==, 1);
  const DpRegion *figure = nth_region (&t, DP_REGION_FIGURE, 0);
  g_assert_cmpuint (figure->lines->len, ==, 3);
  for (guint i = 1; i < 3; i++)
    g_assert_cmpfloat (g_array_index (t.layout->lines, DpLine, g_array_index (figure->lines, guint, i - 1)).baseline, <,
                       g_array_index (t.layout->lines, DpLine, g_array_index (figure->lines, guint, i)).baseline);
  g_assert_cmpuint (figure->n_paths, ==, 22);
  g_assert_cmpfloat_with_epsilon (figure->box.x0, 136, 0.5);
  g_assert_cmpfloat_with_epsilon (figure->box.y1, 262, 1);
  for (guint i = 0; i < t.layout->lines->len; i++) {
    const DpLine *line = &g_array_index (t.layout->lines, DpLine, i);
    g_assert_cmpint (line->taken, ==, line->baseline < 270);
  }
  table_page_free (&t);
}

/* Raster and vector parts of one figure are one region; far ones are two. */
static void
test_parts_join (void)
{
  TablePage t = table_page ();

  put_image (&t, 100, 100, 200, 200);
  put_image (&t, 204, 100, 300, 200);
  put_path (&t, DP_PATH_CURVE, 110, 198, 290, 230, 0x00ff00);
  put_image (&t, 100, 400, 200, 500);
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_FIGURE), ==, 2);
  g_assert_cmpuint (nth_region (&t, DP_REGION_FIGURE, 0)->n_images, ==, 2);
  g_assert_cmpuint (nth_region (&t, DP_REGION_FIGURE, 0)->n_paths, ==, 1);
  g_assert_cmpfloat_with_epsilon (nth_region (&t, DP_REGION_FIGURE, 0)->box.y1, 230, 0.5);
  table_page_free (&t);
}

/* A rounded box around prose, a page background, an icon, a heading's rule. */
static void
test_no_figures (void)
{
  TablePage t = table_page ();

  put_path (&t, DP_PATH_CURVE, 90, 90, 500, 160, 0xccccff);
  for (guint i = 0; i < 4; i++)
    put (&t, 100, 110 + 12 * (float) i, "this callout holds running text that a reader wants to read on");
  put_image (&t, 0, 0, 600, 800);
  put_image (&t, 100, 300, 109, 309);
  put (&t, 112, 308, "text after an icon");
  put_h (&t, 400, 100, 500);
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_FIGURE), ==, 0);
  for (guint i = 0; i < t.layout->words->len; i++)
    g_assert_false (g_array_index (t.layout->words, DpWord, i).taken);
  table_page_free (&t);
}

/* A line of text that runs from outside into a picture is cut at its edge. */
static void
test_take_splits_lines (void)
{
  TablePage t = table_page ();
  g_autoptr (GArray) words = g_array_new (FALSE, FALSE, sizeof (guint));
  const guint second = 1, third = 2;

  put (&t, 100, 100, "one two three four");
  run_passes (&t);
  g_assert_cmpuint (t.layout->lines->len, ==, 1);
  g_array_append_val (words, second);
  g_array_append_val (words, third);
  dp_layout_take_words (t.layout, words, 7);
  g_assert_cmpuint (t.layout->lines->len, ==, 3);
  for (guint i = 0; i < 3; i++) {
    const DpLine *line = &g_array_index (t.layout->lines, DpLine, i);
    g_autoptr (GString) text = g_string_new (NULL);
    dp_line_text (t.layout, line, text);
    g_assert_cmpstr (text->str, ==, i == 0 ? "one" : i == 1 ? "two three" : "four");
    g_assert_cmpint (line->taken, ==, i == 1);
    g_assert_cmpint (line->region, ==, i == 1 ? 7 : -1);
  }
  g_assert_cmpfloat_with_epsilon (g_array_index (t.layout->lines, DpLine, 1).box.x0, 118, 0.1);
  table_page_free (&t);
}

/* Titles come with pictures of their shadows: the words stay text. */
static void
test_shadow (void)
{
  for (guint high = 0; high < 2; high++) {
    TablePage t = table_page ();
    put_words (&t, 60, 100, "Motivation", 20, 0);
    put_image (&t, 55, 78, 180, high ? 178 : 108);
    for (guint i = 0; i < 6; i++)
      put (&t, 60, 220 + 14 * (float) i, "A paragraph below the title that tells what moved the people who wrote.");
    run_passes (&t);
    g_assert_cmpuint (count_regions (&t, DP_REGION_FIGURE), ==, high);
    for (guint i = 0; i < t.layout->lines->len; i++)
      if (g_array_index (t.layout->lines, DpLine, i).size > 15)
        g_assert_cmpint (g_array_index (t.layout->lines, DpLine, i).taken, ==, high);
    table_page_free (&t);
  }
}

/* A slide: a band along its top with marks and the title, below it a rounded box that the words fill, drawn of curves; the same
 * band lower down is a drawing. */
static void
test_title_grounds (void)
{
  for (guint low = 0; low < 2; low++) {
    TablePage t = table_page ();
    const float y = low ? 60 : 0;
    put_path (&t, DP_PATH_FILL, 0, y, 600, y + 90, 0x3333aa);
    for (guint i = 0; i < 12; i++)
      put_path (&t, DP_PATH_CURVE, 30 + 20 * (float) i, y + 20, 36 + 20 * (float) i, y + 26, 0xffffff);
    put_words (&t, 40, y + 70, "Outline", 18, 0);
    for (guint i = 0; i < 5; i++)
      put_path (&t, DP_PATH_CURVE, 100, 300 + (float) i, 500, 390, 0x3333aa + i);
    put_words (&t, 120, 335, "On Rivers", 24, 0);
    put_words (&t, 120, 370, "and Boats", 24, 0);
    for (guint i = 0; i < 6; i++)
      put (&t, 60, 500 + 14 * (float) i, "A paragraph below the title that tells what moved the people who wrote.");
    run_passes (&t);
    g_assert_cmpuint (count_regions (&t, DP_REGION_FIGURE), ==, low);
    for (guint i = 0; i < t.layout->lines->len; i++)
      g_assert_cmpint (g_array_index (t.layout->lines, DpLine, i).taken, ==, low && g_array_index (t.layout->lines, DpLine, i).size == 18);
    table_page_free (&t);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figures/chart", test_chart);
  g_test_add_func ("/figures/parts-join", test_parts_join);
  g_test_add_func ("/figures/no-figures", test_no_figures);
  g_test_add_func ("/figures/take-splits-lines", test_take_splits_lines);
  g_test_add_func ("/figures/shadow", test_shadow);
  g_test_add_func ("/figures/title-grounds", test_title_grounds);
  return g_test_run ();
}
