/* ops/trace.c - DOCPARSE_TRACE=file.json: what ran, how long, how much, for chrome://tracing and Perfetto.
 *
 * One file per process, as the variable is one per process: the first back end opened starts it, the
 * last one closed ends it.  The format is the array form of the Trace Event Format (complete events, "X").
 */
#include "ops/private.h"
#include "ops/schema.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static struct {
  GMutex mutex;
  guint users;
  FILE *file;
  gboolean any; /* an event has been written */
} trace;

gint64
dp_trace_now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (gint64) t.tv_sec * 1000000000 + t.tv_nsec;
}

gboolean
dp_trace_enter (void)
{
  const char *path = g_getenv ("DOCPARSE_TRACE");
  gboolean on = FALSE;
  if (!path || !*path)
    return FALSE;
  g_mutex_lock (&trace.mutex);
  if (!trace.file) {
    trace.file = fopen (path, "we");
    if (trace.file)
      fputs ("[", trace.file);
    else
      g_warning ("DOCPARSE_TRACE: cannot write %s: %s", path, g_strerror (errno));
    trace.any = FALSE;
  }
  if (trace.file) {
    trace.users++;
    on = TRUE;
  }
  g_mutex_unlock (&trace.mutex);
  return on;
}

void
dp_trace_leave (void)
{
  g_mutex_lock (&trace.mutex);
  if (--trace.users == 0) {
    gboolean bad = fputs ("\n]\n", trace.file) < 0 || ferror (trace.file);
    if (fclose (trace.file) != 0 || bad)
      g_warning ("DOCPARSE_TRACE: the trace could not be written in full");
    trace.file = NULL;
  }
  g_mutex_unlock (&trace.mutex);
}

void
dp_trace_call (const DpBackend *backend, const char *name, const char *mode, const DpCall *calls, guint n_calls, gint64 begin_ns,
               gint64 end_ns)
{
  double flop = 0, bytes = 0;
  GString *shapes = g_string_new (NULL);
  for (guint i = 0; i < n_calls; i++) {
    g_autofree char *text = dp_call_describe (calls[i].op, calls[i].args);
    flop += dp_call_flop (calls[i].op, calls[i].args);
    bytes += dp_call_bytes (calls[i].op, calls[i].args);
    g_string_append_printf (shapes, "%s%s%s%s", i ? "; " : "", n_calls > 1 ? dp_op_name (calls[i].op) : "", n_calls > 1 ? ": " : "", text);
  }
  g_mutex_lock (&trace.mutex);
  if (trace.file) {
    fprintf (trace.file,
             "%s\n{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"ts\":%.3f,\"dur\":%.3f,\"pid\":%d,\"tid\":%d,"
             "\"args\":{\"mode\":\"%s\",\"shapes\":\"%s\",\"bytes\":%.0f,\"flop\":%.0f}}",
             trace.any ? "," : "", name, backend->klass->name, (double) begin_ns / 1e3, (double) (end_ns - begin_ns) / 1e3, getpid (),
             gettid (), mode, shapes->str, bytes, flop);
    trace.any = TRUE;
  }
  g_mutex_unlock (&trace.mutex);
  g_string_free (shapes, TRUE);
}
