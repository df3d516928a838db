/* layout/order_bands.c - the white lines of a page: horizontal ones part bands, upright ones
 * that run through several bands are gutters.
 *
 * Bands are cut as finely as possible and put together again along a common gutter, so that
 * a gap between paragraphs never beats the gutter, however wide it is.
 */
#include "layout/order.h"

#include <math.h>
#include <stdlib.h>

#define MIN_GUTTER 0.6f /* em */
#define RULED 0.8f      /* share of a gutter's length that its rule covers */
#define MAX_RULES 256u  /* rules looked at in one gutter */

/* ---- bands ------------------------------------------------------------------------------------- */

/* Boxes reach from ascent to descent and touch the next line's: a band ends where ink does. */
static float
slack_of (const DpOrder *order, const DpOrderItem *item)
{
  return MIN (0.2f * order->em, 0.2f * dp_rect_height (item->box));
}

static float
top_of (const DpOrder *order, guint i)
{
  const DpOrderItem *item = dp_order_item (order, i);

  return item->box.y0 + slack_of (order, item);
}

static float
bottom_of (const DpOrder *order, guint i)
{
  const DpOrderItem *item = dp_order_item (order, i);

  return item->box.y1 - slack_of (order, item);
}

gint
dp_order_compare_tops (gconstpointer a, gconstpointer b, gpointer data)
{
  float x = top_of (data, *(const guint *) a), y = top_of (data, *(const guint *) b);

  if (x != y)
    return x < y ? -1 : 1;
  return (*(const guint *) a > *(const guint *) b) - (*(const guint *) a < *(const guint *) b);
}

gint
dp_order_compare_lefts (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpOrderItem *x = dp_order_item (data, *(const guint *) a), *y = dp_order_item (data, *(const guint *) b);

  if (x->box.x0 != y->box.x0)
    return x->box.x0 < y->box.x0 ? -1 : 1;
  return x->box.y0 < y->box.y0 ? -1 : x->box.y0 > y->box.y0;
}

static void
band_clear (gpointer data)
{
  g_array_unref (((DpOrderBand *) data)->free);
}

/* The parts of the x axis that no item of the band covers. */
static GArray *
free_spans (const DpOrder *order, const guint *items, guint n)
{
  GArray *spans = g_array_new (FALSE, FALSE, sizeof (DpOrderSpan));
  g_autofree guint *sorted = g_memdup2 (items, n * sizeof (guint));
  float end = -G_MAXFLOAT;

  g_qsort_with_data (sorted, (gint) n, sizeof (guint), dp_order_compare_lefts, (gpointer) order);
  for (guint i = 0; i < n; i++) {
    DpRect box = dp_order_item (order, sorted[i])->box;
    DpOrderSpan gap = { end, box.x0 };

    if (gap.to > gap.from)
      g_array_append_val (spans, gap);
    end = MAX (end, box.x1);
  }
  DpOrderSpan last = { end, G_MAXFLOAT };
  g_array_append_val (spans, last);
  return spans;
}

/* Sorts items by their tops and cuts them where a white line runs through. */
GArray *
dp_order_find_bands (const DpOrder *order, guint *items, guint n)
{
  GArray *bands = g_array_new (FALSE, FALSE, sizeof (DpOrderBand));

  g_array_set_clear_func (bands, band_clear);
  g_qsort_with_data (items, (gint) n, sizeof (guint), dp_order_compare_tops, (gpointer) order);
  for (guint i = 0; i < n;) {
    DpOrderBand band = { i, 0, top_of (order, items[i]), bottom_of (order, items[i]), NULL };

    while (i < n && (band.n == 0 || top_of (order, items[i]) < band.bottom)) {
      band.bottom = MAX (band.bottom, bottom_of (order, items[i]));
      band.n++;
      i++;
    }
    band.free = free_spans (order, items + band.first, band.n);
    g_array_append_val (bands, band);
  }
  return bands;
}

static GArray *
intersect (const GArray *a, const GArray *b, float least)
{
  GArray *both = g_array_new (FALSE, FALSE, sizeof (DpOrderSpan));

  for (guint i = 0, j = 0; i < a->len && j < b->len;) {
    const DpOrderSpan *x = &g_array_index (a, DpOrderSpan, i), *y = &g_array_index (b, DpOrderSpan, j);
    DpOrderSpan s = { MAX (x->from, y->from), MIN (x->to, y->to) };

    if (s.to - s.from >= least)
      g_array_append_val (both, s);
    if (x->to < y->to)
      i++;
    else
      j++;
  }
  return both;
}

/* Spans with something on both sides: all but the outer two. */
static guint
count_gutters (const GArray *spans, float left, float right)
{
  guint n = 0;

  for (guint i = 0; i < spans->len; i++) {
    const DpOrderSpan *s = &g_array_index (spans, DpOrderSpan, i);

    n += s->from >= left && s->to <= right;
  }
  return n;
}

/* ---- groups of bands that one gutter runs through --------------------------------------------------- */

static void
extent_of (const DpOrder *order, const guint *items, const DpOrderBand *band, float *left, float *right)
{
  for (guint i = 0; i < band->n; i++) {
    DpRect box = dp_order_item (order, items[band->first + i])->box;

    *left = MIN (*left, box.x0);
    *right = MAX (*right, box.x1);
  }
}

/* Do two texts side by side begin level at the top of this band? */
static gboolean
begins_level (const DpOrder *order, const guint *items, const DpOrderBand *band)
{
  const DpOrderItem *first = dp_order_item (order, items[band->first]);

  if (first->n_lines < 2)
    return FALSE;
  for (guint i = 1; i < band->n; i++) {
    const DpOrderItem *other = dp_order_item (order, items[band->first + i]);

    if (fabsf (other->first_base - first->first_base) < 0.3f * order->em && other->n_lines >= 2
        && dp_rect_overlap_x (first->box, other->box) <= 0)
      return TRUE;
  }
  return FALSE;
}

