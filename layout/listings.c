/* layout/listings.c - program listings with line numbers, before the table finders see them; those that boxes or a grid
 * of characters give away are found by listing_boxes.c.
 *
 * A listing in a box with numbers in its margin is a grid of two columns to every table
 * finder.  Here its rows are told by what they hold: a number that counts up at one right
 * edge, and nothing but fixed-pitch words behind it.  The words become a region of kind CODE,
 * the numbers go.  One row alone needs a number in another colour or size than the code.
 */
#include "layout/listings.h"
#include "layout/tables.h"

#include <math.h>
#include <string.h>

#define NUMBER_GAP 0.4f /* em between the number and the code */
#define MAX_STEP 2.4f   /* em from row to row of one listing */
#define GRID_STEP 3.6f  /* the same where rows stand on a grid of characters: a blank line */
#define SURE_ROWS 3u    /* so many counted rows need no other sign */
#define STRIP 2.0f      /* points of the page's width that are looked at together */
#define FEW_LINES 2u    /* so many lines may run over a gutter: titles */
#define GUTTER 6.0f     /* points, at least */
#define MOST_GUTTERS 8u
#define MOST_BLANKS 40 /* characters from word to word of a row */

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

/* ---- gutters ---------------------------------------------------------------------------------------- */

/* How many lines of the page lie over each strip of its width. */
static GArray *
cover_strips (const DpPageLayout *layout)
{
  GArray *cover = g_array_new (FALSE, TRUE, sizeof (guint));

  g_array_set_size (cover, (guint) (CLAMP (layout->width, 0, 20000) / STRIP) + 2);
  for (guint i = 0; i < layout->lines->len; i++) {
    const DpLine *line = &g_array_index (layout->lines, DpLine, i);
    const float from = MAX (line->box.x0, 0) / STRIP, to = line->box.x1 / STRIP;
    for (guint k = (guint) MIN (from, 1e5f); line->angle == 0 && k < cover->len && (float) k < to; k++)
      g_array_index (cover, guint, k)++;
  }
  return cover;
}

/* Middles (float) of strips that hardly any line crosses, with many lines on either side: rows end there. */
static GArray *
find_gutters (const DpPageLayout *layout)
{
  g_autoptr (GArray) cover = cover_strips (layout);
  const guint few = MAX (FEW_LINES, layout->lines->len / 40), many = MAX (8, layout->lines->len / 6);
  GArray *gutters = g_array_new (FALSE, FALSE, sizeof (float));

  for (guint k = 0, end; k < cover->len && gutters->len < MOST_GUTTERS; k = end) {
    const float x = (float) k * STRIP;
    guint left = 0, right = 0;
    for (end = k; end < cover->len && g_array_index (cover, guint, end) <= few; end++)
      ;
    if ((float) (end - k) * STRIP >= GUTTER) {
      for (guint i = 0; i < layout->lines->len; i++) {
        const DpLine *line = &g_array_index (layout->lines, DpLine, i);
        left += line->box.x1 <= x + STRIP ? 1 : 0;
        right += line->box.x0 >= (float) (end - 1) * STRIP ? 1 : 0;
      }
      if (left >= many && right >= many) {
        const float middle = x + 0.5f * STRIP * (float) (end - k);
        g_array_append_val (gutters, middle);
      }
    }
    end = MAX (end, k + 1);
  }
  return gutters;
}

static guint
column_of (const GArray *gutters, const DpWord *word)
{
  guint n = 0;

  while (n < gutters->len && g_array_index (gutters, float, n) < dp_rect_cx (word->box))
    n++;
  return n;
}

/* ---- rows ------------------------------------------------------------------------------------------- */

typedef struct {
  const DpPageLayout *layout;
  const GArray *gutters;
} RowOrder;

