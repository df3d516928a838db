/* layout/addresses.c - see addresses.h.
 *
 * TeX sets "https : / / www . example . org" where an address may be divided, and a line ends behind "https:" or a dot as well as
 * behind a word.  A link says what its address is: where its text says the same without the blanks, there are none.
 */
#include "layout/addresses.h"

#include <string.h>

#define SHORTEST 6u /* bytes of what is compared: a word is no address */

static gboolean
is_blank (char c)
{
  return c == ' ' || c == '\n' || c == '\t';
}

/* Without blanks, the scheme that readers know by heart, and a slash or stop at the end. */
static char *
bare_address (const char *text)
{
  static const char *const schemes[] = { "https://", "http://", "mailto:" };
  g_autoptr (GString) bare = g_string_new (NULL);
  const char *from;

  for (const char *p = text; *p; p++)
    if (!is_blank (*p))
      g_string_append_c (bare, *p);
  while (bare->len && strchr ("/.", bare->str[bare->len - 1]))
    g_string_truncate (bare, bare->len - 1);
  from = bare->str;
  for (gsize i = 0; i < G_N_ELEMENTS (schemes); i++)
    if (g_ascii_strncasecmp (bare->str, schemes[i], strlen (schemes[i])) == 0)
      from = bare->str + strlen (schemes[i]);
  return g_strdup (from);
}

/* first: whether blanks at the beginning stand before the address, last: those at the end behind it. */
static void
drop_blanks (DpSpan *span, gboolean first, gboolean last)
{
  gsize from = 0, to = strlen (span->text), n;

  while (first && from < to && is_blank (span->text[from]))
    from++;
  while (last && to > from && is_blank (span->text[to - 1]))
    to--;
  n = from;
  for (gsize i = from; i < to; i++)
    if (!is_blank (span->text[i]))
      span->text[n++] = span->text[i];
  memmove (span->text + n, span->text + to, strlen (span->text + to) + 1);
}

static void
close_addresses (GPtrArray *spans)
{
  for (guint i = 0, end; i < spans->len; i = end) {
    const char *uri = ((const DpSpan *) g_ptr_array_index (spans, i))->uri;
    g_autoptr (GString) text = g_string_new (NULL);
    for (end = i; end < spans->len && g_strcmp0 (((const DpSpan *) g_ptr_array_index (spans, end))->uri, uri) == 0; end++)
      g_string_append (text, ((const DpSpan *) g_ptr_array_index (spans, end))->text);
    if (!uri)
      continue;
    g_autofree char *shown = bare_address (text->str), *target = bare_address (uri);
    if (strlen (shown) < SHORTEST || strcmp (shown, target) != 0)
      continue;
    for (guint k = i; k < end; k++)
      drop_blanks (g_ptr_array_index (spans, k), k == i, k + 1 == end);
  }
}

static void
close_in_blocks (const GPtrArray *blocks)
{
  for (guint i = 0; i < blocks->len; i++) {
    const DpBlock *block = g_ptr_array_index (blocks, i);
    close_addresses (block->spans);
    for (guint c = 0; block->table && c < block->table->cells->len; c++)
      close_addresses (((const DpCell *) g_ptr_array_index (block->table->cells, c))->spans);
    close_in_blocks (block->children);
  }
}

void
dp_document_close_addresses (DpDocument *document)
{
  close_in_blocks (document->blocks);
}
