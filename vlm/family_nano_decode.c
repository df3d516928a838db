/* vlm/family_nano_decode.c - the built-in model's decoder over a paged cache: passes over packed rows, and single steps.
 *
 * Every query goes through paged_prefill_attention, also in single steps: keys and values come from the cache in the same tiles
 * whatever else is in the call, so that a token checked in a draft has the very bits of the token decoded alone.  (Through
 * paged_decode_attention the last bits may differ; see ops/ops.h.)
 */
#include "vlm/family_nano.h"

#include <math.h>

/* Sequences of queries in the cache. */
typedef struct {
  DpTensor table, cu, lens;
  guint32 longest; /* queries of one */
} Queries;

typedef struct {
  DpTensor places, slots; /* [rows, 1] */
  guint32 first;          /* row at which tokens begin; prefix rows stand before */
  guint32 max_len;
  Queries all, tokens; /* of all rows; of the tokens only, for the last layer */
} Rows;

static void
decoder_block (DpStream *s, const DpNano *nano, DpKv *kv, guint layer, const Rows *rows, DpTensor residual)
{
  const DpNanoConfig *c = &nano->config;
  const DpNanoBlock *block = &nano->decoder[layer];
  const guint32 n = residual.rows, q_cols = c->heads * c->head_dim, kv_cols = c->decoder_kv_heads * c->head_dim;
  /* nobody looks at the prefix behind its keys and values of the last layer */
  const gboolean last = layer + 1 == c->decoder_layers;
  const guint32 from = last ? rows->first : 0, m = n - from;
  const Queries *queries = last ? &rows->tokens : &rows->all;
  const DpAttention attention = { .n_heads = c->heads,
                                  .n_kv_heads = c->decoder_kv_heads,
                                  .head_dim = c->head_dim,
                                  .head_dim_v = c->head_dim,
                                  .scale = 1 / sqrtf ((float) c->head_dim),
                                  .causal = TRUE };
  gsize mark = dp_stream_mark (s);
  DpTensor x = dp_stream_temp (s, DP_BF16, n, c->hidden), qkv = dp_stream_temp (s, DP_BF16, n, q_cols + 2 * kv_cols);
  DpTensor mixed = dp_stream_temp (s, DP_BF16, m, q_cols), inner = dp_stream_temp (s, DP_BF16, m, c->inner);
  DpTensor q = dp_tensor_cols (qkv, 0, q_cols), k = dp_tensor_cols (qkv, q_cols, kv_cols),
           v = dp_tensor_cols (qkv, q_cols + kv_cols, kv_cols);
  DpTensor rest = dp_tensor_rows (residual, from, m), y = dp_tensor_rows (x, from, m);

  dp_rms_norm (s, &(DpRmsNormArgs){ .x = residual, .weight = block->norm1, .eps = (float) c->eps, .y = x });
  dp_qkv_linear (s, &(DpQkvLinearArgs){ .x = x, .weight = block->qkv, .q = q, .k = k, .v = v });
  dp_apply_rotary (s, &(DpApplyRotaryArgs){ .q = q,
                                            .k = k,
                                            .cos = nano->decoder_cos,
                                            .sin = nano->decoder_sin,
                                            .positions = rows->places,
                                            .head_dim = c->head_dim,
                                            .rot_dim = c->head_dim });
  dp_fill_kv_cache (s, &(DpFillKvCacheArgs){ .k = k, .v = v, .slots = rows->slots, .kv = kv, .layer = layer });
  dp_paged_prefill_attention (s, &(DpPagedPrefillAttentionArgs){ .q = dp_tensor_rows (q, from, m),
                                                                 .kv = kv,
                                                                 .layer = layer,
                                                                 .block_table = queries->table,
                                                                 .cu_seqlens = queries->cu,
                                                                 .kv_lens = queries->lens,
                                                                 .max_seqlen = queries->longest,
                                                                 .max_kv_len = rows->max_len,
                                                                 .attn = attention,
                                                                 .out = mixed });
  dp_linear (s, &(DpLinearArgs){ .x = mixed, .weight = block->out, .residual = rest, .y = rest });
  dp_rms_norm (s, &(DpRmsNormArgs){ .x = rest, .weight = block->norm2, .eps = (float) c->eps, .y = y });
  dp_gate_up_silu (s, &(DpGateUpSiluArgs){ .x = y, .weight = block->gate_up, .act = DP_ACT_SILU, .y = inner });
  dp_linear (s, &(DpLinearArgs){ .x = inner, .weight = block->down, .residual = rest, .y = rest });
  dp_stream_release (s, mark);
}

