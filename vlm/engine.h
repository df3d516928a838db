/* vlm/engine.h - many questions to one model at once: continuous batching over regions, pages and documents.
 *
 * Whoever wants something read asks and waits; the engine has a thread of its own that admits requests (bounded by pages of the
 * KV cache and by the worst-case memory of the vision encoder), encodes their pictures, prefills prompts in chunks, decodes all
 * running requests together and finishes each on its own.  A request that does not fit now waits; one that is pushed out when
 * pages run short loses nothing: its prompt is prefilled again and its tokens are decoded again, through the same operators, so
 * that the answer is the same.  The same question gives the same answer alone or in any batch.
 *
 * Ideas: vLLM (paged KV, continuous batching), LMDeploy (chunked prefill, block reuse for a common prefix).
 */
#pragma once

#include "vlm/model.h"

#include <cairo.h>

G_BEGIN_DECLS

typedef struct {
  guint64 memory_budget; /* bytes beyond the weights: KV cache and temporaries; 0: a quarter of the machine's, at most 8 GiB */
  guint32 page_size;     /* tokens in a page of the KV cache; 0: what the device likes best, or 16 */
  DpType kv_type;        /* DP_F32 (0), DP_BF16, DP_I8 */
  guint32 max_batch;     /* sequences decoded together; 0: 32 */
  guint32 prefill_chunk; /* rows of one prefill call; 0: 512 */
  guint32 max_len;       /* prompt and answer; 0: what the model allows */
  guint32 kv_pages;      /* of the cache, one for padding included; 0: what memory_budget allows */
} DpEngineOptions;

/* How a token is chosen; zeros are not "off": start from DP_SAMPLING_GREEDY. */
typedef struct {
  float temperature, top_p, min_p;
  guint32 top_k;
  float repetition, presence, frequency; /* penalties; presence and frequency look at output tokens only */
  guint32 no_repeat_ngram;               /* of output tokens; 0: off */
  guint32 seed;
} DpSampling;
#define DP_SAMPLING_GREEDY ((DpSampling){ .temperature = 0, .top_p = 1, .repetition = 1 })

typedef struct {
  const char *prompt;     /* the user's text, as in the chat; copied */
  cairo_surface_t *image; /* RGB24, stands before the text; NULL: text only; a reference is taken */
  DpSampling sampling;
  guint32 max_tokens;  /* of the answer; 0: up to max_len */
  gint priority;       /* smaller first; equal ones in the order of asking */
  gboolean loop_guard; /* stop when the tail repeats periodically; the answer keeps what was there, cut behind the first period */
} DpRequest;

typedef enum {
  DP_FINISH_STOP,      /* the model said so */
  DP_FINISH_LENGTH,    /* max_tokens or max_len reached; text is what there was */
  DP_FINISH_LOOP,      /* the loop guard stepped in */
  DP_FINISH_CANCELLED, /* the question was taken back, or the engine stopped; text is what there was */
  DP_FINISH_FAILED,    /* see error */
} DpFinish;

typedef struct {
  char *text;        /* UTF-8; special tokens of the output grammar kept, those that end a turn left out; owned; never NULL unless failed */
  GArray *tokens;    /* guint32, output */
  guint32 n_prompt;  /* tokens, pictures included */
  float confidence;  /* exp of the mean log-probability of the output tokens, 0..1; 0 for an empty answer */
  float min_logprob; /* the least sure token; 0 for an empty answer */
  DpFinish finish;
  GError *error;
} DpAnswer;

void dp_answer_free (DpAnswer *answer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpAnswer, dp_answer_free)

/* Who answers: the engine, or in tests a script with recorded answers.  All functions may be called from any thread. */
typedef struct DpAnswerer DpAnswerer;
struct DpAnswerer {
  /* Takes a question; returns a ticket. */
  gpointer (*ask) (DpAnswerer *self, const DpRequest *request);
  /* Blocks until it is answered; the ticket is then gone.  Owned by the caller. */
  DpAnswer *(*wait) (DpAnswerer *self, gpointer ticket);
  /* Takes a question back, before its wait has returned: it is answered soon, as cancelled unless it is too late; the ticket is
   * still to be waited for.  NULL: cannot be. */
  void (*cancel) (DpAnswerer *self, gpointer ticket);
  const char *digest; /* of the model, for provenance */
};

/* The two functions by name.  (A checker that sees them called through the struct takes the ticket for a part of the request.) */
static inline gpointer
dp_ask (DpAnswerer *answerer, const DpRequest *request)
{
  return answerer->ask (answerer, request);
}

static inline DpAnswer *
dp_wait (DpAnswerer *answerer, gpointer ticket)
{
  return answerer->wait (answerer, ticket);
}

typedef struct DpEngine DpEngine;

/* Takes over nothing: model must outlive the engine.  options may be NULL. */
DpEngine *dp_engine_new (DpModel *model, const DpEngineOptions *options, GError **error);
void dp_engine_stop (DpEngine *engine); /* every waiting request is answered as cancelled; callable from any thread */
void dp_engine_free (DpEngine *engine); /* stops, joins its thread */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpEngine, dp_engine_free)

/* Whether questions with a picture of so many pixels can be answered at all, within the memory budget and the model's length; FALSE
 * with an error that says what is missing. */
gboolean dp_engine_can_see (const DpEngine *engine, int width, int height, GError **error);

DpAnswerer *dp_engine_answerer (DpEngine *engine);

/* Counters since the start, for reports and benches. */
typedef struct {
  guint64 requests, prompt_tokens, output_tokens; /* of answered questions */
  guint64 prefilled_tokens;                       /* rows of all prefill calls: more with preemptions, fewer with hits */
  guint64 prefix_hits;                            /* rows that were found in the cache instead */
  guint64 steps, step_rows, replayed;             /* decode steps, their rows, and those that only fed a token again */
  guint64 preemptions, images, patches;           /* images: encoded, again after a preemption included */
  gint64 vision_us, prefill_us, decode_us;        /* of the clock on the wall */
  guint32 most_running;
  guint32 kv_pages;
  guint64 kv_bytes;
} DpEngineStats;

void dp_engine_stats (DpEngine *engine, DpEngineStats *stats);

G_END_DECLS
