/* vlm/image_private.h - pixels of a surface, shared by image.c and image_resize.c. */
#pragma once

#include "vlm/image.h"

G_BEGIN_DECLS

typedef struct {
  guint8 *data;
  int width, height;
  gsize stride; /* bytes */
} DpPixels;

static inline guint32 *
dp_pixels_row (const DpPixels *p, int y)
{
  return (guint32 *) (void *) (p->data + (gsize) y * p->stride); /* cairo aligns rows to 4 bytes */
}

/* A non-empty RGB24 surface's pixels, or FALSE with an error. */
gboolean dp_pixels_of (cairo_surface_t *image, DpPixels *out, GError **error);

/* A new RGB24 surface and its pixels (black, X byte 0), or NULL with an error. */
cairo_surface_t *dp_pixels_new (int width, int height, DpPixels *out, GError **error);

G_END_DECLS
