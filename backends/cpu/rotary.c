/* backends/cpu/rotary.c - apply_rotary: heads in place, the pairs of one position axis at a time. */
#include "backends/cpu/rows.h"

#include <string.h>

/* Pairs first .. last-1 take their angles from one row of the tables. */
typedef struct {
  guint32 first, last;
  const float *c, *s; /* of pair `first`; NULL: position outside the tables, the pairs stay */
} Segment;

static Segment
segment_of (const DpApplyRotaryArgs *a, gsize token, guint32 axis, guint32 first, guint32 last)
{
  gint64 row = a->positions.buffer ? dp_cpu_int (&a->positions, token, axis) : (gint64) token;
  Segment s = { first, last, NULL, NULL };

  if (row >= 0 && row < a->cos.rows) {
    s.c = (const float *) dp_tensor_row (&a->cos, (guint32) row) + first;
    s.s = (const float *) dp_tensor_row (&a->sin, (guint32) row) + first;
  }
  return s;
}

/* At most one segment per section; all sections 0: one. */
static guint
segments_of (const DpApplyRotaryArgs *a, gsize token, Segment *segments)
{
  guint32 pairs = a->rot_dim / 2, first = 0;
  guint n = 0;

  for (guint32 axis = 0; axis < G_N_ELEMENTS (a->sections) && first < pairs; axis++)
    if (a->sections[axis]) {
      guint32 last = MIN (first + a->sections[axis], pairs);
      segments[n++] = segment_of (a, token, axis, first, last);
      first = last;
    }
  if (first < pairs)
    segments[n++] = segment_of (a, token, 0, first, pairs);
  return n;
}

/* The angles of all pairs, one after the other in room, where they come from several rows: whole vectors instead of parts. */
static guint
join_segments (const DpApplyRotaryArgs *a, Segment *segments, guint n, float *room)
{
  const guint32 pairs = a->rot_dim / 2;

  for (guint i = 0; i < n; i++)
    if (!segments[i].c)
      return n;
  if (n < 2)
    return n;
  for (guint i = 0; i < n; i++) {
    const Segment *s = &segments[i];
    memcpy (room + s->first, s->c, (s->last - s->first) * sizeof *room);
    memcpy (room + pairs + s->first, s->s, (s->last - s->first) * sizeof *room);
  }
  segments[0] = (Segment){ 0, pairs, room, room + pairs };
  return 1;
}

static void
rotate_head (const DpCpu *cpu, const DpApplyRotaryArgs *a, float *x, const Segment *segments, guint n)
{
  const DpArithKernels *k = cpu->kernels->arith;

  for (guint i = 0; i < n; i++) {
    const Segment *s = &segments[i];
    if (!s->c)
      continue;
    if (a->interleaved)
      k->rotate_pairs (x + 2 * (gsize) s->first, s->c, s->s, s->last - s->first);
    else
      k->rotate_half (x + s->first, x + a->rot_dim / 2 + s->first, s->c, s->s, s->last - s->first);
  }
}

static void
rotate_row (const DpCpu *cpu, const DpApplyRotaryArgs *a, const DpTensor *t, guint32 token, const Segment *segments, guint n, float *room)
{
  for (guint32 head = 0; head < t->cols; head += a->head_dim) {
    guint32 at = head + a->rot_start;
    if (t->type == DP_F32) {
      rotate_head (cpu, a, (float *) dp_tensor_row (t, token) + at, segments, n);
      continue;
    }
    dp_cpu_load (cpu, t, token, at, a->rot_dim, room);
    rotate_head (cpu, a, room, segments, n);
    dp_cpu_store (cpu, t, token, at, a->rot_dim, room);
  }
}

static void
rotate_tokens (gpointer data, gsize first, gsize last, guint thread)
{
  const DpCpuCall *call = data;
  const DpApplyRotaryArgs *a = call->args;
  float *room = dp_cpu_slice (call->task, thread, 2 * (gsize) a->rot_dim);
  Segment segments[G_N_ELEMENTS (a->sections) + 1];

  for (gsize token = first; token < last; token++) {
    guint n = join_segments (a, segments, segments_of (a, token, segments), room + a->rot_dim);
    rotate_row (call->task->cpu, a, &a->q, (guint32) token, segments, n, room);
    if (a->k.buffer)
      rotate_row (call->task->cpu, a, &a->k, (guint32) token, segments, n, room);
  }
}

static void
apply_rotary (const DpCpuTask *task, const void *args)
{
  const DpApplyRotaryArgs *a = args;
  DpCpuCall call = { task, args };

  dp_cpu_for_last (task, a->q.rows, dp_cpu_row_chunk (a->q.cols), rotate_tokens, &call);
}

static gsize
apply_rotary_space (G_GNUC_UNUSED const DpCpu *cpu, guint n_threads, const void *args)
{
  return n_threads * dp_cpu_slice_size (2 * (gsize) ((const DpApplyRotaryArgs *) args)->rot_dim);
}

const DpCpuOperator dp_cpu_op_apply_rotary = { .run = apply_rotary, .space = apply_rotary_space, .then = TRUE };
