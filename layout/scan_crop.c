/* layout/scan_crop.c - lines as a reader wants them, and what their ink measures.  See scan.h. */
#include "layout/scan_private.h"

#include <string.h>

#define MARGIN 0.09f /* em above and below; three times that at the ends */

/* ---- crops --------------------------------------------------------------------------------------------- */

static void
fill (DpScanCrop *crop, const DpScanPart *p, gint more)
{
  const gint x0 = MAX (0, p->x0 - more - crop->x), x1 = MIN (crop->width, p->x1 + more - crop->x);
  const gint y0 = MAX (0, p->y0 - more - crop->y), y1 = MIN (crop->height, p->y1 + more - crop->y);

  for (gint y = y0; y < y1 && x1 > x0; y++)
    memset (crop->pixels + (gsize) y * (gsize) crop->width + x0, 255, (gsize) (x1 - x0));
}

static void
copy (const DpScan *scan, DpScanCrop *crop, gint x0, gint y0, gint x1, gint y1)
{
  x0 = MAX (x0, crop->x), x1 = MIN (x1, crop->x + crop->width);
  y0 = MAX (y0, crop->y), y1 = MIN (y1, crop->y + crop->height);
  for (gint y = y0; y < y1 && x1 > x0; y++)
    memcpy (crop->pixels + (gsize) (y - crop->y) * (gsize) crop->width + (x0 - crop->x), scan->bytes + (gsize) y * scan->stride + x0,
            (gsize) (x1 - x0));
}

/* Wipes out the ink of lines that reach into the crop from above or below; own pieces come back whole. */
static void
wipe_neighbours (const DpScan *scan, guint line, DpScanCrop *crop)
{
  const guint first = line > 60 ? line - 60 : 0, last = MIN (scan->lines->len, line + 61);
  const DpScanLine *own = &g_array_index (scan->lines, DpScanLine, line);
  gboolean any = FALSE;

  for (guint i = first; i < last; i++) {
    const DpScanLine *other = &g_array_index (scan->lines, DpScanLine, i);
    if (i == line || other->y1 <= crop->y - 1 || other->y0 > crop->y + crop->height || other->x1 <= crop->x - 1
        || other->x0 > crop->x + crop->width)
      continue;
    for (guint k = 0; k < other->n_parts; k++)
      fill (crop, &g_array_index (scan->parts, DpScanPart, other->first_part + k), 1);
    any = TRUE;
  }
  for (guint k = 0; k < own->n_parts && any; k++) {
    const DpScanPart *p = &g_array_index (scan->parts, DpScanPart, own->first_part + k);
    copy (scan, crop, p->x0 - 1, p->y0 - 1, p->x1 + 1, p->y1 + 1);
  }
}

void
dp_scan_crop (const DpScan *scan, guint line, DpScanCrop *crop)
{
  const DpScanLine *l = &g_array_index (scan->lines, DpScanLine, line);
  const float top = MIN ((float) l->y0, l->baseline - 0.72f * l->em), foot = MAX ((float) l->y1, l->baseline + 0.22f * l->em);
  const float margin = MAX (1, MARGIN * l->em);
  const gint x0 = CLAMP ((gint) ((float) l->x0 - 3 * margin), 0, scan->w - 1),
             x1 = CLAMP ((gint) ((float) l->x1 + 3 * margin), x0 + 1, scan->w);
  const gint y0 = CLAMP ((gint) (top - margin), 0, scan->h - 1), y1 = CLAMP ((gint) (foot + margin), y0 + 1, scan->h);

  *crop = (DpScanCrop){ g_malloc ((gsize) (x1 - x0) * (gsize) (y1 - y0)), x1 - x0, y1 - y0, x0, y0 };
  copy (scan, crop, x0, y0, x1, y1);
  wipe_neighbours (scan, line, crop);
}

void
dp_scan_crop_clear (DpScanCrop *crop)
{
  g_clear_pointer (&crop->pixels, g_free);
}

/* ---- measures -------------------------------------------------------------------------------------------- */

static const l_uint32 *
ink_row (const DpScan *scan, gint y)
{
  return scan->ink_words + (gsize) y * scan->ink_wpl;
}

