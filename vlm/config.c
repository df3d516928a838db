/* vlm/config.c - reading a model folder's configuration; keys and rules are in the header. */
#include "vlm/config.h"

#include "vlm/error.h"
#include "vlm/json.h"

#include <string.h>

#define MAX_JSON (4u << 20)
#define MAX_SIDE 1048576u /* hidden sizes, vocabularies: far above any model, far below overflow in products of two */
#define MAX_PIXELS 268435456u

static gboolean
malformed (GError **error, const char *sentence)
{
  g_set_error_literal (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, sentence);
  return FALSE;
}

/* A number that has to be there, under one of two spellings. */
static gboolean
need_uint (const cJSON *object, const char *key, const char *other, guint32 max, guint32 *out, GError **error)
{
  if (!dp_json_get (object, key) && other && dp_json_get (object, other))
    key = other;
  if (!dp_json_get (object, key)) {
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s is missing", key);
    return FALSE;
  }
  return dp_json_get_uint (object, key, 1, max, out, error);
}

static gboolean
read_act (const cJSON *object, DpAct *act, GError **error)
{
  static const struct {
    const char *name;
    DpAct act;
  } names[] = {
    { "silu", DP_ACT_SILU },
    { "swish", DP_ACT_SILU },
    { "quick_gelu", DP_ACT_QUICK_GELU },
    { "gelu", DP_ACT_GELU },
    { "gelu_new", DP_ACT_GELU_TANH },
    { "gelu_pytorch_tanh", DP_ACT_GELU_TANH },
    { "relu", DP_ACT_RELU },
    { "gelu_python", DP_ACT_GELU_TANH },
  };
  const char *name = NULL;

  if (!dp_json_get_string (object, "hidden_act", &name, error))
    return FALSE;
  if (!name)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i].name, name)) {
      *act = names[i].act;
      return TRUE;
    }
  g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_UNSUPPORTED, "hidden_act \"%.40s\" is not supported", name);
  return FALSE;
}

/* ---- rotary ---- */

static gboolean
read_sections (const cJSON *rope, DpTextConfig *t, GError **error)
{
  const cJSON *sections = dp_json_get (rope, "mrope_section"), *side;
  guint n = 0, sum = 0;
  guint64 value;

  if (!sections)
    return TRUE;
  cJSON_ArrayForEach (side, sections)
  {
    if (n == 3 || !dp_json_whole (side, &value) || value < 1 || value > t->head_dim)
      return malformed (error, "mrope_section must be three whole numbers");
    t->mrope_sections[n++] = (guint32) value;
    sum += (guint32) value;
  }
  if (n != 3 || sum * 2 != t->head_dim)
    return malformed (error, "mrope_section must be three whole numbers whose sum is half of head_dim");
  return TRUE;
}

static gboolean
read_rope (const cJSON *text, DpTextConfig *t, GError **error)
{
  const cJSON *rope = dp_json_get (text, "rope_parameters");
  const char *type = NULL;

  if (!rope)
    rope = dp_json_get (text, "rope_scaling");
  if (rope && !cJSON_IsObject (rope))
    return malformed (error, "rope_scaling must be an object");
  if (!dp_json_get_string (rope, dp_json_get (rope, "rope_type") ? "rope_type" : "type", &type, error)
      || !dp_json_get_double (text, "rope_theta", 1, 1e12, &t->rope_theta, error)
      || !dp_json_get_double (rope, "rope_theta", 1, 1e12, &t->rope_theta, error))
    return FALSE;
  if (type && !g_str_equal (type, "default") && !g_str_equal (type, "mrope")) {
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_UNSUPPORTED, "rope type \"%.40s\" is not supported", type);
    return FALSE;
  }
  return read_sections (rope, t, error);
}

/* ---- decoder and vision ---- */

