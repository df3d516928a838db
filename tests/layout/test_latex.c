/* tests/layout/test_latex.c - glyphs placed as TeX places them come back as LaTeX.
 *
 * Letters are half an em wide; shifts, bars and heights are those of appendix G of The TeXbook.
 */
#include <string.h>

#include "layout/latex.h"

typedef struct {
  GArray *atoms, *bars;
} Sheet;

static void
sheet_init (Sheet *s)
{
  s->atoms = g_array_new (FALSE, FALSE, sizeof (DpMathAtom));
  s->bars = g_array_new (FALSE, FALSE, sizeof (DpRule));
}

/* Characters of a font from x on, half an em each; returns the place behind them. */
static float
put (Sheet *s, const char *font, const char *text, float x, float base, float size)
{
  for (const char *p = text; *p; p = g_utf8_next_char (p)) {
    DpGlyph g = { .code = g_utf8_get_char (p), .baseline = base, .size = size };
    DpMathAtom atom;
    g.box = (DpRect){ x, base - 0.8f * size, x + 0.5f * size, base + 0.2f * size };
    if (strstr (font, "Bold"))
      g.flags = DP_GLYPH_BOLD;
    atom = dp_math_atom (dp_math_font (font), font, &g);
    g_array_append_val (s->atoms, atom);
    x += 0.5f * size;
  }
  return x;
}

static float
code (Sheet *s, const char *font, gunichar c, float x, float base, float size)
{
  char utf8[8] = { 0 };

  g_unichar_to_utf8 (c, utf8);
  return put (s, font, utf8, x, base, size);
}

static void
bar (Sheet *s, float y, float from, float to)
{
  DpRule rule = { y, from, to, 0.4f, 0 };

  g_array_append_val (s->bars, rule);
}

static void
expect (Sheet *s, const char *want)
{
  DpLatexFacts facts;
  g_autofree char *got
      = dp_latex_new ((const DpMathAtom *) s->atoms->data, s->atoms->len, (const DpRule *) s->bars->data, s->bars->len, &facts);

  g_assert_cmpstr (got, ==, want);
  g_assert_cmpfloat (facts.quality, ==, 1);
  g_array_unref (s->atoms);
  g_array_unref (s->bars);
}

static void
test_scripts (void)
{
  Sheet s;
  float x;

  sheet_init (&s);
  x = put (&s, "CMMI10", "x", 100, 100, 10);
  put (&s, "CMR7", "2", x, 96, 7);
  put (&s, "CMMI7", "i", x, 102.5f, 7);
  x = put (&s, "CMR10", "+", x + 6, 100, 10);
  x = put (&s, "CMMI10", "e", x + 2, 100, 10);
  x = put (&s, "CMMI7", "y", x, 96.4f, 7);
  put (&s, "CMR5", "1", x, 97.4f, 5);
  expect (&s, "x_{i}^{2}+e^{y_{1}}");
  sheet_init (&s);
  x = put (&s, "CMMI10", "f", 100, 100, 10);
  x = put (&s, "CMSY7", "\342\200\262", x, 96.4f, 7);
  put (&s, "CMR10", "(", x, 100, 10);
  expect (&s, "f'(");
}

static void
test_fractions (void)
{
  Sheet s;
  float x;

  sheet_init (&s);
  put (&s, "CMMI10", "a", 102.5f, 93.2f, 10);
  put (&s, "CMMI10", "bc", 100, 106.9f, 10);
  bar (&s, 97.5f, 100, 110);
  x = put (&s, "CMR10", "=", 113, 100, 10);
  put (&s, "CMR10", "1", x + 3, 100, 10);
  expect (&s, "\\frac{a}{bc}=1");
  /* a fraction over a letter: its own bar is the shorter one */
  sheet_init (&s);
  put (&s, "CMMI10", "a", 102, 80, 10);
  bar (&s, 84, 101, 108);
  put (&s, "CMMI10", "b", 102, 93, 10);
  bar (&s, 97.5f, 99.5f, 109.5f);
  put (&s, "CMMI10", "c", 102, 107, 10);
  expect (&s, "\\frac{\\frac{a}{b}}{c}");
}

