/* vlm/protocols/mineru_merge.c - do the cells of a table go on over the page break?
 *
 * The question shows the last row of one table and the first of the next as Python prints lists of strings, since that is what the
 * model was trained on (mineru-vl-utils, cross_page_table.py); the answer is a list of zeros and ones, one per cell.
 */
#include "vlm/protocols/mineru.h"
#include "vlm/protocols/text.h"

/* repr() of a str: single quotes unless only those are inside; what does not print is escaped. */
static void
append_repr (GString *out, const char *text)
{
  const char quote = strchr (text, '\'') && !strchr (text, '"') ? '"' : '\'';

  g_string_append_c (out, quote);
  for (const char *p = text; *p; p = g_utf8_next_char (p)) {
    const gunichar c = g_utf8_get_char (p);
    if (c == (gunichar) quote || c == '\\')
      g_string_append_printf (out, "\\%c", (char) c);
    else if (c == '\n' || c == '\r' || c == '\t')
      g_string_append (out, c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
    else if (c == ' ' || (g_unichar_isprint (c) && !dp_protocol_space (c)))
      g_string_append_unichar (out, c);
    else if (c < 0x100)
      g_string_append_printf (out, "\\x%02x", c);
    else
      g_string_append_printf (out, c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
  }
  g_string_append_c (out, quote);
}

static void
append_row (GString *out, const char *const *cells, guint n)
{
  g_string_append (out, "[[");
  for (guint i = 0; i < n; i++) {
    if (i)
      g_string_append (out, ", ");
    append_repr (out, cells[i]);
  }
  g_string_append (out, "]]");
}

char *
dp_mineru_merge_prompt (const char *const *last_row, const char *const *first_row, guint n)
{
  GString *out = g_string_new ("Please merge the next two tables.\n\n"
                               "## Table 1 (Previous Page - Last Table)\n\n"
                               "**Caption:** (No caption)\n"
                               "**Last Row(s) Data:**\n");

  append_row (out, last_row, n);
  g_string_append (out, "\n\n---\n\n"
                        "## Table 2 (Current Page - First Table)\n\n"
                        "**Caption:** (No caption)\n"
                        "**First Data Row(s):**\n");
  append_row (out, first_row, n);
  return g_string_free (out, FALSE);
}

/* The flags of the list that begins behind "[" at p: how many there are, or 0 if it is no list of zeros and ones. */
static guint
read_flags (const char *p, guint most, guint8 *flags)
{
  for (guint n = 0;;) {
    p = dp_protocol_skip (p);
    if ((*p != '0' && *p != '1') || n == most)
      return 0;
    flags[n++] = (guint8) (*p - '0');
    p = dp_protocol_skip (p + 1);
    if (*p == ']')
      return n;
    if (*p++ != ',')
      return 0;
  }
}

/* "[" of the first bracket that holds digits, commas and white space only, and at least one of them; or NULL. */
static const char *
first_list (const char *text)
{
  for (const char *open = strchr (text, '['); open; open = strchr (open + 1, '[')) {
    const char *p = open + 1;
    while (*p && (g_ascii_isdigit (*p) || *p == ',' || dp_protocol_space (g_utf8_get_char (p))))
      p = g_utf8_next_char (p);
    if (*p == ']' && p > open + 1)
      return open;
  }
  return NULL;
}

gboolean
dp_mineru_merge_answer (const char *answer, guint n, guint8 *flags)
{
  const char *list = first_list (answer);
  g_autofree guint8 *read = g_malloc (n + 1);

  if (!list || n == 0 || read_flags (list + 1, n, read) != n)
    return FALSE;
  memcpy (flags, read, n);
  return TRUE;
}
