/* backends/cpu/backend.c - the class of the CPU back end (ops/backend.h): memory, queues, the table of operators. */
#include "backends/cpu/graph.h"
#include "backends/cpu/kv.h"
#include "backends/cpu/weight.h"
#include "ops/schema.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- memory ------------------------------------------------------------------------------------- */

/* From here on memory is asked of the system in large pages: fewer misses of the address cache when it streams. */
#define LARGE ((gsize) 2 << 20)

/* Whole large pages from the system, at a multiple of their size. */
static gpointer
map_large (gsize size)
{
  gsize whole = (size + LARGE - 1) / LARGE * LARGE;
  guint8 *start = mmap (NULL, whole + LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (start == MAP_FAILED)
    return NULL;
  gsize before = (LARGE - (guintptr) start % LARGE) % LARGE;
  if (before)
    munmap (start, before);
  munmap (start + before + whole, LARGE - before);
  madvise (start + before, whole, MADV_HUGEPAGE);
  return start + before;
}

gpointer
dp_cpu_alloc (gsize size, GError **error)
{
  gpointer memory = NULL;

  if (size >= LARGE && size <= G_MAXSSIZE - 2 * LARGE)
    memory = map_large (size);
  else if (size < LARGE && (memory = aligned_alloc (DP_ALIGN, dp_cpu_round_up (MAX (size, 1)))))
    memset (memory, 0, dp_cpu_round_up (MAX (size, 1)));
  if (!memory)
    g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_MEMORY, "cpu: no memory for %" G_GSIZE_FORMAT " bytes", size);
  return memory;
}

void
dp_cpu_free (gpointer memory, gsize size)
{
  if (memory && size >= LARGE)
    munmap (memory, (size + LARGE - 1) / LARGE * LARGE);
  else
    free (memory);
}

static gboolean
buffer_new (G_GNUC_UNUSED DpBackend *backend, DpBuffer *buffer, GError **error)
{
  buffer->host = dp_cpu_alloc (buffer->size, error);
  return buffer->host != NULL;
}

static void
buffer_free (G_GNUC_UNUSED DpBackend *backend, DpBuffer *buffer)
{
  dp_cpu_free (buffer->host, buffer->size);
}

static void
copy_rows (guint8 *to, gsize to_stride, const guint8 *from, gsize from_stride, gsize row_bytes, guint32 rows)
{
  if (to_stride == row_bytes && from_stride == row_bytes)
    memcpy (to, from, row_bytes * rows);
  else
    for (guint32 row = 0; row < rows; row++)
      memcpy (to + row * to_stride, from + row * from_stride, row_bytes);
}

static gboolean
upload (G_GNUC_UNUSED DpQueue *queue, const DpTensor *to, const void *from, G_GNUC_UNUSED GError **error)
{
  gsize element = dp_type_size (to->type), row_bytes = to->cols * element;
  copy_rows (dp_tensor_row (to, 0), to->stride * element, from, row_bytes, row_bytes, to->rows);
  return TRUE;
}

static gboolean
download (G_GNUC_UNUSED DpQueue *queue, void *to, const DpTensor *from, G_GNUC_UNUSED GError **error)
{
  gsize element = dp_type_size (from->type), row_bytes = from->cols * element;
  copy_rows (to, row_bytes, dp_tensor_row (from, 0), from->stride * element, row_bytes, from->rows);
  return TRUE;
}

/* ---- device ------------------------------------------------------------------------------------- */

static guint
n_devices (void)
{
  return 1;
}

static gboolean
device_info (G_GNUC_UNUSED guint device, DpDeviceInfo *info, G_GNUC_UNUSED GError **error)
{
  guint n = dp_team_processors ();

  g_snprintf (info->name, sizeof info->name, "%s kernels, %u thread%s", dp_cpu_kernels ()->name, n, n == 1 ? "" : "s");
  info->kv_page_size = 32;
  info->activation_types = DP_FLOATS;
  return TRUE;
}

static gboolean
open_backend (DpBackend *backend, const DpBackendOptions *options, GError **error)
{
  DpTeam *team = dp_team_new (options->n_threads);

  if (!team) {
    g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_MEMORY, "cpu: no memory for a team of threads");
    return FALSE;
  }
  DpCpu *cpu = g_new0 (DpCpu, 1);
  cpu->team = team;
  cpu->n_threads = dp_team_size (team);
  cpu->kernels = dp_cpu_kernels ();
  backend->impl = cpu;
  return TRUE;
}

