/* output/tables.h - inside the room: tables as HTML, as pipes, as rows of text. */
#pragma once

#include "output/inlines.h"
#include "output/output.h"

G_BEGIN_DECLS

/* The table's cells by place.  A grid is what the writers trust: cells that lie outside or
 * on top of others are left out of it, and it is at most a few million places big. */
typedef struct {
  guint n_rows, n_cols;
  DpCell **places;              /* n_rows * n_cols: the cell that begins there, or NULL */
  guint8 *covered;              /* 1 = lies under a span that began elsewhere */
  guint *row_spans, *col_spans; /* of the cell that begins there, cut at the grid's edge */
} DpCellGrid;

DpCellGrid *dp_cell_grid_new (const DpTable *table);
void dp_cell_grid_free (DpCellGrid *grid);

/* One line per row, spans as attributes, no blank line inside; no line feed at the end. */
char *dp_table_html (const DpTable *table, const DpInlineContext *context);

/* GFM's pipe table; an empty header row if the table has none. */
char *dp_table_pipe (const DpTable *table, const DpInlineContext *context);

/* Says whether pipes can say everything the table says. */
gboolean dp_table_fits_pipe (const DpTable *table);

/* Rows of cells separated by tabs. */
char *dp_table_text (const DpTable *table);

/* Spans as HTML: entities, <br>, the tags of their styles. */
char *dp_spans_html (const GPtrArray *spans, const DpInlineContext *context);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpCellGrid, dp_cell_grid_free)

G_END_DECLS
