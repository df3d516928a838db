/* output/tree_figures.c - pictures, figures and tables in the libcmark tree, with what belongs to them.
 *
 * A caption is printed on the side of its figure or table where it stands on the page.
 */
#include "output/clean.h"
#include "output/tables.h"
#include "output/tree_parts.h"

/* ---- pictures ---------------------------------------------------------------------------------------- */

static char *
picture_target (const DpTree *tree, const DpBlock *block)
{
  const char *dir = tree->options->image_dir_name;

  if (tree->options->images == DP_IMAGES_EMBEDDED && block->crop) {
    g_autoptr (GBytes) png = dp_picture_png (block->crop, block->crop_dpi, NULL);
    g_autofree char *base64 = png ? g_base64_encode (g_bytes_get_data (png, NULL), g_bytes_get_size (png)) : NULL;
    return base64 ? g_strconcat ("data:image/png;base64,", base64, NULL) : NULL;
  }
  if (tree->options->images == DP_IMAGES_REFERENCED && block->picture) {
    g_autofree char *path = dir && *dir ? g_strconcat (dir, "/", block->picture, NULL) : g_strdup (block->picture);
    return g_uri_escape_string (path, "/", FALSE);
  }
  return NULL;
}

static void
add_image (cmark_node *parent, DpBlock *block, const char *target, const char *alt)
{
  cmark_node *image = dp_tree_append (dp_tree_append (parent, CMARK_NODE_PARAGRAPH, block), CMARK_NODE_IMAGE, NULL);
  g_autofree char *clean = dp_clean_line (alt);

  cmark_node_set_url (image, target);
  dp_inlines_text (image, g_strstrip (clean));
}

gboolean
dp_tree_add_formula_picture (const DpTree *tree, cmark_node *parent, DpBlock *block)
{
  g_autofree char *target = tree->into == DP_INTO_TEXT ? NULL : picture_target (tree, block);
  g_autofree char *alt = NULL;

  if (!target)
    return FALSE;
  alt = dp_spans_plain (block->spans, FALSE);
  g_strdelimit (alt, "\n", ' ');
  add_image (parent, block, target, alt);
  return TRUE;
}

static void
add_picture (const DpTree *tree, cmark_node *parent, DpBlock *block)
{
  g_autofree char *target = NULL, *comment = NULL;

  if (tree->options->images == DP_IMAGES_OFF || tree->into == DP_INTO_TEXT)
    return;
  target = picture_target (tree, block);
  if (!target) {
    comment = g_strdup_printf ("image: page %u", block->page);
    dp_tree_append_comment (tree, parent, comment, block);
    return;
  }
  if (tree->into == DP_INTO_HTML && !(block->alt && *block->alt)) { /* a picture that says nothing is passed over by screen readers */
    g_autofree char *alt = g_strdup_printf ("%s of page %u", block->kind == DP_BLOCK_PAGE_PICTURE ? "Picture" : "Figure", block->page);
    add_image (parent, block, target, alt);
    return;
  }
  add_image (parent, block, target, block->alt);
}

static const DpPageInfo *
page_info (const DpTree *tree, guint number)
{
  return g_hash_table_lookup (tree->pages, GUINT_TO_POINTER (number));
}

void
dp_tree_add_page_picture (const DpTree *tree, cmark_node *parent, DpBlock *block)
{
  const DpPageInfo *info = page_info (tree, block->page);
  g_autofree char *comment
      = g_strdup_printf ("page %u needs a model: %s", block->page, info && info->reason ? info->reason : "no text that can be trusted");

  dp_tree_append_comment (tree, parent, comment, block);
  if (tree->options->images != DP_IMAGES_PLACEHOLDER)
    add_picture (tree, parent, block);
  dp_tree_add_paragraph (tree, parent, block);
}

/* ---- figures and tables with what belongs to them -------------------------------------------------- */

static gboolean
stands_before (const DpBlock *child, const DpBlock *block)
{
  if (child->kind != DP_BLOCK_CAPTION)
    return FALSE;
  return child->page != block->page ? child->page < block->page : dp_rect_cy (child->box) < dp_rect_cy (block->box);
}

/* pictures: of a table, those with a target stand in its cells. */
static void
add_parts (DpTree *tree, cmark_node *parent, DpBlock *block, gboolean before, const GPtrArray *pictures, guint depth)
{
  guint figure = 0;

  for (guint i = 0; i < block->children->len; i++) {
    DpBlock *child = g_ptr_array_index (block->children, i);
    if (stands_before (child, block) == before && !(pictures && child->kind == DP_BLOCK_FIGURE && g_ptr_array_index (pictures, figure++)))
      dp_tree_add (tree, parent, child, depth + 1);
  }
}

void
dp_tree_add_figure (DpTree *tree, cmark_node *parent, DpBlock *block, guint depth)
{
  cmark_node *figure = dp_tree_append_wrapper (tree, parent, "<figure>", "</figure>");

  add_parts (tree, figure, block, TRUE, NULL, depth);
  add_picture (tree, figure, block);
  dp_tree_add_paragraph (tree, figure, block);
  add_parts (tree, figure, block, FALSE, NULL, depth);
  if (figure != parent)
    dp_tree_drop_if_empty (figure);
}

gboolean
dp_tree_table_is_pipe (const DpTable *table, gpointer data)
{
  const DpTree *tree = data;

  if (tree->into != DP_INTO_MARKDOWN)
    return FALSE;
  return tree->options->tables == DP_TABLES_AUTO ? dp_table_fits_pipe (table) : tree->options->tables == DP_TABLES_PIPE;
}

static char *
table_as_raw (DpTree *tree, const DpTable *table, const DpInlineContext *context)
{
  if (tree->into == DP_INTO_TEXT)
    return dp_table_text (table);
  return dp_tree_table_is_pipe (table, tree) ? dp_table_pipe (table, context) : dp_table_html (table, context);
}

/* Targets of a table's pictures, NULL for those that are not written. */
static GPtrArray *
table_pictures (const DpTree *tree, const DpBlock *block)
{
  GPtrArray *targets = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < block->children->len; i++) {
    const DpBlock *child = g_ptr_array_index (block->children, i);
    if (child->kind == DP_BLOCK_FIGURE)
      g_ptr_array_add (targets, tree->into == DP_INTO_TEXT ? NULL : picture_target (tree, child));
  }
  return targets;
}

void
dp_tree_add_table (DpTree *tree, cmark_node *parent, DpBlock *block, guint depth)
{
  DpInlineContext context = { .into = tree->into, .notes = tree->notes, .drop_notes = tree->options->drop_footnotes, .block = block };

  g_autoptr (GPtrArray) pictures = table_pictures (tree, block);

  context.pictures = pictures;
  add_parts (tree, parent, block, TRUE, pictures, depth);
  if (block->table && block->table->n_rows && block->table->n_cols) {
    g_autofree char *raw = NULL;
    if (tree->into == DP_INTO_MARKDOWN) /* header cells are bold anyway, and a table is read for its values */
      context.drop_styles = DP_SPAN_BOLD | DP_SPAN_ITALIC;
    raw = table_as_raw (tree, block->table, &context);
    dp_tree_append_raw (parent, raw, block);
  }
  dp_tree_add_paragraph (tree, parent, block);
  add_parts (tree, parent, block, FALSE, pictures, depth);
}
