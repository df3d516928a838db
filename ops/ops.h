/* ops/ops.h - what a model may compute.
 *
 * One list, DP_OPS, names every operator; the enumeration, the back end's table, the checked
 * wrappers below, the recorder and the conformance tests all come from it.  One struct per
 * operator holds its arguments, so a call reads like a sentence:
 *
 *   dp_rms_norm (stream, &(DpRmsNormArgs){ .x = h, .weight = norm, .eps = 1e-6f, .y = n });
 *
 * Granularity is the one inference frameworks and chip vendors already fuse (LMDeploy's
 * DLInfer has 21 of these); what that interface leaves to guessing is explicit here: causality,
 * window, soft cap, scale, mask, head sizes.
 *
 * Common rules, which the wrappers check before a back end sees a call (ops/schema.c, ops/check.c):
 *  - T tokens, B sequences, H hidden, V vocabulary.  Shapes are [rows, cols].
 *  - "float" is f32, f16 or bf16, each tensor its own choice; f32, i32, i8, u8 mean exactly that.
 *    A back end may refuse combinations through supports() (ops/backend.h).
 *  - Arithmetic is f32 and results are rounded once, to nearest even, when stored.  A matrix
 *    product may round x to the type its weight is held in.  The reference back end is the definition.
 *  - (out) is written, (inout) read and written, the rest only read.  An output shares no byte with
 *    any other argument unless the operator says so; "y may be x" means exactly the same view.
 *  - Tensors marked "optional" are absent when .buffer is NULL; zero fields mean "off".
 *  - Values inside index tensors (slots, pages, lengths, ids) live in device memory, where a wrapper
 *    cannot look: they are the caller's promise.  The reference back end checks each and fails the
 *    stream; every back end must treat the values called "skip" below as described.
 *  - Rows are independent of one another: the same row gives the same bits whatever else is in the batch.
 *  - NaN and infinity are never lost and never spread: where the reference gives something that is not finite, so
 *    does every back end; a row, or a sequence in attention, without them is not touched by those of its neighbours,
 *    nor by what lies in unused slots of a cache, behind a mask or in a workspace.
 *  - Operators never allocate; errors stick to the stream (ops/stream.h).
 *
 * An operator's arguments never change once released: new behaviour is a new operator at the end.
 */
#pragma once

#include "ops/tensor.h"

G_BEGIN_DECLS

typedef struct DpStream DpStream; /* ops/stream.h */
typedef struct DpWeight DpWeight; /* a matrix packed by the back end; ops/stream.h */
typedef struct DpKv DpKv;         /* a paged KV cache laid out by the back end; ops/stream.h */

