/* layout/latex_fences.c - delimiters cut for what they enclose.
 *
 * Tall ones are built of pieces one below the other; a pair of equal height takes what lies
 * between as one item, so that the lines of a matrix do not become lines of the formula.  A brace
 * without partner opens cases: all on its right belongs to it.
 */
#include "layout/latex_tree.h"

#include <math.h>

/* ---- pieces --------------------------------------------------------------------------------- */

static int
by_place (gconstpointer a, gconstpointer b)
{
  const DpMathNode *x = *(DpMathNode *const *) a, *y = *(DpMathNode *const *) b;

  if (x->ch != y->ch)
    return x->ch < y->ch ? -1 : 1;
  if (fabsf (x->box.x0 - y->box.x0) > 0.1f * x->size)
    return x->box.x0 < y->box.x0 ? -1 : 1;
  return x->box.y0 < y->box.y0 ? -1 : x->box.y0 > y->box.y0;
}

static guint8
fence_kind (gunichar c)
{
  switch (c) {
  case '(':
  case '[':
  case '{': return DP_ATOM_OPEN;
  case ')':
  case ']':
  case '}': return DP_ATOM_CLOSE;
  case 0x221a: return DP_ATOM_RADICAL;
  default: return DP_ATOM_FENCE;
  }
}

void
dp_math_join_pieces (DpMathParser *parser, GPtrArray *items)
{
  g_autoptr (GPtrArray) pieces = g_ptr_array_new ();
  DpMathNode *open = NULL;

  (void) parser;
  for (guint i = 0; i < items->len;) {
    DpMathNode *n = g_ptr_array_index (items, i);
    if (n->type == DP_NODE_LEAF && n->kind == DP_ATOM_PIECE) {
      g_ptr_array_add (pieces, n);
      g_ptr_array_remove_index_fast (items, i);
    } else
      i++;
  }
  g_ptr_array_sort (pieces, by_place);
  for (guint i = 0; i < pieces->len; i++) {
    DpMathNode *n = g_ptr_array_index (pieces, i);
    if (open && open->ch == n->ch && fabsf (open->box.x0 - n->box.x0) <= 0.1f * n->size && n->box.y0 - open->box.y1 < 0.5f * n->size) {
      open->box = dp_rect_union (open->box, n->box);
      continue;
    }
    open = n;
    open->kind = fence_kind (n->ch);
    g_ptr_array_add (items, open);
  }
}

/* ---- pairs ------------------------------------------------------------------------------------ */

static gboolean
is_tall (const DpMathNode *n)
{
  return n->type == DP_NODE_LEAF && n->big && (n->kind == DP_ATOM_OPEN || n->kind == DP_ATOM_CLOSE || n->kind == DP_ATOM_FENCE);
}

static gboolean
same_height (const DpMathNode *a, const DpMathNode *b)
{
  float ha = dp_rect_height (a->box), hb = dp_rect_height (b->box);

  return MIN (ha, hb) > 0.75f * MAX (ha, hb) && dp_rect_overlap_y (a->box, b->box) > 0.75f * MIN (ha, hb);
}

static gboolean
may_close (const DpMathNode *open, const DpMathNode *n)
{
  if (n->kind == DP_ATOM_FENCE && open->kind == DP_ATOM_FENCE && n->ch != open->ch)
    return FALSE;
  return n->kind != DP_ATOM_OPEN && same_height (open, n);
}

/* Items between the delimiters; end: right edge, without a closing one everything that follows. */
static GPtrArray *
between (const GPtrArray *items, const DpMathNode *open, float end)
{
  GPtrArray *inside = g_ptr_array_new ();
  float slack = 0.35f * open->size;

  for (guint i = 0; i < items->len; i++) {
    DpMathNode *n = g_ptr_array_index (items, i);
    float cx = dp_rect_cx (n->box), cy = dp_rect_cy (n->box);
    if (n != open && cx > dp_rect_cx (open->box) && cx < end && cy > open->box.y0 - slack && cy < open->box.y1 + slack)
      g_ptr_array_add (inside, n);
  }
  return inside;
}

