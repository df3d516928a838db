/* pipeline/model_block.c - one region as one block. */
#include "pipeline/model_pieces.h"

#include "pipeline/model_table.h"
#include "pipeline/model_text.h"

#include <math.h>
#include <string.h>

static DpBlock *
new_block (const DpModelPage *page, const DpMineruBlock *region, DpBlockKind kind)
{
  DpBlock *block = dp_block_new (kind, page->number, dp_model_box (page, region->box));

  block->source = DP_SOURCE_VLM;
  block->confidence = region->confidence;
  return block;
}

/* A part of a page that nobody could read: its picture. */
static DpBlock *
unread (const DpModelPage *page, const DpMineruBlock *region)
{
  DpBlock *block = new_block (page, region, DP_BLOCK_PAGE_PICTURE);

  block->source = DP_SOURCE_NONE;
  block->confidence = 0;
  return block;
}

/* A mere copy of the text layer's spans into the block; it answers for it from here on. */
static void
use_own (DpBlock *block, const DpBlock *own)
{
  for (guint i = 0; i < own->spans->len; i++) {
    const DpSpan *span = g_ptr_array_index (own->spans, i);
    dp_block_add_text (block, span->text, span->style, span->uri);
  }
  block->source = DP_SOURCE_TEXT_LAYER;
  block->confidence = 1;
}

static char *
own_text (const DpBlock *own)
{
  return own->text ? g_strdup (own->text) : dp_spans_to_text (own->spans);
}

/* Of what the model read with the page's own text; -1: that cannot be compared.  Text where the page shows none, or only what other
 * regions have, is invented or said twice. */
static float
agreement_with (const DpModelPage *page, const DpMineruBlock *region, const char *read)
{
  const DpBlock *own = dp_model_own (page, region);
  g_autofree char *text = own ? own_text (own) : NULL;

  if (text)
    return dp_model_agreement (text, read);
  return page->text && dp_region_text_under (page->text, dp_model_box (page, region->box)) != DP_UNDER_PICTURE ? 0 : -1;
}

/* ---- text ------------------------------------------------------------------------------------------------- */

static DpBlock *
make_text (const DpModelPage *page, const DpMineruBlock *region, DpBlockKind kind, gboolean breaks)
{
  const DpBlock *own = dp_model_own (page, region);
  DpBlock *block;

  if (dp_model_has_text (page, region) || (!region->content && own && page->use_text)) {
    block = new_block (page, region, kind);
    use_own (block, own);
  } else if (!region->content) {
    return unread (page, region);
  } else if (!*g_strstrip (region->content)) {
    return NULL;
  } else {
    block = new_block (page, region, kind);
    dp_model_spans (block->spans, region->content, breaks);
    if (!page->use_text || !own) /* else there is too little of it to compare with */
      block->agreement = agreement_with (page, region, region->content);
  }
  return block;
}

/* Height of the letters of a title that fills w x h points with n characters: one line as high as its box, or as many lines as make the
 * characters fit, each 0.55 of its size wide and 1.25 high. */
static float
letter_size (float w, float h, glong n)
{
  const float one = h / 1.15f;

  return (float) n * 0.55f * one <= 1.3f * w || n == 0 ? one : MIN (one, sqrtf (w * h / ((float) n * 0.55f * 1.25f)));
}

static DpBlock *
make_heading (const DpModelPage *page, const DpMineruBlock *region)
{
  const DpBlock *own = dp_model_own (page, region);
  DpBlock *block = make_text (page, region, DP_BLOCK_HEADING, FALSE);

  if (!block || block->kind != DP_BLOCK_HEADING)
    return block;
  g_autofree char *text = dp_spans_to_text (block->spans);
  block->level = region->type == DP_MINERU_DOC_TITLE ? 1 : 0;
  block->size
      = own && own->size > 0 ? own->size : letter_size (dp_rect_width (block->box), dp_rect_height (block->box), g_utf8_strlen (text, -1));
  return block;
}

/* ---- code -------------------------------------------------------------------------------------------------- */

