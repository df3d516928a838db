/* layout/charts.c - where charts stand, told by the scales of their axes.
 *
 * Numbers and names along the axes of a chart stand in rows and columns, as those of a table do, and its grid lines part
 * them.  What no table has is a scale: numbers at even distances whose values rise by equal steps, with a grid line or a
 * tick at the middle of each, or curves and bars beside them (the rules of a table run between its rows).  Words, rules
 * and fills of a chart take no part in the search for tables; figures.c finds its drawing.
 */
#include <math.h>
#include <string.h>

#include "layout/layout.h"

#define MIN_MARKS 4u    /* numbers of a scale */
#define MAX_MARKS 4000u /* numbers of a page that are looked at */
#define MAX_SCALES 48u
#define ON_MARK 0.25f /* em: a grid line or tick runs so near the middle of its number */
#define NEAR 3.0f     /* em: and begins so near to it */
#define WITHIN 20.0f  /* em: curves and bars begin so near to it */
#define BELOW 4.0f    /* em from the head of a column to its first number */
#define LABELS 2.5f   /* em below the plot: names along the other axis */
#define FRAME 5.0f    /* times the plot's area: a frame larger than that is one of the page */

/* ---- numbers ---------------------------------------------------------------------------------- */

typedef struct {
  DpRect box;
  float middle, size; /* height of the middle of its digits */
  float key, at;      /* what numbers of one scale share; where they stand along it */
  double value;
} Mark;

/* Reads "1,500", "0,2", "-3.5", "40%"; FALSE if the word is anything else. */
static gboolean
read_number (const char *s, gsize len, double *value)
{
  char digits[24];
  gsize n = 0;
  gboolean any = FALSE;

  if (len >= sizeof digits)
    return FALSE;
  for (gsize i = 0; i < len; i++) {
    if (g_ascii_isdigit (s[i]) || s[i] == '.' || (s[i] == '-' && n == 0))
      digits[n++] = s[i];
    else if (i + 3 <= len && n == 0 && (memcmp (s + i, "\xe2\x88\x92", 3) == 0 || memcmp (s + i, "\xe2\x80\x93", 3) == 0)) {
      digits[n++] = '-'; /* minus sign, dash */
      i += 2;
    } else if (s[i] == ',') {
      if (i + 4 != len || !any) /* not of thousands */
        digits[n++] = '.';
    } else if (!((s[i] == '%' && i + 1 == len) || (s[i] == '$' && i == 0)))
      return FALSE;
    any = any || g_ascii_isdigit (s[i]);
  }
  digits[n] = '\0';
  *value = g_ascii_strtod (digits, NULL);
  return any && isfinite (*value);
}

static GArray *
collect_marks (const DpPageLayout *layout)
{
  GArray *marks = g_array_new (FALSE, FALSE, sizeof (Mark));

  for (guint i = 0; i < layout->words->len && marks->len < MAX_MARKS; i++) {
    const DpWord *word = &g_array_index (layout->words, DpWord, i);
    Mark mark = { .box = word->box, .middle = word->baseline - 0.35f * word->size, .size = word->size };
    gsize len;
    const char *text = dp_word_text (layout, word, &len);
    if (!word->hidden && !word->taken && word->angle == 0 && isfinite (word->box.x0) && isfinite (word->box.x1) && isfinite (word->baseline)
        && word->size > 0 && read_number (text, len, &mark.value))
      g_array_append_val (marks, mark);
  }
  return marks;
}

/* ---- scales ------------------------------------------------------------------------------------- */

typedef struct {
  gboolean upright; /* numbers one above the other, the plot to their right; else side by side, the plot above */
  DpRect box;       /* of the numbers */
  float first, last, step, size;
  const Mark *marks;
  guint n;
  const GArray *all; /* Mark: the numbers of the page */
} Scale;

/* What is painted, seen from the scale: a along it, o away from the numbers into the plot. */
typedef struct {
  float a0, a1, o0, o1;
} Seen;

static Seen
see (const Scale *scale, DpRect box)
{
  if (scale->upright)
    return (Seen){ box.y0, box.y1, box.x0 - scale->box.x1, box.x1 - scale->box.x1 };
  return (Seen){ box.x0, box.x1, scale->box.y0 - box.y1, scale->box.y0 - box.y0 };
}

/* Which number a place along the scale is nearest to. */
static float
number_at (const Scale *scale, float a)
{
  return roundf ((a - scale->first) / scale->step);
}

/* TRUE if the stroke is a grid line or a tick of one of the numbers. */
static gboolean
marks_number (const Scale *scale, const Seen *stroke)
{
  const float a = 0.5f * (stroke->a0 + stroke->a1), nearest = scale->first + scale->step * number_at (scale, a);

  return a > scale->first - scale->step / 2 && a < scale->last + scale->step / 2 && fabsf (a - nearest) <= ON_MARK * scale->size
         && stroke->o0 >= -1 && stroke->o0 <= NEAR * scale->size;
}

