/* layout/table_lattice.h - grids of drawn lines, for the finder of ruled tables.
 *
 * Inside the table passes only: table_components.c finds rules and edges of fills that touch,
 * table_lattice.c makes cells of them, tables_ruled.c judges what came out.
 */
#pragma once

#include "layout/tables.h"

G_BEGIN_DECLS

#define DP_LATTICE_TOUCH 4.0f /* rules this far apart still cross: corners are often left open */
#define DP_LATTICE_SNAP 3.0f  /* borders closer than this are one */
#define DP_MAX_COMPONENTS 256u

/* Rules that cross or touch each other, sorted by position. */
typedef struct {
  GArray *h, *v; /* DpRule */
  DpRect box;
} DpRuleComponent;

/* The components of a view (DpRuleComponent, largest first; free with g_array_unref).  Stripes of
 * one table are one component; those it took in are left without rules. */
GArray *dp_rule_components (const DpTableView *view);

/* The cells that a component draws, with those borders too that only the text shows; NULL if
 * there is no grid.  words: DpTableWord inside. */
DpGrid *dp_component_grid (const DpRuleComponent *component, const GArray *words);

G_END_DECLS
