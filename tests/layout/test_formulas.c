/* tests/layout/test_formulas.c - which lines are formulas, and which are prose. */
#include "glyph_page.h"

enum { ROMAN, BOLD, ITALIC, SYMBOL };

static void
name_font (GlyphPage *g, guint i, const char *name)
{
  g_array_index (g->fonts, DpFont, i).name = (guint32) g->strings->len;
  g_string_append_len (g->strings, name, (gssize) strlen (name) + 1);
}

static GlyphPage *
page_new (void)
{
  GlyphPage *g = glyph_page_new (400, 600);

  name_font (g, ROMAN, "CMR10");
  name_font (g, BOLD, "CMBX10");
  name_font (g, ITALIC, "CMMI10");
  name_font (g, SYMBOL, "CMSY10");
  return g;
}

/* A piece in one font, with what the layer says behind it. */
static float
piece (GlyphPage *g, guint font, float x, float y, float size, const char *text, guint16 end)
{
  guint from = g->glyphs->len;
  float at = type_at (g, x, y, size, text, font == ITALIC ? DP_GLYPH_ITALIC : 0, end, 0, 0.5f);

  for (guint i = from; i < g->glyphs->len; i++)
    g_array_index (g->glyphs, DpGlyph, i).font = (guint16) font;
  return at;
}

static const DpRegion *
find_formula (const DpPageLayout *l, guint *n)
{
  const DpRegion *found = NULL;

  *n = 0;
  for (guint i = 0; i < l->regions->len; i++)
    if (g_array_index (l->regions, DpRegion, i).kind == DP_REGION_FORMULA) {
      found = &g_array_index (l->regions, DpRegion, i);
      (*n)++;
    }
  return found;
}

static gboolean
has_inline (const DpPageLayout *l, const char *latex)
{
  for (guint i = 0; i < l->inlines->len; i++)
    if (strcmp (((const DpInlineFormula *) l->inlines->pdata[i])->latex, latex) == 0)
      return TRUE;
  return FALSE;
}

/* "y = a / b (3)" between two paragraphs. */
static void
test_display (void)
{
  GlyphPage *g = page_new ();
  g_autoptr (DpPageLayout) l = NULL;
  const DpRegion *formula;
  guint n;

  type_prose (g, 50, 100, 10, 12, 4, 60, "a");
  piece (g, ITALIC, 180, 170, 10, "y", DP_GLYPH_SPACE);
  piece (g, ROMAN, 188, 170, 10, "=", DP_GLYPH_SPACE | DP_GLYPH_BREAK);
  piece (g, ITALIC, 200, 163, 10, "a", DP_GLYPH_SPACE | DP_GLYPH_BREAK);
  piece (g, ITALIC, 200, 177, 10, "b", DP_GLYPH_SPACE | DP_GLYPH_BREAK);
  piece (g, ROMAN, 335, 170, 10, "(3)", DP_GLYPH_SPACE | DP_GLYPH_BREAK);
  draw_path (g, DP_PATH_HLINE, (DpRect){ 199.5f, 167.3f, 205.5f, 167.7f }, 0);
  type_prose (g, 50, 200, 10, 12, 4, 60, "b");
  l = dp_layout_page (glyph_page_done (g), NULL);
  formula = find_formula (l, &n);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpstr (formula->latex, ==, "y=\\frac{a}{b}");
  g_assert_cmpstr (formula->label, ==, "(3)");
  assert_string (regions_string (l), "a0 a b0");
  glyph_page_free (g);
}

/* What a reader has to put in stands between angle brackets in manuals: text, not a formula. */
static void
test_placeholder (void)
{
  GlyphPage *g = page_new ();
  g_autoptr (DpPageLayout) l = NULL;
  g_autofree char *text = NULL;
  float x;

  type_prose (g, 50, 100, 10, 12, 2, 60, "a");
  x = type_at (g, 50, 124, 10, "with the option ", 0, 0, 0, 0.5f);
  x = piece (g, SYMBOL, x, 124, 10, "\342\237\250", 0);
  x = piece (g, ROMAN, x, 124, 10, "name", 0);
  x = piece (g, SYMBOL, x, 124, 10, "\342\237\251", DP_GLYPH_SPACE);
  type_line (g, x + 5, 124, 10, "which holds for lorem");
  l = dp_layout_page (glyph_page_done (g), NULL);
  text = lines_string (l);
  g_assert_nonnull (strstr (text, "with the option \342\237\250name\342\237\251 which holds"));
  g_assert_cmpuint (l->inlines->len, ==, 0);
  glyph_page_free (g);
}

