/* backends/reference/linear.c - linear, qkv_linear, gate_up_silu, weight_quant_matmul, lm_head_argmax. */
#include "backends/reference/reference.h"

#define UNUSED G_GNUC_UNUSED

/* y = act (x w^T + bias) + residual; every row of the weight is unpacked once. */
static gboolean
product (const DpTensor *x, const DpWeight *w, guint32 act, const DpTensor *residual, const DpTensor *y, const DpWorkspace *workspace)
{
  float *weight = ref_floats (workspace), *rows = weight + w->cols;
  for (guint32 t = 0; t < x->rows; t++)
    ref_row (x, t, rows + (gsize) t * w->cols);
  for (guint32 o = 0; o < w->rows; o++) {
    ref_weight_row (w, 0, o, weight);
    float bias = ref_weight_bias (w, 0, o);
    for (guint32 t = 0; t < x->rows; t++) {
      float z = ref_act (act, ref_dot (rows + (gsize) t * w->cols, weight, w->cols) + bias);
      ref_set (y, t, o, residual && residual->buffer ? z + ref_get (residual, t, o) : z);
    }
  }
  return TRUE;
}

gboolean
ref_linear (UNUSED DpQueue *queue, const DpLinearArgs *a, const DpWorkspace *workspace, UNUSED GError **error)
{
  return product (&a->x, a->weight, a->act, &a->residual, &a->y, workspace);
}

gboolean
ref_weight_quant_matmul (UNUSED DpQueue *queue, const DpWeightQuantMatmulArgs *a, const DpWorkspace *workspace, UNUSED GError **error)
{
  return product (&a->x, a->weight, a->act, &a->residual, &a->y, workspace);
}

gboolean
ref_qkv_linear (UNUSED DpQueue *queue, const DpQkvLinearArgs *a, const DpWorkspace *workspace, UNUSED GError **error)
{
  const DpWeight *w = a->weight;
  float *weight = ref_floats (workspace), *rows = weight + w->cols;
  for (guint32 t = 0; t < a->x.rows; t++)
    ref_row (&a->x, t, rows + (gsize) t * w->cols);
  for (guint32 o = 0; o < w->rows; o++) {
    const DpTensor *y = o < a->q.cols ? &a->q : o - a->q.cols < a->k.cols ? &a->k : &a->v;
    guint32 col = y == &a->q ? o : y == &a->k ? o - a->q.cols : o - a->q.cols - a->k.cols;
    ref_weight_row (w, 0, o, weight);
    for (guint32 t = 0; t < a->x.rows; t++)
      ref_set (y, t, col, ref_dot (rows + (gsize) t * w->cols, weight, w->cols) + ref_weight_bias (w, 0, o));
  }
  return TRUE;
}

gboolean
ref_gate_up_silu (UNUSED DpQueue *queue, const DpGateUpSiluArgs *a, const DpWorkspace *workspace, UNUSED GError **error)
{
  const DpWeight *w = a->weight;
  guint32 half = w->rows / 2;
  float *gate = ref_floats (workspace), *up = gate + w->cols, *x = up + w->cols;
  for (guint32 o = 0; o < half; o++) {
    ref_weight_row (w, 0, o, gate);
    ref_weight_row (w, 0, half + o, up);
    for (guint32 t = 0; t < a->x.rows; t++) {
      ref_row (&a->x, t, x);
      float g = ref_dot (x, gate, w->cols) + ref_weight_bias (w, 0, o);
      float u = ref_dot (x, up, w->cols) + ref_weight_bias (w, 0, half + o);
      ref_set (&a->y, t, o, ref_act (a->act, g) * u);
    }
  }
  return TRUE;
}

gboolean
ref_lm_head_argmax (UNUSED DpQueue *queue, const DpLmHeadArgmaxArgs *a, const DpWorkspace *workspace, UNUSED GError **error)
{
  const DpWeight *w = a->weight;
  float *weight = ref_floats (workspace), *x = weight + w->cols, *logits = x + w->cols;
  for (guint32 t = 0; t < a->x.rows; t++) {
    float logprob, margin;
    ref_row (&a->x, t, x);
    for (guint32 o = 0; o < w->rows; o++) {
      ref_weight_row (w, 0, o, weight);
      logits[o] = ref_softcap (ref_dot (x, weight, w->cols) + ref_weight_bias (w, 0, o), a->softcap);
    }
    ref_set_int (&a->ids, t, 0, ref_best (logits, w->rows, &logprob, &margin));
    if (a->logprob.buffer)
      ref_set (&a->logprob, t, 0, logprob);
    if (a->margin.buffer)
      ref_set (&a->margin, t, 0, margin);
  }
  return TRUE;
}
