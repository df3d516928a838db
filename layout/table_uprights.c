/* layout/table_uprights.c - what upright rules say about a table: where columns part, how far it reaches.
 *
 * TeX draws an upright rule line by line, so the pieces of one rule are added up.
 */
#include "layout/tables.h"

#define SAME_BORDER 3.0f /* upright rules closer than this are one */

static int
by_pos (gconstpointer a, gconstpointer b)
{
  const DpRule *x = a, *y = b;

  return x->pos < y->pos ? -1 : x->pos > y->pos;
}

GArray *
dp_table_view_borders (const DpTableView *view, DpRect box, float share)
{
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (DpRule));
  GArray *out = g_array_new (FALSE, FALSE, sizeof (float));

  for (guint k = 0; k < 2; k++) {
    const GArray *rules = k ? view->vedges : view->vrules;
    for (guint i = 0; i < rules->len; i++) {
      DpRule r = g_array_index (rules, DpRule, i);
      r.from = MAX (r.from, box.y0);
      r.to = MIN (r.to, box.y1);
      if (r.to > r.from && r.pos > box.x0 + 3 && r.pos < box.x1 - 3)
        g_array_append_val (pieces, r);
    }
  }
  g_array_sort (pieces, by_pos);
  for (guint i = 0; i < pieces->len;) {
    const float x = g_array_index (pieces, DpRule, i).pos;
    float length = 0;
    for (; i < pieces->len && g_array_index (pieces, DpRule, i).pos - x <= SAME_BORDER; i++)
      length += g_array_index (pieces, DpRule, i).to - g_array_index (pieces, DpRule, i).from;
    if (length >= share * dp_rect_height (box))
      g_array_append_val (out, x);
  }
  return out;
}

DpRect
dp_table_view_grow (const DpTableView *view, DpRect box)
{
  DpRect out = box;
  guint above = 0, below = 0;

  for (guint i = 0; i < view->vrules->len; i++) {
    const DpRule *r = &g_array_index (view->vrules, DpRule, i);
    if (r->pos < box.x0 + 3 || r->pos > box.x1 - 3 || r->from > box.y1 - 6 || r->to < box.y0 + 6)
      continue;
    if (r->from < box.y0 - 6) {
      out.y0 = MIN (out.y0, r->from);
      above++;
    }
    if (r->to > box.y1 + 6) {
      out.y1 = MAX (out.y1, r->to);
      below++;
    }
  }
  return (DpRect){ box.x0, above ? out.y0 : box.y0, box.x1, below ? out.y1 : box.y1 };
}
