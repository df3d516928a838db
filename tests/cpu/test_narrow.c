/* tests/cpu/test_narrow.c - bf16 weights in 12 bits: every bit comes back, products have the bits of the 16-bit form on every
 * instruction set, tile and thread count, and bytes of a file that lie about themselves are refused. */
#include "backends/cpu/narrow.h"
#include "backends/cpu/product.h"
#include "tests/cpu/device.h"

#include <stdlib.h>
#include <string.h>

/* ---- weights ------------------------------------------------------------------------------------------------ */

typedef struct {
  const char *name;
  guint16 (*value) (GRand *rand, guint32 row, guint32 k);
  gboolean narrows;
} Kind;

static float
normal (GRand *rand)
{
  double sum = -6;

  for (int i = 0; i < 12; i++)
    sum += g_rand_double (rand);
  return (float) sum;
}

static guint16
trained (GRand *rand, guint32 row, G_GNUC_UNUSED guint32 k)
{
  return dp_f32_to_bf16 (normal (rand) * (0.01f + 0.01f * (float) (row % 3)));
}

static guint16
all_equal (G_GNUC_UNUSED GRand *rand, G_GNUC_UNUSED guint32 row, G_GNUC_UNUSED guint32 k)
{
  return 0xc2a5;
}

static guint16
random_bits (GRand *rand, G_GNUC_UNUSED guint32 row, G_GNUC_UNUSED guint32 k)
{
  return (guint16) g_rand_int (rand);
}

/* As trained, but for a few of each thing that bf16 can hold: neighbours, the first and the last value, one exponent each. */
static guint16
rare_bits (GRand *rand, guint32 row, guint32 k)
{
  static const guint16 rare[] = { 0x0000, 0x8000, 0x0001, 0x807f, 0x7f80, 0xff80, 0x7fc0, 0xff81, 0x7f7f, 0x3f80 };
  const guint16 usual = trained (rand, row, k);

  return (row == 0 && k == 0) || (row * 37 + k) % 2503 < 2 ? rare[(row + k) % G_N_ELEMENTS (rare)] : usual;
}

/* Fifteen exponents far apart beside that of the zeros where there is no row, and another one once. */
static guint16
scattered (GRand *rand, guint32 row, guint32 k)
{
  const guint32 bits = g_rand_int (rand), code = row == 5 && k == 7 ? 15 : bits % 15;

  return (guint16) ((bits >> 8 & 0x807f) | (code * 15 + 3) << 7);
}

static const Kind kinds[] = {
  { "trained", trained, TRUE }, { "equal", all_equal, TRUE },     { "random", random_bits, FALSE },
  { "rare", rare_bits, TRUE },  { "scattered", scattered, TRUE },
};

static guint16 *
values_new (const Kind *kind, guint32 n, guint32 rows, guint32 cols)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (rows * 31 + cols);
  guint16 *values = g_new (guint16, (gsize) n * rows * cols);

  for (guint32 r = 0; r < n * rows; r++)
    for (guint32 k = 0; k < cols; k++)
      values[(gsize) r * cols + k] = kind->value (rand, r, k);
  return values;
}

static DpWeight *
weight_new (DpBackend *b, guint32 uses, guint32 n, guint32 rows, guint32 cols, const guint16 *values, const float *bias)
{
  GError *error = NULL;
  DpWeight *w = dp_weight_new (b,
                               &(DpWeightSource){ .uses = uses,
                                                  .n = n,
                                                  .rows = rows,
                                                  .cols = cols,
                                                  .type = DP_BF16,
                                                  .hold = DP_BF16,
                                                  .data = values,
                                                  .data_size = (gsize) n * rows * cols * 2,
                                                  .bias = bias },
                               &error);
  g_assert_no_error (error);
  return w;
}

static gboolean
narrow (DpWeight *w)
{
  const gboolean ok = dp_cpu_narrow (dp_cpu (w->backend), w->impl);

  g_assert_true (ok == (dp_cpu_weight (w)->starts != NULL));
  return ok;
}

