/* vlm/decoder.c - the decoder's life and its calls: memory, prefill, steps and their graphs. */
#include "vlm/decoder_private.h"

#include "vlm/error.h"
#include "vlm/rotary.h"

#include <string.h>

/* ---- making one ------------------------------------------------------------------------------------------------------- */

static DpKvConfig
kv_config (const DpModel *m, guint32 page_size, guint32 n_pages, DpType type)
{
  const DpTextConfig *c = &m->config.text;

  return (DpKvConfig){ .n_layers = c->layers,
                       .n_pages = n_pages,
                       .page_size = page_size,
                       .n_kv_heads = c->kv_heads,
                       .head_dim = c->head_dim,
                       .head_dim_v = c->head_dim,
                       .type = type };
}

gsize
dp_decoder_page_bytes (const DpModel *m, guint32 page_size, DpType kv_type)
{
  const DpKvConfig config = kv_config (m, page_size, 1, kv_type);

  return dp_kv_page_bytes (m->backend, &config);
}

static gboolean
check_options (const DpModel *m, const DpDecoderOptions *o, GError **error)
{
  const char *why = NULL;

  if (o->page_size < 1 || o->page_size > 65536 || o->n_pages < 2 || (guint64) o->n_pages * o->page_size > G_MAXINT32 / 4)
    why = "the cache needs pages of 1 to 65536 tokens and at least two of them";
  else if (o->max_len < 1 || o->max_len > m->config.text.max_positions)
    why = "sequences cannot be longer than max_position_embeddings";
  else if (o->max_batch < 1 || o->max_batch > 4096 || o->max_rows < 1 || o->max_rows > 1u << 20)
    why = "a call takes 1 to 4096 sequences and 1 to 1048576 rows";
  if (why)
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT, "decoder: %s (page %u, pages %u, length %u, batch %u, rows %u)", why,
                 o->page_size, o->n_pages, o->max_len, o->max_batch, o->max_rows);
  return why == NULL;
}

static gboolean
make_steps (DpDecoder *d, GError **error)
{
  const guint32 batch = d->options.max_batch, rows = d->options.max_rows;
  const DpStepField step[DP_N_STEP_FIELDS] = {
    [DP_STEP_TOKENS] = { "tokens", DP_I32, batch, 1, 0 },
    [DP_STEP_POSITIONS] = { "positions", DP_I32, batch, d->axes, 0 },
    [DP_STEP_SLOTS] = { "slots", DP_I32, batch, 1, -1 },
    [DP_STEP_LENS] = { "lens", DP_I32, batch, 1, 0 },
    [DP_STEP_TABLE] = { "table", DP_I32, batch, d->pages_each, 0 },
    [DP_STEP_PROMPTS] = { "prompts", DP_I32, batch, 1, 0 },
    [DP_STEP_PENALTIES] = { "penalties", DP_F32, batch, 3, 1 },
    [DP_STEP_NGRAMS] = { "ngrams", DP_I32, batch, 1, 0 },
    [DP_STEP_SAMPLING] = { "sampling", DP_F32, batch, 3, 0 },
    [DP_STEP_GREEDY] = { "greedy", DP_F32, batch, 3, 0 },
    [DP_STEP_TOP_K] = { "top k", DP_I32, batch, 1, 0 },
    [DP_STEP_RANDOM] = { "random", DP_I32, batch, 2, 0 },
  };
  const DpStepField fill[DP_N_FILL_FIELDS] = {
    [DP_FILL_TOKENS] = { "tokens", DP_I32, rows, 1, 0 },
    [DP_FILL_POSITIONS] = { "positions", DP_I32, rows, d->axes, 0 },
    [DP_FILL_SLOTS] = { "slots", DP_I32, rows, 1, -1 },
    [DP_FILL_IMAGES] = { "images", DP_I32, rows, 1, -1 },
    [DP_FILL_ENDS] = { "ends", DP_I32, batch + 1, 1, 0 },
    [DP_FILL_LENS] = { "lens", DP_I32, batch, 1, 0 },
    [DP_FILL_TABLE] = { "table", DP_I32, batch, d->pages_each, 0 },
    [DP_FILL_LAST] = { "last", DP_I32, batch, 1, -1 },
  };
  GError *first = NULL;

  d->step = dp_step_new (d->model->backend, step, DP_N_STEP_FIELDS, &first);
  if (d->step)
    d->fill = dp_step_new (d->model->backend, fill, DP_N_FILL_FIELDS, &first);
  if (first)
    g_propagate_error (error, first);
  return d->fill != NULL;
}

