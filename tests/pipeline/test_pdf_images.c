/* tests/pipeline/test_pdf_images.c - pictures of text, charts and photographs, told apart as a PDF stores them. */
#include "pipeline/pdf_images.h"

#include <gio/gio.h>
#include <leptonica/allheaders.h>
#include <string.h>

#include "pipeline/image_jpeg.h"
#include "pipeline/image_look.h"

#define W 300u
#define H 200u
#define DPI 100.0
#define MOST_PIXELS 100000000u

typedef enum { TEXT, WHITE_ON_BLUE, TABLE_WITH_HEAD, BARS, PHOTO, LINES } Kind;

/* Marks of a letter's size in rows of a line's height. */
static gboolean
is_letter (guint x, guint y)
{
  return y % 16 >= 4 && y % 16 < 12 && x % 7 < 5 && (x * 7 + y / 2 * 3) % 5 < 2 && x > 10 && x < W - 10;
}

static void
pixel (Kind kind, guint x, guint y, guint8 rgb[3])
{
  static const guint8 white[] = { 255, 255, 255 }, black[] = { 20, 20, 20 }, blue[] = { 40, 60, 180 }, red[] = { 200, 40, 40 };
  const guint8 *c = white;
  const guint8 photo[] = { (guint8) (x * 255 / W), (guint8) (y * 255 / H), (guint8) ((x * 7919 + y * 104729) % 90 + 60) };

  switch (kind) {
  case TEXT: c = is_letter (x, y) ? black : white; break;
  case WHITE_ON_BLUE: c = is_letter (x, y) ? white : blue; break;
  case TABLE_WITH_HEAD: c = y < 32 ? is_letter (x, y) ? white : blue : is_letter (x, y) ? black : white; break;
  case BARS: c = y > 180 && is_letter (x, y) ? black : x % 50 > 20 && y > x / 2 && y < 180 ? x / 50 % 2 ? red : blue : white; break;
  case PHOTO: c = photo; break;
  case LINES: c = y == 150 || x == 30 || y == x / 2 ? black : white; break;
  }
  memcpy (rgb, c, 3);
}

static GByteArray *
deflated (const GByteArray *bytes)
{
  g_autoptr (GZlibCompressor) zlib = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, 1);
  GByteArray *out = g_byte_array_new ();
  gsize taken, made;

  g_byte_array_set_size (out, bytes->len * 2 + 1024);
  g_assert_cmpint (
      g_converter_convert (G_CONVERTER (zlib), bytes->data, bytes->len, out->data, out->len, G_CONVERTER_INPUT_AT_END, &taken, &made, NULL),
      ==, G_CONVERTER_FINISHED);
  g_byte_array_set_size (out, (guint) made);
  return out;
}

/* Filters each row in another way, as PNG does. */
static void
predict (GByteArray *bytes, guint stride, guint n)
{
  g_autoptr (GByteArray) plain = g_byte_array_new_take (g_memdup2 (bytes->data, bytes->len), bytes->len);

  g_byte_array_set_size (bytes, 0);
  for (guint y = 0; y < plain->len / stride; y++) {
    const guint8 kind = (guint8) (y % 5);
    g_byte_array_append (bytes, &kind, 1);
    for (guint i = 0; i < stride; i++) {
      const guint8 *row = plain->data + y * stride;
      const gint left = i >= n ? row[i - n] : 0, up = y ? (row - stride)[i] : 0, corner = y && i >= n ? (row - stride)[i - n] : 0;
      const gint a = ABS (up - corner), b = ABS (left - corner), c = ABS (left + up - 2 * corner);
      const gint paeth = a <= b && a <= c ? left : b <= c ? up : corner;
      const gint guesses[] = { 0, left, up, (left + up) / 2, paeth };
      const guint8 v = (guint8) (row[i] - guesses[kind]);
      g_byte_array_append (bytes, &v, 1);
    }
  }
}

typedef enum { RGB, GREY, INDEXED, PREDICTED, PROFILE, JPEG, JPEG_IN_ZLIB } Storage;

