/* tests/vlm/random_model.h - writes the folder of a Qwen2-VL model with random weights: config.json, preprocessor_config.json,
 * tokenizer.json (bytes and the special tokens of a chat) and model.safetensors.  Small ones for tests, MinerU2.5's size for
 * benches; the same arguments give the same bytes.
 */
#pragma once

#include "tests/vlm/byte_tokenizer.h"
#include "ops/tensor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  guint32 layers, hidden, heads, kv_heads, intermediate, vocabulary, max_positions;
  guint32 depth, width, vision_heads, patch, min_pixels, max_pixels; /* of the vision encoder; depth 0: none */
  gboolean tied, bf16;
  guint32 seed;
} RandomModel;

#define RANDOM_MODEL_TINY                                                                                                                  \
  ((RandomModel){ .layers = 2,                                                                                                             \
                  .hidden = 64,                                                                                                            \
                  .heads = 4,                                                                                                              \
                  .kv_heads = 2,                                                                                                           \
                  .intermediate = 96,                                                                                                      \
                  .vocabulary = 280,                                                                                                       \
                  .max_positions = 512,                                                                                                    \
                  .depth = 2,                                                                                                              \
                  .width = 32,                                                                                                             \
                  .vision_heads = 2,                                                                                                       \
                  .patch = 4,                                                                                                              \
                  .min_pixels = 256,                                                                                                       \
                  .max_pixels = 4096,                                                                                                      \
                  .tied = TRUE,                                                                                                            \
                  .seed = 1 })

/* opendatalab/MinerU2.5: 1.16e9 parameters. */
#define RANDOM_MODEL_MINERU                                                                                                                \
  ((RandomModel){ .layers = 24,                                                                                                            \
                  .hidden = 896,                                                                                                           \
                  .heads = 14,                                                                                                             \
                  .kv_heads = 2,                                                                                                           \
                  .intermediate = 4864,                                                                                                    \
                  .vocabulary = 151936,                                                                                                    \
                  .max_positions = 16384,                                                                                                  \
                  .depth = 32,                                                                                                             \
                  .width = 1280,                                                                                                           \
                  .vision_heads = 16,                                                                                                      \
                  .patch = 14,                                                                                                             \
                  .min_pixels = 3136,                                                                                                      \
                  .max_pixels = 1605632,                                                                                                   \
                  .tied = TRUE,                                                                                                            \
                  .bf16 = TRUE,                                                                                                            \
                  .seed = 1 })

/* ---- config.json ---- */

static inline gboolean
random_model_config (const RandomModel *r, const char *dir, GError **error)
{
  const guint32 half = r->hidden / r->heads / 2;
  g_autofree char *path = g_build_filename (dir, "config.json", NULL), *image = g_build_filename (dir, "preprocessor_config.json", NULL);
  g_autofree char *pixels = g_strdup_printf ("{\"min_pixels\": %u, \"max_pixels\": %u, \"patch_size\": %u, \"temporal_patch_size\": 2, "
                                             "\"merge_size\": 2}\n",
                                             r->min_pixels, r->max_pixels, r->patch);
  g_autoptr (GString) s = g_string_new ("{\"architectures\": [\"Qwen2VLForConditionalGeneration\"], \"model_type\": \"qwen2_vl\",\n");

  g_string_append_printf (s,
                          "\"num_hidden_layers\": %u, \"hidden_size\": %u, \"intermediate_size\": %u, \"num_attention_heads\": %u,\n"
                          "\"num_key_value_heads\": %u, \"vocab_size\": %u, \"max_position_embeddings\": %u, \"hidden_act\": \"silu\",\n"
                          "\"rms_norm_eps\": 1e-6, \"rope_theta\": 1000000.0, \"tie_word_embeddings\": %s,\n"
                          "\"rope_scaling\": {\"type\": \"mrope\", \"mrope_section\": [%u, %u, %u]},\n",
                          r->layers, r->hidden, r->intermediate, r->heads, r->kv_heads, r->vocabulary, r->max_positions,
                          r->tied ? "true" : "false", half / 4, half * 3 / 8, half - half / 4 - half * 3 / 8);
  if (r->depth)
    g_string_append_printf (
        s,
        "\"vision_config\": {\"depth\": %u, \"embed_dim\": %u, \"hidden_size\": %u, \"num_heads\": %u, \"in_channels\": "
        "3,\n  \"mlp_ratio\": 4, \"patch_size\": %u, \"temporal_patch_size\": 2, \"spatial_merge_size\": 2},\n",
        r->depth, r->width, r->hidden, r->vision_heads, r->patch);
  g_string_append_printf (s, "\"image_token_id\": %d, \"vision_start_token_id\": %d, \"vision_end_token_id\": %d, \"eos_token_id\": %d}\n",
                          PAD, VISION_START, VISION_END, END);
  return g_file_set_contents (path, s->str, (gssize) s->len, error) && g_file_set_contents (image, pixels, -1, error);
}

