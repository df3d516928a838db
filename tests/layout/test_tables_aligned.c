/* tests/layout/test_tables_aligned.c - tables without rules, and what only looks like one. */
#include "tests/layout/table_page.h"

static void
put_row (TablePage *t, float base, const char *a, const char *b, const char *c)
{
  put (t, 100, base, a);
  put (t, 250, base, b);
  put (t, 350, base, c);
}

static void
test_numbers (void)
{
  TablePage t = table_page ();

  put (&t, 60, 80, "Running text above the table, long enough to be a line of prose on its own.");
  put_row (&t, 112, "Land", "2001", "2002");
  put_row (&t, 126, "Peru", "4.50", "5.10");
  put_row (&t, 140, "Mali", "6.25", "7.05");
  put_row (&t, 154, "Oman", "8.75", "9.95");
  put (&t, 60, 190, "Running text below the table, long enough to be a line of prose on its own.");
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 1);
  assert_table (&t, 0, "Land|2001|2002;Peru|4.50|5.10;Mali|6.25|7.05;Oman|8.75|9.95");
  for (guint i = 0; i < t.layout->lines->len; i++) {
    const DpLine *line = &g_array_index (t.layout->lines, DpLine, i);
    g_assert_cmpint (line->taken, ==, line->baseline > 100 && line->baseline < 160);
  }
  table_page_free (&t);
}

static void
test_caption_helps (void)
{
  TablePage t = table_page ();

  put (&t, 100, 95, "Table 3: Colours");
  put_row (&t, 112, "Thing", "Colour", "Taste");
  put_row (&t, 126, "plum", "blue", "sweet");
  put_row (&t, 140, "lime", "green", "sour");
  run_passes (&t);
  assert_table (&t, 0, "Thing|Colour|Taste;plum|blue|sweet;lime|green|sour");
  table_page_free (&t);
}

static void
test_no_tables (void)
{
  TablePage t = table_page ();

  /* authors */
  put_row (&t, 50, "Ann Lee", "Bo Chen", "Cy Diaz");
  put_row (&t, 62, "MIT", "ETH", "UCL");
  put_row (&t, 74, "a@b.edu", "c@d.ch", "e@f.uk");
  /* two columns of prose */
  for (guint i = 0; i < 10; i++) {
    put (&t, 50, 150 + 12 * (float) i, "words of a left column that run on and on");
    put (&t, 320, 150 + 12 * (float) i, "words of a right column that run on as well");
  }
  /* contents */
  put (&t, 50, 350, "Foreword");
  put (&t, 400, 350, "5");
  put (&t, 50, 364, "Method");
  put (&t, 400, 364, "17");
  put (&t, 50, 378, "Results");
  put (&t, 400, 378, "31");
  put (&t, 50, 392, "Index");
  put (&t, 400, 392, "99");
  /* a numbered list */
  for (guint i = 0; i < 4; i++) {
    g_autofree char *label = g_strdup_printf ("%u.", i + 1);
    put (&t, 50, 500 + 14 * (float) i, label);
    put (&t, 75, 500 + 14 * (float) i, "an item of some words in a list");
  }
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 0);
  for (guint i = 0; i < t.layout->words->len; i++)
    g_assert_false (g_array_index (t.layout->words, DpWord, i).taken);
  table_page_free (&t);
}

/* Upright rules alone, drawn line by line: they part the columns, and reach down to a last row of one entry. */
static void
test_uprights (void)
{
  static const char *const words[] = { "alder", "beech", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak" };
  TablePage t = table_page ();

  for (guint i = 0; i < 9; i++)
    put (&t, 100 + 80 * (float) (i % 3), 110 + 14 * (float) (i / 3), words[i]);
  put (&t, 100, 152, "pine");
  for (guint i = 0; i < 8; i++)
    put_v (&t, 170 + 80 * (float) (i % 2), 100 + 14 * (float) (i / 2), 113.5f + 14 * (float) (i / 2));
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 1);
  assert_table (&t, 0, "alder|beech|cedar;elm|fir|hazel;larch|maple|oak;pine||");
  table_page_free (&t);
}

