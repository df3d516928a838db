/* backends/cpu/pack.c - weights into panels, once, when they are loaded (XNNPACK's and llamafile's way). */
#include "backends/cpu/narrow.h"

#include <string.h>

/* A block of x has a scale of its own.  64 values keep the scale's share of the work small; groups that
 * 64 does not divide get the largest divisor below. */
#define BLOCK 64u

#define INTERLEAVE (DP_USE_GATE_UP | DP_USE_MOE_GATE_UP)

/* ---- where things lie ----------------------------------------------------------------------------- */

guint32
dp_cpu_panel_row (const DpCpuWeight *w, guint32 panel, guint32 lane, gboolean *present)
{
  guint32 half = w->rows / 2, row = panel * DP_PANEL + lane;

  *present = row < w->rows;
  if (!w->interleaved)
    return row;
  row = panel * (DP_PANEL / 2) + lane % (DP_PANEL / 2);
  *present = row < half;
  return lane < DP_PANEL / 2 ? row : half + row;
}

/* The panel and lane of a row. */
static guint32
lane_of (const DpCpuWeight *w, guint32 row, guint32 *panel)
{
  guint32 half = w->rows / 2, width = DP_PANEL / 2;

  if (!w->interleaved) {
    *panel = row / DP_PANEL;
    return row % DP_PANEL;
  }
  *panel = (row % half) / width;
  return (row % half) % width + (row < half ? 0 : width);
}

static guint32
block_of (guint32 group)
{
  guint32 block = MIN (group, BLOCK);

  while (group % block)
    block--;
  return block;
}

/* Place of value k of a row among a panel's bytes (i4: the byte that holds it). */
static gsize
quant_place (const DpCpuWeight *w, guint32 k, guint32 lane)
{
  gsize at = (gsize) (k / w->block) * w->shape.padded + k % w->block;

  if (w->type == DP_I8)
    return (at / 4 * DP_PANEL + lane) * 4 + at % 4;
  return (at / 8 * DP_PANEL + lane) * 4 + at % 4;
}

/* Whether value k sits in the high nibble. */
static gboolean
is_high (const DpCpuWeight *w, guint32 k)
{
  return (k % w->block) % 8 >= 4;
}

/* ---- sizes ---------------------------------------------------------------------------------------- */

static void
measure_quant (DpCpuWeight *w, guint32 group)
{
  guint32 whole = group ? group : w->cols;

  w->block = group ? block_of (group) : MIN (BLOCK, w->cols);
  w->shape.n_blocks = (w->cols + (gsize) w->block - 1) / w->block;
  w->shape.padded = ((gsize) w->block + 7) / 8 * 8;
  w->n_groups = (guint32) (((gsize) w->cols + whole - 1) / whole);
  w->shape.blocks_per_group = group ? group / w->block : w->shape.n_blocks;
  w->panel_bytes = w->shape.n_blocks * w->shape.padded * DP_PANEL / (w->type == DP_I8 ? 1 : 2);
}

/* Adds n * each bytes to *size, rounded up; where they begin. */
static gboolean
reserve (gsize *size, gsize *at, gsize n, gsize each)
{
  gsize bytes;

  *at = *size;
  return g_size_checked_mul (&bytes, n, each) && bytes <= G_MAXSSIZE - DP_ALIGN && g_size_checked_add (size, *size, dp_cpu_round_up (bytes))
         && *size <= G_MAXSSIZE;
}

/* Where the parts of a weight lie, from its shape alone. */
typedef struct {
  gsize size, panels, bias, scales, zeros;
  gboolean has_bias, has_scales, has_zeros;
} Layout;

static gboolean
measure (DpCpuWeight *w, guint32 group, Layout *l, GError **error)
{
  const gsize panels = (gsize) w->n * w->n_panels;
  gsize grouped;

  l->has_scales = w->type == DP_I8 || w->type == DP_I4;
  switch (w->type) {
  case DP_F32: w->panel_bytes = (gsize) w->cols * DP_PANEL * 4; break;
  case DP_F16: w->panel_bytes = (gsize) w->cols * DP_PANEL * 2; break;
  case DP_BF16: w->panel_bytes = dp_cpu_wide_bytes (w); break;
  default: measure_quant (w, group); break;
  }
  l->size = 0;
  gboolean fits = reserve (&l->size, &l->panels, panels, w->panel_bytes);
  fits = fits && g_size_checked_mul (&grouped, panels, (gsize) w->n_groups * DP_PANEL * sizeof (float));
  fits = fits && (!l->has_bias || reserve (&l->size, &l->bias, panels, DP_PANEL * sizeof (float)));
  fits = fits && (!l->has_scales || reserve (&l->size, &l->scales, grouped, 1))
         && (!l->has_zeros || reserve (&l->size, &l->zeros, grouped, 1));
  if (!fits)
    g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_MEMORY, "cpu: a weight of %u x %u x %u does not fit into memory", w->n, w->rows,
                 w->cols);
  return fits;
}

