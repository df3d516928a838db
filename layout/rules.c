/* layout/rules.c - paths to rules and cell fills; text decoration leaves.
 *
 * A rule on paper arrives as many pieces: one stroke per cell, dots, two strokes for a
 * double rule, a thin filled rectangle.  Joining them first makes every later question
 * ("do these two cross?", "do these end at the same x?") a question about one rule.
 * Tolerances as in pdfplumber and MuPDF (shared: 3 pt); underline test after
 * opendataloader's TextDecorationProcessor: a rule that follows a run of words is no
 * table border, and links set that way would otherwise form false frames.
 */
#include <math.h>
#include <stdlib.h>

#include "layout/tables.h"

#define ACROSS 1.0f /* pieces of one rule differ by at most this, across */
#define ALONG 4.0f  /* and leave at most this gap, along */
#define DOT 4.0f    /* a piece shorter than this is a dot or a dash */
#define DOT_GAP 6.5f
#define DOUBLE 3.0f   /* double rules: distance */
#define MIN_RULE 3.0f /* shorter ones carry nothing (pdfplumber's edge_min_length) */

/* ---- joining ------------------------------------------------------------------------------ */

static int
by_pos (gconstpointer a, gconstpointer b)
{
  const DpRule *x = a, *y = b;

  if (x->pos != y->pos)
    return x->pos < y->pos ? -1 : 1;
  return x->from < y->from ? -1 : x->from > y->from;
}

static int
by_from (gconstpointer a, gconstpointer b)
{
  const DpRule *x = a, *y = b;

  return x->from < y->from ? -1 : x->from > y->from;
}

static float
length (const DpRule *r)
{
  return r->to - r->from;
}

/* Joins the pieces rules[0..n), all at one position, and appends the results. */
static void
join_group (DpRule *rules, guint n, GArray *out)
{
  qsort (rules, n, sizeof *rules, by_from);
  for (guint i = 0; i < n;) {
    DpRule run = rules[i];
    double weight = MAX (length (&run), 0.1f), pos = run.pos * weight;
    guint pieces = 1, dots = length (&run) < DOT;
    for (i++; i < n; i++) {
      gboolean dot = length (&rules[i]) < DOT;
      float gap = dot && dots == pieces ? DOT_GAP : ALONG;
      if (rules[i].from - run.to > gap)
        break;
      double w = MAX (length (&rules[i]), 0.1f);
      pos += rules[i].pos * w;
      weight += w;
      run.to = MAX (run.to, rules[i].to);
      if (rules[i].thickness > run.thickness)
        run.thickness = rules[i].thickness, run.colour = rules[i].colour;
      pieces++;
      dots += dot;
    }
    run.pos = (float) (pos / weight);
    /* a few specks in a row are no dotted line */
    if (length (&run) >= MIN_RULE && (dots < pieces || (pieces >= 5 && length (&run) >= 15)))
      g_array_append_val (out, run);
  }
}

/* Drops of two parallel rules, closer than DOUBLE, the shorter if most of it runs beside the other. */
static void
join_doubles (GArray *rules)
{
  guint8 *drop = g_new0 (guint8, rules->len);
  guint group = 0, kept = 0;

  for (guint i = 0; i < rules->len;) {
    guint next = i;
    while (next < rules->len && g_array_index (rules, DpRule, next).pos - g_array_index (rules, DpRule, i).pos <= ACROSS)
      next++;
    /* both groups are sorted by from: walk them side by side */
    for (guint a = group, b = i; group < i && a < i && b < next;) {
      DpRule *x = &g_array_index (rules, DpRule, a), *y = &g_array_index (rules, DpRule, b);
      float overlap = MIN (x->to, y->to) - MAX (x->from, y->from);
      gboolean x_shorter = length (x) < length (y);
      if (fabsf (x->pos - y->pos) <= DOUBLE && !drop[a] && overlap >= 0.9f * (x_shorter ? length (x) : length (y))) {
        drop[x_shorter ? a : b] = 1;
        if (x_shorter)
          y->thickness = MAX (x->thickness, y->thickness);
      }
      if (x->to < y->to)
        a++;
      else
        b++;
    }
    group = i;
    i = next;
  }
  for (guint i = 0; i < rules->len; i++)
    if (!drop[i])
      g_array_index (rules, DpRule, kept++) = g_array_index (rules, DpRule, i);
  g_array_set_size (rules, kept);
  g_free (drop);
}

