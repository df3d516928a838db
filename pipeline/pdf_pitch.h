/* pipeline/pdf_pitch.h - fixed-pitch faces known by their advances. */
#pragma once

#include "pipeline/pdf_extract.h"

/* Marks the fonts of a page, and all their glyphs, as DP_GLYPH_MONO where narrow and wide letters advance alike. */
void dp_pdf_mark_pitch (DpPageArrays *page);
