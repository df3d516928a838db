/* backends/reference/moe.c - moe_gating_topk, fused_moe. */
#include "backends/reference/reference.h"

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

/* The index of the largest of n values, lower first among equals; values that are taken are -infinity, NaN never wins. */
static guint32
largest_of (const float *values, guint32 n)
{
  guint32 best = 0;
  for (guint32 i = 1; i < n; i++)
    if (values[i] > values[best] || isnan (values[best]))
      best = i;
  return best;
}

/* Sum of the group_top largest choices of a group. */
static float
group_rank (const float *choice, guint32 n, guint32 top, float *scratch)
{
  float sum = 0;
  memcpy (scratch, choice, n * sizeof *scratch);
  for (guint32 i = 0; i < top; i++) {
    guint32 best = largest_of (scratch, n);
    sum += scratch[best];
    scratch[best] = -INFINITY;
  }
  return sum;
}

/* Experts outside the best groups lose their choice. */
static void
keep_groups (const DpMoeGatingTopkArgs *a, float *choice, float *rank, float *scratch)
{
  guint32 size = a->logits.cols / a->n_groups;
  for (guint32 g = 0; g < a->n_groups; g++)
    rank[g] = group_rank (choice + g * size, size, a->group_top, scratch);
  memcpy (scratch, rank, a->n_groups * sizeof *rank);
  for (guint32 i = 0; i < a->topk_groups; i++) {
    guint32 best = largest_of (scratch, a->n_groups);
    scratch[best] = -INFINITY;
    rank[best] = INFINITY; /* kept */
  }
  for (guint32 e = 0; e < a->logits.cols; e++)
    if (rank[e / size] != INFINITY)
      choice[e] = -INFINITY;
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
      keep_groups (a, choice, rank, scratch);
    for (guint32 i = 0; i < a->k; i++) {
      guint32 best = largest_of (choice, n);
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
