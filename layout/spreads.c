/* layout/spreads.c - the two pages of an open book that one page of the document shows.
 *
 * Each is laid out as a page of its own, so that columns, furniture, notes and paragraphs over pages are found as in any book.
 * Only in the finished tree their blocks come back to the page that shows them both.
 */
#include "layout/spreads.h"

#define FACING (1u << 30) /* in the number of a facing page, until the tree is done */

/* ---- one page to two -------------------------------------------------------------------------------------- */

typedef struct {
  GArray *glyphs, *paths, *images, *unread;
} Half;

static void
half_free (gpointer data)
{
  Half *half = data;

  g_array_unref (half->glyphs);
  g_array_unref (half->paths);
  g_array_unref (half->images);
  g_array_unref (half->unread);
  g_free (half);
}

/* Copies of the n things of size bytes, with a box at offset, whose middle lies between x0 and x1; moved to begin at 0. */
static GArray *
things_between (gconstpointer things, gsize n, guint size, gsize offset, float x0, float x1)
{
  GArray *found = g_array_new (FALSE, FALSE, size);

  for (gsize i = 0; i < n; i++) {
    const guint8 *thing = (const guint8 *) things + i * size;
    const float middle = dp_rect_cx (*(const DpRect *) (gconstpointer) (thing + offset));
    if (!(middle >= x0 && middle < x1))
      continue;
    g_array_append_vals (found, thing, 1);
    DpRect *box = (DpRect *) (gpointer) (found->data + (gsize) (found->len - 1) * size + offset);
    box->x0 -= x0;
    box->x1 -= x0;
  }
  return found;
}

DpPage *
dp_spread_half (const DpPage *page, float x0, float x1)
{
  Half *half = g_new0 (Half, 1);
  DpPage *out = g_new0 (DpPage, 1);

  half->glyphs = things_between (page->glyphs, page->n_glyphs, sizeof (DpGlyph), G_STRUCT_OFFSET (DpGlyph, box), x0, x1);
  half->paths = things_between (page->paths, page->n_paths, sizeof (DpPath), G_STRUCT_OFFSET (DpPath, box), x0, x1);
  half->images = things_between (page->images, page->n_images, sizeof (DpImage), G_STRUCT_OFFSET (DpImage, box), x0, x1);
  half->unread = things_between (page->unread, page->n_unread, sizeof (DpRect), 0, x0, x1);
  *out = *page;
  out->width = x1 - x0;
  out->fold = 0;
  out->glyphs = (const DpGlyph *) (gconstpointer) half->glyphs->data, out->n_glyphs = half->glyphs->len;
  out->paths = (const DpPath *) (gconstpointer) half->paths->data, out->n_paths = half->paths->len;
  out->images = (const DpImage *) (gconstpointer) half->images->data, out->n_images = half->images->len;
  out->unread = (const DpRect *) (gconstpointer) half->unread->data, out->n_unread = half->unread->len;
  out->links = NULL, out->n_links = 0;
  out->notes = NULL, out->n_notes = 0;
  out->raster = NULL;
  out->backing = half;
  out->backing_free = half_free;
  return out;
}

GPtrArray *
dp_spreads_open (const GPtrArray *pages)
{
  GPtrArray *all = g_ptr_array_sized_new (pages->len);

  for (guint i = 0; i < pages->len; i++) {
    DpPageLayout *layout = g_ptr_array_index (pages, i);
    g_ptr_array_add (all, layout);
    if (!layout->facing)
      continue;
    layout->facing->number = layout->number | FACING;
    g_ptr_array_add (all, layout->facing);
  }
  return all;
}

guint
dp_spread_leaf (const DpPageLayout *layout)
{
  if (layout->number & FACING)
    return 2 * (layout->number & ~FACING) + 1;
  return layout->facing ? 2 * layout->number : layout->number;
}

/* ---- and back ------------------------------------------------------------------------------------------------- */

typedef struct {
  GHashTable *left; /* number of a facing page -> float *: where it begins */
} Folds;

static void
move (const Folds *folds, guint *page, DpRect *box)
{
  const float *left = *page & FACING ? g_hash_table_lookup (folds->left, GUINT_TO_POINTER (*page)) : NULL;

  if (!left)
    return;
  *page &= ~FACING;
  box->x0 += *left;
  box->x1 += *left;
}

static void
move_parts (const Folds *folds, GArray *parts)
{
  for (guint i = 0; parts && i < parts->len; i++)
    move (folds, &g_array_index (parts, DpTablePart, i).page, &g_array_index (parts, DpTablePart, i).box);
}

static gboolean
move_block (DpBlock *block, guint depth, gpointer data)
{
  const Folds *folds = data;

  (void) depth;
  for (guint i = 0; block->table && i < block->table->cells->len; i++) {
    guint page = block->page;
    move (folds, &page, &((DpCell *) g_ptr_array_index (block->table->cells, i))->box);
  }
  if (block->table)
    move_parts (folds, block->table->parts);
  move_parts (folds, block->parts);
  move (folds, &block->page, &block->box);
  return TRUE;
}

void
dp_spreads_close (const GPtrArray *pages, DpDocument *document)
{
  Folds folds = { NULL };

  for (guint i = 0; i < pages->len; i++) {
    const DpPageLayout *layout = g_ptr_array_index (pages, i);
    if (!layout->facing)
      continue;
    if (!folds.left)
      folds.left = g_hash_table_new (NULL, NULL);
    g_hash_table_insert (folds.left, GUINT_TO_POINTER (layout->facing->number), (gpointer) &layout->width);
  }
  if (!folds.left)
    return;
  dp_document_foreach (document, move_block, &folds);
  g_hash_table_unref (folds.left);
}
