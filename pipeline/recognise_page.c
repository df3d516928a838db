/* pipeline/recognise_page.c - see recognise_page.h. */
#include "pipeline/recognise_page.h"

#include <math.h>
#include <string.h>

/* Parts of a page: smaller images are icons, logos and lines of a drawing. */
#define LEAST_WIDTH 100.0f /* points */
#define LEAST_HEIGHT 24.0f
#define LEAST_PIXELS 120u
#define MOST_PARTS 12u
#define TILE_GAP 2.0f /* points: images so close together are tiles of one */
/* Fewer or less sure characters are not worth losing the picture for. */
#define LEAST_CHARACTERS 40u
#define LEAST_IN_A_LINE 4u
#define LEAST_SURE 0.8f

static double
dpi_of (cairo_surface_t *picture, DpRect box)
{
  return cairo_image_surface_get_width (picture) * 72 / (double) dp_rect_width (box); /* may be lower than asked for */
}

static DpPageReading *
read_box (const DpRecogniser *recogniser, DpPdf *pdf, const DpPage *page, DpRect box, gboolean part, GError **error)
{
  cairo_surface_t *picture = dp_pdf_render (pdf, page->number, box, recogniser->dpi (recogniser->data, page), TRUE, error);
  DpPageReading *reading = picture ? recogniser->read_page (recogniser->data, picture, dpi_of (picture, box), part, error) : NULL;

  g_clear_pointer (&picture, cairo_surface_destroy);
  return reading;
}

DpPage *
dp_recognise_page (const DpRecogniser *recogniser, DpPdf *pdf, const DpPage *page, DpPageReading **reading, GError **error)
{
  const DpRect whole = { 0, 0, page->width, page->height };

  *reading = read_box (recogniser, pdf, page, whole, FALSE, error);
  return *reading ? dp_recognised_page (page, *reading) : NULL;
}

/* ---- parts ------------------------------------------------------------------------------------------------- */

static gboolean
near (DpRect a, DpRect b)
{
  return a.x0 < b.x1 + TILE_GAP && b.x0 < a.x1 + TILE_GAP && a.y0 < b.y1 + TILE_GAP && b.y0 < a.y1 + TILE_GAP;
}

/* Images that could be pictures of text, tiles put together. */
static GArray *
candidates (const DpPage *page)
{
  const DpRect sheet = { 0, 0, page->width, page->height };
  GArray *boxes = g_array_new (FALSE, FALSE, sizeof (DpRect));
  guint kept = 0;

  for (gsize i = 0; i < page->n_images && boxes->len < 8 * MOST_PARTS; i++) {
    DpRect box = dp_rect_intersect (page->images[i].box, sheet);
    if (!(dp_rect_area (box) > 0) || (page->images[i].width && page->images[i].width < LEAST_PIXELS / 4))
      continue;
    for (guint k = 0; k < boxes->len; k++)
      if (near (g_array_index (boxes, DpRect, k), box)) {
        box = dp_rect_union (g_array_index (boxes, DpRect, k), box);
        g_array_remove_index_fast (boxes, k);
        k = G_MAXUINT; /* it has grown: from the beginning */
      }
    g_array_append_val (boxes, box);
  }
  for (guint i = 0; i < boxes->len; i++) {
    const DpRect box = g_array_index (boxes, DpRect, i);
    if (dp_rect_width (box) >= LEAST_WIDTH && dp_rect_height (box) >= LEAST_HEIGHT && kept < MOST_PARTS)
      g_array_index (boxes, DpRect, kept++) = box;
  }
  g_array_set_size (boxes, kept);
  return boxes;
}

static gboolean
has_own_text (const DpPage *page, DpRect box)
{
  for (gsize i = 0; i < page->n_glyphs; i++) {
    const DpRect g = page->glyphs[i].box;
    if (dp_rect_contains_point (box, dp_rect_cx (g), dp_rect_cy (g)))
      return TRUE;
  }
  return FALSE;
}

static void
part_clear (gpointer data)
{
  g_clear_pointer (&((DpPartReading *) data)->reading, dp_page_reading_free);
}

/* All lines of the parts, on the page. */
static DpPageReading *
join_parts (const GArray *parts)
{
  DpPageReading *all = dp_page_reading_new ();

  for (guint i = 0; i < parts->len; i++) {
    const DpPartReading *part = &g_array_index (parts, DpPartReading, i);
    for (guint k = 0; k < part->reading->lines->len; k++) {
      const DpReading *line = &g_array_index (part->reading->lines, DpReading, k);
      const DpRect box
          = { line->box.x0 + part->box.x0, line->box.y0 + part->box.y0, line->box.x1 + part->box.x0, line->box.y1 + part->box.y0 };
      const DpReading copy = { .box = box, .text = g_strdup (line->text), .confidence = line->confidence };
      g_array_append_val (all->lines, copy);
    }
  }
  return all;
}

DpPage *
dp_recognise_parts (const DpRecogniser *recogniser, DpPdf *pdf, const DpPage *page, DpPageReading **reading)
{
  g_autoptr (GArray) boxes = candidates (page);
  g_autoptr (GArray) parts = g_array_new (FALSE, TRUE, sizeof (DpPartReading));

  g_array_set_clear_func (parts, part_clear);
  *reading = NULL;
  for (guint i = 0; i < boxes->len; i++) {
    DpPartReading part = { g_array_index (boxes, DpRect, i), NULL };
    guint n_chars;

    if (has_own_text (page, part.box))
      continue;
    part.reading = read_box (recogniser, pdf, page, part.box, TRUE, NULL);
    if (part.reading && dp_page_reading_confidence (part.reading, &n_chars) >= LEAST_SURE && n_chars >= LEAST_CHARACTERS
        && n_chars >= LEAST_IN_A_LINE * part.reading->lines->len)
      g_array_append_val (parts, part);
    else
      part_clear (&part);
  }
  if (parts->len == 0)
    return NULL;
  *reading = join_parts (parts);
  return dp_page_with_parts (page, parts);
}

/* ---- where text comes from ------------------------------------------------------------------------------------ */

void
dp_mark_recognised (DpBlock *block, const DpPageReading *reading, gboolean whole)
{
  double sum = 0, characters = 0;
  guint n;

  for (guint i = 0; i < reading->lines->len; i++) {
    const DpReading *line = &g_array_index (reading->lines, DpReading, i);
    if (line->text && dp_rect_contains_point (block->box, dp_rect_cx (line->box), dp_rect_cy (line->box))) {
      const double length = (double) strlen (line->text);
      sum += length * line->confidence;
      characters += length;
    }
  }
  if (characters == 0 && !whole)
    return;
  block->source = DP_SOURCE_VLM;
  block->confidence = characters > 0 ? (float) (sum / characters) : dp_page_reading_confidence (reading, &n);
}
