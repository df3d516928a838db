/* vlm/family_nano_encode.c - pictures of lines to visual tokens and a CTC reading.
 *
 * The convolutions run line by line, for lines have different widths and none sees another's paper; from there on the lines of
 * a batch are rows of one matrix, and attention keeps them apart by cu_seqlens.
 */
#include "vlm/family_nano.h"

#include <math.h>

guint32
dp_nano_token_columns (const DpNanoConfig *config)
{
  return config->column_multiple / config->merge;
}

guint32
dp_nano_tokens (const DpNanoConfig *config, guint32 width)
{
  return width / dp_nano_token_columns (config);
}

guint32
dp_nano_frames (const DpNanoConfig *config, guint32 width)
{
  return dp_nano_tokens (config, width) * config->frames_per_token;
}

/* picture [32 * width, 1] -> y [tokens, hidden]. */
static void
stem (DpStream *s, const DpNano *nano, DpTensor picture, guint32 width, DpTensor y)
{
  const DpNanoConfig *c = &nano->config;
  guint32 height = DP_NANO_HEIGHT;
  gsize mark = dp_stream_mark (s);
  DpTensor x = picture;

  for (guint i = 0; i < c->n_stages; i++) {
    guint32 rows = (height - 1) / c->stride_y[i] + 1, cols = (width - 1) / c->stride_x[i] + 1;
    DpTensor next = dp_stream_temp (s, DP_BF16, rows * cols, c->channels[i]);
    dp_conv2d (s, &(DpConv2dArgs){ .x = x,
                                   .weight = nano->conv[i],
                                   .n = 1,
                                   .height = height,
                                   .width = width,
                                   .kernel_y = 3,
                                   .kernel_x = 3,
                                   .stride_y = c->stride_y[i],
                                   .stride_x = c->stride_x[i],
                                   .pad_y = 1,
                                   .pad_x = 1,
                                   .dilation = 1,
                                   .groups = 1,
                                   .act = DP_ACT_RELU,
                                   .y = next });
    x = next, height = rows, width = cols;
  }
  dp_conv2d (s, &(DpConv2dArgs){ .x = x,
                                 .weight = nano->project,
                                 .n = 1,
                                 .height = height,
                                 .width = width,
                                 .kernel_y = height,
                                 .kernel_x = 1,
                                 .stride_y = 1,
                                 .stride_x = 1,
                                 .dilation = 1,
                                 .groups = 1,
                                 .y = y });
  dp_stream_release (s, mark);
}

typedef struct {
  DpTensor places, cu_tokens, cu_frames;
  guint32 longest; /* tokens of a line */
} Index;

/* Where tokens stand and where lines begin. */
static Index
index_lines (DpStream *s, const DpNanoConfig *c, const DpNanoLines *lines, guint32 n_tokens)
{
  Index index = { .places = dp_stream_temp (s, DP_I32, n_tokens, 1),
                  .cu_tokens = dp_stream_temp (s, DP_I32, lines->n + 1, 1),
                  .cu_frames = dp_stream_temp (s, DP_I32, lines->n + 1, 1) };
  g_autofree gint32 *places = g_new (gint32, n_tokens);
  g_autofree gint32 *cu = g_new0 (gint32, lines->n + 1);
  guint32 at = 0;

  for (guint32 b = 0; b < lines->n; b++) {
    guint32 n = dp_nano_tokens (c, lines->widths[b]);
    for (guint32 i = 0; i < n; i++)
      places[at++] = (gint32) i;
    cu[b + 1] = (gint32) at;
    index.longest = MAX (index.longest, n);
  }
  dp_stream_upload (s, &index.places, places, n_tokens * sizeof *places);
  dp_stream_upload (s, &index.cu_tokens, cu, (lines->n + 1) * sizeof *cu);
  for (guint32 b = 0; b < lines->n; b++)
    cu[b + 1] *= (gint32) c->frames_per_token;
  dp_stream_upload (s, &index.cu_frames, cu, (lines->n + 1) * sizeof *cu);
  return index;
}

