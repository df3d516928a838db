/* The reference back end against numbers worked out by hand or by independent double arithmetic. */
#include "ops/stream.h"

#include <math.h>

typedef struct {
  DpBackend *backend;
  DpStream *stream;
  GPtrArray *buffers;
} Fixture;

static void
set_up (Fixture *f, gconstpointer strict)
{
  DpBackendOptions options = { .struct_size = sizeof options, .strict_memory = strict != NULL };
  GError *error = NULL;
  f->backend = dp_backend_open ("reference", &options, &error);
  g_assert_no_error (error);
  f->stream = dp_stream_new (f->backend, &error);
  g_assert_no_error (error);
  f->buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_buffer_free);
}

static void
tear_down (Fixture *f, G_GNUC_UNUSED gconstpointer strict)
{
  dp_stream_free (f->stream);
  g_ptr_array_unref (f->buffers);
  dp_backend_close (f->backend);
}

static DpTensor
put (Fixture *f, DpType type, guint32 rows, guint32 cols, const void *values)
{
  GError *error = NULL;
  DpBuffer *buffer = dp_buffer_new (f->backend, (gsize) rows * cols * dp_type_size (type), &error);
  g_assert_no_error (error);
  g_ptr_array_add (f->buffers, buffer);
  DpTensor t = dp_tensor (buffer, 0, type, rows, cols);
  if (values)
    dp_stream_upload (f->stream, &t, values, dp_tensor_bytes (&t));
  return t;
}

static void
expect (Fixture *f, const DpTensor *t, const float *values, float tolerance)
{
  GError *error = NULL;
  g_autofree float *got = g_malloc (dp_tensor_bytes (t));
  dp_stream_download (f->stream, got, t, dp_tensor_bytes (t));
  dp_stream_sync (f->stream, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < t->rows * t->cols; i++)
    if (got[i] != values[i]) /* infinities are equal and have no distance */
      g_assert_cmpfloat_with_epsilon (got[i], values[i], tolerance);
}

static void
expect_ints (Fixture *f, const DpTensor *t, const gint32 *values)
{
  GError *error = NULL;
  g_autofree gint32 *got = g_malloc (dp_tensor_bytes (t));
  dp_stream_download (f->stream, got, t, dp_tensor_bytes (t));
  dp_stream_sync (f->stream, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < t->rows * t->cols; i++)
    g_assert_cmpint (got[i], ==, values[i]);
}

#define F32(rows, cols, ...) put (f, DP_F32, rows, cols, (float[]){ __VA_ARGS__ })
#define I32(rows, cols, ...) put (f, DP_I32, rows, cols, (gint32[]){ __VA_ARGS__ })
#define EXPECT(tensor, ...) expect (f, &(tensor), (float[]){ __VA_ARGS__ }, 2e-6f)
#define EXPECT_INTS(tensor, ...) expect_ints (f, &(tensor), (gint32[]){ __VA_ARGS__ })

static DpWeight *
weight (Fixture *f, guint32 uses, guint32 n, guint32 rows, guint32 cols, const float *data, const float *bias)
{
  DpWeightSource source = { .name = "w",
                            .uses = uses,
                            .n = n,
                            .rows = rows,
                            .cols = cols,
                            .type = DP_F32,
                            .hold = DP_F32,
                            .data = data,
                            .data_size = (gsize) n * rows * cols * 4,
                            .bias = bias };
  GError *error = NULL;
  DpWeight *w = dp_weight_new (f->backend, &source, &error);
  g_assert_no_error (error);
  return w;
}

