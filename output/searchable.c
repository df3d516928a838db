/* output/searchable.c - a PDF of page pictures in which text can be searched and selected.
 *
 * cairo cannot write PDF's invisible text (render mode 3), and leaves text out that is drawn without
 * any ink.  So the words are drawn first, in black, each stretched to the place where it stands on the page, and
 * the picture of the page is painted over them: readers of PDF find and select the text that they cannot see.  The
 * font is whatever "sans-serif" is here; only its characters matter (ToUnicode), and those that it lacks keep
 * theirs through /ActualText.
 */
#include <math.h>
#include <string.h>

#include "output/pdf_file.h"

#define LARGEST_TYPE 1000.0
#define HAIR 0.01 /* points */

typedef struct {
  const DpDocument *document;
  DpOverlayPage page_picture;
  DpTextLayer page_words;
  gpointer data;
} Searchable;

static gboolean
is_drawable (const DpLayerWord *word)
{
  const DpRect b = word->box;

  return word->text && *word->text && isfinite (b.x0) && isfinite (b.y0) && isfinite (b.x1) && isfinite (b.y1) && isfinite (word->baseline)
         && b.x1 > b.x0 && b.y1 > b.y0 && word->size > 0 && word->size < LARGEST_TYPE && g_utf8_validate (word->text, -1, NULL);
}

/* Moves to where the word begins and turns to its direction; returns how long it has to be. */
static double
stand_at (cairo_t *cr, const DpLayerWord *word)
{
  const DpRect b = word->box;

  switch (word->angle) {
  case 90:
    cairo_translate (cr, word->baseline, b.y0);
    cairo_rotate (cr, G_PI / 2);
    return b.y1 - b.y0;
  case 180:
    cairo_translate (cr, b.x1, word->baseline);
    cairo_rotate (cr, G_PI);
    return b.x1 - b.x0;
  case 270:
    cairo_translate (cr, word->baseline, b.y1);
    cairo_rotate (cr, -G_PI / 2);
    return b.y1 - b.y0;
  default: cairo_translate (cr, b.x0, word->baseline); return b.x1 - b.x0;
  }
}

static void
draw_word (cairo_t *cr, const DpLayerWord *word)
{
  cairo_text_extents_t extents;

  cairo_save (cr);
  const double length = stand_at (cr, word);
  cairo_set_font_size (cr, word->size);
  cairo_text_extents (cr, word->text, &extents);
  if (extents.x_advance > 0.01 * word->size) {
    cairo_scale (cr, CLAMP (length / extents.x_advance, 0.02, 50), 1);
    cairo_move_to (cr, 0, 0);
    cairo_show_text (cr, word->text);
  }
  cairo_restore (cr);
}

/* Over all of the page but a hair: under a fill of the whole page cairo forgets what was drawn. */
static void
paint_white (cairo_t *cr, double width, double height)
{
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_rectangle (cr, HAIR, HAIR, width - 2 * HAIR, height - 2 * HAIR);
  cairo_fill (cr);
}

static void
draw_pages (cairo_t *cr, gpointer data)
{
  const Searchable *s = data;

  for (guint i = 0; i < s->document->pages->len && cairo_status (cr) == CAIRO_STATUS_SUCCESS; i++) {
    const DpPageInfo *info = &g_array_index (s->document->pages, DpPageInfo, i);
    const double width = dp_pdf_side (info->width, 0), height = dp_pdf_side (info->height, 0);
    const GArray *words = s->page_words (info, s->data);
    cairo_surface_t *picture = s->page_picture (info, s->data);

    cairo_pdf_surface_set_size (cairo_get_target (cr), width, height);
    cairo_select_font_face (cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_source_rgb (cr, 0, 0, 0);
    for (guint w = 0; words && w < words->len; w++)
      if (is_drawable (&g_array_index (words, DpLayerWord, w)))
        draw_word (cr, &g_array_index (words, DpLayerWord, w));
    if (!picture)
      paint_white (cr, width, height);
    dp_pdf_paint_picture (cr, picture, width, height);
    cairo_show_page (cr);
    g_clear_pointer (&picture, cairo_surface_destroy);
  }
}

gboolean
dp_output_searchable_stream (const DpDocument *document, DpOverlayPage page_picture, DpTextLayer page_words, gpointer data,
                             cairo_write_func_t write, gpointer closure, GError **error)
{
  Searchable searchable = { document, page_picture, page_words, data };

  return dp_pdf_draw_stream (draw_pages, &searchable, "the searchable PDF", write, closure, error);
}

gboolean
dp_output_searchable (const DpDocument *document, DpOverlayPage page_picture, DpTextLayer page_words, gpointer data, const char *path,
                      GError **error)
{
  Searchable searchable = { document, page_picture, page_words, data };

  return dp_pdf_draw_file (draw_pages, &searchable, "the searchable PDF", path, error);
}

void
dp_layer_word_clear (gpointer word)
{
  g_clear_pointer (&((DpLayerWord *) word)->text, g_free);
}
