/* Whatever a model answers: a page of regions and contents must become a document that every writer prints.
 *
 * The input is cut at NUL bytes: first the layout, then one answer after the other for the regions in order (from the start again when
 * they run out).
 */
#include "output/output.h"
#include "pipeline/model_blocks.h"
#include "pipeline/model_document.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);

static void
answer (GPtrArray *regions, const guint8 *data, size_t size)
{
  size_t at = 0;

  for (guint i = 0; size > 0 && i < regions->len; i++) {
    DpMineruBlock *b = g_ptr_array_index (regions, i);
    const guint8 *end = memchr (data + at, 0, size - at);
    const size_t n = end ? (size_t) (end - data) - at : size - at;
    b->content = g_utf8_make_valid ((const char *) data + at, (gssize) n);
    at = at + n + 1 < size ? at + n + 1 : 0;
  }
}

static void
print_all (GPtrArray *layouts)
{
  static char *(*const print[]) (DpDocument *, const DpOutputOptions *, gsize *)
      = { dp_output_markdown, dp_output_html, dp_output_text, dp_output_json, dp_output_content_list };
  g_autoptr (DpDocumentInfo) info = dp_document_info_new ();
  const gboolean goes_on[2] = { FALSE, TRUE };

  dp_model_join_pages ((DpPageLayout *const *) layouts->pdata, goes_on, 2, NULL);
  g_autoptr (DpDocument) document = dp_layout_document (layouts, info, NULL);
  dp_model_heading_levels (document);
  for (guint f = 0; f < G_N_ELEMENTS (print); f++) {
    gsize n;
    g_autofree char *text = print[f](document, NULL, &n);
    if (!g_utf8_validate (text, (gssize) n, NULL))
      abort ();
  }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  const guint8 *end = size ? memchr (data, 0, size) : NULL;
  const size_t n = end ? (size_t) (end - data) : size;
  g_autoptr (GPtrArray) layouts = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_page_layout_free);

  for (guint p = 0; p < 2; p++) { /* the same page twice: paragraphs and tables may join */
    const DpPage page = { .number = p + 1, .width = 500, .height = 700, .strings = "", .n_strings = 1 };
    DpModelPage parts = { .number = p + 1, .width = 500, .height = 700 };
    const DpMineruSelection selection = { .image_analysis = TRUE };
    g_autoptr (DpMineruLayout) parsed = dp_mineru_layout_parse (size ? (const char *) data : "", (gssize) n);
    gboolean goes_on;
    parts.regions = g_steal_pointer (&parsed->blocks);
    g_array_unref (dp_mineru_select (parts.regions, &selection));
    dp_model_take_text (&parts);
    if (end)
      answer (parts.regions, end + 1, size - n - 1);
    dp_mineru_finish (parts.regions);
    DpPageLayout *layout = dp_page_layout_new (&page);
    layout->blocks = dp_model_blocks (&parts, &goes_on);
    g_ptr_array_add (layouts, layout);
    dp_model_page_clear (&parts);
  }
  print_all (layouts);
  return 0;
}
