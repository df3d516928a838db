/* layout/paragraphs.c - lines to paragraphs.
 *
 * Within a region a new paragraph begins after a wider gap, at a first-line indent, where the
 * face changes, and where the first word would still have fitted on a line that ends a
 * sentence (MuPDF's stext-para.c has the last two).  A short line that ends no sentence keeps
 * its break: verse, addresses, forms.
 */
#include "layout/compare.h"
#include "layout/labels.h"
#include "layout/paragraphs.h"

#include <math.h>
#include <string.h>

#define INDENT_MAX 6.0f    /* em; beyond that it is another alignment */
#define NARROW 22.0f       /* em; centred lines that are wider may be filled ones */
#define CJK_WORD 2.0f      /* em that may stay free at the end of a line where a stop must not begin the next one */
#define STACK_LINES 8u     /* lines of an address or a name with its titles, at most; two may be one that was turned over */
#define STACK_SHARE 0.5f   /* of the length of the document's lines; shorter ones are broken on purpose */
#define PAGE_SHARE 0.7f    /* of a page's width: between margins */
#define WIDER 1.3f         /* of the run's own leading */
#define WIDER_UNKNOWN 1.5f /* of the page's leading, when the run has too few lines of its own */

/* ---- a run's measures --------------------------------------------------------------------------- */

/* Width of the first word of a line: what the line before it would have needed.  Where no blanks part words a line may end
 * behind almost any character. */
static float
first_word_width (const DpFlow *flow, const DpFlowLine *line)
{
  const DpPageLayout *layout = dp_flow_page (flow, line)->layout;
  const DpLine *fragment = &g_array_index (layout->lines, DpLine, g_array_index (flow->frags, guint, line->first_frag));
  const DpWord *word;

  if (fragment->n_words == 0)
    return 0;
  if (dp_flow_line_is_cjk (line))
    return CJK_WORD * line->size;
  word = &g_array_index (layout->words, DpWord, fragment->first_word);
  return dp_flow_page (flow, line)->angle % 180 == 0 ? dp_rect_width (word->box) : dp_rect_height (word->box);
}

/* The first word of line i would have fitted on the line before it, up to x. */
gboolean
dp_flow_had_room (const DpFlow *flow, guint i, float right)
{
  const DpFlowLine *a = dp_flow_line (flow, i - 1), *b = dp_flow_line (flow, i);
  float em = MAX (b->size, 1);

  return a->at.x1 + 0.4f * em + first_word_width (flow, b) < right - 0.5f * em;
}

/* A column of the line's page is nearly twice as wide. */
static gboolean
leaves_half (const DpFlow *flow, const DpFlowLine *line, float width)
{
  const DpFlowPage *page = dp_flow_page (flow, line);

  for (guint i = 0; page->columns && i < MIN (page->layout->regions->len, DP_MAX_REGIONS); i++)
    if (width < 0.55f * (page->columns[i].x1 - page->columns[i].x0))
      return TRUE;
  return FALSE;
}

/* An address, say, in a column of its own: its column tells nothing, but the lines of the document do. */
static gboolean
is_stack (const DpFlow *flow, const DpRun *run, float usual)
{
  if (run->last - run->first < 3 || run->last - run->first > STACK_LINES || run->widest > STACK_SHARE * usual)
    return FALSE;
  for (guint i = run->first; i < run->last; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    const gunichar first = g_utf8_get_char (line->text);
    if ((!g_unichar_isupper (first) && !g_unichar_isdigit (first)) || dp_text_ends_hyphen (line->text))
      return FALSE;
  }
  return TRUE;
}

/* Length of most of the document's lines that hold more than a few words; where there are none, of what a page could hold. */
static float
usual_length (const DpFlow *flow)
{
  g_autoptr (GArray) lengths = g_array_new (FALSE, FALSE, sizeof (float));

  for (guint i = 0; i < flow->lines->len; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    const float length = dp_rect_width (line->at);
    if (line->role == DP_ROLE_BODY && line->n_chars > 30)
      g_array_append_val (lengths, length);
  }
  g_array_sort (lengths, dp_compare_floats);
  if (lengths->len == 0)
    return flow->pages->len ? PAGE_SHARE * g_array_index (flow->pages, DpFlowPage, 0).width : 0;
  return g_array_index (lengths, float, lengths->len / 2);
}