void
dp_rules_join (GArray *rules)
{
  g_autoptr (GArray) out = g_array_new (FALSE, FALSE, sizeof (DpRule));

  g_array_sort (rules, by_pos);
  for (guint i = 0; i < rules->len;) {
    guint n = 1;
    while (i + n < rules->len && g_array_index (rules, DpRule, i + n).pos - g_array_index (rules, DpRule, i).pos <= ACROSS)
      n++;
    join_group (&g_array_index (rules, DpRule, i), n, out);
    i += n;
  }
  join_doubles (out);
  g_array_sort (out, by_pos);
  g_array_set_size (rules, 0);
  g_array_append_vals (rules, out->data, out->len);
}

/* ---- collecting --------------------------------------------------------------------------- */

static gboolean
is_white (guint32 colour)
{
  return ((colour >> 16) & 0xff) >= 250 && ((colour >> 8) & 0xff) >= 250 && (colour & 0xff) >= 250;
}

static gboolean
is_sane (DpRect r)
{
  return isfinite (r.x0) && isfinite (r.y0) && isfinite (r.x1) && isfinite (r.y1) && r.x0 <= r.x1 && r.y0 <= r.y1;
}

static void
add_rule (GArray *rules, const DpPath *path, gboolean vertical)
{
  DpRect b = path->box;
  DpRule rule = vertical ? (DpRule){ dp_rect_cx (b), b.y0, b.y1, dp_rect_width (b), path->colour }
                         : (DpRule){ dp_rect_cy (b), b.x0, b.x1, dp_rect_height (b), path->colour };

  g_array_append_val (rules, rule);
}

/* Where the page is painted in colour: a coarse grid, made in one pass over the paths. */
typedef struct {
  guint w, h;
  float cell;
  gint32 *cover; /* (w + 1) x (h + 1); > 0 = coloured; NULL: nothing is */
} Ground;

static guint
ground_cell (float at, float cell, guint n)
{
  return (guint) CLAMP (at / cell, 0, (float) n - 1);
}

static void
ground_add (Ground *g, DpRect box)
{
  guint x0 = ground_cell (box.x0, g->cell, g->w), x1 = ground_cell (box.x1, g->cell, g->w) + 1;
  guint y0 = ground_cell (box.y0, g->cell, g->h), y1 = ground_cell (box.y1, g->cell, g->h) + 1, stride = g->w + 1;

  /* a difference array: the sums of ground_make() turn corners into areas */
  g->cover[y0 * stride + x0]++;
  g->cover[y0 * stride + x1]--;
  g->cover[y1 * stride + x0]--;
  g->cover[y1 * stride + x1]++;
}

static gboolean
paints_white (const DpPage *page)
{
  for (gsize i = 0; i < page->n_paths; i++)
    if (is_white (page->paths[i].colour))
      return TRUE;
  return FALSE;
}

/* Only where something white may lie on it: on most pages nothing does. */
static Ground
ground_make (const DpPageLayout *layout, const DpPage *page)
{
  Ground g = { .cell = MAX (4.0f, MAX (layout->width, layout->height) / 400) };
  const gboolean white = paints_white (page);
  guint stride;

  g.w = (guint) CLAMP (layout->width / g.cell + 1, 1, 512);
  g.h = (guint) CLAMP (layout->height / g.cell + 1, 1, 512);
  stride = g.w + 1;
  for (gsize i = 0; i < page->n_paths && white; i++) {
    const DpPath *path = &page->paths[i];
    if (path->kind != DP_PATH_FILL || !is_sane (path->box) || path->alpha < 0.05f || is_white (path->colour))
      continue;
    if (!g.cover)
      g.cover = g_new0 (gint32, (gsize) stride * (g.h + 1));
    ground_add (&g, path->box);
  }
  for (guint y = 0; g.cover && y < g.h; y++) {
    gint32 *row = g.cover + (gsize) y * stride, run = 0;
    for (guint x = 0; x < g.w; x++) {
      run += row[x];
      row[x] = run + (y ? row[(gssize) x - (gssize) stride] : 0);
    }
  }
  return g;
}

