/* backends/cpu/product.c - see product.h. */
#include "backends/cpu/product.h"

#include <string.h>

/* ---- rows of x --------------------------------------------------------------------------------------- */

static gboolean
is_quantised (const DpCpuWeight *w)
{
  return w->type == DP_I8 || w->type == DP_I4;
}

gsize
dp_cpu_row_bytes (const DpCpuWeight *w)
{
  if (is_quantised (w))
    return (w->shape.n_blocks * (2 * w->shape.padded + 8) + 63) / 64 * 64;
  return w->type == DP_BF16 ? ((gsize) w->cols + 1) / 2 * 4 : (gsize) w->cols * 4;
}

static void
pack_quant (const DpCpu *cpu, const DpCpuWeight *w, const float *x, guint8 *to)
{
  gsize n_blocks = w->shape.n_blocks, padded = w->shape.padded;
  gint8 *high = (gint8 *) to, *low = high + n_blocks * padded;
  float *scales = (float *) (gpointer) (low + n_blocks * padded);
  gint32 *sums = (gint32 *) (gpointer) (scales + n_blocks);

  for (gsize b = 0; b < n_blocks; b++, high += padded, low += padded) {
    gsize first = b * w->block, n = MIN (w->block, w->cols - first);
    scales[b] = cpu->kernels->row->quantise16 (x + first, high, low, &sums[b], n);
    memset (high + n, 0, padded - n);
    memset (low + n, 0, padded - n);
  }
}

void
dp_cpu_row_pack (const DpCpu *cpu, const DpCpuWeight *w, const float *x, guint8 *to)
{
  guint16 *half = (guint16 *) (gpointer) to;

  if (is_quantised (w))
    pack_quant (cpu, w, x, to);
  else if (w->type == DP_BF16) {
    cpu->kernels->row->store[DP_BF16](x, half, w->cols);
    if (w->cols % 2)
      half[w->cols] = 0;
  } else
    memcpy (to, x, w->cols * sizeof *x);
}

void
dp_cpu_row_pack_tensor (const DpCpu *cpu, const DpCpuWeight *w, const DpTensor *x, guint32 row, float *line, guint8 *to)
{
  const void *from = dp_tensor_row (x, row);

  if (x->type == DP_BF16 && w->type == DP_BF16) {
    memcpy (to, from, (gsize) w->cols * 2);
    if (w->cols % 2)
      ((guint16 *) (gpointer) to)[w->cols] = 0;
  } else if (x->type == DP_F32)
    dp_cpu_row_pack (cpu, w, from, to);
  else if (w->type == DP_F32 || w->type == DP_F16)
    cpu->kernels->row->load[x->type](from, (float *) (gpointer) to, w->cols);
  else {
    cpu->kernels->row->load[x->type](from, line, w->cols);
    dp_cpu_row_pack (cpu, w, line, to);
  }
}

/* x as it is already has the form the kernels read. */
static gboolean
is_direct (const DpCpuWeight *w, const DpTensor *x)
{
  if (w->type == DP_BF16)
    return x->type == DP_BF16 && w->cols % 2 == 0;
  return !is_quantised (w) && x->type == DP_F32;
}

/* Up to this many values each thread packs a copy of its own: cheaper than waiting for one another. */
#define OWN_COPY 32768

static gboolean
has_own_copy (const DpCpuWeight *w, guint32 n_rows)
{
  return (guint64) n_rows * w->cols <= OWN_COPY;
}

static gsize
line_bytes (const DpCpuWeight *w)
{
  return dp_cpu_round_up ((gsize) w->cols * sizeof (float));
}

/* One tile is done with a narrow panel while it unpacks it. */
static gboolean
has_wide (const DpCpuWeight *w, guint32 n_rows)
{
  return w->starts && n_rows > DP_CPU_TILE_ROWS;
}

/* Layout: a line per thread, then one copy of the rows or one per thread, then an unpacked panel per thread. */
static gsize
wide_place (const DpCpuWeight *w, guint32 n_rows, guint n_threads)
{
  gsize copy = dp_cpu_round_up (n_rows * dp_cpu_row_bytes (w));

  return n_threads * line_bytes (w) + (has_own_copy (w, n_rows) ? n_threads * copy : copy);
}