static GByteArray *
samples (Kind kind, Storage storage)
{
  GByteArray *bytes = g_byte_array_new ();
  guint8 rgb[3];

  for (guint y = 0; y < H; y++)
    for (guint x = 0; x < W; x++) {
      pixel (kind, x, y, rgb);
      const guint8 grey = (guint8) ((rgb[0] + rgb[1] + rgb[2]) / 3);
      const guint8 index = rgb[0] == 255 ? 0 : rgb[0] == 20 ? 1 : rgb[0] == 40 ? 2 : 3;
      g_byte_array_append (bytes,
                           storage == GREY      ? &grey
                           : storage == INDEXED ? &index
                                                : rgb,
                           storage == GREY || storage == INDEXED ? 1 : 3);
    }
  if (storage == PREDICTED)
    predict (bytes, 3 * W, 3);
  return bytes;
}

static void
no_size (gpointer data, guint width, guint height)
{
  (void) data, (void) width, (void) height;
}

static void
no_row (gpointer data, guint row, const guint8 *rgb)
{
  (void) data, (void) row, (void) rgb;
}

static GByteArray *
jpeg (Kind kind, gboolean progressive)
{
  PIX *pix = pixCreate (W, H, 32);
  l_uint8 *data = NULL;
  size_t n = 0;
  guint8 rgb[3];

  for (guint y = 0; y < H; y++)
    for (guint x = 0; x < W; x++) {
      pixel (kind, x, y, rgb);
      pixSetRGBPixel (pix, (l_int32) x, (l_int32) y, rgb[0], rgb[1], rgb[2]);
    }
  g_assert_cmpint (pixWriteMemJpeg (&data, &n, pix, 85, progressive), ==, 0);
  GByteArray *out = g_byte_array_new ();
  g_byte_array_append (out, data, (guint) n);
  lept_free (data);
  pixDestroy (&pix);
  return out;
}

/* The bytes of a file with one image. */
static GByteArray *
file_with (Kind kind, Storage storage)
{
  static const char *const heads[] = {
    [RGB] = "/ColorSpace/DeviceRGB/Filter/FlateDecode",
    [GREY] = "/ColorSpace/DeviceGray/Filter[/FlateDecode]",
    [INDEXED] = "/ColorSpace[/Indexed/DeviceRGB 3(\\377\\377\\377\\024\\024\\024\\(<\\264\\310\\050\\050)]/Filter/FlateDecode",
    [PREDICTED] = "/ColorSpace/DeviceRGB/Filter/FlateDecode/DecodeParms<</Predictor 15/Colors 3/Columns 300>>",
    [PROFILE] = "/ColorSpace[/ICCBased 9 0 R]/Filter/FlateDecode",
    [JPEG] = "/ColorSpace/DeviceRGB/Filter/DCTDecode",
    [JPEG_IN_ZLIB] = "/ColorSpace/DeviceRGB/Filter[/FlateDecode/DCTDecode]",
  };
  static const char tail[] = "\nendstream endobj\n9 0 obj<</N 3/Length 0>>stream\nendstream endobj\n";
  g_autoptr (GByteArray) plain = storage >= JPEG ? jpeg (kind, FALSE) : samples (kind, storage);
  g_autoptr (GByteArray) packed = storage == JPEG ? g_byte_array_ref (plain) : deflated (plain);
  g_autofree char *head
      = g_strdup_printf ("1 0 obj<</Type/XObject/Subtype/Image/Width %u/Height %u/BitsPerComponent 8%s/Length %u>>stream\n", W, H,
                         heads[storage], packed->len);
  GByteArray *file = g_byte_array_new ();

  g_byte_array_append (file, (const guint8 *) head, (guint) strlen (head));
  g_byte_array_append (file, packed->data, packed->len);
  g_byte_array_append (file, (const guint8 *) tail, sizeof tail - 1);
  return file;
}

