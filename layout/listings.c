/* layout/listings.c - program listings with line numbers, before the table finders see them.
 *
 * A listing in a box with numbers in its margin is a grid of two columns to every table
 * finder.  Here its rows are told by what they hold: a number that counts up at one right
 * edge, and nothing but fixed-pitch words behind it.  The words become a region of kind CODE,
 * the numbers go.  One row alone needs a number in another colour or size than the code.
 */
#include "layout/layout.h"
#include "layout/tables.h"

#include <math.h>

#define NUMBER_GAP 0.4f /* em between the number and the code */
#define MAX_STEP 2.4f   /* em from row to row of one listing */
#define SURE_ROWS 3u    /* so many counted rows need no other sign */

typedef struct {
  guint first, n; /* range in Rows.words */
  float baseline, size;
  float edge;   /* right edge of the number; 0 = no number */
  guint value;  /* of the number */
  gboolean odd; /* the number is set in another colour or size than the code */
  gboolean mono;
} Row;

typedef struct {
  GArray *words; /* guint: indices into the layout's words, by row and from left to right */
  GArray *rows;  /* Row, top to bottom */
} Rows;

static const DpWord *
word_at (const DpPageLayout *layout, guint i)
{
  return &g_array_index (layout->words, DpWord, i);
}

static gint
compare_words (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpWord *x = word_at (data, *(const guint *) a), *y = word_at (data, *(const guint *) b);

  if (x->baseline != y->baseline)
    return x->baseline < y->baseline ? -1 : 1;
  return x->box.x0 < y->box.x0 ? -1 : x->box.x0 > y->box.x0;
}

static gint
compare_left (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpWord *x = word_at (data, *(const guint *) a), *y = word_at (data, *(const guint *) b);

  return x->box.x0 < y->box.x0 ? -1 : x->box.x0 > y->box.x0;
}

/* Value of a word of one to four digits, or 0. */
static guint
number_of (const DpPageLayout *layout, const DpWord *word)
{
  guint value = 0;

  if (word->text_len > 4)
    return 0;
  for (guint i = 0; i < word->text_len; i++) {
    char c = layout->text->str[word->text + i];
    if (!g_ascii_isdigit (c))
      return 0;
    value = value * 10 + (guint) (c - '0');
  }
  return value;
}

static void
read_row (const DpPageLayout *layout, const Rows *rows, Row *row)
{
  const guint *words = &g_array_index (rows->words, guint, row->first);
  const DpWord *head = word_at (layout, words[0]), *next = row->n > 1 ? word_at (layout, words[1]) : NULL;

  row->value = number_of (layout, head);
  if (next && next->box.x0 - head->box.x1 < NUMBER_GAP * next->size)
    row->value = 0;
  row->edge = row->value ? head->box.x1 : 0;
  row->odd = next && row->value && (next->colour != head->colour || head->size < 0.92f * next->size);
  row->mono = TRUE;
  for (guint i = row->value ? 1 : 0; i < row->n; i++)
    row->mono = row->mono && (word_at (layout, words[i])->style & DP_SPAN_MONO);
}

static Rows
collect_rows (DpPageLayout *layout)
{
  Rows rows = { g_array_new (FALSE, FALSE, sizeof (guint)), g_array_new (FALSE, FALSE, sizeof (Row)) };

  for (guint i = 0; i < layout->words->len; i++) {
    const DpWord *word = word_at (layout, i);
    if (!word->hidden && word->angle == 0 && !word->taken)
      g_array_append_val (rows.words, i);
  }
  g_array_sort_with_data (rows.words, compare_words, layout);
  for (guint i = 0, j; i < rows.words->len; i = j) {
    const DpWord *head = word_at (layout, g_array_index (rows.words, guint, i));
    Row row = { .first = i, .baseline = head->baseline, .size = head->size };
    for (j = i + 1; j < rows.words->len; j++)
      if (word_at (layout, g_array_index (rows.words, guint, j))->baseline - head->baseline > 0.3f * MAX (head->size, 1))
        break;
    row.n = j - i;
    g_qsort_with_data (&g_array_index (rows.words, guint, i), (gint) row.n, sizeof (guint), compare_left, layout);
    read_row (layout, &rows, &row);
    g_array_append_val (rows.rows, row);
  }
  return rows;
}

