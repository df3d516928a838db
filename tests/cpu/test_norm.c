/* Row kernels of every instruction set against double arithmetic: norms, rotary, activations, searches, formats. */
#include "tests/cpu/device.h"

/* Around vector and unrolling sizes, and a model's. */
static const guint sizes[] = { 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 896, 1283 };
#define EACH_SIZE(n) for (guint i_ = 0, n; i_ < G_N_ELEMENTS (sizes) && (n = sizes[i_]); i_++)

static const DpCpuKernels *
kernels (gconstpointer name)
{
  const DpCpuKernels *list[4];
  guint n = dp_cpu_kernels_list (list);

  for (guint i = 0; i < n; i++)
    if (g_str_equal (list[i]->name, name))
      return list[i];
  g_assert_not_reached ();
}

static void
test_norms (gconstpointer isa)
{
  const DpArithKernels *k = kernels (isa)->arith;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  EACH_SIZE (n)
  {
    g_autofree float *x = random_floats (rand, n, 3), *w = random_floats (rand, n, 2), *b = random_floats (rand, n, 1);
    g_autofree float *rms = g_new (float, n), *layer = g_new (float, n), *plain = g_new (float, n);
    double squares = 0, mean = 0, variance = 0;
    for (guint i = 0; i < n; i++) {
      x[i] += 50; /* a mean far from 0: one pass over squares would lose it */
      squares += (double) x[i] * x[i];
      mean += x[i];
    }
    mean /= n;
    for (guint i = 0; i < n; i++)
      variance += (x[i] - mean) * (x[i] - mean);
    k->rms (x, w, 1e-5f, rms, n);
    k->layer (x, w, b, 1e-5f, layer, n);
    k->layer (x, w, NULL, 1e-5f, plain, n);
    for (guint i = 0; i < n; i++) {
      double r = x[i] / sqrt (squares / n + 1e-5) * w[i], l = (x[i] - mean) / sqrt (variance / n + 1e-5) * w[i];
      g_assert_cmpfloat_with_epsilon (rms[i], r, 3e-6);
      g_assert_cmpfloat_with_epsilon (layer[i], l + b[i], n == 1 ? 1e-2 : 1e-4);
      g_assert_cmpfloat_with_epsilon (plain[i], l, n == 1 ? 1e-2 : 1e-4);
    }
  }
}

static void
test_sums (gconstpointer isa)
{
  const DpArithKernels *k = kernels (isa)->arith;
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);

  EACH_SIZE (n)
  {
    g_autofree float *x = random_floats (rand, n, 3), *y = random_floats (rand, n, 3), *z = random_floats (rand, n, 3);
    g_autofree float *sum = g_memdup2 (y, n * 4), *product = g_memdup2 (y, n * 4), *scaled = g_memdup2 (y, n * 4);
    g_autofree float *axpy = g_memdup2 (y, n * 4), *fused = g_memdup2 (z, n * 4);
    double dot = 0;
    k->add (x, sum, n);
    k->mul (x, product, n);
    k->scale (0.7f, scaled, n);
    k->axpy (0.7f, x, axpy, n);
    k->mul_add (x, y, fused, n);
    for (guint i = 0; i < n; i++) {
      dot += (double) x[i] * y[i];
      g_assert_cmpfloat (sum[i], ==, x[i] + y[i]);
      g_assert_cmpfloat (product[i], ==, x[i] * y[i]);
      g_assert_cmpfloat (scaled[i], ==, 0.7f * y[i]);
      g_assert_cmpfloat_with_epsilon (axpy[i], y[i] + 0.7f * x[i], 1e-6f);
      g_assert_cmpfloat_with_epsilon (fused[i], z[i] + x[i] * y[i], 2e-6f);
    }
    g_assert_cmpfloat_with_epsilon (k->dot (x, y, n), dot, 1e-5 * sqrt (n));
  }
}

static void
test_rotary (gconstpointer isa)
{
  const DpArithKernels *k = kernels (isa)->arith;
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  EACH_SIZE (n)
  {
    g_autofree float *x = random_floats (rand, 2 * n, 2), *c = random_floats (rand, n, 1), *s = random_floats (rand, n, 1);
    g_autofree float *half = g_memdup2 (x, 2 * n * 4), *pairs = g_memdup2 (x, 2 * n * 4);
    k->rotate_half (half, half + n, c, s, n);
    k->rotate_pairs (pairs, c, s, n);
    for (guint j = 0; j < n; j++) {
      g_assert_cmpfloat_with_epsilon (half[j], x[j] * c[j] - x[n + j] * s[j], 1e-6f);
      g_assert_cmpfloat_with_epsilon (half[n + j], x[n + j] * c[j] + x[j] * s[j], 1e-6f);
      g_assert_cmpfloat_with_epsilon (pairs[2 * j], x[2 * j] * c[j] - x[2 * j + 1] * s[j], 1e-6f);
      g_assert_cmpfloat_with_epsilon (pairs[2 * j + 1], x[2 * j + 1] * c[j] + x[2 * j] * s[j], 1e-6f);
    }
  }
}

static double
exact_act (guint32 act, double z)
{
  switch (act) {
  case DP_ACT_RELU: return MAX (z, 0);
  case DP_ACT_SILU: return z / (1 + exp (-z));
  case DP_ACT_GELU: return z / 2 * (1 + erf (z / sqrt (2)));
  case DP_ACT_GELU_TANH: return z / 2 * (1 + tanh (sqrt (2 / G_PI) * (z + 0.044715 * z * z * z)));
  case DP_ACT_QUICK_GELU: return z / (1 + exp (-1.702 * z));
  default: return z;
  }
}

