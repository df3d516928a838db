/* pipeline/recognise_page.h - pages of a document that a recogniser has to read: whole, or in parts. */
#pragma once

#include "layout/document.h"
#include "pipeline/pdf.h"
#include "pipeline/recognise.h"

G_BEGIN_DECLS

/* The page as the recogniser reads it: owned, and *reading (owned) what was read.  What it took is added to *cost.  NULL with an error. */
DpPage *dp_recognise_page (const DpRecogniser *recogniser, DpPdf *pdf, const DpPage *page, DpPageReading **reading, DpReadingCost *cost,
                           GError **error);

/* A page whose own text is trusted: images on it that hold text and hardly anything else are read, those
 * that have text of the page on them are not.  NULL if there is none, or none could be read; else a page with what was
 * read (owned; page is borrowed and has to live as long) and *reading (owned): the lines of all parts, on the page. */
DpPage *dp_recognise_parts (const DpRecogniser *recogniser, DpPdf *pdf, const DpPage *page, DpPageReading **reading, DpReadingCost *cost);

/* Says of blocks of the page that were read where their text comes from, and with what confidence: the mean over the
 * characters of the lines in their boxes.  whole: all of the page was read, also blocks without a line of their own. */
void dp_mark_recognised (DpBlock *block, const DpPageReading *reading, gboolean whole);

G_END_DECLS
