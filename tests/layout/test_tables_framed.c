/* tests/layout/test_tables_framed.c - tables between horizontal rules. */
#include "layout/table_bands.h"
#include "tests/layout/table_page.h"

/* Three columns at 100, 250 and 350. */
static void
put_row (TablePage *t, float base, const char *a, const char *b, const char *c)
{
  put (t, 100, base, a);
  put (t, 250, base, b);
  put (t, 350, base, c);
}

static void
test_booktabs (void)
{
  TablePage t = table_page ();

  put_h (&t, 100, 95, 400);
  put_row (&t, 112, "Model", "Size", "Score");
  put_h (&t, 117, 95, 400);
  put_row (&t, 130, "first one", "1.2", "70");
  put_row (&t, 142, "second", "3.4", "71");
  put_row (&t, 154, "third", "5.6", "");
  put_h (&t, 160, 95, 400);
  put (&t, 95, 190, "Running text below the table that says what it shows.");
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 1);
  assert_table (&t, 0, "Model|Size|Score;first one|1.2|70;second|3.4|71;third|5.6|");
  g_assert_cmpuint (nth_region (&t, DP_REGION_TABLE, 0)->table->n_header_rows, ==, 1);
  table_page_free (&t);
}

/* A heading between the first two rules stands over the table; in the type of the table it is its first row. */
static void
test_heading_inside (void)
{
  for (guint large = 0; large < 2; large++) {
    TablePage t = table_page ();

    put_h (&t, 80, 95, 400);
    put_words (&t, 100, 94, "Foreign travel and services", large ? 12 : 10, 0);
    put_h (&t, 100, 95, 400);
    put_row (&t, 112, "Model", "Size", "Score");
    put_h (&t, 117, 95, 400);
    put_row (&t, 130, "first one", "1.2", "70");
    put_row (&t, 142, "second", "3.4", "71");
    put_row (&t, 154, "third", "5.6", "72");
    put_h (&t, 160, 95, 400);
    run_passes (&t);
    g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 1);
    g_assert_cmpuint (nth_region (&t, DP_REGION_TABLE, 0)->table->n_rows, ==, large ? 4 : 5);
    table_page_free (&t);
  }
}

/* A rule below each row and none on top: the head stands above the first rule; a sentence there does not. */
static void
test_rule_below_rows (void)
{
  for (guint prose = 0; prose < 2; prose++) {
    TablePage t = table_page ();

    if (prose)
      put (&t, 95, 96, "These are the sizes and the scores of all models that we have");
    else
      put_row (&t, 96, "Model", "Size", "Score");
    put_h (&t, 100, 95, 400);
    put_row (&t, 112, "first one", "1.2", "70");
    put_h (&t, 116, 95, 400);
    put_row (&t, 128, "second", "3.4", "71");
    put_h (&t, 132, 95, 400);
    put_row (&t, 144, "third", "5.6", "72");
    put_h (&t, 148, 95, 400);
    run_passes (&t);
    assert_table (&t, 0,
                  prose ? "first one|1.2|70;second|3.4|71;third|5.6|72" : "Model|Size|Score;first one|1.2|70;second|3.4|71;third|5.6|72");
    table_page_free (&t);
  }
}

/* Cells in the middle of their rows: a label at half a line between two lines of one row is that row's, not the next one's too. */
static void
test_cells_in_the_middle (void)
{
  TablePage t = table_page ();

  put_h (&t, 88, 95, 400);
  put_row (&t, 100, "Name", "In full", "What it is");
  put_h (&t, 104, 95, 400);
  put_row (&t, 116, "", "Trusted", "a world that");
  put (&t, 100, 121, "TEE");
  put_row (&t, 126, "", "place", "is safe");
  put_h (&t, 132, 95, 400);
  put_row (&t, 144, "", "Rich", "the world");
  put (&t, 100, 149, "REE");
  put_row (&t, 154, "", "place", "outside");
  put_h (&t, 160, 95, 400);
  put_row (&t, 172, "TA", "Program", "in the first");
  put_h (&t, 176, 95, 400);
  run_passes (&t);
  assert_table (&t, 0,
                "Name|In full|What it is;TEE|Trusted place|a world that is safe;REE|Rich place|the world outside;TA|Program|in the first");
  table_page_free (&t);
}

