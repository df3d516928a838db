/* config.json and its companions: nested and flat, both spellings, nothing out of range. */
#include "vlm/config.h"
#include "vlm/error.h"

#include <string.h>

#define DECODER                                                                                                                            \
  "\"num_hidden_layers\":24,\"hidden_size\":896,\"intermediate_size\":4864,\"num_attention_heads\":14,\"num_key_value_heads\":2,"          \
  "\"vocab_size\":151936,\"rms_norm_eps\":1e-6,\"max_position_embeddings\":16384"
#define VISION                                                                                                                             \
  "\"vision_config\":{\"depth\":32,\"embed_dim\":1280,\"num_heads\":16,\"hidden_size\":896,\"mlp_ratio\":4,\"patch_size\":14,"             \
  "\"spatial_merge_size\":2,\"temporal_patch_size\":2,\"in_chans\":3}"

static gboolean
parse (const char *config, const char *generation, const char *image, DpModelConfig *c, GError **error)
{
  return dp_model_config_parse ("m", config, generation, image, c, error);
}

static void
check_mineru (const DpModelConfig *c)
{
  g_assert_cmpuint (c->text.layers, ==, 24);
  g_assert_cmpuint (c->text.hidden, ==, 896);
  g_assert_cmpuint (c->text.heads, ==, 14);
  g_assert_cmpuint (c->text.kv_heads, ==, 2);
  g_assert_cmpuint (c->text.head_dim, ==, 64);
  g_assert_cmpuint (c->text.max_positions, ==, 16384);
  g_assert_cmpfloat (c->text.rope_theta, ==, 1e6);
  g_assert_cmpuint (c->text.mrope_sections[0], ==, 8);
  g_assert_cmpuint (c->text.mrope_sections[2], ==, 12);
  g_assert_cmpint (c->text.act, ==, DP_ACT_SILU);
  g_assert_true (c->text.says_tied);
  g_assert_cmpuint (c->vision.width, ==, 1280);
  g_assert_cmpuint (c->vision.out, ==, 896);
  g_assert_cmpuint (c->vision.intermediate, ==, 5120);
  g_assert_cmpint (c->vision.act, ==, DP_ACT_QUICK_GELU);
  g_assert_cmpuint (c->tokens.image, ==, 151655);
  g_assert_cmpuint (c->tokens.eos[0], ==, 151645);
}

/* The same model as older and newer folders write it. */
static void
test_spellings (void)
{
  static const char *const configs[] = {
    "{\"architectures\":[\"Qwen2VLForConditionalGeneration\"],\"model_type\":\"qwen2_vl\",\"image_token_id\":151655,\"eos_token_id\":"
    "151645,"
    "\"tie_word_embeddings\":true,\"rope_theta\":1000000.0,\"rope_scaling\":{\"type\":\"mrope\",\"mrope_section\":[8,12,12]}," DECODER
    "," VISION "}",
    "{\"architectures\":[\"Qwen2VLForConditionalGeneration\"],\"model_type\":\"qwen2_vl\",\"image_token_id\":151655,\"hidden_size\":1,"
    "\"text_config\":{\"eos_token_id\":151645,\"tie_word_embeddings\":true,\"rope_theta\":1e6,"
    "\"rope_scaling\":{\"rope_type\":\"default\",\"type\":\"default\",\"mrope_section\":[8,12,12]}," DECODER "}," VISION "}",
    "{\"architectures\":[\"Qwen2VLForConditionalGeneration\"],\"model_type\":\"qwen2_vl\",\"image_token_id\":151655,\"tie_word_"
    "embeddings\":true,"
    "\"text_config\":{\"eos_token_id\":[151645,151643],\"tie_word_embeddings\":false,\"rope_scaling\":null,"
    "\"rope_parameters\":{\"rope_theta\":1e6,\"rope_type\":\"default\",\"mrope_section\":[8,12,12]}," DECODER "},"
    "\"vision_config\":{\"num_hidden_layers\":32,\"hidden_size\":1280,\"out_hidden_size\":896,\"num_attention_heads\":16,\"intermediate_"
    "size\":5120}}",
  };
  for (guint i = 0; i < G_N_ELEMENTS (configs); i++) {
    DpModelConfig c;
    g_autoptr (GError) error = NULL;
    g_assert_true (parse (configs[i], NULL, NULL, &c, &error));
    g_assert_no_error (error);
    g_assert_cmpstr (c.model_type, ==, "qwen2_vl");
    g_assert_cmpstr (c.architecture, ==, "Qwen2VLForConditionalGeneration");
    check_mineru (&c);
    g_assert_cmpuint (c.image.max_pixels, ==, 28 * 28 * 1280); /* no preprocessor_config.json */
    g_assert_cmpuint (c.generation.top_k, ==, 0);
  }
}

static void
test_tied (void)
{
  static const char says_no[] = "{\"tie_word_embeddings\":false,\"text_config\":{" DECODER "}}", silent[] = "{" DECODER "}";
  DpModelConfig c;

  g_assert_true (parse (says_no, NULL, NULL, &c, NULL));
  g_assert_false (dp_model_config_tied (&c, TRUE));
  g_assert_true (dp_model_config_tied (&c, FALSE)); /* no lm_head.weight: there is nothing else to use */
  g_assert_cmpuint (c.vision.depth, ==, 0);
  g_assert_true (parse (silent, NULL, NULL, &c, NULL));
  g_assert_true (dp_model_config_tied (&c, FALSE));
  g_assert_cmpuint (c.text.mrope_sections[0], ==, 0);
}

