/* backends/cpu/linear.c - linear, weight_quant_matmul, qkv_linear, gate_up_silu. */
#include "backends/cpu/product.h"

/* One operator under way; each thread has its own. */
typedef struct Linear Linear;
struct Linear {
  const DpCpu *cpu;
  const DpCpuWeight *weight;
  DpCpuRows rows;
  DpCpuCut cut;
  /* stores the tile of m rows from row on */
  void (*store) (const Linear *l, guint32 panel, guint32 row, guint m, const float *c);
  const void *args;
};

static const float *
panel_bias (const Linear *l, guint32 panel)
{
  return l->weight->bias ? l->weight->bias + (gsize) panel * DP_PANEL : NULL;
}

/* The tiles of n panels of a block of rows. */
static void
linear_block (Linear *l, guint32 panel, guint n, guint32 row, const guint8 *packed, guint8 *wide)
{
  guint most = dp_cpu_tile_rows (l->cpu, l->weight);
  guint32 end = MIN (row + l->cut.block_rows, l->rows.x->rows);
  _Alignas(64) float c[DP_CPU_TILE_ROWS * DP_PANEL];
  const guint n_tiles = (end - row + most - 1) / most;

  for (guint t = 0; row < end; t++) {
    guint m = dp_cpu_tile_next (most, end - row);
    dp_cpu_tiles (l->cpu, l->weight, 0, panel, n, m, packed + row * l->rows.row_bytes, l->rows.row_bytes, dp_cpu_turn (n, t, n_tiles, wide),
                  c);
    for (guint i = 0; i < n; i++)
      l->store (l, panel + i, row, m, c + (gsize) i * m * DP_PANEL);
    row += m;
  }
}

static void
linear_items (gpointer data, gsize first, gsize last, guint thread)
{
  Linear *l = data;
  const guint8 *packed = dp_cpu_rows_get (&l->rows, thread);
  guint8 *wide = dp_cpu_rows_wide (&l->rows, thread);
  guint32 n_panels = l->weight->n_panels;
  guint group = dp_cpu_group (l->cpu, l->weight, l->rows.x->rows); /* more than 1: all rows are one tile */

  for (gsize item = first; item < last;) {
    guint32 panel = (guint32) (item % n_panels);
    guint n = (guint) MIN (MIN (group, last - item), n_panels - panel);
    linear_block (l, panel, n, (guint32) (item / n_panels) * l->cut.block_rows, packed, wide);
    item += n;
  }
}

static void
run (const DpCpuTask *task, const DpTensor *x, const DpWeight *weight,
     void (*store) (const Linear *l, guint32 panel, guint32 row, guint m, const float *c), const void *args)
{
  Linear l = { .cpu = task->cpu, .weight = dp_cpu_weight (weight), .store = store, .args = args };

  dp_cpu_rows_begin (&l.rows, task, l.weight, x, task->scratch);
  l.cut = dp_cpu_cut (task, l.weight, x->rows, l.rows.row_bytes);
  dp_cpu_for_last (task, l.cut.n_items, l.cut.chunk, linear_items, &l);
}

/* ---- linear, weight_quant_matmul ------------------------------------------------------------------ */

static void
store_plain (const Linear *l, guint32 panel, guint32 row, guint m, const float *c, guint32 act, const DpTensor *residual, const DpTensor *y)
{
  guint32 col = panel * DP_PANEL;
  DpPlace to = dp_cpu_place (y, row, col), from;

  if (residual->buffer)
    from = dp_cpu_place (residual, row, col);
  l->cpu->kernels->tile->finish (m, MIN (DP_PANEL, y->cols - col), c, panel_bias (l, panel), act, residual->buffer ? &from : NULL, &to);
}

static void
store_linear (const Linear *l, guint32 panel, guint32 row, guint m, const float *c)
{
  const DpLinearArgs *a = l->args;

  store_plain (l, panel, row, m, c, a->act, &a->residual, &a->y);
}

static void
linear (const DpCpuTask *task, const void *args)
{
  const DpLinearArgs *a = args;

  run (task, &a->x, a->weight, store_linear, args);
}

