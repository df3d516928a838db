/* tests/bench/bench_decode.c - a decode step, eager and from a graph, beside what the memory allows.
 *
 *   bench_decode [small|large [THREADS [BATCH]]]
 *
 * Both ways are taken in turn, so that a neighbour on the machine slows both; the ratio is the median over rounds.  The
 * bound is what no graph can beat: every weight read once from the level that holds it, or the products at the machine's peak,
 * whichever takes longer, plus one launch and a wait per product, all as measured here.  Eager time by bound is the most that the
 * ratio could be.
 */
#include "tests/bench/measure.h"

#include "backends/cpu/team.h"
#include "ops/graph.h"

#include <math.h>

typedef struct {
  const char *name;
  guint hidden, layers, heads, kv_heads, head_dim, inner, vocabulary, context;
} Shape;

enum { PAGE = 32, MOST = 32 };
enum { TOKENS, PLACES, SLOTS, LENS, TABLE, N_FIELDS };

typedef struct {
  const Shape *shape;
  DpBackend *backend;
  DpStream *stream;
  DpWeight *embedding, **qkv, **o, **gate_up, **down;
  DpBuffer *memory;
  DpTensor norm, cos, sin, ids;
  DpKv *kv;
  DpStep *step;
  guint batch;
} Model;

static DpTensor
rows_of (const Model *m, guint field)
{
  return dp_tensor_rows (dp_step_tensor (m->step, field), 0, m->batch);
}

static void
attend (const Model *m, DpStream *s, guint layer, DpTensor q, DpTensor k, DpTensor v, DpTensor out)
{
  const Shape *h = m->shape;
  const DpAttention attention = { h->heads, h->kv_heads, h->head_dim, h->head_dim, .scale = 0.125f, .causal = TRUE };

  dp_apply_rotary (s, &(DpApplyRotaryArgs){ .q = q,
                                            .k = k,
                                            .cos = m->cos,
                                            .sin = m->sin,
                                            .positions = rows_of (m, PLACES),
                                            .head_dim = h->head_dim,
                                            .rot_dim = h->head_dim });
  dp_fill_kv_cache (s, &(DpFillKvCacheArgs){ .k = k, .v = v, .slots = rows_of (m, SLOTS), .kv = m->kv, .layer = layer });
  dp_paged_decode_attention (s, &(DpPagedDecodeAttentionArgs){ .q = q,
                                                               .kv = m->kv,
                                                               .layer = layer,
                                                               .block_table = rows_of (m, TABLE),
                                                               .kv_lens = rows_of (m, LENS),
                                                               .max_kv_len = h->context,
                                                               .attn = attention,
                                                               .out = out });
}

static void
decode (DpStream *s, gpointer data)
{
  const Model *m = data;
  const Shape *h = m->shape;
  guint n = m->batch, q_cols = h->heads * h->head_dim, kv_cols = h->kv_heads * h->head_dim;
  gsize mark = dp_stream_mark (s);
  DpTensor residual = dp_stream_temp (s, DP_F32, n, h->hidden), x = dp_stream_temp (s, DP_BF16, n, h->hidden);
  DpTensor delta = dp_stream_temp (s, DP_F32, n, h->hidden), inner = dp_stream_temp (s, DP_BF16, n, h->inner);
  DpTensor qkv = dp_stream_temp (s, DP_F32, n, q_cols + 2 * kv_cols), mixed = dp_stream_temp (s, DP_BF16, n, q_cols);
  DpTensor q = dp_tensor_cols (qkv, 0, q_cols), k = dp_tensor_cols (qkv, q_cols, kv_cols),
           v = dp_tensor_cols (qkv, q_cols + kv_cols, kv_cols);

  dp_embedding (s, &(DpEmbeddingArgs){ .ids = rows_of (m, TOKENS), .weight = m->embedding, .y = residual });
  dp_rms_norm (s, &(DpRmsNormArgs){ .x = residual, .weight = m->norm, .eps = 1e-6f, .y = x });
  for (guint l = 0; l < h->layers; l++) {
    dp_qkv_linear (s, &(DpQkvLinearArgs){ .x = x, .weight = m->qkv[l], .q = q, .k = k, .v = v });
    attend (m, s, l, q, k, v, mixed);
    dp_linear (s, &(DpLinearArgs){ .x = mixed, .weight = m->o[l], .y = delta });
    dp_add_rms_norm (s, &(DpAddRmsNormArgs){ .x = delta, .residual = residual, .weight = m->norm, .eps = 1e-6f, .y = x });
    dp_gate_up_silu (s, &(DpGateUpSiluArgs){ .x = x, .weight = m->gate_up[l], .act = DP_ACT_SILU, .y = inner });
    dp_linear (s, &(DpLinearArgs){ .x = inner, .weight = m->down[l], .y = delta });
    dp_add_rms_norm (s, &(DpAddRmsNormArgs){ .x = delta, .residual = residual, .weight = m->norm, .eps = 1e-6f, .y = x });
  }
  dp_lm_head_argmax (s, &(DpLmHeadArgmaxArgs){ .x = x, .weight = m->embedding, .ids = dp_tensor_rows (m->ids, 0, n) });
  dp_stream_release (s, mark);
}

