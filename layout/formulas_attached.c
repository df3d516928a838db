/* layout/formulas_attached.c - fragments that stand off a line but belong to a formula in it.
 *
 * The parts of a small fraction are lines of their own to lines.c, and a sum sign or a tall bracket hangs
 * from a baseline far above.  Such a fragment belongs to the line whose axis its bar lies on,
 * or whose height its ink fills; the small print around a sum sign goes where the sign goes.
 */
#include "layout/formulas.h"

#include <math.h>

#define SMALL 0.8f /* of the size of a sum sign: what stands at it is its limit or index */

/* ---- fragments ---------------------------------------------------------------------------------- */

typedef struct {
  DpRect ink;
  guint atoms, prose, hanging;
  guint small; /* atoms that stand at a hanging one */
} Facts;

static Facts
facts_of (const DpFormulaPage *page, const DpLine *line)
{
  Facts facts = { 0 };

  for (guint w = line->first_word; w < line->first_word + line->n_words; w++) {
    const DpAtomRange *range = &page->words[w];
    if (dp_formula_word_role (page, w) == DP_WORD_PROSE)
      facts.prose += range->n;
    for (guint i = range->first; i < range->first + range->n; i++) {
      const DpMathAtom *atom = dp_formula_atom (page, i);
      facts.ink = facts.atoms++ ? dp_rect_union (facts.ink, atom->box) : atom->box;
      facts.hanging += atom->big || atom->kind == DP_ATOM_ACCENT;
      facts.small += !atom->big && atom->size < SMALL * line->size;
    }
  }
  return facts;
}

/* ---- hosts ----------------------------------------------------------------------------------------- */

typedef struct {
  DpFormulaPage *page;
  GArray *lines; /* guint: upright lines that nobody has taken, by baseline */
} Hosts;

static const DpLine *
line_at (const DpFormulaPage *page, guint i)
{
  return &g_array_index (page->layout->lines, DpLine, i);
}

static int
by_baseline (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpFormulaPage *page = data;
  float x = line_at (page, *(const guint *) a)->baseline, y = line_at (page, *(const guint *) b)->baseline;

  return x < y ? -1 : x > y;
}

