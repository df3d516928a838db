/* pipeline/image_png.c - see image_png.h. */
#include "pipeline/image_png.h"

#include <stdlib.h>

static void
add_above (guint8 *restrict row, const guint8 *restrict above, gsize n)
{
  for (gsize i = 0; i < n; i++)
    row[i] = (guint8) (row[i] + above[i]);
}

static guint8
paeth (gint left, gint up, gint corner)
{
  const gint a = abs (up - corner), b = abs (left - corner), c = abs (left + up - 2 * corner);

  return (guint8) (a <= b && a <= c ? left : b <= c ? up : corner);
}

void
dp_png_unfilter (guint8 kind, guint8 *row, const guint8 *above, gsize n, gsize bytes)
{
  const gsize first = MIN (n, bytes); /* nothing to their left */

  switch (kind) {
  case 1:
    for (gsize i = bytes; i < n; i++)
      row[i] = (guint8) (row[i] + row[i - bytes]);
    break;
  case 2: add_above (row, above, n); break;
  case 3:
    for (gsize i = 0; i < first; i++)
      row[i] = (guint8) (row[i] + above[i] / 2);
    for (gsize i = bytes; i < n; i++)
      row[i] = (guint8) (row[i] + (row[i - bytes] + above[i]) / 2);
    break;
  case 4:
    add_above (row, above, first);
    for (gsize i = bytes; i < n; i++)
      row[i] = (guint8) (row[i] + paeth (row[i - bytes], above[i], above[i - bytes]));
    break;
  default: break;
  }
}
