/* vlm/decoder.h - the language decoder of a model over a paged KV cache, through ops/ only.
 *
 * The decoder does not know requests.  It is given rows: the new tokens of some sequences, packed one sequence after the other,
 * and for every row its position and its slot in the cache; and per sequence how long it is in the cache after this call and
 * where its pages are.  vlm/engine.c decides what goes into a call.
 *
 * A row's result depends on its own sequence only, bit for bit: not on the rest of the call, not on how its prompt was cut into
 * chunks (prefill always reads keys and values through the cache), not on eager or graph.
 */
#pragma once

#include "vlm/model.h"

G_BEGIN_DECLS

typedef struct DpDecoder DpDecoder;

typedef struct {
  guint32 page_size; /* tokens per page of the KV cache */
  guint32 n_pages;   /* page 0 is for padding and never given out */
  DpType kv_type;    /* DP_BF16, DP_F32 or DP_I8 */
  guint32 max_batch; /* most sequences in one call */
  guint32 max_rows;  /* most rows in a prefill call (the chunk) */
  guint32 max_len;   /* longest sequence, prompt and answer; <= max_positions of the model */
} DpDecoderOptions;

/* Bytes that one page takes over all layers. */
gsize dp_decoder_page_bytes (const DpModel *model, guint32 page_size, DpType kv_type);

DpDecoder *dp_decoder_new (DpModel *model, const DpDecoderOptions *options, GError **error);
void dp_decoder_free (DpDecoder *decoder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpDecoder, dp_decoder_free)

DpStream *dp_decoder_stream (DpDecoder *decoder); /* the one that everything of this decoder is issued on */

/* The share of one sequence in a call. */
typedef struct {
  guint32 n;               /* new rows, >= 1; decoding: 1 */
  guint32 kv_len;          /* tokens in the cache once these rows are in: the rows stand at kv_len - n .. kv_len - 1 */
  const gint32 *tokens;    /* [n] ids; where a row is a picture's, the placeholder */
  const gint32 *positions; /* [n * axes] rotary positions; axes = 3 with M-RoPE (time, height, width), else 1 */
  const guint32 *pages;    /* [ceil (kv_len / page_size)] block table */
  DpTensor images;         /* [k, hidden]: embeddings that replace rows; absent: none */
  const gint32 *image_at;  /* [k] which of the n rows, ascending; row i of images goes there */
} DpDecoderPart;

/* Prefill: n_parts <= max_batch parts, together at most max_rows rows.  hidden_last gets one row per part, the last one's hidden
 * state after the final norm, [n_parts, hidden] of the activations' type.  Eager, as shapes differ from call to call.  Errors
 * stick to the stream. */
void dp_decoder_prefill (DpDecoder *decoder, const DpDecoderPart *parts, guint32 n_parts, DpTensor hidden_last);

/* What a token is chosen by; rows as in the call.  See ops/ops.h (logits_penalty, ngram_ban, sample) for the meaning. */
typedef struct {
  float temperature, top_p, min_p; /* temperature <= 0: greedy */
  gint32 top_k;
  float repetition, presence, frequency; /* off: 1, 0, 0 */
  gint32 ngram;                          /* no_repeat_ngram_size, 0: off */
  guint32 seed;
  /* Prompt, then output: n_history tokens, the first n_prompt of them the prompt.  The tokens are read by dp_decoder_choose only,
   * and only when a penalty or the ban is on; dp_decoder_step finds them where the decoder keeps them, beside the keys and
   * values (vlm/decoder_choose.c), and takes part->kv_len for n_history. */
  const gint32 *history;
  guint32 n_history, n_prompt;
} DpChoice;

typedef struct {
  gint32 id; /* -1: no finite logit */
  /* log softmax at id of the logits before penalties and ban, or, where these changed which token is the likeliest or the token
   * was drawn, after them; NaN if undefined.  Its last bits may depend on whether another row of the call is penalised. */
  float logprob;
} DpChosen;

/* Chooses from hidden states [n, hidden] (the result of a prefill), n <= max_batch.  Syncs; FALSE with the first error of the stream. */
gboolean dp_decoder_choose (DpDecoder *decoder, DpTensor hidden, const DpChoice *choices, guint32 n, DpChosen *chosen, GError **error);

/* One step for n sequences (1 row each, no pictures): the captured graph of its bucket, or the same eagerly.  Choosing is part
 * of the graph.  Syncs. */
gboolean dp_decoder_step (DpDecoder *decoder, const DpDecoderPart *parts, const DpChoice *choices, guint32 n, DpChosen *chosen,
                          GError **error);

/* The logits [n, vocabulary] f32 of hidden states, n <= max_rows, on the host: for parity tests and tools. Syncs. */
gboolean dp_decoder_logits (DpDecoder *decoder, DpTensor hidden, guint32 n, float *logits, GError **error);

/* Copies a page of the cache (sharing a prefix whose last page is not full). */
void dp_decoder_copy_page (DpDecoder *decoder, guint32 from, guint32 to);

G_END_DECLS
