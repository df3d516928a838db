/* pipeline/pdf_rise.h - how far a character stands above or below its line.
 *
 * PDF's text state has a rise (Ts), but few programs write it: most move the pen, and poppler hands over where a glyph was
 * painted, not why.  So the rise is measured, from what both do alike.
 */
#pragma once

#include "pipeline/pdf_extract.h"

G_BEGIN_DECLS

/* Fills DpGlyph.rise; baselines, sizes, angles and line breaks must be there. */
void dp_pdf_rise (DpPageArrays *out);

G_END_DECLS
