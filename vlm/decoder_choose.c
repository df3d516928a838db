/* vlm/decoder_choose.c - from hidden states to tokens: the output head, penalties, the n-gram ban, argmax or a draw.
 *
 * Penalties and the ban need every sequence's tokens on the device, at every step.  They are kept there as keys and values are:
 * whoever writes a token's key into a slot of the cache writes its id into the same slot of d->history.  A step then gathers
 * the histories through the block tables that attention uses anyway; nothing is uploaded for it, and pages that sequences share,
 * copy or give back carry their tokens with them.
 *
 * Two forms, both captured: PLAIN when no row of the call is penalised, banned or drawn (lm_head_argmax, logits are never
 * written), FULL otherwise.  Both give the same token to a row that is not penalised: the lowest index of the largest logit.
 */
#include "vlm/decoder_private.h"

#include "vlm/error.h"

#include <math.h>
#include <string.h>

/* ---- inputs -------------------------------------------------------------------------------------------------------- */

static gboolean
is_penalised (const DpChoice *c)
{
  return c->repetition != 1 || c->presence != 0 || c->frequency != 0;
}

/* Fewer output tokens than an n-gram has cannot complete one that was there before. */
static gboolean
is_banned (const DpChoice *c, guint32 len)
{
  return c->ngram > 0 && len - MIN (c->n_prompt, len) >= (guint32) c->ngram;
}

DpChooseForm
dp_decoder_form (const DpChoice *choices, const guint32 *lens, guint32 n)
{
  for (guint32 i = 0; i < n; i++)
    if (choices[i].temperature > 0 || is_penalised (&choices[i]) || is_banned (&choices[i], lens[i]))
      return DP_CHOOSE_FULL;
  return DP_CHOOSE_PLAIN;
}

void
dp_decoder_fill_choice (DpDecoder *d, guint32 i, const DpChoice *c, guint32 len)
{
  float *penalties = dp_step_f32 (d->step, DP_STEP_PENALTIES) + 3 * (gsize) i;
  float *sampling = dp_step_f32 (d->step, DP_STEP_SAMPLING) + 3 * (gsize) i;
  gint32 *random = dp_step_i32 (d->step, DP_STEP_RANDOM) + 2 * (gsize) i;
  const guint32 prompt = MIN (c->n_prompt, len);

  dp_step_i32 (d->step, DP_STEP_LENS)[i] = (gint32) len;
  dp_step_i32 (d->step, DP_STEP_PROMPTS)[i] = (gint32) prompt;
  penalties[0] = c->repetition, penalties[1] = c->presence, penalties[2] = c->frequency;
  dp_step_i32 (d->step, DP_STEP_NGRAMS)[i] = c->ngram;
  sampling[0] = c->temperature, sampling[1] = c->top_p, sampling[2] = c->min_p;
  dp_step_i32 (d->step, DP_STEP_TOP_K)[i] = c->top_k;
  random[0] = (gint32) c->seed, random[1] = (gint32) (len - prompt);
}

/* ---- the operators -------------------------------------------------------------------------------------------------- */

static void
plain (DpDecoder *d, DpStream *s, DpTensor hidden)
{
  const guint32 n = hidden.rows;

  dp_lm_head_argmax (s, &(DpLmHeadArgmaxArgs){ .x = hidden,
                                               .weight = d->model->decoder.head,
                                               .ids = dp_tensor_rows (d->ids, 0, n),
                                               .logprob = dp_tensor_rows (d->logprob, 0, n) });
}

static void
sample (DpDecoder *d, DpStream *s, DpTensor logits, DpStepInput params, DpTensor ids, DpTensor logprob)
{
  const guint32 n = logits.rows;

  dp_sample (s, &(DpSampleArgs){ .logits = logits,
                                 .params = dp_decoder_input (d, params, n),
                                 .top_k = dp_decoder_input (d, DP_STEP_TOP_K, n),
                                 .random = dp_decoder_input (d, DP_STEP_RANDOM, n),
                                 .ids = dp_tensor_rows (ids, 0, n),
                                 .logprob = dp_tensor_rows (logprob, 0, n) });
}

void
dp_decoder_issue_choice (DpDecoder *d, DpStream *s, DpChooseForm form, DpTensor hidden, DpTensor tokens, DpTensor lens)
{
  const guint32 n = hidden.rows;
  const gsize mark = dp_stream_mark (s);

  if (form == DP_CHOOSE_PLAIN) {
    plain (d, s, hidden);
    return;
  }
  const DpTensor logits = dp_stream_temp (s, DP_F32, n, d->model->config.text.vocabulary);
  const DpTensor prompts = dp_decoder_input (d, DP_STEP_PROMPTS, n);
  dp_model_linear (s, hidden, d->model->decoder.head, DP_ACT_NONE, (DpTensor){ 0 }, logits);
  sample (d, s, logits, DP_STEP_GREEDY, d->likeliest, d->likeliest_logprob);
  dp_logits_penalty (
      s,
      &(DpLogitsPenaltyArgs){
          .logits = logits, .tokens = tokens, .lens = lens, .prompt_lens = prompts, .params = dp_decoder_input (d, DP_STEP_PENALTIES, n) });
  dp_ngram_ban (
      s, &(DpNgramBanArgs){
             .logits = logits, .tokens = tokens, .lens = lens, .prompt_lens = prompts, .sizes = dp_decoder_input (d, DP_STEP_NGRAMS, n) });
  sample (d, s, logits, DP_STEP_SAMPLING, d->ids, d->logprob);
  dp_stream_release (s, mark);
}

