/* layout/latex_tree.c - the glyphs of a formula -> an expression tree, by geometry.
 *
 * Structures that change what a line is go first: bars, tall delimiters, accents, limits become
 * one item each with a baseline of its own.  What is left falls into lines by its baselines, and
 * in a line small items off the baseline are scripts of the item before them.  Every structure
 * parses its inside in the same way.  The idea is that of baseline structure trees (Zanibbi,
 * Blostein, Cordy 2002); the thresholds are TeX's own shifts (The TeXbook, appendix G).
 */
#include "layout/latex_tree.h"

#include <math.h>
#include <string.h>

#define MAX_DEPTH 24u
#define SMALL 0.86f    /* size ratio of a script */
#define ROW_STEP 0.75f /* em: baselines farther apart are lines of their own */

/* ---- nodes ------------------------------------------------------------------------------------- */

static void
node_free (gpointer data)
{
  DpMathNode *node = data;

  if (node->kids)
    g_ptr_array_unref (node->kids);
  g_free (node->text);
  g_free (node);
}

DpMathNode *
dp_math_node_new (DpMathParser *parser, DpNodeType type)
{
  DpMathNode *node = g_new0 (DpMathNode, 1);

  node->type = type;
  node->kids = g_ptr_array_new ();
  g_ptr_array_add (parser->nodes, node);
  return node;
}

void
dp_math_node_add (DpMathNode *node, DpMathNode *kid)
{
  gboolean empty = dp_rect_width (node->box) <= 0 && dp_rect_height (node->box) <= 0;

  g_ptr_array_add (node->kids, kid);
  if (kid && (kid->kids->len || kid->type == DP_NODE_LEAF || kid->type == DP_NODE_WORD))
    node->box = empty ? kid->box : dp_rect_union (node->box, kid->box);
}

float
dp_math_list_size (const GPtrArray *items)
{
  float letters = 0, all = 0;

  for (guint i = 0; i < items->len; i++) {
    const DpMathNode *n = g_ptr_array_index (items, i);
    all = MAX (all, n->size);
    if (!n->big)
      letters = MAX (letters, n->size);
  }
  return letters > 0 ? letters : MAX (all, 0.5f);
}

static int
by_left (gconstpointer a, gconstpointer b)
{
  const DpMathNode *x = *(DpMathNode *const *) a, *y = *(DpMathNode *const *) b;

  if (x->box.x0 != y->box.x0)
    return x->box.x0 < y->box.x0 ? -1 : 1;
  return x->base < y->base ? -1 : x->base > y->base;
}

void
dp_math_list_sort (GPtrArray *items)
{
  g_ptr_array_sort (items, by_left);
}

/* ---- words ---------------------------------------------------------------------------------------- */

static gboolean
is_text_letter (const DpMathNode *n)
{
  return n->type == DP_NODE_LEAF && n->kind == DP_ATOM_ORD && !n->accent && g_unichar_isalpha (n->ch) && (n->ch < 0x370 || n->ch > 0x3ff)
         && (n->face == DP_FACE_ROMAN || n->face == DP_FACE_BOLD || n->face == DP_FACE_SANS || n->face == DP_FACE_MONO);
}

static int
by_line (gconstpointer a, gconstpointer b)
{
  const DpMathNode *x = *(DpMathNode *const *) a, *y = *(DpMathNode *const *) b;

  if (fabsf (x->base - y->base) > 0.3f)
    return x->base < y->base ? -1 : 1;
  return x->box.x0 < y->box.x0 ? -1 : x->box.x0 > y->box.x0;
}

static gboolean
goes_on (const DpMathNode *a, const DpMathNode *b, float lo, float hi)
{
  float gap = (b->box.x0 - a->box.x1) / a->size;

  return fabsf (a->base - b->base) < 0.06f * a->size && fabsf (a->size - b->size) < 0.05f * a->size && a->face == b->face && gap > lo
         && gap < hi;
}

static void
append_text (DpMathNode *word, const char *space, const DpMathNode *n)
{
  char utf8[8] = { 0 };
  char *text;

  g_unichar_to_utf8 (n->ch, utf8);
  text = g_strconcat (word->text ? word->text : "", space, n->type == DP_NODE_WORD ? n->text : utf8, NULL);
  g_free (word->text);
  word->text = text;
  word->box = dp_rect_union (word->box, n->box);
  word->space = n->space;
}