/* X (stable number, function and field name, enum name, type name) */
#define DP_OPS(X)                                                                                                                          \
  /* norm */                                                                                                                               \
  X (0, rms_norm, RMS_NORM, RmsNorm)                                                                                                       \
  X (1, add_rms_norm, ADD_RMS_NORM, AddRmsNorm)                                                                                            \
  X (2, layer_norm, LAYER_NORM, LayerNorm)                                                                                                 \
  X (3, add_layer_norm, ADD_LAYER_NORM, AddLayerNorm)                                                                                      \
  /* linear */                                                                                                                             \
  X (4, linear, LINEAR, Linear)                                                                                                            \
  X (5, qkv_linear, QKV_LINEAR, QkvLinear)                                                                                                 \
  X (6, gate_up_silu, GATE_UP_SILU, GateUpSilu)                                                                                            \
  X (7, weight_quant_matmul, WEIGHT_QUANT_MATMUL, WeightQuantMatmul)                                                                       \
  X (8, lm_head_argmax, LM_HEAD_ARGMAX, LmHeadArgmax)                                                                                      \
  X (9, dynamic_quant, DYNAMIC_QUANT, DynamicQuant)                                                                                        \
  X (10, linear_w8a8, LINEAR_W8A8, LinearW8a8)                                                                                             \
  X (11, rms_norm_w8a8, RMS_NORM_W8A8, RmsNormW8a8)                                                                                        \
  X (12, add_rms_norm_w8a8, ADD_RMS_NORM_W8A8, AddRmsNormW8a8)                                                                             \
  /* rotary, attention, KV cache */                                                                                                        \
  X (13, apply_rotary, APPLY_ROTARY, ApplyRotary)                                                                                          \
  X (14, prefill_attention, PREFILL_ATTENTION, PrefillAttention)                                                                           \
  X (15, paged_prefill_attention, PAGED_PREFILL_ATTENTION, PagedPrefillAttention)                                                          \
  X (16, paged_decode_attention, PAGED_DECODE_ATTENTION, PagedDecodeAttention)                                                             \
  X (17, fill_kv_cache, FILL_KV_CACHE, FillKvCache)                                                                                        \
  /* activation */                                                                                                                         \
  X (18, silu_and_mul, SILU_AND_MUL, SiluAndMul)                                                                                           \
  X (19, gelu, GELU, Gelu)                                                                                                                 \
  X (20, quick_gelu, QUICK_GELU, QuickGelu)                                                                                                \
  X (21, gelu_and_mul, GELU_AND_MUL, GeluAndMul)                                                                                           \
  /* mixture of experts */                                                                                                                 \
  X (22, moe_gating_topk, MOE_GATING_TOPK, MoeGatingTopk)                                                                                  \
  X (23, fused_moe, FUSED_MOE, FusedMoe)                                                                                                   \
  /* vision */                                                                                                                             \
  X (24, conv2d, CONV2D, Conv2d)                                                                                                           \
  X (25, patch_merge, PATCH_MERGE, PatchMerge)                                                                                             \
  X (26, scatter_rows, SCATTER_ROWS, ScatterRows)                                                                                          \
  X (27, window_permute, WINDOW_PERMUTE, WindowPermute)                                                                                    \
  X (28, resize, RESIZE, Resize)                                                                                                           \
  /* token */                                                                                                                              \
  X (29, embedding, EMBEDDING, Embedding)                                                                                                  \
  X (30, logits_penalty, LOGITS_PENALTY, LogitsPenalty)                                                                                    \
  X (31, ngram_ban, NGRAM_BAN, NgramBan)                                                                                                   \
  X (32, sample, SAMPLE, Sample)                                                                                                           \
  X (33, ctc_argmax, CTC_ARGMAX, CtcArgmax)

typedef enum {
#define X(id, name, NAME, Name) DP_OP_##NAME = id,
  DP_OPS (X)
#undef X
      DP_N_OPS
} DpOp;

/* Functions applied to a linear result or a gate. z is the value before. */
typedef enum {
  DP_ACT_NONE = 0,
  DP_ACT_RELU = 1,       /* max (z, 0) */
  DP_ACT_SILU = 2,       /* z / (1 + exp (-z)) */
  DP_ACT_GELU = 3,       /* z/2 (1 + erf (z/sqrt 2)); PyTorch's default */
  DP_ACT_GELU_TANH = 4,  /* z/2 (1 + tanh (sqrt (2/pi) (z + 0.044715 z^3))) */
  DP_ACT_QUICK_GELU = 5, /* z / (1 + exp (-1.702 z)); CLIP, Qwen2-VL */
} DpAct;
#define DP_N_ACTS 6

/* ======== norm ======================================================================== */

/* y = x / sqrt (mean (x^2) + eps) * weight.  The columns are split into `groups` equal parts, each
 * normed on its own by the same weight (per-head q/k norm: groups = heads). */
typedef struct {
  DpTensor x;      /* [T, H] float */
  DpTensor weight; /* [1, H/groups] float */
  float eps;       /* >= 0 */
  guint32 groups;  /* 0 and 1: the whole row */
  DpTensor y;      /* [T, H] float (out); may be x */
} DpRmsNormArgs;

/* residual = residual + x (rounded to the residual's type); y = rms_norm (residual). */
typedef struct {
  DpTensor x;        /* [T, H] float */
  DpTensor residual; /* [T, H] float (inout) */
  DpTensor weight;   /* [1, H] float */
  float eps;
  DpTensor y; /* [T, H] float (out); may be x */
} DpAddRmsNormArgs;

/* y = (x - mean) / sqrt (var + eps) * weight + bias; var is the biased variance, two passes. */
typedef struct {
  DpTensor x;      /* [T, H] float */
  DpTensor weight; /* [1, H] float */
  DpTensor bias;   /* [1, H] float, optional */
  float eps;
  DpTensor y; /* [T, H] float (out); may be x */
} DpLayerNormArgs;

/* residual = residual + x; y = layer_norm (residual). */
typedef struct {
  DpTensor x;        /* [T, H] float */
  DpTensor residual; /* [T, H] float (inout) */
  DpTensor weight;   /* [1, H] float */
  DpTensor bias;     /* [1, H] float, optional */
  float eps;
  DpTensor y; /* [T, H] float (out); may be x */
} DpAddLayerNormArgs;

