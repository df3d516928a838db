/* pipeline/upright.c - see upright.h. */
#include "pipeline/upright.h"

#include "layout/warp.h"

#include <math.h>

#define BEHIND 8u /* steps in each direction */

cairo_matrix_t
dp_upright_matrix (const DpPageInfo *info)
{
  const double w = info->width, h = info->height;
  cairo_matrix_t turn, skew;

  /* y runs down, so a positive angle is clockwise, for cairo as well. */
  switch (info->turn) {
  case 90: cairo_matrix_init (&turn, 0, 1, -1, 0, w, 0); break;
  case 180: cairo_matrix_init (&turn, -1, 0, 0, -1, w, h); break;
  case 270: cairo_matrix_init (&turn, 0, -1, 1, 0, 0, h); break;
  default: cairo_matrix_init_identity (&turn);
  }
  cairo_matrix_init_translate (&skew, w / 2, h / 2);
  cairo_matrix_rotate (&skew, info->skew * G_PI / 180);
  cairo_matrix_translate (&skew, -w / 2, -h / 2);
  cairo_matrix_multiply (&turn, &turn, &skew);
  return turn;
}

/* The box around what to shows of from. */
static DpRect
map_box (const cairo_matrix_t *matrix, DpRect box)
{
  DpRect out = { G_MAXFLOAT, G_MAXFLOAT, -G_MAXFLOAT, -G_MAXFLOAT };

  for (int i = 0; i < 4; i++) {
    double x = i & 1 ? box.x1 : box.x0, y = i & 2 ? box.y1 : box.y0;
    cairo_matrix_transform_point (matrix, &x, &y);
    out = (DpRect){ MIN (out.x0, (float) x), MIN (out.y0, (float) y), MAX (out.x1, (float) x), MAX (out.y1, (float) y) };
  }
  return out;
}

/* ---- photographs and open books ------------------------------------------------------------------------------ */

typedef struct {
  const DpWarp *warp;
  DpRect box, from;  /* of the upright page, of the painted one */
  double dpi, scale; /* pixels a point of the picture of from */
} Back;

/* From a pixel of the box to one of the picture of the painted page. */
static void
find_pixel (gpointer data, double x, double y, double *sx, double *sy)
{
  const Back *back = data;

  dp_warp_place (back->warp, (double) back->box.x0 + x * 72 / back->dpi, (double) back->box.y0 + y * 72 / back->dpi, sx, sy);
  *sx = (*sx - (double) back->from.x0) * back->scale;
  *sy = (*sy - (double) back->from.y0) * back->scale;
}

/* What the painted page has of a box: asked at places all over it. */
static DpRect
box_behind (const DpWarp *warp, DpRect box)
{
  DpRect all = { G_MAXFLOAT, G_MAXFLOAT, -G_MAXFLOAT, -G_MAXFLOAT };

  for (guint i = 0; i <= BEHIND; i++)
    for (guint k = 0; k <= BEHIND; k++) {
      double x, y;
      dp_warp_place (warp, (double) box.x0 + (double) dp_rect_width (box) * k / BEHIND,
                     (double) box.y0 + (double) dp_rect_height (box) * i / BEHIND, &x, &y);
      all = (DpRect){ MIN (all.x0, (float) x - 1), MIN (all.y0, (float) y - 1), MAX (all.x1, (float) x + 1), MAX (all.y1, (float) y + 1) };
    }
  return dp_rect_intersect (all, (DpRect){ 0, 0, warp->width, warp->height });
}

static cairo_surface_t *
render_warped (DpPdf *pdf, const DpPageInfo *info, DpRect box, double dpi, GError **error)
{
  Back back = { .warp = info->warp, .box = box, .from = box_behind (info->warp, box), .dpi = dpi };
  const double width = (double) dp_rect_width (box) * dpi / 72, height = (double) dp_rect_height (box) * dpi / 72;

  cairo_surface_t *source = dp_pdf_render (pdf, info->number, back.from, dpi, FALSE, error);
  if (!source)
    return NULL;
  back.scale = cairo_image_surface_get_width (source) / (double) dp_rect_width (back.from);
  cairo_surface_t *out
      = dp_warp_surface (source, (gint) CLAMP (ceil (width), 1, 32000), (gint) CLAMP (ceil (height), 1, 32000), find_pixel, &back);
  cairo_surface_destroy (source);
  if (!out)
    g_set_error (error, DP_PDF_ERROR, DP_PDF_ERROR_SYSTEM, "page %u: no memory for a picture of it", info->number);
  return out;
}

cairo_surface_t *
dp_upright_render (DpPdf *pdf, const DpPageInfo *info, DpRect box, double dpi, GError **error)
{
  const gboolean lies = info->turn == 90 || info->turn == 270;
  const DpRect paper = { 0, 0, lies ? info->height : info->width, lies ? info->width : info->height };
  cairo_matrix_t matrix = dp_upright_matrix (info), back = matrix;

  if (info->turn == 0 && info->skew == 0 && !info->warp)
    return dp_pdf_render (pdf, info->number, box, dpi, FALSE, error);
  if (!(dp_rect_area (box) > 0))
    box = (DpRect){ 0, 0, info->width, info->height };
  if (info->warp)
    return render_warped (pdf, info, box, dpi, error);
  cairo_matrix_invert (&back);
  const DpRect from = dp_rect_intersect (map_box (&back, box), paper);
  if (!(dp_rect_area (from) > 0))
    return dp_pdf_render (pdf, info->number, box, dpi, FALSE, error); /* says what is wrong with it */
  cairo_surface_t *source = dp_pdf_render (pdf, info->number, from, dpi, FALSE, error);
  if (!source)
    return NULL;

  /* the PDF stage may have lowered the resolution */
  const double scale = cairo_image_surface_get_width (source) / (double) dp_rect_width (from);
  cairo_surface_t *out = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) CLAMP (ceil (dp_rect_width (box) * scale), 1, 32000),
                                                     (int) CLAMP (ceil (dp_rect_height (box) * scale), 1, 32000));
  cairo_t *cr = cairo_create (out);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  cairo_scale (cr, scale, scale);
  cairo_translate (cr, -box.x0, -box.y0);
  cairo_transform (cr, &matrix);
  cairo_translate (cr, from.x0, from.y0);
  cairo_scale (cr, 1 / scale, 1 / scale);
  cairo_set_source_surface (cr, source, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), info->skew == 0 ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_GOOD);
  cairo_paint (cr);
  cairo_destroy (cr);
  cairo_surface_destroy (source);
  return out;
}
