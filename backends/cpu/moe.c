/* backends/cpu/moe.c - fused_moe: the tokens of an expert are multiplied together.
 *
 * Pairs (token, choice) are sorted by expert, so that each expert's weights are read once per call; every pair keeps
 * its result apart until the end, where a token adds up its choices in order.  So a token gives the same bits whoever
 * shares its experts.
 */
#include "backends/cpu/product.h"

#include <string.h>

typedef struct {
  const DpFusedMoeArgs *args;
  const DpCpu *cpu;
  const DpCpuWeight *gate_up, *down;
  guint32 n_pairs, n_experts;
  gsize x_bytes, inner_bytes; /* packed rows */
  /* written by sort_pairs */
  gint32 *slot;   /* [pairs] where a pair stands in the order of experts; -1: skipped */
  gint32 *token;  /* [pairs] token of a slot */
  gint32 *starts; /* [experts + 1] first slot of an expert */
  gint32 *active; /* [experts] those with slots, -1 behind them */
  /* [pairs] rows in the order of slots */
  guint8 *x, *packed_inner;
  float *inner, *out;
  guint8 *lines; /* a line of floats per thread */
} Moe;

static gint32
id_of (const Moe *m, guint32 pair)
{
  guint32 k = m->args->ids.cols;
  gint32 id = ((const gint32 *) dp_tensor_row (&m->args->ids, pair / k))[pair % k];

  return id >= 0 && (guint32) id < m->n_experts ? id : -1;
}

/* One item: counting sort by expert. */
static void
sort_pairs (gpointer data, G_GNUC_UNUSED gsize first, G_GNUC_UNUSED gsize last, G_GNUC_UNUSED guint thread)
{
  const Moe *m = data;
  guint32 n_active = 0;

  memset (m->starts, 0, (m->n_experts + 1) * sizeof *m->starts);
  for (guint32 p = 0; p < m->n_pairs; p++)
    if (id_of (m, p) >= 0)
      m->starts[id_of (m, p) + 1]++;
  for (guint32 e = 0; e < m->n_experts; e++) {
    if (m->starts[e + 1])
      m->active[n_active++] = (gint32) e;
    m->starts[e + 1] += m->starts[e];
  }
  while (n_active < m->n_experts)
    m->active[n_active++] = -1;
  for (guint32 p = 0; p < m->n_pairs; p++) {
    gint32 id = id_of (m, p);
    m->slot[p] = id < 0 ? -1 : m->starts[id]++;
    if (id >= 0)
      m->token[m->slot[p]] = (gint32) (p / m->args->ids.cols);
  }
  /* every start has moved to its end, which is the next one's start */
  memmove (m->starts + 1, m->starts, m->n_experts * sizeof *m->starts);
  m->starts[0] = 0;
}

static void
pack_x (gpointer data, gsize first, gsize last, guint thread)
{
  const Moe *m = data;
  float *line = (float *) (gpointer) (m->lines + thread * dp_cpu_round_up (m->gate_up->cols * sizeof (float)));

  for (gsize slot = first; slot < MIN (last, (gsize) m->starts[m->n_experts]); slot++)
    dp_cpu_row_pack_tensor (m->cpu, m->gate_up, &m->args->x, (guint32) m->token[slot], line, m->x + slot * m->x_bytes);
}

static void
pack_inner (gpointer data, gsize first, gsize last, G_GNUC_UNUSED guint thread)
{
  const Moe *m = data;

  for (gsize slot = first; slot < MIN (last, (gsize) m->starts[m->n_experts]); slot++)
    dp_cpu_row_pack (m->cpu, m->down, m->inner + slot * m->down->cols, m->packed_inner + slot * m->inner_bytes);
}

typedef void (*StoreTile) (const Moe *m, gsize lane, guint32 panel, guint32 slot, guint n, const float *c);

/* Items are panels of the active experts, one expert after the other. */
static void
experts (const Moe *m, const DpCpuWeight *w, const guint8 *rows, gsize row_bytes, gsize first, gsize last, StoreTile store)
{
  _Alignas(64) float c[DP_CPU_TILE_ROWS * DP_PANEL];
  guint most = dp_cpu_tile_rows (m->cpu, w);

  for (gsize item = first; item < last; item++) {
    gint32 expert = m->active[item / w->n_panels];
    guint32 panel = (guint32) (item % w->n_panels);
    if (expert < 0)
      return;
    gint32 slot = m->starts[expert], end = m->starts[expert + 1];
    while (slot < end) {
      guint n = dp_cpu_tile_next (most, (gsize) (end - slot));
      dp_cpu_tile (m->cpu, w, (guint32) expert, panel, n, rows + (gsize) slot * row_bytes, row_bytes, c);
      store (m, ((gsize) expert * w->n_panels + panel) * DP_PANEL, panel, (guint32) slot, n, c);
      slot += (gint32) n;
    }
  }
}

static void
store_gate_up (const Moe *m, gsize lane, guint32 panel, guint32 slot, guint n, const float *c)
{
  guint32 width = m->down->cols, col = panel * (DP_PANEL / 2);
  DpPlace to = { m->inner + (gsize) slot * width + col, width * sizeof (float), DP_F32 };

  m->cpu->kernels->tile->gate (n, MIN (DP_PANEL / 2, width - col), c, m->gate_up->bias ? m->gate_up->bias + lane : NULL, m->args->act, &to);
}

