/* backends/cpu/isa/row.h - what is done to rows of numbers between the matrix products, per instruction set. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct {
  const char *name;
  /* n elements of DpType f32, f16, bf16 (the index) to f32 and back; rounding is to nearest even. */
  void (*load[3]) (const void *from, float *to, size_t n);
  void (*store[3]) (const float *from, void *to, size_t n);
  /* z = act (z), DpAct */
  void (*act) (uint32_t act, float *z, size_t n);
  /* q = clamp (rint (x / scale), -127, 127), scale = max |x| / 127 (1 for zeros), *sum = sum (q).
   * NaN or infinity among x: scale NaN, q = 0. Returns scale. */
  float (*quantise) (const float *x, int8_t *q, int32_t *sum, size_t n);
  /* The same to 16 bits, q = 256 high + low, scale = max |x| / 32512, for gemm.h's packed rows of x.  Infinities become
   * +-1 with an infinite scale. */
  float (*quantise16) (const float *x, int8_t *high, int8_t *low, int32_t *sum, size_t n);
} DpRowKernels;

extern const DpRowKernels dp_cpu_row_generic;
#if defined(__x86_64__)
extern const DpRowKernels dp_cpu_row_avx2, dp_cpu_row_avx512, dp_cpu_row_avx512bf16;
#endif
