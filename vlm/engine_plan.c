/* vlm/engine_plan.c - how the memory budget becomes pages of the KV cache, a prefill chunk and limits for pictures. */
#include "vlm/engine_private.h"

#include "vlm/error.h"
#include "vlm/vision.h"

#include <unistd.h>

#define MAX_DEFAULT_BUDGET ((guint64) 8 << 30)
#define LEAST_CHUNK 16
#define USUAL_LEN 4096 /* a page's layout takes 1,400 rows and some 2,000 tokens; more room than this for each would never be touched */

static guint64
default_budget (void)
{
  const glong pages = sysconf (_SC_PHYS_PAGES), size = sysconf (_SC_PAGESIZE);

  return pages > 0 && size > 0 ? MIN ((guint64) pages * (guint64) size / 4, MAX_DEFAULT_BUDGET) : MAX_DEFAULT_BUDGET / 8;
}

gsize
dp_engine_picture_bytes (const DpEngine *e, guint32 n_patches, guint32 rows)
{
  const DpVisionConfig *v = &e->config->vision;
  const gsize dim = (gsize) v->channels * v->temporal_patch * v->patch * v->patch;

  return dp_vision_bytes (e->model, n_patches) + (gsize) n_patches * dim * sizeof (float)
         + (gsize) rows * e->config->text.hidden * dp_type_size (dp_model_activations (e->model));
}

/* The largest picture that the preprocessor lets through. */
static guint64
worst_picture (const DpEngine *e)
{
  const DpVisionConfig *v = &e->config->vision;

  if (!v->depth)
    return 0;
  const guint32 patches = MAX (e->config->image.max_pixels / (v->patch * v->patch), v->merge * v->merge);
  return dp_engine_picture_bytes (e, patches, patches / (v->merge * v->merge));
}

/* Temporaries of a prefill call of n rows and of choosing, roughly: what stands side by side in a layer, each of f32, and half
 * as much again for workspaces. */
static guint64
call_bytes (const DpEngine *e, guint32 n)
{
  const DpTextConfig *t = &e->config->text;
  const guint64 columns = 4 * (guint64) t->hidden + (2 * (guint64) t->heads + 2 * t->kv_heads) * t->head_dim + t->intermediate;

  return (n * columns + (guint64) e->o.max_batch * t->vocabulary) * sizeof (float) * 3 / 2;
}

static gboolean
too_small (const DpEngine *e, guint64 left, guint64 page_bytes, GError **error)
{
  g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT,
               "A memory budget of %" G_GUINT64_FORMAT " MB leaves %" G_GUINT64_FORMAT
               " kB for the text of the model, less than the %" G_GUINT64_FORMAT
               " kB of 3 pages of %u tokens: give a larger one (--memory-budget)",
               e->o.memory_budget >> 20, left >> 10, 3 * page_bytes >> 10, e->o.page_size);
  return FALSE;
}

static gboolean
plan_pages (DpEngine *e, guint64 page_bytes, GError **error)
{
  DpEngineOptions *o = &e->o;
  const guint64 budget = o->memory_budget, calls = call_bytes (e, o->prefill_chunk);
  const guint64 usual = dp_engine_pages_for (e, MIN (o->max_len, USUAL_LEN)), longest = dp_engine_pages_for (e, o->max_len);
  const guint64 useful = 1 + MAX (usual * o->max_batch, longest);

  if (!o->kv_pages) {
    const guint64 taken = e->vision_budget + e->vision_keep + calls, left = budget > taken ? budget - taken : 0;
    if (left < 3 * page_bytes)
      return too_small (e, left, page_bytes, error);
    o->kv_pages = (guint32) MIN (MIN (left / page_bytes, useful), G_MAXINT32 / 4 / o->page_size); /* the decoder's own limit */
  }
  o->kv_pages = MAX (o->kv_pages, 2);
  o->max_len = (guint32) MIN (o->max_len, (guint64) (o->kv_pages - 1) * o->page_size);
  return TRUE;
}

static guint32
liked_page_size (const DpEngine *e)
{
  DpDeviceInfo info;

  dp_backend_info (e->backend, &info);
  return info.kv_page_size ? info.kv_page_size : 16;
}

gboolean
dp_engine_plan (DpEngine *e, const DpEngineOptions *options, GError **error)
{
  DpEngineOptions *o = &e->o;
  const guint32 model_len = e->config->text.max_positions;

  *o = options ? *options : (DpEngineOptions){ 0 };
  o->memory_budget = o->memory_budget ? o->memory_budget : default_budget ();
  o->page_size = CLAMP (o->page_size ? o->page_size : liked_page_size (e), 1, 1024);
  o->max_batch = o->max_batch ? MIN (o->max_batch, 1024) : 32;
  o->prefill_chunk = CLAMP (o->prefill_chunk ? o->prefill_chunk : 512, 1, 65536);
  o->max_len = o->max_len ? MIN (o->max_len, model_len) : model_len;
  while (o->prefill_chunk > LEAST_CHUNK && call_bytes (e, o->prefill_chunk) > o->memory_budget / 4)
    o->prefill_chunk = MAX (o->prefill_chunk / 2, LEAST_CHUNK);
  e->vision_budget = (gsize) MIN (worst_picture (e), o->memory_budget / 2);
  e->vision_keep = (gsize) MIN (MIN (e->vision_budget, DP_VISION_KEEP), o->memory_budget / 8);

  const gsize page_bytes = dp_decoder_page_bytes (e->model, o->page_size, o->kv_type);
  if (!page_bytes) {
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_UNSUPPORTED, "The back end has no KV cache of %s in pages of %u tokens",
                 dp_type_name (o->kv_type), o->page_size);
    return FALSE;
  }
  if (!plan_pages (e, page_bytes, error))
    return FALSE;
  e->stats.kv_pages = o->kv_pages;
  e->stats.kv_bytes = (guint64) o->kv_pages * page_bytes;
  return TRUE;
}
