/* ops/selftest_dense.c - conformance cases of norms, linear operators, quantisation and activations. */
#include "ops/selftest_case.h"

#define ANY_WEIGHT (DP_FLOATS | DP_TYPE_BIT (DP_I8) | DP_TYPE_BIT (DP_I4))

/* Widths: small odd ones, and those just around vector and panel sizes. */
static guint32
width (DpCase *c)
{
  static const guint32 widths[] = { 1, 2, 7, 16, 31, 32, 33, 64, 80, 127, 128, 160, 256, 320, 512 };
  return widths[dp_case_int (c, 0, G_N_ELEMENTS (widths) - 1)];
}

/* Token counts: one (decode), the edges of micro-kernels, a few more. */
static guint32
tokens (DpCase *c)
{
  static const guint32 counts[] = { 1, 1, 2, 3, 4, 5, 8, 11, 12, 13, 16, 17, 25, 37, 70 };
  return counts[dp_case_int (c, 0, G_N_ELEMENTS (counts) - 1)];
}

static float
epsilon (DpCase *c)
{
  return dp_case_chance (c, 3) ? 1e-5f : 1e-6f;
}

static DpTensor
input (DpCase *c, guint32 rows, guint32 cols)
{
  DpTensor x = dp_case_floats (c, dp_case_float_type (c), rows, cols, -2, 2);
  dp_case_spoil (c, &x);
  dp_case_by_rows (c, rows);
  return x;
}

static DpTensor
output (DpCase *c, guint32 rows, guint32 cols)
{
  return dp_case_out (c, dp_case_float_type (c), rows, cols);
}

static DpTensor
vector (DpCase *c, guint32 cols)
{
  return dp_case_floats (c, dp_case_float_type (c), 1, cols, 0.2f, 1.5f);
}

static DpTensor
maybe (DpCase *c, DpTensor t)
{
  return dp_case_chance (c, 2) ? t : (DpTensor){ 0 };
}

/* ---- norm ---- */

void
dp_selftest_rms_norm (DpCase *c)
{
  guint32 groups = dp_case_chance (c, 3) ? dp_case_int (c, 2, 5) : 1, n = width (c);
  DpTensor x = input (c, tokens (c), n * groups), y = output (c, x.rows, x.cols);
  DpRmsNormArgs a = { .x = x, .weight = vector (c, n), .eps = epsilon (c), .groups = groups, .y = dp_case_alias (c, x, y) };
  dp_case_run (c, DP_OP_RMS_NORM, &a);
}

void
dp_selftest_add_rms_norm (DpCase *c)
{
  DpTensor x = input (c, tokens (c), width (c)), residual = input (c, x.rows, x.cols), y = output (c, x.rows, x.cols);
  DpAddRmsNormArgs a = { .x = x, .residual = residual, .weight = vector (c, x.cols), .eps = epsilon (c), .y = dp_case_alias (c, x, y) };
  dp_case_run (c, DP_OP_ADD_RMS_NORM, &a);
}

void
dp_selftest_layer_norm (DpCase *c)
{
  DpTensor x = input (c, tokens (c), width (c) + 1), y = output (c, x.rows, x.cols);
  DpLayerNormArgs a
      = { .x = x, .weight = vector (c, x.cols), .bias = maybe (c, vector (c, x.cols)), .eps = 1e-5f, .y = dp_case_alias (c, x, y) };
  dp_case_run (c, DP_OP_LAYER_NORM, &a);
}

void
dp_selftest_add_layer_norm (DpCase *c)
{
  DpTensor x = input (c, tokens (c), width (c) + 1), residual = input (c, x.rows, x.cols), y = output (c, x.rows, x.cols);
  DpAddLayerNormArgs a = { .x = x,
                           .residual = residual,
                           .weight = vector (c, x.cols),
                           .bias = maybe (c, vector (c, x.cols)),
                           .eps = 1e-5f,
                           .y = dp_case_alias (c, x, y) };
  dp_case_run (c, DP_OP_ADD_LAYER_NORM, &a);
}

