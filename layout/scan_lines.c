/* layout/scan_lines.c - pieces of ink to lines of text.
 *
 *   1. letters join their neighbour on the right, if both stand on one baseline and close together
 *   2. dots, commas, accents and hyphens go to the nearest of these fragments
 *   3. fragments of one row join across wider gaps that are no gutters
 *
 * After O'Gorman's document spectrum (1993), with fixed directions, as the page is straight by now.
 * All distances are in heights of the pieces concerned, so that headings and small print need no
 * parameters of their own.  Near-linear: neighbours are looked up in rows (scan_parts.c).
 */
#include "layout/scan_private.h"
#include "layout/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DOT 0.35f         /* unit: smaller pieces are no letters */
#define LETTER_GAP 0.8f   /* heights: inside words, and most gaps between them */
#define WORD_GAP 1.6f     /* em: across a row, unless it is a gutter */
#define LABEL_GAP 2.6f    /* em: from a label to its text */
#define LABEL_WIDTH 2.2f  /* em */
#define DOT_REACH 0.55f   /* em: from a line to its full stop, from dot to dot of a leader */
#define CAP_SHARE 0.7f    /* em: height of capitals; ascenders are a little higher */
#define LARGE 5.0f        /* units: what has em so large may be no text, and small pieces in it are other lines */
#define LEAST_DOT 0.1f    /* em: full stops of large type */
#define BULLET 0.75f      /* units */
#define MOST_LONELY 300u  /* more specks than that are noise */
#define DROP_CAP 2.0f     /* times as high as the lines beside it */
#define LARGEST_CAP 20.0f /* units: of its em; larger is a picture */
#define DROP_REACH 0.8f   /* heights of a large initial to its text */

/* Some pieces that belong together; grows by union. */
typedef struct {
  gint x0, y0, x1, y1;
  float baseline, height, em;
  guint n;           /* letters */
  gboolean drop_cap; /* a large initial beside which two lines or more begin */
} Fragment;

typedef struct {
  DpScan *scan;
  DpScanGutter *gutter;
  guint *parent; /* per part */
  guint *owner;  /* per part: fragment, or G_MAXUINT */
  GArray *fragments;
} Finder;

static DpScanPart *
part_at (const Finder *f, guint i)
{
  return &g_array_index (f->scan->parts, DpScanPart, i);
}

static Fragment *
fragment_at (const Finder *f, guint i)
{
  return &g_array_index (f->fragments, Fragment, i);
}

static guint
root_of (guint *parent, guint i)
{
  while (parent[i] != i)
    i = parent[i] = parent[parent[i]];
  return i;
}

/* ---- letters to their neighbours ------------------------------------------------------------------------- */

typedef struct {
  const Finder *f;
  guint self, best;
  gint gap;
} Search;

static gboolean
stand_together (const DpScanPart *a, const DpScanPart *b)
{
  const gint ha = a->y1 - a->y0, hb = b->y1 - b->y0, least = MIN (ha, hb), most = MAX (ha, hb);

  return most <= 3 * least && 10 * abs (a->y0 - b->y0) <= 9 * least && 10 * abs (a->y1 - b->y1) <= 9 * least;
}

static void
visit_letter (guint id, gpointer data)
{
  Search *s = data;
  const DpScanPart *a = part_at (s->f, s->self), *b = part_at (s->f, id);
  const gint gap = MAX (b->x0 - a->x1, 0), least = MIN (a->y1 - a->y0, b->y1 - b->y0), most = MAX (a->y1 - a->y0, b->y1 - b->y0);

  if (id == s->self || gap >= s->gap || (float) gap > LETTER_GAP * (float) MIN (most, 2 * least) || !stand_together (a, b)
      || dp_scan_rule_bars (s->f->gutter, a->x1, b->x0, MAX (a->y0, b->y0), MIN (a->y1, b->y1)))
    return;
  s->best = id;
  s->gap = gap;
}

