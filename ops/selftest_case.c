/* ops/selftest_case.c - what a case is made of: tensors, weights and caches that exist twice, with equal random contents. */
#include "ops/selftest_run.h"

#include "ops/private.h"

/* ---- life ---- */

DpCase *
dp_case_new (DpBackend *reference, DpBackend *backend, DpOp op, guint32 seed, DpSelftestLine *line)
{
  DpCase *c = g_new0 (DpCase, 1);
  g_autoptr (GError) error = NULL;
  c->rand = g_rand_new_with_seed (seed);
  c->backend[DP_SIDE_REFERENCE] = reference, c->backend[DP_SIDE_TESTED] = backend;
  c->op = op, c->seed = seed, c->line = line;
  c->pairs = g_array_new (FALSE, FALSE, sizeof (DpCasePair));
  c->weights = g_array_new (FALSE, FALSE, sizeof (DpCaseWeight));
  c->kvs = g_array_new (FALSE, FALSE, sizeof (DpCaseKv));
  for (guint i = 0; i < 2 && !error; i++)
    c->stream[i] = dp_stream_new (c->backend[i], &error);
  if (!error)
    return c;
  line->failed++;
  if (!line->message)
    line->message = g_strdup (error->message);
  dp_case_free (c);
  return NULL;
}

void
dp_case_free (DpCase *c)
{
  if (!c)
    return;
  for (guint side = 0; side < 2; side++) {
    dp_stream_free (c->stream[side]);
    for (guint i = 0; i < c->pairs->len; i++)
      dp_buffer_free (g_array_index (c->pairs, DpCasePair, i).side[side]);
    for (guint i = 0; i < c->weights->len; i++)
      dp_weight_free (g_array_index (c->weights, DpCaseWeight, i).side[side]);
    for (guint i = 0; i < c->kvs->len; i++)
      dp_kv_free (g_array_index (c->kvs, DpCaseKv, i).side[side]);
  }
  for (guint i = 0; i < c->pairs->len; i++)
    g_free (g_array_index (c->pairs, DpCasePair, i).initial);
  g_array_unref (c->pairs);
  g_array_unref (c->weights);
  g_array_unref (c->kvs);
  g_rand_free (c->rand);
  g_free (c);
}

