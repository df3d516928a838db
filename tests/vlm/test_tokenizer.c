/* The tokenizer against the tokenizers library: ids exactly, text exactly, also where it is split between tokens. */
#include "tests/vlm/golden.h"
#include "vlm/error.h"
#include "vlm/tokenizer_private.h"

#include <glib/gstdio.h>
#include <utf8proc.h>

static DpTokenizer *
load (const char *name)
{
  g_autofree char *path = g_build_filename ("tests/fixtures/vlm", name, NULL), *text = NULL;
  g_autoptr (GError) error = NULL;
  gsize n;

  g_assert_true (g_file_get_contents (path, &text, &n, NULL));
  DpTokenizer *t = dp_tokenizer_parse (name, text, n, &error);
  g_assert_no_error (error);
  return t;
}

static char *
text_of (const cJSON *c, const char *key, gsize *n)
{
  const char *coded = golden_string (c, key);
  return *coded ? (char *) g_base64_decode (coded, n) : (*n = 0, g_strdup (""));
}

static char *
list_text (const guint32 *ids, gsize n)
{
  GString *s = g_string_new (NULL);
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (s, "%u ", ids[i]);
  return g_string_free (s, FALSE);
}

static GArray *
ids_of (const cJSON *list)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  const cJSON *item;
  cJSON_ArrayForEach (item, list)
  {
    const guint32 id = (guint32) item->valueint;
    g_array_append_val (ids, id);
  }
  return ids;
}

static void
check_encode (const DpTokenizer *t, const cJSON *c)
{
  gsize n;
  g_autofree char *text = text_of (c, "text", &n);
  g_autoptr (GArray) got = dp_tokenizer_encode (t, text, (gssize) n), wanted = ids_of (golden_get (c, "ids"));
  g_autofree char *a = list_text ((guint32 *) (void *) got->data, got->len),
                  *b = list_text ((guint32 *) (void *) wanted->data, wanted->len);

  if (!g_str_equal (a, b)) {
    g_autofree char *shown = g_strescape (text, NULL);
    g_error ("\"%s\"\n  gives  %s\n  wanted %s", shown, a, b);
  }
}

static void
test_encode (void)
{
  g_autoptr (DpTokenizer) t = load ("tokenizer.json");
  cJSON *tree = golden_load ("tokens.json");
  const cJSON *c;

  g_assert_cmpint (cJSON_GetArraySize (golden_get (tree, "cases")), >, 500);
  cJSON_ArrayForEach (c, golden_get (tree, "cases")) check_encode (t, c);
  cJSON_Delete (tree);
}

/* Whole, skipping, and token by token with whole UTF-8 at any time. */
static void
check_decode (const DpTokenizer *t, const cJSON *c)
{
  g_autoptr (GArray) ids = ids_of (golden_get (c, "ids"));
  const guint32 *list = (const guint32 *) (const void *) ids->data;
  gsize n, m;
  g_autofree char *wanted = text_of (c, "text", &n), *plain = text_of (c, "plain", &m);
  g_autofree char *got = dp_tokenizer_decode (t, list, ids->len, FALSE), *skipped = dp_tokenizer_decode (t, list, ids->len, TRUE);
  g_autoptr (GString) streamed = g_string_new (NULL);
  DpTokenStream stream = { 0 };

  for (guint i = 0; i < ids->len; i++) {
    dp_token_stream_push (&stream, t, list[i], streamed);
    g_assert_true (g_utf8_validate_len (streamed->str, streamed->len, NULL) || memchr (streamed->str, 0, streamed->len));
  }
  dp_token_stream_finish (&stream, streamed);
  if (streamed->len != n || memcmp (streamed->str, wanted, n) != 0) {
    g_autofree char *a = g_strescape (streamed->str, NULL), *b = g_strescape (wanted, NULL), *which = list_text (list, ids->len);
    g_error ("%s\n  gives  \"%s\"\n  wanted \"%s\"", which, a, b);
  }
  if (!memchr (wanted, 0, n)) { /* a C string ends at a NUL; the stream above does not */
    g_assert_cmpstr (got, ==, wanted);
    g_assert_cmpstr (skipped, ==, plain);
  }
}

