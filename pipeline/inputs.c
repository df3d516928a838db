/* pipeline/inputs.c - arguments to documents: the walk over directories. */
#include "pipeline/inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const endings[] = { ".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff" };

void
dp_input_free (DpInput *input)
{
  if (!input)
    return;
  g_free (input->path);
  g_free (input->relative);
  g_free (input->problem);
  g_free (input);
}

static void
add_input (GPtrArray *inputs, const char *path, const char *relative, const char *problem)
{
  DpInput *input = g_new0 (DpInput, 1);

  input->path = g_strdup (path);
  input->relative = g_strdup (relative);
  input->problem = g_strdup (problem);
  g_ptr_array_add (inputs, input);
}

gsize
dp_input_stem_length (const char *name)
{
  const gsize length = strlen (name);

  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++) {
    const gsize n = strlen (endings[i]);
    if (length > n && g_ascii_strcasecmp (name + length - n, endings[i]) == 0)
      return length - n;
  }
  return length;
}

gboolean
dp_input_is_named_picture (const char *name)
{
  const gsize stem = dp_input_stem_length (name);

  return name[stem] != '\0' && g_ascii_strcasecmp (name + stem, ".pdf") != 0;
}

/* ---- directories ------------------------------------------------------------------------- */

static gint
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* TRUE if name is STEM + suffix and a document STEM.* lies beside it (stems). */
static gboolean
is_ours (const char *name, const char *suffix, GHashTable *stems)
{
  if (!g_str_has_suffix (name, suffix))
    return FALSE;
  g_autofree char *stem = g_strndup (name, strlen (name) - strlen (suffix));
  return g_hash_table_contains (stems, stem);
}

static GPtrArray *
sorted_names (const char *directory, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, error);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  if (!dir)
    return NULL;
  while ((name = g_dir_read_name (dir)))
    if (name[0] != '.')
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, by_name);
  return g_steal_pointer (&names);
}

static void
walk (GPtrArray *inputs, const char *directory, const char *relative)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) names = sorted_names (directory, &error);
  g_autoptr (GHashTable) stems = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  if (!names) {
    add_input (inputs, directory, relative ? relative : "", error->message);
    return;
  }
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    const gsize stem = dp_input_stem_length (name);
    if (stem < strlen (name))
      g_hash_table_add (stems, g_strndup (name, stem));
  }
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    g_autofree char *path = g_build_filename (directory, name, NULL);
    g_autofree char *below = relative ? g_build_filename (relative, name, NULL) : g_strdup (name);
    struct stat st;

    if (lstat (path, &st) == 0 && S_ISDIR (st.st_mode)) {
      if (!is_ours (name, "_images", stems))
        walk (inputs, path, below);
    } else if (dp_input_stem_length (name) < strlen (name) && !is_ours (name, "_layout.pdf", stems)
               && !is_ours (name, "_searchable.pdf", stems) && g_file_test (path, G_FILE_TEST_IS_REGULAR)) {
      add_input (inputs, path, below, NULL);
    }
  }
}

/* ---- arguments ---------------------------------------------------------------------------- */

static void
add_argument (GPtrArray *inputs, const char *argument)
{
  struct stat st;

  if (strcmp (argument, "-") == 0) {
    add_input (inputs, "-", "stdin", NULL);
  } else if (stat (argument, &st) != 0) {
    add_input (inputs, argument, "", errno == ENOENT ? "there is no such file" : g_strerror (errno));
  } else if (S_ISDIR (st.st_mode)) {
    const guint before = inputs->len;
    walk (inputs, argument, NULL);
    if (inputs->len == before)
      add_input (inputs, argument, "", "no PDF, PNG, JPEG or TIFF files in this directory");
  } else {
    g_autofree char *name = g_path_get_basename (argument);
    const int readable = access (argument, R_OK);
    add_input (inputs, argument, name, readable == 0 ? NULL : g_strerror (errno));
  }
}

GPtrArray *
dp_inputs_collect (char *const *arguments, guint n)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_input_free);

  for (guint i = 0; i < n; i++)
    add_argument (inputs, arguments[i]);
  return inputs;
}

gboolean
dp_inputs_are_many (char *const *arguments, guint n)
{
  return n > 1 || (n == 1 && g_file_test (arguments[0], G_FILE_TEST_IS_DIR));
}