/* residual [rows, hidden] through all blocks; what the head reads, [tokens, hidden] of the rows from rows->first on. */
static DpTensor
through_blocks (DpStream *s, const DpNano *nano, DpKv *kv, const Rows *rows, DpTensor residual)
{
  const DpNanoConfig *c = &nano->config;
  DpTensor x = dp_stream_temp (s, DP_BF16, residual.rows - rows->first, c->hidden);

  for (guint l = 0; l < c->decoder_layers; l++)
    decoder_block (s, nano, kv, l, rows, residual);
  dp_rms_norm (s, &(DpRmsNormArgs){
                      .x = dp_tensor_rows (residual, rows->first, x.rows), .weight = nano->decoder_norm, .eps = (float) c->eps, .y = x });
  return x;
}

/* ids and logprob [tokens, 1]. */
static void
decode (DpStream *s, const DpNano *nano, DpKv *kv, const Rows *rows, DpTensor residual, DpTensor ids, DpTensor logprob)
{
  const DpTensor x = through_blocks (s, nano, kv, rows, residual);

  dp_lm_head_argmax (s, &(DpLmHeadArgmaxArgs){ .x = x, .weight = nano->embedding, .ids = ids, .logprob = logprob });
}

/* ---- passes ------------------------------------------------------------------------------------------ */

static DpTensor
upload (DpStream *s, const gint32 *values, guint32 rows, guint32 cols)
{
  DpTensor t = dp_stream_temp (s, DP_I32, rows, cols);

  dp_stream_upload (s, &t, values, (gsize) rows * cols * sizeof *values);
  return t;
}

static guint32
part_len (const DpNanoPart *part)
{
  return part->prefix + part->kept + part->n;
}

/* The host's side of Rows. */
typedef struct {
  gint32 *places, *slots, *ids; /* [rows], [rows], [tokens] */
  gint32 *table, *cu, *lens;    /* first the prefixes, then the tokens of each part */
  guint32 pages;                /* columns of table */
  guint32 n_prefix, n_tokens, longest_prefix, longest_tokens, max_len;
} Layout;

static void
measure (Layout *l, const DpNanoPart *parts, guint32 n_parts)
{
  for (guint32 b = 0; b < n_parts; b++) {
    const DpNanoPart *part = &parts[b];
    l->n_tokens += part->n;
    l->longest_tokens = MAX (l->longest_tokens, part->n);
    l->max_len = MAX (l->max_len, part_len (part));
    if (part->first)
      l->n_prefix += part->prefix, l->longest_prefix = MAX (l->longest_prefix, part->prefix);
  }
  l->pages = (l->max_len + DP_NANO_PAGE - 1) / DP_NANO_PAGE;
}

static void
add_sequence (Layout *l, guint32 b, const DpNanoPart *part, guint32 rows, guint32 len)
{
  const guint32 pages = (part_len (part) + DP_NANO_PAGE - 1) / DP_NANO_PAGE;

  l->cu[b + 1] = l->cu[b] + (gint32) rows;
  l->lens[b] = (gint32) len;
  for (guint32 i = 0; i < l->pages; i++)
    l->table[b * l->pages + i] = i < pages ? (gint32) (part->page + i) : 0;
}

