/* pipeline/image_jpeg.h - the pixels of a JPEG, also at a fraction of its size; runs only inside the child.
 *
 * libjpeg makes a picture at a half, a quarter or an eighth from the low frequencies alone, in a fraction of the time.
 * It is the library that poppler itself decodes with, so the process has it loaded; inside the sandbox it could not load it.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Takes a row of width pixels, three bytes each (of grey ones: one); row counts from 0. */
typedef void (*DpImageRow) (gpointer data, guint row, const guint8 *rgb);

/* Told the size of the picture that is coming before the first row. */
typedef void (*DpImageSize) (gpointer data, guint width, guint height);

/* Decodes size bytes at data at 1/reduction (1, 2, 4, 8).  FALSE if they are no JPEG, damaged at the beginning, of other
 * colours than grey and RGB, or larger than most_pixels. */
gboolean dp_image_jpeg (gconstpointer data, gsize size, guint reduction, guint64 most_pixels, DpImageSize begin, DpImageRow row,
                        gpointer user_data);

/* The luminance in full size and quality.  FALSE also where the data is damaged anywhere. */
gboolean dp_image_jpeg_grey (gconstpointer data, gsize size, guint64 most_pixels, DpImageSize begin, DpImageRow row, gpointer user_data);

G_END_DECLS
