/* tests/fuzz/fuzz_protocols.c - libFuzzer target: any text as a model's answer, through every parser and repair of vlm/protocols. */
#include "vlm/protocols/latex.h"
#include "vlm/protocols/mineru.h"
#include "vlm/protocols/otsl.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);

static void
check_text (char *text)
{
  if (!text || !g_utf8_validate (text, -1, NULL))
    abort ();
  g_free (text);
}

static void
check_layout (DpMineruLayout *l)
{
  for (guint i = 0; i < l->blocks->len; i++) {
    const DpMineruBlock *b = g_ptr_array_index (l->blocks, i);
    if (b->type >= DP_MINERU_N_TYPES || !(b->box[0] < b->box[2] && b->box[1] < b->box[3] && b->box[0] >= 0 && b->box[3] <= 1))
      abort ();
  }
  dp_mineru_join_equations (l->blocks);
  dp_mineru_layout_free (l);
}

/* The text as the answer to every question. */
static void
check_answers (const char *text)
{
  static const double box[4] = { 0, 0, 1, 1 };
  g_autoptr (GPtrArray) blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_mineru_block_free);
  guint8 flags[4];

  for (guint t = 0; t < DP_MINERU_N_TYPES; t++) {
    DpMineruBlock *b = dp_mineru_block_new ((DpMineruType) t, box, 0);
    b->content = g_strdup (text);
    g_ptr_array_add (blocks, b);
  }
  dp_mineru_finish (blocks);
  for (guint i = 0; i < blocks->len; i++) {
    const DpMineruBlock *b = g_ptr_array_index (blocks, i);
    if (b->content && !g_utf8_validate (b->content, -1, NULL))
      abort ();
  }
  check_text (dp_mineru_chart (text));
  check_text (dp_mineru_flowchart (text));
  g_free (dp_mineru_markdown_table (text));
  dp_mineru_merge_answer (text, 4, flags);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  g_autofree char *text = g_utf8_make_valid (size ? (const char *) data : "", (gssize) size);
  const char *const two[] = { text, text };
  g_autoptr (GError) error = NULL;
  char *html = dp_otsl_to_html (text, &error);

  if ((html == NULL) == (error == NULL))
    abort ();
  if (html)
    check_text (html);
  check_text (dp_otsl_mark_formulas (text));
  check_text (dp_latex_formula (text));
  check_text (dp_latex_text (text));
  check_text (dp_latex_display (text));
  check_text (dp_latex_join (two, 2));
  check_answers (text);
  check_layout (dp_mineru_layout_parse ((const char *) data, (gssize) size));
  return 0;
}
