/* layout/headings.c - which lines are headings.
 *
 * A candidate is a group of up to four lines of one face.  Its evidence (size, weight,
 * capitals, numbering, white space, a matching outline title) is added up, and the guards
 * are those measured on hand-marked pages: what is larger than 1.12 body sizes or bold where
 * the body is not holds 95 % of all headings, and nearly all false ones are captions, table
 * cells, run-in openings, running heads and bold sentences.  A false heading costs more than
 * a missed one, so doubt decides against it; only a page with none promotes its best.
 */
#include "layout/flow.h"
#include "layout/labels.h"
#include "layout/text.h"

#include <math.h>
#include <string.h>

#define ACCEPT 1.75f
#define ACCEPT_ONLY 1.45f  /* best candidate of a document without headings */
#define NUMBERED_WORDS 10u /* a numbered line with more may be the opening of a sentence */
#define NEARLY 0.5f        /* below ACCEPT: enough in a style that other headings have */
#define MAX_STYLES 32u     /* of headings in one document that are compared */
#define MAX_LINES 4u
#define MAX_TITLE_LINES 6u /* of display type */
#define DISPLAY 1.3f       /* body sizes from which type is display */
#define MAX_CHARS 200u
#define LINE_GAP 0.8f /* em between the boxes of two lines of one heading */

typedef struct {
  guint first, last; /* entries [first, last) */
  guint n_lines, n_chars, n_words;
  float ratio; /* size / body size */
  gboolean bold, caps, numbered, listed;
  DpHeadingNumber number;
  float score;
  gboolean strong; /* an outline title */
  gboolean named;  /* the name of a usual section */
  gboolean opener; /* short first line of its page, above prose */
} Group;

/* ---- text tests --------------------------------------------------------------------------------- */

static char *
group_text (const DpFlow *flow, guint first, guint last)
{
  GString *text = g_string_new (NULL);

  for (guint i = first; i < last; i++)
    dp_text_join (text, dp_flow_line (flow, i)->text);
  return g_string_free (text, FALSE);
}

typedef struct {
  guint letters, upper, lower, digits, other, words;
} TextCount;

static TextCount
count_text (const char *text)
{
  TextCount n = { 0 };
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

/* Letters and digits only, folded: for comparison with outline titles. */
static char *
squeeze (const char *text)
{
  g_autofree char *folded = g_utf8_casefold (text, -1);
  GString *out = g_string_new (NULL);

  for (const char *p = folded; *p; p = g_utf8_next_char (p))
    if (g_unichar_isalnum (g_utf8_get_char (p)))
      g_string_append_unichar (out, g_utf8_get_char (p));
  return g_string_free (out, FALSE);
}

/* Names of unnumbered sections that stand in nearly every report and paper. */
static gboolean
is_section_name (const char *text)
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
  g_autofree char *key = squeeze (text);
  gsize n = strlen (key);

  if (n > 1 && key[n - 1] == 's' && strcmp (key, "results") != 0 && strcmp (key, "references") != 0 && strcmp (key, "methods") != 0
      && strcmp (key, "contents") != 0)
    key[n - 1] = '\0';
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (key, names[i]) == 0)
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
weigh_ending (const char *text, guint words)
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
  case 0x3002: return words > 8 ? -1.75f : -0.75f;
  case ':':
  case 0xFF1A: return words > 6 ? -1 : -0.5f;
  default: return 0;
  }
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

