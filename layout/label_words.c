/* layout/label_words.c - numbers of headings and captions, and the words before them.
 *
 * Words are those of English, French, German, Spanish, Italian, Portuguese, Czech and CJK
 * documents; a number is dotted, a letter or a roman numeral, also in full-width forms.
 */
#include "layout/labels.h"

#include <string.h>

/* ---- numbers of headings ---------------------------------------------------------------------- */

#define LONGEST_WORD 24     /* bytes */
#define EARLIEST_YEAR 1500u /* laws have sections from 1001 on */
#define LATEST_YEAR 2100u

static const char *const heading_words[] = {
  "chapter",   "item",      "section",  "part",       "appendix", "annex",    "article",  "step",     "lesson",  "unit",     "module",
  "activity",  "exercise",  "schedule", "volume",     "book",     "title",    "clause",   "chapitre", "partie",  "annexe",   "titre",
  "kapitel",   "abschnitt", "anhang",   "teil",       "artikel",  "capítulo", "capitolo", "sección",  "sezione", "parte",    "artículo",
  "articolo",  "seção",     "anexo",    "allegato",   "kapitola", "příloha",  "část",     "leçon",    "artigo",  "rozdział", "załącznik",
  "hoofdstuk", "bijlage",   "bilag",    "bilaga",     "liite",    "luku",     "capitol",  "chương",   "phần",    "bölüm",    "глава",
  "часть",     "раздел",    "статья",   "приложение", "розділ",   "κεφάλαιο",
};

/* A component of a dotted number: digits, one capital, or a roman numeral. */
static gsize
number_component (const char *text, gboolean first, guint *value)
{
  gsize n = dp_label_digits (text, value);

  if (n > 0)
    return n;
  while (n < 8 && g_ascii_isupper (text[n]))
    n++;
  if (n == 0 || g_ascii_isalpha (text[n]))
    return 0;
  if (n == 1) {
    *value = (guint) (text[0] - 'A') + 1;
    return 1;
  }
  *value = first ? dp_roman_value (text, n) : 0;
  return *value ? n : 0;
}

/* "2017 - 2022: Captain", "1993-1996": what happened then, not section 2017; "2017. " counts. */
static gboolean
is_year (const char *text, guint value)
{
  return value >= EARLIEST_YEAR && value <= LATEST_YEAR && text[strspn (text, "0123456789")] != '.';
}

/* 1  1.  1.2  1.2.3.  A.  A.3  IV.  1)   Letters and numerals alone need a stop or a bracket. */
static gboolean
dotted_number (const char *text, gboolean after_word, DpHeadingNumber *out)
{
  guint value = 0, top = 0, depth = 0, component;
  gsize n = 0, part;
  gboolean letter = g_ascii_isalpha (text[0]), closed = FALSE;

  while (depth < 6 && (part = number_component (text + n, depth == 0, &component)) > 0) {
    n += part;
    value = component;
    top = depth++ == 0 ? value : top;
    closed = FALSE;
    if (text[n] != '.' && text[n] != '-')
      break;
    if (text[n] == '-' && !(depth == 1 && g_ascii_isdigit (text[n + 1])))
      break;
    n++;
    closed = TRUE;
  }
  if (depth == 0 || (!letter && !after_word && is_year (text, top)))
    return FALSE;
  if (text[n] == ')' || text[n] == ':') {
    n++;
    closed = TRUE;
  }
  if (g_str_has_prefix (text + n, "—") || g_str_has_prefix (text + n, "–")) /* "3 - Title" set tight */
    closed = TRUE;
  else if (text[n] != '\0' && text[n] != ' ' && (guchar) text[n] < 0x80)
    return FALSE;
  if (letter && depth == 1 && !closed && !after_word && !(n > 1 && text[n] == ' '))
    return FALSE;
  out->length = n;
  out->depth = depth;
  out->value = value;
  out->top = top;
  out->family = !letter ? '1' : g_ascii_isupper (text[1]) ? 'I' : 'A';
  out->roman = letter ? dp_roman_value (text, strspn (text, "IVXLCDM")) : 0;
  return TRUE;
}

/* 第3章, 第三节, 第1条: depth by the counter. */
static gboolean
cjk_number (const char *text, DpHeadingNumber *out)
{
  static const char *const counters[] = { "編篇部", "章", "節节简", "条條款" };
  const char *p = text;
  guint length = 0, value = 0;

  if (!g_str_has_prefix (p, "第"))
    return FALSE;
  p = g_utf8_next_char (p);
  dp_label_digits (p + dp_label_spaces (p), &value); /* 0 where it is written in characters */
  for (; *p && length < 6; p = g_utf8_next_char (p), length++) {
    gunichar c = g_utf8_get_char (p);
    for (guint k = 0; k < G_N_ELEMENTS (counters); k++)
      if (length > 0 && g_utf8_strchr (counters[k], -1, c)) {
        *out = (DpHeadingNumber){
          .length = (gsize) (g_utf8_next_char (p) - text), .depth = MAX (k, 1), .word = TRUE, .value = value, .top = value
        };
        return TRUE;
      }
    if (c == 0x3010 && length > 0) { /* 第6【...】 */
      *out = (DpHeadingNumber){ .length = (gsize) (p - text), .depth = 1, .word = TRUE, .value = value, .top = value };
      return TRUE;
    }
    if (!g_unichar_isdigit (c) && c != ' '
        && !g_utf8_strchr ("一二三四五六七八九"
                           "十百千零",
                           -1, c))
      return FALSE;
  }
  return FALSE;
}

