/* backends/cpu/graph.c - see graph.h. */
#include "backends/cpu/graph.h"
#include "ops/schema.h"

#include <time.h>

enum { TEAM, SPLIT, ALONE, N_FORMS };

typedef struct {
  const DpCpu *cpu;
  DpQueue *reference;
  DpCpuStep *steps;
  guint n_steps;
  guint n_waits;     /* barriers of the plan */
  DpCpuSplit *split; /* NULL: cannot be */

  double estimate[N_FORMS];          /* nanoseconds; 0: not known yet */
  guint64 n_launches, last[N_FORMS]; /* launch a form was last used in */
  guint trial, left, unheard;        /* a form on trial, launches it still has, and how many of those do not count */

  DpNodeTime *times;
  const gint *stop; /* of the queue that launches */
  GError *error;    /* the first of a launch, of steps on the reference */
} Graph;

static gint64
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* ---- lowering --------------------------------------------------------------------------------------- */

/* Work of so many nanoseconds (as a rough guess: 30 bytes, 100 operations each) is done sooner than a word about it reaches
 * another thread and comes back. */
#define SMALL_NS 600.0

/* Tables that all rows share are not read in full. */
static gboolean
is_table (const DpField *field)
{
  return g_str_equal (field->name, "cos") || g_str_equal (field->name, "sin");
}

static gboolean
is_small (const DpCall *call)
{
  const DpSchema *schema = dp_schema (call->op);
  double bytes = dp_call_bytes (call->op, call->args);

  for (guint f = 0; f < schema->n_fields; f++) {
    const DpTensor *t = is_table (&schema->fields[f]) ? dp_field_tensor (&schema->fields[f], call->args) : NULL;
    if (t && t->buffer)
      bytes -= (double) dp_tensor_bytes (t);
  }
  return bytes / 30 + dp_call_flop (call->op, call->args) / 100 < SMALL_NS;
}

/* Hangs small steps on the step before them.  That one must be the first after a wait: then its last item is the last of
 * everything that its followers may need.  Whoever stands behind waits in their place. */
static void
hang_small (DpCpuStep *steps, guint n, const DpPlan *plan)
{
  for (guint i = 0; i < n; i += 1 + steps[i].n_then) {
    gboolean barrier = FALSE;
    guint next = i + 1;
    if (!steps[i].operator|| !steps[i].operator->then || (i && !steps[i].barrier))
      continue;
    for (; next < n && steps[next].operator&& is_small (&plan->nodes[next].calls[0]); next++)
      barrier = barrier || steps[next].barrier;
    steps[i].n_then = next - i - 1;
    if (next < n)
      steps[next].barrier = steps[next].barrier || barrier;
  }
}

/* The weight that a step reads from its first to its last panel, or NULL. */
static const DpCpuWeight *
weight_of (const DpCpuStep *step)
{
  const DpSchema *schema = dp_schema (step->op);

  if (!step->operator|| step->op == DP_OP_EMBEDDING || step->op == DP_OP_FUSED_MOE)
    return NULL;
  for (guint f = 0; f < schema->n_fields; f++) {
    const DpWeight *w = dp_field_weight (&schema->fields[f], step->args);
    if (w)
      return dp_cpu_weight (w);
  }
  return NULL;
}

gboolean
dp_cpu_graph_lower (DpBackend *backend, const DpPlan *plan, gpointer *lowered, G_GNUC_UNUSED GError **error)
{
  DpCpu *cpu = dp_cpu (backend);
  Graph *g = g_new0 (Graph, 1);

  g->cpu = cpu;
  g->reference = plan->reference;
  g->n_steps = plan->n_nodes;
  g->steps = g_new0 (DpCpuStep, MAX (plan->n_nodes, 1));
  for (guint i = 0; i < plan->n_nodes; i++) {
    const DpPlanNode *node = &plan->nodes[i];
    const DpCall *call = &node->calls[0]; /* no patterns are listed, so there is one */
    g->steps[i] = (DpCpuStep){ .operator= node->fallback ? NULL : dp_cpu_operator (call->op),
                               .op = call->op,
                               .args = call->args,
                               .workspace = node->workspace,
                               .barrier = node->barrier };
    g->n_waits += node->barrier;
  }
  for (guint i = g->n_steps; i-- > 0;) {
    const DpCpuWeight *own = weight_of (&g->steps[i]);
    g->steps[i].ahead = own || i + 1 == g->n_steps ? own : g->steps[i + 1].ahead;
  }
  hang_small (g->steps, g->n_steps, plan);
  if (cpu->n_threads > 1)
    g->split = dp_cpu_split_new (backend, plan, cpu->n_threads);
  *lowered = g;
  return TRUE;
}

