/* layout/labels.c - what stands before a list item, a heading, a caption: bullets and numbers.
 *
 * Hand-written scanners instead of regular expressions: they run on every line of every
 * document.  Families of labels follow opendataloader's BulletedParagraphUtils (Apache-2.0).
 */
#include "layout/labels.h"

#include <string.h>

#define MAX_LABEL_VALUE 9999

gsize
dp_label_spaces (const char *text)
{
  gsize n = 0;

  while (text[n] == ' ' || text[n] == '\t')
    n++;
  return n;
}

/* Full-width forms at the start of text as ASCII (１． is "1."), a full-width stop with a space
 * behind it so that it ends a label; what follows is copied. */

void
dp_label_fold (const char *text, char *out)
{
  gsize n = 0;
  const char *p = text;

  for (; *p && n + 8 < DP_LABEL_FOLDED; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);
    if (c >= 0xFF01 && c <= 0xFF5E)
      out[n++] = (char) (c - 0xFEE0);
    else if (c == 0x3000)
      out[n++] = ' ';
    else
      n += (gsize) g_unichar_to_utf8 (c, out + n);
  }
  out[n] = '\0';
}

/* Bytes of text that became the first n bytes of its folded form. */
gsize
dp_label_unfold (const char *text, gsize n)
{
  const char *p = text;
  gsize seen = 0;

  while (*p && seen < n) {
    gunichar c = g_utf8_get_char (p);
    seen += (c >= 0xFF01 && c <= 0xFF5E) || c == 0x3000 ? 1 : (gsize) g_unichar_to_utf8 (c, NULL);
    p = g_utf8_next_char (p);
  }
  return (gsize) (p - text);
}

gboolean
dp_label_is_wide (const char *text)
{
  gunichar c = g_utf8_get_char (text);

  return c >= 0xFF01 && c <= 0xFF5E;
}

/* ---- numbers ------------------------------------------------------------------------------ */

static guint
roman_digit (char c)
{
  switch (g_ascii_toupper (c)) {
  case 'I': return 1;
  case 'V': return 5;
  case 'X': return 10;
  case 'L': return 50;
  case 'C': return 100;
  case 'D': return 500;
  case 'M': return 1000;
  default: return 0;
  }
}

static gsize
roman_write (guint value, gboolean upper, char *out)
{
  static const struct {
    guint value;
    const char *text;
  } steps[] = { { 1000, "m" }, { 900, "cm" }, { 500, "d" }, { 400, "cd" }, { 100, "c" }, { 90, "xc" }, { 50, "l" },
                { 40, "xl" },  { 10, "x" },   { 9, "ix" },  { 5, "v" },    { 4, "iv" },  { 1, "i" } };
  gsize n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    for (; value >= steps[i].value; value -= steps[i].value)
      for (const char *c = steps[i].text; *c; c++)
        out[n++] = upper ? g_ascii_toupper (*c) : *c;
  return n;
}

gboolean
dp_label_is_option (const char *text)
{
  const char *name = text[0] == '-' && text[1] == '-' ? text + 2 : text + 1;

  return text[0] == '-' && g_ascii_isalnum (*name);
}

guint
dp_roman_value (const char *text, gsize n)
{
  guint value = 0, last = 0;
  char canonical[32];

  if (n == 0 || n > 15)
    return 0;
  for (gsize i = n; i-- > 0;) {
    guint d = roman_digit (text[i]);
    if (d == 0)
      return 0;
    value = d < last ? value - d : value + d;
    last = MAX (last, d);
  }
  /* Writing it back refuses "IIX", "VX" and words such as "mild" or "civic". */
  if (value == 0 || value >= 4000 || roman_write (value, g_ascii_isupper (text[0]), canonical) != n)
    return 0;
  return memcmp (canonical, text, n) == 0 ? value : 0;
}

/* Digits at text: bytes taken, 0 if none or more than four. */
gsize
dp_label_digits (const char *text, guint *value)
{
  gsize n = 0;
  guint v = 0;

  while (n < 5 && g_ascii_isdigit (text[n]))
    v = v * 10 + (guint) (text[n++] - '0');
  *value = v;
  return n > 4 ? 0 : n;
}

/* ---- list labels --------------------------------------------------------------------------- */