static void
store_down (const Moe *m, gsize lane, guint32 panel, guint32 slot, guint n, const float *c)
{
  guint32 width = m->down->rows, col = panel * DP_PANEL;
  DpPlace to = { m->out + (gsize) slot * width + col, width * sizeof (float), DP_F32 };

  m->cpu->kernels->tile->finish (n, MIN (DP_PANEL, width - col), c, m->down->bias ? m->down->bias + lane : NULL, DP_ACT_NONE, NULL, &to);
}

static void
gate_up_items (gpointer data, gsize first, gsize last, G_GNUC_UNUSED guint thread)
{
  const Moe *m = data;

  experts (m, m->gate_up, m->x, m->x_bytes, first, last, store_gate_up);
}

static void
down_items (gpointer data, gsize first, gsize last, G_GNUC_UNUSED guint thread)
{
  const Moe *m = data;

  experts (m, m->down, m->packed_inner, m->inner_bytes, first, last, store_down);
}

static void
add_up (gpointer data, gsize first, gsize last, guint thread)
{
  const Moe *m = data;
  const DpFusedMoeArgs *a = m->args;
  const DpArithKernels *arith = m->cpu->kernels->arith;
  guint32 k = a->ids.cols, width = a->y.cols;
  float *sum = (float *) (gpointer) (m->lines + thread * dp_cpu_round_up (m->gate_up->cols * sizeof (float)));

  for (guint32 t = (guint32) first; t < last; t++) {
    const float *weights = dp_tensor_row (&a->weights, t);
    memset (sum, 0, width * sizeof *sum);
    if (a->residual.buffer)
      dp_cpu_load (m->cpu, &a->residual, t, 0, width, sum);
    for (guint32 i = 0; i < k; i++) {
      gint32 slot = m->slot[(gsize) t * k + i];
      if (slot >= 0)
        arith->axpy (weights[i], m->out + (gsize) slot * width, sum, width);
    }
    dp_cpu_store (m->cpu, &a->y, t, 0, width, sum);
  }
}

/* The next `bytes` of scratch; base NULL only counts. */
static gpointer
take (guint8 *base, gsize *used, gsize bytes)
{
  gpointer at = base ? base + *used : NULL;

  *used += dp_cpu_round_up (bytes);
  return at;
}

static gsize
plan (Moe *m, const DpCpu *cpu, guint n_threads, const DpFusedMoeArgs *a, guint8 *scratch)
{
  gsize used = 0;

  *m = (Moe){ .args = a, .cpu = cpu, .gate_up = dp_cpu_weight (a->gate_up), .down = dp_cpu_weight (a->down) };
  m->n_pairs = a->ids.rows * a->ids.cols;
  m->n_experts = a->down->n;
  m->x_bytes = dp_cpu_row_bytes (m->gate_up);
  m->inner_bytes = dp_cpu_row_bytes (m->down);
  m->slot = take (scratch, &used, m->n_pairs * sizeof (gint32));
  m->token = take (scratch, &used, m->n_pairs * sizeof (gint32));
  m->starts = take (scratch, &used, (m->n_experts + (gsize) 1) * sizeof (gint32));
  m->active = take (scratch, &used, m->n_experts * sizeof (gint32));
  m->x = take (scratch, &used, m->n_pairs * m->x_bytes);
  m->packed_inner = take (scratch, &used, m->n_pairs * m->inner_bytes);
  m->inner = take (scratch, &used, (gsize) m->n_pairs * m->down->cols * sizeof (float));
  m->out = take (scratch, &used, (gsize) m->n_pairs * m->down->rows * sizeof (float));
  m->lines = take (scratch, &used, n_threads * dp_cpu_round_up (m->gate_up->cols * sizeof (float)));
  return used;
}

static void
fused_moe (const DpCpuTask *task, const void *args)
{
  const DpFusedMoeArgs *a = args;
  Moe m;

  plan (&m, task->cpu, task->n_threads, a, task->scratch);
  gsize most = MIN (m.n_experts, m.n_pairs); /* active experts, at most */
  dp_cpu_for (task, 1, 1, sort_pairs, &m);
  dp_cpu_wait (task);
  dp_cpu_for (task, m.n_pairs, 4, pack_x, &m);
  dp_cpu_wait (task);
  dp_cpu_for (task, most * m.gate_up->n_panels, 1, gate_up_items, &m);
  dp_cpu_wait (task);
  dp_cpu_for (task, m.n_pairs, 4, pack_inner, &m);
  dp_cpu_wait (task);
  dp_cpu_for (task, most * m.down->n_panels, 1, down_items, &m);
  dp_cpu_wait (task);
  dp_cpu_for (task, a->x.rows, 4, add_up, &m);
}

static gsize
fused_moe_space (const DpCpu *cpu, guint n_threads, const void *args)
{
  Moe m;

  return plan (&m, cpu, n_threads, args, NULL);
}

const DpCpuOperator dp_cpu_op_fused_moe = { .run = fused_moe, .space = fused_moe_space };
