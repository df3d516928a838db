/* pipeline/batch.c - a run over many documents.
 *
 * The main thread waits in a main loop for the end, for signals and for the time to draw
 * the status line; the crew converts.  As many documents are open as there are threads, and with a
 * model those that wait for it: each that ends lets the next one in, so memory does not grow with the
 * number of inputs.
 *
 * The first SIGINT, SIGTERM or SIGHUP lets nobody in any more and drops what is not
 * finished, with its temporary files; the second one leaves at once.
 */
#include "pipeline/batch.h"

#include "ops/stream.h"
#include "pipeline/convert.h"
#include "pipeline/exit_code.h"
#include "pipeline/model_host.h"
#include "pipeline/ocr.h"
#include "pipeline/pdf.h"
#include "pipeline/processors.h"

#include <glib-unix.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define STATUS_INTERVAL_MS 200

typedef struct {
  DpConvertSetup setup;
  GPtrArray *inputs, *targets; /* DpInput, DpTarget */
  DpCrew *crew;
  DpProgress *progress;
  DpReport *report;
  DpModelHost *model; /* or NULL */
  GMainLoop *loop;
  guint at_once;   /* documents let in at a time */
  gint next;       /* atomic: first input not let in */
  gint unfinished; /* atomic */
  gint stop;       /* atomic: number of the signal, 0 = none */
} Batch;

/* ---- documents ----------------------------------------------------------------------------------- */

static gboolean
quit (gpointer data)
{
  g_main_loop_quit (((Batch *) data)->loop);
  return G_SOURCE_REMOVE;
}

/* A task of the crew: converts the next input, then lets another one in. */
static void
convert_next (gpointer data)
{
  Batch *batch = data;
  const guint index = (guint) g_atomic_int_add (&batch->next, 1);

  if (index + batch->at_once >= batch->inputs->len) /* all have been let in */
    dp_pdf_expect_no_more ();
  DpRecord *record
      = dp_convert_document (&batch->setup, g_ptr_array_index (batch->inputs, index), index, g_ptr_array_index (batch->targets, index));

  dp_report_add (batch->report, record);
  dp_progress_document_done (batch->progress);
  if (g_atomic_int_dec_and_test (&batch->unfinished))
    g_idle_add (quit, batch);
  else if (index + batch->at_once < batch->inputs->len)
    dp_crew_add (batch->crew, convert_next, batch);
}

/* ---- the main loop --------------------------------------------------------------------------------- */

