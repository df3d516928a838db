/* output/clean.c - text that any writer can print.
 *
 * The tree comes from files that lie: bytes that are not UTF-8, control characters, and
 * separators that line-based readers (Python's splitlines, JavaScript) take for line ends.
 */
#include "output/clean.h"

#include <string.h>

static gboolean
is_line_white (gunichar c)
{
  return c == ' ' || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

static gboolean
is_control (gunichar c)
{
  return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

static char *
valid_copy (const char *text)
{
  if (!text)
    return g_strdup ("");
  return g_utf8_validate (text, -1, NULL) ? g_strdup (text) : g_utf8_make_valid (text, -1);
}

char *
dp_clean_line (const char *text)
{
  char *copy = valid_copy (text);
  char *to = copy;
  gboolean white = FALSE;

  /* In place: no character grows. */
  for (const char *p = copy; *p;) {
    const char *next = g_utf8_next_char (p);
    gunichar c = g_utf8_get_char (p);

    if (is_line_white (c)) {
      if (!white)
        *to++ = ' ';
      white = TRUE;
    } else if (!is_control (c)) {
      memmove (to, p, (gsize) (next - p));
      to += next - p;
      white = FALSE;
    }
    p = next;
  }
  *to = '\0';
  return copy;
}

char *
dp_clean_verbatim (const char *text)
{
  char *copy = valid_copy (text);
  char *to = copy;

  for (const char *p = copy; *p;) {
    const char *next = g_utf8_next_char (p);
    gunichar c = g_utf8_get_char (p);

    if (c == '\n' || (c == '\r' && *next != '\n') || c == 0x2028 || c == 0x2029) {
      *to++ = '\n';
    } else if (c == '\t') {
      *to++ = '\t';
    } else if (!is_control (c)) {
      memmove (to, p, (gsize) (next - p));
      to += next - p;
    }
    p = next;
  }
  while (to > copy && to[-1] == '\n')
    to--;
  *to = '\0';
  return copy;
}

gboolean
dp_char_is_space (gunichar c)
{
  return is_line_white (c) || g_unichar_type (c) == G_UNICODE_SPACE_SEPARATOR;
}

gboolean
dp_char_is_punct (gunichar c)
{
  switch (g_unichar_type (c)) {
  case G_UNICODE_CONNECT_PUNCTUATION:
  case G_UNICODE_DASH_PUNCTUATION:
  case G_UNICODE_CLOSE_PUNCTUATION:
  case G_UNICODE_FINAL_PUNCTUATION:
  case G_UNICODE_INITIAL_PUNCTUATION:
  case G_UNICODE_OTHER_PUNCTUATION:
  case G_UNICODE_OPEN_PUNCTUATION:
  case G_UNICODE_CURRENCY_SYMBOL:
  case G_UNICODE_MODIFIER_SYMBOL:
  case G_UNICODE_MATH_SYMBOL:
  case G_UNICODE_OTHER_SYMBOL: return TRUE;
  default: return FALSE;
  }
}

void
dp_append_html (GString *out, const char *text)
{
  for (const char *p = text; *p;) {
    gsize plain = strcspn (p, "&<>\"");

    g_string_append_len (out, p, (gssize) plain);
    p += plain;
    switch (*p) {
    case '&': g_string_append (out, "&amp;"); break;
    case '<': g_string_append (out, "&lt;"); break;
    case '>': g_string_append (out, "&gt;"); break;
    case '"': g_string_append (out, "&quot;"); break;
    default: return;
    }
    p++;
  }
}
