/* pipeline/recognise.h - who reads what has no text layer.
 *
 * The interface between the life of a document (convert.c) and a reader of pictures: a
 * line recogniser, a vision-language model.  convert.c hands it the picture of a page and
 * gets lines of text with their boxes; dp_recognise_page() makes a page of glyphs out of
 * them, so that everything after it is the same as for a page that had text.
 */
#pragma once

#include "layout/page.h"

G_BEGIN_DECLS

/* One line of text, as read. */
typedef struct {
  DpRect box;       /* points, on the page */
  char *text;       /* UTF-8, one line; NULL or "" = nothing there; owned by the reading */
  float confidence; /* 0..1 */
} DpReading;

void dp_reading_clear (gpointer reading);

typedef struct {
  const char *name; /* in reports: "nano" */
  double dpi;       /* resolution it wants pages at */
  gpointer data;
  /* Finds and reads the lines of a page picture (CAIRO_FORMAT_A8 luminance, 0 = black, or
   * RGB24).  Returns an array of DpReading in reading order, boxes in points, or NULL. */
  GArray *(*read_page) (gpointer data, cairo_surface_t *picture, double dpi, GError **error);
} DpRecogniser;

/* A page (free with dp_page_free) with the size and number of `like` whose text layer is
 * the readings: each line's characters share its box evenly, white space becomes
 * DP_GLYPH_SPACE and the end of a line DP_GLYPH_BREAK.  Readings without text or with a
 * box that is empty or not finite are passed over. */
DpPage *dp_recognised_page (const DpPage *like, const GArray *readings);

/* Lets recogniser read the picture of page `like` and makes a page of it.  confidence:
 * mean over characters, 0 if nothing was read.  NULL with the recogniser's error. */
DpPage *dp_recognise_page (const DpRecogniser *recogniser, const DpPage *like, cairo_surface_t *picture, double dpi, float *confidence,
                           GError **error);

G_END_DECLS
