/* backends/cpu/isa/vec.h - one register of floats, in every instruction set.
 *
 * Kernels are written once with GCC's and Clang's vector extensions and compiled once per
 * instruction set (backends/cpu/build.mk sets DP_ISA and the -m flags).  DP_VEC floats fill
 * one register: 16 with AVX-512, 8 with AVX2, 4 elsewhere; wider vectors than the machine has
 * are legal but GCC 12 takes them through memory, at a sixth of the speed.  Only what the
 * extensions cannot say (dot products of bf16 and int8) is written with intrinsics, under #if.
 */
#pragma once

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define DP_VEC 16
#elif defined(__AVX2__)
#define DP_VEC 8
#else
#define DP_VEC 4
#endif

typedef float DpVec __attribute__ ((vector_size (4 * DP_VEC)));
typedef int32_t DpVecI __attribute__ ((vector_size (4 * DP_VEC)));
typedef uint32_t DpVecU __attribute__ ((vector_size (4 * DP_VEC)));
typedef uint16_t DpVecH __attribute__ ((vector_size (2 * DP_VEC)));

/* dp_cpu_gemm_avx2, dp_cpu_gemm_generic, ... */
#define DP_ISA_PASTE2(name, isa) name##_##isa
#define DP_ISA_PASTE(name, isa) DP_ISA_PASTE2 (name, isa)
#define DP_ISA_NAME(name) DP_ISA_PASTE (name, DP_ISA)

#define DP_ISA_STRING2(isa) #isa
#define DP_ISA_STRING1(isa) DP_ISA_STRING2 (isa)
#define DP_ISA_STRING DP_ISA_STRING1 (DP_ISA)

#define DP_KERNEL static inline __attribute__ ((always_inline, unused))

/* ---- memory (no alignment is assumed) ------------------------------------------------------- */

DP_KERNEL DpVec
vec_load (const float *p)
{
  DpVec v;
  memcpy (&v, p, sizeof v);
  return v;
}

DP_KERNEL void
vec_store (float *p, DpVec v)
{
  memcpy (p, &v, sizeof v);
}

DP_KERNEL DpVec
vec_set (float x)
{
  return (DpVec){ 0 } + x;
}

/* The first n < DP_VEC elements, zeros behind them. */
DP_KERNEL DpVec
vec_load_n (const float *p, size_t n)
{
  float t[DP_VEC] = { 0 };
  memcpy (t, p, n * sizeof *p);
  return vec_load (t);
}

DP_KERNEL void
vec_store_n (float *p, DpVec v, size_t n)
{
  float t[DP_VEC];
  vec_store (t, v);
  memcpy (p, t, n * sizeof *p);
}

/* ---- bf16 -------------------------------------------------------------------------------------- */

DP_KERNEL DpVec
vec_load_bf16 (const uint16_t *p)
{
  DpVecH h;
  memcpy (&h, p, sizeof h);
  return (DpVec) (__builtin_convertvector(h, DpVecU) << 16);
}

/* Round to nearest even; a NaN stays a NaN. */
DP_KERNEL void
vec_store_bf16 (uint16_t *p, DpVec v)
{
  DpVecU u = (DpVecU) v;
  DpVecU nan = (DpVecU) ((DpVecI) (u & 0x7fffffffu) > 0x7f800000);
  DpVecU rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16;
  DpVecH h = __builtin_convertvector((nan & (u >> 16 | 0x40)) | (~nan & rounded), DpVecH);
  memcpy (p, &h, sizeof h);
}

/* ---- f16 --------------------------------------------------------------------------------------- */

#if defined(__AVX512F__)
DP_KERNEL DpVec
vec_load_f16 (const uint16_t *p)
{
  return (DpVec) _mm512_cvtph_ps (_mm256_loadu_si256 ((const __m256i *) (const void *) p));
}

