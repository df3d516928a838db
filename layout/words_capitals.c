/* layout/words_capitals.c - small capitals are lower-case letters in another dress.
 *
 * Text set in small capitals by scaling ("E" at 10 pt, "LECTRICAL" at 8 pt) keeps the case of
 * what the author typed in the sizes: what is set big was a capital, what is set small was
 * not.  The text layer takes the change of size for a space and loses the case; words.c joins
 * the pieces, and the case is put back here, as one would type such a line.
 */
#include "layout/words_capitals.h"

#include <math.h>

#define REACH 24u /* words on either side that one line may have */

static gboolean
is_capital (gunichar c)
{
  return g_unichar_isupper (c) || c == '-' || c == 0x2019 || c == '\'';
}

gboolean
dp_glyphs_small_capitals (const DpGlyph *a, const DpGlyph *b)
{
  float ratio = MIN (a->size, b->size) / MAX (MAX (a->size, b->size), 0.1f);

  return ratio > 0.65f && ratio < 0.9f && a->font == b->font && is_capital (a->code) && is_capital (b->code)
         && (g_unichar_isupper (a->code) || g_unichar_isupper (b->code));
}

/* All its letters are capitals. */
static gboolean
in_capitals (const DpPageLayout *layout, const DpWord *word)
{
  const char *text = layout->text->str + word->text, *end = text + word->text_len;
  guint letters = 0;

  for (; text < end; text = g_utf8_next_char (text)) {
    gunichar c = g_utf8_get_char (text);
    if (g_unichar_isalpha (c) && !g_unichar_isupper (c))
      return FALSE;
    letters += g_unichar_isalpha (c) ? 1 : 0;
  }
  return letters > 0;
}

static void
lower (DpPageLayout *layout, DpWord *word)
{
  g_autofree char *text = g_utf8_strdown (layout->text->str + word->text, (gssize) word->text_len);

  word->text = (guint32) layout->text->len;
  g_string_append (layout->text, text);
  word->text_len = (guint32) (layout->text->len - word->text);
  word->small_caps = TRUE;
}

/* Walks from a word with a big initial to one end of its line. */
static void
lower_side (DpPageLayout *layout, const DpSmallCapitals *from, gboolean ahead)
{
  const DpWord *seed = &g_array_index (layout->words, DpWord, from->word);
  guint i = from->word;

  for (guint k = 0; k < REACH; k++) {
    DpWord *word;
    if (ahead ? i + 1 >= layout->words->len || g_array_index (layout->words, DpWord, i).break_after : i == 0)
      return;
    word = &g_array_index (layout->words, DpWord, ahead ? ++i : --i);
    if (word->font != seed->font || word->angle != seed->angle || fabsf (word->baseline - seed->baseline) > 0.05f * seed->size
        || (!ahead && word->break_after))
      return;
    if (fabsf (word->size - from->size) <= 0.03f * from->size && in_capitals (layout, word)) {
      lower (layout, word);
      word->size = seed->size;
    }
  }
}

void
dp_words_lower_capitals (DpPageLayout *layout, const GArray *found)
{
  for (guint i = 0; i < found->len; i++) {
    const DpSmallCapitals *from = &g_array_index (found, DpSmallCapitals, i);
    lower_side (layout, from, TRUE);
    lower_side (layout, from, FALSE);
  }
}
