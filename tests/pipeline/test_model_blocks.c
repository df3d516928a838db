/* Regions and answers of one page into blocks, without a PDF: lists, captions, numbers, pictures, tables, spans. */
#include "output/output.h"
#include "pipeline/model_document.h"
#include "pipeline/model_page.h"
#include "pipeline/model_table.h"
#include "pipeline/model_tables.h"
#include "pipeline/model_text.h"
#include "tests/pipeline/scripted.h"
#include "tests/vlm/golden.h"

/* ---- one page ---------------------------------------------------------------------------------------------- */

typedef struct {
  DpPageLayout *layout;
  DpPageState state;
  char *reason;
  gboolean goes_on;
} Result;

static void
keep_result (DpModelResult *result, gpointer data)
{
  Result *mine = data;

  *mine = (Result){ g_steal_pointer (&result->layout), result->state, g_steal_pointer (&result->reason), result->goes_on };
}

static cairo_surface_t *
blank_picture (int w, int h)
{
  cairo_surface_t *s = cairo_image_surface_create (CAIRO_FORMAT_RGB24, w, h);
  cairo_t *cr = cairo_create (s);

  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  cairo_destroy (cr);
  return s;
}

static DpPage *
new_page (guint number)
{
  DpPage *page = g_new0 (DpPage, 1);

  *page = (DpPage){ .number = number, .width = 500, .height = 1000, .strings = "", .n_strings = 1 };
  return page;
}

#define BOX(x0, y0, x1, y1, type, tail)                                                                                                    \
  "<|box_start|>" x0 " " y0 " " x1 " " y1 "<|box_end|><|ref_start|>" type "<|ref_end|><|rotate_up|>" tail "\n"

static Result
read_script (const char *json, gboolean analysis)
{
  Scripted *scripted = scripted_new (cJSON_Parse (json));
  const DpModelFlowOptions options = { .answerer = &scripted->answerer, .image_analysis = analysis };
  Result result = { 0 };
  DpModelFlow *flow = dp_model_flow_new (&options, keep_result, &result);

  dp_model_flow_enter (flow);
  dp_model_flow_add (flow, 0, new_page (1), DP_MODEL_TEXT_NONE, blank_picture (250, 500));
  dp_model_flow_drain (flow);
  dp_model_flow_free (flow);
  scripted_free (scripted);
  g_assert_nonnull (result.layout);
  return result;
}

/* layout: as the model writes it; answers: the members of the script behind it, or "". */
static Result
read_page (const char *layout, const char *answers, gboolean analysis)
{
  cJSON *text = cJSON_CreateString (layout);
  g_autofree char *quoted = cJSON_PrintUnformatted (text),
                  *json = g_strdup_printf ("[{\"layout\":%s%s%s}]", quoted, *answers ? "," : "", answers);

  cJSON_Delete (text);
  return read_script (json, analysis);
}

static void
result_clear (Result *result)
{
  dp_page_layout_free (result->layout);
  g_free (result->reason);
}

static const DpBlock *
block_at (const GPtrArray *blocks, guint i)
{
  g_assert_cmpuint (i, <, blocks->len);
  return g_ptr_array_index (blocks, i);
}

static const DpBlock *
block_of (const Result *result, guint i)
{
  return block_at (result->layout->blocks, i);
}

static void
check_text (const DpBlock *block, DpBlockKind kind, const char *text)
{
  g_autofree char *got = dp_spans_to_text (block->spans);

  g_assert_cmpstr (dp_block_kind_name (block->kind), ==, dp_block_kind_name (kind));
  g_assert_cmpstr (got, ==, text);
}

/* ---- text ------------------------------------------------------------------------------------------------------ */

static void
test_spans (void)
{
  g_autoptr (GPtrArray) spans = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_span_free);
  static const struct {
    const char *text;
    guint style;
  } wanted[] = { { "At ", 0 },         { "x^2", DP_SPAN_FORMULA },  { " see", 0 }, { "12", DP_SPAN_SUPER }, { " and [3] in H", 0 },
                 { "2", DP_SPAN_SUB }, { "O broken word ABC 1", 0 } };

  dp_model_spans (
      spans,
      "At \\( x^2 \\) see\\(^{12}\\) and \\[3\\] in H<sub>2</sub>O bro-\nken\nword \357\274\241\357\274\242\357\274\243 \357\274\221",
      FALSE);
  g_assert_cmpuint (spans->len, ==, G_N_ELEMENTS (wanted));
  for (guint i = 0; i < spans->len; i++) {
    const DpSpan *span = g_ptr_array_index (spans, i);
    g_assert_cmpstr (span->text, ==, wanted[i].text);
    g_assert_cmpuint (span->style, ==, wanted[i].style);
  }
}

static void
test_spans_odd (void)
{
  g_autoptr (GPtrArray) open = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_span_free),
                        lines = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_span_free);
  g_autofree char *text = (dp_model_spans (open, "a \\(b < c", FALSE), dp_spans_to_text (open));

  g_assert_cmpstr (text, ==, "a \\(b < c"); /* no partner */
  dp_model_spans (lines, "one\n\n \\(y\\)\nthree\n", TRUE);
  g_autofree char *kept = dp_spans_to_text (lines);
  g_assert_cmpstr (kept, ==, "one\ny\nthree");
}

