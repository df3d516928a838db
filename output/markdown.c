/* output/markdown.c - the document as Markdown: the tree, printed, and where each block lies. */
#include "output/md_render.h"
#include "output/output.h"
#include "output/tree.h"

static void
set_range (gpointer data, gsize start, gsize end)
{
  DpBlock *block = data;

  if (block->md_start < 0 || (gint64) start < block->md_start)
    block->md_start = (gint64) start;
  block->md_end = MAX (block->md_end, (gint64) end);
}

static gboolean
forget_range (DpBlock *block, guint depth, gpointer data)
{
  (void) depth;
  (void) data;
  block->md_start = block->md_end = -1;
  return TRUE;
}

/* A container takes the bytes of its parts.  Footnotes are printed elsewhere. */
static void
widen_ranges (GPtrArray *blocks)
{
  for (guint i = 0; i < blocks->len; i++) {
    DpBlock *block = g_ptr_array_index (blocks, i);
    widen_ranges (block->children);
    for (guint k = 0; k < block->children->len; k++) {
      const DpBlock *child = g_ptr_array_index (block->children, k);
      if (child->kind != DP_BLOCK_FOOTNOTE && child->md_start >= 0)
        set_range (block, (gsize) child->md_start, (gsize) child->md_end);
    }
  }
}

char *
dp_output_markdown (DpDocument *document, const DpOutputOptions *options, gsize *len)
{
  static const DpOutputOptions defaults = { 0 };
  cmark_node *root = dp_tree_new (document, options ? options : &defaults, DP_INTO_MARKDOWN);
  GString *out;

  dp_document_foreach (document, forget_range, NULL);
  out = dp_md_render (root, set_range);
  widen_ranges (document->blocks);
  cmark_node_free (root);
  if (len)
    *len = out->len;
  return g_string_free (out, FALSE);
}
