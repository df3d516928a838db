/* faulty.c - the reference with one fault, chosen by the environment variable FAULT: what the selftest must find.
 * It also tries the rules of loading: FAULT=abi, name, decline, class, old; and FAULT=two is two devices, the first of them busy. */
#include "ops/backend.h"

#include <math.h>
#include <string.h>

static DpOpTable table;
static const DpOpTable *reference;
static const char *fault;

static float *
at (const DpTensor *t, guint32 row, guint32 col)
{
  return (float *) dp_tensor_row (t, row) + col;
}

/* value: the last column of an f32 result is 10 % too large. */
static gboolean
linear (DpQueue *queue, const DpLinearArgs *a, const DpWorkspace *workspace, GError **error)
{
  gboolean ok = reference->linear (queue, a, workspace, error);
  for (guint32 row = 0; row < a->y.rows && a->y.type == DP_F32; row++)
    *at (&a->y, row, a->y.cols - 1) *= 1.1f;
  return ok;
}

/* gap: one element past a row. */
static gboolean
rms_norm (DpQueue *queue, const DpRmsNormArgs *a, const DpWorkspace *workspace, GError **error)
{
  gboolean ok = reference->rms_norm (queue, a, workspace, error);
  if (a->y.type == DP_F32 && a->y.stride > a->y.cols)
    *at (&a->y, 0, a->y.cols) = 1;
  return ok;
}

/* rows: the last bit of a row depends on how many there are. */
static gboolean
quick_gelu (DpQueue *queue, const DpQuickGeluArgs *a, const DpWorkspace *workspace, GError **error)
{
  gboolean ok = reference->quick_gelu (queue, a, workspace, error);
  for (guint32 row = 0; row < a->y.rows && a->y.rows > 1 && a->y.type == DP_F32; row++)
    *at (&a->y, row, 0) = nextafterf (*at (&a->y, row, 0), INFINITY);
  return ok;
}

/* nan: gone by the time the result is stored. */
static gboolean
layer_norm (DpQueue *queue, const DpLayerNormArgs *a, const DpWorkspace *workspace, GError **error)
{
  gboolean ok = reference->layer_norm (queue, a, workspace, error);
  for (guint32 row = 0; row < a->y.rows && a->y.type == DP_F32; row++)
    for (guint32 i = 0; i < a->y.cols; i++)
      if (isnan (*at (&a->y, row, i)))
        *at (&a->y, row, i) = 0;
  return ok;
}

/* causal: ignored. */
static gboolean
prefill_attention (DpQueue *queue, const DpPrefillAttentionArgs *a, const DpWorkspace *workspace, GError **error)
{
  DpPrefillAttentionArgs other = *a;
  other.attn.causal = FALSE;
  return reference->prefill_attention (queue, &other, workspace, error);
}

/* slot: the third token of a call is lost. */
static gboolean
fill_kv_cache (DpQueue *queue, const DpFillKvCacheArgs *a, const DpWorkspace *workspace, GError **error)
{
  gint32 kept = 0, *slot = a->slots.rows > 2 ? dp_tensor_row (&a->slots, 2) : NULL;
  if (slot)
    kept = *slot, *slot = -1;
  gboolean ok = reference->fill_kv_cache (queue, a, workspace, error);
  if (slot)
    *slot = kept;
  return ok;
}

/* leak: a sequence in the middle of the batch looks at the first one's pages. */
static gboolean
paged_decode_attention (DpQueue *queue, const DpPagedDecodeAttentionArgs *a, const DpWorkspace *workspace, GError **error)
{
  guint8 kept[4096];
  gsize bytes = (gsize) a->block_table.cols * 4;
  gint32 *first = dp_tensor_row (&a->block_table, 0), *other = dp_tensor_row (&a->block_table, a->block_table.rows / 2);
  if (bytes > sizeof kept)
    return reference->paged_decode_attention (queue, a, workspace, error);
  memcpy (kept, other, bytes);
  memmove (other, first, bytes);
  gboolean ok = reference->paged_decode_attention (queue, a, workspace, error);
  memcpy (other, kept, bytes);
  return ok;
}

