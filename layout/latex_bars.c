/* layout/latex_bars.c - bars among glyphs: fractions, radicals, over- and underlines.
 *
 * TeX makes a fraction's bar exactly as wide as the wider of its parts and centres both, and a
 * bar inside another fraction is shorter than the outer one: bars are taken from the shortest on,
 * and each finds finished parts only.  Distances: The TeXbook, appendix G, rules 11 and 15.
 */
#include "layout/latex_tree.h"

#include <math.h>

#define FIRST_GAP 0.75f /* em from a bar to the nearest ink of a part */
#define NEXT_GAP 0.32f  /* em inside a part; lines of an array stand farther apart */

/* ---- radicals -------------------------------------------------------------------------------- */

static DpMathNode *
find_radical (const GPtrArray *items, const DpRule *bar)
{
  DpMathNode *best = NULL;

  for (guint i = 0; i < items->len; i++) {
    DpMathNode *n = g_ptr_array_index (items, i);
    if (n->type != DP_NODE_LEAF || n->kind != DP_ATOM_RADICAL)
      continue;
    if (fabsf (n->box.x1 - bar->from) < 0.25f * n->size && fabsf (n->box.y0 - bar->pos) < 0.4f * n->size
        && (!best || fabsf (n->box.x1 - bar->from) < fabsf (best->box.x1 - bar->from)))
      best = n;
  }
  return best;
}

static void
take (GPtrArray *items, GPtrArray *taken)
{
  for (guint i = 0; i < taken->len; i++)
    g_ptr_array_remove_fast (items, g_ptr_array_index (taken, i));
}

static void
make_root (DpMathParser *parser, GPtrArray *items, const DpRule *bar, DpMathNode *radical)
{
  g_autoptr (GPtrArray) inside = g_ptr_array_new (), index = g_ptr_array_new ();
  DpMathNode *root = dp_math_node_new (parser, DP_NODE_ROOT);
  float em = radical->size;

  for (guint i = 0; i < items->len; i++) {
    DpMathNode *n = g_ptr_array_index (items, i);
    float cx = dp_rect_cx (n->box), cy = dp_rect_cy (n->box);
    if (n == radical)
      continue;
    if (cx > bar->from - 0.05f * em && cx < bar->to + 0.1f * em && cy > bar->pos - 0.05f * em && cy < radical->box.y1 + 0.2f * em)
      g_ptr_array_add (inside, n);
    else if (n->size < 0.75f * em && n->box.x1 > radical->box.x0 + 0.1f * em && n->box.x1 < radical->box.x0 + 0.65f * em
             && n->box.x0 > radical->box.x0 - 0.6f * em && cy > radical->box.y0 - 0.5f * em && cy < dp_rect_cy (radical->box))
      g_ptr_array_add (index, n);
  }
  take (items, inside);
  take (items, index);
  g_ptr_array_remove_fast (items, radical);
  root->size = dp_math_list_size (inside);
  if (!inside->len)
    parser->n_bad++;
  dp_math_node_add (root, dp_math_parse (parser, inside));
  root->base = ((DpMathNode *) g_ptr_array_index (root->kids, 0))->base;
  dp_math_node_add (root, index->len ? dp_math_parse (parser, index) : NULL);
  root->box = dp_rect_union (root->box, radical->box);
  root->box = dp_rect_union (root->box, (DpRect){ bar->from, bar->pos, bar->to, bar->pos });
  g_ptr_array_add (items, root);
  parser->structured = TRUE;
}

/* ---- fractions --------------------------------------------------------------------------------- */

static int
by_y0 (gconstpointer a, gconstpointer b)
{
  const DpMathNode *x = *(DpMathNode *const *) a, *y = *(DpMathNode *const *) b;

  return x->box.y0 < y->box.y0 ? -1 : x->box.y0 > y->box.y0;
}

static int
by_y1_up (gconstpointer a, gconstpointer b)
{
  const DpMathNode *x = *(DpMathNode *const *) a, *y = *(DpMathNode *const *) b;

  return x->box.y1 > y->box.y1 ? -1 : x->box.y1 < y->box.y1;
}

/* The item is nearer to one of the bars that are still to come, which runs over or under it. */
static gboolean
is_of_another (const DpMathNode *n, const DpRule *bar, const DpRule *later, guint n_later)
{
  float cx = dp_rect_cx (n->box), own = MAX (bar->pos - n->box.y1, n->box.y0 - bar->pos);

  if (own < FIRST_GAP * n->size)
    return FALSE;
  for (guint i = 0; i < n_later; i++)
    if (cx > later[i].from && cx < later[i].to && MAX (later[i].pos - n->box.y1, n->box.y0 - later[i].pos) < own)
      return TRUE;
  return FALSE;
}

/* What stands on one side of the bar, within its ends, without a gap; up: above it.  Lines of an
 * array may stand so close that the next bar's part comes without a gap. */