static gboolean
may_be_text (const GByteArray *file)
{
  g_autoptr (DpPdfImages) images = dp_pdf_images_read (file->data, file->len);

  return dp_pdf_images_may_be_text (images, W, H, DPI, MOST_PIXELS, NULL);
}

static void
test_kinds (void)
{
  static const gboolean wanted[]
      = { [TEXT] = TRUE, [WHITE_ON_BLUE] = TRUE, [TABLE_WITH_HEAD] = TRUE, [BARS] = FALSE, [PHOTO] = FALSE, [LINES] = FALSE };

  for (guint kind = TEXT; kind <= LINES; kind++)
    for (guint storage = RGB; storage <= JPEG_IN_ZLIB; storage++) {
      if (storage == INDEXED && kind == PHOTO) /* has more colours */
        continue;
      g_autoptr (GByteArray) file = file_with (kind, storage);
      g_test_message ("kind %u, storage %u", kind, storage);
      g_assert_cmpint (may_be_text (file), ==, wanted[kind]);
    }
}

static void
replace (GByteArray *file, const char *from, const char *to)
{
  guint8 *at = memmem (file->data, file->len, from, strlen (from));

  g_assert_nonnull (at);
  g_assert_cmpuint (strlen (from), ==, strlen (to));
  memcpy (at, to, strlen (to));
}

