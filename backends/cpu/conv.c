/* backends/cpu/conv.c - conv2d.
 *
 * Without groups a convolution is the matrix product of linear: the windows of a block of output pixels are laid
 * out as rows in a thread's own scratch (never the whole picture), then multiplied with the packed weight.  With groups,
 * windows meet unpacked weights directly; depthwise, all channels of a pixel at once.
 */
#include "backends/cpu/product.h"
#include "backends/cpu/rows.h"

#include <string.h>

typedef struct {
  const DpCpuTask *task;
  const DpConv2dArgs *args;
  const DpCpuWeight *weight;
  guint32 out_height, out_width;
  guint32 channels; /* of a group */
  /* as a matrix product */
  gsize row_bytes;
  guint32 block_rows, n_splits; /* output pixels of a block; parts its panels are cut into */
  /* with groups */
  gboolean depthwise;
  float *weights, *bias; /* [out, taps*channels], depthwise [taps, out]; [out] */
  guint8 *rooms;
  gsize room;
} Conv;

/* ---- windows --------------------------------------------------------------------------------------- */

/* The pixel of x under tap (ky, kx) of output pixel `row`; FALSE outside the picture. */
static gboolean
pixel_at (const Conv *c, gsize row, guint32 ky, guint32 kx, guint32 *pixel)
{
  const DpConv2dArgs *a = c->args;
  gsize image = row / ((gsize) c->out_height * c->out_width);
  gint64 y = (gint64) (row / c->out_width % c->out_height) * a->stride_y + (gint64) ky * a->dilation - a->pad_y;
  gint64 x = (gint64) (row % c->out_width) * a->stride_x + (gint64) kx * a->dilation - a->pad_x;

  if (y < 0 || x < 0 || y >= a->height || x >= a->width)
    return FALSE;
  *pixel = (guint32) ((image * a->height + (gsize) y) * a->width + (gsize) x);
  return TRUE;
}

/* The window of a group as f32, columns (ky, kx, channel). */
static void
window (const Conv *c, gsize row, guint32 group, float *to)
{
  const DpConv2dArgs *a = c->args;
  guint32 pixel;

  for (guint32 ky = 0; ky < a->kernel_y; ky++)
    for (guint32 kx = 0; kx < a->kernel_x; kx++, to += c->channels)
      if (pixel_at (c, row, ky, kx, &pixel))
        dp_cpu_load (c->task->cpu, &a->x, pixel, group * c->channels, c->channels, to);
      else
        memset (to, 0, c->channels * sizeof *to);
}

/* ---- as a matrix product --------------------------------------------------------------------------- */

/* Elements of x are already what a packed row is made of. */
static gboolean
same_elements (const Conv *c)
{
  guint32 type = c->args->x.type;

  return c->weight->type == DP_BF16 ? type == DP_BF16 : type == DP_F32;
}

/* A few bytes without a call: windows are made of many such pieces. */
static inline void
copy_bytes (guint8 *to, const guint8 *from, gsize n)
{
  if (n >= 64)
    memcpy (to, from, n);
  else if (n >= 16) {
    for (gsize i = 0; i + 16 < n; i += 16)
      memcpy (to + i, from + i, 16);
    memcpy (to + n - 16, from + n - 16, 16);
  } else if (n >= 8) { /* both ends, which may overlap */
    memcpy (to, from, 8);
    memcpy (to + n - 8, from + n - 8, 8);
  } else if (n >= 4) {
    memcpy (to, from, 4);
    memcpy (to + n - 4, from + n - 4, 4);
  } else
    for (gsize i = 0; i < n; i++)
      to[i] = from[i];
}

/* The pixels of x under one row of the kernel, whose leftmost is x[pixel + left]; zeros outside the picture. */
static void
pack_taps (const Conv *c, gsize pixel, gint64 left, gsize bytes, guint8 *to)
{
  const DpConv2dArgs *a = c->args;
  const gboolean dense = a->x.stride == a->x.cols && a->dilation == 1;

  if (dense && left >= 0 && left + a->kernel_x <= a->width) {
    copy_bytes (to, dp_tensor_row (&a->x, (guint32) (pixel + (gsize) left)), a->kernel_x * bytes);
    return;
  }
  for (guint32 kx = 0; kx < a->kernel_x; kx++, left += a->dilation, to += bytes)
    if (left >= 0 && left < a->width)
      copy_bytes (to, dp_tensor_row (&a->x, (guint32) (pixel + (gsize) left)), bytes);
    else
      memset (to, 0, bytes);
}

