/* output/tree_lists.h - inside tree.c and tree_lists.c: the tree while it grows. */
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
