/* tests/pipeline/tiny_pdf.h - writes small PDFs, byte by byte, for tests of the PDF stage. */
#pragma once

#include <gio/gio.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

typedef struct {
  GString *bytes;
  GArray *offsets; /* gsize, of object i + 1 */
} TinyPdf;

static inline TinyPdf *
tiny_new (void)
{
  TinyPdf *t = g_new0 (TinyPdf, 1);

  t->bytes = g_string_new ("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n");
  t->offsets = g_array_new (FALSE, TRUE, sizeof (gsize));
  return t;
}

/* The next object; returns its number. */
static inline guint
tiny_object (TinyPdf *t, const char *format, ...)
{
  gsize at = t->bytes->len;
  va_list args;

  g_array_append_val (t->offsets, at);
  g_string_append_printf (t->bytes, "%u 0 obj\n", t->offsets->len);
  va_start (args, format);
  g_string_append_vprintf (t->bytes, format, args);
  va_end (args);
  g_string_append (t->bytes, "\nendobj\n");
  return t->offsets->len;
}

/* The next object, a stream; dictionary without << >> and /Length. */
static inline guint
tiny_stream (TinyPdf *t, const char *dictionary, const void *data, gsize n)
{
  gsize at = t->bytes->len;

  g_array_append_val (t->offsets, at);
  g_string_append_printf (t->bytes, "%u 0 obj\n<< %s /Length %zu >>\nstream\n", t->offsets->len, dictionary, n);
  g_string_append_len (t->bytes, data, (gssize) n);
  g_string_append (t->bytes, "\nendstream\nendobj\n");
  return t->offsets->len;
}

/* Cross-reference table and trailer; extra goes into the trailer.  Object 1 is the catalogue.
 * Frees t, returns the file. */
static inline GString *
tiny_finish (TinyPdf *t, const char *extra)
{
  gsize xref = t->bytes->len;
  GString *out = t->bytes;

  g_string_append_printf (out, "xref\n0 %u\n0000000000 65535 f \n", t->offsets->len + 1);
  for (guint i = 0; i < t->offsets->len; i++)
    g_string_append_printf (out, "%010zu 00000 n \n", g_array_index (t->offsets, gsize, i));
  g_string_append_printf (out, "trailer\n<< /Size %u /Root 1 0 R %s >>\nstartxref\n%zu\n%%%%EOF\n", t->offsets->len + 1, extra, xref);
  g_array_unref (t->offsets);
  g_free (t);
  return out;
}

/* A document whose page i shows texts[i], 24 pt at (72, 700) of 612 x 792, in Helvetica. */
static inline GString *
tiny_text (const char *const *texts, guint n)
{
  TinyPdf *t = tiny_new ();
  g_autoptr (GString) kids = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (kids, "%u 0 R ", 4 + 2 * i);
  tiny_object (t, "<< /Type /Catalog /Pages 2 0 R >>");
  tiny_object (t, "<< /Type /Pages /Kids [%s] /Count %u /MediaBox [0 0 612 792] >>", kids->str, n);
  tiny_object (t, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  for (guint i = 0; i < n; i++) {
    g_autofree char *content = g_strdup_printf ("BT /F 24 Tf 72 700 Td (%s) Tj ET", texts[i]);

    tiny_object (t, "<< /Type /Page /Parent 2 0 R /Contents %u 0 R /Resources << /Font << /F 3 0 R >> >> >>", 5 + 2 * i);
    tiny_stream (t, "", content, strlen (content));
  }
  return tiny_finish (t, "");
}

/* Writes bytes to a new file in the temporary directory; returns its name. */
static inline char *
tiny_save (const void *data, gsize n, const char *suffix)
{
  g_autofree char *pattern = g_strconcat ("docparse-test-XXXXXX", suffix, NULL);
  char *name = NULL;
  int fd = g_file_open_tmp (pattern, &name, NULL);

  g_assert_cmpint (fd, >=, 0);
  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (name, data, (gssize) n, NULL));
  return name;
}

static inline char *
tiny_save_string (GString *bytes)
{
  char *name = tiny_save (bytes->str, bytes->len, ".pdf");

  g_string_free (bytes, TRUE);
  return name;
}

/* zlib-compressed data. */
static inline GByteArray *
tiny_deflate (const void *data, gsize n)
{
  g_autoptr (GConverter) zlib = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, 6));
  GByteArray *out = g_byte_array_new ();
  g_autofree guint8 *buffer = g_malloc (1 << 16);
  gsize done = 0, taken, made;
  GConverterResult result;

  do {
    result
        = g_converter_convert (zlib, (const char *) data + done, n - done, buffer, 1 << 16, G_CONVERTER_INPUT_AT_END, &taken, &made, NULL);
    g_assert_cmpint (result, !=, G_CONVERTER_ERROR);
    done += taken;
    g_byte_array_append (out, buffer, (guint) made);
  } while (result != G_CONVERTER_FINISHED);
  return out;
}
