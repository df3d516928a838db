/* The engine over a real decoder and vision encoder with tiny random weights: a question has the same answer alone, in any
 * batch, with any chunk and page size, pushed out and brought back, eager and from graphs, on cpu and on the reference. */
#include "tests/vlm/random_model.h"
#include "vlm/engine.h"

#include <glib/gstdio.h>
#include <unistd.h>

enum { QUESTIONS = 24 };

static char *folder;

static cairo_surface_t *
picture (guint seed, int width, int height)
{
  cairo_surface_t *s = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  const int stride = cairo_image_surface_get_stride (s) / 4;
  guint32 *pixels = (guint32 *) (gpointer) cairo_image_surface_get_data (s), state = seed;

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      state = state * 1664525u + 1013904223u;
      pixels[y * stride + x] = state >> 8;
    }
  cairo_surface_mark_dirty (s);
  return s;
}

/* Question i: with and without picture, greedy, with MinerU's penalties, drawn. */
static gpointer
ask (DpAnswerer *a, guint i)
{
  g_autofree char *prompt = g_strdup_printf ("\n%c question %u:%*s", 'A' + i % 26, i, (int) (i * 37 % 90), "?");
  cairo_surface_t *image = i % 3 ? picture (i, 8 + (int) (i * 5 % 40), 8 + (int) (i * 11 % 50)) : NULL;
  DpRequest r = { .prompt = prompt, .image = image, .sampling = DP_SAMPLING_GREEDY, .max_tokens = 30 + i * 7 % 40 };

  if (i % 4 == 1)
    r.sampling.presence = 1, r.sampling.frequency = 0.05f, r.sampling.no_repeat_ngram = 5;
  if (i % 4 == 2)
    r.sampling.temperature = 0.8f, r.sampling.top_p = 0.9f, r.sampling.seed = i;
  if (i % 4 == 3)
    r.sampling.repetition = 1.3f;
  gpointer ticket = dp_ask (a, &r);
  g_clear_pointer (&image, cairo_surface_destroy);
  // cppcheck-suppress returnDanglingLifetime ; a ticket holds nothing of the request
  return ticket;
}

/* Questions first .. first + n - 1, all at once. */
static void
answer_all (DpModel *model, const DpEngineOptions *o, guint n, DpAnswer **answers, DpEngineStats *stats)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (DpEngine) e = dp_engine_new (model, o, &error);
  gpointer tickets[QUESTIONS];

  g_assert_no_error (error);
  DpAnswerer *a = dp_engine_answerer (e);
  for (guint i = 0; i < n; i++)
    tickets[i] = ask (a, i);
  for (guint i = 0; i < n; i++) {
    answers[i] = dp_wait (a, tickets[i]);
    g_assert_no_error (answers[i]->error);
  }
  dp_engine_stats (e, stats);
}

static DpModel *
load (const DpModelLoad *o)
{
  g_autoptr (GError) error = NULL;
  DpModel *m = dp_model_load (folder, o, &error);

  g_assert_no_error (error);
  return m;
}

static void
check_same (DpAnswer *const *a, DpAnswer *const *b, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_assert_cmpint (a[i]->finish, ==, b[i]->finish);
    g_assert_cmpmem (a[i]->tokens->data, a[i]->tokens->len * 4, b[i]->tokens->data, b[i]->tokens->len * 4);
    g_assert_cmpstr (a[i]->text, ==, b[i]->text);
    /* a last bit may differ where another row of the call was penalised (vlm/decoder.h) */
    g_assert_cmpfloat_with_epsilon (a[i]->confidence, b[i]->confidence, 1e-5);
    g_assert_cmpfloat_with_epsilon (a[i]->min_logprob, b[i]->min_logprob, 1e-4);
  }
}

static void
free_all (DpAnswer **answers, guint n)
{
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&answers[i], dp_answer_free);
}

static void
check_lively (DpAnswer *const *answers, guint n)
{
  guint distinct = 0;

  for (guint i = 0; i < n; i++) {
    gboolean seen[512] = { FALSE };
    g_assert_cmpuint (answers[i]->tokens->len, >, 0);
    g_assert_true (answers[i]->confidence > 0 && answers[i]->confidence < 1 && answers[i]->min_logprob < 0);
    g_assert_true (g_utf8_validate (answers[i]->text, -1, NULL));
    for (guint k = 0; k < answers[i]->tokens->len; k++) {
      const guint32 id = g_array_index (answers[i]->tokens, guint32, k);
      distinct += !seen[id];
      seen[id] = TRUE;
    }
  }
  g_assert_cmpuint (distinct, >, 5 * n); /* or equal answers would say little */
}

typedef struct {
  const char *device;
  gboolean eager, strict;
  guint threads;
  DpType weights, kv;
  DpType activations;
  guint n, tight; /* questions; pages of 4 that are too few for all of them at once */
} Way;

static void
answers_alone (const Way *w, DpAnswer **answers)
{
  g_autoptr (DpModel) m = load (&(DpModelLoad){
      .device = w->device, .eager = TRUE, .weights = w->weights, .activations = w->activations, .cache_dir = "", .threads = 1 });
  DpEngineStats stats;

  answer_all (m, &(DpEngineOptions){ .max_batch = 1, .kv_type = w->kv }, w->n, answers, &stats);
  g_assert_cmpuint (stats.most_running, ==, 1);
  check_lively (answers, w->n);
}

