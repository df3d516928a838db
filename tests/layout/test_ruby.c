/* tests/layout/test_ruby.c - readings beside ideographs do not part the lines of the text. */
#include "tests/layout/glyph_page.h"

/* n glyphs from code on, of that size, down from (x, y). */
static void
type_column (GlyphPage *g, gunichar code, float x, float y, float size, guint n)
{
  for (guint i = 0; i < n; i++) {
    DpGlyph *glyph = type_glyph (g, code + i, 0, 0, size, size, 0);

    glyph->box = (DpRect){ x, y + size * (float) i, x + size, y + size * (float) (i + 1) };
    glyph->baseline = x + 0.5f * size;
    glyph->flags = (guint16) (DP_GLYPH_VERTICAL | (i + 1 == n ? DP_GLYPH_BREAK | DP_GLYPH_SPACE : 0));
  }
}

static void
type_row (GlyphPage *g, gunichar code, float x, float base, float size, guint n)
{
  for (guint i = 0; i < n; i++)
    type_glyph (g, code + i, x + size * (float) i, base, size, size, 0)->flags = i + 1 == n ? DP_GLYPH_BREAK | DP_GLYPH_SPACE : 0;
}

static guint
count_asides (const DpPageLayout *l)
{
  guint n = 0;

  for (guint i = 0; i < l->words->len; i++)
    n += g_array_index (l->words, DpWord, i).aside;
  return n;
}

/* Columns two em apart, with readings to the right of the second and the third: one region of four lines. */
static void
test_vertical (void)
{
  GlyphPage *g = glyph_page_new (300, 300);

  for (guint i = 0; i < 4; i++)
    type_column (g, 0x4e00 + 20 * i, 250 - 20 * (float) i, 50, 10, 20);
  type_column (g, 0x304b, 241, 70, 5, 4);
  type_column (g, 0x304b, 221, 110, 5, 4);
  g_autoptr (DpPageLayout) l = dp_layout_page (glyph_page_done (g), NULL);
  g_assert_cmpuint (count_asides (l), ==, 2);
  g_assert_cmpuint (l->regions->len, ==, 3);
  g_assert_cmpuint (g_array_index (l->regions, DpRegion, 0).lines->len, ==, 4);
  glyph_page_free (g);
}

static void
test_across (void)
{
  GlyphPage *g = glyph_page_new (300, 300);

  for (guint i = 0; i < 4; i++)
    type_row (g, 0x4e00 + 20 * i, 30, 100 + 18 * (float) i, 10, 20);
  type_row (g, 0x304b, 50, 127 - 18, 5, 4);
  type_row (g, 0x304b, 130, 145, 5, 4);
  g_autoptr (DpPageLayout) l = dp_layout_page (glyph_page_done (g), NULL);
  g_assert_cmpuint (count_asides (l), ==, 2);
  g_assert_cmpuint (l->regions->len, ==, 3);
  g_assert_cmpuint (g_array_index (l->regions, DpRegion, 0).lines->len, ==, 4);
  glyph_page_free (g);
}

/* Small text of syllables below, beside and far above ideographs, and over letters of its own kind, is text. */
static void
test_text (void)
{
  GlyphPage *g = glyph_page_new (300, 300);

  type_row (g, 0x4e00, 30, 100, 10, 5);
  type_row (g, 0x304b, 30, 80, 5, 4);
  type_row (g, 0x304b, 30, 112, 5, 4);
  type_row (g, 0x304b, 85, 100, 5, 4);
  type_row (g, 0x304b, 30, 191, 5, 4);
  type_row (g, 0x3061, 30, 200, 10, 5);
  g_autoptr (DpPageLayout) l = dp_layout_page (glyph_page_done (g), NULL);
  g_assert_cmpuint (count_asides (l), ==, 0);
  glyph_page_free (g);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ruby/vertical", test_vertical);
  g_test_add_func ("/ruby/across", test_across);
  g_test_add_func ("/ruby/text", test_text);
  return g_test_run ();
}
