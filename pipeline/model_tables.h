/* pipeline/model_tables.h - cells of tables that go on over page breaks. */
#pragma once

#include "layout/layout.h"
#include "vlm/engine.h"

G_BEGIN_DECLS

/* Asks for every two tables that may be one (last of a page, first of the next, dp_tables_belong()) which cells of the boundary rows
 * belong together, and moves their texts up; a row that is empty then goes.  That the tables become one is dp_layout_document()'s work. */
void dp_model_merge_tables (DpPageLayout *const *layouts, guint n, DpAnswerer *answerer);

/* One pair: flags[k] is 1 where cell k of row `row` of b goes on with cell k of a's last row. */
void dp_model_merge_rows (DpTable *a, DpTable *b, guint row, const guint8 *flags, guint n);

G_END_DECLS
