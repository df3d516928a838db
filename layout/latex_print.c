/* layout/latex_print.c - expression tree -> LaTeX as people type it.
 *
 * A command is parted from a following letter by one blank, scripts are always in braces, the
 * lower one first; delimiters cut for their content get \left and \right; two lines or more
 * become cases, a matrix or aligned lines after what encloses them.
 */
#include "layout/latex_tree.h"

#include <math.h>
#include <string.h>

/* Appends a piece of LaTeX; a blank keeps a letter from running into a command before it. */
static void
put (GString *out, const char *piece)
{
  gsize n = out->len;

  while (n > 0 && g_ascii_isalpha (out->str[n - 1]))
    n--;
  if (n > 0 && n < out->len && out->str[n - 1] == '\\' && g_ascii_isalpha (piece[0]) && !(n > 1 && out->str[n - 2] == '\\'))
    g_string_append_c (out, ' ');
  g_string_append (out, piece);
}

static void
put_group (GString *out, const DpMathNode *node)
{
  g_string_append_c (out, '{');
  if (node)
    dp_math_print (node, out);
  g_string_append_c (out, '}');
}

/* ---- leaves ------------------------------------------------------------------------------------ */

static void
put_char (GString *out, gunichar c)
{
  const char *command = c >= 0x80 ? dp_latex_symbol (c) : NULL;
  char utf8[8] = { 0 };

  if (command) {
    put (out, command);
    return;
  }
  g_unichar_to_utf8 (c, utf8);
  if (c < 0x80 && strchr ("{}%#&$_", (int) c))
    g_string_append_c (out, '\\');
  if (c == '\\')
    put (out, "\\setminus");
  else if (c == '~' || c == '^')
    put (out, c == '~' ? "\\sim" : "\\wedge");
  else
    put (out, utf8);
}

static const char *
face_command (const DpMathNode *n)
{
  gboolean greek = n->ch >= 0x370 && n->ch < 0x400;

  if (!g_unichar_isalnum (n->ch))
    return NULL;
  switch (n->face) {
  case DP_FACE_ROMAN: return g_unichar_isalpha (n->ch) && !greek && n->ch < 0x2000 ? "\\mathrm" : NULL;
  case DP_FACE_BOLD: return greek ? "\\boldsymbol" : "\\mathbf";
  case DP_FACE_BOLD_ITALIC: return "\\boldsymbol";
  case DP_FACE_CALLIGRAPHIC: return g_unichar_isalpha (n->ch) ? "\\mathcal" : NULL;
  case DP_FACE_FRAKTUR: return g_unichar_isalpha (n->ch) ? "\\mathfrak" : NULL;
  case DP_FACE_BLACKBOARD: return n->ch < 0x80 ? "\\mathbb" : NULL;
  case DP_FACE_SANS: return g_unichar_isalpha (n->ch) ? "\\mathsf" : NULL;
  case DP_FACE_MONO: return g_unichar_isalpha (n->ch) ? "\\mathtt" : NULL;
  default: return NULL;
  }
}

/* The relation with a stroke through it. */
static void
put_negated (GString *out, gunichar c)
{
  static const gunichar pairs[][2] = { { '=', 0x2260 }, { 0x2208, 0x2209 }, { 0x2223, 0x2224 }, { 0x223c, 0x2241 }, { 0x2203, 0x2204 } };

  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    if (pairs[i][0] == c) {
      put_char (out, pairs[i][1]);
      return;
    }
  put (out, "\\not");
  put_char (out, c);
}

static void
put_leaf (GString *out, const DpMathNode *n)
{
  const char *accent = n->accent ? dp_latex_accent (n->accent, FALSE) : NULL, *face = face_command (n);

  if (accent) {
    put (out, accent);
    g_string_append_c (out, '{');
  }
  if (face) {
    put (out, face);
    g_string_append_c (out, '{');
  }
  if (n->negated)
    put_negated (out, n->ch);
  else
    put_char (out, n->ch);
  if (face)
    g_string_append_c (out, '}');
  if (accent)
    g_string_append_c (out, '}');
}

/* ---- words --------------------------------------------------------------------------------------- */

