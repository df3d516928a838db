/* vlm/family_qwen2vl.c - Qwen2-VL and its kin: MinerU2.5 (2509 and Pro).
 *
 * Decoder of Qwen2 with M-RoPE; vision encoder: patch embedding as one product, blocks of layer norm, attention within the
 * picture with 2-D rotary, layer norm and an MLP with quick GELU, then the merger: layer norm, 2x2 patches side by side (they
 * follow one another already, vlm/image.h), linear, GELU, linear.  Shapes and names: Hugging Face transformers, modeling_qwen2_vl.py.
 */
#include "vlm/family.h"

#include "vlm/error.h"
#include "vlm/rotary.h"

#include <math.h>

#define VISION_EPS 1e-6f   /* of all layer norms; no key in config.json */
#define VISION_THETA 10000 /* of the 2-D rotary; no key either */

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

/* Older and newer transformers, and folders whose decoder was saved beside the encoder. */
static const char *const text_prefixes[] = { "model.", "model.language_model.", "language_model.model.", NULL };
static const char *const vision_prefixes[] = { "visual.", "model.visual.", NULL };
static const char *const head_names[] = { "lm_head.weight", "language_model.lm_head.weight", NULL };

#define NAME(...) dp_weights_name (w, __VA_ARGS__)

static void
load_layer (DpModel *m, DpWeights *w, const char *at, DpDecoderLayer *layer)
{
  const DpTextConfig *c = &m->config.text;
  const guint32 q = c->heads * c->head_dim, kv = c->kv_heads * c->head_dim;
  const DpStacked qkv[] = { { NAME ("%sself_attn.q_proj.weight", at), NAME ("%sself_attn.q_proj.bias", at), q },
                            { NAME ("%sself_attn.k_proj.weight", at), NAME ("%sself_attn.k_proj.bias", at), kv },
                            { NAME ("%sself_attn.v_proj.weight", at), NAME ("%sself_attn.v_proj.bias", at), kv } };
  const DpStacked o = { NAME ("%sself_attn.o_proj.weight", at), NULL, c->hidden };
  const DpStacked gate_up[]
      = { { NAME ("%smlp.gate_proj.weight", at), NULL, c->intermediate }, { NAME ("%smlp.up_proj.weight", at), NULL, c->intermediate } };
  const DpStacked down = { NAME ("%smlp.down_proj.weight", at), NULL, c->hidden };

  layer->attention_norm = dp_weights_vector (w, NAME ("%sinput_layernorm.weight", at), c->hidden);
  layer->feed_norm = dp_weights_vector (w, NAME ("%spost_attention_layernorm.weight", at), c->hidden);
  layer->qkv = dp_weights_matrix (w, DP_PART_DECODER, DP_USE_QKV, c->hidden, qkv, 3);
  layer->o = dp_weights_matrix (w, DP_PART_DECODER, DP_USE_LINEAR, q, &o, 1);
  layer->gate_up = dp_weights_matrix (w, DP_PART_DECODER, DP_USE_GATE_UP, c->hidden, gate_up, 2);
  layer->down = dp_weights_matrix (w, DP_PART_DECODER, DP_USE_LINEAR, c->intermediate, &down, 1);
}

static void
load_decoder (DpModel *m, DpWeights *w)
{
  const DpTextConfig *c = &m->config.text;
  DpDecoderNet *net = &m->decoder;
  const char *at = dp_weights_prefix (w, text_prefixes, "embed_tokens.weight");
  const char *head = dp_weights_has (w, head_names[0]) ? head_names[0] : head_names[1];
  const gboolean tied = dp_model_config_tied (&m->config, dp_weights_has (w, head));
  const DpStacked embedding = { NAME ("%sembed_tokens.weight", at), NULL, c->vocabulary }, output = { head, NULL, c->vocabulary };
  const guint32 head_uses = DP_USE_LM_HEAD | DP_USE_LINEAR;

  net->embedding = dp_weights_matrix (w, DP_PART_EMBEDDING, DP_USE_EMBEDDING | (tied ? head_uses : 0), c->hidden, &embedding, 1);
  net->head = tied ? net->embedding : dp_weights_matrix (w, DP_PART_EMBEDDING, head_uses, c->hidden, &output, 1);
  net->norm = dp_weights_vector (w, NAME ("%snorm.weight", at), c->hidden);
  for (guint32 l = 0; l < c->layers; l++)
    load_layer (m, w, NAME ("%slayers.%u.", at, l), &net->layers[l]);
}

