/* layout/text.c - characters and joints.  See text.h.
 *
 * The hyphen rule is the plain one (letter, hyphen, lower-case letter joins): without a
 * word list it is right far more often than wrong, and compounds such as `well-known`
 * broken at their own hyphen are the price.
 */
#include "layout/text.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

gboolean
dp_text_is_cjk (gunichar c)
{
  if (c < 0x2e80)
    return FALSE;
  return c <= 0x312f /* radicals, CJK punctuation, kana, Bopomofo */
         || (c >= 0x3190 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xfe4f) || (c >= 0xff01 && c <= 0xff9f)
         || (c >= 0x20000 && c <= 0x3ffff);
}

gboolean
dp_text_is_rtl (gunichar c)
{
  return (c >= 0x590 && c <= 0x8ff) || (c >= 0xfb1d && c <= 0xfdff) || (c >= 0xfe70 && c <= 0xfefc) || (c >= 0x10800 && c <= 0x10fff)
         || (c >= 0x1e800 && c <= 0x1efff);
}

gboolean
dp_text_is_mark (gunichar c)
{
  return c >= 0x300 && g_unichar_ismark (c);
}

/* Compatibility letters that only exist for the sake of old fonts. */
static gboolean
is_presentation_form (gunichar c)
{
  return (c >= 0xfb00 && c <= 0xfb06) || (c >= 0xfb13 && c <= 0xfb17) || (c >= 0xfb50 && c <= 0xfdff) || (c >= 0xfe70 && c <= 0xfefc);
}

static gboolean
is_blank (gunichar c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028
         || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

static gboolean
is_invisible (gunichar c)
{
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0xad || c == 0x200b || (c >= 0x200e && c <= 0x200f) || (c >= 0x202a && c <= 0x202e)
         || (c >= 0x2060 && c <= 0x2069) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) || (c >= 0xd800 && c <= 0xdfff)
         || (c >= 0xe0000 && c <= 0xe007f) || c > 0x10ffff || (c & 0xfffe) == 0xfffe;
}

void
dp_text_append (GString *out, gunichar c)
{
  if (c >= 0x20 && c < 0x7f)
    g_string_append_c (out, (char) c);
  else if (is_blank (c))
    g_string_append_c (out, ' ');
  else if (is_invisible (c))
    return;
  else if (is_presentation_form (c)) {
    utf8proc_int32_t letters[32];
    int boundary = 0;
    utf8proc_ssize_t n
        = utf8proc_decompose_char ((utf8proc_int32_t) c, letters, G_N_ELEMENTS (letters), UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT, &boundary);

    for (utf8proc_ssize_t i = 0; i < n && i < (utf8proc_ssize_t) G_N_ELEMENTS (letters); i++)
      g_string_append_unichar (out, (gunichar) letters[i]);
  } else
    g_string_append_unichar (out, c);
}

void
dp_text_compose (GString *out, gsize from)
{
  utf8proc_uint8_t *composed = NULL;
  utf8proc_ssize_t n;
  gsize i = from;

  while (i < out->len && (guchar) out->str[i] < 0x80)
    i++;
  if (i >= out->len)
    return;
  n = utf8proc_map ((const utf8proc_uint8_t *) out->str + from, (utf8proc_ssize_t) (out->len - from), &composed,
                    UTF8PROC_STABLE | UTF8PROC_COMPOSE);
  if (n >= 0) {
    g_string_truncate (out, from);
    g_string_append_len (out, (const char *) composed, n);
  }
  free (composed);
}

char *
dp_text_normalise (const char *text, gssize len)
{
  GString *out = g_string_new (NULL);
  const char *p = text, *end = text + (len < 0 ? strlen (text) : (gsize) len);

  while (p < end) {
    gunichar c = g_utf8_get_char_validated (p, end - p);

    if (c == (gunichar) -1 || c == (gunichar) -2) {
      p++;
      continue;
    }
    dp_text_append (out, c);
    p = g_utf8_next_char (p);
  }
  dp_text_compose (out, 0);
  return g_string_free (out, FALSE);
}

