/* backends/reference/weight.c - matrices held as they came, or rounded once to the type asked for. */
#include "backends/reference/reference.h"

const RefWeight *
ref_weight (const DpWeight *weight)
{
  return weight->fallback ? weight->fallback->impl : weight->impl;
}

static float
float_at (guint32 type, const guint8 *row, guint32 i)
{
  if (type == DP_F32)
    return ((const float *) (gconstpointer) row)[i];
  guint16 half = ((const guint16 *) (gconstpointer) row)[i];
  return type == DP_F16 ? dp_f16_to_f32 (half) : dp_bf16_to_f32 (half);
}

/* Checkpoints give no alignment, so elements come through memcpy. */
static float
source_float (const DpWeightSource *s, gsize i)
{
  float f;
  guint16 half;
  if (s->type == DP_F32) {
    memcpy (&f, (const guint8 *) s->data + i * 4, 4);
    return f;
  }
  memcpy (&half, (const guint8 *) s->data + i * 2, 2);
  return s->type == DP_F16 ? dp_f16_to_f32 (half) : dp_bf16_to_f32 (half);
}

static void
convert (RefWeight *w, const DpWeightSource *s)
{
  for (gsize row = 0; row < (gsize) s->n * s->rows; row++) {
    float factor = s->row_scale ? s->row_scale[row] : 1;
    for (guint32 i = 0; i < s->cols; i++) {
      float value = source_float (s, row * s->cols + i) * factor;
      guint8 *to = w->data + row * w->row_bytes;
      if (s->hold == DP_F32)
        ((float *) (gpointer) to)[i] = value;
      else
        ((guint16 *) (gpointer) to)[i] = s->hold == DP_F16 ? dp_f32_to_f16 (value) : dp_f32_to_bf16 (value);
    }
  }
}

static float *
copy_floats (DpBackend *backend, const float *from, gsize n, gsize *bytes, gboolean *ok, GError **error)
{
  if (!from || !*ok)
    return NULL;
  float *to = ref_alloc (backend, n * sizeof *to, error);
  if (to) {
    memcpy (to, from, n * sizeof *to);
    *bytes += n * sizeof *to;
  }
  *ok = to != NULL;
  return to;
}

gboolean
ref_weight_pack (DpBackend *backend, DpWeight *weight, const DpWeightSource *s, GError **error)
{
  gsize matrix_rows = (gsize) s->n * s->rows;
  RefWeight *w = g_new0 (RefWeight, 1);
  gboolean quantised = s->hold == DP_I8 || s->hold == DP_I4, ok;
  w->row_bytes = s->hold == DP_I4 ? ((gsize) s->cols + 1) / 2 : s->cols * dp_type_size (s->hold);
  if (quantised)
    w->groups = s->group ? (guint32) (((guint64) s->cols + s->group - 1) / s->group) : 1;
  weight->impl = w;
  weight->bytes = matrix_rows * w->row_bytes;
  ref_enter (backend);
  w->data = ref_alloc (backend, weight->bytes, error);
  ok = w->data != NULL;
  if (ok && quantised)
    memcpy (w->data, s->data, s->data_size);
  else if (ok)
    convert (w, s);
  w->scales = copy_floats (backend, s->scales, matrix_rows * w->groups, &weight->bytes, &ok, error);
  w->zeros = copy_floats (backend, s->zeros, matrix_rows * w->groups, &weight->bytes, &ok, error);
  w->bias = copy_floats (backend, s->bias, matrix_rows, &weight->bytes, &ok, error);
  ref_leave (backend);
  if (!ok) {
    ref_weight_free (backend, weight);
    weight->impl = NULL;
  }
  return ok;
}

void
ref_weight_free (DpBackend *backend, DpWeight *weight)
{
  RefWeight *w = weight->impl;
  ref_free (backend, w->data);
  ref_free (backend, w->scales);
  ref_free (backend, w->zeros);
  ref_free (backend, w->bias);
  g_free (w);
}

void
ref_weight_row (const DpWeight *weight, guint32 matrix, guint32 row, float *out)
{
  const RefWeight *w = ref_weight (weight);
  gsize at = (gsize) matrix * weight->rows + row;
  const guint8 *data = w->data + at * w->row_bytes;
  guint32 group = weight->group ? weight->group : weight->cols;
  for (guint32 i = 0; i < weight->cols; i++) {
    if (!w->groups) {
      out[i] = float_at (weight->type, data, i);
      continue;
    }
    gsize g = at * w->groups + i / group;
    float q = weight->type == DP_I8 ? ((const gint8 *) data)[i] : (float) (data[i / 2] >> (i % 2 * 4) & 15);
    float zero = w->zeros ? w->zeros[g] : weight->type == DP_I4 ? 8 : 0;
    out[i] = (q - zero) * w->scales[g];
  }
}

float
ref_weight_bias (const DpWeight *weight, guint32 matrix, guint32 row)
{
  const RefWeight *w = ref_weight (weight);
  return w->bias ? w->bias[(gsize) matrix * weight->rows + row] : 0;
}
