/* layout/table_components.c - rules and edges of fills that touch each other.
 *
 * Each component may be the grid of one table.  Zebra stripes are components of their own,
 * with a white row between each two: those that lie under each other are joined.
 */
#include <math.h>

#include "layout/table_lattice.h"

#define MAX_TESTS 20000000u /* pairs of rules looked at on one page */

/* ---- components ------------------------------------------------------------------------------ */

static void
component_clear (gpointer data)
{
  DpRuleComponent *c = data;

  g_array_unref (c->h);
  g_array_unref (c->v);
}

static guint
root_of (guint *parent, guint i)
{
  while (parent[i] != i)
    i = parent[i] = parent[parent[i]];
  return i;
}

/* Joins rules that cross or touch; parent has a place per horizontal, then per vertical rule. */
static gboolean
join_crossing (const GArray *h, const GArray *v, guint *parent)
{
  guint tests = 0;

  for (guint i = 0; i < h->len; i++) {
    const DpRule *a = &g_array_index (h, DpRule, i);
    for (guint k = dp_rules_from (v, a->from - DP_LATTICE_TOUCH); k < v->len; k++) {
      const DpRule *b = &g_array_index (v, DpRule, k);
      if (b->pos > a->to + DP_LATTICE_TOUCH)
        break;
      if (++tests > MAX_TESTS)
        return FALSE;
      if (b->from - DP_LATTICE_TOUCH <= a->pos && b->to + DP_LATTICE_TOUCH >= a->pos)
        parent[root_of (parent, i)] = root_of (parent, h->len + k);
    }
  }
  return TRUE;
}

static void
component_add (DpRuleComponent *c, const DpRule *r, gboolean vertical)
{
  DpRect box = vertical ? (DpRect){ r->pos, r->from, r->pos, r->to } : (DpRect){ r->from, r->pos, r->to, r->pos };

  c->box = c->h->len + c->v->len ? dp_rect_union (c->box, box) : box;
  g_array_append_val (vertical ? c->v : c->h, *r);
}

static int
by_area_down (gconstpointer a, gconstpointer b)
{
  float x = dp_rect_area (((const DpRuleComponent *) a)->box), y = dp_rect_area (((const DpRuleComponent *) b)->box);

  return x > y ? -1 : x < y;
}

static GArray *
find_components (const GArray *h, const GArray *v)
{
  GArray *components = g_array_new (FALSE, TRUE, sizeof (DpRuleComponent));
  g_autofree guint *parent = g_new (guint, h->len + v->len + 1);
  g_autofree guint *number = g_new (guint, h->len + v->len + 1);

  g_array_set_clear_func (components, component_clear);
  for (guint i = 0; i < h->len + v->len; i++)
    parent[i] = i, number[i] = G_MAXUINT;
  if (!join_crossing (h, v, parent))
    return components;
  for (guint i = 0; i < h->len + v->len; i++) {
    guint root = root_of (parent, i);
    const DpRule *r = i < h->len ? &g_array_index (h, DpRule, i) : &g_array_index (v, DpRule, i - h->len);
    if (number[root] == G_MAXUINT) {
      DpRuleComponent c = { g_array_new (FALSE, FALSE, sizeof (DpRule)), g_array_new (FALSE, FALSE, sizeof (DpRule)), { 0, 0, 0, 0 } };
      number[root] = components->len;
      g_array_append_val (components, c);
    }
    component_add (&g_array_index (components, DpRuleComponent, number[root]), r, i >= h->len);
  }
  g_array_sort (components, by_area_down);
  return components;
}

/* The rules of a view and the edges of its fills, joined. */
static void
collect_edges (const DpTableView *view, GArray *h, GArray *v)
{
  g_array_append_vals (h, view->hrules->data, view->hrules->len);
  g_array_append_vals (v, view->vrules->data, view->vrules->len);
  g_array_append_vals (h, view->hedges->data, view->hedges->len);
  g_array_append_vals (v, view->vedges->data, view->vedges->len);
  dp_rules_join (h);
  dp_rules_join (v);
}

/* ---- stripes --------------------------------------------------------------------------------------- */

/* Continues the vertical rules of `above` that end at its foot down to y, where also `below` has them. */
/* Continues the vertical rules of `above` that end at its foot down to y, where also `below` has them. */
static void
bridge (DpRuleComponent *above, const DpRuleComponent *below, float y)
{
  guint n = above->v->len;

  for (guint i = 0; i < n; i++) {
    DpRule r = g_array_index (above->v, DpRule, i);
    guint k = below ? dp_rules_from (below->v, r.pos - DP_LATTICE_SNAP) : 0;
    if (r.to < above->box.y1 - DP_LATTICE_SNAP
        || (below && (k >= below->v->len || g_array_index (below->v, DpRule, k).pos > r.pos + DP_LATTICE_SNAP)))
      continue;
    r.from = above->box.y1;
    r.to = y;
    g_array_append_val (above->v, r);
  }
}

static int
by_pos (gconstpointer a, gconstpointer b)
{
  const DpRule *x = a, *y = b;

  return x->pos < y->pos ? -1 : x->pos > y->pos;
}

