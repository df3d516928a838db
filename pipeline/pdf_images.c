/* pipeline/pdf_images.c - see pdf_images.h. */
#include "pipeline/pdf_images.h"

#include <string.h>

#include "pipeline/image_jpeg.h"
#include "pipeline/image_look.h"
#include "pipeline/image_png.h"
#include "pipeline/pdf_image_colours.h"
#include "pipeline/pdf_images_private.h"

#define BUDGET ((gssize) 64 << 20)     /* bytes of dictionaries looked at */
#define MAX_INFLATED ((gsize) 8 << 20) /* bytes of an image that are looked at */
#define MAX_SIDE 65500u
#define MOST_ALIKE 4u    /* images of one size */
#define ENOUGH_DPI 90.0  /* of a JPEG */
#define PNG_PREDICTOR 10 /* and above (ISO 32000-2, table 10) */

typedef struct {
  guint width, height, mask_width, mask_height;
  gboolean is_mask; /* of another one */
  gboolean plain;   /* painted as it is decoded, but for a soft mask */
  DpPdfText dictionary, mask, data;
} Image;

struct DpPdfImages {
  DpPdfObjects objects;
  GArray *list; /* Image */
};

/* ---- which there are --------------------------------------------------------------------------- */

static gboolean
read_size (DpPdfObjects *objects, DpPdfText dictionary, guint *width, guint *height)
{
  return dp_pdf_objects_integer (objects, dictionary, "/Width", width) && dp_pdf_objects_integer (objects, dictionary, "/Height", height);
}

/* /Decode that changes nothing: from 0 to 1 or, of an index, to 255. */
static gboolean
decodes_as_stored (DpPdfObjects *objects, DpPdfText value)
{
  double low, high;

  if (!dp_pdf_objects_resolve (objects, &value) || !dp_pdf_text_accept (&value, "["))
    return FALSE;
  while (dp_pdf_text_real (&value, &low))
    if (low != 0 || !dp_pdf_text_real (&value, &high) || (high != 1 && high != 255))
      return FALSE;
  return TRUE;
}

/* Whether it is painted as it is decoded, but for a soft mask. */
static gboolean
is_plain (DpPdfObjects *objects, DpPdfText dictionary)
{
  DpPdfText value;

  return !dp_pdf_text_key (objects, dictionary, "/Mask", &value)
         && (!dp_pdf_text_key (objects, dictionary, "/Decode", &value) || decodes_as_stored (objects, value));
}

static void
add_image (DpPdfImages *images, DpPdfText body)
{
  Image image = { .dictionary = body };

  if (!dp_pdf_text_key_is (&images->objects, body, "/Subtype", "/Image") || !read_size (&images->objects, body, &image.width, &image.height)
      || !dp_pdf_objects_stored (&images->objects, body, &image.data))
    return;
  if ((dp_pdf_text_key (&images->objects, body, "/SMask", &image.mask) || dp_pdf_text_key (&images->objects, body, "/Mask", &image.mask))
      && dp_pdf_objects_resolve (&images->objects, &image.mask))
    read_size (&images->objects, image.mask, &image.mask_width, &image.mask_height);
  image.plain = is_plain (&images->objects, body);
  g_array_append_val (images->list, image);
}

static void
mark_masks (GArray *list)
{
  g_autoptr (GHashTable) masks = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < list->len; i++)
    if (g_array_index (list, Image, i).mask_width)
      g_hash_table_add (masks, (gpointer) g_array_index (list, Image, i).mask.p);
  for (guint i = 0; i < list->len; i++)
    g_array_index (list, Image, i).is_mask = g_hash_table_contains (masks, g_array_index (list, Image, i).dictionary.p);
}

DpPdfImages *
dp_pdf_images_read (gconstpointer data, gsize size)
{
  DpPdfImages *images = g_new0 (DpPdfImages, 1);

  dp_pdf_objects_read (&images->objects, data, size, "/Image");
  images->objects.budget = BUDGET;
  images->list = g_array_new (FALSE, FALSE, sizeof (Image));
  for (guint i = 0; i < images->objects.list->len; i++)
    add_image (images, g_array_index (images->objects.list, DpPdfText, i));
  mark_masks (images->list);
  return images;
}

