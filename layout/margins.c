/* layout/margins.c - what stands around the text, or under it: margin notes, ornaments, watermarks.
 *
 * A margin note is small print beyond the edge of the running text, beside it.  An ornament is a
 * picture that stands at one place of many pages (a logo, the border of a slide).  A watermark is
 * large pale type that other text is written over.  All of them are put aside: the tree keeps
 * them, the Markdown does not.
 */
#include "layout/flow.h"

#include <math.h>

#define MIN_TEXT 400u         /* characters of running text that a page with margin notes has */
#define SMALL 0.92f           /* body sizes: larger print in the margin is a heading or a column */
#define NARROW 0.3f           /* of the page's width */
#define FEW 0.35f             /* of the running text's characters */
#define SAME_PLACE 2.0f       /* points */
#define LARGEST_ORNAMENT 0.3f /* of the page: larger pictures are what the page is about, be it one scan after the other */
#define MIN_PAGES 3u          /* with one ornament */
#define LARGE 2.5f            /* body sizes */
#define PALE 170              /* luma of 255 */
#define MAX_COVERED 4000u     /* lines of a page that are held against its watermarks */

/* ---- margin notes -------------------------------------------------------------------------------- */

typedef struct {
  float x0, x1, y0, y1;
  guint chars;
} TextBlock;

static gboolean
is_text (const DpFlowLine *line)
{
  return line->role == DP_ROLE_BODY && !line->astray;
}

/* Extent of the page's running text: lines of body size, wide enough to be prose. */
static TextBlock
measure_text (const DpFlow *flow, const DpFlowPage *page)
{
  TextBlock block = { G_MAXFLOAT, -G_MAXFLOAT, G_MAXFLOAT, -G_MAXFLOAT, 0 };

  for (guint i = page->first; i < page->first + page->n; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    if (!is_text (line) || line->n_chars < 30 || fabsf (line->size - page->body.size) > 0.08f * page->body.size)
      continue;
    block.x0 = MIN (block.x0, line->at.x0);
    block.x1 = MAX (block.x1, line->at.x1);
    block.y0 = MIN (block.y0, line->at.y0);
    block.y1 = MAX (block.y1, line->at.y1);
    block.chars += line->n_chars;
  }
  return block;
}

static gboolean
is_margin_line (const DpFlowPage *page, const TextBlock *text, const DpFlowLine *line)
{
  if (!is_text (line) || line->size > SMALL * page->body.size || dp_rect_width (line->at) > NARROW * page->width)
    return FALSE;
  if (line->at.x0 < text->x1 - 1 && line->at.x1 > text->x0 + 1)
    return FALSE;
  return line->at.y1 > text->y0 && line->at.y0 < text->y1;
}

static void
claim_margin_notes (DpFlow *flow, const DpFlowPage *page)
{
  TextBlock text = measure_text (flow, page);
  guint chars = 0;

  if (text.chars < MIN_TEXT || page->body.size <= 0)
    return;
  for (guint i = page->first; i < page->first + page->n; i++)
    chars += is_margin_line (page, &text, dp_flow_line (flow, i)) ? dp_flow_line (flow, i)->n_chars : 0;
  if (chars == 0 || (float) chars > FEW * (float) text.chars)
    return;
  for (guint i = page->first; i < page->first + page->n; i++) {
    DpFlowLine *line = dp_flow_line (flow, i), *before = i > page->first ? dp_flow_line (flow, i - 1) : NULL;
    if (!is_margin_line (page, &text, line))
      continue;
    line->role = DP_ROLE_ASIDE;
    line->starts = !before || before->role != DP_ROLE_ASIDE || !dp_flow_same_region (before, line);
  }
}

/* ---- ornaments -------------------------------------------------------------------------------------- */

