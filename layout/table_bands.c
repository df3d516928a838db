/* layout/table_bands.c - may the band between two rules lie inside a table?
 *
 * A caption or running text ends a table, so that two tables of one width, set one above the
 * other, stay two; so does white that is higher than a line.
 */
#include <math.h>

#include "layout/compare.h"
#include "layout/table_bands.h"

#define EDGE 0.35f /* em by which a line misses the column that it goes on in */

static gboolean
has_leader (const DpTableView *view, const DpTableText *text, const DpTableLine *line)
{
  for (guint k = 0; k < line->n; k++) {
    const DpTableFragment *f = &g_array_index (text->fragments, DpTableFragment, line->first + k);
    for (guint i = f->first; i < f->first + f->n; i++) {
      const DpTableWord *word = &g_array_index (text->words, DpTableWord, i);
      const DpWord *w = &g_array_index (view->layout->words, DpWord, word->index);
      gsize len, dots = word->leader ? 4 : 0;
      const char *s = dp_word_text (view->layout, w, &len);
      for (gsize p = len; p > 0 && (s[p - 1] == '.' || g_ascii_isdigit (s[p - 1])); p--)
        dots += s[p - 1] == '.' ? 1 : 0;
      if (dots >= 4)
        return TRUE;
    }
  }
  return FALSE;
}

/* TRUE if the line's first or last word has a neighbour outside the box: text runs past the frame. */
static gboolean
runs_past (const DpTableView *view, const DpTableLine *line, DpRect box)
{
  const DpRect strip = { box.x0 - DP_FRAME_SIDE - 60, line->baseline - 0.5f * line->size, box.x1 + DP_FRAME_SIDE + 60, line->baseline };
  g_autoptr (GArray) words = dp_table_view_words (view, strip);
  float left = line->box.x0, right = line->box.x1, reach = 0.6f * line->size;

  for (guint i = 0; i < words->len; i++) {
    const DpTableWord *w = &g_array_index (words, DpTableWord, i);
    if (fabsf (w->baseline - line->baseline) > 0.3f * line->size || w->size < 0.8f * line->size)
      continue;
    if ((w->box.x1 <= left + 1 && left - w->box.x1 < reach) || (w->box.x0 >= right - 1 && w->box.x0 - right < reach))
      return TRUE;
  }
  return FALSE;
}

/* What one line is like. */
typedef struct {
  guint words, prose, numbers;
  guint wide;    /* fragments of running text */
  guint longest; /* words of one that fills the box */
  float ink;     /* width of its fragments */
} LineFacts;

static LineFacts
look_at_line (const DpTableView *view, const DpTableText *text, const DpTableLine *line, DpRect box)
{
  LineFacts facts = { 0 };

  for (guint k = 0; k < line->n; k++) {
    const DpTableFragment *f = dp_table_fragment (text, line->first + k);
    DpTableWordCount c = dp_table_count_words (view, text, f);
    gboolean runs = c.n >= 5 && c.prose * 2 > c.n && c.numbers * 4 < c.n;
    facts.wide += runs ? 1 : 0;
    facts.words += c.n;
    facts.prose += c.prose;
    facts.numbers += c.numbers;
    facts.ink += f->x1 - f->x0;
    facts.longest = MAX (facts.longest, runs && f->x1 - f->x0 > 0.75f * dp_rect_width (box) ? c.n : 0);
  }
  return facts;
}

/* TRUE if an upright border stands between two fragments of the line: they are cells, not one line of text. */
static gboolean
is_parted (const DpTableText *text, const DpTableLine *line, const GArray *borders)
{
  for (guint k = line->first + 1; k < line->first + line->n; k++)
    for (guint b = 0; b < borders->len; b++) {
      float x = g_array_index (borders, float, b);
      if (x > dp_table_fragment (text, k - 1)->x1 && x < dp_table_fragment (text, k)->x0)
        return TRUE;
    }
  return FALSE;
}

/* Where pieces of lines begin that have others before them, sorted: the left edges of columns but the first. */
static GArray *
inner_edges (const DpTableText *text)
{
  GArray *edges = g_array_new (FALSE, FALSE, sizeof (float));

  for (guint i = 0; i < text->lines->len; i++)
    for (guint k = 1; k < dp_table_line (text, i)->n; k++)
      g_array_append_val (edges, dp_table_fragment (text, dp_table_line (text, i)->first + k)->x0);
  g_array_sort (edges, dp_compare_floats);
  return edges;
}

/* TRUE if one of the sorted edges is at x. */
static gboolean
has_edge (const GArray *edges, float x, float reach)
{
  guint lo = 0, hi = edges->len;

  while (lo < hi) {
    guint mid = (lo + hi) / 2;
    if (g_array_index (edges, float, mid) < x - reach)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < edges->len && g_array_index (edges, float, lo) <= x + reach;
}

DpTableBand
dp_table_judge_band (const DpTableView *view, const DpTableText *text, DpRect box)
{
  g_autoptr (GArray) borders = dp_table_view_borders (view, box, 0.8f), edges = inner_edges (text);
  DpTableBand band = { .lines = text->lines->len };
  guint run = 0;

  for (guint i = 0; i < text->lines->len; i++) {
    const DpTableLine *line = dp_table_line (text, i);
    LineFacts facts = look_at_line (view, text, line, box);
    gboolean prose = line->n <= 2 && facts.prose * 2 > facts.words && !is_parted (text, line, borders);
    gboolean full = prose && facts.words >= 5
                    && (facts.ink > 0.8f * dp_rect_width (box)
                        || (line->box.x0 < box.x0 + 3 * line->size && line->box.x1 > box.x1 - DP_FRAME_SIDE - line->size));
    gboolean last = prose && facts.words >= 2 && run && line->n == 1 && line->box.x0 < box.x0 + line->size;

    band.multi += line->n >= 2 ? 1 : 0;
    band.wraps += line->n == 1 && has_edge (edges, line->box.x0, EDGE * line->size) ? 1 : 0;
    run = full || last ? run + 1 : 0;
    band.prose_run = MAX (band.prose_run, run);
    band.prose += facts.wide >= 2 || (line->n == 1 && facts.longest >= 9) ? 1 : 0;
    band.leaders += has_leader (view, text, line) ? 1 : 0;
    band.overrun += runs_past (view, line, box) ? 1 : 0;
    band.caption = band.caption || (dp_table_line_is_caption (view, text, line, FALSE) && line->n <= 2);
  }
  return band;
}

gboolean
dp_table_band_breaks (const DpTableBand *band, float height, float size)
{
  if (band->lines == 0)
    return height > 1.6f * MAX (size, 8);
  return band->caption || band->prose_run >= 2 || band->overrun >= 2 || band->overrun * 2 > band->lines || band->prose * 2 > band->lines
         || (band->lines >= 3 && band->multi == 0 && band->prose);
}
