/* layout/latex_marks.c - what stands above or below something else: accents, strokes, limits.
 */
#include "layout/latex_tree.h"

#include <math.h>
#include <string.h>

/* ---- accents ---------------------------------------------------------------------------------- */

static gboolean
is_accent (const DpMathNode *n)
{
  return n->type == DP_NODE_LEAF && n->kind == DP_ATOM_ACCENT;
}

/* What an accent stands over: the nearest item under its centre, or all under a wide one. */
static GPtrArray *
under_accent (const GPtrArray *items, const DpMathNode *accent)
{
  GPtrArray *found = g_ptr_array_new ();
  DpMathNode *best = NULL;
  float cx = dp_rect_cx (accent->box), em = accent->size, nearest = 0.5f * em;
  gboolean wide = dp_rect_width (accent->box) > 0.8f * em;

  for (guint i = 0; i < items->len; i++) {
    DpMathNode *n = g_ptr_array_index (items, i);
    float d = fabsf (dp_rect_cx (n->box) - cx);
    if (is_accent (n) || n->big || n->base < accent->base - 0.25f * em || n->base > accent->base + 0.6f * em)
      continue;
    if (wide && dp_rect_cx (n->box) > accent->box.x0 && dp_rect_cx (n->box) < accent->box.x1)
      g_ptr_array_add (found, n);
    if (d < nearest && n->size > 0.7f * em && (n->type != DP_NODE_LEAF || n->kind == DP_ATOM_ORD || n->kind == DP_ATOM_REL)) {
      nearest = d;
      best = n;
    }
  }
  if (found->len == 0 && best)
    g_ptr_array_add (found, best);
  return found;
}

static void
apply_accent (DpMathParser *parser, GPtrArray *items, DpMathNode *accent)
{
  g_autoptr (GPtrArray) under = under_accent (items, accent);
  DpMathNode *node;

  g_ptr_array_remove_fast (items, accent);
  if (!under->len) {
    parser->n_bad++;
    return;
  }
  node = dp_math_node_new (parser, DP_NODE_ACCENT);
  node->ch = accent->ch;
  node->size = dp_math_list_size (under);
  node->space = ((DpMathNode *) g_ptr_array_index (under, under->len - 1))->space;
  for (guint i = 0; i < under->len; i++)
    g_ptr_array_remove_fast (items, g_ptr_array_index (under, i));
  dp_math_node_add (node, under->len == 1 ? g_ptr_array_index (under, 0) : dp_math_parse (parser, under));
  node->base = ((DpMathNode *) g_ptr_array_index (node->kids, 0))->base;
  g_ptr_array_add (items, node);
  parser->structured = TRUE;
}

/* A stroke through the character that it overlaps or that follows. */
static void
apply_slash (DpMathParser *parser, GPtrArray *items, DpMathNode *slash)
{
  DpMathNode *best = NULL;

  g_ptr_array_remove_fast (items, slash);
  for (guint i = 0; i < items->len; i++) {
    DpMathNode *n = g_ptr_array_index (items, i);
    float d = n->box.x0 - slash->box.x0;
    if (n->type == DP_NODE_LEAF && fabsf (n->base - slash->base) < 0.2f * n->size && d > -0.4f * n->size && d < 0.8f * n->size
        && (n->kind == DP_ATOM_REL || n->kind == DP_ATOM_ORD) && (!best || d < best->box.x0 - slash->box.x0))
      best = n;
  }
  if (best)
    best->negated = TRUE;
  else
    parser->n_bad++;
}

void
dp_math_marks (DpMathParser *parser, GPtrArray *items)
{
  for (guint i = 0; i < items->len;) {
    DpMathNode *n = g_ptr_array_index (items, i);
    if (is_accent (n)) {
      apply_accent (parser, items, n);
      i = 0;
    } else if (n->type == DP_NODE_LEAF && n->kind == DP_ATOM_SLASH) {
      apply_slash (parser, items, n);
      i = 0;
    } else
      i++;
  }
}

/* ---- limits -------------------------------------------------------------------------------------- */

static gboolean
takes_limits (const DpMathNode *n)
{
  if (n->type == DP_NODE_WORD)
    return dp_latex_takes_limits (n->text);
  return n->type == DP_NODE_LEAF && (n->kind == DP_ATOM_OP || n->kind == DP_ATOM_REL);
}

