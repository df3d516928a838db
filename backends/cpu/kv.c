/* backends/cpu/kv.c - the paged cache: making, copying, filling, and reading it as tiles; see kv.h. */
#include "backends/cpu/kv.h"
#include "backends/cpu/rows.h"

#include <string.h>

/* ---- layout ---------------------------------------------------------------------------------------- */

static gsize
padded (gsize n, gsize to)
{
  return (n + to - 1) / to * to;
}

/* Everything but the memory. */
static DpCpuKv
layout_of (const DpKvConfig *c)
{
  DpCpuKv l = { .width = DP_TILE, .paired = c->type == DP_BF16 || c->type == DP_I8 };
  gsize element = dp_type_size (c->type);

  while (c->page_size % l.width)
    l.width /= 2;
  l.tiles = c->page_size / l.width;
  l.key_dim = padded (c->head_dim, l.paired ? 2 : 1);
  l.value_dim = padded (c->head_dim_v, 16);
  l.values_at = padded (l.key_dim * l.width * element, sizeof (float));
  gsize values = c->v_in_k ? 0 : l.value_dim * (l.paired ? MAX (l.width, 2) : l.width) * element;
  l.scales_at = padded (l.values_at + values, sizeof (float));
  l.tile_bytes = l.scales_at + (c->type == DP_I8 ? (c->v_in_k ? 1 : 2) * l.width * sizeof (float) : 0);
  return l;
}

/* One page of one layer. */
static gsize
chunk_bytes (const DpKvConfig *c, const DpCpuKv *l)
{
  gsize bytes = 0;

  return g_size_checked_mul (&bytes, l->tile_bytes, (gsize) l->tiles * c->n_kv_heads) ? bytes : 0;
}

gsize
dp_cpu_kv_page_bytes (G_GNUC_UNUSED DpBackend *backend, const DpKvConfig *c)
{
  DpCpuKv l = layout_of (c);
  gsize bytes = 0;

  return g_size_checked_mul (&bytes, chunk_bytes (c, &l), c->n_layers) ? bytes : 0;
}

gboolean
dp_cpu_kv_new (DpBackend *backend, DpKv *kv, GError **error)
{
  DpCpuKv l = layout_of (&kv->config);

  if (!g_size_checked_mul (&l.memory_size, dp_cpu_kv_page_bytes (backend, &kv->config), kv->config.n_pages) || !l.memory_size) {
    g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_MEMORY, "cpu: a cache of %u pages does not fit into memory", kv->config.n_pages);
    return FALSE;
  }
  l.memory = dp_cpu_alloc (l.memory_size, error);
  if (!l.memory)
    return FALSE;
  kv->impl = g_memdup2 (&l, sizeof l);
  return TRUE;
}

void
dp_cpu_kv_free (G_GNUC_UNUSED DpBackend *backend, DpKv *kv)
{
  DpCpuKv *l = kv->impl;

  dp_cpu_free (l->memory, l->memory_size);
  g_free (l);
}

/* The first tile of a head in a page. */
static guint8 *
page_of (const DpKv *kv, guint32 layer, guint32 page, guint32 head)
{
  const DpKvConfig *c = &kv->config;
  const DpCpuKv *l = dp_cpu_kv (kv);

  return l->memory + (((gsize) layer * c->n_pages + page) * c->n_kv_heads + head) * l->tiles * l->tile_bytes;
}

gboolean
dp_cpu_kv_copy_page (G_GNUC_UNUSED DpQueue *queue, DpKv *kv, guint32 from, guint32 to, G_GNUC_UNUSED GError **error)
{
  gsize bytes = chunk_bytes (&kv->config, dp_cpu_kv (kv));

  for (guint32 layer = 0; layer < kv->config.n_layers && from != to; layer++)
    memcpy (page_of (kv, layer, to, 0), page_of (kv, layer, from, 0), bytes);
  return TRUE;
}

/* Elements from the start of a tile's keys or values to element d of a token. */
static gsize
key_place (const DpCpuKv *l, guint32 token, gsize d)
{
  return l->paired ? (d / 2 * l->width + token) * 2 + d % 2 : d * l->width + token;
}

