/* vlm/family_nano.c - the built-in model's configuration and weights; names and layouts are those of vlm/nano/training/export.py. */
#include "vlm/family_nano.h"

#include "vlm/checkpoint.h"
#include "vlm/error.h"
#include "vlm/json.h"
#include "vlm/nano_weights.h"

#include <math.h>
#include <string.h>

#define CONFIG_MAX ((gsize) 1 << 20)
#define MODEL_TYPE "docparse-nano"

/* ---- configuration -------------------------------------------------------------------------------- */

static gboolean
refuse (const char *label, const char *what, GError **error)
{
  g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_UNSUPPORTED, "%s: %s; the line reader cannot use this model", label, what);
  return FALSE;
}

static gboolean
read_stages (const char *label, const cJSON *root, DpNanoConfig *c, GError **error)
{
  const cJSON *channels = dp_json_get (root, "stem_channels"), *strides = dp_json_get (root, "stem_strides");
  const int n = cJSON_GetArraySize (channels);
  guint64 wide = 1, high = 1;

  if (!cJSON_IsArray (channels) || !cJSON_IsArray (strides) || n < 1 || n > DP_NANO_STAGES || cJSON_GetArraySize (strides) != n)
    return refuse (label, "stem_channels and stem_strides must be arrays of one length", error);
  c->n_stages = (guint32) n;
  for (int i = 0; i < n; i++) {
    const cJSON *stride = cJSON_GetArrayItem (strides, i);
    guint64 size, y, x;
    if (!dp_json_whole (cJSON_GetArrayItem (channels, i), &size) || size < 1 || size > 4096
        || !dp_json_whole (cJSON_GetArrayItem (stride, 0), &y) || !dp_json_whole (cJSON_GetArrayItem (stride, 1), &x) || y < 1 || y > 4
        || x < 1 || x > 4)
      return refuse (label, "stem_channels or stem_strides hold no usable number", error);
    c->channels[i] = (guint32) size, c->stride_y[i] = (guint32) y, c->stride_x[i] = (guint32) x;
    high *= y, wide *= x;
  }
  if (DP_NANO_HEIGHT % high || wide * c->merge != c->column_multiple)
    return refuse (label, "stem_strides do not fit image_height, visual_merge and column_multiple", error);
  return TRUE;
}

static gboolean
read_numbers (const cJSON *root, DpNanoConfig *c, GError **error)
{
  const struct {
    const char *key;
    guint32 min, max, *out;
  } whole[] = {
    { "hidden_size", 8, 4096, &c->hidden },
    { "intermediate_size", 8, 16384, &c->inner },
    { "num_attention_heads", 1, 64, &c->heads },
    { "head_dim", 2, 256, &c->head_dim },
    { "encoder_key_value_heads", 1, 64, &c->encoder_kv_heads },
    { "decoder_key_value_heads", 1, 64, &c->decoder_kv_heads },
    { "encoder_layers", 1, DP_NANO_LAYERS, &c->encoder_layers },
    { "decoder_layers", 1, DP_NANO_LAYERS, &c->decoder_layers },
    { "ctc_frames_per_token", 1, 8, &c->frames_per_token },
    { "visual_merge", 1, 8, &c->merge },
    { "column_multiple", 1, 256, &c->column_multiple },
    { "vocab_size", 4, 65536, &c->vocabulary },
    { "blank_token_id", 0, 65535, &c->blank },
    { "bos_token_id", 0, 65535, &c->bos },
    { "eos_token_id", 0, 65535, &c->eos },
    { "characters", 1, 65536, &c->n_characters },
  };

  for (guint i = 0; i < G_N_ELEMENTS (whole); i++) {
    *whole[i].out = G_MAXUINT32;
    if (!dp_json_get_uint (root, whole[i].key, whole[i].min, whole[i].max, whole[i].out, error))
      return FALSE;
    if (*whole[i].out == G_MAXUINT32) {
      g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s is missing", whole[i].key);
      return FALSE;
    }
  }
  c->eps = 1e-6, c->theta = 10000, c->decoder_step = 0;
  if (!dp_json_get_double (root, "rms_norm_eps", 0, 1, &c->eps, error) || !dp_json_get_double (root, "rope_theta", 1, 1e9, &c->theta, error)
      || !dp_json_get_double (root, "decoder_rotary_step", 1e-3, 16, &c->decoder_step, error))
    return FALSE;
  if (c->decoder_step > 0)
    return TRUE;
  g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "decoder_rotary_step is missing");
  return FALSE;
}

