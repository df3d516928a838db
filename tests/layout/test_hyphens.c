/* tests/layout/test_hyphens.c - hyphens at line ends: what the document says, and what first parts say. */
#include "tests/layout/flow_page.h"

/* A paragraph of two lines that divide a word; more: further text of the document. */
static void
check (const char *first, const char *second, const char *more, const char *expected)
{
  FlowDoc doc = flow_doc ();
  g_autofree char *a = g_strdup_printf ("and so they came in the end to what had been called a %s", first);
  g_autofree char *b = g_strdup_printf ("%s by all of them that were there.", second);
  g_autofree char *whole
      = g_strdup_printf ("and so they came in the end to what had been called a %s by all of them that were there.", expected);
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 100, 10, 0, a);
  add_line (&doc, 80, 112, 10, 0, b);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 160, 10, 0, more);
  g_autoptr (DpDocument) document = grow (&doc);
  g_test_message ("%s %s", first, second);
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 0), whole);
  flow_doc_free (&doc);
}

static void
test_document (void)
{
  check ("pas-", "senger", "It was a quiet day.", "passenger");
  check ("pre-", "pandemic", "A pre-pandemic year and a pandemic one.", "pre-pandemic");
  check ("salt-", "replaceable", "All that is salt-replaceable, and more.", "salt-replaceable");
  check ("data-", "base", "The database was lost.", "database");
  check ("data-", "base", "The data of the base were lost.", "database");
}

/* Two words of the document with a hyphen between them; a capital shows a noun of German, which would lose it in a compound. */
static void
test_two_words (void)
{
  check ("option-", "pricing", "The pricing of an option is hard.", "option-pricing");
  check ("option-", "ally", "An option is no ally here.", "optionally");
  check ("daten-", "verarbeitung", "Die Verarbeitung der daten.", "datenverarbeitung");
  check ("under-", "lying", "They were lying under a tree.", "underlying");
  check ("precisa-", "mente", "A precisa mente de quem sabe.", "precisamente");
  check ("state-of-", "the-art", "There it was.", "state-of-the-art");
  check ("time-", "consuming", "There it was.", "time-consuming");
  check ("cross-", "section", "There it was.", "cross-section");
  check ("SO-", "LAR", "The lamp is called SOLAR.", "SOLAR");
  check ("US-", "UK", "The lamp is called USUKA.", "US-UK");
  check ("cor-", "related", "There it was.", "correlated");
}

static void
test_first_parts (void)
{
  check ("non-", "linear", "It grows in a linear way.", "non-linear");
  check ("non-", "sense", "There it was.", "nonsense");
  check ("self-", "made", "There it was.", "self-made");
  check ("one-", "eighth", "An eighth of it was lost.", "one-eighth");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hyphens/document", test_document);
  g_test_add_func ("/hyphens/first-parts", test_first_parts);
  g_test_add_func ("/hyphens/two-words", test_two_words);
  return g_test_run ();
}
