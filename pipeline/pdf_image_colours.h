/* pipeline/pdf_image_colours.h - samples of an image of a PDF as red, green and blue; runs only inside the child.
 *
 * Of the colour spaces of ISO 32000-2, 8.6, those that need no arithmetic: grey, RGB, ICC profiles with as many components, which are
 * near enough to them for a look (image_look.h), and tables of such colours.
 */
#pragma once

#include "pipeline/pdf_objects.h"

G_BEGIN_DECLS

typedef struct {
  guint n;         /* components; 0 = a colour space that is not known here */
  guint8 *palette; /* of an indexed one: 256 colours of three bytes; owned */
} DpPdfColours;

/* Reads /ColorSpace of the dictionary of an image.  Clear it. */
void dp_pdf_colours_read (DpPdfObjects *objects, DpPdfText dictionary, DpPdfColours *colours);
void dp_pdf_colours_clear (DpPdfColours *colours);

/* A row of width pixels of n bytes each becomes one of three bytes each. */
void dp_pdf_colours_to_rgb (const DpPdfColours *colours, const guint8 *row, guint width, guint8 *rgb);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (DpPdfColours, dp_pdf_colours_clear)

G_END_DECLS
