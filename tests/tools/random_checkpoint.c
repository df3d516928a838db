/* random_checkpoint DIR - a model folder of MinerU2.5's real size with random weights, for benches (2.3 GB, not committed).
 *
 * Shapes and names are those of MinerU2.5-2509-1.2B: Qwen2's decoder of 0.5 B parameters and Qwen2-VL's vision encoder of 675 M.
 * The tokenizer knows bytes and the special tokens, under their real ids.  Weights are even around 0 with the spread of an
 * initialisation, so that nothing overflows; what such a model says has no meaning.
 */
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HIDDEN = 896, LAYERS = 24, HEADS = 14, KV_HEADS = 2, HEAD = 64, INNER = 4864, VOCABULARY = 151936 };
enum { DEPTH = 32, WIDTH = 1280, VISION_HEADS = 16, VISION_INNER = 5120, PATCH = 1176, MERGED = 5120 };

typedef struct {
  char *name;
  guint rows, cols; /* cols 0: a vector */
} Tensor;

static void add (GArray *tensors, guint rows, guint cols, const char *format, ...) G_GNUC_PRINTF (4, 5);

static void
add (GArray *tensors, guint rows, guint cols, const char *format, ...)
{
  Tensor t = { .rows = rows, .cols = cols };
  va_list list;

  va_start (list, format);
  t.name = g_strdup_vprintf (format, list);
  va_end (list);
  g_array_append_val (tensors, t);
}

static void
add_linear (GArray *tensors, guint rows, guint cols, gboolean bias, const char *name)
{
  add (tensors, rows, cols, "%s.weight", name);
  if (bias)
    add (tensors, rows, 0, "%s.bias", name);
}

static void
add_decoder (GArray *t)
{
  add (t, VOCABULARY, HIDDEN, "model.embed_tokens.weight");
  add (t, HIDDEN, 0, "model.norm.weight");
  for (guint l = 0; l < LAYERS; l++) {
    static const struct {
      const char *name;
      guint rows, cols;
      gboolean bias;
    } parts[] = { { "self_attn.q_proj", HEADS * HEAD, HIDDEN, TRUE },
                  { "self_attn.k_proj", KV_HEADS * HEAD, HIDDEN, TRUE },
                  { "self_attn.v_proj", KV_HEADS * HEAD, HIDDEN, TRUE },
                  { "self_attn.o_proj", HIDDEN, HEADS * HEAD, FALSE },
                  { "mlp.gate_proj", INNER, HIDDEN, FALSE },
                  { "mlp.up_proj", INNER, HIDDEN, FALSE },
                  { "mlp.down_proj", HIDDEN, INNER, FALSE } };
    for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
      g_autofree char *name = g_strdup_printf ("model.layers.%u.%s", l, parts[i].name);
      add_linear (t, parts[i].rows, parts[i].cols, parts[i].bias, name);
    }
    add (t, HIDDEN, 0, "model.layers.%u.input_layernorm.weight", l);
    add (t, HIDDEN, 0, "model.layers.%u.post_attention_layernorm.weight", l);
  }
}

static void
add_vision (GArray *t)
{
  add (t, WIDTH, PATCH, "visual.patch_embed.proj.weight");
  for (guint l = 0; l < DEPTH; l++) {
    static const struct {
      const char *name;
      guint rows, cols;
    } parts[] = { { "attn.qkv", 3 * WIDTH, WIDTH },
                  { "attn.proj", WIDTH, WIDTH },
                  { "mlp.fc1", VISION_INNER, WIDTH },
                  { "mlp.fc2", WIDTH, VISION_INNER } };
    for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
      g_autofree char *name = g_strdup_printf ("visual.blocks.%u.%s", l, parts[i].name);
      add_linear (t, parts[i].rows, parts[i].cols, TRUE, name);
    }
    for (guint norm = 1; norm <= 2; norm++) {
      add (t, WIDTH, 0, "visual.blocks.%u.norm%u.weight", l, norm);
      add (t, WIDTH, 0, "visual.blocks.%u.norm%u.bias", l, norm);
    }
  }
  add (t, WIDTH, 0, "visual.merger.ln_q.weight");
  add (t, WIDTH, 0, "visual.merger.ln_q.bias");
  add_linear (t, MERGED, MERGED, TRUE, "visual.merger.mlp.0");
  add_linear (t, HIDDEN, MERGED, TRUE, "visual.merger.mlp.2");
}

