/* tests/pipeline/test_pdf.c - documents through the sandboxed child: reading, refusing, passwords, images. */
#include <unistd.h>

#include "tests/pipeline/hello_pdf.h"

/* ---- reading ---------------------------------------------------------------------------------------- */

static void
test_read (void)
{
  char *name = save_hello (2);
  g_autoptr (GError) error = NULL;
  DpPdf *pdf = dp_pdf_open (name, NULL, NULL, &error);
  const DpDocumentInfo *info;
  DpPage *page;

  g_assert_no_error (error);
  g_assert_cmpuint (dp_pdf_n_pages (pdf), ==, 2);
  info = dp_pdf_info (pdf);
  g_assert_cmpuint (info->n_pages, ==, 2);
  g_assert_cmpstr (info->path, ==, name);
  g_assert_false (info->is_picture);
  g_assert_false (info->encrypted);
  assert_page_text (pdf, 2, "World");
  page = dp_pdf_page (pdf, 1, &error);
  dp_pdf_close (pdf); /* the page outlives its document */
  g_assert_no_error (error);
  g_assert_cmpfloat (page->width, ==, 612);
  g_assert_cmpuint (page->n_glyphs, ==, 5);
  g_assert_cmpuint (page->glyphs[0].code, ==, 'H');
  g_assert_cmpfloat_with_epsilon (page->glyphs[0].box.x0, 72, 0.5);
  g_assert_cmpfloat_with_epsilon (page->glyphs[0].baseline, 92, 0.5);
  g_assert_cmpfloat_with_epsilon (page->glyphs[0].size, 24, 0.5);
  dp_page_free (page);
  drop (name);
}

static void
test_range (void)
{
  char *name = save_hello (1);
  DpPdf *pdf = dp_pdf_open (name, NULL, NULL, NULL);
  const guint wrong[] = { 0, 2, G_MAXUINT };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (dp_pdf_page (pdf, wrong[i], &error));
    g_assert_error (error, DP_PDF_ERROR, DP_PDF_ERROR_PAGE);
  }
  assert_page_text (pdf, 1, "Hello"); /* none of these was a strike */
  dp_pdf_close (pdf);
  drop (name);
}

