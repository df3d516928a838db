/* pipeline/model_document.h - what holds pages together that a model read one by one. */
#pragma once

#include "layout/layout.h"
#include "vlm/engine.h"

G_BEGIN_DECLS

/* Before the tree is grown.  layouts: n pages in order (those without blocks are passed over); goes_on[i]: page i begins with text that
 * goes on, the model says.  Paragraphs that go on over a page break become one; where a table goes on, the model is asked which cells of
 * its last row do (answerer may be NULL: none), and their texts move up. */
void dp_model_join_pages (DpPageLayout *const *layouts, const gboolean *goes_on, guint n, DpAnswerer *answerer);

/* After it: levels of the headings that models found, from outline, numbers and sizes. */
void dp_model_heading_levels (DpDocument *document);

G_END_DECLS
