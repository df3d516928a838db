/* vlm/weights_cache.h - packed weights in a file, so that only the first start packs.
 *
 * A file belongs to one key: a digest of what went in (the checkpoint) and of how it was packed (type, back end, layout,
 * versions).  It is written beside its place and renamed when it is whole, and mapped when it is read: the back end uses the map in
 * place, processes share it, and pages come in as they are needed.  Nothing in a file is believed: header and table have a SHA-256,
 * every weight a 64-bit sum over all of its bytes (at the speed of memory: SHA-256 would take longer than packing), sizes and
 * places are checked against the file.  One that fails a check is told of once and made anew.
 *
 *   0       header (below), zeros up to 4096
 *   4096    packed weights, each at a multiple of 4096
 *   table   an entry per weight in the order of asking
 *
 * The numbers are those of the machine that wrote it: the key is bound to it by the layout's name and the order of its bytes.
 */
#pragma once

#include "ops/stream.h"

G_BEGIN_DECLS

typedef struct DpWeightsCache DpWeightsCache;

/* The weights that dir keeps under key (64 hexadecimal digits); NULL: there are none that can be used (told, when damaged).
 * threads: how many check sums. */
DpWeightsCache *dp_weights_cache_open (const char *dir, const char *key, guint threads);
/* After the weights that were loaded from it. */
void dp_weights_cache_free (DpWeightsCache *cache);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpWeightsCache, dp_weights_cache_free)

guint dp_weights_cache_n (const DpWeightsCache *cache);
/* Weight number i if it is called name: its shape as dp_weight_load wants it, and its bytes. */
gboolean dp_weights_cache_get (const DpWeightsCache *cache, guint i, const char *name, DpWeight *like, DpPackedWeight *packed);

typedef struct DpWeightsWriter DpWeightsWriter;

/* NULL with an error when nothing can be written there (the folder is made).  What killed runs left there goes, and so do files
 * that nobody used for 60 days. */
DpWeightsWriter *dp_weights_writer_new (const char *dir, const char *key, GError **error);
gboolean dp_weights_writer_add (DpWeightsWriter *writer, const char *name, const DpWeight *weight, const DpPackedWeight *packed,
                                GError **error);
/* The file is whole and gets its name. */
gboolean dp_weights_writer_finish (DpWeightsWriter *writer, GError **error);
/* Unfinished, the file is gone. */
void dp_weights_writer_free (DpWeightsWriter *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpWeightsWriter, dp_weights_writer_free)

G_END_DECLS
