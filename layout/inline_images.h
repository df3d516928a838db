/* layout/inline_images.h - small images that stand in lines of text (formulas, symbols, shadows).
 *
 * Space: points, page space; text that runs from left to right.
 */
#pragma once

#include "layout/layout.h"

G_BEGIN_DECLS

/* Size of most characters of the page, 0 if it has none; known before the body's size is. */
float dp_layout_usual_size (const DpPageLayout *layout);

/* Fills layout->pictures with the page's images, and outlines of letters, that are hardly higher than a
 * line; before lines.c. */
void dp_layout_inline_images (DpPageLayout *layout, const DpPage *page);

/* TRUE if such images fill most of the gap from x0 to x1 on the baseline. */
gboolean dp_inline_image_between (const DpPageLayout *layout, float x0, float x1, float baseline, float em);

/* Boxes (DpRect) of the level lines by their middles; the caller unrefs. */
GArray *dp_inline_text_lines (const DpPageLayout *layout);

/* TRUE if the image stands in one of these lines: beside or behind its text, not much higher. */
gboolean dp_inline_image_in_line (const GArray *lines, DpRect image);

G_END_DECLS
