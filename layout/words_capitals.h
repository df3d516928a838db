/* layout/words_capitals.h - inside words.c: small capitals. */
#pragma once

#include "layout/layout.h"

G_BEGIN_DECLS

/* Capitals of two sizes of one face, side by side: a big initial and small capitals, or such
 * and a hyphen. */
gboolean dp_glyphs_small_capitals (const DpGlyph *a, const DpGlyph *b);

typedef struct {
  guint word; /* index into DpPageLayout.words */
  float size; /* of its small capitals */
} DpSmallCapitals;

/* Words all in small capitals beside words with a big initial (found: DpSmallCapitals, in order)
 * become lower case like the rest of those. */
void dp_words_lower_capitals (DpPageLayout *layout, const GArray *found);

G_END_DECLS
