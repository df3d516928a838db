/* layout/line_facts.c - what a line says of itself once its words are known: the size and
 * baseline that hold most characters, direction, scripts, spaces, style, box.  See lines.h.
 */
#include "layout/frame.h"
#include "layout/lines.h"
#include "layout/text.h"

#include <math.h>

/* Dots alone: they lead to a page number, often small and slanted, and there are more of them than letters. */
static gboolean
is_leader (const DpPageLayout *layout, const DpWord *word)
{
  gsize n;
  const char *text = dp_word_text (layout, word, &n);

  for (const char *p = text; p < text + n; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);
    if (c != '.' && c != 0xB7 && c != 0x2026)
      return FALSE;
  }
  return n > 0;
}

static gboolean
has_letters (const DpPageLayout *layout, const DpWord *word)
{
  gsize n;
  const char *text = dp_word_text (layout, word, &n);

  for (const char *p = text; p < text + n; p = g_utf8_next_char (p))
    if (g_unichar_isalpha (g_utf8_get_char (p)))
      return TRUE;
  return FALSE;
}

/* Program text inside a sentence is often set smaller, and can hold half of a line: what stands around it counts for more. */
static guint
weight_of (const DpPageLayout *layout, const DpWord *word)
{
  if (is_leader (layout, word))
    return 0;
  return word->n_chars * (word->style & DP_SPAN_MONO ? 1 : 3);
}

/* Weights words by their characters to find the size and baseline that hold most. */
static const DpWord *
main_word (const DpPageLayout *layout, const guint *words, guint n)
{
  const DpWord *best = NULL;
  guint best_weight = 0;

  for (guint i = 0; i < n && i < 256; i++) {
    const DpWord *w = &g_array_index (layout->words, DpWord, words[i]);
    guint weight = 0;

    if (best && best->size == w->size && best->baseline == w->baseline)
      continue;
    for (guint k = 0; k < n && k < 256; k++) {
      const DpWord *o = &g_array_index (layout->words, DpWord, words[k]);

      if (fabsf (o->size - w->size) < 0.03f * w->size && fabsf (o->baseline - w->baseline) < 0.06f * w->size)
        weight += weight_of (layout, o);
    }
    if (weight > best_weight) {
      best_weight = weight;
      best = w;
    }
  }
  return best ? best : &g_array_index (layout->words, DpWord, words[0]);
}

static gboolean
joint_is_cjk (const DpPageLayout *layout, const DpWord *a, const DpWord *b)
{
  const char *end = layout->text->str + a->text + a->text_len;

  return a->text_len && dp_text_is_cjk (g_utf8_get_char (g_utf8_prev_char (end)))
         && dp_text_is_cjk (g_utf8_get_char (layout->text->str + b->text));
}

/* Spaces between neighbours on the line: the layer's word where the two are neighbours
 * there, the gap elsewhere; never between CJK characters that stand close. */
static void
set_spaces (DpPageLayout *layout, const DpLine *line)
{
  for (guint i = 0; i < line->n_words; i++) {
    DpWord *w = &g_array_index (layout->words, DpWord, line->first_word + i);
    const DpWord *p = i ? w - 1 : NULL;
    DpRect rw = dp_frame_rect (w->box, dp_frame_snap (line->angle)), rp;
    float gap;

    if (!p) {
      w->space_before = FALSE;
      continue;
    }
    rp = dp_frame_rect (p->box, dp_frame_snap (line->angle));
    gap = MAX (rw.x0 - rp.x1, rp.x0 - rw.x1) / MAX (line->size, 0.5f);
    if (w->layer != p->layer + 1 || p->break_after)
      w->space_before = gap > (w->style & (DP_SPAN_SUPER | DP_SPAN_SUB) ? 0.25f : 0.12f);
    /* Fonts change at a script, and layers take that for a space. */
    if ((w->style | p->style) & (DP_SPAN_SUPER | DP_SPAN_SUB) && gap < 0.15f)
      w->space_before = FALSE;
    if (joint_is_cjk (layout, p, w))
      w->space_before = gap > 0.9f;
    /* A drop cap is part of its word. */
    if (i == 1 && p->size > 1.7f * line->size && p->n_chars == 1 && p->baseline - w->baseline > 0.5f * line->size)
      w->space_before = w->layer == p->layer + 1 ? w->space_before && !p->break_after && gap > 0.3f : FALSE;
  }
}

