/* vlm/protocols/latex_fences.c - partners for \left and \right.
 *
 * A formula is cut at &, \\, \begin{array}{..} and \end{array}.  The pieces between them belong to cells: those of the innermost
 * array, and outside of arrays all pieces to one cell (where there is no array at all, only the first piece is looked at: so the
 * reference does it).  In a cell whose counts differ, fences pair by a stack, a dot with anything; what is left over gets
 * " \right." behind or "\left. " in front.
 */
#include "vlm/protocols/latex.h"

#include "vlm/protocols/text.h"

#include <string.h>

/* Delimiters known behind \left and \right.  "any": the reference writes "\right." without escaping the dot, so that \right and
 * any character but a newline counts as a \right, \rightarrow too. */
static const char *const counted_left[] = { "\\lbrace", "\\lVert", "\\lvert", "\\vert", "\\Vert", "\\lfloor", "\\lbrack", "\\langle", "|",
                                            "\\|",      "[",       "]",       "(",      "\\{",    "\\}",      ".",        NULL };
static const char *const counted_right[] = { "\\rbrace", "\\rVert", "\\rvert", "\\vert", "\\Vert", "\\rfloor", "\\rbrack", "\\rangle",
                                             "|",        "\\|",     "]",       "[",      ")",      "\\}",      "\\{",      NULL };
/* Whole pieces that take part in pairing. */
static const char *const valid_left[]
    = { "\\lbrace", "\\lVert", "\\lvert", "\\rvert", "\\rVert", "\\vert", "\\Vert", "\\lfloor", "\\lbrack", "\\langle", "|",
        "\\|",      "[",       "]",       "(",       ")",       "\\{",    "\\}",    ".",        "/",        NULL };
static const char *const valid_right[]
    = { "\\rbrace", "\\lVert", "\\lvert", "\\rvert", "\\rVert", "\\vert", "\\Vert", "\\rfloor", "\\rbrack", "\\rangle", "|",
        "\\|",      "]",       "[",       ")",       "(",       "\\}",    "\\{",    ".",        "/",        NULL };
/* Which close which; a dot closes everything that is here on one side. */
static const char *const pairs[][2] = {
  { "\\lbrace", "\\rbrace" },
  { "\\lVert", "\\lVert" },
  { "\\lvert", "\\lvert" },
  { "\\vert", "\\vert" },
  { "\\Vert", "\\Vert" },
  { "\\lfloor", "\\rfloor" },
  { "\\lbrack", "\\rbrack" },
  { "\\langle", "\\rangle" },
  { "|", "|" },
  { "\\|", "\\|" },
  { "[", "]" },
  { "]", "[" },
  { "(", ")" },
  { ")", "(" },
  { "\\{", "\\}" },
  { "\\}", "\\{" },
  { "/", "/" },
};

/* ---- fences ---- */

static gboolean
starts (DpSpan s, const char *prefix)
{
  const gsize n = strlen (prefix);

  return s.n >= n && memcmp (s.start, prefix, n) == 0;
}

/* Bytes of the \left fence at the start of s, 0: none. */
static gsize
left_at (DpSpan s)
{
  if (!starts (s, "\\left"))
    return 0;
  const DpSpan rest = dp_span (s.start + 5, s.n - 5);
  for (guint i = 0; counted_left[i]; i++)
    if (starts (rest, counted_left[i]))
      return 5 + strlen (counted_left[i]);
  return 0;
}

static gsize
right_at (DpSpan s)
{
  if (!starts (s, "\\right"))
    return 0;
  const DpSpan rest = dp_span (s.start + 6, s.n - 6);
  for (guint i = 0; counted_right[i]; i++)
    if (starts (rest, counted_right[i]))
      return 6 + strlen (counted_right[i]);
  return rest.n && *rest.start != '\n' ? 6 + (gsize) (g_utf8_next_char (rest.start) - rest.start) : 0;
}

/* Left fences minus right fences. */
static gint64
surplus (DpSpan s)
{
  gint64 left = 0, right = 0;

  for (gsize i = 0, k; i < s.n; i += k ? k : 1) {
    k = left_at (dp_span (s.start + i, s.n - i));
    left += k > 0;
  }
  for (gsize i = 0, k; i < s.n; i += k ? k : 1) {
    k = right_at (dp_span (s.start + i, s.n - i));
    right += k > 0;
  }
  return left - right;
}

