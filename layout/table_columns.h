/* layout/table_columns.h - columns of a table while its text is told which of them it fills.
 *
 * Inside the table passes only: table_columns.c finds the columns, table_assign.c puts
 * fragments into them, table_groups.c knows titles over several of them.
 */
#pragma once

#include "layout/tables.h"

G_BEGIN_DECLS

static inline const DpTableColumn *
dp_table_column (const GArray *columns, guint c)
{
  return &g_array_index (columns, DpTableColumn, c);
}

/* Gives fragment the columns whose text it overlaps for a good part; else the one its centre is in. */
void dp_table_set_columns (DpTableFragment *fragment, const GArray *columns);

/* The rule right under line (a header's, by number) that carries fragment as the only title over
 * it; NULL = there is none.  Such a title spans what the rule spans. */
const DpRule *dp_table_group_rule (const DpFrame *frame, const DpTableText *text, guint line, const DpTableFragment *fragment);
void dp_table_span_rule (const DpRule *rule, const GArray *columns, DpTableFragment *fragment);

/* Titles without a rule that stand centred over the columns of the line below.  fragments: the n of
 * one line of the header, fixed: those that a rule has given their columns; below: the next line
 * with more fragments, columns set roughly. */
void dp_table_span_groups (const GArray *columns, DpTableFragment *fragments, const gboolean *fixed, guint n, const DpTableFragment *below,
                           guint n_below, float em);
/* The only text of a line of the body, with its columns: TRUE if it is the title of a group of rows; then it
 * spans all columns, or all but the first.  apart: a rule parts it from other rows. */
gboolean dp_table_is_row_title (const DpFrame *frame, const GArray *columns, DpTableFragment *fragment, gboolean apart, float em);
/* A title over titles that span covers whole groups of them. */
void dp_table_cover_groups (const DpTableText *text, GArray *fragments, guint n_header);

G_END_DECLS