static gsize
value_place (const DpCpuKv *l, guint32 width, guint32 token, gsize d)
{
  gsize column = d / DP_TILE * DP_TILE, panel = MIN (l->value_dim - column, DP_TILE), i = d - column;

  if (l->paired)
    return column * MAX (width, 2) + (token / 2 * panel + i) * 2 + token % 2;
  return column * width + token * panel + i;
}

/* ---- filling --------------------------------------------------------------------------------------- */

/* n numbers into the cache's type; the scale for i8. */
static float
convert (const DpCpu *cpu, guint32 type, const float *from, guint8 *to, gsize n)
{
  gint32 sum;

  if (type == DP_I8)
    return cpu->kernels->row->quantise (from, (gint8 *) to, &sum, n);
  cpu->kernels->row->store[type](from, to, n);
  return 1;
}

/* n elements of 1, 2 or 4 bytes, `pair` of them side by side, then `step` elements on. */
#define SPREAD(type)                                                                                                                       \
  do {                                                                                                                                     \
    const type *in = (const type *) (gconstpointer) from;                                                                                  \
    type *out = (type *) (gpointer) to;                                                                                                    \
    gsize d = 0;                                                                                                                           \
    for (; pair == 2 && d + 2 <= n; d += 2, out += step) {                                                                                 \
      out[0] = in[d];                                                                                                                      \
      out[1] = in[d + 1];                                                                                                                  \
    }                                                                                                                                      \
    for (; d < n; d++, out += step)                                                                                                        \
      *out = in[d];                                                                                                                        \
  } while (0)

static void
spread (const guint8 *from, gsize n, gsize size, gsize pair, gsize step, guint8 *to)
{
  switch (size) {
  case 4: SPREAD (guint32); break;
  case 2: SPREAD (guint16); break;
  default: SPREAD (guint8); break;
  }
}

/* One head of one token. */
static void
put_head (const DpCpu *cpu, const DpFillKvCacheArgs *a, guint32 token, guint32 head, guint32 slot, float *room)
{
  const DpKvConfig *c = &a->kv->config;
  const DpCpuKv *l = dp_cpu_kv (a->kv);
  guint32 place = slot % c->page_size, at = place % l->width;
  guint8 *tile = page_of (a->kv, a->layer, slot / c->page_size, head) + place / l->width * l->tile_bytes;
  gsize size = dp_type_size (c->type);
  float *scales = (float *) (gpointer) (tile + l->scales_at);
  guint8 *converted = (guint8 *) (room + MAX (c->head_dim, c->head_dim_v));

  dp_cpu_load (cpu, &a->k, token, head * c->head_dim, c->head_dim, room);
  float scale = convert (cpu, c->type, room, converted, c->head_dim);
  gsize pair = l->paired ? 2 : 1;
  spread (converted, c->head_dim, size, pair, pair * l->width, tile + key_place (l, at, 0) * size);
  if (c->type == DP_I8)
    scales[at] = scale;
  if (c->v_in_k)
    return;
  dp_cpu_load (cpu, &a->v, token, head * c->head_dim_v, c->head_dim_v, room);
  scale = convert (cpu, c->type, room, converted, c->head_dim_v);
  for (gsize d = 0; d < c->head_dim_v; d += DP_TILE)
    spread (converted + d * size, MIN (c->head_dim_v - d, DP_TILE), size, 1, pair,
            tile + l->values_at + value_place (l, l->width, at, d) * size);
  if (c->type == DP_I8)
    scales[l->width + at] = scale;
}

static gsize
fill_slice (const DpFillKvCacheArgs *a)
{
  return 2 * (gsize) MAX (a->kv->config.head_dim, a->kv->config.head_dim_v);
}

static void
fill_tokens (gpointer data, gsize first, gsize last, guint thread)
{
  const DpCpuCall *call = data;
  const DpFillKvCacheArgs *a = call->args;
  const DpKvConfig *c = &a->kv->config;
  float *room = dp_cpu_slice (call->task, thread, fill_slice (a));

  for (gsize t = first; t < last; t++) {
    gint32 slot = dp_cpu_int (&a->slots, t, 0);
    if (slot < 0 || (guint64) slot >= (guint64) c->n_pages * c->page_size)
      continue;
    for (guint32 head = 0; head < c->n_kv_heads; head++)
      put_head (call->task->cpu, a, (guint32) t, head, (guint32) slot, room);
  }
}