static gboolean
listed (DpSpan s, const char *command, const char *const *list)
{
  if (!starts (s, command))
    return FALSE;
  const DpSpan rest = dp_span (s.start + strlen (command), s.n - strlen (command));
  for (guint i = 0; list[i]; i++)
    if (rest.n == strlen (list[i]) && memcmp (rest.start, list[i], rest.n) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
is_dot (DpSpan s, const char *command)
{
  return starts (s, command) && s.n == strlen (command) + 1 && s.start[s.n - 1] == '.';
}

static gboolean
closes (DpSpan left, DpSpan right)
{
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++) {
    const char *const l[] = { pairs[i][0], NULL }, *const r[] = { pairs[i][1], NULL };
    if ((listed (left, "\\left", l) || is_dot (left, "\\left")) && (listed (right, "\\right", r) || is_dot (right, "\\right")))
      return TRUE;
  }
  return FALSE;
}

/* ---- pieces ---- */

typedef enum { PIECE_TEXT, PIECE_BREAK, PIECE_BEGIN, PIECE_END } Kind;

typedef struct {
  DpSpan text;
  Kind kind;
  guint cell;  /* PIECE_TEXT; 0: outside of arrays */
  char *fixed; /* owned; NULL: as it is */
} Piece;

static void
piece_clear (gpointer data)
{
  g_free (((Piece *) data)->fixed);
}

/* \begin{array} and a specification of letters and blanks. */
static gsize
begin_at (const char *p)
{
  if (!g_str_has_prefix (p, "\\begin{array}"))
    return 0;
  const char *q = dp_protocol_skip (p + strlen ("\\begin{array}"));
  if (*q++ != '{')
    return 0;
  for (const char *r; g_ascii_isalpha (*q) || (r = dp_protocol_skip (q)) != q; q = g_ascii_isalpha (*q) ? q + 1 : r)
    ;
  return *q == '}' ? (gsize) (q + 1 - p) : 0;
}

static gsize
cut_at (const char *p)
{
  if (*p == '&')
    return 1;
  if (p[0] == '\\' && p[1] == '\\')
    return 2;
  if (g_str_has_prefix (p, "\\end{array}"))
    return strlen ("\\end{array}");
  return begin_at (p);
}

static Kind
kind_of (DpSpan s)
{
  if (g_strstr_len (s.start, (gssize) s.n, "\\begin{array}"))
    return PIECE_BEGIN; /* also one without a specification, inside of a text */
  if (g_strstr_len (s.start, (gssize) s.n, "\\end{array}"))
    return PIECE_END;
  if ((s.n == 1 && *s.start == '&') || (s.n == 2 && memcmp (s.start, "\\\\", 2) == 0))
    return PIECE_BREAK;
  return PIECE_TEXT;
}

static void
add_piece (GArray *pieces, const char *start, const char *end)
{
  if (end == start)
    return;
  const DpSpan s = dp_protocol_strip (dp_span (start, (gsize) (end - start)));
  const Piece piece = { .text = s, .kind = kind_of (s) };
  g_array_append_val (pieces, piece);
}

static void
cut (GArray *pieces, const char *latex)
{
  const char *from = latex, *p = latex;

  while (*p) {
    const gsize k = cut_at (p);
    if (!k) {
      p++;
      continue;
    }
    add_piece (pieces, from, p);
    add_piece (pieces, p, p + k);
    from = p += k;
  }
  add_piece (pieces, from, p);
}

/* Numbers the cells; FALSE where arrays do not nest. */
static gboolean
number_cells (GArray *pieces, gboolean *arrays)
{
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint)); /* current cell of each open array */
  guint cells = 0;

  *arrays = FALSE;
  for (guint i = 0; i < pieces->len; i++) {
    Piece *p = &g_array_index (pieces, Piece, i);
    guint *top = open->len ? &g_array_index (open, guint, open->len - 1) : NULL;
    switch (p->kind) {
    case PIECE_BEGIN:
      cells++;
      g_array_append_val (open, cells);
      *arrays = TRUE;
      break;
    case PIECE_END:
      if (!top)
        return FALSE;
      g_array_set_size (open, open->len - 1);
      break;
    case PIECE_BREAK:
      if (top)
        *top = ++cells;
      break;
    case PIECE_TEXT: p->cell = top ? *top : 0; break;
    }
  }
  return open->len == 0;
}

/* ---- one cell ---- */

typedef struct {
  DpSpan text;
  guint piece; /* whose part it is */
  int mark;    /* 1: needs a \right, -1: needs a \left */
} Part;

