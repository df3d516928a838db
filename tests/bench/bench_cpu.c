/* tests/bench/bench_cpu.c - matrix products, attention and the team of the CPU back end, beside the machine's peaks.
 *
 *   bench_cpu [gemm|gemv|attention|team]...
 */
#include "tests/bench/measure.h"

#include "backends/cpu/team.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 9

static DpBackend *one, *all; /* one thread; as many as there are */
static guint n_all;

static DpBackend *
open_cpu (guint n_threads)
{
  GError *error = NULL;
  DpBackend *b = dp_backend_open ("cpu", &(DpBackendOptions){ .struct_size = sizeof (DpBackendOptions), .n_threads = n_threads }, &error);
  if (!b)
    die (error);
  return b;
}

/* ---- one call, many times ------------------------------------------------------------------------------ */

typedef struct {
  DpBackend *backend;
  DpStream *stream;
  DpBuffer *memory;
  DpTensor x, y;
  DpWeight **weights; /* taken in turn */
  guint n_weights;
} Product;

static void
product_open (Product *p, DpBackend *backend, guint32 m, guint32 rows, guint32 cols, DpType type, guint n_weights)
{
  *p = (Product){ .backend = backend, .stream = dp_stream_new (backend, NULL), .n_weights = n_weights };
  gsize x = (gsize) m * cols * 4;
  float *host = (gpointer) bench_memory (backend, x + (gsize) m * rows * 4, &p->memory);
  for (gsize i = 0; i < (gsize) m * cols; i++)
    host[i] = (float) (i % 17) / 17 - 0.5f;
  p->x = dp_tensor (p->memory, 0, DP_F32, m, cols);
  p->y = dp_tensor (p->memory, x, DP_F32, m, rows);
  p->weights = g_new (DpWeight *, n_weights);
  for (guint i = 0; i < n_weights; i++)
    p->weights[i] = bench_weight (backend, DP_USE_LINEAR, rows, cols, type);
}

static void
product_close (Product *p)
{
  GError *error = NULL;
  if (!dp_stream_sync (p->stream, &error))
    die (error);
  dp_stream_free (p->stream);
  for (guint i = 0; i < p->n_weights; i++)
    dp_weight_free (p->weights[i]);
  g_free (p->weights);
  dp_buffer_free (p->memory);
}

/* Seconds per call. */
static double
product_time (const Product *p, guint calls, gboolean one_thread)
{
  double t = seconds (one_thread);
  for (guint i = 0; i < calls; i++) {
    const DpWeight *w = p->weights[i % p->n_weights];
    if (w->type == DP_I8 || w->type == DP_I4)
      dp_weight_quant_matmul (p->stream, &(DpWeightQuantMatmulArgs){ .x = p->x, .weight = w, .y = p->y });
    else
      dp_linear (p->stream, &(DpLinearArgs){ .x = p->x, .weight = w, .y = p->y });
  }
  return (seconds (one_thread) - t) / calls;
}

/* ---- matrix products ------------------------------------------------------------------------------------- */

static void
gemm_line (const char *what, guint32 m, guint32 rows, guint32 cols, DpType type, double (*peak) (void), double aim)
{
  Product a, b;
  double flop = 2.0 * m * rows * cols, rate[ROUNDS], ratio[ROUNDS], speedup[ROUNDS], best = 0;
  guint calls = (guint) MAX (1, 1.5e10 / flop);

  product_open (&a, one, m, rows, cols, type, 1);
  product_open (&b, all, m, rows, cols, type, 1);
  product_time (&a, 1, TRUE), product_time (&b, 1, FALSE);
  for (guint r = 0; r < ROUNDS; r++) {
    rate[r] = flop / product_time (&a, calls, TRUE) / 1e9;
    ratio[r] = rate[r] / peak ();
    speedup[r] = product_time (&a, calls, FALSE) / product_time (&b, calls, FALSE);
    best = MAX (best, rate[r]);
  }
  printf ("  %-34s %4u x %5u x %5u %7.0f (best %4.0f) GFLOP/s  %5.1f %% of peak (aim %.0f)", what, m, rows, cols, median (rate, ROUNDS),
          best, 100 * median (ratio, ROUNDS), aim);
  median (speedup, ROUNDS);
  printf ("   %u threads %.2fx (best %.2f)\n", n_all, speedup[ROUNDS / 2], speedup[ROUNDS - 1]);
  product_close (&a);
  product_close (&b);
}

