/* pipeline/pdf_scan.c - see pdf_scan.h. */
#include "pipeline/pdf_scan.h"

#include <math.h>
#include <string.h>

#define SLACK 1.5 /* pixels by which an image may be shown larger than it is, over its whole width */
#define MOST_SIDE 32000

gboolean
dp_pdf_scan_is (const DpPageArrays *page, DpImage *image)
{
  if (page->images->len != 1 || page->paths->len || page->glyphs->len || page->n_painted || page->n_truncated || page->rotation)
    return FALSE;
  *image = g_array_index (page->images, DpImage, 0);
  return image->flags == DP_IMAGE_STORED && image->width && image->height;
}

/* A surface as bytes. */
typedef struct {
  guint8 *data;
  gint stride, w, h;
} Bytes;

static Bytes
bytes_of (cairo_surface_t *surface)
{
  cairo_surface_flush (surface);
  return (Bytes){ cairo_image_surface_get_data (surface), cairo_image_surface_get_stride (surface), cairo_image_surface_get_width (surface),
                  cairo_image_surface_get_height (surface) };
}

/* ---- larger ------------------------------------------------------------------------------------------------ */

#define PARTS 16 /* of a pixel: two blends fit into 16 bits */

/* Where a pixel of the larger picture comes from: between the middles of two. */
typedef struct {
  gint first, second;
  guint16 part; /* of the second */
} From;

static From *
positions (gint from, gint to)
{
  From *table = g_new (From, to);

  for (gint i = 0; i < to; i++) {
    const gint at = (gint) floor (((i + 0.5) * from / to - 0.5) * PARTS + 0.5); /* in parts; below 0 at the edge */
    const gint whole = (at + PARTS) / PARTS - 1;
    table[i] = (From){ CLAMP (whole, 0, from - 1), CLAMP (whole + 1, 0, from - 1), (guint16) (at - whole * PARTS) };
  }
  return table;
}

static void
blend_rows (guint16 *restrict out, const guint8 *restrict above, const guint8 *restrict below, guint16 part, gsize n)
{
  for (gsize x = 0; x < n; x++)
    out[x] = (guint16) ((PARTS - part) * above[x] + part * below[x]);
}

static void
blend_columns (guint8 *restrict out, const guint16 *restrict row, const From *restrict from, gint n)
{
  for (gint x = 0; x < n; x++)
    out[x] = (guint8) ((row[from[x].first] * (PARTS - from[x].part) + row[from[x].second] * from[x].part + PARTS * PARTS / 2)
                       / (PARTS * PARTS));
}

/* Bilinear. */
static cairo_surface_t *
enlarged (cairo_surface_t *small, gint w, gint h)
{
  const Bytes in = bytes_of (small);
  cairo_surface_t *large = cairo_image_surface_create (CAIRO_FORMAT_A8, w, h);

  if (cairo_surface_status (large) != CAIRO_STATUS_SUCCESS)
    return large;
  const Bytes out = bytes_of (large);
  g_autofree guint16 *row = g_new (guint16, in.w);
  g_autofree From *across = positions (in.w, w), *down = positions (in.h, h);
  for (gint y = 0; y < h; y++) {
    blend_rows (row, in.data + (gsize) down[y].first * (gsize) in.stride, in.data + (gsize) down[y].second * (gsize) in.stride,
                down[y].part, (gsize) in.w);
    blend_columns (out.data + (gsize) y * (gsize) out.stride, row, across, w);
  }
  cairo_surface_mark_dirty (large);
  return large;
}

/* ---- on the page ------------------------------------------------------------------------------------------ */

