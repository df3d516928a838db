/* backends/cpu/resize.c - resize: separable filters with a table of taps per axis.
 *
 * Rows are mixed first, whole lines at a time, and then the one line that is left is resampled: no picture between
 * the two passes.  The definition goes the other way round; both are sums over the same products.
 */
#include "backends/cpu/rows.h"

#include <math.h>
#include <string.h>

/* Taps of the output places of one axis. */
typedef struct {
  guint32 in, out, most; /* taps of one place at most */
  gint32 *first;         /* [out] may lie outside the picture without antialias */
  guint32 *n;            /* [out] */
  float *weights;        /* [out, most], sum 1 */
} Axis;

typedef struct {
  const DpCpuTask *task;
  const DpResizeArgs *args;
  Axis x, y;
  guint8 *lines;
  gsize line; /* floats of a thread: a source line, the mixed line, an output line */
} Resize;

static float
filter (const DpResizeArgs *a, float x)
{
  const float k = a->antialias ? -0.5f : -0.75f; /* Keys 1981; Pillow's and PyTorch's choice */

  x = fabsf (x);
  if (a->filter == DP_RESIZE_BILINEAR)
    return x < 1 ? 1 - x : 0;
  if (x < 1)
    return ((k + 2) * x - (k + 3)) * x * x + 1;
  return x < 2 ? ((x - 5) * x + 8) * x * k - 4 * k : 0;
}

static float
reach_of (const DpResizeArgs *a, const Axis *axis, float *stretch)
{
  float ratio = (float) axis->in / (float) axis->out;

  *stretch = a->antialias ? MAX (ratio, 1) : 1;
  return (a->filter == DP_RESIZE_BILINEAR ? 1 : 2) * *stretch;
}

static void
fill_taps (const DpResizeArgs *a, const Axis *axis, guint32 o)
{
  float stretch, reach = reach_of (a, axis, &stretch), centre = ((float) o + 0.5f) * ((float) axis->in / (float) axis->out), sum = 0;
  float *weights = axis->weights + (gsize) o * axis->most;
  gint64 first = (gint64) floorf (centre - reach + 0.5f), end = (gint64) floorf (centre + reach + 0.5f);

  if (a->antialias) {
    first = MAX (first, 0);
    end = MIN (end, (gint64) axis->in);
  }
  axis->first[o] = (gint32) first;
  axis->n[o] = (guint32) CLAMP (end - first, 1, (gint64) axis->most);
  for (guint32 i = 0; i < axis->n[o]; i++) {
    weights[i] = filter (a, ((float) (first + i) + 0.5f - centre) / stretch);
    sum += weights[i];
  }
  for (guint32 i = 0; i < axis->n[o]; i++)
    weights[i] /= sum;
}

/* Items: the places of both axes. */
static void
fill_tables (gpointer data, gsize first, gsize last, G_GNUC_UNUSED guint thread)
{
  const Resize *r = data;

  for (gsize i = first; i < last; i++)
    if (i < r->x.out)
      fill_taps (r->args, &r->x, (guint32) i);
    else
      fill_taps (r->args, &r->y, (guint32) i - r->x.out);
}

static guint32
tap (const Axis *axis, guint32 o, guint32 i)
{
  return (guint32) CLAMP ((gint64) axis->first[o] + i, 0, (gint64) axis->in - 1);
}

/* n elements of a row as f32. */
static void
load (const DpCpu *cpu, const DpTensor *t, guint32 row, guint32 n, float *to)
{
  const guint8 *bytes = dp_tensor_row (t, row);

  if (t->type != DP_U8)
    dp_cpu_load (cpu, t, row, 0, n, to);
  else
    for (guint32 i = 0; i < n; i++)
      to[i] = bytes[i];
}

static void
store (const DpCpu *cpu, const DpTensor *t, guint32 row, guint32 n, const float *from)
{
  guint8 *bytes = dp_tensor_row (t, row);

  if (t->type != DP_U8)
    dp_cpu_store (cpu, t, row, 0, n, from);
  else
    for (guint32 i = 0; i < n; i++)
      bytes[i] = (guint8) CLAMP (rintf (from[i]), 0, 255);
}

