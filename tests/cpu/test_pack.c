/* tests/cpu/test_pack.c - what goes into panels comes out again: every type, use, odd size, bias, scale and zero. */
#include "backends/cpu/weight.h"
#include "ops/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static guint32
next (guint32 *state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static float
rounded (float value, guint32 type)
{
  return type == DP_BF16 ? dp_bf16_to_f32 (dp_f32_to_bf16 (value)) : type == DP_F16 ? dp_f16_to_f32 (dp_f32_to_f16 (value)) : value;
}

/* Every panel row appears once, and dp_cpu_weight_row finds it. */
static void
check_rows (const DpCpuWeight *w, const float *expected, const float *bias)
{
  g_autofree float *row = g_new (float, w->cols);
  g_autofree guint *seen = g_new0 (guint, w->rows);

  for (guint32 panel = 0; panel < w->n_panels; panel++)
    for (guint32 lane = 0; lane < DP_PANEL; lane++) {
      gboolean present;
      guint32 r = dp_cpu_panel_row (w, panel, lane, &present);
      if (present)
        seen[r]++;
    }
  for (guint32 r = 0; r < w->rows; r++)
    g_assert_cmpuint (seen[r], ==, 1);
  for (guint32 n = 0; n < w->n; n++)
    for (guint32 r = 0; r < w->rows; r++) {
      gsize at = (gsize) n * w->rows + r;
      dp_cpu_weight_row (w, n, r, row);
      for (guint32 k = 0; k < w->cols; k++)
        g_assert_cmpfloat (row[k], ==, expected[at * w->cols + k]);
      g_assert_cmpfloat (dp_cpu_weight_bias (w, n, r), ==, bias ? bias[at] : 0);
    }
}

static void
float_case (DpBackend *b, guint32 type, guint32 hold, guint32 uses, guint32 n, guint32 rows, guint32 cols, gboolean scaled)
{
  guint32 state = rows * 31 + cols;
  gsize count = (gsize) n * rows * cols;
  g_autofree float *expected = g_new (float, count), *bias = g_new (float, n *rows), *factor = g_new (float, n *rows);
  g_autofree guint8 *data = g_malloc (count * 4 + 1);
  guint8 *odd = data + 1; /* checkpoints give no alignment */

  for (guint32 i = 0; i < n * rows; i++)
    bias[i] = (float) (next (&state) % 100) - 50, factor[i] = 0.5f + (float) (next (&state) % 8) / 8;
  for (gsize i = 0; i < count; i++) {
    float v = rounded ((float) next (&state) / (1 << 23) - 1, type);
    guint16 half = type == DP_BF16 ? dp_f32_to_bf16 (v) : dp_f32_to_f16 (v);
    memcpy (odd + i * dp_type_size (type), type == DP_F32 ? (void *) &v : (void *) &half, dp_type_size (type));
    expected[i] = rounded (scaled ? v * factor[i / cols] : v, hold);
  }
  g_autoptr (DpWeight) w = dp_weight_new (b,
                                          &(DpWeightSource){ .uses = uses,
                                                             .n = n,
                                                             .rows = rows,
                                                             .cols = cols,
                                                             .type = type,
                                                             .hold = hold,
                                                             .data = odd,
                                                             .data_size = count * dp_type_size (type),
                                                             .bias = bias,
                                                             .row_scale = scaled ? factor : NULL },
                                          NULL);
  g_assert_nonnull (w);
  check_rows (dp_cpu_weight (w), expected, bias);
}

static void
test_floats (gconstpointer user)
{
  DpBackend *b = (DpBackend *) user;
  static const guint32 sizes[][2] = { { 1, 1 }, { 32, 64 }, { 31, 33 }, { 70, 7 }, { 96, 128 } };

  for (guint type = DP_F32; type <= DP_BF16; type++)
    for (guint hold = DP_F32; hold <= DP_BF16; hold++)
      for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
        float_case (b, type, hold, DP_USE_LINEAR, 1, sizes[i][0], sizes[i][1], i % 2);
        float_case (b, type, hold, DP_USE_GATE_UP, 1, 2 * sizes[i][0], sizes[i][1], i % 2 == 0);
        float_case (b, type, hold, DP_USE_MOE_DOWN, 3, sizes[i][0], sizes[i][1], FALSE);
        float_case (b, type, hold, DP_USE_MOE_GATE_UP, 2, 2 * sizes[i][0], sizes[i][1], FALSE);
      }
}

