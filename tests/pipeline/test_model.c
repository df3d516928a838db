/* Documents through the two steps of a model, with scripted answers: samples from PDF to Markdown, and what may go wrong. */
#include "pipeline/convert.h"
#include "pipeline/pdf.h"
#include "tests/pipeline/content_pdf.h"
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
  g_autofree char *out = g_build_filename (dir, "out", NULL);

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

/* ---- what may go wrong ------------------------------------------------------------------------------------------ */

static const char *
first_problem (const Run *run)
{
  return run->record->problems->len ? g_array_index (run->record->problems, DpPageProblem, 0).reason : "";
}

static cJSON *
member (cJSON *script, int page, const char *name)
{
  return cJSON_GetObjectItem (cJSON_GetArrayItem (script, page), name);
}

/* The model sees nothing: the page's own layout and text are as good as ever. */
static void
test_no_regions (void)
{
  cJSON *script = cJSON_Parse ("[{\"layout\":\"<|txtMask fill:#>\\n<|txtMask fill:#>\"}]");
  Run run = run_script ("samples/table-spans.pdf", "--images placeholder", script, FALSE);

  check_same ("samples/table-spans.md", run.out);
  g_assert_cmpuint (run.record->n_state[DP_PAGE_DOUBTFUL], ==, 1);
  g_assert_cmpstr (first_problem (&run), ==, "the model found no regions, the page's own text was laid out");
  g_assert_cmpint (run.record->code, ==, DP_EXIT_OK);
  run_clear (&run);
}

/* A model that cannot answer at all costs nothing where the text can be trusted, but the page says so. */
static void
test_no_answers (void)
{
  Run run = run_script ("samples/two-columns.pdf", "--images placeholder", cJSON_Parse ("[]"), FALSE);

  check_same ("samples/two-columns.md", run.out);
  g_assert_cmpuint (run.record->n_state[DP_PAGE_INCOMPLETE], ==, 1);
  g_assert_cmpstr (first_problem (&run), ==,
                   "the model could not look for regions (layout: the script has no answer); the page's own text was laid out");
  run_clear (&run);
}

/* A region that the layout forgot: its words are kept where they stand. */
static void
test_forgotten_region (void)
{
  cJSON *script = load_script ("table-spans"), *layout = member (script, 0, "layout");
  g_auto (GStrv) lines = g_strsplit (layout->valuestring, "\n", -1);
  g_autofree char *short_one = g_strjoin ("\n", lines[0], lines[2], lines[3], NULL);
  cJSON_SetValuestring (layout, short_one);
  Run run = run_script ("samples/table-spans.pdf", "--images placeholder", script, FALSE);

  check_same ("samples/table-spans.md", run.out);
  g_assert_cmpuint (run.record->n_state[DP_PAGE_DOUBTFUL], ==, 1);
  g_assert_nonnull (strstr (first_problem (&run), "outside of the regions"));
  run_clear (&run);
}

/* An item of a list that the layout forgot is not lost in the list's box. */
static void
test_forgotten_item (void)
{
  cJSON *script = load_script ("lists"), *layout = member (script, 0, "layout");
  g_auto (GStrv) lines = g_strsplit (layout->valuestring, "\n", -1);
  g_autoptr (GString) fewer = g_string_new (NULL);
  gboolean dropped = FALSE;

  for (char **line = lines; *line; line++) {
    if (!dropped && strstr (*line, "list_item"))
      dropped = TRUE;
    else
      g_string_append_printf (fewer, "%s\n", *line);
  }
  g_assert_true (dropped);
  cJSON_SetValuestring (layout, fewer->str);
  const char *first = NULL;
  for (const cJSON *t = member (script, 0, "text")->child; t; t = t->next) /* the first item's words */
    if (g_ascii_isdigit (t->valuestring[0]) || strncmp (t->valuestring, "\342\200\242", 3) == 0) {
      first = strchr (t->valuestring, ' ') + 1;
      break;
    }
  g_assert_nonnull (first);
  g_autofree char *words = g_strndup (first, 12);
  Run run = run_script ("samples/lists.pdf", "--images placeholder", script, FALSE);
  g_assert_nonnull (strstr (run.out, words));
  run_clear (&run);
}

