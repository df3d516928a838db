/* vlm/family_qwen.c - see the header.  Names: Hugging Face transformers, modeling_qwen2.py, modeling_qwen2_vl.py. */
#include "vlm/family_qwen.h"

#include "vlm/error.h"

#include <math.h>

/* Older and newer transformers, and folders whose decoder was saved beside the encoder. */
static const char *const text_prefixes[] = { "model.", "model.language_model.", "language_model.model.", NULL };
static const char *const head_names[] = { "lm_head.weight", "language_model.lm_head.weight", NULL };
const char *const dp_qwen_vision_prefixes[] = { "visual.", "model.visual.", NULL };

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

void
dp_qwen_load_decoder (DpModel *m, DpWeights *w)
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

const DpWeight *
dp_qwen_vision_matrix (DpWeights *w, const char *at, const char *name, gboolean bias, guint32 uses, guint32 rows, guint32 cols)
{
  const DpStacked one = { NAME ("%s%s.weight", at, name), bias ? NAME ("%s%s.bias", at, name) : NULL, rows };

  return dp_weights_matrix (w, DP_PART_VISION, uses, cols, &one, 1);
}

gboolean
dp_qwen_check (const DpModelConfig *c, GError **error)
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

guint32
dp_qwen_vision_rows (const DpModelConfig *c, const guint32 grid[3])
{
  return grid[0] * (grid[1] / c->vision.merge) * (grid[2] / c->vision.merge);
}

const char *
dp_qwen_vision_refuse (const DpModelConfig *c, const guint32 grid[3])
{
  return grid[1] % c->vision.merge || grid[2] % c->vision.merge ? "rows and columns of patches must be multiples of the merge size" : NULL;
}

DpTensor
dp_qwen_vision_attend (DpStream *s, const DpVisionConfig *v, DpTensor x, const DpWeight *weight, DpTensor qkv, const DpQwenPlaces *at,
                       DpTensor ends, guint32 longest)
{
  const guint32 head = v->width / v->heads;
  const DpTensor q = dp_tensor_cols (qkv, 0, v->width), k = dp_tensor_cols (qkv, v->width, v->width),
                 values = dp_tensor_cols (qkv, 2 * v->width, v->width);
  const DpAttention attention
      = { .n_heads = v->heads, .n_kv_heads = v->heads, .head_dim = head, .head_dim_v = head, .scale = 1 / sqrtf ((float) head) };

  dp_qkv_linear (s, &(DpQkvLinearArgs){ .x = x, .weight = weight, .q = q, .k = k, .v = values });
  dp_apply_rotary (s, &(DpApplyRotaryArgs){ .q = q,
                                            .k = k,
                                            .cos = at->cos,
                                            .sin = at->sin,
                                            .positions = at->places,
                                            .sections = { head / 4, head / 4 },
                                            .head_dim = head,
                                            .rot_dim = head });
  dp_prefill_attention (
      s, &(DpPrefillAttentionArgs){ .q = q, .k = k, .v = values, .cu_seqlens = ends, .max_seqlen = longest, .attn = attention, .out = q });
  return q;
}