static void
encoder_block (DpStream *s, const DpNano *nano, const DpNanoBlock *block, const Index *index, DpTensor residual)
{
  const DpNanoConfig *c = &nano->config;
  const guint32 t = residual.rows, q_cols = c->heads * c->head_dim, kv_cols = c->encoder_kv_heads * c->head_dim;
  const DpAttention attention = { .n_heads = c->heads,
                                  .n_kv_heads = c->encoder_kv_heads,
                                  .head_dim = c->head_dim,
                                  .head_dim_v = c->head_dim,
                                  .scale = 1 / sqrtf ((float) c->head_dim) };
  gsize mark = dp_stream_mark (s);
  DpTensor x = dp_stream_temp (s, DP_BF16, t, c->hidden), qkv = dp_stream_temp (s, DP_BF16, t, q_cols + 2 * kv_cols);
  DpTensor mixed = dp_stream_temp (s, DP_BF16, t, q_cols), inner = dp_stream_temp (s, DP_BF16, t, c->inner);
  DpTensor q = dp_tensor_cols (qkv, 0, q_cols), k = dp_tensor_cols (qkv, q_cols, kv_cols),
           v = dp_tensor_cols (qkv, q_cols + kv_cols, kv_cols);

  dp_rms_norm (s, &(DpRmsNormArgs){ .x = residual, .weight = block->norm1, .eps = (float) c->eps, .y = x });
  dp_qkv_linear (s, &(DpQkvLinearArgs){ .x = x, .weight = block->qkv, .q = q, .k = k, .v = v });
  dp_apply_rotary (s, &(DpApplyRotaryArgs){ .q = q,
                                            .k = k,
                                            .cos = nano->encoder_cos,
                                            .sin = nano->encoder_sin,
                                            .positions = index->places,
                                            .head_dim = c->head_dim,
                                            .rot_dim = c->head_dim });
  dp_prefill_attention (
      s, &(DpPrefillAttentionArgs){
             .q = q, .k = k, .v = v, .cu_seqlens = index->cu_tokens, .max_seqlen = index->longest, .attn = attention, .out = mixed });
  dp_linear (s, &(DpLinearArgs){ .x = mixed, .weight = block->out, .residual = residual, .y = residual });
  dp_rms_norm (s, &(DpRmsNormArgs){ .x = residual, .weight = block->norm2, .eps = (float) c->eps, .y = x });
  dp_gate_up_silu (s, &(DpGateUpSiluArgs){ .x = x, .weight = block->gate_up, .act = DP_ACT_SILU, .y = inner });
  dp_linear (s, &(DpLinearArgs){ .x = inner, .weight = block->down, .residual = residual, .y = residual });
  dp_stream_release (s, mark);
}

/* The CTC head: each token is split into frames, each frame gets its logits. */
static void
read_frames (DpStream *s, const DpNano *nano, const Index *index, guint32 n_lines, DpNanoEncoded *e)
{
  const DpNanoConfig *c = &nano->config;
  DpTensor split = dp_stream_temp (s, DP_BF16, e->n_tokens, c->frames_per_token * c->hidden);

  e->logits = dp_stream_temp (s, DP_F32, e->n_frames, c->vocabulary);
  e->ids = dp_stream_temp (s, DP_I32, e->n_frames, 1);
  e->frames = dp_stream_temp (s, DP_I32, e->n_frames, 1);
  e->logprob = dp_stream_temp (s, DP_F32, e->n_frames, 1);
  e->lens = dp_stream_temp (s, DP_I32, n_lines, 1);
  dp_linear (s, &(DpLinearArgs){ .x = e->encoded, .weight = nano->ctc_split, .act = DP_ACT_SILU, .y = split });
  dp_linear (s, &(DpLinearArgs){ .x = dp_tensor_reshape (split, e->n_frames, c->hidden), .weight = nano->ctc_head, .y = e->logits });
  dp_ctc_argmax (s, &(DpCtcArgmaxArgs){ .logits = e->logits,
                                        .cu_seqlens = index->cu_frames,
                                        .blank = c->blank,
                                        .ids = e->ids,
                                        .lens = e->lens,
                                        .frames = e->frames,
                                        .logprob = e->logprob });
}

DpNanoEncoded
dp_nano_encode (DpStream *s, const DpNano *nano, const DpNanoLines *lines, const guint16 *pixels)
{
  const DpNanoConfig *c = &nano->config;
  DpNanoEncoded e = { 0 };
  guint32 columns = 0, at = 0;

  for (guint32 b = 0; b < lines->n; b++)
    columns += lines->widths[b], e.n_tokens += dp_nano_tokens (c, lines->widths[b]);
  e.n_frames = e.n_tokens * c->frames_per_token;
  e.encoded = dp_stream_temp (s, DP_BF16, e.n_tokens, c->hidden);
  DpTensor pictures = dp_stream_temp (s, DP_BF16, columns * DP_NANO_HEIGHT, 1),
           residual = dp_stream_temp (s, DP_F32, e.n_tokens, c->hidden);
  Index index = index_lines (s, c, lines, e.n_tokens);
  dp_stream_upload (s, &pictures, pixels, dp_tensor_bytes (&pictures));
  columns = 0;
  for (guint32 b = 0; b < lines->n; b++) {
    guint32 n = dp_nano_tokens (c, lines->widths[b]);
    stem (s, nano, dp_tensor_rows (pictures, columns * DP_NANO_HEIGHT, lines->widths[b] * DP_NANO_HEIGHT), lines->widths[b],
          dp_tensor_rows (residual, at, n));
    at += n, columns += lines->widths[b];
  }
  for (guint l = 0; l < c->encoder_layers; l++)
    encoder_block (s, nano, &nano->encoder[l], &index, residual);
  dp_rms_norm (s, &(DpRmsNormArgs){ .x = residual, .weight = nano->encoder_norm, .eps = (float) c->eps, .y = e.encoded });
  read_frames (s, nano, &index, lines->n, &e);
  return e;
}
