/* pipeline/options_table.c - every option of the command line, in one table per group.
 *
 * Every value is taken as a file name (raw bytes) and checked here: GOption's own string
 * arguments are converted from the locale, which refuses UTF-8 under LANG=C.
 */
#include "pipeline/options_table.h"

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
                                         { "pdf", DP_FORMAT_PDF },
                                         { NULL, 0 } };
static const char *const format_endings[DP_N_FORMATS] = { ".md", ".html", ".txt", ".json", "_content_list.json", "_searchable.pdf" };

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
static const Choice weight_choices[] = { { "bf16", DP_BF16 }, { "int8", DP_I8 }, { "int4", DP_I4 }, { "f32", DP_F32 }, { NULL, 0 } };
static const Choice kv_choices[] = { { "bf16", DP_BF16 }, { "int8", DP_I8 }, { "f32", DP_F32 }, { NULL, 0 } };
static const Choice log_choices[] = { { "text", FALSE }, { "json", TRUE }, { NULL, 0 } };

const char *
dp_format_name (DpFormat format)
{
  return format_choices[format].name;
}

gboolean
dp_format_is_named (DpFormat format, const char *name)
{
  const char *ending = format == DP_FORMAT_PDF ? ".pdf" : dp_format_ending (format);
  const gsize length = strlen (name), n = strlen (ending);

  return length >= n && g_ascii_strcasecmp (name + length - n, ending) == 0;
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
set_ocr_dpi (const char *name, const char *value, gpointer data, GError **error)
{
  return parse_number (name, value, 50, 1200, &((DpOptions *) data)->ocr_dpi, error);
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
set_model (const char *name, const char *value, gpointer data, GError **error)
{
  DpOptions *o = data;

  (void) name;
  (void) error;
  g_free (o->model.dir);
  o->model.dir = g_strdup (value);
  return TRUE;
}

static gboolean
set_weights (const char *name, const char *value, gpointer data, GError **error)
{
  guint chosen;

  if (!choose (name, value, weight_choices, &chosen, error))
    return FALSE;
  ((DpOptions *) data)->model.weights = (DpType) chosen;
  return TRUE;
}

static gboolean
set_kv_type (const char *name, const char *value, gpointer data, GError **error)
{
  guint chosen;

  if (!choose (name, value, kv_choices, &chosen, error))
    return FALSE;
  ((DpOptions *) data)->model.kv = (DpType) chosen;
  return TRUE;
}

static gboolean
set_kv_page (const char *name, const char *value, gpointer data, GError **error)
{
  return parse_number (name, value, 1, 1024, &((DpOptions *) data)->model.kv_page, error);
}

/* 500M, 1.5G; a bare number is megabytes, as for --max-memory. */
static gboolean
set_memory_budget (const char *name, const char *value, gpointer data, GError **error)
{
  char *end;
  const double number = g_ascii_strtod (value, &end);
  const gboolean giga = *end == 'G' || *end == 'g';

  end += giga || *end == 'M' || *end == 'm';
  const double megabytes = giga ? 1024 * number : number;
  if (!g_ascii_isdigit (*value) || *end || !(megabytes >= 16) || !(megabytes <= 1024 * 1024))
    return refuse (error, name, value, "is not a size from 16M to 1024G");
  ((DpOptions *) data)->model.memory = (guint64) (megabytes * 1024 * 1024);
  return TRUE;
}

static gboolean
set_threads (const char *name, const char *value, gpointer data, GError **error)
{
  return parse_number (name, value, 1, 1024, &((DpOptions *) data)->model.threads, error);
}

/* NAME or NAME:N; whether there is such a device is asked when a model is loaded. */
static gboolean
set_device (const char *name, const char *value, gpointer data, GError **error)
{
  DpModelOptions *model = &((DpOptions *) data)->model;
  const gsize length = strspn (value, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_-");
  guint index = 0;

  if (length == 0 || (value[length] != '\0' && value[length] != ':'))
    return refuse (error, name, value, "is not the name of a back end, as docparse devices lists them, or NAME:N");
  if (value[length] == ':' && !parse_number (name, value + length + 1, 0, 1023, &index, error))
    return FALSE;
  g_free (model->device);
  model->device = g_strndup (value, length);
  model->index = index;
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
add_group (GOptionContext *context, DpOptions *o, GHashTable *with_value, const char *name, const char *title, const GOptionEntry *entries)
{
  GOptionGroup *group = g_option_group_new (name, title, title, o, NULL);

  for (const GOptionEntry *e = entries; with_value && e->long_name; e++)
    if (e->arg == G_OPTION_ARG_CALLBACK && !(e->flags & G_OPTION_FLAG_NO_ARG)) {
      g_hash_table_add (with_value, g_strconcat ("--", e->long_name, NULL));
      if (e->short_name)
        g_hash_table_add (with_value, g_strdup_printf ("-%c", e->short_name));
    }
  g_option_group_add_entries (group, entries);
  g_option_context_add_group (context, group);
}

static void
add_writing_options (GOptionContext *context, DpOptions *o, GHashTable *with_value)
{
  const GOptionEntry writing[] = {
    VALUE ("output", 'o', set_output, "File, directory (DIR/) or - for stdout; else beside the input", "PLACE"),
    VALUE ("to", 't', set_formats, "md, html, txt, json, content-list, pdf; several with commas", "LIST"),
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
    SWITCH ("no-tags", 0, &o->no_tags, "Find the structure from the page even if the PDF is tagged"),
    VALUE ("page-break", 0, set_page_break, "Line between pages; %n is the number of the page that begins", "TEXT"),
    { NULL },
  };

  const GOptionEntry model[] = {
    VALUE ("model", 0, set_model, "Folder of a document model that reads the pages (or DOCPARSE_MODEL)", "DIR"),
    VALUE ("weights", 0, set_weights, "Hold its weights as bf16, int8, int4 or f32 (bf16)", "TYPE"),
    VALUE ("kv-type", 0, set_kv_type, "Hold what it remembers as bf16, int8 or f32 (bf16)", "TYPE"),
    VALUE ("kv-page-size", 0, set_kv_page, "Tokens in a page of that memory (what the device likes best)", "N"),
    VALUE ("memory-budget", 0, set_memory_budget, "Memory beyond the weights, for example 2G", "SIZE"),
    SWITCH ("image-analysis", 0, &o->model.image_analysis, "Let the model describe pictures; charts become tables"),
    SWITCH ("no-penalties", 0, &o->model.no_penalties, "Decode without penalties on repetition, as transformers does"),
    VALUE ("device", 0, set_device, "Back end that computes, or NAME:N for its device N (docparse devices)", "NAME"),
    VALUE ("threads", 0, set_threads, "Threads of the back end (its own choice)", "N"),
    SWITCH ("eager", 0, &o->model.eager, "Run each operator when it is called, without captured graphs"),
    SWITCH ("strict-backend", 0, &o->model.strict_backend, "Fail where the back end lacks an operator; else the reference does it"),
    { NULL },
  };

  add_group (context, o, with_value, "writing", "Where it goes:", writing);
  add_group (context, o, with_value, "content", "What is printed:", content);
  add_group (context, o, with_value, "model", "The model, and how it computes:", model);
}

GOptionContext *
dp_options_context (DpOptions *o, gboolean all, GHashTable *with_value)
{
  GOptionContext *context = g_option_context_new (all ? "FILE|DIR|-..." : "FILE");
  const GOptionEntry reading[] = {
    VALUE ("pages", 'p', set_pages, "Pages, for example 1-5,8,12-,last", "RANGES"),
    VALUE ("password", 0, set_password, "Password of the document (or DOCPARSE_PASSWORD)", "TEXT"),
    VALUE ("password-file", 0, set_password_file, "Read it from the first line of a file", "FILE"),
    VALUE ("method", 'm', set_method, "auto, text (believe the text layer) or ocr", "NAME"),
    VALUE ("ocr-dpi", 0, set_ocr_dpi, "Resolution at which pictures of pages are read (that of the scan)", "DPI"),
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
    add_writing_options (context, o, with_value);
  add_group (context, o, with_value, "reading", "What is read:", reading);
  add_group (context, o, with_value, "messages", "Messages:", messages);
  g_option_context_set_summary (context, all ? "Turns PDF files and pictures of pages into Markdown."
                                             : "Says as JSON, page by page, what docparse sees and what it would do.");
  return context;
}