static void
fill_kv_cache (const DpCpuTask *task, const void *args)
{
  const DpFillKvCacheArgs *a = args;
  DpCpuCall call = { task, args };

  dp_cpu_for_last (task, a->k.rows, 1 + 4096 / a->k.cols, fill_tokens, &call);
}

static gsize
fill_kv_cache_space (G_GNUC_UNUSED const DpCpu *cpu, guint n_threads, const void *args)
{
  return n_threads * dp_cpu_slice_size (fill_slice (args));
}

const DpCpuOperator dp_cpu_op_fill_kv_cache = { .run = fill_kv_cache, .space = fill_kv_cache_space, .then = TRUE };

/* ---- reading --------------------------------------------------------------------------------------- */

/* Where a block is put together: keys, values, scales. */
typedef struct {
  guint8 *keys, *values; /* tile after tile */
  gsize key_bytes, value_bytes;
  float *key_scale, *value_scale; /* DP_BLOCK each */
} Room;

static Room
room_of (const DpKv *kv, guint8 *memory)
{
  const DpCpuKv *l = dp_cpu_kv (kv);
  gsize element = l->paired ? 2 : 4;
  Room r = { .key_bytes = l->key_dim * DP_TILE * element, .value_bytes = l->value_dim * DP_TILE * element };

  if (!memory)
    return r;
  r.key_scale = (float *) (gpointer) memory;
  r.value_scale = r.key_scale + DP_BLOCK;
  r.keys = (guint8 *) (r.value_scale + DP_BLOCK);
  r.values = r.keys + DP_BLOCK_TILES * r.key_bytes;
  return r;
}

gsize
dp_cpu_kv_room (const DpKv *kv)
{
  Room r = room_of (kv, NULL);

  return 2 * DP_BLOCK * sizeof (float) + DP_BLOCK_TILES * (r.key_bytes + r.value_bytes);
}

/* n elements as a kernel wants them: i8 becomes bf16, f16 becomes f32. */
static void
widen (const DpCpu *cpu, guint32 type, const guint8 *from, guint8 *to, gsize n)
{
  switch (type) {
  case DP_I8: cpu->kernels->attention->widen_i8 ((const gint8 *) from, (guint16 *) (gpointer) to, n); break;
  case DP_F16: cpu->kernels->row->load[DP_F16](from, (float *) (gpointer) to, n); break;
  default: memcpy (to, from, n * dp_type_size (type)); break;
  }
}

/* n pieces of `bytes` each; the common sizes are single instructions. */
static void
copy_pieces (const guint8 *from, gsize bytes, gsize n, guint8 *to, gsize to_stride)
{
  if (bytes == 64)
    for (gsize i = 0; i < n; i++)
      memcpy (to + i * to_stride, from + i * 64, 64);
  else if (bytes == 32)
    for (gsize i = 0; i < n; i++)
      memcpy (to + i * to_stride, from + i * 32, 32);
  else
    for (gsize i = 0; i < n; i++)
      memcpy (to + i * to_stride, from + i * bytes, bytes);
}

/* A tile of the cache into columns at .. at + width - 1 of a tile of 32. */
static void
place_keys (const DpCpu *cpu, const DpKv *kv, const guint8 *tile, guint32 at, guint8 *to)
{
  const DpCpuKv *l = dp_cpu_kv (kv);
  guint32 type = kv->config.type;
  gsize pair = l->paired ? 2 : 1, run = pair * l->width, element = l->paired ? 2 : 4;

  if (l->width == DP_TILE)
    widen (cpu, type, tile, to, l->key_dim * DP_TILE);
  else if (type == DP_F32 || type == DP_BF16)
    copy_pieces (tile, run * element, l->key_dim / pair, to + at * pair * element, DP_TILE * pair * element);
  else
    for (gsize k = 0; k < l->key_dim / pair; k++)
      widen (cpu, type, tile + k * run * dp_type_size (type), to + (k * DP_TILE + at) * pair * element, run);
}

