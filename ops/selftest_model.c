/* ops/selftest_model.c - a small random decoder, run in every way the engine will run one.
 *
 * Sequences of unequal length, each beginning with a token of its own (its tag), are continued alone, in a batch, from a
 * graph, and from the same graph after a larger batch used it.  All four must give the same tokens and the same bits:
 * a slot that leaks, a row left over from the step before, a kernel that depends on its neighbours shows here.
 * The code also is the smallest complete example of how a model uses ops/.
 */
#include "ops/graph.h"
#include "ops/selftest_case.h"

enum { HIDDEN = 64, LAYERS = 2, HEADS = 4, KV_HEADS = 2, HEAD = 16, INNER = 96, VOCABULARY = 97 };
enum { PAGE = 4, MOST = 8, PAGES_EACH = 16, POSITIONS = PAGE * PAGES_EACH, NEW_TOKENS = 10, SEQUENCES = 7 };
enum { TOKENS, PLACES, SLOTS, LENS, TABLE, N_FIELDS };

typedef struct {
  DpBackend *backend;
  DpStream *stream;
  GRand *rand;
  DpWeight *embedding, *qkv[LAYERS], *o[LAYERS], *gate_up[LAYERS], *down[LAYERS];
  DpBuffer *memory;
  DpTensor norm, cos, sin, hidden, ids; /* views of memory; hidden and ids are the results */
  DpKv *kv;
  DpStep *step;
  guint bucket; /* rows of the body about to run */
} Model;

typedef struct {
  guint prompt, length;
  gint32 tokens[POSITIONS];
  float hidden[NEW_TOKENS][HIDDEN]; /* last hidden state of each step, for comparing bits */
} Sequence;

/* ---- building ---- */

static DpWeight *
weight (Model *m, guint32 uses, guint32 rows, guint32 cols, DpType hold, GError **error)
{
  g_autofree float *data = g_new (float, rows *cols);
  for (guint32 i = 0; i < rows * cols; i++)
    data[i] = (float) g_rand_double_range (m->rand, -2, 2) / sqrtf ((float) cols);
  if (*error)
    return NULL;
  return dp_weight_new (m->backend,
                        &(DpWeightSource){ .name = "selftest",
                                           .uses = uses,
                                           .n = 1,
                                           .rows = rows,
                                           .cols = cols,
                                           .type = DP_F32,
                                           .hold = hold,
                                           .data = data,
                                           .data_size = rows * cols * sizeof *data },
                        error);
}

static void
tables (Model *m)
{
  float norm[HIDDEN], cosine[POSITIONS][HEAD / 2], sine[POSITIONS][HEAD / 2];
  for (int i = 0; i < HIDDEN; i++)
    norm[i] = (float) g_rand_double_range (m->rand, 0.5, 1.5);
  for (int p = 0; p < POSITIONS; p++)
    for (int j = 0; j < HEAD / 2; j++) {
      double angle = p * pow (10000, -2.0 * j / HEAD);
      cosine[p][j] = (float) cos (angle), sine[p][j] = (float) sin (angle);
    }
  dp_stream_upload (m->stream, &m->norm, norm, sizeof norm);
  dp_stream_upload (m->stream, &m->cos, cosine, sizeof cosine);
  dp_stream_upload (m->stream, &m->sin, sine, sizeof sine);
}

static gboolean
build (Model *m, DpType hold, DpType cache, GError **error)
{
  const DpKvConfig config = { .n_layers = LAYERS,
                              .n_pages = 1 + SEQUENCES * PAGES_EACH,
                              .page_size = PAGE,
                              .n_kv_heads = KV_HEADS,
                              .head_dim = HEAD,
                              .head_dim_v = HEAD,
                              .type = cache };
  const DpStepField fields[N_FIELDS] = { { "tokens", DP_I32, MOST, 1, 0 },
                                         { "positions", DP_I32, MOST, 1, 0 },
                                         { "slots", DP_I32, MOST, 1, -1 },
                                         { "lens", DP_I32, MOST, 1, 0 },
                                         { "table", DP_I32, MOST, PAGES_EACH, 0 } };
  GError *first = NULL;
  m->stream = dp_stream_new (m->backend, &first);
  m->embedding = weight (m, DP_USE_EMBEDDING | DP_USE_LM_HEAD, VOCABULARY, HIDDEN, hold, &first);
  for (int l = 0; l < LAYERS; l++) {
    m->qkv[l] = weight (m, DP_USE_QKV, (HEADS + 2 * KV_HEADS) * HEAD, HIDDEN, hold, &first);
    m->o[l] = weight (m, DP_USE_LINEAR, HIDDEN, HEADS * HEAD, hold, &first);
    m->gate_up[l] = weight (m, DP_USE_GATE_UP, 2 * INNER, HIDDEN, hold, &first);
    m->down[l] = weight (m, DP_USE_LINEAR, HIDDEN, INNER, hold, &first);
  }
  if (!first)
    m->kv = dp_kv_new (m->backend, &config, &first);
  if (!first)
    m->step = dp_step_new (m->backend, fields, N_FIELDS, &first);
  gsize table = (gsize) POSITIONS * HEAD / 2 * 4, at[] = { 0, 256, 256 + table, 256 + 2 * table, 256 + 2 * table + MOST * HIDDEN * 4 };
  if (!first)
    m->memory = dp_buffer_new (m->backend, at[4] + MOST * 4, &first);
  if (first) {
    g_propagate_error (error, first);
    return FALSE;
  }
  m->norm = dp_tensor (m->memory, at[0], DP_F32, 1, HIDDEN);
  m->cos = dp_tensor (m->memory, at[1], DP_F32, POSITIONS, HEAD / 2);
  m->sin = dp_tensor (m->memory, at[2], DP_F32, POSITIONS, HEAD / 2);
  m->hidden = dp_tensor (m->memory, at[3], DP_F32, MOST, HIDDEN);
  m->ids = dp_tensor (m->memory, at[4], DP_I32, MOST, 1);
  tables (m);
  return dp_stream_sync (m->stream, error);
}