/* Guards on the text alone; -9 and less rule it out. */
static float
weigh_text (const Group *g, const char *text)
{
  TextCount n = count_text (text);
  gunichar first = g_utf8_get_char (text);
  DpLabel label;
  float weight = weigh_ending (text, n.words);

  if (n.letters < 2 || n.letters * 10 < (n.letters + n.digits + n.other) * 3)
    return -9;
  if (g_unichar_islower (first) && !g->numbered)
    return -9;
  if (text[0] == '(' && text[strlen (text) - 1] == ')')
    return -9;
  if (dp_label_parse (text, &label) && label.kind == DP_LABEL_BULLET)
    return -9;
  if (is_quoted (text)) /* a pull quote */
    return -9;
  if (has_inner_stop (text, g->number.length))
    weight -= 1.25f;
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

/* ---- face and place -------------------------------------------------------------------------------- */

static float
weigh_face (const DpFlow *flow, Group *g)
{
  const DpFlowLine *line = dp_flow_line (flow, g->first);
  const DpFlowBody *body = &dp_flow_page (flow, line)->body;
  const char *font = dp_flow_font (flow, line);
  float weight = g->ratio >= 1.6f                ? 2.5f
                 : g->ratio >= 1.3f              ? 2
                 : g->ratio >= 1.12f             ? 1.5f
                 : g->ratio >= 1.04f             ? 0.4f
                 : g->ratio < 0.88f && !g->named ? -1
                                                 : 0;
  gboolean italic = (line->style & DP_SPAN_ITALIC) && !body->italic, distinct;

  weight += g->bold ? 1.25f : 0;
  weight += g->caps ? 0.5f : 0;
  weight += italic && !g->bold ? 0.4f : 0;
  weight += body->font && font[0] && strcmp (font, body->font) != 0 && (g->bold || g->ratio >= 1.04f || italic || g->caps) ? 0.3f : 0;
  weight += g->last < flow->lines->len && line->colour != 0 && line->colour != dp_flow_line (flow, g->last)->colour ? 0.2f : 0;
  distinct = g->bold || g->ratio >= 1.08f || g->caps || italic;
  if (g->numbered)
    weight += distinct ? 0.75f : 0.3f;
  if (g->numbered && g->number.word)
    weight += 0.4f;
  return weight;
}

static const DpFlowLine *
neighbour (const DpFlow *flow, guint i, gboolean after)
{
  while (after ? i + 1 < flow->lines->len : i > 0) {
    const DpFlowLine *line = dp_flow_line (flow, after ? ++i : --i);
    if (line->role <= DP_ROLE_QUOTE)
      return line;
  }
  return NULL;
}

static gboolean
ends_sentence (const char *text)
{
  gsize n = strlen (text);
  gunichar c = n ? g_utf8_get_char (g_utf8_prev_char (text + n)) : 0;

  return c == '.' || c == '!' || c == '?' || c == ':' || c == 0x3002 || c == ')' || c == 0x201D || c == ';';
}

static float
weigh_before (const DpFlow *flow, const Group *g)
{
  const DpFlowLine *line = dp_flow_line (flow, g->first), *before = neighbour (flow, g->first, FALSE);
  float body = dp_flow_page (flow, line)->body.size;
  DpFlowColumn column = dp_flow_column (flow, line);
  float gap;

  if (!before || before->page != line->page || before->at.y0 > line->at.y1 || before->role == DP_ROLE_OBJECT)
    return 0.25f;
  gap = line->at.y0 - before->at.y1;
  if (gap >= 0.5f * body)
    return 0.25f;
  /* A bold or large line in the middle of a paragraph: the line before is full and goes on. */
  if (dp_flow_same_region (before, line) && before->role == DP_ROLE_BODY && !ends_sentence (before->text) && before->n_chars > 30
      && before->at.x1 > column.x1 - 4 * body && !g->numbered && g->ratio < 1.12f)
    return -1.5f;
  return 0;
}

static float
weigh_after (const DpFlow *flow, const Group *g)
{
  const DpFlowLine *line = dp_flow_line (flow, g->last - 1), *after = neighbour (flow, g->last - 1, TRUE);
  float body = dp_flow_page (flow, line)->body.size;
  gboolean same;

  if (!after || after->page != line->page)
    return -0.4f;
  same = dp_flow_same_region (after, line);
  if (same && after->role == DP_ROLE_BODY && after->at.y0 - line->at.y1 < 0.4f * body) {
    gunichar c = g_utf8_get_char (after->text);
    /* A bold opening that fills its line, or a bold sentence that wraps into plain text. */
    if (after->run_in > 0 && after->run_in < 0.95f && g->bold && (after->style & DP_SPAN_BOLD) == 0
        && (!g->numbered || g->n_words > NUMBERED_WORDS))
      return -1.5f;
    if (g_unichar_islower (c))
      return -2;
    return 0;
  }
  return 0.25f;
}

/* Other text on the baseline that is not the next column: a form, a table row, an index. */
static float
weigh_row (const DpFlow *flow, const Group *g)
{
  const DpFlowLine *line = dp_flow_line (flow, g->first);
  const DpFlowPage *page = dp_flow_page (flow, line);
  guint others = 0, from = g->first > page->first + 40 ? g->first - 40 : page->first;
  guint to = MIN (g->first + 40, page->first + page->n);

  for (guint i = from; i < to; i++) {
    const DpFlowLine *other = dp_flow_line (flow, i);
    if (i >= g->first && i < g->last)
      continue;
    if (other->role == DP_ROLE_BODY && !other->astray && fabsf (other->baseline - line->baseline) < 0.2f * line->size)
      others++;
  }
  return others >= 3 ? -1.5f : others == 2 ? -0.5f : 0;
}

/* ---- groups ------------------------------------------------------------------------------------------- */

/* The line stops at a word that cannot end a title. */
static gboolean
ends_open (const char *text)
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

/* Lines of one title whose sizes differ a little: of one colour and weight, large, and either on one
 * axis or in the middle of a phrase. */
static gboolean
same_title (const DpFlow *flow, const DpFlowLine *a, const DpFlowLine *b)
{
  const DpFlowBody *body = &dp_flow_page (flow, a)->body;
  float small = MIN (a->size, b->size), large = MAX (a->size, b->size);

  if (a->colour != b->colour || ((a->style ^ b->style) & (DP_SPAN_BOLD | DP_SPAN_ITALIC)) || small < 0.85f * large
      || small < DISPLAY * body->size)
    return FALSE;
  return ends_open (a->text) || (fabsf (dp_rect_cx (a->at) - dp_rect_cx (b->at)) < 0.4f * small && fabsf (a->at.x0 - b->at.x0) > small);
}

static gboolean
continues_group (const DpFlow *flow, guint first, guint i)
{
  const DpFlowLine *a = dp_flow_line (flow, i - 1), *b = dp_flow_line (flow, i);
  DpHeadingNumber number;

  if (b->role != DP_ROLE_BODY || b->astray || b->page != a->page || !(dp_flow_same_face (a, b) || same_title (flow, a, b)))
    return FALSE;
  if (!dp_flow_same_region (a, b) && (b->at.y0 < a->at.y1 - 0.3f * a->size || dp_rect_overlap_x (a->at, b->at) <= 0))
    return FALSE;
  if (b->at.y0 - a->at.y1 > LINE_GAP * a->size || b->baseline <= a->baseline)
    return FALSE;
  /* "4 Results" and "4.1 Data" under it are two. */
  if (dp_label_heading (b->text, &number) && !number.bare && dp_label_heading (dp_flow_line (flow, first)->text, &number))
    return FALSE;
  return TRUE;
}

static gboolean
matches_outline (const DpFlow *flow, const Group *g, const char *text, GHashTable *outline)
{
  g_autofree char *key = squeeze (text);
  const DpOutlineEntry *entry;
  guint number = dp_flow_page (flow, dp_flow_line (flow, g->first))->layout->number;

  if (strlen (key) < 3)
    return FALSE;
  entry = g_hash_table_lookup (outline, key);
  if (!entry && g->numbered) {
    g_autofree char *bare = squeeze (text + g->number.length);
    entry = strlen (bare) < 3 ? NULL : g_hash_table_lookup (outline, bare);
  }
  return entry && (entry->page == 0 || (entry->page + 1 >= number && entry->page <= number + 1));
}

/* Size of the group; of text in capitals that of the largest word, as small capitals are set smaller. */
static float
group_size (const DpFlow *flow, guint first, guint last, gboolean capitals)
{
  float size = dp_flow_line (flow, first)->size;

  for (guint i = first; i < last && capitals; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    const DpPageLayout *layout = dp_flow_page (flow, line)->layout;
    for (guint f = 0; f < line->n_frags; f++) {
      const DpLine *fragment = &g_array_index (layout->lines, DpLine, g_array_index (flow->frags, guint, line->first_frag + f));
      for (guint w = 0; w < fragment->n_words; w++)
        size = MAX (size, g_array_index (layout->words, DpWord, fragment->first_word + w).size);
    }
  }
  return size;
}

/* The first text of its page: one short line without a full stop, set off from the prose under it. */
static gboolean
opens_page (const DpFlow *flow, const Group *g)
{
  const DpFlowLine *line = dp_flow_line (flow, g->first), *before = neighbour (flow, g->first, FALSE),
                   *after = neighbour (flow, g->last - 1, TRUE);

  if (g->n_lines != 1 || g->n_chars > 60 || g->n_words < 2 || (before && before->page == line->page) || !after || after->page != line->page)
    return FALSE;
  return after->role == DP_ROLE_BODY && after->n_chars >= 60 && !ends_sentence (line->text)
         && after->at.y0 - line->at.y1 >= 0.5f * line->size && after->at.y0 > line->at.y1;
}

static Group
make_group (const DpFlow *flow, guint first, guint last, GHashTable *outline)
{
  const DpFlowLine *line = dp_flow_line (flow, first);
  const DpFlowBody *body = &dp_flow_page (flow, line)->body;
  Group g = { .first = first, .last = last, .n_lines = last - first };
  g_autofree char *text = group_text (flow, first, last);
  DpLabel label;
  TextCount n = count_text (text);

  g.n_chars = (guint) g_utf8_strlen (text, -1);
  g.n_words = n.words;
  g.ratio = body->size > 0 ? group_size (flow, first, last, n.lower == 0) / body->size : 1;
  g.bold = (line->style & DP_SPAN_BOLD) && !body->bold;
  g.caps = line->small_caps || (n.upper >= 4 && n.lower == 0);
  g.numbered = dp_label_heading (text, &g.number);
  g.listed = dp_label_parse (text, &label) && label.kind != DP_LABEL_BULLET;
  g.named = g.n_lines == 1 && is_section_name (text + (g.numbered ? g.number.length : 0));
  g.score = weigh_text (&g, text) + weigh_face (flow, &g) + weigh_before (flow, &g) + weigh_after (flow, &g) + weigh_row (flow, &g);
  g.score += g.named ? 1.25f : 0;
  g.opener = opens_page (flow, &g);
  if (g.n_lines <= MAX_LINES && matches_outline (flow, &g, text, outline)) {
    g.strong = TRUE;
    g.score += 1.5f;
  }
  return g;
}

static void
collect_groups (DpFlow *flow, GHashTable *outline, GArray *groups)
{
  for (guint i = 0; i < flow->lines->len;) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    guint j = i + 1;
    if (line->role != DP_ROLE_BODY || line->astray) {
      i++;
      continue;
    }
    while (j < flow->lines->len && j - i < 64 && continues_group (flow, i, j))
      j++;
    if (j - i <= (line->size >= DISPLAY * dp_flow_page (flow, line)->body.size ? MAX_TITLE_LINES : MAX_LINES)) {
      Group g = make_group (flow, i, j, outline);
      if (g.n_chars <= MAX_CHARS && g.score > 0)
        g_array_append_val (groups, g);
    }
    i = j;
  }
}

