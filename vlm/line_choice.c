/* vlm/line_choice.c - see the header. */
#include "vlm/line_choice.h"

#include <math.h>
#include <string.h>

/* ---- candidates --------------------------------------------------------------------------------------- */

/* A place where the texts differ: own[a .. b-1] stands for draft[c .. d-1]; either may be empty. */
typedef struct {
  guint32 a, b, c, d;
} Place;

/* Returns how many there are; the first DP_LINE_PLACES are written. */
static guint
find_places (const gint32 *own, guint32 n, const gint32 *draft, guint32 m, Place *places)
{
  g_autofree gint32 *match = g_new (gint32, n + 1);
  guint32 a = 0, c = 0;
  guint found = 0;

  dp_line_edits (own, n, draft, m, 2, match);
  for (guint32 i = 0; i <= n; i++) {
    if (i < n && (match[i] < 0 || own[i] != draft[match[i]]))
      continue;
    const Place p = { a, i, c, i < n ? (guint32) match[i] : m };
    if (p.b > p.a || p.d > p.c) {
      if (found < DP_LINE_PLACES)
        places[found] = p;
      found++;
    }
    a = p.b + 1, c = p.d + 1;
  }
  return found;
}

static DpLineCandidate
candidate_new (gint32 bos, const gint32 *ids, guint32 n)
{
  DpLineCandidate c = { .ids = g_new (gint32, n + 1), .n = n, .sure = g_new0 (float, n + 1) };

  c.ids[0] = bos;
  if (n)
    memcpy (c.ids + 1, ids, n * sizeof *ids);
  return c;
}

/* The draft, with the decoder's words at the places of `mask`. */
static DpLineCandidate
mixture (const DpLineDraft *line, const Place *places, guint n_places, guint mask)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  guint32 at = 0;

  for (guint p = 0; p < n_places; p++)
    if (mask & 1u << p) {
      g_array_append_vals (ids, line->draft + at, places[p].c - at);
      g_array_append_vals (ids, line->text + places[p].a, places[p].b - places[p].a);
      at = places[p].d;
    }
  g_array_append_vals (ids, line->draft + at, line->n_draft - at);
  return candidate_new (line->bos, (const gint32 *) (gpointer) ids->data, ids->len);
}

guint
dp_line_candidates (const DpLineDraft *line, DpLineCandidate out[DP_LINE_CANDIDATES])
{
  const guint32 n_own = line->n_text - line->ended;
  Place places[DP_LINE_PLACES];
  const guint n_places = find_places (line->text, n_own, line->draft, line->n_draft, places);
  const guint masks = n_places <= DP_LINE_PLACES ? 1u << n_places : 2;
  guint n = 0;

  for (guint mask = 0; mask + 1 < masks; mask++) {
    out[n] = mixture (line, places, MIN (n_places, DP_LINE_PLACES), mask);
    if (out[n].n <= line->limit) /* there is room for it in the cache */
      n++;
    else
      dp_line_candidate_clear (&out[n]);
  }
  out[n] = candidate_new (line->bos, line->text, n_own);
  memcpy (out[n].sure, line->sure, line->n_text * sizeof *line->sure);
  out[n++].own = TRUE;
  return n;
}

void
dp_line_candidate_clear (DpLineCandidate *candidate)
{
  g_free (candidate->ids);
  g_free (candidate->sure);
  memset (candidate, 0, sizeof *candidate);
}

/* ---- likelihoods -------------------------------------------------------------------------------------- */

void
dp_line_log_softmax (float *logits, gsize rows, gsize symbols)
{
  for (float *row = logits; row < logits + rows * symbols; row += symbols) {
    float most = -INFINITY, sum = 0;
    for (gsize v = 0; v < symbols; v++)
      most = MAX (most, row[v]);
    for (gsize v = 0; v < symbols; v++)
      sum += expf (row[v] - most);
    const float all = most + logf (MAX (sum, 1)); /* the largest gives 1 */
    for (gsize v = 0; v < symbols; v++)
      row[v] -= all;
  }
}

/* One frame of the forward recursion, in place: share[2 k] has written k symbols and stands on a blank, share[2 k + 1] on symbol k.
 * Returns the sum, by which the shares are divided. */
static double
forward (double *share, guint32 n, const gint32 *ids, const float *logprob, gint32 blank)
{
  const double empty = exp ((double) logprob[blank]);
  double sum = 0;

  for (guint32 s = 2 * n + 1; s-- > 0;) {
    const guint32 k = s / 2;
    double to = share[s] + (s ? share[s - 1] : 0);
    if (s % 2 && s > 1 && ids[k] != ids[k - 1]) /* no blank is needed between different symbols */
      to += share[s - 2];
    share[s] = to * (s % 2 ? exp ((double) logprob[ids[k]]) : empty);
    sum += share[s];
  }
  for (guint32 s = 0; sum > 0 && s <= 2 * n; s++)
    share[s] /= sum;
  return sum;
}

double
dp_line_ctc (const float *logprob, guint32 n_frames, guint32 symbols, gint32 blank, const gint32 *ids, guint32 n)
{
  g_autofree double *share = g_new0 (double, 2 * (gsize) n + 1);
  double total = 0;

  /* before the first frame all stands on the first blank, from where the first symbol may begin at once */
  share[0] = 1;
  for (guint32 t = 0; t < n_frames; t++) {
    const double sum = forward (share, n, ids, logprob + (gsize) t * symbols, blank);
    if (!(sum > 0))
      return -INFINITY;
    total += log (sum);
  }
  const double ends = share[2 * n] + (n ? share[2 * n - 1] : 0);
  return ends > 0 ? total + log (ends) : -INFINITY;
}

void
dp_line_candidate_judge (DpLineCandidate *candidate, const float *logprob, guint32 symbols, gint32 eos)
{
  for (guint32 i = 0; i <= candidate->n; i++)
    candidate->sure[i] = logprob[(gsize) i * symbols + (gsize) (i < candidate->n ? candidate->ids[i + 1] : eos)];
}

static double
score (const DpLineCandidate *c)
{
  double sum = c->ctc;

  for (guint32 i = 0; i <= c->n; i++)
    sum += (double) c->sure[i];
  return sum;
}

guint
dp_line_choose (const DpLineCandidate *candidates, guint n)
{
  guint best = n - 1;

  for (guint i = 0; i + 1 < n; i++)
    if (score (&candidates[i]) > score (&candidates[best]))
      best = i;
  return best;
}
