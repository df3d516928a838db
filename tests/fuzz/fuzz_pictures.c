/* tests/fuzz/fuzz_pictures.c - libFuzzer target: any bytes as a picture of a page and as a JPEG inside of a PDF.
 *
 * The decoders are the system's and not instrumented, they run in the sandbox; what docparse does with sizes, resolutions,
 * orientations and rows is.
 *
 *   fuzz_pictures --seed DIR    writes small pictures to start from
 */
#include <leptonica/allheaders.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/image_jpeg.h"
#include "pipeline/pictures.h"

#define MOST_PIXELS 40000

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);
int LLVMFuzzerInitialize (int *argc, char ***argv);

typedef struct {
  guint width, height, next;
  guint64 sum;
} Seen;

static void
begin (gpointer data, guint width, guint height)
{
  Seen *seen = data;

  if (width == 0 || height == 0 || (guint64) width * height > MOST_PIXELS)
    abort ();
  *seen = (Seen){ .width = width, .height = height };
}

static void
take_row (gpointer data, guint row, const guint8 *rgb)
{
  Seen *seen = data;

  if (row != seen->next++ || row >= seen->height)
    abort ();
  for (guint i = 0; i < 3 * seen->width; i++) /* every byte is there */
    seen->sum += rgb[i];
}

static void
look_at_page (DpPicture *picture, guint number)
{
  g_autoptr (DpPageArrays) arrays = dp_page_arrays_new ();

  if (!dp_picture_page (picture, number, arrays, NULL))
    return;
  const DpRect box = dp_picture_box (picture, number, NULL);
  if (!(box.x1 > box.x0 && box.y1 > box.y0 && isfinite (box.x1) && isfinite (box.y1)))
    abort ();
  cairo_surface_t *surface = dp_picture_render (picture, number, box, 72, number % 2, NULL);
  g_clear_pointer (&surface, cairo_surface_destroy);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  const DpPdfLimits limits = { .max_memory = 256 << 20, .max_pixels = MOST_PIXELS };
  g_autofree guint8 *copy = g_memdup2 (data, size); /* exactly as long */
  Seen seen = { 0 };

  if (dp_jpeg_orientation (copy, size) - 1 > 7)
    abort ();
  dp_image_jpeg (copy, size, 1u << (size % 4), MOST_PIXELS, begin, take_row, &seen);
  if (!dp_picture_is (copy, size))
    return 0;
  g_autoptr (GBytes) bytes = g_bytes_new (copy, size);
  g_autoptr (DpPicture) picture = dp_picture_new (bytes, &limits, NULL);
  for (guint i = 1; picture && i <= MIN (dp_picture_n_pages (picture), 3); i++)
    look_at_page (picture, i);
  return 0;
}

static void
write_seed (const char *directory, const char *name, PIX *pix, l_int32 format)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);

  if (pixWrite (path, pix, format) != 0)
    abort ();
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  setMsgSeverity (L_SEVERITY_NONE);
  if (*argc != 3 || strcmp ((*argv)[1], "--seed") != 0)
    return 0;
  PIX *grey = pixCreate (40, 30, 8), *colours = pixCreate (24, 24, 32), *bits = pixCreate (64, 16, 1);
  pixSetResolution (grey, 300, 300);
  pixSetAllGray (grey, 200);
  write_seed ((*argv)[2], "grey.jpg", grey, IFF_JFIF_JPEG);
  write_seed ((*argv)[2], "colours.jpg", colours, IFF_JFIF_JPEG);
  write_seed ((*argv)[2], "colours.png", colours, IFF_PNG);
  write_seed ((*argv)[2], "bits.png", bits, IFF_PNG);
  write_seed ((*argv)[2], "bits.tif", bits, IFF_TIFF_G4);
  write_seed ((*argv)[2], "grey.tif", grey, IFF_TIFF_LZW);
  pixDestroy (&grey);
  pixDestroy (&colours);
  pixDestroy (&bits);
  exit (0);
}
