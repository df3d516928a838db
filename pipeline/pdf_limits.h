/* pipeline/pdf_limits.h - what one document may cost.
 *
 * Hostile PDFs ask for gigabytes, hours and billions of objects (tests/hostile holds
 * recipes).  Every limit costs the page that hits it, never the document or its
 * neighbours; pipeline/pdf.c says how that is reported.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  guint64 max_memory;  /* bytes of address space of a child (RLIMIT_AS); 0 = no limit */
  guint page_cpu_ms;   /* processor time for one page, one picture or opening; 0 = no limit */
  guint page_wall_ms;  /* wall time for the same, counted by the parent; 0 = no limit */
  guint32 max_glyphs;  /* per page; the rest is left out and counted in n_truncated */
  guint32 max_objects; /* paths, images, links and notes of a page, each; likewise */
  guint64 max_pixels;  /* of one decoded or rendered picture */
} DpPdfLimits;

/* 900 MiB stays below the 1 GB that tests/hostile allows; 80 Mpx is A3 at 600 dpi. */
#define DP_PDF_LIMITS_DEFAULT                                                                                                              \
  ((DpPdfLimits){ .max_memory = G_GUINT64_CONSTANT (900) << 20,                                                                            \
                  .page_cpu_ms = 4000,                                                                                                     \
                  .page_wall_ms = 8000,                                                                                                    \
                  .max_glyphs = 250000,                                                                                                    \
                  .max_objects = 250000,                                                                                                   \
                  .max_pixels = 80000000 })

G_END_DECLS