static gsize
heading_word (const char *text)
{
  const char *space = strchr (text, ' ');
  g_autofree char *head = NULL;

  if (!space || space - text > LONGEST_WORD)
    return 0;
  head = g_utf8_strdown (text, space - text);
  for (guint i = 0; i < G_N_ELEMENTS (heading_words); i++)
    if (strcmp (head, heading_words[i]) == 0)
      return (gsize) (space - text);
  return 0;
}

static gboolean
parse_heading (const char *text, DpHeadingNumber *number)
{
  gsize n;

  *number = (DpHeadingNumber){ 0 };
  if (g_str_has_prefix (text, "§")) { /* § */
    n = 2 + dp_label_spaces (text + 2);
    if (!dotted_number (text + n, TRUE, number))
      return FALSE;
    number->length += n;
    number->word = TRUE;
  } else if (cjk_number (text, number)) {
    /* depth and length are set */
  } else if (g_ascii_isdigit (text[0]) || g_unichar_isupper (g_utf8_get_char (text))) {
    if (!dotted_number (text, FALSE, number)) {
      n = heading_word (text);
      if (n == 0)
        return FALSE;
      n += dp_label_spaces (text + n);
      if (!dotted_number (text + n, TRUE, number))
        return FALSE;
      number->length += n;
      number->word = TRUE;
      number->family = 0;
    }
  } else
    return FALSE;
  number->bare = text[number->length + dp_label_spaces (text + number->length)] == '\0';
  return TRUE;
}

gboolean
dp_label_heading (const char *text, DpHeadingNumber *number)
{
  char folded[DP_LABEL_FOLDED];

  if (!dp_label_is_wide (text))
    return parse_heading (text, number);
  dp_label_fold (text, folded);
  if (!parse_heading (folded, number))
    return FALSE;
  number->length = dp_label_unfold (text, number->length);
  number->bare = text[number->length] == '\0';
  return TRUE;
}

/* ---- captions ---------------------------------------------------------------------------------- */

static const struct {
  const char *word;
  gboolean table;
} caption_words[] = {
  { "figure", FALSE },    { "fig.", FALSE },      { "fig", FALSE },     { "figs.", FALSE },  { "chart", FALSE },
  { "map", FALSE },       { "plate", FALSE },     { "exhibit", FALSE }, { "scheme", FALSE }, { "diagram", FALSE },
  { "graph", FALSE },     { "photo", FALSE },     { "image", FALSE },   { "box", FALSE },    { "illustration", FALSE },
  { "abb.", FALSE },      { "abbildung", FALSE }, { "bild", FALSE },    { "figura", FALSE }, { "graphique", FALSE },
  { "carte", FALSE },     { "obr.", FALSE },      { "obrázek", FALSE }, { "grafik", FALSE }, { "gráfico", FALSE },
  { "algorithm", FALSE }, { "listing", FALSE },   { "table", TRUE },    { "tab.", TRUE },    { "tabelle", TRUE },
  { "tableau", TRUE },    { "tabla", TRUE },      { "tabella", TRUE },  { "tabela", TRUE },  { "tabulka", TRUE },
  { "图", FALSE },        { "圖", FALSE },        { "図", FALSE },      { "表", TRUE },
};

/* The number of a caption: 7, 3.2, A-1, S4, IV. */
static gsize
caption_number (const char *text)
{
  gsize n = 0, digits = 0;

  while (g_ascii_isalnum (text[n]) || ((text[n] == '.' || text[n] == '-') && g_ascii_isalnum (text[n + 1]))) {
    if (g_ascii_isdigit (text[n]))
      digits++;
    n++;
  }
  if (n == 0 || n > 10)
    return 0;
  if (digits == 0 && dp_roman_value (text, n) == 0 && !(n == 1 && g_ascii_isupper (text[0])))
    return 0;
  return n;
}

gboolean
dp_label_caption (const char *text, gboolean *table, gsize *length)
{
  for (guint i = 0; i < G_N_ELEMENTS (caption_words); i++) {
    gsize n = strlen (caption_words[i].word), number;
    g_autofree char *head = NULL;
    gboolean ascii = (guchar) caption_words[i].word[0] < 0x80;
    if (strlen (text) <= n || (ascii && !g_unichar_isupper (g_utf8_get_char (text))))
      continue;
    if (ascii && text[n] != ' ' && text[n] != '.' && text[n] != ':' && !g_ascii_isdigit (text[n]))
      continue;
    head = g_utf8_strdown (text, (gssize) n);
    if (strcmp (head, caption_words[i].word) != 0)
      continue;
    if (text[n] == ':' && ascii) { /* "Table: the figures of 2022" */
      *table = caption_words[i].table;
      *length = n;
      return TRUE;
    }
    n += dp_label_spaces (text + n);
    number = caption_number (text + n);
    if (number == 0)
      continue;
    *table = caption_words[i].table;
    *length = n + number;
    return TRUE;
  }
  return FALSE;
}
