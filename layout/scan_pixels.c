/* layout/scan_pixels.c - the heavy work on all pixels of a grey page: dividing by a map, sharpening, turning a little.
 *
 * What Leptonica does pixel by pixel in its words (pixApplyInvBackgroundGrayMap, pixUnsharpMaskingGray, pixRotateAMGray), here on
 * rows of bytes in the order of the columns, which compilers make vectors of; the arithmetic is the same but for rounding.
 */
#include "layout/scan_private.h"

#include <math.h>
#include <string.h>

/* ---- rows --------------------------------------------------------------------------------------------- */

void
dp_scan_row_bytes (const l_uint32 *words, gsize n, guint8 *bytes)
{
  for (gsize i = 0; i < n; i++) {
    const guint32 word = GUINT32_TO_BE (words[i]);
    memcpy (bytes + 4 * i, &word, sizeof word);
  }
}

void
dp_scan_row_words (const guint8 *bytes, gsize n, l_uint32 *words)
{
  for (gsize i = 0; i < n; i++) {
    guint32 word;
    memcpy (&word, bytes + 4 * i, sizeof word);
    words[i] = GUINT32_FROM_BE (word);
  }
}

/* A grey PIX as rows. */
typedef struct {
  l_uint32 *data;
  gsize wpl;
  gint w, h;
} Grey;

static Grey
grey_of (PIX *pix)
{
  const DpLeptonica *l = dp_leptonica ();

  return (Grey){ l->pixGetData (pix), (gsize) l->pixGetWpl (pix), l->pixGetWidth (pix), l->pixGetHeight (pix) };
}

/* ---- dividing -------------------------------------------------------------------------------------------- */

/* Each tile's factor, for its columns. */
static void
spread_factors (const l_uint32 *factors, gint n_tiles, gint tile, gint w, guint16 *spread)
{
  for (gint i = 0; i < n_tiles; i++)
    for (gint x = i * tile; x < MIN (w, (i + 1) * tile); x++)
      spread[x] = (guint16) GET_DATA_TWO_BYTES (factors, i);
}

static void
multiply_row (guint8 *restrict v, const guint16 *restrict factor, gsize n)
{
  for (gsize x = 0; x < n; x++) {
    const guint16 product = (guint16) ((guint32) (guint16) (v[x] << 8) * factor[x] >> 16);
    v[x] = (guint8) MIN (product, 255);
  }
}

void
dp_scan_multiply (PIX *pix, PIX *factors, gint tile)
{
  const Grey grey = grey_of (pix), map = grey_of (factors);
  g_autofree guint8 *row = g_malloc (4 * grey.wpl);
  g_autofree guint16 *spread = g_new0 (guint16, 4 * grey.wpl);

  for (gint y = 0; y < grey.h; y++) {
    l_uint32 *words = grey.data + (gsize) y * grey.wpl;
    if (y % tile == 0)
      spread_factors (map.data + (gsize) MIN (y / tile, map.h - 1) * map.wpl, map.w, tile, grey.w, spread);
    dp_scan_row_bytes (words, grey.wpl, row);
    multiply_row (row, spread, (gsize) grey.w);
    dp_scan_row_words (row, grey.wpl, words);
  }
}

PIX *
dp_scan_every_second (PIX *pix)
{
  const Grey grey = grey_of (pix);
  PIX *half = dp_leptonica ()->pixCreate (grey.w / 2, grey.h / 2, 8);

  if (!half)
    return NULL;
  const Grey out = grey_of (half);
  g_autofree guint8 *row = g_malloc (4 * grey.wpl + 8);
  for (gint y = 0; y < out.h; y++) {
    dp_scan_row_bytes (grey.data + 2 * (gsize) y * grey.wpl, grey.wpl, row);
    for (gint x = 0; x < out.w; x++)
      row[x] = row[2 * x];
    dp_scan_row_words (row, out.wpl, out.data + (gsize) y * out.wpl);
  }
  return half;
}

/* ---- sharpening ------------------------------------------------------------------------------------------ */

static void
add_row (guint16 *restrict sums, const guint8 *restrict row, gsize n)
{
  for (gsize x = 0; x < n; x++)
    sums[x] = (guint16) (sums[x] + row[x]);
}

static void
take_row (guint16 *restrict sums, const guint8 *restrict row, gsize n)
{
  for (gsize x = 0; x < n; x++)
    sums[x] = (guint16) (sums[x] - row[x]);
}

/* Sums over side columns: sums[x] from columns[x] to columns[x + side - 1]. */
static void
add_columns (guint16 *restrict sums, const guint16 *restrict columns, gsize n, gsize side)
{
  memcpy (sums, columns, n * sizeof *sums);
  for (gsize k = 1; k < side; k++)
    for (gsize x = 0; x < n; x++)
      sums[x] = (guint16) (sums[x] + columns[x + k]);
}

static void
sharpen_row (guint8 *restrict out, const guint8 *restrict v, const guint16 *restrict sums, gsize n, float fraction, float area)
{
  const float own = 1 + fraction, around = fraction / area;

  for (gsize x = 0; x < n; x++) {
    const float sharp = own * (float) v[x] - around * (float) sums[x];
    out[x] = (guint8) (gint) CLAMP (sharp, 0, 255);
  }
}

