/* backends/cpu/weight.h - packed weights: the panels that vectors and matrices are multiplied with alike. */
#pragma once

#include "backends/cpu/cpu.h"

G_BEGIN_DECLS

typedef struct {
  guint32 type, n, rows, cols; /* as in DpWeight */
  guint32 n_panels;            /* of each matrix */
  gboolean interleaved;        /* a panel is 16 gate rows, then their 16 up rows */
  guint8 *panels;              /* n * n_panels * panel_bytes; isa/gemm.h says how they look */
  gsize panel_bytes;
  float *bias; /* n * n_panels * 32 in the order of the panels, zeros where there is no row; NULL: none */

  /* i8, i4 */
  DpQuantShape shape;
  guint32 block;         /* values of k in a block, before padding; divides the group */
  guint32 n_groups;      /* scales per row */
  float *scales, *zeros; /* n * n_panels * n_groups * 32; zeros may be NULL */

  /* bf16 in 12 bits (narrow.h): panels are those of isa/narrow.h */
  guint32 *starts; /* n * n_panels + 1, where each panel's exceptions begin; NULL: 16 bits */
  DpException *exceptions;

  gpointer memory; /* all of the above in one piece */
  gsize memory_size;
  gboolean borrowed; /* memory is the map of a file */
} DpCpuWeight;

static inline const DpCpuWeight *
dp_cpu_weight (const DpWeight *weight)
{
  return weight->impl;
}

static inline const guint8 *
dp_cpu_panel (const DpCpuWeight *w, guint32 matrix, guint32 panel)
{
  return w->panels + ((gsize) matrix * w->n_panels + panel) * w->panel_bytes;
}

static inline const DpException *
dp_cpu_exceptions (const DpCpuWeight *w, guint32 matrix, guint32 panel)
{
  return w->exceptions + w->starts[(gsize) matrix * w->n_panels + panel];
}

/* Bytes of a panel of bf16 in 16 bits. */
static inline gsize
dp_cpu_wide_bytes (const DpCpuWeight *w)
{
  return ((gsize) w->cols + 1) / 2 * DP_PANEL * 4;
}

/* Work over the panels of all matrices of a weight, on the team if it is free. */
void dp_cpu_weight_for (DpCpu *cpu, const DpCpuWeight *w, DpTeamWork work, gpointer data);

/* The row of the weight in lane 0..31 of a panel; >= rows (interleaved: the half) where there is none. */
guint32 dp_cpu_panel_row (const DpCpuWeight *w, guint32 panel, guint32 lane, gboolean *present);

/* Row `row` of matrix `matrix` as f32, unpacked: for embeddings and for what reads weights directly.  Does not
 * allocate. */
void dp_cpu_weight_row (const DpCpuWeight *w, guint32 matrix, guint32 row, float *out);
/* The bias of that row, 0 without. */
float dp_cpu_weight_bias (const DpCpuWeight *w, guint32 matrix, guint32 row);

/* DpBackendClass.weight_pack, weight_free and so on.  A saved weight is its memory as it is, whatever the instruction set. */
gboolean dp_cpu_weight_pack (DpBackend *backend, DpWeight *weight, const DpWeightSource *source, GError **error);
void dp_cpu_weight_free (DpBackend *backend, DpWeight *weight);
const char *dp_cpu_weight_layout (DpBackend *backend);
gboolean dp_cpu_weight_save (DpBackend *backend, const DpWeight *weight, DpPackedWeight *packed, GError **error);
gboolean dp_cpu_weight_load (DpBackend *backend, DpWeight *weight, const DpPackedWeight *packed, GError **error);

G_END_DECLS
