/* ops/stream.c - checked dispatch, sticky errors, temporaries, and the recorder.
 *
 * The wrappers of all operators end in call(): check, then record or run.  A recording stream has no
 * queue; what it collects is in DpRecord.
 */
#include "ops/private.h"
#include "ops/schema.h"

struct DpStream {
  DpBackend *backend;
  DpQueue queue;
  DpQueue reference; /* of the stand-in; backend NULL until it is needed */
  GError *error;     /* the first since the last sync */
  DpRecord *record;  /* NULL: eager */
  DpBuffer *scratch; /* workspace of eager calls, grows */
  GArray *chunks;    /* Chunk: memory of temporaries, eager only */
  gsize used;        /* position over all chunks laid end to end */
};

typedef struct {
  DpBuffer *buffer;
  gsize start; /* of this chunk in the line of all chunks */
} Chunk;

#define FIRST_CHUNK ((gsize) 1 << 20)

/* ---- life ---- */

DpStream *
dp_stream_new (DpBackend *backend, GError **error)
{
  DpStream *stream = g_new0 (DpStream, 1);
  stream->backend = backend;
  stream->queue.backend = backend;
  stream->chunks = g_array_new (FALSE, TRUE, sizeof (Chunk));
  if (backend->klass->queue_new (backend, &stream->queue, error))
    return stream;
  g_array_unref (stream->chunks);
  g_free (stream);
  return NULL;
}

void
dp_stream_free (DpStream *stream)
{
  if (!stream)
    return;
  if (!stream->record) {
    stream->backend->klass->queue_sync (&stream->queue, NULL);
    if (stream->reference.backend)
      stream->reference.backend->klass->queue_free (stream->reference.backend, &stream->reference);
    for (guint i = 0; i < stream->chunks->len; i++)
      dp_buffer_free (g_array_index (stream->chunks, Chunk, i).buffer);
    dp_buffer_free (stream->scratch);
    stream->backend->klass->queue_free (stream->backend, &stream->queue);
  }
  g_array_unref (stream->chunks);
  g_clear_error (&stream->error);
  g_free (stream);
}

DpBackend *
dp_stream_backend (DpStream *stream)
{
  return stream->backend;
}

DpQueue *
dp_stream_queue (DpStream *stream)
{
  return stream->record ? NULL : &stream->queue;
}

DpQueue *
dp_stream_reference_queue (DpStream *stream)
{
  DpBackend *reference = dp_backend_fallback (stream->backend);
  GError *error = NULL;
  if (stream->reference.backend)
    return &stream->reference;
  stream->reference.backend = reference;
  if (reference->klass->queue_new (reference, &stream->reference, &error))
    return &stream->reference;
  stream->reference.backend = NULL;
  dp_stream_fail (stream, error);
  return NULL;
}

/* ---- errors ---- */

void
dp_stream_fail (DpStream *stream, GError *error)
{
  if (stream->error)
    g_error_free (error);
  else
    stream->error = error;
}

static void fail (DpStream *stream, DpOpsError code, const char *format, ...) G_GNUC_PRINTF (3, 4);

static void
fail (DpStream *stream, DpOpsError code, const char *format, ...)
{
  va_list list;
  va_start (list, format);
  dp_stream_fail (stream, g_error_new_valist (DP_OPS_ERROR, code, format, list));
  va_end (list);
}

void
dp_stream_set_stop (DpStream *stream, const gint *stop)
{
  stream->queue.stop = stop;
}

/* The stream has failed, or now has to. */
static gboolean
is_over (DpStream *stream)
{
  if (!stream->error && stream->queue.stop && g_atomic_int_get (stream->queue.stop))
    fail (stream, DP_OPS_ERROR_STOPPED, "%s: stopped", stream->backend->klass->name);
  return stream->error != NULL;
}

gboolean
dp_stream_failed (DpStream *stream)
{
  return is_over (stream);
}

