/* layout/table_text.c - words inside a table candidate to lines and fragments.
 *
 * Cells are read from words, not from the page's line fragments: a table's columns may
 * stand closer than a page's, and its small print attaches to the line it belongs to.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layout/tables.h"
#include "layout/compare.h"

#define FRAGMENT_GAP 0.6f /* em: a wider gap is no word space, even on a loose line */
#define SIGN_GAP 9.0f     /* from a currency sign to its number */
#define NUMBER_GAP 0.42f  /* the same beside a number: wider than a thousands separator */

static int
by_baseline (gconstpointer a, gconstpointer b)
{
  const DpTableWord *x = a, *y = b;

  if (x->baseline != y->baseline)
    return x->baseline < y->baseline ? -1 : 1;
  return x->box.x0 < y->box.x0 ? -1 : x->box.x0 > y->box.x0;
}

static int
by_left (gconstpointer a, gconstpointer b)
{
  const DpTableWord *x = a, *y = b;

  return x->box.x0 < y->box.x0 ? -1 : x->box.x0 > y->box.x0;
}

static float
median_size (const GArray *words)
{
  g_autoptr (GArray) sizes = g_array_sized_new (FALSE, FALSE, sizeof (float), words->len);

  for (guint i = 0; i < words->len; i++)
    g_array_append_val (sizes, g_array_index (words, DpTableWord, i).size);
  g_array_sort (sizes, dp_compare_floats);
  return words->len ? g_array_index (sizes, float, words->len / 2) : 0;
}

/* A line while it grows: words of raw[] by number. */
typedef struct {
  float baseline, y0, y1, size;
  GArray *words;
} Row;

static void
row_add (Row *row, const DpTableWord *word)
{
  row->y0 = row->words->len ? MIN (row->y0, word->box.y0) : word->box.y0;
  row->y1 = row->words->len ? MAX (row->y1, word->box.y1) : word->box.y1;
  row->size = MAX (row->size, word->size);
  g_array_append_val (row->words, *word);
}

static Row
row_new (const DpTableWord *word)
{
  Row row = { .baseline = word->baseline, .words = g_array_new (FALSE, FALSE, sizeof (DpTableWord)) };

  row_add (&row, word);
  return row;
}

/* Index of the first row whose baseline is >= baseline. */
static guint
row_at (const GArray *rows, float baseline)
{
  guint low = 0, high = rows->len;

  while (low < high) {
    guint mid = (low + high) / 2;
    if (g_array_index (rows, Row, mid).baseline < baseline)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

/* The row a small word (index mark, footnote sign) stands on, or NULL. */
static Row *
host_row (GArray *rows, const DpTableWord *word)
{
  Row *best = NULL;
  float most = 0.4f * dp_rect_height (word->box);

  for (guint i = row_at (rows, word->box.y0 - word->size); i < rows->len; i++) {
    Row *row = &g_array_index (rows, Row, i);
    float overlap = MIN (row->y1, word->box.y1) - MAX (row->y0, word->box.y0);
    if (row->baseline > word->box.y1 + 3 * word->size)
      break;
    if (overlap > most && row->size > 1.15f * word->size) {
      most = overlap;
      best = row;
    }
  }
  return best;
}

static int
row_order (gconstpointer a, gconstpointer b)
{
  const Row *x = a, *y = b;

  return x->baseline < y->baseline ? -1 : x->baseline > y->baseline;
}

/* Words, sorted by baseline, to rows: first those of normal size, then the small ones. */
static GArray *
make_rows (const GArray *sorted, float size)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (Row));
  g_autoptr (GArray) alone = g_array_new (FALSE, FALSE, sizeof (Row));

  for (guint i = 0; i < sorted->len; i++) {
    const DpTableWord *w = &g_array_index (sorted, DpTableWord, i);
    Row *last = rows->len ? &g_array_index (rows, Row, rows->len - 1) : NULL;
    if (w->size < 0.8f * size)
      continue;
    if (last && w->baseline - last->baseline <= MAX (0.33f * MIN (w->size, last->size), 1.5f))
      row_add (last, w);
    else {
      Row row = row_new (w);
      g_array_append_val (rows, row);
    }
  }
  for (guint i = 0; i < sorted->len; i++) {
    const DpTableWord *w = &g_array_index (sorted, DpTableWord, i);
    Row *host = w->size < 0.8f * size ? host_row (rows, w) : NULL, *last = alone->len ? &g_array_index (alone, Row, alone->len - 1) : NULL;
    if (w->size >= 0.8f * size)
      continue;
    if (host)
      g_array_append_val (host->words, *w);
    else if (last && w->baseline - last->baseline <= MAX (0.33f * w->size, 1.5f))
      row_add (last, w);
    else {
      Row row = row_new (w);
      g_array_append_val (alone, row);
    }
  }
  g_array_append_vals (rows, alone->data, alone->len);
  g_array_sort (rows, row_order);
  return rows;
}

