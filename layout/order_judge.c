/* layout/order_judge.c - columns, bands or rows?
 *
 * A white gutter does not say how to read.  Prose on both sides is read column by column;
 * a narrow column whose pieces begin level with the pieces beside them (side headings,
 * questions and answers, cards) band by band; short pieces that share their baselines
 * (forms, contents, loose tables) row by row.
 */
#include "layout/frame.h"
#include "layout/labels.h"
#include "layout/order.h"

#include <math.h>
#include <stdlib.h>

#define PROSE_WIDTH 11.0f /* em: mean width of lines that are running text */
#define PROSE_FILL 0.66f  /* mean over widest line: labels are ragged, prose is not */
#define LAYER_LINES 4u    /* lines of a column from which the order of the text layer tells */
#define ALIGNED 0.7f      /* share of lines with a partner on their baseline: rows */

typedef struct {
  guint lines;   /* text lines */
  float width;   /* sum of their widths, em */
  float widest;  /* of the widest, em */
  guint tall;    /* regions of three lines and more, tables, figures */
  guint aligned; /* lines with a partner in another column */
  guint points;  /* lines that begin with a bullet */
} ColumnFacts;

typedef struct {
  float base;
  guint column;
  float em;
} Baseline;

static gint
compare_baselines (gconstpointer a, gconstpointer b)
{
  const Baseline *x = a, *y = b;

  if (x->base != y->base)
    return x->base < y->base ? -1 : 1;
  return (x->column > y->column) - (x->column < y->column);
}

static GArray *
collect_baselines (const DpOrder *order, const guint *items, guint n)
{
  GArray *bases = g_array_new (FALSE, FALSE, sizeof (Baseline));

  for (guint i = 0; i < n; i++) {
    const DpOrderItem *item = dp_order_item (order, items[i]);
    const DpRegion *region = &g_array_index (order->layout->regions, DpRegion, item->region);

    for (guint k = 0; item->is_text && k < region->lines->len; k++) {
      const DpLine *line = &g_array_index (order->layout->lines, DpLine, g_array_index (region->lines, guint, k));
      Baseline b = { dp_frame_base (line->baseline, order->angle), item->column, line->size };

      g_array_append_val (bases, b);
    }
  }
  g_array_sort (bases, compare_baselines);
  return bases;
}

/* Counts per column the lines that have a line of another column on their baseline. */
static void
count_aligned (const GArray *bases, ColumnFacts *facts)
{
  for (guint i = 0; i < bases->len; i++) {
    const Baseline *me = &g_array_index (bases, Baseline, i);
    gboolean found = FALSE;

    for (gint step = -1; step <= 1 && !found; step += 2)
      for (guint k = 1; k <= 12 && !found; k++) {
        guint j = step < 0 ? i - k : i + k;
        const Baseline *other;

        if (j >= bases->len)
          break;
        other = &g_array_index (bases, Baseline, j);
        if (fabsf (other->base - me->base) > 0.25f * me->em)
          break;
        found = other->column != me->column;
      }
    facts[me->column].aligned += found;
  }
}

/* Share of the bands with pieces on several sides where the first baselines agree. */
static float
level_bands (const DpOrder *order, const guint *items, guint n, guint n_columns, guint n_bands, guint *n_shared)
{
  g_autofree float *first = g_new (float, n_columns);
  guint level = 0;

  *n_shared = 0;
  for (guint i = 0; i < n;) {
    guint band = dp_order_item (order, items[i])->band, seen = 0;
    float lo = G_MAXFLOAT, hi = -G_MAXFLOAT;

    for (guint c = 0; c < n_columns; c++)
      first[c] = G_MAXFLOAT;
    for (; i < n && dp_order_item (order, items[i])->band == band; i++) {
      const DpOrderItem *item = dp_order_item (order, items[i]);

      first[item->column] = MIN (first[item->column], item->first_base);
    }
    for (guint c = 0; c < n_columns; c++)
      if (first[c] < G_MAXFLOAT) {
        lo = MIN (lo, first[c]);
        hi = MAX (hi, first[c]);
        seen++;
      }
    if (seen < 2)
      continue;
    (*n_shared)++;
    level += hi - lo < 0.6f * order->em;
  }
  (void) n_bands;
  return *n_shared ? (float) level / (float) *n_shared : 0;
}

/* Does the text layer itself finish a band before it goes on?  A second opinion only. */
static gboolean
layer_reads_bands (const DpOrder *order, const guint *items, guint n)
{
  guint32 before = 0, so_far = 0;

  for (guint i = 0; i < n; i++) {
    const DpOrderItem *item = dp_order_item (order, items[i]);

    if (i && item->band != dp_order_item (order, items[i - 1])->band)
      before = so_far;
    if (item->layer == G_MAXUINT32)
      continue;
    if (item->layer < before)
      return FALSE;
    so_far = MAX (so_far, item->layer);
  }
  return TRUE;
}

/* Does the text layer finish every column, of some lines each, before it begins the next?  Lists and
 * indexes in columns are written so; forms and tables row by row. */
