/* output/tree_parts.h - inside tree*.c: the tree while it grows. */
#pragma once

#include "output/tree.h"

G_BEGIN_DECLS

typedef struct {
  DpDocument *document;
  const DpOutputOptions *options;
  DpInto into;
  DpNotes *notes;
  GPtrArray *waiting; /* DpBlock: footnotes for the end of the section */
  GHashTable *pages;  /* number -> DpPageInfo */
  guint next_page;    /* index of the page that has not begun yet */
} DpTree;

/* Appends the block and all below it to parent. */
void dp_tree_add (DpTree *tree, cmark_node *parent, DpBlock *block, guint depth);

/* Appends the spans of block to node, without the styles in drop_styles. */
void dp_tree_inlines (const DpTree *tree, cmark_node *node, const DpBlock *block, guint drop_styles);

/* Appends a node that prints block (may be NULL) and returns it; raw markup; a comment
 * (words in brackets in plain text); a wrapper that only HTML shows, else parent itself. */
cmark_node *dp_tree_append (cmark_node *parent, cmark_node_type type, DpBlock *block);
void dp_tree_append_raw (cmark_node *parent, const char *raw, DpBlock *block);
void dp_tree_append_comment (const DpTree *tree, cmark_node *parent, const char *text, DpBlock *block);
cmark_node *dp_tree_append_wrapper (const DpTree *tree, cmark_node *parent, const char *open, const char *close);
void dp_tree_drop_if_empty (cmark_node *node);

/* The spans of block as a paragraph, if there are any. */
void dp_tree_add_paragraph (const DpTree *tree, cmark_node *parent, DpBlock *block);

/* A figure or table between its captions; a page that is only a picture, and why. */
void dp_tree_add_figure (DpTree *tree, cmark_node *parent, DpBlock *block, guint depth);
/* A formula that nobody could write as LaTeX as a picture; FALSE if pictures are not printed. */
gboolean dp_tree_add_formula_picture (const DpTree *tree, cmark_node *parent, DpBlock *block);
void dp_tree_add_table (DpTree *tree, cmark_node *parent, DpBlock *block, guint depth);
void dp_tree_add_page_picture (const DpTree *tree, cmark_node *parent, DpBlock *block);

/* A list, nested as it is, with the numbers it has; flat into parent if !open. */
void dp_tree_add_list (DpTree *tree, cmark_node *parent, DpBlock *block, guint depth, gboolean open);

/* The text of an item that stands in no list, its label in front. */
void dp_tree_add_stray_item (DpTree *tree, cmark_node *parent, DpBlock *block);

/* A table of contents as a nested list, page numbers behind the titles. */
void dp_tree_add_toc (DpTree *tree, cmark_node *parent, DpBlock *block);

/* DpNotesInTable: data is the DpTree. */
gboolean dp_tree_table_is_pipe (const DpTable *table, gpointer data);

/* Is the label nothing but a bullet, which a list says by itself? */
gboolean dp_label_is_bullet (const char *label);

/* "12." or "12)" as Markdown says it: its number and delimiter. */
gboolean dp_label_number (const char *label, guint *number, char *delimiter);

G_END_DECLS
