/* pipeline/picture_pdf.c - see picture_pdf.h. */
#include "pipeline/picture_pdf.h"

#include <math.h>
#include <string.h>

#include "pipeline/pictures.h"

#define MOST_BYTES ((gsize) 1 << 30)
#define N_OBJECTS 5u
#define IHDR_END 33u /* signature, length, type, 13 bytes, checksum */

/* What the dictionary of the image says; its stream is appended by copy. */
typedef struct {
  guint32 width, height;
  guint bits, colours;
  const char *filter;
  const guint8 *palette; /* of a PNG */
  guint n_palette;       /* its bytes */
} Image;

static guint32
u32 (const guint8 *p)
{
  return (guint32) p[0] << 24 | (guint32) p[1] << 16 | (guint32) p[2] << 8 | p[3];
}

/* ---- JPEG: ITU-T T.81, annex B ----------------------------------------------------------------------------- */

/* Reads the frame header; FALSE if there is none that PDF knows. */
static gboolean
read_jpeg (const guint8 *data, gsize n, Image *image)
{
  for (gsize at = 2; at + 10 <= n && data[at] == 0xff;) {
    const guint marker = data[at + 1];
    const gsize length = (gsize) data[at + 2] << 8 | data[at + 3];

    if (marker == 0xff) { /* fill byte */
      at++;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xc2) {
      const guint8 *frame = data + at + 4;
      *image = (Image){ (guint32) frame[3] << 8 | frame[4], (guint32) frame[1] << 8 | frame[2], frame[0], frame[5], "/DCTDecode", NULL, 0 };
      return image->bits == 8 && (image->colours == 1 || image->colours == 3);
    }
    if (marker >= 0xc3 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc) /* other kinds of frames */
      return FALSE;
    at += 2 + MAX (length, 2);
  }
  return FALSE;
}

/* ---- PNG ------------------------------------------------------------------------------------------------------- */

/* The next chunk after the one at *at: its length; FALSE at the end. */
static gboolean
next_chunk (const guint8 *data, gsize n, gsize *at, guint32 *length)
{
  if (*at + 12 > n || (*length = u32 (data + *at)) > n - *at - 12)
    return FALSE;
  *at += 12 + *length;
  return TRUE;
}

static gboolean
read_png (const guint8 *data, gsize n, Image *image)
{
  static const guint colours[4] = { 1, 0, 3, 1 }; /* grey, -, RGB, palette */
  guint32 length;

  if (n < IHDR_END || data[25] > 3 || colours[data[25]] == 0 || data[28] != 0)
    return FALSE;
  *image = (Image){ u32 (data + 16), u32 (data + 20), data[24], colours[data[25]], "/FlateDecode", NULL, 0 };
  for (gsize at = IHDR_END, end = at; next_chunk (data, n, &end, &length); at = end) {
    if (memcmp (data + at + 4, "tRNS", 4) == 0)
      return FALSE;
    if (memcmp (data + at + 4, "PLTE", 4) == 0 && length <= 768 && length % 3 == 0 && length > 0)
      image->palette = data + at + 8, image->n_palette = length;
  }
  if (data[25] != 3)
    image->palette = NULL;
  return data[25] != 3 || image->palette;
}

