/* backends/reference/resize.c - resize: separable filters as Pillow (antialias) and PyTorch (without) define them. */
#include "backends/reference/reference.h"

static float
filter (guint32 kind, gboolean antialias, float x)
{
  x = fabsf (x);
  if (kind == DP_RESIZE_BILINEAR)
    return x < 1 ? 1 - x : 0;
  float a = antialias ? -0.5f : -0.75f; /* Keys 1981 */
  if (x < 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((x - 5) * x + 8) * x * a - 4 * a : 0;
}

/* The taps of output place o of n: how source places weigh in. */
typedef struct {
  gint64 first; /* may lie outside the picture without antialias */
  guint32 n;
  float centre, stretch;
} Taps;

static Taps
taps_of (const DpResizeArgs *a, guint32 o, guint32 in, guint32 out)
{
  float ratio = (float) in / (float) out, support = a->filter == DP_RESIZE_BILINEAR ? 1 : 2;
  Taps t = { .stretch = a->antialias ? MAX (ratio, 1) : 1 };
  t.centre = ((float) o + 0.5f) * ratio;
  float reach = support * t.stretch;
  gint64 first = (gint64) floorf (t.centre - reach + 0.5f), end = (gint64) floorf (t.centre + reach + 0.5f);
  if (a->antialias) {
    first = MAX (first, 0);
    end = MIN (end, (gint64) in);
  }
  t.first = first;
  t.n = (guint32) MAX (end - first, 1);
  return t;
}

/* Weighted mean over the taps; line (i) gives source element i. stride: between elements. */
static float
apply (const DpResizeArgs *a, const Taps *t, const float *line, gsize stride, guint32 in)
{
  float sum = 0, weights = 0;
  for (guint32 i = 0; i < t->n; i++) {
    gint64 at = t->first + i;
    float w = filter (a->filter, a->antialias, ((float) at + 0.5f - t->centre) / t->stretch);
    sum += w * line[(gsize) CLAMP (at, 0, (gint64) in - 1) * stride];
    weights += w;
  }
  return sum / weights;
}

static void
store (const DpTensor *y, guint32 row, guint32 col, float value)
{
  if (y->type == DP_U8)
    ((guint8 *) dp_tensor_row (y, row))[col] = (guint8) CLAMP (rintf (value), 0, 255);
  else
    ref_set (y, row, col, value);
}

gboolean
ref_resize (G_GNUC_UNUSED DpQueue *queue, const DpResizeArgs *a, const DpWorkspace *workspace, G_GNUC_UNUSED GError **error)
{
  float *line = ref_floats (workspace), *narrow = line + a->width; /* narrow: one channel, height x out_width */
  for (guint32 image = 0; image < a->n; image++)
    for (guint32 c = 0; c < a->x.cols; c++) {
      for (guint32 y = 0; y < a->height; y++) {
        for (guint32 x = 0; x < a->width; x++)
          line[x] = ref_get (&a->x, (image * a->height + y) * a->width + x, c);
        for (guint32 x = 0; x < a->out_width; x++) {
          Taps t = taps_of (a, x, a->width, a->out_width);
          narrow[(gsize) y * a->out_width + x] = apply (a, &t, line, 1, a->width);
        }
      }
      for (guint32 y = 0; y < a->out_height; y++) {
        Taps t = taps_of (a, y, a->height, a->out_height);
        for (guint32 x = 0; x < a->out_width; x++)
          store (&a->y, (image * a->out_height + y) * a->out_width + x, c, apply (a, &t, narrow + x, a->out_width, a->height));
      }
    }
  return TRUE;
}
