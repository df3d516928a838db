/* pipeline/pdf_insert.c - see pdf_insert.h: one pass, however many there are. */
#include "pipeline/pdf_insert.h"

static gint
by_place (gconstpointer a, gconstpointer b)
{
  const DpGlyphInsert *x = a, *y = b;

  return x->after != y->after ? (x->after < y->after ? -1 : 1) : (x->order < y->order ? -1 : x->order > y->order);
}

void
dp_pdf_insert_glyphs (DpPageArrays *page, GArray *inserts)
{
  GArray *merged = g_array_sized_new (FALSE, TRUE, sizeof (DpGlyph), page->glyphs->len + inserts->len);
  guint k = 0;

  g_array_sort (inserts, by_place);
  for (gint i = -1; i < (gint) page->glyphs->len; i++) {
    if (i >= 0)
      g_array_append_val (merged, g_array_index (page->glyphs, DpGlyph, i));
    for (; k < inserts->len && g_array_index (inserts, DpGlyphInsert, k).after == i; k++)
      g_array_append_val (merged, g_array_index (inserts, DpGlyphInsert, k).glyph);
  }
  g_array_unref (page->glyphs);
  page->glyphs = merged;
}
