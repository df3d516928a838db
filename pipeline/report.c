/* pipeline/report.c - the ledger, its lines on stderr, its JSON, the exit code. */
#include "pipeline/report.h"

#include <cjson/cJSON.h>
#include <string.h>

static const char *const state_names[DP_N_PAGE_STATES] = { "read", "doubtful", "incomplete", "needs-model", "failed" };
static const char *const state_endings[DP_N_PAGE_STATES] = { "", "", "", "needs a model, the page is kept as a picture", "page left out" };
static const char *const stage_names[DP_N_STAGES]
    = { "open", "read", "look at images", "paint", "find lines", "read lines", "layout", "document", "pictures", "write" };

struct DpReport {
  DpLog *log;
  gboolean keep;
  GMutex lock;        /* guards all below */
  GPtrArray *records; /* DpRecord, if kept */
  guint n_documents, n_good, n_partly, n_failed, n_skipped;
  guint64 n_pages, n_state[DP_N_PAGE_STATES];
  gint64 stage[DP_N_STAGES];
  DpExit shared_code; /* of all documents so far, while they agree */
  gboolean codes_differ;
};

const char *
dp_page_state_name (DpPageState state)
{
  return state_names[state];
}

/* ---- records --------------------------------------------------------------------------------- */

static void
problem_clear (gpointer data)
{
  g_free (((DpPageProblem *) data)->reason);
}

DpRecord *
dp_record_new (const char *input, guint index)
{
  DpRecord *record = g_new0 (DpRecord, 1);

  record->input = g_strdup (input);
  record->index = index;
  record->problems = g_array_new (FALSE, TRUE, sizeof (DpPageProblem));
  g_array_set_clear_func (record->problems, problem_clear);
  record->outputs = g_ptr_array_new_with_free_func (g_free);
  return record;
}

void
dp_record_free (DpRecord *record)
{
  if (!record)
    return;
  g_free (record->input);
  g_free (record->error);
  g_array_unref (record->problems);
  g_ptr_array_unref (record->outputs);
  g_free (record);
}

void
dp_record_page (DpRecord *record, guint page, DpPageState state, const char *reason)
{
  GArray *problems = record->problems;
  DpPageProblem *last = problems->len ? &g_array_index (problems, DpPageProblem, problems->len - 1) : NULL;

  record->n_state[state]++;
  if (state == DP_PAGE_READ)
    return;
  if (!reason)
    reason = "no reason known";
  if (last && last->last + 1 == page && last->state == state && strcmp (last->reason, reason) == 0) {
    last->last = page;
  } else {
    const DpPageProblem problem = { .first = page, .last = page, .state = state, .reason = g_strdup (reason) };
    g_array_append_val (problems, problem);
  }
}

void
dp_record_fail (DpRecord *record, DpExit code, const char *error)
{
  g_free (record->error);
  record->error = g_strdup (error);
  record->code = code;
}

void
dp_record_finish (DpRecord *record)
{
  guint bad = 0;

  for (guint s = 0; s < DP_N_PAGE_STATES; s++)
    bad += s <= DP_PAGE_DOUBTFUL ? 0 : record->n_state[s];
  if (!record->error)
    record->code = bad ? DP_EXIT_PARTLY : DP_EXIT_OK;
}

/* ---- the report ------------------------------------------------------------------------------- */

DpReport *
dp_report_new (DpLog *log, gboolean keep)
{
  DpReport *report = g_new0 (DpReport, 1);

  report->log = log;
  report->keep = keep;
  g_mutex_init (&report->lock);
  report->records = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_record_free);
  return report;
}

void
dp_report_free (DpReport *report)
{
  if (!report)
    return;
  g_mutex_clear (&report->lock);
  g_ptr_array_unref (report->records);
  g_free (report);
}