static void
test_decode (void)
{
  g_autoptr (DpTokenizer) t = load ("tokenizer.json");
  cJSON *tree = golden_load ("tokens.json");
  const cJSON *c;

  cJSON_ArrayForEach (c, golden_get (tree, "decodings")) check_decode (t, c);
  cJSON_Delete (tree);
}

static void
test_letters (void)
{
  g_autoptr (DpTokenizer) t = load ("characters.json");
  cJSON *tree = golden_load ("tokens.json");
  const cJSON *c;

  cJSON_ArrayForEach (c, golden_get (tree, "letters"))
  {
    gsize n;
    g_autoptr (GArray) ids = ids_of (golden_get (c, "ids"));
    g_autofree char *back = text_of (c, "back", &n), *got = dp_tokenizer_decode (t, (guint32 *) (void *) ids->data, ids->len, FALSE);
    check_encode (t, c);
    g_assert_cmpstr (got, ==, back);
  }
  cJSON_Delete (tree);
}

/* The built-in model's own file. */
static void
test_characters (void)
{
  static const char file[] = "{\"version\":\"1.0\",\"type\":\"characters\",\"blank_token_id\":0,\"bos_token_id\":1,\"eos_token_id\":2,"
                             "\"first_character_id\":3,\"characters\":[\" \",\"a\",\"é\",\"—\"]}";
  static const char twice[] = "{\"type\":\"characters\",\"characters\":[\"a\",\"b\",\"a\"]}",
                    two[] = "{\"type\":\"characters\",\"characters\":[\"ab\"]}",
                    clash[] = "{\"type\":\"characters\",\"eos_token_id\":1,\"characters\":[\"a\",\"b\"]}";
  g_autoptr (GError) error = NULL;
  g_autoptr (DpTokenizer) t = dp_tokenizer_parse ("nano", file, sizeof file - 1, &error);
  const guint32 ids[] = { 1, 4, 3, 5, 6, 2, 0, 99 };

  g_assert_no_error (error);
  g_assert_cmpuint (dp_tokenizer_size (t), ==, 7);
  g_autoptr (GArray) got = dp_tokenizer_encode (t, "a é—xa", -1); /* x is not known */
  g_autofree char *shown = list_text ((guint32 *) (void *) got->data, got->len), *text = dp_tokenizer_decode (t, ids, 8, FALSE);
  g_assert_cmpstr (shown, ==, "4 3 5 6 4 ");
  g_assert_cmpstr (text, ==, "a é—");
  g_assert_true (dp_tokenizer_special (t, 2));
  g_assert_false (dp_tokenizer_special (t, 4));
  g_assert_null (dp_tokenizer_parse ("nano", twice, sizeof twice - 1, NULL));
  g_assert_null (dp_tokenizer_parse ("nano", two, sizeof two - 1, NULL));
  g_assert_null (dp_tokenizer_parse ("nano", clash, sizeof clash - 1, NULL));
}

static gboolean
is_letter (gunichar c)
{
  const utf8proc_category_t k = utf8proc_category ((utf8proc_int32_t) c);
  return k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO;
}

static gboolean
is_number (gunichar c)
{
  const utf8proc_category_t k = utf8proc_category ((utf8proc_int32_t) c);
  return k >= UTF8PROC_CATEGORY_ND && k <= UTF8PROC_CATEGORY_NO;
}

/* Every code point that this Unicode version knows is in the class where the pattern's engine puts it. */
static void
check_class (const cJSON *runs, const char *name, gboolean (*in_class) (gunichar c))
{
  const cJSON *next = golden_get (runs, name)->child;
  gboolean inside = FALSE;
  guint known = 0;

  for (gunichar c = 0; c < 0x110000; c++) {
    while (next && (gunichar) next->valuedouble <= c) {
      inside = !inside;
      next = next->next;
    }
    const utf8proc_category_t k = utf8proc_category ((utf8proc_int32_t) c);
    if (k == UTF8PROC_CATEGORY_CN || k == UTF8PROC_CATEGORY_CS)
      continue;
    known++;
    if (in_class (c) != inside)
      g_error ("U+%04X: %s is %d here and %d there", c, name, in_class (c), inside);
  }
  g_assert_cmpuint (known, >, 280000);
}