static gboolean
read_window (const cJSON *text, DpTextConfig *t, GError **error)
{
  gboolean use = FALSE;

  if (!dp_json_get_bool (text, "use_sliding_window", &use, error))
    return FALSE;
  return !use || dp_json_get_uint (text, "sliding_window", 1, G_MAXINT32, &t->window, error);
}

static gboolean
read_text (const cJSON *root, DpTextConfig *t, GError **error)
{
  const cJSON *nested = dp_json_get (root, "text_config"), *text = nested ? nested : root;
  gboolean root_tied = FALSE;

  *t = (DpTextConfig){ .rms_eps = 1e-6, .rope_theta = 1e6, .act = DP_ACT_SILU, .max_positions = 32768 };
  if (!cJSON_IsObject (text))
    return malformed (error, nested ? "text_config must be an object" : "the configuration is not an object");
  if (!need_uint (text, "num_hidden_layers", NULL, 4096, &t->layers, error)
      || !need_uint (text, "hidden_size", NULL, MAX_SIDE, &t->hidden, error)
      || !need_uint (text, "intermediate_size", NULL, MAX_SIDE, &t->intermediate, error)
      || !need_uint (text, "num_attention_heads", NULL, 4096, &t->heads, error)
      || !need_uint (text, "vocab_size", NULL, 1u << 24, &t->vocabulary, error))
    return FALSE;
  t->kv_heads = t->heads;
  t->head_dim = t->hidden / t->heads;
  if (!dp_json_get_uint (text, "num_key_value_heads", 1, t->heads, &t->kv_heads, error)
      || !dp_json_get_uint (text, "head_dim", 2, 4096, &t->head_dim, error)
      || !dp_json_get_uint (text, "max_position_embeddings", 1, 1u << 24, &t->max_positions, error)
      || !dp_json_get_double (text, "rms_norm_eps", 0, 1, &t->rms_eps, error) || !read_act (text, &t->act, error)
      || !read_window (text, t, error) || !dp_json_get_bool (root, "tie_word_embeddings", &root_tied, error)
      || !dp_json_get_bool (text, "tie_word_embeddings", &t->says_tied, error))
    return FALSE;
  t->says_tied |= root_tied;
  if (t->heads % t->kv_heads)
    return malformed (error, "num_attention_heads must be a multiple of num_key_value_heads");
  if (t->head_dim % 2 || (!dp_json_get (text, "head_dim") && t->hidden % t->heads))
    return malformed (error, "hidden_size must be num_attention_heads times an even number");
  return read_rope (text, t, error);
}

/* Qwen2.5-VL: blocks whose attention sees the whole picture, the others keep to windows. */
static gboolean
read_windows (const cJSON *vision, DpVisionConfig *v, GError **error)
{
  const cJSON *block, *list = dp_json_get (vision, "fullatt_block_indexes");
  guint64 index;

  if (!dp_json_get_uint (vision, "window_size", 1, MAX_SIDE, &v->window, error))
    return FALSE;
  cJSON_ArrayForEach (block, list)
  {
    if (v->n_full == DP_CONFIG_FULL || !dp_json_whole (block, &index) || index >= v->depth)
      return malformed (error, "fullatt_block_indexes must be a list of up to 64 blocks of the vision encoder");
    v->full[v->n_full++] = (guint32) index;
  }
  return TRUE;
}

