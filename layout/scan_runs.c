/* layout/scan_runs.c - opening by a long thin brick: of a binary picture, the runs of at least n pixels.
 *
 * Leptonica opens by one copy of the picture for each pixel of the brick.  Doubling needs their logarithm: where the first m pixels
 * from some place on are ink and the m behind d more are, d <= m, the first m + d are (van Herk's and Gil and Werman's observation
 * that a long structuring element is two shorter ones that overlap).  Words are taken as Leptonica keeps them: the leftmost pixel is
 * the highest bit.  What is outside of the picture is no ink.
 */
#include "layout/scan_private.h"

#include <string.h>

/* ---- along rows --------------------------------------------------------------------------------------- */

/* What is ink here and d pixels to the right; behind the row stand words without ink. */
static void
meet_right (l_uint32 *row, gsize wpl, guint d)
{
  const gsize skip = d / 32;
  const guint bit = d % 32;

  for (gsize i = 0; i < wpl; i++)
    row[i] &= bit ? row[i + skip] << bit | row[i + skip + 1] >> (32 - bit) : row[i + skip];
}

/* What is ink here or d pixels to the left; before the row stand words without ink. */
static void
join_left (l_uint32 *row, gsize wpl, guint d)
{
  const gsize skip = d / 32;
  const guint bit = d % 32;

  for (gsize i = wpl; i-- > 0;) {
    const l_uint32 *from = row + i - skip;
    row[i] |= bit ? from[0] >> bit | from[-1] << (32 - bit) : from[0];
  }
}

static void
open_row (l_uint32 *row, gsize wpl, guint n)
{
  for (guint m = 1; m < n; m += MIN (m, n - m))
    meet_right (row, wpl, MIN (m, n - m));
  for (guint m = 1; m < n; m += MIN (m, n - m))
    join_left (row, wpl, MIN (m, n - m));
}

static gboolean
is_empty (const l_uint32 *words, gsize n)
{
  l_uint32 any = 0;

  for (gsize i = 0; i < n; i++)
    any |= words[i];
  return any == 0;
}

static void
open_rows (l_uint32 *data, gsize wpl, gsize h, guint n)
{
  const gsize around = n / 32 + 2;
  g_autofree l_uint32 *wide = g_new0 (l_uint32, wpl + 2 * around);
  l_uint32 *row = wide + around;

  for (gsize y = 0; y < h; y++, data += wpl) {
    if (is_empty (data, wpl))
      continue;
    memcpy (row, data, wpl * sizeof *row);
    open_row (row, wpl, n);
    memcpy (data, row, wpl * sizeof *row);
  }
}

/* ---- along columns -------------------------------------------------------------------------------------- */

static void
meet_rows (l_uint32 *restrict to, const l_uint32 *restrict from, gsize n)
{
  for (gsize i = 0; i < n; i++)
    to[i] &= from[i];
}

static void
join_rows (l_uint32 *restrict to, const l_uint32 *restrict from, gsize n)
{
  for (gsize i = 0; i < n; i++)
    to[i] |= from[i];
}

static void
open_columns (l_uint32 *data, gsize wpl, gsize h, guint n)
{
  if (n > h) {
    memset (data, 0, h * wpl * sizeof *data);
    return;
  }
  for (gsize m = 1; m < n; m += MIN (m, n - m)) {
    const gsize d = MIN (m, n - m);
    for (gsize y = 0; y + d < h; y++)
      meet_rows (data + y * wpl, data + (y + d) * wpl, wpl);
    memset (data + (h - d) * wpl, 0, d * wpl * sizeof *data);
  }
  for (gsize m = 1; m < n; m += MIN (m, n - m)) {
    const gsize d = MIN (m, n - m);
    for (gsize y = h; y-- > d;)
      join_rows (data + y * wpl, data + (y - d) * wpl, wpl);
  }
}

PIX *
dp_scan_long_runs (PIX *ink, gint n, gboolean vertical)
{
  const DpLeptonica *l = dp_leptonica ();
  PIX *runs = n > 0 ? l->pixCopy (NULL, ink) : NULL;

  if (!runs)
    return NULL;
  (vertical ? open_columns : open_rows) (l->pixGetData (runs), (gsize) l->pixGetWpl (runs), (gsize) l->pixGetHeight (runs), (guint) n);
  return runs;
}
