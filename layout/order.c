/* layout/order.c - regions -> reading order: a recursive XY-cut with guards.
 *
 * A set of blocks is cut into horizontal bands first, but neighbouring bands that one
 * gutter runs through are put together again before anything is read (order_bands.c): so
 * titles, abstracts and wide figures, which cross the gutter, part the page by themselves.
 * What a group with a gutter means is judged in order_judge.c; the recursion is in
 * order_cut.c.
 *
 * Running heads and feet, one-line bands at the very edge, come first and last.  Blocks
 * written in another direction than the page are ordered among themselves and follow;
 * slanted text comes last.
 */
#include "layout/order.h"

#include "layout/frame.h"

#include <math.h>
#include <stdlib.h>

#define MAX_RULES 1024u  /* upright rules looked at between head and text */
#define MAX_BACKDROPS 64 /* figures looked at: each is held against every region */
#define OWN_TEXT_LINES 6 /* lines of blocks in one other direction that make a text by itself */

/* ---- heads and feet -------------------------------------------------------------------------------------------- */

/* Number of bands at the top (step 1) or bottom (step -1) that are running heads or feet:
 * one-line pieces in the outer tenth of the page, with a gap to what follows. */
/* An upright rule that runs from the outer band into the inner one: both are parts of one box. */
static gboolean
rule_joins (const DpOrder *order, const DpOrderBand *a, const DpOrderBand *b)
{
  float top = MIN (a->bottom, b->bottom) - 2, bottom = MAX (a->top, b->top) + 2;

  for (guint i = 0; order->angle == 0 && i < order->layout->vrules->len && i < MAX_RULES; i++) {
    const DpRule *rule = &g_array_index (order->layout->vrules, DpRule, i);
    if (rule->from < top && rule->to > bottom)
      return TRUE;
  }
  return FALSE;
}

static guint
count_margin_bands (const DpOrder *order, const guint *items, const GArray *bands, gint step)
{
  gboolean turned = order->angle == 90 || order->angle == 270;
  DpRect page = dp_frame_rect ((DpRect){ 0, 0, order->layout->width, order->layout->height }, order->angle);
  float height = turned ? order->layout->width : order->layout->height;
  guint n = 0;

  for (guint k = 0; k < 2 && k < bands->len; k++) {
    guint b = step > 0 ? k : bands->len - 1 - k;
    const DpOrderBand *band = &g_array_index (bands, DpOrderBand, b);
    const DpOrderBand *inner = k + 1 < bands->len ? band + step : NULL;

    if (!inner || (step > 0 ? band->bottom > page.y0 + 0.1f * height : band->top < page.y1 - 0.08f * height))
      break;
    if ((step > 0 ? inner->top - band->bottom : band->top - inner->bottom) < 0.5f * order->em || rule_joins (order, band, inner))
      break;
    for (guint i = 0; i < band->n; i++)
      if (dp_order_item (order, items[band->first + i])->n_lines != 1)
        return n;
    n++;
  }
  return n;
}

static void
order_page (DpOrder *order)
{
  guint n = order->items->len, heads, feet;
  g_autofree guint *items = g_new (guint, n + 1);
  g_autoptr (GArray) bands = NULL;
  guint from, to;

  if (!n)
    return;
  for (guint i = 0; i < n; i++)
    items[i] = i;
  bands = dp_order_find_bands (order, items, n);
  heads = count_margin_bands (order, items, bands, 1);
  feet = heads < bands->len ? MIN (count_margin_bands (order, items, bands, -1), bands->len - heads) : 0;
  for (guint b = 0; b < heads; b++) {
    const DpOrderBand *band = &g_array_index (bands, DpOrderBand, b);

    g_qsort_with_data (items + band->first, (gint) band->n, sizeof (guint), dp_order_compare_lefts, order);
    for (guint i = 0; i < band->n; i++)
      dp_order_emit (order, items[band->first + i], G_MAXUINT);
  }
  from = heads < bands->len ? g_array_index (bands, DpOrderBand, heads).first : n;
  to = feet ? g_array_index (bands, DpOrderBand, bands->len - feet).first : n;
  if (to > from)
    dp_order_cut (order, items + from, to - from);
  for (guint b = bands->len - feet; b < bands->len; b++) {
    const DpOrderBand *band = &g_array_index (bands, DpOrderBand, b);

    g_qsort_with_data (items + band->first, (gint) band->n, sizeof (guint), dp_order_compare_lefts, order);
    for (guint i = 0; i < band->n; i++)
      dp_order_emit (order, items[band->first + i], G_MAXUINT);
  }
}

/* ---- from and to the layout ---------------------------------------------------------------------------------------- */

DpRect
dp_order_box (const DpOrder *order, DpRect box)
{
  DpRect r = dp_frame_rect (box, order->angle);

  return order->rtl ? (DpRect){ -r.x1, r.y0, -r.x0, r.y1 } : r;
}

