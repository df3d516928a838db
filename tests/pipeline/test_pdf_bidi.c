/* tests/pipeline/test_pdf_bidi.c - embedding marks in poppler's text, and whose box is whose. */
#include <string.h>

#include "pipeline/pdf_bidi.h"

#define LRE "\xe2\x80\xaa"
#define RLE "\xe2\x80\xab"
#define PDF "\xe2\x80\xac"

/* expected: per character the place of its box, as digits. */
static void
check (const char *text, const char *left, const char *expected)
{
  g_autofree char *copy = g_strdup (text);
  guint n = (guint) strlen (expected);
  g_autofree guint *box_of = dp_pdf_undo_embedding (copy, n);

  g_assert_cmpstr (copy, ==, left);
  g_assert_nonnull (box_of);
  for (guint i = 0; i < n; i++)
    g_assert_cmpuint (box_of[i], ==, (guint) (expected[i] - '0'));
}

static void
test_words (void)
{
  check (RLE "ABC" PDF, "ABC", "210");                          /* a word from right to left */
  check (RLE "AB" PDF " " RLE "CD" PDF, "AB CD", "10243");      /* two of them: each on its own */
  check ("ab" RLE "CD" PDF "ef", "abCDef", "013245");           /* inside left-to-right writing */
  check (RLE "AB" LRE "12" PDF "C" PDF, "AB12C", "43120");      /* digits keep their order */
  check (RLE LRE "12" PDF LRE "34" PDF PDF, "1234", "2301");    /* two inner pieces, the right one first */
  check (RLE "\xd7\x90\xd7\x91" PDF, "\xd7\x90\xd7\x91", "10"); /* Hebrew: characters, not bytes */
}

static void
test_without (void)
{
  char plain[] = "abc", odd[] = RLE "abc" PDF, unclosed[] = RLE "ab";
  g_autofree guint *box_of = NULL;

  g_assert_null (dp_pdf_undo_embedding (plain, 3));
  g_assert_cmpstr (plain, ==, "abc");
  g_assert_null (dp_pdf_undo_embedding (odd, 2)); /* boxes and characters do not agree */
  g_assert_cmpstr (odd, ==, "abc");
  box_of = dp_pdf_undo_embedding (unclosed, 2);
  g_assert_nonnull (box_of);
  g_assert_cmpuint (box_of[0], ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pdf-bidi/words", test_words);
  g_test_add_func ("/pdf-bidi/without", test_without);
  return g_test_run ();
}
