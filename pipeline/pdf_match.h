/* pipeline/pdf_match.h - characters of the text layer against glyphs that were painted. */
#pragma once

#include "pipeline/pdf_extract.h"
#include "pipeline/pdf_tap.h"

/* For every character of out->glyphs finds the painted glyph at its place and takes over exact
 * size, baseline, angle, colour and paint order; sets UNPAINTED where there is none, COVERED
 * where something opaque came later, VERTICAL and SKEWED by direction.  Counts painted glyphs
 * and those without a character. */
void dp_pdf_match (const DpTap *tap, DpPageArrays *out);
