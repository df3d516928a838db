/* layout/columns.c - line fragments -> text regions: what the eye takes for one block.
 *
 * Two fragments belong to one region when each is the other's nearest neighbour up and
 * down, they overlap along the line, have one size (15 %, as in opendataloader), and the
 * distance between their baselines is neither wide in itself (1.9 em) nor wide against
 * the distances around it (1.3 times).  A rule, the border of a fill, or a bold line that
 * ends early (a heading) parts them.  A fragment with two neighbours side by side spans
 * columns and is never joined to one of them.
 *
 * The size of the body is taken from blocks of running text (three lines or more with
 * thirty characters each), not from all characters: small print dominates many pages.
 */
#include "layout/frame.h"
#include "layout/compare.h"
#include "layout/layout.h"

#include <math.h>
#include <stdlib.h>

#define MAX_SCAN 600      /* fragments looked at above one */
#define SIZE_RATIO 0.85f  /* smaller over larger size inside a region */
#define WIDE_PITCH 1.9f   /* em between baselines: never one region */
#define RUBY_PITCH 2.5f   /* ... of vertical writing, which leaves room for readings beside its letters */
#define PITCH_CHANGE 1.3f /* against the smaller of the pitches around */
#define MAX_FILLS 256     /* fills considered as boxes around text, the largest first */

/* A fragment in the frame of its direction. */
typedef struct {
  DpRect box;
  float base, size;
  guint line;
  gint above, below;             /* nearest neighbours in the list, -1 = none */
  gint box_id;                   /* smallest fill around it, -1 = none */
  gboolean two_above, two_below; /* neighbours stand side by side */
} View;

static gint
compare_views (gconstpointer a, gconstpointer b)
{
  const View *x = a, *y = b;

  if (x->base != y->base)
    return x->base < y->base ? -1 : 1;
  return (x->line > y->line) - (x->line < y->line);
}

static const DpLine *
line_of (const DpPageLayout *layout, const View *view)
{
  return &g_array_index (layout->lines, DpLine, view->line);
}

/* ---- boxes around text ------------------------------------------------------------------------ */

static gint
compare_fills (gconstpointer a, gconstpointer b)
{
  const DpPath *x = *(const DpPath *const *) a, *y = *(const DpPath *const *) b;
  float ax = dp_rect_area (x->box), ay = dp_rect_area (y->box);

  return (ax < ay) - (ax > ay);
}

/* Fills large enough to hold a few lines, the largest first. */
static GPtrArray *
text_boxes (const DpPageLayout *layout)
{
  GPtrArray *boxes = g_ptr_array_new ();

  for (guint i = 0; i < layout->fills->len; i++) {
    DpPath *fill = &g_array_index (layout->fills, DpPath, i);

    if (dp_rect_width (fill->box) > 40 && dp_rect_height (fill->box) > 12
        && dp_rect_area (fill->box) < 0.8f * layout->width * layout->height)
      g_ptr_array_add (boxes, fill);
  }
  g_ptr_array_sort (boxes, compare_fills);
  if (boxes->len > MAX_FILLS)
    g_ptr_array_set_size (boxes, MAX_FILLS);
  return boxes;
}

static gint
box_around (const GPtrArray *boxes, const DpLine *line)
{
  gint found = -1;

  for (guint i = 0; i < boxes->len; i++)
    if (dp_rect_contains_point (((const DpPath *) g_ptr_array_index (boxes, i))->box, dp_rect_cx (line->box), dp_rect_cy (line->box)))
      found = (gint) i;
  return found;
}

/* ---- neighbours --------------------------------------------------------------------------------- */

/* The fragment right above views[i]; notes whether two stand there side by side. */
static void
find_above (GArray *views, guint i)
{
  View *me = &g_array_index (views, View, i);
  gint best = -1;

  me->above = -1;
  for (guint k = 1; k <= MAX_SCAN && k <= i; k++) {
    const View *other = &g_array_index (views, View, i - k), *top = best >= 0 ? &g_array_index (views, View, best) : NULL;
    float rise = me->base - other->base, em = MAX (me->size, other->size);

    if (rise > 6 * me->size && rise > 40)
      break;
    if (rise < 0.35f * MIN (me->size, other->size) || dp_rect_overlap_x (me->box, other->box) <= 0.1f * MIN (me->size, other->size))
      continue;
    if (rise > 3 * em)
      continue;
    if (!top)
      best = (gint) (i - k);
    else if (top->base - other->base < 0.5f * top->size && dp_rect_overlap_x (top->box, other->box) <= 0)
      me->two_above = TRUE;
    else if (top->base - other->base > 0.5f * top->size)
      break;
  }
  me->above = best;
}

