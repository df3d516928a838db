/* layout/word_grid.c - the words of one writing direction, findable by place.  See word_grid.h. */
#include "layout/word_grid.h"
#include "layout/compare.h"

#include "layout/frame.h"

#include <math.h>
#include <stdlib.h>

#define MAX_LOOK_BACK 8     /* words of a row looked at left of a place */
#define CHANNEL_REACH 10.0f /* em: how far up and down a channel is followed */
#define CHANNEL_SIDE 8.0f   /* em: a word this close to the strip stands beside it */
#define CHANNEL_BLANK 3.0f  /* em: an empty stretch this high ends a channel */

static gint
compare_views (gconstpointer a, gconstpointer b)
{
  const DpWordView *x = a, *y = b;

  if (x->row != y->row)
    return x->row < y->row ? -1 : 1;
  if (x->u0 != y->u0)
    return x->u0 < y->u0 ? -1 : 1;
  return (x->word > y->word) - (x->word < y->word);
}

static gint
row_of (float base, float pitch)
{
  return (gint) floorf (CLAMP (base / pitch, -1e8f, 1e8f));
}

/* Rows of 0.6 of the usual size: lines of running text never share one. */
static float
usual_pitch (const GArray *views)
{
  g_autofree float *sizes = g_new (float, views->len + 1);

  if (!views->len)
    return 6;
  for (guint i = 0; i < views->len; i++)
    sizes[i] = g_array_index (views, DpWordView, i).size;
  qsort (sizes, views->len, sizeof (float), dp_compare_floats);
  return MAX (1.0f, 0.6f * sizes[views->len / 2]);
}

DpWordGrid *
dp_word_grid_new (const DpPageLayout *layout, gint angle)
{
  DpWordGrid *grid = g_new0 (DpWordGrid, 1);

  grid->views = g_array_new (FALSE, TRUE, sizeof (DpWordView));
  for (guint i = 0; i < layout->words->len; i++) {
    const DpWord *w = &g_array_index (layout->words, DpWord, i);
    DpRect r = dp_frame_rect (w->box, angle);
    DpWordView view
        = { r.x0, r.x1, r.y0, r.y1, dp_frame_base (w->baseline, angle), w->size, 0, i, w->n_chars, FALSE, w->break_after, w->layer };

    if (w->hidden || w->angle != angle)
      continue;
    /* Stacked characters have no common baseline but a common axis. */
    if (w->vertical)
      view.base = 0.5f * (r.y0 + r.y1);
    view.size = MAX (view.size, 0.5f);
    g_array_append_val (grid->views, view);
  }
  grid->pitch = usual_pitch (grid->views);
  for (guint i = 0; i < grid->views->len; i++) {
    DpWordView *view = &g_array_index (grid->views, DpWordView, i);

    view->row = row_of (view->base, grid->pitch);
  }
  g_array_sort (grid->views, compare_views);
  return grid;
}

void
dp_word_grid_free (DpWordGrid *grid)
{
  if (!grid)
    return;
  g_array_unref (grid->views);
  g_free (grid);
}

guint
dp_word_grid_find (const DpWordGrid *grid, gint row, float u)
{
  guint lo = 0, hi = grid->views->len;

  while (lo < hi) {
    guint mid = lo + (hi - lo) / 2;
    const DpWordView *view = &g_array_index (grid->views, DpWordView, mid);

    if (view->row < row || (view->row == row && view->u0 < u))
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

typedef struct {
  gboolean crossed, left, right; /* a word across the strip; words close on either side */
} RowState;

static RowState
look_at_row (const DpWordGrid *grid, gint row, float u0, float u1, float size)
{
  guint at = dp_word_grid_find (grid, row, u1);
  RowState state = { 0 };

  if (at < grid->views->len) {
    const DpWordView *view = &g_array_index (grid->views, DpWordView, at);

    state.right = view->row == row && view->u0 - u1 < CHANNEL_SIDE * size;
  }
  for (guint k = 1; k <= MAX_LOOK_BACK && k <= at; k++) {
    const DpWordView *view = &g_array_index (grid->views, DpWordView, at - k);

    if (view->row != row)
      break;
    if (view->u1 > u0)
      state.crossed = TRUE;
    state.left = state.left || u0 - view->u1 < CHANNEL_SIDE * size;
  }
  return state;
}

/* Follows the strip one way, counting the rows on either side; returns the distance to the
 * crossing in em. */
static float
follow (const DpWordGrid *grid, float u0, float u1, float base, float size, gint step, guint *left, guint *right)
{
  gint row = row_of (base, grid->pitch);
  guint reach = (guint) CLAMP (CHANNEL_REACH * size / grid->pitch, 2, 64);
  float blank = 0;

  for (guint k = 1; k <= reach; k++) {
    RowState state = look_at_row (grid, row + step * (gint) k, u0, u1, size);

    /* The neighbouring row may hold this very line: scripts, rounding. */
    if ((float) k * grid->pitch < 0.7f * size)
      continue;
    if (state.crossed)
      return (float) k * grid->pitch / size;
    blank = state.left || state.right ? 0 : blank + grid->pitch / size;
    *left += state.left;
    *right += state.right;
    if (blank > CHANNEL_BLANK)
      break;
  }
  return G_MAXFLOAT;
}

DpChannel
dp_word_grid_channel (const DpWordGrid *grid, float u0, float u1, float base, float size)
{
  DpChannel channel = { 0 };
  guint left = 0, right = 0;

  channel.cross_above = follow (grid, u0, u1, base, size, -1, &left, &right);
  channel.cross_below = follow (grid, u0, u1, base, size, 1, &left, &right);
  /* Columns need not share baselines: each side counts for itself. */
  channel.rows = MIN (left, right);
  return channel;
}
