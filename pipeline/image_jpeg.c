/* pipeline/image_jpeg.c - see image_jpeg.h. */
#include "pipeline/image_jpeg.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include "layout/library.h"

#define MOST_SCANS 64 /* usual are 10 */

#define DP_JPEG_FUNCTIONS(F)                                                                                                               \
  F (jpeg_std_error)                                                                                                                       \
  F (jpeg_CreateDecompress)                                                                                                                \
  F (jpeg_mem_src)                                                                                                                         \
  F (jpeg_read_header)                                                                                                                     \
  F (jpeg_start_decompress)                                                                                                                \
  F (jpeg_read_scanlines)                                                                                                                  \
  F (jpeg_destroy_decompress)

typedef struct {
#define MEMBER(name) __typeof__ (&name) name;
  DP_JPEG_FUNCTIONS (MEMBER)
#undef MEMBER
} Jpeg;

static const char *const names[] = {
#define NAME(name) #name,
  DP_JPEG_FUNCTIONS (NAME)
#undef NAME
};
G_STATIC_ASSERT (sizeof (Jpeg) == G_N_ELEMENTS (names) * sizeof (gpointer));

static Jpeg functions;
/* DP_JPEG_LIBRARY: see Makefile */
static DpLibrary library = { .soname = DP_JPEG_LIBRARY, .names = names, .table = &functions, .n = G_N_ELEMENTS (names) };

typedef struct {
  struct jpeg_error_mgr base;
  jmp_buf back;
} Errors;

static void
give_up (j_common_ptr info)
{
  longjmp (((Errors *) info->err)->back, 1);
}

static void
say_nothing (j_common_ptr info)
{
  (void) info;
}

/* A progressive file of a few kilobytes may hold thousands of scans, each of which costs as much as the whole picture. */
static void
count_scans (j_common_ptr info)
{
  if (((j_decompress_ptr) info)->input_scan_number > MOST_SCANS)
    give_up (info);
}

typedef struct {
  const Jpeg *jpeg;
  gboolean grey; /* luminance, exactly; else colours, roughly */
  struct jpeg_decompress_struct info;
  Errors errors;
  struct jpeg_progress_mgr progress;
  guint8 *pixels; /* a row */
} Reader;

static gboolean
begin_picture (Reader *r, gconstpointer data, gsize size, guint reduction, guint64 most_pixels)
{
  struct jpeg_decompress_struct *info = &r->info;

  r->jpeg->jpeg_mem_src (info, data, size);
  if (r->jpeg->jpeg_read_header (info, TRUE) != JPEG_HEADER_OK || (info->num_components != 1 && info->num_components != 3)
      || (guint64) info->image_width * info->image_height > most_pixels)
    return FALSE;
  info->out_color_space = r->grey ? JCS_GRAYSCALE : JCS_RGB;
  info->scale_num = 1;
  info->scale_denom = reduction;
  if (!r->grey) {
    info->dct_method = JDCT_IFAST;
    info->do_fancy_upsampling = FALSE;
    info->do_block_smoothing = FALSE;
  }
  r->jpeg->jpeg_start_decompress (info);
  return info->output_components == (r->grey ? 1 : 3);
}

/* Rows until the end, or until the data fails: what came until then stands. */
static gboolean
read_picture (Reader *r, gconstpointer data, gsize size, guint reduction, guint64 most_pixels, DpImageSize begin, DpImageRow row,
              gpointer user_data)
{
  if (setjmp (r->errors.back))
    return r->pixels != NULL;
  if (!begin_picture (r, data, size, reduction, most_pixels))
    return FALSE;
  r->pixels = g_malloc (3 * (gsize) r->info.output_width);
  begin (user_data, r->info.output_width, r->info.output_height);
  while (r->info.output_scanline < r->info.output_height) {
    const guint number = r->info.output_scanline;
    JSAMPROW rows[] = { r->pixels };
    if (r->jpeg->jpeg_read_scanlines (&r->info, rows, 1) != 1)
      break;
    row (user_data, number, r->pixels);
  }
  return TRUE;
}

static gboolean
decode (gboolean grey, gconstpointer data, gsize size, guint reduction, guint64 most_pixels, DpImageSize begin, DpImageRow row,
        gpointer user_data)
{
  Reader r = { .jpeg = dp_library_load (&library, NULL), .grey = grey };

  if (!r.jpeg)
    return FALSE;
  r.info.err = r.jpeg->jpeg_std_error (&r.errors.base);
  r.errors.base.error_exit = give_up;
  r.errors.base.output_message = say_nothing;
  if (setjmp (r.errors.back)) /* no memory, or a library of another version */
    return FALSE;
  r.jpeg->jpeg_CreateDecompress (&r.info, JPEG_LIB_VERSION, sizeof r.info);
  r.progress.progress_monitor = count_scans;
  r.info.progress = &r.progress;
  const gboolean read = read_picture (&r, data, size, reduction, most_pixels, begin, row, user_data);
  r.jpeg->jpeg_destroy_decompress (&r.info);
  g_free (r.pixels);
  return read && !(grey && r.errors.base.num_warnings > 0);
}

gboolean
dp_image_jpeg (gconstpointer data, gsize size, guint reduction, guint64 most_pixels, DpImageSize begin, DpImageRow row, gpointer user_data)
{
  return decode (FALSE, data, size, reduction, most_pixels, begin, row, user_data);
}

gboolean
dp_image_jpeg_grey (gconstpointer data, gsize size, guint64 most_pixels, DpImageSize begin, DpImageRow row, gpointer user_data)
{
  return decode (TRUE, data, size, 1, most_pixels, begin, row, user_data);
}