/* Direction and script that most characters of the page have. */
static void
find_direction (DpOrder *order)
{
  guint by_angle[4] = { 0 }, rtl = 0, all = 0;

  for (guint i = 0; i < order->layout->lines->len; i++) {
    const DpLine *line = &g_array_index (order->layout->lines, DpLine, i);
    guint chars = 0;

    for (guint k = 0; k < line->n_words; k++)
      chars += g_array_index (order->layout->words, DpWord, line->first_word + k).n_chars;
    if (line->angle == dp_frame_snap (line->angle))
      by_angle[line->angle / 90] += chars;
    rtl += line->rtl ? chars : 0;
    all += chars;
  }
  order->angle = 0;
  for (gint a = 1; a < 4; a++)
    if (by_angle[a] > by_angle[order->angle / 90])
      order->angle = 90 * a;
  order->rtl = 2 * rtl > all;
}

static void
add_item (DpOrder *order, guint index)
{
  const DpRegion *region = &g_array_index (order->layout->regions, DpRegion, index);
  DpOrderItem item = { .box = dp_order_box (order, region->box), .region = index, .layer = G_MAXUINT32 };
  guint n = region->lines ? region->lines->len : 0;

  item.is_text = region->kind == DP_REGION_TEXT;
  item.first_base = item.box.y0;
  for (guint i = 0; i < n; i++) {
    const DpLine *line = &g_array_index (order->layout->lines, DpLine, g_array_index (region->lines, guint, i));
    float width = dp_rect_width (dp_order_box (order, line->box)) / MAX (line->size, 0.5f);

    item.mean_width += width / (float) n;
    item.max_width = MAX (item.max_width, width);
    if (line->n_words) {
      guint32 layer = g_array_index (order->layout->words, DpWord, line->first_word).layer;
      item.layer = MIN (item.layer, layer);
      item.last_layer = MAX (item.last_layer, layer);
    }
    if (!i) {
      item.first_base = dp_frame_base (line->baseline, order->angle);
      item.size = line->size;
    }
  }
  item.n_lines = item.is_text ? n : 0;
  g_array_append_val (order->items, item);
}

/* Puts the regions into the order found; those taken apart into rows go. */
static void
apply_order (DpOrder *order)
{
  DpPageLayout *l = order->layout;
  GArray *sorted = g_array_sized_new (FALSE, TRUE, sizeof (DpRegion), order->out->len);
  g_autofree guint8 *used = g_malloc0 (l->regions->len + 1);
  gboolean columns = FALSE;

  for (guint i = 0; i < order->out->len; i++) {
    guint from = g_array_index (order->out, guint, i);

    used[from] = TRUE;
    columns = columns || g_array_index (l->regions, DpRegion, from).column != G_MAXUINT;
    g_array_append_val (sorted, g_array_index (l->regions, DpRegion, from));
  }
  for (guint i = 0; i < l->regions->len; i++) {
    DpRegion *region = &g_array_index (l->regions, DpRegion, i);

    if (!used[i])
      dp_region_clear (region);
  }
  /* The clear function would free what has moved to the new array. */
  g_array_set_clear_func (l->regions, NULL);
  g_array_set_size (l->regions, 0);
  g_array_append_vals (l->regions, sorted->data, sorted->len);
  g_array_set_clear_func (l->regions, dp_region_clear);
  g_array_unref (sorted);
  for (guint i = 0; i < l->regions->len; i++) {
    DpRegion *region = &g_array_index (l->regions, DpRegion, i);

    if (!columns)
      region->column = 0;
    for (guint k = 0; region->lines && k < region->lines->len; k++)
      g_array_index (l->lines, DpLine, g_array_index (region->lines, guint, k)).region = (gint) i;
  }
}

/* ---- what stays out of the cut ---------------------------------------------------------- */

static const DpRegion *
region_at (const DpOrder *order, guint i)
{
  return &g_array_index (order->layout->regions, DpRegion, i);
}

typedef enum {
  WITH_PAGE, /* takes part in the cut */
  BY_ITSELF, /* a text in another direction: ordered on its own, after the page */
  LAST,      /* stamps along the margin, watermarks, numbers of lines */
  BACKDROP,  /* a picture under text */
} Part;

/* The region's own writing direction; -1 for slanted text.  Tables and figures go with the page. */
static gint
region_angle (const DpOrder *order, const DpRegion *region, gint main_angle)
{
  const DpLine *line;

  if (region->kind == DP_REGION_TABLE || region->kind == DP_REGION_FIGURE || !region->lines || !region->lines->len)
    return main_angle;
  line = &g_array_index (order->layout->lines, DpLine, g_array_index (region->lines, guint, 0));
  return line->angle == dp_frame_snap (line->angle) ? line->angle : -1;
}

/* Pictures that text is written over: a slide's ground, a full-page photo. */
static gboolean
is_backdrop (const DpOrder *order, const DpRegion *figure)
{
  guint on_it = 0;

  if (figure->kind != DP_REGION_FIGURE)
    return FALSE;
  for (guint i = 0; i < order->layout->regions->len && on_it < 2; i++) {
    const DpRegion *other = region_at (order, i);

    on_it += other->kind != DP_REGION_FIGURE && dp_rect_inside (other->box, figure->box) > 0.6f;
  }
  return on_it >= 2;
}

