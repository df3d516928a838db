/* tests/layout/test_scan_pixels.c - the loops over all pixels of a page, against the plainest way of saying the same. */
#include "layout/scan_private.h"

#include <math.h>

/* Widths that are no multiple of a word, runs at both edges. */
#define WIDE 203
#define HIGH 150

static PIX *
random_ink (guint32 seed)
{
  PIX *ink = dp_leptonica ()->pixCreate (WIDE, HIGH, 1);
  l_uint32 *data = dp_leptonica ()->pixGetData (ink);
  const gsize wpl = (gsize) dp_leptonica ()->pixGetWpl (ink);
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  for (gint k = 0; k < 120; k++) { /* bars, along and across */
    const gint x0 = g_rand_int_range (rand, 0, WIDE), y0 = g_rand_int_range (rand, 0, HIGH), n = g_rand_int_range (rand, 1, 120);
    for (gint i = 0; i < n; i++) {
      const gint x = k % 2 ? x0 + i : x0, y = k % 2 ? y0 : y0 + i;
      if (x < WIDE && y < HIGH)
        SET_DATA_BIT (data + (gsize) y * wpl, x);
    }
  }
  return ink;
}

static gboolean
ink_at (PIX *pix, gint x, gint y)
{
  return x >= 0 && y >= 0 && x < WIDE && y < HIGH
         && GET_DATA_BIT (dp_leptonica ()->pixGetData (pix) + (gsize) y * (gsize) dp_leptonica ()->pixGetWpl (pix), x);
}

/* Length of the run of ink through a pixel, 0 beside ink. */
static gint
run_at (PIX *pix, gint x, gint y, gint dx, gint dy)
{
  gint n = 0;

  for (gint i = 0; ink_at (pix, x + i * dx, y + i * dy); i++)
    n++;
  for (gint i = 1; n > 0 && ink_at (pix, x - i * dx, y - i * dy); i++)
    n++;
  return n;
}

static void
test_long_runs (void)
{
  static const gint lengths[] = { 1, 2, 31, 32, 33, 64, 77, 97, 140, 160 };

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    for (gint vertical = 0; vertical < 2; vertical++) {
      PIX *ink = random_ink (i), *runs = dp_scan_long_runs (ink, lengths[i], vertical);
      for (gint y = 0; y < HIGH; y++)
        for (gint x = 0; x < WIDE; x++)
          g_assert_cmpint (ink_at (runs, x, y), ==, run_at (ink, x, y, !vertical, vertical) >= lengths[i]);
      dp_leptonica ()->pixDestroy (&ink);
      dp_leptonica ()->pixDestroy (&runs);
    }
}

/* Takes the piece that a pixel belongs to out of the ink; its box. */
static DpScanRule
take_piece (PIX *ink, gint x, gint y, gboolean corners)
{
  DpScanRule box = { x, y, x + 1, y + 1, FALSE };
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (gint));

  g_array_append_val (open, x);
  g_array_append_val (open, y);
  while (open->len > 0) {
    const gint px = g_array_index (open, gint, open->len - 2), py = g_array_index (open, gint, open->len - 1);
    g_array_set_size (open, open->len - 2);
    if (!ink_at (ink, px, py))
      continue;
    CLEAR_DATA_BIT (dp_leptonica ()->pixGetData (ink) + (gsize) py * (gsize) dp_leptonica ()->pixGetWpl (ink), px);
    box = (DpScanRule){ MIN (box.x0, px), MIN (box.y0, py), MAX (box.x1, px + 1), MAX (box.y1, py + 1), FALSE };
    for (gint dy = -1; dy <= 1; dy++)
      for (gint dx = -1; dx <= 1; dx++)
        if (corners || dx == 0 || dy == 0) {
          const gint next[2] = { px + dx, py + dy };
          g_array_append_vals (open, next, 2);
        }
  }
  return box;
}

/* Bars that cross, and points of which about half touch another one at a side or a corner. */
static PIX *
dotted_ink (guint32 seed)
{
  PIX *ink = random_ink (seed);
  l_uint32 *data = dp_leptonica ()->pixGetData (ink);
  const gsize wpl = (gsize) dp_leptonica ()->pixGetWpl (ink);
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed + 100);

  for (gint i = 0; i < WIDE * HIGH / 5; i++)
    SET_DATA_BIT (data + (gsize) g_rand_int_range (rand, 0, HIGH) * wpl, g_rand_int_range (rand, 0, WIDE));
  for (gint y = 0; y < HIGH; y++) /* what stands behind the last column does not count */
    SET_DATA_BIT (data + (gsize) y * wpl, WIDE);
  return ink;
}

