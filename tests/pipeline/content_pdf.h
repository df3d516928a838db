/* tests/pipeline/content_pdf.h - writes the smallest PDF that shows a content stream. */
#pragma once

#include <glib.h>
#include <string.h>

/* One page of 300 x 200 pt with fonts /F1 Helvetica, /F2 Times-Bold, /F3 Courier and an image /Im (2000 x 2000
 * grey, all zero, run-length coded); page_extra goes into the page dictionary, resources into its
 * resources, and object is what object 9 holds; each may be NULL.  Caller frees. */
static inline GBytes *
tiny_pdf_with (const char *content, const char *page_extra, const char *resources, const char *object)
{
  GString *pdf = g_string_new ("%PDF-1.7\n");
  gsize at[10];
  const char *fonts[3] = { "Helvetica", "Times-Bold", "Courier" };
  GString *black = g_string_new (NULL);

  /* 4,000,000 zero bytes as RunLengthDecode pairs: 257 - 129 = 128 copies each. */
  for (int i = 0; i < 2000 * 2000 / 128; i++)
    g_string_append_len (black, "\x81\x00", 2);
  g_string_append_c (black, (char) 128);
#define OBJECT(n) (at[n] = pdf->len, g_string_append_printf (pdf, "%d 0 obj\n", n))
  OBJECT (1), g_string_append (pdf, "<</Type/Catalog/Pages 2 0 R>>\nendobj\n");
  OBJECT (2), g_string_append (pdf, "<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n");
  OBJECT (3), g_string_append_printf (pdf,
                                      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R"
                                      "/F2 6 0 R/F3 7 0 R>>/XObject<</Im 8 0 R>>%s>>%s>>\nendobj\n",
                                      resources ? resources : "", page_extra ? page_extra : "");
  OBJECT (4), g_string_append_printf (pdf, "<</Length %zu>>\nstream\n%s\nendstream\nendobj\n", strlen (content) + 1, content);
  for (int i = 0; i < 3; i++)
    OBJECT (5 + i), g_string_append_printf (pdf, "<</Type/Font/Subtype/Type1/BaseFont/%s/Encoding/WinAnsiEncoding>>\nendobj\n", fonts[i]);
  OBJECT (8), g_string_append_printf (pdf,
                                      "<</Type/XObject/Subtype/Image/Width 2000/Height 2000/BitsPerComponent 8/ColorSpace/DeviceGray"
                                      "/Filter/RunLengthDecode/Length %zu>>\nstream\n",
                                      black->len);
  g_string_append_len (pdf, black->str, (gssize) black->len);
  g_string_append (pdf, "\nendstream\nendobj\n");
  OBJECT (9), g_string_append_printf (pdf, "%s\nendobj\n", object ? object : "null");
  gsize xref = pdf->len;
  g_string_append (pdf, "xref\n0 10\n0000000000 65535 f \n");
  for (int i = 1; i < 10; i++)
    g_string_append_printf (pdf, "%010zu 00000 n \n", at[i]);
  g_string_append_printf (pdf, "trailer\n<</Size 10/Root 1 0 R>>\nstartxref\n%zu\n%%%%EOF\n", xref);
#undef OBJECT
  g_string_free (black, TRUE);
  return g_string_free_to_bytes (pdf);
}

static inline GBytes *
tiny_pdf (const char *content, const char *page_extra)
{
  return tiny_pdf_with (content, page_extra, NULL, NULL);
}