/* Extent of everything written in the page's direction, in the page's frame. */
static DpRect
body_extent (const DpOrder *order, gint main_angle)
{
  DpRect all = { G_MAXFLOAT, G_MAXFLOAT, -G_MAXFLOAT, -G_MAXFLOAT };

  for (guint i = 0; i < order->layout->regions->len; i++)
    if (region_angle (order, region_at (order, i), main_angle) == main_angle)
      all = dp_rect_union (all, dp_frame_rect (region_at (order, i)->box, main_angle));
  return all;
}

/* Text in other directions: labels inside the page stay where they are, running text is
 * read by itself, what stands in the margin or lies across the page comes last. */
static Part
part_of_turned (const DpOrder *order, const DpRegion *region, gint angle, gint main_angle, DpRect body, guint n_lines)
{
  DpRect box = dp_frame_rect (region->box, main_angle);

  if (angle >= 0 && n_lines >= OWN_TEXT_LINES)
    return BY_ITSELF;
  if (dp_rect_cx (box) < body.x0 || dp_rect_cx (box) > body.x1)
    return LAST;
  if (angle < 0 && dp_rect_height (box) > 0.12f * order->layout->height && dp_rect_width (box) > 0.12f * order->layout->width)
    return LAST;
  return WITH_PAGE;
}

/* Nothing but numbers of lines, or readings of ideographs. */
static gboolean
is_aside (const DpOrder *order, const DpRegion *region)
{
  for (guint i = 0; region->lines && i < region->lines->len; i++) {
    const DpLine *line = &g_array_index (order->layout->lines, DpLine, g_array_index (region->lines, guint, i));
    if (!line->n_words || !g_array_index (order->layout->words, DpWord, line->first_word).aside)
      return FALSE;
  }
  return region->lines && region->lines->len > 0;
}

/* Several lines, wider than a label. */
static gboolean
is_running_text (const DpRegion *region, gint angle)
{
  DpRect box = dp_frame_rect (region->box, angle);
  guint n = region->lines ? region->lines->len : 0;

  return n >= 2 && dp_rect_width (box) > 6 * dp_rect_height (box) / (float) n;
}

static void
find_parts (const DpOrder *order, gint main_angle, Part *parts)
{
  DpRect body = body_extent (order, main_angle);
  guint figures = 0, lines[4] = { 0 };

  for (guint i = 0; i < order->layout->regions->len; i++) {
    gint angle = region_angle (order, region_at (order, i), main_angle);

    if (angle >= 0 && is_running_text (region_at (order, i), angle))
      lines[angle / 90] += region_at (order, i)->lines->len;
  }
  for (guint i = 0; i < order->layout->regions->len; i++) {
    const DpRegion *region = region_at (order, i);
    gint angle = region_angle (order, region, main_angle);

    parts[i] = WITH_PAGE;
    if (region->kind == DP_REGION_FIGURE && figures++ < MAX_BACKDROPS && is_backdrop (order, region))
      parts[i] = BACKDROP;
    else if (region->kind == DP_REGION_TEXT && is_aside (order, region))
      parts[i] = LAST;
    else if (angle != main_angle)
      parts[i] = part_of_turned (order, region, angle, main_angle, body, angle < 0 ? 0 : lines[angle / 90]);
  }
}

/* Orders the regions of one part (and, for text by itself, one direction). */
static void
order_part (DpOrder *order, const Part *parts, guint n_regions, Part part, gint angle, gint main_angle)
{
  order->angle = angle;
  g_array_set_size (order->items, 0);
  for (guint i = 0; i < n_regions; i++)
    if (parts[i] == part && (part == WITH_PAGE || region_angle (order, region_at (order, i), main_angle) == angle))
      add_item (order, i);
  order_page (order);
}

void
dp_layout_order (DpPageLayout *layout)
{
  DpOrder order = { .layout = layout };
  guint n = layout->regions->len; /* reading by rows adds more */
  g_autofree Part *parts = g_new0 (Part, n + 1);
  gint main_angle;

  order.items = g_array_new (FALSE, TRUE, sizeof (DpOrderItem));
  order.out = g_array_new (FALSE, FALSE, sizeof (guint));
  order.em = layout->body_size > 0 ? layout->body_size : 10;
  order.pitch = layout->line_pitch > 0 ? layout->line_pitch : 1.2f * order.em;
  find_direction (&order);
  main_angle = order.angle;
  find_parts (&order, main_angle, parts);
  order_part (&order, parts, n, WITH_PAGE, main_angle, main_angle);
  for (guint i = 0; i < n; i++)
    if (parts[i] == BACKDROP)
      dp_order_insert (&order, 0, i);
  for (gint angle = 0; angle < 360; angle += 90)
    if (angle != main_angle)
      order_part (&order, parts, n, BY_ITSELF, angle, main_angle);
  for (guint i = 0; i < n; i++)
    if (parts[i] == LAST)
      g_array_append_val (order.out, i);
  apply_order (&order);
  g_array_unref (order.items);
  g_array_unref (order.out);
}
