/* vlm/checkpoint.c - safetensors on a memory map; the format and its rules are in the header. */
#include "vlm/checkpoint.h"

#include "vlm/error.h"
#include "vlm/json.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_HEADER (32u << 20) /* the largest published headers are about 10 MB; the reference reader allows 100 */
#define MAX_INDEX (64u << 20)

struct DpCheckpoint {
  GPtrArray *files;     /* GBytes of every file */
  GStringChunk *names;  /* of tensors, files, metadata */
  GArray *tensors;      /* DpCheckpointTensor, sorted by name once all files are read */
  GHashTable *by_name;  /* name -> index + 1 */
  GHashTable *metadata; /* borrowed strings of names */
  gboolean mapped;      /* files are maps that nothing writes to */
};

static const struct {
  const char *name;
  DpStoredType type;
} dtypes[] = {
  { "F32", DP_STORED_F32 }, { "F16", DP_STORED_F16 }, { "BF16", DP_STORED_BF16 }, { "I32", DP_STORED_I32 },
  { "I8", DP_STORED_I8 },   { "U8", DP_STORED_U8 },   { "BOOL", DP_STORED_U8 },   { "I64", DP_STORED_I64 },
};

gsize
dp_stored_size (DpStoredType type)
{
  return type == DP_STORED_I64 ? 8 : dp_type_size (type);
}

const char *
dp_stored_name (DpStoredType type)
{
  return type == DP_STORED_I64 ? "i64" : dp_type_name (type);
}

static char *
shape_text (guint n_dims, const guint64 *shape)
{
  GString *s = g_string_new ("[");

  for (guint i = 0; i < n_dims; i++)
    g_string_append_printf (s, "%s%" G_GUINT64_FORMAT, i ? ", " : "", shape[i]);
  return g_string_free (g_string_append_c (s, ']'), FALSE);
}

/* ---- one tensor of a header ---- */

static gboolean
read_type (const cJSON *item, DpCheckpointTensor *t, const char **why)
{
  const cJSON *dtype = dp_json_get (item, "dtype");

  for (guint i = 0; cJSON_IsString (dtype) && i < G_N_ELEMENTS (dtypes); i++)
    if (g_str_equal (dtype->valuestring, dtypes[i].name)) {
      t->type = dtypes[i].type;
      return TRUE;
    }
  *why = "its dtype is none of F32, F16, BF16, I64, I32, I8, U8, BOOL";
  return FALSE;
}

static gboolean
read_shape (const cJSON *item, DpCheckpointTensor *t, const char **why)
{
  const cJSON *shape = dp_json_get (item, "shape"), *side;

  if (!cJSON_IsArray (shape)) {
    *why = "its shape is not a list";
    return FALSE;
  }
  t->elements = 1;
  cJSON_ArrayForEach (side, shape)
  {
    if (t->n_dims == DP_CHECKPOINT_DIMS) {
      *why = "its shape has more than 8 sides";
      return FALSE;
    }
    if (!dp_json_whole (side, &t->shape[t->n_dims])) {
      *why = "a side of its shape is not a whole number";
      return FALSE;
    }
    t->n_dims++;
  }
  /* An empty tensor is legal whatever its other sides are, so zero is looked for first. */
  for (guint i = 0; i < t->n_dims; i++)
    if (t->shape[i] == 0)
      t->elements = 0;
  for (guint i = 0; i < t->n_dims && t->elements; i++)
    if (!g_uint64_checked_mul (&t->elements, t->elements, t->shape[i])) {
      *why = "the product of its shape overflows";
      return FALSE;
    }
  return TRUE;
}

static gboolean
read_offsets (const cJSON *item, DpCheckpointTensor *t, const guint8 *data, gsize size, const char **why)
{
  const cJSON *offsets = dp_json_get (item, "data_offsets");
  guint64 begin, end, expected;

  if (!cJSON_IsArray (offsets) || cJSON_GetArraySize (offsets) != 2 || !dp_json_whole (offsets->child, &begin)
      || !dp_json_whole (offsets->child->next, &end))
    *why = "its data_offsets are not two whole numbers";
  else if (begin > end || end > size)
    *why = "its data_offsets lie outside the file";
  else if (!g_uint64_checked_mul (&expected, t->elements, dp_stored_size (t->type)) || end - begin != expected)
    *why = "its data_offsets do not span as many bytes as dtype and shape need";
  else {
    t->data = data + begin;
    t->size = (gsize) (end - begin);
    return TRUE;
  }
  return FALSE;
}

