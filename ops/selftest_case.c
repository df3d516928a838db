/* ops/selftest_case.c - the harness: what a case makes for the reference exists twice, and every call runs on both.
 *
 * Generators see only the reference's objects.  A pair remembers the twin of each buffer, weight and cache; a call is
 * mirrored by swapping them in its arguments, which the table of arguments (ops/schema.h) makes possible.
 */
#include "ops/selftest_run.h"

#include "ops/private.h"

enum { REFERENCE, TESTED };

typedef struct {
  DpBuffer *side[2];
  guint8 *initial; /* what both hold before the call */
} Pair;

typedef struct {
  DpWeight *side[2];
} WeightPair;

typedef struct {
  DpKv *side[2];
} KvPair;

struct DpCase {
  GRand *rand;
  DpBackend *backend[2];
  DpStream *stream[2];
  DpOp op;
  guint32 seed;
  DpSelftestLine *line;
  GArray *pairs, *weights, *kvs;
  gboolean exact, over; /* over: refused or failed, nothing more to run */
  guint32 rows;         /* rows that stand for tokens; 0: not by rows */
  const char *margin;
};

/* ---- life ---- */

DpCase *
dp_case_new (DpBackend *reference, DpBackend *backend, DpOp op, guint32 seed, DpSelftestLine *line)
{
  DpCase *c = g_new0 (DpCase, 1);
  g_autoptr (GError) error = NULL;
  c->rand = g_rand_new_with_seed (seed);
  c->backend[REFERENCE] = reference, c->backend[TESTED] = backend;
  c->op = op, c->seed = seed, c->line = line;
  c->pairs = g_array_new (FALSE, FALSE, sizeof (Pair));
  c->weights = g_array_new (FALSE, FALSE, sizeof (WeightPair));
  c->kvs = g_array_new (FALSE, FALSE, sizeof (KvPair));
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
      dp_buffer_free (g_array_index (c->pairs, Pair, i).side[side]);
    for (guint i = 0; i < c->weights->len; i++)
      dp_weight_free (g_array_index (c->weights, WeightPair, i).side[side]);
    for (guint i = 0; i < c->kvs->len; i++)
      dp_kv_free (g_array_index (c->kvs, KvPair, i).side[side]);
  }
  for (guint i = 0; i < c->pairs->len; i++)
    g_free (g_array_index (c->pairs, Pair, i).initial);
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

static void
failed (DpCase *c, const void *args, const char *what)
{
  g_autofree char *shapes = args ? dp_call_describe (c->op, args) : g_strdup ("");
  if (c->line->failed++ == 0)
    g_clear_pointer (&c->line->message, g_free); /* a failure is worth more than a refusal */
  note (c, "%s (%s; seed %u)", what, shapes, c->seed);
  c->over = TRUE;
}

static void
refused (DpCase *c, const char *why)
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

static Pair *
pair_of (DpCase *c, const DpBuffer *buffer)
{
  for (guint i = 0; i < c->pairs->len; i++)
    if (g_array_index (c->pairs, Pair, i).side[REFERENCE] == buffer)
      return &g_array_index (c->pairs, Pair, i);
  return NULL;
}

/* A tensor in a buffer of noise, now and then with gaps between its rows and off the buffer's alignment. */
static DpTensor
tensor_new (DpCase *c, DpType type, guint32 rows, guint32 cols)
{
  gsize size = dp_type_size (type);
  guint32 gap = dp_case_chance (c, 3) ? dp_case_int (c, 1, 9) : 0, shift = dp_case_chance (c, 4) ? dp_case_int (c, 1, 7) : 0;
  gsize bytes = ((gsize) rows * (cols + gap) + shift) * size;
  Pair pair = { { NULL, NULL }, g_malloc (bytes) };
  g_autoptr (GError) error = NULL;
  for (gsize i = 0; i < bytes; i++)
    pair.initial[i] = (guint8) g_rand_int (c->rand);
  for (guint side = 0; side < 2 && !error; side++)
    pair.side[side] = dp_buffer_new (c->backend[side], bytes, &error);
  g_array_append_val (c->pairs, pair);
  if (error) {
    failed (c, NULL, error->message);
    return (DpTensor){ 0 };
  }
  DpTensor t = dp_tensor (pair.side[REFERENCE], shift * size, type, rows, cols);
  t.stride = cols + gap;
  return t;
}

