/* pipeline/model_own.c - which part of the page's own text belongs to which region.
 *
 * A glyph belongs to the smallest region that its centre lies in, so a caption in the box of a figure keeps its words.  Members of a
 * list reach from side to side of it: bullets often stand left of the boxes that models draw.
 */
#include "pipeline/model_pieces.h"

#define MEMBER 0.8       /* of its area in a list */
#define LEAST_COVER 0.3f /* of a region's height, and twice that of its width: words there speak for all of it */

DpRect
dp_model_box (const DpModelPage *page, const double box[4])
{
  return (DpRect){ (float) box[0] * page->width, (float) box[1] * page->height, (float) box[2] * page->width,
                   (float) box[3] * page->height };
}

DpBlock *
dp_model_own (const DpModelPage *page, const DpMineruBlock *region)
{
  return region->tag && page->own && region->tag <= page->own->len ? g_ptr_array_index (page->own, region->tag - 1) : NULL;
}

void
dp_model_page_clear (DpModelPage *page)
{
  for (guint i = 0; page->own && i < page->own->len; i++)
    dp_block_free (g_ptr_array_index (page->own, i));
  g_clear_pointer (&page->own, g_ptr_array_unref);
  g_clear_pointer (&page->regions, g_ptr_array_unref);
  g_clear_pointer (&page->text, dp_region_text_free);
}

/* How a region's own text is wanted; FALSE: its glyphs are left to others. */
static gboolean
form_of (DpMineruType type, DpRegionForm *form)
{
  switch (type) {
  case DP_MINERU_CODE: *form = DP_REGION_LISTING; return TRUE;
  case DP_MINERU_ALGORITHM:
  case DP_MINERU_INDEX:
  case DP_MINERU_TABLE:
  case DP_MINERU_IMAGE:
  case DP_MINERU_CHART:
  case DP_MINERU_IMAGE_BLOCK:
  case DP_MINERU_LIST: *form = DP_REGION_ROWS; return TRUE;
  case DP_MINERU_EQUATION_BLOCK: return FALSE;
  default: *form = DP_REGION_FLOWING; return TRUE;
  }
}

static gboolean
is_text (DpMineruType type)
{
  switch (type) {
  case DP_MINERU_TABLE:
  case DP_MINERU_EQUATION:
  case DP_MINERU_IMAGE:
  case DP_MINERU_CHART:
  case DP_MINERU_LIST:
  case DP_MINERU_IMAGE_BLOCK:
  case DP_MINERU_EQUATION_BLOCK: return FALSE;
  default: return TRUE;
  }
}

/* Words over a small part of the region only: the rest of it is a picture of text. */
static gboolean
covers_little (const DpModelPage *page, const DpMineruBlock *region, const DpBlock *own)
{
  const DpRect box = dp_model_box (page, region->box);
  float height = dp_rect_height (own->box);

  for (guint i = 0; own->parts && i < own->parts->len; i++)
    height = MAX (height, g_array_index (own->parts, DpTablePart, i).box.y1 - own->box.y0);
  return height < LEAST_COVER * dp_rect_height (box) && dp_rect_width (own->box) < dp_rect_width (box) * LEAST_COVER * 2;
}

gboolean
dp_model_has_text (const DpModelPage *page, const DpMineruBlock *region)
{
  const DpBlock *own = dp_model_own (page, region);

  return page->use_text && is_text (region->type) && own && !covers_little (page, region, own);
}

gboolean
dp_model_is_repeated (const DpModelPage *page, const DpMineruBlock *region)
{
  return page->use_text && is_text (region->type) && !dp_model_own (page, region)
         && dp_region_text_under (page->text, dp_model_box (page, region->box)) == DP_UNDER_TEXT;
}

static gboolean
can_be_member (DpMineruType type)
{
  return type == DP_MINERU_TEXT || type == DP_MINERU_REF_TEXT || type == DP_MINERU_LIST_ITEM;
}

/* The list around a region, or NULL. */
static const DpMineruBlock *
list_around (const GPtrArray *regions, const DpMineruBlock *region)
{
  for (guint i = 0; can_be_member (region->type) && i < regions->len; i++) {
    const DpMineruBlock *list = g_ptr_array_index (regions, i);
    if (list->type == DP_MINERU_LIST && dp_mineru_cover (region->box, list->box) >= MEMBER)
      return list;
  }
  return NULL;
}

static gboolean
has_members (const GPtrArray *regions, const DpMineruBlock *list)
{
  for (guint i = 0; i < regions->len; i++) {
    const DpMineruBlock *region = g_ptr_array_index (regions, i);
    if (can_be_member (region->type) && dp_mineru_cover (region->box, list->box) >= MEMBER)
      return TRUE;
  }
  return FALSE;
}

/* Another region stands beside this one inside of the list. */
static gboolean
has_neighbour (const GPtrArray *regions, const DpMineruBlock *region, const double wide[4])
{
  for (guint i = 0; i < regions->len; i++) {
    const DpMineruBlock *other = g_ptr_array_index (regions, i);
    if (other != region && other->type != DP_MINERU_LIST && dp_mineru_cover (other->box, wide) > 0.1)
      return TRUE;
  }
  return FALSE;
}

static DpRect
reach_of (const DpModelPage *page, const DpMineruBlock *region)
{
  const DpMineruBlock *list = list_around (page->regions, region);

  if (list) {
    const double wide[4] = { MIN (region->box[0], list->box[0]), region->box[1], MAX (region->box[2], list->box[2]), region->box[3] };
    if (!has_neighbour (page->regions, region, wide))
      return dp_model_box (page, wide);
  }
  return dp_model_box (page, region->box);
}

static double
area_of (const DpMineruBlock *b)
{
  return (b->box[2] - b->box[0]) * (b->box[3] - b->box[1]);
}

/* Small ones first; containers behind what they hold. */
static gint
compare_areas (gconstpointer a, gconstpointer b)
{
  const DpMineruBlock *x = *(DpMineruBlock *const *) a, *y = *(DpMineruBlock *const *) b;
  const double ax = area_of (x), ay = area_of (y);

  if (ax < ay || ax > ay)
    return ax < ay ? -1 : 1;
  return x->tag < y->tag ? -1 : x->tag > y->tag;
}

void
dp_model_take_text (DpModelPage *page)
{
  g_autoptr (GPtrArray) order = g_ptr_array_new ();

  page->own = g_ptr_array_new ();
  g_ptr_array_set_size (page->own, (gint) page->regions->len);
  for (guint i = 0; i < page->regions->len; i++) {
    DpMineruBlock *region = g_ptr_array_index (page->regions, i);
    region->tag = i + 1;
    g_ptr_array_add (order, region);
  }
  g_ptr_array_sort (order, compare_areas);
  for (guint i = 0; page->text && i < order->len; i++) {
    const DpMineruBlock *region = g_ptr_array_index (order, i);
    DpRegionForm form;
    float size = 0;
    if (!form_of (region->type, &form))
      continue;
    if (region->type == DP_MINERU_LIST && has_members (page->regions, region))
      continue; /* an item that the model forgot is text outside of all regions */
    DpBlock *own = dp_region_text_take (page->text, reach_of (page, region), form, &size);
    if (own)
      own->size = size;
    page->own->pdata[region->tag - 1] = own;
  }
}
