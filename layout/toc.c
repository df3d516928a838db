/* layout/toc.c - tables of contents: entries that end in ascending page numbers.
 *
 * With leader dots three entries in a row are enough; without them the numbers must be set
 * apart from the titles, more entries are asked for, and a heading such as "Contents" helps.
 * opendataloader switched its detector off because any line that ended in a number matched;
 * the ascending order and the gap are what tell entries from prose.
 */
#include "layout/flow.h"
#include "layout/labels.h"

#include <math.h>
#include <string.h>

#define LONGEST_TITLE 48u /* bytes of the words that name a table of contents or an index */

typedef struct {
  gboolean numbered; /* ends in a page number */
  gboolean leaders;  /* dots before it */
  gboolean apart;    /* stands in a fragment of its own */
  guint value;
  gsize tail; /* bytes of leaders and number at the end of the text */
} Entry;

/* Reads "Title . . . . 12" from its end. */
static Entry
read_entry (const DpFlowLine *line)
{
  Entry entry = { 0 };
  const char *text = line->text, *end = text + strlen (text), *p = end, *number;
  guint dots = 0;
  gsize n;

  while (p > text && g_ascii_isalnum (p[-1]))
    p--;
  n = (gsize) (end - p);
  number = p;
  if (n == 0 || n > 6)
    return entry;
  if (strspn (p, "0123456789") == n && n <= 4)
    entry.value = (guint) g_ascii_strtoull (p, NULL, 10);
  else if (g_ascii_islower (p[0]))
    entry.value = dp_roman_value (p, n);
  if (entry.value == 0)
    return entry;
  while (p > text) {
    const char *q = g_utf8_prev_char (p);
    gunichar c = g_utf8_get_char (q);
    if (c == '.' || c == 0xB7 || c == 0x2026 || c == '_' || c == 0x2025)
      dots += c == 0x2026 ? 3 : 1;
    else if (c != ' ')
      break;
    p = q;
  }
  if (p == text || p == number) /* nothing but a number, or a number glued to a word */
    return entry;
  entry.numbered = TRUE;
  entry.leaders = dots >= 3;
  entry.apart = line->n_frags > 1;
  entry.tail = (gsize) (end - p);
  return entry;
}

/* Whether the text is one of those words but for its case.  Most lines are prose, and too long to ask. */
static gboolean
folds_to (const char *text, const char *const *words, guint n)
{
  if (strnlen (text, LONGEST_TITLE + 1) > LONGEST_TITLE)
    return FALSE;
  g_autofree char *folded = g_utf8_strdown (text, -1);
  for (guint i = 0; i < n; i++)
    if (strcmp (folded, words[i]) == 0)
      return TRUE;
  return FALSE;
}

gboolean
dp_toc_is_title (const char *text)
{
  static const char *const words[] = { "contents",
                                       "table of contents",
                                       "table des matières",
                                       "sommaire",
                                       "inhalt",
                                       "inhaltsverzeichnis",
                                       "índice",
                                       "indice",
                                       "obsah",
                                       "list of figures",
                                       "list of tables",
                                       "list of illustrations",
                                       "sommario",
                                       "índice general",
                                       "tabla de contenido",
                                       "contenido",
                                       "sumário",
                                       "conteúdo",
                                       "cuprins",
                                       "inhoud",
                                       "inhoudsopgave",
                                       "innehåll",
                                       "innehållsförteckning",
                                       "indhold",
                                       "innhold",
                                       "sisällys",
                                       "spis treści",
                                       "tartalom",
                                       "tartalomjegyzék",
                                       "içindekiler",
                                       "mục lục",
                                       "содержание",
                                       "оглавление",
                                       "зміст",
                                       "съдържание",
                                       "περιεχόμενα",
                                       "차례",
                                       "목차",
                                       "目录",
                                       "目次",
                                       "目錄",
                                       "brief contents" };

  return folds_to (text, words, G_N_ELEMENTS (words));
}

static gboolean
is_plain (const DpFlowLine *line)
{
  return line->role == DP_ROLE_BODY && !line->astray;
}

/* A letter alone, bold or large, heads what begins with it in an index: headings are found later. */
static gboolean
heads_part (const DpFlow *flow, const DpFlowLine *line)
{
  return line->n_chars == 1 && g_unichar_isalpha (g_utf8_get_char (line->text))
         && ((line->style & DP_SPAN_BOLD) || line->size > 1.1f * flow->body.size);
}

static gboolean
is_number (const DpFlowLine *line)
{
  return is_plain (line) && line->n_chars <= 4 && line->n_chars && strspn (line->text, "0123456789") == strlen (line->text);
}

