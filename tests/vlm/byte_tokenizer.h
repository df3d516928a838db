/* tests/vlm/byte_tokenizer.h - a tokenizer with a token for each byte, one for two line ends, and the special ones of a chat. */
#pragma once

#include "vlm/chat.h"
#include "vlm/tokenizer.h"

#include <string.h>

/* Bytes are their own ids, "\n\n" as one token (256), and the special ones from 257 on. */
enum { TWO_LINES = 256, START, END, VISION_START, VISION_END, PAD, N_TOKENS };

static const DpChat byte_chat = {
  .before = "<|im_start|>s<|im_end|>\n<|im_start|>user\n",
  .image_before = "<|vision_start|>",
  .image_after = "<|vision_end|>",
  .after = "<|im_end|>\n",
};

/* How byte-level BPE spells a byte (GPT-2's table). */
static inline void
byte_spell (GString *out, guint byte)
{
  gunichar c = 256;

  if ((byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae)
    c = byte;
  else
    for (guint b = 0; b < byte; b++)
      c += !((b >= '!' && b <= '~') || (b >= 0xa1 && b <= 0xac) || b >= 0xae);
  if (c == '"' || c == '\\')
    g_string_append_c (out, '\\');
  g_string_append_unichar (out, c);
}

static inline char *
byte_tokenizer_json (void)
{
  static const char *const special[] = { "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>" };
  GString *s = g_string_new ("{\"added_tokens\": [");

  for (guint i = 0; i < G_N_ELEMENTS (special); i++)
    g_string_append_printf (s,
                            "%s{\"id\": %u, \"content\": \"%s\", \"single_word\": false, \"lstrip\": false, \"rstrip\": false, "
                            "\"normalized\": false, \"special\": true}",
                            i ? ", " : "", START + i, special[i]);
  g_string_append (s,
                   "], \"normalizer\": {\"type\": \"NFC\"}, \"pre_tokenizer\": {\"type\": \"Sequence\", \"pretokenizers\": [{\"type\": "
                   "\"Split\", \"pattern\": {\"Regex\": \"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|\\\\p{N}| "
                   "?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+\"}, \"behavior\": \"Isolated\", "
                   "\"invert\": false}, {\"type\": \"ByteLevel\", \"add_prefix_space\": false, \"trim_offsets\": true, \"use_regex\": "
                   "false}]}, \"post_processor\": null, \"decoder\": {\"type\": \"ByteLevel\", \"add_prefix_space\": true, "
                   "\"trim_offsets\": true, \"use_regex\": true}, \"model\": {\"type\": \"BPE\", \"vocab\": {");
  for (guint byte = 0; byte < 256; byte++) {
    g_string_append_printf (s, "%s\"", byte ? ", " : "");
    byte_spell (s, byte);
    g_string_append_printf (s, "\": %u", byte);
  }
  g_string_append (s, ", \"\xc4\x8a\xc4\x8a\": 256}, \"merges\": [[\"\xc4\x8a\", \"\xc4\x8a\"]]}}");
  return g_string_free (s, FALSE);
}

static inline DpTokenizer *
byte_tokenizer_new (void)
{
  g_autofree char *json = byte_tokenizer_json ();
  g_autoptr (GError) error = NULL;
  DpTokenizer *t = dp_tokenizer_parse ("bytes", json, strlen (json), &error);

  g_assert_no_error (error);
  return t;
}