static void
bench_gemm (void)
{
  printf ("\nmatrix products, one thread beside the peak of its dot products; then all threads beside one\n");
  gemm_line ("decoder qkv", 256, 1152, 896, DP_BF16, peak_bf16, 85);
  gemm_line ("decoder o", 256, 896, 896, DP_BF16, peak_bf16, 85);
  gemm_line ("decoder gate, up", 256, 9728, 896, DP_BF16, peak_bf16, 85);
  gemm_line ("decoder down", 256, 896, 4864, DP_BF16, peak_bf16, 85);
  gemm_line ("vision qkv", 1024, 3840, 1280, DP_BF16, peak_bf16, 85);
  gemm_line ("vision o", 1024, 1280, 1280, DP_BF16, peak_bf16, 85);
  gemm_line ("vision fc1", 1024, 5120, 1280, DP_BF16, peak_bf16, 85);
  gemm_line ("vision fc2", 1024, 1280, 5120, DP_BF16, peak_bf16, 85);
  gemm_line ("int8 weights (2 dot products each)", 256, 4864, 896, DP_I8, peak_i8, 0);
  gemm_line ("int4 weights (2 dot products each)", 256, 4864, 896, DP_I4, peak_i8, 0);
  gemm_line ("f16 weights, beside f32 FMA", 256, 4864, 896, DP_F16, peak_f32, 0);
}

/* ---- a vector times a matrix -------------------------------------------------------------------------------- */

static void
gemv_line (const char *what, guint32 m, guint32 rows, guint32 cols, DpType type, guint n_weights, const guint8 *memory, gsize size,
           double aim)
{
  Product p, q;
  double rate[ROUNDS], ratio[ROUNDS], wide[ROUNDS], best = 0;

  product_open (&p, one, m, rows, cols, type, n_weights);
  product_open (&q, all, m, rows, cols, type, n_weights);
  double bytes = (double) p.weights[0]->bytes;
  guint calls = (guint) MAX (1, 2.5e8 / bytes / n_weights) * n_weights;
  product_time (&p, n_weights, TRUE), product_time (&q, n_weights, FALSE);
  for (guint r = 0; r < ROUNDS; r++) {
    double before = peak_read (memory, size, size);
    rate[r] = bytes / product_time (&p, calls, TRUE) / 1e9;
    ratio[r] = rate[r] / ((before + peak_read (memory, size, size)) / 2);
    wide[r] = bytes / product_time (&q, calls, FALSE) / 1e9;
    best = MAX (best, rate[r]);
  }
  printf ("  %-34s %4u x %5u x %5u %7.1f (best %4.1f) GB/s  %5.1f %% of read bandwidth (aim %.0f)   %u threads %.1f GB/s\n", what, m, rows,
          cols, median (rate, ROUNDS), best, 100 * median (ratio, ROUNDS), aim, n_all, median (wide, ROUNDS));
  product_close (&p);
  product_close (&q);
}

static void
bench_gemv (void)
{
  DpBuffer *buffer;
  gsize size = 256 << 20;
  const guint8 *memory = bench_memory (one, size, &buffer);

  printf ("\na row times a matrix in memory, one thread beside the read bandwidth of one thread\n");
  gemv_line ("bf16 lm_head", 1, 151936, 896, DP_BF16, 1, memory, size, 92);
  gemv_line ("bf16 gate, up of 12 layers", 1, 9728, 896, DP_BF16, 12, memory, size, 92);
  gemv_line ("bf16 down of 24 layers", 1, 896, 4864, DP_BF16, 24, memory, size, 92);
  gemv_line ("int8 lm_head", 1, 151936, 896, DP_I8, 1, memory, size, 80);
  gemv_line ("int4 lm_head", 1, 151936, 896, DP_I4, 1, memory, size, 65);
  gemv_line ("bf16 lm_head, 8 rows", 8, 151936, 896, DP_BF16, 1, memory, size, 92);
  dp_buffer_free (buffer);
}