static void
measure_run (const DpFlow *flow, DpRun *run)
{
  const DpFlowLine *head = dp_flow_line (flow, run->first);
  const DpFlowBody *body = &dp_flow_page (flow, head)->body;
  DpFlowColumn column = dp_flow_column (flow, head);
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (float));
  guint n = run->last - run->first, indented = 0, at_left = 0, short_heads = 0;

  run->left = head->at.x0;
  run->right = head->at.x1;
  for (guint i = run->first; i < run->last; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    run->left = MIN (run->left, line->at.x0);
    run->right = MAX (run->right, line->at.x1);
    run->widest = MAX (run->widest, dp_rect_width (line->at));
    if (i > run->first) {
      float step = line->baseline - dp_flow_line (flow, i - 1)->baseline;
      if (step > 0)
        g_array_append_val (steps, step);
    }
  }
  /* Few lines do not know their own right edge; many that all stop in the left half of the column chose to. */
  if (column.x1 > run->right && (n < 4 || run->right < column.x0 + 0.5f * (column.x1 - column.x0)))
    run->right = column.x1;
  run->narrow = n >= 3 && run->widest < NARROW * head->size && leaves_half (flow, head, run->widest);
  for (guint i = run->first; i < run->last; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    if (i > run->first && line->at.x0 <= run->left + 0.4f * line->size && dp_flow_line (flow, i - 1)->at.x0 <= run->left + 0.4f * line->size
        && !dp_text_ends_sentence (dp_flow_line (flow, i - 1)->text) && dp_flow_had_room (flow, i, run->right))
      short_heads++;
    if (line->at.x0 > run->left + DP_INDENT * line->size && line->at.x0 < run->left + INDENT_MAX * line->size)
      indented++;
    else if (line->at.x0 <= run->left + 0.4f * line->size)
      at_left++;
  }
  run->hanging = n >= 3 && indented >= at_left && at_left >= 1 && head->at.x0 <= run->left + 0.4f * head->size && indented + at_left == n
                 && short_heads < 2;
  g_array_sort (steps, dp_compare_floats);
  /* The lower quartile: paragraph gaps must not raise the leading of short paragraphs. */
  run->leading = steps->len >= 3 ? g_array_index (steps, float, steps->len / 4) : 0;
  if (run->leading == 0)
    run->leading = -(body->leading > 0 && body->size > 0 ? body->leading / body->size : 1.2f) * head->size;
}

gboolean
dp_flow_centred (const DpFlowLine *a, const DpFlowLine *b)
{
  return fabsf (dp_rect_cx (a->at) - dp_rect_cx (b->at)) < 0.6f * a->size && fabsf (a->at.x0 - b->at.x0) > a->size;
}

gboolean
dp_run_wider_gap (const DpRun *run, const DpFlowLine *a, const DpFlowLine *b)
{
  float step = b->baseline - a->baseline;

  if (step <= 0)
    return b->at.y1 <= a->at.y0 || b->at.x0 > a->at.x1; /* out of order: not one paragraph */
  return run->leading > 0 ? step > WIDER * run->leading : step > -WIDER_UNKNOWN * run->leading;
}

static gboolean
indent_starts (const DpFlow *flow, const DpRun *run, guint i)
{
  const DpFlowLine *a = dp_flow_line (flow, i - 1), *b = dp_flow_line (flow, i), *c = i + 1 < run->last ? dp_flow_line (flow, i + 1) : NULL;
  float em = b->size, in = b->at.x0 - run->left;

  if (in < DP_INDENT * em || in > INDENT_MAX * em)
    return FALSE;
  /* lines before and behind it that begin at the edge are not centred about it, whatever their ends say */
  if (dp_flow_centred (a, b) && !(c && MAX (a->at.x0, c->at.x0) < run->left + 0.2f * em))
    return FALSE;
  if (b->at.x0 - a->at.x0 < DP_INDENT * em) /* a is indented as well: two one-line paragraphs, or a block set in */
    return dp_text_ends_sentence (a->text) && a->at.x1 < run->right - 3 * em;
  return c ? c->at.x0 < b->at.x0 - 0.5f * DP_INDENT * em || dp_text_ends_sentence (a->text) : dp_text_ends_sentence (a->text);
}

/* Below a line that has room left, lines with a left edge further in: a block of its own. */
static gboolean
set_in_below (const DpFlow *flow, const DpRun *run, guint i)
{
  const DpFlowLine *a = dp_flow_line (flow, i - 1), *b = dp_flow_line (flow, i), *c = i + 1 < run->last ? dp_flow_line (flow, i + 1) : NULL;

  return c && b->at.x0 > a->at.x0 + DP_INDENT * b->size && fabsf (c->at.x0 - b->at.x0) < 0.2f * b->size && !dp_flow_centred (a, b)
         && !g_unichar_islower (g_utf8_get_char (b->text));
}

