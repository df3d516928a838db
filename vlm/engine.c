/* vlm/engine.c - asking and waiting, and the round of the engine's thread; the header says what for, engine_private.h what is where. */
#include "vlm/engine_private.h"

#include "vlm/error.h"
#include "vlm/vision.h"

#include <math.h>
#include <string.h>

/* ---- asking ---- */

static gboolean
refuse (GError **error, const char *message)
{
  g_set_error_literal (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT, message);
  return FALSE;
}

static gboolean
check_sampling (const DpSampling *s, GError **error)
{
  if (!isfinite (s->temperature) || !(s->top_p > 0 && s->top_p <= 1) || !(s->min_p >= 0 && s->min_p <= 1))
    return refuse (error, "Sampling needs a finite temperature, top_p above 0 up to 1 and min_p from 0 to 1");
  if (!(s->repetition > 0) || !isfinite (s->repetition) || !isfinite (s->presence) || !isfinite (s->frequency))
    return refuse (error, "Sampling needs a repetition penalty above 0 (1 is off) and finite penalties");
  return TRUE;
}

/* The grid of the patches of a picture of so many pixels. */
static gboolean
measure (const DpEngine *e, int width, int height, guint32 grid[3], GError **error)
{
  const DpImageConfig *c = &e->config->image;
  int w, h;

  if (!dp_smart_resize (width, height, c->patch * c->merge, c->min_pixels, c->max_pixels, &w, &h, error))
    return FALSE;
  grid[0] = 1;
  grid[1] = (guint32) h / c->patch;
  grid[2] = (guint32) w / c->patch;
  const gsize need = dp_engine_picture_bytes (e, grid[1] * grid[2], dp_vision_rows (e->model, grid));
  if (need <= e->vision_budget)
    return TRUE;
  g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT,
               "A picture of %u x %u patches takes %" G_GSIZE_FORMAT " MB to encode, and the memory budget of %" G_GUINT64_FORMAT
               " MB leaves %" G_GSIZE_FORMAT " for it: give a larger one (--memory-budget)",
               grid[2], grid[1], need >> 20, e->o.memory_budget >> 20, e->vision_budget >> 20);
  return FALSE;
}

static gboolean
check_picture (const DpEngine *e, DpQuestion *q, GError **error)
{
  if (!e->config->vision.depth)
    return refuse (error, "This model reads text only, and the question has a picture");
  if (cairo_surface_status (q->image) || cairo_surface_get_type (q->image) != CAIRO_SURFACE_TYPE_IMAGE
      || cairo_image_surface_get_format (q->image) != CAIRO_FORMAT_RGB24 || cairo_image_surface_get_width (q->image) < 1
      || cairo_image_surface_get_height (q->image) < 1)
    return refuse (error, "The picture is empty or not an RGB24 surface");
  return measure (e, cairo_image_surface_get_width (q->image), cairo_image_surface_get_height (q->image), q->grid, error);
}

/* A question of n tokens leaves room for an answer. */
static gboolean
check_length (const DpEngine *e, guint32 n, GError **error)
{
  if (n < e->o.max_len)
    return TRUE;
  g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT, "The question has %u tokens, and with its answer it may have %u", n, e->o.max_len);
  return FALSE;
}

gboolean
dp_engine_can_see (const DpEngine *e, int width, int height, GError **error)
{
  guint32 grid[3];

  if (!e->config->vision.depth)
    return refuse (error, "This model reads text only");
  return measure (e, width, height, grid, error) && check_length (e, dp_vision_rows (e->model, grid), error);
}

static void
mark (DpQuestion *q)
{
  const DpPrompt *p = &q->prompt;

  q->marks = g_new (DpKvMark, p->n);
  for (guint32 i = 0; i < p->n; i++)
    q->marks[i]
        = i >= p->image && i < p->image + p->n_image ? dp_kv_mark_private (q->serial, i - p->image) : dp_kv_mark_token (p->tokens[i]);
}

static gboolean
prepare (const DpEngine *e, const DpRequest *r, DpQuestion *q, GError **error)
{
  const guint32 merge = MAX (e->config->vision.merge, 1);

  if (!r->prompt || !g_utf8_validate (r->prompt, -1, NULL))
    return refuse (error, "The question is not UTF-8 text");
  if (!check_sampling (&r->sampling, error) || (q->image && !check_picture (e, q, error))
      || !dp_prompt_build (e->config, dp_model_tokenizer (e->model), dp_model_chat (e->model), r->prompt, q->grid[1] / merge,
                           q->grid[2] / merge, &q->prompt, error))
    return FALSE;
  if (!check_length (e, q->prompt.n, error))
    return FALSE;
  q->max_tokens = MIN (r->max_tokens ? r->max_tokens : e->o.max_len, e->o.max_len - q->prompt.n);
  q->history = g_array_new (FALSE, FALSE, sizeof (gint32));
  q->logprobs = g_array_new (FALSE, FALSE, sizeof (float));
  q->pages = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_vals (q->history, q->prompt.tokens, q->prompt.n);
  mark (q);
  return TRUE;
}

