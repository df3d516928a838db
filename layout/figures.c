/* layout/figures.c - pictures and charts; none is found yet. */
#include "layout/layout.h"

void
dp_layout_figures (DpPageLayout *layout, const DpPage *page)
{
  (void) layout;
  (void) page;
}