/* Fills in `below` as the mirror of `above`: the nearest fragment that names me. */
static void
find_below (GArray *views)
{
  for (guint i = 0; i < views->len; i++)
    g_array_index (views, View, i).below = -1;
  for (guint i = 0; i < views->len; i++) {
    View *me = &g_array_index (views, View, i), *up, *first;

    if (me->above < 0)
      continue;
    up = &g_array_index (views, View, me->above);
    if (up->below < 0) {
      up->below = (gint) i;
      continue;
    }
    first = &g_array_index (views, View, up->below);
    if (me->base - first->base < 0.5f * first->size && dp_rect_overlap_x (me->box, first->box) <= 0)
      up->two_below = TRUE;
  }
}

/* ---- may two fragments share a region? --------------------------------------------------------- */

static gboolean
rule_between (const DpPageLayout *layout, const View *a, const View *b, gint angle)
{
  gboolean upright = angle == 0 || angle == 180;
  const GArray *rules = upright ? layout->hrules : layout->vrules;
  DpRect gap = dp_frame_unrect (
      (DpRect){ MAX (a->box.x0, b->box.x0), a->base + 0.1f * a->size, MIN (a->box.x1, b->box.x1), b->base - 0.6f * b->size }, angle);
  float from = upright ? gap.y0 : gap.x0, to = upright ? gap.y1 : gap.x1, left = upright ? gap.x0 : gap.y0,
        right = upright ? gap.x1 : gap.y1;
  const guint lo = dp_rules_from (rules, from);
  for (guint k = lo; k < rules->len && k < lo + 256 && g_array_index (rules, DpRule, k).pos <= to; k++) {
    const DpRule *rule = &g_array_index (rules, DpRule, k);

    if (MIN (right, rule->to) - MAX (left, rule->from) > 0.5f * (right - left))
      return TRUE;
  }
  return FALSE;
}

static float
pitch_between (const GArray *views, gint a, gint b)
{
  const View *x = &g_array_index (views, View, a), *y = &g_array_index (views, View, b);

  return y->base - x->base;
}

static gboolean
same_size (const View *a, const View *b)
{
  return MIN (a->size, b->size) >= SIZE_RATIO * MAX (a->size, b->size);
}

/* The pitch on the far side of a pair, when the fragment there is of the same kind. */
static float
pitch_around (const GArray *views, gint i, gint step)
{
  const View *me = &g_array_index (views, View, i);
  gint next = step < 0 ? me->above : me->below;
  const View *other = next >= 0 ? &g_array_index (views, View, next) : NULL;

  if (!other || !same_size (me, other) || (step < 0 ? other->below != i : other->above != i))
    return G_MAXFLOAT;
  return step < 0 ? pitch_between (views, next, i) : pitch_between (views, i, next);
}

/* A line that is bold from end to end and stops early, over text that is not: a heading. */
static gboolean
is_heading_over_text (const DpPageLayout *layout, const View *a, const View *b, float column_end)
{
  const DpLine *x = line_of (layout, a), *y = line_of (layout, b);
  const DpWord *w = &g_array_index (layout->words, DpWord, y->first_word);
  float first = dp_rect_width (dp_frame_rect (w->box, dp_frame_snap (y->angle)));

  if ((x->style & DP_SPAN_BOLD) == (y->style & DP_SPAN_BOLD) || !y->n_words)
    return FALSE;
  /* Bold ends: the next word would have fitted.  Bold begins: it starts a block anyway
   * only if it is a line of its own kind, which the pitch or size must tell. */
  return x->style & DP_SPAN_BOLD   ? a->box.x1 + 0.3f * a->size + first < column_end
         : w->style & DP_SPAN_BOLD ? a->box.x1 < column_end - 2 * a->size
                                   : FALSE;
}

