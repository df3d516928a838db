/* layout/latex.h - inside the room: glyphs of a formula -> expression tree -> LaTeX.
 *
 *   math_fonts.c    what a glyph of a mathematical font stands for and how far its ink reaches
 *   latex_bars.c    fraction bars, radicals, over- and underlines
 *   latex_tree.c    accents, limits, fences, rows of matrices, scripts
 *   latex_print.c   tree -> LaTeX; latex_symbols.c: Unicode -> commands
 *
 * The text layer of a formula gives characters and places but no structure; TeX's rules for
 * setting one (Knuth, The TeXbook, appendix G) are so regular that they can be read backwards.
 * Space: points, y down, upright text only.
 */
#pragma once

#include "layout/layout.h"

G_BEGIN_DECLS

/* ---- fonts ------------------------------------------------------------------------------- */

typedef enum {
  DP_MATH_FONT_NONE,       /* a text font */
  DP_MATH_FONT_ITALIC,     /* TeX's OML: letters are variables */
  DP_MATH_FONT_SYMBOL,     /* OMS: capitals are calligraphic */
  DP_MATH_FONT_EXTENSION,  /* OMX: large operators and delimiters, codes as in the encoding */
  DP_MATH_FONT_BLACKBOARD, /* MSBM */
  DP_MATH_FONT_FRAKTUR,
  DP_MATH_FONT_SCRIPT,
  DP_MATH_FONT_ROMAN,   /* upright companion of a mathematical family */
  DP_MATH_FONT_UNICODE, /* OpenType MATH: Unicode's own alphabets */
  DP_MATH_FONT_PI,      /* Symbol and the like */
  DP_MATH_FONT_ABX,     /* mathabx: symbols under the names of letters */
} DpMathFont;

/* The family by the font's name, as TeX's, Word's and Adobe's fonts are called. */
DpMathFont dp_math_font (const char *name);

/* ---- atoms -------------------------------------------------------------------------------- */

typedef enum {
  DP_ATOM_ORD,
  DP_ATOM_OP, /* large operator */
  DP_ATOM_REL,
  DP_ATOM_BIN,
  DP_ATOM_OPEN,
  DP_ATOM_CLOSE,
  DP_ATOM_FENCE, /* opens or closes: | and || */
  DP_ATOM_PUNCT,
  DP_ATOM_PIECE, /* part of a tall delimiter */
  DP_ATOM_RADICAL,
  DP_ATOM_ACCENT, /* ch is the combining character; stands above what it belongs to */
  DP_ATOM_SLASH,  /* strikes the next character out: not */
  DP_ATOM_BAD,    /* nobody can say what it is */
} DpAtomKind;

typedef enum {
  DP_FACE_ITALIC,
  DP_FACE_ROMAN,
  DP_FACE_BOLD,
  DP_FACE_BOLD_ITALIC,
  DP_FACE_CALLIGRAPHIC,
  DP_FACE_FRAKTUR,
  DP_FACE_BLACKBOARD,
  DP_FACE_SANS,
  DP_FACE_MONO,
} DpFace;

typedef struct {
  DpRect box;      /* estimated ink */
  float base;      /* baseline */
  float size;      /* em */
  gunichar ch;     /* plain character; for a PIECE the delimiter it is part of */
  gunichar accent; /* combining character over or under it, or 0 */
  guint8 kind;     /* DpAtomKind */
  guint8 face;     /* DpFace */
  guint8 big;      /* cut for a size: large delimiter, display operator */
  guint8 space;    /* the text layer has a space behind it */
} DpMathAtom;

/* What glyph (of a font of that family and name) stands for. */
DpMathAtom dp_math_atom (DpMathFont font, const char *name, const DpGlyph *glyph);

/* TRUE for a character that prose has no use for: operators, relations, arrows, mathematical letters. */
gboolean dp_math_is_symbol (gunichar c);

/* ---- LaTeX ---------------------------------------------------------------------------------- */

typedef struct {
  gboolean structured; /* has scripts, fractions, roots, accents, fences or letters of a special alphabet */
  gboolean relates;    /* has a relation or an operator */
  float quality;       /* 0..1: below 0.5 the text is not to be trusted */
} DpLatexFacts;

#define DP_LATEX_MOST_ATOMS 1500u /* a longer formula is not parsed: quality 0 */

/* LaTeX of the atoms (any order) and the bars (page space rules) among them; the caller frees. */
char *dp_latex_new (const DpMathAtom *atoms, guint n_atoms, const DpRule *bars, guint n_bars, DpLatexFacts *facts);

/* LaTeX command or character for a character outside of ASCII; NULL if there is none. */
const char *dp_latex_symbol (gunichar c);
/* Command of an accent (combining character), e.g. "\\hat"; wide: over several characters. NULL if none. */
const char *dp_latex_accent (gunichar c, gboolean wide);
/* TRUE for the name of a function that LaTeX has a command for ("sin"). */
gboolean dp_latex_is_function (const char *name);
/* TRUE for functions that take limits ("lim"). */
gboolean dp_latex_takes_limits (const char *name);

G_END_DECLS
