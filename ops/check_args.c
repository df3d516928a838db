/* ops/check_args.c - how the shapes and numbers of each operator hang together: one function per operator, as ops/ops.h
 * says it.  Each returns the sentence that is wrong, or NULL. */
#include "ops/private.h"
#include "ops/schema.h"

#include <math.h>

#define NEED(condition, sentence)                                                                                                          \
  do {                                                                                                                                     \
    if (!(condition))                                                                                                                      \
      return sentence;                                                                                                                     \
  } while (0)

#define SAME_SHAPE(a, b) ((a).rows == (b).rows && (a).cols == (b).cols)
#define IS_SHAPE(t, r, c) ((t).rows == (r) && (t).cols == (c))
#define ABSENT_OR(t, condition) (!(t).buffer || (condition))

static gboolean
eps_ok (float eps)
{
  return isfinite (eps) && eps >= 0;
}

/* Product of up to four sizes, or 0 when it leaves 32 bits. */
static guint32
product (guint64 a, guint64 b, guint64 c, guint64 d)
{
  guint64 p = a * b;
  if (p > G_MAXINT32 || p * c > G_MAXINT32)
    return 0;
  p *= c;
  return p * d > G_MAXINT32 ? 0 : (guint32) (p * d);
}

/* ---- norm ---- */

static const char *
check_rms_norm (const DpRmsNormArgs *a)
{
  guint32 groups = MAX (a->groups, 1);
  NEED (a->x.cols % groups == 0, "groups must divide the columns");
  NEED (IS_SHAPE (a->weight, 1, a->x.cols / groups), "weight must be [1, H/groups]");
  NEED (SAME_SHAPE (a->x, a->y), "x and y must have the same shape");
  NEED (eps_ok (a->eps), "eps must be finite and not negative");
  return NULL;
}

static const char *
check_add_rms_norm (const DpAddRmsNormArgs *a)
{
  NEED (SAME_SHAPE (a->x, a->residual) && SAME_SHAPE (a->x, a->y), "x, residual and y must have the same shape");
  NEED (IS_SHAPE (a->weight, 1, a->x.cols), "weight must be [1, H]");
  NEED (eps_ok (a->eps), "eps must be finite and not negative");
  return NULL;
}

static const char *
check_layer_norm (const DpLayerNormArgs *a)
{
  NEED (SAME_SHAPE (a->x, a->y), "x and y must have the same shape");
  NEED (IS_SHAPE (a->weight, 1, a->x.cols), "weight must be [1, H]");
  NEED (ABSENT_OR (a->bias, IS_SHAPE (a->bias, 1, a->x.cols)), "bias must be [1, H]");
  NEED (eps_ok (a->eps), "eps must be finite and not negative");
  return NULL;
}

static const char *
check_add_layer_norm (const DpAddLayerNormArgs *a)
{
  NEED (SAME_SHAPE (a->x, a->residual) && SAME_SHAPE (a->x, a->y), "x, residual and y must have the same shape");
  NEED (IS_SHAPE (a->weight, 1, a->x.cols), "weight must be [1, H]");
  NEED (ABSENT_OR (a->bias, IS_SHAPE (a->bias, 1, a->x.cols)), "bias must be [1, H]");
  NEED (eps_ok (a->eps), "eps must be finite and not negative");
  return NULL;
}

/* ---- linear ---- */

static const char *
check_product (const DpTensor *x, const DpWeight *w, guint32 act, const DpTensor *residual, const DpTensor *y)
{
  NEED (w->n == 1, "the weight must be a single matrix");
  NEED (x->cols == w->cols, "x must have as many columns as the weight has inputs");
  NEED (y->rows == x->rows && y->cols == w->rows, "y must be [rows of x, outputs of the weight]");
  NEED (ABSENT_OR (*residual, SAME_SHAPE (*residual, *y)), "residual must have y's shape");
  NEED (act < DP_N_ACTS, "act is not a DpAct");
  return NULL;
}

static const char *
check_linear (const DpLinearArgs *a)
{
  return check_product (&a->x, a->weight, a->act, &a->residual, &a->y);
}

static const char *
check_weight_quant_matmul (const DpWeightQuantMatmulArgs *a)
{
  return check_product (&a->x, a->weight, a->act, &a->residual, &a->y);
}

