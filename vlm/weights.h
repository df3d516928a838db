/* vlm/weights.h - from a checkpoint's tensors to matrices that a back end has packed.
 *
 * A family asks for one matrix after the other; rows of several tensors may be stacked (query, key, value).  Errors stick, as on
 * a stream: after load, dp_weights_finish() tells of every tensor that is missing or has another shape.
 *
 * What is held as what: matrices of the decoder as the type asked for; with DP_I4 its embedding and head as DP_I8 (4 bits cost
 * too much there); the vision encoder as DP_BF16 with DP_I8 and DP_I4 too, since its products are bound by arithmetic, which bf16
 * does faster.  Integers have a scale per 64 columns, DP_I4 also a zero.  Vectors (norms) are f32.
 *
 * Packed matrices are kept on disk (vlm/weights_cache.h) when the back end can say what it packed.  The key is the SHA-256 of the
 * model's digest (vlm/model.c), of name, size and time of change of every file of the checkpoint, of the type asked for and the
 * group, and of the back end's name, version and layout.  A cache that cannot be written costs a message, never the model.
 */
#pragma once

#include "ops/stream.h"
#include "vlm/checkpoint.h"

G_BEGIN_DECLS

#define DP_WEIGHTS_GROUP 64 /* columns per scale of integer weights */

typedef struct DpWeights DpWeights;

typedef enum {
  DP_PART_DECODER,
  DP_PART_EMBEDDING, /* and head */
  DP_PART_VISION,
} DpModelPart;

/* Rows that stand on top of one another in a matrix; bias may be NULL for all of them or for some (zeros). */
typedef struct {
  const char *weight, *bias; /* names of tensors */
  guint32 rows;
} DpStacked;

/* hold: DpModelLoad.weights.  checkpoint is borrowed until dp_weights_finish().  digest: of checkpoint and configuration;
 * cache_dir: where packed weights are kept, NULL: nowhere. */
DpWeights *dp_weights_new (DpBackend *backend, const DpCheckpoint *checkpoint, DpType hold, const char *digest, const char *cache_dir,
                           GError **error);
/* Frees all matrices and vectors. */
void dp_weights_free (DpWeights *weights);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpWeights, dp_weights_free)

/* The first of the prefixes (NULL at the end) under which the checkpoint has a tensor prefix + name; the first one if none has. */
const char *dp_weights_prefix (DpWeights *weights, const char *const *prefixes, const char *name);
gboolean dp_weights_has (DpWeights *weights, const char *name);
/* A name that lives as long as weights. */
const char *dp_weights_name (DpWeights *weights, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* The matrix [sum of rows, cols] of n <= 3 tensors, whose shapes must be [rows, ...] with a product of cols.  uses: DpWeightUse.
 * NULL after an error. */
const DpWeight *dp_weights_matrix (DpWeights *weights, DpModelPart part, guint32 uses, guint32 cols, const DpStacked *stack, guint n);
/* A vector as [1, n] f32 on the device; absent after an error. */
DpTensor dp_weights_vector (DpWeights *weights, const char *name, guint32 n);

/* After the last matrix.  FALSE with everything that went wrong. */
gboolean dp_weights_finish (DpWeights *weights, GError **error);

/* Whether all matrices came from the cache. */
gboolean dp_weights_cached (const DpWeights *weights);

/* What matrices of a part are held as. */
DpType dp_weights_type (DpType hold, DpModelPart part);
/* Device memory of all matrices and vectors so far. */
gsize dp_weights_bytes (const DpWeights *weights);

G_END_DECLS
