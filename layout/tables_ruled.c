/* layout/tables_ruled.c - tables with a full grid of rules; none is found yet. */
#include "layout/layout.h"

void
dp_layout_tables_ruled (DpPageLayout *layout)
{
  (void) layout;
}
