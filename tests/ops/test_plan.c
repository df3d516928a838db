/* The planner: places, lives, barriers, sequences; and graphs against eager runs. */
#include "ops/graph.h"
#include "ops/plan.h"
#include "ops/schema.h"

#include <math.h>

static void
test_bucket (void)
{
  const guint pairs[][2] = { { 1, 1 },   { 2, 2 },   { 3, 4 },   { 5, 8 },     { 9, 16 },    { 17, 24 },
                             { 33, 48 }, { 64, 64 }, { 65, 96 }, { 256, 256 }, { 257, 512 }, { 513, 768 } };
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    g_assert_cmpuint (dp_bucket (pairs[i][0], 4096), ==, pairs[i][1]);
  g_assert_cmpuint (dp_bucket (5, 6), ==, 6); /* the largest batch is a bucket */
  g_assert_cmpuint (dp_bucket (G_MAXUINT, G_MAXUINT), ==, G_MAXUINT);
  for (guint n = 1; n <= 700; n++) {
    guint b = dp_bucket (n, 700);
    g_assert_cmpuint (b, >=, n);
    g_assert_cmpuint (dp_bucket (b, 700), ==, b); /* a bucket serves itself */
    g_assert_cmpuint (b, >=, n > 1 ? dp_bucket (n - 1, 700) : 1);
  }
}

static void
test_place (void)
{
  /* two large blocks that never meet share their place; the small one lives with both */
  DpSpan spans[] = { { 1024, 0, 1, 0 }, { 128, 1, 2, 0 }, { 896, 2, 3, 0 } };
  g_assert_cmpuint (dp_plan_place (spans, 3), ==, 1024 + 128);
  g_assert_cmpuint (spans[0].offset, ==, 0);
  g_assert_cmpuint (spans[2].offset, ==, 0);
  g_assert_cmpuint (spans[1].offset, ==, 1024);
  g_assert_cmpuint (dp_plan_place (spans, 0), ==, 0);
}

static void
test_place_random (void)
{
  for (guint round = 0; round < 200; round++) {
    DpSpan spans[60];
    gsize sum = 0, peak = 0, live[100] = { 0 };
    guint n = g_test_rand_int_range (1, 60);
    for (guint i = 0; i < n; i++) {
      guint first = g_test_rand_int_range (0, 100), last = first + g_test_rand_int_range (0, 20);
      last = MIN (last, 99);
      spans[i] = (DpSpan){ (gsize) g_test_rand_int_range (0, 50) * DP_ALIGN, first, last, 0 };
      sum += spans[i].size;
      for (guint t = first; t <= last; t++)
        live[t] += spans[i].size;
    }
    gsize size = dp_plan_place (spans, n);
    for (guint t = 0; t < 100; t++)
      peak = MAX (peak, live[t]);
    g_assert_cmpuint (size, >=, peak);
    g_assert_cmpuint (size, <=, sum);
    g_assert_cmpuint (size, <=, 2 * peak); /* first fit is never that bad on such data */
    for (guint i = 0; i < n; i++)
      for (guint j = 0; j < i; j++) {
        const DpSpan *a = &spans[i], *b = &spans[j];
        if (a->size && b->size && a->first <= b->last && b->first <= a->last)
          g_assert_true (a->offset + a->size <= b->offset || b->offset + b->size <= a->offset);
      }
  }
}