static void
join_letters (Finder *f)
{
  const GArray *parts = f->scan->parts;
  g_autoptr (DpScanIndex) index = dp_scan_index_new (2 * f->scan->unit);

  for (guint i = 0; i < parts->len; i++) {
    const DpScanPart *p = part_at (f, i);
    if (!p->dot && !p->sideways)
      dp_scan_index_add (index, p->x0, p->y0, p->y1, i);
  }
  dp_scan_index_sort (index);
  for (guint i = 0; i < parts->len; i++) {
    const DpScanPart *p = part_at (f, i);
    const gint h = p->y1 - p->y0;
    Search s = { f, i, G_MAXUINT, G_MAXINT };
    if (p->dot || p->sideways)
      continue;
    dp_scan_index_look (index, p->x0 + 1, p->x1 + (gint) (1.6f * LETTER_GAP * (float) h) + 2, p->y0 - h / 2, p->y1 + h / 2, visit_letter,
                        &s);
    if (s.best != G_MAXUINT)
      f->parent[root_of (f->parent, i)] = root_of (f->parent, s.best);
  }
}

/* ---- fragments ----------------------------------------------------------------------------------------------- */

static float
quantile (GArray *values, float share)
{
  return g_array_index (values, float, MIN (values->len - 1, (guint) (share * (float) values->len)));
}

/* The level on which letters stand: the middle one of their feet, unless a fifth of them, no higher at the top than the
 * others, stand higher by the length of a descender: in "gypsy" most letters hang. */
static float
foot_of (const Finder *f, const guint *letters, guint n, GArray *feet, GArray *tops, float height)
{
  const float middle = quantile (feet, 0.5f), top = quantile (tops, 0.5f);
  g_autoptr (GArray) standing = g_array_new (FALSE, FALSE, sizeof (float));

  for (guint i = 0; i < n; i++) {
    const DpScanPart *p = part_at (f, letters[i]);
    const float foot = (float) p->y1, rise = middle - foot;
    if (rise > 0.18f * height && rise <= 0.55f * height && (float) p->y0 > top - 0.15f * height)
      g_array_append_val (standing, foot);
  }
  g_array_sort (standing, dp_compare_floats);
  return standing->len && 5 * standing->len >= n ? quantile (standing, 0.5f) : middle;
}

/* Baseline, heights and size of a fragment from the letters in it. */
static void
measure (const Finder *f, const guint *letters, guint n, Fragment *out)
{
  g_autoptr (GArray) feet = g_array_sized_new (FALSE, FALSE, sizeof (float), n), tops = g_array_sized_new (FALSE, FALSE, sizeof (float), n);

  *out = (Fragment){ G_MAXINT, G_MAXINT, 0, 0, 0, 0, 0, n, FALSE };
  for (guint i = 0; i < n; i++) {
    const DpScanPart *p = part_at (f, letters[i]);
    const float foot = (float) p->y1, top = (float) p->y0;
    g_array_append_val (feet, foot);
    g_array_append_val (tops, top);
    out->x0 = MIN (out->x0, p->x0), out->y0 = MIN (out->y0, p->y0);
    out->x1 = MAX (out->x1, p->x1), out->y1 = MAX (out->y1, p->y1);
  }
  g_array_sort (feet, dp_compare_floats);
  g_array_sort (tops, dp_compare_floats);
  out->baseline = foot_of (f, letters, n, feet, tops, 0.7f * (float) (out->y1 - out->y0));
  g_array_set_size (tops, 0);
  for (guint i = 0; i < n; i++) {
    const float over = out->baseline - (float) part_at (f, letters[i])->y0;
    g_array_append_val (tops, over);
  }
  g_array_sort (tops, dp_compare_floats);
  out->height = MAX (2, quantile (tops, 0.5f));
  out->em = MAX (out->height, quantile (tops, 0.85f)) / CAP_SHARE;
}

typedef struct {
  guint root, part;
} Member;

