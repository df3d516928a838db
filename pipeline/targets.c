/* pipeline/targets.c - names of output files; the folder layout of MinerU is its own (3.x). */
#include "pipeline/targets.h"

#include "pipeline/inputs.h"

#include <string.h>
#include <sys/stat.h>

/* Leaves room below NAME_MAX (255) for the longest ending and a suffix; MinerU cuts at 200 too. */
#define LONGEST_STEM 200

void
dp_target_free (DpTarget *target)
{
  if (!target)
    return;
  for (guint f = 0; f < DP_N_FORMATS; f++)
    g_free (target->files[f]);
  g_free (target->overlay);
  g_free (target->image_dir);
  g_free (target->image_dir_name);
  g_free (target);
}

/* ---- names ------------------------------------------------------------------------------- */

/* A stem that fits a file name, still different for different names. */
static char *
cut_stem (const char *stem)
{
  gsize length = strlen (stem);

  if (length <= LONGEST_STEM)
    return g_strdup (stem);
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, stem, -1);
  length = LONGEST_STEM - 9;
  while (length > 0 && ((guchar) stem[length] & 0xc0) == 0x80) /* not inside a character */
    length--;
  return g_strdup_printf ("%.*s-%.8s", (int) length, stem, hash);
}

static char *
input_stem (const DpInput *input)
{
  g_autofree char *name = g_path_get_basename (input->relative);
  g_autofree char *stem = g_strndup (name, dp_input_stem_length (name));

  return cut_stem (stem);
}

static gboolean
wants_pictures (const DpOptions *o)
{
  return o->images == DP_IMAGES_REFERENCED && (o->formats & ~(1u << DP_FORMAT_TEXT | 1u << DP_FORMAT_PDF));
}

/* All files of a document whose names begin with directory/stem. */
static DpTarget *
target_at (const DpOptions *o, const char *directory, const char *stem)
{
  static const char *const method_folders[] = { "auto", "txt", "ocr" };
  DpTarget *target = g_new0 (DpTarget, 1);
  const gboolean mineru = o->folder == DP_FOLDER_MINERU;
  g_autofree char *folder = mineru ? g_build_filename (directory, stem, method_folders[o->method], NULL) : g_strdup (directory);
  g_autofree char *base = g_build_filename (folder, stem, NULL);

  for (guint f = 0; f < DP_N_FORMATS; f++)
    if (o->formats & 1u << f)
      target->files[f] = g_strconcat (base, dp_format_ending (f), NULL);
  if (o->overlay)
    target->overlay = g_strconcat (base, "_layout.pdf", NULL);
  if (wants_pictures (o)) {
    target->image_dir_name = mineru ? g_strdup ("images") : g_strconcat (stem, "_images", NULL);
    target->image_dir = g_build_filename (folder, target->image_dir_name, NULL);
  }
  return target;
}

/* -o FILE: the file itself for the format it ends in (or the first one), the others beside it. */
static DpTarget *
target_of_file (const DpOptions *o)
{
  g_autofree char *directory = g_path_get_dirname (o->output);
  g_autofree char *name = g_path_get_basename (o->output);
  int chosen = -1;
  gsize length = strlen (name);

  for (int f = DP_N_FORMATS; f-- > 0;)
    if (chosen < 0 && (o->formats & 1u << f) && dp_format_is_named (f, name))
      chosen = f;
  if (chosen < 0)
    chosen = g_bit_nth_lsf (o->formats, -1);

  if (g_str_has_suffix (name, dp_format_ending (chosen)) && length > strlen (dp_format_ending (chosen)))
    length -= strlen (dp_format_ending (chosen));
  else if (strrchr (name, '.') > name)
    length = (gsize) (strrchr (name, '.') - name);
  g_autofree char *whole = g_strndup (name, length);
  g_autofree char *stem = cut_stem (whole);
  DpTarget *target = target_at (o, directory, stem);

  g_free (target->files[chosen]);
  target->files[chosen] = g_strdup (o->output);
  return target;
}

/* ---- no two documents write the same file -------------------------------------------------- */

static void
list_files (const DpTarget *target, GPtrArray *files)
{
  for (guint f = 0; f < DP_N_FORMATS; f++)
    if (target->files[f])
      g_ptr_array_add (files, g_canonicalize_filename (target->files[f], NULL));
  if (target->overlay)
    g_ptr_array_add (files, g_canonicalize_filename (target->overlay, NULL));
  if (target->image_dir)
    g_ptr_array_add (files, g_canonicalize_filename (target->image_dir, NULL));
}

/* Takes the names of target for it, unless one is taken. */
static gboolean
claim (GHashTable *taken, const DpTarget *target)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);

  list_files (target, files);
  for (guint i = 0; i < files->len; i++)
    if (g_hash_table_contains (taken, g_ptr_array_index (files, i)))
      return FALSE;
  for (guint i = 0; i < files->len; i++)
    g_hash_table_add (taken, g_strdup (g_ptr_array_index (files, i)));
  return TRUE;
}

static char *
directory_for (const DpOptions *o, const DpInput *input)
{
  g_autofree char *below = g_path_get_dirname (input->relative);

  if (!o->output)
    return strcmp (input->path, "-") == 0 ? g_strdup (".") : g_path_get_dirname (input->path);
  return strcmp (below, ".") == 0 ? g_strdup (o->output) : g_build_filename (o->output, below, NULL);
}