/* ---- linear ---- */

static DpTensor
residual_for (DpCase *c, const DpTensor *y)
{
  DpTensor other = dp_case_floats (c, dp_case_float_type (c), y->rows, y->cols, -2, 2);
  return dp_case_chance (c, 2) ? other : (DpTensor){ 0 };
}

/* y, or now and then the residual itself. */
static DpTensor
output_over (DpCase *c, const DpTensor *residual, DpTensor y)
{
  return residual->buffer && dp_case_chance (c, 3) ? *residual : y;
}

/* Tied weights serve as embedding, greedy head and plain product at once. */
static guint32
other_uses (DpCase *c)
{
  return dp_case_chance (c, 4) ? DP_USE_EMBEDDING | DP_USE_LM_HEAD : 0;
}

void
dp_selftest_linear (DpCase *c)
{
  DpTensor x = input (c, tokens (c), width (c)), y = output (c, x.rows, width (c)), residual = residual_for (c, &y);
  DpLinearArgs a = { .x = x,
                     .weight = dp_case_weight (c, DP_USE_LINEAR | other_uses (c), DP_FLOATS, 1, y.cols, x.cols, dp_case_chance (c, 2)),
                     .act = dp_case_int (c, 0, DP_N_ACTS - 1),
                     .residual = residual,
                     .y = output_over (c, &residual, y) };
  dp_case_run (c, DP_OP_LINEAR, &a);
}

void
dp_selftest_weight_quant_matmul (DpCase *c)
{
  DpTensor x = input (c, tokens (c), width (c)), y = output (c, x.rows, width (c)), residual = residual_for (c, &y);
  DpWeightQuantMatmulArgs a
      = { .x = x,
          .weight = dp_case_weight (c, DP_USE_LINEAR, DP_TYPE_BIT (DP_I8) | DP_TYPE_BIT (DP_I4), 1, y.cols, x.cols, dp_case_chance (c, 2)),
          .act = dp_case_int (c, 0, DP_N_ACTS - 1),
          .residual = residual,
          .y = output_over (c, &residual, y) };
  dp_case_run (c, DP_OP_WEIGHT_QUANT_MATMUL, &a);
}

/* q, k and v in one buffer or in three. */
void
dp_selftest_qkv_linear (DpCase *c)
{
  DpTensor x = input (c, tokens (c), width (c));
  guint32 q = width (c), k = width (c), v = dp_case_chance (c, 2) ? k : width (c);
  DpQkvLinearArgs a = { .x = x, .weight = dp_case_weight (c, DP_USE_QKV, ANY_WEIGHT, 1, q + k + v, x.cols, dp_case_chance (c, 2)) };
  if (dp_case_chance (c, 2)) {
    DpTensor all = output (c, x.rows, q + k + v);
    a.q = dp_tensor_cols (all, 0, q), a.k = dp_tensor_cols (all, q, k), a.v = dp_tensor_cols (all, q + k, v);
  } else
    a.q = output (c, x.rows, q), a.k = output (c, x.rows, k), a.v = output (c, x.rows, v);
  dp_case_run (c, DP_OP_QKV_LINEAR, &a);
}

void
dp_selftest_gate_up_silu (DpCase *c)
{
  DpTensor x = input (c, tokens (c), width (c)), y = output (c, x.rows, width (c));
  DpGateUpSiluArgs a = { .x = x,
                         .weight = dp_case_weight (c, DP_USE_GATE_UP, ANY_WEIGHT, 1, 2 * y.cols, x.cols, dp_case_chance (c, 4)),
                         .act = dp_case_chance (c, 3) ? DP_ACT_GELU_TANH : DP_ACT_SILU,
                         .y = y };
  dp_case_run (c, DP_OP_GATE_UP_SILU, &a);
}

