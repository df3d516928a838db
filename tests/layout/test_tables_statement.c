/* tests/layout/test_tables_statement.c - labels and columns of numbers without a frame. */
#include "tests/layout/table_page.h"

/* Puts text so that it ends at x. */
static void
put_right (TablePage *t, float x, float base, const char *text)
{
  put (t, x - 5.0f * (float) strlen (text), base, text);
}

static void
put_amounts (TablePage *t, float base, const char *label, const char *a, const char *b)
{
  put (t, 60, base, label);
  put_right (t, 420, base, a);
  put_right (t, 500, base, b);
}

static void
test_sums (void)
{
  TablePage t = table_page ();

  put (&t, 60, 70, "The following table shows what the group had at the end of either year, in dollars.");
  put_right (&t, 420, 100, "2016");
  put_right (&t, 500, 100, "2015");
  put_right (&t, 420, 112, "$");
  put_right (&t, 500, 112, "$");
  put (&t, 60, 126, "Current assets");
  put_amounts (&t, 140, "cash at bank", "1,250", "980");
  put_amounts (&t, 154, "held for sale", "(300)", "-");
  put_h (&t, 158, 380, 420);
  put_h (&t, 158, 460, 500);
  put_amounts (&t, 170, "", "950", "980");
  put_h (&t, 174, 380, 420);
  put_h (&t, 174, 460, 500);
  put (&t, 60, 210, "Running text goes on below the table and says what it has shown to the reader.");
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 1);
  assert_table (&t, 0, "|2016 $|2015 $;Current assets||;cash at bank|1,250|980;held for sale|(300)|-;|950|980");
  g_assert_cmpuint (nth_region (&t, DP_REGION_TABLE, 0)->table->n_header_rows, ==, 1);
  table_page_free (&t);
}

/* A currency sign at the left side of its column belongs to the number; dots in between lead the eye. */
static void
test_signs_and_leaders (void)
{
  TablePage t = table_page ();

  put_amounts (&t, 100, "", "2022", "2021");
  put_amounts (&t, 114, "Revenue ..................", "538", "556");
  put (&t, 370, 114, "$");
  put (&t, 450, 114, "$");
  put_amounts (&t, 128, "Other income .............", "56", "126");
  put_amounts (&t, 142, "Costs ....................", "(164)", "(171)");
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 1);
  assert_table (&t, 0, "|2022|2021;Revenue|$ 538|$ 556;Other income|56|126;Costs|(164)|(171)");
  table_page_free (&t);
}

static void
test_wrapped_label (void)
{
  TablePage t = table_page ();

  put_amounts (&t, 100, "", "2022", "2021");
  put (&t, 60, 114, "Provisions for what the courts of");
  put_amounts (&t, 126, "appeal may yet decide", "3,195", "3,010");
  put_amounts (&t, 140, "Total", "9,000", "8,000");
  run_passes (&t);
  assert_table (&t, 0, "|2022|2021;Provisions for what the courts of appeal may yet decide|3,195|3,010;Total|9,000|8,000");
  table_page_free (&t);
}

/* Years over one rule are two titles; a title alone above them covers both. */
static void
test_header_over_one_rule (void)
{
  TablePage t = table_page ();

  put (&t, 395, 88, "Consolidated");
  put_amounts (&t, 100, "", "2022", "2021");
  put_h (&t, 103, 380, 505);
  put_amounts (&t, 114, "Loans", "1,000", "2,000");
  put_amounts (&t, 128, "Shares", "3,000", "4,000");
  run_passes (&t);
  assert_table (&t, 0, "^1x2|Consolidated^2x1;2022|2021;Loans|1,000|2,000;Shares|3,000|4,000");
  table_page_free (&t);
}

/* Page numbers of a contents page are no amounts, nor are numbers in running text. */
static void
test_no_statement (void)
{
  TablePage t = table_page ();

  put_amounts (&t, 100, "Introduction", "", "1");
  put_amounts (&t, 114, "Methods", "", "12");
  put_amounts (&t, 128, "Results", "", "112");
  put_amounts (&t, 142, "Discussion", "", "1040");
  for (guint i = 0; i < 6; i++)
    put (&t, 60, 300 + 12 * (float) i, "In the year 1984 there were 300 of them and in 1999 no less than 1,400");
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 0);
  table_page_free (&t);
}

