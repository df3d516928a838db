/* tests/bench/bench_model.c - a model of real size without the engine: loading, memory, vision encoder, prefill, decoding.
 *
 *   MODEL=DIR bench_model [PART [bf16|int8|int4|f32]]     parts: load vision prefill decode; none: all, for bf16 and int8
 *
 * DIR is a model folder (tests/tools/random_model writes one of MinerU2.5's size).  Every part runs in a process of its own, so
 * that its memory counts; loading is measured cold (nothing packed before) and warm, with the files in the page cache.  One thread
 * is timed in processor time, so that a neighbour on the machine costs the caches it empties and no more; two threads on the wall
 * and, in brackets, in processor time of both.
 */
#include "tests/bench/measure.h"
#include "vlm/decoder.h"
#include "vlm/vision.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <math.h>
#include <sys/resource.h>

enum { PAGE = 32, LONGEST = 4096, CHUNK = 512, MOST = 16 };

static DpType
weights_of (const char *name)
{
  return g_str_equal (name, "int8") ? DP_I8 : g_str_equal (name, "int4") ? DP_I4 : g_str_equal (name, "f32") ? DP_F32 : DP_BF16;
}

static double
process_seconds (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static double
peak_gib (void)
{
  struct rusage r;

  getrusage (RUSAGE_SELF, &r);
  return (double) r.ru_maxrss / (1 << 20);
}

/* Packed weights of the bench lie beside the model. */
static char *
cache_dir (const char *dir)
{
  return g_build_filename (dir, "packed", NULL);
}

static DpModel *
load (const char *dir, const char *weights, guint threads, gboolean eager)
{
  g_autofree char *cache = cache_dir (dir);
  GError *error = NULL;
  DpModel *m = dp_model_load (
      dir, &(DpModelLoad){ .threads = threads, .eager = eager, .weights = weights_of (weights), .cache_dir = cache }, &error);

  if (!m)
    die (error);
  return m;
}

/* ---- time ---------------------------------------------------------------------------------------------------------- */

typedef struct {
  double wall, cpu;
} Clock;

static Clock
clock_now (void)
{
  return (Clock){ seconds (FALSE), process_seconds () };
}

static Clock
clock_since (Clock start)
{
  return (Clock){ seconds (FALSE) - start.wall, process_seconds () - start.cpu };
}

static double
of_threads (Clock c, guint threads)
{
  return threads == 1 ? c.cpu : c.wall;
}

/* ---- parts --------------------------------------------------------------------------------------------------------- */

static void
part_load (const char *dir, const char *weights)
{
  const Clock start = clock_now ();
  g_autoptr (DpModel) m = load (dir, weights, 0, FALSE);
  const Clock time = clock_since (start);

  printf ("%.2f s (%.2f s of processor), weights %.2f GiB, peak memory %.2f GiB\n", time.wall, time.cpu,
          (double) dp_model_weight_bytes (m) / (1 << 30), peak_gib ());
}

static DpPatches
noise (guint32 rows, guint32 cols)
{
  DpPatches p = { .n = rows * cols, .dim = 1176, .grid = { 1, rows, cols } };

  p.data = g_new (float, (gsize) p.n *p.dim);
  for (gsize i = 0; i < (gsize) p.n * p.dim; i++)
    p.data[i] = (float) ((guint32) (i * 2654435761u) >> 16) / 32768 - 1;
  return p;
}

/* Median seconds of a picture, the first time (eager) left out. */
static Clock
vision_time (DpModel *m, guint32 rows, guint32 cols, guint times)
{
  g_autoptr (DpStream) s = dp_stream_new (dp_model_backend (m), NULL);
  DpPatches patches = noise (rows, cols);
  double wall[16], cpu[16];
  GError *error = NULL;

  for (guint i = 0; i <= times; i++) {
    const gsize mark = dp_stream_mark (s);
    const DpTensor out = dp_stream_temp (s, dp_model_activations (m), dp_vision_rows (m, patches.grid), dp_model_config (m)->text.hidden);
    const Clock start = clock_now ();
    dp_vision_encode (m, s, &patches, out);
    if (!dp_stream_sync (s, &error))
      die (error);
    const Clock time = clock_since (start);
    dp_stream_release (s, mark);
    if (i)
      wall[i - 1] = time.wall, cpu[i - 1] = time.cpu;
  }
  dp_patches_clear (&patches);
  return (Clock){ median (wall, times), median (cpu, times) };
}

static void
part_vision (const char *dir, const char *weights)
{
  static const struct {
    guint32 side, threads;
    double aim;
  } cases[] = { { 32, 1, 3.5 }, { 74, 2, 16 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int eager = 0; eager < 2; eager++) {
      g_autoptr (DpModel) m = load (dir, weights, cases[i].threads, eager);
      const Clock t = vision_time (m, cases[i].side, cases[i].side, i ? 2 : 3);
      printf ("  %4u x %-4u %u thread%s %-5s  %6.2f s (%.2f s of processor; aim %.1f)   peak memory %.2f GiB\n", cases[i].side * 14,
              cases[i].side * 14, cases[i].threads, cases[i].threads == 1 ? " " : "s", eager ? "eager" : "graph",
              of_threads (t, cases[i].threads), t.cpu, cases[i].aim, peak_gib ());
      fflush (stdout);
    }
}

typedef struct {
  DpModel *model;
  DpDecoder *decoder;
  guint32 each; /* pages of a sequence */
  guint32 *pages;
} Decoding;

static void
decoding_open (Decoding *d, const char *dir, const char *weights, guint threads, gboolean eager)
{
  GError *error = NULL;
  const guint32 each = LONGEST / PAGE;

  d->model = load (dir, weights, threads, eager);
  d->each = each;
  d->decoder = dp_decoder_new (
      d->model,
      &(DpDecoderOptions){
          .page_size = PAGE, .n_pages = 1 + MOST * each, .kv_type = DP_BF16, .max_batch = MOST, .max_rows = CHUNK, .max_len = LONGEST },
      &error);
  if (!d->decoder)
    die (error);
  d->pages = g_new (guint32, MOST * each);
  for (guint32 i = 0; i < MOST * each; i++)
    d->pages[i] = 1 + i;
}

static void
decoding_close (Decoding *d)
{
  g_free (d->pages);
  dp_decoder_free (d->decoder);
  dp_model_free (d->model);
}

/* A prompt of n tokens in chunks, into the pages of sequence b. */
static void
prefill (Decoding *d, guint b, guint32 n)
{
  static gint32 tokens[LONGEST], positions[LONGEST][3];
  DpStream *s = dp_decoder_stream (d->decoder);
  GError *error = NULL;

  for (guint32 i = 0; i < n; i++) {
    tokens[i] = (gint32) (i * 7919 + b * 31) % 150000;
    positions[i][0] = positions[i][1] = positions[i][2] = (gint32) i;
  }
  for (guint32 at = 0; at < n; at += CHUNK) {
    const guint32 rows = MIN (CHUNK, n - at);
    const gsize mark = dp_stream_mark (s);
    const DpDecoderPart part
        = { .n = rows, .kv_len = at + rows, .tokens = tokens + at, .positions = positions[at], .pages = d->pages + b * d->each };
    dp_decoder_prefill (d->decoder, &part, 1,
                        dp_stream_temp (s, dp_model_activations (d->model), 1, dp_model_config (d->model)->text.hidden));
    if (!dp_stream_sync (s, &error))
      die (error);
    dp_stream_release (s, mark);
  }
}

static void
part_prefill (const char *dir, const char *weights)
{
  for (guint threads = 1; threads <= 2; threads++) {
    Decoding d;
    decoding_open (&d, dir, weights, threads, FALSE);
    double rate[3];
    prefill (&d, 0, CHUNK);
    for (guint i = 0; i < G_N_ELEMENTS (rate); i++) {
      const Clock start = clock_now ();
      prefill (&d, 0, 1400);
      rate[i] = 1400 / of_threads (clock_since (start), threads);
    }
    printf ("  %u thread%s  1,400 tokens in chunks of %d: %.0f tok/s\n", threads, threads == 1 ? " " : "s", CHUNK,
            median (rate, G_N_ELEMENTS (rate)));
    fflush (stdout);
    decoding_close (&d);
  }
}

/* Tokens a second of `steps` steps of a batch that begins at a length of 600; penalised as MinerU does it, or not at all. */
static double
decode_rate (Decoding *d, guint batch, guint steps, gboolean penalised, guint threads)
{
  DpDecoderPart parts[MOST];
  DpChoice choices[MOST];
  DpChosen chosen[MOST];
  gint32 tokens[MOST], positions[MOST][3];
  GError *error = NULL;
  const Clock start = clock_now ();

  for (guint step = 0; step < steps; step++) {
    for (guint b = 0; b < batch; b++) {
      const guint32 len = 600 + step + 1;
      tokens[b] = step ? chosen[b].id : 17;
      positions[b][0] = positions[b][1] = positions[b][2] = (gint32) len - 1;
      parts[b] = (DpDecoderPart){ .n = 1, .kv_len = len, .tokens = &tokens[b], .positions = positions[b], .pages = d->pages + b * d->each };
      choices[b] = (DpChoice){ .top_p = 1, .repetition = 1, .n_prompt = 400 };
      if (penalised)
        choices[b].presence = 1, choices[b].frequency = 0.05f, choices[b].ngram = 100;
    }
    if (!dp_decoder_step (d->decoder, parts, choices, batch, chosen, &error))
      die (error);
  }
  return batch * steps / of_threads (clock_since (start), threads);
}

static void
decode_line (const char *dir, const char *weights, guint threads, gboolean eager)
{
  static const guint batches[] = { 1, 16 };
  Decoding d;

  decoding_open (&d, dir, weights, threads, eager);
  for (guint b = 0; b < MOST; b++)
    prefill (&d, b, 600);
  printf ("  %u thread%s %-5s", threads, threads == 1 ? " " : "s", eager ? "eager" : "graph");
  for (guint i = 0; i < G_N_ELEMENTS (batches); i++)
    for (int penalised = 0; penalised < 2; penalised++) {
      double rate[5];
      decode_rate (&d, batches[i], 4, penalised, threads); /* the graph is captured and picks its form */
      for (guint k = 0; k < G_N_ELEMENTS (rate); k++)
        rate[k] = decode_rate (&d, batches[i], i ? 6 : 12, penalised, threads);
      printf ("   batch %2u %s %6.1f tok/s", batches[i], penalised ? "penalised" : "plain", median (rate, G_N_ELEMENTS (rate)));
    }
  printf ("   peak memory %.2f GiB\n", peak_gib ());
  fflush (stdout);
  decoding_close (&d);
}

static void
part_decode (const char *dir, const char *weights)
{
  for (guint threads = 1; threads <= 2; threads++)
    for (int eager = 0; eager < 2; eager++)
      decode_line (dir, weights, threads, eager);
}

/* ---- all of it ------------------------------------------------------------------------------------------------------- */

static void
run (char *program, const char *part, const char *weights)
{
  GError *error = NULL;
  int status;
  char *argv[] = { program, (char *) part, (char *) weights, NULL };

  fflush (stdout);
  if (!g_spawn_sync (NULL, argv, NULL, G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL, NULL, NULL, &status, &error)
      || !g_spawn_check_wait_status (status, &error))
    die (error);
}

static void
forget_packed (const char *dir)
{
  g_autofree char *cache = cache_dir (dir);
  g_autoptr (GDir) names = g_dir_open (cache, 0, NULL);
  const char *name;

  while (names && (name = g_dir_read_name (names))) {
    g_autofree char *path = g_build_filename (cache, name, NULL);
    g_unlink (path);
  }
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*run) (const char *dir, const char *weights);
  } parts[] = { { "load", part_load }, { "vision", part_vision }, { "prefill", part_prefill }, { "decode", part_decode } };
  const char *dir = g_getenv ("MODEL"), *all[] = { "bf16", "int8" };

  if (!dir || !*dir) {
    printf ("skipped: MODEL=DIR names no model folder (build/tests/tools/random_model DIR mineru writes one)\n");
    return 0;
  }
  for (guint i = 0; argc == 3 && i < G_N_ELEMENTS (parts); i++)
    if (g_str_equal (argv[1], parts[i].name)) {
      parts[i].run (dir, argv[2]);
      return 0;
    }
  for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
    forget_packed (dir);
    printf ("%s\n  load, cold ", all[i]);
    run (argv[0], "load", all[i]);
    printf ("  load, warm ");
    run (argv[0], "load", all[i]);
    for (guint p = 1; p < G_N_ELEMENTS (parts); p++)
      if (argc < 2 || g_str_equal (argv[1], parts[p].name))
        run (argv[0], parts[p].name, all[i]);
  }
  return 0;
}
