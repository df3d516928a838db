/* backends/reference/norm.c - rms_norm, add_rms_norm, layer_norm, add_layer_norm. */
#include "backends/reference/reference.h"

void
ref_rms (const float *x, const DpTensor *weight, guint32 n, float eps, float *y)
{
  float squares = 0;
  for (guint32 i = 0; i < n; i++)
    squares += x[i] * x[i];
  float factor = 1 / sqrtf (squares / (float) n + eps);
  for (guint32 i = 0; i < n; i++)
    y[i] = x[i] * factor * ref_get (weight, 0, i);
}

static void
layer (const float *x, const DpTensor *weight, const DpTensor *bias, guint32 n, float eps, float *y)
{
  float sum = 0, squares = 0;
  for (guint32 i = 0; i < n; i++)
    sum += x[i];
  float mean = sum / (float) n;
  for (guint32 i = 0; i < n; i++)
    squares += (x[i] - mean) * (x[i] - mean);
  float factor = 1 / sqrtf (squares / (float) n + eps);
  for (guint32 i = 0; i < n; i++)
    y[i] = (x[i] - mean) * factor * ref_get (weight, 0, i) + (bias->buffer ? ref_get (bias, 0, i) : 0);
}

static void
store (const DpTensor *t, guint32 row, const float *values)
{
  for (guint32 i = 0; i < t->cols; i++)
    ref_set (t, row, i, values[i]);
}

/* residual += x, rounded as it is stored, then fetched as the following norm sees it. */
static void
add (const DpTensor *residual, const DpTensor *x, guint32 row, float *sum)
{
  for (guint32 i = 0; i < x->cols; i++)
    ref_set (residual, row, i, ref_get (residual, row, i) + ref_get (x, row, i));
  ref_row (residual, row, sum);
}

gboolean
ref_rms_norm (G_GNUC_UNUSED DpQueue *queue, const DpRmsNormArgs *a, const DpWorkspace *workspace, G_GNUC_UNUSED GError **error)
{
  guint32 groups = MAX (a->groups, 1), n = a->x.cols / groups;
  float *x = ref_floats (workspace), *y = x + a->x.cols;
  for (guint32 row = 0; row < a->x.rows; row++) {
    ref_row (&a->x, row, x);
    for (guint32 g = 0; g < groups; g++)
      ref_rms (x + (gsize) g * n, &a->weight, n, a->eps, y + (gsize) g * n);
    store (&a->y, row, y);
  }
  return TRUE;
}

gboolean
ref_add_rms_norm (G_GNUC_UNUSED DpQueue *queue, const DpAddRmsNormArgs *a, const DpWorkspace *workspace, G_GNUC_UNUSED GError **error)
{
  float *x = ref_floats (workspace), *y = x + a->x.cols;
  for (guint32 row = 0; row < a->x.rows; row++) {
    add (&a->residual, &a->x, row, x);
    ref_rms (x, &a->weight, a->x.cols, a->eps, y);
    store (&a->y, row, y);
  }
  return TRUE;
}

gboolean
ref_layer_norm (G_GNUC_UNUSED DpQueue *queue, const DpLayerNormArgs *a, const DpWorkspace *workspace, G_GNUC_UNUSED GError **error)
{
  float *x = ref_floats (workspace), *y = x + a->x.cols;
  for (guint32 row = 0; row < a->x.rows; row++) {
    ref_row (&a->x, row, x);
    layer (x, &a->weight, &a->bias, a->x.cols, a->eps, y);
    store (&a->y, row, y);
  }
  return TRUE;
}

gboolean
ref_add_layer_norm (G_GNUC_UNUSED DpQueue *queue, const DpAddLayerNormArgs *a, const DpWorkspace *workspace, G_GNUC_UNUSED GError **error)
{
  float *x = ref_floats (workspace), *y = x + a->x.cols;
  for (guint32 row = 0; row < a->x.rows; row++) {
    add (&a->residual, &a->x, row, x);
    layer (x, &a->weight, &a->bias, a->x.cols, a->eps, y);
    store (&a->y, row, y);
  }
  return TRUE;
}
