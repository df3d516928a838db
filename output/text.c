/* output/text.c - the document as plain text: the same tree as Markdown's, printed without markup. */
#include "output/md_render.h"
#include "output/output.h"
#include "output/tree.h"

char *
dp_output_text (DpDocument *document, const DpOutputOptions *options, gsize *len)
{
  static const DpOutputOptions defaults = { 0 };
  cmark_node *root = dp_tree_new (document, options ? options : &defaults, DP_INTO_TEXT);
  GString *out = dp_plain_render (root);

  cmark_node_free (root);
  if (len)
    *len = out->len;
  return g_string_free (out, FALSE);
}