/* Full lines of words are running text, unless an upright rule parts them into cells. */
static void
test_cells_of_prose (void)
{
  for (guint ruled = 0; ruled < 2; ruled++) {
    TablePage t = table_page ();
    put_h (&t, 100, 95, 430);
    for (float y = 112; y < 150; y += 12) {
      put (&t, 100, y, "two or more of them with one or");
      put (&t, 275, y, "the true owner of it or, if we");
    }
    put_h (&t, 155, 95, 430);
    if (ruled)
      put_v (&t, 268, 100, 155);
    t.page.paths = (const DpPath *) t.paths->data;
    t.page.n_paths = t.paths->len;
    dp_layout_rules (t.layout, &t.page);
    g_autoptr (DpTableView) view = dp_table_view_new (t.layout, 0);
    g_autoptr (DpTableText) text = dp_table_text_new (view->words);
    const DpTableBand band = dp_table_judge_band (view, text, (DpRect){ 95, 100, 430, 155 });
    g_assert_cmpuint (band.lines, ==, 4);
    g_assert_cmpuint (band.prose_run, ==, ruled ? 0 : 4);
    table_page_free (&t);
  }
}

/* The rest of a numbered label that had room on the line above hangs under it. */
static void
test_numbered_labels (void)
{
  TablePage t = table_page ();

  put_h (&t, 100, 95, 430);
  put (&t, 120, 112, "For this account");
  put (&t, 310, 112, "Give the name of");
  put_h (&t, 117, 95, 430);
  put (&t, 100, 130, "1. One");
  put (&t, 275, 130, "The person");
  put (&t, 100, 148, "2. two or more of them with one");
  put (&t, 275, 148, "the true owner of it or, if we");
  put (&t, 113, 159, "account of a fund and another");
  put (&t, 275, 159, "share the funds of two or more");
  put (&t, 275, 170, "the first of them");
  put (&t, 100, 188, "3. Minors");
  put (&t, 275, 188, "The minor");
  put (&t, 113, 199, "(gifts to)");
  put (&t, 100, 217, "4. Trust that is to be revoked");
  put (&t, 275, 217, "The trust");
  put (&t, 113, 228, "when the grantor wants it so");
  put (&t, 113, 239, "or dies before that");
  put_h (&t, 245, 95, 430);
  put_v (&t, 268, 100, 245);
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 1);
  assert_table (&t, 0,
                "For this account|Give the name of;1. One|The person;"
                "2. two or more of them with one account of a fund and another|"
                "the true owner of it or, if we share the funds of two or more the first of them;"
                "3. Minors (gifts to)|The minor;4. Trust that is to be revoked when the grantor wants it so or dies before that|The trust");
  table_page_free (&t);
}

/* Without rules between rows: cells in the middle of a row stand half a line off from those of two lines. */
static void
test_half_lines (void)
{
  TablePage t = table_page ();

  put_h (&t, 88, 95, 400);
  put_row (&t, 100, "Class", "Addresses", "Mask");
  put_h (&t, 105, 95, 400);
  put_row (&t, 120, "A", "10.x", "one part");
  put_row (&t, 140, "B", "172.16.x", "two parts");
  put (&t, 250, 159, "192.168.0.x");
  put (&t, 100, 168, "C");
  put (&t, 350, 168, "three parts");
  put (&t, 250, 177, "to 192.168.255.x");
  put_h (&t, 185, 95, 400);
  run_passes (&t);
  assert_table (&t, 0, "Class|Addresses|Mask;A|10.x|one part;B|172.16.x|two parts;C|192.168.0.x to 192.168.255.x|three parts");
  table_page_free (&t);
}

