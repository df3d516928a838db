/* backends/cpu/lm_head.c - lm_head_argmax: the best token without writing the logits.
 *
 * Each block of a few panels leaves its best, second best and sum of exponentials per row; these are put together in
 * the order of the blocks, so neither threads nor batch change a bit of the result.
 */
#include "backends/cpu/product.h"

#include <math.h>

#define BLOCK_PANELS 4
#define BLOCK (BLOCK_PANELS * DP_PANEL)
/* Rows whose logits of a block are in the first-level cache together. */
#define BLOCK_ROWS 48

/* Of one row in one block. */
typedef struct {
  DpBest best; /* .at counts within the block */
  float sum;   /* of exp (l - largest), when asked for */
} Part;

typedef struct {
  const DpLmHeadArgmaxArgs *args;
  const DpCpu *cpu;
  const DpCpuWeight *weight;
  DpCpuRows rows;
  guint32 n_blocks;
  Part *parts; /* [rows, n_blocks] */
} Head;

static guint32
blocks_of (const DpCpuWeight *w)
{
  return (w->n_panels + BLOCK_PANELS - 1) / BLOCK_PANELS;
}

/* The logits of n rows for some panels, from one panel's tiles to the next: logits[n][BLOCK]. */
static void
block_logits (const Head *h, guint32 first, guint32 last, guint32 n, const guint8 *packed, guint8 *wide, float *logits)
{
  const DpCpuWeight *w = h->weight;
  const guint most = dp_cpu_tile_rows (h->cpu, w), n_tiles = (n + most - 1) / most;
  const guint32 group = dp_cpu_group (h->cpu, w, n); /* more than 1: all rows are one tile */
  _Alignas(64) float c[DP_CPU_TILE_ROWS * DP_PANEL];
  guint32 count;

  for (guint32 panel = first; panel < last; panel += count) {
    count = MIN (group, last - panel);
    for (guint32 row = 0, t = 0, m; row < n; row += m, t++) {
      m = dp_cpu_tile_next (most, n - row);
      dp_cpu_tiles (h->cpu, w, 0, panel, count, m, packed + row * h->rows.row_bytes, h->rows.row_bytes,
                    dp_cpu_turn (count, t, n_tiles, wide), c);
      for (guint32 i = 0; i < count; i++)
        h->cpu->kernels->tile->logits (m, c + (gsize) i * m * DP_PANEL, w->bias ? w->bias + (gsize) (panel + i) * DP_PANEL : NULL,
                                       h->args->softcap, logits + row * BLOCK + (panel + i - first) * DP_PANEL, BLOCK);
    }
  }
}

/* The best logits of n rows in one block. */
static void
block_rows (const Head *h, guint32 block, guint32 row, guint32 n, const guint8 *packed, guint8 *wide)
{
  const DpLmHeadArgmaxArgs *a = h->args;
  const DpArithKernels *arith = h->cpu->kernels->arith;
  const guint32 first = block * BLOCK_PANELS, last = MIN (first + BLOCK_PANELS, h->weight->n_panels);
  const gsize n_logits = MIN (BLOCK, h->weight->rows - block * BLOCK);
  _Alignas(64) float logits[BLOCK_ROWS * BLOCK];

  block_logits (h, first, last, n, packed + row * h->rows.row_bytes, wide, logits);
  for (guint32 i = 0; i < n; i++) {
    Part *part = &h->parts[(gsize) (row + i) * h->n_blocks + block];
    const float *l = logits + i * BLOCK;
    part->best = arith->best (l, n_logits);
    part->sum = a->logprob.buffer && isfinite (part->best.largest) ? arith->sum_exp (l, part->best.largest, n_logits) : 0;
  }
}

static void
block_items (gpointer data, gsize first, gsize last, guint thread)
{
  Head *h = data;
  const guint8 *packed = dp_cpu_rows_get (&h->rows, thread);
  guint8 *wide = dp_cpu_rows_wide (&h->rows, thread);
  const guint32 n_rows = h->args->x.rows;

  for (gsize block = first; block < last; block++)
    for (guint32 row = 0; row < n_rows; row += BLOCK_ROWS)
      block_rows (h, (guint32) block, row, MIN (BLOCK_ROWS, n_rows - row), packed, wide);
}

/* part stands behind all and begins at index first; a block of NaN has no largest. */
static void
merge (DpBest *all, const DpBest *part, gsize first)
{
  if (isnan (all->largest) || part->largest > all->largest)
    *all = (DpBest){ first + part->at, part->largest, fmaxf (all->largest, part->second), all->nan };
  else
    all->second = fmaxf (all->second, part->largest);
  all->nan |= part->nan;
}

static void
result_rows (gpointer data, gsize first, gsize last, G_GNUC_UNUSED guint thread)
{
  const Head *h = data;
  const DpLmHeadArgmaxArgs *a = h->args;

  for (guint32 row = (guint32) first; row < last; row++) {
    const Part *parts = h->parts + (gsize) row * h->n_blocks;
    DpBest all = parts[0].best;
    float sum = 0;
    for (guint32 b = 1; b < h->n_blocks; b++)
      merge (&all, &parts[b].best, (gsize) b * BLOCK);
    *(gint32 *) dp_tensor_row (&a->ids, row) = isnan (all.largest) ? 0 : (gint32) all.at;
    if (a->margin.buffer)
      *(float *) dp_tensor_row (&a->margin, row) = h->weight->rows == 1 ? INFINITY : all.largest - all.second;
    if (!a->logprob.buffer)
      continue;
    for (guint32 b = 0; b < h->n_blocks && isfinite (all.largest); b++)
      sum += parts[b].sum > 0 ? parts[b].sum * expf (parts[b].best.largest - all.largest) : 0;
    *(float *) dp_tensor_row (&a->logprob, row) = all.nan || !isfinite (all.largest) ? NAN : -logf (sum);
  }
}

static void
lm_head_argmax (const DpCpuTask *task, const void *args)
{
  const DpLmHeadArgmaxArgs *a = args;
  const DpCpuWeight *w = dp_cpu_weight (a->weight);
  Head h = { .args = a, .cpu = task->cpu, .weight = w, .n_blocks = blocks_of (w), .parts = (gpointer) task->scratch };
  gsize parts = dp_cpu_round_up (a->x.rows * h.n_blocks * sizeof (Part));

  dp_cpu_rows_begin (&h.rows, task, w, &a->x, task->scratch + parts);
  DpCpuCut cut = dp_cpu_cut (task, w, a->x.rows, h.rows.row_bytes);
  dp_cpu_for (task, h.n_blocks, (cut.chunk + BLOCK_PANELS - 1) / BLOCK_PANELS, block_items, &h);
  dp_cpu_wait (task);
  dp_cpu_for (task, a->x.rows, 1, result_rows, &h);
}

static gsize
lm_head_argmax_space (G_GNUC_UNUSED const DpCpu *cpu, guint n_threads, const void *args)
{
  const DpLmHeadArgmaxArgs *a = args;
  const DpCpuWeight *w = dp_cpu_weight (a->weight);

  return dp_cpu_round_up (a->x.rows * (gsize) blocks_of (w) * sizeof (Part)) + dp_cpu_rows_space (w, a->x.rows, n_threads);
}

const DpCpuOperator dp_cpu_op_lm_head_argmax = { .run = lm_head_argmax, .space = lm_head_argmax_space };