/* The image laid on white paper, its corner at x, y. */
static cairo_surface_t *
laid_down (cairo_surface_t *image, gint x, gint y, gint w, gint h)
{
  cairo_surface_t *page = cairo_image_surface_create (CAIRO_FORMAT_A8, w, h);

  if (cairo_surface_status (page) != CAIRO_STATUS_SUCCESS)
    return page;
  const Bytes in = bytes_of (image), out = bytes_of (page);
  const gint x0 = MAX (x, 0), x1 = MIN (x + in.w, w);
  for (gint row = 0; row < h; row++) {
    guint8 *to = out.data + (gsize) row * (gsize) out.stride;
    const gint from = row - y;
    if (from < 0 || from >= in.h || x1 <= x0) {
      memset (to, 255, (gsize) w);
      continue;
    }
    memset (to, 255, (gsize) x0);
    memcpy (to + x0, in.data + (gsize) from * (gsize) in.stride + (x0 - x), (gsize) (x1 - x0));
    memset (to + x1, 255, (gsize) (w - x1));
  }
  cairo_surface_mark_dirty (page);
  return page;
}

/* How long a side of the image is on the page, whole pixels: as stored, or up to twice that; 0: shorter or longer. */
static gint
shown_side (double shown, guint32 stored)
{
  if (fabs (shown - stored) < SLACK)
    return (gint) stored;
  return shown > stored && shown < 2 * (double) stored + SLACK ? (gint) lround (shown) : 0;
}

static gboolean
shown_size (const DpImage *image, double scale, gint *w, gint *h)
{
  *w = shown_side (dp_rect_width (image->box) * scale, image->width);
  *h = shown_side (dp_rect_height (image->box) * scale, image->height);
  return *w > 0 && *h > 0;
}

gboolean
dp_pdf_scan_fits (const DpImage *image, DpRect page, double dpi, guint64 most_pixels)
{
  const double w = ceil (dp_rect_width (page) * dpi / 72), h = ceil (dp_rect_height (page) * dpi / 72);
  gint shown_w, shown_h;

  return w >= 1 && h >= 1 && w <= MOST_SIDE && h <= MOST_SIDE && w * h <= (double) most_pixels
         && shown_size (image, dpi / 72, &shown_w, &shown_h) && shown_w <= MOST_SIDE && shown_h <= MOST_SIDE
         && (guint64) shown_w * (guint64) shown_h <= most_pixels;
}

cairo_surface_t *
dp_pdf_scan_lay (cairo_surface_t *pixels, const DpImage *image, DpRect page, double dpi)
{
  const double scale = dpi / 72;
  const gint w = (gint) ceil (dp_rect_width (page) * scale), h = (gint) ceil (dp_rect_height (page) * scale);
  const gint x = (gint) lround ((image->box.x0 - page.x0) * scale), y = (gint) lround ((image->box.y0 - page.y0) * scale);
  gint shown_w, shown_h;

  if (cairo_surface_status (pixels) == CAIRO_STATUS_SUCCESS && shown_size (image, scale, &shown_w, &shown_h)
      && (shown_w != (gint) image->width || shown_h != (gint) image->height)) {
    cairo_surface_t *large = enlarged (pixels, shown_w, shown_h);
    cairo_surface_destroy (pixels);
    pixels = large;
  }
  if (cairo_surface_status (pixels) != CAIRO_STATUS_SUCCESS)
    return pixels;
  if (x == 0 && y == 0 && cairo_image_surface_get_width (pixels) == w && cairo_image_surface_get_height (pixels) == h)
    return pixels;
  cairo_surface_t *laid = laid_down (pixels, x, y, w, h);
  cairo_surface_destroy (pixels);
  return laid;
}

cairo_surface_t *
dp_pdf_scan_render (DpPdfImages *images, const DpImage *image, DpRect page, double dpi, guint64 most_pixels)
{
  cairo_surface_t *pixels
      = dp_pdf_scan_fits (image, page, dpi, most_pixels) ? dp_pdf_images_grey (images, image->width, image->height, most_pixels) : NULL;
  cairo_surface_t *laid = pixels ? dp_pdf_scan_lay (pixels, image, page, dpi) : NULL;

  if (laid && cairo_surface_status (laid) != CAIRO_STATUS_SUCCESS)
    g_clear_pointer (&laid, cairo_surface_destroy);
  return laid;
}