float
dp_scan_stroke (const DpScan *scan, guint line, gint x0, gint x1)
{
  const DpScanLine *l = &g_array_index (scan->lines, DpScanLine, line);
  /* between baseline and x-height: what is above belongs to some letters only */
  const gint y0 = CLAMP ((gint) (l->baseline - 0.65f * l->height), 0, scan->h), y1 = CLAMP ((gint) l->baseline, y0, scan->h);
  guint64 dark = 0, runs = 0;

  x0 = CLAMP (x0, 0, scan->w), x1 = CLAMP (x1, x0, scan->w);
  for (gint y = y0; y < y1; y++) {
    const guint8 *row = scan->bytes + (gsize) y * scan->stride;
    const l_uint32 *bits = ink_row (scan, y);
    gboolean in = FALSE;
    for (gint x = x0; x < x1; x++) {
      const gboolean ink = GET_DATA_BIT (bits, x);
      dark += row[x] < DP_SCAN_GROUND ? (guint64) (DP_SCAN_GROUND - row[x]) : 0;
      runs += ink && !in;
      in = ink;
    }
  }
  return runs ? (float) dark / (float) (runs * DP_SCAN_GROUND) : 0;
}

/* Which of the columns x0..x1 hold ink of the line: one byte each.  The pieces are asked, not the picture: a raised figure between
 * two letters is a line of its own.  A piece hangs together, so it has ink in all of its columns. */
static guint8 *
own_columns (const DpScan *scan, const DpScanLine *l, gint x0, gint x1)
{
  guint8 *columns = g_malloc0 ((gsize) (x1 - x0) + 1);

  for (guint k = 0; k < l->n_parts; k++) {
    const DpScanPart *p = &g_array_index (scan->parts, DpScanPart, l->first_part + k);
    const gint from = MAX (x0, p->x0), to = MIN (x1, p->x1);
    if (to > from)
      memset (columns + (from - x0), 1, (gsize) (to - from));
  }
  return columns;
}

gboolean
dp_scan_ink_span (const DpScan *scan, guint line, gint x0, gint x1, gint *from, gint *to)
{
  x0 = CLAMP (x0, 0, scan->w), x1 = CLAMP (x1, x0, scan->w);
  g_autofree guint8 *columns = own_columns (scan, &g_array_index (scan->lines, DpScanLine, line), x0, x1);

  *from = x0, *to = x1;
  while (*from < *to && !columns[*from - x0])
    ++*from;
  while (*to > *from && !columns[*to - 1 - x0])
    --*to;
  return *to > *from;
}

gboolean
dp_scan_widest_gap (const DpScan *scan, guint line, gint x0, gint x1, gint *from, gint *to)
{
  gint run = 0, best = 0;

  x0 = CLAMP (x0, 0, scan->w), x1 = CLAMP (x1, x0, scan->w);
  g_autofree guint8 *columns = own_columns (scan, &g_array_index (scan->lines, DpScanLine, line), x0, x1);
  for (gint x = x0; x < x1; x++) {
    run = columns[x - x0] ? 0 : run + 1;
    if (run > best) {
      best = run;
      *from = x + 1 - run;
      *to = x + 1;
    }
  }
  return best > 0;
}

void
dp_scan_piece (const DpScan *scan, guint line, guint k, gint *x0, gint *x1)
{
  const DpScanPart *p = &g_array_index (scan->parts, DpScanPart, g_array_index (scan->lines, DpScanLine, line).first_part + k);

  *x0 = p->x0;
  *x1 = p->x1;
}

static gint
compare_heights (gconstpointer a, gconstpointer b)
{
  const float x = *(const float *) a, y = *(const float *) b;

  return (x > y) - (x < y);
}

GArray *
dp_scan_heights (const DpScan *scan, guint line)
{
  const DpScanLine *l = &g_array_index (scan->lines, DpScanLine, line);
  GArray *heights = g_array_sized_new (FALSE, FALSE, sizeof (float), l->n_parts);

  for (guint k = 0; k < l->n_parts; k++) {
    const DpScanPart *p = &g_array_index (scan->parts, DpScanPart, l->first_part + k);
    const float h = l->baseline - (float) p->y0;
    if (!p->dot && h > 0)
      g_array_append_val (heights, h);
  }
  g_array_sort (heights, compare_heights);
  return heights;
}
