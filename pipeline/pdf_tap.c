/* pipeline/pdf_tap.c - see pdf_tap.h: the tap's state and the cairo calls that feed it. */
#include "pipeline/pdf_tap.h"

#include <math.h>

#include "pipeline/late.h"
#include "pipeline/pdf_tap_path.h"

/* The clip is kept as a box per saved state: exact for the rectangles that matter. */
typedef struct {
  DpRect clip;
} TapState;

typedef struct {
  DpTap tap;
  cairo_t *cr; /* the context poppler paints the page on */
  DpRect page;
  GArray *states; /* TapState; the last one is current */
  guint max_glyphs, max_objects;
  guint groups; /* open transparency groups: what they paint may end up translucent */
  gboolean has_rotation;
  gboolean glyph_path; /* the current path is made of glyph outlines */
  cairo_scaled_font_t *last_font;
  guint16 last_font_index;
} Tap;

/* poppler aligns thin strokes to whole pixels; on a page painted this much larger they stay
 * within a sixteenth of a point of their true place. */
#define SCALE 8.0

/* cairo calls carry no room for a listener, so the open tap is found per thread. */
static _Thread_local Tap *open_tap;

/* The library's own function behind the one defined here (late.h). */
#define NEXT(name)                                                                                                                         \
  static __typeof__ (&name) next;                                                                                                          \
  if (!next)                                                                                                                               \
  next = (__typeof__ (&name)) dp_late_cairo (#name)

static Tap *
tapped (const cairo_t *cr)
{
  return open_tap && open_tap->cr == cr ? open_tap : NULL;
}

static TapState *
state (Tap *tap)
{
  return &g_array_index (tap->states, TapState, tap->states->len - 1);
}

/* ---- opening and closing --------------------------------------------------------------- */

DpTap *
dp_tap_open (double width, double height, double unit, guint max_glyphs, guint max_objects, cairo_t **cr)
{
  Tap *tap = g_new0 (Tap, 1);
  /* One pixel: nothing is drawn, and groups stay tiny. */
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 1, 1);

  tap->tap.glyphs = g_array_new (FALSE, FALSE, sizeof (DpTapGlyph));
  tap->tap.paths = g_array_new (FALSE, FALSE, sizeof (DpPath));
  tap->tap.images = g_array_new (FALSE, FALSE, sizeof (DpImage));
  tap->tap.fonts = g_ptr_array_new_with_free_func ((GDestroyNotify) cairo_scaled_font_destroy);
  tap->states = g_array_new (FALSE, FALSE, sizeof (TapState));
  tap->page = (DpRect){ 0, 0, (float) width, (float) height };
  tap->max_glyphs = max_glyphs;
  tap->max_objects = max_objects;
  g_array_append_vals (tap->states, &(TapState){ tap->page }, 1);
  tap->cr = cairo_create (surface);
  cairo_scale (tap->cr, SCALE * unit, SCALE * unit);
  cairo_surface_destroy (surface);
  *cr = tap->cr;
  open_tap = tap;
  return &tap->tap;
}

void
dp_tap_close (DpTap *tap)
{
  Tap *self = (Tap *) tap;

  if (open_tap == self)
    open_tap = NULL;
  g_clear_pointer (&self->cr, cairo_destroy);
}

void
dp_tap_free (DpTap *tap)
{
  Tap *self = (Tap *) tap;

  if (!tap)
    return;
  dp_tap_close (tap);
  g_array_unref (tap->glyphs);
  g_array_unref (tap->paths);
  g_array_unref (tap->images);
  g_ptr_array_unref (tap->fonts);
  g_array_unref (self->states);
  g_free (self);
}

gboolean
dp_tap_glyph_is_blank (const DpTap *tap, const DpTapGlyph *glyph)
{
  cairo_glyph_t g = { .index = glyph->glyph };
  cairo_text_extents_t extents;

  cairo_scaled_font_glyph_extents (g_ptr_array_index (tap->fonts, glyph->font), &g, 1, &extents);
  return extents.width <= 0 || extents.height <= 0;
}

