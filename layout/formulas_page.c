/* layout/formulas_page.c - gathers a page's glyphs as atoms, its short strokes as bars.
 *
 * Words hold text only, and large operators often have no character at all: formulas are read
 * from the glyphs themselves.  A page without a glyph that only formulas have is left alone.
 */
#include "layout/formulas.h"
#include "layout/math_extension.h"
#include "layout/text.h"

#include <math.h>
#include <string.h>

#define MOST_BARS 4000u /* strokes; a page with more of them is a drawing */
#define THICKEST 1.6f   /* points */

/* ---- atoms ------------------------------------------------------------------------------------- */

/* 1: only formulas have it; 2: a letter, figure or operator that a formula may have. */
static guint8
evidence_of (DpMathFont font, const DpMathAtom *atom, const DpGlyph *glyph)
{
  gunichar c = glyph->code;

  if (atom->kind == DP_ATOM_PIECE)
    return 1;
  switch (font) {
  case DP_MATH_FONT_ABX:
  case DP_MATH_FONT_EXTENSION:
  case DP_MATH_FONT_FRAKTUR:
  case DP_MATH_FONT_SCRIPT:
  case DP_MATH_FONT_BLACKBOARD: return 1;
  case DP_MATH_FONT_ITALIC: return atom->kind == DP_ATOM_PUNCT ? 2 : 1;
  case DP_MATH_FONT_SYMBOL:
    /* Bullets, stars, daggers and bars serve in prose, too. */
    return atom->ch == 0x2022 || atom->ch == 0xb7 || atom->ch == 0x2217 || atom->ch == 0x2020 || atom->ch == 0x2021 || atom->ch == 0xa7
                   || atom->ch == 0x25e6 || atom->kind == DP_ATOM_FENCE || atom->ch == '{' || atom->ch == '}'
               ? 2
               : 1;
  default: break;
  }
  if (dp_math_is_symbol (c) && !(c >= 0x2190 && c <= 0x2199))
    return 1;
  if (c >= 0x370 && c <= 0x3ff && g_unichar_isalpha (c))
    return font == DP_MATH_FONT_NONE ? 2 : 1;
  if (g_unichar_isdigit (c) || atom->kind != DP_ATOM_ORD || (c < 0x80 && strchr ("/!'", (int) c)))
    return 2;
  return g_unichar_isalpha (c) && c < 0x250 ? 0 : 2;
}

static gboolean
is_copy (const DpMathAtom *a, const DpMathAtom *b)
{
  return a->ch == b->ch && fabsf (a->box.x0 - b->box.x0) < 0.1f * a->size && fabsf (a->base - b->base) < 0.2f * a->size;
}

static gboolean
is_shown (const DpGlyph *glyph, const guint8 *hidden, gsize i)
{
  return !(hidden && hidden[i]) && glyph->angle == 0 && !(glyph->flags & DP_GLYPH_VERTICAL) && isfinite (glyph->baseline)
         && isfinite (glyph->box.x0 + glyph->box.x1 + glyph->box.y0 + glyph->box.y1) && glyph->size > 0 && glyph->size < 1000;
}

static gboolean
has_evidence (const DpPage *page, const DpMathFont *fonts)
{
  for (gsize i = 0; i < page->n_fonts; i++)
    if (fonts[i] != DP_MATH_FONT_NONE && fonts[i] != DP_MATH_FONT_ROMAN)
      return TRUE;
  for (gsize i = 0; i < page->n_glyphs; i++)
    if (page->glyphs[i].code >= 0x2032 && dp_math_is_symbol (page->glyphs[i].code))
      return TRUE;
  return FALSE;
}

