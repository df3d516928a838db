/* pipeline/text_layer.h - the words of a page for a searchable PDF (output/searchable.c). */
#pragma once

#include "layout/layout.h"

G_BEGIN_DECLS

/* What a reader of the page sees of its words, in the layout's order: GArray of DpLayerWord, owned by the caller.
 * covered: with the words that lie under its pictures, as those that were read in the pictures of a scan do.
 * first_glyph: only those whose glyphs stand there in the page, or behind. */
GArray *dp_text_layer_of (const DpPageLayout *layout, gboolean covered, gsize first_glyph);

G_END_DECLS