float
dp_tap_glyph_advance (const DpTap *tap, const DpTapGlyph *glyph)
{
  cairo_scaled_font_t *font = g_ptr_array_index (tap->fonts, glyph->font);
  cairo_glyph_t g = { .index = glyph->glyph };
  cairo_text_extents_t extents;
  cairo_matrix_t matrix;
  double em;

  cairo_scaled_font_glyph_extents (font, &g, 1, &extents);
  cairo_scaled_font_get_font_matrix (font, &matrix);
  em = hypot (matrix.xx, matrix.yx);
  return em > 0 && isfinite (extents.x_advance / em) ? (float) (extents.x_advance / em * glyph->size) : 0;
}

/* ---- noting ----------------------------------------------------------------------------- */

/* Colour and opacity of the current source; gradients and patterns count as opaque mid grey. */
static void
source_colour (cairo_t *cr, guint32 *colour, float *alpha)
{
  double r, g, b, a;

  if (cairo_pattern_get_rgba (cairo_get_source (cr), &r, &g, &b, &a) != CAIRO_STATUS_SUCCESS)
    r = g = b = 0.5, a = 1;
  *colour = (guint32) lround (CLAMP (r, 0, 1) * 255) << 16 | (guint32) lround (CLAMP (g, 0, 1) * 255) << 8
            | (guint32) lround (CLAMP (b, 0, 1) * 255);
  *alpha = (float) CLAMP (a, 0, 1);
}

/* User space to page points. */
static cairo_matrix_t
page_matrix (cairo_t *cr)
{
  cairo_matrix_t ctm, down;

  cairo_get_matrix (cr, &ctm);
  cairo_matrix_init_scale (&down, 1 / SCALE, 1 / SCALE);
  cairo_matrix_multiply (&ctm, &ctm, &down);
  return ctm;
}

static guint16
font_index (Tap *tap, cairo_t *cr)
{
  cairo_scaled_font_t *font = cairo_get_scaled_font (cr);

  if (font != tap->last_font && tap->tap.fonts->len < G_MAXUINT16) {
    tap->last_font = font;
    tap->last_font_index = (guint16) tap->tap.fonts->len;
    g_ptr_array_add (tap->tap.fonts, cairo_scaled_font_reference (font));
  }
  return tap->last_font_index;
}

/* What each glyph of a string means, as far as its font says so: a cluster for each glyph, or none at all. */
typedef struct {
  const char *utf8;
  const cairo_text_cluster_t *clusters;
  int n_clusters;
} Meaning;

static const Meaning unknown = { NULL, NULL, 0 };

/* The first character that glyph number i means, 0 = not known; the text moves on. */
static guint32
next_meaning (Meaning *text, int i)
{
  if (!text->utf8 || i >= text->n_clusters)
    return 0;
  const int n = text->clusters[i].num_bytes;
  const gunichar c = n > 0 ? g_utf8_get_char_validated (text->utf8, n) : 0;

  text->utf8 += n;
  return c < 0x110000 && c != 0xfffd ? c : 0;
}