/* "LaTeX" with its raised A, all bold: a name, not the power of a letter. */
static void
test_shifted_name (void)
{
  GlyphPage *g = page_new ();
  g_autoptr (DpPageLayout) l = NULL;
  float x;

  x = type_at (g, 50, 100, 14, "3", DP_GLYPH_BOLD, DP_GLYPH_SPACE, 0, 0.5f);
  x = type_at (g, x + 8, 100, 14, "L", DP_GLYPH_BOLD, 0, 0, 0.5f);
  x = type_at (g, x - 2, 97, 10, "A", DP_GLYPH_BOLD, 0, 0, 0.5f);
  type_at (g, x - 1, 100, 14, "TEX", DP_GLYPH_BOLD, DP_GLYPH_SPACE | DP_GLYPH_BREAK, 0, 0.5f);
  type_prose (g, 50, 130, 10, 12, 2, 60, "a");
  x = piece (g, ITALIC, 50, 154, 10, "x", 0);
  x = piece (g, ITALIC, x, 156, 7, "i", DP_GLYPH_SPACE);
  x = piece (g, SYMBOL, x + 3, 154, 10, "\342\211\244", DP_GLYPH_SPACE);
  x = piece (g, ROMAN, x + 3, 154, 10, "2", DP_GLYPH_SPACE);
  type_line (g, x + 5, 154, 10, "which holds for lorem");
  l = dp_layout_page (glyph_page_done (g), NULL);
  g_assert_cmpuint (l->inlines->len, ==, 1);
  glyph_page_free (g);
}

/* TeX's root sign hangs from a baseline far above its line, and its bar lies there, too. */
static void
test_root (void)
{
  GlyphPage *g = page_new ();
  g_autoptr (DpPageLayout) l = NULL;
  float x;

  type_prose (g, 50, 100, 10, 12, 2, 60, "a");
  x = type_at (g, 50, 124, 10, "so that ", 0, 0, 0, 0.5f);
  x = piece (g, ITALIC, x, 124, 10, "y", DP_GLYPH_SPACE);
  x = piece (g, ROMAN, x + 3, 124, 10, "=", DP_GLYPH_SPACE);
  piece (g, SYMBOL, x + 3, 115.5f, 10, "\342\210\232", DP_GLYPH_SPACE | DP_GLYPH_BREAK);
  draw_path (g, DP_PATH_HLINE, (DpRect){ x + 8, 115.3f, x + 14, 115.7f }, 0);
  x = piece (g, ITALIC, x + 8.5f, 124, 10, "x", DP_GLYPH_SPACE);
  type_line (g, x + 5, 124, 10, "which holds for lorem");
  l = dp_layout_page (glyph_page_done (g), NULL);
  g_assert_cmpuint (l->inlines->len, ==, 1);
  g_assert_cmpstr (((const DpInlineFormula *) l->inlines->pdata[0])->latex, ==, "y=\\sqrt{x}");
  glyph_page_free (g);
}

/* A fraction in a line that is longer than what stands before it, with a short denominator. */
static void
test_long_fraction (void)
{
  GlyphPage *g = page_new ();
  g_autoptr (DpPageLayout) l = NULL;
  float x;

  type_prose (g, 50, 100, 10, 12, 2, 60, "a");
  x = piece (g, ITALIC, 50, 140, 10, "f", DP_GLYPH_SPACE);
  x = piece (g, ROMAN, x + 3, 140, 10, "=", DP_GLYPH_SPACE | DP_GLYPH_BREAK) + 3;
  draw_path (g, DP_PATH_HLINE, (DpRect){ x + 1, 137.3f, x + 57, 137.7f }, 0);
  piece (g, ITALIC, x + 1, 135, 7, "a+b+c+a+b+c+a+bc", DP_GLYPH_SPACE | DP_GLYPH_BREAK);
  piece (g, ROMAN, x + 28, 144.5f, 7, "2", DP_GLYPH_SPACE | DP_GLYPH_BREAK);
  type_line (g, x + 66, 140, 10, "which holds for lorem");
  l = dp_layout_page (glyph_page_done (g), NULL);
  g_assert_true (has_inline (l, "f=\\frac{a+b+c+a+b+c+a+bc}{2}"));
  glyph_page_free (g);
}

