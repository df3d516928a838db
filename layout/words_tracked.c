/* layout/words_tracked.c - letters set wide apart come together again.
 *
 * A text layer takes wide tracking for spaces.  Two signs tell it from real ones: lone
 * letters in a row ("T H E  T I T L E"), and a line whose "spaces" are of two kinds, many
 * hardly wider than nothing between short pieces, and a few at least twice as wide.
 */
#include "layout/words_tracked.h"
#include "layout/compare.h"

#include "layout/frame.h"
#include "layout/text.h"

#include <math.h>
#include <stdlib.h>

#define MAX_RUN 400     /* words looked at together */
#define LETTER_RUN 5    /* lone letters in a row that make a tracked word */
#define TIGHT_GAP 0.16f /* em: a space hardly wider than none */
#define WIDE_OVER_TIGHT 2.0f
#define SHORT_PIECE 3.0f /* characters, on average, of what tracking tears apart */

static const DpWord *
word_at (const DpPageLayout *l, guint i)
{
  return &g_array_index (l->words, DpWord, i);
}

static gboolean
is_single_letter (const DpPageLayout *l, const DpWord *w)
{
  gunichar c = g_utf8_get_char (l->text->str + w->text);

  return w->n_chars == 1 && g_unichar_isalpha (c) && !dp_text_is_cjk (c);
}

static float
gap_em (const DpWord *a, const DpWord *b)
{
  DpRect ra = dp_frame_rect (a->box, a->angle), rb = dp_frame_rect (b->box, b->angle);

  return MAX (rb.x0 - ra.x1, ra.x0 - rb.x1) / MAX (a->size, 0.1f);
}

/* Do p and q follow each other on one line in one face? */
static gboolean
same_run (const DpWord *p, const DpWord *q)
{
  return !p->break_after && q->font == p->font && q->angle == p->angle && q->hidden == p->hidden && q->style == p->style
         && fabsf (q->baseline - p->baseline) <= 0.1f * p->size && fabsf (q->size - p->size) <= 0.05f * p->size && gap_em (p, q) <= 2.5f;
}

/* Appends w to the last word of out. */
static void
append_piece (DpPageLayout *l, GArray *out, const DpWord *w)
{
  DpWord *to = &g_array_index (out, DpWord, out->len - 1);
  g_autofree char *head = g_strndup (l->text->str + to->text, to->text_len);
  g_autofree char *tail = g_strndup (l->text->str + w->text, w->text_len);

  to->text = (guint32) l->text->len;
  g_string_append (l->text, head);
  g_string_append (l->text, tail);
  to->text_len = (guint32) l->text->len - to->text;
  to->box = dp_rect_union (to->box, w->box);
  to->n_chars = (guint8) MIN (255, to->n_chars + w->n_chars);
  to->break_after = w->break_after;
  if (w->first_glyph >= to->first_glyph)
    to->n_glyphs = w->first_glyph + w->n_glyphs - to->first_glyph;
}

/* The widest gap that tracking explains in a run of words, or 0: gaps of a tight and a wide
 * kind, and short pieces where they are tight. */
static float
tight_limit (const DpPageLayout *l, guint first, const float *gaps, guint n)
{
  guint n_tight = 0, n_wide = 0, chars = 0, pieces = 0;
  float widest_tight = 0, narrowest_wide = G_MAXFLOAT;

  for (guint i = 1; i < n; i++) {
    if (gaps[i] > TIGHT_GAP) {
      n_wide++;
      narrowest_wide = MIN (narrowest_wide, gaps[i]);
      continue;
    }
    n_tight++;
    widest_tight = MAX (widest_tight, gaps[i]);
    chars += word_at (l, first + i - 1)->n_chars + word_at (l, first + i)->n_chars;
    pieces += 2;
  }
  if (n_tight < 3 || (n_wide && narrowest_wide < WIDE_OVER_TIGHT * widest_tight))
    return 0;
  return (float) chars <= SHORT_PIECE * (float) pieces && (n_wide || (float) chars <= 2 * (float) pieces) ? widest_tight : 0;
}

/* Lone letters in a row: joined wherever the gap is like most. */
static float
letter_limit (const float *gaps, guint n)
{
  g_autofree float *sorted = g_memdup2 (gaps + 1, (n - 1) * sizeof (float));
  float usual;

  qsort (sorted, n - 1, sizeof (float), dp_compare_floats);
  usual = sorted[(n - 1) / 2];
  return usual < 0.8f ? 1.35f * usual + 0.02f : 0;
}

/* Copies the words first..first+n to out, joined where the gap is at most `limit`. */
static void
copy_joined (DpPageLayout *l, guint first, guint n, const float *gaps, float limit, GArray *out)
{
  for (guint i = 0; i < n; i++) {
    DpWord w = *word_at (l, first + i);

    if (i && limit > 0 && gaps[i] <= limit + 0.001f)
      append_piece (l, out, &w);
    else
      g_array_append_val (out, w);
  }
}

static void
join_run (DpPageLayout *l, guint first, guint n, GArray *out)
{
  g_autofree float *gaps = g_new0 (float, n);
  float limit;

  for (guint i = 1; i < n; i++)
    gaps[i] = gap_em (word_at (l, first + i - 1), word_at (l, first + i));
  limit = tight_limit (l, first, gaps, n);
  if (limit > 0) {
    copy_joined (l, first, n, gaps, limit, out);
    return;
  }
  for (guint i = 0; i < n;) {
    guint letters = 0;

    while (i + letters < n && is_single_letter (l, word_at (l, first + i + letters)))
      letters++;
    if (letters >= LETTER_RUN)
      copy_joined (l, first + i, letters, gaps + i, letter_limit (gaps + i, letters), out);
    else
      copy_joined (l, first + i, MAX (letters, 1), gaps + i, 0, out);
    i += MAX (letters, 1);
  }
}

void
dp_words_join_tracked (DpPageLayout *layout)
{
  GArray *out = g_array_sized_new (FALSE, TRUE, sizeof (DpWord), layout->words->len);

  for (guint i = 0, n; i < layout->words->len; i += n) {
    for (n = 1; i + n < layout->words->len && n < MAX_RUN && same_run (word_at (layout, i + n - 1), word_at (layout, i + n)); n++)
      ;
    join_run (layout, i, n, out);
  }
  g_array_unref (layout->words);
  layout->words = out;
  for (guint i = 0; i < out->len; i++)
    g_array_index (out, DpWord, i).layer = i;
}
