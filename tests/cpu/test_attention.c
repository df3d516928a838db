/* Attention of the CPU back end against double arithmetic, on every instruction set this processor has: contexts over many
 * blocks and parts, the same bits in any batch, numbers that are not finite behind a mask. */
#include "tests/cpu/device.h"

/* ---- the oracle ---- */

/* What a query sees: keys and values [n, heads*dim] as f32. */
typedef struct {
  const DpAttention *attn;
  const float *k, *v;
  guint32 n;
} Keys;

static gboolean
sees (const DpAttention *a, gint64 i, gint64 j)
{
  if (a->causal && j > i)
    return FALSE;
  return !a->window || (j > i - (gint64) a->window && j < i + (gint64) a->window);
}

/* One head of the query at position i into out[head_dim_v]. */
static void
expect_head (const Keys *keys, const float *q, gint64 i, guint32 head, double *out)
{
  const DpAttention *a = keys->attn;
  guint32 kv = head / (a->n_heads / a->n_kv_heads);
  g_autofree double *s = g_new (double, keys->n);
  double largest = -INFINITY, sum = 0;
  for (guint32 j = 0; j < keys->n; j++) {
    double dot = 0;
    for (guint32 d = 0; d < a->head_dim; d++)
      dot += (double) q[head * a->head_dim + d] * keys->k[((gsize) j * a->n_kv_heads + kv) * a->head_dim + d];
    dot *= a->scale;
    if (a->softcap > 0)
      dot = a->softcap * tanh (dot / a->softcap);
    s[j] = sees (a, i, j) ? dot : -INFINITY;
    largest = MAX (largest, s[j]);
  }
  for (guint32 d = 0; d < a->head_dim_v; d++)
    out[d] = 0;
  for (guint32 j = 0; j < keys->n; j++) {
    double p = s[j] == -INFINITY ? 0 : exp (s[j] - largest);
    sum += p;
    for (guint32 d = 0; p > 0 && d < a->head_dim_v; d++)
      out[d] += p * keys->v[((gsize) j * a->n_kv_heads + kv) * a->head_dim_v + d];
  }
  for (guint32 d = 0; sum > 0 && d < a->head_dim_v; d++)
    out[d] /= sum;
}

/* All heads of one query within tolerance of the largest value. */
static void
expect_query (const Keys *keys, const float *q, gint64 i, const float *got, double tolerance)
{
  const DpAttention *a = keys->attn;
  g_autofree double *out = g_new (double, a->head_dim_v);
  for (guint32 head = 0; head < a->n_heads; head++) {
    expect_head (keys, q, i, head, out);
    for (guint32 d = 0; d < a->head_dim_v; d++)
      g_assert_cmpfloat_with_epsilon (got[head * a->head_dim_v + d], out[d], tolerance);
  }
}

/* ---- packed ---- */

typedef struct {
  DpType type;
  double tolerance;
  DpAttention attn;
} Case;

static void
check_prefill (Device *d, const Case *c, GRand *rand)
{
  const DpAttention *a = &c->attn;
  const gint32 cu[] = { 0, 411, 411, 700 };
  const guint32 rows = 703;
  g_autofree float *q = random_floats (rand, (gsize) rows * a->n_heads * a->head_dim, 2);
  g_autofree float *k = random_floats (rand, (gsize) rows * a->n_kv_heads * a->head_dim, 2);
  g_autofree float *v = random_floats (rand, (gsize) rows * a->n_kv_heads * a->head_dim_v, 1);
  DpPrefillAttentionArgs args = { .q = device_floats (d, c->type, rows, a->n_heads * a->head_dim, q),
                                  .k = device_floats (d, c->type, rows, a->n_kv_heads * a->head_dim, k),
                                  .v = device_floats (d, c->type, rows, a->n_kv_heads * a->head_dim_v, v),
                                  .cu_seqlens = device_put (d, DP_I32, 4, 1, cu),
                                  .max_seqlen = 411,
                                  .attn = *a,
                                  .out = device_put (d, DP_F32, rows, a->n_heads * a->head_dim_v, NULL) };
  dp_prefill_attention (d->stream, &args);
  g_autofree float *out = device_get (d, &args.out);
  for (guint b = 0; b < 3; b++)
    for (gint32 row = cu[b]; row < cu[b + 1]; row += 13) {
      gsize first = (gsize) cu[b];
      Keys keys = { a, k + first * a->n_kv_heads * a->head_dim, v + first * a->n_kv_heads * a->head_dim_v, (guint32) (cu[b + 1] - cu[b]) };
      expect_query (&keys, q + (gsize) row * a->n_heads * a->head_dim, row - cu[b], out + (gsize) row * args.out.cols, c->tolerance);
    }
  for (gsize i = 700 * (gsize) args.out.cols; i < rows * (gsize) args.out.cols; i++)
    g_assert_cmpfloat (out[i], ==, 0);
}

