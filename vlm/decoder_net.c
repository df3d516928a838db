/* vlm/decoder_net.c - the decoder's layers as operators: Qwen2's decoder, and that of the many like it.
 *
 * One function for prefill and decoding: only attention differs.  Prefill attends through the cache too, so that a prompt gives
 * the same bits however it is cut into chunks.
 */
#include "vlm/decoder_private.h"

#include <math.h>

/* Temporaries of a call, rows as in it. */
typedef struct {
  DpTensor residual, delta; /* [n, hidden] of the residual's type */
  DpTensor x;               /* [n, hidden], what goes into products, as those below */
  DpTensor qkv;             /* attention's result replaces the queries */
  DpTensor inner;           /* [n, intermediate]; absent with a feed-forward part of the family's own */
} Rows;

static void
embed (DpDecoder *d, DpStream *s, const DpDecoderRows *in, DpTensor residual)
{
  const DpTensor slots = dp_tensor_reshape (d->history, d->history.rows * d->history.cols, 1);
  guint32 at = 0;

  dp_embedding (s, &(DpEmbeddingArgs){ .ids = in->tokens, .weight = d->model->decoder.embedding, .y = residual });
  dp_scatter_rows (s, &(DpScatterRowsArgs){ .x = in->tokens, .index = in->slots, .y = slots });
  for (guint32 i = 0; in->parts && i < in->n_parts; i++) {
    const DpTensor images = in->parts[i].images;
    if (!dp_tensor_present (&images))
      continue;
    dp_scatter_rows (s, &(DpScatterRowsArgs){ .x = images, .index = dp_tensor_rows (in->image_rows, at, images.rows), .y = residual });
    at += images.rows;
  }
}

static void
rotate_and_store (DpDecoder *d, DpStream *s, const DpDecoderRows *in, guint32 layer, DpTensor q, DpTensor k, DpTensor v)
{
  const DpTextConfig *c = &d->model->config.text;
  DpApplyRotaryArgs rotary
      = { .q = q, .k = k, .cos = d->cos, .sin = d->sin, .positions = in->positions, .head_dim = c->head_dim, .rot_dim = c->head_dim };

  for (guint32 axis = 0; axis < d->axes && d->axes > 1; axis++)
    rotary.sections[axis] = c->mrope_sections[axis];
  dp_apply_rotary (s, &rotary);
  dp_fill_kv_cache (s, &(DpFillKvCacheArgs){ .k = k, .v = v, .slots = in->slots, .kv = d->kv, .layer = layer });
}

/* Attention of a layer, without the product behind it; [n, heads * head_dim], in r->qkv. */
static DpTensor
attend (DpDecoder *d, DpStream *s, const DpDecoderRows *in, guint32 layer, const Rows *r)
{
  const DpTextConfig *c = &d->model->config.text;
  const guint32 q_cols = c->heads * c->head_dim, kv_cols = c->kv_heads * c->head_dim;
  const DpTensor q = dp_tensor_cols (r->qkv, 0, q_cols), k = dp_tensor_cols (r->qkv, q_cols, kv_cols),
                 v = dp_tensor_cols (r->qkv, q_cols + kv_cols, kv_cols);
  const DpAttention attention = { .n_heads = c->heads,
                                  .n_kv_heads = c->kv_heads,
                                  .head_dim = c->head_dim,
                                  .head_dim_v = c->head_dim,
                                  .scale = 1 / sqrtf ((float) c->head_dim),
                                  .window = c->window,
                                  .causal = TRUE };

  dp_qkv_linear (s, &(DpQkvLinearArgs){ .x = r->x, .weight = d->model->decoder.layers[layer].qkv, .q = q, .k = k, .v = v });
  rotate_and_store (d, s, in, layer, q, k, v);
  if (dp_tensor_present (&in->ends))
    dp_paged_prefill_attention (s, &(DpPagedPrefillAttentionArgs){ .q = q,
                                                                   .kv = d->kv,
                                                                   .layer = layer,
                                                                   .block_table = in->table,
                                                                   .cu_seqlens = in->ends,
                                                                   .kv_lens = in->lens,
                                                                   .max_seqlen = in->longest,
                                                                   .max_kv_len = in->longest_kv,
                                                                   .attn = attention,
                                                                   .out = q });
  else
    dp_paged_decode_attention (s, &(DpPagedDecodeAttentionArgs){ .q = q,
                                                                 .kv = d->kv,
                                                                 .layer = layer,
                                                                 .block_table = in->table,
                                                                 .kv_lens = in->lens,
                                                                 .max_kv_len = d->options.max_len,
                                                                 .attn = attention,
                                                                 .out = q });
  return q;
}