/* graph: the first result has one bit wrong. */
static gboolean
graph_lower (DpBackend *backend, const DpPlan *plan, gpointer *lowered, GError **error)
{
  (void) backend, (void) error;
  *lowered = (gpointer) plan;
  return TRUE;
}

static gboolean
graph_launch (DpQueue *queue, gpointer lowered, DpNodeTime *times, GError **error)
{
  const DpPlan *plan = lowered;
  (void) times;
  for (guint i = 0; i < plan->n_nodes; i++) {
    const DpCall *call = plan->nodes[i].calls;
    gboolean ok = FALSE;
    switch (call->op) {
#define X(id, name, NAME, Name)                                                                                                            \
  case DP_OP_##NAME: ok = table.name (queue, call->args, &plan->nodes[i].workspace, error); break;
      DP_OPS (X)
#undef X
    default: break;
    }
    if (!ok)
      return FALSE;
    if (call->op == DP_OP_GELU)
      *(guint8 *) dp_tensor_row (&((const DpGeluArgs *) call->args)->y, 0) ^= 1;
  }
  return TRUE;
}

static void
graph_free (DpBackend *backend, gpointer lowered)
{
  (void) backend, (void) lowered;
}

static gboolean (*open_reference) (DpBackend *backend, const DpBackendOptions *options, GError **error);

static guint
two_devices (void)
{
  return 2;
}

static gboolean
open_second (DpBackend *backend, const DpBackendOptions *options, GError **error)
{
  DpBackendOptions own = *options;

  if (options->device != 1) {
    g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_DEVICE, "device %u is busy", options->device);
    return FALSE;
  }
  own.device = 0;
  return open_reference (backend, &own, error);
}

static gboolean
is (const char *name)
{
  return g_str_equal (fault, name);
}

__attribute__ ((visibility ("default"))) gboolean dp_plugin_entry (const DpHost *host, DpPluginInfo *info, GError **error);

__attribute__ ((visibility ("default"))) gboolean
dp_plugin_entry (const DpHost *host, DpPluginInfo *info, GError **error)
{
  static DpBackendClass klass;
  fault = g_getenv ("FAULT") ? g_getenv ("FAULT") : "none";
  klass = *host->find_class ("reference");
  reference = klass.ops;
  table = *reference;
  if (is ("decline")) {
    g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_PLUGIN, "the driver is from last century");
    return FALSE;
  }
  table.linear = is ("value") ? linear : reference->linear;
  table.rms_norm = is ("gap") ? rms_norm : reference->rms_norm;
  table.quick_gelu = is ("rows") ? quick_gelu : reference->quick_gelu;
  table.layer_norm = is ("nan") ? layer_norm : reference->layer_norm;
  table.prefill_attention = is ("causal") ? prefill_attention : reference->prefill_attention;
  table.fill_kv_cache = is ("slot") ? fill_kv_cache : reference->fill_kv_cache;
  table.paged_decode_attention = is ("leak") ? paged_decode_attention : reference->paged_decode_attention;
  klass.name = is ("name") ? "other" : "faulty";
  klass.ops = &table;
  klass.buffer_new = is ("class") ? NULL : klass.buffer_new;
  open_reference = klass.open;
  if (is ("two"))
    klass.n_devices = two_devices, klass.open = open_second;
  if (is ("graph"))
    klass.graph_lower = graph_lower, klass.graph_launch = graph_launch, klass.graph_free = graph_free;
  if (is ("old")) { /* built when the interface was smaller */
    klass.struct_size = G_STRUCT_OFFSET (DpBackendClass, patterns);
    table.struct_size = G_STRUCT_OFFSET (DpOpTable, sample);
  }
  info->abi_major = DP_BACKEND_ABI_MAJOR + (is ("abi") ? 1 : 0);
  info->abi_minor = DP_BACKEND_ABI_MINOR;
  info->klass = &klass;
  return TRUE;
}
