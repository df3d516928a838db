/* layout/order.c - regions -> reading order: a recursive XY-cut with guards.
 *
 * A set of blocks is cut into horizontal bands first, but neighbouring bands that one
 * gutter runs through are put together again before anything is read: so a gap between
 * paragraphs never beats the gutter, and titles, abstracts and wide figures, which cross
 * the gutter, part the page by themselves.  What a group with a gutter means is judged in
 * order_judge.c.  Where nothing can be cut, the topological order of Breuel (2003) stands:
 * a before b if it lies above and they overlap sideways, or if it lies to the left and
 * nothing between them overlaps both.
 *
 * Running heads and feet, one-line bands at the very edge, come first and last.
 */
#include "layout/order.h"

#include "layout/frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 40
#define MAX_TOPOLOGICAL 120 /* blocks: the rule looks at triples */
#define MIN_GUTTER 0.6f     /* em */

typedef struct {
  float from, to;
} Span;

typedef struct {
  guint first, n; /* items of the band in the sorted list */
  float top, bottom;
  GArray *free; /* Span: what no item covers, from -inf to +inf */
} Band;

static void order_items (DpOrder *order, guint *items, guint n, guint depth, guint column);

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

static gint
compare_tops (gconstpointer a, gconstpointer b, gpointer data)
{
  float x = top_of (data, *(const guint *) a), y = top_of (data, *(const guint *) b);

  if (x != y)
    return x < y ? -1 : 1;
  return (*(const guint *) a > *(const guint *) b) - (*(const guint *) a < *(const guint *) b);
}

static gint
compare_lefts (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpOrderItem *x = dp_order_item (data, *(const guint *) a), *y = dp_order_item (data, *(const guint *) b);

  if (x->box.x0 != y->box.x0)
    return x->box.x0 < y->box.x0 ? -1 : 1;
  return x->box.y0 < y->box.y0 ? -1 : x->box.y0 > y->box.y0;
}

static void
band_clear (gpointer data)
{
  g_array_unref (((Band *) data)->free);
}

/* The parts of the x axis that no item of the band covers. */
static GArray *
free_spans (const DpOrder *order, const guint *items, guint n)
{
  GArray *spans = g_array_new (FALSE, FALSE, sizeof (Span));
  g_autofree guint *sorted = g_memdup2 (items, n * sizeof (guint));
  float end = -G_MAXFLOAT;

  g_qsort_with_data (sorted, (gint) n, sizeof (guint), compare_lefts, (gpointer) order);
  for (guint i = 0; i < n; i++) {
    DpRect box = dp_order_item (order, sorted[i])->box;
    Span gap = { end, box.x0 };

    if (gap.to > gap.from)
      g_array_append_val (spans, gap);
    end = MAX (end, box.x1);
  }
  Span last = { end, G_MAXFLOAT };
  g_array_append_val (spans, last);
  return spans;
}

