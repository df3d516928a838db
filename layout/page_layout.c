/* layout/page_layout.c - what a page layout is: its life, its regions, its lines as text and spans.
 *
 * The passes build on this; the order in which they run stands in layout_page.c.
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
  l->turn = page->turn;
  l->skew = page->skew;
  l->warp = page->warp;
  l->words = g_array_new (FALSE, TRUE, sizeof (DpWord));
  l->lines = g_array_new (FALSE, TRUE, sizeof (DpLine));
  l->regions = g_array_new (FALSE, TRUE, sizeof (DpRegion));
  g_array_set_clear_func (l->regions, dp_region_clear);
  l->hrules = g_array_new (FALSE, TRUE, sizeof (DpRule));
  l->vrules = g_array_new (FALSE, TRUE, sizeof (DpRule));
  l->fills = g_array_new (FALSE, TRUE, sizeof (DpPath));
  l->underlines = g_array_new (FALSE, TRUE, sizeof (DpRule));
  l->charts = g_array_new (FALSE, FALSE, sizeof (DpRect));
  l->pictures = g_array_new (FALSE, FALSE, sizeof (DpRect));
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
  g_array_unref (l->charts);
  g_array_unref (l->pictures);
  g_string_free (l->text, TRUE);
  g_ptr_array_unref (l->links);
  g_ptr_array_unref (l->font_names);
  g_ptr_array_unref (l->inlines);
  g_ptr_array_unref (l->notes);
  g_clear_pointer (&l->blocks, g_ptr_array_unref);
  dp_layout_tables_end (l);
  dp_page_layout_free (l->facing);
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
