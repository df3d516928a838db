/* tests/layout/test_tags.c - the structure tree helps when it is sane and is ignored otherwise. */
#include "tests/layout/flow_page.h"

static void
add_tag (FlowDoc *doc, const char *kind, const char *text, guint depth)
{
  DpTag tag = { .text = g_strdup (text), .alt = g_strdup (""), .depth = depth, .page = 1, .row_span = 1, .col_span = 1 };

  g_strlcpy (tag.kind, kind, sizeof tag.kind);
  g_array_append_val (doc->info->tags, tag);
}

/* A heading in the body's own face: only the tree knows. */
static void
fill (FlowDoc *doc)
{
  add_page (doc);
  add_region (doc, DP_REGION_TEXT, 0);
  add_line (doc, 80, 80, 16, DP_SPAN_BOLD, "Rivers");
  add_region (doc, DP_REGION_TEXT, 0);
  add_prose (doc, 80, 100, 2);
  add_region (doc, DP_REGION_TEXT, 0);
  add_line (doc, 80, 150, 10, 0, "Their springs");
  add_region (doc, DP_REGION_TEXT, 0);
  add_prose (doc, 80, 170, 2);
}

/* What heads everything. */
static const char prose[] = "So the quick brown fox jumps over the lazy dogs and runs on to the river where it drinks and rests a while "
                            "before it goes on and end.";

static void
test_sane (void)
{
  FlowDoc doc = flow_doc ();
  fill (&doc);
  add_tag (&doc, "H1", "Rivers", 0);
  add_tag (&doc, "P", "", 0);
  add_tag (&doc, "H2", "", 0);
  add_tag (&doc, "Span", "Their springs", 1);
  add_tag (&doc, "P", "", 0);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 2);
  assert_text (nth_block (document, DP_BLOCK_HEADING, 1), "Their springs");
  g_assert_cmpuint (nth_block (document, DP_BLOCK_HEADING, 1)->level, ==, 2);
  flow_doc_free (&doc);
}

/* The tree holds a fraction of the text: what the page looks like decides. */
static void
test_partial (void)
{
  FlowDoc doc = flow_doc ();
  fill (&doc);
  add_tag (&doc, "H1", "Their springs", 0);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 1);
  assert_text (nth_block (document, DP_BLOCK_HEADING, 0), "Rivers");
  flow_doc_free (&doc);
}

/* Everything a heading, absurdly deep: ignored, and quickly. */
static void
test_absurd (void)
{
  FlowDoc doc = flow_doc ();
  fill (&doc);
  for (guint i = 0; i < 20000; i++)
    add_tag (&doc, "H1", i == 19999 ? prose : "", i);
  add_tag (&doc, "H1", prose, 0);
  add_tag (&doc, "H1", "Their springs", 0);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 1);
  flow_doc_free (&doc);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tags/sane", test_sane);
  g_test_add_func ("/tags/partial", test_partial);
  g_test_add_func ("/tags/absurd", test_absurd);
  return g_test_run ();
}
