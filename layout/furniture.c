/* layout/furniture.c - running headers, footers, page numbers, stamps, watermarks, line numbers.
 *
 * Two sources of evidence.  Over the document: rows at the same height of the page whose text
 * is equal once numbers are masked (PdfPig's decoration text filter and opendataloader's
 * HeaderFooterProcessor work so), or whose number counts along with the pages.  On a single
 * page: the outermost rows, weighed by position, distance from the text, shortness, numbers
 * and capitals; the weights follow what was measured on unit-test pages (median height 0.06
 * at the top and 0.96 at the bottom; size does not tell a running head from a heading, being
 * large and bold does).
 */
#include "layout/flow.h"
#include "layout/labels.h"
#include "layout/running.h"
#include "layout/spreads.h"

#include <math.h>
#include <string.h>

#define BAND 0.15f         /* share of the page height in which repeated rows count */
#define SINGLE_BAND 0.13f  /* the same for one page's own evidence */
#define FOLIO_BAND 0.2f    /* for a lone page number */
#define OUTER_ROWS 5u      /* rows looked at from each end of the page */
#define SAME_HEIGHT 6.0f   /* points */
#define MIN_PAGES 3u       /* a row repeated on so many pages is furniture */
#define MIN_CHARS 350u     /* the same for the characters of a first page */
#define MIN_ROWS 8u        /* a page with fewer rows gives no evidence of its own */
#define MIN_EDGE_ROWS 4u   /* unless its outermost row stands at the very edge */
#define HEADING_RATIO 1.1f /* body sizes from which type is that of a heading */
#define ACCEPT 1.5f        /* sum of weights from which a row of a single page is furniture */
#define MARGIN 0.03f       /* share of the page height that no text is set in: printers do not reach it */
#define APART 2.0f         /* body sizes from the text at which type like the body's stands for itself */
#define FAR_APART 4.0f     /* the same for type that a title could have */
#define TITLE_RATIO 1.2f   /* body sizes from which type could be a title's */
#define SMALL_TYPE 0.92f   /* body sizes */
#define MAX_PARTS 3u       /* texts beside each other: left, in the middle, right */
#define MAX_NOTE 3u        /* digits of a note's number */

typedef struct {
  guint page;
  gboolean top, object;
  float y0, y1, x0, x1, gap; /* gap: to the next row inwards, points */
  float size;
  gboolean bold;
  GArray *lines; /* guint: entries of the flow */
  char *text, *mask;
  guint n_chars;
  guint rank;       /* 0 = outermost */
  gboolean company; /* its text is a company's name, and this is not the first of several pages */
  gboolean flank;   /* all of it stands in the right third of the page */
  float trim;       /* points that a wide margin around everything takes from the page's height */
  gboolean lonely;  /* its page has too little text to judge by; at the foot its last notes stand apart as well */
  gboolean furniture;
  gboolean repeated; /* furniture as rows of other pages say the same */
} Row;

static void
row_free (gpointer data)
{
  Row *row = data;

  g_array_unref (row->lines);
  g_free (row->text);
  g_free (row->mask);
  g_free (row);
}

/* ---- text of a row --------------------------------------------------------------------------- */

static gboolean
is_number_token (const char *token, gsize n)
{
  gsize digits = 0;

  for (gsize i = 0; i < n; i++)
    digits += g_ascii_isdigit (token[i]) ? 1 : 0;
  return (digits > 0 && digits == n) || dp_roman_value (token, n) > 0;
}

/* Lower-case letters; numbers and roman numerals become '#', punctuation goes. */
static char *
mask_text (const char *text)
{
  g_autofree char *folded = g_utf8_strdown (text, -1);
  g_auto (GStrv) tokens = g_strsplit_set (folded, " \t|-/.,:;()[]", -1);
  GString *out = g_string_new (NULL);

  for (guint i = 0; tokens[i]; i++) {
    if (tokens[i][0] == '\0')
      continue;
    if (is_number_token (tokens[i], strlen (tokens[i])))
      g_string_append_c (out, '#');
    else
      for (const char *c = tokens[i]; *c; c++)
        g_string_append_c (out, g_ascii_isdigit (*c) ? '#' : *c);
    g_string_append_c (out, ' ');
  }
  return g_string_free (out, FALSE);
}

