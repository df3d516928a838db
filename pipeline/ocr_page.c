/* pipeline/ocr_page.c - one picture from pixels to lines with places, sizes and weights. */
#include "pipeline/ocr_private.h"
#include "pipeline/picture_text.h"

#include <math.h>
#include <string.h>

#define MOST_LINES 4000u
/* Below this certainty about up and down, a few lines are read both ways. */
#define CERTAIN 4.0
/* Above this, what cannot be read one way cannot be read the other way either. */
#define SURE 12.0
#define TRIALS 8u
/* Of pages with so many lines a sample is read first. */
#define SAMPLE_FROM 48u
#define SAMPLE 12u
/* What the lines of the sample must weigh together: even off bad faxes most are read at 0.9.  One sentence will do, and figures
 * of tables, a few characters each, if the reader is very sure. */
#define LEAST_WEIGHT_SAMPLE 6u
#define WEIGHT_WORDS 2u
#define WEIGHT_FIGURES 1u
#define LEAST_CONFIDENCE_SAMPLE 0.75f
#define CONFIDENCE_FIGURES 0.97f
#define SENTENCE 20u /* characters */
#define CONFIDENCE_SENTENCE 0.85f
/* What is read with less confidence is not text: textures, stains, drawings. */
#define LEAST_CONFIDENCE 0.4f
#define LEAST_CONFIDENCE_SHORT 0.6f
#define LEAST_CONFIDENCE_SIGNS 0.85f
#define LEAST_LETTER 0.38f /* em */
#define SHORT 3u           /* characters */
/* Lines whose type differs by less are of one size: measuring is good to a few per cent. */
#define SAME_SIZE 0.08f
/* Strokes of bold type are wider by this, relative to the size: 1.5 to 1.9 in most families. */
#define BOLD 1.33f

/* From a title to the dots behind it. */
#define LEADER_GAP 2.0f /* em */
/* A bold word among others has at least so many letters; of fewer, strokes say little. */
#define LEAST_BOLD 4u

/* ---- reading ---------------------------------------------------------------------------------------------- */

/* Lines of a page, upright or on their heads, and what was read of them; cuts and results are empty until then. */
typedef struct {
  guint n;
  DpScanCrop *cuts;
  DpLineResult *results;
} Batch;

static void
batch_clear (Batch *batch)
{
  for (guint i = 0; i < batch->n; i++) {
    dp_scan_crop_clear (&batch->cuts[i]);
    dp_line_result_clear (&batch->results[i]);
  }
  g_clear_pointer (&batch->cuts, g_free);
  g_clear_pointer (&batch->results, g_free);
  batch->n = 0;
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Batch, batch_clear)

static void
batch_init (Batch *batch, const DpScan *scan)
{
  const guint n = dp_scan_lines (scan)->len;

  *batch = (Batch){ n, g_new0 (DpScanCrop, n + 1), g_new0 (DpLineResult, n + 1) };
}

static void
stand_on_head (DpScanCrop *cut)
{
  const gsize n = (gsize) cut->width * (gsize) cut->height;

  for (gsize i = 0; i < n / 2; i++) {
    const guint8 v = cut->pixels[i];
    cut->pixels[i] = cut->pixels[n - 1 - i];
    cut->pixels[n - 1 - i] = v;
  }
}

/* Reads n lines of the page, those that have not been read yet.  A result does not depend on what is read beside it, so lines of a
 * sample need not be read again. */
static gboolean
batch_read (Batch *batch, const DpScan *scan, DpLineReader *reader, const guint *lines, guint n, gboolean head_down, GError **error)
{
  g_autofree DpLineCrop *crops = g_new (DpLineCrop, n + 1);
  g_autofree DpLineResult *results = g_new (DpLineResult, n + 1);
  g_autofree guint *unread = g_new (guint, n + 1);
  guint count = 0;

  for (guint i = 0; i < n; i++) {
    DpScanCrop *cut = &batch->cuts[lines[i]];
    if (cut->pixels)
      continue;
    dp_scan_crop (scan, lines[i], cut);
    if (head_down)
      stand_on_head (cut);
    crops[count] = (DpLineCrop){ cut->pixels, (guint32) cut->width, (guint32) cut->height, (gsize) cut->width };
    unread[count++] = lines[i];
  }
  if (!dp_line_reader_read (reader, crops, count, results, error))
    return FALSE;
  for (guint i = 0; i < count; i++)
    batch->results[unread[i]] = results[i];
  return TRUE;
}