static const DpWeight *
vision_matrix (DpWeights *w, const char *at, const char *name, gboolean bias, guint32 uses, guint32 rows, guint32 cols)
{
  const DpStacked one = { NAME ("%s%s.weight", at, name), bias ? NAME ("%s%s.bias", at, name) : NULL, rows };

  return dp_weights_matrix (w, DP_PART_VISION, uses, cols, &one, 1);
}

static void
load_block (DpWeights *w, const DpVisionConfig *v, const char *at, Block *b)
{
  b->norm1 = dp_weights_vector (w, NAME ("%snorm1.weight", at), v->width);
  b->bias1 = dp_weights_vector (w, NAME ("%snorm1.bias", at), v->width);
  b->norm2 = dp_weights_vector (w, NAME ("%snorm2.weight", at), v->width);
  b->bias2 = dp_weights_vector (w, NAME ("%snorm2.bias", at), v->width);
  b->qkv = vision_matrix (w, at, "attn.qkv", TRUE, DP_USE_QKV, 3 * v->width, v->width);
  b->proj = vision_matrix (w, at, "attn.proj", TRUE, DP_USE_LINEAR, v->width, v->width);
  b->fc1 = vision_matrix (w, at, "mlp.fc1", TRUE, DP_USE_LINEAR, v->intermediate, v->width);
  b->fc2 = vision_matrix (w, at, "mlp.fc2", TRUE, DP_USE_LINEAR, v->width, v->intermediate);
}

static void
load (DpModel *m, DpWeights *w)
{
  const DpVisionConfig *v = &m->config.vision;
  const guint32 merged = v->width * v->merge * v->merge;

  load_decoder (m, w);
  if (!v->depth)
    return;
  Vision *n = m->vision = g_malloc0 (sizeof *n + v->depth * sizeof n->blocks[0]);
  const char *at = dp_weights_prefix (w, vision_prefixes, "patch_embed.proj.weight");
  n->patch
      = vision_matrix (w, at, "patch_embed.proj", FALSE, DP_USE_LINEAR, v->width, v->channels * v->temporal_patch * v->patch * v->patch);
  for (guint32 l = 0; l < v->depth; l++)
    load_block (w, v, NAME ("%sblocks.%u.", at, l), &n->blocks[l]);
  n->norm = dp_weights_vector (w, NAME ("%smerger.ln_q.weight", at), v->width);
  n->bias = dp_weights_vector (w, NAME ("%smerger.ln_q.bias", at), v->width);
  n->merge1 = vision_matrix (w, at, "merger.mlp.0", TRUE, DP_USE_LINEAR, merged, merged);
  n->merge2 = vision_matrix (w, at, "merger.mlp.2", TRUE, DP_USE_LINEAR, v->out, merged);
}

/* Sizes are bounded by vlm/config.c; what is checked here is that the parts fit together and that no product overflows. */
static gboolean
check (const DpModelConfig *c, GError **error)
{
  const DpVisionConfig *v = &c->vision;
  const char *why = NULL;

  if (!v->depth)
    return TRUE;
  if (v->out != c->text.hidden)
    why = "the vision encoder's rows are not as wide as the decoder's hidden states";
  else if ((guint64) v->width * v->merge * v->merge > G_MAXINT32
           || (guint64) v->channels * v->temporal_patch * v->patch * v->patch > G_MAXINT32)
    why = "the vision encoder is too wide";
  else if (c->image.patch != v->patch || c->image.temporal_patch != v->temporal_patch || c->image.merge != v->merge || v->channels != 3)
    why = "pictures are cut in other patches than the vision encoder takes";
  else if (c->tokens.image == DP_TOKEN_NONE || c->tokens.image >= c->text.vocabulary)
    why = "image_token_id is missing or outside the vocabulary";
  if (why)
    g_set_error_literal (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, why);
  return why == NULL;
}

