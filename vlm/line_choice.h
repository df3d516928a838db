/* vlm/line_choice.h - which text is the answer where the CTC draft and the decoder's text differ (internal to vlm/).
 *
 * Both models judge all candidates: the draft, the decoder's text, and the mixtures of the two when they differ in few places.
 * The answer is the one that the product of both likelihoods prefers (attention rescoring of a CTC reading: Watanabe 2017,
 * "Hybrid CTC/attention architecture", with equal weights and two hypotheses).  The rule of vlm/nano/training/evaluate.py, choose.
 */
#pragma once

#include "vlm/line_draft.h"

G_BEGIN_DECLS

enum {
  DP_LINE_PLACES = 3,     /* with more differences the two texts are the only candidates */
  DP_LINE_CANDIDATES = 8, /* 1 << DP_LINE_PLACES */
};

typedef struct {
  gint32 *ids; /* BOS and n characters: what the decoder is fed */
  guint32 n;
  float *sure;  /* [n + 1] the decoder's log-probability of each character and of the end */
  double ctc;   /* log-likelihood of the characters */
  gboolean own; /* the decoder's text: its `sure` is known */
} DpLineCandidate;

/* Fills out[0 .. result-1] for a finished text that differs from its draft: first the draft, last the decoder's text. */
guint dp_line_candidates (const DpLineDraft *line, DpLineCandidate out[DP_LINE_CANDIDATES]);
void dp_line_candidate_clear (DpLineCandidate *candidate);

/* logits [rows, symbols] become log-probabilities. */
void dp_line_log_softmax (float *logits, gsize rows, gsize symbols);

/* log P (ids | frames) of CTC (Graves 2006): the sum over all ways to write n symbols in n_frames frames of which any number are blank.
 * logprob [n_frames, symbols]. -INFINITY where there is no way. */
double dp_line_ctc (const float *logprob, guint32 n_frames, guint32 symbols, gint32 blank, const gint32 *ids, guint32 n);

/* candidate->sure from logprob [n + 1, symbols], the decoder's after each token of candidate->ids. */
void dp_line_candidate_judge (DpLineCandidate *candidate, const float *logprob, guint32 symbols, gint32 eos);

/* The candidate with the largest sum of both log-likelihoods; of equals, the decoder's text, else the first. */
guint dp_line_choose (const DpLineCandidate *candidates, guint n);

G_END_DECLS
