/* pipeline/late.h - libraries that are linked when they are first called.
 *
 * cairo brings seventeen libraries, X11's among them, and a run that writes no picture calls none of them; linking them costs
 * a short run more than its layout does.  So late_cairo.c, late_fontconfig.c and late_png.c define the functions that
 * docparse calls under their own names and pass each call on; the library is loaded by the first.  Whoever calls them sees no
 * difference.  A function that is missing in a list is found by the linker in the library itself, as ever: the program then
 * is linked with it again, which a test notices.
 */
#pragma once

#include "layout/library.h"

G_BEGIN_DECLS

/* The body of a late library: LIST (F) calls F (type, name, parameters, arguments) for each of its functions. */
#define DP_LATE_INDEX(type, name, parameters, arguments) INDEX_##name,
#define DP_LATE_NAME(type, name, parameters, arguments) #name,
#define DP_LATE_FUNCTION(type, name, parameters, arguments)                                                                                \
  type name parameters                                                                                                                     \
  {                                                                                                                                        \
    __typeof__ (name) *const own = late (INDEX_##name);                                                                                    \
    return own arguments;                                                                                                                  \
  }
#define DP_LATE_LIBRARY(LIST, file)                                                                                                        \
  enum { LIST (DP_LATE_INDEX) N_FUNCTIONS };                                                                                               \
  static const char *const names[] = { LIST (DP_LATE_NAME) };                                                                              \
  static gpointer functions[N_FUNCTIONS];                                                                                                  \
  static DpLibrary library = { .soname = file, .names = names, .table = functions, .n = N_FUNCTIONS };                                     \
  static gpointer late (guint i) { return ((const gpointer *) dp_library_need (&library))[i]; }                                            \
  LIST (DP_LATE_FUNCTION)

/* cairo's own function of that name, behind the one that pdf_tap.c defines; NULL if there is none. */
gpointer dp_late_cairo (const char *name);

G_END_DECLS
