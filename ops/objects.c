/* ops/objects.c - buffers, weights and caches: the program owns the shell, the back end what is inside. */
#include "ops/private.h"

/* ---- buffers ---- */

DpBuffer *
dp_buffer_new (DpBackend *backend, gsize size, GError **error)
{
  if (size == 0 || size > G_MAXSSIZE) {
    g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_MEMORY, "%s: a buffer of %" G_GSIZE_FORMAT " bytes is not possible",
                 backend->klass->name, size);
    return NULL;
  }
  DpBuffer *buffer = g_new0 (DpBuffer, 1);
  buffer->backend = backend;
  buffer->size = size;
  if (!backend->klass->buffer_new (backend, buffer, error)) {
    g_free (buffer);
    return NULL;
  }
  return buffer;
}

void
dp_buffer_free (DpBuffer *buffer)
{
  if (buffer)
    buffer->backend->klass->buffer_free (buffer->backend, buffer);
  g_free (buffer);
}

/* ---- weights ---- */

static gboolean
is_quantised (guint32 type)
{
  return type == DP_I8 || type == DP_I4;
}

/* What is wrong with a source, or NULL. */
static const char *
source_fault (const DpWeightSource *s)
{
  gsize row_bytes, matrices;
  if (!s->uses || !s->data)
    return "it has no use or no data";
  if (!s->n || !s->rows || !s->cols || MAX (MAX (s->rows, s->cols), s->n) > G_MAXINT32)
    return "it is empty or too large";
  if (!(DP_TYPE_BIT (MIN (s->type, 31)) & (DP_FLOATS | DP_TYPE_BIT (DP_I8) | DP_TYPE_BIT (DP_I4))))
    return "its type cannot be a weight";
  if (is_quantised (s->type) ? s->hold != s->type : !(DP_TYPE_BIT (MIN (s->hold, 31)) & DP_FLOATS))
    return "it cannot be held as the type asked for";
  if (is_quantised (s->type) && (!s->scales || s->row_scale))
    return "a quantised weight needs scales and cannot take row_scale";
  if (!is_quantised (s->type) && (s->scales || s->zeros || s->group))
    return "scales, zeros and group are for quantised weights";
  if ((s->uses & DP_USE_GATE_UP) && s->rows % 2)
    return "gate and up must have the same number of rows";
  row_bytes = s->type == DP_I4 ? ((gsize) s->cols + 1) / 2 : s->cols * dp_type_size (s->type);
  if (!g_size_checked_mul (&matrices, s->rows, s->n) || !g_size_checked_mul (&row_bytes, row_bytes, matrices))
    return "it is too large";
  return row_bytes == s->data_size ? NULL : "its data has another size than its shape";
}

/* Whether a use of a weight of this type can be served by klass at all. */
static gboolean
use_is_served (const DpBackendClass *klass, guint32 use, guint32 type)
{
  const DpOpTable *ops = klass->ops;
  switch (use) {
  case DP_USE_LINEAR:
    return is_quantised (type) ? dp_op_table_has (ops, DP_OP_WEIGHT_QUANT_MATMUL) || dp_op_table_has (ops, DP_OP_LINEAR_W8A8)
                               : dp_op_table_has (ops, DP_OP_LINEAR);
  case DP_USE_QKV: return dp_op_table_has (ops, DP_OP_QKV_LINEAR);
  case DP_USE_GATE_UP: return dp_op_table_has (ops, DP_OP_GATE_UP_SILU);
  case DP_USE_LM_HEAD: return dp_op_table_has (ops, DP_OP_LM_HEAD_ARGMAX);
  case DP_USE_EMBEDDING: return dp_op_table_has (ops, DP_OP_EMBEDDING);
  case DP_USE_CONV: return dp_op_table_has (ops, DP_OP_CONV2D);
  case DP_USE_MOE_GATE_UP:
  case DP_USE_MOE_DOWN: return dp_op_table_has (ops, DP_OP_FUSED_MOE);
  default: return FALSE;
  }
}

static gboolean
all_uses_are_served (const DpBackendClass *klass, guint32 uses, guint32 type)
{
  for (guint bit = 0; bit < 32; bit++)
    if ((uses >> bit & 1) && !use_is_served (klass, 1u << bit, type))
      return FALSE;
  return TRUE;
}

static DpWeight *
pack (DpBackend *backend, const DpWeightSource *source, GError **error)
{
  DpWeight *w = g_new0 (DpWeight, 1);
  w->backend = backend;
  w->uses = source->uses;
  w->n = source->n, w->rows = source->rows, w->cols = source->cols;
  w->type = source->hold;
  w->group = source->group;
  w->has_bias = source->bias != NULL;
  w->has_zeros = source->zeros != NULL;
  if (backend->klass->weight_pack (backend, w, source, error))
    return w;
  g_free (w);
  return NULL;
}

/* A weight lives where its operators run: in the back end, and also (or only) in the reference when
 * that stands in for one of them. */
DpWeight *
dp_weight_new (DpBackend *backend, const DpWeightSource *source, GError **error)
{
  const char *fault = source_fault (source);
  if (fault) {
    g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_ARGUMENT, "weight %s [%u x %u, %u]: %s", source->name ? source->name : "?", source->n,
                 source->rows, source->cols, fault);
    return NULL;
  }
  DpBackend *reference = dp_backend_fallback (backend);
  g_autoptr (GError) why = NULL;
  DpWeight *w = pack (backend, source, &why);
  gboolean native = w != NULL;
  if (!native && !(reference && g_error_matches (why, DP_OPS_ERROR, DP_OPS_ERROR_UNSUPPORTED))) {
    g_propagate_prefixed_error (error, g_steal_pointer (&why), "weight %s: ", source->name ? source->name : "?");
    return NULL;
  }
  if (!native || (reference && !all_uses_are_served (backend->klass, source->uses, source->hold))) {
    DpWeight *twin = pack (reference, source, error);
    if (!twin) {
      dp_weight_free (w);
      return NULL;
    }
    if (!native) {
      w = g_memdup2 (twin, sizeof *twin);
      w->backend = backend;
      w->impl = NULL;
      w->bytes = 0;
    }
    w->fallback = twin;
  }
  return w;
}

