/* vlm/engine_prefill.c - pictures and prompts into the cache, a chunk at a time. */
#include "vlm/engine_private.h"

#include "vlm/vision.h"

DpTensor
dp_engine_embeddings (const DpEngine *e, const DpQuestion *q)
{
  return dp_tensor (q->embeddings, 0, dp_model_activations (e->model), q->prompt.n_image, e->config->text.hidden);
}

static gboolean
encode (DpEngine *e, DpQuestion *q, GError **error)
{
  const gint64 begin = g_get_monotonic_time ();
  const gsize size = (gsize) q->prompt.n_image * e->config->text.hidden * dp_type_size (dp_model_activations (e->model));
  DpPatches patches;

  if (!dp_image_patches (q->image, &e->config->image, &patches, error))
    return FALSE;
  const guint32 n = patches.n;
  q->embeddings = dp_buffer_new (e->backend, size, error);
  gboolean ok = q->embeddings != NULL;
  if (ok) {
    dp_vision_encode (e->model, e->stream, &patches, dp_engine_embeddings (e, q));
    ok = dp_stream_sync (e->stream, error);
  }
  dp_patches_clear (&patches);
  pthread_mutex_lock (&e->lock);
  e->stats.images++;
  e->stats.patches += n;
  e->stats.vision_us += g_get_monotonic_time () - begin;
  pthread_mutex_unlock (&e->lock);
  return ok;
}

/* ---- a call ---- */

typedef struct {
  guint32 n;        /* parts */
  guint32 rows;     /* of all parts */
  guint32 images;   /* rows of pictures among them */
  gboolean encoded; /* a picture, for this call */
} Call;

/* Whether rows first .. first + n - 1 of the prompt meet its picture: which of the picture's rows, and where. */
static guint32
image_rows (const DpPrompt *p, guint32 first, guint32 n, guint32 *from)
{
  const guint32 begin = MAX (first, p->image), end = MIN (first + n, p->image + p->n_image);

  *from = begin - p->image;
  return begin < end ? end - begin : 0;
}

static void
add_part (DpEngine *e, Call *call, DpQuestion *q, guint32 n)
{
  const DpPrompt *p = &q->prompt;
  DpDecoderPart *part = &e->parts[call->n];
  guint32 from, k = image_rows (p, q->cached, n, &from);

  *part = (DpDecoderPart){ .n = n,
                           .kv_len = q->cached + n,
                           .tokens = p->tokens + q->cached,
                           .positions = p->positions + (gsize) q->cached * p->axes,
                           .pages = (const guint32 *) (gpointer) q->pages->data };
  if (k) {
    part->images = dp_tensor_rows (dp_engine_embeddings (e, q), from, k);
    part->image_at = e->image_at + call->images;
    for (guint32 i = 0; i < k; i++)
      e->image_at[call->images++] = (gint32) (p->image + from + i - q->cached);
  }
  dp_engine_choice (q, &e->choices[call->n]);
  e->called[call->n++] = q;
  call->rows += n;
}

/* What of q's prompt goes into the call.  FALSE: it has to wait for the next one, as its picture has to be encoded and that
 * takes longer than a chunk: those that decode should not wait for several. */
static gboolean
add_chunk (DpEngine *e, Call *call, DpQuestion *q)
{
  const guint32 n = MIN (q->prompt.n - q->cached, e->o.prefill_chunk - call->rows);
  guint32 from;
  g_autoptr (GError) error = NULL;

  if (image_rows (&q->prompt, q->cached, n, &from) && !q->embeddings) {
    if (call->encoded)
      return FALSE;
    call->encoded = TRUE;
    if (!encode (e, q, &error)) {
      if (g_atomic_int_get (&e->stop))
        return FALSE;
      dp_engine_finish (e, q, DP_FINISH_FAILED, error);
      return TRUE;
    }
  }
  add_part (e, call, q, n);
  return TRUE;
}

/* The prompts that are not in the cache yet, in order, until the chunk is full. */
static void
collect (DpEngine *e, Call *call)
{
  for (guint i = 0; i < e->running->len && call->rows < e->o.prefill_chunk;) {
    DpQuestion *q = e->running->pdata[i];
    if (!dp_question_prefilled (q) && !add_chunk (e, call, q))
      return;
    i += i < e->running->len && e->running->pdata[i] == q; /* else it failed, and the next one has moved up */
  }
}

/* TRUE where the prompt's end is in this call and its first token is still to be chosen. */
static gboolean
wants_token (const DpQuestion *q, const DpDecoderPart *part)
{
  return part->kv_len == q->prompt.n && q->history->len == q->prompt.n;
}

static void
settle (DpEngine *e, const Call *call)
{
  for (guint32 i = 0; i < call->n; i++) {
    DpQuestion *q = e->called[i];
    q->cached = e->parts[i].kv_len;
    dp_engine_publish (e, q);
    if (dp_question_prefilled (q))
      g_clear_pointer (&q->embeddings, dp_buffer_free);
    if (wants_token (q, &e->parts[i]))
      dp_engine_accept (e, q, &e->chosen[i]);
  }
}

void
dp_engine_prefill (DpEngine *e)
{
  g_autoptr (GError) error = NULL;
  Call call = { 0 };
  gboolean choose = FALSE, ok;

  collect (e, &call);
  if (!call.n)
    return;
  const gint64 begin = g_get_monotonic_time ();
  const DpTensor hidden = dp_tensor (e->hidden, 0, dp_model_activations (e->model), call.n, e->config->text.hidden);
  dp_decoder_prefill (e->decoder, e->parts, call.n, hidden);
  for (guint32 i = 0; i < call.n; i++) {
    if (wants_token (e->called[i], &e->parts[i]))
      choose = TRUE;
    else /* its row is in the way: chosen, and not looked at */
      e->choices[i] = (DpChoice){ .top_p = 1, .repetition = 1 };
  }
  ok = choose ? dp_decoder_choose (e->decoder, hidden, e->choices, call.n, e->chosen, &error) : dp_stream_sync (e->stream, &error);
  pthread_mutex_lock (&e->lock);
  e->stats.prefilled_tokens += call.rows;
  e->stats.prefill_us += g_get_monotonic_time () - begin;
  pthread_mutex_unlock (&e->lock);
  if (ok)
    settle (e, &call);
  else
    dp_engine_fail_call (e, call.n, error);
}
