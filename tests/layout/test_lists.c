/* tests/layout/test_lists.c - labels, sequences, nesting, continuation lines. */
#include "tests/layout/flow_page.h"
#include "layout/labels.h"
#include "layout/tables.h"

static void
test_nested (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 90, 200, 10, 0, "3. wash the roots in cold water until no soil is left between them");
  add_line (&doc, 105, 212, 10, 0, "and let them dry");
  add_line (&doc, 110, 224, 10, 0, "• in the shade");
  add_line (&doc, 110, 236, 10, 0, "• or in a cellar");
  add_line (&doc, 90, 248, 10, 0, "4. cut them");
  g_autoptr (DpDocument) document = grow (&doc);
  DpBlock *list = nth_block (document, DP_BLOCK_LIST, 0), *first, *inner;
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_LIST), ==, 2);
  g_assert_true (list->ordered);
  g_assert_cmpuint (list->start, ==, 3);
  g_assert_cmpuint (list->children->len, ==, 2);
  first = g_ptr_array_index (list->children, 0);
  assert_text (first, "wash the roots in cold water until no soil is left between them and let them dry");
  g_assert_cmpstr (first->label, ==, "3.");
  g_assert_cmpuint (first->children->len, ==, 1);
  inner = g_ptr_array_index (first->children, 0);
  g_assert_false (inner->ordered);
  g_assert_cmpuint (inner->children->len, ==, 2);
  assert_text ((DpBlock *) g_ptr_array_index (inner->children, 1), "or in a cellar");
  flow_doc_free (&doc);
}

/* A list of one item in another list; the same label in the middle of a full item is text. */
static void
test_single (void)
{
  for (guint full = 0; full < 2; full++) {
    FlowDoc doc = flow_doc ();
    add_page (&doc);
    add_region (&doc, DP_REGION_TEXT, 0);
    add_prose (&doc, 80, 100, 6);
    add_line (&doc, 90, 200, 10, 0, "1. wash the roots");
    add_line (&doc, 90, 212, 10, 0, full ? "2. let them dry in the shade or in the cellar, as is said in (see" : "2. let them dry");
    add_line (&doc, 105, 224, 10, 0, "a) in the shade");
    add_line (&doc, 90, 236, 10, 0, "3. cut them");
    g_autoptr (DpDocument) document = grow (&doc);
    DpBlock *second = g_ptr_array_index (nth_block (document, DP_BLOCK_LIST, 0)->children, 1);
    g_assert_cmpuint (count_blocks (document, DP_BLOCK_LIST), ==, full ? 1 : 2);
    g_assert_cmpuint (second->children->len, ==, full ? 0 : 1);
    flow_doc_free (&doc);
  }
}

/* A paragraph set in between two items belongs to the first of them, a listing too; at the margin it ends the list. */
static void
test_inside (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 60, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 90, 150, 10, 0, "1. wash the roots in cold water");
  add_line (&doc, 110, 162, 10, 0, "• until no soil is left between them");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 120, 184, 10, 0, "The water of a river will do, if it is clear.");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 110, 206, 10, 0, "• and then once more");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 105, 228, 10, 0, "They are ready when they are white all over.");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 90, 250, 10, 0, "2. cut them");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 272, 10, 0, "This is all that has to be said about them.");
  g_autoptr (DpDocument) document = grow (&doc);
  DpBlock *list = nth_block (document, DP_BLOCK_LIST, 0), *first = g_ptr_array_index (list->children, 0), *inner;
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_LIST), ==, 2);
  g_assert_cmpuint (list->children->len, ==, 2);
  g_assert_cmpuint (first->children->len, ==, 2);
  inner = g_ptr_array_index (first->children, 0);
  g_assert_cmpuint (inner->children->len, ==, 2);
  inner = g_ptr_array_index (inner->children, 0);
  g_assert_cmpuint (inner->children->len, ==, 1);
  assert_text ((DpBlock *) g_ptr_array_index (inner->children, 0), "The water of a river will do, if it is clear.");
  assert_text ((DpBlock *) g_ptr_array_index (first->children, 1), "They are ready when they are white all over.");
  assert_text ((DpBlock *) g_ptr_array_index (document->blocks, document->blocks->len - 1), "This is all that has to be said about them.");
  flow_doc_free (&doc);
}

