/* layout/addresses.h - addresses that were set with gaps, or divided at the ends of lines, are one word again. */
#pragma once
#include "layout/document.h"

G_BEGIN_DECLS

/* Of every link of the document whose text is its own target but for blanks, the blanks go. */
void dp_document_close_addresses (DpDocument *document);

G_END_DECLS
