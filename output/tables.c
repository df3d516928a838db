/* output/tables.c - tables as HTML, as pipes, as rows of text.
 *
 * HTML is what CommonMark offers for spans and for breaks inside a cell (one HTML block:
 * it must hold no blank line); pipes are GFM's table extension, section 4.10.
 */
#include "output/tables.h"

#include <string.h>

#include "output/md_render.h"

/* A page has some thousand words: a bigger grid is damage, not a table. */
#define MAX_PLACES 4000000u

/* ---- the grid ----------------------------------------------------------------------------------- */

static gboolean
place_cell (DpCellGrid *grid, DpCell *cell)
{
  guint rows, cols;

  if (cell->row >= grid->n_rows || cell->col >= grid->n_cols)
    return FALSE;
  rows = CLAMP (cell->row_span, 1, grid->n_rows - cell->row);
  cols = CLAMP (cell->col_span, 1, grid->n_cols - cell->col);
  for (guint r = cell->row; r < cell->row + rows; r++)
    for (guint c = cell->col; c < cell->col + cols; c++)
      if (grid->covered[(gsize) r * grid->n_cols + c])
        return FALSE;
  for (guint r = cell->row; r < cell->row + rows; r++)
    memset (grid->covered + (gsize) r * grid->n_cols + cell->col, 1, cols);
  grid->places[(gsize) cell->row * grid->n_cols + cell->col] = cell;
  grid->row_spans[(gsize) cell->row * grid->n_cols + cell->col] = rows;
  grid->col_spans[(gsize) cell->row * grid->n_cols + cell->col] = cols;
  return TRUE;
}

DpCellGrid *
dp_cell_grid_new (const DpTable *table)
{
  DpCellGrid *grid = g_new0 (DpCellGrid, 1);
  gsize n;

  if (table && table->n_cols && table->n_rows <= MAX_PLACES / table->n_cols) {
    grid->n_rows = table->n_rows;
    grid->n_cols = table->n_cols;
  }
  n = (gsize) grid->n_rows * grid->n_cols;
  grid->places = g_new0 (DpCell *, n + 1);
  grid->covered = g_new0 (guint8, n + 1);
  grid->row_spans = g_new0 (guint, n + 1);
  grid->col_spans = g_new0 (guint, n + 1);
  for (guint i = 0; n && i < table->cells->len; i++)
    place_cell (grid, g_ptr_array_index (table->cells, i));
  return grid;
}

void
dp_cell_grid_free (DpCellGrid *grid)
{
  if (!grid)
    return;
  g_free (grid->places);
  g_free (grid->covered);
  g_free (grid->row_spans);
  g_free (grid->col_spans);
  g_free (grid);
}

/* ---- one cell -------------------------------------------------------------------------------------- */

static cmark_node *
cell_paragraph (const GPtrArray *spans, const DpInlineContext *context)
{
  cmark_node *paragraph = cmark_node_new (CMARK_NODE_PARAGRAPH);

  dp_inlines_append (paragraph, spans, context);
  return paragraph;
}

/* Without the <p> and line feeds that libcmark puts around and into a paragraph. */
char *
dp_spans_html (const GPtrArray *spans, const DpInlineContext *context)
{
  DpInlineContext html = *context;
  cmark_node *paragraph;
  GString *out = g_string_new (NULL);
  char *rendered;
  const char *from, *to;

  html.into = DP_INTO_HTML;
  if (context->into == DP_INTO_MARKDOWN) { /* readers of Markdown look for formulas inside HTML, not for note marks */
    html.dollars = TRUE;
    html.notes = NULL;
  }
  paragraph = cell_paragraph (spans, &html);
  rendered = cmark_render_html (paragraph, CMARK_OPT_UNSAFE);
  from = g_str_has_prefix (rendered, "<p>") ? rendered + 3 : rendered;
  to = g_str_has_suffix (from, "</p>\n") ? from + strlen (from) - 5 : from + strlen (from);
  for (; from < to; from++) {
    if (strncmp (from, "<br />\n", 7) == 0) {
      g_string_append (out, "<br>");
      from += 6;
    } else if (strncmp (from, "&quot;", 6) == 0) {
      g_string_append_c (out, '"');
      from += 5;
    } else {
      g_string_append_c (out, *from);
    }
  }
  cmark_get_default_mem_allocator ()->free (rendered);
  cmark_node_free (paragraph);
  return g_string_free (out, FALSE);
}

/* ---- HTML -------------------------------------------------------------------------------------------- */

/* What a header cell is the head of, as screen readers ask; readers of Markdown are spared it. */
static const char *
scope_of (gboolean header_row, guint row_span, guint col_span)
{
  if (header_row)
    return col_span > 1 ? "colgroup" : "col";
  return row_span > 1 ? "rowgroup" : "row";
}

