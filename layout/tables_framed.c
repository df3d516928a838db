/* layout/tables_framed.c - tables between horizontal rules; none is found yet. */
#include "layout/layout.h"

void
dp_layout_tables_framed (DpPageLayout *layout)
{
  (void) layout;
}
