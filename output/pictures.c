/* output/pictures.c - crops as PNG files with names that say where they come from. */
#include <png.h>
#include <setjmp.h>
#include <string.h>

#include "output/output.h"

/* ---- pixels ------------------------------------------------------------------------------------- */

/* A pixel of cairo's premultiplied ARGB32 or RGB24, on white. */
static inline void
pixel_on_white (guint32 pixel, gboolean alpha, guint8 rgb[3])
{
  guint32 rest = alpha ? 255 - (pixel >> 24) : 0;

  for (int i = 0; i < 3; i++)
    rgb[i] = (guint8) MIN (((pixel >> (16 - 8 * i)) & 0xff) + rest, 255u);
}

G_DEFINE_QUARK (dp - output - error - quark, dp_output_error)

static gboolean
is_grey (const guint8 *data, int width, int height, int stride, gboolean alpha)
{
  for (int y = 0; y < height; y++) {
    const guint32 *row = (const guint32 *) (const void *) (data + (gsize) y * (gsize) stride);
    for (int x = 0; x < width; x++) {
      guint8 rgb[3];
      pixel_on_white (row[x], alpha, rgb);
      if (rgb[0] != rgb[1] || rgb[1] != rgb[2])
        return FALSE;
    }
  }
  return TRUE;
}

/* The surface as an image surface libpng can be fed from: ARGB32, RGB24 as it is, others repainted. */
static cairo_surface_t *
readable_surface (cairo_surface_t *surface)
{
  cairo_surface_t *copy;
  cairo_format_t format;
  cairo_t *cr;

  if (!surface || cairo_surface_status (surface) != CAIRO_STATUS_SUCCESS || cairo_surface_get_type (surface) != CAIRO_SURFACE_TYPE_IMAGE)
    return NULL;
  format = cairo_image_surface_get_format (surface);
  if (format == CAIRO_FORMAT_ARGB32 || format == CAIRO_FORMAT_RGB24)
    return cairo_surface_reference (surface);
  copy = cairo_image_surface_create (CAIRO_FORMAT_RGB24, cairo_image_surface_get_width (surface), cairo_image_surface_get_height (surface));
  cr = cairo_create (copy);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  if (format == CAIRO_FORMAT_A8 || format == CAIRO_FORMAT_A1) {
    /* how docparse keeps grey pictures: 255 = white */
    cairo_set_source_rgb (cr, 0, 0, 0);
    cairo_paint (cr);
    cairo_set_source_rgb (cr, 1, 1, 1);
    cairo_mask_surface (cr, surface, 0, 0);
  } else {
    cairo_set_source_surface (cr, surface, 0, 0);
    cairo_paint (cr);
  }
  cairo_destroy (cr);
  return copy;
}

/* ---- libpng ---------------------------------------------------------------------------------------- */

static void
png_to_array (png_structp png, png_bytep data, size_t n)
{
  g_byte_array_append (png_get_io_ptr (png), data, (guint) n);
}

static void
png_flush_nothing (png_structp png)
{
  (void) png;
}

static void
png_quiet (png_structp png, png_const_charp message)
{
  (void) png;
  (void) message;
}

static void
png_fail (png_structp png, png_const_charp message)
{
  (void) message;
  longjmp (png_jmpbuf (png), 1);
}

typedef struct {
  const guint8 *data;
  int width, height, stride;
  gboolean alpha, grey;
  double dpi;
  guint8 *line;
} Pixels;

static void
write_rows (png_structp png, const Pixels *pixels)
{
  for (int y = 0; y < pixels->height; y++) {
    const guint32 *row = (const guint32 *) (const void *) (pixels->data + (gsize) y * (gsize) pixels->stride);
    for (int x = 0; x < pixels->width; x++) {
      guint8 rgb[3];
      pixel_on_white (row[x], pixels->alpha, rgb);
      if (pixels->grey)
        pixels->line[x] = rgb[0];
      else
        memcpy (pixels->line + 3 * (gsize) x, rgb, 3);
    }
    png_write_row (png, pixels->line);
  }
}

/* Nothing here may live in a register across the jump: all state is in *pixels and *out. */
static gboolean
encode (const Pixels *pixels, GByteArray *out)
{
  png_structp png = png_create_write_struct (PNG_LIBPNG_VER_STRING, NULL, png_fail, png_quiet);
  png_infop info = png ? png_create_info_struct (png) : NULL;

  if (!info) {
    png_destroy_write_struct (&png, NULL);
    return FALSE;
  }
  if (setjmp (png_jmpbuf (png))) {
    png_destroy_write_struct (&png, &info);
    return FALSE;
  }
  png_set_write_fn (png, out, png_to_array, png_flush_nothing);
  png_set_IHDR (png, info, (png_uint_32) pixels->width, (png_uint_32) pixels->height, 8,
                pixels->grey ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                PNG_FILTER_TYPE_DEFAULT);
  if (pixels->dpi > 0 && pixels->dpi < 100000)
    png_set_pHYs (png, info, (png_uint_32) (pixels->dpi / 0.0254 + 0.5), (png_uint_32) (pixels->dpi / 0.0254 + 0.5), PNG_RESOLUTION_METER);
  png_set_compression_level (png, 6);
  png_write_info (png, info);
  write_rows (png, pixels);
  png_write_end (png, info);
  png_destroy_write_struct (&png, &info);
  return TRUE;
}

