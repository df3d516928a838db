/* pipeline/pdf_notes.h - what lies on a page without being part of it: links, form fields, comments. */
#pragma once

#include "pipeline/pdf_extract.h"

G_BEGIN_DECLS

/* Each adds what the page has to the arrays of out; what is beyond
 * limits->max_objects is counted in out->n_truncated. */
void dp_pdf_read_links (PopplerPage *page, const DpPdfLimits *limits, const DpPdfSpace *space, DpPageArrays *out);
void dp_pdf_read_fields (PopplerPage *page, const DpPdfLimits *limits, const DpPdfSpace *space, DpPageArrays *out);
/* Comments only: annotations whose words are nowhere on the page itself. */
void dp_pdf_read_annotations (PopplerPage *page, const DpPdfLimits *limits, const DpPdfSpace *space, DpPageArrays *out);

G_END_DECLS
