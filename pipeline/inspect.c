/* pipeline/inspect.c - per-page JSON; a page is printed as soon as it is known, so a long
 * document takes no more memory than a short one.
 */
#include "pipeline/inspect.h"

#include "layout/layout.h"
#include "pipeline/exit_code.h"
#include "pipeline/log.h"
#include "pipeline/options.h"
#include "pipeline/pdf.h"
#include "pipeline/spool.h"
#include "pipeline/trust.h"
#include "pipeline/writer.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static void
add_text (cJSON *object, const char *name, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  cJSON_AddStringToObject (object, name, valid);
}

/* Two decimals are enough for points and shares. */
static void
add_number (cJSON *object, const char *name, double value)
{
  cJSON_AddNumberToObject (object, name, round (value * 100) / 100);
}

/* How many columns the page's text regions stand in. */
static guint
count_columns (const DpPageLayout *layout)
{
  guint columns = 0;

  for (guint i = 0; i < layout->regions->len; i++) {
    const DpRegion *region = &g_array_index (layout->regions, DpRegion, i);
    if (region->column != G_MAXUINT)
      columns = MAX (columns, region->column + 1);
  }
  return columns == 0 && layout->regions->len ? 1 : columns;
}

static void
add_regions (cJSON *object, const DpPageLayout *layout)
{
  guint n_tables = 0, n_figures = 0;

  for (guint i = 0; i < layout->regions->len; i++) {
    const DpRegion *region = &g_array_index (layout->regions, DpRegion, i);
    n_tables += region->kind == DP_REGION_TABLE;
    n_figures += region->kind == DP_REGION_FIGURE;
  }
  cJSON_AddNumberToObject (object, "columns", count_columns (layout));
  cJSON_AddNumberToObject (object, "tables", n_tables);
  cJSON_AddNumberToObject (object, "figures", n_figures);
}

/* What is known about a page that was read; sets *needs_model. */
static cJSON *
page_json (const DpPage *page, gboolean *needs_model)
{
  const DpLayoutOptions options = { 0 };
  cJSON *object = cJSON_CreateObject ();
  g_auto (DpTrust) trust = { 0 };

  dp_trust_judge (page, &trust);
  *needs_model = !trust.trusted;
  cJSON_AddNumberToObject (object, "page", page->number);
  add_number (object, "width", page->width);
  add_number (object, "height", page->height);
  cJSON_AddNumberToObject (object, "rotation", page->rotation);
  cJSON_AddBoolToObject (object, "trusted", trust.trusted);
  cJSON_AddStringToObject (object, "reason", dp_trust_reason_name (trust.reason));
  add_text (object, "why", trust.sentence);
  cJSON_AddNumberToObject (object, "glyphs", trust.n_glyphs);
  cJSON_AddNumberToObject (object, "glyphs_painted", trust.n_painted);
  add_number (object, "bad_share", trust.bad_share);
  add_number (object, "unmapped_share", trust.unmapped_share);
  add_number (object, "image_cover", trust.image_cover);
  cJSON_AddNumberToObject (object, "images", (double) page->n_images);
  cJSON_AddNumberToObject (object, "paths", (double) page->n_paths);
  cJSON_AddNumberToObject (object, "links", (double) page->n_links);
  cJSON_AddNumberToObject (object, "left_out", page->n_truncated);
  if (trust.trusted) {
    g_autoptr (DpPageLayout) layout = dp_layout_page (page, &options);
    add_regions (object, layout);
  }
  cJSON_AddStringToObject (object, "action", !trust.trusted ? "model" : trust.reason == DP_TRUST_BLANK ? "blank" : "text");
  return object;
}

static cJSON *
failed_page_json (guint number, const char *why)
{
  cJSON *object = cJSON_CreateObject ();

  cJSON_AddNumberToObject (object, "page", number);
  cJSON_AddBoolToObject (object, "trusted", FALSE);
  cJSON_AddStringToObject (object, "reason", "failed");
  add_text (object, "why", why);
  cJSON_AddStringToObject (object, "action", "fail");
  return object;
}

