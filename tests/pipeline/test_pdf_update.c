/* tests/pipeline/test_pdf_update.c - words added to PDFs of several kinds: what was there stays, what came is where it should be. */
#include "pipeline/pdf_update.h"

#include <math.h>

#include "pipeline/pdf_extract.h"
#include "pipeline/upright.h"
#include "tests/pipeline/tiny_pdf.h"

static const DpPdfLimits limits = DP_PDF_LIMITS_DEFAULT;

/* The page shows 300 x 200 units from (10, 20) on, and Q with its origin at (60, 100). */
#define CONTENT "BT /F 12 Tf 60 100 Td (Q) Tj ET"

typedef enum { PLAIN, LISTS, TABLE_IN_STREAM, N_KINDS } Kind;

/* The table of tiny_finish() as a stream. */
static GString *
finish_with_stream (TinyPdf *t)
{
  const gsize at = t->bytes->len;
  const guint n = t->offsets->len + 2; /* with number 0 and its own */
  g_autoptr (GByteArray) rows = g_byte_array_new ();
  GString *out = t->bytes;

  for (guint i = 0; i < n; i++) {
    const gsize offset = i == 0 ? 0 : i + 1 < n ? g_array_index (t->offsets, gsize, i - 1) : at;
    const guint8 row[] = { i > 0, (guint8) (offset >> 8), (guint8) offset, 0 };
    g_byte_array_append (rows, row, sizeof row);
  }
  g_string_append_printf (out, "%u 0 obj\n<</Type/XRef/W[1 2 1]/Size %u/Root 1 0 R/Length %u>>\nstream\n", n - 1, n, rows->len);
  g_string_append_len (out, (const char *) rows->data, rows->len);
  g_string_append_printf (out, "\nendstream\nendobj\nstartxref\n%zu\n%%%%EOF\n", at);
  g_array_unref (t->offsets);
  g_free (t);
  return out;
}

