/* layout/table_lattice.c - the grid that one component of rules draws.
 *
 * Where rules cross lie the borders of rows and columns; a border that is missing between
 * two places makes a span.  The search for smallest rectangles with continuous sides is
 * pdfplumber's and tabula-java's; open sides are closed by the component's outline as in
 * PyMuPDF.
 */
#include <math.h>
#include <string.h>

#include "layout/table_lattice.h"

#define SLIVER 8.0f /* a column without text narrower than this is a double border */
#define MAX_PLACES 50000u

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

/* Positions of the rules, those within DP_LATTICE_SNAP as one, and the ends of the rules across. */
static GArray *
cluster_positions (const GArray *rules, float low, float high)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (float));

  for (guint i = 0; i < rules->len;) {
    float first = g_array_index (rules, DpRule, i).pos;
    double sum = 0, weight = 0;
    for (; i < rules->len && g_array_index (rules, DpRule, i).pos - first <= DP_LATTICE_SNAP; i++) {
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
draw_borders (const DpRuleComponent *c, Lattice *l)
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
lattice_make (const DpRuleComponent *c, const GArray *words, Lattice *l)
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

/* TRUE if the only line of a cell is set in its middle and has no gap as wide as a cell's padding. */
static gboolean
is_centred (const DpTableText *text, DpRect box)
{
  const DpTableLine *line = text->lines->len == 1 ? dp_table_line (text, 0) : NULL;

  if (!line || fabsf (dp_rect_cx (line->box) - dp_rect_cx (box)) > 0.6f * line->size)
    return FALSE;
  for (guint k = line->first + 1; k < line->first + line->n; k++)
    if (dp_table_fragment (text, k)->x0 - dp_table_fragment (text, k - 1)->x1 > 1.2f * line->size)
      return FALSE;
  return TRUE;
}

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
  if (is_centred (text, box))
    return FALSE;
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

DpGrid *
dp_component_grid (const DpRuleComponent *component, const GArray *words)
{
  Lattice lattice = { 0 };
  DpGrid *grid = lattice_make (component, words, &lattice) ? make_grid (&lattice, words) : NULL;

  lattice_clear (&lattice);
  return grid;
}