/* f32 is held to rounding; bf16 to the rounding of its probabilities. */
static const Case cases[] = {
  { DP_F32, 4e-6, { 4, 2, 64, 64, 0.125f, .causal = TRUE } },
  { DP_F32, 4e-6, { 2, 1, 80, 80, 0.11f } },
  { DP_F32, 4e-6, { 3, 3, 33, 17, 0.2f, .window = 300 } },
  { DP_F32, 4e-6, { 2, 2, 96, 64, 0.1f, .softcap = 3, .window = 5, .causal = TRUE } },
  { DP_F16, 4e-6, { 2, 1, 64, 64, 0.125f, .causal = TRUE } },
  { DP_BF16, 4e-3, { 4, 2, 64, 64, 0.125f, .causal = TRUE } },
  { DP_BF16, 4e-3, { 2, 2, 80, 80, 0.11f } },
  { DP_BF16, 4e-3, { 1, 1, 33, 47, 0.2f, .window = 40 } },
  { DP_BF16, 4e-3, { 1, 1, 256, 256, 0.0625f, .softcap = 5 } },
};

static void
test_prefill (gconstpointer isa)
{
  g_setenv ("DOCPARSE_CPU_ISA", isa, TRUE);
  Device d = device_open ("cpu", 2);
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_prefill (&d, &cases[i], rand);
  device_close (&d);
}

/* ---- paged ---- */

enum { LONG = 1500, SEQUENCES = 4 };
static const gint32 lens[SEQUENCES] = { LONG, 513, 512, 3 };

/* A cache with SEQUENCES sequences whose pages lie in reverse order. */
typedef struct {
  DpKvConfig config;
  DpKv *kv;
  DpTensor table, lens;
  guint32 n_columns;
  float *k[SEQUENCES], *v[SEQUENCES]; /* as the cache holds them, up to int8's rounding */
} Cache;

static void
fill (Device *d, Cache *c, guint b, gint32 *table, GRand *rand)
{
  guint32 n = (guint32) lens[b], size = c->config.page_size, heads = c->config.n_kv_heads;
  DpType type = c->config.type == DP_I8 ? DP_F32 : (DpType) c->config.type;
  g_autofree gint32 *slots = g_new (gint32, n);
  for (guint32 j = 0; j < n; j++)
    slots[j] = table[j / size] * (gint32) size + (gint32) (j % size);
  c->k[b] = random_floats (rand, (gsize) n * heads * c->config.head_dim, 2);
  c->v[b] = random_floats (rand, (gsize) n * heads * c->config.head_dim_v, 1);
  DpFillKvCacheArgs args = { .k = device_floats (d, type, n, heads * c->config.head_dim, c->k[b]),
                             .v = device_floats (d, type, n, heads * c->config.head_dim_v, c->v[b]),
                             .slots = device_put (d, DP_I32, n, 1, slots),
                             .kv = c->kv,
                             .layer = 1 };
  if (c->config.v_in_k) {
    args.v.buffer = NULL;
    for (guint32 j = 0; j < n * heads; j++)
      memcpy (c->v[b] + j * c->config.head_dim_v, c->k[b] + j * c->config.head_dim, c->config.head_dim_v * sizeof (float));
  }
  dp_fill_kv_cache (d->stream, &args);
}

