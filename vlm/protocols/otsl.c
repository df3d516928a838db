/* vlm/protocols/otsl.c - OTSL to HTML in one sweep over the rows; rules in the header. */
#include "vlm/protocols/otsl.h"

#include "vlm/error.h"
#include "vlm/protocols/text.h"

#include <string.h>

#define MAX_CELLS 1000000u

typedef enum {
  TOKEN_FULL,
  TOKEN_EMPTY,
  TOKEN_LEFT,
  TOKEN_UP,
  TOKEN_BOTH,
  TOKEN_ROW,
  TOKEN_NONE,
} Token;

typedef struct {
  Token token;
  DpSpan text; /* stripped */
} Cell;

typedef struct {
  GArray *cells; /* Cell, row by row */
  GArray *rows;  /* guint: first cell of each row, and one more for the end */
  guint columns;
} Grid;

static Token
token_at (const char *p, gsize *length)
{
  static const char *const names[] = { "<fcel>", "<ecel>", "<lcel>", "<ucel>", "<xcel>", "<nl>" };

  for (guint i = 0; *p == '<' && i < G_N_ELEMENTS (names); i++)
    if (g_str_has_prefix (p, names[i])) {
      *length = strlen (names[i]);
      return (Token) i;
    }
  return TOKEN_NONE;
}

/* The next token at or after p, or the end. */
static const char *
find_token (const char *p, Token *token, gsize *length)
{
  for (*token = TOKEN_NONE; *p; p++)
    if ((*token = token_at (p, length)) != TOKEN_NONE)
      break;
  return p;
}

static void
end_row (Grid *g)
{
  const guint first = g_array_index (g->rows, guint, g->rows->len - 1), end = g->cells->len;

  if (end == first)
    return;
  g->columns = MAX (g->columns, end - first);
  g_array_append_val (g->rows, end);
}

static void
read_grid (Grid *g, const char *otsl)
{
  const guint zero = 0;
  Token token;
  gsize length = 0;

  g->cells = g_array_new (FALSE, FALSE, sizeof (Cell));
  g->rows = g_array_new (FALSE, FALSE, sizeof (guint));
  g->columns = 0;
  g_array_append_val (g->rows, zero);
  for (const char *p = find_token (otsl, &token, &length); token != TOKEN_NONE;) {
    const Token this = token;
    const char *text = p + length;
    p = find_token (text, &token, &length);
    if (this == TOKEN_ROW) {
      end_row (g);
      continue;
    }
    const Cell cell = { this, dp_protocol_strip (dp_span (text, (gsize) (p - text))) };
    g_array_append_val (g->cells, cell);
  }
  end_row (g);
}

static Cell
cell_at (const Grid *g, guint row, guint column)
{
  if (row + 1 < g->rows->len) {
    const guint first = g_array_index (g->rows, guint, row), end = g_array_index (g->rows, guint, row + 1);
    if (column < end - first)
      return g_array_index (g->cells, Cell, first + column);
  }
  return (Cell){ .token = TOKEN_EMPTY };
}

static guint
columns_of (const Grid *g, guint row, guint column)
{
  const Cell cell = cell_at (g, row, column);
  guint n = 1;

  if (cell.token == TOKEN_EMPTY && cell.text.n) /* text behind an empty cell cuts it off from what follows, as in the reference */
    return 1;
  for (Token t; (t = cell_at (g, row, column + n).token) == TOKEN_LEFT || t == TOKEN_BOTH;)
    n++;
  return n;
}

static guint
rows_of (const Grid *g, guint row, guint column)
{
  guint n = 1;

  for (Token t; (t = cell_at (g, row + n, column).token) == TOKEN_UP || t == TOKEN_BOTH;)
    n++;
  return n;
}

static void
append_cell (GString *out, const Cell *cell, guint rows, guint columns)
{
  g_string_append (out, "<td");
  if (rows > 1)
    g_string_append_printf (out, " rowspan=\"%u\"", rows);
  if (columns > 1)
    g_string_append_printf (out, " colspan=\"%u\"", columns);
  g_string_append_c (out, '>');
  if (cell->token == TOKEN_FULL)
    dp_protocol_append_html (out, cell->text);
  g_string_append (out, "</td>");
}