static void
print_record (DpLog *log, const DpRecord *record)
{
  for (guint i = 0; i < record->problems->len; i++) {
    const DpPageProblem *p = &g_array_index (record->problems, DpPageProblem, i);
    const char *ending = state_endings[p->state];
    g_autofree char *message = *ending ? g_strdup_printf ("%s; %s", p->reason, ending) : g_strdup (p->reason);

    dp_log_write (log, DP_LOG_WARNING, record->input, p->first, p->last, message);
  }
  if (record->error)
    dp_log_write (log, DP_LOG_ERROR, record->input, 0, 0, record->error);
  else if (record->skipped)
    dp_log_write (log, DP_LOG_DETAIL, record->input, 0, 0, "the output is there and newer; passed over");
  else if (dp_log_shows (log, DP_LOG_DETAIL)) {
    g_autoptr (GString) line = g_string_new (NULL);
    g_string_append_printf (line, "%u page%s;", record->n_pages, record->n_pages == 1 ? "" : "s");
    for (guint s = 0; s < DP_N_STAGES; s++)
      g_string_append_printf (line, " %s %.1f ms%s", stage_names[s], (double) record->stage[s] / 1000, s + 1 < DP_N_STAGES ? "," : "");
    dp_log_write (log, DP_LOG_DETAIL, record->input, 0, 0, line->str);
  }
}

static void
count (DpReport *report, const DpRecord *record)
{
  if (report->n_documents++ == 0)
    report->shared_code = record->code;
  else if (report->shared_code != record->code)
    report->codes_differ = TRUE;

  if (record->skipped)
    report->n_skipped++;
  else if (record->error)
    report->n_failed++;
  else if (record->code == DP_EXIT_OK)
    report->n_good++;
  else
    report->n_partly++;
  for (guint s = 0; s < DP_N_PAGE_STATES; s++) {
    report->n_state[s] += record->n_state[s];
    report->n_pages += record->n_state[s];
  }
  for (guint s = 0; s < DP_N_STAGES; s++)
    report->stage[s] += record->stage[s];
}

void
dp_report_add (DpReport *report, DpRecord *record)
{
  if (!record->dropped)
    print_record (report->log, record);
  g_mutex_lock (&report->lock);
  if (!record->dropped)
    count (report, record);
  if (report->keep)
    g_ptr_array_add (report->records, record);
  g_mutex_unlock (&report->lock);
  if (!report->keep)
    dp_record_free (record);
}

void
dp_report_summary (DpReport *report, double seconds)
{
  g_autoptr (GString) line = g_string_new (NULL);

  g_mutex_lock (&report->lock);
  g_string_append_printf (line, "%u document%s, %" G_GUINT64_FORMAT " page%s in %.1f s: %u good", report->n_documents,
                          report->n_documents == 1 ? "" : "s", report->n_pages, report->n_pages == 1 ? "" : "s", seconds, report->n_good);
  if (report->n_partly)
    g_string_append_printf (line, ", %u with pages left out or kept as pictures", report->n_partly);
  if (report->n_failed)
    g_string_append_printf (line, ", %u failed", report->n_failed);
  if (report->n_skipped)
    g_string_append_printf (line, ", %u passed over", report->n_skipped);
  const DpLogLevel level = report->n_documents > 1 ? DP_LOG_NOTICE : DP_LOG_DETAIL;
  g_mutex_unlock (&report->lock);
  dp_log_write (report->log, level, NULL, 0, 0, line->str);
}

DpExit
dp_report_code (const DpReport *report)
{
  return report->codes_differ ? DP_EXIT_PARTLY : report->shared_code;
}

/* ---- JSON --------------------------------------------------------------------------------------- */

static cJSON *
states_json (const guint64 *n_state)
{
  cJSON *object = cJSON_CreateObject ();

  for (guint s = 0; s < DP_N_PAGE_STATES; s++)
    cJSON_AddNumberToObject (object, state_names[s], (double) n_state[s]);
  return object;
}

