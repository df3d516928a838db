/* layout/verse.c - blocks whose lines stay lines: poems, addresses, lists of names. */
#include "layout/paragraphs.h"

#include <math.h>

#define MAX_STANZA 200u   /* lines */
#define WIDE_MARGIN 0.33f /* of the page's width, and twice the other margin: no text fills its column */

/* No text of the page comes as near to its right edge as to its left one: all of it is broken before the line is full. */
static gboolean
leaves_margin (const DpFlow *flow, const DpFlowLine *line)
{
  const DpFlowPage *page = dp_flow_page (flow, line);
  float left = page->width, right = 0;

  for (guint i = 0; page->columns && i < MIN (page->layout->regions->len, DP_MAX_REGIONS); i++) {
    left = MIN (left, page->columns[i].x0);
    right = MAX (right, page->columns[i].x1);
  }
  return page->width - right > MAX (WIDE_MARGIN * page->width, 2 * left);
}

/* What the line ends of a block say. */
typedef struct {
  gboolean full;   /* one of the lines at least fills the column */
  gboolean margin; /* no text of the page reaches its right margin */
  guint early;     /* breaks although the next word had room, up to the longest line */
  guint capitals;  /* lines but the first that begin with a capital */
  guint centred;   /* lines that are centred below the one before */
  gboolean hyphens, cjk;
} LineEnds;

static LineEnds
look_at_ends (const DpFlow *flow, guint first, guint last)
{
  const DpFlowLine *head = dp_flow_line (flow, first);
  DpFlowColumn column = dp_flow_column (flow, head);
  LineEnds ends = { .cjk = dp_flow_line_is_cjk (head), .margin = leaves_margin (flow, head) };
  float right = 0;

  for (guint i = first; i < last; i++)
    right = MAX (right, dp_flow_line (flow, i)->at.x1);
  ends.full = !ends.margin && right > column.x1 - 3 * head->size;
  for (guint i = first + 1; i < last; i++) {
    const DpFlowLine *a = dp_flow_line (flow, i - 1), *b = dp_flow_line (flow, i);
    ends.full = ends.full || (!ends.margin && !dp_flow_had_room (flow, i, column.x1));
    /* without capitals and blanks every end of a paragraph looks so */
    ends.cjk = ends.cjk || dp_flow_line_is_cjk (b);
    ends.early += dp_flow_had_room (flow, i, right) && !(ends.cjk && dp_text_ends_sentence (a->text)) ? 1 : 0;
    ends.capitals += g_unichar_isupper (g_utf8_get_char (b->text)) ? 1 : 0;
    ends.centred += dp_flow_centred (a, b) ? 1 : 0;
    ends.hyphens = ends.hyphens || dp_text_ends_hyphen (a->text);
  }
  return ends;
}

/* Every line breaks before its column is full, and some before their own measure is: the lines of a
 * poem or an address, whatever letters they begin with.  Three at least, of one left edge or steps; one
 * such line is enough where all begin with capitals.  Or two of three lines break although the next word
 * had room beside them: one long line that is turned over fills the column, but text that is filled breaks
 * nowhere so. */
static gboolean
is_verse (const DpFlow *flow, guint first, guint last)
{
  guint breaks = last - first - 1;
  LineEnds ends;

  if (last - first < 3)
    return FALSE;
  ends = look_at_ends (flow, first, last);
  if (ends.hyphens || ends.centred * 2 >= breaks) /* centred lines are judged by themselves */
    return FALSE;
  if (ends.full)
    return breaks >= 4 && !ends.cjk && ends.early * 3 >= 2 * breaks;
  if (ends.cjk)
    return ends.early * (ends.margin ? 4 : 3) >= 2 * breaks;
  return ends.early * 4 >= breaks || (ends.early > 0 && ends.capitals == breaks);
}

/* Lines of a stanza, whatever their indents: between wider gaps, few of them ending a sentence. */
static guint
stanza_end (const DpFlow *flow, const DpRun *run, guint first)
{
  guint end = first + 1, sentences = dp_text_ends_sentence (dp_flow_line (flow, first)->text);

  for (; end < run->last && end - first < MAX_STANZA; end++) {
    const DpFlowLine *a = dp_flow_line (flow, end - 1), *b = dp_flow_line (flow, end);
    if (dp_run_wider_gap (run, a, b) || fabsf (a->size - b->size) > 0.12f * MAX (a->size, b->size))
      break;
    sentences += dp_text_ends_sentence (b->text);
  }
  return sentences * 2 < end - first && end - first >= 3 ? end : first;
}

/* Most lines end early and break: all breaks stay, so that a stanza is not half prose. */
void
dp_run_keep_verse (DpFlow *flow, const DpRun *run)
{
  for (guint i = run->first, j; i < run->last; i = j) {
    guint breaks = 0, end = stanza_end (flow, run, i);
    gboolean verse;
    if (end > i && is_verse (flow, i, end)) {
      for (guint k = i + 1; k < end; k++) {
        DpFlowLine *line = dp_flow_line (flow, k);
        line->starts = line->starts && dp_text_ends_sentence (dp_flow_line (flow, k - 1)->text);
        line->breaks = !line->starts;
      }
      j = end;
      continue;
    }
    for (j = i + 1; j < run->last && !dp_flow_line (flow, j)->starts; j++)
      breaks += dp_flow_line (flow, j)->breaks ? 1 : 0;
    verse = is_verse (flow, i, j);
    /* Without blanks and capitals only the room that a line leaves tells a break from a turn. */
    if (!verse && (breaks < 2 || breaks * 2 < j - i - 1 || dp_flow_line_is_cjk (dp_flow_line (flow, i))))
      continue;
    for (guint k = i + 1; k < j; k++)
      if (verse || !g_unichar_islower (g_utf8_get_char (dp_flow_line (flow, k)->text)))
        dp_flow_line (flow, k)->breaks = TRUE;
  }
}
