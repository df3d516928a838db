/* layout/heading_series.c - what the other candidates of the document say about one: numbers that count on, words that recur.
 *
 * A heading set in the face of the text is told by its number alone: 2.2.1 follows 2.2 or comes before 2.2.2, it stands
 * apart, and something else stands below it.  Numbered paragraphs and steps look alike, so all lines of one depth are judged
 * together.
 */
#include "layout/headings.h"
#include "layout/text.h"

#include <math.h>
#include <string.h>

#define MAX_PARTS 6u
#define MOST_WORDS 14u   /* of a heading without a face of its own */
#define GOOD_SHARE 0.75f /* of the lines of one depth that must look like headings */
#define LETTERS 4u       /* fewer are answers or parts of a figure */
#define MISSING 3u       /* steps that a count may take at once */
#define NOT_FULL 4       /* em that such a line leaves free at its end */
#define TOP 0.15f        /* of the page's height: where running heads stand */
#define TOP_LINES 4u     /* entries of a page that may be running heads */

typedef struct {
  guint parts[MAX_PARTS], n;
} Number;

/* The components of a dotted number that begins the text, "2.10.3"; n = 0 if there is none. */
static Number
read_number (const char *text)
{
  Number number = { 0 };
  gsize bytes;

  while (number.n < MAX_PARTS && (bytes = dp_label_digits (text, &number.parts[number.n])) > 0) {
    number.n++;
    text += bytes;
    if (*text != '.')
      break;
    text++;
  }
  return number;
}

/* b is what a count may go on with after a: 2.2.1 or 2.3 or 3 after 2.2; a few may be missing between. */
static gboolean
counts_on (const Number *a, const Number *b)
{
  guint from;

  if (b->n == 0 || b->n > a->n + 1)
    return FALSE;
  for (guint i = 0; i + 1 < b->n; i++)
    if (a->parts[i] != b->parts[i])
      return FALSE;
  from = b->n == a->n + 1 ? 0 : a->parts[b->n - 1];
  return b->parts[b->n - 1] > from && b->parts[b->n - 1] <= from + MISSING;
}

gboolean
dp_heading_same_style (const DpFlow *flow, const DpHeadingGroup *a, const DpHeadingGroup *b)
{
  const DpFlowLine *x = dp_flow_line (flow, a->first), *y = dp_flow_line (flow, b->first);

  return fabsf (x->size - y->size) <= 0.02f * x->size && x->colour == y->colour && a->caps == b->caps && dp_flow_same_face (x, y)
         && strcmp (dp_flow_font (flow, x), dp_flow_font (flow, y)) == 0;
}

/* ---- numbers that count on ---------------------------------------------------------------------------------------- */

/* Short, apart from the line before, with room at its end, and not the next of the same count below it. */
static gboolean
stands_apart (const DpFlow *flow, const DpHeadingGroup *g)
{
  const DpFlowLine *line = dp_flow_line (flow, g->first), *last = dp_flow_line (flow, g->last - 1);
  const DpFlowLine *before = dp_heading_neighbour (flow, g->first, FALSE), *after = dp_heading_neighbour (flow, g->last - 1, TRUE);
  const float body = dp_flow_page (flow, line)->body.size;
  DpHeadingNumber number;

  float edge = dp_flow_column (flow, last).x1; /* a region that is one line is as wide as that: its neighbours say more */

  edge = before && before->page == line->page ? MAX (edge, before->at.x1) : edge;
  edge = after && after->page == line->page ? MAX (edge, after->at.x1) : edge;
  if (g->n_words > MOST_WORDS || g->n_lines > 2 || (dp_heading_ends_sentence (last->text) && !g_str_has_suffix (last->text, ")"))
      || last->at.x1 > edge - NOT_FULL * last->size)
    return FALSE;
  if (before && before->page == line->page && before->at.y1 <= line->at.y0 && line->at.y0 - before->at.y1 < 0.4f * body)
    return FALSE;
  return after && !(after->role == DP_ROLE_BODY && dp_label_heading (after->text, &number) && number.depth <= g->number.depth);
}

/* Whether a candidate of this depth has the number only, and is asked about here. */
static gboolean
is_asked (const DpHeadingGroup *g, guint depth)
{
  return g->numbered && !g->number.word && !g->number.bare && g->number.depth == depth && g->number.family == '1';
}

/* Most of the candidates of this depth that are no headings yet look like some. */
static gboolean
depth_is_good (const DpFlow *flow, const GArray *groups, guint depth)
{
  guint good = 0, all = 0;

  for (guint i = 0; i < groups->len; i++) {
    const DpHeadingGroup *g = &g_array_index (groups, DpHeadingGroup, i);
    if (!is_asked (g, depth) || g->score >= DP_HEADING_ACCEPT)
      continue;
    all++;
    good += stands_apart (flow, g) ? 1 : 0;
  }
  return good >= 2 && (float) good >= GOOD_SHARE * (float) all;
}

