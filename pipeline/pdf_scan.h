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

/* ---- also for pictures.c ---- */
/* Whether the image is as large on the page at dpi as it is stored: 1, or twice as large: 2; 0: another size, or a page of more
 * than most_pixels. */
gint dp_pdf_scan_enlarged (const DpImage *image, DpRect page, double dpi, guint64 most_pixels);
/* The page with these pixels of the image (CAIRO_FORMAT_A8) on white, where that is not 0.  Takes pixels; may be in an error state. */
cairo_surface_t *dp_pdf_scan_lay (cairo_surface_t *pixels, const DpImage *image, DpRect page, double dpi, guint64 most_pixels);

G_END_DECLS