void
dp_cpu_graph_free (G_GNUC_UNUSED DpBackend *backend, gpointer lowered)
{
  Graph *g = lowered;

  dp_cpu_split_free (g->split);
  g_free (g->steps);
  g_free (g);
}

/* ---- running ------------------------------------------------------------------------------------------ */

static gboolean
run_reference (DpQueue *queue, const DpCpuStep *step, GError **error)
{
  const DpOpTable *ops = queue->backend->klass->ops;

  switch (step->op) {
#define X(id, name, NAME, Name)                                                                                                            \
  case DP_OP_##NAME: return ops->name (queue, step->args, &step->workspace, error);
    DP_OPS (X)
#undef X
  default: return FALSE;
  }
}

typedef struct {
  Graph *graph;
  const DpCpuStep *step;
} Fallback;

static void
fallback_item (gpointer data, G_GNUC_UNUSED gsize first, G_GNUC_UNUSED gsize last, G_GNUC_UNUSED guint thread)
{
  const Fallback *f = data;
  GError *error = NULL;

  if (!run_reference (f->graph->reference, f->step, &error) && !g_atomic_pointer_compare_and_exchange (&f->graph->error, NULL, error))
    g_clear_error (&error);
}

static void
run_step (Graph *g, const DpCpuStep *step, DpCpuTask *task)
{
  Fallback fallback = { g, step };

  task->scratch = step->workspace.size ? step->workspace.buffer->host + step->workspace.offset : NULL;
  if (step->operator)
    step->operator->run (task, step->args);
  else
    dp_cpu_for (task, 1, 1, fallback_item, &fallback);
}

/* What hangs on a step. */
typedef struct {
  Graph *graph;
  const DpCpuStep *steps;
  guint n;
} Followers;

static void
follow (gpointer data, G_GNUC_UNUSED guint thread)
{
  const Followers *f = data;
  DpCpuTask task = { .cpu = f->graph->cpu, .n_threads = 1, .stop = f->graph->stop };

  for (guint i = 0; i < f->n; i++)
    run_step (f->graph, &f->steps[i], &task);
}

/* Most bytes that a waiting thread fetches: a part of a second-level cache, beside what is in use. */
#define AHEAD_BYTES ((gsize) 192 << 10)

/* What is left of a thread's own part of a weight. */
typedef struct {
  const DpCpuWeight *weight;
  const guint8 *at, *end;
} Ahead;

static void
look_ahead (Ahead *ahead, const DpCpuWeight *w, const DpCpuTask *task)
{
  if (!w || w == ahead->weight)
    return;
  const guint8 *first = dp_cpu_panel (w, 0, (guint32) ((guint64) w->n_panels * task->thread / task->n_threads));
  const guint8 *end = dp_cpu_panel (w, 0, (guint32) ((guint64) w->n_panels * (task->thread + 1) / task->n_threads));
  *ahead = (Ahead){ w, first, MIN (end, first + AHEAD_BYTES) };
}

static gboolean
fetch_some (gpointer data)
{
  Ahead *ahead = data;

  for (guint i = 0; i < 8 && ahead->at < ahead->end; i++, ahead->at += 64)
    __builtin_prefetch (ahead->at, 0, 2);
  return ahead->at < ahead->end;
}

static void
walk (Graph *g, DpCpuTask task)
{
  Ahead ahead = { 0 };

  for (guint i = 0; i < g->n_steps; i += 1 + g->steps[i].n_then) {
    const DpCpuStep *step = &g->steps[i];
    Followers followers = { g, step + 1, step->n_then };
    if (step->barrier && task.team) {
      look_ahead (&ahead, step->ahead, &task);
      dp_team_wait_idle (task.team, task.thread, fetch_some, &ahead);
    }
    task.then = step->n_then ? follow : NULL;
    task.then_data = &followers;
    run_step (g, step, &task);
    if (step->n_then && !task.team)
      follow (&followers, 0);
  }
}

/* Step by step, each with its time. */
static void
walk_timed (Graph *g, DpCpuTask task)
{
  for (guint i = 0; i < g->n_steps; i++) {
    dp_cpu_wait (&task);
    if (task.thread == 0)
      g->times[i].begin = now ();
    run_step (g, &g->steps[i], &task);
    dp_cpu_wait (&task);
    if (task.thread == 0)
      g->times[i].end = now ();
  }
}

static void
team_region (DpTeam *team, gpointer data, guint thread)
{
  Graph *g = data;

  const DpCpuTask task = { .cpu = g->cpu, .team = team, .thread = thread, .n_threads = g->cpu->n_threads, .stop = g->stop };

  (g->times ? walk_timed : walk) (g, task);
}

