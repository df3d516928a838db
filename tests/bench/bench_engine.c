/* tests/bench/bench_engine.c - what the engine makes of a model: tokens a second by batch, hits of the common prefix, a whole page.
 *
 *   bench_engine [DIR [bf16|int8|int4|f32 [THREADS [batches|page|pages]]]]
 *
 * pages takes a quarter of an hour with a real model, and comes with one only if it is asked for.
 * DIR is a model folder (or MODEL in the environment); without one a tiny model with random weights stands in, whose figures say
 * what the engine itself costs.  tests/tools/random_model writes a folder of MinerU2.5's size.
 *
 * A rate is taken from two runs of different length, so that prompts count out.  With one thread it is of processor time, so that
 * a neighbour on the machine costs no more than the caches it empties; the time on the wall stands beside it.
 */
#include "tests/bench/measure.h"
#include "tests/vlm/random_model.h"
#include "vlm/engine.h"

#include <glib/gstdio.h>
#include <sys/resource.h>

static DpSampling
mineru_sampling (void)
{
  DpSampling s = DP_SAMPLING_GREEDY;

  s.presence = 1, s.frequency = 0.05f, s.no_repeat_ngram = 100;
  return s;
}

static double
process_seconds (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static gpointer
ask (DpAnswerer *a, guint i, cairo_surface_t *image, guint32 max_tokens, const DpSampling *sampling)
{
  g_autofree char *prompt = g_strdup_printf ("\nText Recognition: %u", i);

  return dp_ask (a, &(DpRequest){ .prompt = prompt, .image = image, .max_tokens = max_tokens, .sampling = *sampling });
}

static guint
answer (DpAnswerer *a, gpointer ticket)
{
  g_autoptr (DpAnswer) answer = dp_wait (a, ticket);

  if (answer->error)
    die (g_steal_pointer (&answer->error));
  return answer->tokens->len;
}

typedef struct {
  double cpu, wall;
  guint tokens;
} Run;

static Run
run (DpEngine *e, guint batch, guint32 max_tokens, const DpSampling *sampling)
{
  DpAnswerer *a = dp_engine_answerer (e);
  gpointer tickets[64];
  Run r = { process_seconds (), seconds (FALSE), 0 };

  for (guint i = 0; i < batch; i++)
    tickets[i] = ask (a, i, NULL, max_tokens, sampling);
  for (guint i = 0; i < batch; i++)
    r.tokens += answer (a, tickets[i]);
  r.cpu = process_seconds () - r.cpu, r.wall = seconds (FALSE) - r.wall;
  return r;
}

/* Tokens a second of processor and of wall time; short runs are repeated. */
static void
rate (DpEngine *e, guint batch, guint32 length, const DpSampling *sampling, double *cpu, double *wall)
{
  Run sum = { 0 };

  do {
    const Run shorter = run (e, batch, length / 8, sampling), longer = run (e, batch, length, sampling);
    sum.tokens += longer.tokens - shorter.tokens;
    sum.cpu += longer.cpu - shorter.cpu;
    sum.wall += longer.wall - shorter.wall;
  } while (sum.cpu < 0.05);
  *cpu = sum.tokens / sum.cpu;
  *wall = sum.tokens / MAX (sum.wall, 1e-9);
}

/* budget 0: the engine's own choice. */
static DpEngine *
engine_new (DpModel *m, guint32 max_batch, guint64 budget)
{
  GError *error = NULL;
  DpEngine *e = dp_engine_new (m, &(DpEngineOptions){ .max_batch = max_batch, .kv_type = DP_BF16, .memory_budget = budget }, &error);

  if (!e)
    die (error);
  return e;
}

static void
batches (DpModel *m, guint32 length, guint threads)
{
  static const guint sizes[] = { 1, 4, 16, 32 };
  const DpSampling kinds[2] = { DP_SAMPLING_GREEDY, mineru_sampling () };
  g_autoptr (DpEngine) e = engine_new (m, 32, 0);
  DpEngineStats stats;
  double first[2] = { 0 };

  printf ("%-6s %34s   %34s\n", "batch", "greedy: tok/s, wall, to batch 1", "with penalties: tok/s, wall, to 1");
  for (guint k = 0; k < 2; k++) /* graphs are captured, memory is touched */
    run (e, 32, 4, &kinds[k]);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    printf ("%-6u", sizes[i]);
    for (guint k = 0; k < 2; k++) {
      double cpu, wall;
      rate (e, sizes[i], length, &kinds[k], &cpu, &wall);
      const double value = threads == 1 ? cpu : wall;
      first[k] = i ? first[k] : value;
      printf (" %14.1f %10.1f %8.2f%s", value, wall, value / first[k], k ? "\n" : "  ");
    }
    fflush (stdout);
  }
  dp_engine_stats (e, &stats);
  printf ("prefix  %.1f of %.1f rows of a prompt were found in the cache\n", (double) stats.prefix_hits / (double) stats.requests,
          (double) stats.prompt_tokens / (double) stats.requests);
  printf ("cache   %.0f MB at most\n", (double) stats.kv_bytes / 1e6);
}

