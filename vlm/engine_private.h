/* vlm/engine_private.h - what the files of the engine share.
 *
 *   engine.c         asking and waiting, the thread and its round: receive, admit, prefill, decode
 *   engine_plan.c    how the memory budget becomes pages, chunk and limits
 *   engine_admit.c   who runs: pages for a question, shared prefixes, pushing one out
 *   engine_prefill.c pictures and prompts into the cache
 *   engine_decode.c  one token more for everyone
 *   engine_finish.c  from tokens to an answer
 *
 * Two kinds of state: what the lock protects (the door between threads), and all the rest, which is the engine's thread's alone.
 * A question belongs to who asks until it is pushed through the door, then to the thread until its answer is set.
 * The lock is POSIX's own, so that race detectors see it.
 */
#pragma once

#include "vlm/decoder.h"
#include "vlm/engine.h"
#include "vlm/kv_pages.h"
#include "vlm/prompt.h"

#include <pthread.h>

G_BEGIN_DECLS

typedef struct {
  /* as asked */
  guint64 serial;
  gint priority;
  DpSampling sampling;
  gboolean loop_guard;
  guint32 max_tokens; /* of the answer, >= 1 */
  cairo_surface_t *image;
  guint32 grid[3]; /* of its patches */
  DpPrompt prompt;

  /* where it stands */
  GSequenceIter *place; /* among the waiting; NULL: running */
  GArray *history;      /* gint32: prompt, then output */
  GArray *logprobs;     /* float, one for each output token */
  GArray *pages;        /* guint32: block table */
  DpKvMark *marks;      /* [prompt.n] */
  guint32 cached;       /* rows in the cache: first of the prompt, then of the output */
  guint32 published;    /* pages in the prefix tree ... */
  DpKvNode node;        /* ... and the last one's place there */
  DpBuffer *embeddings; /* of the picture, [prompt.n_image, hidden]; NULL before and after they are needed */

  /* under the lock */
  gboolean cancelled;
  DpAnswer *answer; /* set once, and the question is then its waiter's */
  pthread_cond_t answered;
} DpQuestion;

struct DpEngine {
  DpAnswerer answerer; /* first, so that one is the other */
  DpModel *model;
  const DpModelConfig *config;
  DpBackend *backend;
  DpEngineOptions o;   /* every 0 replaced by what it stands for */
  gsize vision_budget; /* for a picture while it is encoded */
  gsize vision_keep;   /* for graphs of the vision encoder */

  /* the thread's */
  DpDecoder *decoder;
  DpStream *stream;
  DpKvPages *pages;
  GSequence *waiting; /* DpQuestion, by priority, then in the order of asking */
  GPtrArray *running; /* DpQuestion, in the same order, at most max_batch */
  DpBuffer *hidden;   /* [max_batch, hidden] */
  /* of the call being put together, max_batch each */
  DpQuestion **called;
  DpDecoderPart *parts;
  DpChoice *choices;
  DpChosen *chosen;
  gint32 *positions; /* [max_batch, 3], decoding */
  gint32 *image_at;  /* [prefill_chunk] */

  /* the door */
  pthread_mutex_t lock;
  pthread_cond_t work;
  GQueue incoming;  /* DpQuestion */
  GHashTable *open; /* DpQuestion that nobody has waited for yet */
  gboolean stopping;
  gint stop;     /* the same for the back end, which asks it in the middle of its work; atomic */
  guint cancels; /* since the thread last looked */
  guint64 serials;
  DpEngineStats stats;
  GThread *thread;
};

/* ---- engine_plan.c ---- */

/* Fills engine->o, vision_* and stats.kv_*; FALSE where the budget is too small. */
gboolean dp_engine_plan (DpEngine *engine, const DpEngineOptions *options, GError **error);
/* Bytes that a picture of n patches takes while it is encoded, the model's rows of it included. */
gsize dp_engine_picture_bytes (const DpEngine *engine, guint32 n_patches, guint32 rows);

/* ---- engine_admit.c ---- */

gint dp_question_compare (gconstpointer a, gconstpointer b, gpointer unused);
void dp_engine_admit (DpEngine *engine);
/* A page for row q->cached; others may have to go for it, or q itself. */
void dp_engine_make_room (DpEngine *engine, DpQuestion *q);
/* Gives the pages back. */
void dp_engine_release (DpEngine *engine, DpQuestion *q, gboolean comes_back);
/* Puts prompt pages that have become full into the prefix tree. */
void dp_engine_publish (DpEngine *engine, DpQuestion *q);

/* ---- engine_prefill.c, engine_decode.c ---- */

void dp_engine_prefill (DpEngine *engine);
void dp_engine_decode (DpEngine *engine);
DpTensor dp_engine_embeddings (const DpEngine *engine, const DpQuestion *q);
void dp_engine_choice (const DpQuestion *q, DpChoice *choice);
/* Takes a new token; may finish q. */
void dp_engine_accept (DpEngine *engine, DpQuestion *q, const DpChosen *chosen);

/* ---- engine_finish.c ---- */

/* The answer is set and q gone from the engine.  error is copied; for DP_FINISH_FAILED only. */
void dp_engine_finish (DpEngine *engine, DpQuestion *q, DpFinish finish, const GError *error);
/* Fails every question of the call; when the engine stops they stay, and are dropped as cancelled with the others. */
void dp_engine_fail_call (DpEngine *engine, guint32 n, const GError *error);
void dp_question_free (DpQuestion *q);

static inline gboolean
dp_question_prefilled (const DpQuestion *q)
{
  return q->cached >= q->prompt.n;
}

static inline guint32
dp_engine_pages_for (const DpEngine *engine, guint32 rows)
{
  return (rows + engine->o.page_size - 1) / engine->o.page_size;
}

G_END_DECLS
