/* layout/formulas_attached.c - fragments that stand off a line but belong to a formula in it.
 *
 * The parts of a small fraction are lines of their own to lines.c, and a sum sign or a tall bracket hangs
 * from a baseline far above.  Such a fragment belongs to the line whose axis its bar lies on,
 * or whose height its ink fills.
 */
#include "layout/formulas.h"

#include <math.h>

/* ---- fragments ---------------------------------------------------------------------------------- */

typedef struct {
  DpRect ink;
  guint atoms, prose, hanging;
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

/* Both ends of the fragment stand right above or below bars on the host's axis. */
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
    left |= ink.x0 > bar->from - 0.4f * em && ink.x0 < bar->to;
    right |= ink.x1 > bar->from && ink.x1 < bar->to + 0.4f * em;
  }
  return left && right;
}

static gboolean
is_host (const Hosts *hosts, guint index, guint fragment, const Facts *facts)
{
  const DpLine *host = line_at (hosts->page, index), *line = line_at (hosts->page, fragment);
  float cx = dp_rect_cx (facts->ink), cy = dp_rect_cy (facts->ink), em = host->size;

  if (index == fragment || cx < host->box.x0 - 1.2f * em || cx > host->box.x1 + 1.5f * em)
    return FALSE;
  if (facts->hanging == facts->atoms)
    return cy > host->baseline - 0.95f * em && cy < host->baseline + 0.3f * em && host->size > 0.5f * line->size
           && facts_of (hosts->page, host).hanging < facts_of (hosts->page, host).atoms;
  return host->n_words >= line->n_words && line->size < 1.03f * host->size && fabsf (host->baseline - line->baseline) > 0.2f * em
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

GArray *
dp_formulas_attached (DpFormulaPage *page)
{
  GArray *attached = g_array_new (FALSE, FALSE, sizeof (DpAttached));
  g_autoptr (GArray) lines = g_array_new (FALSE, FALSE, sizeof (guint));
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
    if (facts.hanging < facts.atoms && page->bars->len == 0)
      continue;
    found.host = find_host (&hosts, index, &facts);
    if (found.host != G_MAXUINT)
      g_array_append_val (attached, found);
  }
  g_array_sort (attached, by_host);
  return attached;
}
