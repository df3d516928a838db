/* layout/words_skewed.c - stamps: text at an angle that is no quarter turn.
 *
 * A text layer cuts "COPY" across a page into letters and sorts them by height, each on a line of its
 * own.  Here the pieces of one angle and size that stand on one slanted line are put in order along it
 * and joined, so that a stamp is one word, with blanks where it has them.
 */
#include "layout/words_skewed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layout/frame.h"

#define MAX_PIECES 512u   /* more is a drawing made of letters */
#define LETTER_WIDTH 0.6f /* em, of capitals and small letters together */
#define SAME_LINE 0.4f    /* em across the direction of writing */
#define REACH 1.5f        /* em between two pieces of one stamp */
#define BLANK 0.35f       /* em from which a gap is a blank */

typedef struct {
  guint word;
  gint angle;
  float size, across, from, to; /* along the direction of writing */
} Piece;

static Piece
piece_of (const DpPageLayout *layout, guint index)
{
  const DpWord *word = &g_array_index (layout->words, DpWord, index);
  double turn = word->angle * G_PI / 180;
  float x = dp_rect_cx (word->box), y = dp_rect_cy (word->box), half = 0.5f * LETTER_WIDTH * word->size * (float) word->n_chars;
  float along = x * (float) cos (turn) + y * (float) sin (turn);

  return (Piece){ .word = index,
                  .angle = word->angle,
                  .size = word->size,
                  .across = y * (float) cos (turn) - x * (float) sin (turn),
                  .from = along - half,
                  .to = along + half };
}

static gint
compare_lines (gconstpointer a, gconstpointer b)
{
  const Piece *x = a, *y = b;

  if (x->angle != y->angle)
    return x->angle < y->angle ? -1 : 1;
  if (x->size != y->size)
    return x->size < y->size ? -1 : 1;
  return x->across < y->across ? -1 : x->across > y->across;
}

static gint
compare_along (gconstpointer a, gconstpointer b)
{
  const Piece *x = a, *y = b;

  return x->from < y->from ? -1 : x->from > y->from;
}

/* The pieces first..last of one stamp become its foremost word; the others lose their text. */
static void
join_pieces (DpPageLayout *layout, const Piece *pieces, guint n)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint home = pieces[0].word, chars = 0;
  DpRect box = g_array_index (layout->words, DpWord, home).box;
  DpWord *word;

  for (guint i = 0; i < n; i++) {
    gsize length;
    const char *piece = dp_word_text (layout, &g_array_index (layout->words, DpWord, pieces[i].word), &length);
    if (i && pieces[i].from - pieces[i - 1].to > BLANK * pieces[i].size) {
      g_string_append_c (text, ' ');
      chars++;
    }
    g_string_append_len (text, piece, (gssize) length);
    word = &g_array_index (layout->words, DpWord, pieces[i].word);
    chars += word->n_chars;
    box = dp_rect_union (box, word->box);
    home = MIN (home, pieces[i].word);
    word->text_len = 0;
  }
  word = &g_array_index (layout->words, DpWord, home);
  word->text = (guint32) layout->text->len;
  word->text_len = (guint32) text->len;
  word->n_chars = (guint8) MIN (chars, 255);
  word->box = box;
  word->break_after = TRUE;
  g_string_append_len (layout->text, text->str, (gssize) text->len);
}

/* Pieces on one slanted line, by their place along it. */
static void
join_line (DpPageLayout *layout, Piece *pieces, guint n)
{
  qsort (pieces, n, sizeof *pieces, compare_along);
  for (guint i = 0, j; i < n; i = j) {
    for (j = i + 1; j < n && pieces[j].from - pieces[j - 1].to < REACH * pieces[j].size; j++)
      ;
    if (j - i > 1)
      join_pieces (layout, pieces + i, j - i);
  }
}

static void
drop_empty (GArray *words)
{
  guint kept = 0;

  for (guint i = 0; i < words->len; i++)
    if (g_array_index (words, DpWord, i).text_len > 0)
      g_array_index (words, DpWord, kept++) = g_array_index (words, DpWord, i);
  g_array_set_size (words, kept);
}

void
dp_words_join_skewed (DpPageLayout *layout)
{
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (Piece));

  for (guint i = 0; i < layout->words->len && pieces->len <= MAX_PIECES; i++) {
    const DpWord *word = &g_array_index (layout->words, DpWord, i);
    if (word->angle != dp_frame_snap (word->angle) && !word->hidden && word->size > 0 && word->text_len > 0) {
      Piece piece = piece_of (layout, i);
      if (isfinite (piece.from) && isfinite (piece.across))
        g_array_append_val (pieces, piece);
    }
  }
  if (pieces->len < 2 || pieces->len > MAX_PIECES)
    return;
  g_array_sort (pieces, compare_lines);
  for (guint i = 0, j; i < pieces->len; i = j) {
    const Piece *first = &g_array_index (pieces, Piece, i);
    for (j = i + 1; j < pieces->len; j++) {
      const Piece *piece = &g_array_index (pieces, Piece, j);
      if (piece->angle != first->angle || piece->size > 1.05f * first->size || piece->across - piece[-1].across > SAME_LINE * piece->size
          || piece->across < piece[-1].across)
        break;
    }
    join_line (layout, &g_array_index (pieces, Piece, i), j - i);
  }
  drop_empty (layout->words);
}
