/* ops/selftest_sequence.c - conformance cases of rotary, attention and the cache: unequal lengths, scattered pages,
 * windows, masks, GQA ratios, head sizes 32 to 256 and MLA's. */
#include "ops/selftest_case.h"

/* ---- rotary ---- */

void
dp_selftest_apply_rotary (DpCase *c)
{
  static const guint32 dims[] = { 32, 64, 80, 96, 128, 256 };
  guint32 head_dim = dims[dp_case_int (c, 0, 5)], rows = dp_case_int (c, 1, 19), places = 23, axes = dp_case_int (c, 1, 3);
  DpApplyRotaryArgs a
      = { .head_dim = head_dim, .rot_dim = dp_case_chance (c, 3) ? head_dim / 2 : head_dim, .interleaved = dp_case_chance (c, 3) };
  guint32 pairs = a.rot_dim / 2;
  a.rot_start = dp_case_chance (c, 2) ? head_dim - a.rot_dim : 0;
  a.q = dp_case_floats (c, dp_case_float_type (c), rows, head_dim * dp_case_int (c, 1, 6), -2, 2);
  dp_case_spoil (c, &a.q);
  if (!dp_case_chance (c, 4))
    a.k = dp_case_floats (c, dp_case_float_type (c), rows, head_dim * dp_case_int (c, 1, 3), -2, 2);
  a.cos = dp_case_floats (c, DP_F32, places, pairs, -1, 1);
  a.sin = dp_case_floats (c, DP_F32, places, pairs, -1, 1);
  if (axes > 1) {
    a.sections[0] = dp_case_int (c, 1, pairs / 2);
    a.sections[1] = axes == 2 ? pairs - a.sections[0] : pairs / 4;
    a.sections[2] = pairs - a.sections[0] - a.sections[1];
  }
  if (axes > 1 || dp_case_chance (c, 2)) {
    g_autofree gint32 *positions = g_new (gint32, (gsize) rows * axes);
    for (guint32 i = 0; i < rows * axes; i++)
      positions[i] = (gint32) dp_case_int (c, 0, places - 1);
    a.positions = dp_case_ints (c, rows, axes, positions);
    dp_case_by_rows (c, rows);
  }
  dp_case_run (c, DP_OP_APPLY_ROTARY, &a);
}

/* ---- attention ---- */

static DpAttention
heads (DpCase *c)
{
  static const guint32 dims[] = { 32, 64, 64, 72, 80, 96, 128, 256 };
  DpAttention attn = { .n_kv_heads = dp_case_int (c, 1, 3), .causal = !dp_case_chance (c, 3) };
  attn.n_heads = attn.n_kv_heads * dp_case_int (c, 1, dp_case_chance (c, 3) ? 7 : 2);
  attn.head_dim = attn.head_dim_v = dims[dp_case_int (c, 0, G_N_ELEMENTS (dims) - 1)];
  if (dp_case_chance (c, 5)) /* MLA: keys are wider than values */
    attn.head_dim = 96, attn.head_dim_v = 64;
  attn.scale = 1 / sqrtf ((float) attn.head_dim);
  attn.softcap = dp_case_chance (c, 4) ? 2 : 0;
  attn.window = dp_case_chance (c, 3) ? dp_case_int (c, 1, 9) : 0;
  return attn;
}

static DpTensor
out_for (DpCase *c, const DpAttention *attn, DpTensor q)
{
  DpTensor out = dp_case_out (c, dp_case_float_type (c), q.rows, attn->n_heads * attn->head_dim_v);
  return attn->head_dim == attn->head_dim_v ? dp_case_alias (c, q, out) : out;
}

/* Large enough scores that the softmax is not flat. */
static DpTensor
queries (DpCase *c, const DpAttention *attn, guint32 rows)
{
  return dp_case_floats (c, dp_case_float_type (c), rows, attn->n_heads * attn->head_dim, -3, 3);
}

