/* backends/cpu/isa/attention.h - the inner part of every attention, per instruction set.
 *
 * Up to 12 query rows meet a block of up to 256 keys: scores, running softmax, and the weighted values added to what
 * the rows have gathered so far (FlashAttention's recurrence, Dao et al. 2022, in powers of two).  Keys and values lie in
 * tiles of 32 tokens, in the form the products read them:
 *
 *   keys    f32   for each element of the head: 32 tokens
 *           bf16  for each pair of elements: 32 tokens x 2          (an odd last element is paired with zeros)
 *   values  panels of 32 elements of the head, the last of 16 if that is enough, zeros behind the end; in a panel
 *           f32   for each token: 32 (16) elements
 *           bf16  for each pair of tokens: 32 (16) elements x 2
 *
 * The sums of a row do not depend on the rows beside it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define DP_ATTENTION_ROWS 12
#define DP_TILE 32
#define DP_BLOCK_TILES 8
#define DP_BLOCK (DP_BLOCK_TILES * DP_TILE)

typedef struct {
  uint32_t key_steps;   /* pairs (bf16) or elements (f32) of a head */
  uint32_t query_parts; /* 1, or 2 when the queries are sums of two bf16 */
  uint32_t value_dim;   /* a multiple of 16 */
  float scale, softcap;
} DpAttentionShape;

typedef struct {
  unsigned n_tiles; /* 1 .. DP_BLOCK_TILES */
  unsigned last;    /* tokens of the last tile whose values are read: even, 2 .. 32; no row may see others */
  const void *keys[DP_BLOCK_TILES], *values[DP_BLOCK_TILES];
  const float *key_scale, *value_scale; /* one per token, or NULL */
  const void *soon[DP_BLOCK_TILES];     /* tiles worth fetching ahead: the keys of the next block; anything readable */
} DpAttentionBlock;

/* Rows under way.  All arrays have DP_ATTENTION_ROWS rows, of which m count; queries of the others are zeros. */
typedef struct {
  unsigned m;
  const void *queries;    /* [12, query_parts * key_steps] words of 4 bytes: a pair of bf16 or an f32 */
  float *out;             /* [12, value_dim], not yet divided by sum; zeros at first */
  float *largest, *sum;   /* [12]; -infinity and 0 at first */
  const int32_t *lo, *hi; /* [12] keys of the block that a row may see: lo <= j < hi */
  const float *mask;      /* [12, DP_BLOCK] added to the scores, or NULL */
} DpAttentionRows;

typedef struct {
  const char *name;
  int fast_bf16; /* products of bf16 are faster than those of f32 */
  void (*bf16) (const DpAttentionShape *shape, const DpAttentionBlock *block, const DpAttentionRows *rows);
  void (*f32) (const DpAttentionShape *shape, const DpAttentionBlock *block, const DpAttentionRows *rows);
  /* The same for one row (m = 1) when numbers are not finite: values of keys with a score of -infinity are left
   * out, where the product would add 0 * NaN. */
  void (*bf16_careful) (const DpAttentionShape *shape, const DpAttentionBlock *block, const DpAttentionRows *rows);
  void (*f32_careful) (const DpAttentionShape *shape, const DpAttentionBlock *block, const DpAttentionRows *rows);
  /* to = from * factor; returns whether all are finite */
  int (*finish) (const float *from, float factor, float *to, size_t n);
  /* Tiles from n <= 32 rows of a matrix, stride elements apart; the rest of the tile is zeros. */
  void (*keys_bf16) (const uint16_t *rows, size_t stride, unsigned n, size_t dim, uint16_t *tile);
  void (*values_bf16) (const uint16_t *rows, size_t stride, unsigned n, size_t dim, uint16_t *tile);
  void (*keys_f32) (const float *rows, size_t stride, unsigned n, size_t dim, float *tile);
  void (*values_f32) (const float *rows, size_t stride, unsigned n, size_t dim, float *tile);
  /* x = high + low as far as two bf16 can tell; low is 0 where high is not finite */
  void (*split) (const float *x, uint16_t *high, uint16_t *low, size_t n);
  /* i8 to bf16, exact */
  void (*widen_i8) (const int8_t *from, uint16_t *to, size_t n);
} DpAttentionKernels;

extern const DpAttentionKernels dp_cpu_attention_generic;
#if defined(__x86_64__)
extern const DpAttentionKernels dp_cpu_attention_avx2, dp_cpu_attention_avx512, dp_cpu_attention_avx512bf16;
#endif
