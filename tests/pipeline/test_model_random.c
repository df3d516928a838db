/* The whole way with a real engine: a tiny model with random weights reads samples/ from the command line.
 *
 * What it writes means nothing; that it comes without a fault, the same in every run, whatever else is read at the same time,
 * and that pages with text of their own lose none of it, does.
 */
#include "tests/vlm/random_model.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

static char *model, *folder;

typedef struct {
  int code;
  char *errors;
} Ended;

/* Runs docparse with the arguments; environment has DOCPARSE_MODEL if given. */
static Ended
run (const char *arguments, const char *environment)
{
  const char *docparse = g_getenv ("DOCPARSE");
  g_autofree char *line = g_strdup_printf ("%s %s", docparse ? docparse : "build/docparse", arguments),
                  *cache = g_build_filename (folder, "cache", NULL);
  g_auto (GStrv) argv = g_strsplit (line, " ", -1);
  g_auto (GStrv) env = g_environ_setenv (g_get_environ (), "XDG_CACHE_HOME", cache, TRUE);
  g_autoptr (GError) error = NULL;
  Ended ended = { -1, NULL };
  int status = 0;

  env = environment ? g_environ_setenv (env, "DOCPARSE_MODEL", environment, TRUE) : g_environ_unsetenv (env, "DOCPARSE_MODEL");
  g_spawn_sync (NULL, argv, env, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, &ended.errors, &status, &error);
  g_assert_no_error (error);
  g_assert_true (WIFEXITED (status));
  ended.code = WEXITSTATUS (status);
  return ended;
}

/* Markdown of the sample; free it.  worst: the highest exit code that may come (1: the model may be cut off). */
static char *
convert (const char *sample, const char *options, int worst)
{
  g_autofree char *out = g_build_filename (folder, "out.md", NULL),
                  *arguments = g_strdup_printf ("samples/%s.pdf --model %s --images placeholder %s -q -o %s", sample, model, options, out);
  char *text = NULL;

  Ended ended = run (arguments, NULL);
  if (ended.code > worst)
    g_error ("%s: exit code %d, %s", arguments, ended.code, ended.errors);
  g_free (ended.errors);
  g_assert_true (g_file_get_contents (out, &text, NULL, NULL));
  g_unlink (out);
  return text;
}

/* No layout comes from random weights: the page's own is used, word for word. */
static void
test_auto (void)
{
  static const char *const samples[] = { "two-columns", "tables-long", "languages" };

  for (guint i = 0; i < G_N_ELEMENTS (samples); i++) {
    g_autofree char *got = convert (samples[i], "--method auto", 0), *path = g_strdup_printf ("samples/%s.md", samples[i]), *typed = NULL;
    g_assert_true (g_file_get_contents (path, &typed, NULL, NULL));
    g_assert_cmpstr (got, ==, typed);
  }
}

/* Everything through the model: the same in every way of running it. */
static void
test_ocr (void)
{
  static const char *const ways[] = { "-j 1", "-j 4", "--eager", "--memory-budget 16M", "--threads 1", "--kv-page-size 7" };
  g_autofree char *first = convert ("table-spans", "--method ocr --weights f32 --kv-type f32", 1);

  g_assert_cmpuint (strlen (first), >, 20);
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    g_autofree char *options = g_strdup_printf ("--method ocr --weights f32 --kv-type f32 %s", ways[i]),
                    *again = convert ("table-spans", options, 1);
    g_assert_cmpstr (again, ==, first);
  }
}

/* The same page alone and in the middle of a batch. */
static void
test_batch (void)
{
  g_autofree char *alone = convert ("letter", "--method ocr", 1), *out = g_build_filename (folder, "all", NULL),
                  *arguments
                  = g_strdup_printf ("samples/letter.pdf samples/form.pdf samples/mixed-scan.pdf samples/formulas.pdf --model %s --method "
                                     "ocr --images placeholder -q -o %s/",
                                     model, out),
                  *path = g_build_filename (out, "letter.md", NULL), *together = NULL;
  Ended ended = run (arguments, NULL);

  g_assert_cmpint (ended.code, <=, 1);
  g_free (ended.errors);
  g_assert_true (g_file_get_contents (path, &together, NULL, NULL));
  g_assert_cmpstr (together, ==, alone);
}

