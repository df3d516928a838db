/* layout/assemble_text.c - lines of text become blocks: paragraphs, headings, items, notes, entries of contents, furniture.
 */
#include "layout/assemble.h"

#include <string.h>

static char *
label_of (const DpFlowLine *line)
{
  return g_strndup (line->text, MIN (line->label, strlen (line->text)));
}

static DpBlock *
last_child (const DpBlock *block)
{
  return block->children->len ? g_ptr_array_index (block->children, block->children->len - 1) : NULL;
}

/* Where the block that begins with the line goes: into the list item that it belongs to, or the document. */
static GPtrArray *
holder_of (const DpAssembly *a, const DpFlowLine *line)
{
  const DpBlock *item = line->inside && a->lists->len ? last_child (g_ptr_array_index (a->lists, a->lists->len - 1)) : NULL;

  return item ? item->children : a->document->blocks;
}

/* ---- text blocks ------------------------------------------------------------------------------ */

static void
add_paragraph (DpAssembly *a, const DpFlowLine *line)
{
  if (line->joins && a->paragraph)
    a->open = a->paragraph;
  else if (line->starts || a->open_role != DP_ROLE_BODY || !a->open)
    a->paragraph = dp_assembly_open (a, DP_BLOCK_PARAGRAPH, line, holder_of (a, line));
  else
    a->open = a->paragraph;
  a->open_role = DP_ROLE_BODY;
  if (a->open->spans->len)
    dp_assembly_extend (a, a->open, line);
  dp_flow_add_line (a->flow, line, a->open, TRUE, line->breaks);
}

static void
add_quote (DpAssembly *a, const DpFlowLine *line)
{
  DpBlock *quote;

  if (a->open_role != DP_ROLE_QUOTE || !a->open || line->starts) {
    gboolean more = a->open_role == DP_ROLE_QUOTE && a->document->blocks->len > 0;
    quote = more ? g_ptr_array_index (a->document->blocks, a->document->blocks->len - 1) : NULL;
    if (!quote || quote->kind != DP_BLOCK_QUOTE)
      quote = dp_assembly_open (a, DP_BLOCK_QUOTE, line, a->document->blocks);
    else
      dp_assembly_extend (a, quote, line);
    dp_assembly_open (a, DP_BLOCK_PARAGRAPH, line, quote->children);
  } else
    dp_assembly_extend (a, a->open, line);
  dp_flow_add_line (a->flow, line, a->open, TRUE, line->breaks);
}

