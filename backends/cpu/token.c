/* backends/cpu/token.c - embedding, logits_penalty, ngram_ban, ctc_argmax. */
#include "backends/cpu/rows.h"
#include "backends/cpu/weight.h"

#include <math.h>
#include <string.h>

/* ---- embedding ---- */

static void
embed_rows (gpointer data, gsize first, gsize last, guint thread)
{
  const DpCpuCall *call = data;
  const DpEmbeddingArgs *a = call->args;
  const DpCpu *cpu = call->task->cpu;
  float *row = dp_cpu_slice (call->task, thread, a->y.cols);

  for (gsize t = first; t < last; t++) {
    gint32 id = dp_cpu_int (&a->ids, t, 0);
    if (id < 0 || (guint32) id >= a->weight->rows) {
      memset (dp_tensor_row (&a->y, (guint32) t), 0, a->y.cols * dp_type_size (a->y.type));
      continue;
    }
    dp_cpu_weight_row (dp_cpu_weight (a->weight), 0, (guint32) id, row);
    if (a->scale != 0)
      cpu->kernels->arith->scale (a->scale, row, a->y.cols);
    dp_cpu_store (cpu, &a->y, (guint32) t, 0, a->y.cols, row);
  }
}

static void
embedding (const DpCpuTask *task, const void *args)
{
  const DpEmbeddingArgs *a = args;
  DpCpuCall call = { task, args };

  dp_cpu_for_last (task, a->y.rows, 1 + 2048 / a->y.cols, embed_rows, &call);
}

static gsize
embedding_space (G_GNUC_UNUSED const DpCpu *cpu, guint n_threads, const void *args)
{
  return n_threads * dp_cpu_slice_size (((const DpEmbeddingArgs *) args)->y.cols);
}

/* ---- logits processors ---- */

/* lens[b] and prompt_lens[b], kept inside the tokens whatever the tensors hold. */
static gint32
history (const DpTensor *tokens, const DpTensor *lens, const DpTensor *prompt_lens, gsize b, gint32 *prompt)
{
  gint32 length = CLAMP (dp_cpu_int (lens, b, 0), 0, (gint32) tokens->cols);

  *prompt = CLAMP (dp_cpu_int (prompt_lens, b, 0), 0, length);
  return length;
}

/* Counts only what occurs, so the vocabulary is never walked through: each id's count is reset when it is first
 * met, raised, and set to -1 when its logit has been changed. */
static void
penalise_rows (gpointer data, gsize first, gsize last, guint thread)
{
  const DpCpuCall *call = data;
  const DpLogitsPenaltyArgs *a = call->args;
  gint32 *count = (gint32 *) (gpointer) dp_cpu_slice (call->task, thread, a->logits.cols);

  for (gsize b = first; b < last; b++) {
    const gint32 *tokens = dp_tensor_row (&a->tokens, (guint32) b);
    const float *params = dp_tensor_row (&a->params, (guint32) b);
    float *logits = dp_tensor_row (&a->logits, (guint32) b);
    gint32 prompt, length = history (&a->tokens, &a->lens, &a->prompt_lens, b, &prompt);
    for (gint32 i = 0; i < length; i++)
      if ((guint32) tokens[i] < a->logits.cols)
        count[tokens[i]] = 0;
    for (gint32 i = prompt; i < length; i++)
      if ((guint32) tokens[i] < a->logits.cols)
        count[tokens[i]]++;
    for (gint32 i = 0; i < length; i++) {
      guint32 id = (guint32) tokens[i];
      if (id >= a->logits.cols || count[id] < 0)
        continue;
      float l = logits[id] > 0 ? logits[id] / params[0] : logits[id] * params[0];
      logits[id] = count[id] ? l - (float) count[id] * params[2] - params[1] : l;
      count[id] = -1;
    }
  }
}

static void
logits_penalty (const DpCpuTask *task, const void *args)
{
  const DpLogitsPenaltyArgs *a = args;
  DpCpuCall call = { task, args };

  dp_cpu_for (task, a->logits.rows, 1, penalise_rows, &call);
}

static gsize
logits_penalty_space (G_GNUC_UNUSED const DpCpu *cpu, guint n_threads, const void *args)
{
  return n_threads * dp_cpu_slice_size (((const DpLogitsPenaltyArgs *) args)->logits.cols);
}

/* The n-1 tokens before `end` are the last n-1 tokens. */
static gboolean
same_tail (const gint32 *tokens, gint32 end, gint32 length, gint32 n)
{
  for (gint32 back = 1; back < n; back++)
    if (tokens[end - back] != tokens[length - back])
      return FALSE;
  return TRUE;
}

static void
ban_rows (gpointer data, gsize first, gsize last, G_GNUC_UNUSED guint thread)
{
  const DpNgramBanArgs *a = ((const DpCpuCall *) data)->args;

  for (gsize b = first; b < last; b++) {
    const gint32 *tokens = dp_tensor_row (&a->tokens, (guint32) b);
    float *logits = dp_tensor_row (&a->logits, (guint32) b);
    gint32 n = dp_cpu_int (&a->sizes, b, 0), prompt, length = history (&a->tokens, &a->lens, &a->prompt_lens, b, &prompt);
    if (n <= 0 || n - 1 > length - prompt)
      continue;
    for (gint32 i = prompt + n - 1; i < length; i++)
      if ((guint32) tokens[i] < a->logits.cols && same_tail (tokens, i, length, n))
        logits[tokens[i]] = -INFINITY;
  }
}

