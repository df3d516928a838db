/* tests/fuzz/fuzz_config.c - any config.json, generation_config.json and preprocessor_config.json, cut at NUL bytes: what is let through
 * keeps the promises of vlm/config.h, and pictures are never made larger than it says or empty.
 *
 *   fuzz_config --seed DIR    writes configurations to start from
 */
#include "vlm/config.h"
#include "vlm/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);

static const char *const configs[] = {
  "{\"model_type\":\"qwen2_vl\",\"num_hidden_layers\":24,\"hidden_size\":896,\"intermediate_size\":4864,\"num_attention_heads\":14,"
  "\"num_key_value_heads\":2,\"vocab_size\":151936,\"max_position_embeddings\":16384,\"hidden_act\":\"silu\",\"rms_norm_eps\":1e-06,"
  "\"rope_theta\":1000000.0,\"rope_scaling\":{\"type\":\"mrope\",\"mrope_section\":[8,12,12]},\"tie_word_embeddings\":true,"
  "\"vision_config\":{\"depth\":32,\"embed_dim\":1280,\"hidden_size\":896,\"num_heads\":16,\"mlp_ratio\":4,\"patch_size\":14,"
  "\"spatial_merge_size\":2,\"temporal_patch_size\":2},\"image_token_id\":151655,\"eos_token_id\":[151645,151643]}",
  "{\"model_type\":\"qwen2_vl\",\"text_config\":{\"num_hidden_layers\":2,\"hidden_size\":64,\"head_dim\":16,\"intermediate_size\":96,"
  "\"num_attention_heads\":4,\"vocab_size\":300,\"use_sliding_window\":true,\"sliding_window\":64,\"rope_parameters\":"
  "{\"rope_type\":\"default\",\"rope_theta\":10000,\"mrope_section\":[2,3,3]},\"eos_token_id\":5},\"architectures\":[\"X\"]}",
};
static const char generation[] = "{\"do_sample\":true,\"temperature\":0.01,\"top_p\":0.001,\"top_k\":1,\"repetition_penalty\":1.05,"
                                 "\"eos_token_id\":[2,3],\"pad_token_id\":1,\"max_new_tokens\":512}";
static const char image[] = "{\"size\":{\"shortest_edge\":3136,\"longest_edge\":1605632},\"patch_size\":14,\"temporal_patch_size\":2,"
                            "\"merge_size\":2,\"image_mean\":[0.5,0.5,0.5],\"image_std\":[0.2,0.2,0.2],\"rescale_factor\":0.0039,"
                            "\"do_resize\":true,\"do_rescale\":true,\"do_normalize\":true,\"do_convert_rgb\":true,\"resample\":3}";

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  if (*argc != 3 || strcmp ((*argv)[1], "--seed") != 0)
    return 0;
  for (guint k = 0; k < G_N_ELEMENTS (configs); k++) {
    g_autofree char *name = g_strdup_printf ("config-%u", k), *path = g_build_filename ((*argv)[2], name, NULL);
    g_autoptr (GString) all = g_string_new (configs[k]);
    g_string_append_c (all, '\0');
    g_string_append (all, generation);
    g_string_append_c (all, '\0');
    g_string_append (all, image);
    if (!g_file_set_contents (path, all->str, (gssize) all->len, NULL))
      exit (1);
  }
  exit (0);
}

static void
promise (gboolean kept)
{
  if (!kept)
    abort ();
}

static void
check_picture (const DpImageConfig *i, int w, int h)
{
  const guint64 side = (guint64) i->patch * i->merge;
  int width, height;

  if (!dp_smart_resize (w, h, (guint32) side, i->min_pixels, i->max_pixels, &width, &height, NULL))
    return;
  promise (width > 0 && height > 0 && (guint64) width % side == 0 && (guint64) height % side == 0);
  promise ((guint64) width * (guint64) height <= i->max_pixels + side * ((guint64) width + (guint64) height + side));
}

static void
check (const DpModelConfig *c)
{
  const DpTextConfig *t = &c->text;
  const DpVisionConfig *v = &c->vision;
  static const int sizes[][2] = { { 1, 1 }, { 28, 28 }, { 1036, 1036 }, { 3500, 70 }, { 7, 3500 }, { 20000, 100 } };

  promise (t->layers && t->hidden && t->heads && t->kv_heads && t->vocabulary && t->max_positions && t->intermediate);
  promise (t->heads % t->kv_heads == 0 && t->head_dim % 2 == 0 && t->head_dim >= 2);
  promise (isfinite (t->rms_eps) && isfinite (t->rope_theta) && t->rope_theta >= 1);
  if (t->mrope_sections[0])
    promise (2 * (t->mrope_sections[0] + t->mrope_sections[1] + t->mrope_sections[2]) == t->head_dim);
  if (v->depth)
    promise (v->heads && v->width % v->heads == 0 && v->patch && v->merge && v->temporal_patch && v->channels && v->intermediate);
  for (guint i = 0; i < c->tokens.n_eos; i++)
    promise (c->tokens.eos[i] < t->vocabulary);
  promise (c->image.min_pixels >= 1 && c->image.min_pixels <= c->image.max_pixels);
  for (guint i = 0; i < 3; i++)
    promise (isfinite (c->image.mean[i]) && c->image.std[i] > 0);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    check_picture (&c->image, sizes[i][0], sizes[i][1]);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  g_autofree char *copy = g_strndup ((const char *) data, size);
  const char *parts[3] = { NULL };
  g_autofree char *all = g_malloc (size + 1);
  DpModelConfig config;
  g_autoptr (GError) error = NULL;

  memcpy (all, data, size);
  all[size] = '\0';
  for (size_t at = 0, n = 0; at <= size && n < 3; at += strlen (all + at) + 1)
    parts[n++] = all + at;
  if (dp_model_config_parse ("fuzz", copy, parts[1], parts[2], &config, &error))
    check (&config);
  else
    promise (error && *error->message);
  return 0;
}
