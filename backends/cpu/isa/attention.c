/* backends/cpu/isa/attention.c - see attention.h.
 *
 * Both products keep 12 x 32 accumulators in registers, as gemm.c does.  Scores of 12 x 256 and their
 * probabilities stay in the first-level cache between the two; keys and values stream from the second.
 */
#include "backends/cpu/isa/attention.h"
#include "backends/cpu/isa/vec.h"

#include <math.h>

#if defined(__AVX512F__)
#define ROWS 12
#elif defined(__AVX2__)
#define ROWS 3
#else
#define ROWS 1
#endif
#define WIDE (DP_TILE / DP_VEC)

#define EACH_ROW _Pragma ("GCC unroll 12") for (unsigned i = 0; i < m; i++)
#define EACH_WIDE _Pragma ("GCC unroll 8") for (unsigned j = 0; j < wide; j++)

/* ---- products ------------------------------------------------------------------------------------ */

DP_KERNEL float
as_float (uint32_t bits)
{
  float f;
  memcpy (&f, &bits, sizeof f);
  return f;
}

DP_KERNEL uint32_t
load_word (const uint32_t *p)
{
  uint32_t w;
  memcpy (&w, p, sizeof w);
  return w;
}

DP_KERNEL DpVecU
load_words (const uint8_t *p)
{
  DpVecU v;
  memcpy (&v, p, sizeof v);
  return v;
}

/* acc + a b, where a word is an f32 or a pair of bf16. */
DP_KERNEL DpVec
multiply_add (int half, DpVec acc, uint32_t a, DpVecU b)
{
  if (!half)
    return acc + vec_set (as_float (a)) * (DpVec) b;
#if defined(__AVX512BF16__)
  return (DpVec) _mm512_dpbf16_ps ((__m512) acc, (__m512bh) (__m512i) b, (__m512bh) _mm512_set1_epi32 ((int) a));
#else
  acc += vec_set (as_float (a << 16)) * (DpVec) (b << 16);
  return acc + vec_set (as_float (a & 0xffff0000u)) * (DpVec) (b & 0xffff0000u);
#endif
}

/* Few rows leave the multipliers waiting for the sum before: then several tiles, or panels of values, go together. */
#if ROWS == 12
#define TOGETHER(m) ((m) <= 2 ? 4 : (m) <= 4 ? 2 : 1)
#else
#define TOGETHER(m) 1
#endif
#define MIN_TOGETHER(m) (TOGETHER (m) > 2 ? 2 : 1) /* where no four are left */
#define MOST_TOGETHER 4
#define EACH_TOGETHER _Pragma ("GCC unroll 4") for (unsigned u = 0; u < together; u++)

/* s[i*DP_BLOCK + token] = sum over the head of q[i] k[token], for tiles of keys that go together.  Meanwhile the
 * tiles that come next are fetched: a cache's tiles lie apart, which the processor cannot foresee. */
DP_KERNEL void
score_rows (int half, unsigned m, unsigned together, unsigned parts, size_t steps, const uint32_t *q, const void *const *keys,
            const void *const *next, float *s)
{
  const unsigned wide = WIDE;
  const size_t row_words = parts * steps;
  DpVec acc[ROWS][MOST_TOGETHER][WIDE];

  EACH_ROW EACH_TOGETHER EACH_WIDE acc[i][u][j] = (DpVec){ 0 };
  for (unsigned part = 0; part < parts; part++)
    for (size_t k = 0; k < steps; k++) {
      EACH_TOGETHER
      {
        DpVecU b[WIDE];
        EACH_WIDE b[j] = load_words ((const uint8_t *) keys[u] + (k * DP_TILE + j * DP_VEC) * 4);
        if (m <= 8) {
          __builtin_prefetch ((const uint8_t *) next[u] + k * DP_TILE * 4);
          __builtin_prefetch ((const uint8_t *) next[u] + k * DP_TILE * 4 + 64);
        }
        EACH_ROW
        {
          uint32_t a = load_word (q + i * row_words + part * steps + k);
          EACH_WIDE acc[i][u][j] = multiply_add (half, acc[i][u][j], a, b[j]);
        }
      }
    }
  EACH_ROW EACH_TOGETHER EACH_WIDE vec_store (s + i * DP_BLOCK + u * DP_TILE + j * DP_VEC, acc[i][u][j]);
}