static float
op_size (const DpMathNode *op)
{
  return op->big ? MAX (op->size, 0.5f * dp_rect_height (op->box)) : op->size;
}

/* Small items on one side of the operator, beginning with those in its width and growing
 * sideways along them; NULL if they are not centred on it. */
static GPtrArray *
limit_of (const GPtrArray *items, const DpMathNode *op, gboolean up)
{
  GPtrArray *found = g_ptr_array_new ();
  g_autoptr (GPtrArray) band = g_ptr_array_new ();
  float em = op->size, x0 = G_MAXFLOAT, x1 = -G_MAXFLOAT;

  for (guint i = 0; i < items->len; i++) {
    DpMathNode *n = g_ptr_array_index (items, i);
    float gap = up ? op->box.y0 - n->box.y1 : n->box.y0 - op->box.y1;
    if (n == op || n->size > 0.85f * op_size (op) || gap < -0.25f * em || gap > 0.75f * em || (n->type == DP_NODE_LEAF && n->big))
      continue;
    g_ptr_array_add (band, n);
    if (dp_rect_cx (n->box) > op->box.x0 - 0.05f * em && dp_rect_cx (n->box) < op->box.x1 + 0.05f * em) {
      x0 = MIN (x0, n->box.x0);
      x1 = MAX (x1, n->box.x1);
    }
  }
  if (x0 < x1)
    for (gboolean grown = TRUE; grown;) {
      grown = FALSE;
      for (guint i = 0; i < band->len; i++) {
        DpMathNode *n = g_ptr_array_index (band, i);
        if ((n->box.x0 < x0 || n->box.x1 > x1) && n->box.x0 < x1 + 0.35f * n->size && n->box.x1 > x0 - 0.35f * n->size) {
          x0 = MIN (x0, n->box.x0);
          x1 = MAX (x1, n->box.x1);
          grown = TRUE;
        }
      }
    }
  for (guint i = 0; i < band->len && x0 < x1; i++) {
    DpMathNode *n = g_ptr_array_index (band, i);
    if (n->box.x0 >= x0 && n->box.x1 <= x1)
      g_ptr_array_add (found, n);
  }
  if (found->len && fabsf (0.5f * (x0 + x1) - dp_rect_cx (op->box)) < 0.4f * em + 0.05f * (x1 - x0))
    return found;
  g_ptr_array_unref (found);
  return NULL;
}

static void
apply_limits (DpMathParser *parser, GPtrArray *items, DpMathNode *op)
{
  g_autoptr (GPtrArray) below = NULL, above = NULL;
  DpMathNode *node;

  /* Below a relation stands nothing of its own, above it a word or two. */
  if (op->kind != DP_ATOM_REL || op->type == DP_NODE_WORD)
    below = limit_of (items, op, FALSE);
  above = limit_of (items, op, TRUE);
  if (!below && !above)
    return;
  node = dp_math_node_new (parser, DP_NODE_LIMITS);
  for (guint i = 0; below && i < below->len; i++)
    g_ptr_array_remove_fast (items, g_ptr_array_index (below, i));
  for (guint i = 0; above && i < above->len; i++)
    g_ptr_array_remove_fast (items, g_ptr_array_index (above, i));
  g_ptr_array_remove_fast (items, op);
  node->size = op->size;
  node->base = op->base;
  node->big = op->big;
  node->kind = op->kind;
  dp_math_node_add (node, op);
  dp_math_node_add (node, below ? dp_math_parse (parser, below) : NULL);
  dp_math_node_add (node, above ? dp_math_parse (parser, above) : NULL);
  g_ptr_array_add (items, node);
  parser->structured = TRUE;
}

void
dp_math_limits (DpMathParser *parser, GPtrArray *items)
{
  g_autoptr (GPtrArray) ops = g_ptr_array_new ();

  for (guint i = 0; i < items->len; i++)
    if (takes_limits (g_ptr_array_index (items, i)))
      g_ptr_array_add (ops, g_ptr_array_index (items, i));
  for (guint i = 0; i < ops->len; i++)
    apply_limits (parser, items, g_ptr_array_index (ops, i));
}