/* Lines of items that go on at the margin: what is set in after a sentence, full as its last line may be, is a paragraph. */
static void
test_paragraph_set_in (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 100, 10, 0, "• the quick brown fox jumps over the lazy dogs and runs on to the");
  add_line (&doc, 80, 112, 10, 0, "river where it drinks and rests a while before it goes further on.");
  add_line (&doc, 90, 124, 10, 0, "So this is a paragraph with an indent that is as wide as a dot is");
  add_line (&doc, 80, 136, 10, 0, "and whose other lines begin at the margin where the bullets stand.");
  g_autoptr (DpDocument) document = grow (&doc);
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 0),
               "So this is a paragraph with an indent that is as wide as a dot is and whose other lines begin at the margin where the "
               "bullets stand.");
  flow_doc_free (&doc);
}

/* On the next page, whose column begins elsewhere, the count and the bullet say which level an item has. */
static void
test_levels_over_pages (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 100, 10, 0, "the quick brown fox jumps over the lazy dogs and runs on to the");
  add_line (&doc, 90, 130, 10, 0, "1. Wash the roots");
  add_line (&doc, 110, 142, 10, 0, "• in cold water");
  add_line (&doc, 110, 154, 10, 0, "• or in a river");
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 110, 100, 10, 0, "• but not in hot water");
  add_line (&doc, 110, 112, 10, 0, "2. Cut them");
  add_line (&doc, 130, 124, 10, 0, "• in slices");
  g_autoptr (DpDocument) document = grow (&doc);
  DpBlock *list = nth_block (document, DP_BLOCK_LIST, 0);
  g_assert_true (list->ordered);
  g_assert_cmpuint (list->children->len, ==, 2);
  for (guint i = 0; i < 2; i++) {
    const DpBlock *item = g_ptr_array_index (list->children, i), *inner = g_ptr_array_index (item->children, 0);
    g_assert_cmpuint (inner->children->len, ==, i == 0 ? 3 : 1);
  }
  flow_doc_free (&doc);
}

/* One labelled line alone is no list; values that do not rise are none either. */
static void
test_no_list (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 200, 10, 0, "1987. a year of floods in the whole of the valley");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 230, 10, 0, "1955. another such year");
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_LIST), ==, 0);
  flow_doc_free (&doc);
}

/* The label stands in a region of its own, as wide gaps leave it. */
static void
test_apart (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 6);
  for (guint i = 0; i < 2; i++) {
    g_autofree char *label = g_strdup_printf ("[%u]", i + 1);
    add_region (&doc, DP_REGION_TEXT, 0);
    add_line (&doc, 80, 200 + 12 * (float) i, 10, 0, label);
    add_region (&doc, DP_REGION_TEXT, 0);
    add_line (&doc, 110, 200 + 12 * (float) i, 10, 0, "a book about rivers");
  }
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_LIST_ITEM), ==, 2);
  g_assert_cmpstr (nth_block (document, DP_BLOCK_LIST_ITEM, 1)->label, ==, "[2]");
  assert_text (nth_block (document, DP_BLOCK_LIST_ITEM, 1), "a book about rivers");
  flow_doc_free (&doc);
}

/* The list goes on at the head of the next column, and its last item too. */
static void
test_over_columns (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 40, 600, 8);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 40, 710, 10, 0, "a) the first of them");
  add_line (&doc, 40, 722, 10, 0, "b) the second that is long enough to reach the very end of its col");
  add_region (&doc, DP_REGION_TEXT, 1);
  add_line (&doc, 415, 150, 10, 0, "umn and more");
  add_line (&doc, 400, 162, 10, 0, "c) the third");
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_LIST), ==, 1);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_LIST_ITEM), ==, 3);
  assert_text (nth_block (document, DP_BLOCK_LIST_ITEM, 1), "the second that is long enough to reach the very end of its col umn and more");
  flow_doc_free (&doc);
}