DP_KERNEL void
vec_store_f16 (uint16_t *p, DpVec v)
{
  _mm256_storeu_si256 ((__m256i *) (void *) p, _mm512_cvtps_ph ((__m512) v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
#elif defined(__F16C__)
DP_KERNEL DpVec
vec_load_f16 (const uint16_t *p)
{
  return (DpVec) _mm256_cvtph_ps (_mm_loadu_si128 ((const __m128i *) (const void *) p));
}

DP_KERNEL void
vec_store_f16 (uint16_t *p, DpVec v)
{
  _mm_storeu_si128 ((__m128i *) (void *) p, _mm256_cvtps_ph ((__m256) v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
#else
/* The branch-free forms of ops/tensor.h's conversions. */
DP_KERNEL DpVec
vec_load_f16 (const uint16_t *p)
{
  DpVecH h;
  memcpy (&h, p, sizeof h);
  DpVecU u = __builtin_convertvector(h, DpVecU), body = (u & 0x7fffu) << 13, exponent = body & 0x0f800000u;
  DpVecU special = (DpVecU) (exponent == 0x0f800000u), small = (DpVecU) (exponent == 0);
  DpVecU normal = body + (112u << 23) + (special & (112u << 23));
  DpVecU tiny = (DpVecU) ((DpVec) (body + (113u << 23)) - (DpVec) ((DpVecU){ 0 } + (113u << 23)));
  return (DpVec) ((small & tiny) | (~small & normal) | (u & 0x8000u) << 16);
}

DP_KERNEL void
vec_store_f16 (uint16_t *p, DpVec v)
{
  DpVecU u = (DpVecU) v, sign = u & 0x80000000u, body = u ^ sign;
  DpVecU large = (DpVecU) (body >= 0x47800000u), small = (DpVecU) (body < 0x38800000u), nan = (DpVecU) (body > 0x7f800000u);
  DpVecU tiny = (DpVecU) ((DpVec) body + 0.5f) - (126u << 23);
  DpVecU normal = (body - 0x38000000u + 0xfff + (body >> 13 & 1)) >> 13;
  DpVecU h = (small & tiny) | (~small & normal);
  h = (large & ((nan & 0x7e00u) | (~nan & 0x7c00u))) | (~large & h);
  DpVecH out = __builtin_convertvector(h | sign >> 16, DpVecH);
  memcpy (p, &out, sizeof out);
}
#endif

/* ---- arithmetic ----------------------------------------------------------------------------------- */

DP_KERNEL DpVec
vec_select (DpVecI mask, DpVec yes, DpVec no)
{
  return (DpVec) ((mask & (DpVecI) yes) | (~mask & (DpVecI) no));
}

/* a > b ? a : b and a < b ? a : b: the second when one of them is NaN. */
DP_KERNEL DpVec
vec_max (DpVec a, DpVec b)
{
#if defined(__AVX512F__)
  return (DpVec) _mm512_max_ps ((__m512) a, (__m512) b);
#elif defined(__AVX2__)
  return (DpVec) _mm256_max_ps ((__m256) a, (__m256) b);
#elif defined(__SSE2__)
  return (DpVec) _mm_max_ps ((__m128) a, (__m128) b);
#else
  return vec_select (a > b, a, b);
#endif
}

DP_KERNEL DpVec
vec_min (DpVec a, DpVec b)
{
#if defined(__AVX512F__)
  return (DpVec) _mm512_min_ps ((__m512) a, (__m512) b);
#elif defined(__AVX2__)
  return (DpVec) _mm256_min_ps ((__m256) a, (__m256) b);
#elif defined(__SSE2__)
  return (DpVec) _mm_min_ps ((__m128) a, (__m128) b);
#else
  return vec_select (a < b, a, b);
#endif
}

/* Sum of all elements, as a tree of halves. */
DP_KERNEL float
vec_sum (DpVec v)
{
#if defined(__AVX512F__)
  return _mm512_reduce_add_ps ((__m512) v);
#else
  float t[DP_VEC];
  vec_store (t, v);
  for (int step = DP_VEC / 2; step > 0; step /= 2)
    for (int i = 0; i < step; i++)
      t[i] += t[i + step];
  return t[0];
#endif
}

/* The largest element; there is no NaN among them. */
DP_KERNEL float
vec_max_of (DpVec v)
{
#if defined(__AVX512F__)
  return _mm512_reduce_max_ps ((__m512) v);
#else
  float t[DP_VEC];
  vec_store (t, v);
  for (int step = DP_VEC / 2; step > 0; step /= 2)
    for (int i = 0; i < step; i++)
      t[i] = t[i] > t[i + step] ? t[i] : t[i + step];
  return t[0];
#endif
}

/* e^r for |r| <= log (2) / 2 */
DP_KERNEL DpVec
vec_exp_reduced (DpVec r)
{
  DpVec p = vec_set (1.9875691500e-4f);

  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  return p * r * r + r + 1.0f;
}

/* e^x, relative error < 2e-7 (Cody and Waite reduction, degree 6 minimax; coefficients of Cephes expf,
 * public domain); 0 far below -87.3 (how far depends on the instruction set), infinity above 88.7, NaN stays. */
DP_KERNEL DpVec
vec_exp (DpVec x)
{
#if defined(__AVX512F__)
  /* the order of operands lets NaN through; scalef makes 0 and infinity by itself */
  const DpVec c = vec_min (vec_set (90.0f), vec_max (vec_set (-110.0f), x));
  const DpVec n = (DpVec) _mm512_roundscale_ps ((__m512) (c * 1.44269504088896341f), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  return (DpVec) _mm512_scalef_ps ((__m512) vec_exp_reduced (c - n * 0.693359375f - n * -2.12194440e-4f), (__m512) n);
#else
  const DpVec lo = vec_set (-87.33654f), hi = vec_set (88.72283f);
  DpVec c = vec_min (vec_max (x, lo), hi), n, r, p;
  DpVecI k;

  n = c * 1.44269504088896341f;
  /* round to nearest by adding and subtracting 1.5 * 2^23 */
  n = (n + 12582912.0f) - 12582912.0f;
  r = c - n * 0.693359375f;
  r = r - n * -2.12194440e-4f;
  p = vec_exp_reduced (r);
  k = __builtin_convertvector(n, DpVecI);
  /* 2^k in two steps, since k may be 128 */
  p = p * (DpVec) (((k >> 1) + 127) << 23);
  p = p * (DpVec) (((k - (k >> 1)) + 127) << 23);
  p = vec_select (x < lo, vec_set (0.0f), p);
  p = vec_select (x > hi, vec_set (__builtin_inff ()), p);
  return vec_select (x == x, p, x);
#endif
}

DP_KERNEL DpVec
vec_sigmoid (DpVec x)
{
  return 1.0f / (1.0f + vec_exp (-x));
}

/* tanh through e^2x; exact ends, absolute error < 2e-7. */
DP_KERNEL DpVec
vec_tanh (DpVec x)
{
  return 1.0f - 2.0f / (vec_exp (2.0f * x) + 1.0f);
}

/* erfc, relative error < 2e-6 wherever it is a normal number (Numerical Recipes, erfcc; a Chebyshev fit). */
DP_KERNEL DpVec
vec_erfc (DpVec x)
{
  DpVec a = vec_select (x < 0.0f, -x, x), t = 1.0f / (1.0f + 0.5f * a), p;

  p = vec_set (0.17087277f);
  p = p * t - 0.82215223f;
  p = p * t + 1.48851587f;
  p = p * t - 1.13520398f;
  p = p * t + 0.27886807f;
  p = p * t - 0.18628806f;
  p = p * t + 0.09678418f;
  p = p * t + 0.37409196f;
  p = p * t + 1.00002368f;
  p = p * t - 1.26551223f;
  p = t * vec_exp (p - a * a);
  return vec_select (x < 0.0f, 2.0f - p, p);
}

/* The activations of DpAct (ops/ops.h); which is a constant at every call, so only one branch stays. */
DP_KERNEL DpVec
vec_act (uint32_t which, DpVec z)
{
  switch (which) {
  case 1: return vec_select ((z > 0) | (z != z), z, vec_set (0));
  case 2: return z / (1.0f + vec_exp (-z));
  case 3: return 0.5f * z * vec_erfc (-0.70710678f * z);
  case 4: return z / (1.0f + vec_exp (-1.59576912f * (z + 0.044715f * z * z * z)));
  case 5: return z / (1.0f + vec_exp (-1.702f * z));
  default: return z;
  }
}