static float
wide_pitch (const DpPageLayout *layout, const View *view)
{
  return g_array_index (layout->words, DpWord, line_of (layout, view)->first_word).vertical ? RUBY_PITCH : WIDE_PITCH;
}

static gboolean
belong_together (const DpPageLayout *layout, const GArray *views, gint i, gint j, gint angle)
{
  const View *a = &g_array_index (views, View, i), *b = &g_array_index (views, View, j);
  float pitch = b->base - a->base, em = MAX (a->size, b->size), around;
  float overlap = dp_rect_overlap_x (a->box, b->box), narrow = MIN (dp_rect_width (a->box), dp_rect_width (b->box));

  if (a->two_below || b->two_above || a->box_id != b->box_id || !same_size (a, b) || pitch > wide_pitch (layout, a) * em)
    return FALSE;
  if (overlap < 0.3f * narrow && fabsf (a->box.x0 - b->box.x0) > 1.5f * em)
    return FALSE;
  around = MIN (pitch_around (views, i, -1), pitch_around (views, j, 1));
  if (pitch > PITCH_CHANGE * around + 0.05f * em)
    return FALSE;
  /* Alone with each other, two lines of different size or far apart are no block. */
  if (around == G_MAXFLOAT && pitch > 1.6f * em)
    return FALSE;
  if (is_heading_over_text (layout, a, b, MAX (a->box.x1, b->box.x1)))
    return FALSE;
  if (line_of (layout, a)->rtl != line_of (layout, b)->rtl && pitch > 1.5f * em)
    return FALSE;
  return !rule_between (layout, a, b, angle);
}

/* ---- regions ------------------------------------------------------------------------------------- */

static void
add_region (DpPageLayout *layout, GArray *views, gint first)
{
  gint index = (gint) layout->regions->len;
  DpRegion *region = dp_page_layout_add_region (layout, DP_REGION_TEXT, (DpRect){ 0 });

  for (gint i = first; i >= 0; i = g_array_index (views, View, i).below) {
    View *view = &g_array_index (views, View, i);
    DpLine *line = &g_array_index (layout->lines, DpLine, view->line);

    region->box = region->lines->len ? dp_rect_union (region->box, line->box) : line->box;
    g_array_append_val (region->lines, view->line);
    line->region = index;
  }
}

static gboolean
is_aside (const DpPageLayout *layout, const DpLine *line)
{
  return line->n_words > 0 && g_array_index (layout->words, DpWord, line->first_word).aside;
}

/* aside: of what is part of no text, which must not come between lines that belong together. */
static void
regions_of_direction (DpPageLayout *layout, const GPtrArray *boxes, gint angle, gboolean aside)
{
  g_autoptr (GArray) views = g_array_new (FALSE, TRUE, sizeof (View));
  g_autofree guint8 *keep = NULL;

  for (guint i = 0; i < layout->lines->len; i++) {
    const DpLine *line = &g_array_index (layout->lines, DpLine, i);
    View view
        = { dp_frame_rect (line->box, angle), dp_frame_base (line->baseline, angle), MAX (line->size, 0.5f), i, -1, -1, -1, FALSE, FALSE };

    if (line->taken || line->angle != angle || is_aside (layout, line) != aside)
      continue;
    view.box_id = box_around (boxes, line);
    g_array_append_val (views, view);
  }
  g_array_sort (views, compare_views);
  for (guint i = 0; i < views->len; i++)
    find_above (views, i);
  find_below (views);
  /* All pairs are judged before any is cut, as each judgement looks at its neighbours. */
  keep = g_malloc0 (views->len + 1);
  for (guint i = 0; i < views->len; i++) {
    gint above = g_array_index (views, View, i).above;

    keep[i] = above >= 0 && g_array_index (views, View, above).below == (gint) i && belong_together (layout, views, above, (gint) i, angle);
  }
  for (guint i = 0; i < views->len; i++) {
    View *view = &g_array_index (views, View, i);

    if (view->below >= 0 && !keep[view->below])
      view->below = -1;
  }
  for (guint i = 0; i < views->len; i++)
    if (!keep[i])
      add_region (layout, views, (gint) i);
}