static void
check_rows (const DpWeight *weight, const guint16 *values, const float *bias)
{
  const DpCpuWeight *w = dp_cpu_weight (weight);
  g_autofree float *row = g_new (float, w->cols);

  for (guint32 r = 0; r < w->n * w->rows; r++) {
    dp_cpu_weight_row (w, r / w->rows, r % w->rows, row);
    for (guint32 k = 0; k < w->cols; k++) {
      const float expected = dp_bf16_to_f32 (values[(gsize) r * w->cols + k]);
      g_assert_cmpmem (&row[k], sizeof (float), &expected, sizeof (float));
    }
    g_assert_cmpfloat (dp_cpu_weight_bias (w, r / w->rows, r % w->rows), ==, bias ? bias[r] : 0);
  }
}

/* ---- the round trip ------------------------------------------------------------------------------------------- */

static void
test_round_trip (gconstpointer data)
{
  static const guint32 sizes[][2] = { { 32, 640 }, { 70, 641 }, { 33, 642 }, { 96, 643 }, { 200, 259 } };
  const Kind *kind = data;
  Device d = device_open ("cpu", 2);

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint uses = 0; uses < 3; uses++) {
      const guint32 use = uses == 0 ? DP_USE_LINEAR : uses == 1 ? DP_USE_GATE_UP : DP_USE_MOE_DOWN;
      const guint32 n = uses == 2 ? 3 : 1, rows = sizes[i][0] * (uses == 1 ? 2 : 1), cols = sizes[i][1];
      g_autofree guint16 *values = values_new (kind, n, rows, cols);
      g_autofree float *bias = g_new (float, n *rows);
      for (guint32 r = 0; r < n * rows; r++)
        bias[r] = (float) r;
      g_autoptr (DpWeight) w = weight_new (d.backend, use, n, rows, cols, values, uses ? bias : NULL);
      const gsize before = dp_cpu_weight (w)->memory_size;
      g_assert_true (narrow (w) == kind->narrows);
      g_assert_true ((dp_cpu_weight (w)->memory_size < before * 4 / 5) == kind->narrows);
      check_rows (w, values, uses ? bias : NULL);
    }
  device_close (&d);
}

/* One value in a thousand may be an exception, not more. */
static void
test_most_exceptions (void)
{
  enum { ROWS = 64, COLS = 500 };
  Device d = device_open ("cpu", 1);

  for (guint over = 0; over < 2; over++) {
    g_autofree guint16 *values = values_new (&kinds[1], 1, ROWS, COLS);
    for (guint i = 0; i < ROWS * COLS; i++)
      values[i] = (guint16) (0x3c00 + (i % 16 << 7));
    for (guint i = 0; i < ROWS * COLS / 1000 + over; i++)
      values[i * 900 + i] = 0x7fc0;
    g_autoptr (DpWeight) w = weight_new (d.backend, DP_USE_LINEAR, 1, ROWS, COLS, values, NULL);
    g_assert_true (narrow (w) == !over);
    check_rows (w, values, NULL);
  }
  device_close (&d);
}

/* ---- products ------------------------------------------------------------------------------------------------- */