/* Kernels prefetch ahead of what they read; nothing is read behind the end. */
static void
place (DpCpuWeight *w, const Layout *l, guint8 *memory)
{
  w->memory = memory;
  w->memory_size = l->size;
  w->panels = memory + l->panels;
  w->bias = l->has_bias ? (gpointer) (memory + l->bias) : NULL;
  w->scales = l->has_scales ? (gpointer) (memory + l->scales) : NULL;
  w->zeros = l->has_zeros ? (gpointer) (memory + l->zeros) : NULL;
}

/* ---- packing -------------------------------------------------------------------------------------- */

typedef struct {
  const DpCpu *cpu;
  DpCpuWeight *w;
  const DpWeightSource *source;
} Packing;

/* One row of a float source as f32, with its factor; scratch takes the row as it came. */
static void
source_row (const Packing *p, gsize row, float *out, guint8 *scratch)
{
  const DpWeightSource *s = p->source;
  gsize bytes = s->cols * dp_type_size (s->type);

  memcpy (scratch, (const guint8 *) s->data + row * bytes, bytes); /* checkpoints give no alignment */
  p->cpu->kernels->row->load[s->type](scratch, out, s->cols);
  if (s->row_scale)
    for (guint32 k = 0; k < s->cols; k++)
      out[k] *= s->row_scale[row];
}

static void
float_lane (const Packing *p, gsize row, guint32 lane, guint8 *panel, float *values, guint8 *scratch)
{
  const DpWeightSource *s = p->source;
  guint32 cols = s->cols;

  if (s->type == s->hold && s->hold != DP_F32 && !s->row_scale)
    memcpy (scratch, (const guint8 *) s->data + row * cols * 2, (gsize) cols * 2);
  else {
    source_row (p, row, values, scratch);
    if (s->hold != DP_F32)
      p->cpu->kernels->row->store[s->hold](values, scratch, cols);
  }
  const guint16 *half = (const guint16 *) (gpointer) scratch;
  if (s->hold == DP_F32)
    for (guint32 k = 0; k < cols; k++)
      ((float *) (gpointer) panel)[(gsize) k * DP_PANEL + lane] = values[k];
  else if (s->hold == DP_F16)
    for (guint32 k = 0; k < cols; k++)
      ((guint16 *) (gpointer) panel)[(gsize) k * DP_PANEL + lane] = half[k];
  else
    for (guint32 k = 0; k < cols; k++)
      ((guint16 *) (gpointer) panel)[((gsize) (k / 2) * DP_PANEL + lane) * 2 + k % 2] = half[k];
}

static void
quant_lane (const Packing *p, gsize row, guint32 lane, guint8 *panel)
{
  const DpWeightSource *s = p->source;

  if (s->type == DP_I8) {
    const guint8 *from = (const guint8 *) s->data + row * s->cols;
    for (guint32 k = 0; k < s->cols; k++)
      panel[quant_place (p->w, k, lane)] = from[k] ^ 0x80;
    return;
  }
  const guint8 *from = (const guint8 *) s->data + row * (((gsize) s->cols + 1) / 2);
  for (guint32 k = 0; k < s->cols; k++) {
    guint8 nibble = from[k / 2] >> (k % 2 * 4) & 15;
    panel[quant_place (p->w, k, lane)] |= (guint8) (is_high (p->w, k) ? nibble << 4 : nibble);
  }
}

