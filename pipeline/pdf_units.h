/* pipeline/pdf_units.h - the UserUnit of each page (ISO 32000-2, table 31), which poppler-glib does not tell.
 *
 * Beside poppler, not through it: a small reader of the file's own bytes that knows objects, object streams and
 * the page tree, and nothing else.  Files that do not hold the word, which is nearly all, cost a search for it, and the
 * inflating of their object streams where they have such.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct DpPdfUnits DpPdfUnits;

/* Reads size bytes at data, a PDF of n_pages pages; anything may be in them.  NULL if every page's unit is 1/72 in,
 * or cannot be told: object streams of encrypted files, and what names itself in escapes (/User#55nit), are not read. */
DpPdfUnits *dp_pdf_units_read (gconstpointer data, gsize size, guint n_pages);
void dp_pdf_units_free (DpPdfUnits *units);

/* Longest side of a page in points that is believed. */
#define DP_PDF_MAX_SIDE 1e6

/* Points that one unit of a page is long; number counts from 1, width and height are the page's in its own
 * units.  From 0.01 to 75,000; 1 where nothing usable is said, or it would make the page longer than
 * DP_PDF_MAX_SIDE.  units NULL: 1. */
double dp_pdf_units_of (const DpPdfUnits *units, guint number, double width, double height);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpPdfUnits, dp_pdf_units_free)

G_END_DECLS
