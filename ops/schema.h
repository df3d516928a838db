/* ops/schema.h - the arguments of each operator as a table: where its tensors are, what may alias.
 *
 * The checker, the recorder, the planner and the trace walk these tables instead of knowing 34
 * structs.  Internal to ops/; a back end that lowers graphs may read it too.
 */
#pragma once

#include "ops/backend.h"

G_BEGIN_DECLS

typedef enum {
  DP_ROLE_IN,
  DP_ROLE_OUT,
  DP_ROLE_INOUT,
  DP_ROLE_WEIGHT, /* const DpWeight * */
  DP_ROLE_KV_IN,  /* const DpKv *, read */
  DP_ROLE_KV_OUT, /* DpKv *, written */
} DpRole;

typedef struct {
  const char *name;
  guint16 offset;     /* of the field in the args struct */
  guint8 role;        /* DpRole */
  guint8 optional;    /* tensors only */
  guint32 types;      /* DP_TYPE_BIT set; for weights of what it may be held as */
  const char *may_be; /* the argument an output may be the same view as; NULL: none */
  guint32 uses;       /* weights: the DpWeightUse it must have been packed for */
} DpField;

typedef struct {
  const char *name;
  gsize args_size;
  const DpField *fields;
  guint n_fields;
} DpSchema;

const DpSchema *dp_schema (DpOp op);
/* The layer of a call that has a cache. */
guint32 dp_call_layer (DpOp op, const void *args);

static inline DpTensor *
dp_field_tensor (const DpField *field, const void *args)
{
  return field->role <= DP_ROLE_INOUT ? (DpTensor *) ((char *) args + field->offset) : NULL;
}

static inline const DpWeight *
dp_field_weight (const DpField *field, const void *args)
{
  return field->role == DP_ROLE_WEIGHT ? *(const DpWeight *const *) ((const char *) args + field->offset) : NULL;
}

static inline DpKv *
dp_field_kv (const DpField *field, const void *args)
{
  return field->role >= DP_ROLE_KV_IN ? *(DpKv *const *) ((const char *) args + field->offset) : NULL;
}

/* Whether two views share a byte.  Exact when both have the same distance between rows (column ranges of one
 * buffer do not overlap), else by the span they cover. */
gboolean dp_tensor_overlap (const DpTensor *a, const DpTensor *b);
/* Whether both are the same view. */
gboolean dp_tensor_same (const DpTensor *a, const DpTensor *b);

/* Checks a call against its contract (ops/check.c): FALSE and DP_OPS_ERROR_ARGUMENT with operator, argument and reason.
 * backend is the stream's. */
gboolean dp_check_call (const DpBackend *backend, DpOp op, const void *args, GError **error);

/* Multiply-adds count two; lengths that live on the device count with their upper bound (ops/cost.c). */
double dp_call_flop (DpOp op, const void *args);
/* Bytes of all tensors, weights and cache the call touches, each once. */
double dp_call_bytes (DpOp op, const void *args);

G_END_DECLS
