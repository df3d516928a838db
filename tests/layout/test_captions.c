/* tests/layout/test_captions.c - captions find their figure or table. */
#include "tests/layout/flow_page.h"
#include "layout/labels.h"

static void
figure (FlowDoc *doc, guint column, float x0, float y0, float x1, float y1)
{
  add_region (doc, DP_REGION_FIGURE, column);
  doc->region->box = (DpRect){ x0, y0, x1, y1 };
}

/* Two figures side by side: each caption goes to the one above it. */
static void
test_nearest (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 60, 6);
  figure (&doc, 0, 80, 200, 280, 300);
  figure (&doc, 1, 320, 200, 520, 300);
  add_region (&doc, DP_REGION_TEXT, 1);
  add_line (&doc, 330, 318, 9, 0, "Figure 2: The lake");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 90, 318, 9, 0, "Figure 1: The river and its");
  add_line (&doc, 90, 328, 9, 0, "banks");
  g_autoptr (DpDocument) document = grow (&doc);
  DpBlock *left = nth_block (document, DP_BLOCK_FIGURE, 0), *right = nth_block (document, DP_BLOCK_FIGURE, 1);
  g_assert_cmpuint (left->children->len, ==, 1);
  assert_text ((DpBlock *) g_ptr_array_index (left->children, 0), "Figure 1: The river and its banks");
  g_assert_cmpuint (right->children->len, ==, 1);
  assert_text ((DpBlock *) g_ptr_array_index (right->children, 0), "Figure 2: The lake");
  flow_doc_free (&doc);
}

/* Prose that begins with "Figure 3 shows" stays prose; a caption far from any figure stays a caption. */
static void
test_prose (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  figure (&doc, 0, 80, 100, 280, 200);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 215, 10, 0, "Figure 3 shows the river.");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 600, 10, 0, "Table 4. Floods by year");
  g_autoptr (DpDocument) document = grow (&doc);
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 0), "Figure 3 shows the river.");
  g_assert_cmpuint (nth_block (document, DP_BLOCK_FIGURE, 0)->children->len, ==, 0);
  assert_text (nth_block (document, DP_BLOCK_CAPTION, 0), "Table 4. Floods by year");
  flow_doc_free (&doc);
}

static void
test_words (void)
{
  static const struct {
    const char *text;
    gboolean found, table;
  } cases[] = { { "Fig. 3.2 A", TRUE, FALSE },   { "Tabelle 2: B", TRUE, TRUE }, { "Abb. 7", TRUE, FALSE },        { "表1 C", TRUE, TRUE },
                { "figure 3 is", FALSE, FALSE }, { "Tables are", FALSE, FALSE }, { "Figure it out", FALSE, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gboolean table = FALSE;
    gsize length;
    g_test_message ("%s", cases[i].text);
    g_assert_cmpint (dp_label_caption (cases[i].text, &table, &length), ==, cases[i].found);
    if (cases[i].found)
      g_assert_cmpint (table, ==, cases[i].table);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/captions/nearest", test_nearest);
  g_test_add_func ("/captions/prose", test_prose);
  g_test_add_func ("/captions/words", test_words);
  return g_test_run ();
}