/* What cannot be told is not turned down. */
static void
test_unknown (void)
{
  static const char *const changes[][2] = {
    { "/FlateDecode", "/FlateDecoda" }, { "/DeviceRGB", "/DeviceXYZ" },         { "BitsPerComponent 8", "BitsPerComponent 4" },
    { "/Width 300", "/Width 301" },     { "/Subtype/Image", "/Subtype/Imago" }, { "/Width 300", "/Width -99" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    g_autoptr (GByteArray) file = file_with (PHOTO, RGB);
    g_test_message ("%s", changes[i][1]);
    replace (file, changes[i][0], changes[i][1]);
    g_assert_true (may_be_text (file));
  }
  g_autoptr (GByteArray) file = file_with (PHOTO, RGB);
  g_autoptr (DpPdfImages) images = dp_pdf_images_read (file->data, file->len);
  g_assert_true (dp_pdf_images_may_be_text (images, W, H, DPI, W * H - 1, NULL)); /* too large */
  memset (memmem (file->data, file->len, "stream\n", 7) + 7, 'x', 100);           /* no zlib, as in an encrypted file */
  g_assert_true (dp_pdf_images_may_be_text (images, W, H, DPI, MOST_PIXELS, NULL));
}

/* Of images of one size, one that may be text is enough; a mask is no image. */
static void
test_several (void)
{
  g_autoptr (GByteArray) file = file_with (PHOTO, RGB), other = file_with (TEXT, JPEG);
  g_autofree guint8 *copy = g_memdup2 (file->data, file->len);

  g_byte_array_append (file, copy, file->len);
  replace (file, "1 0 obj", "2 0 obj");
  g_assert_false (may_be_text (file));
  g_byte_array_append (file, other->data, other->len);
  g_assert_true (may_be_text (file));

  g_autoptr (GByteArray) masked = file_with (PHOTO, RGB);
  g_autoptr (GByteArray) mask = file_with (TEXT, GREY);
  replace (masked, "/Type/XObject", "/SMask 3 0 R ");
  replace (mask, "1 0 obj", "3 0 obj");
  g_byte_array_append (masked, mask->data, mask->len);
  g_assert_false (may_be_text (masked));
}

static cairo_surface_t *
picture_of (const GByteArray *file, double dpi)
{
  g_autoptr (DpPdfImages) images = dp_pdf_images_read (file->data, file->len);
  cairo_surface_t *picture;

  dp_pdf_images_may_be_text (images, W, H, dpi, MOST_PIXELS, &picture);
  return picture;
}

static guint
grey_at (cairo_surface_t *picture, guint x, guint y)
{
  return cairo_image_surface_get_data (picture)[y * (guint) cairo_image_surface_get_stride (picture) + x];
}

/* What may be text comes as it was seen, at about 100 dpi. */
static void
test_picture (void)
{
  for (guint storage = RGB; storage <= JPEG_IN_ZLIB; storage++) {
    g_autoptr (GByteArray) file = file_with (TEXT, storage), photo = file_with (PHOTO, storage == INDEXED ? RGB : storage);
    cairo_surface_t *picture = picture_of (file, DPI), *half = picture_of (file, 2 * DPI);
    g_test_message ("storage %u", storage);
    g_assert_null (picture_of (photo, DPI));
    g_assert_cmpint (cairo_image_surface_get_format (picture), ==, CAIRO_FORMAT_A8);
    g_assert_cmpint (cairo_image_surface_get_width (picture), ==, W);
    g_assert_cmpint (cairo_image_surface_get_height (picture), ==, H);
    g_assert_cmpint (cairo_image_surface_get_width (half), ==, W / 2);
    g_assert_cmpint (cairo_image_surface_get_height (half), ==, H / 2);
    for (guint y = 0; y < H && storage < JPEG; y++)
      for (guint x = 0; x < W; x++)
        g_assert_cmpuint (grey_at (picture, x, y), ==, is_letter (x, y) ? 20 : 255);
    for (guint y = 0; y < H / 2 && storage < JPEG; y++)
      for (guint x = 0; x < W / 2; x++) {
        guint letters = 0;
        for (guint k = 0; k < 4; k++)
          letters += is_letter (2 * x + k % 2, 2 * y + k / 2);
        g_assert_cmpuint (grey_at (half, x, y), ==, (20 * letters + 255 * (4 - letters)) / 4);
      }
    cairo_surface_destroy (picture);
    cairo_surface_destroy (half);
  }
}

/* Of a very fine image each second row and column is enough for a mean. */
static void
test_picture_of_fine (void)
{
  g_autoptr (DpImageLook) look = dp_image_look_new (W, H, 4 * DPI);
  g_autofree guint8 *row = g_malloc (3 * W);
  guint wanted = 0;

  for (guint y = 0; y < H; y++) {
    const gboolean is_wanted = dp_image_look_wants_row (look);
    for (guint x = 0; x < W; x++)
      pixel (TEXT, x, y, row + 3 * x);
    wanted += is_wanted;
    dp_image_look_row (look, is_wanted ? row : NULL);
  }
  g_assert_cmpuint (wanted, ==, H / 2);
  cairo_surface_t *picture = dp_image_look_picture (look);
  g_assert_cmpint (cairo_image_surface_get_width (picture), ==, W / 4);
  g_assert_cmpint (cairo_image_surface_get_height (picture), ==, H / 4);
  for (guint y = 0; y < H / 4; y++)
    for (guint x = 0; x < W / 4; x++) {
      guint letters = 0;
      for (guint k = 0; k < 4; k++)
        letters += is_letter (4 * x + 2 * (k % 2), 4 * y + 2 * (k / 2));
      g_assert_cmpuint (grey_at (picture, x, y), ==, (20 * letters + 255 * (4 - letters)) / 4);
    }
  cairo_surface_destroy (picture);

  g_autoptr (DpImageLook) colours = dp_image_look_new (W, 0, 4 * DPI); /* of these each fourth row says enough */
  for (guint y = 0; y < H; y++) {
    g_assert_cmpint (dp_image_look_wants_row (colours), ==, y % 4 == 0);
    dp_image_look_row (colours, row);
  }
  g_assert_null (dp_image_look_picture (colours));
}

/* No picture of what is painted in another way than it is stored, or may be another one. */
static void
test_no_picture (void)
{
  static const char *const changes[][2] = { { "/Type/XObject", "/Mask [2 9]  " }, { "/Type/XObject", "/Decode[1 0] " } };

  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    g_autoptr (GByteArray) file = file_with (TEXT, GREY);
    g_test_message ("%s", changes[i][1]);
    replace (file, changes[i][0], changes[i][1]);
    g_assert_true (may_be_text (file));
    g_assert_null (picture_of (file, DPI));
  }
  g_autoptr (GByteArray) plain = file_with (TEXT, GREY), two = file_with (TEXT, GREY);
  replace (plain, "/Type/XObject", "/Decode[0 1] ");
  cairo_surface_t *picture = picture_of (plain, DPI);
  g_assert_nonnull (picture);
  cairo_surface_destroy (picture);
  replace (plain, "1 0 obj", "2 0 obj");
  g_byte_array_append (two, plain->data, plain->len);
  g_assert_null (picture_of (two, DPI));
}