/* ---- files --------------------------------------------------------------------------------------------------- */

static void
die (const char *what)
{
  fprintf (stderr, "random_checkpoint: %s: %s\n", what, g_strerror (errno));
  exit (1);
}

static void
write_text (const char *dir, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (dir, name, NULL);

  if (!g_file_set_contents (path, text, -1, NULL))
    die (path);
}

/* Norms are 1, other vectors small; matrices have a variance of 1 / columns. */
static void
write_tensor (FILE *out, const Tensor *t, guint64 *state)
{
  const guint64 n = (guint64) t->rows * MAX (t->cols, 1);
  const gboolean norm = !t->cols && g_str_has_suffix (t->name, ".weight");
  const float spread = t->cols ? sqrtf (3.0f / (float) t->cols) : 0.05f;
  enum { PIECE = 1 << 16 };
  static guint16 piece[PIECE];

  for (guint64 done = 0; done < n;) {
    const gsize count = (gsize) MIN (n - done, PIECE);
    for (gsize i = 0; i < count; i++) {
      *state = *state * 6364136223846793005u + 1442695040888963407u;
      const float value = norm ? 1 : ((float) (*state >> 40) * 0x1p-23f - 1) * spread;
      guint32 bits;
      memcpy (&bits, &value, 4);
      piece[i] = (guint16) (bits >> 16);
    }
    if (fwrite (piece, 2, count, out) != count)
      die ("model.safetensors");
    done += count;
  }
}

static void
write_weights (const char *dir)
{
  g_autoptr (GArray) tensors = g_array_new (FALSE, FALSE, sizeof (Tensor));
  g_autoptr (GString) header = g_string_new ("{\"__metadata__\":{\"format\":\"pt\"}");
  g_autofree char *path = g_build_filename (dir, "model.safetensors", NULL);
  guint64 at = 0, state = 1;

  add_decoder (tensors);
  add_vision (tensors);
  for (guint i = 0; i < tensors->len; i++) {
    const Tensor *t = &g_array_index (tensors, Tensor, i);
    const guint64 end = at + (guint64) t->rows * MAX (t->cols, 1) * 2;
    g_autofree char *cols = t->cols == PATCH ? g_strdup (",3,2,14,14") : t->cols ? g_strdup_printf (",%u", t->cols) : g_strdup ("");
    g_string_append_printf (header,
                            ",\"%s\":{\"dtype\":\"BF16\",\"shape\":[%u%s],\"data_offsets\":[%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT "]}",
                            t->name, t->rows, cols, at, end);
    at = end;
  }
  g_string_append_c (header, '}');
  FILE *out = fopen (path, "wb");
  const guint64 length = GUINT64_TO_LE ((guint64) header->len);
  if (!out || fwrite (&length, 8, 1, out) != 1 || fwrite (header->str, 1, header->len, out) != header->len)
    die (path);
  for (guint i = 0; i < tensors->len; i++) {
    Tensor *t = &g_array_index (tensors, Tensor, i);
    write_tensor (out, t, &state);
    g_free (t->name);
  }
  if (fclose (out) != 0)
    die (path);
  printf ("%s: %.2f billion parameters\n", dir, (double) at / 2e9);
}