/* ---- rows of a page ----------------------------------------------------------------------------- */

static int
compare_entries (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpFlowLine *x = dp_flow_line (data, *(const guint *) a), *y = dp_flow_line (data, *(const guint *) b);
  float cx = dp_rect_cy (x->at), cy = dp_rect_cy (y->at);

  if (cx != cy)
    return cx < cy ? -1 : 1;
  return x->at.x0 < y->at.x0 ? -1 : x->at.x0 > y->at.x0;
}

static int
compare_left (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpFlowLine *x = dp_flow_line (data, *(const guint *) a), *y = dp_flow_line (data, *(const guint *) b);

  return x->at.x0 < y->at.x0 ? -1 : x->at.x0 > y->at.x0;
}

static Row *
row_new (guint page, const DpFlowLine *line)
{
  Row *row = g_new0 (Row, 1);

  row->page = page;
  row->object = line->role == DP_ROLE_OBJECT;
  row->y0 = line->at.y0;
  row->y1 = line->at.y1;
  row->x0 = line->at.x0;
  row->x1 = line->at.x1;
  row->bold = TRUE;
  row->lines = g_array_new (FALSE, FALSE, sizeof (guint));
  return row;
}

static void
row_add (Row *row, const DpFlow *flow, guint index)
{
  const DpFlowLine *line = dp_flow_line (flow, index);

  row->y0 = MIN (row->y0, line->at.y0);
  row->y1 = MAX (row->y1, line->at.y1);
  row->x0 = MIN (row->x0, line->at.x0);
  row->x1 = MAX (row->x1, line->at.x1);
  row->size = MAX (row->size, line->size);
  row->bold = row->bold && (line->style & DP_SPAN_BOLD);
  g_array_append_val (row->lines, index);
}

/* All rows of a page from top to bottom; objects are rows of their own. */
static GPtrArray *
page_rows (const DpFlow *flow, guint page)
{
  const DpFlowPage *p = &g_array_index (flow->pages, DpFlowPage, page);
  g_autoptr (GArray) order = g_array_sized_new (FALSE, FALSE, sizeof (guint), p->n);
  GPtrArray *rows = g_ptr_array_new_with_free_func (row_free);
  Row *row = NULL;

  for (guint i = p->first; i < p->first + p->n; i++)
    if (!dp_flow_line (flow, i)->astray)
      g_array_append_val (order, i);
  g_array_sort_with_data (order, compare_entries, (gpointer) flow);
  for (guint k = 0; k < order->len; k++) {
    guint i = g_array_index (order, guint, k);
    const DpFlowLine *line = dp_flow_line (flow, i);
    gboolean object = line->role == DP_ROLE_OBJECT;
    float cy = dp_rect_cy (line->at);
    if (!row || object || row->object || cy > row->y1 - 0.25f * (row->y1 - row->y0)) {
      row = row_new (page, line);
      g_ptr_array_add (rows, row);
    }
    row_add (row, flow, i);
  }
  return rows;
}

static void
row_read (Row *row, const DpFlow *flow)
{
  GString *text = g_string_new (NULL);

  g_array_sort_with_data (row->lines, compare_left, (gpointer) flow);
  for (guint i = 0; i < row->lines->len; i++) {
    if (text->len)
      g_string_append_c (text, ' ');
    g_string_append (text, dp_flow_line (flow, g_array_index (row->lines, guint, i))->text);
  }
  row->text = g_string_free (text, FALSE);
  row->mask = mask_text (row->text);
  row->n_chars = (guint) g_utf8_strlen (row->text, -1);
}

/* The outermost rows of one side, with the distance to the rows inside of them. */
static void
outer_rows (const DpFlow *flow, GPtrArray *rows, gboolean top, GPtrArray *out)
{
  const Row *first = rows->len ? g_ptr_array_index (rows, 0) : NULL;
  float height = first ? g_array_index (flow->pages, DpFlowPage, first->page).height : 0;

  for (guint k = 0; k < rows->len && k < OUTER_ROWS; k++) {
    Row *row = g_ptr_array_index (rows, top ? k : rows->len - 1 - k);
    const Row *next = k + 1 < rows->len ? g_ptr_array_index (rows, top ? k + 1 : rows->len - 2 - k) : NULL;
    float cy = 0.5f * (row->y0 + row->y1);
    if (row->object || (top ? cy > BAND * height : cy < (1 - BAND) * height))
      break;
    if (row->text) /* a short page: already taken from the other side */
      break;
    row->top = top;
    row->rank = k;
    row->gap = !next ? height : top ? next->y0 - row->y1 : row->y0 - next->y1;
    row_read (row, flow);
    row->flank = row->x0 > 0.62f * g_array_index (flow->pages, DpFlowPage, row->page).width;
    row->company = (flow->pages->len == 1 || row->page > 0) && dp_running_company (row->text);
    g_ptr_array_add (out, row);
  }
}

