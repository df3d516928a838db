/* ops/stream.h - how a model reaches a back end: devices, memory, weights, caches, streams.
 *
 * A stream carries operator calls to one back end, in order.  Errors stick to it, as with cairo: after the
 * first one every call is ignored, and dp_stream_sync tells.  Model code therefore issues a whole layer
 * without a check:
 *
 *   dp_rms_norm (s, ...); dp_qkv_linear (s, ...); ... if (!dp_stream_sync (s, &error)) ...
 *
 * Threads: a backend from any thread, a stream from one at a time.
 */
#pragma once

#include "ops/backend.h"

G_BEGIN_DECLS

/* ---- devices (ops/registry.c) ----------------------------------------------------------- */

/* Opens a device of the back end called name ("cpu", "reference", or a plug-in's); options may be NULL.
 * Close after everything made from it is freed. */
DpBackend *dp_backend_open (const char *name, const DpBackendOptions *options, GError **error);
/* Whether it could be opened as far as names and numbers go; an error that says why not. */
gboolean dp_backend_has_device (const char *name, guint device, GError **error);
/* What the opened device says of itself; zeros where it cannot say. */
void dp_backend_info (const DpBackend *backend, DpDeviceInfo *info);
void dp_backend_close (DpBackend *backend);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpBackend, dp_backend_close)

typedef struct {
  char *name;
  const DpBackendClass *klass; /* NULL if it could not be loaded */
  char *path;                  /* of the shared object; NULL: built in */
  GError *error;               /* why not */
} DpBackendEntry;

/* Every back end there is, built-in ones first, plug-ins by name; element type DpBackendEntry, freed with the array.
 * Plug-ins are looked for as libdocparse-NAME.so in the directories of DOCPARSE_BACKEND_PATH (colon separated,
 * absolute) and in LIBDIR/docparse; never in the current directory.  Files that others may write are refused. */
GPtrArray *dp_backend_list (void);

/* Whether a class has an operator at all. */
gboolean dp_backend_class_has (const DpBackendClass *klass, DpOp op);

/* ---- memory, weights, cache (ops/objects.c) ---------------------------------------------- */

/* size > 0 bytes, contents undefined. */
DpBuffer *dp_buffer_new (DpBackend *backend, gsize size, GError **error);
void dp_buffer_free (DpBuffer *buffer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpBuffer, dp_buffer_free)

/* Packs a matrix; the source's memory is free again afterwards.  Fails on shapes and sizes that do not fit together. */
DpWeight *dp_weight_new (DpBackend *backend, const DpWeightSource *source, GError **error);
void dp_weight_free (DpWeight *weight);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpWeight, dp_weight_free)

/* Packed weights as bytes, so that the next run need not pack.  layout: how this back end packs, NULL if it cannot tell.  save:
 * FALSE without an error when this weight cannot be saved (the reference stands in for one of its operators).  load: the weight
 * that gave packed.data, described by the public fields of `like`; the bytes, at a multiple of 4096, must outlive it. */
const char *dp_weight_layout (DpBackend *backend);
gboolean dp_weight_save (const DpWeight *weight, DpPackedWeight *packed, GError **error);
DpWeight *dp_weight_load (DpBackend *backend, const DpWeight *like, const DpPackedWeight *packed, GError **error);

/* Bytes of one page over all layers, for deciding n_pages (which is ignored); 0 if config is impossible. */
gsize dp_kv_page_bytes (DpBackend *backend, const DpKvConfig *config);
DpKv *dp_kv_new (DpBackend *backend, const DpKvConfig *config, GError **error); /* zeroed */
void dp_kv_free (DpKv *kv);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpKv, dp_kv_free)

/* ---- streams (ops/stream.c) --------------------------------------------------------------- */

DpStream *dp_stream_new (DpBackend *backend, GError **error);
void dp_stream_free (DpStream *stream); /* waits */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpStream, dp_stream_free)

DpBackend *dp_stream_backend (DpStream *stream);

/* Waits for everything issued.  FALSE: *error gets the first error since the last sync, and the stream is usable again. */
gboolean dp_stream_sync (DpStream *stream, GError **error);
/* Takes an error as if an operator had failed with it; the first one stays.  For code between operators: what it cannot do. */
void dp_stream_fail (DpStream *stream, GError *error);
/* From now on the stream asks the word at stop, which some other thread sets from 0 to 1 (g_atomic_int_set), for good: then what was
 * issued need not be finished, calls are ignored, and dp_stream_sync fails with DP_OPS_ERROR_STOPPED.  It must outlive the stream. */
void dp_stream_set_stop (DpStream *stream, const gint *stop);
/* Whether an error is waiting: for loops that should stop early.  Asynchronous errors show only at sync. */
gboolean dp_stream_failed (DpStream *stream);

/* Dense rows between host and tensor.  upload has read `from` when it returns; download fills `to` by the next sync.
 * size is the bytes of the host memory and must be dp_tensor_bytes.  Not while capturing. */
void dp_stream_upload (DpStream *stream, const DpTensor *to, const void *from, gsize size);
void dp_stream_download (DpStream *stream, void *to, const DpTensor *from, gsize size);
void dp_stream_copy_page (DpStream *stream, DpKv *kv, guint32 from, guint32 to);

/* A temporary, dense, contents undefined.  Eager: from the stream's own memory, which grows as needed; valid until
 * a mark taken before it is released (the work that uses it need not be finished).  Capturing: placed by the planner,
 * valid while the graph is.  On failure the stream fails and an absent tensor comes back. */
DpTensor dp_stream_temp (DpStream *stream, DpType type, guint32 rows, guint32 cols);
gsize dp_stream_mark (DpStream *stream);
void dp_stream_release (DpStream *stream, gsize mark);

/* Asks the back end about every call body makes, without running any.  FALSE: *error lists every operator that is
 * missing and why.  What the reference can stand in for is not missing, unless the back end was opened strict. */
typedef void (*DpBody) (DpStream *stream, gpointer data);
gboolean dp_backend_probe (DpBackend *backend, DpBody body, gpointer data, GError **error);

/* ---- step inputs (ops/step.c) -------------------------------------------------------------- */

/* What changes from step to step (token ids, positions, slots, block tables, lengths) lives in one block of device
 * memory with a copy on the host: one upload per step, and a graph never holds a host value of it. */
typedef struct {
  const char *name;
  DpType type; /* DP_I32 or DP_F32 */
  guint32 rows, cols;
  double padding; /* what every element is between steps: -1 for slots, 0 for lengths */
} DpStepField;

typedef struct DpStep DpStep;
DpStep *dp_step_new (DpBackend *backend, const DpStepField *fields, guint n_fields, GError **error);
void dp_step_free (DpStep *step);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpStep, dp_step_free)
DpTensor dp_step_tensor (const DpStep *step, guint field);
/* Row-major, dense, rows*cols elements; write what the step needs, then upload. */
gint32 *dp_step_i32 (DpStep *step, guint field);
float *dp_step_f32 (DpStep *step, guint field);
/* Every element back to its padding: call before filling, so that no row of a larger batch is left behind. */
void dp_step_reset (DpStep *step);
void dp_step_upload (DpStream *stream, DpStep *step);

G_END_DECLS