/* The code without a fence, whose language comes back; owned by the caller. */
static char *
unfence (const char *code, char **language)
{
  const char *line = strchr (code, '\n');

  *language = NULL;
  if (!g_str_has_prefix (code, "```") || !line)
    return g_strdup (code);
  g_autofree char *name = g_strstrip (g_strndup (code + 3, (gsize) (line - code - 3)));
  *language = *name && strcspn (name, " `{") == strlen (name) ? g_steal_pointer (&name) : NULL;
  char *body = g_strdup (line + 1);
  g_strchomp (body);
  if (g_str_has_suffix (body, "```")) {
    body[strlen (body) - 3] = '\0';
    g_strchomp (body);
  }
  return body;
}

static DpBlock *
make_code (const DpModelPage *page, const DpMineruBlock *region)
{
  const DpBlock *own = dp_model_own (page, region);
  const gboolean algorithm = region->type == DP_MINERU_ALGORITHM || (region->content && strstr (region->content, "\\("));
  DpBlock *block;

  if (algorithm) { /* formulas in it: lines of text */
    block = make_text (page, region, DP_BLOCK_PARAGRAPH, TRUE);
    if (block && block->kind == DP_BLOCK_PARAGRAPH)
      block->sub_type = g_strdup ("algorithm");
    return block;
  }
  if (!dp_model_has_text (page, region) && !region->content)
    return unread (page, region);
  if (!dp_model_has_text (page, region) && strspn (region->content, " \t\n") == strlen (region->content))
    return NULL;
  block = new_block (page, region, DP_BLOCK_CODE);
  if (dp_model_has_text (page, region)) {
    block->text = own_text (own);
    block->source = DP_SOURCE_TEXT_LAYER;
    block->confidence = 1;
  } else {
    block->text = unfence (region->content, &block->sub_type);
    block->agreement = agreement_with (page, region, block->text);
  }
  return block;
}

/* ---- tables, formulas, pictures -------------------------------------------------------------------------------- */

static void
add_table_pictures (const DpModelPage *page, const DpMineruBlock *region, DpBlock *block)
{
  for (guint i = 0; region->pictures && i < region->pictures->len; i++) {
    const DpMineruPicture *picture = &g_array_index (region->pictures, DpMineruPicture, i);
    DpBlock *figure = dp_block_new (DP_BLOCK_FIGURE, page->number, dp_model_box (page, picture->box));
    figure->source = DP_SOURCE_VLM;
    g_ptr_array_add (block->children, figure);
  }
}

static DpBlock *
make_table (const DpModelPage *page, const DpMineruBlock *region)
{
  const DpBlock *own = dp_model_own (page, region);
  DpTable *table = region->content ? dp_model_table (region->content) : NULL;
  DpBlock *block;

  if (!table && page->use_text && own) { /* its words are there, its cells are not */
    block = new_block (page, region, DP_BLOCK_PARAGRAPH);
    use_own (block, own);
    return block;
  }
  if (!table)
    return region->content ? new_block (page, region, DP_BLOCK_FIGURE) : unread (page, region);
  const DpTablePart part = { .page = page->number, .box = dp_model_box (page, region->box) };
  g_autofree char *text = dp_model_table_text (table);
  block = new_block (page, region, DP_BLOCK_TABLE);
  table->quality = region->confidence;
  g_array_append_val (table->parts, part);
  block->table = table;
  block->agreement = agreement_with (page, region, text);
  add_table_pictures (page, region, block);
  return block;
}

static DpBlock *
make_formula (const DpModelPage *page, const DpMineruBlock *region)
{
  const DpBlock *own = dp_model_own (page, region);
  DpBlock *block = new_block (page, region, DP_BLOCK_FORMULA);
  const char *latex = region->content ? region->content : "";
  gsize n = strlen (latex);

  if (g_str_has_prefix (latex, "\\[") && g_str_has_suffix (latex, "\\]") && n >= 4)
    latex += 2, n -= 4;
  g_autofree char *text = g_strstrip (g_strndup (latex, n));
  if (*text)
    block->text = g_steal_pointer (&text);
  else if (own)
    use_own (block, own);
  return block;
}

static DpBlock *
add_figure_text (DpBlock *figure)
{
  DpBlock *text = dp_block_new (DP_BLOCK_FIGURE_TEXT, figure->page, figure->box);

  text->source = DP_SOURCE_VLM;
  text->confidence = figure->confidence;
  g_ptr_array_add (figure->children, text);
  return text;
}

