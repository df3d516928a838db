/* layout/paragraph_joins.c - paragraphs that go on over a column, a page or a figure.
 *
 * Text goes on when it ends in the middle of a sentence (docling joins so, skipping furniture, figures and notes), and where
 * paragraphs are indented also past the end of one, if what follows is not.
 */
#include "layout/labels.h"
#include "layout/paragraphs.h"
#include "layout/text.h"

#include <math.h>

#define MAX_LOOK 500u /* lines of a page that tell how it begins paragraphs, so that odd pages stay linear */

static gboolean
is_full (const DpFlow *flow, const DpFlowLine *line)
{
  return line->at.x1 > dp_flow_column (flow, line).x1 - 2.5f * line->size && line->n_chars > 12;
}

/* The line has company in its block: a line alone (a source, a label) is no torn paragraph. */
static gboolean
in_company (const DpFlow *flow, const DpFlowLine *line)
{
  return dp_flow_region (flow, line)->lines->len > 1;
}

/* b stands below a at the distance of the page's lines. */
static gboolean
follows_closely (const DpFlow *flow, const DpFlowLine *a, const DpFlowLine *b)
{
  const DpFlowBody *body = &dp_flow_page (flow, a)->body;
  float step = b->baseline - a->baseline;

  return a->page == b->page && step > 0 && body->size > 0 && step < 1.1f * body->leading / body->size * a->size;
}

/* The page's paragraphs begin with an indent: nearly all that begin inside a block do. */
static gboolean
indents_paragraphs (const DpFlow *flow, guint page)
{
  const DpFlowPage *p = &g_array_index (flow->pages, DpFlowPage, page);
  guint all = 0, indented = 0;

  for (guint i = p->first + 1; i < p->first + MIN (p->n, MAX_LOOK); i++) {
    const DpFlowLine *a = dp_flow_line (flow, i - 1), *b = dp_flow_line (flow, i);
    if (b->role != DP_ROLE_BODY || a->role != DP_ROLE_BODY || !b->starts || !dp_flow_same_region (a, b))
      continue;
    all++;
    indented += b->at.x0 > dp_flow_column (flow, b).x0 + DP_INDENT * b->size ? 1 : 0;
  }
  return indented >= 2 && indented * 5 >= all * 4;
}

/* At the head of a column or page where paragraphs are indented, a line that is not goes on with the last one, whatever that
 * ends with. */
static gboolean
goes_on_unindented (const DpFlow *flow, const DpFlowLine *a, const DpFlowLine *b)
{
  DpLabel label;

  return is_full (flow, a) && in_company (flow, a) && in_company (flow, b) && b->at.x0 < dp_flow_column (flow, b).x0 + 0.4f * b->size
         && !dp_label_parse (b->text, &label) && dp_flow_same_face (a, b) && indents_paragraphs (flow, a->page)
         && (b->page == a->page || indents_paragraphs (flow, b->page));
}

/* "Dear Anna," with room below it: a letter may go on with a small letter. */
static gboolean
is_opening (const DpFlow *flow, const DpFlowLine *a, const DpFlowLine *b)
{
  return g_str_has_suffix (a->text, ",") && a->n_chars <= 40 && !in_company (flow, a) && a->at.x1 < b->at.x1 - 8 * b->size
         && b->at.y0 - a->at.y1 > 0.6f * b->size;
}

/* a is the last line of running text before b; object: something lies between.  Turned: b begins a column or page. */
static gboolean
text_goes_on (const DpFlow *flow, const DpFlowLine *a, const DpFlowLine *b, gboolean object)
{
  gboolean turned = a->page != b->page || b->at.y0 < a->at.y0, apart = object || turned;
  gunichar first = g_utf8_get_char (b->text);
  gboolean weight = (a->style & DP_SPAN_BOLD) == (b->style & DP_SPAN_BOLD);
  DpLabel label;

  if (b->page <= a->page + 1 && a->paragraph != 0 && a->paragraph == b->paragraph)
    return TRUE; /* two elements say nothing: some producers begin one on each page */
  if (fabsf (a->size - b->size) > 0.06f * MAX (a->size, b->size) || b->page > a->page + 1 || !weight)
    return FALSE;
  if (dp_text_ends_hyphen (a->text) && g_unichar_islower (first))
    return TRUE;
  if (dp_text_ends_sentence (a->text))
    return turned && goes_on_unindented (flow, a, b);
  if (dp_label_parse (b->text, &label) && !label.weak)
    return FALSE;
  if (dp_text_ends_cjk (a->text))
    return (apart || follows_closely (flow, a, b)) && is_full (flow, a) && dp_text_is_cjk (first)
           && b->at.x0 < dp_flow_column (flow, b).x0 + DP_INDENT * b->size;
  if (g_unichar_islower (first))
    return apart ? a->n_chars > 20 || is_full (flow, a) : is_full (flow, a) && !is_opening (flow, a, b);
  return apart && is_full (flow, a) && (in_company (flow, a) || in_company (flow, b)) && a->n_chars > 30 && b->n_chars > 20
         && g_unichar_isalnum (first) && b->at.x0 < dp_flow_column (flow, b).x0 + 0.5f * b->size;
}

void
dp_flow_join_runs (DpFlow *flow)
{
  gint last = -1;
  gboolean object = FALSE;

  for (guint i = 0; i < flow->lines->len; i++) {
    DpFlowLine *line = dp_flow_line (flow, i);
    const DpFlowLine *before = last >= 0 ? dp_flow_line (flow, (guint) last) : NULL;
    switch (line->role) {
    case DP_ROLE_BODY:
      if (before && line->starts && !line->astray && !before->astray && !dp_flow_same_region (before, line)) {
        line->joins = text_goes_on (flow, before, line, object);
      }
      last = (gint) i;
      object = FALSE;
      break;
    case DP_ROLE_OBJECT:
      object = TRUE;
      /* A formula belongs where it stands: what goes on below it stays below it. */
      last = dp_flow_region (flow, line)->kind == DP_REGION_FORMULA ? -1 : last;
      break;
    case DP_ROLE_CAPTION:
    case DP_ROLE_FOOTNOTE: object = TRUE; break;
    case DP_ROLE_HEADER:
    case DP_ROLE_FOOTER:
    case DP_ROLE_PAGE_NUMBER:
    case DP_ROLE_ASIDE:
    case DP_ROLE_ADOPTED: break;
    default: last = -1; break;
    }
  }
}