static void
test_norm (Fixture *f, G_GNUC_UNUSED gconstpointer strict)
{
  /* mean square of (3, 4) is 12.5 */
  DpTensor x = F32 (1, 2, 3, 4), w = F32 (1, 2, 1, 2), y = put (f, DP_F32, 1, 2, NULL);
  dp_rms_norm (f->stream, &(DpRmsNormArgs){ .x = x, .weight = w, .y = y });
  EXPECT (y, 3 / 3.535533906f, 8 / 3.535533906f);
  DpTensor residual = F32 (1, 2, 1, 1), two = F32 (1, 2, 2, 3);
  dp_add_rms_norm (f->stream, &(DpAddRmsNormArgs){ .x = two, .residual = residual, .weight = w, .y = two });
  EXPECT (residual, 3, 4);
  EXPECT (two, 3 / 3.535533906f, 8 / 3.535533906f);
  DpTensor bias = F32 (1, 2, 10, 20), z = F32 (1, 2, 5, 9);
  dp_layer_norm (f->stream, &(DpLayerNormArgs){ .x = z, .weight = w, .bias = bias, .y = y });
  EXPECT (y, 9, 22); /* (-1, 1) scaled by (1, 2) */
}

static void
test_linear (Fixture *f, G_GNUC_UNUSED gconstpointer strict)
{
  DpTensor x = F32 (2, 3, 1, 2, 3, 0, -1, 1), y = F32 (2, 2, 100, 200, 300, 400);
  DpWeight *w = weight (f, DP_USE_LINEAR, 1, 2, 3, (float[]){ 1, 0, 1, 0, 2, -1 }, (float[]){ 0.5f, 0 });
  dp_linear (f->stream, &(DpLinearArgs){ .x = x, .weight = w, .act = DP_ACT_RELU, .residual = y, .y = y });
  EXPECT (y, 104.5f, 201, 301.5f, 400);
  dp_weight_free (w);
}

static void
test_lm_head (Fixture *f, G_GNUC_UNUSED gconstpointer strict)
{
  DpTensor x = F32 (2, 2, 1, 0, NAN, NAN), ids = put (f, DP_I32, 2, 1, NULL), margin = put (f, DP_F32, 2, 1, NULL);
  DpTensor logprob = put (f, DP_F32, 2, 1, NULL);
  DpWeight *w = weight (f, DP_USE_LM_HEAD, 1, 3, 2, (float[]){ 1, 9, 3, 9, 3, 9 }, NULL);
  dp_lm_head_argmax (f->stream, &(DpLmHeadArgmaxArgs){ .x = x, .weight = w, .ids = ids, .margin = margin, .logprob = logprob });
  EXPECT_INTS (ids, 1, 0); /* the lower of two equals; all NaN */
  DpTensor first = dp_tensor_rows (margin, 0, 1), first_logprob = dp_tensor_rows (logprob, 0, 1);
  EXPECT (first, 0);
  EXPECT (first_logprob, -logf (2 + expf (-2)));
  dp_weight_free (w);
}

/* Two keys; scores 0 and ln 3 give probabilities 1/4 and 3/4. */
static void
test_attention (Fixture *f, G_GNUC_UNUSED gconstpointer strict)
{
  float ln3 = logf (3);
  DpTensor q = F32 (3, 1, 1, 1, 1), k = F32 (3, 1, 0, ln3, 7), v = F32 (3, 2, 4, 8, 8, 16, 1, 1), out = put (f, DP_F32, 3, 2, NULL);
  DpTensor lens = I32 (2, 1, 0, 2);
  DpPrefillAttentionArgs a = { .q = q,
                               .k = k,
                               .v = v,
                               .cu_seqlens = lens,
                               .max_seqlen = 3,
                               .out = out,
                               .attn = { .n_heads = 1, .n_kv_heads = 1, .head_dim = 1, .head_dim_v = 2, .scale = 1, .causal = TRUE } };
  dp_prefill_attention (f->stream, &a);
  EXPECT (out, 4, 8, 7, 14, 0, 0); /* the third row is padding */
  a.attn.causal = FALSE;
  dp_prefill_attention (f->stream, &a);
  EXPECT (out, 7, 14, 7, 14, 0, 0);
  a.attn.window = 1;
  dp_prefill_attention (f->stream, &a);
  EXPECT (out, 4, 8, 8, 16, 0, 0);
  a.attn.window = 0;
  a.mask = F32 (3, 3, 0, -INFINITY, 0, -ln3, -ln3, 0, 0, 0, 0);
  dp_prefill_attention (f->stream, &a);
  EXPECT (out, 4, 8, 7, 14, 0, 0);
}

