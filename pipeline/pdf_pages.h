/* pipeline/pdf_pages.h - the page tree of a PDF, read beside poppler from the file's own bytes (pdf_objects.h).
 *
 * For what poppler-glib does not tell of a page: its unit, its content streams, its boxes in their own space.
 */
#pragma once

#include "pipeline/pdf_objects.h"

G_BEGIN_DECLS

typedef struct {
  guint number;        /* of its object */
  DpPdfText body;      /* its dictionary */
  DpPdfText resources; /* its own or inherited; p NULL: none */
  double box[4];       /* the part that is shown, in default user space: x0 < x1, y0 < y1; all 0 if nothing usable is said */
  gint rotate;         /* clockwise: 0, 90, 180 or 270 */
} DpPdfPageNode;

/* DpPdfPageNode for up to n_pages pages, in the order in which poppler counts them; the caller unrefs. */
GArray *dp_pdf_pages_read (DpPdfObjects *objects, guint n_pages);

G_END_DECLS
