/* layout/assemble.c - the document tree out of lines that know their roles.
 *
 * Runs the document passes over the flow (layout/flow.h), then walks it once in reading order
 * and grows blocks: a line that starts a block opens one, the others are added to the open
 * block of their role.  Objects come from the page passes; captions become their children.
 */
#include "layout/assemble.h"
#include "layout/addresses.h"
#include "layout/spreads.h"
#include "layout/tags.h"

#include <string.h>

guint
dp_assembly_page (const DpAssembly *a, const DpFlowLine *line)
{
  return dp_flow_page (a->flow, line)->layout->number;
}

void
dp_assembly_extend (const DpAssembly *a, DpBlock *block, const DpFlowLine *line)
{
  guint page = dp_assembly_page (a, line);
  DpTablePart *last = block->parts && block->parts->len ? &g_array_index (block->parts, DpTablePart, block->parts->len - 1) : NULL;
  guint last_page = last ? last->page : block->page;
  DpRect *box = last ? &last->box : &block->box;
  DpTablePart part = { .page = page, .box = line->box };

  if (page == last_page && line->box.y1 >= box->y1 - 1 && line->box.y0 - box->y1 < 4 * line->size
      && dp_rect_overlap_x (*box, line->box) > 0) {
    *box = dp_rect_union (*box, line->box);
    return;
  }
  if (page == last_page && dp_rect_inside (line->box, *box) > 0.9f)
    return;
  if (!block->parts)
    block->parts = g_array_new (FALSE, TRUE, sizeof (DpTablePart));
  g_array_append_val (block->parts, part);
}

DpBlock *
dp_assembly_open (DpAssembly *a, DpBlockKind kind, const DpFlowLine *line, GPtrArray *into)
{
  DpBlock *block = dp_block_new (kind, dp_assembly_page (a, line), line->box);

  block->source = DP_SOURCE_TEXT_LAYER;
  g_ptr_array_add (into, block);
  a->open = block;
  a->open_role = line->role;
  return block;
}

/* ---- pages ------------------------------------------------------------------------------------------------ */

static void
add_page_info (DpAssembly *a, const DpPageLayout *layout)
{
  DpPageInfo info = { .number = layout->number,
                      .width = layout->width + (layout->facing ? layout->facing->width : 0),
                      .height = layout->height,
                      .rotation = layout->rotation,
                      .turn = layout->turn,
                      .skew = layout->skew,
                      .warp = layout->warp,
                      .needs_model = layout->needs_model,
                      .reason = g_strdup (layout->reason) };

  g_array_append_val (a->document->pages, info);
  if (layout->needs_model) {
    DpBlock *block = dp_block_new (DP_BLOCK_PAGE_PICTURE, layout->number, (DpRect){ 0, 0, layout->width, layout->height });
    block->source = DP_SOURCE_NONE;
    block->confidence = 0;
    g_ptr_array_add (a->document->blocks, block);
  }
}

/* Words a reader of the page would not see, in one block at the page's end. */
static void
add_hidden (DpAssembly *a, const DpPageLayout *layout)
{
  g_autoptr (GString) text = g_string_new (NULL);
  DpRect box = { 0 };

  if (a->options && a->options->keep_hidden)
    return;
  for (guint i = 0; i < layout->words->len; i++) {
    const DpWord *word = &g_array_index (layout->words, DpWord, i);
    gsize n;
    const char *bytes;
    if (!word->hidden)
      continue;
    bytes = dp_word_text (layout, word, &n);
    box = text->len ? dp_rect_union (box, word->box) : word->box;
    if (text->len)
      g_string_append_c (text, ' ');
    g_string_append_len (text, bytes, (gssize) n);
  }
  if (text->len) {
    DpBlock *block = dp_block_new (DP_BLOCK_HIDDEN, layout->number, box);
    block->source = DP_SOURCE_TEXT_LAYER;
    dp_block_add_text (block, text->str, 0, NULL);
    g_ptr_array_add (a->document->blocks, block);
  }
}

static void
close_page (DpAssembly *a, DpPageLayout *layout)
{
  add_hidden (a, layout);
  if (!layout->notes)
    return;
  for (guint i = 0; i < layout->notes->len; i++)
    g_ptr_array_add (a->document->blocks, g_ptr_array_index (layout->notes, i));
  g_ptr_array_set_free_func (layout->notes, NULL); /* the document owns them now */
  g_ptr_array_set_size (layout->notes, 0);
}

/* A page that came laid out. */
static void
add_given (DpAssembly *a, DpPageLayout *layout)
{
  for (guint i = 0; i < layout->blocks->len; i++)
    g_ptr_array_add (a->document->blocks, g_ptr_array_index (layout->blocks, i));
  g_ptr_array_set_free_func (layout->blocks, NULL); /* the document owns them now */
  g_ptr_array_set_size (layout->blocks, 0);
  g_ptr_array_set_size (a->lists, 0);
  a->open = a->paragraph = a->item = NULL;
}

