/* output/tree.h - inside the room: a document as a libcmark tree. */
#pragma once

#include <cmark.h>

#include "output/inlines.h"
#include "output/output.h"

G_BEGIN_DECLS

/* Grows the tree that Markdown and HTML are printed from.  Nodes that hold a block's text
 * carry the DpBlock as user data.  options is never NULL.  The caller frees the node. */
cmark_node *dp_tree_new (DpDocument *document, const DpOutputOptions *options, DpInto into);

/* Is the block printed at all with these options? */
gboolean dp_output_is_kept (const DpOutputOptions *options, const DpBlock *block);

/* The user's text for the page that begins: %n is its number, %% a percent sign. */
char *dp_page_break_text (const char *format, guint number);

G_END_DECLS
