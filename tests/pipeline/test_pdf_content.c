/* tests/pipeline/test_pdf_content.c - the scanner of content streams: where marked text begins, whatever else is in the stream. */
#include "pipeline/pdf_content.h"

#include <math.h>
#include <string.h>

static GArray *
scan (const char *content, DpContentNamed named)
{
  GArray *marks = g_array_new (FALSE, FALSE, sizeof (DpContentMark));

  dp_content_scan ((const guint8 *) content, strlen (content), named, (gpointer) "seven", marks);
  return marks;
}

static void
assert_mark (const GArray *marks, guint i, gint mcid, double x, double y)
{
  g_assert_cmpuint (i, <, marks->len);
  const DpContentMark *mark = &g_array_index (marks, DpContentMark, i);
  g_assert_cmpint (mark->mcid, ==, mcid);
  g_assert_cmpfloat_with_epsilon (mark->x, x, 1e-6);
  g_assert_cmpfloat_with_epsilon (mark->y, y, 1e-6);
}

static void
test_places (void)
{
  g_autoptr (GArray) marks = scan ("q 2 0 0 2 10 20 cm /P <</MCID 3/Lang(en)>> BDC BT /F1 12 Tf 5 6 Td (a) Tj (b) Tj 14 TL T* (c) Tj "
                                   "1 0 0 1 100 7 Tm [-500 (d) 20 (e)] TJ ET EMC Q\n"
                                   "/H1<</MCID 4>>BDC BT 12 0 0 12 30 40 Tm 0 -1.5 TD <41> Tj T* (x\\)) ' ET EMC",
                                   NULL);

  g_assert_cmpuint (marks->len, ==, 5);
  assert_mark (marks, 0, 3, 20, 32);  /* (a); (b) goes on where it ends */
  assert_mark (marks, 1, 3, 20, 4);   /* (c), 14 below in a space twice as large */
  assert_mark (marks, 2, 3, 222, 34); /* (d), half an em of 12 to the right */
  assert_mark (marks, 3, 4, 30, 22);
  assert_mark (marks, 4, 4, 30, -14); /* T* and ' */
}

static gint
named (const char *name, gpointer data)
{
  g_assert_cmpstr (data, ==, "seven");
  return strcmp (name, "MC0") == 0 ? 7 : -1;
}

static void
test_marked (void)
{
  g_autoptr (GArray) marks = scan ("BT 1 1 Td (outside) Tj ET\n"
                                   "/P /MC0 BDC BT 2 2 Td (seven) Tj ET /Span <</ActualText(x)>> BDC BT 3 3 Td (seven too) Tj ET EMC "
                                   "/Span <</MCID 8>> BDC BT 4 4 Td (eight) Tj ET EMC BT 5 5 Td (seven again) Tj ET EMC\n"
                                   "/Artifact <</Type/Pagination>> BDC BT 6 6 Td (1) Tj ET EMC /Artifact BMC BT 7 7 Td (2) Tj ET EMC\n"
                                   "/OC /MC1 BDC BT 8 8 Td (nobody's) Tj ET EMC EMC EMC BT 9 9 Td (x) Tj ET",
                                   named);

  g_assert_cmpuint (marks->len, ==, 6);
  assert_mark (marks, 0, 7, 2, 2);
  assert_mark (marks, 1, 7, 3, 3);
  assert_mark (marks, 2, 8, 4, 4);
  assert_mark (marks, 3, 7, 5, 5);
  assert_mark (marks, 4, DP_CONTENT_ARTIFACT, 6, 6);
  assert_mark (marks, 5, DP_CONTENT_ARTIFACT, 7, 7);
}

/* Words of one line that are placed one by one are told once. */
static void
test_once (void)
{
  g_autoptr (GArray) marks = scan ("/P<</MCID 1>>BDC BT 10 50 Td (a) Tj 20 0 Td (b) Tj 20 0 Td (c) Tj -40 -12 Td (d) Tj ET EMC", NULL);

  g_assert_cmpuint (marks->len, ==, 2);
  assert_mark (marks, 0, 1, 10, 50);
  assert_mark (marks, 1, 1, 10, 38);
}

/* Pictures in the stream, what never closes, and states that are never restored. */
static void
test_odd (void)
{
  g_autoptr (GString) deep = g_string_new (NULL);
  g_autoptr (GArray) picture = scan ("BI /W 1 /H 1 ID /P<</MCID 9>>BDC BT (EIx) Tj \nEI Q /P<</MCID 1>>BDC BT 1 2 Td (a) Tj ET EMC", NULL);
  g_assert_cmpuint (picture->len, ==, 1);
  assert_mark (picture, 0, 1, 1, 2);

  for (guint i = 0; i < 1000; i++)
    g_string_append (deep, "q 1 0 0 1 1 0 cm /P BMC ");
  for (guint i = 0; i < 1000; i++)
    g_string_append (deep, "Q EMC ");
  g_string_append (deep, "/P<</MCID 1>>BDC BT 1 2 Td (a) Tj ET");
  g_autoptr (GArray) balanced = scan (deep->str, NULL);
  g_assert_cmpuint (balanced->len, ==, 1);
  assert_mark (balanced, 0, 1, 1, 2);

  static const char *const broken[] = { "(",
                                        "<",
                                        "<<",
                                        "[",
                                        "/",
                                        "[(",
                                        "<</MCID",
                                        "<</MCID >> BDC",
                                        "1e9 0 Td (a) Tj",
                                        "BT Td Tj ET",
                                        "-",
                                        "+.- Td",
                                        "]",
                                        ">>",
                                        ")",
                                        "}",
                                        "BI ID",
                                        "/P<</MCID 99999999999>>BDC BT 1 1 Td (a) Tj",
                                        "%" };
  for (gsize i = 0; i < G_N_ELEMENTS (broken); i++) {
    g_autoptr (GArray) marks = scan (broken[i], NULL);
    g_assert_cmpuint (marks->len, ==, 0);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/content/places", test_places);
  g_test_add_func ("/content/marked", test_marked);
  g_test_add_func ("/content/once", test_once);
  g_test_add_func ("/content/odd", test_odd);
  return g_test_run ();
}
