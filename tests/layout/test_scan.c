/* tests/layout/test_scan.c - page pictures (scan_page.h): lines, rules, pictures, which way the sheet lies. */
#include "scan_page.h"

#include <math.h>
#include <string.h>

static const DpScanLine *
line_at (const DpScan *scan, guint i)
{
  g_assert_cmpuint (i, <, dp_scan_lines (scan)->len);
  return &g_array_index (dp_scan_lines (scan), DpScanLine, i);
}

/* ---- lines -------------------------------------------------------------------------------------------------- */

static void
test_columns (void)
{
  cairo_t *cr = sheet (1000, 900);
  const double left = 80, right = left + 19 * ADVANCE + 1.4 * EM; /* a narrow gutter */

  block (cr, left, 200, 12);
  block (cr, right, 200, 12);
  g_autoptr (DpScan) scan = scan_of (cr, FALSE);

  g_assert_cmpint (dp_scan_turn (scan), ==, 0);
  g_assert_cmpuint (dp_scan_lines (scan)->len, ==, 24);
  for (guint i = 0; i < 24; i++) {
    const DpScanLine *l = line_at (scan, i);
    const double x = i % 2 ? right : left, y = 200 + i / 2 * PITCH; /* rows, from left to right */
    g_assert_cmpfloat_with_epsilon (l->x0, x, 2);
    g_assert_cmpfloat_with_epsilon (l->baseline, y, 1.5);
    g_assert_cmpint (l->x1, <, right + 19 * ADVANCE + 2);
    g_assert_false (l->joined); /* a gutter is between */
    g_assert_cmpfloat_with_epsilon (l->em, EM, 0.2 * EM);
  }
  g_assert_cmpuint (dp_scan_paths (scan)->len, ==, 0);
  g_assert_cmpuint (dp_scan_pictures (scan)->len, ==, 0);
  g_assert_cmpfloat (dp_scan_text_share (scan, NULL), >, 0.99);
  cairo_destroy (cr);
}

/* A crop holds its own line on white, the full stop too, and nothing of the lines above and below. */
static void
test_crop (void)
{
  cairo_t *cr = sheet (800, 500);
  DpScanCrop crop;
  guint dark_rows = 0;

  for (guint i = 0; i < 6; i++) /* set solid: descenders reach into the row of ascenders below */
    text (cr, i % 2 ? "nl pnnp nnln." : "nnpp nlpn nn.", 80, 120 + i * 1.06 * EM);
  g_autoptr (DpScan) scan = scan_of (cr, TRUE);
  g_assert_cmpuint (dp_scan_lines (scan)->len, ==, 6);
  dp_scan_crop (scan, 2, &crop);
  g_assert_cmpint (crop.x, <, 80);
  g_assert_cmpfloat (crop.x + crop.width, >, 80 + 12 * ADVANCE + STROKE); /* the full stop */
  for (gint y = 0; y < crop.height; y++) {
    gint darkest = 255;
    for (gint x = 0; x < crop.width; x++)
      darkest = MIN (darkest, crop.pixels[y * crop.width + x]);
    dark_rows += darkest < 128;
  }
  g_assert_cmpuint (dark_rows, <=, (guint) (0.94 * EM) + 3); /* ascender to descender */
  g_assert_cmpuint (dark_rows, >=, (guint) (0.94 * EM) - 3);
  dp_scan_crop_clear (&crop);
  cairo_destroy (cr);
}

/* Stroke and ends of words as they were drawn. */
static void
test_measures (void)
{
  cairo_t *cr = sheet (800, 300);
  gint from, to;

  text (cr, "nnnn nnnn", 100, 150);
  g_autoptr (DpScan) scan = scan_of (cr, TRUE);
  g_assert_cmpuint (dp_scan_lines (scan)->len, ==, 1);
  g_assert_true (dp_scan_ink_span (scan, 0, 0, 800, &from, &to));
  g_assert_cmpint (from, ==, 100);
  g_assert_cmpfloat_with_epsilon (to, 100 + 8 * ADVANCE + 0.42 * EM, 1.5);
  g_assert_true (dp_scan_widest_gap (scan, 0, from, to, &from, &to));
  g_assert_cmpfloat_with_epsilon (from, 100 + 3 * ADVANCE + 0.42 * EM, 1.5);
  g_assert_cmpfloat_with_epsilon (to, 100 + 5 * ADVANCE, 1.5);
  g_assert_cmpfloat_with_epsilon (dp_scan_stroke (scan, 0, 100, 100 + (gint) (4 * ADVANCE)), STROKE, 0.35 * STROKE);
  g_autoptr (GArray) heights = dp_scan_heights (scan, 0);
  g_assert_cmpuint (heights->len, ==, 8);
  g_assert_cmpfloat_with_epsilon (g_array_index (heights, float, 4), X_HEIGHT, 1.01);
  cairo_destroy (cr);
}

