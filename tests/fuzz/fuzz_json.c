/* tests/fuzz/fuzz_json.c - any tree, with any bytes as text and any floats as boxes: the JSON that the
 * writers print parses, has every block, and is UTF-8; the other formats are UTF-8, too. */
#include "output/output.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);

typedef struct {
  const guint8 *data;
  size_t left;
  guint n_blocks;
} Input;

static guint
take_byte (Input *in)
{
  if (in->left == 0)
    return 0;
  in->left--;
  return *in->data++;
}

static float
take_float (Input *in)
{
  float f = 0;

  if (in->left < sizeof f)
    return 0;
  memcpy (&f, in->data, sizeof f);
  in->data += sizeof f, in->left -= sizeof f;
  return f;
}

static char *
take_text (Input *in)
{
  const size_t wanted = take_byte (in), n = MIN (wanted, in->left);
  char *text = g_strndup ((const char *) in->data, n); /* ends at a NUL, if there is one */

  in->data += n, in->left -= n;
  return text;
}

static void
add_spans (Input *in, GPtrArray *spans)
{
  for (guint n = take_byte (in) % 4; n > 0; n--) {
    g_autofree char *text = take_text (in);
    guint style = take_byte (in) | (take_byte (in) & 3) << 8;
    g_autofree char *uri = take_byte (in) & 1 ? take_text (in) : NULL;
    g_ptr_array_add (spans, dp_span_new (text, style, uri));
  }
}

static DpTable *
make_table (Input *in)
{
  guint rows = 1 + take_byte (in) % 4, cols = 1 + take_byte (in) % 4;
  DpTable *table = dp_table_new (rows, cols);

  table->n_header_rows = take_byte (in) % (rows + 1);
  for (guint r = 0; r < rows; r++)
    for (guint c = 0; c < cols; c++)
      add_spans (in, dp_table_add_cell (table, r, c, 1, 1, (DpRect){ 0 })->spans);
  return table;
}

static DpBlock *
make_block (Input *in, guint depth)
{
  DpBlock *block = dp_block_new (take_byte (in) % DP_N_BLOCK_KINDS, take_byte (in) % 5,
                                 (DpRect){ take_float (in), take_float (in), take_float (in), take_float (in) });

  in->n_blocks++;
  block->level = take_byte (in) % 9;
  block->start = take_byte (in);
  block->ordered = take_byte (in) & 1;
  block->confidence = take_float (in);
  block->source = take_byte (in) % (DP_SOURCE_NONE + 1);
  block->label = take_byte (in) & 1 ? take_text (in) : NULL;
  block->text = take_byte (in) & 1 ? take_text (in) : NULL;
  block->alt = take_byte (in) & 1 ? take_text (in) : NULL;
  add_spans (in, block->spans);
  if (block->kind == DP_BLOCK_TABLE)
    block->table = make_table (in);
  for (guint n = depth < 6 ? take_byte (in) % 4 : 0; n > 0 && in->left; n--)
    g_ptr_array_add (block->children, make_block (in, depth + 1));
  return block;
}

/* Says which promise was broken, and stops the fuzzer. */
#define require(ok)                                                                                                                        \
  do {                                                                                                                                     \
    if (!(ok)) {                                                                                                                           \
      g_printerr ("line %d: not true: %s\n", __LINE__, #ok);                                                                               \
      abort ();                                                                                                                            \
    }                                                                                                                                      \
  } while (0)

static guint
count_blocks (const cJSON *list)
{
  const cJSON *item;
  guint n = 0;

  cJSON_ArrayForEach (item, list) n += 1 + count_blocks (cJSON_GetObjectItemCaseSensitive (item, "children"));
  return n;
}

static void
check_json (DpDocument *document, const DpOutputOptions *options, guint n_blocks)
{
  gsize len;
  g_autofree char *json = dp_output_json (document, options, &len);
  g_autofree char *list = dp_output_content_list (document, options, NULL);
  cJSON *parsed = cJSON_ParseWithLength (json, len), *parsed_list = cJSON_Parse (list);

  require (parsed && parsed_list && cJSON_IsArray (parsed_list));
  require (len == strlen (json) && g_utf8_validate (json, -1, NULL) && g_utf8_validate (list, -1, NULL));
  require (count_blocks (cJSON_GetObjectItemCaseSensitive (parsed, "blocks")) == n_blocks);
  cJSON_Delete (parsed);
  cJSON_Delete (parsed_list);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  Input in = { data, size, 0 };
  DpOutputOptions options = { .tables = take_byte (&in) % 3, .keep = take_byte (&in), .figure_text = take_byte (&in) & 1 };
  g_autoptr (DpDocumentInfo) info = dp_document_info_new ();
  g_autoptr (DpDocument) document = dp_document_new (info);

  for (guint i = 1; i < 5; i++) {
    DpPageInfo page = { .number = i, .width = take_float (&in), .height = take_float (&in), .reason = i & 1 ? take_text (&in) : NULL };
    g_array_append_val (document->pages, page);
  }
  while (in.left)
    g_ptr_array_add (document->blocks, make_block (&in, 0));
  dp_document_finish (document);
  g_autofree char *markdown = dp_output_markdown (document, &options, NULL);
  g_autofree char *html = dp_output_html (document, &options, NULL);
  g_autofree char *text = dp_output_text (document, &options, NULL);
  require (g_utf8_validate (markdown, -1, NULL));
  require (g_utf8_validate (html, -1, NULL));
  require (g_utf8_validate (text, -1, NULL));
  check_json (document, &options, in.n_blocks);
  return 0;
}
