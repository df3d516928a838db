/* tests/bench/bench_model.c - a model of real size without the engine: loading, memory, vision encoder, prefill, decoding.
 *
 *   MODEL=DIR bench_model [PART [bf16|int8|int4|f32 [THREADS]]]     parts: load vision prefill decode; none: all, for bf16 and int8
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
part_load (const char *dir, const char *weights, G_GNUC_UNUSED guint only)
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

/* Seconds of a picture. */
static Clock
vision_time (DpModel *m, const DpPatches *patches)
{
  g_autoptr (DpStream) s = dp_stream_new (dp_model_backend (m), NULL);
  const DpTensor out = dp_stream_temp (s, dp_model_activations (m), dp_vision_rows (m, patches->grid), dp_model_config (m)->text.hidden);
  const Clock start = clock_now ();
  GError *error = NULL;

  dp_vision_encode (m, s, patches, out);
  if (!dp_stream_sync (s, &error))
    die (error);
  return clock_since (start);
}

/* From a graph and eagerly in turn, each first every other time; the first time of both (eager, then captured) is left out. */
static void
vision_line (const char *dir, const char *weights, guint32 side, guint threads, guint times, double aim)
{
  g_autoptr (DpModel) graph = load (dir, weights, threads, FALSE), eager = load (dir, weights, threads, TRUE);
  DpPatches patches = noise (side, side);
  double seconds_of[2][8], ratio[8], cpu[8];

  for (guint i = 0; i < 2; i++)
    vision_time (graph, &patches), vision_time (eager, &patches);
  for (guint i = 0; i < times; i++) {
    for (guint k = 0; k < 2; k++) {
      const gboolean e = k == i % 2;
      const Clock t = vision_time (e ? eager : graph, &patches);
      seconds_of[e][i] = of_threads (t, threads);
      if (!e)
        cpu[i] = t.cpu;
    }
    ratio[i] = seconds_of[1][i] / seconds_of[0][i];
  }
  printf ("  %4u x %-4u %u thread%s  graph %6.2f s (%.2f s of processor; aim %.1f)  eager %6.2f s  eager / graph %.3f (aim 1)   "
          "peak memory of both %.2f GiB\n",
          side * 14, side * 14, threads, threads == 1 ? " " : "s", median (seconds_of[0], times), median (cpu, times), aim,
          median (seconds_of[1], times), median (ratio, times), peak_gib ());
  fflush (stdout);
  dp_patches_clear (&patches);
}

static void
part_vision (const char *dir, const char *weights, guint only)
{
  if (only != 2)
    vision_line (dir, weights, 32, 1, 5, 3.5);
  if (only != 1) {
    vision_line (dir, weights, 32, 2, 5, 3.5);
    vision_line (dir, weights, 74, 2, 3, 16);
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
part_prefill (const char *dir, const char *weights, guint only)
{
  for (guint threads = only ? only : 1; threads <= (only ? only : 2); threads++) {
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

/* From a graph and eagerly in turn, each first every other time. */
static void
decode_line (Decoding *ways, guint threads, guint batch, gboolean penalised)
{
  const guint steps = batch > 1 ? 6 : 12;
  enum { ROUNDS = 7 };
  double rate[2][ROUNDS] = { 0 }, ratio[ROUNDS] = { 0 };

  for (guint e = 0; e < 2; e++)
    decode_rate (&ways[e], batch, 4, penalised, threads); /* the graph is captured */
  for (guint i = 0; i < ROUNDS; i++) {
    for (guint k = 0; k < 2; k++)
      rate[(i + k) % 2][i] = decode_rate (&ways[(i + k) % 2], batch, steps, penalised, threads);
    ratio[i] = rate[0][i] / rate[1][i];
  }
  printf ("  %u thread%s batch %2u %-9s  graph %6.1f tok/s  eager %6.1f tok/s  graph / eager %.3f (aim 1)\n", threads,
          threads == 1 ? " " : "s", batch, penalised ? "penalised" : "plain", median (rate[0], ROUNDS), median (rate[1], ROUNDS),
          median (ratio, ROUNDS));
  fflush (stdout);
}

static void
part_decode (const char *dir, const char *weights, guint only)
{
  for (guint threads = only ? only : 1; threads <= (only ? only : 2); threads++) {
    Decoding ways[2];
    for (guint e = 0; e < 2; e++) {
      decoding_open (&ways[e], dir, weights, threads, e == 1);
      prefill (&ways[e], 0, 600);
      for (guint b = 1; b < MOST; b++) /* all sequences hold the same */
        for (guint32 i = 0; i <= 600 / PAGE; i++)
          dp_decoder_copy_page (ways[e].decoder, ways[e].pages[i], ways[e].pages[b * ways[e].each + i]);
    }
    for (guint batch = 1; batch <= MOST; batch *= MOST)
      for (int penalised = 0; penalised < 2; penalised++)
        decode_line (ways, threads, batch, penalised);
    printf ("  peak memory of both %.2f GiB\n", peak_gib ());
    for (guint e = 0; e < 2; e++)
      decoding_close (&ways[e]);
  }
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
    void (*run) (const char *dir, const char *weights, guint only);
  } parts[] = { { "load", part_load }, { "vision", part_vision }, { "prefill", part_prefill }, { "decode", part_decode } };
  const char *dir = g_getenv ("MODEL"), *all[] = { "bf16", "int8" };

  if (!dir || !*dir) {
    printf ("skipped: MODEL=DIR names no model folder (build/tests/tools/random_model DIR mineru writes one)\n");
    return 0;
  }
  for (guint i = 0; argc >= 3 && i < G_N_ELEMENTS (parts); i++)
    if (g_str_equal (argv[1], parts[i].name)) {
      parts[i].run (dir, argv[2], argc > 3 ? (guint) atoi (argv[3]) : 0);
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
