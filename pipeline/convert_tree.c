/* pipeline/convert_tree.c - from the layouts of the pages to the document's tree. */
#include "pipeline/convert_private.h"

#include "pipeline/model_document.h"
#include "pipeline/recognise_page.h"

static gboolean
mark_recognised (DpBlock *block, guint depth, gpointer data)
{
  const DpConversion *c = data;
  const gint item = dp_conversion_find_page (c, block->page);

  (void) depth;
  if (item >= 0 && c->results[item].reading && c->results[item].state != DP_PAGE_NEEDS_MODEL)
    dp_mark_recognised (block, c->results[item].reading, !c->results[item].in_parts);
  return TRUE;
}

static gboolean
is_printed (DpBlock *block, guint depth, gpointer data)
{
  static const guint left_out
      = 1u << DP_BLOCK_HEADER | 1u << DP_BLOCK_FOOTER | 1u << DP_BLOCK_PAGE_NUMBER | 1u << DP_BLOCK_ASIDE | 1u << DP_BLOCK_HIDDEN;

  (void) depth;
  *(gboolean *) data |= !(left_out & 1u << block->kind);
  return !*(gboolean *) data;
}

static gboolean
has_visible_words (const DpPageLayout *layout)
{
  for (guint i = 0; i < layout->words->len; i++)
    if (!g_array_index (layout->words, DpWord, i).hidden)
      return TRUE;
  return FALSE;
}

/* Pages with text that is not printed (GUINT_TO_POINTER (number)). */
static gboolean
note_unprinted (DpBlock *block, guint depth, gpointer data)
{
  (void) depth;
  if (block->kind != DP_BLOCK_HIDDEN && block->spans->len)
    g_hash_table_add (data, GUINT_TO_POINTER (block->page));
  return TRUE;
}

/* A document whose every line was taken for a header or footer would come out empty without
 * a word: then its pages say so. */
static void
never_silently_empty (DpConversion *c, DpDocument *document)
{
  g_autoptr (GHashTable) unprinted = g_hash_table_new (NULL, NULL);
  gboolean any = FALSE;

  dp_document_foreach (document, is_printed, &any);
  if (!any)
    dp_document_foreach (document, note_unprinted, unprinted);
  for (guint i = 0; !any && i < c->numbers->len; i++)
    if (c->results[i].state == DP_PAGE_READ
        && (has_visible_words (c->layouts[i])
            || g_hash_table_contains (unprinted, GUINT_TO_POINTER (g_array_index (c->numbers, guint, i))))) {
      c->results[i].state = DP_PAGE_INCOMPLETE;
      c->results[i].reason = g_strdup ("all of its text was taken for headers and footers, so nothing is printed; see --keep");
    }
}

DpDocument *
dp_convert_tree (DpConversion *c)
{
  const DpOptions *o = c->setup->options;
  const DpLayoutOptions options = { .figure_text = o->figure_text, .no_tags = o->no_tags };
  g_autoptr (GPtrArray) pages = g_ptr_array_sized_new (c->numbers->len);

  for (guint i = 0; i < c->numbers->len; i++)
    g_ptr_array_add (pages, c->layouts[i]);
  if (c->flow)
    dp_model_join_pages (c->layouts, c->goes_on, c->numbers->len, c->setup->model->answerer);
  DpDocument *document = dp_layout_document (pages, &c->info, &options);
  if (c->flow) {
    dp_model_heading_levels (document);
    document->model = g_strdup (c->setup->model->answerer->digest);
  }

  for (guint i = 0; i < document->pages->len; i++) {
    DpPageInfo *info = &g_array_index (document->pages, DpPageInfo, i);
    const gint item = dp_conversion_find_page (c, info->number);
    if (item >= 0 && c->results[item].state == DP_PAGE_FAILED)
      info->failed = TRUE;
  }
  if (c->setup->recogniser)
    dp_document_foreach (document, mark_recognised, c);
  never_silently_empty (c, document);
  for (guint i = 0; i < c->numbers->len; i++) /* the tree owns what it needs */
    g_clear_pointer (&c->layouts[i], dp_page_layout_free);
  return document;
}