gboolean
dp_stream_sync (DpStream *stream, GError **error)
{
  GError *late = NULL;
  if (!stream->record && !stream->backend->klass->queue_sync (&stream->queue, &late))
    dp_stream_fail (stream, late);
  if (!is_over (stream))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&stream->error));
  return FALSE;
}

/* ---- running one call ---- */

static gboolean
run_on (DpQueue *queue, DpOp op, const void *args, const DpWorkspace *workspace, GError **error)
{
  const DpOpTable *ops = queue->backend->klass->ops;
  switch (op) {
#define X(id, name, NAME, Name)                                                                                                            \
  case DP_OP_##NAME: return ops->name (queue, args, workspace, error);
    DP_OPS (X)
#undef X
  default: return FALSE;
  }
}

/* Work in flight on an asynchronous back end must land before somebody else reads its memory. */
static gboolean
settle (DpStream *stream, GError **error)
{
  const DpBackendClass *k = stream->backend->klass;
  return !(k->flags & DP_BACKEND_ASYNC) || k->queue_sync (&stream->queue, error);
}

gboolean
dp_stream_run (DpStream *stream, DpOp op, const void *args, const DpWorkspace *workspace, gboolean fallback, GError **error)
{
  DpQueue *queue = &stream->queue;
  if (fallback) {
    queue = dp_stream_reference_queue (stream);
    if (!queue || !settle (stream, error))
      return FALSE;
  }
  return run_on (queue, op, args, workspace, error);
}

static gboolean
run_eager (DpStream *stream, DpOp op, const void *args, const DpWorkspace *workspace, gboolean fallback, GError **error)
{
  gboolean traced = ((DpOpened *) stream->backend)->traced;
  gint64 begin = traced ? dp_trace_now () : 0;
  if (!dp_stream_run (stream, op, args, workspace, fallback, error) || (traced && !settle (stream, error)))
    return FALSE;
  if (traced)
    dp_trace_call (fallback ? dp_backend_fallback (stream->backend) : stream->backend, dp_op_name (op), "eager", &(DpCall){ op, args }, 1,
                   begin, dp_trace_now ());
  return TRUE;
}

static gboolean
scratch_for (DpStream *stream, gsize size, DpWorkspace *workspace, GError **error)
{
  if (size && (!stream->scratch || stream->scratch->size < size)) {
    if (!settle (stream, error))
      return FALSE;
    gsize before = stream->scratch ? stream->scratch->size : 0; /* grows by half at least, or every longer prompt would allocate */
    g_clear_pointer (&stream->scratch, dp_buffer_free);
    stream->scratch = dp_buffer_new (stream->backend, MAX (size, before + before / 2), error);
    if (!stream->scratch)
      return FALSE;
  }
  *workspace = (DpWorkspace){ size ? stream->scratch : NULL, 0, size };
  return TRUE;
}

static void
record_call (DpStream *stream, DpOp op, const void *args)
{
  DpRecord *record = stream->record;
  const char *why;
  DpRoute route = dp_call_route (stream->backend, op, args, &why);
  if (route == DP_ROUTE_MISSING) {
    g_autofree char *shapes = dp_call_describe (op, args);
    char *line = g_strdup_printf ("  %s: %s (%s)\n", dp_op_name (op), why, shapes);
    if (g_hash_table_add (record->listed, line))
      g_string_append (record->missing, line);
    return;
  }
  if (route == DP_ROUTE_FALLBACK)
    dp_log_fallback (stream->backend, op, why);
  if (record->probe)
    return;
  DpRecorded call = { op, g_memdup2 (args, dp_schema (op)->args_size), route == DP_ROUTE_FALLBACK };
  g_array_append_val (record->calls, call);
}