static void
quant_case (DpBackend *b, guint32 type, guint32 uses, guint32 rows, guint32 cols, guint32 group, gboolean with_zeros)
{
  guint32 state = rows * 77 + cols * 3 + group, whole = group ? group : cols, groups = (cols + whole - 1) / whole;
  gsize row_bytes = type == DP_I8 ? cols : (cols + 1) / 2;
  g_autofree guint8 *data = g_malloc0 (rows * row_bytes);
  g_autofree float *scales = g_new (float, rows *groups), *zeros = g_new (float, rows *groups), *expected = g_new (float, rows *cols);

  for (guint32 i = 0; i < rows * groups; i++)
    scales[i] = 0.25f + (float) (next (&state) % 16) / 16, zeros[i] = (float) (next (&state) % 64) / 4;
  for (guint32 r = 0; r < rows; r++)
    for (guint32 k = 0; k < cols; k++) {
      guint32 g = r * groups + k / whole;
      int q = type == DP_I8 ? (int) (next (&state) % 256) - 128 : (int) (next (&state) % 16);
      if (type == DP_I8)
        data[r * row_bytes + k] = (guint8) q;
      else
        data[r * row_bytes + k / 2] |= (guint8) (q << (k % 2 * 4));
      expected[r * cols + k] = ((float) q - (with_zeros ? zeros[g] : type == DP_I4 ? 8 : 0)) * scales[g];
    }
  g_autoptr (DpWeight) w = dp_weight_new (b,
                                          &(DpWeightSource){ .uses = uses,
                                                             .n = 1,
                                                             .rows = rows,
                                                             .cols = cols,
                                                             .type = type,
                                                             .hold = type,
                                                             .group = group,
                                                             .data = data,
                                                             .data_size = rows * row_bytes,
                                                             .scales = scales,
                                                             .zeros = with_zeros ? zeros : NULL },
                                          NULL);
  g_assert_nonnull (w);
  const DpCpuWeight *packed = dp_cpu_weight (w);
  check_rows (packed, expected, NULL);
  /* what the exactness of the kernels rests on */
  g_assert_cmpuint (packed->shape.padded, <=, 64);
  g_assert_cmpuint (packed->shape.padded % 8, ==, 0);
  g_assert_cmpuint (whole % packed->block, ==, group ? 0 : whole % packed->block);
}

static void
test_quantised (gconstpointer user)
{
  DpBackend *b = (DpBackend *) user;
  static const guint32 groups[] = { 0, 32, 64, 128, 48, 100, 7, 67 };
  static const guint32 sizes[][2] = { { 1, 1 }, { 34, 128 }, { 64, 200 }, { 6, 67 }, { 32, 130 } };

  for (guint type = DP_I8; type <= DP_I4; type += DP_I4 - DP_I8)
    for (guint g = 0; g < G_N_ELEMENTS (groups); g++)
      for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
        for (guint zeros = 0; zeros < 2; zeros++) {
          quant_case (b, type, DP_USE_LINEAR, sizes[i][0], sizes[i][1], groups[g], zeros);
          quant_case (b, type, DP_USE_GATE_UP, 2 * sizes[i][0], sizes[i][1], groups[g], zeros);
        }
}

/* A gate that somebody else wants to use as well is not interleaved: it is not taken at all. */
static void
test_mixed_use (gconstpointer user)
{
  DpBackend *b = (DpBackend *) user;
  float data[4] = { 1, 2, 3, 4 };
  g_autoptr (GError) error = NULL;
  DpWeightSource source
      = { .uses = DP_USE_GATE_UP | DP_USE_LINEAR, .n = 1, .rows = 2, .cols = 2, .hold = DP_F32, .data = data, .data_size = 16 };
  DpWeight shell = { .backend = b };

  g_assert_false (dp_cpu_weight_pack (b, &shell, &source, &error));
  g_assert_error (error, DP_OPS_ERROR, DP_OPS_ERROR_UNSUPPORTED);
}

/* A weight as bytes and back: the same rows; bytes of another size, or in a wrong place, are refused. */
static void
test_bytes (gconstpointer data)
{
  DpBackend *b = (gpointer) data;
  float values[6 * 40], bias[6], row[40];
  g_autoptr (GError) error = NULL;
  DpPackedWeight packed;

  for (int i = 0; i < 6 * 40; i++)
    values[i] = (float) (i * 7 % 31) - 15;
  for (int i = 0; i < 6; i++)
    bias[i] = (float) i;
  const DpWeightSource source = { .uses = DP_USE_GATE_UP,
                                  .n = 1,
                                  .rows = 6,
                                  .cols = 40,
                                  .type = DP_F32,
                                  .hold = DP_BF16,
                                  .data = values,
                                  .data_size = sizeof values,
                                  .bias = bias };
  g_autoptr (DpWeight) w = dp_weight_new (b, &source, &error);
  g_assert_no_error (error);
  g_assert_nonnull (dp_weight_layout (b));
  g_assert_true (dp_weight_save (w, &packed, &error));
  g_assert_cmpuint (packed.size, ==, w->bytes);
  guint8 *copy = aligned_alloc (4096, (packed.size / 4096 + 2) * 4096);
  memcpy (copy, packed.data, packed.size);
  g_autoptr (DpWeight) again = dp_weight_load (b, w, &(DpPackedWeight){ copy, packed.size }, &error);
  g_assert_no_error (error);
  g_assert_true (dp_cpu_weight (again)->memory == copy); /* in place */
  for (guint32 r = 0; r < 6; r++) {
    dp_cpu_weight_row (dp_cpu_weight (again), 0, r, row);
    g_assert_cmpmem (row, sizeof row, values + r * 40, sizeof row);
    g_assert_cmpfloat (dp_cpu_weight_bias (dp_cpu_weight (again), 0, r), ==, bias[r]);
  }
  const DpPackedWeight wrong[] = { { copy, packed.size - 128 }, { copy, packed.size + 128 }, { copy, 0 }, { copy + 128, packed.size } };
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_clear_error (&error);
    g_assert_null (dp_weight_load (b, w, &wrong[i], &error));
    g_assert_nonnull (error);
  }
  g_clear_pointer (&again, dp_weight_free);
  free (copy);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_autoptr (DpBackend) b = dp_backend_open ("cpu", &(DpBackendOptions){ .struct_size = sizeof (DpBackendOptions), .n_threads = 2 }, NULL);
  g_test_add_data_func ("/pack/floats", b, test_floats);
  g_test_add_data_func ("/pack/quantised", b, test_quantised);
  g_test_add_data_func ("/pack/mixed-use", b, test_mixed_use);
  g_test_add_data_func ("/pack/bytes", b, test_bytes);
  return g_test_run ();
}
