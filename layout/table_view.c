/* layout/table_view.c - the page as a table finder sees it: upright, without what is taken.
 *
 * A table set sideways has its words at 90 or 270 degrees.  Turning boxes and rules
 * once lets every finder believe that text runs from left to right.
 */
#include <math.h>
#include <string.h>

#include "layout/tables.h"

#define DOTS ".\xe2\x80\xa6\xc2\xb7\xe2\x80\xa5"
#define MIN_WORDS 3u         /* upright text */
#define MIN_TURNED_WORDS 16u /* fewer sideways words are a chart's axis or a margin stamp */
#define MAX_RULES 6000u      /* of one direction; a page with more is a drawing */

/* Page to view: 90 = text runs downwards, 270 = upwards. */
static DpRect
turn (DpRect r, gint angle, float page_width, float page_height)
{
  switch (angle) {
  case 90: return (DpRect){ r.y0, page_width - r.x1, r.y1, page_width - r.x0 };
  case 180: return (DpRect){ page_width - r.x1, page_height - r.y1, page_width - r.x0, page_height - r.y0 };
  case 270: return (DpRect){ page_height - r.y1, r.x0, page_height - r.y0, r.x1 };
  default: return r;
  }
}

DpRect
dp_table_view_to_page (const DpTableView *view, DpRect box)
{
  /* turning back by the opposite angle, seen from the view's own size */
  return turn (box, (360 - view->angle) % 360, view->width, view->height);
}

static float
turn_baseline (float baseline, const DpTableView *view)
{
  switch (view->angle) {
  case 90: return view->layout->width - baseline;
  case 180: return view->layout->height - baseline;
  default: return baseline;
  }
}

/* ---- what is free ------------------------------------------------------------------------- */

static gboolean
in_table_or_chart (const DpPageLayout *layout, DpRect box)
{
  if (dp_layout_in_chart (layout, box))
    return TRUE;
  for (guint i = 0; i < layout->regions->len; i++) {
    const DpRegion *region = &g_array_index (layout->regions, DpRegion, i);
    DpRect grown = { region->box.x0 - 2, region->box.y0 - 2, region->box.x1 + 2, region->box.y1 + 2 };
    if (region->kind == DP_REGION_TABLE && dp_rect_contains_point (grown, dp_rect_cx (box), dp_rect_cy (box)))
      return TRUE;
  }
  return FALSE;
}

static void
add_rules (DpTableView *view, const GArray *rules, gboolean vertical)
{
  for (guint i = 0; i < rules->len; i++) {
    DpRule r = g_array_index (rules, DpRule, i);
    DpRect box = vertical ? (DpRect){ r.pos, r.from, r.pos, r.to } : (DpRect){ r.from, r.pos, r.to, r.pos };
    gboolean lies;
    if (in_table_or_chart (view->layout, box))
      continue;
    box = turn (box, view->angle, view->layout->width, view->layout->height);
    lies = dp_rect_width (box) >= dp_rect_height (box);
    r.pos = lies ? box.y0 : box.x0;
    r.from = lies ? box.x0 : box.y0;
    r.to = lies ? box.x1 : box.y1;
    g_array_append_val (lies ? view->hrules : view->vrules, r);
  }
}

static int
by_rule_pos (gconstpointer a, gconstpointer b)
{
  const DpRule *x = a, *y = b;

  if (x->pos != y->pos)
    return x->pos < y->pos ? -1 : 1;
  return x->from < y->from ? -1 : x->from > y->from;
}

static int
by_word_centre (gconstpointer a, gconstpointer b)
{
  float x = dp_rect_cy (((const DpTableWord *) a)->box), y = dp_rect_cy (((const DpTableWord *) b)->box);

  return x < y ? -1 : x > y;
}

static gboolean
is_number (const DpPageLayout *layout, const DpWord *word)
{
  gsize len;
  const char *s = dp_word_text (layout, word, &len);
  guint digits = 0, letters = 0;

  for (const char *p = s; p < s + len; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);
    digits += g_unichar_isdigit (c) ? 1 : 0;
    letters += g_unichar_isalpha (c) ? 1 : 0;
  }
  return digits && letters <= digits / 2;
}

/* TRUE if all of the word's characters are among those. */
static gboolean
only_of (const char *s, gsize len, const char *those)
{
  for (const char *p = s; p < s + len; p = g_utf8_next_char (p))
    if (!g_utf8_strchr (those, -1, g_utf8_get_char (p)))
      return FALSE;
  return len > 0;
}