/* Upright letters side by side are words; words side by side a phrase. */
static void
find_words (DpMathParser *parser, GPtrArray *items)
{
  g_autoptr (GPtrArray) letters = g_ptr_array_new (), words = g_ptr_array_new ();

  for (guint i = 0; i < items->len;) {
    DpMathNode *n = g_ptr_array_index (items, i);
    if (is_text_letter (n)) {
      g_ptr_array_add (letters, n);
      g_ptr_array_remove_index_fast (items, i);
    } else
      i++;
  }
  g_ptr_array_sort (letters, by_line);
  for (guint i = 0, k; i < letters->len; i = k) {
    DpMathNode *n = g_ptr_array_index (letters, i), *word = n;
    for (k = i + 1; k < letters->len && goes_on (g_ptr_array_index (letters, k - 1), g_ptr_array_index (letters, k), -0.25f, 0.14f)
                    && !((DpMathNode *) g_ptr_array_index (letters, k - 1))->space;
         k++)
      ;
    if (k - i >= 2) {
      word = dp_math_node_new (parser, DP_NODE_WORD);
      word->box = n->box, word->base = n->base, word->size = n->size, word->face = n->face;
      for (guint j = i; j < k; j++)
        append_text (word, "", g_ptr_array_index (letters, j));
    }
    g_ptr_array_add (words, word);
  }
  for (guint i = 0; i < words->len; i++) {
    DpMathNode *n = g_ptr_array_index (words, i), *last = i ? g_ptr_array_index (items, items->len - 1) : NULL;
    gboolean joins = last && last->type == DP_NODE_WORD && n->type == DP_NODE_WORD && goes_on (last, n, 0.1f, 0.7f)
                     && !dp_latex_is_function (last->text) && !dp_latex_is_function (n->text) && g_unichar_isalpha (n->ch ? n->ch : 'a');
    if (joins)
      append_text (last, " ", n);
    else
      g_ptr_array_add (items, n);
  }
}

/* ---- scripts ---------------------------------------------------------------------------------------- */

typedef enum { ON_LINE, RAISED, LOWERED } Side;

typedef struct {
  DpMathParser *parser;
  float base, size;
  DpMathNode *pending; /* what scripts go to */
  GPtrArray *sub, *sup;
  const DpMathNode *last; /* script */
  Side last_side;
  DpMathNode *row;
  gboolean only_primes;
} Line;

static Side
side_of (const Line *line, const DpMathNode *n)
{
  float shift = (line->base - n->base) / line->size;
  gboolean small = n->size < SMALL * line->size;

  if (n->type == DP_NODE_LEAF && n->ch == 0x2032)
    return line->only_primes ? ON_LINE : RAISED;
  if (n->big) {
    /* Hangs from its baseline, centred on the axis of its line. */
    float off
        = (line->base - 0.25f * line->size - dp_rect_cy (n->type == DP_NODE_LIMITS ? ((DpMathNode *) n->kids->pdata[0])->box : n->box))
          / line->size;
    return fabsf (off) < 0.6f || dp_rect_height (n->box) > 1.3f * line->size ? ON_LINE : off > 0 ? RAISED : LOWERED;
  }
  /* Scripts of scripts go where the script went that they touch. */
  if (line->last && n->size < 0.9f * line->last->size && n->box.x0 - line->last->box.x1 < 0.25f * line->last->size)
    return line->last_side;
  if (n->type == DP_NODE_FENCE || n->type == DP_NODE_FRACTION || n->type == DP_NODE_GRID)
    return shift > (small ? 0.25f : 0.6f) ? RAISED : shift < (small ? -0.25f : -0.6f) ? LOWERED : ON_LINE;
  if (small)
    return shift > 0.12f ? RAISED : shift < -0.05f ? LOWERED : ON_LINE;
  return shift > 0.3f ? RAISED : shift < -0.3f ? LOWERED : ON_LINE;
}

static void
close_scripts (Line *line)
{
  DpMathNode *node = line->pending;

  if (line->sub->len || line->sup->len) {
    node = dp_math_node_new (line->parser, DP_NODE_SCRIPTS);
    dp_math_node_add (node, line->pending);
    dp_math_node_add (node, line->sub->len ? dp_math_parse (line->parser, line->sub) : NULL);
    dp_math_node_add (node, line->sup->len ? dp_math_parse (line->parser, line->sup) : NULL);
    node->base = line->base;
    node->size = line->pending ? line->pending->size : line->size;
    line->parser->structured = TRUE;
  }
  if (node)
    dp_math_node_add (line->row, node);
  g_ptr_array_set_size (line->sub, 0);
  g_ptr_array_set_size (line->sup, 0);
  line->pending = NULL;
  line->last = NULL;
}

