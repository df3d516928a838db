/* tests/layout/test_combs.c - letters in boxes of their own are words, entries of a table are not. */
#include "tests/layout/table_page.h"

#define PITCH 16.0f

/* A row of boxes from (100, y) on, and in each what cells says; "" = nothing. */
static void
put_boxes (TablePage *t, float y, const char *const *cells, guint n)
{
  put_h (t, y, 100, 100 + PITCH * (float) n);
  put_h (t, y + 18, 100, 100 + PITCH * (float) n);
  for (guint i = 0; i <= n; i++)
    put_v (t, 100 + PITCH * (float) i, y, y + 18);
  for (guint i = 0; i < n; i++)
    if (*cells[i])
      put (t, 100 + PITCH * (float) i + 5.5f, y + 13, cells[i]);
}

static char *
text_of_words (const TablePage *t)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < t->layout->words->len; i++) {
    const DpWord *w = &g_array_index (t->layout->words, DpWord, i);
    gsize len;
    const char *s = dp_word_text (t->layout, w, &len);
    g_assert_cmpuint (w->n_chars, ==, len);
    g_string_append_printf (out, "%s%.*s", i ? "|" : "", (int) len, s);
  }
  return g_string_free (out, FALSE);
}

static void
test_letters (void)
{
  static const char *const name[] = { "A", "N", "N", "", "L", "E", "E", "" }, *const number[] = { "3", "3", "0", "4", "8", "", "", "" };
  TablePage t = table_page ();
  g_autofree char *words = NULL;

  put (&t, 100, 90, "Name");
  put_boxes (&t, 96, name, 8);
  put (&t, 100, 136, "Account");
  put_boxes (&t, 142, number, 8);
  run_passes (&t);
  words = text_of_words (&t);
  g_assert_cmpstr (words, ==, "Name|ANN|LEE|Account|33048");
  g_assert_cmpuint (t.layout->regions->len, ==, 0);
  g_assert_cmpuint (t.layout->vrules->len + t.layout->hrules->len, ==, 0);
  table_page_free (&t);
}

/* Two rows of boxes on each other are a grid; so is a row whose cells hold more than a letter. */
static void
test_tables_stay (void)
{
  static const char *const letters[] = { "a", "b", "c", "d", "e", "f" }, *const syllables[] = { "ab", "be", "ce", "de", "el", "fe" };

  for (guint kind = 0; kind < 2; kind++) {
    TablePage t = table_page ();
    g_autofree char *words = NULL;
    put_boxes (&t, 100, kind ? syllables : letters, 6);
    if (kind == 0) {
      put_boxes (&t, 118, letters, 6);
      put_boxes (&t, 136, letters, 6);
    }
    run_passes (&t);
    words = text_of_words (&t);
    g_assert_cmpstr (words, ==, kind ? "ab|be|ce|de|el|fe" : "a|b|c|d|e|f|a|b|c|d|e|f|a|b|c|d|e|f");
    if (kind == 0)
      assert_table (&t, 0, "a|b|c|d|e|f;a|b|c|d|e|f;a|b|c|d|e|f");
    g_assert_cmpuint (t.layout->vrules->len, ==, 7);
    table_page_free (&t);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/combs/letters", test_letters);
  g_test_add_func ("/combs/tables-stay", test_tables_stay);
  return g_test_run ();
}
