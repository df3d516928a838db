/* pipeline/image_png.h - takes back what PNG's predictors did to a row (PNG specification, 9.2; ISO 32000-2, 7.4.4.4). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* kind: 0 none, 1 left, 2 above, 3 mean, 4 Paeth; others leave the row as it is.  n bytes, of which `bytes` belong to a pixel; above: the
 * row before, zeros above the first. */
void dp_png_unfilter (guint8 kind, guint8 *row, const guint8 *above, gsize n, gsize bytes);

G_END_DECLS
