/* layout/typewriter.c - in a document that is typed on a typewriter, the typewriter face says nothing.
 *
 * Court papers, RFCs and old reports are set in Courier throughout.  Their prose and their tables are no code, so
 * the face is forgotten wherever it is the rule; listings have been found before by other marks.
 */
#include "layout/flow.h"

#include <string.h>

typedef struct {
  gsize mono, all; /* bytes */
} Share;

static void
count_spans (const GPtrArray *spans, Share *share)
{
  for (guint i = 0; i < spans->len; i++) {
    const DpSpan *span = g_ptr_array_index (spans, i);
    const gsize n = strlen (span->text);

    share->all += n;
    share->mono += span->style & DP_SPAN_MONO ? n : 0;
  }
}

static gboolean
count_block (DpBlock *block, guint depth, gpointer data)
{
  (void) depth;
  count_spans (block->spans, data);
  for (guint i = 0; block->table && i < block->table->cells->len; i++)
    count_spans (((const DpCell *) g_ptr_array_index (block->table->cells, i))->spans, data);
  return TRUE;
}

/* Neighbours that differed in the face only become one; a line that begins with a break stays apart. */
static void
forget_face (GPtrArray *spans)
{
  for (guint i = spans->len; i-- > 0;) {
    DpSpan *span = g_ptr_array_index (spans, i), *next = i + 1 < spans->len ? g_ptr_array_index (spans, i + 1) : NULL;

    span->style &= ~(guint) DP_SPAN_MONO;
    if (next && next->style == (span->style & ~(guint) DP_SPAN_BREAK) && g_strcmp0 (next->uri, span->uri) == 0) {
      char *joined = g_strconcat (span->text, next->text, NULL);
      g_free (span->text);
      span->text = joined;
      g_ptr_array_remove_index (spans, i + 1);
    }
  }
}

static gboolean
forget_in_block (DpBlock *block, guint depth, gpointer data)
{
  (void) depth;
  (void) data;
  forget_face (block->spans);
  for (guint i = 0; block->table && i < block->table->cells->len; i++)
    forget_face (((const DpCell *) g_ptr_array_index (block->table->cells, i))->spans);
  return TRUE;
}

void
dp_typewriter_forget (DpDocument *document)
{
  Share share = { 0 };

  dp_document_foreach (document, count_block, &share);
  if (share.mono * 10 > share.all * 7)
    dp_document_foreach (document, forget_in_block, NULL);
}
