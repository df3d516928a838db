/* vlm/chat.h - the constant text of a family's chat, around what the user asks.
 *
 * A conversation of one turn reads: before; with a picture image_before, the placeholder (config.tokens.image) once per row of
 * embeddings, image_after; the user's text; after.  The model goes on from there.  The pieces are spelled as in the tokenizer's
 * file and encoded together with the user's text, as Hugging Face's templates do it: two line ends that meet become one token.
 *
 * Qwen2-VL (chat_template of its tokenizer_config.json), as MinerU2.5 uses it:
 *   before  "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\n"
 *   image_before  "<|vision_start|>"    image_after  "<|vision_end|>"    after  "<|im_end|>\n<|im_start|>assistant\n"
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  const char *before;
  const char *image_before, *image_after; /* NULL: the family sees no pictures */
  const char *after;
} DpChat;

G_END_DECLS
