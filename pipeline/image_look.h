/* pipeline/image_look.h - a look at the colours of an image: could it be a picture of text?
 *
 * Text is ink on paper: one colour covers most of the picture, and marks are spread over it; other colours do not cover areas
 * of their own, or less than the letters do (the head of a table).  A photograph has no paper, a chart has areas: bars,
 * sectors, a map's land.  That shows in few pixels (a hundred in an inch will do), so
 * it is asked of the stored image before anything is rendered or scanned; see picture_text.h for what follows.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct DpImageLook DpImageLook;

/* For an image of width pixels a row, dpi of them in an inch of the page. */
DpImageLook *dp_image_look_new (guint width, double dpi);
void dp_image_look_free (DpImageLook *look);

/* Each so many rows and columns are looked at; the others need not be given to dp_image_look_row(). */
guint dp_image_look_step (const DpImageLook *look);
/* The next row that is looked at: width pixels of three bytes. */
void dp_image_look_row (DpImageLook *look, const guint8 *rgb);

/* Of what was seen. */
typedef struct {
  double paper;  /* share of the colour that covers most, with what is close to it */
  gboolean dark; /* that colour is dark */
  double marks;  /* share of squares of 4 points that have more than one colour: letters, lines, edges */
  double areas;  /* share of squares of 8 points that another colour fills */
} DpImageColours;

DpImageColours dp_image_look_colours (DpImageLook *look);
/* FALSE: this is a photograph, a chart, a map. */
gboolean dp_image_colours_may_be_text (DpImageColours colours);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpImageLook, dp_image_look_free)

G_END_DECLS