/* GPT-2's letters for bytes. */
static void
append_byte (GString *s, guint byte, guint *next)
{
  const gboolean printable = (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  const gunichar c = printable ? byte : 256 + (*next)++;

  if (c == '"' || c == '\\')
    g_string_append_c (s, '\\');
  g_string_append_unichar (s, c);
}

static void
write_tokenizer (const char *dir)
{
  static const char *const special[]
      = { "<|endoftext|>",  "<|im_start|>",   "<|im_end|>",       "<|object_ref_start|>", "<|object_ref_end|>",
          "<|box_start|>",  "<|box_end|>",    "<|quad_start|>",   "<|quad_end|>",         "<|vision_start|>",
          "<|vision_end|>", "<|vision_pad|>", "<|image_pad|>",    "<|video_pad|>",        "<|ref_start|>",
          "<|ref_end|>",    "<|rotate_up|>",  "<|rotate_right|>", "<|rotate_down|>",      "<|rotate_left|>" };
  g_autoptr (GString) s = g_string_new ("{\"version\":\"1.0\",\"added_tokens\":[");
  guint next = 0;

  for (guint i = 0; i < G_N_ELEMENTS (special); i++)
    g_string_append_printf (s,
                            "%s{\"id\":%u,\"content\":\"%s\",\"single_word\":false,\"lstrip\":false,\"rstrip\":false,\"normalized\":false,"
                            "\"special\":true}",
                            i ? "," : "", 151643 + i, special[i]);
  g_string_append (
      s,
      "],\"normalizer\":{\"type\":\"NFC\"},\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Split\","
      "\"pattern\":{\"Regex\":\"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|\\\\p{N}| "
      "?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+\"},\"behavior\":\"Isolated\",\"invert\":false},"
      "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":true,\"use_regex\":false}]},\"post_processor\":null,"
      "\"decoder\":{\"type\":\"ByteLevel\",\"add_prefix_space\":true,\"trim_offsets\":true,\"use_regex\":true},"
      "\"model\":{\"type\":\"BPE\",\"dropout\":null,\"unk_token\":null,\"continuing_subword_prefix\":null,"
      "\"end_of_word_suffix\":null,\"fuse_unk\":false,\"byte_fallback\":false,\"ignore_merges\":false,\"vocab\":{");
  for (guint byte = 0; byte < 256; byte++) {
    g_string_append (s, byte ? ",\"" : "\"");
    append_byte (s, byte, &next);
    g_string_append_printf (s, "\":%u", byte);
  }
  g_string_append (s, "},\"merges\":[]}}");
  write_text (dir, "tokenizer.json", s->str);
}

int
main (int argc, char **argv)
{
  if (argc != 2) {
    fprintf (stderr, "usage: random_checkpoint DIR\n");
    return 64;
  }
  if (g_mkdir_with_parents (argv[1], 0777) != 0)
    die (argv[1]);
  g_autofree char *config = g_strdup_printf (
      "{\"architectures\":[\"Qwen2VLForConditionalGeneration\"],\"model_type\":\"qwen2_vl\",\"hidden_size\":%d,\"num_hidden_layers\":%d,"
      "\"num_attention_heads\":%d,\"num_key_value_heads\":%d,\"intermediate_size\":%d,\"vocab_size\":%d,\"max_position_embeddings\":16384,"
      "\"rms_norm_eps\":1e-6,\"rope_theta\":1000000.0,\"rope_scaling\":{\"type\":\"mrope\",\"mrope_section\":[8,12,12]},"
      "\"tie_word_embeddings\":true,\"image_token_id\":151655,\"video_token_id\":151656,\"vision_start_token_id\":151652,"
      "\"vision_end_token_id\":151653,\"bos_token_id\":151643,\"eos_token_id\":151645,\"vision_config\":{\"depth\":%d,\"embed_dim\":%d,"
      "\"num_heads\":%d,\"hidden_size\":%d,\"mlp_ratio\":4,\"in_chans\":3,\"patch_size\":14,\"spatial_merge_size\":2,"
      "\"temporal_patch_size\":2}}",
      HIDDEN, LAYERS, HEADS, KV_HEADS, INNER, VOCABULARY, DEPTH, WIDTH, VISION_HEADS, HIDDEN);
  write_text (argv[1], "config.json", config);
  write_text (argv[1], "generation_config.json", "{\"bos_token_id\":151643,\"eos_token_id\":[151645,151643],\"pad_token_id\":151643}");
  write_text (argv[1], "preprocessor_config.json",
              "{\"min_pixels\":3136,\"max_pixels\":1605632,\"patch_size\":14,\"temporal_patch_size\":2,\"merge_size\":2}");
  write_tokenizer (argv[1]);
  write_weights (argv[1]);
  return 0;
}
