/* pipeline/pdf_scan.h - a page that is nothing but one image, as scanners make them: its pixels without painting; runs only inside the child.
 *
 * poppler makes four bytes of each pixel, paints them on a page of four bytes a pixel, and only then they become grey: at 300 dpi
 * that is half the time of finding the lines.  Where the tap saw one plain image and nothing else (pdf_tap.h), and the
 * file's own bytes tell the same image (pdf_images.h), its pixels are decoded to grey and laid down as they are, or doubled.
 */
#pragma once

#include "pipeline/pdf_extract.h"
#include "pipeline/pdf_images.h"

G_BEGIN_DECLS

/* Whether nothing but one opaque image, upright and uncut, is on the page; *image is then that. */
gboolean dp_pdf_scan_is (const DpPageArrays *page, DpImage *image);

/* The whole page at dpi: a CAIRO_FORMAT_A8 surface of luminance.  NULL: not without painting (another storage than
 * dp_pdf_images_grey() takes; another resolution than the image's own or twice that; more than most_pixels). */
cairo_surface_t *dp_pdf_scan_render (DpPdfImages *images, const DpImage *image, DpRect page, double dpi, guint64 most_pixels);

G_END_DECLS
