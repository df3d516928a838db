/* pipeline/text_layer.c - see text_layer.h. */
#include "pipeline/text_layer.h"

#include "output/output.h"

GArray *
dp_text_layer_of (const DpPageLayout *layout, gboolean covered, gsize first_glyph)
{
  GArray *words = g_array_new (FALSE, TRUE, sizeof (DpLayerWord));

  g_array_set_clear_func (words, dp_layer_word_clear);
  for (guint i = 0; i < layout->words->len; i++) {
    const DpWord *w = &g_array_index (layout->words, DpWord, i);
    gsize length;
    const char *text = dp_word_text (layout, w, &length);
    const gboolean wanted = (covered || !w->hidden) && w->first_glyph >= first_glyph;
    const DpLayerWord word = { w->box, w->baseline, w->size, w->angle, wanted ? g_strndup (text, length) : NULL };

    if (wanted)
      g_array_append_val (words, word);
  }
  return words;
}