/* Tiles of every height of both forms: alone, as the first of two that leaves the panel in 16 bits, as the second that takes it. */
static void
check_tiles (const DpCpuKernels *kernels, const DpWeight *wide, const DpWeight *thin)
{
  const DpCpu cpu = { .kernels = kernels, .n_threads = 1 };
  const DpCpuWeight *w = dp_cpu_weight (wide), *t = dp_cpu_weight (thin);
  const guint most = dp_cpu_tile_rows (&cpu, w);
  const gsize row_bytes = dp_cpu_row_bytes (w);
  g_autoptr (GRand) rand = g_rand_new_with_seed (w->cols);
  g_autofree float *x = random_floats (rand, (gsize) most * w->cols, 1);
  guint8 *packed = g_aligned_alloc (most, row_bytes, 64);
  float expected[DP_CPU_TILE_ROWS * DP_PANEL], c[DP_CPU_TILE_ROWS * DP_PANEL];
  guint8 *room = g_aligned_alloc (1, dp_cpu_wide_bytes (w), 64);

  g_assert_cmpuint (dp_cpu_row_bytes (t), ==, row_bytes);
  for (guint i = 0; i < most; i++)
    dp_cpu_row_pack (&cpu, w, x + (gsize) i * w->cols, packed + i * row_bytes);
  for (guint m = 1; m <= most; m++)
    for (guint32 panel = 0; panel < w->n_panels; panel++)
      for (guint way = 0; way < 3; way++) {
        dp_cpu_tile (&cpu, w, 0, panel, m, packed, row_bytes, expected);
        if (way == 0)
          dp_cpu_tile (&cpu, t, 0, panel, m, packed, row_bytes, c);
        else
          dp_cpu_tiles (&cpu, t, 0, panel, 1, m, packed, row_bytes, dp_cpu_turn (1, way - 1, 2, room), c);
        g_assert_cmpmem (c, m * DP_PANEL * sizeof (float), expected, m * DP_PANEL * sizeof (float));
        if (way == 1)
          g_assert_cmpmem (room, w->panel_bytes, dp_cpu_panel (w, 0, panel), w->panel_bytes);
        if (way == 2)
          memset (room, 0, w->panel_bytes);
      }
  g_aligned_free (packed);
  g_aligned_free (room);
}

static void
test_tiles (gconstpointer data)
{
  static const guint32 widths[] = { 257, 258, 259, 260, 511, 1026 };
  const DpCpuKernels *kernels = data;
  Device d = device_open ("cpu", 1);

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    for (guint i = 0; i < G_N_ELEMENTS (widths) && kinds[k].narrows; i++) {
      g_autofree guint16 *values = values_new (&kinds[k], 1, 70, widths[i]);
      g_autoptr (DpWeight) wide = weight_new (d.backend, DP_USE_LINEAR, 1, 70, widths[i], values, NULL);
      g_autoptr (DpWeight) thin = weight_new (d.backend, DP_USE_LINEAR, 1, 70, widths[i], values, NULL);
      g_assert_true (narrow (thin));
      check_tiles (kernels, wide, thin);
    }
  device_close (&d);
}

static gpointer
linear (Device *d, const DpWeight *w, float *x, guint32 rows)
{
  DpTensor in = device_floats (d, DP_BF16, rows, w->cols, x), out = device_put (d, DP_F32, rows, w->rows, NULL);

  dp_linear (d->stream, &(DpLinearArgs){ .x = in, .weight = w, .act = DP_ACT_SILU, .y = out });
  return device_get (d, &out);
}

/* A weight that is large enough is narrow from the start; whole products of it, on one thread and several, many rows and few. */
static void
test_operator (void)
{
  enum { ROWS = 1000, COLS = 700, MOST = 40 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);
  g_autofree guint16 *values = values_new (&kinds[3], 1, ROWS, COLS);
  g_autofree float *bias = random_floats (rand, ROWS, 1), *x = random_floats (rand, MOST * COLS, 1), *expected = NULL;

  for (guint threads = 1; threads <= 3; threads += 2) {
    Device d = device_open ("cpu", threads);
    DpWeight *w = weight_new (d.backend, DP_USE_LINEAR, 1, ROWS, COLS, values, bias);
    g_assert_true ((dp_cpu_weight (w)->starts != NULL) == (dp_cpu_kernels ()->narrow->pays != 0));
    if (!dp_cpu_weight (w)->starts) /* an instruction set where it does not pay: the operator has to do it all the same */
      g_assert_true (narrow (w));
    g_autofree float *all = linear (&d, w, x, MOST);
    for (guint rows = 1; rows <= 27; rows += 13) {
      g_autofree float *some = linear (&d, w, x, rows);
      g_assert_cmpmem (some, rows * ROWS * 4, all, rows * ROWS * 4);
    }
    if (expected)
      g_assert_cmpmem (all, MOST * ROWS * 4, expected, MOST * ROWS * 4);
    else
      expected = g_steal_pointer (&all);
    dp_weight_free (w);
    device_close (&d);
  }
  /* the definition of the operator */
  Device d = device_open ("reference", 1);
  DpWeight *w = weight_new (d.backend, DP_USE_LINEAR, 1, ROWS, COLS, values, bias);
  g_autofree float *y = linear (&d, w, x, MOST);
  guint n_finite = 0;
  for (guint i = 0; i < MOST * ROWS; i++) {
    g_assert_cmpint (isfinite (y[i]) != 0, ==, isfinite (expected[i]) != 0);
    n_finite += isfinite (y[i]) != 0;
    if (isfinite (y[i]))
      g_assert_cmpfloat (fabsf (y[i] - expected[i]), <=, 1e-3f * (1 + fabsf (y[i])));
  }
  g_assert_cmpuint (n_finite, >, 0);
  dp_weight_free (w);
  device_close (&d);
}

