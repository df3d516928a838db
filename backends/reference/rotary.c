/* backends/reference/rotary.c - apply_rotary: rotary position embedding (Su et al. 2021) in its 1-D, M-RoPE, 2-D, partial forms. */
#include "backends/reference/reference.h"

/* Which position axis pair j takes its table row from. */
static guint32
axis_of (const DpApplyRotaryArgs *a, guint32 pair)
{
  guint32 end = 0;
  for (guint32 axis = 0; axis < G_N_ELEMENTS (a->sections); axis++) {
    end += a->sections[axis];
    if (pair < end)
      return axis;
  }
  return 0;
}

static void
rotate (const DpTensor *t, guint32 token, guint32 head_start, const DpApplyRotaryArgs *a, guint32 pair, float c, float s)
{
  guint32 half = a->rot_dim / 2, start = head_start + a->rot_start;
  guint32 first = start + (a->interleaved ? 2 * pair : pair), second = start + (a->interleaved ? 2 * pair + 1 : pair + half);
  float x = ref_get (t, token, first), y = ref_get (t, token, second);
  ref_set (t, token, first, x * c - y * s);
  ref_set (t, token, second, y * c + x * s);
}

gboolean
ref_apply_rotary (G_GNUC_UNUSED DpQueue *queue, const DpApplyRotaryArgs *a, G_GNUC_UNUSED const DpWorkspace *workspace, GError **error)
{
  for (guint32 t = 0; t < a->q.rows; t++)
    for (guint32 pair = 0; pair < a->rot_dim / 2; pair++) {
      gint64 row = a->positions.buffer ? ref_int (&a->positions, t, axis_of (a, pair)) : (gint64) t;
      if (row < 0 || row >= a->cos.rows)
        return ref_bad_index (error, "apply_rotary", "position", row, a->cos.rows);
      float c = ref_get (&a->cos, (guint32) row, pair), s = ref_get (&a->sin, (guint32) row, pair);
      for (guint32 head = 0; head < a->q.cols; head += a->head_dim)
        rotate (&a->q, t, head, a, pair, c, s);
      for (guint32 head = 0; a->k.buffer && head < a->k.cols; head += a->head_dim)
        rotate (&a->k, t, head, a, pair, c, s);
    }
  return TRUE;
}
