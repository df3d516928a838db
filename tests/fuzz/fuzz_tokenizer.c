/* tests/fuzz/fuzz_tokenizer.c - libFuzzer target: any bytes as tokenizer.json and as config.json; what is accepted is used.
 *
 *   fuzz_tokenizer --seed DIR    writes small valid files to start from
 */
#include "vlm/config.h"
#include "vlm/tokenizer.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);
int LLVMFuzzerInitialize (int *argc, char ***argv);

static void
use (const DpTokenizer *t, const char *text)
{
  g_autoptr (GArray) ids = dp_tokenizer_encode (t, text, -1);
  g_autofree char *back = dp_tokenizer_decode (t, (const guint32 *) (const void *) ids->data, ids->len, TRUE);

  for (guint i = 0; i < ids->len; i++) {
    gsize n;
    if (!dp_tokenizer_bytes (t, g_array_index (ids, guint32, i), &n))
      abort ();
  }
  if (!g_utf8_validate (back, -1, NULL))
    abort ();
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  g_autofree char *text = g_strndup (size ? (const char *) data : "", size);
  g_autoptr (GError) error = NULL, config_error = NULL;
  g_autoptr (DpTokenizer) t = dp_tokenizer_parse ("fuzz", text, strlen (text), &error);
  DpModelConfig config;

  if ((t == NULL) == (error == NULL))
    abort ();
  if (t)
    use (t, text);
  if (dp_model_config_parse ("fuzz", text, text, text, &config, &config_error) == (config_error != NULL))
    abort ();
  return 0;
}

static void
seed (const char *dir, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (dir, name, NULL);

  if (!g_file_set_contents (path, text, -1, NULL))
    exit (1);
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  if (*argc != 3 || strcmp ((*argv)[1], "--seed") != 0)
    return 0;
  seed ((*argv)[2], "characters",
        "{\"type\":\"characters\",\"first_character_id\":3,\"eos_token_id\":2,\"characters\":[\"a\",\"{\",\"\\\"\"]}");
  seed ((*argv)[2], "bpe",
        "{\"added_tokens\":[{\"id\":4,\"content\":\"<x>\",\"lstrip\":true,\"rstrip\":true,\"single_word\":true,\"normalized\":true,"
        "\"special\":true}],"
        "\"normalizer\":{\"type\":\"NFC\"},\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Split\",\"pattern\":{"
        "\"Regex\":"
        "\"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|\\\\p{N}| "
        "?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|"
        "\\\\s+(?!\\\\S)|\\\\s+\"},\"behavior\":\"Isolated\"},{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":false}]},"
        "\"decoder\":{\"type\":\"ByteLevel\"},\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1,\"ab\":2,\"e\":3},\"merges\":[\"a "
        "b\"]}}");
  seed ((*argv)[2], "config",
        "{\"num_hidden_layers\":2,\"hidden_size\":64,\"intermediate_size\":8,\"num_attention_heads\":2,\"vocab_size\":9,\"eos_token_id\":["
        "1,2],"
        "\"rope_scaling\":{\"type\":\"mrope\",\"mrope_section\":[4,6,6]},\"vision_config\":{\"depth\":1,\"embed_dim\":32,\"num_heads\":2,"
        "\"hidden_size\":64},\"min_pixels\":10,\"max_pixels\":100,\"image_mean\":[0,0,0]}");
  exit (0);
}