/* ======== linear ====================================================================== */
/* A weight is [out, in]; its bias, if any, was given when it was packed and is added here. */

/* y = act (x weight^T + bias) + residual. */
typedef struct {
  DpTensor x;             /* [T, in] float */
  const DpWeight *weight; /* f32, f16 or bf16 */
  guint32 act;            /* DpAct */
  DpTensor residual;      /* [T, out] float, optional */
  DpTensor y;             /* [T, out] float (out); may be residual */
} DpLinearArgs;

/* One product, three results: the weight's rows are the query, key and value rows in this order.
 * q, k, v are often column ranges of one buffer. */
typedef struct {
  DpTensor x;             /* [T, in] float */
  const DpWeight *weight; /* any weight type; out = q.cols + k.cols + v.cols */
  DpTensor q, k, v;       /* [T, heads*dim] float (out) */
} DpQkvLinearArgs;

/* y = act (x gate^T) * (x up^T).  The weight's rows are I gate rows, then I up rows (a back end may
 * interleave them when it packs, as the weight's use says so). */
typedef struct {
  DpTensor x;             /* [T, in] float */
  const DpWeight *weight; /* any weight type; [2I, in] */
  guint32 act;            /* DpAct; DP_ACT_SILU for SwiGLU */
  DpTensor y;             /* [T, I] float (out) */
} DpGateUpSiluArgs;

/* linear with a weight quantised in groups along in: w = (q - zero) * scale, DP_I8 or DP_I4. */
typedef struct {
  DpTensor x;             /* [T, in] float */
  const DpWeight *weight; /* grouped i8 or i4 */
  guint32 act;            /* DpAct */
  DpTensor residual;      /* [T, out] float, optional */
  DpTensor y;             /* [T, out] float (out); may be residual */
} DpWeightQuantMatmulArgs;

/* The greedy end of a decode step without writing logits: l = softcap? (x weight^T + bias), ids = the lowest index of
 * the largest l.  NaN never wins (all NaN: id 0).  logprob = l_best - log (sum (exp (l))), NaN if an l is NaN or the
 * largest is not finite; margin = largest minus second largest l, NaN left out, infinity if there is no second.
 * softcap c > 0: l = c tanh (l / c). */
typedef struct {
  DpTensor x;             /* [T, in] float */
  const DpWeight *weight; /* [V, in], any weight type */
  float softcap;          /* 0: none */
  DpTensor ids;           /* [T, 1] i32 (out) */
  DpTensor logprob;       /* [T, 1] f32 (out), optional */
  DpTensor margin;        /* [T, 1] f32 (out), optional */
} DpLmHeadArgmaxArgs;

/* Per-token symmetric quantisation: scale = max |x| / 127 (1 for a row of zeros),
 * q = clamp (rint (x / scale), -127, 127).  A row with NaN or infinity has scale NaN and q = 0. */
typedef struct {
  DpTensor x;     /* [T, H] float */
  DpTensor q;     /* [T, H] i8 (out) */
  DpTensor scale; /* [T, 1] f32 (out) */
} DpDynamicQuantArgs;

/* y = act (x_scale * w_scale[out] * sum (x q) + bias) + residual; the sum is exact in i32. */
typedef struct {
  DpTensor x;             /* [T, in] i8 */
  DpTensor x_scale;       /* [T, 1] f32 */
  const DpWeight *weight; /* DP_I8 with one scale per row (group = 0), no zeros */
  guint32 act;            /* DpAct */
  DpTensor residual;      /* [T, out] float, optional */
  DpTensor y;             /* [T, out] float (out); may be residual */
} DpLinearW8a8Args;

/* dynamic_quant (rms_norm (x)), without storing the normed row. */
typedef struct {
  DpTensor x;      /* [T, H] float */
  DpTensor weight; /* [1, H] float */
  float eps;
  DpTensor q;     /* [T, H] i8 (out) */
  DpTensor scale; /* [T, 1] f32 (out) */
} DpRmsNormW8a8Args;

/* residual = residual + x; dynamic_quant (rms_norm (residual)). */
typedef struct {
  DpTensor x;        /* [T, H] float */
  DpTensor residual; /* [T, H] float (inout) */
  DpTensor weight;   /* [1, H] float */
  float eps;
  DpTensor q;     /* [T, H] i8 (out) */
  DpTensor scale; /* [T, 1] f32 (out) */
} DpAddRmsNormW8a8Args;

