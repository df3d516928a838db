/* backends/cpu/isa/arith.c - sums, norms, rotations and searches over rows of f32; see arith.h. */
#include "backends/cpu/isa/arith.h"
#include "backends/cpu/isa/vec.h"

#include <math.h>

/* The body sees i and a vector's worth of elements from there on: GET and PUT are whole vectors, or what is left. */
#define EACH_VECTOR(body)                                                                                                                  \
  do {                                                                                                                                     \
    size_t i = 0;                                                                                                                          \
    for (; i + DP_VEC <= n; i += DP_VEC) {                                                                                                 \
      body (vec_load, vec_store, )                                                                                                         \
    }                                                                                                                                      \
    if (i < n) {                                                                                                                           \
      body (vec_load_n, vec_store_n, REST)                                                                                                 \
    }                                                                                                                                      \
  } while (0)
#define REST , n - i

static void
add (const float *x, float *y, size_t n)
{
#define BODY(get, put, rest) put (y + i, get (y + i rest) + get (x + i rest) rest);
  EACH_VECTOR (BODY);
#undef BODY
}

static void
mul (const float *x, float *y, size_t n)
{
#define BODY(get, put, rest) put (y + i, get (y + i rest) * get (x + i rest) rest);
  EACH_VECTOR (BODY);
#undef BODY
}

static void
mul_add (const float *x, const float *y, float *z, size_t n)
{
#define BODY(get, put, rest) put (z + i, get (z + i rest) + get (x + i rest) * get (y + i rest) rest);
  EACH_VECTOR (BODY);
#undef BODY
}

static void
scale (float factor, float *x, size_t n)
{
#define BODY(get, put, rest) put (x + i, get (x + i rest) * factor rest);
  EACH_VECTOR (BODY);
#undef BODY
}

static void
axpy (float factor, const float *x, float *y, size_t n)
{
#define BODY(get, put, rest) put (y + i, get (y + i rest) + factor * get (x + i rest) rest);
  EACH_VECTOR (BODY);
#undef BODY
}

/* ---- sums: four chains, or the latency of an addition is all one sees ------------------------------- */

#define CHAINS 4
#define EACH_CHAIN _Pragma ("GCC unroll 4") for (size_t j = 0; j < CHAINS; j++)

#define SUM(term)                                                                                                                          \
  do {                                                                                                                                     \
    DpVec chain[CHAINS] = { 0 };                                                                                                           \
    size_t i = 0;                                                                                                                          \
    for (; i + CHAINS * DP_VEC <= n; i += CHAINS * DP_VEC)                                                                                 \
      EACH_CHAIN chain[j] += term (vec_load, i + j * DP_VEC, );                                                                            \
    for (; i + DP_VEC <= n; i += DP_VEC)                                                                                                   \
      chain[0] += term (vec_load, i, );                                                                                                    \
    if (i < n)                                                                                                                             \
      chain[0] += term (vec_load_n, i, REST);                                                                                              \
    return vec_sum ((chain[0] + chain[1]) + (chain[2] + chain[3]));                                                                        \
  } while (0)

static float
dot (const float *x, const float *y, size_t n)
{
#define TERM(get, at, rest) get (x + (at) rest) * get (y + (at) rest)
  SUM (TERM);
#undef TERM
}

static float
sum (const float *x, size_t n)
{
#define TERM(get, at, rest) get (x + (at) rest)
  SUM (TERM);
#undef TERM
}

static float
squares_whole (const float *x, float mean, size_t n)
{
#define TERM(get, at, rest) ((get (x + (at) rest) - mean) * (get (x + (at) rest) - mean))
  SUM (TERM);
#undef TERM
}

/* sum of (x - mean)^2; the lanes behind the end would each add mean^2 */
static float
squares_about (const float *x, float mean, size_t n)
{
  size_t whole = n / DP_VEC * DP_VEC;
  float total = squares_whole (x, mean, whole);

  for (size_t i = whole; i < n; i++)
    total += (x[i] - mean) * (x[i] - mean);
  return total;
}

/* ---- norms ------------------------------------------------------------------------------------------- */

static void
rms (const float *x, const float *weight, float eps, float *y, size_t n)
{
  float factor = 1 / sqrtf (dot (x, x, n) / (float) n + eps);

#define BODY(get, put, rest) put (y + i, get (x + i rest) * factor * get (weight + i rest) rest);
  EACH_VECTOR (BODY);
#undef BODY
}

static void
layer (const float *x, const float *weight, const float *bias, float eps, float *y, size_t n)
{
  float mean = sum (x, n) / (float) n, factor = 1 / sqrtf (squares_about (x, mean, n) / (float) n + eps);

#define BODY(get, put, rest) put (y + i, (get (x + i rest) - mean) * factor * get (weight + i rest) rest);
#define BIASED(get, put, rest) put (y + i, (get (x + i rest) - mean) * factor * get (weight + i rest) + get (bias + i rest) rest);
  if (bias)
    EACH_VECTOR (BIASED);
  else
    EACH_VECTOR (BODY);
#undef BIASED
#undef BODY
}

/* ---- rotary ------------------------------------------------------------------------------------------ */

