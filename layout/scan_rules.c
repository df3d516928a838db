/* layout/scan_rules.c - rules leave the ink and become paths.
 *
 * A rule is what survives an opening with a long thin brick and is thin.  Letters that cross one keep
 * their strokes: a column of the rule stays where there is ink both above and below it.  The bar of a large initial, a "T" over
 * three lines, is long and thin as well: one stem stands on it, as rules of tables have none or two.
 */
#include "layout/scan_private.h"

#define LONG 22.0          /* points: no stroke of running text is so long */
#define SHORT_UPRIGHT 11.0 /* points: an upright side of a cell, between two rules */
#define LONG_UPRIGHT 48.0  /* points: an upright rule that ends in the open; letters are shorter */
#define THICK 4.5          /* points: thicker is a box */
#define REACH 2.5          /* points by which a corner may be open */
#define MOST_RULES 6000
#define LONGEST_BAR 60.0 /* points: of a letter */
#define STOUT_BAR 20     /* its length in thicknesses, at most */

/* Share of the rule's length that has ink right beside it, on the side with more of it. */
static double
beside (const DpScanBits *ink, const DpScanRule *r)
{
  gint a = 0, b = 0, n = 0;

  if (r->vertical)
    for (gint y = r->y0; y < r->y1; y++, n++)
      a += dp_scan_bit (ink, r->x0 - 2, y), b += dp_scan_bit (ink, r->x1 + 1, y);
  else
    for (gint x = r->x0; x < r->x1; x++, n++)
      a += dp_scan_bit (ink, x, r->y0 - 2), b += dp_scan_bit (ink, x, r->y1 + 1);
  return n ? (double) MAX (a, b) / n : 1;
}

/* How far ink goes on from x, y in steps of dy, at most n pixels. */
static gint
reach_of (const DpScanBits *ink, gint x, gint y, gint dy, gint n)
{
  gint k = 0;

  while (k < n && dp_scan_bit (ink, x, y + k * dy))
    k++;
  return k;
}

/* Whether exactly one stem, stouter than the bar or under its middle, stands on row y (dy: away from the bar), and nothing else does. */
static gboolean
has_one_stem (const DpScanBits *ink, const DpScanRule *r, gint y, gint dy)
{
  const gint length = r->x1 - r->x0, thick = r->y1 - r->y0, high = length / 2;
  gint stems = 0;

  for (gint x = r->x0, end = x; x < r->x1; x = end + 1) {
    for (end = x; end < r->x1 && dp_scan_bit (ink, end, y); end++)
      ;
    const gint width = end - x, middle = x + width / 2;
    if (width < thick || 2 * width > length || reach_of (ink, middle, y, dy, high) < high)
      continue;
    stems += 10 * width > 14 * thick || (3 * (middle - r->x0) > length && 3 * (r->x1 - middle) > length) ? 1 : 2;
  }
  return stems == 1;
}

static gboolean
is_bar_of_letter (const DpScan *scan, const DpScanBits *ink, const DpScanRule *r)
{
  const gint length = r->x1 - r->x0;
  gint above = 0, below = 0;

  if (length > dp_scan_pixels (scan, LONGEST_BAR) || length > STOUT_BAR * (r->y1 - r->y0))
    return FALSE;
  for (gint x = r->x0; x < r->x1; x++)
    above += dp_scan_bit (ink, x, r->y0 - 2), below += dp_scan_bit (ink, x, r->y1 + 1);
  return (above == 0 && has_one_stem (ink, r, r->y1 + 1, 1)) || (below == 0 && has_one_stem (ink, r, r->y0 - 2, -1));
}