/* A model that invents a table's contents is found out. */
static void
test_invented_table (void)
{
  cJSON *script = load_script ("table-spans"), *tables = member (script, 0, "table");
  cJSON_SetValuestring (cJSON_GetArrayItem (tables, 0),
                        "<fcel>Quarter<fcel>Revenue<nl><fcel>Q1 2019<fcel>$1,204,332<nl><fcel>Q2 2019<fcel>$998,120<nl>");
  Run run = run_script ("samples/table-spans.pdf", "-t json", script, FALSE);
  cJSON *json = cJSON_Parse (run.out);
  const cJSON *block, *blocks = cJSON_GetObjectItem (json, "blocks");
  guint tables_seen = 0;

  cJSON_ArrayForEach (block, blocks)
  {
    const cJSON *agreement = cJSON_GetObjectItem (block, "agreement");
    const gboolean table = g_str_equal (cJSON_GetObjectItem (block, "kind")->valuestring, "table");
    g_assert_cmpstr (cJSON_GetObjectItem (block, "source")->valuestring, ==, table ? "vlm" : "text-layer");
    g_assert_true (!table == !agreement);
    tables_seen += table;
    if (table)
      g_assert_cmpfloat (agreement->valuedouble, <, 0.5);
  }
  g_assert_cmpuint (tables_seen, ==, 1);
  g_assert_cmpuint (run.record->n_state[DP_PAGE_DOUBTFUL], ==, 1);
  g_assert_cmpstr (first_problem (&run), ==, "1 region on which the model and the page's own text differ");
  cJSON_Delete (json);
  run_clear (&run);
}

/* With --method ocr texts are compared, too: one that lost half of its words stands out, an exact one has 1. */
static void
test_lost_words (void)
{
  cJSON *script = load_script ("table-spans");
  cJSON_SetValuestring (cJSON_GetArrayItem (member (script, 0, "text"), 1), "Valid from 1 November to 31 March.");
  Run run = run_script ("samples/table-spans.pdf", "--method ocr -t json", script, FALSE);
  cJSON *json = cJSON_Parse (run.out), *blocks = cJSON_GetObjectItem (json, "blocks");

  g_assert_cmpfloat (cJSON_GetObjectItem (cJSON_GetArrayItem (blocks, 0), "agreement")->valuedouble, ==, 1);
  g_assert_cmpfloat (cJSON_GetObjectItem (cJSON_GetArrayItem (blocks, 1), "agreement")->valuedouble, <, 0.6);
  g_assert_cmpfloat (cJSON_GetObjectItem (cJSON_GetArrayItem (blocks, 2), "agreement")->valuedouble, ==, 1);
  g_assert_cmpstr (cJSON_GetObjectItem (cJSON_GetArrayItem (blocks, 1), "source")->valuestring, ==, "vlm");
  g_assert_cmpuint (run.record->n_state[DP_PAGE_DOUBTFUL], ==, 1);
  cJSON_Delete (json);
  run_clear (&run);
}

/* The script of table-spans with other lines in its layout: line 1 is a paragraph over the table. */
static cJSON *
with_layout (const char *(*change) (char **lines, GString *out))
{
  cJSON *script = load_script ("table-spans"), *layout = member (script, 0, "layout");
  g_auto (GStrv) lines = g_strsplit (layout->valuestring, "\n", -1);
  g_autoptr (GString) out = g_string_new (NULL);
  const char *text = change (lines, out);

  if (text)
    cJSON_AddItemToArray (member (script, 0, "text"), cJSON_CreateString (text));
  cJSON_SetValuestring (layout, out->str);
  return script;
}

static const char *
drop_one (char **lines, GString *out)
{
  for (guint i = 0; lines[i]; i++)
    if (i != 1)
      g_string_append_printf (out, "%s\n", lines[i]);
  return NULL;
}

static const char *
add_one (char **lines, GString *out)
{
  for (guint i = 0; lines[i]; i++)
    g_string_append_printf (out, "%s\n", lines[i]);
  g_string_append (out, "<|box_start|>100 900 900 960<|box_end|><|ref_start|>text<|ref_end|><|rotate_up|>");
  return "Words that nobody has written on this page, not even small.";
}

static const char *
say_twice (char **lines, GString *out)
{
  for (guint i = 0; lines[i]; i++)
    for (guint k = 0; k < (i == 1 ? 2 : 1); k++)
      g_string_append_printf (out, "%s\n", lines[i]);
  return NULL;
}

