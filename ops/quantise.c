/* ops/quantise.c - group-wise rounding to nearest (the plain scheme that AWQ and GPTQ refine; same storage). */
#include "ops/quantise.h"

#include <math.h>

/* The integers of a type as stored: least, most, and where 0 sits without zeros. */
typedef struct {
  float least, most, centre, symmetric;
} Range;

static Range
range_of (DpType type)
{
  return type == DP_I4 ? (Range){ 0, 15, 8, 7 } : (Range){ -127, 127, 0, 127 };
}

/* Scale and zero of one group: w = (q - zero) * scale. */
static void
choose (const float *w, guint32 n, const Range *r, gboolean with_zero, float *scale, float *zero)
{
  float low = 0, high = 0;
  for (guint32 i = 0; i < n; i++) {
    low = MIN (low, w[i]);
    high = MAX (high, w[i]);
  }
  if (with_zero) {
    *scale = (high - low) / (r->most - r->least);
    *zero = *scale > 0 ? rintf (r->least - low / *scale) : r->centre;
  } else {
    *scale = MAX (high, -low) / r->symmetric;
    *zero = r->centre;
  }
  if (!(*scale > 0))
    *scale = 1;
}

static void
put (guint8 *row, DpType type, guint32 i, float q)
{
  if (type == DP_I8)
    row[i] = (guint8) (gint8) q;
  else
    row[i / 2] = (guint8) (i % 2 ? (row[i / 2] & 15) | (guint8) q << 4 : (guint8) q);
}

void
dp_quantise (const float *w, guint32 rows, guint32 cols, DpType type, guint32 group, guint8 *data, float *scales, float *zeros)
{
  const Range r = range_of (type);
  gsize row_bytes = type == DP_I4 ? ((gsize) cols + 1) / 2 : cols, at = 0;
  guint32 step = group ? group : cols;
  for (guint32 row = 0; row < rows; row++)
    for (guint32 first = 0; first < cols; first += MIN (step, cols - first), at++) {
      const float *values = w + (gsize) row * cols;
      guint32 end = first + MIN (step, cols - first);
      float zero;
      choose (values + first, end - first, &r, zeros != NULL, &scales[at], &zero);
      for (guint32 i = first; i < end; i++)
        put (data + row * row_bytes, type, i, CLAMP (rintf (values[i] / scales[at] + zero), r.least, r.most));
      if (zeros)
        zeros[at] = zero;
    }
}