/* The largest error over -20 .. 20 must be far below bf16's 2^-9 of anything that is not tiny. */
static void
test_activations (gconstpointer isa)
{
  const DpRowKernels *k = kernels (isa)->row;
  enum { N = 4001 };
  float z[N], odd[] = { NAN, INFINITY, -INFINITY };

  for (guint32 act = 0; act < DP_N_ACTS; act++) {
    for (guint i = 0; i < N; i++)
      z[i] = ((float) i - 2000) / 100;
    k->act (act, z, N);
    for (guint i = 0; i < N; i++)
      g_assert_cmpfloat_with_epsilon (z[i], exact_act (act, (double) (((float) i - 2000) / 100)), 2e-6);
    float special[] = { odd[0], odd[1], odd[2] };
    k->act (act, special, 3);
    g_assert_true (isnan (special[0]));
    g_assert_true (special[1] == INFINITY);
    g_assert_true (isfinite (special[2]) == (act == DP_ACT_RELU));
  }
}

static void
test_best (gconstpointer isa)
{
  const DpArithKernels *k = kernels (isa)->arith;
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);

  EACH_SIZE (n)
  {
    g_autofree float *x = random_floats (rand, n, 3), *p = g_new (float, n);
    guint at = (guint) g_rand_int_range (rand, 0, (gint32) n), twin = (guint) g_rand_int_range (rand, 0, (gint32) n);
    double sum = 0, warm = 0;
    x[at] = 5;
    DpBest best = k->best (x, n);
    g_assert_cmpuint (best.at, ==, at);
    g_assert_cmpfloat (best.largest, ==, 5);
    g_assert_false (best.nan);
    float second = -INFINITY;
    for (guint i = 0; i < n; i++) {
      second = i != at ? MAX (second, x[i]) : second;
      sum += exp (x[i] - 5.0);
      warm += exp ((x[i] - 5.0) / 0.6);
    }
    g_assert_cmpfloat (best.second, ==, second);
    g_assert_cmpfloat_with_epsilon (k->sum_exp (x, 5, n), sum, 3e-6 * sum);
    g_assert_cmpfloat_with_epsilon (k->softmax (x, 5, 0.6f, p, n), warm, 3e-6 * warm);
    g_assert_cmpfloat_with_epsilon (p[at], 1, 1e-6);
    x[twin] = 5; /* equal: the lower index, no margin */
    best = k->best (x, n);
    g_assert_cmpuint (best.at, ==, MIN (at, twin));
    g_assert_true (at == twin || best.second == 5);
    x[at] = NAN; /* never wins */
    best = k->best (x, n);
    g_assert_true (best.nan);
    g_assert_cmpuint (best.at, !=, n > 1 ? at : n);
    g_assert_true (n > 1 || isnan (best.largest));
    k->softmax (x, 5, 1, p, n);
    g_assert_cmpfloat (p[at], ==, 0);
  }
}

static void
test_split (gconstpointer isa)
{
  const DpAttentionKernels *k = kernels (isa)->attention;
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);

  EACH_SIZE (n)
  {
    g_autofree float *x = random_floats (rand, n, 100);
    g_autofree guint16 *high = g_new (guint16, n), *low = g_new (guint16, n);
    x[n / 2] = INFINITY;
    k->split (x, high, low, n);
    for (guint i = 0; i < n; i++)
      if (i == n / 2)
        g_assert_true (dp_bf16_to_f32 (high[i]) == INFINITY && low[i] == 0);
      else
        g_assert_cmpfloat_with_epsilon (dp_bf16_to_f32 (high[i]) + dp_bf16_to_f32 (low[i]), x[i], 100.0 / 131072);
  }
}

/* A row has the same bits alone, in a batch, and whatever the number of threads. */
static void
test_rows (void)
{
  enum { ROWS = 37, COLS = 515 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);
  g_autofree float *x = random_floats (rand, ROWS * COLS, 2), *w = random_floats (rand, COLS, 1), *first = NULL;

  for (guint n_threads = 1; n_threads <= 3; n_threads++) {
    Device d = device_open ("cpu", n_threads);
    DpRmsNormArgs a = { .x = device_put (&d, DP_F32, ROWS, COLS, x),
                        .weight = device_put (&d, DP_F32, 1, COLS, w),
                        .eps = 1e-6f,
                        .y = device_put (&d, DP_F32, ROWS, COLS, NULL) };
    dp_rms_norm (d.stream, &a);
    g_autofree float *y = device_get (&d, &a.y);
    DpTensor all = a.y;
    a.x = dp_tensor_rows (a.x, 5, 1);
    a.y = dp_tensor_rows (a.y, 36, 1);
    dp_rms_norm (d.stream, &a);
    g_autofree float *again = device_get (&d, &all);
    g_assert_cmpmem (again + 36 * COLS, COLS * 4, y + 5 * COLS, COLS * 4);
    if (first)
      g_assert_cmpmem (y, ROWS * COLS * 4, first, ROWS * COLS * 4);
    else
      first = g_steal_pointer (&y);
    device_close (&d);
  }
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*test) (gconstpointer isa);
  } tests[] = { { "norms", test_norms }, { "sums", test_sums },  { "rotary", test_rotary }, { "activations", test_activations },
                { "best", test_best },   { "split", test_split } };
  const DpCpuKernels *list[4];
  guint n = dp_cpu_kernels_list (list);

  g_test_init (&argc, &argv, NULL);
  for (guint t = 0; t < G_N_ELEMENTS (tests); t++)
    for (guint i = 0; i < n; i++) {
      g_autofree char *path = g_strdup_printf ("/cpu/rows/%s/%s", tests[t].name, list[i]->name);
      g_test_add_data_func (path, list[i]->name, tests[t].test);
    }
  g_test_add_func ("/cpu/rows/alone-or-not", test_rows);
  return g_test_run ();
}
