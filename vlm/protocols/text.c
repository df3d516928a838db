/* vlm/protocols/text.c - what of text.h is too long for a header. */
#include "vlm/protocols/text.h"

void
dp_protocol_append_html (GString *out, DpSpan s)
{
  for (gsize i = 0; i < s.n; i++)
    switch (s.start[i]) {
    case '&': g_string_append (out, "&amp;"); break;
    case '<': g_string_append (out, "&lt;"); break;
    case '>': g_string_append (out, "&gt;"); break;
    case '"': g_string_append (out, "&quot;"); break;
    case '\'': g_string_append (out, "&#x27;"); break;
    default: g_string_append_c (out, s.start[i]); break;
    }
}

static gboolean
ends_line (gunichar c)
{
  return (c >= 0x0a && c <= 0x0d) || (c >= 0x1c && c <= 0x1e) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

GArray *
dp_protocol_lines (DpSpan text)
{
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (DpSpan));
  const char *end = text.start + text.n, *line = text.start;

  for (const char *p = text.start; p < end;) {
    const gunichar c = g_utf8_get_char (p);
    const char *next = g_utf8_next_char (p);
    if (ends_line (c)) {
      const DpSpan span = dp_span (line, (gsize) (p - line));
      g_array_append_val (lines, span);
      if (c == '\r' && next < end && *next == '\n')
        next++;
      line = next;
    }
    p = next;
  }
  if (line < end) {
    const DpSpan span = dp_span (line, (gsize) (end - line));
    g_array_append_val (lines, span);
  }
  return lines;
}

const char *
dp_protocol_find_pair (const char *p, const char *end, const char *open, const char *close, gboolean more, DpSpan *inner)
{
  const char *start = p < end ? g_strstr_len (p, end - p, open) : NULL, *from = start ? start + strlen (open) : NULL, *stop;

  if (!from)
    return NULL;
  const char *least = more && from < end ? g_utf8_next_char (from) : from;
  stop = least < end ? g_strstr_len (least, end - least, close) : NULL;
  if (!stop)
    return NULL;
  *inner = dp_span (from, (gsize) (stop - from));
  return start;
}