/* ---- the whole picture ----------------------------------------------------------------------------------- */

static gboolean
adjacent (const DpFlow *flow, const Group *a, const Group *b)
{
  const DpFlowLine *next = neighbour (flow, a->last - 1, TRUE);

  return next == dp_flow_line (flow, b->first) && next->page == dp_flow_line (flow, a->first)->page;
}

/* Three and more in a row in one face with nothing under them are a list, an address, a cover. */
static void
demote_runs (const DpFlow *flow, GArray *groups)
{
  for (guint i = 0, j; i < groups->len; i = j) {
    Group *g = &g_array_index (groups, Group, i);
    for (j = i + 1; j < groups->len; j++) {
      const Group *a = &g_array_index (groups, Group, j - 1), *b = &g_array_index (groups, Group, j);
      if (a->score < ACCEPT || b->score < ACCEPT || !adjacent (flow, a, b)
          || !dp_flow_same_face (dp_flow_line (flow, a->first), dp_flow_line (flow, b->first)))
        break;
    }
    if (j - i < 3 || g->score < ACCEPT)
      continue;
    for (guint k = i; k < j; k++) {
      Group *member = &g_array_index (groups, Group, k);
      if (!member->strong && (j - i >= 4 || !member->numbered))
        member->score -= j - i >= 4 ? 3 : 1;
    }
  }
}

