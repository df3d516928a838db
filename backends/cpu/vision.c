/* backends/cpu/vision.c - operators that only move rows: patch_merge, scatter_rows, window_permute. */
#include "backends/cpu/rows.h"

#include <string.h>

static guint8 *
element (const DpTensor *t, gsize row, guint32 col)
{
  return (guint8 *) dp_tensor_row (t, (guint32) row) + (gsize) col * dp_type_size (t->type);
}

/* ---- patch_merge ---- */

/* Items are rows of the tensor with m*m rows side by side. */
static void
merge_rows (gpointer data, gsize first, gsize last, G_GNUC_UNUSED guint thread)
{
  const DpPatchMergeArgs *a = ((const DpCpuCall *) data)->args;
  guint32 m = a->merge, height = a->inverse ? a->height : a->height / m, width = a->inverse ? a->width : a->width / m;
  guint32 cols = a->inverse ? a->y.cols : a->x.cols;
  gsize bytes = cols * dp_type_size (a->x.type);

  for (gsize row = first; row < last; row++) {
    gsize image = row / ((gsize) height * width), y = row / width % height, x = row % width;
    for (guint32 dy = 0; dy < m; dy++)
      for (guint32 dx = 0; dx < m; dx++) {
        gsize tall = ((image * height + y) * m + dy) * width * m + x * m + dx;
        guint32 at = (dy * m + dx) * cols;
        if (a->inverse)
          memcpy (element (&a->y, tall, 0), element (&a->x, row, at), bytes);
        else
          memcpy (element (&a->y, row, at), element (&a->x, tall, 0), bytes);
      }
  }
}

static void
patch_merge (const DpCpuTask *task, const void *args)
{
  const DpPatchMergeArgs *a = args;
  const DpTensor *wide = a->inverse ? &a->x : &a->y;
  DpCpuCall call = { task, args };

  dp_cpu_for (task, wide->rows, dp_cpu_row_chunk (wide->cols), merge_rows, &call);
}

/* ---- scatter_rows, window_permute ---- */

/* Columns that go through the stack at a time. */
#define PIECE 512u

static void
convert_row (const DpCpu *cpu, const DpTensor *from, gsize row, const DpTensor *to, gsize to_row)
{
  float piece[PIECE];

  if (from->type == to->type) {
    memcpy (element (to, to_row, 0), element (from, row, 0), to->cols * dp_type_size (to->type));
    return;
  }
  for (guint32 col = 0, n; col < to->cols; col += n) {
    n = MIN (PIECE, to->cols - col);
    dp_cpu_load (cpu, from, (guint32) row, col, n, piece);
    dp_cpu_store (cpu, to, (guint32) to_row, col, n, piece);
  }
}

static void
scatter (gpointer data, gsize first, gsize last, G_GNUC_UNUSED guint thread)
{
  const DpCpuCall *call = data;
  const DpScatterRowsArgs *a = call->args;

  for (gsize i = first; i < last; i++) {
    gint32 row = dp_cpu_int (&a->index, i, 0);
    if (row >= 0 && (guint32) row < a->y.rows)
      convert_row (call->task->cpu, &a->x, i, &a->y, (gsize) row);
  }
}

static void
scatter_rows (const DpCpuTask *task, const void *args)
{
  const DpScatterRowsArgs *a = args;
  DpCpuCall call = { task, args };

  dp_cpu_for (task, a->x.rows, dp_cpu_row_chunk (a->x.cols), scatter, &call);
}

static void
permute (gpointer data, gsize first, gsize last, G_GNUC_UNUSED guint thread)
{
  const DpCpuCall *call = data;
  const DpWindowPermuteArgs *a = call->args;

  for (gsize i = first; i < last; i++) {
    gint32 from = dp_cpu_int (&a->index, i, 0);
    for (guint32 u = 0; u < a->unit; u++) {
      gsize to_row = i * a->unit + u;
      if (from >= 0 && (guint32) from < a->x.rows / a->unit)
        convert_row (call->task->cpu, &a->x, (gsize) from * a->unit + u, &a->y, to_row);
      else
        memset (element (&a->y, to_row, 0), 0, a->y.cols * dp_type_size (a->y.type));
    }
  }
}

static void
window_permute (const DpCpuTask *task, const void *args)
{
  const DpWindowPermuteArgs *a = args;
  DpCpuCall call = { task, args };

  dp_cpu_for (task, a->index.rows, dp_cpu_row_chunk ((gsize) a->x.cols * a->unit), permute, &call);
}

const DpCpuOperator dp_cpu_op_patch_merge = { .run = patch_merge };
const DpCpuOperator dp_cpu_op_scatter_rows = { .run = scatter_rows };
const DpCpuOperator dp_cpu_op_window_permute = { .run = window_permute };