/* The character that ends at `p`, and where it begins; 0 at the start. */
static gunichar
char_before (const char *start, const char **p)
{
  const char *q = g_utf8_find_prev_char (start, *p);

  if (!q)
    return 0;
  *p = q;
  return g_utf8_get_char (q);
}

static gboolean
is_hyphen (gunichar c)
{
  return c == '-' || c == 0xad || c == 0x2010 || c == 0x2011;
}

/* Thai, Lao, Burmese and Khmer have blanks between clauses only; lines end at words. */
static gboolean
parts_no_words (gunichar c)
{
  return (c >= 0xe01 && c <= 0xedf) || (c >= 0x1000 && c <= 0x109f) || (c >= 0x1780 && c <= 0x17d3);
}

DpJoint
dp_text_joint (const char *end, gssize end_len, const char *next)
{
  const char *p = end + (end_len < 0 ? strlen (end) : (gsize) end_len);
  gunichar last = char_before (end, &p), before = last ? char_before (end, &p) : 0, first = *next ? g_utf8_get_char (next) : 0;

  if (!last || !first)
    return DP_JOINT_NONE;
  if (is_hyphen (last) && !is_blank (before)) {
    if (g_unichar_isalpha (before) && g_unichar_islower (first))
      return DP_JOINT_DROP_HYPHEN;
    return g_unichar_isalnum (before) && g_unichar_isalnum (first) ? DP_JOINT_NONE : DP_JOINT_SPACE;
  }
  /* An em or en dash glued to its word is glued to the next line's word too. */
  if ((last == 0x2014 || last == 0x2013) && g_unichar_isalnum (before) && g_unichar_isalnum (first))
    return DP_JOINT_NONE;
  if (last == '/' && g_unichar_isalnum (before) && g_unichar_isalnum (first))
    return DP_JOINT_NONE;
  /* Mixed joints keep a space only between a letter or digit and an ideograph. */
  if (dp_text_is_cjk (last) || dp_text_is_cjk (first)) {
    gboolean word_between = (dp_text_is_cjk (last) && g_unichar_isalpha (last) && g_unichar_isalnum (first) && !dp_text_is_cjk (first))
                            || (dp_text_is_cjk (first) && g_unichar_isalpha (first) && g_unichar_isalnum (last) && !dp_text_is_cjk (last));

    return word_between ? DP_JOINT_SPACE : DP_JOINT_NONE;
  }
  return parts_no_words (last) && parts_no_words (first) ? DP_JOINT_NONE : DP_JOINT_SPACE;
}

void
dp_text_join (GString *out, const char *next_line)
{
  while (*next_line == ' ')
    next_line++;
  if (!*next_line)
    return;
  while (out->len && out->str[out->len - 1] == ' ')
    g_string_truncate (out, out->len - 1);
  switch (dp_text_joint (out->str, (gssize) out->len, next_line)) {
  case DP_JOINT_SPACE: g_string_append_c (out, ' '); break;
  case DP_JOINT_NONE: break;
  case DP_JOINT_DROP_HYPHEN: g_string_truncate (out, (gsize) (g_utf8_prev_char (out->str + out->len) - out->str)); break;
  }
  g_string_append (out, next_line);
}

void
dp_text_squeeze_into (GString *out, const char *text)
{
  g_autofree char *folded = g_utf8_casefold (text, -1);

  for (const char *p = folded; *p; p = g_utf8_next_char (p))
    if (g_unichar_isalnum (g_utf8_get_char (p)))
      g_string_append_unichar (out, g_utf8_get_char (p));
}

char *
dp_text_squeeze (const char *text)
{
  GString *out = g_string_new (NULL);

  dp_text_squeeze_into (out, text);
  return g_string_free (out, FALSE);
}