/* Longest stretch from first whose lines are entries, wrapped titles or short gaps; counts the evidence. */
typedef struct {
  guint last, entries, leaders, apart, ascending, lines;
  guint aligned; /* numbers that end where the first one does */
} Stretch;

static Stretch
follow_entries (const DpFlow *flow, const Entry *entries, guint first)
{
  Stretch s = { .last = first };
  guint misses = 0, value = 0;
  float edge = 0;

  for (guint i = first; i < flow->lines->len && misses < 3; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    if (line->role >= DP_ROLE_HEADER)
      continue;
    if (!is_plain (line) || (i > first && dp_toc_is_title (line->text)))
      break;
    s.lines++;
    if (!entries[i].numbered || line->n_chars > 160 + entries[i].tail) {
      misses++;
      continue;
    }
    misses = 0;
    s.entries++;
    s.leaders += entries[i].leaders ? 1 : 0;
    s.apart += entries[i].apart ? 1 : 0;
    s.ascending += entries[i].value >= value ? 1 : 0;
    edge = s.entries == 1 ? line->at.x1 : edge;
    s.aligned += fabsf (line->at.x1 - edge) < 0.3f * line->size ? 1 : 0;
    value = entries[i].value;
    s.last = i + 1;
  }
  return s;
}

static gboolean
is_contents (const Stretch *s, gboolean titled)
{
  /* An index goes by the alphabet, but hardly anything else has dots and a page number on every line. */
  if (s->entries >= 6 && s->leaders * 10 >= s->entries * 9 && s->entries * 10 >= s->lines * 7)
    return TRUE;
  if (s->entries < 3 || s->ascending * 10 < s->entries * 8)
    return FALSE;
  if (s->leaders * 2 >= s->entries)
    return TRUE;
  /* Chapters have no dots, their sections do; all numbers end at one edge. */
  if (s->leaders >= 2 && s->entries >= 4 && s->aligned * 10 >= s->entries * 9 && s->ascending == s->entries
      && s->entries * 10 >= s->lines * 7)
    return TRUE;
  if (titled)
    return s->entries >= 3 && s->entries * 2 >= s->lines;
  return s->entries >= 6 && s->apart * 10 >= s->entries * 8 && s->entries * 10 >= s->lines * 7;
}

static guint
entry_level (const DpFlowLine *line, float left)
{
  DpHeadingNumber number;
  float in = (line->at.x0 - left) / MAX (line->size, 1);

  if (dp_label_heading (line->text, &number) && number.depth > 1)
    return MIN (number.depth, 6);
  return in < 0.8f ? 1 : in < 2.5f ? 2 : 3;
}

/* A chapter's page number often stands at the margin without dots: back to its title on the left. */
static void
adopt_bare_numbers (DpFlow *flow, Entry *entries, guint first, guint last)
{
  guint title = first;

  for (guint i = first + 1; i < last; i++) {
    const DpFlowLine *a = dp_flow_line (flow, title), *b = dp_flow_line (flow, i);
    if (!entries[title].numbered && is_plain (a) && !is_number (a) && is_number (b) && a->page == b->page && b->at.x0 > a->at.x1
        && fabsf (a->baseline - b->baseline) < 0.3f * a->size) {
      dp_flow_adopt (flow, title, i, FALSE);
      entries[title] = read_entry (dp_flow_line (flow, title));
    } else {
      title = i;
    }
  }
}

/* The page number of a title that stands apart from it: bare digits to its right, the next ones or a few entries later. */
static guint
number_of_title (const DpFlow *flow, guint title)
{
  const DpFlowLine *a = dp_flow_line (flow, title);

  for (guint i = title + 1; i < flow->lines->len && i < title + 6; i++) {
    const DpFlowLine *b = dp_flow_line (flow, i);
    if (b->page == a->page && is_number (b) && b->at.x0 > a->at.x1 && fabsf (a->baseline - b->baseline) < 0.3f * a->size)
      return i;
  }
  return 0;
}

/* Behind the entries, on their page or the next: titles whose numbers, without dots, stand below those of the entries. */
static guint
claim_tail (DpFlow *flow, Entry *entries, guint first, guint last)
{
  const DpFlowLine *end = dp_flow_line (flow, last - 1);
  float left = end->at.x0;
  guint value = entries[last - 1].value, page = end->page, behind = last;

  for (guint i = first; i < last; i++)
    if (dp_flow_line (flow, i)->page == page)
      left = MIN (left, dp_flow_line (flow, i)->at.x0);
  for (guint i = last, misses = 0; i < flow->lines->len && misses < 3 && dp_flow_line (flow, i)->page <= page + 1; i++) {
    DpFlowLine *line = dp_flow_line (flow, i);
    guint number;
    if (!is_plain (line))
      continue;
    number = is_number (line) || line->n_chars > 100 ? 0 : number_of_title (flow, i);
    if (!number || fabsf (dp_flow_line (flow, number)->at.x1 - end->at.x1) > 3
        || g_ascii_strtoull (dp_flow_line (flow, number)->text, NULL, 10) < value) {
      misses++;
      continue;
    }
    dp_flow_adopt (flow, i, number, FALSE);
    entries[i] = read_entry (line);
    value = entries[i].value;
    line->role = DP_ROLE_TOC;
    line->starts = TRUE;
    line->level = entry_level (line, left);
    line->label = (guint) entries[i].tail;
    behind = MAX (behind, i + 1);
    misses = 0;
  }
  return behind;
}

