/* tests/fuzz/fuzz_options.c - any arguments (one a line): options or one line of complaint. */
#include "pipeline/options.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);

static void
check (DpOptions *options, const GError *error)
{
  if ((options == NULL) == (error == NULL))
    abort ();
  if (error && !*error->message)
    abort ();
  if (options && !options->help && !options->version && !options->inputs[0])
    abort ();
  dp_options_free (options);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_autofree char *line = g_strconcat ("docparse\n", text, NULL);
  g_auto (GStrv) argv = g_strsplit (line, "\n", 64);
  g_autoptr (GError) convert_error = NULL, inspect_error = NULL;
  DpOptions *convert = dp_options_parse (argv, &convert_error);

  check (convert, convert_error);
  DpOptions *inspect = dp_options_parse_inspect (argv, &inspect_error);
  check (inspect, inspect_error);
  return 0;
}