/* ---- evidence over the document --------------------------------------------------------------------- */

static int
compare_height (gconstpointer a, gconstpointer b)
{
  const Row *x = *(Row *const *) a, *y = *(Row *const *) b;

  return x->y0 < y->y0 ? -1 : x->y0 > y->y0 ? 1 : x->page < y->page ? -1 : x->page > y->page;
}

/* Rows of equal key: those that stand at one height on enough pages are furniture. */
static void
mark_repeated (GPtrArray *same, guint need)
{
  g_ptr_array_sort (same, compare_height);
  for (guint i = 0, j; i < same->len; i = j) {
    guint pages = 1;
    for (j = i + 1; j < same->len; j++) {
      const Row *a = g_ptr_array_index (same, j - 1), *b = g_ptr_array_index (same, j);
      if (b->y0 - a->y0 > SAME_HEIGHT)
        break;
      pages += a->page != b->page ? 1 : 0;
    }
    for (guint k = i; k < j && pages >= need; k++)
      ((Row *) g_ptr_array_index (same, k))->furniture = TRUE;
  }
}

static void
add_by_key (GHashTable *table, char *key, Row *row)
{
  GPtrArray *rows = g_hash_table_lookup (table, key);

  if (!rows) {
    rows = g_ptr_array_new ();
    g_hash_table_insert (table, key, rows);
  } else
    g_free (key);
  g_ptr_array_add (rows, row);
}

static void
find_repeated (const DpFlow *flow, GPtrArray *rows)
{
  g_autoptr (GHashTable) table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  GHashTableIter iter;
  gpointer same;

  for (guint i = 0; i < rows->len; i++) {
    Row *row = g_ptr_array_index (rows, i);
    guint page = dp_spread_leaf (g_array_index (flow->pages, DpFlowPage, row->page).layout);
    guint value = 0;
    add_by_key (table, g_strdup_printf ("%d %s", row->top, row->mask), row);
    /* A number that counts along with the pages: the text beside it may change by chapter. */
    for (guint end = 0; end < 2; end++) {
      if (row->rank < 2 && row->n_chars < 100 && (value = dp_running_folio (row->text, end == 0)) > 0)
        add_by_key (table, g_strdup_printf ("n %d %d", row->top, (int) value - (int) page), row);
    }
    if (dp_label_page_number (row->text, &value))
      add_by_key (table, g_strdup_printf ("n %d %d", row->top, (int) value - (int) page), row);
  }
  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, NULL, &same))
    mark_repeated (same, MIN_PAGES);
}

/* Pages that hold nothing but what repeats (a label on each, a slide with one line) are their own
 * content: where that is so on more than half of the pages, only page numbers are furniture. */
static void
spare_bare_pages (GPtrArray *pages, GPtrArray *outer)
{
  guint written = 0, bare = 0;

  for (guint p = 0; p < pages->len; p++) {
    const GPtrArray *rows = g_ptr_array_index (pages, p);
    gboolean left = FALSE, words = FALSE;
    for (guint k = 0; k < rows->len; k++) {
      const Row *row = g_ptr_array_index (rows, k);
      left = left || !row->furniture;
      words = words || (row->furniture && !dp_label_page_number (row->text, NULL));
    }
    written += left || words;
    bare += words && !left;
  }
  for (guint i = 0; i < outer->len && bare * 2 > written; i++) {
    Row *row = g_ptr_array_index (outer, i);
    row->furniture = row->furniture && dp_label_page_number (row->text, NULL);
  }
}

/* ---- evidence of one page ------------------------------------------------------------------------------ */