static const char *
check_linear_w8a8 (const DpLinearW8a8Args *a)
{
  NEED (a->weight->group == 0 && !a->weight->has_zeros, "the weight must be i8 with one scale per row and no zeros");
  NEED (IS_SHAPE (a->x_scale, a->x.rows, 1), "x_scale must be [T, 1]");
  return check_product (&a->x, a->weight, a->act, &a->residual, &a->y);
}

static const char *
check_qkv_linear (const DpQkvLinearArgs *a)
{
  guint64 out = (guint64) a->q.cols + a->k.cols + a->v.cols;
  NEED (a->weight->n == 1, "the weight must be a single matrix");
  NEED (a->x.cols == a->weight->cols, "x must have as many columns as the weight has inputs");
  NEED (out == a->weight->rows, "q, k and v together must have as many columns as the weight has outputs");
  NEED (a->q.rows == a->x.rows && a->k.rows == a->x.rows && a->v.rows == a->x.rows, "q, k and v must have the rows of x");
  return NULL;
}

static const char *
check_gate_up_silu (const DpGateUpSiluArgs *a)
{
  NEED (a->weight->n == 1, "the weight must be a single matrix");
  NEED (a->x.cols == a->weight->cols, "x must have as many columns as the weight has inputs");
  NEED (a->weight->rows % 2 == 0 && IS_SHAPE (a->y, a->x.rows, a->weight->rows / 2), "y must be [rows of x, half the outputs]");
  NEED (a->act < DP_N_ACTS, "act is not a DpAct");
  return NULL;
}

static const char *
check_lm_head_argmax (const DpLmHeadArgmaxArgs *a)
{
  NEED (a->weight->n == 1, "the weight must be a single matrix");
  NEED (a->x.cols == a->weight->cols, "x must have as many columns as the weight has inputs");
  NEED (IS_SHAPE (a->ids, a->x.rows, 1), "ids must be [T, 1]");
  NEED (ABSENT_OR (a->logprob, IS_SHAPE (a->logprob, a->x.rows, 1)), "logprob must be [T, 1]");
  NEED (ABSENT_OR (a->margin, IS_SHAPE (a->margin, a->x.rows, 1)), "margin must be [T, 1]");
  NEED (eps_ok (a->softcap), "softcap must be finite and not negative");
  return NULL;
}

static const char *
check_quant (const DpTensor *x, const DpTensor *q, const DpTensor *scale)
{
  NEED (SAME_SHAPE (*x, *q), "x and q must have the same shape");
  NEED (IS_SHAPE (*scale, x->rows, 1), "scale must be [T, 1]");
  return NULL;
}

static const char *
check_dynamic_quant (const DpDynamicQuantArgs *a)
{
  return check_quant (&a->x, &a->q, &a->scale);
}

static const char *
check_rms_norm_w8a8 (const DpRmsNormW8a8Args *a)
{
  NEED (IS_SHAPE (a->weight, 1, a->x.cols), "weight must be [1, H]");
  NEED (eps_ok (a->eps), "eps must be finite and not negative");
  return check_quant (&a->x, &a->q, &a->scale);
}

static const char *
check_add_rms_norm_w8a8 (const DpAddRmsNormW8a8Args *a)
{
  NEED (SAME_SHAPE (a->x, a->residual), "x and residual must have the same shape");
  NEED (IS_SHAPE (a->weight, 1, a->x.cols), "weight must be [1, H]");
  NEED (eps_ok (a->eps), "eps must be finite and not negative");
  return check_quant (&a->x, &a->q, &a->scale);
}

/* ---- rotary ---- */