/* TRUE if a word belongs to the fragment that ends with the word before it, gap points away.
 * A currency sign may stand at the left side of its column, far from its number. */
static gboolean
goes_on (const DpTableWord *w, float gap, float size, gboolean after_sign)
{
  gboolean numbers = w->number || w[-1].number;

  if (w->leader)
    return TRUE;
  if (w[-1].leader || (w->sign && (w[-1].number || w[-1].blank || w[-1].tail)))
    return FALSE;
  if (after_sign && (w->number || w->blank))
    return gap <= SIGN_GAP * size;
  if (w->tail && (w[-1].number || w[-1].blank))
    return gap <= size;
  return gap <= MAX ((numbers ? NUMBER_GAP : FRAGMENT_GAP) * size, 2.5f);
}

static void
add_line (DpTableText *text, Row *row)
{
  DpTableLine line = { .baseline = row->baseline, .size = row->size, .first = text->fragments->len };
  DpTableFragment fragment = { 0 };

  g_array_sort (row->words, by_left);
  for (guint i = 0; i < row->words->len; i++) {
    const DpTableWord *w = &g_array_index (row->words, DpTableWord, i);
    gboolean after_sign = i && fragment.n == 1 && w[-1].sign;
    line.box = i ? dp_rect_union (line.box, w->box) : w->box;
    if (i && goes_on (w, w->box.x0 - fragment.x1, row->size, after_sign)) {
      if (!w->leader)
        fragment.x1 = MAX (fragment.x1, w->box.x1);
      fragment.n++;
    } else {
      if (i)
        g_array_append_val (text->fragments, fragment);
      fragment = (DpTableFragment){ .x0 = w->box.x0, .x1 = w->box.x1, .first = text->words->len, .n = 1 };
    }
    g_array_append_val (text->words, *w);
  }
  g_array_append_val (text->fragments, fragment);
  line.n = text->fragments->len - line.first;
  g_array_append_val (text->lines, line);
  g_array_unref (row->words);
}

DpTableText *
dp_table_text_new (const GArray *words)
{
  DpTableText *text = g_new0 (DpTableText, 1);
  g_autoptr (GArray) sorted = g_array_sized_new (FALSE, FALSE, sizeof (DpTableWord), words->len);
  g_autoptr (GArray) rows = NULL;

  text->words = g_array_sized_new (FALSE, FALSE, sizeof (DpTableWord), words->len);
  text->fragments = g_array_new (FALSE, FALSE, sizeof (DpTableFragment));
  text->lines = g_array_new (FALSE, FALSE, sizeof (DpTableLine));
  text->size = median_size (words);
  g_array_append_vals (sorted, words->data, words->len);
  g_array_sort (sorted, by_baseline);
  rows = make_rows (sorted, text->size);
  for (guint i = 0; i < rows->len; i++)
    add_line (text, &g_array_index (rows, Row, i));
  return text;
}

void
dp_table_text_free (DpTableText *text)
{
  if (!text)
    return;
  g_array_unref (text->words);
  g_array_unref (text->fragments);
  g_array_unref (text->lines);
  g_free (text);
}

/* ---- what words are ------------------------------------------------------------------------------ */

