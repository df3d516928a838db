/* vlm/family_qwen2vl.c - Qwen2-VL and its kin: MinerU2.5 (2509 and Pro).
 *
 * Decoder of Qwen2 with M-RoPE; vision encoder: patch embedding as one product, blocks of layer norm, attention within the
 * picture with 2-D rotary, layer norm and an MLP with quick GELU, then the merger: layer norm, 2x2 patches side by side (they
 * follow one another already, vlm/image.h), linear, GELU, linear.  Shapes and names: Hugging Face transformers, modeling_qwen2_vl.py.
 */
#include "vlm/family_qwen.h"

#include "vlm/rotary.h"

/* ---- tensors ---------------------------------------------------------------------------------------------------------- */

typedef struct {
  DpTensor norm1, bias1, norm2, bias2; /* [1, width] */
  const DpWeight *qkv, *proj, *fc1, *fc2;
} Block;

typedef struct {
  const DpWeight *patch, *merge1, *merge2;
  DpTensor norm, bias; /* of the merger */
  Block blocks[];      /* depth */
} Vision;

#define NAME(...) dp_weights_name (w, __VA_ARGS__)

static void
load_block (DpWeights *w, const DpVisionConfig *v, const char *at, Block *b)
{
  b->norm1 = dp_weights_vector (w, NAME ("%snorm1.weight", at), v->width);
  b->bias1 = dp_weights_vector (w, NAME ("%snorm1.bias", at), v->width);
  b->norm2 = dp_weights_vector (w, NAME ("%snorm2.weight", at), v->width);
  b->bias2 = dp_weights_vector (w, NAME ("%snorm2.bias", at), v->width);
  b->qkv = dp_qwen_vision_matrix (w, at, "attn.qkv", TRUE, DP_USE_QKV, 3 * v->width, v->width);
  b->proj = dp_qwen_vision_matrix (w, at, "attn.proj", TRUE, DP_USE_LINEAR, v->width, v->width);
  b->fc1 = dp_qwen_vision_matrix (w, at, "mlp.fc1", TRUE, DP_USE_LINEAR, v->intermediate, v->width);
  b->fc2 = dp_qwen_vision_matrix (w, at, "mlp.fc2", TRUE, DP_USE_LINEAR, v->width, v->intermediate);
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
  n->norm = dp_weights_vector (w, NAME ("%smerger.ln_q.weight", at), v->width);
  n->bias = dp_weights_vector (w, NAME ("%smerger.ln_q.bias", at), v->width);
  n->merge1 = dp_qwen_vision_matrix (w, at, "merger.mlp.0", TRUE, DP_USE_LINEAR, merged, merged);
  n->merge2 = dp_qwen_vision_matrix (w, at, "merger.mlp.2", TRUE, DP_USE_LINEAR, v->out, merged);
}

/* ---- the vision encoder --------------------------------------------------------------------------------------------------- */

enum { PLACES, ENDS, COS, SIN, N_FIELDS };

static guint
fields (const DpModelConfig *c, const guint32 grid[3], DpStepField out[DP_VISION_FIELDS])
{
  const guint32 half = c->vision.width / c->vision.heads / 2, side = MAX (grid[1], grid[2]);

  out[PLACES] = (DpStepField){ "places", DP_I32, grid[0] * grid[1] * grid[2], 2, 0 };
  out[ENDS] = (DpStepField){ "ends", DP_I32, grid[0] + 1, 1, 0 };
  out[COS] = (DpStepField){ "cos", DP_F32, side, half, 0 };
  out[SIN] = (DpStepField){ "sin", DP_F32, side, half, 0 };
  return N_FIELDS;
}

/* Every frame is a sequence of its own. */
static void
fill (const DpModelConfig *c, const guint32 grid[3], DpStep *step)
{
  const guint32 frame = grid[1] * grid[2];

  for (guint32 t = 0; t < grid[0]; t++) {
    dp_rotary_vision_positions (grid[1], grid[2], c->vision.merge, dp_step_i32 (step, PLACES) + (gsize) t * frame * 2);
    dp_step_i32 (step, ENDS)[t + 1] = (gint32) ((t + 1) * frame);
  }
  dp_rotary_table_vision (DP_QWEN_VISION_THETA, c->vision.width / c->vision.heads, MAX (grid[1], grid[2]), dp_step_f32 (step, COS),
                          dp_step_f32 (step, SIN));
}

