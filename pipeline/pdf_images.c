/* pipeline/pdf_images.c - see pdf_images.h. */
#include "pipeline/pdf_images.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline/image_jpeg.h"
#include "pipeline/image_look.h"
#include "pipeline/pdf_objects.h"

#define BUDGET ((gssize) 64 << 20)     /* bytes of dictionaries looked at */
#define MAX_INFLATED ((gsize) 8 << 20) /* bytes of an image that are looked at */
#define MAX_SIDE 65500u
#define MOST_ALIKE 4u    /* images of one size */
#define ENOUGH_DPI 90.0  /* of a JPEG */
#define PNG_PREDICTOR 10 /* and above (ISO 32000-2, table 10) */

typedef struct {
  guint width, height, mask_width, mask_height;
  gboolean is_mask; /* of another one */
  DpPdfText dictionary, mask, data;
} Image;

struct DpPdfImages {
  DpPdfObjects objects;
  GArray *list; /* Image */
};

/* ---- which there are
 * -------------------------------------------------------------------------------------
 */

static gboolean
read_size (DpPdfObjects *objects, DpPdfText dictionary, guint *width, guint *height)
{
  return dp_pdf_objects_integer (objects, dictionary, "/Width", width) && dp_pdf_objects_integer (objects, dictionary, "/Height", height);
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

/* ---- filters
 * -----------------------------------------------------------------------------------------------
 */

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

/* ---- colours
 * -----------------------------------------------------------------------------------------------
 */

typedef struct {
  guint n;         /* components; 0 = a colour space that is not known here */
  guint8 *palette; /* of an indexed one: 256 colours of three bytes; owned */
} Colours;

/* One byte of a literal string after another; -1 at its end. */
static gint
next_of_string (DpPdfText *t, guint *depth)
{
  static const char escapes[] = "nrtbf", values[] = "\n\r\t\b\f";
  const char *found;

  while (t->p < t->end) {
    const guint8 c = *t->p++;
    if (c == ')' && --*depth == 0)
      return -1;
    *depth += c == '(';
    if (c != '\\' || t->p >= t->end)
      return c;
    const guint8 e = *t->p++;
    if (e >= '0' && e <= '7') {
      guint value = e - '0';
      for (guint i = 0; i < 2 && t->p < t->end && *t->p >= '0' && *t->p <= '7'; i++)
        value = value * 8 + *t->p++ - '0';
      return (gint) (value & 255);
    }
    if (e == '\n')
      continue;
    found = memchr (escapes, e, 5);
    return found ? values[found - escapes] : e;
  }
  return -1;
}

static guint
read_string (DpPdfText t, guint8 *out, guint room)
{
  guint n = 0, depth = 1;

  if (dp_pdf_text_accept (&t, "("))
    for (gint c; n < room && (c = next_of_string (&t, &depth)) >= 0; n++)
      out[n] = (guint8) c;
  else if (dp_pdf_text_accept (&t, "<"))
    for (gint high = -1; t.p < t.end && *t.p != '>' && n < room; t.p++) {
      const gint digit = g_ascii_xdigit_value ((char) *t.p);
      if (digit >= 0 && high >= 0)
        out[n++] = (guint8) (high * 16 + digit);
      high = digit < 0 ? high : high < 0 ? digit : -1;
    }
  return n;
}

/* The table of an indexed colour space, a string or a stream. */
static guint
read_table (DpPdfImages *images, DpPdfText value, guint8 *out, guint room)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  if (!dp_pdf_objects_resolve (&images->objects, &value))
    return 0;
  dp_pdf_text_space (&value);
  if (!dp_pdf_objects_stream (&images->objects, value, room, bytes))
    return read_string (value, out, room);
  if (bytes->len)
    memcpy (out, bytes->data, bytes->len);
  return bytes->len;
}

static guint
components_of (DpPdfImages *images, DpPdfText *space)
{
  DpPdfText profile;
  guint n = 0;

  if (!dp_pdf_objects_resolve (&images->objects, space))
    return 0;
  if (accept_name (space, "/DeviceGray"))
    return 1;
  if (accept_name (space, "/DeviceRGB"))
    return 3;
  if (!accept_name (space, "["))
    return 0;
  if (accept_name (space, "/CalGray"))
    return 1;
  if (accept_name (space, "/CalRGB"))
    return 3;
  if (accept_name (space, "/ICCBased")) {
    profile = *space;
    if (dp_pdf_objects_resolve (&images->objects, &profile) && dp_pdf_objects_integer (&images->objects, profile, "/N", &n))
      return n == 1 || n == 3 ? n : 0;
  }
  return 0;
}

