/* pipeline/model_table.c - HTML as models write it: a scanner for the few tags that occur, then the places of the cells as browsers find
 * them (HTML standard, "forming a table"), cut to what the document's tables want: every place once. */
#include "pipeline/model_table.h"

#include "pipeline/model_text.h"
#include "vlm/protocols/mineru.h"

#include <string.h>

#define MOST_PLACES 1000000u
#define MOST_SPAN 1000u

typedef struct {
  guint row, col, row_span, col_span;
  gboolean header;
  GString *text; /* formulas in \( \), pictures as \1#N\1, breaks as line ends */
} Raw;

typedef struct {
  GArray *cells;   /* Raw */
  GArray *covered; /* guint per column: first row in which it is free */
  guint row, rows, columns;
  guint depth;     /* of open tables */
  gboolean in_row; /* a tr is open */
  Raw *open;       /* cell that takes text, or NULL */
} Reading;

static void
raw_clear (gpointer data)
{
  g_string_free (((Raw *) data)->text, TRUE);
}

/* ---- tags ------------------------------------------------------------------------------------------- */

/* The tag's name at p ("<td ...", "</td"): TRUE if it is name, with a border behind it. */
static gboolean
is_tag (const char *p, const char *name)
{
  const gsize n = strlen (name);

  return g_ascii_strncasecmp (p, name, n) == 0 && !g_ascii_isalnum (p[n]);
}

/* Value of a number attribute inside the tag [p, end), at least 1. */
static guint
attribute (const char *p, const char *end, const char *name)
{
  const gsize n = strlen (name);

  for (; p + n < end; p++) {
    const char *q = p + n;
    if (g_ascii_strncasecmp (p, name, n) != 0)
      continue;
    while (q < end && strchr (" \t=\"'", *q))
      q++;
    if (q < end && g_ascii_isdigit (*q))
      return (guint) CLAMP (g_ascii_strtoull (q, NULL, 10), 1, MOST_SPAN);
  }
  return 1;
}

static guint
free_at (const Reading *r, guint col)
{
  return col < r->covered->len ? g_array_index (r->covered, guint, col) : 0;
}

static void
open_cell (Reading *r, const char *tag, const char *end, gboolean header)
{
  Raw cell = { .row = r->row, .header = header, .row_span = attribute (tag, end, "rowspan"), .text = g_string_new (NULL) };
  const guint wanted = attribute (tag, end, "colspan");

  while (free_at (r, cell.col) > r->row)
    cell.col++;
  while (cell.col_span < wanted && free_at (r, cell.col + cell.col_span) <= r->row)
    cell.col_span++;
  if (cell.col + cell.col_span > r->covered->len)
    g_array_set_size (r->covered, cell.col + cell.col_span);
  for (guint c = cell.col; c < cell.col + cell.col_span; c++)
    g_array_index (r->covered, guint, c) = r->row + cell.row_span;
  g_array_append_val (r->cells, cell);
  r->open = &g_array_index (r->cells, Raw, r->cells->len - 1);
  r->rows = MAX (r->rows, r->row + 1);
  r->columns = MAX (r->columns, cell.col + cell.col_span);
  r->in_row = TRUE;
}

static void
end_row (Reading *r)
{
  r->open = NULL;
  if (r->in_row)
    r->row++;
  r->in_row = FALSE;
}

static void
put (Reading *r, const char *text)
{
  if (r->open)
    g_string_append (r->open->text, text);
}

/* A picture's place: <img src="#N"/>. */
static void
put_picture (Reading *r, const char *p, const char *end)
{
  const char *number = g_strstr_len (p, end - p, "#");
  guint n = 0;

  if (!r->open || !number)
    return;
  for (number++; number < end && g_ascii_isdigit (*number) && n < 100000; number++)
    n = n * 10 + (guint) (*number - '0');
  g_string_append_printf (r->open->text, "\001#%u\001", n);
}

