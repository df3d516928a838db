/* ops/schema.c - the table of arguments (ops/schema.h). One line per field, in the order of ops/ops.h. */
#include "ops/schema.h"

#define I32 DP_TYPE_BIT (DP_I32)
#define F32 DP_TYPE_BIT (DP_F32)
#define I8 DP_TYPE_BIT (DP_I8)
#define U8 DP_TYPE_BIT (DP_U8)
#define QUANT (DP_TYPE_BIT (DP_I8) | DP_TYPE_BIT (DP_I4))
#define ANY_WEIGHT (DP_FLOATS | QUANT)

#define FIELD(member, role, optional, types, alias)                                                                                        \
  {                                                                                                                                        \
#member, G_STRUCT_OFFSET(ARGS, member), role, optional, types, alias, 0                                                                \
  }
#define IN(member, types) FIELD (member, DP_ROLE_IN, FALSE, types, NULL)
#define OPT(member, types) FIELD (member, DP_ROLE_IN, TRUE, types, NULL)
#define OUT(member, types, alias) FIELD (member, DP_ROLE_OUT, FALSE, types, alias)
#define OPT_OUT(member, types) FIELD (member, DP_ROLE_OUT, TRUE, types, NULL)
#define INOUT(member, types) FIELD (member, DP_ROLE_INOUT, FALSE, types, NULL)
#define OPT_INOUT(member, types) FIELD (member, DP_ROLE_INOUT, TRUE, types, NULL)
#define WEIGHT(member, types, uses)                                                                                                        \
  {                                                                                                                                        \
#member, G_STRUCT_OFFSET(ARGS, member), DP_ROLE_WEIGHT, FALSE, types, NULL, uses                                                       \
  }
#define KV(member, role)                                                                                                                   \
  {                                                                                                                                        \
#member, G_STRUCT_OFFSET(ARGS, member), role, FALSE, 0, NULL, 0                                                                        \
  }

