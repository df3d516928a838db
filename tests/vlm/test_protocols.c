/* MinerU2.5's output grammars against mineru-vl-utils, and what docparse does where that one fails. */
#include "tests/vlm/golden.h"
#include "vlm/error.h"
#include "vlm/protocols/latex.h"
#include "vlm/protocols/mineru_layout.h"
#include "vlm/protocols/otsl.h"

static void
same (const char *input, const char *got, const char *wanted)
{
  if (!g_str_equal (got, wanted))
    g_error ("\n  input  %s\n  gives  %s\n  wanted %s", input, got, wanted);
}

/* ---- layout ---- */

static void
check_block (const DpMineruBlock *b, const cJSON *wanted)
{
  const cJSON *angle = golden_get (wanted, "angle"), *merge = cJSON_GetObjectItem (wanted, "merge_prev"),
              *content = golden_get (wanted, "content");

  g_assert_cmpstr (dp_mineru_type_name (b->type), ==, golden_string (wanted, "type"));
  for (int i = 0; i < 4; i++)
    g_assert_cmpfloat (b->box[i], ==, cJSON_GetArrayItem (golden_get (wanted, "bbox"), i)->valuedouble);
  g_assert_cmpint (b->angle, ==, cJSON_IsNull (angle) ? -1 : angle->valueint);
  g_assert_cmpint (b->merge_prev != FALSE, ==, cJSON_IsTrue (merge));
  g_assert_cmpstr (b->content, ==, cJSON_IsNull (content) ? NULL : content->valuestring);
}

static void
check_blocks (const GPtrArray *blocks, const cJSON *wanted)
{
  const cJSON *w;
  guint i = 0;

  g_assert_cmpint ((int) blocks->len, ==, cJSON_GetArraySize (wanted));
  cJSON_ArrayForEach (w, wanted) check_block (g_ptr_array_index (blocks, i++), w);
}

static void
test_layout (void)
{
  cJSON *tree = golden_load ("protocols.json");
  const cJSON *c;

  cJSON_ArrayForEach (c, golden_get (tree, "layouts"))
  {
    g_autoptr (DpMineruLayout) l = dp_mineru_layout_parse (golden_string (c, "text"), -1);
    check_blocks (l->blocks, golden_get (c, "blocks"));
  }
  cJSON_Delete (tree);
}

static void
test_layout_counts (void)
{
  static const char text[] = "<|box_start|>1 2 3 4<|box_end|><|ref_start|>text<|ref_end|>\n"
                             "<|box_start|>1 2 1 4<|box_end|><|ref_start|>text<|ref_end|><|rotate_up|>\n"
                             "<|box_start|>1 2 1001 4<|box_end|><|ref_start|>text<|ref_end|><|rotate_up|>\n"
                             "<|box_start|>1 2 3 4<|box_end|><|ref_start|>seal<|ref_end|><|rotate_up|>\n"
                             "<|box_start|>1 2 3 4<|box_end|><|ref_start|>inline_formula<|ref_end|><|rotate_up|>\n"
                             "<|box_start|>0 0 500 500<|box_end|><|ref_start|>table<|ref_end|><|rotate_up|>\n";
  g_autoptr (DpMineruLayout) l = dp_mineru_layout_parse (text, -1), nothing = dp_mineru_layout_parse ("words", -1),
                             blank = dp_mineru_layout_parse (" \n", -1), cut = dp_mineru_layout_parse (text, 30);

  g_assert_cmpuint (l->blocks->len, ==, 1); /* the text lies in the table */
  g_assert_cmpuint (l->bad_boxes, ==, 2);
  g_assert_cmpuint (l->unknown_types, ==, 1);
  g_assert_cmpuint (l->no_angle, ==, 1);
  g_assert_cmpuint (l->inside_tables, ==, 1);
  g_assert_false (l->unmatched);
  g_assert_true (nothing->unmatched);
  g_assert_false (blank->unmatched);
  g_assert_true (cut->unmatched);
  g_assert_cmpint (DP_MINERU_N_TYPES, ==, 31);
  g_assert_cmpint (dp_mineru_type_from_name ("Equation_Block", 14), ==, DP_MINERU_EQUATION_BLOCK);
  g_assert_cmpint (dp_mineru_type_from_name ("equation_blocks", 15), ==, -1);
}

