/* vlm/engine_decode.c - one token more for everyone whose prompt is in the cache.
 *
 * A question that was pushed out has said something already: those tokens go through the same steps again, one a step, and what
 * the model would choose after them is not looked at.  Through prefill they would be faster, but a row of a prefill call and the
 * same row of a decode step may differ in their last bits, and so in time might the answer.
 */
#include "vlm/engine_private.h"

#include "vlm/error.h"
#include "vlm/loop_guard.h"

void
dp_engine_choice (const DpQuestion *q, DpChoice *choice)
{
  const DpSampling *s = &q->sampling;

  *choice = (DpChoice){ .temperature = s->temperature,
                        .top_p = s->top_p,
                        .min_p = s->min_p,
                        .top_k = (gint32) MIN (s->top_k, G_MAXINT32),
                        .repetition = s->repetition,
                        .presence = s->presence,
                        .frequency = s->frequency,
                        .ngram = (gint32) MIN (s->no_repeat_ngram, G_MAXINT32),
                        .seed = s->seed,
                        .history = (const gint32 *) (gpointer) q->history->data,
                        .n_history = q->history->len,
                        .n_prompt = q->prompt.n };
}

static gboolean
ends_turn (const DpTokenConfig *t, guint32 id)
{
  for (guint32 i = 0; i < t->n_eos; i++)
    if (t->eos[i] == id)
      return TRUE;
  return FALSE;
}

void
dp_engine_accept (DpEngine *e, DpQuestion *q, const DpChosen *chosen)
{
  const float logprob = chosen->logprob <= 0 ? MAX (chosen->logprob, -100) : -100; /* one that is not a number is not sure at all */
  const gint32 id = chosen->id;

  if (id < 0) {
    g_autoptr (GError) error = g_error_new_literal (DP_VLM_ERROR, DP_VLM_ERROR_INPUT,
                                                    "The model's numbers are not finite for this question: its weights may be damaged");
    dp_engine_finish (e, q, DP_FINISH_FAILED, error);
    return;
  }
  if (ends_turn (&e->config->tokens, (guint32) id)) {
    dp_engine_finish (e, q, DP_FINISH_STOP, NULL);
    return;
  }
  g_array_append_val (q->history, id);
  g_array_append_val (q->logprobs, logprob);
  const guint32 n = q->history->len - q->prompt.n;
  const guint32 keep
      = q->loop_guard ? dp_loop_guard_check ((const gint32 *) (gpointer) q->history->data + q->prompt.n, n, q->sampling.no_repeat_ngram)
                      : 0;
  if (keep) {
    g_array_set_size (q->history, q->prompt.n + keep);
    g_array_set_size (q->logprobs, keep);
    dp_engine_finish (e, q, DP_FINISH_LOOP, NULL);
  } else if (n >= q->max_tokens)
    dp_engine_finish (e, q, DP_FINISH_LENGTH, NULL);
}

static void
add_part (DpEngine *e, guint32 i, DpQuestion *q)
{
  gint32 *positions = e->positions + (gsize) i * 3;

  for (guint32 axis = 0; axis < q->prompt.axes; axis++)
    positions[axis] = q->prompt.next + (gint32) (q->cached - q->prompt.n);
  e->called[i] = q;
  e->parts[i] = (DpDecoderPart){ .n = 1,
                                 .kv_len = q->cached + 1,
                                 .tokens = &g_array_index (q->history, gint32, q->cached),
                                 .positions = positions,
                                 .pages = (const guint32 *) (gpointer) q->pages->data };
  if (q->cached + 1 == q->history->len)
    dp_engine_choice (q, &e->choices[i]);
  else
    e->choices[i] = (DpChoice){ .top_p = 1, .repetition = 1, .n_history = q->cached + 1, .n_prompt = q->prompt.n };
}

/* First room for everyone's next row: who is more urgent takes pages first, if need be from the end of the line, which gets
 * shorter by that.  Then those that are left. */
static guint32
collect (DpEngine *e)
{
  guint32 n = 0;

  for (guint i = 0; i < e->running->len; i++)
    if (dp_question_prefilled (e->running->pdata[i]))
      dp_engine_make_room (e, e->running->pdata[i]);
  for (guint i = 0; i < e->running->len; i++)
    if (dp_question_prefilled (e->running->pdata[i]))
      add_part (e, n++, e->running->pdata[i]);
  return n;
}

void
dp_engine_decode (DpEngine *e)
{
  g_autoptr (GError) error = NULL;
  guint32 n = collect (e), again = 0;

  if (!n)
    return;
  const gint64 begin = g_get_monotonic_time ();
  const gboolean ok = dp_decoder_step (e->decoder, e->parts, e->choices, n, e->chosen, &error);
  const gint64 end = g_get_monotonic_time ();
  for (guint32 i = 0; i < n && ok; i++) {
    DpQuestion *q = e->called[i];
    q->cached++;
    if (q->cached == q->history->len)
      dp_engine_accept (e, q, &e->chosen[i]);
    else
      again++;
  }
  pthread_mutex_lock (&e->lock);
  e->stats.steps++;
  e->stats.step_rows += n;
  e->stats.replayed += again;
  e->stats.decode_us += end - begin;
  pthread_mutex_unlock (&e->lock);
  if (!ok)
    dp_engine_fail_call (e, n, error);
}
