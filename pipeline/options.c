/* pipeline/options.c - the command line, over GOption.
 *
 * Every value is taken as a file name (raw bytes) and checked here: GOption's own string
 * arguments are converted from the locale, which refuses UTF-8 under LANG=C.
 */
#include "pipeline/options.h"

#include <string.h>

/* ---- names of values ---------------------------------------------------------------------- */

typedef struct {
  const char *name;
  guint value;
} Choice;

static const Choice format_choices[] = { { "md", DP_FORMAT_MARKDOWN },
                                         { "html", DP_FORMAT_HTML },
                                         { "txt", DP_FORMAT_TEXT },
                                         { "json", DP_FORMAT_JSON },
                                         { "content-list", DP_FORMAT_CONTENT_LIST },
                                         { NULL, 0 } };
static const char *const format_endings[DP_N_FORMATS] = { ".md", ".html", ".txt", ".json", "_content_list.json" };

static const Choice keep_choices[]
    = { { "header", DP_KEEP_HEADER },         { "footer", DP_KEEP_FOOTER }, { "page-number", DP_KEEP_PAGE_NUMBER },
        { "footnote", DP_KEEP_FOOTNOTE },     { "hidden", DP_KEEP_HIDDEN }, { "aside", DP_KEEP_ASIDE },
        { "annotation", DP_KEEP_ANNOTATION }, { "field", DP_KEEP_FIELD },   { NULL, 0 } };
static const Choice table_choices[] = { { "auto", DP_TABLES_AUTO }, { "html", DP_TABLES_HTML }, { "pipe", DP_TABLES_PIPE }, { NULL, 0 } };
static const Choice image_choices[] = { { "off", DP_IMAGES_OFF },
                                        { "placeholder", DP_IMAGES_PLACEHOLDER },
                                        { "embedded", DP_IMAGES_EMBEDDED },
                                        { "referenced", DP_IMAGES_REFERENCED },
                                        { NULL, 0 } };
static const Choice method_choices[] = { { "auto", DP_METHOD_AUTO }, { "text", DP_METHOD_TEXT }, { "ocr", DP_METHOD_OCR }, { NULL, 0 } };
static const Choice folder_choices[] = { { "plain", DP_FOLDER_PLAIN }, { "mineru", DP_FOLDER_MINERU }, { NULL, 0 } };
static const Choice log_choices[] = { { "text", FALSE }, { "json", TRUE }, { NULL, 0 } };

const char *
dp_format_name (DpFormat format)
{
  return format_choices[format].name;
}

const char *
dp_format_ending (DpFormat format)
{
  return format_endings[format];
}

static gboolean
refuse (GError **error, const char *option, const char *value, const char *why)
{
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s: '%s' %s", option, value, why);
  return FALSE;
}

static gboolean
choose (const char *option, const char *value, const Choice *choices, guint *chosen, GError **error)
{
  g_autoptr (GString) known = g_string_new ("is none of");

  for (const Choice *c = choices; c->name; c++) {
    if (strcmp (c->name, value) == 0) {
      *chosen = c->value;
      return TRUE;
    }
    g_string_append_printf (known, "%s %s", c == choices ? "" : ",", c->name);
  }
  return refuse (error, option, value, known->str);
}

/* A list such as "md,json"; the values come back as bits of 1 << value or, with shift off,
 * or-ed as they are. */
static gboolean
choose_several (const char *option, const char *value, const Choice *choices, gboolean shift, guint *chosen, GError **error)
{
  g_auto (GStrv) names = g_strsplit (value, ",", -1);

  if (!names[0])
    return refuse (error, option, value, "names nothing");
  for (char **name = names; *name; name++) {
    guint one;
    if (!choose (option, g_strstrip (*name), choices, &one, error))
      return FALSE;
    *chosen |= shift ? 1u << one : one;
  }
  return TRUE;
}

static gboolean
parse_number (const char *option, const char *value, guint least, guint most, guint *number, GError **error)
{
  guint64 parsed;

  if (!g_ascii_string_to_unsigned (value, 10, least, most, &parsed, NULL)) {
    g_autofree char *why = g_strdup_printf ("is not a whole number from %u to %u", least, most);
    return refuse (error, option, value, why);
  }
  *number = (guint) parsed;
  return TRUE;
}

/* ---- one function per option that takes a value ------------------------------------------- */

static gboolean
set_output (const char *name, const char *value, gpointer data, GError **error)
{
  DpOptions *o = data;

  if (!*value)
    return refuse (error, name, value, "is not a file name");
  g_free (o->output);
  o->output = g_strdup (value);
  return TRUE;
}

static gboolean
set_report (const char *name, const char *value, gpointer data, GError **error)
{
  DpOptions *o = data;

  if (!*value)
    return refuse (error, name, value, "is not a file name");
  g_free (o->report);
  o->report = g_strdup (value);
  return TRUE;
}

static gboolean
set_formats (const char *name, const char *value, gpointer data, GError **error)
{
  return choose_several (name, value, format_choices, TRUE, &((DpOptions *) data)->formats, error);
}