static gboolean
is_picture (const DpFlow *flow, const DpFlowLine *line)
{
  const DpPageLayout *layout = dp_flow_page (flow, line)->layout;

  return line->role == DP_ROLE_OBJECT && dp_flow_region (flow, line)->kind == DP_REGION_FIGURE
         && dp_rect_area (line->box) < LARGEST_ORNAMENT * layout->width * layout->height;
}

static gint
compare_places (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpFlowLine *x = dp_flow_line (data, *(const guint *) a), *y = dp_flow_line (data, *(const guint *) b);
  gint dx = (gint) floorf (x->at.x0 / (4 * SAME_PLACE)) - (gint) floorf (y->at.x0 / (4 * SAME_PLACE));

  if (dx)
    return dx;
  if (x->at.y0 != y->at.y0)
    return x->at.y0 < y->at.y0 ? -1 : 1;
  return x->page < y->page ? -1 : x->page > y->page;
}

static gboolean
same_place (const DpFlowLine *a, const DpFlowLine *b)
{
  return fabsf (a->at.x0 - b->at.x0) <= SAME_PLACE && fabsf (a->at.y0 - b->at.y0) <= SAME_PLACE && fabsf (a->at.x1 - b->at.x1) <= SAME_PLACE
         && fabsf (a->at.y1 - b->at.y1) <= SAME_PLACE;
}

static void
claim_ornaments (DpFlow *flow)
{
  g_autoptr (GArray) pictures = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < flow->lines->len; i++)
    if (is_picture (flow, dp_flow_line (flow, i)))
      g_array_append_val (pictures, i);
  if (pictures->len < MIN_PAGES)
    return;
  g_array_sort_with_data (pictures, compare_places, flow);
  for (guint i = 0, j; i < pictures->len; i = j) {
    const DpFlowLine *first = dp_flow_line (flow, g_array_index (pictures, guint, i));
    for (j = i + 1; j < pictures->len && same_place (first, dp_flow_line (flow, g_array_index (pictures, guint, j))); j++)
      ;
    if (j - i < MIN_PAGES || (j - i) * 3 < flow->pages->len)
      continue;
    for (guint k = i; k < j; k++) {
      DpFlowLine *line = dp_flow_line (flow, g_array_index (pictures, guint, k));
      line->role = DP_ROLE_ASIDE;
      line->starts = TRUE;
    }
  }
}

/* ---- watermarks ---------------------------------------------------------------------------------------- */

static gboolean
is_pale (guint32 colour)
{
  guint r = colour >> 16 & 255, g = colour >> 8 & 255, b = colour & 255;

  return (299 * r + 587 * g + 114 * b) / 1000 >= PALE;
}

static gboolean
lies_under_text (const DpFlow *flow, const DpFlowPage *page, const DpFlowLine *mark)
{
  guint covered = 0;

  for (guint i = page->first; i < page->first + page->n && covered < 2; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    covered += line != mark && is_text (line) && line->size < 0.6f * mark->size && dp_rect_overlap_x (line->at, mark->at) > 0
               && dp_rect_cy (line->at) > mark->at.y0 && dp_rect_cy (line->at) < mark->at.y1;
  }
  return covered >= 2;
}

static void
claim_watermarks (DpFlow *flow, const DpFlowPage *page)
{
  if (page->n > MAX_COVERED || page->body.size <= 0)
    return;
  for (guint i = page->first; i < page->first + page->n; i++) {
    DpFlowLine *line = dp_flow_line (flow, i);
    if (!is_text (line) || line->size < LARGE * page->body.size || !is_pale (line->colour) || line->n_chars > 30
        || !lies_under_text (flow, page, line))
      continue;
    line->role = DP_ROLE_ASIDE;
    line->starts = TRUE;
  }
}

void
dp_flow_margins (DpFlow *flow)
{
  claim_ornaments (flow);
  for (guint p = 0; p < flow->pages->len; p++) {
    const DpFlowPage *page = &g_array_index (flow->pages, DpFlowPage, p);
    claim_watermarks (flow, page);
    claim_margin_notes (flow, page);
  }
}
