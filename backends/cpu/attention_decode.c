/* backends/cpu/attention_decode.c - paged_decode_attention: one query per sequence.
 *
 * The query heads that share a key head are taken together, so keys and values are read once.  Long contexts are cut every
 * 512 tokens (Flash-Decoding, Dao et al. 2023, but with parts of fixed length, so that the result does not depend on
 * batch, threads or graph) and the parts joined afterwards.
 */
#include "backends/cpu/attention.h"
#include "backends/cpu/rows.h"

#include <math.h>
#include <string.h>

#define PART 512

typedef struct {
  const DpCpuTask *task;
  const DpPagedDecodeAttentionArgs *args;
  DpCpuAttend attend;
  guint32 group, n_parts; /* heads per key head; parts of the longest sequence */
  gsize room, record;     /* bytes of a thread's room; floats of a part of a head: values, largest, sum */
  gsize rooms_at;         /* in scratch, behind the records [B, n_heads, n_parts] */
} Decode;

static gsize
lay_out (const DpCpu *cpu, guint n_threads, const DpPagedDecodeAttentionArgs *a, Decode *d)
{
  d->args = a;
  d->attend = dp_cpu_attend_new (cpu, &a->attn, dp_cpu_kv (a->kv)->paired, a->q.type);
  d->group = a->attn.n_heads / a->attn.n_kv_heads;
  d->n_parts = MAX ((guint32) (((gsize) a->max_kv_len + PART - 1) / PART), 1);
  d->record = (gsize) d->attend.shape.value_dim + 16; /* keeps records at multiples of 64 bytes */
  d->room = dp_cpu_attend_room (&d->attend, a->kv);
  if (d->n_parts > 1)
    d->rooms_at = dp_cpu_round_up ((gsize) a->q.rows * a->attn.n_heads * d->n_parts * d->record * sizeof (float));
  return d->rooms_at + n_threads * d->room;
}

static guint8 *
room_of (const Decode *d, guint thread)
{
  return d->task->scratch + d->rooms_at + thread * d->room;
}

static float *
record_of (const Decode *d, gsize b, guint32 head, guint32 part)
{
  return (float *) (gpointer) d->task->scratch + ((b * d->args->attn.n_heads + head) * d->n_parts + part) * d->record;
}

static gint64
length_of (const DpPagedDecodeAttentionArgs *a, gsize b)
{
  return CLAMP (dp_cpu_int (&a->kv_lens, b, 0), 0, (gint64) a->max_kv_len);
}

/* Item `index` of [B, n_kv_heads, n_parts]. */
typedef struct {
  gsize b;
  guint32 kv_head, part;
} Item;

static Item
item_of (const Decode *d, gsize index)
{
  const guint32 n_kv_heads = d->args->attn.n_kv_heads;

  return (Item){ index / d->n_parts / n_kv_heads, (guint32) (index / d->n_parts % n_kv_heads), (guint32) (index % d->n_parts) };
}

static DpCpuKeys
keys_of (const Decode *d, Item item)
{
  const DpPagedDecodeAttentionArgs *a = d->args;
  gint64 length = length_of (a, item.b), from = a->attn.window && a->attn.window < length ? length - a->attn.window : 0;

  return (DpCpuKeys){ .from = from,
                      .length = length,
                      .kv = a->kv,
                      .layer = a->layer,
                      .head = item.kv_head,
                      .pages = dp_tensor_row (&a->block_table, (guint32) item.b) };
}

/* Heads first .. first + n - 1 of a sequence over one part. */
static void
attend_heads (const Decode *d, const DpCpuKeys *keys, gsize b, guint32 first, guint32 n, guint32 part, guint8 *room)
{
  const DpPagedDecodeAttentionArgs *a = d->args;
  const DpAttention *attn = &a->attn;
  DpCpuQueries q = dp_cpu_queries (&d->attend, room);
  gint64 length = keys->length;

  q.n = n;
  q.position = length - 1;
  q.step = 0;
  for (guint32 i = 0; i < n; i++)
    dp_cpu_query (&d->attend, &q, i, &a->q, (guint32) b, (first + i) * attn->head_dim);
  dp_cpu_attend (&d->attend, &q, keys, (gint64) part * PART, MIN (((gint64) part + 1) * PART, length));
  for (guint32 i = 0; i < n; i++) {
    if (length <= PART) {
      dp_cpu_attend_store (&d->attend, &q, i, &a->out, (guint32) b, (first + i) * attn->head_dim_v);
      continue;
    }
    float *record = record_of (d, b, first + i, part);
    memcpy (record, q.out + (gsize) i * d->attend.shape.value_dim, d->attend.shape.value_dim * sizeof (float));
    record[d->attend.shape.value_dim] = q.largest[i];
    record[d->attend.shape.value_dim + 1] = q.sum[i];
  }
}

/* Whether a sequence ends before this part. */
static gboolean
is_empty (const Decode *d, Item item)
{
  return item.part && (gint64) item.part * PART >= length_of (d->args, item.b);
}

