/* layout/scan_parts.c - connected pieces of ink, and who their neighbours are. */
#include "layout/scan_private.h"

#include <stdlib.h>
#include <string.h>

#define SMALLEST 0.45f /* points: specks below this are noise */
#define SHORTEST 2.5   /* points: of a piece that can be a letter */
#define TALLEST 60.0
#define USUAL_UNIT 5.5    /* points: x-height to cap height of 10-point type */
#define MOST_PARTS 400000 /* a page of noise */
#define SPECK 0.25f       /* units */
#define MANY_SPECKS 3000u /* dots of a screen, on pages with a tinted ground that were scanned in black and white */
#define STRIP_GAP 24.0f   /* units between words of sideways writing */
#define LEAST_STRIP 10u   /* letters of it */
#define MOST_STRIPS 16u
#define CHAIN 4u       /* letters that stand so close above each other are written sideways */
#define CHAIN_GAP 0.4f /* of their width */

/* Height that divides the pieces of letter size into equal widths: text is what is wide together. */
static float
usual_height (const GArray *parts, double dpi)
{
  const gint least = MAX (3, (gint) (SHORTEST * dpi / 72)), most = MAX (least + 1, (gint) (TALLEST * dpi / 72));
  g_autofree guint64 *widths = g_new0 (guint64, (gsize) most + 1);
  guint64 all = 0, sum = 0;

  for (guint i = 0; i < parts->len; i++) {
    const DpScanPart *p = &g_array_index (parts, DpScanPart, i);
    const gint w = p->x1 - p->x0, h = p->y1 - p->y0;
    if (h < least || h > most || w > 6 * h || h > 8 * w)
      continue;
    widths[h] += (guint64) w;
    all += (guint64) w;
  }
  for (gint h = least; all > 0 && h <= most; h++)
    if (2 * (sum += widths[h]) >= all)
      return (float) h;
  return (float) MAX (3.0, USUAL_UNIT * dpi / 72);
}

gboolean
dp_scan_is_screened (const GArray *parts, float unit)
{
  guint specks = 0, letters = 0;

  for (guint i = 0; i < parts->len; i++) {
    const DpScanPart *p = &g_array_index (parts, DpScanPart, i);
    const float large = (float) MAX (p->x1 - p->x0, p->y1 - p->y0);
    specks += large < SPECK * unit;
    letters += large >= 0.5f * unit && large <= 4 * unit;
  }
  return specks > MANY_SPECKS && specks > 4 * letters;
}

GArray *
dp_scan_parts_of (PIX *ink, double dpi, float *unit)
{
  GArray *parts = g_array_new (FALSE, FALSE, sizeof (DpScanPart));
  g_autoptr (GArray) boxes = dp_scan_components (ink, TRUE);
  const gint least = MAX (2, (gint) (SMALLEST * dpi / 72 + 0.5));

  for (guint i = 0; i < boxes->len && parts->len < MOST_PARTS; i++) {
    const DpScanRule *b = &g_array_index (boxes, DpScanRule, i);
    const DpScanPart part = { b->x0, b->y0, b->x1, b->y1, G_MAXUINT, 0, FALSE, FALSE };
    if (MAX (b->x1 - b->x0, b->y1 - b->y0) >= least)
      g_array_append_val (parts, part);
  }
  *unit = usual_height (parts, dpi);
  return parts;
}

/* ---- who stands to the right ------------------------------------------------------------------------ */

typedef struct {
  gint x0, cy;
  guint id;
} Entry;

struct DpScanIndex {
  float band;
  GPtrArray *bands; /* GArray of Entry, NULL where empty */
};

DpScanIndex *
dp_scan_index_new (float band)
{
  DpScanIndex *index = g_new0 (DpScanIndex, 1);

  index->band = MAX (band, 2);
  index->bands = g_ptr_array_new ();
  return index;
}

void
dp_scan_index_free (DpScanIndex *index)
{
  if (!index)
    return;
  for (guint i = 0; i < index->bands->len; i++)
    if (g_ptr_array_index (index->bands, i))
      g_array_unref (g_ptr_array_index (index->bands, i));
  g_ptr_array_unref (index->bands);
  g_free (index);
}

void
dp_scan_index_add (DpScanIndex *index, gint x0, gint y0, gint y1, guint id)
{
  const Entry entry = { x0, y0 + (y1 - y0) / 2, id };
  const guint band = (guint) ((float) MAX (entry.cy, 0) / index->band);

  if (band >= index->bands->len)
    g_ptr_array_set_size (index->bands, (gint) band + 1);
  if (!g_ptr_array_index (index->bands, band))
    g_ptr_array_index (index->bands, band) = g_array_new (FALSE, FALSE, sizeof (Entry));
  g_array_append_val (((GArray *) g_ptr_array_index (index->bands, band)), entry);
}

static gint
compare_entries (gconstpointer a, gconstpointer b)
{
  const Entry *x = a, *y = b;

  if (x->x0 != y->x0)
    return x->x0 < y->x0 ? -1 : 1;
  return (x->id > y->id) - (x->id < y->id);
}

