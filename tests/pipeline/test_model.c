/* Documents through the two steps of a model, with scripted answers: samples from PDF to Markdown, and what may go wrong. */
#include "pipeline/convert.h"
#include "pipeline/pdf.h"
#include "tests/pipeline/scripted.h"

#include <glib/gstdio.h>

/* ---- running a conversion -------------------------------------------------------------------------------- */

typedef struct {
  Scripted *scripted;
  DpRecord *record;
  char *out; /* the output file's text */
} Run;

typedef struct {
  DpConvertSetup setup;
  const DpInput *input;
  const DpTarget *target;
  DpRecord *record;
  GMutex lock;
  GCond done;
} Job;

static void
convert_task (gpointer data)
{
  Job *job = data;
  DpRecord *record = dp_convert_document (&job->setup, job->input, 0, job->target);

  g_mutex_lock (&job->lock);
  job->record = record;
  g_cond_signal (&job->done);
  g_mutex_unlock (&job->lock);
}

/* options: a command line without program and input. */
static Run
run_script (const char *pdf, const char *options, cJSON *script, gboolean analysis)
{
  Run run = { .scripted = scripted_new (script) };
  g_autofree char *dir = g_dir_make_tmp ("docparse-model-XXXXXX", NULL),
                  *line = g_strdup_printf ("docparse %s %s -o %s/out", options, pdf, dir);
  g_auto (GStrv) argv = g_strsplit (line, " ", -1);
  g_autoptr (GError) error = NULL;
  g_autoptr (DpOptions) o = dp_options_parse (argv, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) inputs = dp_inputs_collect (o->inputs, 1), targets = dp_targets_plan (o, inputs, &error);
  g_assert_no_error (error);
  g_autoptr (DpCrew) crew = dp_crew_new (2);
  const DpModelFlowOptions model
      = { .answerer = &run.scripted->answerer, .image_analysis = analysis, .layout = { .figure_text = o->figure_text } };
  const gint stop = 0;
  Job job = { .setup = { .options = o, .crew = crew, .model = &model, .stop = &stop },
              .input = g_ptr_array_index (inputs, 0),
              .target = g_ptr_array_index (targets, 0) };
  g_autofree char *out = g_build_filename (dir, "out", NULL), *images = g_build_filename (dir, "out_images", NULL);

  dp_crew_add (crew, convert_task, &job);
  g_mutex_lock (&job.lock);
  while (!job.record)
    g_cond_wait (&job.done, &job.lock);
  g_mutex_unlock (&job.lock);
  run.record = job.record;
  if (run.record->error)
    g_error ("%s", run.record->error);
  g_file_get_contents (out, &run.out, NULL, &error);
  g_assert_no_error (error);
  g_unlink (out);
  g_autofree char *remove = g_strdup_printf ("rm -rf %s", dir);
  g_assert_cmpint (system (remove), ==, 0);
  (void) images;
  return run;
}

static void
run_clear (Run *run)
{
  scripted_free (run->scripted);
  dp_record_free (run->record);
  g_free (run->out);
}

static cJSON *
load_script (const char *name)
{
  g_autofree char *path = g_strdup_printf ("tests/fixtures/model/%s.json", name), *text = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  return cJSON_Parse (text);
}

/* ---- samples ------------------------------------------------------------------------------------------------- */

static void
check_same (const char *golden, const char *got)
{
  g_autofree char *wanted = NULL;

  g_assert_true (g_file_get_contents (golden, &wanted, NULL, NULL));
  if (!g_str_equal (got, wanted)) {
    g_test_message ("%s\n--- gives\n%s\n--- wanted\n%s", golden, got, wanted);
    g_test_fail ();
  }
}

/* DP_UPDATE_GOLDENS=1 writes the file. */
static void
check_golden (const char *golden, const char *got)
{
  if (g_getenv ("DP_UPDATE_GOLDENS"))
    g_assert_true (g_file_set_contents (golden, got, -1, NULL));
  check_same (golden, got);
}

/* Everything read by the model. */
static void
test_sample_ocr (gconstpointer data)
{
  const char *name = data;
  g_autofree char *pdf = g_strdup_printf ("samples/%s.pdf", name), *golden = g_strdup_printf ("tests/fixtures/model/%s.md", name);
  Run run = run_script (pdf, "--method ocr --images placeholder", load_script (name), FALSE);

  check_golden (golden, run.out);
  g_assert_cmpuint (run.record->n_state[DP_PAGE_READ] + run.record->n_state[DP_PAGE_DOUBTFUL], ==, run.record->n_pages);
  g_assert_cmpint (run.record->code, ==, DP_EXIT_OK);
  run_clear (&run);
}

/* Words from the page, tables and formulas from the model: the Markdown that a careful person typed, which has links and styles, too. */
static void
test_sample_auto (gconstpointer data)
{
  const char *name = data;
  g_autofree char *pdf = g_strdup_printf ("samples/%s.pdf", name), *typed = g_strdup_printf ("samples/%s.md", name);
  Run run = run_script (pdf, "--images placeholder", load_script (name), FALSE);

  check_same (typed, run.out);
  g_assert_cmpuint (run.record->n_state[DP_PAGE_READ], ==, run.record->n_pages);
  for (guint p = 0; p < run.record->n_pages; p++)
    g_assert_cmpuint (scripted_asked (run.scripted, p, "text"), ==, 0);
  run_clear (&run);
}

int
main (int argc, char **argv)
{
  static const char *const samples[]
      = { "two-columns", "table-spans", "tables-long", "footnotes", "lists", "formulas", "running-heads", "manual" };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++) {
    g_autofree char *ocr = g_strdup_printf ("/model/ocr/%s", samples[i]), *automatic = g_strdup_printf ("/model/auto/%s", samples[i]);
    g_test_add_data_func (ocr, samples[i], test_sample_ocr);
    g_test_add_data_func (automatic, samples[i], test_sample_auto);
  }
  const int code = g_test_run ();
  dp_pdf_shutdown ();
  return code;
}
