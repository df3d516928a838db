/* pipeline/convert_files.c - pictures and formats, into names that the writer puts into place at the end. */
#include "pipeline/convert_private.h"

#include "output/output.h"
#include "pipeline/crops.h"
#include "pipeline/upright.h"

#define OVERLAY_DPI 96

gboolean
dp_convert_pictures (DpConversion *c, DpDocument *document, DpWriter *writer, GError **error)
{
  const DpOptions *o = c->setup->options;
  const gboolean referenced = c->target->image_dir != NULL;
  const DpCropOptions options = { .dpi = o->image_dpi, .writer = referenced ? writer : NULL, .image_dir = c->target->image_dir };

  if (!referenced && o->images != DP_IMAGES_EMBEDDED)
    return TRUE;
  g_autoptr (GArray) problems = dp_crops_make (c->readers, document, &options, error);
  if (!problems)
    return FALSE;
  for (guint i = 0; i < problems->len; i++) {
    DpCropProblem *problem = &g_array_index (problems, DpCropProblem, i);
    const gint item = dp_conversion_find_page (c, problem->page);

    if (item >= 0 && c->results[item].state == DP_PAGE_READ) {
      c->results[item].state = DP_PAGE_INCOMPLETE;
      c->results[item].reason = g_steal_pointer (&problem->reason);
    }
  }
  return TRUE;
}

cairo_surface_t *
dp_conversion_page_picture (DpConversion *c, const DpPageInfo *page, double dpi)
{
  const DpRect whole = { 0, 0, 0, 0 };
  const gint item = dp_conversion_find_page (c, page->number);

  if (item < 0 || c->results[item].state == DP_PAGE_FAILED || dp_readers_given_up (c->readers, NULL))
    return NULL;
  g_autoptr (GError) error = NULL;
  cairo_surface_t *picture = dp_upright_render (dp_readers_own (c->readers), page, whole, dpi, &error);
  dp_readers_given_up (c->readers, error);
  return picture; /* without one the page stays white */
}

static cairo_surface_t *
overlay_picture (const DpPageInfo *page, gpointer data)
{
  return dp_conversion_page_picture (data, page, OVERLAY_DPI);
}

gboolean
dp_convert_formats (DpConversion *c, DpDocument *document, DpWriter *writer, GError **error)
{
  /* In this order: Markdown tells JSON where each block lies in it. */
  static char *(*const print[DP_N_FORMATS]) (DpDocument *, const DpOutputOptions *, gsize *)
      = { dp_output_markdown, dp_output_html, dp_output_text, dp_output_json, dp_output_content_list, NULL };
  const DpOptions *o = c->setup->options;
  const DpOutputOptions options = { .tables = o->tables,
                                    .images = o->images,
                                    .page_break = o->page_break,
                                    .keep = o->keep,
                                    .figure_text = o->figure_text,
                                    .image_dir_name = c->target->image_dir_name };

  for (guint f = 0; f < DP_N_FORMATS; f++) {
    gsize length;
    if (!c->target->files[f] || !print[f])
      continue;
    g_autofree char *text = print[f](document, &options, &length);
    if (!dp_writer_add (writer, c->target->files[f], text, length, error))
      return FALSE;
  }
  if (c->target->files[DP_FORMAT_PDF] && !dp_convert_searchable (c, document, writer, error))
    return FALSE;
  if (c->target->overlay) {
    const char *temporary = dp_writer_reserve (writer, c->target->overlay, error);
    if (!temporary)
      return FALSE;
    if (!dp_output_overlay (document, overlay_picture, c, temporary, error)) {
      g_prefix_error (error, "%s: ", c->target->overlay);
      return FALSE;
    }
  }
  return TRUE;
}
