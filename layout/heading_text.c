/* layout/heading_text.c - what the words of a candidate say for and against a heading.
 *
 * Pure functions over UTF-8: endings, sentences, names of usual sections.  See headings.h.
 */
#include "layout/headings.h"
#include "layout/labels.h"
#include "layout/text.h"

#include <string.h>

DpHeadingCount
dp_heading_count (const char *text)
{
  DpHeadingCount n = { 0 };
  gboolean inside = FALSE;

  for (const char *p = text; *p; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);
    if (g_unichar_isspace (c)) {
      inside = FALSE;
      continue;
    }
    n.words += inside ? 0 : 1;
    inside = TRUE;
    if (g_unichar_isalpha (c)) {
      n.letters++;
      n.upper += g_unichar_isupper (c) ? 1 : 0;
      n.lower += g_unichar_islower (c) ? 1 : 0;
    } else if (g_unichar_isdigit (c))
      n.digits++;
    else
      n.other++;
  }
  return n;
}
/* Names of unnumbered sections that stand in nearly every report and paper. */
gboolean
dp_heading_is_section_name (const char *text)
{
  static const char *const names[] = { "abstract",
                                       "references",
                                       "acknowledgment",
                                       "acknowledgement",
                                       "bibliography",
                                       "introduction",
                                       "conclusion",
                                       "appendix",
                                       "summary",
                                       "contents",
                                       "tableofcontents",
                                       "preface",
                                       "foreword",
                                       "glossary",
                                       "index",
                                       "discussion",
                                       "results",
                                       "methods",
                                       "executivesummary",
                                       "résumé",
                                       "remerciements",
                                       "bibliographie",
                                       "sommaire",
                                       "zusammenfassung",
                                       "literatur",
                                       "literaturverzeichnis",
                                       "inhalt",
                                       "inhaltsverzeichnis",
                                       "einleitung",
                                       "resumen",
                                       "摘要",
                                       "参考文献",
                                       "目录" };
  g_autofree char *key = dp_text_squeeze (text);
  gsize n = strlen (key);

  if (n > 1 && key[n - 1] == 's' && strcmp (key, "results") != 0 && strcmp (key, "references") != 0 && strcmp (key, "methods") != 0
      && strcmp (key, "contents") != 0)
    key[n - 1] = '\0';
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (key, names[i]) == 0)
      return TRUE;
  return FALSE;
}

gboolean
dp_heading_is_notice (const char *text)
{
  static const char *const names[] = { "note",    "tip",           "warning", "caution", "important",   "attention", "danger",   "hint",
                                       "remark",  "hinweis",       "achtung", "warnung", "wichtig",     "tipp",      "vorsicht", "remarque",
                                       "conseil", "avertissement", "consejo", "nota",    "advertencia", "注意",      "警告",     "提示" };
  g_autofree char *key = dp_text_squeeze (text);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (key, names[i]) == 0)
      return TRUE;
  return FALSE;
}

/* "Prepared by the Working Group": who made it, not what it is about. */
static gboolean
is_byline (const char *text)
{
  static const char *const openings[] = { "written by ",     "prepared by ",   "developed by ",  "published by ",  "edited by ",
                                          "compiled by ",    "submitted by ",  "presented by ",  "produced by ",   "issued by ",
                                          "illustrated by ", "translated by ", "author: ",       "authors: ",      "herausgegeben von ",
                                          "verfasst von ",   "erstellt von ",  "rédigé par ",    "présenté par ",  "élaboré par ",
                                          "publié par ",     "elaborado por ", "preparado por ", "publicado por ", "a cura di " };
  g_autofree char *folded = g_utf8_strdown (text, -1);

  for (guint i = 0; i < G_N_ELEMENTS (openings); i++)
    if (g_str_has_prefix (folded, openings[i]))
      return TRUE;
  return FALSE;
}

/* A full stop and then a capital inside: two sentences. */
static gboolean
has_inner_stop (const char *text, gsize from)
{
  if (from > strlen (text))
    return FALSE;
  for (const char *p = strstr (text + from, ". "); p; p = strstr (p + 2, ". "))
    if (p - text > 3 && g_unichar_islower (g_utf8_get_char (g_utf8_prev_char (p))) && g_unichar_isupper (g_utf8_get_char (p + 2))
        && p - (text + from) > 12)
      return TRUE;
  return FALSE;
}

static float
weigh_ending (const DpHeadingGroup *g, const char *text, guint words)
{
  gsize n = strlen (text);
  const char *end = g_utf8_prev_char (text + n);
  gunichar c = g_utf8_get_char (end);

  switch (c) {
  case ',':
  case ';':
  case '-':
  case '=':
  case 0x3001:
  case 0xFF0C:
  case 0xFF1B: return -9;
  case '.':
    if (g_str_has_suffix (text, "...") || g_str_has_suffix (text, ". . .")) /* something is left open: no full stop */
      return 0;
    G_GNUC_FALLTHROUGH;
  case 0x3002: return g->number.word && (g->bold || g->caps) ? -0.5f : words > 8 ? -1.75f : -0.75f; /* "Appendix B: ... roads." */
  case ':':
  case 0xFF1A: return words > 6 ? -1 : -0.5f;
  default: return 0;
  }
}

