/* layout/warp.h - where on a picture a point of a page lies that did not lie flat and straight in front of the camera.
 *
 * A grid of places for each sheet of paper on the picture, of which there are two where a book lies open; between its nodes places are
 * interpolated.  Turned or skewed sheets need no grid: DpPage.turn and DpPage.skew say it all.
 */
#pragma once

#include "layout/page.h"

G_BEGIN_DECLS

/* Where a point of the new picture lies on the old one. */
typedef void (*DpWarpMap) (gpointer data, double x, double y, double *sx, double *sy);

typedef struct {
  DpRect box;       /* of the sheet on the upright page */
  guint cols, rows; /* nodes, evenly spaced over the box, at least two each */
  float *places;    /* x and y of each node, row by row */
} DpWarpGrid;

typedef struct DpWarp DpWarp;
struct DpWarp {
  float width, height; /* points: of the page as the PDF stage paints it */
  guint n;
  DpWarpGrid sheets[2]; /* points on both sides */
};

void dp_warp_free (DpWarp *warp);

/* Asks map at nodes no further apart than step; clear with dp_warp_grid_clear(). */
void dp_warp_grid_init (DpWarpGrid *grid, DpRect box, double step, DpWarpMap map, gpointer data);
void dp_warp_grid_clear (DpWarpGrid *grid);
/* Beyond the box as its nearest cell has it. */
void dp_warp_grid_place (const DpWarpGrid *grid, double x, double y, double *sx, double *sy);

/* A point of the upright page on the painted one. */
void dp_warp_place (const DpWarp *warp, double x, double y, double *sx, double *sy);

/* A picture of width x height (1..32000) pixels of source's format, CAIRO_FORMAT_A8 or RGB24: each pixel from the place that map, from pixels to
 * pixels, names; white outside of source.  map is asked at every 16th pixel.  NULL if there is no memory. */
cairo_surface_t *dp_warp_surface (cairo_surface_t *source, gint width, gint height, DpWarpMap map, gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpWarp, dp_warp_free)

G_END_DECLS