static gsize
linear_space (G_GNUC_UNUSED const DpCpu *cpu, guint n_threads, const void *args)
{
  const DpLinearArgs *a = args;

  return dp_cpu_rows_space (dp_cpu_weight (a->weight), a->x.rows, n_threads);
}

const DpCpuOperator dp_cpu_op_linear = { .run = linear, .space = linear_space, .then = TRUE };

static void
store_weight_quant_matmul (const Linear *l, guint32 panel, guint32 row, guint m, const float *c)
{
  const DpWeightQuantMatmulArgs *a = l->args;

  store_plain (l, panel, row, m, c, a->act, &a->residual, &a->y);
}

static void
weight_quant_matmul (const DpCpuTask *task, const void *args)
{
  const DpWeightQuantMatmulArgs *a = args;

  run (task, &a->x, a->weight, store_weight_quant_matmul, args);
}

static gsize
weight_quant_matmul_space (G_GNUC_UNUSED const DpCpu *cpu, guint n_threads, const void *args)
{
  const DpWeightQuantMatmulArgs *a = args;

  return dp_cpu_rows_space (dp_cpu_weight (a->weight), a->x.rows, n_threads);
}

const DpCpuOperator dp_cpu_op_weight_quant_matmul = { .run = weight_quant_matmul, .space = weight_quant_matmul_space, .then = TRUE };

/* ---- qkv_linear ----------------------------------------------------------------------------------- */

/* A panel may straddle the border between two results. */
static void
store_qkv (const Linear *l, guint32 panel, guint32 row, guint m, const float *c)
{
  const DpQkvLinearArgs *a = l->args;
  const DpTensor *const results[] = { &a->q, &a->k, &a->v };
  const float *bias = panel_bias (l, panel);
  guint32 begin = panel * DP_PANEL, start = 0;

  for (guint r = 0; r < 3; r++) {
    const DpTensor *y = results[r];
    guint32 first = MAX (begin, start), last = MIN (begin + DP_PANEL, start + y->cols);
    if (first < last) {
      DpPlace to = dp_cpu_place (y, row, first - start);
      guint32 off = first - begin;
      l->cpu->kernels->tile->finish (m, last - first, c + off, bias ? bias + off : NULL, DP_ACT_NONE, NULL, &to);
    }
    start += y->cols;
  }
}

static void
qkv_linear (const DpCpuTask *task, const void *args)
{
  const DpQkvLinearArgs *a = args;

  run (task, &a->x, a->weight, store_qkv, args);
}

static gsize
qkv_linear_space (G_GNUC_UNUSED const DpCpu *cpu, guint n_threads, const void *args)
{
  const DpQkvLinearArgs *a = args;

  return dp_cpu_rows_space (dp_cpu_weight (a->weight), a->x.rows, n_threads);
}

const DpCpuOperator dp_cpu_op_qkv_linear = { .run = qkv_linear, .space = qkv_linear_space, .then = TRUE };

/* ---- gate_up_silu --------------------------------------------------------------------------------- */

static void
store_gate_up (const Linear *l, guint32 panel, guint32 row, guint m, const float *c)
{
  const DpGateUpSiluArgs *a = l->args;
  guint32 col = panel * (DP_PANEL / 2);
  DpPlace to = dp_cpu_place (&a->y, row, col);

  l->cpu->kernels->tile->gate (m, MIN (DP_PANEL / 2, a->y.cols - col), c, panel_bias (l, panel), a->act, &to);
}

static void
gate_up_silu (const DpCpuTask *task, const void *args)
{
  const DpGateUpSiluArgs *a = args;

  run (task, &a->x, a->weight, store_gate_up, args);
}

static gsize
gate_up_silu_space (G_GNUC_UNUSED const DpCpu *cpu, guint n_threads, const void *args)
{
  const DpGateUpSiluArgs *a = args;

  return dp_cpu_rows_space (dp_cpu_weight (a->weight), a->x.rows, n_threads);
}

const DpCpuOperator dp_cpu_op_gate_up_silu = { .run = gate_up_silu, .space = gate_up_silu_space, .then = TRUE };