static const char *
check_apply_rotary (const DpApplyRotaryArgs *a)
{
  guint64 pairs = 0;
  guint32 axes = 0;
  for (guint i = 0; i < G_N_ELEMENTS (a->sections); i++) {
    pairs += a->sections[i];
    axes = a->sections[i] ? i + 1 : axes;
  }
  NEED (a->rot_dim >= 2 && a->rot_dim % 2 == 0, "rot_dim must be even and at least 2");
  NEED ((guint64) a->rot_start + a->rot_dim <= a->head_dim, "rot_start + rot_dim must not exceed head_dim");
  NEED (a->q.cols % a->head_dim == 0, "q must have a multiple of head_dim columns");
  NEED (ABSENT_OR (a->k, a->k.cols % a->head_dim == 0 && a->k.rows == a->q.rows),
        "k must have q's rows and a multiple of head_dim columns");
  NEED (SAME_SHAPE (a->cos, a->sin) && a->cos.cols == a->rot_dim / 2, "cos and sin must be [P, rot_dim/2]");
  NEED (pairs == 0 || pairs == a->rot_dim / 2, "sections must add up to rot_dim/2");
  if (a->positions.buffer)
    NEED (a->positions.rows == a->q.rows && a->positions.cols >= MAX (axes, 1), "positions must be [T, axes]");
  else
    NEED (a->cos.rows >= a->q.rows, "without positions the tables need a row per token");
  return NULL;
}

/* ---- attention ---- */

static const char *
check_attention (const DpAttention *attn, const DpTensor *q, const DpTensor *out)
{
  NEED (attn->n_heads && attn->n_kv_heads && attn->n_heads % attn->n_kv_heads == 0, "n_heads must be a multiple of n_kv_heads");
  NEED (attn->head_dim && attn->head_dim_v, "head_dim and head_dim_v must not be 0");
  NEED (q->cols == (guint64) attn->n_heads * attn->head_dim, "q must have n_heads*head_dim columns");
  NEED (out->rows == q->rows && out->cols == (guint64) attn->n_heads * attn->head_dim_v, "out must be [rows of q, n_heads*head_dim_v]");
  NEED (isfinite (attn->scale) && attn->scale > 0, "scale must be finite and positive");
  NEED (eps_ok (attn->softcap), "softcap must be finite and not negative");
  return NULL;
}

static const char *
check_cu_seqlens (const DpTensor *cu_seqlens, guint32 max_seqlen, const DpTensor *q)
{
  NEED (cu_seqlens->rows >= 2 && cu_seqlens->cols == 1, "cu_seqlens must be [B+1, 1]");
  NEED (max_seqlen >= 1 && max_seqlen <= q->rows, "max_seqlen must be between 1 and the rows of q");
  return NULL;
}

static const char *
check_prefill_attention (const DpPrefillAttentionArgs *a)
{
  const char *wrong = check_attention (&a->attn, &a->q, &a->out);
  if (!wrong)
    wrong = check_cu_seqlens (&a->cu_seqlens, a->max_seqlen, &a->q);
  if (wrong)
    return wrong;
  NEED (IS_SHAPE (a->k, a->q.rows, (guint64) a->attn.n_kv_heads * a->attn.head_dim), "k must be [T, n_kv_heads*head_dim]");
  NEED (IS_SHAPE (a->v, a->q.rows, (guint64) a->attn.n_kv_heads * a->attn.head_dim_v), "v must be [T, n_kv_heads*head_dim_v]");
  NEED (ABSENT_OR (a->mask, a->mask.rows == a->q.rows && a->mask.cols >= a->max_seqlen), "mask must be [T, >= max_seqlen]");
  return NULL;
}

static const char *
check_paged (const DpAttention *attn, const DpKv *kv, guint32 layer, const DpTensor *table, const DpTensor *lens, guint32 max_kv_len)
{
  const DpKvConfig *c = &kv->config;
  NEED (layer < c->n_layers, "the cache has no such layer");
  NEED (attn->n_kv_heads == c->n_kv_heads && attn->head_dim == c->head_dim && attn->head_dim_v == c->head_dim_v,
        "heads and head sizes must be those of the cache");
  NEED (lens->cols == 1 && lens->rows == table->rows, "kv_lens must be [B, 1]");
  NEED (max_kv_len >= 1 && ((guint64) max_kv_len + c->page_size - 1) / c->page_size <= table->cols,
        "block_table must have a column for every page of max_kv_len");
  return NULL;
}

