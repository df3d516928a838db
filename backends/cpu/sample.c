/* backends/cpu/sample.c - sample: argmax, or temperature, top-k, top-p, min-p and one draw.
 *
 * The definition sorts the whole vocabulary.  Here candidates come off a heap in the same order, and only as many
 * as are needed: a draw from a peaked distribution of 150,000 tokens takes a handful.  Running sums are double:
 * over so many tokens those of f32 would be off by more than a token's share.
 */
#include "backends/cpu/rows.h"

#include <math.h>

/* A thread's slice: probabilities by id, logits as f32, the heap of ids, the candidates taken from it. */
#define SLICE(cols) (4 * (gsize) (cols))

typedef struct {
  const float *p;
  guint32 *ids;   /* n in a binary heap, the next in order on top; behind it, from the end on, those taken */
  guint32 n, all; /* in the heap, altogether */
  float *taken;   /* probabilities of those taken, in order */
} Candidates;

/* Larger first, lower index first among equals. */
static gboolean
before (const float *p, guint32 a, guint32 b)
{
  return p[a] != p[b] ? p[a] > p[b] : a < b;
}

static void
sift_down (Candidates *c, guint32 at)
{
  guint32 id = c->ids[at], child;

  while ((child = 2 * at + 1) < c->n) {
    if (child + 1 < c->n && before (c->p, c->ids[child + 1], c->ids[child]))
      child++;
    if (!before (c->p, c->ids[child], id))
      break;
    c->ids[at] = c->ids[child];
    at = child;
  }
  c->ids[at] = id;
}

static void
heap_new (Candidates *c, guint32 n)
{
  c->n = c->all = n;
  for (guint32 i = 0; i < n; i++)
    c->ids[i] = i;
  for (guint32 i = n / 2; i-- > 0;)
    sift_down (c, i);
}

/* The candidate in place i < all of the order, taking as many off the heap as that needs. */
static guint32
candidate (Candidates *c, guint32 i)
{
  while (c->all - c->n <= i) {
    guint32 id = c->ids[0];
    c->taken[c->all - c->n] = c->p[id];
    c->ids[0] = c->ids[--c->n];
    if (c->n)
      sift_down (c, 0);
    c->ids[c->n] = id;
  }
  return c->ids[c->all - 1 - i];
}

/* Sum of the first n. */
static double
head_sum (Candidates *c, guint32 n)
{
  double sum = 0;

  candidate (c, n - 1);
  for (guint32 i = 0; i < n; i++)
    sum += c->taken[i];
  return sum;
}

/* How many stay, and the sum of their probabilities; all together have 1. */
static guint32
keep (Candidates *c, gint32 top_k, float top_p, float min_p, double *sum)
{
  guint32 n = top_k > 0 ? MIN (c->all, (guint32) top_k) : c->all, i;

  *sum = n == c->all ? 1 : head_sum (c, n);
  if (top_p < 1) {
    double limit = top_p * *sum;
    for (i = 0, *sum = 0; i < n && (i == 0 || *sum < limit); i++) {
      candidate (c, i);
      *sum += c->taken[i];
    }
    n = i;
  }
  if (min_p > 0) {
    candidate (c, 0);
    float least = min_p * c->taken[0];
    for (i = 1, *sum = c->taken[0]; i < n; i++) {
      candidate (c, i);
      if (c->taken[i] < least)
        break;
      *sum += c->taken[i];
    }
    n = i;
  }
  return n;
}

static guint32
draw (Candidates *c, guint32 n, double limit)
{
  double sum = 0;

  for (guint32 i = 0; i < n; i++) {
    guint32 id = candidate (c, i);
    sum += c->taken[i];
    if (sum > limit)
      return id;
  }
  return candidate (c, n - 1); /* rounding ate the last step */
}

/* largest is finite. */
static gint32
choose (const DpSampleArgs *a, gsize b, const DpArithKernels *k, const float *logits, float largest, float *slice)
{
  const float *params = dp_tensor_row (&a->params, (guint32) b);
  guint32 n = a->logits.cols;
  gsize cols = n;
  Candidates c = { .p = slice, .ids = (guint32 *) (gpointer) (slice + 2 * cols), .taken = slice + 3 * cols };
  double sum;

  k->scale (1 / k->softmax (logits, largest, params[0], slice, cols), slice, cols);
  heap_new (&c, n);
  n = keep (&c, dp_cpu_int (&a->top_k, b, 0), params[1], params[2], &sum);
  return (gint32) draw (&c, n, sum * dp_uniform ((guint32) dp_cpu_int (&a->random, b, 0), (guint32) dp_cpu_int (&a->random, b, 1)));
}

static void
sample_rows (gpointer data, gsize first, gsize last, guint thread)
{
  const DpCpuCall *call = data;
  const DpSampleArgs *a = call->args;
  const DpArithKernels *k = call->task->cpu->kernels->arith;
  gsize cols = a->logits.cols;
  float *slice = dp_cpu_slice (call->task, thread, SLICE (cols));

  for (gsize b = first; b < last; b++) {
    const DpTensor one = dp_tensor_rows (a->logits, (guint32) b, 1);
    const float *logits = dp_cpu_vector (call->task->cpu, &one, slice + cols);
    float temperature = *(const float *) dp_tensor_row (&a->params, (guint32) b);
    DpBest best = k->best (logits, cols);
    gint32 id = !isfinite (best.largest) ? -1 : temperature > 0 ? choose (a, b, k, logits, best.largest, slice) : (gint32) best.at;
    *(gint32 *) dp_tensor_row (&a->ids, (guint32) b) = id;
    if (a->logprob.buffer)
      *(float *) dp_tensor_row (&a->logprob, (guint32) b)
          = id < 0 ? NAN : logits[id] - best.largest - logf (MAX (k->sum_exp (logits, best.largest, cols), 1));
  }
}

static void
sample (const DpCpuTask *task, const void *args)
{
  const DpSampleArgs *a = args;
  DpCpuCall call = { task, args };

  dp_cpu_for (task, a->logits.rows, 1, sample_rows, &call);
}

static gsize
sample_space (G_GNUC_UNUSED const DpCpu *cpu, guint n_threads, const void *args)
{
  return n_threads * dp_cpu_slice_size (SLICE (((const DpSampleArgs *) args)->logits.cols));
}

const DpCpuOperator dp_cpu_op_sample = { .run = sample, .space = sample_space };
