/* ops/step.c - the step-input buffer: everything that changes between replays, in one block. */
#include "ops/private.h"

struct DpStep {
  DpBuffer *buffer;
  guint8 *host;
  gsize size;
  guint n_fields;
  DpStepField *fields; /* names not kept */
  DpTensor *tensors;
};

DpStep *
dp_step_new (DpBackend *backend, const DpStepField *fields, guint n_fields, GError **error)
{
  g_autoptr (DpStep) step = g_new0 (DpStep, 1);
  step->n_fields = n_fields;
  step->fields = g_memdup2 (fields, sizeof *fields * n_fields);
  step->tensors = g_new0 (DpTensor, MAX (n_fields, 1));
  for (guint i = 0; i < n_fields; i++) {
    const DpStepField *f = &fields[i];
    guint64 bytes = (guint64) f->rows * f->cols;
    if ((f->type != DP_I32 && f->type != DP_F32) || !bytes || bytes > G_MAXINT32 / 4 || step->size > G_MAXINT32) {
      g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_ARGUMENT, "step input %s [%u, %u]: must be i32 or f32, not empty, below 2 GB", f->name,
                   f->rows, f->cols);
      return NULL;
    }
    step->tensors[i] = dp_tensor (NULL, step->size, f->type, f->rows, f->cols);
    step->size += (bytes * 4 + DP_ALIGN - 1) / DP_ALIGN * DP_ALIGN;
  }
  step->buffer = dp_buffer_new (backend, MAX (step->size, DP_ALIGN), error);
  if (!step->buffer)
    return NULL;
  step->host = g_malloc0 (step->buffer->size);
  for (guint i = 0; i < n_fields; i++)
    step->tensors[i].buffer = step->buffer;
  dp_step_reset (step);
  return g_steal_pointer (&step);
}

void
dp_step_free (DpStep *step)
{
  if (!step)
    return;
  dp_buffer_free (step->buffer);
  g_free (step->host);
  g_free (step->fields);
  g_free (step->tensors);
  g_free (step);
}

DpTensor
dp_step_tensor (const DpStep *step, guint field)
{
  g_return_val_if_fail (field < step->n_fields, (DpTensor){ 0 });
  return step->tensors[field];
}

gint32 *
dp_step_i32 (DpStep *step, guint field)
{
  g_return_val_if_fail (field < step->n_fields && step->fields[field].type == DP_I32, NULL);
  return (gint32 *) (gpointer) (step->host + step->tensors[field].offset);
}

float *
dp_step_f32 (DpStep *step, guint field)
{
  g_return_val_if_fail (field < step->n_fields && step->fields[field].type == DP_F32, NULL);
  return (float *) (gpointer) (step->host + step->tensors[field].offset);
}

void
dp_step_reset (DpStep *step)
{
  for (guint i = 0; i < step->n_fields; i++) {
    const DpStepField *f = &step->fields[i];
    gsize n = (gsize) f->rows * f->cols;
    if (f->type == DP_I32)
      for (gsize j = 0; j < n; j++)
        dp_step_i32 (step, i)[j] = (gint32) f->padding;
    else
      for (gsize j = 0; j < n; j++)
        dp_step_f32 (step, i)[j] = (float) f->padding;
  }
}

void
dp_step_send (DpStream *stream, DpStep *step, gpointer lowered)
{
  DpTensor all = dp_tensor (step->buffer, 0, DP_U8, 1, (guint32) step->buffer->size);
  dp_stream_upload (stream, &all, step->host, step->buffer->size);
  DpQueue *queue = dp_stream_queue (stream);
  const DpBackendClass *k = step->buffer->backend->klass;
  GError *error = NULL;
  if (dp_stream_failed (stream) || !queue || !DP_CLASS_HAS (k, graph_step))
    return;
  if (!k->graph_step (queue, lowered, step->buffer, step->host, step->buffer->size, &error))
    dp_stream_fail (stream, error);
}

void
dp_step_upload (DpStream *stream, DpStep *step)
{
  dp_step_send (stream, step, NULL);
}