/* A page whose left half is black. */
static void
test_render (void)
{
  TinyPdf *t = tiny_new ();
  g_autoptr (GError) error = NULL;
  cairo_surface_t *s;
  const guint8 *row;
  char *name;
  DpPdf *pdf;

  tiny_object (t, "<< /Type /Catalog /Pages 2 0 R >>");
  tiny_object (t, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
  tiny_object (t, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 4 0 R >>");
  tiny_stream (t, "", "0 0 100 100 re f", 16);
  name = tiny_save_string (tiny_finish (t, ""));
  pdf = dp_pdf_open (name, NULL, NULL, &error);
  g_assert_no_error (error);

  s = dp_pdf_render (pdf, 1, (DpRect){ 0 }, 144, FALSE, &error); /* the whole page */
  g_assert_no_error (error);
  g_assert_cmpint (cairo_image_surface_get_width (s), ==, 400);
  g_assert_cmpint (cairo_image_surface_get_height (s), ==, 200);
  g_assert_cmpint (cairo_image_surface_get_format (s), ==, CAIRO_FORMAT_RGB24);
  row = cairo_image_surface_get_data (s) + 100 * cairo_image_surface_get_stride (s);
  g_assert_cmpuint (((const guint32 *) row)[50] & 0xffffff, ==, 0);
  g_assert_cmpuint (((const guint32 *) row)[350] & 0xffffff, ==, 0xffffff);
  cairo_surface_destroy (s);

  s = dp_pdf_render (pdf, 1, (DpRect){ 90, 10, 300, 20 }, 72, TRUE, &error); /* cut at the right edge */
  dp_pdf_close (pdf);
  g_assert_no_error (error);
  g_assert_cmpint (cairo_image_surface_get_format (s), ==, CAIRO_FORMAT_A8);
  g_assert_cmpint (cairo_image_surface_get_width (s), ==, 110);
  g_assert_cmpint (cairo_image_surface_get_height (s), ==, 10);
  row = cairo_image_surface_get_data (s) + 5 * cairo_image_surface_get_stride (s);
  g_assert_cmpuint (row[2], ==, 0);
  g_assert_cmpuint (row[60], ==, 255);
  cairo_surface_destroy (s);
  drop (name);
}

/* A page whose content cannot be unpacked or is not there is damaged; one whose content paints nothing, or that has none, is blank. */
static void
test_damaged_content (void)
{
  TinyPdf *t = tiny_new ();
  GError *error = NULL;

  tiny_object (t, "<< /Type /Catalog /Pages 2 0 R >>");
  tiny_object (t, "<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R 8 0 R] /Count 4 /MediaBox [0 0 612 792] >>");
  tiny_object (t, "<< /Type /Page /Parent 2 0 R /Contents 6 0 R >>");
  tiny_object (t, "<< /Type /Page /Parent 2 0 R /Contents 7 0 R >>");
  tiny_object (t, "<< /Type /Page /Parent 2 0 R >>");
  tiny_stream (t, "/Filter /FlateDecode",
               "x\x9c"
               "no deflate",
               12);
  tiny_stream (t, "", "q 1 0 0 1 3 4 cm Q", 18);
  tiny_object (t, "<< /Type /Page /Parent 2 0 R /Contents 70 0 R >>");
  char *name = tiny_save_string (tiny_finish (t, ""));
  DpPdf *pdf = dp_pdf_open (name, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (dp_pdf_page (pdf, 1, &error));
  g_assert_nonnull (strstr (error->message, "damaged, nothing of it could be read (Syntax error"));
  g_clear_error (&error);
  assert_page_text (pdf, 2, "");
  assert_page_text (pdf, 3, "");
  g_assert_null (dp_pdf_page (pdf, 4, &error));
  g_assert_nonnull (strstr (error->message, "damaged, nothing of it could be read (Internal error: xref num 70"));
  g_assert_null (strstr (error->message, "<0a>"));
  g_clear_error (&error);
  dp_pdf_close (pdf);
  drop (name);
}

/* A wrong cross-reference table is rebuilt; a file cut in the middle keeps its first page. */
static void
test_damaged (void)
{
  static const char *const texts[] = { "Hello", "World" };
  GString *bytes = tiny_text (texts, 2);
  g_autoptr (GError) error = NULL;
  char *name, *at;
  DpPdf *pdf;

  at = g_strrstr (bytes->str, "startxref\n");
  at[10] = '9';
  name = tiny_save (bytes->str, bytes->len, ".pdf");
  g_string_free (bytes, TRUE);
  pdf = dp_pdf_open (name, NULL, NULL, &error);
  g_assert_no_error (error);
  assert_page_text (pdf, 1, "Hello");
  dp_pdf_close (pdf);
  drop (name);
}

static void
test_stdin (void)
{
  static const char *const texts[] = { "Piped" };
  GString *bytes = tiny_text (texts, 1);
  g_autoptr (GError) error = NULL;
  int ends[2], keep = dup (0);
  DpPdf *pdf;

  g_assert_cmpint (pipe (ends), ==, 0);
  g_assert_cmpint (write (ends[1], bytes->str, bytes->len), ==, (gssize) bytes->len);
  close (ends[1]);
  dup2 (ends[0], 0);
  close (ends[0]);
  pdf = dp_pdf_open ("-", NULL, NULL, &error);
  dup2 (keep, 0);
  close (keep);
  g_assert_no_error (error);
  assert_page_text (pdf, 1, "Piped");
  dp_pdf_close (pdf);
  g_string_free (bytes, TRUE);
}

/* ---- refusing ------------------------------------------------------------------------------------------- */

static void
assert_refused (const char *path, DpPdfError code)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (dp_pdf_open (path, NULL, NULL, &error));
  g_assert_error (error, DP_PDF_ERROR, (gint) code);
  g_assert_cmpuint (strlen (error->message), >, 10);
}

static void
test_refused (void)
{
  char *text = tiny_save ("Dear reader,\nthis is not a PDF.\n", 32, ".pdf");
  char *empty = tiny_save ("", 0, ".pdf");
  char *head = tiny_save ("%PDF-1.4\n", 9, ".pdf");

  assert_refused ("/nonexistent/docparse.pdf", DP_PDF_ERROR_NOT_FOUND);
  assert_refused (text, DP_PDF_ERROR_NOT_PDF);
  assert_refused (empty, DP_PDF_ERROR_NOT_PDF);
  assert_refused (head, DP_PDF_ERROR_NOT_PDF);
  assert_refused (g_get_tmp_dir (), DP_PDF_ERROR_NOT_PDF);
  assert_refused ("/dev/zero", DP_PDF_ERROR_NOT_PDF);
  drop (text);
  drop (empty);
  drop (head);
}

/* ---- passwords (PDF 1.7, 7.6.3: revision 2, RC4 of 40 bits) ------------------------------------------------ */

static const guint8 padding[32] = { 0x28, 0xbf, 0x4e, 0x5e, 0x4e, 0x75, 0x8a, 0x41, 0x64, 0x00, 0x4e, 0x56, 0xff, 0xfa, 0x01, 0x08,
                                    0x2e, 0x2e, 0x00, 0xb6, 0xd0, 0x68, 0x3e, 0x80, 0x2f, 0x0c, 0xa9, 0xfe, 0x64, 0x53, 0x69, 0x7a };

static void
rc4 (const guint8 *key, gsize n_key, guint8 *data, gsize n)
{
  guint8 s[256], swap;
  guint i, j = 0, k = 0;

  for (i = 0; i < 256; i++)
    s[i] = (guint8) i;
  for (i = 0; i < 256; i++) {
    j = (j + s[i] + key[i % n_key]) & 255;
    swap = s[i], s[i] = s[j], s[j] = swap;
  }
  for (i = j = 0; k < n; k++) {
    i = (i + 1) & 255;
    j = (j + s[i]) & 255;
    swap = s[i], s[i] = s[j], s[j] = swap;
    data[k] ^= s[(s[i] + s[j]) & 255];
  }
}

static void
md5 (GByteArray *in, guint8 out[16])
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_MD5);
  gsize n = 16;

  g_checksum_update (sum, in->data, in->len);
  g_checksum_get_digest (sum, out, &n);
}

