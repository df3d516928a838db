/* layout/text_columns.c - columns of running text between two rules: a page of a newspaper, no table.
 *
 * Columns of text have one width, their lines are full, follow each other at one distance and
 * hold words rather than figures; the cells of a table do so by chance in one of its columns, not
 * in all of them.
 */
#include <math.h>

#include "layout/tables.h"
#include "layout/compare.h"

#define MAX_COLUMNS 8u
#define MIN_LINES 6u     /* of a column of text */
#define INDENT 2.0f      /* em */
#define SAME_WIDTH 0.06f /* relative */
#define FULL 0.8f        /* of the column's width */
#define SAME_STEP 0.08f  /* relative, of baselines */

typedef struct {
  float x0, width; /* left edge; usual width */
  GArray *lengths; /* float */
  GArray *bases;   /* float: baselines, top to bottom */
  guint words;
} Column;

/* Words rather than figures. */
static gboolean
is_running (const DpPageLayout *layout, const DpLine *line)
{
  guint letters = 0, digits = 0;

  for (guint i = 0; i < line->n_words; i++) {
    gsize n;
    const char *text = dp_word_text (layout, &g_array_index (layout->words, DpWord, line->first_word + i), &n);
    for (gsize k = 0; k < n; k++) {
      letters += g_ascii_isalpha (text[k]) || (guchar) text[k] >= 0x80 ? 1 : 0;
      digits += g_ascii_isdigit (text[k]) ? 1 : 0;
    }
  }
  return line->n_words >= 3 && digits * 4 <= letters;
}

static Column *
column_at (GArray *columns, float x0, float em)
{
  for (guint i = 0; i < columns->len; i++) {
    Column *column = &g_array_index (columns, Column, i);
    float in = x0 - column->x0;
    if (in > -INDENT * em && in < INDENT * em) {
      column->x0 = MIN (column->x0, x0);
      return column;
    }
  }
  if (columns->len >= MAX_COLUMNS)
    return NULL;
  Column column = { .x0 = x0, .lengths = g_array_new (FALSE, FALSE, sizeof (float)), .bases = g_array_new (FALSE, FALSE, sizeof (float)) };
  g_array_append_val (columns, column);
  return &g_array_index (columns, Column, columns->len - 1);
}

static void
column_clear (gpointer data)
{
  Column *column = data;

  g_array_unref (column->lengths);
  g_array_unref (column->bases);
}

static gint
compare_lines (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpPageLayout *layout = data;
  float x = g_array_index (layout->lines, DpLine, *(const guint *) a).baseline;
  float y = g_array_index (layout->lines, DpLine, *(const guint *) b).baseline;

  return (x > y) - (x < y);
}

/* The page's own lines: they know the gutters, which rows of words do not. */
static GArray *
collect_columns (DpPageLayout *layout, DpRect box, guint *words)
{
  GArray *columns = g_array_new (FALSE, TRUE, sizeof (Column));
  g_autoptr (GArray) inside = g_array_new (FALSE, FALSE, sizeof (guint));

  g_array_set_clear_func (columns, column_clear);
  for (guint i = 0; i < layout->lines->len; i++) {
    const DpLine *line = &g_array_index (layout->lines, DpLine, i);
    if (!line->taken && line->angle == 0 && dp_rect_contains_point (box, dp_rect_cx (line->box), dp_rect_cy (line->box)))
      g_array_append_val (inside, i);
  }
  g_array_sort_with_data (inside, compare_lines, layout);
  for (guint i = 0; i < inside->len; i++) {
    const DpLine *line = &g_array_index (layout->lines, DpLine, g_array_index (inside, guint, i));
    Column *column = is_running (layout, line) ? column_at (columns, line->box.x0, line->size) : NULL;
    float width = dp_rect_width (line->box);
    *words += line->n_words;
    if (!column)
      continue;
    column->words += line->n_words;
    g_array_append_val (column->lengths, width);
    g_array_append_val (column->bases, line->baseline);
  }
  return columns;
}

/* The usual width of the column's full lines: a headline over two columns is wider. */
static void
measure_width (Column *column)
{
  g_autoptr (GArray) sorted = g_array_copy (column->lengths);

  g_array_sort (sorted, dp_compare_floats);
  column->width = g_array_index (sorted, float, sorted->len * 3 / 4);
}

/* Half of the lines are full, and most follow at one distance. */
static gboolean
is_block (const Column *column)
{
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (float));
  guint full = 0, even = 0;
  float step;

  if (column->bases->len < MIN_LINES)
    return FALSE;
  for (guint i = 0; i < column->bases->len; i++) {
    full += g_array_index (column->lengths, float, i) >= FULL * column->width
            && g_array_index (column->lengths, float, i) <= 1.1f * column->width;
    step = i ? g_array_index (column->bases, float, i) - g_array_index (column->bases, float, i - 1) : 0;
    if (i)
      g_array_append_val (steps, step);
  }
  g_array_sort (steps, dp_compare_floats);
  step = g_array_index (steps, float, steps->len / 2);
  for (guint i = 0; i < steps->len; i++)
    even += fabsf (g_array_index (steps, float, i) - step) <= SAME_STEP * step ? 1 : 0;
  return full * 2 >= column->lengths->len && even * 4 >= steps->len * 3;
}

gboolean
dp_table_is_text_columns (const DpTableView *view, DpRect box)
{
  guint words = 0, inside = 0, blocks = 0;
  g_autoptr (GArray) columns = view->angle == 0 ? collect_columns (view->layout, box, &words) : g_array_new (FALSE, FALSE, sizeof (Column));
  float narrow = G_MAXFLOAT, wide = 0;

  for (guint i = 0; i < columns->len; i++) {
    Column *column = &g_array_index (columns, Column, i);
    measure_width (column);
    if (!is_block (column))
      continue;
    blocks++;
    inside += column->words;
    narrow = MIN (narrow, column->width);
    wide = MAX (wide, column->width);
  }
  return blocks >= 2 && wide - narrow <= SAME_WIDTH * wide && inside * 10 >= words * 7;
}