/* Additive: some small numbers, some -infinity. */
static DpTensor
mask_for (DpCase *c, guint32 rows, guint32 cols)
{
  g_autofree gint32 *bits = g_new (gint32, (gsize) rows * cols);
  for (guint32 i = 0; i < rows * cols; i++) {
    union {
      float f;
      gint32 i;
    } v = { dp_case_chance (c, 4) ? -INFINITY : dp_case_float (c, -2, 2) };
    bits[i] = v.i;
  }
  DpTensor mask = dp_case_ints (c, rows, cols, bits);
  mask.type = DP_F32;
  return mask;
}

void
dp_selftest_prefill_attention (DpCase *c)
{
  DpAttention attn = heads (c);
  DpCasePacking p = dp_case_packing (c, 4, dp_case_chance (c, 6) ? 150 : 21);
  g_autofree gint32 *starts = p.starts;
  DpPrefillAttentionArgs a = { .attn = attn, .cu_seqlens = dp_case_ints (c, p.n + 1, 1, starts) };
  a.q = queries (c, &attn, p.rows);
  a.k = dp_case_floats (c, dp_case_float_type (c), p.rows, attn.n_kv_heads * attn.head_dim, -3, 3);
  a.v = dp_case_floats (c, a.k.type, p.rows, attn.n_kv_heads * attn.head_dim_v, -2, 2);
  guint32 slack = dp_case_int (c, 0, 3);
  a.max_seqlen = MIN (p.longest + slack, p.rows);
  if (dp_case_chance (c, 3))
    a.mask = mask_for (c, p.rows, a.max_seqlen + dp_case_int (c, 0, 2));
  a.out = out_for (c, &attn, a.q);
  dp_case_run (c, DP_OP_PREFILL_ATTENTION, &a);
}

/* ---- paged ---- */

/* A cache with sequences of unequal lengths in scattered pages; every slot that no sequence owns holds NaN. */
typedef struct {
  DpKvConfig config;
  DpKv *kv;
  guint32 layer, n, most_pages, longest;
  gint32 *lens, *table; /* [n], [n, most_pages] */
} Cache;

static DpKvConfig
config_for (DpCase *c, const DpAttention *attn)
{
  static const guint32 page_sizes[] = { 1, 4, 16, 16, 32, 64 };
  static const guint32 types[] = { DP_F32, DP_BF16, DP_BF16, DP_F16, DP_I8 };
  DpKvConfig k = { .n_layers = 2,
                   .page_size = page_sizes[dp_case_int (c, 0, 5)],
                   .n_kv_heads = attn->n_kv_heads,
                   .head_dim = attn->head_dim,
                   .head_dim_v = attn->head_dim_v,
                   .type = types[dp_case_int (c, 0, 4)] };
  k.v_in_k = attn->head_dim != attn->head_dim_v && dp_case_chance (c, 2);
  return k;
}

/* Hands out pages in random order, page 0 never. */
static void
lay_out (DpCase *c, Cache *cache)
{
  guint32 size = cache->config.page_size, used = 0, free_page = 0;
  cache->most_pages = (cache->longest + size - 1) / size + dp_case_int (c, 0, 1);
  cache->config.n_pages = 1 + cache->n * cache->most_pages + dp_case_int (c, 0, 2);
  g_autofree gint32 *pages = g_new (gint32, cache->config.n_pages);
  for (guint32 i = 1; i < cache->config.n_pages; i++) {
    guint32 at = dp_case_int (c, 0, used);
    pages[used++] = pages[at];
    pages[at] = (gint32) i;
  }
  cache->table = g_new0 (gint32, (gsize) cache->n * cache->most_pages);
  for (guint32 b = 0; b < cache->n; b++)
    for (guint32 i = 0; i * size < (guint32) cache->lens[b]; i++)
      cache->table[b * cache->most_pages + i] = pages[free_page++];
}

