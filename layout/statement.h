/* layout/statement.h - rows of aligned numbers: the makings of a financial statement.
 *
 * Inside the table passes only: statement_rows.c finds runs of rows, tables_statement.c
 * judges them, adds the header and makes the table.
 */
#pragma once

#include "layout/tables.h"

G_BEGIN_DECLS

#define DP_STATEMENT_NONE G_MAXUINT
#define DP_STATEMENT_HEADING 1.15f /* a line so much larger than the rows is a heading and no label */

typedef struct {
  float x0, x1; /* extent of its numbers */
  float right;  /* where most of them end */
  guint n;
} DpNumberColumn;

typedef struct {
  guint line;     /* of DpTableText.lines */
  guint label;    /* fragment left of the numbers, DP_STATEMENT_NONE = there is none */
  guint first, n; /* fragments that are numbers */
} DpNumberRow;

typedef struct {
  GArray *rows;    /* DpNumberRow, top to bottom */
  GArray *columns; /* DpNumberColumn, left to right */
  float label_x0;  /* left end of the labels */
  float x0, x1;    /* extent of the number columns */
  guint dates;     /* rows with a date before the label */
} DpStatement;

void dp_statement_free (DpStatement *statement);

/* Runs of rows whose numbers stand one below the other (DpStatement, owned by the array). */
GPtrArray *dp_statement_find_rows (const DpTableView *view, const DpTableText *text);

G_END_DECLS
