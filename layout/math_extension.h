/* layout/math_extension.h - the glyphs of TeX's extension fonts (OMX): large operators, delimiters and their pieces. */
#pragma once
#include "layout/latex.h"

typedef struct {
  guint8 first, last;  /* codes */
  gunichar ch;         /* the character; of a piece, the delimiter that it is part of */
  guint8 kind;         /* DpAtomKind */
  float height, depth; /* em over and under the baseline */
} DpMathExtension;

/* What a code of the encoding stands for, or NULL. */
const DpMathExtension *dp_math_extension (gunichar code);

/* The fonts of a page whose glyphs a producer numbered anew; fonts[] says the family of each.  NULL if there is none, as nearly
 * always; caller frees with dp_math_numbers_free(). */
typedef struct DpMathNumbers DpMathNumbers;
DpMathNumbers *dp_math_numbers_new (const DpPage *page, const DpMathFont *fonts);
void dp_math_numbers_free (DpMathNumbers *numbers);

/* Gives a glyph of such a font the code of the encoding, or U+FFFD, and its advance if its box is shared; leaves others alone. */
void dp_math_numbers_mend (const DpMathNumbers *numbers, DpGlyph *glyph);