static gboolean
add_tensor (DpCheckpoint *c, const cJSON *item, const char *file, const guint8 *data, gsize size, GError **error)
{
  DpCheckpointTensor t = { .file = file };
  const char *why = NULL;

  if (!cJSON_IsObject (item))
    why = "it is not an object";
  else if (read_type (item, &t, &why) && read_shape (item, &t, &why) && read_offsets (item, &t, data, size, &why)
           && g_hash_table_contains (c->by_name, item->string))
    why = "there is another one of this name";
  if (why) {
    g_autofree char *shown = g_utf8_make_valid (item->string, -1);
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s: tensor \"%.200s\" cannot be used: %s", file, shown, why);
    return FALSE;
  }
  t.name = g_string_chunk_insert (c->names, item->string);
  g_array_append_val (c->tensors, t);
  g_hash_table_insert (c->by_name, (gpointer) t.name, GUINT_TO_POINTER (c->tensors->len));
  return TRUE;
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  const DpCheckpointTensor *x = a, *y = b;

  if (x->data != y->data)
    return x->data < y->data ? -1 : 1;
  return x->size == y->size ? 0 : x->size < y->size ? -1 : 1;
}

/* Tensors first .. end of the array are those of one file: they must fill data exactly. */
static gboolean
check_cover (const DpCheckpoint *c, guint first, const char *file, const guint8 *data, gsize size, GError **error)
{
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (DpCheckpointTensor));
  const guint8 *at = data;

  if (c->tensors->len > first)
    g_array_append_vals (places, &g_array_index (c->tensors, DpCheckpointTensor, first), c->tensors->len - first);
  g_array_sort (places, by_place);
  for (guint i = 0; i < places->len; i++) {
    const DpCheckpointTensor *t = &g_array_index (places, DpCheckpointTensor, i);
    if (t->data != at) {
      g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s: tensor \"%.200s\" %s", file, t->name,
                   t->data < at ? "overlaps another one" : "is preceded by bytes that belong to none");
      return FALSE;
    }
    at += t->size;
  }
  if (at != data + size) {
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED,
                 "%s: %" G_GSIZE_FORMAT " bytes follow the last tensor; the file is damaged or not what its header says", file,
                 (gsize) (data + size - at));
    return FALSE;
  }
  return TRUE;
}

static gboolean
read_metadata (DpCheckpoint *c, const cJSON *item, const char *file, GError **error)
{
  const cJSON *entry;

  if (!cJSON_IsObject (item)) {
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s: __metadata__ is not an object", file);
    return FALSE;
  }
  cJSON_ArrayForEach (entry, item)
  {
    if (!cJSON_IsString (entry)) {
      g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s: __metadata__ holds something else than strings", file);
      return FALSE;
    }
    if (!g_hash_table_contains (c->metadata, entry->string))
      g_hash_table_insert (c->metadata, g_string_chunk_insert (c->names, entry->string),
                           g_string_chunk_insert (c->names, entry->valuestring));
  }
  return TRUE;
}

/* Takes bytes. */
static gboolean
add_file (DpCheckpoint *c, const char *label, GBytes *bytes, GError **error)
{
  gsize size;
  const guint8 *start = g_bytes_get_data (bytes, &size);
  const char *file = g_string_chunk_insert (c->names, label);
  const guint first = c->tensors->len;
  guint64 header;
  const cJSON *item;

  g_ptr_array_add (c->files, bytes);
  if (size < 8) {
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s: too short to be a safetensors file (%" G_GSIZE_FORMAT " bytes)", file,
                 size);
    return FALSE;
  }
  memcpy (&header, start, 8);
  header = GUINT64_FROM_LE (header);
  if (header > MAX_HEADER || header > size - 8 || header < 2 || start[8] != '{') {
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED,
                 "%s: not a safetensors file: its first 8 bytes give %" G_GUINT64_FORMAT " as the length of a JSON header", file, header);
    return FALSE;
  }
  g_autoptr (cJSON) tree = dp_json_parse (file, (const char *) start + 8, (gsize) header, MAX_HEADER, 4, error);
  const guint8 *data = start + 8 + header;
  size -= 8 + (gsize) header;
  if (!tree)
    return FALSE;
  cJSON_ArrayForEach (item, tree)
  {
    if (g_str_equal (item->string, "__metadata__") ? !read_metadata (c, item, file, error) : !add_tensor (c, item, file, data, size, error))
      return FALSE;
  }
  return check_cover (c, first, file, data, size, error);
}

/* ---- whole checkpoints ---- */

static DpCheckpoint *
checkpoint_new (void)
{
  DpCheckpoint *c = g_new0 (DpCheckpoint, 1);

  c->files = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  c->names = g_string_chunk_new (4096);
  c->tensors = g_array_new (FALSE, FALSE, sizeof (DpCheckpointTensor));
  c->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  c->metadata = g_hash_table_new (g_str_hash, g_str_equal);
  return c;
}

