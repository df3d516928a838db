/* pipeline/options.c - from arguments to options: defaults, what contradicts what, the password. */
#include "pipeline/options.h"

#include "pipeline/options_table.h"

#include <string.h>

/* ---- parsing ------------------------------------------------------------------------------- */

static DpOptions *
options_new (void)
{
  static const DpPdfLimits standard = DP_PDF_LIMITS_DEFAULT;
  DpOptions *o = g_new0 (DpOptions, 1);

  o->limits = standard;
  o->image_dpi = 150;
  o->model.weights = o->model.kv = DP_BF16;
  return o;
}

void
dp_options_free (DpOptions *o)
{
  if (!o)
    return;
  g_strfreev (o->inputs);
  dp_ranges_free (o->pages);
  g_free (o->password);
  g_free (o->password_file);
  g_free (o->output);
  g_free (o->report);
  g_free (o->model.device);
  g_free (o->model.dir);
  g_free (o->page_break);
  g_free (o);
}

/* -j4 as -j 4: GOption knows a letter's value only as the next argument. */
static GStrv
values_apart (char *const *argv, GHashTable *with_value)
{
  GPtrArray *apart = g_ptr_array_new ();
  gboolean is_value = FALSE, options_ended = FALSE;

  for (char *const *a = argv; *a; a++) {
    const char letter[3] = { '-', (*a)[0] ? (*a)[1] : '\0', '\0' };
    const gboolean attached
        = a > argv && !is_value && !options_ended && (*a)[0] == '-' && letter[1] && (*a)[2] && g_hash_table_contains (with_value, letter);

    options_ended |= !is_value && strcmp (*a, "--") == 0;
    is_value = !is_value && !options_ended && g_hash_table_contains (with_value, *a);
    if (attached)
      g_ptr_array_add (apart, g_strdup (letter));
    g_ptr_array_add (apart, g_strdup (attached ? *a + 2 : *a));
  }
  g_ptr_array_add (apart, NULL);
  return (GStrv) g_ptr_array_free (apart, FALSE);
}

/* Parses into o; what is left over are the inputs. */
static gboolean
parse (DpOptions *o, gboolean all, char *const *argv, GError **error)
{
  g_autoptr (GHashTable) with_value = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GOptionContext) context = dp_options_context (o, all, with_value);
  g_auto (GStrv) arguments = values_apart (argv, with_value);

  if (!g_option_context_parse_strv (context, &arguments, error))
    return FALSE;
  /* "--" ends the options and may be left in front of what follows it. */
  char **first = arguments[0] ? arguments + 1 : arguments;
  o->inputs = g_new0 (char *, g_strv_length (first) + 1);
  gboolean options_ended = FALSE;
  guint n = 0;
  for (char **a = first; *a; a++) {
    if (!options_ended && strcmp (*a, "--") == 0)
      options_ended = TRUE;
    else
      o->inputs[n++] = g_strdup (*a);
  }
  return TRUE;
}

static gboolean
fail (GError **error, const char *message)
{
  g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, message);
  return FALSE;
}

gboolean
dp_options_to_stdout (const DpOptions *o)
{
  if (o->output)
    return strcmp (o->output, "-") == 0;
  return g_strv_length (o->inputs) == 1 && strcmp (o->inputs[0], "-") == 0;
}

/* Which format a file name ends in. */
static gboolean
format_of_name (const char *name, DpFormat *format)
{
  /* the longest ending first: _content_list.json is also .json */
  for (guint f = DP_N_FORMATS; f-- > 0;)
    if (dp_format_is_named (f, name)) {
      *format = (DpFormat) f;
      return TRUE;
    }
  return FALSE;
}

static void
fill_defaults (DpOptions *o)
{
  DpFormat format = DP_FORMAT_MARKDOWN;

  if (!o->formats && o->folder == DP_FOLDER_MINERU)
    o->formats = 1u << DP_FORMAT_MARKDOWN | 1u << DP_FORMAT_CONTENT_LIST;
  if (!o->formats) {
    if (o->output)
      format_of_name (o->output, &format);
    o->formats = 1u << format;
  }
  if (!o->images_given)
    o->images = dp_options_to_stdout (o) ? DP_IMAGES_PLACEHOLDER : DP_IMAGES_REFERENCED;
}

