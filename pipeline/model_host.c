/* pipeline/model_host.c - from the command line to somebody who answers. */
#include "pipeline/model_host.h"

#include "vlm/error.h"
#include "vlm/protocols/mineru.h"

struct DpModelHost {
  DpModel *model;
  DpEngine *engine;
};

const char *
dp_model_host_dir (const DpModelOptions *options)
{
  const char *dir = options->dir ? options->dir : g_getenv ("DOCPARSE_MODEL");

  return dir && *dir ? dir : NULL;
}

void
dp_model_host_free (DpModelHost *host)
{
  if (!host)
    return;
  g_clear_pointer (&host->engine, dp_engine_free);
  g_clear_pointer (&host->model, dp_model_free);
  g_free (host);
}

static gboolean
can_read_pages (const char *dir, const DpModel *model, GError **error)
{
  const char *missing = dp_mineru_missing_token (dp_model_tokenizer (model));

  if (!dp_model_config (model)->vision.depth)
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_UNSUPPORTED, "%s: the model has no vision encoder, so it cannot read pages", dir);
  else if (missing)
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_UNSUPPORTED,
                 "%s: the tokenizer has no token \"%s\", so this %s model was not made to find the regions of a page (MinerU2.5's are)",
                 dir, missing, dp_model_family (model));
  else
    return TRUE;
  return FALSE;
}

DpModelHost *
dp_model_host_open (const DpModelOptions *options, GError **error)
{
  const DpModelLoad load = { .device = options->device,
                             .index = options->index,
                             .threads = options->threads,
                             .strict_backend = options->strict_backend,
                             .eager = options->eager,
                             .weights = options->weights };
  const DpEngineOptions engine = { .memory_budget = options->memory, .kv_type = options->kv, .page_size = options->kv_page };
  const char *dir = dp_model_host_dir (options);
  g_autoptr (DpModelHost) host = g_new0 (DpModelHost, 1);

  host->model = dp_model_load (dir, &load, error);
  if (!host->model || !can_read_pages (dir, host->model, error))
    return NULL;
  host->engine = dp_engine_new (host->model, &engine, error);
  if (!host->engine)
    return NULL;
  if (!dp_engine_can_see (host->engine, DP_MINERU_LAYOUT_SIDE, DP_MINERU_LAYOUT_SIDE, error)) {
    g_prefix_error_literal (error, "No page could be read: ");
    return NULL;
  }
  return g_steal_pointer (&host);
}

DpAnswerer *
dp_model_host_answerer (DpModelHost *host)
{
  return dp_engine_answerer (host->engine);
}

void
dp_model_host_stop (DpModelHost *host)
{
  dp_engine_stop (host->engine);
}

char *
dp_model_host_describe (DpModelHost *host)
{
  return g_strdup_printf ("model %s, digest %.12s, %.2f GiB of weights", dp_model_family (host->model), dp_model_digest (host->model),
                          (double) dp_model_weight_bytes (host->model) / (1 << 30));
}

char *
dp_model_host_account (DpModelHost *host)
{
  DpEngineStats s;

  dp_engine_stats (host->engine, &s);
  return g_strdup_printf ("model: %" G_GUINT64_FORMAT " questions, %" G_GUINT64_FORMAT " pictures, %" G_GUINT64_FORMAT
                          " tokens read, %" G_GUINT64_FORMAT " written, at most %u at once; vision %.1f s, prefill %.1f s, decode %.1f s",
                          s.requests, s.images, s.prompt_tokens, s.output_tokens, s.most_running, (double) s.vision_us / G_USEC_PER_SEC,
                          (double) s.prefill_us / G_USEC_PER_SEC, (double) s.decode_us / G_USEC_PER_SEC);
}
