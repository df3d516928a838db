/* ops/backend.h - what a back end is: the page for whoever adds a chip.
 *
 * A back end is one constant DpBackendClass: memory, packed weights, a KV cache, queues, the
 * operators of ops/ops.h, and if it likes its own form of a captured graph.  Built-in classes
 * are listed in ops/registry.c; others are shared objects `libdocparse-NAME.so` that export one
 * symbol, dp_plugin_entry (bottom of this file).  tests/ops/plugin/ is a complete small one.
 * `docparse selftest --device NAME` is the acceptance test.
 *
 * Host code (ops/) owns every struct declared here and fills its public fields; the back end
 * owns what hangs on `impl`.  A class may leave out what is marked optional.
 *
 * Rules
 *  - Arguments arrive checked: shapes, types, ranges, buffer bounds, aliasing (ops/check.c).
 *  - A back end object may be used from any thread, a queue from one thread at a time.
 *  - Functions with a GError return FALSE and set it on failure, in words a user can act on
 *    (vendor code included); they never abort, exit, print or throw.
 *  - No operator allocates: workspace() is asked beforehand, by the planner for a graph and by the
 *    stream for an eager call.
 *  - Uploads have read their source when they return; downloads, operators and launches may run on
 *    until queue_sync.
 *  - Shared objects are never unloaded.
 *
 * The split class/instance is GObject's without the type system; struct_size first and "append only"
 * are the rules of PJRT's C API.
 */
#pragma once

#include "ops/ops.h"

G_BEGIN_DECLS

/* Major: must be equal.  Minor: what was appended; missing members are treated as absent. */
#define DP_BACKEND_ABI_MAJOR 1
#define DP_BACKEND_ABI_MINOR 2 /* 1: weight_layout, weight_save, weight_load; 2: DpQueue.stop */

typedef struct DpBackendClass DpBackendClass;

/* Inline, so that a plug-in needs nothing of the program but these headers. */
static inline GQuark
dp_ops_error_quark (void)
{
  return g_quark_from_static_string ("dp-ops-error-quark");
}
#define DP_OPS_ERROR (dp_ops_error_quark ())

typedef enum {
  DP_OPS_ERROR_ARGUMENT,    /* a call breaks the operator's contract: a bug in model code */
  DP_OPS_ERROR_UNSUPPORTED, /* the back end lacks an operator, a type, a layout */
  DP_OPS_ERROR_MEMORY,      /* no device memory left */
  DP_OPS_ERROR_DEVICE,      /* the device or its driver failed */
  DP_OPS_ERROR_NOT_FOUND,   /* no such back end or device */
  DP_OPS_ERROR_PLUGIN,      /* a plug-in cannot be loaded */
  DP_OPS_ERROR_STOPPED,     /* the stream was told to stop: dp_stream_set_stop */
} DpOpsError;

/* One opened device. */
typedef struct {
  const DpBackendClass *klass;
  gpointer impl; /* the back end's own */
} DpBackend;

typedef struct {
  gsize struct_size;
  guint device;            /* 0 .. n_devices-1 */
  guint n_threads;         /* 0: the back end decides */
  gboolean strict_backend; /* a missing operator is an error, never done by the reference */
  gboolean strict_memory;  /* device memory is unreadable outside operators (reference only) */
} DpBackendOptions;

typedef struct {
  gsize struct_size;
  char name[128];                  /* UTF-8 */
  gsize memory_total, memory_free; /* bytes; 0: not known */
  gsize max_buffer;                /* largest single buffer in bytes; 0: no limit of its own */
  guint kv_page_size;              /* tokens per KV page it likes best */
  guint32 activation_types;        /* DP_TYPE_BIT set of what its operators like as x and y */
} DpDeviceInfo;

struct DpBuffer {
  DpBackend *backend;
  gsize size;    /* bytes */
  guint8 *host;  /* where the CPU sees it; NULL unless the class has DP_BACKEND_HOST_MEMORY */
  gpointer impl; /* the back end's own */
};