/* Sorts items by their tops and cuts them where a white line runs through. */
static GArray *
find_bands (DpOrder *order, guint *items, guint n)
{
  GArray *bands = g_array_new (FALSE, FALSE, sizeof (Band));

  g_array_set_clear_func (bands, band_clear);
  g_qsort_with_data (items, (gint) n, sizeof (guint), compare_tops, order);
  for (guint i = 0; i < n;) {
    Band band = { i, 0, top_of (order, items[i]), bottom_of (order, items[i]), NULL };

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
  GArray *both = g_array_new (FALSE, FALSE, sizeof (Span));

  for (guint i = 0, j = 0; i < a->len && j < b->len;) {
    const Span *x = &g_array_index (a, Span, i), *y = &g_array_index (b, Span, j);
    Span s = { MAX (x->from, y->from), MIN (x->to, y->to) };

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
    const Span *s = &g_array_index (spans, Span, i);

    n += s->from >= left && s->to <= right;
  }
  return n;
}

/* ---- groups of bands that one gutter runs through --------------------------------------------------- */

typedef struct {
  guint first, n;    /* bands */
  GArray *free;      /* common free spans */
  float left, right; /* extent of its items */
} Group;

static void
extent_of (const DpOrder *order, const guint *items, const Band *band, float *left, float *right)
{
  for (guint i = 0; i < band->n; i++) {
    DpRect box = dp_order_item (order, items[band->first + i])->box;

    *left = MIN (*left, box.x0);
    *right = MAX (*right, box.x1);
  }
}

/* A lone piece that announces what follows, or that the other columns make room for, is
 * not part of a column: a heading across the page that happens to be short. */
static gboolean
stands_alone (const DpOrder *order, const guint *items, const GArray *bands, guint k)
{
  const Band *band = &g_array_index (bands, Band, k), *above = k ? band - 1 : NULL, *below = k + 1 < bands->len ? band + 1 : NULL;
  const DpOrderItem *item = dp_order_item (order, items[band->first]);
  float room_above = above ? band->top - above->bottom : G_MAXFLOAT, room_below = below ? below->top - band->bottom : G_MAXFLOAT;

  if (band->n > 1 || item->n_lines > 2 || !item->is_text || !above || !below)
    return FALSE;
  /* Above and below the heading both sides are white. */
  return item->size > 1.15f * order->em && room_above > 0.5f * order->em && room_above + room_below > 1.5f * order->em;
}

static Group
find_group (const DpOrder *order, const guint *items, const GArray *bands, guint first)
{
  const Band *band = &g_array_index (bands, Band, first);
  Group group = { first, 1, NULL, G_MAXFLOAT, -G_MAXFLOAT };
  float least = MIN_GUTTER * order->em;

  group.free = intersect (band->free, band->free, least);
  extent_of (order, items, band, &group.left, &group.right);
  if (!count_gutters (group.free, group.left, group.right))
    return group;
  for (guint k = first + 1; k < bands->len; k++) {
    const Band *next = &g_array_index (bands, Band, k);
    GArray *both = intersect (group.free, next->free, least);
    float left = group.left, right = group.right;

    extent_of (order, items, next, &left, &right);
    if (!count_gutters (both, group.left, group.right) || stands_alone (order, items, bands, k)) {
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
    const Band *last = &g_array_index (bands, Band, group.first + group.n - 1);
    const Band *after = group.first + group.n < bands->len ? last + 1 : NULL;

    if (last->n > 1 || !after || dp_order_item (order, items[last->first])->n_lines > 2
        || !dp_order_item (order, items[last->first])->is_text)
      break;
    if (after->top - last->bottom >= 0.7f * (last->top - (last - 1)->bottom))
      break;
    group.n--;
  }
  return group;
}

/* Numbers the columns that the gutters of the group make, and the bands; returns how many. */
static guint
number_columns (DpOrder *order, const guint *items, const GArray *bands, const Group *group)
{
  guint n_columns = count_gutters (group->free, group->left, group->right) + 1;

  for (guint b = 0; b < group->n; b++) {
    const Band *band = &g_array_index (bands, Band, group->first + b);

    for (guint i = 0; i < band->n; i++) {
      DpOrderItem *item = dp_order_item (order, items[band->first + i]);

      item->band = b;
      item->column = 0;
      for (guint s = 0; s < group->free->len; s++) {
        const Span *span = &g_array_index (group->free, Span, s);

        item->column += span->from >= group->left && span->to <= group->right && item->box.x0 >= span->to - 0.01f;
      }
    }
  }
  return n_columns;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

typedef struct {
  float base, left;
  guint line;
  float em;
} RowLine;

static gint
compare_row_lines (gconstpointer a, gconstpointer b)
{
  const RowLine *x = a, *y = b;

  if (x->base != y->base)
    return x->base < y->base ? -1 : 1;
  return (x->line > y->line) - (x->line < y->line);
}

static gint
compare_row_lefts (gconstpointer a, gconstpointer b)
{
  const RowLine *x = a, *y = b;

  if (x->left != y->left)
    return x->left < y->left ? -1 : 1;
  return (x->line > y->line) - (x->line < y->line);
}

/* Takes the text regions apart and makes one region of each row of lines. */
static void
emit_rows (DpOrder *order, const guint *items, guint n, guint column)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (RowLine));

  for (guint i = 0; i < n; i++) {
    const DpRegion *region = &g_array_index (order->layout->regions, DpRegion, dp_order_item (order, items[i])->region);

    for (guint k = 0; k < region->lines->len; k++) {
      guint index = g_array_index (region->lines, guint, k);
      const DpLine *line = &g_array_index (order->layout->lines, DpLine, index);
      RowLine row = { dp_frame_base (line->baseline, order->angle), dp_order_line_box (order, line).x0, index, line->size };

      g_array_append_val (all, row);
    }
  }
  g_array_sort (all, compare_row_lines);
  for (guint i = 0, k; i < all->len; i = k) {
    RowLine *first = &g_array_index (all, RowLine, i);
    guint index = order->layout->regions->len;
    DpRegion *region = dp_page_layout_add_region (order->layout, DP_REGION_TEXT, (DpRect){ 0 });

    for (k = i + 1; k < all->len && g_array_index (all, RowLine, k).base - first->base < 0.4f * first->em; k++)
      ;
    qsort (first, k - i, sizeof (RowLine), compare_row_lefts);
    region->column = column;
    for (guint j = i; j < k; j++) {
      guint line = g_array_index (all, RowLine, j).line;
      DpRect box = g_array_index (order->layout->lines, DpLine, line).box;

      region->box = j == i ? box : dp_rect_union (region->box, box);
      g_array_append_val (region->lines, line);
    }
    g_array_append_val (order->out, index);
  }
}

/* ---- where nothing can be cut --------------------------------------------------------------------------- */

static gboolean
overlap_x (const DpOrder *order, guint a, guint b)
{
  return dp_rect_overlap_x (dp_order_item (order, a)->box, dp_order_item (order, b)->box) > 1.0f;
}

/* Breuel's two rules. */
static gboolean
comes_before (const DpOrder *order, const guint *items, guint n, guint a, guint b)
{
  DpRect ra = dp_order_item (order, a)->box, rb = dp_order_item (order, b)->box;
  float top = MIN (ra.y0, rb.y0), bottom = MAX (ra.y0, rb.y0);

  if (overlap_x (order, a, b))
    return dp_rect_cy (ra) < dp_rect_cy (rb);
  if (ra.x1 > rb.x1)
    return FALSE;
  for (guint i = 0; i < n; i++) {
    float y = dp_rect_cy (dp_order_item (order, items[i])->box);

    if (items[i] != a && items[i] != b && y > top && y < bottom && overlap_x (order, items[i], a) && overlap_x (order, items[i], b))
      return FALSE;
  }
  return TRUE;
}

static void
visit (DpOrder *order, const guint *items, guint n, guint i, guint8 *seen, const guint8 *before, GArray *sorted)
{
  seen[i] = TRUE;
  for (guint j = 0; j < n; j++)
    if (!seen[j] && before[j * n + i])
      visit (order, items, n, j, seen, before, sorted);
  g_array_append_val (sorted, items[i]);
}

/* Depth-first over the rules, starting at the top left; recursion is bounded by
 * MAX_TOPOLOGICAL. */
static void
emit_topological (DpOrder *order, guint *items, guint n, guint column)
{
  g_autofree guint8 *before = NULL;
  g_autofree guint8 *seen = g_malloc0 (n + 1);
  g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof (guint));

  g_qsort_with_data (items, (gint) n, sizeof (guint), compare_tops, order);
  if (n > MAX_TOPOLOGICAL)
    g_array_append_vals (sorted, items, n);
  else {
    before = g_malloc0 ((gsize) n * n);
    for (guint i = 0; i < n; i++)
      for (guint j = 0; j < n; j++)
        before[i * n + j] = i != j && comes_before (order, items, n, items[i], items[j]);
    for (guint i = 0; i < n; i++)
      if (!seen[i])
        visit (order, items, n, i, seen, before, sorted);
  }
  for (guint i = 0; i < sorted->len; i++) {
    guint region = dp_order_item (order, g_array_index (sorted, guint, i))->region;

    g_array_index (order->layout->regions, DpRegion, region).column = column;
    g_array_append_val (order->out, region);
  }
}

