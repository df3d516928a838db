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
#define LEAST_SURE 0.8f
/* What makes a picture of text: some lines of so many characters, mostly letters, that hold most of it ... */
#define LONG_LINE 30
#define LETTER_SHARE 0.7f
#define LEAST_LONG_LINES 2u
#define PROSE_SHARE 0.6f
/* ... or rows of a table, of two cells and more, that hold most of it, in a grid of rules or with about equally many cells. */
#define LEAST_ROWS 4u
#define TABLE_SHARE 0.75f
#define EVEN_SHARE 0.8f /* of these rows that have equally many cells, give or take one */
#define MOST_COLUMNS 32u
#define LONG_RULE 0.6f /* of the width or the height of the picture */
#define LEAST_RULES 3u

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

static gboolean
is_grid (const DpPageReading *reading, DpRect box)
{
  guint across = 0, down = 0;

  for (guint i = 0; i < reading->paths->len; i++) {
    const DpPath *path = &g_array_index (reading->paths, DpPath, i);
    across += path->kind == DP_PATH_HLINE && dp_rect_width (path->box) > LONG_RULE * dp_rect_width (box) ? 1 : 0;
    down += path->kind == DP_PATH_VLINE && dp_rect_height (path->box) > LONG_RULE * dp_rect_height (box) ? 1 : 0;
  }
  return across >= LEAST_RULES && down >= LEAST_RULES;
}

static gint
by_height (gconstpointer a, gconstpointer b)
{
  const float x = dp_rect_cy ((*(const DpReading *const *) a)->box), y = dp_rect_cy ((*(const DpReading *const *) b)->box);

  return x < y ? -1 : x > y;
}

/* Ticks of an axis stand alone in their rows, the names below them are one row. */
static gboolean
is_table (const DpPageReading *reading, DpRect box)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new ();
  glong all = 0, in_rows = 0;
  guint rows = 0, of_width[MOST_COLUMNS + 1] = { 0 }, usual = 0;

  for (guint i = 0; i < reading->lines->len; i++)
    if (g_array_index (reading->lines, DpReading, i).text)
      g_ptr_array_add (lines, &g_array_index (reading->lines, DpReading, i));
  g_ptr_array_sort (lines, by_height);
  for (guint i = 0, end; i < lines->len; i = end) {
    const DpReading *first = g_ptr_array_index (lines, i);
    glong n = 0;
    for (end = i; end < lines->len; end++) {
      const DpReading *line = g_ptr_array_index (lines, end);
      if (dp_rect_cy (line->box) - dp_rect_cy (first->box) > 0.4f * dp_rect_height (first->box))
        break;
      n += g_utf8_strlen (line->text, -1);
    }
    all += n;
    in_rows += end - i >= 2 ? n : 0;
    rows++;
    of_width[MIN (end - i, MOST_COLUMNS)]++;
  }
  for (guint k = 3; k < MOST_COLUMNS; k++) /* an empty cell or two read as one do no harm */
    usual = MAX (usual, of_width[k - 1] + of_width[k] + of_width[k + 1]);
  return rows >= LEAST_ROWS && ((float) usual >= EVEN_SHARE * (float) rows || is_grid (reading, box))
         && (float) in_rows >= TABLE_SHARE * (float) all;
}

/* A line of prose, its *n characters counted. */
static gboolean
is_prose (const char *text, glong *n)
{
  glong letters = 0;

  *n = 0;
  for (const char *p = text ? text : ""; *p; p = g_utf8_next_char (p), ++*n)
    letters += g_unichar_isalpha (g_utf8_get_char (p)) || *p == ' ' ? 1 : 0;
  return *n >= LONG_LINE && (float) letters >= LETTER_SHARE * (float) *n;
}

/* Whether a part was worth reading: the labels of a chart or of a drawing belong to the picture and say little without it. */
static gboolean
is_picture_of_text (const DpPageReading *reading, DpRect box)
{
  glong all = 0, prose = 0, n;
  guint n_chars, n_long = 0;

  if (dp_page_reading_confidence (reading, &n_chars) < LEAST_SURE || n_chars < LEAST_CHARACTERS)
    return FALSE;
  for (guint i = 0; i < reading->lines->len; i++) {
    const gboolean is_long = is_prose (g_array_index (reading->lines, DpReading, i).text, &n);
    all += n;
    prose += is_long ? n : 0;
    n_long += is_long ? 1 : 0;
  }
  return (n_long >= LEAST_LONG_LINES && 2 * n_long >= reading->lines->len && (float) prose >= PROSE_SHARE * (float) all)
         || is_table (reading, box);
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

    if (has_own_text (page, part.box))
      continue;
    part.reading = read_box (recogniser, pdf, page, part.box, TRUE, NULL);
    if (part.reading && is_picture_of_text (part.reading, part.box))
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
