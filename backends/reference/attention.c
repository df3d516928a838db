/* backends/reference/attention.c - the three attentions, one query and one head at a time, softmax in two passes. */
#include "backends/reference/reference.h"

/* Where keys and values come from: packed rows, or a cache. */
typedef struct {
  const DpTensor *k, *v; /* packed: rows of the sequence start at first */
  guint32 first;
  const DpKv *kv; /* paged */
  guint32 layer, sequence;
  const DpTensor *block_table;
  const DpTensor *mask; /* packed only; may be absent */
} Source;

/* One query row: keys 0..length-1 of its sequence, itself at `position`. */
typedef struct {
  const DpAttention *attn;
  const DpTensor *q, *out;
  guint32 row;
  guint32 position, length;
} Query;

static gboolean
allowed (const DpAttention *attn, guint32 i, guint32 j)
{
  if (attn->causal && j > i)
    return FALSE;
  if (attn->window && i >= j && i - j >= attn->window)
    return FALSE;
  return !(attn->window && j > i && j - i >= attn->window);
}

static float
key_at (const Source *s, guint32 cache_row, guint32 j, guint32 head, guint32 head_dim, guint32 d)
{
  return s->kv ? ref_kv_k (s->kv, cache_row, head, d) : ref_get (s->k, s->first + j, head * head_dim + d);
}

static float
value_at (const Source *s, guint32 cache_row, guint32 j, guint32 head, guint32 head_dim, guint32 d)
{
  return s->kv ? ref_kv_v (s->kv, cache_row, head, d) : ref_get (s->v, s->first + j, head * head_dim + d);
}

static gboolean
cache_row (const Source *s, guint32 j, guint32 *row, GError **error)
{
  *row = 0;
  if (s->kv && !ref_kv_row (s->kv, s->layer, s->block_table, s->sequence, j, row))
    return ref_bad_index (error, "paged attention", "page", ref_int (s->block_table, s->sequence, j / s->kv->config.page_size),
                          s->kv->config.n_pages);
  return TRUE;
}

/* Scores of one query head into scores[length]; keys that may not be seen get -infinity. *any: one may. */
static gboolean
score (const Query *q, const Source *s, guint32 head, float *scores, gboolean *any, GError **error)
{
  const DpAttention *attn = q->attn;
  guint32 kv_head = head / (attn->n_heads / attn->n_kv_heads), row;
  *any = FALSE;
  for (guint32 j = 0; j < q->length; j++) {
    scores[j] = -INFINITY;
    if (!allowed (attn, q->position, j))
      continue;
    if (!cache_row (s, j, &row, error))
      return FALSE;
    float dot = 0;
    for (guint32 d = 0; d < attn->head_dim; d++)
      dot += ref_get (q->q, q->row, head * attn->head_dim + d) * key_at (s, row, j, kv_head, attn->head_dim, d);
    scores[j] = ref_softcap (attn->scale * dot, attn->softcap);
    if (s->mask && s->mask->buffer)
      scores[j] += ref_get (s->mask, q->row, j);
    *any = *any || scores[j] != -INFINITY;
  }
  return TRUE;
}

/* scores become probabilities; keys that may not be seen stay -infinity. */
static void
softmax (float *scores, guint32 n)
{
  float largest = -INFINITY, sum = 0;
  for (guint32 j = 0; j < n; j++)
    largest = scores[j] > largest || isnan (scores[j]) ? scores[j] : largest;
  for (guint32 j = 0; j < n; j++)
    sum += scores[j] == -INFINITY ? 0 : expf (scores[j] - largest);
  for (guint32 j = 0; j < n; j++)
    if (scores[j] != -INFINITY)
      scores[j] = expf (scores[j] - largest) / sum;
}

/* out = sum (p v) of one head. */
static gboolean
mix (const Query *q, const Source *s, guint32 head, const float *p, GError **error)
{
  const DpAttention *attn = q->attn;
  guint32 kv_head = head / (attn->n_heads / attn->n_kv_heads), row;
  for (guint32 d = 0; d < attn->head_dim_v; d++) {
    float mixed = 0;
    for (guint32 j = 0; j < q->length; j++) {
      if (p[j] == -INFINITY)
        continue;
      if (!cache_row (s, j, &row, error))
        return FALSE;
      mixed += p[j] * value_at (s, row, j, kv_head, attn->head_dim_v, d);
    }
    ref_set (q->out, q->row, head * attn->head_dim_v + d, mixed);
  }
  return TRUE;
}

