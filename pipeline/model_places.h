/* pipeline/model_places.h - how many pages are on their way through a model at a time, over all documents of a run.
 *
 * The more pages, the more of their questions are decoded together; each holds its picture (about 15 MB of 200 dpi) and the small
 * one that its layout is read from until the regions are cut out, and these afterwards.  Who wants a place waits for it; a page
 * that has one never waits for another page's, so there is always one that goes on.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define DP_MODEL_PLACES 8 /* 160 MB of pictures at most, and 8 layouts decoded together cost hardly more than one */

typedef struct DpModelPlaces DpModelPlaces;

DpModelPlaces *dp_model_places_new (guint n);
void dp_model_places_free (DpModelPlaces *places); /* all of them are given back */

void dp_model_places_take (DpModelPlaces *places);
void dp_model_places_give (DpModelPlaces *places);

/* Places taken at most at the same time so far. */
guint dp_model_places_most (DpModelPlaces *places);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpModelPlaces, dp_model_places_free)

G_END_DECLS
