/* backends/cpu/split.c - a decode step cut into slices of its sequences (graph.h).
 *
 * Every operator of a decode step treats its rows one by one, so a slice is the same list of calls on fewer rows.
 * What has to be proved, here and once, is that slices share nothing one of them writes: temporaries get an arena of
 * their own; in other buffers each sequence must keep to the same bytes throughout; and in the cache no sequence may
 * write a page that another reads, which only the step's own slots and block tables can tell.
 */
#include "backends/cpu/graph.h"
#include "ops/schema.h"

#include <string.h>

/* Weights that the last-level cache cannot hold are better read by all threads together. */
#define MOST_WEIGHT_BYTES ((double) (32 << 20))

/* Sequences in a slice that reads the weights at full speed. */
#define SLICE_ROWS 8

/* The index tensors that say which pages a layer's calls touch. */
typedef struct {
  const DpTensor *slots, *table, *lens;
  guint32 page_size, n_pages;
} Pages;

struct DpCpuSplit {
  guint n_steps, n_slices;
  DpCpuSlice *slices;
  GArray *pages;  /* Pages, without repetition */
  guint32 *owner; /* [pages of the cache] sequence + 1 that writes a page in this step */
};

/* ---- which calls can be cut ----------------------------------------------------------------------------- */

static gboolean
is_row_wise (DpOp op)
{
  switch (op) {
  case DP_OP_RMS_NORM:
  case DP_OP_ADD_RMS_NORM:
  case DP_OP_LAYER_NORM:
  case DP_OP_ADD_LAYER_NORM:
  case DP_OP_LINEAR:
  case DP_OP_QKV_LINEAR:
  case DP_OP_GATE_UP_SILU:
  case DP_OP_WEIGHT_QUANT_MATMUL:
  case DP_OP_LM_HEAD_ARGMAX:
  case DP_OP_DYNAMIC_QUANT:
  case DP_OP_LINEAR_W8A8:
  case DP_OP_RMS_NORM_W8A8:
  case DP_OP_ADD_RMS_NORM_W8A8:
  case DP_OP_APPLY_ROTARY:
  case DP_OP_PAGED_DECODE_ATTENTION:
  case DP_OP_FILL_KV_CACHE:
  case DP_OP_SILU_AND_MUL:
  case DP_OP_GELU:
  case DP_OP_QUICK_GELU:
  case DP_OP_GELU_AND_MUL:
  case DP_OP_MOE_GATING_TOPK:
  case DP_OP_FUSED_MOE:
  case DP_OP_EMBEDDING:
  case DP_OP_LOGITS_PENALTY:
  case DP_OP_NGRAM_BAN:
  case DP_OP_SAMPLE: return TRUE;
  default: return FALSE;
  }
}

/* Arguments that all rows share. */
static gboolean
is_shared (const DpField *field)
{
  static const char *const names[] = { "weight", "bias", "cos", "sin" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (field->name, names[i]))
      return TRUE;
  return FALSE;
}

/* Number of sequences of the step; 0: there is no attention to tell. */
static guint32
batch_of (const DpPlan *plan)
{
  for (guint i = 0; i < plan->n_nodes; i++)
    if (plan->nodes[i].calls[0].op == DP_OP_PAGED_DECODE_ATTENTION)
      return ((const DpPagedDecodeAttentionArgs *) plan->nodes[i].calls[0].args)->q.rows;
  return 0;
}

static gboolean
is_sliceable (const DpCall *call, guint32 batch)
{
  const DpSchema *schema = dp_schema (call->op);
  guint32 rows = 0;

  if (!is_row_wise (call->op))
    return FALSE;
  if (call->op == DP_OP_APPLY_ROTARY && !((const DpApplyRotaryArgs *) call->args)->positions.buffer)
    return FALSE; /* a row's place in the batch is its position */
  for (guint f = 0; f < schema->n_fields; f++) {
    const DpTensor *t = dp_field_tensor (&schema->fields[f], call->args);
    if (!t || !t->buffer || is_shared (&schema->fields[f]))
      continue;
    if (t->rows % batch || (rows && t->rows != rows))
      return FALSE;
    rows = t->rows;
  }
  return TRUE;
}

/* ---- memory outside the arena ---------------------------------------------------------------------------- */

