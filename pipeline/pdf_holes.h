/* pipeline/pdf_holes.h - letters that are painted but have no character. */
#pragma once

#include "pipeline/pdf_extract.h"
#include "pipeline/pdf_tap.h"

/* A font with a hole in its ToUnicode map loses letters out of the middle of words, and a reader of
 * the text would never know.  unmapped: indices (guint) of painted, inked tap glyphs that no character
 * was found for.  Where one stands in a line of characters, U+FFFD takes its place; what stands alone
 * (symbols in drawings) or lies under a character's box (/ActualText, shadows) is left alone. */
void dp_pdf_fill_holes (const DpTap *tap, const GArray *unmapped, DpPageArrays *out);
