/* tests/cpu/test_graph.c - every form of a captured decode step gives the bits of eager steps: over many replays, on
 * several threads, and when two rows of a batch are one sequence, which must not be split. */
#include "backends/cpu/graph.h"
#include "ops/graph.h"

enum { HIDDEN = 64, HEADS = 4, KV_HEADS = 2, HEAD = 16, VOCABULARY = 50, PAGE = 4, PAGES = 6, BATCH = 18 };
enum { TOKENS, PLACES, SLOTS, LENS, TABLE, N_FIELDS };

typedef struct {
  DpBackend *backend;
  DpStream *stream;
  DpWeight *embedding, *qkv, *o;
  DpBuffer *memory;
  DpTensor norm, cos, sin, out, ids;
  DpKv *kv;
  DpStep *step;
} Model;

static DpWeight *
weight_new (DpBackend *b, guint32 uses, guint32 rows, guint32 cols)
{
  g_autofree float *data = g_new (float, rows *cols);
  guint32 state = rows;

  for (guint32 i = 0; i < rows * cols; i++)
    state = state * 1664525u + 1013904223u, data[i] = (float) (state >> 8) / (1 << 25) - 0.25f;
  DpWeight *w = dp_weight_new (
      b,
      &(DpWeightSource){
          .uses = uses, .n = 1, .rows = rows, .cols = cols, .hold = DP_BF16, .data = data, .data_size = rows * cols * sizeof *data },
      NULL);
  g_assert_nonnull (w);
  return w;
}

static void
model_open (Model *m, guint threads)
{
  const DpStepField fields[N_FIELDS] = {
    { "tokens", DP_I32, BATCH, 1, 0 }, { "places", DP_I32, BATCH, 1, 0 },    { "slots", DP_I32, BATCH, 1, -1 },
    { "lens", DP_I32, BATCH, 1, 0 },   { "table", DP_I32, BATCH, PAGES, 0 },
  };
  const DpKvConfig config = { 1, 1 + BATCH * PAGES, PAGE, KV_HEADS, HEAD, HEAD, .type = DP_BF16 };
  gsize table = PAGE * PAGES * HEAD / 2 * 4;

  *m = (Model){ .backend
                = dp_backend_open ("cpu", &(DpBackendOptions){ .struct_size = sizeof (DpBackendOptions), .n_threads = threads }, NULL) };
  m->stream = dp_stream_new (m->backend, NULL);
  m->embedding = weight_new (m->backend, DP_USE_EMBEDDING | DP_USE_LM_HEAD, VOCABULARY, HIDDEN);
  m->qkv = weight_new (m->backend, DP_USE_QKV, (HEADS + 2 * KV_HEADS) * HEAD, HIDDEN);
  m->o = weight_new (m->backend, DP_USE_LINEAR, HIDDEN, HEADS * HEAD);
  m->kv = dp_kv_new (m->backend, &config, NULL);
  m->step = dp_step_new (m->backend, fields, N_FIELDS, NULL);
  m->memory = dp_buffer_new (m->backend, 256 + 2 * table + BATCH * HIDDEN * 4 + BATCH * 4, NULL);
  float *host = (gpointer) m->memory->host;
  for (gsize i = 0; i < (256 + 2 * table) / 4; i++)
    host[i] = 0.5f + (float) (i % 7) / 16;
  m->norm = dp_tensor (m->memory, 0, DP_F32, 1, HIDDEN);
  m->cos = dp_tensor (m->memory, 256, DP_F32, PAGE * PAGES, HEAD / 2);
  m->sin = dp_tensor (m->memory, 256 + table, DP_F32, PAGE * PAGES, HEAD / 2);
  m->out = dp_tensor (m->memory, 256 + 2 * table, DP_F32, BATCH, HIDDEN);
  m->ids = dp_tensor (m->memory, 256 + 2 * table + BATCH * HIDDEN * 4, DP_I32, BATCH, 1);
}

static void
model_close (Model *m)
{
  dp_stream_free (m->stream);
  dp_weight_free (m->embedding);
  dp_weight_free (m->qkv);
  dp_weight_free (m->o);
  dp_kv_free (m->kv);
  dp_step_free (m->step);
  dp_buffer_free (m->memory);
  dp_backend_close (m->backend);
}