/* A few signs without a letter or a figure among them are more often parts of a drawing than text, and letters and figures
 * are higher than specks. */
static gboolean
is_text (const DpScan *scan, guint line, const DpLineResult *result)
{
  const DpScanLine *l = &g_array_index (dp_scan_lines (scan), DpScanLine, line);
  float least = result->n_chars <= SHORT ? LEAST_CONFIDENCE_SHORT : LEAST_CONFIDENCE;
  gboolean words = FALSE;

  for (const char *p = result->text; *p && !words; p = g_utf8_next_char (p))
    words = g_unichar_isalnum (g_utf8_get_char (p));
  if (words && (float) (l->y1 - l->y0) < LEAST_LETTER * l->em)
    return FALSE;
  return result->n_chars > 0 && result->confidence >= (words || result->n_chars > SHORT ? least : LEAST_CONFIDENCE_SIGNS);
}

/* Words of letters, not one sign after the other. */
static gboolean
is_sentence (const DpLineResult *line)
{
  guint letters = 0, kinds = 0;
  gboolean seen[128] = { FALSE };

  for (const char *p = line->text; *p; p = g_utf8_next_char (p)) {
    const gunichar c = g_utf8_get_char (p);
    letters += g_unichar_isalpha (c) ? 1 : 0;
    if (g_unichar_isalpha (c) && !seen[c % 128])
      seen[c % 128] = TRUE, kinds++;
  }
  return line->n_chars >= SENTENCE && line->confidence >= CONFIDENCE_SENTENCE && 10 * letters >= 6 * line->n_chars && kinds >= 8;
}

/* ---- is it text at all? ---------------------------------------------------------------------------------------- */

/* A row of dots says nothing. */
static gint
width_of (const DpScanLine *line)
{
  return line->leader ? 0 : line->x1 - line->x0;
}

/* The widest line of each twelfth of the page: short ones, as most cells of tables are, say little. */
static guint
sample_line (const GArray *lines, guint i)
{
  const guint first = i * lines->len / SAMPLE, end = (i + 1) * lines->len / SAMPLE;
  guint best = first;

  for (guint k = first; k < end; k++) {
    const DpScanLine *l = &g_array_index (lines, DpScanLine, k), *b = &g_array_index (lines, DpScanLine, best);
    if (width_of (l) > width_of (b))
      best = k;
  }
  return best;
}

static guint
weight_of (const DpScan *scan, guint index, const DpLineResult *line)
{
  if (!is_text (scan, index, line))
    return 0;
  if (line->n_chars <= SHORT)
    return line->confidence >= CONFIDENCE_FIGURES && g_unichar_isalnum (g_utf8_get_char (line->text)) ? WEIGHT_FIGURES : 0;
  return line->confidence < LEAST_CONFIDENCE_SAMPLE ? 0 : is_sentence (line) ? LEAST_WEIGHT_SAMPLE : WEIGHT_WORDS;
}

static gboolean
read_sample (const DpScan *scan, DpLineReader *reader, gboolean head_down, Batch *batch, guint *weight, GError **error)
{
  guint sample[SAMPLE];

  for (guint i = 0; i < SAMPLE; i++)
    sample[i] = sample_line (dp_scan_lines (scan), i);
  if (!batch_read (batch, scan, reader, sample, SAMPLE, head_down, error))
    return FALSE;
  *weight = 0;
  for (guint i = 0; i < SAMPLE; i++)
    *weight += weight_of (scan, sample[i], &batch->results[sample[i]]);
  return TRUE;
}

typedef enum { TEXT_UNKNOWN, TEXT_UPRIGHT, TEXT_NONE } Text;

/* The lines are others when the page has been turned over. */
static void
turn_over (DpScan *scan, Batch *batch)
{
  dp_scan_turn_over (scan);
  batch_clear (batch);
  batch_init (batch, scan);
}

/* Textures and greeked text have many lines, too: a sample of them saves reading all.  What cannot be read may stand on its
 * head: then it is turned over.  What can be read stands upright. */
