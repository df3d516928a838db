/* layout/paragraphs.c - lines to paragraphs, and paragraphs over columns, pages and figures.
 *
 * Within a region a new paragraph begins after a wider gap, at a first-line indent, where the
 * face changes, and where the first word would still have fitted on a line that ends a
 * sentence (MuPDF's stext-para.c has the last two).  A short line that ends no sentence keeps
 * its break: verse, addresses, forms.  Over a column or page the text goes on when it ends
 * in the middle of a sentence (docling joins so, skipping furniture, figures and notes).
 */
#include "layout/flow.h"
#include "layout/compare.h"
#include "layout/labels.h"
#include "layout/text.h"

#include <math.h>
#include <string.h>

#define INDENT 0.8f        /* em from which a first line counts as indented */
#define INDENT_MAX 6.0f    /* em; beyond that it is another alignment */
#define NARROW 22.0f       /* em; centred lines that are wider may be filled ones */
#define CJK_WORD 2.0f      /* em that may stay free at the end of a line where a stop must not begin the next one */
#define WIDE_MARGIN 0.33f  /* of the page's width, and twice the other margin: no text fills its column */
#define MAX_REGIONS 512u   /* looked at for a wider column */
#define MAX_STANZA 200u    /* lines */
#define WIDER 1.3f         /* of the run's own leading */
#define WIDER_UNKNOWN 1.5f /* of the page's leading, when the run has too few lines of its own */

typedef struct {
  guint first, last; /* entries [first, last) of one region */
  float leading, left, right, widest;
  gboolean hanging, narrow;
} Run;

/* ---- text ends ------------------------------------------------------------------------------- */

static gunichar
last_char (const char *text)
{
  gsize n = strlen (text);

  return n ? g_utf8_get_char (g_utf8_prev_char (text + n)) : 0;
}

static gboolean
is_closing (gunichar c)
{
  return c == ')' || c == ']' || c == '"' || c == '\'' || c == 0x201D || c == 0x2019 || c == 0xBB || c == 0x300D || c == 0xFF09;
}

/* The digits that end text[0 .. end): the mark of a note behind a full stop ("flood.12"), and no figure or decimal ("in 1987",
 * "4.5"). */
static gboolean
is_note_mark (const char *text, const char *end)
{
  const char *p = end;

  while (p > text && g_ascii_isdigit (p[-1]))
    p--;
  if (p == text || p == end)
    return FALSE;
  if (p[-1] == '.')
    return p - 1 > text && !g_ascii_isdigit (p[-2]);
  return is_closing (g_utf8_get_char (g_utf8_prev_char (p)));
}

static gboolean
ends_sentence (const char *text)
{
  const char *end = text + strlen (text);

  if (end > text && g_ascii_isdigit (end[-1])) {
    if (!is_note_mark (text, end))
      return FALSE;
    while (g_ascii_isdigit (end[-1]))
      end--;
  }
  while (end > text) {
    const char *p = g_utf8_prev_char (end);
    gunichar c = g_utf8_get_char (p);
    if (c == '.' || c == '!' || c == '?' || c == ':' || c == ';' || c == 0x3002 || c == 0xFF01 || c == 0xFF1F || c == 0xFF1A || c == 0x2026)
      return TRUE;
    if (!is_closing (c))
      return FALSE;
    end = p;
  }
  return FALSE;
}

static gboolean
ends_hyphen (const char *text)
{
  const char *hyphen = text[0] ? g_utf8_prev_char (text + strlen (text)) : text;
  gunichar c = g_utf8_get_char (hyphen);

  return hyphen > text + 1 && (c == '-' || c == 0x2010 || c == 0xAD) && g_unichar_isalpha (g_utf8_get_char (g_utf8_prev_char (hyphen)));
}

static gboolean
is_cjk_text (const char *text)
{
  return dp_text_is_cjk (last_char (text));
}

/* The line begins or ends in writing without blanks: mind brackets and numbers at either end. */
static gboolean
is_cjk_line (const DpFlowLine *line)
{
  return dp_text_is_cjk (g_utf8_get_char (line->text)) || is_cjk_text (line->text);
}

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
  if (is_cjk_line (line))
    return CJK_WORD * line->size;
  word = &g_array_index (layout->words, DpWord, fragment->first_word);
  return dp_flow_page (flow, line)->angle % 180 == 0 ? dp_rect_width (word->box) : dp_rect_height (word->box);
}