static void
read_tag (Reading *r, const char *p, const char *end)
{
  if (is_tag (p, "table"))
    r->depth++;
  else if (is_tag (p, "/table"))
    r->depth -= r->depth > 0;
  else if (r->depth > 1) { /* a table in a cell */
    if (is_tag (p, "td") || is_tag (p, "th") || is_tag (p, "br"))
      put (r, " ");
  } else if (is_tag (p, "tr") || is_tag (p, "/tr"))
    end_row (r);
  else if (is_tag (p, "td") || is_tag (p, "th"))
    open_cell (r, p, end, is_tag (p, "th"));
  else if (is_tag (p, "/td") || is_tag (p, "/th"))
    r->open = NULL;
  else if (is_tag (p, "br"))
    put (r, "\n");
  else if (is_tag (p, "eq") || is_tag (p, "/eq"))
    put (r, *p == '/' ? "\\)" : "\\(");
  else if (is_tag (p, "img"))
    put_picture (r, p, end);
  else if (is_tag (p, "sup") || is_tag (p, "/sup") || is_tag (p, "sub") || is_tag (p, "/sub")) {
    g_autofree char *tag
        = g_strdup_printf ("<%s%s>", *p == '/' ? "/" : "", p[*p == '/' ? 3 : 2] == 'b' || p[*p == '/' ? 3 : 2] == 'B' ? "sub" : "sup");
    put (r, tag);
  }
}

/* The character of an entity at p ("&amp;") and its length; 0: none. */
static gsize
entity (const char *p, gunichar *c)
{
  static const struct {
    const char *name;
    gunichar c;
  } names[]
      = { { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' }, { "&#39;", '\'' }, { "&apos;", '\'' }, { "&nbsp;", ' ' } };
  const char *digits = p + 2;
  guint64 value = 0;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_has_prefix (p, names[i].name)) {
      *c = names[i].c;
      return strlen (names[i].name);
    }
  if (p[1] != '#')
    return 0;
  const gboolean hex = *digits == 'x' || *digits == 'X';
  digits += hex;
  const char *q = digits;
  for (; (hex ? g_ascii_isxdigit (*q) : g_ascii_isdigit (*q)) && value < 0x110000; q++)
    value = value * (hex ? 16 : 10) + (guint) g_ascii_xdigit_value (*q);
  *c = (gunichar) value;
  return q > digits && *q == ';' && value < 0x110000 && g_unichar_validate (*c) && value >= 32 ? (gsize) (q + 1 - p) : 0;
}

/* A tag that models write in tables; other uses of < are text. */
static gboolean
looks_like_tag (const char *p)
{
  static const char *const names[]
      = { "table", "tr", "td", "th",     "br", "eq",   "img", "sup", "sub", "thead", "tbody", "tfoot", "caption", "p",
          "b",     "i",  "u",  "strong", "em", "span", "div", "a",   "ul",  "ol",    "li",    "col",   "colgroup" };

  if (*p++ != '<')
    return FALSE;
  p += *p == '/';
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (is_tag (p, names[i]))
      return TRUE;
  return FALSE;
}

static void
read_html (Reading *r, const char *html)
{
  for (const char *p = html; *p;) {
    gunichar c;
    const char *end = looks_like_tag (p) ? strchr (p, '>') : NULL;
    const gsize n = *p == '&' ? entity (p, &c) : 0;
    if (end) {
      read_tag (r, p + 1, end);
      p = end + 1;
    } else if (n) {
      if (r->open)
        g_string_append_unichar (r->open->text, c);
      p += n;
    } else {
      if (r->open)
        g_string_append_c (r->open->text, *p == '\n' || *p == '\001' ? ' ' : *p);
      p++;
    }
  }
  end_row (r);
}

/* ---- the grid -------------------------------------------------------------------------------------------- */

/* at: "#N" */
static DpSpan *
picture_span (const char *at)
{
  g_autofree char *text = g_strdup_printf ("[image %" G_GUINT64_FORMAT "]", g_ascii_strtoull (at + 1, NULL, 10) + 1);

  return dp_span_new (text, DP_SPAN_PICTURE, at);
}

