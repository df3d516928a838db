/* Sampling and logits processors of the CPU back end: against the reference over large vocabularies, and by hand. */
#include "tests/cpu/device.h"

/* ---- by hand ---- */

static void
expect_ids (Device *d, const DpTensor *t, const gint32 *expected)
{
  g_autofree gint32 *got = device_get (d, t);
  for (guint i = 0; i < t->rows; i++)
    g_assert_cmpint (got[i], ==, expected[i]);
}

static DpSampleArgs
sample_args (Device *d, const DpTensor *logits, const float *params, const gint32 *top_k, const gint32 *random)
{
  guint32 n = logits->rows;
  return (DpSampleArgs){ .logits = *logits,
                         .params = device_put (d, DP_F32, n, 3, params),
                         .top_k = device_put (d, DP_I32, n, 1, top_k),
                         .random = device_put (d, DP_I32, n, 2, random),
                         .ids = device_put (d, DP_I32, n, 1, NULL),
                         .logprob = device_put (d, DP_F32, n, 1, NULL) };
}

/* Greedy: the lowest index among equals, NaN never, -1 where nothing is finite. */
static void
test_greedy (void)
{
  Device d = device_open ("cpu", 1);
  const float l[] = { 1, 3, 3, 2, /**/ NAN, -5, -7, NAN, /**/ -INFINITY, NAN, -INFINITY, NAN, /**/ 0, INFINITY, 1, 2 };
  const float params[12] = { 0, 1, 0, -1, 1, 0, 0, 1, 0, 0, 1, 0 };
  const gint32 zeros[8] = { 0 }, expected[] = { 1, 1, -1, -1 };
  DpTensor logits = device_put (&d, DP_F32, 4, 4, l);
  DpSampleArgs a = sample_args (&d, &logits, params, zeros, zeros);
  dp_sample (d.stream, &a);
  expect_ids (&d, &a.ids, expected);
  g_autofree float *logprob = device_get (&d, &a.logprob);
  g_assert_cmpfloat_with_epsilon (logprob[0], 3 - log (exp (1) + 2 * exp (3) + exp (2)), 1e-6);
  g_assert_cmpfloat_with_epsilon (logprob[1], -log1p (exp (-2)), 1e-6);
  g_assert_true (isnan (logprob[2]) && isnan (logprob[3]));
  device_close (&d);
}

/* Probabilities .5 .25 .125 .125 (the last two equal), each filter alone: which ids can come at all, and how often. */
static void
check_draws (Device *d, gint32 top_k, float top_p, float min_p, const double *share)
{
  enum { DRAWS = 4000 };
  g_autofree float *l = g_new (float, DRAWS * 4), *params = g_new (float, DRAWS * 3);
  g_autofree gint32 *k = g_new (gint32, DRAWS), *random = g_new (gint32, DRAWS * 2);
  guint count[4] = { 0 };
  for (guint i = 0; i < DRAWS; i++) {
    const float row[4] = { logf (0.125f), logf (0.5f), logf (0.125f), logf (0.25f) }, p[3] = { 1, top_p, min_p };
    memcpy (l + i * 4, row, sizeof row);
    memcpy (params + i * 3, p, sizeof p);
    k[i] = top_k;
    random[2 * i] = 77;
    random[2 * i + 1] = (gint32) i;
  }
  DpTensor logits = device_put (d, DP_F32, DRAWS, 4, l);
  DpSampleArgs a = sample_args (d, &logits, params, k, random);
  dp_sample (d->stream, &a);
  g_autofree gint32 *ids = device_get (d, &a.ids);
  for (guint i = 0; i < DRAWS; i++) {
    g_assert_true (ids[i] >= 0 && ids[i] < 4);
    count[ids[i]]++;
  }
  for (guint i = 0; i < 4; i++)
    if (share[i] == 0)
      g_assert_cmpuint (count[i], ==, 0);
    else
      g_assert_cmpfloat_with_epsilon (count[i] / (double) DRAWS, share[i], 0.03);
}

