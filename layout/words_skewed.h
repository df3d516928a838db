/* layout/words_skewed.h - internal to words.c: stamps across the page. */
#pragma once

#include "layout/layout.h"

G_BEGIN_DECLS

/* Joins the pieces of slanted text in the order in which they are written.  The words must be in the
 * text layer's order, and are afterwards; some are gone. */
void dp_words_join_skewed (DpPageLayout *layout);

G_END_DECLS
