/* tests/layout/test_bullets.c - bullets that are painted, and marks that are none. */
#include "layout/bullets.h"
#include "tests/layout/glyph_page.h"

static void
put_mark (GlyphPage *g, DpPathKind kind, float cx, float cy, float radius, guint32 colour)
{
  const DpPath path
      = { .box = { cx - radius, cy - radius, cx + radius, cy + radius }, .kind = kind, .colour = colour, .alpha = 1, .paint = 1 };

  g_array_append_val (g->paths, path);
}

static void
put_picture (GlyphPage *g, float cx, float cy, float radius)
{
  const DpImage image = { .box = { cx - radius, cy - radius, cx + radius, cy + radius }, .width = 8, .height = 8, .paint = 1 };

  g_array_append_val (g->images, image);
}

/* The texts of all lines of the page, a '|' between them. */
static char *
lines_of (GlyphPage *g)
{
  g_autoptr (DpPageLayout) layout = dp_layout_page (glyph_page_done (g), NULL);
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < layout->lines->len; i++) {
    if (i)
      g_string_append_c (out, '|');
    dp_line_text (layout, &g_array_index (layout->lines, DpLine, i), out);
  }
  return g_string_free (out, FALSE);
}

static void
type_items (GlyphPage *g)
{
  type_line (g, 80, 100, 10, "What it needs:");
  type_line (g, 100, 120, 10, "A boat");
  type_line (g, 100, 140, 10, "Two oars");
  type_line (g, 100, 160, 10, "Water");
}

/* Balls of several circles, and the pictures that office programs paste. */
static void
test_painted (void)
{
  GlyphPage *g = glyph_page_new (600, 800);
  g_autofree char *text = NULL;

  type_items (g);
  for (guint i = 0; i < 3; i++)
    for (float r = 3; r > 1; r -= 0.5f)
      put_mark (g, DP_PATH_CURVE, 90, 117 + 20 * (float) i, r, 0x3333b2 + 0x101000 * (guint) (2 * (3 - r)));
  text = lines_of (g);
  g_assert_cmpstr (text, ==, "What it needs:|\342\200\242 A boat|\342\200\242 Two oars|\342\200\242 Water");
  glyph_page_free (g);
}

static void
test_pictures (void)
{
  GlyphPage *g = glyph_page_new (600, 800);
  g_autofree char *text = NULL;

  type_items (g);
  for (guint i = 0; i < 3; i++)
    put_picture (g, 90, 117 + 20 * (float) i, 3);
  text = lines_of (g);
  g_assert_cmpstr (text, ==, "What it needs:|\342\200\242 A boat|\342\200\242 Two oars|\342\200\242 Water");
  glyph_page_free (g);
}

/* Numbers on balls are the labels of the items. */
static void
test_numbers (void)
{
  GlyphPage *g = glyph_page_new (600, 800);
  g_autofree char *text = NULL;

  for (guint i = 0; i < 3; i++) {
    char digit[2] = { (char) ('1' + i), '\0' };
    put_mark (g, DP_PATH_CURVE, 90, 117 + 20 * (float) i, 5, 0x3333b2);
    type_line (g, 88.5f, 119 + 20 * (float) i, 6, digit);
  }
  type_items (g);
  text = lines_of (g);
  g_assert_cmpstr (text, ==, "What it needs:|1. A boat|2. Two oars|3. Water");
  glyph_page_free (g);
}

/* A mark alone, keys of different colours, points that stand elsewhere too, marks inside a line. */
static void
test_none (void)
{
  for (guint kind = 0; kind < 4; kind++) {
    GlyphPage *g = glyph_page_new (600, 800);
    g_autofree char *text = NULL;

    type_items (g);
    for (guint i = 0; i < 3; i++) {
      float y = 117 + 20 * (float) i;
      if (kind == 0 && i == 0)
        put_mark (g, DP_PATH_CURVE, 90, y, 3, 0x3333b2);
      else if (kind == 1)
        put_mark (g, DP_PATH_FILL, 90, y, 3, 0x101010u << i);
      else if (kind == 2) {
        put_mark (g, DP_PATH_CURVE, 90, y, 3, 0x3333b2);
        put_mark (g, DP_PATH_CURVE, 300 + 40 * (float) i, 300 - 20 * (float) i, 3, 0x3333b2);
      } else if (kind == 3) {
        put_mark (g, DP_PATH_CURVE, 90, y, 3, 0x3333b2);
        type_line (g, 70, 120 + 20 * (float) i, 10, "So");
      }
    }
    text = lines_of (g);
    g_test_message ("kind %u: %s", kind, text);
    g_assert_null (strstr (text, "\342\200\242"));
    glyph_page_free (g);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bullets/painted", test_painted);
  g_test_add_func ("/bullets/pictures", test_pictures);
  g_test_add_func ("/bullets/numbers", test_numbers);
  g_test_add_func ("/bullets/none", test_none);
  return g_test_run ();
}
