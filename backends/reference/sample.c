/* backends/reference/sample.c - argmax, and sampling: temperature, top-k, top-p, min-p, one draw. */
#include "backends/reference/reference.h"

#include <stdlib.h>

gint32
ref_best (const float *l, guint32 n, float *logprob, float *margin)
{
  guint32 best = 0;
  float second = -INFINITY;
  double sum = 0; /* over a whole vocabulary an f32 would be off by more than a token's share */
  gboolean nan = FALSE;
  for (guint32 i = 0; i < n; i++) {
    nan = nan || isnan (l[i]);
    if (l[i] > l[best] || (isnan (l[best]) && !isnan (l[i])))
      best = i;
  }
  for (guint32 i = 0; i < n; i++) {
    if (i != best && !isnan (l[i]))
      second = MAX (second, l[i]);
    sum += expf (l[i] - l[best]);
  }
  *margin = n == 1 ? INFINITY : l[best] - second;
  *logprob = nan || !isfinite (l[best]) ? NAN : -(float) log (sum);
  return isnan (l[best]) ? 0 : (gint32) best;
}

typedef struct {
  float p;
  gint32 id;
} Candidate;

static int
likelier_first (const void *a, const void *b)
{
  const Candidate *x = a, *y = b;
  return x->p != y->p ? (x->p < y->p) - (x->p > y->p) : (x->id > y->id) - (x->id < y->id);
}

/* p = softmax (l / temperature), sorted. */
static void
sorted_softmax (const float *l, guint32 n, float temperature, Candidate *c)
{
  float largest = -INFINITY;
  double sum = 0;
  for (guint32 i = 0; i < n; i++)
    largest = l[i] > largest ? l[i] : largest;
  for (guint32 i = 0; i < n; i++) {
    c[i] = (Candidate){ isnan (l[i]) ? 0 : expf ((l[i] - largest) / temperature), (gint32) i };
    sum += c[i].p;
  }
  for (guint32 i = 0; i < n; i++)
    c[i].p = (float) (c[i].p / sum);
  qsort (c, n, sizeof *c, likelier_first);
}

static double
head_sum (const Candidate *c, guint32 n)
{
  double sum = 0;
  for (guint32 i = 0; i < n; i++)
    sum += c[i].p;
  return sum;
}

/* How many of the sorted candidates stay. */
static guint32
keep (const Candidate *c, guint32 n, gint32 top_k, float top_p, float min_p)
{
  if (top_k > 0)
    n = MIN (n, (guint32) top_k);
  if (top_p < 1) {
    double limit = top_p * head_sum (c, n), sum = 0;
    guint32 i = 0;
    while (i < n && (i == 0 || sum < limit))
      sum += c[i++].p;
    n = i;
  }
  while (n > 1 && c[n - 1].p < min_p * c[0].p)
    n--;
  return n;
}

static gint32
draw (const Candidate *c, guint32 n, float u)
{
  double limit = u * head_sum (c, n), sum = 0;
  for (guint32 i = 0; i < n; i++) {
    sum += c[i].p;
    if (sum > limit)
      return c[i].id;
  }
  return c[n - 1].id; /* rounding ate the last step */
}

/* l[id] is finite. */
static float
log_softmax_at (const float *l, guint32 n, gint32 id)
{
  float largest = l[id];
  double sum = 0;
  for (guint32 i = 0; i < n; i++)
    largest = l[i] > largest ? l[i] : largest;
  for (guint32 i = 0; i < n; i++)
    sum += isnan (l[i]) ? 0 : expf (l[i] - largest);
  return l[id] - largest - (float) log (MAX (sum, 1)); /* the largest itself adds 1 */
}

gboolean
ref_sample (G_GNUC_UNUSED DpQueue *queue, const DpSampleArgs *a, const DpWorkspace *workspace, G_GNUC_UNUSED GError **error)
{
  guint32 n = a->logits.cols;
  float *l = ref_floats (workspace);
  Candidate *c = (Candidate *) (gpointer) (l + n);
  for (guint32 b = 0; b < a->logits.rows; b++) {
    float temperature = ref_get (&a->params, b, 0), logprob, margin;
    ref_row (&a->logits, b, l);
    gint32 id = ref_best (l, n, &logprob, &margin);
    if (!isfinite (l[id]))
      id = -1;
    else if (temperature > 0) {
      sorted_softmax (l, n, temperature, c);
      guint32 kept = keep (c, n, ref_int (&a->top_k, b, 0), ref_get (&a->params, b, 1), ref_get (&a->params, b, 2));
      id = draw (c, kept, dp_uniform ((guint32) ref_int (&a->random, b, 0), (guint32) ref_int (&a->random, b, 1)));
    }
    ref_set_int (&a->ids, b, 0, id);
    if (a->logprob.buffer)
      ref_set (&a->logprob, b, 0, id < 0 ? NAN : log_softmax_at (l, n, id));
  }
  return TRUE;
}
