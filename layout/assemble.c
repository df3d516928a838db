/* layout/assemble.c - the document tree out of lines that know their roles.
 *
 * Runs the document passes over the flow (layout/flow.h), then walks it once in reading order
 * and grows blocks: a line that starts a block opens one, the others are added to the open
 * block of their role.  Objects come from the page passes; captions become their children.
 */
#include "layout/flow.h"

#include <string.h>

typedef struct {
  const DpFlow *flow;
  const DpLayoutOptions *options;
  DpDocument *document;
  DpBlock **objects; /* per entry: block of a table or figure, until it is placed */
  DpBlock *open;     /* block that takes further lines */
  DpFlowRole open_role;
  DpBlock *paragraph; /* last running text, for parts that join it */
  DpBlock *item;
  GPtrArray *lists; /* borrowed: open lists by level */
} Assembly;

/* ---- small helpers ------------------------------------------------------------------------- */

static guint
page_number (const Assembly *a, const DpFlowLine *line)
{
  return dp_flow_page (a->flow, line)->layout->number;
}

/* The block reaches as far as the line; on another page or column it gets another part. */
static void
extend_block (const Assembly *a, DpBlock *block, const DpFlowLine *line)
{
  guint page = page_number (a, line);
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

static DpBlock *
open_block (Assembly *a, DpBlockKind kind, const DpFlowLine *line, GPtrArray *into)
{
  DpBlock *block = dp_block_new (kind, page_number (a, line), line->box);

  block->source = DP_SOURCE_TEXT_LAYER;
  g_ptr_array_add (into, block);
  a->open = block;
  a->open_role = line->role;
  return block;
}

static char *
label_of (const DpFlowLine *line)
{
  return g_strndup (line->text, MIN (line->label, strlen (line->text)));
}

/* ---- text blocks ------------------------------------------------------------------------------ */

static void
add_paragraph (Assembly *a, const DpFlowLine *line)
{
  if (line->joins && a->paragraph)
    a->open = a->paragraph;
  else if (line->starts || a->open_role != DP_ROLE_BODY || !a->open)
    a->paragraph = open_block (a, DP_BLOCK_PARAGRAPH, line, a->document->blocks);
  else
    a->open = a->paragraph;
  a->open_role = DP_ROLE_BODY;
  if (a->open->spans->len)
    extend_block (a, a->open, line);
  dp_flow_add_line (a->flow, line, a->open, TRUE, line->breaks);
}

static void
add_quote (Assembly *a, const DpFlowLine *line)
{
  DpBlock *quote;

  if (a->open_role != DP_ROLE_QUOTE || !a->open || line->starts) {
    gboolean more = a->open_role == DP_ROLE_QUOTE && a->document->blocks->len > 0;
    quote = more ? g_ptr_array_index (a->document->blocks, a->document->blocks->len - 1) : NULL;
    if (!quote || quote->kind != DP_BLOCK_QUOTE)
      quote = open_block (a, DP_BLOCK_QUOTE, line, a->document->blocks);
    else
      extend_block (a, quote, line);
    open_block (a, DP_BLOCK_PARAGRAPH, line, quote->children);
  } else
    extend_block (a, a->open, line);
  dp_flow_add_line (a->flow, line, a->open, TRUE, line->breaks);
}

static void
add_heading (Assembly *a, const DpFlowLine *line)
{
  if (line->starts || a->open_role != DP_ROLE_HEADING || !a->open) {
    DpBlock *block = open_block (a, DP_BLOCK_HEADING, line, a->document->blocks);
    block->level = CLAMP (line->level, 1, 6);
  } else
    extend_block (a, a->open, line);
  dp_flow_add_line (a->flow, line, a->open, FALSE, FALSE);
  a->paragraph = NULL;
}

/* "[3]", "3." and "3)" are note 3. */
static char *
note_label (const DpFlowLine *line)
{
  g_autofree char *label = label_of (line);

  return g_strdelimit (g_strdup (label + (label[0] == '[' || label[0] == '(' ? 1 : 0)), ".)]", '\0');
}

static void
add_footnote (Assembly *a, const DpFlowLine *line)
{
  if (line->starts || a->open_role != DP_ROLE_FOOTNOTE || !a->open) {
    DpBlock *block = open_block (a, DP_BLOCK_FOOTNOTE, line, a->document->blocks);
    block->label = note_label (line);
    block->level = line->level;
    dp_flow_add_line (a->flow, line, block, TRUE, FALSE);
    dp_spans_drop (block->spans, line->label);
    return;
  }
  extend_block (a, a->open, line);
  dp_flow_add_line (a->flow, line, a->open, TRUE, FALSE);
}

/* The contents that a page goes on with: only running heads and page numbers may stand between. */
static DpBlock *
open_toc (const GPtrArray *blocks, guint page)
{
  static const guint passed = 1u << DP_BLOCK_HEADER | 1u << DP_BLOCK_FOOTER | 1u << DP_BLOCK_PAGE_NUMBER | 1u << DP_BLOCK_ASIDE
                              | 1u << DP_BLOCK_HIDDEN | 1u << DP_BLOCK_FOOTNOTE;

  for (guint i = blocks->len; i-- > 0;) {
    DpBlock *block = g_ptr_array_index (blocks, i);
    if (block->kind == DP_BLOCK_TOC) {
      const DpBlock *entry = g_ptr_array_index (block->children, block->children->len - 1);
      return entry->page + 1 >= page ? block : NULL;
    }
    if (!(passed & 1u << block->kind))
      return NULL;
  }
  return NULL;
}

static void
add_toc (Assembly *a, const DpFlowLine *line)
{
  GPtrArray *blocks = a->document->blocks;
  DpBlock *toc = open_toc (blocks, line->page);

  if (!toc)
    toc = open_block (a, DP_BLOCK_TOC, line, blocks);
  else
    extend_block (a, toc, line);
  if (line->starts || toc->children->len == 0) {
    DpBlock *entry = open_block (a, DP_BLOCK_TOC_ENTRY, line, toc->children);
    entry->level = line->level;
  } else {
    a->open = g_ptr_array_index (toc->children, toc->children->len - 1);
    extend_block (a, a->open, line);
  }
  dp_flow_add_line (a->flow, line, a->open, TRUE, FALSE);
  if (line->label > 0) {
    const char *tail = line->text + strlen (line->text) - line->label;
    gsize digits = strlen (tail);
    while (digits > 0 && g_ascii_isalnum (tail[digits - 1]))
      digits--;
    g_free (a->open->label);
    a->open->label = g_strdup (tail + digits);
    dp_spans_drop_end (a->open->spans, line->label);
  }
}

static void
add_furniture (Assembly *a, const DpFlowLine *line)
{
  DpBlockKind kind = line->role == DP_ROLE_HEADER   ? DP_BLOCK_HEADER
                     : line->role == DP_ROLE_FOOTER ? DP_BLOCK_FOOTER
                     : line->role == DP_ROLE_ASIDE  ? DP_BLOCK_ASIDE
                                                    : DP_BLOCK_PAGE_NUMBER;
  GPtrArray *blocks = a->document->blocks;
  DpBlock *block = blocks->len ? g_ptr_array_index (blocks, blocks->len - 1) : NULL;

  if (line->starts || !block || block->kind != kind) {
    block = dp_block_new (kind, page_number (a, line), line->box);
    block->source = DP_SOURCE_TEXT_LAYER;
    g_ptr_array_add (blocks, block);
  } else
    block->box = dp_rect_union (block->box, line->box);
  dp_flow_add_line (a->flow, line, block, FALSE, FALSE);
}

/* ---- code ----------------------------------------------------------------------------------------- */

static void
add_code (Assembly *a, guint i)
{
  const DpFlowLine *line = dp_flow_line (a->flow, i);

  if (line->starts) {
    open_block (a, DP_BLOCK_CODE, line, a->document->blocks);
    a->open->text = dp_flow_code_text (a->flow, i);
  } else if (a->open && a->open_role == DP_ROLE_CODE)
    extend_block (a, a->open, line);
}

/* ---- lists ----------------------------------------------------------------------------------------- */

static DpBlock *
last_child (const DpBlock *block)
{
  return block->children->len ? g_ptr_array_index (block->children, block->children->len - 1) : NULL;
}

/* The list at this level, opened where it is missing; a change of kind opens a new one. */
static DpBlock *
list_at (Assembly *a, const DpFlowLine *line)
{
  guint level = MIN (line->level, a->lists->len);
  DpBlock *list, *parent;

  if (level < a->lists->len) {
    list = g_ptr_array_index (a->lists, level);
    g_ptr_array_set_size (a->lists, (gint) level + 1);
    if (list->ordered == line->ordered)
      return list;
    g_ptr_array_set_size (a->lists, (gint) level);
  }
  parent = level > 0 ? last_child (g_ptr_array_index (a->lists, level - 1)) : NULL;
  list = dp_block_new (DP_BLOCK_LIST, page_number (a, line), line->box);
  list->ordered = line->ordered;
  list->start = line->ordered ? line->number : 0;
  g_ptr_array_add (parent ? parent->children : a->document->blocks, list);
  g_ptr_array_add (a->lists, list);
  return list;
}

static void
add_item (Assembly *a, const DpFlowLine *line)
{
  if (line->starts || a->lists->len == 0 || !a->item) {
    DpBlock *list = list_at (a, line), *item = open_block (a, DP_BLOCK_LIST_ITEM, line, list->children);
    a->item = item;
    item->label = label_of (line);
    dp_flow_add_line (a->flow, line, item, TRUE, FALSE);
    dp_spans_drop (item->spans, line->label);
  } else {
    extend_block (a, a->item, line);
    dp_flow_add_line (a->flow, line, a->item, TRUE, line->breaks);
  }
  for (guint i = 0; i < a->lists->len; i++)
    extend_block (a, g_ptr_array_index (a->lists, i), line);
}

/* ---- tables and figures ------------------------------------------------------------------------------- */

/* Words inside a picture in visual rows: order them top down, then left to right. */
static void
add_figure_text (const Assembly *a, DpBlock *figure, const DpFlowLine *entry)
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

static DpBlock *
make_object (Assembly *a, guint index)
{
  const DpFlowLine *entry = dp_flow_line (a->flow, index);
  DpRegion *region = dp_flow_region (a->flow, entry);
  guint page = page_number (a, entry);
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

static void
add_caption (Assembly *a, const DpFlowLine *line)
{
  GPtrArray *into = a->document->blocks;

  if (!line->starts && a->open_role == DP_ROLE_CAPTION && a->open) {
    extend_block (a, a->open, line);
  } else {
    DpBlock *owner = line->owner >= 0 ? a->objects[line->owner] : NULL;
    if (owner && owner->kind != DP_BLOCK_TOC)
      into = owner->children;
    open_block (a, DP_BLOCK_CAPTION, line, into);
  }
  dp_flow_add_line (a->flow, line, a->open, TRUE, FALSE);
}

/* ---- pages ------------------------------------------------------------------------------------------------ */

static void
add_page_info (Assembly *a, const DpPageLayout *layout)
{
  DpPageInfo info = { .number = layout->number,
                      .width = layout->width,
                      .height = layout->height,
                      .rotation = layout->rotation,
                      .turn = layout->turn,
                      .skew = layout->skew,
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
add_hidden (Assembly *a, const DpPageLayout *layout)
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
close_page (Assembly *a, DpPageLayout *layout)
{
  add_hidden (a, layout);
  if (!layout->notes)
    return;
  for (guint i = 0; i < layout->notes->len; i++)
    g_ptr_array_add (a->document->blocks, g_ptr_array_index (layout->notes, i));
  g_ptr_array_set_free_func (layout->notes, NULL); /* the document owns them now */
  g_ptr_array_set_size (layout->notes, 0);
}

/* Entries of a contents table go on with the contents before it. */
static void
add_object (Assembly *a, DpBlock *block)
{
  GPtrArray *blocks = a->document->blocks;
  DpBlock *last = NULL;

  a->open = NULL;
  a->open_role = block->kind == DP_BLOCK_TOC ? DP_ROLE_TOC : DP_ROLE_OBJECT;
  if (block->kind == DP_BLOCK_TOC) {
    dp_toc_release_lead (block, blocks);
    last = open_toc (blocks, block->page - 1);
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

/* A page that came laid out. */
static void
add_given (Assembly *a, DpPageLayout *layout)
{
  for (guint i = 0; i < layout->blocks->len; i++)
    g_ptr_array_add (a->document->blocks, g_ptr_array_index (layout->blocks, i));
  g_ptr_array_set_free_func (layout->blocks, NULL); /* the document owns them now */
  g_ptr_array_set_size (layout->blocks, 0);
  g_ptr_array_set_size (a->lists, 0);
  a->open = a->paragraph = a->item = NULL;
}

static void
add_entry (Assembly *a, guint i)
{
  const DpFlowLine *line = dp_flow_line (a->flow, i);

  if (line->role != DP_ROLE_ITEM && line->role < DP_ROLE_HEADER && line->role != DP_ROLE_FOOTNOTE)
    g_ptr_array_set_size (a->lists, 0);
  switch (line->role) {
  case DP_ROLE_BODY: add_paragraph (a, line); break;
  case DP_ROLE_OBJECT:
    add_object (a, a->objects[i]);
    if (a->open_role == DP_ROLE_TOC)
      a->objects[i] = NULL; /* merged away; a caption of it stands by itself */
    break;
  case DP_ROLE_HEADING: add_heading (a, line); break;
  case DP_ROLE_ITEM: add_item (a, line); break;
  case DP_ROLE_CAPTION: add_caption (a, line); break;
  case DP_ROLE_FOOTNOTE: add_footnote (a, line); break;
  case DP_ROLE_CODE: add_code (a, i); break;
  case DP_ROLE_TOC: add_toc (a, line); break;
  case DP_ROLE_QUOTE: add_quote (a, line); break;
  case DP_ROLE_HEADER:
  case DP_ROLE_FOOTER:
  case DP_ROLE_PAGE_NUMBER:
  case DP_ROLE_ASIDE: add_furniture (a, line); break;
  case DP_ROLE_ADOPTED: break;
  }
}

static void
grow (Assembly *a)
{
  const DpFlow *flow = a->flow;

  a->objects = g_new0 (DpBlock *, flow->lines->len + 1);
  a->lists = g_ptr_array_new ();
  for (guint i = 0; i < flow->lines->len; i++)
    if (dp_flow_line (flow, i)->role == DP_ROLE_OBJECT)
      a->objects[i] = make_object (a, i);
  for (guint p = 0; p < flow->pages->len; p++) {
    const DpFlowPage *page = &g_array_index (flow->pages, DpFlowPage, p);
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
  Assembly assembly = { .flow = flow, .document = dp_document_new (NULL) };
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
  g_autoptr (DpFlow) flow = dp_flow_new (pages, info);
  Assembly assembly = { .flow = flow, .options = options, .document = dp_document_new (info) };

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
  dp_document_finish (assembly.document);
  return assembly.document;
}
