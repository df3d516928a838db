/* Line fragments to text regions: columns.c. */
#include "glyph_page.h"

static DpPageLayout *
regions_of (GlyphPage *g)
{
  const DpPage *page = glyph_page_done (g);
  DpPageLayout *l = dp_page_layout_new (page);

  dp_layout_words (l, page, NULL);
  dp_layout_lines (l);
  return l;
}

/* Lines of every region: "3 2 1". */
static char *
region_sizes (const DpPageLayout *l)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < l->regions->len; i++)
    g_string_append_printf (out, "%s%u", i ? " " : "", g_array_index (l->regions, DpRegion, i).lines->len);
  return g_string_free (out, FALSE);
}

#define CHECK_SIZES(g, want)                                                                                                               \
  G_STMT_START                                                                                                                             \
  {                                                                                                                                        \
    g_autoptr (DpPageLayout) checked_ = regions_of (g);                                                                                    \
    dp_layout_columns (checked_);                                                                                                          \
    assert_string (region_sizes (checked_), want);                                                                                         \
    glyph_page_free (g);                                                                                                                   \
  }                                                                                                                                        \
  G_STMT_END

static void
test_paragraphs (void)
{
  GlyphPage *g = glyph_page_new (400, 600);

  type_prose (g, 20, 40, 10, 12, 4, 50, "a");
  type_prose (g, 20, 40 + 4 * 12 + 8, 10, 12, 3, 50, "b"); /* a gap of 20 between baselines */
  CHECK_SIZES (g, "4 3");
}

static void
test_heading_of_another_size (void)
{
  GlyphPage *g = glyph_page_new (400, 600);

  type_line (g, 20, 40, 14, "A heading");
  type_prose (g, 20, 56, 10, 12, 4, 50, "a");
  CHECK_SIZES (g, "1 4");
}

static void
test_bold_heading_of_the_same_size (void)
{
  GlyphPage *g = glyph_page_new (400, 600);

  type_at (g, 20, 40, 10, "A heading", DP_GLYPH_BOLD, DP_GLYPH_BREAK, 0, 0.5f);
  type_prose (g, 20, 52, 10, 12, 4, 50, "a");
  CHECK_SIZES (g, "1 4");
}

/* A bold opening that fills its line belongs to its paragraph. */
static void
test_bold_opening (void)
{
  GlyphPage *g = glyph_page_new (400, 600);

  type_at (g, 20, 40, 10, "bold from the first to the last word of this line", DP_GLYPH_BOLD, DP_GLYPH_BREAK, 0, 0.5f);
  type_prose (g, 20, 52, 10, 12, 3, 50, "a");
  CHECK_SIZES (g, "4");
}

static void
test_spanning_line (void)
{
  GlyphPage *g = glyph_page_new (600, 600);

  type_line (g, 20, 40, 10, "a title that is as small as the body but runs across both of the columns that follow it");
  type_prose (g, 20, 52, 10, 12, 4, 40, "l");
  type_prose (g, 260, 52, 10, 12, 4, 40, "r");
  CHECK_SIZES (g, "1 4 4");
}

static void
test_rule_parts (void)
{
  GlyphPage *g = glyph_page_new (400, 600);
  g_autoptr (DpPageLayout) l = NULL;
  DpRule rule = { 66.5f, 20, 250, 0.5f, 0 };

  type_prose (g, 20, 40, 10, 12, 6, 50, "a");
  l = regions_of (g);
  g_array_append_val (l->hrules, rule);
  dp_layout_columns (l);
  assert_string (region_sizes (l), "3 3");
  glyph_page_free (g);
}

static void
test_fill_parts (void)
{
  GlyphPage *g = glyph_page_new (400, 600);
  g_autoptr (DpPageLayout) l = NULL;
  DpPath fill = { .box = { 15, 30, 300, 67 }, .kind = DP_PATH_FILL, .colour = 0xeeeeee, .alpha = 1 };

  type_prose (g, 20, 40, 10, 12, 6, 50, "a");
  l = regions_of (g);
  g_array_append_val (l->fills, fill);
  dp_layout_columns (l);
  assert_string (region_sizes (l), "3 3");
  glyph_page_free (g);
}

static void
test_taken_lines_stay_out (void)
{
  GlyphPage *g = glyph_page_new (400, 600);
  g_autoptr (DpPageLayout) l = NULL;

  type_prose (g, 20, 40, 10, 12, 3, 50, "a");
  l = regions_of (g);
  g_array_index (l->lines, DpLine, 1).taken = 1;
  dp_layout_columns (l);
  assert_string (region_sizes (l), "1 1");
  g_assert_cmpint (g_array_index (l->lines, DpLine, 1).region, ==, -1);
  glyph_page_free (g);
}

static void
test_body_size (void)
{
  GlyphPage *g = glyph_page_new (600, 600);
  g_autoptr (DpPageLayout) l = NULL;

  type_prose (g, 20, 40, 10, 13, 8, 60, "a");
  /* more characters in small print */
  type_prose (g, 20, 200, 7, 8, 14, 90, "s");
  type_line (g, 20, 400, 24, "BIG");
  l = regions_of (g);
  dp_layout_columns (l);
  g_assert_cmpfloat (l->body_size, ==, 10);
  g_assert_cmpfloat_with_epsilon (l->line_pitch, 13, 0.01);
  glyph_page_free (g);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/columns/paragraphs", test_paragraphs);
  g_test_add_func ("/columns/heading-size", test_heading_of_another_size);
  g_test_add_func ("/columns/heading-bold", test_bold_heading_of_the_same_size);
  g_test_add_func ("/columns/bold-opening", test_bold_opening);
  g_test_add_func ("/columns/spanning", test_spanning_line);
  g_test_add_func ("/columns/rule", test_rule_parts);
  g_test_add_func ("/columns/fill", test_fill_parts);
  g_test_add_func ("/columns/taken", test_taken_lines_stay_out);
  g_test_add_func ("/columns/body", test_body_size);
  return g_test_run ();
}
