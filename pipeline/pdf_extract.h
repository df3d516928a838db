/* pipeline/pdf_extract.h - poppler-glib to flat arrays; runs only inside the sandboxed child.
 *
 * Two views of a page, gathered in one pass where possible: the text layer (characters with
 * boxes, fonts, colours) and the cairo tap (pipeline/pdf_tap.h: what is really painted, where
 * and in which order).  Joined, they tell for every character whether a reader sees it, at which exact size, baseline and
 * angle, and how many painted glyphs have no character at all.
 */
#pragma once

#include "layout/page.h"
#include "pipeline/pdf_limits.h"
#include "pipeline/pdf_units.h"
#include "pipeline/poppler.h"

G_BEGIN_DECLS

/* What goes wrong here and in pictures.c; the messages are what a user reads. */
#define DP_EXTRACT_ERROR (dp_extract_error_quark ())
GQuark dp_extract_error_quark (void);
typedef enum { DP_EXTRACT_ERROR_DAMAGED, DP_EXTRACT_ERROR_TOO_LARGE } DpExtractError;

/* A DpPage under construction: arrays of DpGlyph, DpFont, DpPath, DpImage, DpLink, DpNote. */
typedef struct {
  guint32 number;
  float width, height;
  gint32 rotation;
  GArray *glyphs, *fonts, *paths, *images, *links, *notes;
  GByteArray *strings; /* starts with the empty string */
  guint32 n_painted, n_painted_unmapped, n_truncated;
} DpPageArrays;

DpPageArrays *dp_page_arrays_new (void);
void dp_page_arrays_free (DpPageArrays *arrays);
/* Adds a NUL-terminated string (made valid UTF-8) and returns its offset; "" and NULL give 0. */
guint32 dp_page_arrays_add_string (DpPageArrays *arrays, const char *utf8);

/* How poppler's coordinates on a page become points. */
typedef struct {
  double height; /* of the page, in its own units */
  double unit;   /* points in one of them (pdf_units.h) */
} DpPdfSpace;

/* poppler's rectangle, which counts down from the top, with its corners in order; empty if they are no sane numbers. */
DpRect dp_pdf_rect (PopplerRectangle r, const DpPdfSpace *space);

/* Fills out (new) from page number (1-based).  FALSE and error if the page cannot be loaded, or if nothing is on it and
 * poppler complains about it.  units, here and below, may be NULL. */
gboolean dp_pdf_extract_page (PopplerDocument *document, const DpPdfUnits *units, guint number, const DpPdfLimits *limits,
                              DpPageArrays *out, GError **error);

/* The page's rectangle in points; empty if there is no such page. */
DpRect dp_pdf_extract_box (PopplerDocument *document, const DpPdfUnits *units, guint number);

/* Paints box (page points) at dpi onto white.  grey: a CAIRO_FORMAT_A8 surface holding luminance
 * (0 = black), else CAIRO_FORMAT_RGB24.  The dpi is lowered if max_pixels would be passed.
 * NULL and error if the page cannot be loaded or the box is empty. */
cairo_surface_t *dp_pdf_extract_render (PopplerDocument *document, const DpPdfUnits *units, guint number, DpRect box, double dpi,
                                        gboolean grey, const DpPdfLimits *limits, GError **error);

/* ---- pictures, also used by pipeline/pictures.c ---------------------------------------------------- */

/* Whether box has an area and dpi is a positive number. */
gboolean dp_canvas_fits (DpRect box, double dpi);
/* A white RGB24 surface for box (must fit) and, in *cr, a context on it in page points.  The dpi is
 * lowered where max_pixels or cairo's 32767 would be passed.  Both owned by the caller. */
cairo_surface_t *dp_canvas_new (DpRect box, double dpi, const DpPdfLimits *limits, cairo_t **cr);
/* RGB24 to a new A8 surface holding luminance (ITU-R BT.601 weights). */
cairo_surface_t *dp_surface_to_grey (cairo_surface_t *colour);

/* Facts of the document: number of pages, metadata, outline, structure tree. bytes: the file, NULL if it is not at hand. Never NULL. */
DpDocumentInfo *dp_pdf_extract_info (PopplerDocument *document, const DpPdfUnits *units, GBytes *bytes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpPageArrays, dp_page_arrays_free)

G_END_DECLS
