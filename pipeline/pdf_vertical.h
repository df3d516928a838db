/* pipeline/pdf_vertical.h - which characters run from top to bottom, and their order. */
#pragma once

#include "pipeline/pdf_extract.h"
#include "pipeline/pdf_tap.h"

G_BEGIN_DECLS

/* Marks vertical writing (DP_GLYPH_VERTICAL): upright glyphs of one size one below the other, painted one after the other or
 * following each other in the text.  poppler knows vertical fonts, but programs may as well set upright letters one by one with a
 * horizontal font; its text then runs across the columns.  Columns painted from top to bottom are put into that order, each
 * with all that was painted on it in between (dashes and Latin words that lie on their side).
 * painted: for each character the painted glyph, -1 = none; it holds for the characters as they were. */
void dp_pdf_vertical (const DpTap *tap, const gint *painted, DpPageArrays *out);

G_END_DECLS
