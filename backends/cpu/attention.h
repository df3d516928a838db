/* backends/cpu/attention.h - what prefill, paged prefill and decode share: some query rows meet all keys of one head. */
#pragma once

#include "backends/cpu/kv.h"

G_BEGIN_DECLS

/* Query rows taken through the keys together; a multiple of DP_ATTENTION_ROWS. */
#define DP_QUERY_TILE 48

typedef struct {
  const DpCpu *cpu;
  const DpAttention *attn;
  DpAttentionShape shape;
  gboolean half; /* products of bf16 */
} DpCpuAttend;

/* Where the rows are, and what comes of them. */
typedef struct {
  guint32 n;            /* 1 .. DP_QUERY_TILE */
  gint64 position;      /* of row 0 in its sequence */
  guint32 step;         /* 1: the next row stands one further; 0: all at the same position (heads of a group) */
  const DpTensor *mask; /* or NULL; row i of the tile has its row mask_row + i */
  guint32 mask_row;
  /* in room */
  guint8 *queries;                  /* [tile, query_parts * key_steps] words */
  float *out, *largest, *sum, *row; /* [tile, value_dim], [tile], [tile], one row of q or out */
  float *masks;                     /* [DP_ATTENTION_ROWS, DP_BLOCK] */
  guint8 *blocks;
} DpCpuQueries;

/* half: keys and values are bf16, and queries of another type then go as two bf16. */
DpCpuAttend dp_cpu_attend_new (const DpCpu *cpu, const DpAttention *attn, gboolean half, guint32 query_type);

/* Bytes of room a thread needs; kv NULL for packed keys. */
gsize dp_cpu_attend_room (const DpCpuAttend *a, const DpKv *kv);
/* Pointers into room. */
DpCpuQueries dp_cpu_queries (const DpCpuAttend *a, guint8 *room);
/* Row i of the tile from columns col .. col + head_dim - 1. */
void dp_cpu_query (const DpCpuAttend *a, const DpCpuQueries *q, guint32 i, const DpTensor *t, guint32 row, guint32 col);

/* Runs the q->n rows through keys first .. last-1 (first a multiple of 32); out, largest and sum then hold
 * unnormalised values. */
void dp_cpu_attend (const DpCpuAttend *a, const DpCpuQueries *q, const DpCpuKeys *keys, gint64 first, gint64 last);

/* Divides row i by its sum and stores it at row, col. */
void dp_cpu_attend_store (const DpCpuAttend *a, const DpCpuQueries *q, guint32 i, const DpTensor *out, guint32 row, guint32 col);

/* ---- packed sequences ---- */

/* Rows of sequence b, kept inside the tensor whatever cu_seqlens holds. */
static inline guint32
dp_cpu_sequence (const DpTensor *cu_seqlens, guint32 b, guint32 rows, guint32 *first)
{
  const gint32 *start = dp_tensor_row (cu_seqlens, b), *end = dp_tensor_row (cu_seqlens, b + 1);

  *first = (guint32) CLAMP (*start, 0, (gint32) rows);
  return (guint32) CLAMP (*end, (gint32) *first, (gint32) rows) - *first;
}

/* Sequences cut into pieces of `unit` rows. */
typedef struct {
  guint32 b;        /* sequence; = number of sequences: beyond the last piece */
  guint32 first, n; /* rows of the sequence */
  guint32 at;       /* where the piece begins in it */
} DpCpuPiece;

DpCpuPiece dp_cpu_piece (const DpTensor *cu_seqlens, guint32 rows, guint32 unit, gsize index);

/* No more pieces than this, whatever the lengths are. */
static inline gsize
dp_cpu_max_pieces (const DpTensor *cu_seqlens, guint32 rows, guint32 unit)
{
  return rows / unit + cu_seqlens->rows - 1;
}

/* Zeros from the end of the last sequence on. */
void dp_cpu_clear_padding (const DpTensor *cu_seqlens, const DpTensor *out);

G_END_DECLS
