/* tests/layout/test_tables_ruled.c - grids of rules and fills to tables. */
#include "tests/layout/table_page.h"

/* A grid of n_rows x n_cols cells of 100 x 20 points at (100, 100). */
static void
put_grid (TablePage *t, guint n_rows, guint n_cols)
{
  for (guint r = 0; r <= n_rows; r++)
    put_h (t, 100 + 20 * (float) r, 100, 100 + 100 * (float) n_cols);
  for (guint c = 0; c <= n_cols; c++)
    put_v (t, 100 + 100 * (float) c, 100, 100 + 20 * (float) n_rows);
}

static void
put_cell (TablePage *t, guint row, guint col, const char *text)
{
  put (t, 105 + 100 * (float) col, 114 + 20 * (float) row, text);
}

static void
test_full_grid (void)
{
  TablePage t = table_page ();

  put_grid (&t, 3, 2);
  put_cell (&t, 0, 0, "Name");
  put_cell (&t, 0, 1, "Age");
  put_cell (&t, 1, 0, "Ada Byron");
  put_cell (&t, 1, 1, "36");
  put_cell (&t, 2, 1, "41");
  put (&t, 100, 300, "Text below the table.");
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 1);
  assert_table (&t, 0, "Name|Age;Ada Byron|36;|41");
  g_assert_cmpuint (nth_region (&t, DP_REGION_TABLE, 0)->table->n_header_rows, ==, 1);
  for (guint i = 0; i < t.layout->lines->len; i++) {
    const DpLine *line = &g_array_index (t.layout->lines, DpLine, i);
    g_assert_cmpint (line->taken, ==, line->baseline < 250);
  }
  table_page_free (&t);
}

static void
test_spans (void)
{
  TablePage t = table_page ();

  /* the rule between (0,1) and (0,2) and the one below (1,0) are missing */
  put_h (&t, 100, 100, 400);
  put_h (&t, 120, 100, 400);
  put_h (&t, 140, 200, 400);
  put_h (&t, 160, 100, 400);
  put_v (&t, 100, 100, 160);
  put_v (&t, 200, 100, 160);
  put_v (&t, 300, 120, 160);
  put_v (&t, 400, 100, 160);
  put_cell (&t, 0, 0, "a");
  put_cell (&t, 0, 1, "wide");
  put_cell (&t, 1, 0, "tall");
  put_cell (&t, 1, 1, "1");
  put_cell (&t, 1, 2, "2");
  put_cell (&t, 2, 1, "3");
  put_cell (&t, 2, 2, "4");
  run_passes (&t);
  assert_table (&t, 0, "a|wide^2x1;tall^1x2|1|2;3|4");
  table_page_free (&t);
}

static void
test_open_sides (void)
{
  TablePage t = table_page ();

  for (guint r = 0; r <= 3; r++)
    put_h (&t, 100 + 20 * (float) r, 100, 300);
  put_v (&t, 200, 100, 160);
  for (guint r = 0; r < 3; r++) {
    put_cell (&t, r, 0, "left");
    put_cell (&t, r, 1, "right");
  }
  run_passes (&t);
  assert_table (&t, 0, "left|right;left|right;left|right");
  table_page_free (&t);
}

/* Stripes: every other row filled, columns only in the fills. */
static void
test_stripes (void)
{
  static const char *const text[5][3]
      = { { "Land", "2001", "2002" }, { "Peru", "4", "5" }, { "Mali", "6", "7" }, { "Oman", "8", "9" }, { "Fiji", "1", "2" } };
  TablePage t = table_page ();

  for (guint r = 0; r < 5; r++)
    for (guint c = 0; c < 3; c++) {
      float x = 100 + 100 * (float) c, y = 100 + 20 * (float) r;
      if (r % 2 == 0)
        put_path (&t, DP_PATH_FILL, x, y, x + 99.3f, y + 20, r ? 0xdde4f2 : 0x0060a9);
      put_cell (&t, r, c, text[r][c]);
    }
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 1);
  assert_table (&t, 0, "Land|2001|2002;Peru|4|5;Mali|6|7;Oman|8|9;Fiji|1|2");
  table_page_free (&t);
}

/* Rows ruled all around, columns only in the header. */
static void
test_columns_from_header (void)
{
  TablePage t = table_page ();

  put_grid (&t, 1, 3);
  for (guint r = 1; r <= 4; r++)
    put_h (&t, 100 + 20 * (float) r, 100, 400);
  put_v (&t, 100, 100, 180);
  put_v (&t, 400, 100, 180);
  for (guint r = 0; r < 4; r++)
    for (guint c = 0; c < 3; c++)
      put_cell (&t, r, c, r ? "12" : "Head");
  run_passes (&t);
  assert_table (&t, 0, "Head|Head|Head;12|12|12;12|12|12;12|12|12");
  table_page_free (&t);
}

