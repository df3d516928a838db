/* tests/layout/test_listings.c - program text with line numbers, in boxes, in columns of blanks. */
#include "tests/layout/glyph_page.h"

static void
type_row (GlyphPage *g, float y, const char *number, const char *code, guint16 flags, guint32 colour)
{
  guint first = g->glyphs->len;

  type_at (g, 50, y, 10, number, 0, DP_GLYPH_SPACE, 0, 0.5f);
  for (guint i = first; i < g->glyphs->len; i++)
    g_array_index (g->glyphs, DpGlyph, i).colour = colour;
  type_at (g, 70, y, 10, code, flags, DP_GLYPH_BREAK | DP_GLYPH_SPACE, 0, 0.5f);
}

/* Text of the page's listings, "|" between lines and "||" between listings. */
static char *
listings_of (GlyphPage *g)
{
  g_autoptr (DpPageLayout) l = dp_layout_page (glyph_page_done (g), NULL);
  GString *out = g_string_new (NULL);

  for (guint r = 0; r < l->regions->len; r++) {
    const DpRegion *region = &g_array_index (l->regions, DpRegion, r);
    if (region->kind != DP_REGION_CODE)
      continue;
    if (out->len)
      g_string_append_c (out, '|');
    for (guint i = 0; i < region->lines->len; i++) {
      if (out->len)
        g_string_append_c (out, '|');
      dp_line_text (l, &g_array_index (l->lines, DpLine, g_array_index (region->lines, guint, i)), out);
    }
  }
  glyph_page_free (g);
  return g_string_free (out, FALSE);
}

static void
test_counted (void)
{
  GlyphPage *g = glyph_page_new (400, 400);
  g_autofree char *text = NULL;

  type_row (g, 100, "1", "int main (void)", DP_GLYPH_MONO, 0);
  type_row (g, 112, "2", "{", DP_GLYPH_MONO, 0);
  type_at (g, 80, 124, 10, "wrapped", DP_GLYPH_MONO, DP_GLYPH_BREAK, 0, 0.5f);
  type_row (g, 136, "3", "}", DP_GLYPH_MONO, 0);
  type_line (g, 50, 200, 10, "prose that follows the listing");
  text = listings_of (g);
  g_assert_cmpstr (text, ==, "int main (void)|{|wrapped|}");
}

/* One row: the number must look unlike the code. */
static void
test_single (void)
{
  GlyphPage *g = glyph_page_new (400, 400);
  g_autofree char *grey = NULL, *black = NULL;

  type_row (g, 100, "1", "make check", DP_GLYPH_MONO, 0xb0b0b0);
  type_line (g, 50, 150, 10, "and then");
  type_row (g, 200, "1", "make install", DP_GLYPH_MONO, 0xb0b0b0);
  grey = listings_of (g);
  g_assert_cmpstr (grey, ==, "make check||make install");
  g = glyph_page_new (400, 400);
  type_row (g, 100, "1", "make check", DP_GLYPH_MONO, 0);
  black = listings_of (g);
  g_assert_cmpstr (black, ==, "");
}

/* Numbered prose, and numbers that do not count, are no listing. */
static void
test_others (void)
{
  GlyphPage *g = glyph_page_new (400, 400);
  g_autofree char *prose = NULL, *table = NULL;

  for (guint i = 0; i < 4; i++) {
    g_autofree char *number = g_strdup_printf ("%u", i + 1);
    type_row (g, 100 + 12 * (float) i, number, "an item of a list", 0, 0xb0b0b0);
  }
  prose = listings_of (g);
  g_assert_cmpstr (prose, ==, "");
  g = glyph_page_new (400, 400);
  for (guint i = 0; i < 4; i++) {
    g_autofree char *number = g_strdup_printf ("%u", 7 * i + 12);
    type_row (g, 100 + 12 * (float) i, number, "code", DP_GLYPH_MONO, 0);
  }
  table = listings_of (g);
  g_assert_cmpstr (table, ==, "");
}