/* [/Indexed base highest table], with the array open and its name read. */
static gboolean
read_palette (DpPdfImages *images, DpPdfText space, Colours *colours)
{
  guint8 table[3 * 256] = { 0 };
  DpPdfText base = space;
  guint number;
  double highest;

  const guint n = components_of (images, &base);
  if (n == 0)
    return FALSE;
  dp_pdf_text_space (&space); /* past the base: a reference, a name, or an array */
  if (!dp_pdf_text_reference (&space, &number) && !dp_pdf_text_skip (&space))
    return FALSE;
  if (!dp_pdf_text_real (&space, &highest))
    return FALSE;
  const guint got = read_table (images, space, table, n * 256) / n;
  if (got == 0)
    return FALSE;
  colours->n = 1;
  colours->palette = g_new0 (guint8, 3 * 256);
  for (guint i = 0; i < got; i++)
    for (guint c = 0; c < 3; c++)
      colours->palette[3 * i + c] = table[n * i + (n == 3 ? c : 0)];
  return TRUE;
}

static Colours
colours_of (DpPdfImages *images, const Image *image)
{
  Colours colours = { 0 };
  DpPdfText space, indexed;

  if (!dp_pdf_text_key (&images->objects, image->dictionary, "/ColorSpace", &space))
    return colours;
  indexed = space;
  if (dp_pdf_objects_resolve (&images->objects, &indexed) && accept_name (&indexed, "[") && accept_name (&indexed, "/Indexed"))
    read_palette (images, indexed, &colours);
  else
    colours.n = components_of (images, &space);
  return colours;
}

/* Under a mask, what is black may be nothing at all, and the mask hold the
 * text. */
static gboolean
verdict (DpImageLook *look, const Image *image)
{
  const DpImageColours colours = dp_image_look_colours (look);

  return (image->mask_width && colours.dark) || dp_image_colours_may_be_text (colours);
}

/* ---- rows
 * --------------------------------------------------------------------------------------------------
 */

/* Takes back what a PNG predictor did to a row of n bytes (ISO
 * 32000-2, 7.4.4.4; PNG specification, 9.2). */
static void
unfilter (guint8 kind, guint8 *row, const guint8 *above, gsize n, guint bytes)
{
  for (gsize i = 0; i < n; i++) {
    const gint left = i >= bytes ? row[i - bytes] : 0, up = above[i], corner = i >= bytes ? above[i - bytes] : 0;
    gint guess = 0;
    switch (kind) {
    case 1: guess = left; break;
    case 2: guess = up; break;
    case 3: guess = (left + up) / 2; break;
    case 4: {
      const gint a = abs (up - corner), b = abs (left - corner), c = abs (left + up - 2 * corner);
      guess = a <= b && a <= c ? left : b <= c ? up : corner;
      break;
    }
    default: return;
    }
    row[i] = (guint8) (row[i] + guess);
  }
}

static void
to_rgb (const Colours *colours, const guint8 *row, guint width, guint8 *rgb)
{
  if (colours->n == 3) {
    memcpy (rgb, row, 3 * (gsize) width);
    return;
  }
  for (guint x = 0; x < width; x++)
    for (guint c = 0; c < 3; c++)
      rgb[3 * x + c] = colours->palette ? colours->palette[3 * row[x] + c] : row[x];
}

static gboolean
has_predictor (DpPdfImages *images, const Image *image, guint n, gboolean *known)
{
  DpPdfText parameters;
  guint predictor = 1, columns = 1, components = 1;

  *known = TRUE;
  if (!dp_pdf_text_key (&images->objects, image->dictionary, "/DecodeParms", &parameters))
    return FALSE;
  accept_name (&parameters, "[");
  if (!dp_pdf_objects_resolve (&images->objects, &parameters)
      || !dp_pdf_objects_integer (&images->objects, parameters, "/Predictor", &predictor) || predictor == 1)
    return FALSE;
  dp_pdf_objects_integer (&images->objects, parameters, "/Columns", &columns);
  dp_pdf_objects_integer (&images->objects, parameters, "/Colors", &components);
  *known = predictor >= PNG_PREDICTOR && columns == image->width && components == n;
  return TRUE;
}