/* A word that is divided at the end of a line goes on in the same row. */
static void
test_divided_words (void)
{
  TablePage t = table_page ();

  put_h (&t, 88, 95, 400);
  put_row (&t, 100, "Old", "New", "What for");
  put_h (&t, 105, 95, 400);
  put_row (&t, 118, "ifcon\342\200\220", "ip", "addresses");
  put_row (&t, 130, "fig", "addr", "of devices");
  put_row (&t, 142, "route", "ip route", "the table");
  put_row (&t, 154, "arp", "ip neigh", "the cache");
  put_h (&t, 160, 95, 400);
  run_passes (&t);
  assert_table (&t, 0, "Old|New|What for;ifconfig|ip addr|addresses of devices;route|ip route|the table;arp|ip neigh|the cache");
  table_page_free (&t);
}

/* A title over two columns with a rule under it; the first column's title has its place in both rows. */
static void
test_group_header (void)
{
  TablePage t = table_page ();

  put_h (&t, 100, 95, 400);
  put (&t, 285, 111, "Results");
  put_h (&t, 115, 245, 400);
  put_row (&t, 126, "Model", "Train", "Test");
  put_h (&t, 131, 95, 400);
  put_row (&t, 143, "one", "1.2", "7.0");
  put_row (&t, 155, "two", "3.4", "7.1");
  put_h (&t, 160, 95, 400);
  run_passes (&t);
  assert_table (&t, 0, "Model^1x2|Results^2x1;Train|Test;one|1.2|7.0;two|3.4|7.1");
  g_assert_cmpuint (nth_region (&t, DP_REGION_TABLE, 0)->table->n_header_rows, ==, 2);
  table_page_free (&t);
}

static void
test_label_in_the_middle (void)
{
  TablePage t = table_page ();

  put_h (&t, 100, 95, 400);
  put_row (&t, 112, "Kind", "x", "y");
  put_h (&t, 117, 95, 400);
  put_row (&t, 130, "", "1", "2");
  put (&t, 100, 136, "even"); /* half a line below the first, above the second */
  put_row (&t, 142, "", "3", "4");
  put_h (&t, 147, 95, 400);
  put_row (&t, 160, "", "5", "6");
  put_row (&t, 172, "odd", "7", "8");
  put_row (&t, 184, "", "9", "0");
  put_h (&t, 190, 95, 400);
  run_passes (&t);
  assert_table (&t, 0, "Kind|x|y;even^1x2|1|2;3|4;odd^1x3|5|6;7|8;9|0");
  table_page_free (&t);
}

static void
test_wrapped_cell (void)
{
  TablePage t = table_page ();

  put_h (&t, 100, 95, 450);
  put (&t, 100, 112, "Key");
  put (&t, 200, 112, "Meaning");
  put_h (&t, 117, 95, 450);
  put (&t, 100, 130, "alpha");
  put (&t, 200, 130, "a long explanation that does not fit on one line");
  put (&t, 200, 142, "and goes on below");
  put (&t, 100, 154, "beta");
  put (&t, 200, 154, "short");
  put_h (&t, 160, 95, 450);
  run_passes (&t);
  assert_table (&t, 0, "Key|Meaning;alpha|a long explanation that does not fit on one line and goes on below;beta|short");
  table_page_free (&t);
}

/* Only the header tells that a column is there. */
static void
test_empty_column (void)
{
  TablePage t = table_page ();

  put (&t, 95, 92, "Table 4: to be filled in");
  put_h (&t, 100, 95, 400);
  put_row (&t, 112, "Cation", "Size", "Rate");
  put_h (&t, 117, 95, 400);
  put (&t, 100, 130, "K");
  put (&t, 100, 142, "Na");
  put (&t, 100, 154, "Ca");
  put_h (&t, 160, 95, 400);
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 1);
  assert_table (&t, 0, "Cation|Size|Rate;K||;Na||;Ca||");
  table_page_free (&t);
}

