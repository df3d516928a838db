/* tests/pipeline/test_pdf_pitch.c - which faces are a typewriter's. */
#include "pipeline/pdf_pitch.h"

#include <string.h>

/* A page set in one font of the given advances, in em. */
static DpPageArrays *
set (const char *text, float narrow, float wide)
{
  const DpFont font = { 0 };
  DpPageArrays *page = dp_page_arrays_new ();

  g_array_append_val (page->fonts, font);
  for (const char *c = text; *c; c++) {
    const float em = strchr ("il.", *c) ? narrow : *c == '*' ? wide + 0.04f : wide; /* a star is given room */
    const DpGlyph glyph = { .code = (guint8) *c, .box = { 10, 0, 10 + 9 * em, 9 }, .size = 9 };
    g_array_append_val (page->glyphs, glyph);
  }
  return page;
}

static gboolean
is_mono (const char *text, float narrow, float wide)
{
  DpPageArrays *page = set (text, narrow, wide);

  dp_pdf_mark_pitch (page);
  const gboolean font = (g_array_index (page->fonts, DpFont, 0).flags & DP_GLYPH_MONO) != 0;
  for (guint i = 0; i < page->glyphs->len; i++)
    g_assert_cmpint (((g_array_index (page->glyphs, DpGlyph, i).flags & DP_GLYPH_MONO) != 0), ==, font);
  dp_page_arrays_free (page);
  return font;
}

static void
test_pitch (void)
{
  g_assert_true (is_mono ("while (i < max)", 0.6f, 0.6f));
  g_assert_true (is_mono ("while (i < max)", 0.601f, 0.6f));
  g_assert_false (is_mono ("while (i < max)", 0.3f, 0.6f)); /* a proportional face */
  g_assert_true (is_mono ("while (i < max) i++; // never a *p", 0.6f, 0.6f));
  g_assert_false (is_mono ("while *", 0.6f, 0.6f));        /* too few to let one be odd */
  g_assert_false (is_mono ("1234567890 000", 0.5f, 0.5f)); /* digits are alike in most faces */
  g_assert_false (is_mono ("mil", 0.6f, 0.6f));            /* too little to tell */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pdf-pitch/advances", test_pitch);
  return g_test_run ();
}