/* ---- building ------------------------------------------------------------------------------------------ */

static void
open_model (Model *m, DpBackend *backend, const Shape *h)
{
  GError *error = NULL;
  guint q_cols = h->heads * h->head_dim, kv_cols = h->kv_heads * h->head_dim, pages = (h->context + PAGE - 1) / PAGE;
  const DpKvConfig config = { .n_layers = h->layers,
                              .n_pages = 1 + MOST * pages,
                              .page_size = PAGE,
                              .n_kv_heads = h->kv_heads,
                              .head_dim = h->head_dim,
                              .head_dim_v = h->head_dim,
                              .type = DP_BF16 };
  const DpStepField fields[N_FIELDS] = {
    { "tokens", DP_I32, MOST, 1, 0 }, { "places", DP_I32, MOST, 1, 0 },    { "slots", DP_I32, MOST, 1, -1 },
    { "lens", DP_I32, MOST, 1, 0 },   { "table", DP_I32, MOST, pages, 0 },
  };

  *m = (Model){ .shape = h, .backend = backend, .stream = dp_stream_new (backend, NULL) };
  m->embedding = bench_weight (backend, DP_USE_EMBEDDING | DP_USE_LM_HEAD, h->vocabulary, h->hidden, DP_BF16);
  m->qkv = g_new (DpWeight *, h->layers), m->o = g_new (DpWeight *, h->layers);
  m->gate_up = g_new (DpWeight *, h->layers), m->down = g_new (DpWeight *, h->layers);
  for (guint l = 0; l < h->layers; l++) {
    m->qkv[l] = bench_weight (backend, DP_USE_QKV, q_cols + 2 * kv_cols, h->hidden, DP_BF16);
    m->o[l] = bench_weight (backend, DP_USE_LINEAR, h->hidden, q_cols, DP_BF16);
    m->gate_up[l] = bench_weight (backend, DP_USE_GATE_UP, 2 * h->inner, h->hidden, DP_BF16);
    m->down[l] = bench_weight (backend, DP_USE_LINEAR, h->hidden, h->inner, DP_BF16);
  }
  m->kv = dp_kv_new (backend, &config, &error);
  m->step = m->kv ? dp_step_new (backend, fields, N_FIELDS, &error) : NULL;
  if (error)
    die (error);
  gsize table = (gsize) h->context * h->head_dim / 2 * 4, norm = (h->hidden * 4 + 127) / 128 * 128;
  float *host = (gpointer) bench_memory (backend, norm + 2 * table + MOST * 4, &m->memory);
  for (gsize i = 0; i < (norm + 2 * table) / 4; i++)
    host[i] = 0.5f;
  m->norm = dp_tensor (m->memory, 0, DP_F32, 1, h->hidden);
  m->cos = dp_tensor (m->memory, norm, DP_F32, h->context, h->head_dim / 2);
  m->sin = dp_tensor (m->memory, norm + table, DP_F32, h->context, h->head_dim / 2);
  m->ids = dp_tensor (m->memory, norm + 2 * table, DP_I32, MOST, 1);
}

static void
close_model (Model *m)
{
  dp_stream_free (m->stream);
  for (guint l = 0; l < m->shape->layers; l++) {
    dp_weight_free (m->qkv[l]);
    dp_weight_free (m->o[l]);
    dp_weight_free (m->gate_up[l]);
    dp_weight_free (m->down[l]);
  }
  dp_weight_free (m->embedding);
  g_free (m->qkv), g_free (m->o), g_free (m->gate_up), g_free (m->down);
  dp_kv_free (m->kv);
  dp_step_free (m->step);
  dp_buffer_free (m->memory);
}

/* ---- steps ----------------------------------------------------------------------------------------------- */

