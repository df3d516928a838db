/* layout/combs.c - rows of boxes for one letter each, as forms have them for names and numbers.
 *
 * The boxes' uprights are short, equally far apart and as high as each other.  What is written
 * in them is text, not a table: letters in neighbouring boxes become one word, an empty box is
 * a blank, and the boxes leave the rules.
 */
#include "layout/combs.h"

#include <math.h>
#include <stdlib.h>

#define MIN_BOXES 4u    /* fewer are too few to tell from cells */
#define MIN_HEIGHT 6.0f /* points; shorter are the ticks of a scale */
#define MAX_HEIGHT 40.0f
#define MIN_PITCH 5.0f  /* points */
#define MAX_ASPECT 1.6f /* of a box's width to its height */
#define SAME 1.2f       /* points: ends of uprights, their distances */

typedef struct {
  DpPageLayout *layout;
  GArray *uprights; /* DpRule, by their upper ends, then left to right */
  GArray *words;    /* guint: level words by baseline */
  guint8 *gone;     /* per word: joined to another */
  guint tried;
} Combs;

static gint
by_upper_end (gconstpointer a, gconstpointer b)
{
  const DpRule *x = a, *y = b;

  return x->from != y->from ? (x->from < y->from ? -1 : 1) : x->pos < y->pos ? -1 : x->pos > y->pos;
}

static gint
by_place (gconstpointer a, gconstpointer b)
{
  const DpRule *x = a, *y = b;

  return x->pos < y->pos ? -1 : x->pos > y->pos;
}

static gint
by_middle (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpPageLayout *layout = data;
  float x = dp_rect_cy (g_array_index (layout->words, DpWord, *(const guint *) a).box);
  float y = dp_rect_cy (g_array_index (layout->words, DpWord, *(const guint *) b).box);

  return x < y ? -1 : x > y;
}

static const DpRule *
upright (const Combs *c, guint i)
{
  return &g_array_index (c->uprights, DpRule, i);
}

static DpWord *
word_at (const Combs *c, guint i)
{
  return &g_array_index (c->layout->words, DpWord, i);
}

/* The uprights from first on that stand one box apart: how many. */
static guint
comb_length (const Combs *c, guint first, guint end)
{
  const DpRule *a = upright (c, first);
  float height = a->to - a->from, pitch;
  guint n = 1;

  if (first + 1 >= end || height < MIN_HEIGHT || height > MAX_HEIGHT)
    return 1;
  pitch = a[1].pos - a->pos;
  if (pitch < MIN_PITCH || pitch > MAX_ASPECT * height)
    return 1;
  while (first + n < end && fabsf (a[n].pos - a[n - 1].pos - pitch) < SAME && fabsf (a[n].to - a->to) < SAME)
    n++;
  return n;
}

/* ---- the letters ---------------------------------------------------------------------------- */

/* The words inside the box, left to right (guint). */
static GArray *
words_inside (const Combs *c, DpRect box)
{
  GArray *inside = g_array_new (FALSE, FALSE, sizeof (guint));
  guint lo = 0, hi = c->words->len;

  while (lo < hi) {
    guint mid = (lo + hi) / 2;
    if (dp_rect_cy (word_at (c, g_array_index (c->words, guint, mid))->box) < box.y0)
      lo = mid + 1;
    else
      hi = mid;
  }
  for (; lo < c->words->len; lo++) {
    const guint i = g_array_index (c->words, guint, lo);
    const DpWord *w = word_at (c, i);
    guint at = inside->len;
    if (dp_rect_cy (w->box) > box.y1)
      break;
    if (dp_rect_cx (w->box) < box.x0 || dp_rect_cx (w->box) > box.x1)
      continue;
    while (at > 0 && word_at (c, g_array_index (inside, guint, at - 1))->box.x0 > w->box.x0)
      at--;
    g_array_insert_val (inside, at, i);
  }
  return inside;
}

/* TRUE if each box holds one letter at most. */
static gboolean
are_letters (const Combs *c, const GArray *inside, float x0, float pitch)
{
  gint last = -1;

  for (guint i = 0; i < inside->len; i++) {
    const DpWord *w = word_at (c, g_array_index (inside, guint, i));
    const gint first = (gint) floorf ((w->box.x0 - x0) / pitch + 0.15f), end = (gint) floorf ((w->box.x1 - x0) / pitch - 0.15f);
    if (first <= last || end - first + 1 != w->n_chars)
      return FALSE;
    last = end;
  }
  return TRUE;
}

