/* layout/latex_tree.h - the nodes of an expression, between the files that build and print it.
 *
 * All nodes belong to the parser and live as long as it does; lists of items are borrowed
 * arrays of nodes in any order unless said otherwise.
 */
#pragma once

#include "layout/latex.h"

G_BEGIN_DECLS

typedef enum {
  DP_NODE_LEAF,     /* ch, face, kind, accent */
  DP_NODE_WORD,     /* text: upright letters that stand together */
  DP_NODE_ROW,      /* kids from left to right */
  DP_NODE_FRACTION, /* kids: numerator, denominator */
  DP_NODE_ROOT,     /* kids: radicand, index or NULL */
  DP_NODE_ACCENT,   /* kids: what is under it; ch: combining character */
  DP_NODE_SCRIPTS,  /* kids: base, sub, sup; each may be NULL */
  DP_NODE_LIMITS,   /* the same, below and above */
  DP_NODE_FENCE,    /* kids: content; ch and close: delimiters, close 0 = none */
  DP_NODE_GRID,     /* kids: ROWs whose kids are cells (ROWs) */
} DpNodeType;

typedef struct DpMathNode DpMathNode;
struct DpMathNode {
  DpNodeType type;
  DpRect box;
  float base, size;
  gunichar ch, close, accent;
  guint8 kind; /* DpAtomKind */
  guint8 face;
  guint8 big;
  guint8 space;
  guint8 negated;
  char *text;
  GPtrArray *kids;
};

typedef struct {
  GPtrArray *nodes; /* DpMathNode, owned */
  guint n_bad;      /* things that could not be explained */
  guint depth;
  gboolean structured, relates;
} DpMathParser;

/* A node of that type, empty, owned by the parser. */
DpMathNode *dp_math_node_new (DpMathParser *parser, DpNodeType type);
/* Appends a kid (may be NULL) and stretches the node's box over it. */
void dp_math_node_add (DpMathNode *node, DpMathNode *kid);
/* The em of a list: the largest size of its letters. */
float dp_math_list_size (const GPtrArray *items);
/* Order by left edge. */
void dp_math_list_sort (GPtrArray *items);

/* Items (changed on the way) -> ROW or GRID. */
DpMathNode *dp_math_parse (DpMathParser *parser, GPtrArray *items);
/* Bars take what is above and below them out of the items and become nodes there (latex_bars.c). */
void dp_math_bars (DpMathParser *parser, GPtrArray *items, const DpRule *bars, guint n_bars);
/* Tall delimiters: pieces become one, pairs take what is between them (latex_fences.c). */
void dp_math_join_pieces (DpMathParser *parser, GPtrArray *items);
void dp_math_fences (DpMathParser *parser, GPtrArray *items);
/* Accents and limits go to what they belong to (latex_marks.c). */
void dp_math_marks (DpMathParser *parser, GPtrArray *items);
void dp_math_limits (DpMathParser *parser, GPtrArray *items);

/* Appends the node's LaTeX (latex_print.c). */
void dp_math_print (const DpMathNode *node, GString *out);

G_END_DECLS