static gboolean
try_sample (DpScan *scan, DpLineReader *reader, gboolean part, Batch *batch, Text *text, GError **error)
{
  g_auto (Batch) turned = { 0 };
  guint weight;

  *text = TEXT_UNKNOWN;
  if (dp_scan_lines (scan)->len < SAMPLE_FROM)
    return TRUE;
  if (!read_sample (scan, reader, FALSE, batch, &weight, error))
    return FALSE;
  *text = weight >= LEAST_WEIGHT_SAMPLE ? TEXT_UPRIGHT : TEXT_NONE;
  if (part || *text == TEXT_UPRIGHT || dp_scan_certainty (scan) >= SURE)
    return TRUE;
  batch_init (&turned, scan);
  if (!read_sample (scan, reader, TRUE, &turned, &weight, error))
    return FALSE;
  if (weight >= LEAST_WEIGHT_SAMPLE) {
    turn_over (scan, batch);
    *text = TEXT_UPRIGHT;
  }
  return TRUE;
}

/* ---- up or down ------------------------------------------------------------------------------------------------ */

static gint
compare_widths (gconstpointer a, gconstpointer b, gpointer lines)
{
  const DpScanLine *x = &g_array_index ((GArray *) lines, DpScanLine, *(const guint *) a),
                   *y = &g_array_index ((GArray *) lines, DpScanLine, *(const guint *) b);

  return width_of (y) - width_of (x);
}

static double
sense_of (const Batch *batch, const guint *lines, guint n)
{
  double sense = 0;

  for (guint i = 0; i < n; i++)
    sense += batch->results[lines[i]].confidence * (double) batch->results[lines[i]].n_chars;
  return sense;
}

/* Where the letters' shapes leave a doubt, the longest lines are read upright and upside down: what makes more
 * sense to the reader is right. */
static gboolean
settle_turn (DpScan *scan, DpLineReader *reader, Batch *batch, GError **error)
{
  const GArray *lines = dp_scan_lines (scan);
  const guint n = MIN (lines->len, TRIALS);
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (guint));
  g_auto (Batch) turned = { 0 };

  batch_init (&turned, scan);
  for (guint i = 0; i < lines->len; i++)
    g_array_append_val (order, i);
  g_array_sort_with_data (order, compare_widths, (gpointer) lines);
  const guint *longest = (const guint *) (gconstpointer) order->data;
  if (!batch_read (batch, scan, reader, longest, n, FALSE, error) || !batch_read (&turned, scan, reader, longest, n, TRUE, error))
    return FALSE;
  if (sense_of (&turned, longest, n) > sense_of (batch, longest, n))
    turn_over (scan, batch);
  return TRUE;
}

/* ---- what is decided over the page ------------------------------------------------------------------------------ */

typedef struct {
  float value, weight;
} Sample;

static gint
compare_samples (gconstpointer a, gconstpointer b)
{
  const Sample *x = a, *y = b;

  return (x->value > y->value) - (x->value < y->value);
}

static float
weighted_median (GArray *samples)
{
  double all = 0, sum = 0;

  g_array_sort (samples, compare_samples);
  for (guint i = 0; i < samples->len; i++)
    all += g_array_index (samples, Sample, i).weight;
  for (guint i = 0; i < samples->len; i++)
    if (2 * (sum += g_array_index (samples, Sample, i).weight) >= all)
      return g_array_index (samples, Sample, i).value;
  return 0;
}

/* Sizes that differ no more than measuring does become one: what is near the middle of the heaviest window of sizes first, then
 * of the next. */