GBytes *
dp_picture_png (cairo_surface_t *surface, double dpi, GError **error)
{
  cairo_surface_t *image = readable_surface (surface);
  Pixels pixels = { .dpi = dpi };
  GByteArray *out;
  gboolean ok;
  const guchar *ready = NULL;
  unsigned long ready_length = 0;

  if (surface)
    cairo_surface_get_mime_data (surface, CAIRO_MIME_TYPE_PNG, &ready, &ready_length);
  if (ready) {
    g_clear_pointer (&image, cairo_surface_destroy);
    return g_bytes_new (ready, ready_length);
  }
  if (image) {
    cairo_surface_flush (image);
    pixels.data = cairo_image_surface_get_data (image);
    pixels.width = cairo_image_surface_get_width (image);
    pixels.height = cairo_image_surface_get_height (image);
    pixels.stride = cairo_image_surface_get_stride (image);
    pixels.alpha = cairo_image_surface_get_format (image) == CAIRO_FORMAT_ARGB32;
  }
  if (!pixels.data || pixels.width < 1 || pixels.height < 1) {
    g_clear_pointer (&image, cairo_surface_destroy);
    g_set_error (error, DP_OUTPUT_ERROR, DP_OUTPUT_ERROR_NO_PIXELS, "a picture has no pixels and is left out");
    return NULL;
  }
  pixels.grey = is_grey (pixels.data, pixels.width, pixels.height, pixels.stride, pixels.alpha);
  pixels.line = g_malloc ((gsize) pixels.width * 3);
  out = g_byte_array_new ();
  ok = encode (&pixels, out);
  g_free (pixels.line);
  cairo_surface_destroy (image);
  if (!ok) {
    g_byte_array_unref (out);
    g_set_error (error, DP_OUTPUT_ERROR, DP_OUTPUT_ERROR_WRITE, "a picture of %d x %d pixels could not be written as PNG", pixels.width,
                 pixels.height);
    return NULL;
  }
  return g_byte_array_free_to_bytes (out);
}

/* ---- names ------------------------------------------------------------------------------------------- */

typedef struct {
  DpPictureWrite write;
  gpointer data;
  gboolean release;
  GHashTable *counts; /* page -> pictures so far */
  gboolean failed;
  GError *error;
} Writing;

static const char *
picture_word (DpBlockKind kind)
{
  return kind == DP_BLOCK_PAGE_PICTURE ? "picture" : kind == DP_BLOCK_FORMULA ? "formula" : "figure";
}

static gboolean
write_picture (DpBlock *block, guint depth, gpointer data)
{
  Writing *writing = data;
  g_autoptr (GBytes) png = NULL;
  guint n;

  (void) depth;
  if (!block->crop || !dp_block_is_picture (block))
    return TRUE;
  n = GPOINTER_TO_UINT (g_hash_table_lookup (writing->counts, GUINT_TO_POINTER (block->page))) + 1;
  g_hash_table_insert (writing->counts, GUINT_TO_POINTER (block->page), GUINT_TO_POINTER (n));
  g_clear_pointer (&block->picture, g_free);
  /* a crop that cannot be encoded costs this picture: the writers then print a placeholder */
  png = dp_picture_png (block->crop, block->crop_dpi, NULL);
  if (png) {
    block->picture = g_strdup_printf ("page-%03u-%s-%02u.png", block->page, picture_word (block->kind), n);
    writing->failed
        = !writing->write (block->picture, g_bytes_get_data (png, NULL), g_bytes_get_size (png), writing->data, &writing->error);
    if (writing->failed)
      return FALSE;
  }
  if (writing->release)
    g_clear_pointer (&block->crop, cairo_surface_destroy);
  return TRUE;
}

gboolean
dp_output_pictures (DpDocument *document, DpPictureWrite write, gpointer data, gboolean release, GError **error)
{
  Writing writing = { .write = write, .data = data, .release = release };

  writing.counts = g_hash_table_new (NULL, NULL);
  dp_document_foreach (document, write_picture, &writing);
  g_hash_table_unref (writing.counts);
  if (writing.error)
    g_propagate_error (error, writing.error);
  return !writing.failed;
}
