/* vlm/weights.c - tensors of a checkpoint into packed matrices: stacking, converting, quantising. */
#include "vlm/weights.h"

#include "ops/quantise.h"
#include "vlm/error.h"
#include "vlm/weights_cache.h"

#include <glib/gstdio.h>

#include <math.h>
#include <string.h>

#define MOST_STACKED 3
#define MOST_FAULTS 20                 /* listed; a wrong folder lacks hundreds */
#define VECTOR_CHUNK ((gsize) 1 << 20) /* vectors share buffers of at least this size */
#define CONVERT_ELEMENTS (1u << 20)    /* values that are f32 at one time while a matrix is quantised */

struct DpWeights {
  DpBackend *backend;
  DpStream *stream; /* for vectors */
  const DpCheckpoint *checkpoint;
  DpType hold;
  GStringChunk *names;
  GPtrArray *matrices; /* DpWeight */
  GPtrArray *vectors;  /* DpBuffer, the last one is being filled */
  gsize used;          /* of it */
  GString *faults;     /* a line each */
  guint n_faults;
  GError *failure;         /* of the back end: memory */
  DpWeightsCache *cache;   /* NULL: none */
  DpWeightsWriter *writer; /* NULL: nothing is written */
  guint n_cached;
};

/* ---- the cache --------------------------------------------------------------------------------------------------- */

static void
add_text (GChecksum *sum, const char *text)
{
  g_checksum_update (sum, (const guint8 *) text, (gssize) strlen (text) + 1);
}

static char *
cache_key (DpWeights *w, const char *digest)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autoptr (GHashTable) files = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree char *how = g_strdup_printf ("%s %u %s %s", dp_type_name (w->hold), DP_WEIGHTS_GROUP, w->backend->klass->name, DP_VERSION);

  add_text (sum, digest);
  for (guint i = 0; i < dp_checkpoint_n (w->checkpoint); i++) {
    const DpCheckpointTensor *t = dp_checkpoint_nth (w->checkpoint, i);
    GStatBuf st;
    if (!g_hash_table_add (files, (gpointer) t->file) || g_stat (t->file, &st) != 0)
      continue;
    g_autofree char *name = g_path_get_basename (t->file);
    g_autofree char *facts = g_strdup_printf ("%s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT ".%09ld", name, (gint64) st.st_size,
                                              (gint64) st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    add_text (sum, facts);
  }
  add_text (sum, how);
  add_text (sum, w->backend->klass->version);
  add_text (sum, dp_weight_layout (w->backend));
  return g_strdup (g_checksum_get_string (sum));
}

static void
stop_writing (DpWeights *w, GError *why)
{
  if (why)
    g_message ("The packed weights are not kept for the next start: %s", why->message);
  g_clear_error (&why);
  g_clear_pointer (&w->writer, dp_weights_writer_free);
}

static void
open_cache (DpWeights *w, const char *digest, const char *dir)
{
  GError *error = NULL;

  if (!dir || !dp_weight_layout (w->backend))
    return;
  g_autofree char *key = cache_key (w, digest);
  w->cache = dp_weights_cache_open (dir, key, g_get_num_processors ());
  if (!w->cache && !(w->writer = dp_weights_writer_new (dir, key, &error)))
    stop_writing (w, error);
}

/* Matrix number so-and-so from the cache, if it is the one that is wanted; NULL otherwise. */
static DpWeight *
from_cache (DpWeights *w, const DpWeightSource *wanted)
{
  DpWeight like;
  DpPackedWeight packed;

  if (!w->cache || !dp_weights_cache_get (w->cache, w->matrices->len, wanted->name, &like, &packed) || like.uses != wanted->uses
      || like.n != wanted->n || like.rows != wanted->rows || like.cols != wanted->cols || like.type != wanted->hold
      || like.has_bias != (wanted->bias != NULL))
    return NULL;
  return dp_weight_load (w->backend, &like, &packed, NULL);
}

static void
to_cache (DpWeights *w, const char *name, const DpWeight *matrix)
{
  DpPackedWeight packed;
  GError *error = NULL;

  if (w->writer && (!dp_weight_save (matrix, &packed, &error) || !dp_weights_writer_add (w->writer, name, matrix, &packed, &error)))
    stop_writing (w, error);
}

