/* tests/cpu/test_gemm.c - the kernels of every instruction set this processor has, against sums in double; and the
 * same bits for a row whatever the tile, the batch and the number of threads. */
#include "backends/cpu/product.h"
#include "ops/stream.h"

#include <math.h>

static guint32
next (guint32 *state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static float
small (guint32 *state)
{
  return (float) next (state) / (1 << 23) - 1;
}

/* ---- one tile ------------------------------------------------------------------------------------------ */

typedef struct {
  DpBackend *backend;
  const DpCpuKernels *kernels;
} Fixture;

static DpWeight *
weight_new (DpBackend *b, guint32 uses, guint32 type, guint32 rows, guint32 cols, guint32 group, gboolean with_zeros, guint32 seed)
{
  guint32 state = seed, whole = group ? group : cols;
  gboolean quantised = type == DP_I8 || type == DP_I4;
  gsize n = (gsize) rows * cols, groups = (gsize) rows * ((cols + whole - 1) / whole);
  g_autofree float *data = g_new (float, n), *scales = g_new (float, groups), *zeros = g_new (float, groups), *bias = g_new (float, rows);
  gsize bytes = type == DP_I8 ? n : type == DP_I4 ? rows * (((gsize) cols + 1) / 2) : n * 4;
  GError *error = NULL;

  for (gsize i = 0; i < n; i++)
    data[i] = small (&state);
  for (gsize i = 0; i < groups; i++)
    scales[i] = 0.01f + (float) (next (&state) % 100) / 10000, zeros[i] = small (&state) * 4 + 4;
  for (guint32 i = 0; i < rows; i++)
    bias[i] = small (&state);
  for (gsize i = 0; i < bytes && quantised; i++)
    ((guint8 *) data)[i] = (guint8) next (&state);
  DpWeight *w = dp_weight_new (b,
                               &(DpWeightSource){ .uses = uses,
                                                  .n = 1,
                                                  .rows = rows,
                                                  .cols = cols,
                                                  .type = quantised ? type : DP_F32,
                                                  .hold = type,
                                                  .group = quantised ? group : 0,
                                                  .data = data,
                                                  .data_size = bytes,
                                                  .scales = quantised ? scales : NULL,
                                                  .zeros = quantised && with_zeros ? zeros : NULL,
                                                  .bias = bias },
                               &error);
  g_assert_no_error (error);
  return w;
}

/* Tiles of 1 .. most rows of a weight, each element within `tolerance` of the sum of |products|, rows bit for bit alike. */
static void
check_tiles (const Fixture *f, guint32 type, guint32 cols, guint32 group, gboolean zeros, double tolerance)
{
  DpCpu cpu = { .kernels = f->kernels, .n_threads = 1 };
  const guint32 rows = 2 * DP_PANEL;
  g_autoptr (DpWeight) weight = weight_new (f->backend, DP_USE_LINEAR, type, rows, cols, group, zeros, cols + type);
  const DpCpuWeight *w = dp_cpu_weight (weight);
  guint most = dp_cpu_tile_rows (&cpu, w);
  gsize row_bytes = dp_cpu_row_bytes (w);
  g_autofree float *x = g_new (float, most *cols), *unpacked = g_new (float, cols);
  guint8 *packed = g_aligned_alloc (most, row_bytes, 64);
  float first[DP_CPU_TILE_ROWS * DP_PANEL], c[DP_CPU_TILE_ROWS * DP_PANEL];
  guint32 state = 99;

  for (guint i = 0; i < most * cols; i++)
    x[i] = type == DP_BF16 ? dp_bf16_to_f32 (dp_f32_to_bf16 (small (&state))) : small (&state);
  for (guint i = 0; i < most; i++)
    dp_cpu_row_pack (&cpu, w, x + i * cols, packed + i * row_bytes);
  for (guint i = 0; i < most; i++)
    dp_cpu_tile (&cpu, w, 0, 1, 1, packed + i * row_bytes, row_bytes, first + i * DP_PANEL);
  for (guint m = 1; m <= most; m++) {
    dp_cpu_tile (&cpu, w, 0, 1, m, packed, row_bytes, c);
    g_assert_cmpmem (c, m * DP_PANEL * sizeof (float), first, m * DP_PANEL * sizeof (float));
  }
  for (guint m = 1; dp_cpu_group (&cpu, w, m) == 2; m++) {
    float pair[2 * DP_PAIR_ROWS * DP_PANEL];
    dp_cpu_tiles (&cpu, w, 0, 0, 2, m, packed, row_bytes, (DpCpuTurn){ 0 }, pair);
    g_assert_cmpmem (pair + m * DP_PANEL, m * DP_PANEL * sizeof (float), first, m * DP_PANEL * sizeof (float));
    dp_cpu_tile (&cpu, w, 0, 0, m, packed, row_bytes, c);
    g_assert_cmpmem (pair, m * DP_PANEL * sizeof (float), c, m * DP_PANEL * sizeof (float));
  }
  for (guint32 lane = 0; lane < DP_PANEL; lane++) {
    dp_cpu_weight_row (w, 0, DP_PANEL + lane, unpacked);
    for (guint i = 0; i < most; i++) {
      double sum = 0, size = 0;
      for (guint32 k = 0; k < cols; k++)
        sum += (double) x[i * cols + k] * unpacked[k], size += fabs ((double) x[i * cols + k] * unpacked[k]);
      g_assert_cmpfloat (fabs (first[i * DP_PANEL + lane] - sum), <=, tolerance * size + 1e-12);
    }
  }
  g_aligned_free (packed);
}

static void
test_tiles (gconstpointer user)
{
  const Fixture *f = user;
  static const guint32 widths[] = { 1, 2, 3, 31, 64, 65, 200, 512 };

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++) {
    check_tiles (f, DP_F32, widths[i], 0, FALSE, 1e-5);
    check_tiles (f, DP_F16, widths[i], 0, FALSE, 1e-5);
    check_tiles (f, DP_BF16, widths[i], 0, FALSE, 1e-5);
    for (guint group = 0; group <= 128; group = group ? 2 * group : 16) {
      check_tiles (f, DP_I8, widths[i], group, i % 2, 2e-4);
      check_tiles (f, DP_I4, widths[i], group, i % 2, 2e-4);
    }
  }
}

