/* layout/spreads.h - one page of the document that shows two printed pages; see spreads.c. */
#pragma once

#include "layout/layout.h"

G_BEGIN_DECLS

/* The part of the page from x0 to x1 as a page of its own, beginning at 0.  Borrows strings and fonts of page; free with dp_page_free(). */
DpPage *dp_spread_half (const DpPage *page, float x0, float x1);

/* pages (DpPageLayout) with the facing pages after their own, all borrowed; a facing page gets a number of its own. */
GPtrArray *dp_spreads_open (const GPtrArray *pages);
/* Gives the blocks of facing pages the number and the place of the page that shows them. */
void dp_spreads_close (const GPtrArray *pages, DpDocument *document);
/* Counts printed pages: what page numbers are compared with. */
guint dp_spread_leaf (const DpPageLayout *layout);

G_END_DECLS