static gboolean
is_on_colour (const Ground *g, DpRect box)
{
  return g->cover
         && g->cover[ground_cell (dp_rect_cy (box), g->cell, g->h) * (g->w + 1) + ground_cell (dp_rect_cx (box), g->cell, g->w)] > 0;
}

static void
collect_rules (DpPageLayout *layout, const DpPage *page)
{
  Ground ground = ground_make (layout, page);

  for (gsize i = 0; i < page->n_paths; i++) {
    const DpPath *path = &page->paths[i];
    gboolean speck;
    if (!is_sane (path->box) || path->alpha < 0.05f)
      continue;
    if (is_white (path->colour) && !is_on_colour (&ground, path->box))
      continue; /* white on paper: nobody sees it */
    speck = dp_rect_width (path->box) < DOT && dp_rect_height (path->box) < DOT;
    /* a speck may be a dot of a horizontal or of a vertical row */
    if (path->kind == DP_PATH_HLINE || (speck && path->kind != DP_PATH_FRAME))
      add_rule (layout->hrules, path, FALSE);
    if (path->kind == DP_PATH_VLINE || (speck && path->kind != DP_PATH_FRAME))
      add_rule (layout->vrules, path, TRUE);
  }
  g_free (ground.cover);
  dp_rules_join (layout->hrules);
  dp_rules_join (layout->vrules);
}

/* Removes rules along the edge of the page, if they form a frame around all of it. */
static void
drop_page_frame (DpPageLayout *layout)
{
  float w = layout->width, h = layout->height, mx = 0.05f * w, my = 0.05f * h;
  guint sides = 0;

  for (guint pass = 0; pass < 2; pass++)
    for (guint vertical = 0; vertical < 2; vertical++) {
      GArray *rules = vertical ? layout->vrules : layout->hrules;
      float across = vertical ? w : h, along = vertical ? h : w, margin = vertical ? mx : my;
      guint kept = 0;
      for (guint i = 0; i < rules->len; i++) {
        DpRule r = g_array_index (rules, DpRule, i);
        gboolean low = r.pos<margin, high = r.pos> across - margin;
        gboolean edge = length (&r) > 0.88f * along && (low || high);
        if (edge)
          sides |= (low ? 1u : 2u) << (2 * vertical);
        if (!edge || pass == 0 || sides != 15)
          g_array_index (rules, DpRule, kept++) = r;
      }
      g_array_set_size (rules, kept);
    }
}

/* ---- fills -------------------------------------------------------------------------------- */

static int
by_area_down (gconstpointer a, gconstpointer b)
{
  float x = dp_rect_area (((const DpPath *) a)->box), y = dp_rect_area (((const DpPath *) b)->box);

  return x > y ? -1 : x < y;
}

static int
by_box (gconstpointer a, gconstpointer b)
{
  const DpRect *x = &((const DpPath *) a)->box, *y = &((const DpPath *) b)->box;
  const float p[] = { x->y0, x->x0, x->y1, x->x1 }, q[] = { y->y0, y->x0, y->y1, y->x1 };

  for (guint i = 0; i < 4; i++)
    if (p[i] != q[i])
      return p[i] < q[i] ? -1 : 1;
  return 0;
}

#define MAX_GROUNDS 32u /* coloured areas white cells are looked for on */