static void
add_entry (DpAssembly *a, guint i)
{
  const DpFlowLine *line = dp_flow_line (a->flow, i);

  if (line->role != DP_ROLE_ITEM && line->role < DP_ROLE_HEADER && line->role != DP_ROLE_FOOTNOTE)
    g_ptr_array_set_size (a->lists, (gint) MIN (line->inside, a->lists->len));
  if (line->role == DP_ROLE_OBJECT) {
    dp_assembly_add_object (a, a->objects[i]);
    if (a->open_role == DP_ROLE_TOC)
      a->objects[i] = NULL; /* merged away; a caption of it stands by itself */
  } else
    dp_assembly_add_text (a, i);
}

static void
grow (DpAssembly *a)
{
  const DpFlow *flow = a->flow;

  a->objects = g_new0 (DpBlock *, flow->lines->len + 1);
  a->lists = g_ptr_array_new ();
  for (guint i = 0; i < flow->lines->len; i++)
    if (dp_flow_line (flow, i)->role == DP_ROLE_OBJECT)
      a->objects[i] = dp_assembly_make_object (a, i);
  for (guint p = 0; p < flow->pages->len; p++) {
    const DpFlowPage *page = &g_array_index (flow->pages, DpFlowPage, p);
    if (p == 0 || g_array_index (flow->pages, DpFlowPage, p - 1).layout->facing != page->layout)
      add_page_info (a, page->layout);
    for (guint i = page->first; i < page->first + page->n; i++)
      add_entry (a, i);
    if (page->layout->blocks)
      add_given (a, page->layout);
    close_page (a, page->layout);
  }
  g_ptr_array_unref (a->lists);
  g_free (a->objects);
}

/* Takes block's text into the paragraph: a formula's LaTeX, or its words. */
static void
append_block (DpBlock *paragraph, const DpBlock *block)
{
  if (paragraph->spans->len)
    dp_block_add_text (paragraph, " ", 0, NULL);
  if (block->text)
    dp_block_add_text (paragraph, block->text, DP_SPAN_FORMULA, NULL);
  for (guint i = 0; i < block->spans->len; i++) {
    const DpSpan *span = g_ptr_array_index (block->spans, i);
    dp_block_add_text (paragraph, span->text, span->style, span->uri);
  }
}

DpBlock *
dp_assemble_one (DpFlow *flow, DpFlowRole role, gboolean breaks)
{
  DpAssembly assembly = { .flow = flow, .document = dp_document_new (NULL) };
  const GPtrArray *blocks = assembly.document->blocks;
  DpBlock *one = NULL;
  gboolean first = TRUE;

  for (guint i = 0; i < flow->lines->len; i++) {
    DpFlowLine *line = dp_flow_line (flow, i);
    if (line->role != DP_ROLE_BODY)
      continue;
    line->role = role;
    line->starts = first;
    line->breaks = breaks && !first;
    first = FALSE;
  }
  grow (&assembly);
  for (guint i = 0; i < blocks->len; i++) {
    const DpBlock *block = g_ptr_array_index (blocks, i);
    if (role == DP_ROLE_CODE && block->kind == DP_BLOCK_CODE && !one)
      one = g_ptr_array_steal_index (assembly.document->blocks, i--);
    else if (role == DP_ROLE_BODY) {
      if (!one)
        one = dp_block_new (DP_BLOCK_PARAGRAPH, block->page, block->box);
      append_block (one, block);
      one->box = dp_rect_union (one->box, block->box);
      one->source = DP_SOURCE_TEXT_LAYER;
    }
  }
  dp_document_free (assembly.document);
  return one;
}

DpDocument *
dp_layout_document (GPtrArray *pages, DpDocumentInfo *info, const DpLayoutOptions *options)
{
  if (!options || !options->no_tags)
    dp_tag_tables (pages, info);
  g_autoptr (GPtrArray) sheets = dp_spreads_open (pages);
  g_autoptr (DpFlow) flow = dp_flow_new (sheets, info);
  DpAssembly assembly = { .flow = flow, .options = options, .document = dp_document_new (info) };

  dp_flow_furniture (flow);
  dp_flow_adopt_orphans (flow);
  dp_flow_measure (flow);
  dp_flow_margins (flow);
  if (!options || !options->no_tags)
    dp_flow_tags (flow);
  dp_flow_code (flow);
  dp_flow_toc (flow);
  dp_flow_notes (flow);
  dp_flow_captions (flow);
  dp_flow_headings (flow);
  dp_flow_heading_levels (flow);
  dp_flow_lists (flow);
  dp_flow_definitions (flow);
  dp_flow_endnotes (flow);
  dp_flow_paragraphs (flow);
  flow->hyphens = dp_hyphens_new (flow);
  grow (&assembly);
  dp_tables_join (assembly.document);
  dp_notes_bind (assembly.document);
  dp_abstract_split (assembly.document);
  dp_typewriter_forget (assembly.document);
  dp_spreads_close (pages, assembly.document);
  dp_document_close_addresses (assembly.document);
  dp_document_finish (assembly.document);
  return assembly.document;
}
