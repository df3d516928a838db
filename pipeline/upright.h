/* pipeline/upright.h - pictures of a page as its reader stood it up.
 *
 * A scan that lay on its side or askew is laid out upright (layout/scan.h), so boxes of the document are on
 * the upright page, while the PDF stage paints the page as the file has it.  Here the one becomes the other.
 */
#pragma once

#include "layout/document.h"
#include "pipeline/pdf.h"

G_BEGIN_DECLS

/* From the page as the PDF stage paints it to the upright one, in points: the turn, then the skew about the centre of
 * the page of info->width x info->height. */
cairo_matrix_t dp_upright_matrix (const DpPageInfo *info);

/* Like dp_pdf_render() in colour, for a box of the upright page; without turn and skew the same call. */
cairo_surface_t *dp_upright_render (DpPdf *pdf, const DpPageInfo *info, DpRect box, double dpi, GError **error);

G_END_DECLS
