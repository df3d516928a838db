/* vlm/image.h - pictures as the models were trained to see them, bit for bit as Pillow and transformers make them.
 *
 * All pictures are cairo image surfaces of CAIRO_FORMAT_RGB24 (0xXXrrggbb in native order; the X byte is ignored and written as
 * 255).  Functions that return a surface return a new one which the caller destroys, or NULL with an error: wrong format, an
 * empty result, a side above 32767 or no memory.  Sides are in pixels, width before height, unless the name says otherwise.
 */
#pragma once

#include "vlm/config.h"

#include <cairo.h>

G_BEGIN_DECLS

/* Image.resize ((width, height), Image.Resampling.BICUBIC) of Pillow: a = -0.5, support grows with the reduction (antialias),
 * 8-bit fixed point with 22-bit coefficients, horizontal pass first, each pass rounded to 8 bits (libImaging/Resample.c). */
cairo_surface_t *dp_image_resize (cairo_surface_t *image, int width, int height, GError **error);

/* Image.crop: each corner rounded half to even; what lies outside of the picture is black. */
cairo_surface_t *dp_image_crop (cairo_surface_t *image, double x0, double y0, double x1, double y1, GError **error);

/* Image.rotate (angle, expand=True), counter-clockwise; angle 0, 90, 180 or 270. */
cairo_surface_t *dp_image_rotate (cairo_surface_t *image, int angle, GError **error);

/* MinerU's "resize by need": where the long side is more than max_ratio times the short one, the short one is padded with white
 * to ceil (long / max_ratio), the picture centred; then, where the short side is below min_edge, both are scaled by
 * min_edge / short and rounded up.  MinerU: max_ratio 50, min_edge 28. */
cairo_surface_t *dp_image_fit_ratio (cairo_surface_t *image, double max_ratio, int min_edge, GError **error);

/* The size that Qwen2-VL's processor resizes to: both sides multiples of factor (patch * merge), rounded half to even as Python
 * does, their product within min_pixels .. max_pixels.  An error where the longer side is over 200 times the shorter. */
gboolean dp_smart_resize (int width, int height, guint32 factor, guint32 min_pixels, guint32 max_pixels, int *new_width, int *new_height,
                          GError **error);

/* Patches of one picture in the order the vision encoder wants them. */
typedef struct {
  float *data;     /* [n, dim], f32, owned */
  guint32 n, dim;  /* dim = 3 * temporal_patch * patch * patch, ordered (channel, time, row, column); 1176 for Qwen2-VL */
  guint32 grid[3]; /* time (1), rows, columns of patches; n is their product */
} DpPatches;

/* Resizes with dp_smart_resize(), then f32 (v * rescale) - mean, / std, each step rounded as numpy does; the single frame
 * stands for all frames of a temporal patch; patches of a merge x merge group follow each other, groups row by row. */
gboolean dp_image_patches (cairo_surface_t *image, const DpImageConfig *config, DpPatches *out, GError **error);

/* Frees data, leaves zeros. */
void dp_patches_clear (DpPatches *patches);

G_END_DECLS