static gint
compare_members (gconstpointer a, gconstpointer b)
{
  const Member *x = a, *y = b;

  if (x->root != y->root)
    return x->root < y->root ? -1 : 1;
  return (x->part > y->part) - (x->part < y->part);
}

static void
make_fragments (Finder *f)
{
  const guint n = f->scan->parts->len;
  g_autoptr (GArray) members = g_array_sized_new (FALSE, FALSE, sizeof (Member), n);
  g_autofree guint *letters = g_new (guint, n + 1);

  for (guint i = 0; i < n; i++) {
    const Member m = { root_of (f->parent, i), i };
    f->owner[i] = G_MAXUINT;
    if (!part_at (f, i)->dot && !part_at (f, i)->sideways)
      g_array_append_val (members, m);
  }
  g_array_sort (members, compare_members);
  for (guint i = 0, k = 0; i < members->len; i = k) {
    Fragment fragment;
    guint count = 0;
    for (; k < members->len && g_array_index (members, Member, k).root == g_array_index (members, Member, i).root; k++) {
      letters[count] = g_array_index (members, Member, k).part;
      f->owner[letters[count++]] = f->fragments->len;
    }
    measure (f, letters, count, &fragment);
    g_array_append_val (f->fragments, fragment);
  }
}

/* ---- large initials ------------------------------------------------------------------------------------------ */

typedef struct {
  const Finder *f;
  guint self;
  gboolean top, foot;
} Beside;

static void
visit_beside (guint id, gpointer data)
{
  Beside *b = data;
  const Fragment *g = fragment_at (b->f, b->self), *line = fragment_at (b->f, id);
  const float slack = 0.2f * g->height;

  if (id == b->self || line->x0 < g->x1 || DROP_CAP * line->height > g->height)
    return;
  b->top = b->top || (fabsf ((float) (line->y0 - g->y0)) < slack && line->baseline + slack < g->baseline);
  b->foot = b->foot || fabsf (line->baseline - g->baseline) < slack;
}

/* A letter at whose top one line begins, and at whose foot another, is of neither: it would take their pieces for its dots. */
static void
mark_drop_caps (Finder *f)
{
  g_autoptr (DpScanIndex) index = dp_scan_index_new (2 * f->scan->unit);

  for (guint i = 0; i < f->fragments->len; i++)
    dp_scan_index_add (index, fragment_at (f, i)->x0, fragment_at (f, i)->y0, fragment_at (f, i)->y1, i);
  dp_scan_index_sort (index);
  for (guint i = 0; i < f->fragments->len; i++) {
    Fragment *g = fragment_at (f, i);
    Beside b = { f, i, FALSE, FALSE };
    if (g->n > 2 || g->height < DROP_CAP * f->scan->unit || g->em > LARGEST_CAP * f->scan->unit)
      continue;
    dp_scan_index_look (index, g->x1, g->x1 + (gint) (DROP_REACH * g->height), g->y0, g->y1, visit_beside, &b);
    g->drop_cap = b.top && b.foot;
  }
}

/* ---- dots ------------------------------------------------------------------------------------------------------ */

typedef struct {
  const Finder *f;
  const DpScanPart *part;
  guint self, best; /* fragments */
  float distance;
} Host;

static void
visit_host (guint id, gpointer data)
{
  Host *h = data;
  const Fragment *g = fragment_at (h->f, id);
  const DpScanPart *p = h->part;
  const float cy = 0.5f * (float) (p->y0 + p->y1), top = MIN ((float) g->y0, g->baseline - 0.6f * g->em), foot = g->baseline + 0.2f * g->em;
  const float across = MAX (0, MAX (top - cy, cy - foot)), along = (float) MAX (0, MAX (g->x0 - p->x1, p->x0 - g->x1));

  if (id == h->self || across > 0.25f * g->em || along > DOT_REACH * g->em || (float) (p->y1 - p->y0) > 0.75f * g->em
      || (g->em > LARGE * h->f->scan->unit && (float) (p->y1 - p->y0) < LEAST_DOT * g->em))
    return;
  if (across + 0.5f * along < h->distance) {
    h->distance = across + 0.5f * along;
    h->best = id;
  }
}