static cairo_surface_t *
noise (int width, int height)
{
  cairo_surface_t *s = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  guint32 *pixels = (guint32 *) (gpointer) cairo_image_surface_get_data (s), state = 1;

  for (int i = 0; i < height * cairo_image_surface_get_stride (s) / 4; i++)
    pixels[i] = (state = state * 1664525u + 1013904223u) >> 8;
  cairo_surface_mark_dirty (s);
  return s;
}

/* ---- pages -------------------------------------------------------------------------------------------------- */

/* The regions of a page as MinerU2.5 reads it: with its layout 1,100 tokens in all. */
static const struct {
  int width, height;
  guint32 tokens;
} regions[12] = { { 1000, 84, 30 },  { 700, 240, 90 }, { 700, 300, 110 }, { 700, 168, 60 },  { 700, 280, 100 }, { 700, 90, 30 },
                  { 700, 320, 120 }, { 900, 56, 20 },  { 700, 200, 70 },  { 560, 336, 100 }, { 400, 56, 20 },   { 700, 130, 50 } };

enum { LAYOUT_TOKENS = 300 };

/* Whether the model is far too small for pictures of this size: then they are made smaller, and the figures say what the engine costs. */
static guint
shrink (const DpModel *m)
{
  return dp_model_config (m)->text.max_positions < 8192 ? 16 : 1;
}

/* Layout, then regions; returns the tokens of all answers. */
static guint
read_page (DpAnswerer *a, guint smaller)
{
  const DpSampling greedy = DP_SAMPLING_GREEDY, penalised = mineru_sampling ();
  gpointer tickets[G_N_ELEMENTS (regions)];
  cairo_surface_t *whole = noise (1036 / (int) smaller, 1036 / (int) smaller);
  guint tokens = answer (a, ask (a, 99, whole, LAYOUT_TOKENS, &greedy));

  cairo_surface_destroy (whole);
  for (guint i = 0; i < G_N_ELEMENTS (regions); i++) {
    cairo_surface_t *crop = noise (MAX (regions[i].width / (int) smaller, 28), MAX (regions[i].height / (int) smaller, 28));
    tickets[i] = ask (a, i, crop, regions[i].tokens, &penalised);
    cairo_surface_destroy (crop);
  }
  for (guint i = 0; i < G_N_ELEMENTS (regions); i++)
    tokens += answer (a, tickets[i]);
  return tokens;
}

/* One page; with 1 GiB beside the weights. */
static void
page (DpModel *m)
{
  g_autoptr (DpEngine) e = engine_new (m, 16, (guint64) 1 << 30);
  const double cpu = process_seconds (), wall = seconds (FALSE);
  const guint tokens = read_page (dp_engine_answerer (e), 1);
  DpEngineStats s;
  struct rusage usage;

  dp_engine_stats (e, &s);
  printf ("page    %.1f s on the wall, %.1f s of processor: vision %.1f s (%" G_GUINT64_FORMAT
          " patches), prefill %.1f s (%" G_GUINT64_FORMAT " rows), decode %.1f s (%u tokens, %.1f a step)\n",
          seconds (FALSE) - wall, process_seconds () - cpu, (double) s.vision_us / 1e6, s.patches, (double) s.prefill_us / 1e6,
          s.prefilled_tokens, (double) s.decode_us / 1e6, tokens, (double) s.step_rows / (double) MAX (s.steps, 1));
  getrusage (RUSAGE_SELF, &usage);
  printf ("memory  %.2f GB at most, loading included; weights %.2f GB\n", (double) usage.ru_maxrss * 1024 / 1e9,
          (double) dp_model_weight_bytes (m) / 1e9);
}