static const char *
check_paged_prefill_attention (const DpPagedPrefillAttentionArgs *a)
{
  const char *wrong = check_attention (&a->attn, &a->q, &a->out);
  if (!wrong)
    wrong = check_cu_seqlens (&a->cu_seqlens, a->max_seqlen, &a->q);
  if (!wrong)
    wrong = check_paged (&a->attn, a->kv, a->layer, &a->block_table, &a->kv_lens, a->max_kv_len);
  if (wrong)
    return wrong;
  NEED (a->cu_seqlens.rows == (guint64) a->kv_lens.rows + 1, "cu_seqlens must have one row more than kv_lens");
  return NULL;
}

static const char *
check_paged_decode_attention (const DpPagedDecodeAttentionArgs *a)
{
  const char *wrong = check_attention (&a->attn, &a->q, &a->out);
  if (!wrong)
    wrong = check_paged (&a->attn, a->kv, a->layer, &a->block_table, &a->kv_lens, a->max_kv_len);
  if (wrong)
    return wrong;
  NEED (a->kv_lens.rows == a->q.rows, "there must be one row of q per sequence");
  return NULL;
}

static const char *
check_fill_kv_cache (const DpFillKvCacheArgs *a)
{
  const DpKvConfig *c = &a->kv->config;
  NEED (a->layer < c->n_layers, "the cache has no such layer");
  NEED (a->k.cols == (guint64) c->n_kv_heads * c->head_dim, "k must have n_kv_heads*head_dim columns");
  NEED (!c->v_in_k == !!a->v.buffer, "v must be absent exactly when the cache keeps values in the keys");
  NEED (ABSENT_OR (a->v, IS_SHAPE (a->v, a->k.rows, (guint64) c->n_kv_heads * c->head_dim_v)), "v must be [T, n_kv_heads*head_dim_v]");
  NEED (IS_SHAPE (a->slots, a->k.rows, 1), "slots must be [T, 1]");
  return NULL;
}

/* ---- activation ---- */

static const char *
check_halves (const DpTensor *x, const DpTensor *y)
{
  NEED (x->rows == y->rows && x->cols == (guint64) y->cols * 2, "x must be twice as wide as y and have its rows");
  return NULL;
}

static const char *
check_silu_and_mul (const DpSiluAndMulArgs *a)
{
  return check_halves (&a->x, &a->y);
}

static const char *
check_gelu_and_mul (const DpGeluAndMulArgs *a)
{
  return check_halves (&a->x, &a->y);
}

static const char *
check_gelu (const DpGeluArgs *a)
{
  NEED (SAME_SHAPE (a->x, a->y), "x and y must have the same shape");
  return NULL;
}

static const char *
check_quick_gelu (const DpQuickGeluArgs *a)
{
  NEED (SAME_SHAPE (a->x, a->y), "x and y must have the same shape");
  return NULL;
}

/* ---- mixture of experts ---- */

static const char *
check_moe_gating_topk (const DpMoeGatingTopkArgs *a)
{
  guint32 experts = a->logits.cols, kept = experts;
  NEED (a->gate <= DP_GATE_SIGMOID, "gate is not a DpGate");
  if (a->n_groups > 1) {
    NEED (experts % a->n_groups == 0, "n_groups must divide the experts");
    NEED (a->topk_groups >= 1 && a->topk_groups <= a->n_groups, "topk_groups must be between 1 and n_groups");
    NEED (a->group_top >= 1 && a->group_top <= experts / a->n_groups, "group_top must be between 1 and the experts of a group");
    kept = experts / a->n_groups * a->topk_groups;
  }
  NEED (a->k >= 1 && a->k <= kept, "k must be between 1 and the experts to choose from");
  NEED (IS_SHAPE (a->weights, a->logits.rows, a->k) && IS_SHAPE (a->ids, a->logits.rows, a->k), "weights and ids must be [T, k]");
  NEED (ABSENT_OR (a->bias, IS_SHAPE (a->bias, 1, experts)), "bias must be [1, E]");
  NEED (isfinite (a->scale) && a->scale > 0, "scale must be finite and positive");
  return NULL;
}

