/* backends/cpu/isa/narrow.c - products with weights of 12 bits (narrow.h); compiled once per instruction set.
 *
 * Values are unpacked in registers and multiplied at once, in the order of gemm.c's bf16 kernel: the same bits.  That is free where
 * memory is waited for, and costs some 5 % of a tile that is computed from a cache: so the first tile of a panel can leave the
 * panel in 16 bits for the others.
 */
#include "backends/cpu/isa/narrow.h"
#include "backends/cpu/isa/panel.h"

#define WORDS (2 * DP_VEC) /* bf16 in a register */
typedef uint16_t DpVecW __attribute__ ((vector_size (2 * WORDS)));

/* As many groups ahead as gemm.c fetches. */
#define AHEAD 4608

/* ---- exponents --------------------------------------------------------------------------------------------- */

#if DP_VEC == 16
#define PAYS 1
typedef DpVecW Table;

DP_KERNEL Table
table_of (const uint8_t *panel)
{
  Table t;
  memcpy (&t, panel, sizeof t);
  return t;
}

/* The instruction looks at five bits; the table is there twice, so the fifth, of the next code, does not matter. */
DP_KERNEL DpVecW
exponents (const Table *table, DpVecW codes)
{
  return (DpVecW) _mm512_permutexvar_epi16 ((__m512i) codes, (__m512i) *table);
}

DP_KERNEL DpVecW
exchange_bytes (DpVecW words)
{
  return (DpVecW) _mm512_shuffle_epi8 ((__m512i) words, _mm512_set4_epi32 (0x0e0f0c0d, 0x0a0b0809, 0x06070405, 0x02030001));
}
#else
#define PAYS 0
typedef struct {
  uint8_t exponent[16];
} Table;

DP_KERNEL Table
table_of (const uint8_t *panel)
{
  Table t;
  for (unsigned i = 0; i < 16; i++) {
    uint16_t e;
    memcpy (&e, panel + 2 * i, sizeof e);
    t.exponent[i] = (uint8_t) (e >> 7);
  }
  return t;
}

#if defined(__AVX2__)
/* A byte for each code, zero for the upper half of a word. */
DP_KERNEL DpVecW
exponents (const Table *table, DpVecW codes)
{
  const __m256i bytes = _mm256_broadcastsi128_si256 (_mm_loadu_si128 ((const __m128i *) (const void *) table));
  return (DpVecW) _mm256_shuffle_epi8 (bytes, (__m256i) ((codes & 15) | 0x8000)) << 7;
}
#else
DP_KERNEL DpVecW
exponents (const Table *table, DpVecW codes)
{
  DpVecW e = { 0 };
  for (unsigned i = 0; i < WORDS; i++)
    e[i] = (uint16_t) (table->exponent[codes[i] & 15] << 7);
  return e;
}
#endif

DP_KERNEL DpVecW
exchange_bytes (DpVecW words)
{
  return words << 8 | words >> 8;
}
#endif

/* ---- groups ------------------------------------------------------------------------------------------------ */

DP_KERNEL DpVecW
load_16 (const uint8_t *group, unsigned word)
{
  DpVecW v;
  memcpy (&v, group + 2 * word, sizeof v);
  return v;
}

/* A register of values from value v on, without the exceptions. */
DP_KERNEL DpVecU
unpack (const uint8_t *group, const Table *table, unsigned v)
{
  const unsigned quarter = v / 32, word = v % 32;
  const DpVecW codes = load_16 (group, word) >> 4 * quarter, rest = load_16 (group, 32 + quarter % 2 * 32 + word);

  return (DpVecU) (((quarter < 2 ? rest : exchange_bytes (rest)) & DP_NARROW_KEEP) | exponents (table, codes));
}

/* One pair of k of 32 outputs, and where the exceptions go on. */
typedef struct {
  DpVecU w[WIDE];
  const DpException *next;
  size_t pair; /* of next */
} Unpacked;

DP_KERNEL void
put_exceptions (Unpacked *u, size_t k)
{
  uint16_t values[DP_NARROW_PAIR];

  EACH_WIDE memcpy (values + j * WORDS, &u->w[j], sizeof u->w[j]);
  for (; u->next->at / DP_NARROW_PAIR == k; u->next++)
    values[u->next->at % DP_NARROW_PAIR] = u->next->value;
  EACH_WIDE u->w[j] = load_words (values + j * WORDS);
  u->pair = u->next->at / DP_NARROW_PAIR;
}

/* Pair number k; p = k % 2: which one of the group. */
DP_KERNEL void
unpack_pair (Unpacked *u, const uint8_t *group, const Table *table, size_t k, unsigned p, uint16_t *wide)
{
  EACH_WIDE u->w[j] = unpack (group, table, p * DP_NARROW_PAIR + j * WORDS);
  if (__builtin_expect (u->pair == k, 0))
    put_exceptions (u, k);
  if (wide)
    EACH_WIDE memcpy (wide + k * DP_NARROW_PAIR + j * WORDS, &u->w[j], sizeof u->w[j]);
}

DP_KERNEL void
multiply (unsigned m, DpVec acc[ROWS][WIDE], const uint16_t *a, size_t lda, const DpVecU *w)
{
  EACH_ROW
  {
    uint32_t pair = pair_of (a + i * lda);
    EACH_WIDE acc[i][j] = dot_pair (acc[i][j], pair, w[j]);
  }
}

DP_KERNEL void
narrow_rows (unsigned m, size_t k_pairs, const uint16_t *a, size_t lda, const uint8_t *panel, const DpException *exceptions,
             const void *next, uint16_t *wide, float *c)
{
  DpVec acc[ROWS][WIDE] = { 0 };
  const Table table = table_of (panel);
  const uint8_t *group = panel + DP_NARROW_TABLE;
  const char *fetch = next ? next : (const char *) group + AHEAD;
  const size_t last = next ? 64 : 128, step = next ? DP_NARROW_GROUP_BYTES / 2 : DP_NARROW_GROUP_BYTES;
  Unpacked u = { .next = exceptions, .pair = exceptions->at / DP_NARROW_PAIR };

  for (size_t k = 0; k + 1 < k_pairs; k += 2, group += DP_NARROW_GROUP_BYTES, fetch += step) {
    __builtin_prefetch (fetch);
    __builtin_prefetch (fetch + 64);
    __builtin_prefetch (fetch + last);
    unpack_pair (&u, group, &table, k, 0, wide);
    multiply (m, acc, a + 2 * k, lda, u.w);
    unpack_pair (&u, group, &table, k + 1, 1, wide);
    multiply (m, acc, a + 2 * k + 2, lda, u.w);
  }
  if (k_pairs % 2) {
    unpack_pair (&u, group, &table, k_pairs - 1, 0, wide);
    multiply (m, acc, a + 2 * (k_pairs - 1), lda, u.w);
  }
  EACH_ROW EACH_WIDE vec_store (c + i * DP_PANEL + j * DP_VEC, acc[i][j]);
}

static void
product (unsigned m, size_t k_pairs, const uint16_t *a, size_t lda, const uint8_t *panel, const DpException *exceptions, const void *next,
         uint16_t *wide, float *c)
{
#define BODY(n) narrow_rows (n, k_pairs, a, lda, panel, exceptions, next, wide, c)
  EACH_M (BODY);
#undef BODY
}

const DpNarrowKernels DP_ISA_NAME (dp_cpu_narrow) = {
  .name = DP_ISA_STRING,
  .pays = PAYS,
  .product = product,
};