static void
test_cache (Fixture *f, G_GNUC_UNUSED gconstpointer strict)
{
  float ln3 = logf (3);
  DpKvConfig config = { .n_layers = 2, .n_pages = 4, .page_size = 1, .n_kv_heads = 1, .head_dim = 1, .head_dim_v = 2, .type = DP_F32 };
  GError *error = NULL;
  DpKv *kv = dp_kv_new (f->backend, &config, &error);
  g_assert_no_error (error);
  DpTensor k = F32 (3, 1, 0, 99, ln3), v = F32 (3, 2, 4, 8, 99, 99, 8, 16), slots = I32 (3, 1, 3, -1, 1);
  dp_fill_kv_cache (f->stream, &(DpFillKvCacheArgs){ .k = k, .v = v, .slots = slots, .kv = kv, .layer = 1 });
  dp_stream_copy_page (f->stream, kv, 3, 2);
  DpTensor q = F32 (2, 1, 1, 1), table = I32 (2, 2, 2, 1, -5, -5), lens = I32 (2, 1, 2, 0), out = put (f, DP_F32, 2, 2, NULL);
  DpPagedDecodeAttentionArgs a = { .q = q,
                                   .kv = kv,
                                   .layer = 1,
                                   .block_table = table,
                                   .kv_lens = lens,
                                   .max_kv_len = 2,
                                   .out = out,
                                   .attn = { .n_heads = 1, .n_kv_heads = 1, .head_dim = 1, .head_dim_v = 2, .scale = 1, .causal = TRUE } };
  dp_paged_decode_attention (f->stream, &a);
  EXPECT (out, 7, 14, 0, 0);
  dp_kv_free (kv);
}

static void
test_rotary (Fixture *f, G_GNUC_UNUSED gconstpointer strict)
{
  /* quarter turns: (a, b) -> (-b, a); table row 1 turns, row 0 does not */
  DpTensor cosine = F32 (2, 2, 1, 1, 0, 0), sine = F32 (2, 2, 0, 0, 1, 1), q = F32 (1, 4, 1, 2, 3, 4), at = I32 (1, 2, 0, 1);
  DpApplyRotaryArgs a = { .q = q, .cos = cosine, .sin = sine, .positions = at, .sections = { 1, 1 }, .head_dim = 4, .rot_dim = 4 };
  dp_apply_rotary (f->stream, &a);
  EXPECT (q, 1, -4, 3, 2); /* pair 0 (1, 3) stays, pair 1 (2, 4) turns */
  a.interleaved = TRUE;
  a.q = F32 (1, 4, 1, 2, 3, 4);
  dp_apply_rotary (f->stream, &a);
  EXPECT (a.q, 1, 2, -4, 3);
}

static void
test_moe (Fixture *f, G_GNUC_UNUSED gconstpointer strict)
{
  DpTensor logits = F32 (1, 4, 0, logf (2), logf (4), 0), weights = put (f, DP_F32, 1, 2, NULL), ids = put (f, DP_I32, 1, 2, NULL);
  DpMoeGatingTopkArgs a = { .logits = logits, .k = 2, .scale = 1, .weights = weights, .ids = ids };
  dp_moe_gating_topk (f->stream, &a);
  EXPECT_INTS (ids, 2, 1);
  EXPECT (weights, 4 / 8.f, 2 / 8.f);
  a.renormalize = TRUE;
  dp_moe_gating_topk (f->stream, &a);
  EXPECT (weights, 4 / 6.f, 2 / 6.f);
  a.n_groups = 2, a.topk_groups = 1, a.group_top = 1, a.renormalize = FALSE;
  dp_moe_gating_topk (f->stream, &a); /* only the second group is left */
  EXPECT_INTS (ids, 2, 3);
  /* expert e multiplies by e + 1, twice */
  DpWeight *gate_up = weight (f, DP_USE_MOE_GATE_UP, 2, 2, 1, (float[]){ 1, 1, 2, 2 }, NULL);
  DpWeight *down = weight (f, DP_USE_MOE_DOWN, 2, 1, 1, (float[]){ 1, 2 }, NULL);
  DpTensor x = F32 (2, 1, 3, 5), y = put (f, DP_F32, 2, 1, NULL), which = I32 (2, 2, 0, 1, -1, 1), share = F32 (2, 2, .5f, .25f, 9, 1);
  dp_fused_moe (f->stream, &(DpFusedMoeArgs){ .x = x, .gate_up = gate_up, .down = down, .weights = share, .ids = which, .y = y });
  EXPECT (y, .5f * 9 + .25f * 72, 200);
  dp_weight_free (gate_up);
  dp_weight_free (down);
}