static void
test_goes_on (void)
{
  g_assert_true (dp_model_goes_on ("the end of a", "line"));
  g_assert_true (dp_model_goes_on ("\346\226\207", "\346\234\254"));
  g_assert_false (dp_model_goes_on ("the end.", "line"));
  g_assert_false (dp_model_goes_on ("the end of\343\200\202", "line"));
  g_assert_false (dp_model_goes_on ("the end of a", "Line"));
  g_assert_false (dp_model_goes_on ("the end of a", " 3 lines"));
  g_assert_false (dp_model_goes_on ("", "line"));
}

static void
test_agreement (void)
{
  g_assert_cmpfloat (dp_model_agreement ("Westport 6:40", "6:40 Westport"), ==, 1);
  g_assert_cmpfloat (dp_model_agreement ("", " "), ==, 1);
  g_assert_cmpfloat (dp_model_agreement ("abc", ""), ==, 0);
  g_assert_cmpfloat (dp_model_agreement ("x 2", "$x^{2}$"), <, 1); /* words are what counts */
  g_assert_cmpfloat (dp_model_agreement ("x2", "\\mathrm{x}_2"), ==, 1);
  /* one digit of 20: two pairs of 20 */
  g_assert_cmpfloat_with_epsilon (dp_model_agreement ("01234567890123456789", "01234567890123456799"), 0.9, 0.01);
  /* invented text: 10 of 10 and 10 of 30 */
  g_assert_cmpfloat_with_epsilon (dp_model_agreement ("abcdefghij", "abcdefghij klmnopqrst uvwxyzabcd"), 20.0 / 40, 0.05);
}

/* ---- tables --------------------------------------------------------------------------------------------------------- */

/* "row,col+rows,cols=text;" of every cell. */
static char *
describe (const DpTable *table)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < table->cells->len; i++) {
    const DpCell *cell = g_ptr_array_index (table->cells, i);
    g_autofree char *text = dp_spans_to_text (cell->spans);
    g_string_append_printf (out, "%u,%u", cell->row, cell->col);
    if (cell->row_span > 1 || cell->col_span > 1)
      g_string_append_printf (out, "+%u,%u", cell->row_span, cell->col_span);
    g_string_append_printf (out, "=%s;", text);
  }
  return g_string_free (out, FALSE);
}