typedef struct {
  DpTensor tensor;
  gboolean write, shared;
} Access;

/* Bytes from one sequence to the next, and those of one sequence. */
static gsize
sequence_stride (const DpTensor *t, guint32 batch)
{
  return (gsize) (t->rows / batch) * t->stride * dp_type_size (t->type);
}

static gsize
sequence_span (const DpTensor *t, guint32 batch)
{
  return ((gsize) (t->rows / batch - 1) * t->stride + t->cols) * dp_type_size (t->type);
}

/* Whether two accesses keep every sequence to itself. */
static gboolean
is_harmless (const Access *a, const Access *b, guint32 batch)
{
  if ((!a->write && !b->write) || !dp_tensor_overlap (&a->tensor, &b->tensor))
    return TRUE;
  if (a->shared || b->shared)
    return FALSE;
  gsize stride = sequence_stride (&a->tensor, batch), first = MIN (a->tensor.offset, b->tensor.offset);
  return stride == sequence_stride (&b->tensor, batch) && a->tensor.offset + sequence_span (&a->tensor, batch) <= first + stride
         && b->tensor.offset + sequence_span (&b->tensor, batch) <= first + stride;
}

static void
collect (const DpPlan *plan, GArray *accesses)
{
  for (guint i = 0; i < plan->n_nodes; i++) {
    const DpCall *call = &plan->nodes[i].calls[0];
    const DpSchema *schema = dp_schema (call->op);
    for (guint f = 0; f < schema->n_fields; f++) {
      const DpField *field = &schema->fields[f];
      const DpTensor *t = dp_field_tensor (field, call->args);
      if (!t || !t->buffer || t->buffer == plan->arena)
        continue;
      Access access = { *t, field->role != DP_ROLE_IN, is_shared (field) };
      gboolean known = FALSE;
      for (guint a = 0; a < accesses->len && !known; a++)
        known = memcmp (&g_array_index (accesses, Access, a), &access, sizeof access) == 0;
      if (!known)
        g_array_append_val (accesses, access);
    }
  }
}

static gboolean
memory_is_harmless (const DpPlan *plan, guint32 batch)
{
  g_autoptr (GArray) accesses = g_array_new (FALSE, FALSE, sizeof (Access));

  collect (plan, accesses);
  for (guint a = 0; a < accesses->len; a++)
    for (guint b = a; b < accesses->len; b++)
      if (!is_harmless (&g_array_index (accesses, Access, a), &g_array_index (accesses, Access, b), batch))
        return FALSE;
  return TRUE;
}

/* ---- pages of the cache ------------------------------------------------------------------------------------ */

/* An index tensor must hold its values before the graph starts, else nobody can look at them. */
static gboolean
is_input (const DpPlan *plan, const DpTensor *t)
{
  if (t->buffer == plan->arena)
    return FALSE;
  for (guint i = 0; i < plan->n_nodes; i++) {
    const DpCall *call = &plan->nodes[i].calls[0];
    const DpSchema *schema = dp_schema (call->op);
    for (guint f = 0; f < schema->n_fields; f++) {
      const DpTensor *other = dp_field_tensor (&schema->fields[f], call->args);
      if (other && other->buffer && schema->fields[f].role != DP_ROLE_IN && dp_tensor_overlap (other, t))
        return FALSE;
    }
  }
  return TRUE;
}

static gboolean
add_pages (const DpPlan *plan, GArray *pages, const DpTensor *slots, const DpPagedDecodeAttentionArgs *a)
{
  Pages p = { slots, &a->block_table, &a->kv_lens, a->kv->config.page_size, a->kv->config.n_pages };

  for (guint i = 0; i < pages->len; i++) {
    const Pages *known = &g_array_index (pages, Pages, i);
    if (dp_tensor_same (known->slots, p.slots) && dp_tensor_same (known->table, p.table) && dp_tensor_same (known->lens, p.lens)
        && known->page_size == p.page_size && known->n_pages == p.n_pages)
      return TRUE;
  }
  if (!is_input (plan, p.slots) || !is_input (plan, p.table) || !is_input (plan, p.lens))
    return FALSE;
  g_array_append_val (pages, p);
  return TRUE;
}

