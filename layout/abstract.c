/* layout/abstract.c - the abstract of a paper gets its heading.
 *
 * Papers name their abstract in a run-in face ("Abstract. We show ..."), where others give it
 * a line of its own.  It is a section either way, so the word becomes a heading at the level
 * of the sections that follow.  Only near the beginning, only in another face than the text.
 */
#include "layout/flow.h"

#include <string.h>

#define FIRST_BLOCKS 24u /* blocks of the document looked at */
#define MIN_TEXT 80      /* characters that an abstract has at least */

/* Bytes of "Abstract" with its dot, colon or dash at the start of text, 0 if there is none. */
static gsize
opening (const char *text, gsize *word)
{
  static const char *const words[] = { "abstract", "summary", "résumé", "zusammenfassung", "resumen", "摘要" };
  g_autofree char *folded = g_utf8_strdown (text, -1);

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++) {
    const char *p = folded + strlen (words[i]);
    gunichar c;
    if (!g_str_has_prefix (folded, words[i]))
      continue;
    while (*p == ' ')
      p++;
    c = g_utf8_get_char (p);
    if (c != '.' && c != ':' && c != 0xFF1A && c != 0x2014 && c != 0x2013 && c != '-')
      return 0;
    *word = strlen (words[i]);
    return (gsize) (g_utf8_next_char (p) - folded);
  }
  return 0;
}

/* Set off by its face: the first span is bold or italic and ends with the word, or the word is
 * set in capitals. */
static gboolean
stands_out (const DpBlock *block, const char *text, gsize word)
{
  const DpSpan *first = g_ptr_array_index (block->spans, 0);

  for (gsize i = 0; i < word; i++)
    if (g_ascii_islower (text[i]))
      return (first->style & (DP_SPAN_BOLD | DP_SPAN_ITALIC)) && strlen (first->text) < word + 8;
  return TRUE;
}

/* Level of the next section, or one below the title. */
static guint
section_level (const DpDocument *document, guint from)
{
  gboolean title = FALSE;

  for (guint i = from; i < document->blocks->len; i++) {
    const DpBlock *block = g_ptr_array_index (document->blocks, i);
    if (block->kind == DP_BLOCK_HEADING)
      return block->level;
  }
  for (guint i = 0; i < from; i++)
    title = title || ((const DpBlock *) g_ptr_array_index (document->blocks, i))->kind == DP_BLOCK_HEADING;
  return title ? 2 : 1;
}

void
dp_abstract_split (DpDocument *document)
{
  for (guint i = 0; i < document->blocks->len && i < FIRST_BLOCKS; i++) {
    DpBlock *outer = g_ptr_array_index (document->blocks, i), *block = outer, *heading;
    g_autofree char *text = NULL, *name = NULL;
    gsize word = 0, length;
    if (outer->kind == DP_BLOCK_QUOTE && outer->children->len)
      block = g_ptr_array_index (outer->children, 0);
    if (block->kind != DP_BLOCK_PARAGRAPH || block->spans->len == 0)
      continue;
    text = dp_spans_to_text (block->spans);
    length = opening (text, &word);
    if (length == 0 || g_utf8_strlen (text, -1) < MIN_TEXT || !stands_out (block, text, word))
      continue;
    heading = dp_block_new (DP_BLOCK_HEADING, block->page, block->box);
    heading->level = section_level (document, i);
    heading->source = block->source;
    heading->confidence = block->confidence;
    name = g_strndup (text, word);
    dp_block_add_text (heading, name, 0, NULL);
    dp_spans_drop (block->spans, length);
    g_ptr_array_insert (document->blocks, (gint) i, heading);
    return;
  }
}