/* [rows, 2]: log-probability and margin of the best. */
static float *
head (Device *d, const DpWeight *w, float *x, guint32 rows)
{
  const DpTensor in = device_floats (d, DP_BF16, rows, w->cols, x), ids = device_put (d, DP_I32, rows, 1, NULL);
  const DpTensor both = device_put (d, DP_F32, rows, 2, NULL);

  dp_lm_head_argmax (d->stream,
                     &(DpLmHeadArgmaxArgs){
                         .x = in, .weight = w, .ids = ids, .logprob = dp_tensor_cols (both, 0, 1), .margin = dp_tensor_cols (both, 1, 1) });
  return device_get (d, &both);
}

/* Rows of a head are taken together as far as their logits fit a cache: none may see how many there are. */
static void
test_head (void)
{
  enum { ROWS = 1000, COLS = 700, MOST = 110 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  g_autofree guint16 *values = values_new (&kinds[0], 1, ROWS, COLS);
  g_autofree float *x = random_floats (rand, MOST * COLS, 1);
  Device d = device_open ("cpu", 1);
  DpWeight *w = weight_new (d.backend, DP_USE_LM_HEAD, 1, ROWS, COLS, values, NULL);

  if (!dp_cpu_weight (w)->starts)
    g_assert_true (narrow (w));
  g_autofree float *all = head (&d, w, x, MOST);
  for (guint row = 0; row < MOST; row++) {
    g_autofree float *one = head (&d, w, x + (gsize) row * COLS, 1);
    g_assert_cmpmem (one, 2 * sizeof *one, all + 2 * row, 2 * sizeof *one);
    g_assert_cmpfloat (one[0], <, 0);
    g_assert_cmpfloat (one[1], >, 0);
  }
  dp_weight_free (w);
  device_close (&d);
}

/* ---- as bytes ------------------------------------------------------------------------------------------------- */

static guint8 *
copy_of (const DpPackedWeight *packed)
{
  guint8 *copy = aligned_alloc (4096, (packed->size / 4096 + 1) * 4096);

  memcpy (copy, packed->data, packed->size);
  return copy;
}

/* One number of a copy is changed; the load must refuse it. */
static void
refuse (DpBackend *b, const DpWeight *w, const DpPackedWeight *packed, gconstpointer at, guint32 number)
{
  const gsize offset = (gsize) ((const guint8 *) at - (const guint8 *) packed->data);
  g_autoptr (GError) error = NULL;
  guint8 *copy = copy_of (packed);

  memcpy (copy + offset, &number, sizeof number);
  g_assert_null (dp_weight_load (b, w, &(DpPackedWeight){ copy, packed->size }, &error));
  g_assert_error (error, DP_OPS_ERROR, DP_OPS_ERROR_ARGUMENT);
  free (copy);
}

static void
test_bytes (void)
{
  enum { ROWS = 70, COLS = 643 };
  Device d = device_open ("cpu", 1);
  g_autofree guint16 *values = values_new (&kinds[3], 1, ROWS, COLS);
  float bias[ROWS];
  GError *error = NULL;
  DpPackedWeight packed;

  for (guint i = 0; i < ROWS; i++)
    bias[i] = (float) i;
  DpWeight *w = weight_new (d.backend, DP_USE_LINEAR, 1, ROWS, COLS, values, bias);
  g_assert_true (narrow (w));
  const DpCpuWeight *c = dp_cpu_weight (w);
  g_assert_true (dp_weight_save (w, &packed, &error));
  g_assert_cmpuint (packed.size, ==, c->memory_size);
  guint8 *copy = copy_of (&packed);
  DpWeight *again = dp_weight_load (d.backend, w, &(DpPackedWeight){ copy, packed.size }, &error);
  g_assert_no_error (error);
  g_assert_true (dp_cpu_weight (again)->memory == copy); /* in place */
  check_rows (again, values, bias);
  dp_weight_free (again);
  for (gsize size = 0; size < packed.size; size = size * 2 + 64) {
    g_autoptr (GError) why = NULL;
    g_assert_null (dp_weight_load (d.backend, w, &(DpPackedWeight){ copy, size }, &why));
    g_assert_nonnull (why);
  }
  free (copy);

  const guint32 n = c->starts[c->n_panels], n_values = (COLS + 1) / 2 * DP_NARROW_PAIR;
  g_assert_cmpuint (c->starts[1], >, 3); /* two exceptions at least, and the end */
  refuse (d.backend, w, &packed, &c->starts[0], 1);
  refuse (d.backend, w, &packed, &c->starts[1], 0);
  refuse (d.backend, w, &packed, &c->starts[1], c->starts[1] - 1);
  refuse (d.backend, w, &packed, &c->starts[1], n + 1);
  refuse (d.backend, w, &packed, &c->starts[1], G_MAXUINT32);
  refuse (d.backend, w, &packed, &c->starts[c->n_panels], n + 64);
  refuse (d.backend, w, &packed, &c->starts[c->n_panels], G_MAXUINT32);
  refuse (d.backend, w, &packed, &c->starts[c->n_panels], 0);
  refuse (d.backend, w, &packed, &c->exceptions[0].at, n_values);
  refuse (d.backend, w, &packed, &c->exceptions[0].at, DP_NARROW_END);
  refuse (d.backend, w, &packed, &c->exceptions[1].at, c->exceptions[0].at);
  refuse (d.backend, w, &packed, &c->exceptions[c->starts[1] - 1].at, n_values - 1);
  dp_weight_free (w);
  device_close (&d);
}

/* Small weights, other types and other processors keep what they have. */
static void
test_pays (void)
{
  static const DpNarrowKernels pays = { .pays = 1 }, does_not = { 0 };
  const DpCpuKernels yes = { .narrow = &pays }, no = { .narrow = &does_not };
  const DpCpu fast = { .kernels = &yes }, slow = { .kernels = &no };
  const DpCpuWeight large = { .type = DP_BF16, .memory_size = 1 << 20 }, small = { .type = DP_BF16, .memory_size = (1 << 20) - 64 },
                    other = { .type = DP_F16, .memory_size = 1 << 20 };

  g_assert_true (dp_cpu_narrow_pays (&fast, &large));
  g_assert_false (dp_cpu_narrow_pays (&slow, &large));
  g_assert_false (dp_cpu_narrow_pays (&fast, &small));
  g_assert_false (dp_cpu_narrow_pays (&fast, &other));
}

int
main (int argc, char **argv)
{
  const DpCpuKernels *list[4];
  guint n = dp_cpu_kernels_list (list);

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autofree char *name = g_strconcat ("/narrow/round-trip/", kinds[i].name, NULL);
    g_test_add_data_func (name, &kinds[i], test_round_trip);
  }
  g_test_add_func ("/narrow/most-exceptions", test_most_exceptions);
  for (guint i = 0; i < n; i++) {
    g_autofree char *name = g_strdup_printf ("/narrow/%s/tiles", list[i]->name);
    g_test_add_data_func (name, list[i], test_tiles);
  }
  g_test_add_func ("/narrow/operator", test_operator);
  g_test_add_func ("/narrow/head", test_head);
  g_test_add_func ("/narrow/bytes", test_bytes);
  g_test_add_func ("/narrow/pays", test_pays);
  return g_test_run ();
}