/* Distance from the edge, as a share of the page's height, wide margins taken off. */
static float
row_depth (const Row *row, float height)
{
  float cy = 0.5f * (row->y0 + row->y1);

  return ((row->top ? cy : height - cy) - row->trim) / MAX (height - 2 * row->trim, 1);
}

static float
weigh_place (const Row *row, float height, float body)
{
  float depth = row_depth (row, height);
  /* Headings were seen from 0.08 on; what stands above 0.05 is furniture nearly always. */
  float weight = depth < 0.05f ? 2.75f : depth < 0.07f ? 1.75f : depth < 0.09f ? 1.25f : depth < SINGLE_BAND ? 0.5f : -9;

  if (weight < 0 && depth < 0.16f && row->gap >= 3 * body && dp_running_phrase (row->text) > 0)
    weight = 0.5f;
  if (weight < 0.5f && depth < FOLIO_BAND && row->rank == 0 && row->gap >= 0.8f * body && dp_label_page_number (row->text, NULL))
    weight = 0.5f;

  if (row->gap >= 3 * body)
    weight += 1;
  else if (row->gap >= 1.5f * body)
    weight += 0.5f;
  else if (row->gap < 0.7f * body)
    weight -= 1.5f;
  return weight;
}

/* 【...】 encloses the titles of Japanese reports, whose headers are plain. */
static gboolean
is_title_mark (const char *text)
{
  while (*text == ' ')
    text++;
  return g_utf8_get_char (text) == 0x3010;
}

/* "Record your findings in Table 3.": no running head says so. */
static gboolean
is_sentence (const char *text, gunichar first, char last)
{
  guint small = 0;

  for (const char *p = strchr (text, ' '); p; p = strchr (p + 1, ' '))
    small += g_unichar_islower (g_utf8_get_char (p + 1)) ? 1 : 0;
  return last == '.' && g_unichar_isupper (first) && small >= 3 && !dp_running_legal (text) && dp_running_phrase (text) <= 0;
}

static float
weigh_text (const Row *row)
{
  DpHeadingNumber number;
  DpLabel label;
  gsize length;
  gboolean table, folio = dp_running_has_folio (row->text);
  gunichar first = g_utf8_get_char (row->text);
  char last = row->text[strlen (row->text) - 1];
  float weight = 0;

  if (dp_label_page_number (row->text, NULL))
    return 2;
  weight += folio ? 1.25f : 0;
  weight += dp_running_capitals (row->text) ? 0.5f : 0;
  weight += dp_running_legal (row->text) ? 1 : 0;
  weight += row->lines->len > 2 ? 1 : row->lines->len > 1 ? 0.5f : 0;
  weight += row->top && row->flank && row->n_chars <= 40 ? 1 : 0;
  weight += row->company ? 1.5f : 0;
  weight -= row->n_chars > (row->top ? 90u : 140u) ? 1.5f : row->n_chars > 60 ? 0.5f : 0;
  weight -= g_unichar_islower (first) && !folio ? (row->rank > 0 ? 1.5f : 0.75f) : 0;
  weight -= last == '.' && row->n_chars > 40 ? 1 : 0;
  weight -= row->top && is_sentence (row->text, first, last) ? 1 : 0;
  weight -= last == '.' && g_unichar_islower (first) && !folio ? 2 : 0; /* the end of a sentence from the page before */
  weight -= last == ',' || last == '-' || last == ';' || last == ':' ? 1.5f : 0;
  weight -= dp_label_caption (row->text, &table, &length) && row->text[length] != '\0' ? 3 : 0;
  weight += dp_running_phrase (row->text);
  if (dp_label_parse (row->text, &label) && !folio)
    weight -= label.kind == DP_LABEL_BULLET || label.open || row->n_chars > 40 || is_title_mark (row->text + label.length) ? 1.5f : 0;
  if (dp_label_heading (row->text, &number) && !number.bare)
    weight -= row->bold || number.depth > 1 ? 1.5f : number.word && !folio ? 1 : 0;
  return weight;
}

static gboolean
starts_with_mark (const DpFlow *flow, const Row *row)
{
  const DpFlowLine *line = dp_flow_line (flow, g_array_index (row->lines, guint, 0));
  const DpPageLayout *layout = dp_flow_page (flow, line)->layout;
  const DpLine *fragment = &g_array_index (layout->lines, DpLine, g_array_index (flow->frags, guint, line->first_frag));
  const DpWord *word = &g_array_index (layout->words, DpWord, fragment->first_word);

  return fragment->n_words > 1 && (word->style & DP_SPAN_SUPER);
}