/* extra: goes into the page. */
static GString *
file_of (Kind kind, const char *extra, const char *trailer)
{
  TinyPdf *t = tiny_new ();
  const char *const first = CONTENT;

  tiny_object (t, "<< /Type /Catalog /Pages 2 0 R >>");
  tiny_object (t, "<< /Type /Pages /Kids [5 0 R] /Count 1 /MediaBox [10 20 310 220] /Resources << /Font << /F 3 0 R >> >> >>");
  tiny_object (t, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  tiny_stream (t, "", first, strlen (first));
  if (kind == LISTS) { /* own resources and fonts, by reference; content in pieces */
    tiny_object (t, "<< /Type /Page /Parent 2 0 R /Resources 6 0 R /Contents 8 0 R %s >>", extra);
    tiny_object (t, "<< /ProcSet [/PDF /Text] /Font 7 0 R >>");
    tiny_object (t, "<< /F 3 0 R >>");
    tiny_object (t, "[ 9 0 R 4 0 R ]");
    tiny_stream (t, "", "q 2 0 0 2 0 0 cm", 16); /* leaves its state behind: Q is twice as large */
  } else {
    tiny_object (t, "<< /Type /Page /Parent 2 0 R /Contents 4 0 R %s >>", extra);
  }
  return kind == TABLE_IN_STREAM ? finish_with_stream (t) : tiny_finish (t, trailer);
}

static DpTextPage
page_with (GArray *words, float width, float height)
{
  return (DpTextPage){ .number = 1, .width = width, .height = height, .words = words };
}

static GArray *
words_of (const DpLayerWord *words, guint n)
{
  GArray *array = g_array_new (FALSE, FALSE, sizeof (DpLayerWord));

  g_array_append_vals (array, words, n);
  return array;
}

/* The updated file, or NULL. */
static GBytes *
update (const GString *file, DpTextPage page)
{
  g_autoptr (GArray) pages = g_array_new (FALSE, FALSE, sizeof (DpTextPage));
  g_autoptr (GByteArray) out = g_byte_array_new ();
  g_autoptr (DpPdfUnits) units = dp_pdf_units_read (file->str, file->len, 1);

  g_array_append_val (pages, page);
  if (!dp_pdf_update (file->str, file->len, units, 1, pages, out))
    return NULL;
  GString *all = g_string_new_len (file->str, (gssize) file->len);
  g_string_append_len (all, (const char *) out->data, out->len);
  return g_string_free_to_bytes (all);
}

static DpPageArrays *
extract (GBytes *pdf)
{
  GError *error = NULL;
  PopplerDocument *document = poppler_document_new_from_bytes (pdf, NULL, &error);
  DpPageArrays *arrays = dp_page_arrays_new ();
  gsize size;
  gconstpointer data = g_bytes_get_data (pdf, &size);
  g_autoptr (DpPdfUnits) units = dp_pdf_units_read (data, size, 1);

  g_assert_no_error (error);
  g_assert_cmpint (poppler_document_get_n_pages (document), ==, 1);
  g_assert_true (dp_pdf_extract_page (document, units, 1, &limits, arrays, &error));
  g_object_unref (document);
  return arrays;
}

static const DpGlyph *
glyph_of (const DpPageArrays *page, gunichar code)
{
  for (guint i = 0; i < page->glyphs->len; i++)
    if (g_array_index (page->glyphs, DpGlyph, i).code == code)
      return &g_array_index (page->glyphs, DpGlyph, i);
  g_assert_not_reached ();
}

/* Whether a word of two letters stands in its box, unseen. */
static void
assert_word (const DpPageArrays *page, gunichar first, gunichar last, DpRect box, float baseline)
{
  const DpGlyph *a = glyph_of (page, first), *b = glyph_of (page, last);

  g_assert_true (a->flags & DP_GLYPH_UNPAINTED);
  g_assert_cmpfloat_with_epsilon (a->box.x0, box.x0, 0.1);
  g_assert_cmpfloat_with_epsilon (b->box.x1, box.x1, 0.1);
  g_assert_true (a->box.y0 < baseline && a->box.y1 > baseline - 1);
  g_assert_true (a->box.y0 > box.y0 - 5 && a->box.y1 < box.y1 + 5);
}

static const DpLayerWord other_words[] = { { { 50, 130, 90, 142 }, 139, 10, 0, (char *) "zw" } };
static const DpLayerWord plain_words[] = { { { 50, 30, 90, 42 }, 39, 10, 0, (char *) "xy" } };

static void
test_kinds (void)
{
  g_autoptr (GArray) words = words_of (plain_words, 1), others = words_of (other_words, 1);

  for (Kind kind = PLAIN; kind < N_KINDS; kind++) {
    g_autoptr (GString) file = file_of (kind, "", "");
    g_autoptr (GBytes) pdf = update (file, page_with (words, 300, 200));
    g_assert_nonnull (pdf);
    g_assert_cmpmem (g_bytes_get_data (pdf, NULL), file->len, file->str, file->len);
    g_autoptr (DpPageArrays) page = extract (pdf);
    g_assert_cmpuint (page->glyphs->len, ==, 3);
    assert_word (page, 'x', 'y', plain_words[0].box, plain_words[0].baseline);
    const DpGlyph *own = glyph_of (page, 'Q');
    g_assert_false (own->flags & DP_GLYPH_UNPAINTED);
    g_assert_cmpfloat_with_epsilon (own->baseline, kind == LISTS ? 20 : 120, 0.1);

    /* what was updated can be updated again */
    g_autoptr (GString) once = g_string_new_len (g_bytes_get_data (pdf, NULL), (gssize) g_bytes_get_size (pdf));
    g_autoptr (GBytes) again = update (once, page_with (others, 300, 200));
    g_assert_nonnull (again);
    g_autoptr (DpPageArrays) twice = extract (again);
    g_assert_cmpuint (twice->glyphs->len, ==, 5);
    assert_word (twice, 'x', 'y', plain_words[0].box, plain_words[0].baseline);
    assert_word (twice, 'z', 'w', other_words[0].box, other_words[0].baseline);
  }
}

/* The page is shown turned; a scan on it lay on its side and askew: words are given on the upright page, where the rest goes too. */
static void
test_turned (void)
{
  g_autoptr (GArray) words = words_of (plain_words, 1);

  for (gint rotate = 0; rotate < 360; rotate += 90)
    for (gint turn = 0; turn < 360; turn += 90) {
      g_autofree char *extra = g_strdup_printf ("/Rotate %d", rotate);
      g_autoptr (GString) file = file_of (PLAIN, extra, "");
      const gboolean lies = (rotate + turn) % 180;
      DpTextPage page = page_with (words, lies ? 200 : 300, lies ? 300 : 200);
      page.turn = turn;
      page.skew = 3;
      g_autoptr (GBytes) pdf = update (file, page);
      g_assert_nonnull (pdf);
      g_autoptr (DpPageArrays) out = extract (pdf);
      g_assert_cmpint (out->rotation, ==, (rotate + turn) % 360);
      assert_word (out, 'x', 'y', plain_words[0].box, plain_words[0].baseline);

      /* where Q was, and where upright.h puts that */
      g_autoptr (GBytes) before = g_bytes_new (file->str, file->len);
      g_autoptr (DpPageArrays) old = extract (before);
      const DpRect from = glyph_of (old, 'Q')->box, to = glyph_of (out, 'Q')->box;
      const DpPageInfo info = { .width = page.width, .height = page.height, .turn = turn, .skew = 3 };
      const cairo_matrix_t upright = dp_upright_matrix (&info);
      double x = (from.x0 + from.x1) / 2, y = (from.y0 + from.y1) / 2;
      cairo_matrix_transform_point (&upright, &x, &y);
      g_assert_cmpfloat_with_epsilon ((to.x0 + to.x1) / 2, x, 0.6);
      g_assert_cmpfloat_with_epsilon ((to.y0 + to.y1) / 2, y, 0.6);
    }
}

/* Two units of 1/72 in each; words that run along all sides; more characters than a font has codes. */
static void
test_words (void)
{
  static const DpLayerWord words[] = { { { 100, 60, 180, 84 }, 78, 20, 0, (char *) "ab" },
                                       { { 200, 100, 224, 180 }, 206, 20, 90, (char *) "cd" },
                                       { { 300, 60, 380, 84 }, 66, 20, 180, (char *) "ef" },
                                       { { 400, 100, 424, 180 }, 418, 20, 270, (char *) "gh" },
                                       { { 100, 300, 180, 324 }, 318, 20, 0, (char *) "(\\\xf0\x9d\x95\x8f\r)" },
                                       { { 0, 0, 0, 0 }, 0, 0, 0, (char *) "nowhere" } };
  g_autoptr (GString) file = file_of (PLAIN, "/UserUnit 2", ""), many = g_string_new (NULL);
  g_autoptr (GArray) list = words_of (words, G_N_ELEMENTS (words));

  for (gunichar c = 0x400; c < 0x400 + 300; c++)
    g_string_append_unichar (many, c);
  const DpLayerWord long_word = { { 100, 340, 590, 350 }, 348, 10, 0, many->str };
  g_array_append_val (list, long_word);
  g_autoptr (GBytes) pdf = update (file, page_with (list, 600, 400));
  g_assert_nonnull (pdf);
  g_autoptr (DpPageArrays) page = extract (pdf);
  assert_word (page, 'a', 'b', words[0].box, 78);
  g_assert_cmpfloat_with_epsilon (glyph_of (page, 'c')->box.y0, 100, 0.2);
  g_assert_cmpfloat_with_epsilon (glyph_of (page, 'd')->box.y1, 180, 0.2);
  g_assert_true (glyph_of (page, 'd')->box.x0 > 195 && glyph_of (page, 'd')->box.x1 < 230);
  g_assert_cmpfloat_with_epsilon (glyph_of (page, 'f')->box.x0, 300, 0.2);
  g_assert_cmpfloat_with_epsilon (glyph_of (page, 'h')->box.y0, 100, 0.2);
  g_assert_nonnull (glyph_of (page, 0x1d54f));
  g_assert_nonnull (glyph_of (page, '\\'));
  for (gunichar c = 0x400; c < 0x400 + 300; c++)
    g_assert_cmpfloat_with_epsilon (glyph_of (page, c)->box.x0, 100 + 490.0 * (c - 0x400) / 300, 0.5);
  for (guint i = 0; i < page->glyphs->len; i++)
    g_assert_cmpuint (g_array_index (page->glyphs, DpGlyph, i).code, !=, 'w');
}

/* Nothing is added where it would go wrong. */
static void
test_refused (void)
{
  g_autoptr (GArray) words = words_of (plain_words, 1);
  g_autoptr (GString) encrypted = file_of (PLAIN, "", "/Encrypt << /Filter /Standard >>"), good = file_of (PLAIN, "", "");
  DpTextPage other = page_with (words, 300, 200);

  other.number = 2;
  g_assert_null (update (encrypted, page_with (words, 300, 200)));
  g_assert_null (update (good, page_with (words, 310, 200))); /* not the page that was read */
  g_assert_null (update (good, other));
  g_autoptr (GString) junk = g_string_new ("junk");
  g_string_append_len (junk, good->str, (gssize) good->len); /* offsets count from elsewhere */
  g_assert_null (update (junk, page_with (words, 300, 200)));
}

/* Cut anywhere, or with any byte changed, it neither crashes nor hangs (run under sanitizers). */
static void
test_damaged (void)
{
  g_autoptr (GArray) words = words_of (plain_words, 1);

  for (Kind kind = PLAIN; kind < N_KINDS; kind++) {
    g_autoptr (GString) file = file_of (kind, "", "");
    for (gsize i = 0; i < file->len; i += 3) {
      g_autoptr (GString) cut = g_string_new_len (file->str, (gssize) i), changed = g_string_new_len (file->str, (gssize) file->len);
      changed->str[i] = (char) (changed->str[i] ^ (1 + (int) (i * 37 % 255)));
      g_autoptr (GBytes) a = update (cut, page_with (words, 300, 200)), b = update (changed, page_with (words, 300, 200));
    }
  }
}

/* On their way to the child words stay what they are. */
static void
test_pages (void)
{
  g_autoptr (GArray) words = words_of (plain_words, 1);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  DpTextPage pages[2] = { page_with (words, 300, 200), page_with (words, 30, 20) };

  pages[1].turn = 270, pages[1].skew = -1.5;
  dp_text_pages_write (pages, 2, bytes);
  g_autoptr (GArray) read = dp_text_pages_read (bytes->data, bytes->len);
  g_assert_cmpuint (read->len, ==, 2);
  const DpTextPage *page = &g_array_index (read, DpTextPage, 1);
  g_assert_cmpint (page->turn, ==, 270);
  g_assert_cmpfloat (page->skew, ==, -1.5);
  g_assert_cmpuint (page->words->len, ==, 1);
  g_assert_cmpstr (g_array_index (page->words, DpLayerWord, 0).text, ==, "xy");
  g_assert_cmpfloat (g_array_index (page->words, DpLayerWord, 0).box.x1, ==, 90);
  for (guint cut = 0; cut < bytes->len; cut++) {
    g_autoptr (GArray) part = dp_text_pages_read (bytes->data, cut);
    g_assert_cmpuint (part->len, <=, 2);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pdf-update/kinds", test_kinds);
  g_test_add_func ("/pdf-update/turned", test_turned);
  g_test_add_func ("/pdf-update/words", test_words);
  g_test_add_func ("/pdf-update/refused", test_refused);
  g_test_add_func ("/pdf-update/damaged", test_damaged);
  g_test_add_func ("/pdf-update/pages", test_pages);
  return g_test_run ();
}
