/* layout/heading_place.c - what face and place of a candidate say for and against a heading.
 *
 * Size, weight, capitals and colour against the body; white space, the lines before and after,
 * and other text on its baseline.  See headings.h.
 */
#include "layout/headings.h"

#include <math.h>
#include <string.h>

static float
weigh_face (const DpFlow *flow, const DpHeadingGroup *g)
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

const DpFlowLine *
dp_heading_neighbour (const DpFlow *flow, guint i, gboolean after)
{
  while (after ? i + 1 < flow->lines->len : i > 0) {
    const DpFlowLine *line = dp_flow_line (flow, after ? ++i : --i);
    if (line->role <= DP_ROLE_QUOTE)
      return line;
  }
  return NULL;
}

static float
weigh_before (const DpFlow *flow, const DpHeadingGroup *g)
{
  const DpFlowLine *line = dp_flow_line (flow, g->first), *before = dp_heading_neighbour (flow, g->first, FALSE);
  float body = dp_flow_page (flow, line)->body.size;
  DpFlowColumn column = dp_flow_column (flow, line);
  float gap;

  if (!before || before->page != line->page || before->at.y0 > line->at.y1 || before->role == DP_ROLE_OBJECT)
    return 0.25f;
  gap = line->at.y0 - before->at.y1;
  if (gap >= 0.5f * body)
    return 0.25f;
  /* A bold or large line in the middle of a paragraph: the line before is full and goes on. */
  if (dp_flow_same_region (before, line) && before->role == DP_ROLE_BODY && !dp_heading_ends_sentence (before->text) && before->n_chars > 30
      && before->at.x1 > column.x1 - 4 * body && !g->numbered && g->ratio < 1.12f)
    return -1.5f;
  return 0;
}

static float
weigh_after (const DpFlow *flow, const DpHeadingGroup *g)
{
  const DpFlowLine *line = dp_flow_line (flow, g->last - 1), *after = dp_heading_neighbour (flow, g->last - 1, TRUE);
  float body = dp_flow_page (flow, line)->body.size;
  gboolean same;

  if (!after || after->page != line->page)
    return -0.4f;
  same = dp_flow_same_region (after, line);
  if (same && after->role == DP_ROLE_BODY && after->at.y0 - line->at.y1 < 0.4f * body) {
    gunichar c = g_utf8_get_char (after->text);
    /* A bold opening that fills its line, or a bold sentence that wraps into plain text. */
    if (after->run_in > 0 && after->run_in < 0.95f && g->bold && (after->style & DP_SPAN_BOLD) == 0
        && (!g->numbered || g->n_words > DP_HEADING_NUMBERED_WORDS))
      return -1.5f;
    if (g_unichar_islower (c))
      return -2;
    return 0;
  }
  return 0.25f;
}

/* Other text on the baseline that is not the next column: a form, a table row, an index. */
static float
weigh_row (const DpFlow *flow, const DpHeadingGroup *g)
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

float
dp_heading_weigh_place (const DpFlow *flow, const DpHeadingGroup *g)
{
  return weigh_face (flow, g) + weigh_before (flow, g) + weigh_after (flow, g) + weigh_row (flow, g);
}