/* ---- vision attention ----------------------------------------------------------------------------------------- */

static double
attention_time (DpBackend *backend, gboolean one_thread, guint32 t, guint32 heads, guint32 dim)
{
  GError *error = NULL;
  DpBuffer *buffer;
  DpStream *s = dp_stream_new (backend, NULL);
  gsize each = (gsize) t * heads * dim * 2;
  guint8 *host = bench_memory (backend, 4 * each + 128, &buffer);
  for (gsize i = 0; i < 3 * each / 2; i++)
    ((guint16 *) (gpointer) host)[i] = (guint16) (0x3c00 | (i * 2654435761u >> 9 & 0x80ff));
  const gint32 cu[2] = { 0, (gint32) t };
  memcpy (host + 4 * each, cu, sizeof cu);
  DpPrefillAttentionArgs a = { .q = dp_tensor (buffer, 0, DP_BF16, t, heads * dim),
                               .k = dp_tensor (buffer, each, DP_BF16, t, heads * dim),
                               .v = dp_tensor (buffer, 2 * each, DP_BF16, t, heads * dim),
                               .cu_seqlens = dp_tensor (buffer, 4 * each, DP_I32, 2, 1),
                               .max_seqlen = t,
                               .attn = { heads, heads, dim, dim, .scale = 0.1f },
                               .out = dp_tensor (buffer, 3 * each, DP_BF16, t, heads * dim) };
  double begin = seconds (one_thread);
  dp_prefill_attention (s, &a);
  double time = seconds (one_thread) - begin;
  if (!dp_stream_sync (s, &error))
    die (error);
  dp_stream_free (s);
  dp_buffer_free (buffer);
  return time;
}

static void
bench_attention (void)
{
  enum { TIMES = 3 };
  double rate[TIMES], ratio[TIMES], speedup[TIMES];
  const guint32 t = 5476, heads = 16, dim = 80;
  double flop = 4.0 * t * t * heads * dim;

  for (guint r = 0; r < TIMES; r++) {
    double before = peak_bf16 ();
    rate[r] = flop / attention_time (one, TRUE, t, heads, dim) / 1e9;
    ratio[r] = rate[r] / ((before + peak_bf16 ()) / 2);
    speedup[r] = attention_time (one, FALSE, t, heads, dim) / attention_time (all, FALSE, t, heads, dim);
  }
  printf ("\nvision attention, %u patches, %u heads of %u: %.0f GFLOP/s  %.1f %% of the dpbf16 peak (aim 60)   %u threads %.2fx\n", t,
          heads, dim, median (rate, TIMES), 100 * median (ratio, TIMES), n_all, median (speedup, TIMES));
}

/* ---- the team ---------------------------------------------------------------------------------------------------- */

enum { LOOPS = 1000 };

static void
no_work (G_GNUC_UNUSED gpointer data, G_GNUC_UNUSED gsize first, G_GNUC_UNUSED gsize last, G_GNUC_UNUSED guint thread)
{
}

static void
many_loops (DpTeam *team, G_GNUC_UNUSED gpointer data, guint thread)
{
  for (guint i = 0; i < LOOPS; i++) {
    dp_team_share (team, thread, 2, 1, no_work, NULL);
    dp_team_wait (team, thread);
  }
}

static void
one_loop (DpTeam *team, G_GNUC_UNUSED gpointer data, guint thread)
{
  dp_team_share (team, thread, 2, 1, no_work, NULL);
}

/* A step of a model as the team sees it: 100 loops of 16 pieces of some microseconds, a wait after each. */
static void
some_work (G_GNUC_UNUSED gpointer data, gsize first, gsize last, G_GNUC_UNUSED guint thread)
{
  for (gsize i = first; i < last; i++)
    for (volatile int k = 0; k < 8000; k++)
      ;
}