static Cache
cache_new (Device *d, const DpAttention *a, DpType type, guint32 page_size, gboolean v_in_k, GRand *rand)
{
  GError *error = NULL;
  Cache c = { .n_columns = (LONG + page_size - 1) / page_size };
  guint32 next = 1;
  g_autofree gint32 *table = NULL;
  for (guint b = 0; b < SEQUENCES; b++)
    next += ((guint32) lens[b] + page_size - 1) / page_size;
  c.config = (DpKvConfig){ 2, next, page_size, a->n_kv_heads, a->head_dim, a->head_dim_v, v_in_k, type };
  c.kv = dp_kv_new (d->backend, &c.config, &error);
  g_assert_no_error (error);
  table = g_new0 (gint32, SEQUENCES * c.n_columns);
  for (guint b = 0; b < SEQUENCES; b++) {
    for (guint32 p = 0; p * page_size < (guint32) lens[b]; p++)
      table[b * c.n_columns + p] = (gint32) --next;
    fill (d, &c, b, table + b * c.n_columns, rand);
  }
  c.table = device_put (d, DP_I32, SEQUENCES, c.n_columns, table);
  c.lens = device_put (d, DP_I32, SEQUENCES, 1, lens);
  return c;
}

static void
cache_free (Cache *c)
{
  dp_kv_free (c->kv);
  for (guint b = 0; b < SEQUENCES; b++) {
    g_free (c->k[b]);
    g_free (c->v[b]);
  }
}

typedef struct {
  DpType type;
  guint32 page_size;
  double tolerance;
  gboolean v_in_k;
  DpAttention attn;
} PagedCase;

/* int8 is held to its own rounding: 1/254 of the largest element of each head. */
static const PagedCase paged_cases[] = {
  { DP_F32, 32, 4e-6, FALSE, { 7, 1, 64, 64, 0.125f, .causal = TRUE } },
  { DP_F32, 16, 4e-6, FALSE, { 4, 2, 80, 80, 0.11f, .causal = TRUE, .window = 700 } },
  { DP_F16, 64, 4e-6, FALSE, { 2, 2, 32, 32, 0.2f, .causal = TRUE } },
  { DP_BF16, 32, 4e-3, FALSE, { 14, 2, 64, 64, 0.125f, .causal = TRUE } },
  { DP_BF16, 48, 4e-3, FALSE, { 2, 1, 80, 72, 0.11f, .causal = TRUE, .softcap = 4 } },
  { DP_BF16, 1, 4e-3, FALSE, { 2, 1, 33, 17, 0.2f, .causal = TRUE } },
  { DP_BF16, 64, 4e-3, TRUE, { 60, 1, 96, 64, 0.1f, .causal = TRUE } },
  { DP_I8, 32, 3e-2, FALSE, { 4, 2, 64, 64, 0.125f, .causal = TRUE, .window = 600 } },
};

static DpPagedDecodeAttentionArgs
decode_args (Device *d, const Cache *c, const DpAttention *a, const DpTensor *q)
{
  return (DpPagedDecodeAttentionArgs){ .q = *q,
                                       .kv = c->kv,
                                       .layer = 1,
                                       .block_table = c->table,
                                       .kv_lens = c->lens,
                                       .max_kv_len = LONG,
                                       .attn = *a,
                                       .out = device_put (d, DP_F32, q->rows, a->n_heads * a->head_dim_v, NULL) };
}

