/* tests/pipeline/test_report.c - the ledger: lines, exit code, JSON; the log and the status line. */
#include "pipeline/progress.h"
#include "pipeline/report.h"

#include <cjson/cJSON.h>
#include <string.h>
#include <unistd.h>

/* A log whose lines can be read back. */
typedef struct {
  int pipe[2];
  DpLog *log;
} Capture;

static void
capture_begin (Capture *c, gboolean json, DpLogLevel show)
{
  g_assert_cmpint (pipe (c->pipe), ==, 0);
  c->log = dp_log_new (c->pipe[1], json, show);
}

static char *
capture_end (Capture *c)
{
  GString *out = g_string_new (NULL);
  char buffer[4096];
  ssize_t n;

  dp_log_free (c->log);
  close (c->pipe[1]);
  while ((n = read (c->pipe[0], buffer, sizeof buffer)) > 0)
    g_string_append_len (out, buffer, n);
  close (c->pipe[0]);
  return g_string_free (out, FALSE);
}

static DpRecord *
record_good (const char *name, guint index)
{
  DpRecord *record = dp_record_new (name, index);

  dp_record_page (record, 1, DP_PAGE_READ, NULL);
  dp_record_finish (record);
  return record;
}

static DpRecord *
record_failed (const char *name, guint index, DpExit code)
{
  DpRecord *record = dp_record_new (name, index);

  dp_record_fail (record, code, "it cannot be read");
  dp_record_finish (record);
  return record;
}

static DpRecord *
record_partly (const char *name, guint index)
{
  DpRecord *record = dp_record_new (name, index);

  record->n_pages = 7;
  dp_record_page (record, 1, DP_PAGE_READ, NULL);
  dp_record_page (record, 2, DP_PAGE_FAILED, "the PDF library crashed");
  dp_record_page (record, 3, DP_PAGE_FAILED, "the PDF library crashed");
  dp_record_page (record, 5, DP_PAGE_FAILED, "the PDF library crashed");
  dp_record_page (record, 6, DP_PAGE_NEEDS_MODEL, "no text layer");
  dp_record_page (record, 7, DP_PAGE_INCOMPLETE, "3 objects were left out");
  dp_record_finish (record);
  return record;
}

static void
test_lines (void)
{
  Capture c;

  capture_begin (&c, FALSE, DP_LOG_NOTICE);
  g_autoptr (DpReport) report = dp_report_new (c.log, FALSE);
  dp_report_add (report, record_partly ("in.pdf", 0));
  dp_report_add (report, record_failed ("b\xff\n.pdf", 1, DP_EXIT_DATA));
  dp_report_summary (report, 2.5);
  g_autofree char *lines = capture_end (&c);
  g_assert_cmpstr (lines, ==,
                   "in.pdf: pages 2-3: the PDF library crashed; page left out\n"
                   "in.pdf: page 5: the PDF library crashed; page left out\n"
                   "in.pdf: page 6: no text layer; needs a model, the page is kept as a picture\n"
                   "in.pdf: page 7: 3 objects were left out\n"
                   "b\xef\xbf\xbd\\n.pdf: it cannot be read\n"
                   "docparse: 2 documents, 6 pages in 2.5 s: 0 good, 1 with pages left out or kept as pictures, 1 failed\n");
}

static void
test_quiet (void)
{
  Capture c;

  capture_begin (&c, FALSE, DP_LOG_ERROR);
  g_autoptr (DpReport) report = dp_report_new (c.log, FALSE);
  dp_report_add (report, record_partly ("in.pdf", 0));
  dp_report_add (report, record_failed ("b.pdf", 1, DP_EXIT_DATA));
  dp_report_summary (report, 2.5);
  g_autofree char *lines = capture_end (&c);
  g_assert_cmpstr (lines, ==, "b.pdf: it cannot be read\n");
}

static void
test_json_lines (void)
{
  Capture c;

  capture_begin (&c, TRUE, DP_LOG_NOTICE);
  g_autoptr (DpReport) report = dp_report_new (c.log, FALSE);
  dp_report_add (report, record_partly ("q\"\xff.pdf", 0));
  g_autofree char *lines = capture_end (&c);
  g_auto (GStrv) each = g_strsplit (lines, "\n", -1);
  g_assert_cmpuint (g_strv_length (each), ==, 5); /* four and what follows the last newline */
  cJSON *first = cJSON_Parse (each[0]);
  g_assert_nonnull (first);
  g_assert_cmpstr (cJSON_GetStringValue (cJSON_GetObjectItem (first, "level")), ==, "warning");
  g_assert_cmpstr (cJSON_GetStringValue (cJSON_GetObjectItem (first, "file")), ==, "q\"\xef\xbf\xbd.pdf");
  g_assert_cmpfloat (cJSON_GetArrayItem (cJSON_GetObjectItem (first, "pages"), 1)->valuedouble, ==, 3);
  cJSON_Delete (first);
}

/* Codes of documents added in order, as the process returns them. */
static DpExit
code_of (const DpExit *codes, guint n)
{
  Capture c;

  capture_begin (&c, FALSE, DP_LOG_ERROR);
  g_autoptr (DpReport) report = dp_report_new (c.log, FALSE);
  for (guint i = 0; i < n; i++)
    dp_report_add (report, codes[i] == DP_EXIT_OK       ? record_good ("a", i)
                           : codes[i] == DP_EXIT_PARTLY ? record_partly ("a", i)
                                                        : record_failed ("a", i, codes[i]));
  const DpExit code = dp_report_code (report);
  g_autofree char *lines = capture_end (&c);
  g_assert_nonnull (lines);
  return code;
}