static gboolean
draw_status (gpointer data)
{
  dp_progress_show (((Batch *) data)->progress);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_signal (int fd, GIOCondition condition, gpointer data)
{
  Batch *batch = data;
  struct signalfd_siginfo info;

  (void) condition;
  if (read (fd, &info, sizeof info) != sizeof info)
    return G_SOURCE_CONTINUE;
  if (g_atomic_int_get (&batch->stop))
    _exit (DP_EXIT_SIGNAL + (int) info.ssi_signo);
  g_atomic_int_set (&batch->stop, (int) info.ssi_signo);
  if (batch->model)
    dp_model_host_stop (batch->model);
  return G_SOURCE_CONTINUE;
}

/* Of the signals that end a run those that are not ignored (nohup ignores SIGHUP). */
static sigset_t
ending_signals (void)
{
  static const int all[] = { SIGINT, SIGTERM, SIGHUP };
  sigset_t set;

  sigemptyset (&set);
  for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
    struct sigaction now;
    if (sigaction (all[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
      sigaddset (&set, all[i]);
  }
  return set;
}

typedef struct {
  const DpModelOptions *options;
  GError *error;
} Opening;

static gpointer
open_model_here (gpointer data)
{
  Opening *opening = data;
  const sigset_t ending = ending_signals ();

  pthread_sigmask (SIG_BLOCK, &ending, NULL);
  return dp_model_host_open (opening->options, &opening->error);
}

/* A model has threads of its own, and so has the software of a device: they have the mask of the thread that opens the model, or a
 * signal would end the run in one of them.  This thread can still be interrupted, as loading may take long. */
static DpModelHost *
open_model (const DpModelOptions *options, GError **error)
{
  Opening opening = { .options = options };
  GThread *thread = g_thread_try_new ("model", open_model_here, &opening, error);
  DpModelHost *model = thread ? g_thread_join (thread) : NULL;

  if (opening.error)
    g_propagate_error (error, opening.error);
  return model;
}

/* Signals come in through a descriptor: GLib's own way would need a thread, to be started for every
 * short run, and would end the run where none can be. */
static void
run_loop (Batch *batch, DpLog *log)
{
  const sigset_t ending = ending_signals ();
  const int signals = signalfd (-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
  sigset_t before;
  const guint watch = signals >= 0 ? g_unix_fd_add (signals, G_IO_IN, on_signal, batch) : 0;
  const guint status = dp_log_has_status (log) ? g_timeout_add (STATUS_INTERVAL_MS, draw_status, batch) : 0;

  if (watch) /* the crew's threads, not yet there, will have them blocked as well */
    pthread_sigmask (SIG_BLOCK, &ending, &before);
  batch->loop = g_main_loop_new (NULL, FALSE);
  for (guint i = 0; i < MIN (batch->inputs->len, batch->at_once); i++)
    dp_crew_add (batch->crew, convert_next, batch);
  if (batch->inputs->len)
    g_main_loop_run (batch->loop);

  if (watch) {
    g_source_remove (watch);
    close (signals);
    pthread_sigmask (SIG_SETMASK, &before, NULL);
  }
  if (status)
    g_source_remove (status);
  g_main_loop_unref (batch->loop);
}

/* ---- a run --------------------------------------------------------------------------------------------- */

static DpFileSet *
protect_inputs (const GPtrArray *inputs)
{
  DpFileSet *set = dp_file_set_new ();

  for (guint i = 0; i < inputs->len; i++)
    dp_file_set_add (set, ((const DpInput *) g_ptr_array_index (inputs, i))->path);
  return set;
}

static DpExit
write_report (DpReport *report, const char *file, const DpFileSet *inputs, double seconds, DpLog *log)
{
  g_autoptr (DpWriter) writer = dp_writer_new (inputs);
  g_autoptr (GError) error = NULL;
  g_autofree char *json = dp_report_json (report, seconds);

  if (dp_writer_add (writer, file, json, strlen (json), &error) && dp_writer_commit (writer, &error))
    return DP_EXIT_OK;
  dp_log_write (log, DP_LOG_ERROR, NULL, 0, 0, error->message);
  return dp_exit_code_of (error);
}

/* The summary and the report; the exit code. */
static int
give_account (const Batch *batch, const DpFileSet *protected, double seconds, DpLog *log)
{
  const char *file = batch->setup.options->report;
  int code = dp_report_code (batch->report);

  dp_report_summary (batch->report, seconds);
  if (file) {
    const DpExit written = write_report (batch->report, file, protected, seconds, log);
    code = code == DP_EXIT_OK ? (int) written : code;
  }
  if (batch->stop) {
    dp_log_printf (log, DP_LOG_ERROR, NULL, "interrupted; what was not finished is not written");
    code = DP_EXIT_SIGNAL + batch->stop;
  }
  return code;
}

/* What there has to be before the first page: names to write to, the device and the model that were asked for. */
static gboolean
prepare (const DpOptions *o, Batch *batch, GError **error)
{
  batch->targets = dp_targets_plan (o, batch->inputs, error);
  if (!batch->targets || (o->model.device && !dp_backend_has_device (o->model.device, o->model.index, error)))
    return FALSE;
  if (dp_model_host_dir (&o->model))
    batch->model = open_model (&o->model, error);
  return batch->model || !dp_model_host_dir (&o->model);
}

/* All documents, with a crew that is gone at the end. */
static void
convert_all (Batch *batch, const DpOptions *o, const DpFileSet *protected, DpLog *log)
{
  g_autoptr (DpProgress) progress = dp_progress_new (log, batch->inputs->len);
  g_autoptr (DpModelPlaces) places = batch->model ? dp_model_places_new (DP_MODEL_PLACES) : NULL;
  g_autoptr (DpOcr) ocr = dp_ocr_new (&o->model, o->ocr_dpi);
  g_autoptr (DpCrew) crew = dp_crew_new (o->jobs ? o->jobs : dp_processors ());
  const DpModelFlowOptions flow = { .answerer = batch->model ? dp_model_host_answerer (batch->model) : NULL,
                                    .places = places,
                                    .layout = { .figure_text = o->figure_text, .no_tags = o->no_tags },
                                    .image_analysis = o->model.image_analysis,
                                    .no_penalties = o->model.no_penalties };

  batch->crew = crew;
  batch->progress = progress;
  batch->unfinished = (gint) batch->inputs->len;
  batch->at_once = dp_crew_size (crew) + (batch->model ? DP_MODEL_PLACES : 0); /* a document that waits for the model has a page there */
  batch->setup = (DpConvertSetup){ .options = o,
                                   .crew = crew,
                                   .inputs = protected,
                                   .progress = progress,
                                   .recogniser = dp_ocr_recogniser (ocr),
                                   .model = batch->model ? &flow : NULL,
                                   .stop = &batch->stop };
  run_loop (batch, log);
}

static void
batch_clear (Batch *batch)
{
  g_clear_pointer (&batch->inputs, g_ptr_array_unref);
  g_clear_pointer (&batch->targets, g_ptr_array_unref);
  g_clear_pointer (&batch->report, dp_report_free);
  g_clear_pointer (&batch->model, dp_model_host_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Batch, batch_clear)

int
dp_batch_run (const DpOptions *options, DpLog *log)
{
  const gint64 started = g_get_monotonic_time ();
  g_autoptr (GError) error = NULL;
  g_auto (Batch) batch = { .inputs = dp_inputs_collect (options->inputs, g_strv_length (options->inputs)),
                           .report = dp_report_new (log, options->report != NULL) };

  if (!prepare (options, &batch, &error)) {
    dp_log_write (log, DP_LOG_ERROR, NULL, 0, 0, error->message);
    return (int) dp_exit_code_of (error);
  }
  if (batch.model) {
    g_autofree char *loaded = dp_model_host_describe (batch.model);
    dp_log_write (log, DP_LOG_DETAIL, NULL, 0, 0, loaded);
  }
  signal (SIGPIPE, SIG_IGN); /* a reader that has seen enough is an error of write(), see writer.h */

  g_autoptr (DpFileSet) protected = protect_inputs (batch.inputs);
  convert_all (&batch, options, protected, log);
  if (batch.model) {
    g_autofree char *account = dp_model_host_account (batch.model);
    dp_log_write (log, DP_LOG_DETAIL, NULL, 0, 0, account);
  }
  return give_account (&batch, protected, (double) (g_get_monotonic_time () - started) / G_USEC_PER_SEC, log);
}