static void
call (DpStream *stream, DpOp op, const void *args)
{
  GError *error = NULL;
  const char *why;
  if (is_over (stream))
    return;
  if (!dp_check_call (stream->backend, op, args, &error)) {
    dp_stream_fail (stream, error);
    return;
  }
  if (stream->record) {
    record_call (stream, op, args);
    return;
  }
  DpRoute route = dp_call_route (stream->backend, op, args, &why);
  if (route == DP_ROUTE_MISSING) {
    g_autofree char *shapes = dp_call_describe (op, args);
    fail (stream, DP_OPS_ERROR_UNSUPPORTED, "%s: %s: %s (%s)", stream->backend->klass->name, dp_op_name (op), why, shapes);
    return;
  }
  gboolean fallback = route == DP_ROUTE_FALLBACK;
  if (fallback)
    dp_log_fallback (stream->backend, op, why);
  DpBackend *runs = fallback ? dp_backend_fallback (stream->backend) : stream->backend;
  DpWorkspace workspace;
  if (!scratch_for (stream, dp_call_workspace (runs, op, args), &workspace, &error)
      || !run_eager (stream, op, args, &workspace, fallback, &error)) {
    if (error)
      dp_stream_fail (stream, error);
    else if (!stream->error)
      fail (stream, DP_OPS_ERROR_DEVICE, "%s: %s failed without a reason", stream->backend->klass->name, dp_op_name (op));
  }
}

#define X(id, name, NAME, Name)                                                                                                            \
  void dp_##name (DpStream *stream, const Dp##Name##Args *args) { call (stream, DP_OP_##NAME, args); }
DP_OPS (X)
#undef X

/* ---- copies ---- */

static gboolean
copy_ok (DpStream *stream, const DpTensor *t, gsize size)
{
  if (stream->error)
    return FALSE;
  if (stream->record)
    fail (stream, DP_OPS_ERROR_ARGUMENT, "A copy to or from the host cannot be part of a graph");
  else if (!t->buffer || t->buffer->backend != stream->backend || !dp_type_size (t->type) || !t->rows || t->stride < t->cols
           || t->offset > t->buffer->size || dp_tensor_bytes (t) != size
           || (guint64) (t->rows - 1) * t->stride + t->cols > (t->buffer->size - t->offset) / dp_type_size (t->type))
    fail (stream, DP_OPS_ERROR_ARGUMENT, "Copy of %" G_GSIZE_FORMAT " bytes: not the size of the tensor [%u, %u] %s, or outside its buffer",
          size, t->rows, t->cols, dp_type_name (t->type));
  return !stream->error;
}

void
dp_stream_upload (DpStream *stream, const DpTensor *to, const void *from, gsize size)
{
  GError *error = NULL;
  if (copy_ok (stream, to, size) && !stream->backend->klass->upload (&stream->queue, to, from, &error))
    dp_stream_fail (stream, error);
}

void
dp_stream_download (DpStream *stream, void *to, const DpTensor *from, gsize size)
{
  GError *error = NULL;
  if (copy_ok (stream, from, size) && !stream->backend->klass->download (&stream->queue, to, from, &error))
    dp_stream_fail (stream, error);
}

void
dp_stream_copy_page (DpStream *stream, DpKv *kv, guint32 from, guint32 to)
{
  GError *error = NULL;
  if (stream->error)
    return;
  if (stream->record || from >= kv->config.n_pages || to >= kv->config.n_pages) {
    fail (stream, DP_OPS_ERROR_ARGUMENT, "Copy of page %u to %u: no such page (of %u), or part of a graph", from, to, kv->config.n_pages);
    return;
  }
  DpQueue *queue = kv->backend == stream->backend ? &stream->queue : dp_stream_reference_queue (stream);
  if (queue && !kv->backend->klass->kv_copy_page (queue, kv, from, to, &error))
    dp_stream_fail (stream, error);
}

/* ---- temporaries ---- */