static void
collect_fills (DpPageLayout *layout, const DpPage *page)
{
  g_autoptr (GArray) grounds = g_array_new (FALSE, FALSE, sizeof (DpPath));
  double page_area = (double) layout->width * layout->height;
  guint kept = 0;

  for (gsize i = 0; i < page->n_paths; i++) {
    const DpPath *path = &page->paths[i];
    if (path->kind == DP_PATH_FILL && is_sane (path->box) && path->alpha >= 0.05f && !is_white (path->colour))
      g_array_append_val (grounds, *path);
  }
  g_array_sort (grounds, by_area_down);
  for (guint i = 0; i < grounds->len; i++) {
    const DpPath *path = &g_array_index (grounds, DpPath, i);
    if (dp_rect_area (path->box) < 0.5 * page_area)
      g_array_append_val (layout->fills, *path);
  }
  /* white shows only on colour */
  for (gsize i = 0; i < page->n_paths; i++) {
    const DpPath *path = &page->paths[i];
    gboolean shows = FALSE;
    if (path->kind != DP_PATH_FILL || !is_sane (path->box) || path->alpha < 0.5f || !is_white (path->colour))
      continue;
    for (guint g = 0; g < MIN (grounds->len, MAX_GROUNDS) && !shows; g++) {
      const DpPath *ground = &g_array_index (grounds, DpPath, g);
      shows = ground->paint < path->paint && dp_rect_area (path->box) < 0.9f * dp_rect_area (ground->box)
              && dp_rect_inside (path->box, ground->box) > 0.95f;
    }
    if (shows && dp_rect_area (path->box) < 0.5 * page_area)
      g_array_append_val (layout->fills, *path);
  }
  g_array_sort (layout->fills, by_box);
  for (guint i = 0; i < layout->fills->len; i++) {
    DpPath fill = g_array_index (layout->fills, DpPath, i);
    if (kept == 0 || by_box (&fill, &g_array_index (layout->fills, DpPath, kept - 1)) != 0)
      g_array_index (layout->fills, DpPath, kept++) = fill;
  }
  g_array_set_size (layout->fills, kept);
}

/* ---- underlines and strike-outs ------------------------------------------------------------- */

typedef struct {
  float baseline;
  guint index;
} Base;

static int
by_baseline (gconstpointer a, gconstpointer b)
{
  const Base *x = a, *y = b;

  return x->baseline < y->baseline ? -1 : x->baseline > y->baseline;
}