/* Products are numbers, too: their columns belong to the table. */
static void
test_products (void)
{
  TablePage t = table_page ();

  put (&t, 100, 110, "Ra");
  put (&t, 180, 110, "Re");
  put (&t, 260, 110, "Grid");
  for (guint i = 0; i < 5; i++) {
    const float base = 124 + 14 * (float) i;
    put (&t, 100, base, "1 \303\227 10");
    put (&t, 180, base, (const char *[]){ "187.80", "194.94", "201.90", "232.72", "276.65" }[i]);
    put (&t, 260, base, "20 \303\227 12");
  }
  run_passes (&t);
  assert_table (&t, 0,
                "Ra|Re|Grid;1 \303\227 10|187.80|20 \303\227 12;1 \303\227 10|194.94|20 \303\227 12;"
                "1 \303\227 10|201.90|20 \303\227 12;1 \303\227 10|232.72|20 \303\227 12;1 \303\227 10|276.65|20 \303\227 12");
  table_page_free (&t);
}

/* The last column may hold prose, short or long, of one line or more: all of it is in the table, and the text below is not. */
static void
test_prose_column (void)
{
  TablePage t = table_page ();

  put (&t, 100, 94, "Table 3: Tools");
  put (&t, 100, 110, "Tool");
  put (&t, 170, 110, "Size");
  put (&t, 230, 110, "Users");
  put (&t, 290, 110, "What for");
  for (guint i = 0; i < 4; i++) {
    const float base = 126 + 16 * (float) i + (i > 2 ? 11 : 0);
    put (&t, 100, base, (const char *[]){ "iftop", "iperf", "ifstat", "bmon" }[i]);
    put (&t, 170, base, (const char *[]){ "small", "large", "small", "tiny" }[i]);
    put (&t, 230, base, (const char *[]){ "many", "some", "few", "none" }[i]);
    put (&t, 290, base, (const char *[]){ "shows what goes over an interface", "speed", "counts what comes and what goes", "load" }[i]);
  }
  put (&t, 290, 169, "over each of the interfaces");
  put (&t, 60, 220, "Running text below the table, long enough to be a line of prose on its own.");
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 1);
  assert_table (&t, 0,
                "Tool|Size|Users|What for;iftop|small|many|shows what goes over an interface;iperf|large|some|speed;"
                "ifstat|small|few|counts what comes and what goes over each of the interfaces;bmon|tiny|none|load");
  table_page_free (&t);
}

/* Columns of words under bold titles are a table; under titles like all else, or with the addresses of authors, they are not. */
static void
test_bold_head (void)
{
  for (guint kind = 0; kind < 3; kind++) {
    TablePage t = table_page ();
    put_row (&t, 112, "Thing", "Colour", "Taste");
    for (guint i = 0; kind != 1 && i < t.layout->words->len; i++)
      g_array_index (t.layout->words, DpWord, i).style = DP_SPAN_BOLD;
    put_row (&t, 126, "plum", "blue", "sweet");
    put_row (&t, 140, "lime", "green", "sour");
    put_row (&t, 154, kind == 2 ? "p@fruit.org" : "fig", "brown", "sweet");
    run_passes (&t);
    g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, kind == 0 ? 1 : 0);
    if (kind == 0)
      assert_table (&t, 0, "Thing|Colour|Taste;plum|blue|sweet;lime|green|sour;fig|brown|sweet");
    table_page_free (&t);
  }
}

/* A table in one column of a page: text beside it has lines at heights of its own, and the justified line that follows
 * has blanks as wide as gutters. */