/* A tensor at *at of the memory to be made, which grows by it. */
static DpTensor
reserve (gsize *at, DpType type, guint32 rows, guint32 cols)
{
  const DpTensor t = dp_tensor (NULL, *at, type, rows, cols);

  *at += (dp_tensor_bytes (&t) + DP_ALIGN - 1) / DP_ALIGN * DP_ALIGN;
  return t;
}

static gboolean
make_memory (DpDecoder *d, GError **error)
{
  const DpDecoderOptions *o = &d->options;
  const guint32 half = d->model->config.text.head_dim / 2;
  gsize size = 0;

  d->cos = reserve (&size, DP_F32, o->max_len, half);
  d->sin = reserve (&size, DP_F32, o->max_len, half);
  d->history = reserve (&size, DP_I32, o->n_pages, o->page_size);
  const gsize results = size;
  d->ids = reserve (&size, DP_I32, o->max_batch, 1);
  d->likeliest = reserve (&size, DP_I32, o->max_batch, 1);
  d->logprob = reserve (&size, DP_F32, o->max_batch, 1);
  d->likeliest_logprob = reserve (&size, DP_F32, o->max_batch, 1);
  d->results = dp_tensor (NULL, results, DP_U8, 1, (guint32) (size - results));
  d->memory = dp_buffer_new (d->model->backend, size, error);
  if (!d->memory)
    return FALSE;
  DpTensor *const all[] = { &d->cos, &d->sin, &d->history, &d->ids, &d->likeliest, &d->logprob, &d->likeliest_logprob, &d->results };
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    all[i]->buffer = d->memory;
  return TRUE;
}

/* Rotary tables; no slot and no result is ever read before it was written, but for padding. */
static gboolean
fill_memory (DpDecoder *d, GError **error)
{
  const gsize table = dp_tensor_bytes (&d->cos), history = dp_tensor_bytes (&d->history);
  g_autofree float *cosines = g_malloc (table), *sines = g_malloc (table);
  g_autofree guint8 *zeros = g_malloc0 (MAX (history, d->results.cols));

  dp_rotary_table (d->model->config.text.rope_theta, d->model->config.text.head_dim, d->options.max_len, cosines, sines);
  dp_stream_upload (d->stream, &d->cos, cosines, table);
  dp_stream_upload (d->stream, &d->sin, sines, table);
  dp_stream_upload (d->stream, &d->history, zeros, history);
  dp_stream_upload (d->stream, &d->results, zeros, d->results.cols);
  return dp_stream_sync (d->stream, error);
}

DpDecoder *
dp_decoder_new (DpModel *m, const DpDecoderOptions *o, GError **error)
{
  if (!check_options (m, o, error))
    return NULL;
  const DpKvConfig config = kv_config (m, o->page_size, o->n_pages, o->kv_type);
  g_autoptr (DpDecoder) d = g_new0 (DpDecoder, 1);
  d->model = m;
  d->options = *o;
  d->axes = m->config.text.mrope_sections[0] ? 3 : 1;
  d->pages_each = (o->max_len + o->page_size - 1) / o->page_size;
  d->graphs = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) dp_graph_free);
  d->stream = dp_stream_new (m->backend, error);
  if (!d->stream || !(d->kv = dp_kv_new (m->backend, &config, error)) || !make_steps (d, error) || !make_memory (d, error)
      || !fill_memory (d, error))
    return NULL;
  return g_steal_pointer (&d);
}