static void note (DpCase *c, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
note (DpCase *c, const char *format, ...)
{
  va_list list;
  va_start (list, format);
  g_autofree char *text = g_strdup_vprintf (format, list);
  va_end (list);
  if (!c->line->message)
    c->line->message = g_steal_pointer (&text);
}

void
dp_case_failed (DpCase *c, const void *args, const char *what)
{
  g_autofree char *shapes = args ? dp_call_describe (c->op, args) : g_strdup ("");
  if (c->line->failed++ == 0)
    g_clear_pointer (&c->line->message, g_free); /* a failure is worth more than a refusal */
  note (c, "%s (%s; seed %u)", what, shapes, c->seed);
  c->over = TRUE;
}

void
dp_case_refused (DpCase *c, const char *why)
{
  c->line->refused++;
  note (c, "%s", why);
  c->over = TRUE;
}

/* ---- random ---- */

guint32
dp_case_int (DpCase *c, guint32 least, guint32 most)
{
  return least == most ? least : (guint32) g_rand_int_range (c->rand, (gint32) least, (gint32) most + 1);
}

gboolean
dp_case_chance (DpCase *c, guint32 one_in)
{
  return dp_case_int (c, 1, one_in) == 1;
}

float
dp_case_float (DpCase *c, float least, float most)
{
  return (float) g_rand_double_range (c->rand, least, most);
}

DpType
dp_case_float_type (DpCase *c)
{
  static const DpType types[] = { DP_F32, DP_F32, DP_F32, DP_BF16, DP_BF16, DP_F16 };
  return types[dp_case_int (c, 0, G_N_ELEMENTS (types) - 1)];
}

/* ---- tensors ---- */

DpCasePair *
dp_case_pair_of (DpCase *c, const DpBuffer *buffer)
{
  for (guint i = 0; i < c->pairs->len; i++)
    if (g_array_index (c->pairs, DpCasePair, i).side[DP_SIDE_REFERENCE] == buffer)
      return &g_array_index (c->pairs, DpCasePair, i);
  return NULL;
}

/* A tensor in a buffer of noise, now and then with gaps between its rows and off the buffer's alignment. */
static DpTensor
tensor_new (DpCase *c, DpType type, guint32 rows, guint32 cols)
{
  gsize size = dp_type_size (type);
  guint32 gap = dp_case_chance (c, 3) ? dp_case_int (c, 1, 9) : 0, shift = dp_case_chance (c, 4) ? dp_case_int (c, 1, 7) : 0;
  gsize bytes = ((gsize) rows * (cols + gap) + shift) * size;
  DpCasePair pair = { { NULL, NULL }, g_malloc (bytes) };
  g_autoptr (GError) error = NULL;
  for (gsize i = 0; i < bytes; i++)
    pair.initial[i] = (guint8) g_rand_int (c->rand);
  for (guint side = 0; side < 2 && !error; side++)
    pair.side[side] = dp_buffer_new (c->backend[side], bytes, &error);
  g_array_append_val (c->pairs, pair);
  if (error) {
    dp_case_failed (c, NULL, error->message);
    return (DpTensor){ 0 };
  }
  DpTensor t = dp_tensor (pair.side[DP_SIDE_REFERENCE], shift * size, type, rows, cols);
  t.stride = cols + gap;
  return t;
}

static void *
element (DpCase *c, const DpTensor *t, guint32 row, guint32 col)
{
  return dp_case_pair_of (c, t->buffer)->initial + t->offset + ((gsize) row * t->stride + col) * dp_type_size (t->type);
}

static void
set_float (DpCase *c, const DpTensor *t, guint32 row, guint32 col, float value)
{
  void *p = element (c, t, row, col);
  guint16 half = t->type == DP_F16 ? dp_f32_to_f16 (value) : dp_f32_to_bf16 (value);
  if (t->type == DP_F32)
    memcpy (p, &value, 4);
  else
    memcpy (p, &half, 2);
}

DpTensor
dp_case_floats (DpCase *c, DpType type, guint32 rows, guint32 cols, float least, float most)
{
  DpTensor t = tensor_new (c, type, rows, cols);
  for (guint32 row = 0; row < t.rows; row++)
    for (guint32 col = 0; col < t.cols; col++)
      set_float (c, &t, row, col, dp_case_float (c, least, most));
  return t;
}

DpTensor
dp_case_ints (DpCase *c, guint32 rows, guint32 cols, const gint32 *values)
{
  DpTensor t = tensor_new (c, DP_I32, rows, cols);
  for (guint32 row = 0; row < t.rows; row++)
    memcpy (element (c, &t, row, 0), values + (gsize) row * cols, cols * sizeof *values);
  return t;
}

DpTensor
dp_case_bytes (DpCase *c, DpType type, guint32 rows, guint32 cols)
{
  DpTensor t = tensor_new (c, type, rows, cols); /* noise is what is asked for, but an i8 has no -128 */
  for (guint32 row = 0; type == DP_I8 && row < t.rows; row++)
    for (guint32 col = 0; col < t.cols; col++) {
      gint8 *p = element (c, &t, row, col);
      *p = MAX (*p, -127);
    }
  return t;
}

DpTensor
dp_case_out (DpCase *c, DpType type, guint32 rows, guint32 cols)
{
  return tensor_new (c, type, rows, cols);
}

DpTensor
dp_case_alias (DpCase *c, DpTensor x, DpTensor y)
{
  return x.type == y.type && dp_case_chance (c, 3) ? x : y;
}

/* ---- weights and caches ---- */

static DpWeight *
weight_new (DpCase *c, const DpWeightSource *source)
{
  DpCaseWeight pair = { { NULL, NULL } };
  g_autoptr (GError) error = NULL;
  if (c->over)
    return NULL;
  for (guint side = 0; side < 2 && !error; side++)
    pair.side[side] = dp_weight_new (c->backend[side], source, &error);
  g_array_append_val (c->weights, pair);
  if (error && g_error_matches (error, DP_OPS_ERROR, DP_OPS_ERROR_UNSUPPORTED))
    dp_case_refused (c, error->message);
  else if (error)
    dp_case_failed (c, NULL, error->message);
  return pair.side[DP_SIDE_REFERENCE];
}

static float *
random_floats (DpCase *c, gsize n, float least, float most)
{
  float *values = g_new (float, MAX (n, 1));
  for (gsize i = 0; i < n; i++)
    values[i] = dp_case_float (c, least, most);
  return values;
}

static DpWeight *
quantised_weight (DpCase *c, guint32 uses, DpType type, guint32 n, guint32 rows, guint32 cols, guint32 group, gboolean zeros, gboolean bias)
{
  gsize matrix_rows = (gsize) n * rows, row_bytes = type == DP_I4 ? ((gsize) cols + 1) / 2 : cols;
  gsize groups = matrix_rows * (group ? (cols + group - 1) / group : 1);
  float step = 1 / (sqrtf ((float) cols) * (type == DP_I4 ? 4 : 64));
  g_autofree guint8 *data = g_malloc (matrix_rows * row_bytes);
  g_autofree float *scales = random_floats (c, groups, step / 2, step), *b = random_floats (c, matrix_rows, -1, 1);
  g_autofree float *z = random_floats (c, groups, type == DP_I4 ? 4 : -20, type == DP_I4 ? 12 : 20);
  for (gsize i = 0; i < matrix_rows * row_bytes; i++) {
    data[i] = (guint8) g_rand_int (c->rand);
    if (type == DP_I8 && data[i] == 0x80)
      data[i] = 0x81;
  }
  return weight_new (c, &(DpWeightSource){ .name = "selftest",
                                           .uses = uses,
                                           .n = n,
                                           .rows = rows,
                                           .cols = cols,
                                           .type = type,
                                           .hold = type,
                                           .group = group,
                                           .data = data,
                                           .data_size = matrix_rows * row_bytes,
                                           .scales = scales,
                                           .zeros = zeros ? z : NULL,
                                           .bias = bias ? b : NULL });
}

DpWeight *
dp_case_int8_rows (DpCase *c, guint32 rows, guint32 cols)
{
  return quantised_weight (c, DP_USE_LINEAR, DP_I8, 1, rows, cols, 0, FALSE, dp_case_chance (c, 2));
}

DpWeight *
dp_case_weight (DpCase *c, guint32 uses, guint32 types, guint32 n, guint32 rows, guint32 cols, gboolean bias)
{
  static const guint32 groups[] = { 32, 64, 128 };
  guint32 type;
  do
    type = dp_case_int (c, 0, DP_N_TYPES - 1);
  while (!(types & DP_TYPE_BIT (type)));
  if (type == DP_I8 || type == DP_I4)
    return quantised_weight (c, uses, type, n, rows, cols, groups[dp_case_int (c, 0, 2)], dp_case_chance (c, 2), bias);
  float limit = 2 / sqrtf ((float) cols);
  gsize matrix_rows = (gsize) n * rows;
  g_autofree float *data = random_floats (c, matrix_rows * cols, -limit, limit), *b = random_floats (c, matrix_rows, -1, 1);
  g_autofree float *factors = random_floats (c, matrix_rows, 0.5f, 2);
  return weight_new (c, &(DpWeightSource){ .name = "selftest",
                                           .uses = uses,
                                           .n = n,
                                           .rows = rows,
                                           .cols = cols,
                                           .type = DP_F32,
                                           .hold = type,
                                           .data = data,
                                           .data_size = matrix_rows * cols * sizeof *data,
                                           .bias = bias ? b : NULL,
                                           .row_scale = dp_case_chance (c, 3) ? factors : NULL });
}

DpKv *
dp_case_kv (DpCase *c, const DpKvConfig *config)
{
  DpCaseKv pair = { { NULL, NULL } };
  g_autoptr (GError) error = NULL;
  if (c->over)
    return NULL;
  for (guint side = 0; side < 2 && !error; side++)
    pair.side[side] = dp_kv_new (c->backend[side], config, &error);
  g_array_append_val (c->kvs, pair);
  if (error && g_error_matches (error, DP_OPS_ERROR, DP_OPS_ERROR_UNSUPPORTED))
    dp_case_refused (c, error->message);
  else if (error)
    dp_case_failed (c, NULL, error->message);
  return pair.side[DP_SIDE_REFERENCE];
}

DpCasePacking
dp_case_packing (DpCase *c, guint32 most_sequences, guint32 most_length)
{
  DpCasePacking p = { .n = dp_case_int (c, 1, most_sequences) };
  p.starts = g_new0 (gint32, p.n + 1);
  for (guint32 b = 0; b < p.n; b++) {
    guint32 length = dp_case_chance (c, 8) ? 0 : dp_case_chance (c, 4) ? 1 : dp_case_int (c, 1, most_length);
    p.starts[b + 1] = p.starts[b] + (gint32) length;
    p.longest = MAX (p.longest, length);
  }
  p.rows = (guint32) p.starts[p.n] + (dp_case_chance (c, 3) ? dp_case_int (c, 1, 3) : 0);
  p.rows = MAX (p.rows, 1);
  p.longest = MAX (p.longest, 1);
  return p;
}

/* ---- what a case says of itself ---- */

void
dp_case_exact (DpCase *c)
{
  c->exact = TRUE;
}

void
dp_case_by_rows (DpCase *c, guint32 rows)
{
  c->rows = rows;
}

void
dp_case_spoil (DpCase *c, const DpTensor *t)
{
  static const float values[] = { NAN, INFINITY, -INFINITY };
  if (!t->buffer || !dp_case_chance (c, 6))
    return;
  set_float (c, t, dp_case_int (c, 0, t->rows - 1), dp_case_int (c, 0, t->cols - 1), values[dp_case_int (c, 0, 2)]);
}

void
dp_case_loose_ids (DpCase *c, const char *margin)
{
  c->margin = margin;
}
