/* backends/reference/activation.c - the functions of DpAct and the operators made of them. */
#include "backends/reference/reference.h"

float
ref_act (guint32 act, float z)
{
  switch (act) {
  case DP_ACT_RELU: return z > 0 || isnan (z) ? z : 0;
  case DP_ACT_SILU: return z / (1 + expf (-z));
  /* 1 + erf and 1 + tanh in forms that lose no digits where they are small */
  case DP_ACT_GELU: return z / 2 * erfcf (-z * (float) M_SQRT1_2);
  case DP_ACT_GELU_TANH: return z / (1 + expf (-2 * 0.7978845608f * (z + 0.044715f * z * z * z)));
  case DP_ACT_QUICK_GELU: return z / (1 + expf (-1.702f * z));
  default: return z;
  }
}

static gboolean
each (const DpTensor *x, guint32 act, const DpTensor *y)
{
  for (guint32 row = 0; row < x->rows; row++)
    for (guint32 i = 0; i < x->cols; i++)
      ref_set (y, row, i, ref_act (act, ref_get (x, row, i)));
  return TRUE;
}

static gboolean
gated (const DpTensor *x, guint32 act, const DpTensor *y)
{
  for (guint32 row = 0; row < y->rows; row++)
    for (guint32 i = 0; i < y->cols; i++)
      ref_set (y, row, i, ref_act (act, ref_get (x, row, i)) * ref_get (x, row, y->cols + i));
  return TRUE;
}

#define UNUSED G_GNUC_UNUSED

gboolean
ref_silu_and_mul (UNUSED DpQueue *queue, const DpSiluAndMulArgs *a, UNUSED const DpWorkspace *workspace, UNUSED GError **error)
{
  return gated (&a->x, DP_ACT_SILU, &a->y);
}

gboolean
ref_gelu_and_mul (UNUSED DpQueue *queue, const DpGeluAndMulArgs *a, UNUSED const DpWorkspace *workspace, UNUSED GError **error)
{
  return gated (&a->x, a->tanh_form ? DP_ACT_GELU_TANH : DP_ACT_GELU, &a->y);
}

gboolean
ref_gelu (UNUSED DpQueue *queue, const DpGeluArgs *a, UNUSED const DpWorkspace *workspace, UNUSED GError **error)
{
  return each (&a->x, a->tanh_form ? DP_ACT_GELU_TANH : DP_ACT_GELU, &a->y);
}

gboolean
ref_quick_gelu (UNUSED DpQueue *queue, const DpQuickGeluArgs *a, UNUSED const DpWorkspace *workspace, UNUSED GError **error)
{
  return each (&a->x, DP_ACT_QUICK_GELU, &a->y);
}
