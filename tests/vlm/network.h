/* tests/vlm/network.h - the tiny networks of tests/fixtures/vlm/networks, their golden answers, and a small loop that decodes.
 *
 * The loop is what an engine does, without its cleverness: every sequence owns scattered pages, prompts are prefilled in chunks,
 * then all decode together until the longest has its tokens.
 */
#pragma once

#include "tests/vlm/golden.h"
#include "vlm/decoder.h"
#include "vlm/vision.h"

#include <math.h>

typedef struct {
  const char *name;
  guint32 n_prompt, n_answer, n_pictures, next;
  gint32 *prompt, *positions, *answer, *image_at;
  guint32 n_image_rows;
  const cJSON *json;
  guint32 grids[4][3], seeds[4];
  DpChoice choice;
} Case;

typedef struct {
  char *dir;
  cJSON *json;
  guint n;
  Case cases[8];
  float *features; /* of all pictures of all cases in order */
  gsize n_features;
} Network;

static inline gint32 *
golden_ints (const cJSON *list, guint32 *n)
{
  const cJSON *item;
  gint32 *out = g_new (gint32, cJSON_GetArraySize (list) + 1), *at = out;

  cJSON_ArrayForEach (item, list) *at++ = item->valueint;
  *n = (guint32) (at - out);
  return out;
}

static inline void
network_case (Case *c, const cJSON *json)
{
  const cJSON *grid, *penalties = cJSON_GetObjectItemCaseSensitive (json, "penalties");
  guint32 n;

  *c = (Case){ .name = golden_string (json, "name"), .json = json, .next = (guint32) golden_int (json, "next") };
  c->prompt = golden_ints (golden_get (json, "tokens"), &c->n_prompt);
  c->positions = golden_ints (golden_get (json, "positions"), &n);
  g_assert_cmpuint (n, ==, 3 * c->n_prompt);
  c->answer = golden_ints (golden_get (json, "answer"), &c->n_answer);
  c->image_at = g_new (gint32, c->n_prompt);
  for (guint32 i = 0; i < c->n_prompt; i++)
    if (c->prompt[i] == 296)
      c->image_at[c->n_image_rows++] = (gint32) i;
  cJSON_ArrayForEach (grid, golden_get (json, "grids"))
  {
    c->grids[c->n_pictures][0] = 1;
    c->grids[c->n_pictures][1] = (guint32) grid->child->valueint;
    c->grids[c->n_pictures][2] = (guint32) grid->child->next->valueint;
    c->seeds[c->n_pictures] = (guint32) cJSON_GetArrayItem (golden_get (json, "seeds"), (int) c->n_pictures)->valueint;
    c->n_pictures++;
  }
  c->choice = (DpChoice){ .top_p = 1, .repetition = 1, .n_prompt = c->n_prompt };
  if (!penalties)
    return;
  c->choice.repetition = (float) golden_get (penalties, "repetition")->valuedouble;
  c->choice.presence = (float) golden_get (penalties, "presence")->valuedouble;
  c->choice.frequency = (float) golden_get (penalties, "frequency")->valuedouble;
  c->choice.ngram = golden_int (penalties, "ngram");
}

static inline void
network_open (Network *net, const char *name)
{
  g_autofree char *golden = g_build_filename ("networks", name, "golden.json", NULL);
  g_autofree char *features = g_build_filename ("tests/fixtures/vlm/networks", name, "features.f32", NULL);
  const cJSON *json;
  char *bytes;
  g_autoptr (GError) error = NULL;

  *net = (Network){ .dir = g_build_filename ("tests/fixtures/vlm/networks", name, NULL), .json = golden_load (golden) };
  cJSON_ArrayForEach (json, golden_get (net->json, "cases")) network_case (&net->cases[net->n++], json);
  g_file_get_contents (features, &bytes, &net->n_features, &error);
  g_assert_no_error (error);
  net->features = (gpointer) bytes; /* little-endian, as all machines that docparse runs on */
  net->n_features /= sizeof (float);
}

static inline void
network_close (Network *net)
{
  for (guint i = 0; i < net->n; i++) {
    g_free (net->cases[i].prompt);
    g_free (net->cases[i].positions);
    g_free (net->cases[i].answer);
    g_free (net->cases[i].image_at);
  }
  cJSON_Delete (net->json);
  g_free (net->features);
  g_free (net->dir);
}