static void
close_backend (DpBackend *backend)
{
  DpCpu *cpu = backend->impl;

  dp_team_free (cpu->team);
  g_free (cpu);
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

/* ---- operators ---------------------------------------------------------------------------------- */

const DpCpuOperator *
dp_cpu_operator (DpOp op)
{
  static const DpCpuOperator *const operators[DP_N_OPS] = {
#define X(name, NAME, Name) [DP_OP_##NAME] = &dp_cpu_op_##name,
    DP_CPU_OPERATORS (X)
#undef X
  };
  return op < DP_N_OPS ? operators[op] : NULL;
}

void
dp_cpu_watched (gpointer watched, gsize first, gsize last, guint thread)
{
  const DpCpuWatched *w = watched;

  if (!dp_cpu_stopped (w->stop))
    w->work (w->data, first, last, thread);
}

/* Less work than this, in nanoseconds, is not worth a wake-up. */
#define WORTH_SHARING 4000.0

/* A rough guess: 30 bytes and 100 operations a nanosecond. */
static gboolean
worth_sharing (DpOp op, const void *args)
{
  return dp_call_bytes (op, args) / 30 + dp_call_flop (op, args) / 100 > WORTH_SHARING;
}

typedef struct {
  DpCpuTask task;
  const DpCpuOperator *operator;
  const void *args;
} Eager;

static void
eager_region (G_GNUC_UNUSED DpTeam *team, gpointer data, guint thread)
{
  const Eager *eager = data;
  DpCpuTask task = eager->task;

  task.thread = thread;
  eager->operator->run (&task, eager->args);
}

static gboolean
run (DpQueue *queue, DpOp op, const void *args, const DpWorkspace *workspace)
{
  DpCpu *cpu = dp_cpu (queue->backend);
  Eager eager = { .task = { .cpu = cpu, .n_threads = 1, .stop = queue->stop }, .operator= dp_cpu_operator (op), .args = args };

  if (workspace->size)
    eager.task.scratch = workspace->buffer->host + workspace->offset;
  if (cpu->n_threads > 1 && worth_sharing (op, args) && dp_cpu_take_team (cpu)) {
    eager.task.team = cpu->team;
    eager.task.n_threads = cpu->n_threads;
    dp_team_region (cpu->team, eager_region, &eager);
    dp_cpu_give_team (cpu);
  } else {
    eager.operator->run (&eager.task, args);
  }
  return TRUE;
}

#define X(name, NAME, Name)                                                                                                                \
  static gboolean run_##name (DpQueue *queue, const Dp##Name##Args *args, const DpWorkspace *workspace, G_GNUC_UNUSED GError **error)      \
  {                                                                                                                                        \
    return run (queue, DP_OP_##NAME, args, workspace);                                                                                     \
  }
DP_CPU_OPERATORS (X)
#undef X

static const DpOpTable table = { .struct_size = sizeof table,
#define X(name, NAME, Name) .name = run_##name,
                                 DP_CPU_OPERATORS (X)
#undef X
};

static gboolean
supports (G_GNUC_UNUSED DpBackend *backend, DpOp op, const void *args, const char **why)
{
  const DpCpuOperator *operator= dp_cpu_operator (op);

  *why = operator->refuse ? operator->refuse (args) : NULL;
  return *why == NULL;
}

static gsize
workspace (DpBackend *backend, DpOp op, const void *args)
{
  const DpCpuOperator *operator= dp_cpu_operator (op);
  const DpCpu *cpu = dp_cpu (backend);

  return operator&& operator->space ? operator->space (cpu, cpu->n_threads, args) : 0;
}

extern const DpBackendClass dp_backend_cpu;
const DpBackendClass dp_backend_cpu = {
  .struct_size = sizeof dp_backend_cpu,
  .name = "cpu",
  .description = "this computer's processor: vector kernels chosen at run time, a resident team of threads",
  .version = DP_VERSION,
  .licence = "Apache-2.0",
  .flags = DP_BACKEND_HOST_MEMORY,
  .n_devices = n_devices,
  .device_info = device_info,
  .open = open_backend,
  .close = close_backend,
  .buffer_new = buffer_new,
  .buffer_free = buffer_free,
  .weight_pack = dp_cpu_weight_pack,
  .weight_free = dp_cpu_weight_free,
  .kv_page_bytes = dp_cpu_kv_page_bytes,
  .kv_new = dp_cpu_kv_new,
  .kv_free = dp_cpu_kv_free,
  .kv_copy_page = dp_cpu_kv_copy_page,
  .queue_new = queue_new,
  .queue_free = queue_free,
  .queue_sync = queue_sync,
  .upload = upload,
  .download = download,
  .ops = &table,
  .supports = supports,
  .workspace = workspace,
  .graph_lower = dp_cpu_graph_lower,
  .graph_launch = dp_cpu_graph_launch,
  .graph_free = dp_cpu_graph_free,
  .weight_layout = dp_cpu_weight_layout,
  .weight_save = dp_cpu_weight_save,
  .weight_load = dp_cpu_weight_load,
};
