/* backends/cpu/attention.c - query tiles through blocks of keys; see attention.h. */
#include "backends/cpu/attention.h"

#include <math.h>
#include <string.h>

DpCpuAttend
dp_cpu_attend_new (const DpCpu *cpu, const DpAttention *attn, gboolean half, guint32 query_type)
{
  return (DpCpuAttend){ .cpu = cpu,
                        .attn = attn,
                        .shape = { .key_steps = half ? (attn->head_dim + 1) / 2 : attn->head_dim,
                                   .query_parts = half && query_type != DP_BF16 ? 2 : 1,
                                   .value_dim = (attn->head_dim_v + 15) / 16 * 16,
                                   .scale = attn->scale,
                                   .softcap = attn->softcap },
                        .half = half };
}

/* ---- room ------------------------------------------------------------------------------------------ */

static gsize
take (gsize *size, gsize bytes)
{
  gsize at = *size;

  *size += dp_cpu_round_up (bytes);
  return at;
}

/* Bytes of a query row. */
static gsize
query_bytes (const DpCpuAttend *a)
{
  return (gsize) a->shape.query_parts * a->shape.key_steps * 4;
}

/* Lays the arrays out from memory on; returns their bytes without the blocks. */
static gsize
lay_out (const DpCpuAttend *a, guint8 *memory, DpCpuQueries *q)
{
  gsize size = 0, row = MAX (MAX (a->attn->head_dim, a->attn->head_dim_v), a->shape.value_dim);
  gsize queries = take (&size, DP_QUERY_TILE * query_bytes (a));
  gsize out = take (&size, (gsize) DP_QUERY_TILE * a->shape.value_dim * sizeof (float));
  gsize largest = take (&size, DP_QUERY_TILE * sizeof (float)), sum = take (&size, DP_QUERY_TILE * sizeof (float));
  gsize one = take (&size, row * sizeof (float)), masks = take (&size, DP_ATTENTION_ROWS * DP_BLOCK * sizeof (float));

  if (memory) {
    q->queries = memory + queries;
    q->out = (float *) (gpointer) (memory + out);
    q->largest = (float *) (gpointer) (memory + largest);
    q->sum = (float *) (gpointer) (memory + sum);
    q->row = (float *) (gpointer) (memory + one);
    q->masks = (float *) (gpointer) (memory + masks);
    q->blocks = memory + size;
  }
  return size;
}

gsize
dp_cpu_attend_room (const DpCpuAttend *a, const DpKv *kv)
{
  return dp_cpu_round_up (lay_out (a, NULL, NULL) + (kv ? dp_cpu_kv_room (kv) : 0));
}

DpCpuQueries
dp_cpu_queries (const DpCpuAttend *a, guint8 *room)
{
  DpCpuQueries q = { .step = 1 };

  lay_out (a, room, &q);
  return q;
}

void
dp_cpu_query (const DpCpuAttend *a, const DpCpuQueries *q, guint32 i, const DpTensor *t, guint32 row, guint32 col)
{
  guint32 dim = a->attn->head_dim;
  guint8 *to = q->queries + i * query_bytes (a);

  if (!a->half) {
    dp_cpu_load (a->cpu, t, row, col, dim, (float *) (gpointer) to);
    return;
  }
  guint16 *high = (guint16 *) (gpointer) to, *low = high + 2 * (gsize) a->shape.key_steps;
  dp_cpu_load (a->cpu, t, row, col, dim, q->row);
  if (a->shape.query_parts == 1)
    a->cpu->kernels->row->store[DP_BF16](q->row, high, dim);
  else
    a->cpu->kernels->attention->split (q->row, high, low, dim);
  for (guint32 part = 0; dim % 2 && part < a->shape.query_parts; part++)
    (part ? low : high)[dim] = 0;
}

/* ---- which keys ------------------------------------------------------------------------------------ */

