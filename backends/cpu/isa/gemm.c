/* backends/cpu/isa/gemm.c - the microkernels of gemm.h; compiled once per instruction set.
 *
 * The accumulators of m rows by 32 outputs stay in registers over all of k; each step loads
 * two vectors of weights and broadcasts one value of each row.  12 x 32 (XNNPACK has 11 x 32)
 * uses 24 of 32 zmm registers, and measured it reaches the dpbf16 peak (backends/cpu/README.md).
 */
#include "backends/cpu/isa/panel.h"

/* Far enough ahead to hide memory, near enough to stay in the first-level cache. */
#define AHEAD 6144
/* From a cache every second line of a panel is enough, and nearer: the processor brings the other one, and a prefetch takes the
 * place of a load. */
#define AHEAD_IN_CACHE 2048

DP_KERNEL void
prefetch (const void *p)
{
  __builtin_prefetch ((const char *) p + AHEAD);
  __builtin_prefetch ((const char *) p + AHEAD + 64);
}

DP_KERNEL void
bf16_rows (unsigned m, size_t k_pairs, const uint16_t *a, size_t lda, const uint16_t *panel, const void *next, float *c)
{
  DpVec acc[ROWS][WIDE] = { 0 };
  const char *fetch = next ? next : (const char *) panel + AHEAD;
  const size_t other = next ? 0 : 64, step = 64 + other;

  for (size_t k = 0; k < k_pairs; k++) {
    const uint16_t *b = panel + k * 2 * DP_PANEL;
    DpVecU w[WIDE];
    EACH_WIDE w[j] = load_words (b + 2 * j * DP_VEC);
    __builtin_prefetch (fetch);
    __builtin_prefetch (fetch + other);
    fetch += step;
    EACH_ROW
    {
      uint32_t pair = pair_of (a + i * lda + 2 * k);
      EACH_WIDE acc[i][j] = dot_pair (acc[i][j], pair, w[j]);
    }
  }
  EACH_ROW EACH_WIDE vec_store (c + i * DP_PANEL + j * DP_VEC, acc[i][j]);
}

#define EACH_PANEL _Pragma ("GCC unroll 2") for (unsigned p = 0; p < 2; p++)

DP_KERNEL void
bf16_pair (unsigned m, size_t k_pairs, const uint16_t *a, size_t lda, const uint16_t *panels, size_t panel_stride, float *c)
{
  DpVec acc[2][ROWS][WIDE] = { 0 };

  for (size_t k = 0; k < k_pairs; k++) {
    const uint16_t *b = panels + k * 2 * DP_PANEL;
    EACH_PANEL
    {
      DpVecU w[WIDE];
      EACH_WIDE w[j] = load_words (b + p * panel_stride + 2 * j * DP_VEC);
      __builtin_prefetch ((const char *) (b + p * panel_stride) + AHEAD_IN_CACHE);
      EACH_ROW
      {
        uint32_t pair = pair_of (a + i * lda + 2 * k);
        EACH_WIDE acc[p][i][j] = dot_pair (acc[p][i][j], pair, w[j]);
      }
    }
  }
  EACH_PANEL EACH_ROW EACH_WIDE vec_store (c + (p * m + i) * DP_PANEL + j * DP_VEC, acc[p][i][j]);
}

/* ---- f32, f16 ----------------------------------------------------------------------------------------- */

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

