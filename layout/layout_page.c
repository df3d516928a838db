/* layout/layout_page.c - one page: its passes in order.
 *
 * Each pass lives in its own file; this one only knows the order.
 */
#include "layout/bullets.h"
#include "layout/combs.h"
#include "layout/inline_images.h"
#include "layout/layout.h"
#include "layout/line_numbers.h"
#include "layout/ruby.h"
#include "layout/spreads.h"
#include "layout/text.h"

/* Form fields and annotations with something to say become blocks of their own. */
void
dp_layout_notes (DpPageLayout *layout, const DpPage *page)
{
  for (gsize i = 0; i < page->n_notes; i++) {
    const DpNote *note = &page->notes[i];
    const char *name = dp_page_string (page, note->name), *text = dp_page_string (page, note->text);
    g_autofree char *value = dp_text_normalise (text, -1);
    DpBlock *block;

    if (!*value && note->kind != DP_NOTE_FIELD_BUTTON)
      continue;
    if (note->kind == DP_NOTE_FIELD_BUTTON && !note->state)
      continue;
    block = dp_block_new (note->kind == DP_NOTE_ANNOTATION ? DP_BLOCK_ANNOTATION : DP_BLOCK_FIELD, page->number, note->box);
    block->label = *name ? dp_text_normalise (name, -1) : NULL;
    dp_block_add_text (block, *value ? value : "\342\234\223", 0, NULL);
    g_ptr_array_add (layout->notes, block);
  }
}

static DpPageLayout *
lay_out (const DpPage *page, const DpLayoutOptions *options)
{
  DpPageLayout *layout = dp_page_layout_new (page);
  g_autofree guint8 *hidden = g_malloc0 (page->n_glyphs + 1);

  dp_layout_hidden (layout, page, options, hidden);
  dp_layout_words (layout, page, hidden);
  dp_layout_line_numbers (layout);
  dp_layout_ruby (layout);
  dp_layout_rules (layout, page);
  dp_layout_combs (layout);
  dp_layout_bullets (layout, page);
  dp_layout_inline_images (layout, page);
  dp_layout_lines (layout);
  dp_layout_unread (layout, page);
  dp_layout_listings (layout);
  dp_layout_formula_glyphs (layout, page, hidden);
  dp_layout_charts (layout, page);
  dp_layout_tables_statement (layout);
  dp_layout_tables_ruled (layout, FALSE);
  dp_layout_tables_framed (layout);
  dp_layout_tables_ruled (layout, TRUE);
  dp_layout_tables_aligned (layout);
  dp_layout_tables_end (layout);
  dp_layout_figures (layout, page);
  dp_layout_formulas (layout);
  dp_layout_columns (layout);
  dp_layout_order (layout);
  dp_layout_notes (layout, page);
  return layout;
}

DpPageLayout *
dp_layout_page (const DpPage *page, const DpLayoutOptions *options)
{
  static const DpLayoutOptions defaults = { 0 };

  if (!options)
    options = &defaults;
  if (!(page->fold > 0 && page->fold < page->width))
    return lay_out (page, options);
  g_autoptr (DpPage) first = dp_spread_half (page, 0, page->fold), second = dp_spread_half (page, page->fold, page->width);
  DpPageLayout *layout = lay_out (first, options);
  layout->facing = lay_out (second, options);
  return layout;
}
