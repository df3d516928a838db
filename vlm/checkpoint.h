/* vlm/checkpoint.h - named tensors of a model in safetensors files, without copying them.
 *
 * Format (github.com/huggingface/safetensors): eight bytes little-endian length of a JSON header, the header
 * ({"name": {"dtype", "shape", "data_offsets": [begin, end]}, "__metadata__": {...}}), then the tensors without gap or overlap
 * up to the end of the file.  Everything a header says is checked before anything is believed: length, JSON size and depth,
 * names (no duplicates), dtypes, shapes (products cannot overflow), offsets (in bounds, ordered, exactly as long as the shape
 * says, contiguous).  A file that breaks a rule is refused with a sentence that names file and tensor.
 *
 * Data lives in a read-only memory map: pages come in as they are read and are shared between processes.  (As with any map,
 * a file that is cut short while it is in use ends the process: do not edit weights in place.)
 */
#pragma once

#include "ops/tensor.h"

G_BEGIN_DECLS

/* Element types as stored: those of ops/tensor.h under the same numbers, and two that only files have. */
typedef enum {
  DP_STORED_F32 = DP_F32,
  DP_STORED_F16 = DP_F16,
  DP_STORED_BF16 = DP_BF16,
  DP_STORED_I32 = DP_I32,
  DP_STORED_I8 = DP_I8,
  DP_STORED_U8 = DP_U8, /* BOOL is read as U8 */
  DP_STORED_I64 = DP_N_TYPES,
} DpStoredType;

#define DP_CHECKPOINT_DIMS 8

typedef struct {
  const char *name; /* NUL-terminated UTF-8 */
  const char *file; /* path of the file it is in */
  DpStoredType type;
  guint n_dims; /* 0: a scalar */
  guint64 shape[DP_CHECKPOINT_DIMS];
  guint64 elements;   /* product of shape; 1 for a scalar, 0 if a side is 0 */
  const guint8 *data; /* elements of type, little-endian; not necessarily aligned */
  gsize size;         /* bytes */
} DpCheckpointTensor;

typedef struct DpCheckpoint DpCheckpoint;

/* path: a .safetensors file, or a folder with model.safetensors, or with model.safetensors.index.json and the files that it
 * names (plain names inside the folder), or with exactly one *.safetensors.  NULL with an error otherwise. */
DpCheckpoint *dp_checkpoint_open (const char *path, GError **error);

/* One safetensors file in memory; label stands for its name in messages.  Keeps a reference to bytes. */
DpCheckpoint *dp_checkpoint_from_bytes (const char *label, GBytes *bytes, GError **error);

void dp_checkpoint_free (DpCheckpoint *checkpoint);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpCheckpoint, dp_checkpoint_free)

/* All tensors in the order of their names (bytewise). Borrowed, as the ones below, for the life of the checkpoint. */
guint dp_checkpoint_n (const DpCheckpoint *checkpoint);
const DpCheckpointTensor *dp_checkpoint_nth (const DpCheckpoint *checkpoint, guint i);

/* The tensor of a name, or NULL. */
const DpCheckpointTensor *dp_checkpoint_find (const DpCheckpoint *checkpoint, const char *name);

/* As find, but it must be there with exactly this shape; the error says which tensor of which file, and both shapes. */
const DpCheckpointTensor *dp_checkpoint_require (const DpCheckpoint *checkpoint, const char *name, guint n_dims, const guint64 *shape,
                                                 GError **error);

/* A string of the header's __metadata__ (first file that has it), or NULL. */
const char *dp_checkpoint_metadata (const DpCheckpoint *checkpoint, const char *key);

/* Bytes of one element, and "bf16" etc. */
gsize dp_stored_size (DpStoredType type);
const char *dp_stored_name (DpStoredType type);

/* Elements first .. first + n - 1 of any type but I64 as f32 into out (I32 is rounded to nearest).  The range must lie in the
 * tensor. */
void dp_checkpoint_read_f32 (const DpCheckpointTensor *tensor, guint64 first, guint64 n, float *out);

/* The same for whole numbers (I64, I32, I8, U8) as i64. FALSE for other types. */
gboolean dp_checkpoint_read_i64 (const DpCheckpointTensor *tensor, guint64 first, guint64 n, gint64 *out);

/* Tells the system that a tensor has been read: its pages leave this process (they come back if it is read again).  Without, a
 * model would count twice while it is loaded. */
void dp_checkpoint_release (const DpCheckpoint *checkpoint, const DpCheckpointTensor *tensor);

G_END_DECLS
