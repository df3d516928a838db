/* layout/assemble_objects.c - regions that are no text become blocks: tables, contents set as tables, formulas, figures.
 */
#include "layout/assemble.h"

/* Words inside a picture in visual rows: order them top down, then left to right. */
static void
add_figure_text (const DpAssembly *a, DpBlock *figure, const DpFlowLine *entry)
{
  const DpPageLayout *layout = dp_flow_page (a->flow, entry)->layout;
  const DpRegion *region = dp_flow_region (a->flow, entry);
  DpBlock *text = NULL;

  for (guint i = 0; region->lines && i < region->lines->len; i++) {
    const DpLine *line = &g_array_index (layout->lines, DpLine, g_array_index (region->lines, guint, i));
    if (!text)
      text = dp_block_new (DP_BLOCK_FIGURE_TEXT, layout->number, line->box);
    text->box = dp_rect_union (text->box, line->box);
    dp_words_to_spans (layout, line->first_word, line->n_words, text->spans, text->spans->len > 0);
  }
  if (text)
    g_ptr_array_add (figure->children, text);
}

/* A display formula; without LaTeX its words stay as text for those who print no pictures. */
static DpBlock *
make_formula (const DpPageLayout *layout, DpRegion *region)
{
  DpBlock *block = dp_block_new (DP_BLOCK_FORMULA, layout->number, region->box);

  block->text = g_steal_pointer (&region->latex);
  block->label = g_steal_pointer (&region->label);
  block->confidence = block->text ? 0.9f : 0.2f;
  for (guint i = 0; !block->text && i < region->lines->len; i++) {
    const DpLine *line = &g_array_index (layout->lines, DpLine, g_array_index (region->lines, guint, i));
    dp_words_to_spans (layout, line->first_word, line->n_words, block->spans, i > 0);
  }
  if (!block->text && block->label) {
    g_ptr_array_add (block->spans, dp_span_new (" ", 0, NULL));
    g_ptr_array_add (block->spans, dp_span_new (block->label, 0, NULL));
  }
  return block;
}

DpBlock *
dp_assembly_make_object (DpAssembly *a, guint index)
{
  const DpFlowLine *entry = dp_flow_line (a->flow, index);
  DpRegion *region = dp_flow_region (a->flow, entry);
  guint page = dp_assembly_page (a, entry);
  DpBlock *block;

  if (region->kind == DP_REGION_TABLE && dp_toc_is_contents (a->flow, index)) {
    block = dp_toc_from_table (region->table, page, region->box);
  } else if (region->kind == DP_REGION_TABLE && region->table) {
    DpTablePart part = { .page = page, .box = region->box };
    block = dp_block_new (DP_BLOCK_TABLE, page, region->box);
    block->table = g_steal_pointer (&region->table);
    block->confidence = block->table->quality;
    if (block->table->parts->len == 0)
      g_array_append_val (block->table->parts, part);
  } else if (region->kind == DP_REGION_FORMULA) {
    block = make_formula (dp_flow_page (a->flow, entry)->layout, region);
  } else {
    block = dp_block_new (DP_BLOCK_FIGURE, page, region->box);
    add_figure_text (a, block, entry);
  }
  block->source = DP_SOURCE_TEXT_LAYER;
  return block;
}

void
dp_assembly_add_object (DpAssembly *a, DpBlock *block)
{
  GPtrArray *blocks = a->document->blocks;
  DpBlock *last = NULL;

  a->open = NULL;
  a->open_role = block->kind == DP_BLOCK_TOC ? DP_ROLE_TOC : DP_ROLE_OBJECT;
  if (block->kind == DP_BLOCK_TOC) {
    dp_toc_release_lead (block, blocks);
    last = dp_assembly_toc (blocks, block->page - 1);
  }
  if (!last) {
    g_ptr_array_add (blocks, block);
    if (block->kind == DP_BLOCK_TOC)
      dp_toc_release_tail (block, blocks);
    return;
  }
  last->box = dp_rect_union (last->box, block->box);
  for (guint i = 0; i < block->children->len; i++)
    g_ptr_array_add (last->children, g_ptr_array_index (block->children, i));
  g_ptr_array_set_free_func (block->children, NULL); /* they moved */
  dp_block_free (block);
  dp_toc_release_tail (last, blocks);
}
