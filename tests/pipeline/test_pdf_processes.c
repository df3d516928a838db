/* tests/pipeline/test_pdf_processes.c - the sandboxed child itself: dying, limits, many at once, asking ahead. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipeline/sandbox.h"
#include "tests/pipeline/hello_pdf.h"

/* ---- dying --------------------------------------------------------------------------------------------------- */

static void
kill_child (DpPdf *pdf)
{
  gint pid = dp_pdf_child_pid (pdf);
  siginfo_t info;

  g_assert_cmpint (pid, >, 0);
  g_assert_cmpint (kill (pid, SIGKILL), ==, 0);
  /* dead for certain, but not reaped: that is the library's business */
  g_assert_cmpint (waitid (P_PID, (id_t) pid, &info, WEXITED | WNOWAIT), ==, 0);
}

static void
test_killed (void)
{
  char *name = save_hello (2);
  g_autoptr (GError) error = NULL;
  DpPdf *pdf;

  dp_pdf_shutdown (); /* a process of its own, see test_retry */
  pdf = dp_pdf_open (name, NULL, NULL, &error);
  assert_page_text (pdf, 1, "Hello");
  kill_child (pdf);
  g_assert_null (dp_pdf_page (pdf, 1, &error));
  g_assert_error (error, DP_PDF_ERROR, DP_PDF_ERROR_PAGE);
  g_assert_nonnull (strstr (error->message, "page 1: "));
  g_assert_nonnull (strstr (error->message, "SIGKILL"));
  g_clear_error (&error);
  assert_page_text (pdf, 1, "Hello");
  assert_page_text (pdf, 2, "World");
  kill_child (pdf);
  g_assert_null (dp_pdf_render (pdf, 2, (DpRect){ 0 }, 72, TRUE, &error));
  g_assert_error (error, DP_PDF_ERROR, DP_PDF_ERROR_PAGE);
  g_clear_error (&error);
  for (guint i = 0; i < 2; i++) {
    g_assert_null (dp_pdf_page (pdf, 1, &error));
    g_assert_error (error, DP_PDF_ERROR, DP_PDF_ERROR_STRIKES);
    g_assert_nonnull (strstr (error->message, "page 2"));
    g_clear_error (&error);
  }
  g_assert_cmpuint (dp_pdf_info (pdf)->n_pages, ==, 2); /* still an answer */
  dp_pdf_close (pdf);
  drop (name);
}

/* A process that has served other documents may die of what they did: no strike. */
static void
test_retry (void)
{
  char *name = save_hello (1);
  gint first;
  DpPdf *pdf;

  dp_pdf_shutdown ();
  pdf = dp_pdf_open (name, NULL, NULL, NULL);
  first = dp_pdf_child_pid (pdf);
  dp_pdf_close (pdf);
  pdf = dp_pdf_open (name, NULL, NULL, NULL);
  g_assert_cmpint (dp_pdf_child_pid (pdf), ==, first); /* kept warm */
  kill_child (pdf);
  assert_page_text (pdf, 1, "Hello");
  g_assert_cmpint (dp_pdf_child_pid (pdf), !=, first);
  dp_pdf_close (pdf);
  drop (name);
}

