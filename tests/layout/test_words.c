/* Glyphs to words: words.c, and what a reader would not see: hidden.c. */
#include "glyph_page.h"

static DpPageLayout *
words_of (GlyphPage *g)
{
  const DpPage *page = glyph_page_done (g);
  DpPageLayout *l = dp_page_layout_new (page);
  g_autofree guint8 *hidden = g_malloc0 (page->n_glyphs + 1);

  dp_layout_hidden (l, page, NULL, hidden);
  dp_layout_words (l, page, hidden);
  return l;
}

#define CHECK_WORDS(g, want)                                                                                                               \
  G_STMT_START                                                                                                                             \
  {                                                                                                                                        \
    g_autoptr (DpPageLayout) checked_ = words_of (g);                                                                                      \
    assert_string (words_string (checked_), want);                                                                                         \
    glyph_page_free (g);                                                                                                                   \
  }                                                                                                                                        \
  G_STMT_END

static void
test_spaces (void)
{
  GlyphPage *g = glyph_page_new (300, 300);
  float x;

  type_line (g, 10, 20, 10, "two words");
  /* no flag, but a gap of 0.3 em */
  x = type_at (g, 10, 40, 10, "gap", 0, 0, 0, 0.5f);
  type_at (g, x + 3, 40, 10, "split", 0, DP_GLYPH_BREAK, 0, 0.5f);
  CHECK_WORDS (g, "two|words|gap|split");
}

static void
test_torn_ligature (void)
{
  GlyphPage *g = glyph_page_new (300, 300);
  float x = type_at (g, 10, 20, 10, "veri", 0, DP_GLYPH_SPACE, 0, 0.5f);

  x = type_at (g, x + 0.5f, 20, 10, "fi", 0, DP_GLYPH_SPACE, 0, 0.5f);
  x = type_at (g, x + 0.5f, 20, 10, "cation", 0, DP_GLYPH_SPACE, 0, 0.5f);
  /* a true space stays, even beside the same letters */
  x = type_at (g, x + 3, 20, 10, "if", 0, DP_GLYPH_SPACE, 0, 0.5f);
  type_at (g, x + 3, 20, 10, "so", 0, DP_GLYPH_BREAK, 0, 0.5f);
  CHECK_WORDS (g, "verification|if|so");
}

/* "E LECTRICAL AND H EAT": two sizes of one face are one word, and the small ones were not capitals. */
static void
test_small_capitals (void)
{
  GlyphPage *g = glyph_page_new (300, 300);
  float x = type_at (g, 10, 20, 10, "E", 0, DP_GLYPH_SPACE, 0, 0.5f);

  x = type_at (g, x, 20, 8, "LECTRICAL", 0, DP_GLYPH_SPACE, 0, 0.5f);
  x = type_at (g, x + 3, 20, 8, "AND", 0, DP_GLYPH_SPACE, 0, 0.5f);
  x = type_at (g, x + 3, 20, 10, "IRA", 0, DP_GLYPH_SPACE, 0, 0.5f);
  x = type_at (g, x + 3, 20, 10, "H", 0, DP_GLYPH_SPACE, 0, 0.5f);
  type_at (g, x, 20, 8, "EAT", 0, DP_GLYPH_BREAK, 0, 0.5f);
  /* small print in capitals with nothing big beside it stays as it is; so do two true words */
  type_line (g, 10, 40, 8, "AND SO");
  x = type_at (g, 10, 60, 10, "A", 0, DP_GLYPH_SPACE, 0, 0.5f);
  type_at (g, x + 3, 60, 8, "NOTE", 0, DP_GLYPH_BREAK, 0, 0.5f);
  CHECK_WORDS (g, "Electrical|and|IRA|Heat|AND|SO|A|NOTE");
}

static void
test_ligatures_and_marks (void)
{
  GlyphPage *g = glyph_page_new (300, 300);

  type_line (g, 10, 20, 10, "o\357\254\203ce");
  type_line (g, 10, 40, 10, "cafe\314\201");
  CHECK_WORDS (g, "office|caf\303\251");
}

static void
test_tracked (void)
{
  GlyphPage *g = glyph_page_new (300, 300);

  /* letters 0.4 em apart, all flagged as words; the word gap is 1.2 em */
  for (guint i = 0; i < 3; i++)
    type_glyph (g, (gunichar) "THE"[i], 10 + 9 * (float) i, 20, 10, 5, 0)->flags = DP_GLYPH_SPACE;
  for (guint i = 0; i < 4; i++)
    type_glyph (g, (gunichar) "CITY"[i], 45 + 9 * (float) i, 20, 10, 5, 0)->flags = DP_GLYPH_SPACE;
  CHECK_WORDS (g, "THE|CITY");
}