void
dp_pdf_images_free (DpPdfImages *images)
{
  if (!images)
    return;
  dp_pdf_objects_clear (&images->objects);
  g_array_unref (images->list);
  g_free (images);
}

/* ---- filters ----------------------------------------------------------------------------------- */

typedef enum { OTHER, FLATE, JPEG, JPEG_IN_FLATE } Filter;

static gboolean
accept_name (DpPdfText *t, const char *name)
{
  dp_pdf_text_space (t);
  return dp_pdf_text_accept (t, name);
}

static Filter
filter_of (DpPdfImages *images, const Image *image)
{
  DpPdfText value;

  if (!dp_pdf_text_key (&images->objects, image->dictionary, "/Filter", &value) || !dp_pdf_objects_resolve (&images->objects, &value))
    return OTHER;
  const gboolean list = accept_name (&value, "[");
  if (accept_name (&value, "/FlateDecode"))
    return !list || accept_name (&value, "]")                                ? FLATE
           : accept_name (&value, "/DCTDecode") && accept_name (&value, "]") ? JPEG_IN_FLATE
                                                                             : OTHER;
  return accept_name (&value, "/DCTDecode") && (!list || accept_name (&value, "]")) ? JPEG : OTHER;
}

/* ---- rows -------------------------------------------------------------------------------------- */

static gboolean
has_predictor (DpPdfImages *images, const Image *image, guint n, gboolean *known)
{
  DpPdfText parameters;
  guint predictor = 1, columns = 1, components = 1, bits = 8, image_bits = 8;

  *known = TRUE;
  if (!dp_pdf_text_key (&images->objects, image->dictionary, "/DecodeParms", &parameters))
    return FALSE;
  accept_name (&parameters, "[");
  if (!dp_pdf_objects_resolve (&images->objects, &parameters)
      || !dp_pdf_objects_integer (&images->objects, parameters, "/Predictor", &predictor) || predictor == 1)
    return FALSE;
  dp_pdf_objects_integer (&images->objects, parameters, "/Columns", &columns);
  dp_pdf_objects_integer (&images->objects, parameters, "/Colors", &components);
  dp_pdf_objects_integer (&images->objects, parameters, "/BitsPerComponent", &bits);
  dp_pdf_objects_integer (&images->objects, image->dictionary, "/BitsPerComponent", &image_bits);
  *known = predictor >= PNG_PREDICTOR && columns == image->width && components == n && bits == image_bits;
  return TRUE;
}

static void
look_at_rows (DpImageLook *look, GByteArray *bytes, const Image *image, const DpPdfColours *colours, gboolean predicted)
{
  const gsize n = (gsize) image->width * colours->n, stride = n + (predicted ? 1 : 0);
  g_autofree guint8 *rgb = g_malloc (3 * (gsize) image->width), *zero = g_malloc0 (n);
  const guint8 *above = zero;

  for (guint y = 0; y < image->height && (gsize) (y + 1) * stride <= bytes->len; y++) {
    guint8 *row = bytes->data + (gsize) y * stride + (predicted ? 1 : 0);
    if (predicted)
      dp_png_unfilter (row[-1], row, above, n, colours->n);
    above = row;
    if (dp_image_look_wants_row (look))
      dp_pdf_colours_to_rgb (colours, row, image->width, rgb);
    dp_image_look_row (look, rgb);
  }
}

/* NULL if it cannot be read here.  picture: one is wanted. */
static DpImageLook *
look_at_flate (DpPdfImages *images, const Image *image, double dpi, gboolean picture)
{
  g_auto (DpPdfColours) colours = { 0 };
  gboolean known;
  guint bits;

  if (!dp_pdf_objects_integer (&images->objects, image->dictionary, "/BitsPerComponent", &bits) || bits != 8)
    return NULL;
  dp_pdf_colours_read (&images->objects, image->dictionary, &colours);
  const gboolean predicted = has_predictor (images, image, colours.n, &known);
  if (!colours.n || !known)
    return NULL;
  const guint64 size = (guint64) image->height * ((guint64) image->width * colours.n + (predicted ? 1 : 0));
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  dp_pdf_inflate (image->data, (gsize) MIN (size, MAX_INFLATED), bytes);
  DpImageLook *look = dp_image_look_new (image->width, picture && size <= MAX_INFLATED ? image->height : 0, dpi);
  look_at_rows (look, bytes, image, &colours, predicted);
  return look;
}

