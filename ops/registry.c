/* ops/registry.c - which back ends there are: built in, and plug-ins found on disk.
 *
 * Plug-ins are code that runs with the user's rights, so where they may come from is narrow: a
 * fixed directory and the absolute directories of DOCPARSE_BACKEND_PATH (ignored for set-uid
 * programs), files and directories that nobody but root and the user can write.  The current
 * directory is never searched (ggml's loader does, which is the hole to avoid).
 */
#include "ops/private.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Built-in back ends, in the order they are listed: each defines dp_backend_NAME. */
#define DP_BUILT_IN(X) X (cpu) X (reference)

#define X(name) extern const DpBackendClass dp_backend_##name;
DP_BUILT_IN (X)
#undef X

static const DpBackendClass *const built_in[] = {
#define X(name) &dp_backend_##name,
  DP_BUILT_IN (X)
#undef X
};

#define PREFIX "libdocparse-"
#define SUFFIX ".so"

static const DpBackendClass *
find_built_in (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (built_in); i++)
    if (g_str_equal (built_in[i]->name, name))
      return built_in[i];
  return NULL;
}

static void
log_for_plugin (const char *backend, const char *message)
{
  g_warning ("%s: %s", backend, message);
}

static gboolean
name_ok (const char *name)
{
  return name && *name && strlen (name) <= 64 && strspn (name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen (name);
}

/* ---- one shared object ---- */

static gboolean
refuse (GError **error, const char *path, const char *reason)
{
  g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_PLUGIN, "%s: not used as a back end: %s", path, reason);
  return FALSE;
}

/* Only root and this user may be able to change what we load. */
static gboolean
others_cannot_write (const char *path, GError **error)
{
  struct stat st;
  if (stat (path, &st) != 0)
    return refuse (error, path, g_strerror (errno));
  if (st.st_uid != 0 && st.st_uid != geteuid ())
    return refuse (error, path, "it belongs to another user");
  if (st.st_mode & (S_IWGRP | S_IWOTH))
    return refuse (error, path, "others may write to it (chmod go-w)");
  return TRUE;
}

/* What a class must have to be usable at all. */
static const char *
class_fault (const DpBackendClass *k)
{
  if (!DP_CLASS_HAS (k, n_devices) || !DP_CLASS_HAS (k, device_info) || !DP_CLASS_HAS (k, open) || !DP_CLASS_HAS (k, close))
    return "it lacks device functions";
  if (!DP_CLASS_HAS (k, buffer_new) || !DP_CLASS_HAS (k, buffer_free) || !DP_CLASS_HAS (k, upload) || !DP_CLASS_HAS (k, download))
    return "it lacks memory functions";
  if (!DP_CLASS_HAS (k, weight_pack) || !DP_CLASS_HAS (k, weight_free))
    return "it lacks weight functions";
  if (!DP_CLASS_HAS (k, queue_new) || !DP_CLASS_HAS (k, queue_free) || !DP_CLASS_HAS (k, queue_sync))
    return "it lacks queue functions";
  if (!DP_CLASS_HAS (k, ops))
    return "it lacks a table of operators";
  return NULL;
}

static const DpBackendClass *
ask_entry (const char *path, const char *name, DpPluginEntry entry, GError **error)
{
  static const DpHost host = { sizeof host, DP_BACKEND_ABI_MAJOR, DP_BACKEND_ABI_MINOR, log_for_plugin, find_built_in };
  DpPluginInfo info = { .struct_size = sizeof info };
  g_autoptr (GError) why = NULL;
  if (!entry (&host, &info, &why)) {
    refuse (error, path, why ? why->message : "it declined without a reason");
    return NULL;
  }
  if (info.abi_major != DP_BACKEND_ABI_MAJOR) {
    g_autofree char *reason = g_strdup_printf ("it was built for interface %u.%u, this program has %d.%d", info.abi_major, info.abi_minor,
                                               DP_BACKEND_ABI_MAJOR, DP_BACKEND_ABI_MINOR);
    refuse (error, path, reason);
    return NULL;
  }
  const char *fault = info.klass ? class_fault (info.klass) : "it offers no class";
  if (!fault && (!name_ok (info.klass->name) || !g_str_equal (info.klass->name, name)))
    fault = "its name is not that of the file";
  if (fault) {
    refuse (error, path, fault);
    return NULL;
  }
  return info.klass;
}