static void
claim_stretch (DpFlow *flow, Entry *entries, guint first, guint last)
{
  float left = G_MAXFLOAT;
  gboolean open = FALSE; /* a wrapped title waits for its number */
  guint page = G_MAXUINT;

  adopt_bare_numbers (flow, entries, first, last);
  for (guint i = first; i < last; i++) {
    DpFlowLine *line = dp_flow_line (flow, i);
    if (!is_plain (line))
      continue;
    if (line->page != page) {
      page = line->page;
      left = G_MAXFLOAT;
      for (guint k = i; k < last && dp_flow_line (flow, k)->page == page; k++)
        if (is_plain (dp_flow_line (flow, k)))
          left = MIN (left, dp_flow_line (flow, k)->at.x0);
    }
    if (heads_part (flow, line)) {
      open = FALSE;
      continue;
    }
    line->role = DP_ROLE_TOC;
    line->starts = !open;
    line->level = entry_level (line, left);
    line->label = (guint) entries[i].tail;
    /* A line without a number is a wrapped title if the next one is set close below it, else an entry of its own. */
    open = FALSE;
    if (!entries[i].numbered && i + 1 < last && is_plain (dp_flow_line (flow, i + 1))) {
      const DpFlowLine *next = dp_flow_line (flow, i + 1);
      open = next->page == line->page && entries[i + 1].numbered && next->at.y0 - line->at.y1 < 0.45f * line->size
             && dp_flow_same_face (line, next) && next->at.x0 >= line->at.x0 - 1 && line->n_chars > 25;
    }
  }
}

/* Under the heading, a page number that stands apart goes back to its title on the left. */
static void
adopt_numbers (DpFlow *flow, guint heading)
{
  guint page = dp_flow_line (flow, heading)->page, end = MIN (heading + 200, flow->lines->len);

  for (guint i = heading + 1; i + 1 < end; i++) {
    const DpFlowLine *a = dp_flow_line (flow, i), *b = dp_flow_line (flow, i + 1);
    if (b->page != page || !is_plain (a) || !is_number (b))
      continue;
    if (fabsf (a->baseline - b->baseline) < 0.3f * a->size && b->at.x0 > a->at.x1)
      dp_flow_adopt (flow, i, i + 1, FALSE);
  }
}

/* ---- indexes ----------------------------------------------------------------------------------- */

static gboolean
says_index (const char *text)
{
  static const char *const words[]
      = { "index",    "subject index",        "author index",     "name index", "general index",    "sachregister",
          "register", "stichwortverzeichnis", "personenregister", "rejstřík",   "índice analítico", "索引" };

  return folds_to (text, words, G_N_ELEMENTS (words));
}

/* "word, 3, 5–7" or "word, see other": ends in a page, or sends elsewhere. */
static gboolean
ends_in_pages (const char *text)
{
  const char *p = text + strlen (text);
  gsize digits = 0;

  if (strstr (text, ", see ") || strstr (text, "; see ") || g_str_has_prefix (text, "see also"))
    return TRUE;
  while (p > text && (p[-1] == 'f' || p[-1] == 'n' || p[-1] == '.')) /* 12f. 13ff 14n */
    p--;
  while (p > text && g_ascii_isdigit (p[-1])) {
    p--;
    digits++;
  }
  return digits >= 1 && digits <= 4 && p > text && (p[-1] == ' ' || (guchar) p[-1] >= 0x80 || p[-1] == '-');
}

/* An index under its heading: most lines end in pages.  Each is an entry; what is set in below is
 * its sub-entry, a line after one without pages goes on with it. */