static guint
first_base (const GArray *bases, float baseline)
{
  guint low = 0, high = bases->len;

  while (low < high) {
    guint mid = (low + high) / 2;
    if (g_array_index (bases, Base, mid).baseline < baseline)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

static GArray *
sort_baselines (const DpPageLayout *layout)
{
  GArray *bases = g_array_new (FALSE, FALSE, sizeof (Base));

  for (guint i = 0; i < layout->words->len; i++) {
    const DpWord *w = &g_array_index (layout->words, DpWord, i);
    Base base = { w->baseline, i };
    if (w->angle == 0 && isfinite (w->baseline))
      g_array_append_val (bases, base);
  }
  g_array_sort (bases, by_baseline);
  return bases;
}

/* Where a rule lies against a word: below it, through it, or neither. */
static guint
decoration_of (const DpRule *rule, const DpWord *word)
{
  float em = MAX (word->size, 1), below = rule->pos - word->baseline;
  float covered = MIN (rule->to + 1, word->box.x1) - MAX (rule->from - 1, word->box.x0);

  if (rule->thickness > MAX (0.25f * em, 1) || covered < 0.6f * dp_rect_width (word->box))
    return 0;
  if (below >= -0.04f * em && below <= MIN (4.0f, 0.28f * em))
    return DP_SPAN_UNDERLINE;
  return -below >= 0.14f * em && -below <= 0.45f * em ? DP_SPAN_STRIKE : 0;
}

guint
dp_rules_from (const GArray *rules, float pos)
{
  guint lo = 0, hi = rules->len;

  while (lo < hi) {
    const guint mid = lo + (hi - lo) / 2;
    if (g_array_index (rules, DpRule, mid).pos < pos)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* TRUE if a vertical rule stands at one end of the horizontal one: a cell's border. */
static gboolean
meets_vertical (const DpPageLayout *layout, const DpRule *rule)
{
  for (guint end = 0; end < 2; end++) {
    float x = end ? rule->to : rule->from;
    for (guint low = dp_rules_from (layout->vrules, x - 3);
         low < layout->vrules->len && g_array_index (layout->vrules, DpRule, low).pos <= x + 3; low++) {
      const DpRule *v = &g_array_index (layout->vrules, DpRule, low);
      if (v->from - 3 <= rule->pos && v->to + 3 >= rule->pos && length (v) > 5)
        return TRUE;
    }
  }
  return FALSE;
}

/* UNDERLINE, STRIKE or 0 for a rule; marks the words it decorates. */
static guint
decorate (DpPageLayout *layout, const DpRule *rule, const GArray *bases, float reach)
{
  guint begin = first_base (bases, rule->pos - 5), style = 0;
  float text[2] = { 0 }, x0[2] = { G_MAXFLOAT, G_MAXFLOAT }, x1[2] = { -G_MAXFLOAT, -G_MAXFLOAT }, em[2] = { 0 };

  for (guint i = begin; i < bases->len && g_array_index (bases, Base, i).baseline <= rule->pos + reach; i++) {
    const DpWord *w = &g_array_index (layout->words, DpWord, g_array_index (bases, Base, i).index);
    guint found = decoration_of (rule, w), k = found == DP_SPAN_STRIKE;
    if (!found)
      continue;
    text[k] += dp_rect_width (w->box) + 0.33f * w->size;
    em[k] = MAX (em[k], w->size);
    x0[k] = MIN (x0[k], w->box.x0);
    x1[k] = MAX (x1[k], w->box.x1);
  }
  for (guint k = 0; k < 2; k++)
    if (em[k] > 0 && text[k] >= 0.8f * length (rule) && length (rule) <= 1.5f * (x1[k] - x0[k]) && rule->from > x0[k] - 0.6f * em[k]
        && rule->to < x1[k] + 0.6f * em[k])
      style = k ? DP_SPAN_STRIKE : DP_SPAN_UNDERLINE;
  if (!style || meets_vertical (layout, rule))
    return 0;
  for (guint i = begin; i < bases->len && g_array_index (bases, Base, i).baseline <= rule->pos + reach; i++) {
    DpWord *w = &g_array_index (layout->words, DpWord, g_array_index (bases, Base, i).index);
    if (decoration_of (rule, w) == style)
      w->style |= (guint16) style;
  }
  return style;
}

/* How many rules share both ends with this one; a set of them is a table's, not a link's. */
static gint64
ends_key (const DpRule *rule)
{
  gint from = (gint) floorf (CLAMP (rule->from, -1e5f, 1e5f) / 2 + 0.5f), to = (gint) floorf (CLAMP (rule->to, -1e5f, 1e5f) / 2 + 0.5f);

  return ((gint64) from << 32) ^ (guint32) to;
}

static void
find_decoration (DpPageLayout *layout)
{
  g_autoptr (GArray) bases = sort_baselines (layout);
  g_autoptr (GHashTable) ends = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  float reach = 0;
  guint kept = 0;

  for (guint i = 0; i < layout->words->len; i++) {
    const DpWord *w = &g_array_index (layout->words, DpWord, i);
    if (isfinite (w->size))
      reach = MAX (reach, MIN (0.45f * w->size, 40));
  }
  for (guint i = 0; i < layout->hrules->len; i++) {
    gint64 key = ends_key (&g_array_index (layout->hrules, DpRule, i));
    guint count = GPOINTER_TO_UINT (g_hash_table_lookup (ends, &key));
    g_hash_table_insert (ends, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (count + 1));
  }
  for (guint i = 0; i < layout->hrules->len; i++) {
    DpRule rule = g_array_index (layout->hrules, DpRule, i);
    gint64 key = ends_key (&rule);
    gboolean many = GPOINTER_TO_UINT (g_hash_table_lookup (ends, &key)) >= 3;
    if (!many && rule.thickness <= 4 && decorate (layout, &rule, bases, reach))
      g_array_append_val (layout->underlines, rule);
    else
      g_array_index (layout->hrules, DpRule, kept++) = rule;
  }
  g_array_set_size (layout->hrules, kept);
}

void
dp_layout_rules (DpPageLayout *layout, const DpPage *page)
{
  collect_rules (layout, page);
  collect_fills (layout, page);
  drop_page_frame (layout);
  find_decoration (layout);
}