/* Runs of at least so many pixels, as boxes. */
void
dp_scan_open_rules (const DpScan *scan, gint length, gboolean vertical, GArray *out)
{
  const DpLeptonica *l = dp_leptonica ();
  PIX *opened = dp_scan_long_runs (scan->ink, length, vertical);
  g_autoptr (GArray) boxes = opened ? dp_scan_components (opened, TRUE) : NULL;
  const gint thick = dp_scan_pixels (scan, THICK);

  for (guint i = 0; boxes && i < boxes->len && out->len < MOST_RULES; i++) {
    DpScanRule rule = g_array_index (boxes, DpScanRule, i);
    const gint w = rule.x1 - rule.x0, h = rule.y1 - rule.y0;
    rule.vertical = vertical;
    /* a slanted rule of a bent page may rise by a hundredth of its length */
    if ((vertical ? w - h / 100 : h - w / 100) <= thick)
      g_array_append_val (out, rule);
  }
  l->pixDestroy (&opened);
}

static gboolean
meets (const DpScanRule *v, gint y, const GArray *rules, gint reach)
{
  for (guint i = 0; i < rules->len; i++) {
    const DpScanRule *r = &g_array_index (rules, DpScanRule, i);
    if (!r->vertical && y >= r->y0 - reach && y <= r->y1 + reach && v->x1 >= r->x0 - reach && v->x0 <= r->x1 + reach)
      return TRUE;
  }
  return FALSE;
}

/* ---- taking a rule out ----------------------------------------------------------------------------------- */

/* Whether ink crosses the rule at a place along it. */
static gboolean
crossed (const DpScanBits *ink, const DpScanRule *r, gint at)
{
  return r->vertical ? dp_scan_bit (ink, r->x0 - 2, at) && dp_scan_bit (ink, r->x1 + 1, at)
                     : dp_scan_bit (ink, at, r->y0 - 2) && dp_scan_bit (ink, at, r->y1 + 1);
}

static void
wipe (const DpScanBits *ink, const DpScanBits *grey, gint x, gint y)
{
  if (x < 0 || y < 0 || x >= ink->w || y >= ink->h)
    return;
  CLEAR_DATA_BIT (ink->data + (gsize) y * ink->wpl, x);
  SET_DATA_BYTE (grey->data + (gsize) y * grey->wpl, x, DP_SCAN_GROUND);
}

void
dp_scan_take_out (const DpScanBits *ink, const DpScanBits *grey, const DpScanRule *r)
{
  if (r->vertical) {
    for (gint y = r->y0; y < r->y1; y++)
      for (gint x = r->x0 - 1; x <= r->x1 && !crossed (ink, r, y); x++)
        wipe (ink, grey, x, y);
  } else {
    for (gint x = r->x0; x < r->x1; x++)
      for (gint y = r->y0 - 1; y <= r->y1 && !crossed (ink, r, x); y++)
        wipe (ink, grey, x, y);
  }
}

void
dp_scan_find_rules (DpScan *scan)
{
  g_autoptr (GArray) flat = g_array_new (FALSE, FALSE, sizeof (DpScanRule)), upright = g_array_new (FALSE, FALSE, sizeof (DpScanRule));
  const gint reach = dp_scan_pixels (scan, REACH), alone = dp_scan_pixels (scan, LONG_UPRIGHT);
  const DpScanBits ink = dp_scan_bits_of (scan->ink), grey = dp_scan_bits_of (scan->grey);

  dp_scan_open_rules (scan, dp_scan_pixels (scan, LONG), FALSE, flat);
  for (guint i = 0; i < flat->len; i++)
    if (beside (&ink, &g_array_index (flat, DpScanRule, i)) < 0.4 && !is_bar_of_letter (scan, &ink, &g_array_index (flat, DpScanRule, i)))
      g_array_append_vals (scan->rules, &g_array_index (flat, DpScanRule, i), 1);
  dp_scan_open_rules (scan, dp_scan_pixels (scan, SHORT_UPRIGHT), TRUE, upright);
  for (guint i = 0; i < upright->len; i++) {
    const DpScanRule *v = &g_array_index (upright, DpScanRule, i);
    const gboolean held = v->y1 - v->y0 >= alone || (meets (v, v->y0, scan->rules, reach) && meets (v, v->y1, scan->rules, reach));
    if (held && beside (&ink, v) < 0.4)
      g_array_append_val (scan->rules, *v);
  }
  for (guint i = 0; i < scan->rules->len; i++)
    dp_scan_take_out (&ink, &grey, &g_array_index (scan->rules, DpScanRule, i));
}