DpWeights *
dp_weights_new (DpBackend *backend, const DpCheckpoint *checkpoint, DpType hold, const char *digest, const char *cache_dir, GError **error)
{
  DpStream *stream = dp_stream_new (backend, error);

  if (!stream)
    return NULL;
  DpWeights *w = g_new0 (DpWeights, 1);
  w->backend = backend;
  w->stream = stream;
  w->checkpoint = checkpoint;
  w->hold = hold;
  w->names = g_string_chunk_new (4096);
  w->matrices = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_weight_free);
  w->vectors = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_buffer_free);
  w->faults = g_string_new (NULL);
  open_cache (w, digest, cache_dir);
  return w;
}

void
dp_weights_free (DpWeights *w)
{
  if (!w)
    return;
  dp_stream_free (w->stream);
  g_ptr_array_unref (w->matrices);
  g_ptr_array_unref (w->vectors);
  g_string_chunk_free (w->names);
  g_string_free (w->faults, TRUE);
  g_clear_error (&w->failure);
  dp_weights_writer_free (w->writer);
  dp_weights_cache_free (w->cache);
  g_free (w);
}

/* ---- names ---------------------------------------------------------------------------------------------------- */

gboolean
dp_weights_has (DpWeights *w, const char *name)
{
  return dp_checkpoint_find (w->checkpoint, name) != NULL;
}

const char *
dp_weights_name (DpWeights *w, const char *format, ...)
{
  va_list list;

  va_start (list, format);
  g_autofree char *name = g_strdup_vprintf (format, list);
  va_end (list);
  return g_string_chunk_insert (w->names, name);
}

const char *
dp_weights_prefix (DpWeights *w, const char *const *prefixes, const char *name)
{
  for (guint i = 0; prefixes[i]; i++) {
    g_autofree char *full = g_strconcat (prefixes[i], name, NULL);
    if (dp_weights_has (w, full))
      return prefixes[i];
  }
  return prefixes[0];
}

/* ---- tensors ---------------------------------------------------------------------------------------------------- */

static void
fault (DpWeights *w, GError *error)
{
  if (w->n_faults++ < MOST_FAULTS)
    g_string_append_printf (w->faults, "%s%s", w->faults->len ? "\n" : "", error->message);
  g_error_free (error);
}