/* Everything of one panel that is not the matrix itself. */
static void
pack_beside (const Packing *p, gsize index, gsize row, guint32 lane)
{
  const DpWeightSource *s = p->source;
  DpCpuWeight *w = p->w;

  if (s->bias)
    w->bias[index * DP_PANEL + lane] = s->bias[row];
  for (gsize g = 0; g < w->n_groups; g++) {
    gsize to = (index * w->n_groups + g) * DP_PANEL + lane;
    w->scales[to] = s->scales[row * w->n_groups + g];
    if (s->zeros)
      w->zeros[to] = s->zeros[row * w->n_groups + g];
  }
}

static void
pack_panels (gpointer data, gsize first, gsize last, G_GNUC_UNUSED guint thread)
{
  const Packing *p = data;
  DpCpuWeight *w = p->w;
  g_autofree float *values = g_new (float, w->cols);
  g_autofree guint8 *scratch = g_malloc ((gsize) w->cols * sizeof (float));

  for (gsize index = first; index < last; index++) {
    guint8 *panel = w->panels + index * w->panel_bytes;
    gsize matrix = index / w->n_panels;
    if (w->type == DP_I8)
      memset (panel, 0x80, w->panel_bytes);
    for (guint32 lane = 0; lane < DP_PANEL; lane++) {
      gboolean present;
      gsize row = matrix * w->rows + dp_cpu_panel_row (w, (guint32) (index % w->n_panels), lane, &present);
      if (!present)
        continue;
      if (w->n_groups)
        quant_lane (p, row, lane, panel);
      else
        float_lane (p, row, lane, panel, values, scratch);
      pack_beside (p, index, row, lane);
    }
  }
}

/* A weight of this shape without memory; NULL with an error. */
static DpCpuWeight *
weight_new (guint32 uses, guint32 type, guint32 n, guint32 rows, guint32 cols, guint32 group, Layout *l, GError **error)
{
  const gboolean interleaved = (uses & INTERLEAVE) != 0;

  if (interleaved && (uses & ~(guint32) INTERLEAVE)) {
    g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_UNSUPPORTED, "cpu: gate and up rows are interleaved, so no other operator can use them");
    return NULL;
  }
  DpCpuWeight *w = g_new0 (DpCpuWeight, 1);
  w->type = type, w->n = n, w->rows = rows, w->cols = cols;
  w->interleaved = interleaved;
  w->n_panels = interleaved ? (rows / 2 + DP_PANEL / 2 - 1) / (DP_PANEL / 2) : (rows + DP_PANEL - 1) / DP_PANEL;
  if (measure (w, group, l, error))
    return w;
  g_free (w);
  return NULL;
}

static void
attach (DpBackend *backend, DpWeight *weight, DpCpuWeight *w)
{
  __atomic_fetch_add (&dp_cpu (backend)->weight_bytes, w->memory_size, __ATOMIC_RELAXED);
  weight->impl = w;
  weight->bytes = w->memory_size;
}

void
dp_cpu_weight_for (DpCpu *cpu, const DpCpuWeight *w, DpTeamWork work, gpointer data)
{
  const gsize n = (gsize) w->n * w->n_panels;

  if (dp_cpu_take_team (cpu)) {
    dp_team_for (cpu->team, n, MAX (1, (1 << 20) / w->panel_bytes), work, data);
    dp_cpu_give_team (cpu);
  } else
    work (data, 0, n, 0);
}

gboolean
dp_cpu_weight_pack (DpBackend *backend, DpWeight *weight, const DpWeightSource *s, GError **error)
{
  DpCpu *cpu = dp_cpu (backend);
  Layout layout = { .has_bias = s->bias != NULL, .has_zeros = s->zeros != NULL };
  DpCpuWeight *w = weight_new (s->uses, s->hold, s->n, s->rows, s->cols, s->group, &layout, error);
  guint8 *memory = w ? dp_cpu_alloc (layout.size, error) : NULL;

  if (!memory) {
    g_free (w);
    return FALSE;
  }
  place (w, &layout, memory);
  Packing packing = { cpu, w, s };
  dp_cpu_weight_for (cpu, w, pack_panels, &packing);
  if (dp_cpu_narrow_pays (cpu, w))
    dp_cpu_narrow (cpu, w);
  attach (backend, weight, w);
  return TRUE;
}

void
dp_cpu_weight_free (DpBackend *backend, DpWeight *weight)
{
  DpCpuWeight *w = weight->impl;

  __atomic_fetch_sub (&dp_cpu (backend)->weight_bytes, w->memory_size, __ATOMIC_RELAXED);
  if (!w->borrowed)
    dp_cpu_free (w->memory, w->memory_size);
  g_free (w);
}