static void
test_filters (void)
{
  Device d = device_open ("cpu", 2);
  check_draws (&d, 0, 1, 0, (double[]){ 0.125, 0.5, 0.125, 0.25 });
  check_draws (&d, 2, 1, 0, (double[]){ 0, 2.0 / 3, 0, 1.0 / 3 });
  check_draws (&d, 3, 1, 0, (double[]){ 1.0 / 7, 4.0 / 7, 0, 2.0 / 7 }); /* of the equal two the lower index */
  check_draws (&d, 0, 0.6f, 0, (double[]){ 0, 2.0 / 3, 0, 1.0 / 3 });
  check_draws (&d, 0, 0.4f, 0, (double[]){ 0, 1, 0, 0 });
  check_draws (&d, 2, 0.6f, 0, (double[]){ 0, 1, 0, 0 }); /* .5 is already 2/3 of what top-k left */
  check_draws (&d, 0, 1, 0.4f, (double[]){ 0, 2.0 / 3, 0, 1.0 / 3 });
  check_draws (&d, 0, 1, 1, (double[]){ 0, 1, 0, 0 });
  device_close (&d);
}

/* ---- against the reference ---- */

enum { VOCABULARY = 20000, ROWS = 24 };

static DpTensor
run_sample (Device *d, const float *l, const float *params, const gint32 *top_k, const gint32 *random, DpTensor *logprob)
{
  DpTensor logits = device_put (d, DP_F32, ROWS, VOCABULARY, l);
  DpSampleArgs a = sample_args (d, &logits, params, top_k, random);
  dp_sample (d->stream, &a);
  *logprob = a.logprob;
  return a.ids;
}

static void
test_large (void)
{
  Device cpu = device_open ("cpu", 2), reference = device_open ("reference", 1);
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  g_autofree float *l = random_floats (rand, (gsize) ROWS * VOCABULARY, 6);
  float params[ROWS * 3];
  gint32 top_k[ROWS], random[ROWS * 2];
  DpTensor p, q;
  for (guint i = 0; i < ROWS; i++) {
    const float row[3] = { 0.3f + (float) (i % 4), i % 3 ? 0.3f * (float) (i % 3) : 1, i % 5 == 1 ? 0.05f : 0 };
    memcpy (params + i * 3, row, sizeof row);
    top_k[i] = i % 2 ? 1 + 700 * (gint32) i : 0;
    random[2 * i] = (gint32) i * 7919;
    random[2 * i + 1] = (gint32) i;
  }
  DpTensor got = run_sample (&cpu, l, params, top_k, random, &p), expected = run_sample (&reference, l, params, top_k, random, &q);
  g_autofree gint32 *ids = device_get (&reference, &expected);
  expect_ids (&cpu, &got, ids);
  g_autofree float *logprob = device_get (&cpu, &p), *other = device_get (&reference, &q);
  for (guint i = 0; i < ROWS; i++)
    g_assert_cmpfloat_with_epsilon (logprob[i], other[i], 2e-5);
  device_close (&cpu);
  device_close (&reference);
}

/* ---- logits processors ---- */

static void
test_penalty (void)
{
  Device d = device_open ("cpu", 1);
  const gint32 tokens[] = { 0, 3, 3, 9, -1, 1, 3, 4, /**/ 2, 2, 2, 2, 2, 2, 2, 2 }, lens[] = { 7, 0 }, prompts[] = { 2, 0 };
  const float l[] = { 2, -2, 1, 4, 1, /**/ 1, 2, 3, 4, 5 }, params[] = { 2, 0.5f, 0.25f, 2, 0.5f, 0.25f };
  /* 0 only in the prompt; 1 once after it; 3 twice after it; 9 and -1 are no tokens; 4 lies behind the end */
  const float expected[] = { 1, -4.75f, 1, 1, 1, /**/ 1, 2, 3, 4, 5 };
  DpLogitsPenaltyArgs a = { .logits = device_put (&d, DP_F32, 2, 5, l),
                            .tokens = device_put (&d, DP_I32, 2, 8, tokens),
                            .lens = device_put (&d, DP_I32, 2, 1, lens),
                            .prompt_lens = device_put (&d, DP_I32, 2, 1, prompts),
                            .params = device_put (&d, DP_F32, 2, 3, params) };
  dp_logits_penalty (d.stream, &a);
  g_autofree float *got = device_get (&d, &a.logits);
  for (guint i = 0; i < 10; i++)
    g_assert_cmpfloat (got[i], ==, expected[i]);
  device_close (&d);
}

