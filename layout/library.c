/* layout/library.c - dlopen(3) and dlsym(3); see library.h. */
#include "layout/library.h"

#include <dlfcn.h>
#include <string.h>

G_DEFINE_QUARK (dp - library - error - quark, dp_library_error)

static gboolean
load (DpLibrary *library, GError **error)
{
  /* Global and lazy, as if we were linked with it. */
  void *handle = dlopen (library->soname, RTLD_LAZY | RTLD_GLOBAL);

  if (!handle) {
    g_set_error (error, DP_LIBRARY_ERROR, DP_LIBRARY_ERROR_MISSING, "cannot load a library that docparse needs: %s", dlerror ());
    return FALSE;
  }
  for (guint i = 0; i < library->n; i++) {
    void *function = dlsym (handle, library->names[i]);

    if (!function) {
      g_set_error (error, DP_LIBRARY_ERROR, DP_LIBRARY_ERROR_MISSING, "the library %s has no %s; is it another version?", library->soname,
                   library->names[i]);
      return FALSE;
    }
    memcpy ((guint8 *) library->table + i * sizeof function, &function, sizeof function);
  }
  return TRUE;
}

gconstpointer
dp_library_load (DpLibrary *library, GError **error)
{
  if (g_once_init_enter (&library->loaded)) {
    const gboolean ok = load (library, error);

    g_once_init_leave (&library->loaded, ok ? 1 : 2);
    return ok ? library->table : NULL;
  }
  if (library->loaded == 1)
    return library->table;
  g_set_error (error, DP_LIBRARY_ERROR, DP_LIBRARY_ERROR_MISSING, "cannot load %s, which docparse needs", library->soname);
  return NULL;
}

gconstpointer
dp_library_need (DpLibrary *library)
{
  g_autoptr (GError) error = NULL;
  gconstpointer table = dp_library_load (library, &error);

  if (!table)
    g_error ("%s", error->message);
  return table;
}
