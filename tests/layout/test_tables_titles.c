/* tests/layout/test_tables_titles.c - titles over columns and rows, frames that stand close, rows told by their lines. */
#include "tests/layout/table_page.h"

/* Puts text with its middle at x. */
static void
put_centred (TablePage *t, float x, float base, const char *text)
{
  float width = 0;

  for (const char *p = text; *p;) {
    gsize n = strcspn (p, " ");
    width += 5 * (float) g_utf8_strlen (p, (gssize) n) + (p[n] ? 3 : 0);
    p += n + (p[n] == ' ');
  }
  put (t, x - 0.5f * width, base, text);
}

static void
put_five (TablePage *t, float base, const char *label, const char *a, const char *b, const char *c, const char *d)
{
  const char *const cells[] = { a, b, c, d };

  put (t, 100, base, label);
  for (guint i = 0; i < 4; i++)
    put_centred (t, 220 + 60 * (float) i, base, cells[i]);
}

/* No rule says what the upper titles span: each stands in the middle of two columns. */
static void
test_groups_without_rules (void)
{
  TablePage t = table_page ();

  put_h (&t, 100, 95, 430);
  put_centred (&t, 250, 112, "North");
  put_centred (&t, 370, 112, "South");
  put_five (&t, 124, "Year", "men", "women", "men", "women");
  put_h (&t, 129, 95, 430);
  put_five (&t, 141, "2001", "1.2", "1.3", "1.4", "1.5");
  put_five (&t, 153, "2002", "2.2", "2.3", "2.4", "2.5");
  put_h (&t, 158, 95, 430);
  run_passes (&t);
  assert_table (&t, 0, "|North^2x1|South^2x1;Year|men|women|men|women;2001|1.2|1.3|1.4|1.5;2002|2.2|2.3|2.4|2.5");
  g_assert_cmpuint (nth_region (&t, DP_REGION_TABLE, 0)->table->n_header_rows, ==, 2);
  table_page_free (&t);
}

/* Text alone in the middle of the table names the rows below it; a sum over several columns does not hide them. */
static void
test_row_titles (void)
{
  TablePage t = table_page ();

  put_h (&t, 100, 95, 430);
  put_five (&t, 112, "Model", "A", "B", "C", "D");
  put_h (&t, 117, 95, 430);
  put_centred (&t, 265, 129, "without training");
  put_h (&t, 134, 95, 430);
  put_five (&t, 146, "one", "1.2", "1.3", "1.4", "1.5");
  put_five (&t, 158, "two", "2.2", "2.3", "2.4", "2.5");
  put_h (&t, 163, 95, 430);
  run_passes (&t);
  assert_table (&t, 0, "Model|A|B|C|D;without training^5x1;one|1.2|1.3|1.4|1.5;two|2.2|2.3|2.4|2.5");
  table_page_free (&t);
}

/* A paragraph between two frames of one width, its second line short. */
static void
test_paragraph_between (void)
{
  TablePage t = table_page ();

  for (guint i = 0; i < 2; i++) {
    float y = 100 + 130 * (float) i;
    put_h (&t, y, 95, 430);
    put_five (&t, y + 12, "Model", "A", "B", "C", "D");
    put_h (&t, y + 17, 95, 430);
    put_five (&t, y + 29, i ? "three" : "one", "1.2", "1.3", "1.4", "1.5");
    put_five (&t, y + 41, i ? "four" : "two", "2.2", "2.3", "2.4", "2.5");
    put_h (&t, y + 46, 95, 430);
  }
  put (&t, 105, 175, "what follows is said about the tables above and below which have");
  put (&t, 95, 187, "nothing in common");
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 2);
  assert_table (&t, 0, "Model|A|B|C|D;one|1.2|1.3|1.4|1.5;two|2.2|2.3|2.4|2.5");
  assert_table (&t, 1, "Model|A|B|C|D;three|1.2|1.3|1.4|1.5;four|2.2|2.3|2.4|2.5");
  table_page_free (&t);
}

