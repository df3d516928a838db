/* pipeline/progress.h - the status line of a terminal: pages done, pages a second, time left. */
#pragma once

#include "pipeline/log.h"

G_BEGIN_DECLS

typedef struct DpProgress DpProgress;

/* log: borrowed; it draws the line, and draws nothing when stderr is no terminal. */
DpProgress *dp_progress_new (DpLog *log, guint n_documents);
void dp_progress_free (DpProgress *progress); /* clears the line */

/* From any thread. */
void dp_progress_document_opened (DpProgress *progress, guint n_pages);
void dp_progress_page_done (DpProgress *progress);
void dp_progress_document_done (DpProgress *progress);

/* Draws the line; called a few times a second. */
void dp_progress_show (DpProgress *progress);

/* The line for given figures, seconds since the start: "3 of 12 documents, 45 pages, 31.2
 * pages/s, about 0:12 left".  pages_known is what the opened documents have, of n_opened. */
char *dp_progress_line (guint n_documents, guint n_opened, guint n_finished, guint pages_known, guint pages_done, double seconds);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpProgress, dp_progress_free)

G_END_DECLS