#define ARGS DpRmsNormArgs
static const DpField rms_norm[] = { IN (x, DP_FLOATS), IN (weight, DP_FLOATS), OUT (y, DP_FLOATS, "x") };
#undef ARGS
#define ARGS DpAddRmsNormArgs
static const DpField add_rms_norm[] = { IN (x, DP_FLOATS), INOUT (residual, DP_FLOATS), IN (weight, DP_FLOATS), OUT (y, DP_FLOATS, "x") };
#undef ARGS
#define ARGS DpLayerNormArgs
static const DpField layer_norm[] = { IN (x, DP_FLOATS), IN (weight, DP_FLOATS), OPT (bias, DP_FLOATS), OUT (y, DP_FLOATS, "x") };
#undef ARGS
#define ARGS DpAddLayerNormArgs
static const DpField add_layer_norm[] = {
  IN (x, DP_FLOATS), INOUT (residual, DP_FLOATS), IN (weight, DP_FLOATS), OPT (bias, DP_FLOATS), OUT (y, DP_FLOATS, "x"),
};
#undef ARGS
#define ARGS DpLinearArgs
static const DpField linear[] = {
  IN (x, DP_FLOATS),
  WEIGHT (weight, DP_FLOATS, DP_USE_LINEAR),
  OPT (residual, DP_FLOATS),
  OUT (y, DP_FLOATS, "residual"),
};
#undef ARGS
#define ARGS DpQkvLinearArgs
static const DpField qkv_linear[] = {
  IN (x, DP_FLOATS), WEIGHT (weight, ANY_WEIGHT, DP_USE_QKV), OUT (q, DP_FLOATS, NULL), OUT (k, DP_FLOATS, NULL), OUT (v, DP_FLOATS, NULL),
};
#undef ARGS
#define ARGS DpGateUpSiluArgs
static const DpField gate_up_silu[] = { IN (x, DP_FLOATS), WEIGHT (weight, ANY_WEIGHT, DP_USE_GATE_UP), OUT (y, DP_FLOATS, NULL) };
#undef ARGS
#define ARGS DpWeightQuantMatmulArgs
static const DpField weight_quant_matmul[] = {
  IN (x, DP_FLOATS),
  WEIGHT (weight, QUANT, DP_USE_LINEAR),
  OPT (residual, DP_FLOATS),
  OUT (y, DP_FLOATS, "residual"),
};
#undef ARGS
#define ARGS DpLmHeadArgmaxArgs
static const DpField lm_head_argmax[] = {
  IN (x, DP_FLOATS), WEIGHT (weight, ANY_WEIGHT, DP_USE_LM_HEAD), OUT (ids, I32, NULL), OPT_OUT (logprob, F32), OPT_OUT (margin, F32),
};
#undef ARGS
#define ARGS DpDynamicQuantArgs
static const DpField dynamic_quant[] = { IN (x, DP_FLOATS), OUT (q, I8, NULL), OUT (scale, F32, NULL) };
#undef ARGS
#define ARGS DpLinearW8a8Args
static const DpField linear_w8a8[] = {
  IN (x, I8), IN (x_scale, F32), WEIGHT (weight, I8, DP_USE_LINEAR), OPT (residual, DP_FLOATS), OUT (y, DP_FLOATS, "residual"),
};
#undef ARGS
#define ARGS DpRmsNormW8a8Args
static const DpField rms_norm_w8a8[] = { IN (x, DP_FLOATS), IN (weight, DP_FLOATS), OUT (q, I8, NULL), OUT (scale, F32, NULL) };
#undef ARGS
#define ARGS DpAddRmsNormW8a8Args
static const DpField add_rms_norm_w8a8[] = {
  IN (x, DP_FLOATS), INOUT (residual, DP_FLOATS), IN (weight, DP_FLOATS), OUT (q, I8, NULL), OUT (scale, F32, NULL),
};
#undef ARGS
#define ARGS DpApplyRotaryArgs
static const DpField apply_rotary[] = {
  INOUT (q, DP_FLOATS), OPT_INOUT (k, DP_FLOATS), IN (cos, F32), IN (sin, F32), OPT (positions, I32),
};
#undef ARGS
#define ARGS DpPrefillAttentionArgs
static const DpField prefill_attention[] = {
  IN (q, DP_FLOATS), IN (k, DP_FLOATS), IN (v, DP_FLOATS), IN (cu_seqlens, I32), OPT (mask, DP_FLOATS), OUT (out, DP_FLOATS, "q"),
};
#undef ARGS
#define ARGS DpPagedPrefillAttentionArgs
static const DpField paged_prefill_attention[] = {
  IN (q, DP_FLOATS), KV (kv, DP_ROLE_KV_IN), IN (block_table, I32), IN (cu_seqlens, I32), IN (kv_lens, I32), OUT (out, DP_FLOATS, "q"),
};
#undef ARGS
#define ARGS DpPagedDecodeAttentionArgs
static const DpField paged_decode_attention[] = {
  IN (q, DP_FLOATS), KV (kv, DP_ROLE_KV_IN), IN (block_table, I32), IN (kv_lens, I32), OUT (out, DP_FLOATS, "q"),
};
#undef ARGS
#define ARGS DpFillKvCacheArgs
static const DpField fill_kv_cache[] = { IN (k, DP_FLOATS), OPT (v, DP_FLOATS), IN (slots, I32), KV (kv, DP_ROLE_KV_OUT) };
#undef ARGS
#define ARGS DpSiluAndMulArgs
static const DpField silu_and_mul[] = { IN (x, DP_FLOATS), OUT (y, DP_FLOATS, NULL) };
#undef ARGS
#define ARGS DpGeluArgs
static const DpField gelu[] = { IN (x, DP_FLOATS), OUT (y, DP_FLOATS, "x") };
#undef ARGS
#define ARGS DpQuickGeluArgs
static const DpField quick_gelu[] = { IN (x, DP_FLOATS), OUT (y, DP_FLOATS, "x") };
#undef ARGS
#define ARGS DpGeluAndMulArgs
static const DpField gelu_and_mul[] = { IN (x, DP_FLOATS), OUT (y, DP_FLOATS, NULL) };
#undef ARGS
#define ARGS DpMoeGatingTopkArgs
static const DpField moe_gating_topk[] = { IN (logits, DP_FLOATS), OPT (bias, F32), OUT (weights, F32, NULL), OUT (ids, I32, NULL) };
#undef ARGS
#define ARGS DpFusedMoeArgs
static const DpField fused_moe[] = {
  IN (x, DP_FLOATS),
  WEIGHT (gate_up, ANY_WEIGHT, DP_USE_MOE_GATE_UP),
  WEIGHT (down, ANY_WEIGHT, DP_USE_MOE_DOWN),
  IN (weights, F32),
  IN (ids, I32),
  OPT (residual, DP_FLOATS),
  OUT (y, DP_FLOATS, "residual"),
};
#undef ARGS
#define ARGS DpConv2dArgs
static const DpField conv2d[] = {
  IN (x, DP_FLOATS),
  WEIGHT (weight, DP_FLOATS, DP_USE_CONV),
  OPT (residual, DP_FLOATS),
  OUT (y, DP_FLOATS, "residual"),
};
#undef ARGS
#define ARGS DpPatchMergeArgs
static const DpField patch_merge[] = { IN (x, DP_FLOATS | I32 | I8 | U8), OUT (y, DP_FLOATS | I32 | I8 | U8, NULL) };
#undef ARGS
#define ARGS DpScatterRowsArgs
static const DpField scatter_rows[] = { IN (x, DP_FLOATS | I32), IN (index, I32), INOUT (y, DP_FLOATS | I32) };
#undef ARGS
#define ARGS DpWindowPermuteArgs
static const DpField window_permute[] = { IN (x, DP_FLOATS | I32), IN (index, I32), OUT (y, DP_FLOATS | I32, NULL) };
#undef ARGS
#define ARGS DpResizeArgs
static const DpField resize[] = { IN (x, DP_FLOATS | U8), OUT (y, DP_FLOATS | U8, NULL) };
#undef ARGS
#define ARGS DpEmbeddingArgs
static const DpField embedding[] = { IN (ids, I32), WEIGHT (weight, ANY_WEIGHT, DP_USE_EMBEDDING), OUT (y, DP_FLOATS, NULL) };
#undef ARGS
#define ARGS DpLogitsPenaltyArgs
static const DpField logits_penalty[] = {
  INOUT (logits, F32), IN (tokens, I32), IN (lens, I32), IN (prompt_lens, I32), IN (params, F32),
};
#undef ARGS
#define ARGS DpNgramBanArgs
static const DpField ngram_ban[] = { INOUT (logits, F32), IN (tokens, I32), IN (lens, I32), IN (prompt_lens, I32), IN (sizes, I32) };
#undef ARGS
#define ARGS DpSampleArgs
static const DpField sample[] = {
  IN (logits, DP_FLOATS), IN (params, F32), IN (top_k, I32), IN (random, I32), OUT (ids, I32, NULL), OPT_OUT (logprob, F32),
};
#undef ARGS
#define ARGS DpCtcArgmaxArgs
static const DpField ctc_argmax[] = {
  IN (logits, DP_FLOATS), IN (cu_seqlens, I32), OUT (ids, I32, NULL), OUT (lens, I32, NULL), OPT_OUT (frames, I32), OPT_OUT (logprob, F32),
};
#undef ARGS

