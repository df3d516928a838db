/* backends/cpu/isa/tile.c - epilogues of matrix products; see tile.h. */
#include "backends/cpu/isa/tile.h"
#include "backends/cpu/isa/gemm.h"
#include "backends/cpu/isa/vec.h"

#define HALF (DP_PANEL / 2)

/* ---- rows of any float type ----------------------------------------------------------------------- */

DP_KERNEL size_t
size_of (uint32_t type)
{
  return type == 0 ? 4 : 2;
}

DP_KERNEL DpVec
load_as (uint32_t type, const void *p, size_t i)
{
  const uint16_t *h = p;
  return type == 0 ? vec_load ((const float *) p + i) : type == 1 ? vec_load_f16 (h + i) : vec_load_bf16 (h + i);
}

DP_KERNEL void
store_as (uint32_t type, void *p, size_t i, DpVec v)
{
  uint16_t *h = p;
  if (type == 0)
    vec_store ((float *) p + i, v);
  else if (type == 1)
    vec_store_f16 (h + i, v);
  else
    vec_store_bf16 (h + i, v);
}

DP_KERNEL DpVec
bias_at (const float *bias, size_t j)
{
  return bias ? vec_load (bias + j) : vec_set (0);
}

/* ---- finish --------------------------------------------------------------------------------------- */

DP_KERNEL void
finish_row (uint32_t act, const float *c, const float *bias, const void *residual, uint32_t residual_type, void *y, uint32_t y_type)
{
  for (unsigned j = 0; j < DP_PANEL; j += DP_VEC) {
    DpVec v = vec_act (act, vec_load (c + j) + bias_at (bias, j));
    if (residual)
      v += load_as (residual_type, residual, j);
    store_as (y_type, y, j, v);
  }
}

/* Fewer than 32 columns: through rows on the stack. */
DP_KERNEL void
finish_part (uint32_t act, unsigned n, const float *c, const float *bias, const void *residual, uint32_t residual_type, void *y,
             uint32_t y_type)
{
  float c_row[DP_PANEL] = { 0 }, bias_row[DP_PANEL] = { 0 }, residual_row[DP_PANEL] = { 0 }, y_row[DP_PANEL];

  memcpy (c_row, c, n * sizeof *c);
  if (bias)
    memcpy (bias_row, bias, n * sizeof *bias);
  if (residual)
    memcpy (residual_row, residual, n * size_of (residual_type));
  finish_row (act, c_row, bias_row, residual ? residual_row : NULL, residual_type, y_row, y_type);
  memcpy (y, y_row, n * size_of (y_type));
}

DP_KERNEL void
finish_rows (uint32_t act, unsigned m, unsigned n, const float *c, const float *bias, const DpPlace *residual, const DpPlace *y)
{
  for (unsigned i = 0; i < m; i++) {
    const void *r = residual ? (const char *) residual->data + i * residual->stride : NULL;
    uint32_t r_type = residual ? residual->type : 0;
    void *to = (char *) y->data + i * y->stride;
    if (n == DP_PANEL)
      finish_row (act, c + i * DP_PANEL, bias, r, r_type, to, y->type);
    else
      finish_part (act, n, c + i * DP_PANEL, bias, r, r_type, to, y->type);
  }
}

static void
finish (unsigned m, unsigned n, const float *c, const float *bias, uint32_t act, const DpPlace *residual, const DpPlace *y)
{
  switch (act) {
  case 1: finish_rows (1, m, n, c, bias, residual, y); break;
  case 2: finish_rows (2, m, n, c, bias, residual, y); break;
  case 3: finish_rows (3, m, n, c, bias, residual, y); break;
  case 4: finish_rows (4, m, n, c, bias, residual, y); break;
  case 5: finish_rows (5, m, n, c, bias, residual, y); break;
  default: finish_rows (0, m, n, c, bias, residual, y); break;
  }
}

/* ---- gate ----------------------------------------------------------------------------------------- */

DP_KERNEL void
gate_row (uint32_t act, const float *c, const float *bias, void *y, uint32_t y_type)
{
  for (unsigned j = 0; j < HALF; j += DP_VEC) {
    DpVec g = vec_load (c + j) + bias_at (bias, j), u = vec_load (c + HALF + j) + bias_at (bias, HALF + j);
    store_as (y_type, y, j, vec_act (act, g) * u);
  }
}

DP_KERNEL void
gate_rows (uint32_t act, unsigned m, unsigned n, const float *c, const float *bias, const DpPlace *y)
{
  for (unsigned i = 0; i < m; i++) {
    void *to = (char *) y->data + i * y->stride;
    float part[HALF];
    gate_row (act, c + i * DP_PANEL, bias, n == HALF ? to : part, y->type);
    if (n < HALF)
      memcpy (to, part, n * size_of (y->type));
  }
}

static void
gate (unsigned m, unsigned n, const float *c, const float *bias, uint32_t act, const DpPlace *y)
{
  switch (act) {
  case 0: gate_rows (0, m, n, c, bias, y); break;
  case 1: gate_rows (1, m, n, c, bias, y); break;
  case 3: gate_rows (3, m, n, c, bias, y); break;
  case 4: gate_rows (4, m, n, c, bias, y); break;
  case 5: gate_rows (5, m, n, c, bias, y); break;
  default: gate_rows (2, m, n, c, bias, y); break;
  }
}

/* ---- integer sums ----------------------------------------------------------------------------------- */

static void
scale (unsigned m, const int32_t *c, const float *x_scale, const float *w_scale, float *out)
{
  for (unsigned i = 0; i < m; i++)
    for (unsigned j = 0; j < DP_PANEL; j += DP_VEC) {
      DpVecI sum;
      memcpy (&sum, c + i * DP_PANEL + j, sizeof sum);
      vec_store (out + i * DP_PANEL + j, x_scale[i] * vec_load (w_scale + j) * __builtin_convertvector(sum, DpVec));
    }
}

/* ---- logits ------------------------------------------------------------------------------------------- */

static void
logits_of (unsigned m, const float *c, const float *bias, float softcap, float *out, size_t out_stride)
{
  for (unsigned i = 0; i < m; i++)
    for (unsigned j = 0; j < DP_PANEL; j += DP_VEC) {
      DpVec l = vec_load (c + i * DP_PANEL + j) + bias_at (bias, j);
      if (softcap > 0)
        l = softcap * vec_tanh (l / softcap);
      vec_store (out + i * out_stride + j, l);
    }
}

const DpTileKernels DP_ISA_NAME (dp_cpu_tile) = {
  .name = DP_ISA_STRING,
  .finish = finish,
  .gate = gate,
  .scale = scale,
  .logits = logits_of,
};
