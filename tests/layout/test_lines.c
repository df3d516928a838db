/* Words to line fragments: lines.c. */
#include "glyph_page.h"

static DpPageLayout *
lines_of (GlyphPage *g)
{
  const DpPage *page = glyph_page_done (g);
  DpPageLayout *l = dp_page_layout_new (page);

  dp_layout_words (l, page, NULL);
  return l;
}

#define CHECK_LINES(g, want)                                                                                                               \
  G_STMT_START                                                                                                                             \
  {                                                                                                                                        \
    g_autoptr (DpPageLayout) checked_ = lines_of (g);                                                                                      \
    dp_layout_lines (checked_);                                                                                                            \
    assert_string (lines_string (checked_), want);                                                                                         \
    glyph_page_free (g);                                                                                                                   \
  }                                                                                                                                        \
  G_STMT_END

static void
test_two_columns (void)
{
  GlyphPage *g = glyph_page_new (400, 400);

  /* a gutter of 1.4 em, the second column half a line lower */
  for (guint i = 0; i < 4; i++) {
    type_line (g, 20, 40 + 12 * (float) i, 10, "left of it");
    type_line (g, 84, 46 + 12 * (float) i, 10, "right of it");
  }
  CHECK_LINES (g, "left of it\nright of it\nleft of it\nright of it\nleft of it\nright of it\nleft of it\nright of it");
}

static void
test_level_columns (void)
{
  GlyphPage *g = glyph_page_new (400, 400);

  for (guint i = 0; i < 4; i++) {
    type_line (g, 20, 40 + 12 * (float) i, 10, "left of it");
    type_line (g, 84, 40 + 12 * (float) i, 10, "right of it");
  }
  CHECK_LINES (g, "left of it\nright of it\nleft of it\nright of it\nleft of it\nright of it\nleft of it\nright of it");
}

/* Page numbers stand in a column of their own, the dots lead to them; three dots in a table are a missing value. */
static void
test_leaders (void)
{
  static const char *const entries[] = { "Preface . . . . . . . . . .", "First things . . . . . . .", "Of this . . . . . . . . . ." };
  GlyphPage *g = glyph_page_new (400, 400);

  for (guint i = 0; i < 3; i++) {
    type_at (g, 20, 40 + 12 * (float) i, 10, entries[i], 0, DP_GLYPH_BREAK, 0, 0.5f);
    type_line (g, 185, 40 + 12 * (float) i, 10, i == 0 ? "iv" : i == 1 ? "5" : "16");
  }
  for (guint i = 0; i < 3; i++) {
    type_line (g, 20, 140 + 12 * (float) i, 10, "Iron");
    type_line (g, 85, 140 + 12 * (float) i, 10, i == 1 ? "..." : "17");
    type_line (g, 135, 140 + 12 * (float) i, 10, i == 2 ? "..." : "42");
  }
  CHECK_LINES (g, "Preface . . . . . . . . . . iv\nFirst things . . . . . . . 5\nOf this . . . . . . . . . . 16\n"
                  "Iron\n17\n42\nIron\n...\n42\nIron\n17\n...");
}

/* A gap as wide as that gutter inside a paragraph: the lines around cross it. */
static void
test_stretched_line (void)
{
  GlyphPage *g = glyph_page_new (400, 400);
  float x;

  type_line (g, 20, 40, 10, "some lines of text above");
  x = type_at (g, 20, 52, 10, "left of it", 0, DP_GLYPH_SPACE, 0, 0.5f);
  type_at (g, x + 14, 52, 10, "goes on", 0, DP_GLYPH_BREAK, 0, 0.5f);
  type_line (g, 20, 64, 10, "some lines of text below");
  CHECK_LINES (g, "some lines of text above\nleft of it goes on\nsome lines of text below");
}

static void
test_label_keeps_its_text (void)
{
  GlyphPage *g = glyph_page_new (400, 400);

  for (guint i = 0; i < 4; i++) {
    type_line (g, 20, 40 + 12 * (float) i, 10, "\342\200\242");
    type_line (g, 45, 40 + 12 * (float) i, 10, "item");
  }
  CHECK_LINES (g, "\342\200\242 item\n\342\200\242 item\n\342\200\242 item\n\342\200\242 item");
}

static void
test_rule_parts (void)
{
  GlyphPage *g = glyph_page_new (400, 400);
  g_autoptr (DpPageLayout) l = NULL;
  DpRule rule = { 47.5f, 20, 60, 0.5f, 0 };

  type_at (g, 20, 40, 10, "cell", 0, DP_GLYPH_SPACE, 0, 0.5f);
  type_at (g, 45, 40, 10, "cell", 0, DP_GLYPH_BREAK, 0, 0.5f);
  l = lines_of (g);
  rule.pos = 42.5f;
  g_array_append_val (l->vrules, rule);
  dp_layout_lines (l);
  assert_string (lines_string (l), "cell\ncell");
  glyph_page_free (g);
}

