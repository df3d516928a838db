/* layout/listing_boxes.c - program text in a painted or framed box.
 *
 * Manuals and books put their listings on a tinted ground or in a frame.  A box whose words are set in a fixed-pitch face, over
 * two rows at least and with signs that prose hardly uses, is one listing, whatever columns its blanks make, and whatever
 * few characters come from other fonts.  Cells of a table are no such boxes: their frames go on beyond them.
 */
#include "layout/listings.h"

#include <math.h>

#define MOST_BOXES 200u /* a page with more of them is a drawing or a table */
#define TOUCH 1.5f      /* points by which the rules of a frame may miss each other */
#define MONO_TENTHS 8u  /* of the characters; the others are signs that the face lacks */

typedef struct {
  DpRect box;
  guint rows, chars, mono, signs; /* of the words inside */
  gboolean refused;
} Box;

static void
add_box (GArray *boxes, DpRect rect)
{
  const Box box = { .box = rect };

  if (dp_rect_width (rect) > 40 && dp_rect_height (rect) > 12)
    g_array_append_val (boxes, box);
}

/* The upright rule at x that begins at y, or NULL. */
static const DpRule *
side_at (const GArray *vrules, float x, float y)
{
  for (guint i = dp_rules_from (vrules, x - TOUCH); i < vrules->len; i++) {
    const DpRule *rule = &g_array_index (vrules, DpRule, i);
    if (rule->pos > x + TOUCH)
      break;
    if (fabsf (rule->from - y) < TOUCH)
      return rule;
  }
  return NULL;
}

static gboolean
has_bottom (const GArray *hrules, const DpRule *top, float y)
{
  for (guint i = dp_rules_from (hrules, y - TOUCH); i < hrules->len; i++) {
    const DpRule *rule = &g_array_index (hrules, DpRule, i);
    if (rule->pos > y + TOUCH)
      break;
    if (fabsf (rule->from - top->from) < TOUCH && fabsf (rule->to - top->to) < TOUCH)
      return TRUE;
  }
  return FALSE;
}

/* Frames of four rules that end where the frame ends. */
static void
add_frames (const DpPageLayout *layout, GArray *boxes)
{
  if (layout->hrules->len > 2 * MOST_BOXES || layout->vrules->len > 2 * MOST_BOXES)
    return;
  for (guint i = 0; i < layout->hrules->len; i++) {
    const DpRule *top = &g_array_index (layout->hrules, DpRule, i);
    const DpRule *left = side_at (layout->vrules, top->from, top->pos), *right = side_at (layout->vrules, top->to, top->pos);
    if (left && right && fabsf (left->to - right->to) < TOUCH && has_bottom (layout->hrules, top, left->to))
      add_box (boxes, (DpRect){ top->from, top->pos, top->to, left->to });
  }
}

static gint
compare_area (gconstpointer a, gconstpointer b)
{
  const float x = dp_rect_area (((const Box *) a)->box), y = dp_rect_area (((const Box *) b)->box);

  return x > y ? -1 : x < y;
}

/* Large boxes first: a marked line inside a listing is a box too. */
static GArray *
collect_boxes (const DpPageLayout *layout)
{
  GArray *boxes = g_array_new (FALSE, FALSE, sizeof (Box));

  for (guint i = 0; i < layout->fills->len && layout->fills->len <= MOST_BOXES; i++)
    add_box (boxes, g_array_index (layout->fills, DpPath, i).box);
  add_frames (layout, boxes);
  g_array_sort (boxes, compare_area);
  return boxes;
}

static gboolean
is_inside (const DpWord *word, const Box *box)
{
  return dp_rect_contains_point (box->box, dp_rect_cx (word->box), dp_rect_cy (word->box));
}

static void
count_words (const DpPageLayout *layout, const DpListings *found, Box *box)
{
  g_autoptr (GArray) baselines = g_array_new (FALSE, FALSE, sizeof (float));

  for (guint i = 0; i < layout->words->len; i++) {
    const DpWord *word = &g_array_index (layout->words, DpWord, i);
    gboolean known = FALSE;
    if (word->hidden || !is_inside (word, box))
      continue;
    box->refused = box->refused || word->taken || word->angle != 0 || g_array_index (found->owner, guint, i);
    box->chars += word->n_chars;
    box->mono += word->style & DP_SPAN_MONO ? word->n_chars : 0;
    box->signs += dp_listing_is_sign (layout, word) ? 1 : 0;
    for (guint k = 0; k < baselines->len && box->rows < 2 && !known; k++)
      known = fabsf (g_array_index (baselines, float, k) - word->baseline) < 0.5f * word->size;
    if (!known && box->rows < 2) {
      g_array_append_val (baselines, word->baseline);
      box->rows++;
    }
  }
}

/* A rule from edge to edge inside the box, which then is a grid. */
static gboolean
is_divided (const DpPageLayout *layout, const DpRect box)
{
  for (guint i = dp_rules_from (layout->vrules, box.x0 + 2 * TOUCH); i < layout->vrules->len; i++) {
    const DpRule *rule = &g_array_index (layout->vrules, DpRule, i);
    if (rule->pos > box.x1 - 2 * TOUCH)
      break;
    if (MIN (rule->to, box.y1) - MAX (rule->from, box.y0) > 0.5f * dp_rect_height (box))
      return TRUE;
  }
  for (guint i = dp_rules_from (layout->hrules, box.y0 + 2 * TOUCH); i < layout->hrules->len; i++) {
    const DpRule *rule = &g_array_index (layout->hrules, DpRule, i);
    if (rule->pos > box.y1 - 2 * TOUCH)
      break;
    if (MIN (rule->to, box.x1) - MAX (rule->from, box.x0) > 0.8f * dp_rect_width (box))
      return TRUE;
  }
  return FALSE;
}

static void
claim (const DpPageLayout *layout, const Box *box, DpListings *found)
{
  for (guint i = 0; i < layout->words->len; i++) {
    const DpWord *word = &g_array_index (layout->words, DpWord, i);
    if (word->hidden || !is_inside (word, box))
      continue;
    g_array_append_val (found->code, i);
    g_array_index (found->owner, guint, i) = found->n + 1;
  }
  found->n++;
}

void
dp_listings_in_boxes (DpListings *found, const DpPageLayout *layout)
{
  g_autoptr (GArray) boxes = collect_boxes (layout);

  for (guint i = 0; i < boxes->len && boxes->len <= MOST_BOXES; i++) {
    Box *box = &g_array_index (boxes, Box, i);
    count_words (layout, found, box);
    if (!box->refused && box->rows >= 2 && box->signs > 0 && 10 * box->mono >= MONO_TENTHS * box->chars && !is_divided (layout, box->box))
      claim (layout, box, found);
  }
}