static gboolean
set_keep (const char *name, const char *value, gpointer data, GError **error)
{
  return choose_several (name, value, keep_choices, FALSE, &((DpOptions *) data)->keep, error);
}

static gboolean
set_pages (const char *name, const char *value, gpointer data, GError **error)
{
  DpOptions *o = data;
  DpRanges *pages = dp_ranges_parse (value, error);

  if (!pages) {
    g_prefix_error (error, "%s: ", name);
    return FALSE;
  }
  dp_ranges_free (o->pages);
  o->pages = pages;
  return TRUE;
}

static gboolean
set_password (const char *name, const char *value, gpointer data, GError **error)
{
  DpOptions *o = data;

  (void) name;
  (void) error;
  g_free (o->password);
  o->password = g_strdup (value);
  return TRUE;
}

static gboolean
set_password_file (const char *name, const char *value, gpointer data, GError **error)
{
  DpOptions *o = data;

  if (!*value)
    return refuse (error, name, value, "is not a file name");
  g_free (o->password_file);
  o->password_file = g_strdup (value);
  return TRUE;
}

static gboolean
set_page_break (const char *name, const char *value, gpointer data, GError **error)
{
  DpOptions *o = data;

  if (!g_utf8_validate (value, -1, NULL))
    return refuse (error, name, value, "is not UTF-8");
  g_free (o->page_break);
  o->page_break = g_strdup (value);
  return TRUE;
}

static gboolean
set_jobs (const char *name, const char *value, gpointer data, GError **error)
{
  return parse_number (name, value, 1, 1024, &((DpOptions *) data)->jobs, error);
}

static gboolean
set_image_dpi (const char *name, const char *value, gpointer data, GError **error)
{
  return parse_number (name, value, 18, 1200, &((DpOptions *) data)->image_dpi, error);
}

static gboolean
set_page_timeout (const char *name, const char *value, gpointer data, GError **error)
{
  DpOptions *o = data;
  guint seconds;

  if (!parse_number (name, value, 1, 86400, &seconds, error))
    return FALSE;
  o->limits.page_cpu_ms = o->limits.page_wall_ms = seconds * 1000;
  return TRUE;
}

static gboolean
set_max_memory (const char *name, const char *value, gpointer data, GError **error)
{
  DpOptions *o = data;
  guint megabytes;

  if (!parse_number (name, value, 64, 1u << 20, &megabytes, error))
    return FALSE;
  o->limits.max_memory = (guint64) megabytes << 20;
  return TRUE;
}

static gboolean
set_tables (const char *name, const char *value, gpointer data, GError **error)
{
  guint chosen;

  if (!choose (name, value, table_choices, &chosen, error))
    return FALSE;
  ((DpOptions *) data)->tables = (DpOutputTables) chosen;
  return TRUE;
}

static gboolean
set_images (const char *name, const char *value, gpointer data, GError **error)
{
  DpOptions *o = data;
  guint chosen;

  if (!choose (name, value, image_choices, &chosen, error))
    return FALSE;
  o->images = (DpOutputImages) chosen;
  o->images_given = TRUE;
  return TRUE;
}

static gboolean
set_method (const char *name, const char *value, gpointer data, GError **error)
{
  guint chosen;

  if (!choose (name, value, method_choices, &chosen, error))
    return FALSE;
  ((DpOptions *) data)->method = (DpMethod) chosen;
  return TRUE;
}

static gboolean
set_folder (const char *name, const char *value, gpointer data, GError **error)
{
  guint chosen;

  if (!choose (name, value, folder_choices, &chosen, error))
    return FALSE;
  ((DpOptions *) data)->folder = (DpFolder) chosen;
  return TRUE;
}

static gboolean
set_log_format (const char *name, const char *value, gpointer data, GError **error)
{
  guint chosen;

  if (!choose (name, value, log_choices, &chosen, error))
    return FALSE;
  ((DpOptions *) data)->log_json = chosen != 0;
  return TRUE;
}

static gboolean
set_resume (const char *name, const char *value, gpointer data, GError **error)
{
  (void) value;
  (void) error;
  ((DpOptions *) data)->resume = strcmp (name, "--resume") == 0;
  return TRUE;
}

static gboolean
set_verbose (const char *name, const char *value, gpointer data, GError **error)
{
  (void) name;
  (void) value;
  (void) error;
  ((DpOptions *) data)->verbose++;
  return TRUE;
}

/* ---- the table ----------------------------------------------------------------------------- */

#define VALUE(long_name, letter, setter, help, value)                                                                                      \
  {                                                                                                                                        \
    long_name, letter, G_OPTION_FLAG_FILENAME, G_OPTION_ARG_CALLBACK, (gpointer) (setter), help, value                                     \
  }
#define FLAG(long_name, letter, setter, help)                                                                                              \
  {                                                                                                                                        \
    long_name, letter, G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK, (gpointer) (setter), help, NULL                                        \
  }
#define SWITCH(long_name, letter, place, help)                                                                                             \
  {                                                                                                                                        \
    long_name, letter, 0, G_OPTION_ARG_NONE, place, help, NULL                                                                             \
  }

