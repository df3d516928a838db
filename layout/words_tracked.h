/* layout/words_tracked.h - internal to words.c: letters set wide apart. */
#pragma once

#include "layout/layout.h"

G_BEGIN_DECLS

/* Joins the pieces of wide-tracked text ("T H E  T I T L E", "Ou tl ook") to words and
 * numbers the words anew.  The words must be in the text layer's order. */
void dp_words_join_tracked (DpPageLayout *layout);

G_END_DECLS