static void
append_cell_html (GString *out, const DpCellGrid *grid, gsize at, gboolean header, const DpInlineContext *context)
{
  const DpCell *cell = grid->places[at];
  const char *tag = header || (cell && cell->header) ? "th" : "td";
  g_autofree char *text = cell ? dp_spans_html (cell->spans, context) : g_strdup ("");

  g_string_append_printf (out, "<%s", tag);
  if (context->into == DP_INTO_HTML && *text && tag[1] == 'h')
    g_string_append_printf (out, " scope=\"%s\"", scope_of (header, grid->row_spans[at], grid->col_spans[at]));
  if (cell && grid->row_spans[at] > 1)
    g_string_append_printf (out, " rowspan=\"%u\"", grid->row_spans[at]);
  if (cell && grid->col_spans[at] > 1)
    g_string_append_printf (out, " colspan=\"%u\"", grid->col_spans[at]);
  g_string_append_printf (out, ">%s</%s>", text, tag);
}

char *
dp_table_html (const DpTable *table, const DpInlineContext *context)
{
  g_autoptr (DpCellGrid) grid = dp_cell_grid_new (table);
  GString *out = g_string_new ("<table>");

  for (guint r = 0; r < grid->n_rows; r++) {
    g_string_append (out, "\n<tr>");
    for (guint c = 0; c < grid->n_cols; c++) {
      gsize at = (gsize) r * grid->n_cols + c;
      if (grid->places[at] || !grid->covered[at])
        append_cell_html (out, grid, at, r < table->n_header_rows, context);
    }
    g_string_append (out, "</tr>");
  }
  g_string_append (out, "\n</table>");
  return g_string_free (out, FALSE);
}

/* ---- pipes ---------------------------------------------------------------------------------------------- */

static gboolean
cell_fits_pipe (const DpCell *cell)
{
  for (guint i = 0; i < cell->spans->len; i++) {
    const DpSpan *span = g_ptr_array_index (cell->spans, i);
    if (((span->style & DP_SPAN_BREAK) && i > 0) || (span->text && strchr (span->text, '|')))
      return FALSE;
  }
  return TRUE;
}

gboolean
dp_table_fits_pipe (const DpTable *table)
{
  if (!table || table->n_rows < 1 || table->n_cols < 2 || table->n_header_rows > 1 || dp_table_has_spans (table))
    return FALSE;
  for (guint i = 0; i < table->cells->len; i++) {
    const DpCell *cell = g_ptr_array_index (table->cells, i);
    if (!cell_fits_pipe (cell) || (cell->header && cell->row >= table->n_header_rows))
      return FALSE;
  }
  return TRUE;
}

/* Breaks become <br>: the cell is rendered piece by piece. */
static void
append_cell_pipe (GString *out, const DpCell *cell, const DpInlineContext *context)
{
  g_autoptr (GPtrArray) piece = g_ptr_array_new ();
  gsize start = out->len;

  for (guint i = 0; i <= cell->spans->len; i++) {
    const DpSpan *span = i < cell->spans->len ? g_ptr_array_index (cell->spans, i) : NULL;
    if (piece->len && (!span || (span->style & DP_SPAN_BREAK))) {
      cmark_node *paragraph = cell_paragraph (piece, context);
      if (cmark_node_first_child (paragraph)) {
        if (out->len > start)
          g_string_append (out, "<br>");
        dp_md_render_cell (paragraph, out);
      }
      cmark_node_free (paragraph);
      g_ptr_array_set_size (piece, 0);
    }
    if (span)
      g_ptr_array_add (piece, (gpointer) span);
  }
}

static void
append_rule (GString *out, guint n_cols)
{
  g_string_append (out, "\n|");
  for (guint c = 0; c < n_cols; c++)
    g_string_append (out, " --- |");
}

char *
dp_table_pipe (const DpTable *table, const DpInlineContext *context)
{
  g_autoptr (DpCellGrid) grid = dp_cell_grid_new (table);
  GString *out = g_string_new (NULL);
  gboolean header = table && table->n_header_rows > 0;

  if (grid->n_rows && !header) {
    g_string_append_c (out, '|');
    for (guint c = 0; c < grid->n_cols; c++)
      g_string_append (out, "  |");
    append_rule (out, grid->n_cols);
    g_string_append_c (out, '\n');
  }
  for (guint r = 0; r < grid->n_rows; r++) {
    g_string_append (out, r ? "\n|" : "|");
    for (guint c = 0; c < grid->n_cols; c++) {
      const DpCell *cell = grid->places[(gsize) r * grid->n_cols + c];
      g_string_append_c (out, ' ');
      if (cell)
        append_cell_pipe (out, cell, context);
      g_string_append (out, " |");
    }
    if (r == 0 && header)
      append_rule (out, grid->n_cols);
  }
  return g_string_free (out, FALSE);
}

/* ---- text ------------------------------------------------------------------------------------------------- */

char *
dp_table_text (const DpTable *table)
{
  g_autoptr (DpCellGrid) grid = dp_cell_grid_new (table);
  GString *out = g_string_new (NULL);

  for (guint r = 0; r < grid->n_rows; r++) {
    if (r)
      g_string_append_c (out, '\n');
    for (guint c = 0; c < grid->n_cols; c++) {
      const DpCell *cell = grid->places[(gsize) r * grid->n_cols + c];
      g_autofree char *text = cell ? dp_spans_plain (cell->spans, FALSE) : NULL;
      if (c)
        g_string_append_c (out, '\t');
      if (text)
        g_string_append (out, text);
    }
  }
  return g_string_free (out, FALSE);
}