static void
place_values (const DpCpu *cpu, const DpKv *kv, const guint8 *values, guint32 at, guint8 *to)
{
  const DpCpuKv *l = dp_cpu_kv (kv);
  guint32 type = kv->config.type;
  gsize element = l->paired ? 2 : 4, size = dp_type_size (type);

  if (l->width == 1 && l->paired) /* half of a pair */
    for (gsize d = 0; d < l->value_dim; d++)
      widen (cpu, type, values + value_place (l, 1, 0, d) * size, to + value_place (l, DP_TILE, at, d) * element, 1);
  else
    for (gsize column = 0; column < l->value_dim; column += DP_TILE) {
      gsize panel = MIN (l->value_dim - column, DP_TILE);
      widen (cpu, type, values + column * l->width * size, to + (column * DP_TILE + at * panel) * element, l->width * panel);
    }
}

/* Values that are the first elements of the keys; both tiles of 32, as the kernel reads them. */
static void
values_from_keys (const DpKv *kv, const guint8 *keys, guint8 *values)
{
  const DpCpuKv *l = dp_cpu_kv (kv);
  gsize element = l->paired ? 2 : 4;
  DpCpuKv whole = *l;

  whole.width = DP_TILE;
  memset (values, 0, l->value_dim * DP_TILE * element);
  for (guint32 t = 0; t < DP_TILE; t++)
    for (gsize d = 0; d < kv->config.head_dim_v; d++)
      memcpy (values + value_place (l, DP_TILE, t, d) * element, keys + key_place (&whole, t, d) * element, element);
}

static void
clear_value (const DpCpuKv *l, guint32 token, guint8 *values)
{
  gsize element = l->paired ? 2 : 4;

  for (gsize d = 0; d < l->value_dim; d++)
    memset (values + value_place (l, DP_TILE, token, d) * element, 0, element);
}

/* Tokens first .. last - 1: a pair of tokens (or an f32 token) lies in one piece per panel. */
static void
clear_values (const DpCpuKv *l, guint32 first, guint32 last, guint8 *values)
{
  gsize element = l->paired ? 2 : 4;
  guint32 step = l->paired ? 2 : 1;

  for (guint32 t = first; t < last;) {
    if (t % step || t + step > last) {
      clear_value (l, t++, values);
      continue;
    }
    for (guint32 d = 0; d < l->value_dim; d += DP_TILE)
      memset (values + value_place (l, DP_TILE, t, d) * element, 0, MIN (l->value_dim - d, DP_TILE) * 4);
    t += step;
  }
}

/* The cache tile that holds a token, or NULL where there is none. */
const guint8 *
dp_cpu_kv_tile (const DpCpuKeys *k, gint64 token)
{
  const DpKvConfig *c = &k->kv->config;
  const DpCpuKv *l = dp_cpu_kv (k->kv);

  if (token >= k->length)
    return NULL;
  gint32 page = k->pages[token / c->page_size];
  if (page < 0 || (guint32) page >= c->n_pages)
    return NULL;
  return page_of (k->kv, k->layer, (guint32) page, k->head) + (gsize) (token % c->page_size) / l->width * l->tile_bytes;
}

static void
place_scales (const DpKv *kv, const guint8 *tile, guint32 at, const Room *r)
{
  const DpCpuKv *l = dp_cpu_kv (kv);
  const float *scales = (const float *) (gconstpointer) (tile + l->scales_at);

  memcpy (r->key_scale + at, scales, l->width * sizeof (float));
  memcpy (r->value_scale + at, scales + (kv->config.v_in_k ? 0 : l->width), l->width * sizeof (float));
}

/* Has a tile of the cache fetched, while the one before it is put together. */
static void
fetch (const DpCpuKeys *k, gint64 token)
{
  const guint8 *tile = dp_cpu_kv_tile (k, token);

  for (gsize at = 0; tile && at < dp_cpu_kv (k->kv)->tile_bytes; at += 64)
    __builtin_prefetch (tile + at);
}