static void
snap_sizes (GArray *lines)
{
  g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof (Sample));
  g_autofree gboolean *done = g_new0 (gboolean, lines->len + 1);

  for (guint i = 0; i < lines->len; i++) {
    const DpOcrLine *l = &g_array_index (lines, DpOcrLine, i);
    const Sample s = { l->size, (float) l->n_chars };
    g_array_append_val (sorted, s);
  }
  g_array_sort (sorted, compare_samples);
  for (guint round = 0; round < 24 && sorted->len; round++) {
    guint best = 0, best_end = 0;
    double sum = 0, best_sum = -1;

    for (guint i = 0, end = 0; i < sorted->len; i++) {
      const float least = g_array_index (sorted, Sample, i).value;
      for (; end < sorted->len && g_array_index (sorted, Sample, end).value <= least * (1 + 2 * SAME_SIZE); end++)
        sum += g_array_index (sorted, Sample, end).weight;
      if (sum > best_sum)
        best_sum = sum, best = i, best_end = end;
      sum -= g_array_index (sorted, Sample, i).weight;
    }
    g_autoptr (GArray) window = g_array_new (FALSE, FALSE, sizeof (Sample));
    g_array_append_vals (window, &g_array_index (sorted, Sample, best), best_end - best);
    const float size = weighted_median (window), least = size / (1 + SAME_SIZE), most = size * (1 + SAME_SIZE);
    while (g_array_index (sorted, Sample, best).value < least)
      best++;
    while (g_array_index (sorted, Sample, best_end - 1).value > most)
      best_end--;
    for (guint i = 0; i < lines->len; i++) {
      DpOcrLine *l = &g_array_index (lines, DpOcrLine, i);
      if (!done[i] && l->size >= least && l->size <= most) {
        l->size = size;
        done[i] = TRUE;
      }
    }
    g_array_remove_range (sorted, best, best_end - best);
  }
}

static float
boldness (const DpOcrLine *line, const DpOcrWord *word)
{
  return line->size > 0 ? word->stroke / line->size : 0;
}

/* Words with strokes much wider than those of the page; a line nearly all or hardly bold is so as a whole. */
static void
mark_bold (GArray *lines)
{
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (Sample));

  for (guint i = 0; i < lines->len; i++) {
    const DpOcrLine *l = &g_array_index (lines, DpOcrLine, i);
    for (guint k = 0; k < l->words->len; k++) {
      const DpOcrWord *w = &g_array_index (l->words, DpOcrWord, k);
      const Sample s = { boldness (l, w), (float) w->n };
      if (s.value > 0)
        g_array_append_val (samples, s);
    }
  }
  const float usual = weighted_median (samples);
  for (guint i = 0; usual > 0 && i < lines->len; i++) {
    const DpOcrLine *l = &g_array_index (lines, DpOcrLine, i);
    double all = 0, bold = 0;
    gboolean last = FALSE;
    for (guint k = 0; k < l->words->len; k++) {
      const DpOcrWord *w = &g_array_index (l->words, DpOcrWord, k);
      if (w->stroke > 0) {
        all += w->n;
        bold += boldness (l, w) > BOLD * usual ? w->n : 0;
      }
    }
    const gboolean whole = bold > 0.75 * all, none = bold < 0.3 * all || all == 0;
    for (guint k = 0; k < l->words->len && !none; k++) {
      const DpOcrWord *w = &g_array_index (l->words, DpOcrWord, k);
      last = whole || (w->stroke > 0 ? boldness (l, w) > BOLD * usual : last);
      for (guint c = w->first; last && (whole || w->n >= LEAST_BOLD) && c < w->first + w->n; c++)
        l->chars[c].flags |= DP_GLYPH_BOLD;
    }
  }
}

/* ---- to points ------------------------------------------------------------------------------------------------------ */

/* Takes the text and the characters of line. */
static void
add_line (const DpScan *scan, DpOcrLine *line, DpPageReading *out)
{
  const DpScanLine *l = &g_array_index (dp_scan_lines (scan), DpScanLine, line->line);
  const float k = (float) dp_scan_scale (scan);
  DpReading reading = { .box = { k * (float) l->x0, k * (float) l->y0, k * (float) l->x1, k * (float) l->y1 },
                        .confidence = line->confidence,
                        .baseline = k * l->baseline,
                        .size = k * line->size,
                        .joined = l->joined };

  for (guint i = 0; i < line->n_chars; i++) {
    line->chars[i].x0 *= k;
    line->chars[i].x1 *= k;
  }
  reading.text = g_steal_pointer (&line->text);
  reading.chars = g_steal_pointer (&line->chars);
  g_array_append_val (out->lines, reading);
}

