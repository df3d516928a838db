/* backends/cpu/isa/arith.h - sums, norms, rotations and searches over rows of f32, per instruction set.
 *
 * Every function takes one row (or a piece of one), so a row gives the same bits whatever lies beside it.
 * Outputs may be the inputs where the names agree; otherwise nothing overlaps.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What argmax needs of a row; see best(). */
typedef struct {
  size_t at;     /* lowest index of the largest number; 0 if there is none */
  float largest; /* NaN if all are NaN */
  float second;  /* largest of the others, NaN left out; -infinity if there is none */
  int nan;       /* some element is NaN */
} DpBest;

typedef struct {
  const char *name;
  /* y += x */
  void (*add) (const float *x, float *y, size_t n);
  /* y *= x */
  void (*mul) (const float *x, float *y, size_t n);
  /* z += x * y */
  void (*mul_add) (const float *x, const float *y, float *z, size_t n);
  /* x *= factor */
  void (*scale) (float factor, float *x, size_t n);
  /* y += factor * x */
  void (*axpy) (float factor, const float *x, float *y, size_t n);
  float (*dot) (const float *x, const float *y, size_t n);
  /* y = x / sqrt (mean (x^2) + eps) * weight; y may be x */
  void (*rms) (const float *x, const float *weight, float eps, float *y, size_t n);
  /* y = (x - mean) / sqrt (var + eps) * weight + bias, two passes; bias may be NULL, y may be x */
  void (*layer) (const float *x, const float *weight, const float *bias, float eps, float *y, size_t n);
  /* (a, b) = (a c - b s, b c + a s) for n pairs */
  void (*rotate_half) (float *a, float *b, const float *c, const float *s, size_t n);
  /* the same for pairs (x[2j], x[2j+1]) */
  void (*rotate_pairs) (float *x, const float *c, const float *s, size_t n);
  DpBest (*best) (const float *x, size_t n);
  /* sum of exp (x - largest), NaN left out */
  float (*sum_exp) (const float *x, float largest, size_t n);
  /* p = exp ((x - largest) / temperature), 0 for NaN; their sum */
  float (*softmax) (const float *x, float largest, float temperature, float *p, size_t n);
} DpArithKernels;

extern const DpArithKernels dp_cpu_arith_generic;
#if defined(__x86_64__)
extern const DpArithKernels dp_cpu_arith_avx2, dp_cpu_arith_avx512, dp_cpu_arith_avx512bf16;
#endif