/* `weak`: a sign that is often something else. */
static gboolean
is_bullet (gunichar c, gboolean *weak)
{
  static const gunichar strong[] = { 0x2022, 0x2023, 0x2043, 0x204C, 0x204D, 0x2192, 0x21D2, 0x2219, 0x25A0, 0x25A1, 0x25AA, 0x25AB, 0x25B6,
                                     0x25B7, 0x25B8, 0x25BA, 0x25C6, 0x25C7, 0x25C8, 0x25CB, 0x25CE, 0x25CF, 0x25D8, 0x25E6, 0x25FC, 0x25FE,
                                     0x2605, 0x2606, 0x2610, 0x2611, 0x2612, 0x2666, 0x26AA, 0x26AB, 0x2713, 0x2714, 0x2717, 0x2751, 0x2752,
                                     0x2756, 0x2794, 0x27A1, 0x27A2, 0x27A4, 0x2981, 0x29BF, 0x2B1B, 0x2B1C, 0x2B24, 0x30FB };
  static const gunichar doubtful[]
      = { '-', 0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2212, '*', 0x00B7, '+', '>', 0x203A, 0x00BB, 'o', 0x00A7 };

  *weak = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (strong); i++)
    if (c == strong[i])
      return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (doubtful); i++)
    *weak = *weak || c == doubtful[i];
  /* Symbol and Wingdings keep their bullets in the private use area. */
  return *weak || (c >= 0xF020 && c <= 0xF0FF);
}

static gboolean
parse_bullet (const char *text, DpLabel *label)
{
  gunichar c = g_utf8_get_char (text);
  gsize n = (gsize) (g_utf8_next_char (text) - text);
  gboolean weak;

  if (!is_bullet (c, &weak))
    return FALSE;
  /* A weak one needs a space behind it: "-5 degrees" and "of" are no items. */
  if (weak && text[n] != ' ' && text[n] != '\t')
    return FALSE;
  *label = (DpLabel){ .kind = DP_LABEL_BULLET, .length = n, .close = c, .weak = weak };
  return TRUE;
}

/* What stands between the brackets: number, letter or roman numeral. */
static gsize
parse_core (const char *text, DpLabel *label)
{
  gsize n = dp_label_digits (text, &label->value);

  if (n > 0) {
    label->kind = DP_LABEL_ARABIC;
    return n;
  }
  while (n < 8 && g_ascii_isalpha (text[n]))
    n++;
  if (n == 1) {
    gboolean upper = g_ascii_isupper (text[0]);
    label->kind = upper ? DP_LABEL_UPPER : DP_LABEL_LOWER;
    label->value = (guint) (g_ascii_tolower (text[0]) - 'a') + 1;
    label->roman = dp_roman_value (text, 1);
    return 1;
  }
  label->value = n ? dp_roman_value (text, n) : 0;
  if (label->value == 0 || label->value > 99)
    return 0;
  label->kind = g_ascii_isupper (text[0]) ? DP_LABEL_ROMAN_UPPER : DP_LABEL_ROMAN_LOWER;
  label->roman = label->value;
  return n;
}

static gboolean
parse_circled (const char *text, DpLabel *label)
{
  gunichar c = g_utf8_get_char (text);
  guint value = 0;

  if (c >= 0x2460 && c <= 0x2473) /* 1..20 in circles */
    value = c - 0x2460 + 1;
  else if (c >= 0x2474 && c <= 0x2487) /* (1)..(20) */
    value = c - 0x2474 + 1;
  else if (c >= 0x2776 && c <= 0x277F) /* negative circles */
    value = c - 0x2776 + 1;
  else
    return FALSE;
  *label = (DpLabel){ .kind = DP_LABEL_CIRCLED, .length = (gsize) (g_utf8_next_char (text) - text), .value = value };
  return TRUE;
}