static void
regions_of_skewed (DpPageLayout *layout)
{
  for (guint i = 0; i < layout->lines->len; i++) {
    DpLine *line = &g_array_index (layout->lines, DpLine, i);
    DpRegion *region;

    if (line->taken || line->angle == dp_frame_snap (line->angle))
      continue;
    line->region = (gint) layout->regions->len;
    region = dp_page_layout_add_region (layout, DP_REGION_TEXT, line->box);
    region->column = G_MAXUINT;
    g_array_append_val (region->lines, i);
  }
}

/* ---- the body ------------------------------------------------------------------------------------- */

typedef struct {
  float size;
  float chars, pitch;
} SizeShare;

static gint
compare_shares (gconstpointer a, gconstpointer b)
{
  const SizeShare *x = a, *y = b;

  return (x->size > y->size) - (x->size < y->size);
}

static guint
line_chars (const DpPageLayout *layout, const DpLine *line)
{
  guint n = 0;

  for (guint i = 0; i < line->n_words; i++)
    n += g_array_index (layout->words, DpWord, line->first_word + i).n_chars + 1;
  return n;
}

/* Sizes of all lines of running text (or of all lines), with their characters and the
 * mean distance to the line above. */
static GArray *
size_shares (const DpPageLayout *layout, gboolean running)
{
  GArray *shares = g_array_new (FALSE, FALSE, sizeof (SizeShare));

  for (guint r = 0; r < layout->regions->len; r++) {
    const DpRegion *region = &g_array_index (layout->regions, DpRegion, r);

    if (region->kind != DP_REGION_TEXT || (running && region->lines->len < 3))
      continue;
    for (guint i = 0; i < region->lines->len; i++) {
      const DpLine *line = &g_array_index (layout->lines, DpLine, g_array_index (region->lines, guint, i));
      const DpLine *above = i ? &g_array_index (layout->lines, DpLine, g_array_index (region->lines, guint, i - 1)) : NULL;
      SizeShare share
          = { roundf (4 * line->size) / 4, (float) line_chars (layout, line), above ? fabsf (line->baseline - above->baseline) : 0 };

      if (!running || share.chars >= 30)
        g_array_append_val (shares, share);
    }
  }
  g_array_sort (shares, compare_shares);
  return shares;
}

/* The largest size that holds a quarter of the running text. */
static void
find_body (DpPageLayout *layout)
{
  g_autoptr (GArray) shares = size_shares (layout, TRUE);
  g_autoptr (GArray) pitches = g_array_new (FALSE, FALSE, sizeof (float));
  float total = 0, most = 0;

  if (!shares->len) {
    g_array_unref (shares);
    shares = size_shares (layout, FALSE);
  }
  layout->body_size = layout->line_pitch = 0;
  for (guint i = 0; i < shares->len; i++)
    total += g_array_index (shares, SizeShare, i).chars;
  for (guint i = shares->len; i > 0;) {
    float size = g_array_index (shares, SizeShare, i - 1).size, held = 0;

    g_array_set_size (pitches, 0);
    for (; i > 0 && g_array_index (shares, SizeShare, i - 1).size > size - 0.3f; i--) {
      const SizeShare *share = &g_array_index (shares, SizeShare, i - 1);

      held += share->chars;
      if (share->pitch > 0)
        g_array_append_val (pitches, share->pitch);
    }
    /* Without a size that holds a quarter, the one that holds most. */
    if (held <= most)
      continue;
    most = held;
    layout->body_size = size;
    g_array_sort (pitches, dp_compare_floats);
    layout->line_pitch = pitches->len ? g_array_index (pitches, float, pitches->len / 2) : 0;
    if (held >= 0.25f * total)
      return;
  }
}

void
dp_layout_columns (DpPageLayout *layout)
{
  g_autoptr (GPtrArray) boxes = text_boxes (layout);

  for (gint angle = 0; angle < 360; angle += 90) {
    regions_of_direction (layout, boxes, angle, FALSE);
    regions_of_direction (layout, boxes, angle, TRUE);
  }
  regions_of_skewed (layout);
  find_body (layout);
}
