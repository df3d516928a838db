/* layout/library.h - libraries that only the process that reads documents needs.
 *
 * Half of the time of a short run is the dynamic linker's: poppler and what it brings are fifty
 * libraries and ten thousand symbols.  The program is not linked with them; the child loads them
 * when it starts (dlopen(3)), and the parent, which never runs them, starts in a third of the time.
 * A library's functions are listed once, as an X-macro, and called through a table of pointers of
 * their own types, so that the compiler checks the calls as always.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define DP_LIBRARY_ERROR (dp_library_error_quark ())
GQuark dp_library_error_quark (void);
typedef enum { DP_LIBRARY_ERROR_MISSING } DpLibraryError;

typedef struct {
  const char *soname;
  const char *const *names; /* of its functions, or of those of libraries that it needs */
  gpointer table;           /* n pointers to functions, filled by the first load */
  guint n;
  gsize loaded; /* for g_once_init_enter(); 1 = yes, 2 = not possible */
} DpLibrary;

/* Loads it, once, for the life of the process, and returns its table.  Any thread.
 * NULL and a DP_LIBRARY_ERROR if the library or one of the functions is not there. */
gconstpointer dp_library_load (DpLibrary *library, GError **error);
/* The same for callers that cannot go on without it: ends the process instead. */
gconstpointer dp_library_need (DpLibrary *library);

G_END_DECLS
