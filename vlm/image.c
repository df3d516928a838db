/* vlm/image.c - crops, rotations, padding and patches; the resampler is image_resize.c. */
#include "vlm/image.h"

#include "vlm/error.h"
#include "vlm/image_private.h"

#include <math.h>
#include <string.h>

#define MAX_SIDE 32767 /* cairo's own limit for image surfaces */

gboolean
dp_pixels_of (cairo_surface_t *image, DpPixels *out, GError **error)
{
  if (cairo_surface_status (image) || cairo_surface_get_type (image) != CAIRO_SURFACE_TYPE_IMAGE
      || cairo_image_surface_get_format (image) != CAIRO_FORMAT_RGB24 || cairo_image_surface_get_width (image) < 1
      || cairo_image_surface_get_height (image) < 1) {
    g_set_error_literal (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT, "the picture is empty or not an RGB24 surface");
    return FALSE;
  }
  cairo_surface_flush (image);
  *out = (DpPixels){
    .data = cairo_image_surface_get_data (image),
    .width = cairo_image_surface_get_width (image),
    .height = cairo_image_surface_get_height (image),
    .stride = (gsize) cairo_image_surface_get_stride (image),
  };
  return TRUE;
}

cairo_surface_t *
dp_pixels_new (int width, int height, DpPixels *out, GError **error)
{
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE) {
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT, "a picture of %d x %d pixels cannot be made (1 to %d a side)", width, height,
                 MAX_SIDE);
    return NULL;
  }
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  if (cairo_surface_status (image) || !dp_pixels_of (image, out, NULL)) {
    cairo_surface_destroy (image);
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT, "no memory for a picture of %d x %d pixels", width, height);
    return NULL;
  }
  return image;
}

static void
fill (DpPixels *p, guint32 value)
{
  for (int y = 0; y < p->height; y++) {
    guint32 *row = dp_pixels_row (p, y);
    for (int x = 0; x < p->width; x++)
      row[x] = value;
  }
}

/* Copies src into dst with src's corner at (left, top); parts outside of dst are left out. */
static void
paste (DpPixels *dst, const DpPixels *src, int left, int top)
{
  const int x0 = MAX (left, 0), x1 = MIN (left + src->width, dst->width);

  for (int y = MAX (top, 0); x0 < x1 && y < MIN (top + src->height, dst->height); y++)
    memcpy (dp_pixels_row (dst, y) + x0, dp_pixels_row (src, y - top) + (x0 - left), (gsize) (x1 - x0) * 4);
}

cairo_surface_t *
dp_image_crop (cairo_surface_t *image, double x0, double y0, double x1, double y1, GError **error)
{
  const double corners[4] = { rint (x0), rint (y0), rint (x1), rint (y1) };
  DpPixels src, dst;

  if (!dp_pixels_of (image, &src, error))
    return NULL;
  for (int i = 0; i < 4; i++)
    if (!(fabs (corners[i]) <= MAX_SIDE)) {
      g_set_error_literal (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT, "the corners of a crop lie too far from its picture");
      return NULL;
    }
  cairo_surface_t *out = dp_pixels_new ((int) (corners[2] - corners[0]), (int) (corners[3] - corners[1]), &dst, error);
  if (out) {
    fill (&dst, 0xff000000u);
    paste (&dst, &src, (int) -corners[0], (int) -corners[1]);
    cairo_surface_mark_dirty (out);
  }
  return out;
}

cairo_surface_t *
dp_image_rotate (cairo_surface_t *image, int angle, GError **error)
{
  const gboolean turned = angle == 90 || angle == 270;
  DpPixels src, dst;

  if (!dp_pixels_of (image, &src, error))
    return NULL;
  if (angle != 0 && angle != 180 && !turned) {
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT, "pictures turn by 0, 90, 180 or 270 degrees, not by %d", angle);
    return NULL;
  }
  cairo_surface_t *out = dp_pixels_new (turned ? src.height : src.width, turned ? src.width : src.height, &dst, error);
  if (!out)
    return NULL;
  for (int y = 0; y < src.height; y++) {
    const guint32 *row = dp_pixels_row (&src, y);
    for (int x = 0; x < src.width; x++)
      switch (angle) {
      case 90: dp_pixels_row (&dst, src.width - 1 - x)[y] = row[x]; break;
      case 180: dp_pixels_row (&dst, src.height - 1 - y)[src.width - 1 - x] = row[x]; break;
      case 270: dp_pixels_row (&dst, x)[src.height - 1 - y] = row[x]; break;
      default: dp_pixels_row (&dst, y)[x] = row[x]; break;
      }
  }
  cairo_surface_mark_dirty (out);
  return out;
}

/* ---- MinerU's shape limits ---- */

static cairo_surface_t *
pad (const DpPixels *src, double max_ratio, GError **error)
{
  const int w = src->width, h = src->height;
  const int new_w = w > h ? w : (int) ceil (h / max_ratio), new_h = w > h ? (int) ceil (w / max_ratio) : h;
  DpPixels dst;
  cairo_surface_t *out = dp_pixels_new (new_w, new_h, &dst, error);

  if (out) {
    fill (&dst, 0xffffffffu);
    paste (&dst, src, (new_w - w) / 2, (new_h - h) / 2);
    cairo_surface_mark_dirty (out);
  }
  return out;
}

