/* output/md_inlines.h - inside the room: the inlines of one block, flattened for escaping. */
#pragma once

#include <cmark.h>

#include "output/md_escape.h"

G_BEGIN_DECLS

/* Appends the inline nodes below block to inlines: text as text, the rest as markup.
 * With one_line a line break becomes a space; plain leaves all markup but formulas and
 * note marks out. */
void dp_md_flatten (cmark_node *block, gboolean one_line, gboolean plain, DpMdInlines *inlines);

G_END_DECLS
