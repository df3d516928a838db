/* vlm/error.h - what can be wrong with a model's files and inputs; every message is a sentence that names file and part. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
  DP_VLM_ERROR_MISSING,     /* a file is not there */
  DP_VLM_ERROR_MALFORMED,   /* it is there and breaks its format, or a tensor is not in it */
  DP_VLM_ERROR_UNSUPPORTED, /* it is well formed and asks for what docparse cannot do */
  DP_VLM_ERROR_INPUT,       /* the caller's picture or text cannot be used */
} DpVlmError;

#define DP_VLM_ERROR (dp_vlm_error_quark ())

static inline GQuark
dp_vlm_error_quark (void)
{
  return g_quark_from_static_string ("dp-vlm-error-quark");
}

G_END_DECLS
