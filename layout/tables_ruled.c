/* layout/tables_ruled.c - tables drawn with rules or cell fills.
 *
 * Rules and the edges of fills that touch form a component; where they cross lie the
 * borders of rows and columns; a border that is missing between two places makes a span.
 * The search for smallest rectangles with continuous sides is pdfplumber's and
 * tabula-java's; open sides are closed by the component's outline as in PyMuPDF; camelot
 * taught to reject near-empty grids, and to keep a complete grid rather than to cut it by
 * text.  A grid that holds many more lines of data than rows goes to the solver of frames.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layout/tables.h"

#define TOUCH 4.0f          /* rules this far apart still cross: corners are often left open */
#define SNAP 3.0f           /* borders closer than this are one */
#define SLIVER 8.0f         /* a column without text narrower than this is a double border */
#define MAX_TESTS 20000000u /* pairs of rules looked at on one page */
#define MAX_COMPONENTS 256u
#define MAX_PLACES 50000u

/* ---- components ------------------------------------------------------------------------------ */

typedef struct {
  GArray *h, *v; /* DpRule */
  DpRect box;
} Component;

static void
component_clear (gpointer data)
{
  Component *c = data;

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

static guint
first_at (const GArray *rules, float pos)
{
  guint low = 0, high = rules->len;

  while (low < high) {
    guint mid = (low + high) / 2;
    if (g_array_index (rules, DpRule, mid).pos < pos)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

/* Joins rules that cross or touch; parent has a place per horizontal, then per vertical rule. */
static gboolean
join_crossing (const GArray *h, const GArray *v, guint *parent)
{
  guint tests = 0;

  for (guint i = 0; i < h->len; i++) {
    const DpRule *a = &g_array_index (h, DpRule, i);
    for (guint k = first_at (v, a->from - TOUCH); k < v->len; k++) {
      const DpRule *b = &g_array_index (v, DpRule, k);
      if (b->pos > a->to + TOUCH)
        break;
      if (++tests > MAX_TESTS)
        return FALSE;
      if (b->from - TOUCH <= a->pos && b->to + TOUCH >= a->pos)
        parent[root_of (parent, i)] = root_of (parent, h->len + k);
    }
  }
  return TRUE;
}

static void
component_add (Component *c, const DpRule *r, gboolean vertical)
{
  DpRect box = vertical ? (DpRect){ r->pos, r->from, r->pos, r->to } : (DpRect){ r->from, r->pos, r->to, r->pos };

  c->box = c->h->len + c->v->len ? dp_rect_union (c->box, box) : box;
  g_array_append_val (vertical ? c->v : c->h, *r);
}

static int
by_area_down (gconstpointer a, gconstpointer b)
{
  float x = dp_rect_area (((const Component *) a)->box), y = dp_rect_area (((const Component *) b)->box);

  return x > y ? -1 : x < y;
}

static GArray *
find_components (const GArray *h, const GArray *v)
{
  GArray *components = g_array_new (FALSE, TRUE, sizeof (Component));
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
      Component c = { g_array_new (FALSE, FALSE, sizeof (DpRule)), g_array_new (FALSE, FALSE, sizeof (DpRule)), { 0, 0, 0, 0 } };
      number[root] = components->len;
      g_array_append_val (components, c);
    }
    component_add (&g_array_index (components, Component, number[root]), r, i >= h->len);
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

/* ---- the lattice of one component --------------------------------------------------------------- */

typedef struct {
  GArray *xs, *ys; /* float */
  guint8 *left;    /* n_rows x (n_cols + 1): the border left of a place is drawn */
  guint8 *top;     /* (n_rows + 1) x n_cols */
  guint n_cols, n_rows;
} Lattice;

static void
lattice_clear (Lattice *l)
{
  g_array_unref (l->xs);
  g_array_unref (l->ys);
  g_free (l->left);
  g_free (l->top);
}

/* Positions of the rules, those within SNAP as one, and the ends of the rules across. */
static GArray *
cluster_positions (const GArray *rules, float low, float high)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (float));

  for (guint i = 0; i < rules->len;) {
    float first = g_array_index (rules, DpRule, i).pos;
    double sum = 0, weight = 0;
    for (; i < rules->len && g_array_index (rules, DpRule, i).pos - first <= SNAP; i++) {
      const DpRule *r = &g_array_index (rules, DpRule, i);
      double w = MAX (r->to - r->from, 0.1f);
      sum += r->pos * w;
      weight += w;
    }
    const float x = (float) (sum / weight);
    g_array_append_val (out, x);
  }
  if (!out->len || low < g_array_index (out, float, 0) - 6)
    g_array_prepend_val (out, low);
  if (high > g_array_index (out, float, out->len - 1) + 6)
    g_array_append_val (out, high);
  return out;
}

/* Drops borders whose band on one side is a sliver, or an outer band, without any word. */
static void
drop_empty_bands (GArray *borders, const GArray *words, gboolean columns, float sliver, gboolean open_first, gboolean open_last)
{
  g_autofree guint *count = g_new0 (guint, borders->len + 1);
  guint kept = 1, n = borders->len;

  if (n < 3)
    return;
  for (guint i = 0; i < words->len; i++) {
    DpRect box = g_array_index (words, DpTableWord, i).box;
    float at = columns ? dp_rect_cx (box) : dp_rect_cy (box);
    guint low = 0, high = n - 1;
    while (high - low > 1) {
      guint mid = (low + high) / 2;
      *(g_array_index (borders, float, mid) <= at ? &low : &high) = mid;
    }
    count[low]++;
  }
  /* band i lies between borders i and i + 1 */
  for (guint i = 1; i < n; i++) {
    float width = g_array_index (borders, float, i) - g_array_index (borders, float, i - 1);
    gboolean outer = (i == 1 && open_first) || (i == n - 1 && open_last);
    float x = g_array_index (borders, float, i);
    if (count[i - 1] == 0 && (width < sliver || outer)) {
      if (i == 1 && outer) {
        g_array_index (borders, float, 0) = x; /* starts at the first drawn border */
        continue;
      }
      if (i == n - 1 && outer)
        continue; /* ends at the last drawn one */
      if (i == n - 1 && kept > 1)
        g_array_index (borders, float, kept - 1) = x; /* the outer border stays */
      if (i == n - 1 || width < sliver)
        continue;
    }
    g_array_index (borders, float, kept++) = x;
  }
  g_array_set_size (borders, kept);
}

static guint
nearest (const GArray *borders, float x)
{
  guint low = 0, high = borders->len - 1;

  while (high - low > 1) {
    guint mid = (low + high) / 2;
    *(g_array_index (borders, float, mid) <= x ? &low : &high) = mid;
  }
  return x - g_array_index (borders, float, low) <= g_array_index (borders, float, high) - x ? low : high;
}

/* Adds to cover[] how much of each band between borders a rule runs along. */
static void
add_cover (const GArray *borders, const DpRule *r, float *cover, gsize stride)
{
  for (guint i = 0; i + 1 < borders->len; i++) {
    float a = g_array_index (borders, float, i), b = g_array_index (borders, float, i + 1);
    if (b > r->from && a < r->to)
      cover[i * stride] += (MIN (b, r->to) - MAX (a, r->from)) / MAX (b - a, 0.1f);
  }
}

/* Says which sides of places are drawn: a rule runs along half of them or more. */
static void
draw_borders (const Component *c, Lattice *l)
{
  gsize n_left = (gsize) l->n_rows * (l->n_cols + 1), n_top = (gsize) (l->n_rows + 1) * l->n_cols;
  g_autofree float *cover = g_new0 (float, MAX (n_left, n_top));

  for (guint i = 0; i < c->v->len; i++) {
    const DpRule *r = &g_array_index (c->v, DpRule, i);
    add_cover (l->ys, r, cover + nearest (l->xs, r->pos), l->n_cols + 1);
  }
  l->left = g_new0 (guint8, n_left);
  for (gsize i = 0; i < n_left; i++)
    l->left[i] = cover[i] >= 0.5f;
  memset (cover, 0, sizeof (float) * MAX (n_left, n_top));
  for (guint i = 0; i < c->h->len; i++) {
    const DpRule *r = &g_array_index (c->h, DpRule, i);
    add_cover (l->xs, r, cover + (gsize) nearest (l->ys, r->pos) * l->n_cols, 1);
  }
  l->top = g_new0 (guint8, n_top);
  for (gsize i = 0; i < n_top; i++)
    l->top[i] = cover[i] >= 0.5f;
}

/* Removes inner borders that no place has on its side: ticks and stubs made them. */
static gboolean
drop_unused_borders (Lattice *l)
{
  guint kept = 1, n = l->xs->len + l->ys->len;

  for (guint x = 1; x <= l->n_cols; x++) {
    gboolean used = x == l->n_cols;
    for (guint r = 0; r < l->n_rows && !used; r++)
      used = l->left[(gsize) r * (l->n_cols + 1) + x];
    if (used)
      g_array_index (l->xs, float, kept++) = g_array_index (l->xs, float, x);
  }
  g_array_set_size (l->xs, kept);
  kept = 1;
  for (guint y = 1; y <= l->n_rows; y++) {
    gboolean used = y == l->n_rows;
    for (guint c = 0; c < l->n_cols && !used; c++)
      used = l->top[(gsize) y * l->n_cols + c];
    if (used)
      g_array_index (l->ys, float, kept++) = g_array_index (l->ys, float, y);
  }
  g_array_set_size (l->ys, kept);
  return l->xs->len + l->ys->len < n;
}

static gboolean
lattice_make (const Component *c, const GArray *words, Lattice *l)
{
  l->xs = cluster_positions (c->v, c->box.x0, c->box.x1);
  l->ys = cluster_positions (c->h, c->box.y0, c->box.y1);
  drop_empty_bands (l->xs, words, TRUE, SLIVER, g_array_index (c->v, DpRule, 0).pos > c->box.x0 + 6,
                    g_array_index (c->v, DpRule, c->v->len - 1).pos < c->box.x1 - 6);
  drop_empty_bands (l->ys, words, FALSE, 5, g_array_index (c->h, DpRule, 0).pos > c->box.y0 + 6,
                    g_array_index (c->h, DpRule, c->h->len - 1).pos < c->box.y1 - 6);
  for (guint pass = 0; pass < 3; pass++) {
    if (l->xs->len < 2 || l->ys->len < 2 || (gsize) (l->xs->len - 1) * (l->ys->len - 1) > MAX_PLACES)
      return FALSE;
    l->n_cols = l->xs->len - 1;
    l->n_rows = l->ys->len - 1;
    g_clear_pointer (&l->left, g_free);
    g_clear_pointer (&l->top, g_free);
    draw_borders (c, l);
    if (pass == 2 || !drop_unused_borders (l))
      break;
  }
  return TRUE;
}

/* ---- lattice to cells ------------------------------------------------------------------------------ */

static gboolean
left_of (const Lattice *l, guint row, guint col)
{
  return l->left[(gsize) row * (l->n_cols + 1) + col];
}

static gboolean
top_of (const Lattice *l, guint row, guint col)
{
  return l->top[(gsize) row * l->n_cols + col];
}

/* The largest rectangle of places from (row, col) without a border inside, right first, then down. */
static DpGridCell
grow_cell (const Lattice *l, const guint8 *used, guint row, guint col)
{
  DpGridCell cell = { row, col, 1, 1 };

  while (col + cell.col_span < l->n_cols && !left_of (l, row, col + cell.col_span) && !used[(gsize) row * l->n_cols + col + cell.col_span])
    cell.col_span++;
  for (guint r = row + 1; r < l->n_rows; r++) {
    for (guint c = col; c < col + cell.col_span; c++)
      if (top_of (l, r, c) || used[(gsize) r * l->n_cols + c] || (c > col && left_of (l, r, c)))
        return cell;
    /* the sides go on as they are */
    if (left_of (l, r, col) != left_of (l, row, col) && col > 0)
      return cell;
    if (col + cell.col_span < l->n_cols && !left_of (l, r, col + cell.col_span))
      return cell;
    cell.row_span++;
  }
  return cell;
}

static DpGrid *
lattice_to_grid (const Lattice *l)
{
  DpGrid *grid = dp_grid_new ();
  g_autofree guint8 *used = g_new0 (guint8, (gsize) l->n_rows * l->n_cols + 1);

  g_array_append_vals (grid->xs, l->xs->data, l->xs->len);
  g_array_append_vals (grid->ys, l->ys->data, l->ys->len);
  for (guint row = 0; row < l->n_rows; row++)
    for (guint col = 0; col < l->n_cols; col++) {
      DpGridCell cell;
      if (used[(gsize) row * l->n_cols + col])
        continue;
      cell = grow_cell (l, used, row, col);
      for (guint r = row; r < row + cell.row_span; r++)
        memset (used + (gsize) r * l->n_cols + col, 1, cell.col_span);
      g_array_append_val (grid->cells, cell);
    }
  return grid;
}

/* ---- borders that only text shows ------------------------------------------------------------- */

/* Draws the borders inside a cell over several columns where its text keeps clear of them:
 * rows ruled all around, columns only in the header. */
static gboolean
split_cell (Lattice *l, const DpGridCell *cell, const GArray *words)
{
  DpRect box = { g_array_index (l->xs, float, cell->col), g_array_index (l->ys, float, cell->row),
                 g_array_index (l->xs, float, cell->col + cell->col_span), g_array_index (l->ys, float, cell->row + cell->row_span) };
  g_autoptr (GArray) inside = g_array_new (FALSE, FALSE, sizeof (DpTableWord));
  g_autoptr (DpTableText) text = NULL;
  gboolean split = FALSE;

  for (guint i = 0; i < words->len; i++) {
    DpTableWord w = g_array_index (words, DpTableWord, i);
    if (dp_rect_contains_point (box, dp_rect_cx (w.box), dp_rect_cy (w.box)))
      g_array_append_val (inside, w);
  }
  text = dp_table_text_new (inside);
  for (guint c = cell->col + 1; c < cell->col + cell->col_span; c++) {
    float x = g_array_index (l->xs, float, c);
    gboolean crossed = FALSE, parted = FALSE;
    for (guint i = 0; i < text->lines->len; i++) {
      const DpTableLine *line = &g_array_index (text->lines, DpTableLine, i);
      gboolean before = FALSE;
      for (guint k = 0; k < line->n; k++) {
        const DpTableFragment *f = &g_array_index (text->fragments, DpTableFragment, line->first + k);
        crossed = crossed || (f->x0 < x - 1 && f->x1 > x + 1);
        parted = parted || (before && f->x0 >= x - 1);
        before = before || f->x1 <= x + 1;
      }
    }
    for (guint r = cell->row; !crossed && parted && r < cell->row + cell->row_span; r++)
      l->left[(gsize) r * (l->n_cols + 1) + c] = 1, split = TRUE;
  }
  return split;
}

static DpGrid *
make_grid (Lattice *l, const GArray *words)
{
  DpGrid *grid = lattice_to_grid (l);
  gboolean split = FALSE;

  for (guint i = 0; i < grid->cells->len; i++) {
    const DpGridCell *cell = &g_array_index (grid->cells, DpGridCell, i);
    if (cell->col_span > 1)
      split = split_cell (l, cell, words) || split;
  }
  if (split) {
    dp_grid_free (grid);
    grid = lattice_to_grid (l);
  }
  return grid;
}

/* Continues the vertical rules of `above` that end at its foot down to y, where also `below` has them. */
static void
bridge (Component *above, const Component *below, float y)
{
  guint n = above->v->len;

  for (guint i = 0; i < n; i++) {
    DpRule r = g_array_index (above->v, DpRule, i);
    guint k = below ? first_at (below->v, r.pos - SNAP) : 0;
    if (r.to < above->box.y1 - SNAP || (below && (k >= below->v->len || g_array_index (below->v, DpRule, k).pos > r.pos + SNAP)))
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
join_stripes (const DpTableView *view, Component *above, const Component *below)
{
  float gap = below->box.y0 - above->box.y1, row = MIN (dp_rect_height (above->box), dp_rect_height (below->box));
  DpRect between = { above->box.x0 - 1, above->box.y1, above->box.x1 + 1, below->box.y0 };
  g_autoptr (GArray) words = NULL;

  if (g_array_index (above->h, DpRule, above->h->len - 1).thickness > 0 || g_array_index (below->h, DpRule, 0).thickness > 0)
    return FALSE; /* a drawn rule ends a table, the side of a fill need not */
  if (fabsf (above->box.x0 - below->box.x0) > SNAP || fabsf (above->box.x1 - below->box.x1) > SNAP || gap < -1 || gap > 1.8f * row
      || gap > 80)
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
  const Component *x = *(Component *const *) a, *y = *(Component *const *) b;

  return x->box.y0 < y->box.y0 ? -1 : x->box.y0 > y->box.y0;
}

/* The row below the last filled one: its text stands in the columns, nothing frames it. */
static void
add_last_stripe (const DpTableView *view, Component *c)
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
    if (r->to < c->box.y1 - SNAP)
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

  for (guint i = 0; i < components->len && i < MAX_COMPONENTS; i++) {
    Component *c = &g_array_index (components, Component, i);
    if (c->h->len && c->v->len && dp_rect_width (c->box) > 40 && dp_rect_height (c->box) > 6)
      g_ptr_array_add (order, c);
  }
  g_ptr_array_sort (order, by_top);
  for (guint i = 0; i < order->len; i++) {
    Component *above = g_ptr_array_index (order, i);
    gboolean joined = FALSE;
    for (guint k = i + 1; k < order->len && above->h->len; k++) {
      Component *below = g_ptr_array_index (order, k);
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

/* ---- judging ----------------------------------------------------------------------------------------- */

static guint
count_words (const DpTable *table, guint *filled, guint *most)
{
  guint words = 0;

  *filled = *most = 0;
  for (guint i = 0; i < table->cells->len; i++) {
    const DpCell *cell = g_ptr_array_index (table->cells, i);
    g_autofree char *text = dp_spans_to_text (cell->spans);
    guint n = 0;
    for (const char *p = text; *p; p++)
      n += (*p != ' ' && *p != '\n') && (p == text || p[-1] == ' ' || p[-1] == '\n') ? 1 : 0;
    words += n;
    *filled += n ? 1 : 0;
    *most = MAX (*most, n);
  }
  return words;
}

/* TRUE if many cells begin in lower case: lines of prose, each with a box. */
static gboolean
reads_on (const DpTable *table)
{
  guint lower = 0;

  for (guint i = 0; i < table->cells->len; i++) {
    const DpCell *cell = g_ptr_array_index (table->cells, i);
    const DpSpan *span = cell->spans->len ? g_ptr_array_index (cell->spans, 0) : NULL;
    lower += span && g_unichar_islower (g_utf8_get_char (span->text)) ? 1 : 0;
  }
  return lower * 4 > table->cells->len;
}

/* The guards: what has a grid and is no table. */
static gboolean
is_table (const DpTable *table)
{
  guint filled, most, words = count_words (table, &filled, &most), n = table->cells->len;

  if (filled < 2 || n < 2 || table->n_rows < 2)
    return FALSE;
  if (filled * 100 < n * (n >= 8 ? 25 : 12))
    return FALSE; /* chart grid, squared paper, empty form */
  if (table->n_cols == 1)
    return table->n_rows >= 3 && filled == table->n_rows && most <= 40 && words <= 14 * table->n_rows && !reads_on (table);
  if (table->n_rows == 2 && table->n_cols == 2 && filled < 3)
    return FALSE;
  if (n <= 4 && most > 180)
    return FALSE; /* panels of a page */
  return TRUE;
}

/* ---- grids that rule only part of the table -------------------------------------------------------------- */

static guint
band_of (const GArray *borders, float x)
{
  guint low = 0, high = borders->len - 1;

  while (high - low > 1) {
    guint mid = (low + high) / 2;
    *(g_array_index (borders, float, mid) <= x ? &low : &high) = mid;
  }
  return low;
}

/* TRUE if some ruled row holds numbers one below the other in one column: several rows of data. */
static gboolean
stacks_numbers (const DpTableText *text, const DpGrid *grid)
{
  guint n_cols = dp_grid_n_cols (grid), n_rows = dp_grid_n_rows (grid), stacks = 0;
  g_autofree guint *numbers = g_new0 (guint, n_cols);

  for (guint i = 0, row = 0; row < n_rows && i < text->lines->len; row++) {
    float bottom = g_array_index (grid->ys, float, row + 1);
    guint lines = 0, most = 0;
    memset (numbers, 0, sizeof (guint) * n_cols);
    for (; i < text->lines->len && dp_rect_cy (g_array_index (text->lines, DpTableLine, i).box) < bottom; i++, lines++) {
      const DpTableLine *line = &g_array_index (text->lines, DpTableLine, i);
      for (guint k = 0; k < line->n; k++) {
        const DpTableFragment *f = &g_array_index (text->fragments, DpTableFragment, line->first + k);
        if (g_array_index (text->words, DpTableWord, f->first).number)
          numbers[band_of (grid->xs, 0.5f * (f->x0 + f->x1))]++;
      }
    }
    for (guint c = 0; c < n_cols; c++)
      most = MAX (most, numbers[c]);
    stacks += lines >= 2 && most >= 2 && most * 10 >= lines * 6 ? lines - 1 : 0;
  }
  return stacks >= 2;
}

/* TRUE if the text has more rows or columns than the rules draw. */
static gboolean
is_undersegmented (const DpTableView *view, const DpTableText *text, const DpGrid *grid)
{
  guint full = 0, more = 0, numbers = 0, n = text->fragments->len, n_cols = dp_grid_n_cols (grid), n_rows = dp_grid_n_rows (grid);

  for (guint i = 0; i < text->lines->len; i++) {
    const DpTableLine *line = &g_array_index (text->lines, DpTableLine, i);
    full += line->n >= MAX (2u, (n_cols + 1) / 2) ? 1 : 0;
    more += line->n > n_cols ? 1 : 0;
    for (guint k = 0; k < line->n; k++) {
      DpTableWordCount c = dp_table_count_words (view, text, &g_array_index (text->fragments, DpTableFragment, line->first + k));
      numbers += c.numbers == c.n ? 1 : 0;
    }
  }
  if (n_cols == 1 && n_rows == 1) /* a box: a legend, a callout, seldom a table */
    return full >= 3 && full * 10 >= text->lines->len * 7;
  if (n_cols == 1)
    return full >= 2 && full * 2 >= text->lines->len;
  if (full * 10 < text->lines->len * 6 || full < 3)
    return FALSE;
  if (more * 2 > text->lines->len && numbers * 5 >= n)
    return TRUE;
  if (n_rows <= 3 && full > n_rows + 2)
    return n_cols >= 3 || numbers * 4 >= n;
  return full > n_rows && stacks_numbers (text, grid);
}

static DpGrid *
solve_by_text (const DpTableView *view, const Component *c, const DpGrid *grid, DpTableText *text, guint **owner)
{
  g_autoptr (GArray) borders = g_array_new (FALSE, FALSE, sizeof (float));
  DpFrame frame = { c->box, c->h, borders };

  for (guint i = 0; i < c->v->len; i++) {
    const DpRule *r = &g_array_index (c->v, DpRule, i);
    if (r->to - r->from > 0.7f * dp_rect_height (c->box))
      g_array_append_val (borders, r->pos);
  }
  if (!is_undersegmented (view, text, grid))
    return NULL;
  return dp_frame_solve (view, &frame, text, owner);
}

static DpRect
grid_box (const DpGrid *grid)
{
  return (DpRect){ g_array_index (grid->xs, float, 0), g_array_index (grid->ys, float, 0),
                   g_array_index (grid->xs, float, grid->xs->len - 1), g_array_index (grid->ys, float, grid->ys->len - 1) };
}

/* A box without inner rules must be well filled to be a table and no legend. */
static gboolean
is_sparse (const DpTable *table)
{
  guint filled, most;

  count_words (table, &filled, &most);
  return filled * 10 < table->cells->len * 7;
}

static void
try_component (DpTableView *view, const Component *c)
{
  DpRect reach = { c->box.x0 - 1, c->box.y0 - 1, c->box.x1 + 1, c->box.y1 + 1 };
  g_autoptr (GArray) words = dp_table_view_words (view, reach);
  g_autoptr (DpTableText) text = NULL;
  g_autoptr (DpGrid) grid = NULL, solved = NULL;
  g_autofree guint *owner = NULL;
  g_autoptr (DpTable) table = NULL;
  Lattice lattice = { 0 };

  if (words->len < 2)
    return;
  if (lattice_make (c, words, &lattice))
    grid = make_grid (&lattice, words);
  lattice_clear (&lattice);
  if (!grid)
    return;
  text = dp_table_text_new (words);
  solved = solve_by_text (view, c, grid, text, &owner);
  if (solved && dp_grid_n_cols (solved) >= 2)
    table = dp_table_build (view, solved, text->words, owner);
  else
    table = dp_table_build (view, grid, words, NULL);
  if (is_table (table) && !(grid->cells->len == 1 && is_sparse (table)))
    dp_table_accept (view, g_steal_pointer (&table), grid_box (solved ? solved : grid), words);
}

static void
find_ruled (DpTableView *view)
{
  g_autoptr (GArray) h = g_array_new (FALSE, FALSE, sizeof (DpRule));
  g_autoptr (GArray) v = g_array_new (FALSE, FALSE, sizeof (DpRule));
  g_autoptr (GArray) components = NULL;
  guint tried = 0;

  collect_edges (view, h, v);
  components = find_components (h, v);
  join_components (view, components);
  for (guint i = 0; i < components->len && tried < MAX_COMPONENTS; i++) {
    const Component *c = &g_array_index (components, Component, i);
    if (c->h->len && c->v->len && c->h->len + c->v->len >= 3 && dp_rect_width (c->box) > 20 && dp_rect_height (c->box) > 10) {
      try_component (view, c);
      tried++;
    }
  }
}

void
dp_layout_tables_ruled (DpPageLayout *layout)
{
  if (layout->hrules->len + layout->vrules->len + layout->fills->len)
    dp_table_views_foreach (layout, find_ruled);
}