/* Every pair of a write and a read of one layer's cache. */
static gboolean
collect_pages (const DpPlan *plan, GArray *pages)
{
  for (guint w = 0; w < plan->n_nodes; w++) {
    const DpFillKvCacheArgs *fill = plan->nodes[w].calls[0].args;
    if (plan->nodes[w].calls[0].op != DP_OP_FILL_KV_CACHE)
      continue;
    for (guint r = 0; r < plan->n_nodes; r++) {
      const DpPagedDecodeAttentionArgs *read = plan->nodes[r].calls[0].args;
      if (plan->nodes[r].calls[0].op == DP_OP_PAGED_DECODE_ATTENTION && read->kv == fill->kv && read->layer == fill->layer
          && !add_pages (plan, pages, &fill->slots, read))
        return FALSE;
    }
  }
  return TRUE;
}

/* Every page is written by one sequence at most, and read by no other. */
static gboolean
pages_are_apart (guint32 *owner, const Pages *p)
{
  gboolean apart = TRUE;

  for (guint32 b = 0; b < p->slots->rows; b++) {
    gint32 slot = *(const gint32 *) dp_tensor_row (p->slots, b);
    guint32 page = slot < 0 ? 0 : (guint32) slot / p->page_size;
    if (slot < 0 || page >= p->n_pages)
      continue;
    apart = apart && (owner[page] == 0 || owner[page] == b + 1);
    owner[page] = b + 1;
  }
  for (guint32 b = 0; b < p->table->rows && apart; b++) {
    const gint32 *row = dp_tensor_row (p->table, b);
    gint32 len = *(const gint32 *) dp_tensor_row (p->lens, b);
    guint32 n = len > 0 ? MIN (((guint32) len + p->page_size - 1) / p->page_size, p->table->cols) : 0;
    for (guint32 i = 0; i < n && apart; i++)
      apart = row[i] < 0 || (guint32) row[i] >= p->n_pages || owner[row[i]] == 0 || owner[row[i]] == b + 1;
  }
  for (guint32 b = 0; b < p->slots->rows; b++) {
    gint32 slot = *(const gint32 *) dp_tensor_row (p->slots, b);
    if (slot >= 0 && (guint32) slot / p->page_size < p->n_pages)
      owner[(guint32) slot / p->page_size] = 0;
  }
  return apart;
}

gboolean
dp_cpu_split_allowed (DpCpuSplit *split)
{
  for (guint i = 0; i < split->pages->len; i++)
    if (!pages_are_apart (split->owner, &g_array_index (split->pages, Pages, i)))
      return FALSE;
  return TRUE;
}

/* ---- slices -------------------------------------------------------------------------------------------------- */

/* The call for sequences first .. first+n-1. */
static gpointer
sliced_args (const DpCall *call, const DpPlan *plan, DpBuffer *arena, guint32 batch, guint32 first, guint32 n)
{
  const DpSchema *schema = dp_schema (call->op);
  gpointer args = g_memdup2 (call->args, schema->args_size);

  for (guint f = 0; f < schema->n_fields; f++) {
    DpTensor *t = dp_field_tensor (&schema->fields[f], args);
    if (!t || !t->buffer || is_shared (&schema->fields[f]))
      continue;
    guint32 each = t->rows / batch;
    if (t->buffer == plan->arena) {
      t->buffer = arena;
      t->rows = n * each;
    } else
      *t = dp_tensor_rows (*t, first * each, n * each);
  }
  return args;
}

static DpBuffer *
shell_new (DpBackend *backend, gsize size)
{
  guint8 *host = dp_cpu_alloc (MAX (size, 1), NULL);

  if (!host)
    return NULL;
  DpBuffer *shell = g_new0 (DpBuffer, 1);
  *shell = (DpBuffer){ .backend = backend, .size = MAX (size, 1), .host = host };
  return shell;
}

static void
shell_free (DpBuffer *shell)
{
  if (shell)
    dp_cpu_free (shell->host, shell->size);
  g_free (shell);
}