static void
check_decode (Device *d, const PagedCase *p, GRand *rand)
{
  const DpAttention *a = &p->attn;
  Cache c = cache_new (d, a, p->type, p->page_size, p->v_in_k, rand);
  g_autofree float *q = random_floats (rand, (gsize) SEQUENCES * a->n_heads * a->head_dim, 2);
  DpTensor queries = device_floats (d, DP_F32, SEQUENCES, a->n_heads * a->head_dim, q);
  DpPagedDecodeAttentionArgs args = decode_args (d, &c, a, &queries);
  dp_paged_decode_attention (d->stream, &args);
  g_autofree float *out = device_get (d, &args.out);
  for (guint b = 0; b < SEQUENCES; b++) {
    Keys keys = { a, c.k[b], c.v[b], (guint32) lens[b] };
    expect_query (&keys, q + (gsize) b * queries.cols, lens[b] - 1, out + (gsize) b * args.out.cols, p->tolerance);
  }
  /* alone, with room for less, the first sequence that needs two parts gives the same bits */
  DpPagedDecodeAttentionArgs one = decode_args (d, &c, a, &queries);
  one.q = dp_tensor_rows (queries, 1, 1);
  one.block_table = dp_tensor_rows (c.table, 1, 1);
  one.kv_lens = dp_tensor_rows (c.lens, 1, 1);
  one.max_kv_len = 513;
  one.out = dp_tensor_rows (one.out, 0, 1);
  dp_paged_decode_attention (d->stream, &one);
  g_autofree float *alone = device_get (d, &one.out);
  g_assert_cmpmem (alone, one.out.cols * sizeof (float), out + one.out.cols, one.out.cols * sizeof (float));
  cache_free (&c);
}

/* The last 70 tokens of the first sequence and the last 2 of the fourth, as a chunk. */
static void
check_paged_prefill (Device *d, const PagedCase *p, GRand *rand)
{
  const DpAttention *a = &p->attn;
  const gint32 cu[] = { 0, 70, 70, 70, 72 };
  Cache c = cache_new (d, a, p->type, p->page_size, p->v_in_k, rand);
  g_autofree float *q = random_floats (rand, (gsize) 72 * a->n_heads * a->head_dim, 2);
  DpPagedPrefillAttentionArgs args = { .q = device_floats (d, DP_F32, 72, a->n_heads * a->head_dim, q),
                                       .kv = c.kv,
                                       .layer = 1,
                                       .block_table = c.table,
                                       .cu_seqlens = device_put (d, DP_I32, SEQUENCES + 1, 1, cu),
                                       .kv_lens = c.lens,
                                       .max_seqlen = 70,
                                       .max_kv_len = LONG,
                                       .attn = *a,
                                       .out = device_put (d, DP_F32, 72, a->n_heads * a->head_dim_v, NULL) };
  dp_paged_prefill_attention (d->stream, &args);
  g_autofree float *out = device_get (d, &args.out);
  for (guint row = 0; row < 72; row += row < 69 ? 23 : 1) {
    guint b = row < 70 ? 0 : 3;
    Keys keys = { a, c.k[b], c.v[b], (guint32) lens[b] };
    expect_query (&keys, q + (gsize) row * args.q.cols, lens[b] - (cu[b + 1] - (gint32) row), out + (gsize) row * args.out.cols,
                  p->tolerance);
  }
  cache_free (&c);
}

static void
test_paged (gconstpointer isa)
{
  g_setenv ("DOCPARSE_CPU_ISA", isa, TRUE);
  Device d = device_open ("cpu", 2);
  g_autoptr (GRand) rand = g_rand_new_with_seed (8);
  for (guint i = 0; i < G_N_ELEMENTS (paged_cases); i++) {
    check_decode (&d, &paged_cases[i], rand);
    check_paged_prefill (&d, &paged_cases[i], rand);
  }
  device_close (&d);
}