cairo_surface_t *
dp_image_fit_ratio (cairo_surface_t *image, double max_ratio, int min_edge, GError **error)
{
  DpPixels p;
  cairo_surface_t *padded = NULL;

  g_return_val_if_fail (max_ratio >= 1 && min_edge >= 1, NULL);
  if (!dp_pixels_of (image, &p, error))
    return NULL;
  if ((double) MAX (p.width, p.height) / MIN (p.width, p.height) > max_ratio) {
    padded = pad (&p, max_ratio, error);
    if (!padded || !dp_pixels_of (padded, &p, error))
      return NULL;
  }
  const int edge = MIN (p.width, p.height);
  if (edge >= min_edge)
    return padded ? padded : cairo_surface_reference (image);
  const double scale = (double) min_edge / edge, w = ceil (p.width * scale), h = ceil (p.height * scale);
  cairo_surface_t *out = dp_image_resize (padded ? padded : image, (int) MIN (w, MAX_SIDE + 1), (int) MIN (h, MAX_SIDE + 1), error);
  g_clear_pointer (&padded, cairo_surface_destroy);
  return out;
}

/* ---- Qwen2-VL ---- */

gboolean
dp_smart_resize (int width, int height, guint32 factor, guint32 min_pixels, guint32 max_pixels, int *new_width, int *new_height,
                 GError **error)
{
  const double w = width, h = height, f = factor;

  g_return_val_if_fail (width > 0 && height > 0 && factor > 0 && min_pixels <= max_pixels, FALSE);
  if (MAX (w, h) / MIN (w, h) > 200) {
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT, "a picture of %d x %d pixels is too long for the model (at most 200 to 1)", width,
                 height);
    return FALSE;
  }
  double to_w = rint (w / f) * f, to_h = rint (h / f) * f;
  if (to_h * to_w > max_pixels) {
    const double beta = sqrt (h * w / max_pixels);
    to_h = MAX (f, floor (h / beta / f) * f);
    to_w = MAX (f, floor (w / beta / f) * f);
  } else if (to_h * to_w < min_pixels) {
    const double beta = sqrt (min_pixels / (h * w));
    to_h = ceil (h * beta / f) * f;
    to_w = ceil (w * beta / f) * f;
  }
  if (to_w < f || to_h < f || to_w > MAX_SIDE || to_h > MAX_SIDE) {
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT, "a picture of %d x %d pixels cannot be brought to the model's sizes", width,
                 height);
    return FALSE;
  }
  *new_width = (int) to_w;
  *new_height = (int) to_h;
  return TRUE;
}

/* One value for each of the 256 levels and three channels, with numpy's roundings. */
static void
make_levels (const DpImageConfig *c, float levels[3][256])
{
  for (int channel = 0; channel < 3; channel++)
    for (int v = 0; v < 256; v++) {
      const float rescaled = (float) (v * c->rescale), centred = rescaled - (float) c->mean[channel];
      levels[channel][v] = centred / (float) c->std[channel];
    }
}

/* One patch whose corner pixel is (left, top): (channel, time, row, column). */
static void
write_patch (const DpPixels *p, int left, int top, const DpImageConfig *c, float levels[3][256], float *out)
{
  const guint32 side = c->patch, area = side * side;

  for (int channel = 0; channel < 3; channel++) {
    const int shift = 16 - 8 * channel;
    float *frame = out + (gsize) channel * c->temporal_patch * area;
    for (guint32 y = 0; y < side; y++) {
      const guint32 *row = dp_pixels_row (p, top + (int) y) + left;
      for (guint32 x = 0; x < side; x++)
        frame[y * side + x] = levels[channel][row[x] >> shift & 255];
    }
    for (guint32 t = 1; t < c->temporal_patch; t++)
      memcpy (frame + (gsize) t * area, frame, area * sizeof *frame);
  }
}

static gboolean
patches_of (const DpPixels *p, const DpImageConfig *c, DpPatches *out, GError **error)
{
  const guint32 rows = (guint32) p->height / c->patch, cols = (guint32) p->width / c->patch, m = c->merge;
  float levels[3][256], *at;

  *out = (DpPatches){ .n = rows * cols, .dim = 3 * c->temporal_patch * c->patch * c->patch, .grid = { 1, rows, cols } };
  out->data = at = g_try_malloc_n ((gsize) out->n * out->dim, sizeof *out->data);
  if (!at) {
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT, "no memory for %u patches of a picture", out->n);
    return FALSE;
  }
  make_levels (c, levels);
  for (guint32 group_y = 0; group_y < rows; group_y += m)
    for (guint32 group_x = 0; group_x < cols; group_x += m)
      for (guint32 i = 0; i < m * m; i++, at += out->dim)
        write_patch (p, (int) ((group_x + i % m) * c->patch), (int) ((group_y + i / m) * c->patch), c, levels, at);
  return TRUE;
}

gboolean
dp_image_patches (cairo_surface_t *image, const DpImageConfig *config, DpPatches *out, GError **error)
{
  DpPixels p;
  int width, height;
  cairo_surface_t *resized = NULL;

  *out = (DpPatches){ 0 };
  if (!dp_pixels_of (image, &p, error)
      || !dp_smart_resize (p.width, p.height, config->patch * config->merge, config->min_pixels, config->max_pixels, &width, &height, error)
      || !(resized = dp_image_resize (image, width, height, error)))
    return FALSE;
  const gboolean ok = dp_pixels_of (resized, &p, error) && patches_of (&p, config, out, error);
  cairo_surface_destroy (resized);
  return ok;
}

void
dp_patches_clear (DpPatches *patches)
{
  g_free (patches->data);
  *patches = (DpPatches){ 0 };
}
