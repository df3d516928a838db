/* tests/layout/scan_page.h - page pictures drawn for the tests of layout/scan*.c.
 *
 * Letters are strokes on a grid of 10 pixels per em and 200 dpi times SCALE, with ascenders, descenders and full stops as frequent
 * as in Latin text, so that no font is needed and the place of everything is known.
 */
#pragma once

#include "layout/scan.h"

#define DPI 200.0
#define EM 28.0 /* pixels: 10 points at 200 dpi */
#define X_HEIGHT (0.5 * EM)
#define ADVANCE (0.56 * EM)
#define STROKE (0.09 * EM)
#define PITCH (1.3 * EM)

/* ---- drawing ---------------------------------------------------------------------------------------------- */

static inline cairo_t *
sheet (int width, int height)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_A8, width, height);
  cairo_t *cr = cairo_create (surface);

  cairo_surface_destroy (surface);
  cairo_set_operator (cr, CAIRO_OPERATOR_SOURCE);
  cairo_set_source_rgba (cr, 0, 0, 0, 1); /* luminance: 255 is white */
  cairo_paint (cr);
  cairo_set_source_rgba (cr, 0, 0, 0, 0.08);
  return cr;
}

static inline void
bar (cairo_t *cr, double x0, double y0, double x1, double y1)
{
  cairo_rectangle (cr, x0, y0, x1 - x0, y1 - y0);
  cairo_fill (cr);
}

/* One letter on the baseline y. */
static inline void
letter (cairo_t *cr, char c, double x, double y)
{
  const double right = x + 0.42 * EM;

  switch (c) {
  case 'n': /* two stems and a bow */
    bar (cr, x, y - X_HEIGHT, x + STROKE, y);
    bar (cr, right - STROKE, y - X_HEIGHT, right, y);
    bar (cr, x, y - X_HEIGHT, right, y - X_HEIGHT + STROKE);
    break;
  case 'l': bar (cr, x, y - 0.72 * EM, x + STROKE, y); break;
  case 'p':
    bar (cr, x, y - X_HEIGHT, x + STROKE, y + 0.22 * EM);
    bar (cr, x, y - X_HEIGHT, right, y - X_HEIGHT + STROKE);
    bar (cr, right - STROKE, y - X_HEIGHT, right, y);
    bar (cr, x, y - STROKE, right, y);
    break;
  case '.': bar (cr, x, y - STROKE, x + STROKE, y); break;
  default: break; /* a space */
  }
}

static inline void
text (cairo_t *cr, const char *s, double x, double y)
{
  for (; *s; s++, x += *s ? ADVANCE : 0)
    letter (cr, *s, x, y);
}

/* n lines of the same words from y downwards. */
static inline void
block (cairo_t *cr, double x, double y, guint n)
{
  for (guint i = 0; i < n; i++)
    text (cr, i % 2 ? "nlnpn nln nnlln nn." : "nnln nlnnp nln nlpn", x, y + i * PITCH);
}

static inline DpScan *
scan_of (cairo_t *cr, gboolean upright)
{
  g_autoptr (GError) error = NULL;
  DpScan *scan = dp_scan_new (cairo_get_target (cr), DPI, upright, &error);

  g_assert_no_error (error);
  g_assert_nonnull (scan);
  return scan;
}

/* The same page under a matrix that maps the old sheet onto one of width x height. */
static inline cairo_t *
mapped (cairo_t *cr, int width, int height, const cairo_matrix_t *matrix)
{
  cairo_t *out = sheet (width, height);

  cairo_transform (out, matrix);
  cairo_set_source_surface (out, cairo_get_target (cr), 0, 0);
  cairo_rectangle (out, 1, 1, cairo_image_surface_get_width (cairo_get_target (cr)) - 2,
                   cairo_image_surface_get_height (cairo_get_target (cr)) - 2);
  cairo_fill (out);
  return out;
}