void
dp_decoder_free (DpDecoder *d)
{
  if (!d)
    return;
  dp_stream_free (d->stream); /* waits: what it used can go after it */
  g_hash_table_unref (d->graphs);
  dp_step_free (d->step);
  dp_step_free (d->fill);
  dp_kv_free (d->kv);
  dp_buffer_free (d->memory);
  g_free (d);
}

DpStream *
dp_decoder_stream (DpDecoder *d)
{
  return d->stream;
}

/* ---- what a call is given ---------------------------------------------------------------------------------------------- */

static gboolean
part_fits (const DpDecoder *d, const DpDecoderPart *p)
{
  if (p->n < 1 || p->n > p->kv_len || p->kv_len > d->options.max_len)
    return FALSE;
  for (guint32 i = 0; i < (p->kv_len + d->options.page_size - 1) / d->options.page_size; i++)
    if (p->pages[i] >= d->options.n_pages)
      return FALSE;
  for (guint32 i = 0; i < p->n * d->axes; i++)
    if (p->positions[i] < 0 || (guint32) p->positions[i] >= d->options.max_len)
      return FALSE;
  return TRUE;
}

static void
fill_table (const DpDecoder *d, const DpDecoderPart *p, gint32 *table)
{
  for (guint32 i = 0; i < (p->kv_len + d->options.page_size - 1) / d->options.page_size; i++)
    table[i] = (gint32) p->pages[i];
}

static void
fill_slots (const DpDecoder *d, const DpDecoderPart *p, gint32 *slots)
{
  const guint32 size = d->options.page_size;

  for (guint32 i = 0; i < p->n; i++) {
    const guint32 at = p->kv_len - p->n + i;
    slots[i] = (gint32) (p->pages[at / size] * size + at % size);
  }
}

/* ---- prefill -------------------------------------------------------------------------------------------------------------- */

/* Writes the inputs of all parts; how they are seen. */
static DpDecoderRows
fill_parts (DpDecoder *d, const DpDecoderPart *parts, guint32 n_parts)
{
  DpDecoderRows in = { .parts = parts, .n_parts = n_parts };
  guint32 rows = 0, images = 0;

  dp_step_reset (d->fill);
  for (guint32 b = 0; b < n_parts; b++) {
    const DpDecoderPart *p = &parts[b];
    memcpy (dp_step_i32 (d->fill, DP_FILL_TOKENS) + rows, p->tokens, p->n * sizeof (gint32));
    memcpy (dp_step_i32 (d->fill, DP_FILL_POSITIONS) + (gsize) rows * d->axes, p->positions, (gsize) p->n * d->axes * sizeof (gint32));
    fill_slots (d, p, dp_step_i32 (d->fill, DP_FILL_SLOTS) + rows);
    fill_table (d, p, dp_step_i32 (d->fill, DP_FILL_TABLE) + (gsize) b * d->pages_each);
    for (guint32 i = 0; dp_tensor_present (&p->images) && i < p->images.rows; i++)
      dp_step_i32 (d->fill, DP_FILL_IMAGES)[images++] = (gint32) rows + p->image_at[i];
    rows += p->n;
    dp_step_i32 (d->fill, DP_FILL_ENDS)[b + 1] = (gint32) rows;
    dp_step_i32 (d->fill, DP_FILL_LENS)[b] = (gint32) p->kv_len;
    dp_step_i32 (d->fill, DP_FILL_LAST)[b] = (gint32) rows - 1;
    in.longest = MAX (in.longest, p->n);
    in.longest_kv = MAX (in.longest_kv, p->kv_len);
  }
  in.tokens = dp_tensor_rows (dp_step_tensor (d->fill, DP_FILL_TOKENS), 0, rows);
  in.positions = dp_tensor_rows (dp_step_tensor (d->fill, DP_FILL_POSITIONS), 0, rows);
  in.slots = dp_tensor_rows (dp_step_tensor (d->fill, DP_FILL_SLOTS), 0, rows);
  in.image_rows = dp_step_tensor (d->fill, DP_FILL_IMAGES);
  in.ends = dp_tensor_rows (dp_step_tensor (d->fill, DP_FILL_ENDS), 0, n_parts + 1);
  in.lens = dp_tensor_rows (dp_step_tensor (d->fill, DP_FILL_LENS), 0, n_parts);
  in.table = dp_tensor_rows (dp_step_tensor (d->fill, DP_FILL_TABLE), 0, n_parts);
  in.last = dp_tensor_rows (dp_step_tensor (d->fill, DP_FILL_LAST), 0, n_parts);
  return in;
}