/* ---- the recursion ------------------------------------------------------------------------------------------ */

static void
emit_one (DpOrder *order, guint item, guint column)
{
  guint region = dp_order_item (order, item)->region;

  g_array_index (order->layout->regions, DpRegion, region).column = column;
  g_array_append_val (order->out, region);
}

/* Column after column of a group; the outermost cut gives the columns their numbers. */
static void
read_columns (DpOrder *order, const guint *items, guint n, guint n_columns, guint depth, guint column)
{
  g_autofree guint *side = g_new (guint, n);
  g_autofree guint *columns = g_new (guint, n);

  /* The recursion numbers the items anew. */
  for (guint i = 0; i < n; i++)
    columns[i] = dp_order_item (order, items[i])->column;
  for (guint c = 0; c < n_columns; c++) {
    guint count = 0;

    for (guint i = 0; i < n; i++)
      if (columns[i] == c)
        side[count++] = items[i];
    if (count)
      order_items (order, side, count, depth + 1, column == G_MAXUINT ? c : column);
  }
}

static void
read_group (DpOrder *order, guint *items, const GArray *bands, const Group *group, guint depth, guint column)
{
  const Band *first = &g_array_index (bands, Band, group->first), *last = first + group->n - 1;
  guint n = last->first + last->n - first->first, n_columns;
  guint *mine = items + first->first;
  float gap = G_MAXFLOAT;

  if (n == 1) {
    emit_one (order, mine[0], column);
    return;
  }
  if (!count_gutters (group->free, group->left, group->right)) {
    emit_topological (order, mine, n, column);
    return;
  }
  n_columns = number_columns (order, items, bands, group);
  for (guint b = 1; b < group->n; b++)
    gap = MIN (gap, first[b].top - first[b - 1].bottom);
  switch (dp_order_judge (order, mine, n, n_columns, group->n, gap)) {
  case DP_READ_ROWS: emit_rows (order, mine, n, column); break;
  case DP_READ_BANDS:
    if (group->n > 1) {
      for (guint b = 0; b < group->n; b++)
        order_items (order, items + first[b].first, first[b].n, depth + 1, column);
      break;
    }
    read_columns (order, mine, n, n_columns, depth, column);
    break;
  case DP_READ_COLUMNS: read_columns (order, mine, n, n_columns, depth, column); break;
  }
}