/* Where a mask hides it, the picture is white. */
static void
test_soft_mask (void)
{
  g_autoptr (GByteArray) file = file_with (TEXT, RGB), mask = file_with (BARS, GREY);
  guint hidden = 0;

  replace (file, "/Type/XObject", "/SMask 3 0 R ");
  replace (mask, "1 0 obj", "3 0 obj");
  g_byte_array_append (file, mask->data, mask->len);
  cairo_surface_t *picture = picture_of (file, DPI);
  g_assert_nonnull (picture);
  for (guint y = 0; y < H; y++)
    for (guint x = 0; x < W; x++) {
      guint8 rgb[3];
      pixel (BARS, x, y, rgb);
      const guint alpha = (rgb[0] + rgb[1] + rgb[2]) / 3, light = is_letter (x, y) ? 20 : 255;
      hidden += light < 255 && alpha < 255;
      g_assert_cmpuint (grey_at (picture, x, y), ==, 255 - (255 - light) * alpha / 255);
    }
  g_assert_cmpuint (hidden, >, 0);
  cairo_surface_destroy (picture);
}

/* Cut anywhere, or with any byte changed, it neither crashes nor hangs (run under sanitizers). */
static void
test_damaged (void)
{
  for (guint storage = RGB; storage <= JPEG_IN_ZLIB; storage++) {
    g_autoptr (GByteArray) file = file_with (TEXT, storage);
    for (guint i = 0; i < 60; i++) {
      g_autofree guint8 *bytes = g_memdup2 (file->data, file->len);
      const guint cut = file->len * (i + 1) / 60;
      cairo_surface_t *picture;
      g_autoptr (DpPdfImages) part = dp_pdf_images_read (bytes, cut);
      dp_pdf_images_may_be_text (part, W, H, DPI, MOST_PIXELS, &picture);
      g_clear_pointer (&picture, cairo_surface_destroy);
      bytes[i < 30 ? 40 + 5 * i : file->len * i / 60] ^= (guint8) (1 + 37 * i);
      g_autoptr (DpPdfImages) changed = dp_pdf_images_read (bytes, file->len);
      dp_pdf_images_may_be_text (changed, W, H, DPI, MOST_PIXELS, &picture);
      g_clear_pointer (&picture, cairo_surface_destroy);
    }
  }
}

/* A picture of more scans than any program writes is not looked at to its end. */
static void
test_scans (void)
{
  g_autoptr (GByteArray) one = jpeg (PHOTO, TRUE);
  /* the last scan, once more and once more */
  const guint8 *last = NULL;
  for (const guint8 *p = one->data; (p = memmem (p, (gsize) (one->data + one->len - p), "\xff\xda", 2)); p++)
    last = p;
  g_assert_nonnull (last);
  const guint at = (guint) (last - one->data), n = one->len - 2 - at;
  g_autofree guint8 *scan = g_memdup2 (last, n);
  g_assert_true (dp_image_jpeg (one->data, one->len, 1, MOST_PIXELS, no_size, no_row, NULL));
  for (guint i = 0; i < 100; i++) {
    g_byte_array_set_size (one, one->len - 2);
    g_byte_array_append (one, scan, n);
    g_byte_array_append (one, (const guint8 *) "\xff\xd9", 2);
  }
  g_assert_false (dp_image_jpeg (one->data, one->len, 1, MOST_PIXELS, no_size, no_row, NULL));
}

