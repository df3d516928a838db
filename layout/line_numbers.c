/* layout/line_numbers.c - numbers of lines in the margin of court papers, drafts and school books.
 *
 * They stand outside of all other text at one edge, grow by equal steps down the page, and have
 * running text beside them: a first column of numbers in a table has cells.  The words are marked,
 * so that no line of text takes them in for its label; furniture.c puts them aside.
 */
#include "layout/line_numbers.h"

#include <math.h>
#include <string.h>

#define EDGE 2.0f     /* points: one edge of the column of numbers */
#define MIN_NUMBERS 5 /* with a step of five and the like; every line numbered: twice as many */
#define GAP 1.6f      /* em between words of running text */
#define TEXT_WIDTH 12 /* em: lines of running text are wider */

typedef struct {
  guint word;
  guint value;
  float y, x0, x1;
} Number;

static gboolean
read_number (const DpPageLayout *layout, guint index, Number *number)
{
  const DpWord *word = &g_array_index (layout->words, DpWord, index);
  gsize n;
  const char *text = dp_word_text (layout, word, &n);

  if (n == 0 || n > 4 || word->hidden || word->angle != 0)
    return FALSE;
  *number = (Number){ .word = index, .y = word->baseline, .x0 = word->box.x0, .x1 = word->box.x1 };
  for (gsize i = 0; i < n; i++) {
    if (!g_ascii_isdigit (text[i]))
      return FALSE;
    number->value = number->value * 10 + (guint) (text[i] - '0');
  }
  return number->value > 0;
}

static gint
compare_numbers (gconstpointer a, gconstpointer b)
{
  const Number *x = a, *y = b;

  return x->y < y->y ? -1 : x->y > y->y;
}

static gint
compare_words (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpPageLayout *layout = data;
  const DpWord *x = &g_array_index (layout->words, DpWord, *(const guint *) a),
               *y = &g_array_index (layout->words, DpWord, *(const guint *) b);

  if (x->baseline != y->baseline)
    return x->baseline < y->baseline ? -1 : 1;
  return x->box.x0 < y->box.x0 ? -1 : x->box.x0 > y->box.x0;
}

typedef struct {
  DpPageLayout *layout;
  GArray *order; /* guint: level words by baseline */
} Page;

static const DpWord *
word_at (const Page *page, guint k)
{
  return &g_array_index (page->layout->words, DpWord, g_array_index (page->order, guint, k));
}

/* The text on the number's baseline is one run of words without the gaps of cells. */
static gboolean
beside_text (const Page *page, const Number *number)
{
  float em = g_array_index (page->layout->words, DpWord, number->word).size, from = G_MAXFLOAT, to = -G_MAXFLOAT, used = 0;
  guint lo = 0, hi = page->order->len, n = 0;

  while (lo < hi) {
    guint mid = lo + (hi - lo) / 2;
    if (word_at (page, mid)->baseline < number->y - 0.45f * em)
      lo = mid + 1;
    else
      hi = mid;
  }
  for (; lo < page->order->len && word_at (page, lo)->baseline <= number->y + 0.45f * em; lo++) {
    const DpWord *word = word_at (page, lo);
    if (g_array_index (page->order, guint, lo) == number->word)
      continue;
    from = MIN (from, word->box.x0);
    to = MAX (to, word->box.x1);
    used += dp_rect_width (word->box) + 0.3f * word->size;
    n++;
  }
  /* Words with their blanks fill the line; cells leave half of it white. */
  return n == 0 || (n >= 2 && to - from > TEXT_WIDTH * em && used > (1 - 0.1f * GAP) * (to - from))
         || (to - from <= TEXT_WIDTH * em && n >= 2);
}

/* Share of the other words that reach into the column of numbers or stand beyond it. */
static gboolean
outside_text (const Page *page, float x0, float x1, gboolean left, guint n_numbers)
{
  guint beyond = 0;

  for (guint i = 0; i < page->order->len; i++) {
    const DpWord *word = word_at (page, i);
    beyond += left ? word->box.x0 <= x1 : word->box.x1 >= x0;
  }
  return beyond <= n_numbers + page->order->len / 50;
}

/* Numbers of one edge, by height: do they grow by equal steps? */
static gboolean
is_counted (const Page *page, const GArray *numbers)
{
  guint regular = 0, text = 0, step = 0;

  if (numbers->len < MIN_NUMBERS)
    return FALSE;
  for (guint i = 0; i < numbers->len; i++) {
    const Number *number = &g_array_index (numbers, Number, i);
    text += beside_text (page, number);
    if (i == 0)
      continue;
    if (number->value > number[-1].value && (step == 0 || number->value - number[-1].value == step)) {
      step = number->value - number[-1].value;
      regular++;
    }
  }
  return regular * 10 >= (numbers->len - 1) * 8 && text * 10 >= numbers->len * 7 && (step > 1 || numbers->len >= 2 * MIN_NUMBERS);
}

/* The outermost column of numbers on one side. */
static void
mark_side (Page *page, const GArray *all, gboolean left)
{
  float edge = left ? G_MAXFLOAT : -G_MAXFLOAT, x0 = G_MAXFLOAT, x1 = -G_MAXFLOAT;
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (Number));

  /* Right-aligned or left-aligned: at least one edge agrees. */
  for (guint i = 0; i < all->len; i++) {
    const Number *n = &g_array_index (all, Number, i);
    edge = left ? MIN (edge, n->x1) : MAX (edge, n->x0);
  }
  for (guint i = 0; i < all->len; i++) {
    const Number *n = &g_array_index (all, Number, i);
    float width = n->x1 - n->x0;
    if (left ? n->x1 > edge + EDGE + 3 * width : n->x0 < edge - EDGE - 3 * width)
      continue;
    g_array_append_val (numbers, *n);
    x0 = MIN (x0, n->x0);
    x1 = MAX (x1, n->x1);
  }
  if (!is_counted (page, numbers) || !outside_text (page, x0, x1, left, numbers->len))
    return;
  for (guint i = 0; i < numbers->len; i++)
    g_array_index (page->layout->words, DpWord, g_array_index (numbers, Number, i).word).aside = TRUE;
}

void
dp_layout_line_numbers (DpPageLayout *layout)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (Number));
  Page page = { layout, NULL };
  Number number;

  for (guint i = 0; i < layout->words->len; i++)
    if (read_number (layout, i, &number))
      g_array_append_val (numbers, number);
  if (numbers->len < MIN_NUMBERS)
    return;
  page.order = g_array_sized_new (FALSE, FALSE, sizeof (guint), layout->words->len);
  for (guint i = 0; i < layout->words->len; i++)
    if (g_array_index (layout->words, DpWord, i).angle == 0 && !g_array_index (layout->words, DpWord, i).hidden)
      g_array_append_val (page.order, i);
  g_array_sort_with_data (page.order, compare_words, layout);
  g_array_sort (numbers, compare_numbers);
  mark_side (&page, numbers, TRUE);
  mark_side (&page, numbers, FALSE);
  g_array_unref (page.order);
}