static void
note_glyphs (Tap *tap, cairo_t *cr, const cairo_glyph_t *glyphs, int n, Meaning text, guint8 stroked)
{
  cairo_matrix_t font, ctm = page_matrix (cr);
  DpTapGlyph note = { .paint = ++tap->tap.n_paint, .stroked = stroked };
  float alpha;

  cairo_get_font_matrix (cr, &font);
  double dx = font.xx, dy = font.yx, ux = font.xy, uy = font.yy;
  cairo_matrix_transform_distance (&ctm, &dx, &dy);
  cairo_matrix_transform_distance (&ctm, &ux, &uy);
  double degrees = isfinite (dx) && isfinite (dy) ? atan2 (dy, dx) * 180 / G_PI : 0;
  note.angle = (gint16) (((int) lround (degrees) % 360 + 360) % 360);
  note.size = (float) hypot (ux, uy);
  note.font = font_index (tap, cr);
  source_colour (cr, &note.colour, &alpha);
  for (int i = 0; i < n; i++) {
    double x = glyphs[i].x, y = glyphs[i].y;
    note.code = next_meaning (&text, i);
    cairo_matrix_transform_point (&ctm, &x, &y);
    if (!isfinite (x) || !isfinite (y))
      continue;
    if (tap->tap.glyphs->len >= tap->max_glyphs) {
      tap->tap.n_dropped++;
      continue;
    }
    note.x = (float) x, note.y = (float) y;
    note.glyph = (guint32) glyphs[i].index;
    /* A baseline just outside the clip still shows its glyph; one em away it does not. */
    DpRect c = state (tap)->clip;
    note.visible = alpha > 0.02f && x > c.x0 - note.size && x < c.x1 + 1 && y > c.y0 - 1 && y < c.y1 + note.size && c.x1 > c.x0;
    g_array_append_val (tap->tap.glyphs, note);
  }
}

static void
note_path (Tap *tap, cairo_t *cr, gboolean stroke)
{
  DpTapPen pen = { .clip = state (tap)->clip, .max_paths = tap->max_objects };
  cairo_path_t *path;

  source_colour (cr, &pen.colour, &pen.alpha);
  pen.paint = ++tap->tap.n_paint;
  if (pen.alpha <= 0.02f || dp_rect_width (pen.clip) <= 0)
    return;
  if (tap->tap.paths->len >= tap->max_objects) {
    tap->tap.n_dropped++;
    return;
  }
  pen.ctm = page_matrix (cr);
  pen.line_width = cairo_get_line_width (cr);
  /* Only plain painting hides what is under it: not multiplied, not in a group. */
  if (tap->groups || cairo_get_operator (cr) != CAIRO_OPERATOR_OVER)
    pen.alpha = MIN (pen.alpha, 0.9f);
  path = cairo_copy_path (cr);
  tap->tap.n_dropped += dp_tap_path_classify (path, &pen, stroke, tap->tap.paths);
  cairo_path_destroy (path);
}

/* An image is painted on the unit square, its first row at the top. */
static gboolean
is_upright (const cairo_matrix_t *ctm)
{
  return ctm->xx > 0 && ctm->yy < 0 && fabs (ctm->xy) < -0.01 * ctm->yy && fabs (ctm->yx) < 0.01 * ctm->xx;
}

static void
note_image (Tap *tap, gboolean opaque, int width, int height)
{
  cairo_matrix_t ctm = page_matrix (tap->cr);
  DpImage image = { .width = (guint32) MAX (width, 0),
                    .height = (guint32) MAX (height, 0),
                    .paint = ++tap->tap.n_paint,
                    .flags = opaque && !tap->groups ? 0 : DP_IMAGE_MASK };

  if (tap->tap.images->len >= tap->max_objects) {
    tap->tap.n_dropped++;
    return;
  }
  const DpRect all = dp_tap_box_through (&ctm, 0, 0, 1, 1);
  image.box = dp_rect_intersect (all, state (tap)->clip);
  if (is_upright (&ctm) && dp_rect_inside (all, image.box) > 0.99f)
    image.flags |= DP_IMAGE_STORED;
  if (dp_rect_width (image.box) > 0 && dp_rect_height (image.box) > 0)
    g_array_append_val (tap->tap.images, image);
}

/* ---- the cairo calls ---------------------------------------------------------------------- */

void
cairo_stroke (cairo_t *cr)
{
  NEXT (cairo_stroke);
  Tap *tap = tapped (cr);

  if (!tap) {
    next (cr);
    return;
  }
  if (tap->glyph_path)
    tap->glyph_path = FALSE;
  else
    note_path (tap, cr, TRUE);
  cairo_new_path (cr);
}

