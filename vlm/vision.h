/* vlm/vision.h - pictures to embeddings: the vision encoder of a model, through ops/ only.
 *
 * Qwen2-VL: patch embedding (one product), blocks of layer norm, attention within the picture with 2-D rotary, layer norm, MLP
 * with quick GELU, then the merger (layer norm, 2x2 patches side by side, linear, GELU, linear).  One picture is one sequence of
 * the packed attention: pictures in a batch do not see each other, and a picture's rows do not depend on its neighbours.
 */
#pragma once

#include "vlm/image.h"
#include "vlm/model.h"

G_BEGIN_DECLS

/* Rows of embeddings that a picture of this grid (in patches: time, rows, columns) becomes. */
guint32 dp_vision_rows (const DpModel *model, const guint32 grid[3]);

/* Bytes of temporaries that encoding n_patches patches in one call needs, weights not counted: for admission.  Graphs that are kept
 * hold as much again for their grids, together at most 256 MiB or one picture. */
gsize dp_vision_bytes (const DpModel *model, guint32 n_patches);

/* Encodes one picture: out [dp_vision_rows (grid), hidden] of the activations' type, on the model's back end.  Issues on the
 * stream (errors stick to it) and releases its temporaries.  Uses a graph kept per grid unless the model is eager; graphs of
 * the most recent grids are kept. */
void dp_vision_encode (DpModel *model, DpStream *stream, const DpPatches *patches, DpTensor out);

/* From now on the graphs of all grids together keep at most so many bytes (256 MB at first); a grid that needs more than that
 * alone is encoded eagerly. Not while a picture is encoded. */
#define DP_VISION_KEEP ((gsize) 256 << 20)
void dp_vision_set_keep (DpModel *model, gsize bytes);

/* Bytes that graphs hold now. */
gsize dp_vision_kept (const DpModel *model);

G_END_DECLS
