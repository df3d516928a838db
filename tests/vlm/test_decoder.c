/* The decoder against transformers: tiny networks, logits after the prompt, and every greedy token in f32, however it is run. */
#include "tests/vlm/network.h"

static const char *const names[] = { "nested", "flat", "untied", "windows" };

/* A golden row of logits is 300 floats as hexadecimal digits. */
static float
golden_logit (const cJSON *rows, int row, guint32 i)
{
  const char *hex = cJSON_GetArrayItem (rows, row)->valuestring + 8 * i;
  guint8 bytes[4];
  float value;

  for (int b = 0; b < 4; b++)
    bytes[b] = (guint8) (g_ascii_xdigit_value (hex[2 * b]) << 4 | g_ascii_xdigit_value (hex[2 * b + 1]));
  memcpy (&value, bytes, 4);
  return value;
}

/* Largest difference of the logits after the prompt; penalised cases hold penalised ones. */
static double
logits_error (const Sequence *q, guint32 vocabulary)
{
  double most = 0;

  if (cJSON_GetObjectItemCaseSensitive (q->c->json, "penalties"))
    return 0;
  for (guint32 i = 0; i < vocabulary; i++)
    most = fmax (most, fabs ((double) q->first_logits[i] - golden_logit (golden_get (q->c->json, "logits"), 0, i)));
  return most;
}

/* log softmax of a golden row at id. */
static double
golden_logprob (const Sequence *q, int row, guint32 vocabulary, gint32 id)
{
  const cJSON *rows = golden_get (q->c->json, "logits");
  double sum = 0;

  for (guint32 i = 0; i < vocabulary; i++)
    sum += exp (golden_logit (rows, row, i));
  return golden_logit (rows, row, (guint32) id) - log (sum);
}

static void
check_answer (const Sequence *q, guint32 vocabulary, const char *how)
{
  const Case *c = q->c;
  const cJSON *at = golden_get (c->json, "at");

  if (!(logits_error (q, vocabulary) < 2e-4))
    g_error ("%s, %s: logits are off by %g", c->name, how, logits_error (q, vocabulary));
  for (guint32 i = 0; i < c->n_answer; i++)
    if (q->tokens[c->n_prompt + i] != c->answer[i])
      g_error ("%s, %s: token %u of %u is %d, not %d", c->name, how, i, c->n_answer, q->tokens[c->n_prompt + i], c->answer[i]);
  for (int row = 0; row < 3 && !cJSON_GetObjectItemCaseSensitive (c->json, "penalties"); row++) {
    const guint32 i = (guint32) cJSON_GetArrayItem (at, row)->valueint;
    g_assert_cmpfloat_with_epsilon (q->logprobs[c->n_prompt + i], golden_logprob (q, row, vocabulary, c->answer[i]), 2e-4);
  }
}

/* All cases of a network, each alone or all together (several times, so that batches have padding). */
static void
run_network (const Network *net, const char *device, gboolean eager, guint32 page_size, guint32 chunk, guint copies)
{
  Runner r;
  Sequence q[NETWORK_MOST];
  const guint n = net->n * MAX (copies, 1);
  g_autofree char *how = g_strdup_printf ("%s on %s, %s, pages of %u, chunks of %u, %s", net->dir, device, eager ? "eager" : "graph",
                                          page_size, chunk, copies ? "batched" : "alone");

  runner_open (&r, network_model (net, device, DP_F32, eager), page_size, DP_F32);
  const guint32 vocabulary = dp_model_config (r.model)->text.vocabulary;
  for (guint i = 0; i < n; i++) {
    sequence_start (&r, &q[i], &net->cases[i % net->n], i);
    if (copies)
      continue;
    run_prefill (&r, &q[i], 1, chunk);
    run_decode (&r, &q[i], 1);
  }
  if (copies) {
    run_prefill (&r, q, n, chunk);
    run_decode (&r, q, n);
  }
  for (guint i = 0; i < n; i++) {
    check_answer (&q[i], vocabulary, how);
    sequence_end (&q[i]);
  }
  runner_close (&r);
}