/* A queue runs operators in order. */
typedef struct {
  DpBackend *backend;
  gpointer impl;
  /* Since minor 2.  NULL, or a word that is 0 until all work is to end and then stays 1 (atomic; set from any thread).  A back end may leave
   * out whatever it has not done by then, in the middle of a graph too: nobody looks at the results. */
  const gint *stop;
} DpQueue;

/* Scratch memory an operator asked for; offset is a multiple of DP_ALIGN. Contents are undefined. */
typedef struct {
  DpBuffer *buffer;
  gsize offset, size;
} DpWorkspace;

/* ---- weights -------------------------------------------------------------------------- */

/* What a weight will be used for, so that it can be laid out for it. */
typedef enum {
  DP_USE_LINEAR = 1 << 0,      /* linear, linear_w8a8, weight_quant_matmul */
  DP_USE_QKV = 1 << 1,         /* qkv_linear */
  DP_USE_GATE_UP = 1 << 2,     /* gate_up_silu */
  DP_USE_LM_HEAD = 1 << 3,     /* lm_head_argmax */
  DP_USE_EMBEDDING = 1 << 4,   /* embedding; with DP_USE_LM_HEAD: tied */
  DP_USE_CONV = 1 << 5,        /* conv2d */
  DP_USE_MOE_GATE_UP = 1 << 6, /* fused_moe */
  DP_USE_MOE_DOWN = 1 << 7,
} DpWeightUse;

/* A matrix on the host, read only while it is packed (usually a view of the mapped checkpoint). */
typedef struct {
  const char *name;       /* for messages: "model.layers.3.mlp.down_proj" */
  guint32 uses;           /* DpWeightUse set */
  guint32 n;              /* matrices: 1, or the number of experts */
  guint32 rows, cols;     /* of each: out, in */
  guint32 type;           /* DpType of data: f32 f16 bf16 i8 i4 (i4: each row starts on a byte) */
  guint32 hold;           /* DpType to keep: f32 f16 bf16 (converted, rounded once); for i8 and i4 the same type */
  guint32 group;          /* i8, i4: columns per scale; 0: one scale per row (required for linear_w8a8) */
  const void *data;       /* n * rows * cols elements */
  gsize data_size;        /* bytes, checked against the shape */
  const float *scales;    /* i8, i4: n * rows * ceil (cols/group) */
  const float *zeros;     /* i8, i4: alike, optional: w = (q - zero) * scale; an i4 q is 0..15, without zeros q - 8 */
  const float *bias;      /* n * rows, optional */
  const float *row_scale; /* n * rows, optional, float types only: multiplies each row (a folded batch norm) */
} DpWeightSource;

struct DpWeight {
  DpBackend *backend;
  guint32 uses, n, rows, cols; /* as in the source */
  guint32 type;                /* what it is held as */
  guint32 group;
  gboolean has_bias, has_zeros;
  gsize bytes;        /* device memory it takes; the back end sets it */
  gpointer impl;      /* the back end's own; it may keep row shards */
  DpWeight *fallback; /* the same packed for the reference, when an operator of `uses` is missing */
};

/* A packed weight as bytes, to be kept in a file between runs. */
typedef struct {
  const void *data;
  gsize size;
} DpPackedWeight;

/* ---- KV cache -------------------------------------------------------------------------- */

typedef struct {
  guint32 n_layers, n_pages, page_size; /* page_size in tokens; page 0 is for padding, the engine never hands it out */
  guint32 n_kv_heads, head_dim, head_dim_v;
  gboolean v_in_k; /* values are the first head_dim_v elements of the keys (MLA) */
  guint32 type;    /* DpType: f32 f16 bf16, or i8 with a scale per token and head */
} DpKvConfig;

struct DpKv {
  DpBackend *backend; /* who lays it out and runs its operators */
  DpKvConfig config;
  gpointer impl;
};

/* ---- operators ------------------------------------------------------------------------- */

