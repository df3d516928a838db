/* pipeline/pictures.c - PNG, JPEG and TIFF inputs as documents; see pictures.h.
 *
 * Leptonica reads all three from memory.  Its PIX never leaves this file: a decoded page
 * becomes a cairo surface over the same pixels.
 */
#include "pipeline/pictures.h"

#include <math.h>
#include <string.h>

#include "layout/scan_leptonica.h"
#include "pipeline/pdf_scan.h"

#define MAX_PAGES 100000  /* directories of one TIFF */
#define A4_LONG 842.0     /* points */
#define MIN_LONG 144.0    /* a believable sheet: 2 inches .. */
#define MAX_LONG 3370.0   /* .. A0 is 3370 points long */
#define MAX_SCREEN 2000.0 /* 72 and 96 dpi are what programs write that do not know: only for small pages */

struct DpPicture {
  GBytes *bytes;
  DpPdfLimits limits;
  gboolean tiff;
  guint orientation; /* EXIF; TIFF pages are turned by Leptonica itself */
  guint n_pages;
  /* the page decoded last */
  guint page; /* 0 = none */
  cairo_surface_t *surface;
  double dpi;
};

gboolean
dp_picture_is (const guint8 *data, gsize n)
{
  return (n >= 8 && memcmp (data, "\x89PNG\r\n\x1a\n", 8) == 0) || (n >= 3 && memcmp (data, "\xff\xd8\xff", 3) == 0)
         || (n >= 4
             && (memcmp (data, "II*\0", 4) == 0 || memcmp (data, "MM\0*", 4) == 0 || memcmp (data, "II+\0", 4) == 0
                 || memcmp (data, "MM\0+", 4) == 0));
}

double
dp_picture_dpi (guint width, guint height, double file_dpi)
{
  double side = MAX (width, height);
  double points = file_dpi > 0 ? side * 72 / file_dpi : 0;

  if (points >= MIN_LONG && points <= (file_dpi < 100 ? MAX_SCREEN : MAX_LONG))
    return file_dpi;
  return CLAMP (side * 72 / A4_LONG, 150, 300);
}

/* ---- EXIF ------------------------------------------------------------------------------------------ */

static guint
u16 (const guint8 *p, gboolean big)
{
  return big ? (guint) p[0] << 8 | p[1] : (guint) p[1] << 8 | p[0];
}

static guint32
u32 (const guint8 *p, gboolean big)
{
  return big ? (guint32) u16 (p, big) << 16 | u16 (p + 2, big) : (guint32) u16 (p + 2, big) << 16 | u16 (p, big);
}