static void
test_parity (gconstpointer data)
{
  const char *device = data;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    Network net;
    network_open (&net, names[i]);
    for (int eager = 0; eager < 2; eager++) {
      run_network (&net, device, eager, 16, 128, 0);
      run_network (&net, device, eager, 4, 5, 2);
    }
    network_close (&net);
  }
}

/* However a prompt is cut, alone or beside others: the same bits. */
static void
test_chunks (void)
{
  static const guint32 chunks[] = { 128, 1, 3, 7 };
  Network net;
  Runner r;
  Sequence whole[NETWORK_MOST], q[NETWORK_MOST];

  network_open (&net, "flat");
  runner_open (&r, network_model (&net, "cpu", DP_BF16, FALSE), 8, DP_BF16);
  const gsize bytes = dp_model_config (r.model)->text.vocabulary * sizeof (float);
  for (guint k = 0; k < G_N_ELEMENTS (chunks); k++) {
    for (guint i = 0; i < net.n; i++)
      sequence_start (&r, k ? &q[i] : &whole[i], &net.cases[i], i);
    run_prefill (&r, k ? q : whole, net.n, chunks[k]);
    for (guint i = 0; k && i < net.n; i++) {
      g_assert_cmpmem (q[i].first_logits, bytes, whole[i].first_logits, bytes);
      sequence_end (&q[i]);
    }
  }
  for (guint i = 0; i < net.n; i++)
    sequence_end (&whole[i]);
  runner_close (&r);
  network_close (&net);
}

/* One call may prefill parts of several sequences: as if each had been alone. */
static void
test_packed_prefill (void)
{
  Network net;
  Runner r;
  Sequence q[2], other[2];
  gint32 image_at[2][NETWORK_LEN];
  DpDecoderPart parts[2];
  g_autoptr (GError) error = NULL;

  network_open (&net, "nested");
  runner_open (&r, network_model (&net, "cpu", DP_F32, FALSE), 16, DP_F32);
  const guint32 vocabulary = dp_model_config (r.model)->text.vocabulary;
  DpStream *s = dp_decoder_stream (r.decoder);
  const DpTensor hidden = dp_stream_temp (s, DP_F32, 2, dp_model_config (r.model)->text.hidden);
  g_autofree float *logits = g_new (float, 2 * vocabulary);
  for (guint i = 0; i < 2; i++) {
    sequence_start (&r, &q[i], &net.cases[1 + i], i);
    sequence_start (&r, &other[i], &net.cases[1 + i], 2 + i);
    run_prefill (&r, &q[i], 1, 128);
    parts[i] = sequence_chunk (&other[i], net.cases[1 + i].n_prompt, image_at[i]);
  }
  dp_decoder_prefill (r.decoder, parts, 2, hidden);
  g_assert_true (dp_decoder_logits (r.decoder, hidden, 2, logits, &error));
  for (guint i = 0; i < 2; i++) {
    g_assert_cmpmem (logits + i * vocabulary, vocabulary * 4, q[i].first_logits, vocabulary * 4);
    sequence_end (&q[i]);
    sequence_end (&other[i]);
  }
  runner_close (&r);
  network_close (&net);
}

/* The same tokens for every kind of weights and cache, alone and in a batch, eager and graph; and not far from f32. */
static void
test_kinds (void)
{
  static const struct {
    DpType weights, kv;
    double most;
  } kinds[]
      = { { DP_BF16, DP_BF16, 0.15 }, { DP_BF16, DP_F32, 0.15 }, { DP_I8, DP_F32, 0.6 }, { DP_I8, DP_I8, 0.6 }, { DP_I4, DP_F32, 6 } };
  Network net;

  network_open (&net, "nested");
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++) {
    Sequence alone[NETWORK_MOST], together[NETWORK_MOST];
    Runner r, eager;
    runner_open (&r, network_model (&net, "cpu", kinds[k].weights, FALSE), 16, kinds[k].kv);
    runner_open (&eager, network_model (&net, "cpu", kinds[k].weights, TRUE), 16, kinds[k].kv);
    const guint32 vocabulary = dp_model_config (r.model)->text.vocabulary;
    for (guint i = 0; i < net.n; i++) {
      sequence_start (&r, &alone[i], &net.cases[i], i);
      run_prefill (&r, &alone[i], 1, 128);
      run_decode (&r, &alone[i], 1);
      sequence_start (&eager, &together[i], &net.cases[i], i);
      g_test_message ("%s weights, %s cache, %s: logits within %g", dp_type_name (kinds[k].weights), dp_type_name (kinds[k].kv),
                      net.cases[i].name, logits_error (&alone[i], vocabulary));
      g_assert_cmpfloat (logits_error (&alone[i], vocabulary), <, kinds[k].most);
    }
    run_prefill (&eager, together, net.n, 4);
    run_decode (&eager, together, net.n);
    for (guint i = 0; i < net.n; i++) {
      g_assert_cmpmem (alone[i].tokens, sizeof alone[i].tokens, together[i].tokens, sizeof together[i].tokens);
      sequence_end (&alone[i]);
      sequence_end (&together[i]);
    }
    runner_close (&r);
    runner_close (&eager);
  }
  network_close (&net);
}

