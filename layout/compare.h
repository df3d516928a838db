/* layout/compare.h - order of plain numbers, for g_array_sort and qsort. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Of two const float *, ascending. */
static inline gint
dp_compare_floats (gconstpointer a, gconstpointer b)
{
  const float x = *(const float *) a, y = *(const float *) b;

  return (x > y) - (x < y);
}

G_END_DECLS