static void
test_two_tables (void)
{
  TablePage t = table_page ();

  for (guint i = 0; i < 2; i++) {
    float y = 100 + 120 * (float) i;
    put_h (&t, y, 95, 400);
    put_row (&t, y + 12, "Model", "Size", "Score");
    put_h (&t, y + 17, 95, 400);
    put_row (&t, y + 30, "one", "1.2", "70");
    put_row (&t, y + 42, "two", "3.4", "71");
    put_h (&t, y + 48, 95, 400);
    put (&t, 95, y + 64, i ? "Table 2: The second." : "Table 1: The first.");
  }
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 2);
  assert_table (&t, 1, "Model|Size|Score;one|1.2|70;two|3.4|71");
  table_page_free (&t);
}

/* A chart's grid, prose between a page's rules, two columns of prose, a contents page. */
static void
test_no_tables (void)
{
  TablePage t = table_page ();

  for (guint i = 0; i < 9; i++)
    put_h (&t, 50 + 20 * (float) i, 100, 500);
  put (&t, 300, 112, "series A");
  put_h (&t, 300, 60, 540);
  for (guint i = 0; i < 8; i++) {
    put (&t, 60, 320 + 12 * (float) i, "words of the left column that run on and on");
    put (&t, 320, 320 + 12 * (float) i, "words of the right column that run on too");
  }
  put_h (&t, 420, 60, 540);
  put_h (&t, 500, 60, 400);
  for (guint i = 0; i < 5; i++) {
    put (&t, 60, 515 + 14 * (float) i, "Chapter ..........................");
    put (&t, 380, 515 + 14 * (float) i, "7");
  }
  put_h (&t, 590, 60, 400);
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 0);
  table_page_free (&t);
}

/* A label of two lines between three rows of numbers, in a column that an upright rule parts from the next. */
static void
test_label_of_two_lines (void)
{
  TablePage t = table_page ();

  put_h (&t, 100, 95, 400);
  put_row (&t, 112, "Set", "Method", "Score");
  put_h (&t, 117, 95, 400);
  put (&t, 100, 135.5f, "Semi-conductor");
  put (&t, 100, 150.5f, "(Internal)");
  for (guint i = 0; i < 3; i++) {
    const float base = 128 + 15 * (float) i;
    put (&t, 250, base, (const char *[]){ "Clip", "Ads", "Ours" }[i]);
    put (&t, 350, base, (const char *[]){ "68.2", "91.1", "91.8" }[i]);
  }
  put_h (&t, 163, 95, 400);
  put_v (&t, 240, 100, 163);
  put_v (&t, 340, 100, 163);
  run_passes (&t);
  assert_table (&t, 0, "Set|Method|Score;Semi-conductor (Internal)^1x3|Clip|68.2;Ads|91.1;Ours|91.8");
  table_page_free (&t);
}

/* Two tables of one width, each with a rule under its head and one at its end: the white between them parts them. */
static void
test_heads_above_rules (void)
{
  TablePage t = table_page ();

  for (guint i = 0; i < 2; i++) {
    const float top = 100 + 120 * (float) i;
    put_row (&t, top, i ? "Tree" : "Area", "Count", "Share");
    put_h (&t, top + 5, 95, 400);
    put_row (&t, top + 18, "first", "264", "0.5");
    put_row (&t, top + 32, "second", "104", "0.3");
    put_row (&t, top + 46, "third", "52", "0.2");
    put_h (&t, top + 51, 95, 400);
  }
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 2);
  assert_table (&t, 0, "Area|Count|Share;first|264|0.5;second|104|0.3;third|52|0.2");
  assert_table (&t, 1, "Tree|Count|Share;first|264|0.5;second|104|0.3;third|52|0.2");
  table_page_free (&t);
}