static void
test_companions (void)
{
  static const char config[] = "{\"eos_token_id\":1,\"bos_token_id\":5," DECODER "," VISION "}";
  DpModelConfig c;
  g_autoptr (GError) error = NULL;

  g_assert_true (parse (
      config,
      "{\"do_sample\":true,\"temperature\":0.01,\"top_k\":1,\"top_p\":0.001,\"eos_token_id\":[151645,151643],\"pad_token_id\":151643}",
      "{\"min_pixels\":3136,\"max_pixels\":1605632,\"size\":{\"shortest_edge\":1,\"longest_edge\":2},\"resample\":3}", &c, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (c.tokens.n_eos, ==, 2);
  g_assert_cmpuint (c.tokens.eos[1], ==, 151643);
  g_assert_cmpuint (c.tokens.bos, ==, 5);
  g_assert_cmpuint (c.tokens.pad, ==, 151643);
  g_assert_cmpuint (c.tokens.video, ==, DP_TOKEN_NONE);
  g_assert_true (c.generation.sample);
  g_assert_cmpfloat (c.generation.temperature, ==, 0.01);
  g_assert_cmpuint (c.image.min_pixels, ==, 3136);
  g_assert_cmpuint (c.image.max_pixels, ==, 1605632);
  g_assert_true (
      parse (config, NULL, "{\"size\":{\"shortest_edge\":784,\"longest_edge\":1003520},\"image_mean\":[0.5,0.25,0.125]}", &c, &error));
  g_assert_cmpuint (c.image.min_pixels, ==, 784);
  g_assert_cmpfloat (c.image.mean[2], ==, 0.125);
  g_assert_cmpfloat (c.image.std[0], ==, 0.26862954);
}

static void
test_refuses (void)
{
  static const struct {
    const char *config, *image, *says;
  } cases[] = {
    { "{}", NULL, "num_hidden_layers is missing" },
    { "[]", NULL, "not an object" },
    { "{\"text_config\":3}", NULL, "text_config" },
    { "{\"num_key_value_heads\":3," DECODER "}", NULL, "multiple" },
    { "{\"head_dim\":63," DECODER "}", NULL, "even" },
    { "{\"hidden_act\":\"mish\"," DECODER "}", NULL, "mish" },
    { "{\"rope_scaling\":{\"type\":\"yarn\"}," DECODER "}", NULL, "yarn" },
    { "{\"rope_scaling\":{\"type\":\"mrope\",\"mrope_section\":[8,12,13]}," DECODER "}", NULL, "mrope_section" },
    { "{\"rope_scaling\":{\"type\":\"mrope\",\"mrope_section\":[8,24]}," DECODER "}", NULL, "mrope_section" },
    { "{\"rope_theta\":-1," DECODER "}", NULL, "rope_theta" },
    { "{\"rope_theta\":1e999," DECODER "}", NULL, "rope_theta" },
    { "{\"eos_token_id\":[1,2,3,4,5,6,7,8,9]," DECODER "}", NULL, "eos_token_id" },
    { "{\"eos_token_id\":4294967295," DECODER "}", NULL, "eos_token_id" },
    { "{\"vision_config\":{\"depth\":2,\"embed_dim\":30,\"num_heads\":4,\"hidden_size\":896}," DECODER "}", NULL, "width" },
    { "{\"vision_config\":{\"depth\":99999}," DECODER "}", NULL, "depth" },
    { "{" DECODER "}", "{\"min_pixels\":10,\"max_pixels\":9}", "min_pixels" },
    { "{" DECODER "}", "{\"max_pixels\":4294967296}", "max_pixels" },
    { "{" DECODER "}", "{\"image_std\":[0,1,1]}", "image_std" },
    { "{" DECODER "}", "{\"image_mean\":[0,1,1,1]}", "image_mean" },
    { "{" DECODER "}", "{\"resample\":2}", "bicubic" },
    { "{" DECODER "}", "{\"patch_size\":0}", "patch_size" },
    { "{\"vocab_size\":1", NULL, "not JSON" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    DpModelConfig c;
    g_autoptr (GError) error = NULL;
    /* keys of a case come first: cJSON finds the first of two */
    if (parse (cases[i].config, NULL, cases[i].image, &c, &error) || !strstr (error->message, cases[i].says)
        || !g_str_has_prefix (error->message, "m: "))
      g_error ("case %u: \"%s\" does not say \"%s\"", i, error ? error->message : "accepted", cases[i].says);
  }
}

static void
test_missing_folder (void)
{
  DpModelConfig c;
  g_autoptr (GError) error = NULL;

  g_assert_false (dp_model_config_load ("/nonexistent/model", &c, &error));
  g_assert_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MISSING);
  g_assert_nonnull (strstr (error->message, "/nonexistent/model/config.json"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/config/spellings", test_spellings);
  g_test_add_func ("/config/tied", test_tied);
  g_test_add_func ("/config/companions", test_companions);
  g_test_add_func ("/config/refuses", test_refuses);
  g_test_add_func ("/config/missing-folder", test_missing_folder);
  return g_test_run ();
}
