/* pipeline/pdf_fonts.h - what a font's PostScript name says. */
#pragma once

#include "layout/page.h"

/* The name without its "ABCDEF+" subset prefix; "" for NULL. Points into name. */
const char *dp_font_base_name (const char *name);

/* DP_GLYPH_BOLD, ITALIC and MONO as the name tells. */
guint dp_font_flags (const char *base_name);
