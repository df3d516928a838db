/* tests/fuzz/fuzz_ranges.c - any text as page ranges: pages come ascending, once, and exist. */
#include "pipeline/ranges.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  const guint n_pages = size > 0 ? data[0] : 0;
  g_autofree char *text = size > 0 ? g_strndup ((const char *) data + 1, size - 1) : g_strdup ("");
  g_autoptr (DpRanges) ranges = dp_ranges_parse (text, NULL);
  g_autoptr (GArray) pages = ranges ? dp_ranges_pages (ranges, n_pages, NULL) : NULL;

  for (guint i = 0; pages && i < pages->len; i++) {
    const guint page = g_array_index (pages, guint, i);
    if (page < 1 || page > n_pages || (i && g_array_index (pages, guint, i - 1) >= page))
      abort ();
  }
  return 0;
}