/* A raised figure n advances behind the start of a row at (100, 150). */
static void
raise_figure (cairo_t *cr, double n)
{
  cairo_save (cr);
  cairo_translate (cr, 100 + n * ADVANCE, 150 - 0.36 * EM);
  cairo_scale (cr, 0.55, 0.55);
  letter (cr, 'l', 0, 0);
  bar (cr, -0.15 * EM, -0.72 * EM, 0.2 * EM, -0.6 * EM); /* a figure: wider than an apostrophe */
  cairo_restore (cr);
}

/* The number of a note is a line of its own, over the baseline of the row that it ends. */
static void
test_raised (void)
{
  cairo_t *cr = sheet (800, 300);

  text (cr, "nlnpn nln nnlnn", 100, 150);
  raise_figure (cr, 15);
  g_autoptr (DpScan) scan = scan_of (cr, TRUE);

  g_assert_cmpuint (dp_scan_lines (scan)->len, ==, 2);
  for (guint i = 0; i < 2; i++) {
    const DpScanLine *l = line_at (scan, i);
    const gboolean raised = l->x0 > 200;
    g_assert_cmpfloat_with_epsilon (l->baseline, raised ? 150 - 0.36 * EM : 150, 2);
    g_assert_cmpuint (l->n_parts, ==, raised ? 1 : 13);
  }
  cairo_destroy (cr);
}

/* A power between two letters is no ink of their line: the white between them reaches over it, so what follows stays behind it. */
static void
test_raised_within (void)
{
  cairo_t *cr = sheet (800, 300);
  gint from, to;

  text (cr, "nlnpn nln nlnn", 100, 150);
  raise_figure (cr, 9.25);
  g_autoptr (DpScan) scan = scan_of (cr, TRUE);
  g_assert_cmpuint (dp_scan_lines (scan)->len, ==, 2);
  const guint row = line_at (scan, 0)->n_parts > 1 ? 0 : 1;
  g_assert_true (dp_scan_widest_gap (scan, row, 100 + (gint) (8.2 * ADVANCE), 100 + (gint) (10.4 * ADVANCE), &from, &to));
  g_assert_cmpfloat_with_epsilon (from, 100 + 8 * ADVANCE + 0.42 * EM, 1.5);
  g_assert_cmpfloat_with_epsilon (to, 100 + 10 * ADVANCE, 1.5);
  cairo_destroy (cr);
}

/* The straight apostrophe of a typewriter hangs as high, in the middle between two letters, and stays in its row. */
static void
test_apostrophe (void)
{
  cairo_t *cr = sheet (800, 300);
  const double n = 100 + 13 * ADVANCE + 0.42 * EM; /* behind the last letter before it */

  text (cr, "nlnpn nln nnln nnn", 100, 150);
  bar (cr, n + 0.26 * EM, 150 - 0.72 * EM, n + 0.44 * EM, 150 - 0.33 * EM);
  g_autoptr (DpScan) scan = scan_of (cr, TRUE);

  g_assert_cmpuint (dp_scan_lines (scan)->len, ==, 1);
  g_assert_cmpuint (line_at (scan, 0)->n_parts, ==, 16);
  cairo_destroy (cr);
}

/* A stamp that runs up the margin, with wide blanks between its words and a dot in one of them, is no text of the page. */
static void
test_stamp (void)
{
  cairo_t *cr = sheet (900, 1200);

  block (cr, 200, 150, 20);
  cairo_save (cr);
  cairo_translate (cr, 100, 900);
  cairo_rotate (cr, -G_PI / 2);
  text (cr, "nnpnnpn", 0, 0);
  letter (cr, 'n', 12 * ADVANCE, 0); /* alone, it could be a number in the margin */
  text (cr, "npnnnnppn", 17 * ADVANCE, 0);
  cairo_restore (cr);
  g_autoptr (DpScan) scan = scan_of (cr, TRUE);

  g_assert_cmpuint (dp_scan_lines (scan)->len, ==, 20);
  for (guint i = 0; i < 20; i++)
    g_assert_cmpint (line_at (scan, i)->x0, >, 190);
  cairo_destroy (cr);
}