/* The rows of all parts; 0 if they are not what the header asks for. */
static guint32
rows_of (const DpDecoder *d, const DpDecoderPart *parts, guint32 n_parts)
{
  guint64 rows = 0;

  for (guint32 b = 0; b < n_parts; b++) {
    const DpTensor *images = &parts[b].images;
    if (!part_fits (d, &parts[b]) || (dp_tensor_present (images) && images->rows > parts[b].n))
      return 0;
    for (guint32 i = 0; dp_tensor_present (images) && i < images->rows; i++)
      if (parts[b].image_at[i] < 0 || (guint32) parts[b].image_at[i] >= parts[b].n)
        return 0;
    rows += parts[b].n;
  }
  return rows <= d->options.max_rows ? (guint32) rows : 0;
}

void
dp_decoder_prefill (DpDecoder *d, const DpDecoderPart *parts, guint32 n_parts, DpTensor hidden_last)
{
  g_return_if_fail (n_parts >= 1 && n_parts <= d->options.max_batch && rows_of (d, parts, n_parts));
  const DpDecoderRows in = fill_parts (d, parts, n_parts);
  dp_step_upload (d->stream, d->fill);
  dp_decoder_forward (d, d->stream, &in, hidden_last);
}

/* ---- steps ----------------------------------------------------------------------------------------------------------------- */

/* A step of so many rows: the body of its graph, and what runs eagerly. */
typedef struct {
  DpDecoder *decoder;
  guint32 rows;
  DpChooseForm form;
} Step;

static void
step_body (DpStream *s, gpointer data)
{
  const Step *step = data;
  DpDecoder *d = step->decoder;
  const guint32 n = step->rows;
  const gsize mark = dp_stream_mark (s);
  const DpDecoderRows in = { .tokens = dp_decoder_input (d, DP_STEP_TOKENS, n),
                             .positions = dp_decoder_input (d, DP_STEP_POSITIONS, n),
                             .slots = dp_decoder_input (d, DP_STEP_SLOTS, n),
                             .table = dp_decoder_input (d, DP_STEP_TABLE, n),
                             .lens = dp_decoder_input (d, DP_STEP_LENS, n) };
  const DpTensor hidden = dp_stream_temp (s, d->model->residual, n, d->model->config.text.hidden);
  DpTensor tokens = { 0 };

  dp_decoder_forward (d, s, &in, hidden);
  if (step->form == DP_CHOOSE_FULL) {
    const DpTensor pages = dp_stream_temp (s, DP_I32, n * d->pages_each, d->options.page_size);
    dp_window_permute (
        s, &(DpWindowPermuteArgs){ .x = d->history, .index = dp_tensor_reshape (in.table, n * d->pages_each, 1), .unit = 1, .y = pages });
    tokens = dp_tensor_reshape (pages, n, d->pages_each * d->options.page_size);
  }
  dp_decoder_issue_choice (d, s, step->form, hidden, tokens, in.lens);
  dp_stream_release (s, mark);
}

static void
fill_step (DpDecoder *d, const DpDecoderPart *parts, const DpChoice *choices, guint32 n)
{
  dp_step_reset (d->step);
  for (guint32 b = 0; b < n; b++) {
    const DpDecoderPart *p = &parts[b];
    dp_step_i32 (d->step, DP_STEP_TOKENS)[b] = p->tokens[0];
    memcpy (dp_step_i32 (d->step, DP_STEP_POSITIONS) + (gsize) b * d->axes, p->positions, d->axes * sizeof (gint32));
    fill_slots (d, p, dp_step_i32 (d->step, DP_STEP_SLOTS) + b);
    fill_table (d, p, dp_step_i32 (d->step, DP_STEP_TABLE) + (gsize) b * d->pages_each);
    dp_decoder_fill_choice (d, b, &choices[b], p->kv_len);
  }
}