static void
test_html (void)
{
  static const struct {
    const char *html;
    guint rows, columns, headers;
    const char *cells;
  } cases[] = {
    { "<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>", 2, 2, 1, "0,0=a;0,1=b;1,0=1;1,1=2;" },
    { "<table><tr><td rowspan=\"2\">a</td><td "
      "colspan=\"2\">b</td></tr><tr><td>c</td><td>d</td></tr><tr><td>1</td><td>2</td><td>3</td></tr></table>",
      3, 3, 2, "0,0+2,1=a;0,1+1,2=b;1,1=c;1,2=d;2,0=1;2,1=2;2,2=3;" },
    { "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td></tr></table>", 2, 2, 1, "0,0=a;0,1=b;1,0=1;1,1=;" },
    { "<TABLE border=1><TR><TD ROWSPAN='9'>x &amp; y &lt;b&gt;<TD>2<TR><TD>3</TABLE>", 2, 2, 0, "0,0+2,1=x & y <b>;0,1=2;1,1=3;" },
    { "<table><tr><td rowspan=2>1</td><td>2</td><td rowspan=2>3</td></tr><tr><td colspan=2>4</td></tr></table>", 2, 3, 0,
      "0,0+2,1=1;0,1=2;0,2+2,1=3;1,1=4;" },
    { "<table><tr><td colspan=0>1</td><td colspan=99999999999>2</td></tr></table>", 1, 1001, 0, NULL },
    { "<table><tr><td>1<br>2</td><td><eq>x<y</eq></td><td>a<table><tr><td>in</td></tr></table>b</td></tr></table>", 1, 3, 0,
      "0,0=1\n2;0,1=x<y;0,2=a inb;" },
    { "<table><tr></tr><tr><td>5</td></tr></table>", 1, 1, 0, "0,0=5;" },
    { "<table><tr><td>&#65;&#x42;&#xD800;&bad;&#0;</td></tr>", 1, 1, 0, "0,0=AB&#xD800;&bad;&#0;;" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (DpTable) table = dp_model_table (cases[i].html);
    g_assert_nonnull (table);
    g_autofree char *got = describe (table);
    g_assert_cmpuint (table->n_rows, ==, cases[i].rows);
    g_assert_cmpuint (table->n_cols, ==, cases[i].columns);
    g_assert_cmpuint (table->n_header_rows, ==, cases[i].headers);
    if (cases[i].cells)
      g_assert_cmpstr (got, ==, cases[i].cells);
  }
  g_assert_null (dp_model_table ("words <b>only</b>"));
  g_assert_null (dp_model_table (""));
}

/* Any soup of tags: every place belongs to one cell. */
static void
test_html_random (void)
{
  static const char *const parts[] = { "<tr>",  "</tr>", "<td>",    "<td rowspan=2>", "<td colspan=3>", "<td rowspan=3 colspan=2>",
                                       "</td>", "x",     "<table>", "</table>",       "<br>",           "&amp;",
                                       "<",     "<th>" };

  for (guint n = 0; n < 2000; n++) {
    g_autoptr (GString) html = g_string_new ("<table>");
    for (gint k = g_test_rand_int_range (1, 40); k > 0; k--)
      g_string_append (html, parts[g_test_rand_int_range (0, G_N_ELEMENTS (parts))]);
    g_autoptr (DpTable) table = dp_model_table (html->str);
    if (!table)
      continue;
    g_autofree guint8 *seen = g_malloc0 ((gsize) table->n_rows * table->n_cols);
    guint last = 0;
    for (guint i = 0; i < table->cells->len; i++) {
      const DpCell *cell = g_ptr_array_index (table->cells, i);
      const guint at = cell->row * table->n_cols + cell->col;
      g_assert_true (i == 0 || at > last);
      last = at;
      for (guint y = cell->row; y < cell->row + cell->row_span; y++)
        for (guint x = cell->col; x < cell->col + cell->col_span; x++) {
          g_assert_true (y < table->n_rows && x < table->n_cols);
          g_assert_cmpuint (seen[y * table->n_cols + x]++, ==, 0);
        }
    }
    for (guint i = 0; i < table->n_rows * table->n_cols; i++)
      g_assert_cmpuint (seen[i], ==, 1);
  }
}

static void
test_merge_rows (void)
{
  g_autoptr (DpTable) a = dp_model_table ("<table><tr><td>n</td><td>text</td></tr><tr><td>1</td><td>begins</td></tr></table>");
  g_autoptr (DpTable) b = dp_model_table ("<table><tr><td></td><td>and ends</td></tr><tr><td>2</td><td>next</td></tr></table>");
  static const guint8 flags[] = { 0, 1 }, all[] = { 1, 1 };

  dp_model_merge_rows (a, b, 0, flags, 2);
  g_autofree char *first = describe (a), *second = describe (b);
  g_assert_cmpstr (first, ==, "0,0=n;0,1=text;1,0=1;1,1=begins and ends;");
  g_assert_cmpstr (second, ==, "0,0=2;0,1=next;"); /* nothing was left of its row */
  dp_model_merge_rows (a, b, 0, flags, 3);         /* not as many cells */
  dp_model_merge_rows (a, b, 0, all, 2);           /* a table keeps its last row, empty */
  g_autofree char *third = describe (a), *rest = describe (b);
  g_assert_cmpstr (third, ==, "0,0=n;0,1=text;1,0=1 2;1,1=begins and ends next;");
  g_assert_cmpstr (rest, ==, "0,0=;0,1=;");
}

/* ---- what belongs together ------------------------------------------------------------------------------------------- */

static void
test_captions (void)
{
  Result r = read_page (
      BOX ("100", "100", "900", "120", "table_caption", "") BOX ("100", "130", "900", "200", "table", "")
          BOX ("100", "205", "900", "220", "table_footnote", "") BOX ("100", "300", "900", "400", "image", "")
              BOX ("100", "405", "900", "420", "image_caption", "") BOX ("100", "425", "900", "440", "image_footnote", "")
                  BOX ("100", "500", "900", "520", "caption", "") BOX ("100", "530", "900", "600", "code", "")
                      BOX ("100", "700", "900", "720", "text", "") BOX ("100", "730", "900", "750", "image_caption", ""),
      "\"text\":[\"Table 1\",\"Note a\",\"Figure 1\",\"Source\",\"Listing 1\",\"```c\\nint x;\\n```\",\"Prose.\",\"Lost caption\"],"
      "\"table\":[\"<fcel>a<fcel>b<nl><fcel>1<fcel>2<nl>\"]",
      FALSE);

  g_assert_cmpint (r.state, ==, DP_PAGE_READ);
  g_assert_cmpuint (r.layout->blocks->len, ==, 5);
  g_assert_cmpint (block_of (&r, 0)->kind, ==, DP_BLOCK_TABLE);
  check_text (block_at (block_of (&r, 0)->children, 0), DP_BLOCK_CAPTION, "Table 1");
  check_text (block_at (block_of (&r, 0)->children, 1), DP_BLOCK_TABLE_NOTE, "Note a");
  g_assert_cmpint (block_of (&r, 1)->kind, ==, DP_BLOCK_FIGURE);
  check_text (block_at (block_of (&r, 1)->children, 0), DP_BLOCK_CAPTION, "Figure 1");
  check_text (block_at (block_of (&r, 1)->children, 1), DP_BLOCK_TABLE_NOTE, "Source");
  g_assert_cmpstr (block_of (&r, 2)->text, ==, "int x;");
  g_assert_cmpstr (block_of (&r, 2)->sub_type, ==, "c");
  check_text (block_at (block_of (&r, 2)->children, 0), DP_BLOCK_CAPTION, "Listing 1");
  check_text (block_of (&r, 4), DP_BLOCK_PARAGRAPH, "Lost caption"); /* text stands between it and any picture */
  g_assert_cmpfloat (block_of (&r, 0)->box.y1, ==, 200);
  g_assert_cmpfloat_with_epsilon (block_of (&r, 0)->confidence, 0.9, 1e-6);
  g_assert_cmpint (block_of (&r, 0)->source, ==, DP_SOURCE_VLM);
  result_clear (&r);
}

/* Between two tables a table's caption goes to the one below it, a note to the one above. */
static void
test_captions_between (void)
{
  Result r = read_page (BOX ("100", "100", "900", "200", "table", "") BOX ("100", "210", "900", "220", "caption", "")
                            BOX ("100", "230", "900", "300", "table", "") BOX ("100", "310", "900", "320", "footnote", "")
                                BOX ("100", "330", "900", "400", "table", "") BOX ("100", "405", "900", "420", "text", "")
                                    BOX ("100", "425", "900", "500", "table", ""),
                        "\"text\":[\"Caption\",\"Note\",\"Table 3 (continued)\"],"
                        "\"table\":[\"<fcel>1<nl>\",\"<fcel>2<nl>\",\"<fcel>3<nl>\",\"<fcel>4<nl>\"]",
                        FALSE);

  g_assert_cmpuint (r.layout->blocks->len, ==, 4);
  g_assert_cmpuint (block_of (&r, 0)->children->len, ==, 0);
  check_text (block_at (block_of (&r, 1)->children, 0), DP_BLOCK_CAPTION, "Caption");
  check_text (block_at (block_of (&r, 1)->children, 1), DP_BLOCK_TABLE_NOTE, "Note");
  check_text (block_at (block_of (&r, 3)->children, 0), DP_BLOCK_CAPTION, "Table 3 (continued)");
  result_clear (&r);
}

/* Pieces of a caption that were taken for text: beside it, and between it and its table; a paragraph there is none. */
static void
test_caption_pieces (void)
{
  Result r = read_page (BOX ("100", "100", "200", "112", "table_caption", "") BOX ("220", "100", "600", "112", "text", "")
                            BOX ("100", "120", "900", "200", "table", "") BOX ("100", "300", "600", "312", "table_caption", "")
                                BOX ("100", "314", "700", "326", "text", "") BOX ("100", "330", "900", "400", "table", "")
                                    BOX ("100", "450", "600", "462", "text", "") BOX ("100", "500", "600", "512", "table_caption", "")
                                        BOX ("100", "520", "900", "600", "text", "") BOX ("100", "610", "900", "700", "table", ""),
                        "\"text\":[\"Table 1\",\"Trees\",\"Table 2\",\"second line\",\"Prose.\",\"Table 3\",\"A paragraph.\"],"
                        "\"table\":[\"<fcel>1<nl>\",\"<fcel>2<nl>\",\"<fcel>3<nl>\"]",
                        FALSE);

  g_assert_cmpuint (r.layout->blocks->len, ==, 6);
  check_text (block_at (block_of (&r, 0)->children, 0), DP_BLOCK_CAPTION, "Table 1");
  check_text (block_at (block_of (&r, 0)->children, 1), DP_BLOCK_CAPTION, "Trees");
  check_text (block_at (block_of (&r, 1)->children, 1), DP_BLOCK_CAPTION, "second line");
  check_text (block_of (&r, 3), DP_BLOCK_PARAGRAPH, "Table 3");
  check_text (block_of (&r, 4), DP_BLOCK_PARAGRAPH, "A paragraph.");
  result_clear (&r);
}

static void
test_formulas (void)
{
  Result r = read_page (BOX ("100", "100", "800", "150", "equation", "") BOX ("850", "100", "900", "150", "formula_number", "")
                            BOX ("100", "200", "900", "300", "equation_block", "") BOX ("100", "200", "900", "240", "equation", "")
                                BOX ("100", "250", "900", "300", "equation", "") BOX ("850", "400", "900", "450", "formula_number", "")
                                    BOX ("100", "500", "800", "550", "text", "") BOX ("850", "500", "900", "550", "formula_number", ""),
                        "\"text\":[\"(1)\",\"(2)\",\"words\",\"(9)\"],\"formula\":[\"\\\\[ E = mc^2 \\\\]\",\"a = b\",\"c = d\"]", FALSE);

  g_assert_cmpuint (r.layout->blocks->len, ==, 4);
  g_assert_cmpstr (block_of (&r, 0)->text, ==, "E = mc^2");
  g_assert_cmpstr (block_of (&r, 0)->label, ==, "(1)");
  g_assert_cmpstr (block_of (&r, 1)->text, ==, "\\begin{array}{l} a = b \\\\ c = d \\\\ \\end{array}");
  g_assert_cmpstr (block_of (&r, 1)->label, ==, "(2)");
  g_assert_cmpfloat_with_epsilon (block_of (&r, 1)->confidence, 0.9, 1e-6);
  check_text (block_of (&r, 3), DP_BLOCK_PARAGRAPH, "(9)"); /* no formula beside it */
  result_clear (&r);
}

static void
test_lists (void)
{
  Result r = read_page (BOX ("100", "100", "900", "300", "list", "") BOX ("100", "100", "900", "120", "list_item", "")
                            BOX ("160", "130", "900", "150", "list_item", "") BOX ("160", "160", "900", "180", "list_item", "")
                                BOX ("100", "190", "900", "210", "list_item", "") BOX ("100", "400", "900", "420", "ref_text", "")
                                    BOX ("100", "430", "900", "450", "ref_text", "") BOX ("100", "500", "900", "600", "index", "")
                                        BOX ("100", "900", "900", "950", "page_footnote", "") BOX ("100", "960", "900", "970", "list", ""),
                        "\"text\":[\"1. one\",\"\342\200\242 under\",\"\342\200\242 two\",\"2. last\",\"\\\\[1\\\\] First.\",\"[2] "
                        "Second.\",\"1 Start .... 7\\n1.1 More . . . 12\\nPlain\","
                        "\"\\\\(^{3}\\\\) A note\"]",
                        FALSE);
  const DpBlock *list = block_of (&r, 0), *first = block_at (list->children, 0), *toc = block_of (&r, 2);

  g_assert_cmpuint (r.layout->blocks->len, ==, 4); /* the empty list is gone */
  g_assert_true (list->ordered);
  g_assert_cmpuint (list->start, ==, 1);
  g_assert_cmpuint (list->children->len, ==, 2);
  check_text (first, DP_BLOCK_LIST_ITEM, "one");
  g_assert_cmpstr (first->label, ==, "1.");
  g_assert_cmpuint (block_at (first->children, 0)->children->len, ==, 2);
  check_text (block_at (block_at (first->children, 0)->children, 1), DP_BLOCK_LIST_ITEM, "two");
  check_text (block_at (list->children, 1), DP_BLOCK_LIST_ITEM, "last");
  g_assert_cmpstr (block_of (&r, 1)->sub_type, ==, "ref_text");
  check_text (block_at (block_of (&r, 1)->children, 1), DP_BLOCK_LIST_ITEM, "Second.");
  g_assert_cmpstr (block_at (block_of (&r, 1)->children, 0)->label, ==, "[1]");
  g_assert_cmpuint (toc->children->len, ==, 3);
  check_text (block_at (toc->children, 1), DP_BLOCK_TOC_ENTRY, "1.1 More");
  g_assert_cmpstr (block_at (toc->children, 1)->label, ==, "12");
  g_assert_cmpuint (block_at (toc->children, 1)->level, ==, 2);
  g_assert_null (block_at (toc->children, 2)->label);
  check_text (block_of (&r, 3), DP_BLOCK_FOOTNOTE, "A note");
  g_assert_cmpstr (block_of (&r, 3)->label, ==, "3");
  result_clear (&r);
}

static void
test_texts_join (void)
{
  Result r = read_page (BOX ("100", "100", "480", "120", "text", "<|txt_contd_tgt|>") BOX ("100", "200", "480", "300", "text", "")
                            BOX ("520", "50", "900", "90", "image", "") BOX ("520", "100", "900", "300", "text", "<|txt_contd_tgt|>")
                                BOX ("520", "310", "900", "320", "title", "") BOX ("520", "330", "900", "340", "text", "<|txt_contd_tgt|>"),
                        "\"text\":[\"goes on.\",\"A hyphen-\",\"ated word.\",\"Head\",\"not joined\"]", FALSE);

  g_assert_true (r.goes_on);
  g_assert_cmpuint (r.layout->blocks->len, ==, 5);
  check_text (block_of (&r, 1), DP_BLOCK_PARAGRAPH, "A hyphenated word.");
  g_assert_cmpuint (block_of (&r, 1)->parts->len, ==, 1);
  check_text (block_of (&r, 4), DP_BLOCK_PARAGRAPH, "not joined");
  result_clear (&r);
}

/* ---- pictures ------------------------------------------------------------------------------------------------------------ */

#define ANALYSIS(class, sub, content)                                                                                                      \
  "<|class_start|>" class "<|class_end|><|sub_class_start|>" sub                                                                           \
                          "<|sub_class_end|><|caption_start|>seen<|caption_end|><|content_start|>" content "<|content_end|>"

static void
test_pictures (void)
{
  Result r = read_page (
      BOX ("100", "100", "900", "200", "chart", "") BOX ("100", "210", "900", "300", "image", "")
          BOX ("100", "310", "900", "400", "image", "") BOX ("100", "410", "900", "500", "image", "")
              BOX ("100", "510", "900", "600", "image", "") BOX ("100", "610", "900", "800", "image_block", "")
                  BOX ("110", "620", "400", "790", "image", "") BOX ("410", "620", "890", "790", "chart", ""),
      "\"image\":[\"" ANALYSIS ("chart", "bar", "| a | b |\\n| --- | --- |\\n| 1 | 2 |") "\",\"" ANALYSIS (
          "flowchart", "", "graph TD\\nA --> B") "\",\"" ANALYSIS ("natural_image", "photo",
                                                                   "") "\",\"" ANALYSIS ("text_image", "",
                                                                                         "words") "\",\"" ANALYSIS ("pure_table", "",
                                                                                                                    "<fcel>x<nl>") "\"]",
      TRUE);
  const DpBlock *chart = block_of (&r, 0), *flow = block_of (&r, 1);

  g_assert_cmpuint (r.layout->blocks->len, ==, 6);
  g_assert_true (chart->chart);
  g_assert_cmpstr (chart->sub_type, ==, "bar");
  g_assert_cmpstr (chart->alt, ==, "seen");
  g_assert_cmpuint (block_at (chart->children, 0)->table->n_rows, ==, 2);
  g_assert_cmpstr (flow->sub_type, ==, "flowchart");
  g_assert_cmpstr (block_at (flow->children, 0)->text, ==, "graph TD\n  A --> B");
  g_assert_cmpstr (block_at (flow->children, 0)->sub_type, ==, "mermaid");
  g_assert_cmpuint (block_of (&r, 2)->children->len, ==, 0);
  g_assert_cmpstr (block_of (&r, 2)->alt, ==, "seen");
  check_text (block_at (block_of (&r, 3)->children, 0), DP_BLOCK_FIGURE_TEXT, "words");
  g_assert_cmpint (block_of (&r, 4)->kind, ==, DP_BLOCK_TABLE);
  g_assert_cmpint (block_of (&r, 5)->kind, ==, DP_BLOCK_FIGURE); /* one picture for both */
  result_clear (&r);
}

/* The code is the one that the model is shown: the same on every run. */
static void
test_table_pictures (void)
{
  Result r = read_page (BOX ("100", "100", "900", "500", "table", "") BOX ("200", "200", "300", "300", "image", "")
                            BOX ("200", "300", "300", "400", "image", ""),
                        "\"table\":[\"<fcel>one [ K8TK ]<fcel>[H2Y3]<nl><fcel>2<fcel>3<nl>\"]", FALSE);
  const DpBlock *table = block_of (&r, 0);

  g_assert_cmpuint (r.layout->blocks->len, ==, 1);
  g_assert_cmpint (block_at (table->children, 0)->kind, ==, DP_BLOCK_FIGURE);
  g_assert_cmpfloat (block_at (table->children, 0)->box.x0, ==, 100);
  g_assert_cmpfloat (block_at (table->children, 1)->box.y0, ==, 300);
  const DpCell *first = g_ptr_array_index (table->table->cells, 0), *second = g_ptr_array_index (table->table->cells, 1);
  const DpSpan *picture = g_ptr_array_index (first->spans, 1), *other = g_ptr_array_index (second->spans, 0);
  g_assert_cmpuint (picture->style, ==, DP_SPAN_PICTURE);
  g_assert_cmpstr (picture->uri, ==, "#0");
  g_assert_cmpstr (picture->text, ==, "[image 1]");
  g_assert_cmpstr (other->uri, ==, "#1");
  result_clear (&r);
}

/* ---- Markdown ------------------------------------------------------------------------------------------------------------- */

/* Pages whose Markdown mineru-vl-utils agrees with (tests/fixtures/vlm/mineru.py). */
static void
test_markdown (void)
{
  cJSON *tree = golden_load ("mineru.json");
  const cJSON *c;
  guint n = 0;

  cJSON_ArrayForEach (c, golden_get (tree, "markdown"))
  {
    g_autofree char *page = cJSON_PrintUnformatted (golden_get (c, "script")), *script = g_strdup_printf ("[%s]", page);
    g_autofree char *wanted = g_strconcat (golden_string (c, "markdown"), "\n", NULL);
    Result r = read_script (script, FALSE);
    g_autoptr (GPtrArray) layouts = g_ptr_array_new ();
    g_autoptr (DpDocumentInfo) info = dp_document_info_new ();
    g_ptr_array_add (layouts, r.layout);
    g_autoptr (DpDocument) document = dp_layout_document (layouts, info, NULL);
    g_autofree char *got = dp_output_markdown (document, NULL, NULL);
    g_assert_cmpstr (got, ==, wanted);
    result_clear (&r);
    n++;
  }
  g_assert_cmpuint (n, ==, 5);
  cJSON_Delete (tree);
}

/* ---- troubles -------------------------------------------------------------------------------------------------------------- */

static void
test_malformed (void)
{
  Result r = read_page ("<|box_start|>1 2 3<|box_end|><|ref_start|>text<|ref_end|>" BOX ("100", "100", "100", "200", "text", "")
                            BOX ("1", "2", "2000", "4", "text", "") BOX ("1", "2", "3", "4", "hologram", "")
                                BOX ("900", "400", "100", "300", "text", "") "<|box_start|>100 500 900 600<|box_end|><|ref_start|>te",
                        "\"text\":[\"survives\"]", FALSE);

  g_assert_cmpuint (r.layout->blocks->len, ==, 1);
  check_text (block_of (&r, 0), DP_BLOCK_PARAGRAPH, "survives");
  g_assert_cmpfloat (block_of (&r, 0)->box.y0, ==, 300);
  result_clear (&r);
}

static void
test_no_regions (void)
{
  Result r = read_page ("<|txtMask fill:#>\n<|txtMask fill:#>\n", "\"text\":[\"all of it\"]", FALSE), blank = read_page (" \n", "", FALSE),
         failed = read_script ("[{}]", FALSE);

  check_text (block_of (&r, 0), DP_BLOCK_PARAGRAPH, "all of it");
  g_assert_cmpint (r.state, ==, DP_PAGE_DOUBTFUL);
  g_assert_nonnull (strstr (r.reason, "read as one"));
  g_assert_cmpuint (blank.layout->blocks->len, ==, 0);
  g_assert_cmpint (blank.state, ==, DP_PAGE_READ);
  g_assert_true (failed.layout->needs_model);
  g_assert_cmpint (failed.state, ==, DP_PAGE_NEEDS_MODEL);
  g_assert_nonnull (strstr (failed.reason, "layout: the script has no answer"));
  result_clear (&r);
  result_clear (&blank);
  result_clear (&failed);
}

static void
test_bad_regions (void)
{
  Result r = read_page (BOX ("100", "100", "900", "200", "text", "") BOX ("100", "210", "900", "300", "text", "")
                            BOX ("100", "310", "900", "400", "table", "") BOX ("100", "410", "900", "500", "text", "")
                                BOX ("100", "510", "900", "600", "table", "") BOX ("100", "610", "900", "611", "text", ""),
                        "\"text\":[{\"text\":\"again and again\",\"finish\":\"loop\"},{\"finish\":\"failed\"},\"\",\"thin\"],"
                        "\"table\":[{\"text\":\"<fcel>1<nl><fcel>\",\"finish\":\"length\"},\"no cells\"]",
                        FALSE);

  g_assert_cmpint (r.state, ==, DP_PAGE_INCOMPLETE);
  g_assert_nonnull (strstr (r.reason, "1 region could not be read (text: the script has no answer)"));
  g_assert_nonnull (strstr (r.reason, "1 region made the model go round in circles"));
  g_assert_nonnull (strstr (r.reason, "1 region had more text"));
  check_text (block_of (&r, 0), DP_BLOCK_PARAGRAPH, "again and again");
  g_assert_cmpint (block_of (&r, 1)->kind, ==, DP_BLOCK_PAGE_PICTURE);
  g_assert_cmpint (block_of (&r, 1)->source, ==, DP_SOURCE_NONE);
  g_assert_cmpint (block_of (&r, 2)->kind, ==, DP_BLOCK_TABLE);
  g_assert_cmpint (block_of (&r, 3)->kind, ==, DP_BLOCK_FIGURE); /* a table without cells is shown */
  check_text (block_of (&r, 4), DP_BLOCK_PARAGRAPH, "thin");
  g_assert_cmpuint (r.layout->blocks->len, ==, 5);
  result_clear (&r);
}

/* ---- many pages ---------------------------------------------------------------------------------------------------------------- */

#define PAGES 40u

static void
count_result (DpModelResult *result, gpointer data)
{
  guint *seen = data;

  g_assert_cmpuint (result->layout->blocks->len, ==, 2);
  seen[result->item]++;
}

/* Two texts on every page. */
static cJSON *
two_texts (guint pages)
{
  cJSON *script = cJSON_CreateArray ();

  for (guint p = 0; p < pages; p++)
    cJSON_AddItemToArray (
        script, cJSON_Parse ("{\"layout\":\"<|box_start|>0 0 999 499<|box_end|><|ref_start|>text<|ref_end|><|rotate_up|>"
                             "<|box_start|>0 500 999 999<|box_end|><|ref_start|>text<|ref_end|><|rotate_up|>\",\"text\":[\"a.\",\"b.\"]}"));
  return script;
}

static void
add_page (DpModelFlow *flow, guint p)
{
  dp_model_flow_enter (flow);
  dp_model_flow_add (flow, p, new_page (p + 1), DP_MODEL_TEXT_NONE, blank_picture (250, 500));
}

/* As many pages as there are places are with the model together, and never more. */
static void
test_overlap (void)
{
  guint seen[PAGES] = { 0 };
  Scripted *scripted = scripted_new (two_texts (PAGES));
  const DpModelFlowOptions options = { .answerer = &scripted->answerer };
  DpModelFlow *flow = dp_model_flow_new (&options, count_result, seen);

  scripted->gate = DP_MODEL_PLACES;
  for (guint p = 0; p < PAGES; p++)
    add_page (flow, p);
  dp_model_flow_drain (flow);
  g_assert_false (dp_model_flow_is_busy (flow));
  dp_model_flow_free (flow);
  for (guint p = 0; p < PAGES; p++)
    g_assert_cmpuint (seen[p], ==, 1);
  g_assert_cmpuint (scripted->most_waiting, >=, DP_MODEL_PLACES);
  g_assert_cmpuint (scripted->most_waiting, <=, 2 * DP_MODEL_PLACES);
  g_assert_cmpuint (scripted->most_pixels, <=, DP_MODEL_PLACES * 1036 * 1036);
  scripted_free (scripted);
}

/* The pages of one flow are asked for while those of another are not answered, and all flows together keep to the places. */
static void
test_shared_places (void)
{
  guint seen[2][PAGES] = { { 0 } };
  Scripted *scripted = scripted_new (two_texts (PAGES));
  g_autoptr (DpModelPlaces) places = dp_model_places_new (3);
  const DpModelFlowOptions options = { .answerer = &scripted->answerer, .places = places };
  DpModelFlow *flows[2] = { dp_model_flow_new (&options, count_result, seen[0]), dp_model_flow_new (&options, count_result, seen[1]) };

  scripted->gate = 3;
  for (guint p = 0; p < PAGES; p++)
    add_page (flows[p % 2], p);
  for (guint f = 0; f < 2; f++) {
    dp_model_flow_enter (flows[f]); /* a page whose picture cannot be made */
    dp_model_flow_leave (flows[f]);
    dp_model_flow_drain (flows[f]);
    dp_model_flow_free (flows[f]);
  }
  for (guint p = 0; p < PAGES; p++)
    g_assert_cmpuint (seen[p % 2][p], ==, 1);
  g_assert_cmpuint (dp_model_places_most (places), ==, 3);
  g_assert_cmpuint (scripted->most_waiting, <=, 2 * 3);
  scripted_free (scripted);
}

/* ---- several threads -------------------------------------------------------------------------------------------------------------- */

#define THREADS 4u

typedef struct {
  DpModelFlow *flow;
  guint first;
} Adder;

static gpointer
add_pages (gpointer data)
{
  const Adder *adder = data;

  for (guint p = adder->first; p < PAGES; p += THREADS)
    add_page (adder->flow, p);
  return NULL;
}

static void
test_threads (void)
{
  guint seen[PAGES] = { 0 };
  GThread *threads[THREADS];
  Adder adders[THREADS];
  Scripted *scripted = scripted_new (two_texts (PAGES));
  const DpModelFlowOptions options = { .answerer = &scripted->answerer };
  DpModelFlow *flow = dp_model_flow_new (&options, count_result, seen);

  for (guint t = 0; t < THREADS; t++) {
    adders[t] = (Adder){ flow, t };
    threads[t] = g_thread_new (NULL, add_pages, &adders[t]);
  }
  for (guint t = 0; t < THREADS; t++)
    g_thread_join (threads[t]);
  dp_model_flow_drain (flow);
  dp_model_flow_free (flow);
  for (guint p = 0; p < PAGES; p++)
    g_assert_cmpuint (seen[p], ==, 1);
  g_assert_cmpuint (scripted->most_waiting, <=, 2 * DP_MODEL_PLACES);
  scripted_free (scripted);
}

/* A flow that is given up waits for its pages, tells nobody and leaves nothing behind. */
static void
test_given_up (void)
{
  guint seen[PAGES] = { 0 };
  Scripted *scripted = scripted_new (cJSON_Parse ("[]"));
  const DpModelFlowOptions options = { .answerer = &scripted->answerer };
  DpModelFlow *flow = dp_model_flow_new (&options, count_result, seen);

  scripted->gate = 3;
  for (guint p = 0; p < 2; p++) {
    dp_model_flow_enter (flow);
    dp_model_flow_add (flow, p, new_page (p + 1), p ? DP_MODEL_TEXT_USE : DP_MODEL_TEXT_NONE, blank_picture (250, 500));
  }
  dp_model_flow_give_up (flow);
  dp_answer_free (dp_wait (&scripted->answerer, dp_ask (&scripted->answerer, &(DpRequest){ .prompt = "Please merge" })));
  dp_model_flow_free (flow);
  g_assert_cmpuint (seen[0] + seen[1], ==, 0);
  scripted_free (scripted);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/spans", test_spans);
  g_test_add_func ("/model/spans-odd", test_spans_odd);
  g_test_add_func ("/model/goes-on", test_goes_on);
  g_test_add_func ("/model/agreement", test_agreement);
  g_test_add_func ("/model/html", test_html);
  g_test_add_func ("/model/html-random", test_html_random);
  g_test_add_func ("/model/merge-rows", test_merge_rows);
  g_test_add_func ("/model/captions", test_captions);
  g_test_add_func ("/model/captions-between", test_captions_between);
  g_test_add_func ("/model/caption-pieces", test_caption_pieces);
  g_test_add_func ("/model/formulas", test_formulas);
  g_test_add_func ("/model/lists", test_lists);
  g_test_add_func ("/model/texts-join", test_texts_join);
  g_test_add_func ("/model/pictures", test_pictures);
  g_test_add_func ("/model/table-pictures", test_table_pictures);
  g_test_add_func ("/model/markdown", test_markdown);
  g_test_add_func ("/model/malformed", test_malformed);
  g_test_add_func ("/model/no-regions", test_no_regions);
  g_test_add_func ("/model/bad-regions", test_bad_regions);
  g_test_add_func ("/model/overlap", test_overlap);
  g_test_add_func ("/model/shared-places", test_shared_places);
  g_test_add_func ("/model/threads", test_threads);
  g_test_add_func ("/model/given-up", test_given_up);
  return g_test_run ();
}