void
cairo_fill (cairo_t *cr)
{
  NEXT (cairo_fill);
  Tap *tap = tapped (cr);

  if (!tap) {
    next (cr);
    return;
  }
  note_path (tap, cr, FALSE);
  cairo_new_path (cr);
}

static void
note_inside (int n)
{
  if (open_tap && n > 0)
    open_tap->tap.n_inside += (guint32) n;
}

void
cairo_show_glyphs (cairo_t *cr, const cairo_glyph_t *glyphs, int n)
{
  NEXT (cairo_show_glyphs);
  Tap *tap = tapped (cr);

  if (tap) {
    note_glyphs (tap, cr, glyphs, n, unknown, FALSE);
  } else {
    note_inside (n);
    next (cr, glyphs, n);
  }
}

/* poppler tells what glyphs mean only to surfaces that keep it. */
cairo_bool_t
cairo_surface_has_show_text_glyphs (cairo_surface_t *surface)
{
  NEXT (cairo_surface_has_show_text_glyphs);

  return open_tap ? TRUE : next (surface);
}

void
cairo_show_text_glyphs (cairo_t *cr, const char *utf8, int utf8_len, const cairo_glyph_t *glyphs, int n,
                        const cairo_text_cluster_t *clusters, int n_clusters, cairo_text_cluster_flags_t flags)
{
  NEXT (cairo_show_text_glyphs);
  Tap *tap = tapped (cr);

  if (tap) {
    note_glyphs (tap, cr, glyphs, n, n_clusters == n ? (Meaning){ utf8, clusters, n_clusters } : unknown, FALSE);
  } else {
    note_inside (n);
    next (cr, utf8, utf8_len, glyphs, n, clusters, n_clusters, flags);
  }
}

/* Fill and stroke (an emulated bold) shows the same glyphs twice in a row. */
static gboolean
outlines_last (Tap *tap, const cairo_matrix_t *ctm, const cairo_glyph_t *glyphs, int n)
{
  guint len = tap->tap.glyphs->len;
  DpTapGlyph *last = (DpTapGlyph *) tap->tap.glyphs->data + (len - (guint) MAX (n, 0));
  double x, y;

  if (n < 1 || len < (guint) n)
    return FALSE;
  x = glyphs[0].x, y = glyphs[0].y;
  cairo_matrix_transform_point (ctm, &x, &y);
  if (fabs (last->x - x) > 0.01 || fabs (last->y - y) > 0.01 || last->glyph != (guint32) glyphs[0].index)
    return FALSE;
  for (int i = 0; i < n; i++)
    last[i].stroked = TRUE;
  return TRUE;
}

/* Outlined text, and text used as a clip. */
void
cairo_glyph_path (cairo_t *cr, const cairo_glyph_t *glyphs, int n)
{
  NEXT (cairo_glyph_path);
  Tap *tap = tapped (cr);
  cairo_matrix_t ctm;

  if (!tap) {
    note_inside (n);
    next (cr, glyphs, n);
    return;
  }
  ctm = page_matrix (cr);
  if (!outlines_last (tap, &ctm, glyphs, n))
    note_glyphs (tap, cr, glyphs, n, unknown, TRUE);
  tap->glyph_path = TRUE;
}

void
cairo_paint (cairo_t *cr)
{
  NEXT (cairo_paint);

  if (!tapped (cr))
    next (cr);
}

void
cairo_paint_with_alpha (cairo_t *cr, double alpha)
{
  NEXT (cairo_paint_with_alpha);

  if (!tapped (cr))
    next (cr, alpha);
}

void
cairo_mask (cairo_t *cr, cairo_pattern_t *pattern)
{
  NEXT (cairo_mask);

  if (!tapped (cr))
    next (cr, pattern);
}