static gboolean
in_a_picture (DpRect box, const GArray *pictures)
{
  for (guint i = 0; i < pictures->len; i++) {
    const DpRect *picture = &g_array_index (pictures, DpRect, i);
    if (dp_rect_contains_point (*picture, box.x0, box.y0) && dp_rect_contains_point (*picture, box.x1, box.y1))
      return TRUE;
  }
  return FALSE;
}

static DpPageReading *
gather (const DpScan *scan, GArray *lines)
{
  DpPageReading *out = dp_page_reading_new ();
  DpRect ink;

  g_array_append_vals (out->pictures, dp_scan_pictures (scan)->data, dp_scan_pictures (scan)->len);
  dp_ocr_grow_pictures (scan, lines, out->pictures);
  dp_ocr_find_formulas (scan, lines, out->pictures, out->formulas);
  for (guint i = 0; i < lines->len; i++)
    add_line (scan, &g_array_index (lines, DpOcrLine, i), out);
  for (guint i = 0; i < dp_scan_paths (scan)->len; i++)
    if (!in_a_picture (g_array_index (dp_scan_paths (scan), DpPath, i).box, out->pictures)) /* axes are no rules of a table */
      g_array_append_val (out->paths, g_array_index (dp_scan_paths (scan), DpPath, i));
  if (lines->len == 0 && out->pictures->len == 0 && dp_scan_ink_box (scan, &ink)) /* something is there, whatever it is */
    g_array_append_val (out->pictures, ink);
  out->text_share = dp_scan_text_share (scan, NULL);
  out->turn = dp_scan_turn (scan);
  out->skew = dp_scan_skew (scan);
  return out;
}

/* Whether it still looks so when bars and symbols, which no reader takes for text, do not count. */
static gboolean
was_text_part (const DpScan *scan, const GArray *lines)
{
  g_autofree guint8 *read = g_new0 (guint8, dp_scan_lines (scan)->len + 1);

  for (guint i = 0; i < lines->len; i++)
    read[g_array_index (lines, DpOcrLine, i).line] = 1;
  return dp_picture_text_scan (scan, read);
}

/* Whether a row of dots leads from the line before it: dots of a screen do not. */
static gboolean
is_leader (const DpScan *scan, guint i)
{
  const DpScanLine *l = &g_array_index (dp_scan_lines (scan), DpScanLine, i), *before = i ? l - 1 : NULL;

  return l->leader && before && !before->leader && fabsf (before->baseline - l->baseline) < 0.3f * l->em
         && (float) (l->x0 - before->x1) < LEADER_GAP * l->em;
}

/* All lines of the page but rows of dots; at most as many as any page of text has. */
static gboolean
read_all (const DpScan *scan, DpLineReader *reader, Batch *batch, GError **error)
{
  const guint n = MIN (batch->n, MOST_LINES);
  g_autofree guint *lines = g_new (guint, n + 1);
  guint count = 0;

  for (guint i = 0; i < n; i++)
    if (!g_array_index (dp_scan_lines (scan), DpScanLine, i).leader)
      lines[count++] = i;
  return batch_read (batch, scan, reader, lines, count, FALSE, error);
}

/* What was read goes to lines. */
static void
place_all (const DpScan *scan, Batch *batch, GArray *lines)
{
  gboolean words = FALSE; /* in the line before */

  for (guint i = 0; i < MIN (batch->n, MOST_LINES); i++) {
    DpOcrLine line;
    if (g_array_index (dp_scan_lines (scan), DpScanLine, i).leader) {
      if (words && is_leader (scan, i)) {
        dp_ocr_leader_place (scan, i, &line);
        g_array_append_val (lines, line);
      }
      words = FALSE;
      continue;
    }
    words = is_text (scan, i, &batch->results[i]) && dp_ocr_line_place (scan, i, batch->cuts[i].x, &batch->results[i], &line);
    if (words)
      g_array_append_val (lines, line);
  }
}

static gboolean
read_lines (DpScan *scan, DpLineReader *reader, gboolean part, GArray *lines, GError **error)
{
  g_auto (Batch) batch;
  Text text;

  batch_init (&batch, scan);
  if (!try_sample (scan, reader, part, &batch, &text, error))
    return FALSE;
  if (text == TEXT_NONE)
    return TRUE;
  if (text == TEXT_UNKNOWN && !part && dp_scan_certainty (scan) < CERTAIN && !settle_turn (scan, reader, &batch, error))
    return FALSE;
  if (!read_all (scan, reader, &batch, error))
    return FALSE;
  place_all (scan, &batch, lines);
  return TRUE;
}