/* "$", "HK$", "RMB", "Rs." */
static gboolean
is_sign (const char *s, gsize len)
{
  static const char *const codes[] = { "RMB", "Rs", "Rs.", "USD", "EUR", "GBP", "CHF", "JPY", "INR", "CAD", "AUD", "SGD", NULL };
  gboolean symbol = FALSE;

  for (guint i = 0; codes[i]; i++)
    if (strlen (codes[i]) == len && memcmp (codes[i], s, len) == 0)
      return TRUE;
  for (const char *p = s; p < s + len; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);
    if (g_unichar_type (c) == G_UNICODE_CURRENCY_SYMBOL)
      symbol = TRUE;
    else if (!g_unichar_isupper (c) || p - s > 3)
      return FALSE;
  }
  return symbol;
}

/* "-", "nil", "n/a": no amount */
static gboolean
is_blank (const char *s, gsize len)
{
  static const char *const words[] = { "nil", "n/a", "n.a.", "n/m", "n.m.", "nm", NULL };

  for (guint i = 0; words[i]; i++)
    if (strlen (words[i]) == len && g_ascii_strncasecmp (words[i], s, len) == 0)
      return TRUE;
  return g_utf8_strlen (s, (gssize) len) <= 4 && only_of (s, len, "-\xe2\x80\x93\xe2\x80\x94\xe2\x88\x92\xef\xbc\x8d\xe2\x80\x95%()$")
         && !only_of (s, len, "%()$");
}

static gboolean
is_dots (const DpPageLayout *layout, const DpWord *w, glong least)
{
  gsize len;
  const char *s = dp_word_text (layout, w, &len);

  return g_utf8_strlen (s, (gssize) len) >= least && only_of (s, len, DOTS);
}

/* Dots of a row that lead from a label to a number: three in one word or in words that follow one another. */
static gboolean
is_leader (const DpPageLayout *layout, guint index)
{
  const DpWord *words = (const DpWord *) (gconstpointer) layout->words->data;
  guint from = index, to = index;

  if (!is_dots (layout, &words[index], 1))
    return FALSE;
  while (index - from < 2 && from > 0 && is_dots (layout, &words[from - 1], 1))
    from--;
  while (to - index < 2 && to + 1 < layout->words->len && is_dots (layout, &words[to + 1], 1))
    to++;
  return to - from >= 2 || is_dots (layout, &words[index], 3) || (to > index && is_dots (layout, &words[index + 1], 3));
}

static void
set_kind (const DpPageLayout *layout, const DpWord *w, DpTableWord *word)
{
  gsize len;
  const char *s = dp_word_text (layout, w, &len);

  word->number = is_number (layout, w);
  word->blank = !word->number && is_blank (s, len);
  word->sign = !word->number && is_sign (s, len);
  word->tail = len <= 2 && only_of (s, len, ")%\303\227\302\261");
  word->leader = is_leader (layout, word->index);
}

static void
add_words (DpTableView *view)
{
  const DpPageLayout *layout = view->layout;

  for (guint i = 0; i < layout->words->len; i++) {
    const DpWord *w = &g_array_index (layout->words, DpWord, i);
    DpTableWord word = { .size = w->size, .index = i };
    if (w->taken || w->hidden || w->angle != view->angle || dp_layout_in_chart (layout, w->box))
      continue;
    if (!isfinite (w->box.x0) || !isfinite (w->box.y0) || !isfinite (w->box.x1) || !isfinite (w->box.y1))
      continue;
    word.box = turn (w->box, view->angle, layout->width, layout->height);
    word.baseline = turn_baseline (w->baseline, view);
    if (!(word.baseline >= word.box.y0 && word.baseline <= word.box.y1 + word.size))
      word.baseline = word.box.y1;
    set_kind (layout, w, &word);
    g_array_append_val (view->words, word);
  }
  g_array_sort (view->words, by_word_centre);
}

/* ---- words in a box ------------------------------------------------------------------------- */

GArray *
dp_table_view_words (const DpTableView *view, DpRect box)
{
  GArray *words = g_array_new (FALSE, FALSE, sizeof (DpTableWord));
  guint low = 0, high = view->words->len;

  while (low < high) {
    guint mid = (low + high) / 2;
    if (dp_rect_cy (g_array_index (view->words, DpTableWord, mid).box) < box.y0)
      low = mid + 1;
    else
      high = mid;
  }
  for (; low < view->words->len; low++) {
    DpTableWord w = g_array_index (view->words, DpTableWord, low);
    if (dp_rect_cy (w.box) > box.y1)
      break;
    if (dp_rect_cx (w.box) >= box.x0 && dp_rect_cx (w.box) <= box.x1)
      g_array_append_val (words, w);
  }
  return words;
}