static void
rotate_half (float *a, float *b, const float *c, const float *s, size_t n)
{
#define BODY(get, put, rest)                                                                                                               \
  DpVec va = get (a + i rest), vb = get (b + i rest), vc = get (c + i rest), vs = get (s + i rest);                                        \
  put (a + i, va * vc - vb * vs rest);                                                                                                     \
  put (b + i, vb * vc + va * vs rest);
  EACH_VECTOR (BODY);
#undef BODY
}

static void
rotate_pairs (float *x, const float *c, const float *s, size_t n)
{
  for (size_t j = 0; j < n; j++) {
    float a = x[2 * j], b = x[2 * j + 1];
    x[2 * j] = a * c[j] - b * s[j];
    x[2 * j + 1] = b * c[j] + a * s[j];
  }
}

/* ---- searches ------------------------------------------------------------------------------------------ */

/* NaN becomes -infinity, and *nan says so. */
DP_KERNEL DpVec
without_nan (DpVec v, DpVecI *nan)
{
  DpVecI bad = v != v;

  *nan |= bad;
  return vec_select (bad, vec_set (-INFINITY), v);
}

/* Bit i: lane i of the mask is set. */
DP_KERNEL unsigned
lanes_of (DpVecI mask)
{
#if defined(__AVX512DQ__)
  return _mm512_movepi32_mask ((__m512i) mask);
#elif defined(__AVX2__)
  return (unsigned) _mm256_movemask_ps ((__m256) mask);
#else
  unsigned bits = 0;

  for (unsigned i = 0; i < DP_VEC; i++)
    bits |= (mask[i] ? 1u : 0u) << i;
  return bits;
#endif
}

/* Where x first has a value; n: nowhere. */
static size_t
find (const float *x, float value, size_t n)
{
  size_t i = 0;

  for (; i + DP_VEC <= n; i += DP_VEC) {
    const unsigned lanes = lanes_of (vec_load (x + i) == value);
    if (lanes)
      return i + (unsigned) __builtin_ctz (lanes);
  }
  while (i < n && x[i] != value)
    i++;
  return i;
}

/* Each lane keeps its two largest; the index is looked for afterwards, which costs less than carrying it along. */
static DpBest
best (const float *x, size_t n)
{
  DpVec first = vec_set (-INFINITY), second = first;
  DpVecI nan = { 0 };
  size_t i = 0;

  for (; i + DP_VEC <= n; i += DP_VEC) {
    DpVec v = without_nan (vec_load (x + i), &nan);
    second = vec_max (second, vec_min (first, v));
    first = vec_max (first, v);
  }
  DpBest b = { 0, vec_max_of (first), 0, lanes_of (nan) != 0 };
  const DpVecI top = first == b.largest;
  const unsigned lanes = lanes_of (top);
  b.second = lanes & (lanes - 1) ? b.largest : vec_max_of (vec_select (top, second, first));
  for (; i < n; i++) {
    b.nan |= x[i] != x[i];
    b.second = x[i] > b.largest ? b.largest : x[i] > b.second ? x[i] : b.second;
    b.largest = x[i] > b.largest ? x[i] : b.largest;
  }
  b.at = find (x, b.largest, n);
  if (b.at == n) { /* nothing but NaN */
    b.at = 0;
    b.largest = NAN;
  }
  return b;
}

static float
sum_exp (const float *x, float largest, size_t n)
{
  DpVec total = { 0 };
  DpVecI nan = { 0 };
  size_t i = 0;

  for (; i + DP_VEC <= n; i += DP_VEC)
    total += vec_exp (without_nan (vec_load (x + i), &nan) - largest);
  if (i < n) {
    float p[DP_VEC];
    float rest = 0;
    vec_store (p, vec_exp (without_nan (vec_load_n (x + i, n - i), &nan) - largest));
    for (size_t j = 0; j < n - i; j++)
      rest += p[j];
    return vec_sum (total) + rest;
  }
  return vec_sum (total);
}

static float
softmax (const float *x, float largest, float temperature, float *p, size_t n)
{
  DpVec total = { 0 };
  DpVecI nan = { 0 };
  float rest = 0;
  size_t i = 0;

  for (; i + DP_VEC <= n; i += DP_VEC) {
    DpVec e = vec_exp ((without_nan (vec_load (x + i), &nan) - largest) / temperature);
    vec_store (p + i, e);
    total += e;
  }
  if (i < n) {
    vec_store_n (p + i, vec_exp ((without_nan (vec_load_n (x + i, n - i), &nan) - largest) / temperature), n - i);
    for (size_t j = i; j < n; j++)
      rest += p[j];
  }
  return vec_sum (total) + rest;
}

const DpArithKernels DP_ISA_NAME (dp_cpu_arith) = {
  .name = DP_ISA_STRING,
  .add = add,
  .mul = mul,
  .mul_add = mul_add,
  .scale = scale,
  .axpy = axpy,
  .dot = dot,
  .rms = rms,
  .layer = layer,
  .rotate_half = rotate_half,
  .rotate_pairs = rotate_pairs,
  .best = best,
  .sum_exp = sum_exp,
  .softmax = softmax,
};
