/* tests/bench/measure.h - clocks, medians and the machine's own peaks, for the bench programs.
 *
 * Work of one thread is timed in processor time of that thread, so that a neighbour on a shared machine costs
 * the caches it empties but not the time it takes; work of several threads is timed by the clock on the wall.
 * A peak is measured beside each figure that is held against it.
 */
#pragma once

#include "ops/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double
seconds (gboolean one_thread)
{
  struct timespec t;
  clock_gettime (one_thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static inline int
by_value (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

static inline double
median (double *values, guint n)
{
  qsort (values, n, sizeof *values, by_value);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* ---- peaks ------------------------------------------------------------------------------------------ */

#if defined(__x86_64__)
#include <immintrin.h>
#define TARGET __attribute__ ((target ("avx512f,avx512bw,avx512vl,avx512bf16,avx512vnni")))

/* Registers that the loops below keep busy: enough for two operations a cycle of latency 5. */
#define LANES 14
#define EACH_LANE _Pragma ("GCC unroll 14") for (int i = 0; i < LANES; i++)

TARGET static inline double
peak_f32 (void)
{
  const long n = 400000;
  __m512 a[LANES], x = _mm512_set1_ps (1.0001f), y = _mm512_set1_ps (0.0001f);
  EACH_LANE a[i] = _mm512_set1_ps ((float) i);
  double t = seconds (TRUE);
  for (long k = 0; k < n; k++) {
    EACH_LANE a[i] = _mm512_fmadd_ps (a[i], x, y);
    EACH_LANE __asm__ volatile("" : "+v"(a[i]));
  }
  return n * LANES * 32.0 / (seconds (TRUE) - t) / 1e9;
}

TARGET static inline double
peak_bf16 (void)
{
  const long n = 400000;
  __m512 a[LANES];
  __m512bh x = (__m512bh) _mm512_set1_epi16 (0x3f80);
  EACH_LANE a[i] = _mm512_set1_ps ((float) i);
  double t = seconds (TRUE);
  for (long k = 0; k < n; k++) {
    EACH_LANE a[i] = _mm512_dpbf16_ps (a[i], x, x);
    EACH_LANE __asm__ volatile("" : "+v"(a[i]));
  }
  return n * LANES * 64.0 / (seconds (TRUE) - t) / 1e9;
}

TARGET static inline double
peak_i8 (void)
{
  const long n = 400000;
  __m512i a[LANES], x = _mm512_set1_epi8 (1);
  EACH_LANE a[i] = _mm512_set1_epi32 (i);
  double t = seconds (TRUE);
  for (long k = 0; k < n; k++) {
    EACH_LANE a[i] = _mm512_dpbusd_epi32 (a[i], x, x);
    EACH_LANE __asm__ volatile("" : "+v"(a[i]));
  }
  return n * LANES * 128.0 / (seconds (TRUE) - t) / 1e9;
}

static inline gboolean
has_peaks (void)
{
  return __builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512bf16") && __builtin_cpu_supports ("avx512vnni");
}
#else
static inline double
peak_f32 (void)
{
  return 0;
}
static inline double
peak_bf16 (void)
{
  return 0;
}
static inline double
peak_i8 (void)
{
  return 0;
}
static inline gboolean
has_peaks (void)
{
  return FALSE;
}
#endif

/* Reads bytes once; portable, and wide enough for any memory. */
static inline guint64
read_all (const guint8 *memory, gsize bytes)
{
  typedef guint64 Wide __attribute__ ((vector_size (64), aligned (64)));
  const Wide *p = (const Wide *) (gconstpointer) memory;
  Wide a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
  for (gsize i = 0; i + 4 <= bytes / sizeof (Wide); i += 4) {
    a ^= p[i], b ^= p[i + 1], c ^= p[i + 2], d ^= p[i + 3];
    __builtin_prefetch ((const char *) (p + i) + 4096);
  }
  a ^= b ^ c ^ d;
  return a[0] ^ a[1] ^ a[2] ^ a[3] ^ a[4] ^ a[5] ^ a[6] ^ a[7];
}

#if defined(__x86_64__)
TARGET __attribute__ ((noinline)) static guint64
read_wide (const guint8 *memory, gsize bytes)
{
  __m512i a = _mm512_setzero_si512 (), b = a, c = a, d = a;
  for (gsize i = 0; i + 256 <= bytes; i += 256) {
    const char *p = (const char *) memory + i;
    a = _mm512_xor_si512 (a, _mm512_load_si512 (p)), b = _mm512_xor_si512 (b, _mm512_load_si512 (p + 64));
    c = _mm512_xor_si512 (c, _mm512_load_si512 (p + 128)), d = _mm512_xor_si512 (d, _mm512_load_si512 (p + 192));
  }
  a = _mm512_xor_si512 (_mm512_xor_si512 (a, b), _mm512_xor_si512 (c, d));
  return (guint64) _mm512_reduce_add_epi64 (a);
}
#endif

static inline guint64
read_memory (const guint8 *memory, gsize bytes)
{
#if defined(__x86_64__)
  if (has_peaks ())
    return read_wide (memory, bytes);
#endif
  return read_all (memory, bytes);
}

/* GB/s of one thread that reads a piece of memory over and over, at least `least` bytes in all. */
static inline double
peak_read (const guint8 *memory, gsize bytes, gsize least)
{
  static volatile guint64 sink;
  gsize times = MAX (least / bytes, 1);
  double t = seconds (TRUE);
  for (gsize i = 0; i < times; i++)
    sink ^= read_memory (memory, bytes);
  return (double) bytes * (double) times / (seconds (TRUE) - t) / 1e9;
}

/* Large pages, as the back ends ask for. */
static inline guint8 *
bench_memory (DpBackend *backend, gsize bytes, DpBuffer **buffer)
{
  *buffer = dp_buffer_new (backend, bytes, NULL);
  if (!*buffer) {
    fprintf (stderr, "no memory for %zu bytes\n", bytes);
    exit (1);
  }
  memset ((*buffer)->host, 1, bytes);
  return (*buffer)->host;
}

static inline void
die (GError *error)
{
  fprintf (stderr, "%s\n", error->message);
  exit (1);
}

/* A weight of random bits that are small numbers. */
static inline DpWeight *
bench_weight (DpBackend *backend, guint32 uses, guint32 rows, guint32 cols, DpType type)
{
  gsize bytes = type == DP_I4 ? (gsize) rows * ((cols + 1) / 2) : (gsize) rows * cols * dp_type_size (type), n = (gsize) rows * cols;
  guint32 group = 64, state = 1;
  guint8 *data = g_malloc (bytes);
  float *scales = NULL;
  GError *error = NULL;

  for (gsize i = 0; i < MIN (bytes, 1 << 16); i++)
    state = state * 1664525u + 1013904223u, data[i] = (guint8) (state >> 24);
  if (type == DP_BF16)
    for (gsize i = 1; i < MIN (bytes, 1 << 16); i += 2)
      data[i] = (guint8) ((data[i] & 0x80) | 0x3c);
  for (gsize done = MIN (bytes, 1 << 16); done < bytes; done *= 2)
    memcpy (data + done, data, MIN (done, bytes - done));
  if (type == DP_I8 || type == DP_I4) {
    scales = g_new (float, n / group);
    for (gsize i = 0; i < n / group; i++)
      scales[i] = 0.001f;
  }
  DpWeight *w = dp_weight_new (backend,
                               &(DpWeightSource){ .name = "bench",
                                                  .uses = uses,
                                                  .n = 1,
                                                  .rows = rows,
                                                  .cols = cols,
                                                  .type = type,
                                                  .hold = type,
                                                  .group = scales ? group : 0,
                                                  .data = data,
                                                  .data_size = bytes,
                                                  .scales = scales },
                               &error);
  if (!w)
    die (error);
  g_free (data);
  g_free (scales);
  return w;
}