/* Keys that the query at position i may see: *lo <= j < *hi. */
static void
visible (const DpAttention *attn, const DpCpuKeys *keys, gint64 i, gint64 *lo, gint64 *hi)
{
  *lo = keys->from;
  *hi = keys->length;
  if (attn->causal)
    *hi = MIN (*hi, i + 1);
  if (attn->window) {
    *lo = MAX (*lo, i - (gint64) attn->window + 1);
    *hi = MIN (*hi, i + (gint64) attn->window);
  }
}

/* What rows first .. first + n - 1 of the tile see of a block that begins at `at`: ranges in lo and hi.
 * Returns how many of the block's tiles they need. */
static guint
ranges (const DpCpuAttend *a, const DpCpuQueries *q, const DpCpuKeys *keys, guint32 first, guint32 n, gint64 at, gint64 end, gint32 *lo,
        gint32 *hi)
{
  gint32 most = 0;

  for (guint32 i = 0; i < n; i++) {
    gint64 from, to;
    visible (a->attn, keys, q->position + (gint64) (first + i) * q->step, &from, &to);
    to = MIN (to, end);
    lo[i] = (gint32) CLAMP (from - at, 0, DP_BLOCK);
    hi[i] = (gint32) CLAMP (to - at, 0, DP_BLOCK);
    if (lo[i] < hi[i])
      most = MAX (most, hi[i]);
  }
  return (guint) (most + DP_TILE - 1) / DP_TILE;
}

static const float *
masks_of (const DpCpuAttend *a, const DpCpuQueries *q, const DpCpuKeys *keys, guint32 first, guint32 n, gint64 at)
{
  if (!q->mask)
    return NULL;
  guint32 cols = (guint32) MIN (keys->length - at, DP_BLOCK);
  cols = at < q->mask->cols ? MIN (cols, q->mask->cols - (guint32) at) : 0;
  memset (q->masks, 0, DP_ATTENTION_ROWS * DP_BLOCK * sizeof (float));
  for (guint32 i = 0; i < n && cols; i++)
    dp_cpu_load (a->cpu, q->mask, q->mask_row + first + i, (guint32) at, cols, q->masks + i * DP_BLOCK);
  return q->masks;
}

/* ---- the walk -------------------------------------------------------------------------------------- */

/* Rows first .. first + n - 1 (n <= 12) meet a block. */
static void
meet (const DpCpuAttend *a, const DpCpuQueries *q, const DpCpuKeys *keys, guint32 first, guint32 n, const DpAttentionBlock *block,
      gint64 at, gint64 end, gboolean careful)
{
  const DpAttentionKernels *k = a->cpu->kernels->attention;
  gint32 lo[DP_ATTENTION_ROWS], hi[DP_ATTENTION_ROWS];
  DpAttentionBlock part = *block;

  part.n_tiles = MIN (ranges (a, q, keys, first, n, at, end, lo, hi), block->n_tiles);
  if (!part.n_tiles)
    return;
  if (part.n_tiles < block->n_tiles)
    part.last = DP_TILE;
  DpAttentionRows rows = { .m = n,
                           .queries = q->queries + first * query_bytes (a),
                           .out = q->out + (gsize) first * a->shape.value_dim,
                           .largest = q->largest + first,
                           .sum = q->sum + first,
                           .lo = lo,
                           .hi = hi,
                           .mask = masks_of (a, q, keys, first, n, at) };
  if (a->half)
    (careful ? k->bf16_careful : k->bf16) (&a->shape, &part, &rows);
  else
    (careful ? k->f32_careful : k->f32) (&a->shape, &part, &rows);
}

