/* tests/output/test_json.c - the JSON writers: the schema, and that any tree gives JSON. */
#include <cjson/cJSON.h>
#include <math.h>

#include "tests/output/build.h"

static cJSON *
at (const cJSON *array, int i)
{
  cJSON *item = cJSON_GetArrayItem (array, i);
  g_assert_nonnull (item);
  return item;
}

#define GET(object, name) cJSON_GetObjectItemCaseSensitive (object, name)
#define STRING(object, name) cJSON_GetStringValue (GET (object, name))
#define NUMBER(object, name) cJSON_GetNumberValue (GET (object, name))

static DpDocument *
sample (DpDocumentInfo *info)
{
  DpDocument *document = dp_document_new (info);
  DpBlock *block, *list;
  DpCell *cell;

  add_page (document, 1);
  add_page (document, 2);
  g_array_index (document->pages, DpPageInfo, 1).needs_model = TRUE;
  g_array_index (document->pages, DpPageInfo, 1).reason = g_strdup ("no text layer");
  block = add_block (document->blocks, DP_BLOCK_HEADING, "Title");
  block->level = 2;
  block->confidence = 0.123456f;
  block = add_block (document->blocks, DP_BLOCK_HEADER, "running");
  block = add_block (document->blocks, DP_BLOCK_PARAGRAPH, "a ");
  dp_block_add_text (block, "b", DP_SPAN_BOLD | DP_SPAN_ITALIC, "#page=2");
  dp_block_add_text (block, "x", DP_SPAN_FORMULA, NULL);
  list = add_block (document->blocks, DP_BLOCK_LIST, NULL);
  list->ordered = TRUE;
  list->start = 4;
  add_block (list->children, DP_BLOCK_LIST_ITEM, "four")->label = g_strdup ("4.");
  block = add_block (document->blocks, DP_BLOCK_TABLE, NULL);
  block->table = dp_table_new (2, 2);
  block->table->n_header_rows = 1;
  add_cell (block->table, 0, 0, 1, 2, "head");
  add_cell (block->table, 1, 0, 1, 1, "l");
  cell = add_cell (block->table, 1, 1, 1, 1, "r");
  g_ptr_array_add (cell->spans, dp_span_new ("s", DP_SPAN_BREAK, NULL));
  add_block (block->children, DP_BLOCK_CAPTION, "Table 1");
  block = add_block (document->blocks, DP_BLOCK_FORMULA, NULL);
  block->text = g_strdup ("a = b");
  block->label = g_strdup ("(1)");
  block = add_block (document->blocks, DP_BLOCK_PAGE_PICTURE, NULL);
  block->page = 2;
  block->picture = g_strdup ("page-002-picture-01.png");
  block->source = DP_SOURCE_NONE;
  dp_document_finish (document);
  return document;
}

