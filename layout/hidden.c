/* layout/hidden.c - which glyphs a reader of the page would not see.
 *
 * Hidden text poisons training data and prompts, so it is told from paint order and fills,
 * without rendering: never painted and no picture of the page behind it, painted over,
 * off the page, smaller than a point, or in the colour of its own background.  An invisible
 * text layer over a scan, or under it, is the opposite of hidden: it is what the reader sees.
 *
 * Backgrounds: fills, images and other shapes are dealt into a grid of cells in paint
 * order; a shape that covers a cell and is opaque makes all before it in that cell
 * irrelevant, so lists stay short however many rectangles a page has.
 */
#include "layout/layout.h"
#include "layout/text.h"

#include <math.h>
#include <stdlib.h>

#define GRID 64                 /* cells each way */
#define MAX_LOOK 200            /* shapes of a cell looked at for one glyph */
#define SAME_COLOUR 14          /* of 255 per channel: no contrast (about 1.1 : 1) */
#define SCAN_COVER 0.4f         /* of the page under images: unpainted text is an OCR layer */
#define TINY 1.0f               /* points */
#define LAYER_SHARE 0.7f        /* of the glyphs under a picture or without paint: the layer of a scan, not a few hidden words */
#define GROUND_UNKNOWN 0x808080 /* what the PDF stage puts for gradients and patterns */
#define MAX_CELL_WORK 4000000   /* cell entries over the page; beyond, backgrounds are not judged */

typedef struct {
  DpRect box;
  guint32 paint, colour;
  gboolean known;  /* a plain opaque fill; otherwise the colour there is anybody's guess */
  gboolean covers; /* opaque all over its box */
} Shape;

/* A shape in a cell. */
typedef struct {
  guint32 shape;
  guint32 below; /* 1 + entry of the shape painted before it; 0 = none, or none that shows */
} Entry;

typedef struct {
  const DpPage *page;
  GArray *shapes;             /* Shape, by paint */
  GArray *entries;            /* Entry */
  guint32 cells[GRID * GRID]; /* 1 + entry of the shape painted last; 0 = none */
  gboolean overflow;
} Ground;

static gint
compare_shapes (gconstpointer a, gconstpointer b)
{
  const Shape *x = a, *y = b;

  return (x->paint > y->paint) - (x->paint < y->paint);
}

static gint
cell_of (float v, float size)
{
  return (gint) CLAMP (v / MAX (size, 1.0f) * GRID, 0, GRID - 1);
}

static void
deal_shape (Ground *g, guint index)
{
  const Shape *s = &g_array_index (g->shapes, Shape, index);
  float w = g->page->width / GRID, h = g->page->height / GRID;
  gint x0 = cell_of (s->box.x0, g->page->width), x1 = cell_of (s->box.x1, g->page->width);
  gint y0 = cell_of (s->box.y0, g->page->height), y1 = cell_of (s->box.y1, g->page->height);

  for (gint y = y0; y <= y1; y++)
    for (gint x = x0; x <= x1; x++) {
      guint32 *cell = &g->cells[y * GRID + x];
      gboolean whole = s->covers && s->box.x0 <= (float) x * w && s->box.x1 >= (float) (x + 1) * w && s->box.y0 <= (float) y * h
                       && s->box.y1 >= (float) (y + 1) * h;

      /* Glyphs between two covering shapes are painted over by the second anyway. */
      const Entry entry = { index, whole ? 0 : *cell };
      g_array_append_val (g->entries, entry);
      *cell = g->entries->len;
      if (g->entries->len > MAX_CELL_WORK) {
        g->overflow = TRUE;
        return;
      }
    }
}

static Ground *
ground_new (const DpPage *page)
{
  Ground *g = g_new0 (Ground, 1);

  g->page = page;
  g->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  g->shapes = g_array_new (FALSE, FALSE, sizeof (Shape));
  for (gsize i = 0; i < page->n_paths; i++) {
    const DpPath *p = &page->paths[i];
    gboolean solid = p->kind == DP_PATH_FILL && p->alpha > 0.95f;
    Shape s = { p->box, p->paint, p->colour, solid && p->colour != GROUND_UNKNOWN, solid };

    /* Strokes have no inside; thin rules are no background. */
    if (p->kind == DP_PATH_FILL || p->kind == DP_PATH_CURVE)
      g_array_append_val (g->shapes, s);
  }
  for (gsize i = 0; i < page->n_images; i++) {
    Shape s = { page->images[i].box, page->images[i].paint, 0, FALSE, FALSE };

    g_array_append_val (g->shapes, s);
  }
  g_array_sort (g->shapes, compare_shapes);
  for (guint i = 0; i < g->shapes->len && !g->overflow; i++)
    deal_shape (g, i);
  return g;
}

