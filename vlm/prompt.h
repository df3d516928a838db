/* vlm/prompt.h - a question as the decoder reads it: chat text around it, placeholders for its picture, rotary positions.
 *
 * Which text stands around a question is the family's (vlm/chat.h); positions are those of vlm/rotary.h.
 */
#pragma once

#include "vlm/chat.h"
#include "vlm/config.h"
#include "vlm/tokenizer.h"

G_BEGIN_DECLS

typedef struct {
  guint32 n;              /* tokens */
  guint32 axes;           /* 3 with M-RoPE, else 1 */
  gint32 *tokens;         /* [n], owned; a picture's rows are its placeholder */
  gint32 *positions;      /* [n * axes], owned */
  gint32 next;            /* position of the first token of the answer, on all axes; then it counts on */
  guint32 image, n_image; /* rows image .. image + n_image - 1 are the picture's; n_image 0: none */
} DpPrompt;

/* rows x cols: of the picture after merging (what the decoder sees of it), 0 x 0 without one.  FALSE with an error where the family
 * sees no pictures, the tokenizer lacks its placeholder, or the prompt would be longer than the decoder's positions. */
gboolean dp_prompt_build (const DpModelConfig *config, const DpTokenizer *tokenizer, const DpChat *chat, const char *text, guint32 rows,
                          guint32 cols, DpPrompt *out, GError **error);

/* Frees what it owns, leaves zeros. */
void dp_prompt_clear (DpPrompt *prompt);

G_END_DECLS