/* Two frames on one height are two tables. */
static void
test_side_by_side (void)
{
  TablePage t = table_page ();

  for (guint i = 0; i < 2; i++) {
    float x = 60 + 270 * (float) i;
    put_h (&t, 100, x, x + 200);
    put (&t, x + 5, 112, "Kind");
    put (&t, x + 120, 112, i ? "Price" : "Weight");
    put_h (&t, 117, x, x + 200);
    put (&t, x + 5, 129, i ? "silver" : "iron");
    put (&t, x + 120, 129, "12.5");
    put (&t, x + 5, 141, i ? "gold" : "copper");
    put (&t, x + 120, 141, "13.5");
    put_h (&t, 146, x, x + 200);
  }
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 2);
  assert_table (&t, 0, "Kind|Weight;iron|12.5;copper|13.5");
  assert_table (&t, 1, "Kind|Price;silver|12.5;gold|13.5");
  table_page_free (&t);
}

/* Upright rules part the columns, horizontal ones only head and foot; the head itself stands above the frame. */
static void
test_upright_rules (void)
{
  TablePage t = table_page ();

  put_five (&t, 94, "Year", "a", "b", "c", "d");
  put_h (&t, 100, 95, 430);
  put_five (&t, 112, "2001", "1.2", "1.3", "1.4", "1.5");
  put_five (&t, 124, "2002", "2.2", "2.3", "2.4", "2.5");
  put_five (&t, 136, "2003", "3.2", "3.3", "3.4", "3.5");
  put_h (&t, 141, 95, 430);
  put_path (&t, DP_PATH_VLINE, 189.75f, 84, 190.25f, 141, 0);
  put_path (&t, DP_PATH_VLINE, 309.75f, 84, 310.25f, 141, 0);
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 1);
  assert_table (&t, 0, "Year|a|b|c|d;2001|1.2|1.3|1.4|1.5;2002|2.2|2.3|2.4|2.5;2003|3.2|3.3|3.4|3.5");
  table_page_free (&t);
}

/* A label in the middle of many rows; what stands beside it, line by line, are rows. */
static void
test_band_of_rows (void)
{
  static const char *const symbols[] = { "L", "D", "H", "S" }, *const meanings[]
                                                               = { "layers", "size of head", "number of heads", "length" };
  TablePage t = table_page ();

  put_h (&t, 100, 95, 430);
  put (&t, 100, 112, "Kind");
  put (&t, 200, 112, "Symbol");
  put (&t, 300, 112, "Meaning");
  put_h (&t, 117, 95, 430);
  for (guint i = 0; i < 4; i++) {
    put (&t, 200, 129 + 12 * (float) i, symbols[i]);
    put (&t, 300, 129 + 12 * (float) i, meanings[i]);
  }
  put (&t, 100, 147, "Model");
  put_h (&t, 170, 95, 430);
  put (&t, 100, 182, "Load");
  put (&t, 200, 182, "R");
  put (&t, 300, 182, "requests");
  put_h (&t, 187, 95, 430);
  run_passes (&t);
  assert_table (&t, 0, "Kind|Symbol|Meaning;Model^1x4|L|layers;D|size of head;H|number of heads;S|length;Load|R|requests");
  table_page_free (&t);
}

/* Units and the marks of footnotes stay with the number or label they belong to. */
static void
test_marks_and_units (void)
{
  TablePage t = table_page ();

  put_h (&t, 100, 95, 430);
  put (&t, 100, 112, "Share");
  put (&t, 250, 112, "2016");
  put (&t, 350, 112, "2015");
  put_h (&t, 117, 95, 430);
  put (&t, 100, 129, "exports");
  put_words (&t, 135.5f, 125, "1", 6, 0);
  put (&t, 250, 129, "12.5 %");
  put (&t, 350, 129, "$ 1,200");
  put (&t, 100, 141, "imports");
  put (&t, 250, 141, "13.5 %");
  put_words (&t, 278.5f, 137, "a", 6, 0);
  put (&t, 350, 141, "$ 1,300");
  put_h (&t, 146, 95, 430);
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 1);
  assert_table (&t, 0, "Share|2016|2015;exports1|12.5 %|$ 1,200;imports|13.5 %a|$ 1,300");
  table_page_free (&t);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tables-titles/groups-without-rules", test_groups_without_rules);
  g_test_add_func ("/tables-titles/row-titles", test_row_titles);
  g_test_add_func ("/tables-titles/paragraph-between", test_paragraph_between);
  g_test_add_func ("/tables-titles/side-by-side", test_side_by_side);
  g_test_add_func ("/tables-titles/upright-rules", test_upright_rules);
  g_test_add_func ("/tables-titles/band-of-rows", test_band_of_rows);
  g_test_add_func ("/tables-titles/marks-and-units", test_marks_and_units);
  return g_test_run ();
}