/* Zebra stripes: the white row between two filled ones belongs to the table. */
static gboolean
join_stripes (const DpTableView *view, DpRuleComponent *above, const DpRuleComponent *below)
{
  float gap = below->box.y0 - above->box.y1, row = MIN (dp_rect_height (above->box), dp_rect_height (below->box));
  DpRect between = { above->box.x0 - 1, above->box.y1, above->box.x1 + 1, below->box.y0 };
  g_autoptr (GArray) words = NULL;

  if (g_array_index (above->h, DpRule, above->h->len - 1).thickness > 0 || g_array_index (below->h, DpRule, 0).thickness > 0)
    return FALSE; /* a drawn rule ends a table, the side of a fill need not */
  if (fabsf (above->box.x0 - below->box.x0) > DP_LATTICE_SNAP || fabsf (above->box.x1 - below->box.x1) > DP_LATTICE_SNAP || gap < -1
      || gap > 1.8f * row || gap > 80)
    return FALSE;
  words = dp_table_view_words (view, between);
  if (gap > 6 && words->len == 0)
    return FALSE;
  bridge (above, below, below->box.y0);
  g_array_append_vals (above->h, below->h->data, below->h->len);
  g_array_append_vals (above->v, below->v->data, below->v->len);
  g_array_sort (above->h, by_pos);
  g_array_sort (above->v, by_pos);
  above->box = dp_rect_union (above->box, below->box);
  return TRUE;
}

static int
by_top (gconstpointer a, gconstpointer b)
{
  const DpRuleComponent *x = *(DpRuleComponent *const *) a, *y = *(DpRuleComponent *const *) b;

  return x->box.y0 < y->box.y0 ? -1 : x->box.y0 > y->box.y0;
}

/* The row below the last filled one: its text stands in the columns, nothing frames it. */
static void
add_last_stripe (const DpTableView *view, DpRuleComponent *c)
{
  const DpRule *foot = &g_array_index (c->h, DpRule, c->h->len - 1);
  float row = c->h->len > 1 ? foot->pos - foot[-1].pos : 0;
  DpRect below = { c->box.x0 - 30, c->box.y1, c->box.x1 + 30, c->box.y1 + 1.1f * row };
  g_autoptr (GArray) words = NULL;
  g_autoptr (DpTableText) text = NULL;
  guint filled = 0, columns = 0;

  if (foot->thickness > 0 || row < 6 || row > 60)
    return;
  words = dp_table_view_words (view, below);
  text = dp_table_text_new (words);
  for (guint i = 0; i < c->v->len; i++) {
    const DpRule *r = &g_array_index (c->v, DpRule, i);
    if (r->to < c->box.y1 - DP_LATTICE_SNAP)
      continue;
    columns++;
    for (guint k = 0; k < text->fragments->len; k++) {
      const DpTableFragment *f = &g_array_index (text->fragments, DpTableFragment, k);
      if ((f->x0 < r->pos - 1 && f->x1 > r->pos + 1) || f->x0 < c->box.x0 - 1 || f->x1 > c->box.x1 + 1)
        return;
    }
  }
  filled = text->fragments->len;
  if (columns < 4 || filled * 2 < columns || text->lines->len > 2)
    return;
  bridge (c, NULL, c->box.y1 + row);
  c->box.y1 += row;
  const DpRule end = { c->box.y1, c->box.x0, c->box.x1, 0, 0 };
  g_array_append_val (c->h, end);
  g_array_sort (c->v, by_pos);
}

/* Joins components that are stripes of one table; what has been joined is left without rules. */
static void
join_components (const DpTableView *view, GArray *components)
{
  g_autoptr (GPtrArray) order = g_ptr_array_new ();

  for (guint i = 0; i < components->len && i < DP_MAX_COMPONENTS; i++) {
    DpRuleComponent *c = &g_array_index (components, DpRuleComponent, i);
    if (c->h->len && c->v->len && dp_rect_width (c->box) > 40 && dp_rect_height (c->box) > 6)
      g_ptr_array_add (order, c);
  }
  g_ptr_array_sort (order, by_top);
  for (guint i = 0; i < order->len; i++) {
    DpRuleComponent *above = g_ptr_array_index (order, i);
    gboolean joined = FALSE;
    for (guint k = i + 1; k < order->len && above->h->len; k++) {
      DpRuleComponent *below = g_ptr_array_index (order, k);
      if (below->h->len && join_stripes (view, above, below)) {
        g_array_set_size (below->h, 0);
        g_array_set_size (below->v, 0);
        joined = TRUE;
      }
    }
    if (joined)
      add_last_stripe (view, above);
  }
}

GArray *
dp_rule_components (const DpTableView *view)
{
  g_autoptr (GArray) h = g_array_new (FALSE, FALSE, sizeof (DpRule));
  g_autoptr (GArray) v = g_array_new (FALSE, FALSE, sizeof (DpRule));
  GArray *components;

  collect_edges (view, h, v);
  components = find_components (h, v);
  join_components (view, components);
  return components;
}