/* The word takes in the next one, which stands in the box right behind its last. */
static void
join (Combs *c, DpWord *word, guint next)
{
  DpWord *other = word_at (c, next);
  GString *text = c->layout->text;
  const guint32 at = (guint32) text->len;

  g_string_append_len (text, text->str + word->text, word->text_len);
  g_string_append_len (text, text->str + other->text, other->text_len);
  word->text = at;
  word->text_len += other->text_len;
  word->n_chars = (guint8) MIN (255, word->n_chars + other->n_chars);
  word->box = dp_rect_union (word->box, other->box);
  if (other->first_glyph >= word->first_glyph)
    word->n_glyphs = other->first_glyph + other->n_glyphs - word->first_glyph;
  word->break_after = other->break_after;
  c->gone[next] = 1;
}

static void
join_letters (Combs *c, const GArray *inside, float pitch)
{
  DpWord *word = NULL;

  for (guint i = 0; i < inside->len; i++) {
    const guint at = g_array_index (inside, guint, i);
    DpWord *next = word_at (c, at);
    if (word && dp_rect_cx (next->box) - word->box.x1 < pitch) {
      join (c, word, at);
      continue;
    }
    next->space_before = word != NULL || next->space_before;
    word = next;
  }
}

/* ---- the boxes ------------------------------------------------------------------------------- */

/* Takes the uprights and the level rules of a comb out of the page's rules. */
static void
drop_rules (DpPageLayout *layout, DpRect box)
{
  for (guint upright = 0; upright < 2; upright++) {
    GArray *rules = upright ? layout->vrules : layout->hrules;
    const float p0 = upright ? box.x0 : box.y0, p1 = upright ? box.x1 : box.y1;
    const float f0 = upright ? box.y0 : box.x0, f1 = upright ? box.y1 : box.x1;
    guint kept = 0;
    for (guint i = 0; i < rules->len; i++) {
      const DpRule rule = g_array_index (rules, DpRule, i);
      if (rule.pos < p0 - SAME || rule.pos > p1 + SAME || rule.from < f0 - SAME || rule.to > f1 + SAME)
        g_array_index (rules, DpRule, kept++) = rule;
    }
    g_array_set_size (rules, kept);
  }
}

static void
try_comb (Combs *c, guint first, guint n)
{
  const DpRule *a = upright (c, first), *b = upright (c, first + n - 1);
  const float pitch = (b->pos - a->pos) / (float) (n - 1);
  const DpRect box = { a->pos, a->from, b->pos, a->to };
  g_autoptr (GArray) inside = words_inside (c, box);

  if (!are_letters (c, inside, box.x0, pitch))
    return;
  join_letters (c, inside, pitch);
  drop_rules (c->layout, box);
}

/* Finds the combs among uprights whose upper ends agree. */
static void
try_level (Combs *c, guint first, guint end)
{
  qsort (&g_array_index (c->uprights, DpRule, first), end - first, sizeof (DpRule), by_place);
  for (guint i = first; i < end && c->tried < DP_MAX_COMBS;) {
    guint n = comb_length (c, i, end);
    if (n > MIN_BOXES) {
      try_comb (c, i, n);
      c->tried++;
    }
    i += n > 1 ? n - 1 : 1;
  }
}

static void
drop_joined_words (Combs *c)
{
  GArray *words = c->layout->words;
  guint kept = 0;

  for (guint i = 0; i < words->len; i++)
    if (!c->gone[i])
      g_array_index (words, DpWord, kept++) = g_array_index (words, DpWord, i);
  g_array_set_size (words, kept);
}

void
dp_layout_combs (DpPageLayout *layout)
{
  Combs c = { .layout = layout };
  g_autoptr (GArray) uprights = NULL, words = NULL;
  g_autofree guint8 *gone = NULL;

  if (layout->vrules->len <= MIN_BOXES)
    return;
  c.uprights = uprights = g_array_copy (layout->vrules);
  c.words = words = g_array_new (FALSE, FALSE, sizeof (guint));
  c.gone = gone = g_new0 (guint8, layout->words->len + 1);
  for (guint i = 0; i < layout->words->len; i++)
    if (word_at (&c, i)->angle == 0)
      g_array_append_val (words, i);
  g_array_sort_with_data (words, by_middle, layout);
  g_array_sort (uprights, by_upper_end);
  for (guint i = 0; i < uprights->len;) {
    guint end = i + 1;
    while (end < uprights->len && upright (&c, end)->from - upright (&c, end - 1)->from < SAME)
      end++;
    try_level (&c, i, end);
    i = end;
  }
  drop_joined_words (&c);
}