static double
agreement_of (const char *json, const char *start)
{
  cJSON *tree = cJSON_Parse (json);
  const cJSON *block;
  double found = -2;

  cJSON_ArrayForEach (block, cJSON_GetObjectItem (tree, "blocks"))
  {
    const cJSON *text = cJSON_GetObjectItem (block, "text"), *agreement = cJSON_GetObjectItem (block, "agreement");
    if (cJSON_IsString (text) && g_str_has_prefix (text->valuestring, start))
      found = agreement ? agreement->valuedouble : -1;
  }
  cJSON_Delete (tree);
  return found;
}

/* A paragraph that the model left out is missed, one that it invented is known for what it is, with and without the page's own text. */
static void
test_left_out (void)
{
  Run run = run_script ("samples/table-spans.pdf", "--method ocr -t json", with_layout (drop_one), FALSE);

  g_assert_cmpuint (run.record->n_state[DP_PAGE_DOUBTFUL], ==, 1);
  g_assert_nonnull (strstr (first_problem (&run), "which is missing"));
  run_clear (&run);
}

static void
test_invented (void)
{
  static const char *const methods[] = { "--method ocr -t json", "-t json" };

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++) {
    cJSON *script = with_layout (add_one);
    if (i == 1) /* the only text that is asked for */
      cJSON_ReplaceItemInObject (cJSON_GetArrayItem (script, 0), "text",
                                 cJSON_Parse ("[\"Words that nobody has written on this page, not even small.\"]"));
    Run run = run_script ("samples/table-spans.pdf", methods[i], script, FALSE);
    g_assert_cmpfloat (agreement_of (run.out, "Words that nobody"), ==, 0);
    g_assert_cmpfloat (agreement_of (run.out, "Winter timetable"), ==, i == 0 ? 1 : -1);
    g_assert_cmpuint (run.record->n_state[DP_PAGE_DOUBTFUL], ==, 1);
    g_assert_cmpstr (first_problem (&run), ==, "1 region on which the model and the page's own text differ");
    run_clear (&run);
  }
}

/* A region that comes twice is printed once where the page's own text is used; else the second one is doubtful, as is a text in which
 * the model says everything twice. */
static void
test_said_twice (void)
{
  Run run = run_script ("samples/table-spans.pdf", "--images placeholder", with_layout (say_twice), FALSE);

  check_same ("samples/table-spans.md", run.out);
  g_assert_cmpuint (scripted_asked (run.scripted, 0, "text"), ==, 0);
  run_clear (&run);

  cJSON *script = load_script ("table-spans"), *text = cJSON_GetArrayItem (member (script, 0, "text"), 1);
  g_autofree char *twice = g_strconcat (text->valuestring, " ", text->valuestring, NULL);
  cJSON_SetValuestring (text, twice);
  run = run_script ("samples/table-spans.pdf", "--method ocr -t json", script, FALSE);
  g_assert_cmpfloat (agreement_of (run.out, "Valid from"), >, 0.6);
  g_assert_cmpfloat (agreement_of (run.out, "Valid from"), <, 0.7);
  g_assert_cmpuint (run.record->n_state[DP_PAGE_DOUBTFUL], ==, 1);
  run_clear (&run);

  script = with_layout (say_twice);
  cJSON_ReplaceItemInObject (
      cJSON_GetArrayItem (script, 0), "text",
      cJSON_Parse (
          "[\"Winter timetable of the island ferry\",\"Valid from 1 November to 31 March. The ferry does not sail when the wind is "
          "above force 8; ask the office in the morning.\",\"Valid from 1 November\",\"Bicycles travel free of charge. Dogs need a "
          "ticket for children.\"]"));
  run = run_script ("samples/table-spans.pdf", "--method ocr -t json", script, FALSE);
  g_assert_cmpfloat (agreement_of (run.out, "Valid from"), ==, 0); /* the last of the two */
  g_assert_cmpuint (run.record->n_state[DP_PAGE_DOUBTFUL], ==, 1);
  run_clear (&run);
}