static void
step_region (DpTeam *team, G_GNUC_UNUSED gpointer data, guint thread)
{
  for (guint i = 0; i < 100; i++) {
    dp_team_share (team, thread, 16, 1, some_work, NULL);
    dp_team_wait (team, thread);
  }
}

static double
step_time (DpTeam *team)
{
  double times[ROUNDS];

  for (guint r = 0; r < ROUNDS; r++) {
    double t = seconds (FALSE);
    dp_team_region (team, step_region, NULL);
    times[r] = seconds (FALSE) - t;
  }
  return median (times, ROUNDS);
}

static void
bench_neighbours (DpTeam *team)
{
  double before = step_time (team);
  pid_t busy[2];

  for (guint i = 0; i < 2; i++)
    if ((busy[i] = fork ()) == 0) {
      sched_setscheduler (0, SCHED_OTHER, &(struct sched_param){ 0 }); /* an ordinary neighbour, whatever we are */
      for (;;)
        __asm__ volatile("");
    }
  double during = step_time (team);
  for (guint i = 0; i < 2; i++) {
    kill (busy[i], SIGKILL);
    waitpid (busy[i], NULL, 0);
  }
  double after = step_time (team);
  printf (
      "  100 loops of 16 pieces: %.1f ms; beside two more busy processes %.1f ms; then %.1f ms: %.1fx (their share on idle cores: 2x)\n",
      1e3 * before, 1e3 * during, 1e3 * after, during / ((before + after) / 2));
}

static void
bench_team (void)
{
  DpTeam *team = dp_team_new (0);
  double loop[ROUNDS], region[ROUNDS];

  for (guint r = 0; r < ROUNDS; r++) {
    double t = seconds (FALSE);
    dp_team_region (team, many_loops, NULL);
    loop[r] = (seconds (FALSE) - t) / LOOPS * 1e9;
    t = seconds (FALSE);
    for (guint i = 0; i < LOOPS; i++)
      dp_team_region (team, one_loop, NULL);
    region[r] = (seconds (FALSE) - t) / LOOPS * 1e9;
  }
  printf ("\nteam of %u: an empty loop and its wait %.0f ns, an empty region %.0f ns (medians)\n", dp_team_size (team),
          median (loop, ROUNDS), median (region, ROUNDS));
  bench_neighbours (team);
  dp_team_free (team);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static gboolean
wanted (int argc, char **argv, const char *section)
{
  gboolean found = argc < 2;

  for (int i = 1; i < argc; i++)
    found = found || g_str_equal (argv[i], section);
  return found;
}

int
main (int argc, char **argv)
{
  DpDeviceInfo info = { .struct_size = sizeof info };

  one = open_cpu (1);
  all = open_cpu (0);
  one->klass->device_info (0, &info, NULL);
  n_all = dp_team_processors ();
  printf ("%s\n", info.name);
  if (has_peaks ()) {
    DpBuffer *buffer;
    const guint8 *memory = bench_memory (one, 256 << 20, &buffer);
    printf ("peaks of one thread: f32 FMA %.0f, dpbf16 %.0f GFLOP/s, vpdpbusd %.0f GOP/s, read %.1f GB/s from memory, %.1f from 8 MB, %.1f "
            "from 512 KB\n",
            peak_f32 (), peak_bf16 (), peak_i8 (), peak_read (memory, 256 << 20, 512 << 20), peak_read (memory, 8 << 20, 512 << 20),
            peak_read (memory, 512 << 10, 512 << 20));
    dp_buffer_free (buffer);
  } else
    printf ("no AVX-512 BF16 and VNNI here: ratios to their peaks mean nothing\n");
  if (wanted (argc, argv, "gemm"))
    bench_gemm ();
  if (wanted (argc, argv, "gemv"))
    bench_gemv ();
  if (wanted (argc, argv, "attention"))
    bench_attention ();
  if (wanted (argc, argv, "team"))
    bench_team ();
  dp_backend_close (one);
  dp_backend_close (all);
  return 0;
}
