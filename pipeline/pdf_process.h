/* pipeline/pdf_process.h - child processes as objects: start, ask, end, keep warm.
 *
 * What pdf.c builds on.  A process serves one DpPdf at a time; between documents it waits
 * in a pool of this process, the only state here that outlives a DpPdf.
 */
#pragma once

#include "pipeline/pdf_wire.h"

G_BEGIN_DECLS

typedef struct DpPdfProcess DpPdfProcess;

/* What became of a request that got no answer. */
typedef enum {
  DP_DEATH_NONE,
  DP_DEATH_CRASH, /* a signal or an exit that we did not cause: worth a retry in a new process */
  DP_DEATH_LIMIT, /* time or memory: a retry would end the same way */
  DP_DEATH_START, /* died, or was silent, before it said hello: our fault, not the document's */
} DpPdfDeathKind;

typedef struct {
  DpPdfDeathKind kind;
  char *sentence; /* "the PDF library crashed (SIGSEGV)"; owned */
} DpPdfDeath;

/* A process with this address space, from the pool unless fresh, else new.  pictures: it must be able
 * to open PNG, JPEG and TIFF files, too.  NULL: DP_PDF_ERROR_SYSTEM. */
DpPdfProcess *dp_pdf_process_acquire (guint64 max_memory, gboolean pictures, gboolean fresh, GError **error);

/* Tells it to drop its document and puts it into the pool; ends it if it is old or too many wait. */
void dp_pdf_process_release (DpPdfProcess *process);

/* Ends it now and frees it.  NULL is fine. */
void dp_pdf_process_end (DpPdfProcess *process);

/* Sends request (with descriptor fd, or -1) and waits for the reply, at most wall_ms (0 =
 * for ever).  TRUE: *reply is filled and well-formed, *out is the descriptor that came
 * with it or -1.  FALSE: the process is dead, *death says how (sentence to free); only
 * dp_pdf_process_end may follow.  limits: for the sentence. */
gboolean dp_pdf_process_ask (DpPdfProcess *process, const DpWireRequest *request, int fd, const DpPdfLimits *limits, DpWireReply *reply,
                             int *out, DpPdfDeath *death);

/* The two halves of it, for callers who have something to do in between; fd, *reply, *out and *death as there. */
gboolean dp_pdf_process_send (DpPdfProcess *process, const DpWireRequest *request, int fd, const DpPdfLimits *limits, DpPdfDeath *death);
gboolean dp_pdf_process_receive (DpPdfProcess *process, const DpPdfLimits *limits, DpWireReply *reply, int *out, DpPdfDeath *death);

gint dp_pdf_process_pid (const DpPdfProcess *process);
/* Documents it was asked to open, the present one included. */
guint dp_pdf_process_n_documents (const DpPdfProcess *process);

/* It has said that the next request should go to a new process. */
gboolean dp_pdf_process_is_worn (const DpPdfProcess *process);

/* Starts one for the pool without waiting for it. */
void dp_pdf_process_prewarm (guint64 max_memory, gboolean pictures);
/* No further documents come: one that is released ends at once, instead of waiting in the pool, while its parent still works. */
void dp_pdf_process_expect_no_more (void);
/* Ends all that wait in the pool or are ending, and waits for them; the pool is as at the start. */
void dp_pdf_process_clear_pool (void);

G_END_DECLS
