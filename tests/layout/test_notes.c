/* tests/layout/test_notes.c - footnotes, their marks, and what only looks like them. */
#include "tests/layout/flow_page.h"

static const DpSpan *
span_of_style (const DpBlock *block, guint style)
{
  for (guint i = 0; i < block->spans->len; i++)
    if (((const DpSpan *) g_ptr_array_index (block->spans, i))->style & style)
      return g_ptr_array_index (block->spans, i);
  return NULL;
}

static void
test_bound (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 200, 10, 0, "Rivers are long, and some of them are wide as well as deep, he said^1^");
  add_line (&doc, 80, 212, 10, 0, "when he came back.");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 700, 8, 0, "^1^ Or streams, in the words of the old law that was made for them,");
  add_line (&doc, 80, 710, 8, 0, "as the court has it.");
  g_autoptr (DpDocument) document = grow (&doc);
  DpBlock *note = nth_block (document, DP_BLOCK_FOOTNOTE, 0);
  const DpSpan *mark = span_of_style (nth_block (document, DP_BLOCK_PARAGRAPH, 1), DP_SPAN_NOTE_REF);
  assert_text (note, "Or streams, in the words of the old law that was made for them, as the court has it.");
  g_assert_cmpstr (note->label, ==, "1");
  g_assert_nonnull (mark);
  g_assert_cmpstr (mark->text, ==, "1");
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 1),
               "Rivers are long, and some of them are wide as well as deep, he said1 when he came back.");
  flow_doc_free (&doc);
}

/* "word*" is not raised, and the star is its own mark. */
static void
test_star (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 200, 10, 0, "The mills* stood on both banks of the river as the old maps show it.");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 700, 8, 0, "* Burnt down in the year of the flood.");
  g_autoptr (DpDocument) document = grow (&doc);
  const DpSpan *mark = span_of_style (nth_block (document, DP_BLOCK_PARAGRAPH, 1), DP_SPAN_NOTE_REF);
  g_assert_nonnull (mark);
  g_assert_cmpstr (mark->text, ==, "*");
  assert_text (nth_block (document, DP_BLOCK_FOOTNOTE, 0), "Burnt down in the year of the flood.");
  flow_doc_free (&doc);
}

/* A note that nothing points to goes back to the text with its mark; powers are no marks. */
static void
test_unbound (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 200, 10, 0, "Its area is x^2^ and nothing else is known about it to this very day.");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 700, 8, 0, "^2^ See the second part of this work.");
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_FOOTNOTE), ==, 0);
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 2), "2 See the second part of this work.");
  g_assert_null (span_of_style (nth_block (document, DP_BLOCK_PARAGRAPH, 1), DP_SPAN_NOTE_REF));
  flow_doc_free (&doc);
}

/* Small print with a number in the middle of the page, text below it: no note. */
static void
test_not_at_foot (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 400, 8, 0, "^1^ A line of small print between two paragraphs.");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 440, 6);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_FOOTNOTE), ==, 0);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_PARAGRAPH), ==, 3);
  flow_doc_free (&doc);
}

/* The page of the mark had no room: its note stands below a rule of the next page, and the text goes on past it. */
static void
test_next_page (void)
{
  FlowDoc doc = flow_doc ();
  DpRule rule = { .pos = 688, .from = 80, .to = 480, .thickness = 0.5f };
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 10);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 244, 10, 0, "Rivers are long, and some of them are wide as well as deep, he said^1^");
  add_line (&doc, 80, 256, 10, 0, "when he had been to all the rivers that anybody had told him of and");
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 100, 10, 0, "came back from the last.");
  add_prose (&doc, 80, 112, 12);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 700, 8, 0, "1. Or streams, in the words of the old law that was made for them.");
  g_array_append_val (doc.page->hrules, rule);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_FOOTNOTE), ==, 1);
  assert_text (nth_block (document, DP_BLOCK_FOOTNOTE, 0), "Or streams, in the words of the old law that was made for them.");
  g_assert_nonnull (span_of_style (nth_block (document, DP_BLOCK_PARAGRAPH, 1), DP_SPAN_NOTE_REF));
  flow_doc_free (&doc);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/notes/bound", test_bound);
  g_test_add_func ("/notes/star", test_star);
  g_test_add_func ("/notes/unbound", test_unbound);
  g_test_add_func ("/notes/next-page", test_next_page);
  g_test_add_func ("/notes/not-at-foot", test_not_at_foot);
  return g_test_run ();
}