/* Flat slots of all tokens, sequence after sequence, then of all slots that are left. */
static guint32
slots_of (const Cache *cache, gint32 *slots)
{
  guint32 size = cache->config.page_size, total = cache->config.n_pages * size, n = 0;
  g_autofree gboolean *taken = g_new0 (gboolean, total);
  for (guint32 b = 0; b < cache->n; b++)
    for (guint32 j = 0; j < (guint32) cache->lens[b]; j++) {
      slots[n] = cache->table[b * cache->most_pages + j / size] * (gint32) size + (gint32) (j % size);
      taken[slots[n++]] = TRUE;
    }
  guint32 owned = n;
  for (guint32 s = 0; s < total; s++)
    if (!taken[s])
      slots[n++] = (gint32) s;
  return owned;
}

static void
fill (DpCase *c, const Cache *cache, guint32 layer, DpTensor slots, float least, float most)
{
  const DpKvConfig *k = &cache->config;
  DpFillKvCacheArgs a = { .kv = cache->kv, .layer = layer, .slots = slots };
  a.k = dp_case_floats (c, DP_F32, slots.rows, k->n_kv_heads * k->head_dim, least, most);
  if (!k->v_in_k)
    a.v = dp_case_floats (c, DP_F32, slots.rows, k->n_kv_heads * k->head_dim_v, least, most);
  dp_case_prepare (c, DP_OP_FILL_KV_CACHE, &a);
}

static Cache
cache_new (DpCase *c, const DpAttention *attn, guint32 n, const gint32 *lens)
{
  Cache cache = { .config = config_for (c, attn), .layer = dp_case_int (c, 0, 1), .n = n, .lens = g_memdup2 (lens, n * sizeof *lens) };
  for (guint32 b = 0; b < n; b++)
    cache.longest = MAX (cache.longest, (guint32) lens[b]);
  cache.longest = MAX (cache.longest, 1);
  lay_out (c, &cache);
  cache.kv = dp_case_kv (c, &cache.config);
  g_autofree gint32 *slots = g_new (gint32, (gsize) cache.config.n_pages * cache.config.page_size);
  guint32 owned = slots_of (&cache, slots), rest = cache.config.n_pages * cache.config.page_size - owned;
  if (rest)
    fill (c, &cache, cache.layer, dp_case_ints (c, rest, 1, slots + owned), NAN, NAN);
  if (owned) {
    fill (c, &cache, cache.layer, dp_case_ints (c, owned, 1, slots), -3, 3);
    fill (c, &cache, 1 - cache.layer, dp_case_ints (c, owned, 1, slots), -3, 3); /* another layer's, to be left alone */
  }
  return cache;
}

static void
cache_clear (Cache *cache)
{
  g_free (cache->lens);
  g_free (cache->table);
}

void
dp_selftest_paged_decode_attention (DpCase *c)
{
  DpAttention attn = heads (c);
  guint32 n = dp_case_int (c, 1, 9), longest = dp_case_chance (c, 8) ? 1100 : dp_case_chance (c, 4) ? 300 : 40; /* more than one split */
  g_autofree gint32 *lens = g_new (gint32, n);
  for (guint32 b = 0; b < n; b++)
    lens[b] = dp_case_chance (c, 6) ? 0 : (gint32) dp_case_int (c, 1, dp_case_chance (c, 3) ? longest : 9);
  Cache cache = cache_new (c, &attn, n, lens);
  DpTensor q = queries (c, &attn, n);
  DpPagedDecodeAttentionArgs a = { .q = q, .kv = cache.kv, .layer = cache.layer, .attn = attn, .max_kv_len = cache.longest };
  a.block_table = dp_case_ints (c, n, cache.most_pages, cache.table);
  a.kv_lens = dp_case_ints (c, n, 1, lens);
  a.out = out_for (c, &attn, q);
  dp_case_by_rows (c, n);
  dp_case_run (c, DP_OP_PAGED_DECODE_ATTENTION, &a);
  cache_clear (&cache);
}

