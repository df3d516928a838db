/* layout/formulas_unread.c - displayed formulas of a scan, shown as pictures.
 *
 * Whoever read the page says where they are (DpPage.unread): a row of characters is not enough to say what a fraction or a sum
 * is.  The region has no LaTeX, so that its picture is printed; what was read of it stays with it, for those who print none.
 */
#include "layout/layout.h"

#define INSIDE 0.6f /* of a line's area */

static void
take_lines (DpPageLayout *layout, DpRect box, gint index)
{
  for (guint i = 0; i < layout->lines->len; i++) {
    DpLine *line = &g_array_index (layout->lines, DpLine, i);
    if (line->taken || dp_rect_inside (line->box, box) < INSIDE)
      continue;
    line->taken = TRUE;
    line->region = index;
    for (guint w = 0; w < line->n_words; w++)
      g_array_index (layout->words, DpWord, line->first_word + w).taken = TRUE;
    g_array_append_val (g_array_index (layout->regions, DpRegion, index).lines, i);
  }
}

void
dp_layout_unread (DpPageLayout *layout, const DpPage *page)
{
  for (gsize i = 0; i < page->n_unread; i++) {
    const gint index = (gint) layout->regions->len;
    dp_page_layout_add_region (layout, DP_REGION_FORMULA, page->unread[i]);
    take_lines (layout, page->unread[i], index);
  }
}