/* Two rows of small fractions so close that each denominator touches the next numerator. */
static void
test_tight_fractions (void)
{
  Sheet s;

  sheet_init (&s);
  for (guint i = 0; i < 2; i++) {
    float y = 100 + 16.8f * (float) i;
    put (&s, "CMR8", "1", 100, y - 4.3f, 8);
    put (&s, "CMMI8", i ? "q" : "p", 100, y + 3.8f, 8);
    bar (&s, y - 2.8f, 100, 104);
    put (&s, "CMSY10", "\342\211\244", 107, y, 10.9f);
    put (&s, "CMMI10", "t", 116, y, 10.9f);
  }
  expect (&s, "\\begin{aligned}\\frac{1}{p}&\\leq t\\\\ \\frac{1}{q}&\\leq t\\end{aligned}");
}

static void
test_roots (void)
{
  Sheet s;

  sheet_init (&s);
  put (&s, "CMR5", "3", 101.5f, 94, 5);
  code (&s, "CMSY10", 0x221a, 100, 92.4f, 10);
  bar (&s, 92, 105, 116);
  put (&s, "CMMI10", "xy", 105.5f, 100, 10);
  expect (&s, "\\sqrt[3]{xy}");
  sheet_init (&s);
  put (&s, "CMMI10", "z", 100, 100, 10);
  bar (&s, 94, 100, 105);
  expect (&s, "\\overline{z}");
}

static void
test_operators (void)
{
  Sheet s;
  float x;

  sheet_init (&s);
  code (&s, "CMEX10", 0x58, 104, 92, 10); /* hangs from 92 to 106 */
  put (&s, "CMMI7", "n", 104.5f, 90, 7);
  put (&s, "CMMI7", "i", 101, 112, 7);
  put (&s, "CMR7", "=1", 104.5f, 112, 7);
  put (&s, "CMMI10", "k", 115, 100, 10);
  expect (&s, "\\sum_{i=1}^{n}k");
  sheet_init (&s);
  code (&s, "CMEX10", 0x5a, 100, 86, 10);
  put (&s, "CMR7", "0", 103.5f, 107, 7);
  put (&s, "CMR7", "1", 106, 88, 7);
  x = put (&s, "CMMI10", "f", 111, 100, 10);
  put (&s, "CMMI10", "dx", x + 2, 100, 10);
  expect (&s, "\\int_{0}^{1}fdx");
  sheet_init (&s);
  x = put (&s, "CMR10", "lim", 100, 100, 10);
  put (&s, "CMMI7", "x", 102.25f, 107, 7);
  put (&s, "CMSY7", "\342\206\222", 105.75f, 107, 7);
  put (&s, "CMR7", "0", 109.25f, 107, 7);
  put (&s, "CMMI10", "g", x + 2, 100, 10);
  expect (&s, "\\lim_{x\\to0}g");
}

static void
test_cases (void)
{
  Sheet s;
  float x;

  sheet_init (&s);
  x = put (&s, "CMMI10", "s", 80, 100, 10);
  put (&s, "CMR10", "=", x + 3, 100, 10);
  code (&s, "CMEX10", 0x38, 96, 84, 10); /* top, middle, bottom of a brace: 84 to 120 */
  code (&s, "CMEX10", 0x3c, 96, 93, 10);
  code (&s, "CMEX10", 0x3a, 96, 111, 10);
  put (&s, "CMMI10", "a", 104, 92, 10);
  put (&s, "CMR10", "if", 122, 92, 10);
  put (&s, "CMMI10", "b", 135, 92, 10);
  put (&s, "CMMI10", "c", 104, 110, 10);
  put (&s, "CMR10", "otherwise", 122, 110, 10);
  expect (&s, "s=\\begin{cases}a&\\text{if }b\\\\ c&\\mathrm{otherwise}\\end{cases}");
}

static void
test_matrices (void)
{
  Sheet s;

  sheet_init (&s);
  code (&s, "CMEX10", 0x14, 100, 85.5f, 10); /* 23.6 points high */
  put (&s, "CMMI10", "a", 106, 93, 10);
  put (&s, "CMMI10", "b", 121, 93, 10);
  put (&s, "CMMI10", "c", 106, 106, 10);
  put (&s, "CMMI10", "d", 121, 106, 10);
  code (&s, "CMEX10", 0x15, 127, 85.5f, 10);
  expect (&s, "\\begin{bmatrix}a&b\\\\ c&d\\end{bmatrix}");
  sheet_init (&s);
  code (&s, "CMEX10", 0x12, 100, 85.5f, 10);
  put (&s, "CMMI10", "n", 106, 93, 10);
  put (&s, "CMMI10", "k", 106, 106, 10);
  code (&s, "CMEX10", 0x13, 112, 85.5f, 10);
  expect (&s, "\\binom{n}{k}");
  /* code 0 travels as U+0080 */
  sheet_init (&s);
  code (&s, "CMEX10", 0x80, 100, 91.9f, 10);
  put (&s, "CMMI10", "x", 105, 100, 10);
  code (&s, "CMEX10", 0x01, 110, 91.9f, 10);
  put (&s, "CMR7", "2", 115, 94, 7);
  expect (&s, "\\left(x\\right)^{2}");
}