/* A draw depends on its seed and its place, not on its neighbours. */
static void
test_drawn (void)
{
  Network net;
  Runner r;
  Sequence alone[4], together[4];
  Case cases[4];
  guint different = 0;

  network_open (&net, "untied");
  runner_open (&r, network_model (&net, "cpu", DP_F32, FALSE), 16, DP_F32);
  for (guint i = 0; i < 4; i++) {
    cases[i] = net.cases[0];
    cases[i].n_answer = 60;
    cases[i].choice.temperature = 1.5f, cases[i].choice.top_p = 0.9f, cases[i].choice.seed = 7 + i / 2; /* two seeds, twice */
    sequence_start (&r, &alone[i], &cases[i], i);
    run_prefill (&r, &alone[i], 1, 128);
    run_decode (&r, &alone[i], 1);
    sequence_start (&r, &together[i], &cases[i], i);
  }
  run_prefill (&r, together, 4, 128);
  run_decode (&r, together, 4);
  for (guint i = 0; i < 4; i++) {
    g_assert_cmpmem (alone[i].tokens, sizeof alone[i].tokens, together[i].tokens, sizeof together[i].tokens);
    g_assert_cmpmem (alone[i].tokens, sizeof alone[i].tokens, alone[i / 2 * 2].tokens, sizeof alone[i].tokens);
  }
  for (guint32 i = 0; i < 60; i++)
    different += alone[0].tokens[cases[0].n_prompt + i] != alone[2].tokens[cases[0].n_prompt + i];
  g_assert_cmpuint (different, >, 20);
  for (guint i = 0; i < 4; i++) {
    sequence_end (&alone[i]);
    sequence_end (&together[i]);
  }
  runner_close (&r);
  network_close (&net);
}

/* A copied page carries keys, values and tokens: a sequence that goes on in copies says the same, penalties included. */
static void
test_copied_pages (void)
{
  Network net;
  Runner r;
  Sequence q;

  network_open (&net, "nested");
  runner_open (&r, network_model (&net, "cpu", DP_F32, FALSE), 4, DP_F32);
  for (guint i = 0; i < net.n; i++) {
    sequence_start (&r, &q, &net.cases[i], 0);
    run_prefill (&r, &q, 1, 128);
    for (guint32 p = 0; p < r.pages_each; p++) {
      const guint32 copy = 1 + (5 * r.pages_each + p) * 7919 % (NETWORK_MOST * r.pages_each);
      dp_decoder_copy_page (r.decoder, q.pages[p], copy);
      q.pages[p] = copy;
    }
    run_decode (&r, &q, 1);
    check_answer (&q, dp_model_config (r.model)->text.vocabulary, "copied pages");
    sequence_end (&q);
  }
  runner_close (&r);
  network_close (&net);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/decoder/parity/cpu", "cpu", test_parity);
  g_test_add_data_func ("/decoder/parity/reference", "reference", test_parity);
  g_test_add_func ("/decoder/chunks", test_chunks);
  g_test_add_func ("/decoder/packed-prefill", test_packed_prefill);
  g_test_add_func ("/decoder/kinds", test_kinds);
  g_test_add_func ("/decoder/drawn", test_drawn);
  g_test_add_func ("/decoder/copied-pages", test_copied_pages);
  return g_test_run ();
}