DP_KERNEL void
f16_rows (unsigned m, size_t n_k, const float *a, size_t lda, const uint16_t *panel, float *c)
{
  DpVec acc[ROWS][WIDE] = { 0 };

  for (size_t k = 0; k < n_k; k++) {
    const uint16_t *b = panel + k * DP_PANEL;
    DpVec w[WIDE];
    EACH_WIDE w[j] = vec_load_f16 (b + j * DP_VEC);
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

/* Four int8 of x against four u8 of each output.  Without VNNI even and odd bytes are widened to 16 bits and
 * multiplied in pairs, which is exact; the one-instruction u8 x s8 product of AVX2 saturates. */
#if defined(__AVX512VNNI__)
typedef struct {
  __m512i quad;
} Quad;

DP_KERNEL Quad
quad_set (uint32_t a)
{
  return (Quad){ _mm512_set1_epi32 ((int) a) };
}

DP_KERNEL DpVecI
dot_quad (DpVecI acc, Quad a, DpVecU b)
{
  return (DpVecI) _mm512_dpbusd_epi32 ((__m512i) acc, (__m512i) b, a.quad);
}
#elif defined(__x86_64__)
#if DP_VEC == 16
#define MADD(a, b) (DpVecI) _mm512_madd_epi16 ((__m512i) (a), (__m512i) (b))
#elif DP_VEC == 8
#define MADD(a, b) (DpVecI) _mm256_madd_epi16 ((__m256i) (a), (__m256i) (b))
#else
#define MADD(a, b) (DpVecI) _mm_madd_epi16 ((__m128i) (a), (__m128i) (b))
#endif
typedef struct {
  DpVecU even, odd;
} Quad;

DP_KERNEL Quad
quad_set (uint32_t a)
{
  uint32_t even = (uint32_t) (int8_t) a & 0xffffu, odd = (uint32_t) (int8_t) (a >> 8) & 0xffffu;
  even |= (uint32_t) (int8_t) (a >> 16) << 16;
  odd |= (uint32_t) (int8_t) (a >> 24) << 16;
  return (Quad){ (DpVecU){ 0 } + even, (DpVecU){ 0 } + odd };
}

DP_KERNEL DpVecI
dot_quad (DpVecI acc, Quad a, DpVecU b)
{
  return acc + MADD (b & 0x00ff00ffu, a.even) + MADD (b >> 8 & 0x00ff00ffu, a.odd);
}
#else
typedef struct {
  uint32_t quad;
} Quad;

DP_KERNEL Quad
quad_set (uint32_t a)
{
  return (Quad){ a };
}

DP_KERNEL DpVecI
dot_quad (DpVecI acc, Quad a, DpVecU b)
{
  acc += (int32_t) (int8_t) a.quad * (DpVecI) (b & 0xff);
  acc += (int32_t) (int8_t) (a.quad >> 8) * (DpVecI) (b >> 8 & 0xff);
  acc += (int32_t) (int8_t) (a.quad >> 16) * (DpVecI) (b >> 16 & 0xff);
  return acc + (int32_t) (int8_t) (a.quad >> 24) * (DpVecI) (b >> 24);
}
#endif

/* The weights are stored with 128 added, so 128 * sum (a) comes off at the start. */
DP_KERNEL void
i8_rows (unsigned m, size_t k_quads, const int8_t *a, size_t lda, const int32_t *sums, const uint8_t *panel, int32_t *c)
{
  DpVecI acc[ROWS][WIDE];

  EACH_ROW EACH_WIDE acc[i][j] = (DpVecI){ 0 } - 128 * sums[i];
  for (size_t k = 0; k < k_quads; k++) {
    const uint8_t *b = panel + k * 4 * DP_PANEL;
    DpVecU w[WIDE];
    EACH_WIDE w[j] = load_words (b + 4 * j * DP_VEC);
    prefetch (b);
    EACH_ROW
    {
      Quad quad = quad_set (quad_of (a + i * lda + 4 * k));
      EACH_WIDE acc[i][j] = dot_quad (acc[i][j], quad, w[j]);
    }
  }
  EACH_ROW EACH_WIDE memcpy (c + i * DP_PANEL + j * DP_VEC, &acc[i][j], sizeof acc[i][j]);
}

/* ---- int8 and int4 in blocks --------------------------------------------------------------------------- */

DP_KERNEL float
float_at (const uint8_t *p, size_t i)
{
  float f;
  memcpy (&f, p + 4 * i, sizeof f);
  return f;
}

DP_KERNEL int32_t
int_at (const uint8_t *p, size_t i)
{
  int32_t v;
  memcpy (&v, p + 4 * i, sizeof v);
  return v;
}

typedef DpVecI Tile[QUANT_ROWS][WIDE];

/* One block of the panel into integer accumulators, for the high and low halves of x. */
DP_KERNEL void
block_i8 (unsigned m, size_t n_k, const int8_t *a, size_t to_low, size_t lda, const uint8_t *panel, Tile high, Tile low)
{
  for (size_t k = 0; k < n_k; k += 4) {
    const uint8_t *b = panel + k * DP_PANEL;
    DpVecU w[WIDE];
    EACH_WIDE w[j] = load_words (b + 4 * j * DP_VEC);
    prefetch (b);
    EACH_ROW
    {
      const int8_t *x = a + i * lda + k;
      Quad h = quad_set (quad_of (x)), l = quad_set (quad_of (x + to_low));
      EACH_WIDE high[i][j] = dot_quad (high[i][j], h, w[j]);
      EACH_WIDE low[i][j] = dot_quad (low[i][j], l, w[j]);
    }
  }
}

DP_KERNEL void
block_i4 (unsigned m, size_t n_k, const int8_t *a, size_t to_low, size_t lda, const uint8_t *panel, Tile high, Tile low)
{
  for (size_t k = 0; k < n_k; k += 8) {
    const uint8_t *b = panel + k / 2 * DP_PANEL;
    DpVecU first[WIDE], second[WIDE];
    EACH_WIDE
    {
      DpVecU both = load_words (b + 4 * j * DP_VEC);
      first[j] = both & 0x0f0f0f0fu;
      second[j] = both >> 4 & 0x0f0f0f0fu;
    }
    prefetch (b);
    EACH_ROW
    {
      const int8_t *x = a + i * lda + k;
      Quad h = quad_set (quad_of (x)), l = quad_set (quad_of (x + to_low));
      EACH_WIDE high[i][j] = dot_quad (high[i][j], h, first[j]);
      EACH_WIDE low[i][j] = dot_quad (low[i][j], l, first[j]);
      h = quad_set (quad_of (x + 4)), l = quad_set (quad_of (x + to_low + 4));
      EACH_WIDE high[i][j] = dot_quad (high[i][j], h, second[j]);
      EACH_WIDE low[i][j] = dot_quad (low[i][j], l, second[j]);
    }
  }
}

DP_KERNEL void
quant_rows (unsigned m, int bits, const DpQuantShape *s, const uint8_t *rows, size_t row_bytes, const uint8_t *panel, const float *scales,
            const float *zeros, float *c)
{
  const size_t n_k = s->n_blocks * s->padded, block_bytes = s->padded * DP_PANEL * (size_t) bits / 8;
  const uint8_t *x_scales = rows + 2 * n_k, *x_sums = x_scales + 4 * s->n_blocks;
  const int32_t offset = bits == 8 ? 128 : zeros ? 0 : 8; /* what stored values have on top, taken off exactly */
  DpVec sum[QUANT_ROWS][WIDE] = { 0 };

  for (size_t block = 0, in_group = 0; block < s->n_blocks; block++) {
    const int8_t *x = (const int8_t *) rows + block * s->padded;
    Tile high, low;
    EACH_ROW EACH_WIDE high[i][j] = (DpVecI){ 0 };
    EACH_ROW EACH_WIDE low[i][j] = (DpVecI){ 0 } - offset * int_at (x_sums + i * row_bytes, block);
    if (bits == 8)
      block_i8 (m, s->padded, x, n_k, row_bytes, panel + block * block_bytes, high, low);
    else
      block_i4 (m, s->padded, x, n_k, row_bytes, panel + block * block_bytes, high, low);
    EACH_ROW
    {
      float x_scale = float_at (x_scales + i * row_bytes, block), x_sum = (float) int_at (x_sums + i * row_bytes, block);
      EACH_WIDE
      {
        DpVec part = __builtin_convertvector(low[i][j] + (high[i][j] << 8), DpVec);
        if (zeros)
          part -= vec_load (zeros + j * DP_VEC) * x_sum;
        sum[i][j] += part * (vec_load (scales + j * DP_VEC) * x_scale);
      }
    }
    if (++in_group == s->blocks_per_group) {
      in_group = 0;
      scales += DP_PANEL;
      zeros = zeros ? zeros + DP_PANEL : NULL;
    }
  }
  EACH_ROW EACH_WIDE vec_store (c + i * DP_PANEL + j * DP_VEC, sum[i][j]);
}

/* ---- as functions ---------------------------------------------------------------------------------------- */

static void
gemm_bf16 (unsigned m, size_t k_pairs, const uint16_t *a, size_t lda, const uint16_t *panel, const void *next, float *c)
{
#define BODY(n) bf16_rows (n, k_pairs, a, lda, panel, next, c)
  EACH_M (BODY);
#undef BODY
}

static void
gemm_bf16_pair (unsigned m, size_t k_pairs, const uint16_t *a, size_t lda, const uint16_t *panels, size_t panel_stride, float *c)
{
#if ROWS == 12
#define BODY(n) bf16_pair (n, k_pairs, a, lda, panels, panel_stride, c)
  switch (m) {
    CASE (1, BODY)
    CASE (2, BODY)
    CASE (3, BODY)
    LAST (4, BODY)
  }
#undef BODY
#else /* two panels are more than the registers hold */
  gemm_bf16 (m, k_pairs, a, lda, panels, NULL, c);
  gemm_bf16 (m, k_pairs, a, lda, panels + panel_stride, NULL, c + m * DP_PANEL);
#endif
}

static void
gemm_f32 (unsigned m, size_t k, const float *a, size_t lda, const float *panel, float *c)
{
#define BODY(n) f32_rows (n, k, a, lda, panel, c)
  EACH_M (BODY);
#undef BODY
}

static void
gemm_f16 (unsigned m, size_t k, const float *a, size_t lda, const uint16_t *panel, float *c)
{
#define BODY(n) f16_rows (n, k, a, lda, panel, c)
  EACH_M (BODY);
#undef BODY
}

static void
gemm_i8 (unsigned m, size_t k_quads, const int8_t *a, size_t lda, const int32_t *sums, const uint8_t *panel, int32_t *c)
{
#define BODY(n) i8_rows (n, k_quads, a, lda, sums, panel, c)
  EACH_M (BODY);
#undef BODY
}

static void
gemm_q8 (unsigned m, const DpQuantShape *shape, const uint8_t *rows, size_t row_bytes, const uint8_t *panel, const float *scales,
         const float *zeros, float *c)
{
#define BODY(n) quant_rows (n, 8, shape, rows, row_bytes, panel, scales, zeros, c)
  EACH_QUANT_M (BODY);
#undef BODY
}

static void
gemm_q4 (unsigned m, const DpQuantShape *shape, const uint8_t *rows, size_t row_bytes, const uint8_t *panel, const float *scales,
         const float *zeros, float *c)
{
#define BODY(n) quant_rows (n, 4, shape, rows, row_bytes, panel, scales, zeros, c)
  EACH_QUANT_M (BODY);
#undef BODY
}

const DpGemmKernels DP_ISA_NAME (dp_cpu_gemm) = {
  .name = DP_ISA_STRING,
  .max_rows = ROWS,
  .max_quant_rows = QUANT_ROWS,
  .bf16 = gemm_bf16,
  .bf16_pair = gemm_bf16_pair,
  .f32 = gemm_f32,
  .f16 = gemm_f16,
  .i8 = gemm_i8,
  .q8 = gemm_q8,
  .q4 = gemm_q4,
};
