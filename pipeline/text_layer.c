/* pipeline/text_layer.c - see text_layer.h. */
#include "pipeline/text_layer.h"

#include "output/output.h"

static void
add_words (GArray *words, const DpPageLayout *layout, float left, gboolean covered, gsize first_glyph)
{
  for (guint i = 0; i < layout->words->len; i++) {
    const DpWord *w = &g_array_index (layout->words, DpWord, i);
    const DpRect box = { w->box.x0 + left, w->box.y0, w->box.x1 + left, w->box.y1 };
    gsize length;
    const char *text = dp_word_text (layout, w, &length);
    const gboolean wanted = (covered || !w->hidden) && w->first_glyph >= first_glyph;
    const DpLayerWord word = { box, w->baseline, w->size, w->angle, wanted ? g_strndup (text, length) : NULL };

    if (wanted)
      g_array_append_val (words, word);
  }
}

GArray *
dp_text_layer_of (const DpPageLayout *layout, gboolean covered, gsize first_glyph)
{
  GArray *words = g_array_new (FALSE, TRUE, sizeof (DpLayerWord));

  g_array_set_clear_func (words, dp_layer_word_clear);
  add_words (words, layout, 0, covered, first_glyph);
  if (layout->facing)
    add_words (words, layout->facing, layout->width, covered, 0); /* read as a whole: all its glyphs are new */
  return words;
}
