/* pipeline/pdf_scan.h - a page that is nothing but one image, as scanners make them: its pixels without painting; runs only inside the child.
 *
 * poppler makes four bytes of each pixel, paints them on a page of four bytes a pixel, and only then they become grey: at 300 dpi
 * that is half the time of finding the lines.  Where the tap saw one plain image and nothing else (pdf_tap.h), and the
 * file's own bytes tell the same image (pdf_images.h), its pixels are decoded to grey and laid down as they are, or enlarged up to
 * twice their size.
 */
#pragma once

#include "pipeline/pdf_extract.h"
#include "pipeline/pdf_images.h"

G_BEGIN_DECLS

/* Whether nothing but one opaque image, upright and uncut, is on the page; *image is then that. */
gboolean dp_pdf_scan_is (const DpPageArrays *page, DpImage *image);

/* The whole page at dpi: a CAIRO_FORMAT_A8 surface of luminance.  NULL: not without painting (another storage than
 * dp_pdf_images_grey() takes; another resolution than from the image's own to
 * twice that; more than most_pixels). */
cairo_surface_t *dp_pdf_scan_render (DpPdfImages *images, const DpImage *image, DpRect page, double dpi, guint64 most_pixels);

/* ---- also for pictures.c ---- */
/* Whether the image is as large on the page at dpi as it is stored, or up to twice as large, and neither has more than most_pixels. */
gboolean dp_pdf_scan_fits (const DpImage *image, DpRect page, double dpi, guint64 most_pixels);
/* The page with these pixels of an image that fits (CAIRO_FORMAT_A8) on white.  Takes pixels; may be in an error state. */
cairo_surface_t *dp_pdf_scan_lay (cairo_surface_t *pixels, const DpImage *image, DpRect page, double dpi);

G_END_DECLS
