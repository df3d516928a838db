/* layout/document.c - the document tree: building blocks, spans, tables, walking. */
#include "layout/document.h"

#include <string.h>

static const char *const kind_names[DP_N_BLOCK_KINDS] = {
  [DP_BLOCK_PARAGRAPH] = "paragraph",
  [DP_BLOCK_HEADING] = "heading",
  [DP_BLOCK_LIST] = "list",
  [DP_BLOCK_LIST_ITEM] = "list-item",
  [DP_BLOCK_TABLE] = "table",
  [DP_BLOCK_FIGURE] = "figure",
  [DP_BLOCK_CAPTION] = "caption",
  [DP_BLOCK_TABLE_NOTE] = "table-note",
  [DP_BLOCK_FIGURE_TEXT] = "figure-text",
  [DP_BLOCK_CODE] = "code",
  [DP_BLOCK_QUOTE] = "quote",
  [DP_BLOCK_FORMULA] = "formula",
  [DP_BLOCK_FOOTNOTE] = "footnote",
  [DP_BLOCK_TOC] = "toc",
  [DP_BLOCK_TOC_ENTRY] = "toc-entry",
  [DP_BLOCK_PAGE_PICTURE] = "page-picture",
  [DP_BLOCK_HEADER] = "header",
  [DP_BLOCK_FOOTER] = "footer",
  [DP_BLOCK_PAGE_NUMBER] = "page-number",
  [DP_BLOCK_ASIDE] = "aside",
  [DP_BLOCK_HIDDEN] = "hidden",
  [DP_BLOCK_FIELD] = "field",
  [DP_BLOCK_ANNOTATION] = "annotation",
};

const char *
dp_block_kind_name (DpBlockKind kind)
{
  g_return_val_if_fail ((guint) kind < DP_N_BLOCK_KINDS, "unknown");
  return kind_names[kind];
}

/* ---- spans --------------------------------------------------------------------------- */

DpSpan *
dp_span_new (const char *text, guint style, const char *uri)
{
  DpSpan *span = g_new0 (DpSpan, 1);

  span->text = g_strdup (text);
  span->uri = g_strdup (uri);
  span->style = style;
  return span;
}

void
dp_span_free (DpSpan *span)
{
  g_free (span->text);
  g_free (span->uri);
  g_free (span);
}

void
dp_block_add_text (DpBlock *block, const char *text, guint style, const char *uri)
{
  DpSpan *last = block->spans->len ? g_ptr_array_index (block->spans, block->spans->len - 1) : NULL;

  /* A BREAK belongs to the start of a span, so it never joins the one before. */
  if (last && !(style & DP_SPAN_BREAK) && (last->style & ~(guint) DP_SPAN_BREAK) == style && g_strcmp0 (last->uri, uri) == 0) {
    char *joined = g_strconcat (last->text, text, NULL);
    g_free (last->text);
    last->text = joined;
    return;
  }
  g_ptr_array_add (block->spans, dp_span_new (text, style, uri));
}

char *
dp_spans_to_text (const GPtrArray *spans)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < spans->len; i++) {
    const DpSpan *span = g_ptr_array_index (spans, i);
    if (span->style & DP_SPAN_BREAK)
      g_string_append_c (out, '\n');
    g_string_append (out, span->text);
  }
  return g_string_free (out, FALSE);
}

/* ---- tables --------------------------------------------------------------------------- */

static void
cell_free (gpointer data)
{
  DpCell *cell = data;

  g_ptr_array_unref (cell->spans);
  g_free (cell);
}

DpTable *
dp_table_new (guint n_rows, guint n_cols)
{
  DpTable *table = g_new0 (DpTable, 1);

  table->n_rows = n_rows;
  table->n_cols = n_cols;
  table->cells = g_ptr_array_new_with_free_func (cell_free);
  table->parts = g_array_new (FALSE, TRUE, sizeof (DpTablePart));
  table->quality = 1;
  return table;
}

void
dp_table_free (DpTable *table)
{
  if (!table)
    return;
  g_ptr_array_unref (table->cells);
  g_array_unref (table->parts);
  g_free (table);
}

DpCell *
dp_table_add_cell (DpTable *table, guint row, guint col, guint row_span, guint col_span, DpRect box)
{
  DpCell *cell = g_new0 (DpCell, 1);

  *cell = (DpCell){ .row = row, .col = col, .row_span = row_span, .col_span = col_span, .box = box };
  cell->spans = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_span_free);
  g_ptr_array_add (table->cells, cell);
  return cell;
}

gboolean
dp_table_has_spans (const DpTable *table)
{
  for (guint i = 0; i < table->cells->len; i++) {
    const DpCell *cell = g_ptr_array_index (table->cells, i);
    if (cell->row_span > 1 || cell->col_span > 1)
      return TRUE;
  }
  return FALSE;
}

/* ---- blocks --------------------------------------------------------------------------- */

gboolean
dp_block_is_picture (const DpBlock *block)
{
  return block->kind == DP_BLOCK_FIGURE || block->kind == DP_BLOCK_PAGE_PICTURE
         || (block->kind == DP_BLOCK_FORMULA && !(block->text && *block->text));
}

DpBlock *
dp_block_new (DpBlockKind kind, guint page, DpRect box)
{
  DpBlock *block = g_new0 (DpBlock, 1);

  block->kind = kind;
  block->page = page;
  block->box = box;
  block->confidence = 1;
  block->agreement = -1;
  block->md_start = block->md_end = -1;
  block->spans = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_span_free);
  block->children = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_block_free);
  return block;
}

void
dp_block_free (DpBlock *block)
{
  if (!block)
    return;
  g_clear_pointer (&block->parts, g_array_unref);
  g_free (block->label);
  g_free (block->text);
  g_free (block->picture);
  g_free (block->alt);
  g_free (block->sub_type);
  dp_table_free (block->table);
  g_clear_pointer (&block->crop, cairo_surface_destroy);
  g_ptr_array_unref (block->spans);
  g_ptr_array_unref (block->children);
  g_free (block);
}

/* ---- documents ------------------------------------------------------------------------- */

static void
page_info_clear (gpointer data)
{
  g_free (((DpPageInfo *) data)->reason);
}

DpDocument *
dp_document_new (DpDocumentInfo *info)
{
  DpDocument *document = g_new0 (DpDocument, 1);

  document->info = info;
  document->blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_block_free);
  document->pages = g_array_new (FALSE, TRUE, sizeof (DpPageInfo));
  g_array_set_clear_func (document->pages, page_info_clear);
  return document;
}

void
dp_document_free (DpDocument *document)
{
  if (!document)
    return;
  g_ptr_array_unref (document->blocks);
  g_array_unref (document->pages);
  g_free (document->model);
  g_free (document);
}

static gboolean
visit_blocks (GPtrArray *blocks, guint depth, DpBlockVisit visit, gpointer data)
{
  for (guint i = 0; i < blocks->len; i++) {
    DpBlock *block = g_ptr_array_index (blocks, i);
    if (!visit (block, depth, data) || !visit_blocks (block->children, depth + 1, visit, data))
      return FALSE;
  }
  return TRUE;
}

void
dp_document_foreach (DpDocument *document, DpBlockVisit visit, gpointer data)
{
  visit_blocks (document->blocks, 0, visit, data);
}

static gboolean
number_block (DpBlock *block, guint depth, gpointer data)
{
  guint *next = data;

  (void) depth;
  block->index = (*next)++;
  return TRUE;
}

void
dp_document_finish (DpDocument *document)
{
  guint next = 0;

  dp_document_foreach (document, number_block, &next);
}