gsize
dp_cpu_rows_space (const DpCpuWeight *w, guint32 n_rows, guint n_threads)
{
  return wide_place (w, n_rows, n_threads) + (has_wide (w, n_rows) ? n_threads * dp_cpu_wide_bytes (w) : 0);
}

guint8 *
dp_cpu_rows_wide (const DpCpuRows *rows, guint thread)
{
  return rows->wide ? rows->wide + thread * dp_cpu_wide_bytes (rows->weight) : NULL;
}

typedef struct {
  const DpCpuRows *rows;
  guint8 *lines, *copy;
} Packing;

static void
pack_rows (gpointer data, gsize first, gsize last, guint thread)
{
  const Packing *p = data;
  const DpCpuRows *r = p->rows;
  float *line = (float *) (gpointer) (p->lines + thread * line_bytes (r->weight));

  for (gsize row = first; row < last; row++)
    dp_cpu_row_pack_tensor (r->task->cpu, r->weight, r->x, (guint32) row, line, p->copy + row * r->row_bytes);
}

void
dp_cpu_rows_begin (DpCpuRows *rows, const DpCpuTask *task, const DpCpuWeight *w, const DpTensor *x, guint8 *space)
{
  guint8 *copies = space + task->n_threads * line_bytes (w);

  *rows = (DpCpuRows){ .task = task, .weight = w, .x = x, .row_bytes = dp_cpu_row_bytes (w), .own = space };
  if (has_wide (w, x->rows))
    rows->wide = space + wide_place (w, x->rows, task->n_threads);
  if (is_direct (w, x)) {
    rows->packed = dp_tensor_row (x, 0);
    rows->row_bytes = x->stride * dp_type_size (x->type);
  } else if (!has_own_copy (w, x->rows)) {
    Packing packing = { rows, space, copies };
    dp_cpu_for (task, x->rows, MAX (1, 8192 / w->cols), pack_rows, &packing);
    dp_cpu_wait (task);
    rows->packed = copies;
  }
}

const guint8 *
dp_cpu_rows_get (DpCpuRows *rows, guint thread)
{
  if (!rows->packed) {
    gsize copy = dp_cpu_round_up (rows->x->rows * rows->row_bytes);
    guint8 *own = rows->own + rows->task->n_threads * line_bytes (rows->weight) + thread * copy;
    Packing packing = { rows, rows->own, own };
    pack_rows (&packing, 0, rows->x->rows, thread);
    rows->packed = own;
  }
  return rows->packed;
}

/* ---- tiles ---------------------------------------------------------------------------------------------- */

guint
dp_cpu_tile_rows (const DpCpu *cpu, const DpCpuWeight *w)
{
  const DpGemmKernels *k = cpu->kernels->gemm;

  return is_quantised (w) ? k->max_quant_rows : k->max_rows;
}

/* next: as in isa/gemm.h; wide: where a narrow panel is left (first) or was left in 16 bits, or NULL. */
static void
tile_bf16 (const DpCpu *cpu, const DpCpuWeight *w, guint32 matrix, guint32 panel, guint m, gconstpointer a, gsize lda, gconstpointer next,
           gpointer wide, gboolean first, float *c)
{
  const gsize k_pairs = ((gsize) w->cols + 1) / 2;
  const guint8 *p = dp_cpu_panel (w, matrix, panel);

  if (w->starts && (first || !wide))
    cpu->kernels->narrow->product (m, k_pairs, a, lda, p, dp_cpu_exceptions (w, matrix, panel), next, wide, c);
  else
    cpu->kernels->gemm->bf16 (m, k_pairs, a, lda, w->starts ? wide : (gconstpointer) p, next, c);
}