static void
fill_step (Model *m, guint length)
{
  guint pages = (m->shape->context + PAGE - 1) / PAGE;

  dp_step_reset (m->step);
  for (guint b = 0; b < m->batch; b++) {
    dp_step_i32 (m->step, TOKENS)[b] = (gint32) (b + length) % (gint32) m->shape->vocabulary;
    dp_step_i32 (m->step, PLACES)[b] = (gint32) length - 1;
    dp_step_i32 (m->step, LENS)[b] = (gint32) length;
    for (guint i = 0; i < pages; i++)
      dp_step_i32 (m->step, TABLE)[b * pages + i] = (gint32) (1 + b * pages + i);
    dp_step_i32 (m->step, SLOTS)[b] = (gint32) ((1 + b * pages) * PAGE + length - 1);
  }
}

/* Seconds per step, the way an engine makes them: inputs, step, ids back. */
static double
steps_time (Model *m, DpGraph *graph, guint n, gboolean one_thread)
{
  gint32 ids[MOST];
  GError *error = NULL;
  DpTensor out = dp_tensor_rows (m->ids, 0, m->batch);
  double t = seconds (one_thread);

  for (guint i = 0; i < n; i++) {
    fill_step (m, m->shape->context / 2 + i % 16);
    if (graph)
      dp_graph_replay (m->stream, graph, m->step);
    else {
      dp_step_upload (m->stream, m->step);
      decode (m->stream, m);
    }
    dp_stream_download (m->stream, ids, &out, m->batch * sizeof *ids);
    if (!dp_stream_sync (m->stream, &error))
      die (error);
  }
  return (seconds (one_thread) - t) / n;
}

static double
weight_bytes (const Model *m)
{
  double bytes = (double) m->embedding->bytes;

  for (guint l = 0; l < m->shape->layers; l++)
    bytes += (double) m->qkv[l]->bytes + (double) m->o[l]->bytes + (double) m->gate_up[l]->bytes + (double) m->down[l]->bytes;
  return bytes;
}

/* ---- what is possible --------------------------------------------------------------------------------------- */

typedef struct {
  const guint8 *memory;
  gsize piece;
} Reading;

static void
read_piece (gpointer data, gsize first, gsize last, G_GNUC_UNUSED guint thread)
{
  static volatile guint64 sink;
  const Reading *r = data;

  for (gsize i = first; i < last; i++)
    sink ^= read_memory (r->memory + i * r->piece, r->piece);
}

/* GB/s of a team that reads the same bytes again and again. */
static double
team_read (DpTeam *team, const guint8 *memory, gsize bytes, gboolean one_thread)
{
  Reading r = { memory, 64 << 10 };
  gsize pieces = MAX (bytes / r.piece, 1), times = MAX (((gsize) 256 << 20) / (pieces * r.piece), 1);
  double t = seconds (one_thread);

  for (gsize i = 0; i < times; i++)
    dp_team_for (team, pieces, 4, read_piece, &r);
  return (double) (pieces * r.piece) * (double) times / (seconds (one_thread) - t) / 1e9;
}

static void
no_work (G_GNUC_UNUSED gpointer data, G_GNUC_UNUSED gsize first, G_GNUC_UNUSED gsize last, G_GNUC_UNUSED guint thread)
{
}

static void
many_waits (DpTeam *team, G_GNUC_UNUSED gpointer data, guint thread)
{
  for (guint i = 0; i < 100; i++) {
    dp_team_share (team, thread, 2, 1, no_work, NULL);
    dp_team_wait (team, thread);
  }
}

static void
no_loop (G_GNUC_UNUSED DpTeam *team, G_GNUC_UNUSED gpointer data, G_GNUC_UNUSED guint thread)
{
}

/* Seconds of an empty region, the median of 100. */
static double
region_time (DpTeam *team, DpTeamRegion region)
{
  double times[100];

  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    const double t = seconds (FALSE);
    dp_team_region (team, region, NULL);
    times[i] = seconds (FALSE) - t;
  }
  return median (times, G_N_ELEMENTS (times));
}

typedef struct {
  double weights, products, launch; /* seconds: reading, computing, everything else */
} Bound;

/* bandwidth GB/s of the team */
static Bound
bound_of (const Model *m, DpTeam *team, double bytes, double bandwidth)
{
  const guint n_products = 4 * m->shape->layers + 1, n = dp_team_size (team);
  const double flop = bytes * m->batch; /* two bytes and two operations for each value of a weight */
  Bound b = { .weights = bytes / bandwidth / 1e9 };

  if (has_peaks ())
    b.products = flop / peak_bf16 () / 1e9 / n;
  if (n > 1)
    b.launch = region_time (team, no_loop) + n_products * region_time (team, many_waits) / 100;
  return b;
}