/* ======== rotary ====================================================================== */

/* Rotates rot_dim elements of every head of q and k in place: pairs (a, b) become
 * (a c - b s, b c + a s), where c = cos[r, j], s = sin[r, j] for pair j < rot_dim/2.
 * Half style pairs element j with j + rot_dim/2 (NeoX, Qwen); interleaved pairs 2j with 2j+1 (GPT-J, DeepSeek).
 * Row r of the tables for pair j of token t: t itself without positions, else positions[t, axis (j)], where
 * axis (j) is the section that holds j: sections { 32 } 1-D; { 8, 12, 12 } M-RoPE of Qwen2-VL; { 20, 20 } 2-D
 * vision.  Which frequency column j means is the table's business (vision tables start over in each section).
 * Positions outside the table: reference fails, others are undefined. */
typedef struct {
  DpTensor q;          /* [T, n_heads*head_dim] float (inout) */
  DpTensor k;          /* [T, n_kv_heads*head_dim] float (inout), optional */
  DpTensor cos, sin;   /* [P, rot_dim/2] f32 */
  DpTensor positions;  /* [T, axes] i32, optional */
  guint32 sections[4]; /* pairs per axis, sum rot_dim/2; all 0 means one axis */
  guint32 head_dim;    /* of q and k */
  guint32 rot_dim;     /* even, > 0 */
  guint32 rot_start;   /* first rotated element of a head; rot_start + rot_dim <= head_dim */
  gboolean interleaved;
} DpApplyRotaryArgs;

/* ======== attention =================================================================== */
/* Query head h reads key/value head h / (n_heads / n_kv_heads).  For query position i and key position j of one
 * sequence:  s = softcap? (scale q_i k_j) + mask;  p = softmax over the j that are allowed;  out_i = sum (p v_j).
 *   causal: j <= i.    window w > 0: j > i - w, and without causal also j < i + w.
 *   softcap c > 0: s = c tanh (s / c) before the mask.
 * A query with nothing to attend to gives zeros.  The same query through different operators may differ in the last
 * bits; who checks a draft against single steps has lm_head_argmax's margin to see where that could matter.  Partial results over long contexts are cut at a fixed
 * number of tokens, never into a fixed number of parts, so that eager and graph agree. */
typedef struct {
  guint32 n_heads, n_kv_heads; /* n_heads a multiple of n_kv_heads */
  guint32 head_dim;            /* of q and k */
  guint32 head_dim_v;          /* of v and out; smaller than head_dim with MLA */
  float scale;                 /* > 0; usually 1/sqrt (head_dim) */
  float softcap;               /* 0: none */
  guint32 window;              /* 0: none */
  gboolean causal;
} DpAttention;

/* Packed sequences that attend to themselves: first prefill (causal) and vision encoders (not causal).
 * Sequence b owns rows cu_seqlens[b] .. cu_seqlens[b+1]-1; rows after the last one are padding and get zeros. */
typedef struct {
  DpTensor q;          /* [T, n_heads*head_dim] float */
  DpTensor k;          /* [T, n_kv_heads*head_dim] float */
  DpTensor v;          /* [T, n_kv_heads*head_dim_v] float */
  DpTensor cu_seqlens; /* [B+1, 1] i32, ascending from 0 */
  DpTensor mask;       /* [T, >= max_seqlen] float, optional: added to s; column j is key position j */
  guint32 max_seqlen;  /* no sequence is longer; 1..T */
  DpAttention attn;
  DpTensor out; /* [T, n_heads*head_dim_v] float (out); may be q when head_dim_v = head_dim */
} DpPrefillAttentionArgs;

/* Queries that continue a sequence whose keys and values, these included, are already in the cache
 * (fill_kv_cache comes first): chunked prefill, prefix hits, checking a draft.  The queries of sequence b are
 * rows cu_seqlens[b].. and stand at positions kv_lens[b] - n .. kv_lens[b] - 1, n being their number.
 * Key position j lives in page block_table[b, j / page_size]. */
