/* The reference against independent implementations in double, over random shapes: attention in its three forms and
 * convolution.  Written from the formulas of ops/ops.h, sharing no code with backends/reference. */
#include "ops/stream.h"

#include <math.h>

typedef struct {
  DpBackend *backend;
  DpStream *stream;
  GPtrArray *buffers;
} Rig;

static Rig
rig_new (void)
{
  Rig r = { .backend = dp_backend_open ("reference", NULL, NULL),
            .buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_buffer_free) };
  r.stream = dp_stream_new (r.backend, NULL);
  return r;
}

static void
rig_clear (Rig *r)
{
  dp_stream_free (r->stream);
  g_ptr_array_unref (r->buffers);
  dp_backend_close (r->backend);
}

static DpTensor
put (Rig *r, DpType type, guint32 rows, guint32 cols, const void *values)
{
  DpBuffer *b = dp_buffer_new (r->backend, (gsize) rows * cols * 4, NULL);
  g_ptr_array_add (r->buffers, b);
  DpTensor t = dp_tensor (b, 0, type, rows, cols);
  if (values)
    dp_stream_upload (r->stream, &t, values, dp_tensor_bytes (&t));
  return t;
}

static float *
random_floats (gsize n)
{
  float *f = g_new (float, n);
  for (gsize i = 0; i < n; i++)
    f[i] = (float) g_test_rand_double_range (-2, 2);
  return f;
}

static void
expect (Rig *r, const DpTensor *t, const double *wanted)
{
  g_autofree float *got = g_malloc (dp_tensor_bytes (t));
  GError *error = NULL;
  dp_stream_download (r->stream, got, t, dp_tensor_bytes (t));
  dp_stream_sync (r->stream, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < t->rows * t->cols; i++)
    g_assert_cmpfloat_with_epsilon (got[i], wanted[i], 2e-5);
}

/* ---- attention ---- */

/* One sequence: keys 0..n-1; query rows 0..m-1 stand at n-m .. n-1. Rows are dense. mask [m, n] or NULL. */
static void
attention (const DpAttention *a, const float *q, const float *k, const float *v, const float *mask, guint mask_cols, int m, int n,
           double *out)
{
  int ratio = (int) (a->n_heads / a->n_kv_heads), d = (int) a->head_dim, dv = (int) a->head_dim_v;
  for (int i = 0; i < m; i++)
    for (int h = 0; h < (int) a->n_heads; h++) {
      double sum = 0, *o = out + ((gsize) i * a->n_heads + h) * dv;
      int at = n - m + i;
      for (int e = 0; e < dv; e++)
        o[e] = 0;
      for (int j = 0; j < n; j++) {
        double s = 0;
        if ((a->causal && j > at) || (a->window && abs (at - j) >= (int) a->window))
          continue;
        for (int e = 0; e < d; e++)
          s += (double) q[((gsize) i * a->n_heads + h) * d + e] * k[((gsize) j * a->n_kv_heads + h / ratio) * d + e];
        s *= a->scale;
        if (a->softcap > 0)
          s = a->softcap * tanh (s / a->softcap);
        double p = exp (s + (mask ? mask[(gsize) i * mask_cols + j] : 0)); /* small enough without the maximum */
        sum += p;
        for (int e = 0; e < dv; e++)
          o[e] += p * v[((gsize) j * a->n_kv_heads + h / ratio) * dv + e];
      }
      for (int e = 0; e < dv && sum > 0; e++)
        o[e] /= sum;
    }
}

static DpAttention
random_heads (void)
{
  DpAttention a = { .n_kv_heads = g_test_rand_int_range (1, 4), .head_dim = g_test_rand_int_range (1, 20), .causal = g_test_rand_bit () };
  a.n_heads = a.n_kv_heads * g_test_rand_int_range (1, 5);
  a.head_dim_v = g_test_rand_bit () ? a.head_dim : (guint32) g_test_rand_int_range (1, 20);
  a.scale = 1 / sqrtf ((float) a.head_dim);
  a.softcap = g_test_rand_bit () ? 1.5f : 0;
  a.window = g_test_rand_bit () ? g_test_rand_int_range (1, 6) : 0;
  return a;
}