static const char *
check_fused_moe (const DpFusedMoeArgs *a)
{
  NEED (a->gate_up->n == a->down->n, "gate_up and down must have the same number of experts");
  NEED (a->gate_up->cols == a->x.cols && a->down->rows == a->x.cols, "gate_up must read and down must write H columns");
  NEED (a->gate_up->rows == (guint64) a->down->cols * 2, "gate_up must have twice the rows that down has columns");
  NEED (SAME_SHAPE (a->x, a->y) && ABSENT_OR (a->residual, SAME_SHAPE (a->x, a->residual)), "x, residual and y must have the same shape");
  NEED (SAME_SHAPE (a->weights, a->ids) && a->ids.rows == a->x.rows, "weights and ids must be [T, k]");
  NEED (a->act < DP_N_ACTS, "act is not a DpAct");
  return NULL;
}

/* ---- vision ---- */

static const char *
check_conv2d (const DpConv2dArgs *a)
{
  guint32 out_height, out_width;
  NEED (a->weight->n == 1, "the weight must be a single matrix");
  NEED (a->kernel_y && a->kernel_x && a->stride_y && a->stride_x && a->dilation && a->groups,
        "kernel, stride, dilation, groups must not be 0");
  NEED (MAX (a->kernel_y, a->kernel_x) <= 1024 && MAX (a->pad_y, a->pad_x) <= 1024 && a->dilation <= 1024,
        "kernel, pad or dilation too large");
  NEED (a->x.rows == product (a->n, a->height, a->width, 1), "x must have n*height*width rows");
  NEED (dp_conv2d_size (a, &out_height, &out_width), "the picture is smaller than the kernel");
  NEED (a->y.rows == product (a->n, out_height, out_width, 1), "y must have n*out_height*out_width rows");
  NEED (a->y.cols == a->weight->rows, "y must have as many columns as the weight has outputs");
  NEED (a->x.cols % a->groups == 0 && a->y.cols % a->groups == 0, "groups must divide the channels");
  NEED (a->weight->cols == product (a->kernel_y, a->kernel_x, a->x.cols / a->groups, 1),
        "the weight must have kh*kw*in_channels/groups columns");
  NEED (ABSENT_OR (a->residual, SAME_SHAPE (a->residual, a->y)), "residual must have y's shape");
  NEED (a->act < DP_N_ACTS, "act is not a DpAct");
  return NULL;
}

gboolean
dp_conv2d_size (const DpConv2dArgs *a, guint32 *out_height, guint32 *out_width)
{
  guint64 height = (guint64) a->height + 2 * (guint64) a->pad_y, width = (guint64) a->width + 2 * (guint64) a->pad_x;
  guint64 span_y = (guint64) a->dilation * (a->kernel_y - 1) + 1, span_x = (guint64) a->dilation * (a->kernel_x - 1) + 1;
  if (height < span_y || width < span_x)
    return FALSE;
  *out_height = (guint32) ((height - span_y) / a->stride_y + 1);
  *out_width = (guint32) ((width - span_x) / a->stride_x + 1);
  return TRUE;
}

static const char *
check_patch_merge (const DpPatchMergeArgs *a)
{
  guint64 block = (guint64) a->merge * a->merge;
  NEED (a->merge >= 1 && a->merge <= 1024, "merge must be between 1 and 1024");
  NEED (a->x.rows == product (a->n, a->height, a->width, 1), "x must have n*height*width rows");
  NEED (a->x.type == a->y.type, "x and y must have the same type");
  if (a->inverse)
    NEED (a->x.cols % block == 0 && a->y.cols == a->x.cols / block && a->y.rows == a->x.rows * block, "y must be [rows*m*m, C/(m*m)]");
  else {
    NEED (a->height % a->merge == 0 && a->width % a->merge == 0, "merge must divide height and width");
    NEED (a->y.cols == a->x.cols * block && a->y.rows == a->x.rows / block, "y must be [rows/(m*m), C*m*m]");
  }
  return NULL;
}

static const char *
check_scatter_rows (const DpScatterRowsArgs *a)
{
  NEED (IS_SHAPE (a->index, a->x.rows, 1), "index must be [rows of x, 1]");
  NEED (a->x.cols == a->y.cols, "x and y must have the same columns");
  NEED ((a->x.type == DP_I32) == (a->y.type == DP_I32), "i32 goes to i32 only");
  return NULL;
}