/* TRUE for a curve that runs from the height of one number to that of another: signs and logos in the rows of a table stay there. */
static gboolean
is_curve (const Scale *scale, const Seen *seen)
{
  return seen->a1 - seen->a0 > 0.2f * scale->step && number_at (scale, seen->a0) != number_at (scale, seen->a1);
}

/* TRUE if most numbers of a scale from left to right have others right below them: years over the columns of a table, whatever is
 * drawn above it. */
static gboolean
heads_columns (const Scale *scale)
{
  guint below = 0;

  for (guint i = 0; !scale->upright && i < scale->n; i++) {
    const Mark *head = &scale->marks[i];
    gboolean found = FALSE;
    for (guint k = 0; !found && k < scale->all->len; k++) {
      const Mark *mark = &g_array_index (scale->all, Mark, k);
      found = mark->middle > head->middle + 0.7f * head->size && mark->middle < head->middle + BELOW * head->size
              && mark->box.x0 < head->box.x1 + head->size && mark->box.x1 > head->box.x0 - head->size;
    }
    below += found ? 1 : 0;
  }
  return below * 2 > scale->n;
}

/* TRUE if a box lies beside the numbers, and not far above or below them. */
static gboolean
is_beside (const Scale *scale, const Seen *seen)
{
  return seen->a0 >= scale->first - 1.1f * scale->step && seen->a1 <= scale->last + 1.1f * scale->step && seen->o0 >= -1;
}

typedef struct {
  guint strokes, curves, bars;
  float base, end; /* of the first bar */
  float reach;     /* how far strokes that mark numbers go */
} Ink;

/* Bars run along the scale: they begin where the first one does, at its small end, and differ in length. */
static void
add_bar (const Scale *scale, const Seen *seen, Ink *ink, gboolean first)
{
  const float base = scale->upright ? seen->a1 : seen->a0, end = scale->upright ? seen->a0 : seen->a1;

  if (first) {
    ink->base = base;
    ink->end = end;
  }
  ink->bars += fabsf (base - ink->base) < 1 && fabsf (end - ink->end) > 2 ? 1 : 0;
}

static Ink
look_beside (const Scale *scale, const DpPage *page)
{
  const DpPathKind across = scale->upright ? DP_PATH_HLINE : DP_PATH_VLINE;
  Ink ink = { .reach = 0 };
  guint n_fills = 0;

  for (gsize i = 0; i < page->n_paths; i++) {
    const DpPath *path = &page->paths[i];
    const Seen seen = see (scale, path->box);
    if (path->kind == across && marks_number (scale, &seen)) {
      ink.strokes++;
      ink.reach = MAX (ink.reach, seen.o1);
    } else if (!is_beside (scale, &seen) || seen.o0 > WITHIN * scale->size)
      continue;
    else if (path->kind == DP_PATH_CURVE || path->kind == DP_PATH_SLANTED)
      ink.curves += is_curve (scale, &seen) ? 1 : 0;
    else if (path->kind == DP_PATH_FILL)
      add_bar (scale, &seen, &ink, n_fills++ == 0);
  }
  return ink;
}

/* ---- what belongs to the chart --------------------------------------------------------------------- */

static gint
by_distance (gconstpointer a, gconstpointer b)
{
  const Seen *x = a, *y = b;

  return (x->o0 > y->o0) - (x->o0 < y->o0);
}

/* How far the drawing goes on without a gap. */
static float
reach_of (const Scale *scale, const DpPage *page, float reach)
{
  g_autoptr (GArray) beside = g_array_new (FALSE, FALSE, sizeof (Seen));

  for (gsize i = 0; i < page->n_paths; i++) {
    const Seen seen = see (scale, page->paths[i].box);
    if (is_beside (scale, &seen))
      g_array_append_val (beside, seen);
  }
  g_array_sort (beside, by_distance);
  for (guint i = 0; i < beside->len; i++) {
    const Seen *seen = &g_array_index (beside, Seen, i);
    if (seen->o0 > reach + NEAR * scale->size)
      break;
    reach = MAX (reach, seen->o1);
  }
  return reach;
}

/* The smallest frame or ground around the plot that is not one of the page. */
static DpRect
with_frame (const DpPage *page, DpRect plot)
{
  DpRect best = plot;
  float area = FRAME * dp_rect_area (plot);

  for (gsize i = 0; i < page->n_paths; i++) {
    const DpPath *path = &page->paths[i];
    const DpRect box = path->box;
    if ((path->kind != DP_PATH_FRAME && path->kind != DP_PATH_FILL) || dp_rect_area (box) >= area)
      continue;
    if (box.x0 <= plot.x0 + 2 && box.y0 <= plot.y0 + 2 && box.x1 >= plot.x1 - 2 && box.y1 >= plot.y1 - 2) {
      area = dp_rect_area (box);
      best = dp_rect_union (plot, box);
    }
  }
  return best;
}