/* ---- JPEG -------------------------------------------------------------------------------------- */

typedef struct {
  DpImageLook *look;
  double dpi;
  guint width; /* of the whole image */
  gboolean picture;
} JpegLook;

static void
jpeg_begins (gpointer data, guint width, guint height)
{
  JpegLook *look = data;

  look->look = dp_image_look_new (width, look->picture ? height : 0, look->dpi * width / look->width);
}

static void
jpeg_row (gpointer data, guint row, const guint8 *rgb)
{
  JpegLook *look = data;

  (void) row;
  dp_image_look_row (look->look, rgb);
}

static DpImageLook *
look_at_jpeg (const Image *image, DpPdfText data, double dpi, guint64 most_pixels, gboolean picture)
{
  JpegLook look = { .dpi = dpi, .width = image->width, .picture = picture };
  guint reduction = 1;

  while (reduction < 8 && dpi / (2 * reduction) >= ENOUGH_DPI)
    reduction *= 2;
  if (!dp_image_jpeg (data.p, (gsize) (data.end - data.p), reduction, most_pixels, jpeg_begins, jpeg_row, &look))
    g_clear_pointer (&look.look, dp_image_look_free);
  return look.look;
}

/* ---- the look ---------------------------------------------------------------------------------- */

static DpImageLook *
look_at (DpPdfImages *images, const Image *image, double dpi, guint64 most_pixels, gboolean picture)
{
  const Filter filter = filter_of (images, image);

  if (image->width == 0 || image->height == 0 || image->width > MAX_SIDE || image->height > MAX_SIDE
      || (guint64) image->width * image->height > most_pixels || filter == OTHER)
    return NULL;
  if (filter == FLATE)
    return look_at_flate (images, image, dpi, picture);
  if (filter == JPEG)
    return look_at_jpeg (image, image->data, dpi, most_pixels, picture);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  dp_pdf_inflate (image->data, MAX_INFLATED, bytes);
  return look_at_jpeg (image, (DpPdfText){ bytes->data, bytes->data + bytes->len }, dpi, most_pixels, picture);
}

static const Image *
mask_of (const DpPdfImages *images, const Image *image)
{
  for (guint i = 0; i < images->list->len; i++)
    if (g_array_index (images->list, Image, i).dictionary.p == image->mask.p)
      return &g_array_index (images->list, Image, i);
  return NULL;
}

/* Puts a picture of an image on white as far as its mask lets it show; FALSE if the mask cannot be seen at the same resolution. */
static gboolean
put_on_white (DpPdfImages *images, const Image *image, double dpi, guint64 most_pixels, cairo_surface_t *picture)
{
  const Image *mask = mask_of (images, image);
  const int width = cairo_image_surface_get_width (picture), height = cairo_image_surface_get_height (picture);
  g_autoptr (DpImageLook) look = mask && mask->plain ? look_at (images, mask, dpi * mask->width / image->width, most_pixels, TRUE) : NULL;
  cairo_surface_t *alpha = look ? dp_image_look_picture (look) : NULL;
  const gboolean alike = alpha && cairo_image_surface_get_width (alpha) == width && cairo_image_surface_get_height (alpha) == height;

  for (int y = 0; alike && y < height; y++) {
    const guint8 *a = cairo_image_surface_get_data (alpha) + (gsize) y * (gsize) cairo_image_surface_get_stride (alpha);
    guint8 *p = cairo_image_surface_get_data (picture) + (gsize) y * (gsize) cairo_image_surface_get_stride (picture);
    for (int x = 0; x < width; x++)
      p[x] = (guint8) (255 - (255 - p[x]) * a[x] / 255);
  }
  g_clear_pointer (&alpha, cairo_surface_destroy);
  return alike;
}