/* The baseline of a line: that of most of its full-size letters. */
static float
line_base (const GPtrArray *items, float size)
{
  float best = 0;
  guint most = 0;

  for (guint i = 0; i < items->len; i++) {
    const DpMathNode *n = g_ptr_array_index (items, i);
    guint votes = 0;
    if (n->big || n->size < SMALL * size)
      continue;
    for (guint k = 0; k < items->len && k < 64; k++) {
      const DpMathNode *other = g_ptr_array_index (items, k);
      votes += !other->big && other->size >= SMALL * size && fabsf (other->base - n->base) < 0.05f * size;
    }
    /* Of two that are level, the one on the left: what follows may be its script. */
    if (votes > most || (votes == most && most && n->box.x0 < ((DpMathNode *) items->pdata[0])->box.x0)) {
      most = votes;
      best = n->base;
    }
    if (i > 64)
      break;
  }
  if (!most && items->len) {
    const DpMathNode *n = g_ptr_array_index (items, 0);
    best = n->big ? dp_rect_cy (n->box) + 0.25f * size : n->base;
  }
  return best;
}

static DpMathNode *
parse_line (DpMathParser *parser, GPtrArray *items)
{
  g_autoptr (GPtrArray) sub = g_ptr_array_new (), sup = g_ptr_array_new ();
  Line line = { .parser = parser, .sub = sub, .sup = sup, .row = dp_math_node_new (parser, DP_NODE_ROW) };

  dp_math_list_sort (items);
  line.size = dp_math_list_size (items);
  line.base = line_base (items, line.size);
  line.row->base = line.base;
  line.row->size = line.size;
  line.only_primes = TRUE;
  for (guint i = 0; i < items->len; i++)
    line.only_primes &= ((DpMathNode *) g_ptr_array_index (items, i))->ch == 0x2032;
  for (guint i = 0; i < items->len; i++) {
    DpMathNode *n = g_ptr_array_index (items, i);
    Side side = side_of (&line, n);
    if (side == ON_LINE) {
      close_scripts (&line);
      line.pending = n;
      parser->relates |= n->type == DP_NODE_LEAF && (n->kind == DP_ATOM_REL || n->kind == DP_ATOM_BIN || n->kind == DP_ATOM_OP);
      continue;
    }
    g_ptr_array_add (side == RAISED ? sup : sub, n);
    line.last = n;
    line.last_side = side;
  }
  close_scripts (&line);
  return line.row;
}

/* ---- lines -------------------------------------------------------------------------------------------- */

static int
by_base (gconstpointer a, gconstpointer b)
{
  const DpMathNode *x = *(DpMathNode *const *) a, *y = *(DpMathNode *const *) b;

  return x->base < y->base ? -1 : x->base > y->base;
}

static gboolean
marks_line (const DpMathNode *n, float size)
{
  return !n->big && n->size >= SMALL * size && !(n->type == DP_NODE_LEAF && n->ch == 0x2032);
}

/* Baselines of the lines that the items fall into, ascending. */
static GArray *
find_baselines (const GPtrArray *items, float size)
{
  GArray *bases = g_array_new (FALSE, FALSE, sizeof (float));
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();

  for (guint i = 0; i < items->len; i++)
    if (marks_line (g_ptr_array_index (items, i), size))
      g_ptr_array_add (sorted, g_ptr_array_index (items, i));
  g_ptr_array_sort (sorted, by_base);
  for (guint i = 0, k; i < sorted->len; i = k) {
    float base, last = ((DpMathNode *) g_ptr_array_index (sorted, i))->base;
    for (k = i + 1; k < sorted->len && ((DpMathNode *) g_ptr_array_index (sorted, k))->base - last < ROW_STEP * size; k++)
      last = ((DpMathNode *) g_ptr_array_index (sorted, k))->base;
    base = ((DpMathNode *) g_ptr_array_index (sorted, (i + k - 1) / 2))->base;
    g_array_append_val (bases, base);
  }
  return bases;
}

/* How badly an item fits a line as its script: 0 = a usual shift. */
static float
script_misfit (float base, float size, const DpMathNode *n)
{
  float rise = (base - n->base) / size;

  return rise > 0 ? fabsf (rise - 0.4f) : fabsf (rise + 0.2f);
}

static guint
line_for (const GArray *bases, float size, const DpMathNode *n)
{
  float best = G_MAXFLOAT, middle = n->big ? dp_rect_cy (n->box) + 0.25f * size : n->base;
  guint found = 0;

  for (guint i = 0; i < bases->len; i++) {
    float base = g_array_index (bases, float, i);
    float d = n->big || n->size >= SMALL * size ? fabsf (base - middle) / size : script_misfit (base, size, n);
    if (d < best) {
      best = d;
      found = i;
    }
  }
  return found;
}

/* ---- columns ------------------------------------------------------------------------------------------- */

/* White gaps of more than width that run through all lines: right edges of the columns. */
static GArray *
find_columns (const GPtrArray *items, float width)
{
  GArray *edges = g_array_new (FALSE, FALSE, sizeof (float));
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
  float reach = -G_MAXFLOAT;

  for (guint i = 0; i < items->len; i++)
    g_ptr_array_add (sorted, g_ptr_array_index (items, i));
  dp_math_list_sort (sorted);
  for (guint i = 0; i < sorted->len; i++) {
    const DpMathNode *n = g_ptr_array_index (sorted, i);
    float middle = 0.5f * (reach + n->box.x0);
    if (i && n->box.x0 - reach > width)
      g_array_append_val (edges, middle);
    reach = MAX (reach, n->box.x1);
  }
  return edges;
}

