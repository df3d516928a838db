/* tests/layout/test_charts.c - a scale with its grid lines is a chart; numbers between the rules of a table are none. */
#include "tests/layout/table_page.h"

/* A scale of five numbers at 20 pt that ends at x = 100, its grid lines shifted by so many points, and to its right two
 * columns of names that would be a table with the numbers. */
static TablePage
scale_page (float shift, const char *const *numbers)
{
  TablePage t = table_page ();

  for (guint i = 0; i < 5; i++) {
    const float base = 200 + 20 * (float) i;
    put (&t, 100 - 5 * (float) strlen (numbers[i]), base, numbers[i]);
    put_h (&t, base - 3.5f + shift, 105, 300);
    put (&t, 130, base + 3, "Spain");
    put (&t, 220, base + 3, "12.5");
  }
  return t;
}

static void
test_upright_scale (void)
{
  static const char *const rising[] = { "2.0", "1.5", "1.0", "0.5", "0.0" };
  static const char *const thousands[] = { "2,000", "1,500", "1,000", "500", "0" };
  static const char *const data[] = { "2.0", "1.5", "1.1", "0.5", "0.0" };
  static const char *const rows[] = { "1", "2", "3", "4", "5" };
  const struct {
    float shift;
    const char *const *numbers;
    gboolean chart;
  } cases[] = { { 0, rising, TRUE }, { 0, thousands, TRUE }, { 10, rising, FALSE }, { 0, data, FALSE }, { 0, rows, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    TablePage t = scale_page (cases[i].shift, cases[i].numbers);
    run_passes (&t);
    g_assert_cmpuint (t.layout->charts->len, ==, cases[i].chart ? 1 : 0);
    if (cases[i].chart) {
      g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 0);
      g_assert_true (dp_layout_in_chart (t.layout, (DpRect){ 130, 200, 155, 210 }));
      g_assert_false (dp_layout_in_chart (t.layout, (DpRect){ 130, 340, 155, 350 }));
    }
    table_page_free (&t);
  }
}

/* Bars of different lengths over a scale from left to right; the same cells in one length are stripes of a table. */
static void
test_bars (void)
{
  for (guint even = 0; even < 2; even++) {
    TablePage t = table_page ();
    for (guint i = 0; i < 5; i++) {
      g_autofree char *number = g_strdup_printf ("%u%%", 10 * i);
      put (&t, 100 + 60 * (float) i - 2.5f * (float) strlen (number), 300, number);
    }
    for (guint i = 0; i < 4; i++)
      put_path (&t, DP_PATH_FILL, 100, 220 + 18 * (float) i, even ? 340 : 180 + 40 * (float) i, 230 + 18 * (float) i, 0x4472c4);
    run_passes (&t);
    g_assert_cmpuint (t.layout->charts->len, ==, even ? 0 : 1);
    table_page_free (&t);
  }
}

/* A curve beside a scale without grid lines; the frame around both belongs to the chart, with the key in it. */
static void
test_curve_and_frame (void)
{
  TablePage t = table_page ();

  for (guint i = 0; i < 4; i++) {
    g_autofree char *number = g_strdup_printf ("%u", 30 - 10 * i);
    put (&t, 90, 200 + 20 * (float) i, number);
  }
  put_path (&t, DP_PATH_CURVE, 120, 205, 300, 250, 0xff0000);
  put_path (&t, DP_PATH_FRAME, 80, 160, 320, 320, 0);
  run_passes (&t);
  g_assert_cmpuint (t.layout->charts->len, ==, 1);
  g_assert_true (dp_layout_in_chart (t.layout, (DpRect){ 150, 305, 200, 315 }));
  table_page_free (&t);
}

/* Numbers that fall down the rows of a table, with a sign in each row: no curve of a chart. */
static void
test_signs_in_rows (void)
{
  TablePage t = table_page ();

  for (guint i = 0; i < 5; i++) {
    const float base = 200 + 20 * (float) i;
    g_autofree char *year = g_strdup_printf ("%u", 2024 - i);
    put (&t, 90, base, year);
    put_path (&t, DP_PATH_CURVE, 125, base - 9, 137, base + 1, 0x00aa00);
    put (&t, 150, base, "12.5");
  }
  run_passes (&t);
  g_assert_cmpuint (t.layout->charts->len, ==, 0);
  table_page_free (&t);
}

/* Years over the columns of a table below a drawing; without the table they would be the scale below it. */
static void
test_years_over_columns (void)
{
  for (guint table = 0; table < 2; table++) {
    TablePage t = table_page ();
    put_path (&t, DP_PATH_CURVE, 130, 120, 300, 190, 0xff0000);
    put_h (&t, 205, 110, 340);
    for (guint i = 0; i < 5; i++) {
      g_autofree char *year = g_strdup_printf ("%u", 2020 + i);
      put (&t, 120 + 50 * (float) i, 220, year);
      for (guint row = 0; table && row < 3; row++)
        put (&t, 120 + 50 * (float) i, 235 + 14 * (float) row, "31.7");
    }
    run_passes (&t);
    g_assert_cmpuint (t.layout->charts->len, ==, table ? 0 : 1);
    table_page_free (&t);
  }
}

/* A ruled grid of two by two with a chart in its last cell: with a panel of prose beside it, it is a poster; with short cells a table
 * that shows a chart. */
static void
test_panels_around_chart (void)
{
  for (guint panels = 0; panels < 2; panels++) {
    TablePage t = table_page ();
    for (guint i = 0; i < 3; i++) {
      put_h (&t, 100 + 150 * (float) i, 50, 550);
      put_v (&t, 50 + 250 * (float) i, 100, 400);
    }
    for (guint line = 0; line < (panels ? 5 : 1); line++)
      put (&t, 60, 130 + 12 * (float) line, panels ? "first it was measured and then" : "Wells");
    put (&t, 310, 130, "Results");
    put (&t, 60, 280, "Runtime");
    for (guint i = 0; i < 5; i++) {
      g_autofree char *number = g_strdup_printf ("%u", 40 - 10 * i);
      put (&t, 340, 290 + 20 * (float) i, number);
      put_h (&t, 286.5f + 20 * (float) i, 355, 500);
    }
    run_passes (&t);
    g_assert_cmpuint (t.layout->charts->len, ==, 1);
    g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, panels ? 0 : 1);
    table_page_free (&t);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/charts/upright-scale", test_upright_scale);
  g_test_add_func ("/charts/bars", test_bars);
  g_test_add_func ("/charts/curve-and-frame", test_curve_and_frame);
  g_test_add_func ("/charts/signs-in-rows", test_signs_in_rows);
  g_test_add_func ("/charts/years-over-columns", test_years_over_columns);
  g_test_add_func ("/charts/panels-around", test_panels_around_chart);
  return g_test_run ();
}
