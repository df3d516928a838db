/* Regions to reading order: order.c and order_judge.c. */
#include "glyph_page.h"

static DpPageLayout *
ordered (GlyphPage *g)
{
  const DpPage *page = glyph_page_done (g);
  DpPageLayout *l = dp_page_layout_new (page);

  dp_layout_words (l, page, NULL);
  dp_layout_lines (l);
  dp_layout_columns (l);
  return l;
}

#define CHECK_ORDER(g, want)                                                                                                               \
  G_STMT_START                                                                                                                             \
  {                                                                                                                                        \
    g_autoptr (DpPageLayout) checked_ = ordered (g);                                                                                       \
    dp_layout_order (checked_);                                                                                                            \
    assert_string (regions_string (checked_), want);                                                                                       \
    glyph_page_free (g);                                                                                                                   \
  }                                                                                                                                        \
  G_STMT_END

/* Title, two columns with paragraph gaps on one height, a foot. */
static void
test_paper (void)
{
  GlyphPage *g = glyph_page_new (500, 700);

  type_line (g, 400, 30, 10, "head");
  type_line (g, 120, 80, 20, "Title across the page");
  for (guint i = 0; i < 3; i++) {
    g_autofree char *left = g_strdup_printf ("l%u-", i);

    type_prose (g, 40, 120 + 80 * (float) i, 10, 12, 5, 38, left);
  }
  for (guint i = 0; i < 3; i++) {
    g_autofree char *right = g_strdup_printf ("r%u-", i);

    type_prose (g, 260, 120 + 80 * (float) i, 10, 12, 5, 38, right);
  }
  type_line (g, 240, 680, 10, "7");
  CHECK_ORDER (g, "head Title l0-0 l1-0 l2-0 r0-0 r1-0 r2-0 7");
}

/* A figure across both columns parts the page: above first, then below. */
static void
test_wide_figure (void)
{
  GlyphPage *g = glyph_page_new (500, 700);
  g_autoptr (DpPageLayout) l = NULL;

  type_prose (g, 40, 120, 10, 12, 5, 38, "a");
  type_prose (g, 260, 120, 10, 12, 5, 38, "b");
  type_prose (g, 40, 330, 10, 12, 5, 38, "c");
  type_prose (g, 260, 330, 10, 12, 5, 38, "d");
  l = ordered (g);
  dp_page_layout_add_region (l, DP_REGION_FIGURE, (DpRect){ 40, 200, 450, 300 });
  dp_layout_order (l);
  assert_string (regions_string (l), "a0 b0 F c0 d0");
  g_assert_cmpuint (g_array_index (l->regions, DpRegion, 1).column, ==, 1);
  g_assert_cmpuint (g_array_index (l->regions, DpRegion, 2).column, ==, G_MAXUINT);
  glyph_page_free (g);
}

static void
test_three_columns (void)
{
  GlyphPage *g = glyph_page_new (600, 700);

  type_prose (g, 30, 120, 10, 12, 9, 30, "a");
  type_prose (g, 215, 120, 10, 12, 4, 30, "b");
  type_prose (g, 215, 190, 10, 12, 4, 30, "c");
  type_prose (g, 400, 126, 10, 12, 9, 30, "d");
  CHECK_ORDER (g, "a0 b0 c0 d0");
}

/* A left column that ends early: its text comes before the right column all the same. */
static void
test_unequal_columns (void)
{
  GlyphPage *g = glyph_page_new (500, 700);

  type_prose (g, 40, 120, 10, 12, 5, 38, "a");
  type_prose (g, 260, 120, 10, 12, 16, 38, "r");
  type_prose (g, 40, 200, 10, 12, 3, 38, "b");
  CHECK_ORDER (g, "a0 b0 r0");
}

/* A short heading over both columns parts them; one inside a column does not. */
static void
test_heading_across (void)
{
  GlyphPage *g = glyph_page_new (500, 700);

  type_prose (g, 40, 100, 10, 12, 5, 38, "a");
  type_prose (g, 260, 100, 10, 12, 5, 38, "b");
  type_line (g, 40, 190, 14, "Part two");
  type_prose (g, 40, 220, 10, 12, 5, 38, "c");
  type_prose (g, 260, 220, 10, 12, 5, 38, "d");
  CHECK_ORDER (g, "a0 b0 Part c0 d0");
  g = glyph_page_new (500, 700);
  type_prose (g, 40, 100, 10, 12, 5, 38, "a");
  type_prose (g, 260, 100, 10, 12, 6, 38, "b");
  type_line (g, 40, 190, 14, "Part two");
  type_prose (g, 40, 220, 10, 12, 5, 38, "c");
  type_prose (g, 260, 226, 10, 12, 5, 38, "d");
  CHECK_ORDER (g, "a0 Part c0 b0 d0");
}

