/* output/md_render.h - inside the room: a libcmark tree as Markdown. */
#pragma once

#include <cmark.h>
#include <glib.h>

G_BEGIN_DECLS

/* Called when a node that carries user data has been written: bytes start..end of out. */
typedef void (*DpMdRange) (gpointer user_data, gsize start, gsize end);

/* The tree below root as Markdown.  CUSTOM_BLOCK, CUSTOM_INLINE, HTML_BLOCK and
 * HTML_INLINE are printed as they are; text is escaped where it needs to be.  Emphasis
 * that CommonMark would not read back is left out, its text stays.  range may be NULL. */
GString *dp_md_render (cmark_node *root, DpMdRange range);

/* The same lines without any markup: for plain text. */
GString *dp_plain_render (cmark_node *root);

/* The inlines below node as one cell of a pipe table. */
void dp_md_render_cell (cmark_node *node, GString *out);

G_END_DECLS
