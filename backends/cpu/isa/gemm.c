/* backends/cpu/isa/gemm.c - the microkernels of gemm.h; compiled once per instruction set.
 *
 * The accumulators of m rows by 32 outputs stay in registers over all of k; each step loads
 * two vectors of weights and broadcasts one value of each row.  12 x 32 (XNNPACK has 11 x 32)
 * uses 24 of 32 zmm registers, and measured it reaches the dpbf16 peak (backends/cpu/README.md).
 */
#include "backends/cpu/isa/gemm.h"
#include "backends/cpu/isa/vec.h"

#if defined(__AVX512F__)
#define ROWS 12
#elif defined(__AVX2__)
#define ROWS 3 /* 3 x 32 is 12 of 16 ymm */
#else
#define ROWS 1 /* 8 of 16 xmm */
#endif
#define WIDE (DP_PANEL / DP_VEC) /* registers per row of the panel */

/* Far enough ahead to hide memory, near enough to stay in the first-level cache. */
#define AHEAD 4096

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

DP_KERNEL void
prefetch (const void *p)
{
  __builtin_prefetch ((const char *) p + AHEAD);
  __builtin_prefetch ((const char *) p + AHEAD + 64);
}

DP_KERNEL void
bf16_rows (unsigned m, size_t k_pairs, const uint16_t *a, size_t lda, const uint16_t *panel, float *c)
{
  DpVec acc[ROWS][WIDE] = { 0 };

  for (size_t k = 0; k < k_pairs; k++) {
    const uint16_t *b = panel + k * 2 * DP_PANEL;
    DpVecU w[WIDE];
    EACH_WIDE w[j] = load_words (b + 2 * j * DP_VEC);
    prefetch (b);
    EACH_ROW
    {
      uint32_t pair = pair_of (a + i * lda + 2 * k);
      EACH_WIDE acc[i][j] = dot_pair (acc[i][j], pair, w[j]);
    }
  }
  EACH_ROW EACH_WIDE vec_store (c + i * DP_PANEL + j * DP_VEC, acc[i][j]);
}

/* ---- f32 ----------------------------------------------------------------------------------------- */

DP_KERNEL void
f32_rows (unsigned m, size_t n_k, const float *a, size_t lda, const float *panel, float *c)
{
  DpVec acc[ROWS][WIDE] = { 0 };

  for (size_t k = 0; k < n_k; k++) {
    const float *b = panel + k * DP_PANEL;
    DpVec w[WIDE];
    EACH_WIDE w[j] = vec_load (b + j * DP_VEC);
    prefetch (b);
    EACH_ROW
    {
      DpVec x = vec_set (a[i * lda + k]);
      EACH_WIDE acc[i][j] += x * w[j];
    }
  }
  EACH_ROW EACH_WIDE vec_store (c + i * DP_PANEL + j * DP_VEC, acc[i][j]);
}

/* ---- int8 ------------------------------------------------------------------------------------------ */

DP_KERNEL uint32_t
quad_of (const int8_t *a)
{
  uint32_t quad;
  memcpy (&quad, a, sizeof quad);
  return quad;
}

#if defined(__AVX512VNNI__)
DP_KERNEL DpVecI
dot_quad (DpVecI acc, uint32_t a, DpVecU b)
{
  return (DpVecI) _mm512_dpbusd_epi32 ((__m512i) acc, (__m512i) b, _mm512_set1_epi32 ((int) a));
}
#else
DP_KERNEL DpVecI
dot_quad (DpVecI acc, uint32_t a, DpVecU b)
{
  acc += (int32_t) (int8_t) a * (DpVecI) (b & 0xff);
  acc += (int32_t) (int8_t) (a >> 8) * (DpVecI) (b >> 8 & 0xff);
  acc += (int32_t) (int8_t) (a >> 16) * (DpVecI) (b >> 16 & 0xff);
  return acc + (int32_t) (int8_t) (a >> 24) * (DpVecI) (b >> 24);
}
#endif