static void
add_padded (GByteArray *to, const char *password)
{
  gsize n = MIN (strlen (password), 32);

  g_byte_array_append (to, (const guint8 *) password, (guint) n);
  g_byte_array_append (to, padding, (guint) (32 - n));
}

static void
append_hex (GString *out, const guint8 *data, gsize n)
{
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (out, "%02x", data[i]);
}

static char *
save_encrypted (const char *user, const char *owner)
{
  g_autoptr (GByteArray) pad_owner = g_byte_array_new (), pad_user = g_byte_array_new (), all = g_byte_array_new (),
                         object = g_byte_array_new ();
  g_autoptr (GString) trailer
      = g_string_new ("/ID [<30313233343536373839303132333435> <30313233343536373839303132333435>] /Encrypt << /Filter "
                      "/Standard /V 1 /R 2 /P -4 /O <");
  guint8 digest[16], key[5], o[32], u[32];
  char content[] = "BT /F 24 Tf 72 700 Td (Secret) Tj ET";
  TinyPdf *t = tiny_new ();

  add_padded (pad_owner, owner);
  add_padded (pad_user, user);
  md5 (pad_owner, digest);
  memcpy (o, pad_user->data, 32);
  rc4 (digest, 5, o, 32);
  g_byte_array_append (all, pad_user->data, 32);
  g_byte_array_append (all, o, 32);
  g_byte_array_append (all, (const guint8 *) "\xfc\xff\xff\xff", 4); /* /P -4 */
  g_byte_array_append (all, (const guint8 *) "0123456789012345", 16);
  md5 (all, digest);
  memcpy (key, digest, 5);
  memcpy (u, padding, 32);
  rc4 (key, 5, u, 32);
  g_byte_array_append (object, key, 5);
  g_byte_array_append (object, (const guint8 *) "\x05\0\0\0\0", 5); /* object 5, generation 0 */
  md5 (object, digest);
  rc4 (digest, 10, (guint8 *) content, strlen (content));

  append_hex (trailer, o, 32);
  g_string_append (trailer, "> /U <");
  append_hex (trailer, u, 32);
  g_string_append (trailer, "> >>");
  tiny_object (t, "<< /Type /Catalog /Pages 2 0 R >>");
  tiny_object (t, "<< /Type /Pages /Kids [4 0 R] /Count 1 /MediaBox [0 0 612 792] >>");
  tiny_object (t, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  tiny_object (t, "<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources << /Font << /F 3 0 R >> >> >>");
  tiny_stream (t, "", content, sizeof content - 1);
  return tiny_save_string (tiny_finish (t, trailer->str));
}

static void
test_password (void)
{
  char *name = save_encrypted ("sesame", "owner");
  g_autoptr (GError) error = NULL;
  g_autofree char *endless = g_strnfill (2000, 'x');
  DpPdf *pdf;

  assert_refused (name, DP_PDF_ERROR_PASSWORD);
  g_assert_null (dp_pdf_open (name, "wrong", NULL, &error));
  g_assert_error (error, DP_PDF_ERROR, DP_PDF_ERROR_PASSWORD);
  g_clear_error (&error);
  g_assert_null (dp_pdf_open (name, endless, NULL, &error));
  g_assert_error (error, DP_PDF_ERROR, DP_PDF_ERROR_PASSWORD);
  g_clear_error (&error);
  pdf = dp_pdf_open (name, "sesame", NULL, &error);
  g_assert_no_error (error);
  assert_page_text (pdf, 1, "Secret");
  g_assert_cmpint (kill (dp_pdf_child_pid (pdf), SIGKILL), ==, 0);
  dp_page_free (dp_pdf_page (pdf, 1, NULL));
  assert_page_text (pdf, 1, "Secret"); /* a new process gets the password, too */
  dp_pdf_close (pdf);
  drop (name);
}

static void
test_owner_password (void)
{
  char *name = save_encrypted ("", "owner");
  g_autoptr (GError) error = NULL;
  DpPdf *pdf = dp_pdf_open (name, NULL, NULL, &error);

  g_assert_no_error (error);
  assert_page_text (pdf, 1, "Secret");
  dp_pdf_close (pdf);
  drop (name);
}

/* ---- images that may be text ------------------------------------------------------------------------------------ */

/* A page that shows the first of n grey images of 64 by 32 pixels, which are stored as they are. */
static char *
save_images (guint n)
{
  TinyPdf *t = tiny_new ();
  char pixels[64 * 32];

  memset (pixels, 200, sizeof pixels);
  tiny_object (t, "<< /Type /Catalog /Pages 2 0 R >>");
  tiny_object (t, "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 612 792] >>");
  tiny_object (t, "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>");
  tiny_stream (t, "", "q 200 0 0 100 100 500 cm /I Do Q", 32);
  for (guint i = 0; i < n; i++)
    tiny_stream (t, "/Type /XObject /Subtype /Image /Width 64 /Height 32 /BitsPerComponent 8 /ColorSpace /DeviceGray", pixels,
                 sizeof pixels);
  return tiny_save_string (tiny_finish (t, ""));
}

/* What was found out about an image holds where it must be the same one. */
static void
test_images (void)
{
  for (guint n = 1; n <= 2; n++) {
    char *name = save_images (n);
    g_autoptr (GError) error = NULL;
    DpPdf *pdf = dp_pdf_open (name, NULL, NULL, &error);
    g_autoptr (DpPage) page = dp_pdf_page (pdf, 1, &error);

    g_assert_no_error (error);
    g_assert_cmpuint (page->n_images, ==, 1);
    g_assert_cmpuint (page->images[0].width, ==, 64);
    dp_pdf_image_is_no_text (pdf, &page->images[0]); /* nobody has asked yet whether it is the only one */
    g_assert_true (dp_pdf_image_may_be_text (pdf, 1, &page->images[0], NULL));
    g_assert_true (dp_pdf_image_may_be_text (pdf, 1, &page->images[0], NULL));
    dp_pdf_image_is_no_text (pdf, &page->images[0]);
    g_assert_cmpint (dp_pdf_image_may_be_text (pdf, 1, &page->images[0], NULL), ==, n == 2);
    DpImage elsewhere = page->images[0];
    elsewhere.box.y0 -= 20, elsewhere.box.y1 -= 20;
    g_assert_true (dp_pdf_image_may_be_text (pdf, 1, &elsewhere, NULL));
    dp_pdf_close (pdf);
    drop (name);
  }
}

/* A page that shows an image of 300 by 200 pixels of which each fourth is black, mirrored or not. */
static char *
save_marks (gboolean mirrored)
{
  TinyPdf *t = tiny_new ();
  g_autofree guint8 *pixels = g_malloc (300 * 200), *packed = g_malloc (2 * 300 * 200);
  g_autoptr (GZlibCompressor) zlib = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, 1);
  const char *content = mirrored ? "q -216 0 0 144 316 500 cm /I Do Q" : "q 216 0 0 144 100 500 cm /I Do Q";
  gsize taken, n;

  for (guint i = 0; i < 300 * 200; i++)
    pixels[i] = i % 4 ? 255 : 0;
  g_converter_convert (G_CONVERTER (zlib), pixels, 300 * 200, packed, 2 * 300 * 200, G_CONVERTER_INPUT_AT_END, &taken, &n, NULL);
  tiny_object (t, "<< /Type /Catalog /Pages 2 0 R >>");
  tiny_object (t, "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 612 792] >>");
  tiny_object (t, "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>");
  tiny_stream (t, "", content, strlen (content));
  tiny_stream (t, "/Type /XObject /Subtype /Image /Width 300 /Height 200 /BitsPerComponent 8 /ColorSpace /DeviceGray /Filter /FlateDecode",
               packed, n);
  return tiny_save_string (tiny_finish (t, ""));
}

