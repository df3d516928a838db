/* layout/line_numbers.h - inside the room: the numbers of lines in the margin. */
#pragma once

#include "layout/layout.h"

G_BEGIN_DECLS

/* Marks the words that number the page's lines (DpWord.line_number); after words.c, before lines.c.
 * n log n in the words. */
void dp_layout_line_numbers (DpPageLayout *layout);

G_END_DECLS