/* A line of the picture begins at pixel row `row`; pixels may have gaps between them. */
static void
load_line (const Resize *r, guint32 row, float *to)
{
  const DpTensor *x = &r->args->x;

  if (x->stride == x->cols)
    load (r->task->cpu, x, row, r->x.in * x->cols, to);
  else
    for (guint32 i = 0; i < r->x.in; i++)
      load (r->task->cpu, x, row + i, x->cols, to + (gsize) i * x->cols);
}

static void
store_line (const Resize *r, guint32 row, const float *from)
{
  const DpTensor *y = &r->args->y;

  if (y->stride == y->cols)
    store (r->task->cpu, y, row, r->x.out * y->cols, from);
  else
    for (guint32 i = 0; i < r->x.out; i++)
      store (r->task->cpu, y, row + i, y->cols, from + (gsize) i * y->cols);
}

static void
resample_line (const Resize *r, const float *line, float *out)
{
  guint32 channels = r->args->x.cols;

  for (guint32 o = 0; o < r->x.out; o++) {
    const float *weights = r->x.weights + (gsize) o * r->x.most;
    for (guint32 c = 0; c < channels; c++) {
      float sum = 0;
      for (guint32 i = 0; i < r->x.n[o]; i++)
        sum += weights[i] * line[(gsize) tap (&r->x, o, i) * channels + c];
      *out++ = sum;
    }
  }
}

/* Items: lines of the output pictures. */
static void
resize_lines (gpointer data, gsize first, gsize last, guint thread)
{
  const Resize *r = data;
  guint32 channels = r->args->x.cols;
  gsize width = (gsize) r->x.in * channels;
  float *line = (float *) (gpointer) (r->lines + thread * dp_cpu_slice_size (r->line)), *mixed = line + width, *out = mixed + width;

  for (gsize item = first; item < last; item++) {
    guint32 image = (guint32) (item / r->y.out), o = (guint32) (item % r->y.out);
    memset (mixed, 0, width * sizeof *mixed);
    for (guint32 i = 0; i < r->y.n[o]; i++) {
      load_line (r, (image * r->y.in + tap (&r->y, o, i)) * r->x.in, line);
      r->task->cpu->kernels->arith->axpy (r->y.weights[(gsize) o * r->y.most + i], line, mixed, width);
    }
    resample_line (r, mixed, out);
    store_line (r, (guint32) item * r->x.out, out);
  }
}

/* Bytes of an axis' tables, which begin at `at` of memory. */
static gsize
axis_tables (const DpResizeArgs *a, Axis *axis, guint32 in, guint32 out, guint8 *memory, gsize at)
{
  float stretch;
  gsize place = dp_cpu_slice_size (out);

  axis->in = in, axis->out = out;
  axis->most = (guint32) (2 * ceilf (reach_of (a, axis, &stretch))) + 2;
  if (memory) {
    axis->first = (gint32 *) (gpointer) (memory + at);
    axis->n = (guint32 *) (gpointer) (memory + at + place);
    axis->weights = (float *) (gpointer) (memory + at + 2 * place);
  }
  return 2 * place + dp_cpu_slice_size ((gsize) out * axis->most);
}

static gsize
lay_out (Resize *r, const DpResizeArgs *a, guint n_threads, guint8 *memory)
{
  gsize x = axis_tables (a, &r->x, a->width, a->out_width, memory, 0);
  gsize y = axis_tables (a, &r->y, a->height, a->out_height, memory, x);

  r->args = a;
  r->line = ((gsize) 2 * a->width + a->out_width) * a->x.cols;
  if (memory)
    r->lines = memory + x + y;
  return x + y + n_threads * dp_cpu_slice_size (r->line);
}

static void
resize (const DpCpuTask *task, const void *args)
{
  const DpResizeArgs *a = args;
  Resize r = { .task = task };

  lay_out (&r, a, task->n_threads, task->scratch);
  dp_cpu_for (task, (gsize) a->out_width + a->out_height, 64, fill_tables, &r);
  dp_cpu_wait (task);
  dp_cpu_for (task, (gsize) a->n * a->out_height, dp_cpu_row_chunk ((gsize) a->width * a->x.cols), resize_lines, &r);
}

static gsize
resize_space (G_GNUC_UNUSED const DpCpu *cpu, guint n_threads, const void *args)
{
  Resize r = { 0 };

  return lay_out (&r, args, n_threads, NULL);
}

const DpCpuOperator dp_cpu_op_resize = { .run = resize, .space = resize_space };