/* The pieces, from the top and the left by their first pixels. */
static void
test_components (void)
{
  for (guint seed = 0; seed < 6; seed++)
    for (gint corners = 0; corners < 2; corners++) {
      PIX *ink = dotted_ink (seed);
      g_autoptr (GArray) boxes = dp_scan_components (ink, corners);
      guint n = 0;

      for (gint y = 0; y < HIGH; y++)
        for (gint x = 0; x < WIDE; x++)
          if (ink_at (ink, x, y)) {
            const DpScanRule wanted = take_piece (ink, x, y, corners);
            g_assert_cmpuint (n, <, boxes->len);
            const DpScanRule got = g_array_index (boxes, DpScanRule, n++);
            g_assert_cmpint (got.x0, ==, wanted.x0);
            g_assert_cmpint (got.y0, ==, wanted.y0);
            g_assert_cmpint (got.x1, ==, wanted.x1);
            g_assert_cmpint (got.y1, ==, wanted.y1);
          }
      g_assert_cmpuint (n, ==, boxes->len);
      g_assert_cmpuint (n, >, corners ? 100 : 1000); /* else nothing was tried */
      dp_leptonica ()->pixDestroy (&ink);
    }
}

/* ---- grey ------------------------------------------------------------------------------------------- */

static guint
value_at (PIX *pix, gint x, gint y)
{
  return GET_DATA_BYTE (dp_leptonica ()->pixGetData (pix) + (gsize) y * (gsize) dp_leptonica ()->pixGetWpl (pix), x);
}

static void
set_value (PIX *pix, gint x, gint y, guint v)
{
  SET_DATA_BYTE (dp_leptonica ()->pixGetData (pix) + (gsize) y * (gsize) dp_leptonica ()->pixGetWpl (pix), x, v);
}

static PIX *
random_grey (void)
{
  PIX *grey = dp_leptonica ()->pixCreate (WIDE, HIGH, 8);
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (gint y = 0; y < HIGH; y++)
    for (gint x = 0; x < WIDE; x++)
      set_value (grey, x, y, (guint) g_rand_int_range (rand, 0, 256));
  return grey;
}

static void
test_multiply (void)
{
  const gint tile = 10;
  PIX *grey = random_grey (), *out = dp_leptonica ()->pixCopy (NULL, grey);
  PIX *factors = dp_leptonica ()->pixCreate ((WIDE + tile - 1) / tile, (HIGH + tile - 1) / tile, 16);
  l_uint32 *data = dp_leptonica ()->pixGetData (factors);
  const gsize wpl = (gsize) dp_leptonica ()->pixGetWpl (factors);

  for (gint y = 0; y < (HIGH + tile - 1) / tile; y++)
    for (gint x = 0; x < (WIDE + tile - 1) / tile; x++)
      SET_DATA_TWO_BYTES (data + (gsize) y * wpl, x, (y * 5000 + x * 37) % 65536);
  dp_scan_multiply (out, factors, tile);
  for (gint y = 0; y < HIGH; y++)
    for (gint x = 0; x < WIDE; x++) {
      const guint factor = (guint) (y / tile * 5000 + x / tile * 37) % 65536;
      g_assert_cmpuint (value_at (out, x, y), ==, MIN (255, value_at (grey, x, y) * factor / 256));
    }
  dp_leptonica ()->pixDestroy (&grey);
  dp_leptonica ()->pixDestroy (&out);
  dp_leptonica ()->pixDestroy (&factors);
}

static void
test_unsharp (void)
{
  PIX *grey = random_grey ();

  for (gint reach = 1; reach <= 4; reach++) {
    PIX *out = dp_leptonica ()->pixCopy (NULL, grey);
    g_assert_true (dp_scan_unsharp (out, reach, 1.5f));
    for (gint y = 0; y < HIGH; y++)
      for (gint x = 0; x < WIDE; x++) {
        const gboolean inside = x >= reach && y >= reach && x < WIDE - reach && y < HIGH - reach;
        const double v = value_at (grey, x, y);
        double sum = 0;
        for (gint dy = -reach; inside && dy <= reach; dy++)
          for (gint dx = -reach; dx <= reach; dx++)
            sum += value_at (grey, x + dx, y + dy);
        const double mean = inside ? sum / ((2 * reach + 1) * (2 * reach + 1)) : v;
        g_assert_cmpfloat_with_epsilon (value_at (out, x, y), CLAMP (v + 1.5 * (v - mean), 0, 255), 1.01);
      }
    dp_leptonica ()->pixDestroy (&out);
  }
  dp_leptonica ()->pixDestroy (&grey);
}