static cJSON *
stages_json (const gint64 *stage)
{
  cJSON *object = cJSON_CreateObject ();

  for (guint s = 0; s < DP_N_STAGES; s++)
    cJSON_AddNumberToObject (object, stage_names[s], (double) stage[s] / 1000);
  return object;
}

static void
add_text (cJSON *object, const char *name, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  cJSON_AddStringToObject (object, name, valid);
}

static void
add_file (cJSON *object, const char *name, const char *file)
{
  g_autofree char *shown = g_filename_display_name (file);

  cJSON_AddStringToObject (object, name, shown);
}

static cJSON *
problem_json (const DpPageProblem *problem)
{
  cJSON *object = cJSON_CreateObject ();

  cJSON_AddNumberToObject (object, "first", problem->first);
  cJSON_AddNumberToObject (object, "last", problem->last);
  cJSON_AddStringToObject (object, "state", state_names[problem->state]);
  add_text (object, "reason", problem->reason);
  return object;
}

static const char *
record_status (const DpRecord *record)
{
  if (record->dropped)
    return "interrupted";
  if (record->skipped)
    return "skipped";
  if (record->error)
    return "failed";
  return record->code == DP_EXIT_OK ? "good" : "partly";
}

static cJSON *
record_json (const DpRecord *record)
{
  cJSON *object = cJSON_CreateObject ();
  guint64 n_state[DP_N_PAGE_STATES];

  for (guint s = 0; s < DP_N_PAGE_STATES; s++)
    n_state[s] = record->n_state[s];
  add_file (object, "input", record->input);
  cJSON_AddStringToObject (object, "status", record_status (record));
  cJSON_AddNumberToObject (object, "exit_code", record->code);
  if (record->error)
    add_text (object, "error", record->error);
  cJSON_AddNumberToObject (object, "n_pages", record->n_pages);
  cJSON_AddItemToObject (object, "pages", states_json (n_state));
  cJSON *problems = cJSON_AddArrayToObject (object, "problems");
  for (guint i = 0; i < record->problems->len; i++)
    cJSON_AddItemToArray (problems, problem_json (&g_array_index (record->problems, DpPageProblem, i)));
  cJSON *outputs = cJSON_AddArrayToObject (object, "outputs");
  for (guint i = 0; i < record->outputs->len; i++) {
    g_autofree char *shown = g_filename_display_name (g_ptr_array_index (record->outputs, i));
    cJSON_AddItemToArray (outputs, cJSON_CreateString (shown));
  }
  cJSON_AddItemToObject (object, "ms", stages_json (record->stage));
  return object;
}

static gint
by_index (gconstpointer a, gconstpointer b)
{
  const DpRecord *x = *(DpRecord *const *) a, *y = *(DpRecord *const *) b;

  return x->index < y->index ? -1 : x->index > y->index;
}

char *
dp_report_json (DpReport *report, double seconds)
{
  cJSON *object = cJSON_CreateObject ();

  g_mutex_lock (&report->lock);
  g_ptr_array_sort (report->records, by_index);
  cJSON_AddNumberToObject (object, "schema_version", 1);
  cJSON_AddStringToObject (object, "docparse", DP_VERSION);
  cJSON_AddNumberToObject (object, "exit_code", dp_report_code (report));
  cJSON_AddNumberToObject (object, "seconds", seconds);
  cJSON_AddNumberToObject (object, "n_documents", report->n_documents);
  cJSON_AddItemToObject (object, "pages", states_json (report->n_state));
  cJSON_AddItemToObject (object, "ms", stages_json (report->stage));
  cJSON *documents = cJSON_AddArrayToObject (object, "documents");
  for (guint i = 0; i < report->records->len; i++)
    cJSON_AddItemToArray (documents, record_json (g_ptr_array_index (report->records, i)));
  g_mutex_unlock (&report->lock);

  char *printed = cJSON_Print (object);
  char *text = g_strconcat (printed, "\n", NULL);
  cJSON_free (printed);
  cJSON_Delete (object);
  return text;
}
