/* backends/cpu/attention_prefill.c - prefill_attention and paged_prefill_attention.
 *
 * Packed keys and values are put into tiles once, then every head and every 48 queries are a piece of work.
 * Pieces of a head follow each other, so that its keys stay in the cache.
 */
#include "backends/cpu/attention.h"
#include "backends/cpu/rows.h"

#include <string.h>

/* ---- packed ---------------------------------------------------------------------------------------- */

typedef struct {
  const DpCpuTask *task;
  const DpPrefillAttentionArgs *args;
  DpCpuAttend attend;
  gsize key_bytes, value_bytes; /* of a tile */
  gsize n_tiles, n_pieces;      /* at most, of a head */
  gsize values_at, rooms_at;    /* in scratch, behind the tiles of keys [n_kv_heads, n_tiles] */
  gsize room;                   /* a thread's */
} Prefill;

/* Keys and values become bf16 only if they are, and if that is what the processor is fast at. */
static gboolean
in_half (const DpCpu *cpu, const DpPrefillAttentionArgs *a)
{
  return cpu->kernels->attention->fast_bf16 && a->k.type == DP_BF16 && a->v.type == DP_BF16;
}

static gsize
lay_out (const DpCpu *cpu, guint n_threads, const DpPrefillAttentionArgs *a, Prefill *p)
{
  p->args = a;
  p->attend = dp_cpu_attend_new (cpu, &a->attn, in_half (cpu, a), a->q.type);
  p->key_bytes = (gsize) p->attend.shape.key_steps * DP_TILE * 4;
  p->value_bytes = (gsize) p->attend.shape.value_dim * DP_TILE * (p->attend.half ? 2 : 4);
  p->n_tiles = dp_cpu_max_pieces (&a->cu_seqlens, a->q.rows, DP_TILE);
  p->n_pieces = dp_cpu_max_pieces (&a->cu_seqlens, a->q.rows, DP_QUERY_TILE);
  gsize strip = (gsize) DP_TILE * MAX (a->attn.head_dim, a->attn.head_dim_v) * sizeof (float);
  p->room = MAX (dp_cpu_attend_room (&p->attend, NULL), dp_cpu_round_up (strip));
  p->values_at = dp_cpu_round_up (p->n_tiles * a->attn.n_kv_heads * p->key_bytes);
  p->rooms_at = p->values_at + dp_cpu_round_up (p->n_tiles * a->attn.n_kv_heads * p->value_bytes);
  return p->rooms_at + n_threads * p->room;
}

static guint8 *
room_of (const Prefill *p, guint thread)
{
  return p->task->scratch + p->rooms_at + thread * p->room;
}

static guint8 *
keys_at (const Prefill *p, gsize tile)
{
  return p->task->scratch + tile * p->key_bytes;
}

static guint8 *
values_at (const Prefill *p, gsize tile)
{
  return p->task->scratch + p->values_at + tile * p->value_bytes;
}

/* n rows of one head as tile, which is one of keys or of values. */
static void
pack_tile (const Prefill *p, const DpTensor *t, guint32 row, guint32 n, guint32 col, guint32 dim, gboolean values, guint8 *tile,
           float *strip)
{
  const DpCpu *cpu = p->task->cpu;
  const DpAttentionKernels *k = cpu->kernels->attention;
  const guint8 *from = (const guint8 *) dp_tensor_row (t, row) + (gsize) col * dp_type_size (t->type);

  if (p->attend.half) {
    (values ? k->values_bf16 : k->keys_bf16) ((const guint16 *) (gconstpointer) from, t->stride, n, dim, (guint16 *) (gpointer) tile);
    return;
  }
  if (t->type == DP_F32) {
    (values ? k->values_f32 : k->keys_f32) ((const float *) (gconstpointer) from, t->stride, n, dim, (float *) (gpointer) tile);
    return;
  }
  for (guint32 i = 0; i < n; i++)
    dp_cpu_load (cpu, t, row + i, col, dim, strip + (gsize) i * dim);
  (values ? k->values_f32 : k->keys_f32) (strip, dim, n, dim, (float *) (gpointer) tile);
}

