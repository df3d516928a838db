/* layout/scan_parts.c - connected pieces of ink, and who their neighbours are. */
#include "layout/scan_private.h"

#include <stdlib.h>
#include <string.h>

#define SMALLEST 0.45f /* points: specks below this are noise */
#define SHORTEST 2.5   /* points: of a piece that can be a letter */
#define TALLEST 60.0
#define USUAL_UNIT 5.5    /* points: x-height to cap height of 10-point type */
#define MOST_PARTS 400000 /* a page of noise */

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

GArray *
dp_scan_parts_of (PIX *ink, double dpi, float *unit)
{
  const DpLeptonica *l = dp_leptonica ();
  GArray *parts = g_array_new (FALSE, FALSE, sizeof (DpScanPart));
  BOXA *boxes = l->pixConnCompBB (ink, 8);
  const gint n = boxes ? l->boxaGetCount (boxes) : 0, least = MAX (2, (gint) (SMALLEST * dpi / 72 + 0.5));

  for (gint i = 0; i < n && parts->len < MOST_PARTS; i++) {
    gint x, y, w, h;
    l->boxaGetBoxGeometry (boxes, i, &x, &y, &w, &h);
    const DpScanPart part = { x, y, x + w, y + h, G_MAXUINT, FALSE };
    if (MAX (w, h) >= least)
      g_array_append_val (parts, part);
  }
  l->boxaDestroy (&boxes);
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

/* ---- beside or below? ---------------------------------------------------------------------------------- */

typedef struct {
  const GArray *parts;
  const DpScanPart *from;
  guint self;
  gint gap; /* the smallest so far */
} Nearest;

static void
visit_nearest (guint id, gpointer data)
{
  Nearest *n = data;
  const DpScanPart *p = &g_array_index (n->parts, DpScanPart, id);
  const gint overlap = MIN (p->y1, n->from->y1) - MAX (p->y0, n->from->y0);

  if (id != n->self && 2 * overlap > MIN (p->y1 - p->y0, n->from->y1 - n->from->y0))
    n->gap = MIN (n->gap, MAX (0, p->x0 - n->from->x1));
}

/* Gap from each piece to the next one on its right, G_MAXINT if there is none near. */
static gint *
gaps_to_the_right (const GArray *parts, float unit)
{
  gint *gaps = g_new (gint, parts->len + 1);
  g_autoptr (DpScanIndex) index = dp_scan_index_new (2 * unit);

  for (guint i = 0; i < parts->len; i++) {
    const DpScanPart *p = &g_array_index (parts, DpScanPart, i);
    dp_scan_index_add (index, p->x0, p->y0, p->y1, i);
  }
  dp_scan_index_sort (index);
  for (guint i = 0; i < parts->len; i++) {
    const DpScanPart *p = &g_array_index (parts, DpScanPart, i);
    Nearest n = { parts, p, i, G_MAXINT };
    const gint h = p->y1 - p->y0;
    dp_scan_index_look (index, p->x0 + 1, p->x1 + (gint) (3 * unit), p->y0 - h, p->y1 + h, visit_nearest, &n);
    gaps[i] = n.gap;
  }
  return gaps;
}

double
dp_scan_beside_share (const GArray *parts, float unit)
{
  g_autoptr (GArray) letters = g_array_new (FALSE, FALSE, sizeof (DpScanPart));
  g_autoptr (GArray) turned = g_array_new (FALSE, FALSE, sizeof (DpScanPart));
  double beside = 0, below = 0;

  for (guint i = 0; i < parts->len; i++) {
    const DpScanPart p = g_array_index (parts, DpScanPart, i);
    const float large = (float) MAX (p.x1 - p.x0, p.y1 - p.y0);
    const DpScanPart t = { p.y0, p.x0, p.y1, p.x1, 0, FALSE };
    if (large < 0.5f * unit || large > 4 * unit)
      continue;
    g_array_append_val (letters, p);
    g_array_append_val (turned, t);
  }
  g_autofree gint *right = gaps_to_the_right (letters, unit), *down = gaps_to_the_right (turned, unit);
  for (guint i = 0; i < letters->len; i++) {
    beside += right[i] < down[i];
    below += down[i] < right[i];
  }
  return beside + below > 0 ? beside / (beside + below) : 0.5;
}