static void
feed_forward (DpDecoder *d, DpStream *s, guint32 layer, const Rows *r)
{
  const DpDecoderLayer *l = &d->model->decoder.layers[layer];

  if (d->model->family->feed_forward) {
    d->model->family->feed_forward (d->model, s, layer, r->x, r->delta);
    return;
  }
  dp_gate_up_silu (s, &(DpGateUpSiluArgs){ .x = r->x, .weight = l->gate_up, .act = d->model->config.text.act, .y = r->inner });
  dp_model_linear (s, r->inner, l->down, DP_ACT_NONE, (DpTensor){ 0 }, r->delta);
}

static void
add_norm (DpDecoder *d, DpStream *s, DpTensor delta, DpTensor residual, DpTensor weight, DpTensor y)
{
  dp_add_rms_norm (
      s, &(DpAddRmsNormArgs){ .x = delta, .residual = residual, .weight = weight, .eps = (float) d->model->config.text.rms_eps, .y = y });
}

static DpTensor
gather (DpStream *s, DpTensor x, DpTensor index)
{
  const DpTensor y = dp_stream_temp (s, x.type, index.rows, x.cols);

  dp_window_permute (s, &(DpWindowPermuteArgs){ .x = x, .index = index, .unit = 1, .y = y });
  return y;
}

/* Behind the last attention only the rows that are wanted go on: a 24th of a prefill's work less. */
static DpTensor
keep_last (DpStream *s, DpTensor last, DpTensor attended, Rows *r)
{
  r->residual = gather (s, r->residual, last);
  r->delta = dp_tensor_rows (r->delta, 0, last.rows);
  r->x = dp_tensor_rows (r->x, 0, last.rows);
  if (dp_tensor_present (&r->inner))
    r->inner = dp_tensor_rows (r->inner, 0, last.rows);
  return gather (s, attended, last);
}

void
dp_decoder_forward (DpDecoder *d, DpStream *s, const DpDecoderRows *in, DpTensor out)
{
  const DpModel *m = d->model;
  const DpTextConfig *c = &m->config.text;
  const guint32 n = in->tokens.rows;
  const gsize mark = dp_stream_mark (s);
  Rows r = { .residual = dp_stream_temp (s, m->residual, n, c->hidden),
             .delta = dp_stream_temp (s, m->residual, n, c->hidden),
             .x = dp_stream_temp (s, m->compute, n, c->hidden),
             .qkv = dp_stream_temp (s, m->compute, n, (c->heads + 2 * c->kv_heads) * c->head_dim) };

  if (!m->family->feed_forward)
    r.inner = dp_stream_temp (s, m->compute, n, c->intermediate);
  embed (d, s, in, r.residual);
  dp_rms_norm (s, &(DpRmsNormArgs){ .x = r.residual, .weight = m->decoder.layers[0].attention_norm, .eps = (float) c->rms_eps, .y = r.x });
  for (guint32 l = 0; l < c->layers; l++) {
    DpTensor attended = attend (d, s, in, l, &r);
    if (l + 1 == c->layers && dp_tensor_present (&in->last))
      attended = keep_last (s, in->last, attended, &r);
    dp_model_linear (s, attended, m->decoder.layers[l].o, DP_ACT_NONE, (DpTensor){ 0 }, r.delta);
    add_norm (d, s, r.delta, r.residual, m->decoder.layers[l].feed_norm, r.x);
    feed_forward (d, s, l, &r);
    if (l + 1 < c->layers)
      add_norm (d, s, r.delta, r.residual, m->decoder.layers[l + 1].attention_norm, r.x);
  }
  add_norm (d, s, r.delta, r.residual, m->decoder.norm, out);
  dp_stream_release (s, mark);
}