/* Items: tiles, all heads of each. */
static void
pack_tiles (gpointer data, gsize first, gsize last, guint thread)
{
  const Prefill *p = data;
  const DpPrefillAttentionArgs *a = p->args;
  const DpAttention *attn = &a->attn;
  float *strip = (float *) (gpointer) room_of (p, thread);

  for (gsize index = first; index < last; index++) {
    DpCpuPiece piece = dp_cpu_piece (&a->cu_seqlens, a->q.rows, DP_TILE, index);
    if (piece.b + 1 >= a->cu_seqlens.rows)
      break;
    guint32 row = piece.first + piece.at, n = MIN (piece.n - piece.at, DP_TILE);
    for (guint32 head = 0; head < attn->n_kv_heads; head++) {
      gsize at = head * p->n_tiles + index;
      pack_tile (p, &a->k, row, n, head * attn->head_dim, attn->head_dim, FALSE, keys_at (p, at), strip);
      pack_tile (p, &a->v, row, n, head * attn->head_dim_v, attn->head_dim_v, TRUE, values_at (p, at), strip);
    }
  }
}

/* Where the tiles of sequence b begin among those of a head. */
static gsize
tiles_before (const DpPrefillAttentionArgs *a, guint32 b)
{
  gsize n = 0;

  for (guint32 i = 0, first; i < b; i++)
    n += ((gsize) dp_cpu_sequence (&a->cu_seqlens, i, a->q.rows, &first) + DP_TILE - 1) / DP_TILE;
  return n;
}

static void
attend_piece (const Prefill *p, const DpCpuPiece *piece, guint32 head, guint8 *room)
{
  const DpPrefillAttentionArgs *a = p->args;
  const DpAttention *attn = &a->attn;
  DpCpuQueries q = dp_cpu_queries (&p->attend, room);
  gsize before = tiles_before (a, piece->b), tile = head / (attn->n_heads / attn->n_kv_heads) * p->n_tiles + before;

  if (before + (piece->n + DP_TILE - 1) / DP_TILE > p->n_tiles) /* cu_seqlens fall somewhere: nothing to rely on */
    return;
  DpCpuKeys keys = { .length = piece->n,
                     .key_tiles = keys_at (p, tile),
                     .value_tiles = values_at (p, tile),
                     .key_tile_bytes = p->key_bytes,
                     .value_tile_bytes = p->value_bytes };
  q.n = MIN (piece->n - piece->at, DP_QUERY_TILE);
  q.position = piece->at;
  q.mask = a->mask.buffer ? &a->mask : NULL;
  q.mask_row = piece->first + piece->at;
  for (guint32 i = 0; i < q.n; i++)
    dp_cpu_query (&p->attend, &q, i, &a->q, q.mask_row + i, head * attn->head_dim);
  dp_cpu_attend (&p->attend, &q, &keys, 0, piece->n);
  for (guint32 i = 0; i < q.n; i++)
    dp_cpu_attend_store (&p->attend, &q, i, &a->out, q.mask_row + i, head * attn->head_dim_v);
}

/* Items: pieces of the first head, of the second, ...; one more for the padding rows. */
static void
attend_pieces (gpointer data, gsize first, gsize last, guint thread)
{
  const Prefill *p = data;
  const DpPrefillAttentionArgs *a = p->args;

  for (gsize index = first; index < last; index++) {
    if (index == p->n_pieces * a->attn.n_heads) {
      dp_cpu_clear_padding (&a->cu_seqlens, &a->out);
      continue;
    }
    DpCpuPiece piece = dp_cpu_piece (&a->cu_seqlens, a->q.rows, DP_QUERY_TILE, index % p->n_pieces);
    if (piece.b + 1 < a->cu_seqlens.rows)
      attend_piece (p, &piece, (guint32) (index / p->n_pieces), room_of (p, thread));
  }
}