static gboolean
parse_label (const char *text, DpLabel *label)
{
  DpLabel found = { 0 };
  gsize n = 0, core;
  gunichar close;

  if (parse_bullet (text, label) || parse_circled (text, label))
    return text[label->length + dp_label_spaces (text + label->length)] != '\0';
  if (text[0] == '(' || text[0] == '[')
    found.open = text[n++];
  core = parse_core (text + n, &found);
  if (core == 0 || found.value > MAX_LABEL_VALUE)
    return FALSE;
  n += core;
  close = g_utf8_get_char (text + n);
  if (close == 0xFF0E || close == 0x3001) /* full-width stop, ideographic comma: 1、 */
    found.close = '.';
  else if (strchr (found.open == '(' ? ")" : found.open == '[' ? "]" : ".):", (int) (close < 128 ? close : 1)) && close)
    found.close = close;
  else
    return FALSE;
  n += (gsize) g_unichar_to_utf8 (close, NULL);
  if (found.open && text[n] == '.')
    n++;
  /* "3.5 m" and "1.2 Scope" are no item labels, "10:30" neither. */
  if (text[n] != ' ' && !(close >= 128) && !(found.close != ':' && (guchar) text[n] >= 0x80))
    return FALSE;
  if (text[n + dp_label_spaces (text + n)] == '\0')
    return FALSE;
  found.length = n;
  *label = found;
  return TRUE;
}

gboolean
dp_label_parse (const char *text, DpLabel *label)
{
  char folded[DP_LABEL_FOLDED];

  if (!dp_label_is_wide (text))
    return parse_label (text, label);
  dp_label_fold (text, folded);
  if (!parse_label (folded, label))
    return FALSE;
  label->length = dp_label_unfold (text, label->length);
  return TRUE;
}

gboolean
dp_label_is_point (const char *text)
{
  static const gunichar choices[] = { 0x25A1, 0x25CB, 0x2610, 0x2611, 0x2612, 0x2713, 0x2714, 0x2717, 0x2751, 0x2752, 0x2B1C };
  DpLabel label;

  if (!dp_label_parse (text, &label) || label.kind != DP_LABEL_BULLET || label.weak || label.close >= 0xE000)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (choices); i++)
    if (label.close == choices[i])
      return FALSE;
  return TRUE;
}

/* ---- page numbers -------------------------------------------------------------------------------- */

/* Number, roman numeral, or F-11, A3: bytes taken. */
static gsize
folio (const char *text, guint *value)
{
  gsize n = dp_label_digits (text, value);

  if (n > 0)
    return n;
  if (g_ascii_isupper (text[0])) {
    gsize letters = g_ascii_isupper (text[1]) ? 2 : 1, dash = text[letters] == '-' ? 1 : 0;
    n = dp_label_digits (text + letters + dash, value);
    if (n > 0)
      return letters + dash + n;
  }
  while (n < 15 && g_ascii_isalpha (text[n]))
    n++;
  *value = dp_roman_value (text, n);
  return *value ? n : 0;
}

static gsize
skip_ornament (const char *text)
{
  const char *p = text;

  for (; *p; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);
    if (!g_unichar_ispunct (c) && !g_unichar_isspace (c) && !(c >= 0x2500 && c <= 0x25FF) && c != '|' && c != '~')
      break;
  }
  return (gsize) (p - text);
}

gboolean
dp_label_page_number (const char *text, guint *value)
{
  static const char *const words[] = { "page", "seite", "página", "pagina", "strana", "pag.", "p.", "s." };
  const char *p = text + skip_ornament (text);
  guint v = 0, total;
  gsize n;

  for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
    gsize w = strlen (words[i]);
    g_autofree char *head = NULL;
    if (strlen (p) <= w)
      continue;
    head = g_utf8_strdown (p, (gssize) w);
    if (strcmp (head, words[i]) == 0 && (p[w] == ' ' || p[w] == '-' || g_ascii_isdigit (p[w]))) {
      p += w;
      p += skip_ornament (p);
      break;
    }
  }
  n = folio (p, &v);
  if (n == 0)
    return FALSE;
  p += n;
  if (value)
    *value = v;
  p += skip_ornament (p);
  if (*p == '\0')
    return TRUE;
  if (g_str_has_prefix (p, "of ") || g_str_has_prefix (p, "sur ") || g_str_has_prefix (p, "von ") || g_str_has_prefix (p, "de "))
    p = strchr (p, ' ') + 1;
  n = dp_label_digits (p, &total);
  return n > 0 && total >= v && p[n + skip_ornament (p + n)] == '\0';
}
