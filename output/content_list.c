/* output/content_list.c - MinerU's content_list.json, for those who feed tools made for it.
 *
 * A flat list in reading order: type, page_idx from 0, bbox in thousandths of the page,
 * and the members each type has there (text_level, table_body, image_caption, ...).
 */
#include <math.h>
#include <string.h>

#include "output/clean.h"
#include "output/json_util.h"
#include "output/md_escape.h"
#include "output/output.h"
#include "output/tables.h"
#include "output/tree_parts.h"

typedef struct {
  cJSON *array;
  GHashTable *pages; /* number -> DpPageInfo */
  const char *image_dir;
} Listing;

/* ---- common members --------------------------------------------------------------------------- */

static int
thousandths (double value, double side)
{
  double t = side > 0 ? value * 1000 / side : 0;
  return isfinite (t) ? (int) CLAMP (t, 0, 1000) : 0;
}

static cJSON *
add_entry (const Listing *listing, const DpBlock *block, const char *type)
{
  cJSON *entry = cJSON_CreateObject ();
  const DpPageInfo *page = g_hash_table_lookup (listing->pages, GUINT_TO_POINTER (block->page));

  cJSON_AddStringToObject (entry, "type", type);
  if (page) {
    const int box[] = { thousandths (block->box.x0, page->width), thousandths (block->box.y0, page->height),
                        thousandths (block->box.x1, page->width), thousandths (block->box.y1, page->height) };
    cJSON_AddItemToObject (entry, "bbox", cJSON_CreateIntArray (box, 4));
  }
  cJSON_AddNumberToObject (entry, "page_idx", block->page ? block->page - 1 : 0);
  cJSON_AddItemToArray (listing->array, entry);
  return entry;
}

/* The texts of the children of one kind, as an array. */
static void
add_children_texts (cJSON *entry, const char *name, const DpBlock *block, DpBlockKind kind)
{
  cJSON *array = cJSON_AddArrayToObject (entry, name);

  for (guint i = 0; i < block->children->len; i++) {
    const DpBlock *child = g_ptr_array_index (block->children, i);
    g_autofree char *text = child->kind == kind ? dp_spans_plain (child->spans, FALSE) : NULL;
    if (text)
      cJSON_AddItemToArray (array, cJSON_CreateString (text));
  }
}

/* Path of the block's picture, or NULL. */
static char *
picture_path (const Listing *listing, const DpBlock *block)
{
  if (!block->picture)
    return NULL;
  return listing->image_dir && *listing->image_dir ? g_strconcat (listing->image_dir, "/", block->picture, NULL)
                                                   : g_strdup (block->picture);
}

static void
add_image_path (const Listing *listing, cJSON *entry, const DpBlock *block)
{
  g_autofree char *path = picture_path (listing, block);

  dp_json_add_text (entry, "img_path", path ? path : "");
}

/* ---- one entry per type -------------------------------------------------------------------------- */

static void
add_text_entry (const Listing *listing, const DpBlock *block, const char *type)
{
  g_autofree char *text = dp_spans_plain (block->spans, FALSE);
  cJSON *entry;

  if (!*text)
    return;
  entry = add_entry (listing, block, type);
  cJSON_AddStringToObject (entry, "text", text);
  if (block->kind == DP_BLOCK_HEADING)
    cJSON_AddNumberToObject (entry, "text_level", CLAMP (block->level, 1, 6));
}

static void
add_labelled_entry (const Listing *listing, const DpBlock *block, const char *type)
{
  g_autofree char *text = dp_spans_plain (block->spans, FALSE);
  g_autofree char *label = dp_clean_line (block->label);
  g_autofree char *both = *label ? g_strconcat (label, " ", text, NULL) : g_strdup (text);

  cJSON_AddStringToObject (add_entry (listing, block, type), "text", both);
}

static void
add_equation (const Listing *listing, const DpBlock *block)
{
  g_autofree char *latex = dp_latex_line (block->text);
  g_autofree char *text = g_strdup_printf ("$$\n%s\n$$", latex);
  cJSON *entry = add_entry (listing, block, "equation");

  cJSON_AddStringToObject (entry, "text", text);
  cJSON_AddStringToObject (entry, "text_format", "latex");
}