/* At other resolutions the same picture looks the same. */
static void
test_resolutions (void)
{
  for (guint scale = 1; scale <= 4; scale++)
    for (guint kind = TEXT; kind <= LINES; kind++) {
      g_autoptr (DpImageLook) look = dp_image_look_new (W * scale, H * scale, DPI * scale);
      g_autofree guint8 *row = g_malloc (3 * W * scale);
      for (guint y = 0; y < H * scale; y++) {
        for (guint x = 0; x < W * scale; x++)
          pixel (kind, x / scale, y / scale, row + 3 * x);
        dp_image_look_row (look, row);
      }
      g_test_message ("kind %u, scale %u", kind, scale);
      g_assert_cmpint (dp_image_colours_may_be_text (dp_image_look_colours (look)), ==, kind <= TABLE_WITH_HEAD);
    }
}

/* The pixels of plain images, without painting; of others none. */
static void
test_grey (void)
{
  for (guint storage = RGB; storage <= JPEG_IN_ZLIB; storage++) {
    g_autoptr (GByteArray) file = file_with (TEXT, storage);
    g_autoptr (DpPdfImages) images = dp_pdf_images_read (file->data, file->len);
    cairo_surface_t *grey = dp_pdf_images_grey (images, W, H, MOST_PIXELS);
    g_test_message ("storage %u", storage);
    g_assert_cmpint (grey != NULL, ==, storage != INDEXED && storage != JPEG_IN_ZLIB);
    if (!grey)
      continue;
    const guint8 *data = cairo_image_surface_get_data (grey);
    for (guint y = 0; y < H; y++)
      for (guint x = 0; x < W; x++) {
        guint8 rgb[3];
        pixel (TEXT, x, y, rgb);
        g_assert_cmpfloat_with_epsilon (data[y * (guint) cairo_image_surface_get_stride (grey) + x], rgb[0], storage == JPEG ? 40 : 1);
      }
    g_assert_null (dp_pdf_images_grey (images, W, H, W * H - 1));
    g_assert_null (dp_pdf_images_grey (images, W + 1, H, MOST_PIXELS));
    cairo_surface_destroy (grey);
  }
}

static void
test_not_plain (void)
{
  static const char *const changes[][2] = {
    { "/Type/XObject", "/Decode[1 0] " }, { "/Type/XObject", "/SMask 7 0 R " },           { "/Type/XObject", "/ImageMask 1 " },
    { "/Height 200", "/Height 201" },     { "BitsPerComponent 8", "BitsPerComponent 4" }, { "/FlateDecode", "/FlateDecoda" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    g_autoptr (GByteArray) file = file_with (TEXT, GREY);
    replace (file, changes[i][0], changes[i][1]);
    g_autoptr (DpPdfImages) images = dp_pdf_images_read (file->data, file->len);
    g_test_message ("%s", changes[i][1]);
    g_assert_null (dp_pdf_images_grey (images, W, i == 3 ? H + 1 : H, MOST_PIXELS)); /* the last but two: it has too few rows */
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pdf-images/kinds", test_kinds);
  g_test_add_func ("/pdf-images/unknown", test_unknown);
  g_test_add_func ("/pdf-images/several", test_several);
  g_test_add_func ("/pdf-images/picture", test_picture);
  g_test_add_func ("/pdf-images/picture-of-fine", test_picture_of_fine);
  g_test_add_func ("/pdf-images/no-picture", test_no_picture);
  g_test_add_func ("/pdf-images/soft-mask", test_soft_mask);
  g_test_add_func ("/pdf-images/damaged", test_damaged);
  g_test_add_func ("/pdf-images/grey", test_grey);
  g_test_add_func ("/pdf-images/not-plain", test_not_plain);
  g_test_add_func ("/pdf-images/scans", test_scans);
  g_test_add_func ("/pdf-images/resolutions", test_resolutions);
  return g_test_run ();
}