void
dp_checkpoint_free (DpCheckpoint *c)
{
  if (!c)
    return;
  g_hash_table_unref (c->metadata);
  g_hash_table_unref (c->by_name);
  g_array_unref (c->tensors);
  g_string_chunk_free (c->names);
  g_ptr_array_unref (c->files);
  g_free (c);
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (((const DpCheckpointTensor *) a)->name, ((const DpCheckpointTensor *) b)->name);
}

static DpCheckpoint *
finish (DpCheckpoint *c)
{
  g_array_sort (c->tensors, by_name);
  for (guint i = 0; i < c->tensors->len; i++)
    g_hash_table_insert (c->by_name, (gpointer) g_array_index (c->tensors, DpCheckpointTensor, i).name, GUINT_TO_POINTER (i + 1));
  return c;
}

DpCheckpoint *
dp_checkpoint_from_bytes (const char *label, GBytes *bytes, GError **error)
{
  g_autoptr (DpCheckpoint) c = checkpoint_new ();

  return add_file (c, label, g_bytes_ref (bytes), error) ? finish (g_steal_pointer (&c)) : NULL;
}

static gboolean
add_path (DpCheckpoint *c, const char *path, GError **error)
{
  g_autoptr (GError) why = NULL;
  GMappedFile *map = g_file_test (path, G_FILE_TEST_IS_REGULAR) ? g_mapped_file_new (path, FALSE, &why) : NULL;

  if (!map) {
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MISSING, "%s cannot be read: %s", path, why ? why->message : "there is no such file");
    return FALSE;
  }
  GBytes *bytes = g_mapped_file_get_bytes (map);
  g_mapped_file_unref (map);
  return add_file (c, path, bytes, error);
}

static gboolean
plain_name (const char *name)
{
  return *name && !strchr (name, '/') && !g_str_equal (name, "..") && !g_str_equal (name, ".");
}

/* model.safetensors.index.json: {"weight_map": {tensor: file}}.  Every file once, and every tensor where it is said to be. */
static gboolean
add_indexed (DpCheckpoint *c, const char *dir, GError **error)
{
  static const char *const index = "model.safetensors.index.json";
  g_autoptr (cJSON) tree = dp_json_load (dir, index, MAX_INDEX, error);
  g_autoptr (GHashTable) paths = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free); /* file name -> path */
  const cJSON *map = dp_json_get (tree, "weight_map"), *entry;

  if (!tree)
    return FALSE;
  if (!cJSON_IsObject (map) || !map->child) {
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s/%s: it has no weight_map", dir, index);
    return FALSE;
  }
  cJSON_ArrayForEach (entry, map)
  {
    if (!cJSON_IsString (entry) || !plain_name (entry->valuestring)) {
      g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s/%s: tensor \"%.200s\" is not in a file of this folder", dir, index,
                   entry->string);
      return FALSE;
    }
    if (g_hash_table_contains (paths, entry->valuestring))
      continue;
    char *path = g_build_filename (dir, entry->valuestring, NULL);
    g_hash_table_insert (paths, entry->valuestring, path);
    if (!add_path (c, path, error))
      return FALSE;
  }
  cJSON_ArrayForEach (entry, map)
  {
    const DpCheckpointTensor *t = dp_checkpoint_find (c, entry->string);
    const char *path = g_hash_table_lookup (paths, entry->valuestring);
    if (!t || !g_str_equal (t->file, path)) {
      g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s: tensor \"%.200s\" is not in it, though %s says so", path,
                   entry->string, index);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
add_folder (DpCheckpoint *c, const char *dir, GError **error)
{
  g_autofree char *one = g_build_filename (dir, "model.safetensors", NULL);
  g_autofree char *index = g_build_filename (dir, "model.safetensors.index.json", NULL);
  g_autofree char *found = NULL;
  const char *name;
  guint n = 0;

  if (g_file_test (one, G_FILE_TEST_EXISTS))
    return add_path (c, one, error);
  if (g_file_test (index, G_FILE_TEST_EXISTS))
    return add_indexed (c, dir, error);
  g_autoptr (GDir) entries = g_dir_open (dir, 0, NULL);
  while (entries && (name = g_dir_read_name (entries)))
    if (g_str_has_suffix (name, ".safetensors") && ++n == 1)
      found = g_build_filename (dir, name, NULL);
  if (n == 1)
    return add_path (c, found, error);
  g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MISSING, "%s: no weights: expected model.safetensors or model.safetensors.index.json%s",
               dir, n ? ", found several .safetensors files without an index" : "");
  return FALSE;
}

