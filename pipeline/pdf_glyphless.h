/* pipeline/pdf_glyphless.h - words as content of a PDF that can be found, selected and copied but not seen.
 *
 * Text of rendering mode 3 (ISO 32000-2, 9.3.6) in a font of our own without any ink: Type 3, so that no reader looks for a
 * face, each character half as wide as high, its meaning in /ToUnicode.  Each word is stretched to the place where it stands.
 */
#pragma once

#include "output/output.h"

G_BEGIN_DECLS

typedef struct DpGlyphless DpGlyphless;

/* id: part of the fonts' names, another one for each update of a file. */
DpGlyphless *dp_glyphless_new (guint id);
void dp_glyphless_free (DpGlyphless *fonts);

/* Appends operators that show the words (DpLayerWord); the axes are those of the page, y down.  Fonts are named by
 * dp_glyphless_name(). */
void dp_glyphless_show (DpGlyphless *fonts, const GArray *words, GString *out);

/* Of 255 characters each; those that were shown so far. */
guint dp_glyphless_n_fonts (const DpGlyphless *fonts);
/* In the resources of a page: "/docparse17-0". */
void dp_glyphless_name (const DpGlyphless *fonts, guint font, GString *out);
/* The font's dictionary; numbers of the objects that hold its /ToUnicode and the program of its characters. */
void dp_glyphless_dictionary (const DpGlyphless *fonts, guint font, guint to_unicode, guint program, GString *out);
/* The content of these two streams. */
void dp_glyphless_to_unicode (const DpGlyphless *fonts, guint font, GString *out);
#define DP_GLYPHLESS_PROGRAM "500 0 0 -200 500 800 d1"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpGlyphless, dp_glyphless_free)

G_END_DECLS