static gboolean
read_vision (const cJSON *root, DpVisionConfig *v, GError **error)
{
  const cJSON *vision = dp_json_get (root, "vision_config");
  double ratio = 4;

  *v = (DpVisionConfig){ .channels = 3, .patch = 14, .temporal_patch = 2, .merge = 2, .act = DP_ACT_QUICK_GELU };
  if (!vision)
    return TRUE;
  const gboolean two_widths = dp_json_get (vision, "embed_dim") != NULL;
  if (!need_uint (vision, "depth", "num_hidden_layers", 4096, &v->depth, error)
      || !need_uint (vision, "num_heads", "num_attention_heads", 4096, &v->heads, error)
      || !need_uint (vision, two_widths ? "embed_dim" : "hidden_size", NULL, MAX_SIDE, &v->width, error)
      || !need_uint (vision, two_widths ? "hidden_size" : "out_hidden_size", NULL, MAX_SIDE, &v->out, error)
      || !dp_json_get_uint (vision, "in_channels", 1, 16, &v->channels, error)
      || !dp_json_get_uint (vision, "in_chans", 1, 16, &v->channels, error)
      || !dp_json_get_uint (vision, "patch_size", 1, 256, &v->patch, error)
      || !dp_json_get_uint (vision, "spatial_patch_size", 1, 256, &v->patch, error)
      || !dp_json_get_uint (vision, "temporal_patch_size", 1, 16, &v->temporal_patch, error)
      || !dp_json_get_uint (vision, "spatial_merge_size", 1, 16, &v->merge, error)
      || !dp_json_get_double (vision, "mlp_ratio", 0.01, 64, &ratio, error) || !read_act (vision, &v->act, error)
      || !read_windows (vision, v, error))
    return FALSE;
  if (v->width % v->heads || v->width / v->heads % 4)
    return malformed (error, "the vision encoder's width must be its number of heads times a multiple of 4");
  v->intermediate = (guint32) MAX (v->width * ratio, 1);
  return dp_json_get_uint (vision, "intermediate_size", 1, MAX_SIDE, &v->intermediate, error);
}

/* ---- tokens and generation ---- */

/* eos_token_id is a number or a list of them. */
static gboolean
read_eos (const cJSON *object, DpTokenConfig *t, GError **error)
{
  const cJSON *eos = dp_json_get (object, "eos_token_id"), *one = cJSON_IsArray (eos) ? eos->child : eos;
  guint64 id;

  if (!eos)
    return TRUE;
  for (t->n_eos = 0; one; one = cJSON_IsArray (eos) ? one->next : NULL) {
    if (t->n_eos == DP_CONFIG_EOS || !dp_json_whole (one, &id) || id >= DP_TOKEN_NONE)
      return malformed (error, "eos_token_id must be a token id or a list of up to 8");
    t->eos[t->n_eos++] = (guint32) id;
  }
  return TRUE;
}

static gboolean
read_ids (const cJSON *object, DpTokenConfig *t, GError **error)
{
  return dp_json_get_uint (object, "bos_token_id", 0, DP_TOKEN_NONE - 1, &t->bos, error)
         && dp_json_get_uint (object, "pad_token_id", 0, DP_TOKEN_NONE - 1, &t->pad, error) && read_eos (object, t, error);
}

static gboolean
read_tokens (const cJSON *root, DpTokenConfig *t, GError **error)
{
  *t = (DpTokenConfig){ .image = DP_TOKEN_NONE, .video = DP_TOKEN_NONE, .vision_start = DP_TOKEN_NONE, .vision_end = DP_TOKEN_NONE };
  t->bos = t->pad = DP_TOKEN_NONE;
  return dp_json_get_uint (root, "image_token_id", 0, DP_TOKEN_NONE - 1, &t->image, error)
         && dp_json_get_uint (root, "video_token_id", 0, DP_TOKEN_NONE - 1, &t->video, error)
         && dp_json_get_uint (root, "vision_start_token_id", 0, DP_TOKEN_NONE - 1, &t->vision_start, error)
         && dp_json_get_uint (root, "vision_end_token_id", 0, DP_TOKEN_NONE - 1, &t->vision_end, error)
         && read_ids (dp_json_get (root, "text_config"), t, error) && read_ids (root, t, error);
}

static gboolean
check_eos (const DpModelConfig *c, GError **error)
{
  for (guint i = 0; i < c->tokens.n_eos; i++)
    if (c->tokens.eos[i] >= c->text.vocabulary) {
      g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "eos_token_id %u is outside the vocabulary of %u", c->tokens.eos[i],
                   c->text.vocabulary);
      return FALSE;
    }
  return TRUE;
}

