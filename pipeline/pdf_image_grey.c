/* pipeline/pdf_image_grey.c - the luminance of a plain image of a PDF, from its stored bytes; see pdf_images.h. */
#include "pipeline/image_jpeg.h"
#include "pipeline/image_png.h"
#include "pipeline/pdf_images_private.h"

#include <string.h>

#define MOST_DEFLATED 1032 /* bytes that one byte of a deflated stream can make (RFC 1951: 258 for two bits) */

/* ---- FlateDecode ------------------------------------------------------------------------------------------ */

static void
grey_of_bits (const guint8 *row, guint width, guint8 *out)
{
  for (guint x = 0; x < width; x++)
    out[x] = row[x / 8] & (128u >> x % 8) ? 255 : 0;
}

/* As dp_surface_to_grey(): ITU-R BT.601. */
static void
grey_of_rgb (const guint8 *row, guint width, guint8 *out)
{
  for (guint x = 0; x < width; x++)
    out[x] = (guint8) ((row[3 * x] * 299u + row[3 * x + 1] * 587u + row[3 * x + 2] * 114u + 500) / 1000);
}

static void
grey_of_row (const DpPdfPlain *image, const guint8 *row, guint8 *out)
{
  if (image->bits == 1)
    grey_of_bits (row, image->width, out);
  else if (image->components == 3)
    grey_of_rgb (row, image->width, out);
  else
    memcpy (out, row, image->width);
}

/* FALSE if the stream ends before the image does. */
static gboolean
fill_from_flate (const DpPdfPlain *image, guint8 *out, gsize out_stride)
{
  const gsize pixel = MAX (1, image->components * image->bits / 8), head = image->predicted ? 1 : 0;
  const gsize n = ((gsize) image->width * image->components * image->bits + 7) / 8, stride = n + head;
  if ((gsize) (image->data.end - image->data.p) < stride * image->height / MOST_DEFLATED)
    return FALSE;
  g_autoptr (GByteArray) bytes = g_byte_array_sized_new ((guint) (stride * image->height));
  g_autofree guint8 *zero = g_malloc0 (n);
  const guint8 *above = zero;
  dp_pdf_inflate (image->data, stride * image->height, bytes);
  if (bytes->len < stride * image->height)
    return FALSE;
  for (guint y = 0; y < image->height; y++) {
    guint8 *row = bytes->data + y * stride + head;
    if (image->predicted)
      dp_png_unfilter (row[-1], row, above, n, pixel);
    above = row;
    grey_of_row (image, row, out + y * out_stride);
  }
  return TRUE;
}

/* ---- DCTDecode -------------------------------------------------------------------------------------------- */

typedef struct {
  const DpPdfPlain *image;
  guint8 *out;
  gsize stride;
  gboolean fits; /* the JPEG has the size that the dictionary says */
  guint n_rows;
} Filling;

static void
begin (gpointer data, guint width, guint height)
{
  Filling *f = data;

  f->fits = width == f->image->width && height == f->image->height;
}

static void
take_row (gpointer data, guint row, const guint8 *grey)
{
  Filling *f = data;

  if (!f->fits)
    return;
  memcpy (f->out + row * f->stride, grey, f->image->width);
  f->n_rows++;
}

static gboolean
fill_from_jpeg (const DpPdfPlain *image, guint8 *out, gsize stride)
{
  Filling f = { .image = image, .out = out, .stride = stride };

  return dp_image_jpeg_grey (image->data.p, (gsize) (image->data.end - image->data.p), (guint64) image->width * image->height, begin,
                             take_row, &f)
         && f.n_rows == image->height;
}

cairo_surface_t *
dp_pdf_images_grey (DpPdfImages *images, guint width, guint height, guint64 most_pixels)
{
  DpPdfPlain image;

  if (width > DP_PDF_IMAGE_MOST_SIDE || height > DP_PDF_IMAGE_MOST_SIDE || (guint64) width * height > most_pixels
      || !dp_pdf_images_plain (images, width, height, &image))
    return NULL;
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_A8, (gint) width, (gint) height);
  if (cairo_surface_status (surface) == CAIRO_STATUS_SUCCESS) {
    guint8 *out = cairo_image_surface_get_data (surface);
    const gsize stride = (gsize) cairo_image_surface_get_stride (surface);
    if ((image.jpeg ? fill_from_jpeg : fill_from_flate) (&image, out, stride)) {
      cairo_surface_mark_dirty (surface);
      return surface;
    }
  }
  cairo_surface_destroy (surface);
  return NULL;
}
