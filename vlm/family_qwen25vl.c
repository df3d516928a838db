/* vlm/family_qwen25vl.c - Qwen2.5-VL.
 *
 * Its decoder is Qwen2-VL's.  Its vision encoder differs in three ways: RMS norms in place of layer norms, gated MLPs with biases,
 * and attention that keeps to windows of the picture except in a few blocks.  So that a window's patches follow one another, the
 * patches are put into the order of windows behind the embedding (groups of merge x merge of them, which the merger makes one row of,
 * stay together), and the rows are put back behind the merger.  Windows at the right and lower edge are smaller.
 * Pictures only: places in time count for videos alone.  Shapes and names: Hugging Face transformers, modeling_qwen2_5_vl.py.
 */
#include "vlm/family_qwen.h"

#include "vlm/error.h"
#include "vlm/rotary.h"

/* ---- tensors ---------------------------------------------------------------------------------------------------------- */

typedef struct {
  DpTensor norm1, norm2; /* [1, width] */
  const DpWeight *qkv, *proj, *gate_up, *down;
  gboolean full; /* attention sees the whole picture */
} Block;

typedef struct {
  const DpWeight *patch, *merge1, *merge2;
  DpTensor norm;  /* of the merger */
  Block blocks[]; /* depth */
} Vision;

#define NAME(...) dp_weights_name (w, __VA_ARGS__)

static void
load_block (DpWeights *w, const DpVisionConfig *v, const char *at, Block *b)
{
  const DpStacked gate_up[] = { { NAME ("%smlp.gate_proj.weight", at), NAME ("%smlp.gate_proj.bias", at), v->intermediate },
                                { NAME ("%smlp.up_proj.weight", at), NAME ("%smlp.up_proj.bias", at), v->intermediate } };

  b->norm1 = dp_weights_vector (w, NAME ("%snorm1.weight", at), v->width);
  b->norm2 = dp_weights_vector (w, NAME ("%snorm2.weight", at), v->width);
  b->qkv = dp_qwen_vision_matrix (w, at, "attn.qkv", TRUE, DP_USE_QKV, 3 * v->width, v->width);
  b->proj = dp_qwen_vision_matrix (w, at, "attn.proj", TRUE, DP_USE_LINEAR, v->width, v->width);
  b->gate_up = dp_weights_matrix (w, DP_PART_VISION, DP_USE_GATE_UP, v->width, gate_up, 2);
  b->down = dp_qwen_vision_matrix (w, at, "mlp.down_proj", TRUE, DP_USE_LINEAR, v->width, v->intermediate);
}

static void
load (DpModel *m, DpWeights *w)
{
  const DpVisionConfig *v = &m->config.vision;
  const guint32 merged = v->width * v->merge * v->merge;

  dp_qwen_load_decoder (m, w);
  if (!v->depth)
    return;
  Vision *n = m->vision = g_malloc0 (sizeof *n + v->depth * sizeof n->blocks[0]);
  const char *at = dp_weights_prefix (w, dp_qwen_vision_prefixes, "patch_embed.proj.weight");
  n->patch = dp_qwen_vision_matrix (w, at, "patch_embed.proj", FALSE, DP_USE_LINEAR, v->width,
                                    v->channels * v->temporal_patch * v->patch * v->patch);
  for (guint32 l = 0; l < v->depth; l++)
    load_block (w, v, NAME ("%sblocks.%u.", at, l), &n->blocks[l]);
  for (guint32 i = 0; i < v->n_full; i++)
    n->blocks[v->full[i]].full = TRUE;
  n->norm = dp_weights_vector (w, NAME ("%smerger.ln_q.weight", at), v->width);
  n->merge1 = dp_qwen_vision_matrix (w, at, "merger.mlp.0", TRUE, DP_USE_LINEAR, merged, merged);
  n->merge2 = dp_qwen_vision_matrix (w, at, "merger.mlp.2", TRUE, DP_USE_LINEAR, v->out, merged);
}

/* Side of a window in groups of patches. */
static guint32
window_side (const DpVisionConfig *v)
{
  return v->window / v->merge / v->patch;
}

static gboolean
check (const DpModelConfig *c, GError **error)
{
  if (!dp_qwen_check (c, error))
    return FALSE;
  if (!c->vision.depth || window_side (&c->vision) > 0)
    return TRUE;
  g_set_error_literal (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "window_size is missing or smaller than the patches that are merged");
  return FALSE;
}

/* ---- windows -------------------------------------------------------------------------------------------------------------- */