static gint
compare_by_x (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpScanPart *x = part_at (data, *(const guint *) a), *y = part_at (data, *(const guint *) b);

  if (x->x0 != y->x0)
    return x->x0 < y->x0 ? -1 : 1;
  return x->y0 - y->y0;
}

/* Fragments by all rows they touch: band -> guint ids. */
static GPtrArray *
rows_of_hosts (const Finder *f, gint band)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);

  for (gint y = 0; y <= f->scan->h / band + 1; y++)
    g_ptr_array_add (rows, g_array_new (FALSE, FALSE, sizeof (guint)));
  for (guint i = 0; i < f->fragments->len; i++) {
    const Fragment *g = fragment_at (f, i);
    const gint reach = (gint) (0.3f * g->em);
    if ((g->n < 2 && g->height < 0.7f * f->scan->unit) || g->drop_cap)
      continue;
    for (gint y = MAX (0, g->y0 - reach) / band; y <= MIN (f->scan->h, g->y1 + reach) / band; y++)
      g_array_append_val (((GArray *) g_ptr_array_index (rows, y)), i);
  }
  return rows;
}

/* Whether a piece beside a line is no letter of it: it hangs at the baseline or at the top, as commas and quotes do. */
static gboolean
is_mark (const Fragment *line, const DpScanPart *p)
{
  const float h = (float) (p->y1 - p->y0), over = line->baseline - (float) p->y0, foot = line->baseline - (float) p->y1;

  return h < 0.55f * line->height || (h < 0.9f * line->height && (over < 0.6f * line->height || foot > 0.4f * line->height));
}

/* Small pieces in order from left to right, so that a leader grows dot by dot. */
static void
give_dots (Finder *f)
{
  const gint band = MAX (4, (gint) (2 * f->scan->unit));
  g_autoptr (GPtrArray) rows = rows_of_hosts (f, band);
  g_autoptr (GArray) small = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < f->scan->parts->len; i++) {
    const guint own = f->owner[i];
    if (part_at (f, i)->sideways || part_at (f, i)->leader)
      continue;
    if (own == G_MAXUINT || (fragment_at (f, own)->n <= 3 && fragment_at (f, own)->height < 1.2f * f->scan->unit))
      g_array_append_val (small, i);
  }
  g_array_sort_with_data (small, compare_by_x, f);
  for (guint k = 0; k < small->len; k++) {
    const guint i = g_array_index (small, guint, k);
    const DpScanPart *p = part_at (f, i);
    const GArray *row = g_ptr_array_index (rows, CLAMP ((p->y0 + p->y1) / 2, 0, f->scan->h) / band);
    Host host = { f, p, f->owner[i], G_MAXUINT, G_MAXFLOAT };

    for (guint r = 0; r < row->len; r++) {
      const Fragment *g = fragment_at (f, g_array_index (row, guint, r));
      if (g->n > 0 && (host.self == G_MAXUINT || is_mark (g, p)))
        visit_host (g_array_index (row, guint, r), &host);
    }
    if (host.best == G_MAXUINT)
      continue;
    Fragment *g = fragment_at (f, host.best);
    if (host.self != G_MAXUINT)
      fragment_at (f, host.self)->n--; /* swallowed when none is left */
    f->owner[i] = host.best;
    g->x0 = MIN (g->x0, p->x0), g->x1 = MAX (g->x1, p->x1);
    g->y0 = MIN (g->y0, p->y0), g->y1 = MAX (g->y1, p->y1);
  }
}