/* The chunk with room for size bytes at or after stream->used; a new one if there is none. */
static Chunk *
chunk_for (DpStream *stream, gsize size)
{
  gsize end = 0;
  for (guint i = 0; i < stream->chunks->len; i++) {
    Chunk *c = &g_array_index (stream->chunks, Chunk, i);
    end = c->start + c->buffer->size;
    if (stream->used < c->start)
      stream->used = c->start;
    if (stream->used <= end && size <= end - stream->used)
      return c;
  }
  GError *error = NULL;
  Chunk fresh = { dp_buffer_new (stream->backend, MAX (size, MAX (FIRST_CHUNK, end / 2)), &error), end };
  if (!fresh.buffer) {
    dp_stream_fail (stream, error);
    return NULL;
  }
  stream->used = end;
  g_array_append_val (stream->chunks, fresh);
  return &g_array_index (stream->chunks, Chunk, stream->chunks->len - 1);
}

DpTensor
dp_stream_temp (DpStream *stream, DpType type, guint32 rows, guint32 cols)
{
  guint64 elements = (guint64) rows * cols;
  gsize size = (gsize) elements * dp_type_size (type);
  if (stream->error)
    return (DpTensor){ 0 };
  if (!size || rows > G_MAXINT32 || cols > G_MAXINT32) {
    fail (stream, DP_OPS_ERROR_ARGUMENT, "A temporary [%u, %u] %s is not possible", rows, cols, dp_type_name (type));
    return (DpTensor){ 0 };
  }
  size = (size + DP_ALIGN - 1) / DP_ALIGN * DP_ALIGN;
  if (stream->record) {
    DpBuffer *buffer = g_new0 (DpBuffer, 1);
    buffer->backend = stream->backend;
    buffer->size = size;
    g_ptr_array_add (stream->record->temps, buffer);
    return dp_tensor (buffer, 0, type, rows, cols);
  }
  Chunk *chunk = chunk_for (stream, size);
  if (!chunk)
    return (DpTensor){ 0 };
  DpTensor t = dp_tensor (chunk->buffer, stream->used - chunk->start, type, rows, cols);
  stream->used += size;
  return t;
}

gsize
dp_stream_mark (DpStream *stream)
{
  return stream->used;
}

void
dp_stream_release (DpStream *stream, gsize mark)
{
  stream->used = MIN (stream->used, mark);
}

/* ---- recording ---- */

static void
recorded_clear (gpointer call)
{
  g_free (((DpRecorded *) call)->args);
}

void
dp_record_init (DpRecord *record, gboolean probe)
{
  record->calls = g_array_new (FALSE, FALSE, sizeof (DpRecorded));
  g_array_set_clear_func (record->calls, recorded_clear);
  record->temps = g_ptr_array_new_with_free_func (g_free); /* virtual: nothing of the back end's in them */
  record->missing = g_string_new (NULL);
  record->listed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  record->probe = probe;
}

void
dp_record_clear (DpRecord *record)
{
  g_array_unref (record->calls);
  g_ptr_array_unref (record->temps);
  g_string_free (record->missing, TRUE);
  g_hash_table_unref (record->listed);
}

gboolean
dp_record_run (DpRecord *record, DpBackend *backend, DpBody body, gpointer data, GError **error)
{
  DpStream stream = { .backend = backend, .queue = { backend, NULL }, .record = record };
  body (&stream, data);
  if (stream.error) {
    g_propagate_error (error, stream.error);
    return FALSE;
  }
  if (record->missing->len) {
    g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_UNSUPPORTED, "The back end '%s' cannot run this model; missing:\n%s",
                 backend->klass->name, record->missing->str);
    return FALSE;
  }
  return TRUE;
}

gboolean
dp_backend_probe (DpBackend *backend, DpBody body, gpointer data, GError **error)
{
  DpRecord record;
  dp_record_init (&record, TRUE);
  gboolean ok = dp_record_run (&record, backend, body, data, error);
  dp_record_clear (&record);
  return ok;
}
