/* output/json.c - the whole tree as JSON; the schema is described in output/README.md. */
#include <string.h>

#include "output/inlines.h"
#include "output/json_util.h"
#include "output/output.h"

#define SCHEMA_VERSION 1

static const char *const source_names[] = { "text-layer", "vlm", "tags", "none" };

static const struct {
  guint style;
  const char *name;
} style_names[] = { { DP_SPAN_BOLD, "bold" },           { DP_SPAN_ITALIC, "italic" },     { DP_SPAN_MONO, "mono" },
                    { DP_SPAN_SUPER, "superscript" },   { DP_SPAN_SUB, "subscript" },     { DP_SPAN_STRIKE, "strike" },
                    { DP_SPAN_UNDERLINE, "underline" }, { DP_SPAN_FORMULA, "formula" },   { DP_SPAN_NOTE_REF, "note-reference" },
                    { DP_SPAN_PICTURE, "picture" },     { DP_SPAN_BREAK, "break-before" } };

/* A member with a text, absent without one. */
static void
add_member (cJSON *object, const char *name, const char *text)
{
  if (text && *text)
    dp_json_add_text (object, name, text);
}

/* ---- spans ------------------------------------------------------------------------------------- */

static gboolean
has_styles (const GPtrArray *spans)
{
  for (guint i = 0; i < spans->len; i++) {
    const DpSpan *span = g_ptr_array_index (spans, i);
    if (span->style || span->uri)
      return TRUE;
  }
  return FALSE;
}

static void
add_spans (cJSON *object, const GPtrArray *spans)
{
  cJSON *array;

  if (!has_styles (spans))
    return;
  array = cJSON_AddArrayToObject (object, "spans");
  for (guint i = 0; i < spans->len; i++) {
    const DpSpan *span = g_ptr_array_index (spans, i);
    cJSON *item = cJSON_CreateObject ();
    cJSON *styles = NULL;

    dp_json_add_text (item, "text", span->text ? span->text : "");
    for (gsize k = 0; k < G_N_ELEMENTS (style_names); k++)
      if (span->style & style_names[k].style) {
        if (!styles)
          styles = cJSON_AddArrayToObject (item, "styles");
        cJSON_AddItemToArray (styles, cJSON_CreateString (style_names[k].name));
      }
    add_member (item, "uri", span->uri);
    cJSON_AddItemToArray (array, item);
  }
}

/* ---- tables -------------------------------------------------------------------------------------- */

static void
add_parts (cJSON *object, const GArray *parts)
{
  cJSON *array;

  if (!parts || parts->len == 0)
    return;
  array = cJSON_AddArrayToObject (object, "parts");
  for (guint i = 0; i < parts->len; i++) {
    const DpTablePart *part = &g_array_index (parts, DpTablePart, i);
    cJSON *item = cJSON_CreateObject ();
    cJSON_AddNumberToObject (item, "page", part->page);
    dp_json_add_box (item, "box", part->box);
    cJSON_AddItemToArray (array, item);
  }
}