/* What a small piece would be in type of the usual size: it says nothing about size itself. */
static Fragment
lonely_fragment (const Finder *f, gint x0, gint y0, gint x1, gint y1, guint n)
{
  const float em = f->scan->unit / 0.6f;

  return (Fragment){ x0, y0, x1, y1, 0.5f * (float) (y0 + y1) + 0.27f * em, 0.6f * em, em, n, FALSE };
}

/* Bullets, dashes in cells: small pieces that stand alone but are no specks. */
static void
keep_lonely (Finder *f)
{
  g_autoptr (GArray) lonely = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < f->fragments->len; i++) { /* large bullets and guillemets passed for letters */
    const Fragment g = *fragment_at (f, i);
    if (g.n > 0 && g.n <= 2 && (float) (g.y1 - g.y0) < BULLET * f->scan->unit
        && (float) (g.x1 - g.x0) < (float) g.n * BULLET * f->scan->unit)
      *fragment_at (f, i) = lonely_fragment (f, g.x0, g.y0, g.x1, g.y1, g.n);
  }
  for (guint i = 0; i < f->scan->parts->len; i++) {
    const DpScanPart *p = part_at (f, i);
    if (f->owner[i] == G_MAXUINT && !p->sideways && !p->leader && (float) MAX (p->x1 - p->x0, p->y1 - p->y0) >= 0.28f * f->scan->unit
        && (float) (p->x1 - p->x0) < 3 * f->scan->unit)
      g_array_append_val (lonely, i);
  }
  for (guint k = 0; k < lonely->len && lonely->len <= MOST_LONELY; k++) {
    const guint i = g_array_index (lonely, guint, k);
    const DpScanPart *p = part_at (f, i);
    const Fragment g = lonely_fragment (f, p->x0, p->y0, p->x1, p->y1, 1);
    f->owner[i] = f->fragments->len;
    g_array_append_val (f->fragments, g);
  }
}