/* One row; covered[c] is the first row in which column c no longer belongs to a cell printed before.  A cell's own place always
 * prints, also where spans overlap. */
static void
append_row (GString *out, const Grid *g, guint row, guint *covered)
{
  g_string_append (out, "<tr>");
  for (guint c = 0; c < g->columns; c++) {
    const Cell cell = cell_at (g, row, c);
    if (cell.token == TOKEN_FULL || cell.token == TOKEN_EMPTY) {
      const guint columns = columns_of (g, row, c), rows = rows_of (g, row, c);
      append_cell (out, &cell, rows, columns);
      for (guint i = c; i < MIN (c + columns, g->columns); i++)
        covered[i] = MAX (covered[i], row + rows);
    } else if (covered[c] <= row)
      append_cell (out, &cell, 1, 1);
  }
  g_string_append (out, "</tr>");
}

static gboolean
has_cells (const Grid *g)
{
  for (guint i = 0; i < g->cells->len; i++)
    if (g_array_index (g->cells, Cell, i).token <= TOKEN_EMPTY)
      return TRUE;
  for (guint r = 0; r + 1 < g->rows->len; r++) /* a short row is filled up with empty ones */
    if (g_array_index (g->rows, guint, r + 1) - g_array_index (g->rows, guint, r) < g->columns)
      return TRUE;
  return FALSE;
}

static char *
print_grid (const Grid *g)
{
  GString *out = g_string_new (NULL);
  g_autofree guint *covered = g_new0 (guint, g->columns + 1);

  if (has_cells (g)) {
    g_string_append (out, "<table>");
    for (guint r = 0; r + 1 < g->rows->len; r++)
      append_row (out, g, r, covered);
    g_string_append (out, "</table>");
  }
  return g_string_free (out, FALSE);
}

char *
dp_otsl_to_html (const char *otsl, GError **error)
{
  Grid g;
  char *html = NULL;

  if (g_str_has_prefix (otsl, "<table") && g_str_has_suffix (otsl, "</table>"))
    return g_strdup (otsl);
  read_grid (&g, otsl);
  if ((guint64) (g.rows->len - 1) * g.columns > MAX_CELLS)
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT, "a table of %u rows and %u columns is too large (%u cells)", g.rows->len - 1,
                 g.columns, MAX_CELLS);
  else
    html = print_grid (&g);
  g_array_unref (g.cells);
  g_array_unref (g.rows);
  return html;
}

/* ---- formulas ---- */

static void
append_marked (GString *out, const char *p, const char *end, const char *open, const char *close)
{
  DpSpan inner;

  for (const char *start; (start = dp_protocol_find_pair (p, end, open, close, TRUE, &inner)) != NULL; p = inner.start + inner.n + 2) {
    g_string_append_len (out, p, start - p);
    g_string_append (out, "<eq>");
    dp_protocol_append (out, dp_protocol_strip (inner));
    g_string_append (out, "</eq>");
  }
  g_string_append_len (out, p, end - p);
}

static void
append_both (GString *out, const char *p, const char *end)
{
  g_autoptr (GString) once = g_string_new (NULL);

  append_marked (once, p, end, "\\(", "\\)");
  append_marked (out, once->str, once->str + once->len, "\\[", "\\]");
}

char *
dp_otsl_mark_formulas (const char *html)
{
  GString *out = g_string_new (NULL);
  const char *p = html, *end = html + strlen (html), *open;
  DpSpan inner;

  while ((open = dp_protocol_find_pair (p, end, "<eq>", "</eq>", FALSE, &inner)) != NULL) {
    const char *behind = inner.start + inner.n + strlen ("</eq>");
    append_both (out, p, open);
    g_string_append_len (out, open, behind - open);
    p = behind;
  }
  append_both (out, p, end);
  return g_string_free (out, FALSE);
}