/* ---- the vision encoder --------------------------------------------------------------------------------------------------- */

enum { PLACES, ENDS, COS, SIN, N_FIELDS };

static guint32
vision_rows (const DpModelConfig *c, const guint32 grid[3])
{
  return grid[0] * (grid[1] / c->vision.merge) * (grid[2] / c->vision.merge);
}

static const char *
refuse (const DpModelConfig *c, const guint32 grid[3])
{
  return grid[1] % c->vision.merge || grid[2] % c->vision.merge ? "rows and columns of patches must be multiples of the merge size" : NULL;
}

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
  dp_rotary_table_vision (VISION_THETA, c->vision.width / c->vision.heads, MAX (grid[1], grid[2]), dp_step_f32 (step, COS),
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
attend (const DpModel *m, DpStream *s, const DpVisionInput *in, const Block *b, const Rows *r)
{
  const DpVisionConfig *v = &m->config.vision;
  const guint32 head = v->width / v->heads, frame = in->grid[1] * in->grid[2];
  const DpTensor q = dp_tensor_cols (r->qkv, 0, v->width), k = dp_tensor_cols (r->qkv, v->width, v->width),
                 values = dp_tensor_cols (r->qkv, 2 * v->width, v->width);
  const DpAttention attention
      = { .n_heads = v->heads, .n_kv_heads = v->heads, .head_dim = head, .head_dim_v = head, .scale = 1 / sqrtf ((float) head) };

  dp_qkv_linear (s, &(DpQkvLinearArgs){ .x = r->x, .weight = b->qkv, .q = q, .k = k, .v = values });
  dp_apply_rotary (s, &(DpApplyRotaryArgs){ .q = q,
                                            .k = k,
                                            .cos = dp_step_tensor (in->step, COS),
                                            .sin = dp_step_tensor (in->step, SIN),
                                            .positions = dp_step_tensor (in->step, PLACES),
                                            .sections = { head / 4, head / 4 },
                                            .head_dim = head,
                                            .rot_dim = head });
  dp_prefill_attention (
      s,
      &(DpPrefillAttentionArgs){
          .q = q, .k = k, .v = values, .cu_seqlens = dp_step_tensor (in->step, ENDS), .max_seqlen = frame, .attn = attention, .out = q });
  dp_model_linear (s, q, b->proj, DP_ACT_NONE, r->sum, r->sum);
}

static void
norm (DpStream *s, const Rows *r, DpTensor weight, DpTensor bias)
{
  dp_layer_norm (s, &(DpLayerNormArgs){ .x = r->sum, .weight = weight, .bias = bias, .eps = VISION_EPS, .y = r->x });
}

static void
encode (const DpModel *m, DpStream *s, const DpVisionInput *in, DpTensor out)
{
  const DpVisionConfig *v = &m->config.vision;
  const Vision *net = m->vision;
  const guint32 n = in->patches.rows, group = v->merge * v->merge;
  const gsize mark = dp_stream_mark (s);
  const Rows r = { .sum = dp_stream_temp (s, m->residual, n, v->width),
                   .x = dp_stream_temp (s, m->vision_compute, n, v->width),
                   .qkv = dp_stream_temp (s, m->vision_compute, n, 3 * v->width),
                   .inner = dp_stream_temp (s, m->vision_compute, n, v->intermediate) };

  dp_model_linear (s, in->patches, net->patch, DP_ACT_NONE, (DpTensor){ 0 }, r.sum);
  for (guint32 l = 0; l < v->depth; l++) {
    const Block *b = &net->blocks[l];
    norm (s, &r, b->norm1, b->bias1);
    attend (m, s, in, b, &r);
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
  .chat = { .before = "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\n",
            .image_before = "<|vision_start|>",
            .image_after = "<|vision_end|>",
            .after = "<|im_end|>\n<|im_start|>assistant\n" },
  .check = check,
  .load = load,
  .vision = { .rows = vision_rows, .refuse = refuse, .fields = fields, .fill = fill, .encode = encode, .bytes = bytes },
};
