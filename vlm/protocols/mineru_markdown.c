/* vlm/protocols/mineru_markdown.c - Markdown tables as the model writes them (mineru-vl-utils, image_analysis_postprocess.py). */
#include "vlm/protocols/mineru.h"
#include "vlm/protocols/mineru_rows.h"

DpSpan
dp_markdown_inner (DpSpan line)
{
  DpSpan s = dp_protocol_strip (line);

  if (s.n && s.start[0] == '|') {
    s.start++;
    s.n--;
  }
  if (s.n && s.start[s.n - 1] == '|')
    s.n--;
  return s;
}

guint
dp_markdown_count (DpSpan line)
{
  const DpSpan s = dp_markdown_inner (line);
  guint n = 1;

  for (gsize i = 0; i < s.n; i++)
    n += s.start[i] == '|';
  return n;
}

/* Behind :---: at p with its white space, or NULL. */
static const char *
skip_dashes (const char *p, const char *end)
{
  guint dashes = 0;

  while (p < end && dp_protocol_space (g_utf8_get_char (p)))
    p = g_utf8_next_char (p);
  p += p < end && *p == ':';
  for (; p < end && *p == '-'; p++)
    dashes++;
  p += p < end && *p == ':';
  while (p < end && dp_protocol_space (g_utf8_get_char (p)))
    p = g_utf8_next_char (p);
  return dashes >= 3 ? p : NULL;
}

gboolean
dp_markdown_is_separator (DpSpan line)
{
  const DpSpan s = dp_protocol_strip (line);
  const char *p = s.start, *end = s.start + s.n;
  guint columns = 0;

  p += p < end && *p == '|';
  while (p && p < end) {
    p = skip_dashes (p, end);
    columns++;
    if (p && p < end && *p++ != '|')
      return FALSE;
  }
  return p && columns >= 2;
}

gboolean
dp_markdown_is_row (DpSpan line)
{
  return memchr (line.start, '|', line.n) && dp_markdown_count (line) >= 2;
}

GPtrArray *
dp_markdown_cells (DpSpan line)
{
  const DpSpan s = dp_markdown_inner (line);
  GPtrArray *cells = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) cell = g_string_new (NULL);

  for (gsize i = 0; i <= s.n; i++) {
    if (i < s.n && s.start[i] == '\\' && i + 1 < s.n) {
      if (s.start[i + 1] != '|')
        g_string_append_c (cell, '\\');
      g_string_append_c (cell, s.start[++i]);
    } else if (i < s.n && s.start[i] != '|') {
      g_string_append_c (cell, s.start[i]);
    } else {
      const DpSpan text = dp_protocol_strip (dp_span (cell->str, cell->len));
      g_ptr_array_add (cells, g_strndup (text.start, text.n));
      g_string_truncate (cell, 0);
    }
  }
  return cells;
}

/* ---- to HTML ---- */

/* Appends one row; FALSE: it has not n cells. */
static gboolean
append_row (GString *html, DpSpan line, const char *tag, guint n)
{
  g_autoptr (GPtrArray) cells = dp_markdown_cells (line);

  g_string_append (html, "<tr>");
  for (guint i = 0; i < cells->len; i++) {
    const char *cell = g_ptr_array_index (cells, i);
    g_string_append_printf (html, "<%s>", tag);
    dp_protocol_append_html (html, dp_span (cell, strlen (cell)));
    g_string_append_printf (html, "</%s>", tag);
  }
  g_string_append (html, "</tr>");
  return cells->len == n;
}

char *
dp_mineru_markdown_table (const char *content)
{
  g_autoptr (GArray) lines = dp_protocol_lines (dp_protocol_strip (dp_span (content, strlen (content))));
  g_autoptr (GString) html = g_string_new ("<table>");

  if (lines->len < 2 || !dp_markdown_is_row (dp_protocol_line (lines, 0)) || !dp_markdown_is_separator (dp_protocol_line (lines, 1)))
    return NULL;
  g_autoptr (GPtrArray) head = dp_markdown_cells (dp_protocol_line (lines, 0)), rule = dp_markdown_cells (dp_protocol_line (lines, 1));
  if (head->len < 2 || rule->len != head->len)
    return NULL;
  for (guint i = 0; i < lines->len; i++) {
    if (i == 1)
      continue;
    if (!dp_markdown_is_row (dp_protocol_line (lines, i)) || !append_row (html, dp_protocol_line (lines, i), i ? "td" : "th", head->len))
      return NULL;
  }
  g_string_append (html, "</table>");
  return g_string_free (g_steal_pointer (&html), FALSE);
}