/* The second document of a name gets _2; counters remember how far each name has come, so
 * that a thousand equal names cost a thousand steps. */
static DpTarget *
target_with_suffix (const DpOptions *o, const char *directory, const char *stem, GHashTable *taken, GHashTable *counters)
{
  g_autofree char *name = g_build_filename (directory, stem, NULL);
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (counters, name));

  for (number = MAX (number, 2);; number++) {
    g_autofree char *other = g_strdup_printf ("%s_%u", stem, number);
    g_autoptr (DpTarget) target = target_at (o, directory, other);

    if (claim (taken, target)) {
      g_hash_table_insert (counters, g_strdup (name), GUINT_TO_POINTER (number + 1));
      return g_steal_pointer (&target);
    }
  }
}

/* Documents under their own names first, then those whose name was taken. */
static GPtrArray *
plan_directory (const DpOptions *o, const GPtrArray *inputs)
{
  GPtrArray *targets = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_target_free);
  g_autoptr (GHashTable) taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) counters = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < inputs->len; i++) {
    const DpInput *input = g_ptr_array_index (inputs, i);
    g_autofree char *directory = directory_for (o, input);
    g_autofree char *stem = input_stem (input);
    g_autoptr (DpTarget) target = input->problem ? g_new0 (DpTarget, 1) : target_at (o, directory, stem);

    g_ptr_array_add (targets, input->problem || claim (taken, target) ? g_steal_pointer (&target) : NULL);
  }
  for (guint i = 0; i < inputs->len; i++) {
    const DpInput *input = g_ptr_array_index (inputs, i);

    if (!g_ptr_array_index (targets, i)) {
      g_autofree char *directory = directory_for (o, input);
      g_autofree char *stem = input_stem (input);
      g_ptr_array_index (targets, i) = target_with_suffix (o, directory, stem, taken, counters);
    }
  }
  return targets;
}

/* Whether -o means a directory: it says so, it is one, or it has to be one and could. */
static gboolean
is_directory (const DpOptions *o, gboolean many)
{
  if (!o->output || o->folder == DP_FOLDER_MINERU || g_str_has_suffix (o->output, "/") || g_file_test (o->output, G_FILE_TEST_IS_DIR))
    return TRUE;
  for (guint f = 0; f < DP_N_FORMATS; f++)
    if (dp_format_is_named (f, o->output))
      return FALSE;
  return many && !g_file_test (o->output, G_FILE_TEST_EXISTS);
}

/* The one document of a run without a directory. */
static GPtrArray *
plan_file (const DpOptions *o)
{
  GPtrArray *targets = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_target_free);

  if (dp_options_to_stdout (o)) {
    DpTarget *target = g_new0 (DpTarget, 1);
    target->files[g_bit_nth_lsf (o->formats, -1)] = g_strdup ("-");
    g_ptr_array_add (targets, target);
  } else {
    g_ptr_array_add (targets, target_of_file (o));
  }
  return targets;
}

/* Whether one of the documents goes to the file that the report is for. */
static gboolean
report_has_its_own_file (const DpOptions *o, const GPtrArray *targets)
{
  g_autofree char *report = o->report ? g_canonicalize_filename (o->report, NULL) : NULL;
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; report && i < targets->len; i++)
    list_files (g_ptr_array_index (targets, i), files);
  return !report || !g_ptr_array_find_with_equal_func (files, report, g_str_equal, NULL);
}

GPtrArray *
dp_targets_plan (const DpOptions *o, const GPtrArray *inputs, GError **error)
{
  const gboolean many = dp_inputs_are_many (o->inputs, g_strv_length (o->inputs));
  const gboolean directory = !dp_options_to_stdout (o) && is_directory (o, many);

  if (many && !directory) {
    g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                         "several documents do not fit into one file; give a directory: -o DIR/");
    return NULL;
  }
  g_autoptr (GPtrArray) targets = directory ? plan_directory (o, inputs) : plan_file (o);
  if (!report_has_its_own_file (o, targets)) {
    g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                         "--report names the file that a document goes to; give it one of its own");
    return NULL;
  }
  return g_steal_pointer (&targets);
}

/* ---- --resume ------------------------------------------------------------------------------- */

static gboolean
not_older (const char *file, const struct stat *input)
{
  struct stat st;

  if (stat (file, &st) != 0)
    return FALSE;
  return st.st_mtim.tv_sec > input->st_mtim.tv_sec
         || (st.st_mtim.tv_sec == input->st_mtim.tv_sec && st.st_mtim.tv_nsec >= input->st_mtim.tv_nsec);
}

gboolean
dp_target_up_to_date (const DpTarget *target, const char *path)
{
  struct stat input;

  if (strcmp (path, "-") == 0 || stat (path, &input) != 0)
    return FALSE;
  for (guint f = 0; f < DP_N_FORMATS; f++)
    if (target->files[f] && (strcmp (target->files[f], "-") == 0 || !not_older (target->files[f], &input)))
      return FALSE;
  return !target->overlay || not_older (target->overlay, &input);
}
