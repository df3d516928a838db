/* backends/cpu/act.c - activations over whole tensors, alone or times the other half of the row. */
#include "backends/cpu/rows.h"

/* Columns that go through the stack at a time. */
#define PIECE 512u

typedef struct {
  const DpCpu *cpu;
  const DpTensor *x, *y;
  guint32 act;
  gboolean gated;
} Act;

static void
act_rows (gpointer data, gsize first, gsize last, G_GNUC_UNUSED guint thread)
{
  const Act *a = data;
  const DpCpuKernels *k = a->cpu->kernels;
  float z[PIECE], up[PIECE];

  for (gsize row = first; row < last; row++)
    for (guint32 col = 0, n; col < a->y->cols; col += n) {
      n = MIN (PIECE, a->y->cols - col);
      dp_cpu_load (a->cpu, a->x, (guint32) row, col, n, z);
      k->row->act (a->act, z, n);
      if (a->gated) {
        dp_cpu_load (a->cpu, a->x, (guint32) row, a->y->cols + col, n, up);
        k->arith->mul (up, z, n);
      }
      dp_cpu_store (a->cpu, a->y, (guint32) row, col, n, z);
    }
}

static void
each_row (const DpCpuTask *task, const DpTensor *x, const DpTensor *y, guint32 act, gboolean gated)
{
  Act a = { task->cpu, x, y, act, gated };

  dp_cpu_for (task, y->rows, dp_cpu_row_chunk (y->cols), act_rows, &a);
}

static void
silu_and_mul (const DpCpuTask *task, const void *args)
{
  const DpSiluAndMulArgs *a = args;

  each_row (task, &a->x, &a->y, DP_ACT_SILU, TRUE);
}

static void
gelu (const DpCpuTask *task, const void *args)
{
  const DpGeluArgs *a = args;

  each_row (task, &a->x, &a->y, a->tanh_form ? DP_ACT_GELU_TANH : DP_ACT_GELU, FALSE);
}

static void
quick_gelu (const DpCpuTask *task, const void *args)
{
  const DpQuickGeluArgs *a = args;

  each_row (task, &a->x, &a->y, DP_ACT_QUICK_GELU, FALSE);
}

static void
gelu_and_mul (const DpCpuTask *task, const void *args)
{
  const DpGeluAndMulArgs *a = args;

  each_row (task, &a->x, &a->y, a->tanh_form ? DP_ACT_GELU_TANH : DP_ACT_GELU, TRUE);
}

const DpCpuOperator dp_cpu_op_silu_and_mul = { .run = silu_and_mul };
const DpCpuOperator dp_cpu_op_gelu = { .run = gelu };
const DpCpuOperator dp_cpu_op_quick_gelu = { .run = quick_gelu };
const DpCpuOperator dp_cpu_op_gelu_and_mul = { .run = gelu_and_mul };
