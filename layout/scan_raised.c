/* layout/scan_raised.c - raised letters of a line become lines of their own.
 *
 * The number of a note or a power is read for something else beside letters twice its size.  Alone it is
 * scaled to the height that the reader expects, and its place tells the layout what it is.
 */
#include "layout/scan_private.h"

#include <stdlib.h>

static DpScanPart *
part_at (const DpScan *scan, guint i)
{
  return &g_array_index (scan->parts, DpScanPart, i);
}

static int
compare_ints (const void *a, const void *b)
{
  return *(const gint *) a - *(const gint *) b;
}

/* The level of the letters next to one of a row of n parts: the middle one of the feet of a few on both sides. */
static gint
local_foot (const DpScan *scan, guint first, guint n, guint i, gint *height)
{
  gint feet[6], heights[6];
  guint count = 0;

  for (guint away = 1; away < n && count < G_N_ELEMENTS (feet); away++)
    for (gint side = -1; side <= 1 && count < G_N_ELEMENTS (feet); side += 2) {
      const gint64 k = (gint64) i + side * (gint64) away;
      if (k < (gint64) first || k >= (gint64) first + n || part_at (scan, (guint) k)->dot)
        continue;
      feet[count] = part_at (scan, (guint) k)->y1;
      heights[count++] = part_at (scan, (guint) k)->y1 - part_at (scan, (guint) k)->y0;
    }
  if (count < 3)
    return 0;
  qsort (feet, count, sizeof *feet, compare_ints);
  qsort (heights, count, sizeof *heights, compare_ints);
  *height = heights[(count - 1) / 2]; /* the lower of two: an x-height rather than a capital */
  return feet[(count - 1) / 2];       /* the higher of two: descenders do not raise what stands between them */
}

/* A straight stroke as of quotes: narrow, lower than a figure. */
static gboolean
is_stroke (const DpScanPart *p, gint height)
{
  const gint w = p->x1 - p->x0, h = p->y1 - p->y0;

  return 2 * w <= h && 5 * h <= 4 * height;
}

/* The apostrophe of a typewriter stands in the middle between two letters: the number of a note stands at the end of a word, nearer to
 * that than to the next. */
static gboolean
is_apostrophe (const DpScan *scan, guint first, guint n, guint i, gint height)
{
  const DpScanPart *p = part_at (scan, i);

  if (i == first || i + 1 >= first + n || !is_stroke (p, height))
    return FALSE;
  const DpScanPart *before = part_at (scan, i - 1), *behind = part_at (scan, i + 1);
  return !before->dot && !behind->dot && 2 * (behind->x0 - p->x1) <= 3 * (p->x0 - before->x1);
}

/* One of the two strokes of a straight quote: another like it stands beside it. */
static gboolean
is_quote (const DpScan *scan, guint first, guint n, guint i, gint height)
{
  const DpScanPart *p = part_at (scan, i);
  const gint h = p->y1 - p->y0;

  if (!is_stroke (p, height))
    return FALSE;
  for (guint k = MAX (i, first + 1) - 1; k <= i + 1 && k < first + n; k++) {
    const DpScanPart *q = part_at (scan, k);
    if (k != i && 2 * (q->x1 - q->x0) <= h && 5 * abs (q->y0 - p->y0) <= h && 5 * abs (q->y1 - p->y1) <= h
        && MAX (p->x0, q->x0) - MIN (p->x1, q->x1) <= h)
      return TRUE;
  }
  return FALSE;
}

/* Numbers of notes and powers: letters whose feet hang above the row's, higher than they are themselves halfway. */
static gboolean
is_raised (const DpScan *scan, guint first, guint n, guint i)
{
  const DpScanPart *p = part_at (scan, i);
  const gint h = p->y1 - p->y0;
  gint height = 0, foot;

  if (p->dot || 3 * (p->x1 - p->x0) > 4 * h)
    return FALSE;
  foot = local_foot (scan, first, n, i, &height);
  const float rise = (float) (foot - p->y1) / (float) MAX (1, height), share = (float) h / (float) MAX (1, height);
  /* quotes are smaller and hang higher, guillemets do not reach above the others */
  return foot > 0 && !is_quote (scan, first, n, i, height) && !is_apostrophe (scan, first, n, i, height) && rise >= 0.4f
         && rise + share >= 1.15f && share <= 1.05f && ((share >= 0.72f && rise <= 1.3f) || (share >= 0.52f && rise <= 0.78f));
}

/* Whether a letter of the row stands right behind a raised piece or over it: then it is the ring of a percent sign, or an
 * index inside a formula. */
static gboolean
is_followed (const DpScan *scan, const gboolean *raised, guint first, guint n, guint i)
{
  const DpScanPart *p = part_at (scan, first + i);
  const gint near = MAX (2, (p->y1 - p->y0) / 5);

  for (guint k = i > 2 ? i - 2 : 0; k < MIN (n, i + 4); k++) {
    const DpScanPart *other = part_at (scan, first + k);
    if (k != i && !raised[k] && !other->dot && other->x0 < p->x1 + near && other->x1 > p->x0 + 1)
      return TRUE;
  }
  return FALSE;
}

/* Whether something stands under a raised piece: the foot of a figure that broke in two. */
static gboolean
has_foot (const DpScan *scan, guint first, guint n, guint i)
{
  const DpScanPart *p = part_at (scan, first + i);

  for (guint k = i > 3 ? i - 3 : 0; k < MIN (n, i + 4); k++) {
    const DpScanPart *other = part_at (scan, first + k);
    const gint over = MIN (p->x1, other->x1) - MAX (p->x0, other->x0);
    if (k != i && other->y0 >= (p->y0 + p->y1) / 2 && 2 * over > MIN (p->x1 - p->x0, other->x1 - other->x0))
      return TRUE;
  }
  return FALSE;
}

/* Raised pieces become lines of their own: a reader takes a small "1" beside large letters for something else. */
void
dp_scan_part_raised (DpScan *scan, guint first, guint n, guint *next)
{
  g_autofree gboolean *raised = g_new0 (gboolean, n + 1);
  guint count = 0, letters = 0;

  for (guint i = 0; i < n; i++) {
    letters += !part_at (scan, first + i)->dot;
    count += raised[i] = is_raised (scan, first, n, first + i);
  }
  for (guint i = 0; i < n; i++)
    if (raised[i] && (is_followed (scan, raised, first, n, i) || has_foot (scan, first, n, i))) {
      raised[i] = FALSE;
      count--;
    }
  for (guint i = 0; i < n && 4 * count < letters; i++) {
    if (!raised[i])
      continue;
    if (i == 0 || !raised[i - 1])
      ++*next;
    part_at (scan, first + i)->line = *next;
  }
}
