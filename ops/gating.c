/* ops/gating.c - see gating.h. */
#include "ops/gating.h"

#include <math.h>
#include <string.h>

guint32
dp_gating_best (const float *choice, guint32 n)
{
  guint32 best = 0;

  for (guint32 i = 1; i < n; i++)
    if (choice[i] > choice[best] || isnan (choice[best]))
      best = i;
  return best;
}

/* Sum of the top largest of n choices. */
static float
group_rank (const float *choice, guint32 n, guint32 top, float *scratch)
{
  float sum = 0;

  memcpy (scratch, choice, n * sizeof *scratch);
  for (guint32 i = 0; i < top; i++) {
    const guint32 best = dp_gating_best (scratch, n);
    sum += scratch[best];
    scratch[best] = -INFINITY;
  }
  return sum;
}

void
dp_gating_keep_groups (const DpMoeGatingTopkArgs *a, float *choice, float *rank, float *scratch)
{
  const guint32 size = a->logits.cols / a->n_groups;

  for (guint32 g = 0; g < a->n_groups; g++)
    rank[g] = group_rank (choice + g * size, size, a->group_top, scratch);
  memcpy (scratch, rank, a->n_groups * sizeof *rank);
  for (guint32 i = 0; i < a->topk_groups; i++) {
    const guint32 best = dp_gating_best (scratch, a->n_groups);
    scratch[best] = -INFINITY;
    rank[best] = INFINITY; /* kept */
  }
  for (guint32 e = 0; e < a->logits.cols; e++)
    if (rank[e / size] != INFINITY)
      choice[e] = -INFINITY;
}