/* A piece at its fences; blank parts vanish. */
static void
add_parts (GArray *parts, const Piece *piece, guint index)
{
  const char *from = piece->text.start, *end = from + piece->text.n;

  for (const char *p = from; p <= end;) {
    const DpSpan rest = dp_span (p, (gsize) (end - p));
    const gsize left = left_at (rest), k = left ? left : right_at (rest);
    if (p < end && !k) {
      p++;
      continue;
    }
    const DpSpan both[2] = { dp_span (from, (gsize) (p - from)), dp_span (p, k) };
    for (guint i = 0; i < 2; i++) {
      const Part part = { .text = both[i], .piece = index };
      if (dp_protocol_strip (both[i]).n)
        g_array_append_val (parts, part);
    }
    if (p == end)
      break;
    from = p += k;
  }
}

/* Marks what has no partner. */
static void
pair_up (GArray *parts)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < parts->len; i++) {
    const DpSpan this = g_array_index (parts, Part, i).text;
    if (!listed (this, "\\left", valid_left) && !listed (this, "\\right", valid_right))
      continue;
    if (stack->len && closes (g_array_index (parts, Part, g_array_index (stack, guint, stack->len - 1)).text, this))
      g_array_set_size (stack, stack->len - 1);
    else
      g_array_append_val (stack, i);
  }
  for (guint i = 0; i < stack->len; i++) {
    Part *p = &g_array_index (parts, Part, g_array_index (stack, guint, i));
    p->mark = starts (p->text, "\\left") ? 1 : -1;
  }
}

/* Pieces first .. of one cell (indices in list). */
static void
repair_cell (GArray *pieces, const guint *list, guint n)
{
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (Part));
  gint64 sum = 0;

  for (guint i = 0; i < n; i++)
    sum += surplus (g_array_index (pieces, Piece, list[i]).text);
  if (sum == 0)
    return;
  for (guint i = 0; i < n; i++)
    add_parts (parts, &g_array_index (pieces, Piece, list[i]), i);
  pair_up (parts);
  for (guint i = 0, at = 0; i < n; i++) {
    GString *s = g_string_new (NULL);
    for (; at < parts->len && g_array_index (parts, Part, at).piece == i; at++) {
      const Part *p = &g_array_index (parts, Part, at);
      g_string_append (s, p->mark < 0 ? "\\left. " : "");
      dp_protocol_append (s, p->text);
      g_string_append (s, p->mark > 0 ? " \\right." : "");
    }
    g_array_index (pieces, Piece, list[i]).fixed = g_string_free (s, FALSE);
  }
}

static int
by_cell (gconstpointer a, gconstpointer b, gpointer data)
{
  const GArray *pieces = data;
  const guint x = *(const guint *) a, y = *(const guint *) b;
  const guint cx = g_array_index (pieces, Piece, x).cell, cy = g_array_index (pieces, Piece, y).cell;

  return cx != cy ? (cx < cy ? -1 : 1) : x < y ? -1 : 1;
}

static void
repair_cells (GArray *pieces, gboolean arrays)
{
  g_autoptr (GArray) texts = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < (arrays ? pieces->len : MIN (pieces->len, 1)); i++)
    if (g_array_index (pieces, Piece, i).kind == PIECE_TEXT)
      g_array_append_val (texts, i);
  g_array_sort_with_data (texts, by_cell, pieces);
  for (guint i = 0, end; i < texts->len; i = end) {
    const guint *list = &g_array_index (texts, guint, i), cell = g_array_index (pieces, Piece, list[0]).cell;
    for (end = i + 1; end < texts->len && g_array_index (pieces, Piece, g_array_index (texts, guint, end)).cell == cell; end++)
      ;
    repair_cell (pieces, list, end - i);
  }
}

static guint
count (const char *text, const char *what)
{
  guint n = 0;

  for (const char *p = text; (p = strstr (p, what)) != NULL; p += strlen (what))
    n++;
  return n;
}

char *
dp_latex_balance_fences (const char *latex)
{
  gboolean arrays;

  if (surplus (dp_span (latex, strlen (latex))) == 0 || count (latex, "\\begin{array}") != count (latex, "\\end{array}"))
    return g_strdup (latex);
  g_autoptr (GArray) pieces = g_array_new (FALSE, TRUE, sizeof (Piece));
  const DpSpan stripped = dp_protocol_strip (dp_span (latex, strlen (latex)));
  g_autofree char *text = g_strndup (stripped.start, stripped.n);
  g_array_set_clear_func (pieces, piece_clear);
  cut (pieces, text);
  if (!number_cells (pieces, &arrays))
    return g_strdup (latex);
  repair_cells (pieces, arrays);
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < pieces->len; i++) {
    const Piece *p = &g_array_index (pieces, Piece, i);
    if (p->fixed)
      g_string_append (out, p->fixed);
    else
      dp_protocol_append (out, p->text);
  }
  return g_string_free (out, FALSE);
}