static void
clear (Model *m)
{
  dp_stream_free (m->stream);
  dp_weight_free (m->embedding);
  for (int l = 0; l < LAYERS; l++) {
    dp_weight_free (m->qkv[l]);
    dp_weight_free (m->o[l]);
    dp_weight_free (m->gate_up[l]);
    dp_weight_free (m->down[l]);
  }
  dp_buffer_free (m->memory);
  dp_kv_free (m->kv);
  dp_step_free (m->step);
  g_rand_free (m->rand);
}

/* ---- the model ---- */

/* Everything of a layer around attention is the same for prefill and decode. */
typedef struct {
  DpTensor ids, places, slots; /* [T, 1] */
  DpTensor cu_seqlens;         /* prefill only */
  guint longest;
  DpTensor table, lens; /* decode only */
} Tokens;

static const DpAttention attention
    = { .n_heads = HEADS, .n_kv_heads = KV_HEADS, .head_dim = HEAD, .head_dim_v = HEAD, .scale = 0.25f, .causal = TRUE };

static void
attend (Model *m, DpStream *s, const Tokens *t, int l, DpTensor q, DpTensor k, DpTensor v, DpTensor out)
{
  dp_apply_rotary (
      s, &(DpApplyRotaryArgs){ .q = q, .k = k, .cos = m->cos, .sin = m->sin, .positions = t->places, .head_dim = HEAD, .rot_dim = HEAD });
  dp_fill_kv_cache (s, &(DpFillKvCacheArgs){ .k = k, .v = v, .slots = t->slots, .kv = m->kv, .layer = l });
  if (t->cu_seqlens.buffer)
    dp_prefill_attention (
        s, &(DpPrefillAttentionArgs){
               .q = q, .k = k, .v = v, .cu_seqlens = t->cu_seqlens, .max_seqlen = t->longest, .attn = attention, .out = out });
  else
    dp_paged_decode_attention (s, &(DpPagedDecodeAttentionArgs){ .q = q,
                                                                 .kv = m->kv,
                                                                 .layer = l,
                                                                 .block_table = t->table,
                                                                 .kv_lens = t->lens,
                                                                 .max_kv_len = POSITIONS,
                                                                 .attn = attention,
                                                                 .out = out });
}

/* Final normed hidden states into out. */
static void
forward (Model *m, DpStream *s, const Tokens *t, DpTensor out)
{
  guint32 n = t->ids.rows, q_cols = HEADS * HEAD, kv_cols = KV_HEADS * HEAD;
  gsize mark = dp_stream_mark (s);
  DpTensor residual = dp_stream_temp (s, DP_F32, n, HIDDEN), x = dp_stream_temp (s, DP_F32, n, HIDDEN);
  DpTensor delta = dp_stream_temp (s, DP_F32, n, HIDDEN), inner = dp_stream_temp (s, DP_F32, n, INNER);
  DpTensor qkv = dp_stream_temp (s, DP_F32, n, q_cols + 2 * kv_cols), mixed = dp_stream_temp (s, DP_F32, n, q_cols);
  DpTensor q = dp_tensor_cols (qkv, 0, q_cols), k = dp_tensor_cols (qkv, q_cols, kv_cols),
           v = dp_tensor_cols (qkv, q_cols + kv_cols, kv_cols);
  dp_embedding (s, &(DpEmbeddingArgs){ .ids = t->ids, .weight = m->embedding, .y = residual });
  dp_rms_norm (s, &(DpRmsNormArgs){ .x = residual, .weight = m->norm, .eps = 1e-6f, .y = x });
  for (int l = 0; l < LAYERS; l++) {
    dp_qkv_linear (s, &(DpQkvLinearArgs){ .x = x, .weight = m->qkv[l], .q = q, .k = k, .v = v });
    attend (m, s, t, l, q, k, v, mixed);
    dp_linear (s, &(DpLinearArgs){ .x = mixed, .weight = m->o[l], .y = delta });
    dp_add_rms_norm (s, &(DpAddRmsNormArgs){ .x = delta, .residual = residual, .weight = m->norm, .eps = 1e-6f, .y = x });
    dp_gate_up_silu (s, &(DpGateUpSiluArgs){ .x = x, .weight = m->gate_up[l], .act = DP_ACT_SILU, .y = inner });
    dp_linear (s, &(DpLinearArgs){ .x = inner, .weight = m->down[l], .y = delta });
    dp_add_rms_norm (
        s, &(DpAddRmsNormArgs){ .x = delta, .residual = residual, .weight = m->norm, .eps = 1e-6f, .y = l < LAYERS - 1 ? x : out });
  }
  dp_stream_release (s, mark);
}

