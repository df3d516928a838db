/* layout/code.c - program text: lines set in a fixed-pitch face.
 *
 * As in pymupdf4llm a line is code when every span of it is monospaced; two such lines in a
 * row, or one that cannot be prose, make a block.  Columns are rebuilt from x positions.  A
 * document that is set in a typewriter face throughout has no code by this test.
 */
#include "layout/flow.h"

#include <math.h>
#include <string.h>

#define GAP_LINES 2.6f /* em between baselines inside one listing */

/* A link or a mail address alone, in angle brackets or not, is often set so; it is no program. */
static gboolean
is_address (const char *text)
{
  const char *space = strchr (text, ' ');

  if ((space && strchr (space + 1, ' ')) /* two words at most: a note's mark may stand before it */
      || strpbrk (text + (*text == '<'), "<{}\"|"))
    return FALSE;
  return strstr (text, "://") || strchr (text, '@') || g_str_has_prefix (text, "www.");
}

/* A listing that the page passes found. */
static gboolean
is_listing (const DpFlow *flow, const DpFlowLine *line)
{
  return line->role == DP_ROLE_BODY && dp_flow_region (flow, line)->kind == DP_REGION_CODE;
}

static gboolean
is_mono (const DpFlowLine *line)
{
  return line->role == DP_ROLE_BODY && !line->astray && (line->style & DP_SPAN_MONO) && !is_address (line->text);
}

static gboolean
looks_like_code (const char *text)
{
  return strpbrk (text, "{};=<>()$#/\\|_") != NULL;
}

static gboolean
mostly_mono (const DpFlow *flow)
{
  gsize mono = 0, all = 0;

  for (guint i = 0; i < flow->lines->len; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    all += line->n_chars;
    mono += line->style & DP_SPAN_MONO ? line->n_chars : 0;
  }
  return mono * 10 > all * 7;
}

/* Behind the last line of the code that begins at first; *sure: it can be nothing else. */
static guint
code_end (const DpFlow *flow, guint first, gboolean *sure)
{
  gboolean listing = is_listing (flow, dp_flow_line (flow, first));
  guint end = first + 1;

  *sure = listing || looks_like_code (dp_flow_line (flow, first)->text);
  for (; end < flow->lines->len; end++) {
    const DpFlowLine *a = dp_flow_line (flow, end - 1), *b = dp_flow_line (flow, end);
    float step = b->baseline - a->baseline;
    if (listing || is_listing (flow, b) ? !dp_flow_same_region (a, b)
                                        : !is_mono (b) || b->page != a->page || step <= 0 || step > GAP_LINES * a->size)
      break;
    *sure = *sure || looks_like_code (b->text);
  }
  return end;
}

void
dp_flow_code (DpFlow *flow)
{
  gboolean typewriter = mostly_mono (flow);

  for (guint i = 0, end; i < flow->lines->len; i = end) {
    gboolean sure = FALSE;
    end = i + 1;
    if (!is_listing (flow, dp_flow_line (flow, i)) && (typewriter || !is_mono (dp_flow_line (flow, i))))
      continue;
    end = code_end (flow, i, &sure);
    if (end - i < 2 && !sure)
      continue;
    for (guint k = i; k < end; k++) {
      DpFlowLine *line = dp_flow_line (flow, k);
      line->role = DP_ROLE_CODE;
      line->starts = k == i;
    }
  }
}
