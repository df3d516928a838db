/* backends/reference/workspace.c - how many floats of scratch each operator wants. */
#include "backends/reference/reference.h"

static gsize
floats (DpOp op, const void *args)
{
  switch (op) {
  case DP_OP_RMS_NORM: return 2 * (gsize) ((const DpRmsNormArgs *) args)->x.cols;
  case DP_OP_ADD_RMS_NORM: return 2 * (gsize) ((const DpAddRmsNormArgs *) args)->x.cols;
  case DP_OP_LAYER_NORM: return 2 * (gsize) ((const DpLayerNormArgs *) args)->x.cols;
  case DP_OP_ADD_LAYER_NORM: return 2 * (gsize) ((const DpAddLayerNormArgs *) args)->x.cols;
  case DP_OP_RMS_NORM_W8A8: return 2 * (gsize) ((const DpRmsNormW8a8Args *) args)->x.cols;
  case DP_OP_ADD_RMS_NORM_W8A8: return 2 * (gsize) ((const DpAddRmsNormW8a8Args *) args)->x.cols;
  case DP_OP_DYNAMIC_QUANT: return ((const DpDynamicQuantArgs *) args)->x.cols;
  case DP_OP_LINEAR: return ((gsize) ((const DpLinearArgs *) args)->x.rows + 1) * ((const DpLinearArgs *) args)->x.cols;
  case DP_OP_QKV_LINEAR: return ((gsize) ((const DpQkvLinearArgs *) args)->x.rows + 1) * ((const DpQkvLinearArgs *) args)->x.cols;
  case DP_OP_WEIGHT_QUANT_MATMUL:
    return ((gsize) ((const DpWeightQuantMatmulArgs *) args)->x.rows + 1) * ((const DpWeightQuantMatmulArgs *) args)->x.cols;
  case DP_OP_GATE_UP_SILU: return 3 * (gsize) ((const DpGateUpSiluArgs *) args)->x.cols;
  case DP_OP_LM_HEAD_ARGMAX: {
    const DpLmHeadArgmaxArgs *a = args;
    return 2 * (gsize) a->weight->cols + a->weight->rows;
  }
  case DP_OP_PREFILL_ATTENTION: return ((const DpPrefillAttentionArgs *) args)->max_seqlen;
  case DP_OP_PAGED_PREFILL_ATTENTION: return ((const DpPagedPrefillAttentionArgs *) args)->max_kv_len;
  case DP_OP_PAGED_DECODE_ATTENTION: return ((const DpPagedDecodeAttentionArgs *) args)->max_kv_len;
  case DP_OP_FILL_KV_CACHE: {
    const DpFillKvCacheArgs *a = args;
    return MAX (a->k.cols, a->v.buffer ? a->v.cols : 0);
  }
  case DP_OP_MOE_GATING_TOPK: return 4 * (gsize) ((const DpMoeGatingTopkArgs *) args)->logits.cols;
  case DP_OP_FUSED_MOE: {
    const DpFusedMoeArgs *a = args;
    return 2 * (gsize) a->x.cols + a->down->cols + MAX (a->x.cols, a->down->cols);
  }
  case DP_OP_CONV2D: return ((const DpConv2dArgs *) args)->weight->cols;
  case DP_OP_RESIZE: {
    const DpResizeArgs *a = args;
    return (gsize) a->width + (gsize) a->height * a->out_width;
  }
  case DP_OP_EMBEDDING: return ((const DpEmbeddingArgs *) args)->weight->cols;
  case DP_OP_LOGITS_PENALTY: return 2 * (gsize) ((const DpLogitsPenaltyArgs *) args)->logits.cols;
  case DP_OP_SAMPLE: return 3 * (gsize) ((const DpSampleArgs *) args)->logits.cols;
  case DP_OP_CTC_ARGMAX: return ((const DpCtcArgmaxArgs *) args)->logits.cols;
  default: return 0;
  }
}

gsize
ref_workspace (G_GNUC_UNUSED DpBackend *backend, DpOp op, const void *args)
{
  return floats (op, args) * sizeof (float);
}