/* One page without answers among three: the others are there, and the pages are in order. */
static void
test_bad_page (void)
{
  cJSON *script = load_script ("tables-long");
  cJSON_ReplaceItemInArray (script, 1, cJSON_CreateObject ());
  Run run = run_script ("samples/tables-long.pdf", "--method ocr --images placeholder", script, FALSE);

  g_assert_cmpuint (run.record->n_state[DP_PAGE_READ], ==, 2);
  g_assert_cmpuint (run.record->n_state[DP_PAGE_NEEDS_MODEL], ==, 1);
  g_assert_cmpint (run.record->code, ==, DP_EXIT_PARTLY);
  const char *first = strstr (run.out, "# Register of trees"), *bad = strstr (run.out, "page 2 needs a model"),
             *last = strstr (run.out, "Girth is measured one metre");
  g_assert_true (first && bad && last && first < bad && bad < last);
  run_clear (&run);
}

/* A scanned page goes to the model, the page before it keeps its text. */
static void
test_scan (void)
{
  cJSON *script = cJSON_Parse ("[{\"layout\":\"<|box_start|>100 050 900 950<|box_end|><|ref_start|>text<|ref_end|><|rotate_up|>\"},"
                               "{\"layout\":\"<|box_start|>100 100 900 150<|box_end|><|ref_start|>title<|ref_end|><|rotate_up|>\\n"
                               "<|box_start|>100 200 900 400<|box_end|><|ref_start|>text<|ref_end|><|rotate_up|><|txt_contd_tgt|>\","
                               "\"text\":[\"Receipt\",\"for one compass\"]}]");
  Run run = run_script ("samples/mixed-scan.pdf", "--images placeholder", script, FALSE);

  g_assert_nonnull (strstr (run.out, "The museum lent a compass"));
  g_assert_nonnull (strstr (run.out, "# Receipt\n\nfor one compass\n"));
  g_assert_cmpuint (scripted_asked (run.scripted, 0, "text"), ==, 0);
  g_assert_cmpuint (scripted_asked (run.scripted, 1, "text"), ==, 2);
  g_assert_cmpuint (run.record->n_state[DP_PAGE_READ], ==, 2);
  run_clear (&run);
}

/* --method text with a model is the layout from geometry. */
static void
test_method_text (void)
{
  Run run = run_script ("samples/two-columns.pdf", "--method text --images placeholder", load_script ("two-columns"), FALSE);

  check_same ("samples/two-columns.md", run.out);
  g_assert_cmpuint (run.scripted->log->len, ==, 0);
  run_clear (&run);
}

/* Text that a reader of the page would not see is not printed, wherever the model saw a region. */
static void
test_hidden (void)
{
  g_autofree char *pdf = g_build_filename (g_get_tmp_dir (), "docparse-model-hidden.pdf", NULL);
  g_autoptr (GBytes) bytes = tiny_pdf (
      "BT /F1 12 Tf 20 150 Td (Seen by everybody in this room) Tj ET BT 3 Tr /F1 12 Tf 20 120 Td (Not meant for your eyes) Tj ET", NULL);
  cJSON *script = cJSON_Parse ("[{\"layout\":\"<|box_start|>020 100 980 900<|box_end|><|ref_start|>text<|ref_end|><|rotate_up|>\"}]");
  g_assert_true (g_file_set_contents (pdf, g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes), NULL));
  Run run = run_script (pdf, "-t json", script, FALSE);
  cJSON *json = cJSON_Parse (run.out), *blocks = cJSON_GetObjectItem (json, "blocks");

  g_assert_cmpuint (scripted_asked (run.scripted, 0, "text"), ==, 1); /* the region is much larger than its words: the model is asked */
  g_assert_cmpint (cJSON_GetArraySize (blocks), ==, 2);
  g_assert_cmpstr (cJSON_GetObjectItem (json, "model")->valuestring, ==, "scripted");
  g_assert_cmpstr (cJSON_GetObjectItem (cJSON_GetArrayItem (blocks, 0), "text")->valuestring, ==, "Seen by everybody in this room");
  g_assert_cmpstr (cJSON_GetObjectItem (cJSON_GetArrayItem (blocks, 1), "kind")->valuestring, ==, "hidden");
  g_assert_cmpstr (cJSON_GetObjectItem (cJSON_GetArrayItem (blocks, 1), "text")->valuestring, ==, "Not meant for your eyes");
  cJSON_Delete (json);
  g_unlink (pdf);
  run_clear (&run);
}