static void
lay_out (Layout *l, const DpNanoPart *parts, guint32 n_parts)
{
  guint32 row = 0, token = 0;

  for (guint32 b = 0; b < n_parts; b++) {
    const DpNanoPart *part = &parts[b];
    const guint32 n = part->first ? part->prefix : 0, slot = part->page * DP_NANO_PAGE;
    for (guint32 i = 0; i < n; i++, row++)
      l->places[row] = part->prefix_places[i], l->slots[row] = (gint32) (slot + i);
    add_sequence (l, b, part, n, n);
  }
  for (guint32 b = 0; b < n_parts; b++) {
    const DpNanoPart *part = &parts[b];
    const guint32 slot = part->page * DP_NANO_PAGE + part->prefix + part->kept;
    for (guint32 i = 0; i < part->n; i++, row++) {
      l->places[row] = (gint32) (2 * (part->kept + i)), l->slots[row] = (gint32) (slot + i);
      l->ids[token++] = part->tokens[i];
    }
    add_sequence (l, n_parts + b, part, part->n, part_len (part));
  }
}

static Layout
layout_new (const DpNanoPart *parts, guint32 n_parts)
{
  Layout l = { 0 };

  measure (&l, parts, n_parts);
  l.places = g_new (gint32, l.n_prefix + l.n_tokens);
  l.slots = g_new (gint32, l.n_prefix + l.n_tokens);
  l.ids = g_new (gint32, l.n_tokens);
  l.table = g_new (gint32, (gsize) 2 * n_parts * l.pages);
  l.cu = g_new0 (gint32, 2 * n_parts + 1);
  l.lens = g_new (gint32, 2 * n_parts);
  lay_out (&l, parts, n_parts);
  return l;
}

static void
layout_clear (Layout *l)
{
  g_free (l->places), g_free (l->slots), g_free (l->ids);
  g_free (l->table), g_free (l->cu), g_free (l->lens);
}

/* The tokens' own cu_seqlens start from 0 again. */
static Rows
rows_upload (DpStream *s, const Layout *l, guint32 n_parts)
{
  const gboolean both = l->n_prefix > 0;
  g_autofree gint32 *cu = g_new (gint32, n_parts + 1);
  Rows rows = { .first = l->n_prefix, .max_len = l->max_len };

  for (guint32 b = 0; b <= n_parts; b++)
    cu[b] = l->cu[n_parts + b] - (gint32) l->n_prefix;
  rows.places = upload (s, l->places, l->n_prefix + l->n_tokens, 1);
  rows.slots = upload (s, l->slots, l->n_prefix + l->n_tokens, 1);
  rows.tokens = (Queries){ .table = upload (s, l->table + (gsize) n_parts * l->pages, n_parts, l->pages),
                           .cu = upload (s, cu, n_parts + 1, 1),
                           .lens = upload (s, l->lens + n_parts, n_parts, 1),
                           .longest = l->longest_tokens };
  rows.all = rows.tokens;
  if (both)
    rows.all = (Queries){ .table = upload (s, l->table, 2 * n_parts, l->pages),
                          .cu = upload (s, l->cu, 2 * n_parts + 1, 1),
                          .lens = upload (s, l->lens, 2 * n_parts, 1),
                          .longest = MAX (l->longest_tokens, l->longest_prefix) };
  return rows;
}