static void
test_labels (void)
{
  static const struct {
    const char *text;
    DpLabelKind kind;
    guint value;
    gsize length;
  } cases[] = { { "12. a", DP_LABEL_ARABIC, 12, 3 }, { "(iv) a", DP_LABEL_ROMAN_LOWER, 4, 4 },
                { "B) a", DP_LABEL_UPPER, 2, 2 },    { "[7] a", DP_LABEL_ARABIC, 7, 3 },
                { " a", DP_LABEL_BULLET, 0, 3 },    { "- a", DP_LABEL_BULLET, 0, 1 },
                { "② a", DP_LABEL_CIRCLED, 2, 3 },   { "-5 degrees", DP_LABEL_NONE, 0, 0 },
                { "3.5 m", DP_LABEL_NONE, 0, 0 },    { "of it", DP_LABEL_NONE, 0, 0 },
                { "1.", DP_LABEL_NONE, 0, 0 },       { "10:30 a", DP_LABEL_NONE, 0, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    DpLabel label;
    gboolean found = dp_label_parse (cases[i].text, &label);
    g_test_message ("%s", cases[i].text);
    g_assert_cmpint (found, ==, cases[i].kind != DP_LABEL_NONE);
    if (found) {
      g_assert_cmpint (label.kind, ==, cases[i].kind);
      g_assert_cmpuint (label.value, ==, cases[i].value);
      g_assert_cmpuint (label.length, ==, cases[i].length);
    }
  }
  g_assert_cmpuint (dp_roman_value ("xiv", 3), ==, 14);
  g_assert_cmpuint (dp_roman_value ("mild", 4), ==, 0);
  g_assert_cmpuint (dp_roman_value ("IIX", 3), ==, 0);
}

/* After an item that ended its sentence, an indented line over lines at the margin is a paragraph. */
static void
test_paragraph_after (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 92, 200, 10, 0, "• the form of the year before.");
  add_line (&doc, 92, 212, 10, 0, "• the form of this year.");
  add_line (&doc, 92, 224, 10, 0, "Use the older form only if the newer one has not been sent to you");
  add_line (&doc, 80, 236, 10, 0, "by the end of the month.");
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_LIST_ITEM), ==, 2);
  assert_text (nth_block (document, DP_BLOCK_LIST_ITEM, 1), "the form of this year.");
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 1),
               "Use the older form only if the newer one has not been sent to you by the end of the month.");
  flow_doc_free (&doc);
}

static void
add_cell (DpTable *table, guint row, guint col, const char *text)
{
  DpCell *cell = g_new0 (DpCell, 1);

  cell->row = row;
  cell->col = col;
  cell->row_span = cell->col_span = 1;
  cell->spans = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_span_free);
  g_ptr_array_add (cell->spans, dp_span_new (text, 0, NULL));
  g_ptr_array_add (table->cells, cell);
}

/* Labels that count beside sentences are a list; figures, and a named column of numbers, are a table. */
static void
test_in_grid (void)
{
  DpTable *list = dp_table_new (2, 2), *named = dp_table_new (3, 2), *beside = dp_table_new (4, 2);

  add_cell (list, 0, 0, "1.");
  add_cell (list, 0, 1, "Regardless of the purpose for which it is used.");
  add_cell (list, 1, 0, "2.");
  add_cell (list, 1, 1, "Because their habits differ from one to the other.");
  g_assert_true (dp_table_is_list (list));
  add_cell (named, 0, 0, "No.");
  add_cell (named, 0, 1, "Subject of the resolution of the council");
  add_cell (named, 1, 0, "1.");
  add_cell (named, 1, 1, "Closing of the bridge to carts and horses");
  add_cell (named, 2, 0, "2.");
  add_cell (named, 2, 1, "Hiring of a smoker on account of the wasps");
  g_assert_false (dp_table_is_list (named));
  for (guint row = 0; row < 3; row++)
    for (guint col = 0; col < 2; col++)
      add_cell (beside, row, col, row == 0 ? "Repair" : "▪ Closes the port");
  g_assert_true (dp_table_is_list (beside));
  add_cell (beside, 3, 0, "24");
  g_assert_false (dp_table_is_list (beside));
  dp_table_free (beside);
  dp_table_free (list);
  dp_table_free (named);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lists/nested", test_nested);
  g_test_add_func ("/lists/single", test_single);
  g_test_add_func ("/lists/inside", test_inside);
  g_test_add_func ("/lists/paragraph-set-in", test_paragraph_set_in);
  g_test_add_func ("/lists/levels-over-pages", test_levels_over_pages);
  g_test_add_func ("/lists/no-list", test_no_list);
  g_test_add_func ("/lists/apart", test_apart);
  g_test_add_func ("/lists/over-columns", test_over_columns);
  g_test_add_func ("/lists/labels", test_labels);
  g_test_add_func ("/lists/paragraph-after", test_paragraph_after);
  g_test_add_func ("/lists/in-grid", test_in_grid);
  return g_test_run ();
}