static void
test_overlap (void)
{
  DpBuffer one = { .size = 4096 }, two = { .size = 4096 };
  DpTensor all = dp_tensor (&one, 0, DP_F32, 4, 30), q = dp_tensor_cols (all, 0, 10), k = dp_tensor_cols (all, 10, 10),
           v = dp_tensor_cols (all, 20, 10);
  DpTensor other = dp_tensor (&two, 0, DP_F32, 4, 30), lower = dp_tensor_rows (all, 2, 2), upper = dp_tensor_rows (all, 0, 2);
  DpTensor wide = dp_tensor_cols (all, 9, 2), bytes = dp_tensor (&one, 400, DP_U8, 1, 8), late = dp_tensor (&one, 480, DP_U8, 1, 8);
  g_assert_false (dp_tensor_overlap (&q, &k));
  g_assert_false (dp_tensor_overlap (&v, &q)); /* v's rows end where q's next begin */
  g_assert_false (dp_tensor_overlap (&k, &v));
  g_assert_true (dp_tensor_overlap (&wide, &q));
  g_assert_true (dp_tensor_overlap (&k, &wide));
  g_assert_true (dp_tensor_overlap (&all, &v));
  g_assert_false (dp_tensor_overlap (&all, &other));
  g_assert_false (dp_tensor_overlap (&lower, &upper));
  g_assert_true (dp_tensor_overlap (&all, &bytes));
  g_assert_false (dp_tensor_overlap (&all, &late));
  /* rows that run over into the next row of the other */
  DpTensor shifted = { .buffer = &one, .offset = 25 * 4, .rows = 2, .cols = 10, .stride = 30, .type = DP_F32 };
  g_assert_true (dp_tensor_overlap (&q, &shifted));
  DpTensor last = dp_tensor_rows (q, 3, 1);
  DpTensor before = { .buffer = &one, .offset = (60 + 25) * 4, .rows = 1, .cols = 5, .stride = 5, .type = DP_F32 };
  g_assert_false (dp_tensor_overlap (&last, &before));
}

/* ---- a small graph ---- */

typedef struct {
  DpBackend *backend;
  DpStream *stream;
  DpBuffer *memory;
  DpTensor x, weight, y;
  DpStep *step;
} Rig;

enum { ROWS = 3, COLS = 32 };

static Rig
rig_new (void)
{
  GError *error = NULL;
  Rig r = { .backend = dp_backend_open ("reference", NULL, &error) };
  g_assert_no_error (error);
  r.stream = dp_stream_new (r.backend, &error);
  g_assert_no_error (error);
  r.memory = dp_buffer_new (r.backend, 4096, &error);
  g_assert_no_error (error);
  const DpStepField field = { "x", DP_F32, ROWS, COLS, 0 };
  r.step = dp_step_new (r.backend, &field, 1, &error);
  g_assert_no_error (error);
  r.x = dp_step_tensor (r.step, 0);
  r.weight = dp_tensor (r.memory, 0, DP_F32, 1, COLS);
  r.y = dp_tensor (r.memory, 512, DP_F32, ROWS, COLS);
  float ones[COLS];
  for (guint i = 0; i < COLS; i++)
    ones[i] = 1 + (float) i;
  dp_stream_upload (r.stream, &r.weight, ones, sizeof ones);
  return r;
}

static void
rig_clear (Rig *r)
{
  dp_step_free (r->step);
  dp_buffer_free (r->memory);
  dp_stream_free (r->stream);
  dp_backend_close (r->backend);
}

/* A chain of eight norms through temporaries: only two need to live at a time. */
static void
chain (DpStream *s, gpointer data)
{
  const Rig *r = data;
  gsize mark = dp_stream_mark (s);
  DpTensor from = r->x;
  for (guint i = 0; i < 8; i++) {
    DpTensor to = i == 7 ? r->y : dp_stream_temp (s, DP_F32, ROWS, COLS);
    dp_quick_gelu (s, &(DpQuickGeluArgs){ .x = from, .y = to });
    from = to;
  }
  dp_stream_release (s, mark);
}

static void
fill_step (Rig *r, float start)
{
  dp_step_reset (r->step);
  for (guint i = 0; i < ROWS * COLS; i++)
    dp_step_f32 (r->step, 0)[i] = start + (float) i / 7;
}

static void
read_y (Rig *r, float *y)
{
  GError *error = NULL;
  dp_stream_download (r->stream, y, &r->y, ROWS * COLS * 4);
  dp_stream_sync (r->stream, &error);
  g_assert_no_error (error);
}

