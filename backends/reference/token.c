/* backends/reference/token.c - embedding, logits_penalty, ngram_ban, ctc_argmax. */
#include "backends/reference/reference.h"

#define UNUSED G_GNUC_UNUSED

gboolean
ref_embedding (UNUSED DpQueue *queue, const DpEmbeddingArgs *a, const DpWorkspace *workspace, UNUSED GError **error)
{
  float *row = ref_floats (workspace), scale = a->scale != 0 ? a->scale : 1;
  for (guint32 t = 0; t < a->ids.rows; t++) {
    gint32 id = ref_int (&a->ids, t, 0);
    gboolean known = id >= 0 && (guint32) id < a->weight->rows;
    if (known)
      ref_weight_row (a->weight, 0, (guint32) id, row);
    for (guint32 i = 0; i < a->y.cols; i++)
      ref_set (&a->y, t, i, known ? row[i] * scale : 0);
  }
  return TRUE;
}

/* lens[b] and prompt_lens[b], if they fit the tokens. */
static gboolean
history (const DpTensor *tokens, const DpTensor *lens, const DpTensor *prompt_lens, guint32 b, gint32 *length, gint32 *prompt,
         GError **error)
{
  *length = ref_int (lens, b, 0);
  *prompt = ref_int (prompt_lens, b, 0);
  if (*length < 0 || (guint32) *length > tokens->cols)
    return ref_bad_index (error, "logits processor", "lens", *length, (gint64) tokens->cols + 1);
  if (*prompt < 0 || *prompt > *length)
    return ref_bad_index (error, "logits processor", "prompt_lens", *prompt, (gint64) *length + 1);
  return TRUE;
}

gboolean
ref_logits_penalty (UNUSED DpQueue *queue, const DpLogitsPenaltyArgs *a, const DpWorkspace *workspace, GError **error)
{
  gint32 *seen = (gint32 *) (gpointer) ref_floats (workspace), *generated = seen + a->logits.cols, length, prompt;
  for (guint32 b = 0; b < a->logits.rows; b++) {
    float repetition = ref_get (&a->params, b, 0), presence = ref_get (&a->params, b, 1), frequency = ref_get (&a->params, b, 2);
    if (!history (&a->tokens, &a->lens, &a->prompt_lens, b, &length, &prompt, error))
      return FALSE;
    memset (seen, 0, 2 * (gsize) a->logits.cols * sizeof *seen);
    for (gint32 i = 0; i < length; i++) {
      gint32 id = ref_int (&a->tokens, b, (guint32) i);
      if (id < 0 || (guint32) id >= a->logits.cols)
        continue;
      seen[id] = 1;
      generated[id] += i >= prompt;
    }
    for (guint32 id = 0; id < a->logits.cols; id++) {
      float l = ref_get (&a->logits, b, id);
      if (seen[id])
        l = l > 0 ? l / repetition : l * repetition;
      if (generated[id])
        l = l - (float) generated[id] * frequency - presence;
      ref_set (&a->logits, b, id, l);
    }
  }
  return TRUE;
}

/* Whether the n-1 tokens that end at i (exclusive) are the last n-1 tokens. */
static gboolean
same_tail (const DpTensor *tokens, guint32 b, gint32 i, gint32 length, gint32 n)
{
  for (gint32 back = 1; back < n; back++)
    if (ref_int (tokens, b, (guint32) (i - back)) != ref_int (tokens, b, (guint32) (length - back)))
      return FALSE;
  return TRUE;
}

gboolean
ref_ngram_ban (UNUSED DpQueue *queue, const DpNgramBanArgs *a, UNUSED const DpWorkspace *workspace, GError **error)
{
  gint32 length, prompt;
  for (guint32 b = 0; b < a->logits.rows; b++) {
    gint32 n = ref_int (&a->sizes, b, 0);
    if (!history (&a->tokens, &a->lens, &a->prompt_lens, b, &length, &prompt, error))
      return FALSE;
    for (gint32 i = prompt + n - 1; n > 0 && n - 1 <= length - prompt && i < length; i++) {
      gint32 id = ref_int (&a->tokens, b, (guint32) i);
      if (id >= 0 && (guint32) id < a->logits.cols && same_tail (&a->tokens, b, i, length, n))
        ref_set (&a->logits, b, (guint32) id, -INFINITY);
    }
  }
  return TRUE;
}

/* One sequence: joins repeats, drops blanks, writes tokens from its first row on. Returns their number. */
static guint32
collapse (const DpCtcArgmaxArgs *a, guint32 first, guint32 end, float *logits)
{
  guint32 n = 0;
  gint32 before = -1;
  for (guint32 row = first; row < end; row++) {
    float logprob, margin;
    ref_row (&a->logits, row, logits);
    gint32 id = ref_best (logits, a->logits.cols, &logprob, &margin);
    gboolean begins = id != before && (guint32) id != a->blank, goes_on = id == before && (guint32) id != a->blank;
    if (begins) {
      ref_set_int (&a->ids, first + n, 0, id);
      if (a->frames.buffer)
        ref_set_int (&a->frames, first + n, 0, (gint32) (row - first));
      if (a->logprob.buffer)
        ref_set (&a->logprob, first + n, 0, logprob);
      n++;
    } else if (goes_on && a->logprob.buffer && logprob > ref_get (&a->logprob, first + n - 1, 0))
      ref_set (&a->logprob, first + n - 1, 0, logprob);
    before = id;
  }
  return n;
}

static void
blank_row (const DpCtcArgmaxArgs *a, guint32 row)
{
  ref_set_int (&a->ids, row, 0, -1);
  if (a->frames.buffer)
    ref_set_int (&a->frames, row, 0, -1);
  if (a->logprob.buffer)
    ref_set (&a->logprob, row, 0, 0);
}

gboolean
ref_ctc_argmax (UNUSED DpQueue *queue, const DpCtcArgmaxArgs *a, const DpWorkspace *workspace, GError **error)
{
  guint32 used;
  if (!ref_check_cu_seqlens (&a->cu_seqlens, a->logits.rows, a->logits.rows, "ctc_argmax", &used, error))
    return FALSE;
  for (guint32 row = 0; row < a->logits.rows; row++)
    blank_row (a, row);
  for (guint32 b = 0; b + 1 < a->cu_seqlens.rows; b++) {
    guint32 first = (guint32) ref_int (&a->cu_seqlens, b, 0), end = (guint32) ref_int (&a->cu_seqlens, b + 1, 0);
    ref_set_int (&a->lens, b, 0, (gint32) collapse (a, first, end, ref_floats (workspace)));
  }
  return TRUE;
}