void
cairo_clip (cairo_t *cr)
{
  NEXT (cairo_clip);
  Tap *tap = tapped (cr);
  double x0, y0, x1, y1;
  cairo_matrix_t ctm;

  if (!tap) {
    next (cr);
    return;
  }
  if (!tap->glyph_path) {
    cairo_path_extents (cr, &x0, &y0, &x1, &y1);
    ctm = page_matrix (cr);
    state (tap)->clip = dp_rect_intersect (state (tap)->clip, dp_tap_box_through (&ctm, x0, y0, x1, y1));
  }
  tap->glyph_path = FALSE;
  cairo_new_path (cr);
}

/* poppler asks for the clip to size the masks that it makes of a group's brightness, and writes into them unasked.  A point
 * stays one in whatever space it asks; a box, even of one pixel, grows in a skewed or turned one. */
void
cairo_clip_extents (cairo_t *cr, double *x1, double *y1, double *x2, double *y2)
{
  NEXT (cairo_clip_extents);

  if (tapped (cr))
    *x1 = *y1 = *x2 = *y2 = 0;
  else
    next (cr, x1, y1, x2, y2);
}

static void
push_state (Tap *tap)
{
  TapState copy = *state (tap);

  g_array_append_val (tap->states, copy);
}

static void
pop_state (Tap *tap)
{
  if (tap->states->len > 1)
    g_array_set_size (tap->states, tap->states->len - 1);
}

static void
push_group (Tap *tap)
{
  push_state (tap);
  tap->groups++;
}

static void
pop_group (Tap *tap)
{
  pop_state (tap);
  if (tap->groups)
    tap->groups--;
}

/* The first matrix of a page turns PDF's axes into the display's: y upside down, and by /Rotate. */
static void
note_rotation (Tap *tap, const cairo_matrix_t *m)
{
  if (fabs (m->xx) > fabs (m->yx))
    tap->tap.rotation = m->xx > 0 ? 0 : 180;
  else
    tap->tap.rotation = m->yx > 0 ? 90 : 270;
  tap->has_rotation = TRUE;
}

void
cairo_transform (cairo_t *cr, const cairo_matrix_t *matrix)
{
  NEXT (cairo_transform);
  Tap *tap = tapped (cr);

  if (tap && !tap->has_rotation)
    note_rotation (tap, matrix);
  next (cr, matrix);
}

void
cairo_save (cairo_t *cr)
{
  NEXT (cairo_save);

  if (tapped (cr))
    push_state (open_tap);
  next (cr);
}

void
cairo_restore (cairo_t *cr)
{
  NEXT (cairo_restore);

  if (tapped (cr))
    pop_state (open_tap);
  next (cr);
}

void
cairo_push_group (cairo_t *cr)
{
  NEXT (cairo_push_group);

  if (tapped (cr))
    push_group (open_tap);
  next (cr);
}

void
cairo_push_group_with_content (cairo_t *cr, cairo_content_t content)
{
  NEXT (cairo_push_group_with_content);

  if (tapped (cr))
    push_group (open_tap);
  next (cr, content);
}

cairo_pattern_t *
cairo_pop_group (cairo_t *cr)
{
  NEXT (cairo_pop_group);

  if (tapped (cr))
    pop_group (open_tap);
  return next (cr);
}

void
cairo_pop_group_to_source (cairo_t *cr)
{
  NEXT (cairo_pop_group_to_source);

  if (tapped (cr))
    pop_group (open_tap);
  next (cr);
}

/* poppler makes an image surface just before it decodes an image into it and gives up quietly
 * when that fails: so the image is noted and never decoded.  The tiny surfaces of soft masks
 * and groups (one pixel, see dp_tap_open) pass. */
cairo_surface_t *
cairo_image_surface_create (cairo_format_t format, int width, int height)
{
  NEXT (cairo_image_surface_create);

  if (!open_tap || (width <= 2 && height <= 2))
    return next (format, width, height);
  /* Masks, soft or hard, are decoded first and into an alpha channel. */
  note_image (open_tap, format == CAIRO_FORMAT_RGB24, width, height);
  return next (CAIRO_FORMAT_INVALID, -1, -1);
}