/* A large initial is a line of its own: the words that begin beside it are no dots of it. */
static void
test_drop_cap (void)
{
  cairo_t *cr = sheet (1000, 500);
  const double high = 2 * PITCH + 0.72 * EM, stem = 0.3 * EM, right = 100 + 1.9 * EM;

  bar (cr, 100, 300 - high, 100 + stem, 300); /* an L over three lines */
  bar (cr, 100, 300 - stem, right, 300);
  text (cr, "nnln nlnnp nln nlpn", right + 0.4 * EM, 300 - 2 * PITCH);
  text (cr, "nn nlnnp nln nlpn", right + 0.4 * EM, 300 - PITCH);
  text (cr, "n nlnpn nln nnlln", right + 0.4 * EM, 300);
  block (cr, 100, 300 + PITCH, 4);
  g_autoptr (DpScan) scan = scan_of (cr, TRUE);

  g_assert_cmpuint (dp_scan_lines (scan)->len, ==, 8);
  for (guint i = 0, large = 0; i < 8; i++) {
    const DpScanLine *l = line_at (scan, i);
    const gboolean initial = l->y1 - l->y0 > high - 3;
    large += initial;
    g_assert_cmpuint (large, <=, 1);
    if (initial)
      g_assert_cmpuint (l->n_parts, ==, 1);
    else if (l->baseline < 310)
      g_assert_cmpfloat_with_epsilon (l->x0, right + 0.4 * EM, 2);
  }
  cairo_destroy (cr);
}

/* The bar of a T is none of the rules, the top of a small table is. */
static void
test_bar_of_letter (void)
{
  cairo_t *cr = sheet (1000, 500);
  const double wide = 2.7 * EM, high = 2 * PITCH + 0.72 * EM, thin = 0.2 * EM;

  bar (cr, 100, 300 - high, 100 + wide, 300 - high + thin);
  bar (cr, 100 + wide / 2 - thin, 300 - high, 100 + wide / 2 + thin, 300);
  bar (cr, 500, 300 - high, 500 + wide, 300 - high + thin);
  bar (cr, 500, 300 - high, 500 + thin, 300);
  bar (cr, 500 + wide - thin, 300 - high, 500 + wide, 300);
  block (cr, 100, 300 + 2 * PITCH, 4);
  g_autoptr (DpScan) scan = scan_of (cr, TRUE);
  guint flat = 0;

  for (guint i = 0; i < dp_scan_paths (scan)->len; i++) {
    const DpPath *path = &g_array_index (dp_scan_paths (scan), DpPath, i);
    flat += path->kind == DP_PATH_HLINE;
    g_assert_cmpfloat (path->box.x0, >, 400 * 72 / DPI);
  }
  g_assert_cmpuint (flat, ==, 1);
  g_assert_cmpfloat_with_epsilon (line_at (scan, 0)->x1 - line_at (scan, 0)->x0, wide, 3);
  cairo_destroy (cr);
}

/* Dots from a title to its page number are a line of their own, which knows each of them; an ellipsis is none. */
static void
test_leaders (void)
{
  cairo_t *cr = sheet (900, 400);
  guint leaders = 0;

  text (cr, "nlnpn nln", 100, 150);
  for (guint i = 0; i < 20; i++)
    letter (cr, '.', 100 + (10 + i) * ADVANCE, 150);
  text (cr, "ll", 100 + 31 * ADVANCE, 150);
  text (cr, "nln nnln", 100, 250);
  for (guint i = 0; i < 3; i++)
    letter (cr, '.', 100 + (8 + i) * ADVANCE, 250);
  g_autoptr (DpScan) scan = scan_of (cr, TRUE);

  g_assert_cmpuint (dp_scan_lines (scan)->len, ==, 4);
  for (guint i = 0; i < 4; i++) {
    const DpScanLine *l = line_at (scan, i);
    gint x0, x1;
    if (!l->leader)
      continue;
    leaders++;
    g_assert_cmpuint (l->n_parts, ==, 20);
    g_assert_cmpfloat_with_epsilon (l->baseline, 150, 1.5);
    dp_scan_piece (scan, i, 19, &x0, &x1);
    g_assert_cmpfloat_with_epsilon (x0, 100 + 29 * ADVANCE, 2);
    g_assert_true (l->joined);
    g_assert_cmpuint (i, ==, 1); /* between the two that it joins */
  }
  g_assert_cmpuint (leaders, ==, 1);
  cairo_destroy (cr);
}

