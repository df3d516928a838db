/* vlm/prompt.c - see the header. */
#include "vlm/prompt.h"

#include "vlm/error.h"
#include "vlm/rotary.h"

#include <string.h>

static gboolean
fail (GError **error, DpVlmError code, const char *message)
{
  g_set_error_literal (error, DP_VLM_ERROR, code, message);
  return FALSE;
}

static gboolean
sees_pictures (const DpModelConfig *config, const DpChat *chat)
{
  return chat->image_before && chat->image_after && config->tokens.image != DP_TOKEN_NONE;
}

static void
place (DpPrompt *p, guint32 rows, guint32 cols)
{
  const DpPromptPart parts[] = { { .n = p->image }, { .rows = rows, .cols = cols }, { .n = p->n - p->image - p->n_image } };

  p->positions = g_new (gint32, (gsize) p->n * p->axes);
  if (p->axes == 3)
    p->next = (gint32) (p->n_image ? dp_mrope_positions (parts, 3, p->positions)
                                   : dp_mrope_positions (&(DpPromptPart){ .n = p->n }, 1, p->positions));
  else {
    for (guint32 i = 0; i < p->n; i++)
      p->positions[i] = (gint32) i;
    p->next = (gint32) p->n;
  }
}

static void
append (gint32 *tokens, guint32 *n, const GArray *ids)
{
  for (guint32 i = 0; ids && i < ids->len; i++)
    tokens[(*n)++] = (gint32) g_array_index (ids, guint32, i);
}

/* The placeholder is an added token, at which a tokenizer cuts a text before it does anything else: what stands before and behind
 * it can be encoded apart.  A user's text that spells it out stays an ordinary token. */
gboolean
dp_prompt_build (const DpModelConfig *config, const DpTokenizer *tokenizer, const DpChat *chat, const char *text, guint32 rows,
                 guint32 cols, DpPrompt *out, GError **error)
{
  const guint64 n_image = (guint64) rows * cols;
  g_autofree char *head = n_image ? g_strconcat (chat->before, chat->image_before, NULL) : g_strdup ("");
  g_autofree char *tail = g_strconcat (n_image ? chat->image_after : chat->before, text, chat->after, NULL);
  g_autoptr (GArray) first = NULL, last = NULL;
  DpPrompt p = { .axes = config->text.mrope_sections[0] ? 3 : 1 };

  memset (out, 0, sizeof *out);
  if (n_image && !sees_pictures (config, chat))
    return fail (error, DP_VLM_ERROR_UNSUPPORTED, "This model reads text only, and the question has a picture");
  first = dp_tokenizer_encode (tokenizer, head, -1);
  last = dp_tokenizer_encode (tokenizer, tail, -1);
  if (!first->len && !last->len)
    return fail (error, DP_VLM_ERROR_INPUT, "The question has no text that the model knows");
  if (first->len + last->len + n_image > config->text.max_positions) {
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT,
                 "The question has %u tokens of text and %" G_GUINT64_FORMAT " of its picture, more than the %u that the model reads",
                 first->len + last->len, n_image, config->text.max_positions);
    return FALSE;
  }
  p.image = first->len;
  p.n_image = (guint32) n_image;
  p.tokens = g_new (gint32, first->len + last->len + p.n_image);
  append (p.tokens, &p.n, first);
  for (guint32 i = 0; i < p.n_image; i++)
    p.tokens[p.n++] = (gint32) config->tokens.image;
  append (p.tokens, &p.n, last);
  place (&p, rows, cols);
  *out = p;
  return TRUE;
}

void
dp_prompt_clear (DpPrompt *prompt)
{
  g_free (prompt->tokens);
  g_free (prompt->positions);
  memset (prompt, 0, sizeof *prompt);
}