static void
gather_atoms (DpFormulaPage *p, const DpPage *page, const guint8 *hidden, const DpMathFont *fonts, const guint32 *word_of)
{
  DpMathNumbers *numbers = dp_math_numbers_new (page, fonts);

  for (gsize i = 0; i < page->n_glyphs; i++) {
    DpGlyph mended = page->glyphs[i];
    const DpGlyph *glyph = &mended;
    DpMathFont font = glyph->font < page->n_fonts ? fonts[glyph->font] : DP_MATH_FONT_NONE;
    const char *name = glyph->font < page->n_fonts ? dp_page_string (page, page->fonts[glyph->font].name) : "";
    DpMathAtom atom, *last = p->atoms->len ? &g_array_index (p->atoms, DpMathAtom, p->atoms->len - 1) : NULL;
    guint at = p->atoms->len;
    guint8 evidence;

    /* The layer writes accents behind their letters and halves the box between the two. */
    if (i && last && dp_text_is_mark (glyph->code) && glyph->code != 0x338 && fabsf (glyph->box.x0 - last->box.x1) < 0.1f * last->size) {
      last->accent = glyph->code;
      last->box.x1 = MAX (last->box.x1, glyph->box.x1);
      last->space = (glyph->flags & (DP_GLYPH_SPACE | DP_GLYPH_BREAK)) != 0;
      continue;
    }
    if (!is_shown (glyph, hidden, i))
      continue;
    dp_math_numbers_mend (numbers, &mended);
    atom = dp_math_atom (font, name, glyph);
    if (last && is_copy (last, &atom))
      continue;
    evidence = evidence_of (font, &atom, glyph);
    g_array_append_val (p->atoms, atom);
    g_array_append_val (p->evidence, evidence);
    p->n_evidence += evidence == 1;
    if (word_of[i]) {
      DpAtomRange *range = &p->words[word_of[i] - 1];
      if (!range->n)
        range->first = at;
      range->n = at + 1 - range->first;
    } else if (evidence == 1)
      g_array_append_val (p->orphans, at);
  }
  dp_math_numbers_free (numbers);
}

/* ---- bars ----------------------------------------------------------------------------------------- */

static int
by_pos (gconstpointer a, gconstpointer b)
{
  const DpRule *x = a, *y = b;

  return x->pos < y->pos ? -1 : x->pos > y->pos;
}

static void
gather_bars (DpFormulaPage *p, const DpPage *page)
{
  for (gsize i = 0; i < page->n_paths; i++) {
    const DpPath *path = &page->paths[i];
    DpRule bar = { 0.5f * (path->box.y0 + path->box.y1), path->box.x0, path->box.x1, path->box.y1 - path->box.y0, path->colour };
    float length = bar.to - bar.from;

    if (path->kind == DP_PATH_HLINE && bar.thickness <= THICKEST && length > 1.5f && length < 0.9f * page->width && path->alpha > 0.1f
        && isfinite (bar.pos))
      g_array_append_val (p->bars, bar);
    if (p->bars->len > MOST_BARS) {
      g_array_set_size (p->bars, 0);
      return;
    }
  }
  g_array_sort (p->bars, by_pos);
}

guint
dp_formula_bar_at (const DpFormulaPage *page, float y)
{
  return dp_rules_from (page->bars, y);
}