static gsize
place (const DpDecoder *d, DpTensor t)
{
  return t.offset - d->results.offset;
}

gboolean
dp_decoder_read_choice (DpDecoder *d, DpChooseForm form, guint32 n, DpChosen *chosen, GError **error)
{
  g_autofree guint8 *bytes = g_malloc (d->results.cols);

  dp_stream_download (d->stream, bytes, &d->results, d->results.cols);
  if (!dp_stream_sync (d->stream, error))
    return FALSE;
  const gint32 *ids = (gconstpointer) (bytes + place (d, d->ids)), *likeliest = (gconstpointer) (bytes + place (d, d->likeliest));
  const float *logprob = (gconstpointer) (bytes + place (d, d->logprob));
  const float *before = (gconstpointer) (bytes + place (d, d->likeliest_logprob));
  for (guint32 i = 0; i < n; i++) {
    const gboolean same = form == DP_CHOOSE_FULL && ids[i] == likeliest[i];
    chosen[i] = (DpChosen){ ids[i], same ? before[i] : logprob[i] };
    if (form == DP_CHOOSE_PLAIN && isnan (logprob[i])) /* lm_head_argmax names a token even then; sample does not */
      chosen[i].id = -1;
  }
  return TRUE;
}

/* ---- after a prefill -------------------------------------------------------------------------------------------------- */

/* The histories of n choices as [n, longest] on the device. */
static DpTensor
upload_histories (DpDecoder *d, const DpChoice *choices, guint32 n)
{
  guint32 longest = 1;

  for (guint32 i = 0; i < n; i++)
    longest = MAX (longest, choices[i].n_history);
  const DpTensor tokens = dp_stream_temp (d->stream, DP_I32, n, longest);
  g_autofree gint32 *host = g_new0 (gint32, (gsize) n * longest);
  for (guint32 i = 0; i < n; i++)
    if (choices[i].n_history)
      memcpy (host + (gsize) i * longest, choices[i].history, choices[i].n_history * sizeof *host);
  dp_stream_upload (d->stream, &tokens, host, (gsize) n * longest * sizeof *host);
  return tokens;
}

gboolean
dp_decoder_choose (DpDecoder *d, DpTensor hidden, const DpChoice *choices, guint32 n, DpChosen *chosen, GError **error)
{
  g_autofree guint32 *lens = g_new (guint32, n);
  DpTensor tokens = { 0 };

  g_return_val_if_fail (n >= 1 && n <= d->options.max_batch && hidden.rows == n, FALSE);
  dp_step_reset (d->step);
  for (guint32 i = 0; i < n; i++) {
    lens[i] = choices[i].n_history;
    g_return_val_if_fail (lens[i] <= d->options.max_len && choices[i].n_prompt <= lens[i], FALSE);
    dp_decoder_fill_choice (d, i, &choices[i], lens[i]);
  }
  const DpChooseForm form = dp_decoder_form (choices, lens, n);
  const gsize mark = dp_stream_mark (d->stream);
  dp_step_upload (d->stream, d->step);
  if (form == DP_CHOOSE_FULL)
    tokens = upload_histories (d, choices, n);
  dp_decoder_issue_choice (d, d->stream, form, hidden, tokens, dp_decoder_input (d, DP_STEP_LENS, n));
  dp_stream_release (d->stream, mark);
  return dp_decoder_read_choice (d, form, n, chosen, error);
}

gboolean
dp_decoder_logits (DpDecoder *d, DpTensor hidden, guint32 n, float *logits, GError **error)
{
  const guint32 vocabulary = d->model->config.text.vocabulary;
  const gsize mark = dp_stream_mark (d->stream);

  g_return_val_if_fail (n >= 1 && hidden.rows == n, FALSE);
  const DpTensor all = dp_stream_temp (d->stream, DP_F32, n, vocabulary);
  dp_model_linear (d->stream, hidden, d->model->decoder.head, DP_ACT_NONE, (DpTensor){ 0 }, all);
  dp_stream_download (d->stream, logits, &all, (gsize) n * vocabulary * sizeof *logits);
  dp_stream_release (d->stream, mark);
  return dp_stream_sync (d->stream, error);
}