/* A chart's numbers as the model wrote them, or NULL. */
static char *
chart_table (const DpBlock *block)
{
  const DpInlineContext context = { .into = DP_INTO_MARKDOWN };

  for (guint i = 0; i < block->children->len; i++) {
    const DpBlock *child = g_ptr_array_index (block->children, i);
    if (child->kind == DP_BLOCK_TABLE && child->table)
      return dp_table_pipe (child->table, &context);
    if (child->kind == DP_BLOCK_CODE && child->text)
      return g_strdup_printf ("```%s\n%s\n```", child->sub_type ? child->sub_type : "", child->text);
  }
  return NULL;
}

static void
add_image (const Listing *listing, const DpBlock *block)
{
  cJSON *entry = add_entry (listing, block, block->chart ? "chart" : "image");
  g_autofree char *drawn = chart_table (block);
  g_autoptr (GString) words = g_string_new (NULL);

  for (guint i = 0; i < block->children->len; i++) {
    const DpBlock *child = g_ptr_array_index (block->children, i);
    g_autofree char *text = child->kind == DP_BLOCK_FIGURE_TEXT ? dp_spans_plain (child->spans, TRUE) : NULL;
    if (text && *text)
      g_string_append_printf (words, "%s%s", words->len ? "\n" : "", text);
  }
  add_image_path (listing, entry, block);
  add_children_texts (entry, block->chart ? "chart_caption" : "image_caption", block, DP_BLOCK_CAPTION);
  add_children_texts (entry, block->chart ? "chart_footnote" : "image_footnote", block, DP_BLOCK_TABLE_NOTE);
  dp_json_add_text (entry, "content", drawn ? drawn : words->len || !block->alt ? words->str : block->alt);
  dp_json_add_text (entry, "sub_type", block->sub_type ? block->sub_type : "");
}

static void
add_table_entry (const Listing *listing, const DpBlock *block)
{
  DpInlineContext context = { .into = DP_INTO_MARKDOWN, .block = block, .drop_styles = DP_SPAN_BOLD | DP_SPAN_ITALIC };
  cJSON *entry = add_entry (listing, block, "table");
  g_autoptr (GPtrArray) pictures = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < block->children->len; i++)
    if (((const DpBlock *) g_ptr_array_index (block->children, i))->kind == DP_BLOCK_FIGURE)
      g_ptr_array_add (pictures, picture_path (listing, g_ptr_array_index (block->children, i)));
  context.pictures = pictures;
  g_autofree char *html = dp_table_html (block->table, &context);
  g_auto (GStrv) lines = g_strsplit (html, "\n", -1);
  g_autofree char *body = g_strjoinv ("", lines);

  add_image_path (listing, entry, block);
  add_children_texts (entry, "table_caption", block, DP_BLOCK_CAPTION);
  add_children_texts (entry, "table_footnote", block, DP_BLOCK_TABLE_NOTE);
  cJSON_AddStringToObject (entry, "table_body", block->table ? body : "");
}

static void
add_code (const Listing *listing, const DpBlock *block)
{
  g_autofree char *clean = block->text ? dp_clean_verbatim (block->text) : dp_spans_plain (block->spans, TRUE);
  g_autofree char *fence = dp_code_fence (clean);
  const char *language = block->kind == DP_BLOCK_CODE && block->sub_type ? block->sub_type : "";
  g_autofree char *body = g_strdup_printf ("%s%s\n%s\n%s", fence, language, clean, fence);
  cJSON *entry = add_entry (listing, block, "code");

  cJSON_AddStringToObject (entry, "sub_type", block->kind == DP_BLOCK_CODE ? "code" : "algorithm");
  add_children_texts (entry, "code_caption", block, DP_BLOCK_CAPTION);
  cJSON_AddStringToObject (entry, "code_body", body);
}

/* ---- lists ------------------------------------------------------------------------------------------ */