/* The graph of a step, captured when it is first needed. */
static DpGraph *
graph_of (DpDecoder *d, Step *step, GError **error)
{
  const gpointer key = GUINT_TO_POINTER (step->rows * 2 + step->form);
  DpGraph *graph = g_hash_table_lookup (d->graphs, key);

  if (graph || !(graph = dp_graph_capture (d->model->backend, step_body, step, error)))
    return graph;
  g_hash_table_insert (d->graphs, key, graph);
  return graph;
}

gboolean
dp_decoder_step (DpDecoder *d, const DpDecoderPart *parts, const DpChoice *choices, guint32 n, DpChosen *chosen, GError **error)
{
  g_autofree guint32 *lens = g_new (guint32, n);

  g_return_val_if_fail (n >= 1 && n <= d->options.max_batch, FALSE);
  for (guint32 b = 0; b < n; b++) {
    g_return_val_if_fail (part_fits (d, &parts[b]) && parts[b].n == 1, FALSE);
    lens[b] = parts[b].kv_len;
  }
  Step step = { d, dp_bucket (n, d->options.max_batch), dp_decoder_form (choices, lens, n) };
  fill_step (d, parts, choices, n);
  if (d->model->eager) {
    dp_step_upload (d->stream, d->step);
    step_body (d->stream, &step);
  } else {
    DpGraph *graph = graph_of (d, &step, error);
    if (!graph)
      return FALSE;
    dp_graph_replay (d->stream, graph, d->step);
  }
  return dp_decoder_read_choice (d, step.form, n, chosen, error);
}

/* ---- pages ------------------------------------------------------------------------------------------------------------------ */

void
dp_decoder_copy_page (DpDecoder *d, guint32 from, guint32 to)
{
  const gint32 places[2] = { (gint32) from, (gint32) to };
  const gsize mark = dp_stream_mark (d->stream);

  g_return_if_fail (from < d->options.n_pages && to < d->options.n_pages);
  const DpTensor page = dp_stream_temp (d->stream, DP_I32, 1, d->options.page_size), index = dp_stream_temp (d->stream, DP_I32, 2, 1);
  dp_stream_copy_page (d->stream, d->kv, from, to);
  dp_stream_upload (d->stream, &index, places, sizeof places);
  dp_window_permute (d->stream, &(DpWindowPermuteArgs){ .x = d->history, .index = dp_tensor_rows (index, 0, 1), .unit = 1, .y = page });
  dp_scatter_rows (d->stream, &(DpScatterRowsArgs){ .x = page, .index = dp_tensor_rows (index, 1, 1), .y = d->history });
  dp_stream_release (d->stream, mark);
}

/* ---- asking the back end ------------------------------------------------------------------------------------------------------- */

static void
prefill_body (DpStream *s, gpointer data)
{
  DpDecoder *d = data;
  const guint32 page = 0;
  const gint32 zeros[3] = { 0 };
  const DpDecoderPart part = { .n = 1, .kv_len = 1, .tokens = zeros, .positions = zeros, .pages = &page };
  const DpDecoderRows in = fill_parts (d, &part, 1);

  dp_decoder_forward (d, s, &in, dp_stream_temp (s, d->model->residual, 1, d->model->config.text.hidden));
}

static void
probe_body (DpStream *s, gpointer data)
{
  prefill_body (s, data);
  step_body (s, &(Step){ data, 1, DP_CHOOSE_PLAIN });
  step_body (s, &(Step){ data, 1, DP_CHOOSE_FULL });
}

gboolean
dp_decoder_probe (DpModel *m, GError **error)
{
  const DpDecoderOptions smallest = { .page_size = 1, .n_pages = 2, .kv_type = DP_F32, .max_batch = 1, .max_rows = 1, .max_len = 1 };
  g_autoptr (DpDecoder) d = dp_decoder_new (m, &smallest, error);

  return d && dp_backend_probe (m->backend, probe_body, d, error);
}