/* The first word of line i would have fitted on the line before it, up to x. */
static gboolean
had_room (const DpFlow *flow, guint i, float right)
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

  for (guint i = 0; page->columns && i < MIN (page->layout->regions->len, MAX_REGIONS); i++)
    if (width < 0.55f * (page->columns[i].x1 - page->columns[i].x0))
      return TRUE;
  return FALSE;
}

/* No text of the page comes as near to its right edge as to its left one: all of it is broken before the line is full. */
static gboolean
leaves_margin (const DpFlow *flow, const DpFlowLine *line)
{
  const DpFlowPage *page = dp_flow_page (flow, line);
  float left = page->width, right = 0;

  for (guint i = 0; page->columns && i < MIN (page->layout->regions->len, MAX_REGIONS); i++) {
    left = MIN (left, page->columns[i].x0);
    right = MAX (right, page->columns[i].x1);
  }
  return page->width - right > MAX (WIDE_MARGIN * page->width, 2 * left);
}

static void
measure_run (const DpFlow *flow, Run *run)
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
        && !ends_sentence (dp_flow_line (flow, i - 1)->text) && had_room (flow, i, run->right))
      short_heads++;
    if (line->at.x0 > run->left + INDENT * line->size && line->at.x0 < run->left + INDENT_MAX * line->size)
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

static gboolean
centred (const DpFlowLine *a, const DpFlowLine *b)
{
  return fabsf (dp_rect_cx (a->at) - dp_rect_cx (b->at)) < 0.6f * a->size && fabsf (a->at.x0 - b->at.x0) > a->size;
}

static gboolean
wider_gap (const Run *run, const DpFlowLine *a, const DpFlowLine *b)
{
  float step = b->baseline - a->baseline;

  if (step <= 0)
    return b->at.y1 <= a->at.y0 || b->at.x0 > a->at.x1; /* out of order: not one paragraph */
  return run->leading > 0 ? step > WIDER * run->leading : step > -WIDER_UNKNOWN * run->leading;
}

static gboolean
indent_starts (const DpFlow *flow, const Run *run, guint i)
{
  const DpFlowLine *a = dp_flow_line (flow, i - 1), *b = dp_flow_line (flow, i), *c = i + 1 < run->last ? dp_flow_line (flow, i + 1) : NULL;
  float em = b->size, in = b->at.x0 - run->left;

  if (in < INDENT * em || in > INDENT_MAX * em || centred (a, b))
    return FALSE;
  if (b->at.x0 - a->at.x0 < INDENT * em) /* a is indented as well: two one-line paragraphs, or a block set in */
    return ends_sentence (a->text) && a->at.x1 < run->right - 3 * em;
  return c ? c->at.x0 < b->at.x0 - 0.5f * INDENT * em || ends_sentence (a->text) : ends_sentence (a->text);
}