static float
weigh_face (const Row *row, float height, float body)
{
  gboolean folio = dp_running_has_folio (row->text);
  float ratio = body > 0 ? row->size / body : 1, weight = 0, depth = row_depth (row, height);

  weight += ratio <= 0.92f ? 0.5f : 0;
  weight -= ratio >= 1.8f ? 3 : ratio >= 1.4f ? 2 : ratio >= 1.15f ? 0.75f : 0;
  weight -= row->bold && !folio ? 0.75f : 0;
  if (row->company)
    return MAX (weight, -1.5f);
  /* Where headings begin to occur, their face counts double and capitals say nothing. */
  if (row->top && depth > 0.075f && !folio)
    weight = weight < 0 ? 2 * weight : weight - (dp_running_capitals (row->text) ? 0.5f : 0);
  return weight;
}

/* A sentence that runs on into the row below, set as close as lines of a paragraph are. */
static gboolean
runs_on (const Row *row, const Row *below, float gap, float body)
{
  return row->top && below && row->n_chars > 45 && gap < 0.7f * body && g_unichar_islower (g_utf8_get_char (below->text));
}

/* A page number far from the edge shows margins that are wide on all sides, as on pages printed
 * small on larger paper: what runs over the pages then stands further in everywhere. */
static void
measure_trim (GPtrArray *outer, guint from, float height)
{
  float trim = 0, edge = height;

  for (guint i = from; i < outer->len; i++) {
    const Row *row = g_ptr_array_index (outer, i);
    float margin = row->top ? row->y0 : height - row->y1;
    edge = MIN (edge, margin);
    if (row->rank == 0 && margin > 0.1f * height && dp_label_page_number (row->text, NULL))
      trim = MAX (trim, margin - 0.05f * height);
  }
  trim = MIN (trim, MAX (edge - 0.05f * height, 0));
  for (guint i = from; i < outer->len; i++)
    ((Row *) g_ptr_array_index (outer, i))->trim = trim;
}

/* A name with lines close below that run over no pages is a letterhead, not a running head. */
static void
spare_letterheads (GPtrArray *side, float body)
{
  for (guint k = 0; k + 1 < side->len; k++) {
    Row *row = g_ptr_array_index (side, k);
    const Row *next = g_ptr_array_index (side, k + 1);
    gsize n = strlen (next->text);
    gboolean dated = n > 8 && strspn (next->text + n - 4, "0123456789") == 4;
    if (row->gap < 0.7f * body && !next->company && !dated && dp_running_phrase (next->text) <= 0)
      row->company = FALSE;
  }
}

static gboolean
tells_of_running (const Row *row)
{
  return row->company || dp_running_phrase (row->text) > 0 || dp_running_legal (row->text) || dp_running_has_folio (row->text)
         || dp_label_page_number (row->text, NULL) || dp_running_capitals (row->text);
}

/* A first page begins with lines close together on one left edge, none of which speaks of pages or reports: the address of whoever
 * writes. */
static gboolean
is_sender (const GPtrArray *side, float body)
{
  const Row *first = g_ptr_array_index (side, 0);
  guint n = 0;

  if (!first->top || first->page > 0)
    return FALSE;
  for (; n < side->len; n++) {
    const Row *row = g_ptr_array_index (side, n);
    if (fabsf (row->x0 - first->x0) > 1 || row->n_chars > 40 || tells_of_running (row))
      return FALSE;
    if (row->gap > 0.7f * body)
      return n >= 2;
  }
  return FALSE;
}

/* A number at the start that a row further out has already given the page, which numbers a note; nothing but numbers, as below a chart. */
static gboolean
is_note_or_axis (const Row *row, gboolean numbered)
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
 * off the text, a distance that no lines of a text have.  `own` is the row's own gap, row->gap that of all rows of its band, `outer` the
 * row further out. */
static gboolean
looks_running (const Row *row, const Row *outer, float own, float height, float body)
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
  if (own >= APART * body || (row->lines->len > 1 && own >= body))
    return TRUE;
  if (ratio > SMALL_TYPE)
    return FALSE;
  return row->gap >= 0.5f * body || (outer && outer->furniture && fabsf (outer->size - row->size) < 0.5f);
}