/* Page 1 draws 20^8 forms, page 2 is harmless. */
static char *
save_endless (void)
{
  TinyPdf *t = tiny_new ();
  g_autoptr (GString) calls = g_string_new (NULL);

  for (guint i = 0; i < 20; i++)
    g_string_append (calls, "/X Do ");
  tiny_object (t, "<< /Type /Catalog /Pages 2 0 R >>");
  tiny_object (t, "<< /Type /Pages /Kids [4 0 R 5 0 R] /Count 2 /MediaBox [0 0 612 792] >>");
  tiny_object (t, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  tiny_object (t, "<< /Type /Page /Parent 2 0 R /Contents 7 0 R /Resources << /XObject << /X 8 0 R >> >> >>");
  tiny_object (t, "<< /Type /Page /Parent 2 0 R /Contents 6 0 R /Resources << /Font << /F 3 0 R >> >> >>");
  tiny_stream (t, "", "BT /F 24 Tf 72 700 Td (Fine) Tj ET", 34);
  tiny_stream (t, "", calls->str, calls->len);
  for (guint level = 0; level < 8; level++) {
    g_autofree char *dictionary
        = g_strdup_printf ("/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /XObject << /X %u 0 R >> >>", 9 + level);

    tiny_stream (t, dictionary, calls->str, calls->len);
  }
  tiny_stream (t, "/Type /XObject /Subtype /Form /BBox [0 0 612 792]", "0 0 5 5 re f", 12);
  return tiny_save_string (tiny_finish (t, ""));
}

static void
check_limit (const char *name, const DpPdfLimits *limits, const char *message)
{
  g_autoptr (GError) error = NULL;
  DpPdf *pdf = dp_pdf_open (name, NULL, limits, &error);

  g_assert_no_error (error);
  g_assert_null (dp_pdf_page (pdf, 1, &error));
  g_assert_error (error, DP_PDF_ERROR, DP_PDF_ERROR_PAGE);
  g_assert_cmpstr (error->message, ==, message);
  assert_page_text (pdf, 2, "Fine");
  dp_pdf_close (pdf);
}

static void
test_time (void)
{
  DpPdfLimits cpu = DP_PDF_LIMITS_DEFAULT, wall = DP_PDF_LIMITS_DEFAULT;
  char *name = save_endless ();

  cpu.page_cpu_ms = 300;
  cpu.page_wall_ms = 0;
  check_limit (name, &cpu, "page 1: took more than 0.3 s of processor time");
  wall.page_cpu_ms = 0;
  wall.page_wall_ms = 3000;
  check_limit (name, &wall, "page 1: took more than 3 s");
  drop (name);
}

/* An embedded font of 64 MB of zeros in less than a kilobyte of file. */
static void
test_memory (void)
{
  DpPdfLimits limits = DP_PDF_LIMITS_DEFAULT;
  g_autofree guint8 *zeros = g_malloc0 (64 << 20);
  g_autoptr (GByteArray) packed = NULL, twice = NULL;
  TinyPdf *t;
  char *name;

  if (!dp_sandbox_has_seccomp ()) {
    g_test_skip ("no address space limit under AddressSanitizer");
    return;
  }
  if (g_getenv ("DP_EMULATED")) {
    g_test_skip ("the emulator has no address space limit (.ci/cross.sh)");
    return;
  }
  t = tiny_new ();
  packed = tiny_deflate (zeros, 64 << 20);
  twice = tiny_deflate (packed->data, packed->len);
  tiny_object (t, "<< /Type /Catalog /Pages 2 0 R >>");
  tiny_object (t, "<< /Type /Pages /Kids [4 0 R 5 0 R] /Count 2 /MediaBox [0 0 612 792] >>");
  tiny_object (t, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  tiny_object (t, "<< /Type /Page /Parent 2 0 R /Contents 6 0 R /Resources << /Font << /F 8 0 R >> >> >>");
  tiny_object (t, "<< /Type /Page /Parent 2 0 R /Contents 7 0 R /Resources << /Font << /F 3 0 R >> >> >>");
  tiny_stream (t, "", "BT /F 24 Tf 72 700 Td (Huge) Tj ET", 34);
  tiny_stream (t, "", "BT /F 24 Tf 72 700 Td (Fine) Tj ET", 34);
  tiny_object (t, "<< /Type /Font /Subtype /TrueType /BaseFont /Zeros /FirstChar 0 /LastChar 0 /Widths [0] /FontDescriptor 9 0 R >>");
  tiny_object (t, "<< /Type /FontDescriptor /FontName /Zeros /Flags 32 /FontFile2 10 0 R >>");
  tiny_stream (t, "/Filter [/FlateDecode /FlateDecode]", twice->data, twice->len);
  name = tiny_save_string (tiny_finish (t, ""));
  limits.max_memory = 96 << 20;
  check_limit (name, &limits, "page 1: needed more than 96 MB of memory");
  drop (name);
}

/* ---- many --------------------------------------------------------------------------------------------------------- */

static guint
count_descriptors (void)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir))
    n++;
  return n;
}