/* Reads the lines of one sheet. */
static DpPageReading *
read_scan (DpOcr *ocr, DpScan *scan, gboolean part, DpReadingCost *cost, GError **error)
{
  g_autoptr (GArray) lines = g_array_new (FALSE, TRUE, sizeof (DpOcrLine));
  gint64 since = g_get_monotonic_time ();

  g_array_set_clear_func (lines, dp_ocr_line_clear);
  if (part ? dp_picture_text_scan (scan, NULL) : dp_scan_lines (scan)->len > 0) {
    DpLineReader *reader = dp_ocr_take_reader (ocr, error);
    const gboolean read = reader && read_lines (scan, reader, part, lines, error);
    if (reader)
      dp_ocr_give_back (ocr, reader);
    dp_reading_clock (&cost->read, &since);
    if (!read)
      return NULL;
    if (part && !was_text_part (scan, lines))
      g_array_set_size (lines, 0);
  }
  snap_sizes (lines);
  mark_bold (lines);
  dp_ocr_mark_pitch (scan, lines);
  dp_ocr_mark_bullets (lines);
  dp_ocr_order (scan, lines);
  return gather (scan, lines);
}

/* Two pages of an open book as one; takes both. */
static DpPageReading *
join_pages (DpPageReading *first, DpPageReading *second, float fold)
{
  DpPageReading *both = dp_page_reading_new ();

  both->text_share = 0.5 * (first->text_share + second->text_share);
  both->fold = fold;
  dp_page_reading_add (both, first, 0);
  dp_page_reading_add (both, second, fold);
  dp_page_reading_free (first);
  dp_page_reading_free (second);
  return both;
}

/* The sheets of a picture, side by side on the upright page. */
static DpPageReading *
read_sheets (DpOcr *ocr, DpScanSheets *sheets, DpReadingCost *cost, GError **error)
{
  g_autoptr (DpPageReading) reading = read_scan (ocr, dp_scan_sheets_scan (sheets, 0), FALSE, cost, error);
  g_autoptr (DpPageReading) right = NULL;

  if (reading && dp_scan_sheets_n (sheets) == 2)
    right = read_scan (ocr, dp_scan_sheets_scan (sheets, 1), FALSE, cost, error);
  if (!reading || (dp_scan_sheets_n (sheets) == 2 && !right))
    return NULL;
  DpWarp *warp = dp_scan_sheets_warp (sheets); /* now it is known which way they lie */
  if (!warp)
    return g_steal_pointer (&reading);
  if (right && dp_scan_sheets_over (sheets))
    reading = join_pages (g_steal_pointer (&right), g_steal_pointer (&reading), warp->sheets[1].box.x0);
  else if (right)
    reading = join_pages (g_steal_pointer (&reading), g_steal_pointer (&right), warp->sheets[1].box.x0);
  for (guint i = 0; i < warp->n; i++) {
    reading->width = MAX (reading->width, warp->sheets[i].box.x1);
    reading->height = MAX (reading->height, warp->sheets[i].box.y1);
  }
  reading->turn = 0;
  reading->skew = 0;
  reading->warp = warp;
  return g_steal_pointer (&reading);
}

DpPageReading *
dp_ocr_read (DpOcr *ocr, cairo_surface_t *picture, double dpi, gboolean part, DpReadingCost *cost, GError **error)
{
  DpReadingCost own = { 0 };
  DpReadingCost *spent = cost ? cost : &own;
  gint64 since = g_get_monotonic_time ();
  g_autoptr (DpScan) scan = part ? dp_scan_new (picture, dpi, TRUE, error) : NULL;
  g_autoptr (DpScanSheets) sheets = part ? NULL : dp_scan_sheets_new (picture, dpi, error);

  dp_reading_clock (&spent->find, &since);
  if (scan)
    return read_scan (ocr, scan, TRUE, spent, error);
  return sheets ? read_sheets (ocr, sheets, spent, error) : NULL;
}
