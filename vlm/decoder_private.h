/* vlm/decoder_private.h - what the decoder's files know of each other. */
#pragma once

#include "vlm/decoder.h"
#include "vlm/family.h"

G_BEGIN_DECLS

/* Inputs of a decode step, a row per sequence; between steps every row is padding. */
typedef enum {
  DP_STEP_TOKENS,
  DP_STEP_POSITIONS,
  DP_STEP_SLOTS,
  DP_STEP_LENS,
  DP_STEP_TABLE,
  DP_STEP_PROMPTS, /* from here on: for choosing */
  DP_STEP_PENALTIES,
  DP_STEP_NGRAMS,
  DP_STEP_SAMPLING,
  DP_STEP_GREEDY,
  DP_STEP_TOP_K,
  DP_STEP_RANDOM,
  DP_N_STEP_FIELDS,
} DpStepInput;

/* Inputs of a prefill: rows, and parts. */
typedef enum {
  DP_FILL_TOKENS,
  DP_FILL_POSITIONS,
  DP_FILL_SLOTS,
  DP_FILL_IMAGES, /* rows that pictures replace, of all parts one after the other */
  DP_FILL_ENDS,
  DP_FILL_LENS,
  DP_FILL_TABLE,
  DP_FILL_LAST,
  DP_N_FILL_FIELDS,
} DpFillInput;

struct DpDecoder {
  DpModel *model;
  DpDecoderOptions options;
  guint32 axes, pages_each; /* pages of the longest sequence */
  DpStream *stream;
  DpKv *kv;
  DpBuffer *memory;                                    /* of all tensors below */
  DpTensor cos, sin;                                   /* [max_len, head_dim/2] */
  DpTensor history;                                    /* [n_pages, page_size] i32: the token of every slot of the cache */
  DpTensor results;                                    /* the four below as bytes */
  DpTensor ids, logprob, likeliest, likeliest_logprob; /* [max_batch, 1] */
  DpStep *step, *fill;
  GHashTable *graphs; /* bucket * 2 + form -> DpGraph */
};

/* ---- the net (vlm/decoder_net.c) --------------------------------------------------------------------------- */

typedef struct {
  DpTensor tokens, positions, slots; /* a row each */
  DpTensor table, lens;              /* a row per sequence */
  DpTensor ends;                     /* prefill only: cu_seqlens */
  guint32 longest, longest_kv;       /* prefill only: most rows of a sequence, most in the cache */
  DpTensor last;                     /* prefill only: the rows that are wanted, [sequences, 1] */
  const DpDecoderPart *parts;        /* prefill only: for their pictures; NULL: none */
  guint32 n_parts;
  DpTensor image_rows; /* prefill only: where they go */
} DpDecoderRows;

/* Issues the net on rows; out gets the hidden states after the final norm, of all rows or of `last`. */
void dp_decoder_forward (DpDecoder *d, DpStream *s, const DpDecoderRows *rows, DpTensor out);

/* ---- choosing (vlm/decoder_choose.c) -------------------------------------------------------------------------- */

typedef enum {
  DP_CHOOSE_PLAIN, /* greedy, no penalty, no ban: logits are never written */
  DP_CHOOSE_FULL,
} DpChooseForm;

/* FULL if any of n choices needs it; lens[i] tokens are in the history of i. */
DpChooseForm dp_decoder_form (const DpChoice *choices, const guint32 *lens, guint32 n);

/* Writes the choosing fields of d->step for row i, whose history has len tokens. */
void dp_decoder_fill_choice (DpDecoder *d, guint32 i, const DpChoice *choice, guint32 len);

/* Issues the choice of hidden.rows tokens; tokens [rows, L] i32 are the histories (FULL only), lens how long each is. */
void dp_decoder_issue_choice (DpDecoder *d, DpStream *s, DpChooseForm form, DpTensor hidden, DpTensor tokens, DpTensor lens);

/* Syncs and reads n results. */
gboolean dp_decoder_read_choice (DpDecoder *d, DpChooseForm form, guint32 n, DpChosen *chosen, GError **error);

/* The first n rows of a step input. */
static inline DpTensor
dp_decoder_input (const DpDecoder *d, DpStepInput field, guint32 n)
{
  return dp_tensor_rows (dp_step_tensor (d->step, field), 0, n);
}

G_END_DECLS
