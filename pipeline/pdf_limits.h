/* pipeline/pdf_limits.h - what one document may cost.
 *
 * The limits hold per sandboxed child.  The defaults let every honest document through
 * that we have seen and keep a hostile one under 10 s and 1 GB, two strikes included.
 */
#pragma once

#include "pipeline/sanitized.h"

#include <glib.h>

typedef struct {
  guint64 max_memory;  /* bytes of address space of the child */
  guint page_cpu_ms;   /* processor time for one request (open, page, picture) */
  guint page_wall_ms;  /* wall time for one request */
  guint32 max_glyphs;  /* characters taken from one page; the rest is counted as truncated */
  guint32 max_objects; /* paths, images, links, notes taken from one page, each */
  guint64 max_pixels;  /* of one rendered picture */
} DpPdfLimits;

#define DP_SLOWNESS (DP_WITH_ASAN ? 6 : 1)
#define DP_PDF_LIMITS_DEFAULT                                                                                                              \
  {                                                                                                                                        \
    .max_memory = 900ull << 20, .page_cpu_ms = 4000 * DP_SLOWNESS, .page_wall_ms = 8000 * DP_SLOWNESS, .max_glyphs = 400000,               \
    .max_objects = 200000, .max_pixels = 64000000                                                                                          \
  }
