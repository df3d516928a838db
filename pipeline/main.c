/* pipeline/main.c - the door. */
#include <stdio.h>
#include <string.h>

#include "pipeline/pdf.h"

int
main (int argc, char **argv)
{
  if (argc > 1 && strcmp (argv[1], DP_PDF_CHILD_OPTION) == 0)
    return dp_pdf_child_main (argc, argv);
  printf ("docparse " DP_VERSION "\n");
  return 0;
}