/* A lone piece that announces what follows in all columns is not part of one: a heading
 * across the page that happens to be short.  It is large, the other columns make room for
 * it, and below it they begin level. */
static gboolean
stands_alone (const DpOrder *order, const guint *items, const GArray *bands, guint k)
{
  const DpOrderBand *band = &g_array_index (bands, DpOrderBand, k), *above = band - 1, *below = band + 1;
  const DpOrderItem *item = dp_order_item (order, items[band->first]);
  float room;

  if (band->n > 1 || item->n_lines > 2 || !item->is_text || k == 0 || k + 1 >= bands->len)
    return FALSE;
  room = band->top - above->bottom;
  return item->size > 1.15f * order->em && room > 0.5f * order->em && room + below->top - band->bottom > 1.5f * order->em
         && begins_level (order, items, below);
}

/* A rule of the list that stands between from and to and covers most of low..high. */
static gboolean
rule_along (const GArray *rules, float from, float to, float low, float high)
{
  const guint lo = dp_rules_from (rules, from);
  for (guint k = lo; k < rules->len && k < lo + MAX_RULES && g_array_index (rules, DpRule, k).pos <= to; k++) {
    const DpRule *rule = &g_array_index (rules, DpRule, k);
    if (MIN (high, rule->to) - MAX (low, rule->from) >= RULED * (high - low))
      return TRUE;
  }
  return FALSE;
}

/* A rule across the whole group between two bands: what stands below it is read after all above. */
static gboolean
rule_parts (const DpOrder *order, const DpOrderBand *above, const DpOrderBand *below, float left, float right)
{
  return order->angle == 0 && !order->rtl && rule_along (order->layout->hrules, above->bottom - 2, below->top + 2, left, right);
}

DpOrderGroup
dp_order_find_group (const DpOrder *order, const guint *items, const GArray *bands, guint first)
{
  const DpOrderBand *band = &g_array_index (bands, DpOrderBand, first);
  DpOrderGroup group = { first, 1, NULL, G_MAXFLOAT, -G_MAXFLOAT };
  float least = MIN_GUTTER * order->em;

  group.free = intersect (band->free, band->free, least);
  extent_of (order, items, band, &group.left, &group.right);
  if (!count_gutters (group.free, group.left, group.right))
    return group;
  for (guint k = first + 1; k < bands->len; k++) {
    const DpOrderBand *next = &g_array_index (bands, DpOrderBand, k);
    GArray *both = intersect (group.free, next->free, least);
    float left = group.left, right = group.right;

    extent_of (order, items, next, &left, &right);
    if (!count_gutters (both, group.left, group.right) || stands_alone (order, items, bands, k)
        || rule_parts (order, next - 1, next, left, right)) {
      g_array_unref (both);
      break;
    }
    g_array_unref (group.free);
    group.free = both;
    group.left = left;
    group.right = right;
    group.n++;
  }
  /* Lone pieces at the end that stand nearer to what follows belong to it. */
  while (group.n > 1) {
    const DpOrderBand *last = &g_array_index (bands, DpOrderBand, group.first + group.n - 1);
    const DpOrderBand *after = group.first + group.n < bands->len ? last + 1 : NULL;

    if (last->n > 1 || !after || dp_order_item (order, items[last->first])->n_lines > 2
        || !dp_order_item (order, items[last->first])->is_text)
      break;
    if (after->top - last->bottom >= 0.7f * (last->top - (last - 1)->bottom))
      break;
    group.n--;
  }
  return group;
}

guint
dp_order_count_gutters (const DpOrderGroup *group)
{
  return count_gutters (group->free, group->left, group->right);
}

gboolean
dp_order_is_ruled (const DpOrder *order, const GArray *bands, const DpOrderGroup *group)
{
  const DpOrderBand *first = &g_array_index (bands, DpOrderBand, group->first), *last = first + group->n - 1;
  guint gutters = 0;

  if (order->angle != 0 || order->rtl || last->bottom - first->top < 1.5f * order->pitch)
    return FALSE;
  if (rule_along (order->layout->hrules, first->top + 2, last->bottom - 2, group->left, group->right))
    return FALSE; /* cells, not columns */
  for (guint i = 0; i < group->free->len; i++) {
    const DpOrderSpan *span = &g_array_index (group->free, DpOrderSpan, i);
    if (span->from < group->left || span->to > group->right)
      continue;
    gutters++;
    if (!rule_along (order->layout->vrules, span->from - 2, span->to + 2, first->top, last->bottom))
      return FALSE;
  }
  return gutters > 0;
}

/* Numbers the columns that the gutters of the group make, and the bands; returns how many. */
guint
dp_order_number_columns (DpOrder *order, const guint *items, const GArray *bands, const DpOrderGroup *group)
{
  guint n_columns = dp_order_count_gutters (group) + 1;

  for (guint b = 0; b < group->n; b++) {
    const DpOrderBand *band = &g_array_index (bands, DpOrderBand, group->first + b);

    for (guint i = 0; i < band->n; i++) {
      DpOrderItem *item = dp_order_item (order, items[band->first + i]);

      item->band = b;
      item->column = 0;
      for (guint s = 0; s < group->free->len; s++) {
        const DpOrderSpan *span = &g_array_index (group->free, DpOrderSpan, s);

        item->column += span->from >= group->left && span->to <= group->right && item->box.x0 >= span->to - 0.01f;
      }
    }
  }
  return n_columns;
}