/* Rows of dots, which join nothing. */
static void
keep_leaders (Finder *f, guint n)
{
  const guint first = f->fragments->len;

  g_array_set_size (f->fragments, first + n);
  for (guint i = 0; i < f->scan->parts->len; i++)
    if (part_at (f, i)->leader)
      f->owner[i] = first + part_at (f, i)->leader - 1;
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

static void
visit_fragment (guint id, gpointer data)
{
  Search *s = data;
  const Fragment *a = fragment_at (s->f, s->self), *b = fragment_at (s->f, id);
  const float least = MIN (a->em, b->em), most = MAX (a->em, b->em);
  const gint gap = MAX (b->x0 - a->x1, 0);

  if (id == s->self || gap >= s->gap || most > 1.9f * least || (float) gap > LABEL_GAP * least
      || fabsf (a->baseline - b->baseline) > 0.3f * least)
    return;
  s->best = id;
  s->gap = gap;
}

/* A number or bullet at the beginning of a row: what follows belongs to it, also across a wider gap. */
static gboolean
is_label (const Fragment *g, gboolean first_of_row)
{
  return first_of_row && (float) (g->x1 - g->x0) < LABEL_WIDTH * g->em;
}

static void
join_rows (Finder *f, guint *root)
{
  g_autoptr (DpScanIndex) index = dp_scan_index_new (2 * f->scan->unit);
  g_autofree guint *next = g_new (guint, f->fragments->len + 1);
  g_autofree gboolean *first = g_new (gboolean, f->fragments->len + 1);

  for (guint i = 0; i < f->fragments->len; i++) {
    const Fragment *g = fragment_at (f, i);
    root[i] = i;
    first[i] = TRUE;
    if (g->n > 0)
      dp_scan_index_add (index, g->x0, g->y0, g->y1, i);
  }
  dp_scan_index_sort (index);
  for (guint i = 0; i < f->fragments->len; i++) {
    const Fragment *g = fragment_at (f, i);
    Search s = { f, i, G_MAXUINT, G_MAXINT };
    if (g->n > 0)
      dp_scan_index_look (index, g->x0 + 1, g->x1 + (gint) (LABEL_GAP * g->em) + 2, (gint) (g->baseline - 1.2f * g->em),
                          (gint) (g->baseline + 0.6f * g->em), visit_fragment, &s);
    next[i] = s.best;
    if (s.best != G_MAXUINT)
      first[s.best] = FALSE;
  }
  for (guint i = 0; i < f->fragments->len; i++) {
    if (next[i] == G_MAXUINT)
      continue;
    const Fragment *g = fragment_at (f, i), *b = fragment_at (f, next[i]);
    const float gap = (float) (b->x0 - g->x1), em = MIN (g->em, b->em);
    const gboolean label = is_label (g, first[i]);
    if ((!label && gap > WORD_GAP * em) || dp_scan_rule_bars (f->gutter, g->x1, b->x0, MAX (g->y0, b->y0), MIN (g->y1, b->y1)))
      continue;
    /* of a few letters the size is not known */
    if (!label && gap > 0.45f * g->em && dp_scan_gutter_bars (f->gutter, g->x1, b->x0, g->baseline, g->n >= b->n ? g->em : b->em))
      continue;
    root[root_of (root, i)] = root_of (root, next[i]);
  }
}

/* ---- lines ----------------------------------------------------------------------------------------------------------- */

static gint
compare_parts (gconstpointer a, gconstpointer b)
{
  const DpScanPart *x = a, *y = b;

  if (x->line != y->line)
    return x->line < y->line ? -1 : 1;
  if (x->x0 != y->x0)
    return x->x0 < y->x0 ? -1 : 1;
  return x->y0 - y->y0;
}

/* The remains of a rule or of a border, or a lone speck. */
static gboolean
is_rubbish (const Finder *f, const DpScanLine *line, guint n_letters)
{
  const float w = (float) (line->x1 - line->x0), h = (float) (line->y1 - line->y0), unit = f->scan->unit;

  return (n_letters == 0 && MAX (w, h) < 0.28f * unit) || (h < 0.3f * unit && w > 3 * unit) || (w < 0.25f * unit && h > 3 * unit);
}

/* The parts of a line lie together in scan->parts from first on. */
static gboolean
make_line (Finder *f, guint first, guint n, DpScanLine *line)
{
  g_autofree guint *letters = g_new (guint, n);
  guint count = 0;
  Fragment g;

  *line = (DpScanLine){ G_MAXINT, G_MAXINT, 0, 0 };
  for (guint i = first; i < first + n; i++) {
    const DpScanPart *p = part_at (f, i);
    line->x0 = MIN (line->x0, p->x0), line->y0 = MIN (line->y0, p->y0);
    line->x1 = MAX (line->x1, p->x1), line->y1 = MAX (line->y1, p->y1);
    if (!p->dot)
      letters[count++] = i;
  }
  line->n_parts = n;
  line->first_part = first;
  line->leader = part_at (f, first)->leader > 0;
  if (!line->leader && is_rubbish (f, line, count))
    return FALSE;
  if (count) {
    measure (f, letters, count, &g);
    line->baseline = g.baseline;
    line->height = g.height;
    line->em = g.em;
  } else {
    line->em = f->scan->unit / 0.6f;
    line->baseline = line->leader ? (float) line->y1 : 0.5f * (float) (line->y0 + line->y1) + 0.27f * line->em;
    line->height = 0.6f * line->em;
  }
  return TRUE;
}

static gint
compare_lines (gconstpointer a, gconstpointer b)
{
  const DpScanLine *x = a, *y = b;

  if (x->baseline != y->baseline)
    return x->baseline < y->baseline ? -1 : 1;
  return (x->x0 > y->x0) - (x->x0 < y->x0);
}

static gint
compare_lines_by_x (gconstpointer a, gconstpointer b)
{
  const DpScanLine *x = a, *y = b;

  return (x->x0 > y->x0) - (x->x0 < y->x0);
}

/* Rows from top to bottom, each from left to right. */
static void
sort_lines (const Finder *f, GArray *lines)
{
  g_array_sort (lines, compare_lines);
  for (guint i = 0, k = 0; i < lines->len; i = k) {
    const DpScanLine head = g_array_index (lines, DpScanLine, i);
    for (k = i; k < lines->len && g_array_index (lines, DpScanLine, k).baseline - head.baseline < 0.3f * head.em; k++)
      ;
    qsort (&g_array_index (lines, DpScanLine, i), k - i, sizeof (DpScanLine), compare_lines_by_x);
    for (guint n = i; n + 1 < k; n++) {
      DpScanLine *a = &g_array_index (lines, DpScanLine, n);
      const DpScanLine *b = a + 1;
      const float em = MIN (a->em, b->em);
      a->joined
          = a->leader || b->leader
            || ((float) (b->x0 - a->x1) < 3 * em && !dp_scan_rule_bars (f->gutter, a->x1, b->x0, MAX (a->y0, b->y0), MIN (a->y1, b->y1))
                && !dp_scan_gutter_bars (f->gutter, a->x1, b->x0, a->baseline, em));
    }
  }
}

static void
make_lines (Finder *f, guint *root)
{
  GArray *parts = f->scan->parts, *lines = f->scan->lines;
  guint next = f->fragments->len;

  for (guint i = 0; i < parts->len; i++)
    part_at (f, i)->line = f->owner[i] == G_MAXUINT ? G_MAXUINT : root_of (root, f->owner[i]);
  g_array_sort (parts, compare_parts);
  for (guint i = 0, k = 0; i < parts->len && part_at (f, i)->line != G_MAXUINT; i = k) {
    for (k = i; k < parts->len && part_at (f, k)->line == part_at (f, i)->line; k++)
      ;
    dp_scan_part_raised (f->scan, i, k - i, &next);
  }
  g_array_sort (parts, compare_parts);
  for (guint i = 0, k = 0; i < parts->len && part_at (f, i)->line != G_MAXUINT; i = k) {
    DpScanLine line;
    for (k = i; k < parts->len && part_at (f, k)->line == part_at (f, i)->line; k++)
      ;
    if (make_line (f, i, k - i, &line))
      g_array_append_val (lines, line);
  }
  sort_lines (f, lines);
  for (guint i = 0; i < parts->len; i++)
    part_at (f, i)->line = G_MAXUINT;
  for (guint i = 0; i < lines->len; i++)
    for (guint k = 0; k < g_array_index (lines, DpScanLine, i).n_parts; k++)
      part_at (f, g_array_index (lines, DpScanLine, i).first_part + k)->line = i;
}

void
dp_scan_find_lines (DpScan *scan)
{
  const guint n = scan->parts->len;
  g_autoptr (DpScanGutter) gutter = dp_scan_gutter_new (scan);
  g_autoptr (GArray) fragments = g_array_new (FALSE, TRUE, sizeof (Fragment));
  g_autofree guint *parent = g_new (guint, n + 1), *owner = g_new (guint, n + 1);
  Finder f = { scan, gutter, parent, owner, fragments };

  g_array_set_size (scan->lines, 0);
  for (guint i = 0; i < n; i++) {
    DpScanPart *p = part_at (&f, i);
    const gint w = p->x1 - p->x0, h = p->y1 - p->y0;
    p->dot = (float) MAX (w, h) < DOT * scan->unit || ((float) h < DOT * scan->unit && w > h);
    parent[i] = i;
  }
  dp_scan_mark_sideways (scan->parts, scan->unit);
  const guint n_leaders = dp_scan_mark_leaders (scan->parts, scan->unit);
  join_letters (&f);
  make_fragments (&f);
  mark_drop_caps (&f);
  give_dots (&f);
  keep_lonely (&f);
  keep_leaders (&f, n_leaders);
  g_autofree guint *root = g_new (guint, fragments->len + 1);
  join_rows (&f, root);
  make_lines (&f, root);
}