static void
try_scale (DpPageLayout *layout, const DpPage *page, const Scale *scale)
{
  const DpRect first = scale->marks[0].box;
  Ink ink;
  DpRect plot = scale->box;
  float reach;

  for (guint i = 0; i < layout->charts->len; i++)
    if (dp_rect_contains_point (g_array_index (layout->charts, DpRect, i), dp_rect_cx (first), dp_rect_cy (first)))
      return;
  ink = look_beside (scale, page);
  if ((ink.strokes * 10 < scale->n * 7 && ink.curves == 0 && ink.bars < 2) || heads_columns (scale))
    return;
  reach = reach_of (scale, page, ink.reach);
  if (scale->upright) {
    plot = dp_rect_union (plot, (DpRect){ plot.x0, scale->first - scale->step / 2, plot.x1 + reach, scale->last + scale->step / 2 });
    plot = with_frame (page, plot);
    plot.y1 = MAX (plot.y1, scale->last + LABELS * scale->size);
  } else {
    plot = dp_rect_union (plot, (DpRect){ scale->first - scale->step / 2, plot.y0 - reach, scale->last + scale->step / 2, plot.y1 });
    plot = with_frame (page, plot);
  }
  g_array_append_val (layout->charts, plot);
}

/* ---- the search ------------------------------------------------------------------------------------------- */

static gint
by_key (gconstpointer a, gconstpointer b)
{
  const Mark *x = a, *y = b;

  return (x->key > y->key) - (x->key < y->key);
}

static gint
by_place (gconstpointer a, gconstpointer b)
{
  const Mark *x = a, *y = b;

  return (x->at > y->at) - (x->at < y->at);
}

/* How many of the marks, from the first on, are one scale: values grow upwards or to the right. */
static guint
scale_from (const Mark *marks, guint n, gboolean upright)
{
  const float step = n > 1 ? marks[1].at - marks[0].at : 0;
  const double rise = n > 1 ? marks[1].value - marks[0].value : 0;
  guint k = 1;

  if (step < 0.7f * marks[0].size || (upright ? rise >= 0 : rise <= 0))
    return 1;
  while (k < n && fabsf (marks[k].at - marks[k - 1].at - step) <= 0.05f * step + 0.4f
         && fabs (marks[k].value - marks[k - 1].value - rise) <= 1e-3 * fabs (rise))
    k++;
  return k;
}

static void
try_group (DpPageLayout *layout, const DpPage *page, const GArray *all, Mark *marks, guint n, gboolean upright, guint *budget)
{
  qsort (marks, n, sizeof *marks, by_place);
  for (guint i = 0; i + MIN_MARKS <= n;) {
    const guint k = scale_from (marks + i, n - i, upright);
    if (k < MIN_MARKS) {
      i++;
      continue;
    }
    Scale scale = { .upright = upright, .box = marks[i].box, .first = marks[i].at, .last = marks[i + k - 1].at, .size = marks[i].size };
    scale.step = (scale.last - scale.first) / (float) (k - 1);
    scale.all = all;
    scale.marks = marks + i;
    scale.n = k;
    for (guint m = i; m < i + k; m++)
      scale.box = dp_rect_union (scale.box, marks[m].box);
    if (*budget > 0) {
      --*budget;
      try_scale (layout, page, &scale);
    }
    i += k;
  }
}

typedef enum { FLUSH_RIGHT, FLUSH_LEFT, CENTRED, ON_LINE } Alignment;

/* Scales whose numbers are set in one way. */
static void
find_scales (DpPageLayout *layout, const DpPage *page, GArray *marks, Alignment alignment, guint *budget)
{
  for (guint i = 0; i < marks->len; i++) {
    Mark *mark = &g_array_index (marks, Mark, i);
    mark->at = alignment == ON_LINE ? dp_rect_cx (mark->box) : mark->middle;
    mark->key = alignment == FLUSH_RIGHT  ? mark->box.x1
                : alignment == FLUSH_LEFT ? mark->box.x0
                : alignment == CENTRED    ? dp_rect_cx (mark->box)
                                          : mark->box.y1;
  }
  g_array_sort (marks, by_key);
  for (guint i = 0; i < marks->len;) {
    Mark *first = &g_array_index (marks, Mark, i);
    guint n = 1;
    while (i + n < marks->len && first[n].key - first->key <= MAX (1.0f, 0.15f * first->size))
      n++;
    if (n >= MIN_MARKS)
      try_group (layout, page, marks, first, n, alignment != ON_LINE, budget);
    i += n;
  }
}

void
dp_layout_charts (DpPageLayout *layout, const DpPage *page)
{
  g_autoptr (GArray) marks = NULL;
  guint budget = MAX_SCALES;

  if (page->n_paths < 2)
    return;
  marks = collect_marks (layout);
  for (Alignment alignment = FLUSH_RIGHT; marks->len >= MIN_MARKS && alignment <= ON_LINE; alignment++)
    find_scales (layout, page, marks, alignment, &budget);
}

gboolean
dp_layout_in_chart (const DpPageLayout *layout, DpRect box)
{
  for (guint i = 0; i < layout->charts->len; i++)
    if (dp_rect_contains_point (g_array_index (layout->charts, DpRect, i), dp_rect_cx (box), dp_rect_cy (box)))
      return TRUE;
  return FALSE;
}