static void
say_json (cJSON *object, const char *before)
{
  char *printed = cJSON_PrintUnformatted (object);

  dp_say ("%s%s", before, printed ? printed : "{}");
  cJSON_free (printed);
  cJSON_Delete (object);
}

/* The opening of the document's object, up to its list of pages. */
static void
say_document (const DpDocumentInfo *info, const char *path)
{
  cJSON *object = cJSON_CreateObject ();
  g_autofree char *name = g_filename_display_name (path);

  cJSON_AddNumberToObject (object, "schema_version", 1);
  cJSON_AddStringToObject (object, "file", name);
  cJSON_AddNumberToObject (object, "n_pages", info->n_pages);
  add_text (object, "title", info->title);
  add_text (object, "producer", info->producer);
  cJSON_AddBoolToObject (object, "encrypted", info->encrypted);
  cJSON_AddBoolToObject (object, "picture", info->is_picture);
  cJSON_AddNumberToObject (object, "outline_entries", info->outline->len);
  cJSON_AddNumberToObject (object, "tags", info->tags->len);

  char *printed = cJSON_PrintUnformatted (object);
  printed[strlen (printed) - 1] = '\0'; /* the object goes on */
  dp_say ("%s,\n\"pages\":[", printed);
  cJSON_free (printed);
  cJSON_Delete (object);
}

static int
inspect_pages (DpPdf *pdf, const GArray *numbers, const char *path)
{
  guint n_model = 0, n_failed = 0;

  say_document (dp_pdf_info (pdf), path);
  for (guint i = 0; i < numbers->len; i++) {
    const guint number = g_array_index (numbers, guint, i);
    const char *before = i ? ",\n" : "\n";
    gboolean needs_model = FALSE;
    g_autoptr (GError) failure = NULL;
    g_autoptr (DpPage) page = dp_pdf_page (pdf, number, &failure);

    say_json (page ? page_json (page, &needs_model) : failed_page_json (number, failure->message), before);
    n_model += needs_model;
    n_failed += page == NULL;
  }
  dp_say ("\n],\"need_model\":%u,\"failed\":%u}\n", n_model, n_failed);
  return n_failed || n_model ? DP_EXIT_PARTLY : DP_EXIT_OK;
}

static int
inspect (const DpOptions *o, const char *file, GError **error)
{
  const char *path = file;
  g_autoptr (DpSpool) spool = NULL;

  if (dp_spool_is_needed (path)) {
    spool = dp_spool_new (path, NULL, error);
    if (!spool)
      return -1;
    path = spool->path;
  }
  g_autoptr (DpPdf) pdf = dp_pdf_open (path, o->password, &o->limits, error);
  if (!pdf)
    return -1;
  g_autoptr (GArray) numbers = dp_ranges_pages (o->pages, dp_pdf_info (pdf)->n_pages, error);
  return numbers ? inspect_pages (pdf, numbers, file) : -1;
}

int
dp_cmd_inspect (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (DpOptions) o = dp_options_parse_inspect (argv, &error);
  g_autoptr (DpLog) log = dp_log_new (STDERR_FILENO, dp_options_ask_for_json (argv), DP_LOG_NOTICE);
  const char *file = o && o->inputs[0] ? o->inputs[0] : NULL;

  (void) argc;
  if (o && o->help) {
    g_autofree char *help = dp_options_help_inspect ();
    dp_say ("%s", help);
    return DP_EXIT_OK;
  }
  if (o && o->version) {
    dp_say ("docparse " DP_VERSION "\n");
    return DP_EXIT_OK;
  }
  const int code = o && dp_options_load_password (o, &error) ? inspect (o, file, &error) : -1;
  dp_pdf_shutdown ();
  if (code >= 0)
    return code;
  dp_log_write (log, DP_LOG_ERROR, file, 0, 0, error->message);
  return (int) dp_exit_code_of (error);
}
