/* layout/line_bidi.c - the words of a line that runs right to left, in the order in which they are read.
 *
 * What follows is the reverse of the Unicode bidirectional algorithm (UAX 9), as far as words on a line need it: words
 * run from the right, runs of Latin words and numbers keep their own direction inside, and the stop behind such a run,
 * which takes the direction of the line, stands on its left.
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

/* The stop on the left of words that run left to right ends them: it is read behind the last one. */
static void
stops_to_end (DpPageLayout *layout, guint *words, guint n)
{
  DpWord *first = &g_array_index (layout->words, DpWord, words[0]), *last = &g_array_index (layout->words, DpWord, words[n - 1]);
  gsize stops = leading_stops (layout, first);

  if (stops == 0)
    return;
  if (stops < first->text_len) {
    move_stops (layout, first, last, stops);
    return;
  }
  for (guint i = 0, alone = words[0]; i < n; i++)
    words[i] = i + 1 < n ? words[i + 1] : alone;
}

void
dp_line_order_rtl (DpPageLayout *layout, guint *words, guint n)
{
  reverse (words, n);
  for (guint i = 0; i < n;) {
    guint end = i;

    while (end < n && !g_array_index (layout->words, DpWord, words[end]).rtl)
      end++;
    if (end > i) {
      reverse (words + i, end - i);
      stops_to_end (layout, words + i, end - i);
    }
    i = MAX (end, i + 1);
  }
}