static gboolean
slice_init (DpCpuSlice *slice, DpBackend *backend, const DpPlan *plan, guint32 batch, guint32 first, guint32 n)
{
  const DpCpu *cpu = dp_cpu (backend);
  gsize scratch = 0;

  slice->steps = g_new0 (DpCpuStep, plan->n_nodes);
  slice->args = g_new0 (gpointer, plan->n_nodes);
  slice->shell = shell_new (backend, plan->arena ? plan->arena->size : 1);
  for (guint i = 0; i < plan->n_nodes && slice->shell; i++) {
    const DpCall *call = &plan->nodes[i].calls[0];
    const DpCpuOperator *operator= dp_cpu_operator (call->op);
    slice->args[i] = sliced_args (call, plan, slice->shell, batch, first, n);
    slice->steps[i] = (DpCpuStep){ .operator= operator, .op = call->op, .args = slice->args[i] };
    if (operator->space)
      scratch = MAX (scratch, operator->space (cpu, 1, slice->args[i]));
  }
  slice->scratch = slice->shell ? shell_new (backend, scratch) : NULL;
  return slice->scratch != NULL;
}

static double
weight_bytes (const DpPlan *plan)
{
  double bytes = 0;

  for (guint i = 0; i < plan->n_nodes; i++) {
    const DpSchema *schema = dp_schema (plan->nodes[i].calls[0].op);
    for (guint f = 0; f < schema->n_fields; f++) {
      const DpWeight *w = dp_field_weight (&schema->fields[f], plan->nodes[i].calls[0].args);
      if (w && plan->nodes[i].calls[0].op != DP_OP_EMBEDDING)
        bytes += (double) w->bytes;
    }
  }
  return bytes;
}

static gboolean
plan_is_sliceable (const DpPlan *plan, guint32 batch)
{
  for (guint i = 0; i < plan->n_nodes; i++)
    if (plan->nodes[i].fallback || !is_sliceable (&plan->nodes[i].calls[0], batch))
      return FALSE;
  return weight_bytes (plan) <= MOST_WEIGHT_BYTES && memory_is_harmless (plan, batch);
}

DpCpuSplit *
dp_cpu_split_new (DpBackend *backend, const DpPlan *plan, guint n_threads)
{
  guint32 batch = batch_of (plan), n_pages = 1;

  if (batch < 2 || !plan_is_sliceable (plan, batch))
    return NULL;
  DpCpuSplit *split = g_new0 (DpCpuSplit, 1);
  split->pages = g_array_new (FALSE, FALSE, sizeof (Pages));
  split->n_steps = plan->n_nodes;
  /* a few more slices than threads, while they stay efficient: a thread that loses its core holds up less */
  split->n_slices = MIN (MAX (n_threads, MIN (batch / SLICE_ROWS, 4 * n_threads)), batch);
  split->slices = g_new0 (DpCpuSlice, split->n_slices);
  gboolean ok = collect_pages (plan, split->pages);
  for (guint s = 0; s < split->n_slices && ok; s++) {
    guint32 first = (guint32) ((guint64) batch * s / split->n_slices), last = (guint32) ((guint64) batch * (s + 1) / split->n_slices);
    ok = slice_init (&split->slices[s], backend, plan, batch, first, last - first);
  }
  for (guint i = 0; i < split->pages->len; i++)
    n_pages = MAX (n_pages, g_array_index (split->pages, Pages, i).n_pages);
  split->owner = g_new0 (guint32, n_pages);
  if (ok)
    return split;
  dp_cpu_split_free (split);
  return NULL;
}

void
dp_cpu_split_free (DpCpuSplit *split)
{
  if (!split)
    return;
  for (guint s = 0; s < split->n_slices; s++) {
    DpCpuSlice *slice = &split->slices[s];
    for (guint i = 0; slice->args && i < split->n_steps; i++)
      g_free (slice->args[i]);
    g_free (slice->args);
    g_free (slice->steps);
    shell_free (slice->shell);
    shell_free (slice->scratch);
  }
  g_free (split->slices);
  g_free (split->owner);
  g_array_unref (split->pages);
  g_free (split);
}

guint
dp_cpu_split_size (const DpCpuSplit *split)
{
  return split->n_slices;
}

void
dp_cpu_split_run (const DpCpuSplit *split, const DpCpu *cpu, guint slice, const gint *stop)
{
  const DpCpuSlice *s = &split->slices[slice];
  DpCpuTask task = { .cpu = cpu, .n_threads = 1, .scratch = s->scratch->host, .stop = stop };

  for (guint i = 0; i < split->n_steps; i++)
    s->steps[i].operator->run (&task, s->steps[i].args);
}
