/* pipeline/pdf.h - a PDF (or picture) as docparse sees it: pages on request.
 *
 * The PDF library never runs in this process.  Each DpPdf drives a child (the same
 * binary with the private option --pdf-child, see pdf_child.c) that is limited
 * (pdf_limits.h) and sandboxed (sandbox.h); a page comes back as a sealed memory file
 * that is checked before use (bundle.h).  A crash, a kill or a timeout costs the page:
 * the child is started anew behind the DpPdf and the next page works.  After two such
 * strikes the document is given up.
 *
 * Threads: one DpPdf belongs to one thread at a time.  Several DpPdf, also of the same
 * file, run in parallel; that is how a long document is read in page ranges.
 *
 * Children of well-behaved documents are kept warm for the next dp_pdf_open() of this
 * process, so that a batch of small files pays for start-up once.
 */
#pragma once

#include "layout/page.h"
#include "pipeline/pdf_limits.h"
#include "pipeline/text_pages.h"

G_BEGIN_DECLS

typedef struct DpPdf DpPdf;

#define DP_PDF_MAX_STRIKES 2

#define DP_PDF_ERROR (dp_pdf_error_quark ())
GQuark dp_pdf_error_quark (void);

/* Every message is a sentence without the file's name ("page 3: the PDF library
 * crashed (SIGSEGV)"): the caller knows the file and puts it in front. */
typedef enum {
  DP_PDF_ERROR_NOT_FOUND, /* no such file, or not readable for us */
  DP_PDF_ERROR_NOT_PDF,   /* neither PDF nor PNG, JPEG, TIFF; or damaged beyond reading; a directory; empty */
  DP_PDF_ERROR_PASSWORD,  /* a password is needed, or the one given is wrong */
  DP_PDF_ERROR_PAGE,      /* this page (or opening) failed: crash, time, memory, limits; others may work */
  DP_PDF_ERROR_STRIKES,   /* the document was given up after two strikes; every further call says so */
  DP_PDF_ERROR_SYSTEM,    /* our side: no child could be started, no descriptor left, ... */
} DpPdfError;

/* Opens path.  "-" is standard input: a regular file there is read in place, a pipe is
 * first copied to an unlinked temporary file (so only the first dp_pdf_open ("-") of a
 * process sees the bytes of a pipe).  A caller that has its own spooled, unlinked file
 * passes "/proc/self/fd/N".  Named pipes are spooled too.
 * password: UTF-8, or NULL.  Files with only an owner password open without one.
 * limits: NULL means DP_PDF_LIMITS_DEFAULT; copied.
 * Returns a DpPdf (free with dp_pdf_close) or NULL with an error of DP_PDF_ERROR; a
 * crash or timeout while opening is DP_PDF_ERROR_NOT_PDF with a message that says what
 * happened (one retry is made where the reason may be outside the file). */
DpPdf *dp_pdf_open (const char *path, const char *password, const DpPdfLimits *limits, GError **error);

/* Number of pages, known since opening; may be 0. */
guint dp_pdf_n_pages (const DpPdf *pdf);

/* Facts about the document; owned by pdf, valid until dp_pdf_close, never NULL.  Read from
 * the file at the first call (outline and structure tree can be long), so ask one DpPdf
 * of a document only.  If reading them fails, only path, n_pages and is_picture are
 * filled, and it counts as a strike. */
const DpDocumentInfo *dp_pdf_info (DpPdf *pdf);

/* Reads page number (1-based).  Free with dp_page_free; may outlive pdf.  A picture
 * input gives a page without glyphs and one image covering it.
 * NULL: DP_PDF_ERROR_PAGE (also for a number out of range), _STRIKES or _SYSTEM. */
DpPage *dp_pdf_page (DpPdf *pdf, guint number, GError **error);

/* Has page number read while the caller does something else: the next dp_pdf_page() of it waits less.  Other questions may come
 * first.  Does nothing if a page is asked for already, or there is none of that number. */
void dp_pdf_page_ahead (DpPdf *pdf, guint number);

/* FALSE: the colours of an image of that page say that it is no picture of text; about a millisecond.
 * TRUE also where nothing is known (pdf_images.h).
 * *picture (owned; picture may be NULL): where the colours do not say so and all of the image was seen, what fills its box
 * (CAIRO_FORMAT_A8 luminance), at the resolution of pdf_images.h; else NULL. */
gboolean dp_pdf_image_may_be_text (DpPdf *pdf, guint number, const DpImage *image, cairo_surface_t **picture);
/* It turned out not to be one: a logo on every page is asked about once.  Remembered where the image is known to be the same, for
 * its place and size. */
void dp_pdf_image_is_no_text (DpPdf *pdf, const DpImage *image);

/* Renders box (points of that page, y down; cut to the page; all 0 = the whole page)
 * at dpi onto white.  grey: CAIRO_FORMAT_A8 holding luminance (0 = black), else
 * CAIRO_FORMAT_RGB24.  ceil (points * dpi / 72) pixels on each side, at least 1; the dpi is
 * lowered where limits.max_pixels or 32,000 pixels on a side would be passed.
 * Returns a surface to destroy with cairo_surface_destroy; may outlive pdf, may be drawn on.
 * NULL: as dp_pdf_page. */
cairo_surface_t *dp_pdf_render (DpPdf *pdf, guint number, DpRect box, double dpi, gboolean grey, GError **error);

/* Takes the next n bytes of a file; FALSE with an error ends it. */
typedef gboolean (*DpPdfSink) (gpointer data, gconstpointer bytes, gsize n, GError **error);

/* Writes the file as it is, with words added to n of its pages that can be found and selected but not seen (pdf_update.h); with n = 0
 * it is a copy.  A picture becomes a PDF that shows it as it is stored (picture_pdf.h).  FALSE with an error of DP_PDF_ERROR, before
 * anything is written, if the file does not allow it: some kinds of pictures, pictures with n = 0, encrypted and damaged files, those of
 * more than 128 MB. */
gboolean dp_pdf_write_with_text (DpPdf *pdf, const DpTextPage *pages, guint n, DpPdfSink sink, gpointer data, GError **error);

/* How often a process was lost over this document since it was opened here. */
guint dp_pdf_strikes (const DpPdf *pdf);

/* For a document of which nothing may be asked any more: gives its child back.  Whoever asks all the same waits for another one. */
void dp_pdf_rest (DpPdf *pdf);

/* Drops the document; the child is kept warm if it behaved.  NULL is fine. */
void dp_pdf_close (DpPdf *pdf);

/* Process id of the child that serves pdf now, or 0: for tests and for `docparse doctor`. */
gint dp_pdf_child_pid (const DpPdf *pdf);

/* Starts one warm child in the background so that it loads its libraries while the
 * caller still looks for its inputs; pictures: what decodes pictures, too.  Cheap; never fails loudly. */
void dp_pdf_prewarm (gboolean pictures);

/* No further documents come: a child whose document is closed or rests ends at once, while the caller still works. */
void dp_pdf_expect_no_more (void);

/* Ends the idle warm children and waits for them.  Optional: they also end with this
 * process. */
void dp_pdf_shutdown (void);

/* The child's main program; main() calls it when argv[1] is DP_PDF_CHILD_OPTION. */
#define DP_PDF_CHILD_OPTION "--pdf-child"
#define DP_PDF_CHILD_PICTURES "pictures" /* last argument of one that can open pictures */
int dp_pdf_child_main (int argc, char **argv);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpPdf, dp_pdf_close)

G_END_DECLS