static void
test_vision (Fixture *f, G_GNUC_UNUSED gconstpointer strict)
{
  /* 3x3 ones over a 2x2 picture with a border of zeros: every window sees all four pixels */
  DpTensor x = F32 (4, 1, 1, 2, 3, 4), y = put (f, DP_F32, 4, 1, NULL);
  DpWeight *w = weight (f, DP_USE_CONV, 1, 1, 9, (float[]){ 1, 1, 1, 1, 1, 1, 1, 1, 1 }, (float[]){ 1 });
  DpConv2dArgs a = { .x = x,
                     .weight = w,
                     .n = 1,
                     .height = 2,
                     .width = 2,
                     .kernel_y = 3,
                     .kernel_x = 3,
                     .stride_y = 1,
                     .stride_x = 1,
                     .pad_y = 1,
                     .pad_x = 1,
                     .dilation = 1,
                     .groups = 1,
                     .y = y };
  dp_conv2d (f->stream, &a);
  EXPECT (y, 11, 11, 11, 11);
  dp_weight_free (w);
  DpTensor merged = put (f, DP_F32, 1, 4, NULL), back = put (f, DP_F32, 4, 1, NULL);
  dp_patch_merge (f->stream, &(DpPatchMergeArgs){ .x = x, .n = 1, .height = 2, .width = 2, .merge = 2, .y = merged });
  EXPECT (merged, 1, 2, 3, 4);
  dp_patch_merge (f->stream, &(DpPatchMergeArgs){ .x = merged, .n = 1, .height = 1, .width = 1, .merge = 2, .inverse = TRUE, .y = back });
  EXPECT (back, 1, 2, 3, 4);
  DpTensor index = I32 (2, 1, 1, -1), rows = F32 (4, 1, 0, 0, 0, 9);
  dp_window_permute (f->stream, &(DpWindowPermuteArgs){ .x = x, .index = index, .unit = 2, .y = rows });
  EXPECT (rows, 3, 4, 0, 0);
  DpTensor two = dp_tensor_rows (x, 0, 2);
  dp_scatter_rows (f->stream, &(DpScatterRowsArgs){ .x = two, .index = index, .y = rows });
  EXPECT (rows, 3, 1, 0, 0);
}

/* A row of four pixels to two. */
static void
test_resize (Fixture *f, G_GNUC_UNUSED gconstpointer strict)
{
  DpTensor x = put (f, DP_U8, 4, 1, (guint8[]){ 0, 100, 200, 250 }), y = put (f, DP_F32, 2, 1, NULL);
  DpResizeArgs a = { .x = x, .n = 1, .height = 1, .width = 4, .out_height = 1, .out_width = 2, .antialias = TRUE, .y = y };
  dp_resize (f->stream, &a);
  /* triangle of half-width 2 around 1 and 3: weights 3/4 3/4 1/4 of 7/4, and mirrored */
  EXPECT (y, 500 / 7.f, 1450 / 7.f);
  a.antialias = FALSE;
  dp_resize (f->stream, &a); /* halfway between neighbours */
  EXPECT (y, 50, 225);
}