static void
test_classes (void)
{
  cJSON *runs = golden_load ("classes.json");

  check_class (runs, "letter", is_letter);
  check_class (runs, "number", is_number);
  check_class (runs, "space", dp_is_space);
  check_class (runs, "word", dp_is_word);
  cJSON_Delete (runs);
}

static GArray *
encode_text (const DpTokenizer *t, const char *text)
{
  return dp_tokenizer_encode (t, text, -1);
}

static void
assert_same (GArray *a, GArray *b)
{
  g_assert_cmpmem (a->data, a->len * sizeof (guint32), b->data, b->len * sizeof (guint32));
}

/* The same model as vocab.json and merges.txt, and with its merges as pairs. */
static void
test_other_forms (void)
{
  static const char *const names[] = { "vocab.json", "merges.txt", "tokenizer_config.json" };
  static const char text[] = "The quick <|im_start|>  fox\n<fcel>caf\xc3\xa9! passe\xcc\x81 <|im_end|>";
  g_autoptr (DpTokenizer) t = load ("tokenizer.json");
  cJSON *tree = golden_load ("tokenizer.json"), *model = cJSON_GetObjectItem (tree, "model"), *decoder = cJSON_CreateObject (), *merges,
        *entry;
  g_autofree char *dir = g_dir_make_tmp ("docparse-tok-XXXXXX", NULL),
                  *vocab = cJSON_PrintUnformatted (cJSON_GetObjectItem (model, "vocab"));
  g_autoptr (GString) lines = g_string_new ("#version: 0.2\n");
  cJSON *strings = cJSON_CreateArray (), *config = cJSON_CreateObject ();
  g_autoptr (GError) error = NULL;

  merges = cJSON_GetObjectItem (model, "merges");
  cJSON_ArrayForEach (entry, merges)
  {
    g_autofree char *line = g_strdup_printf ("%s %s", entry->child->valuestring, entry->child->next->valuestring);
    g_string_append_printf (lines, "%s\n", line);
    cJSON_AddItemToArray (strings, cJSON_CreateString (line));
  }
  cJSON_ArrayForEach (entry, cJSON_GetObjectItem (tree, "added_tokens"))
  {
    g_autofree char *key = g_strdup_printf ("%d", golden_int (entry, "id"));
    cJSON_AddItemToObject (decoder, key, cJSON_Duplicate (entry, TRUE));
  }
  cJSON_AddItemToObject (config, "added_tokens_decoder", decoder);
  g_autofree char *config_text = cJSON_PrintUnformatted (config);
  const char *const contents[] = { vocab, lines->str, config_text };
  for (guint i = 0; i < 3; i++) {
    g_autofree char *path = g_build_filename (dir, names[i], NULL);
    g_assert_true (g_file_set_contents (path, contents[i], -1, NULL));
  }
  g_autoptr (DpTokenizer) pair = dp_tokenizer_load (dir, &error);
  g_assert_no_error (error);
  g_autoptr (GArray) ours = encode_text (t, text), from_pair = encode_text (pair, text);
  assert_same (ours, from_pair);
  g_assert_true (dp_tokenizer_special (pair, (guint32) dp_tokenizer_id (pair, "<|im_end|>")));

  cJSON_ReplaceItemInObject (model, "merges", strings);
  g_autofree char *rewritten = cJSON_PrintUnformatted (tree);
  g_autoptr (DpTokenizer) with_strings = dp_tokenizer_parse ("strings", rewritten, strlen (rewritten), &error);
  g_assert_no_error (error);
  g_autoptr (GArray) from_strings = encode_text (with_strings, text);
  assert_same (ours, from_strings);

  for (guint i = 0; i < 3; i++) {
    g_autofree char *path = g_build_filename (dir, names[i], NULL);
    g_remove (path);
  }
  g_autoptr (DpTokenizer) none = dp_tokenizer_load (dir, &error);
  g_assert_null (none);
  g_assert_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MISSING);
  g_rmdir (dir);
  cJSON_Delete (tree);
  cJSON_Delete (config);
}