static void
line (Model *m, DpTeam *team, guint batch, guint steps, guint rounds)
{
  GError *error = NULL;
  gboolean one_thread = dp_team_size (team) == 1;
  double eager[64], graph[64], ratio[64], bandwidth[64], share[64], best_eager = INFINITY, best_graph = INFINITY;

  m->batch = batch;
  g_autoptr (DpGraph) g = dp_graph_capture (m->backend, decode, m, &error);
  if (!g)
    die (error);
  gsize bytes = (gsize) weight_bytes (m);
  DpBuffer *buffer;
  const guint8 *memory = bench_memory (m->backend, MIN (bytes, (gsize) 256 << 20) + (64 << 10), &buffer);
  /* the graph first tries its forms */
  steps_time (m, g, MIN (20 * steps, 100), one_thread);
  for (guint r = 0; r < rounds; r++) {
    bandwidth[r] = team_read (team, memory, MIN (bytes, (gsize) 256 << 20), one_thread);
    /* each goes first every other time: what the scheduler owes a process is paid to whoever comes first */
    if (r % 2)
      graph[r] = steps_time (m, g, steps, one_thread);
    eager[r] = steps_time (m, NULL, steps, one_thread);
    if (r % 2 == 0)
      graph[r] = steps_time (m, g, steps, one_thread);
    ratio[r] = eager[r] / graph[r];
    share[r] = (double) bytes / bandwidth[r] / 1e9 / graph[r];
    best_eager = MIN (best_eager, eager[r]), best_graph = MIN (best_graph, graph[r]);
  }
  dp_buffer_free (buffer);
  const double tokens = batch, step_graph = median (graph, rounds), step_eager = median (eager, rounds);
  const Bound b = bound_of (m, team, (double) bytes, median (bandwidth, rounds));
  const double bound = MAX (b.weights, b.products) + b.launch;
  printf ("  batch %2u  eager %8.1f tok/s (best %8.1f)  graph %8.1f tok/s (best %8.1f)  ratio %.2f (best to best %.2f)\n", batch,
          tokens / step_eager, tokens / best_eager, tokens / step_graph, tokens / best_graph, median (ratio, rounds),
          best_eager / best_graph);
  printf (
      "            step %.1f us; weights %.1f MB at %.1f GB/s %.1f us (%.0f %% of the step), products %.1f us, launch and waits %.1f us: "
      "bound %.1f us, the ratio could be %.2f\n",
      1e6 * step_graph, (double) bytes / 1e6, median (bandwidth, rounds), 1e6 * b.weights, 100 * median (share, rounds), 1e6 * b.products,
      1e6 * b.launch, 1e6 * bound, step_eager / bound);
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  static const Shape small = { "small", 256, 4, 4, 2, 64, 768, 512, 256 };
  static const Shape large = { "large", 896, 24, 14, 2, 64, 4864, 151936, 512 };
  gboolean only_small = argc > 1 && g_str_equal (argv[1], "small"), only_large = argc > 1 && g_str_equal (argv[1], "large");
  guint n_threads = argc > 2 ? (guint) atoi (argv[2]) : 0, batch = argc > 3 ? (guint) atoi (argv[3]) : 0;
  GError *error = NULL;
  DpBackend *backend
      = dp_backend_open ("cpu", &(DpBackendOptions){ .struct_size = sizeof (DpBackendOptions), .n_threads = n_threads }, &error);
  DpTeam *team = dp_team_new (n_threads);
  Model m;

  if (!backend)
    die (error);
  if (!only_large) {
    printf ("decode, d=256, 4 layers, 4/2 heads of 64, inner 768, vocabulary 512, bf16, %u threads (aim: graph / eager 1.6)\n",
            dp_team_size (team));
    open_model (&m, backend, &small);
    for (guint i = 0; i < 3; i++) {
      static const guint batches[] = { 1, 8, 32 }, steps[] = { 200, 150, 60 };
      if (!batch || batch == batches[i])
        line (&m, team, batches[i], steps[i], 21);
    }
    close_model (&m);
  }
  if (!only_small) {
    printf (
        "decode, 24 layers, d=896, 14/2 heads of 64, inner 4864, vocabulary 151936, bf16, %u threads (aim: ratio >= 1; 88 %% at batch 1)\n",
        dp_team_size (team));
    open_model (&m, backend, &large);
    for (guint i = 0; i < 3; i++) {
      static const guint batches[] = { 1, 8, 16 };
      if (!batch || batch == batches[i])
        line (&m, team, batches[i], 2, i ? 11 : 15);
    }
    close_model (&m);
  }
  dp_team_free (team);
  dp_backend_close (backend);
  return 0;
}
