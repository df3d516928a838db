/* backends/cpu/quant.c - dynamic_quant, linear_w8a8. */
#include "backends/cpu/product.h"

#include <string.h>

/* ---- dynamic_quant -------------------------------------------------------------------------------- */

typedef struct {
  const DpCpuTask *task;
  const DpDynamicQuantArgs *args;
} Quant;

static void
quant_rows (gpointer data, gsize first, gsize last, guint thread)
{
  const Quant *q = data;
  const DpDynamicQuantArgs *a = q->args;
  const DpCpu *cpu = q->task->cpu;
  float *x = (float *) (gpointer) (q->task->scratch + thread * dp_cpu_round_up (a->x.cols * sizeof (float)));

  for (gsize row = first; row < last; row++) {
    gint32 sum;
    dp_cpu_load (cpu, &a->x, (guint32) row, 0, a->x.cols, x);
    *(float *) dp_tensor_row (&a->scale, (guint32) row)
        = cpu->kernels->row->quantise (x, dp_tensor_row (&a->q, (guint32) row), &sum, a->x.cols);
  }
}

static void
dynamic_quant (const DpCpuTask *task, const void *args)
{
  const DpDynamicQuantArgs *a = args;
  Quant q = { task, a };

  dp_cpu_for (task, a->x.rows, 4, quant_rows, &q);
}

static gsize
dynamic_quant_space (G_GNUC_UNUSED const DpCpu *cpu, guint n_threads, const void *args)
{
  return n_threads * dp_cpu_round_up (((const DpDynamicQuantArgs *) args)->x.cols * sizeof (float));
}

const DpCpuOperator dp_cpu_op_dynamic_quant = { .run = dynamic_quant, .space = dynamic_quant_space };

/* ---- linear_w8a8 ---------------------------------------------------------------------------------- */

/* x is copied into rows padded as the weight's, with the sum of each. */
typedef struct {
  const DpLinearW8a8Args *args;
  const DpCpu *cpu;
  const DpCpuWeight *weight;
  DpCpuCut cut;
  gsize row_bytes;
  guint8 *rows;
  gint32 *sums;
} W8a8;

static gsize
w8a8_row_bytes (const DpCpuWeight *w)
{
  return ((gsize) w->cols + 3) / 4 * 4;
}

static void
w8a8_pack (gpointer data, gsize first, gsize last, G_GNUC_UNUSED guint thread)
{
  const W8a8 *p = data;
  guint32 cols = p->args->x.cols;

  for (gsize row = first; row < last; row++) {
    const gint8 *x = dp_tensor_row (&p->args->x, (guint32) row);
    guint8 *to = p->rows + row * p->row_bytes;
    gint32 sum = 0;
    for (guint32 k = 0; k < cols; k++)
      sum += x[k];
    memcpy (to, x, cols);
    memset (to + cols, 0, p->row_bytes - cols);
    p->sums[row] = sum;
  }
}

static void
w8a8_tile (const W8a8 *p, guint32 panel, guint32 row, guint m)
{
  const DpLinearW8a8Args *a = p->args;
  const DpCpuWeight *w = p->weight;
  const DpTileKernels *tile = p->cpu->kernels->tile;
  guint32 col = panel * DP_PANEL;
  gsize lane = (gsize) panel * DP_PANEL;
  _Alignas(64) gint32 sums[DP_CPU_TILE_ROWS * DP_PANEL];
  _Alignas(64) float c[DP_CPU_TILE_ROWS * DP_PANEL], x_scale[DP_CPU_TILE_ROWS];
  DpPlace to = dp_cpu_place (&a->y, row, col), from;

  for (guint i = 0; i < m; i++)
    x_scale[i] = *(const float *) dp_tensor_row (&a->x_scale, row + i);
  p->cpu->kernels->gemm->i8 (m, p->row_bytes / 4, (const gint8 *) p->rows + row * p->row_bytes, p->row_bytes, p->sums + row,
                             dp_cpu_panel (w, 0, panel), sums);
  tile->scale (m, sums, x_scale, w->scales + lane, c);
  if (a->residual.buffer)
    from = dp_cpu_place (&a->residual, row, col);
  tile->finish (m, MIN (DP_PANEL, a->y.cols - col), c, w->bias ? w->bias + lane : NULL, a->act, a->residual.buffer ? &from : NULL, &to);
}

static void
w8a8_items (gpointer data, gsize first, gsize last, G_GNUC_UNUSED guint thread)
{
  const W8a8 *p = data;
  guint most = p->cpu->kernels->gemm->max_rows;

  for (gsize item = first; item < last; item++) {
    guint32 row = (guint32) (item / p->weight->n_panels) * p->cut.block_rows, end = MIN (row + p->cut.block_rows, p->args->x.rows);
    while (row < end) {
      guint m = dp_cpu_tile_next (most, end - row);
      w8a8_tile (p, (guint32) (item % p->weight->n_panels), row, m);
      row += m;
    }
  }
}

static void
linear_w8a8 (const DpCpuTask *task, const void *args)
{
  const DpLinearW8a8Args *a = args;
  const DpCpuWeight *w = dp_cpu_weight (a->weight);
  gsize sums = dp_cpu_round_up (a->x.rows * sizeof (gint32));
  W8a8 p = { .args = a,
             .cpu = task->cpu,
             .weight = w,
             .row_bytes = w8a8_row_bytes (w),
             .rows = task->scratch + sums,
             .sums = (gpointer) task->scratch };

  p.cut = dp_cpu_cut (task, w, a->x.rows, p.row_bytes);
  dp_cpu_for (task, a->x.rows, MAX (1, 16384 / w->cols), w8a8_pack, &p);
  dp_cpu_wait (task);
  dp_cpu_for (task, p.cut.n_items, p.cut.chunk, w8a8_items, &p);
}

static gsize
linear_w8a8_space (G_GNUC_UNUSED const DpCpu *cpu, G_GNUC_UNUSED guint n_threads, const void *args)
{
  const DpLinearW8a8Args *a = args;

  return dp_cpu_round_up (a->x.rows * sizeof (gint32)) + a->x.rows * w8a8_row_bytes (dp_cpu_weight (a->weight));
}

const DpCpuOperator dp_cpu_op_linear_w8a8 = { .run = linear_w8a8, .space = linear_w8a8_space };
