/* tests/pipeline/test_pdf_structure.c - the structure tree and the places of its elements, from a file's own bytes. */
#include "pipeline/pdf_structure.h"

#include <string.h>

#include "layout/page.h"

typedef struct {
  GArray *tags, *marks;
} Found;

static Found
read_bytes (const char *bytes, guint n_pages)
{
  g_autoptr (DpDocumentInfo) info = dp_document_info_new ();

  dp_pdf_structure_read (bytes, strlen (bytes), n_pages, NULL, info->tags, info->marks);
  return (Found){ g_array_ref (info->tags), g_array_ref (info->marks) };
}

static void
found_clear (Found *found)
{
  g_array_unref (found->tags);
  g_array_unref (found->marks);
}

static void
assert_tag (const Found *found, guint i, const char *kind, guint depth, guint page)
{
  g_assert_cmpuint (i, <, found->tags->len);
  const DpTag *tag = &g_array_index (found->tags, DpTag, i);
  g_assert_cmpstr (tag->kind, ==, kind);
  g_assert_cmpuint (tag->depth, ==, depth);
  g_assert_cmpuint (tag->page, ==, page);
}

static void
assert_mark (const Found *found, guint i, guint page, gint tag, float x, float y)
{
  g_assert_cmpuint (i, <, found->marks->len);
  const DpMark *mark = &g_array_index (found->marks, DpMark, i);
  g_assert_cmpuint (mark->page, ==, page);
  g_assert_cmpint (mark->tag, ==, tag);
  g_assert_cmpfloat_with_epsilon (mark->x, x, 1e-3f);
  g_assert_cmpfloat_with_epsilon (mark->y, y, 1e-3f);
}

#define STREAM(number, text) number " 0 obj<<>>stream\n" text "\nendstream endobj\n"
#define PAGES                                                                                                                              \
  "1 0 obj<</Type/Catalog/Pages 2 0 R/StructTreeRoot 10 0 R>>endobj\n"                                                                     \
  "2 0 obj<</Type/Pages/Kids[3 0 R 4 0 R]/MediaBox[0 0 300 200]/CropBox[10 20 400 190]>>endobj\n"                                          \
  "3 0 obj<</Type/Page/Contents[5 0 R 6 0 R]/Resources<</Properties<</MC0<</MCID 1>>>>>>>>endobj\n"                                        \
  "4 0 obj<</Type/Page/Contents 7 0 R/Rotate 90>>endobj\n" STREAM ("5", "/X<</MCID 0>>BDC BT 30 150 Td (Title)")                           \
      STREAM ("6", "Tj ET EMC /P/MC0 BDC BT 30 100 Td (Text) Tj ET EMC /Artifact BMC BT 150 25 Td (1) Tj ET EMC")                          \
          STREAM ("7", "/P<</MCID 0>>BDC BT 30 100 Td (Turned) Tj ET EMC /P<</MCID 5>>BDC BT 1 1 Td (Lost) Tj ET EMC")
#define TAIL "trailer<</Root 1 0 R>>\n"

static void
test_tree (void)
{
  Found found = read_bytes (PAGES "10 0 obj<</Type/StructTreeRoot/K 11 0 R/RoleMap<</Big#20Title/Head/Head/H2/P/P>>>>endobj\n"
                                  "11 0 obj<</S/Document/K[12 0 R<</S/P/Pg 3 0 R/K<</Type/MCR/MCID 1>>>>13 0 R]>>endobj\n"
                                  "12 0 obj<</S/Big#20Title/Pg 3 0 R/K 0>>endobj\n"
                                  "13 0 obj<</S/L/K[<</S/LI/K[<</S/Lbl>> 14 0 R]>>]>>endobj\n"
                                  "14 0 obj<</S/LBody/Pg 4 0 R/K[<</Type/OBJR/Obj 9 0 R>>0]>>endobj\n" TAIL,
                            2);

  g_assert_cmpuint (found.tags->len, ==, 7);
  assert_tag (&found, 0, "Document", 0, 0);
  assert_tag (&found, 1, "H2", 1, 1);
  assert_tag (&found, 2, "P", 1, 1);
  assert_tag (&found, 3, "L", 1, 0);
  assert_tag (&found, 4, "LI", 2, 0);
  assert_tag (&found, 5, "Lbl", 3, 0);
  assert_tag (&found, 6, "LBody", 3, 2);
  /* the shown part is 290 wide from x 10, and 170 high up to y 190 */
  g_assert_cmpuint (found.marks->len, ==, 4);
  assert_mark (&found, 0, 1, 1, 20, 40);
  assert_mark (&found, 1, 1, 2, 20, 90);
  assert_mark (&found, 2, 1, -1, 140, 165);
  assert_mark (&found, 3, 2, 6, 80, 20); /* turned clockwise */
  found_clear (&found);
}