static void
test_schema (void)
{
  g_autoptr (DpDocumentInfo) info = dp_document_info_new ();
  g_autoptr (DpDocument) document = NULL;
  g_autofree char *markdown = NULL, *json = NULL, *again = NULL;
  DpOutputOptions options = { .image_dir_name = "in_images" };
  gsize len;
  cJSON *root, *blocks, *block, *span;

  info->path = g_strdup ("in.pdf");
  document = sample (info);
  markdown = dp_output_markdown (document, &options, NULL);
  json = dp_output_json (document, &options, &len);
  again = dp_output_json (document, &options, NULL);
  g_assert_cmpuint (len, ==, strlen (json));
  g_assert_cmpstr (json, ==, again);
  root = cJSON_Parse (json);
  g_assert_nonnull (root);
  g_assert_cmpstr (STRING (root, "schema"), ==, "docparse.document");
  g_assert_cmpfloat (NUMBER (root, "schema_version"), ==, 1);
  g_assert_cmpstr (STRING (root, "unit"), ==, "pt");
  g_assert_cmpstr (STRING (root, "origin"), ==, "top-left");
  g_assert_cmpstr (STRING (GET (root, "document"), "path"), ==, "in.pdf");
  g_assert_cmpint (cJSON_GetArraySize (GET (root, "pages")), ==, 2);
  g_assert_cmpstr (STRING (at (GET (root, "pages"), 0), "status"), ==, "ok");
  g_assert_cmpstr (STRING (at (GET (root, "pages"), 1), "status"), ==, "needs-model");
  g_assert_cmpstr (STRING (at (GET (root, "pages"), 1), "reason"), ==, "no text layer");

  blocks = GET (root, "blocks");
  g_assert_cmpint (cJSON_GetArraySize (blocks), ==, 7);
  block = at (blocks, 0);
  g_assert_cmpstr (STRING (block, "kind"), ==, "heading");
  g_assert_cmpfloat (NUMBER (block, "level"), ==, 2);
  g_assert_cmpstr (STRING (block, "text"), ==, "Title");
  g_assert_cmpfloat (NUMBER (block, "confidence"), ==, 0.12);
  g_assert_cmpfloat (cJSON_GetNumberValue (at (GET (block, "box"), 2)), ==, 110);
  g_assert_cmpfloat (cJSON_GetNumberValue (at (GET (block, "markdown"), 0)), ==, 0);
  g_assert_cmpfloat (cJSON_GetNumberValue (at (GET (block, "markdown"), 1)), ==, strlen ("## Title"));
  g_assert_null (GET (block, "spans"));
  /* furniture is there though not in the Markdown */
  g_assert_cmpstr (STRING (at (blocks, 1), "text"), ==, "running");
  g_assert_null (GET (at (blocks, 1), "markdown"));

  block = at (blocks, 2);
  g_assert_cmpstr (STRING (block, "text"), ==, "a b$x$");
  span = at (GET (block, "spans"), 1);
  g_assert_cmpstr (STRING (span, "text"), ==, "b");
  g_assert_cmpstr (STRING (span, "uri"), ==, "#page=2");
  g_assert_cmpstr (cJSON_GetStringValue (at (GET (span, "styles"), 0)), ==, "bold");
  g_assert_cmpstr (cJSON_GetStringValue (at (GET (span, "styles"), 1)), ==, "italic");

  block = at (blocks, 3);
  g_assert_true (cJSON_IsTrue (GET (block, "ordered")));
  g_assert_cmpfloat (NUMBER (block, "start"), ==, 4);
  g_assert_cmpstr (STRING (at (GET (block, "children"), 0), "label"), ==, "4.");
  g_assert_cmpfloat (NUMBER (at (GET (block, "children"), 0), "index"), ==, NUMBER (block, "index") + 1);

  block = GET (at (blocks, 4), "table");
  g_assert_cmpfloat (NUMBER (block, "columns"), ==, 2);
  g_assert_cmpfloat (NUMBER (at (GET (block, "cells"), 0), "column_span"), ==, 2);
  g_assert_true (cJSON_IsTrue (GET (at (GET (block, "cells"), 0), "header")));
  g_assert_null (GET (at (GET (block, "cells"), 1), "header"));
  g_assert_cmpstr (STRING (at (GET (block, "cells"), 2), "text"), ==, "r\ns");

  g_assert_cmpstr (STRING (at (blocks, 5), "latex"), ==, "a = b");
  g_assert_cmpstr (STRING (at (blocks, 6), "picture"), ==, "in_images/page-002-picture-01.png");
  g_assert_cmpstr (STRING (at (blocks, 6), "source"), ==, "none");
  cJSON_Delete (root);
}