static void
test_equation_blocks (void)
{
  cJSON *tree = golden_load ("protocols.json");
  const cJSON *c, *b;

  cJSON_ArrayForEach (c, golden_get (tree, "equation_blocks"))
  {
    g_autoptr (GPtrArray) blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_mineru_block_free);
    cJSON_ArrayForEach (b, golden_get (c, "before"))
    {
      double box[4];
      const char *type = golden_string (b, "type");
      for (int i = 0; i < 4; i++)
        box[i] = cJSON_GetArrayItem (golden_get (b, "bbox"), i)->valuedouble;
      DpMineruBlock *block
          = dp_mineru_block_new ((DpMineruType) dp_mineru_type_from_name (type, strlen (type)), box, golden_int (b, "angle"));
      block->content = g_strdup (golden_string (b, "content"));
      g_ptr_array_add (blocks, block);
    }
    dp_mineru_join_equations (blocks);
    check_blocks (blocks, golden_get (c, "after"));
  }
  cJSON_Delete (tree);
}

/* ---- tables ---- */

static void
test_tables (void)
{
  cJSON *tree = golden_load ("protocols.json");
  const cJSON *c;
  guint n = 0;

  cJSON_ArrayForEach (c, golden_get (tree, "tables"))
  {
    const char *otsl = golden_string (c, "otsl"), *html = golden_string (c, "html");
    g_autofree char *marked = dp_otsl_mark_formulas (html);
    same (html, marked, golden_string (c, "marked"));
    if (!otsl)
      continue;
    g_autofree char *got = dp_otsl_to_html (otsl, NULL);
    same (otsl, got, html);
    n++;
  }
  g_assert_cmpuint (n, >, 150);
  cJSON_Delete (tree);
}

/* Where the reference fails or loses the rest of the table. */
static void
test_tables_better (void)
{
  static const char *const cases[][2] = {
    { "<fcel>", "<table><tr><td></td></tr></table>" },
    { "<fcel>a<nl><nl><fcel>b<nl>", "<table><tr><td>a</td></tr><tr><td>b</td></tr></table>" },
    { "Table: <fcel>a<fcel>b<nl>", "<table><tr><td>a</td><td>b</td></tr></table>" },
    { "<fcel>a<nl>note<fcel>b<nl>", "<table><tr><td>a</td></tr><tr><td>b</td></tr></table>" },
  };
  g_autoptr (GString) wide = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *got = dp_otsl_to_html (cases[i][0], NULL);
    same (cases[i][0], got, cases[i][1]);
  }
  for (guint i = 0; i < 5000; i++)
    g_string_append (wide, "<fcel><nl>");
  for (guint i = 0; i < 5000; i++)
    g_string_append (wide, "<fcel>");
  g_assert_null (dp_otsl_to_html (wide->str, &error)); /* 25 million cells from 60 kB */
  g_assert_error (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT);
}

/* ---- formulas and text ---- */

static void
test_formulas (void)
{
  cJSON *tree = golden_load ("protocols.json");
  const cJSON *c;

  cJSON_ArrayForEach (c, golden_get (tree, "formulas"))
  {
    const char *latex = golden_string (c, "latex");
    g_autofree char *fixed = dp_latex_formula (latex), *display = dp_latex_display (latex);
    same (latex, fixed, golden_string (c, "fixed"));
    same (latex, display, golden_string (c, "display"));
  }
  cJSON_Delete (tree);
}