static void
test_graph_equals_eager (void)
{
  Rig r = rig_new ();
  GError *error = NULL;
  DpGraph *graph = dp_graph_capture (r.backend, chain, &r, &error);
  g_assert_no_error (error);
  const DpPlan *plan = dp_graph_plan (graph);
  g_assert_cmpuint (plan->n_nodes, ==, 8);
  g_assert_cmpuint (dp_graph_temp_bytes (graph), ==, 7 * 384);
  g_assert_cmpuint (plan->arena->size, ==, 2 * 384);
  for (guint i = 0; i < 8; i++)
    g_assert_cmpint (plan->nodes[i].barrier, ==, i > 0);
  for (guint round = 0; round < 3; round++) { /* new inputs each time: nothing of them is in the graph */
    float eager[ROWS * COLS], replayed[ROWS * COLS];
    fill_step (&r, (float) round - 1);
    dp_step_upload (r.stream, r.step);
    chain (r.stream, &r);
    read_y (&r, eager);
    float zeros[ROWS * COLS] = { 0 };
    dp_stream_upload (r.stream, &r.y, zeros, sizeof zeros);
    dp_graph_replay (r.stream, graph, r.step);
    read_y (&r, replayed);
    g_assert_cmpmem (eager, sizeof eager, replayed, sizeof replayed);
    g_assert_cmpfloat (eager[5], !=, 0);
  }
  dp_graph_free (graph);
  rig_clear (&r);
}

/* q, k, v are column ranges of one temporary; norms of q and k may run side by side, what reads both may not. */
static void
branches (DpStream *s, gpointer data)
{
  const Rig *r = data;
  DpTensor both = dp_stream_temp (s, DP_F32, ROWS, 2 * COLS), left = dp_tensor_cols (both, 0, COLS),
           right = dp_tensor_cols (both, COLS, COLS);
  dp_gelu (s, &(DpGeluArgs){ .x = r->x, .y = left });
  dp_quick_gelu (s, &(DpQuickGeluArgs){ .x = r->x, .y = right });
  dp_silu_and_mul (s, &(DpSiluAndMulArgs){ .x = both, .y = r->y });
  dp_gelu (s, &(DpGeluArgs){ .x = r->x, .y = left }); /* overwrites what the third reads */
}

static void
test_barriers (void)
{
  Rig r = rig_new ();
  GError *error = NULL;
  DpGraph *graph = dp_graph_capture (r.backend, branches, &r, &error);
  g_assert_no_error (error);
  const gboolean barriers[] = { FALSE, FALSE, TRUE, TRUE };
  for (guint i = 0; i < 4; i++)
    g_assert_cmpint (dp_graph_plan (graph)->nodes[i].barrier, ==, barriers[i]);
  dp_graph_free (graph);
  rig_clear (&r);
}

static void
norms (DpStream *s, gpointer data)
{
  const Rig *r = data;
  DpTensor a = dp_stream_temp (s, DP_F32, ROWS, COLS), b = dp_stream_temp (s, DP_F32, ROWS, COLS);
  dp_stream_temp (s, DP_F32, 1000, 1000); /* never used: costs nothing */
  dp_rms_norm (s, &(DpRmsNormArgs){ .x = r->x, .weight = r->weight, .eps = 1e-6f, .y = a });
  dp_rms_norm (s, &(DpRmsNormArgs){ .x = r->x, .weight = r->weight, .eps = 1e-6f, .y = b });
  dp_rms_norm (s, &(DpRmsNormArgs){ .x = b, .weight = r->weight, .eps = 1e-6f, .y = r->y });
}

/* Workspaces are placed like temporaries and never lie over one that lives. */
static void
test_workspaces (void)
{
  Rig r = rig_new ();
  GError *error = NULL;
  DpGraph *graph = dp_graph_capture (r.backend, norms, &r, &error);
  g_assert_no_error (error);
  const DpPlan *plan = dp_graph_plan (graph);
  g_assert_cmpuint (plan->arena->size, <, 10000);
  for (guint i = 0; i < plan->n_nodes; i++) {
    const DpWorkspace *w = &plan->nodes[i].workspace;
    const DpRmsNormArgs *a = plan->nodes[i].calls[0].args;
    g_assert_cmpuint (w->size, >=, 2 * COLS * 4);
    g_assert_cmpuint (w->offset + w->size, <=, plan->arena->size);
    DpTensor scratch = dp_tensor (w->buffer, w->offset, DP_U8, 1, (guint32) w->size);
    g_assert_false (dp_tensor_overlap (&scratch, &a->x));
    g_assert_false (dp_tensor_overlap (&scratch, &a->y));
  }
  dp_graph_free (graph);
  rig_clear (&r);
}