/* A NULL member is an operator the back end does not have. */
typedef struct {
  gsize struct_size;
#define X(id, name, NAME, Name)                                                                                                            \
  gboolean (*name) (DpQueue * queue, const Dp##Name##Args *args, const DpWorkspace *workspace, GError **error);
  DP_OPS (X)
#undef X
} DpOpTable;

/* ---- graphs ---------------------------------------------------------------------------- */

/* One recorded call. args point to Dp##Name##Args that live as long as the graph. */
typedef struct {
  DpOp op;
  const void *args;
} DpCall;

/* A sequence of calls the back end has something better for.  The planner tries patterns at each call, longest
 * first, and uses the first whose operators match and whose supports agrees. */
typedef struct {
  const char *name; /* for traces: "qkv+rotary+kv" */
  const DpOp *ops;
  guint n_ops; /* >= 2 */
  /* calls[0..n_ops-1] match by operator; check here how their tensors hang together */
  gboolean (*supports) (DpBackend *backend, const DpCall *calls);
  gsize (*workspace) (DpBackend *backend, const DpCall *calls); /* optional */
  /* optional when graph_lower is there */
  gboolean (*run) (DpQueue *queue, const DpCall *calls, const DpWorkspace *workspace, GError **error);
} DpPattern;

typedef struct {
  const DpCall *calls;
  guint n_calls;            /* 1, or those of the pattern */
  const DpPattern *pattern; /* NULL: a single call */
  gboolean fallback;        /* runs on the reference through DpPlan.reference (shared memory only) */
  gboolean barrier;         /* needs results of a node since the last barrier (or overwrites what one of them reads) */
  DpWorkspace workspace;
} DpPlanNode;

/* What capture leaves behind: every tensor has its final place in memory. */
typedef struct {
  gsize struct_size;
  const DpPlanNode *nodes;
  guint n_nodes;
  DpBuffer *arena;    /* all temporaries and workspaces */
  DpQueue *reference; /* NULL without fallback nodes */
} DpPlan;

/* Monotonic nanoseconds of a node's run, for traces. */
typedef struct {
  gint64 begin, end;
} DpNodeTime;

/* ---- the class -------------------------------------------------------------------------- */

typedef enum {
  DP_BACKEND_HOST_MEMORY = 1 << 0, /* buffers have .host: the reference can stand in for missing operators */
  DP_BACKEND_ASYNC = 1 << 1,       /* work is still running when an operator returns */
} DpBackendFlags;

struct DpBackendClass {
  gsize struct_size;       /* sizeof (DpBackendClass) as the back end was built */
  const char *name;        /* [a-z0-9_]+; what --device takes */
  const char *description; /* one line */
  const char *version;     /* of the back end and what it found below it */
  const char *licence;     /* SPDX */
  guint32 flags;           /* DpBackendFlags */

  guint (*n_devices) (void); /* 0: no such hardware here */
  gboolean (*device_info) (guint device, DpDeviceInfo *info, GError **error);

  gboolean (*open) (DpBackend *backend, const DpBackendOptions *options, GError **error);
  void (*close) (DpBackend *backend);

  gboolean (*buffer_new) (DpBackend *backend, DpBuffer *buffer, GError **error); /* buffer->size is set, > 0 */
  void (*buffer_free) (DpBackend *backend, DpBuffer *buffer);

  gboolean (*weight_pack) (DpBackend *backend, DpWeight *weight, const DpWeightSource *source, GError **error);
  void (*weight_free) (DpBackend *backend, DpWeight *weight);

  /* optional, all or none, together with the three operators on a cache */
  gsize (*kv_page_bytes) (DpBackend *backend, const DpKvConfig *config); /* one page, all layers; 0: not possible */
  gboolean (*kv_new) (DpBackend *backend, DpKv *kv, GError **error);     /* kv->config is set; contents zero */
  void (*kv_free) (DpBackend *backend, DpKv *kv);
  gboolean (*kv_copy_page) (DpQueue *queue, DpKv *kv, guint32 from, guint32 to, GError **error); /* all layers */

  gboolean (*queue_new) (DpBackend *backend, DpQueue *queue, GError **error);
  void (*queue_free) (DpBackend *backend, DpQueue *queue);
  gboolean (*queue_sync) (DpQueue *queue, GError **error); /* wait; report what went wrong since the last time */

  /* Dense host rows (cols elements each, no gaps) to and from a tensor. */
  gboolean (*upload) (DpQueue *queue, const DpTensor *to, const void *from, GError **error);
  gboolean (*download) (DpQueue *queue, void *to, const DpTensor *from, GError **error);

  /* The operators.  supports (optional: all that ops has): may this call run here?  Only shapes, types and scalar
   * fields count; buffers may be absent or virtual.  *why gets a constant string when not.  Asked when a model is loaded or a graph
   * captured, and before an eager call: cheap and without side effects.  workspace (optional: 0): bytes for this call. */
  const DpOpTable *ops;
  gboolean (*supports) (DpBackend *backend, DpOp op, const void *args, const char **why);
  gsize (*workspace) (DpBackend *backend, DpOp op, const void *args);

  /* Graphs; all optional.  Without graph_lower a captured graph runs node by node through ops. */
  const DpPattern *patterns;
  guint n_patterns;
  gboolean (*graph_lower) (DpBackend *backend, const DpPlan *plan, gpointer *lowered, GError **error);
  gboolean (*graph_launch) (DpQueue *queue, gpointer lowered, DpNodeTime *times, GError **error); /* times: n_nodes, or NULL */
  void (*graph_free) (DpBackend *backend, gpointer lowered);
  /* For kernels that want lengths on the host: the host copy of the step inputs, before each eager step (lowered NULL)
   * and each replay.  buffer is where the same bytes lie on the device. */
  gboolean (*graph_step) (DpQueue *queue, gpointer lowered, const DpBuffer *buffer, const guint8 *host, gsize size, GError **error);

  /* Since minor 1.  Packed weights that outlive the process; optional, all or none.  weight_layout names how weights are packed
   * here: bytes are only exchanged between runs of the same version that give the same name.  weight_save: the bytes of a weight,
   * valid as long as it is.  weight_load is weight_pack from such bytes: they are read only, begin at a multiple of 4096 and stay
   * until weight_free; the public fields of weight are set.  The program has checked that the bytes are those that were saved. */
  const char *(*weight_layout) (DpBackend *backend);
  gboolean (*weight_save) (DpBackend *backend, const DpWeight *weight, DpPackedWeight *packed, GError **error);
  gboolean (*weight_load) (DpBackend *backend, DpWeight *weight, const DpPackedWeight *packed, GError **error);
};

/* Whether a class built against an older header has a member at all, and has filled it. */
#define DP_CLASS_HAS(klass, member)                                                                                                        \
  (G_STRUCT_OFFSET (DpBackendClass, member) + sizeof ((klass)->member) <= (klass)->struct_size && (klass)->member)

/* First element of a row of a tensor in host memory; only inside operators. */
static inline void *
dp_tensor_row (const DpTensor *t, guint32 row)
{
  return t->buffer->host + t->offset + (gsize) row * t->stride * dp_type_size (t->type);
}

/* ---- plug-ins --------------------------------------------------------------------------- */

/* What the program offers to a plug-in. */
typedef struct {
  gsize struct_size;
  guint32 abi_major, abi_minor;
  void (*log) (const char *backend, const char *message); /* a warning the user should see; UTF-8, one line */
  const DpBackendClass *(*find_class) (const char *name); /* a built-in class ("reference"), or NULL */
} DpHost;

/* Filled by the plug-in. */
typedef struct {
  gsize struct_size;            /* set by the program: fill no more than this */
  guint32 abi_major, abi_minor; /* DP_BACKEND_ABI_* of the header it was built with */
  const DpBackendClass *klass;  /* lives for ever */
} DpPluginInfo;

/* The one exported symbol.  FALSE with an error: the back end cannot be used here, and why.  Called once, from
 * any thread; must not start threads or touch a device: that is open's work. */
#define DP_PLUGIN_SYMBOL "dp_plugin_entry"
typedef gboolean (*DpPluginEntry) (const DpHost *host, DpPluginInfo *info, GError **error);

G_END_DECLS