/* In place: the ring keeps the rows as they were.  reach: of the neighbourhood, to each side; at most 8, so that sums fit into 16
 * bits.  The outermost pixels stay. */
gboolean
dp_scan_unsharp (PIX *pix, gint reach, float fraction)
{
  const Grey grey = grey_of (pix);
  const gsize side = 2 * (gsize) reach + 1, stride = 4 * grey.wpl;

  if (grey.w < (gint) side || grey.h < (gint) side)
    return FALSE;
  const gsize n = (gsize) grey.w + 1 - side;
  g_autofree guint8 *ring = g_malloc (side * stride), *row = g_malloc (stride);
  g_autofree guint16 *columns = g_new0 (guint16, stride), *sums = g_new (guint16, stride);
  for (gsize y = 0; y < (gsize) grey.h; y++) {
    guint8 *slot = ring + y % side * stride;
    if (y >= side)
      take_row (columns, slot, stride);
    dp_scan_row_bytes (grey.data + y * grey.wpl, grey.wpl, slot);
    add_row (columns, slot, stride);
    if (y + 1 < side)
      continue;
    const gsize middle = y - (gsize) reach;
    const guint8 *own = ring + middle % side * stride;
    memcpy (row, own, stride);
    add_columns (sums, columns, n, side);
    sharpen_row (row + reach, own + reach, sums, n, fraction, (float) (side * side));
    dp_scan_row_words (row, grey.wpl, grey.data + middle * grey.wpl);
  }
  return TRUE;
}

/* ---- turning --------------------------------------------------------------------------------------------- */

#define ONE 65536 /* of fixed point */

/* Where a row of the turned page comes from: its first pixel, and from one to the next. */
typedef struct {
  gint64 x, y, dx, dy;
} Walk;

/* n pixels that come from one row of pixels and the one below, one beside the other.  Bilinear, by the areas of the four pixels
 * that one covers, in sixteenths of a side: sums of 16 bits.  x, y: fractions of the first, below ONE for all. */
static void
mix_run (const guint8 *restrict above, const guint8 *restrict below, guint8 *restrict out, gint n, gint32 x, gint32 dx, gint32 y, gint32 dy)
{
  for (gint i = 0; i < n; i++) {
    const guint16 fx = (guint16) ((x + i * dx) >> 12), fy = (guint16) ((y + i * dy) >> 12);
    const guint16 up = (guint16) (above[i] * (16 - fx) + above[i + 1] * fx), down = (guint16) (below[i] * (16 - fx) + below[i + 1] * fx);
    out[i] = (guint8) ((guint16) (up * (16 - fy) + down * fy + 128) >> 8);
  }
}

/* How many steps from the fraction at on stay below ONE and not below 0. */
static gint
steps (gint64 at, gint64 step, gint most)
{
  if (step > 0)
    return (gint) MIN (most, (ONE - 1 - at) / step + 1);
  return step < 0 ? (gint) MIN (most, at / -step + 1) : most;
}

static void
turn_row (const guint8 *bytes, gsize stride, gint w, gint h, Walk walk, guint8 ground, guint8 *out)
{
  const gint64 right = (gint64) (w - 1) * ONE, foot = (gint64) (h - 1) * ONE;

  for (gint x = 0, n; x < w; x += n, walk.x += n * walk.dx, walk.y += n * walk.dy) {
    if (walk.x < 0 || walk.y < 0 || walk.x >= right || walk.y >= foot) {
      out[x] = ground;
      n = 1;
      continue;
    }
    const gint64 left = walk.x / ONE, top = walk.y / ONE, fx = walk.x % ONE, fy = walk.y % ONE;
    const guint8 *above = bytes + top * (gint64) stride + left;
    n = steps (fx, walk.dx - ONE, steps (fy, walk.dy, MIN (w - x, (gint) (w - 1 - left))));
    mix_run (above, above + stride, out + x, n, (gint32) fx, (gint32) (walk.dx - ONE), (gint32) fy, (gint32) walk.dy);
  }
}

PIX *
dp_scan_turn_a_little (PIX *pix, double angle, guint8 ground)
{
  const DpLeptonica *l = dp_leptonica ();
  const Grey grey = grey_of (pix);
  const gsize stride = 4 * grey.wpl;
  PIX *turned = l->pixCreate (grey.w, grey.h, 8);
  g_autofree guint8 *row = g_malloc (stride);

  if (!turned)
    return pix;
  const Grey out = grey_of (turned);
  const double c = cos (angle), s = sin (angle), cx = grey.w / 2, cy = grey.h / 2;
  guint8 *bytes = (guint8 *) grey.data; /* it is not needed any more as it was */
  dp_scan_row_bytes (grey.data, grey.wpl * (gsize) grey.h, bytes);
  memset (row, ground, stride);
  for (gint y = 0; y < grey.h; y++) {
    const double from_x = cx - cx * c + (y - cy) * s, from_y = cy + (y - cy) * c + cx * s;
    const Walk walk = { llround (from_x * ONE), llround (from_y * ONE), llround (c * ONE), llround (-s * ONE) };
    turn_row (bytes, stride, grey.w, grey.h, walk, ground, row);
    dp_scan_row_words (row, out.wpl, out.data + (gsize) y * out.wpl);
  }
  l->pixDestroy (&pix);
  return turned;
}
