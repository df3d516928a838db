/* layout/formulas.h - a page's glyphs as the formula passes see them.
 */
#pragma once

#include "layout/latex.h"

G_BEGIN_DECLS

typedef struct {
  guint first, n; /* atoms */
} DpAtomRange;

struct DpFormulaPage {
  DpPageLayout *layout;
  GArray *atoms;      /* DpMathAtom, upright glyphs that a reader sees, in the layer's order */
  GArray *evidence;   /* guint8 per atom: 1 = nothing but a formula has it, 2 = may be one's letter or operator, 0 = prose */
  DpAtomRange *words; /* per word of the layout */
  guint8 *roles;      /* per word: 1 + its DpWordRole, 0 = nobody has asked yet */
  GArray *orphans;    /* guint: atoms that are in no word (large operators without a character), by height */
  GArray *bars;       /* DpRule: short horizontal strokes, by height */
  guint n_evidence;   /* atoms of evidence 1 */
  gboolean tex;       /* has letters or symbols of a mathematical font */
};

/* NULL if nothing on the page is part of a formula. */
DpFormulaPage *dp_formula_page_new (DpPageLayout *layout, const DpPage *page, const guint8 *hidden);
void dp_formula_page_free (DpFormulaPage *page);

static inline const DpMathAtom *
dp_formula_atom (const DpFormulaPage *page, guint i)
{
  return &g_array_index (page->atoms, DpMathAtom, i);
}

/* First of the bars or orphans at or below y. */
guint dp_formula_bar_at (const DpFormulaPage *page, float y);
guint dp_formula_orphan_at (const DpFormulaPage *page, float y);

/* Appends the word's atoms. */
void dp_formula_add_word (const DpFormulaPage *page, guint word, GArray *atoms);

typedef enum { DP_WORD_PROSE, DP_WORD_NEUTRAL, DP_WORD_MATH } DpWordRole;

/* MATH: has a glyph that only formulas have; NEUTRAL: digits, brackets, operators, names of
 * functions, lone italic letters; PROSE: everything else. */
DpWordRole dp_formula_word_role (const DpFormulaPage *page, guint word);

/* A fragment that belongs to a formula in another line. */
typedef struct {
  guint host, line; /* indices into the layout's lines */
  DpRect ink;
} DpAttached;

/* All such fragments, by host and left edge; the caller frees (formulas_attached.c). */
GArray *dp_formulas_attached (DpFormulaPage *page);

/* Formulas inside the lines that no region has taken (formulas_inline.c). */
void dp_formulas_inline (DpFormulaPage *page);
/* Formulas among n words of one line of a table's cell.  Where the page has a mathematical font every symbol becomes LaTeX there: a cell
 * that says only "tau" or an arrow has no prose that it could be part of. */
void dp_formulas_in_cell (DpFormulaPage *page, guint first, guint n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpFormulaPage, dp_formula_page_free)

G_END_DECLS
