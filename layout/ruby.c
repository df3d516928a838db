/* layout/ruby.c - see ruby.h.
 *
 * Small syllables without anything else, over (in vertical writing, to the right of) a word with ideographs of nearly twice
 * their size that they hardly reach beyond.  Mixed into the text they would part its lines; they are kept aside.
 */
#include "layout/ruby.h"

#include "layout/frame.h"

#include <math.h>

#define SMALL 0.65f    /* of the size of the ideographs: usual is a half */
#define TOUCHING 0.35f /* of the size of the ideographs: boxes of both may overlap or leave as much between them */
#define BESIDE 0.5f    /* of the reading is over the ideographs */
#define MAX_SCAN 600   /* words looked at for one reading */

typedef struct {
  DpRect box; /* as the reader sees it */
  float size;
} Base;

static gboolean
is_syllable (gunichar c)
{
  return (c >= 0x3041 && c <= 0x3129) || c == 0x02ca || c == 0x02c7 || c == 0x02cb || c == 0x02d9; /* kana, bopomofo and its tones */
}

static gboolean
is_reading (const DpPageLayout *layout, const DpWord *word)
{
  gsize n;
  const char *text = dp_word_text (layout, word, &n);

  for (const char *p = text; p < text + n; p = g_utf8_next_char (p))
    if (!is_syllable (g_utf8_get_char (p)))
      return FALSE;
  return n > 0;
}

static gboolean
has_ideograph (const DpPageLayout *layout, const DpWord *word)
{
  gsize n;
  const char *text = dp_word_text (layout, word, &n);

  for (const char *p = text; p < text + n; p = g_utf8_next_char (p))
    if (g_unichar_get_script (g_utf8_get_char (p)) == G_UNICODE_SCRIPT_HAN)
      return TRUE;
  return FALSE;
}

static gint
by_top (gconstpointer a, gconstpointer b)
{
  const float x = ((const Base *) a)->box.y0, y = ((const Base *) b)->box.y0;

  return x < y ? -1 : x > y;
}

/* Whether a word with ideographs is right below the reading. */
static gboolean
stands_over (const GArray *bases, DpRect box, float size)
{
  const float reach = TOUCHING * size / SMALL * 1.5f; /* of any ideographs up to three times as large */
  guint lo = 0, hi = bases->len;

  while (lo < hi) {
    const guint mid = (lo + hi) / 2;
    if (g_array_index (bases, Base, mid).box.y0 < box.y1 - reach)
      lo = mid + 1;
    else
      hi = mid;
  }
  for (guint i = lo; i < bases->len && i < lo + MAX_SCAN; i++) {
    const Base *base = &g_array_index (bases, Base, i);
    if (base->box.y0 > box.y1 + reach)
      break;
    if (size <= SMALL * base->size && fabsf (base->box.y0 - box.y1) <= TOUCHING * base->size
        && dp_rect_overlap_x (box, base->box) >= BESIDE * dp_rect_width (box))
      return TRUE;
  }
  return FALSE;
}

static void
mark_direction (DpPageLayout *layout, gint angle)
{
  g_autoptr (GArray) bases = g_array_new (FALSE, FALSE, sizeof (Base));

  for (guint i = 0; i < layout->words->len; i++) {
    const DpWord *word = &g_array_index (layout->words, DpWord, i);
    if (word->angle == angle && !word->hidden && has_ideograph (layout, word))
      g_array_append_vals (bases, &(Base){ dp_frame_rect (word->box, angle), word->size }, 1);
  }
  g_array_sort (bases, by_top);
  for (guint i = 0; bases->len && i < layout->words->len; i++) {
    DpWord *word = &g_array_index (layout->words, DpWord, i);
    if (word->angle == angle && !word->hidden && is_reading (layout, word)
        && stands_over (bases, dp_frame_rect (word->box, angle), word->size))
      word->aside = TRUE;
  }
}

void
dp_layout_ruby (DpPageLayout *layout)
{
  mark_direction (layout, 0);
  mark_direction (layout, 90);
}
