/* ops/graph.c - replay of a captured step; ops/plan.c makes the plan. */
#include "ops/plan.h"
#include "ops/schema.h"

struct DpGraph {
  DpBackend *backend;
  DpPlanned planned;
  DpQueue reference; /* for fallback nodes of a lowered graph */
  gpointer lowered;
  DpNodeTime *times; /* n_nodes, when traced */
};

static gboolean
lower (DpGraph *graph, GError **error)
{
  const DpBackendClass *k = graph->backend->klass;
  g_autoptr (GError) why = NULL;
  if (!DP_CLASS_HAS (k, graph_lower) || !DP_CLASS_HAS (k, graph_launch) || !DP_CLASS_HAS (k, graph_free))
    return TRUE;
  if (k->graph_lower (graph->backend, &graph->planned.plan, &graph->lowered, &why))
    return TRUE;
  graph->lowered = NULL;
  if (g_error_matches (why, DP_OPS_ERROR, DP_OPS_ERROR_UNSUPPORTED)) /* then the plan runs node by node */
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&why));
  return FALSE;
}

static gboolean
open_reference (DpGraph *graph, GError **error)
{
  DpBackend *reference = dp_backend_fallback (graph->backend);
  for (guint i = 0; i < graph->planned.plan.n_nodes; i++)
    if (graph->planned.nodes[i].fallback && !graph->reference.backend) {
      graph->reference.backend = reference;
      if (!reference->klass->queue_new (reference, &graph->reference, error)) {
        graph->reference.backend = NULL;
        return FALSE;
      }
      graph->planned.plan.reference = &graph->reference;
    }
  return TRUE;
}

DpGraph *
dp_graph_capture (DpBackend *backend, DpBody body, gpointer data, GError **error)
{
  g_autoptr (DpGraph) graph = g_new0 (DpGraph, 1);
  graph->backend = backend;
  DpRecord record;
  dp_record_init (&record, FALSE);
  gboolean ok = dp_record_run (&record, backend, body, data, error) && dp_plan_make (&graph->planned, backend, &record, error);
  dp_record_clear (&record);
  if (!ok || !open_reference (graph, error) || !lower (graph, error))
    return NULL;
  if (((DpOpened *) backend)->traced)
    graph->times = g_new0 (DpNodeTime, MAX (graph->planned.plan.n_nodes, 1));
  return g_steal_pointer (&graph);
}

void
dp_graph_free (DpGraph *graph)
{
  if (!graph)
    return;
  if (graph->lowered)
    graph->backend->klass->graph_free (graph->backend, graph->lowered);
  if (graph->reference.backend)
    graph->reference.backend->klass->queue_free (graph->reference.backend, &graph->reference);
  dp_plan_clear (&graph->planned);
  g_free (graph->times);
  g_free (graph);
}

static const char *
node_name (const DpPlanNode *node)
{
  return node->pattern ? node->pattern->name : dp_op_name (node->calls[0].op);
}

static gboolean
run_node (DpStream *stream, const DpPlanNode *node, GError **error)
{
  if (node->pattern)
    return node->pattern->run (dp_stream_queue (stream), node->calls, &node->workspace, error);
  return dp_stream_run (stream, node->calls[0].op, node->calls[0].args, &node->workspace, node->fallback, error);
}

/* Without a lowered form: one node after the other, as eager would. */
static gboolean
run_nodes (DpStream *stream, DpGraph *graph, GError **error)
{
  const DpBackendClass *k = graph->backend->klass;
  for (guint i = 0; i < graph->planned.plan.n_nodes; i++) {
    gint64 begin = graph->times ? dp_trace_now () : 0;
    if (!run_node (stream, &graph->planned.nodes[i], error))
      return FALSE;
    if (!graph->times)
      continue;
    if ((k->flags & DP_BACKEND_ASYNC) && !k->queue_sync (dp_stream_queue (stream), error))
      return FALSE;
    graph->times[i] = (DpNodeTime){ begin, dp_trace_now () };
  }
  return TRUE;
}

static gboolean
launch (DpStream *stream, DpGraph *graph, GError **error)
{
  DpQueue *queue = dp_stream_queue (stream);
  const DpBackendClass *k = graph->backend->klass;
  if (!k->graph_launch (queue, graph->lowered, graph->times, error))
    return FALSE;
  return !graph->times || !(k->flags & DP_BACKEND_ASYNC) || k->queue_sync (queue, error);
}

static void
write_trace (DpGraph *graph)
{
  for (guint i = 0; i < graph->planned.plan.n_nodes; i++) {
    const DpPlanNode *node = &graph->planned.nodes[i];
    if (graph->times[i].end)
      dp_trace_call (graph->backend, node_name (node), "graph", node->calls, node->n_calls, graph->times[i].begin, graph->times[i].end);
    graph->times[i] = (DpNodeTime){ 0, 0 };
  }
}

void
dp_graph_replay (DpStream *stream, DpGraph *graph, DpStep *step)
{
  GError *error = NULL;
  if (dp_stream_failed (stream))
    return;
  if (dp_stream_backend (stream) != graph->backend || !dp_stream_queue (stream)) {
    dp_stream_fail (stream, g_error_new (DP_OPS_ERROR, DP_OPS_ERROR_ARGUMENT,
                                         "A graph runs on an eager stream of the back end it was captured for, nowhere else"));
    return;
  }
  if (step)
    dp_step_send (stream, step, graph->lowered);
  if (dp_stream_failed (stream))
    return;
  gboolean ok = graph->lowered ? launch (stream, graph, &error) : run_nodes (stream, graph, &error);
  if (ok && graph->times)
    write_trace (graph);
  if (!ok && !error)
    error = g_error_new (DP_OPS_ERROR, DP_OPS_ERROR_DEVICE, "%s: a graph failed without a reason", graph->backend->klass->name);
  if (error)
    dp_stream_fail (stream, error);
}

const DpPlan *
dp_graph_plan (const DpGraph *graph)
{
  return &graph->planned.plan;
}

gsize
dp_graph_temp_bytes (const DpGraph *graph)
{
  return graph->planned.temp_bytes;
}

guint
dp_bucket (guint n, guint max)
{
  static const guint small[] = { 1, 2, 4, 8, 16, 24, 32, 48, 64 };
  g_return_val_if_fail (n >= 1 && n <= max, max);
  guint bucket = 0;
  for (guint i = 0; i < G_N_ELEMENTS (small) && !bucket; i++)
    if (n <= small[i])
      bucket = small[i];
  if (!bucket) {
    guint step = n <= 256 ? 32 : 256;
    bucket = n > G_MAXUINT - step ? max : (n + step - 1) / step * step;
  }
  return MIN (bucket, max);
}