DpTableWordCount
dp_table_count_words (const DpTableView *view, const DpTableText *text, const DpTableFragment *fragment)
{
  DpTableWordCount count = { 0 };

  for (guint i = fragment->first; i < fragment->first + fragment->n; i++) {
    const DpWord *w = &g_array_index (view->layout->words, DpWord, g_array_index (text->words, DpTableWord, i).index);
    gsize len;
    const char *s = dp_word_text (view->layout, w, &len);
    guint letters = 0, lower = 0, all = 0;
    for (const char *p = s; p < s + len; p = g_utf8_next_char (p)) {
      gunichar c = g_utf8_get_char (p);
      all++;
      letters += g_unichar_isalpha (c) ? 1 : 0;
      lower += g_unichar_islower (c) ? 1 : 0;
    }
    count.n++;
    count.chars += all;
    count.numbers += g_array_index (text->words, DpTableWord, i).number ? 1 : 0;
    count.prose += lower >= 2 && lower == letters && letters + 1 >= all ? 1 : 0;
  }
  return count;
}

gboolean
dp_table_is_number (const DpTableText *text, const DpTableFragment *fragment)
{
  guint amounts = 0;

  for (guint i = fragment->first; i < fragment->first + fragment->n; i++) {
    const DpTableWord *w = &g_array_index (text->words, DpTableWord, i);
    if (!w->number && !w->blank && !w->sign && !w->tail)
      return FALSE;
    amounts += w->number || w->blank ? 1 : 0;
  }
  return amounts > 0;
}

static gboolean
has_prefix (const char *text, const char *const *words)
{
  for (; *words; words++)
    if (g_ascii_strncasecmp (text, *words, strlen (*words)) == 0)
      return TRUE;
  return FALSE;
}

gboolean
dp_table_line_is_caption (const DpTableView *view, const DpTableText *text, const DpTableLine *line, gboolean tables_only)
{
  static const char *const of_tables[] = { "table", "tab.", "tabelle", "tableau", "tabla", "tabela", "tabella", "\xe8\xa1\xa8", NULL };
  static const char *const of_figures[]
      = { "figure", "fig.", "chart", "graph", "map", "exhibit", "abb", "\xe5\x9b\xbe", "\xe5\x9b\xb3", NULL };
  const DpTableFragment *f = &g_array_index (text->fragments, DpTableFragment, line->first);
  g_autoptr (GString) start = g_string_new (NULL);
  const char *p;

  for (guint i = 0; i < f->n && start->len < 40; i++) {
    const DpWord *w = &g_array_index (view->layout->words, DpWord, g_array_index (text->words, DpTableWord, f->first + i).index);
    gsize len;
    const char *s = dp_word_text (view->layout, w, &len);
    g_string_append_len (start, s, (gssize) len);
    g_string_append_c (start, ' ');
  }
  if (!has_prefix (start->str, of_tables) && (tables_only || !has_prefix (start->str, of_figures)))
    return FALSE;
  /* a number, a roman one or a letter with a stop follows: "Table 2", "TABLE IV", "Table A.1" */
  p = strchr (start->str, ' ');
  if (g_ascii_isalpha (start->str[0]))
    p = p ? p + 1 : "";
  else
    p = g_utf8_next_char (start->str);
  while (*p == ' ')
    p++;
  return g_ascii_isdigit (*p) || (g_ascii_isupper (*p) && (g_ascii_isdigit (p[1]) || strchr (".IVX: -", p[1]) != NULL));
}

guint
dp_table_column_grows (const DpTableView *view, const DpTableText *text, guint col)
{
  guint n = 0, grows = 0;
  gint64 last = -1;

  for (guint i = 0; i < text->fragments->len; i++) {
    const DpTableFragment *f = &g_array_index (text->fragments, DpTableFragment, i);
    const DpWord *w = &g_array_index (view->layout->words, DpWord, g_array_index (text->words, DpTableWord, f->first).index);
    gsize len;
    const char *s = dp_word_text (view->layout, w, &len);
    g_autofree char *copy = g_strndup (s, MIN (len, 12));
    char *end;
    gint64 value = g_ascii_strtoll (copy, &end, 10);
    if (f->col != col || f->n != 1 || *end || end == copy)
      continue;
    n++;
    grows += value >= last ? 1 : 0;
    last = value;
  }
  return n >= 3 && grows >= n - 1 ? n : 0;
}