/* An address within the next lines. */
static gboolean
address_follows (const DpFlow *flow, const Group *g)
{
  static const char *const words[]
      = { "@", "Universit", "Institut", "Department", "Laborator", "College", "School of", "Facult", "Inc.", "GmbH", "Ltd" };

  for (guint i = g->first; i < flow->lines->len && i < g->last + 4; i++)
    for (guint k = 0; k < G_N_ELEMENTS (words); k++)
      if (strstr (dp_flow_line (flow, i)->text, words[k]))
        return TRUE;
  return FALSE;
}

/* Names under the title: authors, places; not sections. */
static void
demote_bylines (const DpFlow *flow, GArray *groups)
{
  const Group *title = NULL;

  for (guint i = 0; i < groups->len && i < 8; i++) {
    Group *g = &g_array_index (groups, Group, i);
    if (dp_flow_line (flow, g->first)->page > 0)
      return;
    if (g->score < ACCEPT)
      continue;
    if (!title) {
      title = g;
      continue;
    }
    if (g->numbered || g->strong || g->named)
      return;
    if (g->n_words <= 12 && address_follows (flow, g))
      g->score -= 2.5f;
    else if (title->ratio > g->ratio * 1.1f && title->ratio >= 1.2f && adjacent (flow, title, g) && !g->bold && !g->caps)
      g->score -= 1.5f;
  }
}