/* Rows that wrap in one column, one rule below the head and one below the last row: most lines have one piece only. */
static void
test_wrapped_column (void)
{
  TablePage t = table_page ();
  static const char *const more[] = { "spiders", "and some", "snails" };

  put_row (&t, 96, "Name", "Place", "Food");
  put_h (&t, 100, 95, 400);
  for (guint i = 0; i < 3; i++) {
    const float y = 112 + 54 * (float) i;
    put_row (&t, y, (const char *[]){ "warbler", "harrier", "bittern" }[i], "old reeds", "insects,");
    for (guint k = 0; k < 3; k++)
      put (&t, 350, y + 12 * (float) (k + 1), more[k]);
  }
  put_h (&t, 262, 95, 400);
  run_passes (&t);
  assert_table (&t, 0,
                "Name|Place|Food;warbler|old reeds|insects, spiders and some snails;harrier|old reeds|insects, spiders and some "
                "snails;bittern|old reeds|insects, spiders and some snails");
  g_assert_cmpuint (nth_region (&t, DP_REGION_TABLE, 0)->table->n_header_rows, ==, 1);
  table_page_free (&t);
}

/* A rule below each row, cells in the middle of their rows: lines that wrap in two columns at once are one row, and a line
 * near to both of its neighbours stays on its side of the rule. */
static void
test_wrapped_between_rules (void)
{
  TablePage t = table_page ();

  put_row (&t, 96, "Who", "What", "When");
  put_h (&t, 100, 95, 400);
  put (&t, 350, 112, "each day");
  put_row (&t, 124, "the cook and his helper", "keeps the books", "before");
  put_row (&t, 136, "who carries", "and cellars", "the sun");
  put (&t, 350, 148, "is up");
  put_h (&t, 152, 95, 400);
  put (&t, 350, 164, "always,");
  put_row (&t, 176, "gardener", "waters", "except");
  put (&t, 350, 188, "Sundays");
  put_h (&t, 192, 95, 400);
  put (&t, 250, 200, "opens the gates");
  put_row (&t, 206, "porter", "", "late");
  put (&t, 250, 212, "to visitors");
  put_h (&t, 216, 95, 400);
  run_passes (&t);
  assert_table (&t, 0,
                "Who|What|When;the cook and his helper who carries|keeps the books and cellars|each day before the sun is "
                "up;gardener|waters|always, except Sundays;porter|opens the gates to visitors|late");
  table_page_free (&t);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tables-framed/booktabs", test_booktabs);
  g_test_add_func ("/tables-framed/heading-inside", test_heading_inside);
  g_test_add_func ("/tables-framed/rule-below-rows", test_rule_below_rows);
  g_test_add_func ("/tables-framed/cells-in-the-middle", test_cells_in_the_middle);
  g_test_add_func ("/tables-framed/cells-of-prose", test_cells_of_prose);
  g_test_add_func ("/tables-framed/numbered-labels", test_numbered_labels);
  g_test_add_func ("/tables-framed/half-lines", test_half_lines);
  g_test_add_func ("/tables-framed/divided-words", test_divided_words);
  g_test_add_func ("/tables-framed/group-header", test_group_header);
  g_test_add_func ("/tables-framed/label-in-the-middle", test_label_in_the_middle);
  g_test_add_func ("/tables-framed/wrapped-cell", test_wrapped_cell);
  g_test_add_func ("/tables-framed/empty-column", test_empty_column);
  g_test_add_func ("/tables-framed/two-tables", test_two_tables);
  g_test_add_func ("/tables-framed/no-tables", test_no_tables);
  g_test_add_func ("/tables-framed/label-of-two-lines", test_label_of_two_lines);
  g_test_add_func ("/tables-framed/heads-above-rules", test_heads_above_rules);
  g_test_add_func ("/tables-framed/wrapped-column", test_wrapped_column);
  g_test_add_func ("/tables-framed/wrapped-between-rules", test_wrapped_between_rules);
  return g_test_run ();
}
