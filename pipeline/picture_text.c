/* pipeline/picture_text.c - see picture_text.h. */
#include "pipeline/picture_text.h"

/* Parts of a page: smaller images are icons, logos and lines of a drawing. */
#define LEAST_WIDTH 100.0f /* points */
#define LEAST_HEIGHT 24.0f
#define LEAST_PIXELS 120u
#define MOST_PARTS 12u
#define TILE_GAP 2.0f /* points: images so close together are tiles of one */
/* What a scan shows of it: so much of its ink is rows of text, and so little of its area bars and other tints. */
#define LEAST_TEXT_SHARE 0.75
#define MOST_TINTED 0.04
#define NARROW_LETTER 0.3f /* em, of condensed type */
/* Lines that no reader has seen need that much of what the words will be asked for; at few dots an inch some run together. */
#define COULD_BE 0.75f
#define COULD_BE_AT_A_GLANCE 0.65f
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

/* ---- place -------------------------------------------------------------------------------------------------- */

static gboolean
near (DpRect a, DpRect b)
{
  return a.x0 < b.x1 + TILE_GAP && b.x0 < a.x1 + TILE_GAP && a.y0 < b.y1 + TILE_GAP && b.y0 < a.y1 + TILE_GAP;
}

static GArray *
image_boxes (const DpPage *page)
{
  const DpRect sheet = { 0, 0, page->width, page->height };
  GArray *boxes = g_array_new (FALSE, FALSE, sizeof (DpRect));

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

GArray *
dp_picture_text_boxes (const DpPage *page)
{
  GArray *boxes = image_boxes (page);
  guint kept = 0;

  for (guint i = 0; i < boxes->len && kept < MOST_PARTS; i++) {
    const DpRect box = g_array_index (boxes, DpRect, i);
    if (dp_rect_width (box) >= LEAST_WIDTH && dp_rect_height (box) >= LEAST_HEIGHT && !has_own_text (page, box))
      g_array_index (boxes, DpRect, kept++) = box;
  }
  g_array_set_size (boxes, kept);
  return boxes;
}

/* Rules from side to side and from top to bottom.  paths: DpPath. */
static gboolean
is_grid (const GArray *paths, float width, float height)
{
  guint across = 0, down = 0;

  for (guint i = 0; i < paths->len; i++) {
    const DpPath *path = &g_array_index (paths, DpPath, i);
    across += path->kind == DP_PATH_HLINE && dp_rect_width (path->box) > LONG_RULE * width ? 1 : 0;
    down += path->kind == DP_PATH_VLINE && dp_rect_height (path->box) > LONG_RULE * height ? 1 : 0;
  }
  return across >= LEAST_RULES && down >= LEAST_RULES;
}

/* ---- rows --------------------------------------------------------------------------------------------------- */

/* A line of text, or of what may be text: what it weighs is its characters once they are known, else its width. */
typedef struct {
  DpRect box;
  float weight;
} Item;

static gint
by_middle (gconstpointer a, gconstpointer b)
{
  const float x = dp_rect_cy (((const Item *) a)->box), y = dp_rect_cy (((const Item *) b)->box);

  return x < y ? -1 : x > y;
}

/* Whether lines lie in rows of two cells and more, in a grid of rules or with about equally many cells.  Ticks of an axis stand alone
 * in their rows, the names below them are one row.  strict: how much of what a table has is asked for, 1 = all. */
static gboolean
lies_as_table (GArray *items, gboolean grid, float strict)
{
  guint rows = 0, of_width[MOST_COLUMNS + 1] = { 0 }, usual = 0;
  float all = 0, in_rows = 0;

  g_array_sort (items, by_middle);
  for (guint i = 0, end; i < items->len; i = end) {
    const Item *first = &g_array_index (items, Item, i);
    float row = 0;
    for (end = i; end < items->len; end++) {
      const Item *item = &g_array_index (items, Item, end);
      if (dp_rect_cy (item->box) - dp_rect_cy (first->box) > 0.4f * dp_rect_height (first->box))
        break;
      row += item->weight;
    }
    all += row;
    in_rows += end - i >= 2 ? row : 0;
    rows++;
    of_width[MIN (end - i, MOST_COLUMNS)]++;
  }
  for (guint k = 3; k < MOST_COLUMNS; k++) /* an empty cell or two read as one do no harm */
    usual = MAX (usual, of_width[k - 1] + of_width[k] + of_width[k + 1]);
  return rows >= LEAST_ROWS && (grid || (float) usual >= strict * EVEN_SHARE * (float) rows) && in_rows >= strict * TABLE_SHARE * all;
}

/* ---- shape -------------------------------------------------------------------------------------------------- */

/* The lines that are or may be text. */
static GArray *
items_of (const DpScan *scan, const guint8 *read)
{
  const GArray *lines = dp_scan_lines (scan);
  GArray *items = g_array_sized_new (FALSE, FALSE, sizeof (Item), lines->len);

  for (guint i = 0; i < lines->len; i++) {
    const DpScanLine *l = &g_array_index (lines, DpScanLine, i);
    const Item item = { { (float) l->x0, (float) l->y0, (float) l->x1, (float) l->y1 }, (float) (l->x1 - l->x0) };
    if (!read || read[i])
      g_array_append_val (items, item);
  }
  return items;
}

/* Whether some lines are long enough for prose, and there is not much beside them.  strict: as above. */
static gboolean
could_be_prose (const DpScan *scan, const guint8 *read, float strict)
{
  const GArray *lines = dp_scan_lines (scan);
  float all = 0, in_long = 0;
  guint n = 0, n_long = 0;

  for (guint i = 0; i < lines->len; i++) {
    const DpScanLine *l = &g_array_index (lines, DpScanLine, i);
    const float width = (float) (l->x1 - l->x0);
    const gboolean is_long = width > LONG_LINE * NARROW_LETTER * l->em;
    if (read && !read[i])
      continue;
    n++;
    n_long += is_long ? 1 : 0;
    all += width;
    in_long += is_long ? width : 0;
  }
  return n_long >= LEAST_LONG_LINES && 2 * (float) n_long >= strict * (float) n && in_long >= strict * PROSE_SHARE * all;
}

static gboolean
has_shape (const DpScan *scan, const guint8 *read, float strict)
{
  if (dp_scan_pictures (scan)->len > 0 || dp_scan_text_share (scan, read) < LEAST_TEXT_SHARE
      || dp_scan_tinted_share (scan, read) > MOST_TINTED)
    return FALSE;
  if (could_be_prose (scan, read, strict))
    return TRUE;
  const double scale = dp_scan_scale (scan);
  const gboolean grid = is_grid (dp_scan_paths (scan), (float) (dp_scan_width (scan) * scale), (float) (dp_scan_height (scan) * scale));
  g_autoptr (GArray) items = items_of (scan, read);
  return lies_as_table (items, grid, strict);
}

gboolean
dp_picture_text_glance (const DpScan *scan)
{
  return has_shape (scan, NULL, COULD_BE_AT_A_GLANCE);
}

gboolean
dp_picture_text_scan (const DpScan *scan, const guint8 *read)
{
  return has_shape (scan, read, COULD_BE);
}

/* ---- words -------------------------------------------------------------------------------------------------- */

static gboolean
is_table (const DpPageReading *reading, DpRect box)
{
  g_autoptr (GArray) items = g_array_sized_new (FALSE, FALSE, sizeof (Item), reading->lines->len);

  for (guint i = 0; i < reading->lines->len; i++) {
    const DpReading *line = &g_array_index (reading->lines, DpReading, i);
    const Item item = { line->box, line->text ? (float) g_utf8_strlen (line->text, -1) : 0 };
    if (line->text)
      g_array_append_val (items, item);
  }
  return lies_as_table (items, is_grid (reading->paths, dp_rect_width (box), dp_rect_height (box)), 1);
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

gboolean
dp_picture_text_reading (const DpPageReading *reading, DpRect box)
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