static GPtrArray *
part_of (const GPtrArray *items, const DpRule *bar, guint n_later, gboolean up)
{
  GPtrArray *part = g_ptr_array_new ();
  g_autoptr (GPtrArray) column = g_ptr_array_new ();
  float reach = bar->pos;

  for (guint i = 0; i < items->len; i++) {
    DpMathNode *n = g_ptr_array_index (items, i);
    float slack = 0.3f * n->size, cy = dp_rect_cy (n->box);
    if (n->box.x0 < bar->from - slack || n->box.x1 > bar->to + slack || dp_rect_cx (n->box) < bar->from || dp_rect_cx (n->box) > bar->to)
      continue;
    if (up ? cy < bar->pos && n->base < bar->pos + 0.1f * n->size : cy > bar->pos && n->base > bar->pos)
      g_ptr_array_add (column, n);
  }
  g_ptr_array_sort (column, up ? by_y1_up : by_y0);
  for (guint i = 0; i < column->len; i++) {
    DpMathNode *n = g_ptr_array_index (column, i);
    float gap = up ? reach - n->box.y1 : n->box.y0 - reach;
    if (gap > (part->len ? NEXT_GAP : FIRST_GAP) * n->size || is_of_another (n, bar, bar + 1, n_later))
      break;
    /* A whole fraction under the first line of a part is one of the next line. */
    if (part->len && gap > 0 && n->type == DP_NODE_FRACTION)
      break;
    g_ptr_array_add (part, n);
    reach = up ? MIN (reach, n->box.y0) : MAX (reach, n->box.y1);
  }
  return part;
}

static DpRect
list_box (const GPtrArray *list)
{
  DpRect box = ((DpMathNode *) g_ptr_array_index (list, 0))->box;

  for (guint i = 1; i < list->len; i++)
    box = dp_rect_union (box, ((DpMathNode *) g_ptr_array_index (list, i))->box);
  return box;
}

static gboolean
is_centred (const GPtrArray *part, const DpRule *bar)
{
  DpRect box = list_box (part);
  float em = dp_math_list_size (part), length = bar->to - bar->from;

  return fabsf (dp_rect_cx (box) - 0.5f * (bar->from + bar->to)) < 0.3f * em + 0.06f * length;
}

static void
make_fraction (DpMathParser *parser, GPtrArray *items, const DpRule *bar, GPtrArray *above, GPtrArray *below)
{
  DpMathNode *fraction = dp_math_node_new (parser, DP_NODE_FRACTION);

  take (items, above);
  take (items, below);
  fraction->size = MAX (dp_math_list_size (above), dp_math_list_size (below));
  fraction->base = bar->pos + 0.25f * fraction->size; /* the bar lies on the axis */
  dp_math_node_add (fraction, dp_math_parse (parser, above));
  dp_math_node_add (fraction, dp_math_parse (parser, below));
  fraction->box = dp_rect_union (fraction->box, (DpRect){ bar->from, bar->pos, bar->to, bar->pos });
  g_ptr_array_add (items, fraction);
  parser->structured = TRUE;
}

static void
make_line (DpMathParser *parser, GPtrArray *items, const DpRule *bar, GPtrArray *part, gunichar accent)
{
  DpMathNode *line = dp_math_node_new (parser, DP_NODE_ACCENT);

  take (items, part);
  line->ch = accent;
  line->size = dp_math_list_size (part);
  dp_math_node_add (line, dp_math_parse (parser, part));
  line->base = ((DpMathNode *) g_ptr_array_index (line->kids, 0))->base;
  line->box = dp_rect_union (line->box, (DpRect){ bar->from, bar->pos, bar->to, bar->pos });
  g_ptr_array_add (items, line);
  parser->structured = TRUE;
}

/* bar: followed in memory by n_later longer ones. */
static void
apply_bar (DpMathParser *parser, GPtrArray *items, const DpRule *bar, guint n_later)
{
  DpMathNode *radical = find_radical (items, bar);
  g_autoptr (GPtrArray) above = NULL, below = NULL;
  float em, gap;

  if (radical) {
    make_root (parser, items, bar, radical);
    return;
  }
  above = part_of (items, bar, n_later, TRUE);
  below = part_of (items, bar, n_later, FALSE);
  if (above->len && below->len && is_centred (above, bar) && is_centred (below, bar)) {
    make_fraction (parser, items, bar, above, below);
    return;
  }
  if (below->len) {
    em = dp_math_list_size (below);
    gap = list_box (below).y0 - bar->pos;
    if (gap < 0.4f * em && is_centred (below, bar)) {
      make_line (parser, items, bar, below, 0x0305);
      return;
    }
  }
  if (above->len) {
    em = dp_math_list_size (above);
    gap = bar->pos - list_box (above).y1;
    if (gap < 0.4f * em && is_centred (above, bar)) {
      make_line (parser, items, bar, above, 0x0332);
      return;
    }
  }
  parser->n_bad++;
}

static int
by_length (gconstpointer a, gconstpointer b)
{
  const DpRule *x = a, *y = b;
  float lx = x->to - x->from, ly = y->to - y->from;

  return lx < ly ? -1 : lx > ly;
}

void
dp_math_bars (DpMathParser *parser, GPtrArray *items, const DpRule *bars, guint n_bars)
{
  g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof (DpRule));

  if (n_bars)
    g_array_append_vals (sorted, bars, n_bars);
  g_array_sort (sorted, by_length);
  for (guint i = 0; i < sorted->len; i++)
    apply_bar (parser, items, &g_array_index (sorted, DpRule, i), sorted->len - i - 1);
}