static void
test_tokens (Fixture *f, G_GNUC_UNUSED gconstpointer strict)
{
  DpTensor logits = F32 (1, 4, 2, -2, 1, 1), tokens = I32 (1, 6, 0, 1, 2, 1, 2, 9), lens = I32 (1, 1, 5), prompt = I32 (1, 1, 1);
  DpTensor params = F32 (1, 3, 2, .5f, .25f), size = I32 (1, 1, 2), none = I32 (1, 1, 0);
  dp_logits_penalty (f->stream,
                     &(DpLogitsPenaltyArgs){ .logits = logits, .tokens = tokens, .lens = lens, .prompt_lens = prompt, .params = params });
  EXPECT (logits, 1, -5, -.5f, 1);
  dp_ngram_ban (f->stream, &(DpNgramBanArgs){ .logits = logits, .tokens = tokens, .lens = lens, .prompt_lens = none, .sizes = size });
  DpTensor third = dp_tensor_cols (logits, 1, 1), fourth = dp_tensor_cols (logits, 2, 1);
  EXPECT (third, -INFINITY); /* ... 2 1 has been seen, and the last token is 2 */
  EXPECT (fourth, -.5f);
  DpTensor frames = F32 (7, 3, 9, 0, 0, 0, 9, 0, 0, 9, 0, 9, 0, 0, 0, 9, 0, 0, 0, 9, 5, 5, 5), starts = I32 (3, 1, 0, 5, 6);
  DpTensor ids = put (f, DP_I32, 7, 1, NULL), counts = put (f, DP_I32, 2, 1, NULL), where = put (f, DP_I32, 7, 1, NULL);
  dp_ctc_argmax (f->stream, &(DpCtcArgmaxArgs){ .logits = frames, .cu_seqlens = starts, .ids = ids, .lens = counts, .frames = where });
  EXPECT_INTS (ids, 1, 1, -1, -1, -1, 2, -1);
  EXPECT_INTS (counts, 2, 1);
  EXPECT_INTS (where, 1, 4, -1, -1, -1, 0, -1);
}

static void
test_sample (Fixture *f, G_GNUC_UNUSED gconstpointer strict)
{
  /* probabilities 1/2, 1/4, 1/8, 1/8 */
  float l[4] = { 0, -logf (2), -logf (4), -logf (4) };
  float logits[400 * 4], params[400 * 3];
  gint32 top_k[400], draws[800], ids[400];
  for (int i = 0; i < 400; i++) {
    memcpy (logits + i * 4, l, sizeof l);
    params[i * 3] = i < 200 ? 1 : 0, params[i * 3 + 1] = i < 100 ? 1 : .7f, params[i * 3 + 2] = 0;
    top_k[i] = 0, draws[i * 2] = 7, draws[i * 2 + 1] = i;
  }
  DpTensor t = put (f, DP_F32, 400, 4, logits), p = put (f, DP_F32, 400, 3, params), k = put (f, DP_I32, 400, 1, top_k);
  DpTensor r = put (f, DP_I32, 400, 2, draws), out = put (f, DP_I32, 400, 1, NULL);
  dp_sample (f->stream, &(DpSampleArgs){ .logits = t, .params = p, .top_k = k, .random = r, .ids = out });
  dp_stream_download (f->stream, ids, &out, sizeof ids);
  GError *error = NULL;
  dp_stream_sync (f->stream, &error);
  g_assert_no_error (error);
  int count[4] = { 0 };
  for (int i = 0; i < 100; i++) {
    float u = dp_uniform (7, i);
    g_assert_cmpint (ids[i], ==, u < .5f ? 0 : u < .75f ? 1 : u < .875f ? 2 : 3);
    count[ids[i]]++;
  }
  g_assert_cmpint (count[0], >, 30); /* the generator is no constant */
  g_assert_cmpint (count[1], >, 10);
  for (int i = 100; i < 200; i++)
    g_assert_cmpint (ids[i], <, 2); /* 1/2 + 1/4 reaches 0.7 */
  for (int i = 200; i < 400; i++)
    g_assert_cmpint (ids[i], ==, 0);
}