/* The window of output pixel (out_y, out_x) of an image. */
static void
pack_window (const Conv *c, gsize image, guint32 out_y, guint32 out_x, guint8 *to)
{
  const DpConv2dArgs *a = c->args;
  const gsize bytes = c->channels * dp_type_size (a->x.type);
  gint64 y = (gint64) out_y * a->stride_y - a->pad_y, left = (gint64) out_x * a->stride_x - a->pad_x;

  if (c->weight->type == DP_BF16 && c->weight->cols % 2)
    memset (to + c->row_bytes - 2, 0, 2);
  for (guint32 ky = 0; ky < a->kernel_y; ky++, y += a->dilation, to += a->kernel_x * bytes)
    if (y >= 0 && y < a->height)
      pack_taps (c, (image * a->height + (gsize) y) * a->width, left, bytes, to);
    else
      memset (to, 0, a->kernel_x * bytes);
}

/* The windows of rows first .. last-1 of y. */
static void
pack_block (const Conv *c, guint32 first, guint32 last, float *line, guint8 *to)
{
  guint32 x = first % c->out_width, y = first / c->out_width % c->out_height;
  gsize image = first / c->out_width / c->out_height;
  const gboolean same = same_elements (c);

  for (guint32 row = first; row < last; row++, to += c->row_bytes) {
    if (same)
      pack_window (c, image, y, x, to);
    else {
      window (c, row, 0, line);
      dp_cpu_row_pack (c->task->cpu, c->weight, line, to);
    }
    if (++x < c->out_width)
      continue;
    x = 0;
    if (++y == c->out_height)
      y = 0, image++;
  }
}

/* Rows first .. last-1 of y, whose windows are packed, times panels begin .. end-1. */
static void
multiply_block (const Conv *c, const guint8 *packed, guint32 first, guint32 last, guint32 begin, guint32 end)
{
  const DpConv2dArgs *a = c->args;
  const DpCpu *cpu = c->task->cpu;
  guint most = dp_cpu_tile_rows (cpu, c->weight);
  _Alignas(64) float tile[DP_CPU_TILE_ROWS * DP_PANEL];

  for (guint32 panel = begin; panel < end; panel++)
    for (guint32 row = first, m; row < last; row += m) {
      guint32 col = panel * DP_PANEL;
      DpPlace to = dp_cpu_place (&a->y, row, col), from = to;
      m = dp_cpu_tile_next (most, last - row);
      if (a->residual.buffer)
        from = dp_cpu_place (&a->residual, row, col);
      dp_cpu_tile (cpu, c->weight, 0, panel, m, packed + (row - first) * c->row_bytes, c->row_bytes, tile);
      cpu->kernels->tile->finish (m, MIN (DP_PANEL, a->y.cols - col), tile,
                                  c->weight->bias ? c->weight->bias + (gsize) panel * DP_PANEL : NULL, a->act,
                                  a->residual.buffer ? &from : NULL, &to);
    }
}

/* Items: [blocks of rows, parts of the panels]. */
static void
multiply_items (gpointer data, gsize first, gsize last, guint thread)
{
  const Conv *c = data;
  guint8 *packed = c->rooms + thread * c->room;
  float *line = (float *) (gpointer) (packed + dp_cpu_round_up (c->block_rows * c->row_bytes));
  guint32 each = (c->weight->n_panels + c->n_splits - 1) / c->n_splits;
  gsize there = G_MAXSIZE; /* block whose windows are in scratch */

  for (gsize item = first; item < last; item++) {
    gsize block = item / c->n_splits;
    guint32 from = (guint32) block * c->block_rows, to = MIN (from + c->block_rows, c->args->y.rows);
    guint32 panel = (guint32) (item % c->n_splits) * each;
    if (block != there)
      pack_block (c, from, to, line, packed);
    there = block;
    multiply_block (c, packed, from, to, panel, MIN (panel + each, c->weight->n_panels));
  }
}

/* ---- with groups ------------------------------------------------------------------------------------ */

/* Items: outputs. */
static void
unpack (gpointer data, gsize first, gsize last, guint thread)
{
  const Conv *c = data;
  guint32 cols = c->weight->cols;
  float *line = (float *) (gpointer) (c->rooms + thread * c->room);

  for (gsize out = first; out < last; out++) {
    c->bias[out] = dp_cpu_weight_bias (c->weight, 0, (guint32) out);
    dp_cpu_weight_row (c->weight, 0, (guint32) out, c->depthwise ? line : c->weights + out * cols);
    for (guint32 t = 0; t < cols && c->depthwise; t++)
      c->weights[(gsize) t * c->weight->rows + out] = line[t];
  }
}

static void
depthwise_row (const Conv *c, gsize row, float *sums, float *pixels)
{
  const DpConv2dArgs *a = c->args;
  const float *weights = c->weights;
  guint32 pixel, n = a->y.cols;

  for (guint32 ky = 0; ky < a->kernel_y; ky++)
    for (guint32 kx = 0; kx < a->kernel_x; kx++, weights += n) {
      if (!pixel_at (c, row, ky, kx, &pixel))
        continue;
      dp_cpu_load (c->task->cpu, &a->x, pixel, 0, n, pixels);
      c->task->cpu->kernels->arith->mul_add (pixels, weights, sums, n);
    }
}