/* out[i] = out[i] * factor[i] + sum over tokens of p[i, token] v[token], for panels of wide vectors from `column` on */
DP_KERNEL void
mix_rows (int half, unsigned m, unsigned together, unsigned wide, const DpAttentionBlock *block, size_t column, const uint32_t *p,
          const float *factor, float *out, size_t out_stride)
{
  const size_t row_words = half ? DP_BLOCK / 2 : DP_BLOCK, tile_words = half ? DP_TILE / 2 : DP_TILE, panel = tile_words * DP_TILE * 4;
  const size_t width = wide * DP_VEC, last_words = half ? block->last / 2 : block->last;
  DpVec acc[ROWS][MOST_TOGETHER][WIDE];

  EACH_ROW EACH_TOGETHER EACH_WIDE acc[i][u][j] = vec_load (out + i * out_stride + column + u * width + j * DP_VEC) * factor[i];
  for (size_t t = 0; t < block->n_tiles; t++) {
    const uint8_t *values = (const uint8_t *) block->values[t] + column / DP_TILE * panel;
    const uint32_t *word = p + t * tile_words;
    const uint8_t *soon = (const uint8_t *) block->soon[t] + column / DP_TILE * panel;
    const size_t n = t + 1 < block->n_tiles ? tile_words : last_words;
    for (size_t k = 0; k < n; k++)
      EACH_TOGETHER
      {
        DpVecU b[WIDE];
        if (m <= 8) {
          __builtin_prefetch (soon + u * panel + k * width * 4);
          __builtin_prefetch (soon + u * panel + k * width * 4 + 64);
        }
        EACH_WIDE b[j] = load_words (values + u * panel + (k * width + j * DP_VEC) * 4);
        EACH_ROW
        {
          uint32_t a = load_word (word + i * row_words + k);
          EACH_WIDE acc[i][u][j] = multiply_add (half, acc[i][u][j], a, b[j]);
        }
      }
  }
  EACH_ROW EACH_TOGETHER EACH_WIDE vec_store (out + i * out_stride + column + u * width + j * DP_VEC, acc[i][u][j]);
}

