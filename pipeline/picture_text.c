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
#define NARROW_LETTER 0.3 /* em, of condensed type */
#define COULD_BE 0.75     /* lines that no reader has seen need that much of what the words will be asked for */
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

/* ---- shape -------------------------------------------------------------------------------------------------- */

static gint
by_middle (gconstpointer a, gconstpointer b)
{
  const DpScanLine *x = *(const DpScanLine *const *) a, *y = *(const DpScanLine *const *) b;

  return (x->y0 + x->y1) - (y->y0 + y->y1);
}

/* The lines that are or may be text, from top to bottom. */
static GPtrArray *
lines_of (const DpScan *scan, const guint8 *read)
{
  const GArray *lines = dp_scan_lines (scan);
  GPtrArray *out = g_ptr_array_sized_new (lines->len);

  for (guint i = 0; i < lines->len; i++)
    if (!read || read[i])
      g_ptr_array_add (out, &g_array_index (lines, DpScanLine, i));
  g_ptr_array_sort (out, by_middle);
  return out;
}

/* Whether lines lie so that they could be read as prose or as a table; the bounds are those of the words, made wide. */
static gboolean
could_be_text (GPtrArray *lines, gboolean grid)
{
  double all = 0, in_long = 0, in_rows = 0;
  guint n_long = 0, rows = 0, rows_of_cells = 0;

  for (guint i = 0, end; i < lines->len; i = end) {
    const DpScanLine *first = g_ptr_array_index (lines, i);
    double row = 0;
    for (end = i; end < lines->len; end++) {
      const DpScanLine *line = g_ptr_array_index (lines, end);
      const double width = line->x1 - line->x0;
      if (line->y0 + line->y1 - first->y0 - first->y1 > first->y1 - first->y0)
        break;
      row += width;
      n_long += width > LONG_LINE * NARROW_LETTER * (double) line->em ? 1 : 0;
      in_long += width > LONG_LINE * NARROW_LETTER * (double) line->em ? width : 0;
    }
    all += row;
    in_rows += end - i >= 2 ? row : 0;
    rows_of_cells += end - i >= 2 ? 1 : 0;
    rows++;
  }
  return (n_long >= LEAST_LONG_LINES && in_long >= COULD_BE * PROSE_SHARE * all)
         || (rows >= LEAST_ROWS && (grid || 2 * rows_of_cells >= rows) && in_rows >= COULD_BE * TABLE_SHARE * all);
}

gboolean
dp_picture_text_scan (const DpScan *scan, const guint8 *read)
{
  if (dp_scan_pictures (scan)->len > 0 || dp_scan_text_share (scan, read) < LEAST_TEXT_SHARE
      || dp_scan_tinted_share (scan, read) > MOST_TINTED)
    return FALSE;
  g_autoptr (GPtrArray) lines = lines_of (scan, read);
  const double scale = dp_scan_scale (scan);
  return could_be_text (lines,
                        is_grid (dp_scan_paths (scan), (float) (dp_scan_width (scan) * scale), (float) (dp_scan_height (scan) * scale)));
}

/* ---- words -------------------------------------------------------------------------------------------------- */

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
  return rows >= LEAST_ROWS
         && ((float) usual >= EVEN_SHARE * (float) rows || is_grid (reading->paths, dp_rect_width (box), dp_rect_height (box)))
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