static void *
element (DpCase *c, const DpTensor *t, guint32 row, guint32 col)
{
  return pair_of (c, t->buffer)->initial + t->offset + ((gsize) row * t->stride + col) * dp_type_size (t->type);
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
  WeightPair pair = { { NULL, NULL } };
  g_autoptr (GError) error = NULL;
  if (c->over)
    return NULL;
  for (guint side = 0; side < 2 && !error; side++)
    pair.side[side] = dp_weight_new (c->backend[side], source, &error);
  g_array_append_val (c->weights, pair);
  if (error && g_error_matches (error, DP_OPS_ERROR, DP_OPS_ERROR_UNSUPPORTED))
    refused (c, error->message);
  else if (error)
    failed (c, NULL, error->message);
  return pair.side[REFERENCE];
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
  KvPair pair = { { NULL, NULL } };
  g_autoptr (GError) error = NULL;
  if (c->over)
    return NULL;
  for (guint side = 0; side < 2 && !error; side++)
    pair.side[side] = dp_kv_new (c->backend[side], config, &error);
  g_array_append_val (c->kvs, pair);
  if (error && g_error_matches (error, DP_OPS_ERROR, DP_OPS_ERROR_UNSUPPORTED))
    refused (c, error->message);
  else if (error)
    failed (c, NULL, error->message);
  return pair.side[REFERENCE];
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

/* ---- running ---- */

static void
issue (DpStream *stream, DpOp op, const void *args)
{
  switch (op) {
#define X(id, name, NAME, Name)                                                                                                            \
  case DP_OP_##NAME: dp_##name (stream, args); break;
    DP_OPS (X)
#undef X
  default: break;
  }
}

/* The call as the tested back end gets it. */
static gpointer
mirrored (DpCase *c, DpOp op, const void *args)
{
  const DpSchema *schema = dp_schema (op);
  char *copy = g_memdup2 (args, schema->args_size);
  for (guint i = 0; i < schema->n_fields; i++) {
    const DpField *field = &schema->fields[i];
    DpTensor *t = dp_field_tensor (field, copy);
    if (t && t->buffer)
      t->buffer = pair_of (c, t->buffer)->side[TESTED];
    for (guint w = 0; w < c->weights->len && field->role == DP_ROLE_WEIGHT; w++)
      if (*(DpWeight **) (gpointer) (copy + field->offset) == g_array_index (c->weights, WeightPair, w).side[REFERENCE])
        *(DpWeight **) (gpointer) (copy + field->offset) = g_array_index (c->weights, WeightPair, w).side[TESTED];
    for (guint k = 0; k < c->kvs->len && field->role >= DP_ROLE_KV_IN; k++)
      if (*(DpKv **) (gpointer) (copy + field->offset) == g_array_index (c->kvs, KvPair, k).side[REFERENCE])
        *(DpKv **) (gpointer) (copy + field->offset) = g_array_index (c->kvs, KvPair, k).side[TESTED];
  }
  return copy;
}

static void
upload_all (DpCase *c, guint side)
{
  for (guint i = 0; i < c->pairs->len; i++) {
    const Pair *pair = &g_array_index (c->pairs, Pair, i);
    DpTensor all = dp_tensor (pair->side[side], 0, DP_U8, 1, (guint32) pair->side[side]->size);
    dp_stream_upload (c->stream[side], &all, pair->initial, pair->side[side]->size);
  }
}

/* Contents of every buffer of one side; NULL after an error. */
static GPtrArray *
download_all (DpCase *c, guint side, GError **error)
{
  g_autoptr (GPtrArray) contents = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < c->pairs->len; i++) {
    DpBuffer *buffer = g_array_index (c->pairs, Pair, i).side[side];
    DpTensor all = dp_tensor (buffer, 0, DP_U8, 1, (guint32) buffer->size);
    g_ptr_array_add (contents, g_malloc (buffer->size));
    dp_stream_download (c->stream[side], contents->pdata[i], &all, buffer->size);
  }
  return dp_stream_sync (c->stream[side], error) ? g_steal_pointer (&contents) : NULL;
}

static GPtrArray *
eager (DpCase *c, guint side, DpOp op, const void *args, GError **error)
{
  upload_all (c, side);
  issue (c->stream[side], op, args);
  return download_all (c, side, error);
}

typedef struct {
  DpOp op;
  const void *args;
} Recorded;

static void
issue_recorded (DpStream *stream, gpointer data)
{
  const Recorded *r = data;
  issue (stream, r->op, r->args);
}

