/* output/pdf_file.c - see pdf_file.h. */
#include "output/pdf_file.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>

#define MAX_SIDE 14400.0 /* PDF 32000-1, annex C: largest page */

double
dp_pdf_side (double side, double margin)
{
  return isfinite (side) ? CLAMP (side, 1, MAX_SIDE - margin) : 1;
}

void
dp_pdf_paint_picture (cairo_t *cr, cairo_surface_t *picture, double width, double height)
{
  double w, h;

  if (!picture || cairo_surface_status (picture) != CAIRO_STATUS_SUCCESS || cairo_surface_get_type (picture) != CAIRO_SURFACE_TYPE_IMAGE)
    return;
  w = cairo_image_surface_get_width (picture);
  h = cairo_image_surface_get_height (picture);
  if (w < 1 || h < 1)
    return;
  cairo_save (cr);
  cairo_scale (cr, width / w, height / h);
  if (cairo_image_surface_get_format (picture) == CAIRO_FORMAT_A8) { /* grey: 255 is white */
    cairo_set_source_rgb (cr, 0, 0, 0);
    cairo_paint (cr);
    cairo_set_source_rgb (cr, 1, 1, 1);
    cairo_mask_surface (cr, picture, 0, 0);
  } else {
    cairo_set_source_surface (cr, picture, 0, 0);
    cairo_paint (cr);
  }
  cairo_restore (cr);
}

gboolean
dp_pdf_draw_stream (DpPdfDraw draw, gpointer data, const char *what, cairo_write_func_t write, gpointer closure, GError **error)
{
  cairo_surface_t *surface = cairo_pdf_surface_create_for_stream (write, closure, 595, 842);
  cairo_t *cr = cairo_create (surface);

  draw (cr, data);
  cairo_status_t status = cairo_status (cr);
  cairo_destroy (cr);
  cairo_surface_finish (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    return TRUE;
  g_set_error (error, DP_OUTPUT_ERROR, DP_OUTPUT_ERROR_WRITE, "%s could not be written: %s", what, cairo_status_to_string (status));
  return FALSE;
}

static cairo_status_t
write_to_file (void *closure, const unsigned char *bytes, unsigned int n)
{
  return fwrite (bytes, 1, n, closure) == n ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static gboolean
fail_with_errno (GError **error, const char *what, int code)
{
  g_clear_error (error);
  /* not the path: it is the temporary name of a file whose own name the caller knows */
  g_set_error (error, DP_OUTPUT_ERROR, DP_OUTPUT_ERROR_WRITE, "%s could not be written: %s", what, g_strerror (code));
  return FALSE;
}

gboolean
dp_pdf_draw_file (DpPdfDraw draw, gpointer data, const char *what, const char *path, GError **error)
{
  FILE *file = g_fopen (path, "wb");
  gboolean ok;
  int code = 0;

  if (!file)
    return fail_with_errno (error, what, errno);
  errno = 0;
  ok = dp_pdf_draw_stream (draw, data, what, write_to_file, file, error);
  if (!ok)
    code = errno;
  if (fclose (file) != 0 && ok) {
    code = errno;
    ok = FALSE;
  }
  return ok ? TRUE : code ? fail_with_errno (error, what, code) : FALSE;
}