static void
answer_at_once (DpQuestion *q, DpFinish finish, GError *error)
{
  q->answer = g_new0 (DpAnswer, 1);
  q->answer->finish = finish;
  q->answer->error = error;
  q->answer->text = error ? NULL : g_strdup ("");
  q->answer->tokens = g_array_new (FALSE, FALSE, sizeof (guint32));
  q->answer->n_prompt = q->prompt.n;
}

static gpointer
ask (DpAnswerer *self, const DpRequest *r)
{
  DpEngine *e = (DpEngine *) self;
  DpQuestion *q = g_new0 (DpQuestion, 1);
  GError *error = NULL;

  pthread_cond_init (&q->answered, NULL);
  q->priority = r->priority;
  q->sampling = r->sampling;
  q->loop_guard = r->loop_guard;
  q->image = r->image ? cairo_surface_reference (r->image) : NULL;
  pthread_mutex_lock (&e->lock);
  q->serial = ++e->serials; /* fixed before the work, so that the order is that of asking */
  g_hash_table_add (e->open, q);
  pthread_mutex_unlock (&e->lock);
  const gboolean ok = prepare (e, r, q, &error);
  pthread_mutex_lock (&e->lock);
  if (!ok)
    answer_at_once (q, DP_FINISH_FAILED, error);
  else if (e->stopping)
    answer_at_once (q, DP_FINISH_CANCELLED, NULL);
  else {
    g_queue_push_tail (&e->incoming, q);
    pthread_cond_signal (&e->work);
  }
  e->stats.requests += q->answer != NULL;
  pthread_mutex_unlock (&e->lock);
  return q;
}

static DpAnswer *
wait_for (DpAnswerer *self, gpointer ticket)
{
  DpEngine *e = (DpEngine *) self;
  DpQuestion *q = ticket;

  pthread_mutex_lock (&e->lock);
  while (!q->answer)
    pthread_cond_wait (&q->answered, &e->lock);
  DpAnswer *answer = g_steal_pointer (&q->answer);
  g_hash_table_remove (e->open, q);
  pthread_mutex_unlock (&e->lock);
  dp_question_free (q);
  return answer;
}

static void
cancel (DpAnswerer *self, gpointer ticket)
{
  DpEngine *e = (DpEngine *) self;
  DpQuestion *q = ticket;

  pthread_mutex_lock (&e->lock);
  if (!q->answer && !q->cancelled) {
    q->cancelled = TRUE;
    e->cancels++;
    pthread_cond_signal (&e->work);
  }
  pthread_mutex_unlock (&e->lock);
}

/* ---- the thread ---- */

/* Questions that were taken back, or all of them; the lock is not held. */
static void
drop (DpEngine *e, gboolean all)
{
  g_autoptr (GPtrArray) gone = g_ptr_array_new ();

  pthread_mutex_lock (&e->lock);
  e->cancels = 0;
  for (GSequenceIter *i = g_sequence_get_begin_iter (e->waiting); !g_sequence_iter_is_end (i); i = g_sequence_iter_next (i))
    g_ptr_array_add (gone, g_sequence_get (i));
  for (guint i = 0; i < e->running->len; i++)
    g_ptr_array_add (gone, e->running->pdata[i]);
  for (guint i = 0; !all && i < gone->len;)
    if (((DpQuestion *) gone->pdata[i])->cancelled)
      i++;
    else
      g_ptr_array_remove_index_fast (gone, i);
  pthread_mutex_unlock (&e->lock);
  for (guint i = 0; i < gone->len; i++)
    dp_engine_finish (e, gone->pdata[i], DP_FINISH_CANCELLED, NULL);
}

/* Waits for something to do and lets new questions in.  FALSE: it is time to go. */
static gboolean
receive (DpEngine *e)
{
  DpQuestion *q;
  gboolean stopping, cancels;

  pthread_mutex_lock (&e->lock);
  while (!e->stopping && !e->cancels && !e->incoming.length && !e->running->len && g_sequence_is_empty (e->waiting))
    pthread_cond_wait (&e->work, &e->lock);
  while ((q = g_queue_pop_head (&e->incoming)))
    q->place = g_sequence_insert_sorted (e->waiting, q, dp_question_compare, NULL);
  stopping = e->stopping;
  cancels = e->cancels != 0;
  pthread_mutex_unlock (&e->lock);
  if (stopping || cancels)
    drop (e, stopping);
  return !stopping;
}

