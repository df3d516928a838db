/* ops/selftest_vision.c - conformance cases of convolution, merging, moving rows, resizing. */
#include "ops/selftest_case.h"

void
dp_selftest_conv2d (DpCase *c)
{
  guint32 groups = dp_case_chance (c, 4) ? dp_case_int (c, 2, 4) : 1, per_group = dp_case_int (c, 1, dp_case_chance (c, 3) ? 33 : 5);
  DpConv2dArgs a = { .n = dp_case_int (c, 1, 2),
                     .height = dp_case_int (c, 3, 14),
                     .width = dp_case_int (c, 3, 17),
                     .kernel_y = dp_case_int (c, 1, 3),
                     .kernel_x = dp_case_int (c, 1, 3),
                     .stride_y = dp_case_int (c, 1, 2),
                     .stride_x = dp_case_int (c, 1, 2),
                     .pad_y = dp_case_int (c, 0, 1),
                     .pad_x = dp_case_int (c, 0, 1),
                     .dilation = dp_case_chance (c, 5) ? 2 : 1,
                     .groups = groups,
                     .act = dp_case_int (c, 0, DP_N_ACTS - 1) };
  if (dp_case_chance (c, 4)) /* a patch embedding */
    a.kernel_y = a.kernel_x = a.stride_y = a.stride_x = 3, a.pad_y = a.pad_x = 0, a.dilation = 1;
  guint32 span_y = a.dilation * (a.kernel_y - 1) + 1, span_x = a.dilation * (a.kernel_x - 1) + 1;
  a.height = MAX (a.height, span_y), a.width = MAX (a.width, span_x);
  guint32 out_height = (a.height + 2 * a.pad_y - span_y) / a.stride_y + 1, out_width = (a.width + 2 * a.pad_x - span_x) / a.stride_x + 1;
  a.x = dp_case_floats (c, dp_case_float_type (c), a.n * a.height * a.width, groups * per_group, -2, 2);
  a.y = dp_case_out (c, dp_case_float_type (c), a.n * out_height * out_width, groups * dp_case_int (c, 1, 20));
  a.weight = dp_case_weight (c, DP_USE_CONV, DP_FLOATS, 1, a.y.cols, a.kernel_y * a.kernel_x * per_group, dp_case_chance (c, 2));
  if (dp_case_chance (c, 3))
    a.residual = dp_case_floats (c, a.y.type, a.y.rows, a.y.cols, -2, 2);
  if (a.residual.buffer && dp_case_chance (c, 2))
    a.y = a.residual;
  dp_case_run (c, DP_OP_CONV2D, &a);
}

void
dp_selftest_patch_merge (DpCase *c)
{
  static const DpType types[] = { DP_F32, DP_F16, DP_BF16, DP_U8 };
  guint32 m = dp_case_int (c, 1, 3), channels = dp_case_int (c, 1, 33);
  DpType type = types[dp_case_int (c, 0, 3)];
  DpPatchMergeArgs a = { .n = dp_case_int (c, 1, 2),
                         .height = dp_case_int (c, 1, 4),
                         .width = dp_case_int (c, 1, 5),
                         .merge = m,
                         .inverse = dp_case_chance (c, 2) };
  guint32 small = a.n * a.height * a.width;
  if (!a.inverse)
    a.height *= m, a.width *= m;
  guint32 x_rows = a.inverse ? small : small * m * m, x_cols = a.inverse ? channels * m * m : channels;
  a.x = dp_case_bytes (c, DP_U8, x_rows, x_cols);
  if (type != DP_U8)
    a.x = dp_case_floats (c, type, x_rows, x_cols, -2, 2);
  a.y = dp_case_out (c, type, a.inverse ? small * m * m : small, a.inverse ? channels : channels * m * m);
  dp_case_exact (c);
  dp_case_run (c, DP_OP_PATCH_MERGE, &a);
}

/* n different numbers below limit, some replaced by -1. */
static gint32 *
places (DpCase *c, guint32 n, guint32 limit)
{
  gint32 *all = g_new (gint32, limit);
  for (guint32 i = 0; i < limit; i++) {
    guint32 at = dp_case_int (c, 0, i);
    all[i] = all[at];
    all[at] = (gint32) i;
  }
  for (guint32 i = 0; i < n; i++)
    if (dp_case_chance (c, 5))
      all[i] = -1;
  return all;
}

/* Rows to move: floats of a random type, or any i32. */
static DpTensor
rows_to_move (DpCase *c, gboolean ints, guint32 rows, guint32 cols)
{
  g_autofree gint32 *values = g_new (gint32, (gsize) rows * cols);
  for (guint32 i = 0; ints && i < rows * cols; i++)
    values[i] = (gint32) (dp_case_int (c, 0, 1 << 30) * 3u);
  return ints ? dp_case_ints (c, rows, cols, values) : dp_case_floats (c, dp_case_float_type (c), rows, cols, -2, 2);
}

void
dp_selftest_scatter_rows (DpCase *c)
{
  guint32 rows = dp_case_int (c, 1, 30), n = dp_case_int (c, 1, rows), cols = dp_case_int (c, 1, 70);
  g_autofree gint32 *index = places (c, n, rows);
  gboolean ints = dp_case_chance (c, 5);
  DpScatterRowsArgs a
      = { .x = rows_to_move (c, ints, n, cols), .index = dp_case_ints (c, n, 1, index), .y = rows_to_move (c, ints, rows, cols) };
  dp_case_exact (c);
  dp_case_run (c, DP_OP_SCATTER_ROWS, &a);
}

void
dp_selftest_window_permute (DpCase *c)
{
  guint32 unit = dp_case_int (c, 1, 4), groups = dp_case_int (c, 1, 12), n = dp_case_int (c, 1, groups), cols = dp_case_int (c, 1, 70);
  g_autofree gint32 *index = places (c, n, groups);
  gboolean ints = dp_case_chance (c, 5);
  DpWindowPermuteArgs a = { .x = rows_to_move (c, ints, groups * unit, cols),
                            .index = dp_case_ints (c, n, 1, index),
                            .unit = unit,
                            .y = dp_case_out (c, ints ? DP_I32 : dp_case_float_type (c), n * unit, cols) };
  dp_case_exact (c);
  dp_case_run (c, DP_OP_WINDOW_PERMUTE, &a);
}

void
dp_selftest_resize (DpCase *c)
{
  gboolean bytes = dp_case_chance (c, 2);
  DpResizeArgs a = { .n = dp_case_int (c, 1, 2),
                     .height = dp_case_int (c, 1, 20),
                     .width = dp_case_int (c, 1, 20),
                     .out_height = dp_case_int (c, 1, 20),
                     .out_width = dp_case_int (c, 1, 20),
                     .filter = dp_case_int (c, DP_RESIZE_BILINEAR, DP_RESIZE_BICUBIC),
                     .antialias = dp_case_chance (c, 2) };
  guint32 channels = dp_case_int (c, 1, 4), rows = a.n * a.height * a.width;
  a.x = bytes ? dp_case_bytes (c, DP_U8, rows, channels) : dp_case_floats (c, dp_case_float_type (c), rows, channels, -2, 2);
  a.y = dp_case_out (c, bytes && dp_case_chance (c, 2) ? DP_U8 : dp_case_float_type (c), a.n * a.out_height * a.out_width, channels);
  dp_case_run (c, DP_OP_RESIZE, &a);
}
