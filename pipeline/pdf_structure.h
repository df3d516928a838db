/* pipeline/pdf_structure.h - the structure tree of a tagged PDF, and where its elements' text begins on the pages.
 *
 * Beside poppler, which finds the text of an element by interpreting its whole page again, once for each piece of marked
 * content.  Here every content stream is scanned once (pdf_content.h) for the places where marked text begins; the
 * lines that stand there tell the rest.  Linear in the file.
 */
#pragma once

#include <glib.h>

#include "pipeline/pdf_units.h"

G_BEGIN_DECLS

/* Reads size bytes at data, a PDF of n_pages pages; anything may be in them.  Appends DpTag (text "") to tags and DpMark
 * to marks, sorted by page; both stay as they were if there is no tree or it cannot be read: encrypted files, content
 * streams with other filters than Flate.  units as for all places of the document, may be NULL. */
void dp_pdf_structure_read (gconstpointer data, gsize size, guint n_pages, const DpPdfUnits *units, GArray *tags, GArray *marks);

G_END_DECLS