/* Everything taken for furniture: the output is empty, and the page says why. */
static void
test_all_furniture (void)
{
  cJSON *script = cJSON_Parse (
      "[{\"layout\":\"<|box_start|>010 010 990 990<|box_end|><|ref_start|>header<|ref_end|><|rotate_up|>\",\"text\":[\"All of it\"]}]");
  Run run = run_script ("samples/letter.pdf", "--method ocr -p 1", script, FALSE);

  g_assert_cmpstr (run.out, ==, "");
  g_assert_cmpuint (run.record->n_state[DP_PAGE_READ], ==, 0);
  g_assert_nonnull (strstr (first_problem (&run), "headers and footers") ? first_problem (&run) : strstr (first_problem (&run), "differ"));
  run_clear (&run);
}

/* The model is asked about boundary rows and its answer is followed: the last row of page 2 takes the first of page 3. */
static void
test_table_merge (void)
{
  cJSON *script = load_script ("tables-long");
  cJSON_AddItemToObject (cJSON_GetArrayItem (script, 0), "merge", cJSON_Parse ("[\"[0,0,0,0]\",\"Result: [1, 1, 1, 1]\"]"));
  Run run = run_script ("samples/tables-long.pdf", "--method ocr --images placeholder", script, FALSE);
  g_autofree char *typed = NULL;
  guint rows = 0, typed_rows = 0;

  g_assert_cmpuint (scripted_asked (run.scripted, 0, "merge"), ==, 2);
  g_assert_true (g_file_get_contents ("samples/tables-long.md", &typed, NULL, NULL));
  for (const char *p = run.out; (p = strstr (p, "\n|")) != NULL; p++)
    rows++;
  for (const char *p = typed; (p = strstr (p, "\n|")) != NULL; p++)
    typed_rows++;
  g_assert_cmpuint (rows, ==, typed_rows - 1); /* zeros move nothing, ones a row */
  g_assert_nonnull (strstr (run.out, "| Maple Maple | Library Library | 16 15 | 39 36 |"));
  run_clear (&run);
}

/* What MinerU's readers know: types, chart members, code with its fence, references as a list. */
static void
test_content_list (void)
{
  cJSON *script
      = cJSON_Parse ("[{\"layout\":\"<|box_start|>100 100 900 300<|box_end|><|ref_start|>chart<|ref_end|><|rotate_up|>\\n"
                     "<|box_start|>100 310 900 330<|box_end|><|ref_start|>image_caption<|ref_end|><|rotate_up|>\\n"
                     "<|box_start|>100 400 900 500<|box_end|><|ref_start|>algorithm<|ref_end|><|rotate_up|>\\n"
                     "<|box_start|>100 510 900 600<|box_end|><|ref_start|>code<|ref_end|><|rotate_up|>\\n"
                     "<|box_start|>100 610 900 650<|box_end|><|ref_start|>ref_text<|ref_end|><|rotate_up|>\","
                     "\"image\":[\"<|class_start|>chart<|class_end|><|sub_class_start|>line<|sub_class_end|><|caption_start|>c<|caption_"
                     "end|><|content_start|>| a | b |\\n| --- | --- |\\n| 1 | 2 |<|content_end|>\"],"
                     "\"text\":[\"Figure 1\",\"1: for all \\\\(x\\\\)\\n2: end\",\"```python\\nprint(1)\\n```\",\"[1] Someone.\"]}]");
  Run run = run_script ("samples/letter.pdf", "--method ocr -t content-list -p 1 --images off", script, TRUE);
  cJSON *json = cJSON_Parse (run.out);
  const char *const types[] = { "chart", "code", "code", "list" };

  g_assert_cmpint (cJSON_GetArraySize (json), ==, 4);
  for (int i = 0; i < 4; i++)
    g_assert_cmpstr (cJSON_GetObjectItem (cJSON_GetArrayItem (json, i), "type")->valuestring, ==, types[i]);
  const cJSON *chart = cJSON_GetArrayItem (json, 0), *algorithm = cJSON_GetArrayItem (json, 1), *code = cJSON_GetArrayItem (json, 2),
              *list = cJSON_GetArrayItem (json, 3);
  g_assert_cmpstr (cJSON_GetObjectItem (chart, "sub_type")->valuestring, ==, "line");
  g_assert_cmpstr (cJSON_GetObjectItem (chart, "content")->valuestring, ==, "| a | b |\n| --- | --- |\n| 1 | 2 |");
  g_assert_cmpstr (cJSON_GetArrayItem (cJSON_GetObjectItem (chart, "chart_caption"), 0)->valuestring, ==, "Figure 1");
  g_assert_cmpstr (cJSON_GetObjectItem (algorithm, "sub_type")->valuestring, ==, "algorithm");
  g_assert_cmpstr (cJSON_GetObjectItem (code, "code_body")->valuestring, ==, "```python\nprint(1)\n```");
  g_assert_cmpstr (cJSON_GetObjectItem (list, "sub_type")->valuestring, ==, "ref_text");
  cJSON_Delete (json);
  run_clear (&run);
}