static GPtrArray *
replayed (DpCase *c, DpOp op, const void *args, GError **error)
{
  Recorded recorded = { op, args };
  g_autoptr (DpGraph) graph = dp_graph_capture (c->backend[TESTED], issue_recorded, &recorded, error);
  if (!graph)
    return NULL;
  upload_all (c, TESTED);
  dp_graph_replay (c->stream[TESTED], graph, NULL);
  return download_all (c, TESTED, error);
}

/* ---- comparing ---- */

static const guint8 *
contents_of (DpCase *c, const GPtrArray *contents, const DpBuffer *buffer)
{
  for (guint i = 0; i < c->pairs->len; i++)
    if (g_array_index (c->pairs, Pair, i).side[REFERENCE] == buffer)
      return contents->pdata[i];
  return NULL;
}

/* Whether every id that differs was a close call, as the margin output says. */
static gboolean
close_calls (DpCase *c, const void *args, const DpTensor *ids, const GPtrArray *expected, const GPtrArray *got)
{
  const DpSchema *schema = dp_schema (c->op);
  for (guint i = 0; i < schema->n_fields; i++) {
    const DpTensor *margin = dp_field_tensor (&schema->fields[i], args);
    if (!margin || !margin->buffer || !g_str_equal (schema->fields[i].name, c->margin))
      continue;
    double allowed = dp_selftest_tolerance (c->op, args, margin);
    for (guint32 row = 0; row < ids->rows; row++) {
      gsize at = ids->offset + (gsize) row * ids->stride * 4, margin_at = margin->offset + (gsize) row * margin->stride * 4;
      float m;
      memcpy (&m, contents_of (c, expected, margin->buffer) + margin_at, 4);
      if (memcmp (contents_of (c, expected, ids->buffer) + at, contents_of (c, got, ids->buffer) + at, 4) != 0 && !(m <= allowed))
        return FALSE;
    }
    return TRUE;
  }
  return FALSE;
}

static gboolean
is_output (const DpField *field)
{
  return field->role == DP_ROLE_OUT || field->role == DP_ROLE_INOUT;
}

static void
compare_outputs (DpCase *c, const void *args, const GPtrArray *expected, const GPtrArray *got)
{
  const DpSchema *schema = dp_schema (c->op);
  for (guint i = 0; i < schema->n_fields && !c->over; i++) {
    const DpField *field = &schema->fields[i];
    const DpTensor *t = dp_field_tensor (field, args);
    g_autofree char *message = NULL;
    if (!is_output (field) || !t->buffer)
      continue;
    double tolerance = c->exact ? 0 : dp_selftest_tolerance (c->op, args, t);
    double error = dp_selftest_compare (t, contents_of (c, expected, t->buffer), contents_of (c, got, t->buffer), tolerance, &message);
    if (error > 1 && t->type == DP_I32 && c->margin && close_calls (c, args, t, expected, got))
      error = 0;
    c->line->worst = MAX (c->line->worst, error);
    if (error > 1) {
      g_autofree char *what = g_strdup_printf ("%s: %s", field->name, message ? message : "differs");
      failed (c, args, what);
    }
  }
}

/* Bytes that no output owns must be what they were. */
static void
compare_rest (DpCase *c, const void *args, const GPtrArray *got)
{
  const DpSchema *schema = dp_schema (c->op);
  for (guint i = 0; i < c->pairs->len && !c->over; i++) {
    const Pair *pair = &g_array_index (c->pairs, Pair, i);
    gsize size = pair->side[REFERENCE]->size;
    g_autofree guint8 *expected = g_memdup2 (pair->initial, size);
    for (guint f = 0; f < schema->n_fields; f++) {
      const DpTensor *t = dp_field_tensor (&schema->fields[f], args);
      if (!t || t->buffer != pair->side[REFERENCE] || !is_output (&schema->fields[f]))
        continue;
      for (guint32 row = 0; row < t->rows; row++) {
        gsize at = t->offset + (gsize) row * t->stride * dp_type_size (t->type);
        memcpy (expected + at, (const guint8 *) got->pdata[i] + at, t->cols * dp_type_size (t->type));
      }
    }
    if (memcmp (expected, got->pdata[i], size) != 0)
      failed (c, args, "writes outside its outputs");
  }
}

