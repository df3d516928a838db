/* vlm/engine_finish.c - from tokens to an answer, and the end of a question. */
#include "vlm/engine_private.h"

#include "vlm/error.h"

#include <math.h>
#include <string.h>

/* What an embedding page or a chat would not show: padding, beginnings and ends of turns.  All other special tokens are grammar. */
static gboolean
is_silent (const DpTokenConfig *t, guint32 id)
{
  gboolean silent = id == t->bos || id == t->pad;

  for (guint32 i = 0; i < t->n_eos; i++)
    silent |= id == t->eos[i];
  return silent;
}

static char *
text_of (const DpEngine *e, const GArray *tokens)
{
  const DpTokenizer *tokenizer = dp_model_tokenizer (e->model);
  GString *text = g_string_new (NULL);
  DpTokenStream stream = { 0 };

  for (guint i = 0; i < tokens->len; i++) {
    const guint32 id = g_array_index (tokens, guint32, i);
    if (!is_silent (&e->config->tokens, id))
      dp_token_stream_push (&stream, tokenizer, id, text);
  }
  dp_token_stream_finish (&stream, text);
  return g_string_free (text, FALSE);
}

static DpAnswer *
answer_of (const DpEngine *e, const DpQuestion *q, DpFinish finish, const GError *error)
{
  DpAnswer *a = g_new0 (DpAnswer, 1);
  double sum = 0;

  a->finish = finish;
  a->error = error ? g_error_copy (error) : NULL;
  a->n_prompt = q->prompt.n;
  a->tokens = g_array_new (FALSE, FALSE, sizeof (guint32));
  if (q->history)
    g_array_append_vals (a->tokens, (const gint32 *) (gpointer) q->history->data + q->prompt.n, q->history->len - q->prompt.n);
  a->text = finish == DP_FINISH_FAILED ? NULL : text_of (e, a->tokens);
  for (guint i = 0; q->logprobs && i < q->logprobs->len; i++) {
    const float l = g_array_index (q->logprobs, float, i);
    sum += l;
    a->min_logprob = MIN (a->min_logprob, l);
  }
  a->confidence = a->tokens->len ? (float) exp (sum / a->tokens->len) : 0;
  return a;
}

void
dp_answer_free (DpAnswer *answer)
{
  if (!answer)
    return;
  g_free (answer->text);
  g_clear_pointer (&answer->tokens, g_array_unref);
  g_clear_error (&answer->error);
  g_free (answer);
}

/* What only running needs; the ticket lives on. */
static void
strip (DpQuestion *q)
{
  g_clear_pointer (&q->embeddings, dp_buffer_free);
  g_clear_pointer (&q->image, cairo_surface_destroy);
  g_clear_pointer (&q->history, g_array_unref);
  g_clear_pointer (&q->logprobs, g_array_unref);
  g_clear_pointer (&q->pages, g_array_unref);
  g_clear_pointer (&q->marks, g_free);
  dp_prompt_clear (&q->prompt);
}

void
dp_question_free (DpQuestion *q)
{
  if (!q)
    return;
  strip (q);
  dp_answer_free (q->answer);
  pthread_cond_destroy (&q->answered);
  g_free (q);
}

void
dp_engine_finish (DpEngine *e, DpQuestion *q, DpFinish finish, const GError *error)
{
  DpAnswer *answer = answer_of (e, q, finish, error);

  if (q->pages)
    dp_engine_release (e, q, FALSE);
  if (q->place)
    g_sequence_remove (q->place);
  else
    g_ptr_array_remove (e->running, q);
  q->place = NULL;
  strip (q);
  pthread_mutex_lock (&e->lock);
  e->stats.requests++;
  e->stats.prompt_tokens += answer->n_prompt;
  e->stats.output_tokens += answer->tokens->len;
  q->answer = answer;
  pthread_cond_signal (&q->answered);
  pthread_mutex_unlock (&e->lock);
}

void
dp_engine_fail_call (DpEngine *e, guint32 n, const GError *error)
{
  const GError unknown = { DP_VLM_ERROR, DP_VLM_ERROR_INPUT, (char *) "The decoder refused a call" };

  for (guint32 i = 0; i < n && !g_atomic_int_get (&e->stop); i++)
    dp_engine_finish (e, e->called[i], DP_FINISH_FAILED, error ? error : &unknown);
}