static void
test_side_headings (void)
{
  GlyphPage *g = glyph_page_new (500, 700);

  for (guint i = 0; i < 3; i++) {
    g_autofree char *side = g_strdup_printf ("s%u head", i), *text = g_strdup_printf ("t%u-", i);

    type_line (g, 40, 100 + 80 * (float) i, 10, side);
    type_prose (g, 160, 100 + 80 * (float) i, 10, 12, 4, 50, text);
  }
  CHECK_ORDER (g, "s0 t0-0 s1 t1-0 s2 t2-0");
}

/* Label and value on one baseline, close rows: row by row, one region each. */
static void
test_form_rows (void)
{
  GlyphPage *g = glyph_page_new (500, 700);
  g_autoptr (DpPageLayout) l = NULL;

  for (guint i = 0; i < 5; i++) {
    g_autofree char *label = g_strdup_printf ("label%u", i), *value = g_strdup_printf ("value%u", i);

    type_line (g, 40, 100 + 12 * (float) i, 10, label);
    type_line (g, 200, 100 + 12 * (float) i, 10, value);
  }
  l = ordered (g);
  dp_layout_order (l);
  assert_string (regions_string (l), "label0 label1 label2 label3 label4");
  g_assert_cmpuint (g_array_index (l->regions, DpRegion, 2).lines->len, ==, 2);
  g_assert_cmpint (g_array_index (l->lines, DpLine, 5).region, ==, 2);
  glyph_page_free (g);
}

static void
test_right_to_left (void)
{
  GlyphPage *g = glyph_page_new (500, 700);

  for (guint col = 0; col < 2; col++)
    for (guint row = 0; row < 6; row++)
      for (guint i = 0; i < 30; i++) {
        /* right column first in reading: its first letter is alef, the left one's bet */
        DpGlyph *glyph = type_glyph (g, i == 0 && row == 0 ? 0x5d0 + col : 0x5e0, 455 - 220 * (float) col - 6 * (float) i,
                                     100 + 12 * (float) row, 10, 5, 0);

        glyph->flags = (guint16) (i == 0 && row == 0 ? DP_GLYPH_SPACE : i == 29 ? DP_GLYPH_BREAK : 0);
      }
  CHECK_ORDER (g, "\327\220 \327\221");
}

/* Short lines in two columns that the text layer writes one after the other: an index, not a form. */
static void
test_index_columns (void)
{
  GlyphPage *g = glyph_page_new (500, 700);

  for (guint column = 0; column < 2; column++)
    for (guint i = 0; i < 5; i++) {
      g_autofree char *entry = g_strdup_printf ("%c%u", 'a' + column, i);
      type_line (g, 40 + 160 * (float) column, 100 + 12 * (float) i, 10, entry);
    }
  CHECK_ORDER (g, "a0 b0");
}

/* Two points each under a title are two lists, whatever the text layer says; boxes to tick are rows of a form. */
static void
test_lists_beside (void)
{
  for (guint k = 0; k < 2; k++) {
    GlyphPage *g = glyph_page_new (500, 700);
    for (guint i = 0; i < 3; i++)
      for (guint column = 0; column < 2; column++) {
        g_autofree char *text = g_strdup_printf ("%s%c%u", i == 0 ? "" : k ? "☐ " : "• ", 'a' + column, i);
        type_line (g, 40 + 160 * (float) column, 100 + 12 * (float) i, 10, text);
      }
    CHECK_ORDER (g, k ? "a0 ☐ ☐" : "a0 b0");
  }
}

/* Rules stand in the gutters of a form's head: its parts are columns, and what lies below the rule
 * across comes after all of them. */
