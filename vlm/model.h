/* vlm/model.h - a model in memory: configuration, tokenizer, packed weights, and the two things it can do.
 *
 * dp_model_load() reads a Hugging Face folder, finds the family that knows its model_type (vlm/model.c holds the register), lets
 * it name its tensors, and packs every matrix for one back end.  After that nobody asks which family it is:
 *
 *   vision   pictures -> rows of embeddings               (vlm/vision.h)
 *   decoder  rows of tokens and embeddings -> logits      (vlm/decoder.h)
 *
 * A family is one file, vlm/family_NAME.c, that states its differences: names and shapes of tensors, rotary, merger, activation,
 * chat text.  The engine (vlm/engine.h) and the parts above never change for a new one.
 */
#pragma once

#include "ops/graph.h"
#include "vlm/chat.h"
#include "vlm/config.h"
#include "vlm/tokenizer.h"

G_BEGIN_DECLS

typedef struct DpModel DpModel;

typedef struct {
  const char *device;      /* back end: "cpu" (NULL), "reference", a plug-in's name */
  guint index;             /* which of its devices, from 0 */
  guint threads;           /* 0: the back end decides */
  gboolean strict_backend; /* a missing operator is an error */
  gboolean strict_memory;  /* reference only: device memory is unreadable outside operators */
  gboolean eager;          /* no graphs */
  DpType weights;          /* what matrices are held as: DP_BF16, DP_F32, DP_I8, DP_I4; vlm/weights.h says which matrices */
  DpType activations;      /* the sum that runs through the layers: DP_F32 (0, default) or DP_BF16 */
  const char *cache_dir;   /* of packed weights; NULL: $XDG_CACHE_HOME/docparse, "": none is kept */
} DpModelLoad;

/* NULL with an error that names file and tensor, or every operator that the device lacks. */
DpModel *dp_model_load (const char *dir, const DpModelLoad *options, GError **error);
void dp_model_free (DpModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpModel, dp_model_free)

/* Borrowed, for the life of the model. */
const DpModelConfig *dp_model_config (const DpModel *model);
const DpTokenizer *dp_model_tokenizer (const DpModel *model);
DpBackend *dp_model_backend (const DpModel *model);
const char *dp_model_family (const DpModel *model); /* "qwen2_vl" */
const char *dp_model_digest (const DpModel *model); /* hex; the same for the same weights and configuration */
gsize dp_model_weight_bytes (const DpModel *model); /* device memory that the packed weights take */
gboolean dp_model_eager (const DpModel *model);
const DpChat *dp_model_chat (const DpModel *model); /* what stands around a question */
DpType dp_model_activations (const DpModel *model); /* of hidden states and of embeddings: DP_F32 or DP_BF16 */

G_END_DECLS