/* A slide, a poster, a cover: more display lines than text. Only the largest face stays. */
static void
demote_displays (const DpFlow *flow, GArray *groups)
{
  for (guint i = 0, j; i < groups->len; i = j) {
    guint page = dp_flow_line (flow, g_array_index (groups, Group, i).first)->page, n = 0, chars = 0, text = 0;
    const DpFlowPage *p = &g_array_index (flow->pages, DpFlowPage, page);
    float largest = 0;
    for (j = i; j < groups->len && dp_flow_line (flow, g_array_index (groups, Group, j).first)->page == page; j++) {
      const Group *g = &g_array_index (groups, Group, j);
      if (g->score < ACCEPT)
        continue;
      n++;
      chars += g->n_chars;
      largest = MAX (largest, g->ratio);
    }
    for (guint k = p->first; k < p->first + p->n; k++)
      text += dp_flow_line (flow, k)->role == DP_ROLE_BODY ? dp_flow_line (flow, k)->n_chars : 0;
    if (n < 6 || text > 4 * chars)
      continue;
    for (guint k = i; k < j; k++) {
      Group *g = &g_array_index (groups, Group, k);
      if (g->ratio < 0.96f * largest && !g->strong)
        g->score -= 2;
    }
  }
}

/* A page where a third of the lines are bold at body size has bold text, not headings. */
static void
demote_bold_pages (const DpFlow *flow, GArray *groups)
{
  g_autofree guint *bold = g_new0 (guint, flow->pages->len + 1);
  g_autofree guint *plain = g_new0 (guint, flow->pages->len + 1);

  for (guint i = 0; i < flow->lines->len; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    if (line->role != DP_ROLE_BODY && line->role != DP_ROLE_OBJECT)
      continue;
    if ((line->style & DP_SPAN_BOLD) && line->role == DP_ROLE_BODY)
      bold[line->page]++;
    else
      plain[line->page] += line->role == DP_ROLE_OBJECT ? 4 : 1;
  }
  for (guint i = 0; i < groups->len; i++) {
    Group *g = &g_array_index (groups, Group, i);
    guint page = dp_flow_line (flow, g->first)->page;
    if (g->bold && g->ratio < 1.12f && !g->numbered && !g->strong && bold[page] > 3 && bold[page] * 2 > plain[page])
      g->score -= 1;
  }
}

/* One face and one colour, to the letter. */
static gboolean
same_style (const DpFlow *flow, const Group *a, const Group *b)
{
  const DpFlowLine *x = dp_flow_line (flow, a->first), *y = dp_flow_line (flow, b->first);

  return fabsf (x->size - y->size) <= 0.02f * x->size && x->colour == y->colour && a->caps == b->caps && dp_flow_same_face (x, y)
         && strcmp (dp_flow_font (flow, x), dp_flow_font (flow, y)) == 0;
}

/* What looks like several headings that were found, and nearly was one, is one. */
static void
promote_style (const DpFlow *flow, GArray *groups)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint)); /* one group of each style that has two */
  g_autoptr (GArray) once = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < groups->len && found->len < MAX_STYLES && once->len < MAX_STYLES; i++) {
    const Group *g = &g_array_index (groups, Group, i);
    guint k = 0;
    if (g->score < ACCEPT || !(g->bold || g->caps || g->ratio >= 1.08f))
      continue;
    while (k < once->len && !same_style (flow, g, &g_array_index (groups, Group, g_array_index (once, guint, k))))
      k++;
    if (k == once->len)
      g_array_append_val (once, i);
    else
      g_array_append_val (found, i);
  }
  for (guint i = 0; i < groups->len; i++) {
    Group *g = &g_array_index (groups, Group, i);
    for (guint k = 0; k < found->len && g->score < ACCEPT && g->score >= ACCEPT - NEARLY; k++)
      if (same_style (flow, g, &g_array_index (groups, Group, g_array_index (found, guint, k))))
        g->score = ACCEPT;
  }
}

