/* vlm/protocols/mineru_rows.h - lines of Markdown tables, shared by charts and tables that a picture turned out to be. */
#pragma once

#include "vlm/protocols/text.h"

G_BEGIN_DECLS

/* The line without blanks and without one outer bar at each end. */
DpSpan dp_markdown_inner (DpSpan line);

/* Parts between bars, escaped or not. */
guint dp_markdown_count (DpSpan line);

/* | --- | :---: | with at least two columns. */
gboolean dp_markdown_is_separator (DpSpan line);

/* A bar and at least two columns. */
gboolean dp_markdown_is_row (DpSpan line);

/* A sound row's cells (char *, stripped, \| as |); g_ptr_array_unref(). */
GPtrArray *dp_markdown_cells (DpSpan line);

G_END_DECLS
