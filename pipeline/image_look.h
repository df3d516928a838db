/* pipeline/image_look.h - a look at the colours of an image: could it be a picture of text?
 *
 * Text is ink on paper: one colour covers most of the picture, and marks are spread over it; other colours do not cover areas
 * of their own, or less than the letters do (the head of a table).  A photograph has no paper, a chart has areas: bars,
 * sectors, a map's land.  That shows in few pixels (a hundred in an inch will do), so
 * it is asked of the stored image before anything is rendered or scanned; see picture_text.h for what follows.
 */
#pragma once

#include <cairo.h>
#include <glib.h>

G_BEGIN_DECLS

typedef struct DpImageLook DpImageLook;

/* For an image of height rows of width pixels, dpi of them in an inch of the page.  height 0: no picture of it is wanted. */
DpImageLook *dp_image_look_new (guint width, guint height, double dpi);
void dp_image_look_free (DpImageLook *look);

/* Whether the next row is looked at; where it is not, its pixels need not be given (NULL). */
gboolean dp_image_look_wants_row (const DpImageLook *look);
/* The next row: width pixels of three bytes. */
void dp_image_look_row (DpImageLook *look, const guint8 *rgb);

/* Of what was seen. */
typedef struct {
  double paper;  /* share of the colour that covers most, with what is close to it */
  gboolean dark; /* that colour is dark */
  double marks;  /* share of squares of 4 points that have more than one colour: letters, lines, edges */
  double areas;  /* share of squares of 8 points that another colour fills */
} DpImageColours;

DpImageColours dp_image_look_colours (DpImageLook *look);
/* What was seen, as a picture of its luminance (CAIRO_FORMAT_A8, 0 = black) at 100 dpi or more, if it has
 * that many; owned.  NULL if not all rows came, or it is huge. */
cairo_surface_t *dp_image_look_picture (const DpImageLook *look);

/* FALSE: this is a photograph, a chart, a map. */
gboolean dp_image_colours_may_be_text (DpImageColours colours);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpImageLook, dp_image_look_free)

G_END_DECLS
