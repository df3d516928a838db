/* tests/pipeline/test_readers.c - two strikes are the document's, whoever of its readers had them. */
#include <signal.h>
#include <unistd.h>

#include "pipeline/readers.h"
#include "tests/pipeline/tiny_pdf.h"

#define N_PAGES 60
#define PATIENCE_US (20 * G_USEC_PER_SEC)

typedef struct {
  guint threads; /* how many readers must have met before the first strike */
  GMutex lock;
  GCond met;
  GPtrArray *seen;   /* DpPdf that had its strike; under lock */
  gint read, failed; /* atomic */
} Run;

/* The first page that each reader reads costs it its process; the two wait for each other, so that
 * neither reads on before the other has had its strike. */
static void
read_one (DpReaders *readers, DpPdf *pdf, guint item, gpointer data)
{
  Run *run = data;
  g_autoptr (GError) error = NULL;
  const gint64 deadline = g_get_monotonic_time () + PATIENCE_US;

  g_mutex_lock (&run->lock);
  const gboolean first = !g_ptr_array_find (run->seen, pdf, NULL) && run->seen->len < run->threads;
  if (first)
    g_ptr_array_add (run->seen, pdf);
  g_cond_broadcast (&run->met);
  while (run->seen->len < run->threads && g_cond_wait_until (&run->met, &run->lock, deadline))
    ;
  g_mutex_unlock (&run->lock);
  if (first)
    kill (dp_pdf_child_pid (pdf), SIGKILL);
  g_autoptr (DpPage) page = dp_pdf_page (pdf, item + 1, &error);
  g_atomic_int_inc (page ? &run->read : &run->failed);
  dp_readers_given_up (readers, error);
}

typedef struct {
  DpCrew *crew;
  const char *path;
  Run run;
  gboolean given_up;
} Task;

static void
read_document (gpointer data)
{
  static const DpPdfLimits limits = DP_PDF_LIMITS_DEFAULT;
  static const gint go_on = 0;
  Task *task = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (DpReaders) readers = dp_readers_open (task->crew, task->path, NULL, &limits, &go_on, &error);

  g_assert_no_error (error);
  dp_readers_each (readers, N_PAGES, 1, read_one, &task->run);
  task->given_up = dp_readers_given_up (readers, NULL);
}

static void
run_with (guint threads, Task *task)
{
  const char *texts[N_PAGES];
  g_autoptr (DpCrew) crew = dp_crew_new (threads);

  for (guint i = 0; i < N_PAGES; i++)
    texts[i] = "Hello";
  g_autofree char *path = tiny_save_string (tiny_text (texts, N_PAGES));
  dp_pdf_shutdown (); /* fresh processes: one that has served others would be replaced without a strike */
  *task = (Task){ .crew = crew, .path = path, .run = { .threads = threads, .seen = g_ptr_array_new () } };
  g_mutex_init (&task->run.lock);
  g_cond_init (&task->run.met);
  dp_crew_add (crew, read_document, task);
  g_clear_pointer (&crew, dp_crew_free); /* waits */
  g_mutex_clear (&task->run.lock);
  g_cond_clear (&task->run.met);
  unlink (path);
}

/* One strike of the only reader: the page is lost, the others are read. */
static void
test_one_strike (void)
{
  Task task;

  run_with (1, &task);
  g_assert_false (task.given_up);
  g_assert_cmpint (task.run.failed, ==, 1);
  g_assert_cmpint (task.run.read, ==, N_PAGES - 1);
  g_ptr_array_unref (task.run.seen);
}

/* One strike each of two readers: the document is given up. */
static void
test_one_each (void)
{
  Task task;

  run_with (2, &task);
  if (task.run.seen->len == 2) {
    g_assert_true (task.given_up);
    g_assert_cmpint (task.run.failed, ==, 2);
    g_assert_cmpint (task.run.read, <, N_PAGES - 2);
  } else {
    g_test_skip ("no second thread came to help");
  }
  g_ptr_array_unref (task.run.seen);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/readers/one-strike", test_one_strike);
  g_test_add_func ("/readers/one-each", test_one_each);
  status = g_test_run ();
  dp_pdf_shutdown ();
  return status;
}
