/* tests/tools/random_model.c - writes a model folder with random weights, for benches and for tests in shell.
 *
 *   random_model DIR [tiny|mineru]
 */
#include "tests/vlm/random_model.h"

#include <glib/gstdio.h>

int
main (int argc, char **argv)
{
  const RandomModel model = argc > 2 && g_str_equal (argv[2], "mineru") ? RANDOM_MODEL_MINERU : RANDOM_MODEL_TINY;
  g_autoptr (GError) error = NULL;

  if (argc < 2 || argc > 3) {
    fprintf (stderr, "usage: random_model DIR [tiny|mineru]\n");
    return 64;
  }
  if (g_mkdir_with_parents (argv[1], 0777) < 0 || !random_model_write (&model, argv[1], &error)) {
    fprintf (stderr, "random_model: %s\n", error ? error->message : "the folder cannot be made");
    return 74;
  }
  return 0;
}
