/* tests/vlm/picture.h - pictures made by a rule, here and in tests/fixtures/vlm/pictures.py. */
#pragma once

#include <cairo.h>
#include <glib.h>
#include <string.h>

/* The same rule as picture() of pictures.py. */
static inline guint32
synthetic (gboolean noise, guint32 x, guint32 y)
{
  if (noise) {
    guint32 z = x * 374761393u + y * 668265263u;
    z = (z ^ z >> 13) * 1274126177u;
    z ^= z >> 16;
    return (z & 255) << 16 | (z >> 8 & 255) << 8 | (z >> 16 & 255);
  }
  const guint32 edge = ((x / 5 + y / 3) & 1) * 200;
  return ((x * 7 + edge) & 255) << 16 | ((y * 5 + edge) & 255) << 8 | ((edge + 20) & 255);
}

static inline cairo_surface_t *
picture (int width, int height, const char *kind)
{
  cairo_surface_t *s = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  guint8 *data = cairo_image_surface_get_data (s);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const guint32 value = synthetic (g_str_equal (kind, "noise"), (guint32) x, (guint32) y) | (guint32) x << 24; /* the X byte is noise */
      memcpy (data + y * cairo_image_surface_get_stride (s) + 4 * x, &value, 4);
    }
  cairo_surface_mark_dirty (s);
  return s;
}

/* r, g, b of every pixel, row by row. */
static inline guint8 *
rgb_of (cairo_surface_t *s, gsize *n)
{
  const int w = cairo_image_surface_get_width (s), h = cairo_image_surface_get_height (s);
  const guint8 *data = cairo_image_surface_get_data (s);
  guint8 *out = g_malloc ((gsize) w * (gsize) h * 3), *at = out;

  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      guint32 v;
      memcpy (&v, data + y * cairo_image_surface_get_stride (s) + 4 * x, 4);
      *at++ = v >> 16 & 255;
      *at++ = v >> 8 & 255;
      *at++ = v & 255;
    }
  *n = (gsize) (at - out);
  return out;
}

/* Takes s. */
static inline void
check_picture (cairo_surface_t *s, int width, int height, const char *sha256)
{
  gsize n;

  g_assert_nonnull (s);
  g_assert_cmpint (cairo_image_surface_get_width (s), ==, width);
  g_assert_cmpint (cairo_image_surface_get_height (s), ==, height);
  g_autofree guint8 *rgb = rgb_of (s, &n);
  g_autofree char *sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, rgb, n);
  g_assert_cmpstr (sum, ==, sha256);
  cairo_surface_destroy (s);
}