guint
dp_formula_orphan_at (const DpFormulaPage *page, float y)
{
  guint lo = 0, hi = page->orphans->len;

  while (lo < hi) {
    guint mid = lo + (hi - lo) / 2;
    if (dp_formula_atom (page, g_array_index (page->orphans, guint, mid))->box.y0 < y)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* ---- the page ----------------------------------------------------------------------------------------- */

static int
by_height (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpFormulaPage *p = data;
  float x = dp_formula_atom (p, *(const guint *) a)->box.y0, y = dp_formula_atom (p, *(const guint *) b)->box.y0;

  return x < y ? -1 : x > y;
}

DpFormulaPage *
dp_formula_page_new (DpPageLayout *layout, const DpPage *page, const guint8 *hidden)
{
  g_autofree DpMathFont *fonts = g_new0 (DpMathFont, page->n_fonts + 1);
  g_autofree guint32 *word_of = NULL;
  DpFormulaPage *p;

  for (gsize i = 0; i < page->n_fonts; i++)
    fonts[i] = dp_math_font (dp_page_string (page, page->fonts[i].name));
  if (!has_evidence (page, fonts))
    return NULL;
  word_of = g_new0 (guint32, page->n_glyphs + 1);
  p = g_new0 (DpFormulaPage, 1);
  p->layout = layout;
  for (gsize i = 0; i < page->n_fonts; i++)
    p->tex |= fonts[i] == DP_MATH_FONT_ITALIC || fonts[i] == DP_MATH_FONT_SYMBOL || fonts[i] == DP_MATH_FONT_UNICODE;
  p->atoms = g_array_new (FALSE, FALSE, sizeof (DpMathAtom));
  p->evidence = g_array_new (FALSE, FALSE, sizeof (guint8));
  p->orphans = g_array_new (FALSE, FALSE, sizeof (guint));
  p->bars = g_array_new (FALSE, FALSE, sizeof (DpRule));
  p->words = g_new0 (DpAtomRange, layout->words->len + 1);
  p->roles = g_new0 (guint8, layout->words->len + 1);
  for (guint w = 0; w < layout->words->len; w++) {
    const DpWord *word = &g_array_index (layout->words, DpWord, w);
    for (gsize g = word->first_glyph; g < (gsize) word->first_glyph + word->n_glyphs && g < page->n_glyphs; g++)
      word_of[g] = w + 1;
  }
  gather_atoms (p, page, hidden, fonts, word_of);
  g_array_sort_with_data (p->orphans, by_height, p);
  gather_bars (p, page);
  if (!p->n_evidence) {
    dp_formula_page_free (p);
    return NULL;
  }
  return p;
}

void
dp_formula_page_free (DpFormulaPage *page)
{
  if (!page)
    return;
  g_array_unref (page->atoms);
  g_array_unref (page->evidence);
  g_array_unref (page->orphans);
  g_array_unref (page->bars);
  g_free (page->words);
  g_free (page->roles);
  g_free (page);
}

void
dp_formula_add_word (const DpFormulaPage *page, guint word, GArray *atoms)
{
  const DpAtomRange *range = &page->words[word];

  if (range->n)
    g_array_append_vals (atoms, dp_formula_atom (page, range->first), range->n);
}

/* ---- words --------------------------------------------------------------------------------------------- */

/* No function has a longer name. */
#define LONGEST_NAME 6u

/* A word of a few letters that names a function. */
static gboolean
names_function (const DpFormulaPage *page, const DpAtomRange *range)
{
  char name[LONGEST_NAME * 6 + 1];
  gint n = 0;

  for (guint i = range->first; i < range->first + range->n; i++)
    if (g_array_index (page->evidence, guint8, i) == 0)
      n += g_unichar_to_utf8 (dp_formula_atom (page, i)->ch, name + n);
  name[n] = '\0';
  return dp_latex_is_function (name);
}

static DpWordRole
role_of (const DpFormulaPage *page, const DpAtomRange *range)
{
  guint math = 0, letters = 0, italic = 0, bold = 0, greek = 0;

  for (guint i = range->first; i < range->first + range->n; i++) {
    const DpMathAtom *atom = dp_formula_atom (page, i);
    guint8 evidence = g_array_index (page->evidence, guint8, i);
    math += evidence == 1;
    letters += evidence == 0;
    italic += evidence == 0 && (atom->face == DP_FACE_ITALIC || atom->face == DP_FACE_BOLD_ITALIC);
    bold += evidence == 0 && atom->face == DP_FACE_BOLD;
    greek += evidence == 2 && atom->ch >= 0x370 && atom->ch <= 0x3ff;
  }
  if (math || (greek && greek <= 2 && letters == 0))
    return math >= letters ? DP_WORD_MATH : DP_WORD_PROSE;
  if (letters == 0)
    return range->n ? DP_WORD_NEUTRAL : DP_WORD_PROSE;
  if (letters == 1)
    return italic || bold || range->n > 1 ? DP_WORD_NEUTRAL : DP_WORD_PROSE;
  return !italic && letters <= LONGEST_NAME && names_function (page, range) ? DP_WORD_NEUTRAL : DP_WORD_PROSE;
}

DpWordRole
dp_formula_word_role (const DpFormulaPage *page, guint word)
{
  guint8 *role = &page->roles[word];

  if (!*role)
    *role = (guint8) (1 + role_of (page, &page->words[word]));
  return (DpWordRole) (*role - 1);
}