/* The rows of one side, outermost first: accepted from outside until one fails. */
static void
judge_side (const DpFlow *flow, GPtrArray *side)
{
  const Row *first = g_ptr_array_index (side, 0);
  const DpFlowPage *page = &g_array_index (flow->pages, DpFlowPage, first->page);
  float body = page->body.size > 0 ? page->body.size : 10, clear = 0;
  gboolean numbered = FALSE; /* a row further out has the page's number */
  guint band = 0;

  if (is_sender (side, body))
    return;
  spare_letterheads (side, body);
  /* The band ends at its widest gap: a two-line header shares the distance to the text. */
  for (guint k = 0; k < side->len && k < 4; k++) {
    const Row *row = g_ptr_array_index (side, k);
    if (row->gap > clear + 0.3f * body) {
      clear = row->gap;
      band = k;
    }
  }
  for (guint k = 0; k < side->len; k++) {
    Row *row = g_ptr_array_index (side, k);
    const Row *outer = k > 0 ? g_ptr_array_index (side, k - 1) : NULL;
    float own = row->gap;
    numbered = numbered || (outer && (dp_label_page_number (outer->text, NULL) || dp_running_has_folio (outer->text)));
    if (row->furniture)
      continue;
    if (k > 0 && row->top && (row->bold || row->size >= HEADING_RATIO * body) && outer->repeated)
      break; /* a heading below the head that all pages have */
    if (k < band)
      row->gap = MAX (own, clear * 0.99f);
    if (is_note_or_axis (row, numbered) || !looks_running (row, outer, own, page->height, body))
      break;
    if (row->lonely && !row->top && !dp_label_page_number (row->text, NULL))
      break;
    if (starts_with_mark (flow, row) || runs_on (row, k + 1 < side->len ? g_ptr_array_index (side, k + 1) : NULL, own, body)
        || weigh_place (row, page->height, body) + weigh_text (row) + weigh_face (row, page->height, body) < ACCEPT)
      break;
    row->furniture = TRUE;
  }
}

/* ---- claims ---------------------------------------------------------------------------------------------- */

static void
claim_row (DpFlow *flow, const Row *row)
{
  DpFlowRole role = row->top ? DP_ROLE_HEADER : DP_ROLE_FOOTER;

  if (dp_label_page_number (row->text, NULL))
    role = DP_ROLE_PAGE_NUMBER;
  for (guint i = 0; i < row->lines->len; i++) {
    DpFlowLine *line = dp_flow_line (flow, g_array_index (row->lines, guint, i));
    line->role = dp_label_page_number (line->text, NULL) ? DP_ROLE_PAGE_NUMBER : role;
    line->starts = TRUE;
  }
}

/* Lines written at another angle: stamps, watermarks, axis labels left over.  Rotated prose stays. */
static void
claim_astray (DpFlow *flow, const DpFlowPage *page)
{
  for (guint i = page->first, j; i < page->first + page->n; i = j) {
    guint chars = 0;
    for (j = i; j < page->first + page->n && dp_flow_same_region (dp_flow_line (flow, i), dp_flow_line (flow, j)); j++)
      chars += dp_flow_line (flow, j)->astray ? dp_flow_line (flow, j)->n_chars : 0;
    for (guint k = i; k < j; k++) {
      DpFlowLine *line = dp_flow_line (flow, k);
      if (line->astray && line->role == DP_ROLE_BODY && (chars < 200 || j - i < 4)) {
        line->role = DP_ROLE_ASIDE;
        line->starts = k == i || dp_flow_line (flow, k - 1)->role != DP_ROLE_ASIDE;
      }
    }
  }
}

/* The numbers of lines that line_numbers.c found. */
static void
claim_line_numbers (DpFlow *flow, const DpFlowPage *page)
{
  for (guint i = page->first; i < page->first + page->n; i++) {
    DpFlowLine *line = dp_flow_line (flow, i);
    const DpLine *fragment;
    if (line->role != DP_ROLE_BODY || line->n_chars > 4)
      continue;
    fragment = &g_array_index (page->layout->lines, DpLine, g_array_index (flow->frags, guint, line->first_frag));
    if (!fragment->n_words || !g_array_index (page->layout->words, DpWord, fragment->first_word).line_number)
      continue;
    line->role = DP_ROLE_ASIDE;
    line->starts = TRUE;
  }
}

