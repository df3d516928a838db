/* layout/line_bidi.c - the words of a line that runs right to left, in the order in which they are read.
 *
 * What follows is the reverse of the Unicode bidirectional algorithm (UAX 9), as far as words on a line need it: words
 * run from the right, runs of Latin words and numbers keep their own direction inside, and the stop behind such a run,
 * which takes the direction of the line, stands on its left.  A bracket is drawn mirrored there, and fonts may name it by
 * what it means or by what it looks like: pairs that close before they open tell which.
 */
#include "layout/lines.h"

#include <string.h>

static void
reverse (guint *words, guint n)
{
  for (guint i = 0, j = n ? n - 1 : 0; i < j; i++, j--) {
    guint t = words[i];
    words[i] = words[j];
    words[j] = t;
  }
}

typedef enum { SIGNS, NUMBER, LETTERS } WordClass;

static WordClass
word_class (const DpPageLayout *layout, guint index)
{
  gsize n;
  const char *text = dp_word_text (layout, &g_array_index (layout->words, DpWord, index), &n);
  WordClass class = SIGNS;

  for (const char *p = text; p < text + n && class < LETTERS; p = g_utf8_next_char (p))
    class = g_unichar_isalpha (g_utf8_get_char (p)) ? LETTERS : g_unichar_isdigit (g_utf8_get_char (p)) ? NUMBER : class;
  return class;
}

/* Bytes of stops at the beginning of the word; they have no direction of their own. */
static gsize
leading_stops (const DpPageLayout *layout, const DpWord *word)
{
  gsize n, stops = 0;
  const char *text = dp_word_text (layout, word, &n);

  while (stops < n && strchr (".,:;!?", text[stops]))
    stops++;
  return stops;
}

/* The first n bytes of word a, ASCII, go behind word b. */
static void
move_stops (DpPageLayout *layout, DpWord *a, DpWord *b, gsize n)
{
  g_autofree char *stops = g_strndup (layout->text->str + a->text, n);
  g_autofree char *rest = NULL;

  a->text += (guint32) n;
  a->text_len -= (guint32) n;
  a->n_chars = (guint8) (a->n_chars - MIN (n, a->n_chars));
  rest = g_strndup (layout->text->str + b->text, b->text_len);
  b->text = (guint32) layout->text->len;
  b->text_len += (guint32) n;
  b->n_chars = (guint8) MIN (b->n_chars + n, 255);
  g_string_append (layout->text, rest);
  g_string_append (layout->text, stops);
}

/* Words that run left to right; the stop on their left ends them: it is read behind the last one. */
static void
turn_run (DpPageLayout *layout, guint *words, guint n)
{
  DpWord *first = &g_array_index (layout->words, DpWord, words[n - 1]), *last = &g_array_index (layout->words, DpWord, words[0]);
  gsize stops = leading_stops (layout, first);

  reverse (words, n);
  if (stops > 0)
    move_stops (layout, first, last, stops);
}

/* A stretch without words that run right to left.  Signs at its ends run with the line; those inside part numbers, and belong to
 * Latin text. */
static void
turn_stretch (DpPageLayout *layout, guint *words, guint n)
{
  guint first = 0, letters = 0;

  while (first < n && word_class (layout, words[first]) == SIGNS)
    first++;
  while (n > first && word_class (layout, words[n - 1]) == SIGNS)
    n--;
  for (guint i = first; i < n; i++)
    letters += word_class (layout, words[i]) == LETTERS ? 1 : 0;
  for (guint i = first, end; i < n; i = end + 1) {
    for (end = i; end < n && (letters > 0 || word_class (layout, words[end]) != SIGNS);)
      end++;
    if (end > i)
      turn_run (layout, words + i, end - i);
  }
}

void
dp_line_order_rtl (DpPageLayout *layout, guint *words, guint n)
{
  reverse (words, n);
  for (guint i = 0, end; i < n; i = MAX (end, i + 1)) {
    for (end = i; end < n && !g_array_index (layout->words, DpWord, words[end]).rtl;)
      end++;
    turn_stretch (layout, words + i, end - i);
  }
}

/* ---- brackets ------------------------------------------------------------------------------------------------------ */

static const char pairs[] = "()[]{}";

static gint
bracket_step (char c)
{
  const char *at = c ? strchr (pairs, c) : NULL;

  return !at ? 0 : (at - pairs) % 2 == 0 ? 1 : -1;
}

/* +1: the brackets of the line's right-to-left words close before they open; -1: they open first; 0: none, or half a pair. */
static gint
brackets_of_line (const DpPageLayout *layout, const DpLine *line)
{
  gint open = 0, first = 0;

  for (guint i = 0; i < line->n_words; i++) {
    const DpWord *word = &g_array_index (layout->words, DpWord, line->first_word + i);
    gsize n;
    const char *text = dp_word_text (layout, word, &n);
    for (gsize k = 0; word->rtl && k < n; k++) {
      open += bracket_step (text[k]);
      first = first ? first : bracket_step (text[k]);
    }
  }
  return open == 0 ? -first : 0;
}

void
dp_line_mirror_brackets (DpPageLayout *layout)
{
  gint by_look = 0;

  for (guint i = 0; i < layout->lines->len; i++) {
    const DpLine *line = &g_array_index (layout->lines, DpLine, i);
    by_look += line->rtl ? brackets_of_line (layout, line) : 0;
  }
  for (guint i = 0; by_look > 0 && i < layout->lines->len; i++) {
    const DpLine *line = &g_array_index (layout->lines, DpLine, i);
    for (guint k = 0; line->rtl && k < line->n_words; k++) {
      const DpWord *word = &g_array_index (layout->words, DpWord, line->first_word + k);
      char *text = layout->text->str + word->text;
      for (gsize c = 0; word->rtl && c < word->text_len; c++)
        if (bracket_step (text[c]))
          text[c] = pairs[(strchr (pairs, text[c]) - pairs) ^ 1];
    }
  }
}
