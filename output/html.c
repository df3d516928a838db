/* output/html.c - the document as one HTML5 page, through libcmark's own HTML writer.
 *
 * The tree is the one Markdown is printed from; raw nodes in it (tables, <figure>,
 * <aside>) are ours and escaped where they are made, so libcmark may pass them on.
 */
#include <string.h>

#include "output/clean.h"
#include "output/output.h"
#include "output/tree.h"

static const char style[] = "body{max-width:48em;margin:2em auto;padding:0 1em;font:1em/1.5 serif}\n"
                            "h1,h2,h3,h4,h5,h6{line-height:1.2;font-family:sans-serif}\n"
                            "table{border-collapse:collapse;margin:1em 0}\n"
                            "td,th{border:1px solid #999;padding:.2em .5em;text-align:left;vertical-align:top}\n"
                            "figure{margin:1em 0}\n"
                            "img{max-width:100%}\n"
                            "pre{overflow-x:auto;background:#f4f4f4;padding:.5em}\n"
                            ".caption{font-size:.9em}\n"
                            "aside{font-size:.85em;color:#444}\n"
                            "hr.page{border:0;border-top:1px dashed #999}\n";

static gboolean
find_heading (DpBlock *block, guint depth, gpointer data)
{
  char **title = data;

  (void) depth;
  if (block->kind != DP_BLOCK_HEADING)
    return TRUE;
  *title = dp_spans_plain (block->spans, FALSE);
  return FALSE;
}

/* The document's own title, else its first heading, else its file name. */
static char *
find_title (DpDocument *document)
{
  const DpDocumentInfo *info = document->info;
  char *title = dp_clean_line (info ? info->title : NULL);

  if (*g_strstrip (title))
    return title;
  g_clear_pointer (&title, g_free);
  dp_document_foreach (document, find_heading, &title);
  if (title && *title)
    return title;
  g_free (title);
  return info && info->path ? g_filename_display_basename (info->path) : g_strdup ("Document");
}

char *
dp_output_html (DpDocument *document, const DpOutputOptions *options, gsize *len)
{
  static const DpOutputOptions defaults = { 0 };
  cmark_node *root = dp_tree_new (document, options ? options : &defaults, DP_INTO_HTML);
  char *body = cmark_render_html (root, CMARK_OPT_UNSAFE);
  g_autofree char *title = find_title (document);
  GString *out = g_string_new ("<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n"
                               "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>");

  dp_append_html (out, title);
  g_string_append_printf (out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", style);
  g_string_append (out, body);
  g_string_append (out, "</body>\n</html>\n");
  cmark_get_default_mem_allocator ()->free (body);
  cmark_node_free (root);
  if (len)
    *len = out->len;
  return g_string_free (out, FALSE);
}