static void
test_ngram (void)
{
  Device d = device_open ("cpu", 1);
  const gint32 tokens[] = { 1, 2, 3, 1, 2, 0, 1, 2 }, lens[] = { 8, 8, 8, 8, 8 }, prompts[] = { 0, 1, 0, 0, 4 },
               sizes[] = { 3, 3, 0, 1, 3 };
  const guint banned[] = { 1 << 3 | 1 << 0, 1 << 0, 0, 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3, 0 };
  g_autofree gint32 *all = g_new (gint32, 40);
  for (guint i = 0; i < 40; i++)
    all[i] = tokens[i % 8];
  DpNgramBanArgs a = { .logits = device_put (&d, DP_F32, 5, 5, NULL),
                       .tokens = device_put (&d, DP_I32, 5, 8, all),
                       .lens = device_put (&d, DP_I32, 5, 1, lens),
                       .prompt_lens = device_put (&d, DP_I32, 5, 1, prompts),
                       .sizes = device_put (&d, DP_I32, 5, 1, sizes) };
  dp_ngram_ban (d.stream, &a);
  g_autofree float *got = device_get (&d, &a.logits);
  for (guint b = 0; b < 5; b++)
    for (guint id = 0; id < 5; id++)
      g_assert_cmpfloat (got[b * 5 + id], ==, banned[b] >> id & 1 ? -INFINITY : 0);
  device_close (&d);
}

static void
test_ctc (void)
{
  Device d = device_open ("cpu", 2);
  const gint32 best[] = { 1, 1, 0, 1, 2, 2, 0, 0, /**/ 2, 2, /**/ 0, /* padding */ 1 }, cu[] = { 0, 8, 8, 10, 11 };
  const gint32 ids[] = { 1, 1, 2, -1, -1, -1, -1, -1, 2, -1, -1, -1 }, lens[] = { 3, 0, 1, 0 };
  const gint32 frames[] = { 0, 3, 4, -1, -1, -1, -1, -1, 0, -1, -1, -1 };
  float l[12 * 3] = { 0 };
  for (guint i = 0; i < 12; i++)
    l[i * 3 + (guint) best[i]] = 1 + (float) i; /* later frames are surer */
  DpCtcArgmaxArgs a = { .logits = device_put (&d, DP_F32, 12, 3, l),
                        .cu_seqlens = device_put (&d, DP_I32, 5, 1, cu),
                        .ids = device_put (&d, DP_I32, 12, 1, NULL),
                        .lens = device_put (&d, DP_I32, 4, 1, NULL),
                        .frames = device_put (&d, DP_I32, 12, 1, NULL),
                        .logprob = device_put (&d, DP_F32, 12, 1, NULL) };
  dp_ctc_argmax (d.stream, &a);
  expect_ids (&d, &a.ids, ids);
  expect_ids (&d, &a.lens, lens);
  expect_ids (&d, &a.frames, frames);
  g_autofree float *logprob = device_get (&d, &a.logprob);
  g_assert_cmpfloat_with_epsilon (logprob[0], -log1p (2 * exp (-2)), 1e-6); /* the surer of the two frames */
  g_assert_cmpfloat_with_epsilon (logprob[1], -log1p (2 * exp (-4)), 1e-6);
  g_assert_cmpfloat_with_epsilon (logprob[2], -log1p (2 * exp (-6)), 1e-6);
  g_assert_cmpfloat (logprob[3], ==, 0);
  device_close (&d);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/sample/greedy", test_greedy);
  g_test_add_func ("/cpu/sample/filters", test_filters);
  g_test_add_func ("/cpu/sample/large", test_large);
  g_test_add_func ("/cpu/sample/penalty", test_penalty);
  g_test_add_func ("/cpu/sample/ngram", test_ngram);
  g_test_add_func ("/cpu/sample/ctc", test_ctc);
  return g_test_run ();
}