static gint
compare_words (gconstpointer a, gconstpointer b, gpointer data)
{
  const RowOrder *order = data;
  const DpWord *x = word_at (order->layout, *(const guint *) a), *y = word_at (order->layout, *(const guint *) b);
  const guint left = column_of (order->gutters, x), right = column_of (order->gutters, y);

  if (left != right)
    return left < right ? -1 : 1;
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

static gboolean
same_row (const RowOrder *order, const DpWord *head, const DpWord *word)
{
  return word->baseline - head->baseline <= 0.3f * MAX (head->size, 1)
         && column_of (order->gutters, word) == column_of (order->gutters, head);
}

static Rows
collect_rows (DpPageLayout *layout)
{
  Rows rows = { g_array_new (FALSE, FALSE, sizeof (guint)), g_array_new (FALSE, FALSE, sizeof (Row)) };
  g_autoptr (GArray) gutters = find_gutters (layout);
  RowOrder order = { layout, gutters };

  for (guint i = 0; i < layout->words->len; i++) {
    const DpWord *word = word_at (layout, i);
    if (!word->hidden && word->angle == 0 && !word->taken)
      g_array_append_val (rows.words, i);
  }
  g_array_sort_with_data (rows.words, compare_words, &order);
  for (guint i = 0, j; i < rows.words->len; i = j) {
    const DpWord *head = word_at (layout, g_array_index (rows.words, guint, i));
    Row row = { .first = i, .baseline = head->baseline, .size = head->size };
    for (j = i + 1; j < rows.words->len; j++)
      if (!same_row (&order, head, word_at (layout, g_array_index (rows.words, guint, j))))
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
    if (!row->mono || row->baseline - last->baseline > MAX_STEP * em || row->baseline < last->baseline)
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

static void
claim (const Rows *rows, guint first, guint end, DpListings *found)
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
        g_array_index (found->owner, guint, word) = found->n + 1;
      }
    }
  }
  found->n++;
}

void
dp_listings_init (DpListings *found, const DpPageLayout *layout)
{
  *found = (DpListings){ g_array_new (FALSE, FALSE, sizeof (guint)), g_array_new (FALSE, FALSE, sizeof (guint)),
                         g_array_new (FALSE, TRUE, sizeof (guint)), 0 };
  g_array_set_size (found->owner, layout->words->len);
}

static gint
compare_guint (gconstpointer a, gconstpointer b)
{
  const guint x = *(const guint *) a, y = *(const guint *) b;

  return (x > y) - (x < y);
}

