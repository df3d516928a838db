/* pipeline/pdf_fields.h - what was filled into a form, as characters of the page. */
#pragma once

#include "pipeline/pdf_extract.h"
#include "pipeline/pdf_tap.h"

/* Appends glyphs for the values of out->notes that are fields: for text and choice fields the
 * characters of the value, at the places of the glyphs painted inside the field's box; for
 * check boxes and radio buttons U+2611 or U+2610.  A text field that paints nothing (hidden,
 * or without an appearance) gives none.  used: one byte per tap glyph, 1 = has a character
 * already; set for the glyphs that get one here. */
void dp_pdf_fields (const DpTap *tap, guint8 *used, DpPageArrays *out);