static void
set_scripts (DpPageLayout *layout, const DpLine *line)
{
  float sign = line->angle == 90 || line->angle == 180 ? -1 : 1;

  for (guint i = 0; i < line->n_words; i++) {
    DpWord *w = &g_array_index (layout->words, DpWord, line->first_word + i);
    float rise = sign * (line->baseline - w->baseline) / MAX (line->size, 0.5f);

    if (w->vertical || w->size >= 1.5f * line->size || line->n_words < 2)
      continue;
    if (w->size < DP_SCRIPT_RATIO * line->size && rise > 0.1f)
      w->style |= DP_SPAN_SUPER;
    else if (w->size < DP_SCRIPT_RATIO * line->size && rise < -0.08f)
      w->style |= DP_SPAN_SUB;
    else if (rise > 0.25f && w->n_chars <= 3)
      w->style |= DP_SPAN_SUPER;
  }
}

static void
set_line_style (const DpPageLayout *layout, DpLine *line)
{
  guint all = 0, bold = 0, italic = 0, mono = 0;

  for (guint i = 0; i < line->n_words; i++) {
    const DpWord *w = &g_array_index (layout->words, DpWord, line->first_word + i);

    all += w->n_chars;
    bold += w->style & DP_SPAN_BOLD ? w->n_chars : 0;
    italic += w->style & DP_SPAN_ITALIC ? w->n_chars : 0;
    mono += w->style & DP_SPAN_MONO ? w->n_chars : 0;
  }
  line->style = (guint16) ((10 * bold >= 9 * all && bold ? DP_SPAN_BOLD : 0) | (10 * italic >= 9 * all && italic ? DP_SPAN_ITALIC : 0)
                           | (10 * mono >= 9 * all && mono ? DP_SPAN_MONO : 0));
}

/* The line's box: words much taller than the line (initials) count along it only. */
static DpRect
line_box (const DpPageLayout *layout, const DpLine *line)
{
  DpRect box = { 0 };
  gboolean any = FALSE;
  gint angle = dp_frame_snap (line->angle);

  for (guint i = 0; i < line->n_words; i++) {
    const DpWord *w = &g_array_index (layout->words, DpWord, line->first_word + i);

    if (w->size > 1.6f * line->size)
      continue;
    box = any ? dp_rect_union (box, w->box) : w->box;
    any = TRUE;
  }
  for (guint i = 0; i < line->n_words; i++) {
    const DpWord *w = &g_array_index (layout->words, DpWord, line->first_word + i);
    DpRect frame = dp_frame_rect (any ? box : w->box, angle), word = dp_frame_rect (w->box, angle);

    frame.x0 = MIN (frame.x0, word.x0);
    frame.x1 = MAX (frame.x1, word.x1);
    box = dp_frame_unrect (frame, angle);
    any = TRUE;
  }
  return box;
}

/* Letters decide: dots that lead to a page number, and the number, run with them. */
gboolean
dp_words_run_rtl (const DpPageLayout *layout, const guint *words, guint n)
{
  gint balance = 0;

  for (guint i = 0; i < n; i++) {
    const DpWord *w = &g_array_index (layout->words, DpWord, words[i]);
    balance += w->rtl ? w->n_chars : has_letters (layout, w) ? -(gint) w->n_chars : 0;
  }
  return balance > 0;
}

void
dp_line_add (DpPageLayout *layout, GArray *words, guint *indices, guint n, gint angle)
{
  const DpWord *usual = main_word (layout, indices, n);
  DpLine line = { .baseline = usual->baseline,
                  .size = usual->size,
                  .colour = usual->colour,
                  .font = usual->font,
                  .angle = (gint16) angle,
                  .n_words = n,
                  .region = -1 };

  line.rtl = dp_words_run_rtl (layout, indices, n);
  if (line.rtl)
    dp_line_order_rtl (layout, indices, n);
  line.first_word = words->len;
  for (guint i = 0; i < n; i++)
    g_array_append_val (words, g_array_index (layout->words, DpWord, indices[i]));
  g_array_append_val (layout->lines, line);
}

void
dp_line_finish (DpPageLayout *layout, DpLine *line)
{
  set_scripts (layout, line);
  set_spaces (layout, line);
  set_line_style (layout, line);
  line->box = line_box (layout, line);
}