/* ---- as bytes --------------------------------------------------------------------------------------- */

const char *
dp_cpu_weight_layout (DpBackend *backend)
{
  /* count up when panels, blocks or the order of the parts change */
  return dp_cpu (backend)->kernels->narrow->pays ? "panels of " G_STRINGIFY (DP_PANEL) ", bf16 in 12 bits, 2"
                                                 : "panels of " G_STRINGIFY (DP_PANEL) ", 2";
}

gboolean
dp_cpu_weight_save (G_GNUC_UNUSED DpBackend *backend, const DpWeight *weight, DpPackedWeight *packed, G_GNUC_UNUSED GError **error)
{
  const DpCpuWeight *w = dp_cpu_weight (weight);

  *packed = (DpPackedWeight){ w->memory, w->memory_size };
  return TRUE;
}

gboolean
dp_cpu_weight_load (DpBackend *backend, DpWeight *weight, const DpPackedWeight *packed, GError **error)
{
  Layout layout = { .has_bias = weight->has_bias, .has_zeros = weight->has_zeros };
  DpCpuWeight *w = weight_new (weight->uses, weight->type, weight->n, weight->rows, weight->cols, weight->group, &layout, error);

  if (w && layout.size == packed->size)
    place (w, &layout, (guint8 *) packed->data);
  else if (w && !dp_cpu_narrow_load (w, weight->has_bias, packed)) { /* narrow weights are always smaller */
    g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_ARGUMENT,
                 "cpu: a packed weight of %u x %u takes %" G_GSIZE_FORMAT " bytes; these %" G_GSIZE_FORMAT " are none", weight->rows,
                 weight->cols, layout.size, packed->size);
    g_clear_pointer (&w, g_free);
  }
  if (!w)
    return FALSE;
  w->borrowed = TRUE;
  attach (backend, weight, w);
  return TRUE;
}

/* ---- reading back ---------------------------------------------------------------------------------- */

static void
quant_row (const DpCpuWeight *w, const guint8 *panel, gsize index, guint32 lane, float *out)
{
  for (guint32 k = 0; k < w->cols; k++) {
    gsize group = k / w->block / w->shape.blocks_per_group, at = (index * w->n_groups + group) * DP_PANEL + lane;
    guint8 stored = panel[quant_place (w, k, lane)];
    float zero = w->zeros ? w->zeros[at] : w->type == DP_I4 ? 8 : 0;
    float q = w->type == DP_I8 ? (float) (gint8) (stored ^ 0x80) : (float) (is_high (w, k) ? stored >> 4 : stored & 15);
    out[k] = (q - zero) * w->scales[at];
  }
}

void
dp_cpu_weight_row (const DpCpuWeight *w, guint32 matrix, guint32 row, float *out)
{
  guint32 panel_number, lane = lane_of (w, row, &panel_number);
  const guint8 *panel = dp_cpu_panel (w, matrix, panel_number);
  const guint16 *half = (const guint16 *) (gconstpointer) panel;

  switch (w->type) {
  case DP_F32:
    for (guint32 k = 0; k < w->cols; k++)
      out[k] = ((const float *) (gconstpointer) panel)[(gsize) k * DP_PANEL + lane];
    break;
  case DP_F16:
    for (guint32 k = 0; k < w->cols; k++)
      out[k] = dp_f16_to_f32 (half[(gsize) k * DP_PANEL + lane]);
    break;
  case DP_BF16:
    if (w->starts) {
      dp_cpu_narrow_row (w, (gsize) matrix * w->n_panels + panel_number, lane, out);
      break;
    }
    for (guint32 k = 0; k < w->cols; k++)
      out[k] = dp_bf16_to_f32 (half[((gsize) (k / 2) * DP_PANEL + lane) * 2 + k % 2]);
    break;
  default: quant_row (w, panel, (gsize) matrix * w->n_panels + panel_number, lane, out); break;
  }
}

float
dp_cpu_weight_bias (const DpCpuWeight *w, guint32 matrix, guint32 row)
{
  guint32 panel, lane = lane_of (w, row, &panel);

  return w->bias ? w->bias[((gsize) matrix * w->n_panels + panel) * DP_PANEL + lane] : 0;
}