static void
add_heading (DpAssembly *a, const DpFlowLine *line)
{
  if (line->starts || a->open_role != DP_ROLE_HEADING || !a->open) {
    DpBlock *block = dp_assembly_open (a, DP_BLOCK_HEADING, line, a->document->blocks);
    block->level = CLAMP (line->level, 1, 6);
  } else
    dp_assembly_extend (a, a->open, line);
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
add_footnote (DpAssembly *a, const DpFlowLine *line)
{
  if (line->starts || a->open_role != DP_ROLE_FOOTNOTE || !a->open) {
    DpBlock *block = dp_assembly_open (a, DP_BLOCK_FOOTNOTE, line, a->document->blocks);
    block->label = note_label (line);
    block->level = line->level;
    dp_flow_add_line (a->flow, line, block, TRUE, FALSE);
    dp_spans_drop (block->spans, line->label);
    return;
  }
  dp_assembly_extend (a, a->open, line);
  dp_flow_add_line (a->flow, line, a->open, TRUE, FALSE);
}

/* The contents that a page goes on with: only running heads and page numbers may stand between. */
DpBlock *
dp_assembly_toc (const GPtrArray *blocks, guint page)
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
add_toc (DpAssembly *a, const DpFlowLine *line)
{
  GPtrArray *blocks = a->document->blocks;
  DpBlock *toc = dp_assembly_toc (blocks, line->page);

  if (!toc)
    toc = dp_assembly_open (a, DP_BLOCK_TOC, line, blocks);
  else
    dp_assembly_extend (a, toc, line);
  if (line->starts || toc->children->len == 0) {
    DpBlock *entry = dp_assembly_open (a, DP_BLOCK_TOC_ENTRY, line, toc->children);
    entry->level = line->level;
  } else {
    a->open = g_ptr_array_index (toc->children, toc->children->len - 1);
    dp_assembly_extend (a, a->open, line);
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

/* The words of a head that is set as a table. */
static void
add_panel (const DpTable *table, DpBlock *block)
{
  const guint dropped = DP_SPAN_BOLD | DP_SPAN_ITALIC | DP_SPAN_MONO | DP_SPAN_UNDERLINE | DP_SPAN_BREAK;

  for (guint i = 0; i < table->cells->len; i++) {
    const GPtrArray *spans = ((const DpCell *) g_ptr_array_index (table->cells, i))->spans;
    for (guint k = 0; k < spans->len; k++) {
      const DpSpan *span = g_ptr_array_index (spans, k);
      if (block->spans->len && (k == 0 || span->style & DP_SPAN_BREAK))
        dp_block_add_text (block, " ", 0, NULL);
      dp_block_add_text (block, span->text, span->style & ~dropped, span->uri);
    }
  }
}

static void
add_furniture (DpAssembly *a, const DpFlowLine *line)
{
  DpBlockKind kind = line->role == DP_ROLE_HEADER   ? DP_BLOCK_HEADER
                     : line->role == DP_ROLE_FOOTER ? DP_BLOCK_FOOTER
                     : line->role == DP_ROLE_ASIDE  ? DP_BLOCK_ASIDE
                                                    : DP_BLOCK_PAGE_NUMBER;
  GPtrArray *blocks = a->document->blocks;
  DpBlock *block = blocks->len ? g_ptr_array_index (blocks, blocks->len - 1) : NULL;

  if (line->starts || !block || block->kind != kind) {
    block = dp_block_new (kind, dp_assembly_page (a, line), line->box);
    block->source = DP_SOURCE_TEXT_LAYER;
    g_ptr_array_add (blocks, block);
  } else
    block->box = dp_rect_union (block->box, line->box);
  if (line->n_frags)
    dp_flow_add_line (a->flow, line, block, FALSE, FALSE);
  else if (dp_flow_region (a->flow, line)->table) /* else it is a picture that tags call an artifact */
    add_panel (dp_flow_region (a->flow, line)->table, block);
}

/* ---- code ----------------------------------------------------------------------------------------- */

static void
add_code (DpAssembly *a, guint i)
{
  const DpFlowLine *line = dp_flow_line (a->flow, i);

  if (line->starts) {
    dp_assembly_open (a, DP_BLOCK_CODE, line, holder_of (a, line));
    a->open->text = dp_flow_code_text (a->flow, i);
  } else if (a->open && a->open_role == DP_ROLE_CODE)
    dp_assembly_extend (a, a->open, line);
}

/* ---- lists ----------------------------------------------------------------------------------------- */

/* The list at this level, opened where it is missing; a change of kind opens a new one. */
static DpBlock *
list_at (DpAssembly *a, const DpFlowLine *line)
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
  list = dp_block_new (DP_BLOCK_LIST, dp_assembly_page (a, line), line->box);
  list->ordered = line->ordered;
  list->start = line->ordered ? line->number : 0;
  g_ptr_array_add (parent ? parent->children : a->document->blocks, list);
  g_ptr_array_add (a->lists, list);
  return list;
}

static void
add_item (DpAssembly *a, const DpFlowLine *line)
{
  if (line->starts || a->lists->len == 0 || !a->item) {
    DpBlock *list = list_at (a, line), *item = dp_assembly_open (a, DP_BLOCK_LIST_ITEM, line, list->children);
    a->item = item;
    item->label = label_of (line);
    dp_flow_add_line (a->flow, line, item, TRUE, FALSE);
    dp_spans_drop (item->spans, line->label);
  } else {
    dp_assembly_extend (a, a->item, line);
    dp_flow_add_line (a->flow, line, a->item, TRUE, line->breaks);
  }
  for (guint i = 0; i < a->lists->len; i++)
    dp_assembly_extend (a, g_ptr_array_index (a->lists, i), line);
}

/* ---- captions ---- */

static void
add_caption (DpAssembly *a, const DpFlowLine *line)
{
  GPtrArray *into = a->document->blocks;

  if (!line->starts && a->open_role == DP_ROLE_CAPTION && a->open) {
    dp_assembly_extend (a, a->open, line);
  } else {
    DpBlock *owner = line->owner >= 0 ? a->objects[line->owner] : NULL;
    if (owner && owner->kind != DP_BLOCK_TOC)
      into = owner->children;
    dp_assembly_open (a, DP_BLOCK_CAPTION, line, into);
  }
  dp_flow_add_line (a->flow, line, a->open, TRUE, FALSE);
}

void
dp_assembly_add_text (DpAssembly *a, guint i)
{
  const DpFlowLine *line = dp_flow_line (a->flow, i);

  switch (line->role) {
  case DP_ROLE_BODY: add_paragraph (a, line); break;
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
  case DP_ROLE_OBJECT:
  case DP_ROLE_ADOPTED: break;
  }
}