static void
test_packed (void)
{
  Rig r = rig_new ();
  for (guint round = 0; round < 40; round++) {
    DpAttention a = random_heads ();
    int n1 = g_test_rand_int_range (1, 9), n2 = g_test_rand_int_range (1, 9), n = n1 + n2, longest = MAX (n1, n2);
    gint32 starts[] = { 0, n1, n };
    g_autofree float *q = random_floats (n * a.n_heads * a.head_dim), *k = random_floats (n * a.n_kv_heads * a.head_dim);
    g_autofree float *v = random_floats (n * a.n_kv_heads * a.head_dim_v), *mask = random_floats (n * longest);
    g_autofree double *wanted = g_new (double, n *a.n_heads *a.head_dim_v);
    gboolean masked = g_test_rand_bit ();
    attention (&a, q, k, v, masked ? mask : NULL, longest, n1, n1, wanted);
    attention (&a, q + n1 * a.n_heads * a.head_dim, k + n1 * a.n_kv_heads * a.head_dim, v + n1 * a.n_kv_heads * a.head_dim_v,
               masked ? mask + n1 * longest : NULL, longest, n2, n2, wanted + n1 * a.n_heads * a.head_dim_v);
    DpPrefillAttentionArgs args = { .q = put (&r, DP_F32, n, a.n_heads * a.head_dim, q),
                                    .k = put (&r, DP_F32, n, a.n_kv_heads * a.head_dim, k),
                                    .v = put (&r, DP_F32, n, a.n_kv_heads * a.head_dim_v, v),
                                    .cu_seqlens = put (&r, DP_I32, 3, 1, starts),
                                    .max_seqlen = longest,
                                    .attn = a,
                                    .out = put (&r, DP_F32, n, a.n_heads * a.head_dim_v, NULL) };
    if (masked)
      args.mask = put (&r, DP_F32, n, longest, mask);
    dp_prefill_attention (r.stream, &args);
    expect (&r, &args.out, wanted);
  }
  rig_clear (&r);
}

/* Keys and values of one sequence in a cache with scattered pages, in any type; what the cache gives back is put into k, v. */
static DpKv *
cache_of (Rig *r, const DpAttention *a, DpType type, gboolean v_in_k, int n, float *k, float *v, gint32 *table)
{
  const DpKvConfig config = { .n_layers = 1,
                              .n_pages = 16,
                              .page_size = 3,
                              .n_kv_heads = a->n_kv_heads,
                              .head_dim = a->head_dim,
                              .head_dim_v = a->head_dim_v,
                              .v_in_k = v_in_k,
                              .type = type };
  DpKv *kv = dp_kv_new (r->backend, &config, NULL);
  gint32 slots[32];
  for (int j = 0; j < n; j++) {
    table[j / 3] = 1 + (j / 3) * 7 % 15;
    slots[j] = table[j / 3] * 3 + j % 3;
  }
  DpFillKvCacheArgs fill = { .k = put (r, DP_F32, n, a->n_kv_heads * a->head_dim, k), .slots = put (r, DP_I32, n, 1, slots), .kv = kv };
  if (!v_in_k)
    fill.v = put (r, DP_F32, n, a->n_kv_heads * a->head_dim_v, v);
  dp_fill_kv_cache (r->stream, &fill);
  int sizes[] = { (int) a->head_dim, (int) a->head_dim_v };
  float *both[] = { k, v };
  for (int w = 0; w < 2; w++)
    for (int head = 0; head < n * (int) a->n_kv_heads; head++) {
      float *x = both[w] + head * sizes[w], largest = 0;
      for (int e = 0; e < sizes[w]; e++)
        largest = MAX (largest, fabsf (x[e]));
      for (int e = 0; e < sizes[w]; e++)
        x[e] = type == DP_BF16  ? dp_bf16_to_f32 (dp_f32_to_bf16 (x[e]))
               : type == DP_F16 ? dp_f16_to_f32 (dp_f32_to_f16 (x[e]))
               : type == DP_I8  ? rintf (x[e] / (largest / 127)) * (largest / 127)
                                : x[e];
    }
  for (int j = 0; v_in_k && j < n * (int) a->n_kv_heads; j++)
    memcpy (v + j * sizes[1], k + j * sizes[0], sizes[1] * sizeof *v);
  return kv;
}