static gboolean
read_generation (const cJSON *tree, DpModelConfig *c, GError **error)
{
  DpGenerationConfig *g = &c->generation;

  *g = (DpGenerationConfig){ .temperature = 1, .top_p = 1, .repetition_penalty = 1 };
  return dp_json_get_bool (tree, "do_sample", &g->sample, error)
         && dp_json_get_double (tree, "temperature", 0, 1000, &g->temperature, error)
         && dp_json_get_double (tree, "top_p", 0, 1, &g->top_p, error)
         && dp_json_get_double (tree, "repetition_penalty", 0.001, 1000, &g->repetition_penalty, error)
         && dp_json_get_uint (tree, "top_k", 0, 1u << 24, &g->top_k, error)
         && dp_json_get_uint (tree, "max_new_tokens", 0, 1u << 24, &g->max_new_tokens, error) && read_ids (tree, &c->tokens, error);
}

/* ---- pictures ---- */

void
dp_image_config_default (DpImageConfig *config)
{
  *config = (DpImageConfig){
    .patch = 14,
    .temporal_patch = 2,
    .merge = 2,
    .min_pixels = 56 * 56,
    .max_pixels = 28 * 28 * 1280,
    .rescale = 1.0 / 255,
    .mean = { 0.48145466, 0.4578275, 0.40821073 },
    .std = { 0.26862954, 0.26130258, 0.27577711 },
  };
}

static gboolean
read_three (const cJSON *object, const char *key, double min, double *out, GError **error)
{
  const cJSON *list = dp_json_get (object, key), *item;
  guint n = 0;

  if (!list)
    return TRUE;
  cJSON_ArrayForEach (item, list)
  {
    if (n == 3 || !cJSON_IsNumber (item) || !(item->valuedouble >= min && item->valuedouble <= 1000))
      break;
    out[n++] = item->valuedouble;
  }
  if (n == 3 && !item)
    return TRUE;
  g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s must be three numbers from %g to 1000", key, min);
  return FALSE;
}

static gboolean
read_image (const cJSON *tree, DpImageConfig *i, GError **error)
{
  const cJSON *size = dp_json_get (tree, "size");
  gboolean convert = TRUE, resize = TRUE, rescale = TRUE, normalise = TRUE;
  guint32 resample = 3; /* Pillow's number of bicubic */

  if (!dp_json_get_uint (tree, "patch_size", 1, 256, &i->patch, error)
      || !dp_json_get_uint (tree, "temporal_patch_size", 1, 16, &i->temporal_patch, error)
      || !dp_json_get_uint (tree, "merge_size", 1, 16, &i->merge, error)
      || !dp_json_get_uint (size, "shortest_edge", 1, MAX_PIXELS, &i->min_pixels, error)
      || !dp_json_get_uint (size, "longest_edge", 1, MAX_PIXELS, &i->max_pixels, error)
      || !dp_json_get_uint (tree, "min_pixels", 1, MAX_PIXELS, &i->min_pixels, error)
      || !dp_json_get_uint (tree, "max_pixels", 1, MAX_PIXELS, &i->max_pixels, error)
      || !dp_json_get_double (tree, "rescale_factor", 1e-6, 1, &i->rescale, error)
      || !dp_json_get_uint (tree, "resample", 0, 5, &resample, error) || !dp_json_get_bool (tree, "do_convert_rgb", &convert, error)
      || !dp_json_get_bool (tree, "do_resize", &resize, error) || !dp_json_get_bool (tree, "do_rescale", &rescale, error)
      || !dp_json_get_bool (tree, "do_normalize", &normalise, error) || !read_three (tree, "image_mean", -1000, i->mean, error)
      || !read_three (tree, "image_std", 1e-6, i->std, error))
    return FALSE;
  if (i->min_pixels > i->max_pixels)
    return malformed (error, "min_pixels must not be larger than max_pixels");
  if (resample != 3 || !resize || !rescale || !normalise) {
    g_set_error_literal (error, DP_VLM_ERROR, DP_VLM_ERROR_UNSUPPORTED,
                         "only pictures that are resized with bicubic (resample 3), rescaled and normalised are supported");
    return FALSE;
  }
  return TRUE;
}

