/* backends/cpu/isa/tile.h - what happens to a tile of a product before it is stored, per instruction set.
 *
 * A tile is m rows of DP_PANEL f32 accumulators, dense.  Doing bias, activation, residual and rounding here, while
 * the tile is in the first-level cache, is what makes them free.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Rows in memory: where the tile's first element belongs. */
typedef struct {
  void *data;
  size_t stride; /* bytes between rows */
  uint32_t type; /* DpType: f32, f16, bf16 */
} DpPlace;

typedef struct {
  const char *name;
  /* y = act (c + bias) + residual for m rows and the first n columns; bias and residual may be NULL */
  void (*finish) (unsigned m, unsigned n, const float *c, const float *bias, uint32_t act, const DpPlace *residual, const DpPlace *y);
  /* columns 0..15 are gates, 16..31 their ups: y = act (gate + bias) * (up + bias) for the first n <= 16 */
  void (*gate) (unsigned m, unsigned n, const float *c, const float *bias, uint32_t act, const DpPlace *y);
  /* out = x_scale[i] * w_scale[j] * c, from exact integer sums */
  void (*scale) (unsigned m, const int32_t *c, const float *x_scale, const float *w_scale, float *out);
  /* l = softcap? (c + bias), softcap c > 0: c tanh (l / c); m rows of 32, to rows out_stride floats apart */
  void (*logits) (unsigned m, const float *c, const float *bias, float softcap, float *out, size_t out_stride);
} DpTileKernels;

extern const DpTileKernels dp_cpu_tile_generic;
#if defined(__x86_64__)
extern const DpTileKernels dp_cpu_tile_avx2, dp_cpu_tile_avx512, dp_cpu_tile_avx512bf16;
#endif