static void
split_items (gpointer data, gsize first, gsize last, G_GNUC_UNUSED guint thread)
{
  const Graph *g = data;

  for (gsize slice = first; slice < last; slice++)
    dp_cpu_split_run (g->split, g->cpu, (guint) slice, g->stop);
}

static void
run_form (Graph *g, guint form)
{
  switch (form) {
  case TEAM: dp_team_region (g->cpu->team, team_region, g); break;
  case SPLIT: dp_team_for (g->cpu->team, dp_cpu_split_size (g->split), 1, split_items, g); break;
  default: (g->times ? walk_timed : walk) (g, (DpCpuTask){ .cpu = g->cpu, .n_threads = 1, .stop = g->stop }); break;
  }
}

/* ---- which form ---------------------------------------------------------------------------------------- */

/* A trial is a few launches in a row, of which the first fill the caches of each thread and do not count. */
#define FIRST_TRIAL 12
#define FIRST_UNHEARD 5
#define TRIAL 12
#define UNHEARD 5
/* A form as good as the best is tried again after so many launches, one twice as slow after four times as many. */
#define TRY_AGAIN 256
#define LONGEST_WAIT 8192

/* What a wait may cost on a machine that others use, in nanoseconds: the spin of team.c, then a wake-up. */
#define WAIT_NS 10000.0

/* Without the team a step saves its waits and nothing else, so where they are small beside the work (the estimate of TEAM, which
 * is always the first) nothing is tried: a dozen launches on one thread are a page's worth of tokens for a large model. */
static gboolean
is_possible (const Graph *g, guint form, gboolean split)
{
  switch (form) {
  case SPLIT: return split;
  case ALONE: return g->estimate[ALONE] > 0 || (g->estimate[TEAM] > 0 && g->estimate[TEAM] < 2 * WAIT_NS * (g->n_waits + 1));
  default: return TRUE;
  }
}

static guint
best_form (const Graph *g, gboolean split)
{
  guint best = TEAM;

  for (guint f = 0; f < N_FORMS; f++)
    if (is_possible (g, f, split) && g->estimate[f] > 0 && g->estimate[f] < g->estimate[best])
      best = f;
  return best;
}

static gboolean
is_due (const Graph *g, guint form, guint best)
{
  double ratio = g->estimate[form] / g->estimate[best];

  return g->estimate[form] == 0
         || (form != best && (double) (g->n_launches - g->last[form]) > MIN (TRY_AGAIN * ratio * ratio, LONGEST_WAIT));
}

static guint
choose (Graph *g, gboolean split)
{
  guint best = best_form (g, split);

  for (guint f = 0; f < N_FORMS && !g->left; f++)
    if (is_possible (g, f, split) && is_due (g, f, best)) {
      gboolean first = g->estimate[f] == 0;
      g->trial = f;
      g->left = first ? FIRST_TRIAL : TRIAL;
      g->unheard = first ? FIRST_UNHEARD : UNHEARD;
    }
  if (!g->left || (g->trial == SPLIT && !split))
    return best;
  g->left--;
  return g->trial;
}

/* A running mean.  What a neighbour does to a single launch counts for four times the mean at most, and a form that
 * has become fast again is believed sooner than one that has become slow. */
static void
learn (Graph *g, guint form, double ns)
{
  double *estimate = &g->estimate[form];

  g->last[form] = g->n_launches;
  if (form == g->trial && g->unheard > 0)
    g->unheard--;
  else if (*estimate == 0)
    *estimate = ns;
  else
    *estimate += (MIN (ns, 4 * *estimate) - *estimate) / (ns < *estimate ? 4 : 8);
}

gboolean
dp_cpu_graph_launch (DpQueue *queue, gpointer lowered, DpNodeTime *times, GError **error)
{
  Graph *g = lowered;
  DpCpu *cpu = dp_cpu (queue->backend);
  gboolean have_team = cpu->n_threads > 1 && dp_cpu_take_team (cpu);

  g->times = times;
  g->stop = queue->stop;
  g->n_launches++;
  if (!have_team)
    run_form (g, ALONE);
  else if (times)
    run_form (g, TEAM);
  else {
    guint form = choose (g, g->split && dp_cpu_split_allowed (g->split));
    gint64 begin = now ();
    run_form (g, form);
    learn (g, form, (double) (now () - begin));
  }
  if (have_team)
    dp_cpu_give_team (cpu);
  if (!g->error)
    return TRUE;
  g_propagate_error (error, g->error);
  g->error = NULL;
  return FALSE;
}