static guint
first_from (const Hosts *hosts, float y)
{
  guint lo = 0, hi = hosts->lines->len;

  while (lo < hi) {
    guint mid = lo + (hi - lo) / 2;
    if (line_at (hosts->page, g_array_index (hosts->lines, guint, mid))->baseline < y)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* Both ends of the fragment stand right above or below bars on the host's axis, the first of which begins or ends at the host: a
 * fraction may be longer than what stands before it, and one of its parts short. */
static gboolean
hangs_on_bars (const DpFormulaPage *page, const DpLine *host, DpRect ink)
{
  float axis = host->baseline - 0.25f * host->size, em = host->size;
  gboolean left = FALSE, right = FALSE;

  for (guint i = dp_formula_bar_at (page, axis - 0.2f * em); i < page->bars->len; i++) {
    const DpRule *bar = &g_array_index (page->bars, DpRule, i);
    float gap = MAX (bar->pos - ink.y1, ink.y0 - bar->pos);
    if (bar->pos > axis + 0.2f * em)
      break;
    if (gap < -0.25f * em || gap > 0.6f * em || bar->to - bar->from > 30 * em)
      continue;
    if (bar->from <= host->box.x1 + 1.5f * em && bar->to >= host->box.x0 - 1.2f * em)
      left |= ink.x0 > bar->from - 0.4f * em && ink.x0 < bar->to;
    right |= ink.x1 > bar->from && ink.x1 < bar->to + 0.4f * em;
  }
  return left && right;
}

/* Nothing but sum signs, brackets, roots and what stands at them. */
static gboolean
hangs (const Facts *facts)
{
  return facts->hanging > 0 && facts->hanging + facts->small == facts->atoms;
}

static gboolean
is_host (const Hosts *hosts, guint index, guint fragment, const Facts *facts)
{
  const DpLine *host = line_at (hosts->page, index), *line = line_at (hosts->page, fragment);
  const float cx = dp_rect_cx (facts->ink), cy = dp_rect_cy (facts->ink), em = host->size;

  if (index == fragment)
    return FALSE;
  if (hangs (facts)) {
    const Facts other = facts_of (hosts->page, host);
    return cx >= host->box.x0 - 1.2f * em && cx <= host->box.x1 + 1.5f * em && cy > host->baseline - 0.95f * em
           && cy < host->baseline + 0.3f * em && host->size > 0.5f * line->size && !hangs (&other);
  }
  return line->size < 1.03f * host->size && fabsf (host->baseline - line->baseline) > 0.2f * em
         && hangs_on_bars (hosts->page, host, facts->ink);
}

static guint
find_host (const Hosts *hosts, guint fragment, const Facts *facts)
{
  float best = G_MAXFLOAT, cy = dp_rect_cy (facts->ink);
  guint found = G_MAXUINT;

  for (guint i = first_from (hosts, facts->ink.y0 - 14); i < hosts->lines->len; i++) {
    guint index = g_array_index (hosts->lines, guint, i);
    const DpLine *host = line_at (hosts->page, index);
    float d = fabsf (host->baseline - 0.25f * host->size - cy);
    if (host->baseline > facts->ink.y1 + 1.5f * MAX (host->size, 10))
      break;
    if (d < best && is_host (hosts, index, fragment, facts)) {
      best = d;
      found = index;
    }
  }
  return found;
}

static int
by_host (gconstpointer a, gconstpointer b)
{
  const DpAttached *x = a, *y = b;

  if (x->host != y->host)
    return x->host < y->host ? -1 : 1;
  return x->ink.x0 < y->ink.x0 ? -1 : x->ink.x0 > y->ink.x0;
}

/* Small print beside, above or below a sum sign that found its line. */
static gboolean
stands_at (const DpFormulaPage *page, const DpLine *line, const DpAttached *sign)
{
  const float em = line_at (page, sign->line)->size;
  const Facts facts = facts_of (page, line);
  const float dx = MAX (facts.ink.x0 - sign->ink.x1, sign->ink.x0 - facts.ink.x1);
  const float dy = MAX (facts.ink.y0 - sign->ink.y1, sign->ink.y0 - facts.ink.y1);

  if (!facts.atoms || facts.atoms > 12 || facts.prose > 4 || line->size >= SMALL * em)
    return FALSE;
  return dp_rect_cx (facts.ink) > sign->ink.x0 && ((dx < 0.25f * em && dy < 0) || (dx < 0 && dy < 0.5f * em));
}

static void
add_small_print (const Hosts *hosts, const guint8 *is_attached, GArray *attached)
{
  const guint n = attached->len;

  for (guint i = 0; i < n; i++) {
    const DpAttached sign = g_array_index (attached, DpAttached, i);
    const Facts facts = facts_of (hosts->page, line_at (hosts->page, sign.line));
    const float em = line_at (hosts->page, sign.line)->size;
    for (guint k = first_from (hosts, sign.ink.y0 - em); hangs (&facts) && k < hosts->lines->len; k++) {
      const guint index = g_array_index (hosts->lines, guint, k);
      const DpLine *line = line_at (hosts->page, index);
      DpAttached found = { .line = index, .host = sign.host };
      if (line->baseline > sign.ink.y1 + 1.5f * em)
        break;
      if (is_attached[index] || index == sign.host || !stands_at (hosts->page, line, &sign))
        continue;
      found.ink = facts_of (hosts->page, line).ink;
      g_array_append_val (attached, found);
    }
  }
}

GArray *
dp_formulas_attached (DpFormulaPage *page)
{
  GArray *attached = g_array_new (FALSE, FALSE, sizeof (DpAttached));
  g_autoptr (GArray) lines = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree guint8 *is_attached = g_malloc0 (page->layout->lines->len + 1);
  Hosts hosts = { page, lines };

  for (guint i = 0; i < page->layout->lines->len; i++)
    if (!line_at (page, i)->taken && line_at (page, i)->angle == 0 && isfinite (line_at (page, i)->baseline))
      g_array_append_val (lines, i);
  g_array_sort_with_data (lines, by_baseline, page);
  for (guint i = 0; i < lines->len; i++) {
    guint index = g_array_index (lines, guint, i);
    Facts facts = facts_of (page, line_at (page, index));
    DpAttached found = { .line = index, .ink = facts.ink };
    if (!facts.atoms || facts.prose > 12 || line_at (page, index)->n_words > 24)
      continue;
    if (!hangs (&facts) && page->bars->len == 0)
      continue;
    found.host = find_host (&hosts, index, &facts);
    if (found.host != G_MAXUINT) {
      g_array_append_val (attached, found);
      is_attached[index] = 1;
    }
  }
  add_small_print (&hosts, is_attached, attached);
  g_array_sort (attached, by_host);
  return attached;
}