static void
order_items (DpOrder *order, guint *items, guint n, guint depth, guint column)
{
  g_autoptr (GArray) bands = NULL;

  if (n == 1) {
    emit_one (order, items[0], column);
    return;
  }
  if (depth > MAX_DEPTH) {
    emit_topological (order, items, n, column);
    return;
  }
  bands = find_bands (order, items, n);
  for (guint k = 0; k < bands->len;) {
    Group group = find_group (order, items, bands, k);

    read_group (order, items, bands, &group, depth, column);
    k += group.n;
    g_array_unref (group.free);
  }
}

/* ---- heads and feet -------------------------------------------------------------------------------------------- */

/* Number of bands at the top (step 1) or bottom (step -1) that are running heads or feet:
 * one-line pieces in the outer tenth of the page, with a gap to what follows. */
static guint
count_margin_bands (const DpOrder *order, const guint *items, const GArray *bands, gint step)
{
  gboolean turned = order->angle == 90 || order->angle == 270;
  DpRect page = dp_frame_rect ((DpRect){ 0, 0, order->layout->width, order->layout->height }, order->angle);
  float height = turned ? order->layout->width : order->layout->height;
  guint n = 0;

  for (guint k = 0; k < 2 && k < bands->len; k++) {
    guint b = step > 0 ? k : bands->len - 1 - k;
    const Band *band = &g_array_index (bands, Band, b);
    const Band *inner = k + 1 < bands->len ? band + step : NULL;

    if (!inner || (step > 0 ? band->bottom > page.y0 + 0.1f * height : band->top < page.y1 - 0.08f * height))
      break;
    if ((step > 0 ? inner->top - band->bottom : band->top - inner->bottom) < 0.5f * order->em)
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
  bands = find_bands (order, items, n);
  heads = count_margin_bands (order, items, bands, 1);
  feet = heads < bands->len ? MIN (count_margin_bands (order, items, bands, -1), bands->len - heads) : 0;
  for (guint b = 0; b < heads; b++) {
    const Band *band = &g_array_index (bands, Band, b);

    g_qsort_with_data (items + band->first, (gint) band->n, sizeof (guint), compare_lefts, order);
    for (guint i = 0; i < band->n; i++)
      emit_one (order, items[band->first + i], G_MAXUINT);
  }
  from = heads < bands->len ? g_array_index (bands, Band, heads).first : n;
  to = feet ? g_array_index (bands, Band, bands->len - feet).first : n;
  if (to > from)
    order_items (order, items + from, to - from, 0, G_MAXUINT);
  for (guint b = bands->len - feet; b < bands->len; b++) {
    const Band *band = &g_array_index (bands, Band, b);

    g_qsort_with_data (items + band->first, (gint) band->n, sizeof (guint), compare_lefts, order);
    for (guint i = 0; i < band->n; i++)
      emit_one (order, items[band->first + i], G_MAXUINT);
  }
}

/* ---- from and to the layout ---------------------------------------------------------------------------------------- */

static DpRect
order_box (const DpOrder *order, DpRect box)
{
  DpRect r = dp_frame_rect (box, order->angle);

  return order->rtl ? (DpRect){ -r.x1, r.y0, -r.x0, r.y1 } : r;
}

DpRect
dp_order_line_box (const DpOrder *order, const DpLine *line)
{
  return order_box (order, line->box);
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
  DpOrderItem item = { .box = order_box (order, region->box), .region = index, .layer = G_MAXUINT32 };
  guint n = region->lines ? region->lines->len : 0;

  item.is_text = region->kind == DP_REGION_TEXT || region->kind == DP_REGION_CODE;
  item.first_base = item.box.y0;
  for (guint i = 0; i < n; i++) {
    const DpLine *line = &g_array_index (order->layout->lines, DpLine, g_array_index (region->lines, guint, i));

    float width = dp_rect_width (dp_order_line_box (order, line)) / MAX (line->size, 0.5f);

    item.mean_width += width / (float) n;
    item.max_width = MAX (item.max_width, width);
    if (line->n_words)
      item.layer = MIN (item.layer, g_array_index (order->layout->words, DpWord, line->first_word).layer);
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

void
dp_layout_order (DpPageLayout *layout)
{
  DpOrder order = { .layout = layout };

  order.items = g_array_new (FALSE, TRUE, sizeof (DpOrderItem));
  order.out = g_array_new (FALSE, FALSE, sizeof (guint));
  order.em = layout->body_size > 0 ? layout->body_size : 10;
  order.pitch = layout->line_pitch > 0 ? layout->line_pitch : 1.2f * order.em;
  find_direction (&order);
  for (guint i = 0; i < layout->regions->len; i++)
    add_item (&order, i);
  order_page (&order);
  apply_order (&order);
  g_array_unref (order.items);
  g_array_unref (order.out);
}