void
dp_selftest_lm_head_argmax (DpCase *c)
{
  DpTensor x = input (c, tokens (c), width (c)), margin = dp_case_out (c, DP_F32, x.rows, 1);
  guint32 uses = DP_USE_LM_HEAD | (dp_case_chance (c, 2) ? DP_USE_EMBEDDING : 0);
  DpLmHeadArgmaxArgs a = { .x = x,
                           .weight = dp_case_weight (c, uses, ANY_WEIGHT, 1, 2 + width (c), x.cols, dp_case_chance (c, 4)),
                           .softcap = dp_case_chance (c, 4) ? 3.f : 0,
                           .ids = dp_case_out (c, DP_I32, x.rows, 1),
                           .logprob = maybe (c, dp_case_out (c, DP_F32, x.rows, 1)),
                           .margin = margin };
  dp_case_loose_ids (c, "margin");
  dp_case_run (c, DP_OP_LM_HEAD_ARGMAX, &a);
}

/* ---- int8 ---- */

void
dp_selftest_dynamic_quant (DpCase *c)
{
  DpTensor x = input (c, tokens (c), width (c));
  DpDynamicQuantArgs a = { .x = x, .q = dp_case_out (c, DP_I8, x.rows, x.cols), .scale = dp_case_out (c, DP_F32, x.rows, 1) };
  dp_case_run (c, DP_OP_DYNAMIC_QUANT, &a);
}

void
dp_selftest_linear_w8a8 (DpCase *c)
{
  DpTensor x = dp_case_bytes (c, DP_I8, tokens (c), width (c)), scale = dp_case_floats (c, DP_F32, x.rows, 1, 0.001f, 0.02f);
  DpTensor y = output (c, x.rows, width (c)), residual = residual_for (c, &y);
  dp_case_by_rows (c, x.rows);
  DpLinearW8a8Args a = { .x = x,
                         .x_scale = scale,
                         .weight = dp_case_int8_rows (c, y.cols, x.cols),
                         .act = dp_case_int (c, 0, DP_N_ACTS - 1),
                         .residual = residual,
                         .y = output_over (c, &residual, y) };
  dp_case_run (c, DP_OP_LINEAR_W8A8, &a);
}

void
dp_selftest_rms_norm_w8a8 (DpCase *c)
{
  DpTensor x = input (c, tokens (c), width (c));
  DpRmsNormW8a8Args a = { .x = x,
                          .weight = vector (c, x.cols),
                          .eps = epsilon (c),
                          .q = dp_case_out (c, DP_I8, x.rows, x.cols),
                          .scale = dp_case_out (c, DP_F32, x.rows, 1) };
  dp_case_run (c, DP_OP_RMS_NORM_W8A8, &a);
}

void
dp_selftest_add_rms_norm_w8a8 (DpCase *c)
{
  DpTensor x = input (c, tokens (c), width (c)), residual = input (c, x.rows, x.cols);
  DpAddRmsNormW8a8Args a = { .x = x,
                             .residual = residual,
                             .weight = vector (c, x.cols),
                             .eps = epsilon (c),
                             .q = dp_case_out (c, DP_I8, x.rows, x.cols),
                             .scale = dp_case_out (c, DP_F32, x.rows, 1) };
  dp_case_run (c, DP_OP_ADD_RMS_NORM_W8A8, &a);
}

/* ---- activation ---- */

/* Arguments far from zero too, where exponentials overflow. */
static DpTensor
wide_input (DpCase *c, guint32 rows, guint32 cols)
{
  float limit = dp_case_chance (c, 4) ? 200 : 5;
  DpTensor x = dp_case_floats (c, dp_case_float_type (c), rows, cols, -limit, limit);
  dp_case_spoil (c, &x);
  dp_case_by_rows (c, rows);
  return x;
}