/* ---- sequences ---- */

static guint runs[3];

static gboolean
yes (G_GNUC_UNUSED DpBackend *backend, G_GNUC_UNUSED const DpCall *calls)
{
  return TRUE;
}

static gboolean
linked (G_GNUC_UNUSED DpBackend *backend, const DpCall *calls)
{
  const DpGeluArgs *a = calls[0].args;
  const DpQuickGeluArgs *b = calls[1].args;
  return dp_tensor_same (&a->y, &b->x);
}

static gboolean
count_run (G_GNUC_UNUSED DpQueue *queue, const DpCall *calls, G_GNUC_UNUSED const DpWorkspace *workspace, G_GNUC_UNUSED GError **error)
{
  runs[calls[0].op == DP_OP_GELU ? 0 : 1]++;
  return TRUE;
}

static const DpOp gelu_quick[] = { DP_OP_GELU, DP_OP_QUICK_GELU }, gelu_quick_gelu[] = { DP_OP_GELU, DP_OP_QUICK_GELU, DP_OP_GELU };
static const DpPattern patterns[] = {
  { "two", gelu_quick, 2, linked, NULL, count_run },
  { "three", gelu_quick_gelu, 3, yes, NULL, count_run },
  { "cannot run", gelu_quick_gelu, 3, yes, NULL, NULL },
};

static void
five (DpStream *s, gpointer data)
{
  const Rig *r = data;
  DpTensor t = dp_stream_temp (s, DP_F32, ROWS, COLS);
  dp_gelu (s, &(DpGeluArgs){ .x = r->x, .y = r->y });
  dp_quick_gelu (s, &(DpQuickGeluArgs){ .x = r->x, .y = t }); /* three: gelu, quick, gelu */
  dp_gelu (s, &(DpGeluArgs){ .x = r->x, .y = r->y });
  dp_gelu (s, &(DpGeluArgs){ .x = r->x, .y = t });
  dp_quick_gelu (s, &(DpQuickGeluArgs){ .x = t, .y = r->y }); /* two, linked */
  dp_gelu_and_mul (s, &(DpGeluAndMulArgs){ .x = r->x, .y = dp_tensor_cols (t, 0, COLS / 2) });
  dp_gelu (s, &(DpGeluArgs){ .x = r->x, .y = t });
  dp_quick_gelu (s, &(DpQuickGeluArgs){ .x = r->x, .y = r->y }); /* not linked */
}