static DpMathNode *
parse_cells (DpMathParser *parser, GPtrArray *line, const GArray *edges)
{
  DpMathNode *row = dp_math_node_new (parser, DP_NODE_ROW);

  for (guint c = 0; c <= edges->len; c++) {
    g_autoptr (GPtrArray) cell = g_ptr_array_new ();
    float from = c ? g_array_index (edges, float, c - 1) : -G_MAXFLOAT, to = c < edges->len ? g_array_index (edges, float, c) : G_MAXFLOAT;
    for (guint i = 0; i < line->len; i++) {
      DpMathNode *n = g_ptr_array_index (line, i);
      if (dp_rect_cx (n->box) >= from && dp_rect_cx (n->box) < to)
        g_ptr_array_add (cell, n);
    }
    dp_math_node_add (row, parse_line (parser, cell));
  }
  return row;
}

static DpMathNode *
parse_grid (DpMathParser *parser, GPtrArray *items, const GArray *bases, float size)
{
  DpMathNode *grid = dp_math_node_new (parser, DP_NODE_GRID);
  g_autoptr (GArray) edges = find_columns (items, 0.75f * size);

  grid->size = size;
  grid->base = 0.5f * (g_array_index (bases, float, 0) + g_array_index (bases, float, bases->len - 1));
  for (guint r = 0; r < bases->len; r++) {
    g_autoptr (GPtrArray) line = g_ptr_array_new ();
    for (guint i = 0; i < items->len; i++)
      if (line_for (bases, size, g_ptr_array_index (items, i)) == r)
        g_ptr_array_add (line, g_ptr_array_index (items, i));
    dp_math_node_add (grid, parse_cells (parser, line, edges));
  }
  parser->structured = TRUE;
  return grid;
}

DpMathNode *
dp_math_parse (DpMathParser *parser, GPtrArray *items)
{
  g_autoptr (GArray) bases = NULL;
  DpMathNode *node;
  float size;

  if (parser->depth >= MAX_DEPTH) {
    parser->n_bad += 8;
    return dp_math_node_new (parser, DP_NODE_ROW);
  }
  parser->depth++;
  dp_math_fences (parser, items);
  dp_math_marks (parser, items);
  find_words (parser, items);
  dp_math_limits (parser, items);
  size = dp_math_list_size (items);
  bases = find_baselines (items, size);
  node = bases->len > 1 ? parse_grid (parser, items, bases, size) : parse_line (parser, items);
  parser->depth--;
  return node;
}

/* ---- the formula ------------------------------------------------------------------------------------------ */

static DpMathNode *
leaf_new (DpMathParser *parser, const DpMathAtom *atom)
{
  DpMathNode *leaf = dp_math_node_new (parser, DP_NODE_LEAF);

  leaf->box = atom->box;
  leaf->base = atom->base;
  leaf->size = atom->size;
  leaf->ch = atom->ch;
  leaf->accent = atom->accent;
  leaf->kind = atom->kind;
  leaf->face = atom->face;
  leaf->big = atom->big;
  leaf->space = atom->space;
  parser->n_bad += atom->kind == DP_ATOM_BAD;
  parser->structured |= atom->accent || atom->big || (atom->face >= DP_FACE_CALLIGRAPHIC && atom->face <= DP_FACE_BLACKBOARD);
  return leaf;
}

char *
dp_latex_new (const DpMathAtom *atoms, guint n_atoms, const DpRule *bars, guint n_bars, DpLatexFacts *facts)
{
  DpMathParser parser = { .nodes = g_ptr_array_new_with_free_func (node_free) };
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  GString *out = g_string_new (NULL);

  *facts = (DpLatexFacts){ 0 };
  if (n_atoms && n_atoms <= DP_LATEX_MOST_ATOMS && n_bars <= DP_LATEX_MOST_ATOMS / 8) {
    for (guint i = 0; i < n_atoms; i++)
      g_ptr_array_add (items, leaf_new (&parser, &atoms[i]));
    dp_math_join_pieces (&parser, items);
    dp_math_bars (&parser, items, bars, n_bars);
    dp_math_print (dp_math_parse (&parser, items), out);
    facts->structured = parser.structured;
    facts->relates = parser.relates;
    facts->quality = CLAMP (1 - 6 * (float) parser.n_bad / (float) n_atoms, 0, 1);
  }
  g_ptr_array_unref (parser.nodes);
  return g_string_free (out, FALSE);
}
