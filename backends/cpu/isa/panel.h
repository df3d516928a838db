/* backends/cpu/isa/panel.h - what the kernels on panels share: the size of a tile, dot products of bf16, one function per m. */
#pragma once

#include "backends/cpu/isa/gemm.h"
#include "backends/cpu/isa/vec.h"

#if defined(__AVX512F__)
#define ROWS 12
#define QUANT_ROWS 4 /* three sets of accumulators */
#elif defined(__AVX2__)
#define ROWS 3 /* 3 x 32 is 12 of 16 ymm */
#define QUANT_ROWS 1
#else
#define ROWS 1 /* 8 of 16 xmm */
#define QUANT_ROWS 1
#endif
#define WIDE (DP_PANEL / DP_VEC) /* registers per row of the panel */

DP_KERNEL uint32_t
pair_of (const uint16_t *a)
{
  uint32_t pair;
  memcpy (&pair, a, sizeof pair);
  return pair;
}

/* ---- bf16 -------------------------------------------------------------------------------------- */

#if defined(__AVX512BF16__)
DP_KERNEL DpVec
dot_pair (DpVec acc, uint32_t a, DpVecU b)
{
  return (DpVec) _mm512_dpbf16_ps ((__m512) acc, (__m512bh) _mm512_set1_epi32 ((int) a), (__m512bh) (__m512i) b);
}
#else
DP_KERNEL float
as_float (uint32_t bits)
{
  float f;
  memcpy (&f, &bits, sizeof f);
  return f;
}

DP_KERNEL DpVec
dot_pair (DpVec acc, uint32_t a, DpVecU b)
{
  acc += vec_set (as_float (a << 16)) * (DpVec) (b << 16);
  return acc + vec_set (as_float (a & 0xffff0000u)) * (DpVec) (b & 0xffff0000u);
}
#endif

DP_KERNEL DpVecU
load_words (const void *p)
{
  DpVecU v;
  memcpy (&v, p, sizeof v);
  return v;
}

/* The rows loop must unroll, else the accumulators are no registers. */
#define EACH_ROW _Pragma ("GCC unroll 12") for (unsigned i = 0; i < m; i++)
#define EACH_WIDE _Pragma ("GCC unroll 8") for (unsigned j = 0; j < WIDE; j++)

/* ---- one function per m, so that the row loops unroll ------------------------------------------------ */

#define CASE(n, body)                                                                                                                      \
  case n:                                                                                                                                  \
    body (n);                                                                                                                              \
    break;
#define LAST(n, body)                                                                                                                      \
  default:                                                                                                                                 \
    body (n);                                                                                                                              \
    break;
#if ROWS == 12
#define EACH_M(body)                                                                                                                       \
  switch (m) {                                                                                                                             \
    CASE (1, body)                                                                                                                         \
    CASE (2, body)                                                                                                                         \
    CASE (3, body)                                                                                                                         \
    CASE (4, body)                                                                                                                         \
    CASE (5, body)                                                                                                                         \
    CASE (6, body)                                                                                                                         \
    CASE (7, body)                                                                                                                         \
    CASE (8, body)                                                                                                                         \
    CASE (9, body)                                                                                                                         \
    CASE (10, body)                                                                                                                        \
    CASE (11, body)                                                                                                                        \
    LAST (12, body)                                                                                                                        \
  }
#define EACH_QUANT_M(body)                                                                                                                 \
  switch (m) {                                                                                                                             \
    CASE (1, body)                                                                                                                         \
    CASE (2, body)                                                                                                                         \
    CASE (3, body)                                                                                                                         \
    LAST (4, body)                                                                                                                         \
  }
#elif ROWS == 3
#define EACH_M(body)                                                                                                                       \
  switch (m) {                                                                                                                             \
    CASE (1, body)                                                                                                                         \
    CASE (2, body)                                                                                                                         \
    LAST (3, body)                                                                                                                         \
  }
#define EACH_QUANT_M(body) ((void) m, body (1))
#else
#define EACH_M(body) ((void) m, body (1))
#define EACH_QUANT_M(body) ((void) m, body (1))
#endif
