/* pipeline/poppler.c - see poppler.h. */
#include "pipeline/poppler.h"

static const char *const names[] = {
#define NAME(name) "poppler_" #name,
  DP_POPPLER_FUNCTIONS (NAME)
#undef NAME
      "g_object_unref",
  "g_type_check_instance_is_a",
  "g_zlib_compressor_new",
  "g_zlib_decompressor_new",
  "g_converter_convert",
};
G_STATIC_ASSERT (sizeof (DpPoppler) == G_N_ELEMENTS (names) * sizeof (gpointer));

static DpPoppler functions;
/* DP_POPPLER_LIBRARY: the name that the linker would have put into the program (Makefile) */
static DpLibrary library = { .soname = DP_POPPLER_LIBRARY, .names = names, .table = &functions, .n = G_N_ELEMENTS (names) };

const DpPoppler *
dp_poppler_load (GError **error)
{
  return dp_library_load (&library, error);
}

const DpPoppler *
dp_poppler (void)
{
  return dp_library_need (&library);
}
