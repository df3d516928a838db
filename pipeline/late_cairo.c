/* pipeline/late_cairo.c - cairo, linked when it is first called; see late.h.  What pdf_tap.c listens to is defined there. */
#include "pipeline/late.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <dlfcn.h>

/* clang-format off */
#define CAIRO(F) \
  F (void, cairo_close_path, (cairo_t *cr), (cr)) \
  F (cairo_path_t *, cairo_copy_path, (cairo_t *cr), (cr)) \
  F (cairo_t *, cairo_create, (cairo_surface_t *target), (target)) \
  F (void, cairo_debug_reset_static_data, (void), ()) \
  F (void, cairo_destroy, (cairo_t *cr), (cr)) \
  F (void, cairo_fill_preserve, (cairo_t *cr), (cr)) \
  F (int, cairo_format_stride_for_width, (cairo_format_t format, int width), (format, width)) \
  F (void, cairo_get_font_matrix, (cairo_t *cr, cairo_matrix_t *matrix), (cr, matrix)) \
  F (double, cairo_get_line_width, (cairo_t *cr), (cr)) \
  F (void, cairo_get_matrix, (cairo_t *cr, cairo_matrix_t *matrix), (cr, matrix)) \
  F (cairo_operator_t, cairo_get_operator, (cairo_t *cr), (cr)) \
  F (cairo_scaled_font_t *, cairo_get_scaled_font, (cairo_t *cr), (cr)) \
  F (cairo_pattern_t *, cairo_get_source, (cairo_t *cr), (cr)) \
  F (cairo_surface_t *, cairo_get_target, (cairo_t *cr), (cr)) \
  F (cairo_surface_t *, cairo_image_surface_create_for_data, (unsigned char *data, cairo_format_t format, int width, int height, int stride), (data, format, width, height, stride)) \
  F (unsigned char *, cairo_image_surface_get_data, (cairo_surface_t *surface), (surface)) \
  F (cairo_format_t, cairo_image_surface_get_format, (cairo_surface_t *surface), (surface)) \
  F (int, cairo_image_surface_get_height, (cairo_surface_t *surface), (surface)) \
  F (int, cairo_image_surface_get_stride, (cairo_surface_t *surface), (surface)) \
  F (int, cairo_image_surface_get_width, (cairo_surface_t *surface), (surface)) \
  F (void, cairo_line_to, (cairo_t *cr, double x, double y), (cr, x, y)) \
  F (void, cairo_mask_surface, (cairo_t *cr, cairo_surface_t *surface, double surface_x, double surface_y), (cr, surface, surface_x, surface_y)) \
  F (void, cairo_matrix_init, (cairo_matrix_t *matrix, double xx, double yx, double xy, double yy, double x0, double y0), (matrix, xx, yx, xy, yy, x0, y0)) \
  F (void, cairo_matrix_init_identity, (cairo_matrix_t *matrix), (matrix)) \
  F (void, cairo_matrix_init_scale, (cairo_matrix_t *matrix, double sx, double sy), (matrix, sx, sy)) \
  F (void, cairo_matrix_init_translate, (cairo_matrix_t *matrix, double tx, double ty), (matrix, tx, ty)) \
  F (cairo_status_t, cairo_matrix_invert, (cairo_matrix_t *matrix), (matrix)) \
  F (void, cairo_matrix_multiply, (cairo_matrix_t *result, const cairo_matrix_t *a, const cairo_matrix_t *b), (result, a, b)) \
  F (void, cairo_matrix_rotate, (cairo_matrix_t *matrix, double radians), (matrix, radians)) \
  F (void, cairo_matrix_transform_distance, (const cairo_matrix_t *matrix, double *dx, double *dy), (matrix, dx, dy)) \
  F (void, cairo_matrix_transform_point, (const cairo_matrix_t *matrix, double *x, double *y), (matrix, x, y)) \
  F (void, cairo_matrix_translate, (cairo_matrix_t *matrix, double tx, double ty), (matrix, tx, ty)) \
  F (void, cairo_move_to, (cairo_t *cr, double x, double y), (cr, x, y)) \
  F (void, cairo_new_path, (cairo_t *cr), (cr)) \
  F (void, cairo_path_destroy, (cairo_path_t *path), (path)) \
  F (void, cairo_path_extents, (cairo_t *cr, double *x1, double *y1, double *x2, double *y2), (cr, x1, y1, x2, y2)) \
  F (cairo_status_t, cairo_pattern_get_rgba, (cairo_pattern_t *pattern, double *red, double *green, double *blue, double *alpha), (pattern, red, green, blue, alpha)) \
  F (void, cairo_pattern_set_filter, (cairo_pattern_t *pattern, cairo_filter_t filter), (pattern, filter)) \
  F (void, cairo_rectangle, (cairo_t *cr, double x, double y, double width, double height), (cr, x, y, width, height)) \
  F (void, cairo_rotate, (cairo_t *cr, double angle), (cr, angle)) \
  F (void, cairo_scale, (cairo_t *cr, double sx, double sy), (cr, sx, sy)) \
  F (void, cairo_scaled_font_destroy, (cairo_scaled_font_t *scaled_font), (scaled_font)) \
  F (void, cairo_scaled_font_get_font_matrix, (cairo_scaled_font_t *scaled_font, cairo_matrix_t *font_matrix), (scaled_font, font_matrix)) \
  F (void, cairo_scaled_font_glyph_extents, (cairo_scaled_font_t *scaled_font, const cairo_glyph_t *glyphs, int num_glyphs, cairo_text_extents_t *extents), (scaled_font, glyphs, num_glyphs, extents)) \
  F (cairo_scaled_font_t *, cairo_scaled_font_reference, (cairo_scaled_font_t *scaled_font), (scaled_font)) \
  F (void, cairo_select_font_face, (cairo_t *cr, const char *family, cairo_font_slant_t slant, cairo_font_weight_t weight), (cr, family, slant, weight)) \
  F (void, cairo_set_font_size, (cairo_t *cr, double size), (cr, size)) \
  F (void, cairo_set_line_width, (cairo_t *cr, double width), (cr, width)) \
  F (void, cairo_set_source_rgb, (cairo_t *cr, double red, double green, double blue), (cr, red, green, blue)) \
  F (void, cairo_set_source_rgba, (cairo_t *cr, double red, double green, double blue, double alpha), (cr, red, green, blue, alpha)) \
  F (void, cairo_set_source_surface, (cairo_t *cr, cairo_surface_t *surface, double x, double y), (cr, surface, x, y)) \
  F (void, cairo_show_page, (cairo_t *cr), (cr)) \
  F (void, cairo_show_text, (cairo_t *cr, const char *utf8), (cr, utf8)) \
  F (cairo_status_t, cairo_status, (cairo_t *cr), (cr)) \
  F (const char *, cairo_status_to_string, (cairo_status_t status), (status)) \
  F (void, cairo_surface_destroy, (cairo_surface_t *surface), (surface)) \
  F (void, cairo_surface_finish, (cairo_surface_t *surface), (surface)) \
  F (void, cairo_surface_flush, (cairo_surface_t *surface), (surface)) \
  F (void, cairo_surface_get_mime_data, (cairo_surface_t *surface, const char *mime_type, const unsigned char **data, unsigned long *length), (surface, mime_type, data, length)) \
  F (cairo_surface_type_t, cairo_surface_get_type, (cairo_surface_t *surface), (surface)) \
  F (void, cairo_surface_mark_dirty, (cairo_surface_t *surface), (surface)) \
  F (cairo_surface_t *, cairo_surface_reference, (cairo_surface_t *surface), (surface)) \
  F (cairo_status_t, cairo_surface_set_mime_data, (cairo_surface_t *surface, const char *mime_type, const unsigned char *data, unsigned long length, cairo_destroy_func_t destroy, void *closure), (surface, mime_type, data, length, destroy, closure)) \
  F (cairo_status_t, cairo_surface_set_user_data, (cairo_surface_t *surface, const cairo_user_data_key_t *key, void *user_data, cairo_destroy_func_t destroy), (surface, key, user_data, destroy)) \
  F (cairo_status_t, cairo_surface_status, (cairo_surface_t *surface), (surface)) \
  F (void, cairo_text_extents, (cairo_t *cr, const char *utf8, cairo_text_extents_t *extents), (cr, utf8, extents)) \
  F (void, cairo_translate, (cairo_t *cr, double tx, double ty), (cr, tx, ty)) \
  F (const char*, cairo_version_string, (void), ()) \
  F (cairo_surface_t *, cairo_pdf_surface_create_for_stream, (cairo_write_func_t write_func, void *closure, double width_in_points, double height_in_points), (write_func, closure, width_in_points, height_in_points)) \
  F (void, cairo_pdf_surface_set_size, (cairo_surface_t *surface, double width_in_points, double height_in_points), (surface, width_in_points, height_in_points))
/* clang-format on */

/* DP_CAIRO_LIBRARY: the name that the linker would have put into the program (Makefile) */
DP_LATE_LIBRARY (CAIRO, DP_CAIRO_LIBRARY)

gpointer
dp_late_cairo (const char *name)
{
  void *handle = dlopen (DP_CAIRO_LIBRARY, RTLD_LAZY | RTLD_GLOBAL);

  return handle ? dlsym (handle, name) : NULL;
}
