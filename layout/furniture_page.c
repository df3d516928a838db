/* layout/furniture_page.c - running heads and feet by the evidence of one page.
 *
 * The outermost rows, weighed by position, distance from the text, shortness, numbers and
 * capitals (furniture_weights.c), once those are set aside that no weight can make furniture.
 */
#include "layout/furniture.h"
#include "layout/labels.h"
#include "layout/running.h"

#include <math.h>
#include <string.h>

#define HEADING_RATIO 1.1f /* body sizes from which type is that of a heading */
#define ACCEPT 1.5f        /* sum of weights from which a row of a single page is furniture */
#define MARGIN 0.03f       /* share of the page height that no text is set in: printers do not reach it */
#define APART 2.0f         /* body sizes from the text at which type like the body's stands for itself */
#define FAR_APART 4.0f     /* the same for type that a title could have */
#define TITLE_RATIO 1.2f   /* body sizes from which type could be a title's */
#define SMALL_TYPE 0.92f   /* body sizes */
#define MAX_PARTS 3u       /* texts beside each other: left, in the middle, right */
#define MAX_NOTE 3u        /* digits of a note's number */

/* The raised number of a note stands first. */
static gboolean
starts_with_mark (const DpFlow *flow, const DpFlowRow *row)
{
  const DpFlowLine *line = dp_flow_line (flow, g_array_index (row->lines, guint, 0));
  const DpPageLayout *layout = dp_flow_page (flow, line)->layout;
  const DpLine *fragment = &g_array_index (layout->lines, DpLine, g_array_index (flow->frags, guint, line->first_frag));
  const DpWord *word = &g_array_index (layout->words, DpWord, fragment->first_word);

  return fragment->n_words > 1 && (word->style & DP_SPAN_SUPER);
}

/* A name with lines close below that run over no pages is a letterhead, not a running head. */
static void
spare_letterheads (GPtrArray *side, float body)
{
  for (guint k = 0; k + 1 < side->len; k++) {
    DpFlowRow *row = g_ptr_array_index (side, k);
    const DpFlowRow *next = g_ptr_array_index (side, k + 1);
    gsize n = strlen (next->text);
    gboolean dated = n > 8 && strspn (next->text + n - 4, "0123456789") == 4;
    if (row->gap < 0.7f * body && !next->company && !dated && dp_running_phrase (next->text) <= 0)
      row->company = FALSE;
  }
}

static gboolean
tells_of_running (const DpFlowRow *row)
{
  return row->company || dp_running_phrase (row->text) > 0 || dp_running_legal (row->text) || dp_running_has_folio (row->text)
         || dp_label_page_number (row->text, NULL) || dp_running_capitals (row->text);
}

/* A first page begins with lines close together on one left edge, none of which speaks of pages or reports: the address of whoever
 * writes. */
static gboolean
is_sender (const GPtrArray *side, float body)
{
  const DpFlowRow *first = g_ptr_array_index (side, 0);
  guint n = 0;

  if (!first->top || first->page > 0)
    return FALSE;
  for (; n < side->len; n++) {
    const DpFlowRow *row = g_ptr_array_index (side, n);
    if (fabsf (row->x0 - first->x0) > 1 || row->n_chars > 40 || tells_of_running (row))
      return FALSE;
    if (row->gap > 0.7f * body)
      return n >= 2;
  }
  return FALSE;
}

/* A number at the start that a row further out has already given the page, which numbers a note; nothing but numbers, as below a chart. */
static gboolean
is_note_or_axis (const DpFlowRow *row, gboolean numbered)
{
  g_auto (GStrv) tokens = g_strsplit (row->text, " ", -1);
  guint numbers = 0, others = 0;
  gsize digits = strspn (row->text, "0123456789");

  for (guint i = 0; tokens[i]; i++)
    if (tokens[i][0] != '\0' && tokens[i][strspn (tokens[i], "0123456789")] == '\0')
      numbers++;
    else
      others += tokens[i][0] != '\0';
  if (numbers > 2 && others == 0)
    return TRUE;
  return numbered && !row->top && digits > 0 && digits <= MAX_NOTE && row->text[digits] == ' ' && others > 0
         && dp_running_phrase (row->text) <= 0 && !row->company;
}

/* A sentence, or the end of one. */
static gboolean
ends_sentence (const char *text)
{
  return (g_str_has_suffix (text, ".") || g_str_has_suffix (text, "。")) && !dp_running_legal (text) && !dp_running_company (text)
         && dp_running_phrase (text) <= 0;
}

/* What a row must show beside its place, as text that is taken for furniture is lost: words or numbers of running heads, smaller type
 * off the text, a distance that no lines of a text have.  `own` is the row's own gap, row->gap that of all rows of its band. */
static gboolean
looks_running (const DpFlowRow *row, float own, float height, float body)
{
  float reach = (row->top ? row->y1 : height - row->y0) - row->trim, ratio = body > 0 ? row->size / body : 1;

  if (dp_label_page_number (row->text, NULL) || reach <= MARGIN * height)
    return TRUE;
  if (!row->top && ends_sentence (row->text))
    return FALSE;
  if (row->company || row->flank || dp_running_phrase (row->text) > 0 || dp_running_legal (row->text) || dp_running_has_folio (row->text))
    return TRUE;
  if (row->rank > 0 && row->lines->len > MAX_PARTS)
    return FALSE; /* names along an axis, cells */
  if (row->top && (row->bold || ratio >= TITLE_RATIO))
    return row->gap >= FAR_APART * body;
  if (own >= APART * body)
    return TRUE;
  return ratio <= SMALL_TYPE && row->gap >= 0.5f * body;
}

/* The rows of one side, outermost first: accepted from outside until one fails. */
void
dp_flow_rows_judge (const DpFlow *flow, GPtrArray *side)
{
  const DpFlowRow *first = g_ptr_array_index (side, 0);
  const DpFlowPage *page = &g_array_index (flow->pages, DpFlowPage, first->page);
  float body = page->body.size > 0 ? page->body.size : 10, clear = 0;
  gboolean numbered = FALSE; /* a row further out has the page's number */
  guint band = 0;

  if (is_sender (side, body))
    return;
  spare_letterheads (side, body);
  /* The band ends at its widest gap: a two-line header shares the distance to the text. */
  for (guint k = 0; k < side->len && k < 4; k++) {
    const DpFlowRow *row = g_ptr_array_index (side, k);
    if (row->gap > clear + 0.3f * body) {
      clear = row->gap;
      band = k;
    }
  }
  for (guint k = 0; k < side->len; k++) {
    DpFlowRow *row = g_ptr_array_index (side, k);
    const DpFlowRow *outer = k > 0 ? g_ptr_array_index (side, k - 1) : NULL;
    float own = row->gap;
    numbered = numbered || (outer && (dp_label_page_number (outer->text, NULL) || dp_running_has_folio (outer->text)));
    if (row->furniture)
      continue;
    if (row->behind)
      break;
    if (k > 0 && row->top && (row->bold || row->size >= HEADING_RATIO * body) && outer->repeated)
      break; /* a heading below the head that all pages have */
    if (k < band)
      row->gap = MAX (own, clear * 0.99f);
    if (is_note_or_axis (row, numbered) || !looks_running (row, own, page->height, body))
      break;
    if (row->lonely && !row->top && !dp_label_page_number (row->text, NULL))
      break;
    if (starts_with_mark (flow, row) || dp_flow_row_weight (row, page->height, body) < ACCEPT)
      break;
    row->furniture = TRUE;
  }
}
