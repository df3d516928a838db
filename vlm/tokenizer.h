/* vlm/tokenizer.h - text to token ids and back, exactly as the Hugging Face tokenizers library does it for the families docparse reads.
 *
 * Two kinds of model:
 *  - byte-level BPE with the Qwen2 pre-tokenizer (tokenizer.json, or vocab.json + merges.txt with the added tokens of
 *    tokenizer_config.json or added_tokens.json), NFC normaliser, added tokens with all their flags;
 *  - one token per character: a WordLevel model behind Split "" with decoder Fuse, or the built-in model's own file
 *    {"type": "characters", "characters": ["a", ...], "first_character_id", "bos_token_id", "eos_token_id", "blank_token_id"}.
 * Anything else a tokenizer.json asks for (other patterns, dropout, byte fallback ...) is refused at load, never approximated.
 * A tokenizer is immutable after loading and may be used by several threads.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct DpTokenizer DpTokenizer;

/* Reads a model's folder. NULL with an error that names the file. */
DpTokenizer *dp_tokenizer_load (const char *dir, GError **error);

/* The same from the n bytes of a tokenizer.json; label stands for its name in messages. */
DpTokenizer *dp_tokenizer_parse (const char *label, const char *json, gsize n, GError **error);

void dp_tokenizer_free (DpTokenizer *tokenizer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpTokenizer, dp_tokenizer_free)

/* One more than the highest id. Ids may have holes. */
guint32 dp_tokenizer_size (const DpTokenizer *tokenizer);

/* The id of a token as it is spelled in the file ("<|im_end|>", byte-level "Ġthe"), or -1. */
gint64 dp_tokenizer_id (const DpTokenizer *tokenizer, const char *spelling);

/* The bytes that a token stands for in a text (not necessarily whole UTF-8), *n of them; NULL for an id that does not exist. */
const guint8 *dp_tokenizer_bytes (const DpTokenizer *tokenizer, guint32 id, gsize *n);

/* Whether a token is marked special (control tokens that a reader of the text is not to see). */
gboolean dp_tokenizer_special (const DpTokenizer *tokenizer, guint32 id);

/* The ids (guint32) of a text of n bytes, or up to its NUL with n = -1.  Bytes that are not UTF-8 count as U+FFFD.  Added
 * tokens are found wherever they are spelled out; none is put in front or behind.  A character that the model does not know becomes
 * its unknown token if it has one and is left out otherwise.  Time is O(n log n). */
GArray *dp_tokenizer_encode (const DpTokenizer *tokenizer, const char *text, gssize n);

/* The text of ids; unknown ids are left out, special ones too with skip_special.  Bytes that do not form UTF-8 become U+FFFD. */
char *dp_tokenizer_decode (const DpTokenizer *tokenizer, const guint32 *ids, gsize n, gboolean skip_special);

/* Decoding as tokens arrive: what has been appended to the text is whole UTF-8 at any time, and after dp_token_stream_finish()
 * it is what dp_tokenizer_decode() gives.  Start from zeros. */
typedef struct {
  guint8 pending[4]; /* the beginning of a character whose end has not come yet */
  guint n_pending;
} DpTokenStream;

void dp_token_stream_push (DpTokenStream *stream, const DpTokenizer *tokenizer, guint32 id, GString *text);
void dp_token_stream_finish (DpTokenStream *stream, GString *text);

G_END_DECLS
