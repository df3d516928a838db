/* safetensors: what is read is what was written, and no header is believed. */
#include "vlm/checkpoint.h"
#include "vlm/error.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* A file in memory: length, header, n bytes of data counting up from 0. */
static GBytes *
file_of (const char *header, gsize n)
{
  GByteArray *b = g_byte_array_new ();
  guint64 length = GUINT64_TO_LE (strlen (header));

  g_byte_array_append (b, (const guint8 *) &length, 8);
  g_byte_array_append (b, (const guint8 *) header, strlen (header));
  for (gsize i = 0; i < n; i++) {
    const guint8 byte = (guint8) i;
    g_byte_array_append (b, &byte, 1);
  }
  return g_byte_array_free_to_bytes (b);
}

static DpCheckpoint *
open_header (const char *header, gsize n, GError **error)
{
  g_autoptr (GBytes) bytes = file_of (header, n);
  return dp_checkpoint_from_bytes ("m.safetensors", bytes, error);
}

static void
test_reads (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (DpCheckpoint) c = open_header ("{\"__metadata__\":{\"format\":\"pt\"},"
                                            "\"b\":{\"dtype\":\"BF16\",\"shape\":[2,3],\"data_offsets\":[0,12]},"
                                            "\"a\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[12,20]},"
                                            "\"c.é\":{\"dtype\":\"F16\",\"shape\":[0,9],\"data_offsets\":[20,20]},"
                                            "\"d\":{\"dtype\":\"I8\",\"shape\":[3],\"data_offsets\":[20,23]}}   ",
                                            23, &error);
  const guint64 wanted[2] = { 2, 3 }, other[2] = { 3, 2 };
  float row[3];
  gint64 whole;

  g_assert_no_error (error);
  g_assert_cmpuint (dp_checkpoint_n (c), ==, 4);
  g_assert_cmpstr (dp_checkpoint_nth (c, 0)->name, ==, "a");
  g_assert_cmpstr (dp_checkpoint_nth (c, 3)->name, ==, "d");
  g_assert_null (dp_checkpoint_nth (c, 4));
  g_assert_cmpstr (dp_checkpoint_metadata (c, "format"), ==, "pt");
  const DpCheckpointTensor *b = dp_checkpoint_require (c, "b", 2, wanted, &error);
  g_assert_no_error (error);
  g_assert_cmpint (b->type, ==, DP_STORED_BF16);
  dp_checkpoint_read_f32 (b, 3, 3, row); /* bytes 6 7, 8 9, 10 11 */
  for (int i = 0; i < 3; i++)
    g_assert_cmpfloat (row[i], ==, dp_bf16_to_f32 ((guint16) ((7 + 2 * i) << 8 | (6 + 2 * i))));
  g_assert_true (dp_checkpoint_read_i64 (dp_checkpoint_find (c, "a"), 0, 1, &whole));
  g_assert_cmpint (whole, ==, 0x131211100f0e0d0c);
  g_assert_false (dp_checkpoint_read_i64 (b, 0, 1, &whole));
  g_assert_cmpuint (dp_checkpoint_find (c, "c.é")->elements, ==, 0);
  dp_checkpoint_read_f32 (dp_checkpoint_find (c, "d"), 1, 2, row);
  g_assert_cmpfloat (row[1], ==, 22);

  g_assert_null (dp_checkpoint_require (c, "b", 2, other, &error));
  g_assert_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED);
  g_assert_cmpstr (error->message, ==, "m.safetensors: tensor \"b\" has shape [2, 3]; the configuration asks for [3, 2]");
  g_clear_error (&error);
  g_assert_null (dp_checkpoint_require (c, "nope", 1, wanted, &error));
  g_assert_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED);
  g_assert_nonnull (strstr (error->message, "\"nope\""));
}

