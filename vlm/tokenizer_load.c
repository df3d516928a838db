/* vlm/tokenizer_load.c - tokenizer.json, or vocab.json and merges.txt, into a DpTokenizer.  What cannot be followed exactly is refused. */
#include "vlm/error.h"
#include "vlm/json.h"
#include "vlm/tokenizer_private.h"

#include <string.h>

#define MAX_FILE (128u << 20)

static const char *const qwen2_pattern
    = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

static gboolean fail (GError **error, DpVlmError code, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
fail (GError **error, DpVlmError code, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, DP_VLM_ERROR, code, message);
  return FALSE;
}

static gboolean
type_is (const cJSON *object, const char *type)
{
  const cJSON *item = dp_json_get (object, "type");

  return cJSON_IsString (item) && g_str_equal (item->valuestring, type);
}

/* ---- bytes behind their printable spelling (GPT-2's bytes_to_unicode) ---- */

static gboolean
prints_itself (guint byte)
{
  return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

static void
make_letters (gunichar letters[256])
{
  gunichar next = 256;

  for (guint b = 0; b < 256; b++)
    letters[b] = prints_itself (b) ? b : next++;
}

/* The byte of a letter, or -1: the inverse, in at most one look at the table. */
static int
byte_of (gunichar c, const gunichar letters[256])
{
  if (c < 256)
    return prints_itself (c) ? (int) c : -1;
  for (guint b = 0; c < 256 + 68 && b < 256; b++)
    if (letters[b] == c)
      return (int) b;
  return -1;
}

/* A spelling as bytes; one with a letter that stands for no byte is taken as it is (added tokens). */
static void
append_bytes (GByteArray *pool, const char *spelling, const gunichar letters[256])
{
  const guint start = pool->len;

  for (const char *p = spelling; *p; p = g_utf8_next_char (p)) {
    const int byte = byte_of (g_utf8_get_char (p), letters);
    const guint8 b = (guint8) byte;
    if (byte < 0) {
      g_byte_array_set_size (pool, start);
      g_byte_array_append (pool, (const guint8 *) spelling, (guint) strlen (spelling));
      return;
    }
    g_byte_array_append (pool, &b, 1);
  }
}

/* ---- tokens ---- */

static DpTokenizer *
tokenizer_new (void)
{
  DpTokenizer *t = g_new0 (DpTokenizer, 1);

  t->strings = g_string_chunk_new (65536);
  t->by_spelling = g_hash_table_new (g_str_hash, g_str_equal);
  t->tokens = g_array_new (FALSE, TRUE, sizeof (DpTokenBytes));
  t->pool = g_byte_array_new ();
  t->added = g_ptr_array_new ();
  t->raw = dp_added_trie_new ();
  t->normalized = dp_added_trie_new ();
  t->unknown = DP_NO_TOKEN;
  return t;
}

/* letters NULL: the spelling is the text itself. */
static gboolean
add_token (DpTokenizer *t, const char *spelling, guint64 id, const gunichar *letters, GError **error)
{
  if (id >= DP_MAX_TOKENS)
    return fail (error, DP_VLM_ERROR_MALFORMED, "token id %" G_GUINT64_FORMAT " is out of range (at most %u)", id, DP_MAX_TOKENS - 1);
  if (!g_utf8_validate (spelling, -1, NULL))
    return fail (error, DP_VLM_ERROR_MALFORMED, "token %" G_GUINT64_FORMAT " is not UTF-8", id);
  if (id >= t->tokens->len)
    g_array_set_size (t->tokens, (guint) id + 1);
  DpTokenBytes *b = &g_array_index (t->tokens, DpTokenBytes, id);
  const guint32 offset = t->pool->len;
  if (letters)
    append_bytes (t->pool, spelling, letters);
  else
    g_byte_array_append (t->pool, (const guint8 *) spelling, (guint) strlen (spelling));
  *b = (DpTokenBytes){ .offset = offset, .n = t->pool->len - offset, .exists = TRUE, .special = b->special };
  g_hash_table_insert (t->by_spelling, g_string_chunk_insert (t->strings, spelling), GUINT_TO_POINTER ((guint) id + 1));
  return TRUE;
}

static gboolean
add_vocabulary (DpTokenizer *t, const cJSON *vocabulary, const gunichar *letters, GError **error)
{
  const cJSON *entry;
  guint64 id;

  if (!cJSON_IsObject (vocabulary))
    return fail (error, DP_VLM_ERROR_MALFORMED, "the vocabulary is not an object");
  cJSON_ArrayForEach (entry, vocabulary)
  {
    if (!dp_json_whole (entry, &id))
      return fail (error, DP_VLM_ERROR_MALFORMED, "the id of token \"%.100s\" is not a whole number", entry->string);
    if (!add_token (t, entry->string, id, letters, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
add_added (DpTokenizer *t, const cJSON *entry, const char *content, guint64 id, const gunichar *letters, GError **error)
{
  DpAddedToken *a = g_new0 (DpAddedToken, 1);

  a->content = g_strdup (content);
  a->id = (guint32) MIN (id, DP_NO_TOKEN);
  a->special = !cJSON_IsObject (entry); /* added_tokens.json says nothing more */
  g_ptr_array_add (t->added, a);
  if (!*content)
    return fail (error, DP_VLM_ERROR_MALFORMED, "an added token is empty");
  if (!dp_json_get_bool (entry, "single_word", &a->single_word, error) || !dp_json_get_bool (entry, "lstrip", &a->lstrip, error)
      || !dp_json_get_bool (entry, "rstrip", &a->rstrip, error) || !dp_json_get_bool (entry, "normalized", &a->normalized, error)
      || !dp_json_get_bool (entry, "special", &a->special, error) || !add_token (t, content, id, letters, error))
    return FALSE;
  g_array_index (t->tokens, DpTokenBytes, a->id).special = a->special != FALSE;
  if (a->normalized && t->nfc) {
    gsize n;
    g_autofree char *nfc = dp_nfc (content, strlen (content), &n);
    dp_added_trie_add (t->normalized, nfc, a);
  } else
    dp_added_trie_add (a->normalized ? t->normalized : t->raw, content, a);
  return TRUE;
}

/* "added_tokens" of tokenizer.json: a list of {"id", "content", flags}. */
static gboolean
add_added_list (DpTokenizer *t, const cJSON *list, const gunichar *letters, GError **error)
{
  const cJSON *entry;

  cJSON_ArrayForEach (entry, list)
  {
    const cJSON *content = dp_json_get (entry, "content");
    guint64 id;
    if (!cJSON_IsString (content) || !dp_json_whole (dp_json_get (entry, "id"), &id))
      return fail (error, DP_VLM_ERROR_MALFORMED, "an added token lacks its id or content");
    if (!add_added (t, entry, content->valuestring, id, letters, error))
      return FALSE;
  }
  return TRUE;
}

/* ---- merges ---- */

static gboolean
add_merge (DpTokenizer *t, const char *left, const char *right, guint32 rank, GString *buffer, GError **error)
{
  g_string_assign (buffer, left);
  g_string_append (buffer, right);
  const gint64 a = dp_tokenizer_id (t, left), b = dp_tokenizer_id (t, right), merged = dp_tokenizer_id (t, buffer->str);
  if (a < 0 || b < 0 || merged < 0)
    return fail (error, DP_VLM_ERROR_MALFORMED, "merge %u (\"%.60s\" and \"%.60s\") is not made of tokens", rank, left, right);
  dp_bpe_add_merge (t->bpe, (guint32) a, (guint32) b, rank, (guint32) merged);
  return TRUE;
}

static gboolean
add_merge_text (DpTokenizer *t, char *text, guint32 rank, GString *buffer, GError **error)
{
  char *space = strchr (text, ' ');

  if (!space || strchr (space + 1, ' '))
    return fail (error, DP_VLM_ERROR_MALFORMED, "merge %u (\"%.60s\") is not two tokens", rank, text);
  *space = 0;
  return add_merge (t, text, space + 1, rank, buffer, error);
}

/* Merges as strings "a b" or as pairs ["a", "b"]. */
static gboolean
add_merges (DpTokenizer *t, const cJSON *merges, GError **error)
{
  g_autoptr (GString) buffer = g_string_new (NULL);
  const cJSON *entry;
  guint32 rank = 0;

  if (!cJSON_IsArray (merges))
    return fail (error, DP_VLM_ERROR_MALFORMED, "the merges are not a list");
  t->bpe = dp_bpe_new ((guint32) cJSON_GetArraySize (merges));
  cJSON_ArrayForEach (entry, merges)
  {
    const cJSON *second = cJSON_IsArray (entry) && entry->child ? entry->child->next : NULL;
    gboolean ok;
    if (cJSON_IsString (entry)) {
      g_autofree char *copy = g_strdup (entry->valuestring);
      ok = add_merge_text (t, copy, rank, buffer, error);
    } else if (second && !second->next && cJSON_IsString (entry->child) && cJSON_IsString (second))
      ok = add_merge (t, entry->child->valuestring, second->valuestring, rank, buffer, error);
    else
      ok = fail (error, DP_VLM_ERROR_MALFORMED, "merge %u is neither a string nor a pair", rank);
    if (!ok)
      return FALSE;
    rank++;
  }
  return TRUE;
}

static void
set_bytes (DpTokenizer *t, const gunichar letters[256])
{
  for (guint b = 0; b < 256; b++) {
    char spelling[8] = { 0 };
    g_unichar_to_utf8 (letters[b], spelling);
    const gint64 id = dp_tokenizer_id (t, spelling);
    if (id >= 0)
      dp_bpe_set_byte (t->bpe, (guint8) b, (guint32) id);
  }
}

/* ---- kinds of tokenizer.json ---- */

/* null, NFC, or a Sequence of nothing else. */
static gboolean
read_normalizer (DpTokenizer *t, const cJSON *normalizer, GError **error)
{
  const cJSON *part;

  if (!normalizer)
    return TRUE;
  if (type_is (normalizer, "Sequence")) {
    cJSON_ArrayForEach (part, dp_json_get (normalizer, "normalizers"))
    {
      if (!read_normalizer (t, type_is (part, "NFC") ? part : NULL, error) || !type_is (part, "NFC"))
        return fail (error, DP_VLM_ERROR_UNSUPPORTED, "normalisers other than NFC are not supported");
    }
    return TRUE;
  }
  if (!type_is (normalizer, "NFC"))
    return fail (error, DP_VLM_ERROR_UNSUPPORTED, "normalisers other than NFC are not supported");
  t->nfc = TRUE;
  return TRUE;
}

static gboolean
is_true (const cJSON *object, const char *key)
{
  return cJSON_IsTrue (dp_json_get (object, key));
}

/* Sequence [Split by the pattern above, isolated; ByteLevel without its own pattern and prefix space]. */
static gboolean
is_qwen2 (const cJSON *pre)
{
  const cJSON *parts = dp_json_get (pre, "pretokenizers"), *split = parts ? parts->child : NULL, *bytes = split ? split->next : NULL;
  const cJSON *regex = dp_json_get (dp_json_get (split, "pattern"), "Regex"), *behavior = dp_json_get (split, "behavior");

  return type_is (pre, "Sequence") && type_is (split, "Split") && cJSON_IsString (regex) && g_str_equal (regex->valuestring, qwen2_pattern)
         && cJSON_IsString (behavior) && g_str_equal (behavior->valuestring, "Isolated") && !is_true (split, "invert") && bytes
         && !bytes->next && type_is (bytes, "ByteLevel") && !is_true (bytes, "use_regex") && !is_true (bytes, "add_prefix_space");
}

/* Options of a BPE model that change its meaning. */
static const char *
odd_option (const cJSON *model)
{
  static const char *const options[]
      = { "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback", "ignore_merges", "fuse_unk" };

  for (guint i = 0; i < G_N_ELEMENTS (options); i++) {
    const cJSON *item = dp_json_get (model, options[i]);
    if (item && !cJSON_IsFalse (item) && !(cJSON_IsString (item) && !*item->valuestring))
      return options[i];
  }
  return NULL;
}

static gboolean
read_bpe (DpTokenizer *t, const cJSON *tree, const cJSON *model, const gunichar letters[256], GError **error)
{
  const char *odd = odd_option (model);

  if (odd)
    return fail (error, DP_VLM_ERROR_UNSUPPORTED, "a BPE model with %s is not supported", odd);
  if (!is_qwen2 (dp_json_get (tree, "pre_tokenizer")))
    return fail (error, DP_VLM_ERROR_UNSUPPORTED, "the pre_tokenizer is not that of Qwen2, the only one supported");
  if (!type_is (dp_json_get (tree, "decoder"), "ByteLevel"))
    return fail (error, DP_VLM_ERROR_UNSUPPORTED, "the decoder is not ByteLevel");
  if (!add_vocabulary (t, dp_json_get (model, "vocab"), letters, error) || !add_merges (t, dp_json_get (model, "merges"), error))
    return FALSE;
  set_bytes (t, letters);
  return add_added_list (t, dp_json_get (tree, "added_tokens"), letters, error);
}

static void
add_letter (DpTokenizer *t, const char *spelling, guint32 id)
{
  if (*spelling && !*g_utf8_next_char (spelling))
    g_hash_table_insert (t->by_letter, GUINT_TO_POINTER (g_utf8_get_char (spelling)), GUINT_TO_POINTER (id + 1));
}

/* A WordLevel model whose words are characters: Split at "" and Fuse. */
static gboolean
read_word_level (DpTokenizer *t, const cJSON *tree, const cJSON *model, GError **error)
{
  const cJSON *pre = dp_json_get (tree, "pre_tokenizer"), *pattern = dp_json_get (pre, "pattern"), *entry;
  const cJSON *text = dp_json_get (pattern, dp_json_get (pattern, "Regex") ? "Regex" : "String");
  const char *unknown = NULL;

  if (!type_is (pre, "Split") || !cJSON_IsString (text) || *text->valuestring || !type_is (dp_json_get (tree, "decoder"), "Fuse"))
    return fail (error, DP_VLM_ERROR_UNSUPPORTED, "WordLevel is supported for single characters only (Split at \"\", decoder Fuse)");
  if (!add_vocabulary (t, dp_json_get (model, "vocab"), NULL, error) || !dp_json_get_string (model, "unk_token", &unknown, error))
    return FALSE;
  t->by_letter = g_hash_table_new (NULL, NULL);
  cJSON_ArrayForEach (entry, dp_json_get (model, "vocab")) add_letter (t, entry->string, (guint32) entry->valuedouble);
  if (unknown && dp_tokenizer_id (t, unknown) >= 0)
    t->unknown = (guint32) dp_tokenizer_id (t, unknown);
  return add_added_list (t, dp_json_get (tree, "added_tokens"), NULL, error);
}

static gboolean
add_control (DpTokenizer *t, const cJSON *tree, const char *key, const char *spelling, GError **error)
{
  guint32 id = DP_NO_TOKEN;

  if (!dp_json_get_uint (tree, key, 0, DP_MAX_TOKENS - 1, &id, error))
    return FALSE;
  if (id == DP_NO_TOKEN)
    return TRUE;
  if (!add_token (t, spelling, id, NULL, error))
    return FALSE;
  DpTokenBytes *b = &g_array_index (t->tokens, DpTokenBytes, id);
  b->special = TRUE;
  b->n = 0; /* stands for no text */
  return TRUE;
}

/* The built-in model's own file; a later character of the same letter wins in neither direction: letters are distinct. */
static gboolean
read_characters (DpTokenizer *t, const cJSON *tree, GError **error)
{
  const cJSON *characters = dp_json_get (tree, "characters"), *entry;
  guint32 id = 0;

  if (!cJSON_IsArray (characters))
    return fail (error, DP_VLM_ERROR_MALFORMED, "characters is not a list");
  if (!dp_json_get_uint (tree, "first_character_id", 0, DP_MAX_TOKENS - 1, &id, error)
      || !add_control (t, tree, "blank_token_id", "<blank>", error) || !add_control (t, tree, "bos_token_id", "<bos>", error)
      || !add_control (t, tree, "eos_token_id", "<eos>", error))
    return FALSE;
  t->by_letter = g_hash_table_new (NULL, NULL);
  cJSON_ArrayForEach (entry, characters)
  {
    if (!cJSON_IsString (entry) || g_utf8_strlen (entry->valuestring, -1) != 1 || dp_tokenizer_id (t, entry->valuestring) >= 0)
      return fail (error, DP_VLM_ERROR_MALFORMED, "character %u is not one character, or is there twice", id);
    if (id < t->tokens->len && g_array_index (t->tokens, DpTokenBytes, id).exists)
      return fail (error, DP_VLM_ERROR_MALFORMED, "character %u has the id of a control token", id);
    if (!add_token (t, entry->valuestring, id, NULL, error))
      return FALSE;
    add_letter (t, entry->valuestring, id++);
  }
  return TRUE;
}

static gboolean
read_tree (DpTokenizer *t, const cJSON *tree, GError **error)
{
  const cJSON *model = dp_json_get (tree, "model");
  gunichar letters[256];

  make_letters (letters);
  if (type_is (tree, "characters"))
    return read_characters (t, tree, error);
  if (!read_normalizer (t, dp_json_get (tree, "normalizer"), error))
    return FALSE;
  if (type_is (model, "WordLevel"))
    return read_word_level (t, tree, model, error);
  /* "type" is missing in files of before 2020 */
  if (type_is (model, "BPE") || (cJSON_IsObject (model) && !dp_json_get (model, "type") && dp_json_get (model, "merges")))
    return read_bpe (t, tree, model, letters, error);
  return fail (error, DP_VLM_ERROR_UNSUPPORTED, "the model is neither BPE nor WordLevel");
}

DpTokenizer *
dp_tokenizer_parse (const char *label, const char *json, gsize n, GError **error)
{
  g_autoptr (cJSON) tree = dp_json_parse (label, json, n, MAX_FILE, 32, error);
  g_autoptr (DpTokenizer) t = tree ? tokenizer_new () : NULL;

  if (!tree)
    return NULL;
  if (!read_tree (t, tree, error)) {
    g_prefix_error (error, "%s: ", label);
    return NULL;
  }
  return g_steal_pointer (&t);
}

/* ---- vocab.json and merges.txt ---- */

static gboolean
read_merges_text (DpTokenizer *t, const char *dir, GError **error)
{
  g_autofree char *path = g_build_filename (dir, "merges.txt", NULL), *text = NULL;
  g_autoptr (GError) why = NULL;
  g_autoptr (GString) buffer = g_string_new (NULL);
  guint32 n = 0, rank = 0;

  if (!g_file_get_contents (path, &text, NULL, &why))
    return fail (error, DP_VLM_ERROR_MISSING, "%s", why->message);
  for (const char *p = text; *p; p++)
    n += *p == '\n';
  t->bpe = dp_bpe_new (n + 1);
  for (char *line = text, *next; *line; line = next) {
    const gsize length = strcspn (line, "\n");
    next = line + length + (line[length] == '\n');
    line[length - (length > 0 && line[length - 1] == '\r')] = 0;
    if (!*line || g_str_has_prefix (line, "#version"))
      continue;
    if (!add_merge_text (t, line, rank++, buffer, error))
      return FALSE;
  }
  return TRUE;
}

/* {"id": {"content", flags}} of tokenizer_config.json, else {"content": id} of added_tokens.json, else nothing. */
static gboolean
read_added_files (DpTokenizer *t, const char *dir, const gunichar letters[256], GError **error)
{
  g_autoptr (cJSON) config = dp_json_load (dir, "tokenizer_config.json", MAX_FILE, NULL);
  const cJSON *decoder = dp_json_get (config, "added_tokens_decoder"), *entry;
  guint64 id;

  cJSON_ArrayForEach (entry, decoder)
  {
    const cJSON *content = dp_json_get (entry, "content");
    if (!cJSON_IsString (content) || !g_ascii_string_to_unsigned (entry->string, 10, 0, DP_MAX_TOKENS - 1, &id, NULL))
      return fail (error, DP_VLM_ERROR_MALFORMED, "tokenizer_config.json: an added token lacks its id or content");
    if (!add_added (t, entry, content->valuestring, id, letters, error))
      return FALSE;
  }
  if (decoder)
    return TRUE;
  g_autoptr (cJSON) added = dp_json_load (dir, "added_tokens.json", MAX_FILE, NULL);
  cJSON_ArrayForEach (entry, added)
  {
    if (!dp_json_whole (entry, &id))
      return fail (error, DP_VLM_ERROR_MALFORMED, "added_tokens.json: an id is not a whole number");
    if (!add_added (t, entry, entry->string, id, letters, error))
      return FALSE;
  }
  return TRUE;
}

static DpTokenizer *
load_pair (const char *dir, GError **error)
{
  g_autoptr (cJSON) vocabulary = dp_json_load (dir, "vocab.json", MAX_FILE, error);
  g_autoptr (DpTokenizer) t = vocabulary ? tokenizer_new () : NULL;
  gunichar letters[256];

  if (!vocabulary)
    return NULL;
  t->nfc = TRUE; /* as transformers' Qwen2Tokenizer */
  make_letters (letters);
  if (!add_vocabulary (t, vocabulary, letters, error) || !read_merges_text (t, dir, error) || !read_added_files (t, dir, letters, error)) {
    g_prefix_error (error, "%s: ", dir);
    return NULL;
  }
  set_bytes (t, letters);
  return g_steal_pointer (&t);
}

DpTokenizer *
dp_tokenizer_load (const char *dir, GError **error)
{
  g_autofree char *path = g_build_filename (dir, "tokenizer.json", NULL);
  g_autoptr (GError) why = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
    DpTokenizer *t = load_pair (dir, &why);
    if (!t && g_error_matches (why, DP_VLM_ERROR, DP_VLM_ERROR_MISSING))
      fail (error, DP_VLM_ERROR_MISSING, "%s: neither tokenizer.json nor vocab.json and merges.txt can be read (%s)", dir, why->message);
    else if (!t)
      g_propagate_error (error, g_steal_pointer (&why));
    return t;
  }
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, &why);
  if (!file) {
    fail (error, DP_VLM_ERROR_MISSING, "%s cannot be read: %s", path, why->message);
    return NULL;
  }
  return dp_tokenizer_parse (path, g_mapped_file_get_contents (file), g_mapped_file_get_length (file), error);
}
