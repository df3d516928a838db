/* ops/cost.c - how much work a call is: for traces and benchmarks. */
#include "ops/private.h"
#include "ops/schema.h"

static double
product_flop (const DpTensor *x, const DpWeight *w)
{
  return 2.0 * x->rows * w->rows * w->cols;
}

/* Score and value products; causal sequences need about half. */
static double
attention_flop (const DpAttention *a, double queries, double keys, gboolean triangle)
{
  if (a->window && a->window < keys)
    keys = a->causal ? a->window : MIN (keys, 2.0 * a->window - 1);
  else if (triangle && a->causal)
    keys /= 2;
  return 2.0 * queries * keys * a->n_heads * ((double) a->head_dim + a->head_dim_v);
}

double
dp_call_flop (DpOp op, const void *args)
{
  switch (op) {
  case DP_OP_LINEAR: {
    const DpLinearArgs *a = args;
    return product_flop (&a->x, a->weight);
  }
  case DP_OP_QKV_LINEAR: {
    const DpQkvLinearArgs *a = args;
    return product_flop (&a->x, a->weight);
  }
  case DP_OP_GATE_UP_SILU: {
    const DpGateUpSiluArgs *a = args;
    return product_flop (&a->x, a->weight);
  }
  case DP_OP_WEIGHT_QUANT_MATMUL: {
    const DpWeightQuantMatmulArgs *a = args;
    return product_flop (&a->x, a->weight);
  }
  case DP_OP_LINEAR_W8A8: {
    const DpLinearW8a8Args *a = args;
    return product_flop (&a->x, a->weight);
  }
  case DP_OP_LM_HEAD_ARGMAX: {
    const DpLmHeadArgmaxArgs *a = args;
    return product_flop (&a->x, a->weight);
  }
  case DP_OP_FUSED_MOE: {
    const DpFusedMoeArgs *a = args;
    return a->ids.cols * (product_flop (&a->x, a->gate_up) + product_flop (&a->x, a->down));
  }
  case DP_OP_CONV2D: {
    const DpConv2dArgs *a = args;
    return 2.0 * a->y.rows * a->weight->rows * a->weight->cols;
  }
  case DP_OP_PREFILL_ATTENTION: {
    const DpPrefillAttentionArgs *a = args;
    return attention_flop (&a->attn, a->q.rows, a->max_seqlen, TRUE);
  }
  case DP_OP_PAGED_PREFILL_ATTENTION: {
    const DpPagedPrefillAttentionArgs *a = args;
    return attention_flop (&a->attn, a->q.rows, a->max_kv_len, FALSE);
  }
  case DP_OP_PAGED_DECODE_ATTENTION: {
    const DpPagedDecodeAttentionArgs *a = args;
    return attention_flop (&a->attn, a->q.rows, a->max_kv_len, FALSE);
  }
  default: return 0;
  }
}

/* Bytes of the cache that a call reads at most. */
static double
cache_bytes (DpOp op, const void *args, const DpKv *kv)
{
  const DpKvConfig *c = &kv->config;
  double per_token = (double) c->n_kv_heads * (c->head_dim + (c->v_in_k ? 0 : c->head_dim_v)) * dp_type_size (c->type);
  switch (op) {
  case DP_OP_PAGED_PREFILL_ATTENTION: {
    const DpPagedPrefillAttentionArgs *a = args;
    return per_token * a->kv_lens.rows * a->max_kv_len;
  }
  case DP_OP_PAGED_DECODE_ATTENTION: {
    const DpPagedDecodeAttentionArgs *a = args;
    return per_token * a->kv_lens.rows * a->max_kv_len;
  }
  case DP_OP_FILL_KV_CACHE: return per_token * ((const DpFillKvCacheArgs *) args)->k.rows;
  default: return 0;
  }
}

double
dp_call_bytes (DpOp op, const void *args)
{
  const DpSchema *schema = dp_schema (op);
  double bytes = 0;
  for (guint i = 0; i < schema->n_fields; i++) {
    const DpField *field = &schema->fields[i];
    const DpTensor *t = dp_field_tensor (field, args);
    const DpWeight *w = dp_field_weight (field, args);
    const DpKv *kv = dp_field_kv (field, args);
    if (t && t->buffer)
      bytes += (double) dp_tensor_bytes (t) * (field->role == DP_ROLE_INOUT ? 2 : 1);
    else if (w && op == DP_OP_EMBEDDING) /* only the rows looked up */
      bytes += (double) ((const DpEmbeddingArgs *) args)->ids.rows * w->cols * MAX (dp_type_size (w->type), 1);
    else if (w)
      bytes += w->fallback && !w->impl ? (double) w->fallback->bytes : (double) w->bytes;
    else if (kv)
      bytes += cache_bytes (op, args, kv);
  }
  return bytes;
}