static void
test_text_beside (void)
{
  TablePage t = table_page ();

  put_row (&t, 112, "Thing", "Colour", "Taste");
  for (guint i = 0; i < t.layout->words->len; i++)
    g_array_index (t.layout->words, DpWord, i).style = DP_SPAN_BOLD;
  put_row (&t, 126, "plum", "blue", "sweet");
  put_row (&t, 140, "lime", "green", "sour");
  put_row (&t, 154, "fig", "brown", "sweet");
  for (guint i = 0; i < 6; i++)
    put (&t, 410, 104.5f + 12 * (float) i, "text that goes on beside the table");
  for (guint i = 0; i < 6; i++)
    put (&t, 100 + 38 * (float) i, 176, (const char *[]){ "orange", "fruits", "become", "softer", "during", "summer" }[i]);
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 1);
  assert_table (&t, 0, "Thing|Colour|Taste;plum|blue|sweet;lime|green|sour;fig|brown|sweet");
  table_page_free (&t);
}

/* Two titles, labels and numbers that end below the second title: three rows are enough; without titles they are not. */
static void
test_small (void)
{
  for (guint titled = 0; titled < 2; titled++) {
    TablePage t = table_page ();
    put (&t, 60, 80, "Running text above the table, long enough to be a line of prose on its own.");
    put (&t, 200, 112, titled ? "Name" : "Those");
    put (&t, titled ? 250 : 265, 112, titled ? "Value" : "34");
    put (&t, 200, 125, "This");
    put (&t, 265, 125, "11");
    put (&t, 200, 138, "That");
    put (&t, 270, 138, "2");
    put (&t, 60, 170, "Running text below the table, long enough to be a line of prose on its own.");
    run_passes (&t);
    g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, titled);
    if (titled)
      assert_table (&t, 0, "Name|Value;This|11;That|2");
    table_page_free (&t);
  }
}

/* Two titles over names and growing numbers are the head of a table of contents. */
static void
test_names_and_pages (void)
{
  for (guint pages = 0; pages < 2; pages++) {
    TablePage t = table_page ();
    put (&t, 200, 112, "Chapter");
    put (&t, 250, 112, "Place");
    for (guint i = 0; i < 11; i++) {
      g_autofree char *number = g_strdup_printf ("%u", pages ? 12 + 3 * i : 12 + 17 * i % 40);
      put (&t, 200, 125 + 13 * (float) i, (const char *[]){ "Wells", "Ponds", "Lakes" }[i % 3]);
      put (&t, 265, 125 + 13 * (float) i, number);
    }
    run_passes (&t);
    g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, pages ? 0 : 1);
    table_page_free (&t);
  }
}

/* A name that is too long for its cell and runs into the next one does not make one column of two. */
static void
test_long_name (void)
{
  TablePage t = table_page ();

  for (guint i = 0; i < 12; i++) {
    const float base = 112 + 14 * (float) i;
    const gboolean is_long = i == 4 || i == 7;
    g_autofree char *id = g_strdup_printf ("%u11", i + 1), *amount = g_strdup_printf ("%u.50", 20 - i);
    put (&t, 100, base, is_long ? "Somebody & daughters" : "Forster");
    if (!is_long)
      put (&t, 190, base, id);
    put (&t, 260, base, amount);
    put (&t, 330, base, "01.01.2025");
  }
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 1);
  g_assert_cmpuint (nth_region (&t, DP_REGION_TABLE, 0)->table->n_cols, ==, 4);
  table_page_free (&t);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tables-aligned/numbers", test_numbers);
  g_test_add_func ("/tables-aligned/caption-helps", test_caption_helps);
  g_test_add_func ("/tables-aligned/no-tables", test_no_tables);
  g_test_add_func ("/tables-aligned/uprights", test_uprights);
  g_test_add_func ("/tables-aligned/products", test_products);
  g_test_add_func ("/tables-aligned/prose-column", test_prose_column);
  g_test_add_func ("/tables-aligned/bold-head", test_bold_head);
  g_test_add_func ("/tables-aligned/text-beside", test_text_beside);
  g_test_add_func ("/tables-aligned/small", test_small);
  g_test_add_func ("/tables-aligned/names-and-pages", test_names_and_pages);
  g_test_add_func ("/tables-aligned/long-name", test_long_name);
  return g_test_run ();
}