static void
test_scripts (void)
{
  GlyphPage *g = glyph_page_new (400, 400);
  g_autoptr (DpPageLayout) l = NULL;
  g_autoptr (GPtrArray) spans = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_span_free);
  float x = type_at (g, 20, 40, 10, "mark", 0, 0, 0, 0.5f);

  x = type_at (g, x, 36, 6, "12", 0, DP_GLYPH_SPACE, 0, 0.5f);
  x = type_at (g, x + 3, 40, 10, "and H", 0, 0, 0, 0.5f);
  x = type_at (g, x, 42, 6, "2", 0, 0, 0, 0.5f);
  type_at (g, x, 40, 10, "O", 0, DP_GLYPH_BREAK, 0, 0.5f);
  l = lines_of (g);
  dp_layout_lines (l);
  assert_string (lines_string (l), "mark12 and H2O");
  dp_words_to_spans (l, 0, l->words->len, spans, FALSE);
  g_assert_cmpuint (spans->len, ==, 5);
  g_assert_cmpuint (((DpSpan *) g_ptr_array_index (spans, 1))->style, ==, DP_SPAN_SUPER);
  g_assert_cmpstr (((DpSpan *) g_ptr_array_index (spans, 1))->text, ==, "12");
  g_assert_cmpstr (((DpSpan *) g_ptr_array_index (spans, 2))->text, ==, " and H");
  g_assert_cmpuint (((DpSpan *) g_ptr_array_index (spans, 3))->style, ==, DP_SPAN_SUB);
  g_assert_cmpfloat_with_epsilon (g_array_index (l->lines, DpLine, 0).baseline, 40, 0.01);
  glyph_page_free (g);
}

static void
test_drop_cap (void)
{
  GlyphPage *g = glyph_page_new (400, 400);

  type_at (g, 20, 64, 38, "O", 0, DP_GLYPH_BREAK, 0, 0.5f);
  type_line (g, 42, 44, 10, "nce upon a time there");
  type_line (g, 42, 56, 10, "was a second line here");
  type_line (g, 42, 64 + 4, 10, "and a third beside it");
  type_line (g, 20, 80, 10, "then the full width again");
  CHECK_LINES (g, "Once upon a time there\nwas a second line here\nand a third beside it\nthen the full width again");
}

static void
test_rtl (void)
{
  GlyphPage *g = glyph_page_new (400, 400);
  g_autoptr (DpPageLayout) l = NULL;
  /* logical order: alef bet, 12, gimel; set from the right */
  static const struct {
    gunichar c;
    float x;
    gboolean end;
  } set[] = { { 0x5d0, 100, 0 }, { 0x5d1, 95, 1 }, { '1', 80, 0 }, { '2', 85, 1 }, { 0x5d2, 72, 1 } };

  for (gsize i = 0; i < G_N_ELEMENTS (set); i++)
    type_glyph (g, set[i].c, set[i].x, 40, 10, 5, 0)->flags = set[i].end ? DP_GLYPH_SPACE : 0;
  l = lines_of (g);
  dp_layout_lines (l);
  assert_string (lines_string (l), "\327\220\327\221 12 \327\222");
  g_assert_true (g_array_index (l->lines, DpLine, 0).rtl);
  glyph_page_free (g);
}

/* alef, 12 and its stop, a word of nine letters, "ab cd" and its stop: the stops stand on the left, and are read last. */
static void
test_rtl_stops (void)
{
  GlyphPage *g = glyph_page_new (400, 400);
  g_autoptr (DpPageLayout) l = NULL;
  static const struct {
    gunichar c;
    float x;
    gboolean end;
  } set[] = { { 0x5d0, 140, 1 }, { '.', 120, 0 }, { '1', 125, 0 }, { '2', 130, 1 }, { '.', 37, 0 },
              { 'a', 42, 0 },    { 'b', 47, 1 },  { 'c', 57, 0 },  { 'd', 62, 1 } };

  for (guint i = 0; i < 9; i++)
    type_glyph (g, 0x5d1, 112 - 5 * (float) i, 40, 10, 5, 0)->flags = i == 8 ? DP_GLYPH_SPACE : 0;
  for (gsize i = 0; i < G_N_ELEMENTS (set); i++)
    type_glyph (g, set[i].c, set[i].x, 40, 10, 5, 0)->flags = set[i].end ? DP_GLYPH_SPACE : 0;
  l = lines_of (g);
  dp_layout_lines (l);
  assert_string (lines_string (l), "\327\220 12. \327\221\327\221\327\221\327\221\327\221\327\221\327\221\327\221\327\221 ab cd.");
  glyph_page_free (g);
}

