/* pipeline/pdf_complaints.h - what poppler says about a page while it reads it; runs only inside the child.
 *
 * A page whose content is damaged comes out of poppler as one that is blank.  What tells them apart is what poppler says:
 * its C interface hands the errors of the library to GLib's log, as messages of the domain "Poppler".
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  guint handler;
  char *first; /* the first error of syntax or inside of poppler; NULL = none so far */
} DpPdfComplaints;

/* Listens from now on to what is said in this process; complaints must stay where it is. */
void dp_pdf_complaints_begin (DpPdfComplaints *complaints);
void dp_pdf_complaints_end (DpPdfComplaints *complaints);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (DpPdfComplaints, dp_pdf_complaints_end)

G_END_DECLS