/* The same as picture() of networks.py: multiples of 1/64. */
static inline DpPatches
network_patches (const guint32 grid[3], guint32 seed)
{
  DpPatches p = { .n = grid[1] * grid[2], .dim = 1176, .grid = { 1, grid[1], grid[2] } };

  p.data = g_new (float, (gsize) p.n *p.dim);
  for (guint64 i = 0; i < (guint64) p.n * p.dim; i++) {
    const guint32 x = (guint32) ((i + (guint64) seed * 1000003) * 2654435761u);
    p.data[i] = ((float) ((x >> 16) % 257) - 128) / 64;
  }
  return p;
}

static inline DpModel *
network_model (const Network *net, const char *device, DpType weights, gboolean eager)
{
  const DpModelLoad load = { .device = device,
                             .threads = 2,
                             .strict_memory = g_str_equal (device, "reference"),
                             .strict_backend = TRUE,
                             .eager = eager,
                             .weights = weights,
                             .cache_dir = "" };
  g_autoptr (GError) error = NULL;
  DpModel *model = dp_model_load (net->dir, &load, &error);

  g_assert_no_error (error);
  return model;
}

/* ---- decoding -------------------------------------------------------------------------------------------- */

enum { NETWORK_MOST = 16, NETWORK_LEN = 288 };

typedef struct {
  DpModel *model;
  DpDecoder *decoder;
  guint32 page_size, pages_each;
} Runner;

static inline void
runner_open (Runner *r, DpModel *model, guint32 page_size, DpType kv_type)
{
  g_autoptr (GError) error = NULL;
  const guint32 each = (NETWORK_LEN + page_size - 1) / page_size;
  const DpDecoderOptions options = { .page_size = page_size,
                                     .n_pages = 1 + NETWORK_MOST * each,
                                     .kv_type = kv_type,
                                     .max_batch = NETWORK_MOST,
                                     .max_rows = 128,
                                     .max_len = NETWORK_LEN };

  *r = (Runner){ .model = model, .page_size = page_size, .pages_each = each };
  r->decoder = dp_decoder_new (model, &options, &error);
  g_assert_no_error (error);
}

static inline void
runner_close (Runner *r)
{
  dp_decoder_free (r->decoder);
  dp_model_free (r->model);
}

/* One sequence on its way. */
typedef struct {
  const Case *c;
  guint32 *pages, len; /* tokens in the cache */
  gint32 tokens[NETWORK_LEN + 1];
  float logprobs[NETWORK_LEN + 1];
  float *first_logits; /* after the prompt, [vocabulary] */
  DpBuffer *images;    /* rows of all its pictures */
  DpTensor image_rows;
} Sequence;

static inline void
sequence_encode (Runner *r, Sequence *q)
{
  const guint32 hidden = dp_model_config (r->model)->text.hidden;
  g_autoptr (GError) error = NULL;
  guint32 at = 0;

  if (!q->c->n_image_rows)
    return;
  q->images = dp_buffer_new (dp_model_backend (r->model), (gsize) q->c->n_image_rows * hidden * 4, &error);
  g_assert_no_error (error);
  q->image_rows = dp_tensor (q->images, 0, DP_F32, q->c->n_image_rows, hidden);
  for (guint32 i = 0; i < q->c->n_pictures; i++) {
    DpPatches patches = network_patches (q->c->grids[i], q->c->seeds[i]);
    const guint32 rows = dp_vision_rows (r->model, q->c->grids[i]);
    dp_vision_encode (r->model, dp_decoder_stream (r->decoder), &patches, dp_tensor_rows (q->image_rows, at, rows));
    dp_patches_clear (&patches);
    at += rows;
  }
  dp_stream_sync (dp_decoder_stream (r->decoder), &error);
  g_assert_no_error (error);
}

/* Sequence number i of a run; its pages lie scattered. */
static inline void
sequence_start (Runner *r, Sequence *q, const Case *c, guint i)
{
  *q = (Sequence){ .c = c, .pages = g_new (guint32, r->pages_each) };
  for (guint32 p = 0; p < r->pages_each; p++)
    q->pages[p] = 1 + (i * r->pages_each + p) * 7919 % (NETWORK_MOST * r->pages_each);
  memcpy (q->tokens, c->prompt, c->n_prompt * sizeof q->tokens[0]);
  sequence_encode (r, q);
}