static void
add_regions (const DpListings *found, DpPageLayout *layout)
{
  const guint first = layout->regions->len;

  g_array_sort (found->numbers, compare_guint);
  g_array_sort (found->code, compare_guint);
  dp_layout_take_words (layout, found->numbers, -1);
  dp_layout_take_words (layout, found->code, -1);
  for (guint k = 0; k < found->n; k++)
    dp_page_layout_add_region (layout, DP_REGION_CODE, (DpRect){ 0 });
  for (guint i = 0; i < layout->lines->len; i++) {
    DpLine *line = &g_array_index (layout->lines, DpLine, i);
    const guint owner = line->n_words ? g_array_index (found->owner, guint, line->first_word) : 0;
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
dp_listings_finish (DpListings *found, DpPageLayout *layout)
{
  if (found->n)
    add_regions (found, layout);
  g_array_unref (found->numbers);
  g_array_unref (found->code);
  g_array_unref (found->owner);
}

static void
find_counted (const DpPageLayout *layout, const Rows *rows, DpListings *found)
{
  for (guint i = 0, end; i < rows->rows->len; i = end) {
    const Row *row = &g_array_index (rows->rows, Row, i);
    guint counted = 0;
    gboolean odd = FALSE;
    end = i + 1;
    if (!row->value || !row->mono || row->n < 2)
      continue;
    end = listing_end (layout, rows, i, &counted, &odd);
    if (odd || counted >= SURE_ROWS)
      claim (rows, i, end, found);
  }
}

/* ---- rows on a grid of characters -------------------------------------------------------------- */

gboolean
dp_listing_is_sign (const DpPageLayout *layout, const DpWord *word)
{
  const char *text = layout->text->str + word->text;

  for (guint i = 0; i < word->text_len; i++)
    if (strchr ("{};=<>()$#/\\|_*&", text[i]))
      return TRUE;
  return FALSE;
}

/* Width of a character in the row: of its longest word. */
static float
character_width (const DpPageLayout *layout, const Rows *rows, const Row *row)
{
  const DpWord *longest = NULL;

  for (guint i = 0; i < row->n; i++) {
    const DpWord *word = word_at (layout, g_array_index (rows->words, guint, row->first + i));
    if (!longest || word->n_chars > longest->n_chars)
      longest = word;
  }
  return longest && longest->n_chars >= 3 ? dp_rect_width (longest->box) / (float) longest->n_chars : 0;
}

typedef struct {
  float left, width;    /* the grid: a column's edge, and how wide they are */
  gboolean gaps, signs; /* seen: columns of blanks; signs of program text */
} CharGrid;

/* Every word of the row stands on the grid, with gaps that a row of program text may have. */
static gboolean
row_on_grid (const DpPageLayout *layout, const Rows *rows, const Row *row, CharGrid *grid)
{
  const DpWord *before = NULL;

  if (!row->mono || row->value)
    return FALSE;
  for (guint i = 0; i < row->n; i++) {
    const DpWord *word = word_at (layout, g_array_index (rows->words, guint, row->first + i));
    const float column = (word->box.x0 - grid->left) / grid->width, gap = before ? (word->box.x0 - before->box.x1) / grid->width : 0;
    if (fabsf (column - roundf (column)) > 0.15f || gap > MOST_BLANKS || fabsf (column) > 400
        || fabsf (dp_rect_width (word->box) - grid->width * (float) word->n_chars) > 0.3f * grid->width)
      return FALSE;
    grid->gaps = grid->gaps || gap > 2.5f;
    grid->signs = grid->signs || dp_listing_is_sign (layout, word);
    before = word;
  }
  return TRUE;
}

/* A rule that parts the words of a row makes cells of them. */
static gboolean
rule_inside (const DpPageLayout *layout, const Rows *rows, const Row *row)
{
  const DpWord *head = word_at (layout, g_array_index (rows->words, guint, row->first));
  const DpWord *tail = word_at (layout, g_array_index (rows->words, guint, row->first + row->n - 1));

  for (guint k = dp_rules_from (layout->vrules, head->box.x0); k < layout->vrules->len; k++) {
    const DpRule *rule = &g_array_index (layout->vrules, DpRule, k);
    if (rule->pos > tail->box.x1)
      break;
    if (rule->from < row->baseline && rule->to > row->baseline - 0.5f * row->size)
      return TRUE;
  }
  return FALSE;
}

/* Rows of fixed-pitch words whose blanks are as wide as columns of a table: read across, for they stand on one grid of characters. */
static void
find_on_grid (const DpPageLayout *layout, const Rows *rows, DpListings *found)
{
  for (guint i = 0, end; i < rows->rows->len; i = end) {
    const Row *row = &g_array_index (rows->rows, Row, i), *last = row;
    const DpWord *head = word_at (layout, g_array_index (rows->words, guint, row->first));
    CharGrid grid = { .left = head->box.x0, .width = row->mono ? character_width (layout, rows, row) : 0 };

    end = i + 1;
    if (grid.width <= 0 || g_array_index (found->owner, guint, g_array_index (rows->words, guint, row->first)))
      continue;
    for (end = i; end < rows->rows->len; end++) {
      row = &g_array_index (rows->rows, Row, end);
      if (row->baseline - last->baseline > MAX_STEP * MAX (row->size, 1) || row->baseline < last->baseline
          || fabsf (row->size - last->size) > 0.05f * last->size
          || g_array_index (found->owner, guint, g_array_index (rows->words, guint, row->first)) || !row_on_grid (layout, rows, row, &grid)
          || rule_inside (layout, rows, row))
        break;
      last = row;
    }
    if (end - i >= SURE_ROWS && grid.gaps && grid.signs)
      claim (rows, i, end, found);
    end = MAX (end, i + 1);
  }
}

/* Words of fixed pitch are so common on the page that they say nothing. */
static gboolean
is_typewritten (const DpPageLayout *layout)
{
  gsize mono = 0, all = 0;

  for (guint i = 0; i < layout->words->len; i++) {
    all += word_at (layout, i)->n_chars;
    mono += word_at (layout, i)->style & DP_SPAN_MONO ? word_at (layout, i)->n_chars : 0;
  }
  return mono == 0 || mono * 10 > all * 9;
}

void
dp_layout_listings (DpPageLayout *layout)
{
  Rows rows = collect_rows (layout);
  DpListings found;

  dp_listings_init (&found, layout);
  find_counted (layout, &rows, &found);
  if (!is_typewritten (layout)) {
    dp_listings_in_boxes (&found, layout);
    find_on_grid (layout, &rows, &found);
  }
  dp_listings_finish (&found, layout);
  g_array_unref (rows.words);
  g_array_unref (rows.rows);
}