static void
put_word (GString *out, const DpMathNode *n, gboolean before, gboolean after)
{
  gboolean phrase = strchr (n->text, ' ') != NULL;

  if (n->face == DP_FACE_ROMAN && dp_latex_is_function (n->text)) {
    put (out, "\\");
    g_string_append (out, n->text);
    return;
  }
  switch (n->face) {
  case DP_FACE_BOLD: put (out, phrase ? "\\textbf{" : "\\mathbf{"); break;
  case DP_FACE_SANS: put (out, "\\mathsf{"); break;
  case DP_FACE_MONO: put (out, "\\mathtt{"); break;
  default: put (out, phrase || before || after ? "\\text{" : "\\mathrm{"); break;
  }
  if (before && n->face == DP_FACE_ROMAN)
    g_string_append_c (out, ' ');
  g_string_append (out, n->text);
  if (after && n->face == DP_FACE_ROMAN)
    g_string_append_c (out, ' ');
  g_string_append_c (out, '}');
}

/* ---- rows ------------------------------------------------------------------------------------------ */

static gboolean
is_char (const DpMathNode *row, guint i, gunichar c)
{
  const DpMathNode *n = i < row->kids->len ? g_ptr_array_index (row->kids, i) : NULL;

  return n && n->type == DP_NODE_LEAF && n->ch == c && !n->big;
}

static float
gap_before (const DpMathNode *row, guint i)
{
  const DpMathNode *a, *b;

  if (i == 0 || i >= row->kids->len)
    return 0;
  a = g_ptr_array_index (row->kids, i - 1);
  b = g_ptr_array_index (row->kids, i);
  return (b->box.x0 - a->box.x1) / MAX (row->size, 0.5f);
}

/* Dots in a row, drawn-together arrows and "(mod n)": how many kids were printed. */
static guint
put_run (GString *out, const DpMathNode *row, guint i)
{
  if (is_char (row, i, '.') && is_char (row, i + 1, '.') && is_char (row, i + 2, '.') && gap_before (row, i + 1) > 0.08f) {
    put (out, "\\ldots");
    return 3;
  }
  for (guint k = 0; k < 2; k++) {
    gunichar dot = k ? 0x22c5 : 0xb7;
    if (is_char (row, i, dot) && is_char (row, i + 1, dot) && is_char (row, i + 2, dot)) {
      put (out, "\\cdots");
      return 3;
    }
  }
  if (is_char (row, i, 0x21a6) && is_char (row, i + 1, 0x2192) && gap_before (row, i + 1) < 0.1f) {
    put (out, "\\mapsto");
    return 2;
  }
  if (gap_before (row, i + 1) < -0.08f && (is_char (row, i, 0x2212) || is_char (row, i, '='))) {
    if (is_char (row, i + 1, 0x2192) || is_char (row, i + 1, 0x21d2)) {
      put (out, is_char (row, i, '=') ? "\\Longrightarrow" : "\\longrightarrow");
      return 2;
    }
  }
  if (gap_before (row, i + 1) < -0.08f && is_char (row, i, 0x2190) && is_char (row, i + 1, 0x2212)) {
    put (out, "\\longleftarrow");
    return 2;
  }
  return 0;
}

static gboolean
is_mod (const DpMathNode *row, guint i)
{
  const DpMathNode *n = i < row->kids->len ? g_ptr_array_index (row->kids, i) : NULL;

  return n && n->type == DP_NODE_WORD && strcmp (n->text, "mod") == 0;
}

static void
put_kids (GString *out, const DpMathNode *row, guint from, guint to)
{
  for (guint i = from; i < to;) {
    const DpMathNode *n = g_ptr_array_index (row->kids, i);
    float gap = i > from ? gap_before (row, i) : 0;
    guint run = put_run (out, row, i);

    if (run) {
      i += run;
      continue;
    }
    if (gap > 0.9f)
      put (out, gap > 1.8f ? "\\qquad " : "\\quad ");
    if (is_char (row, i, '(') && is_mod (row, i + 1)) {
      guint end = i + 2;
      while (end < to && !is_char (row, end, ')'))
        end++;
      if (end < to) {
        put (out, "\\pmod{");
        put_kids (out, row, i + 2, end);
        g_string_append_c (out, '}');
        i = end + 1;
        continue;
      }
    }
    if (n->type == DP_NODE_WORD)
      put_word (out, n, i > from && gap > 0.22f && gap <= 0.9f, i + 1 < to && gap_before (row, i + 1) > 0.22f);
    else
      dp_math_print (n, out);
    i++;
  }
}