static inline void
sequence_end (Sequence *q)
{
  g_free (q->pages);
  g_free (q->first_logits);
  dp_buffer_free (q->images);
}

/* The next n rows of a prompt, and the pictures' rows among them. */
static inline DpDecoderPart
sequence_chunk (Sequence *q, guint32 n, gint32 *image_at)
{
  const Case *c = q->c;
  DpDecoderPart part = { .n = n, .kv_len = q->len + n, .tokens = c->prompt + q->len, .positions = c->positions + 3 * q->len };
  guint32 first = 0, count = 0;

  part.pages = q->pages;
  part.image_at = image_at;
  while (first < c->n_image_rows && (guint32) c->image_at[first] < q->len)
    first++;
  while (first + count < c->n_image_rows && (guint32) c->image_at[first + count] < q->len + n) {
    image_at[count] = c->image_at[first + count] - (gint32) q->len;
    count++;
  }
  if (count)
    part.images = dp_tensor_rows (q->image_rows, first, count);
  return part;
}

/* Prefills n sequences together, chunk rows of each at a time, and chooses their first tokens. */
static inline void
run_prefill (Runner *r, Sequence *q, guint n, guint32 chunk)
{
  const DpModelConfig *config = dp_model_config (r->model);
  DpStream *s = dp_decoder_stream (r->decoder);
  const gsize mark = dp_stream_mark (s);
  const DpTensor hidden = dp_stream_temp (s, dp_model_activations (r->model), n, config->text.hidden);
  g_autoptr (GError) error = NULL;
  DpChoice choices[NETWORK_MOST];
  DpChosen chosen[NETWORK_MOST];

  for (guint i = 0; i < n; i++)
    while (q[i].len < q[i].c->n_prompt) {
      gint32 image_at[NETWORK_LEN];
      const guint32 rows = MIN (chunk, q[i].c->n_prompt - q[i].len);
      const DpDecoderPart part = sequence_chunk (&q[i], rows, image_at);
      dp_decoder_prefill (r->decoder, &part, 1, dp_tensor_rows (hidden, i, 1));
      q[i].len += rows;
    }
  g_autofree float *logits = g_new (float, (gsize) n * config->text.vocabulary);
  g_assert_true (dp_decoder_logits (r->decoder, hidden, n, logits, &error) || error);
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++) {
    q[i].first_logits = g_memdup2 (logits + (gsize) i * config->text.vocabulary, config->text.vocabulary * sizeof *logits);
    choices[i] = q[i].c->choice;
    choices[i].history = q[i].tokens;
    choices[i].n_history = q[i].len;
  }
  g_assert_true (dp_decoder_choose (r->decoder, hidden, choices, n, chosen, &error) || error);
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++)
    q[i].tokens[q[i].len] = chosen[i].id, q[i].logprobs[q[i].len] = chosen[i].logprob;
  dp_stream_release (s, mark);
}

/* Decodes until every sequence has its golden number of tokens; those that have leave the batch. */
static inline void
run_decode (Runner *r, Sequence *q, guint n)
{
  g_autoptr (GError) error = NULL;

  for (;;) {
    DpDecoderPart parts[NETWORK_MOST];
    DpChoice choices[NETWORK_MOST];
    DpChosen chosen[NETWORK_MOST];
    gint32 positions[NETWORK_MOST][3];
    guint which[NETWORK_MOST], batch = 0;
    for (guint i = 0; i < n; i++) {
      const Case *c = q[i].c;
      if (q[i].len + 1 >= c->n_prompt + c->n_answer)
        continue;
      for (guint axis = 0; axis < 3; axis++)
        positions[batch][axis] = (gint32) (c->next + q[i].len - c->n_prompt);
      parts[batch] = (DpDecoderPart){
        .n = 1, .kv_len = q[i].len + 1, .tokens = &q[i].tokens[q[i].len], .positions = positions[batch], .pages = q[i].pages
      };
      choices[batch] = c->choice;
      which[batch++] = i;
    }
    if (!batch)
      return;
    g_assert_true (dp_decoder_step (r->decoder, parts, choices, batch, chosen, &error) || error);
    g_assert_no_error (error);
    for (guint b = 0; b < batch; b++) {
      Sequence *one = &q[which[b]];
      one->tokens[++one->len] = chosen[b].id;
      one->logprobs[one->len] = chosen[b].logprob;
    }
  }
}