static void
zero_row (const DpTensor *out, guint32 row)
{
  for (guint32 i = 0; i < out->cols; i++)
    ref_set (out, row, i, 0);
}

static gboolean
attend (const Query *q, const Source *s, float *scores, GError **error)
{
  for (guint32 head = 0; head < q->attn->n_heads; head++) {
    gboolean any;
    if (!score (q, s, head, scores, &any, error))
      return FALSE;
    if (any)
      softmax (scores, q->length);
    if (!mix (q, s, head, scores, error)) /* with nothing to see, a sum of nothing */
      return FALSE;
  }
  return TRUE;
}

gboolean
ref_prefill_attention (G_GNUC_UNUSED DpQueue *queue, const DpPrefillAttentionArgs *a, const DpWorkspace *workspace, GError **error)
{
  guint32 used;
  if (!ref_check_cu_seqlens (&a->cu_seqlens, a->max_seqlen, a->q.rows, "prefill_attention", &used, error))
    return FALSE;
  for (guint32 b = 0; b + 1 < a->cu_seqlens.rows; b++) {
    guint32 first = (guint32) ref_int (&a->cu_seqlens, b, 0), end = (guint32) ref_int (&a->cu_seqlens, b + 1, 0);
    Source s = { .k = &a->k, .v = &a->v, .first = first, .mask = &a->mask };
    for (guint32 row = first; row < end; row++) {
      Query q = { &a->attn, &a->q, &a->out, row, row - first, end - first };
      if (!attend (&q, &s, ref_floats (workspace), error))
        return FALSE;
    }
  }
  for (guint32 row = used; row < a->q.rows; row++)
    zero_row (&a->out, row);
  return TRUE;
}

/* kv_lens[b], if the declared maximum holds. */
static gboolean
kv_len (const DpTensor *kv_lens, guint32 b, guint32 max_kv_len, guint32 *length, GError **error)
{
  gint32 value = ref_int (kv_lens, b, 0);
  if (value < 0 || (guint32) value > max_kv_len)
    return ref_bad_index (error, "paged attention", "kv_lens", value, (gint64) max_kv_len + 1);
  *length = (guint32) value;
  return TRUE;
}

gboolean
ref_paged_prefill_attention (G_GNUC_UNUSED DpQueue *queue, const DpPagedPrefillAttentionArgs *a, const DpWorkspace *workspace,
                             GError **error)
{
  guint32 used, length = 0;
  if (!ref_check_cu_seqlens (&a->cu_seqlens, a->max_seqlen, a->q.rows, "paged_prefill_attention", &used, error))
    return FALSE;
  for (guint32 b = 0; b + 1 < a->cu_seqlens.rows; b++) {
    guint32 first = (guint32) ref_int (&a->cu_seqlens, b, 0), end = (guint32) ref_int (&a->cu_seqlens, b + 1, 0);
    if (!kv_len (&a->kv_lens, b, a->max_kv_len, &length, error))
      return FALSE;
    if (end - first > length)
      return ref_bad_index (error, "paged_prefill_attention", "queries of a sequence", end - first, (gint64) length + 1);
    Source s = { .kv = a->kv, .layer = a->layer, .sequence = b, .block_table = &a->block_table };
    for (guint32 row = first; row < end; row++) {
      Query q = { &a->attn, &a->q, &a->out, row, length - (end - row), length };
      if (!attend (&q, &s, ref_floats (workspace), error))
        return FALSE;
    }
  }
  for (guint32 row = used; row < a->q.rows; row++)
    zero_row (&a->out, row);
  return TRUE;
}

gboolean
ref_paged_decode_attention (G_GNUC_UNUSED DpQueue *queue, const DpPagedDecodeAttentionArgs *a, const DpWorkspace *workspace, GError **error)
{
  for (guint32 b = 0; b < a->q.rows; b++) {
    guint32 length = 0;
    if (!kv_len (&a->kv_lens, b, a->max_kv_len, &length, error))
      return FALSE;
    if (length == 0) {
      zero_row (&a->out, b);
      continue;
    }
    Source s = { .kv = a->kv, .layer = a->layer, .sequence = b, .block_table = &a->block_table };
    Query q = { &a->attn, &a->q, &a->out, b, length - 1, length };
    if (!attend (&q, &s, ref_floats (workspace), error))
      return FALSE;
  }
  return TRUE;
}