/* Size of the text outside the program text of a line, which is often set smaller; the line's own if there is none. */
static float
text_size (const DpFlow *flow, const DpFlowLine *line)
{
  DpFlowWalk walk = { 0 };
  float size = 0;
  guint most = 0;

  for (const DpWord *word; (word = dp_flow_next_word (flow, line, &walk));)
    if (!(word->style & (DP_SPAN_MONO | DP_SPAN_SUPER | DP_SPAN_SUB)) && word->n_chars > most) {
      most = word->n_chars;
      size = word->size;
    }
  return size > 0 ? size : line->size;
}

static gboolean
other_size (const DpFlow *flow, const DpFlowLine *a, const DpFlowLine *b)
{
  float x = a->size, y = b->size;

  if (fabsf (x - y) <= 0.12f * MAX (x, y))
    return FALSE;
  x = text_size (flow, a);
  y = text_size (flow, b);
  return fabsf (x - y) > 0.12f * MAX (x, y);
}

/* ---- breaks inside a run --------------------------------------------------------------------------- */

typedef enum { GOES_ON, LINE_BREAK, NEW_PARAGRAPH } Joint;

static Joint
judge_joint (const DpFlow *flow, const DpRun *run, guint i)
{
  const DpFlowLine *a = dp_flow_line (flow, i - 1), *b = dp_flow_line (flow, i);
  float em = MAX (b->size, 1), free_space = run->right - a->at.x1;
  gboolean fitted = first_word_width (flow, b) + 0.4f * em < free_space - 0.5f * em;
  gunichar first = g_utf8_get_char (b->text);
  DpLabel label;

  if (dp_run_wider_gap (run, a, b) || other_size (flow, a, b) || a->small_caps != b->small_caps)
    return NEW_PARAGRAPH;
  if (dp_text_ends_hyphen (a->text) && g_unichar_islower (first))
    return GOES_ON;
  if (run->hanging)
    return b->at.x0 <= run->left + 0.4f * em && (a->at.x0 > run->left + DP_INDENT * em || dp_text_ends_sentence (a->text)) ? NEW_PARAGRAPH
                                                                                                                           : GOES_ON;
  if (indent_starts (flow, run, i))
    return NEW_PARAGRAPH;
  if ((a->style & DP_SPAN_BOLD) && !(b->style & DP_SPAN_BOLD) && fitted && !g_unichar_islower (first))
    return NEW_PARAGRAPH;
  if (run->stack && !dp_text_ends_sentence (a->text))
    return LINE_BREAK;
  if (run->narrow && dp_flow_centred (a, b) && !dp_text_ends_sentence (a->text))
    return g_unichar_islower (first) ? GOES_ON : LINE_BREAK; /* all lines of the stack leave half of their column */
  if (!fitted)
    return GOES_ON;
  if (set_in_below (flow, run, i))
    return NEW_PARAGRAPH;
  if (dp_text_ends_sentence (a->text))
    return g_unichar_islower (first) ? GOES_ON : NEW_PARAGRAPH;
  if (dp_label_parse (b->text, &label) && !label.weak)
    return NEW_PARAGRAPH;
  /* A centred line is as full as the widest one, or broken on purpose. */
  if (dp_flow_centred (a, b))
    return !g_unichar_islower (first) && dp_rect_width (a->at) + first_word_width (flow, b) + 1.5f * em < run->widest ? LINE_BREAK
                                                                                                                      : GOES_ON;
  /* Ragged text leaves some room; a third of the line is a break meant so. */
  return free_space > 0.33f * (run->right - run->left) && !g_unichar_islower (first) ? LINE_BREAK : GOES_ON;
}

/* What the structure tree says of two lines; wide gaps are seen by everybody. */
static Joint
judge_tagged (const DpRun *run, const DpFlowLine *a, const DpFlowLine *b, Joint joint)
{
  if (a->paragraph == 0 || b->paragraph == 0)
    return joint;
  if (a->paragraph != b->paragraph)
    return NEW_PARAGRAPH;
  return joint == NEW_PARAGRAPH && !dp_run_wider_gap (run, a, b) ? GOES_ON : joint;
}

static void
judge_run (DpFlow *flow, DpRun *run, float usual)
{
  measure_run (flow, run);
  run->stack = is_stack (flow, run, usual);
  dp_flow_line (flow, run->first)->starts = TRUE;
  for (guint i = run->first + 1; i < run->last; i++) {
    DpFlowLine *line = dp_flow_line (flow, i);
    Joint joint = judge_tagged (run, dp_flow_line (flow, i - 1), line, judge_joint (flow, run, i));
    line->starts = joint == NEW_PARAGRAPH;
    line->breaks = joint == LINE_BREAK;
  }
}