/* ---- model.safetensors ---- */

typedef struct {
  GString *header;
  GArray *sizes;   /* guint64: elements of each tensor */
  GArray *columns; /* guint32: 0 for a norm's weight, 1 for a bias */
  guint64 offset;
  guint element;
  const char *type;
} RandomTensors;

static inline void random_tensor (RandomTensors *t, guint32 rows, guint32 cols, const char *format, ...) G_GNUC_PRINTF (4, 5);

/* cols 0: the weight of a norm, 1: a bias; both are vectors. */
static inline void
random_tensor (RandomTensors *t, guint32 rows, guint32 cols, const char *format, ...)
{
  va_list list;
  va_start (list, format);
  g_autofree char *name = g_strdup_vprintf (format, list);
  va_end (list);
  const guint64 n = (guint64) rows * MAX (cols, 1);

  g_string_append_printf (t->header, "%s\"%s\": {\"dtype\": \"%s\", \"shape\": [", t->offset ? ", " : "{", name, t->type);
  g_string_append_printf (t->header, cols > 1 ? "%u, %u" : "%u", rows, cols);
  g_string_append_printf (t->header, "], \"data_offsets\": [%" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT "]}", t->offset,
                          t->offset + n * t->element);
  t->offset += n * t->element;
  g_array_append_val (t->sizes, n);
  g_array_append_val (t->columns, cols);
}

static inline void
random_decoder (const RandomModel *r, RandomTensors *t)
{
  const guint32 head = r->hidden / r->heads, kv = r->kv_heads * head;

  random_tensor (t, r->vocabulary, r->hidden, "model.embed_tokens.weight");
  for (guint32 l = 0; l < r->layers; l++) {
    random_tensor (t, r->hidden, 0, "model.layers.%u.input_layernorm.weight", l);
    random_tensor (t, r->hidden, 0, "model.layers.%u.post_attention_layernorm.weight", l);
    random_tensor (t, r->hidden, r->hidden, "model.layers.%u.self_attn.q_proj.weight", l);
    random_tensor (t, kv, r->hidden, "model.layers.%u.self_attn.k_proj.weight", l);
    random_tensor (t, kv, r->hidden, "model.layers.%u.self_attn.v_proj.weight", l);
    random_tensor (t, r->hidden, 1, "model.layers.%u.self_attn.q_proj.bias", l);
    random_tensor (t, kv, 1, "model.layers.%u.self_attn.k_proj.bias", l);
    random_tensor (t, kv, 1, "model.layers.%u.self_attn.v_proj.bias", l);
    random_tensor (t, r->hidden, r->hidden, "model.layers.%u.self_attn.o_proj.weight", l);
    random_tensor (t, r->intermediate, r->hidden, "model.layers.%u.mlp.gate_proj.weight", l);
    random_tensor (t, r->intermediate, r->hidden, "model.layers.%u.mlp.up_proj.weight", l);
    random_tensor (t, r->hidden, r->intermediate, "model.layers.%u.mlp.down_proj.weight", l);
  }
  random_tensor (t, r->hidden, 0, "model.norm.weight");
  if (!r->tied)
    random_tensor (t, r->vocabulary, r->hidden, "lm_head.weight");
}

static inline void
random_linear (RandomTensors *t, const char *name, guint32 rows, guint32 cols)
{
  random_tensor (t, rows, cols, "visual.%s.weight", name);
  random_tensor (t, rows, 1, "visual.%s.bias", name);
}