/* Nothing was found in the whole document: the single best candidate, if it stands out at all. */
static void
promote_best (GArray *groups)
{
  Group *best = NULL;

  for (guint i = 0; i < groups->len; i++) {
    Group *g = &g_array_index (groups, Group, i);
    if (g->score >= ACCEPT)
      return;
    if (g->opener && g->score > 0.4f) /* shows only when nothing else does */
      g->score = MAX (g->score, ACCEPT_ONLY);
    if (g->score >= ACCEPT_ONLY && (g->bold || g->ratio >= 1.08f || g->caps || g->numbered || g->opener)
        && (!best || g->score > best->score))
      best = g;
  }
  if (best)
    best->score = ACCEPT;
}

static guint
count_accepted (const GArray *groups)
{
  guint n = 0;

  for (guint i = 0; i < groups->len; i++)
    n += g_array_index (groups, Group, i).score >= ACCEPT ? 1 : 0;
  return n;
}

static void
claim_group (DpFlow *flow, const Group *g)
{
  for (guint i = g->first; i < g->last; i++) {
    DpFlowLine *line = dp_flow_line (flow, i);
    line->role = DP_ROLE_HEADING;
    line->starts = i == g->first;
    line->level = 0;
  }
}

/* A number alone and its title on the next line are one heading. */
static void
join_bare_numbers (DpFlow *flow, const GArray *groups)
{
  for (guint i = 0; i + 1 < groups->len; i++) {
    const Group *a = &g_array_index (groups, Group, i), *b = &g_array_index (groups, Group, i + 1);
    DpFlowLine *line = dp_flow_line (flow, b->first);
    const DpFlowLine *last = dp_flow_line (flow, a->last - 1);
    if (line->role != DP_ROLE_HEADING || last->role != DP_ROLE_HEADING || !adjacent (flow, a, b))
      continue;
    if (a->numbered && a->number.bare && !a->number.word && !b->numbered && line->at.y0 - last->at.y1 < 4 * MAX (line->size, last->size))
      line->starts = FALSE;
  }
}

/* A number alone right above a heading that has none belongs to it: "3" over "The ferry". */
static void
adopt_numbers (DpFlow *flow)
{
  for (guint i = 0; i + 1 < flow->lines->len; i++) {
    DpFlowLine *line = dp_flow_line (flow, i), *next = dp_flow_line (flow, i + 1);
    DpHeadingNumber number;
    if (line->role != DP_ROLE_BODY || line->astray || next->role != DP_ROLE_HEADING || !next->starts || line->page != next->page)
      continue;
    if (!dp_label_heading (line->text, &number) || !number.bare || number.value > 99 || dp_label_heading (next->text, &number))
      continue;
    if (line->size < 0.9f * next->size || next->at.y0 - line->at.y1 > 2.5f * next->size || next->at.y0 < line->at.y0
        || dp_rect_overlap_x (line->at, next->at) <= 0)
      continue;
    line->role = DP_ROLE_HEADING;
    line->starts = TRUE;
    line->level = 0;
    next->starts = FALSE;
  }
}

void
dp_flow_headings (DpFlow *flow)
{
  g_autoptr (GHashTable) outline = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GArray) groups = g_array_new (FALSE, FALSE, sizeof (Group));

  for (guint i = 0; flow->info && i < flow->info->outline->len; i++) {
    DpOutlineEntry *entry = &g_array_index (flow->info->outline, DpOutlineEntry, i);
    g_hash_table_insert (outline, squeeze (entry->title), entry);
  }
  collect_groups (flow, outline, groups);
  demote_bold_pages (flow, groups);
  demote_runs (flow, groups);
  demote_bylines (flow, groups);
  demote_displays (flow, groups);
  promote_style (flow, groups);
  /* A sane tree that marks most of what looks like a heading is the author's word. */
  if (flow->tagged_headings > 0 && flow->tagged_headings * 2 >= count_accepted (groups))
    return;
  if (flow->tagged_headings == 0)
    promote_best (groups);
  for (guint i = 0; i < groups->len; i++)
    if (g_array_index (groups, Group, i).score >= ACCEPT)
      claim_group (flow, &g_array_index (groups, Group, i));
  join_bare_numbers (flow, groups);
  adopt_numbers (flow);
}
