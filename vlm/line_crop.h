/* vlm/line_crop.h - a crop of a page as the line model was trained to see it (internal to vlm/). */
#pragma once

#include "ops/stream.h"
#include "vlm/line_reader.h"

G_BEGIN_DECLS

/* A picture of 32 rows, one after the other; width 0: nothing to read. */
typedef struct {
  guint32 ink_width; /* columns that come from the crop */
  guint32 width;     /* with what was added at the right, a multiple of the model's columns */
  guint8 *pixels;    /* [32 * width] grey */
} DpLinePicture;

/* Scales crops to 32 rows (triangle filter, wider when shrinking, rounded to 8 bits: Pillow's BILINEAR, which the training
 * uses) and continues them at the right, for a multiple at least, in the grey of their last two columns.  pictures [n]; clear each. Syncs. */
gboolean dp_line_pictures (DpStream *stream, const DpLineCrop *crops, guint n, guint32 column_multiple, guint32 max_columns,
                           DpLinePicture *pictures, GError **error);
void dp_line_picture_clear (DpLinePicture *picture);

/* Appends the picture's pixels as bf16 of value / 127.5 - 1. */
void dp_line_picture_append (const DpLinePicture *picture, guint16 *to);

G_END_DECLS