static gboolean
read_config (const char *label, const cJSON *root, DpNanoConfig *c, GError **error)
{
  const char *type = "";
  guint32 height = 0;

  if (!dp_json_get_string (root, "model_type", &type, error) || !dp_json_get_uint (root, "image_height", 1, 4096, &height, error)
      || !read_numbers (root, c, error)) {
    g_prefix_error (error, "%s: ", label);
    return FALSE;
  }
  if (strcmp (type, MODEL_TYPE) != 0)
    return refuse (label, "model_type is not \"" MODEL_TYPE "\"", error);
  if (height != DP_NANO_HEIGHT)
    return refuse (label, "image_height is not 32", error);
  if (c->heads % c->encoder_kv_heads || c->heads % c->decoder_kv_heads || c->head_dim % 2)
    return refuse (label, "the heads do not divide", error);
  c->first_character = 1 + MAX (c->blank, MAX (c->bos, c->eos));
  if (c->first_character + (guint64) c->n_characters > c->vocabulary || c->blank == c->bos || c->blank == c->eos || c->bos == c->eos)
    return refuse (label, "characters and signs do not fit vocab_size", error);
  return read_stages (label, root, c, error);
}

/* ---- weights --------------------------------------------------------------------------------------- */

/* What a load works on. */
typedef struct {
  DpNano *nano;
  const DpCheckpoint *checkpoint;
  GError *error; /* the first */
  GByteArray *floats;
} Loading;

static const DpCheckpointTensor *
find (Loading *l, const char *name, guint64 rows, guint64 cols)
{
  const guint64 shape[2] = { rows, cols };

  if (l->error)
    return NULL;
  return dp_checkpoint_require (l->checkpoint, name, cols ? 2 : 1, shape, &l->error);
}

/* The matrix NAME.weight, and NAME.bias if it has one. */
static DpWeight *
matrix (Loading *l, const char *name, guint32 uses, guint32 rows, guint32 cols, gboolean has_bias)
{
  g_autofree char *weight_name = g_strconcat (name, ".weight", NULL), *bias_name = g_strconcat (name, ".bias", NULL);
  const DpCheckpointTensor *t = find (l, weight_name, rows, cols), *b = has_bias ? find (l, bias_name, rows, 0) : NULL;
  g_autofree float *bias = NULL;

  if (l->error)
    return NULL;
  if (t->type != DP_STORED_BF16 && t->type != DP_STORED_F16 && t->type != DP_STORED_F32) {
    g_set_error (&l->error, DP_VLM_ERROR, DP_VLM_ERROR_UNSUPPORTED, "%s: %s is %s, not a floating-point matrix", t->file, t->name,
                 dp_stored_name (t->type));
    return NULL;
  }
  if (b) {
    bias = g_new (float, rows);
    dp_checkpoint_read_f32 (b, 0, rows, bias);
  }
  const gboolean aligned = (gsize) (gconstpointer) t->data % 4 == 0; /* nothing promises it for a file */
  g_autofree gpointer copy = aligned ? NULL : g_memdup2 (t->data, t->size);
  const DpWeightSource source = { .name = weight_name,
                                  .uses = uses,
                                  .n = 1,
                                  .rows = rows,
                                  .cols = cols,
                                  .type = t->type,
                                  .hold = DP_BF16,
                                  .data = aligned ? (gconstpointer) t->data : copy,
                                  .data_size = t->size,
                                  .bias = bias };
  return dp_weight_new (l->nano->backend, &source, &l->error);
}

/* Appends n floats to what becomes the model's memory and returns where they will be. */
static DpTensor
place (Loading *l, const float *values, guint32 rows, guint32 cols)
{
  static const guint8 zeros[DP_ALIGN];
  DpTensor t = dp_tensor (NULL, l->floats->len, DP_F32, rows, cols);

  g_byte_array_append (l->floats, (const guint8 *) values, (guint) ((gsize) rows * cols * sizeof *values));
  g_byte_array_append (l->floats, zeros, (DP_ALIGN - l->floats->len % DP_ALIGN) % DP_ALIGN);
  return t;
}

static DpTensor
vector (Loading *l, const char *name, guint32 n)
{
  const DpCheckpointTensor *t = find (l, name, n, 0);
  g_autofree float *values = g_new0 (float, n);

  if (t)
    dp_checkpoint_read_f32 (t, 0, n, values);
  return place (l, values, 1, n);
}

static void
load_block (Loading *l, const char *room, guint layer, guint32 kv_heads, DpNanoBlock *block)
{
  const DpNanoConfig *c = &l->nano->config;
  const guint32 q = c->heads * c->head_dim, kv = kv_heads * c->head_dim;
  g_autofree char *at = g_strdup_printf ("%s.%u.", room, layer);
  g_autofree char *norm1 = g_strconcat (at, "norm1.weight", NULL), *norm2 = g_strconcat (at, "norm2.weight", NULL);
  g_autofree char *qkv = g_strconcat (at, "qkv", NULL), *out = g_strconcat (at, "out", NULL);
  g_autofree char *gate_up = g_strconcat (at, "gate_up", NULL), *down = g_strconcat (at, "down", NULL);

  block->norm1 = vector (l, norm1, c->hidden);
  block->norm2 = vector (l, norm2, c->hidden);
  block->qkv = matrix (l, qkv, DP_USE_QKV, q + 2 * kv, c->hidden, FALSE);
  block->out = matrix (l, out, DP_USE_LINEAR, c->hidden, q, FALSE);
  block->gate_up = matrix (l, gate_up, DP_USE_GATE_UP, 2 * c->inner, c->hidden, FALSE);
  block->down = matrix (l, down, DP_USE_LINEAR, c->hidden, c->inner, FALSE);
}