static void
decode (DpStream *s, gpointer data)
{
  const Model *m = data;
  gsize mark = dp_stream_mark (s);
  DpTensor x = dp_stream_temp (s, DP_F32, BATCH, HIDDEN), n = dp_stream_temp (s, DP_BF16, BATCH, HIDDEN);
  DpTensor qkv = dp_stream_temp (s, DP_F32, BATCH, (HEADS + 2 * KV_HEADS) * HEAD), mixed = dp_stream_temp (s, DP_F32, BATCH, HEADS * HEAD);
  DpTensor q = dp_tensor_cols (qkv, 0, HEADS * HEAD), k = dp_tensor_cols (qkv, HEADS * HEAD, KV_HEADS * HEAD),
           v = dp_tensor_cols (qkv, (HEADS + KV_HEADS) * HEAD, KV_HEADS * HEAD);
  const DpAttention attention = { HEADS, KV_HEADS, HEAD, HEAD, .scale = 0.25f, .causal = TRUE };

  dp_embedding (s, &(DpEmbeddingArgs){ .ids = dp_step_tensor (m->step, TOKENS), .weight = m->embedding, .y = x });
  dp_rms_norm (s, &(DpRmsNormArgs){ .x = x, .weight = m->norm, .eps = 1e-6f, .y = n });
  dp_qkv_linear (s, &(DpQkvLinearArgs){ .x = n, .weight = m->qkv, .q = q, .k = k, .v = v });
  dp_apply_rotary (
      s,
      &(DpApplyRotaryArgs){
          .q = q, .k = k, .cos = m->cos, .sin = m->sin, .positions = dp_step_tensor (m->step, PLACES), .head_dim = HEAD, .rot_dim = HEAD });
  dp_fill_kv_cache (s, &(DpFillKvCacheArgs){ .k = k, .v = v, .slots = dp_step_tensor (m->step, SLOTS), .kv = m->kv });
  dp_paged_decode_attention (s, &(DpPagedDecodeAttentionArgs){ .q = q,
                                                               .kv = m->kv,
                                                               .block_table = dp_step_tensor (m->step, TABLE),
                                                               .kv_lens = dp_step_tensor (m->step, LENS),
                                                               .max_kv_len = PAGE * PAGES,
                                                               .attn = attention,
                                                               .out = mixed });
  dp_linear (s, &(DpLinearArgs){ .x = mixed, .weight = m->o, .residual = x, .y = m->out });
  dp_lm_head_argmax (s, &(DpLmHeadArgmaxArgs){ .x = m->out, .weight = m->embedding, .ids = m->ids });
  dp_stream_release (s, mark);
}

/* Step `length` of all sequences; draft: rows 2b and 2b+1 are neighbours of one sequence. */
static void
fill_step (Model *m, guint length, gboolean draft)
{
  dp_step_reset (m->step);
  for (guint b = 0; b < BATCH; b++) {
    guint sequence = draft ? b / 2 * 2 : b, place = length + (draft ? b % 2 : 0);
    dp_step_i32 (m->step, TOKENS)[b] = (gint32) ((b * 7 + length) % VOCABULARY);
    dp_step_i32 (m->step, PLACES)[b] = (gint32) place;
    dp_step_i32 (m->step, LENS)[b] = (gint32) place + 1;
    for (guint i = 0; i < PAGES; i++)
      dp_step_i32 (m->step, TABLE)[b * PAGES + i] = (gint32) (1 + sequence * PAGES + i);
    dp_step_i32 (m->step, SLOTS)[b] = (gint32) ((1 + sequence * PAGES) * PAGE + place);
  }
}

static void
run (Model *m, DpGraph *graph, guint length, gboolean draft, float *out)
{
  GError *error = NULL;

  fill_step (m, length, draft);
  if (graph)
    dp_graph_replay (m->stream, graph, m->step);
  else {
    dp_step_upload (m->stream, m->step);
    decode (m->stream, m);
  }
  dp_stream_download (m->stream, out, &m->out, BATCH * HIDDEN * sizeof *out);
  dp_stream_sync (m->stream, &error);
  g_assert_no_error (error);
}

/* Enough rounds over the same positions for every form to have been tried. */
static void
test_forms (gconstpointer user)
{
  guint threads = GPOINTER_TO_UINT (user) & 15, lengths = PAGE * PAGES - 1;
  gboolean draft = GPOINTER_TO_UINT (user) >= 16;
  static float expected[PAGE * PAGES][BATCH * HIDDEN], got[BATCH * HIDDEN];
  GError *error = NULL;
  Model m;

  model_open (&m, threads);
  for (guint i = 0; i < lengths; i++)
    run (&m, NULL, i, draft, expected[i]);
  g_autoptr (DpGraph) graph = dp_graph_capture (m.backend, decode, &m, &error);
  g_assert_no_error (error);
  for (guint round = 0; round < 4; round++)
    for (guint i = 0; i < lengths; i++) {
      run (&m, graph, i, draft, got);
      g_assert_cmpmem (got, sizeof got, expected[i], sizeof expected[i]);
    }
  g_clear_pointer (&graph, dp_graph_free);
  model_close (&m);
}

