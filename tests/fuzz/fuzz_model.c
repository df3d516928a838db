/* Whatever a model answers: a page of regions and contents must become a document that every writer prints.
 *
 *   fuzz_model --seed DIR    writes a page with a region of every kind to start from
 *
 * The input is cut at NUL bytes: first the layout, then one answer after the other for the regions in order (from the start again when
 * they run out).
 */
#include "output/output.h"
#include "pipeline/model_blocks.h"
#include "pipeline/model_document.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);

/* Twelve regions of a kind at a time in a column, then an answer that suits most of them. */
static GString *
seed_page (guint first)
{
  static const char *const answers[]
      = { "1. words \\(x_{1}\\) and \\[2\\]",
          "<fcel>a<lcel><nl><ucel>\\(y\\)<fcel>b<nl>",
          "\\left( a \\frac{1}{2}",
          "<|class_start|>chart<|class_end|><|content_start|>| a | b |\n| --- | --- |\n| 1 | 2 |<|content_end|>",
          "```c\nint x;\n```",
          "Table 1 (continued)" };
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < 12; i++)
    g_string_append_printf (out, "<|box_start|>100 %03u 900 %03u<|box_end|><|ref_start|>%s<|ref_end|><|rotate_up|><|txt_contd_tgt|>\n",
                            80 * i, 80 * i + 70, dp_mineru_type_name ((DpMineruType) ((first + i) % DP_MINERU_N_TYPES)));
  for (guint i = 0; i < 12; i++) {
    g_string_append_c (out, '\0');
    g_string_append (out, answers[(first + i) % G_N_ELEMENTS (answers)]);
  }
  return out;
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  if (*argc != 3 || strcmp ((*argv)[1], "--seed") != 0)
    return 0;
  for (guint k = 0; k < DP_MINERU_N_TYPES; k += 5) {
    g_autofree char *name = g_strdup_printf ("page-%u", k), *path = g_build_filename ((*argv)[2], name, NULL);
    GString *page = seed_page (k);
    if (!g_file_set_contents (path, page->str, (gssize) page->len, NULL))
      exit (1);
    g_string_free (page, TRUE);
  }
  exit (0);
}

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
