/* backends/reference/kv.c - the paged cache: rows in the order layer, page, place in page; heads in the columns. */
#include "backends/reference/reference.h"

gsize
ref_kv_page_bytes (G_GNUC_UNUSED DpBackend *backend, const DpKvConfig *c)
{
  gsize dims = (gsize) c->head_dim + (c->v_in_k ? 0 : c->head_dim_v), scales = c->type == DP_I8 ? (c->v_in_k ? 4 : 8) : 0;
  gsize head = dims * dp_type_size (c->type) + scales, bytes = (gsize) c->n_layers * c->page_size * c->n_kv_heads;
  return head < G_MAXSIZE / bytes ? head * bytes : 0;
}

gboolean
ref_kv_new (DpBackend *backend, DpKv *kv, GError **error)
{
  const DpKvConfig *c = &kv->config;
  gsize rows = (gsize) c->n_layers * c->n_pages * c->page_size, type = dp_type_size (c->type);
  if (rows > G_MAXINT32) {
    g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_MEMORY, "reference: a cache of more than 2^31 tokens over all layers is not possible");
    return FALSE;
  }
  RefKv *r = g_new0 (RefKv, 1);
  guint32 n = (guint32) rows, k_cols = c->n_kv_heads * c->head_dim, v_cols = c->v_in_k ? 0 : c->n_kv_heads * c->head_dim_v;
  gsize scale_bytes = c->type == DP_I8 ? rows * c->n_kv_heads * 4 : 0; /* scales first: they want alignment */
  r->memory.size = ref_kv_page_bytes (backend, c) * c->n_pages;
  r->memory.host = ref_alloc (backend, r->memory.size, error);
  if (!r->memory.host) {
    g_free (r);
    return FALSE;
  }
  r->k_scale = dp_tensor (&r->memory, 0, DP_F32, n, c->n_kv_heads);
  r->v_scale = dp_tensor (&r->memory, c->v_in_k ? 0 : scale_bytes, DP_F32, n, c->n_kv_heads);
  gsize start = scale_bytes * (c->v_in_k ? 1 : 2);
  r->k = dp_tensor (&r->memory, start, c->type, n, k_cols);
  r->v = dp_tensor (&r->memory, start + rows * k_cols * type, c->type, n, v_cols);
  kv->impl = r;
  return TRUE;
}

void
ref_kv_free (DpBackend *backend, DpKv *kv)
{
  RefKv *r = kv->impl;
  ref_free (backend, r->memory.host);
  g_free (r);
}

static guint32
first_row (const DpKvConfig *c, guint32 layer, guint32 page)
{
  return (layer * c->n_pages + page) * c->page_size;
}

static void
copy_rows (const DpTensor *t, guint32 from, guint32 to, guint32 n)
{
  memcpy (dp_tensor_row (t, to), dp_tensor_row (t, from), (gsize) n * t->cols * dp_type_size (t->type));
}

gboolean
ref_kv_copy_page (DpQueue *queue, DpKv *kv, guint32 from, guint32 to, G_GNUC_UNUSED GError **error)
{
  const DpKvConfig *c = &kv->config;
  const RefKv *r = kv->impl;
  ref_enter (queue->backend);
  for (guint32 layer = 0; layer < c->n_layers && from != to; layer++) {
    guint32 source = first_row (c, layer, from), target = first_row (c, layer, to);
    copy_rows (&r->k, source, target, c->page_size);
    if (!c->v_in_k)
      copy_rows (&r->v, source, target, c->page_size);
    if (c->type == DP_I8) {
      copy_rows (&r->k_scale, source, target, c->page_size);
      copy_rows (&r->v_scale, source, target, c->v_in_k ? 0 : c->page_size);
    }
  }
  ref_leave (queue->backend);
  return TRUE;
}

float
ref_kv_k (const DpKv *kv, guint32 row, guint32 head, guint32 d)
{
  const RefKv *r = kv->impl;
  float value = ref_get (&r->k, row, head * kv->config.head_dim + d);
  return kv->config.type == DP_I8 ? value * ref_get (&r->k_scale, row, head) : value;
}

float
ref_kv_v (const DpKv *kv, guint32 row, guint32 head, guint32 d)
{
  const RefKv *r = kv->impl;
  if (kv->config.v_in_k)
    return ref_kv_k (kv, row, head, d);
  float value = ref_get (&r->v, row, head * kv->config.head_dim_v + d);
  return kv->config.type == DP_I8 ? value * ref_get (&r->v_scale, row, head) : value;
}

gboolean
ref_kv_row (const DpKv *kv, guint32 layer, const DpTensor *block_table, guint32 sequence, guint32 j, guint32 *row)
{
  const DpKvConfig *c = &kv->config;
  gint32 page = ref_int (block_table, sequence, j / c->page_size);
  *row = page < 0 ? 0 : first_row (c, layer, (guint32) page) + j % c->page_size;
  return page >= 0 && (guint32) page < c->n_pages;
}

/* One token's heads into a cache row. */
static void
put (const DpTensor *from, guint32 token, const DpTensor *to, const DpTensor *scale, guint32 row, guint32 heads, float *x)
{
  guint32 dim = from->cols / heads;
  ref_row (from, token, x);
  for (guint32 head = 0; head < heads; head++) {
    if (to->type == DP_I8)
      ref_set (scale, row, head, ref_quantise (x + head * dim, dim, (gint8 *) dp_tensor_row (to, row) + head * dim));
    else
      for (guint32 d = 0; d < dim; d++)
        ref_set (to, row, head * dim + d, x[head * dim + d]);
  }
}

gboolean
ref_fill_kv_cache (G_GNUC_UNUSED DpQueue *queue, const DpFillKvCacheArgs *a, const DpWorkspace *workspace, GError **error)
{
  const DpKvConfig *c = &a->kv->config;
  const RefKv *r = a->kv->impl;
  for (guint32 t = 0; t < a->k.rows; t++) {
    gint32 slot = ref_int (&a->slots, t, 0);
    if (slot < 0)
      continue;
    if ((guint64) slot >= (guint64) c->n_pages * c->page_size)
      return ref_bad_index (error, "fill_kv_cache", "slot", slot, (gint64) c->n_pages * c->page_size);
    guint32 row = first_row (c, a->layer, 0) + (guint32) slot;
    put (&a->k, t, &r->k, &r->k_scale, row, c->n_kv_heads, ref_floats (workspace));
    if (!c->v_in_k)
      put (&a->v, t, &r->v, &r->v_scale, row, c->n_kv_heads, ref_floats (workspace));
  }
  return TRUE;
}
