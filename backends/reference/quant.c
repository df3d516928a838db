/* backends/reference/quant.c - dynamic_quant, rms_norm_w8a8, add_rms_norm_w8a8, linear_w8a8. */
#include "backends/reference/reference.h"

#define UNUSED G_GNUC_UNUSED

float
ref_quantise (const float *x, guint32 n, gint8 *q)
{
  float largest = 0;
  gboolean finite = TRUE;
  for (guint32 i = 0; i < n; i++) {
    finite = finite && isfinite (x[i]);
    largest = MAX (largest, fabsf (x[i]));
  }
  float scale = !finite ? NAN : largest > 0 ? largest / 127 : 1;
  for (guint32 i = 0; i < n; i++) {
    /* a scale that underflows to 0 leaves x / scale infinite, which the clamp takes care of */
    float v = finite && x[i] != 0 ? rintf (x[i] / scale) : 0;
    q[i] = (gint8) CLAMP (v, -127, 127);
  }
  return scale;
}

static void
quantise_row (const float *x, const DpTensor *q, const DpTensor *scale, guint32 row)
{
  ref_set (scale, row, 0, ref_quantise (x, q->cols, dp_tensor_row (q, row)));
}

gboolean
ref_dynamic_quant (UNUSED DpQueue *queue, const DpDynamicQuantArgs *a, const DpWorkspace *workspace, UNUSED GError **error)
{
  float *x = ref_floats (workspace);
  for (guint32 row = 0; row < a->x.rows; row++) {
    ref_row (&a->x, row, x);
    quantise_row (x, &a->q, &a->scale, row);
  }
  return TRUE;
}

gboolean
ref_rms_norm_w8a8 (UNUSED DpQueue *queue, const DpRmsNormW8a8Args *a, const DpWorkspace *workspace, UNUSED GError **error)
{
  float *x = ref_floats (workspace), *y = x + a->x.cols;
  for (guint32 row = 0; row < a->x.rows; row++) {
    ref_row (&a->x, row, x);
    ref_rms (x, &a->weight, a->x.cols, a->eps, y);
    quantise_row (y, &a->q, &a->scale, row);
  }
  return TRUE;
}

gboolean
ref_add_rms_norm_w8a8 (UNUSED DpQueue *queue, const DpAddRmsNormW8a8Args *a, const DpWorkspace *workspace, UNUSED GError **error)
{
  float *x = ref_floats (workspace), *y = x + a->x.cols;
  for (guint32 row = 0; row < a->x.rows; row++) {
    for (guint32 i = 0; i < a->x.cols; i++)
      ref_set (&a->residual, row, i, ref_get (&a->residual, row, i) + ref_get (&a->x, row, i));
    ref_row (&a->residual, row, x);
    ref_rms (x, &a->weight, a->x.cols, a->eps, y);
    quantise_row (y, &a->q, &a->scale, row);
  }
  return TRUE;
}

gboolean
ref_linear_w8a8 (UNUSED DpQueue *queue, const DpLinearW8a8Args *a, UNUSED const DpWorkspace *workspace, UNUSED GError **error)
{
  const DpWeight *weight = a->weight;
  const RefWeight *w = ref_weight (weight);
  for (guint32 t = 0; t < a->x.rows; t++) {
    const gint8 *x = dp_tensor_row (&a->x, t);
    for (guint32 o = 0; o < weight->rows; o++) {
      const gint8 *q = (const gint8 *) w->data + o * w->row_bytes;
      gint64 sum = 0; /* i32 is enough up to 133,000 columns; the oracle has no such limit */
      for (guint32 i = 0; i < weight->cols; i++)
        sum += x[i] * q[i];
      float z = ref_get (&a->x_scale, t, 0) * w->scales[o] * (float) sum + ref_weight_bias (weight, 0, o);
      z = ref_act (a->act, z);
      ref_set (&a->y, t, o, a->residual.buffer ? z + ref_get (&a->residual, t, o) : z);
    }
  }
  return TRUE;
}