/* The orientation in a TIFF structure of n bytes. */
static guint
exif_orientation (const guint8 *tiff, gsize n)
{
  gboolean big;
  guint32 at;
  guint count, value;

  if (n < 8 || (memcmp (tiff, "MM\0*", 4) != 0 && memcmp (tiff, "II*\0", 4) != 0))
    return 1;
  big = tiff[0] == 'M';
  at = u32 (tiff + 4, big);
  if (at > n - 2)
    return 1;
  count = u16 (tiff + at, big);
  for (gsize entry = (gsize) at + 2; count > 0 && entry + 12 <= n; entry += 12, count--) {
    if (u16 (tiff + entry, big) != 0x0112)
      continue;
    value = u16 (tiff + entry + 8, big);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

guint
dp_jpeg_orientation (const guint8 *data, gsize n)
{
  gsize at = 2;

  if (n < 4 || data[0] != 0xff || data[1] != 0xd8)
    return 1;
  while (at + 4 <= n && data[at] == 0xff) {
    guint marker = data[at + 1];
    gsize length = u16 (data + at + 2, TRUE); /* counts its own two bytes */

    if (marker == 0xff) { /* fill byte */
      at++;
      continue;
    }
    if (marker == 0xda || length < 2 || length > n - at - 2) /* pixels begin */
      return 1;
    if (marker == 0xe1 && length >= 8 && memcmp (data + at + 4, "Exif\0\0", 6) == 0)
      return exif_orientation (data + at + 10, length - 8);
    at += 2 + length;
  }
  return 1;
}

/* Turns and mirrors what the camera stored into what it saw; takes pix. */
static PIX *
turn (PIX *pix, guint orientation)
{
  static const struct {
    int quads, mirror; /* quarter turns clockwise, then 1 = left-right, 2 = top-bottom */
  } moves[9]
      = { [1] = { 0, 0 }, [2] = { 0, 1 }, [3] = { 2, 0 }, [4] = { 0, 2 }, [5] = { 1, 1 }, [6] = { 1, 0 }, [7] = { 1, 2 }, [8] = { 3, 0 } };

  if (pix && moves[orientation].quads) {
    PIX *turned = dp_leptonica ()->pixRotateOrth (pix, moves[orientation].quads);
    dp_leptonica ()->pixDestroy (&pix);
    pix = turned;
  }
  if (pix && moves[orientation].mirror == 1)
    dp_leptonica ()->pixFlipLR (pix, pix);
  else if (pix && moves[orientation].mirror == 2)
    dp_leptonica ()->pixFlipTB (pix, pix);
  return pix;
}

/* ---- opening ------------------------------------------------------------------------------------------- */

static guint
count_pages (const guint8 *data, gsize n, gboolean tiff)
{
  FILE *stream;
  l_int32 count = 0;

  if (!tiff)
    return 1;
  stream = fmemopen ((void *) data, n, "rb");
  if (!stream)
    return 0;
  if (dp_leptonica ()->tiffGetCount (stream, &count) != 0)
    count = 0;
  fclose (stream);
  return (guint) CLAMP (count, 0, MAX_PAGES);
}

static gboolean
read_header (const DpPicture *p, guint number, guint *width, guint *height, GError **error)
{
  gsize n;
  const guint8 *data = g_bytes_get_data (p->bytes, &n);
  l_int32 w = 0, h = 0, format;
  l_ok bad = p->tiff ? dp_leptonica ()->readHeaderMemTiff (data, n, (l_int32) number - 1, &w, &h, NULL, NULL, NULL, NULL, NULL)
                     : dp_leptonica ()->pixReadHeaderMem (data, n, &format, &w, &h, NULL, NULL, NULL);

  if (bad || w <= 0 || h <= 0) {
    g_set_error (error, DP_EXTRACT_ERROR, DP_EXTRACT_ERROR_DAMAGED, "page %u: the picture's header is damaged", number);
    return FALSE;
  }
  if ((guint64) w * (guint64) h > p->limits.max_pixels || w > 32767 || h > 32767) {
    g_set_error (error, DP_EXTRACT_ERROR, DP_EXTRACT_ERROR_TOO_LARGE,
                 "page %u: the picture has %d x %d pixels, more than the %" G_GUINT64_FORMAT " allowed", number, w, h,
                 p->limits.max_pixels);
    return FALSE;
  }
  *width = (guint) w;
  *height = (guint) h;
  return TRUE;
}

DpPicture *
dp_picture_new (GBytes *bytes, const DpPdfLimits *limits, GError **error)
{
  g_autoptr (DpPicture) p = g_new0 (DpPicture, 1);
  g_autoptr (GError) own = NULL;
  guint width, height;
  gsize n;
  const guint8 *data = g_bytes_get_data (bytes, &n);

  dp_leptonica ()->setMsgSeverity (L_SEVERITY_NONE);
  p->bytes = g_bytes_ref (bytes);
  p->limits = *limits;
  p->tiff = n > 0 && data[0] != 0x89 && data[0] != 0xff;
  p->orientation = dp_jpeg_orientation (data, n);
  p->n_pages = dp_picture_is (data, n) ? count_pages (data, n, p->tiff) : 0;
  if (p->n_pages > 0 && (read_header (p, 1, &width, &height, &own) || g_error_matches (own, DP_EXTRACT_ERROR, DP_EXTRACT_ERROR_TOO_LARGE)))
    return g_steal_pointer (&p); /* too many pixels are the page's business */
  g_set_error (error, DP_EXTRACT_ERROR, DP_EXTRACT_ERROR_DAMAGED, "the picture is damaged beyond reading");
  return NULL;
}

void
dp_picture_free (DpPicture *p)
{
  if (!p)
    return;
  g_clear_pointer (&p->surface, cairo_surface_destroy);
  g_bytes_unref (p->bytes);
  g_free (p);
}

guint
dp_picture_n_pages (const DpPicture *p)
{
  return p->n_pages;
}

const guint8 *
dp_picture_bytes (const DpPicture *p, gsize *n)
{
  return g_bytes_get_data (p->bytes, n);
}

DpDocumentInfo *
dp_picture_info (const DpPicture *p)
{
  DpDocumentInfo *info = dp_document_info_new ();

  info->n_pages = p->n_pages;
  info->is_picture = TRUE;
  return info;
}

/* ---- decoding -------------------------------------------------------------------------------------------- */

static void
destroy_pix (gpointer data)
{
  PIX *pix = data;

  dp_leptonica ()->pixDestroy (&pix);
}

/* Any PIX to 32 bits without transparency; takes pix. */
static PIX *
flatten (PIX *pix)
{
  PIX *opaque, *deep;

  if (!pix)
    return NULL;
  opaque = dp_leptonica ()->pixRemoveAlpha (pix); /* onto white */
  dp_leptonica ()->pixDestroy (&pix);
  if (!opaque)
    return NULL;
  deep = dp_leptonica ()->pixConvertTo32 (opaque);
  dp_leptonica ()->pixDestroy (&opaque);
  return deep;
}

/* A surface over the pixels of pix (32 bits), which it takes.  Leptonica's words are
 * 0xRRGGBBAA and cairo's 0x00RRGGBB, both in the machine's byte order. */
static cairo_surface_t *
surface_over (PIX *pix)
{
  static const cairo_user_data_key_t key;
  gsize n = (gsize) dp_leptonica ()->pixGetWpl (pix) * (gsize) dp_leptonica ()->pixGetHeight (pix);
  l_uint32 *words = dp_leptonica ()->pixGetData (pix);
  cairo_surface_t *surface;

  for (gsize i = 0; i < n; i++)
    words[i] >>= 8;
  surface = cairo_image_surface_create_for_data ((unsigned char *) words, CAIRO_FORMAT_RGB24, dp_leptonica ()->pixGetWidth (pix),
                                                 dp_leptonica ()->pixGetHeight (pix), dp_leptonica ()->pixGetWpl (pix) * 4);
  if (cairo_surface_set_user_data (surface, &key, pix, destroy_pix) != CAIRO_STATUS_SUCCESS)
    dp_leptonica ()->pixDestroy (&pix);
  return surface;
}

static PIX *
read_pix (const DpPicture *p, guint number)
{
  gsize n;
  const guint8 *data = g_bytes_get_data (p->bytes, &n);

  return p->tiff ? dp_leptonica ()->pixReadMemTiff (data, n, (l_int32) number - 1)
                 : turn (dp_leptonica ()->pixReadMem (data, n), p->orientation);
}

static gboolean
decode (DpPicture *p, guint number, GError **error)
{
  guint width, height;
  double file_dpi;
  PIX *pix;

  if (p->page == number)
    return TRUE;
  p->page = 0;
  g_clear_pointer (&p->surface, cairo_surface_destroy);
  if (!read_header (p, number, &width, &height, error))
    return FALSE;
  pix = read_pix (p, number);
  file_dpi = pix ? dp_leptonica ()->pixGetXRes (pix) : 0;
  pix = flatten (pix);
  if (!pix) {
    g_set_error (error, DP_EXTRACT_ERROR, DP_EXTRACT_ERROR_DAMAGED, "page %u: the picture is damaged or of a kind that cannot be read",
                 number);
    return FALSE;
  }
  p->dpi = dp_picture_dpi ((guint) dp_leptonica ()->pixGetWidth (pix), (guint) dp_leptonica ()->pixGetHeight (pix), file_dpi);
  p->surface = surface_over (pix);
  p->page = number;
  return TRUE;
}

DpRect
dp_picture_box (DpPicture *p, guint number, GError **error)
{
  DpRect box = { 0 };

  if (decode (p, number, error)) {
    box.x1 = (float) (cairo_image_surface_get_width (p->surface) * 72 / p->dpi);
    box.y1 = (float) (cairo_image_surface_get_height (p->surface) * 72 / p->dpi);
  }
  return box;
}

/* The whole of it, which is the page. */
static DpImage
image_of (const DpPicture *p, DpRect box)
{
  return (DpImage){ .box = box,
                    .width = (guint32) cairo_image_surface_get_width (p->surface),
                    .height = (guint32) cairo_image_surface_get_height (p->surface),
                    .paint = 1 };
}

gboolean
dp_picture_page (DpPicture *p, guint number, DpPageArrays *out, GError **error)
{
  const DpRect box = dp_picture_box (p, number, error);

  if (dp_rect_area (box) <= 0)
    return FALSE;
  const DpImage image = image_of (p, box);
  out->number = number;
  out->width = image.box.x1;
  out->height = image.box.y1;
  g_array_append_val (out->images, image);
  return TRUE;
}

cairo_surface_t *
dp_picture_render (DpPicture *p, guint number, DpRect box, double dpi, gboolean grey, GError **error)
{
  cairo_surface_t *surface, *converted;
  cairo_t *cr;

  if (!decode (p, number, error))
    return NULL;
  if (!dp_canvas_fits (box, dpi)) {
    g_set_error (error, DP_EXTRACT_ERROR, DP_EXTRACT_ERROR_DAMAGED, "page %u cannot be painted (its box is empty)", number);
    return NULL;
  }
  const DpRect page = dp_picture_box (p, number, NULL);
  const DpImage image = image_of (p, page);
  if (grey && memcmp (&box, &page, sizeof box) == 0 && dp_pdf_scan_fits (&image, page, dpi, p->limits.max_pixels))
    return dp_pdf_scan_lay (dp_surface_to_grey (p->surface), &image, page, dpi);
  surface = dp_canvas_new (box, dpi, &p->limits, &cr);
  cairo_scale (cr, 72 / p->dpi, 72 / p->dpi);
  cairo_set_source_surface (cr, p->surface, 0, 0);
  cairo_paint (cr);
  cairo_destroy (cr);
  if (!grey)
    return surface;
  converted = dp_surface_to_grey (surface);
  cairo_surface_destroy (surface);
  return converted;
}

char *
dp_picture_decoders (void)
{
  char *leptonica = dp_leptonica ()->getLeptonicaVersion (), *formats = dp_leptonica ()->getImagelibVersions ();
  char *text = g_strdup_printf ("%s (%s)", leptonica ? leptonica : "unknown", formats ? g_strstrip (formats) : "");

  dp_leptonica ()->lept_free (leptonica);
  dp_leptonica ()->lept_free (formats);
  return text;
}