static void
test_content_list (void)
{
  g_autoptr (DpDocument) document = sample (NULL);
  DpOutputOptions options = { .image_dir_name = "images" };
  g_autofree char *json = dp_output_content_list (document, &options, NULL);
  cJSON *root = cJSON_Parse (json), *entry;

  g_assert_cmpint (cJSON_GetArraySize (root), ==, 7);
  entry = at (root, 0);
  g_assert_cmpstr (STRING (entry, "type"), ==, "text");
  g_assert_cmpfloat (NUMBER (entry, "text_level"), ==, 2);
  g_assert_cmpfloat (NUMBER (entry, "page_idx"), ==, 0);
  g_assert_cmpfloat (cJSON_GetNumberValue (at (GET (entry, "bbox"), 0)), ==, 50);  /* 10 of 200 */
  g_assert_cmpfloat (cJSON_GetNumberValue (at (GET (entry, "bbox"), 3)), ==, 100); /* 40 of 400 */
  g_assert_cmpstr (STRING (at (root, 1), "type"), ==, "header");
  g_assert_cmpstr (STRING (at (root, 2), "text"), ==, "a b$x$");
  g_assert_cmpstr (cJSON_GetStringValue (at (GET (at (root, 3), "list_items"), 0)), ==, "4. four");
  entry = at (root, 4);
  g_assert_cmpstr (STRING (entry, "table_body"), ==,
                   "<table><tr><th colspan=\"2\">head</th></tr><tr><td>l</td><td>r<br>s</td></tr></table>");
  g_assert_cmpstr (cJSON_GetStringValue (at (GET (entry, "table_caption"), 0)), ==, "Table 1");
  g_assert_cmpstr (STRING (at (root, 5), "text"), ==, "$$\na = b\n$$");
  g_assert_cmpstr (STRING (at (root, 5), "text_format"), ==, "latex");
  entry = at (root, 6);
  g_assert_cmpstr (STRING (entry, "img_path"), ==, "images/page-002-picture-01.png");
  g_assert_cmpfloat (NUMBER (entry, "page_idx"), ==, 1);
  cJSON_Delete (root);
}

static void
test_text (void)
{
  g_autoptr (DpDocument) document = sample (NULL);
  g_autofree char *text = NULL;
  DpBlock *block = add_block (document->blocks, DP_BLOCK_CODE, NULL);

  block->text = g_strdup ("if\n  *x*");
  dp_block_add_text (add_block (document->blocks, DP_BLOCK_QUOTE, "1. # said"), "next", DP_SPAN_BREAK | DP_SPAN_MONO, "http://a.b/");
  text = dp_output_text (document, NULL, NULL);
  g_assert_cmpstr (text, ==,
                   "Title\n\na b$x$\n\n4. four\n\nhead\t\nl\tr s\n\nTable 1\n\na = b \\tag{1}\n\n[page 2 needs a model: no text layer]\n\n"
                   "if\n  *x*\n\n  1. # said\n  next\n");
}

static void
test_damage (void)
{
  g_autoptr (DpDocument) document = dp_document_new (NULL);
  DpBlock *block = add_block (document->blocks, DP_BLOCK_PARAGRAPH, NULL);
  g_autofree char *json = NULL, *list = NULL;
  cJSON *root;

  add_page (document, 1);
  g_array_index (document->pages, DpPageInfo, 0).width = NAN;
  g_array_index (document->pages, DpPageInfo, 0).height = 0;
  block->box = (DpRect){ NAN, -INFINITY, INFINITY, 1e30f };
  block->confidence = NAN;
  block->label = g_strdup ("\xc3(");
  block->source = (DpSource) 99;
  g_ptr_array_add (block->spans, dp_span_new ("a\xff\x01\x02 b", DP_SPAN_BOLD, "\xfe"));
  g_ptr_array_add (block->spans, dp_span_new (NULL, 0, NULL));
  block->table = dp_table_new (4000000000u, 4000000000u);
  add_cell (block->table, 3999999999u, 0, 4000000000u, 1, NULL);
  json = dp_output_json (document, NULL, NULL);
  g_assert_true (g_utf8_validate (json, -1, NULL));
  root = cJSON_Parse (json);
  g_assert_cmpstr (STRING (at (GET (root, "blocks"), 0), "text"), ==, "a\xef\xbf\xbd b");
  g_assert_cmpfloat (cJSON_GetNumberValue (at (GET (at (GET (root, "blocks"), 0), "box"), 1)), ==, 0);
  cJSON_Delete (root);
  list = dp_output_content_list (document, NULL, NULL);
  root = cJSON_Parse (list);
  g_assert_cmpfloat (cJSON_GetNumberValue (at (GET (at (root, 0), "bbox"), 0)), ==, 0);
  cJSON_Delete (root);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/output/json/schema", test_schema);
  g_test_add_func ("/output/json/content-list", test_content_list);
  g_test_add_func ("/output/json/text", test_text);
  g_test_add_func ("/output/json/damage", test_damage);
  return g_test_run ();
}
