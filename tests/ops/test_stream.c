/* Streams: what is refused, how errors stick, temporaries, step inputs, and the reference standing in. */
#include "ops/private.h"
#include "ops/quantise.h"
#include "ops/schema.h"

#include <math.h>

typedef struct {
  DpBackend *backend;
  DpStream *stream;
  DpBuffer *memory;
} Fixture;

static void
set_up (Fixture *f, G_GNUC_UNUSED gconstpointer data)
{
  GError *error = NULL;
  f->backend = dp_backend_open ("reference", NULL, &error);
  g_assert_no_error (error);
  f->stream = dp_stream_new (f->backend, &error);
  f->memory = dp_buffer_new (f->backend, 8192, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *f, G_GNUC_UNUSED gconstpointer data)
{
  dp_stream_free (f->stream);
  dp_buffer_free (f->memory);
  dp_backend_close (f->backend);
}

static DpTensor
at (Fixture *f, gsize offset, DpType type, guint32 rows, guint32 cols)
{
  return dp_tensor (f->memory, offset, type, rows, cols);
}

/* The stream has failed with this code and a message that contains this text. */
static void
expect (Fixture *f, DpOpsError code, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (dp_stream_failed (f->stream));
  g_assert_false (dp_stream_sync (f->stream, &error));
  g_assert_error (error, DP_OPS_ERROR, (int) code);
  if (!strstr (error->message, text))
    g_error ("'%s' does not contain '%s'", error->message, text);
  g_assert_true (dp_stream_sync (f->stream, NULL)); /* usable again */
}

/* ---- stopping ---- */

/* Told to stop, a stream does nothing more and says so at every sync; before that it works as ever. */
static void
test_stop (Fixture *f, G_GNUC_UNUSED gconstpointer data)
{
  const float ones[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
  float *y = (gpointer) (f->memory->host + 1024);
  const DpRmsNormArgs a
      = { .x = at (f, 0, DP_F32, 1, 8), .weight = at (f, 512, DP_F32, 1, 8), .eps = 1e-6f, .y = at (f, 1024, DP_F32, 1, 8) };
  gint stop = 0;

  dp_stream_set_stop (f->stream, &stop);
  dp_stream_upload (f->stream, &a.x, ones, sizeof ones);
  dp_stream_upload (f->stream, &a.weight, ones, sizeof ones);
  dp_rms_norm (f->stream, &a);
  g_assert_true (dp_stream_sync (f->stream, NULL));
  g_assert_cmpfloat_with_epsilon (y[0], 1, 1e-5);
  y[0] = 5;
  g_atomic_int_set (&stop, 1);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;
    g_assert_true (dp_stream_failed (f->stream));
    dp_rms_norm (f->stream, &a);
    g_assert_false (dp_stream_sync (f->stream, &error));
    g_assert_error (error, DP_OPS_ERROR, DP_OPS_ERROR_STOPPED);
  }
  g_assert_cmpfloat (y[0], ==, 5);
  dp_stream_set_stop (f->stream, NULL);
  dp_rms_norm (f->stream, &a);
  g_assert_true (dp_stream_sync (f->stream, NULL));
  g_assert_cmpfloat_with_epsilon (y[0], 1, 1e-5);
}

/* ---- arguments ---- */

static void
test_tensors (Fixture *f, G_GNUC_UNUSED gconstpointer data)
{
  DpTensor x = at (f, 0, DP_F32, 2, 8), y = at (f, 1024, DP_F32, 2, 8), w = at (f, 2048, DP_F32, 1, 8);
  const DpRmsNormArgs good = { .x = x, .weight = w, .eps = 1e-6f, .y = y };
  DpRmsNormArgs a = good;
  dp_rms_norm (f->stream, &a);
  g_assert_true (dp_stream_sync (f->stream, NULL));
#define REFUSES(change, text)                                                                                                              \
  do {                                                                                                                                     \
    a = good;                                                                                                                              \
    change;                                                                                                                                \
    dp_rms_norm (f->stream, &a);                                                                                                           \
    expect (f, DP_OPS_ERROR_ARGUMENT, "rms_norm: " text);                                                                                  \
  } while (0)
  REFUSES (a.x.buffer = NULL, "x is missing");
  REFUSES (a.x.type = DP_I32, "x has a type");
  REFUSES (a.x.type = DP_I4, "x has a type");
  REFUSES (a.x.type = 77, "x has a type");
  REFUSES (a.x.rows = 0, "x is empty");
  REFUSES (a.x.rows = a.x.stride = a.x.cols = G_MAXUINT32, "x is empty or too large");
  REFUSES (a.x.rows = a.x.stride = a.x.cols = G_MAXINT32, "x reaches beyond");
  REFUSES (a.x.stride = 7, "x has a stride");
  REFUSES (a.x.offset = 2, "x starts");
  REFUSES (a.x.offset = G_MAXSIZE - 3, "x starts");
  REFUSES (a.y.offset = 8192 - 60, "y reaches beyond");
  REFUSES (a.y.offset = 4, "y shares memory with x");
  REFUSES (a.y = dp_tensor_reshape (x, 1, 16), "y shares memory with x");
  REFUSES (a.y.offset = 2048, "y shares memory with weight");
  REFUSES (a.y.cols = a.y.stride = 4, "x and y must have the same shape");
  REFUSES (a.weight.cols = a.weight.stride = 4, "weight must be");
  REFUSES (a.groups = 3, "groups must divide");
  REFUSES (a.eps = NAN, "eps must be");
  REFUSES (a.eps = -1, "eps must be");
#undef REFUSES
  a = good, a.y = x; /* "y may be x" */
  dp_rms_norm (f->stream, &a);
  g_assert_true (dp_stream_sync (f->stream, NULL));
}

static void
test_foreign_memory (Fixture *f, G_GNUC_UNUSED gconstpointer data)
{
  g_autoptr (DpBackend) other = dp_backend_open ("reference", NULL, NULL);
  DpBuffer *theirs = dp_buffer_new (other, 1024, NULL);
  DpTensor x = dp_tensor (theirs, 0, DP_F32, 1, 8), y = at (f, 0, DP_F32, 1, 8);
  dp_gelu (f->stream, &(DpGeluArgs){ .x = x, .y = y });
  expect (f, DP_OPS_ERROR_ARGUMENT, "x lives in another back end's memory");
  dp_buffer_free (theirs);
}

/* One wrong number per operator family. */
static void
test_numbers (Fixture *f, G_GNUC_UNUSED gconstpointer data)
{
  DpTensor q = at (f, 0, DP_F32, 2, 8), k = at (f, 256, DP_F32, 2, 4), v = at (f, 512, DP_F32, 2, 4), out = at (f, 768, DP_F32, 2, 8);
  DpTensor lens = at (f, 1024, DP_I32, 2, 1);
  DpPrefillAttentionArgs a = { .q = q,
                               .k = k,
                               .v = v,
                               .cu_seqlens = lens,
                               .max_seqlen = 2,
                               .out = out,
                               .attn = { .n_heads = 2, .n_kv_heads = 1, .head_dim = 4, .head_dim_v = 4, .scale = 1 } };
  a.attn.scale = 0;
  dp_prefill_attention (f->stream, &a);
  expect (f, DP_OPS_ERROR_ARGUMENT, "scale must be");
  a.attn.scale = 1, a.attn.n_kv_heads = 0;
  dp_prefill_attention (f->stream, &a);
  expect (f, DP_OPS_ERROR_ARGUMENT, "n_heads must be");
  a.attn.n_kv_heads = 1, a.attn.n_heads = 1u << 31, a.attn.head_dim = 2;
  dp_prefill_attention (f->stream, &a);
  expect (f, DP_OPS_ERROR_ARGUMENT, "q must have");
  DpApplyRotaryArgs r = { .q = q,
                          .cos = at (f, 2048, DP_F32, 2, 2),
                          .sin = at (f, 2560, DP_F32, 2, 2),
                          .head_dim = 4,
                          .rot_dim = 4,
                          .sections = { G_MAXUINT32, 3 } };
  dp_apply_rotary (f->stream, &r);
  expect (f, DP_OPS_ERROR_ARGUMENT, "sections must add up");
  DpResizeArgs s = { .x = q, .n = 1, .height = 65536, .width = 65536, .out_height = 1, .out_width = 2, .y = out };
  dp_resize (f->stream, &s);
  expect (f, DP_OPS_ERROR_ARGUMENT, "x must have n*height*width rows");
}

/* The reference looks into index tensors. */
static void
test_indices (Fixture *f, G_GNUC_UNUSED gconstpointer data)
{
  DpTensor x = at (f, 0, DP_F32, 1, 8), y = at (f, 256, DP_F32, 2, 8), index = at (f, 512, DP_I32, 1, 1);
  gint32 two = 2;
  dp_stream_upload (f->stream, &index, &two, 4);
  dp_scatter_rows (f->stream, &(DpScatterRowsArgs){ .x = x, .index = index, .y = y });
  expect (f, DP_OPS_ERROR_ARGUMENT, "scatter_rows: index 2 is outside 0..1");
}

static void
test_sticky (Fixture *f, G_GNUC_UNUSED gconstpointer data)
{
  DpTensor x = at (f, 0, DP_F32, 1, 1), y = at (f, 128, DP_F32, 1, 1), wrong = { 0 };
  float three = 3, got = 0;
  dp_stream_upload (f->stream, &x, &three, 4);
  dp_stream_upload (f->stream, &y, &three, 4);
  dp_gelu (f->stream, &(DpGeluArgs){ .x = wrong, .y = y });
  dp_quick_gelu (f->stream, &(DpQuickGeluArgs){ .x = wrong, .y = y }); /* comes too late to be reported */
  dp_gelu (f->stream, &(DpGeluArgs){ .x = x, .y = y });                /* ignored */
  g_assert_false (dp_tensor_present (&wrong));
  expect (f, DP_OPS_ERROR_ARGUMENT, "gelu: x is missing");
  dp_stream_download (f->stream, &got, &y, 4);
  g_assert_true (dp_stream_sync (f->stream, NULL));
  g_assert_cmpfloat (got, ==, 3);
}

static void
test_copies (Fixture *f, G_GNUC_UNUSED gconstpointer data)
{
  DpTensor x = at (f, 0, DP_F32, 2, 2), far = at (f, 8188, DP_F32, 2, 2);
  float values[4] = { 1, 2, 3, 4 }, got[2];
  dp_stream_upload (f->stream, &x, values, 12);
  expect (f, DP_OPS_ERROR_ARGUMENT, "Copy of 12 bytes");
  dp_stream_upload (f->stream, &far, values, 16);
  expect (f, DP_OPS_ERROR_ARGUMENT, "outside its buffer");
  dp_stream_upload (f->stream, &x, values, 16);
  DpTensor column = dp_tensor_cols (x, 1, 1);
  dp_stream_download (f->stream, got, &column, 8);
  g_assert_true (dp_stream_sync (f->stream, NULL));
  g_assert_cmpfloat (got[0], ==, 2);
  g_assert_cmpfloat (got[1], ==, 4);
}

/* ---- temporaries ---- */

static void
test_temporaries (Fixture *f, G_GNUC_UNUSED gconstpointer data)
{
  gsize mark = dp_stream_mark (f->stream);
  DpTensor a = dp_stream_temp (f->stream, DP_F32, 3, 5), b = dp_stream_temp (f->stream, DP_F32, 3, 5);
  g_assert_cmpuint (a.offset % DP_ALIGN, ==, 0);
  g_assert_false (dp_tensor_overlap (&a, &b));
  gsize inner = dp_stream_mark (f->stream);
  DpTensor large = dp_stream_temp (f->stream, DP_F32, 1000, 1000); /* more than the first chunk */
  g_assert_true (dp_tensor_present (&large));
  dp_stream_release (f->stream, inner);
  DpTensor again = dp_stream_temp (f->stream, DP_F32, 1000, 1000);
  g_assert_true (dp_tensor_same (&large, &again));
  dp_stream_release (f->stream, mark);
  DpTensor first = dp_stream_temp (f->stream, DP_F32, 3, 5);
  g_assert_true (dp_tensor_same (&a, &first));
  DpTensor none = dp_stream_temp (f->stream, DP_F32, 0, 5);
  g_assert_false (dp_tensor_present (&none));
  expect (f, DP_OPS_ERROR_ARGUMENT, "temporary [0, 5]");
  dp_stream_temp (f->stream, DP_F32, G_MAXINT32, G_MAXINT32);
  expect (f, DP_OPS_ERROR_MEMORY, "");
}

/* Random marks and temporaries: those alive never overlap. */
static void
test_temporaries_random (Fixture *f, G_GNUC_UNUSED gconstpointer data)
{
  DpTensor alive[64];
  gsize marks[64];
  guint n = 0;
  for (guint round = 0; round < 2000; round++) {
    if (n == 64 || (n && g_test_rand_int_range (0, 3) == 0)) {
      n = (guint) g_test_rand_int_range (0, (gint32) n);
      dp_stream_release (f->stream, marks[n]);
      continue;
    }
    marks[n] = dp_stream_mark (f->stream);
    alive[n] = dp_stream_temp (f->stream, DP_U8, 1, (guint32) g_test_rand_int_range (1, 400000));
    for (guint i = 0; i < n; i++)
      g_assert_false (dp_tensor_overlap (&alive[i], &alive[n]));
    n++;
  }
  g_assert_true (dp_stream_sync (f->stream, NULL));
}

/* ---- step inputs ---- */

static void
test_step (Fixture *f, G_GNUC_UNUSED gconstpointer data)
{
  const DpStepField fields[] = { { "slots", DP_I32, 3, 1, -1 }, { "scale", DP_F32, 1, 2, 0.5 } };
  g_autoptr (DpStep) step = dp_step_new (f->backend, fields, 2, NULL);
  DpTensor slots = dp_step_tensor (step, 0), scale = dp_step_tensor (step, 1);
  gint32 got[3];
  float scales[2];
  g_assert_true (slots.buffer == scale.buffer);
  g_assert_false (dp_tensor_overlap (&slots, &scale));
  dp_step_i32 (step, 0)[1] = 7;
  dp_step_upload (f->stream, step);
  dp_stream_download (f->stream, got, &slots, sizeof got);
  g_assert_true (dp_stream_sync (f->stream, NULL));
  g_assert_cmpint (got[0], ==, -1);
  g_assert_cmpint (got[1], ==, 7);
  dp_step_reset (step);
  dp_step_upload (f->stream, step);
  dp_stream_download (f->stream, got, &slots, sizeof got);
  dp_stream_download (f->stream, scales, &scale, sizeof scales);
  g_assert_true (dp_stream_sync (f->stream, NULL));
  g_assert_cmpint (got[1], ==, -1);
  g_assert_cmpfloat (scales[1], ==, 0.5);
  const DpStepField bad = { "bytes", DP_U8, 1, 1, 0 }, empty = { "empty", DP_I32, 0, 1, 0 };
  g_autoptr (GError) error = NULL;
  g_assert_null (dp_step_new (f->backend, &bad, 1, &error));
  g_assert_error (error, DP_OPS_ERROR, DP_OPS_ERROR_ARGUMENT);
  g_assert_null (dp_step_new (f->backend, &empty, 1, NULL));
}

/* ---- weights and caches ---- */

static void
test_weights (Fixture *f, G_GNUC_UNUSED gconstpointer data)
{
  float values[6] = { 0 }, scales[6] = { 1, 1, 1, 1, 1, 1 };
  const DpWeightSource good = { .name = "w",
                                .uses = DP_USE_LINEAR,
                                .n = 1,
                                .rows = 2,
                                .cols = 3,
                                .type = DP_F32,
                                .hold = DP_F32,
                                .data = values,
                                .data_size = sizeof values };
  DpWeightSource s = good;
  g_autoptr (DpWeight) w = dp_weight_new (f->backend, &s, NULL);
  g_assert_nonnull (w);
  g_assert_cmpuint (w->bytes, ==, 24);
#define REFUSES(change, text)                                                                                                              \
  do {                                                                                                                                     \
    g_autoptr (GError) error = NULL;                                                                                                       \
    s = good;                                                                                                                              \
    change;                                                                                                                                \
    g_assert_null (dp_weight_new (f->backend, &s, &error));                                                                                \
    g_assert_error (error, DP_OPS_ERROR, DP_OPS_ERROR_ARGUMENT);                                                                           \
    g_assert_nonnull (strstr (error->message, text));                                                                                      \
  } while (0)
  REFUSES (s.data_size = 20, "another size");
  REFUSES (s.rows = s.n = G_MAXINT32, "too large");
  REFUSES (s.rows = 0, "empty");
  REFUSES (s.uses = 0, "no use");
  REFUSES (s.type = DP_I32, "cannot be a weight");
  REFUSES (s.type = 40, "cannot be a weight");
  REFUSES (s.hold = DP_I8, "cannot be held");
  REFUSES (s.scales = scales, "for quantised");
  REFUSES ((s.type = s.hold = DP_I8, s.data_size = 6), "needs scales");
  REFUSES ((s.uses = DP_USE_GATE_UP, s.rows = 1, s.data_size = 12), "gate and up");
#undef REFUSES
  DpTensor x = at (f, 0, DP_F32, 1, 3), y = at (f, 128, DP_F32, 1, 1), ids = at (f, 256, DP_I32, 1, 1);
  dp_linear (f->stream, &(DpLinearArgs){ .x = x, .weight = w, .y = y });
  expect (f, DP_OPS_ERROR_ARGUMENT, "linear: y must be [rows of x, outputs of the weight] (x [1, 3] f32, weight [2, 3] f32, y [1, 1] f32)");
  dp_lm_head_argmax (f->stream, &(DpLmHeadArgmaxArgs){ .x = x, .weight = w, .ids = ids });
  expect (f, DP_OPS_ERROR_ARGUMENT, "weight was not packed for this use");
  dp_linear (f->stream, &(DpLinearArgs){ .x = x, .y = y });
  expect (f, DP_OPS_ERROR_ARGUMENT, "weight is missing");
}

static void
test_caches (Fixture *f, G_GNUC_UNUSED gconstpointer data)
{
  const DpKvConfig good = { .n_layers = 2, .n_pages = 3, .page_size = 4, .n_kv_heads = 2, .head_dim = 8, .head_dim_v = 8, .type = DP_BF16 };
  DpKvConfig c = good;
  g_assert_cmpuint (dp_kv_page_bytes (f->backend, &c), ==, 2 * 4 * 2 * 16 * 2);
  c.type = DP_I8; /* and a scale for each key and each value */
  g_assert_cmpuint (dp_kv_page_bytes (f->backend, &c), ==, 2 * 4 * 2 * (16 + 8));
  c = good, c.head_dim = 0;
  g_assert_cmpuint (dp_kv_page_bytes (f->backend, &c), ==, 0);
  g_autoptr (GError) error = NULL;
  g_assert_null (dp_kv_new (f->backend, &c, &error));
  g_assert_nonnull (strstr (error->message, "a size is 0"));
  c = good, c.n_pages = G_MAXUINT32;
  g_assert_null (dp_kv_new (f->backend, &c, NULL));
  c = good, c.v_in_k = TRUE, c.head_dim_v = 9;
  g_assert_null (dp_kv_new (f->backend, &c, NULL));
  c = good, c.type = 99;
  g_assert_null (dp_kv_new (f->backend, &c, NULL));
  g_autoptr (DpKv) kv = dp_kv_new (f->backend, &good, NULL);
  g_assert_nonnull (kv);
  dp_stream_copy_page (f->stream, kv, 1, 3);
  expect (f, DP_OPS_ERROR_ARGUMENT, "no such page");
  DpTensor k = at (f, 0, DP_F32, 1, 16), v = at (f, 256, DP_F32, 1, 16), slots = at (f, 512, DP_I32, 1, 1);
  gint32 slot = 12;
  dp_stream_upload (f->stream, &slots, &slot, 4);
  dp_fill_kv_cache (f->stream, &(DpFillKvCacheArgs){ .k = k, .v = v, .slots = slots, .kv = kv });
  expect (f, DP_OPS_ERROR_ARGUMENT, "slot 12 is outside 0..11");
  dp_fill_kv_cache (f->stream, &(DpFillKvCacheArgs){ .k = k, .slots = slots, .kv = kv });
  expect (f, DP_OPS_ERROR_ARGUMENT, "v must be absent exactly when");
  dp_fill_kv_cache (f->stream, &(DpFillKvCacheArgs){ .k = k, .v = v, .slots = slots, .kv = kv, .layer = 2 });
  expect (f, DP_OPS_ERROR_ARGUMENT, "no such layer");
}

/* Rounding to groups: within half a step of each value, zeros exact. */
static void
test_quantise (void)
{
  float w[2 * 70], scales[2 * 3], zeros[2 * 3] = { 0 };
  guint8 data[2 * 70];
  for (guint i = 0; i < 140; i++)
    w[i] = i % 9 == 0 ? 0 : (float) g_test_rand_double_range (-1, i < 70 ? 3 : -0.5);
  for (guint kind = 0; kind < 4; kind++) {
    DpType type = kind & 1 ? DP_I4 : DP_I8;
    gboolean with_zeros = kind & 2;
    dp_quantise (w, 2, 70, type, 32, data, scales, with_zeros ? zeros : NULL);
    for (guint i = 0; i < 140; i++) {
      guint row = i / 70, col = i % 70, g = row * 3 + col / 32;
      int q = type == DP_I8 ? (gint8) data[i] : data[row * 35 + col / 2] >> (col % 2 * 4) & 15;
      float zero = with_zeros ? zeros[g] : type == DP_I4 ? 8 : 0, value = ((float) q - zero) * scales[g];
      g_assert_cmpfloat (fabsf (value - w[i]), <=, 0.5001f * scales[g] * (with_zeros ? 2 : 1));
      if (w[i] == 0)
        g_assert_cmpfloat (value, ==, 0);
    }
  }
}

/* ---- the reference stands in ---- */

static const char *last_log;

static GLogWriterOutput
catch_log (G_GNUC_UNUSED GLogLevelFlags level, const GLogField *fields, gsize n, gpointer count)
{
  for (gsize i = 0; i < n; i++)
    if (g_str_equal (fields[i].key, "MESSAGE")) {
      last_log = g_intern_string (fields[i].value);
      ++*(guint *) count;
    }
  return G_LOG_WRITER_HANDLED;
}

static gboolean
no_f16 (G_GNUC_UNUSED DpBackend *backend, DpOp op, const void *args, const char **why)
{
  *why = "no f16 here";
  return op != DP_OP_GELU || ((const DpGeluArgs *) args)->x.type != DP_F16;
}

/* A back end without resize, without gelu on f16, without linear, without a cache. */
static DpOpened
partial_backend (Fixture *f, DpBackendClass *klass, DpOpTable *table)
{
  *klass = *f->backend->klass;
  *table = *klass->ops;
  table->resize = NULL;
  table->linear = NULL;
  table->paged_decode_attention = NULL;
  klass->name = "partial";
  klass->ops = table;
  klass->supports = no_f16;
  return (DpOpened){ .base = { klass, f->backend->impl }, .reference = f->backend };
}

static void
body (DpStream *s, gpointer data)
{
  DpBuffer *b = data;
  DpTensor x = dp_tensor (b, 0, DP_F16, 4, 1), y = dp_tensor (b, 128, DP_F16, 4, 1);
  dp_gelu (s, &(DpGeluArgs){ .x = x, .y = y });
  dp_quick_gelu (s, &(DpQuickGeluArgs){ .x = x, .y = y });
  dp_resize (s, &(DpResizeArgs){ .x = x, .n = 1, .height = 2, .width = 2, .out_height = 2, .out_width = 2, .y = y });
  dp_gelu (s, &(DpGeluArgs){ .x = x, .y = y });
}

static void
run_with_fallback (Fixture *f, DpOpened *opened, guint *messages)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (DpStream) stream = dp_stream_new (&opened->base, NULL);
  DpBuffer *b = dp_buffer_new (&opened->base, 256, NULL);
  body (stream, b);
  body (stream, b);
  dp_stream_sync (stream, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (*messages, ==, 2); /* gelu and resize, once each */
  g_assert_nonnull (strstr (last_log, "partial: resize runs on the reference back end"));
  float w[2] = { 2, 3 }, x[1] = { 5 }, y[2];
  g_autoptr (DpWeight) weight = dp_weight_new (
      &opened->base,
      &(DpWeightSource){ .uses = DP_USE_LINEAR, .n = 1, .rows = 2, .cols = 1, .type = DP_F32, .hold = DP_F32, .data = w, .data_size = 8 },
      NULL);
  g_assert_nonnull (weight->fallback);
  DpTensor tx = dp_tensor (b, 0, DP_F32, 1, 1), ty = dp_tensor (b, 128, DP_F32, 1, 2);
  dp_stream_upload (stream, &tx, x, 4);
  dp_linear (stream, &(DpLinearArgs){ .x = tx, .weight = weight, .y = ty });
  dp_stream_download (stream, y, &ty, 8);
  dp_stream_sync (stream, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (y[1], ==, 15);
  const DpKvConfig c = { .n_layers = 1, .n_pages = 2, .page_size = 4, .n_kv_heads = 1, .head_dim = 1, .head_dim_v = 1, .type = DP_F32 };
  g_autoptr (DpKv) kv = dp_kv_new (&opened->base, &c, NULL);
  g_assert_true (kv->backend == f->backend); /* a cache and its operators belong together */
  DpTensor one = dp_tensor (b, 0, DP_F32, 1, 1), slots = dp_tensor (b, 64, DP_I32, 1, 1);
  gint32 four = 4;
  dp_stream_upload (stream, &slots, &four, 4);
  dp_fill_kv_cache (stream, &(DpFillKvCacheArgs){ .k = one, .v = one, .slots = slots, .kv = kv });
  dp_stream_copy_page (stream, kv, 1, 0);
  dp_stream_sync (stream, &error);
  g_assert_no_error (error);
  dp_buffer_free (b);
}

static void
test_fallback (Fixture *f, G_GNUC_UNUSED gconstpointer data)
{
  if (g_test_subprocess ()) {
    DpBackendClass klass;
    DpOpTable table;
    DpOpened opened = partial_backend (f, &klass, &table);
    guint messages = 0;
    g_log_set_writer_func (catch_log, &messages, NULL);
    run_with_fallback (f, &opened, &messages);
    return;
  }
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();
}

static void
test_strict (Fixture *f, G_GNUC_UNUSED gconstpointer data)
{
  DpBackendClass klass;
  DpOpTable table;
  DpOpened opened = partial_backend (f, &klass, &table);
  opened.reference = NULL; /* as with strict_backend, or memory of its own */
  g_autoptr (GError) error = NULL;
  DpBuffer *b = dp_buffer_new (&opened.base, 256, NULL);
  g_assert_false (dp_backend_probe (&opened.base, body, b, &error));
  g_assert_error (error, DP_OPS_ERROR, DP_OPS_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "gelu: no f16 here"));
  g_assert_nonnull (strstr (error->message, "resize: the back end does not have this operator"));
  g_assert_null (strstr (error->message, "quick_gelu"));
  const char *first = strstr (error->message, "  gelu: ");
  g_assert_null (strstr (first + 1, "  gelu: ")); /* each once */
  g_clear_error (&error);
  g_autoptr (DpStream) stream = dp_stream_new (&opened.base, NULL);
  body (stream, b);
  g_assert_false (dp_stream_sync (stream, &error));
  g_assert_error (error, DP_OPS_ERROR, DP_OPS_ERROR_UNSUPPORTED);
  g_assert_true (dp_backend_probe (f->backend, body, NULL, NULL) == FALSE); /* absent buffers: a mistake in the body */
  dp_buffer_free (b);
}

static void
test_registry (void)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (dp_backend_open ("no such thing", NULL, &error));
  g_assert_error (error, DP_OPS_ERROR, DP_OPS_ERROR_NOT_FOUND);
  g_clear_error (&error);
  const DpBackendOptions second = { .struct_size = sizeof second, .device = 5 };
  g_assert_null (dp_backend_open ("reference", &second, &error));
  g_assert_nonnull (strstr (error->message, "has no device 5 (it has 1)"));
  g_autoptr (GPtrArray) list = dp_backend_list ();
  guint found = 0;
  for (guint i = 0; i < list->len; i++) {
    const DpBackendEntry *entry = list->pdata[i];
    found += g_str_equal (entry->name, "reference") && entry->klass && !entry->path;
  }
  g_assert_cmpuint (found, ==, 1);
}

