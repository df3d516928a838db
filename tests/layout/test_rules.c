/* tests/layout/test_rules.c - pieces to rules, fills, underlines. */
#include <math.h>

#include "tests/layout/table_page.h"

static const DpRule *
hrule (const TablePage *t, guint i)
{
  return &g_array_index (t->layout->hrules, DpRule, i);
}

static void
test_pieces_join (void)
{
  TablePage t = table_page ();

  for (guint i = 0; i < 10; i++)
    put_h (&t, 100 + 0.05f * (float) i, 50 + 40 * (float) i, 88 + 40 * (float) i); /* 2 pt gaps */
  put_h (&t, 101.8f, 50, 448);                                                     /* a double rule */
  put_h (&t, 200, 50, 90);
  put_h (&t, 200, 99, 140); /* 9 pt: two rules */
  run_passes (&t);
  g_assert_cmpuint (t.layout->hrules->len, ==, 3);
  g_assert_cmpfloat_with_epsilon (hrule (&t, 0)->from, 50, 0.01);
  g_assert_cmpfloat_with_epsilon (hrule (&t, 0)->to, 448, 0.01);
  g_assert_cmpfloat_with_epsilon (hrule (&t, 2)->from, 99, 0.01);
  table_page_free (&t);
}

static void
test_dots (void)
{
  TablePage t = table_page ();

  for (guint i = 0; i < 40; i++)
    put_path (&t, DP_PATH_CURVE, 50 + 6 * (float) i, 99.5f, 51 + 6 * (float) i, 100.5f, 0);
  put_path (&t, DP_PATH_CURVE, 50, 300, 51, 301, 0); /* one speck */
  run_passes (&t);
  g_assert_cmpuint (t.layout->hrules->len, ==, 1);
  g_assert_cmpfloat_with_epsilon (hrule (&t, 0)->to, 50 + 6 * 39 + 1, 0.01);
  g_assert_cmpuint (t.layout->vrules->len, ==, 0);
  table_page_free (&t);
}

static void
test_underline_leaves (void)
{
  TablePage t = table_page ();

  put (&t, 100, 100, "plain linked words here");
  /* words are 25, 30, 25, 20 wide with gaps of 3: "linked words" is 128..186 */
  put_h (&t, 101.5f, 128, 186);
  put (&t, 100, 200, "gone");
  put_h (&t, 197, 100, 120);
  run_passes (&t);
  g_assert_cmpuint (t.layout->hrules->len, ==, 0);
  g_assert_cmpuint (t.layout->underlines->len, ==, 2);
  for (guint i = 0; i < t.layout->words->len; i++) {
    const DpWord *w = &g_array_index (t.layout->words, DpWord, i);
    gsize len;
    const char *s = dp_word_text (t.layout, w, &len);
    gboolean underlined = (w->style & DP_SPAN_UNDERLINE) != 0;
    g_assert_cmpint (underlined, ==, strncmp (s, "linked", 6) == 0 || strncmp (s, "words", 5) == 0);
    g_assert_cmpint ((w->style & DP_SPAN_STRIKE) != 0, ==, strncmp (s, "gone", 4) == 0);
  }
  table_page_free (&t);
}

static void
test_table_rule_stays (void)
{
  TablePage t = table_page ();

  put (&t, 100, 100, "Name");
  put_h (&t, 102, 90, 300); /* far longer than the text above */
  run_passes (&t);
  g_assert_cmpuint (t.layout->underlines->len, ==, 0);
  g_assert_cmpuint (t.layout->hrules->len, ==, 1);
  table_page_free (&t);
}

static void
test_page_frame_and_background (void)
{
  TablePage t = table_page ();

  put_h (&t, 10, 10, 590);
  put_h (&t, 790, 10, 590);
  put_v (&t, 10, 10, 790);
  put_v (&t, 590, 10, 790);
  put_h (&t, 400, 100, 500);
  put_path (&t, DP_PATH_FILL, 0, 0, 600, 800, 0xeeeeff);
  put_path (&t, DP_PATH_FILL, 100, 100, 200, 120, 0xffe0e0);
  put_path (&t, DP_PATH_FILL, 100, 100, 200, 120, 0xffe0e0); /* twice the same */
  run_passes (&t);
  g_assert_cmpuint (t.layout->hrules->len, ==, 1);
  g_assert_cmpuint (t.layout->vrules->len, ==, 0);
  g_assert_cmpuint (t.layout->fills->len, ==, 1);
  table_page_free (&t);
}

static void
test_white (void)
{
  TablePage t = table_page ();

  put_path (&t, DP_PATH_HLINE, 100, 300, 500, 301, 0xffffff); /* on paper */
  put_path (&t, DP_PATH_FILL, 100, 100, 500, 160, 0x2244aa);
  put_path (&t, DP_PATH_HLINE, 100, 130, 500, 131, 0xffffff); /* on colour */
  run_passes (&t);
  g_assert_cmpuint (t.layout->hrules->len, ==, 1);
  g_assert_cmpfloat_with_epsilon (hrule (&t, 0)->pos, 130.5, 0.1);
  table_page_free (&t);
}

/* Bad numbers and a page full of small rectangles: nothing breaks, nothing is found. */
static void
test_hostile (void)
{
  TablePage t = table_page ();

  put_path (&t, DP_PATH_HLINE, NAN, 10, 100, 11, 0);
  put_path (&t, DP_PATH_VLINE, 10, -INFINITY, 11, INFINITY, 0);
  put_path (&t, DP_PATH_FILL, 50, 50, 40, 40, 0);
  for (guint i = 0; i < 65000; i++) {
    float x = (float) (i % 255) * 2.3f, y = (float) (i / 255) * 3.1f;
    put_path (&t, DP_PATH_FILL, x, y, x + 2, y + 2.5f, i * 2654435761u & 0xffffff);
  }
  for (guint i = 0; i < 2000; i++)
    put_h (&t, (float) (i * 37 % 800), (float) (i * 91 % 500), (float) (i * 91 % 500) + 40);
  put (&t, 100, 100, "a b c");
  run_passes (&t);
  g_assert_cmpuint (count_regions (&t, DP_REGION_TABLE), ==, 0);
  table_page_free (&t);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rules/pieces-join", test_pieces_join);
  g_test_add_func ("/rules/dots", test_dots);
  g_test_add_func ("/rules/underline-leaves", test_underline_leaves);
  g_test_add_func ("/rules/table-rule-stays", test_table_rule_stays);
  g_test_add_func ("/rules/page-frame-and-background", test_page_frame_and_background);
  g_test_add_func ("/rules/white", test_white);
  g_test_add_func ("/rules/hostile", test_hostile);
  return g_test_run ();
}