static void
test_weights (void)
{
  static const char *const types[] = { "bf16", "int8", "int4" };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    g_autofree char *options = g_strdup_printf ("--method ocr --weights %s --kv-type %s", types[i], i == 1 ? "int8" : "bf16");
    g_autofree char *got = convert ("table-spans", options, 1), *again = convert ("table-spans", options, 1); /* from the cache */
    g_assert_cmpuint (strlen (got), >, 20);
    g_assert_cmpstr (again, ==, got);
  }
}

/* Folders that are not right: what the program says, and with which code it ends. */
static void
test_folders (void)
{
  static const struct {
    const char *file, *from, *to; /* from NULL: the file becomes to; to NULL: it is gone */
    int code;
    const char *says;
  } cases[] = {
    { "config.json", NULL, NULL, 66, "config.json" },
    { "config.json", NULL, "{\"model_type\": \"qwen2_vl\", \"num_hidden", 65, "config.json: not JSON near byte" },
    { "config.json", NULL, "\001\002", 65, "config.json: not JSON" },
    { "config.json", NULL, "[]", 65, "not an object" },
    { "config.json", "\"qwen2_vl\"", "\"llama\"", 64, "model_type \"llama\" is not known; known are: qwen2_vl" },
    { "config.json", "\"hidden_size\": 64, \"num_heads", "\"hidden_size\": 128, \"num_heads", 65, "as wide as the decoder" },
    { "config.json", "\"intermediate_size\": 96", "\"intermediate_size\": 95", 65, "mlp.gate_proj.weight" },
    { "config.json", "\"eos_token_id\": 258", "\"eos_token_id\": 5000", 65, "eos_token_id 5000 is outside the vocabulary of 280" },
    { "config.json", "\"vision_config\"", "\"no_vision\"", 64, "no vision encoder" },
    { "config.json", "\"max_position_embeddings\": 512", "\"max_position_embeddings\": 60", 64,
      "No page could be read: The question has 64" },
    { "tokenizer.json", NULL, NULL, 66, "neither tokenizer.json nor vocab.json" },
    { "tokenizer.json", NULL, "{\"model\": {\"type\": \"Unigram\"}}", 64, "neither BPE nor WordLevel" },
    { "tokenizer.json", "<|im_end|>", "<|im_stop|>", 65, "no token \"<|im_end|>\", which a chat with qwen2_vl needs" },
    { "tokenizer.json", "<|vision_start|>", "<|v|>", 65, "no token \"<|vision_start|>\"" },
    { "tokenizer.json", "<|ref_start|>", "<|r|>", 64, "no token \"<|ref_start|>\", so this qwen2_vl model was not made to find" },
    { "tokenizer.json", "\"id\": 257", "\"id\": 99999999", 65, "token id 99999999 is out of range" },
    { "preprocessor_config.json", "\"max_pixels\": 4096", "\"max_pixels\": 0", 65, "max_pixels must be a whole number from 1" },
    { "preprocessor_config.json", "\"max_pixels\": 4096", "\"max_pixels\": 1e15", 65, "max_pixels must be a whole number" },
    { "preprocessor_config.json", "\"min_pixels\": 256", "\"min_pixels\": 9999", 65, "min_pixels must not be larger" },
    { "preprocessor_config.json", "\"patch_size\": 4", "\"patch_size\": 8", 65, "other patches" },
    { "generation_config.json", NULL, "{\"temperature\": -1}", 65, "generation_config.json: temperature" },
    { "generation_config.json", NULL, "{\"eos_token_id\": [258, 77777]}", 65, "generation_config.json: eos_token_id 77777" },
    { "generation_config.json", NULL, "{\"top_p\": null, \"eos_token_id\": []}", 1, "" }, /* the chat says how an answer ends */
    { "model.safetensors", NULL, NULL, 66, "no weights: expected model.safetensors" },
    { "model.safetensors", NULL, "short", 65, "too short to be a safetensors file" },
    { "model.safetensors", "model.norm.weight", "model.norn.weight", 65, "\"model.norm.weight\"" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *bad = g_build_filename (folder, "bad", NULL), *path = g_build_filename (bad, cases[i].file, NULL),
                    *copy = g_strdup_printf ("rm -rf %s; cp -r %s %s", bad, model, bad),
                    *arguments = g_strdup_printf ("samples/letter.pdf --model %s -q -o %s/x.md", bad, folder), *text = NULL;
    gsize n = 0;
    g_assert_cmpint (system (copy), ==, 0);
    if (cases[i].from) {
      g_assert_true (g_file_get_contents (path, &text, &n, NULL));
      char *at = memmem (text, n, cases[i].from, strlen (cases[i].from));
      g_autoptr (GString) changed = g_string_new_len (text, at - text);
      g_string_append (changed, cases[i].to);
      g_string_append_len (changed, at + strlen (cases[i].from), (gssize) n - (at - text) - (gssize) strlen (cases[i].from));
      g_assert_true (g_file_set_contents (path, changed->str, (gssize) changed->len, NULL));
    } else if (cases[i].to)
      g_assert_true (g_file_set_contents (path, cases[i].to, -1, NULL));
    else
      g_unlink (path);
    Ended ended = run (arguments, NULL);
    if ((cases[i].code == 1 ? ended.code > 1 : ended.code != cases[i].code) || !strstr (ended.errors, cases[i].says))
      g_error ("case %u (%s): exit code %d, wanted %d; \"%s\" does not say \"%s\"", i, cases[i].file, ended.code, cases[i].code,
               ended.errors, cases[i].says);
    g_free (ended.errors);
  }
}

/* A model that cannot answer costs nothing: pages with text keep it, a scanned one falls to the built-in reader, and the report says so. */
static void
test_falls_back (void)
{
  g_autofree char *dumb = g_build_filename (folder, "dumb", NULL), *config = g_build_filename (dumb, "config.json", NULL),
                  *out = g_build_filename (folder, "fallen.md", NULL), *copy = g_strdup_printf ("cp -r %s %s", model, dumb),
                  *arguments = g_strdup_printf ("samples/mixed-scan.pdf --model %s -o %s", dumb, out), *json = NULL, *text = NULL;

  g_assert_cmpint (system (copy), ==, 0);
  g_assert_true (g_file_get_contents (config, &json, NULL, NULL));
  g_autoptr (GString) changed = g_string_new (json);
  g_assert_cmpuint (g_string_replace (changed, "\"max_position_embeddings\": 512", "\"max_position_embeddings\": 100", 0), ==, 1);
  g_assert_true (g_file_set_contents (config, changed->str, -1, NULL));
  Ended ended = run (arguments, NULL);
  g_assert_cmpint (ended.code, ==, 1);
  g_assert_nonnull (strstr (ended.errors, "page 1: the model could not look for regions (layout: The question has "));
  g_assert_nonnull (strstr (ended.errors, "; the page's own text was laid out"));
  g_assert_nonnull (strstr (ended.errors, "; the built-in reader took over"));
  g_free (ended.errors);
  g_assert_true (g_file_get_contents (out, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "We ask for the compass, or for its value, by the end of the year."));
  g_assert_nonnull (strstr (text, "The glass has a crack at north-east"));
}

enum { COPIES = 24 };

/* Documents in folder/many-out; *whole: how many of them are what the others are. */
static guint
count_done (const char *wanted, guint *whole)
{
  guint n = 0;

  *whole = 0;
  for (guint i = 0; i < COPIES; i++) {
    g_autofree char *path = g_strdup_printf ("%s/many-out/%u.md", folder, i), *text = NULL;
    if (g_file_get_contents (path, &text, NULL, NULL)) {
      n++;
      *whole += !wanted || g_str_equal (text, wanted);
    }
  }
  return n;
}

/* A run that is interrupted leaves whole documents, stops soon, and goes on where it was with --resume. */
static void
test_interrupted (void)
{
  g_autofree char *expected
      = convert ("letter", "--method ocr", 1),
      *many = g_build_filename (folder, "many", NULL),
      *copy = g_strdup_printf ("mkdir %s; for i in $(seq 0 %d); do cp samples/letter.pdf %s/$i.pdf; done", many, COPIES - 1, many),
      *line = g_strdup_printf ("%s %s --model %s --method ocr --images placeholder -q -o %s/many-out/",
                               g_getenv ("DOCPARSE") ? g_getenv ("DOCPARSE") : "build/docparse", many, model, folder),
      *again = g_strdup_printf ("%s --model %s --method ocr --images placeholder -q --resume -o %s/many-out/", many, model, folder);
  g_auto (GStrv) argv = g_strsplit (line, " ", -1);
  g_autoptr (GError) error = NULL;
  GPid pid;
  guint whole;
  int status;

  g_assert_cmpint (system (copy), ==, 0);
  g_spawn_async (NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &pid, &error);
  g_assert_no_error (error);
  while (count_done (NULL, &whole) == 0 && waitpid (pid, &status, WNOHANG) == 0)
    g_usleep (1000);
  if (kill (pid, SIGINT) == 0 && waitpid (pid, &status, 0) == pid) {
    if (count_done (NULL, &whole) < COPIES) { /* else it was through already */
      g_assert_true (WIFEXITED (status));
      g_assert_cmpint (WEXITSTATUS (status), ==, 130);
    }
  }
  const guint before = count_done (expected, &whole);
  g_assert_cmpuint (before, >, 0);
  g_assert_cmpuint (whole, ==, before);
  g_test_message ("%u of %u documents before the interrupt", before, (guint) COPIES);
  Ended ended = run (again, NULL);
  g_assert_cmpint (ended.code, <=, 1);
  g_free (ended.errors);
  const guint after = count_done (expected, &whole);
  g_assert_cmpuint (after, ==, COPIES);
  g_assert_cmpuint (whole, ==, COPIES);
}

static void
test_errors (void)
{
  g_autofree char *empty = g_build_filename (folder, "empty", NULL),
                  *none = g_strdup_printf ("samples/letter.pdf --model %s -o %s/x.md", empty, folder),
                  *off = g_strdup_printf ("samples/letter.pdf --model= -q -o %s/x.md", folder),
                  *device = g_strdup_printf ("samples/letter.pdf --model %s --device nosuch -o %s/x.md", model, folder);
  Ended ended = run (none, NULL);

  g_assert_cmpint (ended.code, ==, 66);
  g_assert_nonnull (strstr (ended.errors, "config.json"));
  g_free (ended.errors);
  ended = run (off, empty); /* the option turns the environment off */
  g_assert_cmpint (ended.code, ==, 0);
  g_free (ended.errors);
  ended = run (device, NULL);
  g_assert_cmpint (ended.code, ==, 69);
  g_assert_nonnull (strstr (ended.errors, "nosuch"));
  g_free (ended.errors);
  ended = run ("doctor", model);
  g_assert_cmpint (ended.code, ==, 0);
  g_free (ended.errors);
}

int
main (int argc, char **argv)
{
  const RandomModel tiny = RANDOM_MODEL_TINY;
  g_autoptr (GError) error = NULL;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("docparse-random-XXXXXX", NULL);
  model = g_build_filename (folder, "model", NULL);
  g_mkdir (model, 0777);
  random_model_write (&tiny, model, &error);
  g_assert_no_error (error);
  g_test_add_func ("/model-random/auto", test_auto);
  g_test_add_func ("/model-random/ocr", test_ocr);
  g_test_add_func ("/model-random/batch", test_batch);
  g_test_add_func ("/model-random/weights", test_weights);
  g_test_add_func ("/model-random/folders", test_folders);
  g_test_add_func ("/model-random/falls-back", test_falls_back);
  g_test_add_func ("/model-random/interrupted", test_interrupted);
  g_test_add_func ("/model-random/errors", test_errors);
  const int code = g_test_run ();
  g_autofree char *remove = g_strdup_printf ("rm -rf %s", folder);
  if (system (remove) != 0)
    g_warning ("%s stays", folder);
  g_free (model);
  g_free (folder);
  return code;
}
