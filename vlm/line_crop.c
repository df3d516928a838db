/* vlm/line_crop.c - see the header; the width of a scaled crop and the grey it is continued in are those of
 * vlm/nano/training/evaluate.py, crop, and dataset.py, collate. */
#include "vlm/line_crop.h"

#include "vlm/family_nano.h"

#include <math.h>
#include <string.h>

enum { HEIGHT = DP_NANO_HEIGHT, LEAST = 8, LARGEST = 32767 };

/* Columns of the crop at 32 rows, room for what widen() adds being left; 0 where there is nothing to read or far too much. */
static guint32
scaled_width (const DpLineCrop *crop, guint32 column_multiple, guint32 max_columns)
{
  if (!crop->pixels || crop->width < 1 || crop->height < 1 || crop->width > LARGEST || crop->height > LARGEST || crop->stride < crop->width)
    return 0;
  double width = MAX (LEAST, rint ((double) crop->width * HEIGHT / crop->height)); /* halves to even, as Python rounds */
  return width + 2 * column_multiple <= max_columns ? (guint32) width : 0;
}

/* Median of n values, the mean of the middle two rounded down. */
static guint8
median (const guint8 *values, guint n)
{
  guint count[256] = { 0 }, seen = 0;
  int lower = -1;

  for (guint i = 0; i < n; i++)
    count[values[i]]++;
  for (int v = 0; v < 256; v++) {
    seen += count[v];
    if (lower < 0 && seen >= n / 2)
      lower = v;
    if (seen > n / 2)
      return (guint8) ((lower + v) / 2);
  }
  return 0;
}

/* Rows of ink_width become rows of width. */
static void
widen (DpLinePicture *p, guint32 column_multiple)
{
  const guint32 from = p->ink_width, edge = MIN (2, from);
  guint8 last[2 * HEIGHT], *pixels;

  /* the decoder knows the end of a line by the paper behind it */
  p->width = (from + 2 * column_multiple - 1) / column_multiple * column_multiple;
  for (guint32 y = 0; y < HEIGHT; y++)
    memcpy (last + y * edge, p->pixels + y * from + from - edge, edge);
  pixels = g_malloc ((gsize) p->width * HEIGHT);
  memset (pixels, median (last, HEIGHT * edge), (gsize) p->width * HEIGHT);
  for (guint32 y = 0; y < HEIGHT; y++)
    memcpy (pixels + (gsize) y * p->width, p->pixels + (gsize) y * from, from);
  g_free (p->pixels);
  p->pixels = pixels;
}

/* Issues what turns the crop into p->pixels, which is there after a sync. */
static void
scale (DpStream *s, const DpLineCrop *crop, DpLinePicture *p)
{
  const gsize bytes = (gsize) crop->width * crop->height;
  g_autofree guint8 *dense = NULL;
  const guint8 *pixels = crop->pixels;
  gsize mark = dp_stream_mark (s);

  if (crop->stride != crop->width) {
    pixels = dense = g_malloc (bytes);
    for (guint32 y = 0; y < crop->height; y++)
      memcpy (dense + (gsize) y * crop->width, crop->pixels + y * crop->stride, crop->width);
  }
  p->pixels = g_malloc ((gsize) p->ink_width * HEIGHT);
  if (crop->height == HEIGHT && crop->width == p->ink_width) {
    memcpy (p->pixels, pixels, bytes);
    return;
  }
  DpTensor x = dp_stream_temp (s, DP_U8, crop->width * crop->height, 1), y = dp_stream_temp (s, DP_U8, p->ink_width * HEIGHT, 1);
  dp_stream_upload (s, &x, pixels, bytes);
  dp_resize (s, &(DpResizeArgs){ .x = x,
                                 .n = 1,
                                 .height = crop->height,
                                 .width = crop->width,
                                 .out_height = HEIGHT,
                                 .out_width = p->ink_width,
                                 .filter = DP_RESIZE_BILINEAR,
                                 .antialias = TRUE,
                                 .y = y });
  dp_stream_download (s, p->pixels, &y, (gsize) p->ink_width * HEIGHT);
  dp_stream_release (s, mark);
}

gboolean
dp_line_pictures (DpStream *stream, const DpLineCrop *crops, guint n, guint32 column_multiple, guint32 max_columns, DpLinePicture *pictures,
                  GError **error)
{
  memset (pictures, 0, n * sizeof *pictures);
  for (guint i = 0; i < n; i++) {
    pictures[i].ink_width = scaled_width (&crops[i], column_multiple, max_columns);
    if (pictures[i].ink_width)
      scale (stream, &crops[i], &pictures[i]);
  }
  if (!dp_stream_sync (stream, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (pictures[i].ink_width)
      widen (&pictures[i], column_multiple);
  return TRUE;
}

void
dp_line_picture_clear (DpLinePicture *picture)
{
  g_free (picture->pixels);
  memset (picture, 0, sizeof *picture);
}

void
dp_line_picture_append (const DpLinePicture *picture, guint16 *to)
{
  guint16 table[256];

  for (guint v = 0; v < 256; v++)
    table[v] = dp_f32_to_bf16 ((float) v * (1 / 127.5f) - 1);
  for (gsize i = 0; i < (gsize) picture->width * HEIGHT; i++)
    to[i] = table[picture->pixels[i]];
}
