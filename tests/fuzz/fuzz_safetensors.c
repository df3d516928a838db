/* tests/fuzz/fuzz_safetensors.c - libFuzzer target: any bytes as a checkpoint; what is accepted is read to the last byte.
 *
 *   fuzz_safetensors --seed DIR    writes a small valid file to start from
 */
#include "vlm/checkpoint.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);
int LLVMFuzzerInitialize (int *argc, char ***argv);

static volatile double sink; /* keeps reads alive */

static void
use (const DpCheckpointTensor *t)
{
  guint64 product = 1;

  for (guint i = 0; i < t->n_dims; i++)
    product *= t->shape[i];
  if (product != t->elements || t->size != t->elements * dp_stored_size (t->type) || !*dp_stored_name (t->type))
    abort ();
  for (guint64 i = 0; i < t->elements; i++) {
    float f = 0;
    gint64 whole = 0;
    if (t->type != DP_STORED_I64)
      dp_checkpoint_read_f32 (t, i, 1, &f);
    dp_checkpoint_read_i64 (t, i, 1, &whole);
    sink = f + (double) whole;
  }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autofree guint8 *copy = g_memdup2 (data, size); /* exactly as long */
  g_autoptr (GBytes) bytes = g_bytes_new (copy, size);
  g_autoptr (DpCheckpoint) c = dp_checkpoint_from_bytes ("fuzz", bytes, &error);

  if ((c == NULL) == (error == NULL))
    abort ();
  for (guint i = 0; c && i < dp_checkpoint_n (c); i++) {
    const DpCheckpointTensor *t = dp_checkpoint_nth (c, i);
    if (dp_checkpoint_find (c, t->name) != t)
      abort ();
    use (t);
  }
  return 0;
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  static const char header[] = "{\"__metadata__\":{\"a\":\"b\"},\"w\":{\"dtype\":\"BF16\",\"shape\":[2,2],\"data_offsets\":[0,8]},"
                               "\"n\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[8,16]}}";
  const guint64 length = GUINT64_TO_LE (sizeof header - 1);

  if (*argc != 3 || strcmp ((*argv)[1], "--seed") != 0)
    return 0;
  g_autofree char *path = g_build_filename ((*argv)[2], "seed", NULL);
  GString *s = g_string_new_len ((const char *) &length, 8);
  g_string_append (s, header);
  g_string_append_len (s, "0123456789abcdef", 16);
  const gboolean ok = g_file_set_contents (path, s->str, (gssize) s->len, NULL);
  g_string_free (s, TRUE);
  exit (ok ? 0 : 1);
}
