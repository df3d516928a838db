/* vlm/model.c - a model from its folder: the families' register, loading, and what a model says of itself. */
#include "vlm/family.h"

#include "vlm/error.h"
#include "vlm/vision.h"

#include <string.h>

extern const DpFamily dp_family_qwen2_vl, dp_family_qwen2_5_vl;

static const DpFamily *const families[] = { &dp_family_qwen2_vl, &dp_family_qwen2_5_vl };

static const DpFamily *
find_family (const char *dir, const DpModelConfig *config, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    for (const char *const *type = families[i]->model_types; *type; type++) {
      if (g_str_equal (*type, config->model_type))
        return families[i];
      g_string_append_printf (known, "%s%s", known->len ? ", " : "", *type);
    }
  g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_UNSUPPORTED, "%s/config.json: model_type \"%s\" is not known; known are: %s", dir,
               config->model_type, known->str);
  return NULL;
}

/* ---- digest ------------------------------------------------------------------------------------------------------ */

/* Weights are too large to be hashed at every start: name, type, shape and four samples of each tensor tell them apart. */
#define SAMPLE ((gsize) 256)

static void
add_file (GChecksum *sum, const char *dir, const char *name)
{
  g_autofree char *path = g_build_filename (dir, name, NULL), *text = NULL;
  gsize n = 0;

  if (g_file_get_contents (path, &text, &n, NULL)) {
    g_checksum_update (sum, (const guint8 *) name, (gssize) strlen (name) + 1);
    g_checksum_update (sum, (const guint8 *) text, (gssize) n);
  }
}

static char *
digest_of (const char *dir, const DpCheckpoint *c)
{
  static const char *const files[] = { "config.json",    "generation_config.json", "preprocessor_config.json", "processor_config.json",
                                       "tokenizer.json", "tokenizer_config.json",  "added_tokens.json",        "vocab.json",
                                       "merges.txt" };
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    add_file (sum, dir, files[i]);
  for (guint i = 0; i < dp_checkpoint_n (c); i++) {
    const DpCheckpointTensor *t = dp_checkpoint_nth (c, i);
    g_autofree char *head = g_strdup_printf ("%s %s", t->name, dp_stored_name (t->type));
    const gsize piece = MIN (SAMPLE, t->size);
    g_checksum_update (sum, (const guint8 *) head, (gssize) strlen (head) + 1);
    for (guint d = 0; d < t->n_dims; d++) {
      const guint64 side = GUINT64_TO_LE (t->shape[d]);
      g_checksum_update (sum, (const guint8 *) &side, sizeof side);
    }
    for (guint s = 0; s < 4 && piece; s++)
      g_checksum_update (sum, t->data + (t->size - piece) / 3 * s, (gssize) piece);
    dp_checkpoint_release (c, t);
  }
  return g_strdup (g_checksum_get_string (sum));
}

/* ---- loading ------------------------------------------------------------------------------------------------------ */

static gboolean
check_options (const DpModelLoad *o, GError **error)
{
  const guint32 weights = DP_TYPE_BIT (DP_BF16) | DP_TYPE_BIT (DP_F32) | DP_TYPE_BIT (DP_I8) | DP_TYPE_BIT (DP_I4);

  if (o->weights < DP_N_TYPES && (weights & DP_TYPE_BIT (o->weights)) && (o->activations == DP_F32 || o->activations == DP_BF16))
    return TRUE;
  g_set_error_literal (error, DP_VLM_ERROR, DP_VLM_ERROR_UNSUPPORTED,
                       "weights can be held as f32, bf16, i8 or i4, and activations as f32 or bf16");
  return FALSE;
}

/* Every control token that the chat is spelled with, or its letters would be read in place of it.  A model whose configuration
 * does not say how an answer ends ends it with what ends a turn. */
static gboolean
check_chat (DpModel *m, const char *dir, GError **error)
{
  const DpChat *chat = &m->family->chat;
  const char *const parts[] = { chat->before, chat->image_before, chat->image_after, chat->after };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    for (const char *p = parts[i] ? strstr (parts[i], "<|") : NULL, *end; p && (end = strstr (p, "|>")); p = strstr (end, "<|")) {
      g_autofree char *token = g_strndup (p, (gsize) (end + 2 - p));
      const gint64 id = dp_tokenizer_id (m->tokenizer, token);
      if (id < 0) {
        g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s: the tokenizer has no token \"%s\", which a chat with %s needs", dir,
                     token, m->family->name);
        return FALSE;
      }
      if (parts[i] == chat->after && !m->config.tokens.n_eos)
        m->config.tokens.eos[m->config.tokens.n_eos++] = (guint32) id;
    }
  return TRUE;
}