static void
load_stem (Loading *l)
{
  DpNano *nano = l->nano;
  const DpNanoConfig *c = &nano->config;
  guint32 channels = 1, height = DP_NANO_HEIGHT;

  for (guint i = 0; i < c->n_stages; i++) {
    g_autofree char *name = g_strdup_printf ("stem.conv.%u", i);
    nano->conv[i] = matrix (l, name, DP_USE_CONV, c->channels[i], 9 * channels, TRUE);
    channels = c->channels[i], height /= c->stride_y[i];
  }
  nano->project = matrix (l, "stem.project", DP_USE_CONV, c->hidden, height * channels, TRUE);
}

/* Half-style angles, `step` of the usual ones a position, in the precision that the model was trained with: bf16. */
static void
rotary (Loading *l, double step, guint32 positions, DpTensor *cos_at, DpTensor *sin_at)
{
  const DpNanoConfig *c = &l->nano->config;
  const guint32 half = c->head_dim / 2;
  g_autofree float *cos_table = g_new (float, (gsize) positions *half), *sin_table = g_new (float, (gsize) positions *half);

  for (guint32 j = 0; j < half; j++) {
    const double turn = step * pow (c->theta, -(double) j / half);
    for (guint32 p = 0; p < positions; p++) {
      cos_table[(gsize) p * half + j] = dp_bf16_to_f32 (dp_f32_to_bf16 ((float) cos (p * turn)));
      sin_table[(gsize) p * half + j] = dp_bf16_to_f32 (dp_f32_to_bf16 ((float) sin (p * turn)));
    }
  }
  *cos_at = place (l, cos_table, positions, half);
  *sin_at = place (l, sin_table, positions, half);
}

static void
load_weights (Loading *l)
{
  DpNano *nano = l->nano;
  const DpNanoConfig *c = &nano->config;
  const guint32 tokens = DP_NANO_COLUMNS / dp_nano_token_columns (c) + 1, frames = tokens * c->frames_per_token;

  load_stem (l);
  for (guint i = 0; i < c->encoder_layers; i++)
    load_block (l, "encoder", i, c->encoder_kv_heads, &nano->encoder[i]);
  for (guint i = 0; i < c->decoder_layers; i++)
    load_block (l, "decoder", i, c->decoder_kv_heads, &nano->decoder[i]);
  nano->encoder_norm = vector (l, "encoder_norm.weight", c->hidden);
  nano->decoder_norm = vector (l, "decoder_norm.weight", c->hidden);
  nano->ctc_split = matrix (l, "ctc_split", DP_USE_LINEAR, c->frames_per_token * c->hidden, c->hidden, TRUE);
  nano->ctc_head = matrix (l, "ctc_head", DP_USE_LINEAR, c->vocabulary, c->hidden, TRUE);
  nano->visual = matrix (l, "visual", DP_USE_LINEAR, c->hidden, c->merge * c->hidden, TRUE);
  nano->embedding = matrix (l, "embedding", DP_USE_EMBEDDING | DP_USE_LM_HEAD | DP_USE_LINEAR, c->vocabulary, c->hidden, FALSE);
  rotary (l, 1, tokens, &nano->encoder_cos, &nano->encoder_sin);
  /* the longest draft has a character a frame, and the decoder may write a quarter more */
  nano->decoder_positions = 2 * (frames + frames / 4 + 8);
  rotary (l, c->decoder_step, nano->decoder_positions, &nano->decoder_cos, &nano->decoder_sin);
}

