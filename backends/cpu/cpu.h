/* backends/cpu/cpu.h - what the files of this back end know of each other.
 *
 * An operator is one function that every thread of the team walks through, eager or inside a graph:
 *
 *   static void                                           // the work: items first .. last-1
 *   norm_rows (gpointer data, gsize first, gsize last, guint thread) { const DpRmsNormArgs *a = data; ... }
 *
 *   static void
 *   rms_norm (const DpCpuTask *task, const void *args)
 *   {
 *     dp_cpu_for (task, a->x.rows, 8, norm_rows, (gpointer) args);
 *   }
 *   const DpCpuOperator dp_cpu_op_rms_norm = { .run = rms_norm };
 *
 * Rules
 *  - Outside of work functions an operator reads only its arguments (shapes, pointers), never what tensors hold:
 *    a thread that lost its core may walk through an operator long after the others have finished it.
 *  - dp_cpu_wait between two loops when the second needs what the first wrote; none after the last loop, the
 *    caller sees to that.
 *  - An operator with .then takes dp_cpu_for_last for its last loop: a graph hangs small operators onto its end.
 *  - Everything written outside the outputs lies in task->scratch, whose size `space` has told.
 *  - Results do not depend on how items are cut or on the number of threads, bit for bit.
 *
 * Arithmetic lives in isa/: one source, an object per instruction set, reached through task->cpu->kernels.
 */
#pragma once

#include "backends/cpu/isa/arith.h"
#include "backends/cpu/isa/attention.h"
#include "backends/cpu/isa/gemm.h"
#include "backends/cpu/isa/narrow.h"
#include "backends/cpu/isa/row.h"
#include "backends/cpu/isa/tile.h"
#include "backends/cpu/team.h"
#include "ops/backend.h"

G_BEGIN_DECLS

/* ---- instruction sets (cpuid.c) -------------------------------------------------------------- */

typedef struct {
  const char *name;
  const DpGemmKernels *gemm;
  const DpRowKernels *row;
  const DpArithKernels *arith;
  const DpAttentionKernels *attention;
  const DpTileKernels *tile;
  const DpNarrowKernels *narrow;
} DpCpuKernels;

/* The best this processor can run; the environment variable DOCPARSE_CPU_ISA names a lesser one (for tests). */
const DpCpuKernels *dp_cpu_kernels (void);
/* All this processor can run, the best last. */
guint dp_cpu_kernels_list (const DpCpuKernels *list[4]);

/* ---- the back end (backend.c) ---------------------------------------------------------------- */

typedef struct {
  DpTeam *team;
  guint n_threads; /* of the team */
  gint busy;       /* the team is taken by a stream; others run on their own thread alone */
  const DpCpuKernels *kernels;
  gsize weight_bytes; /* of all weights there are; atomic */
} DpCpu;

static inline DpCpu *
dp_cpu (const DpBackend *backend)
{
  return backend->impl;
}

/* Nobody waits for the team: whoever cannot have it does the work alone. */
static inline gboolean
dp_cpu_take_team (DpCpu *cpu)
{
  return !__atomic_exchange_n (&cpu->busy, 1, __ATOMIC_ACQUIRE);
}

static inline void
dp_cpu_give_team (DpCpu *cpu)
{
  __atomic_store_n (&cpu->busy, 0, __ATOMIC_RELEASE);
}

/* One thread's view of an operator under way. */
typedef struct {
  const DpCpu *cpu;
  DpTeam *team;     /* NULL: this thread does everything */
  guint thread;     /* 0 .. n_threads-1 */
  guint n_threads;  /* 1 without a team */
  guint8 *scratch;  /* DP_ALIGN aligned, shared by the threads; undefined contents */
  const gint *stop; /* DpQueue.stop: once it is set, loops do nothing more */
  DpTeamThen then;  /* what follows the last loop, on the thread that finishes it; NULL: nothing */
  gpointer then_data;
} DpCpuTask;

/* Every thread of the team is awake, so none is left without a chunk. */
static inline gsize
dp_cpu_chunk (const DpCpuTask *task, gsize n, gsize chunk)
{
  return MIN (chunk, (n + task->n_threads - 1) / task->n_threads);
}

static inline gboolean
dp_cpu_stopped (const gint *stop)
{
  return stop && __atomic_load_n (stop, __ATOMIC_ACQUIRE);
}

/* A loop that asks before each chunk whether it is to go on: one over a large page takes seconds.  Items that are left out are
 * counted as done.  Whoever waits for them sees the word as well: nothing is computed from what was not written. */
typedef struct {
  const gint *stop;
  DpTeamWork work;
  gpointer data;
} DpCpuWatched;

void dp_cpu_watched (gpointer watched, gsize first, gsize last, guint thread);

/* Chunks that one thread alone takes between two questions. */
#define DP_CPU_ALONE 16

static inline void
dp_cpu_for (const DpCpuTask *task, gsize n, gsize chunk, DpTeamWork work, gpointer data)
{
  DpCpuWatched w = { task->stop, work, data };
  const gsize step = task->stop ? DP_CPU_ALONE * MAX (chunk, 1) : n;

  if (task->team)
    dp_team_share (task->team, task->thread, n, dp_cpu_chunk (task, n, chunk), task->stop ? dp_cpu_watched : work, task->stop ? &w : data);
  else
    for (gsize first = 0; first < n && !dp_cpu_stopped (task->stop); first += step)
      work (data, first, MIN (first + step, n), task->thread);
}