/* Spans stand in a dictionary, or in one of several with numbers between. */
static void
test_spans (void)
{
  Found found = read_bytes (PAGES "10 0 obj<</K[<</S/TD/Pg 3 0 R/K 0/A<</O/Table/ColSpan 3>>>>"
                                  "<</S/TH/A[<</O/Layout/ColSpans 9>>0 11 0 R 0]>><</S/TD/A[7 8]>><</S/P/A<</ColSpan 3>>>>]>>endobj\n"
                                  "11 0 obj<</O/Table/RowSpan 2/ColSpan 12 0 R>>endobj 12 0 obj 4 endobj\n" TAIL,
                            2);
  static const guint spans[][2] = { { 1, 3 }, { 2, 4 }, { 1, 1 }, { 1, 1 } };

  g_assert_cmpuint (found.tags->len, ==, G_N_ELEMENTS (spans));
  for (guint i = 0; i < G_N_ELEMENTS (spans); i++) {
    g_assert_cmpuint (g_array_index (found.tags, DpTag, i).row_span, ==, spans[i][0]);
    g_assert_cmpuint (g_array_index (found.tags, DpTag, i).col_span, ==, spans[i][1]);
  }
  found_clear (&found);
}

/* Trees in circles, roles in circles, and what is no tree at all. */
static void
test_nonsense (void)
{
  static const char *const trees[] = {
    "10 0 obj<</K 10 0 R>>endobj\n",
    "10 0 obj<</K[99 0 R 1 0 R null(x)]>>endobj\n",
    "10 0 obj[]endobj\n",
    "",
    "10 0 obj<</K<</S/P/Pg 1 0 R/K 0>>>>endobj\n",
    "10 0 obj<</K<</S/P/Pg 3 0 R/K 77>>>>endobj\n",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (trees); i++) {
    g_autofree char *bytes = g_strconcat (PAGES, trees[i], TAIL, NULL);
    Found found = read_bytes (bytes, 2);
    for (guint k = 0; k < found.marks->len; k++)
      g_assert_cmpint (g_array_index (found.marks, DpMark, k).tag, ==, -1);
    found_clear (&found);
  }
  /* each element has the next one twice, the last is the first: the walk ends, and half a tree is none */
  Found circle = read_bytes (PAGES "10 0 obj<</K 11 0 R/RoleMap<</A/B/B/A>>>>endobj\n"
                                   "11 0 obj<</S/A/Pg 3 0 R/K[0 12 0 R 12 0 R]>>endobj 12 0 obj<</S/P/K[11 0 R 11 0 R]>>endobj\n" TAIL,
                             2);
  g_assert_cmpuint (circle.tags->len, ==, 0);
  g_assert_cmpuint (circle.marks->len, ==, 0);
  found_clear (&circle);
  /* a page that poppler counts and the tree of pages does not have: numbers cannot be told */
  Found three = read_bytes (PAGES "10 0 obj<</K<</S/P/Pg 3 0 R/K 0>>>>endobj\n" TAIL, 3);
  g_assert_cmpuint (three.marks->len, ==, 0);
  found_clear (&three);
}

/* Any bytes: what comes out keeps its promises. */
static void
test_damaged (void)
{
  static const char whole[] = PAGES "10 0 obj<</K 11 0 R/RoleMap<</A/H1>>>>endobj\n"
                                    "11 0 obj<</S/A/Pg 3 0 R/K[0 1 12 0 R<</S/TD/A<</ColSpan 2>>/K<</MCID 0/Pg 4 0 R>>>>]>>endobj\n"
                                    "12 0 obj<</S/P/K[11 0 R]>>endobj\n" TAIL;
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  for (guint n = 0; n < 3000; n++) {
    g_autofree char *bytes = g_memdup2 (whole, sizeof whole);
    for (guint k = g_rand_int_range (random, 1, 8); k > 0; k--)
      bytes[g_rand_int_range (random, 0, sizeof whole - 1)] = "0123456789<>[]()/ RKBDEMCT\n"[g_rand_int_range (random, 0, 27)];
    Found found = read_bytes (bytes, 2);
    for (guint i = 0; i < found.marks->len; i++) {
      const DpMark *mark = &g_array_index (found.marks, DpMark, i);
      g_assert_true (mark->page >= 1 && mark->page <= 2);
      g_assert_true (mark->tag >= -1 && mark->tag < (gint) found.tags->len);
      g_assert_true (mark->x > -1e6f && mark->x < 1e6f && mark->y > -1e6f && mark->y < 1e6f);
    }
    found_clear (&found);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/structure/tree", test_tree);
  g_test_add_func ("/structure/spans", test_spans);
  g_test_add_func ("/structure/nonsense", test_nonsense);
  g_test_add_func ("/structure/damaged", test_damaged);
  return g_test_run ();
}