static guint
claim_index (DpFlow *flow, guint heading)
{
  guint last = heading + 1, lines = 0, paged = 0;
  gboolean open = FALSE;
  const float usual = last >= flow->lines->len                       ? 0
                      : heads_part (flow, dp_flow_line (flow, last)) ? flow->body.size
                                                                     : dp_flow_line (flow, last)->size;

  for (; last < flow->lines->len; last++) {
    const DpFlowLine *line = dp_flow_line (flow, last);
    if (line->role >= DP_ROLE_HEADER)
      continue;
    if (!is_plain (line) || (line->size > 1.15f * usual && !heads_part (flow, line)) || line->n_chars > 120)
      break;
    lines++;
    paged += ends_in_pages (line->text) ? 1 : 0;
  }
  if (paged < 5 || paged * 10 < lines * 6)
    return heading;
  for (guint i = heading + 1; i < last; i++) {
    DpFlowLine *line = dp_flow_line (flow, i);
    float in = (line->at.x0 - dp_flow_column (flow, line).x0) / MAX (line->size, 1);
    if (!is_plain (line) || heads_part (flow, line))
      continue;
    line->role = DP_ROLE_TOC;
    line->starts = !open || in < 0.5f;
    line->level = in < 0.8f ? 1 : 2;
    line->label = 0;
    open = !ends_in_pages (line->text) && line->n_chars > 2; /* a letter alone heads its part */
  }
  return last;
}

/* The next entry that is not furniture is a contents table. */
static gboolean
contents_follow (const DpFlow *flow, guint i)
{
  while (i < flow->lines->len && dp_flow_line (flow, i)->role >= DP_ROLE_HEADER)
    i++;
  return i < flow->lines->len && dp_flow_line (flow, i)->role == DP_ROLE_OBJECT && dp_toc_is_contents (flow, i);
}

/* A title of contents that was taken for a running head, the first of its words, heads them. */
static void
return_title (DpFlow *flow, gint head)
{
  const char *words = head >= 0 ? dp_flow_line (flow, (guint) head)->text : "";

  for (gint i = 0; i < head; i++)
    if (strcmp (dp_flow_line (flow, (guint) i)->text, words) == 0)
      return;
  if (head >= 0) {
    dp_flow_line (flow, (guint) head)->role = DP_ROLE_HEADING;
    dp_flow_line (flow, (guint) head)->starts = TRUE;
  }
}

/* Contents reached the end of their page: the next page may go on with them. */
static gboolean
page_ends (const DpFlow *flow, guint last)
{
  for (guint i = last; i < flow->lines->len; i++)
    if (dp_flow_line (flow, i)->role < DP_ROLE_HEADER)
      return dp_flow_line (flow, i)->page == dp_flow_line (flow, last - 1)->page + 1;
  return FALSE;
}

static void
prepare_entries (DpFlow *flow, Entry *entries)
{
  for (guint i = 0; i < flow->lines->len; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    if ((is_plain (line) || line->role == DP_ROLE_HEADER) && dp_toc_is_title (line->text))
      adopt_numbers (flow, i);
  }
  for (guint i = 0; i < flow->lines->len; i++)
    if (is_plain (dp_flow_line (flow, i)))
      entries[i] = read_entry (dp_flow_line (flow, i));
}

void
dp_flow_toc (DpFlow *flow)
{
  g_autofree Entry *entries = g_new0 (Entry, flow->lines->len + 1);
  gboolean titled = FALSE;
  guint reached = 0; /* page that contents so far may go on to, 0 = none */
  gint head = -1;    /* entry of a running head that is a title */

  prepare_entries (flow, entries);
  for (guint i = 0; i < flow->lines->len; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    Stretch s;
    if (line->role == DP_ROLE_HEADER && dp_toc_is_title (line->text)) {
      titled = TRUE;
      head = (gint) i;
    }
    if (!is_plain (line))
      continue;
    if (says_index (line->text)) {
      guint end = claim_index (flow, i);
      i = end > i ? end - 1 : i;
      continue;
    }
    if (dp_toc_is_title (line->text)) {
      titled = TRUE;
      head = -1;
      continue;
    }
    if (!entries[i].numbered && !titled)
      continue;
    s = follow_entries (flow, entries, i);
    /* Right above a table that holds the rest, or at the top of the page behind others, a single entry is enough. */
    if (is_contents (&s, titled) || (titled && s.entries > 0 && contents_follow (flow, s.last))
        || (reached && reached == line->page && s.leaders > 0 && s.leaders * 2 >= s.entries && s.ascending == s.entries)) {
      claim_stretch (flow, entries, i, s.last);
      i = claim_tail (flow, entries, i, s.last) - 1;
      return_title (flow, head);
      reached = page_ends (flow, i + 1) ? dp_flow_line (flow, i)->page + 1 : 0;
    } else {
      reached = 0;
      if (s.last > i) /* what does not hold from here will not hold from inside: go on behind it */
        i = s.last - 1;
    }
    titled = reached > 0;
    head = -1;
  }
}
