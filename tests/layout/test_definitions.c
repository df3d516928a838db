/* tests/layout/test_definitions.c - terms and senses become list items; notes at the end of a chapter. */
#include "tests/layout/flow_page.h"

static void
pair (FlowDoc *doc, float y, const char *term, const char *first, const char *second)
{
  add_line (doc, 80, y, 10, DP_SPAN_BOLD, term);
  add_line (doc, 104, y + 12, 10, 0, first);
  if (second)
    add_line (doc, 104, y + 24, 10, 0, second);
}

static void
test_pairs (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  pair (&doc, 200, "slack", "the time between two tides when the water stands quite still for", "about twenty minutes");
  pair (&doc, 238, "bar", "a bank of sand across the mouth of a river", NULL);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_LIST), ==, 1);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_LIST_ITEM), ==, 2);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 0);
  assert_text (nth_block (document, DP_BLOCK_LIST_ITEM, 0),
               "slack\nthe time between two tides when the water stands quite still for about twenty minutes");
  assert_text (nth_block (document, DP_BLOCK_LIST_ITEM, 1), "bar\na bank of sand across the mouth of a river");
  flow_doc_free (&doc);
}

/* An option of a command is a term, though it stands alone, under a title set further out, in bold type. */
static void
test_options (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 200, 10, DP_SPAN_BOLD, "Matching Control");
  pair (&doc, 212, "-i, --ignore-case", "ignores what letters are capitals, in the patterns and in the data", NULL);
  add_line (&doc, 80, 240, 10, 0, "--label=NAME");
  add_line (&doc, 104, 252, 10, 0, "shows the input as that of a file of this name");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 300, 6);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_LIST_ITEM), ==, 2);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 1);
  assert_text (nth_block (document, DP_BLOCK_HEADING, 0), "Matching Control");
  assert_text (nth_block (document, DP_BLOCK_LIST_ITEM, 0),
               "-i, --ignore-case\nignores what letters are capitals, in the patterns and in the data");
  assert_text (nth_block (document, DP_BLOCK_LIST_ITEM, 1), "--label=NAME\nshows the input as that of a file of this name");
  flow_doc_free (&doc);
}

/* One pair alone, and bold lines over text at the same edge, are no definitions. */
static void
test_no_pairs (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  pair (&doc, 200, "slack", "the time between two tides", NULL);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 260, 6);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_LIST), ==, 0);
  flow_doc_free (&doc);
}

/* Marks on the first page, notes under their heading on the second; a number without a mark stays. */
static void
test_endnotes (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 6);
  add_line (&doc, 80, 172, 10, 0, "It was counted by hand^1^ and reported to the office^2^ in the spring.");
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 100, 14, DP_SPAN_BOLD, "Notes");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 130, 10, 0, "1. The census is kept in the archive.");
  add_line (&doc, 80, 142, 10, 0, "2. Report of the harbour master, which nobody has read since the");
  add_line (&doc, 95, 154, 10, 0, "day it came.");
  g_autoptr (DpDocument) document = grow (&doc);
  const DpBlock *second = nth_block (document, DP_BLOCK_FOOTNOTE, 1);
  guint bound = 0;
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_FOOTNOTE), ==, 2);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_LIST), ==, 0);
  g_assert_cmpstr (second->label, ==, "2");
  assert_text (second, "Report of the harbour master, which nobody has read since the day it came.");
  for (guint i = 0; i < nth_block (document, DP_BLOCK_PARAGRAPH, 0)->spans->len; i++)
    bound += (((DpSpan *) g_ptr_array_index (nth_block (document, DP_BLOCK_PARAGRAPH, 0)->spans, i))->style & DP_SPAN_NOTE_REF) != 0;
  g_assert_cmpuint (bound, ==, 2);
  flow_doc_free (&doc);
}

/* A list under "Notes" that no mark points to is a list. */
static void
test_notes_without_marks (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 200, 14, DP_SPAN_BOLD, "Notes");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 230, 10, 0, "1. Bring a lamp.");
  add_line (&doc, 80, 242, 10, 0, "2. Bring a rope.");
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_FOOTNOTE), ==, 0);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_LIST_ITEM), ==, 2);
  flow_doc_free (&doc);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/definitions/pairs", test_pairs);
  g_test_add_func ("/definitions/options", test_options);
  g_test_add_func ("/definitions/no-pairs", test_no_pairs);
  g_test_add_func ("/endnotes/bound", test_endnotes);
  g_test_add_func ("/endnotes/no-marks", test_notes_without_marks);
  return g_test_run ();
}
