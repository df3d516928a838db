/* vlm/tokenizer_private.h - what the files of the tokenizer share: tokenizer.c (encode), tokenizer_load.c (files),
 * tokenizer_bpe.c (merges), tokenizer_split.c (Unicode: classes, pieces, NFC), tokenizer_added.c (added tokens), tokenizer_decode.c. */
#pragma once

#include "vlm/tokenizer.h"

G_BEGIN_DECLS

#define DP_NO_TOKEN G_MAXUINT32
#define DP_MAX_TOKENS (1u << 21) /* ids must be below; published vocabularies end at 2^18 */

/* ---- added tokens ---- */

typedef struct {
  char *content;
  guint32 id;
  gboolean single_word, lstrip, rstrip, normalized, special;
} DpAddedToken;

typedef struct DpAddedTrie DpAddedTrie;

DpAddedTrie *dp_added_trie_new (void);
void dp_added_trie_free (DpAddedTrie *trie);
/* token is borrowed; content is what to look for (normalised for the second trie). */
void dp_added_trie_add (DpAddedTrie *trie, const char *content, const DpAddedToken *token);

typedef struct {
  gsize begin, end; /* of the token in the text, with the blanks that its flags swallow */
  guint32 id;
} DpAddedMatch;

/* The next added token at or after *at (leftmost, of those the longest), whose blanks do not reach before floor; *at becomes
 * where to look on.  FALSE: no more. */
gboolean dp_added_trie_next (const DpAddedTrie *trie, const char *text, gsize n, gsize floor, gsize *at, DpAddedMatch *match);

/* ---- BPE ---- */

typedef struct DpBpe DpBpe;

DpBpe *dp_bpe_new (guint32 n_merges);
void dp_bpe_free (DpBpe *bpe);
void dp_bpe_set_byte (DpBpe *bpe, guint8 byte, guint32 id);
/* The pair's first merge counts; later ones are ignored, as their rank is higher. */
void dp_bpe_add_merge (DpBpe *bpe, guint32 left, guint32 right, guint32 rank, guint32 merged);

typedef struct {
  GArray *symbols, *heap;
} DpBpeScratch;

void dp_bpe_scratch_init (DpBpeScratch *scratch);
void dp_bpe_scratch_clear (DpBpeScratch *scratch);
/* Appends the ids of one piece. */
void dp_bpe_encode (const DpBpe *bpe, DpBpeScratch *scratch, const guint8 *piece, gsize n, GArray *ids);

/* ---- text ---- */

/* End of the piece of the Qwen2 pre-tokenizer that begins at byte `at` < n of valid UTF-8. */
gsize dp_split_qwen2 (const char *text, gsize n, gsize at);

gboolean dp_is_space (gunichar c); /* \s */
gboolean dp_is_word (gunichar c);  /* \w */

/* NFC of n bytes of valid UTF-8; *out_n its length. */
char *dp_nfc (const char *text, gsize n, gsize *out_n);

/* ---- the tokenizer ---- */

typedef struct {
  guint32 offset, n; /* in pool */
  guint8 exists, special;
} DpTokenBytes;

struct DpTokenizer {
  GStringChunk *strings;
  GHashTable *by_spelling; /* -> id + 1 */
  GArray *tokens;          /* DpTokenBytes by id */
  GByteArray *pool;
  GPtrArray *added;              /* DpAddedToken, owned */
  DpAddedTrie *raw, *normalized; /* looked for before and after normalisation */
  gboolean nfc;
  DpBpe *bpe;            /* NULL: one token per character */
  GHashTable *by_letter; /* code point -> id + 1; characters only */
  guint32 unknown;       /* DP_NO_TOKEN: none */
};

G_END_DECLS