/* Chinese and Japanese: a full stop inside, or one behind or a comma in what is longer than titles are. */
static float
weigh_cjk_stops (const DpHeadingGroup *g, const char *text)
{
  const char *stop = strstr (text, "。");
  const gboolean inside = stop && stop[strlen ("。")] != '\0';

  if (inside)
    return -2;
  return stop && g->n_chars > 12 ? -1 : strstr (text, "，") && g->n_chars > 20 ? -1 : 0;
}

/* Between quotation marks from end to end, three words at least. */
static gboolean
is_quoted (const char *text)
{
  gunichar first = g_utf8_get_char (text), last = g_utf8_get_char (g_utf8_prev_char (text + strlen (text)));
  const char *space = strchr (text, ' ');

  return (first == 0x201C || first == 0x201E || first == 0xAB || first == '"')
         && (last == 0x201D || last == 0x201C || last == 0xBB || last == '"') && space && strchr (space + 1, ' ');
}

/* What begins with a small letter goes on with a sentence, unless it is a name: one word alone that is bold and larger than the
 * text or written as programs write names, build.jobs or max_size. */
static float
weigh_small_letter (const DpHeadingGroup *g, const char *text, guint words)
{
  gboolean name = FALSE;

  for (const char *p = text; p[0] && p[1]; p++)
    name = name || (strchr ("._-:(", p[0]) && p[1] != ' ') || (g_ascii_islower (p[0]) && g_ascii_isupper (p[1]));
  if (words != 1 || dp_heading_ends_sentence (text))
    return -9;
  return name ? 0 : g->bold && g->ratio >= 1.12f && g->n_chars >= 4 ? -0.25f : -9;
}

gboolean
dp_heading_is_bare (const DpHeadingCount *n)
{
  return n->letters < 2 || n->letters * 10 < (n->letters + n->digits + n->other) * 3;
}

/* Guards on the text alone; -9 and less rule it out. */
float
dp_heading_weigh_text (const DpHeadingGroup *g, const char *text)
{
  DpHeadingCount n = dp_heading_count (text);
  gunichar first = g_utf8_get_char (text);
  DpLabel label;
  float weight = weigh_ending (g, text, n.words);

  if (dp_heading_is_bare (&n))
    return -9;
  if (g_unichar_islower (first) && !g->numbered && !g->code)
    weight += weigh_small_letter (g, text, n.words);
  if (text[0] == '(' && text[strlen (text) - 1] == ')')
    return -9;
  if (dp_label_parse (text, &label) && label.kind == DP_LABEL_BULLET)
    return -9;
  if (dp_label_is_option (text)) /* a term, explained below */
    return -9;
  if (is_quoted (text)) /* a pull quote */
    return -9;
  if (dp_heading_is_notice (text) || is_byline (text)) /* "NOTE:" opens the text of its box */
    weight -= g_str_has_suffix (text, ":") || g_str_has_suffix (text, "!") ? 9 : 2;
  if (has_inner_stop (text, g->number.length))
    weight -= 1.25f;
  weight += weigh_cjk_stops (g, text);
  if (text[0] == '#' && g_ascii_islower (text[1])) /* #include: program text */
    weight -= 2;
  if (strchr (text, '@') || strstr (text, "http") || strstr (text, "www."))
    weight -= 2;
  if (g_str_has_suffix (text, " Table") || g_str_has_suffix (text, " table")) /* a title of the table under it */
    weight -= 1;
  if (strchr (text, '=') || strstr (text, "→"))
    weight -= 1;
  if (n.letters < n.digits * 2 && g->ratio < 1.5f && !g->numbered) /* dates, amounts */
    weight -= 1;
  weight -= g->n_lines >= 4 ? 1 : g->n_lines == 3 ? 0.4f : 0;
  weight -= g->n_chars > 150 ? 1.25f : g->n_chars > 110 ? 0.4f : 0;
  return weight;
}

gboolean
dp_heading_ends_sentence (const char *text)
{
  gsize n = strlen (text);
  gunichar c = n ? g_utf8_get_char (g_utf8_prev_char (text + n)) : 0;

  return c == '.' || c == '!' || c == '?' || c == ':' || c == 0x3002 || c == ')' || c == 0x201D || c == ';';
}

/* The line stops at a word that cannot end a title. */
gboolean
dp_heading_ends_open (const char *text)
{
  static const char *const words[]
      = { "of", "the", "and", "for", "in",  "to",  "a",   "an", "on",  "with", "by",  "or", "&",   "at", "de", "la", "du", "des", "et",
          "le", "les", "und", "der", "die", "das", "von", "zu", "für", "y",    "del", "el", "los", "e",  "di", "da", "do", "as",  "from" };
  const char *word = strrchr (text, ' ');
  g_autofree char *folded = word ? g_utf8_strdown (word + 1, -1) : NULL;

  for (guint i = 0; folded && i < G_N_ELEMENTS (words); i++)
    if (strcmp (folded, words[i]) == 0)
      return TRUE;
  return FALSE;
}
