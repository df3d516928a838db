/* layout/table_solver.h - what the two halves of the solver share.
 *
 * Inside the table passes only: table_rows.c makes rows of a frame's lines, table_solve.c
 * makes cells of the rows.
 */
#pragma once

#include "layout/tables.h"

G_BEGIN_DECLS

typedef struct {
  const DpTableView *view;
  const DpFrame *frame;
  DpTableText *text;
  GArray *columns;
  guint n_header; /* lines above the header's rule */
  guint *row_of;  /* per line */
  guint n_rows;
  GArray *floating;    /* DpTableLine: taken out of text->lines */
  GArray *float_above; /* guint: the line each of them follows */
  float pitch;         /* usual distance of full rows, 0 = not known */
  float tight;         /* baselines closer than this are inside a cell; 0 = the pitch is even */
} DpTableSolver;

static inline const DpTableLine *
dp_solver_line (const DpTableSolver *s, guint i)
{
  return &g_array_index (s->text->lines, DpTableLine, i);
}

static inline const DpTableFragment *
dp_solver_fragment (const DpTableSolver *s, guint i)
{
  return &g_array_index (s->text->fragments, DpTableFragment, i);
}

/* Lines above the first full rule, if they can be a header; else 0. */
guint dp_solver_header_lines (const DpTableSolver *s);
/* Fills row_of and n_rows. */
void dp_solver_make_rows (DpTableSolver *s);
/* The longest rule between lines i - 1 and i, or NULL. */
const DpRule *dp_solver_rule_before (const DpTableSolver *s, guint i);
/* TRUE if a rule between the two heights runs over the column. */
gboolean dp_solver_rule_over (const DpTableSolver *s, float top, float bottom, const DpTableColumn *column);
/* TRUE if a fragment of the line fills the column. */
gboolean dp_solver_fills (const DpTableSolver *s, guint line, guint col);

G_END_DECLS
