/* layout/inline_images.c - small images that stand in lines of text.
 *
 * Formulas and symbols pasted as pictures, and the shadows that office programs lay behind each
 * piece of text, are as high as a line or two.  In a gap between two words such an image holds
 * the line together; it is no figure, for it would take the words around it for its labels.
 */
#include "layout/inline_images.h"

#include <math.h>
#include <stdlib.h>

#define MAX_HEIGHT 3.2f     /* times the usual size */
#define LINE_HEIGHT 2.6f    /* times the height of the line it stands in */
#define OUTLINE_HEIGHT 1.8f /* the same for outlines of letters */
#define MAX_LOOK 256u       /* neighbours looked at */
#define MAX_IMAGES 4096u

float
dp_layout_usual_size (const DpPageLayout *layout)
{
  guint32 chars[128] = { 0 }; /* by half points */
  guint best = 0;

  for (guint i = 0; i < layout->words->len; i++) {
    const DpWord *w = &g_array_index (layout->words, DpWord, i);
    chars[w->size > 0 && w->size < 63 ? (guint) (2 * w->size + 0.5f) : 0] += w->n_chars;
  }
  for (guint i = 1; i < G_N_ELEMENTS (chars); i++)
    if (chars[i] > chars[best] || best == 0)
      best = i;
  return (float) best / 2;
}

static gint
compare_middles (gconstpointer a, gconstpointer b)
{
  float x = dp_rect_cy (*(const DpRect *) a), y = dp_rect_cy (*(const DpRect *) b);

  return (x > y) - (x < y);
}

/* First box whose middle lies at or below y. */
static guint
first_below (const GArray *boxes, float y)
{
  guint lo = 0, hi = boxes->len;

  while (lo < hi) {
    guint mid = lo + (hi - lo) / 2;
    if (dp_rect_cy (g_array_index (boxes, DpRect, mid)) < y)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static void
add_picture (DpPageLayout *layout, DpRect box, float most)
{
  float h = dp_rect_height (box);

  if (isfinite (box.x0) && isfinite (box.x1) && isfinite (box.y0) && isfinite (h) && h > 0.1f && h <= most && box.x1 > box.x0)
    g_array_append_val (layout->pictures, box);
}

void
dp_layout_inline_images (DpPageLayout *layout, const DpPage *page)
{
  float usual = dp_layout_usual_size (layout);

  for (gsize i = 0; i < page->n_images && i < MAX_IMAGES; i++)
    add_picture (layout, page->images[i].box, MAX_HEIGHT * usual);
  /* Formulas drawn as outlines; a page with more of them is a drawing. */
  for (gsize i = 0; i < page->n_paths && page->n_paths <= MAX_IMAGES; i++) {
    const DpPath *path = &page->paths[i];
    if ((path->kind == DP_PATH_CURVE || path->kind == DP_PATH_SLANTED || path->kind == DP_PATH_HLINE)
        && dp_rect_width (path->box) < 4 * usual)
      add_picture (layout, path->box, OUTLINE_HEIGHT * usual);
  }
  g_array_sort (layout->pictures, compare_middles);
}

gboolean
dp_inline_image_between (const DpPageLayout *layout, float x0, float x1, float baseline, float em)
{
  float from = G_MAXFLOAT, to = -G_MAXFLOAT;

  for (guint i = first_below (layout->pictures, baseline - 1.2f * em), n = 0; i < layout->pictures->len && n < MAX_LOOK; i++, n++) {
    DpRect box = g_array_index (layout->pictures, DpRect, i);
    if (dp_rect_cy (box) > baseline + 0.5f * em)
      break;
    if (box.x0 > x0 - 0.3f * em && box.x1 < x1 + 0.3f * em) {
      from = MIN (from, box.x0);
      to = MAX (to, box.x1);
    }
  }
  return to - from > 0.5f * (x1 - x0);
}

GArray *
dp_inline_text_lines (const DpPageLayout *layout)
{
  GArray *boxes = g_array_sized_new (FALSE, FALSE, sizeof (DpRect), layout->lines->len);

  for (guint i = 0; i < layout->lines->len; i++)
    if (g_array_index (layout->lines, DpLine, i).angle == 0)
      g_array_append_val (boxes, g_array_index (layout->lines, DpLine, i).box);
  g_array_sort (boxes, compare_middles);
  return boxes;
}

gboolean
dp_inline_image_in_line (const GArray *lines, DpRect image)
{
  float middle = 0;
  gboolean beside = FALSE;

  for (guint i = first_below (lines, image.y0), n = 0; i < lines->len && n < MAX_LOOK; i++, n++) {
    DpRect line = g_array_index (lines, DpRect, i);
    float cy = dp_rect_cy (line), h = dp_rect_height (line), gap = MAX (line.x0 - image.x1, image.x0 - line.x1);
    if (cy > image.y1)
      break;
    if (gap > 0.6f * h)
      continue;
    if (dp_rect_height (image) > LINE_HEIGHT * h || (beside && fabsf (cy - middle) > 0.4f * h))
      return FALSE; /* higher than a line, or two lines beside it */
    middle = cy;
    beside = TRUE;
  }
  return beside;
}