static inline void
dp_cpu_for_last (const DpCpuTask *task, gsize n, gsize chunk, DpTeamWork work, gpointer data)
{
  DpCpuWatched w = { task->stop, work, data };

  if (task->team)
    dp_team_share_then (task->team, task->thread, n, dp_cpu_chunk (task, n, chunk), task->stop ? dp_cpu_watched : work,
                        task->stop ? &w : data, task->then, task->then_data);
  else
    dp_cpu_for (task, n, chunk, work, data);
}

static inline void
dp_cpu_wait (const DpCpuTask *task)
{
  if (task->team)
    dp_team_wait (task->team, task->thread);
}

typedef struct {
  void (*run) (const DpCpuTask *task, const void *args);
  /* bytes of scratch; n_threads: what task->n_threads will be at most. NULL: none */
  gsize (*space) (const DpCpu *cpu, guint n_threads, const void *args);
  /* why this call cannot run here, a constant sentence, or NULL.  NULL: everything can */
  const char *(*refuse) (const void *args);
  gboolean then; /* minds task->then */
} DpCpuOperator;

/* Every operator there is, a line each; what is missing is done by the reference back end. */
/* clang-format off */
#define DP_CPU_OPERATORS(X) \
  X (rms_norm, RMS_NORM, RmsNorm) \
  X (add_rms_norm, ADD_RMS_NORM, AddRmsNorm) \
  X (layer_norm, LAYER_NORM, LayerNorm) \
  X (add_layer_norm, ADD_LAYER_NORM, AddLayerNorm) \
  X (linear, LINEAR, Linear) \
  X (qkv_linear, QKV_LINEAR, QkvLinear) \
  X (gate_up_silu, GATE_UP_SILU, GateUpSilu) \
  X (weight_quant_matmul, WEIGHT_QUANT_MATMUL, WeightQuantMatmul) \
  X (lm_head_argmax, LM_HEAD_ARGMAX, LmHeadArgmax) \
  X (dynamic_quant, DYNAMIC_QUANT, DynamicQuant) \
  X (linear_w8a8, LINEAR_W8A8, LinearW8a8) \
  X (rms_norm_w8a8, RMS_NORM_W8A8, RmsNormW8a8) \
  X (add_rms_norm_w8a8, ADD_RMS_NORM_W8A8, AddRmsNormW8a8) \
  X (apply_rotary, APPLY_ROTARY, ApplyRotary) \
  X (prefill_attention, PREFILL_ATTENTION, PrefillAttention) \
  X (paged_prefill_attention, PAGED_PREFILL_ATTENTION, PagedPrefillAttention) \
  X (paged_decode_attention, PAGED_DECODE_ATTENTION, PagedDecodeAttention) \
  X (fill_kv_cache, FILL_KV_CACHE, FillKvCache) \
  X (silu_and_mul, SILU_AND_MUL, SiluAndMul) \
  X (gelu, GELU, Gelu) \
  X (quick_gelu, QUICK_GELU, QuickGelu) \
  X (gelu_and_mul, GELU_AND_MUL, GeluAndMul) \
  X (moe_gating_topk, MOE_GATING_TOPK, MoeGatingTopk) \
  X (fused_moe, FUSED_MOE, FusedMoe) \
  X (conv2d, CONV2D, Conv2d) \
  X (patch_merge, PATCH_MERGE, PatchMerge) \
  X (scatter_rows, SCATTER_ROWS, ScatterRows) \
  X (window_permute, WINDOW_PERMUTE, WindowPermute) \
  X (resize, RESIZE, Resize) \
  X (embedding, EMBEDDING, Embedding) \
  X (logits_penalty, LOGITS_PENALTY, LogitsPenalty) \
  X (ngram_ban, NGRAM_BAN, NgramBan) \
  X (sample, SAMPLE, Sample) \
  X (ctc_argmax, CTC_ARGMAX, CtcArgmax)
/* clang-format on */

#define X(name, NAME, Name) extern const DpCpuOperator dp_cpu_op_##name;
DP_CPU_OPERATORS (X)
#undef X

/* NULL: not there. */
const DpCpuOperator *dp_cpu_operator (DpOp op);

/* Zeroed memory at a multiple of DP_ALIGN, in large pages when it is large; free with the same size. */
gpointer dp_cpu_alloc (gsize size, GError **error);
void dp_cpu_free (gpointer memory, gsize size);

static inline gsize
dp_cpu_round_up (gsize size)
{
  return (size + DP_ALIGN - 1) / DP_ALIGN * DP_ALIGN;
}

/* ---- rows ------------------------------------------------------------------------------------------ */

/* n elements from column col of a row of a float tensor, as f32. */
static inline void
dp_cpu_load (const DpCpu *cpu, const DpTensor *t, guint32 row, guint32 col, guint32 n, float *out)
{
  const guint8 *p = (const guint8 *) dp_tensor_row (t, row) + (gsize) col * dp_type_size (t->type);
  cpu->kernels->row->load[t->type](p, out, n);
}

static inline void
dp_cpu_store (const DpCpu *cpu, const DpTensor *t, guint32 row, guint32 col, guint32 n, const float *from)
{
  guint8 *p = (guint8 *) dp_tensor_row (t, row) + (gsize) col * dp_type_size (t->type);
  cpu->kernels->row->store[t->type](from, p, n);
}

G_END_DECLS
