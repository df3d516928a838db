/* ops/plan.c - the planner: operator matching, liveness, one arena, barriers. */
#include "ops/plan.h"
#include "ops/schema.h"

/* ---- placement ---- */

static int
larger_first (gconstpointer a, gconstpointer b)
{
  const DpSpan *x = *(const DpSpan *const *) a, *y = *(const DpSpan *const *) b;
  return x->size != y->size ? (x->size < y->size) - (x->size > y->size) : (x->first > y->first) - (x->first < y->first);
}

/* The lowest offset free over span's life.  placed is sorted by offset. */
static gsize
lowest_gap (const DpSpan *span, DpSpan *const *placed, guint n)
{
  gsize offset = 0;
  for (guint i = 0; i < n; i++) {
    const DpSpan *other = placed[i];
    if (other->last < span->first || span->last < other->first)
      continue;
    if (other->offset >= offset + span->size)
      break;
    offset = MAX (offset, other->offset + other->size);
  }
  return offset;
}

gsize
dp_plan_place (DpSpan *spans, guint n)
{
  g_autofree DpSpan **order = g_new (DpSpan *, MAX (n, 1)), **placed = g_new (DpSpan *, MAX (n, 1));
  gsize total = 0;
  for (guint i = 0; i < n; i++)
    order[i] = &spans[i];
  qsort (order, n, sizeof *order, larger_first);
  for (guint i = 0; i < n; i++) {
    DpSpan *span = order[i];
    span->offset = lowest_gap (span, placed, i);
    total = MAX (total, span->offset + span->size);
    guint at = i;
    for (; at > 0 && placed[at - 1]->offset > span->offset; at--)
      placed[at] = placed[at - 1];
    placed[at] = span;
  }
  return total;
}

/* ---- operator matching ---- */

static int
longer_first (gconstpointer a, gconstpointer b)
{
  const DpPattern *x = *(const DpPattern *const *) a, *y = *(const DpPattern *const *) b;
  return x->n_ops != y->n_ops ? (x->n_ops < y->n_ops) - (x->n_ops > y->n_ops) : (x > y) - (x < y);
}

static GPtrArray *
patterns_of (DpBackend *backend)
{
  GPtrArray *sorted = g_ptr_array_new ();
  const DpBackendClass *k = backend->klass;
  gboolean lowers = DP_CLASS_HAS (k, graph_lower);
  for (guint i = 0; DP_CLASS_HAS (k, patterns) && i < k->n_patterns; i++)
    if (k->patterns[i].n_ops >= 2 && (lowers || k->patterns[i].run))
      g_ptr_array_add (sorted, (gpointer) &k->patterns[i]);
  g_ptr_array_sort (sorted, longer_first);
  return sorted;
}

static gboolean
matches (DpBackend *backend, const DpPattern *pattern, const DpRecord *record, const DpCall *calls, guint at)
{
  if (pattern->n_ops > record->calls->len - at)
    return FALSE;
  for (guint i = 0; i < pattern->n_ops; i++)
    if (calls[at + i].op != pattern->ops[i] || g_array_index (record->calls, DpRecorded, at + i).fallback)
      return FALSE;
  return !pattern->supports || pattern->supports (backend, calls + at);
}

static void
make_nodes (DpPlanned *planned, DpBackend *backend, const DpRecord *record)
{
  g_autoptr (GPtrArray) patterns = patterns_of (backend);
  guint n = 0;
  for (guint at = 0; at < planned->n_calls;) {
    DpPlanNode *node = &planned->nodes[n++];
    *node = (DpPlanNode){ .calls = planned->calls + at, .n_calls = 1 };
    for (guint i = 0; i < patterns->len && !node->pattern; i++)
      if (matches (backend, patterns->pdata[i], record, planned->calls, at))
        node->pattern = patterns->pdata[i];
    if (node->pattern)
      node->n_calls = node->pattern->n_ops;
    else
      node->fallback = g_array_index (record->calls, DpRecorded, at).fallback;
    at += node->n_calls;
  }
  planned->plan.n_nodes = n;
}

