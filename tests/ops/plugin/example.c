/* example.c - a back end as a vendor would write one, small enough to read in a minute.
 *
 * A real one brings its own memory, packing and kernels.  This one borrows all of that from the
 * reference class and shows the rest: the entry, a class of its own, one kernel of its own with the
 * types it takes, an operator it lacks, a sequence of calls it does in one go, and a lowered graph.
 */
#include "ops/backend.h"

#include <math.h>
#include <string.h>

static DpOpTable table; /* the reference's, with changes */
static const DpOpTable *reference;
static const DpBackendClass *parent;

/* ---- a kernel ---- */

static gboolean
silu_and_mul (DpQueue *queue, const DpSiluAndMulArgs *a, const DpWorkspace *workspace, GError **error)
{
  (void) queue, (void) workspace, (void) error;
  for (guint32 row = 0; row < a->x.rows; row++) {
    const float *gate = dp_tensor_row (&a->x, row), *up = gate + a->y.cols;
    float *y = dp_tensor_row (&a->y, row);
    for (guint32 i = 0; i < a->y.cols; i++)
      y[i] = gate[i] / (1 + expf (-gate[i])) * up[i];
  }
  return TRUE;
}

static gboolean
supports (DpBackend *backend, DpOp op, const void *args, const char **why)
{
  (void) backend;
  if (op == DP_OP_SILU_AND_MUL) {
    const DpSiluAndMulArgs *a = args;
    if (a->x.type != DP_F32 || a->y.type != DP_F32) {
      *why = "silu_and_mul takes f32 only";
      return FALSE;
    }
  }
  return TRUE;
}

/* ---- a sequence that has a better form ---- */

static const DpOp norm_then_linear[] = { DP_OP_ADD_RMS_NORM, DP_OP_GATE_UP_SILU };

static gboolean
norm_then_linear_supports (DpBackend *backend, const DpCall *calls)
{
  const DpAddRmsNormArgs *norm = calls[0].args;
  const DpGateUpSiluArgs *product = calls[1].args;
  (void) backend;
  return memcmp (&norm->y, &product->x, sizeof norm->y) == 0; /* the product reads what the norm writes */
}

static gsize
norm_then_linear_workspace (DpBackend *backend, const DpCall *calls)
{
  return MAX (parent->workspace (backend, calls[0].op, calls[0].args), parent->workspace (backend, calls[1].op, calls[1].args));
}

/* Here a vendor would launch one kernel instead of two. */
static gboolean
norm_then_linear_run (DpQueue *queue, const DpCall *calls, const DpWorkspace *workspace, GError **error)
{
  return reference->add_rms_norm (queue, calls[0].args, workspace, error)
         && reference->gate_up_silu (queue, calls[1].args, workspace, error);
}

static const DpPattern patterns[] = {
  { "add_rms_norm+gate_up_silu", norm_then_linear, 2, norm_then_linear_supports, norm_then_linear_workspace, norm_then_linear_run },
};

/* ---- graphs ---- */

/* The plan stays valid until graph_free; a GPU would capture its launches here. */
static gboolean
graph_lower (DpBackend *backend, const DpPlan *plan, gpointer *lowered, GError **error)
{
  (void) backend, (void) error;
  *lowered = (gpointer) plan;
  return TRUE;
}

static gboolean
run_call (const DpOpTable *ops, DpQueue *queue, const DpCall *call, const DpWorkspace *workspace, GError **error)
{
  switch (call->op) {
#define X(id, name, NAME, Name)                                                                                                            \
  case DP_OP_##NAME: return ops->name (queue, call->args, workspace, error);
    DP_OPS (X)
#undef X
  default: return FALSE;
  }
}

static gboolean
graph_launch (DpQueue *queue, gpointer lowered, DpNodeTime *times, GError **error)
{
  const DpPlan *plan = lowered;
  for (guint i = 0; i < plan->n_nodes; i++) {
    const DpPlanNode *node = &plan->nodes[i];
    gint64 begin = g_get_monotonic_time () * 1000;
    gboolean ok = node->pattern    ? node->pattern->run (queue, node->calls, &node->workspace, error)
                  : node->fallback ? run_call (reference, plan->reference, node->calls, &node->workspace, error)
                                   : run_call (&table, queue, node->calls, &node->workspace, error);
    if (!ok)
      return FALSE;
    if (times)
      times[i] = (DpNodeTime){ begin, g_get_monotonic_time () * 1000 };
  }
  return TRUE;
}

static void
graph_free (DpBackend *backend, gpointer lowered)
{
  (void) backend, (void) lowered;
}

/* ---- the entry ---- */

__attribute__ ((visibility ("default"))) gboolean dp_plugin_entry (const DpHost *host, DpPluginInfo *info, GError **error);

__attribute__ ((visibility ("default"))) gboolean
dp_plugin_entry (const DpHost *host, DpPluginInfo *info, GError **error)
{
  static DpBackendClass klass;
  parent = host->find_class ("reference");
  if (!parent || info->struct_size < sizeof *info) {
    g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_PLUGIN, "this docparse is too old");
    return FALSE;
  }
  reference = parent->ops;
  table = *reference;
  table.silu_and_mul = silu_and_mul;
  table.resize = NULL; /* an operator this back end does not have */
  klass = *parent;
  klass.name = "example";
  klass.description = "how to add a back end";
  klass.version = "1.0";
  klass.ops = &table;
  klass.supports = supports;
  klass.patterns = patterns;
  klass.n_patterns = G_N_ELEMENTS (patterns);
  klass.graph_lower = graph_lower;
  klass.graph_launch = graph_launch;
  klass.graph_free = graph_free;
  info->abi_major = DP_BACKEND_ABI_MAJOR;
  info->abi_minor = DP_BACKEND_ABI_MINOR;
  info->klass = &klass;
  return TRUE;
}