static void
test_paged (void)
{
  static const DpType types[] = { DP_F32, DP_BF16, DP_F16, DP_I8 };
  Rig r = rig_new ();
  for (guint round = 0; round < 60; round++) {
    DpAttention a = random_heads ();
    gboolean v_in_k = a.head_dim_v < a.head_dim && g_test_rand_bit ();
    int n = g_test_rand_int_range (1, 30), m = g_test_rand_int_range (1, n + 1);
    gint32 starts[] = { 0, m }, table[11] = { 0 };
    g_autofree float *q = random_floats (m * a.n_heads * a.head_dim), *k = random_floats (n * a.n_kv_heads * a.head_dim);
    g_autofree float *v = random_floats (n * a.n_kv_heads * a.head_dim_v);
    g_autofree double *wanted = g_new (double, m *a.n_heads *a.head_dim_v);
    DpKv *kv = cache_of (&r, &a, types[round % 4], v_in_k, n, k, v, table);
    attention (&a, q, k, v, NULL, 0, m, n, wanted);
    DpTensor tq = put (&r, DP_F32, m, a.n_heads * a.head_dim, q), lens = put (&r, DP_I32, 1, 1, &n), block = put (&r, DP_I32, 1, 11, table);
    DpPagedPrefillAttentionArgs args = { .q = tq,
                                         .kv = kv,
                                         .block_table = block,
                                         .cu_seqlens = put (&r, DP_I32, 2, 1, starts),
                                         .kv_lens = lens,
                                         .max_seqlen = m,
                                         .max_kv_len = 30,
                                         .attn = a,
                                         .out = put (&r, DP_F32, m, a.n_heads * a.head_dim_v, NULL) };
    dp_paged_prefill_attention (r.stream, &args);
    expect (&r, &args.out, wanted);
    DpPagedDecodeAttentionArgs last = { .q = dp_tensor_rows (tq, m - 1, 1),
                                        .kv = kv,
                                        .block_table = block,
                                        .kv_lens = lens,
                                        .max_kv_len = 30,
                                        .attn = a,
                                        .out = put (&r, DP_F32, 1, a.n_heads * a.head_dim_v, NULL) };
    dp_paged_decode_attention (r.stream, &last);
    expect (&r, &last.out, wanted + (m - 1) * a.n_heads * a.head_dim_v);
    dp_kv_free (kv);
  }
  rig_clear (&r);
}

/* ---- convolution ---- */

static double
pixel (const float *x, int height, int width, int channels, int image, int row, int col, int channel)
{
  if (row < 0 || col < 0 || row >= height || col >= width)
    return 0;
  return x[((image * height + row) * width + col) * channels + channel];
}

static void
test_conv (void)
{
  Rig r = rig_new ();
  for (guint round = 0; round < 40; round++) {
    int g = g_test_rand_int_range (1, 3), in = g_test_rand_int_range (1, 4), out = g_test_rand_int_range (1, 4);
    DpConv2dArgs a = { .n = 2,
                       .height = g_test_rand_int_range (5, 9),
                       .width = g_test_rand_int_range (5, 9),
                       .groups = g,
                       .kernel_y = g_test_rand_int_range (1, 4),
                       .kernel_x = g_test_rand_int_range (1, 4),
                       .stride_y = g_test_rand_int_range (1, 3),
                       .stride_x = g_test_rand_int_range (1, 3),
                       .pad_y = g_test_rand_int_range (0, 3),
                       .pad_x = g_test_rand_int_range (0, 3),
                       .dilation = g_test_rand_int_range (1, 3) };
    int ky = a.kernel_y, kx = a.kernel_x, h = a.height, w = a.width, cols = ky * kx * in;
    int oh = (h + 2 * (int) a.pad_y - (int) a.dilation * (ky - 1) - 1) / (int) a.stride_y + 1;
    int ow = (w + 2 * (int) a.pad_x - (int) a.dilation * (kx - 1) - 1) / (int) a.stride_x + 1;
    g_autofree float *x = random_floats (2 * h * w * g * in), *weight = random_floats (g * out * cols), *bias = random_floats (g * out);
    g_autofree float *factor = random_floats (g * out);
    g_autofree double *wanted = g_new0 (double, 2 * oh * ow * g * out);
    double *o = wanted;
    for (int i = 0; i < 2 * oh * ow; i++)
      for (int c = 0; c < g * out; c++, o++) {
        *o = bias[c];
        for (int y = 0; y < ky; y++)
          for (int z = 0; z < kx; z++)
            for (int e = 0; e < in; e++)
              *o += (double) (weight[(c * ky + y) * kx * in + z * in + e] * factor[c])
                    * pixel (x, h, w, g * in, i / (oh * ow), i / ow % oh * (int) a.stride_y + y * (int) a.dilation - (int) a.pad_y,
                             i % ow * (int) a.stride_x + z * (int) a.dilation - (int) a.pad_x, c / out * in + e);
      }
    const DpWeightSource source = { .uses = DP_USE_CONV,
                                    .n = 1,
                                    .rows = g * out,
                                    .cols = cols,
                                    .type = DP_F32,
                                    .hold = DP_F32,
                                    .data = weight,
                                    .data_size = (gsize) g * out * cols * 4,
                                    .bias = bias,
                                    .row_scale = factor };
    DpWeight *packed = dp_weight_new (r.backend, &source, NULL);
    a.x = put (&r, DP_F32, 2 * h * w, g * in, x);
    a.y = put (&r, DP_F32, 2 * oh * ow, g * out, NULL);
    a.weight = packed;
    dp_conv2d (r.stream, &a);
    expect (&r, &a.y, wanted);
    dp_weight_free (packed);
  }
  rig_clear (&r);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reference/random/packed-attention", test_packed);
  g_test_add_func ("/reference/random/paged-attention", test_paged);
  g_test_add_func ("/reference/random/convolution", test_conv);
  return g_test_run ();
}
