/* pipeline/pictures.h - PNG, JPEG and TIFF inputs as documents; runs only inside the child.
 *
 * A picture is a document of one page, a TIFF may have many.  What the file holds is
 * decided by its first bytes, never by its name.  A page is as large as its pixels at the
 * picture's own resolution, if that gives a sheet of believable size, else at a resolution
 * between 150 and 300 dpi at which the long side comes nearest to A4's.
 */
#pragma once

#include "pipeline/pdf_extract.h"

G_BEGIN_DECLS

typedef struct DpPicture DpPicture;

/* TRUE if the first n bytes are those of a PNG, JPEG or TIFF file. */
gboolean dp_picture_is (const guint8 *data, gsize n);

/* Takes a reference on bytes.  NULL and a DP_EXTRACT_ERROR if no page header can be read. */
DpPicture *dp_picture_new (GBytes *bytes, const DpPdfLimits *limits, GError **error);
void dp_picture_free (DpPicture *picture);

guint dp_picture_n_pages (const DpPicture *picture);
/* The file, n bytes. */
const guint8 *dp_picture_bytes (const DpPicture *picture, gsize *n);
DpDocumentInfo *dp_picture_info (const DpPicture *picture);

/* Fills out (new): page size and one image covering the page.  Decodes, so that damage
 * is reported here; the pixels are kept for dp_picture_render of the same page.
 * FALSE and a DP_EXTRACT_ERROR: damaged, or more than limits.max_pixels. */
gboolean dp_picture_page (DpPicture *picture, guint number, DpPageArrays *out, GError **error);

/* The page's rectangle; empty, and error set, if it cannot be decoded. */
DpRect dp_picture_box (DpPicture *picture, guint number, GError **error);

/* Like dp_pdf_extract_render. */
cairo_surface_t *dp_picture_render (DpPicture *picture, guint number, DpRect box, double dpi, gboolean grey, GError **error);

/* Resolution at which width x height pixels are taken to be printed; file_dpi 0 = unknown. */
double dp_picture_dpi (guint width, guint height, double file_dpi);

/* EXIF orientation (1..8) of a JPEG file; 1 if it has none.  Tag 0x0112 of the first
 * directory of the TIFF structure in APP1 (EXIF 2.3, 4.5.4 and 4.6.4). */
guint dp_jpeg_orientation (const guint8 *data, gsize n);

/* Versions of the decoders, one line for `docparse doctor`; with dp_picture_is the only function here
 * that the parent may call.  Caller frees. */
char *dp_picture_decoders (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpPicture, dp_picture_free)

G_END_DECLS
