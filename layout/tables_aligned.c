/* layout/tables_aligned.c - tables without rules; none is found yet. */
#include "layout/layout.h"

void
dp_layout_tables_aligned (DpPageLayout *layout)
{
  (void) layout;
}