static void
fill_cell (DpCell *cell, const Raw *raw)
{
  g_auto (GStrv) parts = g_strsplit (raw->text->str, "\001", -1);

  for (guint i = 0; parts[i]; i++) {
    if (i % 2 == 0) {
      g_autofree char *text = i == 0 && !parts[1] ? g_strdup (g_strstrip (parts[i])) : g_strdup (parts[i]);
      dp_model_spans (cell->spans, text, TRUE);
    } else
      g_ptr_array_add (cell->spans, picture_span (parts[i]));
  }
}

/* Every place's owner: 1 + index of its cell, 0 = none. */
static guint *
places_of (const Reading *r)
{
  guint *owner = g_new0 (guint, (gsize) r->rows * r->columns);

  for (guint i = 0; i < r->cells->len; i++) {
    Raw *raw = &g_array_index (r->cells, Raw, i);
    raw->row_span = MIN (raw->row_span, r->rows - raw->row);
    for (guint y = raw->row; y < raw->row + raw->row_span; y++)
      for (guint x = raw->col; x < raw->col + raw->col_span; x++)
        owner[(gsize) y * r->columns + x] = i + 1;
  }
  return owner;
}

static gboolean
has_letters (const DpCell *cell)
{
  g_autofree char *text = dp_spans_to_text (cell->spans);

  for (const char *p = text; *p; p = g_utf8_next_char (p))
    if (g_unichar_isalpha (g_utf8_get_char (p)))
      return TRUE;
  return FALSE;
}

/* A first row that is all words names its columns, together with the rows that its cells reach into, if those are words, too. */
static void
find_header (DpTable *table)
{
  guint rows = 1;

  for (guint i = 0; i < table->cells->len; i++) {
    const DpCell *cell = g_ptr_array_index (table->cells, i);
    if (cell->row >= rows)
      break;
    if (!has_letters (cell))
      return;
    rows = MAX (rows, cell->row + cell->row_span);
  }
  if (rows < table->n_rows)
    table->n_header_rows = rows;
}

static DpTable *
build (const Reading *r)
{
  g_autofree guint *owner = places_of (r);
  DpTable *table = dp_table_new (r->rows, r->columns);
  const DpRect none = { 0 };
  gboolean any_header = FALSE;

  for (guint y = 0; y < r->rows; y++) {
    gboolean all = TRUE;
    for (guint x = 0; x < r->columns; x++) {
      const guint o = owner[(gsize) y * r->columns + x];
      const Raw *raw = o ? &g_array_index (r->cells, Raw, o - 1) : NULL;
      all &= raw && raw->header;
      if (!raw)
        dp_table_add_cell (table, y, x, 1, 1, none);
      else if (raw->row == y && raw->col == x) {
        DpCell *cell = dp_table_add_cell (table, y, x, raw->row_span, raw->col_span, none);
        cell->header = raw->header;
        fill_cell (cell, raw);
      }
    }
    any_header |= all;
    if (all && table->n_header_rows == y)
      table->n_header_rows++;
  }
  if (!any_header)
    find_header (table);
  return table;
}

DpTable *
dp_model_table (const char *html)
{
  Reading r = { .cells = g_array_new (FALSE, TRUE, sizeof (Raw)), .covered = g_array_new (FALSE, TRUE, sizeof (guint)) };
  DpTable *table = NULL;

  g_array_set_clear_func (r.cells, raw_clear);
  read_html (&r, html);
  if (r.cells->len > 0 && (guint64) r.rows * r.columns <= MOST_PLACES)
    table = build (&r);
  g_array_unref (r.cells);
  g_array_unref (r.covered);
  return table;
}

DpTable *
dp_model_markdown_table (const char *markdown)
{
  g_autofree char *html = dp_mineru_markdown_table (markdown);

  return html ? dp_model_table (html) : NULL;
}

char *
dp_model_table_text (const DpTable *table)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < table->cells->len; i++) {
    const DpCell *cell = g_ptr_array_index (table->cells, i);
    g_autofree char *text = dp_spans_to_text (cell->spans);
    g_string_append_printf (out, "%s\n", text);
  }
  return g_string_free (out, FALSE);
}