/* ---- turned and skewed ----------------------------------------------------------------------------------------- */

static void
test_turns (void)
{
  cairo_t *cr = sheet (700, 900);
  const cairo_matrix_t lying = { 0, 1, -1, 0, 900, 0 }, hanging = { -1, 0, 0, -1, 700, 900 }, other = { 0, -1, 1, 0, 0, 700 };
  const struct {
    const cairo_matrix_t *matrix;
    int width, height;
    gint turn; /* that stands it up again */
  } ways[] = { { &lying, 900, 700, 270 }, { &hanging, 700, 900, 180 }, { &other, 900, 700, 90 } };

  block (cr, 80, 150, 16);
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    cairo_t *turned = mapped (cr, ways[i].width, ways[i].height, ways[i].matrix);
    g_autoptr (DpScan) scan = scan_of (turned, FALSE);

    g_assert_cmpint (dp_scan_turn (scan), ==, ways[i].turn);
    g_assert_cmpfloat (dp_scan_certainty (scan), >, 3);
    g_assert_cmpint (dp_scan_width (scan), ==, 700);
    g_assert_cmpint (dp_scan_height (scan), ==, 900);
    g_assert_cmpuint (dp_scan_lines (scan)->len, ==, 16);
    g_assert_cmpfloat_with_epsilon (line_at (scan, 0)->x0, 80, 2.5);
    g_assert_cmpfloat_with_epsilon (line_at (scan, 3)->baseline, 150 + 3 * PITCH, 2);
    cairo_destroy (turned);
  }
  g_autoptr (DpScan) scan = scan_of (cr, FALSE);
  dp_scan_turn_over (scan); /* against all reason */
  g_assert_cmpint (dp_scan_turn (scan), ==, 180);
  g_assert_cmpuint (dp_scan_lines (scan)->len, ==, 16);
  g_assert_cmpfloat_with_epsilon (line_at (scan, 0)->x1, 700 - 80, 2.5);
  cairo_destroy (cr);
}

static void
test_skew (void)
{
  cairo_t *cr = sheet (800, 900);
  const double angles[] = { 1.5, -3.2, 0.3 };

  block (cr, 140, 200, 16);
  for (guint i = 0; i < G_N_ELEMENTS (angles); i++) {
    cairo_matrix_t matrix;
    cairo_matrix_init_translate (&matrix, 400, 450);
    cairo_matrix_rotate (&matrix, angles[i] * G_PI / 180);
    cairo_matrix_translate (&matrix, -400, -450);
    cairo_t *skewed = mapped (cr, 800, 900, &matrix);
    g_autoptr (DpScan) scan = scan_of (skewed, FALSE);

    g_assert_cmpint (dp_scan_turn (scan), ==, 0);
    g_assert_cmpfloat_with_epsilon (dp_scan_skew (scan), -angles[i], 0.15);
    g_assert_cmpuint (dp_scan_lines (scan)->len, ==, 16);
    g_assert_cmpfloat_with_epsilon (line_at (scan, 0)->x0, 140, 4); /* about the centre, both ways */
    g_assert_cmpfloat_with_epsilon (line_at (scan, 15)->baseline, 200 + 15 * PITCH, 4);
    cairo_destroy (skewed);
  }
  cairo_destroy (cr);
}

/* Rows of a page that is nearly empty say nothing; its four lines do. */
static void
test_few_lines (void)
{
  cairo_t *cr = sheet (1400, 1900);
  cairo_matrix_t matrix;

  cairo_matrix_init_rotate (&matrix, 0.7 * G_PI / 180);
  for (guint i = 0; i < 4; i++)
    text (cr, "nlnln nnlnn", i % 2 ? 700 : 120, 200 + 260 * i);
  cairo_t *skewed = mapped (cr, 1400, 1900, &matrix);
  g_autoptr (DpScan) scan = scan_of (skewed, FALSE);

  g_assert_cmpfloat_with_epsilon (dp_scan_skew (scan), -0.7, 0.3);
  g_assert_cmpuint (dp_scan_lines (scan)->len, ==, 4);
  cairo_destroy (skewed);
  cairo_destroy (cr);
}

/* ---- what is not text ------------------------------------------------------------------------------------------- */