/* What was seen of an image comes with the answer, where the page shows it as it is stored. */
static void
test_image_seen (void)
{
  for (guint mirrored = 0; mirrored < 2; mirrored++) {
    char *name = save_marks (mirrored != 0);
    g_autoptr (GError) error = NULL;
    DpPdf *pdf = dp_pdf_open (name, NULL, NULL, &error);
    g_autoptr (DpPage) page = dp_pdf_page (pdf, 1, &error);
    cairo_surface_t *picture;

    g_assert_no_error (error);
    g_assert_true (dp_pdf_image_may_be_text (pdf, 1, &page->images[0], &picture));
    g_assert_cmpint (picture == NULL, ==, mirrored);
    if (picture) {
      g_assert_cmpint (cairo_image_surface_get_format (picture), ==, CAIRO_FORMAT_A8);
      g_assert_cmpint (cairo_image_surface_get_width (picture), ==, 300);
      g_assert_cmpint (cairo_image_surface_get_height (picture), ==, 200);
      const guint8 *row = cairo_image_surface_get_data (picture) + 199 * cairo_image_surface_get_stride (picture);
      for (guint x = 0; x < 300; x++)
        g_assert_cmpuint (row[x], ==, x % 4 ? 255 : 0);
      cairo_surface_destroy (picture);
    }
    dp_pdf_close (pdf);
    drop (name);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pdf/read", test_read);
  g_test_add_func ("/pdf/range", test_range);
  g_test_add_func ("/pdf/render", test_render);
  g_test_add_func ("/pdf/damaged", test_damaged);
  g_test_add_func ("/pdf/damaged-content", test_damaged_content);
  g_test_add_func ("/pdf/stdin", test_stdin);
  g_test_add_func ("/pdf/refused", test_refused);
  g_test_add_func ("/pdf/password", test_password);
  g_test_add_func ("/pdf/owner-password", test_owner_password);
  g_test_add_func ("/pdf/images", test_images);
  g_test_add_func ("/pdf/images-seen", test_image_seen);
  return g_test_run ();
}