void
dp_selftest_paged_prefill_attention (DpCase *c)
{
  DpAttention attn = heads (c);
  DpCasePacking p = dp_case_packing (c, 4, 17);
  g_autofree gint32 *starts = p.starts, *lens = g_new (gint32, p.n);
  for (guint32 b = 0; b < p.n; b++) /* history before the queries, or none */
    lens[b] = starts[b + 1] - starts[b] + (dp_case_chance (c, 3) ? 0 : (gint32) dp_case_int (c, 0, 30));
  Cache cache = cache_new (c, &attn, p.n, lens);
  DpTensor q = queries (c, &attn, p.rows);
  DpPagedPrefillAttentionArgs a = { .q = q, .kv = cache.kv, .layer = cache.layer, .attn = attn, .max_kv_len = cache.longest };
  guint32 slack = dp_case_int (c, 0, 2);
  a.max_seqlen = MIN (p.longest + slack, p.rows);
  a.block_table = dp_case_ints (c, p.n, cache.most_pages, cache.table);
  a.cu_seqlens = dp_case_ints (c, p.n + 1, 1, starts);
  a.kv_lens = dp_case_ints (c, p.n, 1, lens);
  a.out = out_for (c, &attn, q);
  dp_case_run (c, DP_OP_PAGED_PREFILL_ATTENTION, &a);
  cache_clear (&cache);
}

/* A page that no sequence has, or 0. */
static gint32
spare_page (const Cache *cache)
{
  for (gint32 page = 1; page < (gint32) cache->config.n_pages; page++) {
    gboolean taken = FALSE;
    for (guint32 i = 0; i < cache->n * cache->most_pages; i++)
      taken = taken || cache->table[i] == page;
    if (!taken)
      return page;
  }
  return 0;
}

/* What was filled is looked at through attention, at times after a page was copied. */
void
dp_selftest_fill_kv_cache (DpCase *c)
{
  DpAttention attn = heads (c);
  attn.window = 0;
  guint32 n = dp_case_int (c, 1, 6);
  g_autofree gint32 *lens = g_new (gint32, n);
  for (guint32 b = 0; b < n; b++)
    lens[b] = (gint32) dp_case_int (c, 1, 5);
  Cache cache = cache_new (c, &attn, n, lens);
  const DpKvConfig *k = &cache.config;
  g_autofree gint32 *slots = g_new (gint32, (gsize) k->n_pages * k->page_size);
  guint32 owned = slots_of (&cache, slots);
  for (guint32 i = 0; i < owned; i++)
    if (dp_case_chance (c, 4))
      slots[i] = -1; /* keeps what it had */
  DpFillKvCacheArgs a = { .kv = cache.kv, .layer = cache.layer, .slots = dp_case_ints (c, owned, 1, slots) };
  a.k = dp_case_floats (c, dp_case_float_type (c), owned, k->n_kv_heads * k->head_dim, -3, 3);
  if (!k->v_in_k)
    a.v = dp_case_floats (c, dp_case_float_type (c), owned, k->n_kv_heads * k->head_dim_v, -3, 3);
  dp_case_run (c, DP_OP_FILL_KV_CACHE, &a);
  gint32 spare = dp_case_chance (c, 2) ? spare_page (&cache) : 0;
  if (spare) {
    dp_case_copy_page (c, cache.kv, (guint32) cache.table[0], (guint32) spare);
    cache.table[0] = spare;
  }
  DpTensor q = queries (c, &attn, n);
  DpPagedDecodeAttentionArgs look = { .q = q, .kv = cache.kv, .layer = cache.layer, .attn = attn, .max_kv_len = cache.longest };
  look.block_table = dp_case_ints (c, n, cache.most_pages, cache.table);
  look.kv_lens = dp_case_ints (c, n, 1, lens);
  look.out = dp_case_out (c, DP_F32, n, attn.n_heads * attn.head_dim_v);
  dp_case_look (c, DP_OP_PAGED_DECODE_ATTENTION, &look);
  cache_clear (&cache);
}
