/* layout/combs.h - inside the room: rows of boxes for one letter each. */
#pragma once

#include "layout/layout.h"

G_BEGIN_DECLS

#define DP_MAX_COMBS 500u /* looked at on one page */

/* Joins the letters in such boxes to words and takes the boxes out of the rules; after rules.c, before lines.c.
 * n log n in words and rules, and one pass over the rules for each comb. */
void dp_layout_combs (DpPageLayout *layout);

G_END_DECLS