void
dp_selftest_silu_and_mul (DpCase *c)
{
  DpTensor y = output (c, tokens (c), width (c));
  DpSiluAndMulArgs a = { .x = wide_input (c, y.rows, 2 * y.cols), .y = y };
  dp_case_run (c, DP_OP_SILU_AND_MUL, &a);
}

void
dp_selftest_gelu_and_mul (DpCase *c)
{
  DpTensor y = output (c, tokens (c), width (c));
  DpGeluAndMulArgs a = { .x = wide_input (c, y.rows, 2 * y.cols), .tanh_form = dp_case_chance (c, 2), .y = y };
  dp_case_run (c, DP_OP_GELU_AND_MUL, &a);
}

void
dp_selftest_gelu (DpCase *c)
{
  DpTensor x = wide_input (c, tokens (c), width (c)), y = output (c, x.rows, x.cols);
  DpGeluArgs a = { .x = x, .tanh_form = dp_case_chance (c, 2), .y = dp_case_alias (c, x, y) };
  dp_case_run (c, DP_OP_GELU, &a);
}

void
dp_selftest_quick_gelu (DpCase *c)
{
  DpTensor x = wide_input (c, tokens (c), width (c)), y = output (c, x.rows, x.cols);
  DpQuickGeluArgs a = { .x = x, .y = dp_case_alias (c, x, y) };
  dp_case_run (c, DP_OP_QUICK_GELU, &a);
}

/* ---- mixture of experts ---- */

void
dp_selftest_moe_gating_topk (DpCase *c)
{
  guint32 groups = dp_case_chance (c, 2) ? dp_case_int (c, 2, 4) : 1, size = dp_case_int (c, 2, 9), experts = groups * size;
  DpTensor logits = input (c, tokens (c), experts);
  DpMoeGatingTopkArgs a = { .logits = logits,
                            .gate = dp_case_int (c, DP_GATE_SOFTMAX, DP_GATE_SIGMOID),
                            .n_groups = groups,
                            .renormalize = dp_case_chance (c, 2),
                            .scale = dp_case_chance (c, 3) ? 2.5f : 1 };
  a.bias = maybe (c, dp_case_floats (c, DP_F32, 1, experts, -0.5f, 0.5f));
  a.topk_groups = dp_case_int (c, 1, groups);
  a.group_top = dp_case_int (c, 1, 2);
  a.k = dp_case_int (c, 1, size * (groups > 1 ? a.topk_groups : 1));
  a.weights = dp_case_out (c, DP_F32, logits.rows, a.k);
  a.ids = dp_case_out (c, DP_I32, logits.rows, a.k);
  dp_case_run (c, DP_OP_MOE_GATING_TOPK, &a);
}

void
dp_selftest_fused_moe (DpCase *c)
{
  guint32 experts = dp_case_int (c, 1, 8), k = dp_case_int (c, 1, experts), inner = width (c);
  DpTensor x = input (c, tokens (c), width (c)), y = output (c, x.rows, x.cols), residual = residual_for (c, &y);
  g_autofree gint32 *ids = g_new (gint32, (gsize) x.rows * k);
  for (guint32 i = 0; i < x.rows * k; i++)
    ids[i] = (gint32) dp_case_int (c, 0, experts) - 1; /* -1 is skipped */
  DpFusedMoeArgs a = { .x = x,
                       .weights = dp_case_floats (c, DP_F32, x.rows, k, 0, 1),
                       .ids = dp_case_ints (c, x.rows, k, ids),
                       .act = DP_ACT_SILU,
                       .residual = residual,
                       .y = output_over (c, &residual, y) };
  a.gate_up = dp_case_weight (c, DP_USE_MOE_GATE_UP, ANY_WEIGHT, experts, 2 * inner, x.cols, FALSE);
  a.down = dp_case_weight (c, DP_USE_MOE_DOWN, ANY_WEIGHT, experts, x.cols, inner, FALSE);
  dp_case_run (c, DP_OP_FUSED_MOE, &a);
}