/* A float tensor whose first side is rows and whose other sides have a product of cols; 0: a vector of rows. NULL: noted. */
static const DpCheckpointTensor *
find (DpWeights *w, const char *name, guint32 rows, guint32 cols)
{
  const DpCheckpointTensor *t = dp_checkpoint_find (w->checkpoint, name);
  const guint64 shape[2] = { rows, cols };
  GError *error = NULL;

  if (!t || t->n_dims < (cols ? 2u : 1u) || t->shape[0] != rows || t->elements != (guint64) rows * MAX (cols, 1))
    t = dp_checkpoint_require (w->checkpoint, name, cols ? 2 : 1, shape, &error);
  else if (t->type > 31 || !(DP_TYPE_BIT (t->type) & DP_FLOATS))
    error = g_error_new (DP_VLM_ERROR, DP_VLM_ERROR_UNSUPPORTED, "%s: tensor \"%s\" is %s; only f32, f16 and bf16 weights can be read",
                         t->file, name, dp_stored_name (t->type));
  if (!error)
    return t;
  fault (w, error);
  return NULL;
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

DpType
dp_weights_type (DpType hold, DpModelPart part)
{
  if (hold != DP_I8 && hold != DP_I4)
    return hold;
  return part == DP_PART_VISION ? DP_BF16 : part == DP_PART_EMBEDDING ? DP_I8 : hold;
}

/* What a matrix is made of while it is packed. */
typedef struct {
  const DpCheckpointTensor *tensors[MOST_STACKED];
  guint n;
  guint8 *data; /* NULL: the only tensor's own */
  float *scales, *zeros, *bias;
} Parts;

static void
parts_clear (Parts *p)
{
  g_free (p->data);
  g_free (p->scales);
  g_free (p->zeros);
  g_free (p->bias);
}

/* The biases one after the other, zeros where a part has none; NULL when none has one. */
static gboolean
stack_biases (DpWeights *w, const DpStacked *stack, guint n, guint32 rows, float **bias)
{
  gboolean any = FALSE, ok = TRUE;
  gsize at = 0;

  for (guint i = 0; i < n; i++)
    any |= stack[i].bias != NULL;
  if (!any)
    return TRUE;
  *bias = g_new0 (float, rows);
  for (guint i = 0; i < n; at += stack[i++].rows) {
    const DpCheckpointTensor *t = stack[i].bias ? find (w, stack[i].bias, stack[i].rows, 0) : NULL;
    if (t)
      dp_checkpoint_read_f32 (t, 0, stack[i].rows, *bias + at);
    ok &= t || !stack[i].bias;
  }
  return ok;
}

/* Tensors of one type are put together as they are, others as f32. */
static void
stack_floats (Parts *p, DpWeightSource *source)
{
  gboolean same = TRUE;
  gsize at = 0;

  for (guint i = 1; i < p->n; i++)
    same &= p->tensors[i]->type == p->tensors[0]->type;
  source->type = same ? (guint32) p->tensors[0]->type : DP_F32;
  source->data_size = (gsize) source->rows * source->cols * dp_type_size (source->type);
  if (p->n == 1) {
    source->data = p->tensors[0]->data;
    return;
  }
  p->data = g_malloc (source->data_size);
  for (guint i = 0; i < p->n; i++) {
    const DpCheckpointTensor *t = p->tensors[i];
    if (same)
      memcpy (p->data + at, t->data, t->size);
    else
      dp_checkpoint_read_f32 (t, 0, t->elements, (float *) (gpointer) (p->data + at));
    at += (gsize) t->elements * dp_type_size (source->type);
  }
  source->data = p->data;
}

static gboolean
all_finite (const float *values, gsize n)
{
  gboolean ok = TRUE;

  for (gsize i = 0; i < n; i++)
    ok &= isfinite (values[i]) != 0;
  return ok;
}

/* A few rows at a time, so that no whole matrix is ever held as f32. */
static gboolean
stack_quantised (DpWeights *w, Parts *p, DpWeightSource *source)
{
  const guint32 cols = source->cols, most = MAX (CONVERT_ELEMENTS / cols, 1);
  const gsize groups = ((gsize) cols + DP_WEIGHTS_GROUP - 1) / DP_WEIGHTS_GROUP;
  const gsize row_bytes = source->hold == DP_I4 ? ((gsize) cols + 1) / 2 : cols;
  g_autofree float *values = g_new (float, (gsize) most *cols);
  gsize at = 0;

  source->type = source->hold;
  source->group = DP_WEIGHTS_GROUP;
  source->data_size = row_bytes * source->rows;
  p->data = g_malloc0 (source->data_size);
  p->scales = g_new (float, groups * source->rows);
  p->zeros = source->hold == DP_I4 ? g_new (float, groups * source->rows) : NULL;
  for (guint i = 0; i < p->n; i++) {
    const guint32 rows = (guint32) p->tensors[i]->shape[0];
    for (guint32 row = 0, n; row < rows; row += n, at += n) {
      n = MIN (most, rows - row);
      dp_checkpoint_read_f32 (p->tensors[i], (guint64) row * cols, (guint64) n * cols, values);
      if (!all_finite (values, (gsize) n * cols)) {
        fault (w, g_error_new (DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s: tensor \"%s\" holds values that are not finite",
                               p->tensors[i]->file, p->tensors[i]->name));
        return FALSE;
      }
      dp_quantise (values, n, cols, source->hold, DP_WEIGHTS_GROUP, p->data + at * row_bytes, p->scales + at * groups,
                   p->zeros ? p->zeros + at * groups : NULL);
    }
  }
  source->data = p->data;
  source->scales = p->scales;
  source->zeros = p->zeros;
  return TRUE;
}

/* Packs what the parts are made of; NULL: noted. */
static DpWeight *
pack (DpWeights *w, Parts *p, DpWeightSource *source)
{
  DpWeight *matrix = NULL;

  if (source->hold != DP_I8 && source->hold != DP_I4)
    stack_floats (p, source);
  else if (!stack_quantised (w, p, source))
    return NULL;
  matrix = dp_weight_new (w->backend, source, &w->failure);
  if (matrix)
    to_cache (w, source->name, matrix);
  return matrix;
}

const DpWeight *
dp_weights_matrix (DpWeights *w, DpModelPart part, guint32 uses, guint32 cols, const DpStacked *stack, guint n)
{
  Parts p = { .n = n };
  DpWeightSource source = { .name = stack[0].weight, .uses = uses, .n = 1, .cols = cols, .hold = dp_weights_type (w->hold, part) };
  gboolean ok = TRUE;
  DpWeight *matrix = NULL;

  g_return_val_if_fail (n >= 1 && n <= MOST_STACKED && cols, NULL);
  for (guint i = 0; i < n; i++) {
    p.tensors[i] = find (w, stack[i].weight, stack[i].rows, cols);
    ok &= p.tensors[i] != NULL;
    source.rows += stack[i].rows;
  }
  ok &= stack_biases (w, stack, n, source.rows, &p.bias);
  source.bias = p.bias;
  if (ok && !w->n_faults && !w->failure) { /* after a fault the rest is only looked for */
    matrix = from_cache (w, &source);
    w->n_cached += matrix != NULL;
    if (!matrix)
      matrix = pack (w, &p, &source);
  }
  for (guint i = 0; i < n; i++) /* what is packed need not stay in memory twice */
    if (p.tensors[i])
      dp_checkpoint_release (w->checkpoint, p.tensors[i]);
  parts_clear (&p);
  if (matrix)
    g_ptr_array_add (w->matrices, matrix);
  return matrix;
}

/* ---- vectors ------------------------------------------------------------------------------------------------------- */

DpTensor
dp_weights_vector (DpWeights *w, const char *name, guint32 n)
{
  const DpCheckpointTensor *t = find (w, name, n, 0);
  const gsize size = (gsize) n * sizeof (float);
  DpBuffer *buffer = w->vectors->len ? g_ptr_array_index (w->vectors, w->vectors->len - 1) : NULL;

  if (!t || w->failure)
    return (DpTensor){ 0 };
  if (!buffer || size > buffer->size - w->used) {
    buffer = dp_buffer_new (w->backend, MAX (size, VECTOR_CHUNK), &w->failure);
    if (!buffer)
      return (DpTensor){ 0 };
    g_ptr_array_add (w->vectors, buffer);
    w->used = 0;
  }
  g_autofree float *values = g_new (float, n);
  DpTensor out = dp_tensor (buffer, w->used, DP_F32, 1, n);
  dp_checkpoint_read_f32 (t, 0, n, values);
  dp_stream_upload (w->stream, &out, values, size);
  w->used += MIN ((size + DP_ALIGN - 1) / DP_ALIGN * DP_ALIGN, buffer->size - w->used);
  return out;
}

/* ---- the end ------------------------------------------------------------------------------------------------------- */

gboolean
dp_weights_finish (DpWeights *w, GError **error)
{
  GError *why = NULL;

  w->checkpoint = NULL;
  if (w->n_faults) {
    if (w->n_faults > MOST_FAULTS)
      g_string_append_printf (w->faults, "\n... and %u more", w->n_faults - MOST_FAULTS);
    g_set_error_literal (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, w->faults->str);
    return FALSE;
  }
  if (w->failure) {
    g_propagate_error (error, g_steal_pointer (&w->failure));
    return FALSE;
  }
  if (w->writer && !dp_weights_writer_finish (w->writer, &why))
    stop_writing (w, why);
  return dp_stream_sync (w->stream, error);
}

gboolean
dp_weights_cached (const DpWeights *w)
{
  return w->n_cached == w->matrices->len;
}

gsize
dp_weights_bytes (const DpWeights *w)
{
  gsize bytes = 0;

  for (guint i = 0; i < w->matrices->len; i++)
    bytes += ((const DpWeight *) g_ptr_array_index (w->matrices, i))->bytes;
  for (guint i = 0; i < w->vectors->len; i++)
    bytes += ((const DpBuffer *) g_ptr_array_index (w->vectors, i))->size;
  return bytes;
}
