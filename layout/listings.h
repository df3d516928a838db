/* layout/listings.h - inside the page passes: how program text becomes regions of kind CODE. */
#pragma once

#include "layout/layout.h"

G_BEGIN_DECLS

typedef struct {
  GArray *numbers; /* guint: words that leave the page's text, sorted */
  GArray *code;    /* guint: words of the listings, sorted */
  GArray *owner;   /* guint per word of the page: 1 + listing, 0 = none */
  guint n;         /* listings */
} DpListings;

void dp_listings_init (DpListings *found, const DpPageLayout *layout);
/* One region for each listing, with the lines that its words make; empties found. */
void dp_listings_finish (DpListings *found, DpPageLayout *layout);

/* Listings in a painted or framed box (listing_boxes.c): adds to found what it finds among words that have no owner yet. */
void dp_listings_in_boxes (DpListings *found, const DpPageLayout *layout);

/* The word holds a sign that prose hardly uses. */
gboolean dp_listing_is_sign (const DpPageLayout *layout, const DpWord *word);

G_END_DECLS
