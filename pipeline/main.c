/* pipeline/main.c - the door. */
#include <stdio.h>

int
main (void)
{
  printf ("docparse " DP_VERSION "\n");
  return 0;
}
