/* tests/layout/test_margins.c - margin notes, ornaments, watermarks: kept in the tree, not in the text. */
#include "tests/layout/flow_page.h"

static void
test_margin_note (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 60, 100, 12);
  add_region (&doc, DP_REGION_TEXT, 1);
  add_line (&doc, 420, 120, 7, DP_SPAN_ITALIC, "see the note");
  add_line (&doc, 420, 129, 7, DP_SPAN_ITALIC, "of 1908");
  /* print of the text's own size beside it is a column, however narrow */
  add_region (&doc, DP_REGION_TEXT, 1);
  add_line (&doc, 420, 180, 10, 0, "Tides");
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_ASIDE), ==, 1);
  assert_text (nth_block (document, DP_BLOCK_ASIDE, 0), "see the note of 1908");
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 1), "Tides");
  flow_doc_free (&doc);
}

/* The same picture at the same place of three pages; another on the second stays a figure. */
static void
test_ornament (void)
{
  FlowDoc doc = flow_doc ();
  for (guint p = 0; p < 3; p++) {
    add_page (&doc);
    add_region (&doc, DP_REGION_FIGURE, 0);
    doc.region->box = (DpRect){ 500, 20, 560, 60 };
    add_region (&doc, DP_REGION_TEXT, 0);
    add_prose (&doc, 60, 120, 12);
    if (p == 1) {
      add_region (&doc, DP_REGION_FIGURE, 0);
      doc.region->box = (DpRect){ 100, 400, 300, 520 };
    }
  }
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_FIGURE), ==, 1);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_ASIDE), ==, 3);
  g_assert_cmpfloat (nth_block (document, DP_BLOCK_FIGURE, 0)->box.y0, ==, 400);
  flow_doc_free (&doc);
}

/* Large pale letters that text is written over; large black ones between the lines are a title. */
static void
check_mark (guint32 colour, guint asides)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 120, 170, 60, DP_SPAN_BOLD, "DRAFT");
  g_array_index (doc.page->lines, DpLine, 0).colour = colour;
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 60, 120, 12);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_ASIDE), ==, asides);
  flow_doc_free (&doc);
}

static void
test_watermark (void)
{
  check_mark (0xd7d7d7, 1);
  check_mark (0x202020, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/margins/note", test_margin_note);
  g_test_add_func ("/margins/ornament", test_ornament);
  g_test_add_func ("/margins/watermark", test_watermark);
  return g_test_run ();
}