static void
append_rows (const guint8 *data, gsize n, GByteArray *out)
{
  guint32 length;

  for (gsize at = IHDR_END, end = at; next_chunk (data, n, &end, &length); at = end)
    if (memcmp (data + at + 4, "IDAT", 4) == 0)
      g_byte_array_append (out, data + at + 8, length);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* From the stored picture to how it was seen: EXIF 2.3, 4.6.4, without mirrors. */
static gboolean
append_matrix (guint orientation, double w, double h, GString *out)
{
  const double turned[9][6]
      = { [1] = { w, 0, 0, h, 0, 0 }, [3] = { -w, 0, 0, -h, w, h }, [6] = { 0, -h, w, 0, 0, h }, [8] = { 0, h, -w, 0, w, 0 } };
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  if (orientation > 8 || (turned[orientation][0] == 0 && turned[orientation][1] == 0))
    return FALSE;
  for (guint i = 0; i < 6; i++)
    g_string_append_printf (out, "%s ", g_ascii_formatd (digits, sizeof digits, "%.4f", turned[orientation][i]));
  return TRUE;
}

static void
append_image_dictionary (const Image *image, gsize length, GString *out)
{
  g_string_append_printf (out, "<</Type/XObject/Subtype/Image/Width %u/Height %u/BitsPerComponent %u/Filter%s/Length %" G_GSIZE_FORMAT,
                          image->width, image->height, image->bits, image->filter, length);
  if (strcmp (image->filter, "/FlateDecode") == 0)
    g_string_append_printf (out, "/DecodeParms<</Predictor 15/Colors %u/BitsPerComponent %u/Columns %u>>", image->colours, image->bits,
                            image->width);
  g_string_append (out, "/ColorSpace");
  if (image->palette) {
    g_string_append_printf (out, "[/Indexed/DeviceRGB %u<", image->n_palette / 3 - 1);
    for (guint i = 0; i < image->n_palette; i++)
      g_string_append_printf (out, "%02x", image->palette[i]);
    g_string_append (out, ">]");
  } else {
    g_string_append (out, image->colours == 3 ? "/DeviceRGB" : "/DeviceGray");
  }
  g_string_append (out, ">>");
}

typedef struct {
  GByteArray *out;
  gsize places[N_OBJECTS + 1];
} File;

static void
append (File *file, const char *text)
{
  g_byte_array_append (file->out, (const guint8 *) text, (guint) strlen (text));
}

static void
begin_object (File *file, guint number)
{
  g_autofree char *head = g_strdup_printf ("%u 0 obj\n", number);

  file->places[number] = file->out->len;
  append (file, head);
}

static void
write_object (File *file, guint number, const char *body)
{
  begin_object (file, number);
  append (file, body);
  append (file, "\nendobj\n");
}

static void
write_stream (File *file, guint number, const char *dictionary, const GByteArray *stream)
{
  begin_object (file, number);
  append (file, dictionary);
  append (file, "\nstream\n");
  g_byte_array_append (file->out, stream->data, stream->len);
  append (file, "\nendstream\nendobj\n");
}

static void
write_table (File *file)
{
  g_autoptr (GString) table = g_string_new ("xref\n");

  g_string_append_printf (table, "0 %u\n0000000000 65535 f \n", N_OBJECTS + 1);
  for (guint i = 1; i <= N_OBJECTS; i++)
    g_string_append_printf (table, "%010" G_GSIZE_FORMAT " 00000 n \n", file->places[i]);
  g_string_append_printf (table, "trailer\n<</Size %u/Root 1 0 R>>\nstartxref\n%u\n%%%%EOF\n", N_OBJECTS + 1, file->out->len);
  append (file, table->str);
}

static void
write_page (File *file, double width, double height)
{
  char w[G_ASCII_DTOSTR_BUF_SIZE], h[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (w, sizeof w, "%.4f", width);
  g_ascii_formatd (h, sizeof h, "%.4f", height);
  g_autofree char *page
      = g_strdup_printf ("<</Type/Page/Parent 2 0 R/MediaBox[0 0 %s %s]/Resources<</XObject<</Im 5 0 R>>>>/Contents 4 0 R>>", w, h);
  append (file, "%PDF-1.5\n%\xe2\xe3\xcf\xd3\n");
  write_object (file, 1, "<</Type/Catalog/Pages 2 0 R>>");
  write_object (file, 2, "<</Type/Pages/Kids[3 0 R]/Count 1>>");
  write_object (file, 3, page);
}

gboolean
dp_picture_pdf (const guint8 *data, gsize n, double width, double height, GByteArray *out)
{
  File file = { .out = out };
  Image image;
  const gboolean jpeg = n > 2 && data[0] == 0xff, png = n > IHDR_END && data[0] == 0x89;
  g_autoptr (GByteArray) content = g_byte_array_new (), pixels = g_byte_array_new ();
  g_autoptr (GString) matrix = g_string_new (NULL), dictionary = g_string_new (NULL);

  if (n > MOST_BYTES || !(width >= 1 && height >= 1) || !(jpeg ? read_jpeg (data, n, &image) : png && read_png (data, n, &image))
      || image.width == 0 || image.height == 0 || !append_matrix (jpeg ? dp_jpeg_orientation (data, n) : 1, width, height, matrix))
    return FALSE;
  if (jpeg)
    g_byte_array_append (pixels, data, (guint) n);
  else
    append_rows (data, n, pixels);
  g_string_append (matrix, "cm/Im Do");
  g_byte_array_append (content, (const guint8 *) matrix->str, (guint) matrix->len);
  append_image_dictionary (&image, pixels->len, dictionary);
  g_autofree char *length = g_strdup_printf ("<</Length %u>>", content->len);
  write_page (&file, width, height);
  write_stream (&file, 4, length, content);
  write_stream (&file, 5, dictionary->str, pixels);
  write_table (&file);
  return TRUE;
}