typedef struct {
  DpTensor q; /* [T, n_heads*head_dim] float */
  const DpKv *kv;
  guint32 layer;        /* of kv */
  DpTensor block_table; /* [B, >= ceil (max_kv_len / page_size)] i32 */
  DpTensor cu_seqlens;  /* [B+1, 1] i32 */
  DpTensor kv_lens;     /* [B, 1] i32 */
  guint32 max_seqlen;   /* of the queries */
  guint32 max_kv_len;
  DpAttention attn;
  DpTensor out; /* [T, n_heads*head_dim_v] float (out); may be q when head_dim_v = head_dim */
} DpPagedPrefillAttentionArgs;

/* One query per sequence, at position kv_lens[b] - 1 (so causal changes nothing).  kv_lens[b] = 0 marks a
 * padding row: zeros come out and its block table is not read.  No host value depends on the step:
 * max_kv_len is the largest length the graph is meant for. */
typedef struct {
  DpTensor q; /* [B, n_heads*head_dim] float */
  const DpKv *kv;
  guint32 layer;
  DpTensor block_table; /* [B, >= ceil (max_kv_len / page_size)] i32 */
  DpTensor kv_lens;     /* [B, 1] i32 */
  guint32 max_kv_len;
  DpAttention attn;
  DpTensor out; /* [B, n_heads*head_dim_v] float (out); may be q when head_dim_v = head_dim */
} DpPagedDecodeAttentionArgs;

/* Puts token t at slot = page * page_size + place in page.  slot < 0: skip (padding).  No two tokens of one
 * call share a slot.  A cache of type DP_I8 quantises each head of each token as dynamic_quant does a row
 * and keeps the f32 scale beside it; attention multiplies it back.  v is absent when the cache was made with
 * v_in_k (MLA: the value is the first head_dim_v elements of the key). */
typedef struct {
  DpTensor k;     /* [T, n_kv_heads*head_dim] float */
  DpTensor v;     /* [T, n_kv_heads*head_dim_v] float, absent with v_in_k */
  DpTensor slots; /* [T, 1] i32 */
  DpKv *kv;       /* (inout) */
  guint32 layer;
} DpFillKvCacheArgs;

/* ======== activation ================================================================== */

/* y = silu (left half of x) * right half. */
typedef struct {
  DpTensor x; /* [T, 2I] float */
  DpTensor y; /* [T, I] float (out) */
} DpSiluAndMulArgs;

typedef struct {
  DpTensor x;         /* [T, H] float */
  gboolean tanh_form; /* DP_ACT_GELU_TANH instead of DP_ACT_GELU */
  DpTensor y;         /* [T, H] float (out); may be x */
} DpGeluArgs;

typedef struct {
  DpTensor x; /* [T, H] float */
  DpTensor y; /* [T, H] float (out); may be x */
} DpQuickGeluArgs;

/* y = gelu (left half of x) * right half. */
typedef struct {
  DpTensor x; /* [T, 2I] float */
  gboolean tanh_form;
  DpTensor y; /* [T, I] float (out) */
} DpGeluAndMulArgs;

/* ======== mixture of experts ========================================================== */

typedef enum {
  DP_GATE_SOFTMAX = 0, /* over all experts */
  DP_GATE_SIGMOID = 1,
} DpGate;

/* s = softmax or sigmoid (logits); choice = s + bias.  With n_groups > 1 the experts fall into equal groups in
 * order; a group's rank is the sum of its `group_top` largest choices, and experts outside the topk_groups best
 * groups are out.  The k largest choices win, lower index first among equals; ids and weights come in that order.
 * weight = s (without bias), divided by the sum of the k if renormalize, times scale.
 * (Mixtral and Qwen: softmax; DeepSeek-V2: softmax, group_top 1; DeepSeek-V3: sigmoid, bias, group_top 2.) */
typedef struct {
  DpTensor logits;                          /* [T, E] float */
  DpTensor bias;                            /* [1, E] f32, optional */
  guint32 gate;                             /* DpGate */
  guint32 k;                                /* 1..E */
  guint32 n_groups, topk_groups, group_top; /* n_groups 0 or 1: no groups */
  gboolean renormalize;
  float scale;      /* > 0; usually 1 */
  DpTensor weights; /* [T, k] f32 (out) */
  DpTensor ids;     /* [T, k] i32 (out) */
} DpMoeGatingTopkArgs;