/* A copied page answers for the one it was copied from. */
static void
test_copy_page (void)
{
  const DpAttention a = { 2, 1, 64, 64, 0.125f, .causal = TRUE };
  Device d = device_open ("cpu", 1);
  g_autoptr (GRand) rand = g_rand_new_with_seed (9);
  Cache c = cache_new (&d, &a, DP_I8, 32, FALSE, rand);
  g_autofree float *q = random_floats (rand, SEQUENCES * 128, 2);
  DpTensor queries = device_floats (&d, DP_F32, SEQUENCES, 128, q);
  DpPagedDecodeAttentionArgs args = decode_args (&d, &c, &a, &queries);
  g_autofree gint32 *table = device_get (&d, &c.table);
  dp_paged_decode_attention (d.stream, &args);
  g_autofree float *before = device_get (&d, &args.out);
  dp_stream_copy_page (d.stream, c.kv, (guint32) table[3 * c.n_columns], 0);
  table[3 * c.n_columns] = 0; /* the fourth sequence has one page */
  args.block_table = device_put (&d, DP_I32, SEQUENCES, c.n_columns, table);
  dp_paged_decode_attention (d.stream, &args);
  g_autofree float *after = device_get (&d, &args.out);
  g_assert_cmpmem (before, SEQUENCES * 128 * sizeof (float), after, SEQUENCES * 128 * sizeof (float));
  cache_free (&c);
  device_close (&d);
}

/* ---- not finite ---- */

/* NaN in the value of key 300 reaches the queries that see it, and no others; a mask of -infinity hides it. */
static void
check_nan (Device *d, DpType type, gboolean masked)
{
  const DpAttention a = { 1, 1, 64, 64, 0.125f, .causal = TRUE };
  const guint32 n = 400;
  const gint32 cu[] = { 0, 400 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (10);
  g_autofree float *x = random_floats (rand, n * 64, 1), *y = g_memdup2 (x, n * 64 * sizeof *x), *mask = g_new0 (float, n *n);
  for (guint i = 0; i < 64; i++)
    y[300 * 64 + i] = i % 2 ? NAN : INFINITY;
  for (guint i = 0; i < n; i++)
    mask[i * n + 300] = -INFINITY;
  DpPrefillAttentionArgs args = { .q = device_floats (d, type, n, 64, x),
                                  .k = device_floats (d, type, n, 64, x),
                                  .v = device_floats (d, type, n, 64, y),
                                  .cu_seqlens = device_put (d, DP_I32, 2, 1, cu),
                                  .max_seqlen = n,
                                  .attn = a,
                                  .out = device_put (d, DP_F32, n, 64, NULL) };
  if (masked)
    args.mask = device_put (d, DP_F32, n, n, mask);
  dp_prefill_attention (d->stream, &args);
  g_autofree float *out = device_get (d, &args.out);
  for (guint i = 0; i < n; i++)
    for (guint c = 0; c < 64; c++)
      g_assert_true (isfinite (out[i * 64 + c]) == (masked || i < 300));
  Keys keys = { &a, x, y, 300 };
  for (guint i = 252; i < 300; i++) /* share a tile of queries and a block of keys with it */
    expect_query (&keys, x + i * 64, i, out + i * 64, type == DP_F32 ? 4e-6 : 4e-3);
}

static void
test_nan (gconstpointer isa)
{
  g_setenv ("DOCPARSE_CPU_ISA", isa, TRUE);
  Device d = device_open ("cpu", 1);
  check_nan (&d, DP_F32, FALSE);
  check_nan (&d, DP_F32, TRUE);
  check_nan (&d, DP_BF16, FALSE);
  check_nan (&d, DP_BF16, TRUE);
  device_close (&d);
}

int
main (int argc, char **argv)
{
  const DpCpuKernels *list[4];
  guint n = dp_cpu_kernels_list (list);

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < n; i++) {
    g_autofree char *prefill = g_strdup_printf ("/cpu/attention/prefill/%s", list[i]->name);
    g_autofree char *paged = g_strdup_printf ("/cpu/attention/paged/%s", list[i]->name);
    g_autofree char *nan = g_strdup_printf ("/cpu/attention/nan/%s", list[i]->name);
    g_test_add_data_func (prefill, list[i]->name, test_prefill);
    g_test_add_data_func (paged, list[i]->name, test_paged);
    g_test_add_data_func (nan, list[i]->name, test_nan);
  }
  g_test_add_func ("/cpu/attention/copy-page", test_copy_page);
  return g_test_run ();
}
