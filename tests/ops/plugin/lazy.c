/* lazy.c - an asynchronous back end: nothing happens before queue_sync.
 *
 * The reference does the work; what is shown (and, in the tests, tried out) is what a queue may do:
 * operators are taken down with their arguments and run later, an upload has copied its source, a
 * download is there after the sync, and errors come up then.
 */
#include "ops/backend.h"

#include <string.h>

static DpOpTable table;
static const DpBackendClass *parent;

typedef enum { JOB_OPERATOR, JOB_UPLOAD, JOB_DOWNLOAD, JOB_COPY_PAGE } Kind;

typedef struct {
  Kind kind;
  DpOp op;
  gpointer data; /* copy of the arguments, or of what is uploaded */
  DpWorkspace workspace;
  DpTensor tensor;
  void *to;
  DpKv *kv;
  guint32 from_page, to_page;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;
  g_free (job->data);
  g_free (job);
}

static gboolean
put (DpQueue *queue, Job job)
{
  g_ptr_array_add (queue->impl, g_memdup2 (&job, sizeof job));
  return TRUE;
}

#define X(id, name, NAME, Name)                                                                                                            \
  static gboolean name (DpQueue *queue, const Dp##Name##Args *args, const DpWorkspace *workspace, GError **error)                          \
  {                                                                                                                                        \
    (void) error;                                                                                                                          \
    return put (queue, (Job){ JOB_OPERATOR, DP_OP_##NAME, .data = g_memdup2 (args, sizeof *args), .workspace = *workspace });              \
  }
DP_OPS (X)
#undef X

static gboolean
upload (DpQueue *queue, const DpTensor *to, const void *from, GError **error)
{
  (void) error;
  return put (queue, (Job){ JOB_UPLOAD, .data = g_memdup2 (from, dp_tensor_bytes (to)), .tensor = *to });
}

static gboolean
download (DpQueue *queue, void *to, const DpTensor *from, GError **error)
{
  (void) error;
  return put (queue, (Job){ JOB_DOWNLOAD, .to = to, .tensor = *from });
}

static gboolean
kv_copy_page (DpQueue *queue, DpKv *kv, guint32 from, guint32 to, GError **error)
{
  (void) error;
  return put (queue, (Job){ JOB_COPY_PAGE, .kv = kv, .from_page = from, .to_page = to });
}

static gboolean
run (DpQueue *queue, const Job *job, GError **error)
{
  switch (job->kind) {
  case JOB_UPLOAD: return parent->upload (queue, &job->tensor, job->data, error);
  case JOB_DOWNLOAD: return parent->download (queue, job->to, &job->tensor, error);
  case JOB_COPY_PAGE: return parent->kv_copy_page (queue, job->kv, job->from_page, job->to_page, error);
  default: break;
  }
  switch (job->op) {
#define X(id, name, NAME, Name)                                                                                                            \
  case DP_OP_##NAME: return parent->ops->name (queue, job->data, &job->workspace, error);
    DP_OPS (X)
#undef X
  default: return FALSE;
  }
}

/* After an error the rest of the queue is dropped. */
static gboolean
queue_sync (DpQueue *queue, GError **error)
{
  GPtrArray *jobs = queue->impl;
  gboolean ok = TRUE;
  for (guint i = 0; i < jobs->len && ok; i++)
    ok = run (queue, jobs->pdata[i], error);
  g_ptr_array_set_size (jobs, 0);
  return ok;
}

static gboolean
queue_new (DpBackend *backend, DpQueue *queue, GError **error)
{
  (void) backend, (void) error;
  queue->impl = g_ptr_array_new_with_free_func (job_free);
  return TRUE;
}

static void
queue_free (DpBackend *backend, DpQueue *queue)
{
  (void) backend;
  g_ptr_array_unref (queue->impl);
}

__attribute__ ((visibility ("default"))) gboolean dp_plugin_entry (const DpHost *host, DpPluginInfo *info, GError **error);

__attribute__ ((visibility ("default"))) gboolean
dp_plugin_entry (const DpHost *host, DpPluginInfo *info, GError **error)
{
  static DpBackendClass klass;
  (void) error;
  parent = host->find_class ("reference");
  table.struct_size = sizeof table;
#define X(id, name, NAME, Name) table.name = name;
  DP_OPS (X)
#undef X
  klass = *parent;
  klass.name = "lazy";
  klass.description = "does nothing until it must";
  klass.flags |= DP_BACKEND_ASYNC;
  klass.ops = &table;
  klass.upload = upload;
  klass.download = download;
  klass.kv_copy_page = kv_copy_page;
  klass.queue_new = queue_new;
  klass.queue_free = queue_free;
  klass.queue_sync = queue_sync;
  info->abi_major = DP_BACKEND_ABI_MAJOR;
  info->abi_minor = DP_BACKEND_ABI_MINOR;
  info->klass = &klass;
  return TRUE;
}