/* A table of 3 x 3 cells: four rules each way, nine lines, none with a rule in its crop. */
static void
test_rules (void)
{
  cairo_t *cr = sheet (900, 500);
  guint flat = 0, upright = 0;

  for (guint i = 0; i < 4; i++) {
    bar (cr, 100, 100 + i * 60, 703, 103 + i * 60);
    bar (cr, 100 + i * 200, 100, 103 + i * 200, 283);
  }
  for (guint i = 0; i < 9; i++)
    text (cr, i % 2 ? "nln nn" : "pnn ln", 110 + i % 3 * 200, 140 + i / 3 * 60);
  g_autoptr (DpScan) scan = scan_of (cr, TRUE);

  for (guint i = 0; i < dp_scan_paths (scan)->len; i++) {
    const DpPath *p = &g_array_index (dp_scan_paths (scan), DpPath, i);
    flat += p->kind == DP_PATH_HLINE;
    upright += p->kind == DP_PATH_VLINE;
    g_assert_cmpfloat (p->box.x0, >=, 98 * 72 / DPI);
    g_assert_cmpfloat (p->box.x1, <=, 706 * 72 / DPI);
  }
  g_assert_cmpuint (flat, ==, 4);
  g_assert_cmpuint (upright, ==, 4);
  g_assert_cmpuint (dp_scan_lines (scan)->len, ==, 9);
  for (guint i = 0; i < 9; i++) {
    DpScanCrop crop;
    gint darkest = 255;
    dp_scan_crop (scan, i, &crop);
    for (gint x = 0; x < crop.width; x++)
      darkest = MIN (darkest, crop.pixels[x]); /* the first row: the rule above would be here */
    g_assert_cmpint (darkest, >, 150);
    dp_scan_crop_clear (&crop);
  }
  cairo_destroy (cr);
}

/* White on black is read as black on white, and the box is known. */
static void
test_dark (void)
{
  cairo_t *cr = sheet (900, 700);
  guint fills = 0;

  block (cr, 100, 300, 8);
  bar (cr, 100, 100, 800, 160);
  cairo_set_source_rgba (cr, 0, 0, 0, 1);
  text (cr, "nnln plnn nln.", 120, 140);
  g_autoptr (DpScan) scan = scan_of (cr, TRUE);

  g_assert_cmpuint (dp_scan_lines (scan)->len, ==, 9);
  g_assert_cmpfloat_with_epsilon (line_at (scan, 0)->x0, 120, 2);
  g_assert_cmpfloat_with_epsilon (line_at (scan, 0)->baseline, 140, 2);
  for (guint i = 0; i < dp_scan_paths (scan)->len; i++)
    fills += g_array_index (dp_scan_paths (scan), DpPath, i).kind == DP_PATH_FILL;
  g_assert_cmpuint (fills, ==, 1);
  DpScanCrop crop;
  guint64 sum = 0;
  dp_scan_crop (scan, 0, &crop);
  for (gint i = 0; i < crop.width * crop.height; i++)
    sum += crop.pixels[i];
  g_assert_cmpuint (sum / (guint64) (crop.width * crop.height), >, 160); /* mostly white now */
  dp_scan_crop_clear (&crop);
  cairo_destroy (cr);
}

static void
test_photo (void)
{
  cairo_t *cr = sheet (900, 1000);

  block (cr, 100, 150, 4);
  for (guint i = 0; i < 400; i++) { /* a picture of many tones */
    cairo_set_source_rgba (cr, 0, 0, 0, 0.15 + 0.4 * ((i * 7919) % 97) / 97.0);
    bar (cr, 150 + i % 20 * 20, 350 + i / 20 * 15, 170 + i % 20 * 20, 365 + i / 20 * 15);
  }
  cairo_set_source_rgba (cr, 0, 0, 0, 0.08);
  block (cr, 100, 750, 4);
  g_autoptr (DpScan) scan = scan_of (cr, TRUE);

  g_assert_cmpuint (dp_scan_pictures (scan)->len, ==, 1);
  const DpRect box = g_array_index (dp_scan_pictures (scan), DpRect, 0);
  g_assert_cmpfloat_with_epsilon (box.x0, 150 * 72 / DPI, 6);
  g_assert_cmpfloat_with_epsilon (box.y1, 650 * 72 / DPI, 6);
  g_assert_cmpuint (dp_scan_lines (scan)->len, ==, 8);
  g_assert_cmpfloat (dp_scan_text_share (scan, NULL), <, 0.6);
  cairo_destroy (cr);
}