DpCheckpoint *
dp_checkpoint_open (const char *path, GError **error)
{
  g_autoptr (DpCheckpoint) c = checkpoint_new ();
  const gboolean ok = g_file_test (path, G_FILE_TEST_IS_DIR) ? add_folder (c, path, error) : add_path (c, path, error);

  c->mapped = TRUE;
  return ok ? finish (g_steal_pointer (&c)) : NULL;
}

/* ---- looking up and reading ---- */

guint
dp_checkpoint_n (const DpCheckpoint *c)
{
  return c->tensors->len;
}

const DpCheckpointTensor *
dp_checkpoint_nth (const DpCheckpoint *c, guint i)
{
  return i < c->tensors->len ? &g_array_index (c->tensors, DpCheckpointTensor, i) : NULL;
}

const DpCheckpointTensor *
dp_checkpoint_find (const DpCheckpoint *c, const char *name)
{
  const guint i = GPOINTER_TO_UINT (g_hash_table_lookup (c->by_name, name));

  return i ? &g_array_index (c->tensors, DpCheckpointTensor, i - 1) : NULL;
}

const DpCheckpointTensor *
dp_checkpoint_require (const DpCheckpoint *c, const char *name, guint n_dims, const guint64 *shape, GError **error)
{
  const DpCheckpointTensor *t = dp_checkpoint_find (c, name);
  g_autofree char *wanted = shape_text (n_dims, shape);

  if (!t) {
    const char *file = c->tensors->len ? g_array_index (c->tensors, DpCheckpointTensor, 0).file : "the checkpoint";
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s%s: there is no tensor \"%s\" (wanted with shape %s)", file,
                 c->files->len > 1 ? " and its other parts" : "", name, wanted);
    return NULL;
  }
  if (t->n_dims != n_dims || (n_dims && memcmp (t->shape, shape, n_dims * sizeof *shape) != 0)) {
    g_autofree char *got = shape_text (t->n_dims, t->shape);
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s: tensor \"%s\" has shape %s; the configuration asks for %s", t->file,
                 name, got, wanted);
    return NULL;
  }
  return t;
}

const char *
dp_checkpoint_metadata (const DpCheckpoint *c, const char *key)
{
  return g_hash_table_lookup (c->metadata, key);
}

static guint16
load16 (const guint8 *p)
{
  return (guint16) (p[0] | p[1] << 8);
}

static guint32
load32 (const guint8 *p)
{
  return load16 (p) | (guint32) load16 (p + 2) << 16;
}

void
dp_checkpoint_read_f32 (const DpCheckpointTensor *t, guint64 first, guint64 n, float *out)
{
  const guint8 *p = t->data + first * dp_stored_size (t->type);

  g_return_if_fail (first <= t->elements && n <= t->elements - first && t->type != DP_STORED_I64);
  for (guint64 i = 0; i < n; i++)
    switch (t->type) {
    case DP_STORED_F32: {
      const guint32 bits = load32 (p + 4 * i);
      memcpy (&out[i], &bits, 4);
      break;
    }
    case DP_STORED_F16: out[i] = dp_f16_to_f32 (load16 (p + 2 * i)); break;
    case DP_STORED_BF16: out[i] = dp_bf16_to_f32 (load16 (p + 2 * i)); break;
    case DP_STORED_I32: out[i] = (float) (gint32) load32 (p + 4 * i); break;
    case DP_STORED_I8: out[i] = (gint8) p[i]; break;
    case DP_STORED_U8: out[i] = p[i]; break;
    case DP_STORED_I64: break; /* refused above */
    }
}

gboolean
dp_checkpoint_read_i64 (const DpCheckpointTensor *t, guint64 first, guint64 n, gint64 *out)
{
  const guint8 *p = t->data + first * dp_stored_size (t->type);

  g_return_val_if_fail (first <= t->elements && n <= t->elements - first, FALSE);
  for (guint64 i = 0; i < n; i++)
    switch (t->type) {
    case DP_STORED_I64: out[i] = (gint64) (load32 (p + 8 * i) | (guint64) load32 (p + 8 * i + 4) << 32); break;
    case DP_STORED_I32: out[i] = (gint32) load32 (p + 4 * i); break;
    case DP_STORED_I8: out[i] = (gint8) p[i]; break;
    case DP_STORED_U8: out[i] = p[i]; break;
    default: return FALSE;
    }
  return TRUE;
}

void
dp_checkpoint_release (const DpCheckpoint *c, const DpCheckpointTensor *t)
{
  const gsize page = (gsize) sysconf (_SC_PAGESIZE);
  const gsize before = (page - (gsize) (guintptr) t->data % page) % page;

  if (c->mapped && t->size > before + page)
    madvise ((gpointer) (t->data + before), (t->size - before) / page * page, MADV_DONTNEED);
}
