/* backends/cpu/kv.h - the paged cache as this back end lays it out.
 *
 * The order is layer, page, head; a page of a head is a row of tiles, each of them what a kernel of isa/attention.h
 * reads: keys, values, and for int8 the scales.  A tile takes 32 tokens; where the page size is no multiple of 32 it takes
 * the largest power of two that divides it, and tiles of 32 are put together on the way to the kernel.
 */
#pragma once

#include "backends/cpu/cpu.h"

G_BEGIN_DECLS

typedef struct {
  guint8 *memory;
  gsize memory_size;
  guint32 width;            /* tokens in a tile: 1, 2, 4 .. 32 */
  guint32 tiles;            /* in a page */
  gboolean paired;          /* laid out as bf16 (bf16 and i8), not as f32 (f32 and f16) */
  gsize key_dim, value_dim; /* elements of a head, padded to pairs and to 16 */
  gsize values_at, scales_at, tile_bytes;
} DpCpuKv;

/* Names, tile by tile, what will be read DP_BLOCK_TILES tiles from now, over the borders of sequences; NULL: nothing more. */
typedef struct DpCpuAhead DpCpuAhead;
struct DpCpuAhead {
  const guint8 *(*next) (DpCpuAhead *ahead);
};

/* Keys and values of one sequence and one key head. */
typedef struct {
  gint64 from, length; /* only tokens from .. length-1 may count */
  /* packed: tiles one after the other */
  const guint8 *key_tiles, *value_tiles;
  gsize key_tile_bytes, value_tile_bytes;
  /* or a cache */
  const DpKv *kv;
  guint32 layer, head;
  const gint32 *pages; /* row of the block table */
  DpCpuAhead *ahead;   /* what is fetched meanwhile; NULL: the keys behind these */
} DpCpuKeys;

/* Bytes of room a block may need. */
gsize dp_cpu_kv_room (const DpKv *kv);

/* The tile of the cache that a token's key is in; NULL where there is none. */
const guint8 *dp_cpu_kv_tile (const DpCpuKeys *keys, gint64 token);

/* Tiles of tokens first .. first + 32 n_tiles - 1 (first a multiple of 32, n_tiles <= DP_BLOCK_TILES) for a kernel of
 * bf16 (paired) or f32.  Values of tokens that may not count are zeros.  The block lives as long as room is left alone. */
void dp_cpu_kv_block (const DpCpu *cpu, const DpCpuKeys *keys, gint64 first, guint n_tiles, guint8 *room, DpAttentionBlock *block);

static inline const DpCpuKv *
dp_cpu_kv (const DpKv *kv)
{
  return kv->impl;
}

/* Members of DpBackendClass. */
gsize dp_cpu_kv_page_bytes (DpBackend *backend, const DpKvConfig *config);
gboolean dp_cpu_kv_new (DpBackend *backend, DpKv *kv, GError **error);
void dp_cpu_kv_free (DpBackend *backend, DpKv *kv);
gboolean dp_cpu_kv_copy_page (DpQueue *queue, DpKv *kv, guint32 from, guint32 to, GError **error);

G_END_DECLS
