/* layout/flow_spans.c - lines become spans of a block: joined at line ends, labels cut off. */
#include "layout/flow.h"
#include "layout/text.h"

#include <string.h>

#define INLINE_STYLES (DP_SPAN_BOLD | DP_SPAN_ITALIC | DP_SPAN_MONO | DP_SPAN_UNDERLINE)

static GPtrArray *
line_spans (const DpFlow *flow, const DpFlowLine *line, gboolean brk)
{
  GPtrArray *spans = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_span_free);
  const DpPageLayout *layout = dp_flow_page (flow, line)->layout;

  for (guint i = 0; i < line->n_frags; i++) {
    const DpLine *fragment = &g_array_index (layout->lines, DpLine, g_array_index (flow->frags, guint, line->first_frag + i));
    if (spans->len) {
      DpSpan *last = g_ptr_array_index (spans, spans->len - 1);
      char *spaced = g_strconcat (last->text, " ", NULL);
      g_free (last->text);
      last->text = spaced;
    }
    dp_words_to_spans (layout, fragment->first_word, fragment->n_words, spans, brk && i == 0);
  }
  return spans;
}

/* Changes the end of the last span to what must stand before next (a hyphen goes, a space comes). */
static void
join_ends (const DpFlow *flow, DpSpan *last, const char *next)
{
  gsize n = strlen (last->text);
  char *end = NULL;

  switch (dp_text_joint (last->text, (gssize) n, next)) {
  case DP_JOINT_SPACE:
    if (n == 0 || last->text[n - 1] == ' ' || next[0] == ' ')
      return;
    end = g_strconcat (last->text, " ", NULL);
    break;
  case DP_JOINT_DROP_HYPHEN:
    if (n == 0 || dp_hyphens_keep (flow->hyphens, last->text, n, next))
      return;
    end = g_strndup (last->text, (gsize) (g_utf8_find_prev_char (last->text, last->text + n) - last->text));
    break;
  default:
    if (n == 0 || !dp_hyphens_drop_in_capitals (flow->hyphens, last->text, n, next))
      return;
    end = g_strndup (last->text, (gsize) (g_utf8_find_prev_char (last->text, last->text + n) - last->text));
    break;
  }
  g_free (last->text);
  last->text = end;
}

void
dp_flow_add_line (const DpFlow *flow, const DpFlowLine *line, DpBlock *block, gboolean styled, gboolean brk)
{
  g_autoptr (GPtrArray) spans = line_spans (flow, line, brk && block->spans->len > 0);
  DpSpan *last = block->spans->len ? g_ptr_array_index (block->spans, block->spans->len - 1) : NULL;

  if (spans->len == 0)
    return;
  if (last && !brk)
    join_ends (flow, last, ((DpSpan *) g_ptr_array_index (spans, 0))->text);
  for (guint i = 0; i < spans->len; i++) {
    const DpSpan *span = g_ptr_array_index (spans, i);
    dp_block_add_text (block, span->text, styled ? span->style : span->style & ~(guint) INLINE_STYLES, span->uri);
  }
}

void
dp_spans_drop (GPtrArray *spans, gsize bytes)
{
  while (spans->len) {
    DpSpan *span = g_ptr_array_index (spans, 0);
    gsize n = strlen (span->text), from = MIN (bytes, n);
    while (bytes <= n && (span->text[from] == ' ' || span->text[from] == '\t'))
      from++;
    if (from < n) {
      memmove (span->text, span->text + from, n - from + 1);
      span->style &= ~(guint) DP_SPAN_BREAK;
      return;
    }
    bytes -= MIN (bytes, n);
    g_ptr_array_remove_index (spans, 0);
  }
}

void
dp_spans_drop_end (GPtrArray *spans, gsize bytes)
{
  while (spans->len) {
    DpSpan *span = g_ptr_array_index (spans, spans->len - 1);
    gsize n = strlen (span->text), keep = n - MIN (bytes, n);
    while (bytes <= n && keep > 0 && (span->text[keep - 1] == ' ' || span->text[keep - 1] == '\t'))
      keep--;
    bytes -= MIN (bytes, n);
    if (keep > 0) {
      span->text[keep] = '\0';
      return;
    }
    g_ptr_array_remove_index (spans, spans->len - 1);
  }
}
