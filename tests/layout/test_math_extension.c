/* tests/layout/test_math_extension.c - fonts of tall delimiters whose glyphs a producer numbered anew. */
#include "glyph_page.h"

#include "layout/math_extension.h"

static void
name_font (GlyphPage *g, const char *name)
{
  g_array_index (g->fonts, DpFont, 0).name = (guint32) g->strings->len;
  g_string_append_len (g->strings, name, (gssize) strlen (name) + 1);
}

static void
add (GlyphPage *g, gunichar code, float x, float advance)
{
  const DpGlyph glyph = { .code = code, .font = 0, .size = 10, .baseline = 100, .box = { x, 92, x + 10 * advance, 102 } };

  g_array_append_val (g->glyphs, glyph);
}

/* Code 5 as narrow as the bar, and a parenthesis by its name, which is the code of a tall brace. */
static void
test_renumbered (void)
{
  GlyphPage *g = glyph_page_new (400, 600);
  const DpMathFont fonts[4] = { DP_MATH_FONT_EXTENSION };

  name_font (g, "ABCDEF+CMEX10");
  add (g, 5, 50, 0.333f);
  add (g, 5, 60, 0); /* its box went to another glyph */
  add (g, '(', 70, 0.736f);
  add (g, 7, 80, 0.91f); /* nothing advances so */
  const DpPage *page = glyph_page_done (g);
  DpMathNumbers *numbers = dp_math_numbers_new (page, fonts);
  g_assert_nonnull (numbers);
  static const gunichar want[] = { 0x0c, 0x0c, 0x12, 0xfffd };
  for (guint i = 0; i < 4; i++) {
    DpGlyph glyph = page->glyphs[i];
    dp_math_numbers_mend (numbers, &glyph);
    g_assert_cmpuint (glyph.code, ==, want[i]);
    if (i < 2)
      g_assert_cmpfloat_with_epsilon (dp_rect_width (glyph.box), 3.33, 0.01);
  }
  DpGlyph other = page->glyphs[0];
  other.font = 1;
  dp_math_numbers_mend (numbers, &other);
  g_assert_cmpuint (other.code, ==, 5);
  dp_math_numbers_free (numbers);
  glyph_page_free (g);
}

/* Codes of the encoding with their own advances: nothing to mend. */
static void
test_standard (void)
{
  GlyphPage *g = glyph_page_new (400, 600);
  const DpMathFont fonts[4] = { DP_MATH_FONT_EXTENSION };

  name_font (g, "ABCDEF+CMEX10");
  add (g, 0x0c, 50, 0.333f);
  add (g, 0x58, 60, 1.444f);
  add (g, 0x28, 70, 0.806f);
  g_assert_null (dp_math_numbers_new (glyph_page_done (g), fonts));
  glyph_page_free (g);
}

/* Fonts of other families have other advances: their codes are believed. */
static void
test_other_family (void)
{
  GlyphPage *g = glyph_page_new (400, 600);
  const DpMathFont fonts[4] = { DP_MATH_FONT_EXTENSION };

  name_font (g, "ABCDEF+TXEX");
  add (g, 5, 50, 0.333f);
  g_assert_null (dp_math_numbers_new (glyph_page_done (g), fonts));
  glyph_page_free (g);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/math-extension/renumbered", test_renumbered);
  g_test_add_func ("/math-extension/standard", test_standard);
  g_test_add_func ("/math-extension/other-family", test_other_family);
  return g_test_run ();
}
