/* backends/reference/vision.c - conv2d, patch_merge, scatter_rows, window_permute. */
#include "backends/reference/reference.h"

#define UNUSED G_GNUC_UNUSED

/* Size along one axis; the checker has made sure the kernel fits. */
static guint32
out_size (guint32 size, guint32 kernel, guint32 stride, guint32 pad, guint32 dilation)
{
  return (size + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
}

/* One output element: the weight's row times the window at (y, x), which may hang over the border. */
static float
window (const DpConv2dArgs *a, guint32 image, guint32 y, guint32 x, guint32 group, const float *weight)
{
  guint32 channels = a->x.cols / a->groups, at = 0;
  float sum = 0;
  for (guint32 ky = 0; ky < a->kernel_y; ky++)
    for (guint32 kx = 0; kx < a->kernel_x; kx++) {
      gint64 sy = (gint64) y * a->stride_y + (gint64) ky * a->dilation - a->pad_y;
      gint64 sx = (gint64) x * a->stride_x + (gint64) kx * a->dilation - a->pad_x;
      if (sy < 0 || sx < 0 || sy >= a->height || sx >= a->width) {
        at += channels;
        continue;
      }
      guint32 row = (image * a->height + (guint32) sy) * a->width + (guint32) sx;
      for (guint32 c = 0; c < channels; c++)
        sum += ref_get (&a->x, row, group * channels + c) * weight[at++];
    }
  return sum;
}

gboolean
ref_conv2d (UNUSED DpQueue *queue, const DpConv2dArgs *a, const DpWorkspace *workspace, UNUSED GError **error)
{
  guint32 height = out_size (a->height, a->kernel_y, a->stride_y, a->pad_y, a->dilation);
  guint32 width = out_size (a->width, a->kernel_x, a->stride_x, a->pad_x, a->dilation);
  float *weight = ref_floats (workspace);
  for (guint32 o = 0; o < a->y.cols; o++) {
    guint32 group = o / (a->y.cols / a->groups);
    ref_weight_row (a->weight, 0, o, weight);
    for (guint32 row = 0; row < a->y.rows; row++) {
      guint32 image = row / (height * width), y = row / width % height, x = row % width;
      float z = ref_act (a->act, window (a, image, y, x, group, weight) + ref_weight_bias (a->weight, 0, o));
      ref_set (&a->y, row, o, a->residual.buffer ? z + ref_get (&a->residual, row, o) : z);
    }
  }
  return TRUE;
}

/* Moves `cols` elements of the same type, bit for bit. */
static void
move (const DpTensor *from, guint32 row, guint32 col, const DpTensor *to, guint32 to_row, guint32 to_col, guint32 cols)
{
  gsize size = dp_type_size (from->type);
  memcpy ((guint8 *) dp_tensor_row (to, to_row) + to_col * size, (const guint8 *) dp_tensor_row (from, row) + col * size, cols * size);
}

gboolean
ref_patch_merge (UNUSED DpQueue *queue, const DpPatchMergeArgs *a, UNUSED const DpWorkspace *workspace, UNUSED GError **error)
{
  guint32 m = a->merge, height = a->inverse ? a->height : a->height / m, width = a->inverse ? a->width : a->width / m;
  guint32 cols = a->inverse ? a->y.cols : a->x.cols;
  const DpTensor *wide = a->inverse ? &a->x : &a->y; /* the one with m*m rows side by side */
  for (guint32 row = 0; row < wide->rows; row++) {
    guint32 image = row / (height * width), y = row / width % height, x = row % width;
    for (guint32 dy = 0; dy < m; dy++)
      for (guint32 dx = 0; dx < m; dx++) {
        guint32 tall = ((image * height + y) * m + dy) * width * m + x * m + dx, at = (dy * m + dx) * cols;
        if (a->inverse)
          move (&a->x, row, at, &a->y, tall, 0, cols);
        else
          move (&a->x, tall, 0, &a->y, row, at, cols);
      }
  }
  return TRUE;
}

static void
convert_row (const DpTensor *from, guint32 row, const DpTensor *to, guint32 to_row)
{
  for (guint32 i = 0; i < to->cols; i++)
    if (to->type == DP_I32)
      ref_set_int (to, to_row, i, ref_int (from, row, i));
    else
      ref_set (to, to_row, i, ref_get (from, row, i));
}

gboolean
ref_scatter_rows (UNUSED DpQueue *queue, const DpScatterRowsArgs *a, UNUSED const DpWorkspace *workspace, GError **error)
{
  for (guint32 i = 0; i < a->x.rows; i++) {
    gint32 row = ref_int (&a->index, i, 0);
    if (row >= 0 && (guint32) row >= a->y.rows)
      return ref_bad_index (error, "scatter_rows", "index", row, a->y.rows);
    if (row >= 0)
      convert_row (&a->x, i, &a->y, (guint32) row);
  }
  return TRUE;
}

gboolean
ref_window_permute (UNUSED DpQueue *queue, const DpWindowPermuteArgs *a, UNUSED const DpWorkspace *workspace, GError **error)
{
  for (guint32 i = 0; i < a->index.rows; i++) {
    gint32 from = ref_int (&a->index, i, 0);
    if (from >= 0 && (guint32) from >= a->x.rows / a->unit)
      return ref_bad_index (error, "window_permute", "index", from, a->x.rows / a->unit);
    for (guint32 u = 0; u < a->unit; u++)
      if (from >= 0)
        convert_row (&a->x, (guint32) from * a->unit + u, &a->y, i * a->unit + u);
      else
        for (guint32 c = 0; c < a->y.cols; c++)
          ref_set (&a->y, i * a->unit + u, c, 0); /* an i32 0 has the same bits */
  }
  return TRUE;
}
