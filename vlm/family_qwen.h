/* vlm/family_qwen.h - what the families of Qwen's vision models have in common: the decoder's names, the chat, how matrices are called. */
#pragma once

#include "vlm/family.h"

G_BEGIN_DECLS

#define DP_QWEN_VISION_EPS 1e-6f   /* of all norms of the vision encoder; no key in config.json */
#define DP_QWEN_VISION_THETA 10000 /* of its 2-D rotary; no key either */

#define DP_QWEN_CHAT                                                                                                                       \
  {                                                                                                                                        \
    .before = "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\n", .image_before = "<|vision_start|>",        \
    .image_after = "<|vision_end|>", .after = "<|im_end|>\n<|im_start|>assistant\n"                                                        \
  }

/* Older and newer transformers' prefixes of the vision encoder, NULL at the end. */
extern const char *const dp_qwen_vision_prefixes[];

/* Fills model->decoder by the names of Qwen2. */
void dp_qwen_load_decoder (DpModel *model, DpWeights *weights);

/* AT NAME.weight [rows, cols] of the vision encoder, with AT NAME.bias or without. */
const DpWeight *dp_qwen_vision_matrix (DpWeights *weights, const char *at, const char *name, gboolean bias, guint32 uses, guint32 rows,
                                       guint32 cols);

/* Sizes are bounded by vlm/config.c; what is checked here is that the parts fit together and that no product overflows. */
gboolean dp_qwen_check (const DpModelConfig *config, GError **error);

/* Rows of embeddings of a grid: merge x merge patches each; and why a grid cannot be encoded, or NULL. */
guint32 dp_qwen_vision_rows (const DpModelConfig *config, const guint32 grid[3]);
const char *dp_qwen_vision_refuse (const DpModelConfig *config, const guint32 grid[3]);

/* Where the patches stand: cos and sin [side, head / 2], places [n, 2]. */
typedef struct {
  DpTensor cos, sin, places;
} DpQwenPlaces;

/* Attention of one block on x [n, width] within the sequences that end at ends, longest of them patches long; qkv [n, 3 width] is
 * a temporary whose first columns become the result, [n, width], which is returned. */
DpTensor dp_qwen_vision_attend (DpStream *stream, const DpVisionConfig *vision, DpTensor x, const DpWeight *weight, DpTensor qkv,
                                const DpQwenPlaces *at, DpTensor ends, guint32 longest);

G_END_DECLS