/* A straight edge turns by the angle, about the middle, clockwise; what comes in from outside is ground. */
static void
test_turn_a_little (void)
{
  for (gint degrees = -7; degrees <= 7; degrees++) {
    const double angle = degrees * G_PI / 180;
    PIX *grey = dp_leptonica ()->pixCreate (WIDE, HIGH, 8);

    for (gint y = 0; y < HIGH; y++)
      for (gint x = 0; x < WIDE; x++)
        set_value (grey, x, y, y < HIGH / 2 ? 200 : 40);
    PIX *turned = dp_scan_turn_a_little (grey, angle, 123);
    for (gint x = 20; x < WIDE - 20; x++) {
      gint edge = 20;
      while (edge < HIGH && value_at (turned, x, edge) > 120)
        edge++;
      g_assert_cmpfloat_with_epsilon (edge, HIGH / 2 + (x - WIDE / 2) * tan (angle), 1.5);
    }
    if (degrees)
      g_assert_cmpuint (value_at (turned, degrees > 0 ? 0 : WIDE - 1, HIGH - 1), ==, 123);
    dp_leptonica ()->pixDestroy (&turned);
  }
}

/* Every pixel comes from where the rotation says, by the areas of the four that it covers. */
static void
test_turn_exactly (void)
{
  PIX *grey = random_grey (), *turned = dp_scan_turn_a_little (dp_leptonica ()->pixCopy (NULL, grey), 0.03, 0);
  const double c = cos (0.03), s = sin (0.03), cx = WIDE / 2, cy = HIGH / 2;

  for (gint y = 0; y < HIGH; y++)
    for (gint x = 0; x < WIDE; x++) {
      const double fx = cx + (x - cx) * c + (y - cy) * s, fy = cy + (y - cy) * c - (x - cx) * s;
      const gint x0 = (gint) floor (fx), y0 = (gint) floor (fy);
      if (x0 < 1 || y0 < 1 || x0 >= WIDE - 2 || y0 >= HIGH - 2)
        continue;
      const double u = fx - x0, v = fy - y0;
      const double wanted = (1 - v) * ((1 - u) * value_at (grey, x0, y0) + u * value_at (grey, x0 + 1, y0))
                            + v * ((1 - u) * value_at (grey, x0, y0 + 1) + u * value_at (grey, x0 + 1, y0 + 1));
      g_assert_cmpfloat_with_epsilon (value_at (turned, x, y), wanted, 255 * 2.0 / 16 + 1); /* places in sixteenths */
    }
  dp_leptonica ()->pixDestroy (&grey);
  dp_leptonica ()->pixDestroy (&turned);
}

/* Of a page with one faint and one dark letter, a speck and noise: what is ink, by its definition. */
static void
test_ink (void)
{
  PIX *grey = dp_leptonica ()->pixCreate (WIDE, HIGH, 8);

  for (gint y = 0; y < HIGH; y++)
    for (gint x = 0; x < WIDE; x++)
      set_value (grey, x, y, DP_SCAN_GROUND);
  for (gint i = 0; i < 10; i++) {
    set_value (grey, 5, 5 + i, 0);               /* a stem at the left edge of a tile */
    set_value (grey, 6 + i, 10, 180);            /* its thin stroke: faint, but of the letter */
    set_value (grey, WIDE - 1, HIGH - 1 - i, 0); /* the last column */
    set_value (grey, 100 + i, 100, 190);         /* faint and alone in its tile: darkest there, so ink */
    set_value (grey, 150 + i, 50, 230);          /* too faint anywhere */
  }
  PIX *ink = dp_scan_ink (grey);
  gint n = 0;
  for (gint y = 0; y < HIGH; y++)
    for (gint x = 0; x < WIDE; x++)
      n += ink_at (ink, x, y);
  g_assert_true (ink_at (ink, 5, 5) && ink_at (ink, 6, 10) && ink_at (ink, 15, 10) && ink_at (ink, WIDE - 1, HIGH - 1));
  g_assert_true (ink_at (ink, 100, 100) && ink_at (ink, 109, 100));
  g_assert_cmpint (n, ==, 40);
  dp_leptonica ()->pixDestroy (&grey);
  dp_leptonica ()->pixDestroy (&ink);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_assert_nonnull (dp_leptonica_load (NULL));
  g_test_add_func ("/scan-pixels/long-runs", test_long_runs);
  g_test_add_func ("/scan-pixels/components", test_components);
  g_test_add_func ("/scan-pixels/multiply", test_multiply);
  g_test_add_func ("/scan-pixels/unsharp", test_unsharp);
  g_test_add_func ("/scan-pixels/turn-a-little", test_turn_a_little);
  g_test_add_func ("/scan-pixels/turn-exactly", test_turn_exactly);
  g_test_add_func ("/scan-pixels/ink", test_ink);
  return g_test_run ();
}