static gboolean
layer_reads_columns (const DpOrder *order, const guint *items, guint n, guint n_columns, const ColumnFacts *facts)
{
  g_autofree guint32 *first = g_new (guint32, n_columns), *last = g_new0 (guint32, n_columns);

  for (guint c = 0; c < n_columns; c++) {
    first[c] = G_MAXUINT32;
    if (facts[c].lines < LAYER_LINES)
      return FALSE;
  }
  for (guint i = 0; i < n; i++) {
    const DpOrderItem *item = dp_order_item (order, items[i]);
    if (item->layer == G_MAXUINT32)
      continue;
    first[item->column] = MIN (first[item->column], item->layer);
    last[item->column] = MAX (last[item->column], item->last_layer);
  }
  for (guint c = 1; c < n_columns; c++)
    if (first[c] == G_MAXUINT32 || first[c] <= last[c - 1])
      return FALSE;
  return TRUE;
}

/* Running text: lines that are wide and mostly full. */
static gboolean
is_prose (const ColumnFacts *column)
{
  float lines = (float) column->lines;

  return column->tall && (!column->lines || (column->width >= PROSE_WIDTH * lines && column->width >= PROSE_FILL * column->widest * lines));
}

/* In all columns but the longest most lines have a partner on their baseline. */
static gboolean
shares_rows (const ColumnFacts *facts, guint n_columns)
{
  guint longest = 0, others = 0;

  for (guint c = 1; c < n_columns; c++)
    if (facts[c].lines > facts[longest].lines)
      longest = c;
  for (guint c = 0; c < n_columns; c++) {
    if (c == longest)
      continue;
    if ((float) facts[c].aligned < ALIGNED * (float) facts[c].lines)
      return FALSE;
    others += facts[c].lines;
  }
  return others >= 2;
}

/* Column that all pieces of the band stand in which ends before item `end`, n_columns if there are several; *begin: its first item. */
static guint
column_of_band (const DpOrder *order, const guint *items, guint end, guint n_columns, guint *begin)
{
  const DpOrderItem *last = dp_order_item (order, items[end - 1]);
  guint column = last->column;

  for (*begin = end; *begin > 0; (*begin)--) {
    const DpOrderItem *item = dp_order_item (order, items[*begin - 1]);
    if (item->band != last->band)
      break;
    column = item->column == column ? column : n_columns;
  }
  return column;
}

/* Below the last pieces that stand side by side there are pieces of several columns, one under the other, as the date and the
 * opening of a letter: columns of unequal length leave pieces of one. */
static gboolean
takes_turns_below (const DpOrder *order, const guint *items, guint n, guint n_columns)
{
  guint before = n_columns;

  for (guint end = n, begin; end > 0; end = begin) {
    guint column = column_of_band (order, items, end, n_columns, &begin);
    if (column == n_columns)
      return FALSE;
    if (before < n_columns && column != before)
      return TRUE;
    before = column;
  }
  return FALSE;
}

static guint
count_points (const DpOrder *order, const DpOrderItem *item)
{
  const DpRegion *region = &g_array_index (order->layout->regions, DpRegion, item->region);
  guint n = 0;

  for (guint k = 0; item->is_text && k < region->lines->len; k++) {
    g_autoptr (GString) text = g_string_new (NULL);
    dp_line_text (order->layout, &g_array_index (order->layout->lines, DpLine, g_array_index (region->lines, guint, k)), text);
    n += dp_label_is_point (text->str) ? 1 : 0;
  }
  return n;
}

/* A list in every column, however few and short its points: what slides have side by side. */
static gboolean
are_lists (const ColumnFacts *facts, guint n_columns)
{
  for (guint c = 0; c < n_columns; c++)
    if (facts[c].points < 2)
      return FALSE;
  return TRUE;
}

DpReading
dp_order_judge (const DpOrder *order, const guint *items, guint n, guint n_columns, guint n_bands, float band_gap)
{
  g_autofree ColumnFacts *facts = g_new0 (ColumnFacts, n_columns);
  g_autoptr (GArray) bases = collect_baselines (order, items, n);
  guint solid = 0, shared;
  gboolean all_text = TRUE;
  float level = level_bands (order, items, n, n_columns, n_bands, &shared);

  for (guint i = 0; i < n; i++) {
    const DpOrderItem *item = dp_order_item (order, items[i]);
    ColumnFacts *column = &facts[item->column];

    column->lines += item->n_lines;
    column->width += item->mean_width * (float) item->n_lines;
    column->widest = MAX (column->widest, item->max_width);
    column->points += count_points (order, item);
    column->tall += !item->is_text || item->n_lines >= 3;
    all_text = all_text && item->is_text;
  }
  count_aligned (bases, facts);
  for (guint c = 0; c < n_columns; c++)
    solid += is_prose (&facts[c]);
  if (solid >= 2) {
    gboolean apart = band_gap > 2.2f * order->pitch || (shared >= 3 && band_gap > 1.2f * order->pitch);

    return shared >= 2 && level >= 0.99f && apart && layer_reads_bands (order, items, n) ? DP_READ_BANDS : DP_READ_COLUMNS;
  }
  if (solid == 1)
    return shared >= 2 && level >= 0.7f ? DP_READ_BANDS : DP_READ_COLUMNS;
  if (all_text && shares_rows (facts, n_columns))
    return are_lists (facts, n_columns) || layer_reads_columns (order, items, n, n_columns, facts) ? DP_READ_COLUMNS : DP_READ_ROWS;
  if (shared >= 1 && takes_turns_below (order, items, n, n_columns))
    return DP_READ_BANDS;
  return shared >= 2 && level >= 0.7f ? DP_READ_BANDS : DP_READ_COLUMNS;
}
