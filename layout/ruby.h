/* layout/ruby.h - readings set beside ideographs. */
#pragma once

#include "layout/layout.h"

G_BEGIN_DECLS

/* Marks words (DpWord.aside) that tell how to read the ideographs below them, in vertical writing to their left: furigana, bopomofo.
 * To be called before lines are formed. */
void dp_layout_ruby (DpPageLayout *layout);

G_END_DECLS