#define CODE(...) code_of ((const DpExit[]){ __VA_ARGS__ }, G_N_ELEMENTS (((const DpExit[]){ __VA_ARGS__ })))

static void
test_exit_codes (void)
{
  g_assert_cmpint (CODE (DP_EXIT_OK), ==, 0);
  g_assert_cmpint (CODE (DP_EXIT_OK, DP_EXIT_OK), ==, 0);
  g_assert_cmpint (CODE (DP_EXIT_PARTLY), ==, 1);
  g_assert_cmpint (CODE (DP_EXIT_DATA), ==, 65);
  g_assert_cmpint (CODE (DP_EXIT_DATA, DP_EXIT_DATA), ==, 65);
  g_assert_cmpint (CODE (DP_EXIT_PASSWORD, DP_EXIT_PASSWORD, DP_EXIT_PASSWORD), ==, 77);
  g_assert_cmpint (CODE (DP_EXIT_DATA, DP_EXIT_OK), ==, 1);
  g_assert_cmpint (CODE (DP_EXIT_OK, DP_EXIT_DATA), ==, 1);
  g_assert_cmpint (CODE (DP_EXIT_DATA, DP_EXIT_NO_INPUT), ==, 1);
}

static void
test_json (void)
{
  Capture c;

  capture_begin (&c, FALSE, DP_LOG_ERROR);
  g_autoptr (DpReport) report = dp_report_new (c.log, TRUE);
  DpRecord *last = record_partly ("z.pdf", 1);
  g_ptr_array_add (last->outputs, g_strdup ("z.md"));
  dp_report_add (report, last);
  dp_report_add (report, record_good ("a.pdf", 0)); /* finished later, comes first */
  g_autofree char *text = dp_report_json (report, 1.5);
  g_autofree char *lines = capture_end (&c);
  cJSON *json = cJSON_Parse (text);
  const cJSON *documents = cJSON_GetObjectItem (json, "documents");
  const cJSON *z = cJSON_GetArrayItem (documents, 1);

  g_assert_cmpint (cJSON_GetArraySize (documents), ==, 2);
  g_assert_cmpfloat (cJSON_GetObjectItem (json, "exit_code")->valuedouble, ==, 1);
  g_assert_cmpstr (cJSON_GetStringValue (cJSON_GetObjectItem (z, "input")), ==, "z.pdf");
  g_assert_cmpstr (cJSON_GetStringValue (cJSON_GetObjectItem (z, "status")), ==, "partly");
  g_assert_cmpfloat (cJSON_GetObjectItem (cJSON_GetObjectItem (z, "pages"), "failed")->valuedouble, ==, 3);
  g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (z, "problems")), ==, 4);
  g_assert_cmpstr (cJSON_GetStringValue (cJSON_GetArrayItem (cJSON_GetObjectItem (z, "outputs"), 0)), ==, "z.md");
  cJSON_Delete (json);
}

/* Two threads' lines never run into each other. */
static gpointer
write_lines (gpointer data)
{
  for (guint i = 0; i < 200; i++)
    dp_log_printf (data, DP_LOG_NOTICE, "file", "%s", "0123456789 0123456789 0123456789 0123456789");
  return NULL;
}

static void
test_threads (void)
{
  Capture c;

  capture_begin (&c, FALSE, DP_LOG_NOTICE);
  GThread *one = g_thread_new ("one", write_lines, c.log);
  GThread *two = g_thread_new ("two", write_lines, c.log);
  g_thread_join (one);
  g_thread_join (two);
  g_autofree char *lines = capture_end (&c);
  g_auto (GStrv) each = g_strsplit (lines, "\n", -1);
  g_assert_cmpuint (g_strv_length (each), ==, 401);
  for (guint i = 0; i < 400; i++)
    g_assert_cmpstr (each[i], ==, "file: 0123456789 0123456789 0123456789 0123456789");
}

static void
test_clean (void)
{
  g_autofree char *bell = dp_log_clean ("a\033[31mb\tc\n");
  g_autofree char *bytes = dp_log_clean ("\xc3\xa4\xff");

  g_assert_cmpstr (bell, ==, "a\\x1b[31mb\\tc\\n");
  g_assert_cmpstr (bytes, ==, "\xc3\xa4\xef\xbf\xbd");
}

static void
test_progress (void)
{
  g_autofree char *one = dp_progress_line (1, 1, 0, 100, 25, 10);
  g_autofree char *many = dp_progress_line (12, 4, 3, 80, 45, 90);
  g_autofree char *start = dp_progress_line (3, 0, 0, 0, 0, 0);
  g_autofree char *hours = dp_progress_line (1, 1, 0, 4000, 1, 10);

  g_assert_cmpstr (one, ==, "25 of 100 pages, 2.5 pages/s, about 0:30 left");
  g_assert_cmpstr (many, ==, "3 of 12 documents, 45 pages, 0.5 pages/s, about 4:30 left");
  g_assert_cmpstr (start, ==, "0 of 3 documents, 0 pages");
  g_assert_cmpstr (hours, ==, "1 of 4000 pages, 0.1 pages/s, about 11:06:30 left");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/report/lines", test_lines);
  g_test_add_func ("/report/quiet", test_quiet);
  g_test_add_func ("/report/json-lines", test_json_lines);
  g_test_add_func ("/report/exit-codes", test_exit_codes);
  g_test_add_func ("/report/json", test_json);
  g_test_add_func ("/log/threads", test_threads);
  g_test_add_func ("/log/clean", test_clean);
  g_test_add_func ("/progress/line", test_progress);
  return g_test_run ();
}
