/* layout/tag_grid.h - inside the pass that takes tables from the structure tree: one table on one page.
 *
 * tag_grid.c reads rows and cells from the tree, fills them with the page's words and says whether that is sound;
 * tag_tables.c puts the tables into the page.
 */
#pragma once

#include "layout/tables.h"
#include "layout/tags.h"

G_BEGIN_DECLS

#define DP_TAG_ALONE 0.93f /* share of the words in a table's box that must be its own */

typedef struct {
  const GArray *tags;
  const gint *parents;
  DpPageLayout *layout;
  const gint *word_tags; /* of each word: its element, -1 = none */
} DpTagPage;

typedef struct {
  gint tag; /* TD or TH */
  guint row, col, row_span, col_span;
  GArray *words; /* DpTableWord, owned */
  DpRect box;    /* of its words */
} DpTagCell;

typedef struct {
  GArray *cells; /* DpTagCell */
  guint n_rows, n_cols;
} DpTagGrid;

typedef struct {
  gint tag; /* of the table */
  DpTagGrid grid;
  guint8 *in_table; /* of each word of the page; owned */
  DpRect box;
  gboolean dropped;
  gint place; /* region that it comes into, or behind */
} DpTagTable;

/* The element is of that kind. */
gboolean dp_tag_is (const DpTagPage *page, gint index, const char *kind);
/* The outermost cell of that table that the element stands in, -1 = none. */
gint dp_tag_cell_in (const DpTagPage *page, gint index, gint table);
/* The word is seen, and its centre lies in the box. */
gboolean dp_tag_holds_word (DpRect box, const DpWord *word);

/* Reads the table that an element is; FALSE, and nothing to clear, if it is none or not sound.  cell_of: for each
 * element -1, before and after. */
gboolean dp_tag_table_read (const DpTagPage *page, gint table, gint *cell_of, DpTagTable *out);
void dp_tag_table_clear (gpointer table);
/* Its cells, and empty ones where the tree has none, in row-major order, with their text; the caller owns it. */
DpTable *dp_tag_table_make (const DpTagPage *page, const DpTagTable *table);

G_END_DECLS
