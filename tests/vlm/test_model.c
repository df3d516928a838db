/* Loading a model: what is refused and in which words, and the file of packed weights, whole and damaged. */
#include "tests/vlm/network.h"
#include "vlm/error.h"
#include "vlm/family.h"
#include "vlm/weights_cache.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <unistd.h>

/* ---- folders ------------------------------------------------------------------------------------------------- */

static const char *const files[]
    = { "config.json", "generation_config.json", "preprocessor_config.json", "tokenizer.json", "model.safetensors" };

/* A copy of a network's folder in which every `from` in one of the files reads `to`; owned. */
static char *
copy_folder (const char *name, const char *file, const char *from, const char *to)
{
  char *dir = g_dir_make_tmp ("docparse-model-XXXXXX", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *source = g_build_filename ("tests/fixtures/vlm/networks", name, files[i], NULL);
    g_autofree char *target = g_build_filename (dir, files[i], NULL);
    g_autofree char *bytes = NULL;
    gsize n, changed = 0;
    g_assert_true (g_file_get_contents (source, &bytes, &n, NULL));
    g_autoptr (GString) out = g_string_sized_new (n);
    for (gsize at = 0; at < n;) {
      const gsize length = from ? strlen (from) : 0;
      if (file && g_str_equal (file, files[i]) && at + length <= n && memcmp (bytes + at, from, length) == 0) {
        g_string_append (out, to);
        at += length;
        changed++;
      } else
        g_string_append_c (out, bytes[at++]);
    }
    if (file && g_str_equal (file, files[i]))
      g_assert_cmpuint (changed, >, 0);
    g_assert_true (g_file_set_contents (target, out->str, (gssize) out->len, NULL));
  }
  return dir;
}

static void
remove_folder (char *dir)
{
  g_autoptr (GDir) names = g_dir_open (dir, 0, NULL);
  const char *name;

  while (names && (name = g_dir_read_name (names))) {
    g_autofree char *path = g_build_filename (dir, name, NULL);
    g_unlink (path);
  }
  g_rmdir (dir);
  g_free (dir);
}

static DpModel *
load (const char *dir, DpType weights, const char *cache_dir, GError **error)
{
  const DpModelLoad options = { .threads = 2, .weights = weights, .cache_dir = cache_dir };

  return dp_model_load (dir, &options, error);
}

/* ---- refused ---------------------------------------------------------------------------------------------------- */

static void
expect_refusal (char *dir, DpType weights, const char *const says[3])
{
  g_autoptr (GError) error = NULL;
  g_autoptr (DpModel) model = load (dir, weights, "", &error);

  g_assert_null (model);
  for (guint i = 0; i < 3 && says[i]; i++)
    if (!strstr (error->message, says[i]))
      g_error ("\"%s\" does not say \"%s\"", error->message, says[i]);
  remove_folder (dir);
}