static void
look_at_rows (DpImageLook *look, GByteArray *bytes, const Image *image, const Colours *colours, gboolean predicted)
{
  const gsize n = (gsize) image->width * colours->n, stride = n + (predicted ? 1 : 0);
  g_autofree guint8 *rgb = g_malloc (3 * (gsize) image->width), *zero = g_malloc0 (n);
  const guint8 *above = zero;

  for (guint y = 0; y < image->height && (gsize) (y + 1) * stride <= bytes->len; y++) {
    guint8 *row = bytes->data + (gsize) y * stride + (predicted ? 1 : 0);
    if (predicted)
      unfilter (row[-1], row, above, n, colours->n);
    above = row;
    if (y % dp_image_look_step (look))
      continue;
    to_rgb (colours, row, image->width, rgb);
    dp_image_look_row (look, rgb);
  }
}

static gboolean
flate_may_be_text (DpPdfImages *images, const Image *image, double dpi)
{
  g_autoptr (DpImageLook) look = NULL;
  gboolean known, may_be = TRUE;
  guint bits;

  if (!dp_pdf_objects_integer (&images->objects, image->dictionary, "/BitsPerComponent", &bits) || bits != 8)
    return TRUE;
  const Colours colours = colours_of (images, image);
  const gboolean predicted = has_predictor (images, image, colours.n, &known);
  if (colours.n && known) {
    const guint64 size = (guint64) image->height * ((guint64) image->width * colours.n + (predicted ? 1 : 0));
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    dp_pdf_inflate (image->data, (gsize) MIN (size, MAX_INFLATED), bytes);
    look = dp_image_look_new (image->width, dpi);
    look_at_rows (look, bytes, image, &colours, predicted);
    may_be = verdict (look, image);
  }
  g_free (colours.palette);
  return may_be;
}

/* ---- JPEG
 * --------------------------------------------------------------------------------------------------
 */

typedef struct {
  DpImageLook *look;
  double dpi;
  guint width; /* of the whole image */
} JpegLook;

static void
jpeg_begins (gpointer data, guint width, guint height)
{
  JpegLook *look = data;

  (void) height;
  look->look = dp_image_look_new (width, look->dpi * width / look->width);
}

static void
jpeg_row (gpointer data, guint row, const guint8 *rgb)
{
  JpegLook *look = data;

  if (row % dp_image_look_step (look->look) == 0)
    dp_image_look_row (look->look, rgb);
}

static gboolean
jpeg_may_be_text (const Image *image, DpPdfText data, double dpi, guint64 most_pixels)
{
  JpegLook look = { .dpi = dpi, .width = image->width };
  guint reduction = 1;
  gboolean may_be = TRUE;

  while (reduction < 8 && dpi / (2 * reduction) >= ENOUGH_DPI)
    reduction *= 2;
  if (dp_image_jpeg (data.p, (gsize) (data.end - data.p), reduction, most_pixels, jpeg_begins, jpeg_row, &look))
    may_be = verdict (look.look, image);
  dp_image_look_free (look.look);
  return may_be;
}

/* ---- the question
 * --------------------------------------------------------------------------------------------
 */

static gboolean
image_may_be_text (DpPdfImages *images, const Image *image, double dpi, guint64 most_pixels)
{
  const Filter filter = filter_of (images, image);

  if (image->width == 0 || image->height == 0 || image->width > MAX_SIDE || image->height > MAX_SIDE
      || (guint64) image->width * image->height > most_pixels)
    return TRUE;
  if (filter == FLATE)
    return flate_may_be_text (images, image, dpi);
  if (filter == JPEG)
    return jpeg_may_be_text (image, image->data, dpi, most_pixels);
  if (filter == OTHER)
    return TRUE;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  dp_pdf_inflate (image->data, MAX_INFLATED, bytes);
  return jpeg_may_be_text (image, (DpPdfText){ bytes->data, bytes->data + bytes->len }, dpi, most_pixels);
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
dp_pdf_images_may_be_text (DpPdfImages *images, guint width, guint height, double dpi, guint64 most_pixels)
{
  guint alike = 0;

  for (guint i = 0; i < images->list->len && alike <= MOST_ALIKE; i++) {
    const Image *image = &g_array_index (images->list, Image, i);
    if (!has_size (image, width, height))
      continue;
    if (++alike > MOST_ALIKE || image_may_be_text (images, image, dpi, most_pixels))
      return TRUE;
  }
  return alike == 0;
}