/* One chunk of prompts, then one step for all that answer: with many waiting the batch fills soon, and nobody stands still. */
static gpointer
live (gpointer data)
{
  DpEngine *e = data;

  while (receive (e)) {
    dp_engine_admit (e);
    dp_engine_prefill (e);
    dp_engine_decode (e);
  }
  return NULL;
}

/* ---- life ---- */

static gboolean
build (DpEngine *e, const DpEngineOptions *options, GError **error)
{
  const DpTextConfig *t = &e->config->text;

  if (!dp_engine_plan (e, options, error))
    return FALSE;
  dp_vision_set_keep (e->model, e->vision_keep);
  const DpEngineOptions *o = &e->o;
  const DpDecoderOptions decoder = { .page_size = o->page_size,
                                     .n_pages = o->kv_pages,
                                     .kv_type = o->kv_type,
                                     .max_batch = o->max_batch,
                                     .max_rows = o->prefill_chunk,
                                     .max_len = o->max_len };
  if (!(e->decoder = dp_decoder_new (e->model, &decoder, error)))
    return FALSE;
  e->stream = dp_decoder_stream (e->decoder);
  dp_stream_set_stop (e->stream, &e->stop);
  e->hidden = dp_buffer_new (e->backend, (gsize) o->max_batch * t->hidden * dp_type_size (dp_model_activations (e->model)), error);
  e->pages = dp_kv_pages_new (o->kv_pages, o->page_size);
  e->called = g_new0 (DpQuestion *, o->max_batch);
  e->parts = g_new0 (DpDecoderPart, o->max_batch);
  e->choices = g_new0 (DpChoice, o->max_batch);
  e->chosen = g_new0 (DpChosen, o->max_batch);
  e->positions = g_new0 (gint32, (gsize) o->max_batch * 3);
  e->image_at = g_new0 (gint32, o->prefill_chunk);
  return e->hidden != NULL;
}

DpEngine *
dp_engine_new (DpModel *model, const DpEngineOptions *options, GError **error)
{
  g_autoptr (DpEngine) e = g_new0 (DpEngine, 1);

  e->answerer = (DpAnswerer){ .ask = ask, .wait = wait_for, .cancel = cancel, .digest = dp_model_digest (model) };
  e->model = model;
  e->config = dp_model_config (model);
  e->backend = dp_model_backend (model);
  e->waiting = g_sequence_new (NULL);
  e->running = g_ptr_array_new ();
  e->open = g_hash_table_new (NULL, NULL);
  g_queue_init (&e->incoming);
  pthread_mutex_init (&e->lock, NULL);
  pthread_cond_init (&e->work, NULL);
  if (!build (e, options, error) || !(e->thread = g_thread_try_new ("engine", live, e, error)))
    return NULL;
  return g_steal_pointer (&e);
}

void
dp_engine_stop (DpEngine *e)
{
  pthread_mutex_lock (&e->lock);
  e->stopping = TRUE;
  g_atomic_int_set (&e->stop, 1);
  pthread_cond_signal (&e->work);
  pthread_mutex_unlock (&e->lock);
}

void
dp_engine_free (DpEngine *e)
{
  GHashTableIter iter;
  gpointer q;

  if (!e)
    return;
  dp_engine_stop (e);
  if (e->thread)
    g_thread_join (e->thread);
  g_hash_table_iter_init (&iter, e->open);
  while (g_hash_table_iter_next (&iter, &q, NULL))
    dp_question_free (q);
  g_hash_table_unref (e->open);
  g_queue_clear (&e->incoming);
  g_sequence_free (e->waiting);
  g_ptr_array_unref (e->running);
  dp_buffer_free (e->hidden);
  dp_decoder_free (e->decoder);
  dp_kv_pages_free (e->pages);
  g_free (e->called);
  g_free (e->parts);
  g_free (e->choices);
  g_free (e->chosen);
  g_free (e->positions);
  g_free (e->image_at);
  pthread_cond_destroy (&e->work);
  pthread_mutex_destroy (&e->lock);
  g_free (e);
}

DpAnswerer *
dp_engine_answerer (DpEngine *e)
{
  return &e->answerer;
}

void
dp_engine_stats (DpEngine *e, DpEngineStats *stats)
{
  pthread_mutex_lock (&e->lock);
  *stats = e->stats;
  pthread_mutex_unlock (&e->lock);
}