/* The split itself: made for this step, allowed when sequences are apart, forbidden when they share a page. */
static void
test_split (void)
{
  GError *error = NULL;
  Model m;

  model_open (&m, 4);
  g_autoptr (DpGraph) graph = dp_graph_capture (m.backend, decode, &m, &error);
  g_assert_no_error (error);
  DpCpuSplit *split = dp_cpu_split_new (m.backend, dp_graph_plan (graph), 4);
  g_assert_nonnull (split);
  g_assert_cmpuint (dp_cpu_split_size (split), ==, 4);
  fill_step (&m, 5, FALSE);
  dp_step_upload (m.stream, m.step);
  g_assert_true (dp_cpu_split_allowed (split));
  fill_step (&m, 5, TRUE);
  dp_step_upload (m.stream, m.step);
  g_assert_false (dp_cpu_split_allowed (split));
  /* one row reads what another writes, in a page that is not its last */
  fill_step (&m, 9, FALSE);
  dp_step_i32 (m.step, TABLE)[3 * PAGES] = dp_step_i32 (m.step, TABLE)[2];
  dp_step_upload (m.stream, m.step);
  g_assert_false (dp_cpu_split_allowed (split));
  /* slots, pages and lengths that make no sense do no harm */
  fill_step (&m, 9, FALSE);
  dp_step_i32 (m.step, SLOTS)[0] = G_MAXINT32;
  dp_step_i32 (m.step, TABLE)[1] = -5;
  dp_step_i32 (m.step, TABLE)[PAGES + 1] = G_MAXINT32;
  dp_step_i32 (m.step, LENS)[2] = G_MAXINT32;
  dp_step_upload (m.stream, m.step);
  g_assert_true (dp_cpu_split_allowed (split));
  dp_cpu_split_free (split);
  g_clear_pointer (&graph, dp_graph_free);
  model_close (&m);
}

static gpointer
say_stop (gpointer stop)
{
  g_atomic_int_set ((gint *) stop, 1);
  return NULL;
}

/* A launch with the word to stop leaves everything out, one that meets it on the way comes back, the next one without is whole. */
static void
test_stop (gconstpointer user)
{
  static float expected[BATCH * HIDDEN], nothing[BATCH * HIDDEN];
  GError *error = NULL;
  gpointer lowered = NULL;
  gint stop = 0;
  Model m;

  model_open (&m, GPOINTER_TO_UINT (user));
  DpQueue queue = { .backend = m.backend, .stop = &stop };
  run (&m, NULL, 5, FALSE, expected);
  g_autoptr (DpGraph) graph = dp_graph_capture (m.backend, decode, &m, &error);
  g_assert_no_error (error);
  g_assert_true (dp_cpu_graph_lower (m.backend, dp_graph_plan (graph), &lowered, &error));
  gpointer out = dp_tensor_row (&m.out, 0);
  for (guint round = 0; round < 50; round++) {
    memset (out, 0, sizeof nothing);
    stop = 1;
    g_assert_true (dp_cpu_graph_launch (&queue, lowered, NULL, &error));
    g_assert_cmpmem (out, sizeof nothing, nothing, sizeof nothing);
    stop = 0;
    g_assert_true (dp_cpu_graph_launch (&queue, lowered, NULL, &error));
    g_assert_cmpmem (out, sizeof expected, expected, sizeof expected);
    GThread *thread = g_thread_new ("stop", say_stop, &stop);
    g_assert_true (dp_cpu_graph_launch (&queue, lowered, NULL, &error));
    g_thread_join (thread);
  }
  dp_cpu_graph_free (m.backend, lowered);
  g_clear_pointer (&graph, dp_graph_free);
  model_close (&m);
}

/* ---- stopping inside a loop ---- */

typedef struct {
  DpCpuTask task;
  gint stop;
  gint n_items;
} Long;

/* The word comes while an item is under way. */
static void
stop_early (gpointer data, gsize first, gsize last, G_GNUC_UNUSED guint thread)
{
  Long *l = data;

  g_atomic_int_add (&l->n_items, (gint) (last - first));
  g_atomic_int_set (&l->stop, 1);
}

static void
long_loop (DpTeam *team, gpointer data, guint thread)
{
  Long *l = data;
  const DpCpuTask task = { .team = team, .thread = thread, .n_threads = dp_team_size (team), .stop = &l->stop };

  dp_cpu_for (&task, 10000, 1, stop_early, l);
  dp_cpu_wait (&task);
  dp_cpu_for_last (&task, 10000, 1, stop_early, l);
  dp_cpu_wait (&task);
}

/* A loop that has begun ends soon, and everybody comes back from it. */
static void
test_stop_in_loop (void)
{
  Long alone = { .task = { .n_threads = 1 } };

  alone.task.stop = &alone.stop;
  dp_cpu_for (&alone.task, 10000, 1, stop_early, &alone);
  g_assert_cmpint (alone.n_items, ==, DP_CPU_ALONE);
  for (guint threads = 2; threads <= 4; threads++) {
    DpTeam *team = dp_team_new (threads);
    Long l = { 0 };
    dp_team_region (team, long_loop, &l);
    g_assert_cmpint (l.n_items, >=, 1);
    g_assert_cmpint (l.n_items, <=, (gint) dp_team_size (team));
    dp_team_free (team);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint threads = 1; threads <= 4; threads++)
    for (guint draft = 0; draft < 2; draft++) {
      g_autofree char *name = g_strdup_printf ("/graph/%s/%u", draft ? "draft" : "apart", threads);
      g_test_add_data_func (name, GUINT_TO_POINTER (threads + 16 * draft), test_forms);
    }
  g_test_add_func ("/graph/split", test_split);
  g_test_add_data_func ("/graph/stop/1", GUINT_TO_POINTER (1), test_stop);
  g_test_add_data_func ("/graph/stop/3", GUINT_TO_POINTER (3), test_stop);
  g_test_add_func ("/graph/stop/in-loop", test_stop_in_loop);
  return g_test_run ();
}