/* ---- liveness and the arena ---- */

static gsize
node_workspace (DpBackend *backend, const DpPlanNode *node)
{
  gsize size;
  if (node->pattern)
    size = node->pattern->workspace ? node->pattern->workspace (backend, node->calls) : 0;
  else
    size = dp_call_workspace (node->fallback ? dp_backend_fallback (backend) : backend, node->calls[0].op, node->calls[0].args);
  return size > G_MAXSSIZE ? size : (size + DP_ALIGN - 1) / DP_ALIGN * DP_ALIGN;
}

/* Widens the life of every temporary that node i touches.  index: buffer -> position in spans plus one. */
static void
mark_life (const DpPlanNode *node, guint i, GHashTable *index, DpSpan *spans)
{
  for (guint c = 0; c < node->n_calls; c++) {
    const DpSchema *schema = dp_schema (node->calls[c].op);
    for (guint f = 0; f < schema->n_fields; f++) {
      DpTensor *t = dp_field_tensor (&schema->fields[f], node->calls[c].args);
      guint at = t && t->buffer ? GPOINTER_TO_UINT (g_hash_table_lookup (index, t->buffer)) : 0;
      if (!at)
        continue;
      spans[at - 1].first = MIN (spans[at - 1].first, i);
      spans[at - 1].last = MAX (spans[at - 1].last, i);
    }
  }
}

/* Points tensors of temporaries into the arena. */
static void
resolve (const DpPlanNode *node, GHashTable *index, const DpSpan *spans, DpBuffer *arena)
{
  for (guint c = 0; c < node->n_calls; c++) {
    const DpSchema *schema = dp_schema (node->calls[c].op);
    for (guint f = 0; f < schema->n_fields; f++) {
      DpTensor *t = dp_field_tensor (&schema->fields[f], node->calls[c].args);
      guint at = t && t->buffer ? GPOINTER_TO_UINT (g_hash_table_lookup (index, t->buffer)) : 0;
      if (at) {
        t->buffer = arena;
        t->offset += spans[at - 1].offset;
      }
    }
  }
}

static gboolean
too_large (DpBackend *backend, GError **error)
{
  g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_MEMORY, "%s: the temporaries of a graph need more memory than there is",
               backend->klass->name);
  return FALSE;
}

static gboolean
allocate (DpPlanned *planned, DpBackend *backend, DpRecord *record, GError **error)
{
  guint n_nodes = planned->plan.n_nodes, n_temps = record->temps->len;
  g_autofree DpSpan *spans = g_new0 (DpSpan, n_temps + n_nodes + 1);
  g_autoptr (GHashTable) index = g_hash_table_new (NULL, NULL);
  gsize total = 0;
  for (guint i = 0; i < n_temps; i++) {
    DpBuffer *temp = record->temps->pdata[i];
    g_hash_table_insert (index, temp, GUINT_TO_POINTER (i + 1));
    spans[i] = (DpSpan){ .size = temp->size, .first = G_MAXUINT, .last = 0 };
  }
  for (guint i = 0; i < n_nodes; i++) {
    mark_life (&planned->nodes[i], i, index, spans);
    spans[n_temps + i] = (DpSpan){ .size = node_workspace (backend, &planned->nodes[i]), .first = i, .last = i };
  }
  for (guint i = 0; i < n_temps + n_nodes; i++) {
    if (spans[i].first == G_MAXUINT) /* never used */
      spans[i] = (DpSpan){ 0 };
    if (!g_size_checked_add (&total, total, spans[i].size))
      return too_large (backend, error);
  }
  planned->temp_bytes = total;
  gsize size = dp_plan_place (spans, n_temps + n_nodes);
  if (size && !(planned->arena = dp_buffer_new (backend, size, error)))
    return FALSE;
  for (guint i = 0; i < n_nodes; i++) {
    DpPlanNode *node = &planned->nodes[i];
    const DpSpan *workspace = &spans[n_temps + i];
    resolve (node, index, spans, planned->arena);
    if (workspace->size)
      node->workspace = (DpWorkspace){ planned->arena, workspace->offset, workspace->size };
  }
  return TRUE;
}