/* A shadow over half of the sheet, and faint type. */
static void
test_shadow (void)
{
  cairo_t *cr = sheet (900, 700);
  cairo_pattern_t *shade = cairo_pattern_create_linear (0, 0, 900, 0);

  cairo_pattern_add_color_stop_rgba (shade, 0, 0, 0, 0, 1);
  cairo_pattern_add_color_stop_rgba (shade, 1, 0, 0, 0, 0.45);
  cairo_set_source (cr, shade);
  cairo_paint (cr);
  cairo_set_source_rgba (cr, 0, 0, 0, 0.1);
  block (cr, 100, 150, 6);
  cairo_set_source_rgba (cr, 0, 0, 0, 0.62); /* light grey where the paper is white */
  block (cr, 100, 450, 2);
  g_autoptr (DpScan) scan = scan_of (cr, TRUE);

  g_assert_cmpuint (dp_scan_lines (scan)->len, ==, 8);
  for (guint i = 0; i < 8; i++)
    g_assert_cmpfloat_with_epsilon (line_at (scan, i)->x1 - line_at (scan, i)->x0, i % 2 ? 18 * ADVANCE : 18.5 * ADVANCE, ADVANCE);
  cairo_pattern_destroy (shade);
  cairo_destroy (cr);
}

static void
test_blank (void)
{
  cairo_t *cr = sheet (600, 800);
  DpRect box;

  for (guint i = 0; i < 3000; i++) { /* paper is never quite white */
    cairo_set_source_rgba (cr, 0, 0, 0, 0.93 + 0.06 * (i % 7) / 7);
    bar (cr, (i * 577) % 600, (i * 7919) % 800, (i * 577) % 600 + 1, (i * 7919) % 800 + 1);
  }
  g_autoptr (DpScan) scan = scan_of (cr, FALSE);
  g_assert_cmpuint (dp_scan_lines (scan)->len, ==, 0);
  g_assert_cmpuint (dp_scan_paths (scan)->len, ==, 0);
  g_assert_cmpuint (dp_scan_pictures (scan)->len, ==, 0);
  g_assert_cmpfloat (dp_scan_text_share (scan, NULL), ==, 1);
  g_assert_false (dp_scan_ink_box (scan, &box));
  cairo_destroy (cr);
}

static void
test_errors (void)
{
  cairo_surface_t *colour = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 100, 100);
  cairo_surface_t *tiny = cairo_image_surface_create (CAIRO_FORMAT_A8, 3, 3), *plain = cairo_image_surface_create (CAIRO_FORMAT_A8, 60, 60);
  const double bad[] = { 0, -1, NAN, INFINITY };
  g_autoptr (GError) error = NULL;

  g_assert_null (dp_scan_new (colour, 200, FALSE, &error));
  g_assert_error (error, DP_SCAN_ERROR, DP_SCAN_ERROR_PICTURE);
  g_clear_error (&error);
  g_assert_null (dp_scan_new (tiny, 200, FALSE, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    g_assert_null (dp_scan_new (plain, bad[i], FALSE, NULL));
  g_autoptr (DpScan) black = dp_scan_new (plain, 200, FALSE, &error); /* all black: nothing to find, nothing to fail */
  g_assert_no_error (error);
  g_assert_cmpuint (dp_scan_lines (black)->len, ==, 0);
  cairo_surface_destroy (colour);
  cairo_surface_destroy (tiny);
  cairo_surface_destroy (plain);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scan/columns", test_columns);
  g_test_add_func ("/scan/crop", test_crop);
  g_test_add_func ("/scan/measures", test_measures);
  g_test_add_func ("/scan/raised", test_raised);
  g_test_add_func ("/scan/raised-within", test_raised_within);
  g_test_add_func ("/scan/apostrophe", test_apostrophe);
  g_test_add_func ("/scan/leaders", test_leaders);
  g_test_add_func ("/scan/drop-cap", test_drop_cap);
  g_test_add_func ("/scan/bar-of-letter", test_bar_of_letter);
  g_test_add_func ("/scan/stamp", test_stamp);
  g_test_add_func ("/scan/turns", test_turns);
  g_test_add_func ("/scan/skew", test_skew);
  g_test_add_func ("/scan/few-lines", test_few_lines);
  g_test_add_func ("/scan/rules", test_rules);
  g_test_add_func ("/scan/dark", test_dark);
  g_test_add_func ("/scan/photo", test_photo);
  g_test_add_func ("/scan/shadow", test_shadow);
  g_test_add_func ("/scan/blank", test_blank);
  g_test_add_func ("/scan/errors", test_errors);
  return g_test_run ();
}
