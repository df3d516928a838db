/* pipeline/progress.c - counting pages for the status line. */
#include "pipeline/progress.h"

struct DpProgress {
  DpLog *log;
  guint n_documents;
  gint64 started; /* g_get_monotonic_time() */
  /* atomic */
  gint opened, finished, pages_known, pages_done;
};

DpProgress *
dp_progress_new (DpLog *log, guint n_documents)
{
  DpProgress *progress = g_new0 (DpProgress, 1);

  progress->log = log;
  progress->n_documents = n_documents;
  progress->started = g_get_monotonic_time ();
  return progress;
}

void
dp_progress_free (DpProgress *progress)
{
  if (!progress)
    return;
  dp_log_status (progress->log, NULL);
  g_free (progress);
}

void
dp_progress_document_opened (DpProgress *progress, guint n_pages)
{
  g_atomic_int_add (&progress->pages_known, (gint) n_pages);
  g_atomic_int_inc (&progress->opened);
}

void
dp_progress_page_done (DpProgress *progress)
{
  g_atomic_int_inc (&progress->pages_done);
}

void
dp_progress_document_done (DpProgress *progress)
{
  g_atomic_int_inc (&progress->finished);
}

static void
append_time (GString *line, double seconds)
{
  const guint64 s = (guint64) (seconds + 0.5);

  if (s >= 3600)
    g_string_append_printf (line, "%" G_GUINT64_FORMAT ":%02u:%02u", s / 3600, (guint) (s / 60 % 60), (guint) (s % 60));
  else
    g_string_append_printf (line, "%u:%02u", (guint) (s / 60), (guint) (s % 60));
}

char *
dp_progress_line (guint n_documents, guint n_opened, guint n_finished, guint pages_known, guint pages_done, double seconds)
{
  GString *line = g_string_new (NULL);
  /* While documents wait unopened, only their number says how much is left. */
  const gboolean all_open = n_opened >= n_documents && pages_known > 0;
  const double share = all_open ? (double) pages_done / pages_known : (double) n_finished / MAX (n_documents, 1);

  if (n_documents > 1)
    g_string_append_printf (line, "%u of %u documents, ", n_finished, n_documents);
  if (all_open)
    g_string_append_printf (line, "%u of %u pages", pages_done, pages_known);
  else
    g_string_append_printf (line, "%u pages", pages_done);
  if (seconds > 0 && pages_done > 0)
    g_string_append_printf (line, ", %.1f pages/s", pages_done / seconds);
  if (share > 0 && share < 1 && seconds >= 1) {
    g_string_append (line, ", about ");
    append_time (line, MIN (seconds * (1 - share) / share, 1e9));
    g_string_append (line, " left");
  }
  return g_string_free (line, FALSE);
}

void
dp_progress_show (DpProgress *progress)
{
  if (!dp_log_has_status (progress->log))
    return;
  g_autofree char *line = dp_progress_line (
      progress->n_documents, (guint) g_atomic_int_get (&progress->opened), (guint) g_atomic_int_get (&progress->finished),
      (guint) g_atomic_int_get (&progress->pages_known), (guint) g_atomic_int_get (&progress->pages_done),
      (double) (g_get_monotonic_time () - progress->started) / G_USEC_PER_SEC);
  dp_log_status (progress->log, line);
}
