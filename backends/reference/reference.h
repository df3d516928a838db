/* backends/reference/reference.h - the definition of every operator, in scalar f32.
 *
 * Written to be read beside ops/ops.h, not to be fast: one small file per group, elements fetched one
 * at a time through ref_get/ref_set.  Other back ends are measured against it.  It also checks what
 * nobody else can: the values inside index tensors.
 */
#pragma once

#include "ops/backend.h"

#include <math.h>
#include <string.h>

G_BEGIN_DECLS

/* ---- memory (memory.c) ----
 * All memory of a back end object.  With strict_memory it is readable only while an operator, a copy or a packing
 * runs, so that code which reaches behind the interface crashes. */
typedef struct {
  GMutex mutex;
  gboolean strict;
  guint open;        /* operators running now */
  GPtrArray *blocks; /* Block *, strict only */
} RefMemory;

RefMemory *ref_memory (const DpBackend *backend);
gpointer ref_alloc (DpBackend *backend, gsize size, GError **error); /* DP_ALIGN aligned, zeroed */
void ref_free (DpBackend *backend, gpointer memory);
void ref_enter (DpBackend *backend);
void ref_leave (DpBackend *backend);

/* ---- weights (weight.c) ---- */
typedef struct {
  guint8 *data; /* n * rows rows of row_bytes, as type says (i8 and i4 as given) */
  gsize row_bytes;
  guint32 groups;               /* scales per row; 0: none */
  float *scales, *zeros, *bias; /* n*rows*groups, n*rows*groups or NULL, n*rows or NULL */
} RefWeight;

/* What the reference packed: its own weight, or its twin of another back end's. */
const RefWeight *ref_weight (const DpWeight *weight);
/* Row `row` of matrix `matrix` as f32 into out[cols]. */
void ref_weight_row (const DpWeight *weight, guint32 matrix, guint32 row, float *out);
float ref_weight_bias (const DpWeight *weight, guint32 matrix, guint32 row);

/* ---- cache (kv.c) ---- */
typedef struct {
  DpBuffer memory;           /* shell around one block, so that tensors can point into it */
  DpTensor k, v;             /* [layers*pages*page_size, n_kv_heads*dim] of the cache's type */
  DpTensor k_scale, v_scale; /* [same rows, n_kv_heads] f32, i8 only */
} RefKv;

/* Element d of head `head` in a cache row; rows from ref_kv_row. */
float ref_kv_k (const DpKv *kv, guint32 row, guint32 head, guint32 d);
float ref_kv_v (const DpKv *kv, guint32 row, guint32 head, guint32 d);
/* Row of key position j of a sequence whose block table row is given; FALSE if its page is not in the cache. */
gboolean ref_kv_row (const DpKv *kv, guint32 layer, const DpTensor *block_table, guint32 sequence, guint32 j, guint32 *row);

/* ---- elements ---- */

static inline float
ref_get (const DpTensor *t, guint32 row, guint32 col)
{
  const guint8 *p = (const guint8 *) dp_tensor_row (t, row) + (gsize) col * dp_type_size (t->type);
  switch (t->type) {
  case DP_F32: return *(const float *) (gconstpointer) p;
  case DP_F16: return dp_f16_to_f32 (*(const guint16 *) (gconstpointer) p);
  case DP_BF16: return dp_bf16_to_f32 (*(const guint16 *) (gconstpointer) p);
  case DP_I32: return (float) *(const gint32 *) (gconstpointer) p;
  case DP_I8: return *(const gint8 *) p;
  default: return *p;
  }
}

/* For float tensors; rounds once. */
static inline void
ref_set (const DpTensor *t, guint32 row, guint32 col, float value)
{
  guint8 *p = (guint8 *) dp_tensor_row (t, row) + (gsize) col * dp_type_size (t->type);
  switch (t->type) {
  case DP_F16: *(guint16 *) (gpointer) p = dp_f32_to_f16 (value); break;
  case DP_BF16: *(guint16 *) (gpointer) p = dp_f32_to_bf16 (value); break;
  default: *(float *) (gpointer) p = value; break;
  }
}

static inline gint32
ref_int (const DpTensor *t, guint32 row, guint32 col)
{
  return ((const gint32 *) dp_tensor_row (t, row))[col];
}

static inline void
ref_set_int (const DpTensor *t, guint32 row, guint32 col, gint32 value)
{
  ((gint32 *) dp_tensor_row (t, row))[col] = value;
}

/* The row as f32, fetched once. */
static inline void
ref_row (const DpTensor *t, guint32 row, float *out)
{
  for (guint32 i = 0; i < t->cols; i++)
    out[i] = ref_get (t, row, i);
}

static inline float
ref_dot (const float *a, const float *b, guint32 n)
{
  float sum = 0;
  for (guint32 i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* The floats of a workspace. */
static inline float *
ref_floats (const DpWorkspace *w)
{
  return (float *) (gpointer) (w->buffer->host + w->offset);
}

float ref_act (guint32 act, float z); /* DpAct; activation.c */
/* x / sqrt (mean (x^2) + eps) * weight over n elements of a row; norm.c */
void ref_rms (const float *x, const DpTensor *weight, guint32 n, float eps, float *y);
/* Quantises a row: ops.h, dynamic_quant; quant.c */
float ref_quantise (const float *x, guint32 n, gint8 *q);
/* softcap c > 0: c tanh (l / c) */
static inline float
ref_softcap (float l, float c)
{
  return c > 0 ? c * tanhf (l / c) : l;
}

/* The lowest index of the largest of n logits, NaN left out (0 if all are NaN).  logprob: its log softmax, NaN if any
 * logit is NaN or the largest is not finite.  margin: largest minus second largest, infinity if n = 1.  sample.c */
gint32 ref_best (const float *logits, guint32 n, float *logprob, float *margin);

/* An index out of range: FALSE with operator and value. */
gboolean ref_bad_index (GError **error, const char *op, const char *what, gint64 value, gint64 limit);
/* Checks lengths of packed sequences against the rows there are; *n_rows: rows that belong to a sequence. */
gboolean ref_check_cu_seqlens (const DpTensor *cu_seqlens, guint32 max_seqlen, guint32 rows, const char *op, guint32 *n_rows,
                               GError **error);

#define X(id, name, NAME, Name)                                                                                                            \
  gboolean ref_##name (DpQueue *queue, const Dp##Name##Args *args, const DpWorkspace *workspace, GError **error);
DP_OPS (X)
#undef X
gsize ref_workspace (DpBackend *backend, DpOp op, const void *args);

gboolean ref_weight_pack (DpBackend *backend, DpWeight *weight, const DpWeightSource *source, GError **error);
void ref_weight_free (DpBackend *backend, DpWeight *weight);
gsize ref_kv_page_bytes (DpBackend *backend, const DpKvConfig *config);
gboolean ref_kv_new (DpBackend *backend, DpKv *kv, GError **error);
void ref_kv_free (DpBackend *backend, DpKv *kv);
gboolean ref_kv_copy_page (DpQueue *queue, DpKv *kv, guint32 from, guint32 to, GError **error);

G_END_DECLS