/* A table or picture is worth many rows; a few short lines over the first page are a cover. */
static gboolean
enough_text (const DpFlow *flow, const GPtrArray *rows)
{
  guint n = 0, chars = 0, need = rows->len && ((const Row *) g_ptr_array_index (rows, 0))->page == 0 ? MIN_CHARS : 0;

  for (guint i = 0; i < rows->len && (n < MIN_ROWS || chars < need); i++) {
    const Row *row = g_ptr_array_index (rows, i);
    n += row->object ? MIN_ROWS - 2 : 1;
    for (guint k = 0; k < row->lines->len; k++) {
      const DpFlowLine *line = dp_flow_line (flow, g_array_index (row->lines, guint, k));
      gboolean table = row->object && dp_flow_region (flow, line)->kind == DP_REGION_TABLE;
      chars += table ? MIN_CHARS : line->n_chars;
    }
  }
  return n >= MIN_ROWS && chars >= need;
}

/* A page with little text whose outermost row stands at the very edge, where text never does. */
static gboolean
at_the_edge (const GPtrArray *rows, const GPtrArray *side, float height)
{
  const Row *outermost = side->len ? g_ptr_array_index (side, 0) : NULL;

  return outermost && rows->len >= MIN_EDGE_ROWS && row_depth (outermost, height) < 0.035f;
}

/* The page before has text enough and the same size: where this one ends early, its margins are still known. */
static gboolean
follows_text (const DpFlow *flow, const GPtrArray *all, guint page)
{
  const DpFlowPage *a, *b;

  if (page == 0)
    return FALSE;
  a = &g_array_index (flow->pages, DpFlowPage, page - 1);
  b = &g_array_index (flow->pages, DpFlowPage, page);
  return fabsf (a->width - b->width) < 1 && fabsf (a->height - b->height) < 1 && enough_text (flow, g_ptr_array_index (all, page - 1));
}

/* There is evidence enough to judge this side of a page by. */
static gboolean
is_judged (const DpFlow *flow, const GPtrArray *all, GPtrArray *side, guint page)
{
  const GPtrArray *rows = g_ptr_array_index (all, page);

  if (enough_text (flow, rows) || at_the_edge (rows, side, g_array_index (flow->pages, DpFlowPage, page).height))
    return TRUE;
  if (!follows_text (flow, all, page))
    return FALSE;
  for (guint i = 0; i < side->len; i++)
    ((Row *) g_ptr_array_index (side, i))->lonely = TRUE;
  return TRUE;
}

void
dp_flow_furniture (DpFlow *flow)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref); /* rows per page */
  g_autoptr (GPtrArray) outer = g_ptr_array_new ();
  g_autoptr (GPtrArray) sides = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);

  for (guint p = 0; p < flow->pages->len; p++) {
    const DpFlowPage *page = &g_array_index (flow->pages, DpFlowPage, p);
    GPtrArray *rows;
    guint from = outer->len;
    claim_astray (flow, page);
    claim_line_numbers (flow, page);
    rows = page_rows (flow, p);
    g_ptr_array_add (all, rows);
    for (guint top = 0; top < 2; top++) {
      GPtrArray *side = g_ptr_array_new ();
      outer_rows (flow, rows, top == 1, side);
      for (guint k = 0; k < side->len; k++)
        g_ptr_array_add (outer, g_ptr_array_index (side, k));
      if (!side->len || !is_judged (flow, all, side, p))
        g_ptr_array_unref (side);
      else
        g_ptr_array_add (sides, side);
    }
    measure_trim (outer, from, page->height);
  }
  find_repeated (flow, outer);
  spare_bare_pages (all, outer);
  for (guint i = 0; i < outer->len; i++) {
    Row *row = g_ptr_array_index (outer, i);
    row->repeated = row->furniture;
  }
  for (guint i = 0; i < sides->len; i++)
    judge_side (flow, g_ptr_array_index (sides, i));
  for (guint i = 0; i < outer->len; i++)
    if (((Row *) g_ptr_array_index (outer, i))->furniture)
      claim_row (flow, g_ptr_array_index (outer, i));
}