static void
ground_free (Ground *g)
{
  g_array_unref (g->entries);
  g_array_unref (g->shapes);
  g_free (g);
}

/* The colour a glyph is painted on; FALSE if nobody can tell without rendering. */
static gboolean
background_of (const Ground *g, const DpGlyph *glyph, guint32 *colour)
{
  float x = dp_rect_cx (glyph->box), y = dp_rect_cy (glyph->box);
  guint32 at = g->cells[cell_of (y, g->page->height) * GRID + cell_of (x, g->page->width)];
  guint looked = 0;

  if (g->overflow)
    return FALSE;
  while (at) {
    const Entry *entry = &g_array_index (g->entries, Entry, at - 1);
    const Shape *s = &g_array_index (g->shapes, Shape, entry->shape);

    at = entry->below;
    if (++looked > MAX_LOOK)
      return FALSE;
    if (s->paint >= glyph->paint || !dp_rect_contains_point (s->box, x, y))
      continue;
    *colour = s->colour;
    return s->known;
  }
  *colour = 0xffffff;
  return TRUE;
}

static gboolean
no_contrast (guint32 a, guint32 b)
{
  for (guint shift = 0; shift < 24; shift += 8)
    if (abs ((gint) (a >> shift & 255) - (gint) (b >> shift & 255)) > SAME_COLOUR)
      return FALSE;
  return TRUE;
}

/* Marks the cells that images cover; returns the share of the page. */
static float
image_cover (const DpPage *page, guint8 *covered)
{
  guint n = 0;

  for (gsize i = 0; i < page->n_images; i++) {
    DpRect b = page->images[i].box;
    gint x1 = cell_of (b.x1, page->width), y1 = cell_of (b.y1, page->height);

    for (gint y = cell_of (b.y0, page->height); y <= y1 && n < GRID * GRID; y++)
      for (gint x = cell_of (b.x0, page->width); x <= x1; x++) {
        n += !covered[y * GRID + x];
        covered[y * GRID + x] = 1;
      }
  }
  return (float) n / (GRID * GRID);
}

static gboolean
is_finite_glyph (const DpGlyph *g)
{
  return isfinite (g->box.x0) && isfinite (g->box.y0) && isfinite (g->box.x1) && isfinite (g->box.y1) && isfinite (g->size)
         && isfinite (g->baseline);
}

/* Most of the text lies under the picture of the page, or was never painted over it. */
static gboolean
has_scan_layer (const DpPage *page)
{
  gsize n = 0;

  for (gsize i = 0; i < page->n_glyphs; i++)
    n += (page->glyphs[i].flags & (DP_GLYPH_UNPAINTED | DP_GLYPH_COVERED)) != 0;
  return (float) n >= LAYER_SHARE * (float) page->n_glyphs;
}

static gboolean
is_hidden (const Ground *ground, const DpGlyph *g, gboolean scan, gboolean layer, const guint8 *covered)
{
  const DpPage *page = ground->page;
  float x = dp_rect_cx (g->box), y = dp_rect_cy (g->box);
  gboolean on_image;
  guint32 colour;

  if (!is_finite_glyph (g) || x < 0 || y < 0 || x > page->width || y > page->height)
    return TRUE;
  on_image = covered[cell_of (y, page->height) * GRID + cell_of (x, page->width)];
  if (g->flags & DP_GLYPH_UNPAINTED)
    return !scan || !on_image;
  if (g->flags & DP_GLYPH_COVERED)
    return !layer || !on_image;
  if (g->size < TINY && dp_rect_height (g->box) < 1.5f * TINY)
    return TRUE;
  return g->paint && background_of (ground, g, &colour) && no_contrast (colour, g->colour);
}

void
dp_layout_hidden (DpPageLayout *layout, const DpPage *page, const DpLayoutOptions *options, guint8 *hidden)
{
  g_autofree guint8 *covered = g_malloc0 (GRID * GRID);
  gboolean layer, scan;
  Ground *ground;

  (void) layout;
  if (options && options->keep_hidden)
    return;
  scan = image_cover (page, covered) >= SCAN_COVER;
  layer = scan && has_scan_layer (page);
  ground = ground_new (page);
  for (gsize i = 0; i < page->n_glyphs; i++)
    /* A mark goes with its letter: accents are often drawn by another glyph. */
    if (i && dp_text_is_mark (page->glyphs[i].code))
      hidden[i] = hidden[i - 1];
    else
      hidden[i] = (guint8) is_hidden (ground, &page->glyphs[i], scan, layer, covered);
  ground_free (ground);
}
