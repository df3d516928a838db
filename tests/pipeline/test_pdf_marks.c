/* tests/pipeline/test_pdf_marks.c - marks behind their letters, whatever order they were painted in. */
#include "pipeline/pdf_extract.h"
#include "tests/pipeline/tiny_pdf.h"

/* A page with a font of boxes: a to j are letters, 0.6 em wide, m and n marks that do not move the pen; unicode says what they
 * mean.  x: a blank. */
static GBytes *
page_of (const char *content, const char *unicode)
{
  TinyPdf *t = tiny_new ();
  g_autoptr (GString) map = g_string_new (NULL), widths = g_string_new (NULL);
  const char *box = "600 0 0 0 600 700 d1 50 0 500 700 re f", *dot = "0 0 50 0 150 100 d1 50 0 100 100 re f";

  tiny_object (t, "<< /Type /Catalog /Pages 2 0 R >>");
  tiny_object (t, "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 300 200] >>");
  tiny_object (t, "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>");
  tiny_stream (t, "", content, strlen (content));
  for (char c = 'a'; c <= 'n'; c++)
    g_string_append (widths, c >= 'm' ? "0 " : "600 ");
  tiny_object (t,
               "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 600 700] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 97 /LastChar 110"
               " /Widths [%s] /CharProcs << /box 7 0 R /dot 8 0 R >> /ToUnicode 6 0 R /Encoding << /Type /Encoding /Differences"
               " [97 /box /box /box /box /box /box /box /box /box /box /box /box /dot /dot] >> >>",
               widths->str);
  g_string_printf (map, "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange\n%s\nendcmap end",
                   unicode);
  tiny_stream (t, "", map->str, map->len);
  tiny_stream (t, "", box, strlen (box));
  tiny_stream (t, "", dot, strlen (dot));
  return g_string_free_to_bytes (tiny_finish (t, ""));
}

/* The text of the page; a blank for DP_GLYPH_SPACE. */
static char *
text_of (const char *content, const char *unicode)
{
  static const DpPdfLimits limits = DP_PDF_LIMITS_DEFAULT;
  g_autoptr (GBytes) pdf = page_of (content, unicode);
  GError *error = NULL;
  PopplerDocument *document = poppler_document_new_from_bytes (pdf, NULL, &error);
  DpPageArrays *page = dp_page_arrays_new ();
  GString *out = g_string_new (NULL);

  g_assert_no_error (error);
  g_assert_true (dp_pdf_extract_page (document, NULL, 1, &limits, page, &error));
  for (guint i = 0; i < page->glyphs->len; i++) {
    const DpGlyph *g = &g_array_index (page->glyphs, DpGlyph, i);
    g_string_append_unichar (out, g->code);
    if (g->flags & DP_GLYPH_SPACE && i + 1 < page->glyphs->len)
      g_string_append_c (out, ' ');
  }
  g_assert_cmpuint (page->n_painted_unmapped, ==, 0);
  dp_page_arrays_free (page);
  g_object_unref (document);
  return g_string_free (out, FALSE);
}

/* alef, bet, gimel, he; qamats and dagesh */
#define HEBREW "6 beginbfchar <61> <05d0> <62> <05d1> <63> <05d2> <64> <05d4> <6d> <05b8> <6e> <05bc> endbfchar"

static void
test_as_read (void)
{
  /* each letter, its marks, then the next to its left: two words of two letters */
  const char *content = "BT /F 20 Tf 1 0 0 1 200 100 Tm (a) Tj 1 0 0 1 204 96 Tm (m) Tj 1 0 0 1 188 100 Tm (b) Tj"
                        " 1 0 0 1 191 104 Tm (n) Tj 1 0 0 1 190 96 Tm (m) Tj 1 0 0 1 168 100 Tm (c) Tj 1 0 0 1 171 96 Tm (m) Tj"
                        " 1 0 0 1 156 100 Tm (d) Tj ET";
  g_autofree char *text = text_of (content, HEBREW);

  g_assert_cmpstr (text, ==, "\u05d0\u05b8\u05d1\u05bc\u05b8 \u05d2\u05b8\u05d4");
}

static void
test_from_left (void)
{
  /* the same, as programs that shape text have it: from the left, marks before their letters, and one at the edge of the next */
  const char *content = "BT /F 20 Tf 1 0 0 1 156 100 Tm (d) Tj 1 0 0 1 167 96 Tm (m) Tj 1 0 0 1 168 100 Tm (c) Tj"
                        " 1 0 0 1 187 96 Tm (m) Tj 1 0 0 1 191 104 Tm (n) Tj 1 0 0 1 188 100 Tm (b) Tj"
                        " 1 0 0 1 204 96 Tm (m) Tj 1 0 0 1 200 100 Tm (a) Tj ET";
  g_autofree char *text = text_of (content, HEBREW);

  g_assert_cmpstr (text, ==, "\u05d0\u05b8\u05d1\u05bc\u05b8 \u05d2\u05b8\u05d4");
}

static void
test_numbers (void)
{
  /* a year among letters keeps its direction */
  const char *content = "BT /F 20 Tf 1 0 0 1 200 100 Tm (a) Tj 1 0 0 1 204 96 Tm (m) Tj 1 0 0 1 188 100 Tm (b) Tj"
                        " 1 0 0 1 140 100 Tm (efg) Tj 1 0 0 1 118 100 Tm (c) Tj 1 0 0 1 121 96 Tm (m) Tj ET";
  g_autofree char *text = text_of (content, "8 beginbfchar <61> <05d0> <62> <05d1> <63> <05d2> <6d> <05b8> <6e> <05bc> <65> <0031>"
                                            " <66> <0032> <67> <0033> endbfchar");

  g_assert_cmpstr (text, ==, "\u05d0\u05b8\u05d1 123 \u05d2\u05b8");
}

static void
test_left_to_right (void)
{
  /* da, sign e over its middle, na: the box of da is cut at the sign, but no word ends there */
  const char *content = "BT /F 20 Tf 1 0 0 1 100 100 Tm (a) Tj 1 0 0 1 108 100 Tm (m) Tj 1 0 0 1 112 100 Tm (b) Tj"
                        " 1 0 0 1 132 100 Tm (b) Tj ET";
  g_autofree char *text = text_of (content, "3 beginbfchar <61> <0926> <62> <0928> <6d> <0947> endbfchar");

  g_assert_cmpstr (text, ==, "\u0926\u0947\u0928 \u0928");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pdf-marks/as-read", test_as_read);
  g_test_add_func ("/pdf-marks/from-left", test_from_left);
  g_test_add_func ("/pdf-marks/numbers", test_numbers);
  g_test_add_func ("/pdf-marks/left-to-right", test_left_to_right);
  return g_test_run ();
}