/* A sum sign hangs from a baseline above its line; the small print under it goes with it. */
static void
test_limits (void)
{
  GlyphPage *g = page_new ();
  g_autoptr (DpPageLayout) l = NULL;
  float x;

  name_font (g, BOLD, "CMEX10");
  type_prose (g, 50, 100, 10, 12, 2, 60, "a");
  x = type_at (g, 50, 142, 10, "so that ", 0, 0, 0, 0.5f);
  x = piece (g, ITALIC, x, 142, 10, "y", DP_GLYPH_SPACE);
  x = piece (g, ROMAN, x + 3, 142, 10, "=", DP_GLYPH_SPACE) + 3;
  piece (g, BOLD, x, 134.5f, 10, "P", DP_GLYPH_SPACE | DP_GLYPH_BREAK);
  g_array_index (g->glyphs, DpGlyph, g->glyphs->len - 1).box.x1 = x + 10.56f; /* as it advances in cmex10 */
  piece (g, ITALIC, x + 2, 151, 7, "k", DP_GLYPH_SPACE | DP_GLYPH_BREAK);
  x = piece (g, ITALIC, x + 12, 142, 10, "z", DP_GLYPH_SPACE);
  type_line (g, x + 5, 142, 10, "which holds for lorem");
  l = dp_layout_page (glyph_page_done (g), NULL);
  g_assert_cmpuint (l->inlines->len, ==, 1);
  g_assert_cmpstr (((const DpInlineFormula *) l->inlines->pdata[0])->latex, ==, "y=\\sum_{k}z");
  glyph_page_free (g);
}

static void
test_inline (void)
{
  GlyphPage *g = page_new ();
  g_autoptr (DpPageLayout) l = NULL;
  g_autoptr (GPtrArray) spans = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_span_free);
  const DpLine *line = NULL;
  float x;
  guint n;

  type_prose (g, 50, 100, 10, 12, 2, 60, "a");
  x = type_at (g, 50, 124, 10, "so that ", 0, 0, 0, 0.5f);
  x = piece (g, ITALIC, x, 124, 10, "x", 0);
  x = piece (g, ITALIC, x, 126, 7, "i", DP_GLYPH_SPACE);
  x = piece (g, SYMBOL, x + 3, 124, 10, "\342\211\244", DP_GLYPH_SPACE);
  x = piece (g, ROMAN, x + 3, 124, 10, "2,", DP_GLYPH_SPACE);
  type_line (g, x + 5, 124, 10, "which holds for lorem");
  type_prose (g, 50, 136, 10, 12, 3, 60, "b");
  l = dp_layout_page (glyph_page_done (g), NULL);
  find_formula (l, &n);
  g_assert_cmpuint (n, ==, 0);
  for (guint i = 0; i < l->lines->len && !line; i++)
    if (g_array_index (l->lines, DpLine, i).baseline == 124)
      line = &g_array_index (l->lines, DpLine, i);
  g_assert_nonnull (line);
  dp_words_to_spans (l, line->first_word, line->n_words, spans, FALSE);
  g_assert_cmpuint (spans->len, ==, 3);
  g_assert_cmpstr (((DpSpan *) g_ptr_array_index (spans, 0))->text, ==, "so that ");
  g_assert_cmpstr (((DpSpan *) g_ptr_array_index (spans, 1))->text, ==, "x_{i}\\leq2");
  g_assert_cmpuint (((DpSpan *) g_ptr_array_index (spans, 1))->style, ==, DP_SPAN_FORMULA);
  g_assert_cmpstr (((DpSpan *) g_ptr_array_index (spans, 2))->text, ==, ", which holds for lorem");
  glyph_page_free (g);
}

/* Lone Greek letters, numbers and emphasis are no formulas. */
static void
test_prose (void)
{
  GlyphPage *g = page_new ();
  g_autoptr (DpPageLayout) l = NULL;
  guint n;
  float x;

  type_prose (g, 50, 100, 10, 12, 3, 60, "a");
  x = type_at (g, 50, 136, 10, "the angle ", 0, 0, 0, 0.5f);
  x = piece (g, ITALIC, x, 136, 10, "\316\261", DP_GLYPH_SPACE);
  type_line (g, x + 5, 136, 10, "of table 3 is 40 lorem ipsum dolor");
  type_prose (g, 50, 148, 10, 12, 3, 60, "b");
  l = dp_layout_page (glyph_page_done (g), NULL);
  find_formula (l, &n);
  g_assert_cmpuint (n, ==, 0);
  g_assert_cmpuint (l->inlines->len, ==, 0);
  glyph_page_free (g);
}