/* ---- lines ------------------------------------------------------------------------------------------- */

/* First relation of a row that is one cell; G_MAXUINT if it has none. */
static guint
first_relation (const DpMathNode *cells)
{
  const DpMathNode *row = cells->kids->len == 1 ? g_ptr_array_index (cells->kids, 0) : NULL;

  for (guint i = 0; row && row->type == DP_NODE_ROW && i < row->kids->len; i++) {
    const DpMathNode *n = g_ptr_array_index (row->kids, i);
    if ((n->type == DP_NODE_LEAF || n->type == DP_NODE_LIMITS) && n->kind == DP_ATOM_REL && n->ch != ':')
      return i;
  }
  return G_MAXUINT;
}

static float
relation_place (const DpMathNode *cells)
{
  guint at = first_relation (cells);
  const DpMathNode *row = at != G_MAXUINT ? g_ptr_array_index (cells->kids, 0) : NULL;

  return row ? ((DpMathNode *) g_ptr_array_index (row->kids, at))->box.x0 : -1;
}

/* Do the rows' first relations stand one below the other? */
static gboolean
is_aligned (const DpMathNode *grid)
{
  float place = relation_place (g_ptr_array_index (grid->kids, 0));

  for (guint r = 0; r < grid->kids->len; r++) {
    float here = relation_place (g_ptr_array_index (grid->kids, r));
    if (here < 0 || fabsf (here - place) > 0.3f * grid->size)
      return FALSE;
  }
  return TRUE;
}

static void
put_rows (GString *out, const DpMathNode *grid, gboolean align)
{
  for (guint r = 0; r < grid->kids->len; r++) {
    const DpMathNode *cells = g_ptr_array_index (grid->kids, r);
    if (r)
      g_string_append (out, "\\\\ ");
    if (align) {
      const DpMathNode *row = g_ptr_array_index (cells->kids, 0);
      guint at = first_relation (cells);
      put_kids (out, row, 0, at);
      g_string_append_c (out, '&');
      put_kids (out, row, at, row->kids->len);
      continue;
    }
    for (guint c = 0; c < cells->kids->len; c++) {
      if (c)
        g_string_append_c (out, '&');
      dp_math_print (g_ptr_array_index (cells->kids, c), out);
    }
  }
}

static void
put_environment (GString *out, const DpMathNode *grid, const char *name, gboolean align)
{
  put (out, "\\begin{");
  g_string_append_printf (out, "%s}", name);
  put_rows (out, grid, align);
  g_string_append_printf (out, "\\end{%s}", name);
}

static void
put_grid (GString *out, const DpMathNode *grid)
{
  const DpMathNode *first = g_ptr_array_index (grid->kids, 0);

  if (first->kids->len == 1)
    put_environment (out, grid, "aligned", is_aligned (grid));
  else
    put_environment (out, grid, "matrix", FALSE);
}

/* ---- fences -------------------------------------------------------------------------------------------- */

/* Two lines in parentheses with a short item each: a binomial coefficient or a small vector. */
static gboolean
is_binomial (const DpMathNode *grid)
{
  if (grid->kids->len != 2)
    return FALSE;
  for (guint r = 0; r < 2; r++) {
    const DpMathNode *cells = g_ptr_array_index (grid->kids, r), *cell = g_ptr_array_index (cells->kids, 0);
    if (cells->kids->len != 1 || cell->kids->len > 3)
      return FALSE;
  }
  return TRUE;
}

