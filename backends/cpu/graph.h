/* backends/cpu/graph.h - captured graphs: a flat list of steps, run in one of three forms that give the same bits.
 *
 *   alone  the caller runs every step; nothing is woken, nothing waited for
 *   team   all threads walk through the list in one region; a wait stands only where the plan has a barrier.  What is too small to
 *          be shared hangs on the step before it; who waits has the weights fetched that come next
 *   split  the sequences of a decode step are dealt to the threads, each runs the whole list for its own: one wait
 *          per step.  Weights are read once per thread, so this is for models that the caches hold.
 *
 * Which is fastest depends on the model, the batch and on who else uses the machine, so the first replays try each
 * and later ones try again now and then.
 */
#pragma once

#include "backends/cpu/weight.h"

G_BEGIN_DECLS

typedef struct {
  const DpCpuOperator *operator; /* NULL: the reference runs it */
  DpOp op;
  const void *args;
  DpWorkspace workspace;
  gboolean barrier;
  guint n_then;             /* small steps behind this one that belong to it: whoever finishes it runs them, nobody waits */
  const DpCpuWeight *ahead; /* the weight that comes next, this step's own included; NULL: none */
} DpCpuStep;

/* A decode step for some of its sequences only (split.c). */
typedef struct {
  DpCpuStep *steps;
  gpointer *args;  /* copies, n_steps */
  DpBuffer *shell; /* this slice's arena */
  DpBuffer *scratch;
} DpCpuSlice;

typedef struct DpCpuSplit DpCpuSplit;

/* NULL when the plan is no decode step of several sequences, or splitting it cannot be proved harmless. */
DpCpuSplit *dp_cpu_split_new (DpBackend *backend, const DpPlan *plan, guint n_threads);
void dp_cpu_split_free (DpCpuSplit *split);
/* Whether the sequences of the step about to run keep out of each other's cache pages. */
gboolean dp_cpu_split_allowed (DpCpuSplit *split);
guint dp_cpu_split_size (const DpCpuSplit *split);
/* Slices 0 .. size-1, each by one thread. */
void dp_cpu_split_run (const DpCpuSplit *split, const DpCpu *cpu, guint slice, const gint *stop);

/* The class's functions. */
gboolean dp_cpu_graph_lower (DpBackend *backend, const DpPlan *plan, gpointer *lowered, GError **error);
gboolean dp_cpu_graph_launch (DpQueue *queue, gpointer lowered, DpNodeTime *times, GError **error);
void dp_cpu_graph_free (DpBackend *backend, gpointer lowered);

G_END_DECLS
