/* backends/cpu/quant.c - dynamic_quant. */
#include "backends/cpu/cpu.h"

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