/* Row i once more from the start, leaving out what it may not see where a product adds 0 * NaN. */
static void
again (const DpCpuAttend *a, const DpCpuQueries *q, const DpCpuKeys *keys, guint32 i, gint64 first, gint64 last)
{
  DpAttentionBlock block;

  memset (q->out + (gsize) i * a->shape.value_dim, 0, a->shape.value_dim * sizeof (float));
  q->largest[i] = -INFINITY;
  q->sum[i] = 0;
  for (gint64 at = first; at < last; at += DP_BLOCK) {
    guint n_tiles = (guint) (MIN (last - at, DP_BLOCK) + DP_TILE - 1) / DP_TILE;
    dp_cpu_kv_block (a->cpu, keys, at, n_tiles, q->blocks, &block);
    meet (a, q, keys, i, 1, &block, at, last, TRUE);
  }
}

void
dp_cpu_attend (const DpCpuAttend *a, const DpCpuQueries *q, const DpCpuKeys *keys, gint64 first, gint64 last)
{
  gint64 from, to, least = G_MAXINT64, most = 0;
  guint32 up = (q->n + DP_ATTENTION_ROWS - 1) / DP_ATTENTION_ROWS * DP_ATTENTION_ROWS;
  DpAttentionBlock block;

  for (guint32 i = 0; i < up; i++) {
    q->largest[i] = -INFINITY;
    q->sum[i] = 0;
  }
  memset (q->out, 0, (gsize) up * a->shape.value_dim * sizeof (float));
  memset (q->queries + q->n * query_bytes (a), 0, (up - q->n) * query_bytes (a));
  for (guint32 i = 0; i < q->n; i += q->step ? MAX (q->n - 1, 1) : q->n) { /* the ends see the most */
    visible (a->attn, keys, q->position + (gint64) i * q->step, &from, &to);
    least = MIN (least, from);
    most = MAX (most, to);
  }
  first = MAX (first, MAX (least, 0) / DP_TILE * DP_TILE);
  last = MIN (last, most);
  for (gint64 at = first; at < last; at += DP_BLOCK) {
    guint n_tiles = (guint) (MIN (last - at, DP_BLOCK) + DP_TILE - 1) / DP_TILE;
    dp_cpu_kv_block (a->cpu, keys, at, n_tiles, q->blocks, &block);
    for (guint32 i = 0; i < q->n; i += DP_ATTENTION_ROWS)
      meet (a, q, keys, i, MIN (q->n - i, DP_ATTENTION_ROWS), &block, at, last, FALSE);
  }
  for (guint32 i = 0; i < q->n; i++)
    if (!a->cpu->kernels->attention->finish (q->out + (gsize) i * a->shape.value_dim, 1, q->row, a->shape.value_dim))
      again (a, q, keys, i, first, last);
}

void
dp_cpu_attend_store (const DpCpuAttend *a, const DpCpuQueries *q, guint32 i, const DpTensor *out, guint32 row, guint32 col)
{
  a->cpu->kernels->attention->finish (q->out + (gsize) i * a->shape.value_dim, q->sum[i] == 0 ? 0 : 1 / q->sum[i], q->row,
                                      a->shape.value_dim);
  dp_cpu_store (a->cpu, out, row, col, a->attn->head_dim_v, q->row);
}

/* ---- packed sequences ------------------------------------------------------------------------------ */

DpCpuPiece
dp_cpu_piece (const DpTensor *cu_seqlens, guint32 rows, guint32 unit, gsize index)
{
  DpCpuPiece p = { 0 };

  for (p.b = 0; p.b + 1 < cu_seqlens->rows; p.b++) {
    p.n = dp_cpu_sequence (cu_seqlens, p.b, rows, &p.first);
    gsize pieces = ((gsize) p.n + unit - 1) / unit;
    if (index < pieces) {
      p.at = (guint32) index * unit;
      return p;
    }
    index -= pieces;
  }
  return p;
}

void
dp_cpu_clear_padding (const DpTensor *cu_seqlens, const DpTensor *out)
{
  gint32 used = *(const gint32 *) dp_tensor_row (cu_seqlens, cu_seqlens->rows - 1);

  for (guint32 row = (guint32) CLAMP (used, 0, (gint32) out->rows); row < out->rows; row++)
    memset (dp_tensor_row (out, row), 0, out->cols * dp_type_size (out->type));
}