/* Walks over the tiles of an item and of those behind it. */
typedef struct {
  DpCpuAhead base;
  const Decode *d;
  gsize index, n_items;
  DpCpuKeys keys; /* of the item */
  gint64 at, end; /* its tokens that are left */
} Ahead;

static void
ahead_item (Ahead *a, gsize index)
{
  const Item item = item_of (a->d, index);

  a->index = index;
  a->keys = keys_of (a->d, item);
  a->at = MAX ((gint64) item.part * PART, a->keys.from / DP_TILE * DP_TILE);
  a->end = MIN (((gint64) item.part + 1) * PART, a->keys.length);
}

static const guint8 *
ahead_next (DpCpuAhead *base)
{
  Ahead *a = (Ahead *) base;

  while (a->at >= a->end) {
    const gsize next = a->end < a->keys.length ? a->index + 1 : (a->index / a->d->n_parts + 1) * a->d->n_parts;
    if (next >= a->n_items)
      return NULL;
    ahead_item (a, next);
  }
  a->at += DP_TILE;
  return dp_cpu_kv_tile (&a->keys, a->at - DP_TILE);
}

/* A walk that is as far ahead of an item's first tile as attention fetches. */
static Ahead
ahead_of (const Decode *d, gsize index)
{
  Ahead a = { .base = { ahead_next }, .d = d, .n_items = (gsize) d->args->q.rows * d->args->attn.n_kv_heads * d->n_parts };

  ahead_item (&a, index);
  for (guint i = 0; i < DP_BLOCK_TILES; i++)
    ahead_next (&a.base);
  return a;
}

/* The next items' keys lie elsewhere, so they are fetched while the values of this one are summed up. */
static void
attend_parts (gpointer data, gsize first, gsize last, guint thread)
{
  const Decode *d = data;

  for (gsize index = first; index < last; index++) {
    const Item item = item_of (d, index);
    if (is_empty (d, item))
      continue;
    Ahead ahead = ahead_of (d, index);
    DpCpuKeys keys = keys_of (d, item);
    for (guint32 i = 0; i < d->group; i += DP_QUERY_TILE) {
      keys.ahead = i + DP_QUERY_TILE < d->group ? NULL : &ahead.base; /* the last ones on these keys */
      attend_heads (d, &keys, item.b, item.kv_head * d->group + i, MIN (d->group - i, DP_QUERY_TILE), item.part, room_of (d, thread));
    }
  }
}

/* The parts of one head, put together; the part with the largest score counts in full. */
static void
join_head (const Decode *d, gsize b, guint32 head, guint32 n_parts, guint8 *room)
{
  const DpArithKernels *k = d->task->cpu->kernels->arith;
  gsize dim = d->attend.shape.value_dim;
  DpCpuQueries q = dp_cpu_queries (&d->attend, room);

  q.largest[0] = -INFINITY;
  q.sum[0] = 0;
  memset (q.out, 0, dim * sizeof (float));
  for (guint32 part = 0; part < n_parts; part++)
    q.largest[0] = MAX (q.largest[0], record_of (d, b, head, part)[dim]);
  for (guint32 part = 0; part < n_parts; part++) {
    const float *record = record_of (d, b, head, part);
    float factor = record[dim] == -INFINITY && record[dim + 1] == 0 ? 0 : exp2f (record[dim] - q.largest[0]);
    k->axpy (factor, record, q.out, dim);
    q.sum[0] += factor * record[dim + 1];
  }
  dp_cpu_attend_store (&d->attend, &q, 0, &d->args->out, (guint32) b, head * d->args->attn.head_dim_v);
}

/* Items: [B, n_heads]. */
static void
join_parts (gpointer data, gsize first, gsize last, guint thread)
{
  const Decode *d = data;
  guint32 n_heads = d->args->attn.n_heads;

  for (gsize index = first; index < last; index++) {
    gint64 length = length_of (d->args, index / n_heads);
    if (length > PART)
      join_head (d, index / n_heads, (guint32) (index % n_heads), (guint32) ((length + PART - 1) / PART), room_of (d, thread));
  }
}

static void
paged_decode_attention (const DpCpuTask *task, const void *args)
{
  const DpPagedDecodeAttentionArgs *a = args;
  Decode d = { .task = task };

  lay_out (task->cpu, task->n_threads, a, &d);
  const gsize n_items = (gsize) a->q.rows * a->attn.n_kv_heads * d.n_parts;
  if (d.n_parts == 1) {
    dp_cpu_for_last (task, n_items, 1, attend_parts, &d);
    return;
  }
  dp_cpu_for (task, n_items, 1, attend_parts, &d);
  dp_cpu_wait (task);
  dp_cpu_for_last (task, (gsize) a->q.rows * a->attn.n_heads, 8, join_parts, &d);
}

static gsize
paged_decode_attention_space (const DpCpu *cpu, guint n_threads, const void *args)
{
  Decode d = { 0 };

  return lay_out (cpu, n_threads, args, &d);
}

const DpCpuOperator dp_cpu_op_paged_decode_attention
    = { .run = paged_decode_attention, .space = paged_decode_attention_space, .then = TRUE };