static inline void
random_vision (const RandomModel *r, RandomTensors *t)
{
  random_tensor (t, r->width, 3 * 2 * r->patch * r->patch, "visual.patch_embed.proj.weight");
  for (guint32 l = 0; l < r->depth; l++) {
    const struct {
      const char *name;
      guint32 rows, cols;
    } parts[] = { { "attn.qkv", 3 * r->width, r->width },
                  { "attn.proj", r->width, r->width },
                  { "mlp.fc1", 4 * r->width, r->width },
                  { "mlp.fc2", r->width, 4 * r->width },
                  { "norm1", r->width, 0 },
                  { "norm2", r->width, 0 } };
    for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
      g_autofree char *name = g_strdup_printf ("blocks.%u.%s", l, parts[i].name);
      random_linear (t, name, parts[i].rows, parts[i].cols);
    }
  }
  random_linear (t, "merger.ln_q", r->width, 0);
  random_linear (t, "merger.mlp.0", 4 * r->width, 4 * r->width);
  random_linear (t, "merger.mlp.2", r->hidden, 4 * r->width);
}

/* n numbers around centre, evenly within +- spread. */
static inline gboolean
random_numbers (FILE *f, guint64 n, float centre, float spread, gboolean bf16, guint64 *state)
{
  guint8 buffer[65536];
  const gsize element = bf16 ? 2 : 4, most = sizeof buffer / element;

  for (guint64 done = 0; done < n;) {
    const gsize part = (gsize) MIN (n - done, most);
    for (gsize i = 0; i < part; i++) {
      *state = *state * G_GUINT64_CONSTANT (6364136223846793005) + G_GUINT64_CONSTANT (1442695040888963407);
      const float v = centre + spread * ((float) (*state >> 40) * 0x1p-23f - 1);
      const guint16 half = dp_f32_to_bf16 (v);
      memcpy (buffer + i * element, bf16 ? (const void *) &half : &v, element);
    }
    if (fwrite (buffer, element, part, f) != part)
      return FALSE;
    done += part;
  }
  return TRUE;
}

static inline gboolean
random_model_weights (const RandomModel *r, const char *dir, GError **error)
{
  g_autofree char *path = g_build_filename (dir, "model.safetensors", NULL);
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (guint64)), columns = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GString) header = g_string_new (NULL);
  RandomTensors t = { .header = header, .sizes = sizes, .columns = columns, .element = r->bf16 ? 2 : 4, .type = r->bf16 ? "BF16" : "F32" };
  guint64 state = r->seed, length;
  FILE *f = fopen (path, "wb");

  random_decoder (r, &t);
  if (r->depth)
    random_vision (r, &t);
  g_string_append_c (header, '}');
  while (header->len % 8)
    g_string_append_c (header, ' ');
  length = GUINT64_TO_LE ((guint64) header->len);
  gboolean ok = f && fwrite (&length, 8, 1, f) == 1 && fwrite (header->str, header->len, 1, f) == 1;
  for (guint i = 0; i < sizes->len && ok; i++) {
    const guint32 cols = g_array_index (columns, guint32, i);
    const float spread = cols > 1 ? 2 * sqrtf (3) / sqrtf ((float) cols) : cols ? 0.1f : 0.5f;
    ok = random_numbers (f, g_array_index (sizes, guint64, i), cols ? 0 : 1, spread, r->bf16, &state);
  }
  ok = f && fclose (f) == 0 && ok;
  if (!ok)
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s could not be written", path);
  return ok;
}

/* The chat's tokens and those that regions are spelled with. */
static inline gboolean
random_model_tokenizer (const char *dir, GError **error)
{
  static const char *const region[] = { "<|box_start|>", "<|box_end|>", "<|ref_start|>", "<|ref_end|>" };
  g_autofree char *path = g_build_filename (dir, "tokenizer.json", NULL), *plain = byte_tokenizer_json ();
  const char *list = strchr (plain, '[') + 1;
  g_autoptr (GString) s = g_string_new_len (plain, list - plain);

  for (guint i = 0; i < G_N_ELEMENTS (region); i++)
    g_string_append_printf (s, "{\"id\": %u, \"content\": \"%s\", \"normalized\": false, \"special\": true}, ", N_TOKENS + i, region[i]);
  g_string_append (s, list);
  return g_file_set_contents (path, s->str, (gssize) s->len, error);
}

/* dir must exist. */
static inline gboolean
random_model_write (const RandomModel *r, const char *dir, GError **error)
{
  return random_model_config (r, dir, error) && random_model_tokenizer (dir, error) && random_model_weights (r, dir, error);
}
