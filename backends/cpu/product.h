/* backends/cpu/product.h - rows of x times a packed weight: what all linear operators, experts and convolutions share.
 *
 * The rows are brought into the form the weight wants (bf16, or integers with scales) once per product; then tiles of a
 * few rows by one panel are computed.  Use:
 *
 *   DpCpuRows rows;
 *   dp_cpu_rows_begin (&rows, task, weight, &x, task->scratch);    // every thread; may run a loop and wait for it
 *   dp_cpu_for (task, n_items, chunk, work, &...rows...);
 *   in work:  const guint8 *packed = dp_cpu_rows_get (&rows);
 *             dp_cpu_tile (cpu, weight, matrix, panel, m, packed + row * rows.row_bytes, rows.row_bytes, c);
 */
#pragma once

#include "backends/cpu/weight.h"

G_BEGIN_DECLS

/* Most rows of a tile, or of a group of tiles together, on any instruction set. */
#define DP_CPU_TILE_ROWS 12

typedef struct {
  const DpCpuTask *task;
  const DpCpuWeight *weight;
  const DpTensor *x;
  const guint8 *packed; /* NULL: this thread has not packed its copy yet */
  guint8 *own;          /* where it goes */
  guint8 *wide;         /* of all threads, or NULL */
  gsize row_bytes;
} DpCpuRows;

/* Bytes from one packed row to the next. */
gsize dp_cpu_row_bytes (const DpCpuWeight *w);
/* Packs one row of f32 (weight->cols values). */
void dp_cpu_row_pack (const DpCpu *cpu, const DpCpuWeight *w, const float *x, guint8 *to);
/* One row of a tensor, converted on the way; line is room for weight->cols floats. */
void dp_cpu_row_pack_tensor (const DpCpu *cpu, const DpCpuWeight *w, const DpTensor *x, guint32 row, float *line, guint8 *to);

/* Scratch for dp_cpu_rows_begin. */
gsize dp_cpu_rows_space (const DpCpuWeight *w, guint32 n_rows, guint n_threads);
void dp_cpu_rows_begin (DpCpuRows *rows, const DpCpuTask *task, const DpCpuWeight *w, const DpTensor *x, guint8 *space);
/* Inside work: the packed rows. */
const guint8 *dp_cpu_rows_get (DpCpuRows *rows, guint thread);
/* Inside work: room for a narrow panel in 16 bits; NULL where there are too few rows to unpack one for. */
guint8 *dp_cpu_rows_wide (const DpCpuRows *rows, guint thread);

/* Rows a tile may have, and how many it should have when n rows are left (tiles of even size). */
guint dp_cpu_tile_rows (const DpCpu *cpu, const DpCpuWeight *w);
static inline guint
dp_cpu_tile_next (guint most, gsize n)
{
  gsize tiles = (n + most - 1) / most;
  return (guint) ((n + tiles - 1) / tiles);
}

/* c[m][32] = rows times one panel, without bias. */
void dp_cpu_tile (const DpCpu *cpu, const DpCpuWeight *w, guint32 matrix, guint32 panel, guint m, const guint8 *rows, gsize row_bytes,
                  float *c);

/* Of several tiles of the same panels the later ones find them in a cache, and memory would rest meanwhile: the first two fetch a
 * half each of the panels that come next.  (16 rows: a step of 16 sequences.)  Panels of 12 bits are unpacked by the first. */
typedef struct {
  guint panels; /* from here to what comes next */
  guint half;   /* 1 or 2; 0: nothing is fetched */
  guint8 *wide; /* what dp_cpu_rows_wide gave, or NULL */
  gboolean first;
} DpCpuTurn;

static inline DpCpuTurn
dp_cpu_turn (guint panels, guint tile, guint n_tiles, guint8 *wide)
{
  return (DpCpuTurn){ panels, n_tiles > 1 && tile < 2 ? tile + 1 : 0, n_tiles > 1 ? wide : NULL, tile == 0 };
}

/* Panels that are best computed together for tiles of m rows (1 or 2), and that: c[n][m][32]. */
guint dp_cpu_group (const DpCpu *cpu, const DpCpuWeight *w, guint m);
void dp_cpu_tiles (const DpCpu *cpu, const DpCpuWeight *w, guint32 matrix, guint32 panel, guint n, guint m, const guint8 *rows,
                   gsize row_bytes, DpCpuTurn turn, float *c);

/* How the tiles of [n_rows] x [all panels] are cut into items: blocks of rows that stay in the second-level cache, and
 * within a block all panels.  Item i is panel i % n_panels of block i / n_panels. */
typedef struct {
  gsize n_items, chunk;
  guint32 block_rows;
} DpCpuCut;
DpCpuCut dp_cpu_cut (const DpCpuTask *task, const DpCpuWeight *w, guint32 n_rows, gsize row_bytes);

/* The place of element (row, col) of a float tensor. */
static inline DpPlace
dp_cpu_place (const DpTensor *t, guint32 row, guint32 col)
{
  gsize size = dp_type_size (t->type);
  return (DpPlace){ (guint8 *) dp_tensor_row (t, row) + col * size, t->stride * size, t->type };
}

G_END_DECLS