/* ---- barriers ---- */

typedef struct {
  DpTensor tensor;
  const DpKv *kv;
  guint32 layer;
  gboolean write;
} Access;

static void
collect (const DpPlanNode *node, GArray *accesses)
{
  for (guint c = 0; c < node->n_calls; c++) {
    const DpCall *call = &node->calls[c];
    const DpSchema *schema = dp_schema (call->op);
    for (guint f = 0; f < schema->n_fields; f++) {
      const DpField *field = &schema->fields[f];
      const DpTensor *t = dp_field_tensor (field, call->args);
      const DpKv *kv = dp_field_kv (field, call->args);
      Access a = { .write = field->role == DP_ROLE_OUT || field->role == DP_ROLE_INOUT || field->role == DP_ROLE_KV_OUT };
      if (t && t->buffer)
        a.tensor = *t;
      else if (kv)
        a.kv = kv, a.layer = dp_call_layer (call->op, call->args);
      else
        continue;
      g_array_append_val (accesses, a);
    }
  }
  if (node->workspace.size) { /* as rows of at most 2^30 bytes */
    gsize row = MIN (node->workspace.size, (gsize) 1 << 30);
    Access a = { .write = TRUE };
    a.tensor = dp_tensor (node->workspace.buffer, node->workspace.offset, DP_U8, (guint32) ((node->workspace.size + row - 1) / row),
                          (guint32) row);
    g_array_append_val (accesses, a);
  }
}

static gboolean
conflict (const Access *a, const Access *b)
{
  if (!a->write && !b->write)
    return FALSE;
  return a->kv ? a->kv == b->kv && a->layer == b->layer : dp_tensor_overlap (&a->tensor, &b->tensor);
}

/* A node needs a barrier when it touches what a node since the last barrier writes, or writes what one reads. */
static void
mark_barriers (DpPlanned *planned)
{
  g_autoptr (GArray) since = g_array_new (FALSE, FALSE, sizeof (Access)), own = g_array_new (FALSE, FALSE, sizeof (Access));
  for (guint i = 0; i < planned->plan.n_nodes; i++) {
    DpPlanNode *node = &planned->nodes[i];
    g_array_set_size (own, 0);
    collect (node, own);
    for (guint a = 0; a < own->len && !node->barrier; a++)
      for (guint b = 0; b < since->len && !node->barrier; b++)
        node->barrier = conflict (&g_array_index (own, Access, a), &g_array_index (since, Access, b));
    if (node->barrier)
      g_array_set_size (since, 0);
    g_array_append_vals (since, own->data, own->len);
  }
}

gboolean
dp_plan_make (DpPlanned *planned, DpBackend *backend, DpRecord *record, GError **error)
{
  planned->n_calls = record->calls->len;
  planned->calls = g_new0 (DpCall, MAX (planned->n_calls, 1));
  planned->nodes = g_new0 (DpPlanNode, MAX (planned->n_calls, 1));
  for (guint i = 0; i < planned->n_calls; i++) {
    DpRecorded *recorded = &g_array_index (record->calls, DpRecorded, i);
    planned->calls[i] = (DpCall){ recorded->op, g_steal_pointer (&recorded->args) };
  }
  make_nodes (planned, backend, record);
  if (!allocate (planned, backend, record, error))
    return FALSE;
  mark_barriers (planned);
  planned->plan.struct_size = sizeof planned->plan;
  planned->plan.nodes = planned->nodes;
  planned->plan.arena = planned->arena;
  return TRUE;
}

void
dp_plan_clear (DpPlanned *planned)
{
  for (guint i = 0; i < planned->n_calls; i++)
    g_free ((gpointer) planned->calls[i].args);
  g_free (planned->calls);
  g_free (planned->nodes);
  dp_buffer_free (planned->arena);
}