/* Numbers of operators are part of the interface to plug-ins. */
static void
test_numbers_stay (void)
{
  static const char *const names[] = { "rms_norm",
                                       "add_rms_norm",
                                       "layer_norm",
                                       "add_layer_norm",
                                       "linear",
                                       "qkv_linear",
                                       "gate_up_silu",
                                       "weight_quant_matmul",
                                       "lm_head_argmax",
                                       "dynamic_quant",
                                       "linear_w8a8",
                                       "rms_norm_w8a8",
                                       "add_rms_norm_w8a8",
                                       "apply_rotary",
                                       "prefill_attention",
                                       "paged_prefill_attention",
                                       "paged_decode_attention",
                                       "fill_kv_cache",
                                       "silu_and_mul",
                                       "gelu",
                                       "quick_gelu",
                                       "gelu_and_mul",
                                       "moe_gating_topk",
                                       "fused_moe",
                                       "conv2d",
                                       "patch_merge",
                                       "scatter_rows",
                                       "window_permute",
                                       "resize",
                                       "embedding",
                                       "logits_penalty",
                                       "ngram_ban",
                                       "sample",
                                       "ctc_argmax" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_assert_cmpstr (dp_op_name (i), ==, names[i]);
    g_assert_cmpint (dp_op_from_name (names[i]), ==, (int) i);
  }
  g_assert_cmpint (G_STRUCT_OFFSET (DpOpTable, rms_norm), ==, sizeof (gsize));
  g_assert_cmpint (G_STRUCT_OFFSET (DpOpTable, ctc_argmax), ==, sizeof (gsize) + 33 * sizeof (gpointer));
  g_assert_null (dp_op_name (DP_N_OPS));
  g_assert_cmpint (dp_op_from_name ("nothing"), ==, -1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add ("/stream/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("stop", test_stop);
  ADD ("tensors", test_tensors);
  ADD ("foreign-memory", test_foreign_memory);
  ADD ("numbers", test_numbers);
  ADD ("indices", test_indices);
  ADD ("sticky", test_sticky);
  ADD ("copies", test_copies);
  ADD ("temporaries", test_temporaries);
  ADD ("temporaries-random", test_temporaries_random);
  ADD ("step", test_step);
  ADD ("weights", test_weights);
  ADD ("caches", test_caches);
  ADD ("fallback", test_fallback);
  ADD ("strict", test_strict);
  g_test_add_func ("/ops/quantise", test_quantise);
  g_test_add_func ("/ops/registry", test_registry);
  g_test_add_func ("/ops/numbers-stay", test_numbers_stay);
  return g_test_run ();
}