/* Replaces one part of the good file; the message must name what is wrong. */
static void
refuses (const char *from, const char *to, const char *says)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_get_contents ("tests/fixtures/vlm/tokenizer.json", &text, NULL, NULL));
  g_assert_nonnull (strstr (text, from));
  g_auto (GStrv) parts = g_strsplit (text, from, 2);
  g_autofree char *bad = g_strjoinv (to, parts);
  g_autoptr (DpTokenizer) t = dp_tokenizer_parse ("bad.json", bad, strlen (bad), &error);
  if (t || !strstr (error->message, says) || !g_str_has_prefix (error->message, "bad.json"))
    g_error ("%s for %s: \"%s\" does not say \"%s\"", to, from, error ? error->message : "accepted", says);
}

static void
test_refuses (void)
{
  refuses ("\"NFC\"", "\"NFKC\"", "NFC");
  refuses ("\\\\p{N}|", "\\\\p{N}{1,3}|", "pre_tokenizer");
  refuses ("\"Isolated\"", "\"Removed\"", "pre_tokenizer");
  refuses ("\"add_prefix_space\":false", "\"add_prefix_space\":true", "pre_tokenizer");
  refuses ("\"byte_fallback\":false", "\"byte_fallback\":true", "byte_fallback");
  refuses ("\"unk_token\":null", "\"unk_token\":\"x\"", "unk_token");
  refuses ("\"merges\":[[", "\"merges\":[[\"a\",\"Q\\u0141\"],[", "not made of tokens");
  refuses ("\"merges\":[[", "\"merges\":[7,[", "neither");
  refuses ("\"vocab\":{", "\"vocab\":{\"big\":4000000,", "out of range");
  refuses ("\"vocab\":{", "\"vocab\":{\"half\":0.5,", "whole number");
  refuses ("\"type\":\"BPE\"", "\"type\":\"Unigram\"", "neither BPE");
  refuses ("\"added_tokens\":[", "\"added_tokens\":[{\"id\":1},", "lacks");
  refuses ("\"added_tokens\":[", "\"added_tokens\":[{\"id\":1,\"content\":\"\"},", "empty");
}

/* Sizes at which a quadratic step would take minutes, where the test takes a moment. */
static void
test_long (void)
{
  enum { N = 1 << 20 };
  static const char *const units[] = { "ab", " ", "\xcc\x96\xcc\x81", "'", "<", "\n ", "\xe4\xb8\xad", "<left>", "\xe0\xbd\xb3\xcc\x81" };
  g_autoptr (DpTokenizer) t = load ("tokenizer.json");

  for (guint i = 0; i < G_N_ELEMENTS (units); i++) {
    g_autoptr (GString) text = g_string_new (NULL);
    while (text->len < N)
      g_string_append (text, units[i]);
    g_autoptr (GArray) ids = dp_tokenizer_encode (t, text->str, (gssize) text->len);
    g_autofree char *back = dp_tokenizer_decode (t, (guint32 *) (void *) ids->data, ids->len, FALSE);
    gsize n;
    g_autofree char *nfc = dp_nfc (text->str, text->len, &n);
    g_assert_cmpuint (strlen (back), ==, n);
    g_assert_cmpstr (back, ==, nfc);
  }
}

static void
test_invalid (void)
{
  g_autoptr (DpTokenizer) t = load ("tokenizer.json");
  g_autoptr (GArray) bad = dp_tokenizer_encode (t,
                                                "a\xff"
                                                "b\0\xc3",
                                                5),
                     good = dp_tokenizer_encode (t,
                                                 "a\xef\xbf\xbd"
                                                 "b\0\xef\xbf\xbd",
                                                 9);

  assert_same (bad, good);
  g_assert_cmpint (dp_tokenizer_id (t, "no such token"), ==, -1);
  gsize n;
  g_assert_null (dp_tokenizer_bytes (t, 1u << 30, &n));
  g_assert_cmpuint (n, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tokenizer/encode", test_encode);
  g_test_add_func ("/tokenizer/decode", test_decode);
  g_test_add_func ("/tokenizer/letters", test_letters);
  g_test_add_func ("/tokenizer/characters", test_characters);
  g_test_add_func ("/tokenizer/classes", test_classes);
  g_test_add_func ("/tokenizer/other-forms", test_other_forms);
  g_test_add_func ("/tokenizer/refuses", test_refuses);
  g_test_add_func ("/tokenizer/long", test_long);
  g_test_add_func ("/tokenizer/invalid", test_invalid);
  return g_test_run ();
}
