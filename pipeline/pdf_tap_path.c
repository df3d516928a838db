/* pipeline/pdf_tap_path.c - what kind of thing a painted path is.
 *
 * Producers draw a table rule as a stroked segment, a thin filled rectangle, the gap between
 * two nested rectangles, or a very thick short stroke; all of these end as the same few kinds.
 * 3 pt as the border between a rule and an area is pdfplumber's and PyMuPDF's.
 */
#include "pipeline/pdf_tap_path.h"

#include <math.h>

#define RULE_MAX 3.0f    /* thicker is an area */
#define AXIS_SLACK 0.35f /* a segment this far off the axis still counts as parallel */
#define MIN_LENGTH 0.2f  /* shorter pieces are noise */
#define MAX_COORD 1e6

typedef struct {
  float x[6], y[6]; /* first points; enough to see a rectangle */
  guint n;
  DpRect box;
  gboolean curved, closed;
} SubPath;

typedef struct {
  const DpTapPen *pen;
  GArray *out;
  gboolean stroke;
  float width; /* of the line on the page */
  SubPath sub;
  float px, py; /* current point */
  DpRect rest;  /* of everything that is no rule and no rectangle */
  gboolean has_rest;
  DpRect last_rect; /* rectangle of the subpath before, for nested pairs */
  gboolean has_last_rect;
  guint n_left_out;
} Classifier;

DpRect
dp_tap_box_through (const cairo_matrix_t *ctm, double x0, double y0, double x1, double y1)
{
  double x[4] = { x0, x1, x1, x0 }, y[4] = { y0, y0, y1, y1 };
  DpRect r = { INFINITY, INFINITY, -INFINITY, -INFINITY };

  for (int i = 0; i < 4; i++) {
    cairo_matrix_transform_point (ctm, &x[i], &y[i]);
    if (!(fabs (x[i]) < MAX_COORD && fabs (y[i]) < MAX_COORD))
      return (DpRect){ 0 };
    r = dp_rect_union (r, (DpRect){ (float) x[i], (float) y[i], (float) x[i], (float) y[i] });
  }
  return r;
}

static void
emit (Classifier *c, DpPathKind kind, DpRect box)
{
  DpRect k = c->pen->clip;
  DpPath item = { .kind = kind, .colour = c->pen->colour, .paint = c->pen->paint, .alpha = c->pen->alpha };

  if (box.x1 < k.x0 || box.x0 > k.x1 || box.y1 < k.y0 || box.y0 > k.y1)
    return;
  item.box = (DpRect){ MAX (box.x0, k.x0), MAX (box.y0, k.y0), MIN (box.x1, k.x1), MIN (box.y1, k.y1) };
  /* Clipping may leave a strip of an area, which then looks like a rule. */
  if (kind == DP_PATH_FILL) {
    float w = dp_rect_width (item.box), h = dp_rect_height (item.box);
    if (w <= RULE_MAX || h <= RULE_MAX)
      item.kind = w >= h ? DP_PATH_HLINE : DP_PATH_VLINE;
  }
  if (c->out->len >= c->pen->max_paths)
    c->n_left_out++;
  else
    g_array_append_val (c->out, item);
}

static void
emit_segment (Classifier *c, float x0, float y0, float x1, float y1)
{
  float dx = fabsf (x1 - x0), dy = fabsf (y1 - y0), half = 0.5f * c->width;
  DpRect box = { MIN (x0, x1), MIN (y0, y1), MAX (x0, x1), MAX (y0, y1) };

  if (MAX (dx, dy) < MIN_LENGTH && c->width <= RULE_MAX)
    return;
  if (dy <= AXIS_SLACK && dx >= dy)
    emit (c, c->width > RULE_MAX ? DP_PATH_FILL : DP_PATH_HLINE, (DpRect){ box.x0, box.y0 - half, box.x1, box.y1 + half });
  else if (dx <= AXIS_SLACK)
    emit (c, c->width > RULE_MAX ? DP_PATH_FILL : DP_PATH_VLINE, (DpRect){ box.x0 - half, box.y0, box.x1 + half, box.y1 });
  else
    emit (c, DP_PATH_SLANTED, box);
}

/* Four corners, sides parallel to the axes. */
static gboolean
is_rectangle (const SubPath *s)
{
  guint n = s->n;

  if (s->curved || n < 4 || n > 5)
    return FALSE;
  if (n == 5 && (fabsf (s->x[4] - s->x[0]) > AXIS_SLACK || fabsf (s->y[4] - s->y[0]) > AXIS_SLACK))
    return FALSE;
  for (guint i = 0; i < 4; i++) {
    guint j = (i + 1) % 4;
    gboolean horizontal = fabsf (s->y[i] - s->y[j]) <= AXIS_SLACK;
    gboolean vertical = fabsf (s->x[i] - s->x[j]) <= AXIS_SLACK;
    if (!horizontal && !vertical)
      return FALSE;
  }
  return TRUE;
}

static void
emit_frame (Classifier *c, DpRect r, float thickness)
{
  float h = 0.5f * thickness;

  emit (c, DP_PATH_FRAME, r);
  emit (c, DP_PATH_HLINE, (DpRect){ r.x0, r.y0 - h, r.x1, r.y0 + h });
  emit (c, DP_PATH_HLINE, (DpRect){ r.x0, r.y1 - h, r.x1, r.y1 + h });
  emit (c, DP_PATH_VLINE, (DpRect){ r.x0 - h, r.y0, r.x0 + h, r.y1 });
  emit (c, DP_PATH_VLINE, (DpRect){ r.x1 - h, r.y0, r.x1 + h, r.y1 });
}

