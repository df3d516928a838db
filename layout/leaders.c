/* layout/leaders.c - dot leaders: "Title . . . . . 12" is one line, however wide its gaps.
 *
 * In a table of contents the page numbers stand under one another, and so do the last dots: white strips that look just like the
 * gutter of a column.  The dots say that they are none.  One "..." in a table is a missing value, so a row of dots is asked for.
 */
#include "layout/leaders.h"

#include <math.h>
#include <string.h>

#define NUMBER_GAP 5.0f /* em between the last dot and the number */
#define TITLE_GAP 3.0f  /* em between the title and the first dot */
#define DOT_GAP 1.8f    /* em between two dots */
#define ROW_OF_DOTS 4   /* fewer are an ellipsis */

static const char *
text_of (const DpPageLayout *layout, const DpWordView *view, gsize *n)
{
  return dp_word_text (layout, &g_array_index (layout->words, DpWord, view->word), n);
}

/* Dots at the end of a word; *all: it has nothing else. */
static guint
dots_at_end (const DpPageLayout *layout, const DpWordView *view, gboolean *all)
{
  gsize n;
  const char *text = text_of (layout, view, &n), *p = text + n;
  guint dots = 0;

  while (p > text) {
    const char *q = g_utf8_prev_char (p);
    const gunichar c = g_utf8_get_char (q);

    if (c != '.' && c != 0xb7 && c != 0x2026 && c != 0x2024 && c != 0x2025)
      break;
    dots += c == 0x2026 ? 3 : 1;
    p = q;
  }
  *all = p == text;
  return dots;
}

/* Dots of the words that follow one another from view on, to one side; stops at enough. */
static guint
row_of_dots (const DpPageLayout *layout, const DpWordGrid *grid, const DpWordView *view, gint side)
{
  gboolean all;
  guint dots = dots_at_end (layout, view, &all);
  const DpWordView *last = view;
  guint at = (guint) (view - (const DpWordView *) (gconstpointer) grid->views->data);

  while (all && dots && dots < ROW_OF_DOTS) {
    at += side > 0 ? 1u : -1u;
    if (at >= grid->views->len)
      break;
    const DpWordView *next = &g_array_index (grid->views, DpWordView, at);
    const float gap = side > 0 ? next->u0 - last->u1 : last->u0 - next->u1;
    if (next->row != view->row || gap > DOT_GAP * view->size || fabsf (next->base - view->base) > 0.3f * view->size)
      break;
    const guint more = dots_at_end (layout, next, &all);
    if (!more)
      break;
    dots += more;
    last = next;
  }
  return dots;
}

static gboolean
is_page_number (const DpPageLayout *layout, const DpWordView *view)
{
  gsize n;
  const char *text = text_of (layout, view, &n);

  if (n == 0 || n > 8)
    return FALSE;
  return strspn (text, "0123456789-") >= n || strspn (text, "ivxlcdm") >= n || strspn (text, "IVXLCDM-0123456789") >= n;
}

gboolean
dp_leaders_join (const DpPageLayout *layout, const DpWordGrid *grid, const DpWordView *a, const DpWordView *b)
{
  const float em = MAX (a->size, b->size), gap = b->u0 - a->u1;
  gboolean all_a, all_b;
  const guint dots_a = dots_at_end (layout, a, &all_a), dots_b = dots_at_end (layout, b, &all_b);

  if (dots_a && all_a && dots_b && all_b)
    return gap <= DOT_GAP * em && row_of_dots (layout, grid, a, -1) + row_of_dots (layout, grid, b, 1) >= ROW_OF_DOTS;
  if (dots_b && all_b)
    return gap <= TITLE_GAP * em && row_of_dots (layout, grid, b, 1) >= ROW_OF_DOTS - 1;
  return dots_a && gap <= NUMBER_GAP * em && is_page_number (layout, b) && row_of_dots (layout, grid, a, -1) >= ROW_OF_DOTS;
}