static gsize
resident_kib (void)
{
  g_autofree char *text = NULL;
  unsigned long pages = 0;

  g_assert_true (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  g_assert_cmpint (sscanf (text, "%*u %lu", &pages), ==, 1);
  return pages * (gsize) sysconf (_SC_PAGESIZE) / 1024;
}

static void
test_many (void)
{
  char *name = save_hello (1);
  g_autoptr (GHashTable) pids = g_hash_table_new (NULL, NULL);
  guint descriptors = 0;
  gsize resident = 0;

  dp_pdf_shutdown ();
  for (guint i = 0; i < 300; i++) {
    DpPdf *pdf = dp_pdf_open (name, NULL, NULL, NULL);

    g_assert_nonnull (pdf);
    assert_page_text (pdf, 1, "Hello");
    g_hash_table_add (pids, GINT_TO_POINTER (dp_pdf_child_pid (pdf)));
    dp_pdf_close (pdf);
    if (i == 20) {
      descriptors = count_descriptors ();
      resident = resident_kib ();
    }
  }
  g_assert_cmpuint (count_descriptors (), <=, descriptors);
  if (dp_sandbox_has_seccomp ()) /* else AddressSanitizer's quarantine grows */
    g_assert_cmpuint (resident_kib (), <, resident + 2048);
  g_assert_cmpuint (g_hash_table_size (pids), ==, 2); /* one, replaced after 200 documents */
  drop (name);
}

/* One page in eight fonts that are not embedded and use predefined CMaps. */
static char *
save_cjk (void)
{
  static const char *const kinds[][3] = { { "Japan1", "UniJIS-UCS2-H", "Ryumin" },
                                          { "GB1", "UniGB-UCS2-H", "STSong" },
                                          { "CNS1", "UniCNS-UCS2-H", "MSung" },
                                          { "Korea1", "UniKS-UCS2-H", "HYSMyeongJo" } };
  g_autoptr (GString) fonts = g_string_new (NULL), content = g_string_new ("BT ");
  TinyPdf *t = tiny_new ();

  for (guint i = 0; i < 8; i++) {
    g_string_append_printf (fonts, "/F%u %u 0 R ", i, 5 + 2 * i);
    g_string_append_printf (content, "/F%u 20 Tf 1 0 0 1 72 %u Tm <65e5672c> Tj ", i, 700 - 40 * i);
  }
  g_string_append (content, "ET");
  tiny_object (t, "<< /Type /Catalog /Pages 2 0 R >>");
  tiny_object (t, "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 612 792] >>");
  tiny_object (t, "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << %s >> >> >>", fonts->str);
  tiny_stream (t, "", content->str, content->len);
  for (guint i = 0; i < 8; i++) {
    const char *const *k = kinds[i % 4];

    tiny_object (t, "<< /Type /Font /Subtype /Type0 /BaseFont /%s%u /Encoding /%s /DescendantFonts [%u 0 R] >>", k[2], i, k[1], 6 + 2 * i);
    tiny_object (
        t, "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /%s%u /CIDSystemInfo << /Registry (Adobe) /Ordering (%s) /Supplement 2 >> >>",
        k[2], i, k[0]);
  }
  return tiny_save_string (tiny_finish (t, ""));
}

/* poppler leaks a descriptor for every predefined CMap; without a new process in time no
 * font could be opened any more, and text would silently count as not painted. */
static void
test_leaks (void)
{
  char *cjk = save_cjk (), *hello = save_hello (1);
  DpPdfLimits limits = DP_PDF_LIMITS_DEFAULT;

  limits.page_cpu_ms = limits.page_wall_ms = 0; /* time is not what is asked here */
  if (!g_file_test ("/usr/share/poppler/cMap", G_FILE_TEST_IS_DIR)) {
    g_test_skip ("no predefined CMaps here (package poppler-data)");
  } else {
    dp_pdf_shutdown ();
    for (guint i = 0; i < (g_getenv ("DP_EMULATED") ? 10 : 90); i++) { /* a CMap takes an emulator seconds */
      g_autoptr (DpPdf) pdf = dp_pdf_open (cjk, NULL, &limits, NULL);
      GError *error = NULL;
      g_autoptr (DpPage) page = dp_pdf_page (pdf, 1, &error);

      g_assert_no_error (error);
      g_assert_cmpuint (page->n_glyphs, ==, 16);
      g_assert_cmpuint (page->glyphs[0].code, ==, 0x65e5);
      if (i % 10 == 9) {
        g_autoptr (DpPdf) other = dp_pdf_open (hello, NULL, NULL, NULL);
        g_autoptr (DpPage) plain = dp_pdf_page (other, 1, NULL);

        g_assert_cmpuint (plain->n_glyphs, ==, 5);
        g_assert_cmpuint (plain->glyphs[0].flags & DP_GLYPH_UNPAINTED, ==, 0);
        g_assert_cmpuint (plain->n_painted, ==, 5);
      }
    }
  }
  drop (cjk);
  drop (hello);
}

static gpointer
read_often (gpointer name)
{
  for (guint i = 0; i < 20; i++) {
    g_autoptr (DpPdf) pdf = dp_pdf_open (name, NULL, NULL, NULL);

    g_assert_nonnull (pdf);
    assert_page_text (pdf, 1 + i % 3, i % 3 == 0 ? "Hello" : i % 3 == 1 ? "World" : "Third");
  }
  return NULL;
}

/* The same file from several threads; threads that end must not take their processes with them. */
static void
test_threads (void)
{
  char *name = save_hello (3);
  GThread *threads[4];

  for (guint round = 0; round < 2; round++) {
    for (guint i = 0; i < 4; i++)
      threads[i] = g_thread_new ("reader", read_often, name);
    for (guint i = 0; i < 4; i++)
      g_thread_join (threads[i]);
  }
  read_often (name);
  drop (name);
}

static void
test_prewarm (void)
{
  char *name = save_hello (1);
  DpPdf *pdf;

  dp_pdf_shutdown ();
  dp_pdf_prewarm (FALSE);
  pdf = dp_pdf_open (name, NULL, NULL, NULL);
  g_assert_nonnull (pdf);
  assert_page_text (pdf, 1, "Hello");
  dp_pdf_close (pdf);
  dp_pdf_shutdown ();
  drop (name);
}

/* A document that rests gives its process back; when no more documents come, that one ends without anybody waiting for it. */
static void
test_rest (void)
{
  char *name = save_hello (2);
  siginfo_t end = { 0 };

  dp_pdf_shutdown ();
  DpPdf *pdf = dp_pdf_open (name, NULL, NULL, NULL);
  const gint first = dp_pdf_child_pid (pdf);
  dp_pdf_rest (pdf);
  g_assert_cmpint (dp_pdf_child_pid (pdf), ==, 0);
  assert_page_text (pdf, 1, "Hello");
  g_assert_cmpint (dp_pdf_child_pid (pdf), ==, first);

  dp_pdf_expect_no_more ();
  dp_pdf_rest (pdf);
  g_assert_cmpint (waitid (P_PID, (id_t) first, &end, WEXITED | WNOWAIT), ==, 0);
  g_assert_cmpint (end.si_code, ==, CLD_KILLED);
  assert_page_text (pdf, 2, "World"); /* from another one */
  g_assert_cmpint (dp_pdf_child_pid (pdf), !=, first);
  dp_pdf_close (pdf);
  dp_pdf_shutdown ();
  g_assert_cmpint (waitid (P_PID, (id_t) first, &end, WEXITED | WNOWAIT), ==, -1); /* it was waited for */

  pdf = dp_pdf_open (name, NULL, NULL, NULL);
  const gint second = dp_pdf_child_pid (pdf);
  dp_pdf_rest (pdf);
  assert_page_text (pdf, 1, "Hello");
  g_assert_cmpint (dp_pdf_child_pid (pdf), ==, second); /* documents come again */
  dp_pdf_close (pdf);
  drop (name);
}

/* Page faults of a process so far. */
static guint64
faults_of (gint pid)
{
  g_autofree char *name = g_strdup_printf ("/proc/%d/stat", pid), *stat = NULL;
  guint64 faults = 0;

  g_assert_true (g_file_get_contents (name, &stat, NULL, NULL));
  g_assert_cmpint (sscanf (strrchr (stat, ')'), ") %*c %*d %*d %*d %*d %*d %*u %" G_GUINT64_FORMAT, &faults), ==, 1);
  return faults;
}

/* What a small document took of memory stays for the next one. */
static void
test_kept_memory (void)
{
  guint64 before = 0, after = 0;
  gint child = 0;

  if (!dp_sandbox_has_seccomp ()) {
    g_test_skip ("AddressSanitizer has a memory of its own");
    return;
  }
  dp_pdf_shutdown ();
  for (guint round = 0; round < 4; round++) {
    DpPdf *pdf = dp_pdf_open ("samples/two-columns.pdf", NULL, NULL, NULL);
    g_assert_nonnull (pdf);
    if (round)
      g_assert_cmpint (dp_pdf_child_pid (pdf), ==, child);
    child = dp_pdf_child_pid (pdf);
    for (guint number = 1; number <= dp_pdf_n_pages (pdf); number++) {
      g_autoptr (DpPage) page = dp_pdf_page (pdf, number, NULL);
      g_assert_nonnull (page);
    }
    before = after;
    after = faults_of (child);
    dp_pdf_close (pdf);
  }
  g_assert_cmpuint (after - before, <, 100); /* 30; ten times as many where all is given back */
}

/* ---- asking ahead --------------------------------------------------------------------------------------------- */

static void
test_ahead (void)
{
  char *name = save_hello (3);
  g_autoptr (GError) error = NULL;
  DpPdf *pdf = dp_pdf_open (name, NULL, NULL, NULL);
  const gint child = dp_pdf_child_pid (pdf);

  dp_pdf_page_ahead (pdf, 1);
  assert_page_text (pdf, 1, "Hello");
  dp_pdf_page_ahead (pdf, 2);
  dp_pdf_page_ahead (pdf, 1);         /* one is enough */
  assert_page_text (pdf, 3, "Third"); /* others may be asked for first */
  cairo_surface_t *picture = dp_pdf_render (pdf, 1, (DpRect){ 0 }, 36, TRUE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (cairo_image_surface_get_width (picture), ==, 306);
  cairo_surface_destroy (picture);
  assert_page_text (pdf, 2, "World");
  assert_page_text (pdf, 2, "World"); /* asked for anew */
  dp_pdf_page_ahead (pdf, 0);
  dp_pdf_page_ahead (pdf, 4);
  assert_page_text (pdf, 1, "Hello");
  g_assert_cmpint (dp_pdf_child_pid (pdf), ==, child);
  g_assert_cmpuint (dp_pdf_strikes (pdf), ==, 0);
  dp_pdf_page_ahead (pdf, 3); /* nobody comes for it */
  dp_pdf_close (pdf);
  drop (name);
}

/* The page that is asked for ahead is to blame for what it does, once, and no other. */
static void
test_ahead_endless (void)
{
  DpPdfLimits limits = DP_PDF_LIMITS_DEFAULT;
  char *name = save_endless ();

  limits.page_cpu_ms = 300;
  for (guint first = 1; first <= 2; first++) {
    g_autoptr (GError) error = NULL;
    DpPdf *pdf = dp_pdf_open (name, NULL, &limits, NULL);
    dp_pdf_page_ahead (pdf, 1);
    if (first == 2) {
      assert_page_text (pdf, 2, "Fine");
      assert_page_text (pdf, 2, "Fine");
      g_assert_cmpuint (dp_pdf_strikes (pdf), ==, 0);
    }
    g_assert_null (dp_pdf_page (pdf, 1, &error));
    g_assert_error (error, DP_PDF_ERROR, DP_PDF_ERROR_PAGE);
    g_assert_cmpstr (error->message, ==, "page 1: took more than 0.3 s of processor time");
    g_assert_cmpuint (dp_pdf_strikes (pdf), ==, 1);
    assert_page_text (pdf, 2, "Fine");
    dp_pdf_close (pdf);
  }
  drop (name);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pdf-processes/killed", test_killed);
  g_test_add_func ("/pdf-processes/retry", test_retry);
  g_test_add_func ("/pdf-processes/time", test_time);
  g_test_add_func ("/pdf-processes/memory", test_memory);
  g_test_add_func ("/pdf-processes/many", test_many);
  g_test_add_func ("/pdf-processes/leaks", test_leaks);
  g_test_add_func ("/pdf-processes/threads", test_threads);
  g_test_add_func ("/pdf-processes/prewarm", test_prewarm);
  g_test_add_func ("/pdf-processes/rest", test_rest);
  g_test_add_func ("/pdf-processes/kept-memory", test_kept_memory);
  g_test_add_func ("/pdf-processes/ahead", test_ahead);
  g_test_add_func ("/pdf-processes/ahead-endless", test_ahead_endless);
  return g_test_run ();
}