static gboolean
load_files (DpModel *m, const char *dir, GError **error)
{
  if (!dp_model_config_load (dir, &m->config, error) || !(m->family = find_family (dir, &m->config, error)))
    return FALSE;
  if (!m->family->check (&m->config, error)) {
    g_prefix_error (error, "%s/config.json: ", dir);
    return FALSE;
  }
  if (!(m->tokenizer = dp_tokenizer_load (dir, error)) || !check_chat (m, dir, error))
    return FALSE;
  if (dp_tokenizer_size (m->tokenizer) <= m->config.text.vocabulary)
    return TRUE;
  g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s: the tokenizer has ids up to %u, the model only knows %u", dir,
               dp_tokenizer_size (m->tokenizer) - 1, m->config.text.vocabulary);
  return FALSE;
}

static gboolean
load_weights (DpModel *m, const char *dir, const DpModelLoad *o, GError **error)
{
  g_autoptr (DpCheckpoint) checkpoint = dp_checkpoint_open (dir, error);

  if (!checkpoint)
    return FALSE;
  m->digest = digest_of (dir, checkpoint);
  g_autofree char *usual = g_build_filename (g_get_user_cache_dir (), "docparse", NULL);
  const char *cache_dir = !o->cache_dir ? usual : *o->cache_dir ? o->cache_dir : NULL;
  m->weights = dp_weights_new (m->backend, checkpoint, o->weights, m->digest, cache_dir, error);
  if (!m->weights)
    return FALSE;
  m->decoder.layers = g_new0 (DpDecoderLayer, m->config.text.layers);
  m->family->load (m, m->weights);
  return dp_weights_finish (m->weights, error);
}

static DpType
compute_type (DpType weights)
{
  return weights == DP_BF16 ? DP_BF16 : DP_F32;
}

DpModel *
dp_model_load (const char *dir, const DpModelLoad *o, GError **error)
{
  g_autoptr (DpModel) m = g_new0 (DpModel, 1);
  const DpBackendOptions options = { .struct_size = sizeof options,
                                     .device = o->index,
                                     .n_threads = o->threads,
                                     .strict_backend = o->strict_backend,
                                     .strict_memory = o->strict_memory };

  m->eager = o->eager;
  m->vision_keep = DP_VISION_KEEP;
  m->residual = o->activations;
  m->compute = compute_type (dp_weights_type (o->weights, DP_PART_DECODER));
  m->vision_compute = compute_type (dp_weights_type (o->weights, DP_PART_VISION));
  if (!check_options (o, error) || !load_files (m, dir, error))
    return NULL;
  m->backend = dp_backend_open (o->device ? o->device : "cpu", &options, error);
  if (!m->backend || !load_weights (m, dir, o, error) || !dp_decoder_probe (m, error) || !dp_vision_probe (m, error))
    return NULL;
  return g_steal_pointer (&m);
}

void
dp_model_free (DpModel *m)
{
  if (!m)
    return;
  dp_vision_graphs_free (m->vision_graphs);
  if (m->family && m->family->unload)
    m->family->unload (m);
  else
    g_free (m->vision);
  g_free (m->decoder.layers);
  dp_weights_free (m->weights);
  if (m->backend)
    dp_backend_close (m->backend);
  dp_tokenizer_free (m->tokenizer);
  g_free (m->digest);
  g_free (m);
}

/* ---- what is known of it -------------------------------------------------------------------------------------------- */

const DpModelConfig *
dp_model_config (const DpModel *m)
{
  return &m->config;
}

const DpTokenizer *
dp_model_tokenizer (const DpModel *m)
{
  return m->tokenizer;
}

DpBackend *
dp_model_backend (const DpModel *m)
{
  return m->backend;
}

const char *
dp_model_family (const DpModel *m)
{
  return m->family->name;
}

const char *
dp_model_digest (const DpModel *m)
{
  return m->digest;
}

gsize
dp_model_weight_bytes (const DpModel *m)
{
  return dp_weights_bytes (m->weights);
}

gboolean
dp_model_eager (const DpModel *m)
{
  return m->eager;
}

const DpChat *
dp_model_chat (const DpModel *m)
{
  return &m->family->chat;
}

DpType
dp_model_activations (const DpModel *m)
{
  return m->residual;
}

/* ---- shared by the nets ----------------------------------------------------------------------------------------------- */

void
dp_model_linear (DpStream *stream, DpTensor x, const DpWeight *weight, DpAct act, DpTensor residual, DpTensor y)
{
  if (weight->type == DP_I8 || weight->type == DP_I4)
    dp_weight_quant_matmul (stream, &(DpWeightQuantMatmulArgs){ .x = x, .weight = weight, .act = act, .residual = residual, .y = y });
  else
    dp_linear (stream, &(DpLinearArgs){ .x = x, .weight = weight, .act = act, .residual = residual, .y = y });
}