static const DpBackendClass *
load (const char *path, const char *name, GError **error)
{
  g_autofree char *directory = g_path_get_dirname (path);
  if (!others_cannot_write (directory, error) || !others_cannot_write (path, error))
    return NULL;
  void *object = dlopen (path, RTLD_NOW | RTLD_LOCAL); /* never closed: drivers leave hooks behind */
  if (!object) {
    refuse (error, path, dlerror ());
    return NULL;
  }
  DpPluginEntry entry;
  void *symbol = dlsym (object, DP_PLUGIN_SYMBOL);
  memcpy (&entry, &symbol, sizeof entry); /* ISO C has no cast from object to function pointer */
  if (!entry) {
    refuse (error, path, "it has no " DP_PLUGIN_SYMBOL);
    return NULL;
  }
  return ask_entry (path, name, entry, error);
}

/* Each file is loaded and asked once per process, whatever comes of it. */
typedef struct {
  const DpBackendClass *klass;
  GError *error;
} Loaded;

static const DpBackendClass *
load_once (const char *path, const char *name, GError **error)
{
  static GMutex mutex;
  static GHashTable *loaded; /* canonical path -> Loaded; as long-lived as the objects themselves */
  g_autofree char *real = realpath (path, NULL);
  if (!real) {
    refuse (error, path, g_strerror (errno));
    return NULL;
  }
  g_mutex_lock (&mutex);
  if (!loaded)
    loaded = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree char *key = g_strconcat (name, ":", real, NULL);
  Loaded *entry = g_hash_table_lookup (loaded, key);
  if (!entry) {
    entry = g_new0 (Loaded, 1);
    entry->klass = load (real, name, &entry->error);
    g_hash_table_insert (loaded, g_steal_pointer (&key), entry);
  }
  if (!entry->klass)
    g_propagate_error (error, g_error_copy (entry->error));
  g_mutex_unlock (&mutex);
  return entry->klass;
}

/* ---- the directories ---- */

/* Absolute directories in order of precedence, NULL-terminated. */
static char **
directories (void)
{
  GStrvBuilder *builder = g_strv_builder_new ();
  const char *environment = secure_getenv ("DOCPARSE_BACKEND_PATH");
  g_auto (GStrv) given = g_strsplit (environment ? environment : "", G_SEARCHPATH_SEPARATOR_S, -1);
  for (char **d = given; *d; d++) {
    if (g_path_is_absolute (*d))
      g_strv_builder_add (builder, *d);
    else if (**d)
      g_warning ("DOCPARSE_BACKEND_PATH: '%s' is not an absolute path and is not searched", *d);
  }
  g_strv_builder_add (builder, DP_LIBDIR);
  char **all = g_strv_builder_end (builder);
  g_strv_builder_unref (builder);
  return all;
}

static const DpBackendClass *
find_class (const char *name, GError **error)
{
  const DpBackendClass *klass = find_built_in (name);
  if (klass)
    return klass;
  g_auto (GStrv) dirs = directories ();
  g_autofree char *file = g_strconcat (PREFIX, name, SUFFIX, NULL);
  for (char **d = dirs; name_ok (name) && *d; d++) {
    g_autofree char *path = g_build_filename (*d, file, NULL);
    if (g_file_test (path, G_FILE_TEST_EXISTS))
      return load_once (path, name, error);
  }
  g_set_error (
      error, DP_OPS_ERROR, DP_OPS_ERROR_NOT_FOUND,
      "There is no back end '%s': neither built in nor as %s in DOCPARSE_BACKEND_PATH or %s; `docparse devices` lists what there is", name,
      file, DP_LIBDIR);
  return NULL;
}

