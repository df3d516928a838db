/* backends/cpu/rows.h - for operators that go row by row through f32: fetch a row, compute, store it. */
#pragma once

#include "backends/cpu/cpu.h"

G_BEGIN_DECLS

/* What a work function gets; lives on the stack of the thread that walks through the operator. */
typedef struct {
  const DpCpuTask *task;
  const void *args;
} DpCpuCall;

/* Rows of so many columns to hand out at once: some microseconds of work. */
static inline gsize
dp_cpu_row_chunk (gsize cols)
{
  return 1 + 8192 / MAX (cols, 1);
}

static inline gsize
dp_cpu_slice_size (gsize n_floats)
{
  return dp_cpu_round_up (n_floats * sizeof (float));
}

/* The n_floats of scratch that belong to a thread; the operator's space is n_threads * dp_cpu_slice_size. */
static inline float *
dp_cpu_slice (const DpCpuTask *task, guint thread, gsize n_floats)
{
  return (float *) (gpointer) (task->scratch + thread * dp_cpu_slice_size (n_floats));
}

/* The first row of a tensor as f32: itself, or converted into room. NULL when the tensor is absent. */
static inline const float *
dp_cpu_vector (const DpCpu *cpu, const DpTensor *t, float *room)
{
  if (!t->buffer)
    return NULL;
  if (t->type == DP_F32)
    return dp_tensor_row (t, 0);
  dp_cpu_load (cpu, t, 0, 0, t->cols, room);
  return room;
}

static inline gint32
dp_cpu_int (const DpTensor *t, gsize row, guint32 col)
{
  return ((const gint32 *) dp_tensor_row (t, (guint32) row))[col];
}

G_END_DECLS