/* One ruled row that holds many rows of numbers. */
static void
test_undersegmented (void)
{
  TablePage t = table_page ();

  put_h (&t, 100, 100, 400);
  put_h (&t, 120, 100, 400);
  put_h (&t, 200, 100, 400);
  for (guint c = 0; c <= 3; c++)
    put_v (&t, 100 + 100 * (float) c, 100, 200);
  put_cell (&t, 0, 0, "Year");
  put_cell (&t, 0, 1, "In");
  put_cell (&t, 0, 2, "Out");
  for (guint r = 0; r < 5; r++) {
    put (&t, 105, 134 + 14 * (float) r, "199");
    put (&t, 205, 134 + 14 * (float) r, "1.5");
    put (&t, 305, 134 + 14 * (float) r, "2.5");
  }
  run_passes (&t);
  assert_table (&t, 0, "Year|In|Out;199|1.5|2.5;199|1.5|2.5;199|1.5|2.5;199|1.5|2.5;199|1.5|2.5");
  table_page_free (&t);
}

static void
test_cell_lines (void)
{
  TablePage t = table_page ();

  put_h (&t, 100, 100, 300);
  put_h (&t, 140, 100, 300);
  put_h (&t, 160, 100, 300);
  for (guint c = 0; c <= 2; c++)
    put_v (&t, 100 + 100 * (float) c, 100, 160);
  put (&t, 105, 114, "a cell with a hyphen-");
  put (&t, 105, 126, "ated word");
  put (&t, 205, 114, "\xe2\x80\xa2 one");
  put (&t, 205, 126, "\xe2\x80\xa2 two");
  put (&t, 105, 154, "x");
  put (&t, 205, 154, "y");
  run_passes (&t);
  assert_table (&t, 0, "a cell with a hyphenated word|\xe2\x80\xa2 one/\xe2\x80\xa2 two;x|y");
  table_page_free (&t);
}

/* Boxes that are no tables: one cell, an empty grid, prose with a title bar. */
static void
test_no_tables (void)
{
  TablePage t = table_page ();

  put_grid (&t, 1, 1);
  put_cell (&t, 0, 0, "boxed");
  for (guint r = 0; r <= 8; r++)
    put_h (&t, 300 + 20 * (float) r, 100, 500);
  for (guint c = 0; c <= 8; c++)
    put_v (&t, 100 + 50 * (float) c, 300, 460);
  put (&t, 105, 314, "0");
  put (&t, 105, 334, "1");
  put_h (&t, 500, 100, 500);
  put_h (&t, 520, 100, 500);
  put_h (&t, 580, 100, 500);
  put_v (&t, 100, 500, 580);
  put_v (&t, 500, 500, 580);
  put (&t, 105, 514, "Note");
  put (&t, 105, 536, "This is a box with running text in it that a reader");
  put (&t, 105, 548, "would never call a table, whatever the rules around");
  put (&t, 105, 560, "it may say about rows and columns.");
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 0);
  for (guint i = 0; i < t.layout->words->len; i++)
    g_assert_false (g_array_index (t.layout->words, DpWord, i).taken);
  table_page_free (&t);
}

/* A table set sideways reads along its text. */
static void
test_sideways (void)
{
  TablePage t = table_page ();

  /* in the turned frame: x down the page, y from its right edge */
  for (guint r = 0; r <= 4; r++)
    put_v (&t, 600 - (100 + 20 * (float) r), 100, 400);
  for (guint c = 0; c <= 3; c++)
    put_h (&t, 100 + 100 * (float) c, 600 - 180, 600 - 100);
  for (guint r = 0; r < 4; r++)
    for (guint c = 0; c < 3; c++) {
      g_autofree char *text = g_strdup_printf ("r%u c%u", r, c);
      put_words (&t, 105 + 100 * (float) c, 114 + 20 * (float) r, text, 10, 90);
    }
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 1);
  assert_table (&t, 0, "r0 c0|r0 c1|r0 c2;r1 c0|r1 c1|r1 c2;r2 c0|r2 c1|r2 c2;r3 c0|r3 c1|r3 c2");
  g_assert_cmpfloat_with_epsilon (nth_region (&t, DP_REGION_TABLE, 0)->box.x1, 500, 1);
  g_assert_cmpfloat_with_epsilon (nth_region (&t, DP_REGION_TABLE, 0)->box.y0, 100, 1);
  table_page_free (&t);
}

/* A grid in a cell of a grid: one table, the inner one's text stays in its cell. */
static void
test_nested (void)
{
  TablePage t = table_page ();

  for (guint i = 0; i < 3; i++) {
    put_h (&t, 100 + 80 * (float) i, 80, 480);
    put_path (&t, DP_PATH_VLINE, 79.75f + 200 * (float) i, 100, 80.25f + 200 * (float) i, 260, 0);
  }
  put (&t, 90, 120, "Item");
  put (&t, 290, 120, "Details");
  put (&t, 90, 200, "Pump");
  for (guint i = 0; i < 3; i++) {
    put_h (&t, 190 + 25 * (float) i, 300, 460);
    put_path (&t, DP_PATH_VLINE, 299.75f + 80 * (float) i, 190, 300.25f + 80 * (float) i, 240, 0);
  }
  put (&t, 305, 205, "power");
  put (&t, 385, 205, "40");
  put (&t, 305, 230, "weight");
  put (&t, 385, 230, "12");
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 1);
  assert_table (&t, 0, "Item|Details;Pump|power 40/weight 12");
  table_page_free (&t);
}