static void
test_refuses (void)
{
  static const struct {
    const char *network, *file, *from, *to, *says[3];
  } cases[] = {
    { "flat", "config.json", "\"qwen2_vl\"", "\"qwen9_vl\"", { "config.json", "qwen9_vl", "known are: qwen2_vl, qwen2_5_vl" } },
    { "windows", "config.json", "\"window_size\":56", "\"window_size\":27", { "config.json", "window_size" } },
    { "windows",
      "config.json",
      "\"fullatt_block_indexes\":[1]",
      "\"fullatt_block_indexes\":[3]",
      { "config.json", "fullatt_block_indexes" } },
    { "windows", "config.json", "\"qwen2_5_vl\"", "\"qwen2_vl\"", { "blocks.0.norm1.bias", "mlp.fc1.weight", "no tensor" } },
    { "flat", "config.json", "\"vocab_size\":300", "\"vocab_size\":297", { "tokenizer", "up to 297", "only knows 297" } },
    { "flat",
      "config.json",
      "\"intermediate_size\":64",
      "\"intermediate_size\":63",
      { "mlp.gate_proj.weight", "mlp.down_proj.weight", "[63, 48]" } },
    { "flat", "config.json", "\"depth\":3", "\"depth\":4", { "blocks.3.attn.qkv.weight", "blocks.3.mlp.fc2.bias", "no tensor" } },
    { "flat", "config.json", "\"image_token_id\":296", "\"image_token_id\":300", { "image_token_id" } },
    { "flat", "preprocessor_config.json", "\"patch_size\":14", "\"patch_size\":16", { "patches" } },
    { "flat", "model.safetensors", "model.norm.weight", "model.norn.weight", { "model.safetensors", "\"model.norm.weight\"" } },
    { "untied", "config.json", "\"tie_word_embeddings\":false", "\"tie_word_embeddings\":0", { "tie_word_embeddings" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    expect_refusal (copy_folder (cases[i].network, cases[i].file, cases[i].from, cases[i].to), DP_F32, cases[i].says);
}

/* Many missing tensors are not all listed. */
static void
test_refuses_in_short (void)
{
  static const char *const says[3] = { "layers.100.self_attn.q_proj", "... and ", NULL };
  g_autoptr (GError) error = NULL;
  char *dir = copy_folder ("flat", "config.json", "\"num_hidden_layers\":3", "\"num_hidden_layers\":900");
  g_autoptr (DpModel) model = load (dir, DP_F32, "", &error);

  g_assert_null (model);
  g_assert_null (strstr (error->message, says[0]));
  g_assert_nonnull (strstr (error->message, says[1]));
  g_assert_cmpuint (strlen (error->message), <, 8000);
  remove_folder (dir);
}

/* Values that are not finite cannot be quantised; as floats they are the model's own business. */
static void
test_not_finite (void)
{
  static const char *const says[3] = { "not finite", "model.safetensors", NULL };
  g_autoptr (GError) error = NULL;
  char *dir = copy_folder ("nested", NULL, NULL, NULL);
  g_autofree char *path = g_build_filename (dir, "model.safetensors", NULL), *bytes = NULL;
  g_autoptr (DpCheckpoint) c = dp_checkpoint_open (dir, &error);
  gsize n;

  g_assert_no_error (error);
  const DpCheckpointTensor *t = dp_checkpoint_find (c, "model.language_model.layers.1.mlp.down_proj.weight");
  g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
  guint64 header;
  memcpy (&header, bytes, 8);
  const guint8 *first = dp_checkpoint_nth (c, 0)->data;
  for (guint i = 1; i < dp_checkpoint_n (c); i++)
    first = MIN (first, dp_checkpoint_nth (c, i)->data);
  memset (bytes + 8 + header + (t->data - first), 0xff, 2); /* a NaN in bf16 */
  g_assert_true (g_file_set_contents (path, bytes, (gssize) n, NULL));
  g_autoptr (DpModel) model = load (dir, DP_BF16, "", &error);
  g_assert_no_error (error);
  g_assert_nonnull (model);
  expect_refusal (dir, DP_I8, says);
}

/* ---- facts -------------------------------------------------------------------------------------------------------- */

static void
test_facts (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (DpModel) a = load ("tests/fixtures/vlm/networks/nested", DP_BF16, "", &error);
  g_autoptr (DpModel) b = load ("tests/fixtures/vlm/networks/nested", DP_F32, "", &error);
  g_autoptr (DpModel) c = load ("tests/fixtures/vlm/networks/flat", DP_BF16, "", &error);

  g_assert_no_error (error);
  g_assert_cmpstr (dp_model_family (a), ==, "qwen2_vl");
  g_assert_cmpuint (strlen (dp_model_digest (a)), ==, 64);
  g_assert_cmpstr (dp_model_digest (a), ==, dp_model_digest (b));
  g_assert_cmpstr (dp_model_digest (a), !=, dp_model_digest (c));
  g_assert_cmpuint (dp_model_weight_bytes (b), >, dp_model_weight_bytes (a));
  g_assert_true (a->decoder.head == a->decoder.embedding); /* no lm_head.weight in the file: tied */
  g_assert_cmpstr (dp_model_chat (a)->image_before, ==, "<|vision_start|>");
  g_assert_cmpint (dp_tokenizer_id (dp_model_tokenizer (a), "<|image_pad|>"), ==, (gint64) dp_model_config (a)->tokens.image);
  g_autoptr (DpModel) untied = load ("tests/fixtures/vlm/networks/untied", DP_BF16, "", &error);
  g_assert_true (untied->decoder.head != untied->decoder.embedding);
}

/* ---- packed weights on disk ----------------------------------------------------------------------------------------- */

/* The only file of a folder. */
static char *
only_file (const char *dir)
{
  g_autoptr (GDir) names = g_dir_open (dir, 0, NULL);
  const char *name = g_dir_read_name (names);

  g_assert_nonnull (name);
  char *path = g_build_filename (dir, name, NULL);
  g_assert_null (g_dir_read_name (names)); /* nothing temporary is left */
  return path;
}

static float *
logits_of (DpModel *model, const Case *c, gsize *bytes)
{
  Runner r;
  Sequence q;

  runner_open (&r, model, 16, DP_F32);
  sequence_start (&r, &q, c, 0);
  run_prefill (&r, &q, 1, 128);
  *bytes = dp_model_config (model)->text.vocabulary * sizeof (float);
  float *logits = g_memdup2 (q.first_logits, *bytes);
  sequence_end (&q);
  dp_decoder_free (r.decoder);
  return logits;
}

/* One load with this cache: whether it was used; the answer must be `expected`. */
static gboolean
load_and_ask (const Network *net, DpType weights, const char *cache_dir, const float *expected, gsize n_expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (DpModel) model = load (net->dir, weights, cache_dir, &error);
  gsize n;

  g_assert_no_error (error);
  g_autofree float *logits = logits_of (model, &net->cases[1], &n);
  g_assert_cmpmem (logits, n, expected, n_expected);
  return dp_weights_cached (model->weights);
}

static void
test_cache (void)
{
  static const DpType types[] = { DP_F32, DP_BF16, DP_I8, DP_I4 };
  Network net;

  network_open (&net, "nested");
  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    char *dir = g_dir_make_tmp ("docparse-cache-XXXXXX", NULL);
    g_autofree char *below = g_build_filename (dir, "docparse", NULL); /* made when it is needed */
    g_autoptr (GError) error = NULL;
    gsize n;
    g_autoptr (DpModel) model = load (net.dir, types[i], "", &error);
    g_assert_no_error (error);
    g_autofree float *expected = logits_of (model, &net.cases[1], &n);
    g_assert_false (load_and_ask (&net, types[i], below, expected, n));
    g_assert_true (load_and_ask (&net, types[i], below, expected, n));
    g_autofree char *path = only_file (below);
    GStatBuf st;
    g_assert_cmpint (g_stat (path, &st), ==, 0);
    g_assert_cmpuint (st.st_mode & 0777, ==, 0600);
    remove_folder (g_steal_pointer (&below));
    remove_folder (dir);
  }
  network_close (&net);
}

/* Another type of weights, other weights under the same name: other files. */
static void
test_cache_keys (void)
{
  char *dir = g_dir_make_tmp ("docparse-cache-XXXXXX", NULL), *copy = copy_folder ("nested", NULL, NULL, NULL);
  g_autofree char *weights = g_build_filename (copy, "model.safetensors", NULL), *bytes = NULL;
  g_autoptr (GError) error = NULL;
  gsize n;

  for (guint i = 0; i < 4; i++) {
    g_autoptr (DpModel) model = load (copy, i == 3 ? DP_I8 : DP_BF16, dir, &error);
    g_assert_no_error (error);
    g_assert_cmpint (dp_weights_cached (model->weights), ==, i == 1);
    g_clear_pointer (&model, dp_model_free);
    if (i != 1)
      continue;
    g_assert_true (g_file_get_contents (weights, &bytes, &n, NULL)); /* a byte in the middle of a tensor, of no sample */
    bytes[n / 2] ^= 1;
    g_assert_true (g_file_set_contents (weights, bytes, (gssize) n, NULL));
  }
  g_autoptr (GDir) names = g_dir_open (dir, 0, NULL);
  guint count = 0;
  while (g_dir_read_name (names))
    count++;
  g_assert_cmpuint (count, ==, 3);
  remove_folder (dir);
  remove_folder (copy);
}

/* What opening a file with these bytes gives. */
static gboolean
opens (const char *dir, const char *path, const guint8 *bytes, gsize n, const char *key)
{
  g_assert_true (g_file_set_contents (path, (const char *) bytes, (gssize) n, NULL));
  g_autoptr (DpWeightsCache) c = dp_weights_cache_open (dir, key, 2);
  return c != NULL;
}

static void
quiet (G_GNUC_UNUSED const char *domain, G_GNUC_UNUSED GLogLevelFlags level, G_GNUC_UNUSED const char *message, G_GNUC_UNUSED gpointer data)
{
}

static void
test_damaged_cache (void)
{
  char *dir = g_dir_make_tmp ("docparse-cache-XXXXXX", NULL);
  Network net;
  g_autoptr (GError) error = NULL;
  gsize n, n_expected;
  guint8 *bytes;

  network_open (&net, "nested");
  g_autoptr (DpModel) model = load (net.dir, DP_BF16, dir, &error);
  g_assert_no_error (error);
  g_autofree float *expected = logits_of (model, &net.cases[1], &n_expected);
  g_autofree char *path = only_file (dir), *name = g_path_get_basename (path), *key = g_strndup (name + strlen ("weights-"), 64);
  g_assert_true (g_file_get_contents (path, (char **) &bytes, &n, NULL));
  const guint handler = g_log_set_handler ("docparse", G_LOG_LEVEL_MESSAGE, quiet, NULL);

  g_assert_true (opens (dir, path, bytes, n, key));
  for (gsize size = 0; size < n; size += size < 300 ? 1 : 1021)
    g_assert_false (opens (dir, path, bytes, size, key));
  guint8 *longer = g_malloc0 (n + 1);
  memcpy (longer, bytes, n);
  g_assert_false (opens (dir, path, longer, n + 1, key));
  for (gsize at = 0; at < 8 + 8 + 16 + 64 + 64; at++) { /* the header */
    longer[at] ^= (guint8) (1u << at % 8);
    g_assert_false (opens (dir, path, longer, n, key));
    longer[at] = bytes[at];
  }
  guint64 table;
  memcpy (&table, bytes + 24, 8);
  g_assert_cmpuint (table, <, n);
  for (gsize at = table; at < n; at += 37) {
    longer[at] ^= (guint8) (1u << at % 8);
    g_assert_false (opens (dir, path, longer, n, key));
    longer[at] = bytes[at];
  }
  const gsize entries = (n - table) / 152;
  for (gsize e = 0; e < entries; e++) { /* first, middle and last byte of every weight */
    guint64 place[2];
    memcpy (place, bytes + table + e * 152 + 96, 16);
    for (guint k = 0; k < 3; k++) {
      const gsize at = place[0] + (place[1] - 1) * k / 2;
      longer[at] ^= 0x10;
      g_assert_false (opens (dir, path, longer, n, key));
      longer[at] = bytes[at];
    }
  }
  /* a damaged file costs the time to pack and is whole again afterwards */
  longer[4096 + 17] ^= 1;
  g_assert_false (opens (dir, path, longer, n, key));
  g_assert_false (load_and_ask (&net, DP_BF16, dir, expected, n_expected));
  g_assert_true (load_and_ask (&net, DP_BF16, dir, expected, n_expected));
  g_log_remove_handler ("docparse", handler);
  g_free (longer);
  g_free (bytes);
  remove_folder (dir);
  network_close (&net);
}

/* Nowhere to write: the model runs all the same. */
static void
test_unwritable_cache (void)
{
  Network net;
  g_autoptr (GError) error = NULL;

  network_open (&net, "nested");
  g_autofree char *file = g_build_filename (net.dir, "config.json", "below", NULL);
  const guint handler = g_log_set_handler ("docparse", G_LOG_LEVEL_MESSAGE, quiet, NULL);
  g_autoptr (DpModel) model = load (net.dir, DP_BF16, file, &error);
  g_log_remove_handler ("docparse", handler);
  g_assert_no_error (error);
  g_assert_false (dp_weights_cached (model->weights));
  network_close (&net);
}

/* What a killed run left goes when the next one packs; what another one is writing, and what is not ours, stays. */
static void
test_left_cache (void)
{
  char *dir = g_dir_make_tmp ("docparse-cache-XXXXXX", NULL);
  const char *const names[] = { ".weights-a1b2c3", ".weights-d4e5f6", "notes" };
  char *paths[G_N_ELEMENTS (names)];
  Network net;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    paths[i] = g_build_filename (dir, names[i], NULL);
    g_assert_true (g_file_set_contents (paths[i], "half", 4, NULL));
  }
  const int writing = g_open (paths[1], O_RDWR | O_CLOEXEC, 0);
  g_assert_cmpint (flock (writing, LOCK_EX | LOCK_NB), ==, 0);
  network_open (&net, "nested");
  g_autoptr (DpModel) model = load (net.dir, DP_BF16, dir, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_assert_cmpint (g_file_test (paths[i], G_FILE_TEST_EXISTS), ==, i > 0);
    g_free (paths[i]);
  }
  close (writing);
  network_close (&net);
  remove_folder (dir);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/facts", test_facts);
  g_test_add_func ("/model/refuses", test_refuses);
  g_test_add_func ("/model/refuses-in-short", test_refuses_in_short);
  g_test_add_func ("/model/not-finite", test_not_finite);
  g_test_add_func ("/model/cache", test_cache);
  g_test_add_func ("/model/cache-keys", test_cache_keys);
  g_test_add_func ("/model/damaged-cache", test_damaged_cache);
  g_test_add_func ("/model/left-cache", test_left_cache);
  g_test_add_func ("/model/unwritable-cache", test_unwritable_cache);
  return g_test_run ();
}