/* Moves what place() collected to the device. */
static void
load_memory (Loading *l)
{
  DpNano *nano = l->nano;
  const DpNanoConfig *c = &nano->config;
  DpTensor *tensors[4 * DP_NANO_LAYERS + 6];
  guint n = 0;

  if (l->error || !(nano->memory = dp_buffer_new (nano->backend, l->floats->len, &l->error)))
    return;
  for (guint i = 0; i < c->encoder_layers; i++)
    tensors[n++] = &nano->encoder[i].norm1, tensors[n++] = &nano->encoder[i].norm2;
  for (guint i = 0; i < c->decoder_layers; i++)
    tensors[n++] = &nano->decoder[i].norm1, tensors[n++] = &nano->decoder[i].norm2;
  tensors[n++] = &nano->encoder_norm, tensors[n++] = &nano->decoder_norm;
  tensors[n++] = &nano->encoder_cos, tensors[n++] = &nano->encoder_sin;
  tensors[n++] = &nano->decoder_cos, tensors[n++] = &nano->decoder_sin;
  for (guint i = 0; i < n; i++)
    tensors[i]->buffer = nano->memory;
  g_autoptr (DpStream) stream = dp_stream_new (nano->backend, &l->error);
  DpTensor all = dp_tensor (nano->memory, 0, DP_U8, 1, l->floats->len);
  if (!stream)
    return;
  dp_stream_upload (stream, &all, l->floats->data, l->floats->len);
  dp_stream_sync (stream, &l->error);
}

/* ---- the whole -------------------------------------------------------------------------------------- */

/* The three files: of a folder, or the built-in ones. */
typedef struct {
  const char *label;
  cJSON *config;
  DpTokenizer *tokenizer;
  DpCheckpoint *checkpoint;
} Files;

static gboolean
check_tokenizer (const Files *f, const DpNanoConfig *c, GError **error)
{
  gsize n;

  for (guint32 id = c->first_character; id < c->first_character + c->n_characters; id++)
    if (!dp_tokenizer_bytes (f->tokenizer, id, &n) || n == 0 || dp_tokenizer_special (f->tokenizer, id))
      return refuse (f->label, "tokenizer.json and config.json do not name the same characters", error);
  return TRUE;
}

static gboolean
open_config (Files *f, const char *dir, DpNanoConfig *c, GError **error)
{
  const DpNanoFile file = dp_nano_file ("config.json");

  f->label = dir ? dir : "the built-in line model";
  f->config = dir ? dp_json_load (dir, "config.json", CONFIG_MAX, error)
                  : dp_json_parse (f->label, (const char *) file.data, file.size, CONFIG_MAX, 8, error);
  return f->config && read_config (f->label, f->config, c, error);
}

static gboolean
open_tokenizer (Files *f, const char *dir, const DpNanoConfig *c, GError **error)
{
  const DpNanoFile file = dp_nano_file ("tokenizer.json");

  f->tokenizer = dir ? dp_tokenizer_load (dir, error) : dp_tokenizer_parse (f->label, (const char *) file.data, file.size, error);
  return f->tokenizer && check_tokenizer (f, c, error);
}

static gboolean
open_checkpoint (Files *f, const char *dir, GError **error)
{
  const DpNanoFile file = dp_nano_file ("model.safetensors");
  g_autoptr (GBytes) bytes = g_bytes_new_static (file.data, file.size);

  f->checkpoint = dir ? dp_checkpoint_open (dir, error) : dp_checkpoint_from_bytes (f->label, bytes, error);
  return f->checkpoint != NULL;
}

static void
files_close (Files *f)
{
  cJSON_Delete (f->config);
  dp_tokenizer_free (f->tokenizer);
  dp_checkpoint_free (f->checkpoint);
}

DpNano *
dp_nano_load (DpBackend *backend, const char *dir, GError **error)
{
  g_autoptr (DpNano) nano = g_new0 (DpNano, 1);
  Files files = { 0 };
  Loading loading = { .nano = nano };

  nano->backend = backend;
  if (!open_config (&files, dir, &nano->config, error) || !open_tokenizer (&files, dir, &nano->config, error)
      || !open_checkpoint (&files, dir, error)) {
    files_close (&files);
    return NULL;
  }
  loading.checkpoint = files.checkpoint;
  loading.floats = g_byte_array_new ();
  load_weights (&loading);
  load_memory (&loading);
  g_byte_array_unref (loading.floats);
  nano->tokenizer = g_steal_pointer (&files.tokenizer);
  files_close (&files);
  if (!loading.error)
    return g_steal_pointer (&nano);
  g_propagate_error (error, loading.error);
  return NULL;
}

static void
block_free (DpNanoBlock *block)
{
  dp_weight_free (block->qkv);
  dp_weight_free (block->out);
  dp_weight_free (block->gate_up);
  dp_weight_free (block->down);
}

void
dp_nano_free (DpNano *nano)
{
  if (!nano)
    return;
  for (guint i = 0; i < DP_NANO_STAGES; i++)
    dp_weight_free (nano->conv[i]);
  for (guint i = 0; i < DP_NANO_LAYERS; i++)
    block_free (&nano->encoder[i]), block_free (&nano->decoder[i]);
  dp_weight_free (nano->project);
  dp_weight_free (nano->ctc_split);
  dp_weight_free (nano->ctc_head);
  dp_weight_free (nano->visual);
  dp_weight_free (nano->embedding);
  dp_buffer_free (nano->memory);
  dp_tokenizer_free (nano->tokenizer);
  g_free (nano);
}