static void
test_faces (void)
{
  Sheet s;
  float x;

  sheet_init (&s);
  x = put (&s, "LMRoman10-Bold", "A", 100, 100, 10);
  x = put (&s, "CMSY10", "F", x, 100, 10);
  x = put (&s, "MSBM10", "R", x, 100, 10);
  x = put (&s, "EUFM10", "g", x, 100, 10);
  x = put (&s, "STIXMath-Regular", "\360\235\221\245\342\204\235", x, 100, 10);
  x = put (&s, "CMMI10", "\317\206\317\265", x, 100, 10); /* AGL's phi and epsilon1 */
  put (&s, "rtxmi", "\317\206", x, 100, 10);
  expect (&s, "\\mathbf{A}\\mathcal{F}\\mathbb{R}\\mathfrak{g}x\\mathbb{R}\\phi\\epsilon\\varphi");
}

static void
test_marks (void)
{
  Sheet s;
  float x;

  sheet_init (&s);
  put (&s, "CMMI10", "u", 100, 100, 10);
  put (&s, "CMR10", "\313\206", 100, 100, 10);
  x = put (&s, "CMSY10", "6", 108, 100, 10);
  put (&s, "CMR10", "=", 108, 100, 10);
  x = put (&s, "CMMI10", "v", x + 3, 100, 10);
  x = put (&s, "CMSY10", "7", x + 3, 100, 10);
  put (&s, "CMSY10", "\342\206\222", x - 5, 100, 10);
  expect (&s, "\\hat{u}\\neq v\\mapsto");
}

static void
test_doubt (void)
{
  DpLatexFacts facts;
  g_autoptr (GArray) many = g_array_new (FALSE, FALSE, sizeof (DpMathAtom));
  Sheet s;
  g_autofree char *a = NULL, *b = NULL, *c = NULL;

  sheet_init (&s);
  put (&s, "CMMI10", "xy", 100, 100, 10);
  code (&s, "CMSY10", 0xfffd, 110, 100, 10);
  a = dp_latex_new ((const DpMathAtom *) s.atoms->data, s.atoms->len, NULL, 0, &facts);
  g_assert_cmpfloat (facts.quality, <, 0.5f);
  g_array_set_size (s.atoms, 2);
  bar (&s, 300, 100, 110);
  b = dp_latex_new ((const DpMathAtom *) s.atoms->data, s.atoms->len, (const DpRule *) s.bars->data, 1, &facts);
  g_assert_cmpfloat (facts.quality, <, 0.5f);
  for (guint i = 0; i <= DP_LATEX_MOST_ATOMS; i++)
    g_array_append_val (many, g_array_index (s.atoms, DpMathAtom, 0));
  c = dp_latex_new ((const DpMathAtom *) many->data, many->len, NULL, 0, &facts);
  g_assert_cmpstr (c, ==, "");
  g_assert_cmpfloat (facts.quality, ==, 0);
  g_array_unref (s.atoms);
  g_array_unref (s.bars);
}

static void
test_symbols (void)
{
  g_assert_cmpstr (dp_latex_symbol (0x3b1), ==, "\\alpha");
  g_assert_cmpstr (dp_latex_symbol (0xa1), ==, "!`");
  g_assert_cmpstr (dp_latex_symbol (0x2ab0), ==, "\\succeq");
  g_assert_null (dp_latex_symbol (0x4e00));
  g_assert_true (dp_latex_is_function ("sin"));
  g_assert_false (dp_latex_takes_limits ("sin"));
  g_assert_true (dp_latex_takes_limits ("lim"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/latex/scripts", test_scripts);
  g_test_add_func ("/latex/fractions", test_fractions);
  g_test_add_func ("/latex/tight-fractions", test_tight_fractions);
  g_test_add_func ("/latex/roots", test_roots);
  g_test_add_func ("/latex/operators", test_operators);
  g_test_add_func ("/latex/cases", test_cases);
  g_test_add_func ("/latex/matrices", test_matrices);
  g_test_add_func ("/latex/faces", test_faces);
  g_test_add_func ("/latex/marks", test_marks);
  g_test_add_func ("/latex/doubt", test_doubt);
  g_test_add_func ("/latex/symbols", test_symbols);
  return g_test_run ();
}