/* Glyphs that nobody can explain leave no LaTeX: a picture shows them. */
static void
test_unreadable (void)
{
  GlyphPage *g = page_new ();
  g_autoptr (DpPageLayout) l = NULL;
  const DpRegion *formula;
  guint n;

  type_prose (g, 50, 100, 10, 12, 4, 60, "a");
  piece (g, ITALIC, 180, 170, 10, "y", DP_GLYPH_SPACE);
  piece (g, ROMAN, 188, 170, 10, "=", DP_GLYPH_SPACE);
  piece (g, SYMBOL, 197, 170, 10, "\356\200\200\356\200\201", DP_GLYPH_SPACE | DP_GLYPH_BREAK);
  type_prose (g, 50, 200, 10, 12, 4, 60, "b");
  l = dp_layout_page (glyph_page_done (g), NULL);
  formula = find_formula (l, &n);
  g_assert_cmpuint (n, ==, 1);
  g_assert_null (formula->latex);
  g_assert_cmpuint (formula->lines->len, ==, 1);
  glyph_page_free (g);
}

/* Symbols of TeX's fonts in the cells of a table; numbers with a sign and brackets around a formula stay text. */
static void
test_cells (void)
{
  static const char *want[] = { "name",
                                "value",
                                "a",
                                "$\\gamma$",
                                "b",
                                "\342\210\222"
                                "3.5",
                                "c",
                                "($k\\leq2$)" };
  GlyphPage *g = page_new ();
  g_autoptr (DpPageLayout) l = NULL;
  const DpTable *table = NULL;
  float x;

  for (guint i = 0; i < 3; i++)
    draw_path (g, DP_PATH_HLINE, (DpRect){ 95, (float[]){ 100, 117, 165 }[i] - 0.25f, 300, (float[]){ 100, 117, 165 }[i] + 0.25f }, 0);
  for (guint i = 0; i < 4; i++)
    piece (g, ROMAN, 100, 112 + 15 * (float) i, 10, want[2 * i], DP_GLYPH_SPACE | DP_GLYPH_BREAK);
  piece (g, ROMAN, 250, 112, 10, "value", DP_GLYPH_SPACE | DP_GLYPH_BREAK);
  piece (g, ITALIC, 250, 127, 10, "\316\263", DP_GLYPH_SPACE | DP_GLYPH_BREAK);
  x = piece (g, SYMBOL, 250, 142, 10, "\342\210\222", 0);
  piece (g, ROMAN, x, 142, 10, "3.5", DP_GLYPH_SPACE | DP_GLYPH_BREAK);
  x = piece (g, ROMAN, 250, 157, 10, "(", 0);
  x = piece (g, ITALIC, x, 157, 10, "k", 0);
  x = piece (g, SYMBOL, x, 157, 10, "\342\211\244", 0);
  piece (g, ROMAN, x, 157, 10, "2)", DP_GLYPH_SPACE | DP_GLYPH_BREAK);
  l = dp_layout_page (glyph_page_done (g), NULL);
  for (guint i = 0; i < l->regions->len; i++)
    if (g_array_index (l->regions, DpRegion, i).kind == DP_REGION_TABLE)
      table = g_array_index (l->regions, DpRegion, i).table;
  g_assert_nonnull (table);
  g_assert_cmpuint (table->cells->len, ==, 8);
  for (guint i = 0; i < 8; i++) {
    const DpCell *cell = g_ptr_array_index (table->cells, i);
    g_autoptr (GString) text = g_string_new (NULL);
    for (guint k = 0; k < cell->spans->len; k++) {
      const DpSpan *span = g_ptr_array_index (cell->spans, k);
      g_string_append_printf (text, span->style & DP_SPAN_FORMULA ? "$%s$" : "%s", span->text);
    }
    g_assert_cmpstr (text->str, ==, want[i]);
  }
  glyph_page_free (g);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/formulas/display", test_display);
  g_test_add_func ("/formulas/root", test_root);
  g_test_add_func ("/formulas/long-fraction", test_long_fraction);
  g_test_add_func ("/formulas/limits", test_limits);
  g_test_add_func ("/formulas/inline", test_inline);
  g_test_add_func ("/formulas/placeholder", test_placeholder);
  g_test_add_func ("/formulas/shifted-name", test_shifted_name);
  g_test_add_func ("/formulas/prose", test_prose);
  g_test_add_func ("/formulas/unreadable", test_unreadable);
  g_test_add_func ("/formulas/cells", test_cells);
  return g_test_run ();
}