/* y[t] = residual[t] + sum over k of weights[t,k] * down[e] (act (gate[e] x) * up[e] x), e = ids[t,k].  id < 0: skip. */
typedef struct {
  DpTensor x;              /* [T, H] float */
  const DpWeight *gate_up; /* E matrices [2I, H] */
  const DpWeight *down;    /* E matrices [H, I] */
  DpTensor weights;        /* [T, k] f32 */
  DpTensor ids;            /* [T, k] i32 */
  guint32 act;             /* DpAct */
  DpTensor residual;       /* [T, H] float, optional */
  DpTensor y;              /* [T, H] float (out); may be residual */
} DpFusedMoeArgs;

/* ======== vision ====================================================================== */

/* Pictures are [n*height*width, channels], channels last, rows in raster order. */

/* y = act (conv (x) + bias) + residual.  The weight is [out_channels, kh*kw*in_channels/groups], columns ordered
 * (ky, kx, channel); a batch norm is folded into it and its bias when it is packed.  Zeros surround the picture.
 * out_height = (height + 2 pad_y - dilation (kh - 1) - 1) / stride_y + 1, width alike. */
typedef struct {
  DpTensor x; /* [n*height*width, in_channels] float */
  const DpWeight *weight;
  guint32 n, height, width;
  guint32 kernel_y, kernel_x, stride_y, stride_x, pad_y, pad_x;
  guint32 dilation;  /* >= 1 */
  guint32 groups;    /* >= 1; in_channels for a depthwise convolution */
  guint32 act;       /* DpAct */
  DpTensor residual; /* as y, optional */
  DpTensor y;        /* [n*out_height*out_width, out_channels] float (out); may be residual */
} DpConv2dArgs;

/* Space to depth: every m x m block of rows becomes one row, its rows side by side in raster order
 * (Qwen2-VL's merger, InternVL's pixel shuffle).  inverse: depth to space, height and width being those of x. */
typedef struct {
  DpTensor x; /* [n*height*width, C] any type */
  guint32 n, height, width;
  guint32 merge; /* m >= 1; divides height and width, or with inverse m*m divides C */
  gboolean inverse;
  DpTensor y; /* [n*height/m*width/m, C*m*m], with inverse [n*height*m*width*m, C/(m*m)] of x's type (out) */
} DpPatchMergeArgs;

/* y[index[i]] = x[i], converted to y's type; index < 0: skip; other rows of y stay.  Image embeddings into the
 * prompt, new tokens behind the old ones.  No two i share an index.  i32 goes to i32 only. */
typedef struct {
  DpTensor x;     /* [N, C] float or i32 */
  DpTensor index; /* [N, 1] i32 */
  DpTensor y;     /* [T, C] float or i32 (inout) */
} DpScatterRowsArgs;

/* y[i*unit + u] = x[index[i]*unit + u] for u < unit, converted to y's type; index < 0: zeros.  Window order
 * of Qwen2.5-VL and back (unit = rows per merge group); with unit 1 it gathers rows, e.g. last tokens.
 * i32 goes to i32 only. */
typedef struct {
  DpTensor x;     /* [N*unit, C] float or i32 */
  DpTensor index; /* [M, 1] i32, each < N */
  guint32 unit;   /* >= 1 */
  DpTensor y;     /* [M*unit, C] float or i32 (out) */
} DpWindowPermuteArgs;

typedef enum {
  DP_RESIZE_BILINEAR = 0, /* triangle, support 1 */
  DP_RESIZE_BICUBIC = 1,  /* Keys, a = -0.5 with antialias (Pillow), -0.75 without (PyTorch) */
} DpResizeFilter;

/* Separable, pixel centres at half integers.  antialias widens the filter when shrinking, as Pillow does, and leaves
 * out taps beyond the border; without it the border pixel repeats, as PyTorch's interpolate does.  Horizontal
 * first, f32 between.  u8 to u8 rounds to nearest and clamps; u8 to float gives 0..255. */
typedef struct {
  DpTensor x; /* [n*height*width, C] float or u8 */
  guint32 n, height, width, out_height, out_width;
  guint32 filter; /* DpResizeFilter */
  gboolean antialias;
  DpTensor y; /* [n*out_height*out_width, C] float, or u8 if x is (out) */
} DpResizeArgs;

/* ======== token ======================================================================= */

/* y[t] = scale * weight[ids[t]].  An id outside 0..V-1 gives a row of zeros (padding, image placeholders). */
typedef struct {
  DpTensor ids;           /* [T, 1] i32 */
  const DpWeight *weight; /* [V, H] */
  float scale;            /* 0 means 1 */
  DpTensor y;             /* [T, H] float (out) */
} DpEmbeddingArgs;