/* mineru-vl-utils leaves a backslash here. */
static void
test_formulas_better (void)
{
  g_autofree char *m = dp_latex_formula ("\\biggm{[} \\Biggm {]} \\biggl{[} \\Biggl {]}");

  g_assert_cmpstr (m, ==, "\\biggm[ \\Biggm] \\biggl[ \\Biggl]");
}

static void
test_joins (void)
{
  cJSON *tree = golden_load ("protocols.json");
  const cJSON *c;

  cJSON_ArrayForEach (c, golden_get (tree, "joins"))
  {
    const char *formulas[8];
    const int n = cJSON_GetArraySize (golden_get (c, "formulas"));
    for (int i = 0; i < n; i++)
      formulas[i] = cJSON_GetArrayItem (golden_get (c, "formulas"), i)->valuestring;
    g_autofree char *joined = dp_latex_join (formulas, (guint) n);
    same (formulas[0], joined, golden_string (c, "joined"));
  }
  cJSON_Delete (tree);
}

static void
test_texts (void)
{
  cJSON *tree = golden_load ("protocols.json");
  const cJSON *c;

  cJSON_ArrayForEach (c, golden_get (tree, "texts"))
  {
    const char *text = golden_string (c, "text");
    g_autofree char *fixed = dp_latex_text (text);
    same (text, fixed, golden_string (c, "fixed"));
  }
  cJSON_Delete (tree);
}

/* What a looping model writes, longer than any token limit allows: every step must stay near-linear. */
static void
test_long (void)
{
  static const char *const units[] = { "\\left(",
                                       "\\right)",
                                       "\\begin{array}{c}",
                                       "_{",
                                       "_{a}",
                                       "{",
                                       "\\(",
                                       "\\[",
                                       "___",
                                       "\\(\\)",
                                       "\\tag{",
                                       "<fcel>",
                                       "<fcel><nl>",
                                       "<lcel>",
                                       "<|box_start|>",
                                       "<eq>",
                                       "\\big{",
                                       "& \\left( \\\\ ",
                                       "_ ",
                                       "\\begin{array}{c}\\left(\\end{array}",
                                       "<|box_start|>1 2 3 4<|box_end|><|ref_start|>text<|ref_end|><|txtMask|>" };

  for (guint i = 0; i < G_N_ELEMENTS (units); i++) {
    g_autoptr (GString) s = g_string_new (NULL);
    while (s->len < 1u << 17)
      g_string_append (s, units[i]);
    const char *const two[] = { s->str, s->str };
    g_autofree char *formula = dp_latex_formula (s->str), *text = dp_latex_text (s->str), *joined = dp_latex_join (two, 2),
                    *marked = dp_otsl_mark_formulas (s->str), *html = dp_otsl_to_html (s->str, NULL);
    g_autoptr (DpMineruLayout) l = dp_mineru_layout_parse (s->str, -1);
    g_assert_nonnull (formula);
    g_assert_nonnull (text);
    g_assert_cmpuint (strlen (joined), >=, 2 * s->len - s->len / 2);
    g_assert_nonnull (marked);
    g_assert_true (!html || g_str_has_suffix (html, "</table>") || !*html);
    g_assert_true (l->unmatched || l->blocks->len > 1000);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/protocols/layout", test_layout);
  g_test_add_func ("/protocols/layout-counts", test_layout_counts);
  g_test_add_func ("/protocols/equation-blocks", test_equation_blocks);
  g_test_add_func ("/protocols/tables", test_tables);
  g_test_add_func ("/protocols/tables-better", test_tables_better);
  g_test_add_func ("/protocols/formulas", test_formulas);
  g_test_add_func ("/protocols/formulas-better", test_formulas_better);
  g_test_add_func ("/protocols/joins", test_joins);
  g_test_add_func ("/protocols/texts", test_texts);
  g_test_add_func ("/protocols/long", test_long);
  return g_test_run ();
}
