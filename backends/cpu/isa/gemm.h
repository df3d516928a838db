/* backends/cpu/isa/gemm.h - matrix products on packed panels, per instruction set.
 *
 * A panel holds DP_PANEL rows of the weight (outputs), k running fastest in the way the product reads them:
 *   f32, f16  for each k: 32 outputs
 *   bf16      for each pair of k: 32 outputs x 2 values         (k padded to even with zeros)
 *   i8        for each four k: 32 outputs x 4 values + 128      (padded with value 0, stored 128)
 *   i4        for each eight k: 32 outputs x 4 bytes; low nibbles hold the first four k, high nibbles the rest
 * One accumulator per output runs over k in order whatever m is, so a row of x gives the same
 * bits alone and in a batch.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define DP_PANEL 32
#define DP_PAIR_ROWS 4 /* more rows than this keep the processor busy with one panel */

/* The k axis of a quantised product: blocks that have one scale of x and lie in one group of the weight.  x is held as
 * 16-bit integers 256 high + low, both int8, so that it costs no accuracy beside bf16 and each half still goes
 * through the int8 dot product.  A packed row of x is n_k = n_blocks * padded high halves, n_k low halves, n_blocks
 * float scales, n_blocks int32 sums (of the 16-bit values).  A block of 64 is exact in int32. */
typedef struct {
  size_t n_blocks;
  size_t padded;           /* values per block, a multiple of 8, at most 64 */
  size_t blocks_per_group; /* of the weight's scales */
} DpQuantShape;

typedef struct {
  const char *name;
  unsigned max_rows;       /* m of one call of bf16, f32, f16, i8 */
  unsigned max_quant_rows; /* of q8, q4 */
  /* c[i*32 + j] = sum over k of a[i*lda + k] * panel[k, j];  m <= max_rows.  next: half a panel that will be needed soon and is
   * fetched meanwhile; NULL: the own panel comes from memory and is fetched a little ahead. */
  void (*bf16) (unsigned m, size_t k_pairs, const uint16_t *a, size_t lda, const uint16_t *panel, const void *next, float *c);
  /* The same for two panels, panel_stride values apart, of a weight in a cache: c[2][m][32], m <= DP_PAIR_ROWS.  With few rows the dot products
   * of one panel wait for one another.  (Four at once are slower from memory: too many streams.) */
  void (*bf16_pair) (unsigned m, size_t k_pairs, const uint16_t *a, size_t lda, const uint16_t *panels, size_t panel_stride, float *c);
  void (*f32) (unsigned m, size_t k, const float *a, size_t lda, const float *panel, float *c);
  void (*f16) (unsigned m, size_t k, const float *a, size_t lda, const uint16_t *panel, float *c);
  /* exact in int32: sum of a * (stored - 128); sums[i] = sum of row i of a */
  void (*i8) (unsigned m, size_t k_quads, const int8_t *a, size_t lda, const int32_t *sums, const uint8_t *panel, int32_t *c);
  /* sum over k of x * (q - zero) * scale in f32, each block's part exact in int32.  rows are packed rows of x,
   * row_bytes apart; scales and zeros [group, 32]; zeros may be NULL (i8: 0, i4: 8).  m <= max_quant_rows */
  void (*q8) (unsigned m, const DpQuantShape *shape, const uint8_t *rows, size_t row_bytes, const uint8_t *panel, const float *scales,
              const float *zeros, float *c);
  void (*q4) (unsigned m, const DpQuantShape *shape, const uint8_t *rows, size_t row_bytes, const uint8_t *panel, const float *scales,
              const float *zeros, float *c);
} DpGemmKernels;

extern const DpGemmKernels dp_cpu_gemm_generic;
#if defined(__x86_64__)
extern const DpGemmKernels dp_cpu_gemm_avx2, dp_cpu_gemm_avx512, dp_cpu_gemm_avx512bf16;
#endif