/* What makes no sense together. */
static gboolean
check (const DpOptions *o, GError **error)
{
  const guint n = g_strv_length (o->inputs);
  guint n_stdin = 0;

  if (n == 0)
    return fail (error, "no input: name a PDF, a directory, or - for standard input");
  for (guint i = 0; i < n; i++) {
    if (!*o->inputs[i])
      return fail (error, "an input has an empty name");
    n_stdin += strcmp (o->inputs[i], "-") == 0;
  }
  if (n_stdin > 1)
    return fail (error, "standard input can be read only once");
  if (o->quiet && o->verbose)
    return fail (error, "-q and -v contradict each other");
  if (!dp_options_to_stdout (o))
    return TRUE;
  if (n > 1)
    return fail (error, "several inputs do not go to standard output; give a directory: -o DIR/");
  if (o->formats & (o->formats - 1))
    return fail (error, "only one format goes to standard output; give a file or a directory: -o");
  if (o->images == DP_IMAGES_REFERENCED)
    return fail (error, "--images referenced needs a place for the pictures: -o FILE or -o DIR/");
  if (o->overlay)
    return fail (error, "--overlay needs a place for its PDF: -o FILE or -o DIR/");
  if (o->folder == DP_FOLDER_MINERU)
    return fail (error, "--layout mineru needs a directory: -o DIR/");
  return TRUE;
}

DpOptions *
dp_options_parse (char *const *argv, GError **error)
{
  g_autoptr (DpOptions) o = options_new ();

  if (!parse (o, TRUE, argv, error))
    return NULL;
  if (!o->help && !o->version) {
    fill_defaults (o);
    if (!check (o, error))
      return NULL;
  }
  return g_steal_pointer (&o);
}

DpOptions *
dp_options_parse_inspect (char *const *argv, GError **error)
{
  g_autoptr (DpOptions) o = options_new ();

  if (!parse (o, FALSE, argv, error))
    return NULL;
  if (!o->help && !o->version && (g_strv_length (o->inputs) != 1 || !*o->inputs[0])) {
    fail (error, "inspect looks at one file: docparse inspect FILE");
    return NULL;
  }
  return g_steal_pointer (&o);
}

gboolean
dp_options_ask_for_json (char *const *argv)
{
  static const char option[] = "--log-format";
  const gsize n = sizeof option - 1;
  gboolean json = FALSE;

  for (char *const *a = argv; *a && strcmp (*a, "--") != 0; a++)
    if (strncmp (*a, option, n) == 0 && ((*a)[n] == '=' || ((*a)[n] == '\0' && a[1])))
      json = strcmp ((*a)[n] ? *a + n + 1 : a[1], "json") == 0;
  return json;
}

static char *
help (gboolean all)
{
  g_autoptr (DpOptions) o = options_new ();
  g_autoptr (GOptionContext) context = dp_options_context (o, all, NULL);

  return g_option_context_get_help (context, FALSE, NULL);
}

char *
dp_options_help (void)
{
  return help (TRUE);
}

char *
dp_options_help_inspect (void)
{
  return help (FALSE);
}

/* ---- the password ---------------------------------------------------------------------------- */

gboolean
dp_options_load_password (DpOptions *o, GError **error)
{
  const char *source = "--password";

  if (!o->password && o->password_file) {
    source = "--password-file";
    if (!g_file_get_contents (o->password_file, &o->password, NULL, error)) {
      g_prefix_error (error, "%s: ", source);
      return FALSE;
    }
    o->password[strcspn (o->password, "\r\n")] = '\0';
  } else if (!o->password) {
    source = "DOCPARSE_PASSWORD";
    o->password = g_strdup (g_getenv ("DOCPARSE_PASSWORD"));
  }
  if (o->password && !g_utf8_validate (o->password, -1, NULL)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s: the password is not UTF-8", source);
    return FALSE;
  }
  return TRUE;
}