/* For every token that occurs among tokens[b, 0 .. lens[b]-1]:  l = l > 0 ? l / repetition : l * repetition;
 * and if it occurs n > 0 times from prompt_lens[b] on:  l = l - n * frequency - presence.  params[b] =
 * { repetition, presence, frequency }, off = { 1, 0, 0 }.  (OpenAI and vLLM's definition.) Ids outside 0..V-1 are skipped. */
typedef struct {
  DpTensor logits;      /* [B, V] f32 (inout) */
  DpTensor tokens;      /* [B, L] i32: prompt, then output */
  DpTensor lens;        /* [B, 1] i32 <= L */
  DpTensor prompt_lens; /* [B, 1] i32 <= lens */
  DpTensor params;      /* [B, 3] f32; repetition > 0 */
} DpLogitsPenaltyArgs;

/* Sets to -infinity the logit of every token that would complete an n-gram (n = sizes[b]) already present in
 * tokens[b, prompt_lens[b] .. lens[b]-1].  sizes[b] <= 0: off.  (Hugging Face's no_repeat_ngram_size.) */
typedef struct {
  DpTensor logits; /* [B, V] f32 (inout) */
  DpTensor tokens; /* [B, L] i32 */
  DpTensor lens;
  DpTensor prompt_lens; /* [B, 1] i32; 0 counts the prompt in */
  DpTensor sizes;       /* [B, 1] i32 */
} DpNgramBanArgs;

/* temperature <= 0: the lowest index of the largest logit.  Else p = softmax (l / temperature); sort by p falling,
 * lower index first; keep the first top_k (if > 0), then the shortest head whose sum reaches top_p of what is left
 * (if < 1), then those with p >= min_p * the largest; draw: the first token whose running sum exceeds u * sum.
 * u = dp_uniform (seed, counter) below: the same request gives the same text on any back end and in any batch.
 * Logits of NaN count as -infinity; a row without a finite logit gives id -1 and NaN.  */
typedef struct {
  DpTensor logits;  /* [B, V] float */
  DpTensor params;  /* [B, 3] f32: temperature, top_p (0..1], min_p [0..1] */
  DpTensor top_k;   /* [B, 1] i32 */
  DpTensor random;  /* [B, 2] i32: seed, counter (usually the token's place in the output) */
  DpTensor ids;     /* [B, 1] i32 (out) */
  DpTensor logprob; /* [B, 1] f32 (out), optional: log softmax of the logits as they came, at the chosen id */
} DpSampleArgs;

/* Greedy CTC: per frame the lowest index of the largest logit (NaN never wins), repeats joined, blanks dropped.
 * Sequence b owns frames cu_seqlens[b] .. cu_seqlens[b+1]-1 and gets its n tokens in the first n of those rows of
 * ids, -1 in the others and in padding rows; lens[b] = n. */
typedef struct {
  DpTensor logits;     /* [T, V] float */
  DpTensor cu_seqlens; /* [B+1, 1] i32 */
  guint32 blank;       /* < V */
  DpTensor ids;        /* [T, 1] i32 (out) */
  DpTensor lens;       /* [B, 1] i32 (out) */
  DpTensor frames;     /* [T, 1] i32 (out), optional: frame within the sequence where the token begins; -1 as in ids */
  DpTensor logprob;    /* [T, 1] f32 (out), optional: largest log softmax among the token's frames; 0 elsewhere */
} DpCtcArgmaxArgs;

/* ======== the wrappers ================================================================ */

/* Each checks its arguments once and runs, records or refuses the call; see ops/stream.h for when
 * errors are seen.  Nothing happens on a stream that has already failed. */
#define X(id, name, NAME, Name) void dp_##name (DpStream *stream, const Dp##Name##Args *args);
DP_OPS (X)
#undef X

/* Operator names ("rms_norm"), NULL outside the list; the operator of a name, or -1. */
const char *dp_op_name (guint op);
int dp_op_from_name (const char *name);

/* The random number behind sample: in [0, 1), 24 bits, a pure function of both words (splitmix64's finaliser,
 * Steele et al. 2014, over seed << 32 | counter). */
static inline float
dp_uniform (guint32 seed, guint32 counter)
{
  guint64 z = ((guint64) seed << 32 | counter) + 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (float) ((z ^ z >> 31) >> 40) * 0x1p-24f;
}

G_END_DECLS