static void
make_fence (DpMathParser *parser, GPtrArray *items, DpMathNode *open, DpMathNode *close)
{
  g_autoptr (GPtrArray) inside = between (items, open, close ? dp_rect_cx (close->box) : G_MAXFLOAT);
  DpMathNode *fence = dp_math_node_new (parser, DP_NODE_FENCE), *content;

  for (guint i = 0; i < inside->len; i++)
    g_ptr_array_remove_fast (items, g_ptr_array_index (inside, i));
  g_ptr_array_remove_fast (items, open);
  if (close)
    g_ptr_array_remove_fast (items, close);
  fence->ch = open->ch;
  fence->close = close ? close->ch : 0;
  fence->size = inside->len ? dp_math_list_size (inside) : open->size;
  content = dp_math_parse (parser, inside);
  dp_math_node_add (fence, content);
  fence->box = content->kids->len ? dp_rect_union (content->box, open->box) : open->box;
  if (close)
    fence->box = dp_rect_union (fence->box, close->box);
  /* Delimiters are centred on the axis. */
  fence->base = content->type == DP_NODE_ROW && content->kids->len ? content->base : dp_rect_cy (open->box) + 0.25f * fence->size;
  g_ptr_array_add (items, fence);
  parser->structured = TRUE;
}

/* A brace that nothing closes: cases, if what follows has several lines. */
static gboolean
opens_cases (const GPtrArray *items, const DpMathNode *open)
{
  g_autoptr (GPtrArray) inside = between (items, open, G_MAXFLOAT);
  float lo = G_MAXFLOAT, hi = -G_MAXFLOAT, em = dp_math_list_size (inside);

  if (open->ch != '{' || dp_rect_height (open->box) < 1.9f * em)
    return FALSE;
  for (guint i = 0; i < inside->len; i++) {
    const DpMathNode *n = g_ptr_array_index (inside, i);
    if (n->size < 0.8f * em)
      continue;
    lo = MIN (lo, n->base);
    hi = MAX (hi, n->base);
  }
  return hi - lo > 0.8f * em;
}

/* One pair whose inside holds no other tall delimiter; FALSE if there is none. */
static gboolean
close_one (DpMathParser *parser, GPtrArray *items)
{
  g_autoptr (GPtrArray) tall = g_ptr_array_new ();
  DpMathNode *open = NULL, *close = NULL;
  float narrowest = G_MAXFLOAT;

  for (guint i = 0; i < items->len; i++)
    if (is_tall (g_ptr_array_index (items, i)))
      g_ptr_array_add (tall, g_ptr_array_index (items, i));
  dp_math_list_sort (tall);
  for (guint i = 0; i + 1 < tall->len; i++) {
    DpMathNode *a = g_ptr_array_index (tall, i);
    if (a->kind == DP_ATOM_CLOSE)
      continue;
    for (guint k = i + 1; k < tall->len; k++) {
      DpMathNode *b = g_ptr_array_index (tall, k);
      if (b->kind == DP_ATOM_OPEN && same_height (a, b))
        break;
      if (!may_close (a, b))
        continue;
      if (b->box.x0 - a->box.x1 < narrowest) {
        narrowest = b->box.x0 - a->box.x1;
        open = a;
        close = b;
      }
      break;
    }
  }
  if (!open) {
    for (guint i = tall->len; i > 0 && !open; i--)
      if (opens_cases (items, g_ptr_array_index (tall, i - 1)))
        open = g_ptr_array_index (tall, i - 1);
    if (!open)
      return FALSE;
  }
  make_fence (parser, items, open, close);
  return TRUE;
}

void
dp_math_fences (DpMathParser *parser, GPtrArray *items)
{
  guint left = 64;

  while (left-- && close_one (parser, items))
    ;
}