/* ---- quotes --------------------------------------------------------------------------------- */

/* Abstracts are set in as well. */
static gboolean
is_abstract (const char *text)
{
  static const char *const words[] = { "Abstract", "ABSTRACT", "Résumé", "Zusammenfassung", "Summary", "Keywords", "Resumen" };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_has_prefix (text, words[i]))
      return TRUE;
  return FALSE;
}

/* Set in on both sides of its column, over at least three full lines. */
static gboolean
is_quote (const DpFlow *flow, const DpRun *run)
{
  const DpFlowLine *head = dp_flow_line (flow, run->first);
  DpFlowColumn column = dp_flow_column (flow, head);
  float em = head->size, left = G_MAXFLOAT, right = 0;
  guint full = 0, n = run->last - run->first;

  for (guint i = run->first; i < run->last; i++) {
    left = MIN (left, dp_flow_line (flow, i)->at.x0);
    right = MAX (right, dp_flow_line (flow, i)->at.x1);
  }
  if (n < 3 || is_abstract (head->text) || left < column.x0 + 1.5f * em || right > column.x1 - 1.5f * em || left > column.x0 + 8 * em
      || right < column.x1 - 8 * em)
    return FALSE;
  for (guint i = run->first; i + 1 < run->last; i++)
    full += dp_flow_line (flow, i)->at.x1 > right - 1.5f * em && dp_flow_line (flow, i)->at.x0 < left + 2.5f * em ? 1 : 0;
  return full * 10 >= (n - 1) * 8 && head->size <= 1.02f * dp_flow_page (flow, head)->body.size;
}

/* Lines at the end of a page or column, too few to tell, that a quote goes on from; or that go on with one. */
static gboolean
continues_quote (const DpFlow *flow, const DpRun *a, const DpRun *b)
{
  const DpFlowLine *last = dp_flow_line (flow, a->last - 1), *first = dp_flow_line (flow, b->first);
  float em = first->size, left_a = last->at.x0 - dp_flow_column (flow, last).x0, left_b = first->at.x0 - dp_flow_column (flow, first).x0;

  if (fabsf (last->size - first->size) > 0.06f * em || dp_text_ends_sentence (last->text) || first->page > last->page + 1
      || (first->page == last->page && first->at.y0 > last->at.y0))
    return FALSE;
  return fabsf (left_a - left_b) < 0.6f * em && left_a > 1.4f * em && dp_flow_column (flow, last).x1 - last->at.x1 > 1.4f * em
         && g_unichar_isalnum (g_utf8_get_char (first->text));
}

/* ---- quotes over pages ------------------------------------------------------------------ */

static void
claim_quote (DpFlow *flow, const DpRun *run)
{
  for (guint k = run->first; k < run->last; k++)
    dp_flow_line (flow, k)->role = DP_ROLE_QUOTE;
}

/* The part of a quote before or behind the turn of a page takes the role of the other part. */
static void
claim_quote_parts (DpFlow *flow, const GArray *runs)
{
  for (guint r = 0; r + 1 < runs->len; r++) {
    const DpRun *a = &g_array_index (runs, DpRun, r), *b = &g_array_index (runs, DpRun, r + 1);
    gboolean quote_a = dp_flow_line (flow, a->first)->role == DP_ROLE_QUOTE, quote_b = dp_flow_line (flow, b->first)->role == DP_ROLE_QUOTE;
    if (!(quote_a || quote_b) || !continues_quote (flow, a, b))
      continue;
    if (!quote_a && a->last - a->first < 3)
      claim_quote (flow, a);
    else if (!quote_b && b->last - b->first < 3)
      claim_quote (flow, b);
    else if (!quote_a || !quote_b)
      continue;
    dp_flow_line (flow, b->first)->starts = FALSE;
  }
}

void
dp_flow_paragraphs (DpFlow *flow)
{
  g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (DpRun));
  const float usual = usual_length (flow);

  for (guint i = 0; i < flow->lines->len;) {
    DpRun run = { .first = i, .last = i + 1 };
    if (dp_flow_line (flow, i)->role != DP_ROLE_BODY) {
      i++;
      continue;
    }
    while (run.last < flow->lines->len && dp_flow_line (flow, run.last)->role == DP_ROLE_BODY
           && dp_flow_same_region (dp_flow_line (flow, i), dp_flow_line (flow, run.last)))
      run.last++;
    judge_run (flow, &run, usual);
    dp_run_keep_verse (flow, &run);
    if (is_quote (flow, &run))
      claim_quote (flow, &run);
    g_array_append_val (runs, run);
    i = run.last;
  }
  claim_quote_parts (flow, runs);
  dp_flow_join_runs (flow);
}