static void
type_settings (GlyphPage *g, float x, float y, guint16 flags, const char *const *names, const char *const *values)
{
  for (guint i = 0; names[i]; i++) {
    type_at (g, x, y + 12 * (float) i, 10, names[i], flags, DP_GLYPH_BREAK | DP_GLYPH_SPACE, 0, 0.5f);
    type_at (g, x + 100, y + 12 * (float) i, 10, values[i], flags, DP_GLYPH_BREAK | DP_GLYPH_SPACE, 0, 0.5f);
  }
}

static const char *const names[] = { "bantime", "findtime", "maxretry", NULL };
static const char *const values[] = { "= 10m", "= 20m", "= 5", NULL };

/* Two columns of blanks are read across; a sign that the face lacks does not matter in a box. */
static void
test_boxed (void)
{
  for (guint framed = 0; framed < 2; framed++) {
    GlyphPage *g = glyph_page_new (400, 400);
    g_autofree char *text = NULL;

    type_prose (g, 50, 20, 10, 12, 5, 60, "p");
    if (framed) {
      draw_path (g, DP_PATH_HLINE, (DpRect){ 45, 84.5f, 300, 85.5f }, 0);
      draw_path (g, DP_PATH_HLINE, (DpRect){ 45, 144.5f, 300, 145.5f }, 0);
      draw_path (g, DP_PATH_VLINE, (DpRect){ 44.5f, 85, 45.5f, 145 }, 0);
      draw_path (g, DP_PATH_VLINE, (DpRect){ 299.5f, 85, 300.5f, 145 }, 0);
    } else
      draw_path (g, DP_PATH_FILL, (DpRect){ 45, 85, 300, 145 }, 0xeeeeee);
    type_settings (g, 50, 100, DP_GLYPH_MONO, names, values);
    type_line (g, 50, 138, 10, "\342\206\222");
    text = listings_of (g);
    g_assert_cmpstr (text, ==, "bantime|= 10m|findtime|= 20m|maxretry|= 5|\342\206\222");
  }
}

/* Without a box the grid of characters tells; text in two faces, and words off the grid, are none of it. */
static void
test_grid (void)
{
  GlyphPage *g = glyph_page_new (400, 400);
  g_autofree char *grid = NULL, *faces = NULL, *off = NULL;

  type_prose (g, 50, 20, 10, 12, 5, 60, "p");
  type_settings (g, 50, 100, DP_GLYPH_MONO, names, values);
  grid = listings_of (g);
  g_assert_cmpstr (grid, ==, "bantime|= 10m|findtime|= 20m|maxretry|= 5");
  g = glyph_page_new (400, 400);
  type_prose (g, 50, 20, 10, 12, 5, 60, "p");
  type_settings (g, 50, 100, 0, names, values);
  faces = listings_of (g);
  g_assert_cmpstr (faces, ==, "");
  g = glyph_page_new (400, 400);
  type_prose (g, 50, 20, 10, 12, 5, 60, "p");
  type_settings (g, 50, 100, DP_GLYPH_MONO, names, values);
  for (guint i = 0; i < g->glyphs->len; i++) {
    DpGlyph *glyph = &g_array_index (g->glyphs, DpGlyph, i);
    if (glyph->box.x0 >= 150 && glyph->flags & DP_GLYPH_MONO)
      glyph->box.x0 += 2, glyph->box.x1 += 2;
  }
  off = listings_of (g);
  g_assert_cmpstr (off, ==, "");
}

/* Beside a column of prose: rows end at the gutter, and the listing is not taken apart into them. */
static void
test_beside_prose (void)
{
  GlyphPage *g = glyph_page_new (500, 400);
  g_autofree char *text = NULL;

  type_prose (g, 40, 20, 10, 12, 8, 38, "a");
  type_settings (g, 40, 130, DP_GLYPH_MONO, names, values);
  type_prose (g, 40, 180, 10, 12, 8, 38, "b");
  type_prose (g, 260, 20, 10, 12, 22, 38, "c");
  text = listings_of (g);
  g_assert_cmpstr (text, ==, "bantime|= 10m|findtime|= 20m|maxretry|= 5");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/listings/counted", test_counted);
  g_test_add_func ("/listings/single", test_single);
  g_test_add_func ("/listings/others", test_others);
  g_test_add_func ("/listings/boxed", test_boxed);
  g_test_add_func ("/listings/grid", test_grid);
  g_test_add_func ("/listings/beside-prose", test_beside_prose);
  return g_test_run ();
}
