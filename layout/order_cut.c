/* layout/order_cut.c - the recursive XY-cut.
 *
 * Groups of bands with a gutter are read as order_judge.c says; what neither line parts goes
 * by the topological order of Breuel (2003): a before b if it lies above and they overlap
 * sideways, or if it lies to the left and nothing between them overlaps both.
 */
#include "layout/order.h"

#include "layout/frame.h"

#include <stdlib.h>

#define MAX_DEPTH 40
#define MAX_TOPOLOGICAL 120 /* blocks: the rule looks at triples */

static void order_items (DpOrder *order, guint *items, guint n, guint depth, guint column);

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
      RowLine row = { dp_frame_base (line->baseline, order->angle), dp_order_box (order, line->box).x0, index, line->size };

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

  g_qsort_with_data (items, (gint) n, sizeof (guint), dp_order_compare_tops, order);
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

/* ---- blocks across a gutter --------------------------------------------------------------- */

void
dp_order_insert (DpOrder *order, guint from, guint region)
{
  DpRect box = dp_order_box (order, g_array_index (order->layout->regions, DpRegion, region).box);
  guint at = order->out->len;

  for (guint k = from; k < order->out->len; k++) {
    DpRect other = dp_order_box (order, g_array_index (order->layout->regions, DpRegion, g_array_index (order->out, guint, k)).box);

    if (dp_rect_inside (other, box) > 0.6f || (dp_rect_overlap_x (other, box) > 1 && other.y0 >= dp_rect_cy (box))) {
      at = k;
      break;
    }
  }
  g_array_index (order->layout->regions, DpRegion, region).column = G_MAXUINT;
  g_array_insert_val (order->out, at, region);
}

typedef struct {
  guint left, right, across;     /* items */
  guint left_lines, right_lines; /* text lines */
  float left_y0, left_y1, right_y0, right_y1;
} Sides;

static Sides
sides_of (const DpOrder *order, const guint *items, guint n, float from, float to)
{
  Sides s = { .left_y0 = G_MAXFLOAT, .left_y1 = -G_MAXFLOAT, .right_y0 = G_MAXFLOAT, .right_y1 = -G_MAXFLOAT };

  for (guint i = 0; i < n; i++) {
    const DpOrderItem *item = dp_order_item (order, items[i]);

    if (item->box.x1 <= from + 0.01f) {
      s.left++;
      s.left_lines += item->n_lines;
      s.left_y0 = MIN (s.left_y0, item->box.y0);
      s.left_y1 = MAX (s.left_y1, item->box.y1);
    } else if (item->box.x0 >= to - 0.01f) {
      s.right++;
      s.right_lines += item->n_lines;
      s.right_y0 = MIN (s.right_y0, item->box.y0);
      s.right_y1 = MAX (s.right_y1, item->box.y1);
    } else
      s.across++;
  }
  return s;
}

/* Pull quotes, figures and titles that stand in the way of a gutter: if a few blocks less
 * leave columns that run beside each other, those are cut and the few put in afterwards. */
static gboolean
cut_around (DpOrder *order, guint *items, guint n, guint depth, guint column)
{
  float least = 0.6f * order->em, best_at = 0;
  guint best = G_MAXUINT, from = order->out->len, kept = 0;
  g_autofree guint *across = NULL;

  if (n < 3 || n > MAX_TOPOLOGICAL)
    return FALSE;
  for (guint i = 0; i < n; i++) {
    float x = dp_order_item (order, items[i])->box.x1;
    Sides s = sides_of (order, items, n, x, x + least);
    float shared = MIN (s.left_y1, s.right_y1) - MAX (s.left_y0, s.right_y0);

    if (!s.left || !s.right || !s.across || s.across > MAX (1, n / 4) || s.across >= best || s.left_lines < 3 || s.right_lines < 3)
      continue;
    if (shared < 0.5f * MIN (s.left_y1 - s.left_y0, s.right_y1 - s.right_y0))
      continue;
    best = s.across;
    best_at = x;
  }
  if (best == G_MAXUINT)
    return FALSE;
  across = g_new (guint, best);
  for (guint i = 0, k = 0; i < n; i++) {
    DpRect box = dp_order_item (order, items[i])->box;

    if (box.x1 <= best_at + 0.01f || box.x0 >= best_at + least - 0.01f)
      items[kept++] = items[i];
    else
      across[k++] = dp_order_item (order, items[i])->region;
  }
  order_items (order, items, kept, depth + 1, column);
  for (guint k = 0; k < best; k++)
    dp_order_insert (order, from, across[k]);
  return TRUE;
}

/* ---- the recursion ------------------------------------------------------------------------------------------ */

void
dp_order_emit (DpOrder *order, guint item, guint column)
{
  guint region = dp_order_item (order, item)->region;

  g_array_index (order->layout->regions, DpRegion, region).column = column;
  g_array_append_val (order->out, region);
}

/* Column after column of a group; the outermost cut counts the columns from 0, and a column that is cut
 * again keeps its number for the first part and gets new ones for the others. */
static void
read_columns (DpOrder *order, const guint *items, guint n, guint n_columns, guint depth, guint column)
{
  g_autofree guint *side = g_new (guint, n);
  g_autofree guint *columns = g_new (guint, n);

  /* The recursion numbers the items anew. */
  for (guint i = 0; i < n; i++)
    columns[i] = dp_order_item (order, items[i])->column;
  order->n_columns = MAX (order->n_columns, column == G_MAXUINT ? n_columns : column + 1);
  for (guint c = 0; c < n_columns; c++) {
    guint count = 0, number = column == G_MAXUINT ? c : c == 0 ? column : order->n_columns++;

    for (guint i = 0; i < n; i++)
      if (columns[i] == c)
        side[count++] = items[i];
    if (count)
      order_items (order, side, count, depth + 1, number);
  }
}

static void
read_group (DpOrder *order, guint *items, const GArray *bands, const DpOrderGroup *group, guint depth, guint column)
{
  const DpOrderBand *first = &g_array_index (bands, DpOrderBand, group->first), *last = first + group->n - 1;
  guint n = last->first + last->n - first->first, n_columns;
  guint *mine = items + first->first;
  float gap = G_MAXFLOAT;

  if (n == 1) {
    dp_order_emit (order, mine[0], column);
    return;
  }
  if (!dp_order_count_gutters (group)) {
    if (!cut_around (order, mine, n, depth, column))
      emit_topological (order, mine, n, column);
    return;
  }
  n_columns = dp_order_number_columns (order, items, bands, group);
  for (guint b = 1; b < group->n; b++)
    gap = MIN (gap, first[b].top - first[b - 1].bottom);
  switch (dp_order_is_ruled (order, bands, group) ? DP_READ_COLUMNS : dp_order_judge (order, mine, n, n_columns, group->n, gap)) {
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
    dp_order_emit (order, items[0], column);
    return;
  }
  if (depth > MAX_DEPTH) {
    emit_topological (order, items, n, column);
    return;
  }
  bands = dp_order_find_bands (order, items, n);
  for (guint k = 0; k < bands->len;) {
    DpOrderGroup group = dp_order_find_group (order, items, bands, k);

    read_group (order, items, bands, &group, depth, column);
    k += group.n;
    g_array_unref (group.free);
  }
}

void
dp_order_cut (DpOrder *order, guint *items, guint n)
{
  if (n)
    order_items (order, items, n, 0, G_MAXUINT);
}