static void
add_group (GOptionContext *context, DpOptions *o, const char *name, const char *title, const GOptionEntry *entries)
{
  GOptionGroup *group = g_option_group_new (name, title, title, o, NULL);

  g_option_group_add_entries (group, entries);
  g_option_context_add_group (context, group);
}

static void
add_writing_options (GOptionContext *context, DpOptions *o)
{
  const GOptionEntry writing[] = {
    VALUE ("output", 'o', set_output, "File, directory (DIR/) or - for stdout; else beside the input", "PLACE"),
    VALUE ("to", 't', set_formats, "md, html, txt, json, content-list; several with commas", "LIST"),
    VALUE ("layout", 0, set_folder, "Folders: plain or mineru (STEM/auto/STEM.md, images/)", "NAME"),
    SWITCH ("overlay", 0, &o->overlay, "Also write STEM_layout.pdf: boxes and reading order over the page"),
    FLAG ("resume", 0, set_resume, "Pass over inputs whose output is there and newer"),
    FLAG ("overwrite", 0, set_resume, "Convert them again (default)"),
    VALUE ("report", 0, set_report, "Write what happened to each document and page as JSON", "FILE"),
    { NULL },
  };
  const GOptionEntry content[] = {
    VALUE ("keep", 0, set_keep, "Also print: header, footer, page-number, footnote, hidden, aside, annotation, field", "LIST"),
    VALUE ("tables", 0, set_tables, "auto, html or pipe", "KIND"),
    VALUE ("images", 0, set_images, "off, placeholder, embedded or referenced", "KIND"),
    VALUE ("image-dpi", 0, set_image_dpi, "Resolution of pictures (150)", "DPI"),
    SWITCH ("figure-text", 0, &o->figure_text, "Print the words inside figures too"),
    VALUE ("page-break", 0, set_page_break, "Line between pages; %n is the number of the page that begins", "TEXT"),
    { NULL },
  };

  add_group (context, o, "writing", "Where it goes:", writing);
  add_group (context, o, "content", "What is printed:", content);
}

static GOptionContext *
new_context (DpOptions *o, gboolean all)
{
  GOptionContext *context = g_option_context_new (all ? "FILE|DIR|-..." : "FILE");
  const GOptionEntry reading[] = {
    VALUE ("pages", 'p', set_pages, "Pages, for example 1-5,8,12-,last", "RANGES"),
    VALUE ("password", 0, set_password, "Password of the document (or DOCPARSE_PASSWORD)", "TEXT"),
    VALUE ("password-file", 0, set_password_file, "Read it from the first line of a file", "FILE"),
    VALUE ("method", 'm', set_method, "auto, text (believe the text layer) or ocr", "NAME"),
    VALUE ("jobs", 'j', set_jobs, "Processes to read with (one per processor)", "N"),
    VALUE ("page-timeout", 0, set_page_timeout, "Give up a page after so long (4 s of processor time)", "SECONDS"),
    VALUE ("max-memory", 0, set_max_memory, "Memory for each process that reads (900)", "MB"),
    { NULL },
  };
  const GOptionEntry messages[] = {
    SWITCH ("quiet", 'q', &o->quiet, "Only problems: no status line, no summary"),
    FLAG ("verbose", 'v', set_verbose, "More; twice: for finding faults"),
    VALUE ("log-format", 0, set_log_format, "text or json (one object per line on stderr)", "KIND"),
    SWITCH ("help", 'h', &o->help, "This text"),
    SWITCH ("version", 'V', &o->version, "Version of docparse"),
    { NULL },
  };

  g_option_context_set_help_enabled (context, FALSE);
  if (all)
    add_writing_options (context, o);
  add_group (context, o, "reading", "What is read:", reading);
  add_group (context, o, "messages", "Messages:", messages);
  g_option_context_set_summary (context, all ? "Turns PDF files and pictures of pages into Markdown."
                                             : "Says as JSON, page by page, what docparse sees and what it would do.");
  return context;
}

/* ---- parsing ------------------------------------------------------------------------------- */

static DpOptions *
options_new (void)
{
  static const DpPdfLimits standard = DP_PDF_LIMITS_DEFAULT;
  DpOptions *o = g_new0 (DpOptions, 1);

  o->limits = standard;
  o->image_dpi = 150;
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
  g_free (o->page_break);
  g_free (o);
}

/* Parses into o; what is left over are the inputs. */
static gboolean
parse (DpOptions *o, gboolean all, char *const *argv, GError **error)
{
  g_autoptr (GOptionContext) context = new_context (o, all);
  g_auto (GStrv) arguments = g_strdupv ((char **) argv);

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
    if (g_str_has_suffix (name, format_endings[f])) {
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

static char *
help (gboolean all)
{
  g_autoptr (DpOptions) o = options_new ();
  g_autoptr (GOptionContext) context = new_context (o, all);

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
    if (!g_file_get_contents (o->password_file, &o->password, NULL, error))
      return FALSE;
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