static void
test_refuses (void)
{
#define T(shape, offsets) "{\"t\":{\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":" offsets "}}"
  static const struct {
    const char *header;
    gsize n;
    const char *says;
  } cases[] = {
    { T ("[1]", "[0,8]"), 8, "span" },
    { T ("[3]", "[0,12]"), 8, "outside" },
    { T ("[1]", "[4,0]"), 4, "outside" },
    { T ("[4294967296,4294967296]", "[0,0]"), 0, "overflows" },
    { T ("[4611686018427387904]", "[0,0]"), 0, "whole number" },
    { T ("[9007199254740992,1024]", "[0,0]"), 0, "span" },
    { T ("[1.5]", "[0,4]"), 4, "whole number" },
    { T ("[-1]", "[0,4]"), 4, "whole number" },
    { T ("[1e400]", "[0,4]"), 4, "whole number" },
    { T ("[1,1,1,1,1,1,1,1,1]", "[0,4]"), 4, "8 sides" },
    { T ("[1]", "[0]"), 4, "two whole" },
    { T ("[1]", "[0,4,4]"), 4, "two whole" },
    { T ("\"1\"", "[0,4]"), 4, "not a list" },
    { T ("[1]", "[4,8]"), 8, "preceded" },
    { T ("[1]", "[0,4]"), 5, "follow the last" },
    { "{\"t\":{\"dtype\":\"F8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "dtype" },
    { "{\"t\":{\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "dtype" },
    { "{\"t\":7}", 0, "not an object" },
    { "{\"__metadata__\":{\"a\":1}}", 0, "strings" },
    { "{\"__metadata__\":{\"a\":{\"b\":{\"c\":{}}}}}", 0, "deeper" },
    { "{\"t\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},\"t\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]}}", 2,
      "another one" },
    { "{\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]},\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]}}", 4,
      "overlaps" },
    { "{\"a\":{\"dtype\":\"U8\"", 0, "not JSON" },
    { "{} {}", 0, "follows" },
    { "[]", 0, "not a safetensors" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (open_header (cases[i].header, cases[i].n, &error));
    g_assert_nonnull (error);
    if (!strstr (error->message, cases[i].says) || !g_str_has_prefix (error->message, "m.safetensors"))
      g_error ("case %u: \"%s\" does not say \"%s\"", i, error->message, cases[i].says);
  }
#undef T
}

/* Lengths that lie, files that end early. */
static void
test_truncated (void)
{
  g_autoptr (GBytes) whole = file_of ("{\"t\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", 4);
  gsize size;
  const guint8 *data = g_bytes_get_data (whole, &size);

  for (gsize n = 0; n < size; n++) {
    g_autofree guint8 *copy = g_memdup2 (data, n);
    g_autoptr (GBytes) part = g_bytes_new (copy, n);
    g_autoptr (GError) error = NULL;
    g_assert_null (dp_checkpoint_from_bytes ("part", part, &error));
    g_assert_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED);
  }
  for (int bit = 0; bit < 64; bit++) {
    g_autofree guint8 *copy = g_memdup2 (data, size);
    copy[bit / 8] ^= (guint8) (1u << bit % 8);
    g_autoptr (GBytes) bytes = g_bytes_new (copy, size);
    g_autoptr (GError) error = NULL;
    g_assert_null (dp_checkpoint_from_bytes ("lie", bytes, &error));
    g_assert_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED);
  }
}

static void
write_file (const char *dir, const char *name, const void *data, gsize n)
{
  g_autofree char *path = g_build_filename (dir, name, NULL);
  g_assert_true (g_file_set_contents (path, data, (gssize) n, NULL));
}

static void
write_shard (const char *dir, const char *name, const char *tensor)
{
  g_autofree char *header = g_strdup_printf ("{\"%s\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", tensor);
  g_autoptr (GBytes) bytes = file_of (header, 4);
  write_file (dir, name, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

static void
expect_index (const char *dir, const char *index, const char *says)
{
  g_autoptr (GError) error = NULL;
  write_file (dir, "model.safetensors.index.json", index, strlen (index));
  g_autoptr (DpCheckpoint) c = dp_checkpoint_open (dir, &error);
  if (!says) {
    g_assert_no_error (error);
    g_assert_cmpuint (dp_checkpoint_n (c), ==, 2);
    g_assert_nonnull (dp_checkpoint_find (c, "y"));
    return;
  }
  g_assert_null (c);
  if (!strstr (error->message, says))
    g_error ("\"%s\" does not say \"%s\"", error->message, says);
}

static void
test_folder (void)
{
  g_autofree char *dir = g_dir_make_tmp ("docparse-ckpt-XXXXXX", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (dp_checkpoint_open (dir, &error));
  g_assert_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MISSING);
  g_clear_error (&error);
  write_shard (dir, "one.safetensors", "x");
  g_autoptr (DpCheckpoint) single = dp_checkpoint_open (dir, &error); /* the only one there is */
  g_assert_no_error (error);
  g_assert_cmpuint (dp_checkpoint_n (single), ==, 1);
  write_shard (dir, "two.safetensors", "y");
  g_assert_null (dp_checkpoint_open (dir, &error)); /* which one? */
  g_assert_nonnull (strstr (error->message, "several"));

  expect_index (dir, "{\"weight_map\":{\"x\":\"one.safetensors\",\"y\":\"two.safetensors\"}}", NULL);
  expect_index (dir, "{\"weight_map\":{\"x\":\"two.safetensors\",\"y\":\"one.safetensors\"}}", "is not in it");
  expect_index (dir, "{\"weight_map\":{\"x\":\"one.safetensors\",\"z\":\"two.safetensors\"}}", "\"z\" is not in it");
  expect_index (dir, "{\"weight_map\":{\"x\":\"../one.safetensors\"}}", "not in a file of this folder");
  expect_index (dir, "{\"weight_map\":{\"x\":\"three.safetensors\"}}", "no such file");
  expect_index (dir, "{\"weight_map\":{}}", "no weight_map");
  write_shard (dir, "two.safetensors", "x");
  expect_index (dir, "{\"weight_map\":{\"x\":\"one.safetensors\",\"y\":\"two.safetensors\"}}", "another one");

  static const char *const names[] = { "one.safetensors", "two.safetensors", "model.safetensors.index.json" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_build_filename (dir, names[i], NULL);
    g_remove (path);
  }
  g_rmdir (dir);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/checkpoint/reads", test_reads);
  g_test_add_func ("/checkpoint/refuses", test_refuses);
  g_test_add_func ("/checkpoint/truncated", test_truncated);
  g_test_add_func ("/checkpoint/folder", test_folder);
  return g_test_run ();
}
