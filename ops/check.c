/* ops/check.c - every call is held against its contract before a back end sees it.
 *
 * First what the table of arguments can tell (presence, types, bounds, aliasing), then how shapes and
 * numbers hang together (ops/check_args.c).
 */
#include "ops/private.h"
#include "ops/schema.h"

#define NEED(condition, sentence)                                                                                                          \
  do {                                                                                                                                     \
    if (!(condition))                                                                                                                      \
      return sentence;                                                                                                                     \
  } while (0)

static const char *
check_tensor (const DpBackend *backend, const DpField *field, const DpTensor *t)
{
  if (!t->buffer)
    return field->optional ? NULL : "is missing";
  gsize element = dp_type_size (t->type);
  NEED (t->type < DP_N_TYPES && element && (field->types & DP_TYPE_BIT (t->type)), "has a type this operator does not take");
  NEED (t->rows >= 1 && t->cols >= 1 && t->rows <= G_MAXINT32 && t->stride <= G_MAXINT32, "is empty or too large");
  NEED (t->stride >= t->cols, "has a stride smaller than its columns");
  NEED (t->offset % element == 0 && t->offset <= t->buffer->size, "starts outside its buffer or between elements");
  NEED ((guint64) (t->rows - 1) * t->stride + t->cols <= (t->buffer->size - t->offset) / element, "reaches beyond the end of its buffer");
  NEED (t->buffer->backend == backend, "lives in another back end's memory");
  return NULL;
}

static const char *
check_object (const DpBackend *backend, const DpField *field, const void *args)
{
  if (field->role == DP_ROLE_WEIGHT) {
    const DpWeight *w = dp_field_weight (field, args);
    NEED (w, "is missing");
    NEED (w->backend == backend, "was packed by another back end");
    NEED (field->types & DP_TYPE_BIT (w->type), "is held as a type this operator does not take");
    NEED ((w->uses & field->uses) == field->uses, "was not packed for this use");
    return NULL;
  }
  const DpKv *kv = dp_field_kv (field, args);
  NEED (kv, "is missing");
  NEED (kv->backend == backend || kv->backend == dp_backend_fallback (backend), "belongs to another back end");
  return NULL;
}

/* The argument that an output must not share memory with, or NULL. */
static const char *
check_alias (const DpSchema *schema, const DpField *out, const void *args)
{
  const DpTensor *o = dp_field_tensor (out, args);
  for (guint i = 0; i < schema->n_fields; i++) {
    const DpField *other = &schema->fields[i];
    const DpTensor *t = dp_field_tensor (other, args);
    if (!t || other == out || !dp_tensor_overlap (o, t))
      continue;
    if (out->may_be && g_str_equal (out->may_be, other->name) && dp_tensor_same (o, t))
      continue;
    if (other->may_be && g_str_equal (other->may_be, out->name)) /* judged from the other side */
      continue;
    return other->name;
  }
  return NULL;
}

/* "x [4, 64] f32, weight [1, 64] bf16": present arguments and their shapes. */
char *
dp_call_describe (DpOp op, const void *args)
{
  const DpSchema *schema = dp_schema (op);
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < schema->n_fields; i++) {
    const DpField *field = &schema->fields[i];
    const DpTensor *t = dp_field_tensor (field, args);
    const DpWeight *w = dp_field_weight (field, args);
    if (!(t && t->buffer) && !w)
      continue;
    if (text->len)
      g_string_append (text, ", ");
    if (t)
      g_string_append_printf (text, "%s [%u, %u] %s", field->name, t->rows, t->cols, dp_type_name (t->type));
    else if (w->n > 1)
      g_string_append_printf (text, "%s [%u, %u, %u] %s", field->name, w->n, w->rows, w->cols, dp_type_name (w->type));
    else
      g_string_append_printf (text, "%s [%u, %u] %s", field->name, w->rows, w->cols, dp_type_name (w->type));
  }
  return g_string_free (text, FALSE);
}

static gboolean
refuse (DpOp op, const void *args, const char *argument, const char *sentence, GError **error)
{
  g_autofree char *shapes = dp_call_describe (op, args);
  g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_ARGUMENT, "%s: %s%s%s (%s)", dp_op_name (op), argument ? argument : "",
               argument ? " " : "", sentence, shapes);
  return FALSE;
}

gboolean
dp_check_call (const DpBackend *backend, DpOp op, const void *args, GError **error)
{
  const DpSchema *schema = dp_schema (op);
  for (guint i = 0; i < schema->n_fields; i++) {
    const DpField *field = &schema->fields[i];
    const DpTensor *t = dp_field_tensor (field, args);
    const char *wrong = t ? check_tensor (backend, field, t) : check_object (backend, field, args);
    if (wrong)
      return refuse (op, args, field->name, wrong, error);
  }
  for (guint i = 0; i < schema->n_fields; i++) {
    const DpField *field = &schema->fields[i];
    if (field->role != DP_ROLE_OUT && field->role != DP_ROLE_INOUT)
      continue;
    const char *other = check_alias (schema, field, args);
    if (other) {
      g_autofree char *sentence = g_strdup_printf ("shares memory with %s, which this operator does not allow", other);
      return refuse (op, args, field->name, sentence, error);
    }
  }
  const char *wrong = dp_check_operator (op, args);
  return wrong ? refuse (op, args, NULL, wrong, error) : TRUE;
}
