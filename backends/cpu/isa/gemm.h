/* backends/cpu/isa/gemm.h - matrix products on packed panels, per instruction set.
 *
 * A panel holds DP_PANEL rows of the weight (outputs), k running fastest in the way the
 * product reads them:
 *   bf16  for each pair of k: 32 outputs x 2 values     (k padded to even with zeros)
 *   f32   for each k: 32 outputs
 *   i8    for each four k: 32 outputs x 4 values + 128   (k padded with value 0, stored 128)
 * One accumulator per output runs over k in order whatever m is, so a row of x gives the same
 * bits alone and in a batch.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define DP_PANEL 32

typedef struct {
  const char *name;
  unsigned max_rows; /* m of one call */
  /* c[i*32 + j] = sum over k of a[i*lda + k] * panel[k, j];  m <= max_rows */
  void (*bf16) (unsigned m, size_t k_pairs, const uint16_t *a, size_t lda, const uint16_t *panel, float *c);
  void (*f32) (unsigned m, size_t k, const float *a, size_t lda, const float *panel, float *c);
  /* exact in int32: sum of a * (stored - 128) */
  void (*i8) (unsigned m, size_t k_quads, const int8_t *a, size_t lda, const uint8_t *panel, int32_t *c);
  void (*to_bf16) (const float *from, uint16_t *to, size_t n);
} DpGemmKernels;

extern const DpGemmKernels dp_cpu_gemm_generic;
#if defined(__x86_64__)
extern const DpGemmKernels dp_cpu_gemm_avx2, dp_cpu_gemm_avx512, dp_cpu_gemm_avx512bf16;
#endif