static void
add_table (cJSON *object, const DpTable *table)
{
  cJSON *item = cJSON_AddObjectToObject (object, "table");
  cJSON *cells;

  cJSON_AddNumberToObject (item, "rows", table->n_rows);
  cJSON_AddNumberToObject (item, "columns", table->n_cols);
  cJSON_AddNumberToObject (item, "header_rows", table->n_header_rows);
  dp_json_add_number (item, "quality", table->quality);
  add_parts (item, table->parts);
  cells = cJSON_AddArrayToObject (item, "cells");
  for (guint i = 0; i < table->cells->len; i++) {
    const DpCell *cell = g_ptr_array_index (table->cells, i);
    cJSON *one = cJSON_CreateObject ();
    g_autofree char *text = dp_spans_plain (cell->spans, TRUE);

    cJSON_AddNumberToObject (one, "row", cell->row);
    cJSON_AddNumberToObject (one, "column", cell->col);
    if (cell->row_span > 1)
      cJSON_AddNumberToObject (one, "row_span", cell->row_span);
    if (cell->col_span > 1)
      cJSON_AddNumberToObject (one, "column_span", cell->col_span);
    if (cell->header || cell->row < table->n_header_rows)
      cJSON_AddTrueToObject (one, "header");
    dp_json_add_box (one, "box", cell->box);
    cJSON_AddStringToObject (one, "text", text);
    add_spans (one, cell->spans);
    cJSON_AddItemToArray (cells, one);
  }
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

static cJSON *block_to_json (const DpBlock *block, const char *image_dir);

static void
add_blocks (cJSON *object, const char *name, const GPtrArray *blocks, const char *image_dir)
{
  cJSON *array = cJSON_AddArrayToObject (object, name);

  for (guint i = 0; i < blocks->len; i++)
    cJSON_AddItemToArray (array, block_to_json (g_ptr_array_index (blocks, i), image_dir));
}

static void
add_text (cJSON *object, const DpBlock *block)
{
  g_autofree char *plain = NULL;

  if (block->text) {
    dp_json_add_text (object, block->kind == DP_BLOCK_FORMULA ? "latex" : "text", block->text);
    return;
  }
  plain = dp_spans_plain (block->spans, TRUE);
  if (*plain) {
    cJSON_AddStringToObject (object, "text", plain);
    add_spans (object, block->spans);
  }
}

static void
add_picture (cJSON *object, const DpBlock *block, const char *image_dir)
{
  if (block->picture) {
    g_autofree char *path = image_dir && *image_dir ? g_strconcat (image_dir, "/", block->picture, NULL) : g_strdup (block->picture);
    add_member (object, "picture", path);
  }
  add_member (object, "alt", block->alt);
  add_member (object, "sub_type", block->sub_type);
  if (block->chart)
    cJSON_AddTrueToObject (object, "chart");
}

static cJSON *
block_to_json (const DpBlock *block, const char *image_dir)
{
  cJSON *object = cJSON_CreateObject ();

  cJSON_AddNumberToObject (object, "index", block->index);
  cJSON_AddStringToObject (object, "kind", dp_block_kind_name (block->kind));
  cJSON_AddNumberToObject (object, "page", block->page);
  dp_json_add_box (object, "box", block->box);
  add_parts (object, block->parts);
  if (block->level)
    cJSON_AddNumberToObject (object, "level", block->level);
  if (block->kind == DP_BLOCK_LIST) {
    cJSON_AddBoolToObject (object, "ordered", block->ordered);
    if (block->ordered)
      cJSON_AddNumberToObject (object, "start", block->start);
  }
  add_member (object, "label", block->label);
  add_text (object, block);
  if (block->table)
    add_table (object, block->table);
  add_picture (object, block, image_dir);
  cJSON_AddStringToObject (object, "source", source_names[MIN ((guint) block->source, (guint) DP_SOURCE_NONE)]);
  dp_json_add_number (object, "confidence", block->confidence);
  if (block->agreement >= 0)
    dp_json_add_number (object, "agreement", block->agreement);
  if (block->md_start >= 0) {
    const double range[] = { (double) block->md_start, (double) block->md_end };
    cJSON_AddItemToObject (object, "markdown", cJSON_CreateDoubleArray (range, 2));
  }
  if (block->children->len)
    add_blocks (object, "children", block->children, image_dir);
  return object;
}

/* ---- document ------------------------------------------------------------------------------------------ */

static void
add_outline (cJSON *object, const GArray *outline)
{
  cJSON *array;

  if (!outline || outline->len == 0)
    return;
  array = cJSON_AddArrayToObject (object, "outline");
  for (guint i = 0; i < outline->len; i++) {
    const DpOutlineEntry *entry = &g_array_index (outline, DpOutlineEntry, i);
    cJSON *item = cJSON_CreateObject ();
    cJSON_AddNumberToObject (item, "level", entry->level);
    add_member (item, "title", entry->title);
    if (entry->page)
      cJSON_AddNumberToObject (item, "page", entry->page);
    cJSON_AddItemToArray (array, item);
  }
}

static void
add_info (cJSON *root, const DpDocumentInfo *info)
{
  cJSON *object = cJSON_AddObjectToObject (root, "document");
  g_autofree char *path = NULL;

  if (!info)
    return;
  path = info->path ? g_filename_display_name (info->path) : NULL;
  add_member (object, "path", path);
  cJSON_AddNumberToObject (object, "n_pages", info->n_pages);
  add_member (object, "title", info->title);
  add_member (object, "author", info->author);
  add_member (object, "subject", info->subject);
  add_member (object, "producer", info->producer);
  cJSON_AddBoolToObject (object, "tagged", info->tags && info->tags->len > 0);
  cJSON_AddBoolToObject (object, "encrypted", info->encrypted);
  add_outline (object, info->outline);
}

static void
add_pages (cJSON *root, const GArray *pages)
{
  cJSON *array = cJSON_AddArrayToObject (root, "pages");

  for (guint i = 0; i < pages->len; i++) {
    const DpPageInfo *page = &g_array_index (pages, DpPageInfo, i);
    cJSON *item = cJSON_CreateObject ();
    cJSON_AddNumberToObject (item, "number", page->number);
    dp_json_add_number (item, "width", page->width);
    dp_json_add_number (item, "height", page->height);
    cJSON_AddNumberToObject (item, "rotation", page->rotation);
    if (page->turn || page->skew != 0) { /* a scan that did not lie straight: all boxes are on the upright page */
      cJSON_AddNumberToObject (item, "turn", page->turn);
      dp_json_add_number (item, "skew", page->skew);
    }
    cJSON_AddStringToObject (item, "status", page->failed ? "failed" : page->needs_model ? "needs-model" : "ok");
    add_member (item, "reason", page->reason);
    cJSON_AddItemToArray (array, item);
  }
}

char *
dp_output_json (DpDocument *document, const DpOutputOptions *options, gsize *len)
{
  cJSON *root = cJSON_CreateObject ();

  cJSON_AddStringToObject (root, "schema", "docparse.document");
  cJSON_AddNumberToObject (root, "schema_version", SCHEMA_VERSION);
  cJSON_AddStringToObject (root, "generator", "docparse " DP_VERSION);
  cJSON_AddStringToObject (root, "unit", "pt");
  cJSON_AddStringToObject (root, "origin", "top-left");
  add_member (root, "model", document->model);
  add_info (root, document->info);
  add_pages (root, document->pages);
  add_blocks (root, "blocks", document->blocks, options ? options->image_dir_name : NULL);
  return dp_json_print (root, len);
}