static void
ngram_ban (const DpCpuTask *task, const void *args)
{
  const DpNgramBanArgs *a = args;
  DpCpuCall call = { task, args };

  dp_cpu_for (task, a->logits.rows, 1, ban_rows, &call);
}

/* ---- ctc_argmax ---- */

/* What a frame says; between the two loops in scratch, behind the slices. */
typedef struct {
  gint32 id;
  float logprob;
} Frame;

static Frame *
frames_of (const DpCpuTask *task, const DpCtcArgmaxArgs *a)
{
  return (Frame *) (gpointer) dp_cpu_slice (task, task->n_threads, a->logits.cols);
}

static void
frame_rows (gpointer data, gsize first, gsize last, guint thread)
{
  const DpCpuCall *call = data;
  const DpCtcArgmaxArgs *a = call->args;
  const DpArithKernels *k = call->task->cpu->kernels->arith;
  float *room = dp_cpu_slice (call->task, thread, a->logits.cols);
  Frame *frames = frames_of (call->task, a);

  for (gsize row = first; row < last; row++) {
    const DpTensor one = dp_tensor_rows (a->logits, (guint32) row, 1);
    const float *logits = dp_cpu_vector (call->task->cpu, &one, room);
    DpBest best = k->best (logits, a->logits.cols);
    frames[row] = (Frame){ (gint32) best.at, 0 };
    if (a->logprob.buffer)
      frames[row].logprob = best.nan || !isfinite (best.largest) ? NAN : -logf (k->sum_exp (logits, best.largest, a->logits.cols));
  }
}

static void
put_token (const DpCtcArgmaxArgs *a, gsize row, gint32 id, gint32 frame, float logprob)
{
  *(gint32 *) dp_tensor_row (&a->ids, (guint32) row) = id;
  if (a->frames.buffer)
    *(gint32 *) dp_tensor_row (&a->frames, (guint32) row) = frame;
  if (a->logprob.buffer)
    *(float *) dp_tensor_row (&a->logprob, (guint32) row) = logprob;
}

/* Joins repeats and drops blanks of frames first .. end-1; tokens fill the first rows, blanks the rest. */
static gint32
collapse (const DpCtcArgmaxArgs *a, const Frame *frames, gsize first, gsize end)
{
  gint32 n = 0, before = -1;

  for (gsize row = first; row < end; row++) {
    gint32 id = frames[row].id;
    if ((guint32) id != a->blank && id != before)
      put_token (a, first + (gsize) n++, id, (gint32) (row - first), frames[row].logprob);
    else if ((guint32) id != a->blank && a->logprob.buffer) {
      float *logprob = dp_tensor_row (&a->logprob, (guint32) (first + (gsize) n - 1));
      *logprob = frames[row].logprob > *logprob ? frames[row].logprob : *logprob;
    }
    before = id;
  }
  for (gsize row = first + (gsize) n; row < end; row++)
    put_token (a, row, -1, -1, 0);
  return n;
}

/* Items are sequences, and one more for the padding rows. */
static void
collapse_sequences (gpointer data, gsize first, gsize last, G_GNUC_UNUSED guint thread)
{
  const DpCpuCall *call = data;
  const DpCtcArgmaxArgs *a = call->args;
  const Frame *frames = frames_of (call->task, a);
  gint32 rows = (gint32) a->logits.rows;

  for (gsize b = first; b < last; b++) {
    gint32 start = CLAMP (dp_cpu_int (&a->cu_seqlens, b, 0), 0, rows);
    if (b + 1 == a->cu_seqlens.rows)
      for (gint32 row = start; row < rows; row++)
        put_token (a, (gsize) row, -1, -1, 0);
    else
      *(gint32 *) dp_tensor_row (&a->lens, (guint32) b)
          = collapse (a, frames, (gsize) start, (gsize) CLAMP (dp_cpu_int (&a->cu_seqlens, b + 1, 0), start, rows));
  }
}

static void
ctc_argmax (const DpCpuTask *task, const void *args)
{
  const DpCtcArgmaxArgs *a = args;
  DpCpuCall call = { task, args };

  dp_cpu_for (task, a->logits.rows, dp_cpu_row_chunk (a->logits.cols), frame_rows, &call);
  dp_cpu_wait (task);
  dp_cpu_for (task, a->cu_seqlens.rows, 1, collapse_sequences, &call);
}

static gsize
ctc_argmax_space (G_GNUC_UNUSED const DpCpu *cpu, guint n_threads, const void *args)
{
  const DpCtcArgmaxArgs *a = args;

  return n_threads * dp_cpu_slice_size (a->logits.cols) + a->logits.rows * sizeof (Frame);
}

const DpCpuOperator dp_cpu_op_embedding = { .run = embedding, .space = embedding_space, .then = TRUE };
const DpCpuOperator dp_cpu_op_logits_penalty = { .run = logits_penalty, .space = logits_penalty_space };
const DpCpuOperator dp_cpu_op_ngram_ban = { .run = ngram_ban };
const DpCpuOperator dp_cpu_op_ctc_argmax = { .run = ctc_argmax, .space = ctc_argmax_space };