/* Rows [first, end) of one listing that begins at first; *counted of them have numbers. */
static guint
listing_end (const DpPageLayout *layout, const Rows *rows, guint first, guint *counted, gboolean *odd)
{
  const Row *head = &g_array_index (rows->rows, Row, first), *last = head;
  guint end = first + 1, value = head->value;

  *counted = 1;
  *odd = head->odd;
  for (; end < rows->rows->len; end++) {
    const Row *row = &g_array_index (rows->rows, Row, end);
    float em = MAX (row->size, 1);
    if (!row->mono || row->baseline - last->baseline > MAX_STEP * em)
      break;
    if (row->value && fabsf (row->edge - head->edge) < 0.5f * em) {
      if (row->value != value + 1)
        break;
      value = row->value;
      (*counted)++;
      *odd = *odd || row->odd;
    } else if (word_at (layout, g_array_index (rows->words, guint, row->first))->box.x0 < head->edge)
      break; /* a row without a number goes on with the one before */
    last = row;
  }
  return end;
}

typedef struct {
  GArray *numbers, *code; /* guint: words */
  GArray *owner;          /* guint per word of the page: 1 + listing, 0 = none */
} Found;

static void
claim (const Rows *rows, guint first, guint end, guint listing, Found *found)
{
  float edge = g_array_index (rows->rows, Row, first).edge;

  for (guint r = first; r < end; r++) {
    const Row *row = &g_array_index (rows->rows, Row, r);
    gboolean number = row->value && fabsf (row->edge - edge) < 0.5f * MAX (row->size, 1);
    for (guint i = 0; i < row->n; i++) {
      guint word = g_array_index (rows->words, guint, row->first + i);
      if (i == 0 && number)
        g_array_append_val (found->numbers, word);
      else {
        g_array_append_val (found->code, word);
        g_array_index (found->owner, guint, word) = listing + 1;
      }
    }
  }
}

/* Regions for the listings, with the lines that their words make. */
static void
add_regions (DpPageLayout *layout, guint n, const Found *found)
{
  guint first = layout->regions->len;

  dp_layout_take_words (layout, found->numbers, -1);
  dp_layout_take_words (layout, found->code, -1);
  for (guint k = 0; k < n; k++)
    dp_page_layout_add_region (layout, DP_REGION_CODE, (DpRect){ 0 });
  for (guint i = 0; i < layout->lines->len; i++) {
    DpLine *line = &g_array_index (layout->lines, DpLine, i);
    guint owner = line->n_words ? g_array_index (found->owner, guint, line->first_word) : 0;
    DpRegion *region;
    if (owner == 0)
      continue;
    region = &g_array_index (layout->regions, DpRegion, first + owner - 1);
    region->box = region->lines->len ? dp_rect_union (region->box, line->box) : line->box;
    line->region = (gint) (first + owner - 1);
    g_array_append_val (region->lines, i);
  }
}

void
dp_layout_listings (DpPageLayout *layout)
{
  Rows rows = collect_rows (layout);
  Found found = { g_array_new (FALSE, FALSE, sizeof (guint)), g_array_new (FALSE, FALSE, sizeof (guint)),
                  g_array_new (FALSE, TRUE, sizeof (guint)) };
  guint n = 0;

  g_array_set_size (found.owner, layout->words->len);
  for (guint i = 0, end; i < rows.rows->len; i = end) {
    const Row *row = &g_array_index (rows.rows, Row, i);
    guint counted = 0;
    gboolean odd = FALSE;
    end = i + 1;
    if (!row->value || !row->mono || row->n < 2)
      continue;
    end = listing_end (layout, &rows, i, &counted, &odd);
    if (odd || counted >= SURE_ROWS)
      claim (&rows, i, end, n++, &found);
  }
  if (n)
    add_regions (layout, n, &found);
  g_array_unref (rows.words);
  g_array_unref (rows.rows);
  g_array_unref (found.numbers);
  g_array_unref (found.code);
  g_array_unref (found.owner);
}