/* One copy per number of rows, so that the accumulators are registers; the number is rounded up to one of these. */
#if ROWS == 12
#define EACH_M(body)                                                                                                                       \
  switch (m) {                                                                                                                             \
  case 1: body (1); break;                                                                                                                 \
  case 2: body (2); break;                                                                                                                 \
  case 3: body (3); break;                                                                                                                 \
  case 4: body (4); break;                                                                                                                 \
  case 5:                                                                                                                                  \
  case 6: body (6); break;                                                                                                                 \
  case 7:                                                                                                                                  \
  case 8: body (8); break;                                                                                                                 \
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
#define EACH_M(body)                                                                                                                       \
  do {                                                                                                                                     \
    (void) m;                                                                                                                              \
    body (1);                                                                                                                              \
  } while (0)
#endif

DP_KERNEL void
score_block (int half, unsigned all, const DpAttentionShape *shape, const DpAttentionBlock *block, const DpAttentionRows *rows, float *s)
{
  const size_t steps = shape->key_steps;
  const unsigned parts = half ? shape->query_parts : 1, n_tiles = block->n_tiles;
  const void *next[DP_BLOCK_TILES + MOST_TOGETHER];

  for (unsigned row = 0; row < all; row += ROWS) {
    const unsigned m = all - row < ROWS ? all - row : ROWS;
    const uint32_t *q = (const uint32_t *) rows->queries + row * parts * steps;
    for (unsigned t = 0; t < n_tiles + MOST_TOGETHER; t++)
      next[t] = t < n_tiles ? block->values[t] : block->values[0];
    for (unsigned t = 0; t < n_tiles;) {
      float *to = s + row * DP_BLOCK + t * DP_TILE;
#define BODY(n)                                                                                                                            \
  if (n_tiles - t >= TOGETHER (n)) {                                                                                                       \
    score_rows (half, n, TOGETHER (n), parts, steps, q, block->keys + t, next + t, to);                                                    \
    t += TOGETHER (n);                                                                                                                     \
  } else if (TOGETHER (n) > 2 && n_tiles - t >= 2) {                                                                                       \
    score_rows (half, n, MIN_TOGETHER (n), parts, steps, q, block->keys + t, next + t, to);                                                \
    t += MIN_TOGETHER (n);                                                                                                                 \
  } else {                                                                                                                                 \
    score_rows (half, n, 1, parts, steps, q, block->keys + t, next + t, to);                                                               \
    t++;                                                                                                                                   \
  }
      EACH_M (BODY);
#undef BODY
    }
  }
}

DP_KERNEL void
mix_block (int half, const DpAttentionShape *shape, const DpAttentionBlock *block, const DpAttentionRows *rows, const uint32_t *p,
           const float *factor)
{
  const size_t dim = shape->value_dim, row_words = half ? DP_BLOCK / 2 : DP_BLOCK;

  for (unsigned row = 0; row < rows->m; row += ROWS) {
    const unsigned m = rows->m - row < ROWS ? rows->m - row : ROWS;
    const uint32_t *weights = p + row * row_words;
    float *out = rows->out + row * dim;
    size_t column = 0;
    while (column + DP_TILE <= dim) {
#define BODY(n)                                                                                                                            \
  if (column + TOGETHER (n) * DP_TILE <= dim) {                                                                                            \
    mix_rows (half, n, TOGETHER (n), WIDE, block, column, weights, factor + row, out, dim);                                                \
    column += TOGETHER (n) * DP_TILE;                                                                                                      \
  } else if (TOGETHER (n) > 2 && column + 2 * DP_TILE <= dim) {                                                                            \
    mix_rows (half, n, MIN_TOGETHER (n), WIDE, block, column, weights, factor + row, out, dim);                                            \
    column += MIN_TOGETHER (n) * DP_TILE;                                                                                                  \
  } else {                                                                                                                                 \
    mix_rows (half, n, 1, WIDE, block, column, weights, factor + row, out, dim);                                                           \
    column += DP_TILE;                                                                                                                     \
  }
      EACH_M (BODY);
#undef BODY
    }
    if (column < dim) {
#define BODY(n) mix_rows (half, n, 1, WIDE / 2, block, column, weights, factor + row, out, dim)
      EACH_M (BODY);
#undef BODY
    }
  }
}

/* ---- softmax --------------------------------------------------------------------------------------- */

/* 2^x for x <= 0: 0 far below -126, NaN stays.  Minimax polynomials (Remez) on -1/2 .. 1/2 with a relative error of
 * 7.5e-8, and for probabilities that become bf16 anyway, 7.5e-5. */
DP_KERNEL DpVec
power_of_two (int half, DpVec x)
{
  const DpVec c = vec_max (vec_set (-200.0f), x);
#if defined(__AVX512F__)
  const DpVec n = (DpVec) _mm512_roundscale_ps ((__m512) c, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
  const DpVec magic = c + 12582912.0f, n = magic - 12582912.0f; /* 1.5 * 2^23: rounds to an integer in the low bits */
#endif
  const DpVec r = c - n;
  DpVec p;

  if (half) {
    p = 0.055171669f * r + 0.24261112f;
    p = p * r + 0.69326099f;
    p = p * r + 0.99992807f;
  } else {
    p = 0.0013276472f * r + 0.0096755413f;
    p = p * r + 0.055507133f;
    p = p * r + 0.2402212f;
    p = p * r + 0.69314697f;
    p = p * r + 1.0000001f;
  }
#if defined(__AVX512F__)
  return (DpVec) _mm512_scalef_ps ((__m512) p, (__m512) n);
#else
  p = p * (DpVec) (((DpVecU) magic + 127) << 23);
  p = vec_select (x < -126.0f, vec_set (0.0f), p);
  return vec_select (x == x, p, x);
#endif
}

/* Two vectors of probabilities to where the product reads them. */
DP_KERNEL void
store_pair (int half, void *p, size_t at, DpVec a, DpVec b)
{
  if (!half) {
    vec_store ((float *) p + at, a);
    vec_store ((float *) p + at + DP_VEC, b);
    return;
  }
#if defined(__AVX512BF16__)
  __m512bh h = _mm512_cvtne2ps_pbh ((__m512) b, (__m512) a);
  memcpy ((uint16_t *) p + at, &h, sizeof h);
#else
  vec_store_bf16 ((uint16_t *) p + at, a);
  vec_store_bf16 ((uint16_t *) p + at + DP_VEC, b);
#endif
}

#define LOG2_E 1.44269504f

/* Scores in units of log 2, with everything that may happen to them on the way. */
DP_KERNEL void
finish_scores (const DpAttentionShape *shape, const DpAttentionBlock *block, const float *mask, float *s)
{
  const float cap = shape->softcap;

  for (size_t j = 0; j < block->n_tiles * DP_TILE; j += DP_VEC) {
    DpVec v = vec_load (s + j) * shape->scale;
    if (block->key_scale)
      v *= vec_load (block->key_scale + j);
    if (cap > 0)
      v = cap * vec_tanh (v / cap);
    if (mask)
      v += vec_load (mask + j);
    vec_store (s + j, v * LOG2_E);
  }
}

static void
fill (float *s, size_t first, size_t last)
{
  for (size_t j = first; j < last; j++)
    s[j] = -INFINITY;
}

/* Scores of a row into probabilities p; raises the row's largest and sum.  Returns what the row's earlier
 * values are to be multiplied with. */
DP_KERNEL float
softmax_row (int half, const DpAttentionShape *shape, const DpAttentionBlock *block, const DpAttentionRows *rows, unsigned row, float *s,
             void *p)
{
  const size_t n = block->n_tiles * DP_TILE;
  const float *mask = rows->mask ? rows->mask + row * DP_BLOCK : NULL;
  float scale = shape->scale * LOG2_E, before = rows->largest[row];
  DpVec most = vec_set (-INFINITY), sum = { 0 };

  if (mask || block->key_scale || shape->softcap > 0) {
    finish_scores (shape, block, mask, s);
    scale = 1;
  }
  if (rows->lo[row] > 0)
    fill (s, 0, (size_t) rows->lo[row] < n ? (size_t) rows->lo[row] : n);
  if (rows->hi[row] < (int32_t) n)
    fill (s, rows->hi[row] > 0 ? (size_t) rows->hi[row] : 0, n);
  for (size_t j = 0; j < n; j += DP_VEC)
    most = vec_max (vec_load (s + j), most);
  float largest = vec_max_of (most) * scale;
  largest = largest > before ? largest : before;
  const float from = largest == -INFINITY ? 0 : largest;
  for (size_t j = 0; j < n; j += 2 * DP_VEC) {
    DpVec a = power_of_two (half, vec_load (s + j) * scale - from), b = power_of_two (half, vec_load (s + j + DP_VEC) * scale - from);
    sum += a + b;
    if (block->value_scale) {
      a *= vec_load (block->value_scale + j);
      b *= vec_load (block->value_scale + j + DP_VEC);
    }
    store_pair (half, p, j, a, b);
  }
  float factor[DP_VEC];
  vec_store (factor, power_of_two (0, vec_set (before - from)));
  rows->largest[row] = largest;
  rows->sum[row] = rows->sum[row] * factor[0] + vec_sum (sum);
  return factor[0];
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

/* The row a kernel for more rows runs over as well; its probabilities must be something. */
DP_KERNEL unsigned
rows_touched (unsigned m)
{
  const unsigned up = m <= 4 ? m : m <= 6 ? 6 : m <= 8 ? 8 : 12;
  return ROWS == 12 ? up : m;
}

DP_KERNEL void
attend_block (int half, const DpAttentionShape *shape, const DpAttentionBlock *block, const DpAttentionRows *rows)
{
  const size_t words = half ? DP_BLOCK / 2 : DP_BLOCK;
  float s[DP_ATTENTION_ROWS * DP_BLOCK] __attribute__ ((aligned (64)));
  uint32_t p[DP_ATTENTION_ROWS * (half ? DP_BLOCK / 2 : DP_BLOCK)] __attribute__ ((aligned (64)));
  float factor[DP_ATTENTION_ROWS];

  score_block (half, rows->m, shape, block, rows, s);
  for (unsigned row = 0; row < rows->m; row++)
    factor[row] = softmax_row (half, shape, block, rows, row, s + row * DP_BLOCK, p + row * words);
  for (unsigned row = rows->m; row < rows_touched (rows->m); row++) {
    memset (p + row * words, 0, words * sizeof *p);
    factor[row] = 1;
  }
  mix_block (half, shape, block, rows, p, factor);
}

/* Element d of a token in a tile of values. */
DP_KERNEL float
value_at (int half, const void *tile, size_t dim, size_t token, size_t d)
{
  const size_t panel = d / DP_TILE, width = dim - panel * DP_TILE < DP_TILE ? DP_TILE / 2 : DP_TILE, base = panel * DP_TILE * DP_TILE;
  uint16_t h;

  if (!half)
    return ((const float *) tile)[base + token * width + d % DP_TILE];
  memcpy (&h, (const uint16_t *) tile + base + (token / 2 * width + d % DP_TILE) * 2 + token % 2, sizeof h);
  return as_float ((uint32_t) h << 16);
}

DP_KERNEL void
attend_careful (int half, const DpAttentionShape *shape, const DpAttentionBlock *block, const DpAttentionRows *rows)
{
  float s[DP_BLOCK] __attribute__ ((aligned (64)));
  uint32_t p[DP_BLOCK] __attribute__ ((aligned (64)));
  const size_t dim = shape->value_dim;

  score_block (half, 1, shape, block, rows, s);
  const float factor = softmax_row (half, shape, block, rows, 0, s, p);
  for (size_t d = 0; d < dim; d++)
    rows->out[d] *= factor;
  for (size_t token = 0; token < block->n_tiles * DP_TILE; token++) {
    const void *tile = block->values[token / DP_TILE];
    uint16_t h;
    if (s[token] == -INFINITY)
      continue;
    memcpy (&h, (const uint16_t *) p + token, sizeof h);
    const float weight = half ? as_float ((uint32_t) h << 16) : as_float (p[token]);
    for (size_t d = 0; d < dim; d++)
      rows->out[d] += weight * value_at (half, tile, dim, token % DP_TILE, d);
  }
}

static void
bf16 (const DpAttentionShape *shape, const DpAttentionBlock *block, const DpAttentionRows *rows)
{
  attend_block (1, shape, block, rows);
}

static void
f32 (const DpAttentionShape *shape, const DpAttentionBlock *block, const DpAttentionRows *rows)
{
  attend_block (0, shape, block, rows);
}

static void
bf16_careful (const DpAttentionShape *shape, const DpAttentionBlock *block, const DpAttentionRows *rows)
{
  attend_careful (1, shape, block, rows);
}

static void
f32_careful (const DpAttentionShape *shape, const DpAttentionBlock *block, const DpAttentionRows *rows)
{
  attend_careful (0, shape, block, rows);
}

static int
finish (const float *from, float factor, float *to, size_t n)
{
  uint32_t worst = 0;

  for (size_t i = 0; i < n; i++) {
    const float v = from[i] * factor;
    uint32_t bits;
    memcpy (&bits, &v, sizeof bits);
    bits &= 0x7fffffffu;
    worst = bits > worst ? bits : worst;
    to[i] = v;
  }
  return worst < 0x7f800000u;
}

/* ---- tiles --------------------------------------------------------------------------------------------- */

static void
keys_bf16 (const uint16_t *rows, size_t stride, unsigned n, size_t dim, uint16_t *tile)
{
  memset (tile, 0, (dim + 1) / 2 * DP_TILE * 4);
  for (unsigned t = 0; t < n; t++) {
    const uint16_t *row = rows + t * stride;
    uint16_t *to = tile + 2 * t;
    size_t d = 0;
    for (; d + 2 <= dim; d += 2)
      memcpy (to + d * DP_TILE, row + d, 4);
    if (d < dim)
      to[d * DP_TILE] = row[d];
  }
}

static void
values_bf16 (const uint16_t *rows, size_t stride, unsigned n, size_t dim, uint16_t *tile)
{
  const size_t padded = (dim + 15) / 16 * 16;

  memset (tile, 0, padded * DP_TILE * 2);
  for (size_t column = 0; column < dim; column += DP_TILE) {
    const size_t width = padded - column < DP_TILE ? DP_TILE / 2 : DP_TILE, here = dim - column < width ? dim - column : width;
    uint16_t *panel = tile + column * DP_TILE;
    for (unsigned t = 0; t < n; t++)
      for (size_t d = 0; d < here; d++)
        panel[(t / 2 * width + d) * 2 + t % 2] = rows[t * stride + column + d];
  }
}

static void
keys_f32 (const float *rows, size_t stride, unsigned n, size_t dim, float *tile)
{
  memset (tile, 0, dim * DP_TILE * 4);
  for (unsigned t = 0; t < n; t++)
    for (size_t d = 0; d < dim; d++)
      tile[d * DP_TILE + t] = rows[t * stride + d];
}

static void
values_f32 (const float *rows, size_t stride, unsigned n, size_t dim, float *tile)
{
  const size_t padded = (dim + 15) / 16 * 16;

  memset (tile, 0, padded * DP_TILE * 4);
  for (size_t column = 0; column < dim; column += DP_TILE) {
    const size_t width = padded - column < DP_TILE ? DP_TILE / 2 : DP_TILE, here = dim - column < width ? dim - column : width;
    for (unsigned t = 0; t < n; t++)
      memcpy (tile + column * DP_TILE + t * width, rows + t * stride + column, here * 4);
  }
}

static void
split (const float *x, uint16_t *high, uint16_t *low, size_t n)
{
  for (size_t i = 0; i < n; i += DP_VEC) {
    const size_t here = n - i < DP_VEC ? n - i : DP_VEC;
    uint16_t h[DP_VEC], l[DP_VEC];
    DpVec v = here == DP_VEC ? vec_load (x + i) : vec_load_n (x + i, here), rest;
    vec_store_bf16 (h, v);
    rest = v - vec_load_bf16 (h);
    vec_store_bf16 (l, vec_select (rest - rest == 0.0f, rest, vec_set (0.0f)));
    memcpy (high + i, h, here * sizeof *h);
    memcpy (low + i, l, here * sizeof *l);
  }
}

/* A vector of int8 as f32; GCC 12 takes __builtin_convertvector of bytes apart. */
DP_KERNEL DpVec
load_i8 (const int8_t *p)
{
#if defined(__AVX512F__)
  return (DpVec) _mm512_cvtepi32_ps (_mm512_cvtepi8_epi32 (_mm_loadu_si128 ((const __m128i *) (const void *) p)));
#elif defined(__AVX2__)
  return (DpVec) _mm256_cvtepi32_ps (_mm256_cvtepi8_epi32 (_mm_loadl_epi64 ((const __m128i *) (const void *) p)));
#else
  return (DpVec){ p[0], p[1], p[2], p[3] };
#endif
}

static void
widen_i8 (const int8_t *from, uint16_t *to, size_t n)
{
  size_t i = 0;

  for (; i + DP_VEC <= n; i += DP_VEC) {
    const DpVecH h = __builtin_convertvector((DpVecU) load_i8 (from + i) >> 16, DpVecH);
    memcpy (to + i, &h, sizeof h);
  }
  for (; i < n; i++) {
    const float v = from[i];
    uint32_t bits;
    memcpy (&bits, &v, sizeof bits);
    to[i] = (uint16_t) (bits >> 16);
  }
}

const DpAttentionKernels DP_ISA_NAME (dp_cpu_attention) = {
  .name = DP_ISA_STRING,
#if defined(__AVX512BF16__)
  .fast_bf16 = 1,
#endif
  .bf16 = bf16,
  .f32 = f32,
  .bf16_careful = bf16_careful,
  .f32_careful = f32_careful,
  .finish = finish,
  .keys_bf16 = keys_bf16,
  .values_bf16 = values_bf16,
  .keys_f32 = keys_f32,
  .values_f32 = values_f32,
  .split = split,
  .widen_i8 = widen_i8,
};
