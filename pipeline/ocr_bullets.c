/* pipeline/ocr_bullets.c - bullets that were read as something else.
 *
 * A disc with a rim is a copyright sign to the reader, a small square a degree, a ring an o.  What tells is the list: the same sign alone
 * before a wide gap, at the same place on several lines, with their texts below each other.
 */
#include "pipeline/ocr_private.h"

#include <math.h>
#include <string.h>

#define LEAST_SIGNS 2u
#define LEAST_LETTERS 3u /* an o or e may be a word */
#define LEAST_GAP 0.45f  /* em between a bullet and its text; words stand 0.3 apart */
#define MOST_GAP 2.5f
#define MOST_WIDTH 0.75f /* em */
#define SAME_PLACE 0.3f  /* em */
#define MOST_FOUND 400u  /* lines that begin so; more are no list */

typedef struct {
  guint line;
  gunichar sign;
  float x, text; /* where the sign and the text behind it begin */
} Found;

static gboolean
is_letter (gunichar c)
{
  return c == 'o' || c == 'O' || c == 'e' || c == '0';
}

/* Signs that hardly ever begin a line by themselves. */
static gboolean
may_be_bullet (gunichar c)
{
  return is_letter (c) || c == 0xa9 || c == 0xae || c == 0xb0 || c == 0xa4 || c == 0xa2 || c == '@' || c == 0xb7 || c == 0xba;
}

static gboolean
begins_so (const DpOcrLine *line, Found *found)
{
  const gunichar c = g_utf8_get_char (line->text);

  if (line->n_chars < 4 || !may_be_bullet (c) || !(line->chars[1].flags & DP_GLYPH_SPACE))
    return FALSE;
  const float gap = line->chars[2].x0 - line->chars[0].x1, width = line->chars[0].x1 - line->chars[0].x0;
  found->sign = c;
  found->x = line->chars[0].x0;
  found->text = line->chars[2].x0;
  return gap >= LEAST_GAP * line->size && gap <= MOST_GAP * line->size && width <= MOST_WIDTH * line->size;
}

static void
make_bullet (DpOcrLine *line)
{
  char *text = g_strconcat ("\u2022", g_utf8_next_char (line->text), NULL);

  g_free (line->text);
  line->text = text;
}

void
dp_ocr_mark_bullets (GArray *lines)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Found));

  for (guint i = 0; i < lines->len && all->len <= MOST_FOUND; i++) {
    Found found = { .line = i };
    if (begins_so (&g_array_index (lines, DpOcrLine, i), &found))
      g_array_append_val (all, found);
  }
  for (guint i = 0; i < all->len && all->len <= MOST_FOUND; i++) {
    const Found *a = &g_array_index (all, Found, i);
    DpOcrLine *line = &g_array_index (lines, DpOcrLine, a->line);
    guint alike = 0;
    for (guint k = 0; k < all->len; k++) {
      const Found *b = &g_array_index (all, Found, k);
      alike += a->sign == b->sign && fabsf (a->x - b->x) < SAME_PLACE * line->size && fabsf (a->text - b->text) < SAME_PLACE * line->size;
    }
    if (alike >= (is_letter (a->sign) ? LEAST_LETTERS : LEAST_SIGNS))
      make_bullet (line);
  }
}
