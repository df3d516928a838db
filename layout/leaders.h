/* layout/leaders.h - dot leaders: "Title . . . . . 12" is one line, however wide its gaps. */
#pragma once

#include "layout/word_grid.h"

G_BEGIN_DECLS

/* Whether the gap between two neighbours on a baseline, a left of b, belongs to a row of leader dots: between a title and the
 * dots, between the dots, or between them and the page number behind. */
gboolean dp_leaders_join (const DpPageLayout *layout, const DpWordGrid *grid, const DpWordView *a, const DpWordView *b);

G_END_DECLS
