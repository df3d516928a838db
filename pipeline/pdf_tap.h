/* pipeline/pdf_tap.h - listen to what poppler paints.
 *
 * poppler-glib tells text with boxes but neither vector strokes and fills nor whether a
 * character is visible.  It paints through cairo, a shared library; docparse defines the few
 * cairo drawing calls itself (symbol interposition), passes them on untouched, and only while
 * a tap is open notes them down instead of drawing: exact paths, glyph origins and image
 * boxes in paint order, in the time of interpreting the page (2-5 ms), without rasterising
 * and without decoding images.  The idea is MuPDF's list device; cairo's own recording
 * surface keeps the same list but lets nobody read it.
 */
#pragma once

#include <cairo.h>

#include "layout/page.h"

G_BEGIN_DECLS

typedef struct {
  float x, y;     /* origin on the page, points */
  float size;     /* em height as shown */
  guint32 colour; /* 0xRRGGBB */
  guint32 paint;  /* paint order */
  guint32 glyph;  /* index in its font */
  guint32 code;   /* the (first) character it means, as its font says; 0 = not known */
  guint16 font;   /* index into DpTap.fonts */
  gint16 angle;   /* writing direction, degrees clockwise, 0..359 */
  guint8 stroked; /* outlined as well as filled: an emulated bold */
  guint8 visible; /* inside the clip and not transparent */
} DpTapGlyph;

typedef struct {
  GArray *glyphs;    /* DpTapGlyph */
  GArray *paths;     /* DpPath */
  GArray *images;    /* DpImage */
  GPtrArray *fonts;  /* cairo_scaled_font_t */
  guint32 n_paint;   /* operations seen */
  guint32 n_dropped; /* not noted because of a limit */
  guint32 n_inside;  /* glyphs painted inside a pattern or a glyph, on surfaces of their own; not noted */
  gint rotation;     /* /Rotate of the page, read off its first matrix: 0, 90, 180, 270 */
} DpTap;

/* Opens a tap for drawing on a page of that size in points and returns the context to draw on, which
 * is in the page's own units: one is so many points long.
 * At most max_glyphs glyphs and max_objects paths and images are noted. */
DpTap *dp_tap_open (double width, double height, double unit, guint max_glyphs, guint max_objects, cairo_t **cr);
/* Stops listening; what was noted stays until dp_tap_free(). */
void dp_tap_close (DpTap *tap);
void dp_tap_free (DpTap *tap);
/* TRUE if the glyph has no ink: a space. */
gboolean dp_tap_glyph_is_blank (const DpTap *tap, const DpTapGlyph *glyph);
/* How far the pen moves, in points on the page. */
float dp_tap_glyph_advance (const DpTap *tap, const DpTapGlyph *glyph);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpTap, dp_tap_free)

G_END_DECLS
