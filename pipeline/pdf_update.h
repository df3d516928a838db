/* pipeline/pdf_update.h - words that are not seen, added to a PDF without changing what is there; runs only inside the child.
 *
 * An incremental update (ISO 32000-2, 7.5.6): what has to be appended to the file so that some of its pages also hold text.  The
 * images of scans keep their streams, other pages stay what they are, with their links, outline and tags.  A page that was
 * read lying or askew stands upright and straight afterwards, by /Rotate and a matrix before its content.
 */
#pragma once

#include "pipeline/pdf_units.h"
#include "pipeline/text_pages.h"

G_BEGIN_DECLS

/* Appends the update of the PDF of size bytes at data, which has n_pages pages, to out; pages: DpTextPage.  FALSE where that cannot be
 * done: encrypted files, those whose cross-reference table or page tree is not where it is said to be, pages that have another size. */
gboolean dp_pdf_update (gconstpointer data, gsize size, const DpPdfUnits *units, guint n_pages, const GArray *pages, GByteArray *out);

G_END_DECLS
