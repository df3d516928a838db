/* layout/scan_leptonica.c - see scan_leptonica.h. */
#include "layout/scan_leptonica.h"

static const char *const names[] = {
#define NAME(name) #name,
  DP_LEPTONICA_FUNCTIONS (NAME)
#undef NAME
};
G_STATIC_ASSERT (sizeof (DpLeptonica) == G_N_ELEMENTS (names) * sizeof (gpointer));

static DpLeptonica functions;
/* DP_LEPTONICA_LIBRARY: see Makefile */
static DpLibrary library = { .soname = DP_LEPTONICA_LIBRARY, .names = names, .table = &functions, .n = G_N_ELEMENTS (names) };

const DpLeptonica *
dp_leptonica_load (GError **error)
{
  return dp_library_load (&library, error);
}

const DpLeptonica *
dp_leptonica (void)
{
  return dp_library_need (&library);
}