enum { PLACES, ENDS, WINDOWS, ORDER, BACK, COS, SIN, N_FIELDS };

static guint32
windows_along (const DpVisionConfig *v, guint32 patches)
{
  const guint32 side = window_side (v);

  return (patches / v->merge + side - 1) / side;
}

static guint
fields (const DpModelConfig *c, const guint32 grid[3], DpStepField out[DP_VISION_FIELDS])
{
  const DpVisionConfig *v = &c->vision;
  const guint32 half = v->width / v->heads / 2, side = MAX (grid[1], grid[2]), rows = dp_qwen_vision_rows (c, grid);

  out[PLACES] = (DpStepField){ "places", DP_I32, grid[0] * grid[1] * grid[2], 2, 0 };
  out[ENDS] = (DpStepField){ "ends", DP_I32, grid[0] + 1, 1, 0 };
  out[WINDOWS] = (DpStepField){ "windows", DP_I32, grid[0] * windows_along (v, grid[1]) * windows_along (v, grid[2]) + 1, 1, 0 };
  out[ORDER] = (DpStepField){ "order", DP_I32, rows, 1, 0 };
  out[BACK] = (DpStepField){ "back", DP_I32, rows, 1, 0 };
  out[COS] = (DpStepField){ "cos", DP_F32, side, half, 0 };
  out[SIN] = (DpStepField){ "sin", DP_F32, side, half, 0 };
  return N_FIELDS;
}

/* What fill writes, group of patches by group in the order of windows. */
typedef struct {
  gint32 *places, *order, *back;
  guint32 n; /* groups so far */
} Order;

static void
add_group (Order *o, const DpVisionConfig *v, guint32 index, guint32 row, guint32 col)
{
  for (guint32 i = 0; i < v->merge * v->merge; i++) {
    *o->places++ = (gint32) (row * v->merge + i / v->merge);
    *o->places++ = (gint32) (col * v->merge + i % v->merge);
  }
  o->order[o->n] = (gint32) index;
  o->back[index] = (gint32) o->n++;
}

static void
add_window (Order *o, const DpVisionConfig *v, const guint32 grid[3], guint32 frame, guint32 top, guint32 left)
{
  const guint32 rows = grid[1] / v->merge, cols = grid[2] / v->merge, side = window_side (v);

  for (guint32 row = top; row < MIN (top + side, rows); row++)
    for (guint32 col = left; col < MIN (left + side, cols); col++)
      add_group (o, v, (frame * rows + row) * cols + col, row, col);
}

static void
fill (const DpModelConfig *c, const guint32 grid[3], DpStep *step)
{
  const DpVisionConfig *v = &c->vision;
  const guint32 side = window_side (v), group = v->merge * v->merge;
  Order o = { .places = dp_step_i32 (step, PLACES), .order = dp_step_i32 (step, ORDER), .back = dp_step_i32 (step, BACK) };
  gint32 *end = dp_step_i32 (step, WINDOWS) + 1;

  for (guint32 t = 0; t < grid[0]; t++) {
    for (guint32 y = 0; y < windows_along (v, grid[1]); y++)
      for (guint32 x = 0; x < windows_along (v, grid[2]); x++) {
        add_window (&o, v, grid, t, y * side, x * side);
        *end++ = (gint32) (o.n * group);
      }
    dp_step_i32 (step, ENDS)[t + 1] = (gint32) (o.n * group);
  }
  dp_rotary_table_vision (DP_QWEN_VISION_THETA, v->width / v->heads, MAX (grid[1], grid[2]), dp_step_f32 (step, COS),
                          dp_step_f32 (step, SIN));
}

/* ---- the vision encoder --------------------------------------------------------------------------------------------------- */

/* The temporaries of one picture. */
typedef struct {
  DpTensor sum;   /* [n, width] of the residual's type */
  DpTensor x;     /* [n, width], what goes into products, as those below */
  DpTensor qkv;   /* [n, 3 width]; attention's result replaces the queries */
  DpTensor inner; /* [n, intermediate] */
} Rows;

static void
norm (DpStream *s, const Rows *r, DpTensor weight)
{
  dp_rms_norm (s, &(DpRmsNormArgs){ .x = r->sum, .weight = weight, .eps = DP_QWEN_VISION_EPS, .y = r->x });
}