static guint16
layer_offset (DpOp op)
{
  switch (op) {
  case DP_OP_FILL_KV_CACHE: return G_STRUCT_OFFSET (DpFillKvCacheArgs, layer);
  case DP_OP_PAGED_PREFILL_ATTENTION: return G_STRUCT_OFFSET (DpPagedPrefillAttentionArgs, layer);
  case DP_OP_PAGED_DECODE_ATTENTION: return G_STRUCT_OFFSET (DpPagedDecodeAttentionArgs, layer);
  default: return 0;
  }
}

guint32
dp_call_layer (DpOp op, const void *args)
{
  return *(const guint32 *) ((const char *) args + layer_offset (op));
}

const DpSchema *
dp_schema (DpOp op)
{
  static const DpSchema schema[DP_N_OPS] = {
#define X(id, name, NAME, Name) [id] = { #name, sizeof (Dp##Name##Args), name, G_N_ELEMENTS (name) },
    DP_OPS (X)
#undef X
  };
  return &schema[op];
}

const char *
dp_op_name (guint op)
{
  return op < DP_N_OPS ? dp_schema (op)->name : NULL;
}

int
dp_op_from_name (const char *name)
{
  for (guint op = 0; op < DP_N_OPS; op++)
    if (g_str_equal (dp_schema (op)->name, name))
      return (int) op;
  return -1;
}

gboolean
dp_tensor_same (const DpTensor *a, const DpTensor *b)
{
  return a->buffer == b->buffer && a->offset == b->offset && a->rows == b->rows && a->cols == b->cols && a->type == b->type
         && (a->stride == b->stride || a->rows == 1);
}

gboolean
dp_tensor_overlap (const DpTensor *a, const DpTensor *b)
{
  if (!a->buffer || a->buffer != b->buffer || !dp_tensor_span (a) || !dp_tensor_span (b))
    return FALSE;
  if (a->offset > b->offset) {
    const DpTensor *swap = a;
    a = b, b = swap;
  }
  if (a->offset + dp_tensor_span (a) <= b->offset)
    return FALSE;
  gsize stride_a = (gsize) a->stride * dp_type_size (a->type), stride_b = (gsize) b->stride * dp_type_size (b->type);
  if (a->rows == 1)
    stride_a = stride_b;
  else if (b->rows == 1)
    stride_b = stride_a;
  if (stride_a != stride_b)
    return TRUE;
  /* b starts `row` rows and `column` bytes after a, and each of its rows may run over into the next row of a */
  gsize width_a = (gsize) a->cols * dp_type_size (a->type), width_b = (gsize) b->cols * dp_type_size (b->type);
  gsize row = (b->offset - a->offset) / stride_a, column = (b->offset - a->offset) % stride_a;
  return (column < width_a && row < a->rows) || (column + width_b > stride_a && row + 1 < a->rows);
}