void
dp_scan_index_sort (DpScanIndex *index)
{
  for (guint i = 0; i < index->bands->len; i++)
    if (g_ptr_array_index (index->bands, i))
      g_array_sort (g_ptr_array_index (index->bands, i), compare_entries);
}

void
dp_scan_index_look (const DpScanIndex *index, gint x0, gint x1, gint y0, gint y1, DpScanVisit visit, gpointer data)
{
  const guint first = (guint) ((float) MAX (y0, 0) / index->band), last = (guint) ((float) MAX (y1, 0) / index->band);

  for (guint b = first; b <= last && b < index->bands->len; b++) {
    const GArray *band = g_ptr_array_index (index->bands, b);
    guint lo = 0, hi = band ? band->len : 0;

    while (lo < hi) {
      const guint mid = lo + (hi - lo) / 2;
      if (g_array_index (band, Entry, mid).x0 < x0)
        lo = mid + 1;
      else
        hi = mid;
    }
    for (; band && lo < band->len && g_array_index (band, Entry, lo).x0 < x1; lo++) {
      const Entry *entry = &g_array_index (band, Entry, lo);
      if (entry->cy >= y0 && entry->cy < y1)
        visit (entry->id, data);
    }
  }
}

static gint
compare_tops (gconstpointer a, gconstpointer b, gpointer parts)
{
  const DpScanPart *x = &g_array_index ((GArray *) parts, DpScanPart, *(const guint *) a),
                   *y = &g_array_index ((GArray *) parts, DpScanPart, *(const guint *) b);

  return x->y0 - y->y0;
}

/* ---- beside or below? ---------------------------------------------------------------------------------- */

typedef struct {
  guint id; /* G_MAXUINT: none */
  gint gap;
} Neighbour;

typedef struct {
  const GArray *parts;
  const DpScanPart *from;
  guint self;
  Neighbour found; /* the nearest so far */
} Nearest;

static void
visit_nearest (guint id, gpointer data)
{
  Nearest *n = data;
  const DpScanPart *p = &g_array_index (n->parts, DpScanPart, id);
  const gint overlap = MIN (p->y1, n->from->y1) - MAX (p->y0, n->from->y0), gap = MAX (0, p->x0 - n->from->x1);

  if (id != n->self && 2 * overlap > MIN (p->y1 - p->y0, n->from->y1 - n->from->y0) && gap < n->found.gap)
    n->found = (Neighbour){ id, gap };
}

/* For each piece the next one on its right, if there is one near. */
static Neighbour *
neighbours (const GArray *parts, float unit)
{
  Neighbour *found = g_new (Neighbour, parts->len + 1);
  g_autoptr (DpScanIndex) index = dp_scan_index_new (2 * unit);

  for (guint i = 0; i < parts->len; i++) {
    const DpScanPart *p = &g_array_index (parts, DpScanPart, i);
    dp_scan_index_add (index, p->x0, p->y0, p->y1, i);
  }
  dp_scan_index_sort (index);
  for (guint i = 0; i < parts->len; i++) {
    const DpScanPart *p = &g_array_index (parts, DpScanPart, i);
    Nearest n = { parts, p, i, { G_MAXUINT, G_MAXINT } };
    const gint h = p->y1 - p->y0;
    dp_scan_index_look (index, p->x0 + 1, p->x1 + (gint) (3 * unit), p->y0 - h, p->y1 + h, visit_nearest, &n);
    found[i] = n.found;
  }
  return found;
}

/* Pieces of the size of letters, as they are and with x and y exchanged; in from their places in parts. */
static void
letters_of (const GArray *parts, float unit, GArray *letters, GArray *turned, GArray *from)
{
  for (guint i = 0; i < parts->len; i++) {
    const DpScanPart p = g_array_index (parts, DpScanPart, i);
    const float large = (float) MAX (p.x1 - p.x0, p.y1 - p.y0);
    const DpScanPart t = { p.y0, p.x0, p.y1, p.x1, 0, 0, FALSE, FALSE };
    if (large < 0.5f * unit || large > 4 * unit)
      continue;
    g_array_append_val (letters, p);
    g_array_append_val (turned, t);
    g_array_append_val (from, i);
  }
}

double
dp_scan_beside_share (const GArray *parts, float unit)
{
  g_autoptr (GArray) letters = g_array_new (FALSE, FALSE, sizeof (DpScanPart)), turned = g_array_new (FALSE, FALSE, sizeof (DpScanPart));
  g_autoptr (GArray) from = g_array_new (FALSE, FALSE, sizeof (guint));
  double beside = 0, below = 0;

  letters_of (parts, unit, letters, turned, from);
  g_autofree Neighbour *right = neighbours (letters, unit), *down = neighbours (turned, unit);
  for (guint i = 0; i < letters->len; i++) {
    beside += right[i].gap < down[i].gap;
    below += down[i].gap < right[i].gap;
  }
  return beside + below > 0 ? beside / (beside + below) : 0.5;
}

