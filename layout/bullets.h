/* layout/bullets.h - bullets that are drawn, not written.
 *
 * Space: points, page space; text that runs from left to right.
 */
#pragma once

#include "layout/layout.h"

G_BEGIN_DECLS

/* Small paths and images that begin lines like the bullets of a list become words ("•", or "3." for a
 * number on a ball).  After words.c, before lines.c: words are added to the end of layout->words. */
void dp_layout_bullets (DpPageLayout *layout, const DpPage *page);

G_END_DECLS
