/* layout/scan_frames.c - frames around words leave the ink.
 *
 * Printed from LaTeX, links stand in thin rectangles, which a reader takes for brackets.  Such a frame is closed, as high as a line, and
 * tight around what it holds; boxes of forms are empty or have room, cells of tables share their sides with others.
 */
#include "layout/scan_private.h"

#include <stdlib.h>

#define LEAST_SIDE 5.0 /* points: around one figure */
#define MOST_HEIGHT 20.0
#define LEAST_HEIGHT 6.0
#define MOST_THICK 2.2  /* a bracket before it may touch a side */
#define SLACK 1.0       /* by which the ends of two sides may differ */
#define MOST_BESIDE 3.2 /* white left and right of the words */
#define WHOLE 0.95      /* of a side is there */

typedef struct {
  DpScanBits ink, grey;
  gint slack, thick;
} Page;

static gint
compare_rules (gconstpointer a, gconstpointer b)
{
  const DpScanRule *x = a, *y = b;

  if (x->y0 != y->y0)
    return x->y0 < y->y0 ? -1 : 1;
  return x->x0 - y->x0;
}

/* Ink of column x in rows y0..y1. */
static gint
count_down (const DpScanBits *ink, gint x, gint y0, gint y1)
{
  gint n = 0;

  for (gint y = y0; y < y1; y++)
    n += dp_scan_bit (ink, x, y);
  return n;
}

static gboolean
is_whole (const Page *page, gint x, gint y0, gint y1)
{
  return count_down (&page->ink, x, y0, y1) >= WHOLE * (y1 - y0);
}

/* The columns of an upright side of a frame near column x; FALSE if it is not there. */
static gboolean
find_side (const Page *page, gint x, gint y0, gint y1, DpScanRule *side)
{
  for (gint away = 0; away <= page->slack; away++)
    for (gint k = x - away; k <= x + away; k += MAX (1, 2 * away)) {
      if (!is_whole (page, k, y0, y1))
        continue;
      *side = (DpScanRule){ k, y0, k + 1, y1, TRUE };
      while (side->x1 - k <= page->thick && is_whole (page, side->x1, y0, y1))
        side->x1++;
      while (k - side->x0 <= page->thick && is_whole (page, side->x0 - 1, y0, y1))
        side->x0--;
      return side->x1 - side->x0 <= page->thick;
    }
  return FALSE;
}

/* Whether a column or the next one is white: letters with straight sides have bars that touch them. */
static gboolean
is_white (const Page *page, gint x, gint y0, gint y1)
{
  return count_down (&page->ink, x, y0, y1) == 0 || count_down (&page->ink, x + 1, y0, y1) == 0;
}

/* Whether there is ink inside, near both sides but not at them. */
static gboolean
holds_words (const Page *page, const DpScan *scan, gint x0, gint y0, gint x1, gint y1)
{
  const gint reach = dp_scan_pixels (scan, MOST_BESIDE);
  gint from = x1, to = x0;

  if (!is_white (page, x0, y0, y1) || !is_white (page, x1 - 2, y0, y1))
    return FALSE;
  for (gint x = x0; x < x1; x++)
    if (count_down (&page->ink, x, y0, y1) > 0)
      from = MIN (from, x), to = x + 1;
  return from < to && from - x0 <= reach && x1 - to <= reach && 3 * (to - from) > x1 - x0;
}

/* Takes out the frame whose upper and lower side these are, if they are. */
static gboolean
take_frame (DpScan *scan, const Page *page, const DpScanRule *top, const DpScanRule *foot)
{
  DpScanRule left, right;

  if (abs (top->x0 - foot->x0) > page->slack || abs (top->x1 - foot->x1) > page->slack
      || !find_side (page, MIN (top->x0, foot->x0), top->y1, foot->y0, &left)
      || !find_side (page, MAX (top->x1, foot->x1) - 1, top->y1, foot->y0, &right)
      || !holds_words (page, scan, left.x1, top->y1 + 1, right.x0, foot->y0 - 1))
    return FALSE;
  const gint thick = MIN (top->y1 - top->y0, foot->y1 - foot->y0);
  left.x0 = MAX (left.x0, left.x1 - thick); /* what is thicker is a bracket that touches it */
  right.x1 = MIN (right.x1, right.x0 + thick);
  dp_scan_take_out (&page->ink, &page->grey, &left);
  dp_scan_take_out (&page->ink, &page->grey, &right);
  dp_scan_take_out (&page->ink, &page->grey, top);
  dp_scan_take_out (&page->ink, &page->grey, foot);
  return TRUE;
}

void
dp_scan_find_frames (DpScan *scan)
{
  g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (DpScanRule)), sides = g_array_new (FALSE, FALSE, sizeof (DpScanRule));
  const Page page
      = { dp_scan_bits_of (scan->ink), dp_scan_bits_of (scan->grey), dp_scan_pixels (scan, SLACK), dp_scan_pixels (scan, MOST_THICK) };
  const gint least = dp_scan_pixels (scan, LEAST_HEIGHT), most = dp_scan_pixels (scan, MOST_HEIGHT);

  dp_scan_open_rules (scan, dp_scan_pixels (scan, LEAST_SIDE), FALSE, runs);
  for (guint i = 0; i < runs->len; i++)
    if (g_array_index (runs, DpScanRule, i).y1 - g_array_index (runs, DpScanRule, i).y0 <= page.thick)
      g_array_append_val (sides, g_array_index (runs, DpScanRule, i));
  g_array_sort (sides, compare_rules);
  for (guint i = 0; i < sides->len; i++) {
    const DpScanRule *top = &g_array_index (sides, DpScanRule, i);
    for (guint k = i + 1; k < sides->len; k++) {
      const DpScanRule *foot = &g_array_index (sides, DpScanRule, k);
      if (foot->y1 - top->y0 > most)
        break;
      if (foot->y1 - top->y0 >= least && take_frame (scan, &page, top, foot))
        break;
    }
  }
}