/* The weights are stored with 128 added, so 128 * sum (a) comes off at the start. */
DP_KERNEL void
i8_rows (unsigned m, size_t k_quads, const int8_t *a, size_t lda, const uint8_t *panel, int32_t *c)
{
  DpVecI acc[ROWS][WIDE];

  EACH_ROW
  {
    int32_t sum = 0;
    for (size_t k = 0; k < 4 * k_quads; k++)
      sum += a[i * lda + k];
    EACH_WIDE acc[i][j] = (DpVecI){ 0 } - 128 * sum;
  }
  for (size_t k = 0; k < k_quads; k++) {
    const uint8_t *b = panel + k * 4 * DP_PANEL;
    DpVecU w[WIDE];
    EACH_WIDE w[j] = load_words (b + 4 * j * DP_VEC);
    prefetch (b);
    EACH_ROW
    {
      uint32_t quad = quad_of (a + i * lda + 4 * k);
      EACH_WIDE acc[i][j] = dot_quad (acc[i][j], quad, w[j]);
    }
  }
  EACH_ROW EACH_WIDE memcpy (c + i * DP_PANEL + j * DP_VEC, &acc[i][j], sizeof acc[i][j]);
}

/* ---- one function per m, so that the row loops unroll ------------------------------------------------ */

#if ROWS == 12
#define EACH_M(body)                                                                                                                       \
  switch (m) {                                                                                                                             \
  case 1: body (1); break;                                                                                                                 \
  case 2: body (2); break;                                                                                                                 \
  case 3: body (3); break;                                                                                                                 \
  case 4: body (4); break;                                                                                                                 \
  case 5: body (5); break;                                                                                                                 \
  case 6: body (6); break;                                                                                                                 \
  case 7: body (7); break;                                                                                                                 \
  case 8: body (8); break;                                                                                                                 \
  case 9: body (9); break;                                                                                                                 \
  case 10: body (10); break;                                                                                                               \
  case 11: body (11); break;                                                                                                               \
  default: body (12); break;                                                                                                               \
  }
#elif ROWS == 3
#define EACH_M(body)                                                                                                                       \
  switch (m) {                                                                                                                             \
  case 1: body (1); break;                                                                                                                 \
  case 2: body (2); break;                                                                                                                 \
  default: body (3); break;                                                                                                                \
  }
#else
#define EACH_M(body) ((void) m, body (1))
#endif

static void
gemm_bf16 (unsigned m, size_t k_pairs, const uint16_t *a, size_t lda, const uint16_t *panel, float *c)
{
#define BODY(n) bf16_rows (n, k_pairs, a, lda, panel, c)
  EACH_M (BODY);
#undef BODY
}

static void
gemm_f32 (unsigned m, size_t k, const float *a, size_t lda, const float *panel, float *c)
{
#define BODY(n) f32_rows (n, k, a, lda, panel, c)
  EACH_M (BODY);
#undef BODY
}

static void
gemm_i8 (unsigned m, size_t k_quads, const int8_t *a, size_t lda, const uint8_t *panel, int32_t *c)
{
#define BODY(n) i8_rows (n, k_quads, a, lda, panel, c)
  EACH_M (BODY);
#undef BODY
}

static void
to_bf16 (const float *from, uint16_t *to, size_t n)
{
  size_t i = 0;

  for (; i + DP_VEC <= n; i += DP_VEC)
    vec_store_bf16 (to + i, vec_load (from + i));
  if (i < n) {
    uint16_t t[DP_VEC];
    vec_store_bf16 (t, vec_load_n (from + i, n - i));
    memcpy (to + i, t, (n - i) * sizeof *t);
  }
}

#define STRING2(x) #x
#define STRING(x) STRING2 (x)

const DpGemmKernels DP_ISA_NAME (dp_cpu_gemm) = {
  .name = STRING (DP_ISA),
  .max_rows = ROWS,
  .bf16 = gemm_bf16,
  .f32 = gemm_f32,
  .i8 = gemm_i8,
  .to_bf16 = to_bf16,
};
