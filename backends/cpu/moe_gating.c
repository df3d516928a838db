/* backends/cpu/moe_gating.c - moe_gating_topk: scores, groups, the k best experts. */
#include "backends/cpu/cpu.h"
#include "ops/gating.h"

#include <math.h>
#include <string.h>

typedef struct {
  const DpMoeGatingTopkArgs *args;
  const DpCpu *cpu;
  guint8 *lines; /* four lines of floats per thread */
} Gating;

static gsize
line_bytes (const DpMoeGatingTopkArgs *a)
{
  return dp_cpu_round_up (a->logits.cols * sizeof (float));
}

/* softmax or sigmoid of a row, in place. */
static void
scores_of (const Gating *g, float *s)
{
  guint32 n = g->args->logits.cols;
  const DpArithKernels *arith = g->cpu->kernels->arith;

  if (g->args->gate == DP_GATE_SIGMOID) {
    for (guint32 e = 0; e < n; e++)
      s[e] = 1 / (1 + expf (-s[e]));
    return;
  }
  DpBest best = arith->best (s, n);
  /* the exponentials of a row that is not finite have no finite sum */
  if (best.nan || !isfinite (best.largest))
    for (guint32 e = 0; e < n; e++)
      s[e] = NAN;
  else
    arith->scale (1 / arith->softmax (s, best.largest, 1, s, n), s, n);
}

static void
gate_row (const Gating *g, guint32 row, float *s, float *choice, float *rank, float *scratch)
{
  const DpMoeGatingTopkArgs *a = g->args;
  guint32 n = a->logits.cols;
  float *weights = dp_tensor_row (&a->weights, row), sum = 0;
  gint32 *ids = dp_tensor_row (&a->ids, row);

  dp_cpu_load (g->cpu, &a->logits, row, 0, n, s);
  scores_of (g, s);
  memcpy (choice, s, n * sizeof *s);
  if (a->bias.buffer)
    g->cpu->kernels->arith->add (dp_tensor_row (&a->bias, 0), choice, n);
  if (a->n_groups > 1)
    dp_gating_keep_groups (a, choice, rank, scratch);
  for (guint32 i = 0; i < a->k; i++) {
    guint32 best = dp_gating_best (choice, n);
    choice[best] = -INFINITY;
    ids[i] = (gint32) best;
    weights[i] = s[best];
    sum += s[best];
  }
  for (guint32 i = 0; i < a->k; i++)
    weights[i] = weights[i] / (a->renormalize ? sum : 1) * a->scale;
}

static void
gate_rows (gpointer data, gsize first, gsize last, guint thread)
{
  const Gating *g = data;
  gsize line = line_bytes (g->args);
  guint8 *lines = g->lines + thread * 4 * line;

  for (gsize row = first; row < last; row++)
    gate_row (g, (guint32) row, (gpointer) lines, (gpointer) (lines + line), (gpointer) (lines + 2 * line), (gpointer) (lines + 3 * line));
}

static void
moe_gating_topk (const DpCpuTask *task, const void *args)
{
  const DpMoeGatingTopkArgs *a = args;
  Gating g = { a, task->cpu, task->scratch };

  dp_cpu_for (task, a->logits.rows, 4, gate_rows, &g);
}

static gsize
moe_gating_topk_space (G_GNUC_UNUSED const DpCpu *cpu, guint n_threads, const void *args)
{
  return n_threads * 4 * line_bytes (args);
}

const DpCpuOperator dp_cpu_op_moe_gating_topk = { .run = moe_gating_topk, .space = moe_gating_topk_space };