static void
put_fence (GString *out, const DpMathNode *fence)
{
  const DpMathNode *content = g_ptr_array_index (fence->kids, 0);
  gboolean grid = content->type == DP_NODE_GRID;

  if (grid && fence->ch == '(' && fence->close == ')' && is_binomial (content)) {
    put (out, "\\binom");
    put_group (out, g_ptr_array_index (((DpMathNode *) g_ptr_array_index (content->kids, 0))->kids, 0));
    put_group (out, g_ptr_array_index (((DpMathNode *) g_ptr_array_index (content->kids, 1))->kids, 0));
    return;
  }
  if (grid && fence->ch == '{' && !fence->close) {
    put_environment (out, content, "cases", FALSE);
    return;
  }
  if (grid
      && ((fence->ch == '(' && fence->close == ')') || (fence->ch == '[' && fence->close == ']')
          || (fence->ch == '|' && fence->close == '|'))) {
    put_environment (out, content, fence->ch == '(' ? "pmatrix" : fence->ch == '[' ? "bmatrix" : "vmatrix", FALSE);
    return;
  }
  put (out, "\\left");
  put_char (out, fence->ch);
  if (grid)
    put_environment (out, content, "matrix", FALSE);
  else
    dp_math_print (content, out);
  put (out, "\\right");
  if (fence->close)
    put_char (out, fence->close);
  else
    g_string_append_c (out, '.');
}

/* ---- structures ------------------------------------------------------------------------------------------ */

/* Only primes: they need no brace. */
static guint
count_primes (const DpMathNode *sup)
{
  if (sup->type != DP_NODE_ROW)
    return 0;
  for (guint i = 0; i < sup->kids->len; i++)
    if (!is_char (sup, i, 0x2032))
      return 0;
  return sup->kids->len;
}

static void
put_scripts (GString *out, const DpMathNode *n)
{
  const DpMathNode *base = g_ptr_array_index (n->kids, 0), *sub = g_ptr_array_index (n->kids, 1), *sup = g_ptr_array_index (n->kids, 2);
  guint primes = sup ? count_primes (sup) : 0;

  if (base && base->type == DP_NODE_WORD)
    put_word (out, base, FALSE, FALSE);
  else if (base)
    dp_math_print (base, out);
  else
    g_string_append (out, "{}");
  if (sub) {
    g_string_append_c (out, '_');
    put_group (out, sub);
  }
  for (guint i = 0; i < primes; i++)
    g_string_append_c (out, '\'');
  if (sup && !primes) {
    g_string_append_c (out, '^');
    put_group (out, sup);
  }
}

static void
put_limits (GString *out, const DpMathNode *n)
{
  const DpMathNode *op = g_ptr_array_index (n->kids, 0), *above = g_ptr_array_index (n->kids, 2);

  if (op->kind == DP_ATOM_REL && op->type == DP_NODE_LEAF) {
    put (out, "\\overset");
    put_group (out, above);
    put_group (out, op);
  } else
    put_scripts (out, n);
}

static void
put_accent (GString *out, const DpMathNode *n)
{
  const DpMathNode *inner = g_ptr_array_index (n->kids, 0);
  gboolean wide = !(inner->type == DP_NODE_LEAF || (inner->type == DP_NODE_ROW && inner->kids->len == 1)) || n->ch == 0x0305;
  const char *command = dp_latex_accent (n->ch, wide);

  put (out, command ? command : "\\overline");
  put_group (out, inner);
}

void
dp_math_print (const DpMathNode *n, GString *out)
{
  switch (n->type) {
  case DP_NODE_LEAF: put_leaf (out, n); break;
  case DP_NODE_WORD: put_word (out, n, FALSE, FALSE); break;
  case DP_NODE_ROW: put_kids (out, n, 0, n->kids->len); break;
  case DP_NODE_FRACTION:
    put (out, "\\frac");
    put_group (out, g_ptr_array_index (n->kids, 0));
    put_group (out, g_ptr_array_index (n->kids, 1));
    break;
  case DP_NODE_ROOT:
    put (out, "\\sqrt");
    if (g_ptr_array_index (n->kids, 1)) {
      g_string_append_c (out, '[');
      dp_math_print (g_ptr_array_index (n->kids, 1), out);
      g_string_append_c (out, ']');
    }
    put_group (out, g_ptr_array_index (n->kids, 0));
    break;
  case DP_NODE_ACCENT: put_accent (out, n); break;
  case DP_NODE_SCRIPTS: put_scripts (out, n); break;
  case DP_NODE_LIMITS: put_limits (out, n); break;
  case DP_NODE_FENCE: put_fence (out, n); break;
  case DP_NODE_GRID: put_grid (out, n); break;
  }
}
