/* ops/selftest_run.c - runs a case: on both back ends, from a graph, a row alone; and compares.
 *
 * Generators see only the reference's objects.  A pair remembers the twin of each buffer, weight and cache; a call is
 * mirrored by swapping them in its arguments, which the table of arguments (ops/schema.h) makes possible.
 */
#include "ops/selftest_run.h"

#include "ops/private.h"

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
      t->buffer = dp_case_pair_of (c, t->buffer)->side[DP_SIDE_TESTED];
    for (guint w = 0; w < c->weights->len && field->role == DP_ROLE_WEIGHT; w++)
      if (*(DpWeight **) (gpointer) (copy + field->offset) == g_array_index (c->weights, DpCaseWeight, w).side[DP_SIDE_REFERENCE])
        *(DpWeight **) (gpointer) (copy + field->offset) = g_array_index (c->weights, DpCaseWeight, w).side[DP_SIDE_TESTED];
    for (guint k = 0; k < c->kvs->len && field->role >= DP_ROLE_KV_IN; k++)
      if (*(DpKv **) (gpointer) (copy + field->offset) == g_array_index (c->kvs, DpCaseKv, k).side[DP_SIDE_REFERENCE])
        *(DpKv **) (gpointer) (copy + field->offset) = g_array_index (c->kvs, DpCaseKv, k).side[DP_SIDE_TESTED];
  }
  return copy;
}

static void
upload_all (DpCase *c, guint side)
{
  for (guint i = 0; i < c->pairs->len; i++) {
    const DpCasePair *pair = &g_array_index (c->pairs, DpCasePair, i);
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
    DpBuffer *buffer = g_array_index (c->pairs, DpCasePair, i).side[side];
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
  g_autoptr (DpGraph) graph = dp_graph_capture (c->backend[DP_SIDE_TESTED], issue_recorded, &recorded, error);
  if (!graph)
    return NULL;
  upload_all (c, DP_SIDE_TESTED);
  dp_graph_replay (c->stream[DP_SIDE_TESTED], graph, NULL);
  return download_all (c, DP_SIDE_TESTED, error);
}

/* ---- comparing ---- */

static const guint8 *
contents_of (DpCase *c, const GPtrArray *contents, const DpBuffer *buffer)
{
  for (guint i = 0; i < c->pairs->len; i++)
    if (g_array_index (c->pairs, DpCasePair, i).side[DP_SIDE_REFERENCE] == buffer)
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
      dp_case_failed (c, args, what);
    }
  }
}

/* Bytes that no output owns must be what they were. */
static void
compare_rest (DpCase *c, const void *args, const GPtrArray *got)
{
  const DpSchema *schema = dp_schema (c->op);
  for (guint i = 0; i < c->pairs->len && !c->over; i++) {
    const DpCasePair *pair = &g_array_index (c->pairs, DpCasePair, i);
    gsize size = pair->side[DP_SIDE_REFERENCE]->size;
    g_autofree guint8 *expected = g_memdup2 (pair->initial, size);
    for (guint f = 0; f < schema->n_fields; f++) {
      const DpTensor *t = dp_field_tensor (&schema->fields[f], args);
      if (!t || t->buffer != pair->side[DP_SIDE_REFERENCE] || !is_output (&schema->fields[f]))
        continue;
      for (guint32 row = 0; row < t->rows; row++) {
        gsize at = t->offset + (gsize) row * t->stride * dp_type_size (t->type);
        memcpy (expected + at, (const guint8 *) got->pdata[i] + at, t->cols * dp_type_size (t->type));
      }
    }
    if (memcmp (expected, got->pdata[i], size) != 0)
      dp_case_failed (c, args, "writes outside its outputs");
  }
}

static void
compare_graph (DpCase *c, const void *args, const void *mirror, const GPtrArray *eager_contents)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) got = replayed (c, c->op, mirror, &error);
  if (!got) {
    dp_case_failed (c, args, error->message);
    return;
  }
  for (guint i = 0; i < c->pairs->len && !c->over; i++)
    if (memcmp (eager_contents->pdata[i], got->pdata[i], g_array_index (c->pairs, DpCasePair, i).side[DP_SIDE_TESTED]->size) != 0)
      dp_case_failed (c, args, "gives other bits from a graph than eagerly");
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
  g_autoptr (GPtrArray) got = eager (c, DP_SIDE_TESTED, c->op, single, &error);
  if (!got) {
    dp_case_failed (c, args, error->message);
    return;
  }
  for (guint f = 0; f < schema->n_fields && !c->over; f++) {
    const DpTensor *t = dp_field_tensor (&schema->fields[f], args);
    if (!t || !t->buffer || !is_output (&schema->fields[f]))
      continue;
    gsize at = t->offset + (gsize) row * t->stride * dp_type_size (t->type);
    if (memcmp (contents_of (c, eager_contents, t->buffer) + at, contents_of (c, got, t->buffer) + at, t->cols * dp_type_size (t->type))
        != 0)
      dp_case_failed (c, args, "gives other bits for a row alone than in a batch");
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
    issue (c->stream[side], op, side == DP_SIDE_REFERENCE ? args : mirror);
    dp_stream_sync (c->stream[side], &error);
  }
  if (error && g_error_matches (error, DP_OPS_ERROR, DP_OPS_ERROR_UNSUPPORTED))
    dp_case_refused (c, error->message);
  else if (error)
    dp_case_failed (c, NULL, error->message);
}

void
dp_case_copy_page (DpCase *c, DpKv *kv, guint32 from, guint32 to)
{
  for (guint i = 0; i < c->kvs->len && !c->over; i++) {
    const DpCaseKv *pair = &g_array_index (c->kvs, DpCaseKv, i);
    for (guint side = 0; side < 2 && pair->side[DP_SIDE_REFERENCE] == kv; side++)
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
  g_autoptr (GPtrArray) expected = eager (c, DP_SIDE_REFERENCE, op, args, &error);
  if (!expected) {
    dp_case_failed (c, NULL, error->message);
    return;
  }
  if (dp_call_route (c->backend[DP_SIDE_TESTED], op, mirror, &why) != DP_ROUTE_NATIVE) {
    dp_case_refused (c, why);
    return;
  }
  c->line->run++;
  g_autoptr (GPtrArray) got = eager (c, DP_SIDE_TESTED, op, mirror, &error);
  if (!got) {
    dp_case_failed (c, args, error->message);
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
  g_autoptr (GPtrArray) expected = eager (c, DP_SIDE_REFERENCE, op, args, &error);
  g_autoptr (GPtrArray) got = expected ? eager (c, DP_SIDE_TESTED, op, mirror, &error) : NULL;
  if (!got) {
    dp_case_failed (c, NULL, error->message);
    return;
  }
  c->op = op;
  compare_outputs (c, args, expected, got);
}