/* Pieces 0.1 em apart, real spaces of 0.5 em: all of it tracked. */
static void
test_tracked_pieces (void)
{
  GlyphPage *g = glyph_page_new (300, 300);
  static const char *const pieces[] = { "M", "i", "grati", "on", " ", "Ou", "tl", "ook" };
  float x = 10;

  for (gsize i = 0; i < G_N_ELEMENTS (pieces); i++)
    if (*pieces[i] == ' ')
      x += 4;
    else
      x = type_at (g, x, 20, 10, pieces[i], 0, DP_GLYPH_SPACE, 0, 0.5f) + 1;
  type_line (g, 10, 40, 10, "it is as it was to us all");
  CHECK_WORDS (g, "Migration|Outlook|it|is|as|it|was|to|us|all");
}

static void
test_doubled (void)
{
  GlyphPage *g = glyph_page_new (300, 300);
  g_autoptr (DpPageLayout) l = NULL;

  type_at (g, 10, 20, 10, "ball", 0, DP_GLYPH_BREAK, 0, 0.5f);
  type_at (g, 10.4f, 20.2f, 10, "ball", 0, DP_GLYPH_BREAK, 0, 0.5f);
  type_line (g, 10, 40, 10, "plain");
  l = words_of (g);
  assert_string (words_string (l), "ball|plain");
  g_assert_true (g_array_index (l->words, DpWord, 0).style & DP_SPAN_BOLD);
  g_assert_false (g_array_index (l->words, DpWord, 1).style & DP_SPAN_BOLD);
  glyph_page_free (g);
}

static void
test_scripts_and_styles (void)
{
  GlyphPage *g = glyph_page_new (300, 300);
  float x = type_at (g, 10, 20, 10, "E=mc", 0, 0, 0, 0.5f);

  x = type_at (g, x, 16, 6, "2", 0, 0, 0, 0.5f);
  type_at (g, x + 3, 20, 10, "Note", DP_GLYPH_BOLD, 0, 0, 0.5f);
  type_at (g, x + 23, 20, 10, ":text", 0, DP_GLYPH_BREAK, 0, 0.5f);
  /* small capitals: one word */
  x = type_at (g, 10, 50, 10, "S", 0, 0, 0, 0.5f);
  type_at (g, x, 50, 8, "MALL", 0, DP_GLYPH_BREAK, 0, 0.5f);
  CHECK_WORDS (g, "E=mc+2|Note+:text|Small");
}

static void
test_soft_hyphens (void)
{
  GlyphPage *g = glyph_page_new (300, 300);

  type_glyph (g, 'a', 10, 20, 10, 5, 0);
  type_glyph (g, 0xad, 15, 20, 10, 0, 0); /* no room: only a hint */
  type_glyph (g, 'b', 15, 20, 10, 5, 0);
  type_glyph (g, 0xad, 20, 20, 10, 4, 0)->flags = DP_GLYPH_BREAK; /* a hyphen on the page */
  CHECK_WORDS (g, "ab-");
}

static void
test_turned (void)
{
  GlyphPage *g = glyph_page_new (300, 300);
  g_autoptr (DpPageLayout) l = NULL;

  type_at (g, -200, 50, 10, "up we go", 0, DP_GLYPH_BREAK, 270, 0.5f);
  l = words_of (g);
  assert_string (words_string (l), "up|we|go");
  g_assert_cmpint (g_array_index (l->words, DpWord, 0).angle, ==, 270);
  g_assert_cmpfloat (dp_rect_height (g_array_index (l->words, DpWord, 0).box), ==, 10);
  glyph_page_free (g);
}

static void
test_links (void)
{
  GlyphPage *g = glyph_page_new (300, 300);
  DpLink link = { { 10, 10, 31, 25 }, 0, 7 };
  g_autoptr (DpPageLayout) l = NULL;

  type_line (g, 10, 20, 10, "here not");
  g_array_append_val (g->links, link);
  l = words_of (g);
  g_assert_cmpuint (g_array_index (l->words, DpWord, 0).link, ==, 1);
  g_assert_cmpstr (g_ptr_array_index (l->links, 0), ==, "#page=7");
  g_assert_cmpuint (g_array_index (l->words, DpWord, 1).link, ==, 0);
  glyph_page_free (g);
}

/* ---- hidden ------------------------------------------------------------------------------ */

static char *
hidden_words (GlyphPage *g)
{
  g_autoptr (DpPageLayout) l = words_of (g);
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < l->words->len; i++)
    if (g_array_index (l->words, DpWord, i).hidden) {
      g_autofree char *word = word_string (l, i);

      g_string_append_printf (out, "%s%s", out->len ? " " : "", word);
    }
  return g_string_free (out, FALSE);
}

