/* vlm/line_draft.h - draft and verify: one line's way from the CTC head's draft to its text (internal to vlm/).
 *
 * Pure bookkeeping on token ids, without a model.  The decoder is asked what follows each token of a feed; dp_line_draft_take()
 * accepts its answers as long as the feed went on as the decoder itself would have, and makes the next feed from the first
 * place where it did not.  An answer is accepted only if everything before it is already the decoder's own text, so the text is
 * that of plain greedy decoding, token for token (input-guided aggressive decoding, Ge 2022; blockwise parallel decoding,
 * Stern 2018; a CTC draft: Saon 2026, arXiv 2603.11243).  What is guessed wrong costs time only.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  gint32 bos, eos;
  gboolean plain; /* never guess: one token a pass */
  /* the CTC head's draft: n_draft ids, the frame at which each begins, its log-probability at its surest frame */
  guint32 n_draft;
  gint32 *draft;
  gint32 *frames;
  float *draft_sure;
  /* the decoder's text so far; with the end sign, when it has come */
  guint32 limit; /* tokens that it may have, the end sign included */
  guint32 n_text;
  gint32 *text; /* [limit] */
  float *sure;  /* [limit] log-probabilities */
  gboolean done, ended;
  /* what to feed next: behind `kept` tokens (the first of them BOS) that stay in the cache */
  guint32 kept, n_feed;
  gint32 *feed; /* [limit + 1] */
  guint32 passes;
} DpLineDraft;

/* Takes copies of the draft. The first feed is BOS and the draft. */
void dp_line_draft_init (DpLineDraft *line, const gint32 *draft, const gint32 *frames, const float *sure, guint32 n, gint32 bos, gint32 eos,
                         gboolean plain);
void dp_line_draft_clear (DpLineDraft *line);

/* The most tokens the decoder may write for a draft of n characters: ceil (5 n / 4) + 4, the end sign included. */
guint32 dp_line_draft_limit (guint32 n);

/* What the decoder says after each token of the feed: ids and log-probabilities [n_feed]. */
void dp_line_draft_take (DpLineDraft *line, const gint32 *ids, const float *sure);

/* ---- the answer (vlm/nano/README.md, "Reading") ---------------------------------------------------- */

/* What the finished text is good for.  A function of draft and text alone, not of how the text was made. */
typedef enum {
  DP_LINE_SAME,   /* it is the draft */
  DP_LINE_OTHER,  /* a text of its own: vlm/line_choice.h judges */
  DP_LINE_BROKEN, /* no end, a loop, or signs that are no characters (ids below `first`): the draft is the answer */
} DpLineVerdict;

DpLineVerdict dp_line_draft_verdict (const DpLineDraft *line, gint32 first);

/* Edit distance of a and b, in which a substitute costs so much and what is put in or left out costs 1: 1 is Levenshtein's, with 2 as much
 * as possible is the same. If match is not NULL, [n], match[i] becomes the element of b that a[i] stands for on one
 * best path (the same or a substitute), or -1 where a[i] was inserted. */
guint32 dp_line_edits (const gint32 *a, guint32 n, const gint32 *b, guint32 m, guint32 substitute, gint32 *match);

G_END_DECLS
