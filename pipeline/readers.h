/* pipeline/readers.h - one document opened by several threads of the crew.
 *
 * The thread that owns the document has it open all the time; a thread that comes to help
 * opens it for itself (its own child process of the PDF stage) and closes it when there is
 * nothing left to do.
 */
#pragma once

#include "pipeline/crew.h"
#include "pipeline/pdf.h"

G_BEGIN_DECLS

typedef struct DpReaders DpReaders;

/* Opens the document for the calling thread.  path, password, limits and stop are borrowed;
 * errors are those of dp_pdf_open(). */
DpReaders *dp_readers_open (DpCrew *crew, const char *path, const char *password, const DpPdfLimits *limits, const gint *stop,
                            GError **error);
void dp_readers_close (DpReaders *readers);

const DpDocumentInfo *dp_readers_info (DpReaders *readers);
/* The owner's own, for work that is not shared. */
DpPdf *dp_readers_own (DpReaders *readers);

/* Nothing more will be asked of the document, most likely; see dp_pdf_rest(). */
void dp_readers_rest (DpReaders *readers);

/* TRUE when the run was interrupted. */
gboolean dp_readers_stopped (const DpReaders *readers);

/* Remembers from an error that the PDF stage gave the document up, so that no thread tries
 * on; so do two strikes, whichever threads had them; TRUE from then on, with error NULL just asks. */
gboolean dp_readers_given_up (DpReaders *readers, const GError *error);

/* Calls work for items 0..n_items-1, on several threads, each with its own open document.
 * Items are left out once the run is stopped or the document given up. */
typedef void (*DpReadersWork) (DpReaders *readers, DpPdf *pdf, guint item, gpointer data);
void dp_readers_each (DpReaders *readers, guint n_items, guint chunk, DpReadersWork work, gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpReaders, dp_readers_close)

G_END_DECLS
