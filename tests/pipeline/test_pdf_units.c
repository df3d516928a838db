/* tests/pipeline/test_pdf_units.c - UserUnit: found in plain files and object streams, refused where it is nonsense, applied to all of a page. */
#include "pipeline/pdf_units.h"

#include <unistd.h>

#include "pipeline/pdf.h"
#include "tests/pipeline/tiny_pdf.h"

/* The unit of page 1 of a file with these bytes. */
static double
unit_in (const char *bytes)
{
  g_autoptr (DpPdfUnits) units = dp_pdf_units_read (bytes, strlen (bytes), 1);

  return dp_pdf_units_of (units, 1, 300, 200);
}

#define HEAD "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1/UserUnit 7>>endobj\n"
#define TAIL "\nendobj\ntrailer<</Root 1 0 R>>\n"

static void
test_found (void)
{
  static const struct {
    const char *bytes;
    double unit;
  } cases[] = {
    { HEAD "3 0 obj<</Type/Page/UserUnit 2.5>>" TAIL, 2.5 },
    { HEAD "3 0 obj <</A(\\)>>endobj)/V/UserUnit/B 1/UserUnit\n%/UserUnit 9\n3>>" TAIL, 3 },
    { HEAD "3 0 obj<</B[<<//UserUnit 9>>[1 0 R]]/C 4 0 R/UserUnit 4 0 R>>endobj 4 0 obj 12.0" TAIL, 12 },
    /* not inherited, not of this page, not for free */
    { HEAD "3 0 obj<</Type/Page>>" TAIL, 1 },
    { HEAD "3 0 obj<</Type/Page/PieceInfo<</UserUnit 4>>>>" TAIL, 1 },
    { HEAD "3 0 obj<</Type/Page/UserUnits 4>>" TAIL, 1 },
    { "1 0 obj<</Pages 2 0 R>>endobj 2 0 obj<</Kids[3 0 R]>>endobj 3 0 obj<</UserUnit 4>>endobj", 1 },
    /* an update: the later page and the later trailer count */
    { HEAD "3 0 obj<</Type/Page/UserUnit 2>>" TAIL "3 0 obj<</Type/Page/UserUnit 5>>" TAIL, 5 },
    { HEAD "3 0 obj<</Type/Page/UserUnit 2>>" TAIL
           "6 0 obj<</Pages 7 0 R>>endobj 7 0 obj<</Kids[8 0 R]>>endobj 8 0 obj<</UserUnit 6>>endobj"
           "\ntrailer<</Root 6 0 R>>",
      6 },
    /* a file within a file */
    { HEAD "3 0 obj<</Type/Page/UserUnit 2>>endobj 4 0 obj<</Length 38>>stream\n3 0 obj<</Type/Page/UserUnit 9>>endobj  \nendstream" TAIL,
      2 },
    { HEAD
      "3 0 obj<</Type/Page/UserUnit 2>>endobj 4 0 obj<</Length 9 0 R>>stream\n3 0 obj<</Type/Page/UserUnit 9>>endobj  \nendstream" TAIL,
      2 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_test_message ("%s", cases[i].bytes);
    g_assert_cmpfloat_with_epsilon (unit_in (cases[i].bytes), cases[i].unit, 1e-6);
  }
}

static void
test_nonsense (void)
{
  static const char *const values[]
      = { "0", "-1", "1e9", "nan", "inf", "75001", "0.001", "(2)", "/Two", "[2]", "9 0 R", "3 0 R", "0x10", "" };

  for (gsize i = 0; i < G_N_ELEMENTS (values); i++) {
    g_autofree char *bytes = g_strdup_printf (HEAD "3 0 obj<</Type/Page/UserUnit %s>>" TAIL, values[i]);
    g_test_message ("%s", values[i]);
    g_assert_cmpfloat (unit_in (bytes), ==, 1);
  }
  /* good, but the page would become too long */
  const char *large = HEAD "3 0 obj<</Type/Page/UserUnit 70000>>" TAIL;
  g_autoptr (DpPdfUnits) units = dp_pdf_units_read (large, strlen (large), 1);
  g_assert_cmpfloat (dp_pdf_units_of (units, 1, 10, 14), ==, 70000);
  g_assert_cmpfloat (dp_pdf_units_of (units, 1, 10, 15), ==, 1);
  g_assert_cmpfloat (dp_pdf_units_of (units, 2, 10, 14), ==, 1);
  g_assert_cmpfloat (dp_pdf_units_of (NULL, 1, 10, 14), ==, 1);
}

/* Trees that never end, or would be walked for ever. */
static void
test_trees (void)
{
  g_autoptr (GString) doubling = g_string_new ("1 0 obj<</Pages 2 0 R>>endobj\n");
  g_autoptr (GString) open = g_string_new (HEAD);
  g_autoptr (GString) trailers = g_string_new (HEAD "3 0 obj<</UserUnit 2>>\n");

  g_assert_cmpfloat (unit_in ("1 0 obj<</Pages 2 0 R>>endobj 2 0 obj<</Kids[2 0 R 2 0 R]/UserUnit 2>>endobj trailer<</Root 1 0 R>>"), ==,
                     2);
  g_assert_cmpfloat (unit_in ("1 0 obj 1 0 R endobj trailer<</Root 1 0 R>> /UserUnit"), ==, 1);
  /* each node has the next one twice, the last one has none: 2^60 ways */
  for (guint i = 2; i < 62; i++)
    g_string_append_printf (doubling, "%u 0 obj<</Kids[%u 0 R %u 0 R]>>endobj\n", i, i + 1, i + 1);
  g_string_append (doubling, "62 0 obj<</Kids[]>>endobj trailer<</Root 1 0 R>> /UserUnit");
  g_assert_cmpfloat (unit_in (doubling->str), ==, 1);
  /* objects and trailers inside one another, a hundred thousand deep: read once, not once from each */
  for (guint i = 0; i < 100000; i++) {
    g_string_append (open, "4 0 obj<</A(");
    g_string_append (trailers, "trailer<</A(");
  }
  g_string_append (open, "/UserUnit");
  g_assert_cmpfloat (unit_in (open->str), ==, 1);
  g_assert_cmpfloat (unit_in (trailers->str), ==, 1);
}

/* ---- whole files ------------------------------------------------------------------------------------------ */

/* n pages of 300 x 200 units, 40,60 "Unit" in 20 units, unit 1.5 on even pages and 1 on odd ones; in plain objects. */
static char *
save_plain (guint n)
{
  const char *content = "BT /F 20 Tf 40 140 Td (Unit) Tj ET 1 w 40 100 m 240 100 l S";
  TinyPdf *t = tiny_new ();
  g_autoptr (GString) kids = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (kids, "%u 0 R ", 5 + i);
  tiny_object (t, "<< /Type /Catalog /Pages 2 0 R >>");
  tiny_object (t, "<< /Type /Pages /Kids [%s] /Count %u /MediaBox [0 0 300 200] /Resources << /Font << /F 3 0 R >> >> >>", kids->str, n);
  tiny_object (t, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  tiny_stream (t, "", content, strlen (content));
  for (guint i = 0; i < n; i++)
    tiny_object (t,
                 "<< /Type /Page /Parent 2 0 R /Contents 4 0 R%s /Annots [<< /Type /Annot /Subtype /Link /Rect [40 120 240 160]"
                 " /Border [0 0 0] /A << /S /URI /URI (u:x) >> >>] >>",
                 i % 2 ? " /UserUnit 1.5" : "");
  return tiny_save_string (tiny_finish (t, ""));
}

/* One such page with unit 1.5, its dictionaries in an object stream, the table a stream too. */
static char *
save_compressed (void)
{
  static const char *const objects[] = { "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
                                         "<</Type/Page/Parent 2 0 R/UserUnit 1.5/MediaBox[0 0 300 200]/Contents 6 0 R"
                                         "/Resources<</Font<</F 4 0 R>>>>>>",
                                         "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>" };
  const char *content = "BT /F 20 Tf 40 140 Td (Unit) Tj ET 1 w 40 100 m 240 100 l S";
  g_autoptr (GString) head = g_string_new (NULL), body = g_string_new (NULL);
  GString *out = g_string_new ("%PDF-1.6\n");
  guint8 table[8 * 4] = { 0 };
  gsize at[3];

  for (guint i = 0; i < 4; i++) {
    g_string_append_printf (head, "%u %zu ", i + 1, body->len);
    g_string_append_printf (body, "%s\n", objects[i]);
    table[4 * (i + 1)] = 2, table[4 * (i + 1) + 2] = 5, table[4 * (i + 1) + 3] = (guint8) i;
  }
  g_autofree char *both = g_strconcat (head->str, body->str, NULL);
  g_autoptr (GByteArray) packed = tiny_deflate (both, strlen (both));
  at[0] = out->len;
  g_string_append_printf (out, "5 0 obj<</Type/ObjStm/N 4/First %zu/Filter/FlateDecode/Length %u>>stream\n", head->len, packed->len);
  g_string_append_len (out, (const char *) packed->data, packed->len);
  at[1] = (g_string_append (out, "\nendstream endobj\n"), out->len);
  g_string_append_printf (out, "6 0 obj<</Length %zu>>stream\n%s\nendstream endobj\n", strlen (content), content);
  at[2] = out->len;
  for (guint i = 0; i < 3; i++)
    table[4 * (i + 5)] = 1, table[4 * (i + 5) + 1] = (guint8) (at[i] >> 8), table[4 * (i + 5) + 2] = (guint8) at[i];
  g_string_append (out, "7 0 obj<</Type/XRef/Root 1 0 R/Size 8/W[1 2 1]/Length 32>>stream\n");
  g_string_append_len (out, (const char *) table, sizeof table);
  g_string_append_printf (out, "\nendstream endobj\nstartxref\n%zu\n%%%%EOF\n", at[2]);
  return tiny_save_string (out);
}

/* Everything on the page is `unit` times as large as it says. */
static void
assert_page (DpPdf *pdf, guint number, double unit)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (DpPage) page = dp_pdf_page (pdf, number, &error);

  g_assert_no_error (error);
  g_assert_cmpfloat_with_epsilon (page->width, 300 * unit, 1e-3);
  g_assert_cmpfloat_with_epsilon (page->height, 200 * unit, 1e-3);
  g_assert_cmpuint (page->n_glyphs, ==, 4);
  g_assert_cmpfloat_with_epsilon (page->glyphs[0].box.x0, 40 * unit, 0.01);
  g_assert_cmpfloat_with_epsilon (page->glyphs[0].baseline, 60 * unit, 0.01);
  g_assert_cmpfloat_with_epsilon (page->glyphs[0].size, 20 * unit, 0.01);
  g_assert_cmphex (page->glyphs[0].flags & DP_GLYPH_UNPAINTED, ==, 0); /* text layer and painting meet */
  g_assert_cmpuint (page->n_paths, ==, 1);
  g_assert_cmpfloat_with_epsilon (page->paths[0].box.x0, 40 * unit, 0.1);
  g_assert_cmpfloat_with_epsilon (page->paths[0].box.x1, 240 * unit, 0.1);
  g_assert_cmpfloat_with_epsilon (dp_rect_height (page->paths[0].box), unit, 0.13);
  if (page->n_links) {
    g_assert_cmpfloat_with_epsilon (page->links[0].box.x1, 240 * unit, 0.01);
    g_assert_cmpfloat_with_epsilon (page->links[0].box.y0, 40 * unit, 0.01);
  }
}

static void
test_plain_file (void)
{
  g_autofree char *name = save_plain (2);
  g_autoptr (GError) error = NULL;
  DpPdf *pdf = dp_pdf_open (name, NULL, NULL, &error);

  g_assert_no_error (error);
  assert_page (pdf, 1, 1);
  assert_page (pdf, 2, 1.5);
  /* 72 dpi is a pixel a point: the rule at 150 points from the top lies on row 149 or 150 */
  cairo_surface_t *picture = dp_pdf_render (pdf, 2, (DpRect){ 0 }, 72, TRUE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (cairo_image_surface_get_width (picture), ==, 450);
  g_assert_cmpint (cairo_image_surface_get_height (picture), ==, 300);
  const guint8 *pixels = cairo_image_surface_get_data (picture);
  const gsize stride = (gsize) cairo_image_surface_get_stride (picture);
  g_assert_cmpuint (MIN (pixels[149 * stride + 200], pixels[150 * stride + 200]), <, 100);
  g_assert_cmpuint (pixels[100 * stride + 350], ==, 255);
  cairo_surface_destroy (picture);
  dp_pdf_close (pdf);
  unlink (name);
}

static void
test_compressed_file (void)
{
  g_autofree char *name = save_compressed ();
  g_autoptr (GError) error = NULL;
  DpPdf *pdf = dp_pdf_open (name, NULL, NULL, &error);

  g_assert_no_error (error);
  assert_page (pdf, 1, 1.5);
  dp_pdf_close (pdf);
  unlink (name);
}

static void
test_many_pages (void)
{
  g_autofree char *name = save_plain (4000);
  g_autoptr (GError) error = NULL;
  DpPdfLimits limits = DP_PDF_LIMITS_DEFAULT;
  DpPdf *pdf;

  limits.page_cpu_ms = limits.page_wall_ms = 120000; /* poppler reads all pages before the one asked for; sanitizers are slow */
  pdf = dp_pdf_open (name, NULL, &limits, &error);

  g_assert_no_error (error);
  assert_page (pdf, 3999, 1);
  assert_page (pdf, 4000, 1.5);
  dp_pdf_close (pdf);
  unlink (name);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pdf-units/found", test_found);
  g_test_add_func ("/pdf-units/nonsense", test_nonsense);
  g_test_add_func ("/pdf-units/trees", test_trees);
  g_test_add_func ("/pdf-units/plain-file", test_plain_file);
  g_test_add_func ("/pdf-units/compressed-file", test_compressed_file);
  g_test_add_func ("/pdf-units/many-pages", test_many_pages);
  return g_test_run ();
}
