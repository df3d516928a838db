/* layout/running.c - the words of running heads and feet.
 *
 * The phrases are those that unit-test pages of reports in English, French, German, Chinese
 * and Japanese carry at their edges.
 */
#include "layout/running.h"

#include <string.h>

#include "layout/labels.h"

static gboolean
holds_any (const char *folded, const char *const *words, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (strstr (folded, words[i]))
      return TRUE;
  return FALSE;
}

guint
dp_running_folio (const char *text, gboolean first)
{
  const char *space = first ? strchr (text, ' ') : strrchr (text, ' ');
  const char *token = first ? text : space ? space + 1 : text;
  gsize n = first ? (space ? (gsize) (space - text) : strlen (text)) : strlen (token);
  guint value = 0;

  if (n == 0 || n > 6 || !space)
    return 0;
  for (gsize i = 0; i < n; i++) {
    if (!g_ascii_isdigit (token[i]))
      return g_ascii_islower (token[0]) && n > 1 ? dp_roman_value (token, n) : 0;
    value = value * 10 + (guint) (token[i] - '0');
  }
  return n <= 4 ? value : 0;
}

static gboolean
is_year (guint value)
{
  return value >= 1900 && value < 2100;
}

/* The word beside a number makes it a date, or says what it counts. */
static gboolean
claims_number (const char *word, gsize n)
{
  static const char *const words[]
      = { "january",  "february",  "march",    "april",    "may",      "june",     "july",   "august",   "september", "october",
          "november", "december",  "jan",      "feb",      "mar",      "apr",      "jun",    "jul",      "aug",       "sep",
          "sept",     "oct",       "nov",      "dec",      "and",      "to",       "of",     "exhibit",  "note",      "notes",
          "table",    "figure",    "schedule", "chapter",  "section",  "part",     "annex",  "appendix", "schedule",  "article",
          "item",     "form",      "no",       "janvier",  "février",  "mars",     "avril",  "mai",      "juin",      "juillet",
          "août",     "septembre", "octobre",  "novembre", "décembre", "et",       "januar", "februar",  "märz",      "juni",
          "juli",     "oktober",   "dezember", "und",      "kapitel",  "chapitre", "volume", "vol" };
  g_autofree char *folded = g_utf8_strdown (word, (gssize) n);
  gsize length = strlen (folded);

  while (length && strchr (".,;:", folded[length - 1]))
    folded[--length] = '\0';
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (strcmp (folded, words[i]) == 0)
      return TRUE;
  return length == 0;
}

gboolean
dp_running_has_folio (const char *text)
{
  guint front = dp_running_folio (text, TRUE), back = dp_running_folio (text, FALSE);
  const char *space, *word;

  if (front > 0 && !is_year (front)) {
    const char *next = strchr (text, ' ') + 1;
    if (!claims_number (next, strcspn (next, " ")))
      return TRUE;
  }
  if (back == 0 || is_year (back))
    return FALSE;
  space = strrchr (text, ' ');
  while (space > text && space[-1] == ' ')
    space--;
  for (word = space; word > text && word[-1] != ' '; word--)
    ;
  return !claims_number (word, (gsize) (space - word));
}

gboolean
dp_running_legal (const char *text)
{
  static const char *const marks[]
      = { "www.",         "http",       "@",        "©",     "copyright", "all rights",  "doi",   "issn", "isbn",
          "confidential", "downloaded", "licensed", "arxiv", "preprint",  "proceedings", "draft", "vol.", "printed" };
  g_autofree char *folded = g_utf8_strdown (text, -1);

  return holds_any (folded, marks, G_N_ELEMENTS (marks));
}

float
dp_running_phrase (const char *text)
{
  static const char *const marks[]
      = { "continued",        "(cont",          "contd",   "table of contents", "back to ", "to index", "annual report", "interim report",
          "quarterly report", "rapport annuel", "(suite)", "geschäftsbericht",  "年度報告", "年度报告", "報告書" };
  static const char *const sections[] = { "notes to the ",         "notes to consolidated", "notes to financial", "notes forming part",
                                          "notes to and forming",  "forming part of the",   "schedules to the",   "discussion and analysis",
                                          "discussion & analysis", "financial year ended",  "year ended",         "years ended",
                                          "months ended",          "(expressed in",         "expressed in ",      "in thousands of",
                                          "notes afférentes aux ", "notes annexes aux ",    "annexe aux comptes", "exercice clos",
                                          "exercices clos",        "exercice terminé",      "exercices terminés" };
  static const char *const links[]
      = { "back to index", "(back to index)", "table of contents", "back to top", "back to contents", "contents" };
  g_autofree char *folded = g_utf8_strdown (text, -1);

  for (gsize i = 0; i < G_N_ELEMENTS (links); i++)
    if (strcmp (folded, links[i]) == 0)
      return 2;
  return (holds_any (folded, marks, G_N_ELEMENTS (marks)) ? 1 : 0) + (holds_any (folded, sections, G_N_ELEMENTS (sections)) ? 0.75f : 0);
}

gboolean
dp_running_company (const char *text)
{
  static const char *const forms[] = { " limited",
                                       " ltd",
                                       " inc",
                                       " incorporated",
                                       " corporation",
                                       " corp",
                                       " plc",
                                       " p.l.c",
                                       " gmbh",
                                       " ag",
                                       " s.a",
                                       " sa",
                                       " n.v",
                                       " nv",
                                       " b.v",
                                       " llc",
                                       " l.l.c",
                                       " llp",
                                       " l.p",
                                       " lp",
                                       " fund",
                                       " trust",
                                       " co.,ltd",
                                       " company",
                                       " pty ltd",
                                       " s.p.a",
                                       " and subsidiaries",
                                       " and its subsidiaries",
                                       " controlled entities",
                                       " 株式会社",
                                       "株式会社",
                                       "有限公司" };
  g_autofree char *folded = g_utf8_strdown (text, -1);
  gsize n = strlen (folded);

  while (n && strchr (".,) ", folded[n - 1]))
    folded[--n] = '\0';
  if (g_utf8_strlen (folded, -1) > 60)
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++)
    if (g_str_has_suffix (folded, forms[i]))
      return TRUE;
  return FALSE;
}

gboolean
dp_running_capitals (const char *text)
{
  guint upper = 0, lower = 0;

  for (const char *p = text; *p; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);
    upper += g_unichar_isupper (c) ? 1 : 0;
    lower += g_unichar_islower (c) ? 1 : 0;
  }
  return upper >= 4 && lower == 0;
}