/* One decode step of m->bucket rows: eager, or recorded. */
static void
decode (DpStream *s, gpointer data)
{
  Model *m = data;
  guint n = m->bucket;
  Tokens t = { .ids = dp_tensor_rows (dp_step_tensor (m->step, TOKENS), 0, n),
               .places = dp_tensor_rows (dp_step_tensor (m->step, PLACES), 0, n),
               .slots = dp_tensor_rows (dp_step_tensor (m->step, SLOTS), 0, n),
               .lens = dp_tensor_rows (dp_step_tensor (m->step, LENS), 0, n),
               .table = dp_tensor_rows (dp_step_tensor (m->step, TABLE), 0, n) };
  DpTensor hidden = dp_tensor_rows (m->hidden, 0, n), ids = dp_tensor_rows (m->ids, 0, n);
  forward (m, s, &t, hidden);
  dp_lm_head_argmax (s, &(DpLmHeadArgmaxArgs){ .x = hidden, .weight = m->embedding, .ids = ids });
}

/* ---- running sequences ---- */

/* Page i of sequence b: scattered, never page 0. */
static gint32
page_of (guint b, guint i)
{
  return 1 + (gint32) ((b * PAGES_EACH + i) * 29 % (SEQUENCES * PAGES_EACH));
}

static gint32
slot_of (guint b, guint place)
{
  return page_of (b, place / PAGE) * PAGE + (gint32) (place % PAGE);
}

/* The prompts of sequences[first..first+n), packed, without their last tokens: those are the first decode step's. */
static void
prefill (Model *m, const Sequence *sequences, guint first, guint n)
{
  gint32 ids[SEQUENCES * POSITIONS], places[SEQUENCES * POSITIONS], slots[SEQUENCES * POSITIONS], starts[SEQUENCES + 1] = { 0 };
  DpStream *s = m->stream;
  guint rows = 0, longest = 0;
  for (guint b = 0; b < n; b++) {
    const Sequence *q = &sequences[first + b];
    for (guint i = 0; i + 1 < q->prompt; i++, rows++)
      ids[rows] = q->tokens[i], places[rows] = (gint32) i, slots[rows] = slot_of (first + b, i);
    starts[b + 1] = (gint32) rows;
    longest = MAX (longest, q->prompt - 1);
  }
  gsize mark = dp_stream_mark (s);
  Tokens t = { .ids = dp_stream_temp (s, DP_I32, rows, 1),
               .places = dp_stream_temp (s, DP_I32, rows, 1),
               .slots = dp_stream_temp (s, DP_I32, rows, 1),
               .cu_seqlens = dp_stream_temp (s, DP_I32, n + 1, 1),
               .longest = longest };
  dp_stream_upload (s, &t.ids, ids, rows * 4);
  dp_stream_upload (s, &t.places, places, rows * 4);
  dp_stream_upload (s, &t.slots, slots, rows * 4);
  dp_stream_upload (s, &t.cu_seqlens, starts, (n + 1) * 4);
  forward (m, s, &t, dp_stream_temp (s, DP_F32, rows, HIDDEN));
  dp_stream_release (s, mark);
}

static void
fill_step (Model *m, const Sequence *sequences, guint first, guint n)
{
  dp_step_reset (m->step);
  for (guint b = 0; b < n; b++) {
    const Sequence *q = &sequences[first + b];
    dp_step_i32 (m->step, TOKENS)[b] = q->tokens[q->length - 1];
    dp_step_i32 (m->step, PLACES)[b] = (gint32) q->length - 1;
    dp_step_i32 (m->step, SLOTS)[b] = slot_of (first + b, q->length - 1);
    dp_step_i32 (m->step, LENS)[b] = (gint32) q->length;
    for (guint i = 0; i < PAGES_EACH; i++)
      dp_step_i32 (m->step, TABLE)[b * PAGES_EACH + i] = page_of (first + b, i);
  }
}

