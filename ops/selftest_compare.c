/* ops/selftest_compare.c - when are two results the same? The tolerances of every type stand here. */
#include "ops/private.h"
#include "ops/selftest_run.h"

/* Of a result:
 *   f32   1e-4     sums in another order, fast exponentials
 *   f16   4e-3     4 units in the last place of 11 bits
 *   bf16  3e-2     4 units in the last place of 8 bits
 *   u8             one step
 * Where a matrix product or an attention comes before it, the coarsest type among x, weight and cache decides (int8 and
 * int4 as bf16), since x may be rounded to the weight's type and a quantised cache scaled before or after the sum.
 * Probabilities and margins taken from logits may be 8 times as far off as the logits.
 * The root mean square of all errors must be below a quarter of that. */
static double
type_tolerance (guint32 type)
{
  switch (type) {
  case DP_F16: return 4e-3;
  case DP_BF16:
  case DP_I8:
  case DP_I4: return 3e-2;
  default: return 1e-4;
  }
}

static double
coarsest_input (const DpSchema *schema, const void *args)
{
  double tolerance = 0;
  for (guint i = 0; i < schema->n_fields; i++) {
    const DpTensor *t = dp_field_tensor (&schema->fields[i], args);
    const DpWeight *w = dp_field_weight (&schema->fields[i], args);
    const DpKv *kv = dp_field_kv (&schema->fields[i], args);
    guint32 type = t && t->buffer ? t->type : w ? w->type : kv ? kv->config.type : DP_F32;
    tolerance = MAX (tolerance, type_tolerance (type));
  }
  return tolerance;
}

double
dp_selftest_tolerance (DpOp op, const void *args, const DpTensor *out)
{
  double own = out->type == DP_U8 ? 1.0 / 64 : type_tolerance (out->type);
  if (out->type == DP_I32)
    return 0;
  switch (op) {
  case DP_OP_LM_HEAD_ARGMAX: return 8 * MAX (own, coarsest_input (dp_schema (op), args));
  case DP_OP_LINEAR:
  case DP_OP_QKV_LINEAR:
  case DP_OP_GATE_UP_SILU:
  case DP_OP_WEIGHT_QUANT_MATMUL:
  case DP_OP_PREFILL_ATTENTION:
  case DP_OP_PAGED_PREFILL_ATTENTION:
  case DP_OP_PAGED_DECODE_ATTENTION:
  case DP_OP_FUSED_MOE:
  case DP_OP_CONV2D: return MAX (own, coarsest_input (dp_schema (op), args));
  default: return own;
  }
}

static double
value_at (const DpTensor *t, const guint8 *memory, guint32 row, guint32 col)
{
  const guint8 *p = memory + t->offset + ((gsize) row * t->stride + col) * dp_type_size (t->type);
  guint16 half;
  float f;
  gint32 i;
  switch (t->type) {
  case DP_F16: memcpy (&half, p, 2); return dp_f16_to_f32 (half);
  case DP_BF16: memcpy (&half, p, 2); return dp_bf16_to_f32 (half);
  case DP_I32: memcpy (&i, p, 4); return i;
  case DP_I8: return *(const gint8 *) p;
  case DP_U8: return *p;
  default: memcpy (&f, p, 4); return f;
  }
}

static double
root_mean_square (const DpTensor *t, const guint8 *memory)
{
  double sum = 0;
  gsize n = 0;
  for (guint32 row = 0; row < t->rows; row++)
    for (guint32 col = 0; col < t->cols; col++) {
      double v = value_at (t, memory, row, col);
      if (isfinite (v))
        sum += v * v, n++;
    }
  return n ? sqrt (sum / (double) n) : 0;
}

static gboolean
row_is_finite (const DpTensor *t, const guint8 *memory, guint32 row)
{
  for (guint32 col = 0; col < t->cols; col++)
    if (!isfinite (value_at (t, memory, row, col)))
      return FALSE;
  return TRUE;
}

static double
off_by (double expected, double got, double tolerance, double size)
{
  if (expected == got || (isnan (expected) && isnan (got)))
    return 0;
  if (!isfinite (expected) || !isfinite (got) || tolerance == 0)
    return INFINITY;
  return fabs (expected - got) / (tolerance * MAX (fabs (expected), size) + 1e-30);
}

/* Integers of 8 bits may be one off: rounding of a value that sits between two. */
static double
error_at (const DpTensor *t, double e, double g, double tolerance, double size, gboolean finite_row)
{
  if (t->type == DP_I8 || (t->type == DP_U8 && tolerance > 0))
    return fabs (e - g) <= 1 ? 0 : INFINITY;
  if (tolerance > 0 && !finite_row) /* what is not finite stays so; the rest of such a row is open */
    return !isfinite (e) && isfinite (g) ? INFINITY : 0;
  return off_by (e, g, tolerance, size);
}

double
dp_selftest_compare (const DpTensor *t, const guint8 *expected, const guint8 *got, double tolerance, char **message)
{
  double size = root_mean_square (t, expected), worst = 0, squares = 0;
  gsize n = 0;
  for (guint32 row = 0; row < t->rows; row++) {
    gboolean finite = row_is_finite (t, expected, row);
    for (guint32 col = 0; col < t->cols; col++) {
      double e = value_at (t, expected, row, col), g = value_at (t, got, row, col);
      double error = error_at (t, e, g, tolerance, size, finite);
      if (error > MAX (worst, 1) && message && !*message)
        *message = g_strdup_printf ("row %u, column %u is %g instead of %g", row, col, g, e);
      worst = MAX (worst, error);
      squares += error * error;
      n++;
    }
  }
  double overall = n ? 4 * sqrt (squares / (double) n) : 0;
  if (worst <= 1 && overall > 1 && message)
    *message = g_strdup_printf ("root mean square error is %.1f times what is allowed", overall);
  return MAX (worst, overall);
}