/* Text without blanks: a line that ends long before its cell does was meant to end there. */
static void
test_wide_text (void)
{
  TablePage t = table_page ();

  for (guint i = 0; i < 3; i++)
    put_h (&t, 100 + 40 * (float) i, 80, 380);
  for (guint i = 0; i < 3; i++)
    put_path (&t, DP_PATH_VLINE, 79.75f + 150 * (float) i, 100, 80.25f + 150 * (float) i, 180, 0);
  put (&t, 85, 115, "\347\224\237\347\224\243\351\253\230");
  put (&t, 85, 130, "\357\274\210\345\215\203\345\206\206\357\274\211");
  put (&t, 235, 115, "\347\266\262");
  put (&t, 85, 155, "\350\211\262");
  put (&t, 235, 155, "12");
  run_passes (&t);
  assert_table (&t, 0,
                "\347\224\237\347\224\243\351\253\230/\357\274\210\345\215\203\345\206\206\357\274\211|\347\266\262;"
                "\350\211\262|12");
  table_page_free (&t);
}

/* Single words below each other in all columns of one ruled row are rows. */
static void
test_rows_of_words (void)
{
  TablePage t = table_page ();
  static const char *const cells[] = { "P", "Q", "R", "b", "a", "a", "a", "b", "b", "c", "c", "c" };

  for (guint i = 0; i < 12; i++)
    put (&t, 120 + 40 * (float) (i % 3), 112 + 14 * (float) (i / 3) + (i > 2 ? 4 : 0), cells[i]);
  put_h (&t, 100, 105, 225);
  put_h (&t, 117, 105, 225);
  put_h (&t, 164, 105, 225);
  for (guint i = 0; i < 4; i++)
    put_v (&t, 105 + 40 * (float) i, 100, 164);
  run_passes (&t);
  assert_table (&t, 0, "P|Q|R;b|a|a;a|b|b;c|c|c");
  table_page_free (&t);
}

/* Bars of a chart, each as long as its number says: cells of a grid, but no table. */
static void
test_bars (void)
{
  TablePage t = table_page ();

  for (guint i = 0; i < 4; i++) {
    const float y = 100 + 20 * (float) i, x = 180 + 40 * (float) i;
    put (&t, x - 30, y + 14, (const char *[]){ "850", "902", "1068", "1249" }[i]);
    put_h (&t, y, 100, 340);
    put_v (&t, x, y, y + 20);
  }
  put_h (&t, 180, 100, 340);
  put_v (&t, 100, 100, 180);
  put_v (&t, 340, 100, 180);
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 0);
  table_page_free (&t);
}

/* The boxes of a form: a numbered label and an amount below it are one cell, not two rows. */
static void
test_form_boxes (void)
{
  TablePage t = table_page ();
  static const char *const labels[] = { "1 Wages paid", "2 Tax", "3 Pension", "4 Sick pay", "5 Tips", "6 Fees", "7 Food", "8 Fuel" };
  static const char *const amounts[] = { "31,204.50", "4,120.00", "1,934.68", "452.47", "0.00", "12.00", "3.10", "40.00" };

  for (guint i = 0; i < 8; i++) {
    put (&t, 105 + 100 * (float) (i % 2), 112 + 30 * (float) (i / 2), labels[i]);
    put (&t, 105 + 100 * (float) (i % 2), 124 + 30 * (float) (i / 2), amounts[i]);
  }
  for (guint i = 0; i < 5; i++)
    put_h (&t, 100 + 30 * (float) i, 100, 300);
  for (guint i = 0; i < 3; i++)
    put_v (&t, 100 + 100 * (float) i, 100, 220);
  run_passes (&t);
  assert_table (
      &t, 0,
      "1 Wages paid 31,204.50|2 Tax 4,120.00;3 Pension 1,934.68|4 Sick pay 452.47;5 Tips 0.00|6 Fees 12.00;7 Food 3.10|8 Fuel 40.00");
  table_page_free (&t);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tables-ruled/full-grid", test_full_grid);
  g_test_add_func ("/tables-ruled/spans", test_spans);
  g_test_add_func ("/tables-ruled/open-sides", test_open_sides);
  g_test_add_func ("/tables-ruled/stripes", test_stripes);
  g_test_add_func ("/tables-ruled/columns-from-header", test_columns_from_header);
  g_test_add_func ("/tables-ruled/undersegmented", test_undersegmented);
  g_test_add_func ("/tables-ruled/cell-lines", test_cell_lines);
  g_test_add_func ("/tables-ruled/no-tables", test_no_tables);
  g_test_add_func ("/tables-ruled/sideways", test_sideways);
  g_test_add_func ("/tables-ruled/nested", test_nested);
  g_test_add_func ("/tables-ruled/wide-text", test_wide_text);
  g_test_add_func ("/tables-ruled/rows-of-words", test_rows_of_words);
  g_test_add_func ("/tables-ruled/bars", test_bars);
  g_test_add_func ("/tables-ruled/form-boxes", test_form_boxes);
  return g_test_run ();
}