void
dp_cpu_tile (const DpCpu *cpu, const DpCpuWeight *w, guint32 matrix, guint32 panel, guint m, const guint8 *rows, gsize row_bytes, float *c)
{
  const DpGemmKernels *k = cpu->kernels->gemm;
  const guint8 *p = dp_cpu_panel (w, matrix, panel);
  gconstpointer a = rows, b = p;
  gsize beside = ((gsize) matrix * w->n_panels + panel) * w->n_groups * DP_PANEL;

  switch (w->type) {
  case DP_F32: k->f32 (m, w->cols, a, row_bytes / 4, b, c); break;
  case DP_F16: k->f16 (m, w->cols, a, row_bytes / 4, b, c); break;
  case DP_BF16: tile_bf16 (cpu, w, matrix, panel, m, a, row_bytes / 2, NULL, NULL, FALSE, c); break;
  case DP_I8: k->q8 (m, &w->shape, rows, row_bytes, p, w->scales + beside, w->zeros ? w->zeros + beside : NULL, c); break;
  default: k->q4 (m, &w->shape, rows, row_bytes, p, w->scales + beside, w->zeros ? w->zeros + beside : NULL, c); break;
  }
}

/* Where all weights together are more than this, each is read from memory, which likes one stream better than two. */
#define PAIR_BYTES ((gsize) 24 << 20)

guint
dp_cpu_group (const DpCpu *cpu, const DpCpuWeight *w, guint m)
{
  gboolean few = m <= MIN (DP_PAIR_ROWS, cpu->kernels->gemm->max_rows);

  return w->type == DP_BF16 && !w->starts && few && __atomic_load_n (&cpu->weight_bytes, __ATOMIC_RELAXED) <= PAIR_BYTES ? 2 : 1;
}

void
dp_cpu_tiles (const DpCpu *cpu, const DpCpuWeight *w, guint32 matrix, guint32 panel, guint n, guint m, const guint8 *rows, gsize row_bytes,
              DpCpuTurn turn, float *c)
{
  gconstpointer a = rows, b = dp_cpu_panel (w, matrix, panel);
  const gboolean fetch = turn.half && panel + n - 1 + turn.panels < w->n_panels;

  if (n == 2 && dp_cpu_group (cpu, w, m) == 2)
    cpu->kernels->gemm->bf16_pair (m, ((gsize) w->cols + 1) / 2, a, row_bytes / 2, b, w->panel_bytes / 2, c);
  else
    for (guint i = 0; i < n; i++, c += m * DP_PANEL) {
      const guint8 *next = fetch ? dp_cpu_panel (w, matrix, panel + i + turn.panels) + (turn.half - 1) * w->panel_bytes / 2 : NULL;
      if (w->type == DP_BF16)
        tile_bf16 (cpu, w, matrix, panel + i, m, a, row_bytes / 2, next, turn.wide, turn.first, c); /* narrow: n is 1 */
      else
        dp_cpu_tile (cpu, w, matrix, panel + i, m, rows, row_bytes, c);
    }
}

/* A block of rows and one panel should fit into a second-level cache of 1 MB together. */
#define ROW_BLOCK_BYTES ((gsize) 640 << 10)
/* A chunk should take some microseconds: long beside the counter it is taken from, short beside a time slice. */
#define CHUNK_NS 6000

DpCpuCut
dp_cpu_cut (const DpCpuTask *task, const DpCpuWeight *w, guint32 n_rows, gsize row_bytes)
{
  guint most = dp_cpu_tile_rows (task->cpu, w);
  gsize fit = MAX (ROW_BLOCK_BYTES / row_bytes / most, 2) * most;
  DpCpuCut cut = { .block_rows = (guint32) MIN (fit, n_rows) };
  gsize blocks = (n_rows + (gsize) cut.block_rows - 1) / cut.block_rows;

  cut.n_items = blocks * w->n_panels;
  /* 40 bytes or 800 operations a nanosecond */
  gsize ns = MAX (w->panel_bytes / 40, 2 * (gsize) cut.block_rows * w->cols * DP_PANEL / 800);
  cut.chunk = MAX (CHUNK_NS / MAX (ns, 1), 1);
  cut.chunk = MIN (cut.chunk, MAX (cut.n_items / (4 * task->n_threads), 1));
  guint group = dp_cpu_group (task->cpu, w, n_rows);
  cut.chunk = (cut.chunk + group - 1) / group * group;
  return cut;
}