/* TRUE if a fill hugs one line of text: marker pen, not a cell. */
static gboolean
is_highlight (const DpTableView *view, DpRect fill)
{
  g_autoptr (GArray) words = NULL;
  DpRect text = { 0 };
  float size = 0;

  if (dp_rect_height (fill) > 40)
    return FALSE;
  words = dp_table_view_words (view, fill);
  for (guint i = 0; i < words->len; i++) {
    const DpTableWord *w = &g_array_index (words, DpTableWord, i);
    text = i ? dp_rect_union (text, w->box) : w->box;
    size = MAX (size, w->size);
  }
  return words->len && dp_rect_height (fill) < 1.7f * size && fabsf (text.x0 - fill.x0) < 0.25f * size
         && fabsf (text.x1 - fill.x1) < 0.35f * size;
}

#define MAX_FILLS 3000u /* a page with more is a drawing, not a table of filled cells */

typedef struct {
  DpRect box;
  guint32 colour;
} Fill;

static int
by_top (gconstpointer a, gconstpointer b)
{
  float x = ((const Fill *) a)->box.y0, y = ((const Fill *) b)->box.y0;

  return x < y ? -1 : x > y;
}

/* Share of one side of a fill where the same colour goes on beyond it. */
static float
hidden_share (const GArray *fills, const Fill *fill, gboolean vertical, float at, float outside)
{
  float from = vertical ? fill->box.y0 : fill->box.x0, to = vertical ? fill->box.y1 : fill->box.x1, covered = 0;

  for (guint i = 0; i < fills->len; i++) {
    const Fill *other = &g_array_index (fills, Fill, i);
    DpRect b = other->box;
    float low = vertical ? b.x0 : b.y0, high = vertical ? b.x1 : b.y1;
    if (b.y0 > fill->box.y1 + 1)
      break; /* sorted by y0 */
    if (other == fill || other->colour != fill->colour || at + outside < low - 0.05f || at + outside > high + 0.05f)
      continue;
    covered += MAX (0, MIN (to, vertical ? b.y1 : b.x1) - MAX (from, vertical ? b.y0 : b.x0));
  }
  return to > from ? covered / (to - from) : 1;
}

static void
add_sides (DpTableView *view, const GArray *fills, const Fill *fill)
{
  DpRect b = fill->box;
  const DpRule sides[4] = { { b.y0, b.x0, b.x1, 0, fill->colour },
                            { b.y1, b.x0, b.x1, 0, fill->colour },
                            { b.x0, b.y0, b.y1, 0, fill->colour },
                            { b.x1, b.y0, b.y1, 0, fill->colour } };

  for (guint k = 0; k < 4; k++)
    if (hidden_share (fills, fill, k >= 2, sides[k].pos, k % 2 ? 0.3f : -0.3f) < 0.6f)
      g_array_append_val (k < 2 ? view->hedges : view->vedges, sides[k]);
}

