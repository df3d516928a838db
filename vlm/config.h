/* vlm/config.h - a model folder's own description of itself: config.json, generation_config.json, preprocessor_config.json.
 *
 * A plain description: numbers with their legal ranges checked, no behaviour.  What a family does with them (names of tensors,
 * which fields matter) is the family's business.  Keys and defaults are those of Hugging Face transformers for Qwen2-VL kin:
 *  - the decoder's keys stand in "text_config" or, in older folders, at the root (text_config wins);
 *  - rotary: "rope_parameters" {rope_theta, rope_type, mrope_section} (new), or "rope_theta" and "rope_scaling"
 *    {type | rope_type, mrope_section} (old); types "default" and "mrope" only, as nothing else is read by docparse;
 *  - vision: "embed_dim" or "hidden_size" is the width, "hidden_size" or "out_hidden_size" what the merger gives to the decoder;
 *    "num_heads" | "num_attention_heads", "depth" | "num_hidden_layers"; "window_size", "fullatt_block_indexes" (Qwen2.5-VL);
 *  - pixels: "min_pixels"/"max_pixels" win over "size": {"shortest_edge", "longest_edge"}, which hold pixel counts as well.
 */
#pragma once

#include "ops/ops.h"

G_BEGIN_DECLS

#define DP_CONFIG_EOS 8
#define DP_CONFIG_FULL 64
#define DP_TOKEN_NONE G_MAXUINT32 /* a token id that the configuration does not give */

/* The decoder. */
typedef struct {
  guint32 layers, hidden, intermediate; /* intermediate: width of the gated feed-forward part */
  guint32 heads, kv_heads, head_dim;    /* heads a multiple of kv_heads; head_dim even */
  guint32 vocabulary;                   /* rows of the embedding */
  guint32 max_positions;                /* longest sequence the model was made for */
  guint32 window;                       /* sliding window in use, 0 = none */
  double rms_eps, rope_theta;
  guint32 mrope_sections[3]; /* pairs per axis (time, height, width), sum head_dim/2; all 0: 1-D rotary */
  DpAct act;
  gboolean says_tied; /* tie_word_embeddings at the root or in text_config; see dp_model_config_tied() */
} DpTextConfig;

/* The vision encoder; depth 0: the folder describes none. */
typedef struct {
  guint32 depth, width, heads, intermediate; /* width a multiple of heads */
  guint32 channels, patch, temporal_patch, merge;
  guint32 out;                  /* width of the merged rows, = the decoder's hidden */
  guint32 window;               /* side in pixels of the windows that attention keeps to; 0: it sees the whole picture */
  guint32 full[DP_CONFIG_FULL]; /* blocks that see it all the same, n_full of them */
  guint32 n_full;
  DpAct act;
} DpVisionConfig;

/* Special tokens that config.json names. */
typedef struct {
  guint32 image, video, vision_start, vision_end;
  guint32 bos, pad;
  guint32 eos[DP_CONFIG_EOS], n_eos; /* generation_config.json wins over config.json */
} DpTokenConfig;

/* generation_config.json: how the makers sample.  Values at rest: temperature 1, top_p 1, top_k 0 (all), penalty 1. */
typedef struct {
  gboolean sample; /* do_sample */
  double temperature, top_p, repetition_penalty;
  guint32 top_k;
  guint32 max_new_tokens; /* 0: not given */
} DpGenerationConfig;

/* preprocessor_config.json (or the image_processor of processor_config.json). */
typedef struct {
  guint32 patch, temporal_patch, merge;
  guint32 min_pixels, max_pixels; /* of the resized picture, 1 <= min <= max */
  double rescale;                 /* 1/255 */
  double mean[3], std[3];         /* of red, green, blue after rescale */
} DpImageConfig;

typedef struct {
  char model_type[64];   /* "qwen2_vl" */
  char architecture[64]; /* first of "architectures", "" if none */
  DpTextConfig text;
  DpVisionConfig vision;
  DpTokenConfig tokens;
  DpGenerationConfig generation;
  DpImageConfig image;
} DpModelConfig;

/* The values of Qwen2-VL's processor: patch 14, temporal 2, merge 2, 3136 to 1003520 pixels, CLIP's mean and deviation. */
void dp_image_config_default (DpImageConfig *config);

/* Reads dir.  config.json must be there; a missing generation_config.json or preprocessor_config.json leaves the defaults.
 * FALSE with an error that names file and key; *config is then undefined. */
gboolean dp_model_config_load (const char *dir, DpModelConfig *config, GError **error);

/* The same from texts; generation and preprocessor may be NULL.  label stands for the folder in messages. */
gboolean dp_model_config_parse (const char *label, const char *config_json, const char *generation_json, const char *preprocessor_json,
                                DpModelConfig *config, GError **error);

/* Whether the embedding is also the output head: when the folder says so, and whenever the checkpoint has no lm_head.weight
 * (MinerU2.5-Pro says it in text_config only, other folders forget it). */
gboolean dp_model_config_tied (const DpModelConfig *config, gboolean has_lm_head);

G_END_DECLS
