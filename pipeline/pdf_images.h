/* pipeline/pdf_images.h - a look at an image of a PDF as it is stored; runs only inside the child.
 *
 * poppler decodes an image in full, a row at a time and with its colour profile: 20 to 80 ns a pixel, and a page's images cost
 * more than its text.  Whether one could be a picture of text shows in a few rows (image_look.h).  The images are found in
 * the file's own bytes (pdf_objects.h) by their size, which is what the tap sees of them (pdf_tap.h).
 */
#pragma once

#include <cairo.h>
#include <glib.h>

G_BEGIN_DECLS

typedef struct DpPdfImages DpPdfImages;

/* The images of the PDF of size bytes at data, which must stay. */
DpPdfImages *dp_pdf_images_read (gconstpointer data, gsize size);
void dp_pdf_images_free (DpPdfImages *images);

/* FALSE if all images with so many pixels, or with a mask of so many, are photographs, charts, maps.  TRUE also where nothing
 * can be said: no such image, more than most_pixels, filters but FlateDecode and DCTDecode, other depths than 8 bits,
 * colour spaces but grey, RGB, ICC profiles of these and indexed ones, encrypted files.
 * dpi: the resolution at which the page shows it.
 * *picture (owned; picture may be NULL): the image as dp_image_look_picture() has it, where it may be text, is the only one of its size
 * and is painted as it is decoded; on white where it has a soft mask.  Else NULL. */
gboolean dp_pdf_images_may_be_text (DpPdfImages *images, guint width, guint height, double dpi, guint64 most_pixels,
                                    cairo_surface_t **picture);
/* Whether the file has exactly one image of that size: then it is the same one wherever that size is seen. */
gboolean dp_pdf_images_is_single (const DpPdfImages *images, guint width, guint height);

/* The luminance of the file's only image of that size, its rows from the top: CAIRO_FORMAT_A8, 0 = black; the caller's.  NULL: there is none
 * or more than one, it is larger than most_pixels, damaged, encrypted, or not plain: masks, palettes, tables of values, other filters than
 * one FlateDecode or DCTDecode, other depths than 8 bits and 1 bit of grey. */
cairo_surface_t *dp_pdf_images_grey (DpPdfImages *images, guint width, guint height, guint64 most_pixels);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpPdfImages, dp_pdf_images_free)

G_END_DECLS
