/* vlm/protocols/text.c - what of text.h is too long for a header. */
#include "vlm/protocols/text.h"

#include <string.h>

const char *
dp_protocol_find_pair (const char *p, const char *end, const char *open, const char *close, gboolean more, DpSpan *inner)
{
  const char *start = p < end ? g_strstr_len (p, end - p, open) : NULL, *from = start ? start + strlen (open) : NULL, *stop;

  if (!from)
    return NULL;
  const char *least = more && from < end ? g_utf8_next_char (from) : from;
  stop = least < end ? g_strstr_len (least, end - least, close) : NULL;
  if (!stop)
    return NULL;
  *inner = dp_span (from, (gsize) (stop - from));
  return start;
}