static void
test_ruled_columns (void)
{
  GlyphPage *g = glyph_page_new (500, 700);
  g_autoptr (DpPageLayout) l = NULL;
  const DpRule upright[] = { { .pos = 150, .from = 90, .to = 140, .thickness = 1 }, { .pos = 400, .from = 90, .to = 140, .thickness = 1 } };
  const DpRule across = { .pos = 140, .from = 40, .to = 480, .thickness = 1 };

  for (guint i = 0; i < 3; i++) {
    static const char *const names[][3] = { { "a0", "b0", "c0" }, { "a1", "b1", "c1" }, { "a2", "b2", "c2" } };
    type_line (g, 40, 104 + 12 * (float) i, 10, names[i][0]);
    type_line (g, 240, 104 + 12 * (float) i, 10, names[i][1]);
    type_line (g, 420, 104 + 12 * (float) i, 10, names[i][2]);
  }
  type_line (g, 40, 160, 10, "below");
  l = ordered (g);
  g_array_append_vals (l->vrules, upright, 2);
  g_array_append_val (l->hrules, across);
  dp_layout_order (l);
  assert_string (regions_string (l), "a0 b0 c0 below");
  glyph_page_free (g);
}

/* A page of text running up, two columns of it: read in its own direction. */
static void
test_turned_page (void)
{
  GlyphPage *g = glyph_page_new (500, 700);

  for (guint col = 0; col < 2; col++)
    for (guint row = 0; row < 6; row++) {
      g_autofree char *line = g_strdup_printf ("%c%u lorem ipsum dolor sit amet more", 'a' + col, row);

      type_at (g, -650 + 300 * (float) col, 100 + 12 * (float) row, 10, line, 0, DP_GLYPH_BREAK, 270, 0.5f);
    }
  CHECK_ORDER (g, "a0 b0");
}

/* Blocks that no straight line parts. */
static void
test_pinwheel (void)
{
  GlyphPage *g = glyph_page_new (500, 700);
  g_autoptr (DpPageLayout) l = NULL;
  static const DpRect boxes[]
      = { { 40, 100, 300, 200 }, { 320, 100, 460, 400 }, { 200, 420, 460, 500 }, { 40, 220, 180, 500 }, { 200, 220, 300, 400 } };

  l = ordered (g);
  for (gsize i = 0; i < G_N_ELEMENTS (boxes); i++)
    dp_page_layout_add_region (l, DP_REGION_FIGURE, boxes[i])->n_images = (guint32) i;
  dp_layout_order (l);
  g_assert_cmpuint (l->regions->len, ==, 5);
  g_assert_cmpuint (g_array_index (l->regions, DpRegion, 0).n_images, ==, 0);
  /* nothing comes before what lies above it */
  for (guint i = 0; i < 5; i++)
    for (guint j = i + 1; j < 5; j++) {
      DpRect a = g_array_index (l->regions, DpRegion, i).box, b = g_array_index (l->regions, DpRegion, j).box;

      g_assert_false (dp_rect_overlap_x (a, b) > 1 && b.y1 < a.y0);
    }
  glyph_page_free (g);
}

/* A pull quote in the gutter, beside both columns. */
/* A letter: name and place beside each other, below them the address on the left, the date on the right, the opening on the left. */
static void
test_letter (void)
{
  GlyphPage *g = glyph_page_new (500, 700);

  type_line (g, 40, 60, 10, "sender");
  type_line (g, 40, 72, 10, "street");
  type_line (g, 40, 84, 10, "town");
  type_line (g, 360, 65, 10, "member");
  type_line (g, 360, 77, 10, "since");
  type_line (g, 40, 160, 10, "address");
  type_line (g, 40, 172, 10, "place");
  type_line (g, 360, 240, 10, "date");
  type_line (g, 40, 280, 10, "opening");
  CHECK_ORDER (g, "sender member address date opening");
}

static void
test_pull_quote (void)
{
  GlyphPage *g = glyph_page_new (500, 700);
  g_autoptr (DpPageLayout) l = NULL;

  type_prose (g, 40, 100, 10, 12, 14, 38, "a");
  type_prose (g, 40, 300, 10, 12, 14, 38, "c");
  type_prose (g, 260, 100, 10, 12, 14, 38, "b");
  type_prose (g, 260, 300, 10, 12, 14, 38, "d");
  l = ordered (g);
  dp_page_layout_add_region (l, DP_REGION_FIGURE, (DpRect){ 200, 220, 300, 320 });
  dp_layout_order (l);
  assert_string (regions_string (l), "a0 F c0 b0 d0");
  glyph_page_free (g);
}

