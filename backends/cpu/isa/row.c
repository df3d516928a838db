/* backends/cpu/isa/row.c - number formats, activations and quantisation of rows; see row.h. */
#include "backends/cpu/isa/row.h"
#include "backends/cpu/isa/vec.h"

/* ---- formats ------------------------------------------------------------------------------------ */

static void
copy_f32 (const void *from, float *to, size_t n)
{
  memcpy (to, from, n * sizeof *to);
}

static void
store_f32 (const float *from, void *to, size_t n)
{
  memcpy (to, from, n * sizeof *from);
}

/* The last few elements go through a vector on the stack. */
#define HALF_ROWS(type)                                                                                                                    \
  static void load_##type (const void *from, float *to, size_t n)                                                                          \
  {                                                                                                                                        \
    const uint16_t *h = from;                                                                                                              \
    uint16_t t[DP_VEC] = { 0 };                                                                                                            \
    size_t i = 0;                                                                                                                          \
    for (; i + DP_VEC <= n; i += DP_VEC)                                                                                                   \
      vec_store (to + i, vec_load_##type (h + i));                                                                                         \
    if (i < n) {                                                                                                                           \
      memcpy (t, h + i, (n - i) * sizeof *t);                                                                                              \
      vec_store_n (to + i, vec_load_##type (t), n - i);                                                                                    \
    }                                                                                                                                      \
  }                                                                                                                                        \
  static void store_##type (const float *from, void *to, size_t n)                                                                         \
  {                                                                                                                                        \
    uint16_t *h = to, t[DP_VEC];                                                                                                           \
    size_t i = 0;                                                                                                                          \
    for (; i + DP_VEC <= n; i += DP_VEC)                                                                                                   \
      vec_store_##type (h + i, vec_load (from + i));                                                                                       \
    if (i < n) {                                                                                                                           \
      vec_store_##type (t, vec_load_n (from + i, n - i));                                                                                  \
      memcpy (h + i, t, (n - i) * sizeof *t);                                                                                              \
    }                                                                                                                                      \
  }
HALF_ROWS (f16)
HALF_ROWS (bf16)

/* ---- activations -------------------------------------------------------------------------------- */

#define EACH_VECTOR(expression)                                                                                                            \
  do {                                                                                                                                     \
    size_t i = 0;                                                                                                                          \
    for (; i + DP_VEC <= n; i += DP_VEC) {                                                                                                 \
      DpVec v = vec_load (z + i);                                                                                                          \
      vec_store (z + i, expression);                                                                                                       \
    }                                                                                                                                      \
    if (i < n) {                                                                                                                           \
      DpVec v = vec_load_n (z + i, n - i);                                                                                                 \
      vec_store_n (z + i, expression, n - i);                                                                                              \
    }                                                                                                                                      \
  } while (0)

static void
act (uint32_t which, float *z, size_t n)
{
  switch (which) { /* DpAct */
  case 1: EACH_VECTOR (vec_act (1, v)); break;
  case 2: EACH_VECTOR (vec_act (2, v)); break;
  case 3: EACH_VECTOR (vec_act (3, v)); break;
  case 4: EACH_VECTOR (vec_act (4, v)); break;
  case 5: EACH_VECTOR (vec_act (5, v)); break;
  default: break;
  }
}

/* ---- quantisation --------------------------------------------------------------------------------- */

/* The largest |x|; NaN if any is not finite. */
DP_KERNEL float
largest_of (const float *x, size_t n)
{
  DpVec most = vec_set (0);
  DpVecI bad = { 0 };

  for (size_t i = 0; i < n; i += DP_VEC) {
    DpVec v = n - i >= DP_VEC ? vec_load (x + i) : vec_load_n (x + i, n - i);
    DpVec size = (DpVec) ((DpVecU) v & 0x7fffffffu);
    bad |= (DpVecI) size >= 0x7f800000; /* infinity and NaN */
    most = vec_max (size, most);
  }
  int32_t each[DP_VEC], any = 0;
  memcpy (each, &bad, sizeof each);
  for (unsigned i = 0; i < DP_VEC; i++)
    any |= each[i];
  return any ? __builtin_nanf ("") : vec_max_of (most);
}

static float
quantise (const float *x, int8_t *q, int32_t *sum, size_t n)
{
  float largest = largest_of (x, n), scale = largest > 0 ? largest / 127 : 1;
  int32_t total = 0;

  if (largest != largest) {
    memset (q, 0, n);
    *sum = 0;
    return largest;
  }
  for (size_t i = 0; i < n; i++) {
    /* a scale that underflowed to 0 makes this infinite, which the clamp takes care of */
    float v = x[i] == 0 ? 0 : x[i] / scale;
    v = v > 127 ? 127 : v < -127 ? -127 : v;
    v = (v + 12582912.0f) - 12582912.0f; /* rint: 1.5 * 2^23 */
    q[i] = (int8_t) v;
    total += (int32_t) v;
  }
  *sum = total;
  return scale;
}

typedef int8_t Bytes __attribute__ ((vector_size (DP_VEC)));

/* A block that is not finite: infinities become their sign and the scale infinity, so that the product is infinite
 * with the sign it should have; a NaN makes everything NaN. */
static float
quantise_wild (const float *x, int8_t *high, int8_t *low, int32_t *sum, size_t n)
{
  int nan = 0;

  memset (high, 0, n);
  for (size_t i = 0; i < n; i++) {
    low[i] = (int8_t) ((x[i] > 3.4028235e38f) - (x[i] < -3.4028235e38f));
    *sum += low[i];
    nan |= x[i] != x[i];
  }
  return nan ? __builtin_nanf ("") : __builtin_inff ();
}

static float
quantise16 (const float *x, int8_t *high, int8_t *low, int32_t *sum, size_t n)
{
  float largest = largest_of (x, n), scale = largest / 32512, inverse = 32512 / largest;
  DpVecI total = { 0 };

  *sum = 0;
  if (largest != largest)
    return quantise_wild (x, high, low, sum, n);
  if (largest < 1e-30f) { /* nothing or next to nothing */
    memset (high, 0, n);
    memset (low, 0, n);
    return 1;
  }
  for (size_t i = 0; i < n; i += DP_VEC) {
    size_t count = n - i < DP_VEC ? n - i : DP_VEC;
    DpVec v = (count == DP_VEC ? vec_load (x + i) : vec_load_n (x + i, count)) * inverse;
    DpVecI q = __builtin_convertvector((v + 12582912.0f) - 12582912.0f, DpVecI), h = (q + 128) >> 8;
    Bytes h8 = __builtin_convertvector(h, Bytes), l8 = __builtin_convertvector(q - (h << 8), Bytes);
    memcpy (high + i, &h8, count);
    memcpy (low + i, &l8, count);
    total += q;
  }
  int32_t each[DP_VEC];
  memcpy (each, &total, sizeof each);
  for (unsigned i = 0; i < DP_VEC; i++)
    *sum += each[i];
  return scale;
}

const DpRowKernels DP_ISA_NAME (dp_cpu_row) = {
  .name = DP_ISA_STRING,
  .load = { copy_f32, load_f16, load_bf16 },
  .store = { store_f32, store_f16, store_bf16 },
  .act = act,
  .quantise = quantise,
  .quantise16 = quantise16,
};