/* A rectangle with a slightly smaller one cut out of it is a frame; producers write either of them first. */
static gboolean
is_ring (DpRect outer, DpRect inner, float *thickness)
{
  float l = inner.x0 - outer.x0, t = inner.y0 - outer.y0, r = outer.x1 - inner.x1, b = outer.y1 - inner.y1;

  *thickness = MAX (MAX (l, r), MAX (t, b));
  return MIN (MIN (l, r), MIN (t, b)) >= 0 && *thickness > 0 && *thickness <= RULE_MAX;
}

static void
flush_rect (Classifier *c)
{
  if (c->has_last_rect)
    emit (c, DP_PATH_FILL, c->last_rect);
  c->has_last_rect = FALSE;
}

static void
end_filled (Classifier *c)
{
  const SubPath *s = &c->sub;
  float thickness;

  if (!is_rectangle (s)) {
    if (s->n > 1) {
      c->rest = c->has_rest ? dp_rect_union (c->rest, s->box) : s->box;
      c->has_rest = TRUE;
    }
    return;
  }
  if (c->has_last_rect && (is_ring (c->last_rect, s->box, &thickness) || is_ring (s->box, c->last_rect, &thickness))) {
    emit_frame (c, dp_rect_inside (s->box, c->last_rect) > 0.99f ? s->box : c->last_rect, thickness);
    c->has_last_rect = FALSE;
    return;
  }
  flush_rect (c);
  c->last_rect = s->box;
  c->has_last_rect = TRUE;
}

static void
end_stroked (Classifier *c)
{
  const SubPath *s = &c->sub;

  if (is_rectangle (s) && (s->closed || s->n == 5) && MIN (dp_rect_width (s->box), dp_rect_height (s->box)) > RULE_MAX) {
    emit_frame (c, s->box, c->width);
    return;
  }
  if (s->curved) {
    emit (c, DP_PATH_CURVE, s->box);
    return;
  }
  if (s->n <= G_N_ELEMENTS (s->x)) {
    for (guint i = 1; i < s->n; i++)
      emit_segment (c, s->x[i - 1], s->y[i - 1], s->x[i], s->y[i]);
    if (s->closed && s->n > 2)
      emit_segment (c, s->x[s->n - 1], s->y[s->n - 1], s->x[0], s->y[0]);
  }
}

static void
end_sub (Classifier *c)
{
  if (c->sub.n > 0) {
    if (c->stroke)
      end_stroked (c);
    else
      end_filled (c);
  }
  c->sub = (SubPath){ .box = { INFINITY, INFINITY, -INFINITY, -INFINITY } };
}

/* A long polyline is written out segment by segment once it no longer fits. */
static void
add_point (Classifier *c, float x, float y)
{
  SubPath *s = &c->sub;

  if (s->n < G_N_ELEMENTS (s->x)) {
    s->x[s->n] = x;
    s->y[s->n] = y;
  } else if (c->stroke && !s->curved) {
    if (s->n == G_N_ELEMENTS (s->x))
      for (guint i = 1; i < s->n; i++)
        emit_segment (c, s->x[i - 1], s->y[i - 1], s->x[i], s->y[i]);
    emit_segment (c, c->px, c->py, x, y);
  }
  s->n++;
  s->box = dp_rect_union (s->box, (DpRect){ x, y, x, y });
  c->px = x, c->py = y;
}

static gboolean
page_point (const DpTapPen *pen, const cairo_path_data_t *p, float *x, float *y)
{
  double dx = p->point.x, dy = p->point.y;

  cairo_matrix_transform_point (&pen->ctm, &dx, &dy);
  if (!(fabs (dx) < MAX_COORD && fabs (dy) < MAX_COORD))
    return FALSE;
  *x = (float) dx, *y = (float) dy;
  return TRUE;
}

/* Width of a line on the page: the mean scale of the matrix, and never less than a hairline. */
static float
page_line_width (const DpTapPen *pen)
{
  double det = fabs (pen->ctm.xx * pen->ctm.yy - pen->ctm.xy * pen->ctm.yx);
  double w = pen->line_width * sqrt (det);

  return isfinite (w) ? (float) CLAMP (w, 0.1, 1000) : 0.1f;
}

guint
dp_tap_path_classify (const cairo_path_t *path, const DpTapPen *pen, gboolean stroke, GArray *paths)
{
  Classifier c = { .pen = pen, .out = paths, .stroke = stroke, .width = page_line_width (pen) };

  end_sub (&c);
  for (int i = 0; i < path->num_data; i += path->data[i].header.length) {
    const cairo_path_data_t *d = &path->data[i];
    float x, y;
    switch (d->header.type) {
    case CAIRO_PATH_MOVE_TO:
      end_sub (&c);
      if (page_point (pen, d + 1, &x, &y))
        add_point (&c, x, y);
      break;
    case CAIRO_PATH_LINE_TO:
      if (page_point (pen, d + 1, &x, &y))
        add_point (&c, x, y);
      break;
    case CAIRO_PATH_CURVE_TO:
      c.sub.curved = TRUE;
      for (int k = 1; k <= 3; k++)
        if (page_point (pen, d + k, &x, &y))
          add_point (&c, x, y);
      break;
    case CAIRO_PATH_CLOSE_PATH: c.sub.closed = TRUE; break;
    }
  }
  end_sub (&c);
  flush_rect (&c);
  if (c.has_rest)
    emit (&c, DP_PATH_CURVE, c.rest);
  return c.n_left_out;
}
