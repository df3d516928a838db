/* layout/tags.c - the structure tree of a tagged PDF, where it is sane.
 *
 * Of 264 tagged files that were looked at, 84 had headings or tables and tags that cover most
 * of the text; opendataloader therefore uses the tree only when asked, edgeparse takes its
 * headings.  Where the PDF stage knows the places of marked content, tag_blocks.c does the work.
 * Else (encrypted files) it has the texts of headings only, as reading all costs poppler more than
 * the pages, and coverage is judged by elements: nearly every page with text must have some, most
 * of them must be something else than headings, and the headings must be short, few, and found
 * on their pages in the tree's order.  Then they give headings and levels.  Anything else is
 * ignored.  The tree is a flat list in pre-order, so there is no recursion; text that is
 * compared is bounded.
 */
#include "layout/tags.h"
#include "layout/text.h"

#include <string.h>

#define COVERAGE 0.9       /* share of the pages with text that must have elements */
#define MIN_ELEMENTS 3u    /* of a page that counts as covered */
#define MIN_LINES 5u       /* of a page that counts as one with text */
#define MAX_HEADING 150u   /* characters */
#define PAGES_AHEAD 4u     /* pages looked through for a heading without a page */
#define FOUND 0.7          /* share of the headings that must be found in order */
#define HEADING_SHARE 0.25 /* of all letters: beyond that everything is a heading */

typedef struct {
  GString *letters; /* the page's text, letters and digits only, folded */
  GArray *starts;   /* gsize: where each entry of the page begins in it, and the end */
  gsize cursor;     /* headings are looked for from here on */
} PageText;

typedef struct {
  guint first, last; /* entries */
  guint level;
} Match;

static PageText
read_page (const DpFlow *flow, const DpFlowPage *page)
{
  PageText text = { .letters = g_string_new (NULL), .starts = g_array_new (FALSE, FALSE, sizeof (gsize)) };

  for (guint i = page->first; i < page->first + page->n; i++) {
    gsize at = text.letters->len;
    g_array_append_val (text.starts, at);
    if (dp_flow_line (flow, i)->role == DP_ROLE_BODY)
      dp_text_squeeze_into (text.letters, dp_flow_line (flow, i)->text);
  }
  g_array_append_val (text.starts, text.letters->len);
  return text;
}

guint
dp_tag_heading_level (const DpTag *tag)
{
  if (strcmp (tag->kind, "H") == 0 || strcmp (tag->kind, "Title") == 0)
    return 1;
  const gsize digits = tag->kind[0] == 'H' ? strspn (tag->kind + 1, "0123456789") : 0;
  if (digits == 0 || digits > 2 || tag->kind[1] == '0' || tag->kind[1 + digits] != '\0')
    return 0;
  return MIN ((guint) g_ascii_strtoull (tag->kind + 1, NULL, 10), 6); /* PDF 2.0 knows H7 and deeper ones */
}

/* Letters of the tag and everything below it, cut off soon after the longest heading. */
static char *
tag_letters (const GArray *tags, guint index)
{
  const DpTag *tag = &g_array_index (tags, DpTag, index);
  GString *out = g_string_new (NULL);

  dp_text_squeeze_into (out, tag->text);
  for (guint i = index + 1; i < tags->len && g_array_index (tags, DpTag, i).depth > tag->depth && out->len < 4 * MAX_HEADING; i++)
    dp_text_squeeze_into (out, g_array_index (tags, DpTag, i).text);
  return g_string_free (out, FALSE);
}

static guint
entry_at (const PageText *text, gsize offset, gboolean *exact)
{
  guint low = 0, high = text->starts->len;

  while (low + 1 < high) { /* last entry that begins at or before offset */
    guint mid = low + (high - low) / 2;
    if (g_array_index (text->starts, gsize, mid) <= offset)
      low = mid;
    else
      high = mid;
  }
  *exact = g_array_index (text->starts, gsize, low) == offset;
  return low;
}

/* Whole lines that hold exactly the heading's letters. */
static gboolean
find_heading (PageText *text, const char *letters, guint first, Match *match)
{
  const char *at = text->letters->str + text->cursor;
  gsize n = strlen (letters);

  while ((at = strstr (at, letters)) != NULL) {
    gsize from = (gsize) (at - text->letters->str);
    gboolean begins, ends;
    guint a = entry_at (text, from, &begins), b = entry_at (text, from + n, &ends);
    if (begins && ends && b > a && b - a <= 6) {
      match->first = first + a;
      match->last = first + b;
      text->cursor = from + n;
      return TRUE;
    }
    at++;
  }
  return FALSE;
}