static void
entry_free (gpointer data)
{
  DpBackendEntry *entry = data;
  g_free (entry->name);
  g_free (entry->path);
  g_clear_error (&entry->error);
  g_free (entry);
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
list_directory (GPtrArray *list, GHashTable *seen, const char *directory)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  for (const char *file; dir && (file = g_dir_read_name (dir));)
    if (g_str_has_prefix (file, PREFIX) && g_str_has_suffix (file, SUFFIX))
      g_ptr_array_add (files, g_strdup (file));
  g_ptr_array_sort (files, by_name);
  for (guint i = 0; i < files->len; i++) {
    const char *file = files->pdata[i];
    g_autofree char *name = g_strndup (file + strlen (PREFIX), strlen (file) - strlen (PREFIX) - strlen (SUFFIX));
    if (!name_ok (name) || find_built_in (name) || !g_hash_table_add (seen, g_strdup (name)))
      continue;
    DpBackendEntry *entry = g_new0 (DpBackendEntry, 1);
    entry->path = g_build_filename (directory, file, NULL);
    entry->klass = load_once (entry->path, name, &entry->error);
    entry->name = g_steal_pointer (&name);
    g_ptr_array_add (list, entry);
  }
}

GPtrArray *
dp_backend_list (void)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (entry_free);
  for (guint i = 0; i < G_N_ELEMENTS (built_in); i++) {
    DpBackendEntry *entry = g_new0 (DpBackendEntry, 1);
    entry->name = g_strdup (built_in[i]->name);
    entry->klass = built_in[i];
    g_ptr_array_add (list, entry);
  }
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_auto (GStrv) dirs = directories ();
  for (char **d = dirs; *d; d++)
    list_directory (list, seen, *d);
  return list;
}

/* ---- opening ---- */

static gboolean
class_has_device (const DpBackendClass *klass, guint device, GError **error)
{
  const guint n = klass->n_devices ();
  if (device < n)
    return TRUE;
  g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_NOT_FOUND,
               n ? "The back end '%s' has no device %u (it has %u)" : "The back end '%s' finds no device here", klass->name, device, n);
  return FALSE;
}

gboolean
dp_backend_has_device (const char *name, guint device, GError **error)
{
  const DpBackendClass *klass = find_class (name, error);
  return klass && class_has_device (klass, device, error);
}

static DpBackend *
open_class (const DpBackendClass *klass, const DpBackendOptions *options, GError **error)
{
  if (!class_has_device (klass, options->device, error))
    return NULL;
  DpOpened *opened = g_new0 (DpOpened, 1);
  opened->base.klass = klass;
  opened->options = *options;
  if (!klass->open (&opened->base, options, error)) {
    g_free (opened);
    return NULL;
  }
  return &opened->base;
}

void
dp_backend_info (const DpBackend *backend, DpDeviceInfo *info)
{
  *info = (DpDeviceInfo){ .struct_size = sizeof *info };
  if (!backend->klass->device_info (((const DpOpened *) backend)->options.device, info, NULL))
    *info = (DpDeviceInfo){ .struct_size = sizeof *info };
}

DpBackend *
dp_backend_open (const char *name, const DpBackendOptions *options, GError **error)
{
  const DpBackendClass *klass = find_class (name, error);
  if (!klass)
    return NULL;
  DpBackendOptions all = { 0 };
  if (options)
    memcpy (&all, options, MIN (options->struct_size ? options->struct_size : sizeof all, sizeof all));
  all.struct_size = sizeof all;
  DpOpened *opened = (DpOpened *) open_class (klass, &all, error);
  if (!opened)
    return NULL;
  if ((klass->flags & DP_BACKEND_HOST_MEMORY) && !all.strict_backend && klass != &dp_backend_reference) {
    DpBackendOptions plain = { .struct_size = sizeof plain };
    opened->reference = open_class (&dp_backend_reference, &plain, error);
    if (!opened->reference) {
      dp_backend_close (&opened->base);
      return NULL;
    }
  }
  opened->traced = dp_trace_enter ();
  return &opened->base;
}

void
dp_backend_close (DpBackend *backend)
{
  DpOpened *opened = (DpOpened *) backend;
  if (!opened)
    return;
  if (opened->traced)
    dp_trace_leave ();
  backend->klass->close (backend);
  dp_backend_close (opened->reference);
  g_free (opened);
}

DpBackend *
dp_backend_fallback (const DpBackend *backend)
{
  return ((const DpOpened *) backend)->reference;
}