/* The temporaries of one picture. */
typedef struct {
  DpTensor sum;   /* [n, width] of the residual's type */
  DpTensor x;     /* [n, width], what goes into products, as those below */
  DpTensor qkv;   /* [n, 3 width]; attention's result replaces the queries */
  DpTensor inner; /* [n, intermediate] */
} Rows;

static void
norm (DpStream *s, const Rows *r, DpTensor weight, DpTensor bias)
{
  dp_layer_norm (s, &(DpLayerNormArgs){ .x = r->sum, .weight = weight, .bias = bias, .eps = DP_QWEN_VISION_EPS, .y = r->x });
}

static void
encode (const DpModel *m, DpStream *s, const DpVisionInput *in, DpTensor out)
{
  const DpVisionConfig *v = &m->config.vision;
  const Vision *net = m->vision;
  const guint32 n = in->patches.rows, group = v->merge * v->merge;
  const DpQwenPlaces at
      = { .cos = dp_step_tensor (in->step, COS), .sin = dp_step_tensor (in->step, SIN), .places = dp_step_tensor (in->step, PLACES) };
  const gsize mark = dp_stream_mark (s);
  const Rows r = { .sum = dp_stream_temp (s, m->residual, n, v->width),
                   .x = dp_stream_temp (s, m->vision_compute, n, v->width),
                   .qkv = dp_stream_temp (s, m->vision_compute, n, 3 * v->width),
                   .inner = dp_stream_temp (s, m->vision_compute, n, v->intermediate) };

  dp_model_linear (s, in->patches, net->patch, DP_ACT_NONE, (DpTensor){ 0 }, r.sum);
  for (guint32 l = 0; l < v->depth; l++) {
    const Block *b = &net->blocks[l];
    norm (s, &r, b->norm1, b->bias1);
    const DpTensor attended
        = dp_qwen_vision_attend (s, v, r.x, b->qkv, r.qkv, &at, dp_step_tensor (in->step, ENDS), in->grid[1] * in->grid[2]);
    dp_model_linear (s, attended, b->proj, DP_ACT_NONE, r.sum, r.sum);
    norm (s, &r, b->norm2, b->bias2);
    dp_model_linear (s, r.x, b->fc1, v->act, (DpTensor){ 0 }, r.inner);
    dp_model_linear (s, r.inner, b->fc2, DP_ACT_NONE, r.sum, r.sum);
  }
  norm (s, &r, net->norm, net->bias);
  const DpTensor merged = dp_tensor_reshape (r.x, n / group, v->width * group);
  const DpTensor hidden = dp_stream_temp (s, m->vision_compute, n / group, v->width * group);
  dp_model_linear (s, merged, net->merge1, DP_ACT_GELU, (DpTensor){ 0 }, hidden);
  dp_model_linear (s, hidden, net->merge2, DP_ACT_NONE, (DpTensor){ 0 }, out);
  dp_stream_release (s, mark);
}

/* What encode takes, and as much as one product's rows for a back end that lays them out anew. */
static gsize
bytes (const DpModelConfig *c, DpType compute, guint32 n)
{
  const DpVisionConfig *v = &c->vision;
  const gsize width = v->width, most = MAX (v->intermediate, 3 * v->width);

  return n * (width * sizeof (float) + (5 * width + v->intermediate + most) * dp_type_size (compute));
}

/* ---- the family -------------------------------------------------------------------------------------------------------------- */

static const char *const model_types[] = { "qwen2_vl", NULL };

extern const DpFamily dp_family_qwen2_vl;
const DpFamily dp_family_qwen2_vl = {
  .name = "qwen2_vl",
  .model_types = model_types,
  .chat = DP_QWEN_CHAT,
  .check = dp_qwen_check,
  .load = load,
  .vision
  = { .rows = dp_qwen_vision_rows, .refuse = dp_qwen_vision_refuse, .fields = fields, .fill = fill, .encode = encode, .bytes = bytes },
};
