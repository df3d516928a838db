/* layout/lines.h - internal to lines.c: making a line of words that belong together. */
#pragma once

#include "layout/layout.h"

G_BEGIN_DECLS

#define DP_SCRIPT_RATIO 0.85f /* size below which a shifted word is a script */

/* Copies the words layout->words[indices[0..n]] (left to right in the frame of `angle`;
 * reordered here when the line runs right to left) behind `words` and appends their line to
 * layout->lines.  `words` becomes layout->words when all lines are made. */
void dp_line_add (DpPageLayout *layout, GArray *words, guint *indices, guint n, gint angle);

/* Fills in scripts, spaces, style and box; layout->words must be the new array by then. */
void dp_line_finish (DpPageLayout *layout, DpLine *line);

/* TRUE if more letters of these words run right to left than the other way. */
gboolean dp_words_run_rtl (const DpPageLayout *layout, const guint *words, guint n);
/* Left to right to reading order, for a line that runs right to left (line_bidi.c); a stop that stands before a number
 * or a Latin word goes behind it, into its text. */
void dp_line_order_rtl (DpPageLayout *layout, guint *words, guint n);
/* Turns the brackets of the page's right-to-left words round if most pairs there close before they open. */
void dp_line_mirror_brackets (DpPageLayout *layout);

G_END_DECLS
