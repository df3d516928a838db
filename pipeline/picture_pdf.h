/* pipeline/picture_pdf.h - a picture as a PDF of one page, its pixels as they are stored; runs only inside the child.
 *
 * PDF takes the bytes of JPEG files as they are (DCTDecode), and the compressed rows of PNG files with their filters (FlateDecode with
 * a predictor: ISO 32000-2, 7.4.4.4), so that nothing is decoded, made coarser or larger.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Appends a PDF whose page of width x height points shows the picture of n bytes at data.  FALSE for what cannot be kept as it is:
 * TIFF, JPEG of four colours, PNG with transparency or interlaced rows, mirrored pictures of cameras, more than a gigabyte. */
gboolean dp_picture_pdf (const guint8 *data, gsize n, double width, double height, GByteArray *out);

G_END_DECLS
