/* ops/private.h - what the files of ops/ know of each other. Not for back ends, not for models. */
#pragma once

#include "ops/graph.h"

#include <string.h>

G_BEGIN_DECLS

/* A DpBackend as the program sees it: what the back end sees comes first. */
typedef struct {
  DpBackend base;
  DpBackendOptions options;
  DpBackend *reference;                 /* stands in for missing operators; NULL: memory not shared, or strict */
  guint32 logged[(DP_N_OPS + 31) / 32]; /* operators whose fallback the user has been told of; atomic bits */
  gboolean traced;
} DpOpened;

/* The reference that stands in for this back end's missing operators, or NULL. */
DpBackend *dp_backend_fallback (const DpBackend *backend);

typedef enum {
  DP_ROUTE_NATIVE,
  DP_ROUTE_FALLBACK,
  DP_ROUTE_MISSING,
} DpRoute;

/* Who runs a call; *why is a constant sentence unless native. */
DpRoute dp_call_route (DpBackend *backend, DpOp op, const void *args, const char **why);
void dp_log_fallback (DpBackend *backend, DpOp op, const char *why);

gboolean dp_op_table_has (const DpOpTable *table, DpOp op);
gsize dp_call_workspace (DpBackend *backend, DpOp op, const void *args);

/* Output size of a convolution; FALSE when the kernel does not fit. */
gboolean dp_conv2d_size (const DpConv2dArgs *args, guint32 *out_height, guint32 *out_width);

/* The sentence that is wrong about shapes and numbers of a call whose tensors are good, or NULL (ops/check_args.c). */
const char *dp_check_operator (DpOp op, const void *args);

/* Argument names and shapes of a call, for messages and traces. */
char *dp_call_describe (DpOp op, const void *args);

/* ---- recording (ops/stream.c) ---- */

typedef struct {
  DpOp op;
  gpointer args; /* copy, owned */
  gboolean fallback;
} DpRecorded;

typedef struct {
  GArray *calls;      /* DpRecorded */
  GPtrArray *temps;   /* DpBuffer *, virtual: neither host nor impl */
  GString *missing;   /* one line per missing operator; len 0: none */
  GHashTable *listed; /* of what is in missing */
  gboolean probe;     /* ask only, keep nothing */
} DpRecord;

void dp_record_init (DpRecord *record, gboolean probe);
void dp_record_clear (DpRecord *record);
/* Runs body on a recording stream into record; FALSE: an error in a call, or operators are missing. */
gboolean dp_record_run (DpRecord *record, DpBackend *backend, DpBody body, gpointer data, GError **error);

DpQueue *dp_stream_queue (DpStream *stream);
/* The reference's queue, opened on first use; NULL and the stream failed. */
DpQueue *dp_stream_reference_queue (DpStream *stream);
/* Runs one call (native or on the reference) with its workspace. */
gboolean dp_stream_run (DpStream *stream, DpOp op, const void *args, const DpWorkspace *workspace, gboolean fallback, GError **error);

/* Uploads the step's inputs and tells the back end; lowered: the graph about to run, or NULL. */
void dp_step_send (DpStream *stream, DpStep *step, gpointer lowered);

/* ---- trace (ops/trace.c) ---- */

/* DOCPARSE_TRACE names a file: opened by the first back end, finished by the last. */
gboolean dp_trace_enter (void);
void dp_trace_leave (void);
void dp_trace_call (const DpBackend *backend, const char *name, const char *mode, const DpCall *calls, guint n_calls, gint64 begin_ns,
                    gint64 end_ns);
gint64 dp_trace_now (void); /* monotonic nanoseconds */

G_END_DECLS