static cairo_surface_t *
picture_of (DpPdfImages *images, const Image *image, double dpi, guint64 most_pixels, const DpImageLook *look)
{
  cairo_surface_t *picture = dp_image_look_picture (look);

  if (picture && image->mask.p && !put_on_white (images, image, dpi, most_pixels, picture))
    g_clear_pointer (&picture, cairo_surface_destroy);
  return picture;
}

/* ---- the question ------------------------------------------------------------------------------ */

static gboolean
image_may_be_text (DpPdfImages *images, const Image *image, double dpi, guint64 most_pixels, cairo_surface_t **picture)
{
  g_autoptr (DpImageLook) look = look_at (images, image, dpi, most_pixels, picture && image->plain);

  if (!look)
    return TRUE;
  const DpImageColours colours = dp_image_look_colours (look);
  /* Under a mask, what is black may be nothing at all, and the mask hold the text. */
  const gboolean may_be = (image->mask_width && colours.dark) || dp_image_colours_may_be_text (colours);
  if (may_be && picture && image->plain)
    *picture = picture_of (images, image, dpi, most_pixels, look);
  return may_be;
}

static gboolean
has_size (const Image *image, guint width, guint height)
{
  return !image->is_mask
         && ((image->width == width && image->height == height) || (image->mask_width == width && image->mask_height == height));
}

gboolean
dp_pdf_images_is_single (const DpPdfImages *images, guint width, guint height)
{
  guint n = 0;

  for (guint i = 0; i < images->list->len && n < 2; i++)
    n += has_size (&g_array_index (images->list, Image, i), width, height) ? 1 : 0;
  return n == 1;
}

gboolean
dp_pdf_images_may_be_text (DpPdfImages *images, guint width, guint height, double dpi, guint64 most_pixels, cairo_surface_t **picture)
{
  cairo_surface_t **wanted = picture && dp_pdf_images_is_single (images, width, height) ? picture : NULL;
  guint alike = 0;

  if (picture)
    *picture = NULL;
  for (guint i = 0; i < images->list->len && alike <= MOST_ALIKE; i++) {
    const Image *image = &g_array_index (images->list, Image, i);
    if (!has_size (image, width, height))
      continue;
    if (++alike > MOST_ALIKE || image_may_be_text (images, image, dpi, most_pixels, wanted))
      return TRUE;
  }
  return alike == 0;
}

/* ---- plain images ------------------------------------------------------------------------------ */

static gboolean
has_key (DpPdfImages *images, const Image *image, const char *key)
{
  DpPdfText value;

  return dp_pdf_text_key (&images->objects, image->dictionary, key, &value);
}

static gboolean
read_plain (DpPdfImages *images, const Image *image, DpPdfPlain *plain)
{
  const gboolean shown
      = image->plain && !image->mask.p && !has_key (images, image, "/ImageMask") && !has_key (images, image, "/SMaskInData");
  const Filter filter = shown ? filter_of (images, image) : OTHER;
  g_auto (DpPdfColours) colours = { 0 };
  gboolean known = FALSE;

  *plain = (DpPdfPlain){ .width = image->width, .height = image->height, .jpeg = filter == JPEG, .data = image->data };
  if ((filter != FLATE && filter != JPEG)
      || !dp_pdf_objects_integer (&images->objects, image->dictionary, "/BitsPerComponent", &plain->bits))
    return FALSE;
  dp_pdf_colours_read (&images->objects, image->dictionary, &colours);
  plain->components = colours.n;
  if (colours.palette || colours.n == 0 || !(plain->bits == 8 || (plain->bits == 1 && colours.n == 1)))
    return FALSE;
  if (plain->jpeg)
    return !has_key (images, image, "/DecodeParms");
  plain->predicted = has_predictor (images, image, colours.n, &known);
  return known;
}

gboolean
dp_pdf_images_plain (DpPdfImages *images, guint width, guint height, DpPdfPlain *plain)
{
  if (!dp_pdf_images_is_single (images, width, height))
    return FALSE;
  for (guint i = 0; i < images->list->len; i++)
    if (has_size (&g_array_index (images->list, Image, i), width, height))
      return g_array_index (images->list, Image, i).width == width && read_plain (images, &g_array_index (images->list, Image, i), plain);
  return FALSE;
}
