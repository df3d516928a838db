/* pipeline/model_table.h - tables that a model wrote as HTML, as tables of the document. */
#pragma once

#include "layout/document.h"

G_BEGIN_DECLS

/* Any <table> that a model writes: cells without boxes, spans clipped so that cells cover the grid without overlap, formulas
 * (<eq>) as FORMULA spans, <br> as breaks; th makes a header, as does a full first row of words.  <img src="#N"/> becomes a span of
 * style DP_SPAN_PICTURE with uri "#N".  Tables inside of cells become text.  NULL: no cell in it, or more than a million places. */
DpTable *dp_model_table (const char *html);

/* A Markdown table (a chart's numbers); NULL: it is none. */
DpTable *dp_model_markdown_table (const char *markdown);

/* All text of a table, cells one to a line; caller frees. */
char *dp_model_table_text (const DpTable *table);

G_END_DECLS