static void
embed (const DpModel *m, DpStream *s, const DpVisionInput *in, DpTensor sum)
{
  const DpVisionConfig *v = &m->config.vision;
  const Vision *net = m->vision;
  const gsize mark = dp_stream_mark (s);
  const DpTensor rows = dp_stream_temp (s, sum.type, sum.rows, sum.cols);

  dp_model_linear (s, in->patches, net->patch, DP_ACT_NONE, (DpTensor){ 0 }, rows);
  dp_window_permute (s,
                     &(DpWindowPermuteArgs){ .x = rows, .index = dp_step_tensor (in->step, ORDER), .unit = v->merge * v->merge, .y = sum });
  dp_stream_release (s, mark);
}

static void
merge (const DpModel *m, DpStream *s, const DpVisionInput *in, DpTensor x, DpTensor out)
{
  const DpVisionConfig *v = &m->config.vision;
  const Vision *net = m->vision;
  const guint32 group = v->merge * v->merge, n = x.rows / group;
  const DpTensor hidden = dp_stream_temp (s, m->vision_compute, n, v->width * group), rows = dp_stream_temp (s, out.type, n, v->out);

  dp_model_linear (s, dp_tensor_reshape (x, n, v->width * group), net->merge1, DP_ACT_GELU, (DpTensor){ 0 }, hidden);
  dp_model_linear (s, hidden, net->merge2, DP_ACT_NONE, (DpTensor){ 0 }, rows);
  dp_window_permute (s, &(DpWindowPermuteArgs){ .x = rows, .index = dp_step_tensor (in->step, BACK), .unit = 1, .y = out });
}

static void
encode (const DpModel *m, DpStream *s, const DpVisionInput *in, DpTensor out)
{
  const DpVisionConfig *v = &m->config.vision;
  const Vision *net = m->vision;
  const guint32 n = in->patches.rows, frame = in->grid[1] * in->grid[2];
  const guint64 side = (guint64) window_side (v) * v->merge;
  const guint32 window = (guint32) MIN (side * side, frame); /* patches in one, at most */
  const DpQwenPlaces at
      = { .cos = dp_step_tensor (in->step, COS), .sin = dp_step_tensor (in->step, SIN), .places = dp_step_tensor (in->step, PLACES) };
  const gsize mark = dp_stream_mark (s);
  const Rows r = { .sum = dp_stream_temp (s, m->residual, n, v->width),
                   .x = dp_stream_temp (s, m->vision_compute, n, v->width),
                   .qkv = dp_stream_temp (s, m->vision_compute, n, 3 * v->width),
                   .inner = dp_stream_temp (s, m->vision_compute, n, v->intermediate) };

  embed (m, s, in, r.sum);
  for (guint32 l = 0; l < v->depth; l++) {
    const Block *b = &net->blocks[l];
    const DpTensor ends = dp_step_tensor (in->step, b->full ? ENDS : WINDOWS);
    norm (s, &r, b->norm1);
    const DpTensor attended = dp_qwen_vision_attend (s, v, r.x, b->qkv, r.qkv, &at, ends, b->full ? frame : window);
    dp_model_linear (s, attended, b->proj, DP_ACT_NONE, r.sum, r.sum);
    norm (s, &r, b->norm2);
    dp_gate_up_silu (s, &(DpGateUpSiluArgs){ .x = r.x, .weight = b->gate_up, .act = v->act, .y = r.inner });
    dp_model_linear (s, r.inner, b->down, DP_ACT_NONE, r.sum, r.sum);
  }
  norm (s, &r, net->norm);
  merge (m, s, in, r.x, out);
  dp_stream_release (s, mark);
}

/* What encode takes, and as much as one product's rows for a back end that lays them out anew. */
static gsize
bytes (const DpModelConfig *c, DpType compute, guint32 n)
{
  const DpVisionConfig *v = &c->vision;
  const gsize width = v->width, most = MAX (v->intermediate, 3 * v->width);

  return n * (2 * width * sizeof (float) + (5 * width + v->intermediate + most) * dp_type_size (compute))
         + n / (v->merge * v->merge) * v->out * sizeof (float);
}

/* ---- the family -------------------------------------------------------------------------------------------------------------- */

static const char *const model_types[] = { "qwen2_5_vl", NULL };

extern const DpFamily dp_family_qwen2_5_vl;
const DpFamily dp_family_qwen2_5_vl = {
  .name = "qwen2_5_vl",
  .model_types = model_types,
  .chat = DP_QWEN_CHAT,
  .check = check,
  .load = load,
  .vision
  = { .rows = dp_qwen_vision_rows, .refuse = dp_qwen_vision_refuse, .fields = fields, .fill = fill, .encode = encode, .bytes = bytes },
};