/* What a model saw in a picture, as blocks below it. */
static void
add_analysis (DpBlock *figure, const DpMineruBlock *region)
{
  const gboolean described = g_strcmp0 (region->content, region->caption) == 0;
  DpTable *table = figure->chart ? dp_model_markdown_table (region->content) : NULL;
  DpBlock *child = NULL;

  if (table) {
    child = dp_block_new (DP_BLOCK_TABLE, figure->page, figure->box);
    child->table = table;
  } else if (g_str_has_prefix (region->content, "```mermaid")) {
    child = dp_block_new (DP_BLOCK_CODE, figure->page, figure->box);
    child->text = unfence (region->content, &child->sub_type);
  } else if (*region->content && !described)
    dp_model_spans (add_figure_text (figure)->spans, region->content, TRUE);
  if (child) {
    child->source = DP_SOURCE_VLM;
    child->confidence = region->confidence;
    g_ptr_array_add (figure->children, child);
  }
}

static DpBlock *
make_figure (const DpModelPage *page, const DpMineruBlock *region)
{
  const DpBlock *own = dp_model_own (page, region);
  DpBlock *figure = new_block (page, region, DP_BLOCK_FIGURE);
  const gboolean analysed = region->content && *region->content;

  figure->chart = region->type == DP_MINERU_CHART;
  figure->sub_type = g_strdup (region->sub_type);
  if (region->caption && *region->caption)
    figure->alt = g_strdup (region->caption);
  if (analysed)
    add_analysis (figure, region);
  if (own && page->use_text && !(analysed && figure->children->len > 0 && !figure->chart))
    use_own (add_figure_text (figure), own);
  return figure;
}

/* ---- any region ---------------------------------------------------------------------------------------------------- */

static DpBlock *
make_note (const DpModelPage *page, const DpMineruBlock *region)
{
  DpBlock *note = make_text (page, region, DP_BLOCK_FOOTNOTE, FALSE);

  if (note && note->kind == DP_BLOCK_FOOTNOTE)
    dp_model_note_label (note);
  return note;
}

static DpBlock *
make_toc (const DpModelPage *page, const DpMineruBlock *region)
{
  DpBlock *toc = make_text (page, region, DP_BLOCK_TOC, TRUE);

  if (toc && toc->kind == DP_BLOCK_TOC) {
    g_autofree char *text = dp_spans_to_text (toc->spans);
    dp_model_toc (toc, text);
  }
  return toc;
}

DpBlock *
dp_model_block (const DpModelPage *page, const DpMineruBlock *region)
{
  switch (region->type) {
  case DP_MINERU_TITLE:
  case DP_MINERU_DOC_TITLE:
  case DP_MINERU_PARAGRAPH_TITLE: return make_heading (page, region);
  case DP_MINERU_TABLE: return make_table (page, region);
  case DP_MINERU_EQUATION: return make_formula (page, region);
  case DP_MINERU_CODE:
  case DP_MINERU_ALGORITHM: return make_code (page, region);
  case DP_MINERU_INDEX: return make_toc (page, region);
  case DP_MINERU_PAGE_FOOTNOTE: return make_note (page, region);
  case DP_MINERU_HEADER: return make_text (page, region, DP_BLOCK_HEADER, FALSE);
  case DP_MINERU_FOOTER: return make_text (page, region, DP_BLOCK_FOOTER, FALSE);
  case DP_MINERU_PAGE_NUMBER: return make_text (page, region, DP_BLOCK_PAGE_NUMBER, FALSE);
  case DP_MINERU_ASIDE_TEXT: return make_text (page, region, DP_BLOCK_ASIDE, FALSE);
  case DP_MINERU_IMAGE:
  case DP_MINERU_CHART:
  case DP_MINERU_IMAGE_BLOCK: return make_figure (page, region);
  case DP_MINERU_LIST: return new_block (page, region, DP_BLOCK_LIST);
  case DP_MINERU_EQUATION_BLOCK: return NULL;
  default: return make_text (page, region, DP_BLOCK_PARAGRAPH, FALSE);
  }
}