/* ---- strips of sideways writing ------------------------------------------------------------------------ */

/* A piece whose middle lies in a strip, half as wide again on both sides. */
static gboolean
in_strip (const DpScanPart *p, const DpScanPart *strip)
{
  const gint more = (strip->x1 - strip->x0) / 2, cx = p->x0 + (p->x1 - p->x0) / 2, cy = p->y0 + (p->y1 - p->y0) / 2;

  return cx >= strip->x0 - more && cx < strip->x1 + more && cy >= strip->y0 - more && cy < strip->y1 + more;
}

/* What stands in a strip of sideways letters belongs to it: blanks between its words, dots, a frame of dots around it; unless there is more
 * of that than of the strip. */
static void
mark_strip (GArray *parts, const DpScanPart *strip, guint n_letters, float unit)
{
  guint others = 0;

  for (guint i = 0; i < parts->len; i++) {
    const DpScanPart *p = &g_array_index (parts, DpScanPart, i);
    others += !p->sideways && (float) (p->y1 - p->y0) >= 0.5f * unit && in_strip (p, strip);
  }
  for (guint i = 0; i < parts->len && others <= n_letters; i++) {
    DpScanPart *p = &g_array_index (parts, DpScanPart, i);
    p->sideways = p->sideways || in_strip (p, strip);
  }
}

static gint
compare_part_tops (gconstpointer a, gconstpointer b)
{
  return ((const DpScanPart *) a)->y0 - ((const DpScanPart *) b)->y0;
}

/* Gathers sideways letters that stand over each other to strips. */
static void
mark_strips (GArray *parts, float unit)
{
  g_autoptr (GArray) strips = g_array_new (FALSE, FALSE, sizeof (DpScanPart)), letters = g_array_new (FALSE, FALSE, sizeof (DpScanPart));

  for (guint i = 0; i < parts->len; i++)
    if (g_array_index (parts, DpScanPart, i).sideways)
      g_array_append_val (letters, g_array_index (parts, DpScanPart, i));
  g_array_sort (letters, compare_part_tops);
  for (guint i = 0; i < letters->len; i++) {
    const DpScanPart *p = &g_array_index (letters, DpScanPart, i);
    guint k = 0;
    for (; k < strips->len; k++) {
      DpScanPart *s = &g_array_index (strips, DpScanPart, k);
      if (p->x0 >= s->x1 || p->x1 <= s->x0 || (float) (p->y0 - s->y1) > STRIP_GAP * unit)
        continue;
      *s = (DpScanPart){ MIN (s->x0, p->x0), s->y0, MAX (s->x1, p->x1), MAX (s->y1, p->y1), s->line + 1, 0, FALSE, FALSE };
      break;
    }
    if (k == strips->len && strips->len < MOST_STRIPS) {
      const DpScanPart strip = { p->x0, p->y0, p->x1, p->y1, 1, 0, FALSE, FALSE }; /* line: counts its letters */
      g_array_append_val (strips, strip);
    }
  }
  for (guint k = 0; k < strips->len; k++)
    if (g_array_index (strips, DpScanPart, k).line >= LEAST_STRIP)
      mark_strip (parts, &g_array_index (strips, DpScanPart, k), g_array_index (strips, DpScanPart, k).line, unit);
}

void
dp_scan_mark_sideways (GArray *parts, float unit)
{
  g_autoptr (GArray) letters = g_array_new (FALSE, FALSE, sizeof (DpScanPart)), turned = g_array_new (FALSE, FALSE, sizeof (DpScanPart));
  g_autoptr (GArray) from = g_array_new (FALSE, FALSE, sizeof (guint));

  letters_of (parts, unit, letters, turned, from);
  g_autofree Neighbour *right = neighbours (letters, unit), *down = neighbours (turned, unit);
  g_autofree guint *above = g_new0 (guint, letters->len + 1); /* how many stand in a chain over a letter */
  g_autofree gboolean *linked = g_new0 (gboolean, letters->len + 1);
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < letters->len; i++) {
    const DpScanPart *p = &g_array_index (letters, DpScanPart, i);
    linked[i] = down[i].id != G_MAXUINT && (float) down[i].gap < CHAIN_GAP * (float) (p->x1 - p->x0) && 2 * down[i].gap < right[i].gap;
    g_array_append_val (order, i);
  }
  g_array_sort_with_data (order, compare_tops, letters);
  for (guint k = 0; k < order->len; k++) {
    const guint i = g_array_index (order, guint, k);
    if (linked[i])
      above[down[i].id] = MAX (above[down[i].id], above[i] + 1);
  }
  for (guint k = order->len; k-- > 0;) { /* from the end of each chain upwards */
    const guint i = g_array_index (order, guint, k);
    if (linked[i])
      above[i] = MAX (above[i], above[down[i].id]);
    if (above[i] + 1 >= CHAIN)
      g_array_index (parts, DpScanPart, g_array_index (from, guint, i)).sideways = TRUE;
  }
  mark_strips (parts, unit);
}