static gint
page_index (const DpFlow *flow, guint number)
{
  guint low = 0, high = flow->pages->len;

  while (low < high) {
    guint mid = low + (high - low) / 2, here = g_array_index (flow->pages, DpFlowPage, mid).layout->number;
    if (here == number)
      return (gint) mid;
    if (here < number)
      low = mid + 1;
    else
      high = mid;
  }
  return -1;
}

/* Elements that hold text of their own. */
static gboolean
is_block (const DpTag *tag)
{
  static const char *const kinds[] = { "P", "LI", "LBody", "TD", "TH", "TOCI", "Caption", "Note", "Code", "Div", "Span" };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (tag->kind, kinds[i]) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
tree_covers (const DpFlow *flow, const PageText *pages)
{
  const GArray *tags = flow->info->tags;
  g_autofree guint *elements = g_new0 (guint, flow->pages->len);
  gsize blocks = 0, headings = 0, headed = 0, letters = 0;
  guint with_text = 0, covered = 0;

  for (guint i = 0; i < tags->len; i++) {
    const DpTag *tag = &g_array_index (tags, DpTag, i);
    gint page = page_index (flow, tag->page);
    if (page < 0)
      continue;
    elements[page]++;
    if (dp_tag_heading_level (tag)) {
      headings++;
      headed += strlen (tag->text);
    } else
      blocks += is_block (tag) ? 1 : 0;
  }
  for (guint p = 0; p < flow->pages->len; p++) {
    letters += pages[p].letters->len;
    if (g_array_index (flow->pages, DpFlowPage, p).n < MIN_LINES)
      continue;
    with_text++;
    covered += elements[p] >= MIN_ELEMENTS ? 1 : 0;
  }
  return headings <= blocks && (double) covered >= COVERAGE * with_text && (double) headed <= HEADING_SHARE * (double) letters;
}

/* On the page that the tag names; where it names none, on the page of the heading before or the next ones. */
static gboolean
find_on_pages (const DpFlow *flow, PageText *pages, const char *letters, gint page, guint *last, Match *match)
{
  guint from = page >= 0 ? (guint) page : *last, to = page >= 0 ? from + 1 : MIN (from + PAGES_AHEAD, flow->pages->len);

  for (guint p = from; p < to; p++)
    if (find_heading (&pages[p], letters, g_array_index (flow->pages, DpFlowPage, p).first, match)) {
      *last = p;
      return TRUE;
    }
  return FALSE;
}

static void
match_headings (const DpFlow *flow, PageText *pages, GArray *matches, guint *wanted)
{
  const GArray *tags = flow->info->tags;
  guint last = 0;

  for (guint i = 0; i < tags->len; i++) {
    const DpTag *tag = &g_array_index (tags, DpTag, i);
    gint page = page_index (flow, tag->page);
    g_autofree char *letters = NULL;
    Match match = { .level = dp_tag_heading_level (tag) };
    if (match.level == 0 || (page < 0 && tag->page != 0))
      continue;
    letters = tag_letters (tags, i);
    if (letters[0] == '\0')
      continue;
    (*wanted)++;
    if (g_utf8_strlen (letters, -1) <= MAX_HEADING && find_on_pages (flow, pages, letters, page, &last, &match))
      g_array_append_val (matches, match);
  }
}

void
dp_flow_tags (DpFlow *flow)
{
  g_autofree PageText *pages = NULL;
  g_autoptr (GArray) matches = g_array_new (FALSE, FALSE, sizeof (Match));
  guint wanted = 0;

  if (!flow->info || flow->info->tags->len == 0 || flow->pages->len == 0)
    return;
  if (flow->info->marks->len > 0) {
    dp_tag_blocks (flow);
    return;
  }
  pages = g_new0 (PageText, flow->pages->len);
  for (guint p = 0; p < flow->pages->len; p++)
    pages[p] = read_page (flow, &g_array_index (flow->pages, DpFlowPage, p));
  if (tree_covers (flow, pages))
    match_headings (flow, pages, matches, &wanted);
  if (wanted > 0 && matches->len >= FOUND * wanted)
    for (guint m = 0; m < matches->len; m++) {
      const Match *match = &g_array_index (matches, Match, m);
      for (guint i = match->first; i < match->last; i++) {
        DpFlowLine *line = dp_flow_line (flow, i);
        if (line->role != DP_ROLE_BODY)
          continue;
        line->role = DP_ROLE_HEADING;
        line->starts = i == match->first;
        line->level = match->level;
      }
      flow->tagged_headings++;
    }
  for (guint p = 0; p < flow->pages->len; p++) {
    g_string_free (pages[p].letters, TRUE);
    g_array_unref (pages[p].starts);
  }
}