static void
test_patterns (void)
{
  Rig r = rig_new ();
  GError *error = NULL;
  DpBackendClass klass = *r.backend->klass;
  const DpBackendClass *kept = r.backend->klass;
  klass.patterns = patterns, klass.n_patterns = G_N_ELEMENTS (patterns);
  r.backend->klass = &klass;
  DpGraph *graph = dp_graph_capture (r.backend, five, &r, &error);
  g_assert_no_error (error);
  const DpPlan *plan = dp_graph_plan (graph);
  const char *const names[] = { "three", "two", NULL, NULL, NULL };
  g_assert_cmpuint (plan->n_nodes, ==, G_N_ELEMENTS (names));
  for (guint i = 0; i < plan->n_nodes; i++) {
    g_assert_cmpstr (plan->nodes[i].pattern ? plan->nodes[i].pattern->name : NULL, ==, names[i]);
    g_assert_cmpuint (plan->nodes[i].n_calls, ==, i == 0 ? 3 : i == 1 ? 2 : 1);
  }
  memset (runs, 0, sizeof runs);
  dp_graph_replay (r.stream, graph, r.step);
  dp_stream_sync (r.stream, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (runs[0], ==, 2);
  dp_graph_free (graph);
  r.backend->klass = kept;
  rig_clear (&r);
}

/* ---- the reference inside a graph ---- */

static guint fallbacks;

static gboolean
keep_plan (G_GNUC_UNUSED DpBackend *backend, const DpPlan *plan, gpointer *lowered, G_GNUC_UNUSED GError **error)
{
  *lowered = (gpointer) plan;
  return TRUE;
}

static gboolean
launch_plan (DpQueue *queue, gpointer lowered, G_GNUC_UNUSED DpNodeTime *times, GError **error)
{
  const DpPlan *plan = lowered;
  for (guint i = 0; i < plan->n_nodes; i++) {
    const DpPlanNode *node = &plan->nodes[i];
    DpQueue *own = node->fallback ? plan->reference : queue;
    fallbacks += node->fallback;
    if (node->calls[0].op == DP_OP_GELU && !own->backend->klass->ops->gelu (own, node->calls[0].args, &node->workspace, error))
      return FALSE;
    if (node->calls[0].op == DP_OP_RESIZE && !own->backend->klass->ops->resize (own, node->calls[0].args, &node->workspace, error))
      return FALSE;
  }
  return TRUE;
}

static void
forget_plan (G_GNUC_UNUSED DpBackend *backend, G_GNUC_UNUSED gpointer lowered)
{
}

static void
with_resize (DpStream *s, gpointer data)
{
  const Rig *r = data;
  DpTensor a = dp_stream_temp (s, DP_F32, ROWS, COLS), b = dp_stream_temp (s, DP_F32, ROWS, COLS);
  dp_gelu (s, &(DpGeluArgs){ .x = r->x, .y = a });
  dp_resize (s, &(DpResizeArgs){ .x = a, .n = 1, .height = 1, .width = ROWS, .out_height = 1, .out_width = ROWS, .y = b });
  dp_gelu (s, &(DpGeluArgs){ .x = b, .y = r->y });
}

static void
fallback_in_graph (Rig *r, DpOpened *opened, const DpBackendClass *klass)
{
  GError *error = NULL;
  DpBackend *kept = r->backend;
  float eager[ROWS * COLS], replayed[ROWS * COLS];
  opened->base.klass = klass;
  Rig other = *r;
  other.backend = &opened->base;
  other.stream = dp_stream_new (other.backend, &error);
  g_assert_no_error (error);
  r->x.buffer->backend = r->y.buffer->backend = other.backend; /* the same memory under the other name */
  fill_step (&other, 0.25f);
  dp_step_upload (other.stream, r->step);
  with_resize (other.stream, &other);
  read_y (&other, eager);
  DpGraph *graph = dp_graph_capture (other.backend, with_resize, &other, &error);
  g_assert_no_error (error);
  const DpPlan *plan = dp_graph_plan (graph);
  g_assert_false (plan->nodes[0].fallback);
  g_assert_true (plan->nodes[1].fallback);
  g_assert_true (plan->reference->backend == opened->reference);
  float zeros[ROWS * COLS] = { 0 };
  dp_stream_upload (other.stream, &r->y, zeros, sizeof zeros);
  dp_graph_replay (other.stream, graph, r->step);
  read_y (&other, replayed);
  g_assert_cmpmem (eager, sizeof eager, replayed, sizeof replayed);
  g_assert_cmpfloat (eager[50], !=, 0);
  dp_graph_free (graph);
  dp_stream_free (other.stream);
  r->x.buffer->backend = r->y.buffer->backend = kept;
}

static void
test_fallback_in_graph (void)
{
  if (g_test_subprocess ()) { /* for the message on stderr */
    Rig r = rig_new ();
    DpBackendClass klass = *r.backend->klass;
    DpOpTable table = *klass.ops;
    table.resize = NULL;
    klass.ops = &table;
    DpOpened opened = { .base = { &klass, r.backend->impl }, .reference = r.backend };
    fallback_in_graph (&r, &opened, &klass); /* node by node */
    klass.graph_lower = keep_plan, klass.graph_launch = launch_plan, klass.graph_free = forget_plan;
    fallback_in_graph (&r, &opened, &klass);
    g_assert_cmpuint (fallbacks, ==, 1);
    rig_clear (&r);
    return;
  }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
}

/* ---- host copies of step inputs ---- */

static struct {
  guint eager, replayed;
  float first;
} hooked;

static gboolean
graph_step (G_GNUC_UNUSED DpQueue *queue, gpointer lowered, const DpBuffer *buffer, const guint8 *host, gsize size,
            G_GNUC_UNUSED GError **error)
{
  g_assert_cmpuint (size, ==, buffer->size);
  hooked.eager += lowered == NULL;
  hooked.replayed += lowered != NULL;
  memcpy (&hooked.first, host, sizeof hooked.first);
  return TRUE;
}

static gboolean
launch_chain (DpQueue *queue, gpointer lowered, G_GNUC_UNUSED DpNodeTime *times, GError **error)
{
  const DpPlan *plan = lowered;
  for (guint i = 0; i < plan->n_nodes; i++)
    if (!queue->backend->klass->ops->quick_gelu (queue, plan->nodes[i].calls[0].args, &plan->nodes[i].workspace, error))
      return FALSE;
  return TRUE;
}

static void
test_graph_step (void)
{
  Rig r = rig_new ();
  GError *error = NULL;
  const DpBackendClass *kept = r.backend->klass;
  DpBackendClass klass = *kept;
  klass.graph_step = graph_step, klass.graph_lower = keep_plan, klass.graph_launch = launch_chain, klass.graph_free = forget_plan;
  r.backend->klass = &klass;
  DpGraph *graph = dp_graph_capture (r.backend, chain, &r, &error);
  g_assert_no_error (error);
  fill_step (&r, 0.5f);
  dp_step_upload (r.stream, r.step);
  g_assert_cmpuint (hooked.eager, ==, 1);
  g_assert_cmpfloat (hooked.first, ==, 0.5f);
  fill_step (&r, 0.75f);
  dp_graph_replay (r.stream, graph, r.step);
  g_assert_true (dp_stream_sync (r.stream, &error));
  g_assert_cmpuint (hooked.replayed, ==, 1);
  g_assert_cmpfloat (hooked.first, ==, 0.75f);
  dp_graph_free (graph);
  r.backend->klass = kept;
  rig_clear (&r);
}

/* ---- capture that cannot be ---- */

static void
with_upload (DpStream *s, gpointer data)
{
  const Rig *r = data;
  float f[COLS] = { 0 };
  dp_stream_upload (s, &r->weight, f, sizeof f);
}

static void
with_mistake (DpStream *s, gpointer data)
{
  const Rig *r = data;
  dp_gelu (s, &(DpGeluArgs){ .x = r->x, .y = dp_tensor_rows (r->y, 0, 1) });
}

static void
test_capture_errors (void)
{
  Rig r = rig_new ();
  GError *error = NULL;
  g_assert_null (dp_graph_capture (r.backend, with_upload, &r, &error));
  g_assert_error (error, DP_OPS_ERROR, DP_OPS_ERROR_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (dp_graph_capture (r.backend, with_mistake, &r, &error));
  g_assert_error (error, DP_OPS_ERROR, DP_OPS_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "gelu: x and y must have the same shape (x [3, 32] f32, y [1, 32] f32)"));
  g_clear_error (&error);
  rig_clear (&r);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan/bucket", test_bucket);
  g_test_add_func ("/plan/place", test_place);
  g_test_add_func ("/plan/place-random", test_place_random);
  g_test_add_func ("/plan/overlap", test_overlap);
  g_test_add_func ("/plan/graph-equals-eager", test_graph_equals_eager);
  g_test_add_func ("/plan/barriers", test_barriers);
  g_test_add_func ("/plan/workspaces", test_workspaces);
  g_test_add_func ("/plan/patterns", test_patterns);
  g_test_add_func ("/plan/fallback-in-graph", test_fallback_in_graph);
  g_test_add_func ("/plan/graph-step", test_graph_step);
  g_test_add_func ("/plan/capture-errors", test_capture_errors);
  return g_test_run ();
}
