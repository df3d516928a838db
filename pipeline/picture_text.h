/* pipeline/picture_text.h - is an image on a page with a text layer a picture of text, that is to be read?
 *
 * One rule in steps, each of which costs far less than the next; most images are photographs, logos and charts,
 * and should cost nothing.
 *
 *   place     where the image lies, how large it is, what is painted over it       dp_picture_text_boxes()
 *   colours   a look at its stored pixels, before anything is rendered             dp_pdf_image_may_be_text(), image_look.h
 *   glance    rendered at few dots an inch: lines as below                         dp_picture_text_glance()
 *   shape     rendered: rows that could be prose or a table, and little else       dp_picture_text_scan()
 *   words     read: prose or a table it is                                         dp_picture_text_reading()
 *
 * No step may turn down what the later ones would take: the labels of a chart or of a drawing belong to the
 * picture and say little without it, so what counts in the end is the words.
 */
#pragma once

#include "layout/scan.h"
#include "pipeline/recognise.h"

G_BEGIN_DECLS

/* DpRect: where images lie that are large enough for some lines of text, tiles put together, and have no text of the page
 * on them. */
GArray *dp_picture_text_boxes (const DpPage *page);

/* The least resolution at which lines of usual type can be told from a drawing. */
#define DP_PICTURE_TEXT_GLANCE 100.0

/* Whether it is worth to render a part of a page so that it can be read.  scan: of its picture at the resolution above. */
gboolean dp_picture_text_glance (const DpScan *scan);

/* Whether so much of a part of a page is rows of text that it is worth reading.  read: a byte per line of the scan, 0 = it
 * turned out to be no text; NULL: not read yet. */
gboolean dp_picture_text_scan (const DpScan *scan, const guint8 *read);

/* Whether what was read of a part is prose or a table.  box: of the part, points. */
gboolean dp_picture_text_reading (const DpPageReading *reading, DpRect box);

G_END_DECLS
