/* ops/route.c - who runs a call: the back end, the reference in its place, or nobody. */
#include "ops/private.h"
#include "ops/schema.h"

gboolean
dp_op_table_has (const DpOpTable *table, DpOp op)
{
  switch (op) {
#define X(id, name, NAME, Name)                                                                                                            \
  case DP_OP_##NAME: return G_STRUCT_OFFSET (DpOpTable, name) + sizeof table->name <= table->struct_size && table->name != NULL;
    DP_OPS (X)
#undef X
  default: return FALSE;
  }
}

gboolean
dp_backend_class_has (const DpBackendClass *klass, DpOp op)
{
  return dp_op_table_has (klass->ops, op);
}

gsize
dp_call_workspace (DpBackend *backend, DpOp op, const void *args)
{
  const DpBackendClass *k = backend->klass;
  return DP_CLASS_HAS (k, workspace) ? k->workspace (backend, op, args) : 0;
}

/* Why the back end itself cannot run the call, or NULL. */
static const char *
native_fault (DpBackend *backend, DpOp op, const void *args)
{
  const DpSchema *schema = dp_schema (op);
  const char *why = NULL;
  if (!dp_op_table_has (backend->klass->ops, op))
    return "the back end does not have this operator";
  for (guint i = 0; i < schema->n_fields; i++) {
    const DpWeight *w = dp_field_weight (&schema->fields[i], args);
    const DpKv *kv = dp_field_kv (&schema->fields[i], args);
    if (w && !w->impl)
      return "the back end cannot hold this weight";
    if (kv && kv->backend != backend)
      return "the cache is the reference's";
  }
  if (DP_CLASS_HAS (backend->klass, supports) && !backend->klass->supports (backend, op, args, &why))
    return why ? why : "the back end does not support it";
  return NULL;
}

/* Whether the reference can take the call: it must hold the weights and the cache. */
static gboolean
reference_can (DpBackend *reference, DpOp op, const void *args)
{
  const DpSchema *schema = dp_schema (op);
  for (guint i = 0; i < schema->n_fields; i++) {
    const DpWeight *w = dp_field_weight (&schema->fields[i], args);
    const DpKv *kv = dp_field_kv (&schema->fields[i], args);
    if ((w && !w->fallback) || (kv && kv->backend != reference))
      return FALSE;
  }
  return TRUE;
}

DpRoute
dp_call_route (DpBackend *backend, DpOp op, const void *args, const char **why)
{
  *why = native_fault (backend, op, args);
  if (!*why)
    return DP_ROUTE_NATIVE;
  DpBackend *reference = dp_backend_fallback (backend);
  return reference && reference_can (reference, op, args) ? DP_ROUTE_FALLBACK : DP_ROUTE_MISSING;
}

void
dp_log_fallback (DpBackend *backend, DpOp op, const char *why)
{
  DpOpened *opened = (DpOpened *) backend;
  guint bit = 1u << (op % 32);
  if (!(g_atomic_int_or (&opened->logged[op / 32], bit) & bit))
    g_message ("%s: %s runs on the reference back end, slowly: %s", backend->klass->name, dp_op_name (op), why);
}
