/* layout/definitions.c - definition lists: a term at the margin, its sense set in below.
 *
 * The term is one short line in another face than the text; the sense stands right under it, set in
 * by more than an em, and the next term comes at the margin again.  Two pairs at least, but for an option of a command
 * one will do, in whatever face.  Markdown has no definition lists: a pair becomes a list item whose first line is the term.
 */
#include "layout/flow.h"
#include "layout/labels.h"

#include <math.h>

#define TERM_CHARS 48u
#define INDENT 1.2f     /* em of the sense */
#define INDENT_MAX 8.0f /* em; beyond that it is a column */
#define GAP 0.9f        /* em between the lines of a pair */
#define NEXT_GAP 2.0f   /* em between pairs */
#define MAX_SENSE 12u   /* lines: more is a section with its heading */
#define MAX_OPTION 40u  /* the same for options of a command, which are no headings */

static gboolean
usable (const DpFlowLine *line)
{
  return line->role == DP_ROLE_BODY && !line->astray;
}

static gboolean
is_term (const DpFlow *flow, guint i)
{
  const DpFlowLine *line = dp_flow_line (flow, i);
  const DpFlowBody *body = &dp_flow_page (flow, line)->body;
  guint style = line->style & (DP_SPAN_BOLD | DP_SPAN_ITALIC | DP_SPAN_MONO);

  if (!usable (line) || line->n_chars > TERM_CHARS || (body->bold && style == DP_SPAN_BOLD) || (body->italic && style == DP_SPAN_ITALIC))
    return FALSE;
  return (style != 0 || dp_label_is_option (line->text)) && fabsf (line->size - body->size) <= 0.12f * body->size;
}

/* Left edge of a line within its column: the same on every page. */
static float
inset (const DpFlow *flow, const DpFlowLine *line)
{
  return line->at.x0 - dp_flow_column (flow, line).x0;
}

/* The next line of text, furniture left out; lines->len if there is none. */
static guint
next_line (const DpFlow *flow, guint i)
{
  for (i++; i < flow->lines->len; i++)
    if (dp_flow_line (flow, i)->role < DP_ROLE_HEADER && dp_flow_line (flow, i)->role != DP_ROLE_FOOTNOTE)
      break;
  return i;
}

/* The last line of text before i, of which there is one. */
static const DpFlowLine *
line_before (const DpFlow *flow, guint i)
{
  while (i > 1 && !usable (dp_flow_line (flow, i - 1)))
    i--;
  return dp_flow_line (flow, i - 1);
}

/* b stands below a within gap em, or at the head of the next page or column. */
static gboolean
follows (const DpFlowLine *a, const DpFlowLine *b, float gap)
{
  if (b->page == a->page && b->at.y0 >= a->at.y0)
    return b->at.y0 - a->at.y1 <= gap * a->size;
  return b->page <= a->page + 1;
}

/* Behind the sense of the term at i; i if it has none.  pages: the text may go on over a page. */
static guint
sense_end (const DpFlow *flow, guint i)
{
  const DpFlowLine *term = dp_flow_line (flow, i), *last = term;
  const guint most = dp_label_is_option (term->text) ? MAX_OPTION : MAX_SENSE;
  guint k = next_line (flow, i), n = 0;

  for (; k < flow->lines->len && n < most; k = next_line (flow, k), n++) {
    const DpFlowLine *line = dp_flow_line (flow, k);
    float in = (line->at.x0 - (line->page == term->page ? term->at.x0 : dp_flow_column (flow, line).x0 + inset (flow, term))) / term->size;
    if (!usable (line) || in < INDENT || in > INDENT_MAX || !follows (last, line, GAP)
        || fabsf (line->size - term->size) > 0.12f * term->size
        || (line->style & term->style & (DP_SPAN_BOLD | DP_SPAN_ITALIC | DP_SPAN_MONO)))
      break;
    last = line;
  }
  return n == 0 || n == most ? i : k;
}

/* The line before ends in the left part of its column, and this begins anew: a list of names. */
static gboolean
stops_short (const DpFlow *flow, guint i)
{
  const DpFlowLine *a = dp_flow_line (flow, i - 1), *b = dp_flow_line (flow, i);
  DpFlowColumn column = dp_flow_column (flow, a);

  return a->page == b->page && a->at.x1 < column.x0 + 0.6f * (column.x1 - column.x0) && !g_unichar_islower (g_utf8_get_char (b->text));
}

static void
claim_pair (DpFlow *flow, guint first, guint last)
{
  gboolean sense = FALSE;

  for (guint i = first; i < last; i++) {
    DpFlowLine *line = dp_flow_line (flow, i);
    if (!usable (line))
      continue;
    line->role = DP_ROLE_ITEM;
    line->starts = i == first;
    line->breaks = i != first && (!sense || stops_short (flow, i));
    line->ordered = FALSE;
    line->label = 0;
    line->level = 0;
    sense = i != first;
  }
}

void
dp_flow_definitions (DpFlow *flow)
{
  g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, sizeof (guint)); /* first lines */

  for (guint i = 0; i < flow->lines->len;) {
    guint at = i;
    g_array_set_size (pairs, 0);
    for (guint end; at < flow->lines->len && is_term (flow, at) && (end = sense_end (flow, at)) != at; at = end) {
      const DpFlowLine *term = dp_flow_line (flow, at), *first = dp_flow_line (flow, i);
      if (at != i
          && (fabsf (inset (flow, term) - inset (flow, first)) > 0.5f * term->size
              || (!dp_flow_same_face (term, first) && !(dp_label_is_option (term->text) && dp_label_is_option (first->text)))
              || !follows (line_before (flow, at), term, NEXT_GAP)))
        break;
      g_array_append_val (pairs, at);
    }
    g_array_append_val (pairs, at);
    const guint least = dp_label_is_option (dp_flow_line (flow, i)->text) ? 1 : 2;
    for (guint k = 0; pairs->len > least && k + 1 < pairs->len; k++)
      claim_pair (flow, g_array_index (pairs, guint, k), g_array_index (pairs, guint, k + 1));
    i = MAX (at, i + 1);
  }
}