/* ---- the folder ---- */

static void
copy_name (char out[64], const cJSON *item)
{
  if (cJSON_IsString (item))
    g_strlcpy (out, item->valuestring, 64);
}

static gboolean
read_all (const char *config_label, const cJSON *root, const char *generation_label, const cJSON *generation, const char *image_label,
          const cJSON *image, DpModelConfig *c, GError **error)
{
  const cJSON *architectures = dp_json_get (root, "architectures");

  memset (c, 0, sizeof *c);
  copy_name (c->model_type, dp_json_get (root, "model_type"));
  copy_name (c->architecture, cJSON_IsArray (architectures) ? architectures->child : NULL);
  dp_image_config_default (&c->image);
  if (!read_text (root, &c->text, error) || !read_vision (root, &c->vision, error) || !read_tokens (root, &c->tokens, error)
      || !check_eos (c, error)) {
    g_prefix_error (error, "%s: ", config_label);
    return FALSE;
  }
  if (c->vision.depth)
    c->image.patch = c->vision.patch, c->image.temporal_patch = c->vision.temporal_patch, c->image.merge = c->vision.merge;
  if (!read_generation (generation, c, error) || !check_eos (c, error)) {
    g_prefix_error (error, "%s: ", generation_label);
    return FALSE;
  }
  if (!read_image (image, &c->image, error)) {
    g_prefix_error (error, "%s: ", image_label);
    return FALSE;
  }
  return TRUE;
}

/* A file that may be missing: TRUE and *tree NULL then. */
static gboolean
load_optional (const char *dir, const char *name, cJSON **tree, GError **error)
{
  g_autofree char *path = g_build_filename (dir, name, NULL);

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  *tree = dp_json_load (dir, name, MAX_JSON, error);
  return *tree != NULL;
}

gboolean
dp_model_config_load (const char *dir, DpModelConfig *config, GError **error)
{
  g_autofree char *label = g_build_filename (dir, "config.json", NULL);
  g_autofree char *generation_label = g_build_filename (dir, "generation_config.json", NULL);
  g_autofree char *image_label = NULL;
  g_autoptr (cJSON) root = dp_json_load (dir, "config.json", MAX_JSON, error);
  g_autoptr (cJSON) generation = NULL, image = NULL, processor = NULL;

  if (!root || !load_optional (dir, "generation_config.json", &generation, error)
      || !load_optional (dir, "preprocessor_config.json", &image, error)
      || (!image && !load_optional (dir, "processor_config.json", &processor, error)))
    return FALSE;
  image_label = g_build_filename (dir, processor ? "processor_config.json" : "preprocessor_config.json", NULL);
  return read_all (label, root, generation_label, generation, image_label, processor ? dp_json_get (processor, "image_processor") : image,
                   config, error);
}

static gboolean
parse_optional (const char *label, const char *text, cJSON **tree, GError **error)
{
  if (!text)
    return TRUE;
  *tree = dp_json_parse (label, text, strlen (text), MAX_JSON, 64, error);
  return *tree != NULL;
}

gboolean
dp_model_config_parse (const char *label, const char *config_json, const char *generation_json, const char *preprocessor_json,
                       DpModelConfig *config, GError **error)
{
  g_autoptr (cJSON) root = NULL, generation = NULL, image = NULL;

  g_return_val_if_fail (config_json, FALSE);
  return parse_optional (label, config_json, &root, error) && parse_optional (label, generation_json, &generation, error)
         && parse_optional (label, preprocessor_json, &image, error)
         && read_all (label, root, label, generation, label, image, config, error);
}

gboolean
dp_model_config_tied (const DpModelConfig *config, gboolean has_lm_head)
{
  return config->text.says_tied || !has_lm_head;
}