/* The sides of fills a reader sees: where one colour meets another. */
static void
add_fills (DpTableView *view)
{
  g_autoptr (GArray) fills = g_array_new (FALSE, FALSE, sizeof (Fill));

  for (guint i = 0; i < view->layout->fills->len; i++) {
    const DpPath *path = &g_array_index (view->layout->fills, DpPath, i);
    Fill fill = { turn (path->box, view->angle, view->layout->width, view->layout->height), path->colour };
    if (dp_rect_width (fill.box) >= 3 && dp_rect_height (fill.box) >= 3 && !in_table_or_chart (view->layout, path->box))
      g_array_append_val (fills, fill);
  }
  if (fills->len > MAX_FILLS)
    return;
  g_array_sort (fills, by_top);
  for (guint i = 0; i < fills->len; i++) {
    const Fill *fill = &g_array_index (fills, Fill, i);
    if (dp_rect_width (fill->box) >= 6 && dp_rect_height (fill->box) >= 6 && !is_highlight (view, fill->box))
      add_sides (view, fills, fill);
  }
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Short rules go first where there are too many: ticks, hatching. */
static void
bound_rules (GArray *rules)
{
  for (float shortest = 12; rules->len > MAX_RULES; shortest *= 2) {
    guint kept = 0;
    if (shortest > 1e6f) {
      g_array_set_size (rules, 0);
      return;
    }
    for (guint i = 0; i < rules->len; i++) {
      DpRule r = g_array_index (rules, DpRule, i);
      if (r.to - r.from >= shortest)
        g_array_index (rules, DpRule, kept++) = r;
    }
    g_array_set_size (rules, kept);
  }
}

/* As flow.c tells it of a page. */
static gboolean
page_runs_rtl (const DpPageLayout *layout)
{
  guint rtl = 0, all = 0;

  for (guint i = 0; i < layout->lines->len; i++) {
    const DpLine *line = &g_array_index (layout->lines, DpLine, i);
    rtl += line->rtl ? line->n_words : 0;
    all += line->n_words;
  }
  return 2 * rtl > all;
}

DpTableView *
dp_table_view_new (DpPageLayout *layout, gint angle)
{
  gboolean sideways = angle == 90 || angle == 270;
  DpTableView *view = g_new0 (DpTableView, 1);

  view->layout = layout;
  view->angle = angle;
  view->width = sideways ? layout->height : layout->width;
  view->height = sideways ? layout->width : layout->height;
  view->words = g_array_new (FALSE, FALSE, sizeof (DpTableWord));
  view->hrules = g_array_new (FALSE, FALSE, sizeof (DpRule));
  view->vrules = g_array_new (FALSE, FALSE, sizeof (DpRule));
  view->hedges = g_array_new (FALSE, FALSE, sizeof (DpRule));
  view->vedges = g_array_new (FALSE, FALSE, sizeof (DpRule));
  add_words (view);
  if (view->words->len < (angle ? MIN_TURNED_WORDS : MIN_WORDS)) {
    dp_table_view_free (view);
    return NULL;
  }
  add_rules (view, layout->hrules, FALSE);
  add_rules (view, layout->vrules, TRUE);
  bound_rules (view->hrules);
  bound_rules (view->vrules);
  g_array_sort (view->hrules, by_rule_pos);
  g_array_sort (view->vrules, by_rule_pos);
  add_fills (view);
  view->rtl = page_runs_rtl (layout);
  return view;
}

void
dp_table_view_free (DpTableView *view)
{
  if (!view)
    return;
  g_array_unref (view->words);
  g_array_unref (view->hrules);
  g_array_unref (view->vrules);
  g_array_unref (view->hedges);
  g_array_unref (view->vedges);
  dp_table_text_free (view->text);
  g_free (view);
}

const DpTableText *
dp_table_view_text (DpTableView *view)
{
  if (!view->text)
    view->text = dp_table_text_new (view->words);
  return view->text;
}

/* ---- the views of a page ----------------------------------------------------------------------- */

#define N_ANGLES 4u

struct DpTableViews {
  guint n_regions; /* of the page, when they were made: a new one has taken words */
  gboolean made[N_ANGLES];
  DpTableView *view[N_ANGLES]; /* NULL: too few words */
};

void
dp_layout_tables_end (DpPageLayout *layout)
{
  for (guint i = 0; layout->views && i < N_ANGLES; i++)
    dp_table_view_free (layout->views->view[i]);
  g_clear_pointer (&layout->views, g_free);
}

static DpTableView *
view_of (DpPageLayout *layout, guint i)
{
  DpTableViews *views = layout->views;

  if (views && views->n_regions != layout->regions->len)
    dp_layout_tables_end (layout);
  if (!layout->views) {
    layout->views = g_new0 (DpTableViews, 1);
    layout->views->n_regions = layout->regions->len;
  }
  views = layout->views;
  if (!views->made[i])
    views->view[i] = dp_table_view_new (layout, 90 * (gint) i);
  views->made[i] = TRUE;
  return views->view[i];
}

void
dp_table_views_foreach (DpPageLayout *layout, void (*find) (DpTableView *view))
{
  for (guint i = 0; i < N_ANGLES; i++) {
    DpTableView *view = view_of (layout, i);
    if (view)
      find (view);
  }
}

DpGrid *
dp_grid_new (void)
{
  DpGrid *grid = g_new0 (DpGrid, 1);

  grid->xs = g_array_new (FALSE, FALSE, sizeof (float));
  grid->ys = g_array_new (FALSE, FALSE, sizeof (float));
  grid->cells = g_array_new (FALSE, FALSE, sizeof (DpGridCell));
  grid->quality = 1;
  return grid;
}

void
dp_grid_free (DpGrid *grid)
{
  if (!grid)
    return;
  g_array_unref (grid->xs);
  g_array_unref (grid->ys);
  g_array_unref (grid->cells);
  g_free (grid);
}