/* Documents of one page each, one process to read them: all of them are with the model at the same time. */
static void
test_documents_together (void)
{
  enum { N = DP_MODEL_PLACES };
  Scripted *scripted = scripted_new (cJSON_Parse ("[{\"layout\":\"\"}]"));
  g_autofree char *dir = g_dir_make_tmp ("docparse-model-XXXXXX", NULL),
                  *line = g_strdup_printf ("docparse samples/table-spans.pdf -o %s/", dir);
  g_auto (GStrv) argv = g_strsplit (line, " ", -1);
  g_autoptr (GError) error = NULL;
  g_autoptr (DpOptions) o = dp_options_parse (argv, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) inputs = dp_inputs_collect (o->inputs, 1);
  g_autoptr (DpModelPlaces) places = dp_model_places_new (N);
  const DpModelFlowOptions model = { .answerer = &scripted->answerer, .places = places };
  DpTarget targets[N] = { { .files = { NULL } } };
  Job jobs[N];
  const gint stop = 0;

  DpCrew *crew = dp_crew_new (1);
  scripted->gate = N;
  for (guint i = 0; i < N; i++) {
    targets[i].files[DP_FORMAT_MARKDOWN] = g_strdup_printf ("%s/%u.md", dir, i);
    jobs[i] = (Job){ .setup = { .options = o, .crew = crew, .model = &model, .stop = &stop },
                     .input = g_ptr_array_index (inputs, 0),
                     .target = &targets[i] };
    dp_crew_add (crew, convert_task, &jobs[i]);
  }
  dp_crew_free (crew);
  g_assert_cmpuint (dp_model_places_most (places), ==, N);
  for (guint i = 0; i < N; i++) {
    g_autofree char *text = NULL;
    g_assert_true (g_file_get_contents (targets[i].files[DP_FORMAT_MARKDOWN], &text, NULL, NULL));
    g_assert_nonnull (strstr (text, "Winter timetable"));
    g_assert_cmpint (jobs[i].record->code, ==, DP_EXIT_OK);
    dp_record_free (jobs[i].record);
    g_unlink (targets[i].files[DP_FORMAT_MARKDOWN]);
    g_free (targets[i].files[DP_FORMAT_MARKDOWN]);
  }
  g_rmdir (dir);
  scripted_free (scripted);
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
  g_test_add_func ("/model/no-regions", test_no_regions);
  g_test_add_func ("/model/no-answers", test_no_answers);
  g_test_add_func ("/model/forgotten-region", test_forgotten_region);
  g_test_add_func ("/model/forgotten-item", test_forgotten_item);
  g_test_add_func ("/model/invented-table", test_invented_table);
  g_test_add_func ("/model/lost-words", test_lost_words);
  g_test_add_func ("/model/left-out", test_left_out);
  g_test_add_func ("/model/invented", test_invented);
  g_test_add_func ("/model/said-twice", test_said_twice);
  g_test_add_func ("/model/bad-page", test_bad_page);
  g_test_add_func ("/model/scan", test_scan);
  g_test_add_func ("/model/method-text", test_method_text);
  g_test_add_func ("/model/hidden", test_hidden);
  g_test_add_func ("/model/all-furniture", test_all_furniture);
  g_test_add_func ("/model/documents-together", test_documents_together);
  g_test_add_func ("/model/table-merge", test_table_merge);
  g_test_add_func ("/model/content-list", test_content_list);
  const int code = g_test_run ();
  dp_pdf_shutdown ();
  return code;
}
