/* pipeline/text_layer.h - the words of a page for a searchable PDF (output/searchable.c). */
#pragma once

#include "layout/layout.h"

G_BEGIN_DECLS

/* What a reader of the page sees of its words, in the layout's order: GArray of DpLayerWord, owned by the caller. */
GArray *dp_text_layer_of (const DpPageLayout *layout);

G_END_DECLS