static void
test_same (gconstpointer data)
{
  static const struct {
    DpEngineOptions o;
    gboolean tight;
  } cases[] = {
    { { .max_batch = 32 }, FALSE },
    { { .max_batch = 5, .prefill_chunk = 16, .page_size = 8 }, FALSE },
    { { .max_batch = 16, .prefill_chunk = 37, .page_size = 4, .max_len = 512 }, TRUE },
  };
  const Way *w = data;
  DpAnswer *alone[QUESTIONS] = { NULL }, *answers[QUESTIONS] = { NULL };
  DpEngineStats stats;

  answers_alone (w, alone);
  g_autoptr (DpModel) m = load (&(DpModelLoad){ .device = w->device,
                                                .eager = w->eager,
                                                .weights = w->weights,
                                                .activations = w->activations,
                                                .strict_memory = w->strict,
                                                .threads = w->threads,
                                                .cache_dir = "" });
  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    DpEngineOptions o = cases[c].o;
    o.kv_type = w->kv;
    o.kv_pages = cases[c].tight ? 1 + w->tight : 0;
    answer_all (m, &o, w->n, answers, &stats);
    check_same (answers, alone, w->n);
    free_all (answers, w->n);
    g_assert_cmpuint (stats.requests, ==, w->n);
    g_assert_true ((stats.preemptions > 0) == cases[c].tight);
    g_assert_cmpuint (stats.prefix_hits, >, 9 * w->n / 2);
  }
  free_all (alone, w->n);
}

/* The reference is the definition: in f32 the fast back end says the same, token for token. */
static void
test_devices (void)
{
  static const Way cpu = { .device = "cpu", .weights = DP_F32, .n = QUESTIONS },
                   reference = { .device = "reference", .weights = DP_F32, .n = QUESTIONS };
  DpAnswer *a[QUESTIONS] = { NULL }, *b[QUESTIONS] = { NULL };

  answers_alone (&cpu, a);
  answers_alone (&reference, b);
  check_same (a, b, QUESTIONS);
  free_all (a, QUESTIONS);
  free_all (b, QUESTIONS);
}

static gsize
resident (void)
{
  g_autofree char *text = NULL;
  gsize pages = 0;

  g_assert_true (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  g_assert_cmpint (sscanf (text, "%*s %zu", &pages), ==, 1);
  return pages * (gsize) sysconf (_SC_PAGESIZE);
}

/* Pictures of ever other sizes, graphs, batches, pages that run short: after the first hundreds nothing grows any more. */
static void
test_flat_memory (void)
{
  g_autoptr (DpModel) m = load (&(DpModelLoad){ .weights = DP_BF16, .threads = 1, .cache_dir = "" });
  g_autoptr (GError) error = NULL;
  g_autoptr (DpEngine) e = dp_engine_new (m, &(DpEngineOptions){ .max_batch = 8, .page_size = 4, .kv_pages = 1 + 100 }, &error);
  DpAnswerer *a = dp_engine_answerer (e);
  gsize before = 0;

  g_assert_no_error (error);
  for (guint i = 0; i < 600; i += 8) {
    gpointer tickets[8];
    for (guint k = 0; k < 8; k++)
      tickets[k] = ask (a, i + k);
    for (guint k = 0; k < 8; k++)
      dp_answer_free (dp_wait (a, tickets[k]));
    if (i == 296)
      before = resident ();
  }
#ifndef __SANITIZE_ADDRESS__ /* it keeps what is freed */
  g_assert_cmpuint (resident (), <, before + (1 << 20));
#endif
}

static void
remove_folder (void)
{
  static const char *const files[] = { "config.json", "preprocessor_config.json", "tokenizer.json", "model.safetensors" };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *path = g_build_filename (folder, files[i], NULL);
    g_unlink (path);
  }
  g_rmdir (folder);
  g_free (folder);
}

int
main (int argc, char **argv)
{
  static const Way ways[] = {
    { "cpu", FALSE, FALSE, 2, DP_F32, DP_F32, DP_F32, QUESTIONS, 100 },
    { "cpu", TRUE, FALSE, 1, DP_F32, DP_F32, DP_F32, QUESTIONS, 100 },
    { "cpu", FALSE, FALSE, 2, DP_BF16, DP_BF16, DP_F32, QUESTIONS, 100 },
    { "cpu", FALSE, FALSE, 1, DP_BF16, DP_I8, DP_BF16, QUESTIONS, 100 },
    { "cpu", FALSE, FALSE, 2, DP_I8, DP_F32, DP_F32, QUESTIONS, 100 },
    { "reference", FALSE, TRUE, 1, DP_F32, DP_F32, DP_F32, 4, 60 },
    { "reference", TRUE, FALSE, 1, DP_BF16, DP_BF16, DP_F32, 4, 60 },
  };
  static const char *const names[]
      = { "cpu-f32-graph",       "cpu-f32-eager", "cpu-bf16-graph", "cpu-bf16-i8-cache", "cpu-i8-graph", "reference-f32-graph-strict",
          "reference-bf16-eager" };
  g_autoptr (GError) error = NULL;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("docparse-engine-XXXXXX", &error);
  g_assert_no_error (error);
  g_assert_true (random_model_write (&RANDOM_MODEL_TINY, folder, &error));
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    g_autofree char *path = g_strdup_printf ("/engine-model/%s", names[i]);
    g_test_add_data_func (path, &ways[i], test_same);
  }
  g_test_add_func ("/engine-model/devices", test_devices);
  g_test_add_func ("/engine-model/flat-memory", test_flat_memory);
  const int rc = g_test_run ();
  remove_folder ();
  return rc;
}