/* Text on a picture that fills the page: the picture comes first and cuts nothing. */
static void
test_backdrop (void)
{
  GlyphPage *g = glyph_page_new (500, 700);
  g_autoptr (DpPageLayout) l = NULL;

  type_prose (g, 40, 100, 10, 12, 8, 38, "a");
  type_prose (g, 260, 106, 10, 12, 8, 38, "b");
  l = ordered (g);
  dp_page_layout_add_region (l, DP_REGION_FIGURE, (DpRect){ 0, 0, 500, 700 });
  dp_layout_order (l);
  assert_string (regions_string (l), "F a0 b0");
  glyph_page_free (g);
}

/* A stamp up the margin and a slanted watermark disturb nothing. */
static void
test_stamp_and_watermark (void)
{
  GlyphPage *g = glyph_page_new (500, 700);

  type_at (g, -500, 20, 14, "stamp along the margin of the page", 0, DP_GLYPH_BREAK, 270, 0.5f);
  for (guint i = 0; i < 8; i++) {
    DpGlyph *glyph = type_glyph (g, (gunichar) "WATERMRK"[i], 100 + 40 * (float) i, 500 - 40 * (float) i, 40, 20, 0);

    glyph->angle = -45;
    glyph->flags = (guint16) (DP_GLYPH_SKEWED | (i == 7 ? DP_GLYPH_BREAK : 0));
  }
  type_line (g, 120, 80, 20, "Title across the page");
  type_prose (g, 40, 120, 10, 12, 5, 38, "a");
  type_prose (g, 260, 120, 10, 12, 5, 38, "b");
  CHECK_ORDER (g, "Title a0 b0 stamp WATERMRK");
}

/* Every region comes out exactly once, whatever the page looks like. */
static void
test_random_pages (void)
{
  for (guint round = 0; round < 200; round++) {
    GlyphPage *g = glyph_page_new (500, 700);
    g_autoptr (DpPageLayout) l = NULL;
    g_autofree guint8 *seen = NULL;
    guint n = (guint) g_test_rand_int_range (1, 60), count = 0;

    for (guint i = 0; i < n; i++)
      type_prose (g, (float) g_test_rand_int_range (0, 450), (float) g_test_rand_int_range (10, 690), (float) g_test_rand_int_range (5, 25),
                  12, (guint) g_test_rand_int_range (1, 5), (guint) g_test_rand_int_range (3, 40), "x");
    l = ordered (g);
    dp_layout_order (l);
    seen = g_malloc0 (l->lines->len + 1);
    for (guint r = 0; r < l->regions->len; r++) {
      const DpRegion *region = &g_array_index (l->regions, DpRegion, r);

      for (guint k = 0; k < region->lines->len; k++) {
        guint line = g_array_index (region->lines, guint, k);

        g_assert_cmpuint (seen[line], ==, 0);
        g_assert_cmpint (g_array_index (l->lines, DpLine, line).region, ==, (gint) r);
        seen[line] = 1;
        count++;
      }
    }
    g_assert_cmpuint (count, ==, l->lines->len);
    glyph_page_free (g);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/order/paper", test_paper);
  g_test_add_func ("/order/wide-figure", test_wide_figure);
  g_test_add_func ("/order/three-columns", test_three_columns);
  g_test_add_func ("/order/unequal-columns", test_unequal_columns);
  g_test_add_func ("/order/heading-across", test_heading_across);
  g_test_add_func ("/order/side-headings", test_side_headings);
  g_test_add_func ("/order/form-rows", test_form_rows);
  g_test_add_func ("/order/index-columns", test_index_columns);
  g_test_add_func ("/order/lists-beside", test_lists_beside);
  g_test_add_func ("/order/ruled-columns", test_ruled_columns);
  g_test_add_func ("/order/right-to-left", test_right_to_left);
  g_test_add_func ("/order/turned-page", test_turned_page);
  g_test_add_func ("/order/pinwheel", test_pinwheel);
  g_test_add_func ("/order/letter", test_letter);
  g_test_add_func ("/order/pull-quote", test_pull_quote);
  g_test_add_func ("/order/backdrop", test_backdrop);
  g_test_add_func ("/order/stamp-and-watermark", test_stamp_and_watermark);
  g_test_add_func ("/order/random", test_random_pages);
  return g_test_run ();
}
