/* tests/layout/test_addresses.c - the text of a link that is its own target has no blanks. */
#include "layout/addresses.h"

#include <string.h>

static DpDocument *
document_of (DpBlock *block)
{
  DpDocument *document = dp_document_new (NULL);

  g_ptr_array_add (document->blocks, block);
  return document;
}

static void
expect (const char *text, const char *uri, const char *want)
{
  DpBlock *block = dp_block_new (DP_BLOCK_PARAGRAPH, 1, (DpRect){ 0, 0, 1, 1 });

  dp_block_add_text (block, "see ", 0, NULL);
  dp_block_add_text (block, text, DP_SPAN_MONO, uri);
  dp_block_add_text (block, " there", 0, NULL);
  DpDocument *document = document_of (block);
  dp_document_close_addresses (document);
  g_assert_cmpstr (((const DpSpan *) g_ptr_array_index (block->spans, 1))->text, ==, want);
  g_assert_cmpstr (((const DpSpan *) g_ptr_array_index (block->spans, 0))->text, ==, "see ");
  g_assert_cmpstr (((const DpSpan *) g_ptr_array_index (block->spans, 2))->text, ==, " there");
  dp_document_free (document);
}

static void
test_gaps (void)
{
  expect ("https : / / www . example . org/", "https://www.example.org/", "https://www.example.org/");
  expect ("www.example. org/a.html", "http://www.example.org/a.html", "www.example.org/a.html");
  expect ("ann @ example.org", "mailto:ann@example.org", "ann@example.org");
  expect (" https: //example.org ", "https://example.org/", " https://example.org ");
}

/* Words that say something else than the target keep their blanks. */
static void
test_words (void)
{
  expect ("the example site", "https://example.org/", "the example site");
  expect ("page 12", "#page=12", "page 12");
  expect ("a b", "http://ab", "a b");
}

/* In two faces, and inside a cell of a table. */
static void
test_parts (void)
{
  DpBlock *block = dp_block_new (DP_BLOCK_TABLE, 1, (DpRect){ 0, 0, 1, 1 });

  block->table = dp_table_new (1, 1);
  DpCell *cell = dp_table_add_cell (block->table, 0, 0, 1, 1, block->box);
  g_ptr_array_add (cell->spans, dp_span_new ("http: ", DP_SPAN_MONO, "http://example.org"));
  g_ptr_array_add (cell->spans, dp_span_new ("//example .org ", 0, "http://example.org"));
  DpDocument *document = document_of (block);
  dp_document_close_addresses (document);
  g_assert_cmpstr (((const DpSpan *) g_ptr_array_index (cell->spans, 0))->text, ==, "http:");
  g_assert_cmpstr (((const DpSpan *) g_ptr_array_index (cell->spans, 1))->text, ==, "//example.org ");
  dp_document_free (document);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/addresses/gaps", test_gaps);
  g_test_add_func ("/addresses/words", test_words);
  g_test_add_func ("/addresses/parts", test_parts);
  return g_test_run ();
}
