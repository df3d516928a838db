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

/* ---- twice as large --------------------------------------------------------------------------------------- */

/* Three parts of the nearer row, one of the farther. */
static void
blend_rows (guint16 *restrict out, const guint8 *restrict near, const guint8 *restrict far, gsize n)
{
  for (gsize x = 0; x < n; x++)
    out[x] = (guint16) (3 * near[x] + far[x]);
}

static void
double_row (guint8 *restrict out, const guint16 *restrict row, gsize n)
{
  out[0] = (guint8) ((row[0] + 2) / 4);
  out[2 * n - 1] = (guint8) ((row[n - 1] + 2) / 4);
  for (gsize x = 0; x + 1 < n; x++) {
    out[2 * x + 1] = (guint8) ((3 * row[x] + row[x + 1] + 8) / 16);
    out[2 * x + 2] = (guint8) ((row[x] + 3 * row[x + 1] + 8) / 16);
  }
}

/* Bilinear, each pixel a square of four. */
static cairo_surface_t *
doubled (cairo_surface_t *small)
{
  const Bytes in = bytes_of (small);
  cairo_surface_t *large = cairo_image_surface_create (CAIRO_FORMAT_A8, 2 * in.w, 2 * in.h);

  if (cairo_surface_status (large) != CAIRO_STATUS_SUCCESS)
    return large;
  const Bytes out = bytes_of (large);
  g_autofree guint16 *row = g_new (guint16, in.w);
  for (gint y = 0; y < out.h; y++) {
    const gint near = y / 2, far = CLAMP (y % 2 ? near + 1 : near - 1, 0, in.h - 1);
    blend_rows (row, in.data + (gsize) near * (gsize) in.stride, in.data + (gsize) far * (gsize) in.stride, (gsize) in.w);
    double_row (out.data + (gsize) y * (gsize) out.stride, row, (gsize) in.w);
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

gint
dp_pdf_scan_enlarged (const DpImage *image, DpRect page, double dpi, guint64 most_pixels)
{
  const double scale = dpi / 72, w = ceil (dp_rect_width (page) * scale), h = ceil (dp_rect_height (page) * scale);
  const double shown_w = dp_rect_width (image->box) * scale, shown_h = dp_rect_height (image->box) * scale;

  if (!(w >= 1 && h >= 1 && w <= MOST_SIDE && h <= MOST_SIDE && w * h <= (double) most_pixels))
    return 0;
  for (gint k = 1; k <= 2; k++)
    if (fabs (shown_w - k * (double) image->width) < k * SLACK && fabs (shown_h - k * (double) image->height) < k * SLACK)
      return k;
  return 0;
}

cairo_surface_t *
dp_pdf_scan_lay (cairo_surface_t *pixels, const DpImage *image, DpRect page, double dpi, guint64 most_pixels)
{
  const double scale = dpi / 72;
  const gint w = (gint) ceil (dp_rect_width (page) * scale), h = (gint) ceil (dp_rect_height (page) * scale);
  const gint x = (gint) lround ((image->box.x0 - page.x0) * scale), y = (gint) lround ((image->box.y0 - page.y0) * scale);

  if (dp_pdf_scan_enlarged (image, page, dpi, most_pixels) == 2) {
    cairo_surface_t *large = doubled (pixels);
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
      = dp_pdf_scan_enlarged (image, page, dpi, most_pixels) ? dp_pdf_images_grey (images, image->width, image->height, most_pixels) : NULL;
  cairo_surface_t *laid = pixels ? dp_pdf_scan_lay (pixels, image, page, dpi, most_pixels) : NULL;

  if (laid && cairo_surface_status (laid) != CAIRO_STATUS_SUCCESS)
    g_clear_pointer (&laid, cairo_surface_destroy);
  return laid;
}
