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

/* reach: of the neighbourhood, to each side; at most 8, so that sums fit into 16 bits.  The outermost pixels stay. */
PIX *
dp_scan_unsharp (PIX *pix, gint reach, float fraction)
{
  const DpLeptonica *l = dp_leptonica ();
  const gsize side = 2 * (gsize) reach + 1;
  PIX *sharp = l->pixGetWidth (pix) >= (gint) side && l->pixGetHeight (pix) >= (gint) side ? l->pixCopy (NULL, pix) : NULL;

  if (!sharp)
    return NULL;
  const Grey grey = grey_of (pix), out = grey_of (sharp);
  const gsize stride = 4 * grey.wpl, n = (gsize) grey.w + 1 - side;
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
    dp_scan_row_words (row, grey.wpl, out.data + middle * out.wpl);
  }
  return sharp;
}

/* ---- turning --------------------------------------------------------------------------------------------- */

#define ONE 65536 /* of fixed point */

/* Where a row of the turned page comes from: its first pixel, and from one to the next. */
typedef struct {
  gint64 x, y, dx, dy;
} Walk;

/* Bilinear, as the areas of four pixels that one covers. */
static guint8
mix (const guint8 *at, gsize stride, guint xf, guint yf)
{
  const guint above = at[0] * (256 - xf) + at[1] * xf, below = at[stride] * (256 - xf) + at[stride + 1] * xf;

  return (guint8) ((above * (256 - yf) + below * yf + 32768) >> 16);
}

static void
turn_row (const guint8 *bytes, gsize stride, gint w, gint h, Walk walk, guint8 ground, guint8 *out)
{
  const gint64 right = (gint64) (w - 1) * ONE, foot = (gint64) (h - 1) * ONE;

  for (gint x = 0; x < w; x++, walk.x += walk.dx, walk.y += walk.dy) {
    if (walk.x < 0 || walk.y < 0 || walk.x >= right || walk.y >= foot)
      out[x] = ground;
    else
      out[x]
          = mix (bytes + (walk.y >> 16) * (gint64) stride + (walk.x >> 16), stride, (guint) walk.x >> 8 & 255, (guint) walk.y >> 8 & 255);
  }
}

PIX *
dp_scan_turn_a_little (PIX *pix, double angle, guint8 ground)
{
  const DpLeptonica *l = dp_leptonica ();
  const Grey grey = grey_of (pix);
  const gsize stride = 4 * grey.wpl;
  PIX *turned = l->pixCreate (grey.w, grey.h, 8);
  g_autofree guint8 *bytes = turned ? g_try_malloc (stride * (gsize) grey.h) : NULL, *row = g_malloc (stride);

  if (!bytes) {
    l->pixDestroy (&turned);
    return NULL;
  }
  const Grey out = grey_of (turned);
  const double c = cos (angle), s = sin (angle), cx = grey.w / 2, cy = grey.h / 2;
  dp_scan_row_bytes (grey.data, grey.wpl * (gsize) grey.h, bytes);
  memset (row, ground, stride);
  for (gint y = 0; y < grey.h; y++) {
    const double from_x = cx - cx * c + (y - cy) * s, from_y = cy + (y - cy) * c + cx * s;
    const Walk walk = { llround (from_x * ONE), llround (from_y * ONE), llround (c * ONE), llround (-s * ONE) };
    turn_row (bytes, stride, grey.w, grey.h, walk, ground, row);
    dp_scan_row_words (row, out.wpl, out.data + (gsize) y * out.wpl);
  }
  return turned;
}