void
dp_heading_promote_series (const DpFlow *flow, GArray *groups)
{
  Number last = { 0 };
  gboolean good[MAX_PARTS + 1] = { FALSE };

  for (guint depth = 2; depth <= MAX_PARTS; depth++)
    good[depth] = depth_is_good (flow, groups, depth);
  for (guint i = 0; i < groups->len; i++) {
    DpHeadingGroup *g = &g_array_index (groups, DpHeadingGroup, i);
    if (!g->numbered || g->number.word || g->number.family != '1')
      continue;
    const Number number = read_number (dp_flow_line (flow, g->first)->text);
    const guint depth = MIN (g->number.depth, MAX_PARTS);
    if (g->score < DP_HEADING_ACCEPT && is_asked (g, depth) && good[depth] && counts_on (&last, &number) && stands_apart (flow, g))
      g->score = DP_HEADING_ACCEPT;
    if (g->score >= DP_HEADING_ACCEPT)
      last = number;
  }
}

/* ---- letters of an index --------------------------------------------------------------------------------------------- */

/* The letter that is all of the line's text; 0 = it is not one. */
static gunichar
lone_letter (const DpFlow *flow, const DpHeadingGroup *g)
{
  const char *text = dp_flow_line (flow, g->first)->text;
  const gunichar c = g_utf8_get_char (text);

  return g->bare && g->n_chars == 1 && g_unichar_isalpha (c) ? g_unichar_toupper (c) : 0;
}

/* Text in another face comes next: right below, or where the next column or page begins. */
static gboolean
stands_over_text (const DpFlow *flow, const DpHeadingGroup *g)
{
  const DpFlowLine *line = dp_flow_line (flow, g->first), *after = dp_heading_neighbour (flow, g->first, TRUE);

  return after && (after->role == DP_ROLE_BODY || after->role == DP_ROLE_TOC) && after->n_chars > 1 && !dp_flow_same_face (line, after)
         && (after->page != line->page || after->baseline < line->at.y0 || after->baseline > line->at.y1);
}

void
dp_heading_promote_letters (const DpFlow *flow, GArray *groups)
{
  guint n = 0, rising = 0, good = 0;
  gunichar last = 0;

  for (guint i = 0; i < groups->len; i++) {
    const DpHeadingGroup *g = &g_array_index (groups, DpHeadingGroup, i);
    const gunichar letter = lone_letter (flow, g);
    if (letter == 0)
      continue;
    n++;
    rising += letter > last ? 1 : 0;
    good += stands_over_text (flow, g) ? 1 : 0;
    last = letter;
  }
  if (n < LETTERS || (float) rising < GOOD_SHARE * (float) n || (float) good < GOOD_SHARE * (float) n)
    return;
  for (guint i = 0; i < groups->len; i++) {
    DpHeadingGroup *g = &g_array_index (groups, DpHeadingGroup, i);
    if (lone_letter (flow, g))
      g->score = DP_HEADING_ACCEPT;
  }
}

/* ---- words that recur ---------------------------------------------------------------------------------------------- */

static char *
squeezed_group (const DpFlow *flow, const DpHeadingGroup *g)
{
  GString *out = g_string_new (NULL);

  for (guint i = g->first; i < g->last; i++)
    dp_text_squeeze_into (out, dp_flow_line (flow, i)->text);
  return g_string_free (out, FALSE);
}

/* Among the first entries of its page, in the top margin. */
static gboolean
at_top (const DpFlow *flow, const DpHeadingGroup *g)
{
  const DpFlowLine *line = dp_flow_line (flow, g->first);
  const DpFlowPage *page = dp_flow_page (flow, line);

  return g->n_lines == 1 && line->at.y1 < TOP * page->height && g->first < page->first + TOP_LINES;
}

void
dp_heading_drop_running (DpFlow *flow, GArray *groups)
{
  g_autoptr (GHashTable) sizes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL); /* words -> 1 + largest group */

  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < groups->len; i++) {
      DpHeadingGroup *g = &g_array_index (groups, DpHeadingGroup, i);
      g_autofree char *words = squeezed_group (flow, g);
      const guint known = GPOINTER_TO_UINT (g_hash_table_lookup (sizes, words));
      const DpHeadingGroup *other = known ? &g_array_index (groups, DpHeadingGroup, known - 1) : NULL;
      if (pass == 0) {
        if (!other || g->ratio > other->ratio)
          g_hash_table_insert (sizes, g_steal_pointer (&words), GUINT_TO_POINTER (i + 1));
      } else if (other && other->ratio > 1.08f * g->ratio && at_top (flow, g) && !at_top (flow, other) && strlen (words) > 3) {
        g->score = -9;
        dp_flow_line (flow, g->first)->role = DP_ROLE_HEADER;
        dp_flow_line (flow, g->first)->starts = TRUE;
      }
    }
}
