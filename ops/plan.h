/* ops/plan.h - from recorded calls to a plan: who lives where, who waits for whom (internal to ops/). */
#pragma once

#include "ops/private.h"

G_BEGIN_DECLS

typedef struct {
  DpPlan plan; /* what the back end sees; points into the rest */
  DpPlanNode *nodes;
  DpCall *calls;
  guint n_calls;
  DpBuffer *arena; /* NULL: no temporaries */
  gsize temp_bytes;
} DpPlanned;

/* Takes the calls of a successful recording. */
gboolean dp_plan_make (DpPlanned *planned, DpBackend *backend, DpRecord *record, GError **error);
void dp_plan_clear (DpPlanned *planned);

/* A block of memory needed from node first to node last. */
typedef struct {
  gsize size;
  guint first, last;
  gsize offset; /* result, multiple of DP_ALIGN when all sizes are */
} DpSpan;

/* Places blocks so that those alive together do not overlap; returns the arena's size.  Largest first, each at the
 * lowest place that is free: the greedy-by-size planner of XNNPACK and TFLite (Pisarchyk and Lee 2020). */
gsize dp_plan_place (DpSpan *spans, guint n);

G_END_DECLS