/* Running text between two tables parts them although their columns agree. */
static void
test_parted_by_text (void)
{
  TablePage t = table_page ();

  for (guint k = 0; k < 2; k++) {
    float y = 100 + 100 * (float) k;
    put_amounts (&t, y, "", "2022", "2021");
    put_amounts (&t, y + 14, "Loans", "1,000", "2,000");
    put_amounts (&t, y + 28, "Shares", "3,000", "4,000");
    put (&t, 60, y + 50, "What the loans were for has been told in the notes that went before these ones.");
  }
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 2);
  assert_table (&t, 1, "|2022|2021;Loans|1,000|2,000;Shares|3,000|4,000");
  table_page_free (&t);
}

/* An account: dates before the labels are a column of the table, and what a label goes on with is no row. */
static void
test_dates_before_labels (void)
{
  TablePage t = table_page ();
  static const char *const dates[] = { "1 May", "2 May", "14 May", "27 May", "31 May" };
  static const char *const labels[] = { "Brought forward", "Card payment", "Transfer", "Salary", "Carried forward" };
  static const char *const out[] = { "", "18.40", "200.00", "", "" }, *const balance[]
                                                                      = { "1,204.11", "1,185.71", "985.71", "3,125.71", "3,125.71" };
  float y = 114;

  put (&t, 60, 100, "Date");
  put (&t, 105, 100, "Details");
  put_right (&t, 420, 100, "Out");
  put_right (&t, 500, 100, "Balance");
  for (guint i = 0; i < 5; i++, y += 18) {
    put (&t, 60, y, dates[i]);
    put (&t, 105, y, labels[i]);
    put_right (&t, 420, y, out[i]);
    put_right (&t, 500, y, balance[i]);
    if (i == 1)
      put (&t, 105, y += 12, "Corner Shop");
  }
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 1);
  assert_table (&t, 0,
                "Date|Details|Out|Balance;1 May|Brought forward||1,204.11;2 May|Card payment Corner Shop|18.40|1,185.71;14 "
                "May|Transfer|200.00|985.71;27 May|Salary||3,125.71;31 May|Carried forward||3,125.71");
  table_page_free (&t);
}

/* Price lists below headings in larger type are tables of their own, and the headings no part of them. */
static void
test_headings_between (void)
{
  TablePage t = table_page ();

  for (guint k = 0; k < 2; k++) {
    const float y = 100 + 76 * (float) k;
    put_words (&t, 60, y, k ? "Lunch" : "Breakfast", 14, 0);
    for (guint i = 0; i < 3; i++) {
      put (&t, 60, y + 18 + 14 * (float) i, (const char *[]){ "Porridge", "Eggs", "Tea", "Soup", "Pie", "Salad" }[3 * k + i]);
      put_right (&t, 300, y + 18 + 14 * (float) i, (const char *[]){ "4.50", "6.20", "2.90", "5.00", "11.50", "4.00" }[3 * k + i]);
    }
  }
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 2);
  assert_table (&t, 0, "Porridge|4.50;Eggs|6.20;Tea|2.90");
  assert_table (&t, 1, "Soup|5.00;Pie|11.50;Salad|4.00");
  table_page_free (&t);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tables-statement/sums", test_sums);
  g_test_add_func ("/tables-statement/signs-and-leaders", test_signs_and_leaders);
  g_test_add_func ("/tables-statement/wrapped-label", test_wrapped_label);
  g_test_add_func ("/tables-statement/header-over-one-rule", test_header_over_one_rule);
  g_test_add_func ("/tables-statement/no-statement", test_no_statement);
  g_test_add_func ("/tables-statement/parted-by-text", test_parted_by_text);
  g_test_add_func ("/tables-statement/dates-before-labels", test_dates_before_labels);
  g_test_add_func ("/tables-statement/headings-between", test_headings_between);
  return g_test_run ();
}