/* int8 times int8 is exact, the corners of the range included. */
static void
test_exact (gconstpointer user)
{
  const Fixture *f = user;
  const DpGemmKernels *k = f->kernels->gemm;
  enum { QUADS = 300 };
  static _Alignas(64) guint8 panel[QUADS * 4 * DP_PANEL];
  static gint8 a[DP_CPU_TILE_ROWS * QUADS * 4];
  gint32 sums[DP_CPU_TILE_ROWS], c[DP_CPU_TILE_ROWS * DP_PANEL];
  guint32 state = 5;

  for (guint extreme = 0; extreme < 2; extreme++) {
    for (gsize i = 0; i < sizeof panel; i++)
      panel[i] = extreme ? (i % 3 ? 0 : 255) : (guint8) next (&state);
    for (gsize i = 0; i < sizeof a; i++)
      a[i] = extreme ? (i % 2 ? -128 : 127) : (gint8) next (&state);
    for (guint m = 1; m <= k->max_rows; m++) {
      for (guint i = 0; i < m; i++) {
        sums[i] = 0;
        for (guint j = 0; j < QUADS * 4; j++)
          sums[i] += a[i * QUADS * 4 + j];
      }
      k->i8 (m, QUADS, a, QUADS * 4, sums, panel, c);
      for (guint i = 0; i < m; i++)
        for (guint lane = 0; lane < DP_PANEL; lane++) {
          gint32 sum = 0;
          for (guint j = 0; j < QUADS * 4; j++)
            sum += a[i * QUADS * 4 + j] * (panel[(j / 4 * DP_PANEL + lane) * 4 + j % 4] - 128);
          g_assert_cmpint (c[i * DP_PANEL + lane], ==, sum);
        }
    }
  }
}

/* ---- whole operators, with and without a team ----------------------------------------------------------------- */