static void
test_quant (Fixture *f, G_GNUC_UNUSED gconstpointer strict)
{
  DpTensor x = F32 (2, 2, 127, -63.5f, 1, NAN), q = put (f, DP_I8, 2, 2, NULL), scale = put (f, DP_F32, 2, 1, NULL);
  dp_dynamic_quant (f->stream, &(DpDynamicQuantArgs){ .x = x, .q = q, .scale = scale });
  gint8 got[4];
  dp_stream_download (f->stream, got, &q, sizeof got);
  DpTensor first = dp_tensor_rows (scale, 0, 1);
  EXPECT (first, 1);
  g_assert_cmpint (got[0], ==, 127);
  g_assert_cmpint (got[1], ==, -64); /* ties to even */
  g_assert_cmpint (got[2], ==, 0);
  /* i4: two groups of two columns; stored 9 is 1 */
  guint8 nibbles[2] = { 0x9 | 0xa << 4, 0x7 | 0x8 << 4 };
  float scales[2] = { 10, 100 };
  DpWeightSource source = { .uses = DP_USE_LINEAR,
                            .n = 1,
                            .rows = 1,
                            .cols = 4,
                            .type = DP_I4,
                            .hold = DP_I4,
                            .group = 2,
                            .data = nibbles,
                            .data_size = 2,
                            .scales = scales };
  GError *error = NULL;
  DpWeight *w = dp_weight_new (f->backend, &source, &error);
  g_assert_no_error (error);
  DpTensor one = F32 (1, 4, 1, 1, 1, 1), y = put (f, DP_F32, 1, 1, NULL);
  dp_weight_quant_matmul (f->stream, &(DpWeightQuantMatmulArgs){ .x = one, .weight = w, .y = y });
  EXPECT (y, 10 * (1 + 2) + 100 * (-1 + 0));
  dp_weight_free (w);
}

static void
test_halves (void)
{
  for (guint32 h = 0; h < 65536; h++) {
    float v = dp_f16_to_f32 ((guint16) h);
    guint16 back = dp_f32_to_f16 (v);
    if (isnan (v))
      g_assert_cmpint (back & 0x7c00, ==, 0x7c00);
    else
      g_assert_cmpint (back, ==, h);
  }
  static const struct {
    float value;
    guint16 f16, bf16;
  } known[] = {
    { 1, 0x3c00, 0x3f80 },
    { -2, 0xc000, 0xc000 },
    { 0x1p-24f, 0x0001, 0x3380 },
    { 65520, 0x7c00, 0x4780 },        /* past the largest binary16 */
    { 1 + 0x1p-11f, 0x3c00, 0x3f80 }, /* tie to even in binary16 */
    { 1 + 0x1p-8f, 0x3c04, 0x3f80 },  /* tie to even in bfloat16 */
    { 1 + 3 * 0x1p-8f, 0x3c0c, 0x3f82 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (known); i++) {
    guint16 f16 = dp_f32_to_f16 (known[i].value), bf16 = dp_f32_to_bf16 (known[i].value);
    g_assert_cmphex (f16, ==, known[i].f16);
    g_assert_cmphex (bf16, ==, known[i].bf16);
  }
}

/* What is written through the interface cannot be read behind it. */
static void
test_strict_memory (void)
{
  if (g_test_subprocess ()) {
    Fixture f;
    set_up (&f, &f);
    DpTensor t = put (&f, DP_F32, 1, 1, (float[]){ 3 });
    g_assert_cmpfloat (*(volatile float *) (gpointer) t.buffer->host, ==, 3);
    return;
  }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_failed ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  static const struct {
    const char *name;
    void (*run) (Fixture *, gconstpointer);
  } tests[] = {
    { "norm", test_norm },     { "linear", test_linear }, { "lm-head", test_lm_head }, { "attention", test_attention },
    { "cache", test_cache },   { "rotary", test_rotary }, { "moe", test_moe },         { "vision", test_vision },
    { "resize", test_resize }, { "tokens", test_tokens }, { "sample", test_sample },   { "quant", test_quant },
  };
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++) {
    g_autofree char *plain = g_strconcat ("/reference/", tests[i].name, NULL),
                    *strict = g_strconcat ("/reference/strict/", tests[i].name, NULL);
    g_test_add (plain, Fixture, NULL, set_up, tests[i].run, tear_down);
    g_test_add (strict, Fixture, "strict", set_up, tests[i].run, tear_down);
  }
  g_test_add_func ("/reference/halves", test_halves);
  g_test_add_func ("/reference/strict-memory", test_strict_memory);
  return g_test_run ();
}
