/* backends/cpu/norm.c - rms_norm, layer_norm, with a residual added first, with the result quantised. */
#include "backends/cpu/rows.h"

/* A thread's slice: the row, another row, weight, bias. */
#define SLICE(cols) (4 * (gsize) (cols))

/* residual += x, rounded as it is stored, and fetched as the norm sees it. */
static void
add_residual (const DpCpu *cpu, const DpTensor *x, const DpTensor *residual, guint32 row, float *sum, float *other)
{
  dp_cpu_load (cpu, residual, row, 0, x->cols, sum);
  dp_cpu_load (cpu, x, row, 0, x->cols, other);
  cpu->kernels->arith->add (other, sum, x->cols);
  dp_cpu_store (cpu, residual, row, 0, x->cols, sum);
  if (residual->type != DP_F32)
    dp_cpu_load (cpu, residual, row, 0, x->cols, sum);
}

static void
quantise (const DpCpu *cpu, const float *x, const DpTensor *q, const DpTensor *scale, guint32 row)
{
  gint32 sum;

  *(float *) dp_tensor_row (scale, row) = cpu->kernels->row->quantise (x, dp_tensor_row (q, row), &sum, q->cols);
}

static void
rms_norm_rows (gpointer data, gsize first, gsize last, guint thread)
{
  const DpCpuCall *call = data;
  const DpRmsNormArgs *a = call->args;
  const DpCpu *cpu = call->task->cpu;
  guint32 groups = MAX (a->groups, 1), n = a->x.cols / groups;
  float *x = dp_cpu_slice (call->task, thread, SLICE (a->x.cols));
  const float *weight = dp_cpu_vector (cpu, &a->weight, x + a->x.cols);

  for (gsize row = first; row < last; row++) {
    dp_cpu_load (cpu, &a->x, (guint32) row, 0, a->x.cols, x);
    for (guint32 g = 0; g < groups; g++)
      cpu->kernels->arith->rms (x + (gsize) g * n, weight, a->eps, x + (gsize) g * n, n);
    dp_cpu_store (cpu, &a->y, (guint32) row, 0, a->x.cols, x);
  }
}

static void
add_rms_norm_rows (gpointer data, gsize first, gsize last, guint thread)
{
  const DpCpuCall *call = data;
  const DpAddRmsNormArgs *a = call->args;
  const DpCpu *cpu = call->task->cpu;
  float *x = dp_cpu_slice (call->task, thread, SLICE (a->x.cols)), *other = x + a->x.cols;
  const float *weight = dp_cpu_vector (cpu, &a->weight, other + a->x.cols);

  for (gsize row = first; row < last; row++) {
    add_residual (cpu, &a->x, &a->residual, (guint32) row, x, other);
    cpu->kernels->arith->rms (x, weight, a->eps, x, a->x.cols);
    dp_cpu_store (cpu, &a->y, (guint32) row, 0, a->x.cols, x);
  }
}

static void
layer_norm_rows (gpointer data, gsize first, gsize last, guint thread)
{
  const DpCpuCall *call = data;
  const DpLayerNormArgs *a = call->args;
  const DpCpu *cpu = call->task->cpu;
  guint32 n = a->x.cols;
  float *x = dp_cpu_slice (call->task, thread, SLICE (n));
  const float *weight = dp_cpu_vector (cpu, &a->weight, x + n), *bias = dp_cpu_vector (cpu, &a->bias, x + 2 * (gsize) n);

  for (gsize row = first; row < last; row++) {
    dp_cpu_load (cpu, &a->x, (guint32) row, 0, n, x);
    cpu->kernels->arith->layer (x, weight, bias, a->eps, x, n);
    dp_cpu_store (cpu, &a->y, (guint32) row, 0, n, x);
  }
}

static void
add_layer_norm_rows (gpointer data, gsize first, gsize last, guint thread)
{
  const DpCpuCall *call = data;
  const DpAddLayerNormArgs *a = call->args;
  const DpCpu *cpu = call->task->cpu;
  guint32 n = a->x.cols;
  float *x = dp_cpu_slice (call->task, thread, SLICE (n)), *other = x + n;
  const float *weight = dp_cpu_vector (cpu, &a->weight, other + n), *bias = dp_cpu_vector (cpu, &a->bias, other + 2 * (gsize) n);

  for (gsize row = first; row < last; row++) {
    add_residual (cpu, &a->x, &a->residual, (guint32) row, x, other);
    cpu->kernels->arith->layer (x, weight, bias, a->eps, x, n);
    dp_cpu_store (cpu, &a->y, (guint32) row, 0, n, x);
  }
}

static void
rms_norm_w8a8_rows (gpointer data, gsize first, gsize last, guint thread)
{
  const DpCpuCall *call = data;
  const DpRmsNormW8a8Args *a = call->args;
  const DpCpu *cpu = call->task->cpu;
  float *x = dp_cpu_slice (call->task, thread, SLICE (a->x.cols));
  const float *weight = dp_cpu_vector (cpu, &a->weight, x + a->x.cols);

  for (gsize row = first; row < last; row++) {
    dp_cpu_load (cpu, &a->x, (guint32) row, 0, a->x.cols, x);
    cpu->kernels->arith->rms (x, weight, a->eps, x, a->x.cols);
    quantise (cpu, x, &a->q, &a->scale, (guint32) row);
  }
}

static void
add_rms_norm_w8a8_rows (gpointer data, gsize first, gsize last, guint thread)
{
  const DpCpuCall *call = data;
  const DpAddRmsNormW8a8Args *a = call->args;
  const DpCpu *cpu = call->task->cpu;
  float *x = dp_cpu_slice (call->task, thread, SLICE (a->x.cols)), *other = x + a->x.cols;
  const float *weight = dp_cpu_vector (cpu, &a->weight, other + a->x.cols);

  for (gsize row = first; row < last; row++) {
    add_residual (cpu, &a->x, &a->residual, (guint32) row, x, other);
    cpu->kernels->arith->rms (x, weight, a->eps, x, a->x.cols);
    quantise (cpu, x, &a->q, &a->scale, (guint32) row);
  }
}

/* All six go over the rows of x. */
#define NORM(name, Name)                                                                                                                   \
  static void name (const DpCpuTask *task, const void *args)                                                                               \
  {                                                                                                                                        \
    const Dp##Name##Args *a = args;                                                                                                        \
    DpCpuCall call = { task, args };                                                                                                       \
    dp_cpu_for_last (task, a->x.rows, dp_cpu_row_chunk (a->x.cols), name##_rows, &call);                                                   \
  }                                                                                                                                        \
  static gsize name##_space (G_GNUC_UNUSED const DpCpu *cpu, guint n_threads, const void *args)                                            \
  {                                                                                                                                        \
    return n_threads * dp_cpu_slice_size (SLICE (((const Dp##Name##Args *) args)->x.cols));                                                \
  }                                                                                                                                        \
  const DpCpuOperator dp_cpu_op_##name = { .run = name, .space = name##_space, .then = TRUE };

NORM (rms_norm, RmsNorm)
NORM (add_rms_norm, AddRmsNorm)
NORM (layer_norm, LayerNorm)
NORM (add_layer_norm, AddLayerNorm)
NORM (rms_norm_w8a8, RmsNormW8a8)
NORM (add_rms_norm_w8a8, AddRmsNormW8a8)
