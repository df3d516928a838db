/* vlm/protocols/text.h - small string work of the protocol files.
 *
 * White space is Python's (str.isspace, \s of re), as the post-processing that docparse agrees with is written in Python.
 * Texts are valid UTF-8, and what is looked at character by character ends in NUL.
 */
#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

/* A stretch of someone else's text. */
typedef struct {
  const char *start;
  gsize n;
} DpSpan;

static inline DpSpan
dp_span (const char *text, gsize n)
{
  return (DpSpan){ text, n };
}

static inline gboolean
dp_protocol_space (gunichar c)
{
  return (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a)
         || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

/* Behind the white space at p. */
static inline const char *
dp_protocol_skip (const char *p)
{
  while (*p && dp_protocol_space (g_utf8_get_char (p)))
    p = g_utf8_next_char (p);
  return p;
}

/* str.strip () */
static inline DpSpan
dp_protocol_strip (DpSpan s)
{
  const char *end = s.start + s.n;

  while (s.start < end && dp_protocol_space (g_utf8_get_char (s.start)))
    s.start = g_utf8_next_char (s.start);
  while (end > s.start && dp_protocol_space (g_utf8_get_char (g_utf8_prev_char (end))))
    end = g_utf8_prev_char (end);
  s.n = (gsize) (end - s.start);
  return s;
}

static inline void
dp_protocol_append (GString *out, DpSpan s)
{
  g_string_append_len (out, s.start, (gssize) s.n);
}

/* html.escape (): & < > and both quotes. */
void dp_protocol_append_html (GString *out, DpSpan s);

/* str.splitlines (): an array of DpSpan, without the line ends; free with g_array_unref. */
GArray *dp_protocol_lines (DpSpan text);

static inline DpSpan
dp_protocol_line (const GArray *lines, guint i)
{
  return g_array_index (lines, DpSpan, i);
}

static inline gboolean
dp_span_equal (DpSpan a, DpSpan b)
{
  return a.n == b.n && memcmp (a.start, b.start, a.n) == 0;
}

static inline gboolean
dp_span_is (DpSpan a, const char *text)
{
  return dp_span_equal (a, dp_span (text, strlen (text)));
}

/* Characters. */
static inline gsize
dp_span_length (DpSpan s)
{
  return (gsize) g_utf8_strlen (s.start, (gssize) s.n);
}

/* The first open .. close at or after p that ends at or before end; with more, at least one character lies between them
 * (open(.+?)close of a regular expression; without, open(.*?)close). *inner is what lies between; NULL: none, and none further on. */
const char *dp_protocol_find_pair (const char *p, const char *end, const char *open, const char *close, gboolean more, DpSpan *inner);

G_END_DECLS