void
dp_nano_pass (DpStream *s, const DpNano *nano, DpKv *kv, const DpNanoPart *parts, guint32 n_parts, DpTensor encoded, gint32 *ids,
              float *logprob)
{
  const DpNanoConfig *c = &nano->config;
  Layout l = layout_new (parts, n_parts);
  gsize mark = dp_stream_mark (s);
  DpTensor residual = dp_stream_temp (s, DP_F32, l.n_prefix + l.n_tokens, c->hidden);
  DpTensor best = dp_stream_temp (s, DP_I32, l.n_tokens, 1), sure = dp_stream_temp (s, DP_F32, l.n_tokens, 1);
  Rows rows = rows_upload (s, &l, n_parts);
  DpTensor tokens = upload (s, l.ids, l.n_tokens, 1);

  if (l.n_prefix)
    dp_linear (s, &(DpLinearArgs){ .x = dp_tensor_reshape (encoded, l.n_prefix, c->merge * c->hidden),
                                   .weight = nano->visual,
                                   .y = dp_tensor_rows (residual, 0, l.n_prefix) });
  dp_embedding (s, &(DpEmbeddingArgs){ .ids = tokens, .weight = nano->embedding, .y = dp_tensor_rows (residual, l.n_prefix, l.n_tokens) });
  decode (s, nano, kv, &rows, residual, best, sure);
  dp_stream_download (s, ids, &best, l.n_tokens * sizeof *ids);
  dp_stream_download (s, logprob, &sure, l.n_tokens * sizeof *logprob);
  dp_stream_release (s, mark);
  layout_clear (&l);
}

void
dp_nano_judge (DpStream *s, const DpNano *nano, DpKv *kv, const DpNanoPart *parts, guint32 n_parts, float *logits)
{
  const DpNanoConfig *c = &nano->config;
  Layout l = layout_new (parts, n_parts);
  gsize mark = dp_stream_mark (s);
  DpTensor residual = dp_stream_temp (s, DP_F32, l.n_tokens, c->hidden), y = dp_stream_temp (s, DP_F32, l.n_tokens, c->vocabulary);
  Rows rows = rows_upload (s, &l, n_parts);

  g_assert (l.n_prefix == 0);
  dp_embedding (s, &(DpEmbeddingArgs){ .ids = upload (s, l.ids, l.n_tokens, 1), .weight = nano->embedding, .y = residual });
  const DpTensor x = through_blocks (s, nano, kv, &rows, residual);
  dp_linear (s, &(DpLinearArgs){ .x = x, .weight = nano->embedding, .y = y });
  dp_stream_download (s, logits, &y, dp_tensor_bytes (&y));
  dp_stream_release (s, mark);
  layout_clear (&l);
}

/* ---- single steps ------------------------------------------------------------------------------------ */

enum { TOKENS, PLACES, SLOTS, CU, LENS, TABLE, N_FIELDS };

struct DpNanoStepper {
  const DpNano *nano;
  DpKv *kv;
  guint32 most, max_len, pages;
  gboolean eager;
  guint32 batch; /* of the body that runs or is captured */
  DpStep *step;
  DpBuffer *results;
  DpTensor ids, logprob; /* [most, 1] */
  GHashTable *graphs;    /* batch -> DpGraph */
};

static DpTensor
field (const DpNanoStepper *p, guint which, guint32 rows)
{
  return dp_tensor_rows (dp_step_tensor (p->step, which), 0, rows);
}

static void
step_body (DpStream *s, gpointer data)
{
  const DpNanoStepper *p = data;
  const guint32 n = p->batch;
  gsize mark = dp_stream_mark (s);
  DpTensor residual = dp_stream_temp (s, DP_F32, n, p->nano->config.hidden);
  const Queries queries = { .table = field (p, TABLE, n), .cu = field (p, CU, n + 1), .lens = field (p, LENS, n), .longest = 1 };
  const Rows rows
      = { .places = field (p, PLACES, n), .slots = field (p, SLOTS, n), .max_len = p->max_len, .all = queries, .tokens = queries };

  dp_embedding (s, &(DpEmbeddingArgs){ .ids = field (p, TOKENS, n), .weight = p->nano->embedding, .y = residual });
  decode (s, p->nano, p->kv, &rows, residual, dp_tensor_rows (p->ids, 0, n), dp_tensor_rows (p->logprob, 0, n));
  dp_stream_release (s, mark);
}

