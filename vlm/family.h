/* vlm/family.h - what a family of models gives, and what it is given: the page for whoever adds one.
 *
 * A family is one file, vlm/family_NAME.c, with one constant DpFamily that vlm/model.c lists.  It says
 *   - which model_type of config.json it is, and what of the configuration it cannot be (check);
 *   - the names of its tensors: load asks vlm/weights.h for every matrix and vector and puts them into the nets below;
 *   - its chat text;
 *   - its vision encoder (DpVisionFamily): what it needs for a grid, and the operators that it is made of.
 * What it gets for nothing: files, packing, quantising and the cache of packed weights (vlm/weights.c); the decoder with its
 * paged cache, choosing and graphs (vlm/decoder*.c); graphs per grid, uploads and memory of the vision encoder (vlm/vision.c);
 * everything in the engine.
 *
 * The decoder of vlm/decoder_net.c is the one that these families share: RMS norm before attention and before the feed-forward
 * part, grouped-query attention with optional biases and window, 1-D or M-RoPE, a gated feed-forward part.  A family whose
 * feed-forward part is another one (a mixture of experts) replaces just that: feed_forward.
 *
 * vlm/family_qwen25vl.c shows how much that is: RMS norms, a gated MLP and two sets of sequences (windows and whole pictures,
 * window_permute) in encode; what it has in common with Qwen2-VL is in vlm/family_qwen.c.  InternVL would have learned places, layer
 * scale and pixel shuffle (patch_merge) in encode.
 */
#pragma once

#include "vlm/model.h"
#include "vlm/weights.h"

G_BEGIN_DECLS

/* ---- what load fills ------------------------------------------------------------------------------------- */

typedef struct {
  DpTensor attention_norm, feed_norm; /* [1, hidden] */
  const DpWeight *qkv, *o;            /* rows: heads, kv_heads, kv_heads of head_dim */
  const DpWeight *gate_up, *down;     /* NULL where the family has a feed_forward of its own */
} DpDecoderLayer;

typedef struct {
  const DpWeight *embedding, *head; /* the same one when they are tied */
  DpDecoderLayer *layers;           /* config.text.layers of them, zeroed before load */
  DpTensor norm;                    /* [1, hidden] */
} DpDecoderNet;

/* ---- the vision encoder ------------------------------------------------------------------------------------ */

#define DP_VISION_FIELDS 8

/* One picture on its way. */
typedef struct {
  DpTensor patches; /* [n, dim] f32 */
  guint32 grid[3];  /* of patches: time, rows, columns; n is their product */
  DpStep *step;     /* the fields, filled and uploaded */
} DpVisionInput;

typedef struct {
  /* Rows of embeddings that a grid becomes. */
  guint32 (*rows) (const DpModelConfig *config, const guint32 grid[3]);
  /* Why a grid cannot be encoded (a constant sentence), or NULL. */
  const char *(*refuse) (const DpModelConfig *config, const guint32 grid[3]);
  /* What the encoder must know of a grid besides the patches: places, rotary tables, ends of sequences.  Names them and returns
   * how many, <= DP_VISION_FIELDS; fill then writes them.  They depend on nothing but config and grid. */
  guint (*fields) (const DpModelConfig *config, const guint32 grid[3], DpStepField fields[DP_VISION_FIELDS]);
  void (*fill) (const DpModelConfig *config, const guint32 grid[3], DpStep *step);
  /* Issues the encoder; out [rows, hidden].  Run eagerly and recorded: no copies from or to the host. */
  void (*encode) (const DpModel *model, DpStream *stream, const DpVisionInput *in, DpTensor out);
  /* Bytes of encode's temporaries for n patches, compute being the type of its hidden states. */
  gsize (*bytes) (const DpModelConfig *config, DpType compute, guint32 n);
} DpVisionFamily;

/* ---- the family -------------------------------------------------------------------------------------------- */

typedef struct {
  const char *name;
  const char *const *model_types; /* as in config.json, NULL at the end */
  DpChat chat;

  /* What in the configuration this family cannot be: FALSE with an error. */
  gboolean (*check) (const DpModelConfig *config, GError **error);
  /* Asks for every tensor and fills model->decoder and model->vision.  Errors stick to weights (vlm/weights.h): no checks here. */
  void (*load) (DpModel *model, DpWeights *weights);
  /* Frees model->vision; NULL: g_free. */
  void (*unload) (DpModel *model);

  /* y = the feed-forward part of layer on x [T, hidden], without the residual.  NULL: down (act (gate x) * up x). */
  void (*feed_forward) (const DpModel *model, DpStream *stream, guint32 layer, DpTensor x, DpTensor y);

  DpVisionFamily vision; /* all NULL: a family without pictures */
} DpFamily;

/* ---- a model in memory -------------------------------------------------------------------------------------- */

typedef struct DpVisionGraphs DpVisionGraphs; /* vlm/vision.c */

struct DpModel {
  DpModelConfig config;
  const DpFamily *family;
  DpTokenizer *tokenizer;
  DpBackend *backend;
  DpWeights *weights; /* owns every DpWeight and vector below */
  char *digest;
  gboolean eager;
  DpType residual; /* the sum that runs through all layers */
  DpType compute;  /* what goes into the decoder's products: bf16 where its weights are, else f32 */
  DpType vision_compute;
  DpDecoderNet decoder;
  gpointer vision; /* the family's own */
  DpVisionGraphs *vision_graphs;
  gsize vision_keep; /* bytes that these may hold */
};

/* y = act (x weight^T + bias) + residual with any kind of weight; residual may be absent. */
void dp_model_linear (DpStream *stream, DpTensor x, const DpWeight *weight, DpAct act, DpTensor residual, DpTensor y);

/* Asks the back end about every call of the decoder, of the vision encoder; called once when a model is loaded. */
gboolean dp_decoder_probe (DpModel *model, GError **error);
gboolean dp_vision_probe (DpModel *model, GError **error);

void dp_vision_graphs_free (DpVisionGraphs *graphs);

G_END_DECLS
