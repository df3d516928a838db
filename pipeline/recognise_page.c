/* pipeline/recognise_page.c - see recognise_page.h. */
#include "pipeline/recognise_page.h"

#include <math.h>
#include <string.h>

#include "pipeline/picture_text.h"

#define MOST_LOOKS 8u /* at images of one box */
#define MOST_LOOKS_A_PAGE 24u
#define LEAST_OF_GLANCE 0.8 /* of the resolution for a glance: an image that has no more is not made better by painting it larger */

static double
dpi_of (cairo_surface_t *picture, DpRect box)
{
  return cairo_image_surface_get_width (picture) * 72 / (double) dp_rect_width (box); /* may be lower than asked for */
}

static DpPageReading *
read_box (const DpRecogniser *recogniser, DpPdf *pdf, const DpPage *page, DpRect box, gboolean part, DpReadingCost *cost, GError **error)
{
  gint64 since = g_get_monotonic_time ();
  cairo_surface_t *picture = dp_pdf_render (pdf, page->number, box, recogniser->dpi (recogniser->data, page), TRUE, error);
  dp_reading_clock (&cost->paint, &since);
  DpPageReading *reading = picture ? recogniser->read_page (recogniser->data, picture, dpi_of (picture, box), part, cost, error) : NULL;

  g_clear_pointer (&picture, cairo_surface_destroy);
  return reading;
}

DpPage *
dp_recognise_page (const DpRecogniser *recogniser, DpPdf *pdf, const DpPage *page, DpPageReading **reading, DpReadingCost *cost,
                   GError **error)
{
  const DpRect whole = { 0, 0, page->width, page->height };

  *reading = read_box (recogniser, pdf, page, whole, FALSE, cost, error);
  return *reading ? dp_recognised_page (page, *reading) : NULL;
}

/* ---- parts ------------------------------------------------------------------------------------------------- */

/* The images of a box, at most MOST_LOOKS: of many tiles of one picture, a few tell. */
static guint
images_in (const DpPage *page, DpRect box, const DpImage *images[MOST_LOOKS])
{
  guint n = 0;

  for (gsize i = 0; i < page->n_images && n < MOST_LOOKS; i++)
    if (dp_rect_inside (page->images[i].box, box) > 0.5f)
      images[n++] = &page->images[i];
  return n;
}

/* Whether a picture shows the box at enough dots an inch, and as many of them down as across. */
static gboolean
serves (cairo_surface_t *picture, DpRect box)
{
  const double across = dpi_of (picture, box), down = cairo_image_surface_get_height (picture) * 72 / (double) dp_rect_height (box);

  return across >= LEAST_OF_GLANCE * DP_PICTURE_TEXT_GLANCE && fabs (across - down) < 0.05 * down;
}

/* Whether the lines of a box lie as those of prose or a table do.  Of most drawings that is all that is found out, so it is asked
 * of a picture with a quarter of the pixels that a reader needs.  Takes picture: of the box, or NULL. */
static gboolean
lies_as_text (DpPdf *pdf, const DpPage *page, DpRect box, cairo_surface_t *picture, DpReadingCost *cost)
{
  gint64 since = g_get_monotonic_time ();

  if (picture && !serves (picture, box))
    g_clear_pointer (&picture, cairo_surface_destroy);
  if (!picture)
    picture = dp_pdf_render (pdf, page->number, box, DP_PICTURE_TEXT_GLANCE, TRUE, NULL);
  dp_reading_clock (&cost->paint, &since);
  g_autoptr (DpScan) scan = picture ? dp_scan_new (picture, dpi_of (picture, box), TRUE, NULL) : NULL;
  const gboolean text = scan && dp_picture_text_glance (scan);
  g_clear_pointer (&picture, cairo_surface_destroy);
  dp_reading_clock (&cost->find, &since);
  return text;
}

/* Whether the stored images of a box may be text as far as their colours say.  *seen: the only one, if it was seen; owned. */
static gboolean
is_of_its_colours (DpPdf *pdf, const DpPage *page, const DpImage **images, guint n, guint *looks, cairo_surface_t **seen)
{
  gboolean may_be = n == 0;

  *seen = NULL;
  for (guint i = 0; i < n && !may_be && *looks < MOST_LOOKS_A_PAGE; i++, ++*looks)
    may_be = dp_pdf_image_may_be_text (pdf, page->number, images[i], n == 1 ? seen : NULL);
  return may_be;
}

/* Reads a box of the page if it may be a picture of text; NULL if it is none. */
static DpPageReading *
read_part (const DpRecogniser *recogniser, DpPdf *pdf, const DpPage *page, DpRect box, guint *looks, DpReadingCost *cost)
{
  gint64 since = g_get_monotonic_time ();
  const DpImage *images[MOST_LOOKS];
  const guint n = images_in (page, box, images);
  cairo_surface_t *seen;
  g_autoptr (DpPageReading) reading = NULL;

  const gboolean may_be = is_of_its_colours (pdf, page, images, n, looks, &seen);
  dp_reading_clock (&cost->look, &since);
  if (!may_be)
    return NULL;
  if (lies_as_text (pdf, page, box, seen, cost))
    reading = read_box (recogniser, pdf, page, box, TRUE, cost, NULL);
  if (reading && dp_picture_text_reading (reading, box))
    return g_steal_pointer (&reading);
  if (n == 1)
    dp_pdf_image_is_no_text (pdf, images[0]);
  return NULL;
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
dp_recognise_parts (const DpRecogniser *recogniser, DpPdf *pdf, const DpPage *page, DpPageReading **reading, DpReadingCost *cost)
{
  g_autoptr (GArray) boxes = dp_picture_text_boxes (page);
  g_autoptr (GArray) parts = g_array_new (FALSE, TRUE, sizeof (DpPartReading));
  guint looks = 0;

  g_array_set_clear_func (parts, part_clear);
  *reading = NULL;
  for (guint i = 0; i < boxes->len; i++) {
    DpPartReading part = { g_array_index (boxes, DpRect, i), NULL };
    part.reading = read_part (recogniser, pdf, page, part.box, &looks, cost);
    if (part.reading)
      g_array_append_val (parts, part);
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
