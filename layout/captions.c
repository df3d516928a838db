/* layout/captions.c - captions and their figures and tables.
 *
 * A caption begins with a word such as Figure or Table and a number, and stands next to an
 * object: opendataloader and edgeparse accept 30 pt, docling the nearest in its column.  The
 * whole paragraph is the caption.  One without an object near it stays a caption of its own,
 * so that it is never taken for a heading or a list item.
 */
#include "layout/flow.h"
#include "layout/labels.h"

#include <math.h>
#include <string.h>

#define MAX_LINES 12u
#define NEIGHBOURS 12u /* entries looked at beside a caption without a title */
#define TITLE_GAP 6.0f /* em between the label of a caption and its title */
#define NEAR 40.0f     /* points between a caption and its object */

/* After the number a caption goes on with punctuation or a capital: "Figure 5 shows" is prose. */
static gboolean
is_caption (const char *text, gboolean *table)
{
  gsize n;
  const char *p;
  gunichar c;

  if (!dp_label_caption (text, table, &n))
    return FALSE;
  p = text + n;
  c = g_utf8_get_char (p);
  if (c == '.' || c == ':' || c == ')' || c == 0)
    return TRUE;
  while (*p == ' ')
    p++;
  c = g_utf8_get_char (p);
  return c != ',' && c != ';' && c != ')' && !g_unichar_islower (c);
}

/* Entries of the caption's paragraph: same region, same size, no wider gap than its own leading. */
static guint
caption_end (const DpFlow *flow, guint first)
{
  const DpFlowLine *head = dp_flow_line (flow, first);
  guint i = first + 1;
  gboolean table;

  for (; i < flow->lines->len && i - first < MAX_LINES; i++) {
    const DpFlowLine *a = dp_flow_line (flow, i - 1), *b = dp_flow_line (flow, i);
    if (b->role != DP_ROLE_BODY || b->astray || !dp_flow_same_region (a, b))
      break;
    if (fabsf (b->size - head->size) > 0.08f * head->size || b->at.y0 - a->at.y1 > 0.45f * head->size)
      break;
    if (is_caption (b->text, &table))
      break;
  }
  return i;
}

/* Distance between the two boxes in the direction they are stacked; G_MAXFLOAT if they are not neighbours. */
static float
distance (DpRect caption, DpRect object, gboolean table)
{
  float across = dp_rect_overlap_x (caption, object), gap;
  float narrow = MIN (dp_rect_width (caption), dp_rect_width (object));

  if (across < 0.3f * narrow) { /* side captions */
    float down = dp_rect_overlap_y (caption, object);
    gap = MAX (caption.x0 - object.x1, object.x0 - caption.x1);
    return down > 0.5f * dp_rect_height (caption) && gap >= -2 && gap < NEAR ? gap + 20 : G_MAXFLOAT;
  }
  gap = caption.y0 > dp_rect_cy (object) ? caption.y0 - object.y1 : object.y0 - caption.y1;
  if (gap > NEAR)
    return G_MAXFLOAT;
  gap = MAX (gap, 0);
  /* Table captions stand above, figure captions below; the other way costs a little. */
  if (table ? caption.y0 > dp_rect_cy (object) : caption.y0 < dp_rect_cy (object))
    gap += 12;
  return gap;
}

static gint
find_owner (const DpFlow *flow, guint first, guint last, gboolean table)
{
  const DpFlowLine *line = dp_flow_line (flow, first);
  const DpFlowPage *page = dp_flow_page (flow, line);
  DpRect box = line->at;
  float best = G_MAXFLOAT;
  gint owner = -1;

  for (guint i = first + 1; i < last; i++)
    box = dp_rect_union (box, dp_flow_line (flow, i)->at);
  for (guint i = page->first; i < page->first + page->n; i++) {
    const DpFlowLine *object = dp_flow_line (flow, i);
    DpRegionKind kind;
    float d;
    if (object->role != DP_ROLE_OBJECT)
      continue;
    kind = dp_flow_region (flow, object)->kind;
    if (kind != DP_REGION_TABLE && kind != DP_REGION_FIGURE)
      continue;
    d = distance (box, object->at, table);
    if (d < G_MAXFLOAT && (kind == DP_REGION_TABLE) != table)
      d += 15; /* a picture of a table, a figure made of cells */
    if (d < best) {
      best = d;
      owner = (gint) i;
    }
  }
  return owner;
}

/* Runs of plain entries beside an object are few; objects per page are bounded by its regions.
 * To keep a page of thousands of objects linear, only so many captions are looked at. */
#define MAX_CAPTIONS_PER_PAGE 200u

/* "Table 3." alone, its title behind a gap on the same baseline: one caption. */
static void
adopt_title (DpFlow *flow, guint i)
{
  const DpFlowLine *line = dp_flow_line (flow, i);
  const DpFlowPage *page = dp_flow_page (flow, line);
  guint from = i > page->first + NEIGHBOURS ? i - NEIGHBOURS : page->first, to = MIN (i + NEIGHBOURS, page->first + page->n);
  gboolean table;
  gsize n;

  if (!dp_label_caption (line->text, &table, &n) || strspn (line->text + n, ".: ") != strlen (line->text + n))
    return;
  for (guint k = from; k < to; k++) {
    const DpFlowLine *title = dp_flow_line (flow, k);
    float gap = title->at.x0 - line->at.x1;
    if (k != i && title->role == DP_ROLE_BODY && !title->astray && fabsf (title->baseline - line->baseline) < 0.2f * line->size && gap > 0
        && gap < TITLE_GAP * line->size) {
      dp_flow_adopt (flow, i, k, FALSE);
      return;
    }
  }
}

void
dp_flow_captions (DpFlow *flow)
{
  guint page = G_MAXUINT, n = 0;

  for (guint i = 0; i < flow->lines->len; i++) {
    DpFlowLine *line = dp_flow_line (flow, i);
    gboolean table, begins;
    guint last;
    gint owner;
    if (line->page != page) {
      page = line->page;
      n = 0;
    }
    if (line->role != DP_ROLE_BODY || line->astray || !is_caption (line->text, &table) || n++ >= MAX_CAPTIONS_PER_PAGE)
      continue;
    /* In the middle of a paragraph a line may begin with "Figure 3." by chance. */
    adopt_title (flow, i);
    begins = i == 0 || !dp_flow_same_region (dp_flow_line (flow, i - 1), line) || dp_flow_line (flow, i - 1)->role != DP_ROLE_BODY
             || line->at.y0 - dp_flow_line (flow, i - 1)->at.y1 > 0.45f * line->size
             || !dp_flow_same_face (dp_flow_line (flow, i - 1), line);
    last = caption_end (flow, i);
    owner = find_owner (flow, i, last, table);
    if (owner < 0 && !begins)
      continue;
    for (guint k = i; k < last; k++) {
      DpFlowLine *part = dp_flow_line (flow, k);
      part->role = DP_ROLE_CAPTION;
      part->starts = k == i;
      part->owner = owner;
    }
    i = last - 1;
  }
}
