/* layout/tag_places.c - which element of the structure tree each line stands in.
 *
 * The PDF stage says where the pieces of marked content begin (DpMark); a line stands in the element whose piece begins
 * at its left end, on its baseline.
 */
#include "layout/tags.h"

#include <math.h>

#define BASELINE 0.3f   /* em that a piece may lie off the line's baseline */
#define BEFORE 0.8f     /* em that it may begin before the line: blanks, padding */
#define MAX_PIECES 512u /* of one line that are looked at */

static gint
compare_marks (gconstpointer a, gconstpointer b)
{
  const DpMark *x = a, *y = b;

  if (x->page != y->page)
    return x->page < y->page ? -1 : 1;
  if (x->y != y->y)
    return x->y < y->y ? -1 : 1;
  if (x->x != y->x)
    return x->x < y->x ? -1 : 1;
  return x->tag < y->tag ? -1 : x->tag > y->tag; /* artifacts, which may be empty, before what stands at their place */
}

/* First mark at or below y on the page. */
static guint
mark_below (const GArray *marks, guint page, float y)
{
  guint low = 0, high = marks->len;

  while (low < high) {
    const guint mid = low + (high - low) / 2;
    const DpMark *mark = &g_array_index (marks, DpMark, mid);
    if (mark->page < page || (mark->page == page && mark->y < y))
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

static DpLineTags
tags_of_line (const GArray *marks, guint page, const DpFlowLine *line, float edge)
{
  DpLineTags tags = { .first = -2, .last = -2, .body = -2 };
  const float slack = BASELINE * line->size, left = line->at.x0 - BEFORE * line->size;
  const DpMark *first = NULL, *last = NULL, *body = NULL, *blanks = NULL;
  const guint from = mark_below (marks, page, line->baseline - slack);

  for (guint pass = 0; pass < 2; pass++)
    for (guint i = from; i < marks->len && i < from + MAX_PIECES; i++) {
      const DpMark *mark = &g_array_index (marks, DpMark, i);
      if (mark->page != page || mark->y > line->baseline + slack)
        break;
      if (mark->x < left && mark->x >= edge - BEFORE * line->size && (!blanks || mark->x > blanks->x))
        blanks = mark; /* an indent of blanks, which are no part of the line */
      if (mark->x < left || mark->x > line->at.x1)
        continue;
      if (pass == 0) {
        first = !first || mark->x < first->x || (mark->x == first->x && first->tag < 0) ? mark : first;
        last = !last || mark->x >= last->x ? mark : last;
      } else if (mark->tag != first->tag && mark->x > first->x && (!body || mark->x < body->x))
        body = mark;
    }
  if (!first)
    first = last = blanks;
  if (!first)
    return tags;
  tags.artifact = first->tag < 0 && last->tag < 0;
  tags.first = first->tag;
  tags.last = last->tag;
  tags.body = body ? body->tag : -2;
  tags.body_x = body ? body->x : 0;
  return tags;
}

GArray *
dp_tag_marks_sorted (const DpDocumentInfo *info)
{
  GArray *marks = g_array_sized_new (FALSE, FALSE, sizeof (DpMark), info->marks->len);

  g_array_append_vals (marks, info->marks->data, info->marks->len);
  g_array_sort (marks, compare_marks);
  return marks;
}

gint
dp_tag_mark_before (const GArray *marks, guint page, float x, float baseline, float size)
{
  const float slack = BASELINE * size;
  const DpMark *best = NULL;
  const guint from = mark_below (marks, page, baseline - slack);

  for (guint i = from; i < marks->len && i < from + MAX_PIECES; i++) {
    const DpMark *mark = &g_array_index (marks, DpMark, i);
    if (mark->page != page || mark->y > baseline + slack)
      break;
    if (mark->x <= x + slack && (!best || mark->x >= best->x))
      best = mark;
  }
  return best ? best->tag : -1;
}

DpLineTags *
dp_tag_places (const DpFlow *flow)
{
  g_autoptr (GArray) marks = dp_tag_marks_sorted (flow->info);
  DpLineTags *tags = g_new0 (DpLineTags, flow->lines->len + 1);

  for (guint i = 0; i < flow->lines->len; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    const DpFlowPage *page = dp_flow_page (flow, line);
    if (line->role == DP_ROLE_OBJECT || line->astray || page->angle != 0)
      tags[i] = (DpLineTags){ .first = -2, .last = -2, .body = -2 };
    else
      tags[i] = tags_of_line (marks, page->layout->number, line, dp_flow_column (flow, line).x0);
  }
  return tags;
}

gint *
dp_tag_parents (const GArray *tags)
{
  gint *parents = g_new (gint, tags->len + 1);

  for (guint i = 0; i < tags->len; i++) {
    const guint depth = g_array_index (tags, DpTag, i).depth;
    gint above = (gint) i - 1;
    while (above >= 0 && g_array_index (tags, DpTag, above).depth >= depth)
      above = parents[above];
    parents[i] = above;
  }
  return parents;
}