DpNanoStepper *
dp_nano_stepper_new (const DpNano *nano, DpKv *kv, guint32 most, guint32 max_len, gboolean eager, GError **error)
{
  const guint32 pages = (max_len + DP_NANO_PAGE - 1) / DP_NANO_PAGE;
  const DpStepField fields[N_FIELDS] = {
    { "tokens", DP_I32, most, 1, 0 }, { "places", DP_I32, most, 1, 0 }, { "slots", DP_I32, most, 1, -1 },
    { "cu", DP_I32, most + 1, 1, 0 }, { "lens", DP_I32, most, 1, 0 },   { "table", DP_I32, most, pages, 0 },
  };
  g_autoptr (DpNanoStepper) p = g_new0 (DpNanoStepper, 1);

  p->nano = nano, p->kv = kv, p->most = most, p->max_len = max_len, p->pages = pages, p->eager = eager;
  p->graphs = g_hash_table_new_full (g_direct_hash, g_direct_equal, NULL, (GDestroyNotify) dp_graph_free);
  p->step = dp_step_new (nano->backend, fields, N_FIELDS, error);
  if (!p->step)
    return NULL;
  p->results = dp_buffer_new (nano->backend, (gsize) most * 8, error);
  if (!p->results)
    return NULL;
  p->ids = dp_tensor (p->results, 0, DP_I32, most, 1);
  p->logprob = dp_tensor (p->results, (gsize) most * 4, DP_F32, most, 1);
  return g_steal_pointer (&p);
}

void
dp_nano_stepper_free (DpNanoStepper *p)
{
  if (!p)
    return;
  g_hash_table_unref (p->graphs);
  dp_step_free (p->step);
  dp_buffer_free (p->results);
  g_free (p);
}

static void
fill_step (DpNanoStepper *p, const DpNanoPart *parts, guint32 n)
{
  gint32 *cu = dp_step_i32 (p->step, CU), *table = dp_step_i32 (p->step, TABLE);

  dp_step_reset (p->step);
  for (guint32 b = 0; b < n; b++) {
    const DpNanoPart *part = &parts[b];
    const guint32 len = part_len (part);
    dp_step_i32 (p->step, TOKENS)[b] = part->tokens[0];
    dp_step_i32 (p->step, PLACES)[b] = (gint32) (2 * part->kept);
    dp_step_i32 (p->step, SLOTS)[b] = (gint32) (part->page * DP_NANO_PAGE + len - 1);
    dp_step_i32 (p->step, LENS)[b] = (gint32) len;
    for (guint32 i = 0; i * DP_NANO_PAGE < len; i++)
      table[(gsize) b * p->pages + i] = (gint32) (part->page + i);
  }
  for (guint32 b = 0; b <= p->most; b++)
    cu[b] = (gint32) MIN (b, n);
}

gboolean
dp_nano_step (DpNanoStepper *p, DpStream *s, const DpNanoPart *parts, guint32 n, gint32 *ids, float *logprob, GError **error)
{
  g_assert (n >= 1 && n <= p->most);
  p->batch = dp_bucket (n, p->most);
  fill_step (p, parts, n);
  if (p->eager) {
    dp_step_upload (s, p->step);
    step_body (s, p);
  } else {
    DpGraph *graph = g_hash_table_lookup (p->graphs, GUINT_TO_POINTER (p->batch));
    if (!graph) {
      graph = dp_graph_capture (p->nano->backend, step_body, p, error);
      if (!graph)
        return FALSE;
      g_hash_table_insert (p->graphs, GUINT_TO_POINTER (p->batch), graph);
    }
    dp_graph_replay (s, graph, p->step);
  }
  DpTensor best = dp_tensor_rows (p->ids, 0, n), sure = dp_tensor_rows (p->logprob, 0, n);
  dp_stream_download (s, ids, &best, n * sizeof *ids);
  dp_stream_download (s, logprob, &sure, n * sizeof *logprob);
  return dp_stream_sync (s, error);
}