enum { DOCUMENTS = 8 };

typedef struct {
  DpAnswerer *answerer;
  guint smaller;
  gint next; /* atomic: documents begun */
} Batch;

static gpointer
read_documents (gpointer data)
{
  Batch *b = data;

  while (g_atomic_int_add (&b->next, 1) < DOCUMENTS)
    read_page (b->answerer, b->smaller);
  return NULL;
}

/* Eight documents of one page with so many of them on their way at a time. */
static void
documents (DpModel *m, guint together)
{
  g_autoptr (DpEngine) e = engine_new (m, 32, (guint64) 1 << 30);
  Batch b = { .answerer = dp_engine_answerer (e), .smaller = shrink (m) };
  GThread *threads[DOCUMENTS];
  const double cpu = process_seconds (), wall = seconds (FALSE);
  DpEngineStats s;

  for (guint i = 0; i < together; i++)
    threads[i] = g_thread_new ("document", read_documents, &b);
  for (guint i = 0; i < together; i++)
    g_thread_join (threads[i]);
  const double took = seconds (FALSE) - wall;
  dp_engine_stats (e, &s);
  printf ("pages   %u at a time: %.1f a minute, %.1f s of processor each; decode %.1f s, %.1f tokens a step\n", together,
          DOCUMENTS * 60 / took, (process_seconds () - cpu) / DOCUMENTS, (double) s.decode_us / 1e6,
          (double) s.step_rows / (double) MAX (s.steps, 1));
  fflush (stdout);
}

static DpType
weights_of (const char *name)
{
  return !name || g_str_equal (name, "bf16") ? DP_BF16 : g_str_equal (name, "int8") ? DP_I8 : g_str_equal (name, "int4") ? DP_I4 : DP_F32;
}

/* The tiny model in a folder of its own, which is read and gone. */
static DpModel *
tiny_model (const DpModelLoad *o, GError **error)
{
  static const char *const files[] = { "config.json", "preprocessor_config.json", "tokenizer.json", "model.safetensors" };
  g_autofree char *dir = g_dir_make_tmp ("docparse-bench-XXXXXX", error);
  DpModel *m = dir && random_model_write (&RANDOM_MODEL_TINY, dir, error) ? dp_model_load (dir, o, error) : NULL;

  for (guint i = 0; dir && i < G_N_ELEMENTS (files); i++) {
    g_autofree char *path = g_build_filename (dir, files[i], NULL);
    g_unlink (path);
  }
  if (dir)
    g_rmdir (dir);
  return m;
}

int
main (int argc, char **argv)
{
  const char *dir = argc > 1 ? argv[1] : g_getenv ("MODEL");
  const guint threads = argc > 3 ? (guint) g_ascii_strtoull (argv[3], NULL, 10) : 1;
  const gboolean real = dir && *dir;
  DpModelLoad o = { .weights = weights_of (argc > 2 ? argv[2] : NULL), .threads = threads, .cache_dir = real ? NULL : "" };
  GError *error = NULL;
  const double begin = seconds (FALSE);
  g_autoptr (DpModel) m = real ? dp_model_load (dir, &o, &error) : tiny_model (&o, &error);

  if (!m)
    die (error);
  printf ("%s, weights %s, %u thread%s: loaded in %.1f s\n", real ? dir : "tiny random model", argc > 2 ? argv[2] : "bf16", threads,
          threads == 1 ? "" : "s", seconds (FALSE) - begin);
  if (argc < 5 || g_str_equal (argv[4], "batches"))
    batches (m, real ? 48 : 256, threads);
  if (real && (argc < 5 || g_str_equal (argv[4], "page")))
    page (m);
  if (argc < 5 ? !real : g_str_equal (argv[4], "pages"))
    for (guint together = 1; together <= DOCUMENTS; together *= together == 1 ? 2 : 4)
      documents (m, together);
  return 0;
}
