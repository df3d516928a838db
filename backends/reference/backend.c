/* backends/reference/backend.c - the class of the reference back end (ops/backend.h). */
#include "backends/reference/reference.h"

RefMemory *
ref_memory (const DpBackend *backend)
{
  return backend->impl;
}

static guint
n_devices (void)
{
  return 1;
}

static gboolean
device_info (G_GNUC_UNUSED guint device, DpDeviceInfo *info, G_GNUC_UNUSED GError **error)
{
  g_strlcpy (info->name, "one thread, scalar f32", sizeof info->name);
  info->kv_page_size = 16;
  info->activation_types = DP_FLOATS;
  return TRUE;
}

static gboolean
open_backend (DpBackend *backend, const DpBackendOptions *options, G_GNUC_UNUSED GError **error)
{
  RefMemory *memory = g_new0 (RefMemory, 1);
  g_mutex_init (&memory->mutex);
  memory->strict = options->strict_memory;
  memory->blocks = g_ptr_array_new_with_free_func (g_free);
  backend->impl = memory;
  return TRUE;
}

static void
close_backend (DpBackend *backend)
{
  RefMemory *memory = backend->impl;
  g_ptr_array_unref (memory->blocks);
  g_mutex_clear (&memory->mutex);
  g_free (memory);
}

static gboolean
buffer_new (DpBackend *backend, DpBuffer *buffer, GError **error)
{
  buffer->host = ref_alloc (backend, buffer->size, error);
  return buffer->host != NULL;
}

static void
buffer_free (DpBackend *backend, DpBuffer *buffer)
{
  ref_free (backend, buffer->host);
}

static gboolean
queue_new (G_GNUC_UNUSED DpBackend *backend, G_GNUC_UNUSED DpQueue *queue, G_GNUC_UNUSED GError **error)
{
  return TRUE;
}

static void
queue_free (G_GNUC_UNUSED DpBackend *backend, G_GNUC_UNUSED DpQueue *queue)
{
}

static gboolean
queue_sync (G_GNUC_UNUSED DpQueue *queue, G_GNUC_UNUSED GError **error)
{
  return TRUE;
}

static gboolean
upload (DpQueue *queue, const DpTensor *to, const void *from, G_GNUC_UNUSED GError **error)
{
  gsize row_bytes = to->cols * dp_type_size (to->type);
  ref_enter (queue->backend);
  for (guint32 row = 0; row < to->rows; row++)
    memcpy (dp_tensor_row (to, row), (const guint8 *) from + row * row_bytes, row_bytes);
  ref_leave (queue->backend);
  return TRUE;
}

static gboolean
download (DpQueue *queue, void *to, const DpTensor *from, G_GNUC_UNUSED GError **error)
{
  gsize row_bytes = from->cols * dp_type_size (from->type);
  ref_enter (queue->backend);
  for (guint32 row = 0; row < from->rows; row++)
    memcpy ((guint8 *) to + row * row_bytes, dp_tensor_row (from, row), row_bytes);
  ref_leave (queue->backend);
  return TRUE;
}

/* Every operator between enter and leave: outside, strict memory is closed. */
#define X(id, name, NAME, Name)                                                                                                            \
  static gboolean run_##name (DpQueue *queue, const Dp##Name##Args *args, const DpWorkspace *workspace, GError **error)                    \
  {                                                                                                                                        \
    ref_enter (queue->backend);                                                                                                            \
    gboolean ok = ref_##name (queue, args, workspace, error);                                                                              \
    ref_leave (queue->backend);                                                                                                            \
    return ok;                                                                                                                             \
  }
DP_OPS (X)
#undef X

static const DpOpTable table = { .struct_size = sizeof table,
#define X(id, name, NAME, Name) .name = run_##name,
                                 DP_OPS (X)
#undef X
};

extern const DpBackendClass dp_backend_reference;
const DpBackendClass dp_backend_reference = {
  .struct_size = sizeof dp_backend_reference,
  .name = "reference",
  .description = "the definition of every operator: readable, scalar, slow",
  .version = DP_VERSION,
  .licence = "Apache-2.0",
  .flags = DP_BACKEND_HOST_MEMORY,
  .n_devices = n_devices,
  .device_info = device_info,
  .open = open_backend,
  .close = close_backend,
  .buffer_new = buffer_new,
  .buffer_free = buffer_free,
  .weight_pack = ref_weight_pack,
  .weight_free = ref_weight_free,
  .kv_page_bytes = ref_kv_page_bytes,
  .kv_new = ref_kv_new,
  .kv_free = ref_kv_free,
  .kv_copy_page = ref_kv_copy_page,
  .queue_new = queue_new,
  .queue_free = queue_free,
  .queue_sync = queue_sync,
  .upload = upload,
  .download = download,
  .ops = &table,
  .workspace = ref_workspace,
};

/* ---- shared by the operators ---- */

gboolean
ref_bad_index (GError **error, const char *op, const char *what, gint64 value, gint64 limit)
{
  g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_ARGUMENT, "%s: %s %" G_GINT64_FORMAT " is outside 0..%" G_GINT64_FORMAT, op, what, value,
               limit - 1);
  return FALSE;
}

gboolean
ref_check_cu_seqlens (const DpTensor *cu_seqlens, guint32 max_seqlen, guint32 rows, const char *op, guint32 *n_rows, GError **error)
{
  if (ref_int (cu_seqlens, 0, 0) != 0)
    return ref_bad_index (error, op, "first of cu_seqlens", ref_int (cu_seqlens, 0, 0), 1);
  for (guint32 b = 0; b + 1 < cu_seqlens->rows; b++) {
    gint64 length = (gint64) ref_int (cu_seqlens, b + 1, 0) - ref_int (cu_seqlens, b, 0);
    if (length < 0 || length > max_seqlen)
      return ref_bad_index (error, op, "length of a sequence", length, (gint64) max_seqlen + 1);
  }
  gint32 last = ref_int (cu_seqlens, cu_seqlens->rows - 1, 0);
  if (last < 0 || (guint32) last > rows)
    return ref_bad_index (error, op, "last of cu_seqlens", last, (gint64) rows + 1);
  *n_rows = (guint32) last;
  return TRUE;
}