static gpointer
run_linear (DpBackend *b, const DpWeight *w, const float *x, guint32 first, guint32 rows)
{
  g_autoptr (DpStream) s = dp_stream_new (b, NULL);
  gsize in = (gsize) rows * w->cols * 4, out = (gsize) rows * w->rows * 4;
  g_autoptr (DpBuffer) memory = dp_buffer_new (b, in + out, NULL);
  DpTensor tx = dp_tensor (memory, 0, DP_F32, rows, w->cols), ty = dp_tensor (memory, in, DP_F32, rows, w->rows);
  float *y = g_malloc (out);
  GError *error = NULL;

  dp_stream_upload (s, &tx, x + (gsize) first * w->cols, in);
  if (w->type == DP_I8 || w->type == DP_I4)
    dp_weight_quant_matmul (s, &(DpWeightQuantMatmulArgs){ .x = tx, .weight = w, .act = DP_ACT_SILU, .y = ty });
  else
    dp_linear (s, &(DpLinearArgs){ .x = tx, .weight = w, .act = DP_ACT_SILU, .y = ty });
  dp_stream_download (s, y, &ty, out);
  dp_stream_sync (s, &error);
  g_assert_no_error (error);
  return y;
}

/* Large enough for several row blocks and for a team to be woken. */
static void
test_threads (void)
{
  static const guint32 types[] = { DP_F32, DP_BF16, DP_I8, DP_I4 };
  const guint32 rows = 150, cols = 3000, outs = 330;
  g_autofree float *x = g_new (float, rows *cols);
  guint32 state = 3;

  for (guint32 i = 0; i < rows * cols; i++)
    x[i] = small (&state);
  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    g_autofree guint8 *expected = NULL;
    for (guint threads = 1; threads <= 5; threads += 2) {
      g_autoptr (DpBackend) b
          = dp_backend_open ("cpu", &(DpBackendOptions){ .struct_size = sizeof (DpBackendOptions), .n_threads = threads }, NULL);
      g_autoptr (DpWeight) w = weight_new (b, DP_USE_LINEAR, types[i], outs, cols, 0, FALSE, 8);
      g_autofree guint8 *y = run_linear (b, w, x, 0, rows), *one = run_linear (b, w, x, rows - 1, 1);
      g_assert_cmpmem (one, outs * 4, y + (gsize) (rows - 1) * outs * 4, outs * 4);
      if (expected)
        g_assert_cmpmem (y, (gsize) rows * outs * 4, expected, (gsize) rows * outs * 4);
      else
        expected = g_steal_pointer (&y);
    }
  }
}

/* Two streams on one back end: the second does not wait for the team. */
static gpointer
stream_thread (gpointer data)
{
  const gpointer *arguments = data;
  gpointer y = NULL;

  for (guint i = 0; i < 20; i++) {
    g_free (y);
    y = run_linear (arguments[0], arguments[1], arguments[2], 0, 40);
  }
  return y;
}

static void
test_two_streams (void)
{
  g_autoptr (DpBackend) b = dp_backend_open ("cpu", &(DpBackendOptions){ .struct_size = sizeof (DpBackendOptions), .n_threads = 3 }, NULL);
  g_autoptr (DpWeight) w = weight_new (b, DP_USE_LINEAR, DP_BF16, 256, 512, 0, FALSE, 8);
  g_autofree float *x = g_new (float, 40 * 512);
  guint32 state = 3;

  for (guint32 i = 0; i < 40 * 512; i++)
    x[i] = small (&state);
  gpointer arguments[] = { b, w, x };
  GThread *threads[] = { g_thread_new ("a", stream_thread, arguments), g_thread_new ("b", stream_thread, arguments) };
  g_autofree gpointer first = g_thread_join (threads[0]), second = g_thread_join (threads[1]);
  g_assert_cmpmem (first, 40 * 256 * 4, second, 40 * 256 * 4);
}

int
main (int argc, char **argv)
{
  const DpCpuKernels *list[4];
  guint n = dp_cpu_kernels_list (list);

  g_test_init (&argc, &argv, NULL);
  g_autoptr (DpBackend) b = dp_backend_open ("cpu", &(DpBackendOptions){ .struct_size = sizeof (DpBackendOptions), .n_threads = 1 }, NULL);
  Fixture fixtures[4];
  for (guint i = 0; i < n; i++) {
    g_autofree char *tiles = g_strdup_printf ("/gemm/%s/tiles", list[i]->name), *exact = g_strdup_printf ("/gemm/%s/exact", list[i]->name);
    fixtures[i] = (Fixture){ b, list[i] };
    g_test_add_data_func (tiles, &fixtures[i], test_tiles);
    g_test_add_data_func (exact, &fixtures[i], test_exact);
  }
  g_test_add_func ("/gemm/threads", test_threads);
  g_test_add_func ("/gemm/two-streams", test_two_streams);
  return g_test_run ();
}
