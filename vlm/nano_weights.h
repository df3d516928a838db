/* vlm/nano_weights.h - the built-in model's files, which are part of the program (internal to vlm/).
 *
 * They lie in its read-only data, so that pages come in as they are read, are shared between processes, and nothing has to be
 * found at run time.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  const char *name;
  const guint8 *data;
  gsize size;
} DpNanoFile;

/* "config.json", "tokenizer.json" or "model.safetensors" as it was when the program was built; aligned to 64 bytes. */
DpNanoFile dp_nano_file (const char *name);

G_END_DECLS
