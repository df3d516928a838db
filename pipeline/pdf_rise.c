/* pipeline/pdf_rise.c - see pdf_rise.h: the baseline that most of a line stands on, and the distance from it. */
#include "pipeline/pdf_rise.h"

#include <math.h>

#define GAP 1.5f        /* of the larger size: a wider space parts columns, whose baselines are their own */
#define SAME 0.02f      /* of the larger size: baselines that differ by less are one */
#define MOST_RISEN 1.0f /* of the line's size: what is farther away is another line, whatever the text layer says */

typedef struct {
  float up;     /* the baseline's place at right angle to the writing, growing upwards */
  float weight; /* ink that stands on it, roughly */
  float size;
} Stand;

static gboolean
has_baseline (const DpGlyph *g)
{
  return g->angle % 90 == 0 && !(g->flags & (DP_GLYPH_VERTICAL | DP_GLYPH_SKEWED)) && g->size > 0 && isfinite (g->baseline);
}

static float
up_of (const DpGlyph *g)
{
  return g->angle == 0 || g->angle == 270 ? -g->baseline : g->baseline;
}

static gboolean
is_sideways (const DpGlyph *g)
{
  return g->angle == 90 || g->angle == 270;
}

/* b goes on where a ends, or before it in writing from right to left. */
static gboolean
same_line (const DpGlyph *a, const DpGlyph *b)
{
  float gap = is_sideways (a) ? MAX (b->box.y0 - a->box.y1, a->box.y0 - b->box.y1) : MAX (b->box.x0 - a->box.x1, a->box.x0 - b->box.x1);

  return !(a->flags & DP_GLYPH_BREAK) && has_baseline (b) && a->angle == b->angle && gap < GAP * MAX (a->size, b->size);
}

static gint
by_height (gconstpointer a, gconstpointer b)
{
  const float x = ((const Stand *) a)->up, y = ((const Stand *) b)->up;

  return x < y ? -1 : x > y;
}

/* The baseline under most of the ink; *size: the largest size on it. */
static float
line_up (GArray *stands, float *size)
{
  const Stand *s = &g_array_index (stands, Stand, 0);
  float best = -1, up = 0;

  g_array_sort (stands, by_height);
  for (guint i = 0, k; i < stands->len; i = k) {
    float weight = 0, sum = 0, largest = 0;
    for (k = i; k < stands->len && (k == i || s[k].up - s[k - 1].up <= SAME * MAX (s[k].size, s[k - 1].size)); k++) {
      weight += s[k].weight;
      sum += s[k].weight * (s[k].up - s[i].up); /* differences: places may be large */
      largest = MAX (largest, s[k].size);
    }
    if (weight > best)
      best = weight, up = s[i].up + sum / weight, *size = largest;
  }
  return up;
}

static void
measure_line (DpGlyph *line, guint n, GArray *stands)
{
  float size = 0, up;

  g_array_set_size (stands, 0);
  for (guint i = 0; i < n; i++) {
    const float length = is_sideways (&line[i]) ? dp_rect_height (line[i].box) : dp_rect_width (line[i].box);
    g_array_append_vals (stands, &(Stand){ up_of (&line[i]), MAX (length, 0.01f) * line[i].size, line[i].size }, 1);
  }
  up = line_up (stands, &size);
  for (guint i = 0; i < n; i++) {
    const float rise = up_of (&line[i]) - up;
    line[i].rise = fabsf (rise) > SAME * size && fabsf (rise) <= MOST_RISEN * size ? rise : 0;
  }
}

void
dp_pdf_rise (DpPageArrays *out)
{
  DpGlyph *glyphs = (DpGlyph *) out->glyphs->data;
  g_autoptr (GArray) stands = g_array_new (FALSE, FALSE, sizeof (Stand));

  for (guint i = 0, k; i < out->glyphs->len; i = k) {
    k = i + 1;
    if (!has_baseline (&glyphs[i]))
      continue;
    while (k < out->glyphs->len && same_line (&glyphs[k - 1], &glyphs[k]))
      k++;
    if (k - i > 1)
      measure_line (&glyphs[i], k - i, stands);
  }
}