/* 32 tokens from `first` on, put together in room as tile number i of the block. */
static void
gather (const DpCpu *cpu, const DpCpuKeys *k, gint64 first, guint i, const Room *r)
{
  const DpCpuKv *l = dp_cpu_kv (k->kv);
  gboolean v_in_k = k->kv->config.v_in_k, scaled = k->kv->config.type == DP_I8;
  guint8 *keys = r->keys + i * r->key_bytes, *values = r->values + i * r->value_bytes;

  if (first + DP_TILE > k->length) {
    memset (keys, 0, r->key_bytes);
    memset (values, 0, r->value_bytes);
  }
  for (guint32 at = 0; at < DP_TILE; at += l->width) {
    const guint8 *tile = dp_cpu_kv_tile (k, first + at);
    if (!tile) {
      for (guint32 t = at; t < at + l->width && scaled; t++)
        r->key_scale[i * DP_TILE + t] = r->value_scale[i * DP_TILE + t] = 0;
      continue;
    }
    place_keys (cpu, k->kv, tile, at, keys);
    if (!v_in_k)
      place_values (cpu, k->kv, tile + l->values_at, at, values);
    if (scaled)
      place_scales (k->kv, tile, i * DP_TILE + at, r);
  }
  if (v_in_k)
    values_from_keys (k->kv, keys, values);
  guint32 from = (guint32) CLAMP (k->from - first, 0, DP_TILE), to = (guint32) CLAMP (k->length - first, from, DP_TILE);
  clear_values (l, 0, from, values);
  clear_values (l, to, DP_TILE, values);
  for (guint32 t = 0; t < DP_TILE; t++)
    if (t < from || t >= to)
      r->value_scale[i * DP_TILE + t] = 0;
}

/* The values of tokens 0 .. n - 1 of a tile of 32; an odd one is paired with zeros. */
static void
copy_values (const DpCpuKv *l, const guint8 *from, guint32 n, guint8 *to)
{
  gsize element = l->paired ? 2 : 4, tokens = l->paired ? (n + 1) / 2 * 2 : n;

  for (gsize d = 0; d < l->value_dim; d += DP_TILE) {
    gsize at = value_place (l, DP_TILE, 0, d) * element;
    memcpy (to + at, from + at, tokens * MIN (l->value_dim - d, DP_TILE) * element);
  }
  clear_values (l, n, (guint32) tokens, to);
}

static void
cache_block (const DpCpu *cpu, const DpCpuKeys *k, gint64 first, guint8 *memory, DpAttentionBlock *block)
{
  const DpCpuKv *l = dp_cpu_kv (k->kv);
  const DpKvConfig *c = &k->kv->config;
  Room r = room_of (k->kv, memory);
  gboolean direct = l->width == DP_TILE && !c->v_in_k && (c->type == DP_F32 || c->type == DP_BF16);

  for (guint i = 0; i < block->n_tiles; i++) {
    gint64 at = first + (gint64) i * DP_TILE;
    const guint8 *tile = direct && at >= k->from ? dp_cpu_kv_tile (k, at) : NULL;
    const guint8 *ahead = k->ahead ? k->ahead->next (k->ahead) : dp_cpu_kv_tile (k, at + DP_BLOCK);
    block->soon[i] = ahead ? ahead : r.keys;
    block->keys[i] = tile;
    block->values[i] = tile ? tile + l->values_at : NULL;
    if (tile && at + DP_TILE <= k->length)
      continue;
    block->values[i] = r.values + i * r.value_bytes;
    if (tile) {
      copy_values (l, tile + l->values_at, (guint32) (k->length - at), r.values + i * r.value_bytes);
      continue;
    }
    for (guint32 next = 0; next < DP_TILE && l->width < DP_TILE; next += l->width)
      fetch (k, at + DP_TILE + next);
    gather (cpu, k, at, i, &r);
    block->keys[i] = r.keys + i * r.key_bytes;
  }
  if (c->type == DP_I8) {
    block->key_scale = r.key_scale;
    block->value_scale = r.value_scale;
  }
}

void
dp_cpu_kv_block (const DpCpu *cpu, const DpCpuKeys *k, gint64 first, guint n_tiles, guint8 *room, DpAttentionBlock *block)
{
  gint64 rest = CLAMP (k->length - first - (gint64) (n_tiles - 1) * DP_TILE, 2, DP_TILE);

  *block = (DpAttentionBlock){ .n_tiles = n_tiles, .last = (guint) (rest + 1) / 2 * 2 };
  if (k->kv) {
    cache_block (cpu, k, first, room, block);
    return;
  }
  for (guint i = 0; i < n_tiles; i++) {
    block->keys[i] = k->key_tiles + ((gsize) first / DP_TILE + i) * k->key_tile_bytes;
    block->values[i] = k->value_tiles + ((gsize) first / DP_TILE + i) * k->value_tile_bytes;
    block->soon[i] = block->keys[i];
  }
}
