/* layout/furniture.h - the rows at the edges of pages, as the files furniture*.c see them.
 *
 * A row is what stands at one height of a page.  furniture_rows.c finds the rows, furniture_repeated.c
 * judges them over the document, furniture_page.c those of a page alone by the weights of
 * furniture_weights.c; furniture.c has all of it happen.
 */
#pragma once

#include "layout/flow.h"

G_BEGIN_DECLS

typedef struct {
  guint page;
  gboolean top, object;
  float y0, y1, x0, x1, gap; /* gap: to the next row inwards, points */
  float size;
  gboolean bold;
  GArray *lines; /* guint: entries of the flow */
  char *text, *mask;
  guint n_chars;
  guint rank;       /* 0 = outermost */
  gboolean company; /* its text is a company's name, and this is not the first of several pages */
  gboolean flank;   /* all of it stands in the right third of the page */
  float trim;       /* points that a wide margin around everything takes from the page's height */
  gboolean lonely;  /* its page has too little text to judge by; at the foot its last notes stand apart as well */
  gboolean furniture;
  gboolean behind;   /* a logo or a table stands between it and the edge, or beside it: only other pages can tell */
  gboolean repeated; /* furniture as rows of other pages say the same */
} DpFlowRow;

/* Tables that stand at the head or foot of page after page and say the same become headers and footers (furniture_panels.c). */
void dp_flow_panels (DpFlow *flow);

/* All rows of a page from top to bottom, owned by the array; objects are rows of their own. */
GPtrArray *dp_flow_rows (const DpFlow *flow, guint page);
/* Adds the outermost rows of one side to `out`, which does not own them, and reads their text;
 * `rows` are those of one page. */
void dp_flow_rows_outer (const DpFlow *flow, GPtrArray *rows, gboolean top, GPtrArray *out);

/* Marks outer rows that say the same on several pages; `pages` are arrays of the rows of each. */
void dp_flow_rows_repeated (const DpFlow *flow, GPtrArray *pages, GPtrArray *outer);

/* Distance from the edge, as a share of the page's height, wide margins taken off. */
float dp_flow_row_depth (const DpFlowRow *row, float height);
/* What place, text and face say together, of a page so high whose text has the size `body`:
 * the more, the likelier is furniture. */
float dp_flow_row_weight (const DpFlowRow *row, float height, float body);

/* Marks what looks like furniture among the rows of one side, outermost first, at least one. */
void dp_flow_rows_judge (const DpFlow *flow, GPtrArray *side);

G_END_DECLS