static const char *
check_window_permute (const DpWindowPermuteArgs *a)
{
  NEED (a->unit >= 1 && a->x.rows % a->unit == 0, "unit must divide the rows of x");
  NEED (a->index.cols == 1 && a->y.rows == (guint64) a->index.rows * a->unit, "y must have unit rows per index");
  NEED (a->x.cols == a->y.cols, "x and y must have the same columns");
  NEED ((a->x.type == DP_I32) == (a->y.type == DP_I32), "i32 goes to i32 only");
  return NULL;
}

static const char *
check_resize (const DpResizeArgs *a)
{
  NEED (a->x.rows == product (a->n, a->height, a->width, 1), "x must have n*height*width rows");
  NEED (a->y.rows == product (a->n, a->out_height, a->out_width, 1), "y must have n*out_height*out_width rows");
  NEED (a->x.cols == a->y.cols, "x and y must have the same channels");
  NEED (a->filter <= DP_RESIZE_BICUBIC, "filter is not a DpResizeFilter");
  NEED (a->y.type != DP_U8 || a->x.type == DP_U8, "y can be u8 only when x is");
  return NULL;
}

/* ---- token ---- */

static const char *
check_embedding (const DpEmbeddingArgs *a)
{
  NEED (a->weight->n == 1, "the weight must be a single matrix");
  NEED (IS_SHAPE (a->y, a->ids.rows, a->weight->cols) && a->ids.cols == 1, "ids must be [T, 1] and y [T, H]");
  NEED (isfinite (a->scale), "scale must be finite");
  return NULL;
}

static const char *
check_history (const DpTensor *logits, const DpTensor *tokens, const DpTensor *lens, const DpTensor *prompt_lens)
{
  NEED (tokens->rows == logits->rows, "tokens must have a row per row of logits");
  NEED (IS_SHAPE (*lens, logits->rows, 1) && IS_SHAPE (*prompt_lens, logits->rows, 1), "lens and prompt_lens must be [B, 1]");
  return NULL;
}

static const char *
check_logits_penalty (const DpLogitsPenaltyArgs *a)
{
  NEED (IS_SHAPE (a->params, a->logits.rows, 3), "params must be [B, 3]");
  return check_history (&a->logits, &a->tokens, &a->lens, &a->prompt_lens);
}

static const char *
check_ngram_ban (const DpNgramBanArgs *a)
{
  NEED (IS_SHAPE (a->sizes, a->logits.rows, 1), "sizes must be [B, 1]");
  return check_history (&a->logits, &a->tokens, &a->lens, &a->prompt_lens);
}

static const char *
check_sample (const DpSampleArgs *a)
{
  guint32 rows = a->logits.rows;
  NEED (IS_SHAPE (a->params, rows, 3), "params must be [B, 3]");
  NEED (IS_SHAPE (a->top_k, rows, 1) && IS_SHAPE (a->random, rows, 2), "top_k must be [B, 1] and random [B, 2]");
  NEED (IS_SHAPE (a->ids, rows, 1), "ids must be [B, 1]");
  NEED (ABSENT_OR (a->logprob, IS_SHAPE (a->logprob, rows, 1)), "logprob must be [B, 1]");
  return NULL;
}

static const char *
check_ctc_argmax (const DpCtcArgmaxArgs *a)
{
  guint32 rows = a->logits.rows;
  NEED (a->blank < a->logits.cols, "blank must be one of the logits");
  NEED (a->cu_seqlens.cols == 1 && a->cu_seqlens.rows >= 2, "cu_seqlens must be [B+1, 1]");
  NEED (IS_SHAPE (a->ids, rows, 1) && IS_SHAPE (a->lens, a->cu_seqlens.rows - 1, 1), "ids must be [T, 1] and lens [B, 1]");
  NEED (ABSENT_OR (a->frames, IS_SHAPE (a->frames, rows, 1)), "frames must be [T, 1]");
  NEED (ABSENT_OR (a->logprob, IS_SHAPE (a->logprob, rows, 1)), "logprob must be [T, 1]");
  return NULL;
}

const char *
dp_check_operator (DpOp op, const void *args)
{
  switch (op) {
#define X(id, name, NAME, Name)                                                                                                            \
  case DP_OP_##NAME: return check_##name (args);
    DP_OPS (X)
#undef X
  default: return "is not an operator";
  }
}