const char *
dp_weight_layout (DpBackend *backend)
{
  const DpBackendClass *k = backend->klass;

  if (!DP_CLASS_HAS (k, weight_layout) || !DP_CLASS_HAS (k, weight_save) || !DP_CLASS_HAS (k, weight_load))
    return NULL;
  return k->weight_layout (backend);
}

gboolean
dp_weight_save (const DpWeight *w, DpPackedWeight *packed, GError **error)
{
  if (!dp_weight_layout (w->backend) || w->fallback || !w->impl)
    return FALSE;
  return w->backend->klass->weight_save (w->backend, w, packed, error);
}

DpWeight *
dp_weight_load (DpBackend *backend, const DpWeight *like, const DpPackedWeight *packed, GError **error)
{
  if (!dp_weight_layout (backend) || !packed->size || (guintptr) packed->data % 4096) {
    g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_UNSUPPORTED, "%s: these packed weights cannot be used", backend->klass->name);
    return NULL;
  }
  DpWeight *w = g_memdup2 (like, sizeof *like);
  w->backend = backend;
  w->impl = NULL;
  w->fallback = NULL;
  w->bytes = 0;
  if (backend->klass->weight_load (backend, w, packed, error))
    return w;
  g_free (w);
  return NULL;
}

void
dp_weight_free (DpWeight *weight)
{
  if (!weight)
    return;
  if (weight->impl)
    weight->backend->klass->weight_free (weight->backend, weight);
  dp_weight_free (weight->fallback);
  g_free (weight);
}

/* ---- caches ---- */

static const char *
config_fault (const DpKvConfig *c)
{
  if (!c->n_layers || !c->page_size || !c->n_kv_heads || !c->head_dim || !c->head_dim_v)
    return "a size is 0";
  if (MAX (c->n_layers, c->n_kv_heads) > 65536 || MAX (c->head_dim, c->head_dim_v) > 65536 || c->page_size > 65536)
    return "a size is too large";
  if (!(DP_TYPE_BIT (MIN (c->type, 31)) & (DP_FLOATS | DP_TYPE_BIT (DP_I8))))
    return "its type must be f32, f16, bf16 or i8";
  if (c->v_in_k && c->head_dim_v > c->head_dim)
    return "values that live in the keys cannot be wider than them";
  return NULL;
}

static gboolean
serves_cache (const DpBackend *backend)
{
  const DpBackendClass *k = backend->klass;
  return DP_CLASS_HAS (k, kv_new) && DP_CLASS_HAS (k, kv_free) && DP_CLASS_HAS (k, kv_page_bytes) && DP_CLASS_HAS (k, kv_copy_page)
         && dp_op_table_has (k->ops, DP_OP_FILL_KV_CACHE) && dp_op_table_has (k->ops, DP_OP_PAGED_PREFILL_ATTENTION)
         && dp_op_table_has (k->ops, DP_OP_PAGED_DECODE_ATTENTION);
}

/* A cache and its three operators belong together: whoever lacks one leaves all to the reference. */
static DpBackend *
cache_owner (DpBackend *backend, const DpKvConfig *config)
{
  if (serves_cache (backend) && backend->klass->kv_page_bytes (backend, config) > 0)
    return backend;
  return dp_backend_fallback (backend);
}

gsize
dp_kv_page_bytes (DpBackend *backend, const DpKvConfig *config)
{
  DpBackend *owner = config_fault (config) ? NULL : cache_owner (backend, config);
  return owner ? owner->klass->kv_page_bytes (owner, config) : 0;
}

DpKv *
dp_kv_new (DpBackend *backend, const DpKvConfig *config, GError **error)
{
  const char *fault = config_fault (config);
  gsize total;
  if (!fault && (config->n_pages == 0 || (guint64) config->n_pages * config->page_size > G_MAXINT32))
    fault = "it must have between one page and 2^31 slots";
  DpBackend *owner = fault ? NULL : cache_owner (backend, config);
  if (!fault && !owner)
    fault = "the back end has no cache of this kind";
  if (!fault && !g_size_checked_mul (&total, owner->klass->kv_page_bytes (owner, config), config->n_pages))
    fault = "it is too large";
  if (fault) {
    g_set_error (error, DP_OPS_ERROR, owner ? DP_OPS_ERROR_MEMORY : DP_OPS_ERROR_UNSUPPORTED,
                 "%s: KV cache of %u layers, %u pages of %u tokens, %u heads of %u and %u in %s: %s", backend->klass->name,
                 config->n_layers, config->n_pages, config->page_size, config->n_kv_heads, config->head_dim, config->head_dim_v,
                 dp_type_name (config->type), fault);
    return NULL;
  }
  DpKv *kv = g_new0 (DpKv, 1);
  kv->backend = owner;
  kv->config = *config;
  if (!owner->klass->kv_new (owner, kv, error)) {
    g_free (kv);
    return NULL;
  }
  return kv;
}

void
dp_kv_free (DpKv *kv)
{
  if (kv)
    kv->backend->klass->kv_free (kv->backend, kv);
  g_free (kv);
}
