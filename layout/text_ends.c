/* layout/text_ends.c - how the text of a line ends: a sentence, a hyphen, writing without blanks. */
#include "layout/paragraphs.h"
#include "layout/text.h"

#include <string.h>

static gunichar
last_char (const char *text)
{
  gsize n = strlen (text);

  return n ? g_utf8_get_char (g_utf8_prev_char (text + n)) : 0;
}

static gboolean
is_closing (gunichar c)
{
  return c == ')' || c == ']' || c == '"' || c == '\'' || c == 0x201D || c == 0x2019 || c == 0xBB || c == 0x300D || c == 0xFF09;
}

/* The digits that end text[0 .. end): the mark of a note behind a full stop ("flood.12"), and no figure or decimal ("in 1987",
 * "4.5"). */
static gboolean
is_note_mark (const char *text, const char *end)
{
  const char *p = end;

  while (p > text && g_ascii_isdigit (p[-1]))
    p--;
  if (p == text || p == end)
    return FALSE;
  if (p[-1] == '.')
    return p - 1 > text && !g_ascii_isdigit (p[-2]);
  return is_closing (g_utf8_get_char (g_utf8_prev_char (p)));
}

gboolean
dp_text_ends_sentence (const char *text)
{
  const char *end = text + strlen (text);

  if (end > text && g_ascii_isdigit (end[-1])) {
    if (!is_note_mark (text, end))
      return FALSE;
    while (g_ascii_isdigit (end[-1]))
      end--;
  }
  while (end > text) {
    const char *p = g_utf8_prev_char (end);
    gunichar c = g_utf8_get_char (p);
    if (c == '.' || c == '!' || c == '?' || c == ':' || c == ';' || c == 0x3002 || c == 0xFF01 || c == 0xFF1F || c == 0xFF1A || c == 0x2026)
      return TRUE;
    if (!is_closing (c))
      return FALSE;
    end = p;
  }
  return FALSE;
}

gboolean
dp_text_ends_hyphen (const char *text)
{
  const char *hyphen = text[0] ? g_utf8_prev_char (text + strlen (text)) : text;
  gunichar c = g_utf8_get_char (hyphen);

  return hyphen > text + 1 && (c == '-' || c == 0x2010 || c == 0xAD) && g_unichar_isalpha (g_utf8_get_char (g_utf8_prev_char (hyphen)));
}

gboolean
dp_text_ends_cjk (const char *text)
{
  return dp_text_is_cjk (last_char (text));
}

/* The line begins or ends in writing without blanks: mind brackets and numbers at either end. */
gboolean
dp_flow_line_is_cjk (const DpFlowLine *line)
{
  return dp_text_is_cjk (g_utf8_get_char (line->text)) || dp_text_ends_cjk (line->text);
}
