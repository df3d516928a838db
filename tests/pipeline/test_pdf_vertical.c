/* tests/pipeline/test_pdf_vertical.c - columns of upright letters, in the order in which they were painted. */
#include "pipeline/pdf_match.h"

typedef struct {
  GArray *painted; /* DpTapGlyph */
  DpPageArrays *page;
} Sheet;

static Sheet
sheet_new (void)
{
  Sheet s = { g_array_new (FALSE, TRUE, sizeof (DpTapGlyph)), dp_page_arrays_new () };
  DpFont font = { 0 };

  s.page->width = s.page->height = 400;
  g_array_append_val (s.page->fonts, font);
  return s;
}

/* Paints a glyph of 10 pt with its origin there; its box is 10 wide and reaches from 8 above to 2 below. */
static void
paint (Sheet *s, float x, float y, gint16 angle)
{
  const DpTapGlyph g = { .x = x, .y = y, .size = 10, .paint = s->painted->len + 1, .angle = angle, .visible = 1 };

  g_array_append_val (s->painted, g);
}

/* The text layer's character for the glyph painted as number `of`. */
static void
say (Sheet *s, guint of, gunichar c, guint16 flags)
{
  const DpTapGlyph *t = &g_array_index (s->painted, DpTapGlyph, of);
  DpGlyph g = { .code = c, .size = 10, .flags = flags, .box = { t->x, t->y - 8, t->x + 10, t->y + 2 } };

  if (t->angle == 90)
    g.box = (DpRect){ t->x - 2, t->y, t->x + 8, t->y + 10 };
  g_array_append_val (s->page->glyphs, g);
}

/* Joins both and returns the text, '/' for DP_GLYPH_BREAK, in capitals where it is vertical: letters stand for ideographs. */
static char *
read_sheet (Sheet *s)
{
  DpTap tap = { .glyphs = s->painted, .fonts = g_ptr_array_new () };
  GString *out = g_string_new (NULL);

  dp_pdf_match (&tap, s->page);
  for (guint i = 0; i < s->page->glyphs->len; i++) {
    const DpGlyph *g = &g_array_index (s->page->glyphs, DpGlyph, i);
    const gboolean vertical = (g->flags & DP_GLYPH_VERTICAL) != 0;
    g_string_append_c (out, (char) ((vertical ? 'A' : 'a') + (gint) (g->code - 0x4e00)));
    if (vertical)
      g_assert_cmpfloat_with_epsilon (g->baseline, (g->box.x0 + g->box.x1) / 2, 0.01f);
    if (g->flags & DP_GLYPH_BREAK)
      g_string_append_c (out, '/');
  }
  g_ptr_array_unref (tap.fonts);
  g_array_unref (s->painted);
  dp_page_arrays_free (s->page);
  return g_string_free (out, FALSE);
}

/* Three columns from the right, painted downwards; the text layer says them row by row from the left.  The last has one only. */
static void
test_columns (void)
{
  Sheet s = sheet_new ();
  const guint rows[5][3] = { { 10, 5, 0 }, { 99, 6, 1 }, { 99, 7, 2 }, { 99, 8, 3 }, { 99, 9, 4 } };

  for (guint i = 0; i < 11; i++)
    paint (&s, 300 - 20 * (float) (i / 5), 50 + 10 * (float) (i % 5), 0);
  paint (&s, 30, 200, 0); /* a reading: where there are columns, two are one */
  paint (&s, 30, 210, 0);
  for (guint r = 0; r < 5; r++)
    for (guint c = 0; c < 3; c++)
      if (rows[r][c] < 99)
        say (&s, rows[r][c], 0x4e00 + rows[r][c], DP_GLYPH_SPACE | (c == 2 ? DP_GLYPH_BREAK : 0));
  say (&s, 11, 0x4e00 + 11, DP_GLYPH_SPACE);
  say (&s, 12, 0x4e00 + 12, DP_GLYPH_SPACE);
  g_autofree char *text = read_sheet (&s);
  g_assert_cmpstr (text, ==, "ABCDE/FGHIJ/K/LM/");
}

/* A dash lies on its side, and a blank stands between the words of a title. */
static void
test_turned (void)
{
  Sheet s = sheet_new ();

  paint (&s, 300, 50, 0);
  paint (&s, 300, 60, 0);
  paint (&s, 302, 62, 90);
  paint (&s, 300, 80, 0);
  paint (&s, 300, 100, 0);
  paint (&s, 300, 110, 0);
  for (guint i = 0; i < 6; i++)
    say (&s, i, 0x4e00 + i, DP_GLYPH_SPACE | DP_GLYPH_BREAK);
  g_autofree char *text = read_sheet (&s);
  g_assert_cmpstr (text, ==, "ABCDEF/");
}

/* A table painted by its rows, a list of signs two lines apart, and one ideograph below the other in lines that go across. */
static void
test_across (void)
{
  Sheet s = sheet_new ();

  for (guint i = 0; i < 8; i++)
    paint (&s, 100 + 40 * (float) (i % 2), 50 + 12 * (float) (i / 2), 0);
  for (guint i = 8; i < 14; i++)
    paint (&s, 300, 50 + 20 * (float) (i - 8), 0);
  for (guint i = 0; i < 14; i++)
    say (&s, i, 0x4e00 + i, DP_GLYPH_SPACE | DP_GLYPH_BREAK);
  g_autofree char *text = read_sheet (&s);
  g_assert_cmpstr (text, ==, "a/b/c/d/e/f/g/h/i/j/k/l/m/n/");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pdf-vertical/columns", test_columns);
  g_test_add_func ("/pdf-vertical/turned", test_turned);
  g_test_add_func ("/pdf-vertical/across", test_across);
  return g_test_run ();
}
