/* pipeline/ocr_labels.c - the labels around a chart or a drawing belong to its picture.
 *
 * The scales of a chart stand outside of what is drawn: short lines beside it, one above the other, and words or numbers
 * set apart below it.  Left on their own they are taken for a table or for paragraphs.  Captions and running text stay outside.
 */
#include "pipeline/ocr_private.h"

#include <math.h>
#include <string.h>

#define ROUNDS 3u
#define LEAST_SIDE 60.0f /* points: of a picture that has scales */
#define SIDE_GAP 1.5f    /* em between a picture and what stands beside it */
#define ROW_GAP 1.2f     /* em between a picture and what stands below or above it */
#define SIDE_CHARS 12u
#define WORD_GAP 1.0f /* em between labels of a row */

typedef enum { LEFT, RIGHT, ABOVE, BELOW, N_SIDES } Side;

static DpRect
box_of (const DpScan *scan, const DpOcrLine *line)
{
  const DpScanLine *l = &g_array_index (dp_scan_lines (scan), DpScanLine, line->line);
  const float k = (float) dp_scan_scale (scan);

  return (DpRect){ k * (float) l->x0, k * (float) l->y0, k * (float) l->x1, k * (float) l->y1 };
}

/* "Figure 3", "Abb. 2: ..." */
static gboolean
is_caption (const char *text)
{
  const char *p = text;
  guint letters = 0;

  for (; g_unichar_isalpha (g_utf8_get_char (p)) || *p == '.'; p = g_utf8_next_char (p))
    letters++;
  return letters >= 3 && *p == ' ' && g_ascii_isdigit (p[1]);
}

static gboolean
is_numeric (const char *text)
{
  gboolean digits = FALSE;

  for (const char *p = text; *p; p = g_utf8_next_char (p)) {
    const gunichar c = g_utf8_get_char (p);
    digits |= g_unichar_isdigit (c);
    if (g_unichar_isalpha (c))
      return FALSE;
  }
  return digits;
}

/* Words set apart: labels of a scale, each below its place. */
static gboolean
is_row_of_labels (const DpOcrLine *line)
{
  guint wide = 0, all = 0;

  for (guint i = 1; i + 1 < line->n_chars; i++)
    if (line->chars[i].flags & DP_GLYPH_SPACE) {
      all++;
      wide += line->chars[i].x1 - line->chars[i].x0 > WORD_GAP * line->size;
    }
  return wide >= 2 && 2 * wide >= all;
}

/* On which side of a picture a line stands close by; N_SIDES: on none. */
static Side
side_of (DpRect picture, DpRect line, float em)
{
  const float cy = dp_rect_cy (line);

  if (cy > picture.y0 - 0.7f * em && cy < picture.y1 + 0.7f * em) {
    if (line.x1 <= picture.x0 + em && picture.x0 - line.x1 <= SIDE_GAP * em)
      return LEFT;
    if (line.x0 >= picture.x1 - em && line.x0 - picture.x1 <= SIDE_GAP * em)
      return RIGHT;
  }
  if (line.x0 < picture.x0 - 2 * em || line.x1 > picture.x1 + 2 * em)
    return N_SIDES;
  if (line.y0 >= picture.y1 - 0.5f * em && line.y0 - picture.y1 <= ROW_GAP * em)
    return BELOW;
  if (line.y1 <= picture.y0 + 0.5f * em && picture.y0 - line.y1 <= ROW_GAP * em)
    return ABOVE;
  return N_SIDES;
}

static gboolean
is_label (const DpOcrLine *line, Side side)
{
  if (side == N_SIDES || is_caption (line->text))
    return FALSE;
  if (side == LEFT || side == RIGHT)
    return line->n_chars <= SIDE_CHARS;
  return is_numeric (line->text) || is_row_of_labels (line);
}

/* FALSE if nothing was added. */
static gboolean
grow (const DpScan *scan, const GArray *lines, DpRect *picture)
{
  DpRect grown[N_SIDES] = { *picture, *picture, *picture, *picture };
  guint count[N_SIDES] = { 0 };
  DpRect all = *picture;

  for (guint i = 0; i < lines->len; i++) {
    const DpOcrLine *line = &g_array_index (lines, DpOcrLine, i);
    const DpRect box = box_of (scan, line);
    const Side side = dp_rect_inside (box, *picture) > 0.9f ? N_SIDES : side_of (*picture, box, (float) dp_scan_scale (scan) * line->size);
    if (!is_label (line, side))
      continue;
    grown[side] = dp_rect_union (grown[side], box);
    count[side]++;
  }
  for (guint side = 0; side < N_SIDES; side++)
    if (count[side] >= (side == LEFT || side == RIGHT ? 2u : 1u))
      all = dp_rect_union (all, grown[side]);
  const gboolean more = dp_rect_area (all) > dp_rect_area (*picture);
  *picture = all;
  return more;
}

void
dp_ocr_grow_pictures (const DpScan *scan, const GArray *lines, GArray *pictures)
{
  for (guint i = 0; i < pictures->len; i++) {
    DpRect *picture = &g_array_index (pictures, DpRect, i);
    if (dp_rect_width (*picture) < LEAST_SIDE || dp_rect_height (*picture) < LEAST_SIDE)
      continue;
    for (guint round = 0; round < ROUNDS && grow (scan, lines, picture); round++)
      ;
  }
}
