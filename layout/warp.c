/* layout/warp.c - see warp.h. */
#include "layout/warp.h"

#include <math.h>
#include <string.h>

#define STEP 16 /* pixels between questions to a map */
#define MOST_NODES 400u

/* ---- grids ------------------------------------------------------------------------------------------------ */

static guint
nodes_of (double length, double step)
{
  return CLAMP ((guint) ceil (length / step) + 1, 2, MOST_NODES);
}

void
dp_warp_grid_init (DpWarpGrid *grid, DpRect box, double step, DpWarpMap map, gpointer data)
{
  *grid = (DpWarpGrid){ box, nodes_of ((double) dp_rect_width (box), step), nodes_of ((double) dp_rect_height (box), step), NULL };
  grid->places = g_new (float, 2 * (gsize) grid->cols * grid->rows);
  float *place = grid->places;
  for (guint row = 0; row < grid->rows; row++)
    for (guint col = 0; col < grid->cols; col++, place += 2) {
      double sx, sy;
      map (data, (double) box.x0 + (double) dp_rect_width (box) * col / (grid->cols - 1),
           (double) box.y0 + (double) dp_rect_height (box) * row / (grid->rows - 1), &sx, &sy);
      place[0] = (float) sx;
      place[1] = (float) sy;
    }
}

void
dp_warp_grid_clear (DpWarpGrid *grid)
{
  g_clear_pointer (&grid->places, g_free);
}

/* The cell a place lies in, and how far inside: beyond 0..1 outside of the grid. */
static guint
cell_of (double at, double from, double length, guint n, double *inside)
{
  const double place = length > 0 ? (at - from) / length * (n - 1) : 0;
  const guint cell = (guint) CLAMP (place, 0, n - 2);

  *inside = CLAMP (place - cell, -1.0, 2.0);
  return cell;
}

void
dp_warp_grid_place (const DpWarpGrid *grid, double x, double y, double *sx, double *sy)
{
  double u, v;
  const guint col = cell_of (x, (double) grid->box.x0, (double) dp_rect_width (grid->box), grid->cols, &u);
  const guint row = cell_of (y, (double) grid->box.y0, (double) dp_rect_height (grid->box), grid->rows, &v);
  const float *a = grid->places + 2 * ((gsize) row * grid->cols + col), *b = a + 2 * (gsize) grid->cols;

  *sx = (1 - v) * ((1 - u) * (double) a[0] + u * (double) a[2]) + v * ((1 - u) * (double) b[0] + u * (double) b[2]);
  *sy = (1 - v) * ((1 - u) * (double) a[1] + u * (double) a[3]) + v * ((1 - u) * (double) b[1] + u * (double) b[3]);
}

void
dp_warp_free (DpWarp *warp)
{
  for (guint i = 0; warp && i < warp->n; i++)
    dp_warp_grid_clear (&warp->sheets[i]);
  g_free (warp);
}

void
dp_warp_place (const DpWarp *warp, double x, double y, double *sx, double *sy)
{
  const gboolean second = warp->n > 1 && x >= (double) warp->sheets[1].box.x0;

  dp_warp_grid_place (&warp->sheets[second], x, y, sx, sy);
}

/* ---- pictures ----------------------------------------------------------------------------------------------- */

typedef struct {
  const guint8 *data;
  gint width, height, stride, bytes; /* bytes of a pixel */
} Source;

/* Between four pixels; what lies outside is white. */
static void
sample (const Source *s, double x, double y, guint8 *out)
{
  if (!(x > -1 && y > -1 && x < s->width && y < s->height)) {
    memset (out, 255, (gsize) s->bytes);
    return;
  }
  const gint x0 = (gint) floor (x), y0 = (gint) floor (y);
  const gint u = (gint) (256 * (x - x0)), v = (gint) (256 * (y - y0));
  const gint xs[2] = { MAX (x0, 0), MIN (x0 + 1, s->width - 1) }, ys[2] = { MAX (y0, 0), MIN (y0 + 1, s->height - 1) };
  const guint8 *a = s->data + (gsize) ys[0] * (gsize) s->stride, *b = s->data + (gsize) ys[1] * (gsize) s->stride;

  for (gint k = 0; k < s->bytes; k++) {
    const gint left = xs[0] * s->bytes + k, right = xs[1] * s->bytes + k;
    const gint top = a[left] * (256 - u) + a[right] * u, foot = b[left] * (256 - u) + b[right] * u;
    out[k] = (guint8) ((top * (256 - v) + foot * v + 32768) >> 16);
  }
}

/* Fills rows y0..y1-1, x0..x1-1 from the places of the corners of a square of STEP pixels. */
static void
fill (const Source *s, guint8 *out, gint stride, const double corners[4][2], gint x0, gint y0, gint x1, gint y1)
{
  for (gint y = y0; y < y1; y++) {
    const double v = (y - y0 + 0.5) / STEP;
    const double ax = corners[0][0] + v * (corners[2][0] - corners[0][0]), ay = corners[0][1] + v * (corners[2][1] - corners[0][1]);
    const double bx = corners[1][0] + v * (corners[3][0] - corners[1][0]), by = corners[1][1] + v * (corners[3][1] - corners[1][1]);
    for (gint x = x0; x < x1; x++) {
      const double u = (x - x0 + 0.5) / STEP;
      sample (s, ax + u * (bx - ax) - 0.5, ay + u * (by - ay) - 0.5, out + (gsize) y * (gsize) stride + (gsize) (x * s->bytes));
    }
  }
}

cairo_surface_t *
dp_warp_surface (cairo_surface_t *source, gint width, gint height, DpWarpMap map, gpointer data)
{
  const cairo_format_t format = cairo_image_surface_get_format (source);
  cairo_surface_t *surface = cairo_image_surface_create (format, width, height);

  if (cairo_surface_status (surface) != CAIRO_STATUS_SUCCESS) {
    cairo_surface_destroy (surface);
    return NULL;
  }
  cairo_surface_flush (source);
  const Source s = { cairo_image_surface_get_data (source), cairo_image_surface_get_width (source), cairo_image_surface_get_height (source),
                     cairo_image_surface_get_stride (source), format == CAIRO_FORMAT_A8 ? 1 : 4 };
  guint8 *out = cairo_image_surface_get_data (surface);
  const gint stride = cairo_image_surface_get_stride (surface);
  for (gint y = 0; y < height; y += STEP)
    for (gint x = 0; x < width; x += STEP) {
      double corners[4][2];
      for (gint i = 0; i < 4; i++)
        map (data, x + STEP * (i & 1), y + STEP * (i >> 1), &corners[i][0], &corners[i][1]);
      fill (&s, out, stride, (const double (*)[2]) corners, x, y, MIN (x + STEP, width), MIN (y + STEP, height));
    }
  cairo_surface_mark_dirty (surface);
  return surface;
}
