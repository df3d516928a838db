/* layout/tags.h - inside the pass that reads the structure tree of a tagged PDF.
 *
 * tags.c finds headings by their text; tag_places.c finds for each line the element that it stands in, where the PDF
 * stage knows the places of marked content, and tag_blocks.c takes headings, list items and artifacts from it.
 */
#pragma once

#include "layout/flow.h"

G_BEGIN_DECLS

/* Level of a heading tag, 0 for other kinds. */
guint dp_tag_heading_level (const DpTag *tag);

typedef struct {
  gint first;        /* index of the innermost element of the line's first piece; -1: artifact; -2: not known */
  gint last;         /* the same of its last piece */
  gint body;         /* first element on the line that is another than first; -2: none */
  float body_x;      /* where that begins */
  gboolean artifact; /* all its pieces are artifacts */
} DpLineTags;

/* One for each entry of the flow; the caller frees. */
DpLineTags *dp_tag_places (const DpFlow *flow);

/* The document's marks by page, then downwards, then to the right (DpMark); the caller unrefs. */
GArray *dp_tag_marks_sorted (const DpDocumentInfo *info);
/* Of such marks the element of the last piece that begins at or before x on that baseline; -1 = none. */
gint dp_tag_mark_before (const GArray *marks, guint page, float x, float baseline, float size);

/* Index of the element above each, -1 = none; the caller frees. */
gint *dp_tag_parents (const GArray *tags);

/* Replaces what was found in the place of tables that the tree describes soundly (tag_tables.c).  Before the flow is made;
 * pages: DpPageLayout. */
void dp_tag_tables (GPtrArray *pages, const DpDocumentInfo *info);

/* Gives lines the roles that a sane tree says; nothing where it is not. */
void dp_tag_blocks (DpFlow *flow);

G_END_DECLS
