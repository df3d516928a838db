/* tests/layout/test_tables_rtl.c - tables of pages that run right to left. */
#include "tests/layout/table_page.h"

/* Puts words from right to left, the first one's right side at x. */
static void
put_from_right (TablePage *t, float x, float base, const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, " ", 0);

  for (guint i = 0; words[i]; i++) {
    x -= 5 * (float) g_utf8_strlen (words[i], -1);
    put (t, x, base, words[i]);
    g_array_index (t->layout->words, DpWord, t->layout->words->len - 1).rtl = (guchar) words[i][0] >= 0xd7;
    x -= 3;
  }
}

static void
put_row (TablePage *t, float base, const char *name, const char *count, const char *note)
{
  put_from_right (t, 490, base, name);
  put_from_right (t, 370, base, count);
  put_from_right (t, 290, base, note);
}

static void
put_grid (TablePage *t)
{
  for (guint i = 0; i < 4; i++)
    put_h (t, 100 + 20 * (float) i, 100, 500);
  put_v (t, 100, 100, 160);
  put_v (t, 300, 100, 160);
  put_v (t, 380, 100, 160);
  put_v (t, 500, 100, 160);
}

/* The first column is the rightmost one, and the words of a cell are read from the right. */
static void
test_columns_and_words (void)
{
  TablePage t = table_page ();

  put_grid (&t);
  put_row (&t, 113, "שם העיר", "מספר תושבים", "הערות");
  put_row (&t, 133, "באר שבע", "209,687", "בירת הנגב והדרום");
  put_row (&t, 153, "תל אביב", "460,613", "מרכז תרבותי גדול");
  run_passes (&t);
  assert_table (&t, 0, "שם העיר|מספר תושבים|הערות;באר שבע|209,687|בירת הנגב והדרום;תל אביב|460,613|מרכז תרבותי גדול");
  table_page_free (&t);
}

/* On a page that runs left to right, columns stay where they are, though a table's words run the other way. */
static void
test_words_alone (void)
{
  TablePage t = table_page ();

  for (guint i = 0; i < 20; i++)
    put (&t, 100, 200 + 12 * (float) i, "The names of three towns in the order in which they were founded");
  put_grid (&t);
  put_row (&t, 113, "שם העיר", "מספר תושבים", "הערות");
  put_row (&t, 133, "באר שבע", "209,687", "בירת הנגב והדרום");
  put_row (&t, 153, "תל אביב", "460,613", "מרכז תרבותי גדול");
  run_passes (&t);
  assert_table (&t, 0, "הערות|מספר תושבים|שם העיר;בירת הנגב והדרום|209,687|באר שבע;מרכז תרבותי גדול|460,613|תל אביב");
  table_page_free (&t);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tables-rtl/columns-and-words", test_columns_and_words);
  g_test_add_func ("/tables-rtl/words-alone", test_words_alone);
  return g_test_run ();
}
