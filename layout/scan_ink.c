/* layout/scan_ink.c - the clean grey page to ink: one bit a pixel.
 *
 * What is ink is decided tile by tile from the darkest pixel and the noise of the page: the idea of Sauvola and Pietikaeinen (2000),
 * whose threshold follows the local contrast, at the cost of two passes.  Two thresholds, with hysteresis (Canny 1986): thin
 * strokes of a blurred letter are too faint for the one that keeps specks out, but hang together with those that are not.
 * A row of tiles is taken out of Leptonica's words into bytes in the order of the columns, which compilers make vectors of.
 */
#include "layout/scan_private.h"

#include <stdlib.h>
#include <string.h>

#define TILE DP_SCAN_INK_TILE
#define SAMPLES 4096u
#define MOST_CONTRAST 80.0f
#define FAINT 0.8f /* of that contrast: the thin strokes of a letter that has thick ones */

/* Standard deviation of the ground's noise: from the median difference of neighbours, most of which are ground
 * (the median of |x - y| of two normal values is 0.954 sigma). */
static float
noise_of (const l_uint32 *data, gsize wpl, gint w, gint h)
{
  guint counts[256] = { 0 }, median = 0;

  for (guint i = 0; i < SAMPLES; i++) {
    const gint y = (gint) ((guint64) i * (guint) h / SAMPLES), x = (gint) ((guint64) i * 7919 % (guint) MAX (1, w - 2));
    const l_uint32 *row = data + (gsize) y * wpl;
    counts[abs ((gint) GET_DATA_BYTE (row, x) - (gint) GET_DATA_BYTE (row, x + 2))]++;
  }
  for (guint sum = counts[0]; sum <= SAMPLES / 2; sum += counts[median])
    median++;
  return (float) median / 0.954f;
}

/* The rows of a row of tiles. */
typedef struct {
  gsize width, stride;      /* stride: columns, a whole number of words of ink */
  guint8 *rows;             /* TILE x stride; white behind the page */
  guint8 *darkest;          /* of each column */
  guint8 *surely, *perhaps; /* below these, a pixel of that column is ink for sure, or if it hangs together with such */
} Band;

static gboolean
band_init (Band *band, gint w)
{
  const gsize stride = ((gsize) w + 31) / 32 * 32;

  *band = (Band){ .width = (gsize) w, .stride = stride, .rows = g_try_malloc0 ((TILE + 3) * stride) };
  if (!band->rows)
    return FALSE;
  band->darkest = band->rows + TILE * stride;
  band->surely = band->darkest + stride;
  band->perhaps = band->surely + stride;
  return TRUE;
}

static void
read_row (Band *band, guint row, const l_uint32 *words, gsize wpl)
{
  guint8 *restrict out = band->rows + row * band->stride, *restrict darkest = band->darkest;

  dp_scan_row_bytes (words, wpl, out);
  for (gsize x = 0; x < band->width; x++)
    darkest[x] = MIN (darkest[x], out[x]);
}

/* The contrast of ink in a tile: 0.4 of the way from the ground to its darkest pixel, so that thin faint type counts beside bold
 * black type, but never within the noise. */
static void
set_thresholds (Band *band, float noise)
{
  const float least = MIN (MAX (DP_SCAN_LEAST_CONTRAST, 5 * noise), MOST_CONTRAST);

  for (gsize x0 = 0; x0 < band->width; x0 += TILE) {
    const gsize n = MIN (TILE, band->width - x0);
    guint darkest = DP_SCAN_GROUND;
    for (gsize x = x0; x < x0 + n; x++)
      darkest = MIN (darkest, band->darkest[x]);
    const float contrast = CLAMP (0.42f * (float) (DP_SCAN_GROUND - darkest), least, MOST_CONTRAST);
    memset (band->surely + x0, (guint8) ((float) DP_SCAN_GROUND - contrast), n);
    memset (band->perhaps + x0, (guint8) ((float) DP_SCAN_GROUND - FAINT * contrast), n);
  }
}

/* Eight flags of a byte each, the first one at the lowest address, to the bits of a byte, the first one highest. */
static guint32
pack_flags (const guint8 *flags)
{
  guint64 bytes;

  memcpy (&bytes, flags, sizeof bytes);
  return (guint32) (GUINT64_FROM_LE (bytes) * G_GUINT64_CONSTANT (0x8040201008040201) >> 56);
}

static l_uint32
word_below (const guint8 *v, const guint8 *limit)
{
  guint8 flags[32];

  for (guint i = 0; i < 32; i++)
    flags[i] = v[i] < limit[i];
  return pack_flags (flags) << 24 | pack_flags (flags + 8) << 16 | pack_flags (flags + 16) << 8 | pack_flags (flags + 24);
}

static void
write_rows (const Band *band, guint n_rows, l_uint32 *sure, l_uint32 *faint)
{
  const gsize wpl = band->stride / 32;

  for (gsize row = 0; row < n_rows; row++)
    for (gsize i = 0; i < wpl; i++) {
      const guint8 *v = band->rows + row * band->stride + 32 * i;
      faint[row * wpl + i] = word_below (v, band->perhaps + 32 * i);
      sure[row * wpl + i] = faint[row * wpl + i] ? word_below (v, band->surely + 32 * i) : 0;
    }
}

static gboolean
mark (PIX *grey, PIX *sure, PIX *faint)
{
  const DpLeptonica *l = dp_leptonica ();
  const gint w = l->pixGetWidth (grey), h = l->pixGetHeight (grey);
  const l_uint32 *data = l->pixGetData (grey);
  const gsize wpl = (gsize) l->pixGetWpl (grey), bits_wpl = (gsize) l->pixGetWpl (sure);
  const float noise = noise_of (data, wpl, w, h);
  Band band;

  if (!band_init (&band, w))
    return FALSE;
  for (gint y = 0; y < h; y += TILE) {
    const guint n = (guint) MIN (TILE, h - y);
    memset (band.darkest, 255, band.stride);
    for (guint row = 0; row < n; row++)
      read_row (&band, row, data + ((gsize) y + row) * wpl, wpl);
    set_thresholds (&band, noise);
    write_rows (&band, n, l->pixGetData (sure) + (gsize) y * bits_wpl, l->pixGetData (faint) + (gsize) y * bits_wpl);
  }
  g_free (band.rows);
  return TRUE;
}

PIX *
dp_scan_ink (PIX *grey)
{
  const DpLeptonica *l = dp_leptonica ();
  const gint w = l->pixGetWidth (grey), h = l->pixGetHeight (grey);
  PIX *sure = l->pixCreate (w, h, 1), *faint = l->pixCreate (w, h, 1), *ink = NULL;

  if (sure && faint && mark (grey, sure, faint))
    ink = l->pixSeedfillBinary (NULL, sure, faint, 8);
  l->pixDestroy (&sure);
  l->pixDestroy (&faint);
  return ink;
}
