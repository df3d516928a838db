/* layout/rules.c - paths -> rules and cell fills; nothing is a rule yet. */
#include "layout/layout.h"

void
dp_layout_rules (DpPageLayout *layout, const DpPage *page)
{
  (void) layout;
  (void) page;
}
