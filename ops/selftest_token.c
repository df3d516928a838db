/* ops/selftest_token.c - conformance cases of embedding, logits processors, sampling, CTC. */
#include "ops/selftest_case.h"

void
dp_selftest_embedding (DpCase *c)
{
  guint32 vocabulary = dp_case_int (c, 2, 90), rows = dp_case_int (c, 1, 20);
  g_autofree gint32 *ids = g_new (gint32, rows);
  for (guint32 i = 0; i < rows; i++)
    ids[i] = dp_case_chance (c, 8) ? (dp_case_chance (c, 2) ? -1 : (gint32) vocabulary) : (gint32) dp_case_int (c, 0, vocabulary - 1);
  DpEmbeddingArgs a = { .ids = dp_case_ints (c, rows, 1, ids), .scale = dp_case_chance (c, 3) ? 4 : 0 };
  guint32 uses = DP_USE_EMBEDDING | (dp_case_chance (c, 2) ? DP_USE_LM_HEAD : 0);
  a.weight = dp_case_weight (c, uses, DP_FLOATS | DP_TYPE_BIT (DP_I8) | DP_TYPE_BIT (DP_I4), 1, vocabulary, dp_case_int (c, 1, 140), FALSE);
  a.y = dp_case_out (c, dp_case_float_type (c), rows, a.weight ? a.weight->cols : 1);
  dp_case_by_rows (c, rows);
  dp_case_run (c, DP_OP_EMBEDDING, &a);
}

/* Histories over few different tokens, so that repeats and n-grams are common. */
typedef struct {
  DpTensor logits, tokens, lens, prompt_lens;
} History;

static History
history (DpCase *c)
{
  guint32 rows = dp_case_int (c, 1, 6), vocabulary = dp_case_int (c, 3, 130), most = dp_case_int (c, 1, 40);
  g_autofree gint32 *tokens = g_new (gint32, (gsize) rows * most), *lens = g_new (gint32, rows), *prompts = g_new (gint32, rows);
  for (guint32 i = 0; i < rows * most; i++)
    tokens[i] = dp_case_chance (c, 12) ? -1 : (gint32) dp_case_int (c, 0, MIN (vocabulary, 4) - 1);
  for (guint32 b = 0; b < rows; b++) {
    lens[b] = (gint32) dp_case_int (c, 0, most);
    prompts[b] = (gint32) dp_case_int (c, 0, (guint32) lens[b]);
  }
  dp_case_by_rows (c, rows);
  return (History){ .logits = dp_case_floats (c, DP_F32, rows, vocabulary, -4, 4),
                    .tokens = dp_case_ints (c, rows, most, tokens),
                    .lens = dp_case_ints (c, rows, 1, lens),
                    .prompt_lens = dp_case_ints (c, rows, 1, prompts) };
}

void
dp_selftest_logits_penalty (DpCase *c)
{
  History h = history (c);
  g_autofree gint32 *bits = g_new (gint32, (gsize) h.logits.rows * 3);
  for (guint32 i = 0; i < h.logits.rows * 3; i++) {
    union {
      float f;
      gint32 i;
    } v = { i % 3 == 0 ? dp_case_float (c, 1, 1.5f) : dp_case_float (c, 0, 1) };
    bits[i] = v.i;
  }
  DpTensor params = dp_case_ints (c, h.logits.rows, 3, bits);
  params.type = DP_F32;
  DpLogitsPenaltyArgs a = { .logits = h.logits, .tokens = h.tokens, .lens = h.lens, .prompt_lens = h.prompt_lens, .params = params };
  dp_case_run (c, DP_OP_LOGITS_PENALTY, &a);
}

void
dp_selftest_ngram_ban (DpCase *c)
{
  History h = history (c);
  g_autofree gint32 *sizes = g_new (gint32, h.logits.rows);
  for (guint32 b = 0; b < h.logits.rows; b++)
    sizes[b] = (gint32) dp_case_int (c, 0, 4);
  DpNgramBanArgs a = {
    .logits = h.logits, .tokens = h.tokens, .lens = h.lens, .prompt_lens = h.prompt_lens, .sizes = dp_case_ints (c, h.logits.rows, 1, sizes)
  };
  dp_case_exact (c);
  dp_case_run (c, DP_OP_NGRAM_BAN, &a);
}

void
dp_selftest_sample (DpCase *c)
{
  guint32 rows = dp_case_int (c, 1, 8), vocabulary = dp_case_int (c, 1, 200);
  g_autofree gint32 *bits = g_new (gint32, (gsize) rows * 3), *top_k = g_new (gint32, rows), *draws = g_new (gint32, (gsize) rows * 2);
  for (guint32 b = 0; b < rows; b++) {
    const float params[3]
        = { dp_case_chance (c, 3) ? 0 : dp_case_float (c, 0.3f, 1.5f), dp_case_chance (c, 2) ? 1 : dp_case_float (c, 0.1f, 1),
            dp_case_chance (c, 2) ? 0 : dp_case_float (c, 0, 0.3f) };
    memcpy (bits + b * 3, params, sizeof params);
    top_k[b] = dp_case_chance (c, 2) ? 0 : (gint32) dp_case_int (c, 1, 30);
    draws[b * 2] = (gint32) dp_case_int (c, 0, 1000000);
    draws[b * 2 + 1] = (gint32) dp_case_int (c, 0, 5000);
  }
  DpTensor params = dp_case_ints (c, rows, 3, bits);
  params.type = DP_F32;
  DpSampleArgs a = { .logits = dp_case_floats (c, dp_case_float_type (c), rows, vocabulary, -4, 4),
                     .params = params,
                     .top_k = dp_case_ints (c, rows, 1, top_k),
                     .random = dp_case_ints (c, rows, 2, draws),
                     .ids = dp_case_out (c, DP_I32, rows, 1) };
  if (dp_case_chance (c, 2))
    a.logprob = dp_case_out (c, DP_F32, rows, 1);
  dp_case_by_rows (c, rows);
  dp_case_run (c, DP_OP_SAMPLE, &a);
}

void
dp_selftest_ctc_argmax (DpCase *c)
{
  DpCasePacking p = dp_case_packing (c, 5, 40);
  g_autofree gint32 *starts = p.starts;
  guint32 symbols = dp_case_int (c, 2, 70);
  DpCtcArgmaxArgs a = { .logits = dp_case_floats (c, dp_case_float_type (c), p.rows, symbols, -4, 4),
                        .cu_seqlens = dp_case_ints (c, p.n + 1, 1, starts),
                        .blank = dp_case_int (c, 0, symbols - 1),
                        .ids = dp_case_out (c, DP_I32, p.rows, 1),
                        .lens = dp_case_out (c, DP_I32, p.n, 1) };
  if (dp_case_chance (c, 2))
    a.frames = dp_case_out (c, DP_I32, p.rows, 1);
  if (dp_case_chance (c, 2))
    a.logprob = dp_case_out (c, DP_F32, p.rows, 1);
  dp_case_run (c, DP_OP_CTC_ARGMAX, &a);
}
