/* backends/cpu/isa/narrow.h - bf16 weights in 12 bits, without loss, and their products.
 *
 * One row of x times a large weight takes as long as memory takes to bring the weight, so fewer bytes are more tokens a second.
 * The exponents of weights lie in few values: of a normal distribution, whatever its width, all but 4 of 100,000 have one of 16
 * exponents.  So a weight is its sign and 7 bits of mantissa as they are, and 4 bits that say which of the panel's 16 most
 * frequent exponents it has; the few that have another one stand in a list beside it.  (Coding exponents apart from the rest is
 * DFloat11's and ZipNN's idea.  Codes of one length waste half a bit against theirs and are unpacked in four instructions a register.)
 *
 * A narrow panel stands for the bf16 panel of gemm.h; value v is the v-th of that.
 *   64 bytes    16 exponents at the place where bf16 has them, and the same again
 *   then for each two pairs of k, 128 values (the second pair zeros where there is none), 192 bytes as words of 16 bits
 *     codes[32]    value 32 q + i has its code in bits 4 q .. 4 q + 3 of word i
 *     rest[2][32]  value 32 q + i has sign and mantissa in word i of rest[q % 2]: q < 2 at their place in bf16 (bits 15 and 0..6),
 *                  otherwise the same with the bytes of the word exchanged (bits 7 and 8..14)
 * Its exceptions: a list in the order of the values, ended by DP_NARROW_END.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define DP_NARROW_PAIR 64u  /* values of a pair of k */
#define DP_NARROW_TABLE 64u /* bytes */
#define DP_NARROW_GROUP_BYTES 192u
#define DP_NARROW_KEEP 0x807fu                             /* sign and mantissa of a bf16 */
#define DP_NARROW_END UINT32_MAX                           /* .at behind the last exception */
#define DP_NARROW_MOST_PAIRS (UINT32_MAX / DP_NARROW_PAIR) /* so that no value is at DP_NARROW_END */

/* A value that stands as it is. */
typedef struct {
  uint32_t at; /* which value of the panel */
  uint16_t value, zero;
} DpException;

typedef struct {
  const char *name;
  int pays; /* reading fewer bytes saves more than unpacking costs */
  /* DpGemmKernels.bf16 from a narrow panel: the same bits.  next: half a narrow panel to fetch, or NULL.  wide: where the panel is
   * left in 16 bits, for other tiles; or NULL */
  void (*product) (unsigned m, size_t k_pairs, const uint16_t *a, size_t lda, const uint8_t *panel, const DpException *exceptions,
                   const void *next, uint16_t *wide, float *c);
} DpNarrowKernels;

extern const DpNarrowKernels dp_cpu_narrow_generic;
#if defined(__x86_64__)
extern const DpNarrowKernels dp_cpu_narrow_avx2, dp_cpu_narrow_avx512, dp_cpu_narrow_avx512bf16;
#endif