static void
add_items (cJSON *items, const DpBlock *list, guint depth)
{
  for (guint i = 0; i < list->children->len; i++) {
    const DpBlock *item = g_ptr_array_index (list->children, i);
    g_autofree char *text = dp_spans_plain (item->spans, FALSE);
    g_autofree char *label = dp_clean_line (item->label);
    g_autofree char *indent = g_strnfill (2 * MIN (depth, 20), ' ');
    g_autofree char *line = NULL;

    if (item->kind == DP_BLOCK_TOC_ENTRY)
      line = g_strconcat (indent, text, *label ? " " : "", label, NULL);
    else
      line = g_strconcat (indent, *label && !dp_label_is_bullet (label) ? label : "-", " ", text, NULL);
    if (*text || *label)
      cJSON_AddItemToArray (items, cJSON_CreateString (line));
    for (guint k = 0; k < item->children->len; k++) {
      const DpBlock *child = g_ptr_array_index (item->children, k);
      g_autofree char *under = child->kind == DP_BLOCK_LIST ? NULL : dp_spans_plain (child->spans, FALSE);
      if (child->kind == DP_BLOCK_LIST)
        add_items (items, child, depth + 1);
      else if (*under)
        cJSON_AddItemToArray (items, cJSON_CreateString (under));
    }
  }
}

static void
add_list (const Listing *listing, const DpBlock *block)
{
  cJSON *entry = add_entry (listing, block, "list");

  cJSON_AddStringToObject (entry, "sub_type", g_strcmp0 (block->sub_type, "ref_text") == 0 ? "ref_text" : "text");
  add_items (cJSON_AddArrayToObject (entry, "list_items"), block, 0);
}

/* ---- any block ---------------------------------------------------------------------------------------- */

static gboolean
add_block (DpBlock *block, const Listing *listing)
{
  switch (block->kind) {
  case DP_BLOCK_FORMULA: add_equation (listing, block); return FALSE;
  case DP_BLOCK_FIGURE:
  case DP_BLOCK_PAGE_PICTURE: add_image (listing, block); return FALSE;
  case DP_BLOCK_TABLE: add_table_entry (listing, block); return FALSE;
  case DP_BLOCK_CODE: add_code (listing, block); return FALSE;
  case DP_BLOCK_LIST:
  case DP_BLOCK_TOC: add_list (listing, block); return FALSE;
  case DP_BLOCK_HEADER: add_text_entry (listing, block, "header"); return TRUE;
  case DP_BLOCK_FOOTER: add_text_entry (listing, block, "footer"); return TRUE;
  case DP_BLOCK_PAGE_NUMBER: add_text_entry (listing, block, "page_number"); return TRUE;
  case DP_BLOCK_ASIDE:
  case DP_BLOCK_ANNOTATION: add_text_entry (listing, block, "aside_text"); return TRUE;
  case DP_BLOCK_FOOTNOTE: add_labelled_entry (listing, block, "page_footnote"); return TRUE;
  case DP_BLOCK_FIELD: add_labelled_entry (listing, block, "text"); return TRUE;
  case DP_BLOCK_PARAGRAPH:
    if (g_strcmp0 (block->sub_type, "algorithm") == 0)
      add_code (listing, block);
    else
      add_text_entry (listing, block, "text");
    return TRUE;
  case DP_BLOCK_HIDDEN: return FALSE; /* what no reader of the page sees is not content there */
  default: add_text_entry (listing, block, "text"); return TRUE;
  }
}

static void
add_blocks (const Listing *listing, const GPtrArray *blocks)
{
  for (guint i = 0; i < blocks->len; i++) {
    DpBlock *block = g_ptr_array_index (blocks, i);
    if (add_block (block, listing))
      add_blocks (listing, block->children);
  }
}

char *
dp_output_content_list (DpDocument *document, const DpOutputOptions *options, gsize *len)
{
  Listing listing = { .array = cJSON_CreateArray (), .image_dir = options ? options->image_dir_name : NULL };

  listing.pages = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < document->pages->len; i++) {
    DpPageInfo *info = &g_array_index (document->pages, DpPageInfo, i);
    g_hash_table_insert (listing.pages, GUINT_TO_POINTER (info->number), info);
  }
  add_blocks (&listing, document->blocks);
  g_hash_table_unref (listing.pages);
  return dp_json_print (listing.array, len);
}