/* A pair of brackets by their look: the closing one stands on the right, where the line begins.  Dots do not make the line a Latin
 * one. */
static void
test_rtl_brackets (void)
{
  GlyphPage *g = glyph_page_new (400, 400);
  g_autoptr (DpPageLayout) l = NULL;
  static const gunichar set[] = { 0x5d0, ' ', ')', 0x5d1, '(', ' ', '.', ' ', '.', ' ', '.', ' ', '.', ' ', '.', ' ', '7' };

  for (gsize i = 0; i < G_N_ELEMENTS (set); i++)
    if (set[i] != ' ')
      type_glyph (g, set[i], 200 - 5 * (float) i, 40, 10, 5, 0)->flags
          = i + 1 == G_N_ELEMENTS (set) || set[i + 1] == ' ' ? DP_GLYPH_SPACE : 0;
  l = lines_of (g);
  dp_layout_lines (l);
  assert_string (lines_string (l), "\327\220 (\327\221) . . . . . 7");
  glyph_page_free (g);
}

static void
test_vertical (void)
{
  GlyphPage *g = glyph_page_new (200, 200);
  g_autoptr (DpPageLayout) l = NULL;

  /* two stacks, the right one first */
  for (guint col = 0; col < 2; col++)
    for (guint i = 0; i < 3; i++) {
      DpGlyph *glyph = type_glyph (g, 0x4e00 + 3 * col + i, 0, 0, 10, 10, 0);

      glyph->box = (DpRect){ 100 - 20 * (float) col, 20 + 10 * (float) i, 110 - 20 * (float) col, 30 + 10 * (float) i };
      glyph->baseline = 105 - 20 * (float) col;
      glyph->flags = (guint16) (DP_GLYPH_VERTICAL | (i == 2 ? DP_GLYPH_BREAK : 0));
    }
  l = lines_of (g);
  dp_layout_lines (l);
  assert_string (lines_string (l), "\344\270\200\344\270\201\344\270\202\n\344\270\203\344\270\204\344\270\205");
  glyph_page_free (g);
}

static void
test_turned (void)
{
  GlyphPage *g = glyph_page_new (400, 400);

  /* text running up: further lines lie to the right */
  type_at (g, -300, 50, 10, "first line", 0, DP_GLYPH_BREAK, 270, 0.5f);
  type_at (g, -300, 62, 10, "second line", 0, DP_GLYPH_BREAK, 270, 0.5f);
  CHECK_LINES (g, "first line\nsecond line");
}

static void
test_line_style (void)
{
  GlyphPage *g = glyph_page_new (400, 400);
  g_autoptr (DpPageLayout) l = NULL;
  float x = type_at (g, 20, 40, 10, "Bold", DP_GLYPH_BOLD, DP_GLYPH_SPACE, 0, 0.5f);

  type_at (g, x + 3, 40, 10, "then plain", 0, DP_GLYPH_BREAK, 0, 0.5f);
  type_at (g, 20, 60, 10, "All of it", DP_GLYPH_BOLD, DP_GLYPH_BREAK, 0, 0.5f);
  l = lines_of (g);
  dp_layout_lines (l);
  g_assert_cmpuint (g_array_index (l->lines, DpLine, 0).style, ==, 0);
  g_assert_cmpuint (g_array_index (l->lines, DpLine, 1).style, ==, DP_SPAN_BOLD);
  glyph_page_free (g);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lines/two-columns", test_two_columns);
  g_test_add_func ("/lines/level-columns", test_level_columns);
  g_test_add_func ("/lines/leaders", test_leaders);
  g_test_add_func ("/lines/stretched", test_stretched_line);
  g_test_add_func ("/lines/label", test_label_keeps_its_text);
  g_test_add_func ("/lines/rule", test_rule_parts);
  g_test_add_func ("/lines/scripts", test_scripts);
  g_test_add_func ("/lines/drop-cap", test_drop_cap);
  g_test_add_func ("/lines/rtl", test_rtl);
  g_test_add_func ("/lines/rtl-stops", test_rtl_stops);
  g_test_add_func ("/lines/rtl-brackets", test_rtl_brackets);
  g_test_add_func ("/lines/vertical", test_vertical);
  g_test_add_func ("/lines/turned", test_turned);
  g_test_add_func ("/lines/style", test_line_style);
  return g_test_run ();
}