static void
test_hidden (void)
{
  GlyphPage *g = glyph_page_new (300, 300);
  guint first;

  type_line (g, 10, 20, 10, "visible");
  type_at (g, 10, 40, 10, "unpainted", DP_GLYPH_UNPAINTED, DP_GLYPH_BREAK, 0, 0.5f);
  type_at (g, 10, 60, 10, "covered", DP_GLYPH_COVERED, DP_GLYPH_BREAK, 0, 0.5f);
  type_line (g, -90, 80, 10, "outside");
  type_line (g, 10, 100, 0.5f, "tiny");
  first = g->glyphs->len;
  type_line (g, 10, 120, 10, "whiteonwhite");
  draw_path (g, DP_PATH_FILL, (DpRect){ 0, 130, 300, 160 }, 0x203040);
  type_line (g, 10, 150, 10, "whiteondark");
  for (guint i = first; i < g->glyphs->len; i++)
    g_array_index (g->glyphs, DpGlyph, i).colour = 0xffffff;
  first = g->glyphs->len;
  draw_path (g, DP_PATH_FILL, (DpRect){ 0, 170, 300, 200 }, 0xff0000);
  type_line (g, 10, 190, 10, "redonred");
  for (guint i = first; i < g->glyphs->len; i++)
    g_array_index (g->glyphs, DpGlyph, i).colour = 0xfa0404;
  assert_string (hidden_words (g), "unpainted covered outside tiny whiteonwhite redonred");
  glyph_page_free (g);
}

static void
test_ocr_layer_is_not_hidden (void)
{
  GlyphPage *g = glyph_page_new (300, 300);
  DpImage scan = { { 0, 0, 300, 300 }, 1000, 1000, 1, 0 };

  g_array_append_val (g->images, scan);
  type_at (g, 10, 40, 10, "layer", DP_GLYPH_UNPAINTED, DP_GLYPH_BREAK, 0, 0.5f);
  assert_string (hidden_words (g), "");
  glyph_page_free (g);
}

/* Some programs put the picture on top of its text. */
static void
test_layer_below_the_scan (void)
{
  GlyphPage *g = glyph_page_new (300, 300);
  DpImage scan = { { 0, 0, 300, 300 }, 1000, 1000, 0, 0 };

  type_at (g, 10, 40, 10, "most of the text lies below", DP_GLYPH_COVERED, DP_GLYPH_BREAK, 0, 0.5f);
  scan.paint = ++g->paint;
  g_array_append_val (g->images, scan);
  type_line (g, 10, 280, 10, "stamp");
  assert_string (hidden_words (g), "");
  /* but a few words under a photo are hidden */
  for (guint i = 0; i < 8; i++)
    type_line (g, 10, 60 + 12 * (float) i, 10, "and this is the visible text of the page");
  assert_string (hidden_words (g), "most of the text lies below");
  glyph_page_free (g);
}

/* White text over a picture or a shape of unknown form may well be seen. */
static void
test_unknown_ground_is_not_hidden (void)
{
  GlyphPage *g = glyph_page_new (300, 300);

  draw_path (g, DP_PATH_CURVE, (DpRect){ 0, 0, 300, 60 }, 0x000080);
  type_line (g, 10, 40, 10, "onshape");
  for (guint i = 0; i < g->glyphs->len; i++)
    g_array_index (g->glyphs, DpGlyph, i).colour = 0xffffff;
  assert_string (hidden_words (g), "");
  glyph_page_free (g);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/words/spaces", test_spaces);
  g_test_add_func ("/words/torn-ligature", test_torn_ligature);
  g_test_add_func ("/words/small-capitals", test_small_capitals);
  g_test_add_func ("/words/ligatures-and-marks", test_ligatures_and_marks);
  g_test_add_func ("/words/tracked", test_tracked);
  g_test_add_func ("/words/tracked-pieces", test_tracked_pieces);
  g_test_add_func ("/words/doubled", test_doubled);
  g_test_add_func ("/words/scripts-and-styles", test_scripts_and_styles);
  g_test_add_func ("/words/soft-hyphens", test_soft_hyphens);
  g_test_add_func ("/words/turned", test_turned);
  g_test_add_func ("/words/links", test_links);
  g_test_add_func ("/hidden/kinds", test_hidden);
  g_test_add_func ("/hidden/ocr-layer", test_ocr_layer_is_not_hidden);
  g_test_add_func ("/hidden/layer-below", test_layer_below_the_scan);
  g_test_add_func ("/hidden/unknown-ground", test_unknown_ground_is_not_hidden);
  return g_test_run ();
}
