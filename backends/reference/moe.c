/* backends/reference/moe.c - moe_gating_topk, fused_moe. */
#include "backends/reference/reference.h"
#include "ops/gating.h"

/* softmax or sigmoid of one row of router logits. */
static void
scores_of (const DpMoeGatingTopkArgs *a, guint32 row, float *s)
{
  guint32 n = a->logits.cols;
  float largest = -INFINITY, sum = 0;
  ref_row (&a->logits, row, s);
  if (a->gate == DP_GATE_SIGMOID) {
    for (guint32 e = 0; e < n; e++)
      s[e] = 1 / (1 + expf (-s[e]));
    return;
  }
  for (guint32 e = 0; e < n; e++)
    largest = MAX (largest, s[e]);
  for (guint32 e = 0; e < n; e++)
    sum += s[e] = expf (s[e] - largest);
  for (guint32 e = 0; e < n; e++)
    s[e] /= sum;
}

gboolean
ref_moe_gating_topk (G_GNUC_UNUSED DpQueue *queue, const DpMoeGatingTopkArgs *a, const DpWorkspace *workspace, G_GNUC_UNUSED GError **error)
{
  guint32 n = a->logits.cols;
  float *s = ref_floats (workspace), *choice = s + n, *rank = choice + n, *scratch = rank + n;
  for (guint32 row = 0; row < a->logits.rows; row++) {
    float sum = 0;
    scores_of (a, row, s);
    for (guint32 e = 0; e < n; e++)
      choice[e] = s[e] + (a->bias.buffer ? ref_get (&a->bias, 0, e) : 0);
    if (a->n_groups > 1)
      dp_gating_keep_groups (a, choice, rank, scratch);
    for (guint32 i = 0; i < a->k; i++) {
      guint32 best = dp_gating_best (choice, n);
      choice[best] = -INFINITY;
      ref_set_int (&a->ids, row, i, (gint32) best);
      ref_set (&a->weights, row, i, s[best]);
      sum += s[best];
    }
    for (guint32 i = 0; i < a->k; i++)
      ref_set (&a->weights, row, i, ref_get (&a->weights, row, i) / (a->renormalize ? sum : 1) * a->scale);
  }
  return TRUE;
}

/* sum += weight * down (act (gate x) * up x) of one expert. */
static void
expert (const DpFusedMoeArgs *a, guint32 e, const float *x, float weight, float *row, float *inner, float *sum)
{
  guint32 half = a->down->cols;
  for (guint32 i = 0; i < half; i++) {
    ref_weight_row (a->gate_up, e, i, row);
    float gate = ref_dot (x, row, a->gate_up->cols) + ref_weight_bias (a->gate_up, e, i);
    ref_weight_row (a->gate_up, e, half + i, row);
    inner[i] = ref_act (a->act, gate) * (ref_dot (x, row, a->gate_up->cols) + ref_weight_bias (a->gate_up, e, half + i));
  }
  for (guint32 o = 0; o < a->down->rows; o++) {
    ref_weight_row (a->down, e, o, row);
    sum[o] += weight * (ref_dot (inner, row, half) + ref_weight_bias (a->down, e, o));
  }
}

gboolean
ref_fused_moe (G_GNUC_UNUSED DpQueue *queue, const DpFusedMoeArgs *a, const DpWorkspace *workspace, GError **error)
{
  guint32 hidden = a->x.cols, half = a->down->cols;
  float *x = ref_floats (workspace), *sum = x + hidden, *inner = sum + hidden, *row = inner + half;
  for (guint32 t = 0; t < a->x.rows; t++) {
    ref_row (&a->x, t, x);
    memset (sum, 0, hidden * sizeof *sum);
    for (guint32 i = 0; i < a->ids.cols; i++) {
      gint32 e = ref_int (&a->ids, t, i);
      if (e >= 0 && (guint32) e >= a->down->n)
        return ref_bad_index (error, "fused_moe", "expert", e, a->down->n);
      if (e >= 0)
        expert (a, (guint32) e, x, ref_get (&a->weights, t, i), row, inner, sum);
    }
    for (guint32 o = 0; o < hidden; o++)
      ref_set (&a->y, t, o, a->residual.buffer ? sum[o] + ref_get (&a->residual, t, o) : sum[o]);
  }
  return TRUE;
}