/* Continues sequences[first..first+n) by NEW_TOKENS tokens; graph NULL: eagerly. */
static gboolean
run (Model *m, DpGraph *graph, Sequence *sequences, guint first, guint n, GError **error)
{
  float hidden[MOST][HIDDEN];
  gint32 ids[MOST];
  for (guint b = first; b < first + n; b++)
    sequences[b].length = sequences[b].prompt;
  prefill (m, sequences, first, n);
  for (guint step = 0; step < NEW_TOKENS; step++) {
    fill_step (m, sequences, first, n);
    m->bucket = dp_bucket (n, MOST);
    if (graph)
      dp_graph_replay (m->stream, graph, m->step);
    else {
      dp_step_upload (m->stream, m->step);
      decode (m->stream, m);
    }
    DpTensor rows = dp_tensor_rows (m->hidden, 0, n), which = dp_tensor_rows (m->ids, 0, n);
    dp_stream_download (m->stream, hidden, &rows, n * sizeof hidden[0]);
    dp_stream_download (m->stream, ids, &which, n * sizeof ids[0]);
    if (!dp_stream_sync (m->stream, error))
      return FALSE;
    for (guint b = 0; b < n; b++) {
      Sequence *q = &sequences[first + b];
      q->tokens[q->length++] = ids[b];
      memcpy (q->hidden[step], hidden[b], sizeof hidden[b]);
    }
  }
  return TRUE;
}

static gboolean
same (const Sequence *a, const Sequence *b, guint first, guint n)
{
  for (guint i = first; i < first + n; i++)
    if (a[i].length != b[i].length || memcmp (a[i].tokens, b[i].tokens, a[i].length * sizeof a[i].tokens[0]) != 0
        || memcmp (a[i].hidden, b[i].hidden, sizeof a[i].hidden) != 0)
      return FALSE;
  return TRUE;
}

/* Why the ways of running differ, or NULL; *error when one cannot run. */
static const char *
compare_ways (Model *m, GError **error)
{
  g_autofree Sequence *alone = g_new0 (Sequence, SEQUENCES), *batch = NULL;
  for (guint b = 0; b < SEQUENCES; b++) {
    alone[b].prompt = 2 + b * 5 % 31;
    for (guint i = 0; i < alone[b].prompt; i++)
      alone[b].tokens[i] = i == 0 ? (gint32) b : g_rand_int_range (m->rand, SEQUENCES, VOCABULARY);
  }
  batch = g_memdup2 (alone, sizeof *alone * SEQUENCES);
  for (guint b = 0; b < SEQUENCES; b++)
    if (!run (m, NULL, alone, b, 1, error))
      return NULL;
  if (!run (m, NULL, batch, 0, SEQUENCES, error))
    return NULL;
  if (!same (alone, batch, 0, SEQUENCES))
    return "a sequence continues differently in a batch than alone";
  m->bucket = dp_bucket (SEQUENCES, MOST);
  g_autoptr (DpGraph) graph = dp_graph_capture (m->backend, decode, m, error);
  if (!graph || !run (m, graph, batch, 0, SEQUENCES, error))
    return NULL;
  if (!same (alone, batch, 0, SEQUENCES))
    return "a graph gives other bits than eager steps";
  if (!run (m, graph, batch, 2, SEQUENCES - 2, error)) /* the same bucket: rows of the larger batch are left behind */
    return NULL;
  return same (alone, batch, 0, SEQUENCES) ? NULL : "a graph replayed for fewer sequences gives other bits";
}

void
dp_selftest_model (DpBackend *backend, guint32 seed, DpSelftestLine *line)
{
  static const struct {
    DpType hold, cache;
  } kinds[] = { { DP_F32, DP_F32 }, { DP_BF16, DP_BF16 }, { DP_BF16, DP_I8 }, { DP_F16, DP_F16 } };
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    Model m = { .backend = backend, .rand = g_rand_new_with_seed (seed + i) };
    g_autoptr (GError) error = NULL;
    const char *wrong = build (&m, kinds[i].hold, kinds[i].cache, &error) ? compare_ways (&m, &error) : NULL;
    gboolean unsupported = g_error_matches (error, DP_OPS_ERROR, DP_OPS_ERROR_UNSUPPORTED);
    line->refused += unsupported;
    line->run += !unsupported;
    line->failed += !unsupported && (error || wrong);
    if ((error || wrong) && !line->message)
      line->message = g_strdup_printf ("%s weights, %s cache: %s", dp_type_name (kinds[i].hold), dp_type_name (kinds[i].cache),
                                       error ? error->message : wrong);
    clear (&m);
  }
}