static void
grouped_row (const Conv *c, gsize row, float *sums, float *line)
{
  guint32 outs = c->args->y.cols / c->args->groups, cols = c->weight->cols;

  for (guint32 group = 0; group < c->args->groups; group++) {
    window (c, row, group, line);
    for (guint32 o = group * outs; o < (group + 1) * outs; o++)
      sums[o] += c->task->cpu->kernels->arith->dot (line, c->weights + (gsize) o * cols, cols);
  }
}

/* Items: output pixels. */
static void
grouped_rows (gpointer data, gsize first, gsize last, guint thread)
{
  const Conv *c = data;
  const DpConv2dArgs *a = c->args;
  const DpCpu *cpu = c->task->cpu;
  guint32 n = a->y.cols;
  float *sums = (float *) (gpointer) (c->rooms + thread * c->room), *line = sums + n;

  for (gsize row = first; row < last; row++) {
    memcpy (sums, c->bias, n * sizeof *sums);
    if (c->depthwise)
      depthwise_row (c, row, sums, line);
    else
      grouped_row (c, row, sums, line);
    cpu->kernels->row->act (a->act, sums, n);
    if (a->residual.buffer) {
      dp_cpu_load (cpu, &a->residual, (guint32) row, 0, n, line);
      cpu->kernels->arith->add (line, sums, n);
    }
    dp_cpu_store (cpu, &a->y, (guint32) row, 0, n, sums);
  }
}

/* ---- the operator ----------------------------------------------------------------------------------- */

/* Windows of a block should stay in the second-level cache beside a panel. */
#define BLOCK_BYTES ((gsize) 256 << 10)

/* Everything but pointers; returns the scratch before the threads' rooms. */
static gsize
measure (Conv *c, const DpConv2dArgs *a, guint n_threads)
{
  guint32 taps = a->kernel_y * a->kernel_x;

  c->args = a;
  c->weight = dp_cpu_weight (a->weight);
  c->out_height = (a->height + 2 * a->pad_y - a->dilation * (a->kernel_y - 1) - 1) / a->stride_y + 1;
  c->out_width = (a->width + 2 * a->pad_x - a->dilation * (a->kernel_x - 1) - 1) / a->stride_x + 1;
  c->channels = a->x.cols / a->groups;
  if (a->groups == 1) {
    c->row_bytes = dp_cpu_row_bytes (c->weight);
    gsize fit = MAX (BLOCK_BYTES / c->row_bytes / DP_CPU_TILE_ROWS, 1) * DP_CPU_TILE_ROWS;
    c->block_rows = (guint32) MIN (fit, a->y.rows);
    gsize blocks = (a->y.rows + (gsize) c->block_rows - 1) / c->block_rows;
    c->n_splits = (guint32) CLAMP (4 * n_threads / blocks, 1, c->weight->n_panels);
    c->room = dp_cpu_round_up (c->block_rows * c->row_bytes) + dp_cpu_slice_size (c->weight->cols);
    return 0;
  }
  c->depthwise = c->channels == 1 && a->y.cols == a->groups;
  c->room = dp_cpu_slice_size ((gsize) a->y.cols + MAX (MAX (c->weight->cols, a->y.cols), taps));
  return dp_cpu_slice_size ((gsize) a->y.cols * c->weight->cols) + dp_cpu_slice_size (a->y.cols);
}

static void
conv2d (const DpCpuTask *task, const void *args)
{
  const DpConv2dArgs *a = args;
  Conv c = { .task = task };
  gsize before = measure (&c, a, task->n_threads);

  c.rooms = task->scratch + before;
  if (a->groups == 1) {
    gsize blocks = (a->y.rows + (gsize) c.block_rows - 1) / c.block_rows;
    dp_cpu_for (task, blocks * c.n_splits, 1, multiply_items, &c);
    return;
  }
  c.weights = (float *) (gpointer) task->scratch;
  c.bias = (float *) (gpointer) (task->scratch + dp_cpu_slice_size ((gsize) a->y.cols * c.weight->cols));
  dp_cpu_for (task, a->y.cols, 16, unpack, &c);
  dp_cpu_wait (task);
  dp_cpu_for (task, a->y.rows, dp_cpu_row_chunk ((gsize) a->y.cols * c.weight->cols), grouped_rows, &c);
}

static gsize
conv2d_space (G_GNUC_UNUSED const DpCpu *cpu, guint n_threads, const void *args)
{
  Conv c = { 0 };
  gsize before = measure (&c, args, n_threads);

  return before + n_threads * c.room;
}

const DpCpuOperator dp_cpu_op_conv2d = { .run = conv2d, .space = conv2d_space };