/* Below a line that has room left, lines with a left edge further in: a block of its own. */
static gboolean
set_in_below (const DpFlow *flow, const Run *run, guint i)
{
  const DpFlowLine *a = dp_flow_line (flow, i - 1), *b = dp_flow_line (flow, i), *c = i + 1 < run->last ? dp_flow_line (flow, i + 1) : NULL;

  return c && b->at.x0 > a->at.x0 + INDENT * b->size && fabsf (c->at.x0 - b->at.x0) < 0.2f * b->size && !centred (a, b)
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
judge_joint (const DpFlow *flow, const Run *run, guint i)
{
  const DpFlowLine *a = dp_flow_line (flow, i - 1), *b = dp_flow_line (flow, i);
  float em = MAX (b->size, 1), free_space = run->right - a->at.x1;
  gboolean fitted = first_word_width (flow, b) + 0.4f * em < free_space - 0.5f * em;
  gunichar first = g_utf8_get_char (b->text);
  DpLabel label;

  if (wider_gap (run, a, b) || other_size (flow, a, b) || a->small_caps != b->small_caps)
    return NEW_PARAGRAPH;
  if (ends_hyphen (a->text) && g_unichar_islower (first))
    return GOES_ON;
  if (run->hanging)
    return b->at.x0 <= run->left + 0.4f * em && (a->at.x0 > run->left + INDENT * em || ends_sentence (a->text)) ? NEW_PARAGRAPH : GOES_ON;
  if (indent_starts (flow, run, i))
    return NEW_PARAGRAPH;
  if ((a->style & DP_SPAN_BOLD) && !(b->style & DP_SPAN_BOLD) && fitted && !g_unichar_islower (first))
    return NEW_PARAGRAPH;
  if (run->narrow && centred (a, b) && !ends_sentence (a->text))
    return g_unichar_islower (first) ? GOES_ON : LINE_BREAK; /* all lines of the stack leave half of their column */
  if (!fitted)
    return GOES_ON;
  if (set_in_below (flow, run, i))
    return NEW_PARAGRAPH;
  if (ends_sentence (a->text))
    return g_unichar_islower (first) ? GOES_ON : NEW_PARAGRAPH;
  if (dp_label_parse (b->text, &label) && !label.weak)
    return NEW_PARAGRAPH;
  /* A centred line is as full as the widest one, or broken on purpose. */
  if (centred (a, b))
    return !g_unichar_islower (first) && dp_rect_width (a->at) + first_word_width (flow, b) + 1.5f * em < run->widest ? LINE_BREAK
                                                                                                                      : GOES_ON;
  /* Ragged text leaves some room; a third of the line is a break meant so. */
  return free_space > 0.33f * (run->right - run->left) && !g_unichar_islower (first) ? LINE_BREAK : GOES_ON;
}

/* What the structure tree says of two lines; wide gaps are seen by everybody. */
static Joint
judge_tagged (const Run *run, const DpFlowLine *a, const DpFlowLine *b, Joint joint)
{
  if (a->paragraph == 0 || b->paragraph == 0)
    return joint;
  if (a->paragraph != b->paragraph)
    return NEW_PARAGRAPH;
  return joint == NEW_PARAGRAPH && !wider_gap (run, a, b) ? GOES_ON : joint;
}

static void
judge_run (DpFlow *flow, Run *run)
{
  measure_run (flow, run);
  dp_flow_line (flow, run->first)->starts = TRUE;
  for (guint i = run->first + 1; i < run->last; i++) {
    DpFlowLine *line = dp_flow_line (flow, i);
    Joint joint = judge_tagged (run, dp_flow_line (flow, i - 1), line, judge_joint (flow, run, i));
    line->starts = joint == NEW_PARAGRAPH;
    line->breaks = joint == LINE_BREAK;
  }
}

/* ---- verse and quotes --------------------------------------------------------------------------------- */

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
  LineEnds ends = { .cjk = is_cjk_line (head), .margin = leaves_margin (flow, head) };
  float right = 0;

  for (guint i = first; i < last; i++)
    right = MAX (right, dp_flow_line (flow, i)->at.x1);
  ends.full = !ends.margin && right > column.x1 - 3 * head->size;
  for (guint i = first + 1; i < last; i++) {
    const DpFlowLine *a = dp_flow_line (flow, i - 1), *b = dp_flow_line (flow, i);
    ends.full = ends.full || (!ends.margin && !had_room (flow, i, column.x1));
    /* without capitals and blanks every end of a paragraph looks so */
    ends.cjk = ends.cjk || is_cjk_line (b);
    ends.early += had_room (flow, i, right) && !(ends.cjk && ends_sentence (a->text)) ? 1 : 0;
    ends.capitals += g_unichar_isupper (g_utf8_get_char (b->text)) ? 1 : 0;
    ends.centred += centred (a, b) ? 1 : 0;
    ends.hyphens = ends.hyphens || ends_hyphen (a->text);
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
stanza_end (const DpFlow *flow, const Run *run, guint first)
{
  guint end = first + 1, sentences = ends_sentence (dp_flow_line (flow, first)->text);

  for (; end < run->last && end - first < MAX_STANZA; end++) {
    const DpFlowLine *a = dp_flow_line (flow, end - 1), *b = dp_flow_line (flow, end);
    if (wider_gap (run, a, b) || fabsf (a->size - b->size) > 0.12f * MAX (a->size, b->size))
      break;
    sentences += ends_sentence (b->text);
  }
  return sentences * 2 < end - first && end - first >= 3 ? end : first;
}

/* Most lines end early and break: all breaks stay, so that a stanza is not half prose. */
static void
keep_verse (DpFlow *flow, const Run *run)
{
  for (guint i = run->first, j; i < run->last; i = j) {
    guint breaks = 0, end = stanza_end (flow, run, i);
    gboolean verse;
    if (end > i && is_verse (flow, i, end)) {
      for (guint k = i + 1; k < end; k++) {
        DpFlowLine *line = dp_flow_line (flow, k);
        line->starts = line->starts && ends_sentence (dp_flow_line (flow, k - 1)->text);
        line->breaks = !line->starts;
      }
      j = end;
      continue;
    }
    for (j = i + 1; j < run->last && !dp_flow_line (flow, j)->starts; j++)
      breaks += dp_flow_line (flow, j)->breaks ? 1 : 0;
    verse = is_verse (flow, i, j);
    /* Without blanks and capitals only the room that a line leaves tells a break from a turn. */
    if (!verse && (breaks < 2 || breaks * 2 < j - i - 1 || is_cjk_line (dp_flow_line (flow, i))))
      continue;
    for (guint k = i + 1; k < j; k++)
      if (verse || !g_unichar_islower (g_utf8_get_char (dp_flow_line (flow, k)->text)))
        dp_flow_line (flow, k)->breaks = TRUE;
  }
}

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
is_quote (const DpFlow *flow, const Run *run)
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
continues_quote (const DpFlow *flow, const Run *a, const Run *b)
{
  const DpFlowLine *last = dp_flow_line (flow, a->last - 1), *first = dp_flow_line (flow, b->first);
  float em = first->size, left_a = last->at.x0 - dp_flow_column (flow, last).x0, left_b = first->at.x0 - dp_flow_column (flow, first).x0;

  if (fabsf (last->size - first->size) > 0.06f * em || ends_sentence (last->text) || first->page > last->page + 1
      || (first->page == last->page && first->at.y0 > last->at.y0))
    return FALSE;
  return fabsf (left_a - left_b) < 0.6f * em && left_a > 1.4f * em && dp_flow_column (flow, last).x1 - last->at.x1 > 1.4f * em
         && g_unichar_isalnum (g_utf8_get_char (first->text));
}

/* ---- joins over columns, pages, figures ------------------------------------------------------------------ */

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

  for (guint i = p->first + 1; i < p->first + p->n; i++) {
    const DpFlowLine *a = dp_flow_line (flow, i - 1), *b = dp_flow_line (flow, i);
    if (b->role != DP_ROLE_BODY || a->role != DP_ROLE_BODY || !b->starts || !dp_flow_same_region (a, b))
      continue;
    all++;
    indented += b->at.x0 > dp_flow_column (flow, b).x0 + INDENT * b->size ? 1 : 0;
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

/* a is the last line of running text before b; object: something lies between.  turned: b begins a column or page. */
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
  if (ends_hyphen (a->text) && g_unichar_islower (first))
    return TRUE;
  if (ends_sentence (a->text))
    return turned && goes_on_unindented (flow, a, b);
  if (dp_label_parse (b->text, &label) && !label.weak)
    return FALSE;
  if (is_cjk_text (a->text))
    return (apart || follows_closely (flow, a, b)) && is_full (flow, a) && dp_text_is_cjk (first)
           && b->at.x0 < dp_flow_column (flow, b).x0 + INDENT * b->size;
  if (g_unichar_islower (first))
    return apart ? a->n_chars > 20 || is_full (flow, a) : is_full (flow, a);
  return apart && is_full (flow, a) && (in_company (flow, a) || in_company (flow, b)) && a->n_chars > 30 && b->n_chars > 20
         && g_unichar_isalnum (first) && b->at.x0 < dp_flow_column (flow, b).x0 + 0.5f * b->size;
}

static void
join_runs (DpFlow *flow)
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

static void
claim_quote (DpFlow *flow, const Run *run)
{
  for (guint k = run->first; k < run->last; k++)
    dp_flow_line (flow, k)->role = DP_ROLE_QUOTE;
}

/* The part of a quote before or behind the turn of a page takes the role of the other part. */
static void
claim_quote_parts (DpFlow *flow, const GArray *runs)
{
  for (guint r = 0; r + 1 < runs->len; r++) {
    const Run *a = &g_array_index (runs, Run, r), *b = &g_array_index (runs, Run, r + 1);
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
  g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (Run));

  for (guint i = 0; i < flow->lines->len;) {
    Run run = { .first = i, .last = i + 1 };
    if (dp_flow_line (flow, i)->role != DP_ROLE_BODY) {
      i++;
      continue;
    }
    while (run.last < flow->lines->len && dp_flow_line (flow, run.last)->role == DP_ROLE_BODY
           && dp_flow_same_region (dp_flow_line (flow, i), dp_flow_line (flow, run.last)))
      run.last++;
    judge_run (flow, &run);
    keep_verse (flow, &run);
    if (is_quote (flow, &run))
      claim_quote (flow, &run);
    g_array_append_val (runs, run);
    i = run.last;
  }
  claim_quote_parts (flow, runs);
  join_runs (flow);
}
