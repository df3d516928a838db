/* ops/quantise.h - from a float matrix to the integer weights that operators take (on the host, when a model is loaded). */
#pragma once

#include "ops/tensor.h"

G_BEGIN_DECLS

/* Rounds w [rows, cols] to i8 or i4 in groups of `group` columns (0: a whole row), as DpWeightSource wants it:
 *   data    rows * cols bytes (i8) or rows * ceil (cols/2) bytes (i4)
 *   scales  rows * ceil (cols/group)
 *   zeros   alike, or NULL for symmetric quantisation
 * Symmetric: scale = max |w| / 127 (i8) or / 7 (i4), q = rint (w / scale).  With zeros: the range of the group, 0 included,
 * is laid over -127..127 or 0..15, and 0 itself stays exact.  A group of zeros has scale 1.  w must be finite. */
void dp_quantise (const float *w, guint32 rows, guint32 cols, DpType type, guint32 group, guint8 *data, float *scales, float *zeros);

G_END_DECLS