static void
compare_graph (DpCase *c, const void *args, const void *mirror, const GPtrArray *eager_contents)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) got = replayed (c, c->op, mirror, &error);
  if (!got) {
    failed (c, args, error->message);
    return;
  }
  for (guint i = 0; i < c->pairs->len && !c->over; i++)
    if (memcmp (eager_contents->pdata[i], got->pdata[i], g_array_index (c->pairs, Pair, i).side[TESTED]->size) != 0)
      failed (c, args, "gives other bits from a graph than eagerly");
}

/* One row alone, in place, everything else as before the call. */
static void
compare_row (DpCase *c, const void *args, const void *mirror, const GPtrArray *eager_contents)
{
  const DpSchema *schema = dp_schema (c->op);
  guint32 row = dp_case_int (c, 0, c->rows - 1);
  g_autoptr (GError) error = NULL;
  g_autofree void *single = g_memdup2 (mirror, schema->args_size);
  for (guint f = 0; f < schema->n_fields; f++) {
    DpTensor *t = dp_field_tensor (&schema->fields[f], single);
    if (t && t->buffer && t->rows == c->rows)
      *t = dp_tensor_rows (*t, row, 1);
  }
  g_autoptr (GPtrArray) got = eager (c, TESTED, c->op, single, &error);
  if (!got) {
    failed (c, args, error->message);
    return;
  }
  for (guint f = 0; f < schema->n_fields && !c->over; f++) {
    const DpTensor *t = dp_field_tensor (&schema->fields[f], args);
    if (!t || !t->buffer || !is_output (&schema->fields[f]))
      continue;
    gsize at = t->offset + (gsize) row * t->stride * dp_type_size (t->type);
    if (memcmp (contents_of (c, eager_contents, t->buffer) + at, contents_of (c, got, t->buffer) + at, t->cols * dp_type_size (t->type))
        != 0)
      failed (c, args, "gives other bits for a row alone than in a batch");
  }
}

void
dp_case_prepare (DpCase *c, DpOp op, const void *args)
{
  g_autoptr (GError) error = NULL;
  if (c->over)
    return;
  g_autofree void *mirror = mirrored (c, op, args);
  for (guint side = 0; side < 2 && !error; side++) {
    upload_all (c, side);
    issue (c->stream[side], op, side == REFERENCE ? args : mirror);
    dp_stream_sync (c->stream[side], &error);
  }
  if (error && g_error_matches (error, DP_OPS_ERROR, DP_OPS_ERROR_UNSUPPORTED))
    refused (c, error->message);
  else if (error)
    failed (c, NULL, error->message);
}

void
dp_case_copy_page (DpCase *c, DpKv *kv, guint32 from, guint32 to)
{
  for (guint i = 0; i < c->kvs->len && !c->over; i++) {
    const KvPair *pair = &g_array_index (c->kvs, KvPair, i);
    for (guint side = 0; side < 2 && pair->side[REFERENCE] == kv; side++)
      dp_stream_copy_page (c->stream[side], pair->side[side], from, to);
  }
}

void
dp_case_run (DpCase *c, DpOp op, const void *args)
{
  const char *why;
  g_autoptr (GError) error = NULL;
  if (c->over)
    return;
  g_autofree void *mirror = mirrored (c, op, args);
  g_autoptr (GPtrArray) expected = eager (c, REFERENCE, op, args, &error);
  if (!expected) {
    failed (c, NULL, error->message);
    return;
  }
  if (dp_call_route (c->backend[TESTED], op, mirror, &why) != DP_ROUTE_NATIVE) {
    refused (c, why);
    return;
  }
  c->line->run++;
  g_autoptr (GPtrArray) got = eager (c, TESTED, op, mirror, &error);
  if (!got) {
    failed (c, args, error->message);
    return;
  }
  compare_outputs (c, args, expected, got);
  compare_rest (c, args, got);
  if (!c->over)
    compare_graph (c, args, mirror, got);
  if (!c->over && c->rows > 1)
    compare_row (c, args, mirror, got);
}

void
dp_case_look (DpCase *c, DpOp op, const void *args)
{
  g_autoptr (GError) error = NULL;
  if (c->over)
    return;
  g_autofree void *mirror = mirrored (c, op, args);
  g_autoptr (GPtrArray) expected = eager (c, REFERENCE, op, args, &error);
  g_autoptr (GPtrArray) got = expected ? eager (c, TESTED, op, mirror, &error) : NULL;
  if (!got) {
    failed (c, NULL, error->message);
    return;
  }
  c->op = op;
  compare_outputs (c, args, expected, got);
}