static void
prefill_attention (const DpCpuTask *task, const void *args)
{
  const DpPrefillAttentionArgs *a = args;
  Prefill p = { .task = task };

  lay_out (task->cpu, task->n_threads, a, &p);
  dp_cpu_for (task, p.n_tiles, 4, pack_tiles, &p);
  dp_cpu_wait (task);
  dp_cpu_for_last (task, p.n_pieces * a->attn.n_heads + 1, 1, attend_pieces, &p);
}

static gsize
prefill_attention_space (const DpCpu *cpu, guint n_threads, const void *args)
{
  Prefill p = { 0 };

  return lay_out (cpu, n_threads, args, &p);
}

const DpCpuOperator dp_cpu_op_prefill_attention = { .run = prefill_attention, .space = prefill_attention_space, .then = TRUE };

/* ---- paged ----------------------------------------------------------------------------------------- */

typedef struct {
  const DpCpuTask *task;
  const DpPagedPrefillAttentionArgs *args;
  DpCpuAttend attend;
  gsize n_pieces, room;
} Paged;

static gsize
paged_layout (const DpCpu *cpu, const DpPagedPrefillAttentionArgs *a, Paged *p)
{
  p->args = a;
  p->attend = dp_cpu_attend_new (cpu, &a->attn, dp_cpu_kv (a->kv)->paired, a->q.type);
  p->n_pieces = dp_cpu_max_pieces (&a->cu_seqlens, a->q.rows, DP_QUERY_TILE);
  p->room = dp_cpu_attend_room (&p->attend, a->kv);
  return p->room;
}

static void
paged_piece (const Paged *p, const DpCpuPiece *piece, guint32 head, guint8 *room)
{
  const DpPagedPrefillAttentionArgs *a = p->args;
  const DpAttention *attn = &a->attn;
  DpCpuQueries q = dp_cpu_queries (&p->attend, room);
  gint64 length = CLAMP (dp_cpu_int (&a->kv_lens, piece->b, 0), 0, (gint64) a->max_kv_len);
  DpCpuKeys keys = { .length = length,
                     .kv = a->kv,
                     .layer = a->layer,
                     .head = head / (attn->n_heads / attn->n_kv_heads),
                     .pages = dp_tensor_row (&a->block_table, piece->b) };
  guint32 row = piece->first + piece->at;

  q.n = MIN (piece->n - piece->at, DP_QUERY_TILE);
  q.position = length - piece->n + piece->at;
  for (guint32 i = 0; i < q.n; i++)
    dp_cpu_query (&p->attend, &q, i, &a->q, row + i, head * attn->head_dim);
  dp_cpu_attend (&p->attend, &q, &keys, 0, length);
  for (guint32 i = 0; i < q.n; i++)
    dp_cpu_attend_store (&p->attend, &q, i, &a->out, row + i, head * attn->head_dim_v);
}

static void
paged_pieces (gpointer data, gsize first, gsize last, guint thread)
{
  const Paged *p = data;
  const DpPagedPrefillAttentionArgs *a = p->args;

  for (gsize index = first; index < last; index++) {
    if (index == p->n_pieces * a->attn.n_heads) {
      dp_cpu_clear_padding (&a->cu_seqlens, &a->out);
      continue;
    }
    DpCpuPiece piece = dp_cpu_piece (&a->cu_seqlens, a->q.rows, DP_QUERY_TILE, index % p->n_pieces);
    if (piece.b + 1 < a->cu_seqlens.rows)
      paged_piece (p, &piece, (guint32) (index / p->n_pieces), p->task->scratch + thread * p->room);
  }
}

static void
paged_prefill_attention (const DpCpuTask *task, const void *args)
{
  const DpPagedPrefillAttentionArgs *a = args;
  Paged p = { .task = task };

  paged_layout (task->cpu, a, &p);
  dp_cpu_for_last (task, p.n_pieces * a->attn.n_heads + 1, 1, paged_pieces, &p);
}

static gsize
paged_prefill_attention_space (const DpCpu *cpu, guint n_threads, const void *args)
{
  Paged p = { 0 };

  return n_threads * paged_layout (cpu, args, &p);
}

const DpCpuOperator dp_cpu_op_paged_prefill_attention
    = { .run = paged_prefill_attention, .space = paged_prefill_attention_space, .then = TRUE };
