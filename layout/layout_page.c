/* layout/layout_page.c - one page: its passes in order, its life, its lines as text.
 *
 * Each pass lives in its own file; this one only knows the order and owns the result.
 */
#include "layout/layout.h"
#include "layout/text.h"

#include <string.h>

void
dp_region_clear (gpointer data)
{
  DpRegion *region = data;

  if (region->lines)
    g_array_unref (region->lines);
  dp_table_free (region->table);
  g_free (region->latex);
  g_free (region->label);
}

static void
inline_free (gpointer data)
{
  DpInlineFormula *formula = data;

  g_free (formula->latex);
  g_free (formula->before);
  g_free (formula->after);
  g_free (formula);
}

DpPageLayout *
dp_page_layout_new (const DpPage *page)
{
  DpPageLayout *l = g_new0 (DpPageLayout, 1);

  l->number = page->number;
  l->width = page->width;
  l->height = page->height;
  l->rotation = page->rotation;
  l->words = g_array_new (FALSE, TRUE, sizeof (DpWord));
  l->lines = g_array_new (FALSE, TRUE, sizeof (DpLine));
  l->regions = g_array_new (FALSE, TRUE, sizeof (DpRegion));
  g_array_set_clear_func (l->regions, dp_region_clear);
  l->hrules = g_array_new (FALSE, TRUE, sizeof (DpRule));
  l->vrules = g_array_new (FALSE, TRUE, sizeof (DpRule));
  l->fills = g_array_new (FALSE, TRUE, sizeof (DpPath));
  l->underlines = g_array_new (FALSE, TRUE, sizeof (DpRule));
  l->text = g_string_new (NULL);
  l->links = g_ptr_array_new_with_free_func (g_free);
  l->font_names = g_ptr_array_new_with_free_func (g_free);
  l->inlines = g_ptr_array_new_with_free_func (inline_free);
  l->notes = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_block_free);
  for (gsize i = 0; i < page->n_fonts; i++)
    g_ptr_array_add (l->font_names, g_strdup (dp_page_string (page, page->fonts[i].name)));
  return l;
}

void
dp_page_layout_free (DpPageLayout *l)
{
  if (!l)
    return;
  g_array_unref (l->words);
  g_array_unref (l->lines);
  g_array_unref (l->regions);
  g_array_unref (l->hrules);
  g_array_unref (l->vrules);
  g_array_unref (l->fills);
  g_array_unref (l->underlines);
  g_string_free (l->text, TRUE);
  g_ptr_array_unref (l->links);
  g_ptr_array_unref (l->font_names);
  g_ptr_array_unref (l->inlines);
  g_ptr_array_unref (l->notes);
  g_free (l->reason);
  g_free (l);
}

DpRegion *
dp_page_layout_add_region (DpPageLayout *layout, DpRegionKind kind, DpRect box)
{
  DpRegion *region;

  g_array_set_size (layout->regions, layout->regions->len + 1);
  region = &g_array_index (layout->regions, DpRegion, layout->regions->len - 1);
  region->kind = kind;
  region->box = box;
  region->caption = -1;
  region->lines = g_array_new (FALSE, FALSE, sizeof (guint));
  return region;
}

void
dp_line_text (const DpPageLayout *layout, const DpLine *line, GString *out)
{
  for (guint i = 0; i < line->n_words; i++) {
    const DpWord *w = &g_array_index (layout->words, DpWord, line->first_word + i);

    if (i && w->space_before)
      g_string_append_c (out, ' ');
    g_string_append_len (out, layout->text->str + w->text, w->text_len);
  }
}

static const char *
word_uri (const DpPageLayout *layout, const DpWord *w)
{
  const char *uri = w->link && w->link <= layout->links->len ? g_ptr_array_index (layout->links, w->link - 1) : NULL;

  return uri && *uri ? uri : NULL;
}

static void
add_span (GPtrArray *spans, const char *text, guint style, const char *uri, gboolean *brk)
{
  if (!*text)
    return;
  g_ptr_array_add (spans, dp_span_new (text, style | (*brk ? DP_SPAN_BREAK : 0), uri));
  *brk = FALSE;
}

/* The formula that begins at word i and how many of the n words it stands for; NULL: a plain word. */
static const DpInlineFormula *
formula_at (const DpPageLayout *layout, guint first, guint i, guint n, guint *taken)
{
  guint id = g_array_index (layout->words, DpWord, first + i).formula, k = i + 1;

  if (!id || id > layout->inlines->len)
    return NULL;
  while (k < n && first + k < layout->words->len && g_array_index (layout->words, DpWord, first + k).formula == id)
    k++;
  *taken = k - i;
  return g_ptr_array_index (layout->inlines, id - 1);
}

void
dp_words_to_spans (const DpPageLayout *layout, guint first, guint n, GPtrArray *spans, gboolean brk)
{
  g_autoptr (GString) run = g_string_new (NULL);
  const char *uri = NULL;
  guint style = 0, taken = 1;

  for (guint i = 0; i < n && first + i < layout->words->len; i += taken) {
    const DpWord *w = &g_array_index (layout->words, DpWord, first + i);
    const char *next = word_uri (layout, w);
    const DpInlineFormula *formula = formula_at (layout, first, i, n, &taken);

    if (formula) {
      if (i && w->space_before)
        g_string_append_c (run, ' ');
      g_string_append (run, formula->before);
      add_span (spans, run->str, style, uri, &brk);
      add_span (spans, formula->latex, DP_SPAN_FORMULA, NULL, &brk);
      g_string_assign (run, formula->after);
      style = 0;
      uri = NULL;
      continue;
    }
    taken = 1;
    if (i && (w->style != style || g_strcmp0 (next, uri) != 0)) {
      /* A blank between two styles belongs to the plainer one. */
      gboolean blank_ahead = w->space_before && !w->style && !next;

      if (w->space_before && !blank_ahead)
        g_string_append_c (run, ' ');
      add_span (spans, run->str, style, uri, &brk);
      g_string_assign (run, blank_ahead ? " " : "");
    } else if (i && w->space_before)
      g_string_append_c (run, ' ');
    style = w->style;
    uri = next;
    g_string_append_len (run, layout->text->str + w->text, w->text_len);
  }
  add_span (spans, run->str, style, uri, &brk);
}

/* Form fields and annotations with something to say become blocks of their own. */
static void
add_notes (DpPageLayout *layout, const DpPage *page)
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

DpPageLayout *
dp_layout_page (const DpPage *page, const DpLayoutOptions *options)
{
  static const DpLayoutOptions defaults = { 0 };
  DpPageLayout *layout = dp_page_layout_new (page);
  g_autofree guint8 *hidden = g_malloc0 (page->n_glyphs + 1);

  if (!options)
    options = &defaults;
  dp_layout_hidden (layout, page, options, hidden);
  dp_layout_words (layout, page, hidden);
  dp_layout_rules (layout, page);
  dp_layout_lines (layout);
  dp_layout_listings (layout);
  dp_layout_tables_statement (layout);
  dp_layout_tables_ruled (layout);
  dp_layout_tables_framed (layout);
  dp_layout_tables_aligned (layout);
  dp_layout_figures (layout, page);
  dp_layout_formulas (layout, page, hidden);
  dp_layout_columns (layout);
  dp_layout_order (layout);
  add_notes (layout, page);
  return layout;
}
